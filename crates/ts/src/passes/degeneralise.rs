//! Live properties with one formula each.
//!
//! A counterexample of a property with several formulas violates each of them again and again. A flag for each formula says
//! that it was violated since the last *round*; a round is over in the step in which all have been, and then a new one
//! begins. There are infinitely many rounds if and only if each formula is violated infinitely often.

use super::build::Build;
use super::extended::Extended;
use crate::system::{Property, PropertyKind, System};
use smt::term::{TermId, Terms};

/// The system in which no live property has several formulas.
pub fn degeneralise(terms: &mut Terms, original: &System) -> Extended {
    let mut build = Build::new(terms, original);
    let mut properties = Vec::new();
    for property in &original.properties {
        let kind = match &property.kind {
            PropertyKind::Live(formulas) if formulas.len() > 1 => {
                PropertyKind::Live(vec![rounds(&mut build, formulas)])
            }
            kind => kind.clone(),
        };
        properties.push(Property { kind, ..property.clone() });
    }
    let mut system = build.system;
    system.properties = properties;
    system.outputs.clone_from(&original.outputs);
    Extended::new(original, system)
}

/// That no round is over in this step.
fn rounds(build: &mut Build<'_>, formulas: &[TermId]) -> TermId {
    let mut flags = Vec::new();
    for &formula in formulas {
        let (flag, before) = build.flag("violated");
        let violated = build.terms.not(formula);
        flags.push((flag, build.terms.or(&[before, violated])));
    }
    let all: Vec<TermId> = flags.iter().map(|&(_, seen)| seen).collect();
    let over = build.terms.and(&all);
    let goes_on = build.terms.not(over);
    for (flag, seen) in flags {
        let value = build.terms.and(&[seen, goes_on]);
        build.follows(flag, value);
    }
    goes_on
}
