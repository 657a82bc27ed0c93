//! Terms, sorts and symbols as SMT-LIB text.
//!
//! Shared subterms are printed once, by `let`, so the text is as large as the graph. A `let` stands in the
//! outermost place where all variables of its term are bound: the [`layout`] finds it, this module writes.
//! What is printed here is read back to the same term ids.

use crate::op::{Op, RESERVED};
use crate::sexpr::is_simple_symbol;
use crate::sort::{Sort, SortId};
use crate::term::{Const, FunId, Role, TermId, Terms};
use dashu_int::UBig;
use dashu_int::ops::BitTest;
use dashu_ratio::RBig;
use std::fmt::Write;

mod declare;
mod layout;

pub use declare::write_declarations;
use layout::{Cursor, Layout, Place};

/// A symbol, between bars if it must be.
#[must_use]
pub fn symbol_text(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    write_symbol(&mut out, name);
    out
}

/// Appends a symbol, between bars if it must be.
pub fn write_symbol(out: &mut String, name: &str) {
    if is_simple_symbol(name) && !is_reserved(name) {
        return out.push_str(name);
    }
    out.push('|');
    out.push_str(name);
    out.push('|');
}

fn is_reserved(name: &str) -> bool {
    // Nearly all names are told by their length.
    const LONGEST: usize = 11;
    name.len() <= LONGEST && RESERVED.contains(&name)
}

/// Appends a number: the machinery of formatting takes several times as long, and files have millions.
pub fn write_number(out: &mut String, mut value: u64) {
    let (mut digits, mut at) = ([0; 20], 20);
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    // Digits are text.
    out.push_str(std::str::from_utf8(&digits[at..]).unwrap_or_default());
}

/// A sort in a message. A very long one is cut: defined sorts can make one that no memory would hold.
#[must_use]
pub fn sort_text(terms: &Terms, sort: SortId) -> String {
    const LONG: usize = 200;
    let mut out = String::new();
    if !write_sort_up_to(&mut out, terms, sort, LONG) {
        out.push('…');
    }
    out
}

/// A term, with `let` for what is shared.
#[must_use]
pub fn term_text(terms: &Terms, term: TermId) -> String {
    let mut out = String::new();
    write_term(&mut out, terms, term);
    out
}

/// Appends a sort.
pub fn write_sort(out: &mut String, terms: &Terms, sort: SortId) {
    write_sort_up_to(out, terms, sort, usize::MAX);
}

