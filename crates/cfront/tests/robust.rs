//! Whatever the input is, the front end answers: no panic, no overflow of the stack, no quadratic time.

use cfront::{DataModel, parse};
use std::time::Instant;

const PROGRAM: &str = include_str!("data/everything.c");

fn errors(text: &str) -> usize {
    parse(text.as_bytes(), 0, DataModel::Lp64).findings.iter().filter(|f| f.is_error()).count()
}

#[test]
fn everything_is_understood() {
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        let unit = parse(PROGRAM.as_bytes(), 0, model);
        assert!(!unit.is_bad(), "{:#?}", unit.findings);
    }
}

#[test]
fn damaged_programs_are_answered() {
    let words = [
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ";",
        ",",
        "struct",
        "enum",
        "typedef",
        "int",
        "case 1:",
        "({",
        "})",
        "=",
        "...",
        "goto x;",
        "__attribute__((",
        "sizeof",
        "_Generic(",
        "*",
        "?",
        ":",
        "\"",
        "'",
        "0x",
        "1e",
        "do",
        "while(",
        "asm(",
        "static",
        "typeof(",
        "[1 ... 2] =",
        ".a =",
        "__label__ l;",
        "&&",
        "->",
        "#pragma pack(1)\n",
        "# 3 \"f\"\n",
    ];
    let mut rng = testkit::Rng::new(5);
    for _ in 0..1500 {
        let bytes = testkit::mutate(PROGRAM.as_bytes(), &mut rng, &words);
        let unit = parse(&bytes, 7, DataModel::Lp64);
        let end = 7 + bytes.len() as u32;
        for finding in &unit.findings {
            assert!(finding.span.start >= 7 && finding.span.end <= end, "{finding:?}");
        }
        for expr in &unit.exprs {
            assert!(expr.span.start <= expr.span.end && expr.span.end <= end, "{expr:?}");
        }
    }
    for cut in (0..PROGRAM.len()).step_by(7) {
        let _ = parse(&PROGRAM.as_bytes()[..cut], 0, DataModel::Ilp32);
    }
}

/// Every token is left out once.
#[test]
fn one_missing_token_does_not_hide_the_rest() {
    let unit = parse(PROGRAM.as_bytes(), 0, DataModel::Lp64);
    let whole = unit.functions.len();
    let mut lost = 0;
    for token in &unit.tokens {
        let (start, end) = (token.span.start as usize, token.span.end as usize);
        let text = format!("{}{}", &PROGRAM[..start], &PROGRAM[end..]);
        let found = parse(text.as_bytes(), 0, DataModel::Lp64).functions.len();
        lost += usize::from(found + 2 < whole);
    }
    // A lost brace may take what follows with it; nothing else does.
    assert!(lost * 25 < unit.tokens.len(), "{lost} of {} tokens hide functions", unit.tokens.len());
}

fn nested(open: &str, middle: &str, close: &str, depth: usize) -> String {
    format!("int x; void f(void) {{ {}{middle}{} }}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn expressions_and_statements_nest_without_limit() {
    const DEEP: usize = 300_000;
    let start = Instant::now();
    for (open, middle, close) in [
        ("(", "x", ")"),
        ("-(", "x", ")"),
        ("!", "x", ""),
        ("x = ", "1", ""),
        ("x ? x : ", "1", ""),
        ("x ? ", "1", " : 2"),
        ("sizeof ", "x", ""),
        ("(int)", "x", ""),
        ("__extension__ ", "x", ""),
        ("x + (", "x", ")"),
        ("f2(", "x", ")"),
        ("", "x", " + x"),
        ("", "x", ", x"),
    ] {
        assert_eq!(errors(&nested(open, middle, close, DEEP).replace(" }", "; }")), 0, "{open}");
    }
    for (open, close) in [
        ("{", "}"),
        ("if (x) ", ""),
        ("while (x) {", "}"),
        ("for (;;) ", ""),
        ("do ", " while (x);"),
        ("switch (x) default: ", ""),
        ("if (x) ; else ", ""),
        ("{ int y;", "}"),
    ] {
        assert_eq!(errors(&nested(open, ";", close, DEEP)), 0, "{open}");
    }
    assert!(start.elapsed().as_secs() < 100, "{:?}", start.elapsed());
}

#[test]
fn what_nests_otherwise_has_a_limit_with_a_place() {
    let wrap = |open: &str, middle: &str, close: &str| {
        format!("{}{middle}{}", open.repeat(20_000), close.repeat(20_000))
    };
    let texts = [
        format!("int {};", wrap("(", "x", ")")),
        format!("int {};", wrap("(*", "x", ")(void)")),
        format!("int a = {};", wrap("{", "1", "}")),
        format!("{};", wrap("struct { ", "int x;", "} y;")),
        format!("void f(void) {{ {}; }}", wrap("({ ", "1", "; })")),
        format!("int a[{}];", wrap("sizeof(int[", "1", "])")),
        format!("int f({});", wrap("int (", "", ")")),
        format!("int x = {};", wrap("_Generic(", "1", ", default: 1)")),
        format!("void f(void) {{ {} }}", wrap("void g(void) { ", "", "}")),
        format!("{} x;", wrap("typeof(", "int", ")")),
    ];
    for text in texts {
        let unit = parse(text.as_bytes(), 0, DataModel::Lp64);
        let codes: Vec<&str> = unit.findings.iter().map(|f| f.code.name()).collect();
        assert!(codes.contains(&"C004"), "{}: {codes:?}", &text[..40]);
    }
    // Long, not deep.
    assert_eq!(errors(&format!("int {}x;", "*".repeat(300_000))), 0);
    assert_eq!(errors(&format!("int x = 1{};", "\n+1".repeat(300_000))), 0);
    assert_eq!(errors(&format!("char *s = {};", "\"a\"".repeat(300_000))), 0);
    assert_eq!(errors(&format!("int a[] = {{ {} }};", "1,".repeat(300_000))), 0);
}

#[test]
fn types_as_deep_as_typedefs_make_them() {
    let mut text = String::from("enum e { E }; typedef enum e t0; typedef unsigned u0;\n");
    for i in 1..20_000 {
        let j = i - 1;
        text.push_str(&format!("typedef t{j} (*t{i})(t{j}); typedef u{j} (*u{i})(u{j});\n"));
    }
    text.push_str("t19999 a; u19999 b; int f(void) { return a == b; } extern t19999 c; extern u19999 c; extern u19998 c;");
    let unit = parse(text.as_bytes(), 0, DataModel::Lp64);
    let codes: Vec<&str> = unit.findings.iter().map(|f| f.code.name()).collect();
    assert_eq!(codes, ["C008"], "{:?}", unit.findings);
}
