//! The examples of the repository, and the figures of the paper with their witnesses.

use super::support::{World, read};
use diag::SourceMap;
use smt::term::Terms;
use std::io::Write;
use std::path::Path;
use svlib::interp::{End, Judgement, Options, Random, Replay, Task, run};
use svlib::witness::read_validation_task;

fn folder() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn text(name: &str) -> String {
    let path = folder().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A task with its witness, replayed.
fn validate(task: &str, witness: &str) -> (String, Judgement) {
    let mut sources = SourceMap::default();
    let task = sources.add(task, text(task)).expect("a small file");
    let witness = sources.add(witness, text(witness)).expect("a small file");
    let mut terms = Terms::new();
    let (read, errors) = read_validation_task(&mut terms, &sources, &[task], witness);
    let builder = read.builder;
    assert!(errors.iter().all(|e| !e.is_error()), "{errors:#?}");
    let mut world = World { terms, script: builder.state.script };
    let mut replay = Replay::of_trace(&world.terms, &world.trace());
    let outcome = world.run(&mut replay, &Options::default());
    (world.end(&outcome.end), replay.judge(&outcome))
}

#[test]
fn figure_5b_violates_the_postcondition() {
    let (end, judgement) = validate("paper/fig5a.svlib", "paper/fig5b.witness.svlib");
    assert_eq!((end.as_str(), judgement), ("violated proc-add :ensures", Judgement::Confirmed));
}

#[test]
fn figure_7b_leaps_to_a_violation() {
    let (end, judgement) = validate("paper/fig7a.svlib", "paper/fig7b.witness.svlib");
    assert_eq!((end.as_str(), judgement), ("violated proc-add :ensures", Judgement::Confirmed));
}

#[test]
fn figure_6b_is_a_lasso_whose_annotation_does_not_hold() {
    let (end, judgement) = validate("paper/fig6a.svlib", "paper/fig6b.witness.svlib");
    assert_eq!((end.as_str(), judgement), ("stem false", Judgement::Refuted));
}

#[test]
fn the_lasso_example_has_a_stem() {
    let mut world = read(&text("lasso.svlib"));
    let mut replay = Replay::of_trace(&world.terms, &world.trace());
    let outcome = world.run(&mut replay, &Options::default());
    assert_eq!(replay.judge(&outcome), Judgement::Stem);
}

/// Examples whose calls are all correct never go wrong, whatever the seed.
#[test]
fn correct_examples_run_without_violation() {
    let names = [
        "add.svlib",
        "arrays.svlib",
        "at.svlib",
        "bitvectors.svlib",
        "datatypes.svlib",
        "goto.svlib",
        "nondet.svlib",
        "recursion.svlib",
    ];
    for name in names {
        let mut world = read(&text(name));
        let mut finished = 0;
        for call in world.calls() {
            let task = Task::new(&mut world.terms, &world.script, call).expect("a call");
            for seed in 0..60 {
                let options = Options { steps: 20_000, ..Options::default() };
                let outcome = run(&task, &world.terms, &mut Random::new(seed), &options);
                let ok = matches!(outcome.end, End::Finished(_) | End::Blocked(_) | End::StepLimit);
                assert!(ok, "{name}, seed {seed}: {:?}", outcome.end);
                finished += usize::from(matches!(outcome.end, End::Finished(_)));
            }
        }
        assert!(finished > 20, "{name}: {finished}");
    }
}

/// Figures 3a, 4, 5a and 8 are violated by some arguments.
#[test]
fn figures_with_violations() {
    let cases = [
        ("fig3a", "violated proc-add :requires"),
        ("fig4", "violated proc-mul :ensures"),
        ("fig5a", "violated proc-add :ensures"),
        ("fig8", "violated proc-add :requires"),
    ];
    for (name, expected) in cases {
        let ends = super::support::at_random(&text(&format!("paper/{name}.svlib")), 60);
        assert!(ends.iter().any(|end| end == expected), "{name}: {ends:?}");
    }
}

fn scripts(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            scripts(&path, found);
        } else if path.to_string_lossy().ends_with(".svlib") && !path.to_string_lossy().contains(".witness.")
        {
            found.push(path);
        }
    }
}

/// All example scripts, for the laws.
pub(crate) fn all() -> Vec<(String, String)> {
    let mut found = Vec::new();
    scripts(&folder(), &mut found);
    assert!(found.len() >= 15, "{}", found.len());
    let read = |path: std::path::PathBuf| {
        (path.display().to_string(), std::fs::read_to_string(&path).expect("a file"))
    };
    found.into_iter().map(read).collect()
}

/// A million rounds of a loop with one assignment and one test each. The number of steps in a second is printed.
#[test]
fn a_million_rounds() {
    let mut world = read(
        "(define-proc p ((n Int)) ((i Int)) ((s Int))
           (! (sequence (assign (i 0) (s 0)) (! (while (< i n) (assign (i (+ i 1)) (s (+ s i)))) :tag l)) :tag p
             :ensures (= i n)))
         (verify-call p (1000000))",
    );
    let start = std::time::Instant::now();
    let outcome = world.run(&mut Random::new(0), &Options::default());
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(world.end(&outcome.end), "returned (i 1000000)");
    assert!(outcome.steps > 4_000_000);
    let rate = outcome.steps as f64 / seconds / 1e6;
    let _ = writeln!(std::io::stderr(), "interpreter: {rate:.1} million steps in a second");
}
