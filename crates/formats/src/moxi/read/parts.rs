//! What definitions and checks are made of: attributes, variables, formulas.

use super::Var;
use base::intern::SymbolId;
use diag::codes;
use smt::parse::Parser;
use smt::scope::Binding;
use smt::sexpr::{Kind, NodeIdx};
use smt::sort::SortId;
use smt::subst::unfold;
use smt::term::TermId;

/// Name and attributes of a command.
pub(super) fn attributes(parser: &mut Parser<'_>) -> Option<(SymbolId, Vec<(NodeIdx, NodeIdx)>)> {
    let parts: Vec<NodeIdx> = parser.tree.children(0).skip(1).collect();
    let Some((&name, rest)) = parts.split_first() else {
        parser.expected("the name of a system", 0);
        return None;
    };
    let name = parser.symbol(name, "the name of a system")?;
    let mut found = Vec::new();
    for pair in rest.chunks(2) {
        match *pair {
            [key, value] if parser.tree.kind(key) == Kind::Keyword => found.push((key, value)),
            [key] if parser.tree.kind(key) == Kind::Keyword => {
                parser.error(codes::MOXI002, key, "the attribute has no value");
                return None;
            }
            _ => {
                parser.expected("an attribute", pair[0]);
                return None;
            }
        }
    }
    Some((name, found))
}

/// The value of an attribute that occurs once at most.
pub(super) fn once(
    parser: &mut Parser<'_>,
    attributes: &[(NodeIdx, NodeIdx)],
    key: &str,
) -> Option<Option<NodeIdx>> {
    let mut found = attributes.iter().filter(|(node, _)| parser.text.atom(parser.tree, *node) == key);
    let (first, second) = (found.next(), found.next());
    if let Some(&(again, _)) = second {
        parser.error(codes::MOXI002, again, format!("`{key}` is there twice"));
        return None;
    }
    Some(first.map(|pair| pair.1))
}

pub(super) fn unknown_attribute(parser: &mut Parser<'_>, key: NodeIdx) {
    let what = parser.describe(key);
    parser.error(codes::MOXI002, key, format!("unknown attribute {what}"));
}

/// `((x S) …)`.
pub(super) fn variables(parser: &mut Parser<'_>, list: NodeIdx) -> Option<Vec<Var>> {
    if !parser.tree.is_list(list) {
        parser.expected("a list of variables with their sorts", list);
        return None;
    }
    let mut found = Vec::new();
    for node in parser.tree.children(list) {
        let parts: Vec<NodeIdx> = parser.tree.children(node).collect();
        let [name, sort] = parts[..] else {
            parser.expected("(variable sort)", node);
            return None;
        };
        let place = name;
        let name = parser.symbol(name, "a variable")?;
        let sort = parser.sort(sort);
        if sort == SortId::ERROR {
            return None;
        }
        let text = parser.terms.names.text(name).to_owned();
        if text.contains('\'') {
            parser.error(codes::MOXI002, place, "the name of a variable cannot have a prime");
            return None;
        }
        let now = parser.terms.fresh(&text, sort);
        let next = parser.terms.fresh(&format!("{text}'"), sort);
        found.push(Var { name, sort, now, next });
    }
    Some(found)
}

pub(super) fn distinct(parser: &mut Parser<'_>, vars: &[Var]) -> Option<()> {
    let mut seen = rustc_hash::FxHashSet::default();
    let Some(twice) = vars.iter().find(|var| !seen.insert(var.name)) else { return Some(()) };
    let what = parser.terms.names.text(twice.name).to_owned();
    parser.error(codes::MOXI002, 0, format!("two variables are called `{what}`"));
    None
}

/// Gives the variables of a system their meaning, of the next step under the names with a prime.
pub(super) fn bind(parser: &mut Parser<'_>, vars: &[Var], next: bool) {
    for var in vars {
        let (name, fun) = match next {
            false => (var.name, var.now),
            true => {
                let text = format!("{}'", parser.terms.names.text(var.name));
                (parser.terms.names.intern(&text), var.next)
            }
        };
        parser.scope.bind_inner(name, Binding::Fun(fun));
    }
}

/// A formula without abbreviations. Parentheses around it that mean nothing are an old habit.
pub(super) fn formula(parser: &mut Parser<'_>, mut node: NodeIdx) -> TermId {
    while let Some(inner) = parser.tree.head(node).filter(|&inner| parser.tree.is_list(inner)) {
        if parser.tree.children(node).count() != 1 {
            break;
        }
        node = inner;
    }
    let term = parser.term_of_sort(node, SortId::BOOL, "the formula");
    unfold(parser.terms, term)
}
