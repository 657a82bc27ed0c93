//! One table per theory; a test makes sure that no operator is forgotten.

use super::{check, read};
use smt::eval::Evaluator;
use smt::op::{OPS, Theory};
use smt::term::TermId;

const CORE: &[(&str, &str)] = &[
    ("true", "true"),
    ("false", "false"),
    ("(not true)", "false"),
    ("(=> true false)", "false"),
    ("(=> false false)", "true"),
    ("(=> true false true)", "true"),
    ("(=> true true false)", "false"),
    ("(=> true false false)", "true"),
    ("(and true true false)", "false"),
    ("(and true)", "true"),
    ("(or false false true)", "true"),
    ("(or false false)", "false"),
    ("(xor true true true)", "true"),
    ("(xor true false true)", "false"),
    ("(= 1 1 1)", "true"),
    ("(= 1 1 2)", "false"),
    ("(= #b0 #b1)", "false"),
    ("(= \"a\" \"a\")", "true"),
    ("(= \"a\" \"b\")", "false"),
    ("(distinct 1 2 3)", "true"),
    ("(distinct 1 2 1)", "false"),
    ("(distinct true false)", "true"),
    ("(ite true 1 2)", "1"),
    ("(ite false 1 2)", "2"),
];

const ARITH: &[(&str, &str)] = &[
    ("(- 5)", "(- 5)"),
    ("(- (- 5))", "5"),
    ("(- 0)", "0"),
    ("(- 1.5)", "(- 1.5)"),
    ("(- 10 2 3)", "5"),
    ("(- 1.0 0.75)", "0.25"),
    ("(+ 1 2 3)", "6"),
    ("(+ 0.1 0.2)", "0.3"),
    ("(+ 99999999999999999999999999999999999999999 1)", "100000000000000000000000000000000000000000"),
    ("(* 2 3 4)", "24"),
    ("(* 18446744073709551616 18446744073709551616)", "340282366920938463463374607431768211456"),
    ("(* 1.5 (- 2.0))", "(- 3.0)"),
    ("(/ 1.0 3.0)", "(/ 1.0 3.0)"),
    ("(/ 1.0 (- 4.0))", "(- 0.25)"),
    ("(/ 12.0 2.0 3.0)", "2.0"),
    ("(/ 5.0 0.0)", "0.0 ?"),
    ("(div 7 2)", "3"),
    ("(div (- 7) 2)", "(- 4)"),
    ("(div 7 (- 2))", "(- 3)"),
    ("(div (- 7) (- 2))", "4"),
    ("(div 100 5 (- 3))", "(- 6)"),
    ("(div 5 0)", "0 ?"),
    ("(mod 7 2)", "1"),
    ("(mod (- 7) 2)", "1"),
    ("(mod 7 (- 2))", "1"),
    ("(mod (- 7) (- 2))", "1"),
    ("(mod (- 6) 3)", "0"),
    ("(mod (- 5) 0)", "(- 5) ?"),
    ("(abs (- 5))", "5"),
    ("(abs 5)", "5"),
    ("(abs (- 0.5))", "0.5"),
    ("(<= 1 2 2)", "true"),
    ("(<= 1 3 2)", "false"),
    ("(< 1 2 2)", "false"),
    ("(< (- 3) (- 2))", "true"),
    ("(>= 2 2 1)", "true"),
    ("(> 2 2)", "false"),
    ("(> 0.5 (/ 1.0 3.0))", "true"),
    ("(< (/ 1.0 3.0) 0.333)", "false"),
    ("(to_real 3)", "3.0"),
    ("(to_int 2.5)", "2"),
    ("(to_int (- 2.5))", "(- 3)"),
    ("(to_int (- 2.0))", "(- 2)"),
    ("(is_int 2.0)", "true"),
    ("(is_int 2.5)", "false"),
    ("((_ divisible 3) (- 9))", "true"),
    ("((_ divisible 3) 10)", "false"),
    ("((_ divisible 1) 0)", "true"),
    ("(+ 1 (/ 1.0 2.0))", "1.5"),
];

