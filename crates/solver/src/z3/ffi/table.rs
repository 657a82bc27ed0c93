//! Which function of the library builds which operator. Operators with indices, and those the library lacks,
//! are put together in `translate`.

use smt::op::Op;
use z3_sys::*;

type Nullary = unsafe extern "C" fn(Z3_context) -> Option<Z3_ast>;
type Unary = unsafe extern "C" fn(Z3_context, Z3_ast) -> Option<Z3_ast>;
type Binary = unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast) -> Option<Z3_ast>;
type Ternary = unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast, Z3_ast) -> Option<Z3_ast>;
type Quaternary = unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast, Z3_ast, Z3_ast) -> Option<Z3_ast>;
type Nary = unsafe extern "C" fn(Z3_context, u32, *const Z3_ast) -> Option<Z3_ast>;
type Indexed = unsafe extern "C" fn(Z3_context, u32, Z3_ast) -> Option<Z3_ast>;
type Signed = unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast, bool) -> Option<Z3_ast>;

/// A function of the library that builds a term. Values are made in this file only, from functions that work as
/// their type says.
#[derive(Clone, Copy)]
pub(in crate::z3) enum Make {
    /// From nothing.
    Zero(Nullary),
    /// From one term.
    One(Unary),
    /// From two terms.
    Two(Binary),
    /// From three terms.
    Three(Ternary),
    /// From four terms.
    Four(Quaternary),
    /// From any number of terms.
    Many(Nary),
    /// From an index and a term.
    Index(Indexed),
    /// Says that an operation does not overflow; its negation is meant.
    Safe1(Unary),
    /// The same for two terms.
    Safe2(Binary),
    /// The same for two terms and a sign.
    SafeSigned(Signed, bool),
    /// The same when there are an upper and a lower end.
    SafeUpper(Signed, Binary),
    /// The same for subtraction, whose signed end is the lower one.
    SafeLower(Binary, Signed),
}

/// The function for an operator, if there is one.
pub(in crate::z3) fn make_of(op: Op) -> Option<Make> {
    core(op).or_else(|| bit_vec(op)).or_else(|| float(op))
}

fn core(op: Op) -> Option<Make> {
    Some(match op {
        Op::True => Make::Zero(Z3_mk_true),
        Op::False => Make::Zero(Z3_mk_false),
        Op::Not => Make::One(Z3_mk_not),
        Op::Implies => Make::Two(Z3_mk_implies),
        Op::And => Make::Many(Z3_mk_and),
        Op::Or => Make::Many(Z3_mk_or),
        Op::Xor => Make::Two(Z3_mk_xor),
        Op::Eq => Make::Two(Z3_mk_eq),
        Op::Distinct => Make::Many(Z3_mk_distinct),
        Op::Ite => Make::Three(Z3_mk_ite),
        Op::Neg => Make::One(Z3_mk_unary_minus),
        Op::Sub => Make::Many(Z3_mk_sub),
        Op::Add => Make::Many(Z3_mk_add),
        Op::Mul => Make::Many(Z3_mk_mul),
        Op::Div | Op::IntDiv => Make::Two(Z3_mk_div),
        Op::Mod => Make::Two(Z3_mk_mod),
        Op::Abs => Make::One(Z3_mk_abs),
        Op::Le => Make::Two(Z3_mk_le),
        Op::Lt => Make::Two(Z3_mk_lt),
        Op::Ge => Make::Two(Z3_mk_ge),
        Op::Gt => Make::Two(Z3_mk_gt),
        Op::ToReal => Make::One(Z3_mk_int2real),
        Op::ToInt => Make::One(Z3_mk_real2int),
        Op::IsInt => Make::One(Z3_mk_is_int),
        Op::Select => Make::Two(Z3_mk_select),
        Op::Store => Make::Three(Z3_mk_store),
        _ => return None,
    })
}

