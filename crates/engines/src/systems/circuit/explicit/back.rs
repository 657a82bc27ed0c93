//! Rules that lead from a state to one before it.
//!
//! Some systems guess: an input becomes the next value of a variable, and a flag remembers whether what was guessed fits to what the
//! variables were before. Forward such a system goes anywhere; but given the state after a step, the one before is
//! what fits, and nothing has to be guessed. So the states are visited from the bad one on, backwards, to an initial one.

use super::super::super::session::Stopped;
use super::super::lanes::Lanes;
use super::rules::{Rule, Rules, is_small, value};
use ts::aig::{Aig, Lit, Node};

/// So many variables may be flags, and so many steps make all rules.
const FLAGS: usize = 4;
const EFFORT: usize = 1 << 25;
/// All choices of so many inputs are rules; where there are more inputs, at most one of them is on.
const INPUTS: usize = 6;

/// An input that becomes a bit of the next state, or its negation.
pub(super) struct Taken {
    pub input: usize,
    pub bit: usize,
    pub negated: bool,
}

/// The way back in a circuit.
pub(super) struct Back {
    /// From states to some of those before them, up to an initial one.
    pub rules: Rules,
    pub taken: Vec<Taken>,
    /// What is known of the bits of a bad state.
    pub last: Vec<Option<bool>>,
    /// The inputs that make it bad, by their positions.
    pub inputs: Vec<bool>,
}

impl Back {
    pub(super) fn of(lanes: &Lanes<'_>, bad: Lit) -> Result<Back, Stopped> {
        let aig = lanes.aig;
        if !aig.constraints.is_empty() {
            return Err(Stopped("it is for systems without constraints".into()));
        }
        let (last, inputs) = cube(lanes, bad)?;
        let (taken, flags) = taken(lanes);
        if taken.is_empty() || flags.len() > FLAGS {
            return Err(Stopped("steps do not tell the state before them".into()));
        }
        let choices = choices(lanes, &taken);
        let effort = choices.len().saturating_mul(lanes.gates().len()) << flags.len();
        if effort > EFFORT {
            return Err(Stopped("there are too many choices for so large a circuit".into()));
        }
        let mut maker = Maker::new(lanes, &taken, flags);
        for choice in choices {
            for case in 0..1 << maker.flags.len() {
                maker.rules_of(&choice, case);
            }
            is_small(&maker.circuit)?;
        }
        let mut rules =
            Rules { circuit: maker.circuit, rules: maker.rules, goal: Lit::TRUE, ends: Vec::new() };
        for (bit, &at) in lanes.latches.iter().enumerate() {
            if let Some(value) = aig.latches()[at].reset {
                rules.goal = rules.circuit.and(rules.goal, maker.after[bit].negated_if(!value));
            }
        }
        Ok(Back { rules, taken, last, inputs })
    }
}

/// The bits of a state and the inputs that are bad, which have to be one cube.
fn cube(lanes: &Lanes<'_>, bad: Lit) -> Result<(Vec<Option<bool>>, Vec<bool>), Stopped> {
    let aig = lanes.aig;
    let (mut latches, mut inputs) = (vec![None; aig.latches().len()], vec![false; aig.inputs().len()]);
    for part in parts(aig, bad) {
        match aig.nodes()[part.node() as usize] {
            Node::Latch(at) => latches[at as usize] = Some(!part.is_negated()),
            Node::Input(at) => inputs[at as usize] = !part.is_negated(),
            Node::False | Node::And(..) => return Err(Stopped("what is bad is not one state".into())),
        }
    }
    Ok((lanes.latches.iter().map(|&at| latches[at]).collect(), inputs))
}

/// The inputs that become bits of the next state, and the numbers of other bits.
fn taken(lanes: &Lanes<'_>) -> (Vec<Taken>, Vec<usize>) {
    let (mut taken, mut flags) = (Vec::new(), Vec::new());
    let mut is_taken = vec![false; lanes.aig.inputs().len()];
    for (bit, &at) in lanes.latches.iter().enumerate() {
        let next = lanes.aig.latches()[at].next;
        match lanes.aig.nodes()[next.node() as usize] {
            Node::Input(input) if !std::mem::replace(&mut is_taken[input as usize], true) => {
                taken.push(Taken { input: input as usize, bit, negated: next.is_negated() });
            }
            _ => flags.push(bit),
        }
    }
    (taken, flags)
}

