//! Values as terms. The way back is evaluation.

use super::{Value, ieee};
use crate::op::Op;
use crate::sort::{Sort, SortId, Sorts};
use crate::term::{Fun, FunId, Role, TermId, Terms};
use base::id::Id;
use base::intern::Interner;
use dashu_int::UBig;
use rustc_hash::FxHashMap;
use std::sync::Arc;

impl Value {
    /// The value as a term in the form of SMT-LIB: literals, negations and quotients of them, `fp`, `store` over a
    /// constant array, applications of constructors. An element of an uninterpreted sort `S` is a constant with
    /// a name of the form `@S!0`, as solvers write it.
    pub fn to_term(&self, terms: &mut Terms) -> TermId {
        Writer { terms, done: Vec::new(), shared: FxHashMap::default(), constructors: FxHashMap::default() }
            .write(self)
    }
}

enum Step<'a> {
    Visit(&'a Value),
    Build(&'a Value),
}

struct Writer<'a> {
    terms: &'a mut Terms,
    /// The terms of finished values.
    done: Vec<TermId>,
    /// The terms of values that hold values.
    shared: FxHashMap<Place, TermId>,
    constructors: FxHashMap<(SortId, u32), Option<FunId>>,
}

impl Writer<'_> {
    fn write(&mut self, root: &Value) -> TermId {
        let mut todo = vec![Step::Visit(root)];
        while let Some(step) = todo.pop() {
            let term = match step {
                Step::Visit(value) => match place(value) {
                    Some(place) if !self.shared.contains_key(&place) => {
                        todo.push(Step::Build(value));
                        let start = todo.len();
                        push_parts(value, &mut todo);
                        todo[start..].reverse();
                        continue;
                    }
                    Some(place) => self.shared[&place],
                    None => self.leaf(value),
                },
                Step::Build(value) => {
                    let term = self.build(value);
                    self.shared.extend(place(value).map(|place| (place, term)));
                    term
                }
            };
            self.done.push(term);
        }
        self.done.pop().unwrap_or(TermId::ERROR)
    }

    fn build(&mut self, value: &Value) -> TermId {
        match value {
            Value::Data(data) => {
                let args = self.done.split_off(self.done.len() - data.fields().len());
                let key = (data.sort(), data.constructor());
                let terms = &mut *self.terms;
                let fun = *self.constructors.entry(key).or_insert_with(|| terms.constructor(key.0, key.1));
                fun.map_or(TermId::ERROR, |fun| terms.raw(Op::App, fun.index() as u32, key.0, &args))
            }
            Value::Array(array) => {
                let parts = self.done.split_off(self.done.len() - (1 + 2 * array.len()));
                let mut term = self.terms.raw(Op::ConstArray, 0, array.sort(), &parts[..1]);
                for entry in parts[1..].chunks_exact(2) {
                    term = self.terms.raw(Op::Store, 0, array.sort(), &[term, entry[0], entry[1]]);
                }
                term
            }
            other => self.leaf(other),
        }
    }

    fn leaf(&mut self, value: &Value) -> TermId {
        let terms = &mut *self.terms;
        match value {
            Value::Bool(value) => terms.bool(*value),
            Value::Int(value) => terms.int(value.clone()),
            Value::Real(value) => terms.real(value),
            Value::BitVec { width, value } => terms.bits(*width, value.clone()),
            Value::Str(text) => terms.str(text),
            Value::Rounding(mode) => {
                let op = match mode {
                    ieee::Rounding::Rne => Op::Rne,
                    ieee::Rounding::Rna => Op::Rna,
                    ieee::Rounding::Rtp => Op::Rtp,
                    ieee::Rounding::Rtn => Op::Rtn,
                    ieee::Rounding::Rtz => Op::Rtz,
                };
                terms.raw(op, 0, SortId::ROUNDING_MODE, &[])
            }
            Value::Float(float) => float_term(terms, float),
            Value::Abstract { sort, index } => {
                let name = element_name(&terms.sorts, &terms.names, *sort, *index);
                let name = terms.names.intern(&name);
                let fun = terms.declare(Fun { name, params: Box::new([]), result: *sort, role: Role::Free });
                terms.constant_term(fun)
            }
            Value::Array(_) | Value::Data(_) => TermId::ERROR,
        }
    }
}

/// Where the parts of a value lie, and what is made of them.
type Place = (usize, SortId, u32);

fn place(value: &Value) -> Option<Place> {
    match value {
        Value::Data(data) => Some((data.address(), data.sort(), data.constructor())),
        Value::Array(array) => Some((Arc::as_ptr(array) as usize, array.sort(), 0)),
        _ => None,
    }
}

fn push_parts<'a>(value: &'a Value, todo: &mut Vec<Step<'a>>) {
    match value {
        Value::Data(data) => todo.extend(data.fields().iter().map(Step::Visit)),
        Value::Array(array) => {
            todo.push(Step::Visit(array.default()));
            for (index, value) in array.entries() {
                todo.extend([Step::Visit(index), Step::Visit(value)]);
            }
        }
        _ => {}
    }
}

fn float_term(terms: &mut Terms, float: &ieee::Float) -> TermId {
    let format = float.format();
    let sort = terms.sorts.mk(Sort::Float(format.eb, format.sb));
    let negative = float.is_negative();
    let special = match (float.is_nan(), float.is_infinite(), float.is_zero()) {
        (true, ..) => Some(Op::NaN),
        (_, true, _) => Some(if negative { Op::MinusInf } else { Op::PlusInf }),
        (.., true) => Some(if negative { Op::MinusZero } else { Op::PlusZero }),
        _ => None,
    };
    if let Some(op) = special {
        return terms.raw(op, 0, sort, &[]);
    }
    let (_, exponent, significand) = float.to_parts();
    let sign = terms.bits(1, UBig::from(negative));
    let exponent = terms.bits(format.eb, exponent);
    let significand = terms.bits(format.sb - 1, significand);
    terms.raw(Op::Fp, 0, sort, &[sign, exponent, significand])
}

/// The name of an element of an uninterpreted sort.
fn element_name(sorts: &Sorts, names: &Interner, sort: SortId, index: u64) -> String {
    let name = match sorts.get(sort) {
        Sort::Declared(decl, _) => names.text(sorts.decl(*decl).name),
        _ => "",
    };
    format!("@{name}!{index}")
}

/// The element of an uninterpreted sort that a constant names by its form.
pub(crate) fn named_element(terms: &Terms, fun: FunId) -> Option<Value> {
    let sort = terms.fun(fun).result;
    let name = terms.fun_name(fun);
    let index = name.strip_prefix('@')?.rsplit_once('!')?.1.parse().ok()?;
    let Sort::Declared(decl, _) = terms.sorts.get(sort) else { return None };
    let is_element = terms.sorts.decl(*decl).datatype.is_none()
        && terms.fun(fun).params.is_empty()
        && element_name(&terms.sorts, &terms.names, sort, index) == name;
    is_element.then_some(Value::Abstract { sort, index })
}
