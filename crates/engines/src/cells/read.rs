//! What is in a cell of an array that is written as a term: stores and choices are looked through, down to cells of arrays that
//! have a name, which become constants.

use rustc_hash::FxHashMap;
use smt::op::Op;
use smt::term::{TermId, Terms};

/// The indices of a cell, the outermost first.
pub(super) type Path = Vec<TermId>;

/// A clause with more cells is too large.
const MOST: usize = 120;

/// The cells of a clause.
#[derive(Default)]
pub(super) struct Reader {
    /// What terms that are no arrays became.
    pub(super) scalars: FxHashMap<TermId, TermId>,
    /// The cells of each array with a name, in the order in which they were asked for.
    pub(super) cells: FxHashMap<TermId, Vec<(Path, TermId)>>,
    /// The constants that stand for them.
    pub(super) made: Vec<TermId>,
    known: FxHashMap<(TermId, Path), TermId>,
}

enum Task {
    Enter(TermId, Path),
    Exit(TermId, Path),
}

impl Reader {
    /// What is in a cell of an array. All terms that are no arrays in it have been translated.
    pub(super) fn read(&mut self, terms: &mut Terms, array: TermId, path: Path) -> Result<TermId, String> {
        let key = (array, path.clone());
        let mut todo = vec![Task::Enter(array, path)];
        while let Some(task) = todo.pop() {
            match task {
                Task::Enter(array, path) if self.known.contains_key(&(array, path.clone())) => {}
                Task::Enter(array, path) if is_name(terms, array) => {
                    let cell = self.cell(terms, array, &path)?;
                    self.known.insert((array, path), cell);
                }
                Task::Enter(array, path) => {
                    let needs = self.needs(terms, array, &path)?;
                    todo.push(Task::Exit(array, path));
                    todo.extend(needs.into_iter().map(|(array, path)| Task::Enter(array, path)));
                }
                Task::Exit(array, path) => {
                    let value = self.value(terms, array, &path)?;
                    self.known.insert((array, path), value);
                }
            }
        }
        self.known.get(&key).copied().ok_or_else(|| "a cell has no value".into())
    }

    /// A cell of an array with a name.
    fn cell(&mut self, terms: &mut Terms, array: TermId, path: &Path) -> Result<TermId, String> {
        if self.made.len() >= MOST {
            return Err("a clause reads too many cells".into());
        }
        let mut sort = terms.sort(array);
        for _ in path {
            let smt::sort::Sort::Array(_, element) = *terms.sorts.get(sort) else {
                return Err("a cell has too many indices".into());
            };
            sort = element;
        }
        let fun = terms.fresh(&format!("cell!{}", terms.len()), sort);
        let cell = terms.constant_term(fun);
        self.made.push(cell);
        self.cells.entry(array).or_default().push((path.clone(), cell));
        Ok(cell)
    }

    /// The cells of other arrays that a cell depends on.
    fn needs(&self, terms: &Terms, array: TermId, path: &Path) -> Result<Vec<(TermId, Path)>, String> {
        let rest = path[1..].to_vec();
        let inner = |value: TermId| if rest.is_empty() { None } else { Some((value, rest.clone())) };
        Ok(match (terms.op(array), terms.args(array)) {
            (Op::Store, &[_, index, value]) if self.scalars[&index] == path[0] => {
                inner(value).into_iter().collect()
            }
            (Op::Store, &[base, _, value]) => {
                [Some((base, path.clone())), inner(value)].into_iter().flatten().collect()
            }
            (Op::Ite, &[_, yes, no]) => vec![(yes, path.clone()), (no, path.clone())],
            (Op::ConstArray, &[value]) => inner(value).into_iter().collect(),
            (Op::Select, &[base, index]) => vec![(base, longer(self.scalars[&index], path))],
            _ => return Err("an array is neither a variable nor made by store, ite or const".into()),
        })
    }

    /// What is in a cell, when that is known of the cells that it depends on.
    fn value(&self, terms: &mut Terms, array: TermId, path: &Path) -> Result<TermId, String> {
        let rest = path[1..].to_vec();
        let inner = |value: TermId| {
            if rest.is_empty() { self.scalars[&value] } else { self.known[&(value, rest.clone())] }
        };
        let here = |array: TermId| self.known[&(array, path.clone())];
        let args = terms.args(array).to_vec();
        let value = match (terms.op(array), &args[..]) {
            (Op::Store, &[_, index, value]) if self.scalars[&index] == path[0] => inner(value),
            (Op::Store, &[base, index, value]) => {
                let (written, left) = (inner(value), here(base));
                let is_here = terms.app(Op::Eq, &[path[0], self.scalars[&index]]).map_err(ill)?;
                terms.app(Op::Ite, &[is_here, written, left]).map_err(ill)?
            }
            (Op::Ite, &[condition, yes, no]) => {
                let sides = [self.scalars[&condition], here(yes), here(no)];
                terms.app(Op::Ite, &sides).map_err(ill)?
            }
            (Op::Select, &[base, index]) => self.known[&(base, longer(self.scalars[&index], path))],
            (_, args) => inner(args[0]),
        };
        Ok(value)
    }
}

fn ill(_: smt::check::RankError) -> String {
    "a cell has another sort than expected".into()
}

fn longer(index: TermId, path: &Path) -> Path {
    let mut longer = vec![index];
    longer.extend(path);
    longer
}

/// True for an array that is nothing but a name.
pub(super) fn is_name(terms: &Terms, array: TermId) -> bool {
    terms.op(array) == Op::App && terms.args(array).is_empty()
}
