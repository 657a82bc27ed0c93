//! From S-expressions to checked terms, sorts and commands.
//!
//! A [`Parser`] looks at one command in a [`Tree`]. Terms are built by a machine with an explicit stack
//! ([`term`]); a problem becomes a diagnostic and an error term, so that one run reports all of them.

use crate::scope::Scope;
use crate::sexpr::{Kind, NodeIdx, Text, Tree};
use crate::sort::SortId;
use crate::term::{FunId, TermId, Terms};
use base::intern::SymbolId;
use diag::{Code, Diagnostic, Span, codes};

mod apply;
mod binder;
mod capture;
mod cases;
pub mod command;
mod datatype;
mod heap;
mod ident;
mod literal;
mod note;
mod quick;
mod relational;
pub(crate) mod rules;
mod sort;
mod term;

pub use command::Command;
pub(crate) use quick::{Quick, Usual};
pub(crate) use term::Stack;

/// An annotation `(! t :key value …)` met inside a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Annotation {
    /// The annotated term.
    pub term: TermId,
    /// The keyword.
    pub key: NodeIdx,
    /// The value, if there is one.
    pub value: Option<NodeIdx>,
}

/// What a parser noticed beside the terms; cleared for each command.
#[derive(Default, Debug)]
pub struct Noticed {
    /// Annotations inside terms, in the order of the text.
    pub annotations: Vec<Annotation>,
    /// Functions defined by `:named` inside terms, in the order of the text.
    pub named: Vec<FunId>,
    /// `(at x tag)` terms with their places.
    pub at: Vec<(FunId, Span)>,
    /// `(old t)` terms.
    pub old: Vec<Span>,
}

/// How much was noticed at some point, to forget what came later.
#[derive(Clone, Copy)]
struct Lengths {
    annotations: usize,
    named: usize,
    at: usize,
    old: usize,
    errors: usize,
}

impl Noticed {
    fn lengths(&self, errors: usize) -> Lengths {
        let (annotations, named) = (self.annotations.len(), self.named.len());
        Lengths { annotations, named, at: self.at.len(), old: self.old.len(), errors }
    }

    fn truncate(&mut self, to: Lengths) {
        self.annotations.truncate(to.annotations);
        self.named.truncate(to.named);
        self.at.truncate(to.at);
        self.old.truncate(to.old);
    }
}

/// Reads the parts of one command.
pub struct Parser<'a> {
    /// Where terms are built.
    pub terms: &'a mut Terms,
    /// What names mean.
    pub scope: &'a mut Scope,
    /// The characters.
    pub text: Text<'a>,
    /// The command.
    pub tree: &'a Tree,
    /// Where problems go.
    pub errors: &'a mut Vec<Diagnostic>,
    /// What else was noticed.
    pub noticed: Noticed,
    stack: Box<Stack>,
    /// So many errors are enough.
    limit: usize,
}

/// A single command reports at most so many problems.
const MANY: usize = 100;

impl<'a> Parser<'a> {
    /// A parser of the command in `tree`.
    pub fn new(
        terms: &'a mut Terms,
        scope: &'a mut Scope,
        text: Text<'a>,
        tree: &'a Tree,
        errors: &'a mut Vec<Diagnostic>,
    ) -> Self {
        Self::with_stack(terms, scope, text, tree, errors, Box::default())
    }

    /// The same with the memory of another parser, for the many small commands of a large file.
    pub(crate) fn with_stack(
        terms: &'a mut Terms,
        scope: &'a mut Scope,
        text: Text<'a>,
        tree: &'a Tree,
        errors: &'a mut Vec<Diagnostic>,
        stack: Box<Stack>,
    ) -> Self {
        let limit = errors.len() + MANY;
        Self { terms, scope, text, tree, errors, noticed: Noticed::default(), stack, limit }
    }

    /// Ends the parser: what it noticed, and its memory.
    pub(crate) fn end(self) -> (Noticed, Box<Stack>) {
        (self.noticed, self.stack)
    }

    /// True when so many problems were found that further ones are not reported.
    fn is_full(&self) -> bool {
        self.errors.len() >= self.limit
    }

    /// Reports a problem.
    pub fn report(&mut self, problem: Diagnostic) {
        if !self.is_full() {
            self.errors.push(problem);
        }
    }

