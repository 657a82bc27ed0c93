//! Traces: one model for the symbols that never change, and one for each step.

use super::Info;
use super::recurrence::{Found, write_recurrence};
use crate::vmt::names::writable;
use crate::{Source, WriteError};
use base::intern::SymbolId;
use diag::{Diagnostic, Span, codes};
use rustc_hash::FxHashMap;
use smt::eval::{Assignment, Interpretation};
use smt::op::Op;
use smt::parse::{Command, Parser};
use smt::print::{write_declarations, write_sort, write_symbol, write_term};
use smt::scope::Scope;
use smt::sexpr::{NodeIdx, Reader, Text, Tree};
use smt::sort::SortId;
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;
use std::fmt::Write;
use ts::{System, Trace};

/// A trace that violates a property.
///
/// # Errors
/// When a symbol has a name that cannot be written.
pub fn write_trace(
    terms: &mut Terms,
    system: &System,
    property: u64,
    trace: &Trace,
) -> Result<String, WriteError> {
    writable(terms, system)?;
    let mut out = String::from("(set-info :vmt-evidence trace)\n");
    let _ = writeln!(out, "(set-info :vmt-property {property})");
    if let Some(back) = trace.back {
        let _ = writeln!(out, "(set-info :vmt-loop {back})");
    }
    write_declarations(&mut out, terms, &sorts(terms, system));
    out.push_str("(rigid");
    for &fun in &system.rigid {
        if let Some(meaning) = trace.rigid.interpretation(fun) {
            write_meaning(&mut out, terms, fun, meaning);
        }
    }
    out.push_str(")\n");
    for (number, step) in trace.steps.iter().enumerate() {
        let _ = write!(out, "(step {number}");
        let states = system.states.iter().map(|state| state.now);
        for fun in states.chain(system.inputs.iter().copied()) {
            if let Some(meaning) = step.interpretation(fun) {
                write_meaning(&mut out, terms, fun, meaning);
            }
        }
        out.push_str(")\n");
    }
    if let Some(recurrence) = &trace.recurrence {
        write_recurrence(&mut out, terms, system, recurrence);
    }
    Ok(out)
}

/// The sorts of all symbols.
fn sorts(terms: &Terms, system: &System) -> Vec<SortId> {
    let states = system.states.iter().map(|state| state.now);
    let symbols = states.chain(system.inputs.iter().copied()).chain(system.rigid.iter().copied());
    symbols
        .flat_map(|fun| {
            let fun = terms.fun(fun);
            fun.params.iter().copied().chain([fun.result]).collect::<Vec<SortId>>()
        })
        .collect()
}

/// One `define-fun`, on a line of its own.
fn write_meaning(out: &mut String, terms: &mut Terms, fun: FunId, meaning: &Interpretation) {
    let (params, body) = match meaning {
        Interpretation::Value(value) => (Vec::new(), value.to_term(terms)),
        Interpretation::Body(params, body) => (params.to_vec(), *body),
        Interpretation::Table(table, rest) => {
            let sorts = terms.fun(fun).params.clone();
            let mut params = Vec::new();
            for (i, &sort) in sorts.iter().enumerate() {
                let name = terms.names.intern(&format!("a!{i}"));
                params.push(terms.var(name, sort));
            }
            // What the table leaves open may be anything, so it is what the last entry says.
            let mut entries: Vec<(&[Value], &Value)> =
                table.iter().map(|(args, value)| (&**args, value)).collect();
            let last = rest.as_ref().or_else(|| entries.pop().map(|entry| entry.1));
            let Some(last) = last else { return };
            let mut body = last.to_term(terms);
            for (args, value) in entries.into_iter().rev() {
                body = entry(terms, &params, args, value, body);
            }
            (params, body)
        }
    };
    out.push_str("\n  (define-fun ");
    write_symbol(out, terms.fun_name(fun));
    out.push_str(" (");
    for (i, &param) in params.iter().enumerate() {
        out.push_str(if i == 0 { "(" } else { " (" });
        write_term(out, terms, param);
        out.push(' ');
        write_sort(out, terms, terms.sort(param));
        out.push(')');
    }
    out.push_str(") ");
    write_sort(out, terms, terms.fun(fun).result);
    out.push(' ');
    write_term(out, terms, body);
    out.push(')');
}

/// `(ite (and (= parameter argument) …) value rest)`.
fn entry(terms: &mut Terms, params: &[TermId], args: &[Value], value: &Value, rest: TermId) -> TermId {
    let mut equal = Vec::new();
    for (&param, arg) in params.iter().zip(args) {
        let arg = arg.to_term(terms);
        // A table has arguments of the function's sorts.
        equal.push(terms.app(Op::Eq, &[param, arg]).unwrap_or(TermId::FALSE));
    }
    let (condition, value) = (terms.and(&equal), value.to_term(terms));
    terms.app(Op::Ite, &[condition, value, rest]).unwrap_or(rest)
}

