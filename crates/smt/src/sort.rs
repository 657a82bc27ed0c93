//! Sorts, hash-consed: equal ids mean equal sorts.

use base::id::IdVec;
use base::intern::SymbolId;
use rustc_hash::{FxHashMap, FxHashSet};

base::define_id!(
    /// A sort in a [`Sorts`] table.
    pub struct SortId;
);

base::define_id!(
    /// A declared sort constructor: uninterpreted or a datatype.
    pub struct SortDeclId;
);

/// A sort.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    /// What a term with an error has, so that one mistake is reported once.
    Error,
    /// `Bool`.
    Bool,
    /// `Int`.
    Int,
    /// `Real`.
    Real,
    /// `RoundingMode`.
    RoundingMode,
    /// `String`.
    String,
    /// `RegLan`.
    RegLan,
    /// `(_ BitVec w)`.
    BitVec(u32),
    /// `(_ FloatingPoint eb sb)`.
    Float(u32, u32),
    /// `(Seq s)`.
    Seq(SortId),
    /// `(Array i e)`.
    Array(SortId, SortId),
    /// `(-> a b)`, the sort of maps since SMT-LIB 2.7.
    Map(SortId, SortId),
    /// A declared sort with its arguments.
    Declared(SortDeclId, Box<[SortId]>),
    /// A sort parameter inside a parametric declaration.
    Param(SymbolId),
}

/// A declared sort constructor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SortDecl {
    /// Its name.
    pub name: SymbolId,
    /// The number of its arguments.
    pub arity: u32,
    /// Distinguishes datatypes of one name and arity with different constructors.
    pub version: u32,
    /// Its constructors, when it is a datatype.
    pub datatype: Option<Datatype>,
}

/// The body of a datatype declaration. Sorts in it mention the parameters as [`Sort::Param`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Datatype {
    /// The names of the sort parameters.
    pub params: Vec<SymbolId>,
    /// The constructors in order.
    pub constructors: Vec<Constructor>,
}

/// A constructor of a datatype.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constructor {
    /// Its name.
    pub name: SymbolId,
    /// Selector names and field sorts.
    pub fields: Vec<(SymbolId, SortId)>,
}

/// The table of sorts and sort declarations.
#[derive(Clone, Debug)]
pub struct Sorts {
    sorts: IdVec<SortId, Sort>,
    table: FxHashMap<Sort, SortId>,
    decls: IdVec<SortDeclId, SortDecl>,
    decl_table: FxHashMap<(SymbolId, u32, bool, u32), SortDeclId>,
    /// The sorts of short bit-vectors by width, [`SortId::ERROR`] where there is none yet: they are asked for all the time.
    vectors: Vec<SortId>,
}

/// Bit-vectors up to this width are short.
const SHORT: u32 = 128;

impl Default for Sorts {
    fn default() -> Self {
        let mut sorts = Self {
            sorts: IdVec::new(),
            table: FxHashMap::default(),
            decls: IdVec::new(),
            decl_table: FxHashMap::default(),
            vectors: Vec::new(),
        };
        for sort in
            [Sort::Error, Sort::Bool, Sort::Int, Sort::Real, Sort::RoundingMode, Sort::String, Sort::RegLan]
        {
            sorts.mk(sort);
        }
        sorts
    }
}

impl SortId {
    /// The sort of terms with an error.
    pub const ERROR: SortId = SortId(0);
    /// `Bool`.
    pub const BOOL: SortId = SortId(1);
    /// `Int`.
    pub const INT: SortId = SortId(2);
    /// `Real`.
    pub const REAL: SortId = SortId(3);
    /// `RoundingMode`.
    pub const ROUNDING_MODE: SortId = SortId(4);
    /// `String`.
    pub const STRING: SortId = SortId(5);
    /// `RegLan`.
    pub const REG_LAN: SortId = SortId(6);
}

impl Sorts {
    /// The id of a sort.
    pub fn mk(&mut self, sort: Sort) -> SortId {
        if let Some(&id) = self.table.get(&sort) {
            return id;
        }
        let id = self.sorts.push(sort.clone());
        self.table.insert(sort, id);
        id
    }

    /// The sort behind an id.
    #[must_use]
    #[inline]
    pub fn get(&self, id: SortId) -> &Sort {
        &self.sorts[id]
    }

