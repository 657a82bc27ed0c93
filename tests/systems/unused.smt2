; run: svarog verify --witness - %s
; Arguments that nobody asks about have values in a derivation all the same, and each clause passes them on.
(set-logic HORN)
(declare-fun begin (Int Int (Array Int Int)) Bool)
(declare-fun loop (Int Int (Array Int Int)) Bool)
(assert (forall ((x Int) (y Int) (a (Array Int Int))) (=> (and (= y 7) (= a ((as const (Array Int Int)) y))) (begin x y a))))
(assert (forall ((x Int) (y Int) (z Int) (a (Array Int Int))) (=> (and (begin x y a) (= z 0)) (loop z y a))))
(assert (forall ((x Int) (y Int) (a (Array Int Int))) (=> (and (loop x y a) (< x 5)) (loop (+ x 1) (+ y y) (store a x y)))))
(assert (forall ((x Int) (y Int) (a (Array Int Int))) (=> (and (loop x y a) (= x 2)) false)))
(check-sat)
