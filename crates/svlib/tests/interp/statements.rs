//! Every kind of statement, and jumps in and out of loops.

use super::support::with_inputs;

/// A procedure with an input, three outputs and two locals, called with a constant.
fn body(body: &str) -> String {
    format!(
        "(declare-var g Int)
         (define-proc set-g ((v Int)) ((old Int)) () (sequence (assign (old g)) (assign (g v))))
         (define-proc p ((n Int)) ((r Int) (s Int) (b Bool)) ((i Int) (j Int))
           (sequence (assign (r 0) (s 0) (b false) (i 0) (j 0)) {body}))
         (declare-const k Int)
         (verify-call p (k))"
    )
}

/// The end of the body for a value of the constant, an initial value of `g` and further inputs.
#[track_caller]
fn check(text: &str, inputs: &[i64], expected: &str) {
    assert_eq!(with_inputs(&body(text), inputs), expected, "{text}");
}

#[test]
fn assume() {
    check("(assume (< n 5))", &[4, 0], "returned (r 0) (s 0) (b false)");
    check("(assume (< n 5))", &[5, 0], "blocked");
}

#[test]
fn assign_is_parallel() {
    check("(sequence (assign (r n) (s 7)) (assign (r s) (s r)))", &[1, 0], "returned (r 7) (s 1) (b false)");
    check(
        "(sequence (assign (i 1) (j 2) (r 3)) (assign (i j) (j r) (r i)) (assign (s (+ (* 10 i) j))))",
        &[0, 0],
        "returned (r 1) (s 23) (b false)",
    );
}

#[test]
fn sequence_may_be_empty() {
    check("(sequence)", &[0, 0], "returned (r 0) (s 0) (b false)");
    check("(sequence (sequence (assign (r 1))) (sequence))", &[0, 0], "returned (r 1) (s 0) (b false)");
}

#[test]
fn if_with_and_without_else() {
    let text = "(if (< n 0) (assign (r (- n))) (assign (r n)))";
    check(text, &[-4, 0], "returned (r 4) (s 0) (b false)");
    check(text, &[5, 0], "returned (r 5) (s 0) (b false)");
    let text = "(if (< n 0) (assign (b true)))";
    check(text, &[-1, 0], "returned (r 0) (s 0) (b true)");
    check(text, &[1, 0], "returned (r 0) (s 0) (b false)");
}

#[test]
fn while_loops() {
    let text = "(while (< i n) (assign (i (+ i 1)) (r (+ r i))))";
    check(text, &[4, 0], "returned (r 6) (s 0) (b false)");
    check(text, &[-1, 0], "returned (r 0) (s 0) (b false)");
}

#[test]
fn break_leaves_the_innermost_loop() {
    let text = "(while (< i 3) (sequence
                  (assign (i (+ i 1)) (j 0))
                  (while true (sequence (if (= j n) (break)) (assign (j (+ j 1)) (r (+ r 1)))))))";
    check(text, &[4, 0], "returned (r 12) (s 0) (b false)");
}

#[test]
fn continue_goes_to_the_head_of_the_innermost_loop() {
    let text = "(while (< i n) (sequence
                  (assign (i (+ i 1)))
                  (if (= (mod i 2) 0) (continue))
                  (assign (r (+ r i)))))";
    check(text, &[6, 0], "returned (r 9) (s 0) (b false)");
}

#[test]
fn return_leaves_the_procedure_from_within_loops() {
    let text = "(while true (while true (sequence (assign (i (+ i 1))) (if (= i n) (sequence (assign (r i)) (return))))))";
    check(text, &[9, 0], "returned (r 9) (s 0) (b false)");
}

#[test]
fn goto_forwards_and_backwards() {
    let text = "(label again) (if (<= n i) (goto out)) (assign (i (+ i 1)) (r (+ r 2))) (goto again)
                (assign (r 100)) (label out)";
    check(text, &[3, 0], "returned (r 6) (s 0) (b false)");
}

#[test]
fn goto_out_of_a_loop() {
    let text = "(while true (sequence (assign (i (+ i 1))) (while true (if (< i n) (break) (goto out)))))
                (assign (r 100)) (label out) (assign (s i))";
    check(text, &[5, 0], "returned (r 0) (s 5) (b false)");
}

