//! k-induction on circuits: so many steps in a row in which nothing is bad are never followed by a bad one.
//!
//! A property that needs many steps, or is not shown by any number of them, often needs few together with others. So the
//! system's hints take part as candidates: as long as they help, it is assumed that they hold in the steps before, and those
//! that were of use have to be shown in the same way, and to hold in the first steps. What is not is no candidate any more. The first
//! steps are looked at as long as that is easy: the checker looks at them in any case.

use super::super::session::Stopped;
use super::super::{Hints, Kind, SystemEngineInfo, SystemFound, SystemProblem};
use super::cone::cone;
use super::deep::Deep;
use super::narrow::Narrow;
use super::unrolled::Unrolled;
use super::{Candidate, Circuit};
use base::budget::Budget;
use smt::term::{TermId, Terms};
use ts::aig::{Aig, Lit};
use ts::{Certificate, Reduction};

pub(in super::super) const BITS: SystemEngineInfo = SystemEngineInfo {
    name: "kinduction-bits",
    shows: "correct, incorrect",
    summary: "shows that bad steps do not follow many good ones, in systems with finitely many states, with a SAT solver",
    rank: 1,
    least: Kind::Bits,
    share: 4,
    hints: Hints::Near,
    run: |terms, problem| search(terms, problem).unwrap_or_else(SystemFound::from),
};

/// What the property does not depend on may still say something about what it depends on.
pub(in super::super) const HINTS: SystemEngineInfo = SystemEngineInfo {
    name: "kinduction-hints",
    shows: "correct, incorrect",
    summary: "does the same with all hints of the file, and with everything that they speak of",
    // Files with hints are mostly made from designs that are proved so.
    share: 8,
    hints: Hints::All,
    ..BITS
};

/// In so many of the first steps candidates are looked at before they are known to be of use, with so many conflicts at most.
const WEEDED: usize = 4;
const PATIENCE: i32 = 2000;
/// Where so many steps are not enough, it takes long to find that out, and one more rarely changes it. So a few are left out.
const SKIP: usize = 4;

fn search(terms: &mut Terms, problem: &SystemProblem<'_>) -> Result<SystemFound, Stopped> {
    let (circuit, hints) = Circuit::with_hints(terms, problem)?;
    // The first candidate is the property.
    let own = Candidate { formula: TermId::TRUE, bad: circuit.bad };
    let candidates: Vec<Candidate> = [own].into_iter().chain(hints).collect();
    let mut induction = Induction::new(&circuit.blasted.aig, &candidates, problem);
    let mut asked = 0;
    for depth in 0.. {
        if problem.budget.is_over() {
            break;
        }
        induction.step();
        if depth < asked {
            continue;
        }
        asked = depth + 1 + depth / SKIP;
        match induction.at(depth)? {
            Outcome::Open => {}
            Outcome::Violated((latches, inputs)) => {
                let steps = circuit.blasted.aig.run(&latches, &inputs);
                return Ok(circuit.violation(terms, problem, &steps));
            }
            Outcome::Shown(needed) => {
                let formulas: Vec<TermId> = needed.iter().map(|&at| candidates[at].formula).collect();
                let invariant = terms.and(&formulas);
                let invariant = circuit.functional.invariant(terms, invariant);
                let reduction = Reduction::None;
                return Ok(SystemFound::Proof(Certificate { reduction, invariant, depth }));
            }
        }
    }
    Err(Stopped("the time is over".into()))
}

enum Outcome {
    /// Not with so many steps.
    Open,
    /// The first state and the inputs of an execution.
    Violated((Vec<bool>, Vec<Vec<bool>>)),
    /// These candidates hold, the property among them.
    Shown(Vec<usize>),
}

struct Induction<'a> {
    aig: &'a Aig,
    bads: Vec<Lit>,
    /// Steps from anywhere. Each candidate has a switch that makes it hold in all of them but the last.
    any: Steps<'a>,
    switches: Vec<i32>,
    /// What is bad in the last one.
    last: Vec<i32>,
    /// Steps from an initial state, and what is bad in each of them.
    first: Steps<'a>,
    firsts: Vec<Vec<i32>>,
    /// The candidates that are not known to be wrong.
    alive: Vec<bool>,
    /// For what is shown, the candidates that show it. More steps in which they hold show it as well.
    shown_by: Vec<Option<Vec<usize>>>,
    budget: Budget,
}

