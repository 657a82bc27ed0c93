//! Evidence in the language of the task.
//!
//! Engines and the checker speak of systems in VMT-LIB. Counterexamples of BTOR2, AIGER and MoXI, certificates that are
//! circuits, solutions of Horn clauses and derivations from them are made from that evidence, and read back into it: what is
//! handed over was judged in the form in which it is handed over.

mod claims;

pub(super) use claims::{pieces, validate};

use super::spelled::Spelled;
use crate::validate::Validation;
use crate::verify::VerifyOptions;
use crate::workers::Workers;
use diag::Diagnostic;
use formats::chc::{read_clauses, write_derivation, write_model};
use formats::moxi::{Answer as Response, write_response};
use formats::vmt::evidence::{read_certificate, read_trace};
use formats::witness::{Counterexample, WitnessFormat};
use formats::{Format, Model, Options, Source};
use smt::term::{TermId, Terms};
use svlib::session::{Answer, Verdict};
use svlib::witness::Claim;
use ts::passes::horn::{chain, linear};
use ts::{Certificate, Property, PropertyKind, Reduction, System, Trace};

/// What a task was read from.
#[derive(Clone, Copy)]
pub(crate) struct Origin<'a> {
    /// Its language.
    pub(crate) language: Option<&'static Format>,
    /// Its text, where that is needed again.
    pub(crate) text: &'a str,
}

impl Origin<'_> {
    fn name(&self) -> &'static str {
        self.language.map_or("vmt", |language| language.name)
    }

    /// True where a list of commands can only be a witness about a program: a solution of clauses is one, too.
    pub(super) fn takes_programs(&self) -> bool {
        self.name() != "chc"
    }
}

const MARK: &str = "(set-info :vmt-evidence ";

fn source(text: &str) -> Source<'_> {
    Source { bytes: text.as_bytes(), base: 0 }
}

fn first(errors: &[Diagnostic]) -> String {
    errors.first().map(|error| error.message.clone()).unwrap_or_default()
}

/// The answer with its evidence in the language of the task, where that has a form for it.
pub(super) fn in_own_words(
    workers: &mut dyn Workers,
    options: &VerifyOptions,
    terms: &mut Terms,
    origin: Origin<'_>,
    system: &System,
    property: &Property,
    mut answer: Answer,
) -> Answer {
    let claim = match answer.verdict {
        Verdict::Correct => Claim::Correct,
        Verdict::Incorrect => Claim::Incorrect,
        _ => return answer,
    };
    let Some(witness) = answer.witness.clone() else { return answer };
    if options.timeout.is_zero() {
        answer.notes.push(
            "the evidence is given as VMT-LIB: there is no time left to have it judged otherwise".into(),
        );
        return answer;
    }
    let words = match express(terms, origin, system, property, claim, &witness) {
        Ok(Some(words)) => words,
        Ok(None) => return answer,
        Err(reason) => {
            answer.notes.push(format!("the evidence is given as VMT-LIB: {reason}"));
            return answer;
        }
    };
    let found = validate(workers, options, terms, origin, std::slice::from_ref(system), &words);
    match found.into_iter().next().unwrap_or(Validation::Rejected("it says nothing".into())) {
        Validation::Confirmed => answer.witness = Some(words),
        Validation::Rejected(reason) | Validation::Unknown(reason) => {
            let name = origin.name();
            answer
                .notes
                .push(format!("the evidence is given as VMT-LIB: as {name} it is not confirmed ({reason})"));
        }
    }
    answer
}

