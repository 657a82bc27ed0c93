//! Questions about words put to a SAT solver, bit by bit. Where a question is about many steps in a row, that is a hundred times
//! faster than the solver for all theories.
//!
//! How words become bits is code that engines use, too, and the checker must not share their mistakes. So it is compared first
//! with the evaluator, which is exact and judges traces as well: the formulas of the system in question, and the sides of
//! their equations, have to have the same values in both, for values that are zero, all ones, small and arbitrary.

use base::budget::Budget;
use cadical::{Callbacks, Solver};
use smt::eval::Evaluator;
use smt::op::Op;
use smt::term::{TermId, Terms};
use smt::value::Value;
use ts::System;
use ts::aig::{Lit, Node};
use ts::passes::bitblast::Question;

/// So many of the 64 cases are compared.
const CASES: u32 = 12;

/// True when the formulas of a system, and some more, mean the same as bits.
pub(crate) fn agree(terms: &mut Terms, system: &System, more: &[TermId]) -> bool {
    let lists = [&system.axioms, &system.init, &system.trans, &system.invar];
    let roots = probes(terms, lists.into_iter().flatten().chain(more).copied());
    match Question::of(terms, &roots) {
        Ok(question) => is_faithful(terms, &roots, &question),
        Err(_) => false,
    }
}

/// True when all terms have the values that the evaluator computes.
fn is_faithful(terms: &mut Terms, roots: &[TermId], question: &Question) -> bool {
    let nodes = question.aig.eval(&[], &inputs(question));
    for case in 0..CASES {
        let Some(mut assignment) = question.assignment(terms, &nodes, case) else { return false };
        let Ok(expected) = Evaluator::new(terms).all(roots, &mut assignment) else { return false };
        let same = |(at, (&root, expected)): (usize, (&TermId, Value))| {
            question.value(terms, root, at, &nodes, case) == Some(expected)
        };
        if !roots.iter().zip(expected).enumerate().all(same) {
            return false;
        }
    }
    true
}

/// Formulas, what they are made of by connectives, and the sides of equations and comparisons.
fn probes(terms: &Terms, roots: impl Iterator<Item = TermId>) -> Vec<TermId> {
    let (mut found, mut seen) = (Vec::new(), rustc_hash::FxHashSet::default());
    let mut todo: Vec<TermId> = roots.collect();
    while let Some(term) = todo.pop() {
        if !seen.insert(term) {
            continue;
        }
        found.push(term);
        let is_formula = terms.sort(term) == smt::sort::SortId::BOOL;
        if is_formula && terms.op(term) != Op::App {
            todo.extend(terms.args(term));
        }
    }
    found
}

/// Values of all constants in 64 cases: zeros, ones, and then for each constant zero, a small number or anything.
fn inputs(question: &Question) -> Vec<u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut values = vec![0; question.aig.inputs().len()];
    for variable in &question.variables {
        let (nonzero, large) = (next() | next(), next());
        for (bit, lit) in variable.bits.iter().enumerate() {
            let Node::Input(position) = question.aig.nodes()[lit.node() as usize] else { continue };
            let is_low = if bit < 2 { u64::MAX } else { large };
            values[position as usize] = (next() & nonzero & is_low & !1) | 2;
        }
    }
    values
}

/// True when the formulas are found to contradict each other within the budget.
pub(crate) fn contradict(terms: &Terms, formulas: &[TermId], budget: &Budget) -> bool {
    Said::new(terms, formulas, &[], budget).is_some_and(|mut said| said.contradict())
}

/// Formulas of which some are said to hold.
pub(crate) struct Said {
    solver: Solver<Stop>,
    /// The literal of each formula.
    claims: Vec<i32>,
}

impl Said {
    /// Nothing is said so far, but all formulas will be, in this order, if they follow or are not among the goals, which are named by
    /// their numbers. None if they cannot be made of bits.
    pub(crate) fn new(terms: &Terms, formulas: &[TermId], goals: &[usize], budget: &Budget) -> Option<Said> {
        let question = Question::about(terms, formulas, |at| goals.binary_search(&at).is_err()).ok()?;
        let aig = &question.aig;
        let claims: Vec<Lit> = question.words.iter().map(|word| word[0]).collect();
        let needed = aig.cone(claims.iter().copied());
        let variable = |lit: Lit| {
            let number = lit.node() as i32 + 1;
            if lit.is_negated() { -number } else { number }
        };
        let mut solver: Solver<Stop> = Solver::new();
        solver.set_callbacks(Some(Stop(budget.clone())));
        solver.add_clause([variable(Lit::TRUE)]);
        for (number, node) in aig.nodes().iter().enumerate().filter(|(number, _)| needed[*number]) {
            if let Node::And(a, b) = *node {
                let gate = variable(Lit::new(number as u32, false));
                solver.add_clause([-gate, variable(a)]);
                solver.add_clause([-gate, variable(b)]);
                solver.add_clause([gate, -variable(a), -variable(b)]);
            }
        }
        Some(Said { solver, claims: claims.into_iter().map(variable).collect() })
    }

    /// True when all formulas are found to contradict each other.
    pub(crate) fn contradict(&mut self) -> bool {
        (0..self.claims.len()).for_each(|at| self.holds(at));
        self.solver.solve() == Some(false)
    }

