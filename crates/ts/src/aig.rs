//! And-inverter graphs: sequential circuits of and-gates, negations and latches, the form of AIGER and of SAT-based engines.
//!
//! Nodes are numbered from 1, a gate after what it reads, so a walk over the numbers is a walk over the circuit. Equal gates
//! are one gate, and constants are worked off where they are met.

use rustc_hash::FxHashMap;

/// A node or its negation. Node 0 is the constant `false`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lit(u32);

impl Lit {
    /// `false`.
    pub const FALSE: Lit = Lit(0);
    /// `true`.
    pub const TRUE: Lit = Lit(1);

    /// The literal of a node.
    #[must_use]
    #[inline]
    pub fn new(node: u32, negated: bool) -> Lit {
        Lit(node << 1 | u32::from(negated))
    }

    /// A constant.
    #[must_use]
    #[inline]
    pub fn constant(value: bool) -> Lit {
        Lit(u32::from(value))
    }

    /// The number of its node.
    #[must_use]
    #[inline]
    pub fn node(self) -> u32 {
        self.0 >> 1
    }

    /// True for the negation of a node.
    #[must_use]
    #[inline]
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// True for `false` and `true`.
    #[must_use]
    #[inline]
    pub fn is_constant(self) -> bool {
        self.0 < 2
    }

    /// Twice the node's number, and one more for the negation: the number that AIGER writes.
    #[must_use]
    #[inline]
    pub fn code(self) -> u32 {
        self.0
    }

    /// This literal or its negation.
    #[must_use]
    #[inline]
    pub fn negated_if(self, negated: bool) -> Lit {
        Lit(self.0 ^ u32::from(negated))
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    #[inline]
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    /// Number 0.
    False,
    /// An input, by its position.
    Input(u32),
    /// A latch, by its position.
    Latch(u32),
    /// The conjunction of two literals of earlier nodes.
    And(Lit, Lit),
}

/// A latch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Latch {
    /// Its value in a step.
    pub now: Lit,
    /// Its value in the next step.
    pub next: Lit,
    /// Its value in the first step; any if there is none.
    pub reset: Option<bool>,
}

/// The values of one step, by positions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Step {
    /// Of the latches.
    pub latches: Vec<bool>,
    /// Of the inputs.
    pub inputs: Vec<bool>,
}

/// A circuit with what is claimed about it. Constraints hold in every step, the last one too.
#[derive(Clone, Debug)]
pub struct Aig {
    nodes: Vec<Node>,
    table: FxHashMap<(Lit, Lit), u32>,
    inputs: Vec<Lit>,
    latches: Vec<Latch>,
    /// What is shown.
    pub outputs: Vec<Lit>,
    /// What must not happen, one per property.
    pub bads: Vec<Lit>,
    /// What holds in every step.
    pub constraints: Vec<Lit>,
    /// What must not happen again and again all together, one list per property.
    pub justice: Vec<Vec<Lit>>,
    /// What happens again and again in every execution that a justice property is about.
    pub fairness: Vec<Lit>,
}

impl Default for Aig {
    fn default() -> Self {
        Aig {
            nodes: vec![Node::False],
            table: FxHashMap::default(),
            inputs: Vec::new(),
            latches: Vec::new(),
            outputs: Vec::new(),
            bads: Vec::new(),
            constraints: Vec::new(),
            justice: Vec::new(),
            fairness: Vec::new(),
        }
    }
}

impl Aig {
    /// An empty circuit.
    #[must_use]
    pub fn new() -> Aig {
        Aig::default()
    }

    fn push(&mut self, node: Node) -> Lit {
        self.nodes.push(node);
        Lit::new(self.nodes.len() as u32 - 1, false)
    }

    /// A new input.
    pub fn input(&mut self) -> Lit {
        let lit = self.push(Node::Input(self.inputs.len() as u32));
        self.inputs.push(lit);
        lit
    }

    /// A new latch; it keeps its value until [`Aig::set_next`] says otherwise.
    pub fn latch(&mut self, reset: Option<bool>) -> Lit {
        let lit = self.push(Node::Latch(self.latches.len() as u32));
        self.latches.push(Latch { now: lit, next: lit, reset });
        lit
    }

    /// Gives a latch its next value. Nothing happens for a literal that is no latch.
    pub fn set_next(&mut self, latch: Lit, next: Lit) {
        if let Node::Latch(position) = self.nodes[latch.node() as usize] {
            self.latches[position as usize].next = next.negated_if(latch.is_negated());
        }
    }

