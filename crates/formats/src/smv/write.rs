//! Systems in the language of nuXmv.

use super::print::{self, Names, enumeration, repeats, type_text};
use crate::{Model, Options, WriteError};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::{Op, Theory};
use smt::subst::postorder_of;
use smt::term::{FunId, TermId, Terms};
use std::fmt::Write;
use ts::{PropertyKind, System};

/// Writes a system. What is used several times becomes a definition.
///
/// # Errors
/// What the language cannot say.
pub fn write(terms: &mut Terms, model: &Model, _: &Options) -> Result<Vec<u8>, WriteError> {
    let system = crate::only_system(model, "file of SMV")?;
    let mut names = symbols(terms, system);
    let (definitions, temporal) = definitions(terms, system, &mut names);
    let mut out = String::from("MODULE main\n");
    variables(&mut out, terms, system, &names)?;
    if !definitions.is_empty() {
        out.push_str("DEFINE\n");
    }
    for term in definitions {
        let _ = write!(out, "  {} := ", names.terms[&term]);
        print::write(&mut out, terms, &names, term, true)?;
        out.push_str(";\n");
    }
    let sections = [
        ("INVAR", &system.axioms),
        ("INIT", &system.init),
        ("INVAR", &system.invar),
        ("TRANS", &system.trans),
    ];
    for (word, formulas) in sections {
        for &formula in formulas {
            let _ = write!(out, "{word} ");
            print::write(&mut out, terms, &names, formula, false)?;
            out.push_str(";\n");
        }
    }
    // Temporal formulas are written without definitions of their parts, which cannot be temporal.
    names.terms.retain(|term, _| !temporal.contains(term));
    properties(&mut out, terms, system, &names)?;
    Ok(out.into_bytes())
}

/// Names that the language takes, one for each symbol.
fn symbols(terms: &mut Terms, system: &System) -> Names {
    let mut names = Names::default();
    let mut used: FxHashSet<String> = FxHashSet::default();
    let mut add = |terms: &Terms, fun: FunId| {
        let text = quoted(terms.fun_name(fun));
        let mut name = text.clone();
        for i in 1.. {
            if used.insert(name.clone()) {
                break;
            }
            name = match text.strip_suffix('"') {
                Some(inner) => format!("{inner}.{i}\""),
                None => format!("{text}_{i}"),
            };
        }
        name
    };
    let mut found: FxHashMap<FunId, String> = FxHashMap::default();
    for state in &system.states {
        let name = add(terms, state.now);
        found.insert(state.next, format!("next({name})"));
        found.insert(state.now, name);
    }
    for &fun in system.inputs.iter().chain(&system.rigid) {
        let name = add(terms, fun);
        found.insert(fun, name);
    }
    let mut sorts: Vec<_> = found.keys().map(|&fun| terms.fun(fun).result).collect();
    sorts.sort_unstable();
    sorts.dedup();
    sorts.retain(|&sort| enumeration(terms, sort).is_some());
    for sort in sorts {
        for index in 0..enumeration(terms, sort).unwrap_or(0) {
            if let Some(fun) = terms.constructor(sort, index as u32) {
                let name = add(terms, fun);
                found.insert(fun, name);
                names.constructors.insert((sort, index), fun);
            }
        }
    }
    names.symbols = found;
    names
}

/// A name, between quotes if it is no plain one.
fn quoted(name: &str) -> String {
    let fits = |(i, b): (usize, u8)| b.is_ascii_alphabetic() || b == b'_' || (i > 0 && b.is_ascii_digit());
    let plain = name.bytes().enumerate().all(fits);
    // Names without small letters may be operators of some logic, or sections.
    if plain && name.bytes().any(|b| b.is_ascii_lowercase()) && !RESERVED.contains(&name) {
        return name.to_owned();
    }
    format!("\"{}\"", inner(name))
}

/// A name that can stand between quotes.
fn inner(name: &str) -> String {
    if name.is_empty() {
        return "_".to_owned();
    }
    name.chars().map(|c| if c == '"' || c.is_control() { '\'' } else { c }).collect()
}

const RESERVED: &[&str] = &[
    "abs", "array", "at", "bool", "boolean", "case", "clock", "count", "esac", "extend", "floor", "in",
    "init", "integer", "max", "min", "mod", "next", "of", "pi", "process", "real", "resize", "self",
    "signed", "sizeof", "swconst", "time", "toint", "typeof", "union", "unsigned", "uwconst", "word",
    "word1", "xnor", "xor",
];

