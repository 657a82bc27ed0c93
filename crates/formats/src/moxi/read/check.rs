//! What a check asks.

use super::super::query::{Check, Condition, Part, Query};
use super::Template;
use super::parts::{bind, formula, once, unknown_attribute, variables};
use base::intern::SymbolId;
use diag::codes;
use rustc_hash::FxHashMap;
use smt::parse::Parser;
use smt::sexpr::NodeIdx;

/// The names that a check gives to the variables of its system.
pub(super) fn rename(
    parser: &mut Parser<'_>,
    top: &mut Template,
    attributes: &[(NodeIdx, NodeIdx)],
) -> Option<()> {
    let mut first = 0;
    for (kind, key) in [":input", ":output", ":local"].into_iter().enumerate() {
        let count = top.counts[kind];
        if let Some(list) = once(parser, attributes, key)? {
            let named = variables(parser, list)?;
            let own = &mut top.vars[first..first + count];
            let same = named.len() == count && named.iter().zip(own.iter()).all(|(a, b)| a.sort == b.sort);
            if !same {
                parser.error(codes::MOXI002, list, format!("`{key}` does not fit to the system's variables"));
                return None;
            }
            for (own, named) in own.iter_mut().zip(named) {
                own.name = named.name;
            }
        }
        first += count;
    }
    Some(())
}

/// What a check asks.
pub(super) fn conditions(
    parser: &mut Parser<'_>,
    top: &Template,
    attributes: &[(NodeIdx, NodeIdx)],
) -> Option<Check> {
    let mut check = Check::default();
    let mark = parser.scope.mark();
    bind(parser, &top.vars, false);
    let mut found: FxHashMap<SymbolId, usize> = FxHashMap::default();
    for next in [false, true] {
        if next {
            bind(parser, &top.vars, true);
        }
        for &(key, value) in attributes {
            let part = match (parser.text.atom(parser.tree, key), next) {
                (":current", false) => Part::Current,
                (":assumption", true) => Part::Assumption,
                (":fairness", true) => Part::Fairness,
                (":reachable", true) => Part::Reachable,
                _ => continue,
            };
            let pair: Vec<NodeIdx> = parser.tree.children(value).collect();
            let [name, body] = pair[..] else {
                parser.expected("(name formula)", value);
                continue;
            };
            let (place, name) = (name, parser.symbol(name, "a name")?);
            let formula = formula(parser, body);
            if found.insert(name, check.conditions.len()).is_some() {
                let what = parser.describe(place);
                parser.error(codes::MOXI002, place, format!("the condition {what} is there twice"));
            }
            check.conditions.push(Condition { part, formula });
        }
    }
    parser.scope.restore(mark);
    for &(key, value) in attributes {
        match parser.text.atom(parser.tree, key) {
            ":query" => check.queries.extend(query(parser, &found, &check.conditions, value, None)),
            ":queries" => {
                if parser.tree.head(value).is_none() {
                    parser.expected("a list of queries", value);
                }
                for (at, node) in parser.tree.children(value).enumerate() {
                    let group = (at > 0).then_some(value);
                    check.queries.extend(query(parser, &found, &check.conditions, node, group));
                }
            }
            ":input" | ":output" | ":local" | ":assumption" | ":fairness" | ":reachable" | ":current" => {}
            _ => unknown_attribute(parser, key),
        }
    }
    let mut names = rustc_hash::FxHashSet::default();
    if let Some(twice) = check.queries.iter().find(|query| !names.insert(&query.name)) {
        parser.error(codes::MOXI002, 0, format!("two queries are called `{}`", twice.name));
    }
    Some(check)
}

/// `(name (condition …))`.
fn query(
    parser: &mut Parser<'_>,
    known: &FxHashMap<SymbolId, usize>,
    conditions: &[Condition],
    node: NodeIdx,
    group: Option<NodeIdx>,
) -> Option<Query> {
    let pair: Vec<NodeIdx> = parser.tree.children(node).collect();
    let [name, list] = pair[..] else {
        parser.expected("(name (condition …))", node);
        return None;
    };
    let name = parser.symbol(name, "the name of a query")?;
    if !parser.tree.is_list(list) {
        parser.expected("a list of conditions", list);
        return None;
    }
    let mut parts = Vec::new();
    for word in parser.tree.children(list) {
        let condition = parser.symbol(word, "the name of a condition")?;
        let Some(&at) = known.get(&condition) else {
            let what = parser.describe(word);
            parser.error(codes::MOXI002, word, format!("no condition {what} is there"));
            return None;
        };
        parts.push(at);
    }
    if parts.iter().filter(|&&at| conditions[at].part == Part::Current).count() > 1 {
        parser.error(codes::MOXI002, list, "a query has one `:current` condition at most");
        return None;
    }
    Some(Query { name: parser.terms.names.text(name).to_owned(), parts, group })
}
