//! A SAT solver for few large questions about circuits without latches.

use base::budget::Budget;
use cadical::{Callbacks, Solver};
use ts::aig::{Aig, Lit, Node};

/// Ends the solver with the budget.
pub(super) struct Stop(Budget);

impl Callbacks for Stop {
    fn terminate(&mut self) -> bool {
        self.0.is_over()
    }
}

/// A SAT solver for few large questions, and the circuit in it as far as it was asked about.
pub(super) struct Deep {
    pub(super) solver: Solver<Stop>,
    /// The variable of each node, zero for none.
    vars: Vec<i32>,
    last: i32,
}

impl Deep {
    pub(super) fn new(budget: &Budget) -> Deep {
        Deep::with(Solver::new(), budget)
    }

    /// One that looks for answers that are yes.
    pub(super) fn hopeful(budget: &Budget) -> Deep {
        Deep::with(Solver::with_config("sat").unwrap_or_default(), budget)
    }

    fn with(mut solver: Solver<Stop>, budget: &Budget) -> Deep {
        solver.set_callbacks(Some(Stop(budget.clone())));
        Deep { solver, vars: Vec::new(), last: 0 }
    }

    /// A literal, with all gates below it.
    pub(super) fn literal(&mut self, aig: &Aig, root: Lit) -> i32 {
        self.vars.resize(aig.nodes().len(), 0);
        let mut todo = vec![(root.node() as usize, false)];
        while let Some((number, ready)) = todo.pop() {
            if self.vars[number] != 0 {
                continue;
            }
            match aig.nodes()[number] {
                Node::And(a, b) if !ready => {
                    todo.extend([(number, true), (a.node() as usize, false), (b.node() as usize, false)]);
                }
                node => self.add(number, node),
            }
        }
        self.known(root)
    }

    /// Says what a node is, whose parts are known.
    fn add(&mut self, number: usize, node: Node) {
        self.last += 1;
        let gate = self.last;
        self.vars[number] = gate;
        match node {
            Node::False => self.solver.add_clause([-gate]),
            Node::Input(_) | Node::Latch(_) => {}
            Node::And(a, b) => {
                let (a, b) = (self.known(a), self.known(b));
                self.solver.add_clause([-gate, a]);
                self.solver.add_clause([-gate, b]);
                self.solver.add_clause([gate, -a, -b]);
            }
        }
    }

    fn known(&self, lit: Lit) -> i32 {
        let var = self.vars[lit.node() as usize];
        if lit.is_negated() { -var } else { var }
    }

    /// A literal that holds.
    pub(super) fn constant(&mut self) -> i32 {
        self.last += 1;
        self.solver.add_clause([self.last]);
        self.last
    }

    /// A literal of which nothing is known.
    pub(super) fn fresh(&mut self) -> i32 {
        self.last += 1;
        self.last
    }

    /// Whether the literals can hold together; none when the time is over, or after so many conflicts.
    pub(super) fn solve(&mut self, assumptions: &[i32], patience: i32) -> Option<bool> {
        // A solver without this limit takes all the time that it is given.
        let _ = self.solver.set_limit("conflicts", patience);
        self.solver.solve_with(assumptions.iter().copied())
    }

    /// A literal that implies two others.
    pub(super) fn both(&mut self, a: i32, b: i32) -> i32 {
        self.last += 1;
        let both = self.last;
        self.solver.add_clause([-both, a]);
        self.solver.add_clause([-both, b]);
        both
    }

    /// Whether one of the literals can hold; none when that takes too long.
    pub(super) fn is_any(&mut self, lits: &[i32], patience: i32) -> Option<bool> {
        self.last += 1;
        let any = self.last;
        self.solver.add_clause(lits.iter().copied().chain([-any]));
        self.solve(&[any], patience)
    }

    /// The value in the last answer, which was yes, of a constant or an input; one that nobody asked about may have any.
    pub(super) fn value(&self, lit: Lit) -> bool {
        match self.vars.get(lit.node() as usize) {
            _ if lit.is_constant() => lit == Lit::TRUE,
            None | Some(0) => false,
            Some(_) => self.solver.value(self.known(lit)).unwrap_or(false),
        }
    }
}
