//! From the extended language to the core: no LTL, one formula for each live property, no `invar`.

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
    Ok(extended)
}
