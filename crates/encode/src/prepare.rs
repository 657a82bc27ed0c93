//! Programs made smaller before an engine looks at them, with a way back for evidence.
//!
//! Three steps, each once more where it helps: variables that are known to have one value are replaced by it
//! ([`constants`]), arrays that are used only at known indices become one variable for each cell ([`arrays`]), and whatever the properties do not depend on is left out: statements, branches, loops, calls and
//! variables ([`needed`], [`slice`]). Statements and procedures keep their ids, so evidence needs a way back for its
//! terms and values only.
//!
//! A loop that is left out might not have ended, an assumption that is left out might have been false. So the smaller
//! program can do more than the program: a proof of it is a proof of the program, and what it violates has to be
//! executed in the program as well ([`Prepared::complete`]), which may fail. Executions that never end matter to
//! `:recurring` only, and where it is used all loops and recursions stay. `:not-recurring` is about endless executions
//! that visit a statement, and everything around that statement stays.

mod arrays;
mod constants;
mod follow;
mod frames;
mod needed;
mod slice;
mod split;

use arrays::Arrays;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::subst::{functions, replace};
use smt::term::{Fun, FunId, Role, TermId, Terms};
use svlib::interp::calls;
use svlib::syntax::{CommandKind, ProcId, Script, Stmt, StmtId, StmtKind};

/// Arrays inside of arrays are taken apart so many levels deep.
const LEVELS: usize = 3;

/// A smaller program and the way back.
#[derive(Debug)]
pub struct Prepared {
    /// The smaller program: the script up to the query.
    pub script: Script,
    /// The number of the query.
    pub command: usize,
    /// The arrays that were taken apart, in the order in which that was done.
    levels: Vec<Arrays>,
    /// The array and the index that a variable stands for.
    cells: FxHashMap<FunId, (FunId, TermId)>,
    /// The variables of the smaller program.
    variables: FxHashSet<FunId>,
}

/// The program of a query made smaller; none when it cannot be.
#[must_use]
pub fn prepare(terms: &mut Terms, script: &Script, command: usize) -> Option<Prepared> {
    let Some(CommandKind::Call(_, entry, _)) = script.commands.get(command).map(|c| &c.kind) else {
        return None;
    };
    let procs = calls::reachable(script, &[*entry]);
    if procs.iter().any(|&proc| script.procs[proc].body.is_none()) {
        return None;
    }
    let mut smaller = script.clone();
    smaller.commands.truncate(command + 1);
    let (mut levels, mut cells) = (Vec::new(), FxHashMap::default());
    constants::propagate(terms, &mut smaller, &procs, &cells);
    for _ in 0..LEVELS {
        let Some(arrays) = arrays::find(terms, &smaller, &procs) else { break };
        smaller = split::split(terms, &smaller, &procs, &arrays)?;
        for (&array, parts) in &arrays.parts {
            cells.extend(parts.iter().map(|&(index, cell)| (cell, (array, index))));
        }
        levels.push(arrays);
        // An index may be what a cell is known to be.
        constants::propagate(terms, &mut smaller, &procs, &cells);
    }
    let needed = needed::needed(terms, &smaller, &procs);
    let is_less = slice::slice(&mut smaller, &procs, &needed);
    if !is_less && levels.is_empty() {
        return None;
    }
    let command = smaller.commands.len() - 1;
    Some(Prepared { script: smaller, command, levels, cells, variables: needed.variables })
}

impl Prepared {
    /// What a term about the smaller program means for the program.
    pub fn back(&self, terms: &mut Terms, term: TermId) -> TermId {
        let mut map = FxHashMap::default();
        for fun in functions(terms, term) {
            let (variable, tag) = match terms.fun(fun).role {
                Role::At(variable, tag) => (variable, Some(tag)),
                _ => (fun, None),
            };
            if !self.cells.contains_key(&variable) {
                continue;
            }
            let (mut whole, mut indices) = (variable, Vec::new());
            while let Some(&(array, index)) = self.cells.get(&whole) {
                whole = array;
                indices.push(index);
            }
            let whole = tag.map_or(whole, |tag| at(terms, whole, tag));
            let mut cell = terms.constant_term(whole);
            for index in indices.into_iter().rev() {
                // The cell has the sort that selecting gives, for it was made from such a term.
                cell = terms.app(Op::Select, &[cell, index]).unwrap_or(cell);
            }
            let key = terms.constant_term(fun);
            map.insert(key, cell);
        }
        replace(terms, term, &map)
    }