impl<'a> Induction<'a> {
    fn new(aig: &'a Aig, candidates: &[Candidate], problem: &SystemProblem<'_>) -> Induction<'a> {
        let bads: Vec<Lit> = candidates.iter().map(|candidate| candidate.bad).collect();
        let needed = cone(aig, &bads);
        // Most questions about steps from anywhere have an answer, until the last ones.
        let mut any = Steps::new(Unrolled::anywhere(aig, needed.clone()), Deep::hopeful(&problem.budget));
        let switches = bads.iter().map(|_| any.sat.fresh()).collect();
        Induction {
            aig,
            any,
            switches,
            last: Vec::new(),
            first: Steps::new(Unrolled::new(aig, needed, Narrow::none(aig)), Deep::new(&problem.budget)),
            firsts: Vec::new(),
            alive: vec![true; bads.len()],
            shown_by: vec![None; bads.len()],
            budget: problem.budget.clone(),
            bads,
        }
    }

    /// Adds a step.
    fn step(&mut self) {
        for (switch, bad) in self.switches.iter().zip(&self.last) {
            self.any.sat.solver.add_clause([-switch, -bad]);
        }
        self.last = self.any.next(self.aig, &self.bads);
        // All questions from now on are about so many steps.
        self.any.sat.solver.add_clause([self.any.held]);
    }

    /// Tries so many steps.
    fn at(&mut self, depth: usize) -> Result<Outcome, Stopped> {
        if depth < WEEDED {
            self.weed(depth);
        }
        // A candidate that is not shown by so many steps may be shown by more.
        let mut trusted = self.alive.clone();
        loop {
            let Some(needed) = self.shown(&mut trusted)? else { return Ok(Outcome::Open) };
            match self.wrong(depth, &needed)? {
                None => return Ok(Outcome::Shown(needed)),
                Some((_, Some(execution))) => return Ok(Outcome::Violated(execution)),
                Some((wrong, None)) => {
                    wrong.iter().for_each(|&at| self.alive[at] = false);
                    self.distrust(&wrong, &mut trusted);
                }
            }
        }
    }

    /// Drops candidates that do not hold in the newest of the first steps, as far as that is found out soon.
    fn weed(&mut self, depth: usize) {
        self.reach(depth + 1);
        loop {
            let bads = self.firsts[depth].iter().enumerate().skip(1);
            let open: Vec<i32> = bads.filter(|(at, _)| self.alive[*at]).map(|(_, &bad)| bad).collect();
            if open.is_empty() || self.first.sat.is_any(&open, PATIENCE) != Some(true) {
                return;
            }
            for (at, &bad) in self.firsts[depth].iter().enumerate().skip(1) {
                self.alive[at] &= self.first.sat.solver.value(bad) != Some(true);
            }
        }
    }

    fn reach(&mut self, steps: usize) {
        while self.firsts.len() < steps {
            // An execution may be bad and have no further step.
            let bads = self.first.next_held(self.aig, &self.bads);
            self.firsts.push(bads);
        }
    }

    /// The property, with candidates that show it together; nothing if what is trusted does not show it.
    fn shown(&mut self, trusted: &mut [bool]) -> Result<Option<Vec<usize>>, Stopped> {
        loop {
            let (needed, open) = self.needed();
            let Some(at) = open else { return Ok(Some(needed)) };
            let hold = (0..trusted.len()).filter(|&at| trusted[at]).map(|at| self.switches[at]);
            let assumptions: Vec<i32> = hold.chain([self.last[at]]).collect();
            match self.any.sat.solve(&assumptions, i32::MAX) {
                None => return Err(Stopped("the time is over".into())),
                Some(true) if at == 0 => return Ok(None),
                Some(true) => {
                    // Whatever the steps show to be wrong is not shown by them.
                    let is_bad = |at: &usize| self.any.sat.solver.value(self.last[*at]) == Some(true);
                    let wrong: Vec<usize> = (1..trusted.len()).filter(is_bad).collect();
                    self.distrust(&wrong, trusted);
                }
                Some(false) => {
                    let used = |at: &usize| trusted[*at] && self.any.sat.solver.failed(self.switches[*at]);
                    self.shown_by[at] = Some((0..trusted.len()).filter(used).collect());
                }
            }
        }
    }

    /// The property and what it is shown by, directly or not, and the first of them that is not shown itself.
    fn needed(&self) -> (Vec<usize>, Option<usize>) {
        let mut is_needed = vec![false; self.shown_by.len()];
        is_needed[0] = true;
        let mut needed = vec![0];
        let mut next = 0;
        while let Some(&at) = needed.get(next) {
            let Some(shown_by) = &self.shown_by[at] else { return (needed, Some(at)) };
            needed.extend(shown_by.iter().filter(|&&at| !std::mem::replace(&mut is_needed[at], true)));
            next += 1;
        }
        (needed, None)
    }

    /// Does without some candidates, and so without what they show.
    fn distrust(&mut self, wrong: &[usize], trusted: &mut [bool]) {
        wrong.iter().for_each(|&at| trusted[at] = false);
        for shown_by in &mut self.shown_by {
            shown_by.take_if(|used| used.iter().any(|at| !trusted[*at]));
        }
    }

    /// Candidates among those given that do not hold in one of the first steps, with an execution if the property is one.
    #[expect(clippy::type_complexity, reason = "the values of latches, and those of inputs by steps")]
    fn wrong(
        &mut self,
        depth: usize,
        needed: &[usize],
    ) -> Result<Option<(Vec<usize>, Option<(Vec<bool>, Vec<Vec<bool>>)>)>, Stopped> {
        self.reach(depth);
        for step in 0..depth {
            let bads: Vec<i32> = needed.iter().map(|&at| self.firsts[step][at]).collect();
            let patience = if step < WEEDED { i32::MAX } else { PATIENCE };
            match self.first.sat.is_any(&bads, patience) {
                None if self.budget.is_over() => return Err(Stopped("the time is over".into())),
                // It takes long to see that nothing is bad; the checker does that anyway.
                None => return Ok(None),
                // What is known of a step helps with the next one.
                Some(false) => bads.iter().for_each(|&bad| self.first.sat.solver.add_clause([-bad])),
                Some(true) => {
                    let is_bad = |at: usize| self.first.sat.solver.value(self.firsts[step][at]) == Some(true);
                    let wrong: Vec<usize> = needed.iter().copied().filter(|&at| is_bad(at)).collect();
                    let first = &self.first;
                    let execution = || first.unrolled.execution(step + 1, |lit| first.sat.value(lit));
                    return Ok(Some((wrong, is_bad(0).then(execution))));
                }
            }
        }
        Ok(None)
    }
}

