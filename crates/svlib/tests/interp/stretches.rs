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

/// Loops with so many rounds that many are taken at once, with every number of steps near their ends.
#[test]
fn rounds_at_once() {
    let bodies = [
        "(sequence (assign (x 0)) (while (< x 2000) (assign (x (+ x 1)))))",
        "(sequence (assign (x 0)) (while (<= x 2000) (assign (x (+ x 3)))))",
        "(sequence (assign (x 5000) (y 7)) (while (> x 7) (assign (x (- x 2)) (y (+ y x)))))",
        "(sequence (assign (x 5000) (y 7)) (while (>= x y) (assign (x (- x 2)) (y (+ y 3)))))",
        "(sequence (assign (x 0) (y 0)) (while (distinct x 1500) (assign (x (+ x 5)) (y (- y 1)))))",
        "(sequence (assign (x 0) (y 0)) (while (distinct x 1501) (assign (x (+ x 5)) (y (- y 1)))))",
        "(sequence (assign (x 0) (y 0)) (while (not (= (* 3 x) 4500)) (assign (x (+ x 1)))))",
        "(sequence (assign (x 0) (y 9)) (while (< x 3000) (if (< x 1000) (assign (x (+ x 1))) (sequence (if (< x 1700) (assign (x (+ x 3))) (assign (x (+ x 7)))) (assign (y (+ y 1)))))))",
        "(sequence (assign (x 0) (y 0)) (while (< x 3000) (sequence (assign (x (+ x 1))) (if (= (mod x 500) 0) (assign (y (+ y 1)))))))",
        "(sequence (assign (x 0) (y 0)) (while (< x 40) (sequence (assign (y 0)) (while (< y 300) (assign (y (+ y 1)))) (assign (x (+ x 1))))))",
        "(sequence (assign (x 0) (b true)) (while (and b (< x 1000)) (sequence (assign (x (+ x 1))) (if (= x 900) (assign (b false))))))",
        "(sequence (assign (x 0)) (while (< x 900) (sequence (assign (x (+ x 1))) (assume (< x 800)))))",
        "(sequence (assign (x 0)) (while (< x 900) (sequence (assign (x (+ x 1))) (if (= x 700) (assign (y never))))))",
        "(sequence (assign (x 9223372036854770000)) (while (< x 9223372036854780000) (assign (x (+ x 3)))))",
        "(sequence (assign (x 0) (y 1)) (while true (assign (x (+ x 1)) (y x))))",
        "(sequence (assign (x 0) (y 0)) (while (< x 2000) (assign (x (+ y 1)) (y x))))",
    ];
    for text in bodies {
        for steps in [600, 601, 602, 603, 604, 1_999, 2_000, 2_001, 2_002, 50_000] {
            agree(&body(text), 1, steps);
        }
    }
}

#[test]
fn a_million_million_rounds() {
    let text = body(
        "(sequence (assign (x 0) (y 5))
           (while (< x 1000000000000) (assign (x (+ x 1)) (y (+ y 2))))
           (! (sequence) :tag end :check-true (= y (+ 5 (* 2 x)))))",
    );
    let mut world = read(&text);
    let call = *world.calls().last().expect("a call");
    let task = Task::new(&mut world.terms, &world.script, call).expect("a call");
    let options = Options { steps: u64::MAX, ..Options::default() };
    let outcome = run(&task, &world.terms, &mut Random::new(1), &options);
    assert!(matches!(outcome.end, svlib::interp::End::Finished(_)), "{:?}", outcome.end);
    assert!(outcome.steps > 3_000_000_000_000, "{}", outcome.steps);
}

/// Loops over sums, with comparisons and branches at random places.
#[test]
fn random_loops() {
    for seed in 0..150 {
        let mut rng = testkit::Rng::new(seed);
        let mut number = |most: usize| match rng.below(most) as i64 - most as i64 / 2 {
            number if number < 0 => format!("(- {})", -number),
            number => number.to_string(),
        };
        let (x, y, r) = (number(400), number(400), number(9));
        let (a, b, c) = (number(9), number(9), number(9));
        let (limit, place) = (number(2_000), number(2_000));
        let condition = ["(< x {})", "(distinct y {})", "(<= (+ x y) {})", "(not (= (- x r) {}))"];
        let inner = ["(< y {})", "(= x {})", "(>= (- x y) {})"];
        let (condition, inner) = (*rng.choose(&condition), *rng.choose(&inner));
        let (condition, inner) = (condition.replace("{}", &limit), inner.replace("{}", &place));
        let text = format!(
            "(sequence
               (assign (x {x}) (y {y}) (r {r}))
               (while {condition}
                 (sequence
                   (assign (x (+ x {a})) (y (+ y r)))
                   (if {inner} (assign (r {b})) (assign (y (+ y {c})))))))"
        );
        for steps in [700, 701, 3_000] {
            agree(&body(&text), seed, steps);
        }
    }
}
