//! Names that a file can be written with: symbols that SMT-LIB can spell, each with one meaning, and new ones beside them.

use crate::WriteError;
use base::id::IdSet;
use base::intern::SymbolId;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::{ALIASES, OPS};
use smt::sort::SortId;
use smt::subst::{each_below, replace};
use smt::term::{Fun, FunId, Role, TermId, Terms};
use std::borrow::Cow;
use ts::System;

/// Fails when a symbol would have to get another name, which evidence must not do.
///
/// # Errors
/// The symbol.
pub(super) fn writable(terms: &Terms, system: &System) -> Result<(), WriteError> {
    match bad(terms, system).first() {
        None => Ok(()),
        Some(&fun) => {
            let name: String = terms.fun_name(fun).chars().take(60).collect();
            Err(WriteError::new(format!("the symbol `{name}` cannot be written in SMT-LIB")))
        }
    }
}

/// The symbols that need other names.
fn bad(terms: &Terms, system: &System) -> Vec<FunId> {
    let mut taken: IdSet<SymbolId> = IdSet::new();
    for name in operators().filter_map(|name| terms.names.find(name)).chain(of_datatypes(terms)) {
        taken.insert(name);
    }
    let is_bad = |&fun: &FunId| !is_name(terms.fun_name(fun)) || !taken.insert(terms.fun(fun).name);
    symbols(system).filter(is_bad).collect()
}

/// The names of operators of all theories. Those of some may be declared anew, but then formulas that are written with
/// them would mean something else.
fn operators() -> impl Iterator<Item = &'static str> {
    let operators = OPS.iter().map(|info| info.name).chain(ALIASES.iter().map(|(name, _)| *name));
    operators.filter(|name| !name.is_empty())
}

/// The names that declarations of datatypes give to constructors and fields, also to those that no formula uses.
fn of_datatypes(terms: &Terms) -> impl Iterator<Item = SymbolId> {
    let datatypes = terms.sorts.decls().filter_map(|decl| terms.sorts.decl(decl).datatype.as_ref());
    datatypes.flat_map(|datatype| &datatype.constructors).flat_map(|constructor| {
        std::iter::once(constructor.name).chain(constructor.fields.iter().map(|field| field.0))
    })
}

/// A name that can be written, close to a wish.
pub(crate) fn clean(wish: &str) -> Cow<'_, str> {
    if is_name(wish) {
        return Cow::Borrowed(wish);
    }
    let name = wish.replace(|c: char| matches!(c, '|' | '\\') || c.is_control(), "_");
    Cow::Owned(if name.is_empty() { "_".to_owned() } else { name })
}

/// True for a name that can be written, between bars if need be.
pub(super) fn is_name(name: &str) -> bool {
    let usual = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'|' | b'\\');
    !name.is_empty()
        && (name.bytes().all(usual) || !name.contains(['|', '\\']) && !name.contains(char::is_control))
}

/// A system whose symbols can all be written in SMT-LIB: the given one, or one with other names where need be.
///
/// # Errors
/// When a function would need another name.
pub fn spelled<'a>(terms: &mut Terms, system: &'a System) -> Result<Cow<'a, System>, WriteError> {
    Ok(renamed(terms, system)?.map_or(Cow::Borrowed(system), Cow::Owned))
}

