//! Steps of a circuit, one after the other, as one larger circuit without latches.

use super::narrow::Narrow;
use ts::aig::{Aig, Latch, Lit, Node};

/// The steps of a circuit so far.
pub(super) struct Unrolled<'a> {
    aig: &'a Aig,
    needed: Vec<bool>,
    narrow: Narrow,
    /// All steps.
    pub(super) circuit: Aig,
    /// The latches in the first step and in the next one.
    first: Vec<Lit>,
    latches: Vec<Lit>,
    /// The inputs of each step.
    inputs: Vec<Vec<Lit>>,
}

impl<'a> Unrolled<'a> {
    /// From the initial states.
    pub(super) fn new(aig: &'a Aig, needed: Vec<bool>, narrow: Narrow) -> Unrolled<'a> {
        let start = |circuit: &mut Aig, latch: &Latch, is_zero: bool| match latch.reset {
            Some(value) => Lit::constant(value),
            None if is_zero => Lit::FALSE,
            None => circuit.input(),
        };
        Unrolled::start(aig, needed, narrow, start)
    }

    /// From any states.
    pub(super) fn anywhere(aig: &'a Aig, needed: Vec<bool>) -> Unrolled<'a> {
        Unrolled::start(aig, needed, Narrow::none(aig), |circuit, _, _| circuit.input())
    }

    fn start(
        aig: &'a Aig,
        needed: Vec<bool>,
        narrow: Narrow,
        latch: fn(&mut Aig, &Latch, bool) -> Lit,
    ) -> Unrolled<'a> {
        let mut circuit = Aig::new();
        let latches = aig.latches().iter().zip(&narrow.latches);
        let first: Vec<Lit> = latches.map(|(now, &is_zero)| latch(&mut circuit, now, is_zero)).collect();
        Unrolled { aig, needed, narrow, circuit, latches: first.clone(), first, inputs: Vec::new() }
    }

    /// The values of the latches in the first step, and of the inputs in so many steps.
    pub(super) fn execution(
        &self,
        length: usize,
        value: impl Fn(Lit) -> bool,
    ) -> (Vec<bool>, Vec<Vec<bool>>) {
        let values = |lits: &Vec<Lit>| lits.iter().map(|&lit| value(lit)).collect::<Vec<bool>>();
        (values(&self.first), self.inputs[..length].iter().map(values).collect())
    }

    /// Adds a step; what each node that matters is in it.
    pub(super) fn step(&mut self) -> Vec<Lit> {
        let inputs = self.narrow.inputs(&mut self.circuit);
        let mut values: Vec<Lit> = Vec::with_capacity(self.aig.nodes().len());
        for (number, node) in self.aig.nodes().iter().enumerate() {
            let at = |lit: Lit| values[lit.node() as usize].negated_if(lit.is_negated());
            values.push(match *node {
                _ if !self.needed[number] => Lit::FALSE,
                Node::False => Lit::FALSE,
                Node::Input(position) => inputs[position as usize],
                Node::Latch(position) => self.latches[position as usize],
                Node::And(a, b) => self.circuit.and(at(a), at(b)),
            });
        }
        for (position, latch) in self.aig.latches().iter().enumerate() {
            if self.needed[latch.now.node() as usize] {
                self.latches[position] =
                    values[latch.next.node() as usize].negated_if(latch.next.is_negated());
            }
        }
        self.inputs.push(inputs);
        values
    }
}
