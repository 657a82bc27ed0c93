//! Answers to checks: `check-system-response`.

use crate::Source;
use crate::text::utf8;
use diag::{Diagnostic, codes};
use rustc_hash::FxHashMap;
use smt::eval::Assignment;
use smt::parse::Parser;
use smt::print::{symbol_text, write_term};
use smt::scope::{Binding, Scope};
use smt::sexpr::{Kind, NodeIdx, Reader, Text, Tree};
use smt::sort::SortId;
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;
use std::fmt::Write;
use ts::{System, Trace};

const WORD: &str = "check-system-response";

/// The answer to a query.
#[derive(Clone, Debug)]
pub enum Answer {
    /// There is such an execution.
    Sat(Trace),
    /// There is none, and perhaps a formula over states and rigid symbols that shows it: it holds at first, every step keeps
    /// it, and no state of it is asked for.
    Unsat(Option<TermId>),
    /// It is not known.
    Unknown,
}

/// Writes the answers to the queries of a check, by their names. Where values are the same as in the step before they are
/// written again, as the full form of responses wants it.
#[must_use]
pub fn write_response(
    terms: &mut Terms,
    name: &str,
    system: &System,
    answers: &[(String, Answer)],
) -> String {
    let mut out = format!("({WORD} {}\n", symbol_text(name));
    let (mut traces, mut trails) = (String::new(), String::new());
    for (query, answer) in answers {
        let word = symbol_text(query);
        match answer {
            Answer::Unsat(None) => {
                let _ = writeln!(out, ":query ({word} :result unsat)");
            }
            Answer::Unsat(Some(invariant)) => {
                let name = symbol_text(&format!("{query}_cert"));
                let _ = writeln!(out, ":query ({word} :result unsat :certificate {name})");
                let _ = write!(traces, ":certificate ({name} :inv ");
                write_term(&mut traces, terms, *invariant);
                traces.push_str(" :k 1)\n");
            }
            Answer::Unknown => {
                let _ = writeln!(out, ":query ({word} :result unknown)");
            }
            Answer::Sat(trace) => {
                let part = |suffix: &str| symbol_text(&format!("{query}_{suffix}"));
                let _ = writeln!(out, ":query ({word} :result sat :trace {})", part("trace"));
                let _ = write!(traces, ":trace ({} :prefix {}", part("trace"), part("trail"));
                let split = trace.back.unwrap_or(trace.steps.len());
                write_trail(&mut trails, terms, system, &part("trail"), trace, 0..split);
                if trace.back.is_some() {
                    let _ = write!(traces, " :lasso {}", part("lasso"));
                    write_trail(&mut trails, terms, system, &part("lasso"), trace, split..trace.steps.len());
                }
                traces.push_str(")\n");
            }
        }
    }
    out.push_str(&traces);
    out.push_str(&trails);
    out.push_str(")\n");
    out
}

fn write_trail(
    out: &mut String,
    terms: &mut Terms,
    system: &System,
    name: &str,
    trace: &Trace,
    range: std::ops::Range<usize>,
) {
    let _ = write!(out, ":trail ({name}");
    let symbols: Vec<FunId> =
        system.inputs.iter().copied().chain(system.states.iter().map(|state| state.now)).collect();
    for at in range {
        let _ = write!(out, "\n\t({at}");
        for &fun in &symbols {
            let Some(value) = trace.steps[at].get(fun) else { continue };
            let value = value.to_term(terms);
            let _ = write!(out, " ({} ", symbol_text(terms.fun_name(fun)));
            write_term(out, terms, value);
            out.push(')');
        }
        out.push(')');
    }
    out.push_str(")\n");
}

/// Responses of a text as they were read, before it is known what they are about.
pub struct Responses<'a> {
    text: Text<'a>,
    responses: Vec<Response>,
    answered: Vec<Answered>,
}

/// A query that is answered in a response.
pub struct Answered {
    /// The name of the system, if it is there.
    pub system: Option<String>,
    /// The name of the query.
    pub query: String,
    response: usize,
    node: NodeIdx,
}

struct Response {
    tree: Tree,
    /// The values of attributes by their keywords and the names that they begin with.
    named: FxHashMap<(String, String), NodeIdx>,
}

