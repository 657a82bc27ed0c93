//! Horn clauses with predicates put in the place of atoms, so that clauses of several atoms become linear.
//!
//! A predicate that does not come back to itself has finitely many ways to derive its facts. Each way is a formula, so an atom
//! that stands beside others can be replaced by it: what is left of a clause are the atoms of predicates that come back. This is
//! how functions and nodes of programs are clauses, each a predicate of its own.
//!
//! The way back: whoever applies a clause that was made applies the clauses it was made of before, and a predicate that was put
//! in place is what its ways say.

use super::images::{Definitions, Images};
use super::{Application, Clause, Deduction, Meaning, new_var};
use crate::total::conjuncts;
use base::graph::components;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::check::RankError;
use smt::eval::{EvalError, Evaluator};
use smt::horn::HornProblem;
use smt::op::Op;
use smt::subst::replace;
use smt::term::{FunId, TermId, Terms};

/// Clauses that are made, and ways of a predicate, at most.
const MANY: usize = 400;
/// Ways of a predicate that is put in place although clauses may have several atoms.
const FEW: usize = 20;
/// So much may be copied from ways to clauses.
const WORK: usize = 2_000_000;

/// Clauses in which atoms were replaced, and the way back.
#[derive(Clone, Debug)]
pub struct Unfolded {
    /// The clauses that lead to `false`, and their predicates.
    pub problem: HornProblem,
    /// How each of them was made.
    plans: Vec<Plan>,
    /// The variables of each.
    vars: Vec<Vec<TermId>>,
    /// All predicates, with the ways of those that were put in place and of whatever these rest on.
    predicates: Vec<(FunId, Option<Vec<Way>>)>,
}

/// Clauses that are applied together: the first one last, and the others for its atoms.
type Plan = Vec<Node>;

/// A clause of the file in a plan.
#[derive(Clone, Debug)]
struct Node {
    clause: usize,
    /// What its variables are.
    values: Vec<TermId>,
    /// For each atom the node that gives its fact; none for an atom that is left.
    parts: Vec<Option<usize>>,
}

/// A clause that is being made. Without atoms it is a way to derive a fact.
#[derive(Clone, Debug)]
struct Way {
    clause: Clause,
    plan: Plan,
}

/// Which atoms are replaced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Where {
    /// Those that stand beside others, so that all clauses become linear.
    Beside,
    /// All.
    Everywhere,
}

/// Puts predicates in place that do not come back to themselves. None if that makes too many clauses, if it is to make them linear
/// and does not, or if otherwise there is nothing to do.
#[must_use]
pub fn unfold(terms: &mut Terms, problem: &HornProblem, place: Where) -> Option<Unfolded> {
    let predicates: FxHashSet<FunId> = problem.predicates.iter().copied().collect();
    let mut clauses = Vec::new();
    for &clause in &problem.clauses {
        clauses.push(Clause::of(terms, &predicates, clause)?);
    }
    let rules: Vec<(Option<FunId>, Vec<FunId>)> = clauses.iter().map(|clause| parts(terms, clause)).collect();
    let order = finite(problem, &rules);
    let finite: FxHashSet<FunId> = order.iter().copied().collect();
    let is_kept = |rule: &Vec<FunId>| rule.iter().filter(|fun| !finite.contains(fun)).count() < 2;
    let least = match place {
        Where::Beside if !rules.iter().all(|(_, body)| is_kept(body)) => return None,
        Where::Beside => 2,
        Where::Everywhere => 1,
    };
    let replaced = replaced(&rules, &finite, least);
    let mut unfolder = Unfolder { ways: FxHashMap::default(), work: WORK };
    for predicate in order.into_iter().filter(|predicate| replaced.contains(predicate)) {
        let own: Vec<usize> = (0..clauses.len()).filter(|&at| rules[at].0 == Some(predicate)).collect();
        // A way has no atoms, so what a predicate rests on has to be put in place before.
        let mut rests_on = own.iter().flat_map(|&at| &rules[at].1);
        if !rests_on.all(|fun| unfolder.ways.contains_key(fun)) {
            continue;
        }
        let ways = own.iter().map(|&at| unfolder.unfold(terms, at, &clauses[at])).collect::<Option<Vec<_>>>();
        match ways.map(|ways| ways.concat()) {
            Some(ways) if place == Where::Beside || ways.len() <= FEW => {
                unfolder.ways.insert(predicate, ways);
            }
            // It stays, and so does what rests on it.
            _ if place == Where::Everywhere => {}
            _ => return None,
        }
    }
    let mut made = Vec::new();
    for (at, clause) in clauses.iter().enumerate() {
        let as_it_is = || vec![Way::of(at, clause.clone(), vec![None; clause.atoms.len()])];
        if clause.atoms.len() < least {
            made.extend(as_it_is());
            continue;
        }
        match unfolder.unfold(terms, at, clause) {
            Some(ways) => made.extend(ways),
            None if place == Where::Everywhere => made.extend(as_it_is()),
            None => return None,
        }
    }
    let needed = needed(terms, &made);
    made.retain(|way| head(terms, &way.clause).is_none_or(|head| needed.contains(&head)));
    let mut ways = unfolder.ways;
    if (place == Where::Everywhere && ways.is_empty()) || made.len() > MANY.max(2 * clauses.len()) {
        return None;
    }
    let left = problem.predicates.iter().copied().filter(|predicate| needed.contains(predicate)).collect();
    let clauses = made.iter().map(|way| way.clause.term(terms)).collect::<Result<_, _>>().ok()?;
    Some(Unfolded {
        problem: HornProblem { predicates: left, clauses },
        vars: made.iter().map(|way| way.clause.vars.clone()).collect(),
        plans: made.into_iter().map(|way| way.plan).collect(),
        predicates: problem.predicates.iter().map(|&fun| (fun, ways.remove(&fun))).collect(),
    })
}

