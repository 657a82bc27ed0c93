//! Everything the crate takes from its surroundings, gathered in one place so that the rest is a function of
//! plain data and can be tested without touching the environment.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The environment variable that names a folder with libz3 and wins over everything else.
pub const EXPLICIT_DIR: &str = "SVAROG_Z3_DIR";

/// Where to look, for which target, and with which tools.
#[derive(Debug, Clone)]
pub struct Settings {
    /// A folder given by hand. When set, nothing else is tried.
    pub explicit_dir: Option<PathBuf>,
    /// The user's cache, the parent of our own folder in it.
    pub cache_root: Option<PathBuf>,
    /// The build script's own folder (`OUT_DIR`).
    pub out_dir: PathBuf,
    /// `CARGO_CFG_TARGET_OS`.
    pub os: String,
    /// `CARGO_CFG_TARGET_ARCH`.
    pub arch: String,
    /// `CARGO_CFG_TARGET_ENV`.
    pub env: String,
    /// Python interpreters to try, best first.
    pub pythons: Vec<OsString>,
    /// How often a download is tried.
    pub attempts: u32,
    /// The pause before the second attempt; it doubles with every further one.
    pub pause: Duration,
}

impl Settings {
    /// What cargo and the user's environment say, or the name of the variable that cargo did not set.
    pub fn from_environment() -> Result<Settings, &'static str> {
        Ok(Settings {
            explicit_dir: non_empty(EXPLICIT_DIR),
            cache_root: cache_root(),
            out_dir: non_empty("OUT_DIR").ok_or("OUT_DIR")?,
            os: env::var("CARGO_CFG_TARGET_OS").map_err(|_| "CARGO_CFG_TARGET_OS")?,
            arch: env::var("CARGO_CFG_TARGET_ARCH").map_err(|_| "CARGO_CFG_TARGET_ARCH")?,
            // Empty, and in older cargo versions absent, on systems with a single C library.
            env: env::var("CARGO_CFG_TARGET_ENV").unwrap_or_default(),
            pythons: vec!["python3".into(), "python".into()],
            attempts: 3,
            pause: Duration::from_secs(2),
        })
    }
}

fn cache_root() -> Option<PathBuf> {
    // The XDG rules say that a relative path is to be ignored.
    non_empty("XDG_CACHE_HOME")
        .filter(|p| p.is_absolute())
        .or_else(|| env::home_dir().filter(|home| home.is_absolute()).map(|home| home.join(".cache")))
}

fn non_empty(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}
