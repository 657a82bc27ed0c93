//! Commands of SMT-LIB: declarations, definitions, options.

use super::Printer;
use smt::print::{symbol_text, write_sort};
use smt::term::FunId;
use std::fmt::Write;

impl Printer<'_> {
    pub(super) fn smt(&mut self, command: &smt::parse::Command) {
        use smt::parse::Command as C;
        match command {
            C::SetLogic(name) => {
                self.out.push_str("(set-logic ");
                self.symbol(*name);
                self.out.push(')');
            }
            C::SetInfo(key, value) | C::SetOption(key, value) => {
                let word = if matches!(command, C::SetInfo(..)) { "set-info" } else { "set-option" };
                let space = if value.is_empty() { "" } else { " " };
                let _ = write!(self.out, "({word} {key}{space}{value})");
            }
            C::DeclareSort(decl) => {
                let decl = self.terms.sorts.decl(*decl);
                self.out.push_str("(declare-sort ");
                self.symbol(decl.name);
                let _ = write!(self.out, " {})", decl.arity);
            }
            C::DefineSort(name, params, body) => {
                self.out.push_str("(define-sort ");
                self.symbol(*name);
                self.out.push(' ');
                self.list(params, Self::symbol);
                self.out.push(' ');
                write_sort(&mut self.out, self.terms, *body);
                self.out.push(')');
            }
            C::DeclareDatatypes(decls) => self.datatypes(decls),
            C::DeclareHeap(decl, _) => {
                let name = self.terms.names.text(self.terms.sorts.decl(*decl).name);
                let _ = write!(self.out, "; the heap {} is not part of SV-LIB", symbol_text(name));
            }
            C::DeclareVar(_) | C::Rule(_) | C::Query(_) => {
                self.out.push_str("; rules are not part of SV-LIB")
            }
            C::DeclareFun(fun) => {
                let (params, result) = (self.terms.fun(*fun).params.to_vec(), self.terms.fun(*fun).result);
                self.out.push_str(if params.is_empty() { "(declare-const " } else { "(declare-fun " });
                self.fun(*fun);
                self.out.push(' ');
                if !params.is_empty() {
                    self.list(&params, |p, sort| write_sort(&mut p.out, p.terms, sort));
                    self.out.push(' ');
                }
                write_sort(&mut self.out, self.terms, result);
                self.out.push(')');
            }
            C::DefineFun(fun) => {
                self.out.push_str("(define-fun ");
                self.definition_head(*fun);
                self.definition_body(*fun);
                self.out.push(')');
            }
            C::DefineFunsRec(funs) => self.funs_rec(funs),
            C::Assert(term) => {
                self.out.push_str("(assert ");
                self.term(*term);
                self.out.push(')');
            }
            C::GetAssertions => self.out.push_str("(get-assertions)"),
            C::GetInfo(key) => drop(write!(self.out, "(get-info {key})")),
            C::GetOption(key) => drop(write!(self.out, "(get-option {key})")),
            C::Push(n) => drop(write!(self.out, "(push {n})")),
            C::Pop(n) => drop(write!(self.out, "(pop {n})")),
            C::Solver(name, terms) => {
                let _ = write!(self.out, "({name}");
                if !terms.is_empty() {
                    self.out.push(' ');
                    self.list(terms, Self::term);
                }
                self.out.push(')');
            }
        }
    }

    fn datatypes(&mut self, decls: &[smt::sort::SortDeclId]) {
        self.out.push_str("(declare-datatypes ");
        self.list(decls, |p, decl| {
            let decl = p.terms.sorts.decl(decl);
            p.out.push('(');
            p.symbol(decl.name);
            let _ = write!(p.out, " {})", decl.arity);
        });
        self.out.push(' ');
        self.list(decls, |p, decl| {
            let Some(datatype) = &p.terms.sorts.decl(decl).datatype else { return };
            if !datatype.params.is_empty() {
                p.out.push_str("(par ");
                p.list(&datatype.params, Self::symbol);
                p.out.push(' ');
            }
            let constructors: Vec<&smt::sort::Constructor> = datatype.constructors.iter().collect();
            p.list(&constructors, |p, constructor| {
                p.out.push('(');
                p.symbol(constructor.name);
                for &(name, sort) in &constructor.fields {
                    p.out.push(' ');
                    p.sorted(name, sort);
                }
                p.out.push(')');
            });
            if !datatype.params.is_empty() {
                p.out.push(')');
            }
        });
        self.out.push(')');
    }

    /// `name ((x S) …) S`.
    fn definition_head(&mut self, fun: FunId) {
        let Some((params, _)) = self.terms.definition(fun) else { return };
        let params = params.to_vec();
        self.fun(fun);
        self.out.push(' ');
        self.list(&params, |p, var| {
            if let Some(name) = p.terms.variable(var) {
                p.sorted(name, p.terms.sort(var));
            }
        });
        self.out.push(' ');
        write_sort(&mut self.out, self.terms, self.terms.fun(fun).result);
    }

    fn definition_body(&mut self, fun: FunId) {
        if let Some((_, body)) = self.terms.definition(fun) {
            self.out.push(' ');
            self.term(body);
        }
    }

    fn funs_rec(&mut self, funs: &[FunId]) {
        if let [fun] = funs {
            self.out.push_str("(define-fun-rec ");
            self.definition_head(*fun);
            self.definition_body(*fun);
            return self.out.push(')');
        }
        self.out.push_str("(define-funs-rec ");
        self.list(funs, |p, fun| {
            p.out.push('(');
            p.definition_head(fun);
            p.out.push(')');
        });
        self.out.push_str(" (");
        for &fun in funs {
            self.definition_body(fun);
        }
        self.out.push_str("))");
    }
}
