//! One clause, about cells.

use super::read::{Path, Reader, is_name};
use super::{Shape, cell_sorts};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::simplify::simplify;
use smt::sort::{Sort, SortId};
use smt::subst::{constants, postorder_of, rebuild, replace, unfold};
use smt::term::{FunId, TermId, Terms};
use ts::passes::horn::{Clause, Ground};

/// An atom of the old clause becomes so many of the new one at most: more facts are not used.
const MOST_ATOMS: usize = 16;

/// Two arrays that may be equal.
struct Equality {
    sides: [TermId; 2],
    /// True if they are.
    holds: TermId,
    /// The cells that were compared.
    done: FxHashSet<Path>,
}

pub(super) struct Body<'a> {
    terms: &'a mut Terms,
    shapes: &'a FxHashMap<FunId, &'a Shape>,
    reader: Reader,
    equalities: Vec<Equality>,
    /// Arrays that have something to do with each other: what leads from one to its class.
    classes: FxHashMap<TermId, TermId>,
    constraints: Vec<TermId>,
    /// The constants that become variables of the clause, but for cells.
    free: Vec<TermId>,
}

impl<'a> Body<'a> {
    /// The clause about cells that a clause becomes.
    pub(super) fn translate(
        terms: &'a mut Terms,
        shapes: &'a FxHashMap<FunId, &'a Shape>,
        clause: &Clause,
    ) -> Result<TermId, String> {
        let ground = Ground::of(terms, clause);
        let mut body = Body {
            terms,
            shapes,
            reader: Reader::default(),
            equalities: Vec::new(),
            classes: FxHashMap::default(),
            constraints: Vec::new(),
            free: Vec::new(),
        };
        for &var in &ground.vars {
            let constant = body.terms.constant_term(var);
            if !body.is_array(constant) {
                body.free.push(constant);
            }
        }
        let mut constraints = body.plain(&ground.constraints);
        let atoms: Vec<TermId> = ground.atoms.iter().map(|&atom| unfold(body.terms, atom)).collect();
        let head = ground.head.map(|head| unfold(body.terms, head));
        let atoms = body.named(&atoms, &mut constraints)?;
        let mut roots = constraints.clone();
        roots.extend(atoms.iter().flat_map(|(_, args)| args));
        roots.extend(head.iter().flat_map(|&head| body.terms.args(head)));
        body.scalars(roots)?;
        let head = head.map(|head| body.head(head)).transpose()?;
        body.assert(&constraints)?;
        let mut known = usize::MAX;
        while known != body.reader.made.len() {
            known = body.reader.made.len();
            body.compare()?;
            body.share(&atoms)?;
        }
        let mut facts = Vec::new();
        for (predicate, args) in &atoms {
            body.facts(*predicate, args, &mut facts)?;
        }
        body.functional(&atoms);
        body.close(facts, head)
    }

    fn is_array(&self, term: TermId) -> bool {
        matches!(self.terms.sorts.get(self.terms.sort(term)), Sort::Array(..))
    }

    fn fresh(&mut self, name: &str, sort: SortId) -> TermId {
        // With a number of its own, so that nobody has to look for one that is free.
        let fun = self.terms.fresh(&format!("{name}!{}", self.terms.len()), sort);
        let constant = self.terms.constant_term(fun);
        self.free.push(constant);
        constant
    }

    /// The conjuncts without quantifiers. What is quantified existentially has a name then; the rest is left out, which makes the
    /// clause say more than it has to.
    fn plain(&mut self, constraints: &[TermId]) -> Vec<TermId> {
        let mut todo: Vec<(TermId, bool)> = Vec::new();
        for &constraint in constraints.iter().rev() {
            todo.push((unfold(self.terms, constraint), true));
        }
        let mut found = Vec::new();
        while let Some((term, holds)) = todo.pop() {
            let args = self.terms.args(term).to_vec();
            match (self.terms.op(term), holds) {
                (Op::Not, _) => todo.push((args[0], !holds)),
                (Op::And, true) | (Op::Or, false) => todo.extend(args.iter().rev().map(|&arg| (arg, holds))),
                (Op::Implies, false) => {
                    let last = args.len() - 1;
                    todo.extend(args.iter().enumerate().rev().map(|(at, &arg)| (arg, at != last)));
                }
                (Op::Exists, true) | (Op::Forall, false) => {
                    let (&inner, vars) = args.split_last().expect("a binder has a body");
                    let mut map = FxHashMap::default();
                    for &var in vars {
                        let sort = self.terms.sort(var);
                        map.insert(var, self.fresh("any", sort));
                    }
                    todo.push((replace(self.terms, inner, &map), holds));
                }
                _ if postorder_of(self.terms, [term]).iter().any(|&part| self.terms.op(part).is_binder()) => {
                }
                (_, true) => found.push(term),
                (_, false) => found.push(self.terms.not(term)),
            }
        }
        found
    }

