//! Every operation on every value of the smallest formats, and on samples of the half format, against the
//! naive reference.

use std::cmp::Ordering;

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use smt::value::ieee::{Float, Format, Rounding};

use crate::Random;
use crate::reference::{Fraction, Table, integer};

/// The formats tried with all pairs of values.
fn tiny_tables() -> Vec<Table> {
    (2..=4).flat_map(|eb| (2..=4).map(move |sb| Table::new(eb, sb))).collect()
}

fn format(table: &Table) -> Format {
    Format::new(table.eb, table.sb).expect("a legal format")
}

fn float(table: &Table, bits: u64) -> Float {
    Float::from_bits(format(table), &UBig::from(bits))
}

fn floats(table: &Table) -> Vec<Float> {
    (0..table.patterns()).map(|bits| float(table, bits)).collect()
}

fn bits(float: &Float) -> u64 {
    u64::try_from(float.to_bits()).expect("a small format")
}

/// Whether an exact zero sum is the negative one: as the processor says, but not when rounding down.
fn negative_zero(rm: Rounding, native: f64, a: f64, b: f64) -> bool {
    match rm {
        Rounding::Rtn => a.is_sign_negative() || b.is_sign_negative(),
        _ => native.is_sign_negative(),
    }
}

/// The expected bits for `a + b` (by sign also `a - b`), `a · b` and `a / b` under one mode.
fn expected_binary(table: &Table, rm: Rounding, a: u64, b: u64) -> [u64; 4] {
    let (x, y) = (table.native(a), table.native(b));
    let (Some(p), Some(q)) = (table.number(a), table.number(b)) else {
        return [x + y, x - y, x * y, x / y].map(|native| table.special(native));
    };
    let minus_q = Fraction(-q.0, q.1);
    let round = |negative, exact: Fraction| table.round(rm, negative, |other| exact.cmp(other));
    let quotient = match q.0 {
        0 => table.special(x / y),
        _ => round((x / y).is_sign_negative(), p.div(q)),
    };
    [
        round(negative_zero(rm, x + y, x, y), p.add(q)),
        round(negative_zero(rm, x - y, x, -y), p.add(minus_q)),
        round((x * y).is_sign_negative(), p.mul(q)),
        quotient,
    ]
}

fn check_binary(table: &Table, a: (u64, &Float), b: (u64, &Float)) {
    for rm in Rounding::ALL {
        let found = [a.1.add(rm, b.1), a.1.sub(rm, b.1), a.1.mul(rm, b.1), a.1.div(rm, b.1)];
        assert_eq!(
            found.map(|float| bits(&float)),
            expected_binary(table, rm, a.0, b.0),
            "{:#b} and {:#b} under {rm:?} in {:?}",
            a.0,
            b.0,
            format(table)
        );
    }
}

/// Remainder, order, minimum and maximum do not round.
fn check_exact_binary(table: &Table, a: (u64, &Float), b: (u64, &Float)) {
    let (x, y) = (table.native(a.0), table.native(b.0));
    let remainder = match (table.number(a.0), table.number(b.0)) {
        (Some(p), Some(q)) if q.0 != 0 => {
            let exact = p.add(Fraction(-q.0 * integer(p.div(q), Rounding::Rne), q.1));
            table.round(Rounding::Rne, x.is_sign_negative(), |other| exact.cmp(other))
        }
        (Some(_), None) if y.is_infinite() => a.0,
        _ => table.nan(),
    };
    let at = format!("{:#b} and {:#b} in {:?}", a.0, b.0, format(table));
    assert_eq!(bits(&a.1.rem(b.1)), remainder, "remainder of {at}");
    let order = [a.1.lt(b.1), a.1.leq(b.1), a.1.gt(b.1), a.1.geq(b.1), a.1.ieee_eq(b.1)];
    assert_eq!(order, [x < y, x <= y, x > y, x >= y, x == y], "order of {at}");
    let (low, high) = (a.1.min(b.1), a.1.max(b.1));
    let same = |found: f64, wanted: f64| found == wanted || (found.is_nan() && wanted.is_nan());
    assert!(same(table.native(bits(&low)), x.min(y)), "minimum of {at}");
    assert!(same(table.native(bits(&high)), x.max(y)), "maximum of {at}");
    if x == 0.0 && y == 0.0 {
        assert_eq!(low.is_negative(), a.1.is_negative() || b.1.is_negative(), "least zero of {at}");
        assert_eq!(high.is_positive(), a.1.is_positive() || b.1.is_positive(), "greatest zero of {at}");
    }
}

