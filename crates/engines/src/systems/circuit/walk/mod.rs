//! Random executions of circuits, 64 at once.
//!
//! What is wrong only after very many steps, when a memory is full or a counter at its end, is far away for a solver and near for
//! whoever does the same thing again and again. So an input has a habit in each execution, which it keeps for a while: it is mostly
//! on or off, or changes; or few inputs are on at a time. Executions begin in initial states and where others have come to what was
//! not seen before. Inputs that break a constraint are drawn again, and an execution for
//! which none are found begins anew.

mod camps;

use super::super::session::Stopped;
use super::super::{Hints, Kind, SystemEngineInfo, SystemFound, SystemProblem};
use super::Circuit;
use super::chance::Chance;
use super::lanes::Lanes;
use super::words::{Quoted, quoted, words};
use base::budget::Budget;
use camps::{Camps, Origin};
use smt::term::Terms;
use ts::aig::{Aig, Latch, Lit};

pub(in super::super) const INFO: SystemEngineInfo = SystemEngineInfo {
    name: "random-bits",
    shows: "incorrect",
    summary: "random executions of systems with finitely many states",
    rank: 1,
    least: Kind::Bits,
    share: 3,
    hints: Hints::None,
    run: |terms, problem| search(terms, problem).unwrap_or_else(SystemFound::from),
};

/// So many gates are computed and words looked at in all.
const EFFORT: usize = 8_000_000_000;
/// Expeditions from camps have so many steps, or two, four, … times as many.
const STEPS: usize = 8;
const LONGER: usize = 8;
/// The first one from the start has so many, and later ones up to so many, as far as they fit into so many words.
const FIRST: usize = 64;
const LAST: usize = 1 << 14;
const TRAIL: usize = 1 << 23;
/// So often inputs are drawn for one step.
const DRAWS: usize = 24;

fn search(terms: &mut Terms, problem: &SystemProblem<'_>) -> Result<SystemFound, Stopped> {
    let circuit = Circuit::of(terms, problem)?;
    let aig = &circuit.blasted.aig;
    let mut walk = Walk::new(aig, circuit.bad, problem.seed, &words(terms, &circuit));
    walk.quoted = quoted(terms, &circuit);
    let longest = (TRAIL / aig.inputs().len().max(1)).clamp(FIRST, LAST);
    let mut steps = FIRST;
    // What was computed in expeditions from the start, and in those from camps, which get as much.
    let mut efforts = [0, 0];
    while walk.computed < EFFORT && !problem.budget.is_over() {
        let from_camps = efforts[1] < efforts[0];
        let before = walk.computed;
        let short = STEPS << walk.chance.below(LONGER);
        if let Some((first, inputs)) =
            walk.expedition(if from_camps { short } else { steps }, from_camps, &problem.budget)
        {
            return Ok(circuit.violation(terms, problem, &aig.run(&first, &inputs)));
        }
        efforts[usize::from(from_camps)] += walk.computed - before;
        if !from_camps {
            steps = if steps < longest { longest.min(steps + steps / 4) } else { FIRST };
        }
        if walk.farthest < 2 {
            return Err(Stopped("random inputs break the constraints".into()));
        }
    }
    Err(Stopped("nothing bad was met".into()))
}

struct Walk<'a> {
    bad: Lit,
    lanes: Lanes<'a>,
    habits: Vec<Habit>,
    /// The executions in which few inputs are on at a time.
    sparse: u64,
    /// The executions in which words from outside often have values that the system speaks of, and those words.
    quoting: u64,
    quoted: Vec<Quoted>,
    camps: Camps,
    chance: Chance,
    /// How many gates were computed and words looked at.
    computed: usize,
    /// The length of the longest execution.
    farthest: usize,
}

/// How often an input is on: where all of these are off, half of the time.
#[derive(Clone, Copy, Default)]
struct Habit {
    always: u64,
    never: u64,
    mostly: u64,
    seldom: u64,
}

/// One of the executions of an expedition: where it begins, and after how many steps of the others.
struct Lane {
    origin: Origin,
    born: usize,
}