/// Steps of a circuit.
struct Steps<'a> {
    unrolled: Unrolled<'a>,
    sat: Deep,
    /// Says that constraints hold in all steps so far.
    held: i32,
}

impl<'a> Steps<'a> {
    fn new(unrolled: Unrolled<'a>, mut sat: Deep) -> Steps<'a> {
        Steps { unrolled, held: sat.constant(), sat }
    }

    /// Adds a step; what is bad in it.
    fn next(&mut self, aig: &Aig, bads: &[Lit]) -> Vec<i32> {
        let values = self.unrolled.step();
        let at = |lit: Lit| values[lit.node() as usize].negated_if(lit.is_negated());
        for constraint in aig.constraints.iter().map(|&lit| at(lit)) {
            let holds = self.sat.literal(&self.unrolled.circuit, constraint);
            self.held = self.sat.both(self.held, holds);
        }
        bads.iter().map(|&bad| self.sat.literal(&self.unrolled.circuit, at(bad))).collect()
    }

    /// Adds a step; what is bad in it at the end of an execution.
    fn next_held(&mut self, aig: &Aig, bads: &[Lit]) -> Vec<i32> {
        let bads = self.next(aig, bads);
        bads.into_iter().map(|bad| self.sat.both(self.held, bad)).collect()
    }
}
