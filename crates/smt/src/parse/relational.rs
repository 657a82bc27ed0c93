//! `(at x tag)` and `(old t)`, which properties of SV-LIB programs have beside ordinary terms.

use super::Parser;
use super::term::Frame;
use crate::scope::Binding;
use crate::sexpr::NodeIdx;
use crate::term::{Fun, FunId, Role, TermId};
use base::intern::SymbolId;
use diag::codes;
use rustc_hash::FxHashMap;

impl Parser<'_> {
    pub(super) fn at_term(&mut self, node: NodeIdx) -> TermId {
        let parts: Vec<NodeIdx> = self.tree.children(node).skip(1).collect();
        let [var, tag] = parts[..] else {
            self.error(codes::SMT010, node, "expected (at variable tag)");
            return TermId::ERROR;
        };
        let name = self.text.symbol(self.tree, var).map(|name| self.terms.names.intern(name));
        let Some(tag) = self.symbol(tag, "a tag") else { return TermId::ERROR };
        let variable = match name.map(|name| self.scope.get(name)) {
            Some(Binding::Fun(fun)) if matches!(self.terms.fun(fun).role, Role::Variable(..)) => fun,
            _ => {
                let what = self.describe(var);
                self.error(codes::SV208, var, format!("`at` needs a program variable, and {what} is none"));
                return TermId::ERROR;
            }
        };
        let at = self.at_fun(variable, tag);
        self.noticed.at.push((at, self.tree.span(node)));
        self.terms.constant_term(at)
    }

    fn at_fun(&mut self, var: FunId, tag: SymbolId) -> FunId {
        let Fun { name, result, .. } = *self.terms.fun(var);
        self.terms.declare(Fun { name, params: Box::new([]), result, role: Role::At(var, tag) })
    }

    pub(super) fn start_old(&mut self, node: NodeIdx) {
        let body: Vec<NodeIdx> = self.tree.children(node).skip(1).collect();
        let [body] = body[..] else { return self.bad(node, "(old term)") };
        self.stack.frames.push(Frame::Old { node });
        self.stack.frames.push(Frame::Term { node: body });
    }

    /// `(old t)` is `t` with every program variable taken at the procedure's tag.
    pub(super) fn finish_old(&mut self, node: NodeIdx) {
        self.noticed.old.push(self.tree.span(node));
        let body = self.pop();
        let Some(tag) = self.scope.relational.and_then(|r| r.old_tag) else {
            self.error(codes::SV208, node, "`old` needs a tag on the procedure's body");
            return self.push(TermId::ERROR);
        };
        let mut replace = FxHashMap::default();
        for term in crate::subst::constants(self.terms, body) {
            let Some(fun) = self.terms.applied(term) else { continue };
            if matches!(self.terms.fun(fun).role, Role::Variable(..)) {
                let at = self.at_fun(fun, tag);
                self.noticed.at.push((at, self.tree.span(node)));
                let at = self.terms.constant_term(at);
                replace.insert(term, at);
            }
        }
        let term = crate::subst::replace(self.terms, body, &replace);
        self.push(term);
    }
}
