//! `define-proc` and `define-procs-rec`.

use super::{Reading, recode};
use crate::syntax::{At, CommandKind, Proc, ProcId, StmtId};
use base::id::Id;
use base::intern::SymbolId;
use diag::{Diagnostic, codes};
use rustc_hash::FxHashSet;
use smt::scope::{Binding, Relational};
use smt::sexpr::NodeIdx;
use smt::sort::SortId;
use smt::term::{FunId, Role, VarKind};

/// The four parts before a procedure's body.
struct Header {
    name: SymbolId,
    place: NodeIdx,
    inputs: Vec<FunId>,
    outputs: Vec<FunId>,
    locals: Vec<FunId>,
}

impl Reading<'_, '_> {
    pub(super) fn define_proc(&mut self, node: NodeIdx) -> Option<CommandKind> {
        let shape = "(define-proc name (inputs) (outputs) (locals) statement)";
        let parts = self.parser.arguments(node, 5, 5, shape)?;
        let header = self.header(&parts[..4])?;
        let declared = self.declare_proc(header)?;
        // The name is known only after the body: a procedure of `define-proc` does not call itself.
        let name = self.state.script.procs[declared].name;
        self.state.procs.remove(&name);
        let first = StmtId::from_index(self.state.script.stmts.len());
        let body = self.body(declared, parts[4]);
        self.state.procs.insert(name, declared);
        self.finish_proc(declared, first, body);
        Some(CommandKind::DefineProc(declared))
    }

    /// `(define-procs-rec (f (in) (out) (loc)) … (body) …)`: headers side by side, then as many bodies, each with or
    /// without a pair of parentheses around its statement; or headers and bodies in one list each, with a finding.
    pub(super) fn define_procs_rec(&mut self, node: NodeIdx) -> Option<CommandKind> {
        let parts: Vec<NodeIdx> = self.parser.tree.children(node).skip(1).collect();
        let Some((headers, bodies)) = self.split_group(node, &parts) else {
            let shape = "(define-procs-rec (name (inputs) (outputs) (locals)) … (statement) …)";
            self.parser.error(codes::SMT010, node, format!("expected {shape}"));
            return None;
        };
        let mut procs = Vec::new();
        for header in headers {
            let parts: Vec<NodeIdx> = self.parser.tree.children(header).collect();
            if parts.len() != 4 {
                self.parser.expected("(name (inputs) (outputs) (locals))", header);
                return None;
            }
            let header = self.header(&parts)?;
            procs.push(self.declare_proc(header)?);
        }
        for (&proc, body) in procs.iter().zip(bodies) {
            let first = StmtId::from_index(self.state.script.stmts.len());
            let body = self.body(proc, body);
            self.finish_proc(proc, first, body);
        }
        Some(CommandKind::DefineProcsRec(procs))
    }

    /// Headers and bodies of a recursive group, whichever way it is written.
    fn split_group(&mut self, node: NodeIdx, parts: &[NodeIdx]) -> Option<(Vec<NodeIdx>, Vec<NodeIdx>)> {
        let tree = self.parser.tree;
        let is_header =
            |&n: &NodeIdx| tree.children(n).count() == 4 && tree.head(n).is_some_and(|h| tree.is_symbol(h));
        let children = |n: NodeIdx| tree.children(n).collect::<Vec<_>>();
        if let [headers, bodies] = *parts
            && !is_header(&headers)
        {
            let (headers, bodies) = (children(headers), children(bodies));
            let message = "headers and bodies are grouped in two lists";
            let error = Diagnostic::new(codes::SV314, tree.span(node), message);
            self.parser.errors.push(error.note("SV-LIB 1.0 writes them one after the other"));
            return (headers.len() == bodies.len() && !headers.is_empty()).then_some((headers, bodies));
        }
        let count = parts.iter().take_while(|n| is_header(n)).count().min(parts.len() / 2);
        let (headers, rest) = parts.split_at(count);
        // Each body is `(statement)` in the paper; a bare statement is unambiguous and read as well.
        let body = |&n: &NodeIdx| match children(n)[..] {
            [only] if tree.is_list(only) => only,
            _ => n,
        };
        (count > 0 && rest.len() == count).then(|| (headers.to_vec(), rest.iter().map(body).collect()))
    }

