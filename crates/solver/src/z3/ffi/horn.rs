//! The fixed point engine of a context, for Horn clauses.

use z3_sys::*;

use super::gate::far;
use super::solve::reason;
use super::{Ast, Built, Context, Decl, text};
use crate::api::{Limits, Reason};

/// The answer of the engine: whether the goal can be derived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::z3) enum Derivable {
    /// It can.
    Yes,
    /// It cannot.
    No,
    /// The engine does not say.
    Unknown(Reason),
}

impl Context {
    fn engine(&mut self) -> Built<Z3_fixedpoint> {
        if let Some(fixedpoint) = self.fixedpoint {
            return Ok(fixedpoint);
        }
        // SAFETY: the engine is held until the context is dropped.
        unsafe {
            let fixedpoint = Z3_mk_fixedpoint(self.raw).ok_or_else(|| self.refused())?;
            Z3_fixedpoint_inc_ref(self.raw, fixedpoint);
            self.fixedpoint = Some(fixedpoint);
            Ok(fixedpoint)
        }
    }

    /// Chooses Spacer, sets parameters and limits.
    pub(in crate::z3) fn horn_setup(
        &mut self,
        switches: &[(&str, bool)],
        numbers: &[(&str, u32)],
        limits: Limits,
    ) -> Built<()> {
        let engine = self.engine()?;
        let mut numbers = numbers.to_vec();
        numbers.extend([("timeout", far(limits.time)), ("rlimit", limits.resources.unwrap_or(0))]);
        let params = self.params(switches, &numbers, &[("engine", "spacer")])?;
        // SAFETY: engine and parameters belong to this context; the parameters are let go after their only use.
        unsafe {
            Z3_fixedpoint_set_params(self.raw, engine, params);
            let result = self.checked();
            Z3_params_dec_ref(self.raw, params);
            result
        }
    }

    pub(in crate::z3) fn register(&mut self, predicate: Decl) -> Built<()> {
        let engine = self.engine()?;
        // SAFETY: engine and declaration belong to this context.
        unsafe { Z3_fixedpoint_register_relation(self.raw, engine, self.decl(predicate)) };
        self.checked()
    }

    pub(in crate::z3) fn add_rule(&mut self, rule: Ast) -> Built<()> {
        let engine = self.engine()?;
        // SAFETY: engine and rule belong to this context; the library checks the form. Rules have no names.
        unsafe { Z3_fixedpoint_add_rule(self.raw, engine, self.ast(rule), None) };
        self.checked()
    }

    /// Asks whether the predicate without arguments can be derived.
    pub(in crate::z3) fn derive(&mut self, goal: Decl, limits: Limits) -> Built<Derivable> {
        let engine = self.engine()?;
        let gate = self.gate.clone();
        if !gate.enter(limits.time) {
            return Ok(Derivable::Unknown(Reason::Interrupted));
        }
        let goals = [self.decl(goal)];
        // SAFETY: engine and declaration belong to this context; there is one declaration.
        let answer = unsafe { Z3_fixedpoint_query_relations(self.raw, engine, 1, goals.as_ptr()) };
        let outcome = gate.leave();
        match answer {
            Z3_L_TRUE => Ok(Derivable::Yes),
            Z3_L_FALSE => Ok(Derivable::No),
            _ => {
                let error = self.error();
                // SAFETY: the engine belongs to this context; the text is copied at once.
                let words = unsafe { text(Z3_fixedpoint_get_reason_unknown(self.raw, engine)) };
                reason(outcome, &words, error, limits).map(Derivable::Unknown)
            }
        }
    }

    /// What the engine knows of a predicate in general, over its arguments as bound variables.
    pub(in crate::z3) fn cover(&mut self, predicate: Decl) -> Built<Ast> {
        let engine = self.engine()?;
        // SAFETY: engine and declaration belong to this context; level -1 means all levels.
        let cover = unsafe { Z3_fixedpoint_get_cover_delta(self.raw, engine, -1, self.decl(predicate)) };
        self.keep(cover)
    }

    /// The derivation of the goal, if the engine has one.
    pub(in crate::z3) fn derivation(&mut self) -> Built<Ast> {
        let engine = self.engine()?;
        // SAFETY: the engine belongs to this context.
        let answer = unsafe { Z3_fixedpoint_get_answer(self.raw, engine) };
        self.keep(answer)
    }
}
