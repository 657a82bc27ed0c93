//! From the facts that a solver derives to clauses with values: which clause gives a fact is found out by asking for values of
//! its variables with which it does.

use super::HornTask;
use rustc_hash::FxHashSet;
use smt::op::Op;
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;
use solver::{CheckResult, Fact, FullSolver, Limits};
use std::collections::VecDeque;
use ts::passes::horn::{Application, Clause, Deduction, Ground};

/// The derivation that facts are, up to the contradiction.
pub(super) fn derive(
    terms: &mut Terms,
    task: &HornTask<'_>,
    facts: &[Fact],
) -> Result<Vec<Deduction>, String> {
    if facts.is_empty() {
        return Err("no derivation is told".into());
    }
    let predicates: FxHashSet<FunId> = task.problem.predicates.iter().copied().collect();
    let mut clauses = Vec::new();
    for &clause in &task.problem.clauses {
        clauses.push(Clause::of(terms, &predicates, clause).ok_or("a clause is not understood")?);
    }
    let mut solver = solver::open(task.solver).map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    // Where each fact was derived.
    let mut places = Vec::new();
    for fact in facts {
        if task.budget.is_over() {
            return Err("the time is over".into());
        }
        // A step of a proof may only write a premise in another way.
        let same = |&&premise: &&usize| {
            (fact.predicate.is_some() && fact.args.iter().all(Option::is_some))
                && (fact.predicate, &fact.args) == (facts[premise].predicate, &facts[premise].args)
        };
        if let Some(&premise) = fact.premises.iter().find(same) {
            places.push(places[premise]);
            continue;
        }
        let limits = task.budget.remaining().map_or_else(Limits::default, Limits::time);
        solver.limits(limits).map_err(|error| error.to_string())?;
        deductions(terms, &mut *solver, &clauses, facts, fact, &places, &mut found)?;
        places.push(found.len() - 1);
        // What a solver says behind the contradiction is about its own question.
        if fact.predicate.is_none() {
            return Ok(found);
        }
    }
    Err("the facts of the derivation lead to no contradiction".into())
}

/// A clause that is applied in order to give a fact.
#[derive(Clone)]
struct Node {
    clause: usize,
    /// The facts for the atoms of its body, as far as they are chosen.
    sources: Vec<Source>,
}

#[derive(Clone, Copy)]
enum Source {
    /// A fact that the solver told.
    Told(usize),
    /// The head of another node, which comes later in the plan.
    Node(usize),
}

/// Clauses that give a fact together, the last one first: a solver leaves out of a derivation what it has simplified away.
type Plan = Vec<Node>;

/// So many beginnings of plans are looked at for one fact.
const WAYS: usize = 2_000;

/// Adds the clauses that give a fact from its premises.
fn deductions(
    terms: &mut Terms,
    solver: &mut dyn FullSolver,
    clauses: &[Clause],
    facts: &[Fact],
    fact: &Fact,
    places: &[usize],
    found: &mut Vec<Deduction>,
) -> Result<(), String> {
    let mut todo: VecDeque<Plan> = giving(terms, clauses, fact.predicate)
        .map(|clause| vec![Node { clause, sources: Vec::new() }])
        .collect();
    for _ in 0..WAYS {
        let Some(plan) = todo.pop_front() else { break };
        if let Some(at) = plan.iter().position(|node| node.sources.len() < clauses[node.clause].atoms.len()) {
            longer(terms, clauses, facts, fact, plan, at, &mut todo);
        } else if uses_all(&plan, &fact.premises)
            && let Some(values) = values(terms, solver, clauses, facts, fact, &plan)?
        {
            add(plan, values, places, found);
            return Ok(());
        }
    }
    Err("no clause gives one of the facts of the derivation".into())
}

/// The clauses with a head of this predicate.
fn giving(terms: &Terms, clauses: &[Clause], predicate: Option<FunId>) -> impl Iterator<Item = usize> {
    let fits = move |(at, clause): (usize, &Clause)| {
        (clause.head.and_then(|head| terms.applied(head)) == predicate).then_some(at)
    };
    clauses.iter().enumerate().filter_map(fits)
}

