//! Terms for the library. Each term is built once per solver and kept; nothing recurses.
//!
//! Symbols are named after their id, so two functions of one name stay two. Bound variables and formal
//! parameters are constants of the library while a body is built: binders turn them into variables, and a call of
//! a defined function puts the arguments in their place. Both are free of capture, because what a binder bound is
//! no constant any more.

use base::id::Id;
use rustc_hash::FxHashMap;
use smt::op::{Assoc, Op};
use smt::sort::SortId;
use smt::term::{Const, FunId, Role, TermId, Terms};

use super::ffi::{Ast, Built, Context, Decl, Make, make_of};
use super::sorts::{SortTable, index_of};
use crate::error::SolverError;

/// What one context knows of a store of terms.
#[derive(Default)]
pub(super) struct Translator {
    pub(super) sorts: SortTable,
    terms: FxHashMap<TermId, Ast>,
    funs: FxHashMap<FunId, Decl>,
    /// The functions without a definition, as they were met.
    pub(super) symbols: Vec<FunId>,
    /// The function behind a declaration of the library.
    pub(super) back: FxHashMap<Decl, FunId>,
    /// Recursive functions that were met and have no body yet.
    pending: Vec<FunId>,
}

impl Translator {
    /// The library's term.
    pub(super) fn term(&mut self, context: &mut Context, terms: &Terms, root: TermId) -> Built<Ast> {
        let result = self.build_all(context, terms, root)?;
        while let Some(fun) = self.pending.pop() {
            if let Err(error) = self.define(context, terms, fun) {
                // A function without its body would be taken for an uninterpreted one.
                self.forget();
                return Err(error);
            }
        }
        Ok(result)
    }

    /// The library's term, if it was built before.
    pub(super) fn built(&self, term: TermId) -> Option<Ast> {
        self.terms.get(&term).copied()
    }

    /// The library's declaration of a function, if the function was met.
    pub(super) fn known(&self, fun: FunId) -> Option<Decl> {
        self.funs.get(&fun).copied()
    }

    /// Forgets what was built, not what is named: the objects stay in the context.
    fn forget(&mut self) {
        self.terms.clear();
        self.funs.retain(|fun, _| self.symbols.contains(fun));
        self.pending.clear();
    }

    fn define(&mut self, context: &mut Context, terms: &Terms, fun: FunId) -> Built<()> {
        let Some((params, body)) = terms.recursive_definition(fun) else {
            return Err(SolverError::Unsupported { what: terms.fun_name(fun).to_owned() });
        };
        let mut formals = Vec::new();
        for &param in params {
            formals.push(self.build_all(context, terms, param)?);
        }
        let body = self.build_all(context, terms, body)?;
        let decl = self.funs[&fun];
        context.define(decl, &formals, body)
    }

    fn build_all(&mut self, context: &mut Context, terms: &Terms, root: TermId) -> Built<Ast> {
        let mut todo = vec![root];
        while let Some(&term) = todo.last() {
            if self.terms.contains_key(&term) {
                todo.pop();
                continue;
            }
            let before = todo.len();
            let open = |part: &&TermId| !self.terms.contains_key(part);
            todo.extend(terms.args(term).iter().filter(open));
            if let Some((params, body)) = macro_of(terms, term) {
                todo.extend(params.iter().chain([&body]).filter(open));
            }
            if todo.len() > before {
                continue;
            }
            let new = self.build(context, terms, term)?;
            self.terms.insert(term, new);
        }
        Ok(self.terms[&root])
    }

