//! Where inputs come from: the project's own examples and tests, and small files of the corpus if there is one.

use std::fs;
use std::path::{Path, PathBuf};

use super::targets::Target;
use crate::registry::{Error, workspace_root};

/// Files are taken up to this size: small ones are executed often.
const LONG: u64 = 8 * 1024;

/// At most so many files of the corpus.
const MANY: usize = 400;

/// The seeds of a target, never none.
pub(super) fn collect(target: &Target) -> Result<Vec<Vec<u8>>, Error> {
    let mut files = Vec::new();
    for folder in ["examples", "tests", "crates/svlib/tests"] {
        below(&workspace_root().join(folder), target.endings, &mut files);
    }
    if let Some(corpus) = testkit::corpus_dir() {
        let mut more = Vec::new();
        below(&corpus, target.endings, &mut more);
        // Evenly from everywhere rather than all from the first folder.
        let step = more.len().div_ceil(MANY).max(1);
        files.extend(more.into_iter().step_by(step));
    }
    let mut seeds: Vec<Vec<u8>> = target.seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect();
    for file in files {
        seeds.push(fs::read(&file).map_err(|e| Error::Io(format!("read {}", file.display()), e))?);
    }
    Ok(seeds)
}

fn below(folder: &Path, endings: &[&str], files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        let short = || fs::metadata(&path).is_ok_and(|data| data.len() <= LONG);
        if path.is_dir() {
            below(&path, endings, files);
        } else if path.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending)) && short() {
            files.push(path);
        }
    }
}
