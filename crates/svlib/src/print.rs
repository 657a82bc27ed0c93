//! A script as text. What is printed is read back to an equal script; [`crate::fmt`] lays it out.

mod declare;
mod trace;

use crate::syntax::{
    CommandKind, ProcId, Property, PropertyKind, Script, StmtId, StmtKind, TagAnnotation, TagProperty,
};
use base::intern::SymbolId;
use smt::print::{symbol_text, write_sort, write_term};
use smt::term::{FunId, TermId, Terms};
use std::fmt::Write;

/// The whole script, one command per line.
#[must_use]
pub fn script_text(terms: &Terms, script: &Script) -> String {
    let mut printer = Printer { out: String::new(), terms, script };
    for command in &script.commands {
        printer.command(&command.kind);
        printer.out.push('\n');
    }
    printer.out
}

/// One command.
#[must_use]
pub fn command_text(terms: &Terms, script: &Script, command: &CommandKind) -> String {
    let mut printer = Printer { out: String::new(), terms, script };
    printer.command(command);
    printer.out
}

/// One statement with its annotations.
#[must_use]
pub fn stmt_text(terms: &Terms, script: &Script, stmt: StmtId) -> String {
    let mut printer = Printer { out: String::new(), terms, script };
    printer.stmt(stmt);
    printer.out
}

struct Printer<'a> {
    out: String,
    terms: &'a Terms,
    script: &'a Script,
}

/// A part of a statement that is still to be written.
enum Piece {
    Stmt(StmtId),
    /// The statement's annotations, after it.
    Annotations(StmtId),
    Text(&'static str),
}

impl Printer<'_> {
    fn symbol(&mut self, name: SymbolId) {
        let text = symbol_text(self.terms.names.text(name));
        self.out.push_str(&text);
    }

    fn fun(&mut self, fun: FunId) {
        self.symbol(self.terms.fun(fun).name);
    }

    fn term(&mut self, term: TermId) {
        write_term(&mut self.out, self.terms, term);
    }

    fn sorted(&mut self, name: SymbolId, sort: smt::sort::SortId) {
        self.out.push('(');
        self.symbol(name);
        self.out.push(' ');
        write_sort(&mut self.out, self.terms, sort);
        self.out.push(')');
    }

    /// Items with spaces between them, in parentheses.
    fn list<T: Copy>(&mut self, items: &[T], mut each: impl FnMut(&mut Self, T)) {
        self.out.push('(');
        for (i, &item) in items.iter().enumerate() {
            if i > 0 {
                self.out.push(' ');
            }
            each(self, item);
        }
        self.out.push(')');
    }

    fn command(&mut self, command: &CommandKind) {
        match command {
            CommandKind::Smt(command) => self.smt(command),
            CommandKind::DeclareVar(fun) => {
                self.out.push_str("(declare-var ");
                self.fun(*fun);
                self.out.push(' ');
                write_sort(&mut self.out, self.terms, self.terms.fun(*fun).result);
                self.out.push(')');
            }
            CommandKind::DefineProc(proc) => {
                self.out.push_str("(define-proc ");
                self.header(*proc);
                if let Some(body) = self.script.procs[*proc].body {
                    self.out.push(' ');
                    self.stmt(body);
                }
                self.out.push(')');
            }
            CommandKind::DefineProcsRec(procs) => self.procs_rec(procs),
            CommandKind::AnnotateTag(annotation) => self.tag_annotation("annotate-tag", annotation),
            CommandKind::SelectTrace(trace) => self.trace(trace),
            CommandKind::Call(name, proc, args) => {
                let _ = write!(self.out, "({name} ");
                self.symbol(self.script.procs[*proc].name);
                self.out.push(' ');
                self.list(args, Self::term);
                self.out.push(')');
            }
            CommandKind::GetWitness => self.out.push_str("(get-witness)"),
        }
    }

    fn header(&mut self, proc: ProcId) {
        let proc = &self.script.procs[proc];
        self.symbol(proc.name);
        for list in [&proc.inputs, &proc.outputs, &proc.locals] {
            self.out.push(' ');
            self.list(list, |p, fun| p.sorted(p.terms.fun(fun).name, p.terms.fun(fun).result));
        }
    }

    fn procs_rec(&mut self, procs: &[ProcId]) {
        self.out.push_str("(define-procs-rec");
        for &proc in procs {
            self.out.push_str(" (");
            self.header(proc);
            self.out.push(')');
        }
        for &proc in procs {
            if let Some(body) = self.script.procs[proc].body {
                self.out.push_str(" (");
                self.stmt(body);
                self.out.push(')');
            }
        }
        self.out.push(')');
    }