impl<'a> Responses<'a> {
    /// Reads the responses of a text.
    pub fn read(
        terms: &mut Terms,
        source: Source<'a>,
        errors: &mut Vec<Diagnostic>,
    ) -> Option<Responses<'a>> {
        let text = Text::new(utf8(source, errors)?, source.base);
        let (before, mut scope) = (errors.len(), Scope::new(terms));
        let mut found = Responses { text, responses: Vec::new(), answered: Vec::new() };
        let (mut reader, mut tree) = (Reader::new(text), Tree::new());
        while reader.read(&mut tree, errors) {
            let mut parser = Parser::new(terms, &mut scope, text, &tree, errors);
            found.add(&mut parser);
            found.responses.last_mut()?.tree = std::mem::take(&mut tree);
        }
        (errors.len() == before).then_some(found)
    }

    fn add(&mut self, parser: &mut Parser<'_>) {
        let (mut named, mut system) = (FxHashMap::default(), None);
        let response = self.responses.len();
        if parser.tree.head(0).and_then(|head| parser.text.symbol(parser.tree, head)) != Some(WORD) {
            parser.expected("(check-system-response …)", 0);
        } else {
            let mut nodes = parser.tree.children(0).skip(1).peekable();
            if let Some(name) = nodes.next_if(|&node| parser.tree.kind(node) != Kind::Keyword) {
                system = parser.symbol(name, "the name of the system");
            }
            let system = system.map(|name| parser.terms.names.text(name).to_owned());
            let rest: Vec<NodeIdx> = nodes.collect();
            for pair in rest.chunks(2) {
                let &[key, value] = pair else {
                    parser.expected("a value after the keyword", pair[0]);
                    break;
                };
                let key = parser.text.atom(parser.tree, key).to_owned();
                let name = parser.tree.head(value).and_then(|head| parser.text.symbol(parser.tree, head));
                match name {
                    Some(name) if key == ":query" => {
                        let (system, query) = (system.clone(), name.to_owned());
                        self.answered.push(Answered { system, query, response, node: value });
                    }
                    Some(name) => {
                        named.entry((key, name.to_owned())).or_insert(value);
                    }
                    None if key == ":query" => parser.expected("(name :result …)", value),
                    None => {}
                }
            }
        }
        self.responses.push(Response { tree: Tree::new(), named });
    }

    /// What is answered, in the order of the text.
    #[must_use]
    pub fn answered(&self) -> &[Answered] {
        &self.answered
    }

    /// The answer to a query of a system. A value that a step does not give is that of the step before, as in the compact
    /// form.
    pub fn answer(
        &self,
        terms: &mut Terms,
        system: &System,
        about: &Answered,
        errors: &mut Vec<Diagnostic>,
    ) -> Option<Answer> {
        let (before, mut scope) = (errors.len(), Scope::new(terms));
        bind_constructors(terms, &mut scope, system);
        let response = &self.responses[about.response];
        let mut parser = Parser::new(terms, &mut scope, self.text, &response.tree, errors);
        let parser = &mut parser;
        let answer = match word(parser, about.node, ":result") {
            Some("sat") => response.trace(parser, system, about.node).map(Answer::Sat),
            Some("unsat") => response.certificate(parser, system, about.node).map(Answer::Unsat),
            Some("unknown") => Some(Answer::Unknown),
            _ => {
                parser.error(codes::MOXI004, about.node, "the query has no result that is known");
                None
            }
        };
        answer.filter(|_| errors.len() == before)
    }
}

/// Values of datatypes are written with constructors, which the system's sorts know.
fn bind_constructors(terms: &mut Terms, scope: &mut Scope, system: &System) {
    let funs = system.states.iter().map(|state| state.now).chain(system.inputs.iter().copied());
    for fun in funs.collect::<Vec<FunId>>() {
        let sort = terms.fun(fun).result;
        let count = terms.sorts.datatype(sort).map_or(0, |(datatype, _)| datatype.constructors.len());
        for index in 0..count as u32 {
            if let Some(constructor) = terms.constructor(sort, index) {
                let name = terms.fun(constructor).name;
                scope.bind_inner(name, Binding::Fun(constructor));
            }
        }
    }
}

/// The word after a keyword in a list.
fn word<'a>(parser: &Parser<'a>, list: NodeIdx, key: &str) -> Option<&'a str> {
    let nodes: Vec<NodeIdx> = parser.tree.children(list).collect();
    let at = nodes.iter().position(|&node| parser.text.atom(parser.tree, node) == key)?;
    nodes.get(at + 1).and_then(|&node| parser.text.symbol(parser.tree, node))
}

