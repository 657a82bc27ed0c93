; run: svarog verify --witness - --engine short %s
; A solver may give an array with a truth value as index as the function that gives back its argument.
(set-logic HORN)
(declare-fun same ((Array Bool Bool)) Bool)
(assert (same (store ((as const (Array Bool Bool)) false) true true)))
(assert (forall ((a (Array Bool Bool))) (=> (and (same a) (same (store a true (not (select a false))))) false)))
(check-sat)
