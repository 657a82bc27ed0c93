//! Circuits: what is read keeps the rules and is written, what was written is read, and so once more.

use diag::Diagnostic;
use formats::{Format, Model, Options, Source};
use smt::term::Terms;
use std::hash::{DefaultHasher, Hash, Hasher};

/// BTOR2, whose systems are also made of bits where they can be.
pub(super) fn btor2(input: &[u8]) -> Result<u64, String> {
    language("btor2", &["btor2", "aig"], input)
}

/// AIGER, text and binary.
pub(super) fn aiger(input: &[u8]) -> Result<u64, String> {
    language("aig", &["aag", "aig", "btor2"], input)
}

fn language(from: &str, targets: &[&str], input: &[u8]) -> Result<u64, String> {
    let (mut terms, mut errors) = (Terms::new(), Vec::new());
    let Some(model) = read(from, &mut terms, input, &mut errors)? else {
        let inside = |error: &&Diagnostic| {
            error.span.end as usize <= input.len() && error.span.start <= error.span.end
        };
        return match errors.iter().find(|error| !inside(error)) {
            Some(error) => Err(format!("{} has no place in the text", error.code)),
            None => {
                let mut codes: Vec<&str> = errors.iter().map(|error| error.code.name()).collect();
                codes.dedup();
                Ok(mark(&(codes, errors.first().map(|error| error.message.len()))))
            }
        };
    };
    let mut sizes = Vec::new();
    for target in targets {
        let Ok(once) = write(target, &mut terms, &model) else { continue };
        let mut others = Terms::new();
        let again = read(target, &mut others, &once, &mut errors)?
            .ok_or_else(|| format!("not read again: {}", String::from_utf8_lossy(&once)))?;
        let twice =
            write(target, &mut others, &again).map_err(|error| format!("not written again: {error}"))?;
        let mut others = Terms::new();
        let last = read(target, &mut others, &twice, &mut errors)?;
        if last.is_none() {
            return Err(format!("not read a third time: {}", String::from_utf8_lossy(&twice)));
        }
        sizes.push(once.len().min(2000) / 8);
    }
    Ok(mark(&sizes))
}

fn read(
    name: &str,
    terms: &mut Terms,
    bytes: &[u8],
    errors: &mut Vec<Diagnostic>,
) -> Result<Option<Model>, String> {
    let format = Format::named(name).ok_or("no such language")?;
    let model = (format.read)(terms, Source { bytes, base: 0 }, errors);
    match &model {
        None if !errors.iter().any(Diagnostic::is_error) => {
            Err("nothing was read, and nothing was reported".into())
        }
        Some(Model::Systems(systems)) => {
            let flaw = systems.iter().find_map(|system| ts::verify(terms, system).into_iter().next());
            flaw.map_or(Ok(model), |flaw| Err(flaw.message(terms)))
        }
        _ => Ok(model),
    }
}

fn write(name: &str, terms: &mut Terms, model: &Model) -> Result<Vec<u8>, String> {
    let format = Format::named(name).ok_or("no such language")?;
    (format.write)(terms, model, &Options::default()).map_err(|error| error.message)
}

fn mark(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
