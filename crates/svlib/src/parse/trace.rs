//! `select-trace`: models, steps, and the violation at the end (section 7).

use super::Reading;
use crate::syntax::{CommandKind, ModelEntry, ProcId, Step, Trace, Values, Violation};
use base::intern::SymbolId;
use diag::{Diagnostic, codes};
use smt::scope::Binding;
use smt::sexpr::NodeIdx;
use smt::sort::SortId;
use smt::term::{Fun, FunId, Role, TermId, VarKind};

/// The parts of a trace, as they turn up.
#[derive(Default)]
struct Parts {
    model: Vec<ModelEntry>,
    globals: Vec<(FunId, TermId)>,
    entry: Option<ProcId>,
    steps: Vec<Step>,
    violation: Option<Violation>,
    using: Vec<crate::syntax::TagAnnotation>,
}

impl Reading<'_, '_> {
    pub(super) fn select_trace(&mut self, node: NodeIdx) -> Option<CommandKind> {
        let start = self.parser.errors.len();
        let trace = self.trace(node);
        // What the kernel finds wrong with terms of a trace is wrong with the trace.
        for error in &mut self.parser.errors[start..] {
            if error.code.name().starts_with("SMT") && error.code != codes::SMT010 {
                error.code = codes::SV319;
            }
        }
        let failed = self.parser.errors[start..].iter().any(Diagnostic::is_error);
        trace.filter(|_| !failed).map(|trace| CommandKind::SelectTrace(Box::new(trace)))
    }

    fn trace(&mut self, node: NodeIdx) -> Option<Trace> {
        let tree = self.parser.tree;
        let mut parts = Parts::default();
        let mark = self.parser.scope.mark();
        for part in tree.children(node).skip(1) {
            let word =
                tree.head(part).and_then(|head| self.parser.text.symbol(tree, head)).unwrap_or_default();
            let arguments: Vec<NodeIdx> = tree.children(part).skip(1).collect();
            let after_end = parts.violation.is_some();
            match word {
                "using-annotation" => parts.using.extend(self.trace_annotation(part, &arguments)),
                _ if after_end => self.parser.expected("(using-annotation tag :keyword …)", part),
                "model" => {
                    for entry in arguments {
                        parts.model.extend(self.model_entry(entry));
                    }
                }
                "init-global-vars" => parts.globals = self.global_values(&arguments),
                "entry-proc" => match arguments[..] {
                    [name] => parts.entry = self.trace_proc(name),
                    _ => self.parser.expected("(entry-proc procedure)", part),
                },
                "steps" => {
                    for step in arguments {
                        parts.steps.extend(self.step(step));
                    }
                }
                "incorrect-annotation" => {
                    parts.violation = self.trace_annotation(part, &arguments).map(Violation::Annotation);
                }
                "invalid-step" => match arguments[..] {
                    [step] => parts.violation = self.step(step).map(Violation::InvalidStep),
                    _ => self.parser.expected("(invalid-step step)", part),
                },
                _ => self.parser.expected("a part of a trace", part),
            }
        }
        self.parser.scope.restore(mark);
        self.resolve_at();
        self.assemble(node, parts)
    }

    fn assemble(&mut self, node: NodeIdx, parts: Parts) -> Option<Trace> {
        let Parts { model, globals, entry, steps, violation, using } = parts;
        if entry.is_none() && !self.parser.errors.iter().any(Diagnostic::is_error) {
            self.parser.error(codes::SMT010, node, "the trace has no (entry-proc procedure)");
        }
        if violation.is_none() && !self.parser.errors.iter().any(Diagnostic::is_error) {
            let message = "the trace does not say what is violated: (incorrect-annotation tag :keyword …)";
            self.parser.error(codes::SMT010, node, message);
        }
        Some(Trace { model, globals, entry: entry?, steps, violation: violation?, using })
    }

    fn trace_proc(&mut self, node: NodeIdx) -> Option<ProcId> {
        let start = self.parser.errors.len();
        let proc = self.find_proc(node);
        for error in &mut self.parser.errors[start..] {
            error.code = codes::SV319;
        }
        proc
    }

    fn trace_annotation(
        &mut self,
        node: NodeIdx,
        arguments: &[NodeIdx],
    ) -> Option<crate::syntax::TagAnnotation> {
        let Some(&tag) = arguments.first() else {
            self.parser.expected("a tag and its violated properties", node);
            return None;
        };
        self.known_tag(tag)?;
        self.tag_annotation(node, arguments)
    }

    /// `(define-fun name ((x S) …) S value)`.
    fn model_entry(&mut self, node: NodeIdx) -> Option<ModelEntry> {
        let tree = self.parser.tree;
        let word = tree.head(node).and_then(|head| self.parser.text.symbol(tree, head)).unwrap_or_default();
        let mut parts: Vec<NodeIdx> = tree.children(node).skip(1).collect();
        let constant = word == "define-const";
        if constant && parts.len() == 3 {
            parts.insert(1, parts[0]);
        }
        let ("define-fun" | "define-fun-rec" | "define-const", [place, params, result, body]) =
            (word, &parts[..])
        else {
            self.parser.expected("(define-fun name ((name sort) …) sort value)", node);
            return None;
        };
        let name = self.parser.symbol(*place, "a name")?;
        let mark = self.parser.scope.mark();
        let vars = if constant { Some(Vec::new()) } else { self.parser.formals(*params) };
        let result = self.parser.sort(*result);
        let body = self.parser.term_of_sort(*body, result, "the value");
        self.parser.scope.restore(mark);
        let params = vars?;
        if body == TermId::ERROR {
            return None;
        }
        let sorts: Box<[SortId]> = params.iter().map(|&p| self.parser.terms.sort(p)).collect();
        let fun = match self.parser.scope.get(name) {
            Binding::Fun(fun) => {
                let decl = self.parser.terms.fun(fun);
                if decl.params != sorts || decl.result != result || decl.role != Role::Free {
                    let what = self.parser.describe(*place);
                    let message =
                        format!("{what} is not declared with this rank, so a model cannot define it so");
                    self.parser.error(codes::SV319, *place, message);
                    return None;
                }
                fun
            }
            // Solvers add helper functions of their own to a model.
            _ => {
                let fun = self.parser.terms.declare(Fun { name, params: sorts, result, role: Role::Free });
                self.parser.scope.bind(name, Binding::Fun(fun), tree.span(*place));
                fun
            }
        };
        Some(ModelEntry { fun, params, body })
    }

