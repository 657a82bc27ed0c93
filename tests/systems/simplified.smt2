; run: svarog verify --engine spacer --witness - %s
; A solver does not tell the facts that hold anyway, like those of `call` and `start`; the derivation has them.
(set-logic HORN)
(declare-fun start () Bool)
(declare-fun call (Int) Bool)
(declare-fun id (Int Int) Bool)
(assert start)
(assert (forall ((n Int)) (call n)))
(assert (forall ((n Int)) (=> (and start (call n) (<= n 0)) (id n n))))
(assert (forall ((n Int) (m Int)) (=> (and (call n) (id (- n 1) m)) (id n (+ m 1)))))
(assert (forall ((n Int) (m Int)) (=> (and start (id n m) (call m) (= n 2)) false)))
(check-sat)
