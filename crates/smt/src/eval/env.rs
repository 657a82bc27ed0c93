//! What symbols mean: the side of an evaluation that its caller provides.

use crate::term::{FunId, TermId};
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a symbol means for some arguments.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// This value.
    Value(Value),
    /// The value of a body once its parameters (bound variables) stand for the arguments.
    Body(Arc<[TermId]>, TermId),
}

impl From<Value> for Meaning {
    fn from(value: Value) -> Meaning {
        Meaning::Value(value)
    }
}

/// Gives meaning to the symbols without a definition: declared constants and functions, program variables, and
/// what program variables were at a tag.
pub trait Env {
    /// The meaning of `fun` for these arguments, none for a constant. Nothing when it is not known.
    fn meaning(&mut self, fun: FunId, args: &[Value]) -> Option<Meaning>;
}

/// The environment that knows nothing.
impl Env for () {
    fn meaning(&mut self, _: FunId, _: &[Value]) -> Option<Meaning> {
        None
    }
}

/// What an [`Assignment`] holds for a symbol.
#[derive(Clone, Debug)]
pub enum Interpretation {
    /// The value of a constant.
    Value(Value),
    /// The values of a function at some arguments, and perhaps everywhere else.
    Table(BTreeMap<Box<[Value]>, Value>, Option<Value>),
    /// Parameters (bound variables) and a body, as in `define-fun`.
    Body(Arc<[TermId]>, TermId),
}

/// An environment that is a table: a model, or the variables of a program.
#[derive(Clone, Default, Debug)]
pub struct Assignment {
    table: FxHashMap<FunId, Interpretation>,
}

impl Assignment {
    /// An empty assignment.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives a constant a value, and returns the old one.
    pub fn set(&mut self, fun: FunId, value: Value) -> Option<Value> {
        match self.table.insert(fun, Interpretation::Value(value)) {
            Some(Interpretation::Value(old)) => Some(old),
            _ => None,
        }
    }

    /// Gives a symbol any interpretation.
    pub fn interpret(&mut self, fun: FunId, interpretation: Interpretation) {
        self.table.insert(fun, interpretation);
    }

    /// Forgets a symbol.
    pub fn remove(&mut self, fun: FunId) {
        self.table.remove(&fun);
    }

    /// The value of a constant.
    #[must_use]
    pub fn get(&self, fun: FunId) -> Option<&Value> {
        match self.table.get(&fun) {
            Some(Interpretation::Value(value)) => Some(value),
            _ => None,
        }
    }

    /// The interpretation of a symbol.
    #[must_use]
    pub fn interpretation(&self, fun: FunId) -> Option<&Interpretation> {
        self.table.get(&fun)
    }

    /// The symbols with an interpretation, in order of declaration.
    #[must_use]
    pub fn funs(&self) -> Vec<FunId> {
        let mut funs: Vec<FunId> = self.table.keys().copied().collect();
        funs.sort_unstable();
        funs
    }
}

impl Env for Assignment {
    fn meaning(&mut self, fun: FunId, args: &[Value]) -> Option<Meaning> {
        match self.table.get(&fun)? {
            Interpretation::Value(value) => Some(Meaning::Value(value.clone())),
            Interpretation::Table(table, rest) => {
                table.get(args).or(rest.as_ref()).cloned().map(Meaning::Value)
            }
            Interpretation::Body(params, body) => Some(Meaning::Body(params.clone(), *body)),
        }
    }
}