/// Values of the inputs that do not become bits.
fn choices(lanes: &Lanes<'_>, taken: &[Taken]) -> Vec<Vec<bool>> {
    let is_free = |at: &usize| taken.iter().all(|taken| taken.input != *at);
    let free: Vec<usize> = lanes.inputs.iter().copied().filter(is_free).collect();
    let with = |on: &dyn Fn(usize) -> bool| {
        let mut values = vec![false; lanes.aig.inputs().len()];
        free.iter().enumerate().for_each(|(number, &at)| values[at] = on(number));
        values
    };
    match free.len() {
        few @ 0..=INPUTS => (0..1_usize << few).map(|case| with(&|number| case >> number & 1 == 1)).collect(),
        many => (0..=many).map(|one| with(&|number| number == one)).collect(),
    }
}

/// The parts of a conjunction.
fn parts(circuit: &Aig, lit: Lit) -> Vec<Lit> {
    let (mut parts, mut todo) = (Vec::new(), vec![lit]);
    while let Some(lit) = todo.pop() {
        match circuit.nodes()[lit.node() as usize] {
            Node::And(a, b) if !lit.is_negated() => todo.extend([a, b]),
            _ => parts.push(lit),
        }
    }
    parts.sort_unstable();
    parts.dedup();
    parts
}

struct Maker<'a> {
    lanes: &'a Lanes<'a>,
    taken: &'a [Taken],
    /// The numbers of bits that no input becomes.
    flags: Vec<usize>,
    circuit: Aig,
    /// The bits of the state after a step, and of the one before: inputs of the circuit, but the latter are not known.
    after: Vec<Lit>,
    before: Vec<Lit>,
    /// The nodes that depend on what is not known.
    open: Vec<bool>,
    rules: Vec<Rule>,
}

/// What has to hold in a step.
#[derive(Clone)]
struct Case {
    /// About the state after the step.
    holds: Lit,
    /// About both.
    parts: Vec<Lit>,
}

