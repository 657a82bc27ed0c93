//! The search of IC3, whatever states are made of: they are approximated by cubes of literals that are not reached.
//!
//! A bad cube is shown to be unreachable in ever more steps, by cubes into which no step leads from what is left; when all
//! cubes of a level are not reached later either, what they leave is an inductive invariant. A way from an initial cube to a
//! bad one is an execution or the space is too coarse for it, which the space has to know.

use super::session::Stopped;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A number, and whether what it stands for holds.
pub(super) type Literal = (u32, bool);
/// States: a conjunction of literals, sorted.
pub(super) type Cube = Vec<Literal>;

/// So many literals of a cube are tried to be left out.
const TRIES: usize = 60;

/// So many cubes that speak against leaving out a literal are excluded themselves.
const OBJECTIONS: usize = 3;

/// With each cube that is excluded, earlier ones count so much less.
const FADE: f64 = 0.99;
/// Weights beyond are made smaller, all of them.
const LARGE: f64 = 1e100;

/// What states are made of, and questions about them. Level 0 are the initial states, level `n` what is not known to be
/// unreachable in `n` steps.
pub(super) trait Space {
    /// What is found in the end.
    type Found;

    /// Makes room for a level.
    fn reach(&mut self, level: usize) -> Result<(), Stopped>;

    /// A bad cube of a level.
    fn bad(&mut self, level: usize) -> Result<Option<Cube>, Stopped>;

    /// Nothing when the cube has an initial state, otherwise literals of it for which it has none.
    fn apart(&mut self, cube: &Cube) -> Result<Option<Cube>, Stopped>;

    /// A cube of the level before from which a step leads into `cube` and that is not within it; or the literals for which
    /// there is none.
    fn before(&mut self, cube: &Cube, level: usize) -> Result<Result<Cube, Cube>, Stopped>;

    /// True when no step leads from a level into the cube.
    fn keeps(&mut self, cube: &Cube, level: usize) -> Result<bool, Stopped>;

    /// The cube is not reached in so many steps.
    fn exclude(&mut self, cube: &Cube, level: usize) -> Result<(), Stopped>;

    /// The cube is excluded no more, because a larger one is.
    fn forget(&mut self, _cube: &Cube) {}

    /// An execution along the cubes, or nothing after the space was made finer so that there is no such way.
    fn refine(&mut self, way: &[Cube]) -> Result<Option<Self::Found>, Stopped>;

    /// The states that are in none of the cubes are an inductive invariant without bad states.
    fn proof(&mut self, cubes: &[Cube]) -> Result<Self::Found, Stopped>;
}

/// Searches until something is found.
pub(super) fn search<S: Space>(space: S) -> Result<S::Found, Stopped> {
    Ic3 { space, blocked: vec![Vec::new(), Vec::new()], weights: Weights::default() }.search()
}

/// A state that must not be reached.
struct Duty {
    cube: Cube,
    /// The one that it leads to.
    then: Option<usize>,
}

struct Ic3<S> {
    space: S,
    /// The cubes that are shown to be unreachable in so many steps and not known to be in more.
    blocked: Vec<Vec<Cube>>,
    weights: Weights,
}

/// How often literals were in the cubes of late.
struct Weights {
    of: FxHashMap<Literal, f64>,
    step: f64,
}

impl Default for Weights {
    fn default() -> Weights {
        Weights { of: FxHashMap::default(), step: 1.0 }
    }
}

impl Weights {
    fn add(&mut self, cube: &Cube) {
        for &literal in cube {
            *self.of.entry(literal).or_default() += self.step;
        }
        self.step /= FADE;
        if self.step > LARGE {
            self.of.values_mut().for_each(|weight| *weight /= LARGE);
            self.step /= LARGE;
        }
    }

    /// The literals of a cube, those first that were in few cubes.
    fn rare_first(&self, cube: &Cube) -> Cube {
        let weight = |literal: &Literal| self.of.get(literal).copied().unwrap_or(0.0);
        let mut ordered = cube.clone();
        ordered.sort_by(|a, b| weight(a).total_cmp(&weight(b)));
        ordered
    }
}

impl<S: Space> Ic3<S> {
    fn top(&self) -> usize {
        self.blocked.len() - 1
    }

    fn search(&mut self) -> Result<S::Found, Stopped> {
        if let Some(cube) = self.space.bad(0)?
            && let Some(found) = self.space.refine(&[cube])?
        {
            return Ok(found);
        }
        loop {
            let top = self.top();
            self.space.reach(top)?;
            while let Some(cube) = self.space.bad(top)? {
                if let Some(way) = self.block(cube)?
                    && let Some(found) = self.space.refine(&way)?
                {
                    return Ok(found);
                }
            }
            self.blocked.push(Vec::new());
            self.space.reach(top + 1)?;
            if let Some(level) = self.propagate()? {
                let cubes: Vec<Cube> = self.blocked[level + 1..].concat();
                return self.space.proof(&cubes);
            }
        }
    }

