//! The corpus' C programs that need no preprocessor: nearly all are parsed and typed, and their automata are well-formed.

use cfront::cfa::automata;
use cfront::{DataModel, needs_preprocessor, parse};

#[test]
fn programs_of_the_corpus_are_understood() {
    let Some(corpus) = testkit::corpus_or_skip("the corpus of C programs") else { return };
    let folder = corpus.join("c");
    let Ok(index) = std::fs::read_to_string(folder.join("index.tsv")) else {
        return testkit::skip("the corpus of C programs", "it has no index");
    };
    // Files, and those that were refused: of SV-COMP, and of all sources.
    let (mut svcomp, mut all) = ((0, 0), (0, 0));
    for line in index.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let model = DataModel::named(columns[5].trim_end_matches('?')).unwrap_or_default();
        let Ok(text) = std::fs::read(folder.join(columns[0])) else { continue };
        if needs_preprocessor(&text) {
            continue;
        }
        let unit = parse(&text, 0, model);
        let refused = usize::from(unit.is_bad());
        for (files, bad) in
            [Some(&mut all), columns[1].starts_with("sosy-lab/sv-benchmarks").then_some(&mut svcomp)]
                .into_iter()
                .flatten()
        {
            *files += 1;
            *bad += refused;
        }
        if refused == 0 {
            for cfa in automata(&unit) {
                assert_eq!(cfa.verify(), [""; 0], "{}", columns[0]);
            }
        }
    }
    assert!(svcomp.0 > 0 && svcomp.1 * 1000 <= svcomp.0 * 5, "SV-COMP: {svcomp:?}");
    assert!(all.1 * 100 <= all.0 * 2, "all: {all:?}");
}
