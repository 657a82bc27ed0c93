//! Terms as the commands of an SMT-LIB script. What a term needs is declared before it is used, at the level
//! where it is first used, and again after that level was closed.
//!
//! Names are made unique: the terms are copied into a store of this module's own, in which no two symbols and no
//! bound variable and symbol have one name, and that store is printed. A name is kept where nothing speaks
//! against it, so that scripts stay readable.

mod copy;
mod dialogue;
mod names;

use rustc_hash::{FxHashMap, FxHashSet};
use smt::print;
use smt::sort::{Sort, SortDeclId, SortId};
use smt::subst;
use smt::term::{FunId, Role, TermId, Terms};

use crate::error::SolverError;
use copy::Copier;

pub(crate) use dialogue::{Dialogue, question};

/// Writes commands.
pub(crate) struct Script {
    copier: Copier,
    /// What is declared, and at which level.
    sorts: FxHashMap<SortDeclId, u32>,
    funs: FxHashMap<FunId, u32>,
    level: u32,
}

impl Script {
    pub(crate) fn new() -> Script {
        Script { copier: Copier::new(), sorts: FxHashMap::default(), funs: FxHashMap::default(), level: 0 }
    }

    /// Opens a level.
    pub(crate) fn push(&mut self) {
        self.level += 1;
    }

    /// Closes a level; what was declared in it is declared again when it is needed. True when a recursive
    /// definition is forgotten.
    pub(crate) fn pop(&mut self) -> bool {
        self.level = self.level.saturating_sub(1);
        let level = self.level;
        let own = &self.copier.own;
        let mut closed = self.funs.iter().filter(|(_, declared)| **declared > level);
        let recursive = closed.any(|(fun, _)| own.recursive_definition(*fun).is_some());
        self.sorts.retain(|_, declared| *declared <= level);
        self.funs.retain(|_, declared| *declared <= level);
        recursive
    }

    /// Appends the declarations that a term needs, and returns the term's text.
    pub(crate) fn term(
        &mut self,
        out: &mut String,
        terms: &Terms,
        term: TermId,
    ) -> Result<String, SolverError> {
        let own = self.copier.term(terms, term)?;
        self.declare(out, own);
        Ok(print::term_text(&self.copier.own, own))
    }

    /// The symbols without a definition that were written, with the names they have in the script.
    pub(crate) fn symbols(&self) -> &[(FunId, String)] {
        &self.copier.symbols
    }

    /// The symbols that are declared at an open level.
    pub(crate) fn live_symbols(&self) -> Vec<FunId> {
        let is_live = |fun: &FunId| self.copier.copied(*fun).is_some_and(|own| self.funs.contains_key(&own));
        self.copier.symbols.iter().map(|(fun, _)| *fun).filter(is_live).collect()
    }

    /// The declared sorts that were written, theirs and those of [`Script::own`].
    pub(crate) fn sort_decls(&self) -> &[(SortDeclId, SortDeclId)] {
        &self.copier.sort_order
    }

    /// The store with the names of the script.
    pub(crate) fn own(&self) -> &Terms {
        &self.copier.own
    }

    /// Declares sorts and functions of a term of the own store. Bodies of definitions need declarations too, and
    /// those come first; with recursion around, all definitions are made together.
    fn declare(&mut self, out: &mut String, root: TermId) {
        enum Step {
            Term(TermId),
            Enter(FunId),
            Leave(FunId),
        }
        let (mut todo, mut entered) = (vec![Step::Term(root)], FxHashSet::default());
        let (mut defined, mut is_recursive) = (Vec::new(), false);
        while let Some(step) = todo.pop() {
            match step {
                Step::Term(term) => {
                    for sort in self.sorts_in(term) {
                        self.sort(out, sort);
                    }
                    let funs = subst::functions(&self.copier.own, term);
                    todo.extend(funs.into_iter().rev().map(Step::Enter));
                }
                Step::Leave(fun) => defined.push(fun),
                Step::Enter(fun) => {
                    if self.funs.contains_key(&fun) || !entered.insert(fun) {
                        continue;
                    }
                    match self.copier.own.definition(fun).map(|(_, body)| body) {
                        Some(body) => {
                            is_recursive |= self.copier.own.recursive_definition(fun).is_some();
                            todo.extend([Step::Leave(fun), Step::Term(body)]);
                        }
                        None => self.function(out, fun),
                    }
                }
            }
        }
        if is_recursive {
            self.recursive(out, &defined);
        } else {
            for fun in defined {
                self.function(out, fun);
            }
        }
    }

