//! Annotations `(! t :key value …)`: all are noticed; `:named`, `:next` and `:pattern` do something.

use super::term::Frame;
use super::{Annotation, Parser};
use crate::op::{Op, Theory};
use crate::scope::Binding;
use crate::sexpr::{Kind, NodeIdx};
use crate::term::{Fun, Role, TermId};
use base::intern::SymbolId;
use diag::{Diagnostic, codes};

impl Parser<'_> {
    pub(super) fn start_annotated(&mut self, node: NodeIdx) {
        match self.tree.children(node).nth(1) {
            Some(body) => {
                self.stack.frames.push(Frame::Annotated { node });
                self.stack.frames.push(Frame::Term { node: body });
            }
            None => self.bad(node, "(! term :keyword …)"),
        }
    }

    /// Reads the attributes of an annotated term, which stays the last value.
    pub(super) fn annotate(&mut self, node: NodeIdx) {
        let mut attributes = self.tree.children(node);
        attributes.next();
        attributes.next();
        let mut attributes = attributes.peekable();
        if attributes.peek().is_none() {
            self.error(codes::SMT010, node, "expected (! term :keyword …)");
        }
        let term = self.stack.values.last().copied().unwrap_or(TermId::ERROR);
        while let Some(key) = attributes.next() {
            if self.tree.kind(key) != Kind::Keyword {
                return self.expected("a keyword", key);
            }
            let value = attributes.next_if(|&value| self.tree.kind(value) != Kind::Keyword);
            self.noticed.annotations.push(Annotation { term, key, value });
            match (self.text.atom(self.tree, key), value) {
                (":named", value) => self.name_term(key, value, term),
                (":next", Some(value)) if self.scope.next_declares => self.declare_next(value, term),
                (":pattern", Some(value)) if self.tree.is_list(value) => self.start_patterns(value),
                _ => {}
            }
        }
    }

    /// `:named n` is a definition of `n` that stays when the term is over.
    fn name_term(&mut self, key: NodeIdx, value: Option<NodeIdx>, term: TermId) {
        let Some(value) = value else { return self.expected("a name after `:named`", key) };
        let Some(name) = self.symbol(value, "a name after `:named`") else { return };
        if term == TermId::ERROR {
            return;
        }
        if !crate::subst::is_closed(self.terms, term) {
            return self.error(codes::SMT010, value, "a named term must not contain bound variables");
        }
        if matches!(self.scope.get(name), Binding::Local(..) | Binding::Bound(_)) {
            let what = self.describe(value);
            return self.error(codes::SMT016, value, format!("{what} is a variable here"));
        }
        if self.is_taken(value, name) {
            return;
        }
        let result = self.terms.sort(term);
        let role = Role::Defined(Box::new([]), term);
        let fun = self.terms.declare(Fun { name, params: Box::new([]), result, role });
        self.scope.bind_persistent(name, fun, self.tree.span(value));
        self.noticed.named.push(fun);
    }

    fn declare_next(&mut self, value: NodeIdx, term: TermId) {
        let Some(text) = self.text.symbol(self.tree, value) else { return };
        let name = self.terms.names.intern(text);
        if self.scope.get(name) != Binding::None || term == TermId::ERROR {
            return;
        }
        let result = self.terms.sort(term);
        let fun = self.terms.declare(Fun { name, params: Box::new([]), result, role: Role::Free });
        self.scope.bind_implied(name, fun, self.tree.span(value));
        self.noticed.named.push(fun);
    }

    /// Reports a name that is declared already; true if it is.
    pub(super) fn is_taken(&mut self, node: NodeIdx, name: SymbolId) -> bool {
        let taken = match self.scope.get(name) {
            Binding::None | Binding::Local(..) | Binding::Bound(_) => false,
            // Real files declare functions that have the name of an operator of a theory they do not use. But what is
            // put into terms unasked, as in `-5` or for an integer among reals, must not mean something else.
            Binding::Op(op) => op.info().theory == Theory::Core || matches!(op, Op::Neg | Op::ToReal),
            Binding::Fun(_) | Binding::Generic(_) => true,
        };
        if taken {
            let what = self.describe(node);
            let mut error =
                Diagnostic::new(codes::SMT016, self.tree.span(node), format!("{what} is declared already"));
            if let Some(span) = self.scope.declared_at(name) {
                error = error.note_at(span, "the first declaration is here");
            }
            self.report(error);
        }
        taken
    }

    /// Patterns are read while the quantifier's variables are in scope. They are checked like any term and then
    /// forgotten, because solvers choose their own triggers.
    fn start_patterns(&mut self, list: NodeIdx) {
        // Only directly under a quantifier do patterns mean anything.
        let Some(Frame::Bind { .. } | Frame::Patterns { .. }) = self.stack.frames.last() else { return };
        let (base, next) = (self.stack.values.len() as u32, list + 1);
        self.stack.frames.push(Frame::Patterns { next, end: self.tree.next(list), base });
    }

    pub(super) fn resume_patterns(&mut self, next: NodeIdx, end: NodeIdx, base: u32) {
        if next < end {
            self.stack.frames.push(Frame::Patterns { next: self.tree.next(next), end, base });
            return self.start(next);
        }
        self.stack.values.truncate(base as usize);
    }
}
