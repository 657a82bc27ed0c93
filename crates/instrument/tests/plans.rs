//! What is inserted where: programs with the operations of specifications, written before or behind what they belong to.

use cfront::DataModel;
use cfront::cfa::automata;
use instrument::plan::{At, Piece, Plan, When};
use instrument::{ia, plan, specs};

/// The plan for a program, one line per insertion.
fn lines(spec: &str, program: &str) -> (Vec<String>, Plan) {
    let read = ia::parse(specs::named(spec).map_or(spec, |shipped| shipped.text), 0);
    assert!(read.findings.is_empty(), "{:?}", read.findings);
    let mut unit = cfront::parse(program.as_bytes(), 0, DataModel::Lp64);
    assert!(!unit.is_bad(), "{:?}", unit.findings);
    let cfas = automata(&unit);
    let plan = plan(&mut unit, &cfas, &read.spec);
    let text = |span: diag::Span| &program[span.start as usize..span.end as usize];
    let lines = plan.insertions.iter().map(|insertion| {
        let at = match insertion.at {
            At::Entry => "entry",
            At::Head(_) => "head",
            At::Edge(_, When::Before) => "before",
            At::Edge(_, When::After) => "after",
        };
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => text.to_string(),
            Piece::Result => "RESULT".to_owned(),
            Piece::Capture(expr) => format!("<{}>", text(unit.exprs[*expr].span)),
        };
        let body: String = insertion.text.iter().map(piece).collect();
        let name = unit.name(unit.entities[unit.functions[insertion.function].entity].name);
        format!("{name} {at}: {body}")
    });
    (lines.collect(), plan)
}

/// What a specification that prints what it captures prints for a function's body.
fn captured(pattern: &str, body: &str) -> Vec<String> {
    let spec = format!("automaton a {{ initial state q : true {{ on {pattern}; }} }}");
    let program = format!(
        "void *malloc(unsigned long); void free(void *); struct s {{ char c; short h; int b : 3; unsigned u : 31; int t[4]; }};
         int f(int, ...); int x, y, a[3], m[2][5]; char c; short h; unsigned u; long l; double d; int *p; struct s s;
         int (*g)(int, ...); void (*v)(void *) = free; enum {{ ONE }} e;
         int main(void) {{ {body} }}"
    );
    lines(&spec, &program)
        .0
        .into_iter()
        .map(|line| line.trim_start_matches("main before: ").to_owned())
        .collect()
}

#[test]
fn patterns_match_operators_by_type() {
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "$a + $b where op is signed before { $a $b }",
            "x + y; u + x; d + x; p + x; l + u;",
            &["<x> <y>", "<l> <u>"],
        ),
        ("$a + $b where op is unsigned before { $a }", "x + y; u + x; x + sizeof x;", &["<u>", "<x>"]),
        ("$a + $b where op is floating before { $a }", "d + x; x + y;", &["<d>"]),
        ("$a + $b where $a is pointer before { $b }", "p + x; x + y; a + 1;", &["<x>", "<1>"]),
        ("$a - $b where op is integer before { $a }", "p - a; p - x; x - y; p -= 1; p - 0L;", &["<x>"]),
        ("$a + 1 before { $a }", "x + 1; x + 2; 1 + x; x + ONE;", &["<x>"]),
        (
            "$a + $b before { $op.type $op.bits $op.max }",
            "c + h; l + 1; x + 1LL;",
            &["int 32 2147483647", "long 64 9223372036854775807L", "long long 64 9223372036854775807LL"],
        ),
        ("$a + $b before { $op.min }", "s.b + s.u; c + u;", &["(-2147483647 - 1)", "0U"]),
        ("$a << $b before { $op.bits $b.bits }", "c << l; l << c;", &["32 64", "64 32"]),
        (
            "$a++ or ++$a where $a is not narrow before { $a }",
            "c++; ++x; s.b++; s.u++; l++; h++;",
            &["<x>", "<l>"],
        ),
        (
            "$a += $b before { $a $b $op.type }",
            "h += 1; l += x; d += x;",
            &["<h> <1> int", "<l> <x> long", "<d> <x> double"],
        ),
        ("-$a before { $a }", "x = -y; x = 3 - y; x = -1;", &["<y>", "<1>"]),
        ("!$a before { $a }", "x = !y;", &["<y>"]),
        ("$a < $b before { $a $b }", "x = y < 3;", &["<y> <3>"]),
        ("*$q before { $q }", "x = *p; *p = 1;", &["<p>"]),
        ("$_ / $b before { $b }", "x / (y + 1);", &["<(y + 1)>"]),
        ("$a * ($b + $c) before { $a $b $c }", "x * (y + 1); x * y;", &["<x> <y> <1>"]),
        // A conversion that is written is not the operator in it.
        ("$a + $b before { $a }", "l = (long)(x + y);", &["<x>"]),
        ("$a + $b where op is not constant before { $a }", "x = 1 + 2; y = x + 1;", &["<x>"]),
    ];
    for (pattern, body, expected) in cases {
        assert_eq!(captured(pattern, body), *expected, "{pattern} in {body}");
    }
}

