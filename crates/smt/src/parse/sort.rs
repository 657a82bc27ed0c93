//! Sorts, with an explicit stack.

use super::Parser;
use crate::check::float_sort;
use crate::scope::SortBinding;
use crate::sexpr::NodeIdx;
use crate::sort::{Sort, SortId};
use diag::{Diagnostic, codes};

/// A sort constructor that waits for its arguments.
struct Frame {
    node: NodeIdx,
    head: NodeIdx,
    next: NodeIdx,
    base: usize,
}

impl Parser<'_> {
    /// A sort; [`SortId::ERROR`] after a report.
    pub fn sort(&mut self, node: NodeIdx) -> SortId {
        // Most sorts are one word.
        if self.tree.is_symbol(node) {
            return self.apply_sort(node, node, &[]);
        }
        let mut frames: Vec<Frame> = Vec::new();
        let mut values: Vec<SortId> = Vec::new();
        self.start_sort(node, &mut frames, &mut values);
        while let Some(frame) = frames.last_mut() {
            if frame.next < self.tree.next(frame.node) {
                let child = frame.next;
                frame.next = self.tree.next(child);
                self.start_sort(child, &mut frames, &mut values);
            } else if let Some(frame) = frames.pop() {
                let args = values.split_off(frame.base);
                let sort = self.apply_sort(frame.node, frame.head, &args);
                values.push(sort);
            }
        }
        values.pop().unwrap_or(SortId::ERROR)
    }

    fn start_sort(&mut self, node: NodeIdx, frames: &mut Vec<Frame>, values: &mut Vec<SortId>) {
        if self.tree.is_symbol(node) {
            let sort = self.apply_sort(node, node, &[]);
            values.push(sort);
            return;
        }
        let Some(head) = self.tree.head(node) else {
            self.expected("a sort", node);
            values.push(SortId::ERROR);
            return;
        };
        match self.text.symbol(self.tree, head) {
            Some("_") => {
                let sort = self.indexed_sort(node);
                values.push(sort);
            }
            Some(_) if self.tree.next(head) < self.tree.next(node) => {
                frames.push(Frame { node, head, next: self.tree.next(head), base: values.len() });
            }
            _ => {
                self.expected("a sort", node);
                values.push(SortId::ERROR);
            }
        }
    }

    fn indexed_sort(&mut self, node: NodeIdx) -> SortId {
        let mut parts = self.tree.children(node).skip(1);
        let name = parts.next().and_then(|name| self.text.symbol(self.tree, name)).unwrap_or_default();
        // No sort has more than two indices, so the third says enough.
        let (mut indices, mut count) = ([0; 3], 0);
        for (slot, part) in indices.iter_mut().zip(parts) {
            let Some(index) = self.small_numeral(part) else { return SortId::ERROR };
            *slot = index;
            count += 1;
        }
        match (name, &indices[..count]) {
            ("BitVec", [0]) => {
                self.error(codes::SMT017, node, "the width of a bit-vector must be positive");
                SortId::ERROR
            }
            ("BitVec", [width]) => self.terms.sorts.bit_vec(*width),
            ("FloatingPoint", [eb, sb]) => match float_sort(self.terms, *eb, *sb) {
                Ok(sort) => sort,
                Err(error) => {
                    let message = error.message(self.terms, name, &[]);
                    self.error(codes::SMT017, node, message);
                    SortId::ERROR
                }
            },
            ("BitVec" | "FloatingPoint", _) => {
                let n = if name == "BitVec" { "one index" } else { "two indices" };
                self.error(codes::SMT017, node, format!("`{name}` takes {n}"));
                SortId::ERROR
            }
            _ => {
                self.error(codes::SMT013, node, "there is no such indexed sort");
                SortId::ERROR
            }
        }
    }

    fn apply_sort(&mut self, node: NodeIdx, head: NodeIdx, args: &[SortId]) -> SortId {
        let text = self.text.atom(self.tree, head);
        let name = self.terms.names.intern(text);
        if let Some(&SortBinding::Sort(sort)) = self.scope.sort(name)
            && args.is_empty()
        {
            return sort;
        }
        let Some(binding) = self.scope.sort(name).cloned() else {
            if !self.is_full() {
                let help = self.scope.similar_sort(self.terms, text).map(|s| format!("did you mean `{s}`?"));
                let what = self.describe(head);
                let error =
                    Diagnostic::new(codes::SMT013, self.tree.span(head), format!("unknown sort {what}"));
                self.report(error.help_opt(help));
            }
            return SortId::ERROR;
        };
        if args.contains(&SortId::ERROR) {
            return SortId::ERROR;
        }
        let arity = match &binding {
            SortBinding::Sort(_) => 0,
            SortBinding::Seq => 1,
            SortBinding::Array => 2,
            SortBinding::Map => args.len().max(2),
            SortBinding::Decl(decl) => self.terms.sorts.decl(*decl).arity as usize,
            SortBinding::Alias(params, _) => params.len(),
        };
        if arity != args.len() {
            let (what, noun) = (self.describe(head), if arity == 1 { "argument" } else { "arguments" });
            self.error(
                codes::SMT014,
                node,
                format!("the sort {what} takes {arity} {noun}, not {}", args.len()),
            );
            return SortId::ERROR;
        }
        match binding {
            SortBinding::Sort(sort) => sort,
            SortBinding::Seq => self.terms.sorts.mk(Sort::Seq(args[0])),
            SortBinding::Array => self.terms.sorts.array(args[0], args[1]),
            SortBinding::Map => {
                let (mut sort, rest) = (args[args.len() - 1], &args[..args.len() - 1]);
                for &domain in rest.iter().rev() {
                    sort = self.terms.sorts.mk(Sort::Map(domain, sort));
                }
                sort
            }
            SortBinding::Decl(decl) => self.terms.sorts.mk(Sort::Declared(decl, args.into())),
            SortBinding::Alias(params, body) => self.terms.sorts.instantiate(body, &params, args),
        }
    }
}
