//! Specifications as they are after reading: the tuple of an instrumentation automaton with names resolved.

use cfront::ast::{BinaryOp, UnaryOp};
use diag::Span;

base::define_id!(
    /// A state of an automaton.
    pub struct StateId;
);
base::define_id!(
    /// A node of a pattern.
    pub struct PatId;
);

/// A file: automata that are woven into one program, and the C text that they share.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    /// One line about it.
    pub summary: String,
    /// What can be chosen.
    pub options: Vec<Choice>,
    /// True when the program's own error functions count.
    pub keeps_errors: bool,
    /// C declarations for operations.
    pub c: Vec<String>,
    /// The automata.
    pub automata: Vec<Automaton>,
}

/// An option of a specification.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Its name.
    pub name: String,
    /// Whether it is on.
    pub is_on: bool,
    /// What it means.
    pub summary: String,
}

/// What there is one automaton for: `initialize_automata` of the paper.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Per {
    /// The program.
    Program,
    /// Each loop, from its head on.
    Loop,
    /// Each function, from its beginning on.
    Function,
    /// Each function that may call itself, from its beginning on.
    Recursion,
    /// Each call that a pattern matches, from it on, and how much the pattern captures.
    Call(PatId, usize),
}

/// `(Q, q0, Var, δ, α)` and what there is one for.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// Its name.
    pub name: String,
    /// What there is one for.
    pub per: Per,
    /// `Var`.
    pub vars: Vec<Var>,
    /// `Q` with `α`.
    pub states: Vec<State>,
    /// `q0`.
    pub initial: StateId,
    /// `δ`, in the order of the file.
    pub transitions: Vec<Transition>,
    /// The patterns' nodes.
    pub pats: base::id::IdVec<PatId, Pat>,
}

/// A variable of an automaton.
#[derive(Clone, Debug)]
pub struct Var {
    /// Its name in the file.
    pub name: String,
    /// What stands before the name.
    pub before: String,
    /// What stands behind the name, the initialiser too.
    pub after: String,
    /// True when each activation of the function has its own.
    pub is_local: bool,
}

/// Location predicates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Annotation {
    /// Every location.
    True,
    /// No location.
    False,
    /// Heads of loops.
    LoopHead,
    /// The initial location of the automaton.
    Init,
    /// Beginnings of functions.
    FunctionHead,
    /// Locations from which the function or program ends.
    Exit,
}

/// A state with its annotation.
#[derive(Clone, Debug)]
pub struct State {
    /// Its name.
    pub name: String,
    /// `α` of it.
    pub annotation: Annotation,
}

/// Which side of an edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Side {
    /// `B`
    Before,
    /// `A`
    After,
}

/// `(q, ρ, op, X, p)`, with several patterns in place of several transitions that are alike.
#[derive(Clone, Debug)]
pub struct Transition {
    /// `q`
    pub from: StateId,
    /// `ρ`, any of them.
    pub patterns: Vec<Pattern>,
    /// Conditions on types.
    pub conditions: Vec<Condition>,
    /// Options that must be on, or off.
    pub options: Vec<(usize, bool)>,
    /// `op`
    pub text: Vec<TextPiece>,
    /// `X`
    pub side: Side,
    /// `p`
    pub to: StateId,
    /// The names of what is captured, by index.
    pub captures: Vec<String>,
    /// Where it is.
    pub span: Span,
}

/// What a transition looks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// Any operation.
    True,
    /// The condition of a loop is true, or it is not.
    Cond(bool),
    /// The function ends.
    Return,
    /// The program ends.
    End,
    /// An expression.
    Expr(PatId),
}

/// A pattern of expressions.
#[derive(Clone, PartialEq, Debug)]
pub enum Pat {
    /// `$_`
    Any,
    /// `$x`, by its index in [`Transition::captures`].
    Capture(usize),
    /// A constant.
    Number(i128),
    /// A variable or function.
    Name(String),
    /// One operand.
    Unary(UnaryOp, PatId),
    /// Two operands.
    Binary(BinaryOp, PatId, PatId),
    /// `a = b`
    Assign(PatId, PatId),
    /// `a op= b`
    CompoundAssign(BinaryOp, PatId, PatId),
    /// `f(a, b, ...)`: the last is true when more arguments may follow.
    Call(PatId, Vec<PatId>, bool),
    /// `a[i]`
    Index(PatId, PatId),
    /// `a.name`
    Member(PatId, String),
    /// `a->name`
    Arrow(PatId, String),
    /// `(T)a`
    Cast(CastTo, PatId),
}

/// A type in a pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CastTo {
    /// How the type is written in C without pointers, or the name of a type of the program.
    pub base: String,
    /// True for a name of the program.
    pub is_name: bool,
    /// How many pointers lead to it.
    pub pointers: usize,
}

/// What a condition or an attribute is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// The matched operator.
    Op,
    /// What is captured.
    Capture(usize),
}

/// `… is KIND` or `… is not KIND`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    /// What it is about.
    pub subject: Subject,
    /// True for `not`.
    pub is_negated: bool,
    /// The kind.
    pub kind: Kind,
}

/// Kinds of types and expressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Accesses memory: an element that is not only the operand of `&`.
    Access,
    /// An array with a known number of elements, and not the last member of a record.
    Array,
    /// An expression whose value the compiler knows.
    Constant,
    /// A function that the program does not define, or a call of one.
    External,
    /// A floating type.
    Floating,
    /// An integer type.
    Integer,
    /// A type with fewer bits than the operator computes with.
    Narrow,
    /// A pointer.
    Pointer,
    /// A signed integer type.
    Signed,
    /// An unsigned integer type.
    Unsigned,
}

/// The kinds by name.
pub const KINDS: &[(&str, Kind)] = &[
    // tidy: sorted
    ("access", Kind::Access),
    ("array", Kind::Array),
    ("constant", Kind::Constant),
    ("external", Kind::External),
    ("floating", Kind::Floating),
    ("integer", Kind::Integer),
    ("narrow", Kind::Narrow),
    ("pointer", Kind::Pointer),
    ("signed", Kind::Signed),
    ("unsigned", Kind::Unsigned),
    // tidy: end
];

/// Facts about types that operations can read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attribute {
    /// The number of bits.
    Bits,
    /// The number of elements of an array.
    Len,
    /// The largest value.
    Max,
    /// The smallest value.
    Min,
    /// The number of bytes.
    Size,
    /// The type.
    Type,
}

/// The attributes by name.
pub const ATTRIBUTES: &[(&str, Attribute)] = &[
    // tidy: sorted
    ("bits", Attribute::Bits),
    ("len", Attribute::Len),
    ("max", Attribute::Max),
    ("min", Attribute::Min),
    ("size", Attribute::Size),
    ("type", Attribute::Type),
    // tidy: end
];

/// A piece of an operation's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TextPiece {
    /// C text.
    Text(String),
    /// An identifier that is none of the automaton's.
    Name(String),
    /// A variable of the automaton, by its index.
    Var(usize),
    /// What is captured.
    Capture(usize),
    /// The value of the matched expression.
    Result,
    /// A fact about a type.
    Attribute(Subject, Attribute),
    /// `save_state()`: all that may change is copied.
    SaveState,
    /// `same_state()`: all that may change is as it was copied.
    SameState,
}
