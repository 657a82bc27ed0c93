//! Bounded model checking of circuits: step after step is one larger circuit without latches, in which what the first state
//! decides is decided.

use super::super::session::Stopped;
use super::super::{SystemEngineInfo, SystemFound, SystemProblem};
use super::Circuit;
use super::cone::cone;
use base::budget::Budget;
use cadical::{Callbacks, Solver};
use smt::term::Terms;
use std::time::{Duration, Instant};
use ts::aig::{Aig, Lit, Node};

pub(in super::super) const INFO: SystemEngineInfo = SystemEngineInfo {
    name: "bmc-bits",
    shows: "incorrect",
    summary: "looks for ever longer executions of systems with finitely many states, with a SAT solver",
    rank: 1,
    run,
};

fn run(terms: &mut Terms, problem: &SystemProblem<'_>) -> SystemFound {
    search(terms, problem).unwrap_or_else(SystemFound::from)
}

fn search(terms: &mut Terms, problem: &SystemProblem<'_>) -> Result<SystemFound, Stopped> {
    let circuit = Circuit::of(terms, problem)?;
    let aig = &circuit.blasted.aig;
    let mut unrolled = Unrolled::new(aig, cone(aig, circuit.bad));
    let mut sat = Deep::new(&problem.budget);
    let (begin, mut rhythm) = (Instant::now(), Rhythm::default());
    // The steps that nobody asked about so far, with what is bad in them.
    let mut open: Vec<(usize, i32)> = Vec::new();
    for step in 0.. {
        if problem.budget.is_over() {
            break;
        }
        let values = unrolled.step();
        let at = |lit: Lit| values[lit.node() as usize].negated_if(lit.is_negated());
        for constraint in aig.constraints.iter().map(|&lit| at(lit)) {
            let holds = sat.literal(&unrolled.circuit, constraint);
            sat.solver.add_clause([holds]);
        }
        if at(circuit.bad) != Lit::FALSE {
            open.push((step, sat.literal(&unrolled.circuit, at(circuit.bad))));
        }
        if !rhythm.is_due(step, begin.elapsed()) {
            continue;
        }
        let bads: Vec<i32> = open.iter().map(|&(_, bad)| bad).collect();
        if !bads.is_empty() && sat.is_any(&bads)? {
            let is_bad = |(_, bad): &&(usize, i32)| sat.solver.value(*bad) == Some(true);
            let length = open.iter().find(is_bad).map_or(step, |&(step, _)| step) + 1;
            let value = |lit: Lit| sat.value(lit);
            let first: Vec<bool> = unrolled.first.iter().map(|&lit| value(lit)).collect();
            let inputs: Vec<Vec<bool>> = unrolled.inputs[..length]
                .iter()
                .map(|inputs| inputs.iter().map(|&lit| value(lit)).collect())
                .collect();
            return Ok(circuit.violation(terms, problem, &aig.run(&first, &inputs)));
        }
        open.drain(..).for_each(|(_, bad)| sat.solver.add_clause([-bad]));
    }
    Err(Stopped("the time is over".into()))
}

/// When the solver is asked: after every step as long as that is quick, then about ever more steps at once. It takes long to
/// show that there is nothing bad in a step, and little to find what is in one of many.
#[derive(Default)]
struct Rhythm {
    next: usize,
}

/// So long every step is asked about.
const QUICK: Duration = Duration::from_millis(100);

impl Rhythm {
    fn is_due(&mut self, step: usize, spent: Duration) -> bool {
        if step < self.next {
            return false;
        }
        self.next = if spent < QUICK { step + 1 } else { 2 * step + 2 };
        true
    }
}

/// Ends the solver with the budget.
struct Stop(Budget);

impl Callbacks for Stop {
    fn terminate(&mut self) -> bool {
        self.0.is_over()
    }
}

/// A SAT solver for few large questions, and the circuit in it as far as it was asked about.
struct Deep {
    solver: Solver<Stop>,
    /// The variable of each node, zero for none.
    vars: Vec<i32>,
    last: i32,
}

