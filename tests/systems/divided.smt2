; run: svarog verify --timeout 5 --engine short %s
; A solution may choose what a division by zero is.
(set-logic HORN)
(declare-fun p (Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (= y 0) (p (div 7 y)))))
(assert (forall ((x Int)) (=> (p x) (not (= x 0)))))
(check-sat)
