//! Terms as expressions of nuXmv.
//!
//! All words are unsigned; operators with a sign convert their operands and their result back. Division by zero and shifts
//! beyond the width are written out, because they mean in SMT-LIB what nuXmv leaves open.

use crate::WriteError;
use dashu_int::UBig;
use rustc_hash::FxHashMap;
use smt::op::Op;
use smt::print::term_text;
use smt::sort::{Sort, SortId};
use smt::term::{Const, FunId, Role, TermId, Terms};

/// A piece of text, or a term to be printed.
enum Piece {
    Text(String),
    Term(TermId),
}

/// Names of symbols, and of terms that are defined.
#[derive(Default)]
pub(super) struct Names {
    pub(super) symbols: FxHashMap<FunId, String>,
    /// Constructors by sort and position.
    pub(super) constructors: FxHashMap<(SortId, usize), FunId>,
    pub(super) terms: FxHashMap<TermId, String>,
}

/// The type of a sort.
pub(super) fn type_text(terms: &Terms, names: &Names, sort: SortId) -> Result<String, WriteError> {
    let (mut rest, mut out) = (sort, String::new());
    loop {
        match terms.sorts.get(rest) {
            Sort::Bool => out.push_str("boolean"),
            Sort::Int => out.push_str("integer"),
            Sort::Real => out.push_str("real"),
            Sort::BitVec(width) => out.push_str(&format!("unsigned word[{width}]")),
            Sort::Array(index, element) if matches!(terms.sorts.get(*index), Sort::Int | Sort::BitVec(_)) => {
                match terms.sorts.width(*index) {
                    Some(width) => out.push_str(&format!("array word[{width}] of ")),
                    None => out.push_str("array integer of "),
                }
                rest = *element;
                continue;
            }
            Sort::Declared(..) if enumeration(terms, rest).is_some() && rest == sort => {
                let count = enumeration(terms, rest).unwrap_or(0);
                let all: Vec<&str> = (0..count).filter_map(|index| constructor(names, rest, index)).collect();
                out.push_str(&format!("{{{}}}", all.join(", ")));
            }
            _ => {
                let sort = smt::print::sort_text(terms, sort);
                return Err(WriteError::new(format!("nuXmv has no type for the sort {sort}")));
            }
        }
        return Ok(out);
    }
}

/// The number of constructors of a datatype without fields.
pub(super) fn enumeration(terms: &Terms, sort: SortId) -> Option<usize> {
    let (datatype, _) = terms.sorts.datatype(sort)?;
    datatype.constructors.iter().all(|c| c.fields.is_empty()).then_some(datatype.constructors.len())
}

/// A constructor's symbol.
fn constructor(names: &Names, sort: SortId, index: usize) -> Option<&str> {
    names.symbols.get(names.constructors.get(&(sort, index))?).map(String::as_str)
}

/// True for operators whose text has an operand several times.
pub(super) fn repeats(op: Op) -> bool {
    matches!(
        op,
        Op::IntDiv
            | Op::Mod
            | Op::Abs
            | Op::IsInt
            | Op::BvUdiv
            | Op::BvUrem
            | Op::BvSdiv
            | Op::BvSrem
            | Op::BvSmod
            | Op::BvShl
            | Op::BvLshr
            | Op::BvAshr
            | Op::BvSaddO
            | Op::BvSsubO
            | Op::BvSmulO
            | Op::RotateLeft
            | Op::RotateRight
            | Op::Repeat
            | Op::Eq
            | Op::Distinct
            | Op::Lt
            | Op::Le
            | Op::Gt
            | Op::Ge
    )
}

