//! The readers of SV-LIB and K2, and the formatter.

use diag::{Diagnostic, SourceMap};
use smt::sexpr::{Lexer, Text, Token};
use smt::term::Terms;
use std::hash::{DefaultHasher, Hash, Hasher};
use svlib::interp::{self, Options, Random, Task};
use svlib::parse::Builder;
use svlib::syntax::{CommandKind, Script};

fn mark(findings: &[Diagnostic], more: impl Hash) -> u64 {
    let mut codes: Vec<&'static str> = findings.iter().map(|finding| finding.code.name()).collect();
    codes.sort_unstable();
    codes.dedup();
    let mut hasher = DefaultHasher::new();
    (codes, more).hash(&mut hasher);
    hasher.finish()
}

/// Every finding can be shown, with a place in the text.
fn check(text: &str, findings: &[Diagnostic]) -> Result<(), String> {
    let mut sources = SourceMap::default();
    sources.add("input", text.to_owned()).map_err(|e| e.to_string())?;
    for finding in findings {
        if finding.span.start > finding.span.end || finding.span.end as usize > text.len() {
            return Err(format!("{} has no place in the text", finding.code));
        }
        if diag::render::text(&sources, finding).len() > 16_000 {
            return Err(format!("{} is too long: {}", finding.code, finding.message.len()));
        }
    }
    Ok(())
}

/// SV-LIB: read, lint, repair, print and read again to the same script, execute.
pub(super) fn svlib(input: &[u8]) -> Result<u64, String> {
    let text = String::from_utf8_lossy(input);
    let (mut terms, mut findings) = (Terms::new(), Vec::new());
    let mut builder = Builder::new(&mut terms);
    svlib::witness::read_any(&mut builder, &mut terms, Text::new(&text, 0), &mut findings);
    findings.extend(svlib::lint::lint(&terms, &builder.state));
    check(&text, &findings)?;
    let mut sources = SourceMap::default();
    let file = sources.add("input", text.to_string()).map_err(|e| e.to_string())?;
    let _ = svlib::lint::apply_fixes(&sources, file, &svlib::lint::edits(&findings));
    // Tags that are missing can be added, so a script that lacks only those is as good as accepted.
    let accepted = !findings.iter().any(|f| f.is_error() && !["SV209", "SV210"].contains(&f.code.name()));
    let mut steps = 0;
    if accepted {
        let script = &builder.state.script;
        let printed = svlib::print::script_text(&terms, script);
        let (mut again, mut found) = (Builder::new(&mut terms), Vec::new());
        svlib::parse::read_file(&mut again, &mut terms, Text::new(&printed, 0), &mut found);
        if again.state.script != *script {
            let first = found.first().map(|f| format!("{}: {}", f.code, f.message)).unwrap_or_default();
            return Err(format!("printed as another script: {first}\n{printed}"));
        }
        steps = execute(&mut terms, script);
    }
    Ok(mark(&findings, (accepted, steps, builder.state.script.commands.len().min(40))))
}

/// Executes every call of a script for a while; the number of calls that could be executed.
fn execute(terms: &mut Terms, script: &Script) -> usize {
    let options = Options { steps: 200, depth: 50, fuel: 10_000, ..Options::default() };
    let mut count = 0;
    for (command, info) in script.commands.iter().enumerate() {
        if let CommandKind::Call(..) = info.kind
            && let Ok(task) = Task::new(terms, script, command)
        {
            let outcome = interp::run(&task, terms, &mut Random::new(1), &options);
            let _ = outcome.trace(terms, &task);
            count += 1;
        }
    }
    count
}

/// K2: what is translated is a good SV-LIB script.
pub(super) fn k2(input: &[u8]) -> Result<u64, String> {
    let text = String::from_utf8_lossy(input);
    match svlib::k2::translate(Text::new(&text, 0)) {
        Ok(translation) => {
            let (mut terms, mut findings) = (Terms::new(), Vec::new());
            let mut builder = Builder::new(&mut terms);
            svlib::parse::read_file(
                &mut builder,
                &mut terms,
                Text::new(&translation.script, 0),
                &mut findings,
            );
            findings.extend(svlib::lint::lint(&terms, &builder.state));
            match findings.iter().find(|finding| finding.is_error()) {
                Some(error) => {
                    Err(format!("translated into {}: {}\n{}", error.code, error.message, translation.script))
                }
                None => Ok(mark(&findings, translation.script.len() / 200)),
            }
        }
        Err(findings) if findings.is_empty() => Err("refused without a reason".into()),
        Err(findings) => {
            check(&text, &findings)?;
            Ok(mark(&findings, findings.len().min(10)))
        }
    }
}

/// The formatter: its result is formatted, and the same S-expressions.
pub(super) fn format(input: &[u8]) -> Result<u64, String> {
    let text = String::from_utf8_lossy(input);
    match svlib::fmt::format(Text::new(&text, 0)) {
        Ok(once) => match svlib::fmt::format(Text::new(&once, 0)) {
            Ok(_) if tokens(&text) != tokens(&once) => Err(format!("formatting changes tokens:\n{once}")),
            Ok(twice) if twice == once => {
                Ok(mark(&[], (once.lines().count().min(60), once.len().checked_ilog2())))
            }
            Ok(twice) => Err(format!("formatting again changes the text:\n{once}\n----\n{twice}")),
            Err(errors) => Err(format!("the formatted text has errors: {:?}", errors.first())),
        },
        Err(errors) if errors.is_empty() => Err("refused without a reason".into()),
        Err(errors) => {
            check(&text, &errors)?;
            Ok(mark(&errors, errors.len().min(10)))
        }
    }
}

/// The tokens of a text, comments without blanks at their end.
fn tokens(text: &str) -> Vec<&str> {
    let source = Text::new(text, 0);
    let of = |token| match token {
        Token::Open(_) => "(",
        Token::Close(_) => ")",
        Token::Atom(_, span) => source.slice(span),
        Token::Comment(span) => source.slice(span).trim_end(),
    };
    Lexer::new(source).filter_map(Result::ok).map(of).collect()
}
