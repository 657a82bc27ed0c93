//! The language of nuXmv: what expressions mean, what is refused, and that systems survive being written.
#![expect(clippy::print_stderr, reason = "tests report numbers")]

mod support;

use formats::Model;
use smt::eval::Evaluator;
use smt::op::Op;
use smt::subst::functions;
use smt::term::{FunId, TermId, Terms};
use support::explore::{assignments, verdicts};
use support::{complaints, files, read, systems, written};
use testkit::Rng;
use ts::{Property, PropertyKind, System};

fn judged(text: &str) -> Vec<Option<usize>> {
    let mut terms = Terms::new();
    let system = systems("smv", &mut terms, text).remove(0);
    verdicts(&terms, &system)
}

/// What a closed Boolean expression is.
fn holds(expression: &str) -> bool {
    let text = format!("MODULE main\nCONSTANTS red, green;\nINVARSPEC {expression};");
    let mut terms = Terms::new();
    let system = systems("smv", &mut terms, &text).remove(0);
    Evaluator::new(&terms).holds(system.properties[0].formulas()[0], &mut ()).unwrap()
}

#[test]
fn expressions() {
    let truths = [
        "7 / 2 = 3 & -7 / 2 = -3 & 7 / -2 = -3 & -7 / -2 = 3",
        "7 mod 2 = 1 & -7 mod 2 = -1 & 7 mod -2 = 1",
        "1 + 2 * 3 = 7 & (1 + 2) * 3 = 9 & 2 - 1 - 1 = 0",
        "FALSE -> FALSE -> FALSE",
        "!FALSE = TRUE & TRUE | FALSE & FALSE",
        "TRUE xor FALSE & TRUE xnor TRUE",
        "3 in {1, 3} & !(2 in {1, 3}) & 4 in 2..5 & 1 in {1} union {2}",
        "(TRUE ? 1 : 2) = 1 & (FALSE ? 1 : TRUE ? 2 : 3) = 2",
        "case FALSE : 1; TRUE : 2; esac = 2",
        "count(TRUE, FALSE, TRUE) = 2 & toint(TRUE) = 1 & bool(2) & !bool(0ud1_0) & word1(TRUE) = 0ud1_1",
        "red = red & red != green",
        "0ud4_9 + 0ud4_9 = 0ud4_2 & -0ud4_1 = 0b4_1111 & 0h_f = 0ud4_15 & 0o2_3 = 0b_11",
        "0sd4_7 > -0sd4_1 & signed(0ud4_15) < 0sd4_0 & unsigned(-0sd4_1) = 0ud4_15",
        "-0sd4_7 / 0sd4_2 = -0sd4_3 & -0sd4_7 mod 0sd4_2 = -0sd4_1 & 0ud4_9 / 0ud4_2 = 0ud4_4",
        "0b4_1010[3:2] = 0b2_10 & 0b2_10 :: 0b2_01 = 0b4_1001 & !0b2_10 = 0b2_01",
        "0b4_1010 >> 1 = 0b4_0101 & signed(0b4_1010) >> 1 = signed(0b4_1101) & 0b4_1010 << 0ud8_200 = 0b4_0",
        "extend(0b2_10, 2) = 0b4_0010 & extend(signed(0b2_10), 2) = signed(0b4_1110)",
        "resize(signed(0b4_1010), 2) = signed(0b2_10) & resize(0b4_1010, 3) = 0b3_010",
        "swconst(-1, 4) = -0sd4_1 & uwconst(5, 4) = 0ud4_5 & toint(swconst(-3, 4)) = -3 & toint(0ud4_15) = 15",
        "1.5 + 1 = f'5/2 & 1.5e1 = 15 & floor(2.5) = 2 & 7 / 2.0 = 3.5",
        "abs(-3) = 3 & max(1, 2) = 2 & min(1, 2) = 1",
        "READ(WRITE(CONSTARRAY(array integer of word[2], 0ud2_1), 3, 0ud2_2), 3) = 0ud2_2",
        "[[1, 2], [3, 4]] = [[1, 2], [3, 4]] & [1, 2] != [1, 3] & sizeof(0sd5_3) + sizeof(0b3_1 :: 0b_1) = 9",
        "6 in {2} union (3 union ({4} union 5)) union 6 & !(1 in {2} union (3 union {4}))",
        "[1, 2, 3][1] = 2 & [[1], [2]][1][0] = 2",
        "-- a comment\n TRUE /-- and\n another --/ & TRUE",
    ];
    for text in truths {
        assert!(holds(text), "{text}");
    }
}

