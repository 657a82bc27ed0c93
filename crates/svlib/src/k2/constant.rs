//! Constants: `(const VALUE TYPE)`.
//!
//! A number is written as C and its front end write it: decimal, for reals and floats with a fraction, an
//! exponent or as a quotient, for bit-vectors also in base 16 and 2. A map is a list of pairs.

use super::Cx;
use super::tree::NodeIdx;
use super::types::{MAX_WIDTH, Ty, TyId};
use diag::codes;
use rustc_hash::FxHashSet;
use smt::op::Op;
use smt::term::{Const, TermId};

/// Exponents beyond this one occur in no floating-point format of C.
const MAX_EXPONENT: u32 = 5000;

/// A number without its sign: digits of numerator and denominator.
struct Number {
    negative: bool,
    numerator: String,
    denominator: String,
}

/// What is left to do while a constant is read.
enum Step {
    Read(NodeIdx, TyId),
    /// The default and the values of so many keys were read last.
    Map(TyId, Vec<TermId>),
}

impl Cx<'_> {
    /// Reads the value of a constant; none after an error, which is reported.
    pub(super) fn constant(&mut self, value: NodeIdx, ty: TyId) -> Option<TermId> {
        let (mut todo, mut done) = (vec![Step::Read(value, ty)], Vec::new());
        while let Some(step) = todo.pop() {
            match step {
                Step::Read(node, ty) if self.src.is_list(node) => self.map_constant(node, ty, &mut todo)?,
                Step::Read(node, ty) => done.push(self.scalar(node, ty)?),
                Step::Map(ty, keys) => {
                    let values = done.split_off(done.len() - keys.len());
                    let default = done.pop()?;
                    done.push(self.map_term(value, ty, default, &keys, &values)?);
                }
            }
        }
        done.pop()
    }

    /// `((() . DEFAULT) (KEY . VALUE)…)`: schedules the default and the values.
    fn map_constant(&mut self, node: NodeIdx, ty: TyId, todo: &mut Vec<Step>) -> Option<()> {
        let Ty::Map(index, element) = *self.types.get(ty) else {
            let message = format!("a list is no value of type `{}`", self.types.text(ty));
            self.error(codes::K2004, node, message);
            return None;
        };
        let (mut default, mut keys, mut values) = (None, Vec::new(), Vec::new());
        let mut seen = FxHashSet::default();
        for entry in self.src.children(node) {
            let parts = if self.src.is_list(entry) { self.src.children(entry) } else { Vec::new() };
            let &[key, dot, value] = &parts[..] else {
                self.error(codes::K2001, entry, "expected `(KEY . VALUE)`");
                return None;
            };
            if self.src.word(dot) != Some(".") {
                self.error(codes::K2001, dot, "expected `.` between key and value");
                return None;
            }
            if self.src.is_list(key) && self.src.children(key).is_empty() {
                default = default.or(Some(value));
                continue;
            }
            if self.src.is_list(key) {
                self.error(codes::K2001, key, "expected a key, or `()` for all other keys");
                return None;
            }
            // As in every association list, the first pair of a key counts.
            let key = self.scalar(key, index)?;
            if seen.insert(key) {
                keys.push(key);
                values.push(value);
            }
        }
        let Some(default) = default else {
            self.error(
                codes::K2002,
                node,
                "a map constant without a value for all other keys, `(() . VALUE)`",
            );
            return None;
        };
        todo.push(Step::Map(ty, keys));
        todo.extend(values.into_iter().rev().map(|value| Step::Read(value, element)));
        todo.push(Step::Read(default, element));
        Some(())
    }

    fn map_term(
        &mut self,
        node: NodeIdx,
        ty: TyId,
        default: TermId,
        keys: &[TermId],
        values: &[TermId],
    ) -> Option<TermId> {
        let sort = self.types.sort(ty);
        let mut term = self.terms.const_array(sort, default).ok()?;
        for (&key, &value) in keys.iter().zip(values) {
            term = self.app(node, Op::Store, &[term, key, value]);
        }
        Some(term)
    }

    /// A value that is written as one symbol.
    fn scalar(&mut self, node: NodeIdx, ty: TyId) -> Option<TermId> {
        if !self.src.is_symbol(node) {
            self.error(codes::K2001, node, "expected a value");
            return None;
        }
        let text = self.src.name(node);
        let found = match *self.types.get(ty) {
            Ty::Bool => match &*text {
                "true" => Some(TermId::TRUE),
                "false" => Some(TermId::FALSE),
                _ => None,
            },
            Ty::Int => self.integer(node, &text),
            Ty::Real => match number(&text) {
                Some(number) => Some(self.real(node, &number)?),
                None => None,
            },
            Ty::Bv(_, width) => match self.bits(node, &text, width) {
                Some(term) => Some(term?),
                None => None,
            },
            Ty::Fp(exponent, mantissa) => match number(&text) {
                Some(number) => Some(self.float_constant(node, number, exponent, mantissa)?),
                None => None,
            },
            Ty::Enum(ref values) => match values.iter().position(|value| **value == *text) {
                Some(position) => {
                    let sort = self.types.sort(ty);
                    let constructor = self.terms.constructor(sort, position as u32);
                    constructor.map(|fun| self.terms.constant_term(fun))
                }
                None => None,
            },
            Ty::Sym(_) => {
                let message =
                    format!("the constant `{text}` of a symbolic type, whose relation to others is open");
                self.error(codes::K2002, node, message);
                return None;
            }
            Ty::Fun(..) => {
                self.error(codes::K2002, node, format!("the function `{text}` as a value"));
                return None;
            }
            Ty::Void | Ty::Map(..) => None,
        };
        if found.is_none() {
            let message = format!("`{text}` is no value of type `{}`", self.types.text(ty));
            self.error(codes::K2004, node, message);
        }
        found
    }

    fn integer(&mut self, node: NodeIdx, text: &str) -> Option<TermId> {
        let (negative, digits) = signed(text);
        if !is_digits(digits) {
            return None;
        }
        let term = self.terms.nat(digits.parse().ok()?);
        Some(if negative { self.app(node, Op::Neg, &[term]) } else { term })
    }

    /// None inside after an error that is reported already.
    fn real(&mut self, node: NodeIdx, number: &Number) -> Option<TermId> {
        let written = number.numerator.len() + number.denominator.len();
        if !self.charge(node, written) {
            return None;
        }
        let value = format!("{}/{}", number.numerator, number.denominator);
        let term = self.terms.real(&value.parse().ok()?);
        Some(if number.negative { self.app(node, Op::Neg, &[term]) } else { term })
    }

    /// The sign is put on afterwards: rounding to nearest is symmetric, and there is a negative zero.
    fn float_constant(
        &mut self,
        node: NodeIdx,
        mut number: Number,
        exponent: u32,
        mantissa: u32,
    ) -> Option<TermId> {
        let negative = std::mem::take(&mut number.negative);
        let real = self.real(node, &number)?;
        let rne = self.app(node, Op::Rne, &[]);
        let term = self.app_indexed(node, Op::ToFp, &[exponent, mantissa + 1], &[rne, real]);
        Some(if negative { self.app(node, Op::FpNeg, &[term]) } else { term })
    }

    /// None for what is no number or does not fit; none inside after an error that is reported already.
    fn bits(&mut self, node: NodeIdx, text: &str, width: u32) -> Option<Option<TermId>> {
        let (negative, digits) = signed(text);
        let nat = match text.split_at_checked(2) {
            Some(("#x", digits)) => self.radix(digits, 16)?,
            Some(("#b", digits)) => self.radix(digits, 2)?,
            _ if is_digits(digits) && digits.trim_start_matches('0').len() <= width as usize => {
                self.terms.nat(digits.parse().ok()?)
            }
            _ => return None,
        };
        let Some(Const::Nat(value)) = self.terms.literal(nat) else { return None };
        // From the least signed value to the greatest unsigned one: who wrote it meant those bits.
        let value = value.clone();
        let limit = if negative && !value.is_zero() { &value * 2u8 - 1u8 } else { value.clone() };
        if !(limit >> width as usize).is_zero() {
            return None;
        }
        if !self.charge(node, width as usize / 4) {
            return Some(None);
        }
        let term = self.terms.bits(width, value);
        Some(Some(if negative { self.app(node, Op::BvNeg, &[term]) } else { term }))
    }

    /// A natural number in base 16 or 2.
    fn radix(&mut self, digits: &str, radix: u8) -> Option<TermId> {
        let zero = self.terms.nat("0".parse().ok()?);
        let Some(Const::Nat(zero)) = self.terms.literal(zero) else { return None };
        let mut value = zero.clone();
        let digits = digits.trim_start_matches('0');
        if digits.len() > MAX_WIDTH as usize {
            return None;
        }
        for digit in digits.chars() {
            value = value * radix + digit.to_digit(radix.into())?;
        }
        Some(self.terms.nat(value))
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// A sign and what follows it.
fn signed(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    }
}

