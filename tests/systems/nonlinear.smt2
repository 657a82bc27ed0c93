; run: svarog verify --engine spacer --witness - %s
; Clauses with two atoms in a body are no transition system.
(set-logic HORN)
(declare-fun fib (Int Int) Bool)
(assert (forall ((n Int)) (=> (<= n 1) (fib n 1))))
(assert (forall ((n Int) (a Int) (b Int)) (=> (and (> n 1) (fib (- n 1) a) (fib (- n 2) b)) (fib n (+ a b)))))
(assert (forall ((n Int) (a Int)) (=> (and (fib n a) (< a 1)) false)))
(check-sat)
