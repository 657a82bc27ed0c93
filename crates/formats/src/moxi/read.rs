//! Commands and definitions of systems.

use super::flatten::Flat;
use super::query::{Check, Condition, Part, Query};
use crate::Model;
use base::intern::SymbolId;
use diag::{Diagnostic, codes};
use rustc_hash::FxHashMap;
use smt::op::Op;
use smt::parse::{Command, Parser};
use smt::scope::{Binding, Scope};
use smt::script::MANY;
use smt::sexpr::{Kind, NodeIdx, Reader, Text, Tree};
use smt::sort::SortId;
use smt::subst::unfold;
use smt::term::{FunId, TermId, Terms};
use ts::System;

/// A variable of a system definition, as constants that stand for it in the formulas.
#[derive(Clone, Copy, Debug)]
pub(super) struct Var {
    pub(super) name: SymbolId,
    pub(super) sort: SortId,
    pub(super) now: FunId,
    pub(super) next: FunId,
}

/// A system definition. Inputs come first among the variables, then outputs, then local ones.
#[derive(Clone, Default, Debug)]
pub(super) struct Template {
    pub(super) vars: Vec<Var>,
    pub(super) counts: [usize; 3],
    pub(super) init: Vec<TermId>,
    pub(super) trans: Vec<TermId>,
    pub(super) inv: Vec<TermId>,
    /// Names of instances, the positions of their definitions, and the positions of the variables that they are connected to.
    pub(super) parts: Vec<(SymbolId, usize, Vec<usize>)>,
}

/// What was read so far.
#[derive(Default)]
struct File {
    templates: Vec<Template>,
    /// The last definition of each name.
    names: FxHashMap<SymbolId, usize>,
    systems: Vec<System>,
    logic: Option<String>,
    rigid: Vec<FunId>,
}

/// SMT-LIB commands that have a place in MoXI.
const PLAIN: &[&str] = &[
    "declare-const",
    "declare-datatype",
    "declare-datatypes",
    "declare-fun",
    "declare-sort",
    "define-const",
    "define-fun",
    "define-fun-rec",
    "define-funs-rec",
    "define-sort",
    "echo",
    "exit",
    "set-info",
    "set-logic",
    "set-option",
];

const OWN: &[&str] = &["check-system", "declare-enum-sort", "define-system"];

/// Reads a file.
pub(super) fn read(terms: &mut Terms, text: &str, base: u32, errors: &mut Vec<Diagnostic>) -> Option<Model> {
    let text = primes_inside(text);
    let text = Text::new(&text, base);
    let (before, mut scope) = (errors.len(), Scope::new(terms));
    let unequal = terms.names.intern("!=");
    scope.bind_inner(unequal, Binding::Op(Op::Distinct));
    let (mut reader, mut tree, mut file) = (Reader::new(text), Tree::new(), File::default());
    while errors.len() < before + MANY && reader.read(&mut tree, errors) {
        let mut parser = Parser::new(terms, &mut scope, text, &tree, errors);
        if file.command(&mut parser) {
            break;
        }
        scope.commit();
    }
    if errors[before..].iter().any(Diagnostic::is_error) {
        return None;
    }
    let mut number = 0;
    for system in &mut file.systems {
        system.logic = file.logic.clone();
        // Queries are numbered throughout the file: each check makes a system, and an answer names the query alone.
        for property in &mut system.properties {
            property.index = number;
            number += 1;
        }
    }
    Some(Model::Systems(file.systems))
}

