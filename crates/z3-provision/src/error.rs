//! Why no library could be provided, in words for the person who sees the build stop.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why the library could not be provided.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The folder given by hand holds no such library.
    NoLibraryInExplicitDir {
        /// The folder.
        dir: PathBuf,
        /// The file that was looked for.
        wanted: &'static str,
    },
    /// There is no pinned wheel for the target.
    UnsupportedTarget {
        /// System, processor and C library of the target.
        target: String,
    },
    /// None of the Python interpreters could be started.
    NoPython {
        /// The names tried.
        tried: String,
    },
    /// `pip download` failed every time.
    Download {
        /// The command line, to be repeated by hand.
        command: String,
        /// The last lines that pip wrote.
        output: String,
    },
    /// pip succeeded and left no wheel.
    NoWheel {
        /// Where it should be.
        dir: PathBuf,
    },
    /// The wheel is not the pinned one.
    WrongDigest {
        /// The pinned SHA-256.
        expected: &'static str,
        /// The SHA-256 of the file.
        found: String,
    },
    /// The wheel is the pinned one and could not be unpacked.
    Unpack {
        /// What Python wrote.
        output: String,
    },
    /// A file operation failed.
    Io {
        /// What was being done.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

impl Error {
    /// Wraps a failed file operation.
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Error {
        Error::Io { action, path: path.to_owned(), source }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoLibraryInExplicitDir { dir, wanted } => {
                write!(f, "{} names {}, which holds no {wanted}", crate::EXPLICIT_DIR, dir.display())
            }
            Error::UnsupportedTarget { target } => {
                write!(f, "there is no prebuilt library for the target {target}")
            }
            Error::NoPython { tried } => {
                write!(f, "no Python 3 interpreter could be started (tried {tried})")
            }
            Error::Download { command, output } => write!(f, "`{command}` failed:\n{output}"),
            Error::NoWheel { dir } => write!(f, "pip left no wheel in {}", dir.display()),
            Error::WrongDigest { expected, found } => write!(
                f,
                "the downloaded wheel has the SHA-256 {found}, but {expected} is pinned; it is not used"
            ),
            Error::Unpack { output } => write!(f, "the wheel could not be unpacked:\n{output}"),
            Error::Io { action, path, source } => {
                write!(f, "could not {action} {}: {source}", path.display())
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
