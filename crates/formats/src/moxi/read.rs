//! Commands and definitions of systems.

mod check;
mod parts;

use super::flatten::Flat;
use crate::Model;
use base::intern::SymbolId;
use check::{conditions, rename};
use diag::{Diagnostic, codes};
use parts::{attributes, bind, distinct, formula, once, unknown_attribute, variables};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::parse::{Command, Parser};
use smt::scope::{Binding, Scope};
use smt::script::MANY;
use smt::sexpr::{NodeIdx, Reader, Text, Tree};
use smt::sort::SortId;
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
        let (mut template, mut instances) = (Template::default(), FxHashSet::default());
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
                ":subsys" => {
                    let Some(part) = self.part(parser, &template, value) else { continue };
                    if !instances.insert(part.0) {
                        let name = parser.terms.names.text(part.0).to_owned();
                        let message = format!("the instance `{name}` is there already");
                        parser.error(codes::MOXI002, value, message);
                    }
                    template.parts.push(part);
                }
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
        let name = parser.terms.names.text(name).to_owned();
        self.systems.extend(check.systems(parser.terms, &name, &flat, &self.rigid));
        Some(())
    }
}
