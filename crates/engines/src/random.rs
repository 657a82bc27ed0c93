//! Random executions: cheap, and right about shallow violations.
//!
//! Seeds are tried one after the other; the number of steps that one execution may take grows, so that a loop that
//! never ends does not use up the time that other seeds need.

use crate::{EngineInfo, Found, Problem};
use base::budget::Budget;
use smt::term::Terms;
use std::time::{Duration, Instant};
use svlib::interp::{End, Options, Random, Task, run};

pub(crate) const INFO: EngineInfo = EngineInfo {
    name: "random",
    shows: "incorrect",
    summary: "random concrete executions",
    rank: 0,
    run: search,
};

/// Steps of an execution at first, and at most.
const FIRST_STEPS: u64 = 2_000;
const MOST_STEPS: u64 = 1_000_000;
/// Steps of the longest executions, which are few: counting loops are not executed round by round.
const LONGEST: u64 = 1 << 50;
/// The budget of one evaluation: a term that needs more would use up the time that other seeds need.
const FUEL: u64 = 1_000_000;
/// Executions, for a program so small that time does not matter.
const MOST_EXECUTIONS: u64 = 100_000;

fn search(terms: &mut Terms, problem: &Problem<'_>) -> Found {
    let task = match Task::new(terms, problem.script, problem.command) {
        Ok(task) => task,
        Err(error) => return Found::Nothing(error.to_string()),
    };
    let (mut steps, mut executions, mut ended) = (FIRST_STEPS, 0, 0);
    let mut long = Long::default();
    while executions < MOST_EXECUTIONS && !problem.budget.is_over() {
        let is_long = executions % 8 == 7 && long.fits(&problem.budget);
        let limit = if is_long { long.steps } else { steps };
        let options = Options { steps: limit, fuel: FUEL, ..problem.options };
        let seed = problem.seed.wrapping_add(executions);
        let begin = Instant::now();
        let outcome = run(&task, terms, &mut Random::new(seed), &options);
        executions += 1;
        match &outcome.end {
            End::Violated(_) => {
                if let Some(trace) = outcome.trace(terms, &task) {
                    return Found::Violation(Box::new(trace));
                }
                return Found::Nothing("a violated statement has no tag, so no trace can name it".into());
            }
            End::Finished(_) => ended += 1,
            End::StepLimit if is_long => long.grow(begin.elapsed()),
            End::StepLimit if executions % 16 == 0 => steps = (steps * 2).min(MOST_STEPS),
            _ => {}
        }
    }
    Found::Nothing(format!("{executions} random executions ({ended} to the end) violate nothing"))
}

/// Now and then one execution goes much further than the others: a loop of plain arithmetic goes round a hundred million
/// times in seconds, and one that only counts goes round any number of times at once.
struct Long {
    steps: u64,
    /// How long the next one will take, judged by the last.
    takes: Duration,
}

impl Default for Long {
    fn default() -> Self {
        Long { steps: 64 * FIRST_STEPS, takes: Duration::ZERO }
    }
}

impl Long {
    fn fits(&self, budget: &Budget) -> bool {
        budget.remaining().is_none_or(|left| self.takes < left * 3 / 4)
    }

    fn grow(&mut self, took: Duration) {
        if self.steps < LONGEST {
            self.steps *= 2;
            self.takes = took * 2;
        }
    }
}
