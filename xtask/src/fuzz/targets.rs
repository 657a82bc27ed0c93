//! What is fuzzed: one function per reader, with the laws that hold for any input.

use smt::scope::Scope;
use smt::sexpr::{Lexer, Reader, Splitter, Text, Token, Tree};
use smt::term::Terms;
use svlib::interp::{Options, Random, Task, run};
use svlib::parse::Builder;
use svlib::syntax::CommandKind;

/// A reader under test.
pub(super) struct Target {
    /// Its name.
    pub(super) name: &'static str,
    /// Endings of the files that are damaged for it.
    pub(super) endings: &'static [&'static str],
    /// Words of its language.
    pub(super) tokens: &'static [&'static str],
    /// Reads the input; an error is a broken law.
    pub(super) check: fn(&[u8]) -> Result<(), String>,
}

const SMT_WORDS: &[&str] = &[
    "(", ")", "(assert ", "(let ((x y)) ", "(forall ((x Int)) ", "(! ", ":named", ":next", "(_ extract 3 0)", "(as ",
    "(match ", "Int", "Bool", "(_ BitVec 8)", "#x0f", "1.5", "true", "ite", "=", "select", "store", "(define-fun f ",
    "(declare-datatypes ", "|", "\"", "-1",
];
const SVLIB_WORDS: &[&str] = &[
    "(", ")", "(! ", ":tag", ":check-true", ":invariant", ":decreases", "(sequence", "(while true ", "(if ", "(choice ",
    "(goto l)", "(label l)", "(havoc x)", "(call f (x) (x))", "(return)", "(break)", "(annotate-tag t :ensures true)",
    "(define-procs-rec ", "(select-trace ", "(leap t (x 1))", "(at x t)", "(old x)", "|#x|", "(verify-call f ())",
];
const K2_WORDS: &[&str] = &[
    "(", ")", "(seq ", "(assign x ", "(cast (sbv 8) ", "(const 1 (ubv 8))", "(condjump ", "(jump (label l))", "(label l)",
    "(havoc x)", "(call f ", "(function f ()", "(var x int)", "(! ", ":error", "(globals", "(entry f)", "(locals)",
];

/// All targets.
pub(super) static TARGETS: &[Target] = &[
    Target { name: "fmt", endings: &["svlib", "smt2", "vmt", "k2"], tokens: SVLIB_WORDS, check: fmt },
    Target { name: "k2", endings: &["k2"], tokens: K2_WORDS, check: k2 },
    Target { name: "sexpr", endings: &["svlib", "smt2", "vmt"], tokens: SMT_WORDS, check: sexpr },
    Target { name: "smt", endings: &["smt2", "vmt"], tokens: SMT_WORDS, check: smt },
    Target { name: "svlib", endings: &["svlib"], tokens: SVLIB_WORDS, check: svlib },
];

fn ensure(holds: bool, law: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(law()) }
}

/// A session that reads piece by piece sees the same S-expressions as a reader of the whole.
fn sexpr(input: &[u8]) -> Result<(), String> {
    let Ok(text) = std::str::from_utf8(input) else { return Ok(()) };
    let source = Text::new(text, 0);
    let (mut reader, mut tree, mut errors, mut whole) = (Reader::new(source), Tree::new(), Vec::new(), Vec::new());
    while reader.read(&mut tree, &mut errors) {
        whole.push(source.slice(tree.span(0)).to_string());
    }
    if !errors.is_empty() {
        return Ok(());
    }
    let (mut splitter, mut current, mut pieces) = (Splitter::default(), Vec::new(), Vec::new());
    for piece in text.as_bytes().chunks(7) {
        let mut rest = piece;
        while let Some(length) = splitter.push(rest) {
            current.extend_from_slice(&rest[..length]);
            rest = &rest[length..];
            pieces.push(std::mem::take(&mut current));
        }
        current.extend_from_slice(rest);
    }
    pieces.push(current);
    let mut split = Vec::new();
    for piece in pieces {
        let piece = String::from_utf8(piece).map_err(|_| "a piece is cut inside a character".to_string())?;
        let source = Text::new(&piece, 0);
        let (mut reader, mut count) = (Reader::new(source), 0);
        while reader.read(&mut tree, &mut errors) {
            split.push(source.slice(tree.span(0)).to_string());
            count += 1;
        }
        ensure(count <= 1, || format!("{count} S-expressions in one piece: {piece}"))?;
    }
    ensure(split == whole, || format!("pieces {split:?} differ from the whole {whole:?}"))
}

