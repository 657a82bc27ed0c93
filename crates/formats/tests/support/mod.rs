//! What the tests of all languages share: small systems are explored state by state, and random ones are made.
#![allow(dead_code, reason = "each test file uses its part of this")]

pub(crate) mod explore;
pub(crate) mod random;

use diag::Diagnostic;
use formats::{Format, Model, Source};
use smt::term::Terms;
use std::path::{Path, PathBuf};
use ts::System;

/// Reads a text; the systems must be without flaws.
pub(crate) fn read(format: &str, terms: &mut Terms, text: &str) -> Result<Model, Vec<Diagnostic>> {
    let format = Format::named(format).expect("the language is known");
    let mut errors = Vec::new();
    let source = Source { bytes: text.as_bytes(), base: 0 };
    let model = (format.read)(terms, source, &mut errors);
    if let Some(Model::Systems(systems)) = &model {
        for system in systems {
            let flaws = ts::verify(terms, system);
            assert!(flaws.is_empty(), "{}\n{text}", flaws[0].message(terms));
        }
    }
    model.ok_or(errors)
}

/// The systems of a text that must be readable.
pub(crate) fn systems(format: &str, terms: &mut Terms, text: &str) -> Vec<System> {
    match read(format, terms, text) {
        Ok(Model::Systems(systems)) => systems,
        Ok(Model::Horn(_)) => panic!("clauses, no system:\n{text}"),
        Err(errors) => {
            let at = errors[0].span.start as usize;
            let rest: String = text[at.min(text.len())..].chars().take(60).collect();
            panic!("{} {} at `{rest}`\n{text}", errors[0].code.name(), errors[0].message)
        }
    }
}

/// The text of systems in a language.
pub(crate) fn written(format: &str, terms: &mut Terms, systems: Vec<System>) -> String {
    let format = Format::named(format).expect("the language is known");
    let bytes = (format.write)(terms, &Model::Systems(systems), &formats::Options::default());
    String::from_utf8(bytes.expect("can be written")).expect("is text")
}

/// Codes, quoted places and messages of what is wrong with a text.
pub(crate) fn complaints(format: &str, text: &str) -> Vec<String> {
    let errors = read(format, &mut Terms::new(), text).expect_err("must be refused");
    let place = |error: &Diagnostic| text.get(error.span.start as usize..error.span.end as usize);
    let line = |error: &Diagnostic| {
        let place: String = place(error).unwrap_or("?").chars().take(30).collect();
        format!("{} `{place}` {}", error.code.name(), error.message)
    };
    errors.iter().map(line).collect()
}

/// All files of a folder with one of the endings, sorted.
pub(crate) fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let (mut todo, mut found) = (vec![folder.to_owned()], Vec::new());
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(std::fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        } else if path.extension().and_then(|e| e.to_str()).is_some_and(|e| endings.contains(&e)) {
            found.push(path);
        }
    }
    found.sort();
    found
}