#[test]
fn goto_into_a_loop_and_into_a_branch() {
    let text = "(assign (i 5)) (goto inner)
                (while (< i 8) (sequence (assign (r (+ r 100))) (label inner) (assign (i (+ i 1)) (r (+ r 1)))))";
    check(text, &[0, 0], "returned (r 203) (s 0) (b false)");
    let text =
        "(goto inner) (if (= n 0) (assign (r 1)) (sequence (assign (r 2)) (label inner) (assign (s 3))))";
    check(text, &[0, 0], "returned (r 0) (s 3) (b false)");
}

#[test]
fn havoc_takes_values_in_order() {
    check("(havoc r s)", &[1, 2, 3, 4], "returned (r 3) (s 4) (b false)");
    check(
        "(sequence (havoc s) (havoc r) (assign (b (< r s))))",
        &[1, 2, 3, -4],
        "returned (r (- 4)) (s 3) (b true)",
    );
    check("(sequence (havoc g) (assign (r g)))", &[1, 2, 3], "returned (r 3) (s 0) (b false)");
}

#[test]
fn choice_counts_from_zero() {
    let text = "(choice (assign (r 10)) (assign (r 11)) (sequence))";
    check(text, &[0, 0, 0], "returned (r 10) (s 0) (b false)");
    check(text, &[0, 0, 1], "returned (r 11) (s 0) (b false)");
    check(text, &[0, 0, 2], "returned (r 0) (s 0) (b false)");
    assert!(with_inputs(&body(text), &[0, 0, 3]).starts_with("BadInput(2, "));
    assert!(with_inputs(&body(text), &[0, 0]).starts_with("BadInput(2, "));
}

#[test]
fn call_passes_values_and_shares_globals() {
    let text = "(call set-g ((+ n 1)) (r)) (assign (s g))";
    check(text, &[4, 7], "returned (r 7) (s 5) (b false)");
    // A result may go to a global that the callee has assigned: the caller's assignment is the later one.
    check("(call set-g (5) (g)) (assign (r g))", &[0, 7], "returned (r 7) (s 0) (b false)");
    // Results are assigned at once.
    check("(assign (r 1)) (call set-g (r) (r)) (assign (s g))", &[0, 7], "returned (r 7) (s 1) (b false)");
}

#[test]
fn each_call_has_its_own_variables() {
    let text = "(define-procs-rec (fact ((n Int)) ((r Int)) ((m Int)))
          ((if (<= n 0) (assign (r 1))
             (sequence (assign (m n)) (call fact ((- n 1)) (r)) (assign (r (* r m)))))))
        (declare-const k Int) (verify-call fact (k))";
    assert_eq!(with_inputs(text, &[20]), "returned (r 2432902008176640000)");
}

#[test]
fn arguments_are_evaluated_in_the_initial_state() {
    let text = "(declare-var g Int) (declare-fun f (Int) Int)
        (define-proc p ((a Int) (b Int)) ((r Int)) () (sequence (assign (g 0)) (assign (r (+ a b)))))
        (declare-const k Int) (verify-call p ((+ g k) (f 1)))";
    assert_eq!(with_inputs(text, &[3, 4]), "returned (r 7)");
}

#[test]
fn all_theories_in_one_state() {
    let text = "(declare-datatype L ((nil) (cons (head Int) (tail L))))
        (define-proc p () ((a (Array Int Int)) (v (_ BitVec 8)) (q Real) (l L) (f (_ FloatingPoint 5 11))) ()
          (sequence
            (assign (a ((as const (Array Int Int)) 0)) (v #xff) (q 0.5) (l nil) (f (_ +zero 5 11)))
            (assign (a (store a 3 4)) (v (bvadd v #x02)) (q (/ q 3.0)) (l (cons 1 l)) (f (fp.neg f)))))
        (verify-call p ())";
    let expected = "returned (a (store ((as const (Array Int Int)) 0) 3 4)) (v #x01) (q (/ 1.0 6.0)) (l (cons 1 nil)) \
        (f (_ -zero 5 11))";
    assert_eq!(with_inputs(text, &[]), expected);
}

#[test]
fn deep_programs() {
    let depth = 50_000;
    let text = format!("{}(assign (r 1)){}", "(sequence (if true ".repeat(depth), "))".repeat(depth));
    check(&text, &[0, 0], "returned (r 1) (s 0) (b false)");
}
