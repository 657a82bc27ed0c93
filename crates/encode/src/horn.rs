//! Programs as constrained Horn clauses.
//!
//! Where a loop has no invariant, or a procedure that is called has no contract, an unknown predicate takes its place:
//! then the conditions of [`program::conditions`] are Horn clauses, and a solution of them is a set of annotations with
//! which the program is correct ([`Encoding::annotations`]). If the clauses have no solution the program is incorrect,
//! unless the encoding says that it is [coarser](Encoding::coarse) than the program. What is not about single steps
//! (`:recurring`, `:not-recurring`) is not in the clauses.

mod back;
mod clauses;
mod live;
mod reduce;
mod text;
mod unknowns;

pub use back::Annotation;

use program::{Program, conditions};
use smt::term::{FunId, TermId, Terms};
use solver::HornProblem;
use std::fmt;
use svlib::syntax::{PropertyKind, StmtId};

/// What an unknown predicate means for the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// An annotation of a statement.
    Annotation(StmtId, PropertyKind),
    /// A loop whose head has no tag, so that no witness can speak of it.
    Untold,
    /// The states before a call; nobody needs to be told.
    Inner,
}

/// A predicate that is to be found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    /// The predicate.
    pub predicate: FunId,
    /// Its parameters: variables, what they were at a tag, constants.
    pub params: Vec<FunId>,
    /// What holds wherever it does and is not said by it any more, because the clauses were reduced.
    pub known: Vec<TermId>,
    /// What it means.
    pub meaning: Meaning,
}

/// A program as Horn clauses.
#[derive(Clone, Debug, Default)]
pub struct Encoding {
    /// The predicates and clauses.
    pub problem: HornProblem,
    /// The predicates of the problem, in its order.
    pub unknowns: Vec<Unknown>,
    /// Where the clauses allow more than the program, in words. If there is something, clauses without a solution do
    /// not show that the program is incorrect.
    pub coarse: Vec<String>,
}

/// Why there are no clauses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HornError {
    /// The conditions do not cover everything.
    Open(String),
    /// A function without a definition; Horn clauses cannot fix its meaning across clauses.
    Function(String),
    /// A function with a recursive definition.
    Recursive(String),
}

impl fmt::Display for HornError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HornError::Open(reason) => f.write_str(reason),
            HornError::Function(name) => {
                write!(f, "Horn clauses cannot express the function {name}, which has no definition")
            }
            HornError::Recursive(name) => {
                write!(f, "Horn clauses cannot express the recursive function {name}")
            }
        }
    }
}

impl std::error::Error for HornError {}

/// A program as Horn clauses.
///
/// # Errors
/// When the program uses something that clauses cannot express.
pub fn encode(terms: &mut Terms, program: &Program<'_>) -> Result<Encoding, HornError> {
    let unknowns = unknowns::Unknowns::of(terms, program);
    let found = conditions(terms, &unknowns.program, &unknowns.roots);
    if let Some(reason) = found.open.first() {
        return Err(HornError::Open(reason.clone()));
    }
    let predicates: Vec<FunId> = unknowns.found.iter().map(|unknown| unknown.predicate).collect();
    let clauses = clauses::clauses(terms, &found, &predicates)?;
    let problem = HornProblem { predicates, clauses };
    Ok(Encoding { problem, unknowns: unknowns.found, coarse: unknowns.coarse })
}
