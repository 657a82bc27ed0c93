//! The solver of a context, its parameters and its answers.

use z3_sys::*;

use super::gate::far;
use super::{Ast, Built, Context, Outcome, text};
use crate::api::{CheckResult, Limits, Reason};
use crate::error::SolverError;

impl Context {
    /// The solver, made when it is first needed.
    fn tool(&mut self) -> Built<Z3_solver> {
        if let Some(solver) = self.solver {
            return Ok(solver);
        }
        // SAFETY: the solver is held until the context is dropped.
        unsafe {
            let solver = Z3_mk_solver(self.raw).ok_or_else(|| self.refused())?;
            Z3_solver_inc_ref(self.raw, solver);
            self.solver = Some(solver);
            self.gate.set_solver(solver);
            Ok(solver)
        }
    }

    pub(in crate::z3) fn assert(&mut self, formula: Ast) -> Built<()> {
        let solver = self.tool()?;
        // SAFETY: solver and formula belong to this context; the library checks that it is a formula.
        unsafe { Z3_solver_assert(self.raw, solver, self.ast(formula)) };
        self.checked()
    }

    pub(in crate::z3) fn push(&mut self) -> Built<()> {
        let solver = self.tool()?;
        // SAFETY: the solver belongs to this context.
        unsafe { Z3_solver_push(self.raw, solver) };
        self.checked()
    }

    /// Closes one level; there must be one, which the library checks as well.
    pub(in crate::z3) fn pop(&mut self) -> Built<()> {
        let solver = self.tool()?;
        // SAFETY: the solver belongs to this context.
        unsafe { Z3_solver_pop(self.raw, solver, 1) };
        self.checked()
    }

    /// Sets the limits of later checks.
    pub(in crate::z3) fn set_limits(&mut self, limits: Limits) -> Built<()> {
        let solver = self.tool()?;
        let numbers = [
            ("timeout", far(limits.time)),
            ("rlimit", limits.resources.unwrap_or(0)),
            ("max_memory", limits.memory.unwrap_or(u32::MAX)),
        ];
        let params = self.params(&[], &numbers, &[])?;
        // SAFETY: solver and parameters belong to this context; the parameters are let go after their only use.
        unsafe {
            Z3_solver_set_params(self.raw, solver, params);
            let result = self.checked();
            Z3_params_dec_ref(self.raw, params);
            result
        }
    }

    /// Parameters, held for the caller.
    pub(super) fn params(
        &mut self,
        bools: &[(&str, bool)],
        numbers: &[(&str, u32)],
        words: &[(&str, &str)],
    ) -> Built<Z3_params> {
        // SAFETY: parameters and symbols belong to this context.
        unsafe {
            let params = Z3_mk_params(self.raw).ok_or_else(|| self.refused())?;
            Z3_params_inc_ref(self.raw, params);
            for &(key, value) in bools {
                Z3_params_set_bool(self.raw, params, self.symbol(key)?, value);
            }
            for &(key, value) in numbers {
                Z3_params_set_uint(self.raw, params, self.symbol(key)?, value);
            }
            for &(key, value) in words {
                Z3_params_set_symbol(self.raw, params, self.symbol(key)?, self.symbol(value)?);
            }
            Ok(params)
        }
    }

