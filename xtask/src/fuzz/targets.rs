//! What is executed: one function per reader, and the row that names it.
//!
//! A function gets any bytes. It returns a mark of what they showed, such as a hash of the codes reported: inputs with
//! a new mark are damaged further, so the mark should have some thousand values, neither ten nor millions. It
//! returns an error when a law is broken, and may panic for the same reason.

mod automaton;
mod c;
mod circuit;
mod language;
mod sexpr;
mod smt;
mod system;

/// A row of the table.
pub(super) struct Target {
    /// The word on the command line.
    pub(super) name: &'static str,
    /// Executes one input.
    pub(super) run: fn(&[u8]) -> Result<u64, String>,
    /// Endings of files that are seeds.
    pub(super) endings: &'static [&'static str],
    /// More seeds.
    pub(super) seeds: &'static [&'static str],
    /// Words that are put into inputs.
    pub(super) tokens: &'static [&'static str],
}

/// Every target.
pub(super) const TARGETS: &[Target] = &[
    // tidy: sorted
    Target { name: "aiger", run: circuit::aiger, endings: AIG, seeds: AIG_SEEDS, tokens: AIG_WORDS },
    Target { name: "btor2", run: circuit::btor2, endings: BTOR, seeds: BTOR_SEEDS, tokens: BTOR_WORDS },
    Target { name: "c", run: c::run, endings: &["i"], seeds: C_SEEDS, tokens: C_TOKENS },
    Target { name: "chc", run: system::chc, endings: &["smt2"], seeds: CHC_SEEDS, tokens: CHC_TOKENS },
    Target { name: "fmt", run: language::format, endings: ALL, seeds: SEEDS, tokens: TOKENS },
    Target { name: "ia", run: automaton::run, endings: &["ia"], seeds: IA_SEEDS, tokens: IA_TOKENS },
    Target { name: "k2", run: language::k2, endings: &["k2"], seeds: SEEDS, tokens: K2_TOKENS },
    Target { name: "moxi", run: system::moxi, endings: &["moxi"], seeds: MOXI_SEEDS, tokens: MOXI_TOKENS },
    Target { name: "sexpr", run: sexpr::run, endings: ALL, seeds: SEEDS, tokens: TOKENS },
    Target { name: "smt", run: smt::run, endings: &["smt2", "vmt"], seeds: SEEDS, tokens: TOKENS },
    Target { name: "smv", run: system::smv, endings: &["smv"], seeds: SMV_SEEDS, tokens: SMV_TOKENS },
    Target { name: "svlib", run: language::svlib, endings: &["svlib"], seeds: SEEDS, tokens: TOKENS },
    Target { name: "vmt", run: system::vmt, endings: &["vmt"], seeds: VMT_SEEDS, tokens: VMT_TOKENS },
    // tidy: end
];

const AIG: &[&str] = &["aag", "aig"];
const BTOR: &[&str] = &["btor", "btor2"];

const IA_SEEDS: &[&str] = &[
    include_str!("../../../crates/instrument/specs/example.ia"),
    include_str!("../../../crates/instrument/specs/memory-cleanup.ia"),
    include_str!("../../../crates/instrument/specs/no-overflow.ia"),
    include_str!("../../../crates/instrument/specs/termination.ia"),
];

const IA_TOKENS: &[&str] = &[
    "on ",
    "true ",
    "cond ",
    "!cond ",
    "end ",
    "return ",
    "$a",
    "$_",
    "$result",
    "$op.max",
    "$a.len",
    "before ",
    "after ",
    "{ ",
    "}",
    "-> q1;",
    ";",
    "state q1 : loop_head {",
    "per loop ",
    "per recursion ",
    "local var int x = 0;",
    "where op is signed ",
    "or ",
    "assert(",
    "save_state();",
    "same_state()",
    "choice()",
    "$f($a)",
    "$a[$b]",
    "$a = $b",
];

