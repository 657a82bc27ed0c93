//! Values and types of literals.

use crate::ast::Value;
use crate::model::DataModel;
use crate::types::{FloatKind, IntKind};

/// A number that was decoded.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Number {
    Int(IntKind, Value),
    Float(FloatKind, Value),
    /// GNU C's imaginary constants, of which only the type is known here.
    Imaginary(FloatKind),
    ImaginaryInt(IntKind),
}

/// Decodes a preprocessing number.
pub(crate) fn number(text: &[u8], model: DataModel) -> Result<Number, String> {
    let text = std::str::from_utf8(text).map_err(|_| "a number with letters outside of ASCII".to_owned())?;
    let lower = text.to_ascii_lowercase();
    let (radix, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', b'0'..=b'9', ..] => (8, &lower[1..]),
        _ => (10, lower.as_str()),
    };
    let is_float = match radix {
        16 => digits.contains(['.', 'p']),
        2 => false,
        _ => lower.contains(['.', 'e']) && !lower.starts_with("0x"),
    };
    if is_float {
        return if radix == 16 { hex_float(digits, text) } else { decimal_float(&lower, text) };
    }
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let suffix = &digits[end..];
    let no_digits = end == 0 && radix != 8;
    if no_digits {
        return Err(format!("`{text}` has no digits"));
    }
    let mut value: u128 = 0;
    for digit in digits[..end].chars().filter_map(|c| c.to_digit(radix)) {
        let next = value.checked_mul(u128::from(radix)).and_then(|v| v.checked_add(u128::from(digit)));
        value = next.ok_or_else(|| format!("`{text}` is larger than every integer type"))?;
    }
    int(value, radix, suffix, model).ok_or_else(|| format!("`{text}` is no number: what is `{suffix}`?"))
}

/// The type of an integer constant by its value, base and suffix.
fn int(value: u128, radix: u32, suffix: &str, model: DataModel) -> Option<Number> {
    use IntKind::*;
    let mut rest = suffix;
    let (mut unsigned, mut longs, mut imaginary) = (false, 0, false);
    while !rest.is_empty() {
        let length = match rest {
            _ if rest.starts_with("ll") && longs == 0 => {
                longs = 2;
                2
            }
            _ if rest.starts_with('l') && longs == 0 => {
                longs = 1;
                1
            }
            _ if rest.starts_with('u') && !unsigned => {
                unsigned = true;
                1
            }
            _ if rest.starts_with(['i', 'j']) && !imaginary => {
                imaginary = true;
                1
            }
            _ => return None,
        };
        rest = &rest[length..];
    }
    let candidates: &[IntKind] = match (unsigned, radix) {
        (true, _) => &[UInt, ULong, ULongLong, UInt128],
        (false, 10) => &[Int, Long, LongLong, Int128],
        (false, _) => &[Int, UInt, Long, ULong, LongLong, ULongLong, Int128, UInt128],
    };
    // GNU C has 128 bits only where a word has 64; elsewhere a number that is too large is unsigned.
    let widest = if model == DataModel::Lp64 { UInt128 } else { ULongLong };
    let fits = |kind: IntKind| {
        let bits = model.bits(kind) - u32::from(!kind.is_unsigned());
        let is_there = kind.rank() <= widest.rank();
        is_there && kind.rank() >= Int.rank() + longs && (bits == 128 || value >> bits == 0)
    };
    let kind = candidates.iter().copied().find(|&kind| fits(kind)).unwrap_or(widest);
    if imaginary {
        return Some(Number::ImaginaryInt(kind));
    }
    Some(Number::Int(kind, Value::Int(value as i128)))
}

fn decimal_float(lower: &str, text: &str) -> Result<Number, String> {
    let bytes = lower.as_bytes();
    let mut end = 0;
    while end < bytes.len() {
        let is_sign = matches!(bytes[end], b'+' | b'-') && end > 0 && bytes[end - 1] == b'e';
        let is_part = bytes[end].is_ascii_digit() || matches!(bytes[end], b'.' | b'e');
        if !is_sign && !is_part {
            break;
        }
        end += 1;
    }
    let value: f64 = lower[..end].parse().map_err(|_| format!("`{text}` is no number"))?;
    float(value, &lower[end..], text)
}

