//! Hash-consed, well-sorted terms with 4-byte ids.
//!
//! A [`Terms`] store owns symbols, sorts, function declarations and term nodes. Equal ids mean equal terms, so
//! comparing is comparing ids and a term graph is never cloned. Declarations are interned as well: a function
//! is its name, rank and role, which lets a task and a witness that were read separately speak of the same
//! constants.
//!
//! Bound variables are terms with a name and a sort. Everything that builds binders keeps one rule: inside the
//! body of a binder of `x`, nothing else is written `x`. The printer and substitution rely on it.

use crate::op::Op;
use crate::sort::{SortId, Sorts};
use base::hash::{IdTable, fold, hash_of};
use base::id::{Id, IdMap, IdVec};
use base::intern::{Interner, SymbolId};
use dashu_int::UBig;
use dashu_ratio::RBig;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

mod build;

base::define_id!(
    /// A term in a [`Terms`] store.
    pub struct TermId;
);
base::define_id!(
    /// A function, constant or variable.
    pub struct FunId;
);
base::define_id!(
    /// A literal.
    pub struct ConstId;
);

impl TermId {
    /// The term that stands for an erroneous one.
    pub const ERROR: TermId = TermId(0);
    /// `true`.
    pub const TRUE: TermId = TermId(1);
    /// `false`.
    pub const FALSE: TermId = TermId(2);
}

/// A literal. Negative numbers are applications of `-`, as in SMT-LIB.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Const {
    /// A numeral.
    Nat(UBig),
    /// A decimal: non-negative, its denominator has only the factors 2 and 5.
    Decimal(RBig),
    /// A bit-vector literal.
    Bits(u32, UBig),
    /// A string literal.
    Str(Box<str>),
    /// Two indices of an indexed operator that has both.
    Pair(u32, u32),
}

/// What kind of program variable a symbol is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VarKind {
    /// Declared by `declare-var`.
    Global,
    /// An input parameter.
    Input,
    /// An output parameter.
    Output,
    /// A local variable.
    Local,
}

/// What a function symbol is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// Declared without a definition.
    Free,
    /// Defined without recursion: formal parameters (bound variables) and body.
    Defined(Box<[TermId]>, TermId),
    /// Defined with recursion; [`Terms::recursive_definition`] has the body. The number tells functions of one
    /// name and rank with different bodies apart.
    Recursive(u32),
    /// A constructor: its position in the datatype that is the result's sort.
    Constructor(u32),
    /// A selector: constructor and field.
    Selector(u32, u32),
    /// A tester of the constructor at that position.
    Tester(u32),
    /// A program variable, of a procedure unless it is global.
    Variable(VarKind, Option<SymbolId>),
    /// The value that a program variable had at the last visit of a tag.
    At(FunId, SymbolId),
}

/// A declared function; a constant is one without parameters.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Fun {
    /// Its name.
    pub name: SymbolId,
    /// The parameters' sorts.
    pub params: Box<[SortId]>,
    /// The result's sort.
    pub result: SortId,
    /// What it is.
    pub role: Role,
}

/// A node of the term graph.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The operator.
    pub op: Op,
    /// The number of arguments, [`LONG`] if it lies before the arguments, and the flags [`VARS`], [`DEFINED`] and [`BINDER`].
    count: u16,
    /// What the operator needs besides its arguments: [`ConstId`], [`FunId`], [`SymbolId`] or an index.
    pub payload: u32,
    /// Where the arguments begin.
    args: u32,
    /// The sort.
    pub sort: SortId,
}

/// The flag of nodes that are or contain a bound variable or formal parameter, free or not.
const VARS: u16 = 1 << 15;
/// The flag of nodes that apply a function with a definition somewhere; recursive ones do not count.
const DEFINED: u16 = 1 << 14;
/// The flag of nodes that are or contain a quantifier or `lambda`.
const BINDER: u16 = 1 << 13;
/// The number of arguments that says: too many to be stored here.
const LONG: u16 = BINDER - 1;

/// The store of symbols, sorts, functions and terms.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Symbols.
    pub names: Interner,
    /// Sorts.
    pub sorts: Sorts,
    nodes: IdVec<TermId, Node>,
    args: Vec<TermId>,
    table: IdTable<TermId>,
    funs: IdVec<FunId, Fun>,
    fun_table: IdTable<FunId>,
    /// The terms of constants that were used. They are not in `table`: this way is shorter, and it is the one that
    /// reading takes most.
    constant_terms: IdMap<FunId, TermId>,
    consts: IdVec<ConstId, Const>,
    const_table: FxHashMap<Const, ConstId>,
    recursive: FxHashMap<FunId, (Box<[TermId]>, TermId)>,
    /// The last number that was put behind a name to make it new. All smaller ones are taken.
    numbers: FxHashMap<SymbolId, u32>,
}

