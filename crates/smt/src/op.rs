//! The one table of operators. Parser, sort checker, printer and evaluator read the same row; no other place
//! spells an operator's name.

/// How an operator takes more than two arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Assoc {
    /// It does not.
    None,
    /// `(f a b c)` is `(f (f a b) c)`.
    Left,
    /// `(f a b c)` is `(f a (f b c))`.
    Right,
    /// `(f a b c)` is `(and (f a b) (f b c))`.
    Chain,
    /// `(f a b c)` holds when `f` holds of every pair.
    Pairwise,
}

/// The theory an operator belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Theory {
    /// Structure: constants, variables, applications, binders.
    Kernel,
    /// Core.
    Core,
    /// Ints, Reals, Reals_Ints.
    Arith,
    /// FixedSizeBitVectors.
    BitVec,
    /// ArraysEx.
    Array,
    /// FloatingPoint.
    Float,
    /// UnicodeStrings with regular languages.
    String,
    /// Sequences.
    Seq,
    /// Datatypes.
    Data,
    /// Temporal operators of VMT-LIB.
    Ltl,
}

/// A sort with a fixed name in a rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// `Bool`.
    Bool,
    /// `Int`.
    Int,
    /// `Real`.
    Real,
    /// `RoundingMode`.
    Rm,
    /// `String`.
    Str,
    /// `RegLan`.
    Re,
}

/// The rule that gives the result's sort from those of the arguments; [`crate::check`] reads it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// Built by its own function, never by name.
    Special,
    /// Exactly these sorts.
    Fixed(&'static [Base], Base),
    /// One or more (associative) arguments of one sort, and the result too.
    Same(Base),
    /// Arguments of any one sort, result `Bool`.
    Equal,
    /// `ite`.
    Ite,
    /// One or more arguments, all `Int` or all `Real`.
    Arith,
    /// Arguments all `Int` or all `Real`, result `Bool`.
    ArithCompare,
    /// Bit-vectors of one width, so many of them, and the result too.
    Bv(u8),
    /// Bit-vectors of one width, so many of them, result `Bool`.
    BvPredicate(u8),
    /// `bvcomp`.
    BvComp,
    /// `concat`.
    Concat,
    /// `(_ extract i j)`.
    Extract,
    /// `(_ zero_extend i)`, `(_ sign_extend i)`.
    Extend,
    /// `(_ rotate_left i)`, `(_ rotate_right i)`.
    Rotate,
    /// `(_ repeat i)`.
    Repeat,
    /// Bit-vector to `Int`.
    BvToInt,
    /// `(_ int_to_bv w)`.
    IntToBv,
    /// `(_ divisible n)`.
    Divisible,
    /// `_size`: the number of constructors in a value of a datatype.
    DataSize,
    /// `select`, also application of a map.
    Select,
    /// `store`.
    Store,
    /// `fp`.
    Fp,
    /// `(_ +oo eb sb)` and the like.
    FpConst,
    /// Floats of one format, so many of them, and the result too; true: a rounding mode comes first.
    Float(bool, u8),
    /// Floats of one format, so many of them, result `Bool`.
    FloatPredicate(u8),
    /// `(_ to_fp eb sb)` of a bit-vector: its bits.
    ToFpBits,
    /// `(_ to_fp eb sb)` of a float, real or integer, or signed bit-vector, with a rounding mode.
    ToFpRounded,
    /// `(_ fp.to_ubv w)`, `(_ fp.to_sbv w)`.
    FloatToBv,
    /// `fp.to_real`.
    FloatToReal,
    /// `fp.to_ieee_bv`.
    FloatToBits,
    /// `(_ re.^ n)`.
    RePower,
    /// `(_ re.loop m n)`.
    ReLoop,
    /// `(_ char x)`.
    Char,
    /// `seq.unit`.
    SeqUnit,
    /// Sequences of one sort, one or more, and the result too.
    SeqSame(u8),
    /// Sequences of one sort, so many, result `Bool`.
    SeqPredicate(u8),
    /// A sequence, then so many integers, result `Int` (0: `seq.len`).
    SeqToInt,
    /// `seq.indexof`.
    SeqIndexOf,
    /// `seq.extract`, `seq.at`: a sequence and so many integers.
    SeqExtract(u8),
    /// `seq.nth`.
    SeqNth,
    /// `seq.update`.
    SeqUpdate,
}

