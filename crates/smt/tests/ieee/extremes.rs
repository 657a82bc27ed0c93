//! Formats beyond any processor: exponents that could never be written down as numbers, and the limits.

use dashu_int::{IBig, Sign, UBig};
use dashu_ratio::RBig;
use smt::value::ieee::{Float, Format, Rounding};

use Rounding::{Rna, Rne, Rtn, Rtp, Rtz};
use Sign::{Negative, Positive};

const WIDE: Format = Format { eb: Format::MAX_EB, sb: 5 };

fn small(format: Format, number: i64) -> Float {
    Float::from_int(format, Rne, &number.into())
}

/// The number whose bits are one more.
fn next(float: &Float) -> Float {
    Float::from_bits(float.format(), &(float.to_bits() + UBig::ONE))
}

/// The number whose bits are one less.
fn previous(float: &Float) -> Float {
    Float::from_bits(float.format(), &(float.to_bits() - UBig::ONE))
}

#[test]
fn limits_of_formats() {
    assert_eq!(Format::new(8, 24), Some(Format::F32));
    for (eb, sb) in [(1, 5), (5, 1), (0, 0), (Format::MAX_EB + 1, 5), (5, Format::MAX_SB + 1)] {
        assert_eq!(Format::new(eb, sb), None);
    }
    assert_eq!(Format::F128.width(), 128);
}

#[test]
fn literals_beyond_the_limits_compute() {
    for format in [Format { eb: 0, sb: 0 }, Format { eb: u32::MAX, sb: 3 }] {
        let one = small(format, 1);
        assert_eq!(one.add(Rne, &one), small(format, 2));
        assert_eq!(Float::from_bits(format, &one.to_bits()), one);
        assert!(Float::nan(format).sqrt(Rtp).is_nan());
    }
}

#[test]
fn far_apart_sums() {
    let (huge, tiny) = (Float::max_finite(WIDE, Positive), Float::min_subnormal(WIDE, Positive));
    let one = small(WIDE, 1);
    for rm in [Rne, Rna, Rtz, Rtn] {
        assert_eq!(huge.add(rm, &tiny), huge);
        assert_eq!(one.add(rm, &tiny), one);
    }
    assert_eq!(huge.add(Rtp, &tiny), Float::infinity(WIDE, Positive));
    assert_eq!(one.add(Rtp, &tiny), next(&one));
    assert_eq!(tiny.add(Rtp, &one), next(&one));
    for rm in [Rtz, Rtn] {
        assert_eq!(huge.sub(rm, &tiny), previous(&huge));
        assert_eq!(one.sub(rm, &tiny), previous(&one));
        assert_eq!(one.neg().add(Rtz, &tiny), previous(&one).neg());
    }
    for rm in [Rne, Rna, Rtp] {
        assert_eq!(one.sub(rm, &tiny), one);
    }
    // The product alone is a midpoint; the addend breaks the tie.
    let (a, b) = (small(WIDE, 3), small(WIDE, 11));
    assert_eq!(a.fma(Rne, &b, &Float::zero(WIDE, Positive)), small(WIDE, 32));
    assert_eq!(a.fma(Rne, &b, &tiny), small(WIDE, 34));
    assert_eq!(a.fma(Rna, &b, &tiny.neg()), small(WIDE, 32));
}

#[test]
fn overflow_and_underflow() {
    for sign in [Positive, Negative] {
        let (huge, tiny) = (Float::max_finite(WIDE, sign), Float::min_subnormal(WIDE, sign));
        let (infinity, zero) = (Float::infinity(WIDE, sign), Float::zero(WIDE, sign));
        let outward = if sign == Positive { Rtp } else { Rtn };
        let inward = if sign == Positive { Rtn } else { Rtp };
        let big = Float::max_finite(WIDE, Positive);
        for (rm, over, under) in [
            (Rne, &infinity, &zero),
            (Rna, &infinity, &zero),
            (outward, &infinity, &tiny),
            (inward, &huge, &zero),
            (Rtz, &huge, &zero),
        ] {
            assert_eq!(&huge.mul(rm, &big), over);
            assert_eq!(&huge.div(rm, &Float::min_subnormal(WIDE, Positive)), over);
            assert_eq!(&tiny.div(rm, &big), under);
            assert_eq!(&tiny.mul(rm, &Float::min_normal(WIDE, Positive)), under);
        }
        // Half of the least number is a tie.
        let two = small(WIDE, 2);
        assert_eq!(tiny.div(Rne, &two), zero);
        assert_eq!(tiny.div(Rna, &two), tiny);
    }
}