    fn global_values(&mut self, nodes: &[NodeIdx]) -> Vec<(FunId, TermId)> {
        let mut values = Vec::new();
        for &node in nodes {
            let Some((name, place, value)) = self.value_pair(node) else { continue };
            match self.parser.scope.get(name) {
                Binding::Fun(fun)
                    if matches!(self.parser.terms.fun(fun).role, Role::Variable(VarKind::Global, _)) =>
                {
                    let sort = self.sort_of(fun);
                    let value = self.parser.term_of_sort(value, sort, "the value");
                    values.push((fun, value));
                }
                _ => {
                    let what = self.parser.describe(place);
                    self.parser.error(codes::SV319, place, format!("there is no global variable {what}"));
                }
            }
        }
        values
    }

    fn value_pair(&mut self, node: NodeIdx) -> Option<(SymbolId, NodeIdx, NodeIdx)> {
        let parts: Vec<NodeIdx> = self.parser.tree.children(node).collect();
        let [name, value] = parts[..] else {
            self.parser.expected("(variable value)", node);
            return None;
        };
        Some((self.parser.symbol(name, "a variable")?, name, value))
    }

    fn step(&mut self, node: NodeIdx) -> Option<Step> {
        let tree = self.parser.tree;
        let word = tree.head(node).and_then(|head| self.parser.text.symbol(tree, head)).unwrap_or_default();
        let arguments: Vec<NodeIdx> = tree.children(node).skip(1).collect();
        match (word, &arguments[..]) {
            ("init-proc-vars", [proc, values @ ..]) => {
                let proc = self.trace_proc(*proc)?;
                let values = self.values(values, |r, name| r.variables_of(proc, name));
                Some(Step::InitProcVars(proc, values))
            }
            ("havoc", values) => Some(Step::Havoc(self.values(values, Self::variables_anywhere))),
            ("choice", [index]) => self.parser.small_numeral(*index).map(Step::Choice),
            ("leap", [tag, values @ ..]) => {
                let place = self.known_tag(*tag)?;
                let procs: Vec<ProcId> =
                    self.state.tagged(place).iter().map(|&s| self.state.script.stmts[s].proc).collect();
                let values = self.values(values, |r, name| {
                    procs.iter().flat_map(|&proc| r.variables_of(proc, name)).collect()
                });
                Some(Step::Leap(place, values))
            }
            _ => {
                self.parser.expected("a step: init-proc-vars, havoc, choice or leap", node);
                None
            }
        }
    }

    /// Values by name. Each name must be that of a variable it can mean there, with a fitting sort.
    fn values(&mut self, nodes: &[NodeIdx], meant: impl Fn(&Self, SymbolId) -> Vec<FunId>) -> Values {
        let mut values = Vec::new();
        for &node in nodes {
            let Some((name, place, value)) = self.value_pair(node) else { continue };
            let candidates = meant(self, name);
            if candidates.is_empty() {
                let what = self.parser.describe(place);
                self.parser.error(codes::SV319, place, format!("there is no variable {what} here"));
                continue;
            }
            let term = self.parser.term(value);
            if term == TermId::ERROR {
                continue;
            }
            let fitting = candidates.iter().find_map(|&fun| {
                let sort = self.parser.terms.fun(fun).result;
                self.parser.terms.coerce(term, sort)
            });
            match fitting {
                Some(term) => values.push((name, term)),
                None => {
                    let what = self.parser.describe(place);
                    let wanted = smt::print::sort_text(self.parser.terms, self.sort_of(candidates[0]));
                    self.parser.error(
                        codes::SV319,
                        value,
                        format!("the value of {what} must have sort {wanted}"),
                    );
                }
            }
        }
        values
    }

    /// The variables of that name that a procedure sees.
    fn variables_of(&self, proc: ProcId, name: SymbolId) -> Vec<FunId> {
        let proc = &self.state.script.procs[proc];
        let own = proc.inputs.iter().chain(&proc.outputs).chain(&proc.locals);
        let own: Vec<FunId> = own.copied().filter(|&v| self.parser.terms.fun(v).name == name).collect();
        if own.is_empty() { self.global(name).into_iter().collect() } else { own }
    }

    fn global(&self, name: SymbolId) -> Option<FunId> {
        match self.parser.scope.get(name) {
            Binding::Fun(fun) => {
                matches!(self.parser.terms.fun(fun).role, Role::Variable(VarKind::Global, _)).then_some(fun)
            }
            _ => None,
        }
    }

    fn variables_anywhere(&self, name: SymbolId) -> Vec<FunId> {
        let procs = self.state.script.procs.ids();
        procs.flat_map(|proc| self.variables_of(proc, name)).chain(self.global(name)).collect()
    }
}
