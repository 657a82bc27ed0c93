//! Which variables are positions in arrays, and what positions are compared with: the ends of ranges of cells.
//!
//! A variable is a position if an array is looked at there, or if it is compared with a position, is assigned to one or
//! comes from one. What is in cells is no position, unless it is used as one.

use super::candidates::sides;
use program::Program;
use smt::op::Op as SmtOp;
use smt::sort::SortId;
use smt::subst::postorder;
use smt::term::{FunId, TermId, Terms};
use std::collections::BTreeSet;
use svlib::code::Op;

/// Positions of a program.
#[derive(Default)]
pub(crate) struct Indices {
    /// The variables.
    pub(crate) variables: BTreeSet<FunId>,
    /// Terms that are more than variables and that positions are compared with, in the order of the text.
    pub(crate) limits: Vec<TermId>,
    /// Terms that are more than variables and at which arrays are looked at, in the order of the text.
    pub(crate) places: Vec<TermId>,
}

/// The positions of a program with these atoms.
pub(crate) fn indices(terms: &Terms, program: &Program<'_>, atoms: &[TermId]) -> Indices {
    let flows = flows(terms, program);
    let mut found = Indices::default();
    let looked = flows.iter().map(|flow| flow.1).chain(atoms.iter().copied());
    for term in looked.flat_map(|term| postorder(terms, term)) {
        if matches!(terms.op(term), SmtOp::Select | SmtOp::Store) {
            let at = terms.args(term)[1];
            found.variables.extend(numbers(terms, at));
            let is_sum = !numbers(terms, at).is_empty() && !terms.args(at).is_empty() && !terms.has_vars(at);
            if is_sum && !looks(terms, at) && !found.places.contains(&at) {
                found.places.push(at);
            }
        }
    }
    let compared: Vec<(TermId, TermId)> = atoms.iter().filter_map(|&atom| sides(terms, atom)).collect();
    loop {
        let before = found.variables.len();
        for &(left, right) in &compared {
            let both: Vec<FunId> = numbers(terms, left).into_iter().chain(numbers(terms, right)).collect();
            if both.iter().any(|variable| found.variables.contains(variable)) {
                found.variables.extend(both);
            }
        }
        for &(target, value) in &flows {
            let from = numbers(terms, value);
            let is_position = found.variables.contains(&target);
            if terms.fun(target).result == SortId::INT
                && (is_position || from.iter().any(|variable| found.variables.contains(variable)))
            {
                found.variables.insert(target);
                found.variables.extend(from);
            }
        }
        if found.variables.len() == before {
            break;
        }
    }
    for (left, right) in compared {
        let is_position = |&term: &TermId| {
            let inside = numbers(terms, term);
            inside.iter().any(|variable| found.variables.contains(variable))
        };
        for (side, other) in [(left, right), (right, left)] {
            let plain = terms.args(other).is_empty() && terms.literal(other).is_none();
            if is_position(&side) && !plain && !looks(terms, other) && !found.limits.contains(&other) {
                found.limits.push(other);
            }
        }
    }
    found
}

/// True when a term looks into an array.
fn looks(terms: &Terms, term: TermId) -> bool {
    postorder(terms, term).iter().any(|&term| terms.op(term) == SmtOp::Select)
}

/// The integer variables in a term, without those that are only in the index or the contents of an array.
fn numbers(terms: &Terms, term: TermId) -> Vec<FunId> {
    let (mut found, mut todo) = (Vec::new(), vec![term]);
    while let Some(term) = todo.pop() {
        match terms.op(term) {
            SmtOp::Select => {}
            _ if terms.sort(term) != SortId::INT => {}
            _ if terms.args(term).is_empty() => found.extend(terms.applied(term)),
            _ => todo.extend(terms.args(term)),
        }
    }
    found
}

/// What goes into which variable, by assignments and calls.
fn flows(terms: &Terms, program: &Program<'_>) -> Vec<(FunId, TermId)> {
    let mut found = Vec::new();
    for proc in &program.procs {
        for instr in &proc.code.instrs {
            match &instr.op {
                Op::Assign(pairs) => found.extend(pairs.iter().copied()),
                Op::Call(callee, args, _) => {
                    let inputs = &program.script.procs[*callee].inputs;
                    found.extend(inputs.iter().copied().zip(args.iter().copied()));
                }
                _ => {}
            }
        }
    }
    found.retain(|(_, term)| terms.sort(*term) != SortId::BOOL);
    found
}
