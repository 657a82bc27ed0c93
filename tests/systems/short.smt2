; run: svarog verify --engine short --witness - %s
; A fact that is used twice is derived once.
(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (p 1))
(assert (forall ((n Int) (m Int)) (=> (and (p n) (p m) (= n m)) (p (+ n m)))))
(assert (forall ((n Int)) (=> (and (p n) (> n 3)) false)))
(check-sat)
