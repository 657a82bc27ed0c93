//! What names mean at a point of a script. Inner meanings hide outer ones and are undone by a log.

use crate::op::{ALIASES, OPS, Op, Theory};
use crate::sort::{Sort, SortDeclId, SortId};
use crate::term::{FunId, TermId, Terms};
use base::id::IdMap;
use base::intern::SymbolId;
use diag::Span;
use rustc_hash::FxHashMap;

/// What a function symbol means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binding {
    /// Nothing.
    None,
    /// An operator of a theory.
    Op(Op),
    /// A declared function.
    Fun(FunId),
    /// A term bound by `let` or `match`, and how many names were hidden by binders where it was bound.
    Local(TermId, u32),
    /// A variable bound by a quantifier, `lambda` or as a formal parameter.
    Bound(TermId),
    /// A constructor or selector of a parametric datatype.
    Generic(Generic),
}

impl Binding {
    /// What the name of a constructor (field 0) or selector (field n) of a datatype means; none when there are too many.
    pub(crate) fn part(terms: &mut Terms, decl: SortDeclId, c: usize, f: usize) -> Option<Binding> {
        if terms.sorts.decl(decl).arity > 0 {
            let (constructor, field) = (u16::try_from(c).ok()?, u16::try_from(f).ok()?);
            return Some(Binding::Generic(Generic { datatype: decl, constructor, field }));
        }
        let sort = terms.sorts.mk(Sort::Declared(decl, Box::new([])));
        Some(Binding::Fun(match f {
            0 => terms.constructor(sort, c as u32)?,
            _ => terms.selector(sort, c as u32, f as u32 - 1)?,
        }))
    }
}

/// A constructor or selector whose sort arguments are found from its use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Generic {
    /// The datatype.
    pub datatype: SortDeclId,
    /// The constructor's position.
    pub constructor: u16,
    /// The field's position plus one for a selector, 0 for the constructor itself.
    pub field: u16,
}

/// What a sort symbol means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SortBinding {
    /// A sort without arguments.
    Sort(SortId),
    /// `Array`.
    Array,
    /// `->`.
    Map,
    /// `Seq`.
    Seq,
    /// A declared sort constructor.
    Decl(SortDeclId),
    /// A defined one: parameters and body.
    Alias(Vec<SymbolId>, SortId),
}

/// How `(at x tag)` and `(old t)` are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Relational {
    /// The tag that `old` refers to, if there is one.
    pub old_tag: Option<SymbolId>,
}

/// The names in scope.
#[derive(Clone, Debug)]
pub struct Scope {
    funs: IdMap<SymbolId, Binding>,
    sorts: FxHashMap<SymbolId, SortBinding>,
    /// Where user symbols were declared, for notes and for order.
    declared: IdMap<SymbolId, Span>,
    log: Vec<(SymbolId, Binding, Span)>,
    /// What was given a meaning inside a term that outlives the term. Not in the log until the command is over.
    persistent: Vec<(SymbolId, Binding, Span)>,
    sort_log: Vec<(SymbolId, Option<SortBinding>)>,
    /// Set while terms of properties are read.
    pub relational: Option<Relational>,
    /// Set for VMT-LIB: `:next` declares the symbol it names when nobody else did, and a definition without parameters is
    /// another name for its body.
    pub(crate) next_declares: bool,
    /// The symbols that `:next` has declared, with the places where it did.
    implied: FxHashMap<SymbolId, Span>,
    /// Set for Horn clauses: they may be rules and queries.
    pub(crate) rules: bool,
}

/// A point to which a scope can be taken back.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    funs: u32,
    sorts: u32,
}