/// A hexadecimal floating constant: the value is rounded once, to double.
fn hex_float(digits: &str, text: &str) -> Result<Number, String> {
    let bad = || format!("`{text}` is no number");
    let (mantissa, rest) = digits.split_once('p').ok_or_else(bad)?;
    let sign = usize::from(rest.starts_with(['+', '-']));
    let length = rest[sign..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |n| n + sign);
    let mut exponent: i64 =
        rest[..length].parse().unwrap_or(if rest.starts_with('-') { -99999 } else { 99999 });
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut bits: u128 = 0;
    let mut sticky = false;
    for (position, c) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = c.to_digit(16).ok_or_else(bad)?;
        let is_fraction = position >= whole.len();
        if bits >> 120 == 0 {
            bits = bits << 4 | u128::from(digit);
            exponent -= if is_fraction { 4 } else { 0 };
        } else {
            sticky |= digit != 0;
            exponent += if is_fraction { 0 } else { 4 };
        }
    }
    // Too many digits only matter as something that is not zero.
    let value = (bits | u128::from(sticky)) as f64;
    let exponent = exponent.clamp(-5000, 5000) as i32;
    let half = exponent / 2;
    float(value * 2f64.powi(half) * 2f64.powi(exponent - half), &rest[length..], text)
}

fn float(value: f64, suffix: &str, text: &str) -> Result<Number, String> {
    use FloatKind::*;
    let (suffix, imaginary) = match suffix.strip_suffix(['i', 'j']) {
        Some(rest) => (rest, true),
        None => (suffix.strip_prefix(['i', 'j']).unwrap_or(suffix), suffix.starts_with(['i', 'j'])),
    };
    let kind = match suffix {
        "" => Double,
        "f" => Float,
        "l" | "w" => LongDouble,
        "q" | "f128" => Float128,
        "f16" => Float16,
        "f32" => Float32,
        "f64" => Float64,
        "f32x" => Float32x,
        "f64x" => Float64x,
        "df" => Decimal32,
        "dd" => Decimal64,
        "dl" => Decimal128,
        _ => return Err(format!("`{text}` is no number: what is `{suffix}`?")),
    };
    if imaginary {
        return Ok(Number::Imaginary(kind));
    }
    let value = if matches!(kind, Float | Float32) { f64::from(value as f32) } else { value };
    Ok(Number::Float(kind, Value::Float(value)))
}

/// The width of a character by its prefix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Prefix {
    None,
    Utf8,
    Wide,
    Char16,
    Char32,
}

impl Prefix {
    /// The type of one character of a string.
    pub(crate) fn kind(self, model: DataModel) -> IntKind {
        match self {
            Prefix::None | Prefix::Utf8 => IntKind::Char,
            Prefix::Wide => model.wide_kind(),
            Prefix::Char16 => IntKind::UShort,
            Prefix::Char32 => IntKind::UInt,
        }
    }
}

/// The prefix of a quoted token, and what is between its quotes.
pub(crate) fn unquote(token: &[u8]) -> (Prefix, &[u8]) {
    let at = token.iter().position(|byte| matches!(byte, b'"' | b'\'')).unwrap_or(0);
    let prefix = match &token[..at] {
        b"L" => Prefix::Wide,
        b"u" => Prefix::Char16,
        b"U" => Prefix::Char32,
        b"u8" => Prefix::Utf8,
        _ => Prefix::None,
    };
    let quote = token.get(at);
    let body = token.get(at + 1..).unwrap_or(&[]);
    (prefix, if body.last() == quote { &body[..body.len() - 1] } else { body })
}

