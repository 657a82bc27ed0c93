; run: svarog verify --timeout 60 %s
; Rules and a query about a relation, which holds of something.
(declare-rel sum (Int Int))
(declare-var n Int)
(declare-var s Int)
(rule (sum 0 0) start)
(rule (=> (and (sum n s) (< n 3)) (sum (+ n 1) (+ s n))))
(query (and (sum n s) (> s n)) :print-answer true)