fn check_unary(table: &Table, pattern: u64, float: &Float) {
    let native = table.native(pattern);
    for rm in Rounding::ALL {
        let (root, integral) = match table.number(pattern) {
            Some(number) => {
                (expected_root(table, rm, native, number), expected_integral(table, rm, native, number))
            }
            None => (table.special(native.sqrt()), table.special(native)),
        };
        let at = format!("{pattern:#b} under {rm:?} in {:?}", format(table));
        assert_eq!(bits(&float.sqrt(rm)), root, "root of {at}");
        assert_eq!(bits(&float.round_to_integral(rm)), integral, "integral of {at}");
    }
}

fn expected_root(table: &Table, rm: Rounding, native: f64, number: Fraction) -> u64 {
    if number.0 < 0 {
        return table.nan();
    }
    table.round(rm, native.is_sign_negative(), |other| match other.0 {
        ..0 => Ordering::Greater,
        _ => number.cmp(other.mul(other)),
    })
}

fn expected_integral(table: &Table, rm: Rounding, native: f64, number: Fraction) -> u64 {
    let exact = Fraction(integer(number, rm), 1);
    table.round(rm, native.is_sign_negative(), |other| exact.cmp(other))
}

fn check_fma(table: &Table, triple: [(u64, &Float); 3]) {
    let [(a, p), (b, q), (c, r)] = triple;
    let [x, y, z] = [a, b, c].map(|pattern| table.native(pattern));
    let numbers = (table.number(a), table.number(b), table.number(c));
    for rm in Rounding::ALL {
        let expected = match numbers {
            (Some(i), Some(j), Some(k)) => {
                let exact = i.mul(j).add(k);
                table.round(rm, negative_zero(rm, x * y + z, x * y, z), |other| exact.cmp(other))
            }
            _ => table.special(x * y + z),
        };
        let found = bits(&p.fma(rm, q, r));
        assert_eq!(found, expected, "{a:#b} * {b:#b} + {c:#b} under {rm:?} in {:?}", format(table));
    }
}

#[test]
fn all_pairs_of_tiny_formats() {
    for table in tiny_tables() {
        let floats = floats(&table);
        for (a, x) in (0..).zip(&floats) {
            check_unary(&table, a, x);
            for (b, y) in (0..).zip(&floats) {
                check_binary(&table, (a, x), (b, y));
                check_exact_binary(&table, (a, x), (b, y));
            }
        }
    }
}

#[test]
fn all_triples_of_tiny_formats() {
    for table in [Table::new(2, 2), Table::new(2, 3), Table::new(3, 3)] {
        let floats = floats(&table);
        for (a, x) in (0..).zip(&floats) {
            for (b, y) in (0..).zip(&floats) {
                for (c, z) in (0..).zip(&floats) {
                    check_fma(&table, [(a, x), (b, y), (c, z)]);
                }
            }
        }
    }
}

#[test]
fn samples_of_the_half_format() {
    let table = Table::new(5, 11);
    let mut random = Random(16);
    let mut previous = 0;
    for _ in 0..30_000 {
        let a = random.float(5, 11, previous);
        let b = random.float(5, 11, a);
        let near = if random.below(2) == 0 { a } else { b };
        let c = random.float(5, 11, near);
        let [x, y, z] = [a, b, c].map(|pattern| float(&table, pattern));
        check_binary(&table, (a, &x), (b, &y));
        check_exact_binary(&table, (a, &x), (b, &y));
        check_fma(&table, [(a, &x), (b, &y), (c, &z)]);
        previous = b;
    }
    for (pattern, value) in (0..).zip(&floats(&table)) {
        check_unary(&table, pattern, value);
    }
}