/// The text with the prime of `|x|'` inside of the bars, where the reader of symbols takes it for a part of the name.
pub(super) fn primes_inside(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let (mut at, mut quoted) = (0, false);
    while at < bytes.len() {
        match bytes[at] {
            b'|' if quoted && bytes.get(at + 1) == Some(&b'\'') => {
                (bytes[at], bytes[at + 1]) = (b'\'', b'|');
                (quoted, at) = (false, at + 1);
            }
            b'|' => quoted = !quoted,
            b';' if !quoted => {
                at += bytes[at..].iter().position(|&b| b == b'\n').unwrap_or(bytes.len() - at) - 1
            }
            b'"' if !quoted => at += 1 + bytes[at + 1..].iter().position(|&b| b == b'"').unwrap_or(0),
            _ => {}
        }
        at += 1;
    }
    // Only ASCII characters changed places.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

impl File {
    /// Reads a command; true at the end of the script.
    fn command(&mut self, parser: &mut Parser<'_>) -> bool {
        let Some(head) = parser.tree.head(0).filter(|&head| parser.tree.is_symbol(head)) else {
            parser.expected("a command", 0);
            return false;
        };
        match parser.text.atom(parser.tree, head) {
            "define-system" => {
                self.define(parser);
            }
            "check-system" => {
                self.check(parser);
            }
            "declare-enum-sort" => {
                parser.command(0, "declare-datatype");
            }
            word if PLAIN.contains(&word) => {
                match parser.command(0, word) {
                    Some(Command::SetLogic(logic)) => {
                        self.logic = Some(parser.terms.names.text(logic).to_owned())
                    }
                    Some(Command::DeclareFun(fun)) => self.rigid.push(fun),
                    _ => {}
                }
                return word == "exit";
            }
            word if Parser::is_command(word) => {
                parser.error(codes::MOXI001, head, format!("`{word}` has no place in a MoXI file"));
            }
            _ => parser.unknown_command(head, OWN),
        }
        false
    }

    /// `(define-system name :input (…) … )`.
    fn define(&mut self, parser: &mut Parser<'_>) -> Option<()> {
        let (name, attributes) = attributes(parser)?;
        let mut template = Template::default();
        for (kind, key) in [":input", ":output", ":local"].into_iter().enumerate() {
            let list = once(parser, &attributes, key)?;
            let vars = list.map_or(Some(Vec::new()), |list| variables(parser, list))?;
            template.counts[kind] = vars.len();
            template.vars.extend(vars);
        }
        distinct(parser, &template.vars)?;
        let mark = parser.scope.mark();
        bind(parser, &template.vars, false);
        for &(key, value) in &attributes {
            match parser.text.atom(parser.tree, key) {
                ":input" | ":output" | ":local" | ":trans" => {}
                ":init" => template.init.push(formula(parser, value)),
                ":inv" => template.inv.push(formula(parser, value)),
                ":subsys" => template.parts.extend(self.part(parser, &template, value)),
                _ => unknown_attribute(parser, key),
            }
        }
        bind(parser, &template.vars, true);
        for &(key, value) in &attributes {
            if parser.text.atom(parser.tree, key) == ":trans" {
                template.trans.push(formula(parser, value));
            }
        }
        parser.scope.restore(mark);
        // A later definition of the name is another system.
        self.names.insert(name, self.templates.len());
        self.templates.push(template);
        Some(())
    }

    /// `(instance (system variable …))`.
    fn part(
        &self,
        parser: &mut Parser<'_>,
        template: &Template,
        node: NodeIdx,
    ) -> Option<(SymbolId, usize, Vec<usize>)> {
        let parts: Vec<NodeIdx> = parser.tree.children(node).collect();
        let [instance, call] = parts[..] else {
            parser.expected("(instance (system variable …))", node);
            return None;
        };
        let instance = parser.symbol(instance, "the name of an instance")?;
        let mut words = parser.tree.children(call).collect::<Vec<_>>().into_iter();
        let Some(head) = words.next() else {
            parser.expected("(system variable …)", call);
            return None;
        };
        let system = parser.symbol(head, "the name of a system")?;
        let Some(&system) = self.names.get(&system) else {
            let what = parser.describe(head);
            parser.error(codes::MOXI002, head, format!("no system {what} is defined before"));
            return None;
        };
        let known = &self.templates[system];
        let wanted: Vec<SortId> =
            known.vars[..known.counts[0] + known.counts[1]].iter().map(|var| var.sort).collect();
        let mut actual = Vec::new();
        for word in words {
            let name = parser.symbol(word, "a variable")?;
            let Some(at) = template.vars.iter().position(|var| var.name == name) else {
                let what = parser.describe(word);
                parser.error(codes::MOXI002, word, format!("{what} is no variable of the system"));
                return None;
            };
            if wanted.get(actual.len()).is_some_and(|&sort| sort != template.vars[at].sort) {
                let what = parser.describe(word);
                parser.error(
                    codes::MOXI002,
                    word,
                    format!("{what} has another sort than the subsystem's variable"),
                );
                return None;
            }
            actual.push(at);
        }
        if actual.len() != wanted.len() {
            let message =
                format!("the subsystem has {} inputs and outputs, not {}", wanted.len(), actual.len());
            parser.error(codes::MOXI002, call, message);
            return None;
        }
        Some((instance, system, actual))
    }

    /// `(check-system name …)`.
    fn check(&mut self, parser: &mut Parser<'_>) -> Option<()> {
        let (name, attributes) = attributes(parser)?;
        let Some(&template) = self.names.get(&name) else {
            let what = parser.terms.names.text(name).to_owned();
            parser.error(codes::MOXI002, 0, format!("no system `{what}` is defined before"));
            return None;
        };
        let mut top = self.templates[template].clone();
        rename(parser, &mut top, &attributes)?;
        distinct(parser, &top.vars)?;
        let before = parser.errors.len();
        let check = conditions(parser, &top, &attributes)?;
        if parser.errors[before..].iter().any(Diagnostic::is_error) {
            return None;
        }
        let Some(flat) = Flat::of(parser, &self.templates, &top) else {
            parser.error(
                codes::MOXI002,
                0,
                "the system has more than 100000 instances of subsystems, or they are nested too deep",
            );
            return None;
        };
        if let Some((at, fun)) = check.shared_meaning(&self.rigid) {
            let what = parser.terms.fun_name(fun).to_owned();
            let message =
                format!("queries in one `:queries` that share the meaning of `{what}` are not supported");
            parser.error(codes::MOXI003, at, message);
            return None;
        }
        self.systems.extend(check.systems(parser.terms, &flat, &self.rigid));
        Some(())
    }
}

/// Name and attributes of a command.
fn attributes(parser: &mut Parser<'_>) -> Option<(SymbolId, Vec<(NodeIdx, NodeIdx)>)> {
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
fn once(parser: &mut Parser<'_>, attributes: &[(NodeIdx, NodeIdx)], key: &str) -> Option<Option<NodeIdx>> {
    let mut found = attributes.iter().filter(|(node, _)| parser.text.atom(parser.tree, *node) == key);
    let (first, second) = (found.next(), found.next());
    if let Some(&(again, _)) = second {
        parser.error(codes::MOXI002, again, format!("`{key}` is there twice"));
        return None;
    }
    Some(first.map(|pair| pair.1))
}

fn unknown_attribute(parser: &mut Parser<'_>, key: NodeIdx) {
    let what = parser.describe(key);
    parser.error(codes::MOXI002, key, format!("unknown attribute {what}"));
}

/// `((x S) …)`.
fn variables(parser: &mut Parser<'_>, list: NodeIdx) -> Option<Vec<Var>> {
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

fn distinct(parser: &mut Parser<'_>, vars: &[Var]) -> Option<()> {
    let mut seen = rustc_hash::FxHashSet::default();
    let Some(twice) = vars.iter().find(|var| !seen.insert(var.name)) else { return Some(()) };
    let what = parser.terms.names.text(twice.name).to_owned();
    parser.error(codes::MOXI002, 0, format!("two variables are called `{what}`"));
    None
}

/// Gives the variables of a system their meaning, of the next step under the names with a prime.
fn bind(parser: &mut Parser<'_>, vars: &[Var], next: bool) {
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
fn formula(parser: &mut Parser<'_>, mut node: NodeIdx) -> TermId {
    while let Some(inner) = parser.tree.head(node).filter(|&inner| parser.tree.is_list(inner)) {
        if parser.tree.children(node).count() != 1 {
            break;
        }
        node = inner;
    }
    let term = parser.term_of_sort(node, SortId::BOOL, "the formula");
    unfold(parser.terms, term)
}

/// The names that a check gives to the variables of its system.
fn rename(parser: &mut Parser<'_>, top: &mut Template, attributes: &[(NodeIdx, NodeIdx)]) -> Option<()> {
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
fn conditions(parser: &mut Parser<'_>, top: &Template, attributes: &[(NodeIdx, NodeIdx)]) -> Option<Check> {
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