    /// What a term about the program means for the smaller one; none when it speaks of something that is not there.
    pub fn forth(&self, terms: &mut Terms, term: TermId) -> Option<TermId> {
        let mut term = term;
        for arrays in &self.levels {
            term = split::Splitter::new(terms, arrays).term(term)?;
        }
        let known = |fun: FunId| match terms.fun(fun).role {
            Role::Variable(..) => self.variables.contains(&fun),
            Role::At(variable, _) => self.variables.contains(&variable),
            _ => true,
        };
        functions(terms, term).into_iter().all(known).then_some(term)
    }

    /// Annotations of the smaller program as annotations of the program.
    pub fn proof(&self, terms: &mut Terms, mut commands: Vec<CommandKind>) -> Vec<CommandKind> {
        for command in &mut commands {
            let CommandKind::AnnotateTag(annotation) = command else { continue };
            for (_, property) in annotation.properties.iter_mut().flat_map(|p| &mut p.meanings) {
                for term in &mut property.terms {
                    *term = self.back(terms, *term);
                }
            }
        }
        commands
    }

    /// True when the statement is a part of the smaller program.
    #[must_use]
    pub fn has(&self, stmt: StmtId) -> bool {
        !is_empty(&self.script.stmts[stmt])
    }
}

/// A statement that was left out, or that never did anything.
fn is_empty(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::Sequence(list) if list.is_empty())
        && stmt.tags.is_empty()
        && stmt.properties.is_empty()
}

/// The symbol for what a variable was at a tag.
fn at(terms: &mut Terms, variable: FunId, tag: base::intern::SymbolId) -> FunId {
    let Fun { name, result, .. } = *terms.fun(variable);
    terms.declare(Fun { name, params: Box::new([]), result, role: Role::At(variable, tag) })
}

/// The terms of a statement itself, without its properties.
fn terms_of(kind: &StmtKind) -> Vec<TermId> {
    match kind {
        StmtKind::Assume(term) | StmtKind::If(term, ..) | StmtKind::While(term, _) => vec![*term],
        StmtKind::Assign(pairs) => pairs.iter().map(|pair| pair.1).collect(),
        StmtKind::Call(_, args, _) => args.clone(),
        _ => Vec::new(),
    }
}

/// The program variables of a term, and those that it looks back at.
fn variables_of(terms: &Terms, term: TermId) -> Vec<FunId> {
    let variable = |fun: FunId| match terms.fun(fun).role {
        Role::Variable(..) => Some(fun),
        Role::At(variable, _) => Some(variable),
        _ => None,
    };
    functions(terms, term).into_iter().filter_map(variable).collect()
}

/// The properties of the statements of these procedures: those at the statements and those of their tags.
fn properties(script: &Script, procs: &[ProcId]) -> Vec<(StmtId, svlib::syntax::Property)> {
    let reached: FxHashSet<ProcId> = procs.iter().copied().collect();
    let mut found = Vec::new();
    for (stmt, text) in script.stmts.iter_enumerated().filter(|(_, s)| reached.contains(&s.proc)) {
        found.extend(text.properties.iter().map(|property| (stmt, property.clone())));
    }
    for command in &script.commands {
        let CommandKind::AnnotateTag(annotation) = &command.kind else { continue };
        let meanings = annotation.properties.iter().flat_map(|p| &p.meanings);
        found.extend(meanings.filter(|(stmt, _)| reached.contains(&script.stmts[*stmt].proc)).cloned());
    }
    found
}
