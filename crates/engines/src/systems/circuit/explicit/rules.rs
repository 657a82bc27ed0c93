//! The rules of a circuit: what each choice of inputs makes of a state.
//!
//! With the inputs fixed little of a circuit is left, and most of that is the same for many choices. So all of them together are one
//! circuit over the bits of a state, in which 64 states are looked at in one go.

use super::super::super::session::Stopped;
use super::super::deep::Deep;
use super::super::lanes::Lanes;
use base::budget::Budget;
use std::time::Duration;
use ts::aig::{Aig, Lit, Node};

/// There are so many rules at most, and making them takes so many steps; so long choices are looked for.
const RULES: usize = 1 << 12;
const EFFORT: usize = 1 << 25;
const SEARCH: Duration = Duration::from_secs(1);
/// So many nodes are in the circuit of all rules at most.
const NODES: usize = 1 << 22;

/// A latch that never changes again when it has a value, and then nothing is bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub latch: usize,
    pub value: bool,
}

/// What a choice makes of a state, as literals of the circuit of all rules.
pub(super) struct Rule {
    /// The values of the inputs, by their positions.
    pub inputs: Vec<bool>,
    /// Whether it leads to a state from which something bad may be reached.
    pub open: Lit,
    /// Whether the state is bad with these inputs.
    pub bad: Lit,
    /// The bits that change, by their numbers, and their new values.
    pub changes: Vec<(usize, Lit)>,
}

pub(super) struct Rules {
    /// Its inputs are the bits of a state: the latches that matter.
    pub circuit: Aig,
    pub rules: Vec<Rule>,
    /// Whether the search is over: the state is bad with the inputs of some rule or, on the way back, an initial one.
    pub goal: Lit,
    pub ends: Vec<End>,
}

impl Rules {
    /// Those of all choices that are allowed in some state and do not lead to an end, or are bad there.
    pub(super) fn of(lanes: &Lanes<'_>, bad: Lit, budget: &Budget) -> Result<Rules, Stopped> {
        let aig = lanes.aig;
        let ends = ends(aig, bad, &lanes.latches);
        let choices = choices(lanes, bad, &ends, &budget.part(SEARCH))?;
        let free = Free::of(lanes);
        if choices.len().saturating_mul(free.nodes.len()) > EFFORT {
            return Err(Stopped("there are too many choices for so large a circuit".into()));
        }
        let mut rules = Rules { circuit: Aig::new(), rules: Vec::new(), goal: Lit::FALSE, ends };
        let mut values = vec![Lit::FALSE; aig.nodes().len()];
        for &at in &lanes.latches {
            values[aig.latches()[at].now.node() as usize] = rules.circuit.input();
        }
        free.fixed.iter().for_each(|&node| rules.gate(aig, node, &mut values));
        for choice in choices {
            for (&input, &value) in aig.inputs().iter().zip(&choice) {
                values[input.node() as usize] = Lit::constant(value);
            }
            free.nodes.iter().for_each(|&node| rules.gate(aig, node, &mut values));
            rules.add(lanes, bad, choice, &values);
            is_small(&rules.circuit)?;
        }
        Ok(rules)
    }

    /// Computes a gate of the original circuit.
    fn gate(&mut self, aig: &Aig, node: u32, values: &mut [Lit]) {
        if let Node::And(a, b) = aig.nodes()[node as usize] {
            values[node as usize] = self.circuit.and(value(values, a), value(values, b));
        }
    }

    /// Adds the rule of a choice, given what everything is with it.
    fn add(&mut self, lanes: &Lanes<'_>, bad: Lit, inputs: Vec<bool>, values: &[Lit]) {
        let aig = lanes.aig;
        let allowed: Vec<Lit> = aig.constraints.iter().map(|&lit| value(values, lit)).collect();
        let allowed = self.circuit.all(&allowed);
        let ended = |end: &End| value(values, aig.latches()[end.latch].next.negated_if(!end.value));
        let ended: Vec<Lit> = self.ends.iter().map(ended).collect();
        let ended = self.circuit.any(&ended);
        let open = self.circuit.and(allowed, !ended);
        let bad = self.circuit.and(allowed, value(values, bad));
        self.goal = self.circuit.or(self.goal, bad);
        let change = |(bit, &at): (usize, &usize)| {
            let (now, next) = (aig.latches()[at].now, value(values, aig.latches()[at].next));
            (value(values, now) != next).then_some((bit, next))
        };
        let changes: Vec<(usize, Lit)> = lanes.latches.iter().enumerate().filter_map(change).collect();
        // Who changes nothing leads nowhere.
        let open = if changes.is_empty() { Lit::FALSE } else { open };
        if open != Lit::FALSE || bad != Lit::FALSE {
            self.rules.push(Rule { inputs, open, bad, changes });
        }
    }

    /// Everything that is looked at.
    pub(super) fn roots(&self) -> Vec<Lit> {
        let changes = |rule: &Rule| rule.changes.iter().map(|&(_, next)| next).collect::<Vec<Lit>>();
        let rules = self.rules.iter().flat_map(|rule| [vec![rule.open, rule.bad], changes(rule)].concat());
        rules.chain([self.goal]).collect()
    }
}

/// An error if a circuit of rules has become too large.
pub(super) fn is_small(circuit: &Aig) -> Result<(), Stopped> {
    match circuit.nodes().len() {
        0..=NODES => Ok(()),
        _ => Err(Stopped("the circuit of all rules is too large".into())),
    }
}