impl Rule {
    /// The number of numerals in `(_ name …)`.
    #[must_use]
    pub fn indices(self) -> usize {
        match self {
            Rule::Extract | Rule::FpConst | Rule::ToFpBits | Rule::ToFpRounded | Rule::ReLoop => 2,
            Rule::Extend
            | Rule::Rotate
            | Rule::Repeat
            | Rule::IntToBv
            | Rule::Divisible
            | Rule::FloatToBv
            | Rule::RePower
            | Rule::Char => 1,
            _ => 0,
        }
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// The operator.
    pub op: Op,
    /// Its name in SMT-LIB; empty when it has none.
    pub name: &'static str,
    /// Its theory.
    pub theory: Theory,
    /// How it takes more than two arguments.
    pub assoc: Assoc,
    /// Its rank.
    pub rule: Rule,
}

macro_rules! ops {
    ($($op:ident $name:literal $theory:ident $assoc:ident $rule:expr;)*) => {
        /// An operator.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u16)]
        pub enum Op {
            $(#[doc = concat!("`", $name, "`")] $op,)*
        }

        /// All operators, in the order of [`Op`].
        pub static OPS: &[OpInfo] = &[
            $(OpInfo { op: Op::$op, name: $name, theory: Theory::$theory, assoc: Assoc::$assoc, rule: $rule },)*
        ];
    };
}

use Base::{Bool, Int, Re, Real, Rm, Str};
use Rule::{
    Arith, ArithCompare, Bv, BvPredicate, Char, Concat, Divisible, Equal, Extend, Extract, Fixed,
    FloatPredicate, FloatToBits, FloatToBv, FloatToReal, Fp, FpConst, IntToBv, Ite, ReLoop, RePower, Repeat,
    Rotate, Same, Select, SeqExtract, SeqIndexOf, SeqNth, SeqPredicate, SeqSame, SeqToInt, SeqUnit,
    SeqUpdate, Special, Store, ToFpBits, ToFpRounded,
};

ops! {
    Error "" Kernel None Special;
    Const "" Kernel None Special;
    Var "" Kernel None Special;
    App "" Kernel None Special;
    Forall "forall" Kernel None Special;
    Exists "exists" Kernel None Special;
    Lambda "lambda" Kernel None Special;

    True "true" Core None Fixed(&[], Bool);
    False "false" Core None Fixed(&[], Bool);
    Not "not" Core None Fixed(&[Bool], Bool);
    Implies "=>" Core Right Same(Bool);
    And "and" Core Left Same(Bool);
    Or "or" Core Left Same(Bool);
    Xor "xor" Core Left Same(Bool);
    Eq "=" Core Chain Equal;
    Distinct "distinct" Core Pairwise Equal;
    Ite "ite" Core None Ite;

    Neg "-" Arith None Arith;
    Sub "-" Arith Left Arith;
    Add "+" Arith Left Arith;
    Mul "*" Arith Left Arith;
    Div "/" Arith Left Same(Real);
    IntDiv "div" Arith Left Same(Int);
    Mod "mod" Arith None Fixed(&[Int, Int], Int);
    Abs "abs" Arith None Arith;
    Le "<=" Arith Chain ArithCompare;
    Lt "<" Arith Chain ArithCompare;
    Ge ">=" Arith Chain ArithCompare;
    Gt ">" Arith Chain ArithCompare;
    ToReal "to_real" Arith None Fixed(&[Int], Real);
    ToInt "to_int" Arith None Fixed(&[Real], Int);
    IsInt "is_int" Arith None Fixed(&[Real], Bool);
    Divisible "divisible" Arith None Divisible;

    Concat "concat" BitVec Left Concat;
    Extract "extract" BitVec None Extract;
    BvNot "bvnot" BitVec None Bv(1);
    BvNeg "bvneg" BitVec None Bv(1);
    BvAnd "bvand" BitVec Left Bv(2);
    BvOr "bvor" BitVec Left Bv(2);
    BvXor "bvxor" BitVec Left Bv(2);
    BvNand "bvnand" BitVec None Bv(2);
    BvNor "bvnor" BitVec None Bv(2);
    BvXnor "bvxnor" BitVec None Bv(2);
    BvAdd "bvadd" BitVec Left Bv(2);
    BvSub "bvsub" BitVec None Bv(2);
    BvMul "bvmul" BitVec Left Bv(2);
    BvUdiv "bvudiv" BitVec None Bv(2);
    BvUrem "bvurem" BitVec None Bv(2);
    BvSdiv "bvsdiv" BitVec None Bv(2);
    BvSrem "bvsrem" BitVec None Bv(2);
    BvSmod "bvsmod" BitVec None Bv(2);
    BvShl "bvshl" BitVec None Bv(2);
    BvLshr "bvlshr" BitVec None Bv(2);
    BvAshr "bvashr" BitVec None Bv(2);
    BvComp "bvcomp" BitVec None Rule::BvComp;
    BvRedAnd "bvredand" BitVec None Rule::BvComp;
    BvRedOr "bvredor" BitVec None Rule::BvComp;
    BvUlt "bvult" BitVec None BvPredicate(2);
    BvUle "bvule" BitVec None BvPredicate(2);
    BvUgt "bvugt" BitVec None BvPredicate(2);
    BvUge "bvuge" BitVec None BvPredicate(2);
    BvSlt "bvslt" BitVec None BvPredicate(2);
    BvSle "bvsle" BitVec None BvPredicate(2);
    BvSgt "bvsgt" BitVec None BvPredicate(2);
    BvSge "bvsge" BitVec None BvPredicate(2);
    BvNegO "bvnego" BitVec None BvPredicate(1);
    BvUaddO "bvuaddo" BitVec None BvPredicate(2);
    BvSaddO "bvsaddo" BitVec None BvPredicate(2);
    BvUsubO "bvusubo" BitVec None BvPredicate(2);
    BvSsubO "bvssubo" BitVec None BvPredicate(2);
    BvUmulO "bvumulo" BitVec None BvPredicate(2);
    BvSmulO "bvsmulo" BitVec None BvPredicate(2);
    BvSdivO "bvsdivo" BitVec None BvPredicate(2);
    ZeroExtend "zero_extend" BitVec None Extend;
    SignExtend "sign_extend" BitVec None Extend;
    RotateLeft "rotate_left" BitVec None Rotate;
    RotateRight "rotate_right" BitVec None Rotate;
    Repeat "repeat" BitVec None Repeat;
    UbvToInt "ubv_to_int" BitVec None Rule::BvToInt;
    SbvToInt "sbv_to_int" BitVec None Rule::BvToInt;
    IntToBv "int_to_bv" BitVec None IntToBv;

    Select "select" Array None Select;
    Store "store" Array None Store;
    ConstArray "const" Array None Special;

    Fp "fp" Float None Fp;
    PlusInf "+oo" Float None FpConst;
    MinusInf "-oo" Float None FpConst;
    PlusZero "+zero" Float None FpConst;
    MinusZero "-zero" Float None FpConst;
    NaN "NaN" Float None FpConst;
    Rne "RNE" Float None Fixed(&[], Rm);
    Rna "RNA" Float None Fixed(&[], Rm);
    Rtp "RTP" Float None Fixed(&[], Rm);
    Rtn "RTN" Float None Fixed(&[], Rm);
    Rtz "RTZ" Float None Fixed(&[], Rm);
    FpAbs "fp.abs" Float None Rule::Float(false, 1);
    FpNeg "fp.neg" Float None Rule::Float(false, 1);
    FpAdd "fp.add" Float None Rule::Float(true, 2);
    FpSub "fp.sub" Float None Rule::Float(true, 2);
    FpMul "fp.mul" Float None Rule::Float(true, 2);
    FpDiv "fp.div" Float None Rule::Float(true, 2);
    FpFma "fp.fma" Float None Rule::Float(true, 3);
    FpSqrt "fp.sqrt" Float None Rule::Float(true, 1);
    FpRem "fp.rem" Float None Rule::Float(false, 2);
    FpRoundToIntegral "fp.roundToIntegral" Float None Rule::Float(true, 1);
    FpMin "fp.min" Float None Rule::Float(false, 2);
    FpMax "fp.max" Float None Rule::Float(false, 2);
    FpLeq "fp.leq" Float Chain FloatPredicate(2);
    FpLt "fp.lt" Float Chain FloatPredicate(2);
    FpGeq "fp.geq" Float Chain FloatPredicate(2);
    FpGt "fp.gt" Float Chain FloatPredicate(2);
    FpEq "fp.eq" Float Chain FloatPredicate(2);
    FpIsNormal "fp.isNormal" Float None FloatPredicate(1);
    FpIsSubnormal "fp.isSubnormal" Float None FloatPredicate(1);
    FpIsZero "fp.isZero" Float None FloatPredicate(1);
    FpIsInfinite "fp.isInfinite" Float None FloatPredicate(1);
    FpIsNaN "fp.isNaN" Float None FloatPredicate(1);
    FpIsNegative "fp.isNegative" Float None FloatPredicate(1);
    FpIsPositive "fp.isPositive" Float None FloatPredicate(1);
    ToFpBits "to_fp" Float None ToFpBits;
    ToFp "to_fp" Float None ToFpRounded;
    ToFpUnsigned "to_fp_unsigned" Float None ToFpRounded;
    FpToUbv "fp.to_ubv" Float None FloatToBv;
    FpToSbv "fp.to_sbv" Float None FloatToBv;
    FpToReal "fp.to_real" Float None FloatToReal;
    FpToBits "fp.to_ieee_bv" Float None FloatToBits;

    StrConcat "str.++" String Left Same(Str);
    StrLen "str.len" String None Fixed(&[Str], Int);
    StrLt "str.<" String Chain Fixed(&[Str, Str], Bool);
    StrLe "str.<=" String Chain Fixed(&[Str, Str], Bool);
    StrAt "str.at" String None Fixed(&[Str, Int], Str);
    StrSubstr "str.substr" String None Fixed(&[Str, Int, Int], Str);
    StrPrefixOf "str.prefixof" String None Fixed(&[Str, Str], Bool);
    StrSuffixOf "str.suffixof" String None Fixed(&[Str, Str], Bool);
    StrContains "str.contains" String None Fixed(&[Str, Str], Bool);
    StrIndexOf "str.indexof" String None Fixed(&[Str, Str, Int], Int);
    StrReplace "str.replace" String None Fixed(&[Str, Str, Str], Str);
    StrReplaceAll "str.replace_all" String None Fixed(&[Str, Str, Str], Str);
    StrReplaceRe "str.replace_re" String None Fixed(&[Str, Re, Str], Str);
    StrReplaceReAll "str.replace_re_all" String None Fixed(&[Str, Re, Str], Str);
    StrIsDigit "str.is_digit" String None Fixed(&[Str], Bool);
    StrToCode "str.to_code" String None Fixed(&[Str], Int);
    StrFromCode "str.from_code" String None Fixed(&[Int], Str);
    StrToInt "str.to_int" String None Fixed(&[Str], Int);
    StrFromInt "str.from_int" String None Fixed(&[Int], Str);
    StrToRe "str.to_re" String None Fixed(&[Str], Re);
    StrInRe "str.in_re" String None Fixed(&[Str, Re], Bool);
    ReNone "re.none" String None Fixed(&[], Re);
    ReAll "re.all" String None Fixed(&[], Re);
    ReAllChar "re.allchar" String None Fixed(&[], Re);
    ReConcat "re.++" String Left Same(Re);
    ReUnion "re.union" String Left Same(Re);
    ReInter "re.inter" String Left Same(Re);
    ReStar "re.*" String None Fixed(&[Re], Re);
    RePlus "re.+" String None Fixed(&[Re], Re);
    ReOpt "re.opt" String None Fixed(&[Re], Re);
    ReComp "re.comp" String None Fixed(&[Re], Re);
    ReDiff "re.diff" String Left Same(Re);
    ReRange "re.range" String None Fixed(&[Str, Str], Re);
    RePower "re.^" String None RePower;
    ReLoop "re.loop" String None ReLoop;
    Char "char" String None Char;

    SeqEmpty "seq.empty" Seq None Special;
    SeqUnit "seq.unit" Seq None SeqUnit;
    SeqConcat "seq.++" Seq Left SeqSame(2);
    SeqLen "seq.len" Seq None SeqToInt;
    SeqExtract "seq.extract" Seq None SeqExtract(2);
    SeqAt "seq.at" Seq None SeqExtract(1);
    SeqNth "seq.nth" Seq None SeqNth;
    SeqContains "seq.contains" Seq None SeqPredicate(2);
    SeqPrefixOf "seq.prefixof" Seq None SeqPredicate(2);
    SeqSuffixOf "seq.suffixof" Seq None SeqPredicate(2);
    SeqIndexOf "seq.indexof" Seq None SeqIndexOf;
    SeqReplace "seq.replace" Seq None SeqSame(3);
    SeqReplaceAll "seq.replace_all" Seq None SeqSame(3);
    SeqUpdate "seq.update" Seq None SeqUpdate;
    SeqRev "seq.rev" Seq None SeqSame(1);

    DataSize "_size" Data None Rule::DataSize;

    LtlNext "ltl.X" Ltl None Fixed(&[Bool], Bool);
    LtlFinally "ltl.F" Ltl None Fixed(&[Bool], Bool);
    LtlGlobally "ltl.G" Ltl None Fixed(&[Bool], Bool);
    LtlUntil "ltl.U" Ltl None Fixed(&[Bool, Bool], Bool);
    LtlRelease "ltl.R" Ltl None Fixed(&[Bool, Bool], Bool);
    LtlWeakUntil "ltl.W" Ltl None Fixed(&[Bool, Bool], Bool);
    LtlYesterday "ltl.Y" Ltl None Fixed(&[Bool], Bool);
    LtlWeakYesterday "ltl.Z" Ltl None Fixed(&[Bool], Bool);
    LtlOnce "ltl.O" Ltl None Fixed(&[Bool], Bool);
    LtlHistorically "ltl.H" Ltl None Fixed(&[Bool], Bool);
    LtlSince "ltl.S" Ltl None Fixed(&[Bool, Bool], Bool);
}

/// Other names for operators: older standards, common solvers, long forms of the standard itself.
pub static ALIASES: &[(&str, Op)] = &[
    // tidy: sorted
    ("bv2int", Op::UbvToInt),
    ("bv2nat", Op::UbvToInt),
    ("bvsdiv_i", Op::BvSdiv),
    ("bvsmod_i", Op::BvSmod),
    ("bvsrem_i", Op::BvSrem),
    ("bvudiv_i", Op::BvUdiv),
    ("bvurem_i", Op::BvUrem),
    ("iff", Op::Eq),
    ("implies", Op::Implies),
    ("int2bv", Op::IntToBv),
    ("ltl.V", Op::LtlRelease),
    ("nat2bv", Op::IntToBv),
    ("roundNearestTiesToAway", Op::Rna),
    ("roundNearestTiesToEven", Op::Rne),
    ("roundTowardNegative", Op::Rtn),
    ("roundTowardPositive", Op::Rtp),
    ("roundTowardZero", Op::Rtz),
    // tidy: end
];

impl Op {
    /// The operator's row.
    #[must_use]
    pub fn info(self) -> &'static OpInfo {
        &OPS[self as usize]
    }

    /// Its name in SMT-LIB.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// True for `forall`, `exists` and `lambda`.
    #[must_use]
    pub fn is_binder(self) -> bool {
        matches!(self, Op::Forall | Op::Exists | Op::Lambda)
    }
}

/// Words that begin a construct. Every store has them as its first symbols, in this order, so that the parser compares
/// numbers instead of texts.
pub(crate) static WORDS: &[&str] =
    &["let", "forall", "exists", "lambda", "!", "match", "_", "as", "at", "old"];

/// Words that are no symbols unless between bars.
pub static RESERVED: &[&str] = &[
    "!",
    "_",
    "as",
    "BINARY",
    "DECIMAL",
    "exists",
    "HEXADECIMAL",
    "forall",
    "let",
    "match",
    "NUMERAL",
    "par",
    "STRING",
    "lambda",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_where_their_operator_says() {
        for (i, info) in OPS.iter().enumerate() {
            assert_eq!(info.op as usize, i);
        }
        assert!(ALIASES.is_sorted_by_key(|(name, _)| *name));
    }
}
