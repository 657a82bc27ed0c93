//! Rules for assignments: no value is assigned twice, frozen variables stay as they are, and no variable is assigned a
//! value that depends on itself in the same step.
//!
//! A file that breaks one of them is none of the language, and mostly a system without executions, of which everything
//! would be true.

use super::ast::{Role, When};
use super::types::Val;
use base::id::IdMap;
use diag::{Diagnostic, Span, codes};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::term::{TermId, Terms};

/// What may be assigned once: a variable's value now, at first or next, by one process (by any at first).
type Slot = (TermId, When, usize);

/// All assignments to variables.
#[derive(Default)]
pub(super) struct Assignments {
    roles: FxHashMap<TermId, Role>,
    /// The version now of a next version, and the other way round.
    nows: FxHashMap<TermId, TermId>,
    nexts: FxHashMap<TermId, TermId>,
    places: FxHashMap<Slot, Span>,
    /// Any place of an assignment of a kind.
    some: FxHashMap<(TermId, When), Span>,
    /// What values are assigned now or next, in order, and what they depend on.
    values: Vec<(TermId, Span)>,
    rights: FxHashMap<TermId, Vec<TermId>>,
}

/// A term in the step that it speaks of, or in the next one.
type Node = (TermId, bool);

impl Assignments {
    /// There is this variable.
    pub(super) fn declare(&mut self, now: TermId, next: TermId, role: Role) {
        self.roles.insert(now, role);
        if now != next {
            self.nows.insert(next, now);
            self.nexts.insert(now, next);
        }
    }

    /// A variable is assigned a value; what is wrong with that.
    pub(super) fn assign(
        &mut self,
        when: When,
        target: TermId,
        process: usize,
        span: Span,
        value: &Val,
    ) -> Option<Diagnostic> {
        let now = self.nows.get(&target).copied().unwrap_or(target);
        let role = *self.roles.get(&now)?;
        let problem = |message: &str| Diagnostic::new(codes::SMV004, span, message);
        if role == Role::Frozen && when != When::Init {
            return Some(problem(
                "a frozen variable keeps its first value: only `init` of it can be assigned",
            ));
        }
        let process = if when == When::Init { 0 } else { process };
        if let Some(first) = self.places.insert((now, when, process), span) {
            return Some(problem("this is assigned twice").note_at(first, "the other assignment is here"));
        }
        self.some.entry((now, when)).or_insert(span);
        let others: &[When] = if when == When::Always { &[When::Init, When::Next] } else { &[When::Always] };
        for &other in others {
            if let Some(&first) = self.some.get(&(now, other)) {
                let message =
                    "a variable with an assignment to its value in every step has no `init` or `next`";
                return Some(problem(message).note_at(first, "the other assignment is here"));
            }
        }
        if when != When::Init {
            self.values.push((target, span));
            self.rights.insert(target, terms_of(value));
        }
        None
    }

    /// Values that depend on themselves in the same step, each cycle at one of its assignments.
    pub(super) fn cycles(&self, terms: &Terms) -> Vec<Diagnostic> {
        let places: FxHashMap<TermId, Span> = self.values.iter().copied().collect();
        let colours = [IdMap::new(NEW), IdMap::new(NEW)];
        let mut walk = Walk { all: self, terms, colours, path: Vec::new(), left: ENOUGH };
        let (mut found, mut told) = (Vec::new(), FxHashSet::default());
        let targets = self.values.iter().map(|value| value.0);
        let roots = targets.clone().map(|target| (target, false)).chain(targets.map(|target| (target, true)));
        for root in roots {
            while let Some(cycle) = walk.cycle(self.node(root)) {
                let targets: Vec<TermId> = cycle.iter().filter_map(|node| self.assigned(*node)).collect();
                // A cycle now is one in the next step, too.
                let fresh = targets.iter().filter(|target| told.insert(**target)).count() == targets.len();
                if let Some(first) = targets.first().filter(|_| fresh) {
                    let names: Vec<String> = targets.iter().take(5).map(|t| self.name(terms, *t)).collect();
                    let more = if targets.len() > 5 { ", …" } else { "" };
                    let names = names.join(", ");
                    let message =
                        format!("what is assigned depends on itself in one step, through {names}{more}");
                    found.push(Diagnostic::new(codes::SMV004, places[first], message));
                }
            }
        }
        found
    }