/// The terms that get a definition, and those that are temporal.
fn definitions(terms: &Terms, system: &System, names: &mut Names) -> (Vec<TermId>, FxHashSet<TermId>) {
    let mut uses: FxHashMap<TermId, usize> = FxHashMap::default();
    let mut temporal = FxHashSet::default();
    for formula in system.formulas() {
        *uses.entry(formula).or_default() += 1;
    }
    let order = postorder_of(terms, system.formulas());
    for &term in &order {
        let again = if repeats(terms.op(term)) { 2 } else { 1 };
        // Two operands of a relation are there once each.
        let pair = terms.args(term).len() == 2
            && matches!(terms.op(term).info().theory, Theory::Core | Theory::Arith);
        let again = if pair && !matches!(terms.op(term), Op::IntDiv | Op::Mod) { 1 } else { again };
        for &arg in terms.args(term) {
            *uses.entry(arg).or_default() += again;
        }
        let below = terms.args(term).iter().any(|arg| temporal.contains(arg));
        if below || terms.op(term).info().theory == Theory::Ltl {
            temporal.insert(term);
        }
    }
    let mut count = 0;
    let mut found = Vec::new();
    for term in order {
        let leaf = terms.args(term).is_empty();
        if leaf || temporal.contains(&term) || uses.get(&term).is_none_or(|&uses| uses < 2) {
            continue;
        }
        let mut name = format!("def{count}");
        while terms.names.find(&name).is_some() {
            count += 1;
            name = format!("def{count}");
        }
        count += 1;
        names.terms.insert(term, name);
        found.push(term);
    }
    (found, temporal)
}

/// Declarations. Inputs that hold in every step or that properties speak of are variables without an equation: the language
/// has inputs only between two states.
fn variables(out: &mut String, terms: &Terms, system: &System, names: &Names) -> Result<(), WriteError> {
    let properties = system.properties.iter().flat_map(|property| property.formulas());
    let shown: FxHashSet<FunId> = postorder_of(terms, system.invar.iter().chain(properties).copied())
        .into_iter()
        .filter_map(|term| terms.applied(term))
        .collect();
    let (plain, shown): (Vec<FunId>, Vec<FunId>) =
        system.inputs.iter().partition(|input| !shown.contains(input));
    let states: Vec<FunId> = system.states.iter().map(|state| state.now).chain(shown).collect();
    let (frozen, rigid): (Vec<FunId>, Vec<FunId>) =
        system.rigid.iter().partition(|&&fun| terms.fun(fun).params.is_empty());
    for (word, funs) in [("VAR", states), ("IVAR", plain), ("FROZENVAR", frozen)] {
        if !funs.is_empty() {
            let _ = writeln!(out, "{word}");
        }
        for fun in funs {
            let _ = writeln!(
                out,
                "  {} : {};",
                names.symbols[&fun],
                type_text(terms, names, terms.fun(fun).result)?
            );
        }
    }
    if !rigid.is_empty() {
        out.push_str("FUN\n");
    }
    for fun in rigid {
        let mut params = Vec::new();
        for &param in &terms.fun(fun).params {
            params.push(type_text(terms, names, param)?);
        }
        let result = type_text(terms, names, terms.fun(fun).result)?;
        let _ = writeln!(out, "  {} : {} -> {result};", names.symbols[&fun], params.join(" * "));
    }
    Ok(())
}

fn properties(out: &mut String, terms: &Terms, system: &System, names: &Names) -> Result<(), WriteError> {
    let mut given = crate::names::Names::default();
    for property in &system.properties {
        let word = if matches!(property.kind, PropertyKind::Invariant(_)) { "INVARSPEC" } else { "LTLSPEC" };
        let _ = write!(out, "{word} ");
        if let Some(name) = &property.name {
            let _ = write!(out, "NAME {} := ", quoted(&given.unique(inner(name))));
        }
        for (i, &formula) in property.formulas().iter().enumerate() {
            let live = matches!(property.kind, PropertyKind::Live(_));
            out.push_str(if i == 0 { "" } else { " | " });
            out.push_str(if live { "(F (G " } else { "" });
            print::write(out, terms, names, formula, false)?;
            out.push_str(if live { "))" } else { "" });
        }
        out.push_str(";\n");
    }
    Ok(())
}
