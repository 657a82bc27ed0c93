//! Properties: when they are judged, what they look back at, ranking functions, and what cannot be judged.

use super::support::{read, with_inputs};
use svlib::interp::{End, Judged, Options, Random};

#[test]
fn contracts_of_statements() {
    let text = "(define-proc p ((n Int)) ((r Int)) ()
        (sequence (assign (r n))
          (! (assign (r (+ r 1))) :tag inc :requires (< 0 r) :ensures (< 2 r))))
      (declare-const k Int) (verify-call p (k))";
    assert_eq!(with_inputs(text, &[0]), "violated inc :requires");
    assert_eq!(with_inputs(text, &[1]), "violated inc :ensures");
    assert_eq!(with_inputs(text, &[2]), "returned (r 3)");
}

#[test]
fn a_contract_of_a_loop_is_judged_once_before_and_once_after() {
    let text = "(define-proc p ((n Int)) ((i Int)) ()
        (sequence (assign (i 0))
          (! (while true (sequence (assign (i (+ i 1))) (if (= i n) (break)))) :tag l :requires (= i 0) :ensures (= i n))))
      (declare-const k Int) (verify-call p (k))";
    assert_eq!(with_inputs(text, &[5]), "returned (i 5)");
}

#[test]
fn a_statement_that_is_left_by_a_jump_is_not_over() {
    let text = "(define-proc p ((n Int)) ((r Int)) ()
        (! (sequence (assign (r 0))
             (! (sequence (if (= n 0) (goto out)) (assign (r 1))) :tag inner :ensures (= r 1))
             (label out)) :tag p :ensures (< r 1)))
      (declare-const k Int) (verify-call p (k))";
    assert_eq!(with_inputs(text, &[0]), "returned (r 0)");
    assert_eq!(with_inputs(text, &[1]), "violated p :ensures");
}

#[test]
fn all_properties_of_a_moment_are_judged() {
    let text = "(define-proc p () ((i Int)) ()
        (sequence (assign (i 0)) (! (while (< i 1) (assign (i 1))) :tag l :check-true (= i 5) :invariant (< i 0) :invariant true)))
      (verify-call p ())";
    assert_eq!(with_inputs(text, &[]), "violated l :check-true :invariant");
}

#[test]
fn an_untagged_statement_may_have_properties() {
    let text = "(define-proc p () () () (! (sequence) :check-true false)) (verify-call p ())";
    assert_eq!(with_inputs(text, &[]), "violated untagged :check-true");
    let mut world = read(text);
    let outcome = world.run(&mut Random::new(0), &Options::default());
    let call = world.calls()[0];
    let task = svlib::interp::Task::new(&mut world.terms, &world.script, call).expect("a call");
    assert!(outcome.trace(&mut world.terms, &task).is_none(), "a trace cannot name it");
}

// ---- at

#[test]
fn at_is_the_last_visit_in_this_call() {
    // The inner calls visit the tag as well, with other values.
    let text = "(declare-var g Int)
      (define-procs-rec (down ((n Int)) () ())
        ((! (sequence (assign (g (- g 1))) (if (< 0 n) (call down ((- n 1)) ()))) :tag down
           :ensures (= g (- (at g down) n 1)))))
      (declare-const k Int) (verify-call down (k))";
    assert_eq!(with_inputs(text, &[4, 100]), "returned");
}

#[test]
fn at_of_a_tag_in_another_procedure_is_its_last_visit() {
    let text = "(declare-var g Int)
      (define-proc mark () () () (! (assign (g (+ g 1))) :tag mark))
      (define-proc p ((n Int)) ((i Int)) ()
        (! (sequence (assign (i 0)) (while (< i n) (sequence (call mark () ()) (assign (i (+ i 1))))))
          :tag p :ensures (= (at g mark) (- g 1))))
      (declare-const k Int) (verify-call p (k))";
    assert_eq!(with_inputs(text, &[3, 10]), "returned (i 3)");
    // No visit, no value: the property is not judged.
    let mut world = read(text);
    let values = [0, 10].map(smt::value::Value::int).to_vec();
    let outcome = world.run(&mut svlib::interp::Inputs::new(values), &Options::default());
    assert!(matches!(outcome.end, End::Finished(_)));
    assert_eq!(outcome.unchecked.len(), 1);
}

