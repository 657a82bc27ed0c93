//! Decides where the library comes from.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::platform::{self, Naming, Z3_VERSION};
use crate::settings::Settings;
use crate::{fetch, place};

/// A library that is ready to be linked.
#[derive(Debug)]
pub struct Library {
    /// The folder that holds it.
    pub dir: PathBuf,
    /// How the system names it.
    pub naming: &'static Naming,
    /// How it was found.
    pub origin: Origin,
}

/// How a library was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// In the folder given by hand.
    Explicit,
    /// In the user's cache, possibly downloaded just now.
    Cache,
    /// In the build folder, because there is no cache that can be written.
    BuildFolder,
}

/// Finds the library, downloading it when nothing else has it.
pub fn locate(settings: &Settings) -> Result<Library, Error> {
    let naming = platform::naming(&settings.os).ok_or_else(|| unsupported(settings))?;
    if let Some(given) = &settings.explicit_dir {
        let dir = place::library_dir(given, naming)
            .ok_or_else(|| Error::NoLibraryInExplicitDir { dir: given.clone(), wanted: naming.link_name })?;
        // The folder becomes part of binaries, which run elsewhere.
        let dir = fs::canonicalize(&dir).map_err(|e| Error::io("find", &dir, e))?;
        return Ok(Library { dir, naming, origin: Origin::Explicit });
    }
    let platform = platform::platform(&settings.os, &settings.arch, &settings.env)
        .ok_or_else(|| unsupported(settings))?;
    let (root, origin) = match settings.cache_root.as_deref().map(our_folder).filter(|p| is_usable(p)) {
        Some(root) => (root, Origin::Cache),
        None => (our_folder(&settings.out_dir), Origin::BuildFolder),
    };
    let dir = root.join(platform.tag);
    if !place::is_complete(&dir, naming) {
        fetch::fetch(settings, platform, &dir)?;
    }
    Ok(Library { dir, naming, origin })
}

/// Our folder below a cache root, the same for every checkout of the project.
pub(crate) fn our_folder(root: &Path) -> PathBuf {
    root.join("svarog").join(format!("z3-{Z3_VERSION}"))
}

/// Whether the folder is there or can be created. Build sandboxes often have a home that is read-only or not
/// there at all.
fn is_usable(dir: &Path) -> bool {
    fs::create_dir_all(dir).is_ok()
}

fn unsupported(settings: &Settings) -> Error {
    let parts = [settings.arch.as_str(), settings.os.as_str(), settings.env.as_str()];
    let target = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
    Error::UnsupportedTarget { target }
}