    /// Atoms with names in the place of arrays that have none.
    fn named(
        &mut self,
        atoms: &[TermId],
        constraints: &mut Vec<TermId>,
    ) -> Result<Vec<(FunId, Vec<TermId>)>, String> {
        let mut found = Vec::new();
        for &atom in atoms {
            let predicate = self.terms.applied(atom).ok_or("an atom is none")?;
            let mut args = self.terms.args(atom).to_vec();
            for arg in &mut args {
                if self.is_array(*arg) && !is_name(self.terms, *arg) {
                    let fun = self.terms.fresh("array", self.terms.sort(*arg));
                    let name = self.terms.constant_term(fun);
                    constraints.extend(self.terms.app(Op::Eq, &[name, *arg]));
                    *arg = name;
                }
            }
            found.push((predicate, args));
        }
        Ok(found)
    }

    /// Translates what is no array in all terms of the clause.
    fn scalars(&mut self, roots: Vec<TermId>) -> Result<(), String> {
        let order = postorder_of(self.terms, roots);
        for &term in &order {
            self.connect(term);
        }
        for term in order {
            if self.is_array(term) {
                continue;
            }
            let args = self.terms.args(term).to_vec();
            let image = match self.terms.op(term) {
                Op::Select => {
                    let index = self.reader.scalars[&args[1]];
                    self.reader.read(self.terms, args[0], vec![index])?
                }
                Op::Eq | Op::Distinct if self.is_array(args[0]) => self.equality(term, &args)?,
                _ if args.is_empty() => term,
                _ if args.iter().any(|&arg| self.is_array(arg)) => {
                    return Err("an array is an argument of a function".into());
                }
                _ => {
                    let args: Vec<TermId> = args.iter().map(|arg| self.reader.scalars[arg]).collect();
                    rebuild(self.terms, term, &args)
                }
            };
            self.reader.scalars.insert(term, image);
        }
        Ok(())
    }

    fn equality(&mut self, term: TermId, args: &[TermId]) -> Result<TermId, String> {
        let &[left, right] = args else { return Err("more than two arrays are compared".into()) };
        let holds = self.fresh("equal", SortId::BOOL);
        self.equalities.push(Equality { sides: [left, right], holds, done: FxHashSet::default() });
        Ok(if self.terms.op(term) == Op::Eq { holds } else { self.terms.not(holds) })
    }

    /// Arrays that are equal or differ in few cells are in one class.
    fn connect(&mut self, term: TermId) {
        let args = self.terms.args(term).to_vec();
        let others = match self.terms.op(term) {
            Op::Store => vec![term, args[0]],
            Op::Ite if self.is_array(term) => vec![term, args[1], args[2]],
            Op::Eq | Op::Distinct if self.is_array(args[0]) => args,
            _ => return,
        };
        let first = self.class(others[0]);
        for &other in &others[1..] {
            let class = self.class(other);
            if class != first {
                self.classes.insert(class, first);
            }
        }
    }

    fn class(&self, array: TermId) -> TermId {
        let mut at = array;
        while let Some(&next) = self.classes.get(&at) {
            at = next;
        }
        at
    }

    /// The head, about cells that are arbitrary.
    fn head(&mut self, head: TermId) -> Result<TermId, String> {
        let predicate = self.terms.applied(head).ok_or("a head is none")?;
        let shape = *self.shapes.get(&predicate).ok_or("a predicate is not known")?;
        let given = self.terms.args(head).to_vec();
        let mut args: Vec<TermId> = shape.plain.iter().map(|&at| self.reader.scalars[&given[at]]).collect();
        for group in shape.groups.iter().flat_map(|group| std::iter::repeat_n(group, shape.count)) {
            let path = self.any(&group.path);
            args.extend(&path);
            for &(at, _) in &group.members {
                args.push(self.reader.read(self.terms, given[at], path.clone())?);
            }
        }
        self.terms.call(shape.new, &args).map_err(|_| "a head is ill-sorted".into())
    }

    fn any(&mut self, path: &[SortId]) -> Path {
        path.iter().map(|&sort| self.fresh("index", sort)).collect()
    }