    /// Reports a problem at a node.
    pub fn error(&mut self, code: Code, node: NodeIdx, message: impl Into<String>) {
        self.report(Diagnostic::new(code, self.tree.span(node), message));
    }

    /// Reports that something else was expected at a node.
    pub fn expected(&mut self, what: &str, node: NodeIdx) {
        if self.tree.kind(node) == Kind::Error {
            return;
        }
        let found = self.describe(node);
        self.error(codes::SMT010, node, format!("expected {what}, found {found}"));
    }

    /// A node in a few words.
    #[must_use]
    pub fn describe(&self, node: NodeIdx) -> String {
        let text = self.text.slice(self.tree.span(node));
        const SHORT: usize = 40;
        if text.len() <= SHORT && !text.contains('\n') {
            return format!("`{text}`");
        }
        if self.tree.is_list(node) {
            return match self.tree.head(node).and_then(|head| self.text.symbol(self.tree, head)) {
                Some(head) if head.len() <= SHORT => format!("`({head} …)`"),
                _ => "a list".into(),
            };
        }
        "a long token".into()
    }

    /// The interned symbol at a node, or a report that one was expected.
    pub fn symbol(&mut self, node: NodeIdx, what: &str) -> Option<SymbolId> {
        match self.text.symbol(self.tree, node) {
            Some(text) => Some(self.terms.names.intern(text)),
            None => {
                self.expected(what, node);
                None
            }
        }
    }

    /// The arguments of the list `node` after its head, if there are `min` to `max` of them.
    pub fn arguments(&mut self, node: NodeIdx, min: usize, max: usize, shape: &str) -> Option<Vec<NodeIdx>> {
        let arguments: Vec<NodeIdx> = self.tree.children(node).skip(1).collect();
        if arguments.len() < min || arguments.len() > max {
            self.error(codes::SMT010, node, format!("expected {shape}"));
            return None;
        }
        Some(arguments)
    }

    /// The arguments of the list `node` after its head, if there are exactly `N` of them.
    pub fn exactly<const N: usize>(&mut self, node: NodeIdx, shape: &str) -> Option<[NodeIdx; N]> {
        let mut found = [0; N];
        let mut arguments = self.tree.children(node).skip(1);
        let mut count = 0;
        for (slot, argument) in found.iter_mut().zip(&mut arguments) {
            *slot = argument;
            count += 1;
        }
        if count < N || arguments.next().is_some() {
            self.error(codes::SMT010, node, format!("expected {shape}"));
            return None;
        }
        Some(found)
    }

    /// A term of any sort; [`TermId::ERROR`] after a report.
    pub fn term(&mut self, node: NodeIdx) -> TermId {
        self.parse_term(node)
    }

    /// A term of the given sort, with an integer made real if need be.
    pub fn term_of_sort(&mut self, node: NodeIdx, sort: SortId, what: &str) -> TermId {
        let term = self.parse_term(node);
        self.fit(node, term, sort, what)
    }

    /// `term` as a term of the given sort, or a report.
    pub fn fit(&mut self, node: NodeIdx, term: TermId, sort: SortId, what: &str) -> TermId {
        match self.terms.coerce(term, sort) {
            Some(term) => term,
            None => {
                let found = crate::print::sort_text(self.terms, self.terms.sort(term));
                let wanted = crate::print::sort_text(self.terms, sort);
                self.error(codes::SMT015, node, format!("{what} has sort {found}, expected {wanted}"));
                TermId::ERROR
            }
        }
    }

    /// Formal parameters `((x S) …)`, brought into scope until the caller restores it.
    pub fn formals(&mut self, list: NodeIdx) -> Option<Vec<TermId>> {
        self.sorted_vars(list).filter(|vars| !vars.contains(&TermId::ERROR))
    }

    /// A numeral that fits into 32 bits.
    pub fn small_numeral(&mut self, node: NodeIdx) -> Option<u32> {
        if self.tree.kind(node) != Kind::Numeral {
            self.expected("a numeral", node);
            return None;
        }
        let value = self.text.atom(self.tree, node).parse().ok();
        if value.is_none() {
            self.error(codes::SMT017, node, "the numeral is too large here; the limit is 4294967295");
        }
        value
    }
}
