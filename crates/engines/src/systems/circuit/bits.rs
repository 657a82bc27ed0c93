//! States of circuits: cubes of latches.

use super::super::ic3::{Cube, Space};
use super::super::session::Stopped;
use super::cone;
use super::sat::Sat;
use base::budget::Budget;
use batsat::Lit;
use ts::aig::{self, Aig, Step};

/// So many questions with a switch of their own are asked before the solver is made anew.
const MANY: usize = 5000;

/// What was found about a circuit.
pub(super) enum Outcome {
    /// The bad literal is never reached: the states outside of these cubes of latches, by their positions, are an invariant.
    Safe(Vec<Cube>),
    /// An execution whose last step is bad.
    Unsafe(Vec<Step>),
}

pub(super) struct Bits<'a> {
    aig: &'a Aig,
    bad: aig::Lit,
    budget: &'a Budget,
    /// The nodes that the bad literal and the constraints depend on, through latches too.
    needed: Vec<bool>,
    /// The positions of the latches among them.
    latches: Vec<u32>,
    /// The circuit with its constraints, and what is known of the levels.
    steps: Sat,
    levels: Vec<Lit>,
    excluded: Vec<(Cube, usize)>,
    asked: usize,
    /// The circuit alone.
    plain: Sat,
    lifted: usize,
}

/// Where a step leads.
enum Target<'c> {
    Bad,
    Cube(&'c Cube),
}

impl<'a> Bits<'a> {
    pub(super) fn new(aig: &'a Aig, bad: aig::Lit, budget: &'a Budget) -> Bits<'a> {
        let needed = cone(aig, bad);
        let is_needed = |latch: &&aig::Latch| needed[latch.now.node() as usize];
        let latches = (0..aig.latches().len() as u32)
            .filter(|&position| is_needed(&&aig.latches()[position as usize]))
            .collect();
        let (steps, plain) = (Sat::new(aig, &needed, budget), Sat::new(aig, &needed, budget));
        let mut bits = Bits {
            aig,
            bad,
            budget,
            needed,
            latches,
            steps,
            levels: Vec::new(),
            excluded: Vec::new(),
            asked: 0,
            plain,
            lifted: 0,
        };
        bits.begin();
        bits
    }

    /// What holds of every step, and the initial states.
    fn begin(&mut self) {
        for &constraint in &self.aig.constraints {
            let lit = self.steps.lit(constraint);
            self.steps.clause(&[lit]);
        }
        let first = self.steps.fresh();
        self.levels = vec![first];
        for &position in &self.latches {
            let latch = self.aig.latches()[position as usize];
            if let Some(value) = latch.reset {
                let lit = self.steps.lit(latch.now.negated_if(!value));
                self.steps.clause(&[!first, lit]);
            }
        }
    }

    /// Makes the solver anew when it has met too many clauses that are used no more.
    fn refresh(&mut self) {
        if self.asked < MANY {
            return;
        }
        self.asked = 0;
        self.steps = Sat::new(self.aig, &self.needed, self.budget);
        let levels = self.levels.len();
        self.begin();
        while self.levels.len() < levels {
            let level = self.steps.fresh();
            self.levels.push(level);
        }
        for (cube, level) in std::mem::take(&mut self.excluded) {
            self.add(&cube, level);
            self.excluded.push((cube, level));
        }
    }

    fn add(&mut self, cube: &Cube, level: usize) {
        let mut clause = vec![!self.levels[level]];
        clause.extend(cube.iter().map(|&literal| !now(self.aig, &mut self.steps, literal)));
        self.steps.clause(&clause);
    }

    fn frame(&self, level: usize) -> Vec<Lit> {
        if level == 0 { vec![self.levels[0]] } else { self.levels[level..].to_vec() }
    }

    /// The values of the last answer, which was yes.
    fn step(&mut self) -> Step {
        let mut step = Step {
            latches: vec![false; self.aig.latches().len()],
            inputs: vec![false; self.aig.inputs().len()],
        };
        for &position in &self.latches {
            let lit = self.steps.lit(self.aig.latches()[position as usize].now);
            step.latches[position as usize] = self.steps.value(lit);
        }
        for (position, &input) in self.aig.inputs().iter().enumerate() {
            if self.needed[input.node() as usize] {
                let lit = self.steps.lit(input);
                step.inputs[position] = self.steps.value(lit);
            }
        }
        step
    }

    /// A cube with the state of a step, from all of whose states the same inputs lead to the target.
    fn lift(&mut self, step: &Step, target: &Target<'_>) -> Result<Cube, Stopped> {
        if self.lifted >= MANY {
            (self.plain, self.lifted) = (Sat::new(self.aig, &self.needed, self.budget), 0);
        }
        self.lifted += 1;
        let switch = self.plain.fresh();
        let mut missed = vec![!switch];
        match target {
            Target::Bad => missed.push(!self.plain.lit(self.bad)),
            Target::Cube(cube) => {
                missed.extend(cube.iter().map(|&literal| !next(self.aig, &mut self.plain, literal)));
            }
        }
        for &constraint in &self.aig.constraints {
            missed.push(!self.plain.lit(constraint));
        }
        self.plain.clause(&missed);
        let mut assumptions = vec![switch];
        for (position, &input) in self.aig.inputs().iter().enumerate() {
            if self.needed[input.node() as usize] {
                assumptions.push(self.plain.lit(input.negated_if(!step.inputs[position])));
            }
        }
        let state: Cube = self.latches.iter().map(|&p| (p, step.latches[p as usize])).collect();
        let lits: Vec<Lit> = state.iter().map(|&literal| now(self.aig, &mut self.plain, literal)).collect();
        assumptions.extend(&lits);
        let cube = match self.plain.is_sat(&assumptions)? {
            // The inputs and the state determine the next state, so this does not happen.
            true => state,
            false => {
                let pairs = state.into_iter().zip(lits);
                pairs.filter(|(_, lit)| self.plain.needs(*lit)).map(|(literal, _)| literal).collect()
            }
        };
        self.plain.retire(switch);
        Ok(cube)
    }

    /// Inputs with which a state leads to the target.
    fn inputs(&mut self, latches: &[bool], target: &Target<'_>) -> Result<Vec<bool>, Stopped> {
        let mut assumptions = match target {
            Target::Bad => vec![self.steps.lit(self.bad)],
            Target::Cube(cube) => cube.iter().map(|&l| next(self.aig, &mut self.steps, l)).collect(),
        };
        for position in self.latches.clone() {
            assumptions.push(now(self.aig, &mut self.steps, (position, latches[position as usize])));
        }
        match self.steps.is_sat(&assumptions)? {
            true => Ok(self.step().inputs),
            false => Err(Stopped("a way of cubes is no execution".into())),
        }
    }
}

