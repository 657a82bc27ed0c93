//! Pipelines over the libraries: what a command does, without arguments, files or exit codes.
//!
//! Callers bring bytes and get results; the command line is one caller. Everything that can be listed is listed
//! from the registries that are gathered here.

mod convert;
pub mod format;
mod input;
mod layout;
mod lint;
mod run;
mod verify;

pub use convert::{ConvertError, convert};
pub use format::{FORMATS, Format, FormatInfo};
pub use input::{Input, Loaded, Program};
pub use layout::layout;
pub use lint::{LintReport, lint};
pub use run::{RunOptions, RunReport, run};
pub use solver::registry as solvers;
pub use verify::{Answer, Query, queries};