    /// Adds the constraints; where equality of arrays is one, it holds.
    fn assert(&mut self, constraints: &[TermId]) -> Result<(), String> {
        let mut certain = FxHashMap::default();
        let images: Vec<TermId> = constraints.iter().map(|term| self.reader.scalars[term]).collect();
        for equality in &mut self.equalities {
            if images.contains(&equality.holds) {
                certain.insert(equality.holds, TermId::TRUE);
                equality.holds = TermId::TRUE;
            }
        }
        let images: Vec<TermId> =
            images.into_iter().map(|term| replace(self.terms, term, &certain)).collect();
        let denied = denied(self.terms, &images);
        self.constraints.extend(images);
        for at in 0..self.equalities.len() {
            let Equality { sides, holds, .. } = self.equalities[at];
            if !denied.contains(&holds) {
                continue;
            }
            let (path, _) = cell_sorts(self.terms, self.terms.sort(sides[0]));
            let path = self.any(&path);
            let cells = self.both(sides, &path)?;
            let same = self.terms.app(Op::Eq, &cells).map_err(|_| "arrays differ in their sorts")?;
            let differ = self.terms.not(same);
            let clause = self.terms.or(&[holds, differ]);
            self.constraints.push(clause);
        }
        Ok(())
    }

    fn both(&mut self, sides: [TermId; 2], path: &Path) -> Result<[TermId; 2], String> {
        let left = self.reader.read(self.terms, sides[0], path.clone())?;
        Ok([left, self.reader.read(self.terms, sides[1], path.clone())?])
    }

    /// Equal arrays have equal cells wherever one of their class is read.
    fn compare(&mut self) -> Result<(), String> {
        loop {
            let mut todo = Vec::new();
            for (at, equality) in self.equalities.iter().enumerate() {
                let class = self.class(equality.sides[0]);
                let mut arrays: Vec<&TermId> = self.reader.cells.keys().collect();
                arrays.sort_unstable();
                for array in arrays.into_iter().filter(|&&array| self.class(array) == class) {
                    let paths = self.reader.cells[array].iter().map(|cell| &cell.0);
                    todo.extend(
                        paths.filter(|&path| !equality.done.contains(path)).map(|path| (at, path.clone())),
                    );
                }
            }
            if todo.is_empty() {
                return Ok(());
            }
            for (at, path) in todo {
                if !self.equalities[at].done.insert(path.clone()) {
                    continue;
                }
                let Equality { sides, holds, .. } = self.equalities[at];
                let cells = self.both(sides, &path)?;
                let same = self.terms.app(Op::Eq, &cells).map_err(|_| "arrays differ in their sorts")?;
                let not = self.terms.not(holds);
                let clause = self.terms.or(&[not, same]);
                self.constraints.push(clause);
            }
        }
    }

    /// The places in which one of some arrays is read.
    fn places(&self, arrays: impl Iterator<Item = TermId>) -> Vec<Path> {
        let mut found: Vec<Path> = Vec::new();
        for (path, _) in arrays.filter_map(|array| self.reader.cells.get(&array)).flatten() {
            if !found.contains(path) {
                found.push(path.clone());
            }
        }
        found
    }

    /// Reads arrays of one atom that are looked at in the same places wherever one of them is read.
    fn share(&mut self, atoms: &[(FunId, Vec<TermId>)]) -> Result<(), String> {
        for (predicate, args) in atoms {
            let shape = *self.shapes.get(predicate).ok_or("a predicate is not known")?;
            for group in &shape.groups {
                let mut places = self.places(group.members.iter().map(|member| args[member.0]));
                if places.is_empty() {
                    places.push(self.any(&group.path));
                }
                for place in places {
                    for &(at, _) in &group.members {
                        self.reader.read(self.terms, args[at], place.clone())?;
                    }
                }
            }
        }
        Ok(())
    }

