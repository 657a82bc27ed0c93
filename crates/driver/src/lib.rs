//! Pipelines over the libraries: what a command does, without arguments, files or exit codes.
//!
//! Callers bring bytes and get results; the command line is one caller. Everything that can be listed is listed
//! from the registries that are gathered here.

mod convert;
mod dialogue;
pub mod format;
mod input;
mod layout;
mod lint;
mod run;
mod validate;
mod verify;

pub use convert::{ConvertError, convert};
pub use dialogue::{Dialogue, Said, answer_all};
pub use engines::ENGINES;
pub use format::{FORMATS, Format, FormatInfo};
pub use input::{Input, Loaded, Program};
pub use layout::layout;
pub use lint::{LintReport, lint};
pub use run::{RunOptions, RunReport, run};
pub use solver::registry as solvers;
pub use svlib::session::{Answer, Response, SessionOptions, Verdict};
pub use validate::{Validation, validate};
pub use verify::VerifyOptions;
