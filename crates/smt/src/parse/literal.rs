//! Literals: numbers, bit-vectors, strings.

use super::Parser;
use crate::op::Op;
use crate::sexpr::{Kind, NodeIdx};
use crate::term::TermId;
use dashu_int::UBig;
use dashu_ratio::RBig;
use diag::codes;

impl Parser<'_> {
    /// A literal of any theory.
    pub(super) fn literal(&mut self, node: NodeIdx) -> TermId {
        let text = self.text.atom(self.tree, node);
        match self.tree.kind(node) {
            Kind::Numeral => match natural(text) {
                Some(value) => self.terms.nat(value),
                None => self.too_long(node),
            },
            Kind::Decimal => match decimal(text) {
                Some(value) => self.terms.real(&value),
                None => self.too_long(node),
            },
            Kind::Hex | Kind::Binary => self.bits_literal(node, &text[2..]),
            Kind::String => {
                let value = self.text.string(self.tree, node).unwrap_or_default();
                self.terms.str(&value)
            }
            _ => {
                self.expected("a term", node);
                TermId::ERROR
            }
        }
    }

    pub(super) fn too_long(&mut self, node: NodeIdx) -> TermId {
        self.error(codes::SMT017, node, format!("a number may have at most {MAX_DIGITS} digits"));
        TermId::ERROR
    }

    fn bits_literal(&mut self, node: NodeIdx, digits: &str) -> TermId {
        let (radix, per_digit) = if self.tree.kind(node) == Kind::Hex { (16, 4) } else { (2, 1) };
        let width = digits.len() as u64 * per_digit;
        match (u32::try_from(width), UBig::from_str_radix(digits, radix)) {
            (Ok(width), Ok(value)) => self.terms.bits(width, value),
            _ => {
                self.error(codes::SMT017, node, "the bit-vector literal is too long");
                TermId::ERROR
            }
        }
    }

    /// `-5` and `-1.5` are symbols by the standard; where no such symbol is declared they are read as numbers.
    pub(super) fn signed_literal(&mut self, text: &str) -> Option<TermId> {
        let digits = text.strip_prefix('-')?;
        let term = if digits.bytes().all(|b| b.is_ascii_digit()) {
            self.terms.nat(natural(digits)?)
        } else {
            let value = decimal(digits)?;
            self.terms.real(&value)
        };
        self.terms.app(Op::Neg, &[term]).ok()
    }
}

/// Changing the base of a number takes more than linear time, so there is a limit, far above what anyone uses.
const MAX_DIGITS: usize = 1_000_000;

/// A numeral's value, unless it has too many digits.
pub(super) fn natural(digits: &str) -> Option<UBig> {
    match digits.parse::<u64>() {
        Ok(value) => Some(UBig::from(value)),
        Err(_) if digits.len() > MAX_DIGITS => None,
        Err(_) => UBig::from_str_radix(digits, 10).ok(),
    }
}

/// A decimal's value, unless it has too many digits.
fn decimal(text: &str) -> Option<RBig> {
    let (whole, fraction) = text.split_once('.')?;
    let digits = natural(&format!("{whole}{fraction}"))?;
    let scale = UBig::from(10u8).pow(fraction.len());
    Some(RBig::from_parts(digits.into(), scale))
}