impl<'a> Maker<'a> {
    fn new(lanes: &'a Lanes<'a>, taken: &'a [Taken], flags: Vec<usize>) -> Maker<'a> {
        let mut circuit = Aig::new();
        let after: Vec<Lit> = lanes.latches.iter().map(|_| circuit.input()).collect();
        let before = lanes.latches.iter().map(|_| circuit.input()).collect();
        Maker { lanes, taken, flags, circuit, after, before, open: Vec::new(), rules: Vec::new() }
    }

    /// Whether a literal depends on the state before.
    fn is_open(&mut self, lit: Lit) -> bool {
        let first = self.before.first().map_or(0, |lit| lit.node() as usize);
        for node in self.open.len()..self.circuit.nodes().len() {
            let is_open = match self.circuit.nodes()[node] {
                Node::And(a, b) => self.open[a.node() as usize] || self.open[b.node() as usize],
                Node::Input(_) => node >= first,
                Node::False | Node::Latch(_) => false,
            };
            self.open.push(is_open);
        }
        self.open[lit.node() as usize]
    }

    /// The rules of a choice, where the flags before have the values that a number says.
    fn rules_of(&mut self, choice: &[bool], case: usize) {
        let aig = self.lanes.aig;
        let mut values = vec![Lit::FALSE; aig.nodes().len()];
        for (&input, &is_on) in aig.inputs().iter().zip(choice) {
            values[input.node() as usize] = Lit::constant(is_on);
        }
        for taken in self.taken {
            values[aig.inputs()[taken.input].node() as usize] =
                self.after[taken.bit].negated_if(taken.negated);
        }
        let mut before = self.before.clone();
        for (number, &bit) in self.flags.iter().enumerate() {
            before[bit] = Lit::constant(case >> number & 1 == 1);
        }
        for (&at, &bit) in self.lanes.latches.iter().zip(&before) {
            values[aig.latches()[at].now.node() as usize] = bit;
        }
        for (gate, a, b) in self.lanes.gates() {
            values[gate as usize] = self.circuit.and(value(&values, a), value(&values, b));
        }
        for case in self.cases(&values) {
            self.add(choice, case, &before);
        }
    }

    /// What the flags after the step say. If they depend on the state before, that is said of either value.
    fn cases(&mut self, values: &[Lit]) -> Vec<Case> {
        let mut cases = vec![Case { holds: Lit::TRUE, parts: Vec::new() }];
        for bit in self.flags.clone() {
            let next = value(values, self.lanes.aig.latches()[self.lanes.latches[bit]].next);
            let after = self.after[bit];
            if self.is_open(next) {
                let mut more = cases.clone();
                for case in &mut cases {
                    case.holds = self.circuit.and(case.holds, after);
                    case.parts.extend(parts(&self.circuit, next));
                }
                for case in &mut more {
                    case.holds = self.circuit.and(case.holds, !after);
                    case.parts.extend(parts(&self.circuit, !next));
                }
                cases.extend(more);
            } else {
                let same = !self.circuit.xor(after, next);
                for case in &mut cases {
                    case.holds = self.circuit.and(case.holds, same);
                }
            }
        }
        cases
    }

    /// Adds the rule of a case, if the state before follows from it.
    fn add(&mut self, choice: &[bool], case: Case, before: &[Lit]) {
        let Some((open, found)) = self.solved(case) else { return };
        if open == Lit::FALSE {
            return;
        }
        let mut changes = Vec::new();
        for (bit, &lit) in before.iter().enumerate() {
            let reset = self.lanes.aig.latches()[self.lanes.latches[bit]].reset;
            // What may be anything is what it is at first.
            let any = Lit::constant(reset.unwrap_or(false));
            let value = if lit.is_constant() { lit } else { found[bit].unwrap_or(any) };
            if value != self.after[bit] {
                changes.push((bit, value));
            }
        }
        if !changes.is_empty() {
            self.rules.push(Rule { inputs: choice.to_vec(), open, bad: Lit::FALSE, changes });
        }
    }

    /// What has to hold of the state after the step, and the bits before that follow from it; none if more would have to hold.
    fn solved(&mut self, case: Case) -> Option<(Lit, Vec<Option<Lit>>)> {
        let mut holds = case.holds;
        let mut found: Vec<Option<Lit>> = vec![None; self.before.len()];
        let mut rest = Vec::new();
        for &part in &case.parts {
            if holds == Lit::FALSE {
                return None;
            }
            if !self.is_open(part) {
                holds = self.circuit.and(holds, part);
                continue;
            }
            match self.equation(part, &case.parts) {
                Some((bit, value)) if found[bit].is_none() => found[bit] = Some(value),
                _ => rest.push(part),
            }
        }
        if !rest.is_empty() {
            let rest = self.circuit.all(&rest);
            let known = self.substituted(rest, &found);
            if self.is_open(known) {
                return None;
            }
            holds = self.circuit.and(holds, known);
        }
        Some((holds, found))
    }

    /// The bit before that is equal to something known because of a part of a conjunction.
    fn equation(&mut self, part: Lit, all: &[Lit]) -> Option<(usize, Lit)> {
        if let Some((bit, negated)) = self.unknown(part) {
            return Some((bit, Lit::constant(!negated)));
        }
        // The part is not both of these.
        let (a, b) = self.negated_and(part)?;
        for (a, b) in [(a, b), (b, a)] {
            // Where the opposites are not both, either, one is the negation of the other.
            let is_known = self.unknown(a).is_some() && !self.is_open(b);
            if is_known && all.iter().any(|&other| self.is_pair(other, !a, !b)) {
                let (bit, negated) = self.unknown(a)?;
                return Some((bit, (!b).negated_if(negated)));
            }
        }
        // Neither "not both" nor "not none" fails alone: so both are on, or both are off.
        let (c, d) = self.negated_and(a)?;
        if !self.is_pair(b, !c, !d) {
            return None;
        }
        for (c, d) in [(c, d), (d, c)] {
            if let Some((bit, negated)) = self.unknown(c)
                && !self.is_open(d)
            {
                return Some((bit, d.negated_if(negated)));
            }
        }
        None
    }

    /// The operands of the gate that a literal negates.
    fn negated_and(&self, lit: Lit) -> Option<(Lit, Lit)> {
        match self.circuit.nodes()[lit.node() as usize] {
            Node::And(a, b) if lit.is_negated() => Some((a, b)),
            _ => None,
        }
    }

    /// True for the literal that negates the gate of these two.
    fn is_pair(&self, lit: Lit, a: Lit, b: Lit) -> bool {
        self.negated_and(lit).is_some_and(|(c, d)| (c, d) == (a, b) || (d, c) == (a, b))
    }

    /// The number of the bit before that a literal is, or whose negation.
    fn unknown(&self, lit: Lit) -> Option<(usize, bool)> {
        let first = self.before.first()?.node();
        let bit = lit.node().checked_sub(first)? as usize;
        (bit < self.before.len()).then_some((bit, lit.is_negated()))
    }

    /// A literal with what was found put in.
    fn substituted(&mut self, lit: Lit, found: &[Option<Lit>]) -> Lit {
        let needed = self.circuit.cone([lit]);
        let mut values: Vec<Lit> = Vec::with_capacity(lit.node() as usize + 1);
        for node in 0..=lit.node() {
            let own = Lit::new(node, false);
            let is_open = needed[node as usize] && self.is_open(own);
            values.push(match self.circuit.nodes()[node as usize] {
                Node::And(a, b) if is_open => self.circuit.and(value(&values, a), value(&values, b)),
                Node::Input(_) if is_open => self.unknown(own).and_then(|(bit, _)| found[bit]).unwrap_or(own),
                _ => own,
            });
        }
        value(&values, lit)
    }
}
