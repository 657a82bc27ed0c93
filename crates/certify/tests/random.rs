//! No annotations prove a program that has a violation: random programs with made-up correctness witnesses.

use base::budget::Budget;
use certify::{Judged, check_proof};
use diag::SourceMap;
use smt::term::Terms;
use std::time::Duration;
use svlib::interp::Options;
use testkit::programs::{Judgement, Limits, exact_witness, generate, judge, random_witness};

fn check(task: &str, witness: &str) -> Judged {
    let mut sources = SourceMap::default();
    let files = [
        sources.add("task", task.to_string()).expect("fits"),
        sources.add("witness", witness.to_string()).expect("fits"),
    ];
    let mut terms = Terms::new();
    let (read, findings) = svlib::witness::read_validation_task(&mut terms, &sources, &files[..1], files[1]);
    assert!(!findings.iter().any(diag::Diagnostic::is_error), "{findings:?}\n{task}\n{witness}");
    let part = &read.parts[0];
    let added: Vec<usize> = part.added.clone().expect("the witness has a group").collect();
    let script = &read.builder.state.script;
    let mut solver = solver::open("z3").expect("there is a solver");
    let budget = Budget::of(Duration::from_secs(60));
    check_proof(&mut terms, script, part.command, &added, &Options::default(), &mut *solver, &budget)
}

#[test]
fn no_witness_proves_a_violated_program() {
    let limits = Limits { nodes: 5_000 };
    let mut confirmed = 0;
    for seed in 0..60 {
        let program = generate(seed);
        let judgement = judge(&program, limits);
        let task = program.to_string();
        let mut witnesses: Vec<String> = exact_witness(&program, limits, None).into_iter().collect();
        witnesses.extend(exact_witness(&program, limits, Some(seed)));
        witnesses.push(random_witness(&program, seed));
        for witness in witnesses {
            let judged = check(&task, &witness);
            if judged == Judged::Confirmed {
                confirmed += 1;
                let violated = matches!(judgement, Judgement::Violated(_));
                assert!(!violated, "seed {seed}: {judgement:?}\n{task}\n{witness}");
            }
        }
    }
    assert!(confirmed >= 10, "only {confirmed} witnesses were confirmed: the test shows little");
}
