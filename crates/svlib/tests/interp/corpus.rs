//! Executions of the corpus, where there is one: tasks that are known to be correct are never violated, and many of
//! the others are; every violation replays.

use super::support::World;
use smt::sexpr::Text;
use smt::term::Terms;
use std::io::Write;
use svlib::interp::{End, Options, Random, Replay, Task, run};
use svlib::parse::{Builder, read_file};

#[test]
fn verdicts_of_the_corpus() {
    let Some(folder) = testkit::corpus_or_skip("verdicts of the corpus") else { return };
    let folder = folder.join("svlib");
    let index = std::fs::read_to_string(folder.join("INDEX.tsv")).expect("an index");
    let (mut tasks, mut violated, mut expected, mut runs) = (0, 0, 0, 0);
    let mut surprises = Vec::new();
    for line in index.lines().skip(1) {
        let mut fields = line.split('\t');
        let (Some(name), Some(verdict)) = (fields.next(), fields.next()) else { continue };
        let text = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        let mut terms = Terms::new();
        let mut builder = Builder::new(&mut terms);
        let mut errors = Vec::new();
        read_file(&mut builder, &mut terms, Text::new(&text, 0), &mut errors);
        if errors.iter().any(|error| error.is_error()) {
            continue;
        }
        let mut world = World { terms, script: builder.state.script };
        let correct = verdict == "true" || verdict == "true,true" || verdict == "true?";
        expected += usize::from(verdict == "false");
        let mut found = None;
        for call in world.calls() {
            tasks += 1;
            let task = Task::new(&mut world.terms, &world.script, call).expect("a call");
            for seed in 0..20 {
                runs += 1;
                let options = Options { steps: 4_000, ..Options::default() };
                let outcome = run(&task, &world.terms, &mut Random::new(seed), &options);
                if let End::Error(stmt, error) = &outcome.end {
                    surprises.push(format!("{name}: {stmt:?} {}", error.message(&world.terms)));
                }
                if let End::Violated(violation) = &outcome.end {
                    let mut replay = Replay::of_execution(&world.terms, &outcome.execution);
                    let again = run(&task, &world.terms, &mut replay, &options);
                    assert!(matches!(&again.end, End::Violated(same) if same == violation), "{name}");
                    found = Some(outcome.end.message(&world.terms, &task));
                }
            }
        }
        violated += usize::from(found.is_some() && verdict == "false");
        if let Some(message) = found.filter(|_| correct) {
            surprises.push(format!("{name} is {verdict}: {message}"));
        }
    }
    surprises.sort();
    surprises.dedup();
    assert!(surprises.is_empty(), "{surprises:#?}");
    let _ = writeln!(
        std::io::stderr(),
        "interpreter: {runs} executions of {tasks} calls; {violated} of {expected} incorrect tasks violated"
    );
}
