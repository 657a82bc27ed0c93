//! Declarations of sorts as text: what a file needs before its symbols.

use super::{symbol_text, write_sort};
use crate::sort::{Sort, SortId, children};
use crate::term::Terms;
use rustc_hash::FxHashSet;

/// Appends declarations of everything declared that some sorts are made of: uninterpreted sorts, then all datatypes in
/// one command.
pub fn write_declarations(out: &mut String, terms: &Terms, roots: &[SortId]) {
    let (mut seen, mut known) = (FxHashSet::default(), FxHashSet::default());
    let (mut plain, mut datatypes) = (Vec::new(), Vec::new());
    let mut todo: Vec<SortId> = roots.iter().rev().copied().collect();
    while let Some(sort) = todo.pop() {
        if !seen.insert(sort) {
            continue;
        }
        todo.extend(children(terms.sorts.get(sort)));
        let Sort::Declared(decl, _) = *terms.sorts.get(sort) else { continue };
        if !known.insert(decl) {
            continue;
        }
        match &terms.sorts.decl(decl).datatype {
            None => plain.push(decl),
            Some(datatype) => {
                datatypes.push((decl, datatype));
                todo.extend(datatype.constructors.iter().flat_map(|c| c.fields.iter().map(|field| field.1)));
            }
        }
    }
    let symbol = |name| symbol_text(terms.names.text(name));
    for decl in plain {
        let decl = terms.sorts.decl(decl);
        out.push_str(&format!("(declare-sort {} {})\n", symbol(decl.name), decl.arity));
    }
    if datatypes.is_empty() {
        return;
    }
    let heads = datatypes.iter().map(|(decl, _)| terms.sorts.decl(*decl));
    let heads: Vec<String> = heads.map(|decl| format!("({} {})", symbol(decl.name), decl.arity)).collect();
    out.push_str(&format!("(declare-datatypes ({}) (", heads.join(" ")));
    for (_, datatype) in datatypes {
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