/// Appends a term; `whole` says that its own name is not used.
pub(super) fn write(
    out: &mut String,
    terms: &Terms,
    names: &Names,
    root: TermId,
    whole: bool,
) -> Result<(), WriteError> {
    let mut todo = Vec::new();
    if whole {
        todo.extend(pieces(terms, names, root)?.into_iter().rev());
    } else {
        todo.push(Piece::Term(root));
    }
    while let Some(piece) = todo.pop() {
        match piece {
            Piece::Text(text) => out.push_str(&text),
            Piece::Term(term) => match names.terms.get(&term) {
                Some(name) => out.push_str(name),
                None => todo.extend(pieces(terms, names, term)?.into_iter().rev()),
            },
        }
    }
    Ok(())
}

/// The pieces of a pattern in which `$0`, `$1` stand for arguments.
fn fill(pattern: &str, args: &[TermId]) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut parts = pattern.split('$');
    found.extend(parts.next().map(|text| Piece::Text(text.to_owned())));
    for part in parts {
        let digit = part.as_bytes().first().map_or(0, |b| (b - b'0') as usize);
        found.push(Piece::Term(args[digit]));
        found.push(Piece::Text(part[1..].to_owned()));
    }
    found
}

/// Arguments with an operator between them.
fn between(mark: &str, args: &[TermId]) -> Vec<Piece> {
    let mut found = vec![Piece::Text("(".into())];
    for (i, &arg) in args.iter().enumerate() {
        if i > 0 {
            found.push(Piece::Text(format!(" {mark} ")));
        }
        found.push(Piece::Term(arg));
    }
    found.push(Piece::Text(")".into()));
    found
}

/// A relation between neighbours, or between all.
fn related(mark: &str, args: &[TermId], all: bool) -> Vec<Piece> {
    if let &[a, b] = args {
        return fill(&format!("($0 {mark} $1)"), &[a, b]);
    }
    let mut found = Vec::new();
    for i in 0..args.len() {
        let later = if all { args.len() } else { (i + 2).min(args.len()) };
        for j in i + 1..later {
            found.push(Piece::Text(if found.is_empty() { "(" } else { " & " }.into()));
            found.extend(fill(&format!("($0 {mark} $1)"), &[args[i], args[j]]));
        }
    }
    found.push(Piece::Text(if found.is_empty() { "TRUE" } else { ")" }.into()));
    found
}

