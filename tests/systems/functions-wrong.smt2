; run: svarog verify --engine linear-bmc --witness - %s
; The derivation is one from the clauses of the file, although the engine puts predicates in place.
(set-logic HORN)
(declare-fun half (Int Int) Bool)
(declare-fun step (Int Int) Bool)
(declare-fun reached (Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (= x (* 2 y)) (half x y))))
(assert (forall ((x Int) (y Int) (h Int)) (=> (and (half x h) (= y (+ x h 3))) (step x y))))
(assert (forall ((x Int) (y Int)) (=> (and (= (mod x 2) 1) (= y (- x 7))) (step x y))))
(assert (reached 0))
(assert (forall ((x Int) (y Int)) (=> (and (reached x) (step x y)) (reached y))))
(assert (forall ((x Int) (y Int)) (=> (and (reached x) (step x y) (= y (- 10))) false)))
(check-sat)
