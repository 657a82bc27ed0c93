//! Simple formulas that hold in a state: the bricks of sets that are never left.
//!
//! Those that come first are liked most: conditions of the program itself, then comparisons with its literals and between
//! variables, then residues, and equalities with the values of the state at last.

use program::{Procedure, Program};
use rustc_hash::FxHashSet;
use smt::eval::{Assignment, Evaluator};
use smt::op::Op;
use smt::sort::{Sort, SortId};
use smt::subst::{functions, postorder};
use smt::term::{FunId, Role, TermId, Terms};
use smt::value::Value;
use std::collections::{BTreeMap, BTreeSet};
use svlib::code;

/// Literals of one sort that are compared with.
const MANY_LITERALS: usize = 12;
/// Variables that are compared with each other.
const MANY_VARIABLES: usize = 10;
/// Formulas at most.
const MANY_ATOMS: usize = 250;
/// The budget of one evaluation.
const FUEL: u64 = 100_000;

/// A list of formulas over the variables, each of which holds in the state. The first ones, so many, are conditions of
/// the program.
pub(super) fn atoms(
    terms: &mut Terms,
    program: &Program<'_>,
    proc: &Procedure,
    state: &BTreeMap<FunId, Value>,
    changing: &[FunId],
) -> (Vec<TermId>, usize) {
    let literals = literals(terms, program, state);
    let mut list = Builder { terms, state, found: Vec::new(), seen: FxHashSet::default() };
    list.conditions(program, proc);
    let conditions = list.found.len();
    list.comparisons(&literals, changing);
    list.pairs(changing);
    list.residues(&literals, changing);
    list.values(changing);
    (list.found, conditions)
}

/// Literals of the code, by sort.
fn literals(
    terms: &mut Terms,
    program: &Program<'_>,
    state: &BTreeMap<FunId, Value>,
) -> BTreeMap<SortId, BTreeSet<Value>> {
    let mut found: BTreeMap<SortId, BTreeSet<Value>> = BTreeMap::new();
    for &variable in state.keys() {
        let sort = terms.fun(variable).result;
        match terms.sorts.get(sort) {
            Sort::Int => found.entry(sort).or_default().extend([-1, 0, 1].map(Value::int)),
            Sort::BitVec(width) => found.entry(sort).or_default().extend([Value::bits(*width, 0u8)]),
            _ => {}
        }
    }
    let code = program.procs.iter().flat_map(|proc| &proc.code.instrs);
    let texts: BTreeSet<TermId> = code.flat_map(|instr| texts(&instr.op)).collect();
    for text in texts {
        for term in postorder(terms, text) {
            let sort = terms.sort(term);
            let wanted = matches!(terms.sorts.get(sort), Sort::Int | Sort::Real | Sort::BitVec(_));
            if wanted && found.get(&sort).is_none_or(|known| known.len() < MANY_LITERALS) {
                found.entry(sort).or_default().extend(Value::from_term(terms, term));
            }
        }
    }
    found
}

fn texts(op: &code::Op) -> Vec<TermId> {
    match op {
        code::Op::Assume(term) | code::Op::Branch(term, _) => vec![*term],
        code::Op::Assign(pairs) => pairs.iter().map(|pair| pair.1).collect(),
        code::Op::Call(_, args, _) => args.to_vec(),
        _ => Vec::new(),
    }
}

struct Builder<'b> {
    terms: &'b mut Terms,
    state: &'b BTreeMap<FunId, Value>,
    found: Vec<TermId>,
    seen: FxHashSet<TermId>,
}

