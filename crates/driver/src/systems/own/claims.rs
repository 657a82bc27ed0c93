//! Evidence in a language's own form is taken apart: what it says about which property, as VMT-LIB that the checker judges.

use super::{MARK, Origin, first, source};
use crate::horn;
use crate::systems::spelled::Spelled;
use crate::systems::{about, judge_text};
use crate::validate::Validation;
use crate::verify::VerifyOptions;
use crate::workers::Workers;
use formats::moxi::{Answer as Response, Answered, Responses};
use formats::vmt::evidence::{write_certificate, write_trace};
use formats::witness::WitnessFormat;
use formats::{Format, Model};
use smt::eval::Assignment;
use smt::term::{TermId, Terms};
use std::collections::BTreeMap;
use ts::{Certificate, Property, PropertyKind, System, Trace};

const RESPONSE: &str = "(check-system-response";

/// Evidence as VMT-LIB, with the number of the property that it is about. Where it does not say which of several properties
/// that is, there is one for each.
type Meant = Vec<(u64, String)>;

/// Judges a piece of evidence in whatever form it is: each claim that it makes.
pub(in crate::systems) fn validate(
    workers: &mut dyn Workers,
    options: &VerifyOptions,
    terms: &mut Terms,
    origin: Origin<'_>,
    systems: &[System],
    piece: &str,
) -> Vec<Validation> {
    let claims = match origin.name() {
        "chc" if !piece.contains(MARK) => return vec![horn::validate(workers, options, origin.text, piece)],
        _ if piece.contains(MARK) => {
            let meant = about(piece).map(|index| vec![(index, piece.to_owned())]);
            vec![meant.ok_or_else(|| Validation::Rejected("the evidence is about no property".into()))]
        }
        "moxi" | "moxi-json" => responses(terms, systems, piece),
        name => match circuit_evidence(terms, name, systems, piece) {
            Ok(claims) => claims.into_iter().map(|claim| Ok(vec![claim])).collect(),
            Err(reason) => vec![Err(Validation::Rejected(reason))],
        },
    };
    let mut found = Vec::new();
    for claim in claims {
        found.push(
            claim.map_or_else(|reason| reason, |meant| judge(workers, options, terms, systems, &meant)),
        );
        if workers.interrupted() {
            break;
        }
    }
    found
}

/// Judges evidence that is about one of some properties: it is confirmed if it shows what it claims for one of them.
fn judge(
    workers: &mut dyn Workers,
    options: &VerifyOptions,
    terms: &mut Terms,
    systems: &[System],
    meant: &[(u64, String)],
) -> Validation {
    let mut worst = Validation::Rejected("the evidence is about no property of the task".into());
    for (at, (index, text)) in meant.iter().enumerate() {
        let mut of = systems.iter().filter_map(|system| Some((system, system.property(*index)?)));
        let Some((system, property)) = of.next() else { continue };
        match judge_text(workers, options, terms, system, property, text) {
            Validation::Confirmed => return Validation::Confirmed,
            // What is not known outweighs what is not so; of what is not so the first counts.
            found if at == 0 || matches!(found, Validation::Unknown(_)) => worst = found,
            _ => {}
        }
    }
    worst
}

/// Evidence about a circuit in its own form as VMT-LIB: what it says about each property.
fn circuit_evidence(
    terms: &mut Terms,
    name: &str,
    systems: &[System],
    piece: &str,
) -> Result<Vec<(u64, String)>, String> {
    if !matches!(name, "btor2" | "aag" | "aig") {
        return Err(format!("this is no evidence that is known for {name}"));
    }
    let [system] = systems else { return Err("there is not one system".into()) };
    let begin = piece.lines().find(|line| !is_comment(line)).unwrap_or_default();
    if !matches!(begin.trim(), "sat" | "1") {
        return circuit(name, system, piece).map(|claim| vec![claim]);
    }
    let format = WitnessFormat::of(name).ok_or("there is no form for it")?;
    let mut errors = Vec::new();
    let found = (format.read)(terms, system, source(piece), &mut errors).ok_or_else(|| first(&errors))?;
    let mut claims = Vec::new();
    for position in [found.property].into_iter().chain(found.others) {
        let property = system.properties.get(position).ok_or("the property is missing")?;
        let trace = found.trace.clone().up_to_violation(terms, system, property);
        let text = in_vmt(terms, system, &trace, property.index)?;
        claims.push((property.index, text));
    }
    Ok(claims)
}

/// A trace in VMT-LIB.
fn in_vmt(terms: &mut Terms, system: &System, trace: &Trace, index: u64) -> Result<String, String> {
    let spelled = Spelled::new(terms, system)?;
    let text = write_trace(terms, &spelled.system, index, &spelled.trace(trace));
    text.map_err(|error| error.message)
}

/// An inductive invariant of a system as a certificate in VMT-LIB.
fn certificate_text(
    terms: &mut Terms,
    system: &System,
    index: u64,
    invariant: TermId,
) -> Result<String, String> {
    // As its only property it gets the names that the system gets.
    let property = Property { index, name: None, kind: PropertyKind::Invariant(invariant) };
    let alone = System { properties: vec![property], ..system.clone() };
    let spelled = Spelled::new(terms, &alone)?.system;
    let Some(PropertyKind::Invariant(invariant)) = spelled.properties.first().map(|p| p.kind.clone()) else {
        return Err("the invariant is missing".into());
    };
    let text = write_certificate(terms, &spelled, index, &Certificate::inductive(invariant));
    text.map_err(|error| error.message)
}