impl Scope {
    /// The scope at the beginning of a script: operators and sorts of all theories.
    #[must_use]
    pub fn new(terms: &mut Terms) -> Self {
        let mut scope = Self {
            funs: IdMap::new(Binding::None),
            sorts: FxHashMap::default(),
            declared: IdMap::new(Span::default()),
            log: Vec::new(),
            persistent: Vec::new(),
            sort_log: Vec::new(),
            relational: None,
            next_declares: false,
            implied: FxHashMap::default(),
            rules: false,
        };
        scope.bind_ops(terms, |theory| !matches!(theory, Theory::Kernel | Theory::Ltl));
        let named = [
            ("Bool", SortBinding::Sort(SortId::BOOL)),
            ("Int", SortBinding::Sort(SortId::INT)),
            ("Real", SortBinding::Sort(SortId::REAL)),
            ("RoundingMode", SortBinding::Sort(SortId::ROUNDING_MODE)),
            ("String", SortBinding::Sort(SortId::STRING)),
            ("RegLan", SortBinding::Sort(SortId::REG_LAN)),
            ("Array", SortBinding::Array),
            ("->", SortBinding::Map),
            ("Seq", SortBinding::Seq),
        ];
        for (name, binding) in named {
            scope.sorts.insert(terms.names.intern(name), binding);
        }
        for (name, eb, sb) in
            [("Float16", 5, 11), ("Float32", 8, 24), ("Float64", 11, 53), ("Float128", 15, 113)]
        {
            let sort = terms.sorts.mk(crate::sort::Sort::Float(eb, sb));
            scope.sorts.insert(terms.names.intern(name), SortBinding::Sort(sort));
        }
        scope
    }

    /// A scope for what is said about an earlier script: the sorts that it declared, and the functions of its datatypes.
    #[must_use]
    pub fn after(terms: &mut Terms) -> Self {
        let mut scope = Self::new(terms);
        let decls: Vec<SortDeclId> = terms.sorts.decls().collect();
        for decl in decls {
            let (name, datatype) = (terms.sorts.decl(decl).name, terms.sorts.decl(decl).datatype.clone());
            scope.bind_sort(name, SortBinding::Decl(decl));
            for (c, constructor) in
                datatype.iter().flat_map(|datatype| datatype.constructors.iter().enumerate())
            {
                let fields = constructor.fields.iter().map(|&(name, _)| name);
                for (f, name) in std::iter::once(constructor.name).chain(fields).enumerate() {
                    if let Some(binding) = Binding::part(terms, decl, c, f) {
                        scope.bind_inner(name, binding);
                    }
                }
            }
        }
        scope
    }

    /// The scope at the beginning of a VMT-LIB script: temporal operators, and `:next` may declare.
    #[must_use]
    pub fn vmt(terms: &mut Terms) -> Self {
        let mut scope = Self::new(terms);
        scope.bind_ops(terms, |theory| theory == Theory::Ltl);
        scope.next_declares = true;
        scope
    }

    /// The scope at the beginning of Horn clauses, which may be rules and queries.
    #[must_use]
    pub fn horn(terms: &mut Terms) -> Self {
        Self { rules: true, ..Self::new(terms) }
    }

    /// Forgets all declarations.
    pub(crate) fn reset(&mut self, terms: &mut Terms) {
        let rules = self.rules;
        *self = if self.next_declares { Self::vmt(terms) } else { Self::new(terms) };
        self.rules = rules;
    }

    fn bind_ops(&mut self, terms: &mut Terms, wanted: impl Fn(Theory) -> bool) {
        // Operators of one name stand in the table in the order in which the parser wants to meet them.
        for info in OPS.iter().rev().filter(|info| wanted(info.theory)) {
            self.funs.set(terms.names.intern(info.name), Binding::Op(info.op));
        }
        for &(name, op) in ALIASES.iter().filter(|(_, op)| wanted(op.info().theory)) {
            self.funs.set(terms.names.intern(name), Binding::Op(op));
        }
    }

    /// What a function symbol means here.
    #[must_use]
    #[inline]
    pub fn get(&self, name: SymbolId) -> Binding {
        self.funs[name]
    }

    /// What a sort symbol means here.
    #[must_use]
    pub fn sort(&self, name: SymbolId) -> Option<&SortBinding> {
        self.sorts.get(&name)
    }

    /// The sort that a symbol means without arguments.
    #[must_use]
    pub(crate) fn plain_sort(&self, name: SymbolId) -> Option<SortId> {
        match self.sorts.get(&name) {
            Some(SortBinding::Sort(sort)) => Some(*sort),
            _ => None,
        }
    }

