//! Copies terms into a store of its own in which every name is used once.

use rustc_hash::FxHashMap;
use smt::op::{Op, Rule};
use smt::sort::{Constructor, Datatype, Sort, SortDeclId, SortId};
use smt::term::{Const, Fun, FunId, Role, TermId, Terms};

use super::names::Names;
use crate::error::SolverError;

/// The copy and the way into it.
pub(super) struct Copier {
    pub(super) own: Terms,
    names: Names,
    terms: FxHashMap<TermId, TermId>,
    sorts: FxHashMap<SortId, SortId>,
    decls: FxHashMap<SortDeclId, SortDeclId>,
    funs: FxHashMap<FunId, FunId>,
    /// Functions without a definition: theirs and their name here.
    pub(super) symbols: Vec<(FunId, String)>,
    /// Sort declarations: theirs and ours.
    pub(super) sort_order: Vec<(SortDeclId, SortDeclId)>,
    /// Recursive functions without their bodies.
    pending: Vec<FunId>,
}

type Copied<T> = Result<T, SolverError>;

impl Copier {
    pub(super) fn new() -> Copier {
        Copier {
            own: Terms::new(),
            names: Names::new(),
            terms: FxHashMap::default(),
            sorts: FxHashMap::default(),
            decls: FxHashMap::default(),
            funs: FxHashMap::default(),
            symbols: Vec::new(),
            sort_order: Vec::new(),
            pending: Vec::new(),
        }
    }

    /// The copy of a term.
    pub(super) fn term(&mut self, terms: &Terms, root: TermId) -> Copied<TermId> {
        let copy = self.copy(terms, root)?;
        while let Some(fun) = self.pending.pop() {
            let Some((params, body)) = terms.recursive_definition(fun) else { continue };
            let params = params.iter().map(|&param| self.copy(terms, param)).collect::<Copied<_>>()?;
            let body = self.copy(terms, body)?;
            let own = self.funs[&fun];
            self.own.define_recursive(own, params, body);
        }
        Ok(copy)
    }

    /// The copy of a function, if there is one.
    pub(super) fn copied(&self, fun: FunId) -> Option<FunId> {
        self.funs.get(&fun).copied()
    }

    fn copy(&mut self, terms: &Terms, root: TermId) -> Copied<TermId> {
        let mut todo = vec![root];
        while let Some(&term) = todo.last() {
            if self.terms.contains_key(&term) {
                todo.pop();
                continue;
            }
            let before = todo.len();
            let open = |part: &&TermId| !self.terms.contains_key(part);
            todo.extend(terms.args(term).iter().rev().filter(open));
            if let Some(fun) = terms.applied(term)
                && let Role::Defined(params, body) = &terms.fun(fun).role
            {
                todo.extend(params.iter().chain([body]).filter(open));
            }
            if todo.len() == before {
                let copy = self.build(terms, term)?;
                self.terms.insert(term, copy);
            }
        }
        Ok(self.terms[&root])
    }

    fn build(&mut self, terms: &Terms, term: TermId) -> Copied<TermId> {
        let node = *terms.node(term);
        let args: Vec<TermId> = terms.args(term).iter().map(|arg| self.terms[arg]).collect();
        let result = match node.op {
            Op::Const => return self.literal(terms, term),
            Op::Var => {
                let name = terms.variable(term).map(|name| terms.names.text(name)).unwrap_or_default();
                let name = self.names.fresh(name);
                let (name, sort) = (self.own.names.intern(&name), self.sort(terms, node.sort)?);
                return Ok(self.own.var(name, sort));
            }
            Op::App => {
                let fun = terms.applied(term).ok_or_else(|| unsupported(node.op))?;
                let fun = self.function(terms, fun)?;
                self.own.call(fun, &args)
            }
            Op::Forall | Op::Exists | Op::Lambda => {
                let (body, vars) = args.split_last().ok_or_else(|| unsupported(node.op))?;
                self.own.bind(node.op, vars, *body)
            }
            Op::ConstArray => {
                let sort = self.sort(terms, node.sort)?;
                self.own.const_array(sort, args[0])
            }
            // Not every solver has it, and this is what it means.
            Op::Divisible => {
                let (divisor, zero) = (self.own.int(node.payload), self.own.int(0));
                let rest = self.own.app(Op::Mod, &[args[0], divisor]).map_err(|_| unsupported(node.op))?;
                self.own.app(Op::Eq, &[rest, zero])
            }
            Op::Error | Op::SeqEmpty | Op::ReLoop => return Err(unsupported(node.op)),
            op => self.own.app_indexed(op, &indices(terms, term), &args),
        };
        result.map_err(|_| unsupported(node.op))
    }

    fn literal(&mut self, terms: &Terms, term: TermId) -> Copied<TermId> {
        Ok(match terms.literal(term) {
            Some(Const::Nat(value)) => self.own.nat(value.clone()),
            Some(Const::Decimal(value)) => self.own.real(value),
            Some(Const::Bits(width, value)) => self.own.bits(*width, value.clone()),
            Some(Const::Str(text)) => self.own.str(text),
            _ => return Err(unsupported(Op::Const)),
        })
    }