fn renamed(terms: &mut Terms, system: &System) -> Result<Option<System>, WriteError> {
    let bad = bad(terms, system);
    if bad.is_empty() {
        return Ok(None);
    }
    let (mut map, mut funs) = (FxHashMap::default(), FxHashMap::default());
    let mut taken = taken(terms, system, system.formulas().chain(system.hints.iter().copied()));
    taken.extend(of_datatypes(terms));
    taken.extend(operators().map(|name| terms.names.intern(name)));
    for fun in bad {
        if !terms.fun(fun).params.is_empty() {
            let name: String = terms.fun_name(fun).chars().take(60).collect();
            return Err(WriteError::new(format!(
                "the function `{name}` has a name that another symbol has too"
            )));
        }
        let name = clean(terms.fun_name(fun)).into_owned();
        let fresh = constant(terms, &name, terms.fun(fun).result, &mut taken);
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

/// A new constant with a name close to a wish. What it is called depends on `taken` alone and not on what else the store
/// knows, so that a file that is read or written twice gives the same twice.
pub(super) fn constant(
    terms: &mut Terms,
    wish: &str,
    result: SortId,
    taken: &mut FxHashSet<SymbolId>,
) -> FunId {
    let mut name = terms.names.intern(wish);
    let mut number = 0;
    while !taken.insert(name) {
        number += 1;
        name = terms.names.intern(&format!("{wish}.{number}"));
    }
    terms.declare(Fun { name, params: Box::new([]), result, role: Role::Free })
}

/// The names of the symbols of a system and of formulas that are or will be in it.
pub(super) fn taken(
    terms: &Terms,
    system: &System,
    formulas: impl IntoIterator<Item = TermId>,
) -> FxHashSet<SymbolId> {
    let mut taken: FxHashSet<SymbolId> = symbols(system).map(|fun| terms.fun(fun).name).collect();
    each_below(terms, formulas, |term| taken.extend(terms.applied(term).map(|fun| terms.fun(fun).name)));
    taken
}

/// The symbols of a system, in order.
fn symbols(system: &System) -> impl Iterator<Item = FunId> {
    let states = system.states.iter().flat_map(|state| [state.now, state.next]);
    states.chain(system.inputs.iter().copied()).chain(system.rigid.iter().copied())
}

/// The names that a file is written with: those of a system, and those that are made beside them.
pub(super) struct Names {
    /// Those of symbols.
    symbols: FxHashSet<SymbolId>,
    /// Those that mean something in every file, and those that were made.
    made: FxHashSet<String>,
    /// The last number that was put behind a name. All smaller ones are taken.
    numbers: FxHashMap<String, u32>,
}

impl Names {
    /// The names that a system is written with.
    ///
    /// # Errors
    /// When a function has a recursive definition, which VMT-LIB cannot say.
    pub(super) fn of(terms: &Terms, system: &System) -> Result<Names, WriteError> {
        let mut names: FxHashSet<SymbolId> = of_datatypes(terms).collect();
        let mut funs = IdSet::new();
        for fun in symbols(system).filter(|&fun| funs.insert(fun)) {
            names.insert(terms.fun(fun).name);
        }
        let mut recursive = None;
        each_below(terms, system.formulas().chain(system.hints.iter().copied()), |term| {
            let Some(fun) = terms.applied(term).filter(|&fun| funs.insert(fun)) else { return };
            if matches!(terms.fun(fun).role, Role::Recursive(_)) {
                recursive = Some(fun);
            }
            names.insert(terms.fun(fun).name);
        });
        if let Some(fun) = recursive {
            let name = smt::print::symbol_text(terms.fun_name(fun));
            return Err(WriteError::new(format!(
                "the function {name} is recursive, which VMT-LIB cannot express"
            )));
        }
        let made = operators().map(str::to_owned).collect();
        Ok(Names { symbols: names, made, numbers: FxHashMap::default() })
    }

    /// A name that nothing else has, close to a wish.
    pub(super) fn fresh(&mut self, terms: &Terms, wish: &str) -> String {
        let is_symbol = |name: &str| terms.names.find(name).is_some_and(|name| self.symbols.contains(&name));
        if !is_symbol(wish) && !self.made.contains(wish) {
            self.made.insert(wish.to_owned());
            return wish.to_owned();
        }
        let number = self.numbers.entry(wish.to_owned()).or_default();
        loop {
            *number += 1;
            let name = format!("{wish}.{number}");
            if !is_symbol(&name) && self.made.insert(name.clone()) {
                return name;
            }
        }
    }

    /// The beginning of names for shared terms, with which no other name begins. It is asked for when all other names are there.
    pub(super) fn prefix(&self, terms: &Terms) -> String {
        let mut prefix = ".def_".to_owned();
        let symbols = self.symbols.iter().map(|&name| terms.names.text(name));
        let names: Vec<&str> = symbols.chain(self.made.iter().map(String::as_str)).collect();
        while names.iter().any(|name| name.starts_with(&prefix)) {
            prefix.insert(0, '.');
        }
        prefix
    }
}
