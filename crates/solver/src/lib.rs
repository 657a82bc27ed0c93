//! SMT solvers. The embedded Z3 lives in this process; the registry is the one list of all solvers, from which
//! help texts, `list solvers` and test matrices are derived.
//!
//! Unsafe code exists only in `z3::ffi`, the border to the C library.
//!
//! ```
//! for info in solver::registry() {
//!     let version = (info.version)()?;
//!     assert!(!version.is_empty(), "{} tells its version", info.name);
//! }
//! # Ok::<(), solver::SolverError>(())
//! ```

mod error;
mod registry;
pub mod z3;

pub use error::SolverError;
pub use registry::{SolverInfo, SolverKind, find, registry};
