//! Laws under random values: against machine arithmetic, and the laws of the theories.

use super::read;
use dashu_int::{IBig, UBig};
use smt::eval::{Assignment, Evaluator};
use smt::op::Op;
use smt::sort::Sort;
use smt::term::{Fun, FunId, Role, TermId, Terms};
use smt::value::Value;
use testkit::Rng;

/// A store with two constants of one sort.
fn pair(sort: Sort) -> (Terms, [FunId; 2], [TermId; 2]) {
    let mut terms = Terms::new();
    let result = terms.sorts.mk(sort);
    let funs = ["a", "b"].map(|name| {
        let name = terms.names.intern(name);
        terms.declare(Fun { name, params: Box::new([]), result, role: Role::Free })
    });
    let constants = funs.map(|fun| terms.constant_term(fun));
    (terms, funs, constants)
}

/// The result of a bit-vector operator by machine arithmetic on `i128`; Booleans are 0 and 1.
fn machine(op: Op, width: u32, a: u64, b: u64) -> i128 {
    let modulus = 1i128 << width;
    let (ua, ub) = (i128::from(a), i128::from(b));
    let sign = |x: i128| if x >= modulus / 2 { x - modulus } else { x };
    let (sa, sb) = (sign(ua), sign(ub));
    let fits = |x: Option<i128>| x.is_some_and(|x| -modulus / 2 <= x && x < modulus / 2);
    let truth = i128::from;
    let result = match op {
        Op::BvAdd => ua + ub,
        Op::BvSub => ua - ub,
        Op::BvMul => ua.wrapping_mul(ub),
        Op::BvAnd => ua & ub,
        Op::BvOr => ua | ub,
        Op::BvXor => ua ^ ub,
        Op::BvNand => !(ua & ub),
        Op::BvNor => !(ua | ub),
        Op::BvXnor => !(ua ^ ub),
        Op::BvUdiv => {
            if ub == 0 {
                -1
            } else {
                ua / ub
            }
        }
        Op::BvUrem => {
            if ub == 0 {
                ua
            } else {
                ua % ub
            }
        }
        Op::BvSdiv => {
            if sb == 0 {
                if sa < 0 { 1 } else { -1 }
            } else {
                sa / sb
            }
        }
        Op::BvSrem => {
            if sb == 0 {
                sa
            } else {
                sa % sb
            }
        }
        Op::BvSmod => {
            if sb == 0 {
                sa
            } else {
                sa - sb * sa.div_euclid(sb) + if sb < 0 && sa.rem_euclid(sb) != 0 { sb } else { 0 }
            }
        }
        Op::BvShl => {
            if ub >= i128::from(width) {
                0
            } else {
                ua << ub
            }
        }
        Op::BvLshr => {
            if ub >= i128::from(width) {
                0
            } else {
                ua >> ub
            }
        }
        Op::BvAshr => sa >> ub.min(100),
        Op::BvComp => truth(ua == ub),
        Op::BvUlt => return truth(ua < ub),
        Op::BvUle => return truth(ua <= ub),
        Op::BvUgt => return truth(ua > ub),
        Op::BvUge => return truth(ua >= ub),
        Op::BvSlt => return truth(sa < sb),
        Op::BvSle => return truth(sa <= sb),
        Op::BvSgt => return truth(sa > sb),
        Op::BvSge => return truth(sa >= sb),
        Op::BvUaddO => return truth(ua + ub >= modulus),
        Op::BvSaddO => return truth(!fits(Some(sa + sb))),
        Op::BvUsubO => return truth(ua < ub),
        Op::BvSsubO => return truth(!fits(Some(sa - sb))),
        Op::BvUmulO => return truth(ua.checked_mul(ub).is_none_or(|x| x >= modulus)),
        Op::BvSmulO => return truth(!fits(sa.checked_mul(sb))),
        Op::BvSdivO => return truth(sb == -1 && !fits(Some(-sa))),
        _ => unreachable!("not in the list"),
    };
    if op == Op::BvComp { result } else { result.rem_euclid(modulus) }
}

const BINARY: &[Op] = &[
    Op::BvAdd,
    Op::BvSub,
    Op::BvMul,
    Op::BvAnd,
    Op::BvOr,
    Op::BvXor,
    Op::BvNand,
    Op::BvNor,
    Op::BvXnor,
    Op::BvUdiv,
    Op::BvUrem,
    Op::BvSdiv,
    Op::BvSrem,
    Op::BvSmod,
    Op::BvShl,
    Op::BvLshr,
    Op::BvAshr,
    Op::BvComp,
    Op::BvUlt,
    Op::BvUle,
    Op::BvUgt,
    Op::BvUge,
    Op::BvSlt,
    Op::BvSle,
    Op::BvSgt,
    Op::BvSge,
    Op::BvUaddO,
    Op::BvSaddO,
    Op::BvUsubO,
    Op::BvSsubO,
    Op::BvUmulO,
    Op::BvSmulO,
    Op::BvSdivO,
];