#[test]
fn modules() {
    let text = "MODULE cell(carry)
        VAR value : boolean;
        DEFINE out := value & carry;
        ASSIGN init(value) := FALSE; next(value) := value xor carry;
        MODULE main
        VAR b0 : cell(TRUE); b1 : cell(b0.out); b2 : cell(b1.out);
        INVARSPEC !b2.out;
        INVARSPEC NAME both := !(b0.value & next(b1.value));
        SPEC AG (b0.value -> TRUE)";
    assert_eq!(judged(text), [Some(7), Some(2), None]);
    let text = "MODULE reader(other) DEFINE seen := other.x; MODULE main VAR x : boolean; r : reader(self);
        INIT !x; TRANS next(x) = !x; INVARSPEC !r.seen";
    assert_eq!(judged(text), [Some(1)]);
}

#[test]
fn nondeterminism_and_kinds_of_variables() {
    let text = "MODULE main
        VAR light : {red, yellow, green}; other : {green, blue};
        IVAR go : boolean;
        FROZENVAR fast : boolean;
        ASSIGN init(light) := {red, yellow};
          next(light) := case go & fast : green; go : {yellow} union light; TRUE : light; esac;
          other := light = green ? green : blue;
        INVARSPEC light != green;
        INVARSPEC !(light = other);
        INVARSPEC light in {red, yellow, green};
        INVARSPEC !fast -> light != green;";
    assert_eq!(judged(text), [Some(1), Some(1), None, None]);
}

#[test]
fn arrays_over_ranges() {
    let text = "MODULE main VAR a : array 1..3 of boolean; i : word[2]; j : word[2];
        INIT !a[1] & !a[2] & !a[3] & i = 0ud2_1; TRANS next(i) = i + 0ud2_1;
        TRANS next(a[1]) = (i = 0ud2_1 | a[1]); TRANS next(a[2]) = a[1]; TRANS next(a[3]) = a[2];
        INVAR i != 0ud2_0; INVAR j = i;
        INVARSPEC !a[j]; INVARSPEC !a[2];";
    assert_eq!(judged(text), [None, Some(2)]);
}

#[test]
fn temporal_formulas() {
    let text = "MODULE main VAR p : boolean; q : boolean;
        JUSTICE p; COMPASSION (p, q);
        LTLSPEC G (p -> F q) & X !q | p U q V p;
        LTLSPEC NAME past := H (p -> O q) & (Y p S Z q) & p T q;";
    let mut terms = Terms::new();
    let system = systems("smv", &mut terms, text).remove(0);
    let text = smt::print::term_text(&terms, system.properties[0].formulas()[0]);
    let formula = "(or (and (ltl.G (=> p ?2)) (ltl.X (not q))) (ltl.R (ltl.U p q) p))";
    let fair = "(let ((?1 (ltl.G (ltl.F p))) (?2 (ltl.F q))) (or (not (and ?1 (or (not ?1) (ltl.G ?2))))";
    assert_eq!(text, format!("{fair} {formula}))"));
    assert_eq!(system.properties[1].name.as_deref(), Some("past"));
    let again = written("smv", &mut terms, vec![system.clone()]);
    let second = systems("smv", &mut terms, &again).remove(0);
    assert_eq!(second.properties.len(), 2);
}

/// The first property of a model, as it is written.
fn first(model: &str) -> String {
    let mut terms = Terms::new();
    let system = systems("smv", &mut terms, &format!("MODULE main\n{model}")).remove(0);
    smt::print::term_text(&terms, system.properties[0].formulas()[0])
}