#[test]
fn at_of_a_loop_is_the_beginning_of_the_round() {
    let text = "(define-proc p ((n Int)) ((i Int)) ()
        (sequence (assign (i 0))
          (! (while (< i n) (sequence (assign (i (+ i 1))) (! (sequence) :tag s :check-true (= i (+ (at i l) 1))))) :tag l)))
      (declare-const k Int) (verify-call p (k))";
    assert_eq!(with_inputs(text, &[5]), "returned (i 5)");
}

// ---- ranking functions

#[test]
fn a_loop_that_is_entered_anew_starts_anew() {
    let text = "(define-proc p ((n Int)) ((i Int)) ((j Int))
        (sequence (assign (i n))
          (! (while (< 0 i) (sequence
               (assign (j 0))
               (! (while (< j i) (assign (j (+ j 1)))) :tag inner :decreases (- i j))
               (assign (i (- i 1))))) :tag outer :decreases i)))
      (declare-const k Int) (verify-call p (k))";
    assert_eq!(with_inputs(text, &[4]), "returned (i 0)");
}

#[test]
fn loops_made_of_labels() {
    let text = |rank: &str| {
        format!(
            "(define-proc p ((n Int)) ((i Int)) ((j Int))
               (sequence (assign (i n))
                 (! (label outer) :tag outer :decreases i)
                 (if (<= i 0) (goto end))
                 (assign (j 0))
                 (! (label inner) :tag inner :decreases {rank})
                 (if (< j i) (sequence (assign (j (+ j 1))) (goto inner)))
                 (assign (i (- i 1)))
                 (goto outer)
                 (label end)))
             (declare-const k Int) (verify-call p (k))"
        )
    };
    assert_eq!(with_inputs(&text("(- i j)"), &[4]), "returned (i 0)");
    assert_eq!(with_inputs(&text("j"), &[4]), "violated inner :decreases");
}

#[test]
fn a_loop_head_that_is_reached_from_above_in_every_round() {
    // The first visit is by a jump, the way back falls through: still a way from the head to the head.
    let text = "(define-proc p ((n Int)) ((i Int)) ()
        (sequence (assign (i n)) (goto head)
          (label back) (assign (i (+ i 1)))
          (! (label head) :tag head :decreases i)
          (if (< i 3) (goto back))))
      (declare-const k Int) (verify-call p (k))";
    assert_eq!(with_inputs(text, &[0]), "violated head :decreases");
    assert_eq!(with_inputs(text, &[3]), "returned (i 3)");
}

#[test]
fn recursive_calls_decrease() {
    let text = |measure: &str, arg: &str| {
        format!(
            "(define-procs-rec (f ((n Int) (m Int)) () ())
               ((! (if (< 0 n) (call f {arg} ())) :tag f {measure})))
             (declare-const k Int) (verify-call f (k k))"
        )
    };
    assert_eq!(with_inputs(&text(":decreases n", "((- n 1) 9)"), &[4]), "returned");
    assert_eq!(with_inputs(&text(":decreases m", "((- n 1) m)"), &[4]), "violated f :decreases");
    assert_eq!(with_inputs(&text(":decreases (- n 3)", "((- n 1) m)"), &[4]), "violated f :decreases");
    assert_eq!(with_inputs(&text(":decreases-lex (m n)", "((- n 1) m)"), &[4]), "returned");
}