fn number(value: &Value) -> i128 {
    match value {
        Value::Bool(value) => i128::from(*value),
        Value::BitVec { value, .. } => i128::try_from(value).expect("64 bits"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn bit_vectors_against_the_machine() {
    let mut random = Rng::new(1);
    let mut cases = 0;
    for width in 1..=64 {
        let (mut terms, funs, constants) = pair(Sort::BitVec(width));
        let applied: Vec<(Op, TermId)> =
            BINARY.iter().map(|&op| (op, terms.app(op, &constants).expect("well-sorted"))).collect();
        let mut evaluator = Evaluator::new(&terms);
        let mask = u64::MAX >> (64 - width);
        for round in 0..60 {
            let special = [0, 1, mask, mask >> 1, (mask >> 1) + 1, u64::from(width), 2];
            let mut pick = || match random.below(3) {
                0 => special[random.below(7)] & mask,
                1 => random.below(16) as u64 & mask,
                _ => random.next_u64() & mask,
            };
            let (a, b) = if round < 2 { (mask, mask) } else { (pick(), pick()) };
            let mut values = Assignment::new();
            values.set(funs[0], Value::bits(width, a));
            values.set(funs[1], Value::bits(width, b));
            for &(op, term) in &applied {
                let found = number(&evaluator.eval(term, &mut values).expect("a value"));
                assert_eq!(found, machine(op, width, a, b), "{} {a} {b} in {width} bits", op.name());
                cases += 1;
            }
        }
    }
    assert_eq!(cases, 64 * 60 * BINARY.len());
}

/// An integer of up to 200 bits, often a small one.
fn integer(random: &mut Rng) -> IBig {
    let bits = [0, 3, 8, 64, 65, 200][random.below(6)];
    let mut value = UBig::ZERO;
    for _ in 0..4 {
        value = (value << 64) | UBig::from(random.next_u64());
    }
    value.clear_high_bits(bits);
    let value = IBig::from(value);
    if random.below(2) == 0 { value } else { -value }
}

/// `formula` holds for random values of `a` and `b`.
fn law(declarations: &str, formula: &str, mut value: impl FnMut(&mut Rng, &mut Terms) -> Value) {
    let (mut terms, term) = read(declarations, formula);
    let names: Vec<FunId> =
        terms.funs().filter(|&f| ["a", "b", "i", "j", "v"].contains(&terms.fun_name(f))).collect();
    let mut random = Rng::new(7);
    for _ in 0..300 {
        let mut values = Assignment::new();
        for &fun in &names {
            values.set(fun, value(&mut random, &mut terms));
        }
        let shown = format!("{values:?}");
        assert_eq!(Evaluator::new(&terms).holds(term, &mut values), Ok(true), "{formula} {shown}");
    }
}

#[test]
fn integers() {
    let two = "(declare-const a Int)(declare-const b Int)";
    for formula in [
        "(= a (+ (* b (div a b)) (mod a b)))",
        "(=> (distinct b 0) (<= 0 (mod a b) (- (abs b) 1)))",
        "(= (- a b) (- (- b a)))",
        "(= (* (+ a b) (- a b)) (- (* a a) (* b b)))",
        "(= (to_int (to_real a)) a)",
        "(=> (distinct b 0) (= (is_int (/ (to_real a) (to_real b))) (= (mod a b) 0)))",
        "(=> (> b 0) (= (to_int (/ (to_real a) (to_real b))) (div a b)))",
        "(= ((_ divisible 7) a) (= (mod a 7) 0))",
        "(= (sbv_to_int ((_ int_to_bv 256) a)) a)",
        "(= (ubv_to_int ((_ int_to_bv 8) a)) (mod a 256))",
        "(= ((_ int_to_bv 100) (+ a b)) (bvadd ((_ int_to_bv 100) a) ((_ int_to_bv 100) b)))",
        "(= ((_ int_to_bv 100) (* a b)) (bvmul ((_ int_to_bv 100) a) ((_ int_to_bv 100) b)))",
        "(xor (< a b) (>= a b))",
    ] {
        law(two, formula, |random, _| Value::Int(integer(random)));
    }
}

#[test]
fn wide_bit_vectors() {
    let two = "(declare-const a (_ BitVec 201))(declare-const b (_ BitVec 201))";
    for formula in [
        "(= (bvadd (bvmul (bvudiv a b) b) (bvurem a b)) (ite (= b (bvxor b b)) a a))",
        "(= (bvadd (bvmul (bvsdiv a b) b) (bvsrem a b)) a)",
        "(= (bvsub a b) (bvadd a (bvneg b)))",
        "(= (bvneg a) (bvadd (bvnot a) (_ bv1 201)))",
        "(= (concat ((_ extract 200 77) a) ((_ extract 76 0) a)) a)",
        "(= ((_ rotate_left 13) a) (concat ((_ extract 187 0) a) ((_ extract 200 188) a)))",
        "(= ((_ rotate_right 13) ((_ rotate_left 13) a)) a)",
        "(= ((_ rotate_left 214) a) ((_ rotate_left 13) a))",
        "(= ((_ repeat 3) a) (concat a a a))",
        "(= (sbv_to_int ((_ sign_extend 50) a)) (sbv_to_int a))",
        "(= (ubv_to_int ((_ zero_extend 50) a)) (ubv_to_int a))",
        "(= (bvult a b) (< (ubv_to_int a) (ubv_to_int b)))",
        "(= (bvsle a b) (<= (sbv_to_int a) (sbv_to_int b)))",
        "(= (bvsaddo a b) (distinct (+ (sbv_to_int a) (sbv_to_int b)) (sbv_to_int (bvadd a b))))",
        "(= (bvsmulo a b) (distinct (* (sbv_to_int a) (sbv_to_int b)) (sbv_to_int (bvmul a b))))",
        "(= (bvumulo a b) (distinct (* (ubv_to_int a) (ubv_to_int b)) (ubv_to_int (bvmul a b))))",
        "(= (bvxnor a b) (bvnot (bvxor a b)))",
        "(=> (bvult b (_ bv201 201)) (= (bvashr (bvshl a b) b) (bvashr (bvshl (bvashr (bvshl a b) b) b) b)))",
        "(= (bvredor a) (bvnot (bvcomp a (_ bv0 201))))",
    ] {
        law(two, formula, |random, _| {
            let (_, magnitude) = integer(random).into_parts();
            let value = Value::bits(201, magnitude.clone());
            if random.below(4) == 0 {
                Value::bits(201, (UBig::ONE << 201) - (magnitude + UBig::ONE))
            } else {
                value
            }
        });
    }
}

#[test]
fn reals() {
    let two = "(declare-const a Real)(declare-const b Real)";
    for formula in [
        "(=> (distinct b 0.0) (= a (* b (/ a b))))",
        "(= (+ a b) (- a (- b)))",
        "(<= (to_real (to_int a)) a)",
        "(< a (+ (to_real (to_int a)) 1.0))",
        "(= (is_int a) (= a (to_real (to_int a))))",
        "(=> (< a b) (< a (/ (+ a b) 2.0) b))",
        "(= (abs a) (ite (< a 0.0) (- a) a))",
    ] {
        law(two, formula, |random, _| {
            let (_, below) = integer(random).into_parts();
            Value::Real(dashu_ratio::RBig::from_parts(integer(random), below + UBig::ONE))
        });
    }
}

#[test]
fn arrays() {
    for index in ["Int", "(_ BitVec 3)", "Bool"] {
        let declarations = format!(
            "(declare-const a (Array {index} Int))(declare-const b (Array {index} Int))
             (declare-const i {index})(declare-const j {index})(declare-const v Int)"
        );
        for formula in [
            "(= (select (store a i v) i) v)",
            "(=> (distinct i j) (= (select (store a i v) j) (select a j)))",
            "(= (store a i (select a i)) a)",
            "(= (store (store a i 1) i v) (store a i v))",
            "(=> (distinct i j) (= (store (store a i 1) j v) (store (store a j v) i 1)))",
            "(= (= (store a i v) a) (= (select a i) v))",
            "(= (= a b) (not (distinct a b)))",
        ] {
            let mut turn = 0;
            law(&declarations, formula, move |random, terms| {
                turn += 1;
                let key = |random: &mut Rng| match index {
                    "Int" => Value::int(random.below(8)),
                    "Bool" => Value::Bool(random.below(2) == 1),
                    _ => Value::bits(3, random.below(8)),
                };
                match turn % 5 {
                    1 | 2 => {
                        let sort = terms.funs().map(|f| terms.fun(f).result);
                        let sort = sort.into_iter().find(|&s| matches!(terms.sorts.get(s), Sort::Array(..)));
                        let mut array =
                            Value::const_array(terms, sort.expect("an array"), Value::int(random.below(3)))
                                .expect("an array");
                        if let Value::Array(array) = &mut array {
                            for _ in 0..random.below(12) {
                                std::sync::Arc::make_mut(array)
                                    .store(key(random), Value::int(random.below(3)));
                            }
                        }
                        array
                    }
                    0 => Value::int(random.below(3)),
                    _ => key(random),
                }
            });
        }
    }
}
