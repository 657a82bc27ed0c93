//! Obtains the pinned libz3 while the project is being built, and tells cargo how to link it and how binaries
//! find it. Compiling Z3 takes half an hour and a recent C++ compiler; the prebuilt library of the same
//! release is in every Python package index, so a plain `cargo build` fetches that in seconds.
//!
//! This crate runs in build scripts only. It is a library so that its rules are tested like other code, and so
//! that a package needs one line to use them:
//!
//! ```text
//! fn main() {
//!     print!("{}", z3_provision::instructions(z3_provision::Role::Binary));
//! }
//! ```
//!
//! Places, in order: the folder named by `SVAROG_Z3_DIR`; the user's cache
//! (`$XDG_CACHE_HOME` or `~/.cache`, then `svarog/z3-5.4.0/<platform>`); the wheel that `pip download` gets,
//! whose library is then put into the cache, or into the build folder where no cache can be written.
//!
//! How a binary finds the library at run time: beside itself, else in the folder it was linked from. Under
//! `cargo run` and `cargo test` cargo adds the build folder to the loader's path, so a package that has only
//! a library and tests needs nothing.

mod error;
mod fetch;
mod locate;
mod place;
mod platform;
mod script;
mod settings;

pub use error::Error;
pub use locate::{Library, Origin, locate};
pub use platform::{Naming, Platform, Z3_VERSION, platforms};
pub use script::{Role, instructions, instructions_for};
pub use settings::{EXPLICIT_DIR, Settings};
