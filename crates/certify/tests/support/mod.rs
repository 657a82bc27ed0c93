//! What tests about Horn clauses share.

use smt::horn::HornProblem;
use smt::parse::Command;
use smt::scope::Scope;
use smt::sexpr::Text;
use smt::term::Terms;

/// The clauses of a text.
pub(crate) fn problem(terms: &mut Terms, text: &str) -> HornProblem {
    let (mut scope, mut errors, mut problem) = (Scope::new(terms), Vec::new(), HornProblem::default());
    smt::script::read(terms, &mut scope, Text::new(text, 0), &mut errors, |_, command, _, _| match command {
        Command::Assert(term) => problem.clauses.push(term),
        Command::DeclareFun(fun) => problem.predicates.push(fun),
        _ => {}
    });
    assert!(errors.is_empty(), "{errors:?} in {text}");
    problem
}