    /// Shows that a cube is not reached within as many steps as there are levels, or gives a way from an initial state.
    fn block(&mut self, cube: Cube) -> Result<Option<Vec<Cube>>, Stopped> {
        let top = self.top();
        let mut duties = vec![Duty { cube, then: None }];
        let mut heap = BinaryHeap::from([(Reverse(top), 0)]);
        while let Some((Reverse(level), at)) = heap.pop() {
            let cube = duties[at].cube.clone();
            if level == 0 || self.space.apart(&cube)?.is_none() {
                return Ok(Some(way(&duties, at)));
            }
            if self.is_blocked(&cube, level) {
                if level < top {
                    heap.push((Reverse(level + 1), at));
                }
                continue;
            }
            match self.space.before(&cube, level)? {
                Ok(core) => {
                    let cube = self.generalise(&cube, core, level)?;
                    let level = self.push(cube, level)?;
                    if level < top {
                        heap.push((Reverse(level + 1), at));
                    }
                }
                Err(earlier) => {
                    duties.push(Duty { cube: earlier, then: Some(at) });
                    heap.push((Reverse(level - 1), duties.len() - 1));
                    heap.push((Reverse(level), at));
                }
            }
        }
        Ok(None)
    }

    fn is_blocked(&self, cube: &Cube, level: usize) -> bool {
        let within = |small: &Cube| small.iter().all(|literal| cube.binary_search(literal).is_ok());
        self.blocked[level..].iter().flatten().any(within)
    }

    /// A part of a cube that is unreachable as well, given the part that the proof needed.
    fn generalise(&mut self, cube: &Cube, core: Cube, level: usize) -> Result<Cube, Stopped> {
        let mut small = self.apart_from_init(cube, core)?;
        for literal in self.weights.rare_first(&small).into_iter().take(TRIES) {
            if small.len() < 2 || !small.contains(&literal) {
                continue;
            }
            let part: Cube = small.iter().copied().filter(|&other| other != literal).collect();
            if let Some(part) = self.unreachable(&part, level)? {
                small = part;
            }
        }
        Ok(small)
    }

    /// A part of a cube that is not reached from the level before. Where only a few cubes of that level speak against it that
    /// are not reached themselves, they are excluded first: often they are what was in the way all the time.
    fn unreachable(&mut self, cube: &Cube, level: usize) -> Result<Option<Cube>, Stopped> {
        if self.space.apart(cube)?.is_none() {
            return Ok(None);
        }
        for _ in 0..=OBJECTIONS {
            let objection = match self.space.before(cube, level)? {
                Ok(core) => return self.apart_from_init(cube, core).map(Some),
                Err(objection) => objection,
            };
            if level < 2 || self.space.apart(&objection)?.is_none() {
                return Ok(None);
            }
            let Ok(core) = self.space.before(&objection, level - 1)? else { return Ok(None) };
            let small = self.apart_from_init(&objection, core)?;
            self.push(small, level - 1)?;
        }
        Ok(None)
    }

    /// The core of a cube without initial states, with the literals that keep it so.
    fn apart_from_init(&mut self, cube: &Cube, core: Cube) -> Result<Cube, Stopped> {
        let Some(needed) = self.space.apart(cube)? else { return Ok(cube.clone()) };
        if self.space.apart(&core)?.is_some() {
            return Ok(core);
        }
        let mut both = [core, needed].concat();
        both.sort_unstable();
        both.dedup();
        Ok(both)
    }

    /// Remembers that a cube is unreachable, as far as that is known; how far.
    fn push(&mut self, cube: Cube, mut level: usize) -> Result<usize, Stopped> {
        while level < self.top() && self.space.before(&cube, level + 1)?.is_ok() {
            level += 1;
        }
        self.space.exclude(&cube, level)?;
        self.weights.add(&cube);
        let within = |big: &Cube| cube.iter().all(|literal| big.binary_search(literal).is_ok());
        for cubes in &mut self.blocked[1..=level] {
            for small in cubes.extract_if(.., |big| within(big)).filter(|small| *small != cube) {
                self.space.forget(&small);
            }
        }
        self.blocked[level].push(cube);
        Ok(level)
    }

    /// Moves cubes to the next level where no step breaks that. A level from which all have moved is closed.
    fn propagate(&mut self) -> Result<Option<usize>, Stopped> {
        for level in 1..self.top() {
            for cube in std::mem::take(&mut self.blocked[level]) {
                if self.space.keeps(&cube, level)? {
                    self.space.exclude(&cube, level + 1)?;
                    self.blocked[level + 1].push(cube);
                } else {
                    self.blocked[level].push(cube);
                }
            }
            if self.blocked[level].is_empty() {
                return Ok(Some(level));
            }
        }
        Ok(None)
    }
}

/// The abstract states from a duty on.
fn way(duties: &[Duty], mut at: usize) -> Vec<Cube> {
    let mut way = vec![duties[at].cube.clone()];
    while let Some(then) = duties[at].then {
        at = then;
        way.push(duties[at].cube.clone());
    }
    way
}