    /// Conjunction.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Lit::FALSE || a == !b {
            return Lit::FALSE;
        }
        if a == Lit::TRUE || a == b {
            return b;
        }
        let next = self.nodes.len() as u32;
        let node = *self.table.entry((a, b)).or_insert(next);
        if node == next {
            self.nodes.push(Node::And(a, b));
        }
        Lit::new(node, false)
    }

    /// Disjunction.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// Difference.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let (negated, a, b) =
            (a.is_negated() != b.is_negated(), Lit::new(a.node(), false), Lit::new(b.node(), false));
        let (left, right) = (self.and(a, !b), self.and(!a, b));
        self.or(left, right).negated_if(negated)
    }

    /// Choice.
    pub fn ite(&mut self, condition: Lit, then: Lit, other: Lit) -> Lit {
        if then == other {
            return then;
        }
        if then == !other {
            return self.xor(condition, other);
        }
        let (left, right) = (self.and(condition, then), self.and(!condition, other));
        self.or(left, right)
    }

    /// Conjunction of many, as a balanced tree.
    pub fn all(&mut self, lits: &[Lit]) -> Lit {
        let mut level = lits.to_vec();
        while level.len() > 1 {
            level =
                level.chunks(2).map(|pair| self.and(pair[0], *pair.get(1).unwrap_or(&Lit::TRUE))).collect();
        }
        level.first().copied().unwrap_or(Lit::TRUE)
    }

    /// Disjunction of many.
    pub fn any(&mut self, lits: &[Lit]) -> Lit {
        let negated: Vec<Lit> = lits.iter().map(|&lit| !lit).collect();
        !self.all(&negated)
    }

    /// The nodes, by number.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The inputs.
    #[must_use]
    pub fn inputs(&self) -> &[Lit] {
        &self.inputs
    }

    /// The latches.
    #[must_use]
    pub fn latches(&self) -> &[Latch] {
        &self.latches
    }

    /// The number of gates.
    #[must_use]
    pub fn gates(&self) -> usize {
        self.nodes.len() - 1 - self.inputs.len() - self.latches.len()
    }

    /// Everything that is read from outside: next values, outputs and claims.
    pub fn roots(&self) -> impl Iterator<Item = Lit> {
        let latches = self.latches.iter().map(|latch| latch.next);
        let claims = [&self.outputs, &self.bads, &self.constraints, &self.fairness];
        let justice = self.justice.iter().flatten();
        latches.chain(claims.into_iter().flatten().chain(justice).copied())
    }

    /// Which nodes some literals depend on, through gates.
    #[must_use]
    pub fn cone(&self, roots: impl IntoIterator<Item = Lit>) -> Vec<bool> {
        let mut needed = vec![false; self.nodes.len()];
        for root in roots {
            needed[root.node() as usize] = true;
        }
        for (number, node) in self.nodes.iter().enumerate().rev() {
            if let (true, Node::And(a, b)) = (needed[number], node) {
                needed[a.node() as usize] = true;
                needed[b.node() as usize] = true;
            }
        }
        needed
    }

    /// The values of all nodes, 64 cases at once: bit `i` of each word is case `i`.
    #[must_use]
    pub fn eval(&self, latches: &[u64], inputs: &[u64]) -> Vec<u64> {
        let mut values: Vec<u64> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let value = match *node {
                Node::False => 0,
                Node::Input(position) => inputs.get(position as usize).copied().unwrap_or(0),
                Node::Latch(position) => latches.get(position as usize).copied().unwrap_or(0),
                Node::And(a, b) => word(&values, a) & word(&values, b),
            };
            values.push(value);
        }
        values
    }

    /// The execution with these inputs; `first` are the values of latches without a reset, by position.
    #[must_use]
    pub fn run(&self, first: &[bool], inputs: &[Vec<bool>]) -> Vec<Step> {
        let start =
            |(i, latch): (usize, &Latch)| latch.reset.unwrap_or(first.get(i).copied().unwrap_or(false));
        let mut latches: Vec<bool> = self.latches.iter().enumerate().map(start).collect();
        let words = |bits: &[bool]| bits.iter().map(|&bit| u64::from(bit)).collect::<Vec<u64>>();
        let mut steps = Vec::with_capacity(inputs.len());
        for inputs in inputs {
            let values = self.eval(&words(&latches), &words(inputs));
            let next = self.latches.iter().map(|latch| word(&values, latch.next) & 1 == 1).collect();
            steps.push(Step { latches: std::mem::replace(&mut latches, next), inputs: inputs.clone() });
        }
        steps
    }
}

/// The value of a literal among those of nodes, as [`Aig::eval`] returns them.
#[must_use]
#[inline]
pub fn word(values: &[u64], lit: Lit) -> u64 {
    let value = values[lit.node() as usize];
    if lit.is_negated() { !value } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_compute() {
        let mut aig = Aig::new();
        let lits = [aig.input(), aig.input(), aig.input()];
        let [a, b, c] = lits;
        let (and, or, xor) = (aig.and(a, !b), aig.or(a, b), aig.xor(!a, b));
        let (ite, all, any) = (aig.ite(a, b, c), aig.all(&lits), aig.any(&lits));
        let values = aig.eval(&[], &[0b1111_0000, 0b1100_1100, 0b1010_1010]);
        let value = |lit| word(&values, lit) & 0xff;
        assert_eq!(value(and), 0b0011_0000);
        assert_eq!(value(or), 0b1111_1100);
        assert_eq!(value(xor), 0b1100_0011);
        assert_eq!(value(ite), 0b1100_1010);
        assert_eq!((value(all), value(any)), (0b1000_0000, 0b1111_1110));
    }

    #[test]
    fn equal_gates_are_one() {
        let mut aig = Aig::new();
        let (a, b) = (aig.input(), aig.input());
        let first = aig.and(a, b);
        assert_eq!(aig.and(b, a), first);
        assert_eq!(aig.gates(), 1);
        assert_eq!(aig.and(a, !a), Lit::FALSE);
        assert_eq!(aig.and(Lit::TRUE, b), b);
        assert_eq!(aig.xor(a, a), Lit::FALSE);
        assert_eq!((aig.all(&[]), aig.any(&[])), (Lit::TRUE, Lit::FALSE));
    }

    #[test]
    fn latches_run() {
        let mut aig = Aig::new();
        let enable = aig.input();
        let (low, high) = (aig.latch(Some(false)), aig.latch(None));
        let carry = aig.and(low, enable);
        let (next_low, next_high) = (aig.xor(low, enable), aig.xor(high, carry));
        aig.set_next(low, next_low);
        aig.set_next(high, next_high);
        let steps = aig.run(&[true, true], &[vec![true], vec![true], vec![false], vec![true]]);
        let latches: Vec<_> = steps.iter().map(|step| (step.latches[1], step.latches[0])).collect();
        assert_eq!(latches, [(true, false), (true, true), (false, false), (false, false)]);
        assert_eq!(aig.cone([next_low]).iter().filter(|&&needed| needed).count(), 5);
    }
}