#[test]
fn patterns_classes_and_signs() {
    for table in tiny_tables() {
        for pattern in 0..table.patterns() {
            let (value, native) = (float(&table, pattern), table.native(pattern));
            let nan = native.is_nan();
            assert_eq!(bits(&value), if nan { table.nan() } else { pattern });
            let (sign, exponent, significand) = value.to_parts();
            assert_eq!(Float::from_parts(format(&table), sign, &exponent, &significand), value);
            let field = (pattern >> (table.sb - 1)) & ((1 << table.eb) - 1);
            let finite = native.is_finite() && native != 0.0;
            assert_eq!(
                [
                    value.is_nan(),
                    value.is_infinite(),
                    value.is_zero(),
                    value.is_normal(),
                    value.is_subnormal()
                ],
                [nan, native.is_infinite(), native == 0.0, finite && field > 0, finite && field == 0]
            );
            assert_eq!(value.is_negative(), !nan && native.is_sign_negative());
            assert_eq!(value.is_positive(), !nan && native.is_sign_positive());
            if !nan {
                assert_eq!(table.native(bits(&value.neg())).to_bits(), (-native).to_bits());
                assert_eq!(table.native(bits(&value.abs())).to_bits(), native.abs().to_bits());
            }
            let real = table
                .number(pattern)
                .map(|number| RBig::from_parts(number.0.into(), UBig::from(number.1 as u128)));
            assert_eq!(value.to_real(), real);
        }
    }
}

#[test]
fn conversions_between_tiny_formats() {
    let tables = tiny_tables();
    for from in &tables {
        for to in &tables {
            for (pattern, value) in (0..).zip(&floats(from)) {
                for rm in Rounding::ALL {
                    let native = from.native(pattern);
                    let expected = match from.number(pattern) {
                        Some(number) => to.round(rm, native.is_sign_negative(), |other| number.cmp(other)),
                        None => to.special(native),
                    };
                    assert_eq!(
                        bits(&Float::from_float(format(to), rm, value)),
                        expected,
                        "{native} under {rm:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn conversions_to_integers() {
    for table in tiny_tables() {
        for (pattern, value) in (0..).zip(&floats(&table)) {
            for (rm, width) in Rounding::ALL.into_iter().flat_map(|rm| (1..=9).map(move |width| (rm, width)))
            {
                let exact = table.number(pattern).map(|number| integer(number, rm));
                let unsigned = exact.filter(|number| (0..1 << width).contains(number));
                let signed = exact.filter(|number| (-(1 << (width - 1))..1 << (width - 1)).contains(number));
                assert_eq!(value.to_ubv(rm, width), unsigned.map(|number| UBig::from(number as u128)));
                assert_eq!(value.to_sbv(rm, width), signed.map(IBig::from));
            }
        }
    }
}

#[test]
fn conversions_of_rationals_and_integers() {
    let mut tables = tiny_tables();
    tables.push(Table::new(5, 11));
    let mut random = Random(7);
    for table in &tables {
        for _ in 0..3_000 {
            let (up, down) = (random.below(40), random.below(32));
            let exact = Fraction(
                i128::from(random.next() >> (63 - up)),
                i128::from(random.next() >> (63 - down)) + 1,
            );
            let exact = if random.below(2) == 0 { exact } else { Fraction(-exact.0, exact.1) };
            let rational = RBig::from_parts(exact.0.into(), UBig::from(exact.1 as u128));
            let whole = Fraction(exact.0, 1);
            for rm in Rounding::ALL {
                let expected = table.round(rm, false, |other| exact.cmp(other));
                assert_eq!(
                    bits(&Float::from_rational(format(table), rm, &rational)),
                    expected,
                    "{rational} {rm:?}"
                );
                let expected = table.round(rm, false, |other| whole.cmp(other));
                let integer = IBig::from(exact.0);
                assert_eq!(bits(&Float::from_int(format(table), rm, &integer)), expected, "{integer} {rm:?}");
                assert_eq!(bits(&Float::from_signed_bv(format(table), rm, &integer)), expected);
                if let Ok(integer) = UBig::try_from(integer) {
                    assert_eq!(bits(&Float::from_unsigned_bv(format(table), rm, &integer)), expected);
                }
            }
        }
    }
}
