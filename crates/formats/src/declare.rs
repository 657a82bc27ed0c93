//! Declarations that SMT-LIB terms need before they can be written: sorts, datatypes, recursive functions.

use base::id::IdSet;
use rustc_hash::FxHashSet;
use smt::print::{symbol_text, write_sort, write_term};
use smt::subst::{functions, postorder_of};
use smt::term::{FunId, TermId, Terms};

/// Appends the declarations of all sorts and recursive functions that are used by terms and symbols.
pub(crate) fn write_declarations(out: &mut String, terms: &Terms, roots: &[TermId], funs: &[FunId]) {
    let recursive = recursive_functions(terms, roots);
    let mut sorts = Vec::new();
    for &fun in funs.iter().chain(&recursive) {
        sorts.extend(terms.fun(fun).params.iter().copied().chain([terms.fun(fun).result]));
    }
    let bodies = recursive.iter().filter_map(|&fun| terms.definition(fun)).map(|(_, body)| body);
    let mut seen = IdSet::new();
    let order = postorder_of(terms, roots.iter().copied().chain(bodies));
    sorts.extend(order.iter().map(|&term| terms.sort(term)).filter(|&sort| seen.insert(sort)));
    smt::print::write_declarations(out, terms, &sorts);
    write_recursive(out, terms, &recursive);
}

/// The recursive functions that terms use, directly or in bodies of others.
fn recursive_functions(terms: &Terms, roots: &[TermId]) -> Vec<FunId> {
    let (mut todo, mut seen, mut found): (Vec<TermId>, _, _) =
        (roots.to_vec(), FxHashSet::default(), Vec::new());
    if !terms.has_recursive_definitions() {
        return found;
    }
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
