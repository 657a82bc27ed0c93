//! What a build script prints: link and search instructions, or an error that names every way to provide the
//! library.

use std::env;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::locate::{Library, Origin, locate, our_folder};
use crate::place;
use crate::platform::{self, Naming, REQUIREMENT, Z3_VERSION};
use crate::settings::{EXPLICIT_DIR, Settings};

/// What the package of the calling build script does with the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It binds to the library: everything that depends on it links the library.
    Library,
    /// It has a binary that is run outside of cargo and must find the library by itself.
    Binary,
}

/// The text that a build script writes to standard output, read from the environment cargo gives it.
///
/// With the feature `vendored-z3` of the calling package the library is linked statically by `z3-sys`, and
/// there is nothing to say.
pub fn instructions(role: Role) -> String {
    if env::var_os("CARGO_FEATURE_VENDORED_Z3").is_some() {
        return String::from("cargo::rerun-if-changed=build.rs\n");
    }
    if role == Role::Library
        && let Some(complaint) = misconfigured_bindings()
    {
        return as_errors(&complaint);
    }
    match Settings::from_environment() {
        Ok(settings) => instructions_for(role, &settings),
        Err(variable) => as_errors(&format!("{variable} is not set; this runs in build scripts only")),
    }
}

/// The same for given settings.
pub fn instructions_for(role: Role, settings: &Settings) -> String {
    let mut text = String::new();
    for variable in [EXPLICIT_DIR, "XDG_CACHE_HOME", "HOME"] {
        line(&mut text, format_args!("rerun-if-env-changed={variable}"));
    }
    match locate(settings).and_then(|library| describe(role, settings, &library)) {
        Ok(described) => text + &described,
        Err(error) if role == Role::Binary => text + &as_errors(&refer(&error)),
        Err(error) => text + &as_errors(&explain(&error, settings)),
    }
}

fn describe(role: Role, settings: &Settings, library: &Library) -> Result<String, Error> {
    let mut text = String::new();
    let naming = library.naming;
    // A cache emptied by hand is filled again by the next build.
    let watched = library.dir.join(naming.link_name);
    if watched.is_file() {
        line(&mut text, format_args!("rerun-if-changed={}", watched.display()));
    }
    if library.origin == Origin::BuildFolder {
        let folder = library.dir.display();
        line(&mut text, format_args!("warning=no user cache can be written; libz3 is kept in {folder}"));
    }
    match role {
        Role::Library => {
            // From the build folder and not from the cache: cargo puts only folders inside the target folder
            // on the loader's path of the tests and programs it runs.
            place::copy_library(&library.dir, &settings.out_dir, naming)?;
            let search = settings.out_dir.display();
            line(&mut text, format_args!("rustc-link-search=native={search}"));
        }
        Role::Binary => {
            // Binary and library side by side can be moved together. Where cargo's folders are laid out
            // differently, the second search path does.
            if let Some(profile_dir) = profile_dir(&settings.out_dir) {
                place::copy_library(&library.dir, &profile_dir, naming)?;
            }
        }
    }
    for path in [Path::new(naming.beside_binary), &library.dir] {
        // As separate words for the linker, since a path may contain the comma that -Wl splits at.
        for word in ["-Xlinker", "-rpath", "-Xlinker"] {
            line(&mut text, format_args!("rustc-link-arg={word}"));
        }
        line(&mut text, format_args!("rustc-link-arg={}", path.display()));
    }
    Ok(text)
}

/// `target/<profile>`, the folder in which cargo leaves binaries, if `out_dir` is
/// `target/<profile>/build/<package>/out`.
fn profile_dir(out_dir: &Path) -> Option<PathBuf> {
    let build = out_dir.parent()?.parent()?;
    (build.file_name()? == "build").then(|| build.parent().map(Path::to_owned))?
}

/// `z3-sys` compiles differently for different releases and cannot see the library that is linked later, so
/// the release it assumed has to be the pinned one.
fn misconfigured_bindings() -> Option<String> {
    let part = |name: &str| env::var(format!("DEP_Z3_VERSION_{name}")).unwrap_or_else(|_| "?".to_owned());
    let assumed = format!("{}.{}.{}", part("MAJOR"), part("MINOR"), part("PATCH"));
    (assumed != Z3_VERSION).then(|| {
        format!(
            "z3-sys was configured for Z3 {assumed}, but Svarog links Z3 {Z3_VERSION}.\n\
             The settings in .cargo/config.toml did not reach it: run cargo inside the source tree, or set\n\
             Z3_NO_PKG_CONFIG=1 and Z3_SYS_Z3_VERSION={Z3_VERSION} in the environment."
        )
    })
}

/// The package in the role of the library fails for the same reason and explains it; once is enough.
fn refer(error: &Error) -> String {
    let reason = error.to_string();
    let first = reason.lines().next().unwrap_or_default();
    format!(
        "the shared library of Z3 {Z3_VERSION} is missing: {first}\n\
         Set {EXPLICIT_DIR} to its folder, or see the message of the package that links it."
    )
}

fn explain(error: &Error, settings: &Settings) -> String {
    let mut text =
        format!("Svarog needs the shared library of Z3 {Z3_VERSION} and could not get it: {error}\n");
    text += "Ways to provide it:\n";
    let file = platform::naming(&settings.os).map_or("libz3", |naming| naming.link_name);
    let _ =
        writeln!(text, "- set {EXPLICIT_DIR} to a folder that holds {file} of Z3 {Z3_VERSION}, for example");
    let _ = writeln!(text, "  the folder z3/lib of an installed Python package {REQUIREMENT};");
    if let Some(platform) = platform::platform(&settings.os, &settings.arch, &settings.env) {
        text += "- have Python 3 with pip and a reachable package index (pip's own settings such as\n";
        text += "  PIP_INDEX_URL, PIP_FIND_LINKS and PIP_CERT are honoured), and build again;\n";
        if let Some(root) = &settings.cache_root {
            let dir = our_folder(root).join(platform.tag);
            let Naming { link_name, load_name, .. } = platform.naming;
            let names = if link_name == load_name {
                (*link_name).to_owned()
            } else {
                format!("{load_name} and, as the same file, {link_name}")
            };
            let _ = writeln!(text, "- put {names} into {};", dir.display());
        }
    }
    text +=
        "- compile Z3 from source: --features vendored-z3 (needs cmake and gcc 13 or newer, half an hour).";
    text
}

fn as_errors(message: &str) -> String {
    let mut text = String::new();
    for row in message.lines() {
        line(&mut text, format_args!("error={row}"));
    }
    text
}

fn line(text: &mut String, instruction: std::fmt::Arguments<'_>) {
    let _ = writeln!(text, "cargo::{instruction}");
}
