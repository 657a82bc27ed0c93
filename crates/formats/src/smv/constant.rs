//! Literals.

use super::types::{Ty, Val};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use smt::term::Terms;

/// Exponents beyond this make numbers that nobody can mean.
const LARGE: u32 = 10_000;

/// The value of a literal.
pub(super) fn literal(terms: &mut Terms, text: &str) -> Result<Val, String> {
    if let Some(rest) = text.strip_prefix("f'").or_else(|| text.strip_prefix("F'")) {
        let (top, bottom) = rest.split_once('/').unwrap_or((rest, "1"));
        let (top, bottom) = (number(top, 10)?, number(bottom, 10)?);
        if bottom == UBig::ZERO {
            return Err("the denominator is zero".into());
        }
        return Ok(real(terms, &RBig::from_parts(top.into(), bottom)));
    }
    if text.contains('_') {
        return word(terms, text);
    }
    if text.contains(['.', 'e', 'E']) {
        return decimal(terms, text);
    }
    let value = number(text, 10)?;
    Ok(Val::Term(terms.nat(value), Ty::Int))
}

fn real(terms: &mut Terms, value: &RBig) -> Val {
    Val::Term(terms.real(value), Ty::Real)
}

fn number(digits: &str, radix: u32) -> Result<UBig, String> {
    let digits: String = digits.chars().filter(|&c| c != '_').collect();
    UBig::from_str_radix(&digits, radix).map_err(|_| format!("`{digits}` is no number"))
}

fn decimal(terms: &mut Terms, text: &str) -> Result<Val, String> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent: i64 = exponent.parse().map_err(|_| "the exponent is too large".to_string())?;
    let shift = exponent - fraction.len() as i64;
    if shift.unsigned_abs() > u64::from(LARGE) {
        return Err("the exponent is too large".into());
    }
    let digits = IBig::from(number(&format!("{whole}{fraction}"), 10)?);
    let scale = UBig::from(10u8).pow(shift.unsigned_abs() as usize);
    let value =
        if shift < 0 { RBig::from_parts(digits, scale) } else { RBig::from(digits * IBig::from(scale)) };
    Ok(real(terms, &value))
}

/// `0ud8_12`, `0b_101`, `0sh16_ff`.
fn word(terms: &mut Terms, text: &str) -> Result<Val, String> {
    let rest = &text[1..];
    let (signed, rest) = match rest.as_bytes()[0] {
        b's' => (true, &rest[1..]),
        b'u' => (false, &rest[1..]),
        _ => (false, rest),
    };
    let (radix, bits) = match rest.as_bytes()[0].to_ascii_lowercase() {
        b'b' => (2, 1),
        b'o' => (8, 3),
        b'h' => (16, 4),
        _ => (10, 0),
    };
    let (width, digits) = rest[1..].split_once('_').unwrap_or_default();
    let value = number(digits, radix)?;
    let width: u32 = match width {
        "" if bits > 0 => digits.chars().filter(|&c| c != '_').count() as u32 * bits,
        "" => return Err("a decimal word needs a width".into()),
        width => width.parse().map_err(|_| "the width is too large".to_string())?,
    };
    // The most negative number of a signed word is written with a minus before a number that is one too large.
    use dashu_int::ops::BitTest;
    if width == 0 || value.bit_len() > width as usize {
        return Err(format!("the number does not fit into {width} bits"));
    }
    Ok(Val::Term(terms.bits(width, value), Ty::Word(signed, width)))
}