    /// A term in a step: a variable in the next one is its next version.
    fn node(&self, (term, later): Node) -> Node {
        match self.nexts.get(&term).filter(|_| later) {
            Some(&next) => (next, false),
            None => (term, later),
        }
    }

    /// The assigned symbol that a node stands for.
    fn assigned(&self, (term, _): Node) -> Option<TermId> {
        let every_step = || self.nows.get(&term).copied();
        Some(term)
            .filter(|term| self.rights.contains_key(term))
            .or_else(|| every_step().filter(|now| self.rights.contains_key(now)))
    }

    fn name(&self, terms: &Terms, target: TermId) -> String {
        let name = |term: TermId| terms.applied(term).map_or("", |fun| terms.fun_name(fun));
        match self.nows.get(&target) {
            Some(&now) => format!("`next({})`", name(now)),
            None => format!("`{}`", name(target)),
        }
    }
}

/// After so many cycles no other ones are looked for.
const ENOUGH: usize = 50;

/// The terms of a value.
fn terms_of(value: &Val) -> Vec<TermId> {
    match value {
        Val::Term(term, _) => vec![*term],
        Val::Any(items) => {
            let own = |(guard, item): &(TermId, Val)| match item {
                Val::Term(term, _) => [*guard, *term],
                _ => [*guard, *guard],
            };
            items.iter().flat_map(own).collect()
        }
        _ => Vec::new(),
    }
}

const NEW: u8 = 0;
const OPEN: u8 = 1;
const DONE: u8 = 2;

/// A walk along what values depend on, in which each term is met once in either step.
struct Walk<'a> {
    all: &'a Assignments,
    terms: &'a Terms,
    /// By whether the term stands for the next step.
    colours: [IdMap<TermId, u8>; 2],
    /// The nodes that are open, and how many of their edges were followed.
    path: Vec<(Node, usize)>,
    /// How many more cycles are told.
    left: usize,
}

impl Walk<'_> {
    /// The next cycle that is found from a node, or from where the walk was left.
    fn cycle(&mut self, from: Node) -> Option<Vec<Node>> {
        if self.path.is_empty() {
            self.enter(from);
        }
        while let Some(&mut (node, ref mut followed)) = self.path.last_mut() {
            let at = *followed;
            *followed += 1;
            match self.edge(node, at) {
                None => {
                    self.colours[usize::from(node.1)].set(node.0, DONE);
                    self.path.pop();
                }
                Some(to) if self.colours[usize::from(to.1)][to.0] == OPEN => {
                    if self.left > 0 {
                        self.left -= 1;
                        let start = self.path.iter().position(|step| step.0 == to).unwrap_or(0);
                        return Some(self.path[start..].iter().map(|step| step.0).collect());
                    }
                }
                Some(to) => self.enter(to),
            }
        }
        None
    }

    fn enter(&mut self, node: Node) {
        let colour = &mut self.colours[usize::from(node.1)];
        if colour[node.0] == NEW {
            colour.set(node.0, OPEN);
            self.path.push((node, 0));
        }
    }

    /// What a node depends on: a term on its parts, a variable on what is assigned to it.
    fn edge(&self, (term, later): Node, at: usize) -> Option<Node> {
        let all = self.all;
        if let Some(&arg) = self.terms.args(term).get(at) {
            return Some(all.node((arg, later)));
        }
        let at = at - self.terms.args(term).len();
        let right = |target: &TermId| all.rights.get(target).and_then(|rights| rights.get(at)).copied();
        match all.nows.get(&term) {
            // What is assigned in every step is so in the next one.
            Some(now) if !all.rights.contains_key(&term) => Some(all.node((right(now)?, true))),
            _ => Some(all.node((right(&term)?, later))),
        }
    }
}
