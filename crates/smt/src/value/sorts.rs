//! Questions about sorts that look inside datatypes: is it finite, what is some value of it.
//!
//! The fields of a parametric datatype have sorts that may not be in the table of sorts yet. An evaluator only
//! reads terms, so it cannot enter them; it works on a copy of the table then, made at the first such sort, and
//! refuses to answer with values of sorts that are in the copy alone.

use super::{ArrayValue, Finite, Value, ieee};
use crate::sort::{Sort, SortId, Sorts};
use crate::term::Terms;
use base::id::Id;
use base::intern::SymbolId;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::sync::Arc;

/// So many sorts are looked at for one question; datatypes whose parameters grow with every level have
/// infinitely many.
const MANY_SORTS: usize = 4096;

/// A sort whose fields are not in the table of sorts, or that is no sort of the kind asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BadSort(pub(crate) SortId);

/// What is known about sorts.
pub(crate) struct Catalog<'a> {
    sorts: Cow<'a, Sorts>,
    /// Sorts from here on are in the copy alone.
    copied: Option<SortId>,
    finite: FxHashMap<SortId, Option<Arc<Finite>>>,
    defaults: FxHashMap<SortId, Option<Value>>,
}

impl<'a> Catalog<'a> {
    pub(crate) fn new(sorts: &'a Sorts) -> Self {
        Self::over(Cow::Borrowed(sorts))
    }

    fn over(sorts: Cow<'a, Sorts>) -> Self {
        Self { sorts, copied: None, finite: FxHashMap::default(), defaults: FxHashMap::default() }
    }