#[test]
fn branching_time() {
    let truths = [
        ("AG (p -> AF q)", "(ltl.G (or (not p) (ltl.F q)))"),
        ("AG AF p & AX !p", "(and (ltl.G (ltl.F p)) (ltl.X (not p)))"),
        ("!EF (p & EX q)", "(ltl.G (or (not p) (ltl.X (not q))))"),
        ("!(p & EG q)", "(or (not p) (ltl.F (not q)))"),
        ("A [p U q]", "(ltl.U p q)"),
        ("!E [p U q]", "(not (ltl.U p q))"),
        ("A [p U !p & AF q]", "(ltl.U p (and (not p) (ltl.F q)))"),
        ("p", "p"),
        ("AG p", "p"),
    ];
    for (text, expected) in truths {
        assert_eq!(first(&format!("VAR p : boolean; q : boolean; SPEC {text}")), expected, "{text}");
    }
    let fair = first("VAR p : boolean; FAIRNESS p SPEC AG p");
    assert_eq!(fair, "(or (not (ltl.G (ltl.F p))) (ltl.G p))");
}

#[test]
fn bounded_steps() {
    let text = first("VAR p : boolean; LTLSPEC F [1, 2] p");
    assert_eq!(text, "(ltl.X (or p (ltl.X p)))");
    let text = first("VAR p : boolean; LTLSPEC H [0, 1] p");
    assert_eq!(text, "(and p (ltl.Z p))");
}

/// Who does not take a step keeps what only it assigns.
#[test]
fn processes_take_turns() {
    let text = "MODULE main
        VAR x : word[2]; y : boolean; a : process step(x); b : process step(x); c : both;
        ASSIGN init(x) := 0ud2_0; init(y) := FALSE; next(y) := TRUE;
        INVARSPEC x != 0ud2_2;
        INVARSPEC !(y & x = 0ud2_1);
        INVARSPEC !(a.running & b.running) & !(running & a.running);
        INVARSPEC running | a.running | b.running;
        INVARSPEC y -> !c.idle;
        INVARSPEC x = 0ud2_1 -> c.idle;
        MODULE step(v) ASSIGN next(v) := v + 0ud2_1;
        MODULE both VAR idle : boolean; ASSIGN init(idle) := TRUE; next(idle) := FALSE;";
    assert_eq!(judged(text), [Some(2), Some(2), None, None, None, Some(2)]);
}

#[test]
fn modules_take_over_others() {
    let text = "MODULE cell VAR value : boolean; ASSIGN init(value) := FALSE;
        MODULE flips ISA cell ASSIGN next(value) := !value;
        MODULE main VAR f : flips; INVARSPEC !f.value";
    assert_eq!(judged(text), [Some(1)]);
}

#[test]
fn constants_that_are_equal_are_one() {
    let text = "MODULE main CONSTANTS c, d; VAR x : {a, b, a, b}; INVARSPEC x = a | x = b; INVARSPEC x = a";
    assert_eq!(judged(text), [None, Some(0)]);
}

#[test]
fn numbers_among_symbolic_constants() {
    let text = "MODULE main VAR x : {0, idle, 1}; y : {3, idle}; b : boolean;
        ASSIGN init(x) := 0;
          next(x) := case x = 0 : b ? 1 : 0; x = 1 : {idle, 1} union (b ? 0 : 1); TRUE : 0..1; esac;
        INVARSPEC x in 0..1 | x = idle; INVARSPEC x != idle; INVARSPEC x = y -> x = idle; INVARSPEC y = 3;
        INVARSPEC x in 0..3 | x = idle;";
    assert_eq!(judged(text), [None, Some(2), None, Some(0), None]);
}

/// What older versions of the language allow.
#[test]
fn truth_values_as_numbers() {
    let text = "MODULE main VAR x : boolean; y : {FALSE, TRUE}; p : copy(1);
        DEFINE z := case x : 0; 1 : 1; esac;
        ASSIGN init(x) := 0; next(x) := case y = 1 & p.on = 1 : {0, 1}; 1 : 0; esac;
        INVARSPEC x = 0; INVARSPEC !x = z & (z | x); INVARSPEC x -> !z;
        MODULE copy(c) DEFINE on := c;";
    assert_eq!(judged(text), [Some(1), None, None]);
}

