//! Tasks are answered with every solver program that is installed, and never otherwise than with the embedded solver.
#![expect(clippy::print_stderr, reason = "tests say what they skip")]

use driver::{
    Format, Input, Loaded, Response, Said, SessionOptions, Threads, Verdict, VerifyOptions, answer_all,
    solvers,
};
use std::time::Duration;

/// Tasks that any solver of linear arithmetic can do, with their verdicts.
const TASKS: &[(&str, bool)] = &[
    (
        "(define-proc p ((n Int)) () ((i Int) (s Int)) (sequence (assign (i 0) (s 0))
           (! (while (< i n) (assign (i (+ i 1)) (s (+ s 2)))) :tag head)
           (! (assume true) :tag end :check-true (= s (* 2 i)))))
         (declare-const n Int) (verify-call p (n))",
        true,
    ),
    (
        "(define-proc p ((n Int)) () ((i Int)) (sequence (assign (i 0))
           (! (while (< i n) (assign (i (+ i 3)))) :tag head)
           (! (assume true) :tag end :check-true (not (= i 21)))))
         (declare-const n Int) (verify-call p (n))",
        false,
    ),
    (
        "(define-proc p ((n Int)) () ((i Int)) (sequence (assign (i n))
           (! (while (< 0 i) (assign (i (- i 1)))) :tag head :not-recurring)))
         (declare-const n Int) (verify-call p (n))",
        true,
    ),
    (
        "(declare-var a (Array Int Int))
         (define-proc p ((n Int) (m Int)) () () (sequence (assign (a (store (store a n 1) m 2)))
           (! (assume true) :tag end :check-true (or (= n m) (= (select a n) 1)))))
         (declare-const n Int) (declare-const m Int) (verify-call p (n m))",
        true,
    ),
];

fn verdict(task: &str, solver: &str) -> Verdict {
    let input = Input { name: "task.svlib".into(), bytes: task.as_bytes().to_vec(), format: Format::SvLib };
    let options =
        VerifyOptions { solver: solver.into(), timeout: Duration::from_secs(60), ..VerifyOptions::default() };
    let mut verdicts = Vec::new();
    let mut loaded = Loaded::read(vec![input]);
    answer_all(&mut loaded, options, SessionOptions::default(), Threads::default(), |speech| {
        if let Said::Response(Response::Answer(answer)) = speech.said {
            verdicts.push(answer.verdict);
        }
    });
    verdicts.swap_remove(0)
}

#[test]
fn tasks_are_answered_with_every_solver() {
    for info in solvers() {
        if (info.version)().is_err() {
            eprintln!("{}: not installed, skipped", info.name);
            continue;
        }
        for (task, correct) in TASKS {
            let expected = if *correct { Verdict::Correct } else { Verdict::Incorrect };
            assert_eq!(verdict(task, info.name), expected, "{}\n{task}", info.name);
        }
    }
}
