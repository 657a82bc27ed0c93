//! Systems as MoXI.
//!
//! Each system becomes a definition and a check with a query for each property. MoXI looks only at steps that have a
//! successor; a system that may get stuck gets a variable `stop` with which it can always go on, and conditions are about
//! the steps before that.

use crate::declare::write_declarations;
use crate::names::Names;
use crate::vmt::clean;
use crate::{Model, WriteError};
use rustc_hash::FxHashMap;
use smt::print::{symbol_text, write_sort, write_term};
use smt::sexpr::is_simple_symbol;
use smt::sort::SortId;
use smt::subst::replace;
use smt::term::{Fun, FunId, Role, TermId, Terms};
use std::borrow::Cow;
use std::fmt::Write;
use ts::{Property, PropertyKind, State, System, always_continues};

/// Writes systems.
pub(super) fn write(terms: &mut Terms, model: &Model) -> Result<String, WriteError> {
    let Model::Systems(systems) = model else {
        return Err(WriteError::new("Horn clauses that are not linear are no transition system"));
    };
    let mut spelled = Vec::new();
    for system in systems {
        let system = crate::monitored(terms, Cow::Borrowed(system))?;
        spelled.push(crate::vmt::spelled(terms, &system)?.into_owned());
    }
    let systems: Vec<&System> = spelled.iter().collect();
    let mut out = String::new();
    if let Some(logic) = systems.iter().find_map(|system| system.logic.as_ref()) {
        let _ = writeln!(out, "(set-logic {})", symbol_text(logic));
    }
    let roots: Vec<TermId> = systems.iter().flat_map(|system| system.formulas()).collect();
    let mut symbols: Vec<FunId> = Vec::new();
    let mut rigid: Vec<FunId> = Vec::new();
    for system in &systems {
        symbols.extend(system.states.iter().map(|state| state.now).chain(system.inputs.iter().copied()));
        for &fun in &system.rigid {
            if !rigid.contains(&fun) {
                rigid.push(fun);
            }
        }
    }
    symbols.extend(&rigid);
    write_declarations(&mut out, terms, &roots, &symbols);
    for fun in rigid {
        let _ = write!(out, "(declare-fun {} (", symbol_text(terms.fun_name(fun)));
        for (i, &param) in terms.fun(fun).params.iter().enumerate() {
            out.push_str(if i == 0 { "" } else { " " });
            write_sort(&mut out, terms, param);
        }
        out.push_str(") ");
        write_sort(&mut out, terms, terms.fun(fun).result);
        out.push_str(")\n");
    }
    for (at, system) in systems.iter().enumerate() {
        let name = if systems.len() == 1 { "main".to_owned() } else { format!("main{at}") };
        write_system(&mut out, terms, system, &name)?;
    }
    Ok(out)
}

fn write_system(out: &mut String, terms: &mut Terms, system: &System, name: &str) -> Result<(), WriteError> {
    let mut system = system.clone();
    let alive = guard(terms, &mut system);
    // Rigid symbols are declared for all systems; what is known of them holds in every state, also after a stop.
    system.invar.append(&mut system.axioms);
    let primes = primes(terms, &mut system);
    let section = |terms: &Terms, out: &mut String, key: &str, funs: &[FunId]| {
        let _ = write!(out, "\n  {key} (");
        for (i, &fun) in funs.iter().enumerate() {
            out.push_str(if i == 0 { "(" } else { " (" });
            out.push_str(&symbol_text(terms.fun_name(fun)));
            out.push(' ');
            write_sort(out, terms, terms.fun(fun).result);
            out.push(')');
        }
        out.push(')');
    };
    let states: Vec<FunId> = system.states.iter().map(|state| state.now).collect();
    let formula = |terms: &mut Terms, out: &mut String, parts: &[TermId]| {
        let whole = terms.and(parts);
        let whole = replace(terms, whole, &primes);
        let mut text = String::new();
        write_term(&mut text, terms, whole);
        out.push_str(&primes_outside(&text));
    };
    let _ = write!(out, "(define-system {name}");
    section(terms, out, ":input", &system.inputs);
    section(terms, out, ":local", &states);
    for (key, parts) in [(":init", &system.init), (":trans", &system.trans), (":inv", &system.invar)] {
        let _ = write!(out, "\n  {key} ");
        formula(terms, out, parts);
    }
    let _ = write!(out, ")\n(check-system {name}");
    section(terms, out, ":input", &system.inputs);
    section(terms, out, ":local", &states);
    let mut queries = Names::default();
    for property in &system.properties {
        let index = property.index;
        let query = queries.unique(query_name(property));
        match &property.kind {
            PropertyKind::Invariant(good) => {
                let bad = terms.not(*good);
                let parts: Vec<TermId> = alive.into_iter().chain([bad]).collect();
                let _ = write!(out, "\n  :reachable (bad{index} ");
                formula(terms, out, &parts);
                let _ = write!(out, ")\n  :query ({} (bad{index}))", symbol_text(&query));
            }
            PropertyKind::Live(formulas) => {
                let mut names = Vec::new();
                for (i, &good) in formulas.iter().enumerate() {
                    let bad = terms.not(good);
                    let parts: Vec<TermId> = alive.into_iter().chain([bad]).collect();
                    let _ = write!(out, "\n  :fairness (fair{index}_{i} ");
                    formula(terms, out, &parts);
                    out.push(')');
                    names.push(format!("fair{index}_{i}"));
                }
                let _ = write!(out, "\n  :query ({} ({}))", symbol_text(&query), names.join(" "));
            }
            // `monitored` has made live properties of them.
            PropertyKind::Ltl(_) => {
                return Err(WriteError::new(format!(
                    "property {index} is a temporal formula, which MoXI does not have"
                )));
            }
        }
    }
    out.push_str(")\n");
    Ok(())
}

