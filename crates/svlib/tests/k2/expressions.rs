//! What each operator, conversion and constant becomes, by the type of its operands.

use super::translated;

/// The term that a variable is set to, when a program sets it to `value`.
fn term(target: &str, value: &str) -> String {
    let program = format!(
        "(type colour (enum red green blue))
         (entry main)
         (globals (var b bool) (var c bool) (var i int) (var j int) (var r real) (var s real)
           (var x (sbv 8)) (var y (sbv 8)) (var wide (sbv 16)) (var u (ubv 8)) (var v (ubv 8)) (var uwide (ubv 16))
           (var f (fp 8 23)) (var g (fp 8 23)) (var h (fp 11 52)) (var u32 (ubv 32))
           (var m (map int (sbv 8))) (var mm (map int (map bool int))) (var paint colour))
         (function main () (return) (locals) (seq (assign {target} {value}) (assume true)))"
    );
    let script = translated(&program).script;
    let start = format!("(assign ({target} ");
    let line = script.lines().find_map(|line| line.trim().strip_prefix(&start)).expect("the assignment");
    line.strip_suffix("))").expect("the end of the assignment").to_string()
}

fn check(rows: &[(&str, &str, &str)]) {
    for (target, value, expected) in rows {
        assert_eq!(term(target, value), *expected, "{value}");
    }
}

#[test]
fn logic() {
    check(&[
        ("b", "(and b c)", "(and b c)"),
        ("b", "(or b (not c))", "(or b (not c))"),
        ("b", "(eq b c)", "(= b c)"),
        ("b", "true", "true"),
        ("b", "(const false bool)", "false"),
        ("i", "(ite b i j)", "(ite b i j)"),
        ("b", "(op and b (op not c))", "(and b (not c))"),
        ("b", "(|and| b (var c bool))", "(and b c)"),
        ("b", "(! (and (! b :line 3) c) :line 4 :col (1 2))", "(and b c)"),
    ]);
}

#[test]
fn integers_and_reals() {
    check(&[
        ("i", "(add i (const 1 int))", "(+ i 1)"),
        ("i", "(sub (mul i j) (neg j))", "(- (* i j) (- j))"),
        ("i", "(const |-12345678901234567890| int)", "(- 12345678901234567890)"),
        ("i", "(const -1 int)", "(- 1)"),
        ("r", "(div r s)", "(/ r s)"),
        ("r", "(const 1.25 real)", "1.25"),
        ("r", "(const 1/3 real)", "(/ 1.0 3.0)"),
        ("r", "(const -2.5e-1 real)", "(- 0.25)"),
        ("r", "(const 7 real)", "7.0"),
        ("i", "(floor r)", "(to_int r)"),
        ("i", "(floor i)", "i"),
        ("b", "(le i j)", "(<= i j)"),
        ("b", "(lt r s)", "(< r s)"),
        ("b", "(ge i j)", "(>= i j)"),
        ("b", "(gt r s)", "(> r s)"),
        ("b", "(eq i j)", "(= i j)"),
    ]);
}

#[test]
fn integer_division_rounds_towards_zero() {
    check(&[
        ("i", "(div i j)", "(ite (>= i 0) (div i j) (- (div (- i) j)))"),
        ("i", "(rem i j)", "(ite (>= i 0) (mod i j) (- (mod (- i) j)))"),
    ]);
    // The same formulas on numbers, with `div` and `mod` as SMT-LIB defines them.
    for a in -20i64..=20 {
        for b in (-7i64..=7).filter(|&b| b != 0) {
            let div = |a: i64, b: i64| a.div_euclid(b);
            let modulo = |a: i64, b: i64| a.rem_euclid(b);
            assert_eq!(if a >= 0 { div(a, b) } else { -div(-a, b) }, a / b);
            assert_eq!(if a >= 0 { modulo(a, b) } else { -modulo(-a, b) }, a % b);
        }
    }
}

