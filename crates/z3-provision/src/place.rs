//! Puts library files where the linker and the loader look for them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::platform::Naming;

/// Whether a folder holds everything that linking and loading need.
pub(crate) fn is_complete(dir: &Path, naming: &Naming) -> bool {
    dir.join(naming.load_name).is_file() && dir.join(naming.link_name).is_file()
}

/// Gives the library in `dir` the second name under which the linker looks for it.
pub(crate) fn add_link_name(dir: &Path, naming: &Naming) -> Result<(), Error> {
    if naming.link_name == naming.load_name {
        return Ok(());
    }
    put(&dir.join(naming.load_name), &dir.join(naming.link_name))
}

/// The folder itself or its `lib` or `bin`, whichever holds a library: users name the root of an unpacked
/// release as often as the folder inside it.
pub(crate) fn library_dir(given: &Path, naming: &Naming) -> Option<PathBuf> {
    [given.to_owned(), given.join("lib"), given.join("bin")]
        .into_iter()
        .find(|dir| !library_names(dir, naming).is_empty())
}

/// Puts every name of the library in `from` into `to`, and the link and load names if they were missing.
pub(crate) fn copy_library(from: &Path, to: &Path, naming: &Naming) -> Result<(), Error> {
    let names = library_names(from, naming);
    let Some(any) = names.first() else { return Ok(()) };
    for name in &names {
        put(&from.join(name), &to.join(name))?;
    }
    for name in [naming.link_name, naming.load_name] {
        if !names.iter().any(|n| n == name) {
            put(&from.join(any), &to.join(name))?;
        }
    }
    Ok(())
}

/// The files of `dir` that are the library under one of its names, sorted.
fn library_names(dir: &Path, naming: &Naming) -> Vec<String> {
    let (stem, extension) = naming.link_name.split_once('.').unwrap_or((naming.link_name, ""));
    let is_library = |name: &str| {
        let Some(rest) = name.strip_prefix(stem) else { return false };
        // Versions stand behind the extension on Linux and before it on macOS.
        let version = if rest.ends_with(extension) {
            rest.strip_suffix(extension).and_then(|r| r.strip_suffix('.'))
        } else {
            rest.strip_prefix('.').and_then(|r| r.strip_prefix(extension))
        };
        version.is_some_and(|v| v.chars().all(|c| c.is_ascii_digit() || c == '.'))
    };
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| is_library(name) && dir.join(name).is_file())
        .collect();
    names.sort();
    names
}

/// Makes `to` the same file as `from`: a hard link where the file system allows it, else a copy. The new file
/// is renamed into place, since a program may be running from the old one.
fn put(from: &Path, to: &Path) -> Result<(), Error> {
    let source = fs::canonicalize(from).map_err(|e| Error::io("find", from, e))?;
    let mut temporary = to.as_os_str().to_owned();
    temporary.push(format!(".{}", std::process::id()));
    let temporary = PathBuf::from(temporary);
    let _ = fs::remove_file(&temporary);
    if fs::hard_link(&source, &temporary).is_err() {
        fs::copy(&source, &temporary).map_err(|e| Error::io("write", &temporary, e))?;
    }
    let renamed = fs::rename(&temporary, to).map_err(|e| Error::io("write", to, e));
    // Renaming one name of a file onto another name of the same file does nothing and leaves both.
    let _ = fs::remove_file(&temporary);
    renamed
}
