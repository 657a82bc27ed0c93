; run: svarog verify --engine spacer --witness - %s
; Constraints exclude the one fact of `p`, so it is false; it is used twice, so these clauses are no system.
(set-logic HORN)
(declare-fun p (Int) Bool)
(declare-fun q (Int) Bool)
(declare-fun r (Int) Bool)
(assert (forall ((x Int)) (=> (and (< x 2) (not (< x 2))) (p x))))
(assert (forall ((x Int)) (=> (p x) (q (+ x 1)))))
(assert (r 5))
(assert (forall ((x Int)) (=> (r x) (r (+ x 1)))))
(assert (forall ((x Int) (y Int)) (=> (and (p x) (q y) (< x y)) false)))
(check-sat)
