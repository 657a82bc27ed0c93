//! All properties as invariants: LTL becomes live properties, and those become [loops](super::lasso) that are looked for.

use super::lasso::{infinite, watch};
use super::ltl::{self, ltl};
use super::{build::Build, extended::Extended};
use crate::system::{Property, PropertyKind, System};
use smt::print::{sort_text, symbol_text};
use smt::term::{FunId, Terms};

/// Why there are no such invariants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsupported {
    /// An LTL property has no monitor.
    Ltl(ltl::Unsupported),
    /// A live property of a system with a state variable that has infinitely many values: its violations need not repeat a
    /// state.
    Infinite(u64, FunId),
}

impl Unsupported {
    /// A sentence.
    #[must_use]
    pub fn message(&self, terms: &Terms) -> String {
        match *self {
            Unsupported::Ltl(why) => why.to_string(),
            Unsupported::Infinite(index, fun) => format!(
                "property {index} is about infinite executions, and they need not repeat a state: `{}` of sort {} has \
                 infinitely many values",
                symbol_text(terms.fun_name(fun)),
                sort_text(terms, terms.fun(fun).result),
            ),
        }
    }
}

/// The system with invariants in the place of all other properties, each with the truth it had.
///
/// # Errors
/// When a property has no such invariant.
pub fn safety(terms: &mut Terms, original: &System) -> Result<Extended, Unsupported> {
    let monitored = ltl(terms, original).map_err(Unsupported::Ltl)?;
    let before = &monitored.system;
    let is_live = |property: &&Property| matches!(property.kind, PropertyKind::Live(_));
    if let (Some(live), Some(fun)) = (before.properties.iter().find(is_live), infinite(terms, before)) {
        return Err(Unsupported::Infinite(live.index, fun));
    }
    let mut build = Build::new(terms, before);
    let mut properties = Vec::new();
    for property in &before.properties {
        let kind = match &property.kind {
            PropertyKind::Live(formulas) => watch(&mut build, before, formulas).2,
            kind => kind.clone(),
        };
        properties.push(Property { kind, ..property.clone() });
    }
    let mut system = build.system;
    system.properties = properties;
    system.outputs.clone_from(&before.outputs);
    Ok(monitored.then(Extended::new(original, system)))
}
