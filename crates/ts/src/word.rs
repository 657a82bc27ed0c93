//! What a temporal formula says about an infinite execution that ends in a loop.
//!
//! The truth of a formula along the execution is a sequence that repeats itself in the end. A future operator repeats as
//! soon as its arguments do. A past operator may need one more round of the loop: it remembers one bit, and a round of the
//! loop either leaves the bit as it was or makes it what it becomes from any other. So after one round more for each past
//! operator everything repeats, and as many positions are enough.

use crate::trace::Fault;
use rustc_hash::FxHashMap;
use smt::op::{Op, Theory};
use smt::subst::postorder;
use smt::term::{TermId, Terms};

/// An execution: so many steps, after the last of which comes step `back` again.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) steps: usize,
    pub(crate) back: usize,
}

/// True when the formula holds in the first step. `atom` says what formulas without temporal operators say in a step.
///
/// # Errors
/// When a temporal operator stands below anything else than Boolean operators, or `atom` fails.
pub(crate) fn holds(
    terms: &Terms,
    formula: TermId,
    shape: Shape,
    mut atom: impl FnMut(usize, TermId) -> Result<bool, Fault>,
) -> Result<bool, Fault> {
    let order = postorder(terms, formula);
    let mut temporal: FxHashMap<TermId, bool> = FxHashMap::default();
    for &term in &order {
        let below = is_temporal(terms, term) || terms.args(term).iter().any(|arg| temporal[arg]);
        temporal.insert(term, below);
    }
    let past = order.iter().filter(|&&term| is_past(terms.op(term))).count();
    let period = shape.steps - shape.back;
    let line = Line { length: shape.steps + past * period, period };
    let mut rows: FxHashMap<TermId, Vec<bool>> = FxHashMap::default();
    for &term in &order {
        // Atoms are arguments of what is temporal, or the formula itself.
        if !temporal[&term] {
            continue;
        }
        for &arg in terms.args(term).iter().filter(|arg| !temporal[*arg]) {
            if !rows.contains_key(&arg) && terms.sort(arg) == smt::sort::SortId::BOOL {
                rows.insert(arg, line.atom(shape, |step| atom(step, arg))?);
            }
        }
        let args: Option<Vec<&Vec<bool>>> = terms.args(term).iter().map(|arg| rows.get(arg)).collect();
        let row = args.and_then(|args| line.row(terms.op(term), &args)).ok_or(Fault::Temporal)?;
        rows.insert(term, row);
    }
    match rows.get(&formula) {
        Some(row) => Ok(row[0]),
        None => atom(0, formula),
    }
}

fn is_temporal(terms: &Terms, term: TermId) -> bool {
    terms.op(term).info().theory == Theory::Ltl
}

fn is_past(op: Op) -> bool {
    use Op::{LtlHistorically, LtlOnce, LtlSince, LtlWeakYesterday, LtlYesterday};
    matches!(op, LtlYesterday | LtlWeakYesterday | LtlOnce | LtlHistorically | LtlSince)
}

/// The positions that are looked at; after the last one comes the one `period` before the end.
struct Line {
    length: usize,
    period: usize,
}

impl Line {
    /// The truth of an atom, from its truth in the steps.
    fn atom(
        &self,
        shape: Shape,
        mut truth: impl FnMut(usize) -> Result<bool, Fault>,
    ) -> Result<Vec<bool>, Fault> {
        let mut row = Vec::with_capacity(self.length);
        for at in 0..self.length {
            let value = if at < shape.steps { truth(at)? } else { row[at - self.period] };
            row.push(value);
        }
        Ok(row)
    }

    /// The truth of an operator's application. Nothing for an operator that is neither Boolean nor temporal.
    fn row(&self, op: Op, args: &[&Vec<bool>]) -> Option<Vec<bool>> {
        let all = |row: &dyn Fn(usize) -> bool| Some((0..self.length).map(row).collect());
        match (op, args) {
            (Op::Not, [a]) => all(&|at| !a[at]),
            (Op::And, args) => all(&|at| args.iter().all(|arg| arg[at])),
            (Op::Or, args) => all(&|at| args.iter().any(|arg| arg[at])),
            (Op::Xor, args) => all(&|at| args.iter().fold(false, |value, arg| value ^ arg[at])),
            (Op::Implies, [before @ .., last]) => all(&|at| last[at] || !before.iter().all(|arg| arg[at])),
            (Op::Eq, args) => all(&|at| args.windows(2).all(|pair| pair[0][at] == pair[1][at])),
            (Op::Ite, [c, a, b]) => all(&|at| if c[at] { a[at] } else { b[at] }),
            (Op::LtlNext, [a]) => all(&|at| a[self.after(at)]),
            (Op::LtlFinally, [a]) => Some(self.future(false, |at, next| a[at] || next)),
            (Op::LtlGlobally, [a]) => Some(self.future(true, |at, next| a[at] && next)),
            (Op::LtlUntil, [a, b]) => Some(self.future(false, |at, next| b[at] || a[at] && next)),
            (Op::LtlWeakUntil, [a, b]) => Some(self.future(true, |at, next| b[at] || a[at] && next)),
            (Op::LtlRelease, [a, b]) => Some(self.future(true, |at, next| b[at] && (a[at] || next))),
            (Op::LtlYesterday, [a]) => all(&|at| at > 0 && a[at - 1]),
            (Op::LtlWeakYesterday, [a]) => all(&|at| at == 0 || a[at - 1]),
            (Op::LtlOnce, [a]) => Some(self.past(false, |at, before| a[at] || before)),
            (Op::LtlHistorically, [a]) => Some(self.past(true, |at, before| a[at] && before)),
            (Op::LtlSince, [a, b]) => Some(self.past(false, |at, before| b[at] || a[at] && before)),
            _ => None,
        }
    }

    fn after(&self, at: usize) -> usize {
        if at + 1 < self.length { at + 1 } else { self.length - self.period }
    }

    /// From back to front, the loop twice: what an operator says if it is put off for ever is `forever`.
    fn future(&self, forever: bool, value: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let (mut row, mut next) = (vec![forever; self.length], forever);
        for at in (self.length - self.period..self.length).rev() {
            next = value(at, next);
        }
        for at in (0..self.length).rev() {
            next = value(at, next);
            row[at] = next;
        }
        row
    }

    fn past(&self, before: bool, value: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut before = before;
        let values = (0..self.length).map(|at| {
            before = value(at, before);
            before
        });
        values.collect()
    }
}