impl Default for Terms {
    fn default() -> Self {
        let mut terms = Self {
            names: Interner::default(),
            sorts: Sorts::default(),
            nodes: IdVec::new(),
            args: Vec::new(),
            table: IdTable::default(),
            funs: IdVec::new(),
            fun_table: IdTable::default(),
            constant_terms: IdMap::new(TermId::ERROR),
            consts: IdVec::new(),
            const_table: FxHashMap::default(),
            recursive: FxHashMap::default(),
            numbers: FxHashMap::default(),
        };
        for word in crate::op::WORDS {
            terms.names.intern(word);
        }
        terms.raw(Op::Error, 0, SortId::ERROR, &[]);
        terms.raw(Op::True, 0, SortId::BOOL, &[]);
        terms.raw(Op::False, 0, SortId::BOOL, &[]);
        terms
    }
}

#[inline]
fn hash_node(op: Op, payload: u32, sort: SortId, args: &[TermId]) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(u64::from(op as u16) << 32 | u64::from(payload));
    hasher.write_u32(sort.index() as u32);
    for &arg in args {
        hasher.write_u32(arg.index() as u32);
    }
    fold(hasher.finish())
}

/// What is declared or defined one after the other lies side by side in the table, which is then mostly in the cache.
fn hash_fun(fun: &Fun) -> u32 {
    let name = fun.name.index() as u32;
    match &fun.role {
        Role::Free => name,
        Role::Defined(_, body) => name.wrapping_add(body.index() as u32),
        _ => hash_of(fun),
    }
}

#[inline]
fn args_of<'a>(pool: &'a [TermId], node: &Node) -> &'a [TermId] {
    let start = node.args as usize;
    match node.count & LONG {
        LONG => &pool[start + 1..start + 1 + pool[start].index()],
        count => &pool[start..start + count as usize],
    }
}

impl Terms {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes room for what so many more commands usually define.
    pub(crate) fn reserve(&mut self, commands: usize) {
        const NAME: usize = 12;
        self.names.reserve(commands, NAME);
        self.nodes.reserve(commands);
        self.args.reserve(2 * commands);
        self.table.reserve(commands);
        self.funs.reserve(commands);
        self.fun_table.reserve(commands);
    }

    /// The old id of an equal node, or a new one. The caller vouches for the sort; [`crate::check`] computes it.
    pub(crate) fn raw(&mut self, op: Op, payload: u32, sort: SortId, args: &[TermId]) -> TermId {
        if op == Op::App && args.is_empty() {
            return self.constant_term(FunId::from_index(payload as usize));
        }
        let hash = hash_node(op, payload, sort, args);
        let (nodes, pool) = (&self.nodes, &self.args);
        let found = self.table.find(hash, |id| {
            let node = &nodes[id];
            node.op == op && node.payload == payload && node.sort == sort && args_of(pool, node) == args
        });
        if let Some(id) = found {
            return id;
        }
        self.add(hash, op, payload, sort, args)
    }

    #[inline(never)]
    fn add(&mut self, hash: u32, op: Op, payload: u32, sort: SortId, args: &[TermId]) -> TermId {
        let id = self.push_node(op, payload, sort, args);
        self.table.insert(hash, id);
        id
    }

    /// The one place where nodes are made.
    fn push_node(&mut self, op: Op, payload: u32, sort: SortId, args: &[TermId]) -> TermId {
        let start = self.args.len() as u32;
        let mut count = args.len().min(LONG as usize) as u16;
        if count == LONG {
            self.args.push(TermId::from_index(args.len()));
        }
        count |= match op {
            Op::Var => VARS,
            Op::Forall | Op::Exists | Op::Lambda => BINDER,
            Op::App => match self.funs[FunId::from_index(payload as usize)].role {
                Role::Defined(..) => DEFINED,
                _ => 0,
            },
            _ => 0,
        };
        count |= args.iter().fold(0, |flags, &arg| flags | self.nodes[arg].count) & (VARS | DEFINED | BINDER);
        self.args.extend_from_slice(args);
        self.nodes.push(Node { op, count, payload, args: start, sort })
    }

    /// A term's node.
    #[must_use]
    #[inline]
    pub fn node(&self, term: TermId) -> &Node {
        &self.nodes[term]
    }

    /// A term's operator.
    #[must_use]
    #[inline]
    pub fn op(&self, term: TermId) -> Op {
        self.nodes[term].op
    }

    /// A term's sort.
    #[must_use]
    #[inline]
    pub fn sort(&self, term: TermId) -> SortId {
        self.nodes[term].sort
    }

    /// A term's arguments. A binder has its variables and then its body.
    #[must_use]
    #[inline]
    pub fn args(&self, term: TermId) -> &[TermId] {
        args_of(&self.args, &self.nodes[term])
    }

    /// True when a term is or contains a bound variable or formal parameter, free or not.
    #[must_use]
    #[inline]
    pub fn has_vars(&self, term: TermId) -> bool {
        self.nodes[term].count & VARS != 0
    }

    /// True when a term is or contains an application of a function with a definition that is not recursive.
    #[must_use]
    #[inline]
    pub(crate) fn has_definitions(&self, term: TermId) -> bool {
        self.nodes[term].count & DEFINED != 0
    }

