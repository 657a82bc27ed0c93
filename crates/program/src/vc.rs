//! The conditions under which a program is correct.

use crate::merge::Fresh;
use crate::notes::{Note, Origin};
use crate::program::Program;
use crate::walk::Walk;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::subst::functions;
use smt::term::{FunId, Role, TermId, Terms};
use std::collections::BTreeSet;
use std::rc::Rc;
use svlib::code::Pc;
use svlib::syntax::{ProcId, PropertyKind, StmtId};

/// Where a condition arises.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The procedure.
    pub proc: ProcId,
    /// The instruction from which control comes; none for the query itself.
    pub pc: Option<Pc>,
    /// The statement whose annotation has to hold.
    pub stmt: StmtId,
    /// True when control comes back to the head of a loop.
    pub back: bool,
}

/// A formula that has to hold in all states that its hypotheses describe.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// Where.
    pub place: Place,
    /// The annotation; none for the predicate of a root.
    pub note: Option<Note>,
    /// What holds throughout the region: predicates of roots, assumed preconditions.
    pub assumed: Rc<Vec<TermId>>,
    /// The condition under which control is there.
    pub guard: TermId,
    /// What has to hold.
    pub goal: TermId,
}

/// A place where the states are described by an unknown predicate over variables and constants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Root {
    /// The predicate.
    pub predicate: FunId,
    /// Its arguments: variables of the procedure (with snapshots), or constants.
    pub params: Vec<FunId>,
}

/// Roots by place: heads of loops, and calls of procedures whose promise is an unknown predicate.
pub type Roots = FxHashMap<(ProcId, Pc), Root>;

/// The conditions of a program.
#[derive(Default)]
pub struct Conditions {
    /// What is asserted about constants.
    pub axioms: Vec<TermId>,
    /// All of them have to hold.
    pub obligations: Vec<Obligation>,
    /// For each Boolean constant that stands for a way, or for ways that meet: the implication that says what it means.
    pub definitions: FxHashMap<TermId, TermId>,
    /// What the conditions do not cover; if there is something, nobody may say correct.
    pub open: Vec<String>,
}

impl Conditions {
    /// Everything that may be used to show an obligation; the axioms are not among it.
    #[must_use]
    pub fn hypotheses(&self, terms: &Terms, obligation: &Obligation) -> Vec<TermId> {
        let mut found: Vec<TermId> = obligation.assumed.to_vec();
        found.push(obligation.guard);
        with_definitions(terms, &self.definitions, found, obligation.goal)
    }

    /// What is known about the ways that these formulas, or what is known itself, speak of: the nearest so many.
    #[must_use]
    pub fn definitions_in(&self, terms: &Terms, formulas: &[TermId], many: usize) -> Vec<TermId> {
        nearest(terms, &self.definitions, formulas, many)
    }
}

/// The formulas with the definitions of everything that they, or the goal, speak of.
#[must_use]
pub fn with_definitions(
    terms: &Terms,
    definitions: &FxHashMap<TermId, TermId>,
    mut found: Vec<TermId>,
    goal: TermId,
) -> Vec<TermId> {
    // Constants of the goal may come from ways that met, too.
    let about = [&found[..], &[goal]].concat();
    found.extend(nearest(terms, definitions, &about, usize::MAX));
    found
}

/// Definitions that formulas need, those that are needed first before those that are needed by them.
fn nearest(
    terms: &Terms,
    definitions: &FxHashMap<TermId, TermId>,
    formulas: &[TermId],
    many: usize,
) -> Vec<TermId> {
    let (mut found, mut next, mut seen) = (Vec::new(), 0, FxHashSet::default());
    let mut todo = formulas.to_vec();
    loop {
        while let Some(term) = todo.pop() {
            if seen.insert(term) {
                todo.extend(terms.args(term));
                found.extend(definitions.get(&term));
            }
        }
        if next == found.len() || next >= many {
            found.truncate(many);
            return found;
        }
        todo.push(found[next]);
        next += 1;
    }
}

/// The conditions of a program. At `roots` the walk ends and begins anew.
#[must_use]
pub fn conditions(terms: &mut Terms, program: &Program<'_>, roots: &Roots) -> Conditions {
    let mut found = Conditions { axioms: program.axioms.clone(), ..Conditions::default() };
    let mut fresh = Fresh::default();
    for proc in &program.procs {
        Walk::new(terms, program, proc, roots, &mut found, &mut fresh).run();
    }
    if defined_by_variables(terms) {
        found.open.push("a function is defined by program variables".into());
    }
    crate::call::query(terms, program, &mut found, &mut fresh);
    found.definitions = fresh.definitions;
    found
}

/// True when the definition of a function mentions a program variable: what it means changes with the state.
fn defined_by_variables(terms: &Terms) -> bool {
    let is_variable = |fun: FunId| matches!(terms.fun(fun).role, Role::Variable(..) | Role::At(..));
    // A definition that uses another one is as good as that: each is looked at.
    let bodies = terms.funs().filter_map(|fun| terms.definition(fun).map(|(_, body)| body));
    bodies.into_iter().any(|body| functions(terms, body).into_iter().any(is_variable))
}

/// True when an annotation may be used in place of its statement where the task has one of its kind: the task's own
/// always, one that was added only about what the statement cannot change.
pub(crate) fn assumable(terms: &Terms, note: &Note, modified: &BTreeSet<FunId>) -> bool {
    let changes = |fun: FunId| match terms.fun(fun).role {
        Role::Variable(..) => modified.contains(&fun),
        Role::At(..) => true,
        _ => false,
    };
    note.origin == Origin::Task || !note.terms.iter().flat_map(|&term| functions(terms, term)).any(changes)
}

/// The properties that a contract's precondition competes with.
pub(crate) const CONTRACT: [PropertyKind; 2] = [PropertyKind::Requires, PropertyKind::Ensures];
