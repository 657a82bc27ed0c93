//! The programs of the repository and of the corpus are translated.

use super::{findings, translated, try_translate};
use diag::codes;
use std::path::{Path, PathBuf};

fn programs(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("a folder can be listed").path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|end| end == "k2")).collect();
    paths.sort();
    paths
}

#[test]
fn examples_are_translated() {
    let paths = programs(&testkit::workspace_root().join("examples/k2"));
    assert!(!paths.is_empty());
    for path in paths {
        translated(&std::fs::read_to_string(path).expect("an example can be read"));
    }
}

/// The code blocks of a page.
fn blocks(page: &str) -> Vec<&str> {
    page.split("```lisp\n")
        .skip(1)
        .filter_map(|rest| rest.split_once("```"))
        .map(|(block, _)| block)
        .collect()
}

#[test]
fn pages_show_what_they_explain() {
    for code in [codes::K2001, codes::K2002, codes::K2003, codes::K2004] {
        let blocks = blocks(code.info().page);
        assert_eq!(blocks.len(), 2, "{code} has an example and its repair");
        let errors = try_translate(blocks[0]).expect_err("the example is refused");
        assert!(errors.iter().all(|error| error.code == code), "{code}: {:?}", findings(blocks[0], &errors));
        translated(blocks[1]);
    }
}

#[test]
fn corpus_is_translated() {
    let Some(corpus) = testkit::corpus_or_skip("K2 programs of the corpus") else { return };
    let paths = programs(&corpus.join("svlib/k2"));
    assert_eq!(paths.len(), 4);
    for path in paths {
        let translation = translated(&std::fs::read_to_string(&path).expect("a task can be read"));
        assert!(translation.script.contains("(annotate-tag __VERIFIER_error :check-true false)"), "{path:?}");
    }
}
