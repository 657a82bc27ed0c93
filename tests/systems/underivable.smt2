; run: svarog verify --engine spacer --witness - %s
; No clause derives `p`, so it is false, whatever a solver says of a predicate that it has not met; `r` would need it.
(set-logic HORN)
(declare-fun p (Int) Bool)
(declare-fun q (Int) Bool)
(declare-fun r (Int) Bool)
(assert (forall ((x Int)) (=> (= x 3) (q x))))
(assert (forall ((x Int)) (=> (q x) (q (+ x 4)))))
(assert (forall ((x Int) (y Int)) (=> (and (p x) (q y)) (r (+ x y)))))
(assert (forall ((x Int)) (=> (and (r x) (q x)) (p (- x)))))
(assert (forall ((x Int)) (=> (and (p x) (q x)) (q (- x 8)))))
(assert (forall ((x Int)) (=> (and (q x) (< x 3)) false)))
(check-sat)
