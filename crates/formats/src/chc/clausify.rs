//! Formulas as Horn clauses.
//!
//! A clause in the making is a disjunction of which some parts are not looked into yet. Conjunctions split it; they wait
//! until nothing else is left to do, so that what is common is done once.

use base::id::IdMap;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::sort::SortId;
use smt::subst::{postorder, replace};
use smt::term::{FunId, TermId, Terms};
use ts::passes::horn::Clause;

/// A formula that becomes more clauses than this is refused: its size would explode.
const MANY: usize = 10_000;

/// Why a formula is not Horn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NotHorn {
    /// Two atoms without negation in one clause.
    TwoHeads(FunId, FunId),
    /// A predicate under a quantifier that cannot be moved out.
    Quantified(FunId),
    /// A predicate as an argument of this operator or function.
    Inside(FunId),
    /// Too many clauses.
    TooMany,
}

/// Turns formulas into clauses.
pub(super) struct Clausifier<'a> {
    predicates: &'a FxHashSet<FunId>,
    /// The first predicate below a term, for terms that were looked at.
    mentions: IdMap<TermId, Option<Option<FunId>>>,
}

#[derive(Clone, Default)]
struct Making {
    clause: Clause,
    /// Disjuncts: a formula, and false if it is negated.
    open: Vec<(TermId, bool)>,
    /// Disjuncts that are conjunctions.
    split: Vec<(TermId, bool)>,
    /// True while nothing but universal quantifiers was met.
    plain: bool,
}

impl<'a> Clausifier<'a> {
    pub(super) fn new(predicates: &'a FxHashSet<FunId>) -> Clausifier<'a> {
        Clausifier { predicates, mentions: IdMap::new(None) }
    }

    /// The clauses of a closed formula without definitions.
    pub(super) fn clauses(&mut self, terms: &mut Terms, formula: TermId) -> Result<Vec<Clause>, NotHorn> {
        let mut found = Vec::new();
        let mut todo = vec![Making { open: vec![(formula, true)], plain: true, ..Making::default() }];
        while let Some(mut making) = todo.pop() {
            if found.len() + todo.len() > MANY {
                return Err(NotHorn::TooMany);
            }
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
                    for parts in branches(terms, term, positive).into_iter().rev() {
                        let mut branch = making.clone();
                        branch.open = parts;
                        todo.push(branch);
                    }
                }
            }
        }
        Ok(found)
    }

    /// The first predicate below a term.
    fn mentioned(&mut self, terms: &Terms, root: TermId) -> Option<FunId> {
        if let Some(known) = self.mentions[root] {
            return known;
        }
        let mut todo = vec![(root, false)];
        while let Some((term, ready)) = todo.pop() {
            if self.mentions[term].is_some() {
                continue;
            }
            let args = terms.args(term);
            if !ready && !args.is_empty() {
                todo.push((term, true));
                todo.extend(args.iter().rev().map(|&arg| (arg, false)));
                continue;
            }
            let own = terms.applied(term).filter(|fun| self.predicates.contains(fun));
            let below = || args.iter().find_map(|&arg| self.mentions[arg].flatten());
            let found = own.or_else(below);
            self.mentions.set(term, Some(found));
        }
        self.mentions[root].flatten()
    }

    /// Puts a disjunct into the clause, or its parts among those to do. True when it makes the clause true.
    fn disjunct(
        &mut self,
        terms: &mut Terms,
        making: &mut Making,
        term: TermId,
        positive: bool,
    ) -> Result<bool, NotHorn> {
        let Some(predicate) = self.mentioned(terms, term) else {
            let constraint = if positive { terms.not(term) } else { term };
            if constraint != TermId::TRUE {
                making.clause.constraints.push(constraint);
            }
            return Ok(constraint == TermId::FALSE);
        };
        if let Some(fun) = terms.applied(term) {
            self.atom(terms, making, (fun, term), positive)?;
            return Ok(false);
        }
        let args = terms.args(term).to_vec();
        let direct =
            matches!((terms.op(term), positive), (Op::Forall, true) | (Op::Exists, false) | (Op::Not, _));
        let plain = making.plain;
        making.plain &= direct;
        match (terms.op(term), positive) {
            (Op::Not, _) => making.open.push((args[0], !positive)),
            (Op::Or, true) | (Op::And, false) => {
                making.open.extend(args.into_iter().rev().map(|arg| (arg, positive)));
            }
            (Op::Implies, true) => {
                let (body, head) = args.split_at(args.len() - 1);
                making.open.push((head[0], true));
                making.open.extend(body.iter().rev().map(|&arg| (arg, false)));
            }
            (Op::And, true) => {
                making.plain = plain;
                making.split.push((term, positive));
            }
            (Op::Or | Op::Implies, false) | (Op::Ite, _) => making.split.push((term, positive)),
            (Op::Eq | Op::Distinct | Op::Xor, _)
                if args.len() == 2 && terms.sort(args[0]) == SortId::BOOL =>
            {
                making.split.push((term, positive));
            }
            (Op::Forall, true) | (Op::Exists, false) => {
                let body = opened(terms, making, &args, plain);
                making.open.push((body, positive));
            }
            (Op::Forall | Op::Exists, _) => return Err(NotHorn::Quantified(predicate)),
            _ => return Err(NotHorn::Inside(predicate)),
        }
        Ok(false)
    }

    fn atom(
        &mut self,
        terms: &Terms,
        making: &mut Making,
        (fun, term): (FunId, TermId),
        positive: bool,
    ) -> Result<(), NotHorn> {
        // An argument of sort Bool could be about predicates, and so could that of any other function.
        let inner = terms.args(term).iter().find_map(|&arg| self.mentioned(terms, arg));
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

/// The body of a quantifier whose variables become the clause's. Unless it is the outermost one, they get new names: the same
/// name may be bound elsewhere in the clause.
fn opened(terms: &mut Terms, making: &mut Making, args: &[TermId], plain: bool) -> TermId {
    let (body, vars) = match args.split_last() {
        Some((body, vars)) => (*body, vars),
        None => return TermId::TRUE,
    };
    if plain {
        making.clause.vars.extend(vars);
        return body;
    }
    let mut map = FxHashMap::default();
    for &var in vars {
        let wish = terms.variable(var).map_or("x", |name| terms.names.text(name)).to_owned();
        let new = crate::names::new_var(terms, &wish, terms.sort(var));
        map.insert(var, new);
        making.clause.vars.push(new);
    }
    replace(terms, body, &map)
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