/// What the query about a property is called, if nothing else is. A prime would be that of a next step.
fn query_name(property: &Property) -> String {
    match &property.name {
        Some(name) => clean(name).replace('\'', "."),
        None => format!("q{}", property.index),
    }
}

/// Makes a system that may get stuck go on: what says that it has not stopped, if that was needed.
fn guard(terms: &mut Terms, system: &mut System) -> Option<TermId> {
    if always_continues(terms, system) {
        return None;
    }
    let stop = system.add_state(terms, "stop", SortId::BOOL);
    let (now, next) = (terms.constant_term(stop.now), terms.constant_term(stop.next));
    system.init.push(terms.not(now));
    let (not_now, step) = (terms.not(now), terms.and(&system.trans));
    let go = terms.and(&[not_now, step]);
    system.trans = vec![terms.or(&[next, go])];
    for formula in &mut system.invar {
        *formula = terms.or(&[now, *formula]);
    }
    Some(not_now)
}

/// Next versions under the names that print with a prime. Variables whose own name has one get another name.
fn primes(terms: &mut Terms, system: &mut System) -> FxHashMap<TermId, TermId> {
    let mut map = FxHashMap::default();
    let mut plain = |terms: &mut Terms, fun: FunId| {
        if !terms.fun_name(fun).contains('\'') {
            return fun;
        }
        let (name, sort) = (terms.fun_name(fun).replace('\'', "."), terms.fun(fun).result);
        let fresh = terms.fresh(&name, sort);
        map.insert(terms.constant_term(fun), terms.constant_term(fresh));
        fresh
    };
    let inputs: Vec<FunId> = system.inputs.iter().map(|&input| plain(terms, input)).collect();
    let nows: Vec<FunId> = system.states.iter().map(|state| plain(terms, state.now)).collect();
    system.inputs = inputs;
    for (state, now) in system.states.iter_mut().zip(nows) {
        let text = format!("{}'", terms.fun_name(now));
        let name = terms.names.intern(&text);
        let result = terms.fun(now).result;
        let next = terms.declare(Fun { name, params: Box::new([]), result, role: Role::Free });
        map.insert(terms.constant_term(state.next), terms.constant_term(next));
        *state = State { now, next: state.next };
    }
    map
}

/// `|x'|` as `x'`, and `|a b'|` as `|a b|'`.
fn primes_outside(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['|', '"']) {
        out.push_str(&rest[..at]);
        let mark = &rest[at..=at];
        let inner = &rest[at + 1..];
        let Some(end) = inner.find(mark) else {
            rest = &rest[at..];
            break;
        };
        match inner[..end].strip_suffix('\'') {
            Some(name) if mark == "|" && is_simple_symbol(name) => out.extend([name, "'"]),
            Some(name) if mark == "|" => out.extend(["|", name, "|'"]),
            _ => out.extend([mark, &inner[..end], mark]),
        }
        rest = &inner[end + 1..];
    }
    out.push_str(rest);
    out
}
