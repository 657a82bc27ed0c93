//! The independent checker. A verdict is printed only after the evidence for it was accepted here.
//!
//! It knows terms and programs, never an engine: whoever found a trace, it is replayed step by step from its
//! text; whoever found annotations, the conditions under which they prove the task are put to a solver.

mod admit;
mod bits;
mod horn;
mod lasso;
mod proof;
mod question;
mod recurrence;
mod repeat;
mod replay;
mod system;

pub use admit::{Admitted, admit};
pub use horn::{check_derivation, check_model};
pub use proof::{check_proof, prove};
pub use recurrence::check_recurrence;
pub use replay::{Judged, Rejection, is_self_contained, replay_trace};
pub use system::{check_certificate, check_system_trace};