fn pieces(terms: &Terms, names: &Names, term: TermId) -> Result<Vec<Piece>, WriteError> {
    let (op, args, sort) = (terms.op(term), terms.args(term), terms.sort(term));
    let text = |text: String| Ok(vec![Piece::Text(text)]);
    if let Some(constant) = terms.literal(term) {
        return match constant {
            Const::Nat(value) => text(value.to_string()),
            Const::Decimal(value) => text(format!("f'{}/{}", value.numerator(), value.denominator())),
            Const::Bits(width, value) => text(format!("0ud{width}_{value}")),
            _ => Err(refusal(terms, term)),
        };
    }
    if let Some(fun) = terms.applied(term) {
        if let Role::Tester(index) = terms.fun(fun).role
            && let Some(symbol) = constructor(names, terms.sort(args[0]), index as usize)
        {
            return Ok(fill(&format!("($0 = {symbol})"), args));
        }
        let Some(name) = names.symbols.get(&fun) else { return Err(refusal(terms, term)) };
        if args.is_empty() {
            return text(name.clone());
        }
        let mut found = between(",", args);
        found.insert(0, Piece::Text(name.clone()));
        return Ok(found);
    }
    let boolean = args.first().is_some_and(|&arg| terms.sort(arg) == SortId::BOOL);
    let made = match op {
        Op::True => return text("TRUE".into()),
        Op::False => return text("FALSE".into()),
        Op::Not | Op::BvNot => fill("(!$0)", args),
        Op::And | Op::BvAnd => between("&", args),
        Op::Or | Op::BvOr => between("|", args),
        Op::Xor | Op::BvXor => between("xor", args),
        Op::BvXnor => between("xnor", args),
        // The operator groups to the right, as in SMT-LIB.
        Op::Implies => between("->", args),
        Op::Eq if boolean => related("<->", args, false),
        Op::Eq => related("=", args, false),
        Op::Distinct if boolean => related("xor", args, true),
        Op::Distinct => related("!=", args, true),
        Op::Ite => fill("($0 ? $1 : $2)", args),
        Op::Lt => related("<", args, false),
        Op::Le => related("<=", args, false),
        Op::Gt => related(">", args, false),
        Op::Ge => related(">=", args, false),
        Op::Neg | Op::BvNeg => fill("(-$0)", args),
        Op::Add | Op::BvAdd => between("+", args),
        Op::Sub | Op::BvSub => between("-", args),
        Op::Mul | Op::BvMul => between("*", args),
        Op::Div => between("/", args),
        Op::IntDiv if args.len() == 2 => {
            fill("(($0 mod $1) >= 0 ? $0 / $1 : ($1 > 0 ? $0 / $1 - 1 : $0 / $1 + 1))", args)
        }
        Op::Mod => {
            fill("(($0 mod $1) >= 0 ? $0 mod $1 : ($1 > 0 ? ($0 mod $1) + $1 : ($0 mod $1) - $1))", args)
        }
        Op::Abs => fill("($0 >= 0 ? $0 : -$0)", args),
        Op::ToReal => fill("($0 * f'1/1)", args),
        Op::ToInt => fill("floor($0)", args),
        Op::IsInt => fill("(floor($0) = $0)", args),
        Op::Divisible => fill(&format!("(($0 mod {}) = 0)", terms.node(term).payload), args),
        Op::Select => fill("READ($0, $1)", args),
        Op::Store => fill("WRITE($0, $1, $2)", args),
        Op::ConstArray => fill(&format!("CONSTARRAY({}, $0)", type_text(terms, names, sort)?), args),
        Op::LtlNext => fill("(X $0)", args),
        Op::LtlFinally => fill("(F $0)", args),
        Op::LtlGlobally => fill("(G $0)", args),
        Op::LtlYesterday => fill("(Y $0)", args),
        Op::LtlWeakYesterday => fill("(Z $0)", args),
        Op::LtlOnce => fill("(O $0)", args),
        Op::LtlHistorically => fill("(H $0)", args),
        Op::LtlUntil => fill("($0 U $1)", args),
        Op::LtlRelease => fill("($0 V $1)", args),
        Op::LtlSince => fill("($0 S $1)", args),
        Op::LtlWeakUntil => fill("(($0 U $1) | (G $0))", args),
        _ => return word(terms, term),
    };
    Ok(made)
}

