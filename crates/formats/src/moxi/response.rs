//! Answers to checks: `check-system-response`.

use crate::Source;
use crate::text::utf8;
use diag::{Diagnostic, codes};
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
    let mut out = format!("(check-system-response {}\n", symbol_text(name));
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

/// Reads a response about a system: the names of queries and their answers. A value that a step does not give is that of the
/// step before, as in the compact form.
pub fn read_response(
    terms: &mut Terms,
    system: &System,
    source: Source<'_>,
    errors: &mut Vec<Diagnostic>,
) -> Option<Vec<(String, Answer)>> {
    let text = Text::new(utf8(source, errors)?, source.base);
    let (before, mut scope, mut tree) = (errors.len(), Scope::new(terms), Tree::new());
    bind_constructors(terms, &mut scope, system);
    let mut answers = Vec::new();
    let mut reader = Reader::new(text);
    while reader.read(&mut tree, errors) {
        let mut parser = Parser::new(terms, &mut scope, text, &tree, errors);
        let word = tree.head(0).and_then(|head| text.symbol(&tree, head));
        if word != Some("check-system-response") {
            parser.expected("(check-system-response …)", 0);
            return None;
        }
        let response = Response { attributes: attributes(&mut parser) };
        answers.extend(response.answers(&mut parser, system));
    }
    (errors.len() == before).then_some(answers)
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

/// `:key value` pairs after the system's name, if that is there.
fn attributes(parser: &mut Parser<'_>) -> Vec<(NodeIdx, NodeIdx)> {
    let mut nodes = parser.tree.children(0).skip(1).peekable();
    nodes.next_if(|&node| parser.tree.kind(node) != Kind::Keyword);
    let rest: Vec<NodeIdx> = nodes.collect();
    rest.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
}

struct Response {
    attributes: Vec<(NodeIdx, NodeIdx)>,
}

impl Response {
    fn answers(&self, parser: &mut Parser<'_>, system: &System) -> Vec<(String, Answer)> {
        let mut found = Vec::new();
        for &(key, value) in &self.attributes {
            if parser.text.atom(parser.tree, key) != ":query" {
                continue;
            }
            let name = parser.tree.head(value).and_then(|head| parser.text.symbol(parser.tree, head));
            let Some(name) = name else {
                parser.expected("(name :result …)", value);
                continue;
            };
            let answer = match self.word(parser, value, ":result") {
                Some("sat") => self.trace(parser, system, value).map(Answer::Sat),
                Some("unsat") => self.certificate(parser, system, value).map(Answer::Unsat),
                Some("unknown") => Some(Answer::Unknown),
                _ => {
                    parser.error(codes::MOXI004, value, "the query has no result that is known");
                    None
                }
            };
            found.extend(answer.map(|answer| (name.to_owned(), answer)));
        }
        found
    }

    /// The word after a keyword in a list.
    fn word<'a>(&self, parser: &Parser<'a>, list: NodeIdx, key: &str) -> Option<&'a str> {
        let nodes: Vec<NodeIdx> = parser.tree.children(list).collect();
        let at = nodes.iter().position(|&node| parser.text.atom(parser.tree, node) == key)?;
        nodes.get(at + 1).and_then(|&node| parser.text.symbol(parser.tree, node))
    }

    /// The value of an attribute that begins with a name.
    fn named(&self, parser: &Parser<'_>, key: &str, name: &str) -> Option<NodeIdx> {
        let is_it = |&&(node, value): &&(NodeIdx, NodeIdx)| {
            let head = parser.tree.head(value).and_then(|head| parser.text.symbol(parser.tree, head));
            parser.text.atom(parser.tree, node) == key && head == Some(name)
        };
        self.attributes.iter().find(is_it).map(|pair| pair.1)
    }

    /// The invariant that a query's certificate is, if there is one; nothing at all after a report.
    fn certificate(
        &self,
        parser: &mut Parser<'_>,
        system: &System,
        query: NodeIdx,
    ) -> Option<Option<TermId>> {
        let Some(name) = self.word(parser, query, ":certificate") else { return Some(None) };
        let Some(list) = self.named(parser, ":certificate", name) else {
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
        let name = self.word(parser, query, ":trace");
        let Some(list) = name.and_then(|name| self.named(parser, ":trace", name)) else {
            parser.error(codes::MOXI004, query, "the trace of the query is missing");
            return None;
        };
        let mut trace = Trace::default();
        for key in [":prefix", ":lasso"] {
            let Some(name) = self.word(parser, list, key) else { continue };
            let Some(trail) = self.named(parser, ":trail", name) else {
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
