//! How an execution ends, and what was noticed on the way.

use super::record::Execution;
use super::task::Source;
use crate::syntax::{ProcId, Property, StmtId};
use base::intern::SymbolId;
use smt::eval::EvalError;
use smt::sort::SortId;
use smt::term::{FunId, TermId};
use smt::value::Value;

/// How an execution ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum End {
    /// The entry procedure returned, with these values of its outputs.
    Finished(Vec<(FunId, Value)>),
    /// Properties were violated.
    Violated(Violation),
    /// An assumption was false: of an `assume`, or the entry's `:requires` where that is an assumption.
    Blocked(StmtId),
    /// A statement is over into which a leap went by its contract: what comes after it in that state says nothing
    /// about the program.
    Abstracted(StmtId),
    /// The stem of a lasso is at its end. False when the annotations that it uses did not hold at any visit.
    LassoStem(StmtId, bool),
    /// So many steps were allowed.
    StepLimit,
    /// So many open calls were allowed.
    DepthLimit,
    /// A step of the trace cannot be taken.
    InvalidStep(InvalidStep),
    /// The trace begins with another procedure than the call.
    WrongEntry(ProcId),
    /// What the trace gives for this constant or global variable cannot be evaluated or has another sort.
    BadSymbol(FunId),
    /// The model violates the assertion that is this command, and no other model was found.
    NoModel(usize),
    /// The input with this number is missing or does not have this sort.
    BadInput(usize, SortId),
    /// The term of a statement, or of the call, cannot be evaluated.
    Error(Option<StmtId>, EvalError),
}

/// The properties of a statement that were violated at one moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The statement.
    pub stmt: StmtId,
    /// Its violated properties, at least one.
    pub properties: Vec<Violated>,
}

/// A violated property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violated {
    /// The property.
    pub property: Property,
    /// Where it is written.
    pub source: Source,
}

/// A step of a trace that cannot be taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvalidStep {
    /// Its number among the steps; the number of steps when a step is missing.
    pub index: usize,
    /// What is wrong with it.
    pub reason: Reason,
}

/// What is wrong with a step.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// A step of another kind is due; its name.
    Kind(&'static str),
    /// This procedure is called.
    Procedure(ProcId),
    /// The choice has only so many alternatives.
    Alternatives(usize),
    /// The step must not set this variable.
    Variable(SymbolId),
    /// The step sets this variable twice.
    Twice(SymbolId),
    /// The value for this variable cannot be evaluated or has another sort.
    Value(SymbolId),
    /// The state that it leads to violates this property.
    State(Box<Property>),
    /// No annotation stands for the statement here, so that there is nothing to leap over.
    Unabstracted,
    /// The execution ends before it.
    Ended,
    /// The assumption at this statement is false before it.
    Blocked(StmtId),
    /// The trace ends before a choice.
    Missing,
}

/// A property or assertion that was not judged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unchecked {
    /// What it is.
    pub what: Judged,
    /// Why it has no value.
    pub error: EvalError,
}

/// Something that is judged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judged {
    /// The assertion that is this command.
    Assert(usize),
    /// A property of a statement.
    Property(StmtId, Property),
    /// A property of a statement that the state after a leap has to satisfy.
    Leap(StmtId, Property),
    /// A formula that the stem of a lasso leads to.
    Stem(StmtId, TermId),
}

/// The state at the end.
#[derive(Clone, Default, Debug)]
pub struct Snapshot {
    /// The global variables; those without a value are left out.
    pub globals: Vec<(FunId, Value)>,
    /// The procedure that runs, and its variables likewise.
    pub frame: Option<(ProcId, Vec<(FunId, Value)>)>,
    /// The number of open calls.
    pub depth: usize,
    /// The statements of the innermost open calls, the innermost first.
    pub calls: Vec<StmtId>,
}

/// The result of an execution.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// How everything was resolved that the program leaves open.
    pub execution: Execution,
    /// The number of steps.
    pub steps: u64,
    /// Violations that the execution went past, each once.
    pub passed: Vec<Violation>,
    /// What was not judged, each once.
    pub unchecked: Vec<Unchecked>,
    /// The first variable that was read before anything gave it a value.
    pub arbitrary: Option<FunId>,
    /// The first term whose value SMT-LIB leaves open.
    pub unspecified: Option<TermId>,
    /// The state at the end.
    pub state: Snapshot,
    /// How many prescribed steps were not used.
    pub unused: usize,
}
