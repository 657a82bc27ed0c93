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
use dashu_ratio::RBig;
use std::fmt::Write;

mod layout;

use layout::{Layout, Place};

/// A symbol, between bars if it must be.
#[must_use]
pub fn symbol_text(name: &str) -> String {
    if is_simple_symbol(name) && !RESERVED.contains(&name) { name.to_string() } else { format!("|{name}|") }
}

/// A sort.
#[must_use]
pub fn sort_text(terms: &Terms, sort: SortId) -> String {
    let mut out = String::new();
    write_sort(&mut out, terms, sort);
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
    enum Piece {
        Sort(SortId),
        Text(&'static str),
    }
    let mut todo = vec![Piece::Sort(sort)];
    while let Some(piece) = todo.pop() {
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
                let _ = write!(out, "(_ BitVec {width})");
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
        let name = symbol_text(name);
        if children.is_empty() {
            out.push_str(&name);
            continue;
        }
        let _ = write!(out, "({name}");
        todo.push(Piece::Text(")"));
        for &child in children.iter().rev() {
            todo.push(Piece::Sort(child));
            todo.push(Piece::Text(" "));
        }
    }
}

/// What is still to be written.
enum Piece {
    Text(&'static str),
    /// A subterm as seen from a place: a `let` name or the term itself.
    Ref(TermId, Place),
    /// The term itself.
    Inline(TermId, Place),
    /// The definitions of a place from a level on, then the body.
    Lets(Place, u32, TermId),
    /// So many closing parentheses.
    Close(usize),
    /// `name` before a definition.
    Name(TermId, Place),
}

/// Appends a term.
pub fn write_term(out: &mut String, terms: &Terms, root: TermId) {
    let layout = Layout::of(terms, root);
    let mut todo = vec![Piece::Lets(Place::ROOT, 0, root)];
    while let Some(piece) = todo.pop() {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Close(n) => out.extend(std::iter::repeat_n(')', n)),
            Piece::Name(term, place) => {
                if let Some(name) = layout.name(term, place) {
                    out.push_str(&name);
                }
            }
            Piece::Ref(term, from) => {
                let place = layout.owner(terms, term, from);
                match layout.name(term, place) {
                    Some(name) => out.push_str(&name),
                    None => write_inline(out, terms, &layout, term, place, &mut todo),
                }
            }
            Piece::Inline(term, place) => write_inline(out, terms, &layout, term, place, &mut todo),
            Piece::Lets(place, level, body) => {
                let shared = layout.shared(place, level);
                if shared.is_empty() {
                    todo.push(Piece::Ref(body, place));
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
    terms: &Terms,
    layout: &Layout,
    term: TermId,
    place: Place,
    todo: &mut Vec<Piece>,
) {
    let args = terms.args(term);
    let op = terms.op(term);
    if op.is_binder() {
        let (vars, body) = args.split_at(args.len() - 1);
        let _ = write!(out, "({} (", op.name());
        for (i, &var) in vars.iter().enumerate() {
            let name = terms.variable(var).map(|name| symbol_text(terms.names.text(name))).unwrap_or_default();
            let _ = write!(out, "{}({name} ", if i == 0 { "" } else { " " });
            write_sort(out, terms, terms.sort(var));
            out.push(')');
        }
        out.push_str(") ");
        todo.push(Piece::Close(1));
        todo.push(Piece::Lets(layout.inner(term, place), 0, body[0]));
        return;
    }
    if args.is_empty() {
        return write_leaf(out, terms, term);
    }
    out.push('(');
    write_head(out, terms, term);
    todo.push(Piece::Close(1));
    for &arg in args.iter().rev() {
        todo.push(Piece::Ref(arg, place));
        todo.push(Piece::Text(" "));
    }
}

fn write_leaf(out: &mut String, terms: &Terms, term: TermId) {
    let node = terms.node(term);
    if let Some(constant) = terms.literal(term) {
        return write_const(out, constant);
    }
    if let Some(name) = terms.variable(term) {
        return out.push_str(&symbol_text(terms.names.text(name)));
    }
    if let Some(fun) = terms.applied(term) {
        return write_fun(out, terms, fun);
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
    let name = symbol_text(terms.names.text(decl.name));
    match &decl.role {
        Role::Tester(_) => {
            let _ = write!(out, "(_ is {name})");
        }
        Role::At(_, tag) => {
            let _ = write!(out, "(at {name} {})", symbol_text(terms.names.text(*tag)));
        }
        // The arguments of a parametric constructor need not determine its sort.
        Role::Constructor(_) if !crate::sort::children(terms.sorts.get(decl.result)).is_empty() => {
            let _ = write!(out, "(as {name} ");
            write_sort(out, terms, decl.result);
            out.push(')');
        }
        _ => out.push_str(&name),
    }
}

fn write_head(out: &mut String, terms: &Terms, term: TermId) {
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
            write!(out, "(_ extract {} {payload})", payload + width - 1)
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
        op if op.info().rule.indices() == 1 => write!(out, "(_ {name} {payload})"),
        _ => {
            out.push_str(name);
            Ok(())
        }
    };
}

fn write_const(out: &mut String, constant: &Const) {
    let _ = match constant {
        Const::Nat(value) => write!(out, "{value}"),
        Const::Decimal(value) => {
            out.push_str(&decimal_text(value));
            Ok(())
        }
        Const::Bits(width, value) => {
            let (digits, width) = (*width as usize, *width as usize);
            if width % 4 == 0 {
                write!(out, "#x{:0>1$}", value.in_radix(16).to_string(), digits / 4)
            } else {
                write!(out, "#b{:0>1$}", value.in_radix(2).to_string(), digits)
            }
        }
        Const::Str(text) => write!(out, "\"{}\"", text.replace('"', "\"\"")),
        Const::Pair(a, b) => write!(out, "{a} {b}"),
    };
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
    let digits = format!("{:0>1$}", scaled.to_string(), places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    format!("{whole}.{fraction}")
}