    /// Builds a term whose parts are built.
    fn build(&mut self, context: &mut Context, terms: &Terms, term: TermId) -> Built<Ast> {
        let node = *terms.node(term);
        let args: Vec<Ast> = terms.args(term).iter().map(|arg| self.terms[arg]).collect();
        match node.op {
            Op::Const => self.literal(context, terms, term),
            Op::Var => {
                let sort = self.sorts.get(context, terms, node.sort)?;
                let name = terms.variable(term).map(|name| terms.names.text(name)).unwrap_or_default();
                let decl = context.declare(&format!("{name}!v{}", term.index()), &[], sort, false)?;
                context.apply(decl, &[])
            }
            Op::App => self.application(context, terms, term, &args),
            Op::Forall | Op::Exists => {
                let (body, vars) = split(&args)?;
                context.bind(node.op, vars, body)
            }
            Op::Lambda => {
                let (mut body, vars) = split(&args)?;
                for var in vars.iter().rev() {
                    body = context.bind(Op::Lambda, &[*var], body)?;
                }
                Ok(body)
            }
            Op::ConstArray => {
                let (index, _) = index_of(&terms.sorts, node.sort).ok_or_else(|| unsupported(node.op))?;
                let index = self.sorts.get(context, terms, index)?;
                context.const_array(index, args[0])
            }
            Op::PlusInf | Op::MinusInf | Op::PlusZero | Op::MinusZero | Op::NaN => {
                let sort = self.sorts.get(context, terms, node.sort)?;
                context.special_float(node.op, sort)
            }
            Op::ToFp | Op::ToFpBits | Op::ToFpUnsigned => {
                let sort = self.sorts.get(context, terms, node.sort)?;
                context.float_from(&args, node.op == Op::ToFpUnsigned, sort)
            }
            _ => indexed(context, terms, term, &args),
        }
    }

    fn literal(&mut self, context: &mut Context, terms: &Terms, term: TermId) -> Built<Ast> {
        let text = match terms.literal(term) {
            Some(Const::Nat(value) | Const::Bits(_, value)) => value.to_string(),
            Some(Const::Decimal(value)) => format!("{}/{}", value.numerator(), value.denominator()),
            _ => return Err(SolverError::Unsupported { what: smt::print::term_text(terms, term) }),
        };
        let sort = self.sorts.get(context, terms, terms.sort(term))?;
        context.numeral(&text, sort)
    }

    fn application(
        &mut self,
        context: &mut Context,
        terms: &Terms,
        term: TermId,
        args: &[Ast],
    ) -> Built<Ast> {
        if let Some((params, body)) = macro_of(terms, term) {
            let body = self.terms[&body];
            if params.is_empty() {
                return Ok(body);
            }
            let params: Vec<Ast> = params.iter().map(|param| self.terms[param]).collect();
            return context.substitute(body, &params, args);
        }
        let fun = terms.applied(term).ok_or_else(|| unsupported(Op::App))?;
        let decl = self.function(context, terms, fun)?;
        context.apply(decl, args)
    }

    /// The library's declaration of a function.
    pub(super) fn function(&mut self, context: &mut Context, terms: &Terms, id: FunId) -> Built<Decl> {
        if let Some(&decl) = self.funs.get(&id) {
            return Ok(decl);
        }
        let fun = terms.fun(id);
        let decl = match fun.role {
            Role::Constructor(position) => {
                self.part(context, terms, fun.result, position, |row| Some(row.0))?
            }
            Role::Tester(position) => {
                self.part(context, terms, fun.params[0], position, |row| Some(row.1))?
            }
            Role::Selector(position, field) => {
                let select = |row: &(Decl, Decl, Vec<Decl>)| row.2.get(field as usize).copied();
                self.part(context, terms, fun.params[0], position, select)?
            }
            _ => {
                let mut params = Vec::new();
                for &param in &fun.params {
                    params.push(self.sorts.get(context, terms, param)?);
                }
                let result = self.sorts.get(context, terms, fun.result)?;
                let recursive = matches!(fun.role, Role::Recursive(_));
                let name = format!("{}!{}", terms.fun_name(id), id.index());
                let decl = context.declare(&name, &params, result, recursive)?;
                if recursive {
                    self.pending.push(id);
                } else {
                    self.symbols.push(id);
                }
                decl
            }
        };
        self.funs.insert(id, decl);
        self.back.insert(decl, id);
        Ok(decl)
    }

    /// Makes all functions of the datatypes known that were met: what the library says may speak of any of them.
    pub(super) fn datatypes(&mut self, context: &mut Context, terms: &mut Terms) -> Built<()> {
        let mut sorts: Vec<SortId> = self.sorts.known().into_values().collect();
        sorts.sort_unstable();
        for sort in sorts {
            let Some((datatype, _)) = terms.sorts.datatype(sort) else { continue };
            let fields: Vec<usize> = datatype.constructors.iter().map(|c| c.fields.len()).collect();
            for (constructor, fields) in (0..).zip(fields) {
                let mut funs = vec![terms.constructor(sort, constructor), terms.tester(sort, constructor)];
                funs.extend((0..fields as u32).map(|field| terms.selector(sort, constructor, field)));
                for fun in funs.into_iter().flatten() {
                    self.function(context, terms, fun)?;
                }
            }
        }
        Ok(())
    }