fn head(terms: &Terms, clause: &Clause) -> Option<FunId> {
    clause.head.and_then(|head| terms.applied(head))
}

/// The predicates of the head and of the atoms of a clause.
fn parts(terms: &Terms, clause: &Clause) -> (Option<FunId>, Vec<FunId>) {
    (head(terms, clause), clause.atoms.iter().filter_map(|&atom| terms.applied(atom)).collect())
}

/// The predicates that rest on none that comes back to itself, each after those that it rests on.
fn finite(problem: &HornProblem, rules: &[(Option<FunId>, Vec<FunId>)]) -> Vec<FunId> {
    let number: FxHashMap<FunId, usize> = problem.predicates.iter().copied().zip(0..).collect();
    let mut edges = vec![Vec::new(); number.len()];
    for (head, body) in rules {
        if let Some(head) = head {
            edges[number[head]].extend(body.iter().map(|fun| number[fun]));
        }
    }
    let (mut is_finite, mut order) = (vec![false; edges.len()], Vec::new());
    for group in components(&edges) {
        // A predicate that uses itself uses one that is not finite so far.
        if let [only] = group[..]
            && edges[only].iter().all(|&to| is_finite[to])
        {
            is_finite[only] = true;
            order.push(problem.predicates[only]);
        }
    }
    order
}

/// The predicates that stand in bodies of at least so many atoms, and those that they rest on.
fn replaced(
    rules: &[(Option<FunId>, Vec<FunId>)],
    finite: &FxHashSet<FunId>,
    least: usize,
) -> FxHashSet<FunId> {
    let beside = rules.iter().filter(|rule| rule.1.len() >= least).flat_map(|rule| rule.1.iter().copied());
    let mut todo: Vec<FunId> = beside.filter(|fun| finite.contains(fun)).collect();
    let mut bodies: FxHashMap<FunId, Vec<FunId>> = FxHashMap::default();
    for (head, body) in rules {
        if let Some(head) = head {
            bodies.entry(*head).or_default().extend(body);
        }
    }
    let mut found = FxHashSet::default();
    while let Some(predicate) = todo.pop() {
        if found.insert(predicate) {
            todo.extend(bodies.get(&predicate).into_iter().flatten());
        }
    }
    found
}