/// The plans in which the next atom of a node has a source: a premise of the fact, or a clause that is not told.
fn longer(
    terms: &Terms,
    clauses: &[Clause],
    facts: &[Fact],
    fact: &Fact,
    plan: Plan,
    at: usize,
    todo: &mut VecDeque<Plan>,
) {
    let node = &plan[at];
    let predicate = terms.applied(clauses[node.clause].atoms[node.sources.len()]);
    for &premise in fact.premises.iter().filter(|&&premise| facts[premise].predicate == predicate) {
        let mut plan = plan.clone();
        plan[at].sources.push(Source::Told(premise));
        // What is told comes first, so that few clauses are added.
        todo.push_front(plan);
    }
    for clause in giving(terms, clauses, predicate) {
        let mut plan = plan.clone();
        let new = plan.len();
        plan[at].sources.push(Source::Node(new));
        plan.push(Node { clause, sources: Vec::new() });
        todo.push_back(plan);
    }
}

fn uses_all(plan: &Plan, premises: &[usize]) -> bool {
    let told = |premise: usize| move |source: &Source| matches!(source, Source::Told(at) if *at == premise);
    premises.iter().all(|&premise| plan.iter().flat_map(|node| &node.sources).any(told(premise)))
}

/// Adds what a plan with values is, so that the premises of each deduction are before it.
fn add(plan: Plan, values: Vec<Vec<Value>>, places: &[usize], found: &mut Vec<Deduction>) {
    let last = found.len() + plan.len() - 1;
    for (node, values) in plan.into_iter().zip(values).rev() {
        let place = |source: Source| match source {
            Source::Told(fact) => places[fact],
            Source::Node(at) => last - at,
        };
        let premises = node.sources.into_iter().map(place).collect();
        found.push(Deduction { applied: Application { clause: node.clause, values }, premises });
    }
}

/// What makes a plan one that gives the fact.
fn formulas(
    terms: &mut Terms,
    clauses: &[Clause],
    facts: &[Fact],
    fact: &Fact,
    plan: &Plan,
) -> (Vec<Ground>, Vec<TermId>) {
    let nodes: Vec<Ground> = plan.iter().map(|node| Ground::of(terms, &clauses[node.clause])).collect();
    let mut formulas: Vec<TermId> = nodes.iter().flat_map(|node| node.constraints.clone()).collect();
    if let Some(head) = nodes[0].head {
        equations(terms, head, fact, &mut formulas);
    }
    for (node, ground) in plan.iter().zip(&nodes) {
        for (&source, &atom) in node.sources.iter().zip(&ground.atoms) {
            match source {
                Source::Told(premise) => equations(terms, atom, &facts[premise], &mut formulas),
                Source::Node(at) => {
                    let heads = nodes[at].head.map_or(Vec::new(), |head| terms.args(head).to_vec());
                    for (arg, given) in terms.args(atom).to_vec().into_iter().zip(heads) {
                        formulas.extend(terms.app(Op::Eq, &[arg, given]));
                    }
                }
            }
        }
    }
    (nodes, formulas)
}

/// The arguments of an atom are those of a fact, as far as these can be written.
fn equations(terms: &mut Terms, atom: TermId, fact: &Fact, formulas: &mut Vec<TermId>) {
    let args = terms.args(atom).to_vec();
    for (arg, value) in args.into_iter().zip(&fact.args) {
        if let Some(value) = value {
            let value = value.to_term(terms);
            formulas.extend(terms.app(Op::Eq, &[arg, value]));
        }
    }
}

/// Values of the variables of each node with which a plan gives the fact.
fn values(
    terms: &mut Terms,
    solver: &mut dyn FullSolver,
    clauses: &[Clause],
    facts: &[Fact],
    fact: &Fact,
    plan: &Plan,
) -> Result<Option<Vec<Vec<Value>>>, String> {
    let words = |error: solver::SolverError| error.to_string();
    let (nodes, formulas) = formulas(terms, clauses, facts, fact, plan);
    solver.push().map_err(words)?;
    for formula in formulas {
        solver.assert(terms, formula).map_err(words)?;
    }
    let mut found = None;
    if let CheckResult::Sat = solver.check(terms, &[]).map_err(words)? {
        let mut all = Vec::new();
        for node in &nodes {
            let mut values = Vec::new();
            for &var in &node.vars {
                let constant = terms.constant_term(var);
                let value = solver.value(terms, constant).map_err(words)?;
                let value = value.or_else(|| Value::default_of(terms, terms.fun(var).result));
                values.push(value.ok_or("a value cannot be written")?);
            }
            all.push(values);
        }
        found = Some(all);
    }
    solver.pop().map_err(words)?;
    Ok(found)
}
