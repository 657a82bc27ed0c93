//! A script with arrays replaced by their cells.

use super::arrays::{Arrays, index_of};
use super::at;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::subst::{postorder, rebuild};
use smt::term::{FunId, Role, TermId, Terms};
use svlib::syntax::{Command, CommandKind, ProcId, Property, Script, StmtKind};

/// The script with the arrays taken apart in these procedures.
pub(super) fn split(terms: &mut Terms, script: &Script, procs: &[ProcId], arrays: &Arrays) -> Option<Script> {
    let reached: FxHashSet<ProcId> = procs.iter().copied().collect();
    let mut new = script.clone();
    let mut splitter = Splitter::new(terms, arrays);
    for id in script.stmts.ids().filter(|&id| reached.contains(&script.stmts[id].proc)) {
        let stmt = &mut new.stmts[id];
        match &mut stmt.kind {
            StmtKind::Assume(term) | StmtKind::If(term, ..) | StmtKind::While(term, _) => {
                *term = splitter.term(*term)?;
            }
            StmtKind::Assign(pairs) => {
                let mut all = Vec::new();
                for &(target, term) in pairs.iter() {
                    let values = splitter.values(target, term)?;
                    all.extend(splitter.variables(&[target]).into_iter().zip(values));
                }
                *pairs = all;
            }
            StmtKind::Havoc(variables) => *variables = splitter.variables(variables),
            StmtKind::Call(proc, args, results) => {
                *args = splitter.args(&script.procs[*proc].inputs, args)?;
                *results = splitter.variables(results);
            }
            _ => {}
        }
        if matches!(&stmt.kind, StmtKind::Assign(pairs) if pairs.is_empty())
            || matches!(&stmt.kind, StmtKind::Havoc(variables) if variables.is_empty())
        {
            stmt.kind = StmtKind::Sequence(Vec::new());
        }
        for property in &mut stmt.properties {
            splitter.property(property)?;
        }
    }
    for &proc in procs {
        let proc = &mut new.procs[proc];
        for list in [&mut proc.inputs, &mut proc.outputs, &mut proc.locals] {
            *list = splitter.variables(list);
        }
    }
    new.commands.clear();
    for command in &script.commands {
        let at = command.at;
        let mut kind = command.kind.clone();
        match &mut kind {
            CommandKind::DeclareVar(variable) => {
                let declared = splitter.variables(&[*variable]).into_iter().map(CommandKind::DeclareVar);
                new.commands.extend(declared.map(|kind| Command { kind, at }));
                continue;
            }
            CommandKind::AnnotateTag(annotation) => {
                for (stmt, property) in annotation.properties.iter_mut().flat_map(|p| &mut p.meanings) {
                    if reached.contains(&script.stmts[*stmt].proc) {
                        splitter.property(property)?;
                    }
                }
            }
            CommandKind::Call(_, proc, args) => *args = splitter.args(&script.procs[*proc].inputs, args)?,
            _ => {}
        }
        new.commands.push(Command { kind, at });
    }
    Some(new)
}

/// Rewrites terms.
pub(super) struct Splitter<'a> {
    terms: &'a mut Terms,
    arrays: &'a Arrays,
    /// Terms that have no array in the place of a value, rewritten.
    done: FxHashMap<TermId, TermId>,
    /// Terms whose value is an array that is taken apart.
    apart: FxHashSet<TermId>,
    /// The cells of those, and of others that are assigned to them.
    cells: FxHashMap<(TermId, TermId), TermId>,
}

impl<'a> Splitter<'a> {
    pub(super) fn new(terms: &'a mut Terms, arrays: &'a Arrays) -> Self {
        let (done, apart, cells) = (FxHashMap::default(), FxHashSet::default(), FxHashMap::default());
        Splitter { terms, arrays, done, apart, cells }
    }

    fn variables(&self, list: &[FunId]) -> Vec<FunId> {
        let mut all = Vec::new();
        for variable in list {
            match self.arrays.parts.get(variable) {
                Some(cells) => all.extend(cells.iter().map(|cell| cell.1)),
                None => all.push(*variable),
            }
        }
        all
    }