const BIT_VEC: &[(&str, &str)] = &[
    ("(concat #b10 #xf)", "#b101111"),
    ("(concat #b1 #b0 #b11)", "#xb"),
    ("((_ extract 5 2) #b10110011)", "#xc"),
    ("((_ extract 0 0) #b10)", "#b0"),
    ("(bvnot #xa5)", "#x5a"),
    ("(bvneg #x01)", "#xff"),
    ("(bvneg #x80)", "#x80"),
    ("(bvneg #x00)", "#x00"),
    ("(bvand #xff #x3c #x0f)", "#x0c"),
    ("(bvor #x01 #x10 #x02)", "#x13"),
    ("(bvxor #xff #x0f #x01)", "#xf1"),
    ("(bvnand #xff #x0f)", "#xf0"),
    ("(bvnor #xf0 #x01)", "#x0e"),
    ("(bvxnor #xf0 #xff)", "#xf0"),
    ("(bvadd #xff #x01 #x02)", "#x02"),
    ("(bvsub #x00 #x01)", "#xff"),
    ("(bvmul #xff #xff)", "#x01"),
    ("(bvmul #x10 #x10)", "#x00"),
    ("(bvudiv #xff #x10)", "#x0f"),
    ("(bvudiv #x07 #x00)", "#xff"),
    ("(bvurem #xff #x10)", "#x0f"),
    ("(bvurem #x07 #x00)", "#x07"),
    ("(bvsdiv #xf9 #x02)", "#xfd"),
    ("(bvsdiv #x80 #xff)", "#x80"),
    ("(bvsdiv #x07 #x00)", "#xff"),
    ("(bvsdiv #xf9 #x00)", "#x01"),
    ("(bvsrem #xf9 #x02)", "#xff"),
    ("(bvsrem #x07 #xfe)", "#x01"),
    ("(bvsrem #xf9 #x00)", "#xf9"),
    ("(bvsmod #xf9 #x02)", "#x01"),
    ("(bvsmod #x07 #xfe)", "#xff"),
    ("(bvsmod #xf9 #xfe)", "#xff"),
    ("(bvsmod #xf9 #x00)", "#xf9"),
    ("(bvsmod #xf8 #x02)", "#x00"),
    ("(bvshl #x81 #x01)", "#x02"),
    ("(bvshl #x81 #x08)", "#x00"),
    ("(bvshl #x81 #xff)", "#x00"),
    ("(bvlshr #x81 #x01)", "#x40"),
    ("(bvlshr #x81 #x09)", "#x00"),
    ("(bvashr #x81 #x01)", "#xc0"),
    ("(bvashr #x81 #x09)", "#xff"),
    ("(bvashr #x71 #x09)", "#x00"),
    ("(bvcomp #x12 #x12)", "#b1"),
    ("(bvcomp #x12 #x13)", "#b0"),
    ("(bvredand #xf)", "#b1"),
    ("(bvredand #xe)", "#b0"),
    ("(bvredor #x0)", "#b0"),
    ("(bvredor #x2)", "#b1"),
    ("(bvult #x01 #xff)", "true"),
    ("(bvule #xff #xff)", "true"),
    ("(bvugt #x01 #xff)", "false"),
    ("(bvuge #xff #x01)", "true"),
    ("(bvslt #x01 #xff)", "false"),
    ("(bvsle #xff #x01)", "true"),
    ("(bvsgt #x01 #xff)", "true"),
    ("(bvsge #x80 #x7f)", "false"),
    ("(bvnego #x80)", "true"),
    ("(bvnego #x81)", "false"),
    ("(bvuaddo #xff #x01)", "true"),
    ("(bvuaddo #xfe #x01)", "false"),
    ("(bvsaddo #x7f #x01)", "true"),
    ("(bvsaddo #x80 #xff)", "true"),
    ("(bvsaddo #xff #x01)", "false"),
    ("(bvusubo #x01 #x02)", "true"),
    ("(bvusubo #x02 #x02)", "false"),
    ("(bvssubo #x80 #x01)", "true"),
    ("(bvssubo #x00 #x80)", "true"),
    ("(bvssubo #x00 #x7f)", "false"),
    ("(bvumulo #x10 #x10)", "true"),
    ("(bvumulo #x0f #x11)", "false"),
    ("(bvsmulo #x10 #x08)", "true"),
    ("(bvsmulo #xf0 #x08)", "false"),
    ("(bvsdivo #x80 #xff)", "true"),
    ("(bvsdivo #x80 #x00)", "false"),
    ("((_ zero_extend 4) #xf)", "#x0f"),
    ("((_ zero_extend 0) #xf)", "#xf"),
    ("((_ sign_extend 4) #x8)", "#xf8"),
    ("((_ sign_extend 4) #x7)", "#x07"),
    ("((_ sign_extend 0) #x8)", "#x8"),
    ("((_ rotate_left 1) #x81)", "#x03"),
    ("((_ rotate_left 9) #x81)", "#x03"),
    ("((_ rotate_left 8) #x81)", "#x81"),
    ("((_ rotate_right 1) #x81)", "#xc0"),
    ("((_ rotate_right 0) #x81)", "#x81"),
    ("((_ rotate_left 3) #b1)", "#b1"),
    ("((_ repeat 3) #b10)", "#b101010"),
    ("((_ repeat 1) #xa)", "#xa"),
    ("((_ repeat 8) #xa)", "#xaaaaaaaa"),
    ("(ubv_to_int #xff)", "255"),
    ("(sbv_to_int #xff)", "(- 1)"),
    ("(sbv_to_int #b0)", "0"),
    ("((_ int_to_bv 8) 257)", "#x01"),
    ("((_ int_to_bv 8) (- 1))", "#xff"),
    ("((_ int_to_bv 8) (- 256))", "#x00"),
    ("((_ int_to_bv 3) (- 1000001))", "#b111"),
    (
        "(bvmul #xffffffffffffffffffffffffffffffffffffffff #xffffffffffffffffffffffffffffffffffffffff)",
        "#x0000000000000000000000000000000000000001",
    ),
];

