//! What is inserted where: all that weaving needs to know of automata.

use cfront::ast::{ExprId, FunctionId};
use cfront::cfa::{EdgeId, LocId};
use diag::{Diagnostic, Span};
use std::rc::Rc;

/// Before or after the operation of an edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum When {
    /// Before it, when its operands are known.
    Before,
    /// After it, when its value is known.
    After,
}

/// Where an operation is executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum At {
    /// At the beginning of the function, each time it is called.
    Entry,
    /// At the head of a loop (a location of [`cfront::cfa::Cfa::heads`]), each time it is reached, before anything that
    /// leaves it.
    Head(LocId),
    /// Beside an edge.
    Edge(EdgeId, When),
}

/// A piece of an operation's text.
#[derive(Clone, PartialEq, Debug)]
pub enum Piece {
    /// C text as it is. Places with the same operation share it.
    Text(Rc<str>),
    /// The value of an expression that the pattern has captured.
    Capture(ExprId),
    /// The value of the expression that the edge computes; only after it.
    Result,
}

/// One operation of an automaton at one place.
#[derive(Clone, PartialEq, Debug)]
pub struct Insertion {
    /// The function.
    pub function: FunctionId,
    /// Where in it.
    pub at: At,
    /// C statements. They read variables of the program and write those of automata only.
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
    /// Declarations outside of functions: variables of automata, helpers of the specification. Functions that weaving knows
    /// (`weave::KNOWN`: the error function, `__VERIFIER_nondet_*`, ...) are declared by weaving where they are used.
    pub globals: Vec<String>,
    /// Definitions behind everything else, such as those of a driver for a fuzzer.
    pub tail: Vec<String>,
    /// Declarations at the beginning of a function, such as shadow copies.
    pub locals: Vec<(FunctionId, String)>,
    /// An attribute for the variables of functions that outlast their calls.
    pub statics: Option<&'static str>,
    /// Functions of the program whose calls must not count any more, and their new names.
    pub renamed: Vec<(String, String)>,
    /// Functions that the program declares and does not define, by the names that they have there, and the bodies that they
    /// get.
    pub bodies: Vec<(String, &'static str)>,
    /// What the specification does not cover in this program, by place.
    pub findings: Vec<Diagnostic>,
}
