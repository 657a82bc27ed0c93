//! States of circuits: cubes of latches.

use super::super::ic3::{Cube, Space};
use super::super::session::Stopped;
use super::cone::Cones;
use super::sat::{Handle, Sat};
use base::budget::Budget;
use rustc_hash::FxHashMap;
use ts::aig::{self, Aig, Lit, Step};

/// What was found about a circuit.
pub(super) enum Outcome {
    /// The bad literal is never reached: the states outside of these cubes of latches, by their positions, are an invariant.
    Safe(Vec<Cube>),
    /// An execution whose last step is bad.
    Unsafe(Vec<Step>),
}

pub(super) struct Bits<'a> {
    aig: &'a Aig,
    bad: Lit,
    cones: Cones<'a>,
    /// The circuit with its constraints, and what is known of the levels.
    steps: Sat,
    levels: Vec<Lit>,
    /// The clauses of the cubes that are excluded, and in how many of them each latch is.
    excluded: FxHashMap<Cube, Handle>,
    mentioned: Vec<u32>,
    /// The circuit alone.
    plain: Sat,
}

/// Where a step leads.
#[derive(Clone, Copy)]
enum Target<'c> {
    Bad,
    Cube(&'c Cube),
}

impl<'a> Bits<'a> {
    pub(super) fn new(aig: &'a Aig, bad: Lit, budget: &Budget) -> Bits<'a> {
        let cones = Cones::new(aig, bad);
        let (steps, plain) = (Sat::new(aig, &cones.needed, budget), Sat::new(aig, &cones.needed, budget));
        let mut bits = Bits {
            aig,
            bad,
            cones,
            steps,
            levels: Vec::new(),
            excluded: FxHashMap::default(),
            mentioned: vec![0; aig.latches().len()],
            plain,
        };
        bits.begin();
        bits
    }

    /// What holds of every step, and the initial states.
    fn begin(&mut self) {
        self.aig.constraints.iter().for_each(|&constraint| self.steps.clause(&[constraint]));
        let first = self.steps.fresh();
        self.levels = vec![first];
        for &position in &self.cones.latches {
            let latch = self.aig.latches()[position as usize];
            if let Some(value) = latch.reset {
                self.steps.clause(&[!first, latch.now.negated_if(!value)]);
            }
        }
    }

    fn frame(&self, level: usize) -> Vec<Lit> {
        if level == 0 { vec![self.levels[0]] } else { self.levels[level..].to_vec() }
    }

    /// A literal of a cube, in this step.
    fn now(&self, (position, holds): (u32, bool)) -> Lit {
        self.aig.latches()[position as usize].now.negated_if(!holds)
    }

    /// A literal of a cube, in the next step.
    fn next(&self, (position, holds): (u32, bool)) -> Lit {
        self.aig.latches()[position as usize].next.negated_if(!holds)
    }

    /// What has to hold in a step that leads to the target.
    fn goals(&self, target: Target<'_>) -> Vec<Lit> {
        match target {
            Target::Bad => vec![self.bad],
            Target::Cube(cube) => cube.iter().map(|&literal| self.next(literal)).collect(),
        }
    }

    /// Everything that a question about a step to the goals depends on: their cone, that of the constraints, and the latches
    /// of excluded cubes. What is left out are gates, which have some value whatever these have.
    fn domain(&mut self, goals: &[Lit]) -> Vec<u32> {
        let mut domain = self.cones.of(goals);
        let mentioned = self.cones.latches.iter().filter(|&&position| self.mentioned[position as usize] > 0);
        domain.extend(mentioned.map(|&position| self.aig.latches()[position as usize].now.node()));
        domain
    }

    /// True when a step leads to the goals from a state of the frame, outside of a cube if there is one.
    fn leads(&mut self, frame: &[Lit], goals: &[Lit], outside: Option<&Cube>) -> Result<bool, Stopped> {
        let domain = self.domain(goals);
        let assumptions = [frame, goals].concat();
        let once: Option<Vec<Lit>> =
            outside.map(|cube| cube.iter().map(|&literal| !self.now(literal)).collect());
        self.steps.is_sat(&assumptions, once.as_deref(), &domain)
    }

    /// A cube with the state of the last answer, which was yes, from all of whose states the same inputs lead to the target.
    fn lift(&mut self, target: Target<'_>) -> Result<Cube, Stopped> {
        let goals = self.goals(target);
        let domain = self.cones.of(&goals);
        let mut missed: Vec<Lit> = goals.iter().map(|&goal| !goal).collect();
        missed.extend(self.aig.constraints.iter().map(|&constraint| !constraint));
        let (mut inputs, mut state, mut lits) = (Vec::new(), Cube::new(), Vec::new());
        for &node in &domain {
            let lit = Lit::new(node, false);
            let holds = self.steps.holds(lit);
            match self.aig.nodes()[node as usize] {
                aig::Node::Input(_) => inputs.push(lit.negated_if(!holds)),
                aig::Node::Latch(position) => {
                    state.push((position, holds));
                    lits.push(lit.negated_if(!holds));
                }
                aig::Node::False | aig::Node::And(..) => {}
            }
        }
        let mut cube = match self.plain.is_sat(&[inputs, lits.clone()].concat(), Some(&missed), &domain)? {
            // The inputs and the state determine the next state, so this does not happen.
            true => state,
            false => {
                let pairs = state.into_iter().zip(lits);
                pairs.filter(|(_, lit)| self.plain.needs(*lit)).map(|(literal, _)| literal).collect()
            }
        };
        cube.sort_unstable();
        Ok(cube)
    }

    /// Inputs with which a state leads to the target.
    fn inputs(&mut self, latches: &[bool], target: Target<'_>) -> Result<Vec<bool>, Stopped> {
        let goals = self.goals(target);
        let state = self.cones.latches.iter().map(|&position| (position, latches[position as usize]));
        let state: Vec<Lit> = state.map(|literal| self.now(literal)).collect();
        match self.leads(&state, &goals, None)? {
            true => Ok(self.aig.inputs().iter().map(|&input| self.steps.holds(input)).collect()),
            false => Err(Stopped("a way of cubes is no execution".into())),
        }
    }

    fn mention(&mut self, cube: &Cube, more: bool) {
        for &(position, _) in cube {
            let count = &mut self.mentioned[position as usize];
            *count = if more { *count + 1 } else { *count - 1 };
        }
    }
}

/// The state after a step.
fn after(aig: &Aig, latches: &[bool], inputs: &[bool]) -> Vec<bool> {
    let words = |bits: &[bool]| bits.iter().map(|&bit| u64::from(bit)).collect::<Vec<u64>>();
    let values = aig.eval(&words(latches), &words(inputs));
    aig.latches().iter().map(|latch| aig::word(&values, latch.next) & 1 == 1).collect()
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
        let (frame, goals) = (self.frame(level), self.goals(Target::Bad));
        match self.leads(&frame, &goals, None)? {
            true => self.lift(Target::Bad).map(Some),
            false => Ok(None),
        }
    }