const FLOAT: &[(&str, &str)] = &[
    ("(fp #b0 #b01111 #b1000000000)", "(fp #b0 #b01111 #b1000000000)"),
    ("(fp #b1 #b11111 #b0000000001)", "(_ NaN 5 11)"),
    ("(_ +oo 5 11)", "(_ +oo 5 11)"),
    ("(_ -oo 5 11)", "(_ -oo 5 11)"),
    ("(_ +zero 5 11)", "(_ +zero 5 11)"),
    ("(_ -zero 5 11)", "(_ -zero 5 11)"),
    ("(_ NaN 5 11)", "(_ NaN 5 11)"),
    ("RNE", "RNE"),
    ("RNA", "RNA"),
    ("RTP", "RTP"),
    ("RTN", "RTN"),
    ("RTZ", "RTZ"),
    ("(= roundTowardZero RTZ)", "true"),
    ("(= (_ +zero 5 11) (_ -zero 5 11))", "false"),
    ("(= (_ NaN 5 11) (_ NaN 5 11))", "true"),
    ("(fp.abs (_ -oo 5 11))", "(_ +oo 5 11)"),
    ("(fp.neg (_ +zero 5 11))", "(_ -zero 5 11)"),
    ("(fp.to_real (fp.add RNE H1 H2))", "3.0"),
    ("(fp.to_real (fp.sub RNE H1 H2))", "(- 1.0)"),
    ("(fp.to_real (fp.mul RNE H2 H3))", "6.0"),
    ("(fp.to_real (fp.div RTZ H1 H3))", "0.333251953125"),
    ("(fp.to_real (fp.div RTP H1 H3))", "0.33349609375"),
    ("(fp.to_real (fp.fma RNE H2 H3 H1))", "7.0"),
    ("(fp.to_real (fp.sqrt RNE (fp.add RNE H1 H3)))", "2.0"),
    ("(fp.to_real (fp.rem H3 H2))", "(- 1.0)"),
    ("(fp.to_real (fp.roundToIntegral RTP (fp.div RNE H3 H2)))", "2.0"),
    ("(fp.min H2 (_ NaN 5 11))", "(fp #b0 #b10000 #b0000000000)"),
    ("(fp.max (_ -oo 5 11) H2)", "(fp #b0 #b10000 #b0000000000)"),
    ("(fp.min (_ +zero 5 11) (_ -zero 5 11))", "(_ -zero 5 11) ?"),
    ("(fp.max (_ +zero 5 11) (_ -zero 5 11))", "(_ +zero 5 11) ?"),
    ("(fp.max (_ -zero 5 11) (_ -zero 5 11))", "(_ -zero 5 11)"),
    ("(fp.leq H1 H1 H2)", "true"),
    ("(fp.leq H1 (_ NaN 5 11))", "false"),
    ("(fp.lt H1 H2 H3)", "true"),
    ("(fp.geq H3 H2 H3)", "false"),
    ("(fp.gt H3 H2 H1)", "true"),
    ("(fp.eq (_ +zero 5 11) (_ -zero 5 11))", "true"),
    ("(fp.eq (_ NaN 5 11) (_ NaN 5 11))", "false"),
    ("(fp.isNormal H1)", "true"),
    ("(fp.isSubnormal (fp #b0 #b00000 #b0000000001))", "true"),
    ("(fp.isZero (_ -zero 5 11))", "true"),
    ("(fp.isInfinite (_ -oo 5 11))", "true"),
    ("(fp.isNaN H1)", "false"),
    ("(fp.isNegative (_ -zero 5 11))", "true"),
    ("(fp.isPositive (_ NaN 5 11))", "false"),
    ("((_ to_fp 5 11) #x3c00)", "(fp #b0 #b01111 #b0000000000)"),
    ("((_ to_fp 5 11) #xffff)", "(_ NaN 5 11)"),
    ("((_ to_fp 5 11) RNE ((_ to_fp 8 24) #x3f800000))", "(fp #b0 #b01111 #b0000000000)"),
    ("((_ to_fp 5 11) RNE (/ 1.0 3.0))", "(fp #b0 #b01101 #b0101010101)"),
    ("((_ to_fp 5 11) RNE (- 1.0))", "(fp #b1 #b01111 #b0000000000)"),
    ("((_ to_fp 5 11) RNE #xff)", "(fp #b1 #b01111 #b0000000000)"),
    ("((_ to_fp_unsigned 5 11) RNE #xff)", "(fp #b0 #b10110 #b1111111000)"),
    ("((_ fp.to_ubv 8) RNE H3)", "#x03"),
    ("((_ fp.to_ubv 8) RTZ (fp.neg (fp.div RNE H1 H2)))", "#x00"),
    ("((_ fp.to_ubv 8) RNE (fp.neg H1))", "#x00 ?"),
    ("((_ fp.to_ubv 8) RNE (_ NaN 5 11))", "#x00 ?"),
    ("((_ fp.to_sbv 8) RNE (fp.neg H3))", "#xfd"),
    ("((_ fp.to_sbv 2) RNE H2)", "#b00 ?"),
    ("((_ fp.to_sbv 2) RNE (fp.neg H2))", "#b10"),
    ("(fp.to_real (fp #b1 #b01110 #b1000000000))", "(- 0.75)"),
    ("(fp.to_real (_ +oo 5 11))", "0.0 ?"),
    ("(fp.to_ieee_bv H1)", "#x3c00"),
    ("(fp.to_ieee_bv (_ NaN 5 11))", "#x7e00 ?"),
    ("(fp.to_real ((_ to_fp 29 4) RNE 1.0))", "1.0"),
    ("(fp.to_real (fp #b0 #b11111111111111111111111111110 #b000))", "error: a value is too long"),
    ("(fp.to_real (_ -zero 29 4))", "0.0"),
];

