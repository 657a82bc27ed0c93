//! LTL properties as live ones: each gets a monitor of its own that observes the system and never restricts it.
//!
//! What a past operator says in a step is computed: it depends on its arguments and on one bit of memory. What a future
//! operator will say is guessed: an input *promises* what it says in the next step, a state variable remembers the promise,
//! and in the next step it is compared with what the operator says there. A wrong guess makes the monitor *fail* for good;
//! so does a first step in which the property holds. What is put off for ever (`a U b` that waits for `b`) is excluded by
//! fairness: again and again the operator does not wait. An execution violates the property if and only if there are
//! guesses with which the monitor never fails and is fair, which is what a live property with several formulas says.
//!
//! Nothing is asked of the inputs of a later step, so inputs may occur in properties; and because monitors only remember and
//! compare, other properties keep their meaning. Finite executions satisfy every LTL property, as they do live ones.

use super::build::Build;
use super::extended::Extended;
use crate::system::{Property, PropertyKind, System};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::{Op, Theory};
use smt::sort::SortId;
use smt::subst::{is_closed, postorder, rebuild, replace};
use smt::term::{TermId, Terms};
use std::fmt;

/// Why there is no monitor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsupported {
    /// A temporal operator speaks of bound variables.
    Bound(TermId),
    /// A temporal operator that is not known.
    Operator(Op),
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsupported::Bound(_) => {
                f.write_str("a temporal operator under a quantifier speaks of its variables")
            }
            Unsupported::Operator(op) => write!(f, "the temporal operator `{}` is not supported", op.name()),
        }
    }
}

impl std::error::Error for Unsupported {}

/// The system with live properties in the place of LTL ones.
///
/// # Errors
/// When a temporal operator speaks of bound variables.
pub fn ltl(terms: &mut Terms, original: &System) -> Result<Extended, Unsupported> {
    let mut build = Build::new(terms, original);
    let mut properties = Vec::new();
    for property in &original.properties {
        let kind = match property.kind {
            PropertyKind::Ltl(formula) => PropertyKind::Live(Monitor::new(&mut build).live(formula)?),
            ref kind => kind.clone(),
        };
        properties.push(Property { kind, ..property.clone() });
    }
    let mut system = build.system;
    system.properties = properties;
    system.outputs.clone_from(&original.outputs);
    Ok(Extended::new(original, system))
}

/// The monitor of one property.
struct Monitor<'b, 't> {
    build: &'b mut Build<'t>,
    /// The formulas of the steps that say what formulas with temporal operators say.
    now: FxHashMap<TermId, TermId>,
    /// What holds in every step unless a guess was wrong.
    checks: Vec<TermId>,
    /// What holds again and again unless something is put off for ever.
    fair: Vec<TermId>,
}

impl<'b, 't> Monitor<'b, 't> {
    fn new(build: &'b mut Build<'t>) -> Monitor<'b, 't> {
        Monitor { build, now: FxHashMap::default(), checks: Vec::new(), fair: Vec::new() }
    }

    /// The formulas of the live property.
    fn live(mut self, formula: TermId) -> Result<Vec<TermId>, Unsupported> {
        if let Some(parts) = persistent(self.build.terms, formula) {
            return parts.into_iter().map(|part| self.formula(part)).collect();
        }
        let holds = self.formula(formula)?;
        let (flag, started) = self.build.flag("started");
        self.build.follows(flag, TermId::TRUE);
        let terms = &mut *self.build.terms;
        let violated = terms.not(holds);
        self.checks.push(terms.or(&[started, violated]));
        let right = terms.and(&self.checks);
        let wrong = terms.not(right);
        let (flag, failed) = self.build.flag("failed");
        let value = self.build.terms.or(&[failed, wrong]);
        self.build.follows(flag, value);
        if self.fair.is_empty() {
            return Ok(vec![failed]);
        }
        let terms = &mut *self.build.terms;
        let unfair = |&fair: &TermId| {
            let waits = terms.not(fair);
            terms.or(&[failed, waits])
        };
        Ok(self.fair.iter().map(unfair).collect())
    }

    /// The formula of a step that says what `root` says there.
    fn formula(&mut self, root: TermId) -> Result<TermId, Unsupported> {
        let mut temporal: FxHashSet<TermId> = FxHashSet::default();
        for term in postorder(self.build.terms, root) {
            let terms = &mut *self.build.terms;
            let op = terms.op(term);
            let own = op.info().theory == Theory::Ltl;
            if !own && !terms.args(term).iter().any(|arg| temporal.contains(arg)) {
                continue;
            }
            temporal.insert(term);
            if self.now.contains_key(&term) {
                continue;
            }
            if own && !is_closed(terms, term) {
                return Err(Unsupported::Bound(term));
            }
            let args: Vec<TermId> =
                terms.args(term).iter().map(|arg| self.now.get(arg).copied().unwrap_or(*arg)).collect();
            let new = match own {
                true => self.operator(op, &args)?,
                // New names come below the binder, which may have to give way.
                false if op.is_binder() => replace(terms, term, &self.now),
                false => rebuild(terms, term, &args),
            };
            self.now.insert(term, new);
        }
        Ok(self.now.get(&root).copied().unwrap_or(root))
    }

