//! Formulas as Horn clauses.
//!
//! A clause in the making is a disjunction of which some parts are not looked into yet. Conjunctions split it; they wait
//! until nothing else is left to do, so that what is common is done once.

use super::below::Looks;
use super::open::{freed, opened, renamed};
use base::intern::SymbolId;
use rustc_hash::FxHashSet;
use smt::op::Op;
use smt::sort::SortId;
use smt::subst::postorder;
use smt::term::{FunId, TermId, Terms};
use ts::passes::horn::Clause;

/// Distribution may make so many clauses more than the formula has terms.
const MANY: usize = 10_000;
/// And so many parts of clauses more.
const MANY_PARTS: usize = 50_000_000;

/// Why a formula is not Horn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NotHorn {
    /// Two atoms without negation in one clause.
    TwoHeads(FunId, FunId),
    /// A predicate under a quantifier that cannot be moved out.
    Quantified(FunId),
    /// A predicate as an argument of this operator or function.
    Inside(FunId),
    /// Too many clauses for a formula of so many terms: its size would explode.
    TooMany(usize),
}

/// Turns formulas into clauses.
pub(super) struct Clausifier<'a> {
    looks: Looks<'a>,
}

#[derive(Clone, Default)]
struct Making {
    clause: Clause,
    /// The names of its variables.
    names: FxHashSet<SymbolId>,
    /// Disjuncts: a formula, and false if it is negated.
    open: Vec<(TermId, bool)>,
    /// Disjuncts that are conjunctions.
    split: Vec<(TermId, bool)>,
    /// True while nothing but universal quantifiers was met.
    plain: bool,
}

impl Making {
    fn parts(&self) -> usize {
        let Clause { vars, atoms, constraints, .. } = &self.clause;
        1 + vars.len() + atoms.len() + constraints.len() + self.split.len()
    }
}

/// How large the clauses of a formula became.
struct Growth {
    formula: TermId,
    /// The formula's number of terms, when somebody had to know.
    size: Option<usize>,
    parts: usize,
}

impl Growth {
    /// Adds clauses that begin with so many parts each, where there are so many already.
    fn add(&mut self, terms: &Terms, clauses: usize, new: usize, parts: usize) -> Result<(), NotHorn> {
        self.parts = self.parts.saturating_add(new.saturating_mul(parts));
        let clauses = clauses + new;
        if clauses <= MANY && self.parts <= MANY_PARTS {
            return Ok(());
        }
        let size = *self.size.get_or_insert_with(|| postorder(terms, self.formula).len());
        let fits = clauses - size.min(clauses) <= MANY && self.parts - size.min(self.parts) <= MANY_PARTS;
        if fits { Ok(()) } else { Err(NotHorn::TooMany(size)) }
    }
}

