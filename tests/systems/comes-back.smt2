; run: svarog verify --engine linear-bmc %s
; What comes back to itself through two atoms cannot be put in place.
(set-logic HORN)
(declare-fun sum (Int) Bool)
(assert (sum 1))
(assert (forall ((n Int) (m Int)) (=> (and (sum n) (sum m)) (sum (+ n m)))))
(assert (forall ((n Int)) (=> (and (sum n) (< n 1)) false)))
(check-sat)