    fn part(
        &mut self,
        context: &mut Context,
        terms: &Terms,
        sort: SortId,
        position: u32,
        choose: impl Fn(&(Decl, Decl, Vec<Decl>)) -> Option<Decl>,
    ) -> Built<Decl> {
        let sort = self.sorts.get(context, terms, sort)?;
        let rows = self.sorts.constructors(sort).map(|constructors| &constructors.rows);
        let row = rows.and_then(|rows| rows.get(position as usize));
        row.and_then(choose).ok_or_else(|| SolverError::Unsupported { what: "this datatype".to_owned() })
    }
}

/// Parameters and body when the term calls a function defined without recursion.
fn macro_of(terms: &Terms, term: TermId) -> Option<(&[TermId], TermId)> {
    match &terms.fun(terms.applied(term)?).role {
        Role::Defined(params, body) => Some((params, *body)),
        _ => None,
    }
}

fn split(args: &[Ast]) -> Built<(Ast, &[Ast])> {
    args.split_last().map(|(&body, vars)| (body, vars)).ok_or_else(|| unsupported(Op::Forall))
}

fn unsupported(op: Op) -> SolverError {
    SolverError::Unsupported { what: op.name().to_owned() }
}

/// Operators with indices and those that the library lacks.
fn indexed(context: &mut Context, terms: &Terms, term: TermId, args: &[Ast]) -> Built<Ast> {
    let node = *terms.node(term);
    let width = terms.sorts.width(node.sort).unwrap_or(0);
    match (node.op, args) {
        (Op::Extract, &[bits]) => context.extract(node.payload + width - 1, node.payload, bits),
        (Op::IntToBv, &[number]) => context.int_to_bits(width, number),
        (Op::UbvToInt | Op::SbvToInt, &[bits]) => context.bits_to_int(bits, node.op == Op::SbvToInt),
        (Op::FpToUbv | Op::FpToSbv, &[mode, float]) => {
            context.float_to_bits(mode, float, width, node.op == Op::FpToSbv)
        }
        (Op::Divisible, &[number]) => {
            let int = context.int_sort()?;
            let (divisor, zero) =
                (context.numeral(&node.payload.to_string(), int)?, context.numeral("0", int)?);
            let rest = by_table(context, Op::Mod, 0, &[number, divisor])?;
            by_table(context, Op::Eq, 0, &[rest, zero])
        }
        (Op::BvComp, &[a, b]) => {
            let bit = context.bit_vec_sort(1)?;
            let (one, zero) = (context.numeral("1", bit)?, context.numeral("0", bit)?);
            let equal = by_table(context, Op::Eq, 0, &[a, b])?;
            by_table(context, Op::Ite, 0, &[equal, one, zero])
        }
        (op, args) => by_table(context, op, node.payload, args),
    }
}

/// An operator of the table for any number of arguments that it takes in SMT-LIB.
fn by_table(context: &mut Context, op: Op, index: u32, args: &[Ast]) -> Built<Ast> {
    let make = make_of(op).ok_or_else(|| unsupported(op))?;
    if !matches!(make, Make::Two(_)) || args.len() == 2 {
        return context.make(make, index, args);
    }
    match (op.info().assoc, args) {
        // One argument is more than the standard allows and means itself.
        (Assoc::Left | Assoc::Right, &[one]) => Ok(one),
        (Assoc::Left, &[first, ref rest @ ..]) => {
            rest.iter().try_fold(first, |left, &right| context.make(make, index, &[left, right]))
        }
        (Assoc::Right, &[ref rest @ .., last]) => {
            rest.iter().rev().try_fold(last, |right, &left| context.make(make, index, &[left, right]))
        }
        (Assoc::Chain, args) => {
            let pairs =
                args.windows(2).map(|pair| context.make(make, index, pair)).collect::<Built<Vec<_>>>()?;
            by_table(context, Op::And, 0, &pairs)
        }
        _ => context.make(make, index, args),
    }
}
