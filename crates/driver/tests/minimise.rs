//! A checker that is asked to hands over a smaller witness, after its judgement.

use driver::job::{Duty, Job, Message};
use driver::{Budget, Port, Validation, VerifyOptions};
use std::cell::RefCell;
use std::time::Duration;

const COUNT: &str = "(set-logic LIA)
(declare-var unread Int)
(define-proc count ((n Int)) ((i Int)) ((j Int))
  (! (sequence
       (assign (i 0))
       (! (while (< i n) (assign (i (+ i 1)) (j (- i)))) :tag loop)
       (! (sequence) :tag end :check-true (or (= i n) (< n 0))))
   :tag proc))
(declare-const k Int)
(verify-call count (k))";

#[derive(Default)]
struct Heard(RefCell<Vec<Message>>);

impl Port for Heard {
    fn say(&self, message: &Message) {
        self.0.borrow_mut().push(message.clone());
    }

    fn news(&self) -> Vec<String> {
        Vec::new()
    }
}

fn check(script: &str, witness: &str) -> Vec<Message> {
    let job = Job {
        property: None,
        horn: false,
        duty: Duty::Check(None, witness.into()),
        script: script.into(),
        header: "(set-info :producer \"test\")".into(),
        hints: Vec::new(),
        timeout: Duration::from_secs(600),
        memory: None,
        seed: 0,
        assume_entry_requires: false,
        solver: VerifyOptions::default().solver,
        minimise: Duration::from_secs(300),
        preprocess: false,
    };
    let heard = Heard::default();
    driver::work(&job, &Budget::of(job.timeout), &heard);
    heard.0.into_inner()
}

/// The smaller witness, without line ends and the header.
#[track_caller]
fn smaller(script: &str, witness: &str) -> String {
    let heard = check(script, witness);
    let [Message::Judged(Validation::Confirmed), Message::Smaller(text)] = &heard[..] else {
        panic!("{heard:?}");
    };
    let again = check(script, text);
    assert_eq!(again[0], Message::Judged(Validation::Confirmed), "{text}");
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace("(set-info :producer \"test\")", "").replace("( ", "(")
}

#[test]
fn conjuncts_that_no_condition_needs() {
    let witness = "((annotate-tag loop :invariant
        (and (<= 0 i) (or (<= i n) (< n 0)) (<= (- 5) i) (and (<= (- 7) i) (< (- 8) i)))))";
    // Whether n is negative is known by the first conjunct, or by the second one.
    let small = smaller(COUNT, witness);
    assert_eq!(small, "((annotate-tag loop :invariant (or (<= i n) (< n 0))))");
}

#[test]
fn annotations_that_no_condition_needs() {
    let witness = "((annotate-tag proc :ensures (<= 0 i))
        (annotate-tag loop :invariant (<= 0 i) :invariant (or (<= i n) (< n 0)) :decreases (- n i)))";
    assert_eq!(smaller(COUNT, witness), "((annotate-tag loop :invariant (or (<= i n) (< n 0))))");
}

#[test]
fn what_is_needed_stays() {
    let witness = "((annotate-tag loop :invariant (or (<= i n) (< n 0))))";
    assert_eq!(smaller(COUNT, witness), witness);
    assert_eq!(smaller("(define-proc p () () () (! (sequence) :tag p)) (verify-call p ())", "()"), "()");
}

/// Values that are not read are gone; the model stays complete, since it says what the arguments are.
#[test]
fn values_that_are_not_read() {
    let script = COUNT.replace("(= i n)", "(< i n)").replace("(- i)", "(+ i j)");
    let trace = "(select-trace (model (define-fun k () Int 1)) (init-global-vars (unread 3)) (entry-proc count)
        (steps (init-proc-vars count (i 9) (j 4))) (incorrect-annotation end :check-true (or (< i n) (< n 0))))";
    assert_eq!(
        smaller(&script, &format!("({trace})")),
        "((select-trace (model (define-fun k () Int 1)) (init-global-vars) (entry-proc count) \
         (steps (init-proc-vars count (j 4))) (incorrect-annotation end :check-true (or (< i n) (< n 0)))))"
    );
}

#[test]
fn what_is_rejected_is_not_made_smaller() {
    let heard = check(COUNT, "((annotate-tag loop :invariant (<= 1 i)))");
    assert!(matches!(&heard[..], [Message::Judged(Validation::Rejected(_))]), "{heard:?}");
}
