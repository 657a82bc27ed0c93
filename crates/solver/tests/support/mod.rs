//! What the tests of this crate share: scripts as terms, and models re-checked by the evaluator.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses a part")]

pub mod cases;

use smt::eval::{Assignment, EvalError, Evaluator};
use smt::parse::Command;
use smt::scope::Scope;
use smt::sexpr::Text;
use smt::term::{FunId, TermId, Terms};

/// The assertions of a script.
pub fn assertions(terms: &mut Terms, text: &str) -> Vec<TermId> {
    let (mut scope, mut errors, mut found) = (Scope::new(terms), Vec::new(), Vec::new());
    smt::script::read(terms, &mut scope, Text::new(text, 0), &mut errors, |_, command, _, _| {
        if let Command::Assert(term) = command {
            found.push(term);
        }
    });
    assert!(errors.is_empty(), "{text}: {errors:?}");
    found
}

/// The function of a name.
pub fn fun(terms: &Terms, name: &str) -> FunId {
    terms.funs().find(|&fun| terms.fun_name(fun) == name).expect("declared")
}

/// What the evaluator says of a formula in a model.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub enum Verdict {
    /// The model is one.
    Holds,
    /// It is not.
    Fails,
    /// The standard leaves a value open, the model does, or the evaluator cannot tell.
    Open,
}

/// Re-checks a model.
pub fn recheck(terms: &Terms, model: &Assignment, formula: TermId) -> Verdict {
    let mut evaluator = Evaluator::new(terms);
    let mut model = model.clone();
    match evaluator.holds(formula, &mut model) {
        Ok(true) => Verdict::Holds,
        Ok(false) if evaluator.unspecified().is_some() => Verdict::Open,
        Ok(false) => Verdict::Fails,
        Err(EvalError::Quantifier(_) | EvalError::Lambda(_) | EvalError::Missing(_)) => Verdict::Open,
        Err(error) => panic!("{}: {}", smt::print::term_text(terms, formula), error.message(terms)),
    }
}