    /// Says that a formula holds.
    pub(crate) fn holds(&mut self, at: usize) {
        self.solver.add_clause([self.claims[at]]);
    }

    /// Whether a formula is found to follow from what was said; if so, it is said from now on.
    pub(crate) fn follows(&mut self, at: usize) -> bool {
        let follows = self.solver.solve_with([-self.claims[at]]) == Some(false);
        if follows {
            self.holds(at);
        }
        follows
    }
}

/// Ends the solver with the budget.
pub(crate) struct Stop(Budget);

impl Callbacks for Stop {
    fn terminate(&mut self) -> bool {
        self.0.is_over()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smt::term::{Fun, Role};

    #[test]
    fn what_contradicts_itself_is_found_and_nothing_else() {
        let mut terms = Terms::new();
        let sort = terms.sorts.bit_vec(8);
        let name = terms.names.intern("x");
        let x = terms.declare(Fun { name, params: Box::new([]), result: sort, role: Role::Free });
        let x = terms.constant_term(x);
        let square = terms.app(Op::BvMul, &[x, x]).expect("a word");
        let (two, four) = (terms.bits(8, 2u8.into()), terms.bits(8, 4u8.into()));
        let never = terms.app(Op::Eq, &[square, two]).expect("a formula");
        let sometimes = terms.app(Op::Eq, &[square, four]).expect("a formula");
        let (budget, system) = (Budget::unlimited(), System::default());
        assert!(agree(&mut terms, &system, &[never, sometimes]));
        let mut wrong = Question::of(&terms, &[square]).expect("bits");
        assert!(is_faithful(&mut terms, &[square], &wrong));
        wrong.words[0].swap(2, 4);
        assert!(!is_faithful(&mut terms, &[square], &wrong));
        assert!(contradict(&terms, &[never], &budget));
        assert!(!contradict(&terms, &[sometimes], &budget));
        let not_two = terms.app(Op::Distinct, &[x, two]).expect("a formula");
        assert!(!contradict(&terms, &[sometimes, not_two], &budget));
    }

    /// What a fact makes of a constant holds for those that come later, and others may say more about it.
    #[test]
    fn constants_are_what_facts_say() {
        let mut terms = Terms::new();
        let sort = terms.sorts.bit_vec(4);
        let [x, y, z] = ["x", "y", "z"].map(|name| {
            let name = terms.names.intern(name);
            let fun = Fun { name, params: Box::new([]), result: sort, role: Role::Free };
            let fun = terms.declare(fun);
            terms.constant_term(fun)
        });
        let one = terms.bits(4, 1u8.into());
        let more = |terms: &mut Terms, x| terms.app(Op::BvAdd, &[x, one]).expect("a word");
        let equal = |terms: &mut Terms, a, b| terms.app(Op::Eq, &[a, b]).expect("a formula");
        let (x1, y1) = (more(&mut terms, x), more(&mut terms, y));
        let (x_is_more, y_is_more, z_is_more) =
            (equal(&mut terms, x, x1), equal(&mut terms, y, x1), equal(&mut terms, y1, z));
        let (x_is_y, y_is_x, x_is_z) =
            (equal(&mut terms, x, y), equal(&mut terms, y, x), equal(&mut terms, x, z));
        let two_more = terms.and(&[y_is_more, z_is_more]);
        let budget = Budget::unlimited();
        let check = |formulas: &[TermId]| contradict(&terms, formulas, &budget);
        assert!(check(&[x_is_more]));
        assert!(!check(&[y_is_more, z_is_more]));
        assert!(check(&[two_more, x_is_z]));
        assert!(check(&[x_is_z, two_more]));
        assert!(check(&[x_is_y, y_is_more]));
        assert!(!check(&[x_is_y, y_is_x]));
        // A goal is no fact: it is not said that y is more than x when it is asked whether.
        let mut said = Said::new(&terms, &[y_is_more, x_is_y], &[0], &budget).expect("bits");
        assert!(!said.follows(0));
        let mut said = Said::new(&terms, &[y_is_x, y_is_more], &[1], &budget).expect("bits");
        said.holds(0);
        assert!(!said.follows(1));
        // And what is said of a constant later on does not count before.
        let mut said = Said::new(&terms, &[x_is_z, x_is_y, y_is_more], &[0], &budget).expect("bits");
        assert!(!said.follows(0));
        said.holds(1);
        said.holds(2);
        assert!(said.follows(0));
    }

    #[test]
    fn values_are_of_many_kinds() {
        let mut terms = Terms::new();
        let sort = terms.sorts.bit_vec(16);
        let name = terms.names.intern("x");
        let x = terms.declare(Fun { name, params: Box::new([]), result: sort, role: Role::Free });
        let x = terms.constant_term(x);
        let question = Question::of(&terms, &[x]).expect("bits");
        let nodes = question.aig.eval(&[], &inputs(&question));
        let mut values = Vec::new();
        for case in 0..CASES {
            values.push(format!("{:?}", question.value(&mut terms, x, 0, &nodes, case)));
        }
        values.sort();
        values.dedup();
        assert!(values.len() > 4, "{values:?}");
    }
}