    fn operator(&mut self, op: Op, args: &[TermId]) -> Result<TermId, Unsupported> {
        let (&[a] | &[_, a], &[b] | &[b, ..]) = (args, args) else { return Err(Unsupported::Operator(op)) };
        // For binary operators: `b op a`, the second argument being what is waited for or kept.
        Ok(match op {
            Op::LtlYesterday => self.memory(false, |_, _| a).0,
            Op::LtlWeakYesterday => self.memory(true, |_, _| a).0,
            Op::LtlOnce => self.memory(false, |terms, before| terms.or(&[a, before])).1,
            Op::LtlHistorically => self.memory(true, |terms, before| terms.and(&[a, before])).1,
            Op::LtlSince => self.memory(false, |terms, before| both(terms, a, b, before)).1,
            Op::LtlNext => {
                let (promise, promised) = self.promise();
                self.compare(promised, a);
                promise
            }
            Op::LtlFinally => {
                let says = self.future(|terms, next| terms.or(&[a, next]));
                self.fairly(says, a)
            }
            Op::LtlUntil => {
                let says = self.future(|terms, next| both(terms, a, b, next));
                self.fairly(says, a)
            }
            Op::LtlGlobally => {
                let says = self.future(|terms, next| terms.and(&[a, next]));
                self.fairly(a, says);
                says
            }
            Op::LtlRelease => {
                let says = self.future(|terms, next| {
                    let goes_on = terms.or(&[b, next]);
                    terms.and(&[a, goes_on])
                });
                self.fairly(a, says);
                says
            }
            Op::LtlWeakUntil => {
                let says = self.future(|terms, next| both(terms, a, b, next));
                let either = self.build.terms.or(&[b, a]);
                self.fairly(either, says);
                says
            }
            _ => return Err(Unsupported::Operator(op)),
        })
    }

    /// One bit that is remembered for the next step: what it was, and what is remembered now.
    fn memory(
        &mut self,
        at_first: bool,
        value: impl FnOnce(&mut Terms, TermId) -> TermId,
    ) -> (TermId, TermId) {
        let state = self.build.state("past", SortId::BOOL);
        let before = self.build.terms.constant_term(state.now);
        let init = if at_first { before } else { self.build.terms.not(before) };
        self.build.system.init.push(init);
        let value = value(self.build.terms, before);
        self.build.follows(state, value);
        (before, value)
    }

    /// A promise about the next step, and the one that the last step made about this one.
    fn promise(&mut self) -> (TermId, TermId) {
        let input = self.build.input("promise", SortId::BOOL);
        let state = self.build.state("promised", SortId::BOOL);
        let promise = self.build.terms.constant_term(input);
        self.build.follows(state, promise);
        (promise, self.build.terms.constant_term(state.now))
    }

    /// What was promised is what is said now. Before the first step there was no promise: what is remembered there may be
    /// anything, and one value is right.
    fn compare(&mut self, promised: TermId, says: TermId) {
        let equal = self.build.equal(promised, says);
        self.checks.push(equal);
    }

    /// What an operator says, from what it says in the next step.
    fn future(&mut self, says: impl FnOnce(&mut Terms, TermId) -> TermId) -> TermId {
        let (promise, promised) = self.promise();
        let says = says(self.build.terms, promise);
        self.compare(promised, says);
        says
    }

    /// Again and again: if the one, then the other. Gives back the first.
    fn fairly(&mut self, if_this: TermId, then_that: TermId) -> TermId {
        let not = self.build.terms.not(if_this);
        let fair = self.build.terms.or(&[not, then_that]);
        self.fair.push(fair);
        if_this
    }
}

/// `end`, or `way` and then the rest.
fn both(terms: &mut Terms, end: TermId, way: TermId, rest: TermId) -> TermId {
    let goes_on = terms.and(&[way, rest]);
    terms.or(&[end, goes_on])
}

/// The formulas of which one holds from some step on, if that is what a formula says and they are not about the future.
fn persistent(terms: &Terms, root: TermId) -> Option<Vec<TermId>> {
    let (mut parts, mut todo) = (Vec::new(), vec![root]);
    while let Some(term) = todo.pop() {
        match (terms.op(term), terms.args(term)) {
            (Op::Or, args) => todo.extend(args.iter().rev()),
            (Op::LtlFinally, &[inner]) if terms.op(inner) == Op::LtlGlobally => {
                parts.push(terms.args(inner)[0])
            }
            _ => return None,
        }
    }
    let future = |term: TermId| {
        use Op::{LtlFinally, LtlGlobally, LtlNext, LtlRelease, LtlUntil, LtlWeakUntil};
        matches!(terms.op(term), LtlNext | LtlFinally | LtlGlobally | LtlUntil | LtlRelease | LtlWeakUntil)
    };
    let past = parts.iter().all(|&part| !postorder(terms, part).into_iter().any(future));
    (past && !parts.is_empty()).then_some(parts)
}