#[test]
fn bit_vectors_by_signedness() {
    check(&[
        ("x", "(add x (const 1 (sbv 8)))", "(bvadd x #x01)"),
        ("u", "(sub u v)", "(bvsub u v)"),
        ("u", "(mul u v)", "(bvmul u v)"),
        ("x", "(neg x)", "(bvneg x)"),
        ("x", "(div x y)", "(bvsdiv x y)"),
        ("u", "(div u v)", "(bvudiv u v)"),
        ("x", "(rem x y)", "(bvsrem x y)"),
        ("u", "(rem u v)", "(bvurem u v)"),
        ("x", "(lshift x y)", "(bvshl x y)"),
        ("x", "(rshift x y)", "(bvashr x y)"),
        ("u", "(rshift u v)", "(bvlshr u v)"),
        ("u", "(bitand u (bitor v (bitxor u (bitnot v))))", "(bvand u (bvor v (bvxor u (bvnot v))))"),
        ("b", "(le x y)", "(bvsle x y)"),
        ("b", "(le u v)", "(bvule u v)"),
        ("b", "(lt x y)", "(bvslt x y)"),
        ("b", "(lt u v)", "(bvult u v)"),
        ("b", "(ge x y)", "(bvsge x y)"),
        ("b", "(ge u v)", "(bvuge u v)"),
        ("b", "(gt x y)", "(bvsgt x y)"),
        ("b", "(gt u v)", "(bvugt u v)"),
        ("b", "(eq u v)", "(= u v)"),
        ("x", "(const -128 (sbv 8))", "(bvneg #x80)"),
        ("x", "(const 255 (sbv 8))", "#xff"),
        ("u", "(const #x1F (ubv 8))", "#x1f"),
        ("u", "(const #b101 (ubv 8))", "#x05"),
        ("u", "(const 3 (bv 8 0))", "#x03"),
        ("x", "(const 3 (bv 8 1))", "#x03"),
    ]);
}

#[test]
fn floats() {
    check(&[
        ("f", "(add f g)", "(fp.add RNE f g)"),
        ("f", "(sub f g)", "(fp.sub RNE f g)"),
        ("f", "(mul f g)", "(fp.mul RNE f g)"),
        ("f", "(div f g)", "(fp.div RNE f g)"),
        ("f", "(neg f)", "(fp.neg f)"),
        ("b", "(eq f g)", "(fp.eq f g)"),
        ("b", "(le f g)", "(fp.leq f g)"),
        ("b", "(lt f g)", "(fp.lt f g)"),
        ("b", "(ge f g)", "(fp.geq f g)"),
        ("b", "(gt f g)", "(fp.gt f g)"),
        ("b", "(isfinite f)", "(not (or (fp.isNaN f) (fp.isInfinite f)))"),
        ("b", "(isinf f)", "(fp.isInfinite f)"),
        ("b", "(isnan f)", "(fp.isNaN f)"),
        ("b", "(isnormal f)", "(fp.isNormal f)"),
        ("b", "(issubnormal f)", "(fp.isSubnormal f)"),
        ("b", "(iszero f)", "(fp.isZero f)"),
        ("f", "(const 1.5 (fp 8 23))", "((_ to_fp 8 24) RNE 1.5)"),
        ("f", "(const -0.0 (fp 8 23))", "(fp.neg ((_ to_fp 8 24) RNE 0.0))"),
    ]);
}

#[test]
fn maps_and_enumerations() {
    check(&[
        ("x", "(mapget m i)", "(select m i)"),
        ("m", "(mapset m i x)", "(store m i x)"),
        ("m", "(const ((() . 0)) (map int (sbv 8)))", "((as const (Array Int (_ BitVec 8))) #x00)"),
        (
            "m",
            "(const ((() . 0) (1 . 7) (-2 . 8) (1 . 9)) (map int (sbv 8)))",
            "(store (store ((as const (Array Int (_ BitVec 8))) #x00) 1 #x07) (- 2) #x08)",
        ),
        (
            "mm",
            "(const ((() . ((() . 0))) (5 . ((true . 1) (() . 2)))) (map int (map bool int)))",
            "(store ((as const (Array Int (Array Bool Int))) ((as const (Array Bool Int)) 0)) 5 \
             (store ((as const (Array Bool Int)) 2) true 1))",
        ),
        ("b", "(eq m (mapset m i x))", "(= m (store m i x))"),
        ("paint", "(const green colour)", "green"),
        ("paint", "(const blue (enum blue green red))", "blue"),
        ("b", "(eq paint (const red colour))", "(= paint red)"),
    ]);
}

