//! Solutions of clauses as text: `sat` and a definition of each predicate, as solvers print them.

use crate::Source;
use crate::declare::write_params;
use crate::text::utf8;
use diag::{Diagnostic, Span, codes};
use rustc_hash::FxHashMap;
use smt::parse::Command;
use smt::print::{symbol_text, write_term};
use smt::scope::Scope;
use smt::script;
use smt::sexpr::Text;
use smt::subst::unfold;
use smt::term::{FunId, Terms};
use ts::passes::horn::Meaning;

/// Writes a solution.
#[must_use]
pub fn write_model(terms: &Terms, solution: &[Meaning]) -> String {
    let mut out = String::from("sat\n(\n");
    for meaning in solution {
        out.push_str(&format!("  (define-fun {} ", symbol_text(terms.fun_name(meaning.predicate))));
        write_params(&mut out, terms, &meaning.params);
        out.push_str(" Bool ");
        write_term(&mut out, terms, meaning.body);
        out.push_str(")\n");
    }
    out.push_str(")\n");
    out
}

/// Reads a solution of a problem with these predicates: `sat` may be missing, and so may the parentheses around the
/// definitions; `model` after the first one is an old habit. Every predicate must be defined.
pub fn read_model(
    terms: &mut Terms,
    predicates: &[FunId],
    source: Source<'_>,
    errors: &mut Vec<Diagnostic>,
) -> Option<Vec<Meaning>> {
    let before = errors.len();
    let text = utf8(source, errors)?;
    let (from, to) = inside(text);
    let base = source.base + from as u32;
    let mut scope = Scope::after(terms);
    let mut found: FxHashMap<FunId, Meaning> = FxHashMap::default();
    script::read(terms, &mut scope, Text::new(&text[from..to], base), errors, |terms, command, _, _| {
        if let Command::DefineFun(fun) = command {
            let (name, params) = (terms.fun(fun).name, terms.fun(fun).params.clone());
            let same = |&&of: &&FunId| terms.fun(of).name == name && terms.fun(of).params == params;
            if let (Some(&predicate), Some((params, body))) =
                (predicates.iter().find(same), terms.definition(fun))
            {
                found.insert(predicate, Meaning { predicate, params: params.to_vec(), body });
            }
        }
    });
    if errors[before..].iter().any(Diagnostic::is_error) {
        return None;
    }
    let mut solution = Vec::new();
    for &predicate in predicates {
        let Some(mut meaning) = found.remove(&predicate) else {
            let name = symbol_text(terms.fun_name(predicate));
            let span = Span::new(source.base, source.base + source.bytes.len() as u32);
            errors.push(Diagnostic::new(
                codes::CHC004,
                span,
                format!("the predicate `{name}` is not defined"),
            ));
            continue;
        };
        meaning.body = unfold(terms, meaning.body);
        solution.push(meaning);
    }
    (errors.len() == before).then_some(solution)
}

/// The part of a solver's answer that holds commands.
fn inside(text: &str) -> (usize, usize) {
    let skip = |at: usize, word: &str| {
        let rest = text[at..].trim_start();
        rest.strip_prefix(word).map_or(at, |after| text.len() - after.len())
    };
    let from = skip(0, "sat");
    let opened = skip(from, "(");
    let first = text[opened..].trim_start();
    let is_list =
        opened > from && (first.starts_with('(') || first.starts_with("model") || first.starts_with(')'));
    match text.trim_end().strip_suffix(')') {
        Some(end) if is_list => (skip(opened, "model"), end.len()),
        _ => (from, text.len()),
    }
}
