//! Bounded model checking of circuits: step after step is one larger circuit without latches, in which what the first state
//! decides is decided.

use super::super::session::Stopped;
use super::super::{Hints, Kind, SystemEngineInfo, SystemFound, SystemProblem};
use super::Circuit;
use super::cone::cone;
use super::deep::Deep;
use super::narrow::Narrow;
use super::unrolled::Unrolled;
use smt::term::Terms;
use std::time::{Duration, Instant};
use ts::aig::Lit;

pub(in super::super) const INFO: SystemEngineInfo = SystemEngineInfo {
    name: "bmc-bits",
    shows: "incorrect",
    summary: "looks for ever longer executions of systems with finitely many states, with a SAT solver",
    rank: 1,
    least: Kind::Bits,
    share: 3,
    hints: Hints::None,
    run: |terms, problem| {
        let all = |_: &Terms, circuit: &Circuit| Ok(Narrow::none(&circuit.blasted.aig));
        search(terms, problem, all, Rhythm::steady()).unwrap_or_else(SystemFound::from)
    },
};

/// Where data is only moved about, one bit of each word shows as much as all of them, and where it is looked at, the values it is
/// compared with.
pub(in super::super) const NARROW: SystemEngineInfo = SystemEngineInfo {
    name: "bmc-narrow",
    shows: "incorrect",
    summary: "looks for ever longer executions in which words from outside are 0, 1 or what some word is compared with, with a SAT solver",
    rank: 2,
    least: Kind::Bits,
    share: 2,
    hints: Hints::None,
    run: |terms, problem| {
        search(terms, problem, Narrow::of, Rhythm::wide()).unwrap_or_else(SystemFound::from)
    },
};

fn search(
    terms: &mut Terms,
    problem: &SystemProblem<'_>,
    narrow: fn(&Terms, &Circuit) -> Result<Narrow, Stopped>,
    mut rhythm: Rhythm,
) -> Result<SystemFound, Stopped> {
    let circuit = Circuit::of(terms, problem)?;
    let narrow = narrow(terms, &circuit)?;
    let aig = &circuit.blasted.aig;
    let mut unrolled = Unrolled::new(aig, cone(aig, &[circuit.bad]), narrow);
    let mut sat = match rhythm.wide {
        Some(_) => Deep::hopeful(&problem.budget),
        None => Deep::new(&problem.budget),
    };
    // The steps about which nothing is known so far, with what is bad in them.
    let mut open: Vec<(usize, i32)> = Vec::new();
    // Says that constraints hold in all steps so far.
    let mut held = sat.constant();
    for step in 0.. {
        if problem.budget.is_over() {
            break;
        }
        let values = unrolled.step();
        let at = |lit: Lit| values[lit.node() as usize].negated_if(lit.is_negated());
        for constraint in aig.constraints.iter().map(|&lit| at(lit)) {
            let holds = sat.literal(&unrolled.circuit, constraint);
            held = sat.both(held, holds);
        }
        if at(circuit.bad) != Lit::FALSE {
            let bad = sat.literal(&unrolled.circuit, at(circuit.bad));
            open.push((step, sat.both(held, bad)));
        }
        if open.is_empty() || !rhythm.is_due(step) {
            continue;
        }
        let bads: Vec<i32> = open.iter().map(|&(_, bad)| bad).collect();
        match sat.is_any(&bads, rhythm.patience) {
            None => rhythm.give_up(step),
            Some(false) => {
                open.drain(..).for_each(|(_, bad)| sat.solver.add_clause([-bad]));
                // All questions from now on are about later steps.
                sat.solver.add_clause([held]);
            }
            Some(true) => {
                let is_bad = |(_, bad): &&(usize, i32)| sat.solver.value(*bad) == Some(true);
                let length = open.iter().find(is_bad).map_or(step, |&(step, _)| step) + 1;
                let (first, inputs) = unrolled.execution(length, |lit| sat.value(lit));
                return Ok(circuit.violation(terms, problem, &aig.run(&first, &inputs)));
            }
        }
    }
    Err(Stopped("the time is over".into()))
}

/// When the solver is asked, and how many conflicts a question may take.
struct Rhythm {
    next: usize,
    patience: i32,
    /// Since when it is asked about many steps at once; without that about one after the other.
    wide: Option<Instant>,
}

/// So long every step is asked about in any case.
const QUICK: Duration = Duration::from_millis(100);
/// So many conflicts are allowed at first.
const PATIENCE: i32 = 20_000;

impl Rhythm {
    /// After every step: what a question teaches helps with the next one.
    fn steady() -> Rhythm {
        Rhythm { next: 0, patience: i32::MAX, wide: None }
    }

    /// About ever more steps at once. It takes long to show that there is nothing bad in a step, and little to find what is
    /// in one of many; so a question is given up after some time for one about more steps.
    fn wide() -> Rhythm {
        Rhythm { next: 0, patience: PATIENCE, wide: Some(Instant::now()) }
    }

    fn is_due(&mut self, step: usize) -> bool {
        if step < self.next {
            return false;
        }
        let is_wide = self.wide.is_some_and(|begin| begin.elapsed() >= QUICK);
        self.next = if is_wide { 2 * step + 2 } else { step + 1 };
        true
    }

    fn give_up(&mut self, step: usize) {
        self.next = step + 1 + step / 2;
        self.patience = self.patience.saturating_mul(2);
    }
}