    /// The number of sorts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sorts.len()
    }

    /// False: `Bool` and others are always there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sorts.is_empty()
    }

    /// `(_ BitVec width)`.
    pub fn bit_vec(&mut self, width: u32) -> SortId {
        if width > SHORT {
            return self.mk(Sort::BitVec(width));
        }
        if self.vectors.len() <= width as usize {
            self.vectors.resize(width as usize + 1, SortId::ERROR);
        }
        if self.vectors[width as usize] == SortId::ERROR {
            self.vectors[width as usize] = self.mk(Sort::BitVec(width));
        }
        self.vectors[width as usize]
    }

    /// `(Array index element)`.
    pub fn array(&mut self, index: SortId, element: SortId) -> SortId {
        self.mk(Sort::Array(index, element))
    }

    /// The width of a bit-vector sort.
    #[must_use]
    #[inline]
    pub fn width(&self, id: SortId) -> Option<u32> {
        match self.get(id) {
            Sort::BitVec(width) => Some(*width),
            _ => None,
        }
    }

    /// True for `Int` and `Real`.
    #[must_use]
    pub fn is_arith(&self, id: SortId) -> bool {
        matches!(id, SortId::INT | SortId::REAL)
    }

    /// The declaration of an uninterpreted sort, made when it is new.
    pub fn declare(&mut self, name: SymbolId, arity: u32) -> SortDeclId {
        self.declare_version(name, arity, false, 0)
    }

    /// The declaration of version `version` of a datatype, without its constructors when it is new.
    pub fn declare_datatype(&mut self, name: SymbolId, arity: u32, version: u32) -> SortDeclId {
        self.declare_version(name, arity, true, version)
    }

    fn declare_version(&mut self, name: SymbolId, arity: u32, datatype: bool, version: u32) -> SortDeclId {
        let decls = &mut self.decls;
        *self
            .decl_table
            .entry((name, arity, datatype, version))
            .or_insert_with(|| decls.push(SortDecl { name, arity, version, datatype: None }))
    }

    /// All declarations, in their order.
    pub fn decls(&self) -> impl Iterator<Item = SortDeclId> + use<'_> {
        self.decls.ids()
    }

    /// A sort declaration.
    #[must_use]
    pub fn decl(&self, id: SortDeclId) -> &SortDecl {
        &self.decls[id]
    }

    /// Gives a datatype its constructors.
    pub fn define_datatype(&mut self, id: SortDeclId, datatype: Datatype) {
        self.decls[id].datatype = Some(datatype);
    }

    /// True for a declared sort that is no datatype.
    #[must_use]
    pub fn is_uninterpreted(&self, id: SortId) -> bool {
        matches!(self.get(id), Sort::Declared(decl, _) if self.decls[*decl].datatype.is_none())
    }

    /// The datatype behind a sort, with the arguments of the sort.
    #[must_use]
    pub fn datatype(&self, id: SortId) -> Option<(&Datatype, &[SortId])> {
        match self.get(id) {
            Sort::Declared(decl, args) => self.decls[*decl].datatype.as_ref().map(|d| (d, &**args)),
            _ => None,
        }
    }

    /// `sort` with sort parameters replaced.
    pub fn instantiate(&mut self, sort: SortId, params: &[SymbolId], args: &[SortId]) -> SortId {
        if params.is_empty() {
            return sort;
        }
        // Sorts are as deep as somebody typed them into one declaration; the stack is explicit all the same.
        let mut todo = vec![(sort, false)];
        let mut done: FxHashMap<SortId, SortId> = FxHashMap::default();
        while let Some((id, ready)) = todo.pop() {
            if done.contains_key(&id) {
                continue;
            }
            let sort = self.get(id).clone();
            let children = children(&sort);
            if !ready && !children.is_empty() {
                todo.push((id, true));
                todo.extend(children.into_iter().map(|c| (c, false)));
                continue;
            }
            let new = match sort {
                Sort::Param(name) => params.iter().position(|&p| p == name).map_or(id, |i| args[i]),
                Sort::Seq(s) => self.mk(Sort::Seq(done[&s])),
                Sort::Array(i, e) => self.mk(Sort::Array(done[&i], done[&e])),
                Sort::Map(a, b) => self.mk(Sort::Map(done[&a], done[&b])),
                Sort::Declared(decl, parts) => {
                    let parts = parts.iter().map(|p| done[p]).collect();
                    self.mk(Sort::Declared(decl, parts))
                }
                _ => id,
            };
            done.insert(id, new);
        }
        done[&sort]
    }

    /// Finds what the parameters in `pattern` must be for it to equal `sort`; false when they cannot be.
    pub fn unify(&self, pattern: SortId, sort: SortId, found: &mut FxHashMap<SymbolId, SortId>) -> bool {
        let mut todo = vec![(pattern, sort)];
        // Sorts share parts, so a pair can be met very often.
        let mut seen = FxHashSet::default();
        while let Some((pattern, sort)) = todo.pop() {
            if !seen.insert((pattern, sort)) {
                continue;
            }
            match (self.get(pattern), self.get(sort)) {
                (Sort::Param(name), _) => {
                    if *found.entry(*name).or_insert(sort) != sort {
                        return false;
                    }
                }
                (Sort::Seq(a), Sort::Seq(b)) => todo.push((*a, *b)),
                (Sort::Array(a, b), Sort::Array(c, d)) | (Sort::Map(a, b), Sort::Map(c, d)) => {
                    todo.extend([(*a, *c), (*b, *d)]);
                }
                (Sort::Declared(a, xs), Sort::Declared(b, ys)) if a == b => {
                    todo.extend(xs.iter().copied().zip(ys.iter().copied()));
                }
                _ if pattern == sort => {}
                _ => return false,
            }
        }
        true
    }
}

/// The sorts directly inside a sort.
#[must_use]
pub fn children(sort: &Sort) -> Vec<SortId> {
    match sort {
        Sort::Seq(s) => vec![*s],
        Sort::Array(a, b) | Sort::Map(a, b) => vec![*a, *b],
        Sort::Declared(_, args) => args.to_vec(),
        _ => Vec::new(),
    }
}
