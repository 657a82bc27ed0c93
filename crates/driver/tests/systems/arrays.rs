//! Systems with arrays: what is found out about all cells by looking at single ones.

use super::ask;

/// A loop that goes over the first `n` cells and does something in each.
fn over_cells(step: &str, prop: &str) -> String {
    format!(
        "(declare-const a (Array Int Int))(declare-const a.next (Array Int Int))
(declare-const b (Array Int Int))(declare-const b.next (Array Int Int))
(declare-const i Int)(declare-const i.next Int)(declare-const n Int)(declare-const n.next Int)(declare-const z Int)(declare-const d Int)
(define-fun init () Bool (and (= i 0) (= b ((as const (Array Int Int)) 7))))
(define-fun trans () Bool (and (= n.next n) (ite (< i n)
  (and (= i.next (+ i 1)) {step})
  (and (= i.next i) (= a.next a) (= b.next b)))))
(define-fun prop () Bool (=> (and (>= i n) (<= 0 z) (< z n)) {prop}))"
    )
}

const COPY: &str = "(= a.next a) (= b.next (store b i (+ (select a i) 1)))";

#[test]
fn cells_of_one_array_and_of_two() {
    let filled = over_cells("(= a.next (store a i (* 2 i))) (= b.next b)", "(= (select a z) (* 2 z))");
    assert_eq!(ask("cells", &filled), Ok(true));
    assert_eq!(ask("cells", &over_cells(COPY, "(> (select b z) (select a z))")), Ok(true));
    let unlike = over_cells(COPY, "(> (select a z) (select b z))");
    assert_eq!(ask("cells", &unlike), Err("single cells of arrays do not show it".into()));
}

/// What is beyond the last cell that was written is as it was.
#[test]
fn constant_arrays() {
    let text = over_cells(COPY, "(= (select b (+ n z)) 7)");
    assert_eq!(ask("cells", &text), Ok(true));
}

/// Arrays are compared as a whole, and not only where that is demanded.
#[test]
fn comparisons_of_arrays() {
    let step = "(= a.next (store a i (select b i))) (= b.next b)";
    let same = over_cells(step, "(= (select a z) (ite (= a b) 7 (select b z)))");
    assert_eq!(ask("cells", &same), Ok(true));
    let step = "(ite (= a b) (= a.next a) (= a.next (store a i 7))) (= b.next b)";
    assert_eq!(ask("cells", &over_cells(step, "(= (select a z) 7)")), Ok(true));
}

#[test]
fn arrays_of_arrays() {
    let text =
        "(declare-const a (Array Int (Array Int Int)))(declare-const a.next (Array Int (Array Int Int)))
(declare-const i Int)(declare-const i.next Int)(declare-const j Int)(declare-const j.next Int)
(declare-const y Int)(declare-const z Int)
(define-fun init () Bool (and (= i 0) (= j 0)))
(define-fun trans () Bool (ite (< j 9)
  (and (= a.next (store a i (store (select a i) j (+ i j)))) (= j.next (+ j 1)) (= i.next i))
  (and (= a.next a) (= j.next 0) (= i.next (+ i 1)))))
(define-fun prop () Bool (=> (and (<= 0 y) (< y i) (<= 0 z) (< z 9)) (= (select (select a y) z) (+ y z))))";
    assert_eq!(ask("cells", text), Ok(true));
    assert!(ask("cells", &text.replace("(< y i)", "(<= y i)")).is_err());
}

/// That an array is sorted is about two of its cells.
#[test]
fn two_cells() {
    let step = "(<= 0 d) (= a.next (store a i (+ (select a (- i 1)) d))) (= b.next b)";
    let text = over_cells(step, "(<= (select a z) (select a (- n 1)))").replace("(= i 0)", "(= i 1)");
    assert_eq!(ask("cells", &text), Ok(true));
}

/// Two loops, one after the other, with a variable that says which.
#[test]
fn cells_in_loops() {
    let text = "(declare-const a (Array Int Int))(declare-const a.next (Array Int Int))(declare-const p Bool)(declare-const p.next Bool)
(declare-const i Int)(declare-const i.next Int)(declare-const n Int)(declare-const n.next Int)(declare-const z Int)
(define-fun init () Bool (and (= i 0) (not p)))
(define-fun trans () Bool (and (= n.next n)
  (=> (and (not p) (< i n)) (and (= a.next (store a i i)) (= i.next (+ i 1)) (not p.next)))
  (=> (and (not p) (>= i n)) (and (= a.next a) (= i.next 0) p.next))
  (=> (and p (< i n)) (and (= a.next (store a i (+ (select a i) n))) (= i.next (+ i 1)) p.next))
  (=> (and p (>= i n)) (and (= a.next a) (= i.next i) p.next))))
(define-fun prop () Bool (=> (and p (>= i n) (<= 0 z) (< z n)) (= (select a z) (+ z n))))";
    assert_eq!(ask("flow-cells", text), Ok(true));
}
