; run: svarog lint %s
; Declarations in the wrong order are read when they can be; the last one never can.
(declare-datatypes ((Chest 0)) (((chest (inside Box)))))
(declare-datatypes ((Box 0)) (((box (content Item)))))
(declare-datatypes ((Item 0)) (((item (weight Int)))))
(declare-const c Chest)
(assert (< 0 (weight (content (inside c)))))
(declare-datatypes ((Bag 0)) (((bag (pocket Pocket)))))
(assert true)
(declare-datatypes ((Pocket 0)) (((pocket (depth Int)))))