    /// The initial states are a cube themselves.
    fn apart(&mut self, cube: &Cube) -> Result<Option<Cube>, Stopped> {
        let opposes = |&&(position, holds): &&(u32, bool)| {
            self.aig.latches()[position as usize].reset.is_some_and(|value| value != holds)
        };
        Ok(cube.iter().find(opposes).map(|&literal| vec![literal]))
    }

    fn before(&mut self, cube: &Cube, level: usize) -> Result<Result<Cube, Cube>, Stopped> {
        let (frame, goals) = (self.frame(level - 1), self.goals(Target::Cube(cube)));
        if self.leads(&frame, &goals, Some(cube))? {
            return self.lift(Target::Cube(cube)).map(Err);
        }
        let pairs = cube.iter().zip(goals);
        Ok(Ok(pairs.filter(|(_, goal)| self.steps.needs(*goal)).map(|(literal, _)| *literal).collect()))
    }

    fn keeps(&mut self, cube: &Cube, level: usize) -> Result<bool, Stopped> {
        let (frame, goals) = (self.frame(level), self.goals(Target::Cube(cube)));
        Ok(!self.leads(&frame, &goals, None)?)
    }

    fn exclude(&mut self, cube: &Cube, level: usize) -> Result<(), Stopped> {
        self.forget(cube);
        let mut clause = vec![!self.levels[level]];
        clause.extend(cube.iter().map(|&literal| !self.now(literal)));
        if let Some(handle) = self.steps.removable(&clause) {
            self.excluded.insert(cube.clone(), handle);
            self.mention(cube, true);
        }
        Ok(())
    }

    fn forget(&mut self, cube: &Cube) {
        if let Some(handle) = self.excluded.remove(cube) {
            self.steps.remove(handle);
            self.mention(cube, false);
        }
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
            let inputs = self.inputs(&latches, target)?;
            let after = after(self.aig, &latches, &inputs);
            steps.push(Step { latches: std::mem::replace(&mut latches, after), inputs });
        }
        Ok(Some(Outcome::Unsafe(steps)))
    }

    fn proof(&mut self, cubes: &[Cube]) -> Result<Outcome, Stopped> {
        Ok(Outcome::Safe(cubes.to_vec()))
    }
}
