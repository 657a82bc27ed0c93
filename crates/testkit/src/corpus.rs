//! Where tests find the workspace and the corpus of third-party tasks.
//!
//! The corpus is large and not ours to hand on, so it lies outside of the repository and a clone has none.
//! A test that wants it says in one line that it was skipped; it never fails for its absence.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The environment variable that names the corpus. Empty means: there is none, do not look further.
const VARIABLE: &str = "SVAROG_CORPUS";

/// The place beside the workspace that is tried when the variable is not set.
const DEFAULT: &str = "../shared/corpus";

/// The root of the workspace whose test is running.
///
/// Cargo tells a test the folder of its package; the first folder above it whose manifest has a
/// `[workspace]` table is the root.
pub fn workspace_root() -> PathBuf {
    let compiled = Path::new(env!("CARGO_MANIFEST_DIR"));
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map_or(compiled.to_owned(), PathBuf::from);
    let is_root = |folder: &&Path| {
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml"));
        manifest.is_ok_and(|text| text.lines().any(|line| line.trim() == "[workspace]"))
    };
    package.ancestors().find(is_root).unwrap_or(&package).to_owned()
}

/// The folder with the third-party corpus, if this machine has one: the value of `SVAROG_CORPUS`, else
/// `../shared/corpus` beside the workspace.
///
/// # Panics
///
/// If `SVAROG_CORPUS` names something that is not a folder: a mistyped path must not look like a success.
pub fn corpus_dir() -> Option<PathBuf> {
    locate(std::env::var_os(VARIABLE).map(PathBuf::from), &workspace_root())
}

/// The corpus folder, or else `None` after the one-line message that `what` was skipped.
pub fn corpus_or_skip(what: &str) -> Option<PathBuf> {
    let found = corpus_dir();
    if found.is_none() {
        skip(what, &format!("no corpus; {VARIABLE} may name one"));
    }
    found
}

/// Says on standard error, in one line, that a test did not run and why. Past the capture of the test
/// harness, because a skipped test is otherwise indistinguishable from a passed one.
pub fn skip(what: &str, why: &str) {
    // Nobody to tell if standard error is closed.
    let _ = writeln!(io::stderr(), "skipped: {what} ({why})");
}

/// The pure part of [`corpus_dir`].
fn locate(variable: Option<PathBuf>, root: &Path) -> Option<PathBuf> {
    match variable {
        Some(path) if path.as_os_str().is_empty() => None,
        Some(path) => {
            assert!(path.is_dir(), "{VARIABLE} is set to {}, which is not a folder", path.display());
            Some(path)
        }
        None => {
            let path = root.join(DEFAULT);
            path.is_dir().then(|| path.canonicalize().unwrap_or(path))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_root_has_this_crate_below_it() {
        assert!(workspace_root().join("crates/testkit/Cargo.toml").is_file());
    }

    #[test]
    fn the_variable_wins_and_empty_means_none() {
        let root = workspace_root();
        assert_eq!(locate(Some(root.clone()), &root), Some(root.clone()));
        assert_eq!(locate(Some(PathBuf::new()), &root), None);
        assert_eq!(locate(None, &root.join("crates/testkit")), None);
    }

    #[test]
    #[should_panic(expected = "which is not a folder")]
    fn a_mistyped_variable_is_loud() {
        locate(Some(PathBuf::from("no/such/folder")), Path::new(""));
    }
}
