//! Writing the script.
//!
//! Variables and procedures keep their names where they can. Every body and every label gets a tag that
//! nothing else has, as SV-LIB asks for; a label with properties gets for each of them a second tag, which
//! carries the property's name and which the property is attached to at the end of the script. So a verdict
//! and its witness speak of the property by the name that it has in the program.

use super::body::{Body, Label, LabelIdx, Property, Stmt};
use super::names::NameSet;
use super::program::{FunIdx, Program, Start, VarIdx};
use super::{Cx, Translation};
use base::graph::components;
use diag::Span;
use rustc_hash::FxHashMap;
use smt::print::{symbol_text, write_sort, write_term};
use smt::term::TermId;

/// The lines that every script begins with.
const HEADER: &str = "\
(set-info :format-version \"1.0\")
(set-option :produce-witnesses true)
(set-logic ALL)
";

/// The script of a program without errors.
pub(super) fn script(cx: &mut Cx<'_>, program: &Program, bodies: &[Body], start: &Start) -> Translation {
    let mut writer = Writer { cx, program, out: HEADER.into(), map: Vec::new(), tags: NameSet::default() };
    let properties = writer.name_properties(bodies);
    writer.declarations();
    let edges: Vec<Vec<FunIdx>> = bodies.iter().map(|body| body.callees.clone()).collect();
    for group in components(&edges) {
        writer.procedures(&group, bodies, &properties);
    }
    let first = writer.start(start);
    writer.properties(&properties);
    writer.query(start, &first);
    Translation { script: writer.out, map: writer.map }
}

/// The tags of properties, in order of their first labels.
#[derive(Default)]
struct Properties {
    all: Vec<(Property, String, Span)>,
    index: FxHashMap<(Property, String), usize>,
}

impl Properties {
    fn tag(&self, property: Property, name: &str) -> Option<&str> {
        self.index.get(&(property, name.to_string())).map(|&index| &self.all[index].1[..])
    }
}

/// The procedure that is being written.
struct Procedure<'p> {
    /// Its name and the names of its labels.
    name: &'p str,
    labels: Vec<(String, &'p Label)>,
    properties: &'p Properties,
}

struct Writer<'w, 'a> {
    cx: &'w mut Cx<'a>,
    program: &'w Program,
    out: String,
    map: Vec<(u32, Span)>,
    tags: NameSet,
}

impl Writer<'_, '_> {
    /// Notes that what is written next was made for a place.
    fn mark(&mut self, span: Span) {
        self.map.push((self.out.len() as u32, span));
    }

    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn symbol(&mut self, name: &str) {
        self.out.push_str(&symbol_text(name));
    }

    fn term(&mut self, term: TermId) {
        write_term(&mut self.out, &self.cx.terms, term);
    }

    fn name_of(&self, var: VarIdx) -> String {
        symbol_text(self.cx.terms.fun_name(self.program.vars[var].fun))
    }

    fn var(&mut self, var: VarIdx) {
        let name = self.name_of(var);
        self.out.push_str(&name);
    }

    fn sort(&mut self, var: VarIdx) {
        let sort = self.cx.types.sort(self.program.vars[var].ty);
        write_sort(&mut self.out, &self.cx.terms, sort);
    }

    fn name_properties(&mut self, bodies: &[Body]) -> Properties {
        let mut properties = Properties::default();
        for (property, name, span) in bodies.iter().flat_map(|b| &b.labels).flat_map(|l| &l.properties) {
            let key = (*property, name.clone());
            if !properties.index.contains_key(&key) {
                properties.index.insert(key, properties.all.len());
                properties.all.push((*property, self.tags.take_plain(name), *span));
            }
        }
        properties
    }

    fn declarations(&mut self) {
        for (text, span) in std::mem::take(&mut self.cx.types.declarations) {
            self.text("\n");
            self.mark(span);
            self.text(&text);
            self.text("\n");
        }
        if !self.program.globals.is_empty() {
            self.text("\n");
        }
        for &var in &self.program.globals {
            self.mark(self.program.vars[var].span);
            self.text("(declare-var ");
            self.var(var);
            self.text(" ");
            self.sort(var);
            self.text(")\n");
        }
    }

    /// A group of procedures that call each other, or one that may call itself.
    fn procedures(&mut self, group: &[FunIdx], bodies: &[Body], properties: &Properties) {
        let recursive = group.len() > 1 || bodies[group[0]].callees.contains(&group[0]);
        self.text(if recursive { "\n(define-procs-rec" } else { "\n(define-proc" });
        // A parameter that the body sets becomes a local variable with its name, beside an input with another.
        let mut inputs = Vec::with_capacity(group.len());
        for &function in group {
            inputs.push(self.header(function, &bodies[function], recursive));
        }
        for (&function, inputs) in group.iter().zip(&inputs) {
            self.body(function, &bodies[function], inputs, recursive, properties);
        }
        self.text(")\n");
    }

