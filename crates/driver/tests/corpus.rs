//! No wrong verdict on any task of the corpus whose verdict is known, and every witness validates.

use driver::{
    Format, Input, Loaded, Response, Said, SessionOptions, Threads, Validation, Verdict, VerifyOptions,
};
use std::time::Duration;

fn options() -> VerifyOptions {
    VerifyOptions {
        timeout: Duration::from_millis(150),
        engines: vec!["random".into()],
        seed: 1,
        inputs: vec!["task".into()],
        ..VerifyOptions::default()
    }
}

#[test]
fn verdicts_are_right_and_witnesses_validate() {
    let Some(corpus) = testkit::corpus_or_skip("the verdicts of the SV-LIB corpus") else { return };
    let index = std::fs::read_to_string(corpus.join("svlib/INDEX.tsv")).expect("the index");
    let (mut found, mut expected_false) = (0, 0);
    for line in index.lines().skip(1) {
        let mut columns = line.split('\t');
        let (Some(name), Some(verdict)) = (columns.next(), columns.next()) else { continue };
        if !matches!(verdict, "true" | "true?" | "false") || !name.ends_with(".svlib") {
            continue;
        }
        let bytes = std::fs::read(corpus.join("svlib").join(name)).expect("a task");
        let task = Input { name: name.into(), bytes, format: Format::SvLib };
        let mut loaded = Loaded::read(vec![task.clone()]);
        if loaded.is_bad() {
            continue;
        }
        expected_false += usize::from(verdict == "false");
        let mut answers = Vec::new();
        let session = SessionOptions { produce_witnesses: true, ..SessionOptions::default() };
        driver::answer_all(&mut loaded, options(), session, Threads::default(), |speech| {
            if let Said::Response(Response::Answer(answer)) = speech.said {
                answers.push(*answer);
            }
        });
        for answer in answers {
            assert_ne!(answer.verdict, Verdict::Correct, "{name}: nothing here proves a program correct");
            if answer.verdict != Verdict::Incorrect {
                continue;
            }
            assert_eq!(verdict, "false", "{name} is answered incorrect");
            found += 1;
            let Some(witness) = answer.witness else {
                assert!(!answer.notes.is_empty(), "{name}: it is said why there is no witness");
                continue;
            };
            let witness =
                Input { name: "witness".into(), bytes: witness.into_bytes(), format: Format::SvLib };
            let options = VerifyOptions { timeout: Duration::from_secs(60), ..options() };
            let (task, mut results) = (vec![task.clone()], Vec::new());
            driver::validate(task, witness, &options, &mut Threads::default(), |result| results.push(result));
            assert_eq!(results, [Validation::Confirmed], "{name}");
        }
    }
    // How many are found depends on the machine's speed; that some are does not.
    assert!(found > 0 && expected_false > 0, "{found} of {expected_false} violations are found");
}
