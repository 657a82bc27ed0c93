//! All states that are reached, one by one.
//!
//! In models of protocols and puzzles each input says which of some rules is applied, and there are many ways to go, but not so many
//! places to come to. There is no need to ask for a step then: all choices that are ever of use are found first, and then each
//! of them is tried in each state, and in 64 states at once.

mod back;
mod diagram;
mod rules;
mod states;

use super::super::session::Stopped;
use super::super::{Hints, Kind, SystemEngineInfo, SystemFound, SystemProblem};
use super::Circuit;
use super::lanes::{LANES, Lanes, transpose};
use back::Back;
use base::budget::Budget;
use rules::{End, Rules};
use smt::term::{TermId, Terms};
use states::{Origin, States};
use ts::Certificate;
use ts::aig::{Aig, word};

pub(in super::super) const BITS: SystemEngineInfo = SystemEngineInfo {
    name: "explicit-bits",
    shows: "correct, incorrect",
    summary: "visits all states, one by one, of systems with finitely many states and few choices in each",
    rank: 1,
    least: Kind::Bits,
    share: 4,
    hints: Hints::None,
    run: |terms, problem| search(terms, problem).unwrap_or_else(SystemFound::from),
};

pub(in super::super) const BACK: SystemEngineInfo = SystemEngineInfo {
    name: "explicit-back",
    summary: "visits states backwards from a bad one, where steps tell the state before them",
    run: |terms, problem| search_back(terms, problem).unwrap_or_else(SystemFound::from),
    ..BITS
};

/// So many bits without a value are tried with all values.
const OPEN: usize = 10;
/// The time is looked at whenever so many more states are done.
const PAUSE: usize = 1 << 12;

fn search(terms: &mut Terms, problem: &SystemProblem<'_>) -> Result<SystemFound, Stopped> {
    let circuit = Circuit::of(terms, problem)?;
    let aig = &circuit.blasted.aig;
    let lanes = Lanes::new(aig, &[circuit.bad]);
    let rules = Rules::of(&lanes, circuit.bad, &problem.budget)?;
    let resets: Vec<Option<bool>> = lanes.latches.iter().map(|&at| aig.latches()[at].reset).collect();
    let mut search = Search { rules, states: States::of(&resets, OPEN).ok_or_else(too_many)? };
    let Some(last) = search.run(&problem.budget)? else {
        let invariant = invariant(terms, &circuit, &lanes.latches, &search)?;
        let invariant = circuit.functional.invariant(terms, invariant);
        return Ok(SystemFound::Proof(Certificate::inductive(invariant)));
    };
    let (states, mut rules) = search.way(last);
    rules.extend(search.bad_rule(last));
    let first = search.latches(aig, &lanes.latches, states[0]);
    let inputs: Vec<Vec<bool>> =
        rules.into_iter().map(|rule| search.rules.rules[rule].inputs.clone()).collect();
    Ok(circuit.violation(terms, problem, &aig.run(&first, &inputs)))
}

fn search_back(terms: &mut Terms, problem: &SystemProblem<'_>) -> Result<SystemFound, Stopped> {
    let circuit = Circuit::of(terms, problem)?;
    let aig = &circuit.blasted.aig;
    let lanes = Lanes::new(aig, &[circuit.bad]);
    let Back { rules, taken, last, inputs } = Back::of(&lanes, circuit.bad)?;
    let mut search = Search { rules, states: States::of(&last, OPEN).ok_or_else(too_many)? };
    let Some(first) = search.run(&problem.budget)? else {
        // Not all states before others were visited, perhaps; if one of them is missing, the checker will not accept this.
        let visited = invariant(terms, &circuit, &lanes.latches, &search)?;
        let invariant = terms.not(visited);
        let invariant = circuit.functional.invariant(terms, invariant);
        return Ok(SystemFound::Proof(Certificate::inductive(invariant)));
    };
    // From the bad state to the first one.
    let (states, rules) = search.way(first);
    let mut execution = vec![inputs];
    for (&after, &rule) in states.iter().zip(&rules) {
        let mut inputs = search.rules.rules[rule].inputs.clone();
        for taken in &taken {
            inputs[taken.input] = search.states.bit(after, taken.bit) != taken.negated;
        }
        execution.push(inputs);
    }
    execution.reverse();
    let first = search.latches(aig, &lanes.latches, first);
    Ok(circuit.violation(terms, problem, &aig.run(&first, &execution)))
}

fn too_many() -> Stopped {
    Stopped("there are too many states to begin with".into())
}