/// The predicates that some clause leads from to `false`.
fn needed(terms: &Terms, made: &[Way]) -> FxHashSet<FunId> {
    let mut bodies: FxHashMap<Option<FunId>, Vec<FunId>> = FxHashMap::default();
    for way in made {
        let (head, body) = parts(terms, &way.clause);
        bodies.entry(head).or_default().extend(body);
    }
    let (mut todo, mut found) = (bodies.get(&None).cloned().unwrap_or_default(), FxHashSet::default());
    while let Some(predicate) = todo.pop() {
        if found.insert(predicate) {
            todo.extend(bodies.get(&Some(predicate)).into_iter().flatten());
        }
    }
    found
}

struct Unfolder {
    ways: FxHashMap<FunId, Vec<Way>>,
    /// What may still be copied.
    work: usize,
}

impl Unfolder {
    /// A clause with every combination of ways in the place of atoms that have some; none if that is too much.
    fn unfold(&mut self, terms: &mut Terms, at: usize, clause: &Clause) -> Option<Vec<Way>> {
        let begin = Clause { atoms: Vec::new(), ..clause.clone() };
        let mut found = vec![Way::of(at, begin, Vec::new())];
        for &atom in &clause.atoms {
            let Some(ways) = terms.applied(atom).and_then(|fun| self.ways.get(&fun)) else {
                for way in &mut found {
                    way.clause.atoms.push(atom);
                    way.plan[0].parts.push(None);
                }
                continue;
            };
            let mut next = Vec::new();
            for (begun, way) in found.iter().flat_map(|begun| ways.iter().map(move |way| (begun, way))) {
                let size: usize = begun.size() + way.size();
                self.work = self.work.checked_sub(size)?;
                next.push(begun.with(terms, atom, way));
            }
            if next.len() > MANY {
                return None;
            }
            found = next;
        }
        Some(found)
    }
}

impl Way {
    /// A clause of the file as it is.
    fn of(at: usize, clause: Clause, parts: Vec<Option<usize>>) -> Way {
        let plan = vec![Node { clause: at, values: clause.vars.clone(), parts }];
        Way { clause, plan }
    }

    fn size(&self) -> usize {
        self.plan.iter().map(|node| node.values.len() + node.parts.len() + 1).sum::<usize>()
            + self.clause.constraints.len()
    }

    /// The clause with a way in the place of its next atom.
    fn with(&self, terms: &mut Terms, atom: TermId, way: &Way) -> Way {
        let args = terms.args(atom).to_vec();
        let (given, map) = way.given(terms, &args);
        let mut made = self.clone();
        made.clause.vars.extend(given.vars);
        made.clause.constraints.extend(given.constraints);
        let offset = made.plan.len();
        made.plan[0].parts.push(Some(offset));
        for node in &way.plan {
            made.plan.push(Node {
                clause: node.clause,
                values: node.values.iter().map(|&value| replace(terms, value, &map)).collect(),
                parts: node.parts.iter().map(|part| part.map(|at| at + offset)).collect(),
            });
        }
        made
    }

    /// The way to derive a fact with given arguments, with new variables, and what its own variables became.
    fn given(&self, terms: &mut Terms, args: &[TermId]) -> (Clause, FxHashMap<TermId, TermId>) {
        let own = self.clause.head.map_or(Vec::new(), |head| terms.args(head).to_vec());
        let vars: FxHashSet<TermId> = self.clause.vars.iter().copied().collect();
        let (mut map, mut equal) = (FxHashMap::default(), Vec::new());
        for (own, &arg) in own.into_iter().zip(args) {
            if vars.contains(&own) && !map.contains_key(&own) {
                map.insert(own, arg);
            } else {
                equal.push((own, arg));
            }
        }
        let mut made = Clause::default();
        for &var in self.clause.vars.iter() {
            map.entry(var).or_insert_with(|| {
                let name = terms.variable(var).map_or("v", |name| terms.names.text(name)).to_owned();
                let new = new_var(terms, &name, terms.sort(var));
                made.vars.push(new);
                new
            });
        }
        made.constraints = self.clause.constraints.iter().map(|&part| replace(terms, part, &map)).collect();
        for (own, arg) in equal {
            let own = replace(terms, own, &map);
            // Both are arguments of one sort.
            made.constraints.extend(terms.app(Op::Eq, &[arg, own]));
        }
        (made, map)
    }

