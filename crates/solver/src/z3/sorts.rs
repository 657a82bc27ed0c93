//! Sorts for the library. Parametric datatypes become one datatype of the library for each instance; they are
//! found by following the fields, without recursion. Those that need each other are defined together, and after those that
//! they need: an array in a field must not be indexed by a datatype of the same group.

use base::graph::components;
use rustc_hash::FxHashMap;
use smt::print;
use smt::sort::{self, SortDeclId, SortId, Sorts};
use smt::term::Terms;

use super::ffi::{Built, Constructors, Context, Decl, Definition, Sort};
use crate::error::SolverError;

/// A datatype with arguments that grow in its own fields has infinitely many instances.
const MAX_GROUP: usize = 1_000;

/// The sorts of one context.
#[derive(Default)]
pub(super) struct SortTable {
    closed: FxHashMap<SortId, Sort>,
    declared: FxHashMap<(SortDeclId, Vec<Sort>), Sort>,
    datatypes: FxHashMap<Sort, Constructors>,
    /// Where a constructor of the library belongs.
    positions: FxHashMap<Decl, u32>,
    /// Instances that are announced and not defined.
    group: Vec<(SortDeclId, Vec<Sort>, String)>,
    /// The declared sorts that were met since somebody looked.
    met: Vec<Sort>,
    /// What the current request entered.
    new_closed: Vec<SortId>,
    new_declared: Vec<(SortDeclId, Vec<Sort>)>,
    count: u32,
}

impl SortTable {
    /// The library's sort.
    pub(super) fn get(&mut self, context: &mut Context, terms: &Terms, sort: SortId) -> Built<Sort> {
        if let Some(&done) = self.closed.get(&sort) {
            return Ok(done);
        }
        let result = self.build(context, terms, sort, None);
        let result = result.and_then(|result| self.define_group(context, terms).map(|()| result));
        let (closed, declared) =
            (std::mem::take(&mut self.new_closed), std::mem::take(&mut self.new_declared));
        if result.is_err() {
            // Announced sorts that stay undefined must not be found again.
            self.group.clear();
            for id in closed {
                self.closed.remove(&id);
            }
            for key in declared {
                self.declared.remove(&key);
            }
        }
        result
    }

    /// The functions of a datatype.
    pub(super) fn constructors(&self, sort: Sort) -> Option<&Constructors> {
        self.datatypes.get(&sort)
    }

    /// The sorts that were asked for, by what the library calls them.
    pub(super) fn known(&self) -> FxHashMap<Sort, SortId> {
        let mut known: FxHashMap<Sort, SortId> = FxHashMap::default();
        for (&id, &sort) in &self.closed {
            known.entry(sort).and_modify(|old| *old = id.min(*old)).or_insert(id);
        }
        known
    }

    /// The position of a constructor in its datatype.
    pub(super) fn position(&self, constructor: Decl) -> Option<u32> {
        self.positions.get(&constructor).copied()
    }

    /// Builds a sort; parameters are those of a datatype instance. New datatypes are only announced.
    fn build(
        &mut self,
        context: &mut Context,
        terms: &Terms,
        root: SortId,
        instance: Option<(SortDeclId, &[Sort])>,
    ) -> Built<Sort> {
        let mut done: FxHashMap<SortId, Sort> = FxHashMap::default();
        let mut todo = vec![root];
        while let Some(&id) = todo.last() {
            if done.contains_key(&id) {
                todo.pop();
                continue;
            }
            if let (None, Some(&known)) = (instance, self.closed.get(&id)) {
                done.insert(id, known);
                continue;
            }
            let before = todo.len();
            todo.extend(sort::children(terms.sorts.get(id)).into_iter().filter(|c| !done.contains_key(c)));
            if todo.len() > before {
                continue;
            }
            let new = self.one(context, terms, id, &done, instance)?;
            done.insert(id, new);
            if instance.is_none() {
                self.closed.insert(id, new);
                self.new_closed.push(id);
            }
        }
        Ok(done[&root])
    }

