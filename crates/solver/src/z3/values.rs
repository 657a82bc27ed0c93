//! Values of a model. The wanted sort leads: a value of the library is read as a value of that sort, or not at
//! all. Lists may be long and arrays nested, so nothing recurses.

use std::collections::BTreeMap;
use std::sync::Arc;

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;
use smt::eval::{Assignment, Interpretation};
use smt::op::Op;
use smt::sort::{Sort, SortId};
use smt::term::{FunId, TermId, Terms};
use smt::value::{Value, ieee};
use z3_sys::DeclKind;

use super::back;
use super::ffi::{Ast, Built, Context, Decl, Shape, Table};
use super::sorts::index_of;
use super::translate::Translator;

/// A term of the library with the sort it is read as.
type Part = (Ast, SortId);

/// How a value is put together from the values of its parts.
enum Plan {
    /// A constructor with its fields.
    Data(u32, Vec<Part>),
    /// The default, then index and value in turn, later ones on top.
    Array(Vec<Part>),
}

/// Reads values.
pub(super) struct Reader<'a> {
    pub(super) context: &'a mut Context,
    pub(super) translator: &'a Translator,
    pub(super) terms: &'a mut Terms,
    done: FxHashMap<(u32, SortId), Option<Value>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(context: &'a mut Context, translator: &'a Translator, terms: &'a mut Terms) -> Self {
        Reader { context, translator, terms, done: FxHashMap::default() }
    }

    /// The value that a term is, if it is one.
    pub(super) fn value(&mut self, root: Ast, sort: SortId) -> Built<Option<Value>> {
        let mut todo: Vec<(Part, Option<Plan>)> = vec![((root, sort), None)];
        while let Some((part, plan)) = todo.pop() {
            let key = self.key(part);
            if self.done.contains_key(&key) {
                continue;
            }
            let value = match plan {
                Some(plan) => self.build(part.1, plan),
                None => match self.plan(part)? {
                    Ok(leaf) => leaf,
                    Err(plan) => {
                        let (Plan::Data(_, parts) | Plan::Array(parts)) = &plan;
                        let parts = parts.clone();
                        todo.push((part, Some(plan)));
                        todo.extend(parts.into_iter().map(|part| (part, None)));
                        continue;
                    }
                },
            };
            self.done.insert(key, value);
        }
        let key = self.key((root, sort));
        Ok(self.done.get(&key).cloned().flatten())
    }

    fn key(&self, part: Part) -> (u32, SortId) {
        (self.context.identity(part.0), part.1)
    }

    fn build(&mut self, sort: SortId, plan: Plan) -> Option<Value> {
        let (Plan::Data(_, parts) | Plan::Array(parts)) = &plan;
        let mut values = Vec::with_capacity(parts.len());
        for &part in parts {
            values.push(self.done.get(&self.key(part))?.clone()?);
        }
        match plan {
            Plan::Data(constructor, _) => Some(Value::data(sort, constructor, values)),
            Plan::Array(_) => {
                let mut values = values.into_iter();
                let mut array = Value::const_array(self.terms, sort, values.next()?)?;
                while let (Some(index), Some(value)) = (values.next(), values.next()) {
                    if let Value::Array(array) = &mut array {
                        Arc::make_mut(array).store(index, value);
                    }
                }
                Some(array)
            }
        }
    }

    /// A value without parts, or how to put one together.
    fn plan(&mut self, (ast, sort): Part) -> Built<Result<Option<Value>, Plan>> {
        Ok(match self.terms.sorts.get(sort).clone() {
            Sort::Bool => Ok(match self.context.shape(ast)? {
                Shape::App(DeclKind::True, ..) => Some(Value::Bool(true)),
                Shape::App(DeclKind::False, ..) => Some(Value::Bool(false)),
                _ => None,
            }),
            Sort::Int => Ok(self.number(ast)?.and_then(|n| n.parse::<IBig>().ok()).map(Value::Int)),
            Sort::Real => Ok(self.number(ast)?.and_then(|n| rational(&n)).map(Value::Real)),
            Sort::BitVec(width) => {
                let value = self.number(ast)?.and_then(|n| n.parse::<UBig>().ok());
                Ok(value.map(|value| Value::bits(width, value)))
            }
            Sort::Float(eb, sb) => Ok(self.float(ast, eb, sb)?),
            Sort::RoundingMode => Ok(match self.context.shape(ast)? {
                Shape::App(kind, ..) => rounding(kind).map(Value::Rounding),
                _ => None,
            }),
            Sort::Array(..) | Sort::Map(..) => self.array(ast, sort)?.map_or(Ok(None), Err),
            Sort::Declared(..) => return self.declared(ast, sort),
            _ => Ok(None),
        })
    }

    fn number(&mut self, ast: Ast) -> Built<Option<String>> {
        Ok(match self.context.shape(ast)? {
            Shape::Number(text) => Some(text),
            _ => None,
        })
    }

    fn float(&mut self, ast: Ast, eb: u32, sb: u32) -> Built<Option<Value>> {
        let Some(format) = ieee::Format::new(eb, sb) else { return Ok(None) };
        Ok(match self.context.float_bits(ast)? {
            Some((_, true)) => Some(Value::Float(ieee::Float::nan(format))),
            Some((digits, false)) => {
                digits.parse().ok().map(|bits| Value::Float(ieee::Float::from_bits(format, &bits)))
            }
            None => None,
        })
    }

    fn declared(&mut self, ast: Ast, sort: SortId) -> Built<Result<Option<Value>, Plan>> {
        let Shape::App(_, decl, args) = self.context.shape(ast)? else { return Ok(Ok(None)) };
        if self.terms.sorts.datatype(sort).is_none() {
            // Elements of uninterpreted sorts are constants named `S!val!7`.
            let name = self.context.decl_name(decl);
            let index = name.rsplit_once("!val!").and_then(|(_, number)| number.parse().ok());
            return Ok(Ok(index.map(|index| Value::Abstract { sort, index })));
        }
        let Some(position) = self.translator.sorts.position(decl) else { return Ok(Ok(None)) };
        let Some((_, fields)) = self.terms.fields(sort, position) else { return Ok(Ok(None)) };
        if fields.len() != args.len() {
            return Ok(Ok(None));
        }
        let parts = args.into_iter().zip(fields.into_iter().map(|field| field.1)).collect();
        Ok(Err(Plan::Data(position, parts)))
    }

    /// Takes an array apart: stores, a constant array, a function of the model, a lambda that is a case list.
    fn array(&mut self, mut ast: Ast, sort: SortId) -> Built<Option<Plan>> {
        let Some((index, element)) = index_of(&self.terms.sorts, sort) else { return Ok(None) };
        let mut entries: Vec<(Ast, Ast)> = Vec::new();
        let default = loop {
            if let Some(decl) = self.context.array_function(ast)? {
                let Some(rest) = self.function_entries(decl, index, &mut entries)? else { return Ok(None) };
                break rest;
            }
            match self.context.shape(ast)? {
                Shape::App(DeclKind::Store, _, args) if args.len() == 3 => {
                    entries.push((args[1], args[2]));
                    ast = args[0];
                }
                Shape::App(DeclKind::ConstArray, _, args) if args.len() == 1 => break args[0],
                Shape::Binder(Op::Lambda, sorts, body) if sorts.len() == 1 => {
                    let Some(rest) = self.cases(body, index, &mut entries)? else { return Ok(None) };
                    break rest;
                }
                _ => return Ok(None),
            }
        };
        let mut parts = vec![(default, element)];
        for (at, value) in entries.into_iter().rev() {
            parts.extend([(at, index), (value, element)]);
        }
        Ok(Some(Plan::Array(parts)))
    }

    fn function_entries(
        &mut self,
        decl: Decl,
        index: SortId,
        entries: &mut Vec<(Ast, Ast)>,
    ) -> Built<Option<Ast>> {
        let Some(table) = self.context.function(decl)? else { return Ok(None) };
        for (args, value) in &table.rows {
            let [arg] = args[..] else { return Ok(None) };
            entries.push((arg, *value));
        }
        self.cases(table.rest, index, entries)
    }

    /// Reads `(ite (= x i) v …)` over the bound variable as entries; the last alternative is the default. With a truth value
    /// as index anything is of this form: there are two cases.
    fn cases(&mut self, mut body: Ast, index: SortId, entries: &mut Vec<(Ast, Ast)>) -> Built<Option<Ast>> {
        if index == SortId::BOOL {
            let at = self.context.truth(true)?;
            let value = self.context.instance(body, at)?;
            entries.push((at, value));
            let at = self.context.truth(false)?;
            return self.context.instance(body, at).map(Some);
        }
        loop {
            let Shape::App(DeclKind::Ite, _, args) = self.context.shape(body)? else { return Ok(Some(body)) };
            let &[condition, then, rest] = &args[..] else { return Ok(None) };
            let Shape::App(DeclKind::Eq, _, sides) = self.context.shape(condition)? else { return Ok(None) };
            let &[left, right] = &sides[..] else { return Ok(None) };
            let is_var = |shape: Shape| shape == Shape::Var(0);
            let at = match (is_var(self.context.shape(left)?), is_var(self.context.shape(right)?)) {
                (true, false) => right,
                (false, true) => left,
                _ => return Ok(None),
            };
            entries.push((at, then));
            body = rest;
        }
    }

    /// What the model says of the functions that the solver has met.
    pub(super) fn model(&mut self) -> Built<Assignment> {
        let mut model = Assignment::new();
        for &fun in &self.translator.symbols {
            if let Some(meaning) = self.interpretation(fun)? {
                model.interpret(fun, meaning);
            }
        }
        Ok(model)
    }

    fn interpretation(&mut self, fun: FunId) -> Built<Option<Interpretation>> {
        let Some(decl) = self.translator.known(fun) else { return Ok(None) };
        let (params, result) = (self.terms.fun(fun).params.clone(), self.terms.fun(fun).result);
        if params.is_empty() {
            let constant = self.context.apply(decl, &[])?;
            let Some(value) = self.context.eval(constant)? else { return Ok(None) };
            return Ok(self.value(value, result)?.map(Interpretation::Value));
        }
        let Some(table) = self.context.function(decl)? else {
            let rest = Value::default_of(self.terms, result);
            return Ok(rest.map(|rest| Interpretation::Table(BTreeMap::new(), Some(rest))));
        };
        let mut rows = BTreeMap::new();
        for (args, value) in &table.rows {
            let mut key = Vec::new();
            for (&arg, &sort) in args.iter().zip(&params) {
                let Some(arg) = self.value(arg, sort)? else { return Ok(None) };
                key.push(arg);
            }
            let Some(value) = self.value(*value, result)? else { return Ok(None) };
            rows.insert(key.into_boxed_slice(), value);
        }
        match self.value(table.rest, result)? {
            Some(rest) => Ok(Some(Interpretation::Table(rows, Some(rest)))),
            None => self.body(&table, &params, rows),
        }
    }

    /// A function whose value elsewhere is no constant: a body with the rows as cases.
    fn body(
        &mut self,
        table: &Table,
        params: &[SortId],
        rows: BTreeMap<Box<[Value]>, Value>,
    ) -> Built<Option<Interpretation>> {
        let formals = formals(self.terms, params);
        let rest = back::term(self.context, self.translator, self.terms, table.rest, &formals)?;
        let Some(mut body) = rest else { return Ok(None) };
        for (args, value) in rows {
            let mut equal = Vec::new();
            for (&formal, arg) in formals.iter().zip(&*args) {
                let arg = arg.to_term(self.terms);
                let Ok(part) = self.terms.app(Op::Eq, &[formal, arg]) else { return Ok(None) };
                equal.push(part);
            }
            let (condition, value) = (self.terms.and(&equal), value.to_term(self.terms));
            let Ok(case) = self.terms.app(Op::Ite, &[condition, value, body]) else { return Ok(None) };
            body = case;
        }
        Ok(Some(Interpretation::Body(formals.into(), body)))
    }
}

