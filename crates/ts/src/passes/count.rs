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
    /// That a round of violations is complete: every formula but one was violated since the last round, and that one is violated now. The
    /// formulas are violated infinitely often if and only if there are infinitely many rounds.
    ///
    /// A formula that is a variable comes last: monitors of LTL have one that says that they failed, and only a later step tells whether they
    /// promised more than could be kept.
    pub(super) fn round(&mut self, formulas: &[TermId]) -> TermId {
        let is_variable = |formula: &TermId| {
            let fun = self.terms.applied(*formula);
            fun.is_some_and(|fun| self.system.states.iter().any(|state| state.now == fun))
        };
        let Some(last) = formulas.iter().position(is_variable).or(formulas.len().checked_sub(1)) else {
            return TermId::TRUE;
        };
        let mut round = vec![self.terms.not(formulas[last])];
        let mut seen = Vec::new();
        for (at, &formula) in formulas.iter().enumerate() {
            if at != last {
                let (flag, before) = self.flag("seen");
                seen.push((flag, before, self.terms.not(formula)));
                round.push(before);
            }
        }
        let round = self.terms.and(&round);
        let goes_on = self.terms.not(round);
        for (flag, before, violated) in seen {
            let kept = self.terms.and(&[before, goes_on]);
            let value = self.terms.or(&[kept, violated]);
            self.follows(flag, value);
        }
        round
    }
}
