//! Programs that need to know something about all cells of a range. Each fills or searches arrays, and then looks at the
//! cells one by one.

use super::{program, proved_program, read, search};
use crate::Found;
use smt::term::Terms;

/// `(! (while (< index end) body; index := index + 1))`.
fn for_each(index: &str, end: &str, body: &str) -> String {
    format!(
        "(assign ({index} 0))
         (! (while (< {index} {end}) (sequence {body} (assign ({index} (+ {index} 1))))) :tag loop-{})",
        body.len()
    )
}

/// A program whose last loop looks at the cells `x` up to `end`.
fn looked_at(locals: &str, body: &str, end: &str, property: &str) -> String {
    let check = format!("(! (sequence) :tag look :check-true {property})");
    program(locals, &format!("{body} {}", for_each("x", end, &check)), "true")
}

fn proved(locals: &str, body: &str, end: &str, property: &str) {
    super::proved(&looked_at(locals, body, end, property));
}

#[test]
fn copies_behind_large_loops() {
    let first = for_each("i", "100000", "(assign (B (store B i (select A i))))");
    let second = for_each("i", "100000", "(assign (C (store C i (select B i))) (t (select C i)))");
    proved("A B C i t x", &format!("{first} {second}"), "100000", "(= (select A x) (select C x))");
}

#[test]
fn relations_that_the_text_does_not_have() {
    let body = for_each("i", "n", "(assign (A (store A i t)) (t (+ t 2)))");
    proved("A n i t x", &format!("(assign (t 1)) {body}"), "n", "(= (select A x) (+ x x 1))");
}

#[test]
fn sums_of_cells() {
    let fill = for_each("i", "n", "(assign (A (store A i 2)))");
    let sum = for_each("i", "n", "(assign (s (+ s (select A i))))");
    let body = format!("(assume (<= 0 n)) {fill} (assign (s 0)) {sum}");
    proved_program("A n i s", &body, "(= s (* 2 n))");
}

#[test]
fn downwards() {
    let body = "(assign (i (- n 1)))
                (! (while (>= i 0) (assign (A (store A i i)) (i (- i 1)))) :tag down)";
    proved("A n i x", body, "n", "(= (select A x) x)");
}

#[test]
fn what_a_search_has_passed() {
    let body = "(assign (i 0))
                (! (while (and (< i n) (distinct (select A i) e)) (assign (i (+ i 1)))) :tag search)";
    proved("A n i e x", body, "i", "(distinct (select A x) e)");
}

#[test]
fn the_greatest_cell() {
    let body = for_each("i", "n", "(if (> (select A i) m) (assign (m (select A i))))");
    proved("A n i m x", &body, "n", "(<= (select A x) m)");
}

#[test]
fn cells_of_even_index() {
    let body =
        for_each("i", "n", "(if (= (mod i 2) 0) (assign (A (store A i n))) (assign (A (store A i i))))");
    proved("A n i x", &body, "n", "(or (= (mod x 2) 1) (= (select A x) n))");
}

#[test]
fn a_cell_that_is_not_filled() {
    let body = for_each("i", "n", "(if (< i 3) (assign (A (store A i 7))))");
    let mut terms = Terms::new();
    let script = read(&mut terms, &looked_at("A n i x", &body, "n", "(= (select A x) 7)"));
    assert!(matches!(search(&mut terms, &script), Found::Nothing(_)));
}

#[test]
fn a_flag_says_what_holds_in_all_cells() {
    let body = for_each("i", "n", "(if (distinct (select A i) (select B i)) (assign (f 0)))");
    let check = "(! (sequence) :tag look :check-true (= (select A x) (select B x)))";
    let look = for_each("x", "n", check);
    let body = format!("(assign (f 1)) {body} (if (= f 1) (sequence {look}))");
    proved_program("A B n i f x", &body, "true");
}

#[test]
fn two_cells_in_each_round() {
    let body = for_each("i", "n", "(assign (A (store (store A (* 2 i) 3) (+ (* 2 i) 1) 3)))");
    proved("A n i x", &format!("(assume (<= 0 n)) {body}"), "(* 2 n)", "(= (select A x) 3)");
}

#[test]
fn cells_in_order() {
    let body = for_each("i", "n", "(havoc d) (assume (<= 0 d)) (assign (A (store A i t)) (t (+ t d)))");
    let body = format!("{body} (havoc x y) (assume (and (<= 0 x) (<= x y) (< y n)))");
    proved_program("A n i t d x y", &body, "(<= (select A x) (select A y))");
}

#[test]
fn cells_of_rows() {
    let fill = for_each("j", "500", "(assign (a (store a i (store (select a i) j 7))))");
    let fill = for_each("i", "1000", &fill);
    let look = for_each("j", "500", "(! (sequence) :tag look :check-true (= (select (select a i) j) 7))");
    let look = for_each("i", "1000", &look);
    let text = program("i j", &format!("{fill} {look}"), "true");
    super::proved(&text.replace("((i Int)", "((a (Array Int (Array Int Int))) (i Int)"));
}