    fn header(&mut self, parts: &[NodeIdx]) -> Option<Header> {
        let name = self.parser.symbol(parts[0], "a procedure's name")?;
        let mut seen = FxHashSet::default();
        let mut lists = Vec::new();
        for (&list, kind) in parts[1..].iter().zip([VarKind::Input, VarKind::Output, VarKind::Local]) {
            lists.extend(self.variables(list, kind, name, &mut seen));
        }
        let [inputs, outputs, locals] = <[Vec<FunId>; 3]>::try_from(lists).ok().or_else(|| {
            self.state.broken.insert(name);
            None
        })?;
        Some(Header { name, place: parts[0], inputs, outputs, locals })
    }

    /// `((x S) …)`.
    fn variables(
        &mut self,
        list: NodeIdx,
        kind: VarKind,
        proc: SymbolId,
        seen: &mut FxHashSet<SymbolId>,
    ) -> Option<Vec<FunId>> {
        if !self.parser.tree.is_list(list) {
            self.parser.expected("a list of (name sort)", list);
            return None;
        }
        let mut variables = Vec::new();
        for item in self.parser.tree.children(list) {
            let parts: Vec<NodeIdx> = self.parser.tree.children(item).collect();
            let [name, sort] = parts[..] else {
                self.parser.expected("(name sort)", item);
                return None;
            };
            let symbol = self.parser.symbol(name, "a variable's name")?;
            let sort = self.parser.sort(sort);
            if !seen.insert(symbol) {
                let what = self.parser.describe(name);
                self.parser.error(
                    codes::SV102,
                    name,
                    format!("the procedure has two variables named {what}"),
                );
            }
            variables.push(self.variable(symbol, sort, kind, Some(proc)));
        }
        Some(variables)
    }

    fn declare_proc(&mut self, header: Header) -> Option<ProcId> {
        let at = At(self.parser.tree.span(header.place));
        if let Some(&old) = self.state.procs.get(&header.name) {
            let what = self.parser.describe(header.place);
            let first = self.state.script.procs[old].at.0;
            let error = Diagnostic::new(codes::SV106, at.0, format!("the procedure {what} is defined twice"));
            self.parser.errors.push(error.note_at(first, "the first definition is here"));
            return None;
        }
        let Header { name, inputs, outputs, locals, .. } = header;
        let proc = self.state.script.procs.push(Proc { name, inputs, outputs, locals, body: None, at });
        self.state.procs.insert(name, proc);
        Some(proc)
    }

    /// Brings the variables of a procedure into scope.
    pub(super) fn enter_proc(&mut self, proc: ProcId) {
        let Proc { inputs, outputs, locals, body, .. } = &self.state.script.procs[proc];
        for &variable in inputs.iter().chain(outputs).chain(locals) {
            let name = self.parser.terms.fun(variable).name;
            self.parser.scope.bind_inner(name, Binding::Fun(variable));
        }
        let tag = body.and_then(|body| self.state.script.stmts[body].tags.first()).map(|t| t.0);
        self.parser.scope.relational = Some(Relational { old_tag: tag });
    }

    /// Reads a body in the scope of its procedure.
    fn body(&mut self, proc: ProcId, node: NodeIdx) -> StmtId {
        let mark = self.parser.scope.mark();
        self.enter_proc(proc);
        let old_tag = self.outer_tag(node);
        self.parser.scope.relational = None;
        let body = self.statement(proc, node, old_tag);
        self.parser.scope.restore(mark);
        self.parser.scope.relational = None;
        body
    }

