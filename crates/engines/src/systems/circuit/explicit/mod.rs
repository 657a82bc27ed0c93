//! All states that are reached, one by one.
//!
//! In models of protocols and puzzles each input says which of some rules is applied, and there are many ways to go, but not so many
//! places to come to. There is no need to ask for a step then: all choices that are ever of use are found first, and then each
//! of them is tried in each state, and in 64 states at once.

mod diagram;
mod rules;
mod states;

use super::super::session::Stopped;
use super::super::{Hints, Kind, SystemEngineInfo, SystemFound, SystemProblem};
use super::Circuit;
use super::lanes::{LANES, Lanes, transpose};
use base::budget::Budget;
use rules::{End, Rules};
use smt::term::{TermId, Terms};
use states::{Origin, States};
use ts::Certificate;
use ts::aig::{Aig, Lit};

pub(in super::super) const INFO: SystemEngineInfo = SystemEngineInfo {
    name: "explicit-bits",
    shows: "correct, incorrect",
    summary: "visits all states, one by one, of systems with finitely many states and few choices in each",
    rank: 1,
    least: Kind::Bits,
    share: 2,
    hints: Hints::None,
    run: |terms, problem| search(terms, problem).unwrap_or_else(SystemFound::from),
};

/// So many latches without an initial value are tried with all values.
const OPEN: usize = 10;
/// The time is looked at whenever so many more states are done.
const PAUSE: usize = 1 << 12;

fn search(terms: &mut Terms, problem: &SystemProblem<'_>) -> Result<SystemFound, Stopped> {
    let circuit = Circuit::of(terms, problem)?;
    let aig = &circuit.blasted.aig;
    let lanes = Lanes::new(aig, &[circuit.bad]);
    let rules = Rules::of(&lanes, circuit.bad, &problem.budget)?;
    let states = initial(aig, &lanes.latches)?;
    let mut search = Search { aig, latches: lanes.latches, rules, states };
    match search.run(&problem.budget)? {
        Some((first, inputs)) => Ok(circuit.violation(terms, problem, &aig.run(&first, &inputs))),
        None => {
            let formula = |terms: &mut Terms, lit: Lit| circuit.blasted.formula(terms, lit);
            let invariant = search.invariant(terms, formula)?;
            let invariant = circuit.functional.invariant(terms, invariant);
            Ok(SystemFound::Proof(Certificate::inductive(invariant)))
        }
    }
}

/// The initial states, as far as latches matter.
fn initial(aig: &Aig, latches: &[usize]) -> Result<States, Stopped> {
    let resets: Vec<Option<bool>> = latches.iter().map(|&at| aig.latches()[at].reset).collect();
    let open: Vec<usize> = (0..resets.len()).filter(|&bit| resets[bit].is_none()).collect();
    if open.len() > OPEN {
        return Err(Stopped("there are too many initial states".into()));
    }
    let mut states = States::new(resets.len());
    for values in 0..1_usize << open.len() {
        let mut state = vec![0; states.width()];
        let mut set = |bit: usize, value: bool| state[bit / 64] |= u64::from(value) << (bit % 64);
        (0..resets.len()).for_each(|bit| set(bit, resets[bit] == Some(true)));
        open.iter().enumerate().for_each(|(at, &bit)| set(bit, values >> at & 1 == 1));
        states.insert(&state, None);
    }
    Ok(states)
}

struct Search<'a> {
    aig: &'a Aig,
    /// The latches that matter, by their positions: the bits of a state.
    latches: Vec<usize>,
    rules: Rules,
    /// The states so far.
    states: States,
}

/// The first state of an execution, and its inputs step by step.
type Execution = (Vec<bool>, Vec<Vec<bool>>);

impl Search<'_> {
    /// Visits the states; an execution to a bad one, or none if there is none.
    fn run(&mut self, budget: &Budget) -> Result<Option<Execution>, Stopped> {
        let mut lanes = Lanes::new(&self.rules.circuit, &self.rules.roots());
        let mut state = vec![0; self.states.width()];
        let mut next = 0;
        while next < self.states.len() {
            if next % PAUSE < LANES && budget.is_over() {
                return Err(Stopped(format!("the time is over after {} states", self.states.len())));
            }
            let count = LANES.min(self.states.len() - next);
            let used = u64::MAX >> (LANES - count);
            enter(&self.states, next, &mut lanes);
            lanes.compute();
            let bad = lanes.get(self.rules.bad) & used;
            if bad != 0 {
                let lane = bad.trailing_zeros() as usize;
                let rule = self.rules.rules.iter().position(|rule| lanes.get(rule.bad) >> lane & 1 == 1);
                return Ok(rule.map(|rule| self.execution(next + lane, rule)));
            }
            for (number, rule) in self.rules.rules.iter().enumerate() {
                let mut open = lanes.get(rule.open) & used;
                while open != 0 {
                    let lane = open.trailing_zeros() as usize;
                    open &= open - 1;
                    state.copy_from_slice(self.states.state(next + lane));
                    for &(bit, value) in &rule.changes {
                        let value = lanes.get(value) >> lane & 1;
                        let word = &mut state[bit / 64];
                        *word = *word & !(1 << (bit % 64)) | value << (bit % 64);
                    }
                    let origin = Origin { state: (next + lane) as u32, rule: number as u32 };
                    self.states.insert(&state, Some(origin));
                }
            }
            if self.states.is_full() {
                return Err(Stopped(format!("there are more than {} states", self.states.len())));
            }
            next += count;
        }
        Ok(None)
    }

    /// The execution to a state, and a rule in it.
    fn execution(&self, state: usize, rule: usize) -> Execution {
        let (mut state, mut rules) = (state, vec![rule]);
        while let Some(origin) = self.states.origin(state) {
            rules.push(origin.rule as usize);
            state = origin.state as usize;
        }
        let mut first = vec![false; self.aig.latches().len()];
        for (bit, &at) in self.latches.iter().enumerate() {
            first[at] = self.states.bit(state, bit);
        }
        (first, rules.into_iter().rev().map(|rule| self.rules.rules[rule].inputs.clone()).collect())
    }

    /// The states that were visited, and those that lead nowhere.
    fn invariant(
        &self,
        terms: &mut Terms,
        formula: impl Fn(&mut Terms, Lit) -> Option<TermId>,
    ) -> Result<TermId, Stopped> {
        let no_bit = || Stopped("a latch is no bit of a variable".into());
        let mut bits = Vec::with_capacity(self.latches.len());
        for &at in &self.latches {
            bits.push(formula(terms, self.aig.latches()[at].now).ok_or_else(no_bit)?);
        }
        let mut cases = vec![diagram::formula(terms, &self.states, &bits)?];
        for &End { latch, value } in &self.rules.ends {
            let bit = formula(terms, self.aig.latches()[latch].now).ok_or_else(no_bit)?;
            cases.push(if value { bit } else { terms.not(bit) });
        }
        Ok(terms.or(&cases))
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
