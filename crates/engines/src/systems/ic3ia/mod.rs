//! IC3 with implicit abstraction: the reachable states are approximated by clauses over predicates. A state that is bad is
//! shown to be unreachable in ever more steps, by clauses that no step breaks; an abstract way to a bad state is either an
//! execution or shows which predicates are missing. The abstraction is never computed: every question speaks of concrete
//! states and of which predicates hold in them.

mod abstraction;
mod refine;

use super::session::Stopped;
use super::{SystemEngineInfo, SystemFound, SystemProblem};
use abstraction::{Abstraction, Cube};
use smt::term::{TermId, Terms};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use ts::{Certificate, PropertyKind};

pub(super) const INFO: SystemEngineInfo = SystemEngineInfo {
    name: "ic3ia",
    shows: "correct, incorrect",
    summary: "Finds inductive invariants over predicates, which are refined by spurious counterexamples",
    rank: 1,
    run,
};

/// So many literals of a cube are tried to be left out.
const TRIES: usize = 40;

fn run(terms: &mut Terms, problem: &SystemProblem<'_>) -> SystemFound {
    search(terms, problem).unwrap_or_else(SystemFound::from)
}

fn search(terms: &mut Terms, problem: &SystemProblem<'_>) -> Result<SystemFound, Stopped> {
    let PropertyKind::Invariant(property) = problem.property.kind else {
        return Err(Stopped("it is for invariant properties".into()));
    };
    let abstraction = Abstraction::new(terms, problem, property)?;
    let mut ic3 = Ic3 { terms, problem, property, abstraction, blocked: vec![Vec::new(), Vec::new()] };
    ic3.search()
}

/// A state that must not be reached.
struct Duty {
    cube: Cube,
    /// The one that it leads to.
    then: Option<usize>,
}

struct Ic3<'p, 'a> {
    terms: &'p mut Terms,
    problem: &'p SystemProblem<'a>,
    property: TermId,
    abstraction: Abstraction<'p>,
    /// The cubes that are shown to be unreachable in so many steps and not known to be in more.
    blocked: Vec<Vec<Cube>>,
}

impl Ic3<'_, '_> {
    fn top(&self) -> usize {
        self.blocked.len() - 1
    }

    fn search(&mut self) -> Result<SystemFound, Stopped> {
        if let Some(cube) = self.abstraction.bad(self.terms, 0)?
            && let Some(found) = self.refine(&[cube])?
        {
            return Ok(found);
        }
        loop {
            let top = self.top();
            self.abstraction.reach(self.terms, top)?;
            while let Some(cube) = self.abstraction.bad(self.terms, top)? {
                if let Some(way) = self.block(cube)?
                    && let Some(found) = self.refine(&way)?
                {
                    return Ok(found);
                }
            }
            self.blocked.push(Vec::new());
            self.abstraction.reach(self.terms, top + 1)?;
            if let Some(level) = self.propagate()? {
                let clauses: Vec<Cube> = self.blocked[level + 1..].concat();
                let invariant = self.abstraction.invariant(self.terms, &clauses);
                return Ok(SystemFound::Proof(Certificate::inductive(invariant)));
            }
        }
    }

    /// An execution, or nothing after new predicates were found that exclude the way.
    fn refine(&mut self, way: &[Cube]) -> Result<Option<SystemFound>, Stopped> {
        refine::refine(self.terms, self.problem, self.property, &mut self.abstraction, way)
    }

    /// Shows that a cube is not reached within as many steps as there are levels, or gives a way from an initial state.
    fn block(&mut self, cube: Cube) -> Result<Option<Vec<Cube>>, Stopped> {
        let top = self.top();
        let mut duties = vec![Duty { cube, then: None }];
        let mut heap = BinaryHeap::from([(Reverse(top), 0)]);
        while let Some((Reverse(level), at)) = heap.pop() {
            let cube = duties[at].cube.clone();
            if level == 0 || self.abstraction.is_initial(self.terms, &cube)?.is_none() {
                return Ok(Some(way(&duties, at)));
            }
            if self.is_blocked(&cube, level) {
                if level < top {
                    heap.push((Reverse(level + 1), at));
                }
                continue;
            }
            match self.abstraction.before(self.terms, &cube, level)? {
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
        for literal in small.clone().into_iter().take(TRIES) {
            if small.len() < 2 || !small.contains(&literal) {
                continue;
            }
            let part: Cube = small.iter().copied().filter(|&other| other != literal).collect();
            if self.abstraction.is_initial(self.terms, &part)?.is_none() {
                continue;
            }
            if let Ok(core) = self.abstraction.before(self.terms, &part, level)? {
                small = self.apart_from_init(&part, core)?;
            }
        }
        Ok(small)
    }

    /// The core of a cube without initial states, with the literals that keep it so.
    fn apart_from_init(&mut self, cube: &Cube, core: Cube) -> Result<Cube, Stopped> {
        let Some(needed) = self.abstraction.is_initial(self.terms, cube)? else { return Ok(cube.clone()) };
        if self.abstraction.is_initial(self.terms, &core)?.is_some() {
            return Ok(core);
        }
        let mut both = [core, needed].concat();
        both.sort_unstable();
        both.dedup();
        Ok(both)
    }

    /// Remembers that a cube is unreachable, as far as that is known; how far.
    fn push(&mut self, cube: Cube, mut level: usize) -> Result<usize, Stopped> {
        while level < self.top() && self.abstraction.before(self.terms, &cube, level + 1)?.is_ok() {
            level += 1;
        }
        self.abstraction.exclude(self.terms, &cube, level)?;
        let within = |big: &Cube| cube.iter().all(|literal| big.binary_search(literal).is_ok());
        for cubes in &mut self.blocked[1..=level] {
            cubes.retain(|big| !within(big));
        }
        self.blocked[level].push(cube);
        Ok(level)
    }

    /// Moves cubes to the next level where no step breaks that. A level from which all have moved is closed.
    fn propagate(&mut self) -> Result<Option<usize>, Stopped> {
        for level in 1..self.top() {
            for cube in std::mem::take(&mut self.blocked[level]) {
                if self.abstraction.keeps(self.terms, &cube, level)? {
                    self.abstraction.exclude(self.terms, &cube, level + 1)?;
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
