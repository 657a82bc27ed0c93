//! The interpreter: one concrete execution of a `verify-call`, step by step as section 7 of the paper matches a trace
//! with a program.
//!
//! A [`Task`] is a call prepared for running. [`run`] executes it; an [`Oracle`] answers whatever the program leaves
//! open: [`Random`] from a seed, [`Inputs`] from a list, [`Replay`] from a trace. The [`Outcome`] says how the
//! execution ended and holds the [`Execution`], from which a trace is made that replays to the same end.
//!
//! # Meaning
//!
//! The ten decisions about the meaning of scripts are kept, and these finer points are decided here:
//!
//! - A step is one instruction of [`crate::code`]: an assignment, a test, a jump, a visit of an annotated statement.
//! - All properties of one moment are judged together: `:requires` before a statement, `:check-true`, `:invariant`
//!   and `:decreases` when its tags are visited, `:ensures` after it. `:recurring` and `:not-recurring` cannot be
//!   judged by a finite execution.
//! - `(at x t)` is the value at the last visit of `t` in this call of the procedure; if this call has not visited it,
//!   at the last visit anywhere. So in a recursive procedure the tag of the body gives the values at the own call.
//! - `:decreases` on a loop compares two visits when control came back to the head from inside: for `while` from its
//!   body, for a label from where the label cannot be avoided. Entering the loop anew starts anew. On a procedure
//!   it compares the entry of a call with the entry of the nearest annotated caller, both of one recursive group.
//! - A property or assert that cannot be evaluated (a quantifier over integers) is not judged and is listed in
//!   [`Outcome::unchecked`]; a statement that cannot be evaluated ends the execution.
//! - A variable that nothing gave a value has the default value of its sort; [`Outcome::arbitrary`] names the first
//!   one that was read.
//!
//! # Replay
//!
//! Steps are matched eagerly. At a call, a `havoc` or a `choice` the next step must be of that kind, with the right
//! procedure, variables and index. When all steps are used up, calls and havocs go on without values, a choice
//! between several alternatives does not. Steps left over when
//! the execution ends by itself are invalid steps, steps left over at the claimed violation are not used. A trace
//! that claims the violation of one annotation is followed past violations of others. The stem of a lasso ends at
//! the first visit of its tag after the last step where the annotations it uses hold.
//!
//! # Leaps
//!
//! A `leap` is taken at the first visit of its tag after the steps before it. It is possible only where annotations of
//! the task stand for the statement; elsewhere there is nothing to leap over:
//!
//! - At a `while` or label with `:invariant`: at any visit, to any state that the invariants (and preconditions) there
//!   allow. The execution goes on from it, past the loop too.
//! - At any other statement with `:requires` or `:ensures`: when the statement begins, to any state that `:requires`
//!   allows. It shows something about the inside of the statement only. When the statement is over, `:ensures` is
//!   judged and the execution ends: what follows would start from values that `:ensures` does not relate to the
//!   state before the statement, because its `at` terms speak of the state after the leap. An execution that
//!   leaves the statement by a jump goes on.
//!
//! A leap may set only what the loop, or the statement with the contract, can modify ([`modified`]). The visit happens
//! in the new state: `at` terms of the tag mean it, a `:check-true` there may be violated, and `:decreases`
//! compares from it on, because a leap stands for any number of rounds or calls.

pub mod calls;
mod describe;
mod fast;
mod inputs;
mod leap;
mod machine;
mod mirror;
mod modified;
mod oracle;
mod outcome;
mod properties;
mod random;
mod record;
mod replay;
mod rounds;
mod state;
mod task;
pub mod values;

pub use inputs::Inputs;
pub use leap::Abstraction;
pub use machine::{EntryRequires, Event, Happening, Options, run, run_observed};
pub use mirror::{Mirror, Still};
pub use modified::{inside, modified};
pub use oracle::{Context, Leap, Model, Oracle, Refusal, Values};
pub use outcome::{End, InvalidStep, Judged, Outcome, Reason, Snapshot, Unchecked, Violated, Violation};
pub use random::{Random, run_random};
pub use record::{Execution, Taken};
pub use replay::{Judgement, Replay};
pub use task::{Source, Task, TaskError, arbitrary_call};
