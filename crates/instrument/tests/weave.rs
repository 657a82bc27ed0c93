//! Plans made by hand, woven into programs: the text is accepted by the compiler, does what it did, and can be stripped.

use cfront::ast::{ExprId, ExprKind, FunctionId, Unit};
use cfront::cfa::{Cfa, EdgeId, Op};
use cfront::{DataModel, parse};
use diag::{Diagnostic, Span};
use instrument::plan::{At, Insertion, Piece, Plan, When};
use instrument::weave::{Program, StripError, Woven, strip, weave};
use std::process::Command;
use testkit::{Folder, Rng};

const EVERYTHING: &str = include_str!("data/everything.c");

fn read(text: &[u8]) -> (Unit, Vec<Cfa>) {
    let unit = parse(text, 0, DataModel::Lp64);
    assert!(!unit.is_bad(), "{:?}", unit.findings);
    let cfas = cfront::cfa::automata(&unit);
    (unit, cfas)
}

fn woven(text: &[u8], plan: impl Fn(&mut Unit, &[Cfa]) -> Plan) -> Result<Woven, Vec<Diagnostic>> {
    let (mut unit, cfas) = read(text);
    let plan = plan(&mut unit, &cfas);
    let result = weave(Program { unit: &mut unit, text, base: 0, original: None, cfas: &cfas }, &plan);
    if let Ok(woven) = &result {
        assert_eq!(strip(&woven.text).as_deref(), Ok(text), "{}", String::from_utf8_lossy(&woven.text));
        for piece in &woven.pieces {
            assert!(piece.output.0 <= piece.output.1 && piece.output.1 <= woven.text.len());
        }
    }
    result
}

fn edges(cfas: &[Cfa]) -> Vec<(FunctionId, EdgeId, Op)> {
    let all =
        cfas.iter().flat_map(|cfa| cfa.edges.iter_enumerated().map(|(id, edge)| (cfa.function, id, edge.op)));
    all.collect()
}

fn insertion(function: FunctionId, at: At, text: Vec<Piece>, reads_locals: bool) -> Insertion {
    Insertion { function, at, text, reads_locals, from: Span::default() }
}

fn text(text: &str) -> Piece {
    Piece::Text(text.into())
}

/// The operands of the operators that a check is about.
fn operands(unit: &mut Unit, expr: ExprId) -> Option<Vec<ExprId>> {
    use cfront::ast::UnaryOp as U;
    let ty = unit.operation_type(expr);
    ty.filter(|&ty| unit.types.int_kind(ty).is_some())?;
    match unit.exprs[expr].kind {
        ExprKind::Binary(_, left, right) | ExprKind::CompoundAssign(_, left, right) => {
            Some(vec![left, right])
        }
        ExprKind::Unary(U::Neg | U::PreInc | U::PreDec | U::PostInc | U::PostDec, inner) => Some(vec![inner]),
        _ => None,
    }
}

/// Before each operator on integers its operands are counted.
fn probes(unit: &mut Unit, cfas: &[Cfa]) -> Plan {
    let mut plan = Plan { globals: vec!["static long probed;".into()], ..Plan::default() };
    for (function, edge, op) in edges(cfas) {
        let Op::Eval(expr) = op else { continue };
        let Some(operands) = operands(unit, expr) else { continue };
        let mut pieces = vec![text("probed = probed")];
        for operand in operands {
            pieces.extend([text(" + (("), Piece::Capture(operand), text(") > 1)")]);
        }
        pieces.push(text(";"));
        plan.insertions.push(insertion(function, At::Edge(edge, When::Before), pieces, false));
    }
    plan
}

