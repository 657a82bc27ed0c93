//! Evidence of verifiers for programs: a witness about the program of one loop that a system becomes is evidence about the
//! system. It is brought back into VMT-LIB and judged as such, so nothing depends on what the program means.

use super::judge_text;
use crate::validate::Validation;
use crate::verify::VerifyOptions;
use crate::workers::Workers;
use diag::{Diagnostic, SourceMap};
use encode::one_loop::{OneLoop, one_loop};
use formats::vmt::evidence::{write_certificate, write_trace};
use formats::vmt::spelled;
use smt::sexpr::Text;
use smt::term::Terms;
use svlib::syntax::{CommandKind, Script};
use svlib::witness::{Part, looks_like_witness, read_validation_task};
use ts::{Certificate, PropertyKind, System};

/// True for a text that is a witness about a program.
pub(super) fn is_witness(text: &str) -> bool {
    looks_like_witness(Text::new(text, 0))
}

/// Judges a witness about the program of a system; `each` hears the result for every property, in their order.
pub(super) fn validate(
    workers: &mut dyn Workers,
    options: &VerifyOptions,
    terms: &mut Terms,
    system: &System,
    witness: &str,
    mut each: impl FnMut(Validation),
) {
    // The program was written with these names, and so is the task of the checker.
    let spelled = match spelled(terms, system) {
        Ok(spelled) => spelled,
        Err(error) => return each(Validation::Unknown(error.message)),
    };
    let system = &*spelled;
    let made = match one_loop(terms, system) {
        Ok(made) => made,
        Err(reason) => return each(Validation::Unknown(reason.to_string())),
    };
    let mut sources = SourceMap::default();
    let files = [("<program>", made.text.clone()), ("<witness>", witness.to_owned())];
    let [Ok(program), Ok(file)] = files.map(|(name, text)| sources.add(name, text)) else {
        return each(Validation::Unknown("the witness is too long".into()));
    };
    let (read, findings) = read_validation_task(terms, &sources, &[program], file);
    if let Some(error) = findings.iter().find(|finding| Diagnostic::is_error(finding)) {
        return each(Validation::Rejected(error.message.clone()));
    }
    let script = &read.builder.state.script;
    for (position, (property, part)) in system.properties.iter().zip(&read.parts).enumerate() {
        if !matches!(property.kind, PropertyKind::Invariant(_)) {
            let reason = "evidence about programs is understood for invariant properties only";
            each(Validation::Unknown(reason.into()));
            continue;
        }
        match brought_back(terms, system, &made, script, position, part) {
            Ok(Some(text)) => each(judge_text(workers, options, terms, system, property, &text)),
            Ok(None) => each(Validation::Unknown("the witness says nothing about this property".into())),
            Err(reason) => each(Validation::Rejected(reason)),
        }
        if workers.interrupted() {
            return;
        }
    }
}

/// The evidence about the property at a position in VMT-LIB; nothing if there is none.
fn brought_back(
    terms: &mut Terms,
    system: &System,
    made: &OneLoop,
    script: &Script,
    position: usize,
    part: &Part,
) -> Result<Option<String>, String> {
    let Some(added) = part.added.clone() else { return Ok(None) };
    let index = system.properties[position].index;
    let mut commands = script.commands[added.clone()].iter();
    let selected = commands.find_map(|command| match &command.kind {
        CommandKind::SelectTrace(trace) => Some(trace),
        _ => None,
    });
    let text = match selected {
        Some(trace) => {
            let trace = made.trace(terms, script, part.command, trace)?;
            write_trace(terms, system, index, &trace)
        }
        None => {
            let Some(invariant) = made.annotated(terms, script, position, added) else { return Ok(None) };
            write_certificate(terms, system, index, &Certificate::inductive(invariant))
        }
    };
    text.map(Some).map_err(|error| error.message)
}