/// The state after a step.
fn after(aig: &Aig, latches: &[bool], inputs: &[bool]) -> Vec<bool> {
    let words = |bits: &[bool]| bits.iter().map(|&bit| u64::from(bit)).collect::<Vec<u64>>();
    let values = aig.eval(&words(latches), &words(inputs));
    aig.latches().iter().map(|latch| aig::word(&values, latch.next) & 1 == 1).collect()
}

/// A literal of a cube, in this step.
fn now(aig: &Aig, sat: &mut Sat, (position, holds): (u32, bool)) -> Lit {
    sat.lit(aig.latches()[position as usize].now.negated_if(!holds))
}

/// A literal of a cube, in the next step.
fn next(aig: &Aig, sat: &mut Sat, (position, holds): (u32, bool)) -> Lit {
    sat.lit(aig.latches()[position as usize].next.negated_if(!holds))
}

impl Space for Bits<'_> {
    type Found = Outcome;

    fn reach(&mut self, level: usize) -> Result<(), Stopped> {
        while self.levels.len() <= level {
            let switch = self.steps.fresh();
            self.levels.push(switch);
        }
        Ok(())
    }

    fn bad(&mut self, level: usize) -> Result<Option<Cube>, Stopped> {
        let mut assumptions = self.frame(level);
        assumptions.push(self.steps.lit(self.bad));
        if !self.steps.is_sat(&assumptions)? {
            return Ok(None);
        }
        let step = self.step();
        self.lift(&step, &Target::Bad).map(Some)
    }

    /// The initial states are a cube themselves.
    fn apart(&mut self, cube: &Cube) -> Result<Option<Cube>, Stopped> {
        let opposes = |&&(position, holds): &&(u32, bool)| {
            self.aig.latches()[position as usize].reset.is_some_and(|value| value != holds)
        };
        Ok(cube.iter().find(opposes).map(|&literal| vec![literal]))
    }

    fn before(&mut self, cube: &Cube, level: usize) -> Result<Result<Cube, Cube>, Stopped> {
        self.refresh();
        self.asked += 1;
        let mut assumptions = self.frame(level - 1);
        let switch = self.steps.fresh();
        let mut outside = vec![!switch];
        outside.extend(cube.iter().map(|&literal| !now(self.aig, &mut self.steps, literal)));
        self.steps.clause(&outside);
        assumptions.push(switch);
        let lits: Vec<Lit> = cube.iter().map(|&literal| next(self.aig, &mut self.steps, literal)).collect();
        assumptions.extend(&lits);
        let sat = self.steps.is_sat(&assumptions)?;
        let found = if sat {
            let step = self.step();
            Err(self.lift(&step, &Target::Cube(cube))?)
        } else {
            let pairs = cube.iter().zip(lits);
            Ok(pairs.filter(|(_, lit)| self.steps.needs(*lit)).map(|(literal, _)| *literal).collect())
        };
        self.steps.retire(switch);
        Ok(found)
    }

    fn keeps(&mut self, cube: &Cube, level: usize) -> Result<bool, Stopped> {
        let mut assumptions = self.frame(level);
        assumptions.extend(cube.iter().map(|&literal| next(self.aig, &mut self.steps, literal)));
        Ok(!self.steps.is_sat(&assumptions)?)
    }

    fn exclude(&mut self, cube: &Cube, level: usize) -> Result<(), Stopped> {
        self.add(cube, level);
        self.excluded.push((cube.clone(), level));
        Ok(())
    }

    /// From every state of a cube a step leads into the next one, so each way is an execution.
    fn refine(&mut self, way: &[Cube]) -> Result<Option<Outcome>, Stopped> {
        let mut latches: Vec<bool> =
            self.aig.latches().iter().map(|latch| latch.reset.unwrap_or(false)).collect();
        for &(position, holds) in &way[0] {
            latches[position as usize] = holds;
        }
        let mut steps = Vec::new();
        for step in 0..way.len() {
            let target = way.get(step + 1).map_or(Target::Bad, Target::Cube);
            let inputs = self.inputs(&latches, &target)?;
            let after = after(self.aig, &latches, &inputs);
            steps.push(Step { latches: std::mem::replace(&mut latches, after), inputs });
        }
        Ok(Some(Outcome::Unsafe(steps)))
    }

    fn proof(&mut self, cubes: &[Cube]) -> Result<Outcome, Stopped> {
        Ok(Outcome::Safe(cubes.to_vec()))
    }
}