    fn function(&mut self, terms: &Terms, id: FunId) -> Copied<FunId> {
        if let Some(&own) = self.funs.get(&id) {
            return Ok(own);
        }
        let fun = terms.fun(id);
        let mut params = Vec::new();
        for &param in &fun.params {
            params.push(self.sort(terms, param)?);
        }
        let result = self.sort(terms, fun.result)?;
        let own = match fun.role {
            Role::Constructor(i) => self.own.constructor(result, i),
            Role::Tester(i) => params.first().and_then(|&sort| self.own.tester(sort, i)),
            Role::Selector(i, field) => params.first().and_then(|&sort| self.own.selector(sort, i, field)),
            _ => None,
        };
        let own = match own {
            Some(own) => own,
            None => {
                let text = self.names.fresh(&written(terms, id));
                let role = match &fun.role {
                    Role::Defined(params, body) => {
                        let params = params.iter().map(|param| self.terms[param]).collect();
                        Role::Defined(params, self.terms[body])
                    }
                    Role::Recursive(number) => Role::Recursive(*number),
                    _ => Role::Free,
                };
                if role == Role::Free {
                    self.symbols.push((id, text.clone()));
                }
                let name = self.own.names.intern(&text);
                self.own.declare(Fun { name, params: params.into(), result, role })
            }
        };
        self.funs.insert(id, own);
        if matches!(fun.role, Role::Recursive(_)) {
            self.pending.push(id);
        }
        Ok(own)
    }

    /// The copy of a sort. Fields of datatypes come after the datatypes are known, because they mention them.
    fn sort(&mut self, terms: &Terms, root: SortId) -> Copied<SortId> {
        let copy = self.bare_sort(terms, root)?;
        self.fields(terms)?;
        Ok(copy)
    }

    /// The copy of a sort whose datatypes are only announced.
    fn bare_sort(&mut self, terms: &Terms, root: SortId) -> Copied<SortId> {
        let mut todo = vec![root];
        while let Some(&id) = todo.last() {
            if self.sorts.contains_key(&id) {
                todo.pop();
                continue;
            }
            let before = todo.len();
            let parts = smt::sort::children(terms.sorts.get(id));
            todo.extend(parts.into_iter().filter(|part| !self.sorts.contains_key(part)));
            if todo.len() > before {
                continue;
            }
            let copy = match terms.sorts.get(id) {
                Sort::Seq(element) => Sort::Seq(self.sorts[element]),
                Sort::Array(index, element) => Sort::Array(self.sorts[index], self.sorts[element]),
                Sort::Map(index, element) => Sort::Map(self.sorts[index], self.sorts[element]),
                Sort::Declared(decl, args) => {
                    let args = args.iter().map(|arg| self.sorts[arg]).collect();
                    Sort::Declared(self.decl(terms, *decl), args)
                }
                Sort::Param(name) => Sort::Param(self.own.names.intern(terms.names.text(*name))),
                Sort::Error => return Err(unsupported(Op::Error)),
                simple => simple.clone(),
            };
            let copy = self.own.sorts.mk(copy);
            self.sorts.insert(id, copy);
        }
        Ok(self.sorts[&root])
    }

    fn decl(&mut self, terms: &Terms, id: SortDeclId) -> SortDeclId {
        if let Some(&own) = self.decls.get(&id) {
            return own;
        }
        let decl = terms.sorts.decl(id);
        let name = self.names.fresh(terms.names.text(decl.name));
        let name = self.own.names.intern(&name);
        let own = match decl.datatype {
            Some(_) => self.own.sorts.declare_datatype(name, decl.arity, 0),
            None => self.own.sorts.declare(name, decl.arity),
        };
        self.decls.insert(id, own);
        self.sort_order.push((id, own));
        own
    }

    /// Gives announced datatypes their constructors.
    fn fields(&mut self, terms: &Terms) -> Copied<()> {
        let open = |copier: &Copier| {
            let is_open = |own: SortDeclId| copier.own.sorts.decl(own).datatype.is_none();
            let mut all = copier.sort_order.iter();
            all.find(|(id, own)| terms.sorts.decl(*id).datatype.is_some() && is_open(*own)).copied()
        };
        while let Some((id, own)) = open(self) {
            let Some(datatype) = &terms.sorts.decl(id).datatype else { break };
            let params =
                datatype.params.iter().map(|&p| self.own.names.intern(terms.names.text(p))).collect();
            let mut constructors = Vec::new();
            for constructor in &datatype.constructors {
                let name = self.names.fresh(terms.names.text(constructor.name));
                let name = self.own.names.intern(&name);
                let mut fields = Vec::new();
                for &(field, sort) in &constructor.fields {
                    let field = self.names.fresh(terms.names.text(field));
                    fields.push((self.own.names.intern(&field), self.bare_sort(terms, sort)?));
                }
                constructors.push(Constructor { name, fields });
            }
            self.own.sorts.define_datatype(own, Datatype { params, constructors });
        }
        Ok(())
    }
}

/// The name of a function for people; what a variable was at a tag has both in it.
fn written(terms: &Terms, fun: FunId) -> String {
    match terms.fun(fun).role {
        Role::At(_, tag) => format!("{}@{}", terms.fun_name(fun), terms.names.text(tag)),
        _ => terms.fun_name(fun).to_owned(),
    }
}

/// The numerals of an operator's identifier.
fn indices(terms: &Terms, term: TermId) -> Vec<u32> {
    let node = terms.node(term);
    let width = terms.sorts.width(node.sort).unwrap_or(0);
    match (node.op.info().rule, terms.sorts.get(node.sort)) {
        (Rule::Extract, _) => vec![node.payload + width - 1, node.payload],
        (Rule::IntToBv | Rule::FloatToBv, _) => vec![width],
        (Rule::FpConst | Rule::ToFpBits | Rule::ToFpRounded, Sort::Float(eb, sb)) => vec![*eb, *sb],
        (rule, _) if rule.indices() == 1 => vec![node.payload],
        _ => Vec::new(),
    }
}

fn unsupported(op: Op) -> SolverError {
    SolverError::Unsupported { what: op.name().to_owned() }
}
