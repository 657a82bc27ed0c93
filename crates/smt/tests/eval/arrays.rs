//! Arrays as functions: equality is extensional, also for finite index sorts; lambdas are read, not unfolded.

use super::{check, eval};

const ENUM: &str = "(declare-datatype Color ((red) (green) (blue)))
    (declare-datatype Unit ((unit)))
    (declare-datatypes ((Pair 2)) ((par (A B) ((pair (first A) (second B))))))";

#[test]
fn equality_over_infinite_indices() {
    check(
        "(define-sort A () (Array Int Int))
         (define-fun zero () A ((as const A) 0))",
        &[
            ("(= (store (store zero 1 5) 2 6) (store (store zero 2 6) 1 5))", "true"),
            ("(= (store (store zero 1 5) 1 0) zero)", "true"),
            ("(= (store zero 1 5) zero)", "false"),
            ("(= zero ((as const A) 1))", "false"),
            ("(store (store (store zero 3 1) 2 1) 3 0)", "(store ((as const (Array Int Int)) 0) 2 1)"),
            (
                "(store (store zero (- 1) 1) (- 10) 2)",
                "(store (store ((as const (Array Int Int)) 0) (- 10) 2) (- 1) 1)",
            ),
        ],
    );
}

#[test]
fn equality_over_finite_indices() {
    check(
        ENUM,
        &[
            ("(= (store ((as const (Array Bool Int)) 0) true 1) (store ((as const (Array Bool Int)) 1) false 0))",
             "true"),
            ("(store ((as const (Array Bool Int)) 1) false 0)", "(store ((as const (Array Bool Int)) 0) true 1)"),
            ("(= (store (store ((as const (Array Bool Int)) 9) true 1) false 1) ((as const (Array Bool Int)) 1))",
             "true"),
            ("(= (store (store ((as const (Array (_ BitVec 2) Int)) 0) #b00 1) #b01 1)
                 (store (store ((as const (Array (_ BitVec 2) Int)) 1) #b10 0) #b11 0))", "true"),
            ("(= (store (store (store ((as const (Array Color Int)) 0) red 1) green 2) blue 3)
                 (store (store ((as const (Array Color Int)) 3) red 1) green 2))", "true"),
            ("(= (store (store ((as const (Array Color Int)) 0) red 1) green 2)
                 (store (store ((as const (Array Color Int)) 3) red 1) green 2))", "false"),
            ("(= (store ((as const (Array Unit Int)) 0) unit 1) ((as const (Array Unit Int)) 1))", "true"),
            ("(= (store (store (store (store ((as const (Array RoundingMode Bool)) false)
                 RNE true) RNA true) RTP true) RTN true)
                 (store ((as const (Array RoundingMode Bool)) true) RTZ false))", "true"),
            ("(= (store (store (store ((as const (Array (Pair Bool Bool) Int)) 0)
                   (pair true true) 1) (pair true false) 1) (pair false true) 1)
                 (store ((as const (Array (Pair Bool Bool) Int)) 1) (pair false false) 0))", "true"),
            ("(= (store (store ((as const (Array (Array Bool Bool) Int)) 0)
                   ((as const (Array Bool Bool)) true) 1) (store ((as const (Array Bool Bool)) true) true false) 1)
                 (store (store ((as const (Array (Array Bool Bool) Int)) 1)
                   ((as const (Array Bool Bool)) false) 0) (store ((as const (Array Bool Bool)) true) false false) 0))",
             "true"),
            ("(= ((as const (Array Int Unit)) unit) (store ((as const (Array Int Unit)) unit) 3 unit))", "true"),
        ],
    );
}

#[test]
fn nested_and_mixed() {
    check(
        "(define-sort M () (Array Int (Array Int Int)))
         (define-fun zero () M ((as const M) ((as const (Array Int Int)) 0)))
         (define-fun put ((m M) (i Int) (j Int) (v Int)) M (store m i (store (select m i) j v)))",
        &[
            ("(select (select (put (put zero 1 2 3) 1 4 5) 1) 2)", "3"),
            ("(= (put (put zero 1 2 3) 1 2 0) zero)", "true"),
            ("(= (put (put zero 1 2 3) 4 5 6) (put (put zero 4 5 6) 1 2 3))", "true"),
            ("(select ((as const (Array Real Bool)) true) 0.5)", "true"),
            ("(select (store ((as const (Array Float16 Int)) 0) (_ +zero 5 11) 1) (_ -zero 5 11))", "0"),
            (
                "(select (store ((as const (Array Float16 Int)) 0) (fp #b0 #b11111 #b0000000001) 1) (_ NaN 5 11))",
                "1",
            ),
        ],
    );
}

#[test]
fn lambdas() {
    check(
        "(define-fun id () (Array Int Int) (lambda ((x Int)) x))
         (define-fun plus ((n Int)) (Array Int Int) (lambda ((x Int)) (+ x n)))
         (define-fun table () (Array Int (Array Int Int)) (lambda ((x Int) (y Int)) (* x y)))",
        &[
            ("(select (lambda ((x Int)) (* x x)) 7)", "49"),
            ("(select id 3)", "3"),
            ("(select (plus 5) 3)", "8"),
            ("(select (store id 3 100) 3)", "100"),
            ("(select (store (store id 3 100) 4 200) 5)", "5"),
            ("(select (ite (= 1 2) id (plus 1)) 5)", "6"),
            ("(select (select table 6) 7)", "42"),
            ("(select (select (store table 6 id) 6) 7)", "7"),
            ("(select (select (store table 6 ((as const (Array Int Int)) 1)) 6) 7)", "1"),
            ("(select (select (lambda ((x Int)) (lambda ((y Int)) (- x y))) 6) 7)", "(- 1)"),
            ("(select (lambda ((x Int)) (select (lambda ((x Int)) (+ x 1)) (* x 10))) 4)", "41"),
            ("(let ((a (store id 0 9))) (+ (select a 0) (select a 1) (select a 0)))", "19"),
            ("(lambda ((b Bool)) (ite b 1 2))", "(store ((as const (Array Bool Int)) 1) false 2)"),
            ("(lambda ((b Bool)) 7)", "((as const (Array Bool Int)) 7)"),
            (
                "(= (lambda ((v (_ BitVec 8))) (bvadd v #x01)) (lambda ((v (_ BitVec 8))) (bvsub v #xff)))",
                "true",
            ),
            (
                "(= (lambda ((a Bool) (b Bool)) (and a b))
                 (lambda ((a Bool)) (lambda ((b Bool)) (not (or (not a) (not b))))))",
                "true",
            ),
            ("id", "error: a lambda over a large or infinite sort has no finite value"),
            ("(select table 6)", "error: a lambda over a large or infinite sort has no finite value"),
            ("(= id id)", "error: a lambda over a large or infinite sort has no finite value"),
        ],
    );
}

#[test]
fn full_tables() {
    // All 256 indices listed in two ways, one after the other.
    let fill = |order: &mut dyn Iterator<Item = u32>| {
        order.fold("((as const (Array (_ BitVec 8) Int)) 1000)".to_string(), |array, i| {
            format!("(store {array} #x{i:02x} {})", i / 4)
        })
    };
    let (up, down) = (fill(&mut (0..256)), fill(&mut (0..256).rev()));
    assert_eq!(eval("", &format!("(= {up} {down})")), "true");
    let lambda = "(lambda ((i (_ BitVec 8))) (div (ubv_to_int i) 4))";
    assert_eq!(eval("", &format!("(= {up} {lambda})")), "true");
    assert_eq!(eval("", &format!("(= (store {up} #x00 1) {lambda})")), "false");
}