#[test]
fn patterns_match_calls_elements_and_assignments() {
    let cases: &[(&str, &str, &[&str])] = &[
        ("f($a, ...) before { $a }", "f(1); f(2, x); g(3);", &["<1>", "<2>"]),
        ("f($a) before { $a }", "f(1); f(2, x);", &["<1>"]),
        ("$f($a) before { $f $a }", "f(1); g(3);", &["<f> <1>", "<g> <3>"]),
        (
            "free($q) before { $q }",
            "free(p); __builtin_free(a); v(p); (*v)(p);",
            &[
                "<p>",
                "<a>",
                "if ((void *)<v> == (void *)free) { <p> }",
                "if ((void *)<(*v)> == (void *)free) { <p> }",
            ],
        ),
        ("malloc($n) before { $n.type }", "p = malloc(x);", &["unsigned long"]),
        (
            "$q = malloc($n) before { $q $n }",
            "p = malloc(3); p = (int *)malloc(x); int *z = malloc(1);",
            &["<p> <3>", "<p> <x>", "z <1>"],
        ),
        (
            "$a[$i] where $a is array before { $i $a.len }",
            "a[x] = 1; y = m[x][y]; p[2] = 1; s.t[1] = 2; 2[a] = 1;",
            &["<x> 3UL", "<x> 2UL", "<y> 5UL", "<1> 4UL", "<2> 3UL"],
        ),
        (
            "$a[$i] where $a is array and op is access before { $i }",
            "p = &a[3]; a[1] = 0; x = (&a[2])[0];",
            &["<1>"],
        ),
        ("$t = $w before { $w }", "x = y; x = y = 1; x += 1;", &["<y>", "<1>", "<y = 1>"]),
    ];
    for (pattern, body, expected) in cases {
        assert_eq!(captured(pattern, body), *expected, "{pattern} in {body}");
    }
}

#[test]
fn comparisons_in_conditions_are_matched() {
    let spec = "automaton a { initial state q : true { on $a < $b before { $a $b }; } }";
    let found = lines(spec, "int main(void) { int x = 0; while (x < 3) x++; if (x < 1 || x) return 1; }").0;
    assert_eq!(
        found,
        ["main before: <x> <3>", "main before: <x> <3>", "main before: <x> <1>", "main before: <x> <1>"]
    );
}

#[test]
fn no_overflow() {
    let program =
        "int main(void) { int x = 1; char c = 2; unsigned u = 3; x = x + c; c++; x++; u++; u = u + 1; x %= 2;
        if (x - 1 > 0 && x / 2) return x << 3; return -x; }";
    let operators: Vec<String> = lines("no-overflow", program)
        .0
        .iter()
        .map(|line| line.matches("reach_error").count().to_string())
        .collect();
    // Of x + c, x++, x - 1, x / 2, x << 3, -x.
    assert_eq!(operators, ["1"; 6]);
}

