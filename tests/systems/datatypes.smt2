; run: svarog verify --engine spacer --witness - %s
; Arrays in a datatype may be indexed by another datatype, which is defined before it.
(set-logic HORN)
(declare-datatypes ((key 0)) (((key (bytes (Array Int Int)) (length Int)))))
(declare-datatypes ((hashes 0)) (((hashes (first (Array key Int)) (second (Array key Int))))))
(declare-datatypes ((tree 0) (list 0)) (((leaf) (node (sons list) (table hashes))) ((nil) (cons (head tree) (tail list)))))
(declare-fun p (hashes tree Int) Bool)
(assert (forall ((h hashes) (t tree)) (p h t 0)))
(assert (forall ((h hashes) (t tree) (n Int)) (=> (and (p h t n) ((_ is node) t)) (p (table t) t (+ n 1)))))
(assert (forall ((h hashes) (i hashes) (t tree) (n Int) (m Int)) (=> (and (p h t n) (p i t m) (< (+ n m) 0)) false)))
(check-sat)