    /// Asks with the right to enter sorts into the table.
    pub(crate) fn with<R>(terms: &mut Terms, ask: impl FnOnce(&mut Catalog<'_>) -> R) -> R {
        let mut catalog = Catalog::over(Cow::Owned(std::mem::take(&mut terms.sorts)));
        let answer = ask(&mut catalog);
        terms.sorts = catalog.sorts.into_owned();
        answer
    }

    /// The sorts of the fields of each constructor; none when it is no datatype.
    fn constructors(&mut self, sort: SortId) -> Result<Option<Vec<Vec<SortId>>>, BadSort> {
        let Some((datatype, args)) = self.sorts.datatype(sort) else { return Ok(None) };
        let mut fields: Vec<Vec<SortId>> =
            datatype.constructors.iter().map(|c| c.fields.iter().map(|f| f.1).collect()).collect();
        if datatype.params.is_empty() {
            return Ok(Some(fields));
        }
        let (params, args) = (datatype.params.clone(), args.to_vec());
        let borrowed = matches!(self.sorts, Cow::Borrowed(_));
        let sorts = self.sorts.to_mut();
        if borrowed {
            // No symbol has this number, so the sort is new and tells how long the table was.
            self.copied = Some(sorts.mk(Sort::Param(SymbolId::from_index(u32::MAX as usize))));
        }
        for field in fields.iter_mut().flatten() {
            *field = sorts.instantiate(*field, &params, &args);
            if self.copied.is_some_and(|first| *field >= first) {
                return Err(BadSort(sort));
            }
        }
        Ok(Some(fields))
    }

    /// Index and element sort of an array or map.
    fn array(&self, sort: SortId) -> Option<(SortId, SortId)> {
        match *self.sorts.get(sort) {
            Sort::Array(index, element) | Sort::Map(index, element) => Some((index, element)),
            _ => None,
        }
    }

    /// The array of that sort that holds one value everywhere.
    pub(crate) fn const_array(&mut self, sort: SortId, default: Value) -> Result<Value, BadSort> {
        let (index, element) = self.array(sort).ok_or(BadSort(sort))?;
        if !default.has_sort(&self.sorts, element) {
            return Err(BadSort(sort));
        }
        Ok(Value::Array(Arc::new(ArrayValue::new(sort, self.finite(index)?, default))))
    }

    /// The array with these values in the order of the index sort, which has so many.
    pub(crate) fn array_of(&mut self, sort: SortId, values: &[Value]) -> Result<Value, BadSort> {
        let (index, _) = self.array(sort).ok_or(BadSort(sort))?;
        let index = self.finite(index)?.ok_or(BadSort(sort))?;
        Ok(Value::Array(Arc::new(ArrayValue::from_values(sort, index, values))))
    }

    /// The list of all values of a sort, if there is one of bearable length.
    pub(crate) fn finite(&mut self, root: SortId) -> Result<Option<Arc<Finite>>, BadSort> {
        let (mut todo, mut open) = (vec![(root, false)], FxHashSet::default());
        while let Some((sort, ready)) = todo.pop() {
            if self.finite.contains_key(&sort) {
                continue;
            }
            if ready {
                let list = self.list(sort)?.map(Arc::new);
                self.finite.insert(sort, list);
            } else if open.len() > MANY_SORTS {
                return Ok(None);
            } else if open.insert(sort) {
                todo.push((sort, true));
                todo.extend(self.parts(sort)?.into_iter().map(|part| (part, false)));
            }
        }
        Ok(self.finite.get(&root).cloned().flatten())
    }

    /// The sorts that a value of this sort may be made of.
    fn parts(&mut self, sort: SortId) -> Result<Vec<SortId>, BadSort> {
        Ok(match (self.array(sort), self.constructors(sort)?) {
            (Some((index, element)), _) => vec![index, element],
            (_, Some(constructors)) => constructors.into_iter().flatten().collect(),
            _ => Vec::new(),
        })
    }

    /// The list of a sort whose parts have theirs. A part without one is infinite, or this sort is part of it:
    /// then both are.
    fn list(&mut self, sort: SortId) -> Result<Option<Finite>, BadSort> {
        let known = |catalog: &Self, part| catalog.finite.get(&part).cloned().flatten();
        Ok(match *self.sorts.get(sort) {
            Sort::Bool => Finite::bool(),
            Sort::RoundingMode => Finite::rounding(),
            Sort::BitVec(width) => Finite::bit_vec(width),
            Sort::Float(eb, sb) => Finite::float(eb, sb),
            Sort::Array(index, element) | Sort::Map(index, element) => {
                known(self, element).and_then(|element| Finite::array(sort, known(self, index), element))
            }
            Sort::Declared(..) => {
                let Some(constructors) = self.constructors(sort)? else { return Ok(None) };
                let lists: Option<Vec<Vec<_>>> = constructors
                    .into_iter()
                    .map(|fields| fields.into_iter().map(|field| known(self, field)).collect())
                    .collect();
                lists.and_then(|lists| Finite::data(sort, lists))
            }
            _ => None,
        })
    }

    /// Some value of a sort, independent of what was asked before.
    pub(crate) fn default_of(&mut self, root: SortId) -> Option<Value> {
        if let Some(value) = self.defaults.get(&root) {
            return value.clone();
        }
        let value = self.find_default(root).ok().flatten();
        self.defaults.insert(root, value.clone());
        value
    }

    /// Looks at more and more sorts that `root` is made of until those with a known value give one for it.
    fn find_default(&mut self, root: SortId) -> Result<Option<Value>, BadSort> {
        let mut found: FxHashMap<SortId, Value> = FxHashMap::default();
        let mut seen: FxHashSet<SortId> = FxHashSet::from_iter([root]);
        let (mut open, mut fresh) = (Vec::new(), vec![root]);
        while !fresh.is_empty() && seen.len() <= MANY_SORTS {
            let mut next = Vec::new();
            for sort in fresh {
                match self.simple_default(sort)? {
                    Some(value) => {
                        found.insert(sort, value);
                    }
                    None => {
                        open.push(sort);
                        next.extend(self.parts(sort)?.into_iter().filter(|&part| seen.insert(part)));
                    }
                }
            }
            self.propagate(&mut open, &mut found)?;
            if let Some(value) = found.remove(&root) {
                return Ok(Some(value));
            }
            fresh = next;
        }
        Ok(None)
    }

    /// Finds values for sorts from those of their parts as long as there are any to find.
    fn propagate(
        &mut self,
        open: &mut Vec<SortId>,
        found: &mut FxHashMap<SortId, Value>,
    ) -> Result<(), BadSort> {
        loop {
            let before = open.len();
            for sort in std::mem::take(open) {
                match self.default_from(sort, found)? {
                    Some(value) => {
                        found.insert(sort, value);
                    }
                    None => open.push(sort),
                }
            }
            if open.len() == before {
                return Ok(());
            }
        }
    }

    fn default_from(
        &mut self,
        sort: SortId,
        found: &FxHashMap<SortId, Value>,
    ) -> Result<Option<Value>, BadSort> {
        if let Some((_, element)) = self.array(sort) {
            return found.get(&element).map(|value| self.const_array(sort, value.clone())).transpose();
        }
        for (position, fields) in (0..).zip(self.constructors(sort)?.unwrap_or_default()) {
            let fields: Option<Vec<Value>> = fields.iter().map(|field| found.get(field).cloned()).collect();
            if let Some(fields) = fields {
                return Ok(Some(Value::data(sort, position, fields)));
            }
        }
        Ok(None)
    }

    /// A value that is not made of others.
    fn simple_default(&mut self, sort: SortId) -> Result<Option<Value>, BadSort> {
        Ok(match *self.sorts.get(sort) {
            Sort::Bool => Some(Value::Bool(false)),
            Sort::Int => Some(Value::Int(IBig::ZERO)),
            Sort::Real => Some(Value::Real(RBig::ZERO)),
            Sort::RoundingMode => Some(Value::Rounding(ieee::Rounding::Rne)),
            Sort::String => Some(Value::Str("".into())),
            Sort::BitVec(width) => Some(Value::BitVec { width, value: UBig::ZERO }),
            Sort::Float(eb, sb) => ieee::Format::new(eb, sb)
                .map(|format| Value::Float(ieee::Float::zero(format, ieee::Sign::Positive))),
            Sort::Declared(..) => match self.constructors(sort)? {
                None => Some(Value::Abstract { sort, index: 0 }),
                Some(constructors) => (0..)
                    .zip(constructors)
                    .find(|(_, fields)| fields.is_empty())
                    .map(|(position, _)| Value::data(sort, position, [])),
            },
            _ => None,
        })
    }
}