/// Evidence in the language of the task; none where that has no form for it.
pub(super) fn express(
    terms: &mut Terms,
    origin: Origin<'_>,
    system: &System,
    property: &Property,
    claim: Claim,
    witness: &str,
) -> Result<Option<String>, String> {
    let name = origin.name();
    match (name, claim) {
        ("chc", _) => clauses(origin.text, claim, witness).map(Some),
        ("btor2" | "aag" | "aig", Claim::Incorrect) => {
            let format = WitnessFormat::of(name).ok_or("there is no form for it")?;
            let trace = trace(terms, system, witness)?;
            let position = system.properties.iter().position(|other| other.index == property.index);
            let property = position.ok_or("the property is missing")?;
            let counterexample = Counterexample { property, others: Vec::new(), trace };
            let bytes = (format.write)(terms, system, &counterexample);
            let bytes = bytes.map_err(|error| error.message)?;
            String::from_utf8(bytes).map(Some).map_err(|error| error.to_string())
        }
        ("btor2" | "aag" | "aig", Claim::Correct) => certificate(terms, name, system, witness),
        ("moxi" | "moxi-json", Claim::Incorrect) => {
            let trace = trace(terms, system, witness)?;
            let query = property.name.clone().unwrap_or_else(|| property.index.to_string());
            let answers = [(query, Response::Sat(trace))];
            let name = system.name.as_deref().unwrap_or("main");
            Ok(Some(write_response(terms, name, system, &answers)))
        }
        ("moxi" | "moxi-json", Claim::Correct) => {
            let Some(invariant) = inductive(terms, system, witness)? else { return Ok(None) };
            let query = property.name.clone().unwrap_or_else(|| property.index.to_string());
            let answers = [(query, Response::Unsat(Some(invariant)))];
            let name = system.name.as_deref().unwrap_or("main");
            Ok(Some(write_response(terms, name, system, &answers)))
        }
        _ => Ok(None),
    }
}

fn trace(terms: &mut Terms, system: &System, witness: &str) -> Result<Trace, String> {
    let (spelled, mut errors) = (Spelled::new(terms, system)?, Vec::new());
    let read = read_trace(terms, &spelled.system, source(witness), &mut errors);
    let mut trace = spelled.original(&read.ok_or_else(|| first(&errors))?.1);
    if trace.recurrence.is_some() {
        return Err("it has no form for executions that repeat no state".into());
    }
    trace.complete(terms, system);
    Ok(trace)
}

/// The inductive invariant that a certificate is; nothing for one that says more.
fn inductive(terms: &mut Terms, system: &System, witness: &str) -> Result<Option<TermId>, String> {
    let (spelled, mut errors) = (Spelled::new(terms, system)?, Vec::new());
    let read = read_certificate(terms, source(witness), &mut errors).ok_or_else(|| first(&errors))?;
    let Certificate { reduction: Reduction::None, invariant, depth: 0 } = read.certificate else {
        return Ok(None);
    };
    Ok(Some(spelled.original_formula(terms, invariant)))
}

/// An inductive invariant as a circuit: the system with the invariant as its only property. Only a file with one property can
/// be meant by it; other certificates have no such form.
fn certificate(
    terms: &mut Terms,
    name: &str,
    system: &System,
    witness: &str,
) -> Result<Option<String>, String> {
    let Some(invariant) = inductive(terms, system, witness)?.filter(|_| system.properties.len() == 1) else {
        return Ok(None);
    };
    let language =
        Format::named(if name == "aig" { "aag" } else { name }).ok_or("there is no such language")?;
    let kind = PropertyKind::Invariant(invariant);
    let properties = vec![Property { index: 0, name: Some("invariant".into()), kind }];
    let circuit = System { properties, outputs: Vec::new(), ..system.clone() };
    let bytes = (language.write)(terms, &Model::Systems(vec![circuit]), &Options::default());
    let bytes = bytes.map_err(|error| error.message)?;
    String::from_utf8(bytes).map(Some).map_err(|error| error.to_string())
}

/// Evidence about clauses from that about the system that they are.
fn clauses(text: &str, claim: Claim, witness: &str) -> Result<String, String> {
    let (mut terms, mut errors) = (Terms::new(), Vec::new());
    let problem = read_clauses(&mut terms, source(text), &mut errors).ok_or_else(|| first(&errors))?;
    let made = linear(&mut terms, &problem).map_err(|_| "the clauses are no system".to_string())?;
    if claim == Claim::Incorrect {
        let trace = trace(&mut terms, &made.system, witness)?;
        let applied = made.derivation(&mut terms, &trace).map_err(|fault| fault.message(&terms))?;
        return Ok(write_derivation(&mut terms, &chain(applied)));
    }
    let invariant = inductive(&mut terms, &made.system, witness)?;
    let invariant = invariant.ok_or("a solution of clauses cannot say what several steps show")?;
    let solution = made.solution(&mut terms, invariant).map_err(|_| "the invariant is none".to_string())?;
    Ok(write_model(&terms, &solution))
}