/// The output and exit status of a program.
fn run(folder: &Folder, name: &str, source: &[u8]) -> (Option<i32>, String) {
    let (file, program) = (folder.write(&format!("{name}.c"), source), folder.0.join(name));
    let compiled = Command::new("cc")
        .args(["-std=gnu17", "-w", "-O0", "-fwrapv", "-o"])
        .arg(&program)
        .arg(&file)
        .output();
    let compiled = compiled.expect("a compiler");
    assert!(
        compiled.status.success(),
        "{}\n{}",
        String::from_utf8_lossy(&compiled.stderr),
        String::from_utf8_lossy(source)
    );
    let output = Command::new(&program).output().expect("it runs");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn checked_operators_do_what_they_did() {
    let folder = Folder::new("weave-probes");
    let before = run(&folder, "before", EVERYTHING.as_bytes());
    let woven = woven(EVERYTHING.as_bytes(), probes).expect("every operator has a place");
    assert_eq!(run(&folder, "after", &woven.text), before, "{}", String::from_utf8_lossy(&woven.text));
    assert!(before.1.len() > 100);
}

/// A counter at every loop head, which is a variable of the function, and one at every entry.
fn counters(_: &mut Unit, cfas: &[Cfa]) -> Plan {
    let mut plan = Plan { globals: vec!["static long entries;".into()], ..Plan::default() };
    for cfa in cfas {
        plan.locals.push((cfa.function, "long rounds = 0;".into()));
        plan.insertions.push(insertion(cfa.function, At::Entry, vec![text("entries++;")], false));
        for head in &cfa.heads {
            let pieces = vec![text("rounds++; if (rounds > 1000000) abort();")];
            plan.insertions.push(insertion(cfa.function, At::Head(head.at), pieces, true));
        }
        for exit in &cfa.exits {
            let pieces = vec![text("printf(\"<%ld>\", rounds);")];
            plan.insertions.push(insertion(cfa.function, At::Edge(exit.edge, When::Before), pieces, true));
        }
    }
    plan
}

#[test]
fn heads_are_passed_as_often_as_conditions() {
    let folder = Folder::new("weave-heads");
    let program = "extern int printf(const char *, ...);\nint f(int n) {\n  int i = 0;\n  while (i < n) i++;\n  \
        for (i = 0; i < n; i++) { if (i == 1) continue; if (i == 4) break; }\n  do i--; while (i > 0);\n\
        L: if (++i < 5) goto L;\n  for (;;) { if (n++ > 8) break; }\n  for (; n < 20; n++);\n  return i + n; }\n\
        int main(void) { int i; for (i = 0; i < 7; i += 3) printf(\"%d\\n\", f(i)); return 0; }\n";
    let woven = woven(program.as_bytes(), counters).expect("every head has a place");
    let (status, output) = run(&folder, "heads", &woven.text);
    assert_eq!(status, Some(0));
    // Counted by hand: conditions, bodies of `do`, passes of the label, rounds of the endless loop.
    let plain = run(&folder, "plain", program.as_bytes()).1;
    let without: String =
        output.split('<').map(|part| part.split_once('>').map_or(part, |(_, rest)| rest)).collect();
    assert_eq!(without, plain);
    let counts: Vec<i64> = output
        .split('<')
        .skip(1)
        .filter_map(|part| part.split_once('>').and_then(|(count, _)| count.parse().ok()))
        .collect();
    assert_eq!(counts, expected_counts(), "{}", String::from_utf8_lossy(&woven.text));
}

/// The same program with the counters written by hand.
fn expected_counts() -> Vec<i64> {
    let mut counts = Vec::new();
    let mut calls = 0;
    for start in [0, 3, 6] {
        calls += 1;
        let (mut n, mut count) = (start, 0);
        count += n + 1; // while
        let mut i = 0;
        loop {
            count += 1;
            if i >= n || i == 4 {
                break;
            }
            i += 1;
        }
        loop {
            count += 1;
            i -= 1;
            if i <= 0 {
                break;
            }
        }
        loop {
            count += 1;
            i += 1;
            if i >= 5 {
                break;
            }
        }
        loop {
            count += 1;
            n += 1;
            if n - 1 > 8 {
                break;
            }
        }
        while n < 20 {
            count += 1;
            n += 1;
        }
        count += 1;
        counts.push(count);
    }
    counts.push(calls + 1);
    counts
}

#[test]
fn ends_of_loops_are_not_passed_by_break() {
    let folder = Folder::new("weave-ends");
    let program = "extern int printf(const char *, ...);\nint main(void) {\n int i;\n\
        for (i = 0; i < 5 && i != 7; i++) if (i == 3) break;\n\
        for (i = 0; i < 2; i++) if (i == 3) break;\n\
        while (i < 9) { if (i == 8) break; i++; }\n while (i < 10 || i > 20) i++;\n\
        do { if (i == 12) break; i++; } while (i < 12);\n do { if (i == 14) break; i++; } while (i);\n\
        if (i == 14) printf(\"yes\"); if (i) ; else printf(\"no\"); return 0; }\n";
    let plan = |unit: &mut Unit, cfas: &[Cfa]| {
        let mut plan = Plan::default();
        for (function, edge, op) in edges(cfas) {
            let Op::Assume(expr, truth) = op else { continue };
            // Those that leave a loop or branch have no edge of the same condition behind them.
            let what = if truth { "+" } else { "-" };
            let at = unit.exprs[expr].span.start;
            let line = program[..at as usize].matches('\n').count();
            let shared = if (3..5).contains(&line) || line == 6 { String::new() } else { format!("{at}") };
            let pieces = vec![text(&format!("printf(\"({line}{what}{shared})\");"))];
            plan.insertions.push(insertion(function, At::Edge(edge, When::After), pieces, false));
        }
        plan
    };
    let woven = woven(program.as_bytes(), plan).expect("every condition has a place");
    let shown = String::from_utf8_lossy(&woven.text).into_owned();
    let (_, output) = run(&folder, "ends", &woven.text);
    let minus = |line: usize| output.matches(&format!("({line}-")).count();
    // Line 3: left by `break`; line 4: by its condition, after two rounds without a break.
    assert!(output.contains("(4-)"), "{output}\n{shown}");
    assert_eq!(minus(4), 3, "{output}\n{shown}");
    assert!(output.contains("yes"), "{output}");
}

#[test]
fn random_edits_can_be_stripped() {
    let mut rng = Rng::new(7);
    let mut done = 0;
    for round in 0..120 {
        // Bytes around the program that are no text, and line ends of all kinds.
        let mut source = EVERYTHING.replace('\n', if rng.bool() { "\r\n" } else { "\n" }).into_bytes();
        if rng.bool() {
            source.extend_from_slice(b"/* \xff\xfe /*@0{ /*@17 */");
        }
        if rng.bool() {
            source.extend_from_slice(b"// /*@1 no final newline /*@2}");
        }
        let plan = |unit: &mut Unit, cfas: &[Cfa]| {
            let mut rng = Rng::new(round);
            let mut plan = counters(unit, cfas);
            plan.insertions.retain(|_| rng.bool());
            plan.insertions.extend(probes(unit, cfas).insertions.into_iter().filter(|_| rng.bool()));
            plan.globals.push("static long probed;".into());
            for (function, edge, op) in edges(cfas) {
                if rng.one_in(4) && matches!(op, Op::Assume(..) | Op::Call(_) | Op::Return(_)) {
                    let pieces = vec![text("probed = 1;")];
                    plan.insertions.push(insertion(function, At::Edge(edge, When::Before), pieces, false));
                }
            }
            if rng.bool() {
                plan.renamed.push(("next".into(), "__svarog_next".into()));
            }
            plan
        };
        match woven(&source, plan) {
            Ok(woven) => {
                done += 1;
                // An output is an input like any other.
                let again = super_woven(&woven.text);
                assert_eq!(strip(&again).as_deref(), Ok(&woven.text[..]));
            }
            Err(problems) => panic!("{problems:?}"),
        }
    }
    assert!(done > 100);
}

fn super_woven(source: &[u8]) -> Vec<u8> {
    woven(source, probes).expect("an output can be instrumented").text
}

#[test]
fn what_is_no_output_cannot_be_stripped() {
    assert_eq!(strip(b"int x;"), Err(StripError::NoOutput));
    let woven = woven(b"int f(int a) { return a + 1; }", probes).expect("it has a place");
    let broken: Vec<u8> = String::from_utf8_lossy(&woven.text).replacen("}*/", "*/", 1).into_bytes();
    assert!(matches!(strip(&broken), Err(StripError::Broken(_) | StripError::Open(_))));
}

#[test]
fn operations_without_a_place_are_reported() {
    let source = b"int a[9]; int f(int n) { return n && (a[n++] += n); }";
    let plan = |unit: &mut Unit, cfas: &[Cfa]| {
        let mut plan = Plan::default();
        for (function, edge, op) in edges(cfas) {
            if matches!(op, Op::Eval(expr) if matches!(unit.exprs[expr].kind, ExprKind::CompoundAssign(..))) {
                let pieces = vec![text("if (n > 3) reach_error();")];
                plan.insertions.push(insertion(function, At::Edge(edge, When::Before), pieces, true));
            }
        }
        plan
    };
    let problems = woven(source, plan).expect_err("it is refused");
    assert_eq!(problems[0].code, diag::codes::W001);
    assert!(problems[0].message.contains("an operand has effects"), "{}", problems[0].message);
}

#[test]
fn declarations_of_labels_stay_first() {
    let folder = Folder::new("weave-labels");
    let source = "int main(void) { __label__ a, b; __label__ c; int n = 3;\n a: if (n-- > 0) goto a; goto c; b: c: return n + 1; }";
    let plan = |_: &mut Unit, cfas: &[Cfa]| {
        let mut plan = Plan::default();
        for cfa in cfas {
            plan.locals.push((cfa.function, "long rounds = 0;".into()));
            plan.insertions.push(insertion(cfa.function, At::Entry, vec![text("rounds = 1;")], true));
        }
        plan
    };
    let woven = woven(source.as_bytes(), plan).expect("it has a place");
    assert_eq!(run(&folder, "labels", &woven.text).0, Some(0));
}

#[test]
fn names_of_an_entity_are_renamed_and_no_others() {
    let source = b"void err(void); struct err { int err; }; void err(void) { }\nint f(int x) { int err = x; struct err s; s.err = err; return s.err; }\nvoid g(void) { err(); (*&err)(); }";
    let plan =
        |_: &mut Unit, _: &[Cfa]| Plan { renamed: vec![("err".into(), "old_err".into())], ..Plan::default() };
    let woven = woven(source, plan).expect("it has a place");
    let text = String::from_utf8_lossy(&woven.text).into_owned();
    assert_eq!(text.matches("old_err").count(), 4, "{text}");
}