/// A decimal number with an optional exponent, or a quotient of two integers.
fn number(text: &str) -> Option<Number> {
    let (negative, text) = signed(text);
    if let Some((numerator, denominator)) = text.split_once('/') {
        let nonzero = denominator.bytes().any(|b| b != b'0');
        return (is_digits(numerator) && is_digits(denominator) && nonzero).then(|| Number {
            negative,
            numerator: numerator.into(),
            denominator: denominator.into(),
        });
    }
    let (decimal, exponent) = match text.split_once(['e', 'E']) {
        Some((decimal, exponent)) => (decimal, exponent.strip_prefix('+').unwrap_or(exponent)),
        None => (text, "0"),
    };
    let (lower, exponent) = signed(exponent);
    let (whole, fraction) = decimal.split_once('.').unwrap_or((decimal, ""));
    let mut numerator = format!("{whole}{fraction}");
    if !is_digits(&numerator) || !is_digits(exponent) {
        return None;
    }
    let exponent: u32 = exponent.parse().ok().filter(|&exponent| exponent <= MAX_EXPONENT)?;
    let mut denominator = format!("1{}", "0".repeat(fraction.len()));
    let scale = if lower { &mut denominator } else { &mut numerator };
    scale.push_str(&"0".repeat(exponent as usize));
    Some(Number { negative, numerator, denominator })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let read = |text| {
            number(text)
                .map(|n| format!("{}{}/{}", if n.negative { "-" } else { "" }, n.numerator, n.denominator))
        };
        assert_eq!(read("1.50"), Some("150/100".into()));
        assert_eq!(read("-.5"), Some("-5/10".into()));
        assert_eq!(read("2."), Some("2/1".into()));
        assert_eq!(read("1e3"), Some("1000/1".into()));
        assert_eq!(read("1.5E-2"), Some("15/1000".into()));
        assert_eq!(read("3/4"), Some("3/4".into()));
        for bad in ["", ".", "-", "1/0", "1/-2", "1e", "e1", "1e9999", "0x10", "1_0", "inf"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