#[test]
fn refused() {
    let bad = |text: &str| complaints("smv", &format!("MODULE main\n{text}")).remove(0);
    assert!(bad("VAR x : boolean\n y : boolean;").starts_with("SMV001 `y` expected `;`, found `y`"));
    // What is fair does not look for a property that there is not.
    for spec in ["SPEC x", "SPEC AG x", "SPEC AF x", "LTLSPEC F x"] {
        assert!(bad(&format!("VAR x : 0..3; FAIRNESS x = 1; {spec}")).starts_with("SMV002"), "{spec}");
    }
    assert!(bad("VAR x : boolean; INIT (x").starts_with("SMV001 `` expected `)`, found the end"));
    assert!(bad("VAR x : boolean; INIT x & ;").starts_with("SMV001 `;` expected an expression"));
    assert!(bad("VAR x : boolean; INIT x € x").starts_with("SMV001 `€`"));
    assert!(bad("VAR x : word[8]; INIT x = 0").contains("unsigned word[8] and integer do not go together"));
    assert!(bad("VAR x : boolean; INIT y").starts_with("SMV002 `y` `y` is not declared"));
    assert!(bad("VAR x : integer; INIT x-1 = 2").contains("`x-1` is not declared"));
    assert!(bad("VAR x : boolean; x : integer;").contains("declared twice"));
    assert!(bad("DEFINE a := b; b := !a;").contains("is defined by itself"));
    assert!(bad("VAR x : boolean; INIT next(x)").contains("`next` in INIT"));
    assert!(bad("VAR x : boolean; TRANS next(next(x))").contains("`next` inside of `next`"));
    assert!(bad("IVAR x : boolean; TRANS next(x)").contains("has no next value"));
    assert!(bad("IVAR x : boolean; INIT x").contains("an input cannot occur in INIT"));
    assert!(bad("VAR x : other;").contains("no module or type `other`"));
    assert!(bad("VAR x : process {a, b};").starts_with("SMV001 `process` a process is an instance"));
    assert!(bad("ISA other").contains("no module `other`"));
    assert!(bad("ISA main").contains("takes itself over"));
    assert!(bad("VAR x : 0..1; INIT x & 2 = 2").contains("do not go together"));
    assert!(bad("VAR x : boolean; INIT x = 2").contains("boolean and integer do not go together"));
    assert!(bad("VAR x : boolean; LTLSPEC F [3, 2] x").contains("the steps 3 to 2 are none"));
    assert!(bad("VAR x : boolean; SPEC AG (AF AG x)").starts_with("SMV003"));
    assert!(bad("VAR x : boolean; SPEC AF x | AG x").starts_with("SMV003"));
    assert!(bad("VAR x : boolean; SPEC E [x U x]").starts_with("SMV003"));
    assert!(bad("VAR x : boolean; COMPASSION (x, !x) SPEC AG x").starts_with("SMV003"));
    assert!(bad("VAR x : boolean; CTLSPEC EF x").starts_with("SMV003"));
    assert!(bad("VAR x : boolean; COMPUTE MIN [x, x]").starts_with("SMV003 `COMPUTE`"));
    assert!(bad("VAR x : {a, -1};").starts_with("SMV003"));
    assert!(bad("VAR x : boolean; SPEC ABF 0..2 x").starts_with("SMV003 `ABF`"));
    assert!(bad("VAR x : boolean; SPEC A [x BU 0..2 !x]").starts_with("SMV003 `BU`"));
    assert!(
        bad("VAR x : array 0..2 of boolean; y : array 1..3 of boolean; INIT x = y")
            .contains("different indices")
    );
    assert!(bad("VAR x : array 0..2 of boolean; ASSIGN init(x) := x;").starts_with("SMV003"));
    assert!(bad("VAR w : word[4]; INIT \"sizeof\"(w) = 4").contains("no function `sizeof`"));
    assert!(bad("VAR x : {a, 1}; n : integer; INIT x = n").contains("do not go together"));
    assert!(bad("VAR x : {a, 1}; INIT x < 2").contains("do not go together"));
    assert!(bad("VAR x : clock;").contains("clock"));
    assert!(bad("VAR x : 0..3; INIT x = {1, 2}").contains("a set of values cannot be used here"));
    assert!(bad("VAR x : word[4]; INIT x[4:1] = 0ud4_0").contains("are not in a word of 4 bits"));
    assert!(bad("INIT 0ud2_4 = 0ud2_0").contains("does not fit into 2 bits"));
    assert!(
        complaints("smv", "MODULE m(a) VAR x : m(a); MODULE main VAR y : m(1);")[0]
            .contains("too many instances")
    );
    assert!(complaints("smv", "MODULE other MODULE another")[0].contains("no module `main`"));
    assert!(complaints("smv", "@TIME_DOMAIN continuous MODULE main")[0].starts_with("SMV003 `@`"));
    assert!(complaints("smv", "VAR x : boolean;")[0].starts_with("SMV001 `VAR` expected `MODULE`"));
}