    /// Name, inputs, outputs and locals. Gives back the parameters that need a local copy, with their inputs.
    fn header(&mut self, function: FunIdx, body: &Body, recursive: bool) -> Vec<(VarIdx, String)> {
        let program = self.program;
        let declared = &program.functions[function];
        let mut own = NameSet::default();
        for &var in declared.params.iter().chain(&declared.results).chain(&declared.locals) {
            own.take(self.cx.terms.fun_name(program.vars[var].fun), |_| false);
        }
        let (mut inputs, mut copied) = (Vec::new(), Vec::new());
        for &param in &declared.params {
            let name = self.cx.terms.fun_name(program.vars[param].fun);
            if body.assigned.contains(&param) {
                let input = symbol_text(&self.cx.names.local(&self.cx.terms, &mut own, name));
                copied.push((param, input.clone()));
                inputs.push((param, input));
            } else {
                inputs.push((param, symbol_text(name)));
            }
        }
        self.text("\n  ");
        self.mark(declared.span);
        self.text(if recursive { "(" } else { "" });
        self.symbol(&declared.given);
        let between = if recursive { "\n   " } else { "\n  " };
        self.text(between);
        self.variables(&inputs);
        self.text(between);
        let outputs: Vec<_> = declared.results.iter().map(|&var| (var, self.name_of(var))).collect();
        self.variables(&outputs);
        self.text(between);
        let locals = copied.iter().map(|copy| copy.0).chain(declared.locals.iter().copied());
        let locals: Vec<_> = locals.map(|var| (var, self.name_of(var))).collect();
        self.variables(&locals);
        self.text(if recursive { ")" } else { "" });
        copied
    }

    fn variables(&mut self, vars: &[(VarIdx, String)]) {
        self.text("(");
        for (i, (var, name)) in vars.iter().enumerate() {
            self.text(if i == 0 { "(" } else { " (" });
            self.text(name);
            self.text(" ");
            self.sort(*var);
            self.text(")");
        }
        self.text(")");
    }

    fn body(
        &mut self,
        function: FunIdx,
        body: &Body,
        inputs: &[(VarIdx, String)],
        recursive: bool,
        properties: &Properties,
    ) {
        let program = self.program;
        let declared = &program.functions[function];
        let mut names = NameSet::default();
        let labels = body.labels.iter().map(|label| (names.take_plain(&label.name), label)).collect();
        let procedure = Procedure { name: &declared.name, labels, properties };
        self.text("\n  ");
        self.mark(declared.span);
        self.text(if recursive { "((! (sequence" } else { "(! (sequence" });
        let indent = if recursive { "\n        " } else { "\n       " };
        if !inputs.is_empty() {
            self.text(indent);
            self.mark(declared.span);
            self.text("(assign");
            for (var, input) in inputs {
                self.text(" (");
                self.var(*var);
                self.text(" ");
                self.text(input);
                self.text(")");
            }
            self.text(")");
        }
        for (stmt, span) in &body.stmts {
            self.text(indent);
            self.mark(*span);
            self.statement(stmt, &procedure);
        }
        self.text(if recursive { ")\n     :tag " } else { ")\n    :tag " });
        let tag = self.tags.take_plain(&format!("proc-{}", declared.name));
        self.symbol(&tag);
        self.text(if recursive { "))" } else { ")" });
    }

    fn statement(&mut self, stmt: &Stmt, procedure: &Procedure<'_>) {
        match stmt {
            Stmt::Assign(var, value) => {
                self.text("(assign (");
                self.var(*var);
                self.text(" ");
                self.term(*value);
                self.text("))");
            }
            Stmt::Assume(condition) => {
                self.text("(assume ");
                self.term(*condition);
                self.text(")");
            }
            Stmt::Havoc(vars) => {
                self.text("(havoc");
                for &var in vars {
                    self.text(" ");
                    self.var(var);
                }
                self.text(")");
            }
            Stmt::Call(callee, args, results) => {
                let results: Vec<String> = results.iter().map(|&var| self.name_of(var)).collect();
                self.call(*callee, args, &results);
            }
            Stmt::Label(label) => self.label(*label, procedure),
            Stmt::Jump(targets) => match targets[..] {
                [target] => self.goto(target, procedure),
                _ => {
                    self.text("(choice");
                    for &target in targets {
                        self.text(" ");
                        self.goto(target, procedure);
                    }
                    self.text(")");
                }
            },
            Stmt::CondJump(condition, target) => {
                self.text("(if ");
                self.term(*condition);
                self.text(" ");
                self.goto(*target, procedure);
                self.text(")");
            }
        }
    }

