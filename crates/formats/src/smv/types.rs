//! Types and values of expressions.

use dashu_int::IBig;
use smt::sort::SortId;
use smt::term::{TermId, Terms};
use std::sync::Arc;

/// Arrays are no deeper than this.
pub(super) const DEEP: usize = 32;

/// The number of elements that an array has at most.
pub(super) const MANY: usize = 100_000;

/// A type of expressions. Ranges are integers here; symbolic constants have one type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Ty {
    Bool,
    Int,
    Real,
    /// Signed or not, and the width.
    Word(bool, u32),
    Symbol,
    /// Index and element. Depth is limited where types are read.
    Array(Arc<(Ty, Ty)>),
}

impl Ty {
    /// The sort of terms of this type; symbolic constants have so many bits.
    pub(super) fn sort(&self, terms: &mut Terms, bits: u32) -> SortId {
        match self {
            Ty::Bool => SortId::BOOL,
            Ty::Int => SortId::INT,
            Ty::Real => SortId::REAL,
            Ty::Word(_, width) => terms.sorts.bit_vec(*width),
            Ty::Symbol => terms.sorts.bit_vec(bits),
            Ty::Array(parts) => {
                let (index, element) = (parts.0.sort(terms, bits), parts.1.sort(terms, bits));
                terms.sorts.array(index, element)
            }
        }
    }

    /// The type as it is written.
    pub(super) fn text(&self) -> String {
        match self {
            Ty::Bool => "boolean".into(),
            Ty::Int => "integer".into(),
            Ty::Real => "real".into(),
            Ty::Word(true, width) => format!("signed word[{width}]"),
            Ty::Word(false, width) => format!("unsigned word[{width}]"),
            Ty::Symbol => "a symbolic constant".into(),
            Ty::Array(parts) => format!("array {} of {}", parts.0.text(), parts.1.text()),
        }
    }
}

/// What an expression is.
#[derive(Clone, Debug)]
pub(super) enum Val {
    /// One value.
    Term(TermId, Ty),
    /// The integers from one to another.
    Range(IBig, IBig),
    /// Any of some values, each under a condition; they are terms or ranges.
    Any(Vec<(TermId, Val)>),
    /// An array over a range.
    List(List),
    /// An instance of a module.
    Instance(usize),
    /// A type.
    Type(Ty),
}

/// The elements of an array over a range, which may be arrays.
#[derive(Clone, Debug)]
pub(super) struct List {
    /// The first index.
    pub(super) low: IBig,
    pub(super) items: Arc<[Val]>,
    /// How deep arrays are in it, and how many elements are in all of them: an array may be in another one many times.
    depth: usize,
    count: usize,
}

impl List {
    /// The array, unless it is deeper than [`DEEP`] or larger than [`MANY`]: what is done with arrays goes through them.
    pub(super) fn new(low: IBig, items: Vec<Val>) -> Option<List> {
        let (mut depth, mut count) = (0, 0usize);
        for item in &items {
            let (below, elements) = match item {
                Val::List(list) => (list.depth, list.count),
                _ => (0, 1),
            };
            depth = depth.max(below + 1);
            count = count.saturating_add(elements);
        }
        (depth <= DEEP && count <= MANY).then(|| List { low, items: items.into(), depth, count })
    }
}

impl Val {
    pub(super) fn bool(term: TermId) -> Val {
        Val::Term(term, Ty::Bool)
    }

    /// What it is, in a message.
    pub(super) fn text(&self) -> String {
        match self {
            Val::Term(_, ty) => ty.text(),
            Val::Range(..) | Val::Any(_) => "a set of values".into(),
            Val::List(..) => "an array".into(),
            Val::Instance(_) => "an instance of a module".into(),
            Val::Type(_) => "a type".into(),
        }
    }
}
