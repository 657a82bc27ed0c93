//! How executions go on that repeat no state: the recurrent set, and the steps of a round as terms.

use super::trace::Reading;
use diag::Span;
use rustc_hash::FxHashMap;
use smt::parse::Parser;
use smt::print::{write_sort, write_symbol, write_term};
use smt::scope::Binding;
use smt::sexpr::{NodeIdx, Tree};
use smt::sort::SortId;
use smt::term::{FunId, TermId, Terms};
use std::fmt::Write;
use ts::{Recurrence, System};

/// The set, and each step of the round.
pub(super) fn write_recurrence(out: &mut String, terms: &Terms, system: &System, recurrence: &Recurrence) {
    out.push_str("(recurrent ");
    write_term(out, terms, recurrence.set);
    out.push_str(")\n");
    for (number, step) in recurrence.round.iter().enumerate() {
        let _ = write!(out, "(round {number}");
        let states = system.states.iter().map(|state| state.now);
        for fun in states.chain(system.inputs.iter().copied()) {
            let Some(&value) = step.get(&fun) else { continue };
            out.push_str("\n  (define-fun ");
            write_symbol(out, terms.fun_name(fun));
            out.push_str(" () ");
            write_sort(out, terms, terms.fun(fun).result);
            out.push(' ');
            write_term(out, terms, value);
            out.push(')');
        }
        out.push_str(")\n");
    }
}

/// What was read of it so far.
#[derive(Default)]
pub(super) struct Found {
    /// The set, and where it is.
    set: Option<(TermId, Span)>,
    round: Vec<FxHashMap<FunId, TermId>>,
    /// Where the last step of the round is.
    place: Option<Span>,
}

impl Reading<'_> {
    /// `(recurrent FORMULA)`.
    pub(super) fn recurrent(&mut self, tree: &Tree) {
        let place = tree.span(0);
        let set = self.over_states(|reading| {
            let (terms, scope) = (&mut *reading.terms, &mut reading.scope);
            let mut parser = Parser::new(terms, scope, reading.text, tree, reading.errors);
            let [set] = parser.exactly(0, "(recurrent formula)")?;
            Some(parser.term_of_sort(set, SortId::BOOL, "the recurrent set"))
        });
        let Some(set) = set else { return };
        if self.found.set.is_some() {
            return self.error(place, "there is a recurrent set already".into());
        }
        self.found.set = Some((set, place));
    }

    /// `(round N (define-fun x () S term) …)`.
    pub(super) fn round(&mut self, tree: &Tree) {
        let mut parts = tree.children(0).skip(1);
        let number = parts.next();
        let expected = self.found.round.len();
        if number.is_none_or(|number| self.text.atom(tree, number).parse() != Ok(expected)) {
            let message = format!("this should be the number {expected} of the step in the round");
            self.error(tree.span(number.unwrap_or(0)), message);
        }
        let mut step = FxHashMap::default();
        for node in parts {
            let head = tree.head(node).and_then(|head| self.text.symbol(tree, head));
            if head != Some("define-fun") {
                self.error(tree.span(node), "expected (define-fun …)".into());
                continue;
            }
            if let Some((fun, value)) = self.value(tree, node)
                && step.insert(fun, value).is_some()
            {
                let message = format!("`{}` is given twice", self.terms.fun_name(fun));
                self.error(tree.span(node), message);
            }
        }
        self.found.round.push(step);
        self.found.place = Some(tree.span(0));
    }

    /// What one definition gives a variable: a term over the state variables in the first step of the round, so that inside of
    /// the definition the variable's own name is another one.
    fn value(&mut self, tree: &Tree, node: NodeIdx) -> Option<(FunId, TermId)> {
        let mut parser = Parser::new(self.terms, &mut self.scope, self.text, tree, self.errors);
        let [place, params, result, body] = parser.exactly(node, "(define-fun name () sort term)")?;
        let name = parser.symbol(place, "a name")?;
        let result = parser.sort(result);
        if result == SortId::ERROR {
            return None;
        }
        let text = self.terms.names.text(name).to_owned();
        let Some(fun) = self.variables.get(&name).copied() else {
            self.error(tree.span(place), format!("the system has no state variable or input `{text}`"));
            return None;
        };
        if self.terms.fun(fun).result != result || tree.children(params).next().is_some() {
            self.error(tree.span(node), format!("`{text}` has another sort in the system"));
            return None;
        }
        let value = self.over_states(|reading| {
            let (terms, scope) = (&mut *reading.terms, &mut reading.scope);
            let mut parser = Parser::new(terms, scope, reading.text, tree, reading.errors);
            Some(parser.term_of_sort(body, result, "the value"))
        })?;
        Some((fun, value))
    }

    /// Reads a term in which state variables and symbols that never change have their meaning.
    fn over_states(&mut self, read: impl FnOnce(&mut Self) -> Option<TermId>) -> Option<TermId> {
        let mark = self.scope.mark();
        let states = self.system.states.iter().map(|state| state.now);
        for fun in states.chain(self.system.rigid.iter().copied()) {
            self.scope.bind_inner(self.terms.fun(fun).name, Binding::Fun(fun));
        }
        let term = read(self);
        self.scope.restore(mark);
        term.filter(|&term| term != TermId::ERROR)
    }

    /// What was read as a whole, at the end of the text.
    pub(super) fn recurrence(&mut self) -> Option<Recurrence> {
        let Found { set, round, place } = std::mem::take(&mut self.found);
        let (set, place) = match (set, place) {
            (Some((set, _)), Some(place)) => (set, place),
            (Some((_, place)), None) => {
                self.error(place, "a recurrent set needs a round".into());
                return None;
            }
            (None, Some(place)) => {
                self.error(place, "a round needs a recurrent set".into());
                return None;
            }
            (None, None) => return None,
        };
        let recurrence = Recurrence { set, round };
        if let Some(flaw) = recurrence.flaw(self.terms, self.system) {
            self.error(place, flaw);
            return None;
        }
        Some(recurrence)
    }
}