    /// What an atom says about the cells that are read.
    fn facts(&mut self, predicate: FunId, args: &[TermId], facts: &mut Vec<TermId>) -> Result<(), String> {
        let shape = *self.shapes.get(&predicate).ok_or("a predicate is not known")?;
        // All ways to choose cells, as lists of arguments.
        let mut rows: Vec<Vec<TermId>> =
            vec![shape.plain.iter().map(|&at| self.reader.scalars[&args[at]]).collect()];
        for group in shape.groups.iter().flat_map(|group| std::iter::repeat_n(group, shape.count)) {
            let mut cells = Vec::new();
            for place in self.places(group.members.iter().map(|member| args[member.0])) {
                let mut cell = place.clone();
                for &(at, _) in &group.members {
                    cell.push(self.reader.read(self.terms, args[at], place.clone())?);
                }
                cells.push(cell);
            }
            let with =
                |row: &Vec<TermId>| cells.iter().map(|cell| [&row[..], cell].concat()).collect::<Vec<_>>();
            rows = rows.iter().flat_map(with).collect();
            rows.truncate(MOST_ATOMS);
        }
        for row in rows {
            facts.push(self.terms.call(shape.new, &row).map_err(|_| "an atom is ill-sorted")?);
        }
        Ok(())
    }

    /// What is in a cell depends on its indices alone. For arrays that are equal to others this is known of those.
    fn functional(&mut self, atoms: &[(FunId, Vec<TermId>)]) {
        let given: FxHashSet<TermId> = atoms.iter().flat_map(|atom| &atom.1).copied().collect();
        let equal: FxHashSet<TermId> = self.equalities.iter().flat_map(|equality| equality.sides).collect();
        let mut arrays: Vec<_> = self.reader.cells.iter().collect();
        arrays.retain(|entry| given.contains(entry.0) || !equal.contains(entry.0));
        arrays.sort_unstable_by_key(|entry| entry.0);
        for (_, cells) in arrays {
            for (at, (path, value)) in cells.iter().enumerate() {
                for (other, same) in &cells[..at] {
                    let mut parts = Vec::new();
                    for (&a, &b) in path.iter().zip(other) {
                        let equal = self.terms.app(Op::Eq, &[a, b]).unwrap_or(TermId::FALSE);
                        parts.push(self.terms.not(equal));
                    }
                    parts.extend(self.terms.app(Op::Eq, &[*value, *same]));
                    let clause = self.terms.or(&parts);
                    self.constraints.push(clause);
                }
            }
        }
    }

    /// The clause, with variables in the place of constants.
    fn close(&mut self, facts: Vec<TermId>, head: Option<TermId>) -> Result<TermId, String> {
        let mut constraints = std::mem::take(&mut self.constraints);
        for constraint in &mut constraints {
            *constraint = simplify(self.terms, *constraint);
        }
        let own: FxHashSet<TermId> = self.free.iter().chain(&self.reader.made).copied().collect();
        let (mut map, mut vars) = (FxHashMap::default(), Vec::new());
        for &part in facts.iter().chain(&constraints).chain(&head) {
            for constant in constants(self.terms, part) {
                let fun = self.terms.applied(constant).filter(|_| own.contains(&constant));
                let Some(fun) = fun.filter(|_| !map.contains_key(&constant)) else { continue };
                let (name, sort) = (self.terms.fun(fun).name, self.terms.fun(fun).result);
                let var = self.terms.var(name, sort);
                vars.push(var);
                map.insert(constant, var);
            }
        }
        let mut put = |term: &TermId| replace(self.terms, *term, &map);
        let atoms = facts.iter().map(&mut put).collect();
        let constraints = constraints.iter().map(&mut put).collect();
        let head = head.as_ref().map(&mut put);
        Clause { vars, atoms, constraints, head }
            .term(self.terms)
            .map_err(|_| "a clause is ill-sorted".into())
    }
}

/// The truth values that formulas may need to be false.
fn denied(terms: &Terms, formulas: &[TermId]) -> FxHashSet<TermId> {
    let mut seen: FxHashSet<(TermId, bool)> = FxHashSet::default();
    let mut todo: Vec<(TermId, bool)> = formulas.iter().map(|&formula| (formula, true)).collect();
    while let Some((term, holds)) = todo.pop() {
        if !seen.insert((term, holds)) {
            continue;
        }
        let args = terms.args(term);
        match terms.op(term) {
            Op::Not => todo.push((args[0], !holds)),
            Op::And | Op::Or => todo.extend(args.iter().map(|&arg| (arg, holds))),
            Op::Implies => {
                let last = args.len() - 1;
                todo.extend(args.iter().enumerate().map(|(at, &arg)| (arg, holds == (at == last))));
            }
            Op::Ite if terms.sort(term) == SortId::BOOL => {
                todo.extend([(args[0], true), (args[0], false), (args[1], holds), (args[2], holds)]);
            }
            _ => todo.extend(args.iter().flat_map(|&arg| [(arg, true), (arg, false)])),
        }
    }
    seen.into_iter().filter(|(_, holds)| !holds).map(|(term, _)| term).collect()
}
