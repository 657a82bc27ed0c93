; run: svarog verify --timeout 5 --engine short %s
; There is a solution where all elements are the same one, so the two elements of a refutation are none.
(set-logic HORN)
(declare-sort Thing 0)
(declare-fun seen (Thing) Bool)
(assert (forall ((a Thing)) (seen a)))
(assert (forall ((a Thing) (b Thing)) (=> (seen a) (= a b))))
(check-sat)
