//! Long loops of plain arithmetic are run fast, with the same result as step by step.

use crate::generate;
use crate::support::read;
use svlib::interp::{Options, Random, Task, run, run_observed};

/// Runs the last call of a script fast and step by step; who observes sees every step.
fn agree(text: &str, seed: u64, steps: u64) {
    let mut world = read(text);
    let call = *world.calls().last().expect("a call");
    let task = Task::new(&mut world.terms, &world.script, call).expect("a call");
    let options = Options { steps, ..Options::default() };
    let fast = run(&task, &world.terms, &mut Random::new(seed), &options);
    let slow = run_observed(&task, &world.terms, &mut Random::new(seed), &options, &mut |_| {});
    let shown = |outcome: &svlib::interp::Outcome| {
        format!("{:?} {} {:?} {:?}", outcome.end, outcome.steps, outcome.state, outcome.arbitrary)
    };
    assert_eq!(shown(&fast), shown(&slow), "seed {seed}, {steps} steps\n{text}");
}

fn body(text: &str) -> String {
    format!(
        "(define-proc p () ((r Int)) ((x Int) (y Int) (b Bool) (never Int)) (! {text} :tag p)) (verify-call p ())"
    )
}

#[test]
fn every_operator_and_every_way_to_stop() {
    let bodies = [
        "(sequence (assign (x 0) (y 1)) (while (< x 1000) (assign (x y) (y (+ x 2)))))",
        "(sequence (assign (x 1)) (while (> 1000000000000000000000000 x) (assign (x (* x 3)))))",
        "(sequence (assign (x 100) (y 0)) (while (>= x (- 100)) (assign (x (- x 1)) (y (+ (div x 7) (mod x (- 5)) y)))))",
        "(sequence (assign (x 9) (y 0)) (while true (assign (x (- x 1)) (y (+ y (mod 5 x))))))",
        "(sequence (assign (x 0) (b true)) (while (or b (distinct x 50)) (assign (b (not b)) (x (+ x 1)))))",
        "(sequence (assign (x 0)) (while (and (<= x 99) (= x x)) (sequence (assign (x (+ x 1))) (if (= x 60) (havoc y)) (assume (< x 90)))))",
        "(sequence (assign (x 0)) (while (< x 99) (sequence (assign (x (+ x 1)) (r x)) (if (= x 70) (assign (y (+ y never)))))))",
        "(sequence (assign (x 0)) (while (< x 99) (sequence (! (assign (x (+ x 1))) :tag t :check-true (< x 80)) (assign (y x)))))",
        "(sequence (assign (x 0)) (while (< x 50) (sequence (assign (y 0)) (while (< y x) (sequence (assign (y (+ y 1))) (if (= y 40) (break)))) (assign (x (+ x 1))))))",
    ];
    for text in bodies {
        for steps in [10, 100, 101, 102, 103, 1_000, 100_000] {
            agree(&body(text), 1, steps);
        }
    }
}

#[test]
fn random_programs() {
    for seed in 0..300 {
        agree(&generate::script(seed), seed, 5_000);
    }
}
