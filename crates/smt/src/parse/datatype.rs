//! `declare-datatype(s)`: constructors, selectors, sort parameters, and the rule that every sort has a value.

use super::{Command, Parser};
use crate::scope::{Binding, SortBinding};
use crate::sexpr::NodeIdx;
use crate::sort::{Constructor, Datatype, Sort, SortDeclId, SortId};
use base::intern::SymbolId;
use diag::codes;
use rustc_hash::FxHashSet;

/// One datatype of a group, before its constructors are read.
struct Header {
    name: SymbolId,
    place: NodeIdx,
    arity: u32,
    body: NodeIdx,
}

impl Parser<'_> {
    /// `(declare-datatype name body)`.
    pub(super) fn declare_datatype(&mut self, node: NodeIdx) -> Option<Command> {
        let [place, body] = self.exactly(node, "(declare-datatype name (constructors))")?;
        let name = self.symbol(place, "a name")?;
        let arity = self.par(body).map_or(0, |(params, _)| self.tree.children(params).count() as u32);
        self.datatypes(vec![Header { name, place, arity, body }])
    }

    /// `(declare-datatypes ((name arity) …) (body …))`, and the form of older files `(declare-datatypes (T …)
    /// ((name constructor …) …))`.
    pub(super) fn declare_datatypes(&mut self, node: NodeIdx) -> Option<Command> {
        let shape = "(declare-datatypes ((name arity) …) ((constructors) …))";
        let [names, bodies] = self.exactly(node, shape)?;
        self.datatype_group(node, names, bodies)
    }

    /// The two lists of `declare-datatypes`.
    pub(super) fn datatype_group(
        &mut self,
        node: NodeIdx,
        names: NodeIdx,
        bodies: NodeIdx,
    ) -> Option<Command> {
        let sorts: Vec<NodeIdx> = self.tree.children(names).collect();
        if sorts.iter().all(|&s| self.tree.is_symbol(s)) {
            return self.old_datatypes(names, bodies);
        }
        let bodies: Vec<NodeIdx> = self.tree.children(bodies).collect();
        if sorts.len() != bodies.len() {
            let message =
                format!("there are {} names of datatypes and {} descriptions", sorts.len(), bodies.len());
            self.error(codes::SMT010, node, message);
            return None;
        }
        let mut headers = Vec::new();
        for (sort, body) in sorts.into_iter().zip(bodies) {
            let parts: Vec<NodeIdx> = self.tree.children(sort).collect();
            let [place, arity] = parts[..] else {
                self.expected("(name arity)", sort);
                return None;
            };
            let name = self.symbol(place, "a name")?;
            let arity = self.small_numeral(arity)?;
            headers.push(Header { name, place, arity, body });
        }
        self.datatypes(headers)
    }

    /// Old form without parameters: each body begins with the datatype's name.
    fn old_datatypes(&mut self, names: NodeIdx, bodies: NodeIdx) -> Option<Command> {
        if self.tree.head(names).is_some() {
            self.error(
                codes::SMT022,
                names,
                "datatype parameters in the form before SMT-LIB 2.6 are not supported",
            );
            return None;
        }
        let mut headers = Vec::new();
        for body in self.tree.children(bodies) {
            let Some(place) = self.tree.head(body) else {
                self.expected("(name constructor …)", body);
                return None;
            };
            let name = self.symbol(place, "a name")?;
            headers.push(Header { name, place, arity: 0, body });
        }
        self.datatypes(headers)
    }

    /// `(par (T …) constructors)` in its two parts.
    fn par(&self, body: NodeIdx) -> Option<(NodeIdx, NodeIdx)> {
        let parts: Vec<NodeIdx> = self.tree.children(body).collect();
        match parts[..] {
            [word, params, constructors] if self.text.symbol(self.tree, word) == Some("par") => {
                self.tree.is_list(params).then_some((params, constructors))
            }
            _ => None,
        }
    }

    /// Reads a group. Datatypes are interned by structure: equal declarations give equal sorts, so versions are
    /// tried until one is new or the same.
    fn datatypes(&mut self, headers: Vec<Header>) -> Option<Command> {
        for (i, header) in headers.iter().enumerate() {
            if headers[..i].iter().any(|earlier| earlier.name == header.name) {
                let what = self.describe(header.place);
                self.error(codes::SMT016, header.place, format!("the sort {what} is declared already"));
                return None;
            }
            if self.is_taken_sort(header.place, header.name) {
                return None;
            }
        }
        for version in 0.. {
            let mark = self.scope.mark();
            let decls: Vec<SortDeclId> =
                headers.iter().map(|h| self.terms.sorts.declare_datatype(h.name, h.arity, version)).collect();
            for (header, &decl) in headers.iter().zip(&decls) {
                self.scope.bind_sort(header.name, SortBinding::Decl(decl));
            }
            let mut bodies = Vec::new();
            for header in &headers {
                let inner = self.scope.mark();
                let body = self.datatype_body(header);
                self.scope.restore(inner);
                bodies.push(body?);
            }
            let fits = |(&decl, body): (&SortDeclId, &Datatype)| {
                self.terms.sorts.decl(decl).datatype.as_ref().is_none_or(|old| old == body)
            };
            if !decls.iter().zip(&bodies).all(fits) {
                self.scope.restore(mark);
                continue;
            }
            for (&decl, body) in decls.iter().zip(bodies) {
                self.terms.sorts.define_datatype(decl, body);
            }
            return self.finish_datatypes(&headers, decls);
        }
        None
    }

    fn datatype_body(&mut self, header: &Header) -> Option<Datatype> {
        let params = match self.par(header.body) {
            Some((params, _)) => self.tree.children(params).collect(),
            None => Vec::new(),
        };
        let mut names = Vec::new();
        for param in params {
            let name = self.symbol(param, "a sort parameter")?;
            let sort = self.terms.sorts.mk(Sort::Param(name));
            self.scope.bind_sort(name, SortBinding::Sort(sort));
            names.push(name);
        }
        if names.len() != header.arity as usize {
            let message = format!("the arity is {}, but there are {} parameters", header.arity, names.len());
            self.error(codes::SMT014, header.body, message);
            return None;
        }
        let mut constructors = Vec::new();
        for item in self.constructor_list(header) {
            constructors.push(self.constructor(item)?);
        }
        if constructors.is_empty() {
            self.error(codes::SMT010, header.body, "a datatype needs at least one constructor");
            return None;
        }
        Some(Datatype { params: names, constructors })
    }

    /// The nodes of a datatype's constructors; in the old form its name stands before them.
    fn constructor_list(&self, header: &Header) -> Vec<NodeIdx> {
        let list = self.par(header.body).map_or(header.body, |(_, list)| list);
        let old_form = self.tree.head(list) == Some(header.place);
        self.tree.children(list).skip(usize::from(old_form)).collect()
    }

    fn constructor(&mut self, node: NodeIdx) -> Option<Constructor> {
        if self.tree.is_symbol(node) {
            return Some(Constructor { name: self.symbol(node, "a constructor")?, fields: Vec::new() });
        }
        let Some(head) = self.tree.head(node) else {
            self.expected("(constructor (selector sort) …)", node);
            return None;
        };
        let name = self.symbol(head, "a constructor")?;
        let mut fields = Vec::new();
        for field in self.tree.children(node).skip(1) {
            let parts: Vec<NodeIdx> = self.tree.children(field).collect();
            let [selector, sort] = parts[..] else {
                self.expected("(selector sort)", field);
                return None;
            };
            let selector = self.symbol(selector, "a selector")?;
            let sort = self.sort(sort);
            if sort == SortId::ERROR {
                return None;
            }
            fields.push((selector, sort));
        }
        Some(Constructor { name, fields })
    }

    fn finish_datatypes(&mut self, headers: &[Header], decls: Vec<SortDeclId>) -> Option<Command> {
        let empty = self.without_value(&decls);
        for (header, decl) in headers.iter().zip(&decls) {
            if empty.contains(decl) {
                let name = self.describe(header.place);
                let message =
                    format!("{name} has no value: each constructor needs another value of it first");
                self.error(codes::SMT021, header.place, message);
            }
        }
        if !empty.is_empty() {
            return None;
        }
        let mut good = true;
        for (header, &decl) in headers.iter().zip(&decls) {
            for (c, item) in self.constructor_list(header).into_iter().enumerate() {
                let fields = self.tree.children(item).skip(1).filter_map(|field| self.tree.head(field));
                let places: Vec<NodeIdx> =
                    std::iter::once(self.tree.head(item).unwrap_or(item)).chain(fields).collect();
                for (f, place) in places.into_iter().enumerate() {
                    good &= self.bind_part(decl, (c, f), place).is_some();
                }
            }
        }
        good.then_some(Command::DeclareDatatypes(decls))
    }

    /// Binds a constructor (field 0) or selector (field n) of a datatype.
    fn bind_part(&mut self, decl: SortDeclId, (c, f): (usize, usize), place: NodeIdx) -> Option<()> {
        let name = self.symbol(place, "a name")?;
        if self.is_taken(place, name) {
            return None;
        }
        let Some(binding) = Binding::part(self.terms, decl, c, f) else {
            self.error(
                codes::SMT022,
                place,
                "a parametric datatype has at most 65535 constructors and fields",
            );
            return None;
        };
        self.scope.bind(name, binding, self.tree.span(place));
        Some(())
    }

    /// The datatypes of a group that have no finite value.
    fn without_value(&self, decls: &[SortDeclId]) -> FxHashSet<SortDeclId> {
        let mut open: FxHashSet<SortDeclId> = decls.iter().copied().collect();
        loop {
            let before = open.len();
            for &decl in decls {
                let Some(datatype) = &self.terms.sorts.decl(decl).datatype else { continue };
                let has_value = datatype.constructors.iter().any(|c| {
                    c.fields.iter().all(|&(_, sort)| {
                        !matches!(self.terms.sorts.get(sort), Sort::Declared(d, _) if open.contains(d))
                    })
                });
                if has_value {
                    open.remove(&decl);
                }
            }
            if open.len() == before {
                return open;
            }
        }
    }

    /// Reports a sort name that is declared already; true if it is.
    pub(super) fn is_taken_sort(&mut self, node: NodeIdx, name: SymbolId) -> bool {
        let taken = self.scope.sort(name).is_some();
        if taken {
            let what = self.describe(node);
            self.error(codes::SMT016, node, format!("the sort {what} is declared already"));
        }
        taken
    }
}
