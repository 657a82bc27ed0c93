//! From a system to text: the [functional form](ts::passes::functional), line by line.
//!
//! States come in the order of the system. Only one whose initial value speaks of others comes after them, because readers of
//! the format ask for that. An array that is constant inside a formula, for which there is no operator, becomes a state that
//! begins so and never changes.

use super::express::{Express, Refused};
use crate::{Model, Options, WriteError};
use smt::print::symbol_text;
use smt::subst::constants;
use smt::term::{FunId, TermId, Terms};
use ts::passes::functional::{Functional, Initial, Register, functional, is_literal};
use ts::{PropertyKind, System};

/// Writes a file.
pub(crate) fn write(terms: &mut Terms, model: &Model, options: &Options) -> Result<Vec<u8>, WriteError> {
    let system = crate::narrowed(terms, crate::only_system(model, "file of BTOR2")?, options)?;
    let system = crate::monitored(terms, system)?;
    let made = functional(terms, &system, Initial::Terms);
    if let Some(&fun) = made.rigid.first() {
        let name = symbol_text(terms.fun_name(fun));
        return Err(WriteError::new(format!(
            "`{name}` is an uninterpreted function, which BTOR2 does not have"
        )));
    }
    let mut writer = Writer { express: Express::new(terms) };
    writer.system(&system, &made)?;
    Ok(writer.express.out.into_bytes())
}

struct Writer<'t> {
    express: Express<'t>,
}

impl Writer<'_> {
    fn name(&self, fun: FunId) -> String {
        symbol(self.express.terms.fun_name(fun))
    }

    /// An error with its place.
    fn place<T>(&self, result: Result<T, Refused>, place: impl Fn() -> String) -> Result<T, WriteError> {
        result.map_err(|refused| WriteError {
            message: format!("{} in {}, which BTOR2 cannot express", refused.what, place()),
            help: refused.help,
        })
    }

    fn value(&mut self, term: TermId, place: impl Fn() -> String) -> Result<i64, WriteError> {
        let value = self.express.term(term);
        self.place(value, place)
    }

    fn system(&mut self, system: &System, made: &Functional) -> Result<(), WriteError> {
        for &input in &made.inputs {
            self.declare("input", input)?;
        }
        let mut late = rustc_hash::FxHashSet::default();
        for (position, register) in made.registers.iter().enumerate() {
            if self.is_ready(register) {
                self.register(register)?;
            } else {
                late.insert(position);
            }
        }
        for &position in made.order.iter().filter(|position| late.contains(*position)) {
            self.register(&made.registers[position])?;
        }
        for register in &made.registers {
            let Some(next) = register.next else { continue };
            let name = self.name(register.state);
            let value = self.value(next, || format!("the next value of `{name}`"))?;
            self.express.next(register.state, value);
        }
        for &constraint in &made.constraints {
            let value = self.value(constraint, || "a formula for all steps".to_owned())?;
            self.express.line(&format!("constraint {value}"));
        }
        self.properties(system)?;
        for output in &system.outputs {
            let value = self.value(output.term, || format!("the output `{}`", output.name))?;
            self.express.line(&format!("output {value} {}", symbol(&output.name)));
        }
        for &hint in &system.hints {
            // A value that nothing uses; what BTOR2 cannot say is no loss.
            let _ = self.express.term(hint);
        }
        Ok(())
    }

    /// True when all variables are there that the initial value speaks of.
    fn is_ready(&self, register: &Register) -> bool {
        let terms = &*self.express.terms;
        register.init.is_none_or(|value| {
            is_literal(terms, value)
                || constants(terms, value).into_iter().all(|term| self.express.knows(term))
        })
    }

    fn declare(&mut self, keyword: &str, fun: FunId) -> Result<(), WriteError> {
        let sort = self.express.terms.fun(fun).result;
        let sort = self.express.sort(sort);
        let name = self.name(fun);
        let sort = self.place(sort, || format!("the declaration of `{name}`"))?;
        let id = self.express.line(&format!("{keyword} {sort} {name}"));
        self.express.define(fun, id);
        Ok(())
    }

    fn register(&mut self, register: &Register) -> Result<(), WriteError> {
        let Some(init) = register.init else { return self.declare("state", register.state) };
        let name = self.name(register.state);
        // The sort is to blame first, not its values.
        let sort = self.express.sort(self.express.terms.fun(register.state).result);
        self.place(sort, || format!("the declaration of `{name}`"))?;
        let value = self.express.initial(init);
        let value = self.place(value, || format!("the initial value of `{name}`"))?;
        self.declare("state", register.state)?;
        self.express.init(register.state, value);
        Ok(())
    }

    fn properties(&mut self, system: &System) -> Result<(), WriteError> {
        for property in &system.properties {
            let place = || format!("property {}", property.index);
            let mut values = Vec::new();
            for &formula in property.formulas() {
                values.push((-self.value(formula, place)?).to_string());
            }
            let name = property.name.as_ref().map(|name| format!(" {}", symbol(name))).unwrap_or_default();
            let list = values.join(" ");
            match property.kind {
                PropertyKind::Live(_) => self.express.line(&format!("justice {} {list}{name}", values.len())),
                _ => self.express.line(&format!("bad {list}{name}")),
            };
        }
        Ok(())
    }
}

/// A name as a symbol of the format: one word that does not look like a comment.
pub(super) fn symbol(name: &str) -> String {
    let blank = |c: char| c.is_whitespace() || c.is_control();
    let mut word: String = name.chars().map(|c| if blank(c) { '_' } else { c }).collect();
    if word.is_empty() || word.starts_with(';') {
        word.insert(0, '_');
    }
    word
}
