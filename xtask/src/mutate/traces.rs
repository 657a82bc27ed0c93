//! Changes of traces.

use super::Mutant;
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{Const, TermId, Terms};
use svlib::syntax::{CommandKind, Step, Trace};

/// The changes of one `select-trace`.
pub(super) fn mutants(terms: &mut Terms, trace: &Trace, number: usize) -> Vec<Mutant> {
    let mut found = Vec::new();
    let mut push = |kind, other: Trace| {
        found.push(Mutant { kind, command: Some(CommandKind::SelectTrace(Box::new(other))), number });
    };
    for i in 0..trace.model.len() {
        if let Some(new) = another(terms, trace.model[i].body) {
            let mut other = trace.clone();
            other.model[i].body = new;
            push("value of a constant", other);
        }
    }
    for i in 0..trace.globals.len() {
        if let Some(new) = another(terms, trace.globals[i].1) {
            let mut other = trace.clone();
            other.globals[i].1 = new;
            push("value of a global", other);
        }
    }
    for i in 0..trace.steps.len() {
        let mut other = trace.clone();
        other.steps.remove(i);
        push("step left out", other);
        if let Step::Choice(index) = trace.steps[i] {
            let mut other = trace.clone();
            other.steps[i] = Step::Choice(if index == 0 { 1 } else { index - 1 });
            push("choice", other);
        }
        let count = match &trace.steps[i] {
            Step::InitProcVars(_, values) | Step::Havoc(values) | Step::Leap(_, values) => values.len(),
            Step::Choice(_) => 0,
        };
        for j in 0..count {
            let mut other = trace.clone();
            let (Step::InitProcVars(_, values) | Step::Havoc(values) | Step::Leap(_, values)) =
                &mut other.steps[i]
            else {
                continue;
            };
            let Some(new) = another(terms, values[j].1) else { continue };
            values[j].1 = new;
            push("value of a step", other);
        }
    }
    found
}

/// Another value of the same sort; none for values that are no numbers or truth values.
fn another(terms: &mut Terms, value: TermId) -> Option<TermId> {
    if terms.sort(value) == SortId::BOOL {
        return Some(terms.not(value));
    }
    let negative = terms.op(value) == Op::Neg;
    let literal = if negative { terms.args(value)[0] } else { value };
    let new = match terms.literal(literal).cloned()? {
        Const::Nat(value) => terms.nat(value + 1u8),
        Const::Bits(width, value) => terms.bits(width, value + 1u8),
        Const::Decimal(_) | Const::Str(_) | Const::Pair(..) => return None,
    };
    if negative { terms.app(Op::Neg, &[new]).ok() } else { Some(new) }
}
