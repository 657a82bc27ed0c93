//! Names that a file can be written with: symbols that SMT-LIB can spell, each with one meaning, and new ones beside them.

use crate::WriteError;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::{ALIASES, OPS};
use smt::subst::{postorder_of, replace};
use smt::term::{FunId, Role, Terms};
use ts::System;

/// A system whose symbols can all be written, if the given one is none.
///
/// # Errors
/// When a function would need another name.
pub(super) fn renamed(terms: &mut Terms, system: &System) -> Result<Option<System>, WriteError> {
    let mut taken: FxHashSet<&str> = OPS.iter().map(|info| info.name).collect();
    taken.extend(ALIASES.iter().map(|(name, _)| *name));
    let mut bad = Vec::new();
    for fun in symbols(system) {
        let name = terms.fun_name(fun);
        if name.contains(['|', '\\']) || name.contains(char::is_control) || !taken.insert(name) {
            bad.push(fun);
        }
    }
    if bad.is_empty() {
        return Ok(None);
    }
    let (mut map, mut funs) = (FxHashMap::default(), FxHashMap::default());
    for fun in bad {
        if !terms.fun(fun).params.is_empty() {
            let name: String = terms.fun_name(fun).chars().take(60).collect();
            return Err(WriteError::new(format!(
                "the function `{name}` has a name that another symbol has too"
            )));
        }
        let name = terms.fun_name(fun).replace(|c: char| matches!(c, '|' | '\\') || c.is_control(), "_");
        let fresh = terms.fresh(&name, terms.fun(fun).result);
        funs.insert(fun, fresh);
        map.insert(terms.constant_term(fun), terms.constant_term(fresh));
    }
    let mut copy = system.clone();
    for formula in copy.formulas_mut() {
        *formula = replace(terms, *formula, &map);
    }
    let states = copy.states.iter_mut().flat_map(|state| [&mut state.now, &mut state.next]);
    for fun in states.chain(&mut copy.inputs).chain(&mut copy.rigid) {
        *fun = funs.get(fun).copied().unwrap_or(*fun);
    }
    Ok(Some(copy))
}

/// The symbols of a system, in order.
fn symbols(system: &System) -> impl Iterator<Item = FunId> {
    let states = system.states.iter().flat_map(|state| [state.now, state.next]);
    states.chain(system.inputs.iter().copied()).chain(system.rigid.iter().copied())
}

/// The names of a system, and those that were made beside them.
pub(super) struct Names {
    taken: FxHashSet<String>,
}

impl Names {
    /// The names that a system is written with.
    ///
    /// # Errors
    /// When a function has a recursive definition, which VMT-LIB cannot say.
    pub(super) fn of(terms: &Terms, system: &System) -> Result<Names, WriteError> {
        let mut funs: FxHashSet<FunId> = symbols(system).collect();
        for term in postorder_of(terms, system.formulas()) {
            let Some(fun) = terms.applied(term) else { continue };
            if matches!(terms.fun(fun).role, Role::Recursive(_)) {
                let name = smt::print::symbol_text(terms.fun_name(fun));
                return Err(WriteError::new(format!(
                    "the function {name} is recursive, which VMT-LIB cannot express"
                )));
            }
            funs.insert(fun);
        }
        Ok(Names { taken: funs.into_iter().map(|fun| terms.fun_name(fun).to_owned()).collect() })
    }

    /// A name that nothing else has, close to a wish.
    pub(super) fn fresh(&mut self, wish: &str) -> String {
        let mut name = wish.to_owned();
        for i in 1.. {
            if self.taken.insert(name.clone()) {
                break;
            }
            name = format!("{wish}.{i}");
        }
        name
    }

    /// The beginning of names for shared terms, with which no other name begins.
    pub(super) fn prefix(&self) -> String {
        let mut prefix = ".def_".to_owned();
        while self.taken.iter().any(|name| name.starts_with(&prefix)) {
            prefix.insert(0, '.');
        }
        prefix
    }
}
