//! K2 programs and the SV-LIB scripts they become.
//!
//! Every construct of K2 has a small program here, and the text that is expected for it; what is refused has
//! one with the code, the message and the place.

use diag::{Diagnostic, Span};
use smt::sexpr::Text;
use smt::term::Terms;
use svlib::k2::{Translation, translate};
use svlib::lint::lint;
use svlib::parse::{Builder, read_file};

#[path = "k2/examples.rs"]
mod examples;
#[path = "k2/expressions.rs"]
mod expressions;
#[path = "k2/refused.rs"]
mod refused;
#[path = "k2/robust.rs"]
mod robust;
#[path = "k2/scripts.rs"]
mod scripts;

/// Addresses do not begin at 0 in real life.
const BASE: u32 = 1000;

fn try_translate(program: &str) -> Result<Translation, Vec<Diagnostic>> {
    translate(Text::new(program, BASE))
}

fn under(program: &str, span: Span) -> &str {
    &program[(span.start - BASE) as usize..(span.end - BASE) as usize]
}

/// Findings as text: code, message and what is underlined.
fn findings(program: &str, errors: &[Diagnostic]) -> Vec<String> {
    errors.iter().map(|e| format!("{} {} @ {}", e.code, e.message, under(program, e.span))).collect()
}

/// The translation of a good program, after the reader and the linter of SV-LIB found no error in it.
fn translated(program: &str) -> Translation {
    match try_translate(program) {
        Ok(translation) => {
            let errors = read_errors(&translation.script);
            assert!(errors.is_empty(), "{errors:#?}\n{}", translation.script);
            translation
        }
        Err(errors) => panic!("refused: {:#?}\n{program}", findings(program, &errors)),
    }
}

fn read_errors(script: &str) -> Vec<String> {
    let mut terms = Terms::new();
    let (mut builder, mut found) = (Builder::new(&mut terms), Vec::new());
    read_file(&mut builder, &mut terms, Text::new(script, 0), &mut found);
    found.extend(lint(&terms, &builder.state));
    let errors = found.iter().filter(|finding| finding.is_error());
    errors.map(|error| format!("{} {} at {}", error.code, error.message, error.span.start)).collect()
}

/// What follows the three lines that every script begins with.
fn script(program: &str) -> String {
    let header =
        "(set-info :format-version \"1.0\")\n(set-option :produce-witnesses true)\n(set-logic ALL)\n\n";
    let script = translated(program).script;
    script.strip_prefix(header).expect("every script has its header").to_string()
}