const AIG_SEEDS: &[&str] = &[
    "aag 9 2 4 1 2 1 1 1 1\n2\n4\n6 18\n8 9 1\n10 11 10\n12 16 0\n18\n17\n5\n2\n6\n9\n13\n18 16 3\n16 8 10\ni0 a\nl0 b\nc\n",
    "aig 3 1 1 1 1\n6\n7\n\u{2}\u{2}o0 x\n",
];

const AIG_WORDS: &[&str] = &["aag 1 1 0 1 0\n", "aig", "\n", " 1", "2 3\n", "i0 x\n", "c\n", "\u{0}\u{1}"];

const BTOR_SEEDS: &[&str] = &[
    "1 sort bitvec 3\n2 sort bitvec 1\n3 input 2 go\n4 state 1 x\n5 zero 1\n6 init 1 4 5\n7 inc 1 4\n8 ite 1 -3 4 7\n\
     9 next 1 4 8\n10 redand 2 4\n11 bad 10\n12 constraint -10\n13 fair 3\n14 justice 2 3 10\n15 output 8 o\n",
    "1 sort bitvec 2\n2 sort array 1 1\n3 state 2\n4 one 1\n5 init 2 3 4\n6 input 1\n7 read 1 3 6\n8 write 2 3 6 -7\n\
     9 next 2 3 8\n10 sort bitvec 1\n11 eq 10 3 8\n12 slice 10 7 1 1\n13 concat 1 11 12\n14 rol 1 13 7\n15 smulo 10 14 7\n16 bad 15\n",
];

const BTOR_WORDS: &[&str] = &[
    "\n17 sort bitvec 5",
    "\n18 sext 17 4 2",
    "\n19 udiv 1 4 4",
    "\n20 redxor 2 4",
    "\n21 state 1",
    "\n22 constd 1 -1",
    " -4",
    " 2147483646",
    " ; ",
    "state",
    "input",
    "implies",
];

const C_SEEDS: &[&str] = &[
    "typedef struct s { int a : 3; struct s *n; } s; enum e { A = 1, B };\nint f(int n, s *p) { static int t[] = { [2] = 1, 2 };\n\
     l: for (int i = 0; i < n; i++) switch (p->a) { case 1 ... 3: t[i] += ({ int k = i; k; }); break; default: goto l; }\n\
     do n--; while (n ? f(n, p->n) : (int)sizeof(s[n])); return _Generic(n, int: 1, default: 2) + *&n; }",
    "int (*g(int x))(long); k(a, b) char *a; { return b ?: a[0] && __builtin_offsetof(struct q { char c; }, c); }\n\
     union u { float f; char c[4]; } u = { .c = \"ab\" }; void h(void) { asm(\"\" : \"=r\"(u.f)); __label__ x; x: goto *&&x; }",
];

const C_TOKENS: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    "int ",
    "struct ",
    "typedef ",
    "s",
    "({",
    "})",
    "= {",
    "sizeof ",
    "case 1:",
    "goto l;",
    "typeof(",
    "[1 ... 2] =",
    "...",
    "->",
    "? :",
    "__attribute__((packed))",
    "0x1p",
    "'a",
    "\"",
    "#pragma pack(1)\n",
    "enum {",
];

const CHC_SEEDS: &[&str] =
    &["(set-logic HORN)(declare-fun p (Int Bool) Bool)(declare-fun q () Bool)(assert (p 0 true))\n\
     (assert (forall ((x Int) (b Bool)) (=> (and (p x b) (or (< x 3) (not b))) (p (+ x 1) (not b)))))\n\
     (assert (not (exists ((x Int)) (and (p x false) (> x 9)))))(assert (= q (p 1 true)))(check-sat)"];

const CHC_TOKENS: &[&str] = &[
    "(not ",
    "(or ",
    "(and ",
    "(=> ",
    "(ite ",
    "(forall ((x Int)) ",
    "(exists ((y Bool)) ",
    "(assert ",
    "(p x b)",
    "q",
    "false",
];