#[test]
fn all_ends_are_checked() {
    let head = "void exit(int); void _exit(int); void abort(void); void *malloc(unsigned long); int atexit(void (*)(void));
        void __assert_fail(const char *, const char *, unsigned, const char *); _Noreturn void stop(void);
        void f(int c) { if (c == 1) exit(0); if (c == 2) _exit(1); if (c == 3) abort();
          if (c == 4) __assert_fail(\"\", \"\", 1, \"\"); if (c == 5) stop(); }";
    let main = "int main(int c) { f(c); if (c) return 1; }";
    let ends = |program: &str| {
        let (lines, plan) = lines("memory-cleanup", program);
        let is_check = |line: &&String| line.contains("reach_error");
        (lines.iter().filter(is_check).count(), plan)
    };
    assert_eq!(ends(&format!("{head} {main}")).0, 7);
    // Handlers run before the end of `exit` and of `main`, and ours is the last.
    let handler =
        format!("{head} void h(void) {{ }} int main(int c) {{ atexit(h); f(c); if (c) return 1; }}");
    let (count, plan) = ends(&handler);
    assert_eq!(count, 4);
    assert!(
        plan.globals.iter().any(|text| text.starts_with("static void __svarog_end_0(void) {")),
        "{:?}",
        plan.globals
    );
    assert!(matches!(&plan.insertions.iter().find(|i| i.at == At::Entry).expect("a registration").text[..],
        [Piece::Text(text)] if **text == *"atexit(__svarog_end_0);"));
    let (_, plan) = ends("void *malloc(unsigned long); void f(void) { malloc(1); }");
    assert_eq!(plan.findings.len(), 1, "without main nothing is known of the end");
    let (_, plan) = ends("__attribute__((destructor)) void d(void) { } int main(void) { }");
    assert_eq!(plan.findings.len(), 1, "destructors run later");
}

#[test]
fn calls_are_followed() {
    let spec = "automaton a { initial state q : init { on true before { start(); } -> r; }
        state r : true { on f($a) before { first($a); } -> s; }
        state s : true { on g() before { then(); }; } }";
    let program =
        "void f(int); void g(void); void k(void) { g(); f(2); } void h(void) { g(); f(1); g(); k(); }
        void never(void) { f(3); } void later(void) { g(); } void (*p)(void) = later;
        int main(void) { h(); p(); }";
    let found = lines(spec, program).0;
    // In `h` the first call of `g` comes too early; `k` is called afterwards, and `never` never.
    assert_eq!(
        found,
        [
            "k before: then();",
            "h before: first(<1>);",
            "h before: then();",
            "later before: then();",
            "main entry: start();"
        ]
    );
}

#[test]
fn existing_errors_do_not_count() {
    let program = "extern void reach_error(void); void __VERIFIER_assert(int c) { if (!c) reach_error(); }
        int main(void) { __VERIFIER_assert(1); }";
    let renamed = |spec| lines(spec, program).1.renamed.into_iter().map(|(old, _)| old).collect::<Vec<_>>();
    assert_eq!(renamed("no-overflow"), ["__VERIFIER_assert", "reach_error"]);
    assert_eq!(renamed("unreach-call"), [""; 0]);
    let old = "extern void __VERIFIER_error(void); int main(void) { __VERIFIER_error(); }";
    assert_eq!(lines("unreach-call", old).0, ["main before: reach_error();"]);
}

#[test]
fn one_automaton_per_place() {
    let spec = |per: &str, annotation: &str| {
        format!(
            "automaton a per {per} {{ local var int n = 0; initial state q : {annotation} {{ on true before {{ n++; }} -> r; }} state r : false {{ }} }}"
        )
    };
    let program = "void *malloc(unsigned long); int f(int n) { while (n) { n--; do n++; while (n); } return n ? f(n - 1) : 0; }
        int main(void) { for (;;) f(1); malloc(3); malloc(4); }";
    let places = |per, annotation| {
        lines(&spec(per, annotation), program)
            .0
            .iter()
            .map(|line| line.split(':').next().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(places("loop", "loop_head"), ["f head", "f head", "main head"]);
    assert_eq!(places("function", "function_head"), ["f entry", "main entry"]);
    assert_eq!(places("recursion", "function_head"), ["f entry"]);
    let (_, plan) = lines(&spec("loop", "loop_head"), program);
    let names: Vec<&str> = plan.locals.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(names, ["int __svarog_a_n_0 = 0;", "int __svarog_a_n_1 = 0;", "int __svarog_a_n_2 = 0;"]);
    let calls = "automaton a per call malloc($n) { initial state q : init { on malloc($n) before { f($n); } -> r; } state r : false { } }";
    let twice = "void *malloc(unsigned long); int f(int); int main(void) { malloc(3); malloc(4); }";
    assert_eq!(lines(calls, twice).0, ["main before: f(<3>);", "main before: f(<4>);"]);
}
