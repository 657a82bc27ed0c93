//! A set of states as a formula: a decision diagram over their bits.
//!
//! How large a diagram is depends on the order of the bits, and a checker has to work through all of it. So some orders are tried:
//! those that come to mind, and then changes of the best.

use super::super::super::session::Stopped;
use super::super::chance::Chance;
use super::states::States;
use rustc_hash::FxHashMap;
use smt::op::Op;
use smt::term::{TermId, Terms};

/// A diagram has so many nodes at most, and is made by so many steps.
const NODES: usize = 1 << 16;
const EFFORT: usize = 1 << 30;
/// With so many nodes it is small enough, and so many changes of an order are tried, with so many steps in all.
const SMALL: usize = 1 << 9;
const CHANGES: usize = 200;
const CARE: usize = 1 << 28;

/// What a set of states says, given what each bit says.
pub(super) fn formula(terms: &mut Terms, states: &States, bits: &[TermId]) -> Result<TermId, Stopped> {
    let (fixed, open) = fixed(states);
    if states.len().saturating_mul(open.len()) > EFFORT {
        return Err(Stopped(format!("there are {} states, too many for a formula", states.len())));
    }
    let diagram = smallest(states, open).ok_or_else(|| {
        Stopped(format!("there are {} states, and a formula for them is too large", states.len()))
    })?;
    let mut formulas = vec![TermId::FALSE, TermId::TRUE];
    for &(bit, no, yes) in &diagram.nodes {
        let sides = [bits[bit as usize], formulas[yes as usize], formulas[no as usize]];
        formulas.push(terms.app(Op::Ite, &sides).expect("truth values"));
    }
    let mut parts = vec![formulas[diagram.root as usize]];
    for (bit, value) in fixed {
        parts.push(if value { bits[bit] } else { terms.not(bits[bit]) });
    }
    Ok(terms.and(&parts))
}

/// The bits that are the same in all states, with their values, and the others.
fn fixed(states: &States) -> (Vec<(usize, bool)>, Vec<usize>) {
    let mut changes = vec![0; states.width()];
    for number in 1..states.len() {
        let words = states.state(number).iter().zip(states.state(0));
        changes.iter_mut().zip(words).for_each(|(change, (a, b))| *change |= a ^ b);
    }
    let (mut fixed, mut open) = (Vec::new(), Vec::new());
    for bit in 0..states.bits() {
        match changes[bit / 64] >> (bit % 64) & 1 {
            0 => fixed.push((bit, states.bit(0, bit))),
            _ => open.push(bit),
        }
    }
    (fixed, open)
}

/// The smallest diagram that is found, over some of the bits; none if all are too large.
fn smallest(states: &States, bits: Vec<usize>) -> Option<Diagram> {
    let work = states.len() * bits.len().max(1);
    let mut tries = CARE / work;
    let mut best: Option<(Vec<usize>, Diagram)> = None;
    let mut attempt = |order: Vec<usize>, best: &mut Option<(Vec<usize>, Diagram)>| {
        let most = best.as_ref().map_or(NODES, |(_, diagram)| diagram.nodes.len());
        if let Some(diagram) = Diagram::of(states, &order, most) {
            *best = Some((order, diagram));
        }
        tries = tries.saturating_sub(1);
        tries > 0
    };
    // What changes in few states only decides most; or the other way round.
    let mut by_rarity = bits.clone();
    let on = |bit: usize| (0..states.len()).filter(|&number| states.bit(number, bit)).count();
    by_rarity.sort_by_cached_key(|&bit| on(bit).min(states.len() - on(bit)));
    let reversed = |order: &[usize]| order.iter().rev().copied().collect::<Vec<usize>>();
    let orders = [bits.clone(), reversed(&bits), reversed(&by_rarity), by_rarity];
    if !orders.into_iter().all(|order| attempt(order, &mut best)) {
        return best.map(|(_, diagram)| diagram);
    }
    let mut chance = Chance::new(1);
    for _ in 0..CHANGES {
        let Some((order, diagram)) = &best else { break };
        if diagram.nodes.len() <= SMALL || !attempt(changed(order, &mut chance), &mut best) {
            break;
        }
    }
    best.map(|(_, diagram)| diagram)
}

/// An order in which some bits in a row are at another place.
fn changed(order: &[usize], chance: &mut Chance) -> Vec<usize> {
    let mut order = order.to_vec();
    let count = (1 << chance.below(4)).min(order.len());
    let from = chance.below(order.len() - count + 1);
    let moved: Vec<usize> = order.drain(from..from + count).collect();
    let to = chance.below(order.len() + 1);
    order.splice(to..to, moved);
    order
}

/// Nodes by their numbers; 0 is `false` and 1 is `true`.
#[derive(Default)]
struct Diagram {
    /// A bit, and what follows if it is off or on.
    nodes: Vec<(u32, u32, u32)>,
    numbers: FxHashMap<(u32, u32, u32), u32>,
    root: u32,
}

