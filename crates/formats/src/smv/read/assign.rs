//! Assignments.

use super::super::ast::{Kind, Node, When};
use super::super::ops;
use super::super::types::{Ty, Val};
use super::super::values::Misfit;
use super::{Reader, term_of};
use diag::codes;
use smt::term::TermId;
use smt::value::Value;

impl Reader<'_> {
    /// `init(x) := …`, `next(x) := …`, `x := …`: the variable has one of the values.
    pub(super) fn assign(&mut self, when: When, target: Node, value: Node, instance: usize) -> Option<()> {
        let left = self.elaborator.value(target, instance, when == When::Next)?;
        let right = self.elaborator.value(value, instance, false)?;
        if let Val::List(..) = left {
            let span = self.elaborator.file.tree.place(target);
            self.elaborator.report(codes::SMV003, span, "an assignment to a whole array is not supported");
            return None;
        }
        let [left, right] = self.elaborator.mixed([left, right]);
        let next = term_of(&left);
        let made = ops::member(self.elaborator.terms, left, right.clone());
        let formula = self.elaborator.checked(value, made)?;
        if let Some(symbol) = next {
            self.allowed(when, (symbol, target), (&right, value), instance)?;
        }
        match when {
            When::Init => {
                self.place(formula, value, "`init`", false, false)?;
                self.system.init.push(formula);
            }
            When::Next if self.elaborator.world.is_concurrent() => {
                let process = self.elaborator.world.instances[instance].process;
                let now = self.elaborator.value(target, instance, false)?;
                if let (Some(next), Some(now)) = (next, term_of(&now)) {
                    self.turns.assign(process, (next, now), formula);
                }
            }
            When::Next => self.system.trans.push(formula),
            When::Always => {
                self.place(formula, value, "this assignment", true, false)?;
                self.system.invar.push(formula);
            }
        }
        Some(())
    }

    /// Reports an assignment that the language forbids.
    fn allowed(
        &mut self,
        when: When,
        (symbol, target): (TermId, Node),
        (assigned, value): (&Val, Node),
        instance: usize,
    ) -> Option<()> {
        let (tree, process) = (&self.elaborator.file.tree, self.elaborator.world.instances[instance].process);
        let (place, span) = (tree.place(target), tree.place(value));
        if let Some(problem) = self.assignments.assign(when, symbol, process, place, assigned) {
            self.elaborator.errors.push(problem);
            return None;
        }
        let mut misfit = None;
        if let (Kind::Case, parts) = (tree.kind(value), tree.children(value)) {
            let mut conditions = Vec::new();
            for &condition in parts.iter().step_by(2) {
                conditions.push(self.elaborator.formula(condition, instance)?);
            }
            if conditions.last() != Some(&TermId::TRUE) {
                misfit = self.variables.gap(self.elaborator.terms, &conditions);
            }
        }
        let terms = &*self.elaborator.terms;
        let misfit = misfit.or_else(|| self.variables.outside(terms, terms.applied(symbol)?, assigned));
        match misfit {
            None => Some(()),
            Some(misfit) => {
                let message = self.misfit(&misfit);
                self.elaborator.report(codes::SMV005, span, message);
                None
            }
        }
    }

    fn misfit(&self, misfit: &Misfit) -> String {
        let world = &self.elaborator.world;
        let what = match &misfit.value {
            Some((value, ty)) => {
                format!("the variable does not have the value {}", world.value_text(value, ty))
            }
            None => "no condition of the `case` holds".to_owned(),
        };
        let of =
            |(name, value, ty): &(String, Value, Ty)| format!("{name} = {}", world.value_text(value, ty));
        let when: Vec<String> = misfit.when.iter().map(of).collect();
        match when.is_empty() {
            true => what,
            false => format!("{what}, if {}", when.join(" and ")),
        }
    }
}
