//! Evidence in the language of the task.
//!
//! Engines and the checker speak of systems in VMT-LIB. Counterexamples of BTOR2, AIGER and MoXI, certificates that are
//! circuits, solutions of Horn clauses and derivations from them are made from that evidence, and read back into it: what is
//! handed over was judged in the form in which it is handed over.

use super::{about, judge_text};
use crate::horn;
use crate::validate::Validation;
use crate::verify::VerifyOptions;
use crate::workers::Workers;
use diag::Diagnostic;
use formats::chc::{read_clauses, write_derivation, write_model};
use formats::moxi::{Answer as Response, read_response, write_response};
use formats::vmt::evidence::{read_certificate, read_trace, write_certificate, write_trace};
use formats::witness::{Counterexample, WitnessFormat};
use formats::{Format, Model, Options, Source};
use smt::term::{TermId, Terms};
use svlib::session::{Answer, Verdict};
use svlib::witness::Claim;
use ts::passes::horn::{chain, linear};
use ts::{Certificate, Property, PropertyKind, Reduction, System};

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
const RESPONSE: &str = "(check-system-response";

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
    match validate(workers, options, terms, origin, std::slice::from_ref(system), &words) {
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
            let bytes = (format.write)(terms, system, &Counterexample { property, trace });
            let bytes = bytes.map_err(|error| error.message)?;
            String::from_utf8(bytes).map(Some).map_err(|error| error.to_string())
        }
        ("btor2" | "aag" | "aig", Claim::Correct) => certificate(terms, name, system, witness),
        ("moxi" | "moxi-json", Claim::Incorrect) => {
            let trace = trace(terms, system, witness)?;
            let query = property.name.clone().unwrap_or_else(|| property.index.to_string());
            let answers = [(query, Response::Sat(trace))];
            Ok(Some(write_response(terms, "system", system, &answers)))
        }
        ("moxi" | "moxi-json", Claim::Correct) => {
            let Some(invariant) = inductive(terms, witness)? else { return Ok(None) };
            let query = property.name.clone().unwrap_or_else(|| property.index.to_string());
            let answers = [(query, Response::Unsat(Some(invariant)))];
            Ok(Some(write_response(terms, "system", system, &answers)))
        }
        _ => Ok(None),
    }
}

fn trace(terms: &mut Terms, system: &System, witness: &str) -> Result<ts::Trace, String> {
    let mut errors = Vec::new();
    let (_, mut trace) =
        read_trace(terms, system, source(witness), &mut errors).ok_or_else(|| first(&errors))?;
    if trace.recurrence.is_some() {
        return Err("it has no form for executions that repeat no state".into());
    }
    trace.complete(terms, system);
    Ok(trace)
}

/// The inductive invariant that a certificate is; nothing for one that says more.
fn inductive(terms: &mut Terms, witness: &str) -> Result<Option<TermId>, String> {
    let mut errors = Vec::new();
    let read = read_certificate(terms, source(witness), &mut errors).ok_or_else(|| first(&errors))?;
    let Certificate { reduction: Reduction::None, invariant, depth: 0 } = read.certificate else {
        return Ok(None);
    };
    Ok(Some(invariant))
}

/// An inductive invariant as a circuit: the system with the invariant as its only property. Only a file with one property can
/// be meant by it; other certificates have no such form.
fn certificate(
    terms: &mut Terms,
    name: &str,
    system: &System,
    witness: &str,
) -> Result<Option<String>, String> {
    let Some(invariant) = inductive(terms, witness)?.filter(|_| system.properties.len() == 1) else {
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
        let applied = made.derivation(&terms, &trace).map_err(|fault| fault.message(&terms))?;
        return Ok(write_derivation(&mut terms, &chain(applied)));
    }
    let invariant = inductive(&mut terms, witness)?;
    let invariant = invariant.ok_or("a solution of clauses cannot say what several steps show")?;
    let solution = made.solution(&mut terms, invariant).map_err(|_| "the invariant is none".to_string())?;
    Ok(write_model(&terms, &solution))
}

/// Judges a piece of evidence in whatever form it is.
pub(super) fn validate(
    workers: &mut dyn Workers,
    options: &VerifyOptions,
    terms: &mut Terms,
    origin: Origin<'_>,
    systems: &[System],
    piece: &str,
) -> Validation {
    if origin.name() == "chc" && !piece.contains(MARK) {
        return horn::validate(workers, options, origin.text, piece);
    }
    let found = if piece.contains(MARK) {
        about(piece)
            .map(|index| (index, piece.to_owned()))
            .ok_or_else(|| "the evidence is about no property".into())
    } else {
        interpret(terms, origin, systems, piece)
    };
    let (index, text) = match found {
        Ok(found) => found,
        Err(reason) => return Validation::Rejected(reason),
    };
    let of = |system: &&System| system.property(index).is_some();
    match systems.iter().find(of).and_then(|system| Some((system, system.property(index)?))) {
        Some((system, property)) => judge_text(workers, options, terms, system, property, &text),
        None => Validation::Rejected("the evidence is about no property of the task".into()),
    }
}