impl Diagram {
    /// The diagram of a set over some bits, in this order; none if there are so many nodes.
    fn of(states: &States, order: &[usize], most: usize) -> Option<Diagram> {
        let table = Table::new(states, order);
        let mut diagram = Diagram::default();
        // From the last bit to the first, states that differ in no bit before become one.
        let mut rows: Vec<(u32, u32)> = table.sorted().into_iter().map(|row| (row, 1)).collect();
        for (at, &bit) in order.iter().enumerate().rev() {
            let mut merged: Vec<(u32, u32)> = Vec::with_capacity(rows.len());
            let mut rest = rows.iter().peekable();
            while let Some(&(row, node)) = rest.next() {
                let is_on = table.bit(row, at);
                let pair = rest.next_if(|(other, _)| !is_on && table.agree(row, *other, at));
                let (no, yes) = match pair {
                    Some(&(_, other)) => (node, other),
                    None if is_on => (0, node),
                    None => (node, 0),
                };
                merged.push((row, diagram.node(bit as u32, no, yes)));
            }
            if diagram.nodes.len() >= most {
                return None;
            }
            rows = merged;
        }
        diagram.root = rows.first().map_or(0, |row| row.1);
        Some(diagram)
    }

    fn node(&mut self, bit: u32, no: u32, yes: u32) -> u32 {
        if no == yes {
            return no;
        }
        let next = self.nodes.len() as u32 + 2;
        let number = *self.numbers.entry((bit, no, yes)).or_insert(next);
        if number == next {
            self.nodes.push((bit, no, yes));
        }
        number
    }
}

/// The bits of states in some order, the first one highest in its word, so that words are compared as the bits would be.
struct Table {
    width: usize,
    words: Vec<u64>,
}

impl Table {
    fn new(states: &States, order: &[usize]) -> Table {
        let width = order.len().div_ceil(64).max(1);
        let mut words = vec![0; width * states.len()];
        for (number, row) in words.chunks_mut(width).enumerate() {
            let state = states.state(number);
            for (at, &bit) in order.iter().enumerate() {
                row[at / 64] |= (state[bit / 64] >> (bit % 64) & 1) << (63 - at % 64);
            }
        }
        Table { width, words }
    }

    fn row(&self, row: u32) -> &[u64] {
        &self.words[row as usize * self.width..][..self.width]
    }

    fn sorted(&self) -> Vec<u32> {
        let mut sorted: Vec<u32> = (0..(self.words.len() / self.width) as u32).collect();
        sorted.sort_unstable_by(|&a, &b| self.row(a).cmp(self.row(b)));
        sorted
    }

    fn bit(&self, row: u32, at: usize) -> bool {
        self.row(row)[at / 64] >> (63 - at % 64) & 1 == 1
    }

    /// True for rows that have the same bits before one.
    fn agree(&self, a: u32, b: u32, bits: usize) -> bool {
        let (a, b) = (self.row(a), self.row(b));
        let (full, part) = (bits / 64, bits % 64);
        a[..full] == b[..full] && (part == 0 || (a[full] ^ b[full]) >> (64 - part) == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::states::Origin;
    use super::*;

    /// Sets of states of 70 bits, of which nine in both words are not always off.
    #[test]
    fn a_diagram_has_the_states_of_a_set_and_no_others() {
        let bits = [0, 3, 4, 31, 62, 63, 64, 66, 69];
        let state = |number: u64| {
            let mut state = [0; 2];
            for (at, bit) in bits.into_iter().enumerate() {
                state[bit / 64] |= (number >> at & 1) << (bit % 64);
            }
            state
        };
        let is_on = |state: &[u64], bit: usize| state[bit / 64] >> (bit % 64) & 1 == 1;
        let mut chance = Chance::new(3);
        for round in 0..20 {
            let is_in: Vec<bool> = (0..512).map(|_| chance.below(20) < round).collect();
            let mut states = States::of(&[Some(false); 70], 0).expect("one state");
            for number in (0..512).filter(|&number| is_in[number as usize]) {
                states.insert_all(&state(number), &[Origin { state: 0, rule: 0 }]);
            }
            let (fixed, open) = fixed(&states);
            assert!(fixed.len() + open.len() == 70 && fixed.iter().all(|bit| !bit.1));
            assert!(open.iter().all(|bit| bits.contains(bit)));
            let diagram = smallest(&states, open).expect("few nodes");
            for number in 0..512 {
                let state = state(number);
                let mut node = diagram.root;
                while node > 1 {
                    let (bit, no, yes) = diagram.nodes[node as usize - 2];
                    node = if is_on(&state, bit as usize) { yes } else { no };
                }
                let is_fixed = fixed.iter().all(|&(bit, value)| is_on(&state, bit) == value);
                assert_eq!(is_fixed && node == 1, number == 0 || is_in[number as usize], "{round} {number}");
            }
        }
    }
}
