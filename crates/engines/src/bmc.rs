//! Bounded model checking: looks for violations symbolically, in executions whose loops and recursions run a bounded
//! number of times.
//!
//! The program is unrolled ([`explore`]) into one formula of linear size, in which every moment at which a property is
//! judged is a suspect; a solver says whether one of them is guilty ([`solve`]). Its model becomes an execution, which
//! the interpreter runs, and what that violates is the evidence. Bounds grow until time is over or nothing is cut.
//!
//! Where the task annotates loops or statements, an execution may leap (section 7.3 of the paper, decision 3): the
//! annotations have to be inductive and strong enough by themselves. A leap stands for all rounds of a loop, so these
//! violations are found with small bounds. An `:ensures` that is too weak for the caller cannot
//! be shown by a trace: a leap by contract ends with its statement.
//!
//! All properties are judged at the moments at which [`svlib::interp`] judges them. Where this engine is less precise
//! (an `at` term of a tag that only some ways visit) it finds less, or a model that the interpreter does not
//! confirm, which is not evidence.

mod compiled;
mod explore;
mod fold;
mod judge;
mod shape;
mod solve;
mod state;

use crate::{EngineInfo, Found, Problem};
use explore::{Bounds, explore};
use program::Program;
use shape::Shapes;
use smt::term::Terms;
use solve::{Answer, Rest, solve};
use svlib::interp::{EntryRequires, Task};

pub(crate) const INFO: EngineInfo = EngineInfo {
    name: "bmc",
    shows: "incorrect",
    summary: "bounded model checking: unrolled loops and calls, leaps at annotations",
    rank: 1,
    run: search,
};

/// Instructions that are executed with the first bound, and at most.
const FIRST_NODES: usize = 20_000;
const MOST_NODES: usize = 100_000_000;
/// Bounds beyond this are of no use.
const MOST_ROUNDS: u32 = 1_000_000;

fn search(terms: &mut Terms, problem: &Problem<'_>) -> Found {
    let assumed = problem.options.entry_requires == EntryRequires::Assume;
    let program = match Program::new(problem.script, problem.command, &[], assumed) {
        Ok(program) => program,
        Err(error) => return Found::Nothing(error.to_string()),
    };
    if !solve::asserts_are_evaluable(terms, &program) {
        return Found::Nothing("an assertion cannot be evaluated, so no trace can be confirmed".into());
    }
    let task = match Task::new(terms, problem.script, problem.command) {
        Ok(task) => task,
        Err(error) => return Found::Nothing(error.to_string()),
    };
    let shapes = Shapes::of(terms, &program, &task);
    // What really happens says more than a leap, so it comes first.
    let mut modes = vec![Mode::of(false)];
    modes.extend(shapes.leaps.then(|| Mode::of(true)));
    let mut open = None;
    while let Some(mode) = modes.first().copied() {
        if problem.budget.is_over() || mode.rounds > MOST_ROUNDS || mode.nodes > MOST_NODES {
            return Found::Nothing(reason(mode.rounds, open));
        }
        let Mode { rounds, nodes, leaps } = mode;
        let bounds = Bounds { rounds, nodes, leaps, assumed };
        let explored = explore(terms, &shapes, &program, bounds, &problem.budget);
        let rest = match solve(terms, problem, &program, &task, explored) {
            Answer::Violation(trace) => return Found::Violation(trace),
            Answer::Untagged => {
                return Found::Nothing("a violated statement has no tag, so no trace can name it".into());
            }
            Answer::Open(reason) => {
                open = Some(reason);
                Rest::Rounds
            }
            Answer::Clean(rest) => rest,
        };
        modes.remove(0);
        match rest {
            // Leaps lead to all states that rounds lead to.
            Rest::Nothing if leaps && !shapes.partial_leaps => break,
            Rest::Nothing => {}
            _ => modes.push(mode.after(rest)),
        }
    }
    Found::Nothing(finished(&shapes))
}

/// What is tried next: with or without leaps, and how far.
#[derive(Clone, Copy)]
struct Mode {
    leaps: bool,
    rounds: u32,
    nodes: usize,
}

impl Mode {
    fn of(leaps: bool) -> Mode {
        Mode { leaps, rounds: 1, nodes: FIRST_NODES }
    }

    /// More of what was not enough.
    fn after(self, rest: Rest) -> Mode {
        match rest {
            Rest::Steps => Mode { nodes: self.nodes * 8, ..self },
            _ => Mode { rounds: self.rounds + (self.rounds / 2).max(1), ..self },
        }
    }
}

fn reason(rounds: u32, open: Option<String>) -> String {
    let open = open.map(|open| format!("; {open}")).unwrap_or_default();
    format!("no violation with fewer than {rounds} rounds of each loop{open}")
}

/// What the engine says when it has looked at all executions, those with leaps too, and everything was judged.
pub const UNROLLED: &str = "the program is unrolled completely, and no execution violates a property";

fn finished(shapes: &Shapes<'_>) -> String {
    match shapes.left_out {
        true => format!("{UNROLLED} that can be evaluated"),
        false => UNROLLED.into(),
    }
}
