//! Short derivations, asked for at once: so many facts, each by one of the clauses from facts before it, and a contradiction
//! from them.
//!
//! Which clause gives a fact and which facts it uses are truth values that the solver chooses, so a fact that is used often is
//! derived once, and the question is as large as the square of the number of facts, not as the trees of clauses. A fact may
//! be missing: who asks for more facts asks for fewer, too.

use super::{HornEngineInfo, HornFound, HornTask};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;
use solver::{CheckResult, FullSolver, Limits, SolverError};
use ts::passes::horn::{Application, Clause, Deduction, Ground};

pub(super) const INFO: HornEngineInfo = HornEngineInfo {
    name: "short",
    shows: "incorrect",
    summary: "derives a contradiction from Horn clauses, with few facts",
    rank: 1,
    run,
};

/// The numbers of facts that are asked for, one after the other.
const COUNTS: [usize; 8] = [3, 6, 10, 15, 22, 32, 48, 72];
/// All but the last one get such a part of the time that is left.
const SHARE: u32 = 4;
/// A question with more choices is not asked.
const MOST: usize = 400_000;

fn run(terms: &mut Terms, task: &HornTask<'_>) -> HornFound {
    match search(terms, task) {
        Ok(derivation) => HornFound::Derivation(derivation),
        Err(reason) => HornFound::Nothing(reason),
    }
}

fn search(terms: &mut Terms, task: &HornTask<'_>) -> Result<Vec<Deduction>, String> {
    let predicates: FxHashSet<FunId> = task.problem.predicates.iter().copied().collect();
    let mut clauses = Vec::new();
    for &clause in &task.problem.clauses {
        clauses.push(Clause::of(terms, &predicates, clause).ok_or("a clause is not understood")?);
    }
    let atoms: usize = clauses.iter().map(|clause| clause.atoms.len().max(1)).sum();
    for (at, &count) in COUNTS.iter().enumerate() {
        if task.budget.is_over() {
            return Err("the time is over".into());
        }
        if atoms * count * count > MOST {
            break;
        }
        let share = if at + 1 == COUNTS.len() { 1 } else { SHARE };
        let limits = task.budget.remaining().map_or_else(Limits::default, |time| Limits::time(time / share));
        let mut solver = solver::open(task.solver).map_err(|error| error.to_string())?;
        solver.limits(limits).map_err(|error| error.to_string())?;
        let mut question =
            Question { terms, clauses: &clauses, solver: &mut *solver, facts: Vec::new(), named: 0 };
        if let Some(found) = question.ask(count).map_err(|error| error.to_string())? {
            return Ok(found);
        }
    }
    Err("no short derivation was found".into())
}

/// A clause that may be applied.
struct Choice {
    clause: usize,
    ground: Ground,
    /// True when it is.
    taken: TermId,
    /// For each atom the facts that may give it, and whether they do.
    sources: Vec<Vec<(usize, TermId)>>,
}

/// A fact, if there is one.
#[derive(Default)]
struct Place {
    choices: Vec<Choice>,
    /// The predicates that it may have: whether it has it, and the arguments.
    is: FxHashMap<FunId, (TermId, Vec<TermId>)>,
}

/// The choice by which a place has a predicate, and the places and predicates of its premises.
type Used = (usize, Vec<(usize, Option<FunId>)>);

struct Question<'a> {
    terms: &'a mut Terms,
    clauses: &'a [Clause],
    solver: &'a mut dyn FullSolver,
    facts: Vec<Place>,
    named: usize,
}