    /// The sorts of a term and of everything in it, in order.
    fn sorts_in(&self, root: TermId) -> Vec<SortId> {
        let own = &self.copier.own;
        let mut seen = FxHashSet::default();
        let mut sorts = Vec::new();
        for term in subst::postorder(own, root) {
            let params = own.applied(term).map(|fun| own.fun(fun).params.to_vec()).unwrap_or_default();
            for sort in params.into_iter().chain([own.sort(term)]) {
                if seen.insert(sort) {
                    sorts.push(sort);
                }
            }
        }
        sorts
    }

    /// Declares what a sort is made of: uninterpreted sorts, and datatypes all together.
    fn sort(&mut self, out: &mut String, root: SortId) {
        let own = &self.copier.own;
        let (mut todo, mut seen, mut datatypes) = (vec![root], FxHashSet::default(), Vec::new());
        while let Some(sort) = todo.pop() {
            if !seen.insert(sort) {
                continue;
            }
            todo.extend(smt::sort::children(own.sorts.get(sort)));
            let Sort::Declared(decl, _) = *own.sorts.get(sort) else { continue };
            if self.sorts.contains_key(&decl) {
                continue;
            }
            self.sorts.insert(decl, self.level);
            let declared = own.sorts.decl(decl);
            match &declared.datatype {
                None => {
                    let name = print::symbol_text(own.names.text(declared.name));
                    out.push_str(&format!("(declare-sort {name} {})\n", declared.arity));
                }
                Some(datatype) => {
                    datatypes.push(decl);
                    todo.extend(datatype.constructors.iter().flat_map(|c| c.fields.iter().map(|f| f.1)));
                }
            }
        }
        if !datatypes.is_empty() {
            self.datatypes(out, &datatypes);
        }
    }

    fn datatypes(&self, out: &mut String, decls: &[SortDeclId]) {
        let own = &self.copier.own;
        let symbol = |name| print::symbol_text(own.names.text(name));
        out.push_str("(declare-datatypes (");
        for &decl in decls {
            let decl = own.sorts.decl(decl);
            out.push_str(&format!("({} {})", symbol(decl.name), decl.arity));
        }
        out.push_str(") (");
        for &decl in decls {
            let Some(datatype) = &own.sorts.decl(decl).datatype else { continue };
            let params: Vec<String> = datatype.params.iter().map(|&param| symbol(param)).collect();
            if !params.is_empty() {
                out.push_str(&format!("(par ({}) ", params.join(" ")));
            }
            out.push('(');
            for constructor in &datatype.constructors {
                out.push_str(&format!("({}", symbol(constructor.name)));
                for &(field, sort) in &constructor.fields {
                    out.push_str(&format!(" ({} ", symbol(field)));
                    print::write_sort(out, own, sort);
                    out.push(')');
                }
                out.push(')');
            }
            out.push_str(if params.is_empty() { ")" } else { "))" });
        }
        out.push_str("))\n");
    }

    fn function(&mut self, out: &mut String, id: FunId) {
        let own = &self.copier.own;
        let fun = own.fun(id);
        match &fun.role {
            Role::Constructor(_) | Role::Selector(..) | Role::Tester(_) => return,
            Role::Defined(params, body) => {
                out.push_str("(define-fun ");
                self.head(out, id, params);
                out.push(' ');
                print::write_term(out, own, *body);
                out.push_str(")\n");
            }
            _ => {
                out.push_str(&format!("(declare-fun {} (", print::symbol_text(own.fun_name(id))));
                for (i, &param) in fun.params.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { " " });
                    print::write_sort(out, own, param);
                }
                out.push_str(") ");
                print::write_sort(out, own, fun.result);
                out.push_str(")\n");
            }
        }
        self.funs.insert(id, self.level);
    }

    /// Name, parameters and result.
    fn head(&self, out: &mut String, id: FunId, params: &[TermId]) {
        let own = &self.copier.own;
        out.push_str(&format!("{} (", print::symbol_text(own.fun_name(id))));
        for &param in params {
            out.push('(');
            print::write_term(out, own, param);
            out.push(' ');
            print::write_sort(out, own, own.sort(param));
            out.push(')');
        }
        out.push_str(") ");
        print::write_sort(out, own, own.fun(id).result);
    }

    fn recursive(&mut self, out: &mut String, funs: &[FunId]) {
        let own = &self.copier.own;
        out.push_str("(define-funs-rec (");
        for &fun in funs {
            out.push('(');
            if let Some((params, _)) = own.definition(fun) {
                self.head(out, fun, params);
            }
            out.push(')');
        }
        out.push_str(") (");
        for (i, &fun) in funs.iter().enumerate() {
            if let Some((_, body)) = own.definition(fun) {
                out.push_str(if i == 0 { "" } else { " " });
                print::write_term(out, own, body);
            }
        }
        out.push_str("))\n");
        self.funs.extend(funs.iter().map(|&fun| (fun, self.level)));
    }
}
