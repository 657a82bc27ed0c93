//! Pipelines over the libraries: what a command does, without arguments, files or exit codes.
//!
//! Callers bring bytes and get results; the command line is one caller. Everything that can be listed is listed
//! from the registries that are gathered here.

mod c;
mod convert;
mod dialogue;
pub mod format;
mod horn;
mod input;
mod instrument;
pub mod job;
mod judge;
mod layout;
mod lint;
mod memory;
mod minimise;
mod portfolio;
mod reshape;
mod run;
mod simulate;
mod systems;
mod tags;
mod task;
mod validate;
mod verify;
pub mod wire;
mod work;
mod workers;

pub use self::instrument::{
    HARNESSES, Harness, InstrumentError, Instrumented, Origin, SPECS, Shipped, SpecSource, StripError,
    instrument, spec_of_property, spec_summary, strip,
};
pub use ::formats::Options as ModelOptions;
pub use base::budget::Budget;
pub use base::clock::watch as notice_rests;
pub use c::{CProgram, CSource, draw_c, lint_c, read_c};
pub use cfront::{DataModel, needs_preprocessor};
pub use convert::{ConvertError, convert};
pub use dialogue::{Channels, Dialogue, Said, Speech, answer_all};
pub use engines::ENGINES;
pub use engines::horn::HORN_ENGINES;
pub use engines::systems::SYSTEM_ENGINES;
pub use format::{Format, FormatInfo, registry as formats};
pub use input::{Input, Loaded, Program};
pub use layout::layout;
pub use lint::{LintReport, lint};
pub use reshape::Reshape;
pub use run::{RunOptions, RunReport, run};
pub use solver::process::stay_in_group as keep_solvers_in_group;
pub use solver::registry as solvers;
pub use svlib::session::{Answer, Report, Response, SessionOptions, Verdict};
pub use systems::{validate_model, verify_property};
pub use validate::{Validation, validate};
pub use verify::VerifyOptions;
pub use work::{Port, work};
pub use workers::{Event, Threads, WorkerId, Workers};