/// The first state of an execution, and its inputs step by step.
type Execution = (Vec<bool>, Vec<Vec<bool>>);

impl<'a> Walk<'a> {
    fn new(aig: &'a Aig, bad: Lit, seed: u64, words: &[Vec<Lit>]) -> Walk<'a> {
        let lanes = Lanes::new(aig, &[bad]);
        Walk {
            bad,
            camps: Camps::new(aig, &lanes.latches, words),
            lanes,
            habits: vec![Habit::default(); aig.inputs().len()],
            sparse: 0,
            quoting: 0,
            quoted: Vec::new(),
            chance: Chance::new(seed),
            computed: 0,
            farthest: 0,
        }
    }

    /// So many steps of 64 executions, from initial states only or from camps; one that becomes bad.
    fn expedition(&mut self, steps: usize, from_camps: bool, budget: &Budget) -> Option<Execution> {
        let mut lanes = Vec::with_capacity(64);
        for lane in 0..64 {
            lanes.push(self.begin(lane, from_camps));
        }
        let mut trail: Vec<Vec<u64>> = Vec::new();
        // Habits are kept for about so many steps, as a power of two.
        let patience = 2 + self.chance.below(8) as u32;
        self.sparse = if from_camps { self.chance.rare(2) } else { 0 };
        self.quoting = self.chance.rare(2);
        self.change_habits(|_| u64::MAX);
        for step in 0..steps {
            if budget.is_over() {
                break;
            }
            self.change_habits(|chance| chance.rare(patience));
            let alive = self.draw_inputs();
            let input = |&at: &usize| self.lanes.get(self.lanes.aig.inputs()[at]);
            trail.push(self.lanes.inputs.iter().map(input).collect());
            let bad = self.lanes.get(self.bad) & alive;
            if bad != 0 {
                let lane = bad.trailing_zeros() as usize;
                let (first, mut inputs) = self.camps.way(&lanes[lane].origin);
                inputs.extend(self.way(lane, &trail[lanes[lane].born..]));
                return Some((first, inputs));
            }
            self.step();
            self.look_around(alive, &mut lanes, &trail);
            for lane in (0..64).filter(|lane| alive >> lane & 1 == 0) {
                lanes[lane] = Lane { born: step + 1, ..self.begin(lane, from_camps) };
            }
        }
        None
    }

    /// Makes camps of states with something new.
    fn look_around(&mut self, alive: u64, lanes: &mut [Lane], trail: &[Vec<u64>]) {
        self.computed += 64 * self.camps.words();
        let blocks = self.camps.states(|at| self.lanes.get(self.lanes.aig.latches()[at as usize].now));
        for (lane, Lane { origin, born }) in lanes.iter().enumerate() {
            if alive >> lane & 1 == 0 {
                continue;
            }
            self.farthest = self.farthest.max(trail.len() - born);
            let places = self.camps.count(&blocks, lane);
            if !places.is_empty() {
                let way = self.way(lane, &trail[*born..]);
                let state = blocks.iter().map(|block| block[lane]).collect();
                self.camps.pitch(&places, state, origin, way);
            }
        }
    }

    /// Begins an execution.
    fn begin(&mut self, lane: usize, from_camps: bool) -> Lane {
        let camp = if from_camps { self.camps.choose(&mut self.chance) } else { None };
        let origin = match camp {
            Some(camp) => Origin::Camp(camp),
            None => {
                // In some executions what has no initial value is zero.
                let zero = self.chance.below(4) == 0;
                let mut any = || !zero && self.chance.below(2) == 0;
                let first = |latch: &Latch| latch.reset.unwrap_or_else(&mut any);
                Origin::Start(self.lanes.aig.latches().iter().map(first).collect())
            }
        };
        let mut set = |at: usize, value: bool| self.lanes.set_latch(at, u64::from(value) << lane, 1 << lane);
        match &origin {
            Origin::Start(first) => first.iter().enumerate().for_each(|(at, &value)| set(at, value)),
            Origin::Camp(camp) => self.camps.latches(*camp).for_each(|(at, value)| set(at as usize, value)),
        }
        Lane { origin, born: 0 }
    }

    /// Gives inputs new habits in some executions.
    fn change_habits(&mut self, lanes: impl Fn(&mut Chance) -> u64) {
        for &at in &self.lanes.inputs {
            let lanes = lanes(&mut self.chance);
            if lanes == 0 {
                continue;
            }
            let [a, b, c] = [self.chance.word(), self.chance.word(), self.chance.word()];
            let habit = &mut self.habits[at];
            // A quarter changes all the time, and the rest is on or off, always or mostly.
            let steady = a | b;
            let kinds = [steady & a & c, steady & a & !c, steady & !a & c & b, steady & !a & !c & b];
            let old = [&mut habit.always, &mut habit.never, &mut habit.mostly, &mut habit.seldom];
            for (old, new) in old.into_iter().zip(kinds) {
                *old = *old & !lanes | new & lanes;
            }
        }
    }

    /// Draws inputs until the constraints hold; the executions in which they do.
    fn draw_inputs(&mut self) -> u64 {
        let mut alive = 0;
        for draw in 0..DRAWS {
            // Habits that break constraints have to be given up for a moment.
            let free = if draw == 0 { 0 } else { self.chance.word() };
            let picked = self.pick();
            for (index, picked) in picked.iter().enumerate() {
                let at = self.lanes.inputs[index];
                let habit = self.habits[at];
                let [a, b, c] = [self.chance.word(), self.chance.word(), self.chance.word()];
                let usual = (a & !habit.never | habit.always) & !(habit.seldom & (b | c))
                    | habit.mostly & (a | b | c);
                let value = usual & !free | a & free;
                let value = value & !self.sparse | picked & self.sparse;
                self.lanes.set_input(at, value, !alive);
            }
            self.quote(!alive);
            self.lanes.compute();
            self.computed += self.lanes.gates().len();
            alive = self.lanes.alive();
            if alive == u64::MAX {
                break;
            }
        }
        alive
    }

    /// Gives words a value that the system speaks of, mostly where that is the habit.
    fn quote(&mut self, lanes: u64) {
        for word in &self.quoted {
            for _ in 0..2 {
                let (some, choice) =
                    (self.chance.word() & lanes & self.quoting, self.chance.below(word.values.len() + 2));
                for (index, &at) in word.bits.iter().enumerate() {
                    let is_set = match choice.checked_sub(2) {
                        Some(value) => word.values[value][index],
                        None => index == 0 && choice == 1,
                    };
                    self.lanes.set_input(at, if is_set { u64::MAX } else { 0 }, some);
                }
            }
        }
    }

    /// One input, or two, for each execution in which few are on.
    fn pick(&mut self) -> Vec<u64> {
        let mut picked = vec![0; self.lanes.inputs.len()];
        if picked.is_empty() {
            return picked;
        }
        for lane in (0..64).filter(|lane| self.sparse >> lane & 1 == 1) {
            for _ in 0..=self.chance.below(2) {
                picked[self.chance.below(self.lanes.inputs.len())] |= 1 << lane;
            }
        }
        picked
    }

    /// The values of latches in the next step.
    fn step(&mut self) {
        let next: Vec<u64> = self.lanes.latches.iter().map(|&at| self.lanes.next(at)).collect();
        for (index, next) in next.into_iter().enumerate() {
            self.lanes.set_latch(self.lanes.latches[index], next, u64::MAX);
        }
    }

    /// The inputs of one of the executions.
    fn way(&self, lane: usize, trail: &[Vec<u64>]) -> Vec<Vec<bool>> {
        let inputs = trail.iter().map(|words| {
            let mut inputs = vec![false; self.lanes.aig.inputs().len()];
            for (&at, &word) in self.lanes.inputs.iter().zip(words) {
                inputs[at] = word >> lane & 1 == 1;
            }
            inputs
        });
        inputs.collect()
    }
}