/// True for a line of a witness that says nothing.
fn is_comment(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with(';') || line == "c" || line.starts_with("c ")
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
    let read = read.pop().ok_or("there is no circuit")?;
    let Some(PropertyKind::Invariant(invariant)) =
        read.properties.first().map(|property| property.kind.clone())
    else {
        return Err("the circuit has no property that is an invariant".into());
    };
    certificate_text(&mut terms, &read, property.index, invariant).map(|text| (property.index, text))
}

/// What responses say about each query that they answer.
fn responses(terms: &mut Terms, systems: &[System], piece: &str) -> Vec<Result<Meant, Validation>> {
    let mut errors = Vec::new();
    let Some(read) = Responses::read(terms, source(piece), &mut errors) else {
        return vec![Err(Validation::Rejected(first(&errors)))];
    };
    if read.answered().is_empty() {
        return vec![Err(Validation::Rejected("the response answers no query".into()))];
    }
    let key = |answered: &Answered| (answered.system.clone(), answered.query.clone());
    let mut counts: BTreeMap<_, usize> = BTreeMap::default();
    for answered in read.answered() {
        *counts.entry(key(answered)).or_default() += 1;
    }
    let mut before: BTreeMap<_, usize> = BTreeMap::default();
    let mut found = Vec::new();
    for answered in read.answered() {
        let mut asked = asked(systems, answered);
        // Where all queries of a name are answered, they are so in their order.
        let at = before.entry(key(answered)).or_default();
        if counts.get(&key(answered)) == Some(&asked.len()) {
            asked = vec![asked[*at]];
        }
        *at += 1;
        found.push(response(terms, &read, answered, &asked));
    }
    found
}

/// The queries that an answer can be about.
fn asked<'a>(systems: &'a [System], answered: &Answered) -> Vec<(&'a System, &'a Property)> {
    let of_system = |system: &&System| answered.system.is_none() || system.name == answered.system;
    let of_query = |property: &Property| match &property.name {
        Some(name) => *name == answered.query,
        None => property.index.to_string() == answered.query,
    };
    let all = systems.iter().filter(of_system);
    all.flat_map(|system| system.properties.iter().map(move |property| (system, property)))
        .filter(|(_, property)| of_query(property))
        .collect()
}

/// What an answer means as VMT-LIB for each of the queries that it can be about.
fn response(
    terms: &mut Terms,
    read: &Responses<'_>,
    answered: &Answered,
    asked: &[(&System, &Property)],
) -> Result<Meant, Validation> {
    let (mut meant, query) = (Vec::new(), &answered.query);
    let mut reason =
        Validation::Rejected(format!("the task has no query `{query}` about a system of that name"));
    for (system, property) in asked {
        let mut errors = Vec::new();
        let texts = match read.answer(terms, system, answered, &mut errors) {
            Some(Response::Sat(trace)) => {
                let meanings = [in_our_steps(&trace), trace];
                meanings.iter().rev().map(|trace| in_vmt(terms, system, trace, property.index)).collect()
            }
            Some(Response::Unsat(Some(invariant))) => {
                vec![certificate_text(terms, system, property.index, invariant)]
            }
            Some(Response::Unsat(None) | Response::Unknown) => {
                let why = format!("the answer to `{query}` alone is no evidence");
                reason = Validation::Unknown(why);
                continue;
            }
            None => {
                reason = Validation::Rejected(first(&errors));
                continue;
            }
        };
        for text in texts {
            match text {
                Ok(text) => meant.push((property.index, text)),
                Err(error) => reason = Validation::Rejected(error),
            }
        }
    }
    if meant.is_empty() { Err(reason) } else { Ok(meant) }
}

/// The same execution with time to notice what has happened: what is asked is remembered in variables of our own, which show
/// it one step later, so one step more is looked at, or one round of the loop.
fn in_our_steps(trace: &Trace) -> Trace {
    let mut longer = trace.clone();
    match trace.back {
        None => longer.steps.push(Assignment::new()),
        Some(back) => {
            longer.back = Some(trace.steps.len());
            longer.steps.extend(trace.steps[back.min(trace.steps.len())..].iter().cloned());
        }
    }
    longer
}

/// The evidence in a text, which can be about several properties, one after the other: evidence in VMT-LIB and responses begin
/// with a word of their own, counterexamples of circuits end with a dot.
pub(in crate::systems) fn pieces(text: &str) -> Vec<&str> {
    let (mut cuts, mut at, mut ended, mut seen) = (vec![0], 0, false, None);
    for line in text.split_inclusive('\n') {
        let begins = [MARK, RESPONSE].into_iter().find(|&mark| line.starts_with(mark));
        // Responses one after the other stay together: which query each is about may only be told by their order.
        let another =
            begins.is_some() && seen.is_some() && (begins, seen) != (Some(RESPONSE), Some(RESPONSE));
        if another || (ended && !is_comment(line)) {
            cuts.push(at);
            (ended, seen) = (false, None);
        }
        seen = seen.or(begins);
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