    /// True when a term is or contains a quantifier or `lambda`.
    #[inline]
    #[must_use]
    pub fn has_binders(&self, term: TermId) -> bool {
        self.nodes[term].count & BINDER != 0
    }

    /// The number of terms.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// False: `true` and `false` are always there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The literal of a term, if it is one.
    #[must_use]
    #[inline]
    pub fn literal(&self, term: TermId) -> Option<&Const> {
        let node = &self.nodes[term];
        (node.op == Op::Const).then(|| &self.consts[ConstId::from_index(node.payload as usize)])
    }

    /// A literal by id.
    #[must_use]
    pub fn constant(&self, id: ConstId) -> &Const {
        &self.consts[id]
    }

    pub(crate) fn intern_const(&mut self, value: Const) -> ConstId {
        if let Some(&id) = self.const_table.get(&value) {
            return id;
        }
        let id = self.consts.push(value.clone());
        self.const_table.insert(value, id);
        id
    }

    /// The function that a term applies, if it is an application of a declared one.
    #[must_use]
    #[inline]
    pub fn applied(&self, term: TermId) -> Option<FunId> {
        let node = &self.nodes[term];
        (node.op == Op::App).then(|| FunId::from_index(node.payload as usize))
    }

    /// The name of a bound variable.
    #[must_use]
    #[inline]
    pub fn variable(&self, term: TermId) -> Option<SymbolId> {
        let node = &self.nodes[term];
        (node.op == Op::Var).then(|| SymbolId::from_index(node.payload as usize))
    }

    /// A function's declaration.
    #[must_use]
    #[inline]
    pub fn fun(&self, id: FunId) -> &Fun {
        &self.funs[id]
    }

    /// All functions, in order of declaration.
    pub fn funs(&self) -> impl Iterator<Item = FunId> + use<> {
        self.funs.ids()
    }

    /// The name of a function as text.
    #[must_use]
    #[inline]
    pub fn fun_name(&self, id: FunId) -> &str {
        self.names.text(self.funs[id].name)
    }

    /// The function with this name, rank and role.
    pub fn declare(&mut self, fun: Fun) -> FunId {
        let hash = hash_fun(&fun);
        if let Some(id) = self.fun_table.find(hash, |id| self.funs[id] == fun) {
            return id;
        }
        let id = self.funs.push(fun);
        self.fun_table.insert(hash, id);
        id
    }

    /// The term of a constant, if it was used before.
    #[inline]
    pub(crate) fn used_constant(&self, fun: FunId) -> Option<TermId> {
        Some(self.constant_terms[fun]).filter(|&term| term != TermId::ERROR)
    }

    /// The body of a function that is defined without parameters and without recursion.
    #[inline]
    pub(crate) fn abbreviated(&self, fun: FunId) -> Option<TermId> {
        match &self.funs[fun].role {
            Role::Defined(params, body) if params.is_empty() => Some(*body),
            _ => None,
        }
    }

    /// A declared constant or variable as a term.
    pub fn constant_term(&mut self, fun: FunId) -> TermId {
        if let Some(term) = self.used_constant(fun) {
            return term;
        }
        let sort = self.funs[fun].result;
        if sort == SortId::ERROR {
            // Declared with a sort that was reported; its uses are not reported again.
            return TermId::ERROR;
        }
        let term = self.push_node(Op::App, fun.index() as u32, sort, &[]);
        self.constant_terms.set(fun, term);
        term
    }

    /// Parameters and body of a defined function, recursive or not.
    #[must_use]
    pub fn definition(&self, fun: FunId) -> Option<(&[TermId], TermId)> {
        match &self.funs[fun].role {
            Role::Defined(params, body) => Some((params, *body)),
            Role::Recursive(_) => self.recursive_definition(fun),
            _ => None,
        }
    }

    /// Parameters and body of a recursive function.
    #[must_use]
    pub fn recursive_definition(&self, fun: FunId) -> Option<(&[TermId], TermId)> {
        self.recursive.get(&fun).map(|(params, body)| (&**params, *body))
    }

    /// True when some function has a recursive definition.
    #[must_use]
    pub fn has_recursive_definitions(&self) -> bool {
        !self.recursive.is_empty()
    }

    /// Gives a recursive function its body.
    pub fn define_recursive(&mut self, fun: FunId, params: Box<[TermId]>, body: TermId) {
        self.recursive.insert(fun, (params, body));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_small() {
        assert_eq!(size_of::<Node>(), 16);
        assert_eq!(size_of::<Option<TermId>>(), 8);
    }

    #[test]
    fn many_arguments() {
        let mut terms = Terms::new();
        let args = vec![TermId::TRUE; 100_000];
        let t = terms.raw(Op::And, 0, SortId::BOOL, &args);
        assert_eq!(terms.args(t).len(), 100_000);
        assert_eq!(terms.raw(Op::And, 0, SortId::BOOL, &args), t);
    }
}