fn bit_vec(op: Op) -> Option<Make> {
    Some(match op {
        Op::Concat => Make::Two(Z3_mk_concat),
        Op::BvNot => Make::One(Z3_mk_bvnot),
        Op::BvNeg => Make::One(Z3_mk_bvneg),
        Op::BvAnd => Make::Two(Z3_mk_bvand),
        Op::BvOr => Make::Two(Z3_mk_bvor),
        Op::BvXor => Make::Two(Z3_mk_bvxor),
        Op::BvNand => Make::Two(Z3_mk_bvnand),
        Op::BvNor => Make::Two(Z3_mk_bvnor),
        Op::BvXnor => Make::Two(Z3_mk_bvxnor),
        Op::BvAdd => Make::Two(Z3_mk_bvadd),
        Op::BvSub => Make::Two(Z3_mk_bvsub),
        Op::BvMul => Make::Two(Z3_mk_bvmul),
        Op::BvUdiv => Make::Two(Z3_mk_bvudiv),
        Op::BvUrem => Make::Two(Z3_mk_bvurem),
        Op::BvSdiv => Make::Two(Z3_mk_bvsdiv),
        Op::BvSrem => Make::Two(Z3_mk_bvsrem),
        Op::BvSmod => Make::Two(Z3_mk_bvsmod),
        Op::BvShl => Make::Two(Z3_mk_bvshl),
        Op::BvLshr => Make::Two(Z3_mk_bvlshr),
        Op::BvAshr => Make::Two(Z3_mk_bvashr),
        Op::BvRedAnd => Make::One(Z3_mk_bvredand),
        Op::BvRedOr => Make::One(Z3_mk_bvredor),
        Op::BvUlt => Make::Two(Z3_mk_bvult),
        Op::BvUle => Make::Two(Z3_mk_bvule),
        Op::BvUgt => Make::Two(Z3_mk_bvugt),
        Op::BvUge => Make::Two(Z3_mk_bvuge),
        Op::BvSlt => Make::Two(Z3_mk_bvslt),
        Op::BvSle => Make::Two(Z3_mk_bvsle),
        Op::BvSgt => Make::Two(Z3_mk_bvsgt),
        Op::BvSge => Make::Two(Z3_mk_bvsge),
        Op::BvNegO => Make::Safe1(Z3_mk_bvneg_no_overflow),
        Op::BvUaddO => Make::SafeSigned(Z3_mk_bvadd_no_overflow, false),
        Op::BvSaddO => Make::SafeUpper(Z3_mk_bvadd_no_overflow, Z3_mk_bvadd_no_underflow),
        Op::BvUsubO => Make::SafeSigned(Z3_mk_bvsub_no_underflow, false),
        Op::BvSsubO => Make::SafeLower(Z3_mk_bvsub_no_overflow, Z3_mk_bvsub_no_underflow),
        Op::BvUmulO => Make::SafeSigned(Z3_mk_bvmul_no_overflow, false),
        Op::BvSmulO => Make::SafeUpper(Z3_mk_bvmul_no_overflow, Z3_mk_bvmul_no_underflow),
        Op::BvSdivO => Make::Safe2(Z3_mk_bvsdiv_no_overflow),
        Op::ZeroExtend => Make::Index(Z3_mk_zero_ext),
        Op::SignExtend => Make::Index(Z3_mk_sign_ext),
        Op::RotateLeft => Make::Index(Z3_mk_rotate_left),
        Op::RotateRight => Make::Index(Z3_mk_rotate_right),
        Op::Repeat => Make::Index(Z3_mk_repeat),
        _ => return None,
    })
}

fn float(op: Op) -> Option<Make> {
    Some(match op {
        Op::Rne => Make::Zero(Z3_mk_fpa_rne),
        Op::Rna => Make::Zero(Z3_mk_fpa_rna),
        Op::Rtp => Make::Zero(Z3_mk_fpa_rtp),
        Op::Rtn => Make::Zero(Z3_mk_fpa_rtn),
        Op::Rtz => Make::Zero(Z3_mk_fpa_rtz),
        Op::Fp => Make::Three(Z3_mk_fpa_fp),
        Op::FpAbs => Make::One(Z3_mk_fpa_abs),
        Op::FpNeg => Make::One(Z3_mk_fpa_neg),
        Op::FpAdd => Make::Three(Z3_mk_fpa_add),
        Op::FpSub => Make::Three(Z3_mk_fpa_sub),
        Op::FpMul => Make::Three(Z3_mk_fpa_mul),
        Op::FpDiv => Make::Three(Z3_mk_fpa_div),
        Op::FpFma => Make::Four(Z3_mk_fpa_fma),
        Op::FpSqrt => Make::Two(Z3_mk_fpa_sqrt),
        Op::FpRem => Make::Two(Z3_mk_fpa_rem),
        Op::FpRoundToIntegral => Make::Two(Z3_mk_fpa_round_to_integral),
        Op::FpMin => Make::Two(Z3_mk_fpa_min),
        Op::FpMax => Make::Two(Z3_mk_fpa_max),
        Op::FpLeq => Make::Two(Z3_mk_fpa_leq),
        Op::FpLt => Make::Two(Z3_mk_fpa_lt),
        Op::FpGeq => Make::Two(Z3_mk_fpa_geq),
        Op::FpGt => Make::Two(Z3_mk_fpa_gt),
        Op::FpEq => Make::Two(Z3_mk_fpa_eq),
        Op::FpIsNormal => Make::One(Z3_mk_fpa_is_normal),
        Op::FpIsSubnormal => Make::One(Z3_mk_fpa_is_subnormal),
        Op::FpIsZero => Make::One(Z3_mk_fpa_is_zero),
        Op::FpIsInfinite => Make::One(Z3_mk_fpa_is_infinite),
        Op::FpIsNaN => Make::One(Z3_mk_fpa_is_nan),
        Op::FpIsNegative => Make::One(Z3_mk_fpa_is_negative),
        Op::FpIsPositive => Make::One(Z3_mk_fpa_is_positive),
        Op::FpToReal => Make::One(Z3_mk_fpa_to_real),
        Op::FpToBits => Make::One(Z3_mk_fpa_to_ieee_bv),
        _ => return None,
    })
}