impl Deep {
    fn new(budget: &Budget) -> Deep {
        let mut solver = Solver::new();
        solver.set_callbacks(Some(Stop(budget.clone())));
        Deep { solver, vars: Vec::new(), last: 0 }
    }

    /// A literal, with all gates below it.
    fn literal(&mut self, aig: &Aig, root: Lit) -> i32 {
        self.vars.resize(aig.nodes().len(), 0);
        let mut todo = vec![(root.node() as usize, false)];
        while let Some((number, ready)) = todo.pop() {
            if self.vars[number] != 0 {
                continue;
            }
            match aig.nodes()[number] {
                Node::And(a, b) if !ready => {
                    todo.extend([(number, true), (a.node() as usize, false), (b.node() as usize, false)]);
                }
                node => self.add(number, node),
            }
        }
        self.known(root)
    }

    /// Says what a node is, whose parts are known.
    fn add(&mut self, number: usize, node: Node) {
        self.last += 1;
        let gate = self.last;
        self.vars[number] = gate;
        match node {
            Node::False => self.solver.add_clause([-gate]),
            Node::Input(_) | Node::Latch(_) => {}
            Node::And(a, b) => {
                let (a, b) = (self.known(a), self.known(b));
                self.solver.add_clause([-gate, a]);
                self.solver.add_clause([-gate, b]);
                self.solver.add_clause([gate, -a, -b]);
            }
        }
    }

    fn known(&self, lit: Lit) -> i32 {
        let var = self.vars[lit.node() as usize];
        if lit.is_negated() { -var } else { var }
    }

    /// True when one of the literals can hold.
    fn is_any(&mut self, lits: &[i32]) -> Result<bool, Stopped> {
        self.last += 1;
        let any = self.last;
        self.solver.add_clause(lits.iter().copied().chain([-any]));
        self.solver.solve_with([any]).ok_or_else(|| Stopped("the time is over".into()))
    }

    /// The value in the last answer, which was yes, of a constant or an input; one that nobody asked about may have any.
    fn value(&self, lit: Lit) -> bool {
        match self.vars.get(lit.node() as usize) {
            _ if lit.is_constant() => lit == Lit::TRUE,
            None | Some(0) => false,
            Some(_) => self.solver.value(self.known(lit)).unwrap_or(false),
        }
    }
}

/// The steps of a circuit so far.
struct Unrolled<'a> {
    aig: &'a Aig,
    needed: Vec<bool>,
    /// All steps.
    circuit: Aig,
    /// The latches in the first step and in the next one.
    first: Vec<Lit>,
    latches: Vec<Lit>,
    /// The inputs of each step.
    inputs: Vec<Vec<Lit>>,
}

impl<'a> Unrolled<'a> {
    fn new(aig: &'a Aig, needed: Vec<bool>) -> Unrolled<'a> {
        let mut circuit = Aig::new();
        let start = |latch: &ts::aig::Latch| match latch.reset {
            Some(value) => Lit::constant(value),
            None => circuit.input(),
        };
        let first: Vec<Lit> = aig.latches().iter().map(start).collect();
        Unrolled { aig, needed, circuit, latches: first.clone(), first, inputs: Vec::new() }
    }

    /// Adds a step; what each node that matters is in it.
    fn step(&mut self) -> Vec<Lit> {
        let inputs: Vec<Lit> = self.aig.inputs().iter().map(|_| self.circuit.input()).collect();
        let mut values: Vec<Lit> = Vec::with_capacity(self.aig.nodes().len());
        for (number, node) in self.aig.nodes().iter().enumerate() {
            let at = |lit: Lit| values[lit.node() as usize].negated_if(lit.is_negated());
            values.push(match *node {
                _ if !self.needed[number] => Lit::FALSE,
                Node::False => Lit::FALSE,
                Node::Input(position) => inputs[position as usize],
                Node::Latch(position) => self.latches[position as usize],
                Node::And(a, b) => self.circuit.and(at(a), at(b)),
            });
        }
        for (position, latch) in self.aig.latches().iter().enumerate() {
            if self.needed[latch.now.node() as usize] {
                self.latches[position] =
                    values[latch.next.node() as usize].negated_if(latch.next.is_negated());
            }
        }
        self.inputs.push(inputs);
        values
    }
}