    fn property(&mut self, property: &mut Property) -> Option<()> {
        for term in &mut property.terms {
            *term = self.term(*term)?;
        }
        Some(())
    }

    fn args(&mut self, inputs: &[FunId], args: &[TermId]) -> Option<Vec<TermId>> {
        let mut all = Vec::new();
        for (&input, &arg) in inputs.iter().zip(args) {
            all.extend(self.values(input, arg)?);
        }
        Some(all)
    }

    /// The values that a variable gets with a term: one, or one for each of its cells.
    fn values(&mut self, target: FunId, term: TermId) -> Option<Vec<TermId>> {
        match self.arrays.parts.get(&target) {
            Some(cells) => {
                self.walk(term)?;
                cells.iter().map(|&(index, _)| self.cell(term, index)).collect()
            }
            None => Some(vec![self.term(term)?]),
        }
    }

    /// A term without the arrays; none when it says something about one as a whole.
    pub(super) fn term(&mut self, term: TermId) -> Option<TermId> {
        self.walk(term)?;
        self.done.get(&term).copied()
    }

    /// Rewrites everything inside a term.
    fn walk(&mut self, root: TermId) -> Option<()> {
        for term in postorder(self.terms, root) {
            if self.done.contains_key(&term) || self.apart.contains(&term) {
                continue;
            }
            let args = self.terms.args(term).to_vec();
            let is_apart = match self.terms.op(term) {
                Op::Store => self.apart.contains(&args[0]),
                Op::Ite => args[1..].iter().any(|arg| self.apart.contains(arg)),
                _ => self.arrays.variable(self.terms, term).is_some(),
            };
            if is_apart {
                self.apart.insert(term);
                continue;
            }
            let new = if self.terms.op(term) == Op::Select && self.apart.contains(&args[0]) {
                let index = index_of(self.terms, args[1])?;
                self.cell(args[0], index)?
            } else {
                let args: Option<Vec<TermId>> = args.iter().map(|arg| self.done.get(arg).copied()).collect();
                rebuild(self.terms, term, &args?)
            };
            self.done.insert(term, new);
        }
        Some(())
    }

    /// The cell of a term of array sort at an index. What is inside the term was rewritten.
    fn cell(&mut self, root: TermId, index: TermId) -> Option<TermId> {
        let mut todo = vec![root];
        while let Some(&term) = todo.last() {
            if self.cells.contains_key(&(term, index)) {
                todo.pop();
                continue;
            }
            let args = self.terms.args(term).to_vec();
            let known = |part: TermId| self.cells.get(&(part, index)).copied();
            let new = match self.terms.op(term) {
                Op::Store if index_of(self.terms, args[1]) == Some(index) => *self.done.get(&args[2])?,
                Op::Store if index_of(self.terms, args[1]).is_some() => match known(args[0]) {
                    Some(cell) => cell,
                    None => {
                        todo.push(args[0]);
                        continue;
                    }
                },
                Op::Ite => match (known(args[1]), known(args[2])) {
                    (Some(one), Some(other)) => {
                        let condition = *self.done.get(&args[0])?;
                        self.terms.app(Op::Ite, &[condition, one, other]).ok()?
                    }
                    _ => {
                        todo.extend(&args[1..]);
                        continue;
                    }
                },
                Op::ConstArray => *self.done.get(&args[0])?,
                _ => self.plain(term, index)?,
            };
            self.cells.insert((term, index), new);
        }
        self.cells.get(&(root, index)).copied()
    }

    /// The cell of a variable, or of an array that stays.
    fn plain(&mut self, term: TermId, index: TermId) -> Option<TermId> {
        let Some(array) = self.arrays.variable(self.terms, term) else {
            let whole = *self.done.get(&term)?;
            return self.terms.app(Op::Select, &[whole, index]).ok();
        };
        let &(_, cell) = self.arrays.parts[&array].iter().find(|cell| cell.0 == index)?;
        let role = self.terms.applied(term).map(|fun| self.terms.fun(fun).role.clone());
        let fun = match role {
            Some(Role::At(_, tag)) => at(self.terms, cell, tag),
            _ => cell,
        };
        Some(self.terms.constant_term(fun))
    }
}
