//! Declarations of sorts as text: what a file needs before its symbols.

use super::{symbol_text, write_sort};
use crate::sort::{Sort, SortDeclId, SortId, children};
use crate::term::Terms;
use rustc_hash::{FxHashMap, FxHashSet};

/// Appends declarations of everything declared that some sorts are made of: uninterpreted sorts, and datatypes after those
/// that they need.
pub fn write_declarations(out: &mut String, terms: &Terms, roots: &[SortId]) {
    let (mut todo, mut seen, mut datatypes) = (roots.to_vec(), FxHashSet::default(), Vec::new());
    let mut declared = FxHashSet::default();
    todo.reverse();
    while let Some(sort) = todo.pop() {
        if !seen.insert(sort) {
            continue;
        }
        todo.extend(children(terms.sorts.get(sort)));
        let Sort::Declared(decl, _) = *terms.sorts.get(sort) else { continue };
        if !declared.insert(decl) {
            continue;
        }
        let info = terms.sorts.decl(decl);
        match &info.datatype {
            None => {
                let name = symbol_text(terms.names.text(info.name));
                out.push_str(&format!("(declare-sort {name} {})\n", info.arity));
            }
            Some(datatype) => {
                datatypes.push(decl);
                todo.extend(datatype.constructors.iter().flat_map(|c| c.fields.iter().map(|f| f.1)));
            }
        }
    }
    datatypes.sort_unstable();
    for group in groups(terms, &datatypes) {
        write_datatypes(out, terms, &group);
    }
}

/// Datatypes that need one another together, after those that they need: solvers do not like arrays of a datatype in
/// the same declaration.
fn groups(terms: &Terms, decls: &[SortDeclId]) -> Vec<Vec<SortDeclId>> {
    let reach: FxHashMap<SortDeclId, FxHashSet<SortDeclId>> =
        decls.iter().map(|&decl| (decl, needed(terms, decl))).collect();
    let mut left = decls.to_vec();
    let mut found = Vec::new();
    while let Some(&first) = left.first() {
        // Something that needs nothing but what needs it.
        let is_last = |decl: &&SortDeclId| {
            reach[*decl]
                .iter()
                .all(|other| !left.contains(other) || reach[other].contains(*decl) || other == *decl)
        };
        let chosen = left.iter().find(is_last).copied().unwrap_or(first);
        let same = |&other: &SortDeclId| {
            other == chosen || reach[&chosen].contains(&other) && reach[&other].contains(&chosen)
        };
        let (group, rest) = left.iter().copied().partition(same);
        left = rest;
        found.push(group);
    }
    found
}

/// The datatypes that one needs, directly or not.
fn needed(terms: &Terms, decl: SortDeclId) -> FxHashSet<SortDeclId> {
    let (mut found, mut todo) = (FxHashSet::default(), vec![decl]);
    while let Some(decl) = todo.pop() {
        let Some(datatype) = &terms.sorts.decl(decl).datatype else { continue };
        let mut sorts: Vec<SortId> =
            datatype.constructors.iter().flat_map(|c| c.fields.iter().map(|field| field.1)).collect();
        let mut seen = FxHashSet::default();
        while let Some(sort) = sorts.pop() {
            if !seen.insert(sort) {
                continue;
            }
            sorts.extend(children(terms.sorts.get(sort)));
            if let Sort::Declared(other, _) = *terms.sorts.get(sort)
                && terms.sorts.decl(other).datatype.is_some()
                && found.insert(other)
            {
                todo.push(other);
            }
        }
    }
    found
}

/// Datatypes in one declaration.
fn write_datatypes(out: &mut String, terms: &Terms, decls: &[SortDeclId]) {
    let symbol = |name| symbol_text(terms.names.text(name));
    let heads: Vec<String> = decls
        .iter()
        .map(|&decl| format!("({} {})", symbol(terms.sorts.decl(decl).name), terms.sorts.decl(decl).arity))
        .collect();
    out.push_str(&format!("(declare-datatypes ({}) (", heads.join(" ")));
    for &decl in decls {
        let Some(datatype) = &terms.sorts.decl(decl).datatype else { continue };
        let params: Vec<String> = datatype.params.iter().map(|&param| symbol(param)).collect();
        if !params.is_empty() {
            out.push_str(&format!("(par ({}) ", params.join(" ")));
        }
        out.push('(');
        for constructor in &datatype.constructors {
            out.push_str(&format!("({}", symbol(constructor.name)));
            for &(field, sort) in &constructor.fields {
                out.push_str(&format!(" ({} ", symbol(field)));
                write_sort(out, terms, sort);
                out.push(')');
            }
            out.push(')');
        }
        out.push_str(if params.is_empty() { ")" } else { "))" });
    }
    out.push_str("))\n");
}