/// Reads a trace of a system: the number of the property that it violates, and its steps. Nothing after an error was
/// reported. Whether it is a counterexample is for [`Trace::check`] to say.
pub fn read_trace(
    terms: &mut Terms,
    system: &System,
    source: Source<'_>,
    errors: &mut Vec<Diagnostic>,
) -> Option<(u64, Trace)> {
    let text = Text::new(crate::vmt::text(source, errors)?, source.base);
    let before = errors.len();
    let scope = Scope::new(terms);
    let named = |fun: FunId| (terms.fun(fun).name, fun);
    let states = system.states.iter().map(|state| state.now);
    let variables = states.chain(system.inputs.iter().copied()).map(named).collect();
    let rigid = system.rigid.iter().copied().map(named).collect();
    let (trace, info, found) = (Trace::default(), Vec::new(), Found::default());
    let mut reading = Reading { terms, system, scope, text, errors, variables, rigid, trace, info, found };
    reading.run();
    reading.trace.recurrence = reading.recurrence();
    let Reading { trace, info: entries, errors, .. } = reading;
    let whole = Span::new(source.base, source.base);
    let mut info = Info { entries: &entries, whole, errors };
    info.expect("trace");
    let property = info.needed(":vmt-property");
    let back = info.number(":vmt-loop");
    if let Some(back) = back
        && back >= trace.steps.len() as u64
    {
        let span = entries.iter().find(|entry| entry.0 == ":vmt-loop").map_or(whole, |entry| entry.2);
        info.error(
            span,
            format!("the loop begins at step {back}, and there are {} steps", trace.steps.len()),
        );
    }
    if back.is_some() && trace.recurrence.is_some() {
        info.error(
            whole,
            "a loop repeats a state, and a recurrent set is for executions that repeat none".into(),
        );
    }
    if errors[before..].iter().any(Diagnostic::is_error) {
        return None;
    }
    Some((property?, Trace { back: back.map(|back| back as usize), ..trace }))
}

type Symbols = FxHashMap<SymbolId, FunId>;

/// A trace that is being read.
pub(super) struct Reading<'a> {
    pub(super) terms: &'a mut Terms,
    pub(super) system: &'a System,
    pub(super) scope: Scope,
    pub(super) text: Text<'a>,
    pub(super) errors: &'a mut Vec<Diagnostic>,
    pub(super) variables: Symbols,
    rigid: Symbols,
    trace: Trace,
    info: Vec<(String, String, Span)>,
    pub(super) found: Found,
}

impl Reading<'_> {
    pub(super) fn error(&mut self, span: Span, message: String) {
        self.errors.push(Diagnostic::new(codes::VMT011, span, message));
    }

    fn run(&mut self) {
        let (mut reader, mut tree) = (Reader::new(self.text), Tree::new());
        while self.errors.len() < smt::script::MANY && reader.read(&mut tree, self.errors) {
            let head = tree.head(0);
            match head.and_then(|head| self.text.symbol(&tree, head)) {
                Some("rigid") => {
                    let values = self.model(&tree, tree.children(0).skip(1).collect(), true);
                    self.trace.rigid = values;
                }
                Some("step") => self.step(&tree),
                Some("recurrent") => self.recurrent(&tree),
                Some("round") => self.round(&tree),
                Some(word @ ("set-info" | "declare-sort" | "declare-datatypes")) => {
                    let command = self.command(&tree, 0, word);
                    if let Some(Command::SetInfo(key, value)) = command {
                        self.info.push((key, value, tree.span(0)));
                    }
                }
                _ => self.error(tree.span(head.unwrap_or(0)), "this has no meaning in a trace".into()),
            }
        }
    }

    fn command(&mut self, tree: &Tree, node: NodeIdx, word: &str) -> Option<Command> {
        Parser::new(self.terms, &mut self.scope, self.text, tree, self.errors).command(node, word)
    }

    fn step(&mut self, tree: &Tree) {
        let mut parts = tree.children(0).skip(1);
        let number = parts.next();
        let place = tree.span(number.unwrap_or(0));
        let expected = self.trace.steps.len();
        if number.is_none_or(|number| self.text.atom(tree, number).parse() != Ok(expected)) {
            self.error(place, format!("this should be the number {expected} of the step"));
        }
        let values = self.model(tree, parts.collect(), false);
        self.trace.steps.push(values);
    }

    /// The values that a list of definitions gives.
    fn model(&mut self, tree: &Tree, definitions: Vec<NodeIdx>, is_rigid: bool) -> Assignment {
        let mut values = Assignment::new();
        let mark = self.scope.mark();
        for node in definitions {
            let head = tree.head(node).and_then(|head| self.text.symbol(tree, head));
            if head != Some("define-fun") {
                self.error(tree.span(node), "expected (define-fun …)".into());
                continue;
            }
            let Some(Command::DefineFun(found)) = self.command(tree, node, "define-fun") else { continue };
            self.definition(tree.span(node), found, is_rigid, &mut values);
        }
        self.scope.restore(mark);
        values
    }

    fn definition(&mut self, span: Span, found: FunId, is_rigid: bool, values: &mut Assignment) {
        let symbols = if is_rigid { &self.rigid } else { &self.variables };
        let fun = symbols.get(&self.terms.fun(found).name).copied();
        let (defined, name) = (self.terms.fun(found), self.terms.fun_name(found));
        let Some(fun) = fun else {
            let what = if is_rigid { "symbol that never changes" } else { "state variable or input" };
            let message = format!("the system has no {what} `{name}`");
            return self.error(span, message);
        };
        let declared = self.terms.fun(fun);
        if (&declared.params, declared.result) != (&defined.params, defined.result) {
            let message = format!("`{name}` has another sort in the system");
            return self.error(span, message);
        }
        let Some((params, body)) = self.terms.definition(found) else { return };
        if !params.is_empty() {
            values.interpret(fun, Interpretation::Body(params.into(), body));
            return;
        }
        match Value::from_term(self.terms, body) {
            Some(value) => {
                values.set(fun, value);
            }
            None => {
                let message = format!("what is given for `{name}` has no value");
                self.error(span, message);
            }
        }
    }
}