/// The states that were visited, and those that lead nowhere.
fn invariant(
    terms: &mut Terms,
    circuit: &Circuit,
    latches: &[usize],
    search: &Search,
) -> Result<TermId, Stopped> {
    let aig = &circuit.blasted.aig;
    let bit = |terms: &mut Terms, at: usize| {
        let formula = circuit.blasted.formula(terms, aig.latches()[at].now);
        formula.ok_or_else(|| Stopped("a latch is no bit of a variable".into()))
    };
    let mut bits = Vec::with_capacity(latches.len());
    for &at in latches {
        bits.push(bit(terms, at)?);
    }
    let mut cases = vec![diagram::formula(terms, &search.states, &bits)?];
    for &End { latch, value } in &search.rules.ends {
        let ended = bit(terms, latch)?;
        cases.push(if value { ended } else { terms.not(ended) });
    }
    Ok(terms.or(&cases))
}

/// States, and the rules that lead to more of them. The bits of a state are the latches that matter, in their order.
struct Search {
    rules: Rules,
    states: States,
}

impl Search {
    /// Visits the states; the number of one with which the search is over, or none if there is none.
    fn run(&mut self, budget: &Budget) -> Result<Option<usize>, Stopped> {
        let mut lanes = Lanes::new(&self.rules.circuit, &self.rules.roots());
        let (mut found, mut origins) = (Vec::new(), Vec::new());
        let mut next = 0;
        while next < self.states.len() {
            if next % PAUSE < LANES && budget.is_over() {
                return Err(Stopped(format!("the time is over after {} states", self.states.len())));
            }
            let count = LANES.min(self.states.len() - next);
            let used = u64::MAX >> (LANES - count);
            enter(&self.states, next, &mut lanes);
            lanes.compute();
            let goal = lanes.get(self.rules.goal) & used;
            if goal != 0 {
                return Ok(Some(next + goal.trailing_zeros() as usize));
            }
            for (number, rule) in self.rules.rules.iter().enumerate() {
                let mut open = lanes.get(rule.open) & used;
                while open != 0 {
                    let lane = open.trailing_zeros() as usize;
                    open &= open - 1;
                    let begin = found.len();
                    found.extend_from_slice(self.states.state(next + lane));
                    for &(bit, value) in &rule.changes {
                        let value = lanes.get(value) >> lane & 1;
                        let word: &mut u64 = &mut found[begin + bit / 64];
                        *word = *word & !(1 << (bit % 64)) | value << (bit % 64);
                    }
                    origins.push(Origin { state: (next + lane) as u32, rule: number as u32 });
                }
            }
            self.states.insert_all(&found, &origins);
            found.clear();
            origins.clear();
            if self.states.is_full() {
                return Err(Stopped(format!("there are more than {} states", self.states.len())));
            }
            next += count;
        }
        Ok(None)
    }

    /// The states and the rules on the way to a state.
    fn way(&self, last: usize) -> (Vec<usize>, Vec<usize>) {
        let (mut states, mut rules) = (vec![last], Vec::new());
        while let Some(origin) = self.states.origin(states[states.len() - 1]) {
            rules.push(origin.rule as usize);
            states.push(origin.state as usize);
        }
        states.reverse();
        rules.reverse();
        (states, rules)
    }

    /// A rule with whose inputs a state is bad.
    fn bad_rule(&self, state: usize) -> Option<usize> {
        let bits: Vec<u64> = (0..self.states.bits()).map(|bit| self.states.bit(state, bit).into()).collect();
        let values = self.rules.circuit.eval(&[], &bits);
        self.rules.rules.iter().position(|rule| word(&values, rule.bad) & 1 == 1)
    }

    /// The values of all latches, of which some matter, in a state.
    fn latches(&self, aig: &Aig, matter: &[usize], state: usize) -> Vec<bool> {
        let mut latches = vec![false; aig.latches().len()];
        for (bit, &at) in matter.iter().enumerate() {
            latches[at] = self.states.bit(state, bit);
        }
        latches
    }
}

/// Sets the inputs of a circuit to states, as many as there are from one on.
fn enter(states: &States, first: usize, lanes: &mut Lanes<'_>) {
    let count = LANES.min(states.len() - first);
    for word in 0..states.width() {
        let mut block = [0; LANES];
        for (lane, row) in block[..count].iter_mut().enumerate() {
            *row = states.state(first + lane)[word];
        }
        transpose(&mut block);
        for (bit, &value) in (word * 64..states.bits()).zip(&block) {
            lanes.set_input(bit, value, u64::MAX);
        }
    }
}
