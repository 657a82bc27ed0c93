//! Liveness by counting: if no execution violates all formulas of a live property more than so many times, one of them
//! holds from some step on. That is an invariant of the system with a counter, whatever its sorts are; its violations mean
//! nothing.

use super::build::Build;
use crate::system::{Property, PropertyKind, System};
use smt::term::{TermId, Terms};

/// The system with an invariant that says: not more than `bound` times was every formula violated since the time before.
///
/// # Errors
/// When the property is not a live one.
pub fn count(
    terms: &mut Terms,
    original: &System,
    property: &Property,
    bound: usize,
) -> Result<System, &'static str> {
    let PropertyKind::Live(formulas) = &property.kind else { return Err("the property is not a live one") };
    let mut build = Build::new(terms, original);
    let round = build.round(formulas);
    // The counter is unary: each place is reached from the one before.
    let mut before = TermId::TRUE;
    for _ in 0..=bound {
        let (flag, reached) = build.flag("round");
        let arrives = build.terms.and(&[before, round]);
        let value = build.terms.or(&[reached, arrives]);
        build.follows(flag, value);
        before = reached;
    }
    let kind = PropertyKind::Invariant(build.terms.not(before));
    let mut system = build.system;
    system.properties.push(Property { index: property.index, name: property.name.clone(), kind });
    Ok(system)
}

impl Build<'_> {
    /// That every formula was violated since the last round was complete: the formulas are violated infinitely often if and only if
    /// there are infinitely many rounds.
    pub(super) fn round(&mut self, formulas: &[TermId]) -> TermId {
        if let &[formula] = formulas {
            return self.terms.not(formula);
        }
        let mut seen = Vec::new();
        for &formula in formulas {
            let (flag, before) = self.flag("seen");
            let violated = self.terms.not(formula);
            seen.push((flag, self.terms.or(&[before, violated])));
        }
        let all: Vec<TermId> = seen.iter().map(|entry| entry.1).collect();
        let round = self.terms.and(&all);
        let goes_on = self.terms.not(round);
        for (flag, now) in seen {
            let value = self.terms.and(&[now, goes_on]);
            self.follows(flag, value);
        }
        round
    }
}
