//! Selected traces.

use super::Printer;
use crate::syntax::{ModelEntry, Step, Trace, Values, Violation};
use base::intern::SymbolId;
use smt::print::write_sort;
use smt::term::TermId;
use std::fmt::Write;

impl Printer<'_> {
    pub(super) fn trace(&mut self, trace: &Trace) {
        self.out.push_str("(select-trace (model");
        for entry in &trace.model {
            self.out.push(' ');
            self.model_entry(entry);
        }
        self.out.push_str(") (init-global-vars");
        for &(fun, value) in &trace.globals {
            self.value(self.terms.fun(fun).name, value);
        }
        self.out.push_str(") (entry-proc ");
        self.symbol(self.script.procs[trace.entry].name);
        self.out.push_str(") (steps");
        for step in &trace.steps {
            self.out.push(' ');
            self.step(step);
        }
        self.out.push_str(") ");
        match &trace.violation {
            Violation::Annotation(annotation) => self.tag_annotation("incorrect-annotation", annotation),
            Violation::InvalidStep(step) => {
                self.out.push_str("(invalid-step ");
                self.step(step);
                self.out.push(')');
            }
        }
        for annotation in &trace.using {
            self.out.push(' ');
            self.tag_annotation("using-annotation", annotation);
        }
        self.out.push(')');
    }

    fn model_entry(&mut self, entry: &ModelEntry) {
        self.out.push_str("(define-fun ");
        self.fun(entry.fun);
        self.out.push(' ');
        self.list(&entry.params, |p, var| {
            if let Some(name) = p.terms.variable(var) {
                p.sorted(name, p.terms.sort(var));
            }
        });
        self.out.push(' ');
        write_sort(&mut self.out, self.terms, self.terms.fun(entry.fun).result);
        self.out.push(' ');
        self.term(entry.body);
        self.out.push(')');
    }

    fn value(&mut self, name: SymbolId, value: TermId) {
        self.out.push_str(" (");
        self.symbol(name);
        self.out.push(' ');
        self.term(value);
        self.out.push(')');
    }

    fn values(&mut self, values: &Values) {
        for &(name, value) in values {
            self.value(name, value);
        }
        self.out.push(')');
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::InitProcVars(proc, values) => {
                self.out.push_str("(init-proc-vars ");
                self.symbol(self.script.procs[*proc].name);
                self.values(values);
            }
            Step::Havoc(values) => {
                self.out.push_str("(havoc");
                self.values(values);
            }
            Step::Choice(index) => drop(write!(self.out, "(choice {index})")),
            Step::Leap(tag, values) => {
                self.out.push_str("(leap ");
                self.symbol(*tag);
                self.values(values);
            }
        }
    }
}