/// Words between quotes are names.
#[test]
fn keywords_between_quotes() {
    let text =
        "MODULE main VAR \"TRUE\" : {\"FALSE\", \"self\"}; b : {TRUE, FALSE}; a : array 0..1 of boolean;
        ASSIGN init(\"TRUE\") := \"self\"; next(\"TRUE\") := {\"FALSE\", \"self\"}; INIT a = [b, TRUE]
        INVARSPEC \"TRUE\" = \"self\"; INVARSPEC a[1]; INVARSPEC b;";
    assert_eq!(judged(text), [Some(1), Some(1), Some(0)]);
}

/// What assignments must not do.
#[test]
fn rules_of_assignments() {
    let whole = |text: &str| format!("MODULE main\n{text}");
    let bad = |text: &str| complaints("smv", &whole(text)).remove(0);
    let good = |text: &str| assert!(read("smv", &mut Terms::new(), &whole(text)).is_ok(), "{text}");
    let rules = [
        ("VAR x : boolean; ASSIGN next(x) := FALSE; next(x) := TRUE;", "assigned twice"),
        ("VAR x : boolean; ASSIGN x := FALSE; x := TRUE;", "assigned twice"),
        ("VAR p : m(x); q : m(x); x : 0..3; MODULE m(v) ASSIGN init(v) := 0;", "assigned twice"),
        ("VAR x : boolean; ASSIGN x := TRUE; init(x) := FALSE;", "has no `init` or `next`"),
        ("VAR x : boolean; ASSIGN next(x) := TRUE; x := FALSE;", "has no `init` or `next`"),
        ("FROZENVAR x : boolean; ASSIGN next(x) := !x;", "only `init` of it"),
        ("FROZENVAR x : boolean; ASSIGN x := TRUE;", "only `init` of it"),
        ("VAR x : boolean; y : boolean; ASSIGN x := !y; y := x;", "through `x`, `y`"),
        ("VAR x : boolean; ASSIGN x := x;", "through `x`"),
        ("VAR x : boolean; DEFINE d := {x, TRUE}; ASSIGN x := d;", "through `x`"),
        ("VAR x : boolean; ASSIGN next(x) := next(x);", "through `next(x)`"),
        (
            "VAR x : boolean; y : boolean; ASSIGN next(x) := next(y); next(y) := !next(x);",
            "`next(x)`, `next(y)`",
        ),
        ("VAR x : boolean; y : boolean; ASSIGN next(x) := next(y); y := !x;", "through `next(x)`, `y`"),
        ("VAR a : array 0..1 of boolean; ASSIGN a[0] := a[1]; a[1] := a[0];", "through `a[0]`, `a[1]`"),
    ];
    for (text, message) in rules {
        let found = bad(text);
        assert!(found.starts_with("SMV004") && found.contains(message), "{text}: {found}");
    }
    let values = [
        ("VAR x : 0..3; ASSIGN init(x) := 5;", "the value 5"),
        ("VAR x : 0..3; ASSIGN x := 1..4;", "the value 4"),
        ("VAR x : 0..3; ASSIGN init(x) := 0; next(x) := x + 1;", "the value 4, if x = 3"),
        (
            "VAR x : 0..3; b : boolean; ASSIGN next(x) := {0, b ? x : 7};",
            "the value 7, if x = 0 and b = FALSE",
        ),
        ("VAR x : {a, b}; y : {c, d}; ASSIGN init(x) := c;", "the value c"),
        ("VAR x : {a, b}; y : {b, d}; ASSIGN next(x) := next(y);", "the value d, if next(y) = d"),
        ("VAR x : 0..3; w : word[2]; ASSIGN next(x) := toint(w) - 1;", "the value -1, if w = 0ud2_0"),
        (
            "VAR x : 0..2; ASSIGN next(x) := case x = 0 : 1; x = 1 : 2; esac;",
            "no condition of the `case` holds, if x = 2",
        ),
        ("VAR x : 0..2; ASSIGN next(x) := case FALSE : {0, 1}; esac;", "no condition of the `case` holds"),
        ("VAR p : m(x); x : 0..3; MODULE m(v) ASSIGN next(v) := v * 2;", "the value 4, if x = 2"),
    ];
    for (text, message) in values {
        let found = bad(text);
        assert!(found.starts_with("SMV005") && found.contains(message), "{text}: {found}");
    }
    assert!(
        bad("VAR x : 5..3;").starts_with("SMV002") && bad("VAR x : 5..3;").contains("from 5 to 3 is empty")
    );
    good("VAR x : 0..3; ASSIGN init(x) := 0; next(x) := (x + 1) mod 4;");
    good("VAR x : 0..3; ASSIGN next(x) := x < 3 ? x + 1 : 0;");
    good("VAR x : 0..2; ASSIGN next(x) := case x = 0 : 1; x = 1 : 2; x = 2 : 0; esac;");
    good("VAR x : boolean; y : boolean; ASSIGN x := y; next(y) := x;");
    good("VAR x : boolean; y : boolean; ASSIGN init(x) := TRUE; next(x) := next(y); next(y) := x;");
    good("VAR x : 3..3; ASSIGN x := 3;");
    // What has no value is not looked at, nor are infinite models, beyond constants.
    good("VAR x : 0..3; y : 0..3; ASSIGN next(x) := y = 0 ? 0 : 3 / y;");
    good("VAR x : 0..3; n : integer; ASSIGN next(x) := x + 1;");
    good("VAR x : 0..3; ASSIGN next(x) := y + 1; VAR y : 0..1000000;");
    assert!(bad("VAR x : 0..3; n : integer; ASSIGN init(x) := 4;").starts_with("SMV005"));
    // In another process there is another assignment to the next value.
    good("VAR p : process m(x); q : process m(x); x : boolean; MODULE m(v) ASSIGN next(v) := !v;");
}

/// Arrays of arrays as expressions, through definitions, and as types; small ones that have very many elements.
#[test]
fn deep_arrays() {
    const DEEP: usize = 100_000;
    let expression = format!("INVARSPEC {}x{} = x", "[".repeat(DEEP), "]".repeat(DEEP));
    let chain = |list: fn(usize) -> String, length: usize| {
        let definitions: Vec<String> = (1..length).map(|i| format!("a{i} := {};", list(i - 1))).collect();
        format!("DEFINE a0 := [x]; {} INVARSPEC a{} = a{}", definitions.concat(), length - 1, length - 1)
    };
    let ty = format!("VAR y : {} boolean;", "array 0..0 of ".repeat(DEEP));
    let texts = [expression, chain(|i| format!("[a{i}]"), 1000), chain(|i| format!("[a{i}, a{i}]"), 30), ty];
    for text in texts {
        let found = complaints("smv", &format!("MODULE main VAR x : boolean; {text}"));
        assert!(found[0].starts_with("SMV003") && found[0].contains(" the array "), "{}", found[0]);
    }
    let fine = format!("MODULE main VAR x : boolean; {}", chain(|i| format!("[a{i}, a{i}]"), 10));
    assert!(read("smv", &mut Terms::new(), &fine).is_ok());
}

#[test]
fn depth_is_no_problem() {
    const DEEP: usize = 100_000;
    let text = format!("MODULE main VAR x : boolean; INVARSPEC {}x{}", "!(".repeat(DEEP), ")".repeat(DEEP));
    assert!(read("smv", &mut Terms::new(), &text).is_ok());
    let mut text = String::from("MODULE main VAR x : boolean; INVARSPEC d99999; DEFINE d0 := x;\n");
    for i in 1..DEEP {
        text.push_str(&format!("d{i} := !d{};\n", i - 1));
    }
    assert!(read("smv", &mut Terms::new(), &text).is_ok());
    let text = format!("MODULE main VAR x : boolean; INVARSPEC {}x", "x -> ".repeat(DEEP));
    assert!(read("smv", &mut Terms::new(), &text).is_ok());
}

/// A system, written and read again, has counterexamples of the same lengths.
#[test]
fn systems_survive() {
    let mut bad = 0;
    for seed in 0..200 {
        let mut terms = Terms::new();
        let system = support::random::system(&mut terms, &mut Rng::new(seed), false);
        let before = verdicts(&terms, &system);
        bad += before.iter().flatten().count();
        let text = written("smv", &mut terms, vec![system]);
        let mut terms = Terms::new();
        let again = systems("smv", &mut terms, &text).remove(0);
        assert_eq!(before, verdicts(&terms, &again), "seed {seed}\n{text}");
    }
    assert!(bad > 50, "{bad} violated");
}

/// Every operator on bit-vectors means the same after it was written and read.
#[test]
fn operators_survive() {
    let two: &[Op] = &[
        Op::BvAnd,
        Op::BvOr,
        Op::BvXor,
        Op::BvNand,
        Op::BvNor,
        Op::BvXnor,
        Op::BvAdd,
        Op::BvSub,
        Op::BvMul,
        Op::BvUdiv,
        Op::BvUrem,
        Op::BvSdiv,
        Op::BvSrem,
        Op::BvSmod,
        Op::BvShl,
        Op::BvLshr,
        Op::BvAshr,
        Op::BvComp,
        Op::Concat,
        Op::BvUlt,
        Op::BvUle,
        Op::BvUgt,
        Op::BvUge,
        Op::BvSlt,
        Op::BvSle,
        Op::BvSgt,
        Op::BvSge,
        Op::BvUaddO,
        Op::BvSaddO,
        Op::BvUsubO,
        Op::BvSsubO,
        Op::BvUmulO,
        Op::BvSmulO,
        Op::BvSdivO,
        Op::Eq,
        Op::Distinct,
    ];
    let one: &[(Op, &[u32])] = &[
        (Op::BvNot, &[]),
        (Op::BvNeg, &[]),
        (Op::BvNegO, &[]),
        (Op::BvRedAnd, &[]),
        (Op::BvRedOr, &[]),
        (Op::ZeroExtend, &[2]),
        (Op::SignExtend, &[2]),
        (Op::RotateLeft, &[1]),
        (Op::RotateRight, &[1]),
        (Op::RotateLeft, &[5]),
        (Op::Repeat, &[3]),
        (Op::Extract, &[1, 1]),
        (Op::UbvToInt, &[]),
        (Op::SbvToInt, &[]),
    ];
    let mut terms = Terms::new();
    let mut system = System::default();
    let sort = terms.sorts.bit_vec(3);
    let (a, b) = (system.add_state(&mut terms, "a", sort), system.add_state(&mut terms, "b", sort));
    let (x, y) = (terms.constant_term(a.now), terms.constant_term(b.now));
    let mut all: Vec<TermId> = two.iter().map(|&op| terms.app(op, &[x, y]).unwrap()).collect();
    all.extend(
        one.iter().map(|&(op, indices)| terms.app_indexed(op, indices, &[x]).unwrap()).collect::<Vec<_>>(),
    );
    // Integers: those of the words, and their quotients.
    let (i, j) = (terms.app(Op::SbvToInt, &[x]).unwrap(), terms.app(Op::SbvToInt, &[y]).unwrap());
    for op in [Op::Add, Op::Sub, Op::Mul, Op::Lt, Op::Ge] {
        all.push(terms.app(op, &[i, j]).unwrap());
    }
    let zero = terms.int(0);
    let nonzero = terms.app(Op::Distinct, &[j, zero]).unwrap();
    for op in [Op::IntDiv, Op::Mod] {
        let quotient = terms.app(op, &[i, j]).unwrap();
        all.push(terms.app(Op::Ite, &[nonzero, quotient, zero]).unwrap());
    }
    all.push(terms.app(Op::Abs, &[i]).unwrap());
    let mut wanted = Vec::new();
    for (index, &term) in all.iter().enumerate() {
        // A property for each term: it is what it is for the first of all values, and so on, in one formula.
        let mut parts = Vec::new();
        for env in assignments(&terms, &[a.now, b.now]) {
            let value = Evaluator::new(&terms).eval(term, &mut env.clone()).unwrap().to_term(&mut terms);
            let equal = terms.app(Op::Eq, &[term, value]).unwrap();
            let (first, second) =
                (env.get(a.now).unwrap().to_term(&mut terms), env.get(b.now).unwrap().to_term(&mut terms));
            let here = [terms.app(Op::Eq, &[x, first]).unwrap(), terms.app(Op::Eq, &[y, second]).unwrap()];
            let here = terms.and(&here);
            parts.push(terms.app(Op::Implies, &[here, equal]).unwrap());
        }
        let formula = terms.and(&parts);
        wanted.push(terms.op(term).name());
        system.properties.push(Property {
            index: index as u64,
            name: None,
            kind: PropertyKind::Invariant(formula),
        });
    }
    let text = written("smv", &mut terms, vec![system]);
    let mut terms = Terms::new();
    let again = systems("smv", &mut terms, &text).remove(0);
    for (property, name) in again.properties.iter().zip(wanted) {
        let states: Vec<FunId> = again.states.iter().map(|state| state.now).collect();
        for mut env in assignments(&terms, &states) {
            let formula = property.formulas()[0];
            assert!(Evaluator::new(&terms).holds(formula, &mut env).unwrap(), "{name}: {env:?}");
        }
    }
}

/// Odd names, functions, arrays and real numbers.
#[test]
fn other_things_survive() {
    let text = "MODULE main
        VAR \"a b\" : real; \"case\" : integer; mem : array word[2] of array integer of real; \"X\" : boolean;
        FUN f : integer * real -> word[3]; FROZENVAR n : integer;
        INIT \"a b\" = f'1/3 & mem = CONSTARRAY(typeof(mem), CONSTARRAY(array integer of real, 0.5));
        TRANS next(mem) = WRITE(mem, 0ud2_1, WRITE(READ(mem, 0ud2_1), \"case\", \"a b\"));
        INVARSPEC f(\"case\", \"a b\") = 0ud3_1 | \"X\" | floor(\"a b\") > n";
    let mut terms = Terms::new();
    let first = systems("smv", &mut terms, text).remove(0);
    let again = written("smv", &mut terms, vec![first.clone()]);
    let mut other = Terms::new();
    let second = systems("smv", &mut other, &again).remove(0);
    let print = |terms: &Terms, system: &System| -> Vec<String> {
        system.formulas().map(|formula| smt::print::term_text(terms, formula)).collect()
    };
    let names = |system: &System, terms: &Terms| -> usize {
        system
            .formulas()
            .flat_map(|formula| functions(terms, formula))
            .collect::<std::collections::BTreeSet<_>>()
            .len()
    };
    assert_eq!(names(&first, &terms), names(&second, &other));
    assert_eq!(print(&terms, &first).len(), print(&other, &second).len());
}

/// Files of the corpus that are refused: a definition that is there twice, and `WRITE` to an array over a range.
const REFUSED: &[&str] = &["tests-encoders-inputs-smv-counter_boolean.smv", "fifo-enable-check.smv"];

#[test]
fn corpus() {
    let Some(corpus) = testkit::corpus_or_skip("SMV files of the corpus") else { return };
    let (mut good, mut refused) = (0, 0);
    for path in files(&corpus.join("ts/smv"), &["smv"]) {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let mut terms = Terms::new();
        match read("smv", &mut terms, &text) {
            Ok(Model::Systems(all)) => {
                good += 1;
                let again = written("smv", &mut terms, all.clone());
                let again = systems("smv", &mut Terms::new(), &again).remove(0);
                assert_eq!(again.properties.len(), all[0].properties.len(), "{name}");
            }
            Ok(Model::Horn(_)) => panic!("{name}"),
            Err(errors) => {
                refused += 1;
                assert!(REFUSED.contains(&name), "{name}: {:?}", errors[0]);
            }
        }
    }
    eprintln!("SMV: {good} files read, {refused} refused");
    assert!(good > 100);
}
