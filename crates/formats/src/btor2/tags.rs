//! The one table of BTOR2's keywords: what a line with this word after its number is, and which operator of the kernel it
//! means. Reader and writer look at the same rows.

use smt::op::Op;

/// How the digits of a constant are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Digits {
    /// As many binary digits as the sort has bits.
    Binary,
    /// A decimal number, perhaps negative.
    Decimal,
    /// A hexadecimal number.
    Hexadecimal,
}

/// What a line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tag {
    Sort,
    Input,
    State,
    Init,
    Next,
    Bad,
    Constraint,
    Fair,
    Justice,
    Output,
    Const(Digits),
    Zero,
    One,
    Ones,
    Not,
    /// One more, or one less.
    Step(Op),
    Neg,
    /// All bits, or some bit.
    Reduce(Op),
    /// The parity.
    RedXor,
    /// On bits: the operator of bit-vectors, that of truth values, and whether the result is negated.
    Logic(Op, Op, bool),
    /// Two bit-vectors of one width to a third one.
    Binary(Op),
    /// Two bit-vectors of one width to a bit.
    Compare(Op),
    /// Equality of anything, or its negation.
    Equal(bool),
    Iff,
    Implies,
    /// Rotation by a number of bits that is a bit-vector: left or right.
    Rotate(bool),
    Concat,
    Read,
    Write,
    Ite,
    Slice,
    Extend(Op),
}

/// All keywords.
pub(super) static TAGS: &[(&str, Tag)] = &[
    // tidy: sorted
    ("add", Tag::Binary(Op::BvAdd)),
    ("and", Tag::Logic(Op::BvAnd, Op::And, false)),
    ("bad", Tag::Bad),
    ("concat", Tag::Concat),
    ("const", Tag::Const(Digits::Binary)),
    ("constd", Tag::Const(Digits::Decimal)),
    ("consth", Tag::Const(Digits::Hexadecimal)),
    ("constraint", Tag::Constraint),
    ("dec", Tag::Step(Op::BvSub)),
    ("eq", Tag::Equal(false)),
    ("fair", Tag::Fair),
    ("iff", Tag::Iff),
    ("implies", Tag::Implies),
    ("inc", Tag::Step(Op::BvAdd)),
    ("init", Tag::Init),
    ("input", Tag::Input),
    ("ite", Tag::Ite),
    ("justice", Tag::Justice),
    ("mul", Tag::Binary(Op::BvMul)),
    ("nand", Tag::Logic(Op::BvNand, Op::And, true)),
    ("neg", Tag::Neg),
    ("neq", Tag::Equal(true)),
    ("next", Tag::Next),
    ("nor", Tag::Logic(Op::BvNor, Op::Or, true)),
    ("not", Tag::Not),
    ("one", Tag::One),
    ("ones", Tag::Ones),
    ("or", Tag::Logic(Op::BvOr, Op::Or, false)),
    ("output", Tag::Output),
    ("read", Tag::Read),
    ("redand", Tag::Reduce(Op::BvRedAnd)),
    ("redor", Tag::Reduce(Op::BvRedOr)),
    ("redxor", Tag::RedXor),
    ("rol", Tag::Rotate(true)),
    ("ror", Tag::Rotate(false)),
    ("saddo", Tag::Compare(Op::BvSaddO)),
    ("sdiv", Tag::Binary(Op::BvSdiv)),
    ("sdivo", Tag::Compare(Op::BvSdivO)),
    ("sext", Tag::Extend(Op::SignExtend)),
    ("sgt", Tag::Compare(Op::BvSgt)),
    ("sgte", Tag::Compare(Op::BvSge)),
    ("slice", Tag::Slice),
    ("sll", Tag::Binary(Op::BvShl)),
    ("slt", Tag::Compare(Op::BvSlt)),
    ("slte", Tag::Compare(Op::BvSle)),
    ("smod", Tag::Binary(Op::BvSmod)),
    ("smulo", Tag::Compare(Op::BvSmulO)),
    ("sort", Tag::Sort),
    ("sra", Tag::Binary(Op::BvAshr)),
    ("srem", Tag::Binary(Op::BvSrem)),
    ("srl", Tag::Binary(Op::BvLshr)),
    ("ssubo", Tag::Compare(Op::BvSsubO)),
    ("state", Tag::State),
    ("sub", Tag::Binary(Op::BvSub)),
    ("uaddo", Tag::Compare(Op::BvUaddO)),
    ("udiv", Tag::Binary(Op::BvUdiv)),
    ("uext", Tag::Extend(Op::ZeroExtend)),
    ("ugt", Tag::Compare(Op::BvUgt)),
    ("ugte", Tag::Compare(Op::BvUge)),
    ("ult", Tag::Compare(Op::BvUlt)),
    ("ulte", Tag::Compare(Op::BvUle)),
    ("umulo", Tag::Compare(Op::BvUmulO)),
    ("urem", Tag::Binary(Op::BvUrem)),
    ("usubo", Tag::Compare(Op::BvUsubO)),
    ("write", Tag::Write),
    ("xnor", Tag::Logic(Op::BvXnor, Op::Xor, true)),
    ("xor", Tag::Logic(Op::BvXor, Op::Xor, false)),
    ("zero", Tag::Zero),
    // tidy: end
];

/// The row of a keyword.
pub(super) fn tag(word: &[u8]) -> Option<Tag> {
    TAGS.binary_search_by(|(name, _)| name.as_bytes().cmp(word)).ok().map(|row| TAGS[row].1)
}

/// The keyword of an operator of bit-vectors that is one in BTOR2 too.
pub(super) fn keyword(op: Op) -> Option<&'static str> {
    let means = |tag: Tag| match tag {
        Tag::Logic(bits, _, _) | Tag::Binary(bits) | Tag::Compare(bits) | Tag::Reduce(bits) => bits == op,
        Tag::Neg => op == Op::BvNeg,
        Tag::Concat => op == Op::Concat,
        Tag::Read => op == Op::Select,
        Tag::Write => op == Op::Store,
        Tag::Extend(extend) => extend == op,
        _ => false,
    };
    TAGS.iter().find(|(_, tag)| means(*tag)).map(|row| row.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found() {
        assert!(TAGS.is_sorted_by_key(|row| row.0));
        assert_eq!(tag(b"ugte"), Some(Tag::Compare(Op::BvUge)));
        assert_eq!(tag(b"array"), None);
        assert_eq!(keyword(Op::BvAshr), Some("sra"));
        assert_eq!(keyword(Op::Add), None);
    }
}
