//! Files to damage: the project's own examples and tests, and small files of the corpus if it is there.

use std::path::Path;

/// Larger files make slow executions and are no better at finding anything.
const LARGEST: u64 = 12_000;

/// The content of all files with one of the endings; never empty.
pub(super) fn of(endings: &[&str]) -> Vec<Vec<u8>> {
    let root = testkit::workspace_root();
    let mut seeds = vec![b"(a (b |c d| \"e\") #x0f 1.5 :k)\n".to_vec()];
    let own = [root.join("examples"), root.join("tests"), root.join("crates/svlib/tests")];
    for dir in own.into_iter().chain(testkit::corpus_dir()) {
        collect(&dir, endings, &mut seeds);
    }
    seeds
}

fn collect(dir: &Path, endings: &[&str], seeds: &mut Vec<Vec<u8>>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, endings, seeds);
            continue;
        }
        let fits = path.extension().and_then(|e| e.to_str()).is_some_and(|e| endings.contains(&e));
        let small = path.metadata().is_ok_and(|m| m.len() <= LARGEST);
        if fits && small {
            seeds.extend(std::fs::read(&path).ok());
        }
    }
}
