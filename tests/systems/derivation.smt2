; run: svarog verify --engine bmc --witness - %s
; Evidence is about the clauses of the file, not about the system that they are.
(set-logic HORN)
(declare-fun p (Int Int) Bool)
(assert (forall ((n Int)) (=> (= n 0) (p n n))))
(assert (forall ((n Int) (m Int)) (=> (and (p n m) (< n 3)) (p (+ n 1) (+ m 2)))))
(assert (forall ((n Int) (m Int)) (=> (and (p n m) (= m 4)) false)))
(check-sat)
