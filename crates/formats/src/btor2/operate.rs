//! The operators of the reader: which operands they take, and the digits of constants.

use super::line::{Line, Parsed, shown};
use super::read::{Operand, Reader, silent};
use super::tags::{Digits, Tag};
use dashu_int::ops::BitTest;
use dashu_int::{IBig, UBig};
use diag::codes;
use smt::op::Op;
use smt::sort::SortId;
use smt::term::TermId;

/// The digits of a constant.
pub(super) fn literal(line: &mut Line<'_>, digits: Digits, width: u32) -> Parsed<UBig> {
    let word = line.digits()?;
    let text = std::str::from_utf8(word).unwrap_or_default();
    let (radix, kind) = match digits {
        Digits::Binary => (2, "a binary number"),
        Digits::Decimal => (10, "a decimal number"),
        Digits::Hexadecimal => (16, "a hexadecimal number"),
    };
    let (negative, magnitude) = match text.strip_prefix('-') {
        Some(rest) if digits == Digits::Decimal => (true, rest),
        _ => (false, text),
    };
    let plain = !magnitude.is_empty() && magnitude.bytes().all(|byte| byte.is_ascii_hexdigit());
    let value = UBig::from_str_radix(magnitude, radix).ok().filter(|_| plain);
    let Some(value) = value else {
        return line.fail(codes::BTOR001, format!("expected {kind}, found `{}`", shown(word)));
    };
    if digits == Digits::Binary && text.len() != width as usize {
        return line.fail(codes::BTOR005, format!("expected {width} binary digits, found {}", text.len()));
    }
    let least = UBig::ONE << (width as usize - 1);
    let fits = if negative { value <= least } else { value.bit_len() <= width as usize };
    if !fits {
        return line.fail(codes::BTOR005, format!("`{}` does not fit into {width} bits", shown(word)));
    }
    if !negative || value.is_zero() {
        return Ok(value);
    }
    let number = IBig::from(UBig::ONE << width as usize) - IBig::from(value);
    Ok(number.into_parts().1)
}

impl Reader<'_> {
    pub(super) fn operation(
        &mut self,
        line: &mut Line<'_>,
        tag: Tag,
        sort: SortId,
        input: &mut bool,
    ) -> Parsed<TermId> {
        let args = self.operands(line, tag, sort, input)?;
        let build = &mut self.build;
        let built = match tag {
            Tag::Not => build.not(args[0]),
            Tag::Neg => build.apply(Op::BvNeg, &args),
            Tag::Step(op) => build.step(op, args[0]),
            Tag::Reduce(op) => build.reduce(op, args[0]),
            Tag::RedXor => build.parity(args[0]),
            Tag::Logic(bits, truths, negated) => build.logic(bits, truths, negated, &args),
            Tag::Binary(op) | Tag::Compare(op) => build.apply(op, &args),
            Tag::Equal(negated) => build.equal(negated, &args),
            Tag::Iff => build.connect(Op::Eq, &args),
            Tag::Implies => build.connect(Op::Implies, &args),
            Tag::Rotate(left) => build.rotate(left, args[0], args[1]),
            Tag::Concat => build.apply(Op::Concat, &args),
            Tag::Read => build.apply(Op::Select, &args),
            Tag::Write => build.apply(Op::Store, &args),
            Tag::Ite => build.ite(args[0], args[1], args[2]),
            Tag::Slice => return self.slice(line, args[0]),
            Tag::Extend(op) => return self.extend(line, op, args[0]),
            _ => return silent(),
        };
        built.or_else(|error| self.rank(line, &error))
    }

    /// The operands that are values, with the sorts they must have.
    fn operands(
        &mut self,
        line: &mut Line<'_>,
        tag: Tag,
        sort: SortId,
        input: &mut bool,
    ) -> Parsed<Vec<TermId>> {
        let bit = self.build.terms.sorts.bit_vec(1);
        let mut args: Vec<TermId> = Vec::with_capacity(3);
        let mut add = |operand: Operand| {
            *input |= operand.input;
            args.push(operand.term);
            operand.term
        };
        match tag {
            Tag::Not | Tag::Neg | Tag::Step(_) => {
                add(self.typed(line, "an operand", sort)?);
            }
            Tag::Reduce(_) | Tag::RedXor | Tag::Slice | Tag::Extend(_) => {
                add(self.vector(line, "an operand")?);
            }
            Tag::Logic(..) | Tag::Binary(_) | Tag::Rotate(_) => {
                add(self.typed(line, "a first operand", sort)?);
                add(self.typed(line, "a second operand", sort)?);
            }
            Tag::Compare(_) => {
                let first = add(self.vector(line, "a first operand")?);
                let sort = self.build.sort(first);
                add(self.typed(line, "a second operand", sort)?);
            }
            Tag::Equal(_) => {
                let first = add(self.operand(line, "a first operand")?);
                let sort = self.build.sort(first);
                add(self.typed(line, "a second operand", sort)?);
            }
            Tag::Iff | Tag::Implies => {
                add(self.typed(line, "a first operand", bit)?);
                add(self.typed(line, "a second operand", bit)?);
            }
            Tag::Concat => {
                add(self.vector(line, "a first operand")?);
                add(self.vector(line, "a second operand")?);
            }
            Tag::Ite => {
                add(self.typed(line, "a condition", bit)?);
                add(self.typed(line, "a first case", sort)?);
                add(self.typed(line, "a second case", sort)?);
            }
            _ => {
                let array = self.operand(line, "an array")?;
                let found = self.build.sort(array.term);
                let Some((index, element)) = self.build.array(found) else {
                    let message = format!("expected an array, found a value of sort {}", self.text(found));
                    return line.fail(codes::BTOR004, message);
                };
                add(array);
                add(self.typed(line, "an index", index)?);
                if tag == Tag::Write {
                    add(self.typed(line, "an element", element)?);
                }
            }
        }
        // Arrays hold bit-vectors, and whatever is compared or joined is one.
        if matches!(tag, Tag::Neg | Tag::Step(_)) && self.build.width(args[0]) == 0 {
            return line.fail(codes::BTOR004, "expected a bit-vector, found an array");
        }
        if matches!(tag, Tag::Not | Tag::Logic(..) | Tag::Binary(_) | Tag::Rotate(_))
            && self.build.width(args[0]) == 0
        {
            return line.fail(codes::BTOR004, "expected bit-vectors, found an array");
        }
        Ok(args)
    }

    fn slice(&mut self, line: &mut Line<'_>, arg: TermId) -> Parsed<TermId> {
        let upper = line.count("the position of the highest bit")?;
        let width = self.build.width(arg);
        if upper >= width {
            return line.fail(codes::BTOR005, format!("there is no bit {upper} in a value of {width} bits"));
        }
        let lower = line.count("the position of the lowest bit")?;
        if lower > upper {
            return line
                .fail(codes::BTOR005, format!("the lowest bit, {lower}, is above the highest, {upper}"));
        }
        if (lower, upper + 1) == (0, width) {
            return Ok(arg);
        }
        self.build.indexed(Op::Extract, &[upper, lower], arg).or_else(|error| self.rank(line, &error))
    }

    fn extend(&mut self, line: &mut Line<'_>, op: Op, arg: TermId) -> Parsed<TermId> {
        match line.count("the number of bits to add")? {
            0 => Ok(arg),
            by => self.build.indexed(op, &[by], arg).or_else(|error| self.rank(line, &error)),
        }
    }
}