const MOXI_SEEDS: &[&str] = &[
    "(declare-enum-sort E (a b))(define-system D :input ((i E)) :output ((o E)) :init (= o a) :trans (= o' i))\n\
     (define-system T :input ((x E)) :local ((|y z| E)) :subsys (S (D x |y z|)) :inv (!= x |y z|))\n\
     (check-system T :input ((u E)) :assumption (s (= u u')) :reachable (r (= u a)) :fairness (f (= u b)) :current (c true)\n\
     :query (q (s r)) :queries ((g (f r)) (h (c r))))",
];

const MOXI_TOKENS: &[&str] = &[
    "(define-system ",
    "(check-system ",
    ":init",
    ":trans",
    ":inv",
    ":subsys (S (D x x))",
    ":query (q ())",
    "x'",
    "|y z|'",
    "(",
    ")",
];

const SMV_SEEDS: &[&str] = &[
    "MODULE m(a) VAR v : {r, g}; DEFINE d := a & v = r; ASSIGN init(v) := {r, g}; next(v) := case a : g; TRUE : v; esac;\n\
     MODULE main VAR w : word[4]; k : m(w[1:1] = 0ud1_1); t : array 0..2 of boolean; s : array integer of real; IVAR i : 0..3;\n\
     FROZENVAR n : integer; FUN f : integer -> boolean; INIT w = 0ud4_3 & f(n) ; TRANS next(w) = (w << 1) + extend(0ud2_1, 2);\n\
     INVAR READ(s, n) > f'1/2; JUSTICE k.d; INVARSPEC NAME p := t[0] -> count(t[1], t[2]) in {1, 2};\n\
     LTLSPEC G (k.d -> F t[1]) U O t[2]; SPEC AG !k.d",
];

const SMV_TOKENS: &[&str] = &[
    "MODULE ",
    "VAR ",
    "DEFINE ",
    "INVAR ",
    "next(",
    "case ",
    " esac",
    "x : boolean;",
    "0sd4_1",
    "{",
    "}",
    "[",
    "]",
    " union ",
    " in ",
    "..",
    " ? ",
    " : ",
    ";",
    "signed(",
    "WRITE(s, 1, 2)",
    " mod ",
    "::",
];

const VMT_SEEDS: &[&str] = &[
    "(declare-fun a () Bool)(declare-fun b () Bool)(define-fun .a () Bool (! a :next a.next))\n\
     (define-fun p () Bool (! (ltl.G (ltl.U a (ltl.S b a.next))) :ltl-property 3))\n\
     (define-fun l () Bool (! b :live-property 1))(define-fun m () Bool (! a :live-property 1))\n\
     (define-fun i () Bool (! (or a b) :invar true))",
    "(declare-sort n 0)(declare-fun h (n) Bool)(declare-fun hh (n) Bool)(define-fun .h ((v n)) Bool (! (h v) :next hh))\n\
     (declare-fun f () n)(define-fun .f () n (! f :global true))(assert (forall ((v n)) (= v f)))\n\
     (define-fun a () Bool (! (forall ((v n)) (= (hh v) (h v))) :action go))\n\
     (define-fun i () Bool (! (h f) :init true))(define-fun p () Bool (! (exists ((v n)) (h v)) :invar-property 0))",
];

const VMT_TOKENS: &[&str] = &[
    ":next x",
    ":init true",
    ":trans",
    ":invar",
    ":invar-property 0",
    ":live-property 1",
    ":ltl-property 2",
    ":action a",
    ":axiom true",
    ":global true",
    ":definition x",
    "(! x :next y)",
    "(ltl.F a)",
    "(ltl.S a b)",
    "(define-fun p () Bool (! (ltl.G (ltl.F (not a))) :ltl-property 3))",
    "(declare-fun x () Int)",
    "(define-fun .x () Int (! x :next x.next))",
    "(forall ((x Int)) ",
    "(",
    ")",
];