    /// Gives a function symbol a meaning.
    #[inline]
    pub fn bind(&mut self, name: SymbolId, binding: Binding, at: Span) {
        let old = self.funs.set(name, binding);
        let span = self.declared.set(name, at);
        self.log.push((name, old, span));
    }

    /// Gives a symbol a meaning inside a term; where does not matter.
    pub fn bind_inner(&mut self, name: SymbolId, binding: Binding) {
        let old = self.funs.set(name, binding);
        self.log.push((name, old, self.declared[name]));
    }

    /// Gives a symbol a meaning that stays when the term that gives it is over.
    pub fn bind_persistent(&mut self, name: SymbolId, fun: FunId, at: Span) {
        let old = self.funs.set(name, Binding::Fun(fun));
        let span = self.declared.set(name, at);
        self.persistent.push((name, old, span));
    }

    /// The same for what an annotation declares before anybody else does.
    pub(crate) fn bind_implied(&mut self, name: SymbolId, fun: FunId, at: Span) {
        self.bind_persistent(name, fun, at);
        self.implied.insert(name, at);
    }

    /// The function that a symbol means only because an annotation says so.
    pub(crate) fn implied(&self, name: SymbolId) -> Option<FunId> {
        let at = self.implied.get(&name)?;
        match self.get(name) {
            // A declaration has a place of its own.
            Binding::Fun(fun) if self.declared[name] == *at => Some(fun),
            _ => None,
        }
    }

    /// Takes back the last persistent meaning of a symbol.
    pub(crate) fn unbind(&mut self, name: SymbolId) {
        if let Some(at) = self.persistent.iter().rposition(|entry| entry.0 == name) {
            let (name, binding, span) = self.persistent.remove(at);
            self.funs.set(name, binding);
            self.declared.set(name, span);
        }
    }

    /// Makes persistent meanings part of the log, between two commands.
    pub(crate) fn settle(&mut self) {
        self.log.append(&mut self.persistent);
    }

    /// Gives a sort symbol a meaning.
    pub fn bind_sort(&mut self, name: SymbolId, binding: SortBinding) {
        let old = self.sorts.insert(name, binding);
        self.sort_log.push((name, old));
    }

    /// Where a symbol was declared by the script, if it was.
    #[must_use]
    pub fn declared_at(&self, name: SymbolId) -> Option<Span> {
        Some(self.declared[name]).filter(|span| *span != Span::default())
    }

    /// The current point.
    #[must_use]
    pub fn mark(&self) -> Mark {
        Mark { funs: self.log.len() as u32, sorts: self.sort_log.len() as u32 }
    }

    /// Undoes everything since a point.
    pub fn restore(&mut self, mark: Mark) {
        while self.log.len() > mark.funs as usize {
            if let Some((name, binding, span)) = self.log.pop() {
                self.funs.set(name, binding);
                self.declared.set(name, span);
            }
        }
        while self.sort_log.len() > mark.sorts as usize {
            match self.sort_log.pop() {
                Some((name, Some(binding))) => {
                    self.sorts.insert(name, binding);
                }
                Some((name, None)) => {
                    self.sorts.remove(&name);
                }
                None => break,
            }
        }
    }

    /// Forgets how to undo what was declared so far, which a script without `pop` never needs.
    pub fn commit(&mut self) {
        self.log.clear();
        self.persistent.clear();
        self.sort_log.clear();
    }

    /// Names in scope that look like `wanted`.
    #[must_use]
    pub fn similar<'a>(&self, terms: &'a Terms, wanted: &str) -> Option<&'a str> {
        const MANY: usize = 50_000;
        if terms.names.len() > MANY {
            return None;
        }
        let known = terms.names.ids().filter(|&id| self.funs[id] != Binding::None);
        diag::closest(wanted, known.map(|id| terms.names.text(id)))
    }

    /// Sort names in scope that look like `wanted`.
    #[must_use]
    pub fn similar_sort<'a>(&self, terms: &'a Terms, wanted: &str) -> Option<&'a str> {
        let known = terms.names.ids().filter(|id| self.sorts.contains_key(id));
        diag::closest(wanted, known.map(|id| terms.names.text(id)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bindings_are_small() {
        assert_eq!(size_of::<Binding>(), 12);
    }
}
