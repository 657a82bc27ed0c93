; run: svarog verify --engine explicit-bits --witness - %s
; What variables are before they are set makes no states.
(set-logic HORN)
(declare-fun begin ((_ BitVec 32) (_ BitVec 32)) Bool)
(declare-fun loop ((_ BitVec 32) (_ BitVec 32)) Bool)
(assert (forall ((x (_ BitVec 32)) (y (_ BitVec 32))) (begin x y)))
(assert (forall ((x (_ BitVec 32)) (y (_ BitVec 32)) (z (_ BitVec 32))) (=> (and (begin x y) (= z #x00000000)) (loop z y))))
(assert (forall ((x (_ BitVec 32)) (y (_ BitVec 32))) (=> (and (loop x y) (distinct x #x00000004)) (loop (bvadd x #x00000001) (bvmul y x)))))
(assert (forall ((x (_ BitVec 32)) (y (_ BitVec 32))) (=> (and (loop x y) (bvult #x00000006 x)) false)))
(check-sat)