    /// That there is a fact with these arguments.
    fn formula(&self, terms: &mut Terms, params: &[TermId]) -> Result<TermId, RankError> {
        let (given, _) = self.given(terms, params);
        let constraints = conjuncts(terms, &given.constraints);
        let open: FxHashSet<TermId> = given.vars.iter().copied().collect();
        let (mut images, mut left) = (Images::default(), Vec::new());
        params.iter().for_each(|&param| images.set(param, param));
        let mut definitions = Definitions::find(terms, &constraints, &open);
        let (late, early): (Vec<TermId>, Vec<TermId>) =
            given.vars.iter().partition(|&&var| definitions.defines(var));
        for var in early.into_iter().chain(late) {
            while let Some((var, term)) = definitions.next(&images) {
                let image = images.of(terms, term);
                images.set(var, image);
                definitions.resolved(var);
            }
            if images.get(var).is_none() {
                images.set(var, var);
                definitions.resolved(var);
                left.push(var);
            }
        }
        let rest = constraints.iter().enumerate().filter(|(at, _)| !definitions.used.contains(at));
        let rest: Vec<TermId> = rest.map(|(_, &constraint)| images.of(terms, constraint)).collect();
        let body = terms.and(&rest);
        if left.is_empty() { Ok(body) } else { terms.bind(Op::Exists, &left, body) }
    }
}

impl Unfolded {
    /// The solution of the clauses of the file that a solution of those that were made is.
    ///
    /// # Errors
    /// When a way is no formula, which it is if the clauses are well-sorted.
    pub fn solution(&self, terms: &mut Terms, solution: Vec<Meaning>) -> Result<Vec<Meaning>, RankError> {
        let mut given: FxHashMap<FunId, Meaning> =
            solution.into_iter().map(|meaning| (meaning.predicate, meaning)).collect();
        let mut found = Vec::new();
        for (predicate, ways) in &self.predicates {
            if let (None, Some(meaning)) = (ways, given.remove(predicate)) {
                found.push(meaning);
                continue;
            }
            let sorts = terms.fun(*predicate).params.clone();
            let params: Vec<TermId> = sorts.iter().map(|&sort| new_var(terms, "x", sort)).collect();
            let body = match ways {
                Some(ways) => {
                    let ways = ways.iter().map(|way| way.formula(terms, &params));
                    let ways = ways.collect::<Result<Vec<_>, _>>()?;
                    terms.or(&ways)
                }
                // Nobody asks about what does not lead to `false`.
                None => TermId::TRUE,
            };
            found.push(Meaning { predicate: *predicate, params, body });
        }
        Ok(found)
    }

    /// The derivation from the clauses of the file that one from those that were made is.
    ///
    /// # Errors
    /// When a value cannot be computed.
    pub fn derivation(
        &self,
        terms: &mut Terms,
        derivation: &[Deduction],
    ) -> Result<Vec<Deduction>, EvalError> {
        let (mut found, mut places) = (Vec::new(), Vec::new());
        for deduction in derivation {
            let Application { clause, values } = &deduction.applied;
            let mut map = FxHashMap::default();
            for (&var, value) in self.vars[*clause].iter().zip(values) {
                let value = value.to_term(terms);
                map.insert(var, value);
            }
            let plan = &self.plans[*clause];
            // Nodes come before what gives the facts of their atoms.
            let last = found.len() + plan.len() - 1;
            for node in plan.iter().rev() {
                let mut given = deduction.premises.iter().map(|&premise: &usize| places[premise]);
                let part = |part: &Option<usize>| part.map(|at| last - at).or_else(|| given.next());
                let premises = node.parts.iter().filter_map(part).collect();
                let closed: Vec<TermId> =
                    node.values.iter().map(|&value| replace(terms, value, &map)).collect();
                let mut evaluator = Evaluator::new(terms);
                let values = closed.into_iter().map(|value| evaluator.eval(value, &mut ()));
                let values = values.collect::<Result<_, _>>()?;
                found.push(Deduction { applied: Application { clause: node.clause, values }, premises });
            }
            places.push(last);
        }
        Ok(found)
    }
}