const ALL: &[&str] = &["k2", "smt2", "svlib", "vmt"];

/// Short inputs with everything that readers treat in a special way.
const SEEDS: &[&str] = &[
    "",
    "(declare-const x Int)(assert (let ((y x)) (forall ((x Int)) (! (= x y) :pattern ((f x)) :named n))))",
    "(declare-datatypes ((T 1)) ((par (X) ((leaf) (node (l (T X)) (v X) (r (T X)))))))\n\
     (declare-const t (T Int))(assert (match t ((leaf true) ((node a b c) (= a c)))))",
    "(declare-fun f (Int (_ BitVec 8)) Real)(define-sort S (X) (Array X (Seq X)))(declare-const a (S Int))\n\
     (assert (= (f 1 #x0f) (select ((as const (Array Int Real)) 1.5) (seq.nth (select a 3) -7))))",
    "(push 1)(define-fun-rec f ((x Int)) Int (ite (< x 0) x (f (- x 1))))(pop 1)(reset)(exit)",
    "(assert (= ((_ to_fp 5 11) RNE (/ 1 3)) (fp.add RNE (_ NaN 5 11) (fp #b0 #b10101 #b0000000000))))",
    "(assert (str.in_re \"a\"\"b\" (re.++ (re.* re.allchar) ((_ re.loop 1 2) (str.to_re |x y|)))))",
    "(declare-fun s () Bool)(define-fun s0 () Bool (! s :next s1))(define-fun p () Bool (! (ltl.G s) :ltl-property 0))",
];

const TOKENS: &[&str] = &[
    "(",
    ")",
    "()",
    "!",
    "_",
    "as",
    "let",
    "forall",
    "exists",
    "lambda",
    "match",
    "par",
    "(let ((x x)) ",
    "(forall ((x Int)) ",
    "(forall ((select Int) (and Bool)) ",
    "(! x :named y)",
    "(_ BitVec 8)",
    "(Array Int Int)",
    "(as const (Array Int Int))",
    "(_ extract 3 0)",
    "(_ bv5 8)",
    "(assert ",
    "(declare-const x Int)",
    "(declare-fun f (Int) Int)",
    "(define-fun g ((x Int)) Int ",
    "(declare-datatype D ((c (s D)) (d)))",
    "(push 1)",
    "(pop 1)",
    "(reset)",
    "define-sort",
    "define-fun-rec",
    ":named",
    ":pattern",
    ":next",
    "|x|",
    "|a b|",
    "\"\"",
    "\"a\"\"b\"",
    "; comment\n",
    "#x0F",
    "#b1",
    "0",
    "4294967295",
    "99999999999999999999",
    "1.50",
    "-5",
    "=",
    "and",
    "not",
    "ite",
    "+",
    "-",
    "select",
    "store",
    "concat",
    "true",
    "x",
    "Int",
    "Bool",
    "Real",
    "RNE",
    "define-proc",
    "annotate-tag",
    "verify-call",
    "select-trace",
    ":check-true",
    ":invariant",
    ":decreases",
    "assume",
    "assign",
    "sequence",
    "while",
    "havoc",
    "call",
    "return",
    "goto",
    "label",
    "at",
    "old",
];

const K2_TOKENS: &[&str] = &[
    "(",
    ")",
    "(type int)",
    "type",
    "entry",
    "function",
    "params",
    "return",
    "locals",
    "seq",
    "assign",
    "assume",
    "jump",
    "label",
    "condjump",
    "havoc",
    "call",
    "var",
    "const",
    "op",
    "(op add ",
    "int",
    "real",
    "bool",
    "(sbv 8)",
    "(ubv 8)",
    "(map int int)",
    "!",
    ":error",
    "|x|",
    "0",
    "-1",
];
