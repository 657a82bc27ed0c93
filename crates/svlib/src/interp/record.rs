//! An execution as the list of what was decided in it, and the trace that it makes.

use super::outcome::{End, Outcome, Violation};
use super::task::{Source, Task};
use crate::syntax::{
    self, CommandKind, ModelEntry, ProcId, Property, PropertyKind, Script, Step, StmtId, TagAnnotation,
    TagProperty, Trace,
};
use base::intern::SymbolId;
use rustc_hash::FxHashSet;
use smt::eval::Interpretation;
use smt::op::Op;
use smt::print::term_text;
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;

/// Everything that the program left open and how it was decided.
#[derive(Clone, Debug)]
pub struct Execution {
    /// The model, in order of declaration.
    pub model: Vec<(FunId, Interpretation)>,
    /// Initial values of globals.
    pub globals: Vec<(FunId, Value)>,
    /// The procedure that was called.
    pub entry: ProcId,
    /// The steps.
    pub steps: Vec<Taken>,
}

/// A step with values. Variables that are left out got no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Taken {
    /// A call of the procedure.
    InitProcVars(ProcId, Vec<(FunId, Value)>),
    /// A `havoc`.
    Havoc(Vec<(FunId, Value)>),
    /// A `choice`.
    Choice(u32),
    /// A jump at a tag.
    Leap(SymbolId, Vec<(FunId, Value)>),
}

impl Execution {
    /// The trace with this violation at its end.
    #[must_use]
    pub fn to_trace(&self, terms: &mut Terms, violation: syntax::Violation) -> Trace {
        let model = self.model.iter().map(|(fun, meaning)| model_entry(terms, *fun, meaning)).collect();
        let globals = self.globals.iter().map(|(fun, value)| (*fun, value.to_term(terms))).collect();
        let steps = self.steps.iter().map(|step| step.to_step(terms)).collect();
        Trace { model, globals, entry: self.entry, steps, violation, using: Vec::new() }
    }
}

impl Taken {
    /// The step in a trace.
    #[must_use]
    pub fn to_step(&self, terms: &mut Terms) -> Step {
        let values = |terms: &mut Terms, pairs: &[(FunId, Value)]| {
            pairs.iter().map(|(fun, value)| (terms.fun(*fun).name, value.to_term(terms))).collect()
        };
        match self {
            Taken::InitProcVars(proc, pairs) => Step::InitProcVars(*proc, values(terms, pairs)),
            Taken::Havoc(pairs) => Step::Havoc(values(terms, pairs)),
            Taken::Choice(index) => Step::Choice(*index),
            Taken::Leap(tag, pairs) => Step::Leap(*tag, values(terms, pairs)),
        }
    }
}

impl Outcome {
    /// The execution as a trace that claims the violation at its end. None when nothing was violated, or when the
    /// statement has no tag by which a trace could name it.
    #[must_use]
    pub fn trace(&self, terms: &mut Terms, task: &Task<'_>) -> Option<Trace> {
        let End::Violated(violation) = &self.end else { return None };
        let claim = claim(terms, task.script, violation)?;
        Some(self.execution.to_trace(terms, syntax::Violation::Annotation(claim)))
    }
}

/// The annotation that is violated: the first property, and the others with the same tag.
fn claim(terms: &Terms, script: &Script, violation: &Violation) -> Option<TagAnnotation> {
    let tag = tag_of(script, violation.stmt, violation.properties.first()?.source)?;
    let same = violation.properties.iter().filter(|v| tag_of(script, violation.stmt, v.source) == Some(tag));
    let properties =
        same.map(|v| tag_property(terms, script, violation.stmt, &v.property, v.source)).collect();
    Some(TagAnnotation { tag, properties, attributes: Vec::new() })
}

/// The tag that names a property: that of its `annotate-tag`, or one of the statement, best one that only it has.
fn tag_of(script: &Script, stmt: StmtId, source: Source) -> Option<SymbolId> {
    if let Some((annotation, _)) = annotation(script, source) {
        return Some(annotation.tag);
    }
    let tags = script.stmts[stmt].tags.iter().map(|t| t.0);
    tags.clone().find(|&tag| script.tagged(tag).count() == 1).or_else(|| tags.clone().next())
}

fn annotation(script: &Script, source: Source) -> Option<(&TagAnnotation, usize)> {
    let Source::Tag(command, index) = source else { return None };
    match &script.commands.get(command)?.kind {
        CommandKind::AnnotateTag(annotation) => Some((annotation, index)),
        _ => None,
    }
}

fn tag_property(
    terms: &Terms,
    script: &Script,
    stmt: StmtId,
    property: &Property,
    source: Source,
) -> TagProperty {
    if let Some((annotation, index)) = annotation(script, source)
        && let Some(found) = annotation.properties.get(index)
    {
        return found.clone();
    }
    let texts: Vec<String> = property.terms.iter().map(|&term| term_text(terms, term)).collect();
    let list = property.kind == PropertyKind::DecreasesLex;
    let text = if list { format!("({})", texts.join(" ")) } else { texts.concat() };
    TagProperty { kind: property.kind, text, meanings: vec![(stmt, property.clone())] }
}

fn model_entry(terms: &mut Terms, fun: FunId, meaning: &Interpretation) -> ModelEntry {
    match meaning {
        Interpretation::Value(value) => ModelEntry { fun, params: Vec::new(), body: value.to_term(terms) },
        Interpretation::Body(params, body) => ModelEntry { fun, params: params.to_vec(), body: *body },
        Interpretation::Table(table, rest) => {
            let params = parameters(terms, fun);
            let sort = terms.fun(fun).result;
            let rest = rest.clone().or_else(|| Value::default_of(terms, sort));
            let mut body = rest.map_or(TermId::ERROR, |value| value.to_term(terms));
            for (args, value) in table.iter().rev() {
                let mut equal = Vec::new();
                for (&param, arg) in params.iter().zip(args) {
                    let arg = arg.to_term(terms);
                    equal.extend(terms.app(Op::Eq, &[param, arg]));
                }
                let (condition, value) = (terms.and(&equal), value.to_term(terms));
                body = terms.app(Op::Ite, &[condition, value, body]).unwrap_or(body);
            }
            ModelEntry { fun, params, body }
        }
    }
}

/// Formal parameters with names that no function has.
fn parameters(terms: &mut Terms, fun: FunId) -> Vec<TermId> {
    let taken: FxHashSet<SymbolId> = terms.funs().map(|f| terms.fun(f).name).collect();
    let (sorts, mut params, mut number) = (terms.fun(fun).params.clone(), Vec::new(), 0);
    while params.len() < sorts.len() {
        let name = terms.names.intern(&format!("x{number}"));
        if !taken.contains(&name) {
            params.push(terms.var(name, sorts[params.len()]));
        }
        number += 1;
    }
    params
}
