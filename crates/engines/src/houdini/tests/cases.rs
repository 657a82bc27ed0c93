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
