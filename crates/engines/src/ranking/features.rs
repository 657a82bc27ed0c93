//! What a ranking function may be made of at a place: integer terms over the variables that are visible there.

use program::{Need, Program, Why};
use smt::op::Op;
use smt::sort::{Sort, SortId};
use smt::subst::{functions, is_closed, postorder};
use smt::term::{FunId, Role, TermId, Terms};
use std::collections::BTreeSet;
use svlib::code::Op as Code;

/// More features make the search slow.
const MOST: usize = 14;

/// The features of a place, the most promising first.
pub(crate) fn features(terms: &mut Terms, program: &Program<'_>, need: &Need) -> Vec<TermId> {
    let Some(proc) = program.proc(need.proc) else { return Vec::new() };
    let covered = program.covered(proc, need.stmt);
    let changed = program.modified(proc, need.stmt);
    let own = program.own_variables(proc.id);
    let visible: BTreeSet<FunId> = program.globals.iter().copied().chain(own).collect();
    let mut read: BTreeSet<FunId> = BTreeSet::new();
    let mut found = Vec::new();
    for &pc in &covered {
        let condition = match &proc.code.instrs[pc].op {
            Code::Branch(term, _) | Code::Assume(term) => *term,
            _ => continue,
        };
        for term in postorder(terms, condition) {
            if let Some(fun) = terms.applied(term).filter(|fun| visible.contains(fun)) {
                read.insert(fun);
            }
            if is_compound(terms, term, &visible) {
                found.push(term);
            }
            if !functions(terms, term).iter().any(|fun| hides(terms, *fun, &visible)) {
                found.extend(distances(terms, term));
            }
        }
    }
    // A procedure is entered with its inputs; what its locals are then means nothing.
    let inputs = &program.script.procs[proc.id].inputs;
    let means = |variable: &FunId| {
        need.why == Why::Loop || inputs.contains(variable) || program.globals.contains(variable)
    };
    let (first, second): (Vec<FunId>, Vec<FunId>) =
        visible.iter().filter(|v| means(v)).partition(|v| read.contains(v) && changed.contains(v));
    let (third, rest): (Vec<FunId>, Vec<FunId>) = second.into_iter().partition(|v| read.contains(v));
    let (fourth, last): (Vec<FunId>, Vec<FunId>) = rest.into_iter().partition(|v| changed.contains(v));
    let mut all = Vec::new();
    for variable in first.into_iter().chain(third) {
        all.extend(measures(terms, variable));
    }
    if need.why == Why::Loop {
        all.extend(found);
    }
    for variable in fourth.into_iter().chain(last) {
        all.extend(measures(terms, variable));
    }
    let mut seen = BTreeSet::new();
    all.retain(|&term| seen.insert(term));
    all.truncate(MOST);
    all
}

/// A variable as integers.
fn measures(terms: &mut Terms, variable: FunId) -> Vec<TermId> {
    let (term, sort) = (terms.constant_term(variable), terms.fun(variable).result);
    let app = |terms: &mut Terms, op, args: &[TermId]| terms.app(op, args).ok();
    match terms.sorts.get(sort) {
        Sort::Int => vec![term],
        Sort::Bool => {
            let (one, zero) = (terms.int(1), terms.int(0));
            app(terms, Op::Ite, &[term, one, zero]).into_iter().collect()
        }
        Sort::BitVec(_) => {
            let unsigned = app(terms, Op::UbvToInt, &[term]);
            unsigned.into_iter().chain(app(terms, Op::SbvToInt, &[term])).collect()
        }
        _ => Vec::new(),
    }
}

/// What is between the two sides of a comparison of bit-vectors. A sum of their values would say the same, but a
/// difference that is computed on bit-vectors is easier to reason about.
fn distances(terms: &mut Terms, term: TermId) -> Vec<TermId> {
    let [a, b] = terms.args(term)[..] else { return Vec::new() };
    let is_bits = matches!(terms.sorts.get(terms.sort(a)), Sort::BitVec(_));
    if !is_bits || terms.sort(term) != SortId::BOOL || !is_closed(terms, term) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (left, right) in [(a, b), (b, a)] {
        let difference = terms.app(Op::BvSub, &[left, right]);
        found.extend(difference.and_then(|difference| terms.app(Op::UbvToInt, &[difference])));
    }
    found
}

/// A variable that the place does not see.
fn hides(terms: &Terms, fun: FunId, visible: &BTreeSet<FunId>) -> bool {
    matches!(terms.fun(fun).role, Role::Variable(..)) && !visible.contains(&fun)
}

/// Integer terms that are no sums: a product or an element of an array may be what decreases.
fn is_compound(terms: &Terms, term: TermId, visible: &BTreeSet<FunId>) -> bool {
    let may_decrease = matches!(
        terms.op(term),
        Op::Mul | Op::IntDiv | Op::Mod | Op::Abs | Op::Select | Op::UbvToInt | Op::SbvToInt
    );
    may_decrease
        && terms.sort(term) == SortId::INT
        && is_closed(terms, term)
        && !functions(terms, term).into_iter().any(|fun| hides(terms, fun, visible))
}