#[test]
fn casts() {
    check(&[
        ("i", "(cast int i)", "i"),
        ("b", "(cast bool i)", "(distinct i 0)"),
        ("b", "(cast bool r)", "(distinct r 0.0)"),
        ("b", "(cast bool x)", "(distinct x #x00)"),
        ("b", "(cast bool f)", "(not (fp.isZero f))"),
        ("i", "(cast int b)", "(ite b 1 0)"),
        ("r", "(cast real b)", "(ite b 1.0 0.0)"),
        ("x", "(cast (sbv 8) b)", "(ite b #x01 #x00)"),
        ("f", "(cast (fp 8 23) b)", "(ite b ((_ to_fp 8 24) RNE 1.0) (_ +zero 8 24))"),
        ("u", "(cast (ubv 8) x)", "x"),
        ("wide", "(cast (sbv 16) x)", "((_ sign_extend 8) x)"),
        ("wide", "(cast (sbv 16) u)", "((_ zero_extend 8) u)"),
        ("uwide", "(cast (ubv 16) x)", "((_ sign_extend 8) x)"),
        ("x", "(cast (sbv 8) uwide)", "((_ extract 7 0) uwide)"),
        ("i", "(cast int x)", "(sbv_to_int x)"),
        ("i", "(cast int u)", "(ubv_to_int u)"),
        ("x", "(cast (sbv 8) i)", "((_ int_to_bv 8) i)"),
        ("r", "(cast real i)", "(to_real i)"),
        ("r", "(cast real u)", "(to_real (ubv_to_int u))"),
        ("i", "(cast int r)", "(ite (>= r 0.0) (to_int r) (- (to_int (- r))))"),
        ("x", "(cast (sbv 8) r)", "((_ int_to_bv 8) (ite (>= r 0.0) (to_int r) (- (to_int (- r)))))"),
        ("f", "(cast (fp 8 23) i)", "((_ to_fp 8 24) RNE (to_real i))"),
        ("f", "(cast (fp 8 23) r)", "((_ to_fp 8 24) RNE r)"),
        ("f", "(cast (fp 8 23) x)", "((_ to_fp 8 24) RNE x)"),
        ("f", "(cast (fp 8 23) u)", "((_ to_fp_unsigned 8 24) RNE u)"),
        ("h", "(cast (fp 11 52) f)", "((_ to_fp 11 53) RNE f)"),
        ("x", "(cast (sbv 8) f)", "((_ fp.to_sbv 8) RTZ f)"),
        ("u", "(cast (ubv 8) f)", "((_ fp.to_ubv 8) RTZ f)"),
        ("r", "(cast real f)", "(fp.to_real f)"),
        ("i", "(typecast int i 0)", "i"),
        ("u", "(typecast (ubv 8) x 1)", "x"),
        ("u", "(bitcast (ubv 8) x)", "x"),
        ("f", "(bitcast (fp 8 23) u32)", "((_ to_fp 8 24) u32)"),
        ("u32", "(bitcast (ubv 32) f)", "(fp.to_ieee_bv f)"),
    ]);
}

#[test]
fn what_is_used_twice_is_written_once() {
    check(&[(
        "i",
        "(div (add i j) (const 2 int))",
        "(let ((?1 (+ i j))) (ite (>= ?1 0) (div ?1 2) (- (div (- ?1) 2))))",
    )]);
}