    /// Asks. A model is kept when there is one.
    pub(in crate::z3) fn check(&mut self, assumptions: &[Ast], limits: Limits) -> Built<CheckResult> {
        let solver = self.tool()?;
        let assumptions = self.raw_asts(assumptions);
        self.drop_model();
        let gate = self.gate.clone();
        if !gate.enter(limits.time) {
            return Ok(CheckResult::Unknown(Reason::Interrupted));
        }
        // SAFETY: solver and assumptions belong to this context, and there are as many as is said.
        let answer = unsafe {
            Z3_solver_check_assumptions(self.raw, solver, assumptions.len() as u32, assumptions.as_ptr())
        };
        let outcome = gate.leave();
        match answer {
            Z3_L_TRUE => {
                match (self.take_model(solver), outcome) {
                    (Ok(()), _) => Ok(CheckResult::Sat),
                    // An interrupt in the last moment leaves the answer without its model.
                    (Err(_), Outcome::Stopped) => Ok(CheckResult::Unknown(Reason::Interrupted)),
                    (Err(_), _) if limits.time.is_some() => Ok(CheckResult::Unknown(Reason::Timeout)),
                    (Err(error), _) => Err(error),
                }
            }
            Z3_L_FALSE => Ok(CheckResult::Unsat),
            _ => {
                let error = self.error();
                // SAFETY: the solver belongs to this context; the text is copied at once.
                let words = unsafe { text(Z3_solver_get_reason_unknown(self.raw, solver)) };
                reason(outcome, &words, error, limits).map(CheckResult::Unknown)
            }
        }
    }

    fn take_model(&mut self, solver: Z3_solver) -> Built<()> {
        // SAFETY: the last check of this solver was satisfiable; the model is held until it is dropped.
        unsafe {
            let model = Z3_solver_get_model(self.raw, solver).ok_or_else(|| self.refused())?;
            Z3_model_inc_ref(self.raw, model);
            self.model = Some(model);
        }
        Ok(())
    }

    /// Lets go of the model.
    pub(in crate::z3) fn drop_model(&mut self) {
        if let Some(model) = self.model.take() {
            // SAFETY: held by `take_model`.
            unsafe { Z3_model_dec_ref(self.raw, model) };
        }
    }

    /// The assumptions of the core of the last check.
    pub(in crate::z3) fn core(&mut self) -> Built<Vec<Ast>> {
        let solver = self.tool()?;
        // SAFETY: the vector belongs to this context and is held while it is read; positions are below its size.
        unsafe {
            let vector = Z3_solver_get_unsat_core(self.raw, solver).ok_or_else(|| self.refused())?;
            Z3_ast_vector_inc_ref(self.raw, vector);
            let parts: Vec<Option<Z3_ast>> = (0..Z3_ast_vector_size(self.raw, vector))
                .map(|i| Z3_ast_vector_get(self.raw, vector, i))
                .collect();
            let parts = parts.into_iter().map(|part| self.keep(part)).collect();
            Z3_ast_vector_dec_ref(self.raw, vector);
            parts
        }
    }

    /// Lets go of solver, model and fixed point.
    pub(super) fn drop_tools(&mut self) {
        self.drop_model();
        // SAFETY: both were held when they were made.
        unsafe {
            if let Some(solver) = self.solver.take() {
                Z3_solver_dec_ref(self.raw, solver);
            }
            if let Some(fixedpoint) = self.fixedpoint.take() {
                Z3_fixedpoint_dec_ref(self.raw, fixedpoint);
            }
        }
    }
}

/// Why the answer is unknown. An error that is not about limits is an error.
pub(super) fn reason(
    outcome: Outcome,
    words: &str,
    error: Option<String>,
    limits: Limits,
) -> Result<Reason, SolverError> {
    let said = |part: &str| words.contains(part) || error.as_ref().is_some_and(|e| e.contains(part));
    Ok(match outcome {
        Outcome::Stopped => Reason::Interrupted,
        Outcome::Late => Reason::Timeout,
        Outcome::Done if said("timeout") => Reason::Timeout,
        Outcome::Done if said("memory") || said("resource") => Reason::Resources,
        Outcome::Done if said("cancel") || said("interrupt") => match (limits.resources, limits.time) {
            (Some(_), _) => Reason::Resources,
            (None, Some(_)) => Reason::Timeout,
            (None, None) => Reason::Interrupted,
        },
        Outcome::Done => match error {
            Some(message) => return Err(SolverError::Refused { message }),
            None => Reason::Incomplete(words.to_owned()),
        },
    })
}