/// Operators on bit-vectors.
fn word(terms: &Terms, term: TermId) -> Result<Vec<Piece>, WriteError> {
    let (op, args) = (terms.op(term), terms.args(term));
    let Some(width) = args.first().and_then(|&arg| terms.sorts.width(terms.sort(arg))) else {
        return Err(refusal(terms, term));
    };
    let result = terms.sorts.width(terms.sort(term)).unwrap_or(1);
    let payload = terms.node(term).payload;
    // Constants of the width of operands are written out.
    const WIDE: u32 = 1 << 20;
    if width > WIDE || result > WIDE {
        return Err(WriteError::new(format!("a word of {} bits is too long for nuXmv", width.max(result))));
    }
    let number = |value: UBig, width: u32| format!("0ud{width}_{value}");
    let ones = number((UBig::ONE << width as usize) - UBig::ONE, width);
    let (zero, one) = (number(UBig::ZERO, width), number(UBig::ONE, width));
    let least = number(UBig::ONE << (width - 1) as usize, width);
    let limit = number(UBig::from(width), width);
    let sign = width - 1;
    let bits = |high: u32, low: u32| format!("$0[{high}:{low}]");
    let pattern = match op {
        Op::Concat => return Ok(between("::", args)),
        Op::Extract => bits(payload + result - 1, payload),
        Op::BvNand => "(!($0 & $1))".into(),
        Op::BvNor => "(!($0 | $1))".into(),
        Op::BvComp => "word1($0 = $1)".into(),
        Op::BvRedAnd => format!("word1($0 = {ones})"),
        Op::BvRedOr => format!("word1($0 != {zero})"),
        Op::BvUdiv => format!("($1 = {zero} ? {ones} : $0 / $1)"),
        Op::BvUrem => format!("($1 = {zero} ? $0 : $0 mod $1)"),
        Op::BvSdiv => {
            format!(
                "($1 = {zero} ? ($0[{sign}:{sign}] = 0ud1_1 ? {one} : {ones}) : unsigned(signed($0) / signed($1)))"
            )
        }
        Op::BvSrem => format!("($1 = {zero} ? $0 : unsigned(signed($0) mod signed($1)))"),
        Op::BvSmod => format!(
            "($1 = {zero} ? $0 : (unsigned(signed($0) mod signed($1)) = {zero} | $0[{sign}:{sign}] = $1[{sign}:{sign}] ? unsigned(signed($0) mod signed($1)) : unsigned(signed($0) mod signed($1)) + $1))"
        ),
        Op::BvShl => format!("($1 >= {limit} ? {zero} : $0 << $1)"),
        Op::BvLshr => format!("($1 >= {limit} ? {zero} : $0 >> $1)"),
        Op::BvAshr => format!(
            "($1 >= {limit} ? ($0[{sign}:{sign}] = 0ud1_1 ? {ones} : {zero}) : unsigned(signed($0) >> $1))"
        ),
        Op::BvUlt => "($0 < $1)".into(),
        Op::BvUle => "($0 <= $1)".into(),
        Op::BvUgt => "($0 > $1)".into(),
        Op::BvUge => "($0 >= $1)".into(),
        Op::BvSlt => "(signed($0) < signed($1))".into(),
        Op::BvSle => "(signed($0) <= signed($1))".into(),
        Op::BvSgt => "(signed($0) > signed($1))".into(),
        Op::BvSge => "(signed($0) >= signed($1))".into(),
        Op::BvNegO => format!("($0 = {least})"),
        Op::BvUaddO => format!("((extend($0, 1) + extend($1, 1))[{width}:{width}] = 0ud1_1)"),
        Op::BvUsubO => "($0 < $1)".into(),
        Op::BvUmulO => format!(
            "((extend($0, {width}) * extend($1, {width}))[{}:{width}] != {zero})",
            u64::from(width) * 2 - 1
        ),
        Op::BvSaddO | Op::BvSsubO => {
            let sum = format!(
                "(extend(signed($0), 1) {} extend(signed($1), 1))",
                if op == Op::BvSaddO { "+" } else { "-" }
            );
            format!("({sum}[{width}:{width}] != {sum}[{sign}:{sign}])")
        }
        Op::BvSmulO => {
            let product = format!("(extend(signed($0), {width}) * extend(signed($1), {width}))");
            format!("(extend(signed({product}[{sign}:0]), {width}) != {product})")
        }
        Op::BvSdivO => format!("($0 = {least} & $1 = {ones})"),
        Op::ZeroExtend => format!("extend($0, {payload})"),
        Op::SignExtend => format!("unsigned(extend(signed($0), {payload}))"),
        Op::RotateLeft | Op::RotateRight => {
            let by = payload % width;
            let left = if op == Op::RotateLeft { by } else { (width - by) % width };
            match left {
                0 => "$0".into(),
                left => format!("({} :: {})", bits(width - 1 - left, 0), bits(width - 1, width - left)),
            }
        }
        Op::Repeat => format!("({})", vec!["$0"; payload as usize].join(" :: ")),
        Op::UbvToInt => "toint($0)".into(),
        Op::SbvToInt => "toint(signed($0))".into(),
        _ => return Err(refusal(terms, term)),
    };
    Ok(fill(&pattern, args))
}

fn refusal(terms: &Terms, term: TermId) -> WriteError {
    let text: String = term_text(terms, term).chars().take(60).collect();
    WriteError::new(format!("nuXmv has no operator `{}`: {text}", terms.op(term).name()))
}
