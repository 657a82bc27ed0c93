; run: svarog verify --engine linear-ic3ia %s
; run: svarog verify --engine linear-houdini %s
; A function of a program is a predicate of its own, and so is each of its ways.
(set-logic HORN)
(declare-fun half (Int Int) Bool)
(declare-fun step (Int Int) Bool)
(declare-fun reached (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (= x (* 2 y)) (half x y))))
(assert (forall ((x Int) (y Int) (h Int)) (=> (and (half x h) (= y (+ x h h 2))) (step x y))))
(assert (forall ((x Int) (y Int)) (=> (and (< x 0) (= y 0)) (step x y))))
(assert (reached 0 0))
(assert (forall ((x Int) (y Int) (n Int)) (=> (and (reached n x) (step x y)) (reached (+ n 1) y))))
(assert (forall ((x Int) (n Int) (y Int)) (=> (and (reached n x) (step x y) (< y n)) false)))
(check-sat)
