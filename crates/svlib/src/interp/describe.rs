//! Outcomes in words.

use super::outcome::{End, Judged, Reason, Unchecked, Violation};
use super::task::Task;
use crate::syntax::{CommandKind, ProcId, Property, Script, StmtId, Trace};
use base::intern::SymbolId;
use diag::Span;
use smt::print::{sort_text, symbol_text, term_text};
use smt::term::Terms;

impl End {
    /// One sentence about the end, without a full stop.
    #[must_use]
    pub fn message(&self, terms: &Terms, task: &Task<'_>) -> String {
        match self {
            End::Finished(_) => format!("`{}` returned", proc_name(terms, task, task.entry)),
            End::Violated(violation) => violation.message(terms, task.script),
            End::Blocked(_) => "an assumption is false".into(),
            End::Abstracted(_) => "the statement into which the trace leapt is over".into(),
            End::LassoStem(_, true) => "the stem of the lasso is at its end".into(),
            End::LassoStem(_, false) => {
                "the annotations of the lasso do not hold at the end of its stem".into()
            }
            End::StepLimit => "the limit of steps is reached".into(),
            End::DepthLimit => "the limit of open calls is reached".into(),
            End::InvalidStep(step) => {
                format!(
                    "step {} of the trace cannot be taken: {}",
                    step.index + 1,
                    reason(&step.reason, terms, task)
                )
            }
            End::WrongEntry(proc) => format!(
                "the trace begins with `{}`, the call with `{}`",
                proc_name(terms, task, *proc),
                proc_name(terms, task, task.entry)
            ),
            End::BadSymbol(fun) => {
                format!(
                    "the trace gives no value of the right sort for `{}`",
                    symbol_text(terms.fun_name(*fun))
                )
            }
            End::NoModel(_) => "the model does not satisfy the assertion".into(),
            End::BadInput(index, sort) => {
                format!("input {} is missing or is no value of sort {}", index + 1, sort_text(terms, *sort))
            }
            End::Error(_, error) => error.message(terms),
        }
    }

    /// The statement at which the execution ended, if there is one.
    #[must_use]
    pub fn stmt(&self) -> Option<StmtId> {
        match self {
            End::Violated(Violation { stmt, .. })
            | End::Blocked(stmt)
            | End::Abstracted(stmt)
            | End::LassoStem(stmt, _) => Some(*stmt),
            End::Error(stmt, _) => *stmt,
            _ => None,
        }
    }

    /// The place that a message about the end points at.
    #[must_use]
    pub fn place(&self, script: &Script) -> Option<Span> {
        match self {
            End::NoModel(command) => script.commands.get(*command).map(|c| c.at.0),
            _ => self.stmt().map(|stmt| script.stmts[stmt].at.0),
        }
    }
}

impl Violation {
    /// One sentence, without a full stop.
    #[must_use]
    pub fn message(&self, terms: &Terms, script: &Script) -> String {
        let mut keywords: Vec<&str> = self.properties.iter().map(|v| v.property.kind.keyword()).collect();
        keywords.dedup();
        let (names, verb) = (keywords.join(" and "), if keywords.len() == 1 { "is" } else { "are" });
        match script.stmts[self.stmt].tags.first() {
            Some((tag, _)) => format!("{names} of `{}` {verb} violated", symbol(terms, *tag)),
            None => format!("{names} {verb} violated"),
        }
    }
}

impl Unchecked {
    /// One sentence, without a full stop.
    #[must_use]
    pub fn message(&self, terms: &Terms) -> String {
        let what = match &self.what {
            Judged::Assert(_) => "the assertion".into(),
            Judged::Property(_, property) | Judged::Leap(_, property) => {
                format!("`{}`", property.kind.keyword())
            }
            Judged::Stem(..) => "an annotation of the lasso".into(),
        };
        format!("{what} was not checked: {}", self.error.message(terms))
    }

    /// The place of what was not checked.
    #[must_use]
    pub fn place(&self, script: &Script) -> Option<Span> {
        match &self.what {
            Judged::Assert(command) => script.commands.get(*command).map(|c| c.at.0),
            Judged::Property(_, property) | Judged::Leap(_, property) => Some(property.at.0),
            Judged::Stem(stmt, _) => Some(script.stmts[*stmt].at.0),
        }
    }
}

fn reason(reason: &Reason, terms: &Terms, task: &Task<'_>) -> String {
    match reason {
        Reason::Kind(kind) => format!("the execution needs a `{kind}` here"),
        Reason::Procedure(proc) => format!("`{}` is called here", proc_name(terms, task, *proc)),
        Reason::Alternatives(1) => "the choice has only one alternative".into(),
        Reason::Alternatives(count) => format!("the choice has only {count} alternatives"),
        Reason::Variable(name) => format!("it must not set `{}`", symbol(terms, *name)),
        Reason::Twice(name) => format!("it sets `{}` twice", symbol(terms, *name)),
        Reason::Value(name) => format!("it has no value of the right sort for `{}`", symbol(terms, *name)),
        Reason::State(property) => {
            format!("it leads to a state that violates {}", property_text(terms, property))
        }
        Reason::Unabstracted => "no `:invariant` and no contract stands for the statement here".into(),
        Reason::Ended => "the execution ends before it".into(),
        Reason::Blocked(_) => "an assumption before it is false".into(),
        Reason::Missing => "the trace ends, and the execution needs a `choice`".into(),
    }
}

fn property_text(terms: &Terms, property: &Property) -> String {
    let texts: Vec<String> = property.terms.iter().map(|&term| term_text(terms, term)).collect();
    format!("`{} {}`", property.kind.keyword(), texts.join(" "))
}

fn symbol(terms: &Terms, name: SymbolId) -> String {
    symbol_text(terms.names.text(name))
}

fn proc_name(terms: &Terms, task: &Task<'_>, proc: ProcId) -> String {
    symbol(terms, task.script.procs[proc].name)
}

impl Task<'_> {
    /// The place of the call.
    #[must_use]
    pub fn place(&self) -> Span {
        self.script.commands[self.command].at.0
    }

    /// The traces that are selected for the call: the `select-trace` commands right before it, in order.
    #[must_use]
    pub fn selected_traces(&self) -> Vec<&Trace> {
        let mut traces = Vec::new();
        for command in self.script.commands[..self.command].iter().rev() {
            let CommandKind::SelectTrace(trace) = &command.kind else { break };
            traces.push(&**trace);
        }
        traces.reverse();
        traces
    }
}