/// The code units between quotes, appended to `units`.
pub(crate) fn units(body: &[u8], prefix: Prefix, units: &mut Vec<u32>) -> Result<(), String> {
    let narrow = matches!(prefix, Prefix::None | Prefix::Utf8);
    let mut at = 0;
    while at < body.len() {
        if body[at] != b'\\' {
            let length = if narrow { 1 } else { character_length(&body[at..]) };
            match std::str::from_utf8(&body[at..at + length]).ok().and_then(|text| text.chars().next()) {
                Some(c) if !narrow => push_char(c, prefix, units),
                _ => units.push(u32::from(body[at])),
            }
            at += length;
            continue;
        }
        at = escape(body, at + 1, prefix, units)?;
    }
    Ok(())
}

/// The bytes of the character at the beginning, one if it is not UTF-8.
fn character_length(bytes: &[u8]) -> usize {
    let length = match bytes[0] {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf7 => 4,
        _ => 1,
    };
    if bytes.len() >= length && std::str::from_utf8(&bytes[..length]).is_ok() { length } else { 1 }
}

fn push_char(c: char, prefix: Prefix, units: &mut Vec<u32>) {
    match prefix {
        Prefix::None | Prefix::Utf8 => {
            let mut buffer = [0; 4];
            units.extend(c.encode_utf8(&mut buffer).bytes().map(u32::from));
        }
        Prefix::Char16 => {
            let mut buffer = [0; 2];
            units.extend(c.encode_utf16(&mut buffer).iter().map(|&unit| u32::from(unit)));
        }
        Prefix::Wide | Prefix::Char32 => units.push(c as u32),
    }
}

/// Decodes what follows a backslash at `at`; the position after it.
fn escape(body: &[u8], at: usize, prefix: Prefix, units: &mut Vec<u32>) -> Result<usize, String> {
    let Some(&byte) = body.get(at) else { return Ok(at) };
    let simple = match byte {
        b'n' => 10,
        b't' => 9,
        b'r' => 13,
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'v' => 11,
        b'e' | b'E' => 27,
        b'\n' => return Ok(at + 1),
        b'\r' => return Ok(at + 1 + usize::from(body.get(at + 1) == Some(&b'\n'))),
        b'0'..=b'7' => {
            let length = body[at..].iter().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
            units.push(body[at..at + length].iter().fold(0, |v, b| v * 8 + u32::from(b - b'0')));
            return Ok(at + length);
        }
        b'x' | b'u' | b'U' => {
            let limit = match byte {
                b'x' => usize::MAX,
                b'u' => 4,
                _ => 8,
            };
            let digits = body[at + 1..].iter().take(limit).take_while(|b| b.is_ascii_hexdigit());
            let (mut value, mut length) = (0u32, 0);
            for digit in digits {
                value = value << 4 | (*digit as char).to_digit(16).unwrap_or(0);
                length += 1;
            }
            if length == 0 {
                return Err(format!("`\\{}` without digits", byte as char));
            }
            match (byte, char::from_u32(value)) {
                (b'x', _) | (_, None) => units.push(value),
                (_, Some(c)) => push_char(c, prefix, units),
            }
            return Ok(at + 1 + length);
        }
        other => u32::from(other),
    };
    units.push(simple);
    Ok(at + 1)
}

/// The value and type of a character constant.
pub(crate) fn character(token: &[u8], model: DataModel) -> Result<(IntKind, i128), String> {
    let (prefix, body) = unquote(token);
    let mut list = Vec::new();
    units(body, prefix, &mut list)?;
    if list.is_empty() {
        return Err("an empty character constant".to_owned());
    }
    let last = list.last().copied().unwrap_or(0);
    Ok(match prefix {
        Prefix::None if list.len() == 1 => (IntKind::Int, i128::from(last as u8 as i8)),
        Prefix::None => {
            let value = list.iter().fold(0u32, |value, unit| value << 8 | unit & 255);
            (IntKind::Int, i128::from(value as i32))
        }
        Prefix::Utf8 => (IntKind::UChar, i128::from(last as u8)),
        Prefix::Wide => (model.wide_kind(), i128::from(last as i32)),
        Prefix::Char16 => (IntKind::UShort, i128::from(last as u16)),
        Prefix::Char32 => (IntKind::UInt, i128::from(last)),
    })
}