    fn one(
        &mut self,
        context: &mut Context,
        terms: &Terms,
        id: SortId,
        done: &FxHashMap<SortId, Sort>,
        instance: Option<(SortDeclId, &[Sort])>,
    ) -> Built<Sort> {
        use smt::sort::Sort as S;
        match terms.sorts.get(id) {
            S::Bool => context.bool_sort(),
            S::Int => context.int_sort(),
            S::Real => context.real_sort(),
            S::RoundingMode => context.rounding_sort(),
            S::BitVec(width) => context.bit_vec_sort(*width),
            S::Float(eb, sb) => context.float_sort(*eb, *sb),
            S::Array(index, element) | S::Map(index, element) => {
                context.array_sort(done[index], done[element])
            }
            S::Declared(decl, args) => {
                let args: Vec<Sort> = args.iter().map(|arg| done[arg]).collect();
                self.declared(context, terms, *decl, args)
            }
            S::Param(name) => instance
                .and_then(|(decl, args)| {
                    let params = &terms.sorts.decl(decl).datatype.as_ref()?.params;
                    args.get(params.iter().position(|p| p == name)?).copied()
                })
                .ok_or_else(|| unsupported(terms, id)),
            S::Error | S::String | S::RegLan | S::Seq(_) => Err(unsupported(terms, id)),
        }
    }

    fn declared(
        &mut self,
        context: &mut Context,
        terms: &Terms,
        decl: SortDeclId,
        args: Vec<Sort>,
    ) -> Built<Sort> {
        let key = (decl, args);
        if let Some(&done) = self.declared.get(&key) {
            self.met.push(done);
            return Ok(done);
        }
        self.count += 1;
        let name = format!("{}!{}", terms.names.text(terms.sorts.decl(decl).name), self.count);
        let sort = if terms.sorts.decl(decl).datatype.is_some() {
            if self.group.len() >= MAX_GROUP {
                return Err(SolverError::Unsupported {
                    what: format!("the endlessly growing datatype {name}"),
                });
            }
            let sort = context.forward_sort(&name)?;
            self.group.push((decl, key.1.clone(), name));
            sort
        } else {
            context.uninterpreted_sort(&name)?
        };
        self.new_declared.push(key.clone());
        self.declared.insert(key, sort);
        self.met.push(sort);
        Ok(sort)
    }

    /// Defines the announced datatypes and those that their fields announce.
    fn define_group(&mut self, context: &mut Context, terms: &Terms) -> Built<()> {
        let mut definitions: Vec<Definition> = Vec::new();
        let mut needs: Vec<Vec<Sort>> = Vec::new();
        while let Some((decl, args, name)) = self.group.get(definitions.len()).cloned() {
            let Some(datatype) = &terms.sorts.decl(decl).datatype else { break };
            self.met.clear();
            let mut constructors = Vec::new();
            for constructor in &datatype.constructors {
                let mut fields = Vec::new();
                for &(field, sort) in &constructor.fields {
                    let sort = self.build(context, terms, sort, Some((decl, &args)))?;
                    fields.push((format!("{}!{name}", terms.names.text(field)), sort));
                }
                constructors.push((format!("{}!{name}", terms.names.text(constructor.name)), fields));
            }
            definitions.push((name, constructors));
            needs.push(std::mem::take(&mut self.met));
        }
        let group = std::mem::take(&mut self.group);
        let sorts: Vec<Option<Sort>> =
            group.into_iter().map(|(decl, args, _)| self.declared.get(&(decl, args)).copied()).collect();
        let places: FxHashMap<Sort, usize> =
            sorts.iter().enumerate().filter_map(|(place, sort)| Some(((*sort)?, place))).collect();
        let edges: Vec<Vec<usize>> = needs
            .iter()
            .map(|needs| needs.iter().filter_map(|sort| places.get(sort).copied()).collect())
            .collect();
        for members in components(&edges) {
            let together: Vec<Definition> =
                members.iter().map(|&member| definitions[member].clone()).collect();
            for (&member, constructors) in members.iter().zip(context.define_datatypes(&together)?) {
                for (position, row) in (0..).zip(&constructors.rows) {
                    self.positions.insert(row.0, position);
                }
                if let Some(sort) = sorts[member] {
                    self.datatypes.insert(sort, constructors);
                }
            }
        }
        Ok(())
    }
}

/// The index sort of an array sort.
pub(super) fn index_of(sorts: &Sorts, sort: SortId) -> Option<(SortId, SortId)> {
    match *sorts.get(sort) {
        sort::Sort::Array(index, element) | sort::Sort::Map(index, element) => Some((index, element)),
        _ => None,
    }
}

fn unsupported(terms: &Terms, sort: SortId) -> SolverError {
    SolverError::Unsupported { what: print::sort_text(terms, sort) }
}