impl Response {
    /// The value of an attribute that begins with a name.
    fn named(&self, key: &str, name: &str) -> Option<NodeIdx> {
        self.named.get(&(key.to_owned(), name.to_owned())).copied()
    }

    /// The invariant that a query's certificate is, if there is one; nothing at all after a report.
    fn certificate(
        &self,
        parser: &mut Parser<'_>,
        system: &System,
        query: NodeIdx,
    ) -> Option<Option<TermId>> {
        let Some(name) = word(parser, query, ":certificate") else { return Some(None) };
        let Some(list) = self.named(":certificate", name) else {
            parser.error(codes::MOXI004, query, format!("the certificate `{name}` is missing"));
            return None;
        };
        let nodes: Vec<NodeIdx> = parser.tree.children(list).collect();
        let after = |key: &str| {
            let at = nodes.iter().position(|&node| parser.text.atom(parser.tree, node) == key)?;
            nodes.get(at + 1).copied()
        };
        let (Some(formula), steps) = (after(":inv"), after(":k")) else {
            parser.error(codes::MOXI004, list, "the certificate has no `:inv`");
            return None;
        };
        if let Some(steps) = steps.filter(|&steps| parser.text.atom(parser.tree, steps) != "1") {
            parser.error(codes::MOXI004, steps, "only certificates of one step (`:k 1`) are understood");
            return None;
        }
        let mark = parser.scope.mark();
        for fun in system.states.iter().map(|state| state.now).chain(system.rigid.iter().copied()) {
            let name = parser.terms.fun(fun).name;
            parser.scope.bind_inner(name, Binding::Fun(fun));
        }
        let before = parser.errors.len();
        let term = parser.term_of_sort(formula, SortId::BOOL, "the invariant");
        parser.scope.restore(mark);
        (parser.errors.len() == before).then_some(Some(term))
    }

    fn trace(&self, parser: &mut Parser<'_>, system: &System, query: NodeIdx) -> Option<Trace> {
        let name = word(parser, query, ":trace");
        let Some(list) = name.and_then(|name| self.named(":trace", name)) else {
            parser.error(codes::MOXI004, query, "the trace of the query is missing");
            return None;
        };
        let mut trace = Trace::default();
        for key in [":prefix", ":lasso"] {
            let Some(name) = word(parser, list, key) else { continue };
            let Some(trail) = self.named(":trail", name) else {
                parser.error(codes::MOXI004, list, format!("the trail `{name}` is missing"));
                return None;
            };
            if key == ":lasso" {
                trace.back = Some(trace.steps.len());
            }
            self.trail(parser, system, trail, &mut trace)?;
        }
        Some(trace)
    }

    fn trail(
        &self,
        parser: &mut Parser<'_>,
        system: &System,
        list: NodeIdx,
        trace: &mut Trace,
    ) -> Option<()> {
        let mut nodes: Vec<NodeIdx> = parser.tree.children(list).skip(1).collect();
        // The definition puts the steps into one list more than tools do.
        if let [only] = nodes[..]
            && parser.tree.head(only).is_some_and(|head| parser.tree.is_list(head))
        {
            nodes = parser.tree.children(only).collect();
        }
        for node in nodes {
            let mut step = trace.steps.last().cloned().unwrap_or_default();
            for pair in parser.tree.children(node).skip(1) {
                value(parser, system, pair, &mut step)?;
            }
            trace.steps.push(step);
        }
        Some(())
    }
}

/// `(variable value)`. Values of variables that the system does not have are passed over: tools show definitions too.
fn value(parser: &mut Parser<'_>, system: &System, pair: NodeIdx, step: &mut Assignment) -> Option<()> {
    let nodes: Vec<NodeIdx> = parser.tree.children(pair).collect();
    let [name, value] = nodes[..] else {
        parser.expected("(variable value)", pair);
        return None;
    };
    let name = parser.symbol(name, "a variable")?;
    let mut known = system.states.iter().map(|state| state.now).chain(system.inputs.iter().copied());
    let Some(fun) = known.find(|&fun| parser.terms.fun(fun).name == name) else { return Some(()) };
    let sort = parser.terms.fun(fun).result;
    let term = parser.term_of_sort(value, sort, "the value");
    let Some(found) = Value::from_term(parser.terms, term) else {
        parser.error(codes::MOXI004, value, "this is no value");
        return None;
    };
    step.set(fun, found);
    Some(())
}
