//! Constrained Horn clauses: SMT-LIB scripts of the logic HORN.
//!
//! Whatever can be brought into the form of Horn clauses is read: quantified implications, disjunctions, negated existential
//! goals, several goals, disjunctive bodies, rules with a query. Linear clauses become a system ([`ts::passes::horn`]), others stay
//! clauses, and so do those that leave more to a solution than predicates ([`ts::passes::horn::choice`]).
//! What is written is in the grammar of CHC-COMP.

mod below;
mod clausify;
mod derivation;
mod model;
mod open;
mod read;
mod write;

pub use derivation::{read_derivation, write_derivation};
pub use model::{read_model, write_model};
pub use read::read_clauses;
pub use write::write_clauses;

use crate::{Format, Model, Options, Shape, Source, WriteError};
use diag::Diagnostic;
use smt::term::Terms;
use ts::passes::horn::{Inexpressible, encode, linear};

/// Files of plain SMT-LIB have the same ending, so that the ending alone does not tell.
pub(crate) const FORMAT: Format = Format {
    name: "chc",
    endings: &["chc"],
    summary: "Constrained Horn clauses: SMT-LIB with the logic HORN",
    shape: Shape::Lists,
    read,
    write,
};

/// Reads clauses, as a system if they are linear.
pub fn read(terms: &mut Terms, source: Source<'_>, errors: &mut Vec<Diagnostic>) -> Option<Model> {
    let problem = read_clauses(terms, source, errors)?;
    Some(match linear(terms, &problem) {
        Ok(made) => Model::Systems(vec![made.system]),
        Err(_) => Model::Horn(problem),
    })
}

/// Writes clauses, or those whose solutions are inductive invariants of a system.
///
/// # Errors
/// What clauses cannot say.
pub fn write(terms: &mut Terms, model: &Model, _: &Options) -> Result<Vec<u8>, WriteError> {
    let problem = match model {
        Model::Horn(problem) => problem.clone(),
        Model::Systems(_) => {
            let system = crate::only_system(model, "set of Horn clauses")?;
            let system = crate::vmt::spelled(terms, system)?;
            let all: Vec<usize> = (0..system.properties.len()).collect();
            encode(terms, &system, &all).map_err(|error| refusal(terms, error))?.problem
        }
    };
    write_clauses(terms, &problem)
}

fn refusal(terms: &Terms, error: Inexpressible) -> WriteError {
    match error {
        Inexpressible::Property(index) => WriteError {
            message: format!("property {index} is about infinite executions, which Horn clauses do not see"),
            help: Some(
                "`--safety` makes it an invariant where states are finite, `--property N` writes property N alone".into(),
            ),
        },
        Inexpressible::Rigid(fun) => {
            let name = smt::print::symbol_text(terms.fun_name(fun));
            WriteError::new(format!("the rigid function `{name}` would be chosen by the solution of clauses"))
        }
        Inexpressible::Rank(error) => WriteError::new(error.message(terms, "a clause", &[])),
    }
}
