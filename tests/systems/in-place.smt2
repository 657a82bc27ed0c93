; run: svarog verify --engine spacer %s
; Predicates that do not come back are put in place although clauses stay ones of several atoms. Of an element the index is not told,
; which would be a quantifier in the solution.
(set-logic HORN)
(declare-fun element ((Array Int Int) Int) Bool)
(declare-fun next (Int Int Int) Bool)
(declare-fun calls (Int Int) Bool)
(assert (forall ((a (Array Int Int)) (i Int) (v Int)) (=> (= v (select a i)) (element a v))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (= z (+ x y 1)) (next x y z))))
(assert (forall ((n Int)) (=> (<= n 0) (calls n 0))))
(assert (forall ((n Int) (x Int) (y Int) (z Int)) (=> (and (> n 0) (calls (- n 1) x) (calls (- n 2) y) (next x y z)) (calls n z))))
(assert (forall ((n Int) (z Int) (a (Array Int Int))) (=> (and (calls n z) (element a z) (< z 0)) false)))
(check-sat)
