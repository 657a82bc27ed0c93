//! What is wrong with a script, and where: `errors.txt` holds inputs with the diagnostics they get.
//!
//! A case is an input of one or more lines, followed by a line `> line:column CODE message [help]` for each
//! diagnostic; cases are separated by empty lines, and lines that begin with `;;` are headings. `BLESS=1` writes the
//! diagnostics of today into the file, to be read as carefully as code.

mod common;

use common::{Kernel, shown};
use std::fmt::Write;
use std::path::Path;

/// The diagnostics of a script, read as VMT-LIB if its first comment says so.
fn diagnose(input: &str) -> Vec<String> {
    let mut kernel = if input.starts_with("; vmt") { Kernel::vmt() } else { Kernel::new() };
    let (_, errors) = kernel.read(input);
    shown(input, &errors)
}

#[test]
fn every_case_is_reported_as_written() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors.txt");
    let text = std::fs::read_to_string(&path).expect("the cases are beside this file");
    let (mut today, mut found) = (Vec::new(), String::new());
    for case in text.split("\n\n") {
        let (headings, rest): (Vec<&str>, Vec<&str>) = case.lines().partition(|line| line.starts_with(";;"));
        let input: Vec<&str> = rest.iter().copied().filter(|line| !line.starts_with("> ")).collect();
        let mut lines: Vec<String> = headings.iter().chain(&input).map(ToString::to_string).collect();
        if !input.is_empty() {
            let diagnostics = diagnose(&input.join("\n"));
            let _ = write!(found, "{}", diagnostics.join(" "));
            lines.extend(diagnostics.iter().map(|line| format!("> {line}")));
        }
        today.push(lines.join("\n"));
    }
    let today = today.join("\n\n") + "\n";
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &today).expect("the cases can be written");
    } else {
        let differs = text.lines().zip(today.lines()).find(|(old, new)| old != new);
        assert_eq!(differs, None, "a diagnostic changed; BLESS=1 accepts it");
        assert_eq!(text, today, "a diagnostic changed; BLESS=1 accepts it");
    }
    // Two codes are about bytes, not about scripts: `diag` tests them. Most of VMT-LIB is the business of `formats`.
    let missing: Vec<&str> = diag::codes::CODES
        .iter()
        .map(|info| info.code.name())
        .filter(|code| code.starts_with("SMT") || ["VMT001", "VMT002"].contains(code))
        .filter(|code| !["SMT001", "SMT005"].contains(code) && !found.contains(code))
        .collect();
    assert!(missing.is_empty(), "codes without a case: {missing:?}");
}

/// A file with many problems reports many, but not endlessly many.
#[test]
fn problems_are_many_but_bounded() {
    let report = |text: &str| Kernel::new().read(text).1;
    let commands = "(assert (= x 1))\n".repeat(1000);
    assert_eq!(report(&commands).len(), 100);
    let wide = format!("(assert (and {}))", "x ".repeat(100_000));
    assert_eq!(report(&wide).len(), 100);
    let sorts = format!("(declare-fun f ({}) Bool)", "X ".repeat(100_000));
    assert_eq!(report(&sorts).len(), 100);
    let tokens = format!("(assert {})", "[ a ".repeat(100_000));
    assert!(report(&tokens).len() <= 101);
    assert_eq!(report(&"[".repeat(100_000)).len(), 1);
    assert_eq!(report(&")".repeat(100_000)).len(), 100);
    // What comes after a problem is read all the same.
    let three =
        "(assert (= 1 true))\n(declare-const y Int)\n(assert (bvadd y))\n(assert (> y 0))\n(assert z)";
    assert_eq!(report(three).len(), 3);
}

/// Messages stay short, whatever the names and sorts are.
#[test]
fn messages_stay_short() {
    let long = "x".repeat(1_000_000);
    let mut doubled = String::from("(define-sort S0 () (Array Int Bool))\n");
    for i in 0..200 {
        let _ = writeln!(doubled, "(define-sort S{} () (Array S{i} S{i}))", i + 1);
    }
    let inputs = [
        format!("({long})"),
        format!("(assert {long})"),
        format!("(assert ({long} 1))"),
        format!("(assert |{long}|)"),
        format!("(assert (as {long} Int))"),
        format!("(assert ((_ {long} 1) 1))"),
        format!("(assert (_ bv{} 8))", "9".repeat(100_000)),
        format!("(assert (is-{long} 1))"),
        format!("(declare-const c {long})"),
        format!("(declare-const c ({long} Int))"),
        format!("(declare-const c {long}) (declare-const c Int)"),
        format!("(declare-const {long} Int) (declare-const {long} Int) (assert {long})"),
        format!("(declare-datatype {long} ((a (b {long}))))"),
        format!("(assert \"{long}\")"),
        format!("(assert (! true :{long} {long} {long}))"),
        format!("(set-info :{long} {long} {long})"),
        format!("(assert (let (({long} 1) ({long} 2)) true))"),
        format!("(assert {long}é)"),
        format!("(assert 1{long})"),
        format!("(assert #x{long})"),
        format!("{doubled}(declare-const c S200) (assert c)"),
        format!("{doubled}(declare-const c S200) (assert (= c 1))"),
    ];
    for input in inputs {
        let (_, errors) = Kernel::new().read(&input);
        assert!(!errors.is_empty(), "{}", &input[..40]);
        for error in errors {
            assert!(error.message.len() < 600, "{}…", &error.message[..200]);
            assert!(error.help.is_none_or(|help| help.len() < 300));
        }
    }
}
