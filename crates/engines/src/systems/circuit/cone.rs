//! What literals of a circuit depend on.

use ts::aig::{Aig, Lit, Node};

/// Everything that literals and the constraints depend on, in this step and in earlier ones.
pub(super) fn cone(aig: &Aig, bads: &[Lit]) -> Vec<bool> {
    let mut roots: Vec<Lit> = bads.to_vec();
    roots.extend(&aig.constraints);
    loop {
        let needed = aig.cone(roots.iter().copied());
        let latches = aig.latches().iter().filter(|latch| needed[latch.now.node() as usize]);
        let mut all: Vec<Lit> = bads.to_vec();
        all.extend(&aig.constraints);
        all.extend(latches.map(|latch| latch.next));
        if all.len() == roots.len() {
            return needed;
        }
        roots = all;
    }
}

/// The cones of goals within one step, one after the other.
pub(super) struct Cones<'a> {
    aig: &'a Aig,
    /// The nodes that the bad literal and the constraints depend on, through latches too.
    pub(super) needed: Vec<bool>,
    /// The positions of the latches among them.
    pub(super) latches: Vec<u32>,
    /// What the constraints depend on.
    always: Vec<u32>,
    /// A node is in the present cone when it has its number.
    marks: Vec<u32>,
    number: u32,
}

impl<'a> Cones<'a> {
    pub(super) fn new(aig: &'a Aig, bad: Lit) -> Cones<'a> {
        let needed = cone(aig, &[bad]);
        let positions = 0..aig.latches().len() as u32;
        let is_needed = |position: &u32| needed[aig.latches()[*position as usize].now.node() as usize];
        let latches = positions.filter(is_needed).collect();
        let marks = vec![0; aig.nodes().len()];
        let mut cones = Cones { aig, needed, latches, always: Vec::new(), marks, number: 0 };
        cones.always = cones.of(&aig.constraints);
        cones
    }

    /// The nodes that goals and constraints depend on in one step.
    pub(super) fn of(&mut self, goals: &[Lit]) -> Vec<u32> {
        self.number += 1;
        let mut nodes = self.always.clone();
        nodes.iter().for_each(|&node| self.marks[node as usize] = self.number);
        let mut next = nodes.len();
        for goal in goals {
            self.mark(goal.node(), &mut nodes);
        }
        while let Some(&node) = nodes.get(next) {
            next += 1;
            if let Node::And(a, b) = self.aig.nodes()[node as usize] {
                self.mark(a.node(), &mut nodes);
                self.mark(b.node(), &mut nodes);
            }
        }
        nodes
    }

    fn mark(&mut self, node: u32, nodes: &mut Vec<u32>) {
        if self.marks[node as usize] != self.number {
            self.marks[node as usize] = self.number;
            nodes.push(node);
        }
    }
}
