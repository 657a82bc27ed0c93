//! Applying a head to arguments: operators, functions, constructors of parametric datatypes, testers, arrays.

use super::Parser;
use super::ident::{Head, shown};
use crate::check::{self, RankError};
use crate::op::{OPS, Op, Rule, Theory};
use crate::print::sort_text;
use crate::scope::Generic;
use crate::sexpr::NodeIdx;
use crate::sort::{Sort, SortId};
use crate::term::{FunId, TermId};
use base::intern::SymbolId;
use diag::{Diagnostic, codes};
use rustc_hash::FxHashMap;

impl Parser<'_> {
    /// Applies a head; reports what does not fit.
    #[inline]
    pub(super) fn apply_head(&mut self, node: NodeIdx, head: Head, args: &[TermId]) -> TermId {
        let result = match head {
            Head::Error => return TermId::ERROR,
            _ if args.contains(&TermId::ERROR) => return TermId::ERROR,
            Head::Op(op, _) if op.info().rule == Rule::Special => return self.undetermined(node, op.name()),
            Head::Op(op, indices) => check::apply_named(self.terms, op, indices, args),
            Head::OpAs(op, indices, sort) => match check::apply_named(self.terms, op, indices, args) {
                Ok(term) if self.terms.sort(term) != sort => Err(RankError::Result { found: sort }),
                result => result,
            },
            Head::Fun(fun) => self.apply_fun(fun, args),
            Head::Generic(generic, sort) => return self.apply_generic(node, generic, sort, args),
            Head::ConstArray(sort) => match args {
                [value] => self.terms.const_array(sort, *value),
                _ => Err(RankError::Count { min: 1, max: Some(1), found: args.len() }),
            },
            Head::Tester(name) => return self.apply_tester(node, name, args),
            Head::Term(term) => self.apply_term(term, args),
        };
        match result {
            // A function whose sort was reported already.
            Ok(term) if self.terms.sort(term) == SortId::ERROR => TermId::ERROR,
            Ok(term) => term,
            Err(error) => {
                self.rank_error(node, &error, args);
                TermId::ERROR
            }
        }
    }

    /// A user's function may have the name of an operator of another theory; the arguments decide.
    fn apply_fun(&mut self, fun: FunId, args: &[TermId]) -> Result<TermId, RankError> {
        let error = match self.terms.call(fun, args) {
            Ok(term) => return Ok(term),
            Err(error) => error,
        };
        let name = self.terms.fun_name(fun);
        let same_name = |info: &&crate::op::OpInfo| info.name == name && info.theory != Theory::Kernel;
        let op = OPS.iter().find(same_name).map(|info| info.op);
        match op.map(|op| check::apply_named(self.terms, op, [0; 2], args)) {
            Some(Ok(term)) => Ok(term),
            _ => Err(error),
        }
    }

    /// `(a i)` for an array or map `a` is selection.
    fn apply_term(&mut self, term: TermId, args: &[TermId]) -> Result<TermId, RankError> {
        let mut result = term;
        for &arg in args {
            result = self.terms.app(Op::Select, &[result, arg])?;
        }
        Ok(result)
    }

    fn apply_generic(
        &mut self,
        node: NodeIdx,
        generic: Generic,
        sort: Option<SortId>,
        args: &[TermId],
    ) -> TermId {
        let found = match (sort, generic.field) {
            (Some(sort), 0) => Some(sort),
            (_, 0) => self.infer_constructor(generic, args),
            _ => args.first().map(|&arg| self.terms.sort(arg)),
        };
        let of_datatype = |p: &Self, sort: SortId| matches!(p.terms.sorts.get(sort), Sort::Declared(d, _) if *d == generic.datatype);
        let Some(sort) = found.filter(|&sort| of_datatype(self, sort)) else {
            let name = shown(self.text.atom(self.tree, self.tree.head(node).unwrap_or(node)));
            return self.undetermined(node, &name);
        };
        let fun = match generic.field {
            0 => self.terms.constructor(sort, generic.constructor.into()),
            field => self.terms.selector(sort, generic.constructor.into(), u32::from(field) - 1),
        };
        match fun.map(|fun| self.terms.call(fun, args)) {
            Some(Ok(term)) => term,
            Some(Err(error)) => {
                self.rank_error(node, &error, args);
                TermId::ERROR
            }
            None => TermId::ERROR,
        }
    }

    fn undetermined(&mut self, node: NodeIdx, name: &str) -> TermId {
        let message = format!("the sort of `{name}` is not determined here");
        let error = Diagnostic::new(codes::SMT018, self.tree.span(node), message);
        self.report(error.help(format!("write (as {name} sort)")));
        TermId::ERROR
    }

    /// The sort of a constructor's result, when its arguments mention all parameters.
    fn infer_constructor(&mut self, generic: Generic, args: &[TermId]) -> Option<SortId> {
        let datatype = self.terms.sorts.decl(generic.datatype).datatype.clone()?;
        let constructor = datatype.constructors.get(generic.constructor as usize)?;
        let mut found = FxHashMap::default();
        for (&(_, pattern), &arg) in constructor.fields.iter().zip(args) {
            self.terms.sorts.unify(pattern, self.terms.sort(arg), &mut found);
        }
        let args: Option<Box<[SortId]>> = datatype.params.iter().map(|p| found.get(p).copied()).collect();
        Some(self.terms.sorts.mk(Sort::Declared(generic.datatype, args?)))
    }

    fn apply_tester(&mut self, node: NodeIdx, name: SymbolId, args: &[TermId]) -> TermId {
        let text = self.terms.names.text(name).to_string();
        let [arg] = *args else {
            let error = RankError::Count { min: 1, max: Some(1), found: args.len() };
            self.rank_error(node, &error, args);
            return TermId::ERROR;
        };
        let sort = self.terms.sort(arg);
        let position = self
            .terms
            .sorts
            .datatype(sort)
            .and_then(|(d, _)| d.constructors.iter().position(|c| c.name == name));
        let Some(position) = position else {
            let sort = sort_text(self.terms, sort);
            self.error(codes::SMT012, node, format!("{sort} has no constructor `{}`", shown(&text)));
            return TermId::ERROR;
        };
        let tester = self.terms.tester(sort, position as u32);
        tester.and_then(|t| self.terms.call(t, &[arg]).ok()).unwrap_or(TermId::ERROR)
    }

    fn rank_error(&mut self, node: NodeIdx, error: &RankError, args: &[TermId]) {
        let head = self.tree.head(node).unwrap_or(node);
        let name = shown(self.text.slice(self.tree.span(head)));
        let message = error.message(self.terms, &name, args);
        let (code, place) = match error {
            RankError::Count { .. } => (codes::SMT014, node),
            RankError::Sort { index, .. } | RankError::Kind { index, .. } => {
                (codes::SMT015, self.tree.children(node).nth(index + 1).unwrap_or(node))
            }
            RankError::Indices { .. } | RankError::Range(_) => (codes::SMT017, node),
            RankError::Result { .. } => (codes::SMT015, node),
        };
        self.error(code, place, message);
    }
}