/// Formal parameters `x!0`, `x!1`, … of these sorts.
pub(super) fn formals(terms: &mut Terms, sorts: &[SortId]) -> Vec<TermId> {
    let name = |i: usize| format!("x!{i}");
    sorts
        .iter()
        .enumerate()
        .map(|(i, &sort)| {
            let name = terms.names.intern(&name(i));
            terms.var(name, sort)
        })
        .collect()
}

/// An integer or a quotient of integers.
pub(super) fn rational(text: &str) -> Option<RBig> {
    let (top, bottom) = text.split_once('/').unwrap_or((text, "1"));
    let bottom: UBig = bottom.trim().parse().ok()?;
    if bottom == UBig::ZERO {
        return None;
    }
    Some(RBig::from_parts(top.trim().parse().ok()?, bottom))
}

fn rounding(kind: DeclKind) -> Option<ieee::Rounding> {
    Some(match kind {
        DeclKind::FpaRmNearestTiesToEven => ieee::Rounding::Rne,
        DeclKind::FpaRmNearestTiesToAway => ieee::Rounding::Rna,
        DeclKind::FpaRmTowardPositive => ieee::Rounding::Rtp,
        DeclKind::FpaRmTowardNegative => ieee::Rounding::Rtn,
        DeclKind::FpaRmTowardZero => ieee::Rounding::Rtz,
        _ => return None,
    })
}
