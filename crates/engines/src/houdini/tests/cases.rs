//! Programs whose invariants differ from case to case.

use super::{proved, proved_program};

#[test]
fn one_case_for_each_value() {
    let body = "(assume (and (<= 1 k) (<= k 6))) (assign (i 0))
                (! (while (< i (* 100 k)) (assign (i (+ i k)))) :tag loop)";
    proved_program("k i", body, "(= i (* 100 k))");
}

#[test]
fn what_holds_with_what_comes_later() {
    // That `x` does not exceed the end needs the remainder, which holds only in the second half.
    let body = "(assign (x 0))
                (! (while (< x 100000)
                     (if (< x 50000) (assign (x (+ x 1))) (assign (x (+ x 2))))) :tag loop)";
    proved_program("x", body, "(= x 100000)");
}

#[test]
fn a_contract_with_two_conditions() {
    proved(
        "(define-proc even ((w Int)) ((r Int)) ((i Int))
           (! (sequence
                (assign (r 5))
                (if (< w 4) (assign (r 3))
                  (sequence
                    (assign (i 0))
                    (! (while (< i w) (assign (i (+ i 2)))) :tag loop)
                    (if (= i w) (assign (r 4)))))) :tag even))
         (define-proc main () () ((w Int) (r Int))
           (! (sequence
                (havoc w) (call even (w) (r))
                (! (sequence) :tag end)) :tag main))
         (annotate-tag end :check-true (and (=> (< w 4) (= r 3)) (=> (and (>= w 4) (= (mod w 2) 0)) (= r 4))))
         (verify-call main ())",
    );
}

#[test]
fn calls_with_many_conditions() {
    proved(
        "(declare-var g Int)
         (define-proc step ((a Int) (b Int) (c Int)) ((r Int)) () (! (assign (r (+ a b c g))) :tag step))
         (define-proc main () () ((x Int) (y Int))
           (! (sequence
                (assign (g 2))
                (call step (1 2 3) (x)) (call step (2 3 4) (y))
                (! (sequence) :tag end)) :tag main))
         (annotate-tag end :check-true (= (+ x 3) y))
         (verify-call main ())",
    );
}

#[test]
fn loops_that_may_not_be_run() {
    // What is counted up is counted down again; each limit may be negative.
    let body = "(assign (k 0) (i 0))
                (! (while (< i (* 3 m)) (assign (i (+ i 1)) (k (+ k 1)))) :tag first)
                (assign (i 0))
                (! (while (< i n) (assign (i (+ i 1)) (k (+ k 1)))) :tag second)
                (assign (i 0))
                (! (while (< i n) (assign (i (+ i 1)) (k (- k 1)))) :tag third)";
    proved_program("m n k i", body, "(= k (ite (< m 0) 0 (* 3 m)))");
}

#[test]
fn bounds_of_what_was_equal_before() {
    // In the first loop `y` is the sum of all numbers up to `x`; in the second it is more.
    let body = "(assign (x 0) (y 0))
                (! (while (< x n) (assign (x (+ x 1)) (y (+ y x 1)))) :tag up)
                (assign (y (+ y 1)))
                (! (while (< 0 x) (assign (x (- x 1)) (y (- y (- x 2))))) :tag down)";
    proved_program("n x y", body, "(> y 0)");
}

#[test]
fn moduli_that_the_text_does_not_name() {
    let body = "(assign (x 0))
                (! (while (< x 210)
                     (sequence
                       (assign (y 0))
                       (! (while (< y 7) (assign (y (+ y 1)))) :tag inner)
                       (assign (x (+ x (* 2 y)))))) :tag outer)";
    proved_program("x y", body, "(= x 210)");
}

#[test]
fn factors_of_steps() {
    let body = "(assign (x 0) (y 0))
                (! (while (< x n)
                     (choice (assign (x (+ x 1)) (y (+ y 100))) (assign (x (+ x 1)) (y (+ y 7))))) :tag loop)";
    proved_program("n x y", body, "(<= y (* 100 x))");
}