/// One, two and three in half precision.
const HALVES: &str = "(define-fun H1 () Float16 (fp #b0 #b01111 #b0000000000))
    (define-fun H2 () Float16 (fp #b0 #b10000 #b0000000000))
    (define-fun H3 () Float16 (fp #b0 #b10000 #b1000000000))";

const ARRAY: &[(&str, &str)] = &[
    ("((as const (Array Int Int)) 7)", "((as const (Array Int Int)) 7)"),
    ("(store ((as const (Array Int Int)) 0) 1 2)", "(store ((as const (Array Int Int)) 0) 1 2)"),
    ("(select (store ((as const (Array Int Int)) 0) 1 2) 1)", "2"),
    ("(select (store ((as const (Array Int Int)) 0) 1 2) 2)", "0"),
];

#[test]
fn core() {
    check("", CORE);
}

#[test]
fn arithmetic() {
    check("", ARITH);
}

#[test]
fn bit_vectors() {
    check("", BIT_VEC);
}

#[test]
fn floats() {
    check(HALVES, FLOAT);
}

#[test]
fn arrays() {
    check("", ARRAY);
}

#[test]
fn strings_and_sequences_are_refused_by_name() {
    check(
        "",
        &[
            ("(str.len \"abc\")", "error: `str.len` is not evaluated"),
            ("(seq.len (seq.unit 1))", "error: `seq.unit` is not evaluated"),
            ("(ite true 1 (str.len \"abc\"))", "1"),
        ],
    );
}

/// Every operator that the evaluator claims occurs in a table.
#[test]
fn no_operator_is_forgotten() {
    let texts: String = [CORE, ARITH, BIT_VEC, FLOAT, ARRAY]
        .iter()
        .flat_map(|table| table.iter().flat_map(|case| [case.0, " "]))
        .collect();
    let words: Vec<&str> =
        texts.split(|c: char| c.is_whitespace() || c == '(' || c == ')').filter(|w| !w.is_empty()).collect();
    for info in OPS {
        let evaluated = !matches!(
            info.theory,
            Theory::Kernel | Theory::String | Theory::Seq | Theory::Data | Theory::Ltl
        );
        assert!(!evaluated || words.contains(&info.name), "no case for `{}`", info.name);
    }
}

#[test]
fn terms_with_errors_have_no_value() {
    let (terms, _) = read("", "1");
    let error = Evaluator::new(&terms).eval(TermId::ERROR, &mut ()).expect_err("no value");
    assert_eq!(error.message(&terms), "the term has an error");
}

#[test]
fn wide_values_are_refused() {
    check(
        "(define-fun-rec square ((n Int) (x Int)) Int (ite (= n 0) x (square (- n 1) (* x x))))",
        &[
            ("(ubv_to_int ((_ zero_extend 67108856) #xff))", "255"),
            ("(ubv_to_int ((_ zero_extend 67108857) #xff))", "error: a value is too long"),
            ("((_ repeat 4294967) #xffff)", "error: a value is too long"),
            ("((_ int_to_bv 4294967295) 1)", "error: a value is too long"),
            ("(square 60 3)", "error: a value is too long"),
        ],
    );
}
