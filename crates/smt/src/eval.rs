//! The concrete evaluator: the value of a term when the values of its symbols are known. Exact, and the judge of
//! everything that is less so: simplifiers, solvers' models, traces.
//!
//! # What is evaluated
//!
//! All operators of the table except those of strings and sequences, all functions with a definition, recursive
//! ones too, quantifiers over finite sorts by trying all values, arrays and lambdas. Where SMT-LIB leaves a value
//! open (division by zero, a selector applied to another constructor, a float that does not fit into a
//! bit-vector), the evaluator takes one fixed value and says so through [`Evaluator::unspecified`]: a caller that
//! checks a solver's model must not hold the model's other choice against it.
//!
//! # How
//!
//! A machine with an explicit stack (`machine`), so terms and recursion may be as deep as memory allows.
//! `ite`, `and`, `or` and `=>` evaluate only what they need, which is what makes recursive definitions end. A
//! subterm with several parents is evaluated once per scope, where a scope is a call of a function or an
//! instance of a quantifier. A budget of steps and of nested calls turns endless recursion into an error.
//!
//! The operators themselves are pure functions in `core`, `arith`, `bitvec` and `float`.

mod arith;
mod bitvec;
mod core;
mod env;
mod float;
mod machine;
mod notes;
mod operator;
mod pull;
mod scope;

pub use env::{Assignment, Env, Interpretation, Meaning};

use crate::op::Op;
use crate::print;
use crate::sort::SortId;
use crate::term::{FunId, TermId, Terms};
use crate::value::{Catalog, Value};
use std::fmt;

/// Bit-vectors wider than this, and integers longer than this, are refused.
pub const MAX_BITS: usize = 1 << 26;

/// Quantifiers and lambdas over more combinations of values than this are refused.
pub const MAX_INSTANCES: u64 = 1 << 16;

/// Steps of one evaluation unless [`Evaluator::with_fuel`] says otherwise.
pub const DEFAULT_FUEL: u64 = 1_000_000_000;

/// Calls of functions that may be open at once.
pub const MAX_CALLS: usize = 2_000_000;

/// Why a term has no value here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EvalError {
    /// The environment knows nothing about this symbol.
    Missing(FunId),
    /// The evaluator does not know this operator.
    Unsupported(Op),
    /// A quantifier over an infinite or large sort.
    Quantifier(TermId),
    /// A lambda over an infinite or large sort, used otherwise than by reading it at an index.
    Lambda(TermId),
    /// The budget of steps or of nested calls is used up.
    Fuel,
    /// The value of this term would be longer than [`MAX_BITS`].
    TooWide(TermId),
    /// A bound variable outside of its binder.
    Unbound(TermId),
    /// The arguments of this term do not have the sorts they should; the term is not well-sorted or the
    /// environment gave a value of another sort.
    Sort(TermId),
    /// A value of this sort is needed and none can be given: it has no concrete values, or it is a parametric
    /// datatype with field sorts that no term mentions ([`Value::default_of`] makes them known).
    NoValue(SortId),
}

impl EvalError {
    /// The error as a phrase that names what it is about.
    #[must_use]
    pub fn message(&self, terms: &Terms) -> String {
        let name = |fun: &FunId| print::symbol_text(terms.fun_name(*fun));
        match self {
            EvalError::Missing(fun) => format!("`{}` has no value", name(fun)),
            EvalError::Unbound(var) => {
                let name = terms.variable(*var).map(|name| terms.names.text(name)).unwrap_or_default();
                format!("the variable `{name}` is not bound")
            }
            EvalError::NoValue(sort) => {
                format!("no value of sort {} can be given", print::sort_text(terms, *sort))
            }
            EvalError::Sort(term) if terms.applied(*term).is_some() => {
                let fun = terms.applied(*term).as_ref().map(name).unwrap_or_default();
                format!("`{fun}` does not fit its sort")
            }
            EvalError::Sort(TermId::ERROR) => "the term has an error".into(),
            EvalError::Sort(term) => {
                format!("the arguments of `{}` do not fit their sorts", terms.op(*term).name())
            }
            _ => self.to_string(),
        }
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvalError::Missing(_) => f.write_str("a symbol has no value"),
            EvalError::Unsupported(op) => write!(f, "`{}` is not evaluated", op.name()),
            EvalError::Quantifier(_) => {
                f.write_str("a quantifier over a large or infinite sort is not evaluated")
            }
            EvalError::Lambda(_) => f.write_str("a lambda over a large or infinite sort has no finite value"),
            EvalError::Fuel => f.write_str("the evaluation takes too many steps"),
            EvalError::TooWide(_) => f.write_str("a value is too long"),
            EvalError::Unbound(_) => f.write_str("a variable is not bound"),
            EvalError::Sort(_) => f.write_str("a value does not have the sort it should"),
            EvalError::NoValue(_) => f.write_str("no value of a sort can be given"),
        }
    }
}

impl std::error::Error for EvalError {}

/// Evaluates terms of one store. Keeping it for many evaluations saves the look at terms seen before; nothing is
/// remembered about values.
pub struct Evaluator<'a> {
    terms: &'a Terms,
    catalog: Catalog<'a>,
    notes: notes::Notes,
    fuel: u64,
    left: u64,
    unspecified: Option<TermId>,
    stack: machine::Stack,
}

impl<'a> Evaluator<'a> {
    /// An evaluator with the default budget.
    #[must_use]
    pub fn new(terms: &'a Terms) -> Self {
        Self {
            terms,
            catalog: Catalog::new(&terms.sorts),
            notes: notes::Notes::default(),
            fuel: DEFAULT_FUEL,
            left: 0,
            unspecified: None,
            stack: machine::Stack::default(),
        }
    }

    /// Sets the budget of each evaluation: the number of terms visited, counted anew in each call and instance.
    #[must_use]
    pub fn with_fuel(mut self, fuel: u64) -> Self {
        self.fuel = fuel;
        self
    }

    /// The value of a term.
    ///
    /// # Errors
    /// When the term has no value in this environment, or none that can be found.
    pub fn eval(&mut self, term: TermId, env: &mut dyn Env) -> Result<Value, EvalError> {
        self.all(&[term], env)?.pop().ok_or(EvalError::Sort(term))
    }

    /// The values of several terms in the same environment, in which each subterm is evaluated once.
    ///
    /// # Errors
    /// As for [`Evaluator::eval`], for the first term that has no value.
    pub fn all(&mut self, roots: &[TermId], env: &mut dyn Env) -> Result<Vec<Value>, EvalError> {
        self.left = self.fuel;
        self.unspecified = None;
        let mut values = Vec::with_capacity(roots.len());
        let result = self.run(roots, env, |value| values.push(value));
        self.stack.clear();
        result.map(|()| values)
    }

    /// The truth of a formula.
    ///
    /// # Errors
    /// As for [`Evaluator::eval`], and when the term is no formula.
    pub fn holds(&mut self, formula: TermId, env: &mut dyn Env) -> Result<bool, EvalError> {
        self.eval(formula, env)?.as_bool().ok_or(EvalError::Sort(formula))
    }

    /// The first term in the last evaluation whose value SMT-LIB leaves open. The result may depend on the
    /// choice that was made for it.
    #[must_use]
    pub fn unspecified(&self) -> Option<TermId> {
        self.unspecified
    }

    /// The steps that the last evaluation took.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.fuel - self.left
    }
}

impl Value {
    /// The value of a ground term, if it has one without knowing any symbol.
    #[must_use]
    pub fn from_term(terms: &Terms, term: TermId) -> Option<Value> {
        Evaluator::new(terms).eval(term, &mut ()).ok()
    }
}
