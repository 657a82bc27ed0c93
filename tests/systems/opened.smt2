; run: svarog verify --witness - --engine bmc %s
; Variables of a quantifier in a constraint are the clause's, where it can bind them; they have values in a derivation.
(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (forall ((x Int)) (=> (exists ((x Int)) (and (< x 3) (> x 1))) (p (* 7 x)))))
(assert (forall ((x Int)) (=> (and (p x) (exists ((y Int)) (= x (* 5 y))) (> x 0) (< x 40)) false)))
(check-sat)
