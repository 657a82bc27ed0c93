//! A set of states as a formula: a decision diagram over their bits.

use super::super::super::session::Stopped;
use super::states::States;
use rustc_hash::FxHashMap;
use smt::op::Op;
use smt::term::{TermId, Terms};

/// A diagram has so many nodes at most, and is made by so many steps.
const NODES: usize = 1 << 16;
const EFFORT: usize = 1 << 30;

/// What a set of states says, given what each bit says.
pub(super) fn formula(terms: &mut Terms, states: &States, bits: &[TermId]) -> Result<TermId, Stopped> {
    if states.len().saturating_mul(states.bits()) > EFFORT {
        return Err(Stopped(format!("there are {} states, too many for a formula", states.len())));
    }
    let mut diagram = Diagram::default();
    let root = diagram.of(states).ok_or_else(|| {
        Stopped(format!("there are {} states, and a formula for them is too large", states.len()))
    })?;
    let mut formulas = vec![TermId::FALSE, TermId::TRUE];
    for &(bit, no, yes) in &diagram.nodes {
        let sides = [bits[bit as usize], formulas[yes as usize], formulas[no as usize]];
        formulas.push(terms.app(Op::Ite, &sides).expect("truth values"));
    }
    Ok(formulas[root as usize])
}

/// Nodes by their numbers; 0 is `false` and 1 is `true`.
#[derive(Default)]
struct Diagram {
    /// A bit, and what follows if it is off or on.
    nodes: Vec<(u32, u32, u32)>,
    numbers: FxHashMap<(u32, u32, u32), u32>,
}

impl Diagram {
    /// The node of a set; none if there are too many nodes.
    fn of(&mut self, states: &States) -> Option<u32> {
        let key = |&number: &u32| states.state(number as usize).iter().map(|word| word.reverse_bits());
        let mut sorted: Vec<u32> = (0..states.len() as u32).collect();
        sorted.sort_unstable_by(|a, b| key(a).cmp(key(b)));
        // From the last bit to the first, states that differ in no bit before become one.
        let mut rows: Vec<(u32, u32)> = sorted.into_iter().map(|number| (number, 1)).collect();
        for bit in (0..states.bits()).rev() {
            let mut merged: Vec<(u32, u32)> = Vec::with_capacity(rows.len());
            let mut rest = rows.iter().peekable();
            while let Some(&(number, node)) = rest.next() {
                let is_on = states.bit(number as usize, bit);
                let pair =
                    rest.next_if(|(other, _)| !is_on && agree(states, number as usize, *other as usize, bit));
                let (no, yes) = match pair {
                    Some(&(_, other)) => (node, other),
                    None if is_on => (0, node),
                    None => (node, 0),
                };
                merged.push((number, self.node(bit as u32, no, yes)));
            }
            if self.nodes.len() > NODES {
                return None;
            }
            rows = merged;
        }
        Some(rows.first().map_or(0, |row| row.1))
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

/// True for states that have the same bits before one.
fn agree(states: &States, a: usize, b: usize, bits: usize) -> bool {
    let (a, b) = (states.state(a), states.state(b));
    let (full, part) = (bits / 64, bits % 64);
    a[..full] == b[..full] && (part == 0 || (a[full] ^ b[full]) << (64 - part) == 0)
}

#[cfg(test)]
mod tests {
    use super::super::super::chance::Chance;
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
        let mut chance = Chance::new(3);
        for round in 0..20 {
            let is_in: Vec<bool> = (0..512).map(|_| chance.below(20) < round).collect();
            let fixed: Vec<Option<bool>> = vec![Some(false); 70];
            let mut states = States::of(&fixed, 0).expect("one state");
            for number in (0..512).filter(|&number| is_in[number as usize]) {
                states.insert_all(&state(number), &[Origin { state: 0, rule: 0 }]);
            }
            let mut diagram = Diagram::default();
            let root = diagram.of(&states).expect("few nodes");
            for number in 0..512 {
                let state = state(number);
                let mut node = root;
                while node > 1 {
                    let (bit, no, yes) = diagram.nodes[node as usize - 2];
                    let is_on = state[bit as usize / 64] >> (bit % 64) & 1 == 1;
                    node = if is_on { yes } else { no };
                }
                assert_eq!(node == 1, number == 0 || is_in[number as usize], "{round} {number}");
            }
        }
    }
}
