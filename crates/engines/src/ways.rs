//! Ways to use Spacer: with which parameters it finds a solution cannot be told before, so they take turns.

use base::budget::Budget;
use smt::sort::Sort;
use smt::term::{FunId, Terms};
use solver::z3::{Setting, Spacer};
use solver::{Horn, HornProblem, HornResult, Limits, Reason, SolverError};
use std::time::Duration;

/// The ways, in the order in which they are tried.
const WAYS: &[Way] = &[
    // What the usual parameters find they mostly find at once.
    Way { settings: &[], share: 10, arrays: false },
    // Most questions about arrays do not need that those with equal elements are equal, and many are hard because of that.
    Way { settings: ELEMENTS, share: 3, arrays: true },
    // Takes smaller steps back from what is to be excluded; at once where remainders of divisions matter.
    Way { settings: &[Setting::Switch("spacer.gpdr", true)], share: 10, arrays: false },
    // Generalises from all lemmas of a predicate together: finds relations between counters that others enumerate.
    Way { settings: &[Setting::Switch("spacer.global", true)], share: 2, arrays: false },
    Way { settings: QUANTIFIED, share: 2, arrays: true },
    Way { settings: &[], share: 1, arrays: false },
];

/// Lets arrays differ that have the same elements.
const ELEMENTS: &[Setting] = &[Setting::Within("smt.array.extensional", false)];

/// Looks for quantified facts about arrays.
const QUANTIFIED: &[Setting] = &[
    Setting::Switch("spacer.q3.use_qgen", true),
    Setting::Switch("spacer.ground_pobs", false),
    Setting::Switch("spacer.mbqi", false),
];

/// Parameters, and when they are tried.
struct Way {
    settings: &'static [Setting],
    /// It gets so much of the time that is left: all, a half, …
    share: u32,
    /// True for what makes sense for programs with arrays only.
    arrays: bool,
}

/// The time of a way when there is no limit.
const UNLIMITED: Duration = Duration::from_secs(600);
/// The time of each way in the first round, in which all but the last are tried: many clauses are easy for one of them.
const GLANCE: Duration = Duration::from_millis(500);

/// Ways for clauses about cells of arrays. Indices are compared with each other a lot, and what is to be excluded mostly says
/// that two are equal: that has to become an order between them, which it does when nothing is put in for equals.
const CELLS: &[Way] = &[
    Way { settings: &[UNEQUAL, SIMPLER, ORDER], share: 2, arrays: false },
    Way { settings: &[UNEQUAL, ORDER], share: 3, arrays: false },
    Way { settings: &[UNEQUAL, SIMPLER, ORDER, WEAKER], share: 3, arrays: false },
    Way { settings: &[UNEQUAL, Setting::Switch("spacer.gpdr", true)], share: 3, arrays: false },
    Way { settings: &[UNEQUAL, SIMPLER, Setting::Switch("spacer.global", true)], share: 2, arrays: false },
    Way { settings: &[Setting::Switch("spacer.use_euf_gen", true)], share: 1, arrays: false },
];

const UNEQUAL: Setting = Setting::Switch("spacer.eq_prop", false);
const SIMPLER: Setting = Setting::Switch("spacer.simplify_pob", true);
const ORDER: Setting = Setting::Number("spacer.order_children", 1);
const WEAKER: Setting = Setting::Switch("spacer.use_inc_clause", false);

/// What one of the ways for cells says of the clauses.
pub(crate) fn solve_cells(
    terms: &mut Terms,
    clauses: &HornProblem,
    budget: &Budget,
) -> Result<HornResult, SolverError> {
    let turns: Vec<Turn> = CELLS.iter().map(|way| (way, Some(way.share))).collect();
    one_of(terms, clauses, budget, &turns)
}

/// What one of the ways says of the clauses, or what the last one does not know.
pub(crate) fn solve(
    terms: &mut Terms,
    clauses: &HornProblem,
    budget: &Budget,
) -> Result<HornResult, SolverError> {
    let is_array = |fun: &FunId| {
        let sorts = &terms.fun(*fun).params;
        sorts.iter().any(|&sort| matches!(terms.sorts.get(sort), Sort::Array(..)))
    };
    let arrays = clauses.predicates.iter().any(is_array);
    let ways: Vec<&Way> = WAYS.iter().filter(|way| arrays || !way.arrays).collect();
    let glances = ways.iter().take(ways.len() - 1).map(|&way| (way, None));
    let turns: Vec<Turn> = glances.chain(ways.iter().map(|&way| (way, Some(way.share)))).collect();
    one_of(terms, clauses, budget, &turns)
}

/// A way and the part of the time for it that is left, or a glance.
type Turn = (&'static Way, Option<u32>);

fn one_of(
    terms: &mut Terms,
    clauses: &HornProblem,
    budget: &Budget,
    turns: &[Turn],
) -> Result<HornResult, SolverError> {
    let mut answer = HornResult::Unknown(Reason::Timeout);
    for (way, share) in turns {
        let left = budget.remaining().unwrap_or(UNLIMITED);
        if budget.is_over() {
            break;
        }
        let time = share.map_or(GLANCE.min(left), |share| left / share);
        answer = match Spacer::with(way.settings).solve(terms, clauses, Limits::time(time))? {
            // Where arrays differ that are equal, a derivation need not be one.
            HornResult::Unsat(_) if way.settings == ELEMENTS => HornResult::Unknown(Reason::Timeout),
            HornResult::Unknown(reason) => HornResult::Unknown(reason),
            known => return Ok(known),
        };
    }
    Ok(answer)
}
