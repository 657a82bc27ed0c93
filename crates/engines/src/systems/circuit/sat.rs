//! A SAT solver for many small questions, and circuits in it.

use super::super::session::Stopped;
use base::budget::Budget;
use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, Var, lbool};
use ts::aig::{self, Aig, Node};

/// Ends the solver with the budget.
struct Stop(Budget);

impl Callbacks for Stop {
    fn stop(&self) -> bool {
        self.0.is_over()
    }
}

/// A solver that knows the gates of a circuit.
pub(super) struct Sat {
    solver: Solver<Stop>,
    /// The variable of each node that matters.
    vars: Vec<Option<Var>>,
}

impl Sat {
    /// With the gates that matter.
    pub(super) fn new(aig: &Aig, needed: &[bool], budget: &Budget) -> Sat {
        let solver = Solver::new(SolverOpts::default(), Stop(budget.clone()));
        let mut sat = Sat { solver, vars: vec![None; aig.nodes().len()] };
        for number in (0..aig.nodes().len()).filter(|&number| needed[number]) {
            sat.gate(aig, number);
        }
        sat
    }

    /// Says what a node is.
    fn gate(&mut self, aig: &Aig, number: usize) {
        let gate = self.lit(aig::Lit::new(number as u32, false));
        if let Node::And(a, b) = aig.nodes()[number] {
            let (a, b) = (self.lit(a), self.lit(b));
            self.clause(&[!gate, a]);
            self.clause(&[!gate, b]);
            self.clause(&[gate, !a, !b]);
        }
    }

    /// A new variable.
    pub(super) fn fresh(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }

    /// The literal of a node that matters.
    pub(super) fn lit(&mut self, lit: aig::Lit) -> Lit {
        let var = match self.vars[lit.node() as usize] {
            Some(var) => var,
            None => {
                let var = self.solver.new_var_default();
                self.vars[lit.node() as usize] = Some(var);
                if lit.is_constant() {
                    self.clause(&[Lit::new(var, false)]);
                }
                var
            }
        };
        Lit::new(var, !lit.is_negated())
    }

    pub(super) fn clause(&mut self, lits: &[Lit]) {
        // A contradiction is what every later question finds.
        self.solver.add_clause_reuse(&mut lits.to_vec());
    }

    /// True when the clauses are satisfiable together with the assumptions.
    pub(super) fn is_sat(&mut self, assumptions: &[Lit]) -> Result<bool, Stopped> {
        match self.solver.solve_limited(assumptions) {
            answer if answer == lbool::TRUE => Ok(true),
            answer if answer == lbool::FALSE => Ok(false),
            _ => Err(Stopped("the time is over".into())),
        }
    }

    /// True when the last answer, which was no, needs this assumption.
    pub(super) fn needs(&self, lit: Lit) -> bool {
        self.solver.unsat_core_contains_var(lit.var())
    }

    /// The value in the last answer, which was yes.
    pub(super) fn value(&self, lit: Lit) -> bool {
        self.solver.value_lit(lit) == lbool::TRUE
    }

    /// Forgets what a switch switched on; it is off for ever.
    pub(super) fn retire(&mut self, switch: Lit) {
        self.clause(&[!switch]);
    }
}
