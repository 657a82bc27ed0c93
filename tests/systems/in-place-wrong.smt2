; run: svarog verify --witness - --engine spacer %s
; Each predicate that was put in place has its clause in the derivation.
(set-logic HORN)
(declare-fun two (Int) Bool)
(declare-fun next (Int Int Int) Bool)
(declare-fun calls (Int Int) Bool)
(assert (forall ((v Int)) (=> (= v 2) (two v))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (= z (+ x y 1)) (next x y z))))
(assert (forall ((n Int)) (=> (<= n 0) (calls n 0))))
(assert (forall ((n Int) (x Int) (y Int) (z Int)) (=> (and (> n 0) (calls (- n 1) x) (calls (- n 2) y) (next x y z)) (calls n z))))
(assert (forall ((n Int) (z Int)) (=> (and (= n 2) (calls n z) (two z)) false)))
(check-sat)