#[test]
fn remainders_across_the_whole_range() {
    let (huge, tiny) = (Float::max_finite(WIDE, Negative), Float::min_subnormal(WIDE, Positive));
    assert_eq!(huge.rem(&tiny), Float::zero(WIDE, Negative));
    assert_eq!(tiny.rem(&huge), tiny);
    // A power of two modulo 3 depends on the parity of its exponent, and the nearest multiple may be above.
    let three = small(WIDE, 3);
    let mut power = Float::max_finite(WIDE, Positive).div(Rtz, &small(WIDE, 31)).mul(Rtz, &small(WIDE, 16));
    let even = power.rem(&three);
    assert!(even == small(WIDE, 1) || even == small(WIDE, -1));
    for round in 1..10 {
        power = power.div(Rne, &small(WIDE, 2));
        assert_eq!(power.rem(&three), if round % 2 == 0 { even.clone() } else { even.neg() });
    }
}

#[test]
fn nothing_huge_is_built_for_integers() {
    let (huge, tiny) = (Float::max_finite(WIDE, Positive), Float::min_subnormal(WIDE, Positive));
    assert_eq!(huge.to_ubv(Rne, 64), None);
    assert_eq!(huge.to_sbv(Rne, u32::MAX >> 4), None);
    assert_eq!(tiny.to_ubv(Rtp, 1), Some(UBig::ONE));
    assert_eq!(tiny.to_sbv(Rne, u32::MAX), Some(IBig::ZERO));
    assert_eq!(tiny.neg().to_ubv(Rtz, 8), Some(UBig::ZERO));
    assert_eq!(tiny.neg().to_ubv(Rtn, 8), None);
    assert_eq!(tiny.neg().to_sbv(Rtn, 1), Some(IBig::NEG_ONE));
    assert_eq!(tiny.to_sbv(Rtp, 1), None);
    assert_eq!(huge.round_to_integral(Rtp), huge);
    assert_eq!(tiny.round_to_integral(Rtp), small(WIDE, 1));
    assert_eq!(tiny.neg().round_to_integral(Rtp), Float::zero(WIDE, Negative));
    let root = huge.sqrt(Rtz);
    assert!(root.mul(Rtz, &root).lt(&huge) && huge.leq(&next(&root).mul(Rtp, &next(&root))));
}

#[test]
fn reals_of_a_quadruple_and_beyond() {
    let format = Format::new(19, 237).expect("the octuple format");
    for float in
        [Float::max_finite(format, Negative), Float::min_subnormal(format, Positive), small(format, -7)]
    {
        let real = float.to_real().expect("a finite number");
        for rm in Rounding::ALL {
            assert_eq!(Float::from_rational(format, rm, &real), float);
        }
    }
    assert_eq!(Float::infinity(format, Positive).to_real(), None);
    assert_eq!(Float::zero(format, Negative).to_real(), Some(RBig::ZERO));
    let third = RBig::from_parts(IBig::ONE, UBig::from(3u8));
    let (below, above) =
        (Float::from_rational(Format::F128, Rtn, &third), Float::from_rational(Format::F128, Rtp, &third));
    assert_eq!(next(&below), above);
    assert!(below.to_real() < Some(third.clone()) && Some(third) < above.to_real());
}

#[test]
fn a_narrow_exponent_may_overflow_to_integral() {
    // The greatest number of this format is 3.5, so that 4 is out of range.
    let format = Format { eb: 2, sb: 3 };
    let huge = Float::max_finite(format, Positive);
    for rm in [Rne, Rna, Rtp] {
        assert_eq!(huge.round_to_integral(rm), Float::infinity(format, Positive));
    }
    assert_eq!(huge.round_to_integral(Rtz), small(format, 3));
    assert_eq!(huge.neg().round_to_integral(Rtp), small(format, -3));
}
