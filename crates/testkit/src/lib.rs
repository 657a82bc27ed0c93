//! What the tests of every crate share, kept out of the product: a golden-file runner, deterministic
//! random numbers, a mutator of inputs for in-process fuzzing, random programs with an exact judge of them, and the
//! finder of the optional corpus.
//!
//! Only a dev-dependency (and a dependency of `xtask`): unlike the libraries it serves, this crate starts
//! processes and reads the environment, because that is what a test has to do.

mod corpus;
mod folder;
mod golden;
mod mutate;
pub mod programs;
mod rng;

pub use corpus::{corpus_dir, corpus_or_skip, skip, workspace_root};
pub use folder::Folder;
pub use golden::{Failure, Golden, Problem, Summary};
pub use mutate::mutate;
pub use rng::Rng;
