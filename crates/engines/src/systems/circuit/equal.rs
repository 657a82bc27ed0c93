//! Latches that are always equal, opposite or constant, and the circuit without them.
//!
//! Candidates are latches that do not differ in random executions. A set of equalities holds in all reachable states when it
//! holds in the initial ones and a step from a state in which it holds leads to one in which it holds; what does not is taken
//! out, until nothing is left to be taken out.

use super::super::session::Stopped;
use super::chance::Chance;
use super::cone::Cones;
use super::sat::Sat;
use base::budget::Budget;
use rustc_hash::{FxHashMap, FxHashSet};
use ts::aig::{Aig, Lit, Node, word};

/// So many steps of 64 random executions are looked at.
const STEPS: usize = 200;
/// And so many after each state that shows that latches differ.
const FURTHER: usize = 10;
/// A question with more conflicts is given up, and the latches are held to be different.
const CONFLICTS: u64 = 200;

/// A circuit with the same inputs and latches, in which no gate reads a latch that is equal to another one.
pub(super) struct Merged {
    pub(super) aig: Aig,
    pub(super) bad: Lit,
    /// What holds in all reachable states.
    pub(super) equal: Vec<Equal>,
}

/// A latch, by its position, is equal or opposite to another one, or constant.
#[derive(Clone, Copy)]
pub(super) struct Equal {
    pub(super) latch: u32,
    /// The other latch; without one, `false`.
    pub(super) other: Option<u32>,
    pub(super) opposite: bool,
}

/// Finds equal latches among those that matter. What was found so far holds only at the end, so without enough time there is
/// nothing.
pub(super) fn merge(aig: &Aig, bad: Lit, budget: &Budget) -> Result<Merged, Stopped> {
    let cones = Cones::new(aig, bad);
    let mut classes = Classes::new(aig, &cones.latches);
    let first = classes.initial(aig);
    classes.simulate(aig, first, STEPS);
    loop {
        let merged = classes.merged(aig, bad);
        if !classes.refine(&merged, budget)? {
            return Ok(merged);
        }
    }
}

/// Latches that might be equal: those with the same class, up to the values that they have at first.
struct Classes {
    /// By position. Class 0 is that of the constants; a latch without an initial value has none.
    class: Vec<Option<u32>>,
    classes: u32,
    latches: Vec<u32>,
    chance: Chance,
}

impl Classes {
    fn new(aig: &Aig, latches: &[u32]) -> Classes {
        let mut class = vec![None; aig.latches().len()];
        for &position in latches {
            class[position as usize] = aig.latches()[position as usize].reset.map(|_| 0);
        }
        Classes { class, classes: 1, latches: latches.to_vec(), chance: Chance::new(0) }
    }

    /// Initial states.
    fn initial(&mut self, aig: &Aig) -> Vec<u64> {
        let latches = aig.latches().iter();
        latches
            .map(|latch| match latch.reset {
                Some(true) => u64::MAX,
                Some(false) => 0,
                None => self.chance.word(),
            })
            .collect()
    }

    /// Splits classes in which latches differ in 64 random executions from given states.
    fn simulate(&mut self, aig: &Aig, mut latches: Vec<u64>, steps: usize) {
        let mut alive = u64::MAX;
        for _ in 0..steps {
            let inputs: Vec<u64> = aig.inputs().iter().map(|_| self.chance.word()).collect();
            let values = aig.eval(&latches, &inputs);
            alive = aig.constraints.iter().fold(alive, |alive, &lit| alive & word(&values, lit));
            if alive == 0 {
                return;
            }
            for (value, latch) in latches.iter_mut().zip(aig.latches()) {
                *value = word(&values, latch.next);
            }
            self.split(aig, &latches, alive);
        }
    }

    /// Splits classes by the values of latches in some states. The first latch of a class stays in it.
    fn split(&mut self, aig: &Aig, latches: &[u64], mask: u64) {
        let mut new: FxHashMap<(u32, u64), u32> = FxHashMap::default();
        let mut met = FxHashSet::from_iter([0]);
        new.insert((0, 0), 0);
        for &position in &self.latches {
            let Some(class) = self.class[position as usize] else { continue };
            let reset = aig.latches()[position as usize].reset == Some(true);
            let difference = (latches[position as usize] ^ if reset { u64::MAX } else { 0 }) & mask;
            let first = met.insert(class);
            let to = *new.entry((class, difference)).or_insert_with(|| match first {
                true => class,
                false => {
                    self.classes += 1;
                    self.classes - 1
                }
            });
            self.class[position as usize] = Some(to);
        }
    }