    /// The first tag of a body, which `old` refers to; it is written after everything inside the body.
    fn outer_tag(&mut self, node: NodeIdx) -> Option<SymbolId> {
        let tree = self.parser.tree;
        let mut node = node;
        while let Some(head) = tree.head(node).filter(|&h| self.parser.text.symbol(tree, h) == Some("!")) {
            let parts: Vec<NodeIdx> = tree.siblings(tree.next(head), tree.next(node)).collect();
            for pair in parts.windows(2).skip(1) {
                if self.parser.text.atom(tree, pair[0]) == ":tag" && tree.is_symbol(pair[1]) {
                    return Some(self.parser.terms.names.intern(self.parser.text.atom(tree, pair[1])));
                }
            }
            node = *parts.first()?;
        }
        None
    }

    /// The body is complete: annotations that waited for its tags, and `at` terms that refer to them.
    fn finish_proc(&mut self, proc: ProcId, first: StmtId, body: StmtId) {
        self.state.script.procs[proc].body = Some(body);
        self.annotate_new(proc, first);
        self.resolve_at();
    }

    /// Rule 8.2 (h): the tag of each `at` term is on a statement where the variable exists.
    pub(super) fn resolve_at(&mut self) {
        for (fun, span) in std::mem::take(&mut self.state.at_terms) {
            let Role::At(variable, tag) = self.parser.terms.fun(fun).role else { continue };
            let Role::Variable(_, home) = self.parser.terms.fun(variable).role else { continue };
            let places = self.state.tagged(tag);
            let visible = |&s: &StmtId| {
                let proc = self.state.script.stmts[s].proc;
                home.is_none_or(|home| self.state.script.procs[proc].name == home)
            };
            if places.iter().any(visible) {
                continue;
            }
            let (name, tag) = (self.parser.terms.fun_name(variable), self.parser.terms.names.text(tag));
            let message = if places.is_empty() {
                format!("no statement has the tag `{tag}`")
            } else {
                format!("`{name}` does not exist where the tag `{tag}` is")
            };
            self.parser.errors.push(Diagnostic::new(codes::SV208, span, message));
        }
    }

    /// Reports a problem of the kernel found so far with the code it has for an annotation.
    pub(super) fn recode_from(&mut self, start: usize, context: recode::Context) {
        let found: Vec<Diagnostic> = self.parser.errors.drain(start..).collect();
        self.parser.errors.extend(found.into_iter().map(|error| recode::annotation(error, context)));
    }

    /// A variable that may be assigned: rule 8.1 (i) and (l).
    pub(super) fn assignable(&mut self, node: NodeIdx) -> Option<FunId> {
        let name = self.parser.symbol(node, "a variable")?;
        let what = self.parser.describe(node);
        let fun = match self.parser.scope.get(name) {
            Binding::Fun(fun) => fun,
            Binding::None => {
                let text = self.parser.terms.names.text(name).to_string();
                let help = self.parser.scope.similar(self.parser.terms, &text);
                let help = help.map(|name| format!("did you mean `{name}`?"));
                let error = Diagnostic::new(
                    codes::SV109,
                    self.parser.tree.span(node),
                    format!("{what} is not in scope"),
                );
                self.parser.errors.push(error.help_opt(help));
                return None;
            }
            _ => {
                self.parser.error(
                    codes::SV112,
                    node,
                    format!("{what} is no variable and cannot be assigned"),
                );
                return None;
            }
        };
        match self.parser.terms.fun(fun).role {
            Role::Variable(VarKind::Input, _) => {
                self.parser.error(
                    codes::SV112,
                    node,
                    format!("{what} is an input parameter and cannot be assigned"),
                );
                None
            }
            Role::Variable(..) => Some(fun),
            _ => {
                self.parser.error(
                    codes::SV112,
                    node,
                    format!("{what} is no variable and cannot be assigned"),
                );
                None
            }
        }
    }

    /// The sort of a variable.
    pub(super) fn sort_of(&self, variable: FunId) -> SortId {
        self.parser.terms.fun(variable).result
    }
}
