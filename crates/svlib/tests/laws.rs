//! Laws of reading and printing: what is printed is read back to an equal script; repairs leave nothing to repair.

use diag::{Diagnostic, SourceMap};
use smt::sexpr::Text;
use smt::term::Terms;
use std::path::{Path, PathBuf};
use svlib::parse::Builder;

struct Read {
    sources: SourceMap,
    terms: Terms,
    builder: Builder,
    findings: Vec<Diagnostic>,
}

fn read(name: &str, text: String) -> Read {
    let mut sources = SourceMap::default();
    let file = sources.add(name, text).expect("fits into the address space");
    let mut terms = Terms::new();
    let mut builder = Builder::new(&mut terms);
    let mut findings = Vec::new();
    let text = Text::new(sources.text(file), sources.base(file));
    svlib::witness::read_any(&mut builder, &mut terms, text, &mut findings);
    findings.extend(svlib::lint::lint(&terms, &builder.state));
    Read { sources, terms, builder, findings }
}

fn errors(read: &Read) -> Vec<String> {
    read.findings.iter().filter(|f| f.is_error()).map(|f| diag::render::text(&read.sources, f)).collect()
}

/// Prints the script and reads it again into the same store.
fn reprint(name: &str, read: &mut Read) {
    let printed = svlib::print::script_text(&read.terms, &read.builder.state.script);
    let (mut again, mut findings) = (Builder::new(&mut read.terms), Vec::new());
    svlib::parse::read_file(&mut again, &mut read.terms, Text::new(&printed, 0), &mut findings);
    assert!(
        again.state.script == read.builder.state.script,
        "{name} is not read back to the same script:\n{printed}"
    );
}

fn files(dir: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|ending| ending == "svlib") {
            out.push(path);
        }
    }
}

fn each_file(dir: &Path, mut each: impl FnMut(&str, Read)) {
    let mut paths = Vec::new();
    files(dir, &mut paths);
    assert!(!paths.is_empty(), "no files in {}", dir.display());
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a text file");
        let name = path.display().to_string();
        let read = read(&name, text);
        each(&name, read);
    }
}

#[test]
fn examples_are_accepted_and_read_back() {
    each_file(&testkit::workspace_root().join("examples"), |name, mut read| {
        assert_eq!(errors(&read), Vec::<String>::new(), "{name}");
        reprint(name, &mut read);
    });
}

#[test]
fn figures_with_their_witnesses_are_validation_tasks() {
    let dir = testkit::workspace_root().join("examples/paper");
    for (task, witness) in [("fig3a", "fig3b"), ("fig5a", "fig5b"), ("fig6a", "fig6b"), ("fig7a", "fig7b")] {
        let mut sources = SourceMap::default();
        let mut add = |name: String| {
            let text = std::fs::read_to_string(dir.join(&name)).expect("a figure");
            sources.add(name, text).expect("fits")
        };
        let (task_file, witness_file) =
            (add(format!("{task}.svlib")), add(format!("{witness}.witness.svlib")));
        let mut terms = Terms::new();
        let (read, findings) =
            svlib::witness::read_validation_task(&mut terms, &sources, &[task_file], witness_file);
        let shown: String = findings.iter().map(|f| diag::render::text(&sources, f)).collect();
        assert!(findings.is_empty(), "{witness}: {shown}");
        assert!(read.builder.state.script.commands.len() > 6, "{witness}");
        assert!(
            matches!(&read.parts[..], [part] if part.added.as_ref().is_some_and(|added| !added.is_empty()))
        );
    }
}

/// The well-formed files of the corpus. Those listed are not SV-LIB 1.0, and the code says why.
#[test]
fn corpus_is_read_back() {
    let Some(corpus) = testkit::corpus_or_skip("the SV-LIB corpus") else { return };
    let ill_formed = [
        ("expect-linter-fail/declare_var.svlib", "SV102"),
        ("expect-linter-fail/define_proc.svlib", "SV102"),
        ("btor2-translated/btor2-translation.svlib", "SV205"),
        ("loops/sum01-2.svlib", "SV101"),
        ("loop-invariants/bin-suffix-5.svlib", "SV204"),
        ("loop-invgen/heapsort.svlib", "SV102"),
        ("OLD-SYNTAX-loop-add-incorrect-invariant.svlib", "SV101"),
        ("OLD-SYNTAX-loop-add-incorrect-liveness.svlib", "SV101"),
    ];
    let mut count = 0;
    each_file(&corpus.join("svlib"), |name, mut read| {
        count += 1;
        let hard = |f: &&Diagnostic| f.is_error() && !matches!(f.code.name(), "SV209" | "SV210");
        let first = read.findings.iter().find(hard).map(|f| f.code.name());
        let expected = ill_formed.iter().find(|(file, _)| name.ends_with(file)).map(|(_, code)| *code);
        assert_eq!(first, expected, "{name}: {:?}", errors(&read));
        if first.is_none() {
            reprint(name, &mut read);
        }
    });
    assert!(count > 150, "the corpus has {count} files only");
}

#[test]
fn repairs_leave_nothing_to_repair() {
    let script = "(set-logic LIA)\n(define-proc p ((n Int)) ((r Int)) ()\n  (sequence (assign (r n)) \
         (while (< 0 r) (! (assign (r (- r 1))) :check-true (< 0 r))) (label out)))\n\
         (annotate-tag proc-p :live)\n(declare-const k Int)\n(verify-call p (k))\n";
    let before = read("script", script.into());
    let codes: Vec<&str> = before.findings.iter().map(|f| f.code.name()).collect();
    assert_eq!(codes, ["SV312", "SV210", "SV209", "SV209", "SV209", "SV303", "SV304", "SV311"]);
    let file = before.sources.files().next().expect("one file");
    let fixed = svlib::lint::apply_fixes(&before.sources, file, &svlib::lint::edits(&before.findings));
    let after = read("script", fixed.clone());
    // The tag that the annotation waits for stays free, so that the repair does not change what is verified.
    let left: Vec<&str> = after.findings.iter().map(|f| f.code.name()).collect();
    assert_eq!(left, ["SV311"], "{fixed}");
    assert!(fixed.contains(":tag proc-p-2") && fixed.contains(":recurring"), "{fixed}");
}

#[test]
fn annotations_reach_procedures_defined_later() {
    let read = read(
        "script",
        "(annotate-tag here :check-true (< 0 x))\n(define-proc p () ((x Int)) () (! (assign (x 1)) :tag here))\n\
         (define-proc q () ((x Int)) () (! (assign (x 1)) :tag here))\n(verify-call p ())"
            .into(),
    );
    assert_eq!(errors(&read).len(), 2, "only the tags are not unique: {:?}", errors(&read));
    let script = &read.builder.state.script;
    let svlib::syntax::CommandKind::AnnotateTag(annotation) = &script.commands[0].kind else {
        panic!("an annotation")
    };
    assert_eq!(annotation.properties[0].meanings.len(), 2);
}

#[test]
fn depth_is_no_problem() {
    let n = 200_000;
    for (open, close) in [
        ("(sequence ", ")"),
        ("(if true ", ")"),
        ("(while true ", ")"),
        ("(! ", " :tag t)"),
        ("(choice ", ")"),
    ] {
        let body = format!("{}(assume true){}", open.repeat(n), close.repeat(n));
        let text = format!("(define-proc p () () () {body})\n(verify-call p ())");
        let mut read = read("deep", text);
        reprint("deep", &mut read);
    }
}
