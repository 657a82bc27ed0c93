//! One step of a circuit in 64 executions at once: bit `i` of each word belongs to execution `i`.

use super::cone::cone;
use ts::aig::{Aig, Lit, Node, word};

/// So many executions are looked at together.
pub(super) const LANES: usize = 64;

/// A gate and its operands.
struct Gate(u32, Lit, Lit);

/// The values of a circuit in 64 executions, as far as they matter for what must not happen.
pub(super) struct Lanes<'a> {
    pub(super) aig: &'a Aig,
    /// The gates that matter, operands first.
    gates: Vec<Gate>,
    /// The positions of the inputs and latches that do.
    pub(super) inputs: Vec<usize>,
    pub(super) latches: Vec<usize>,
    /// By node.
    values: Vec<u64>,
}

impl<'a> Lanes<'a> {
    pub(super) fn new(aig: &'a Aig, bads: &[Lit]) -> Lanes<'a> {
        let needed = cone(aig, bads);
        let matters = |lit: Lit| needed[lit.node() as usize];
        let gates = aig.nodes().iter().enumerate().filter_map(|(number, node)| match *node {
            Node::And(a, b) if needed[number] => Some(Gate(number as u32, a, b)),
            _ => None,
        });
        let inputs = (0..aig.inputs().len()).filter(|&at| matters(aig.inputs()[at]));
        let latches = (0..aig.latches().len()).filter(|&at| matters(aig.latches()[at].now));
        Lanes {
            aig,
            gates: gates.collect(),
            inputs: inputs.collect(),
            latches: latches.collect(),
            values: vec![0; aig.nodes().len()],
        }
    }

    /// The gates that matter with their operands, operands first.
    pub(super) fn gates(&self) -> impl ExactSizeIterator<Item = (u32, Lit, Lit)> {
        self.gates.iter().map(|&Gate(gate, a, b)| (gate, a, b))
    }

    #[inline]
    pub(super) fn get(&self, lit: Lit) -> u64 {
        word(&self.values, lit)
    }

    /// Sets an input by its position in some executions.
    pub(super) fn set_input(&mut self, at: usize, value: u64, lanes: u64) {
        self.set(self.aig.inputs()[at], value, lanes);
    }

    /// Sets a latch by its position in some executions.
    pub(super) fn set_latch(&mut self, at: usize, value: u64, lanes: u64) {
        self.set(self.aig.latches()[at].now, value, lanes);
    }

    fn set(&mut self, lit: Lit, value: u64, lanes: u64) {
        let old = &mut self.values[lit.node() as usize];
        *old = *old & !lanes | value & lanes;
    }

    /// The values of the gates.
    pub(super) fn compute(&mut self) {
        for &Gate(gate, a, b) in &self.gates {
            self.values[gate as usize] = word(&self.values, a) & word(&self.values, b);
        }
    }

    /// The executions in which the constraints hold.
    pub(super) fn alive(&self) -> u64 {
        self.aig.constraints.iter().fold(u64::MAX, |all, &lit| all & self.get(lit))
    }

    /// The value of a latch in the next step, by its position.
    pub(super) fn next(&self, at: usize) -> u64 {
        self.get(self.aig.latches()[at].next)
    }
}

/// Rows of bits as columns.
pub(super) fn transpose(block: &mut [u64; LANES]) {
    let (mut width, mut mask) = (32, 0x0000_0000_ffff_ffff_u64);
    while width > 0 {
        for row in (0..64).filter(|row| row & width == 0) {
            let swap = (block[row] >> width ^ block[row + width]) & mask;
            block[row] ^= swap << width;
            block[row + width] ^= swap;
        }
        width /= 2;
        mask ^= mask << width;
    }
}

#[cfg(test)]
mod tests {
    use super::super::chance::Chance;
    use super::*;

    #[test]
    fn columns_are_rows() {
        let mut chance = Chance::new(1);
        let rows: [u64; 64] = std::array::from_fn(|_| chance.word());
        let mut columns = rows;
        transpose(&mut columns);
        for (i, row) in rows.iter().enumerate() {
            for (j, column) in columns.iter().enumerate() {
                assert_eq!(row >> j & 1, column >> i & 1);
            }
        }
    }
}
