//! Control-flow automata: one per function, with at most one operation on an edge.
//!
//! Operations do not have syntax of their own: an edge names the expression whose outermost operator is applied, and its
//! operands were evaluated on the edges before it. `x = a + b * c` is three edges, named by `b * c`, `a + b * c` and the whole.
//! Reading a variable, or a member of one, is no operation. C leaves the order of operands open; here it is from left to
//! right. `&&`, `||` and `?:` are branches.
//!
//! What a well-formed automaton is, [`Cfa::verify`] says.

mod build;
mod dot;
mod expr;
mod groups;
mod loops;
mod verify;

pub use dot::dot;

use crate::ast::{DeclId, EntityId, ExprId, FunctionId, InitId, LabelId, StmtId, Unit};
use base::id::IdVec;
use diag::Span;

base::define_id!(
    /// A location of an automaton.
    pub struct LocId;
);
base::define_id!(
    /// An edge of an automaton.
    pub struct EdgeId;
);

/// What happens on an edge.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Op {
    /// Nothing.
    Skip,
    /// The outermost operator of an expression is applied; its value, if it is a place the value there, is known from now on.
    Eval(ExprId),
    /// The address of an element is computed, without access to it.
    Place(ExprId),
    /// A function is called; its arguments are known.
    Call(ExprId),
    /// The first expression has the value of the second, one of its operands.
    Choose(ExprId, ExprId),
    /// A logical expression has this truth value.
    Truth(ExprId, bool),
    /// The value of an expression is true, or it is not. A comparison is computed on this edge, and nothing else is.
    Assume(ExprId, bool),
    /// The value that a switch looks at is in a range.
    Case(ExprId, i128, i128),
    /// The value that a switch looks at is in no case's range.
    Default(ExprId),
    /// The value of an expression is the address of a label.
    Label(ExprId, LabelId),
    /// A variable begins to exist, without a value.
    Declare(EntityId),
    /// What an initialiser in braces does not name is zero.
    Zero(DeclId),
    /// A variable, or the part of it that the initialiser is for, gets its first value.
    Init(DeclId, InitId),
    /// Assembly is executed.
    Asm(StmtId),
    /// The function ends with a `return`.
    Return(StmtId),
    /// The function ends at its closing brace.
    FallOff,
}

impl Op {
    /// True when the edge is taken only if a condition holds.
    #[must_use]
    pub fn is_assumption(self) -> bool {
        matches!(self, Op::Assume(..) | Op::Case(..) | Op::Default(_) | Op::Label(..))
    }
}

/// An edge.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Edge {
    /// Where it begins.
    pub from: LocId,
    /// Where it leads.
    pub to: LocId,
    /// What happens.
    pub op: Op,
}

/// How an execution of the function may end.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ExitKind {
    /// A `return` statement; in `main` the program ends.
    Return(StmtId),
    /// The closing brace; in `main` the program ends with status 0.
    FallOff,
    /// A call of `exit` and the like: the program ends, handlers run.
    Exit(ExprId),
    /// A call of `_exit` and the like: the program ends at once.
    QuickExit(ExprId),
    /// A call of `abort` or a failed assertion.
    Abort(ExprId),
    /// A call of another function that is declared not to return.
    NoReturn(ExprId),
}

/// An edge after which the function does not go on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Exit {
    /// The edge.
    pub edge: EdgeId,
    /// How it ends.
    pub kind: ExitKind,
}

/// A location on a cycle. Every cycle goes through one of them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LoopHead {
    /// The location.
    pub at: LocId,
    /// The loop statement, unless jumps make the loop.
    pub stmt: Option<StmtId>,
    /// True when the loop can be entered beside its head.
    pub is_irreducible: bool,
}

/// The control flow of a function.
#[derive(Clone, Debug)]
pub struct Cfa {
    /// The function.
    pub function: FunctionId,
    /// Where it begins.
    pub entry: LocId,
    /// Where it ends when it returns; nothing leads away from it. It may be unreachable.
    pub exit: LocId,
    /// How many locations there are.
    pub locations: usize,
    /// The edges.
    pub edges: IdVec<EdgeId, Edge>,
    /// The heads of loops, by location.
    pub heads: Vec<LoopHead>,
    /// The ways in which it ends, by edge.
    pub exits: Vec<Exit>,
    /// Where labels are, by location.
    pub labels: Vec<(LocId, LabelId)>,
    /// True when this is `main`.
    pub is_main: bool,
    /// Control flow that the automaton does not show: what, and where. Nobody may conclude anything from it then.
    pub unsupported: Vec<(&'static str, Span)>,
    /// The edges that leave each location.
    leaving: groups::Groups<EdgeId>,
}

impl Cfa {
    /// The edges that leave a location, in the order of the program.
    #[must_use]
    pub fn leaving(&self, at: LocId) -> &[EdgeId] {
        self.leaving.get(base::id::Id::index(at))
    }

    /// The loop whose head a location is.
    #[must_use]
    pub fn head(&self, at: LocId) -> Option<&LoopHead> {
        self.heads.binary_search_by_key(&at, |head| head.at).ok().map(|index| &self.heads[index])
    }

    /// The first label at a location.
    #[must_use]
    pub fn label(&self, at: LocId) -> Option<LabelId> {
        let index = self.labels.partition_point(|(other, _)| *other < at);
        self.labels.get(index).filter(|(other, _)| *other == at).map(|(_, label)| *label)
    }
}

/// Control flow that automata do not show ([`Cfa::unsupported`]): a function that runs at the end of a variable's scope.
pub const CLEANUP: &str = "the attribute `cleanup`";

/// The automata of all functions, in the order of their definitions.
#[must_use]
pub fn automata(unit: &Unit) -> Vec<Cfa> {
    let addressed = build::addressed_labels(unit);
    unit.functions.ids().map(|function| build::build(unit, function, &addressed)).collect()
}
