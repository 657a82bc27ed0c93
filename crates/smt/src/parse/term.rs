//! Terms, by a machine with an explicit stack: one frame per open construct, one value per finished subterm.
//!
//! This file is the machine and applications; the other constructs are in [`super::binder`] (`let`, quantifiers),
//! [`super::cases`] (`match`), [`super::note`] (annotations) and [`super::relational`] (`at`, `old`). `let` and
//! `match` are put in place, so the result is a graph without names; [`super::capture`] sees to it that nothing
//! changes its meaning on the way.

use super::Parser;
use super::capture::Capture;
use super::cases::Cases;
use super::ident::Head;
use crate::op::Op;
use crate::scope::{Binding, Mark};
use crate::sexpr::{Kind, NodeIdx};
use crate::term::TermId;
use base::id::Id;
use diag::codes;

/// The machine's memory, kept between terms.
#[derive(Default)]
pub(crate) struct Stack {
    pub(super) frames: Vec<Frame>,
    pub(super) values: Vec<TermId>,
    /// The variables of open quantifiers.
    pub(super) vars: Vec<TermId>,
    pub(super) capture: Capture,
}

/// An open construct.
pub(super) enum Frame {
    /// A term that is next. What begins a construct pushes this for its first part instead of calling
    /// [`Parser::start`], which would be a recursion as deep as the term.
    Term { node: NodeIdx },
    /// A function or operator that waits for arguments; the values from `base` on are there.
    Apply { node: NodeIdx, next: NodeIdx, base: u32, head: Head },
    /// `let` before its body.
    Let { node: NodeIdx, next: NodeIdx, base: u32 },
    /// `let` with its body under way.
    LetBody { mark: Mark },
    /// A quantifier or `lambda` with its body under way; `vars` and `hidden` say what is older than it.
    Bind { node: NodeIdx, op: Op, vars: u32, hidden: u32, mark: Mark },
    /// `(! t …)` with `t` under way.
    Annotated { node: NodeIdx },
    /// Patterns of a quantifier are read after its body, inside its scope.
    Patterns { next: NodeIdx, end: NodeIdx, base: u32 },
    /// `match` before its cases.
    Match { node: NodeIdx },
    /// `match` with a case under way.
    Case(Box<Cases>),
    /// `(old t)` with `t` under way.
    Old { node: NodeIdx },
}