/// Terms that are printed are read back to the same ids.
fn smt(input: &[u8]) -> Result<(), String> {
    let Ok(text) = std::str::from_utf8(input) else { return Ok(()) };
    let mut terms = Terms::new();
    let mut scope = Scope::vmt(&mut terms);
    let (mut errors, mut roots) = (Vec::new(), Vec::new());
    smt::script::read(&mut terms, &mut scope, Text::new(text, 0), &mut errors, |terms, command, _, _| match command {
        smt::parse::Command::Assert(term) => roots.push(term),
        smt::parse::Command::DefineFun(fun) => {
            roots.extend(terms.definition(fun).filter(|(params, _)| params.is_empty()).map(|d| d.1));
        }
        _ => {}
    });
    for term in roots.into_iter().take(50) {
        let printed = smt::print::term_text(&terms, term);
        let source = Text::new(&printed, 0);
        let (mut tree, mut errors) = (Tree::new(), Vec::new());
        Reader::new(source).read(&mut tree, &mut errors);
        let back = smt::parse::Parser::new(&mut terms, &mut scope, source, &tree, &mut errors).term(0);
        // A name that was popped or declared anew since may mean something else now.
        let same_meaning = errors.is_empty() && !text.contains("(pop") && !text.contains("(reset");
        ensure(back == term || !same_meaning, || format!("not read back to the same term: {printed}"))?;
    }
    Ok(())
}

/// Scripts that are printed are read back to equal scripts; repairs and executions of them do not fail.
fn svlib(input: &[u8]) -> Result<(), String> {
    let Ok(text) = std::str::from_utf8(input) else { return Ok(()) };
    let mut sources = diag::SourceMap::default();
    let Ok(file) = sources.add("input", text.to_string()) else { return Ok(()) };
    let mut terms = Terms::new();
    let (mut builder, mut findings) = (Builder::new(&mut terms), Vec::new());
    svlib::witness::read_any(&mut builder, &mut terms, Text::new(sources.text(file), 0), &mut findings);
    findings.extend(svlib::lint::lint(&terms, &builder.state));
    for finding in &findings {
        let _ = diag::render::text(&sources, finding);
    }
    let _ = svlib::lint::apply_fixes(&sources, file, &svlib::lint::edits(&findings));
    if findings.iter().any(|f| f.is_error() && !matches!(f.code.name(), "SV209" | "SV210")) {
        return Ok(());
    }
    let printed = svlib::print::script_text(&terms, &builder.state.script);
    let (mut again, mut ignored) = (Builder::new(&mut terms), Vec::new());
    svlib::parse::read_file(&mut again, &mut terms, Text::new(&printed, 0), &mut ignored);
    ensure(again.state.script == builder.state.script, || format!("not read back to an equal script: {printed}"))?;
    let script = &builder.state.script;
    for (command, info) in script.commands.iter().enumerate() {
        if let CommandKind::Call(..) = info.kind
            && let Ok(task) = Task::new(&mut terms, script, command)
        {
            let options = Options { steps: 200, depth: 50, fuel: 10_000, ..Options::default() };
            let outcome = run(&task, &terms, &mut Random::new(1), &options);
            let _ = outcome.trace(&mut terms, &task);
        }
    }
    Ok(())
}

/// What is translated is an SV-LIB script without errors.
fn k2(input: &[u8]) -> Result<(), String> {
    let Ok(text) = std::str::from_utf8(input) else { return Ok(()) };
    let Ok(translation) = svlib::k2::translate(Text::new(text, 0)) else { return Ok(()) };
    let mut terms = Terms::new();
    let (mut builder, mut findings) = (Builder::new(&mut terms), Vec::new());
    svlib::parse::read_file(&mut builder, &mut terms, Text::new(&translation.script, 0), &mut findings);
    findings.extend(svlib::lint::lint(&terms, &builder.state));
    let error = findings.iter().find(|f| f.is_error());
    ensure(error.is_none(), || format!("{:?} in the translation {}", error.map(|e| &e.message), translation.script))
}

/// Layout keeps all tokens and is final.
fn fmt(input: &[u8]) -> Result<(), String> {
    let Ok(text) = std::str::from_utf8(input) else { return Ok(()) };
    let Ok(once) = svlib::fmt::format(Text::new(text, 0)) else { return Ok(()) };
    let twice = svlib::fmt::format(Text::new(&once, 0)).map_err(|_| "the layout cannot be read".to_string())?;
    ensure(once == twice, || format!("the layout is not final: {once}"))?;
    ensure(tokens(text) == tokens(&once), || format!("the layout changes tokens: {once}"))
}

fn tokens(text: &str) -> Vec<String> {
    let source = Text::new(text, 0);
    let tokens = Lexer::new(source).filter_map(Result::ok);
    tokens
        .map(|token| match token {
            Token::Open(_) => "(".to_string(),
            Token::Close(_) => ")".to_string(),
            Token::Atom(_, span) => source.slice(span).to_string(),
            Token::Comment(span) => source.slice(span).trim_end().to_string(),
        })
        .collect()
}