    fn call(&mut self, callee: FunIdx, args: &[TermId], results: &[String]) {
        self.text("(call ");
        self.symbol(&self.program.functions[callee].given);
        self.text(" (");
        for (i, &arg) in args.iter().enumerate() {
            self.text(if i == 0 { "" } else { " " });
            self.term(arg);
        }
        self.text(") (");
        self.text(&results.join(" "));
        self.text("))");
    }

    fn goto(&mut self, target: LabelIdx, procedure: &Procedure<'_>) {
        self.text("(goto ");
        self.symbol(&procedure.labels[target].0);
        self.text(")");
    }

    fn label(&mut self, index: LabelIdx, procedure: &Procedure<'_>) {
        let (name, label) = &procedure.labels[index];
        let tag = self.tags.take_plain(&format!("{}.{}", procedure.name, label.name));
        self.text("(! (label ");
        self.symbol(name);
        self.text(") :tag ");
        self.symbol(&tag);
        for (property, name, _) in &label.properties {
            if let Some(tag) = procedure.properties.tag(*property, name) {
                self.text(" :tag ");
                self.symbol(tag);
            }
        }
        self.text(")");
    }

    /// With a constraint on the initial state, a procedure that assumes it and calls the entry. Gives back
    /// the procedure where the program begins.
    fn start(&mut self, start: &Start) -> String {
        let program = self.program;
        let entry = &program.functions[start.entry];
        let Some((init, at)) = start.init else { return entry.given.clone() };
        let mut own = NameSet::default();
        let mut names = |writer: &mut Self, vars: &[VarIdx]| -> Vec<(VarIdx, String)> {
            let mut named = Vec::with_capacity(vars.len());
            for &var in vars {
                let name = writer.cx.terms.fun_name(program.vars[var].fun);
                named.push((var, symbol_text(&writer.cx.names.local(&writer.cx.terms, &mut own, name))));
            }
            named
        };
        let (params, results) = (names(self, &entry.params), names(self, &entry.results));
        self.text("\n");
        self.mark(at);
        self.text("(define-proc\n  ");
        let name = self.cx.names.global(&self.cx.terms, "start");
        self.symbol(&name);
        self.text("\n  ");
        self.variables(&params);
        self.text("\n  ()\n  ");
        self.variables(&results);
        self.text("\n  (! (sequence\n       ");
        self.mark(at);
        self.text("(assume ");
        self.term(init);
        self.text(")\n       ");
        self.mark(start.span);
        self.text("(call ");
        self.symbol(&entry.given);
        let list =
            |vars: &[(VarIdx, String)]| vars.iter().map(|var| &var.1[..]).collect::<Vec<_>>().join(" ");
        self.text(&format!(" ({}) ({})))\n    :tag ", list(&params), list(&results)));
        let tag = self.tags.take_plain(&format!("proc-{name}"));
        self.symbol(&tag);
        self.text("))\n");
        name
    }

    fn properties(&mut self, properties: &Properties) {
        if !properties.all.is_empty() {
            self.text("\n");
        }
        for (property, tag, span) in &properties.all {
            self.mark(*span);
            self.text("(annotate-tag ");
            self.symbol(tag);
            self.text(match property {
                Property::Error => " :check-true false)\n",
                Property::Live => " :recurring)\n",
                Property::NotLive => " :not-recurring)\n",
            });
        }
    }

    /// The arguments of the entry are constants of unknown value.
    fn query(&mut self, start: &Start, first: &str) {
        let program = self.program;
        let entry = &program.functions[start.entry];
        self.text("\n");
        let mut args = Vec::with_capacity(entry.params.len());
        for &param in &entry.params {
            let name = self.cx.terms.fun_name(program.vars[param].fun);
            let name = self.cx.names.constant(&self.cx.terms, name);
            self.mark(program.vars[param].span);
            self.text("(declare-const ");
            self.symbol(&name);
            self.text(" ");
            self.sort(param);
            self.text(")\n");
            args.push(symbol_text(&name));
        }
        self.mark(start.span);
        self.text("(verify-call ");
        self.symbol(first);
        self.text(&format!(" ({}))\n", args.join(" ")));
    }
}