impl Parser<'_> {
    pub(super) fn parse_term(&mut self, node: NodeIdx) -> TermId {
        let before = self.noticed.lengths(self.errors.len());
        let term = self.run(node);
        if !self.stack.capture.caught {
            return term;
        }
        // Once more, with other names for all variables that hide something.
        for &fun in &self.noticed.named[before.named..] {
            self.scope.unbind(self.terms.fun(fun).name);
        }
        self.noticed.truncate(before);
        self.errors.truncate(before.errors);
        self.stack.capture.rename = true;
        let term = self.run(node);
        self.stack.capture.rename = false;
        term
    }

    fn run(&mut self, node: NodeIdx) -> TermId {
        self.stack.frames.clear();
        self.stack.values.clear();
        self.stack.vars.clear();
        self.stack.capture.clear();
        let mark = self.scope.mark();
        self.start(node);
        loop {
            if self.is_full() {
                // Whatever is left open is left.
                self.scope.restore(mark);
                return TermId::ERROR;
            }
            if let Some(Frame::Apply { node, next, .. }) = self.stack.frames.last_mut() {
                let child = *next;
                if child < self.tree.next(*node) {
                    *next = self.tree.next(child);
                    self.start(child);
                    continue;
                }
            }
            let Some(frame) = self.stack.frames.pop() else { break };
            self.resume(frame);
        }
        self.pop()
    }

    pub(super) fn push(&mut self, term: TermId) {
        self.stack.values.push(term);
    }

    pub(super) fn pop(&mut self) -> TermId {
        self.stack.values.pop().unwrap_or(TermId::ERROR)
    }

    /// Reports a construct that should look like `shape`; its value is the error term.
    pub(super) fn bad(&mut self, node: NodeIdx, shape: &str) {
        self.error(codes::SMT010, node, format!("expected {shape}"));
        self.push(TermId::ERROR);
    }

    /// Begins a term: pushes its value, or a frame that will.
    pub(super) fn start(&mut self, node: NodeIdx) {
        match self.tree.kind(node) {
            Kind::Symbol | Kind::Quoted => {
                let term = self.name(node);
                self.push(term);
            }
            Kind::List => self.start_list(node),
            Kind::Error => self.push(TermId::ERROR),
            _ => {
                let term = self.literal(node);
                self.push(term);
            }
        }
    }

    fn start_list(&mut self, node: NodeIdx) {
        let Some(head) = self.tree.head(node) else {
            self.expected("a term", node);
            return self.push(TermId::ERROR);
        };
        if self.tree.kind(head) != Kind::Symbol {
            let what = self.head(head, node);
            return self.start_application(node, head, what);
        }
        let symbol = self.terms.names.intern(self.text.atom(self.tree, head));
        let Some(&word) = crate::op::WORDS.get(symbol.index()) else {
            let what = self.plain_head(head, node, symbol);
            return self.start_application(node, head, what);
        };
        match word {
            "let" => self.start_let(node, head),
            "forall" => self.start_binder(node, head, Op::Forall),
            "exists" => self.start_binder(node, head, Op::Exists),
            "lambda" => self.start_binder(node, head, Op::Lambda),
            "!" => self.start_annotated(node),
            "match" if self.scope.get(symbol) == Binding::None => self.start_match(node),
            "_" | "as" => {
                let head = self.head(node, node);
                let term = self.apply_head(node, head, &[]);
                self.push(term);
            }
            "at" if self.scope.relational.is_some() && self.scope.get(symbol) == Binding::None => {
                let term = self.at_term(node);
                self.push(term);
            }
            "old" if self.scope.relational.is_some() && self.scope.get(symbol) == Binding::None => {
                self.start_old(node);
            }
            _ => {
                let what = self.plain_head(head, node, symbol);
                self.start_application(node, head, what);
            }
        }
    }

    fn start_application(&mut self, node: NodeIdx, head: NodeIdx, what: Head) {
        let next = self.tree.next(head);
        if next == self.tree.next(node) {
            if !matches!(what, Head::Error) {
                let name = self.describe(head);
                self.error(codes::SMT010, node, format!("{name} stands alone in parentheses"));
            }
            return self.push(TermId::ERROR);
        }
        let base = self.stack.values.len() as u32;
        self.stack.frames.push(Frame::Apply { node, next, base, head: what });
    }

    /// Goes on with a frame whose last child is finished.
    fn resume(&mut self, frame: Frame) {
        match frame {
            Frame::Term { node } => self.start(node),
            Frame::Apply { node, head, base, .. } => self.apply(node, head, base as usize),
            Frame::Let { node, next, base } => self.resume_let(node, next, base),
            Frame::LetBody { mark } => self.scope.restore(mark),
            Frame::Bind { node, op, vars, hidden, mark } => {
                self.scope.restore(mark);
                self.stack.capture.unhide(hidden);
                self.finish_binder(node, op, vars as usize);
            }
            Frame::Annotated { node } => self.annotate(node),
            Frame::Patterns { next, end, base } => self.resume_patterns(next, end, base),
            Frame::Match { node } => self.first_case(node),
            Frame::Case(cases) => self.finish_case(cases),
            Frame::Old { node } => self.finish_old(node),
        }
    }

    /// Applies a head to the values from `base` on and puts the result in their place.
    fn apply(&mut self, node: NodeIdx, head: Head, base: usize) {
        // Taken out for as long as the arguments are borrowed; nothing is pushed meanwhile.
        let mut values = std::mem::take(&mut self.stack.values);
        let term = self.apply_head(node, head, &values[base..]);
        values.truncate(base);
        values.push(term);
        self.stack.values = values;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_small() {
        assert_eq!(size_of::<Frame>(), 32);
    }
}
