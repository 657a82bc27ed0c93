//! The third-party corpus, if it is there: every VMT-LIB and Horn-clause file is read and sort-checked, except for the
//! malformed ones, which get an exact error; and what is asserted or defined survives printing.

mod common;

use common::{Kernel, shown};
use std::path::{Path, PathBuf};

/// Files with findings: the end of the path, and the first finding. All others must have none.
const FINDINGS: &[(&str, &str)] = &[
    // Datatypes in an order that the standard does not know.
    ("unary_add_array_push_2.sol_5_000.smt2", "9:167 SMT024 "),
    // A sort that is not declared.
    ("bvlist_merkle_proof.vmt", "9:29 SMT013 unknown sort `List`"),
    // A predicate with one argument too few.
    ("bubble-quans3.smt2", "11:16 SMT014 `sp0` takes 7 arguments, not 6"),
    // MoXI under another name.
    (
        "FibonacciSequence_unreach.smt2",
        "2:2 SMT011 unknown command `define-system` [this is a command of MoXI]",
    ),
    // A definition that carries `:next` states another sort than its variable has.
    ("euforia/another1.vmt", "3:948 VMT001 "),
    ("euforia/array_ex2.vmt", "20:27 VMT001 "),
    ("euforia/bad-array-lemma.vmt", "11:31 VMT001 "),
    ("euforia/bad-takes-time.vmt", "3:1924 VMT001 "),
    ("euforia/bad_bmc1.vmt", "14:31 VMT001 "),
    ("euforia/bad_bmc_existential1.vmt", "3:124 VMT001 "),
    ("euforia/bad_dupe_bmc_lemma1.vmt", "6:31 VMT001 "),
    // Several definitions called `property`.
    ("chord_ring_maintenance.vmt", "292:13 VMT002 "),
    ("fast_paxos.vmt", "299:13 VMT002 "),
    ("multi_paxos.vmt", "289:13 VMT002 "),
];

fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.expect("the corpus can be listed").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files_below(&path, files);
        } else if path.extension().is_some_and(|e| e == "vmt" || e == "smt2") {
            files.push(path);
        }
    }
}

/// Reads a file, and prints and reads again all its terms; what was found in it.
fn check(path: &Path) -> Vec<String> {
    let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let text = String::from_utf8(bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut kernel = if path.extension().is_some_and(|e| e == "vmt") { Kernel::vmt() } else { Kernel::new() };
    let (commands, errors) = kernel.read(&text);
    // No file of the corpus takes a declaration back, so at the end every name means what it meant before.
    for command in commands {
        kernel.command_law(&command);
    }
    shown(&text, &errors)
}

#[test]
fn every_file_is_read_or_has_its_exact_error() {
    let Some(corpus) = testkit::corpus_or_skip("reading the VMT-LIB and Horn-clause corpus") else { return };
    let mut files = Vec::new();
    files_below(&corpus.join("ts/vmt"), &mut files);
    files_below(&corpus.join("ts/chc"), &mut files);
    assert!(files.len() > 1000, "only {} files", files.len());
    let mut met = 0;
    for path in &files {
        let found = check(path);
        let expected = FINDINGS.iter().find(|(end, _)| path.ends_with(end));
        match (found.first(), expected) {
            (None, None) => {}
            (Some(first), Some((_, expected))) if first.starts_with(expected) => met += 1,
            (first, _) => panic!("{}: {first:?}, expected {expected:?}", path.display()),
        }
    }
    assert_eq!(met, FINDINGS.len());
}
