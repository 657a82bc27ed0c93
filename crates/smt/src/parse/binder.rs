//! `let`, quantifiers and `lambda`.

use super::Parser;
use super::term::Frame;
use crate::op::Op;
use crate::scope::Binding;
use crate::sexpr::NodeIdx;
use crate::sort::SortId;
use crate::term::TermId;
use base::intern::SymbolId;
use diag::codes;
use rustc_hash::FxHashSet;

impl Parser<'_> {
    /// The children of `node` after its head, if there are exactly two.
    fn two(&self, node: NodeIdx, head: NodeIdx) -> Option<(NodeIdx, NodeIdx)> {
        let (first, end) = (self.tree.next(head), self.tree.next(node));
        if first >= end {
            return None;
        }
        let second = self.tree.next(first);
        (second < end && self.tree.next(second) == end).then_some((first, second))
    }

    /// The parts of `(name x)`.
    pub(super) fn pair(&self, node: NodeIdx) -> Option<(NodeIdx, NodeIdx)> {
        let name = self.tree.head(node)?;
        let value = self.tree.next(name);
        (value < self.tree.next(node) && self.tree.next(value) == self.tree.next(node))
            .then_some((name, value))
    }

    // ---- let

    pub(super) fn start_let(&mut self, node: NodeIdx, head: NodeIdx) {
        let Some((bindings, _)) = self.two(node, head) else {
            return self.bad(node, "(let ((name term) …) term)");
        };
        let Some(first) = self.tree.head(bindings) else {
            return self.bad(bindings, "a list of bindings (name term)");
        };
        let base = self.stack.values.len() as u32;
        self.stack.frames.push(Frame::Let { node, next: first, base });
    }

    pub(super) fn resume_let(&mut self, node: NodeIdx, next: NodeIdx, base: u32) {
        let bindings = self.tree.next(node + 1);
        if next < self.tree.next(bindings) {
            self.stack.frames.push(Frame::Let { node, next: self.tree.next(next), base });
            return match self.pair(next) {
                Some((name, value)) if self.tree.is_symbol(name) => self.start(value),
                _ => self.bad(next, "(name term)"),
            };
        }
        let (mark, depth, base) = (self.scope.mark(), self.stack.capture.depth(), base as usize);
        let mut names = Vec::with_capacity(self.stack.values.len() - base);
        for (i, binding) in self.tree.children(bindings).enumerate() {
            let Some((name, _)) = self.pair(binding).filter(|&(name, _)| self.tree.is_symbol(name)) else {
                continue;
            };
            let symbol = self.terms.names.intern(self.text.atom(self.tree, name));
            names.push((symbol, name));
            self.scope.bind_inner(symbol, Binding::Local(self.stack.values[base + i], depth));
        }
        self.report_twice(&names, "in one `let`");
        self.stack.values.truncate(base);
        self.stack.frames.push(Frame::LetBody { mark });
        self.start(self.tree.next(bindings));
    }

    /// Reports names that stand in a list more than once.
    pub(super) fn report_twice(&mut self, names: &[(SymbolId, NodeIdx)], place: &str) {
        const FEW: usize = 16;
        if names.len() < 2 {
            return;
        }
        let repeated = |i: usize| names[..i].iter().any(|earlier| earlier.0 == names[i].0);
        let twice: Vec<NodeIdx> = if names.len() <= FEW {
            (1..names.len()).filter(|&i| repeated(i)).map(|i| names[i].1).collect()
        } else {
            let mut seen = FxHashSet::default();
            names.iter().filter(|name| !seen.insert(name.0)).map(|name| name.1).collect()
        };
        for node in twice {
            let what = self.describe(node);
            self.error(codes::SMT019, node, format!("{what} is bound twice {place}"));
        }
    }

    // ---- quantifiers and lambda

    /// The variables `((x S) …)` of a binder or of formal parameters, brought into scope.
    pub(super) fn sorted_vars(&mut self, list: NodeIdx) -> Option<Vec<TermId>> {
        if !self.tree.is_list(list) {
            self.expected("a list of (name sort)", list);
            return None;
        }
        let (mut names, mut sorts) = (Vec::new(), Vec::new());
        for item in self.tree.children(list) {
            let Some((name, sort)) = self.pair(item) else {
                self.expected("(name sort)", item);
                return None;
            };
            names.push((self.symbol(name, "a variable's name")?, name));
            sorts.push(self.sort(sort));
        }
        self.report_twice(&names, "here");
        let mut vars = Vec::with_capacity(names.len());
        for (&(symbol, _), &sort) in names.iter().zip(&sorts) {
            if sort == SortId::ERROR {
                self.scope.bind_inner(symbol, Binding::Bound(TermId::ERROR));
                vars.push(TermId::ERROR);
                continue;
            }
            let written = self.hide(symbol);
            let var = self.terms.var(written, sort);
            self.scope.bind_inner(symbol, Binding::Bound(var));
            if written != symbol {
                // So that nothing else gets or hides the new name.
                self.scope.bind_inner(written, Binding::Bound(var));
            }
            vars.push(var);
        }
        Some(vars)
    }

    pub(super) fn start_binder(&mut self, node: NodeIdx, head: NodeIdx, op: Op) {
        let Some((list, body)) = self.two(node, head) else {
            return self.bad(node, &format!("({} ((name sort) …) term)", op.name()));
        };
        if self.tree.is_list(list) && self.tree.head(list).is_none() {
            return self.bad(list, "at least one variable");
        }
        let (mark, hidden) = (self.scope.mark(), self.stack.capture.depth());
        let Some(new) = self.sorted_vars(list) else { return self.push(TermId::ERROR) };
        let vars = self.stack.vars.len() as u32;
        self.stack.vars.extend(new);
        self.stack.frames.push(Frame::Bind { node, op, vars, hidden, mark });
        self.stack.frames.push(Frame::Term { node: body });
    }

    /// Builds the binder of the open variables from `base` on, whose scope has ended.
    pub(super) fn finish_binder(&mut self, node: NodeIdx, op: Op, base: usize) {
        let body = self.pop();
        let vars = &self.stack.vars[base..];
        let term = if body == TermId::ERROR || vars.contains(&TermId::ERROR) {
            TermId::ERROR
        } else if let Ok(term) = self.terms.bind(op, vars, body) {
            term
        } else {
            let found = crate::print::sort_text(self.terms, self.terms.sort(body));
            let message = format!("the body of `{}` has sort {found}, expected Bool", op.name());
            let place = self.tree.next(self.tree.next(node + 1));
            self.error(codes::SMT015, place, message);
            TermId::ERROR
        };
        self.stack.vars.truncate(base);
        self.push(term);
    }
}