#[test]
fn mutual_recursion_compares_caller_and_callee() {
    let text = |even: &str, odd: &str| {
        format!(
            "(define-procs-rec (even ((n Int)) ((r Bool)) ()) (odd ((n Int)) ((r Bool)) ())
               ((! (if (= n 0) (assign (r true)) (call odd ((- n 1)) (r))) :tag even))
               ((! (if (= n 0) (assign (r false)) (call even ((- n 1)) (r))) :tag odd)))
             {even} {odd} (declare-const k Int) (verify-call even (k))"
        )
    };
    let rank = |tag: &str, term: &str| format!("(annotate-tag {tag} :decreases {term})");
    assert_eq!(with_inputs(&text(&rank("even", "n"), &rank("odd", "n")), &[5]), "returned (r false)");
    assert_eq!(
        with_inputs(&text(&rank("even", "n"), &rank("odd", "(+ n 1)")), &[5]),
        "violated odd :decreases"
    );
    // A procedure without one is skipped: from `even` to the next `even`.
    assert_eq!(with_inputs(&text(&rank("even", "n"), ""), &[5]), "returned (r false)");
    assert_eq!(with_inputs(&text(&rank("even", "(- 9 n)"), ""), &[5]), "violated even :decreases");
}

#[test]
fn a_call_that_is_not_recursive_is_not_compared() {
    let text = "(define-proc g ((n Int)) () () (! (sequence) :tag g :decreases n))
      (define-proc f ((n Int)) () () (! (sequence (call g ((+ n 1)) ()) (call g (n) ())) :tag f :decreases n))
      (declare-const k Int) (verify-call f (k))";
    assert_eq!(with_inputs(text, &[4]), "returned");
}

// ---- limits and what cannot be judged

#[test]
fn what_cannot_be_evaluated_is_listed() {
    let mut world = read(
        "(declare-const a (Array Int Int)) (assert (forall ((k Int)) (< (select a k) 5)))
         (define-proc p () ((r Int)) () (! (assign (r 0)) :tag p :ensures (forall ((k Int)) (<= k k)) :ensures (= r 0)))
         (verify-call p ())",
    );
    let outcome = world.run(&mut Random::new(0), &Options::default());
    assert!(matches!(outcome.end, End::Finished(_)));
    let what: Vec<&Judged> = outcome.unchecked.iter().map(|u| &u.what).collect();
    assert!(matches!(what[..], [Judged::Assert(1), Judged::Property(..)]), "{what:?}");
    let message = outcome.unchecked[1].message(&world.terms);
    assert_eq!(
        message,
        "`:ensures` was not checked: a quantifier over a large or infinite sort is not evaluated"
    );
    let mut world =
        read("(define-proc p () ((b Bool)) () (assign (b (forall ((k Int)) (<= k k))))) (verify-call p ())");
    let outcome = world.run(&mut Random::new(0), &Options::default());
    assert!(matches!(outcome.end, End::Error(Some(_), _)), "{:?}", outcome.end);
}

#[test]
fn limits_end_an_execution() {
    let endless = "(define-proc p () () () (while true (sequence))) (verify-call p ())";
    let mut world = read(endless);
    let outcome = world.run(&mut Random::new(0), &Options { steps: 100, ..Options::default() });
    assert!(matches!(outcome.end, End::StepLimit));
    assert_eq!(outcome.steps, 100);
    let jumping = "(define-proc p () () () (sequence (label l) (goto l))) (verify-call p ())";
    let outcome = read(jumping).run(&mut Random::new(0), &Options { steps: 100, ..Options::default() });
    assert!(matches!(outcome.end, End::StepLimit));
    let deep = "(define-procs-rec (p ((n Int)) () ((x Int))) ((call p ((+ n 1)) ()))) (verify-call p (0))";
    let outcome = read(deep).run(&mut Random::new(0), &Options::default());
    assert!(matches!(outcome.end, End::DepthLimit), "{:?}", outcome.end);
    assert_eq!(outcome.state.depth, 1_000_000);
}

#[test]
fn what_smt_lib_leaves_open_is_named() {
    let mut world = read("(define-proc p ((n Int)) ((r Int)) () (assign (r (div n 0)))) (verify-call p (5))");
    let outcome = world.run(&mut Random::new(0), &Options::default());
    assert!(matches!(outcome.end, End::Finished(_)));
    let term = outcome.unspecified.expect("a term");
    assert_eq!(smt::print::term_text(&world.terms, term), "(div n 0)");
}
