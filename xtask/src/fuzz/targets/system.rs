//! Transition systems: what is read keeps the rules, is written, and is read back to a system that is written the same way.

use diag::Diagnostic;
use formats::{Format, Model, Source, vmt};
use smt::term::Terms;
use std::hash::{DefaultHasher, Hash, Hasher};
use ts::System;

/// VMT-LIB.
pub(super) fn vmt(input: &[u8]) -> Result<u64, String> {
    let (mut terms, mut errors) = (Terms::new(), Vec::new());
    let Some(system) = read(&mut terms, input, &mut errors) else { return refused(input, &errors) };
    let flaws = ts::verify(&terms, &system);
    if let Some(flaw) = flaws.first() {
        return Err(flaw.message(&terms));
    }
    let Ok(text) = vmt::system_text(&mut terms, &system) else { return Ok(mark(&"unwritable")) };
    let core =
        read(&mut terms, text.as_bytes(), &mut errors).ok_or_else(|| format!("not read again: {text}"))?;
    let again = vmt::system_text(&mut terms, &core).map_err(|error| error.to_string())?;
    if read(&mut terms, again.as_bytes(), &mut errors).as_ref() != Some(&core) {
        return Err(format!("read as another system: {again}"));
    }
    let monitored = ts::passes::core::core(&mut terms, &system);
    let flaws = monitored.as_ref().map(|extended| ts::verify(&terms, &extended.system)).unwrap_or_default();
    if let Some(flaw) = flaws.first() {
        return Err(format!("in the core system: {}", flaw.message(&terms)));
    }
    Ok(mark(&(system.states.len(), system.inputs.len(), system.properties.len(), system.trans.len())))
}

/// Constrained Horn clauses.
pub(super) fn chc(input: &[u8]) -> Result<u64, String> {
    any("chc", input)
}

/// MoXI.
pub(super) fn moxi(input: &[u8]) -> Result<u64, String> {
    any("moxi", input)
}

/// SMV.
pub(super) fn smv(input: &[u8]) -> Result<u64, String> {
    any("smv", input)
}

/// A language whose systems change when they are written, so that it is only asked that they can be read again.
fn any(name: &str, input: &[u8]) -> Result<u64, String> {
    let format = Format::named(name).ok_or("an unknown language")?;
    let (mut terms, mut errors) = (Terms::new(), Vec::new());
    let source = Source { bytes: input, base: 0 };
    let Some(model) = (format.read)(&mut terms, source, &mut errors) else { return refused(input, &errors) };
    let mut sizes = Vec::new();
    if let Model::Systems(systems) = &model {
        for system in systems {
            if let Some(flaw) = ts::verify(&terms, system).first() {
                return Err(flaw.message(&terms));
            }
            sizes.push((
                system.states.len(),
                system.inputs.len(),
                system.properties.len(),
                system.trans.len(),
            ));
        }
    }
    let written = (format.write)(&mut terms, &model, &formats::Options::default());
    let Ok(text) = written else { return Ok(mark(&"unwritable")) };
    let again = (format.read)(&mut Terms::new(), Source { bytes: &text, base: 0 }, &mut errors);
    match again {
        Some(_) => Ok(mark(&sizes)),
        None => Err(format!("not read again: {}", String::from_utf8_lossy(&text))),
    }
}

/// What is refused is refused with a reason, and the reason has a place.
fn refused(input: &[u8], errors: &[Diagnostic]) -> Result<u64, String> {
    if !errors.iter().any(Diagnostic::is_error) {
        return Err("nothing was read, and nothing was reported".into());
    }
    let inside =
        |error: &&Diagnostic| error.span.end as usize <= input.len() && error.span.start <= error.span.end;
    if let Some(error) = errors.iter().find(|error| !inside(error)) {
        return Err(format!("{} has no place in the text", error.code));
    }
    let mut codes: Vec<&str> = errors.iter().map(|error| error.code.name()).collect();
    codes.sort_unstable();
    codes.dedup();
    Ok(mark(&codes))
}

fn read(terms: &mut Terms, input: &[u8], errors: &mut Vec<Diagnostic>) -> Option<System> {
    match vmt::read(terms, Source { bytes: input, base: 0 }, errors)? {
        Model::Systems(mut systems) => systems.pop(),
        Model::Horn(_) => None,
    }
}

fn mark(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
