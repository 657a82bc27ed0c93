//! k-induction on circuits: so many steps in a row in which nothing is bad are never followed by a bad one.

use super::super::session::Stopped;
use super::super::{Kind, SystemEngineInfo, SystemFound, SystemProblem};
use super::Circuit;
use super::cone::cone;
use super::deep::Deep;
use super::narrow::Narrow;
use super::unrolled::Unrolled;
use smt::term::{TermId, Terms};
use ts::aig::{Aig, Lit};
use ts::{Certificate, Reduction};

pub(in super::super) const INFO: SystemEngineInfo = SystemEngineInfo {
    name: "kinduction-bits",
    shows: "correct, incorrect",
    summary: "shows that bad steps do not follow many good ones, in systems with finitely many states, with a SAT solver",
    rank: 1,
    least: Kind::Bits,
    share: 3,
    run: |terms, problem| search(terms, problem).unwrap_or_else(SystemFound::from),
};

fn search(terms: &mut Terms, problem: &SystemProblem<'_>) -> Result<SystemFound, Stopped> {
    let circuit = Circuit::of(terms, problem)?;
    let aig = &circuit.blasted.aig;
    let needed = cone(aig, circuit.bad);
    let mut steps = Steps::new(Unrolled::anywhere(aig, needed.clone()), problem);
    for depth in 0.. {
        if problem.budget.is_over() {
            break;
        }
        let bad = steps.next(aig, circuit.bad);
        if steps.sat.is_any(&[bad], i32::MAX) == Some(false) {
            // Now it is about the first steps.
            let mut first = Steps::new(Unrolled::new(aig, needed, Narrow::none(aig)), problem);
            return match first.violation(aig, circuit.bad, depth)? {
                Some((latches, inputs)) => Ok(circuit.violation(terms, problem, &aig.run(&latches, &inputs))),
                None => Ok(SystemFound::Proof(Certificate {
                    reduction: Reduction::None,
                    invariant: TermId::TRUE,
                    depth,
                })),
            };
        }
        steps.sat.solver.add_clause([-bad]);
    }
    Err(Stopped("the time is over".into()))
}

/// Steps in which the constraints hold.
struct Steps<'a> {
    unrolled: Unrolled<'a>,
    sat: Deep,
}

impl<'a> Steps<'a> {
    fn new(unrolled: Unrolled<'a>, problem: &SystemProblem<'_>) -> Steps<'a> {
        Steps { unrolled, sat: Deep::new(&problem.budget) }
    }

    /// Adds a step; whether it is bad.
    fn next(&mut self, aig: &Aig, bad: Lit) -> i32 {
        let values = self.unrolled.step();
        let at = |lit: Lit| values[lit.node() as usize].negated_if(lit.is_negated());
        for constraint in aig.constraints.iter().map(|&lit| at(lit)) {
            let holds = self.sat.literal(&self.unrolled.circuit, constraint);
            self.sat.solver.add_clause([holds]);
        }
        self.sat.literal(&self.unrolled.circuit, at(bad))
    }

    /// The first state and the inputs of an execution with a bad step among the first ones, if there is one.
    #[expect(clippy::type_complexity, reason = "the values of latches, and those of inputs by steps")]
    fn violation(
        &mut self,
        aig: &Aig,
        bad: Lit,
        depth: usize,
    ) -> Result<Option<(Vec<bool>, Vec<Vec<bool>>)>, Stopped> {
        for step in 0..depth {
            let bad = self.next(aig, bad);
            match self.sat.is_any(&[bad], i32::MAX) {
                None => return Err(Stopped("the time is over".into())),
                Some(false) => self.sat.solver.add_clause([-bad]),
                Some(true) => return Ok(Some(self.unrolled.execution(step + 1, |lit| self.sat.value(lit)))),
            }
        }
        Ok(None)
    }
}
