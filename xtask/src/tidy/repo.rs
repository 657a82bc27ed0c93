//! The repository as the checks see it: the text of its files, and its crates with their dependencies.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::registry::Error;

/// Everything the checks may look at.
pub(super) struct Repo {
    /// The files that belong to the repository and are text, sorted by path.
    pub(super) files: Vec<File>,
    /// The packages of the workspace, sorted by name.
    pub(super) crates: Vec<Crate>,
}

/// A text file.
pub(super) struct File {
    /// Relative to the root, with `/` between its parts.
    pub(super) path: String,
    pub(super) text: String,
}

/// A package of the workspace.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Crate {
    pub(super) name: String,
    /// The path of its manifest, relative to the root.
    pub(super) manifest: String,
    /// What it depends on inside of the workspace.
    pub(super) dependencies: Vec<Dependency>,
}

/// An edge between two packages of the workspace.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Dependency {
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// What a dependency is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Normal,
    Build,
    Dev,
}

impl Repo {
    /// Reads the repository at `root`.
    pub(super) fn load(root: &Path) -> Result<Repo, Error> {
        let mut files = Vec::new();
        for path in list_files(root)? {
            match std::fs::read(root.join(&path)) {
                // Inputs of tests may be anything; the rules are about text.
                Ok(bytes) => files.extend(String::from_utf8(bytes).ok().map(|text| File { path, text })),
                // Deleted, but git has not been told yet.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(Error::Io(format!("read {path}"), error)),
            }
        }
        files.sort_by(|left, right| left.path.cmp(&right.path));
        Ok(Repo { files, crates: load_crates(root)? })
    }

    /// The file at this path.
    pub(super) fn file(&self, path: &str) -> Option<&File> {
        self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok().map(|at| &self.files[at])
    }

    /// Whether there is a file or a folder with files at this path.
    pub(super) fn exists(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        let inside = |file: &File| file.path.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
        self.file(path).is_some() || self.files.iter().any(inside)
    }

    /// The files whose name has one of the endings.
    pub(super) fn with_ending(&self, endings: &[&str]) -> impl Iterator<Item = &File> {
        let endings: Vec<String> = endings.iter().map(|ending| format!(".{ending}")).collect();
        self.files
            .iter()
            .filter(move |file| endings.iter().any(|ending| file.path.ends_with(ending.as_str())))
    }

    /// A made-up repository without crates.
    #[cfg(test)]
    pub(super) fn fake(files: &[(&str, &str)]) -> Repo {
        let file = |(path, text): &(&str, &str)| File { path: (*path).to_owned(), text: (*text).to_owned() };
        let mut files: Vec<File> = files.iter().map(file).collect();
        files.sort_by(|left, right| left.path.cmp(&right.path));
        Repo { files, crates: Vec::new() }
    }
}

impl File {
    /// The lines with their numbers, from 1.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines())
    }
}

/// What git tracks or would track; in a folder that is not a clone, everything but build results.
fn list_files(root: &Path) -> Result<Vec<String>, Error> {
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let git = Command::new("git").args(arguments).current_dir(root).output();
    let listed = git.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let files: Vec<String> = listed.split_terminator('\0').map(str::to_owned).collect();
    // Without git there is no list; inside of an unrelated clone that ignores this folder it is empty.
    if files.iter().any(|file| file == "Cargo.toml") { Ok(files) } else { walk(root) }
}

fn walk(root: &Path) -> Result<Vec<String>, Error> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let failed = |error| Error::Io(format!("read the folder {}", root.join(&folder).display()), error);
        for entry in std::fs::read_dir(root.join(&folder)).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = folder.join(entry.file_name());
            let kind = entry.file_type().map_err(failed)?;
            if kind.is_dir() && path != Path::new("target") && path != Path::new(".git") {
                folders.push(path);
            } else if kind.is_file() {
                files.push(path.display().to_string());
            }
        }
    }
    Ok(files)
}

fn load_crates(root: &Path) -> Result<Vec<Crate>, Error> {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(root)
        .output()
        .map_err(|error| Error::Io("start cargo".to_owned(), error))?;
    let failed = |said: String| Error::Tool("cargo metadata".to_owned(), said);
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let metadata: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| failed(error.to_string()))?;
    parse_crates(&metadata).ok_or_else(|| failed("its output lacks an expected field".to_owned()))
}

fn parse_crates(metadata: &Value) -> Option<Vec<Crate>> {
    let root = metadata["workspace_root"].as_str()?;
    let packages = metadata["packages"].as_array()?;
    let names: Vec<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    let parse_dependency = |dependency: &Value| {
        let name = dependency["name"].as_str()?;
        // A crate from outside may have the name of one of ours; only ours have a path.
        if !names.contains(&name) || dependency["path"].is_null() {
            return None;
        }
        let kind = match dependency["kind"].as_str() {
            Some("dev") => Kind::Dev,
            Some("build") => Kind::Build,
            _ => Kind::Normal,
        };
        Some(Dependency { name: name.to_owned(), kind })
    };
    let mut crates = Vec::new();
    for package in packages {
        let manifest = package["manifest_path"].as_str()?;
        let manifest = manifest.strip_prefix(root).unwrap_or(manifest).trim_start_matches('/');
        crates.push(Crate {
            name: package["name"].as_str()?.to_owned(),
            manifest: manifest.to_owned(),
            dependencies: package["dependencies"].as_array()?.iter().filter_map(parse_dependency).collect(),
        });
    }
    crates.sort_by(|left, right| left.name.cmp(&right.name));
    Some(crates)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn files_and_folders_are_found() {
        let repo = Repo::fake(&[("b/c.md", ""), ("a.rs", "x\ny\n")]);
        assert_eq!(repo.file("a.rs").map(|file| file.lines().last()), Some(Some((2, "y"))));
        assert!(repo.exists("b") && repo.exists("b/") && repo.exists("b/c.md"));
        assert!(!repo.exists("c.md") && !repo.exists("b/c"));
        assert_eq!(repo.with_ending(&["rs", "toml"]).count(), 1);
    }

    #[test]
    fn metadata_gives_the_inner_edges_only() {
        let dependency =
            |name: &str, kind: Value, path: Value| json!({"name": name, "kind": kind, "path": path});
        let dependencies = [
            dependency("base", Value::Null, json!("r/crates/base")),
            dependency("serde", Value::Null, Value::Null),
            dependency("base", json!("dev"), Value::Null),
            dependency("base", json!("build"), json!("r/crates/base")),
        ];
        let metadata = json!({"workspace_root": "r", "packages": [
            {"name": "smt", "manifest_path": "r/crates/smt/Cargo.toml", "dependencies": dependencies},
            {"name": "base", "manifest_path": "r/crates/base/Cargo.toml", "dependencies": []},
        ]});
        let crates = parse_crates(&metadata).unwrap_or_default();
        assert_eq!(crates[0].manifest, "crates/base/Cargo.toml");
        let edge = |kind| Dependency { name: "base".to_owned(), kind };
        assert_eq!(crates[1].dependencies, [edge(Kind::Normal), edge(Kind::Build)]);
        assert_eq!(parse_crates(&json!({})), None);
    }
}
