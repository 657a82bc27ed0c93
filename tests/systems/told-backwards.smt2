; run: svarog verify --engine explicit-bits %s
; What words were is told by what they become: the step computes it the other way round.
(set-logic HORN)
(declare-fun loop ((_ BitVec 32) (_ BitVec 32)) Bool)
(assert (loop #x00000000 #x00000007))
(assert (forall ((x (_ BitVec 32)) (y (_ BitVec 32)) (u (_ BitVec 32)) (v (_ BitVec 32)))
  (=> (and (loop u v) (= v (bvadd #x00000001 (bvmul #xffffffff x) y)) (= u (bvsub x #x00000003)) (bvult u #x00000060)) (loop x y))))
(assert (forall ((x (_ BitVec 32)) (y (_ BitVec 32))) (=> (and (loop x y) (= x #x00000040)) false)))
(check-sat)
