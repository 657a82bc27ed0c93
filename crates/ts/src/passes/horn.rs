//! Systems and Horn clauses: linear clauses are a system with a program counter ([`linear`]), and a system is clauses
//! about one predicate, the reachable states ([`encode`]).
//!
//! Both ways keep the steps: one clause that is applied is one step, so derivations and traces have equal lengths up to the
//! first and the last clause.

mod back;
mod choice;
mod derivable;
mod encode;
mod ground;
mod images;
mod linear;
mod live;
mod solve;
mod unfold;

pub use choice::{choice, has_uninterpreted};
pub use derivable::{Derivable, derivable};
pub use encode::{Encoded, Inexpressible, encode};
pub use ground::Ground;
pub use linear::{Linear, NotLinear, linear};
pub use unfold::{Unfolded, Where, unfold};

use rustc_hash::FxHashSet;
use smt::check::RankError;
use smt::op::Op;
use smt::sort::SortId;
use smt::subst::postorder;
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;

/// A Horn clause in parts: its variables, atoms and constraints imply its head, or `false` when it has none.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Clause {
    /// The variables, which are bound by the clause.
    pub vars: Vec<TermId>,
    /// Applications of predicates.
    pub atoms: Vec<TermId>,
    /// Formulas without predicates.
    pub constraints: Vec<TermId>,
    /// An application of a predicate.
    pub head: Option<TermId>,
}

/// A clause that is applied, with values of its variables.
#[derive(Clone, Debug)]
pub struct Application {
    /// The clause's position.
    pub clause: usize,
    /// The values of its variables, in their order.
    pub values: Vec<Value>,
}

/// A clause that is applied to facts that were derived before.
#[derive(Clone, Debug)]
pub struct Deduction {
    /// The clause with its values.
    pub applied: Application,
    /// Where the facts for the atoms of its body were derived, in their order; all of them are earlier.
    pub premises: Vec<usize>,
}

/// A derivation from applications of linear clauses, each of which uses the one before.
#[must_use]
pub fn chain(applications: Vec<Application>) -> Vec<Deduction> {
    let applications = applications.into_iter().enumerate();
    applications
        .map(|(at, applied)| Deduction { applied, premises: at.checked_sub(1).into_iter().collect() })
        .collect()
}

/// What a predicate is in a solution: parameters (bound variables) and a formula over them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Meaning {
    /// The predicate.
    pub predicate: FunId,
    /// Its parameters.
    pub params: Vec<TermId>,
    /// When it holds.
    pub body: TermId,
}

impl Clause {
    /// The parts of `(forall (x …) (=> body head))`, where the body is a conjunction; none when predicates occur anywhere
    /// else.
    #[must_use]
    pub fn of(terms: &mut Terms, predicates: &FxHashSet<FunId>, clause: TermId) -> Option<Clause> {
        let mut found = Clause::default();
        let mut rest = clause;
        while terms.op(rest) == Op::Forall {
            let (body, vars) = terms.args(rest).split_last()?;
            found.vars.extend(vars);
            rest = *body;
        }
        let (mut todo, head): (Vec<TermId>, TermId) = match terms.op(rest) {
            Op::Implies => {
                let (head, bodies) = terms.args(rest).split_last()?;
                (bodies.iter().rev().copied().collect(), *head)
            }
            _ => (Vec::new(), rest),
        };
        let is_atom = |terms: &Terms, term| terms.applied(term).is_some_and(|fun| predicates.contains(&fun));
        while let Some(term) = todo.pop() {
            match terms.op(term) {
                Op::And => todo.extend(terms.args(term).iter().rev()),
                Op::True => {}
                _ if is_atom(terms, term) => found.atoms.push(term),
                _ => found.constraints.push(term),
            }
        }
        if is_atom(terms, head) {
            found.head = Some(head);
        } else if head != TermId::FALSE {
            let negated = terms.not(head);
            found.constraints.push(negated);
        }
        let arguments = found.atoms.iter().chain(&found.head).flat_map(|&atom| terms.args(atom));
        let mut plain = found.constraints.iter().chain(arguments);
        plain.all(|&term| !mentions(terms, predicates, term)).then_some(found)
    }

    /// The clause as a closed formula.
    ///
    /// # Errors
    /// When a part is not Boolean.
    pub fn term(&self, terms: &mut Terms) -> Result<TermId, RankError> {
        let body: Vec<TermId> = self.atoms.iter().chain(&self.constraints).copied().collect();
        let body = terms.and(&body);
        let formula = terms.app(Op::Implies, &[body, self.head.unwrap_or(TermId::FALSE)])?;
        if self.vars.is_empty() { Ok(formula) } else { terms.bind(Op::Forall, &self.vars, formula) }
    }
}

/// True when one of the functions is applied in a term.
fn mentions(terms: &Terms, funs: &FxHashSet<FunId>, term: TermId) -> bool {
    postorder(terms, term).into_iter().any(|t| terms.applied(t).is_some_and(|fun| funs.contains(&fun)))
}

/// A bound variable with a name close to `wish` that nothing else has.
pub(crate) fn new_var(terms: &mut Terms, wish: &str, sort: SortId) -> TermId {
    let text = terms.unused_name(wish);
    let name = terms.names.intern(&text);
    terms.var(name, sort)
}