/// Appends a sort, or the beginning of it when it is longer than `limit`.
fn write_sort_up_to(out: &mut String, terms: &Terms, sort: SortId, limit: usize) -> bool {
    enum Piece {
        Sort(SortId),
        Text(&'static str),
    }
    let mut todo = vec![Piece::Sort(sort)];
    while let Some(piece) = todo.pop() {
        if out.len() > limit {
            return false;
        }
        let id = match piece {
            Piece::Text(text) => {
                out.push_str(text);
                continue;
            }
            Piece::Sort(id) => id,
        };
        let sort = terms.sorts.get(id);
        let name = match sort {
            Sort::Error => "<error>",
            Sort::Bool => "Bool",
            Sort::Int => "Int",
            Sort::Real => "Real",
            Sort::RoundingMode => "RoundingMode",
            Sort::String => "String",
            Sort::RegLan => "RegLan",
            Sort::BitVec(width) => {
                out.push_str("(_ BitVec ");
                write_number(out, u64::from(*width));
                out.push(')');
                continue;
            }
            Sort::Float(eb, sb) => {
                let _ = write!(out, "(_ FloatingPoint {eb} {sb})");
                continue;
            }
            Sort::Seq(_) => "Seq",
            Sort::Array(..) => "Array",
            Sort::Map(..) => "->",
            Sort::Declared(decl, _) => terms.names.text(terms.sorts.decl(*decl).name),
            Sort::Param(name) => terms.names.text(*name),
        };
        let children = crate::sort::children(sort);
        if children.is_empty() {
            write_symbol(out, name);
            continue;
        }
        out.push('(');
        write_symbol(out, name);
        todo.push(Piece::Text(")"));
        for &child in children.iter().rev() {
            todo.push(Piece::Sort(child));
            todo.push(Piece::Text(" "));
        }
    }
    true
}

/// What is still to be written.
enum Piece {
    Text(&'static str),
    /// A subterm: its `let` name if it has one, or the term itself.
    Ref(TermId),
    /// The term itself, at the place it belongs to.
    Inline(TermId, Place),
    /// The definitions of a place from a level on, then the body.
    Lets(Place, u32, TermId),
    /// So many closing parentheses.
    Close(usize),
    /// The `let` name before a definition.
    Name(TermId, Place),
    /// The end of a binder's body.
    Leave(TermId),
}

/// Appends a term.
pub fn write_term(out: &mut String, terms: &Terms, root: TermId) {
    if terms.args(root).is_empty() {
        return write_leaf(out, terms, root);
    }
    let layout = Layout::of(terms, root);
    let mut cursor = layout.cursor(terms);
    let mut todo = vec![Piece::Lets(Place::ROOT, 0, root)];
    while let Some(piece) = todo.pop() {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Close(n) => out.extend(std::iter::repeat_n(')', n)),
            Piece::Leave(binder) => cursor.leave(binder),
            Piece::Name(term, place) => {
                layout.write_name(out, term, place);
            }
            Piece::Ref(term) => {
                let place = cursor.owner(term);
                if !layout.write_name(out, term, place) {
                    write_inline(out, &layout, &mut cursor, (term, place), &mut todo);
                }
            }
            Piece::Inline(term, place) => write_inline(out, &layout, &mut cursor, (term, place), &mut todo),
            Piece::Lets(place, level, body) => {
                let shared = layout.shared(place, level);
                if shared.is_empty() {
                    todo.push(Piece::Ref(body));
                    continue;
                }
                out.push_str("(let (");
                todo.push(Piece::Close(1));
                todo.push(Piece::Lets(place, level + 1, body));
                todo.push(Piece::Text(") "));
                for (i, &term) in shared.iter().enumerate().rev() {
                    todo.push(Piece::Close(1));
                    todo.push(Piece::Inline(term, place));
                    todo.push(Piece::Text(" "));
                    todo.push(Piece::Name(term, place));
                    todo.push(Piece::Text(if i == 0 { "(" } else { " (" }));
                }
            }
        }
    }
}

/// Writes a term's head; its arguments are left to do.
fn write_inline(
    out: &mut String,
    layout: &Layout,
    cursor: &mut Cursor<'_>,
    (term, place): (TermId, Place),
    todo: &mut Vec<Piece>,
) {
    let terms = cursor.terms;
    let args = terms.args(term);
    let op = terms.op(term);
    if op.is_binder() {
        let (vars, body) = args.split_at(args.len() - 1);
        let _ = write!(out, "({} (", op.name());
        for (i, &var) in vars.iter().enumerate() {
            out.push_str(if i == 0 { "(" } else { " (" });
            write_leaf(out, terms, var);
            out.push(' ');
            write_sort(out, terms, terms.sort(var));
            out.push(')');
        }
        out.push_str(") ");
        let inner = layout.inner(term, place);
        cursor.enter(term, inner);
        todo.push(Piece::Close(1));
        todo.push(Piece::Leave(term));
        todo.push(Piece::Lets(inner, 0, body[0]));
        return;
    }
    if args.is_empty() {
        return write_leaf(out, terms, term);
    }
    out.push('(');
    write_head(out, terms, term);
    todo.push(Piece::Close(1));
    for &arg in args.iter().rev() {
        todo.push(Piece::Ref(arg));
        todo.push(Piece::Text(" "));
    }
}

/// Appends a term without arguments.
pub fn write_leaf(out: &mut String, terms: &Terms, term: TermId) {
    if let Some(fun) = terms.applied(term) {
        return write_fun(out, terms, fun);
    }
    let node = terms.node(term);
    if let Some(constant) = terms.literal(term) {
        return write_const(out, constant);
    }
    if let Some(name) = terms.variable(term) {
        return write_symbol(out, terms.names.text(name));
    }
    match (node.op, terms.sorts.get(node.sort)) {
        (Op::SeqEmpty, _) => {
            out.push_str("(as seq.empty ");
            write_sort(out, terms, node.sort);
            out.push(')');
        }
        (Op::Char, _) => {
            let _ = write!(out, "(_ char #x{:X})", node.payload);
        }
        (op, Sort::Float(eb, sb)) => {
            let _ = write!(out, "(_ {} {eb} {sb})", op.name());
        }
        (op, _) => out.push_str(op.name()),
    }
}

/// A function symbol as it is applied.
pub fn write_fun(out: &mut String, terms: &Terms, fun: FunId) {
    let decl = terms.fun(fun);
    let name = terms.names.text(decl.name);
    // The arguments of a parametric constructor need not determine its sort.
    let generic = || !crate::sort::children(terms.sorts.get(decl.result)).is_empty();
    // An element of an uninterpreted sort is declared by nobody, so its sort says what it is.
    let element = || name.starts_with('@') && crate::value::named_element(terms, fun).is_some();
    match &decl.role {
        Role::Tester(_) => {
            out.push_str("(_ is ");
            write_symbol(out, name);
            out.push(')');
        }
        Role::At(_, tag) => {
            out.push_str("(at ");
            write_symbol(out, name);
            out.push(' ');
            write_symbol(out, terms.names.text(*tag));
            out.push(')');
        }
        Role::Constructor(_) if generic() => write_qualified(out, terms, name, decl.result),
        Role::Free if element() => write_qualified(out, terms, name, decl.result),
        _ => write_symbol(out, name),
    }
}

/// `(as name sort)`.
fn write_qualified(out: &mut String, terms: &Terms, name: &str, sort: SortId) {
    out.push_str("(as ");
    write_symbol(out, name);
    out.push(' ');
    write_sort(out, terms, sort);
    out.push(')');
}

/// Appends the function or operator of a term with arguments, with its indices.
pub fn write_head(out: &mut String, terms: &Terms, term: TermId) {
    if let Some(fun) = terms.applied(term) {
        return write_fun(out, terms, fun);
    }
    let node = terms.node(term);
    let (name, payload) = (node.op.name(), node.payload);
    let _ = match node.op {
        Op::ConstArray => {
            out.push_str("(as const ");
            write_sort(out, terms, node.sort);
            out.push(')');
            Ok(())
        }
        Op::Extract => {
            let width = terms.sorts.width(node.sort).unwrap_or(1);
            out.push_str("(_ extract ");
            write_number(out, u64::from(payload) + u64::from(width) - 1);
            out.push(' ');
            write_number(out, u64::from(payload));
            out.push(')');
            Ok(())
        }
        Op::ReLoop => match terms.constant(base::id::Id::from_index(payload as usize)) {
            Const::Pair(low, high) => write!(out, "(_ re.loop {low} {high})"),
            _ => Ok(()),
        },
        Op::IntToBv | Op::FpToUbv | Op::FpToSbv => {
            write!(out, "(_ {name} {})", terms.sorts.width(node.sort).unwrap_or(1))
        }
        Op::ToFp | Op::ToFpBits | Op::ToFpUnsigned => match terms.sorts.get(node.sort) {
            Sort::Float(eb, sb) => write!(out, "(_ {name} {eb} {sb})"),
            _ => Ok(()),
        },
        op if op.info().rule.indices() == 1 => {
            out.push_str("(_ ");
            out.push_str(name);
            out.push(' ');
            write_number(out, u64::from(payload));
            out.push(')');
            Ok(())
        }
        _ => {
            out.push_str(name);
            Ok(())
        }
    };
}

fn write_const(out: &mut String, constant: &Const) {
    if let Some(()) = write_short(out, constant) {
        return;
    }
    let _ = match constant {
        Const::Nat(value) => write!(out, "{value}"),
        Const::Decimal(value) => {
            out.push_str(&decimal_text(value));
            Ok(())
        }
        // A literal of a billion zeros is short in the input, so it is here.
        Const::Bits(width, value) if *width as usize > 1024.max(4 * value.bit_len()) => {
            write!(out, "(_ bv{value} {width})")
        }
        Const::Bits(width, value) if width % 4 == 0 => {
            out.push_str("#x");
            write_padded(out, &value.in_radix(16).to_string(), *width as usize / 4);
            Ok(())
        }
        Const::Bits(width, value) => {
            out.push_str("#b");
            write_padded(out, &value.in_radix(2).to_string(), *width as usize);
            Ok(())
        }
        Const::Str(text) => write!(out, "\"{}\"", text.replace('"', "\"\"")),
        Const::Pair(a, b) => write!(out, "{a} {b}"),
    };
}

/// Appends digits with zeros before them, `width` characters at least. The machinery of formatting cannot do more than 65,535.
pub fn write_padded(out: &mut String, digits: &str, width: usize) {
    out.extend(std::iter::repeat_n('0', width.saturating_sub(digits.len())));
    out.push_str(digits);
}

/// Appends a literal of at most 64 bits; none if it is another one.
fn write_short(out: &mut String, constant: &Const) -> Option<()> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    match constant {
        Const::Nat(value) => write_number(out, u64::try_from(value).ok()?),
        Const::Bits(width @ 1..=64, value) => {
            let value = u64::try_from(value).ok()?;
            let step = if width % 4 == 0 { 4 } else { 1 };
            out.push_str(if step == 4 { "#x" } else { "#b" });
            for at in (0..width / step).rev() {
                out.push(char::from(DIGITS[(value >> (at * step)) as usize & ((1 << step) - 1)]));
            }
        }
        _ => return None,
    }
    Some(())
}

/// A non-negative rational that has a finite decimal form.
fn decimal_text(value: &RBig) -> String {
    let (numerator, denominator) = value.clone().into_parts();
    let (_, magnitude) = numerator.into_parts();
    if denominator == UBig::ONE {
        return format!("{magnitude}.0");
    }
    let twos = denominator.trailing_zeros().unwrap_or(0);
    let mut rest = &denominator >> twos;
    let mut fives = 0;
    while rest > UBig::ONE {
        rest /= UBig::from(5u8);
        fives += 1;
    }
    let places = twos.max(fives);
    let scaled = magnitude * UBig::from(10u8).pow(places) / denominator;
    let mut digits = String::new();
    write_padded(&mut digits, &scaled.to_string(), places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    format!("{whole}.{fraction}")
}
