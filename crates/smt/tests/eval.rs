//! The concrete evaluator: tables of cases for every operator, laws under random values, and depth.
//!
//! A case is a text and the text of its value; one function reads, evaluates and prints.

#[path = "eval/arrays.rs"]
mod arrays;
#[path = "eval/deep.rs"]
mod deep;
#[path = "eval/functions.rs"]
mod functions;
#[path = "eval/laws.rs"]
mod laws;
#[path = "eval/operators.rs"]
mod operators;
#[path = "eval/values.rs"]
mod values;

use smt::eval::{Env, EvalError, Evaluator};
use smt::parse::Command;
use smt::scope::Scope;
use smt::sexpr::Text;
use smt::term::{TermId, Terms};
use smt::value::Value;

/// Declarations and a term, read into a new store.
fn read(declarations: &str, term: &str) -> (Terms, TermId) {
    let mut terms = Terms::new();
    let mut scope = Scope::new(&mut terms);
    let (mut errors, mut found) = (Vec::new(), None);
    let text = format!("{declarations}(get-value ({term}))");
    smt::script::read(&mut terms, &mut scope, Text::new(&text, 0), &mut errors, |_, command, _, _| {
        if let Command::Solver("get-value", values) = command {
            found = values.first().copied();
        }
    });
    let messages: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
    assert!(messages.is_empty(), "{term}: {messages:?}");
    (terms, found.expect("a term"))
}

/// The result of an evaluation as text. A mark says that SMT-LIB leaves the value open.
fn shown(terms: &mut Terms, result: Result<(Value, bool), EvalError>) -> String {
    match result {
        Ok((value, open)) => {
            let term = value.to_term(terms);
            assert_eq!(Value::from_term(terms, term).as_ref(), Some(&value), "value and term differ");
            assert_eq!(value.sort(terms), terms.sort(term));
            format!("{}{}", smt::print::term_text(terms, term), if open { " ?" } else { "" })
        }
        Err(error) => format!("error: {}", error.message(terms)),
    }
}

fn eval_in(declarations: &str, term: &str, fuel: u64, env: &mut dyn Env) -> String {
    let (mut terms, term) = read(declarations, term);
    let mut evaluator = Evaluator::new(&terms).with_fuel(fuel);
    let result = evaluator.eval(term, env).map(|value| (value, evaluator.unspecified().is_some()));
    shown(&mut terms, result)
}

fn eval(declarations: &str, term: &str) -> String {
    eval_in(declarations, term, 10_000_000, &mut ())
}

fn check(declarations: &str, cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(term, expected)| {
            let found = eval(declarations, term);
            (found != *expected).then(|| format!("{term}\n  expected {expected}\n  found    {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