    // ---- statements

    fn stmt(&mut self, root: StmtId) {
        let mut todo = vec![Piece::Stmt(root)];
        while let Some(piece) = todo.pop() {
            match piece {
                Piece::Text(text) => self.out.push_str(text),
                Piece::Annotations(stmt) => self.annotations(stmt),
                Piece::Stmt(stmt) => {
                    let annotated = &self.script.stmts[stmt];
                    let plain = annotated.tags.is_empty()
                        && annotated.properties.is_empty()
                        && annotated.attributes.is_empty();
                    if !plain {
                        self.out.push_str("(! ");
                        todo.push(Piece::Annotations(stmt));
                    }
                    self.stmt_head(stmt);
                    todo.push(Piece::Text(")"));
                    for child in self.script.children(stmt).into_iter().rev() {
                        todo.push(Piece::Stmt(child));
                        todo.push(Piece::Text(" "));
                    }
                }
            }
        }
    }

    /// Everything of a statement before the statements inside it, without the closing parenthesis.
    fn stmt_head(&mut self, stmt: StmtId) {
        match &self.script.stmts[stmt].kind {
            StmtKind::Sequence(_) => self.out.push_str("(sequence"),
            StmtKind::Choice(_) => self.out.push_str("(choice"),
            StmtKind::Return => self.out.push_str("(return"),
            StmtKind::Break => self.out.push_str("(break"),
            StmtKind::Continue => self.out.push_str("(continue"),
            StmtKind::Assume(term) => self.word_term("assume", *term),
            StmtKind::If(term, ..) => self.word_term("if", *term),
            StmtKind::While(term, _) => self.word_term("while", *term),
            StmtKind::Label(label) | StmtKind::Goto(label) => {
                let label_stmt = matches!(self.script.stmts[stmt].kind, StmtKind::Label(_));
                self.out.push_str(if label_stmt { "(label " } else { "(goto " });
                self.symbol(*label);
            }
            StmtKind::Assign(pairs) => {
                self.out.push_str("(assign");
                for &(variable, term) in pairs {
                    self.out.push_str(" (");
                    self.fun(variable);
                    self.out.push(' ');
                    self.term(term);
                    self.out.push(')');
                }
            }
            StmtKind::Havoc(variables) => {
                self.out.push_str("(havoc");
                for &variable in variables {
                    self.out.push(' ');
                    self.fun(variable);
                }
            }
            StmtKind::Call(proc, args, results) => {
                self.out.push_str("(call ");
                self.symbol(self.script.procs[*proc].name);
                self.out.push(' ');
                self.list(args, Self::term);
                self.out.push(' ');
                self.list(results, Self::fun);
            }
        }
    }

    fn word_term(&mut self, word: &str, term: TermId) {
        let _ = write!(self.out, "({word} ");
        self.term(term);
    }

    fn annotations(&mut self, stmt: StmtId) {
        let stmt = &self.script.stmts[stmt];
        for (tag, _) in &stmt.tags {
            self.out.push_str(" :tag ");
            self.symbol(*tag);
        }
        for property in &stmt.properties {
            self.property(property);
        }
        self.attributes(&stmt.attributes);
        self.out.push(')');
    }

    /// Attributes that are no properties, as they were written.
    fn attributes(&mut self, attributes: &[(String, String)]) {
        for (key, value) in attributes {
            let _ = write!(self.out, " {key}");
            if !value.is_empty() {
                let _ = write!(self.out, " {value}");
            }
        }
    }

    fn property(&mut self, property: &Property) {
        let _ = write!(self.out, " {}", property.kind.keyword());
        match (property.kind, &property.terms[..]) {
            (PropertyKind::DecreasesLex, terms) => {
                self.out.push(' ');
                self.list(terms, Self::term);
            }
            (_, [term]) => {
                self.out.push(' ');
                self.term(*term);
            }
            _ => {}
        }
    }

    // ---- annotations of tags, traces

    fn tag_annotation(&mut self, word: &str, annotation: &TagAnnotation) {
        let _ = write!(self.out, "({word} ");
        self.symbol(annotation.tag);
        for TagProperty { kind, text, meanings } in &annotation.properties {
            match meanings.first() {
                Some((_, property)) => self.property(property),
                None if text.is_empty() => drop(write!(self.out, " {}", kind.keyword())),
                None => drop(write!(self.out, " {} {text}", kind.keyword())),
            }
        }
        self.attributes(&annotation.attributes);
        self.out.push(')');
    }
}
