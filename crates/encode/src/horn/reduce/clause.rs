//! A clause in pieces.

use crate::horn::clauses::conjuncts;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::subst::{free_vars, postorder, replace};
use smt::term::{FunId, TermId, Terms};

/// An application of an unknown predicate, by number.
pub(super) type Atom = (usize, Vec<TermId>);

/// A condition of a clause.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    /// Any formula.
    Plain(TermId),
    /// What a Boolean variable that stands for meeting ways means: one of these conjunctions.
    Way(TermId, Vec<Vec<TermId>>),
}

/// What follows.
#[derive(Clone, Debug)]
pub(super) enum Head {
    Atom(Atom),
    Formula(TermId),
}

/// A clause: all variables are bound at its beginning.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub(super) atoms: Vec<Atom>,
    pub(super) conditions: Vec<Condition>,
    pub(super) head: Head,
}

impl Clause {
    /// The pieces of a clause; none when an unknown predicate stands inside a formula.
    pub(super) fn read(terms: &Terms, clause: TermId, numbers: &FxHashMap<FunId, usize>) -> Option<Clause> {
        let mut matrix = clause;
        while terms.op(matrix) == Op::Forall {
            matrix = *terms.args(matrix).last()?;
        }
        let (body, goal) = match (terms.op(matrix), terms.args(matrix)) {
            (Op::Implies, &[body, goal]) => (conjuncts(terms, body), goal),
            _ => (Vec::new(), matrix),
        };
        let atom = |term: TermId| {
            let number = terms.applied(term).and_then(|fun| numbers.get(&fun))?;
            Some((*number, terms.args(term).to_vec()))
        };
        let (mut atoms, mut formulas) = (Vec::new(), Vec::new());
        for formula in body {
            match atom(formula) {
                Some(atom) => atoms.push(atom),
                None => formulas.push(formula),
            }
        }
        let arguments: FxHashSet<TermId> = atoms.iter().flat_map(|atom| &atom.1).copied().collect();
        let head = match atom(goal) {
            Some(atom) => Head::Atom(atom),
            None => Head::Formula(goal),
        };
        let unknown = |&term: &TermId| terms.applied(term).is_some_and(|fun| numbers.contains_key(&fun));
        let hidden = |&formula: &TermId| postorder(terms, formula).iter().any(unknown);
        if formulas.iter().any(hidden) || matches!(&head, Head::Formula(formula) if hidden(formula)) {
            return None;
        }
        let condition = |formula: TermId| match (terms.op(formula), terms.args(formula)) {
            (Op::Implies, &[way, meaning]) if terms.variable(way).is_some() && !arguments.contains(&way) => {
                let cases =
                    if terms.op(meaning) == Op::Or { terms.args(meaning).to_vec() } else { vec![meaning] };
                Condition::Way(way, cases.into_iter().map(|case| conjuncts(terms, case)).collect())
            }
            _ => Condition::Plain(formula),
        };
        let conditions = formulas.into_iter().map(condition).collect();
        Some(Clause { atoms, conditions, head })
    }

    /// The clause with terms in the place of variables.
    pub(super) fn replaced(&self, terms: &mut Terms, map: &FxHashMap<TermId, TermId>) -> Clause {
        let mut clause = self.clone();
        if map.is_empty() {
            return clause;
        }
        for term in clause.terms_mut() {
            *term = replace(terms, *term, map);
        }
        clause
    }

    /// All terms, the arguments of predicates among them; the Boolean variables that stand for ways are not.
    fn terms_mut(&mut self) -> Vec<&mut TermId> {
        let mut found: Vec<&mut TermId> = self.atoms.iter_mut().flat_map(|atom| &mut atom.1).collect();
        for condition in &mut self.conditions {
            match condition {
                Condition::Plain(formula) => found.push(formula),
                Condition::Way(_, cases) => found.extend(cases.iter_mut().flatten()),
            }
        }
        match &mut self.head {
            Head::Atom(atom) => found.extend(&mut atom.1),
            Head::Formula(formula) => found.push(formula),
        }
        found
    }

    /// The clause as a formula, with those arguments of the predicates that are relevant.
    pub(super) fn write(&self, terms: &mut Terms, predicates: &[FunId], relevant: &[Vec<bool>]) -> TermId {
        let mut body = Vec::new();
        for atom in &self.atoms {
            body.push(applied(terms, predicates, relevant, atom));
        }
        for condition in &self.conditions {
            match condition {
                Condition::Plain(formula) => body.push(*formula),
                Condition::Way(way, cases) => {
                    let cases: Vec<TermId> = cases.iter().map(|case| terms.and(case)).collect();
                    let meaning = match cases[..] {
                        [] => TermId::FALSE,
                        [one] => one,
                        // These are formulas, and so is what is made of them.
                        _ => terms.app(Op::Or, &cases).unwrap_or(TermId::TRUE),
                    };
                    body.push(terms.app(Op::Implies, &[*way, meaning]).unwrap_or(TermId::TRUE));
                }
            }
        }
        body.retain(|&formula| formula != TermId::TRUE);
        let head = match &self.head {
            Head::Atom(atom) => applied(terms, predicates, relevant, atom),
            Head::Formula(formula) => *formula,
        };
        let matrix = match body[..] {
            [] => head,
            _ => {
                let body = terms.and(&body);
                terms.app(Op::Implies, &[body, head]).unwrap_or(head)
            }
        };
        match free_vars(terms, matrix) {
            vars if vars.is_empty() => matrix,
            vars => terms.bind(Op::Forall, &vars, matrix).unwrap_or(matrix),
        }
    }
}

fn applied(terms: &mut Terms, predicates: &[FunId], relevant: &[Vec<bool>], atom: &Atom) -> TermId {
    let args: Vec<TermId> =
        atom.1.iter().zip(&relevant[atom.0]).filter(|pair| *pair.1).map(|pair| *pair.0).collect();
    // The predicate was declared for these arguments.
    terms.call(predicates[atom.0], &args).unwrap_or(TermId::TRUE)
}
