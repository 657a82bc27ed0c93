//! Declarations that SMT-LIB terms need before they can be written: sorts, datatypes, recursive functions.

use rustc_hash::{FxHashMap, FxHashSet};
use smt::print::{symbol_text, write_sort, write_term};
use smt::sort::{Sort, SortDeclId, SortId, children};
use smt::subst::{functions, postorder};
use smt::term::{FunId, TermId, Terms};

/// Appends the declarations of all sorts and recursive functions that are used by terms and symbols.
pub(crate) fn write_declarations(out: &mut String, terms: &Terms, roots: &[TermId], funs: &[FunId]) {
    let recursive = recursive_functions(terms, roots);
    let mut sorts = Vec::new();
    for &fun in funs.iter().chain(&recursive) {
        sorts.extend(terms.fun(fun).params.iter().copied().chain([terms.fun(fun).result]));
    }
    let bodies = recursive.iter().filter_map(|&fun| terms.definition(fun)).map(|(_, body)| body);
    let mut seen = FxHashSet::default();
    for root in roots.iter().copied().chain(bodies) {
        for term in postorder(terms, root).into_iter().filter(|&term| seen.insert(term)) {
            sorts.push(terms.sort(term));
        }
    }
    write_sorts(out, terms, sorts);
    write_recursive(out, terms, &recursive);
}

/// The recursive functions that terms use, directly or in bodies of others.
fn recursive_functions(terms: &Terms, roots: &[TermId]) -> Vec<FunId> {
    let (mut todo, mut seen, mut found): (Vec<TermId>, _, _) =
        (roots.to_vec(), FxHashSet::default(), Vec::new());
    while let Some(root) = todo.pop() {
        for fun in functions(terms, root) {
            if let Some((_, body)) = terms.recursive_definition(fun)
                && seen.insert(fun)
            {
                found.push(fun);
                todo.push(body);
            }
        }
    }
    found.sort_unstable();
    found
}

fn write_sorts(out: &mut String, terms: &Terms, sorts: Vec<SortId>) {
    let (mut todo, mut seen, mut datatypes) = (sorts, FxHashSet::default(), Vec::new());
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

fn write_recursive(out: &mut String, terms: &Terms, funs: &[FunId]) {
    if funs.is_empty() {
        return;
    }
    out.push_str("(define-funs-rec (");
    for &fun in funs {
        if let Some((params, _)) = terms.definition(fun) {
            out.push('(');
            write_head(out, terms, fun, params);
            out.push(')');
        }
    }
    out.push_str(") (");
    for (i, &fun) in funs.iter().enumerate() {
        if let Some((_, body)) = terms.definition(fun) {
            out.push_str(if i == 0 { "" } else { " " });
            write_term(out, terms, body);
        }
    }
    out.push_str("))\n");
}

/// Appends name, parameters and result of a definition.
pub(crate) fn write_head(out: &mut String, terms: &Terms, fun: FunId, params: &[TermId]) {
    out.push_str(&format!("{} ", symbol_text(terms.fun_name(fun))));
    write_params(out, terms, params);
    out.push(' ');
    write_sort(out, terms, terms.fun(fun).result);
}

/// Appends `((x S) …)`.
pub(crate) fn write_params(out: &mut String, terms: &Terms, params: &[TermId]) {
    out.push('(');
    for (i, &param) in params.iter().enumerate() {
        out.push_str(if i == 0 { "(" } else { " (" });
        write_term(out, terms, param);
        out.push(' ');
        write_sort(out, terms, terms.sort(param));
        out.push(')');
    }
    out.push(')');
}
