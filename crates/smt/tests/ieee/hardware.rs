//! The formats of the processor, compared bit by bit with what it computes. It rounds to nearest even; the
//! other modes are seen in conversions to integers.

use dashu_int::{IBig, UBig};
use smt::value::ieee::{Float, Format, Rounding};

use crate::Random;

const RNE: Rounding = Rounding::Rne;
const PAIRS: usize = 200_000;

/// The tests are the same for both native types, but no trait of the standard library spans them.
macro_rules! native_tests {
    ($name:ident, $native:ty, $bits:ty, $format:expr, $seed:expr) => {
        mod $name {
            use super::*;

            fn float(native: $native) -> Float {
                Float::from_bits($format, &UBig::from(native.to_bits()))
            }

            /// Compares values as SMT-LIB does: all NaN are one.
            fn check(found: &Float, native: $native, what: &str, operands: &[$native]) {
                let canonical = if native.is_nan() { <$native>::NAN.abs() } else { native };
                let found = <$bits>::try_from(found.to_bits()).expect("bits of that width");
                assert_eq!(
                    found,
                    canonical.to_bits(),
                    "{what} of {operands:?}: {:e} instead of {canonical:e}",
                    <$native>::from_bits(found)
                );
            }

            fn draw(random: &mut Random, near: $native) -> $native {
                let format = $format;
                <$native>::from_bits(random.float(format.eb, format.sb, near.to_bits().into()) as $bits)
            }

            #[test]
            fn arithmetic() {
                let mut random = Random($seed);
                let mut z: $native = 1.0;
                for _ in 0..PAIRS {
                    let x = draw(&mut random, z);
                    let y = draw(&mut random, x);
                    let (a, b) = (float(x), float(y));
                    check(&a.add(RNE, &b), x + y, "sum", &[x, y]);
                    check(&a.sub(RNE, &b), x - y, "difference", &[x, y]);
                    check(&a.mul(RNE, &b), x * y, "product", &[x, y]);
                    check(&a.div(RNE, &b), x / y, "quotient", &[x, y]);
                    check(&a.sqrt(RNE), x.sqrt(), "root", &[x]);
                    // An addend near the product makes the single rounding visible.
                    z = draw(&mut random, x * y);
                    check(&a.fma(RNE, &b, &float(z)), x.mul_add(y, z), "fused product", &[x, y, z]);
                    assert_eq!(
                        [a.lt(&b), a.leq(&b), a.gt(&b), a.geq(&b), a.ieee_eq(&b)],
                        [x < y, x <= y, x > y, x >= y, x == y],
                        "order of {x:e} and {y:e}"
                    );
                }
            }

            /// The IEEE remainder from the truncating one: first modulo twice the divisor, then by the
            /// nearest of the multiples 0, 1 and 2. Every step is exact.
            fn remainder(x: $native, y: $native) -> Option<$native> {
                let y = y.abs();
                if x.is_nan() || y.is_nan() || x.is_infinite() || y == 0.0 {
                    return Some(<$native>::NAN);
                }
                if y.is_infinite() {
                    return Some(x);
                }
                if (2.0 * y).is_infinite() {
                    return None;
                }
                let rest = x.abs() % (2.0 * y);
                // Halves of y may not exist, so distances are doubled or measured from y.
                let magnitude = if rest <= y - rest {
                    rest
                } else if rest - y < y - (rest - y) {
                    rest - y
                } else {
                    rest - 2.0 * y
                };
                let signed = if x.is_sign_negative() { -magnitude } else { magnitude };
                Some(if signed == 0.0 { (0.0 as $native).copysign(x) } else { signed })
            }

            #[test]
            fn remainders() {
                let mut random = Random($seed + 1);
                let mut y: $native = 1.0;
                for _ in 0..PAIRS / 2 {
                    let x = draw(&mut random, y);
                    y = draw(&mut random, x);
                    if let Some(wanted) = remainder(x, y) {
                        check(&float(x).rem(&float(y)), wanted, "remainder", &[x, y]);
                    }
                }
            }

            #[test]
            fn integers() {
                let mut random = Random($seed + 2);
                let mut x: $native = 1.0;
                for _ in 0..PAIRS / 2 {
                    let near = if random.below(4) == 0 { x } else { 1e3 };
                    x = draw(&mut random, near);
                    let a = float(x);
                    let rounded = [x.round_ties_even(), x.round(), x.ceil(), x.floor(), x.trunc()];
                    for (rm, wanted) in Rounding::ALL.into_iter().zip(rounded) {
                        check(&a.round_to_integral(rm), wanted, "integral", &[x]);
                        let signed = (wanted >= -(2.0 as $native).powi(63)
                            && wanted < (2.0 as $native).powi(63))
                        .then(|| IBig::from(wanted as i64));
                        assert_eq!(a.to_sbv(rm, 64), signed, "signed {x:e} under {rm:?}");
                        let unsigned = (wanted >= 0.0 && wanted < (2.0 as $native).powi(32))
                            .then(|| UBig::from(wanted as u32));
                        assert_eq!(a.to_ubv(rm, 32), unsigned, "unsigned {x:e} under {rm:?}");
                    }
                    let n = random.next() >> random.below(64);
                    check(&Float::from_unsigned_bv($format, RNE, &n.into()), n as $native, "unsigned", &[]);
                    let n = n as i64;
                    check(&Float::from_signed_bv($format, RNE, &n.into()), n as $native, "signed", &[]);
                }
            }
        }
    };
}

native_tests!(single, f32, u32, Format::F32, 32);
native_tests!(double, f64, u64, Format::F64, 64);

#[test]
fn single_and_double() {
    let mut random = Random(96);
    let mut wide = 1.0f64;
    for _ in 0..PAIRS {
        let narrow = f32::from_bits(random.float(8, 24, wide.to_bits()) as u32);
        let (from, to) = (narrow.to_bits(), f64::from(narrow).to_bits());
        if !narrow.is_nan() {
            let widened = Float::from_float(Format::F64, RNE, &Float::from_bits(Format::F32, &from.into()));
            assert_eq!(widened.to_bits(), UBig::from(to), "{narrow:e}");
        }
        // Half of the time in the range of the narrow format, where the rounding is.
        wide = f64::from_bits(random.float(11, 53, wide.to_bits()));
        if random.below(2) == 0 {
            wide = f64::from(narrow) * (1.0 + 2f64.powi(-24) * (random.below(9) as f64 - 4.0));
        }
        if !wide.is_nan() {
            let rounded =
                Float::from_float(Format::F32, RNE, &Float::from_bits(Format::F64, &wide.to_bits().into()));
            assert_eq!(rounded.to_bits(), UBig::from((wide as f32).to_bits()), "{wide:e}");
        }
    }
}
