//! What is inserted where: all that weaving needs to know of automata.

use cfront::ast::{EntityId, ExprId, FunctionId};
use cfront::cfa::{EdgeId, LocId};
use cfront::types::Ty;
use diag::{Diagnostic, Span};

base::define_id!(
    /// An operation of a plan.
    pub struct OperationId;
);

/// Where an operation stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum At {
    /// At a location, whatever edge is taken from it. The operation has no captures then.
    Location(LocId),
    /// Before the operation of an edge, when its operands are known.
    Before(EdgeId),
    /// After it, when its value is known.
    After(EdgeId),
}

/// A piece of an operation's text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Piece {
    /// C text as it is.
    Text(String),
    /// The value of what the pattern has captured, by its index in [`Operation::params`] and [`Insertion::captures`].
    Capture(usize),
    /// The value of the expression that the edge computes; only after it.
    Result,
}

/// Something that a pattern has captured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Captured {
    /// The value of an expression, which was evaluated before. For the target of an assignment with an operator, or of an
    /// increment, it is the value before that.
    Expr(ExprId),
    /// A variable that is initialised here.
    Variable(EntityId),
}

/// A capture of an operation: every insertion has something of this type in its place.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Param {
    /// The name in the pattern, without the dollar sign.
    pub name: String,
    /// The type to which the value is converted: the one in which the matched operator computes; pointers are `void *`.
    pub ty: Ty,
}

/// C statements of a transition, with types filled in. Insertions of one transition whose types are the same share it, so
/// that they can share a function.
#[derive(Clone, PartialEq, Debug)]
pub struct Operation {
    /// A word that is an identifier's part and belongs to this operation alone, such as `add_int`.
    pub name: String,
    /// The statements. They may declare variables that later insertions of the same function read, so they are not to be put
    /// in braces where they stand as statements.
    pub text: Vec<Piece>,
    /// The captures that the text may read.
    pub params: Vec<Param>,
    /// The type of the result, if the text reads it; pointers are `void *`.
    pub result: Option<Ty>,
    /// True when the text names variables of the function besides what is captured, so that it must stand as statements
    /// where they are in scope.
    pub reads_locals: bool,
    /// The transition in the automaton's file.
    pub from: Span,
}

/// One operation of an automaton at one place.
#[derive(Clone, PartialEq, Debug)]
pub struct Insertion {
    /// The function.
    pub function: FunctionId,
    /// The place in its automaton.
    pub at: At,
    /// What is inserted.
    pub operation: OperationId,
    /// What stands for the operation's captures.
    pub captures: Vec<Captured>,
}

/// Everything that is added to a program.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// What is inserted.
    pub operations: base::id::IdVec<OperationId, Operation>,
    /// Where, by function, in the order in which those at one place are to stand.
    pub insertions: Vec<Insertion>,
    /// Declarations outside of functions: variables of automata, helpers of the specification. They do not need types of the
    /// program, so they may stand at its beginning.
    pub globals: Vec<String>,
    /// Declarations at the beginning of a function, such as shadow copies; each is a whole declaration with its semicolon.
    pub locals: Vec<(FunctionId, String)>,
    /// Functions of the program whose calls must not count any more, and their new names.
    pub renamed: Vec<(String, String)>,
    /// Functions that texts call and that are declared if the program does not: `reach_error`, `__VERIFIER_nondet_int`.
    pub needs: Vec<&'static str>,
    /// What the specification does not cover in this program.
    pub findings: Vec<Diagnostic>,
}