    /// The first latch of each class.
    fn leaders(&self) -> FxHashMap<u32, u32> {
        let mut leaders = FxHashMap::default();
        for &position in &self.latches {
            if let Some(class) = self.class[position as usize].filter(|&class| class > 0) {
                leaders.entry(class).or_insert(position);
            }
        }
        leaders
    }

    /// The circuit in which each latch is read as the first one of its class.
    fn merged(&self, aig: &Aig, bad: Lit) -> Merged {
        let leaders = self.leaders();
        let mut new = Aig::new();
        let mut equal = Vec::new();
        let mut map: Vec<Lit> = Vec::with_capacity(aig.nodes().len());
        for node in aig.nodes() {
            let at = |lit: Lit| map[lit.node() as usize].negated_if(lit.is_negated());
            let lit = match *node {
                Node::False => Lit::FALSE,
                Node::Input(_) => new.input(),
                Node::Latch(position) => {
                    let now = new.latch(aig.latches()[position as usize].reset);
                    let found = self.leader(aig, &leaders, position);
                    equal.extend(found);
                    found.map_or(now, |found| match found.other {
                        Some(leader) => at(aig.latches()[leader as usize].now).negated_if(found.opposite),
                        None => Lit::constant(found.opposite),
                    })
                }
                Node::And(a, b) => new.and(at(a), at(b)),
            };
            map.push(lit);
        }
        let at = |lit: Lit| map[lit.node() as usize].negated_if(lit.is_negated());
        let nows: Vec<Lit> = new.latches().iter().map(|latch| latch.now).collect();
        for (now, latch) in nows.into_iter().zip(aig.latches()) {
            new.set_next(now, at(latch.next));
        }
        new.constraints = aig.constraints.iter().map(|&lit| at(lit)).collect();
        Merged { bad: at(bad), aig: new, equal }
    }

    /// What a latch is read as, if not as itself.
    fn leader(&self, aig: &Aig, leaders: &FxHashMap<u32, u32>, latch: u32) -> Option<Equal> {
        let reset = |position: u32| aig.latches()[position as usize].reset == Some(true);
        match self.class[latch as usize]? {
            0 => Some(Equal { latch, other: None, opposite: reset(latch) }),
            class => {
                let leader = leaders[&class];
                let opposite = reset(leader) != reset(latch);
                (leader != latch).then_some(Equal { latch, other: Some(leader), opposite })
            }
        }
    }

    /// Splits classes whose latches may differ after a step from a state in which the classes hold; true when there are any.
    fn refine(&mut self, merged: &Merged, budget: &Budget) -> Result<bool, Stopped> {
        let aig = &merged.aig;
        let mut sat = Sat::new(aig, &vec![true; aig.nodes().len()], budget);
        aig.constraints.iter().for_each(|&constraint| sat.clause(&[constraint]));
        let mut cones = Cones::new(aig, merged.bad);
        let (before, leaders) = (self.classes, self.leaders());
        for position in self.latches.clone() {
            let next = |position: u32| {
                let latch = aig.latches()[position as usize];
                latch.next.negated_if(latch.reset == Some(true))
            };
            let other = match self.class[position as usize] {
                None => continue,
                Some(0) => Lit::FALSE,
                Some(class) => match leaders.get(&class) {
                    Some(&leader) => next(leader),
                    // The class is new, and its latches are compared in the next round.
                    None => continue,
                },
            };
            let this = next(position);
            for goals in [[this, !other], [!this, other]] {
                if this == other || goals.contains(&Lit::FALSE) {
                    continue;
                }
                let domain = cones.of(&goals);
                match sat.decides(&goals, &domain, CONFLICTS)? {
                    Some(false) => continue,
                    Some(true) => self.go_on(aig, &sat),
                    None => {
                        self.class[position as usize] = Some(self.classes);
                        self.classes += 1;
                    }
                }
                break;
            }
        }
        Ok(self.classes > before)
    }

    /// Splits classes by the state after the step of the last answer, and by random executions from there.
    fn go_on(&mut self, aig: &Aig, sat: &Sat) {
        let value = |lit: Lit| if sat.holds(lit) { u64::MAX } else { 0 };
        let latches: Vec<u64> = aig.latches().iter().map(|latch| value(latch.now)).collect();
        let inputs: Vec<u64> = aig.inputs().iter().map(|&input| value(input)).collect();
        let values = aig.eval(&latches, &inputs);
        let after: Vec<u64> = aig.latches().iter().map(|latch| word(&values, latch.next)).collect();
        self.split(aig, &after, u64::MAX);
        self.simulate(aig, after, FURTHER);
    }
}