impl Question<'_> {
    fn ask(&mut self, count: usize) -> Result<Option<Vec<Deduction>>, SolverError> {
        for _ in 0..count {
            self.add(false)?;
        }
        self.add(true)?;
        match self.solver.check(self.terms, &[])? {
            CheckResult::Sat => self.derivation().map(Some),
            _ => Ok(None),
        }
    }

    fn fresh(&mut self, name: &str, sort: SortId) -> TermId {
        // With a number of its own, so that nobody has to look for one that is free.
        self.named += 1;
        let fun = self.terms.fresh(&format!("{name}!{}", self.named), sort);
        self.terms.constant_term(fun)
    }

    /// If the first holds, the others do.
    fn imply(&mut self, condition: TermId, formulas: &[TermId]) -> Result<(), SolverError> {
        let not = self.terms.not(condition);
        for &formula in formulas {
            let implied = self.terms.or(&[not, formula]);
            self.solver.assert(self.terms, implied)?;
        }
        Ok(())
    }

    fn equal(&mut self, left: &[TermId], right: &[TermId]) -> Vec<TermId> {
        // Both are arguments of one predicate.
        let pairs = left.iter().zip(right);
        pairs.filter_map(|(&left, &right)| self.terms.app(Op::Eq, &[left, right]).ok()).collect()
    }

    /// Adds a fact after the ones that there are, or the contradiction.
    fn add(&mut self, is_last: bool) -> Result<(), SolverError> {
        let mut place = Place::default();
        for (at, clause) in self.clauses.iter().enumerate() {
            if clause.head.is_none() != is_last {
                continue;
            }
            let predicates: Vec<Option<FunId>> =
                clause.atoms.iter().map(|&atom| self.terms.applied(atom)).collect();
            let has = |predicate: &Option<FunId>| {
                predicate.is_some_and(|fun| self.facts.iter().any(|fact| fact.is.contains_key(&fun)))
            };
            if predicates.iter().all(has) {
                let choice = self.choice(at, &predicates.into_iter().flatten().collect::<Vec<_>>())?;
                place.choices.push(choice);
            }
        }
        if is_last {
            let taken: Vec<TermId> = place.choices.iter().map(|choice| choice.taken).collect();
            let one = self.terms.or(&taken);
            self.solver.assert(self.terms, one)?;
        }
        self.heads(&mut place)?;
        self.facts.push(place);
        Ok(())
    }

    fn choice(&mut self, at: usize, predicates: &[FunId]) -> Result<Choice, SolverError> {
        let clauses = self.clauses;
        let ground = Ground::of(self.terms, &clauses[at]);
        let taken = self.fresh("taken", SortId::BOOL);
        self.imply(taken, &ground.constraints)?;
        let mut sources = Vec::new();
        for (&atom, predicate) in ground.atoms.iter().zip(predicates) {
            let args = self.terms.args(atom).to_vec();
            let mut giving = Vec::new();
            for place in 0..self.facts.len() {
                let Some((is, given)) = self.facts[place].is.get(predicate).cloned() else { continue };
                let gives = self.fresh("gives", SortId::BOOL);
                let mut formulas = self.equal(&args, &given);
                formulas.push(is);
                self.imply(gives, &formulas)?;
                giving.push((place, gives));
            }
            let some: Vec<TermId> = giving.iter().map(|source| source.1).collect();
            let some = self.terms.or(&some);
            self.imply(taken, &[some])?;
            sources.push(giving);
        }
        Ok(Choice { clause: at, ground, taken, sources })
    }

    /// What a fact is if one of its clauses is applied.
    fn heads(&mut self, place: &mut Place) -> Result<(), SolverError> {
        for choice in &place.choices {
            let Some(head) = choice.ground.head else { continue };
            let Some(predicate) = self.terms.applied(head) else { continue };
            let args = self.terms.args(head).to_vec();
            let sorts: Vec<SortId> = args.iter().map(|&arg| self.terms.sort(arg)).collect();
            let own = match place.is.get(&predicate) {
                Some((_, own)) => own.clone(),
                None => sorts.into_iter().map(|sort| self.fresh("argument", sort)).collect(),
            };
            place.is.insert(predicate, (TermId::FALSE, own.clone()));
            let formulas = self.equal(&args, &own);
            self.imply(choice.taken, &formulas)?;
        }
        for (predicate, (is, _)) in &mut place.is {
            let gives = |choice: &&Choice| {
                choice.ground.head.and_then(|head| self.terms.applied(head)) == Some(*predicate)
            };
            let taken: Vec<TermId> = place.choices.iter().filter(gives).map(|choice| choice.taken).collect();
            *is = self.terms.or(&taken);
        }
        Ok(())
    }

    fn holds(&mut self, truth: TermId) -> Result<bool, SolverError> {
        Ok(self.solver.value(self.terms, truth)?.and_then(|value| value.as_bool()).unwrap_or(false))
    }

    /// What the solver chose: the contradiction, and the facts that it needs.
    fn derivation(&mut self) -> Result<Vec<Deduction>, SolverError> {
        let facts = std::mem::take(&mut self.facts);
        let mut needed: Vec<FxHashMap<Option<FunId>, Used>> = Vec::new();
        needed.resize_with(facts.len(), FxHashMap::default);
        let mut todo = vec![(facts.len() - 1, None)];
        while let Some((place, predicate)) = todo.pop() {
            if needed[place].contains_key(&predicate) {
                continue;
            }
            for (at, choice) in facts[place].choices.iter().enumerate() {
                let head = choice.ground.head.and_then(|head| self.terms.applied(head));
                if head != predicate || !self.holds(choice.taken)? {
                    continue;
                }
                let mut premises = Vec::new();
                for (&atom, sources) in choice.ground.atoms.iter().zip(&choice.sources) {
                    for &(source, gives) in sources {
                        if self.holds(gives)? {
                            premises.push((source, self.terms.applied(atom)));
                            break;
                        }
                    }
                }
                todo.extend(&premises);
                needed[place].insert(predicate, (at, premises));
                break;
            }
        }
        let (mut found, mut positions) = (Vec::new(), FxHashMap::default());
        for (place, needed) in needed.into_iter().enumerate() {
            let mut here: Vec<_> = needed.into_iter().collect();
            here.sort_unstable_by_key(|(_, (at, _))| *at);
            for (predicate, (at, premises)) in here {
                let choice = &facts[place].choices[at];
                let mut values = Vec::new();
                for &var in &choice.ground.vars {
                    let constant = self.terms.constant_term(var);
                    let value = self.solver.value(self.terms, constant)?;
                    let value = value.or_else(|| Value::default_of(self.terms, self.terms.fun(var).result));
                    let message = || "a value cannot be written".to_owned();
                    values.push(value.ok_or_else(|| SolverError::Refused { message: message() })?);
                }
                let premises =
                    premises.iter().filter_map(|premise| positions.get(premise).copied()).collect();
                positions.insert((place, predicate), found.len());
                found.push(Deduction { applied: Application { clause: choice.clause, values }, premises });
            }
        }
        Ok(found)
    }
}
