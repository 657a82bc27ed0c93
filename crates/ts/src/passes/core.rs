//! From the extended language to the core: no LTL, one formula for each live property, no `invar`, no axioms.
//!
//! What holds of rigid symbols once and for all holds at first and in every step; it is said of both, so that an invariant
//! that rests on it stays inductive.

use super::degeneralise::degeneralise;
use super::extended::Extended;
use super::invar::without_invar;
use super::ltl::{Unsupported, ltl};
use crate::system::System;
use smt::term::Terms;

/// The system in core terms: the same properties in the same order, each with the truth it had.
///
/// # Errors
/// When an LTL property has no monitor.
pub fn core(terms: &mut Terms, original: &System) -> Result<Extended, Unsupported> {
    let monitored = ltl(terms, original)?;
    let single = degeneralise(terms, &monitored.system);
    let mut extended = monitored.then(single);
    extended.system = without_invar(terms, &extended.system);
    let axioms = std::mem::take(&mut extended.system.axioms);
    extended.system.init.extend_from_slice(&axioms);
    extended.system.trans.extend(axioms);
    Ok(extended)
}