/// A literal, given what nodes are.
pub(super) fn value(values: &[Lit], lit: Lit) -> Lit {
    values[lit.node() as usize].negated_if(lit.is_negated())
}

/// The gates that matter: those that depend on inputs, and those that do not.
struct Free {
    nodes: Vec<u32>,
    fixed: Vec<u32>,
}

impl Free {
    fn of(lanes: &Lanes<'_>) -> Free {
        let mut depends = vec![false; lanes.aig.nodes().len()];
        lanes.inputs.iter().for_each(|&at| depends[lanes.aig.inputs()[at].node() as usize] = true);
        let (mut nodes, mut fixed) = (Vec::new(), Vec::new());
        for (node, a, b) in lanes.gates() {
            let is_free = depends[a.node() as usize] || depends[b.node() as usize];
            depends[node as usize] = is_free;
            if is_free { &mut nodes } else { &mut fixed }.push(node);
        }
        Free { nodes, fixed }
    }
}

/// The values of all inputs that are of use in some state.
fn choices(lanes: &Lanes<'_>, bad: Lit, ends: &[End], budget: &Budget) -> Result<Vec<Vec<bool>>, Stopped> {
    let aig = lanes.aig;
    let mut goals: Vec<Lit> = aig.constraints.clone();
    goals.extend(ends.iter().map(|end| !aig.latches()[end.latch].next.negated_if(!end.value)));
    let mut choices = projected(aig, &goals, &lanes.inputs, budget)?;
    // Whether a state is bad may depend on some of the inputs; the others are of no interest then.
    let goals: Vec<Lit> = aig.constraints.iter().copied().chain([bad]).collect();
    let seen = aig.cone(goals.iter().copied());
    let is_seen = |at: &usize| seen[aig.inputs()[*at].node() as usize];
    let some: Vec<usize> = lanes.inputs.iter().copied().filter(is_seen).collect();
    if !some.is_empty() || choices.is_empty() {
        choices.extend(projected(aig, &goals, &some, budget)?);
    }
    choices.sort_unstable();
    choices.dedup();
    Ok(choices)
}

/// The values of all inputs with which goals hold in some state, where others than some are off.
fn projected(aig: &Aig, goals: &[Lit], some: &[usize], budget: &Budget) -> Result<Vec<Vec<bool>>, Stopped> {
    let mut sat = Deep::new(budget);
    for &goal in goals {
        let holds = sat.literal(aig, goal);
        sat.solver.add_clause([holds]);
    }
    let inputs: Vec<i32> = some.iter().map(|&at| sat.literal(aig, aig.inputs()[at])).collect();
    let mut found = Vec::new();
    loop {
        match sat.solve(&[], i32::MAX) {
            None => return Err(Stopped("choices are hard to find".into())),
            Some(false) => return Ok(found),
            Some(true) if found.len() == RULES => return Err(Stopped("there are too many choices".into())),
            Some(true) => {}
        }
        let mut values = vec![false; aig.inputs().len()];
        for (&at, &input) in some.iter().zip(&inputs) {
            values[at] = sat.solver.value(input) == Some(true);
        }
        let other = some.iter().zip(&inputs).map(|(&at, &input)| if values[at] { -input } else { input });
        sat.solver.add_clause(other);
        found.push(values);
    }
}

/// The ends of a circuit that are seen without knowing anything else.
fn ends(aig: &Aig, bad: Lit, latches: &[usize]) -> Vec<End> {
    let both = latches.iter().flat_map(|&latch| [false, true].map(|value| End { latch, value }));
    let all: Vec<End> = both.filter(|end| aig.latches()[end.latch].reset == Some(!end.value)).collect();
    let mut found = Vec::new();
    for ends in all.chunks(64) {
        let known = known(aig, ends);
        let get = |lit: Lit| {
            let [yes, no] = known[lit.node() as usize];
            if lit.is_negated() { [no, yes] } else { [yes, no] }
        };
        for (case, end) in ends.iter().enumerate() {
            let [stays, _] = get(aig.latches()[end.latch].next.negated_if(!end.value));
            let [_, good] = get(bad);
            if (stays & good) >> case & 1 == 1 {
                found.push(*end);
            }
        }
    }
    found
}

/// Of each node, in which of 64 cases it is known to be true, and in which to be false; in each case a latch has a value.
fn known(aig: &Aig, cases: &[End]) -> Vec<[u64; 2]> {
    let mut known: Vec<[u64; 2]> = Vec::with_capacity(aig.nodes().len());
    for node in aig.nodes() {
        let get = |lit: Lit| {
            let [yes, no] = known[lit.node() as usize];
            if lit.is_negated() { [no, yes] } else { [yes, no] }
        };
        let value = match *node {
            Node::False => [0, u64::MAX],
            Node::Input(_) => [0, 0],
            Node::Latch(position) => {
                let mut value = [0, 0];
                for (case, end) in cases.iter().enumerate() {
                    value[usize::from(!end.value)] |= u64::from(end.latch == position as usize) << case;
                }
                value
            }
            Node::And(a, b) => {
                let (a, b) = (get(a), get(b));
                [a[0] & b[0], a[1] | b[1]]
            }
        };
        known.push(value);
    }
    known
}