/// Evidence in a language's own form as VMT-LIB, with the number of its property.
fn interpret(
    terms: &mut Terms,
    origin: Origin<'_>,
    systems: &[System],
    piece: &str,
) -> Result<(u64, String), String> {
    let name = origin.name();
    let mut errors = Vec::new();
    match name {
        "btor2" | "aag" | "aig" => {
            let [system] = systems else { return Err("there is not one system".into()) };
            let begin = piece.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            if !matches!(begin.trim(), "sat" | "1") {
                return circuit(name, system, piece);
            }
            let format = WitnessFormat::of(name).ok_or("there is no form for it")?;
            let found =
                (format.read)(terms, system, source(piece), &mut errors).ok_or_else(|| first(&errors))?;
            let index = system.properties.get(found.property).ok_or("the property is missing")?.index;
            write_trace(terms, system, index, &found.trace)
                .map(|text| (index, text))
                .map_err(|error| error.message)
        }
        "moxi" | "moxi-json" => response(terms, systems, piece),
        _ => Err(format!("this is no evidence that is known for {name}")),
    }
}

/// A certificate that is a circuit: its property is the invariant. Latches and inputs are known by their names.
fn circuit(name: &str, system: &System, piece: &str) -> Result<(u64, String), String> {
    let piece = &format!("{}\n", piece.trim());
    let [property] = system.properties.as_slice() else {
        return Err("a circuit is a certificate where there is one property".into());
    };
    let word = piece.split_whitespace().next().unwrap_or_default();
    let language = if matches!(word, "aag" | "aig") { word } else { name };
    let language = Format::named(language).ok_or("there is no such language")?;
    // In a store of their own, names are what they were when the task was read.
    let (mut terms, mut errors) = (Terms::new(), Vec::new());
    let model = (language.read)(&mut terms, source(piece), &mut errors).ok_or_else(|| first(&errors))?;
    let Model::Systems(mut read) = model else { return Err("this is no circuit".into()) };
    let mut read = read.pop().ok_or("there is no circuit")?;
    let Some(PropertyKind::Invariant(invariant)) =
        read.properties.first().map(|property| property.kind.clone())
    else {
        return Err("the circuit has no property that is an invariant".into());
    };
    let kind = PropertyKind::Invariant(invariant);
    read.properties = vec![Property { index: property.index, name: None, kind }];
    let text = write_certificate(&mut terms, &read, property.index, &Certificate::inductive(invariant));
    text.map(|text| (property.index, text)).map_err(|error| error.message)
}

/// A response: the evidence about the first query that has some.
fn response(terms: &mut Terms, systems: &[System], piece: &str) -> Result<(u64, String), String> {
    let mut reason =
        String::from("the response has no trace and no certificate, and an answer alone is no evidence");
    for system in systems {
        let mut errors = Vec::new();
        let Some(answers) = read_response(terms, system, source(piece), &mut errors) else {
            reason = first(&errors);
            continue;
        };
        for (query, answer) in answers {
            let asked = |property: &&Property| match &property.name {
                Some(name) => *name == query,
                None => property.index.to_string() == query,
            };
            let Some(property) = system.properties.iter().find(asked) else { continue };
            let text = match answer {
                Response::Sat(trace) => write_trace(terms, system, property.index, &trace),
                Response::Unsat(Some(invariant)) => {
                    write_certificate(terms, system, property.index, &Certificate::inductive(invariant))
                }
                Response::Unsat(None) | Response::Unknown => continue,
            };
            return text.map(|text| (property.index, text)).map_err(|error| error.message);
        }
    }
    Err(reason)
}

/// The evidence in a text, which can be about several properties, one after the other: evidence in VMT-LIB and responses begin
/// with a word of their own, counterexamples of circuits end with a dot.
pub(super) fn pieces(text: &str) -> Vec<&str> {
    let (mut cuts, mut at, mut ended, mut seen) = (vec![0], 0, false, false);
    for line in text.split_inclusive('\n') {
        let begins = line.starts_with(MARK) || line.starts_with(RESPONSE);
        let is_blank = line.trim().is_empty();
        if (begins && seen) || (ended && !is_blank) {
            cuts.push(at);
            (ended, seen) = (false, false);
        }
        seen |= begins;
        ended |= line.trim_end() == ".";
        at += line.len();
    }
    cuts.push(text.len());
    cuts.windows(2).map(|cut| &text[cut[0]..cut[1]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_comes_in_pieces() {
        let [one, two] =
            ["(set-info :vmt-evidence trace)\n(step 0)\n", "(set-info :vmt-evidence certificate)\n"];
        assert_eq!(pieces(&format!("; head\n{one}{two}")), [format!("; head\n{one}"), two.to_owned()]);
        assert_eq!(pieces(one), [one]);
        assert_eq!(pieces("junk"), ["junk"]);
        assert_eq!(pieces("(echo \"(set-info :vmt-evidence trace)\")").len(), 1);
        assert_eq!(pieces("sat\nb0\n#0\n@0\n.\n\nsat\nb1\n.\n"), ["sat\nb0\n#0\n@0\n.\n\n", "sat\nb1\n.\n"]);
        assert_eq!(pieces(&format!("1\nb0\n0\n.\n{one}")), ["1\nb0\n0\n.\n", one]);
    }
}