impl<'a> Clausifier<'a> {
    pub(super) fn new(predicates: &'a FxHashSet<FunId>) -> Clausifier<'a> {
        Clausifier { looks: Looks::new(predicates) }
    }

    /// The clauses of a closed formula without definitions.
    pub(super) fn clauses(&mut self, terms: &mut Terms, formula: TermId) -> Result<Vec<Clause>, NotHorn> {
        let mut found = Vec::new();
        let mut growth = Growth { formula, size: None, parts: 0 };
        let mut todo = vec![Making { open: vec![(formula, true)], plain: true, ..Making::default() }];
        while let Some(mut making) = todo.pop() {
            let mut valid = false;
            while let Some((term, positive)) = making.open.pop() {
                valid |= self.disjunct(terms, &mut making, term, positive)?;
            }
            if valid {
                continue;
            }
            match making.split.pop() {
                None => found.push(making.clause),
                Some((term, positive)) => {
                    let branches = branches(terms, term, positive);
                    growth.add(terms, found.len() + todo.len(), branches.len(), making.parts())?;
                    for parts in branches.into_iter().rev() {
                        let mut branch = making.clone();
                        branch.open = parts;
                        todo.push(branch);
                    }
                }
            }
        }
        Ok(found)
    }

    /// Puts a disjunct into the clause, or its parts among those to do. True when it makes the clause true.
    fn disjunct(
        &mut self,
        terms: &mut Terms,
        making: &mut Making,
        term: TermId,
        positive: bool,
    ) -> Result<bool, NotHorn> {
        let below = self.looks.below(terms, term);
        if below.quantified || below.predicate.is_some() {
            match (terms.op(term), positive) {
                (Op::Forall, true) | (Op::Exists, false) => {
                    let body = bound(terms, making, term);
                    making.open.push((body, positive));
                    return Ok(false);
                }
                (Op::Not, _) => {
                    making.open.extend(terms.args(term).iter().map(|&arg| (arg, !positive)));
                    return Ok(false);
                }
                _ => {}
            }
        }
        let Some(predicate) = below.predicate else {
            return Ok(self.constraint(terms, making, term, positive));
        };
        if let Some(fun) = terms.applied(term) {
            self.atom(terms, making, (fun, term), positive)?;
            return Ok(false);
        }
        let args = terms.args(term).to_vec();
        // The clauses of a conjunction have nothing in common but what is around it.
        making.plain &= (terms.op(term), positive) == (Op::And, true);
        match (terms.op(term), positive) {
            (Op::Or, true) | (Op::And, false) => {
                making.open.extend(args.into_iter().rev().map(|arg| (arg, positive)));
            }
            (Op::Implies, true) => {
                let (body, head) = args.split_at(args.len() - 1);
                making.open.push((head[0], true));
                making.open.extend(body.iter().rev().map(|&arg| (arg, false)));
            }
            (Op::And, true) | (Op::Or | Op::Implies, false) | (Op::Ite, _) => {
                making.split.push((term, positive));
            }
            (Op::Eq | Op::Distinct | Op::Xor, _)
                if args.len() == 2 && terms.sort(args[0]) == SortId::BOOL =>
            {
                making.split.push((term, positive));
            }
            (Op::Forall | Op::Exists, _) => return Err(NotHorn::Quantified(predicate)),
            _ => return Err(NotHorn::Inside(predicate)),
        }
        Ok(false)
    }

    /// Puts a disjunct without predicates into the clause.
    fn constraint(&mut self, terms: &mut Terms, making: &mut Making, term: TermId, positive: bool) -> bool {
        let constraint = if positive { terms.not(term) } else { term };
        let constraint = freed(terms, &mut self.looks, &mut making.clause.vars, constraint);
        if constraint != TermId::TRUE {
            making.clause.constraints.push(constraint);
        }
        constraint == TermId::FALSE
    }

    fn atom(
        &mut self,
        terms: &Terms,
        making: &mut Making,
        (fun, term): (FunId, TermId),
        positive: bool,
    ) -> Result<(), NotHorn> {
        // An argument of sort Bool could be about predicates, and so could that of any other function.
        let inner = terms.args(term).iter().find_map(|&arg| self.looks.below(terms, arg).predicate);
        if let Some(inner) = inner {
            return Err(NotHorn::Inside(inner));
        }
        if !positive {
            making.clause.atoms.push(term);
            return Ok(());
        }
        match making.clause.head.and_then(|head| terms.applied(head)) {
            None => making.clause.head = Some(term),
            Some(_) if making.clause.head == Some(term) => {}
            Some(other) => return Err(NotHorn::TwoHeads(other, fun)),
        }
        Ok(())
    }
}

/// The body of a quantifier whose variables become the clause's. They keep their names if it is one of the outermost, and the
/// clause has no variable of that name.
fn bound(terms: &mut Terms, making: &mut Making, quantified: TermId) -> TermId {
    let Making { clause, names, plain, .. } = making;
    opened(terms, quantified, |terms, var| {
        let is_free = *plain && terms.variable(var).is_some_and(|name| names.insert(name));
        let var = if is_free { var } else { renamed(terms, var) };
        clause.vars.push(var);
        var
    })
}

/// A conjunction as the disjuncts of each clause that it is.
fn branches(terms: &Terms, term: TermId, positive: bool) -> Vec<Vec<(TermId, bool)>> {
    let args = terms.args(term);
    match (terms.op(term), args) {
        (Op::Implies, args) => {
            let last = args.len() - 1;
            args.iter().enumerate().map(|(i, &arg)| vec![(arg, i < last)]).collect()
        }
        (Op::Ite, &[test, then, other]) => {
            vec![vec![(test, false), (then, positive)], vec![(test, true), (other, positive)]]
        }
        (Op::Eq | Op::Distinct | Op::Xor, &[a, b]) => {
            let equal = positive == (terms.op(term) == Op::Eq);
            vec![vec![(a, false), (b, equal)], vec![(a, true), (b, !equal)]]
        }
        _ => args.iter().map(|&arg| vec![(arg, positive)]).collect(),
    }
}

/// The functions without a meaning in a formula, in order, that are no predicates.
pub(super) fn strangers(terms: &Terms, predicates: &FxHashSet<FunId>, formula: TermId) -> Vec<FunId> {
    let mut seen = FxHashSet::default();
    let applied = postorder(terms, formula).into_iter().filter_map(|term| terms.applied(term));
    let strange = |fun: &FunId| {
        terms.fun(*fun).role == smt::term::Role::Free && !predicates.contains(fun) && seen.insert(*fun)
    };
    applied.filter(strange).collect()
}
