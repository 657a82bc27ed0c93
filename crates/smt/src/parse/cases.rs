//! `match`: cases become a chain of `ite` over testers, and pattern variables are put in place.

use super::Parser;
use super::term::Frame;
use crate::op::Op;
use crate::scope::{Binding, Mark};
use crate::sexpr::NodeIdx;
use crate::sort::SortId;
use crate::term::TermId;
use base::intern::SymbolId;
use diag::codes;
use rustc_hash::FxHashSet;

/// A `match` with a case under way.
pub(super) struct Cases {
    node: NodeIdx,
    case: NodeIdx,
    scrutinee: TermId,
    mark: Mark,
    /// The finished cases: the constructor's position, none for a variable; the place; the value.
    done: Vec<(Option<u32>, NodeIdx, TermId)>,
    /// The constructor of the case under way.
    constructor: Option<u32>,
}

impl Parser<'_> {
    pub(super) fn start_match(&mut self, node: NodeIdx) {
        match self.tree.children(node).nth(1) {
            Some(scrutinee) if self.tree.children(node).count() == 3 => {
                self.stack.frames.push(Frame::Match { node });
                self.stack.frames.push(Frame::Term { node: scrutinee });
            }
            _ => self.bad(node, "(match term ((pattern term) …))"),
        }
    }

    pub(super) fn first_case(&mut self, node: NodeIdx) {
        let scrutinee = self.pop();
        let cases = self.tree.next(self.tree.next(node + 1));
        if scrutinee == TermId::ERROR {
            return self.push(TermId::ERROR);
        }
        let sort = self.terms.sort(scrutinee);
        if self.terms.sorts.datatype(sort).is_none() {
            let found = crate::print::sort_text(self.terms, sort);
            self.error(
                codes::SMT020,
                node + 2,
                format!("`match` needs a term of a datatype, not of sort {found}"),
            );
            return self.push(TermId::ERROR);
        }
        let Some(case) = self.tree.head(cases) else {
            self.error(codes::SMT020, cases, "`match` needs at least one case");
            return self.push(TermId::ERROR);
        };
        let (mark, done) = (self.scope.mark(), Vec::new());
        self.start_case(Box::new(Cases { node, case, scrutinee, mark, done, constructor: None }));
    }

    fn start_case(&mut self, mut cases: Box<Cases>) {
        if cases.case >= self.tree.next(cases.node) {
            let term = self.finish_match(&cases);
            return self.push(term);
        }
        let Some((pattern, body)) = self.pair(cases.case) else {
            return self.bad(cases.case, "(pattern term)");
        };
        let Some(constructor) = self.pattern(pattern, cases.scrutinee) else {
            self.scope.restore(cases.mark);
            return self.push(TermId::ERROR);
        };
        cases.constructor = constructor;
        self.stack.frames.push(Frame::Case(cases));
        self.start(body);
    }

    pub(super) fn finish_case(&mut self, mut cases: Box<Cases>) {
        self.scope.restore(cases.mark);
        let value = self.pop();
        cases.done.push((cases.constructor, cases.case, value));
        cases.case = self.tree.next(cases.case);
        self.start_case(cases);
    }

    /// Brings a pattern's variables into scope. The constructor's position, or none for a variable.
    fn pattern(&mut self, pattern: NodeIdx, scrutinee: TermId) -> Option<Option<u32>> {
        let sort = self.terms.sort(scrutinee);
        let head = self.tree.head(pattern).unwrap_or(pattern);
        let name = self.symbol(head, "a constructor or variable")?;
        let index = self
            .terms
            .sorts
            .datatype(sort)
            .and_then(|(d, _)| d.constructors.iter().position(|c| c.name == name));
        let Some(index) = index else {
            if head == pattern {
                self.bind_pattern(name, scrutinee);
                return Some(None);
            }
            let (what, sort) = (self.describe(head), crate::print::sort_text(self.terms, sort));
            self.error(codes::SMT020, head, format!("{what} is no constructor of {sort}"));
            return None;
        };
        self.bind_fields(pattern, head, sort, index as u32, scrutinee)?;
        Some(Some(index as u32))
    }

    fn bind_fields(
        &mut self,
        pattern: NodeIdx,
        head: NodeIdx,
        sort: SortId,
        index: u32,
        value: TermId,
    ) -> Option<()> {
        let vars: Vec<NodeIdx> = self.tree.children(pattern).filter(|&child| child != head).collect();
        let (_, fields) = self.terms.fields(sort, index)?;
        if fields.len() != vars.len() {
            let message = format!("the constructor has {} fields, the pattern {}", fields.len(), vars.len());
            self.error(codes::SMT020, pattern, message);
            return None;
        }
        let mut names = Vec::new();
        for (i, &var) in vars.iter().enumerate() {
            let name = self.symbol(var, "a variable")?;
            if self.terms.names.text(name) == "_" {
                continue;
            }
            names.push((name, var));
            let selector = self.terms.selector(sort, index, i as u32)?;
            // The pattern names no selector, but its value does.
            self.watch_implicit(self.terms.fun(selector).name);
            let field = self.terms.call(selector, &[value]).ok()?;
            self.bind_pattern(name, field);
        }
        self.report_twice(&names, "in one pattern");
        Some(())
    }

    fn bind_pattern(&mut self, name: SymbolId, value: TermId) {
        if self.terms.names.text(name) != "_" {
            let depth = self.stack.capture.depth();
            self.scope.bind_inner(name, Binding::Local(value, depth));
        }
    }

    fn finish_match(&mut self, cases: &Cases) -> TermId {
        let sort = self.terms.sort(cases.scrutinee);
        let total = self.terms.sorts.datatype(sort).map_or(0, |(d, _)| d.constructors.len());
        let (mut used, mut seen) = (Vec::new(), FxHashSet::default());
        for &(constructor, case, value) in &cases.done {
            if value == TermId::ERROR || !self.fits_first(cases, case, value) {
                return TermId::ERROR;
            }
            // What an earlier case covers is never reached.
            if seen.len() < total && constructor.is_none_or(|c| seen.insert(c)) {
                used.push((constructor, value));
            }
            if constructor.is_none() {
                seen.extend(0..total as u32);
            }
        }
        if seen.len() < total {
            self.error(codes::SMT020, cases.node, "`match` does not cover all constructors");
            return TermId::ERROR;
        }
        let Some((_, mut term)) = used.pop() else { return TermId::ERROR };
        for (constructor, value) in used.into_iter().rev() {
            let test = constructor.and_then(|c| self.terms.tester(sort, c));
            let test =
                test.and_then(|test| self.terms.call(test, &[cases.scrutinee]).ok()).unwrap_or(TermId::TRUE);
            term = self.terms.app(Op::Ite, &[test, value, term]).unwrap_or(TermId::ERROR);
        }
        term
    }

    /// Reports a case whose sort differs from that of the first.
    fn fits_first(&mut self, cases: &Cases, case: NodeIdx, value: TermId) -> bool {
        let first = cases.done.first().map_or(value, |done| done.2);
        let (expected, found) = (self.terms.sort(first), self.terms.sort(value));
        let arith = self.terms.sorts.is_arith(expected) && self.terms.sorts.is_arith(found);
        let fits = first == TermId::ERROR || expected == found || arith;
        if !fits {
            let (found, expected) =
                (crate::print::sort_text(self.terms, found), crate::print::sort_text(self.terms, expected));
            self.error(codes::SMT015, case, format!("this case has sort {found}, the first one {expected}"));
        }
        fits
    }
}