impl Builder<'_> {
    fn holds(&self, formula: TermId) -> Option<bool> {
        let mut state = Assignment::new();
        for (&variable, value) in self.state {
            state.set(variable, value.clone());
        }
        Evaluator::new(self.terms).with_fuel(FUEL).holds(formula, &mut state).ok()
    }

    /// Adds the formula if it holds.
    fn add(&mut self, formula: TermId) {
        let is_new = formula != TermId::TRUE && self.found.len() < MANY_ATOMS && self.seen.insert(formula);
        if is_new && self.holds(formula) == Some(true) {
            self.found.push(formula);
        }
    }

    fn app(&mut self, op: Op, args: &[TermId]) {
        if let Ok(formula) = self.terms.app(op, args) {
            self.add(formula);
        }
    }

    /// What the procedure asks, and the parts of it, or their negations.
    fn conditions(&mut self, program: &Program<'_>, proc: &Procedure) {
        let all = [std::slice::from_ref(proc), &program.procs].concat();
        for instr in all.iter().flat_map(|proc| &proc.code.instrs) {
            let (code::Op::Branch(condition, _) | code::Op::Assume(condition)) = instr.op else { continue };
            for part in postorder(self.terms, condition).into_iter().rev() {
                if self.terms.sort(part) == SortId::BOOL && self.can_say(part) {
                    self.add(part);
                    let negated = self.terms.not(part);
                    self.add(negated);
                }
            }
        }
    }

    fn can_say(&self, formula: TermId) -> bool {
        functions(self.terms, formula).into_iter().all(|fun| match self.terms.fun(fun).role {
            Role::Variable(..) => self.state.contains_key(&fun),
            Role::At(..) => false,
            _ => true,
        })
    }

    /// The strict comparisons of a sort, with the weak ones.
    fn orders(&self, sort: SortId) -> &'static [(Op, Op)] {
        match self.terms.sorts.get(sort) {
            Sort::Int | Sort::Real => &[(Op::Lt, Op::Le)],
            Sort::BitVec(_) => &[(Op::BvUlt, Op::BvUle), (Op::BvSlt, Op::BvSle)],
            _ => &[],
        }
    }

    fn compare(&mut self, left: TermId, right: TermId) {
        for &(less, at_most) in self.orders(self.terms.sort(left)) {
            self.app(less, &[left, right]);
            self.app(less, &[right, left]);
            self.app(at_most, &[left, right]);
            self.app(at_most, &[right, left]);
        }
        self.app(Op::Eq, &[left, right]);
    }

    fn comparisons(&mut self, literals: &BTreeMap<SortId, BTreeSet<Value>>, changing: &[FunId]) {
        for &variable in changing {
            let term = self.terms.constant_term(variable);
            let sort = self.terms.fun(variable).result;
            for literal in literals.get(&sort).into_iter().flatten() {
                let literal = literal.to_term(self.terms);
                self.compare(term, literal);
            }
        }
    }

    fn pairs(&mut self, changing: &[FunId]) {
        let others: Vec<FunId> = self.state.keys().copied().take(MANY_VARIABLES).collect();
        for &variable in changing.iter().take(MANY_VARIABLES) {
            for &other in others.iter().filter(|&&other| other != variable) {
                if self.terms.fun(variable).result == self.terms.fun(other).result {
                    let pair = [variable, other].map(|v| self.terms.constant_term(v));
                    self.compare(pair[0], pair[1]);
                }
            }
        }
    }

    fn residues(&mut self, literals: &BTreeMap<SortId, BTreeSet<Value>>, changing: &[FunId]) {
        let two = Value::int(2);
        let moduli: BTreeSet<Value> = literals
            .get(&SortId::INT)
            .into_iter()
            .flatten()
            .filter(|value| **value > two)
            .cloned()
            .chain([two.clone()])
            .take(4)
            .collect();
        for &variable in changing {
            let sort = self.terms.fun(variable).result;
            let term = self.terms.constant_term(variable);
            if let Sort::BitVec(_) = self.terms.sorts.get(sort) {
                if let Ok(last) = self.terms.app_indexed(Op::Extract, &[0, 0], &[term]) {
                    self.is_what_it_is(last);
                }
            } else if sort == SortId::INT {
                for modulus in &moduli {
                    let modulus = modulus.to_term(self.terms);
                    if let Ok(rest) = self.terms.app(Op::Mod, &[term, modulus]) {
                        self.is_what_it_is(rest);
                    }
                }
            }
        }
    }

    /// Equalities with values of the state; differences and sums too.
    fn values(&mut self, changing: &[FunId]) {
        let numbers: Vec<TermId> = changing
            .iter()
            .filter(|&&variable| self.terms.fun(variable).result == SortId::INT)
            .take(MANY_VARIABLES)
            .copied()
            .collect::<Vec<_>>()
            .into_iter()
            .map(|variable| self.terms.constant_term(variable))
            .collect();
        for (i, &left) in numbers.iter().enumerate() {
            for &right in &numbers[i + 1..] {
                for op in [Op::Sub, Op::Add] {
                    if let Ok(term) = self.terms.app(op, &[left, right]) {
                        self.is_what_it_is(term);
                    }
                }
            }
        }
        for &variable in changing {
            let term = self.terms.constant_term(variable);
            self.is_what_it_is(term);
        }
    }

    /// The term has the value that it has in the state.
    fn is_what_it_is(&mut self, term: TermId) {
        let mut state = Assignment::new();
        for (&variable, value) in self.state {
            state.set(variable, value.clone());
        }
        let value = Evaluator::new(self.terms).with_fuel(FUEL).eval(term, &mut state);
        if let Ok(value) = value {
            let value = value.to_term(self.terms);
            self.app(Op::Eq, &[term, value]);
        }
    }
}
