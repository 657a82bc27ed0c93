//! What is inserted where: all that weaving needs to know of automata.

use cfront::ast::{ExprId, FunctionId};
use cfront::cfa::EdgeId;
use diag::Span;

/// Before or after the operation of an edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum When {
    /// Before it, when its operands are known.
    Before,
    /// After it, when its value is known.
    After,
}

/// A piece of an operation's text.
#[derive(Clone, PartialEq, Debug)]
pub enum Piece {
    /// C text as it is.
    Text(String),
    /// The value of an expression that the pattern has captured.
    Capture(ExprId),
    /// The value of the expression that the edge computes; only after it.
    Result,
}

/// One operation of an automaton at one edge.
#[derive(Clone, PartialEq, Debug)]
pub struct Insertion {
    /// The function.
    pub function: FunctionId,
    /// The edge of its automaton.
    pub edge: EdgeId,
    /// On which side.
    pub when: When,
    /// C statements.
    pub text: Vec<Piece>,
    /// True when the text names variables of the function besides the captured expressions, so that it must stand where
    /// they are in scope.
    pub reads_locals: bool,
    /// The transition in the automaton's file.
    pub from: Span,
}

/// Everything that is added to a program.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Plan {
    /// Operations, in the order in which those at one place are to stand.
    pub insertions: Vec<Insertion>,
    /// Declarations outside of functions: variables of automata, helpers of the specification.
    pub globals: Vec<String>,
    /// Declarations at the beginning of a function, such as shadow copies.
    pub locals: Vec<(FunctionId, String)>,
    /// Functions of the program whose calls must not count any more, and their new names.
    pub renamed: Vec<(String, String)>,
}
