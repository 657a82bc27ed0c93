//! Whether assignments always give a value that the variable can have.
//!
//! The language asks for it whatever the variables of the right side are, reachable or not. That is tried out where few
//! combinations of values are possible, in models whose variables are all finite; larger ones are taken as they are.

use super::types::{Ty, Val};
use dashu_int::{IBig, UBig};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::eval::{Assignment, Evaluator};
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// So many combinations of values are tried for an assignment.
const COMBINATIONS: usize = 1 << 12;

/// Larger right sides are not looked at.
const LARGE: usize = 1 << 12;

/// So many terms are evaluated for all assignments together.
const WORK: usize = 1 << 22;

/// The values of a variable whose type has more.
#[derive(Clone, Default, Debug)]
pub(super) struct Values {
    values: BTreeSet<Value>,
    ranges: Vec<(IBig, IBig)>,
}

impl Values {
    /// The values that are in a set of constants; nothing if it is something else.
    pub(super) fn of(terms: &Terms, set: &Val) -> Option<Values> {
        let mut domain = Values::default();
        let parts = match set {
            Val::Any(items) => items.iter().map(|item| &item.1).collect(),
            item => vec![item],
        };
        for part in parts {
            match part {
                Val::Range(low, high) => domain.ranges.push((low.clone(), high.clone())),
                Val::Term(term, _) => {
                    domain.values.insert(Value::from_term(terms, *term)?);
                }
                _ => return None,
            }
        }
        Some(domain)
    }

    fn contains(&self, value: &Value) -> bool {
        let inside = |number: &IBig| self.ranges.iter().any(|(low, high)| low <= number && number <= high);
        self.values.contains(value) || matches!(value, Value::Int(number) if inside(number))
    }

    /// All values, if they are not too many.
    fn all(&self) -> Option<Vec<Value>> {
        let mut all = self.values.clone();
        for (low, high) in &self.ranges {
            let mut number = low.clone();
            while number <= *high {
                all.insert(Value::Int(number.clone()));
                if all.len() > COMBINATIONS {
                    return None;
                }
                number += IBig::ONE;
            }
        }
        Some(all.into_iter().collect())
    }
}

/// A variable, now or next.
#[derive(Debug)]
struct Variable {
    name: String,
    ty: Ty,
    domain: Option<Arc<Values>>,
}

/// All variables, and how much is tried.
#[derive(Debug)]
pub(super) struct Variables {
    known: FxHashMap<FunId, Variable>,
    infinite: bool,
    work: usize,
}

impl Default for Variables {
    fn default() -> Self {
        Variables { known: FxHashMap::default(), infinite: false, work: WORK }
    }
}

/// A value that does not fit (nothing where no condition holds), and the values of variables that lead to it.
pub(super) struct Misfit {
    pub(super) value: Option<(Value, Ty)>,
    pub(super) when: Chosen,
}

/// Names of variables with values and types.
type Chosen = Vec<(String, Value, Ty)>;

impl Variables {
    /// There is this variable, with fewer values than its type has if they are given.
    pub(super) fn declare(&mut self, fun: FunId, name: String, ty: Ty, domain: Option<Arc<Values>>) {
        self.infinite |= domain.is_none() && matches!(ty, Ty::Int | Ty::Real | Ty::Array(_));
        self.known.insert(fun, Variable { name, ty, domain });
    }

    /// There is something with infinitely many meanings.
    pub(super) fn unbounded(&mut self) {
        self.infinite = true;
    }

    /// Where none of these conditions holds.
    pub(super) fn gap(&mut self, terms: &Terms, conditions: &[TermId]) -> Option<Misfit> {
        let (_, when) = self.search(terms, conditions, |evaluator, env| {
            for &condition in conditions {
                let holds = evaluator.holds(condition, env).ok()?;
                if holds || evaluator.unspecified().is_some() {
                    return None;
                }
            }
            Some(())
        })?;
        Some(Misfit { value: None, when })
    }

    /// Where a value is assigned that the variable does not have.
    pub(super) fn outside(&mut self, terms: &Terms, target: FunId, assigned: &Val) -> Option<Misfit> {
        let domain = self.known.get(&target)?.domain.clone()?;
        let items = match assigned {
            Val::Any(items) => items.clone(),
            item => vec![(TermId::TRUE, item.clone())],
        };
        let mut roots: Vec<TermId> = items.iter().map(|item| item.0).collect();
        roots.extend(items.iter().filter_map(|(_, item)| match item {
            Val::Term(term, _) => Some(*term),
            _ => None,
        }));
        let found = self.search(terms, &roots, |evaluator, env| {
            items.iter().find_map(|(guard, item)| {
                let holds = evaluator.holds(*guard, env).ok()?;
                if !holds || evaluator.unspecified().is_some() {
                    return None;
                }
                match item {
                    Val::Term(term, ty) => {
                        let value = evaluator.eval(*term, env).ok()?;
                        let misfit = evaluator.unspecified().is_none() && !domain.contains(&value);
                        misfit.then(|| (value, ty.clone()))
                    }
                    Val::Range(low, high) => {
                        let ends = [low, high].map(|end| Value::Int(end.clone()));
                        let end = ends.into_iter().find(|end| low <= high && !domain.contains(end));
                        end.map(|end| (end, Ty::Int))
                    }
                    _ => None,
                }
            })
        });
        found.map(|(value, when)| Misfit { value: Some(value), when })
    }

    /// The first answer for values of all variables in some terms, with these values.
    fn search<T>(
        &mut self,
        terms: &Terms,
        roots: &[TermId],
        mut ask: impl FnMut(&mut Evaluator<'_>, &mut Assignment) -> Option<T>,
    ) -> Option<(T, Chosen)> {
        let (funs, size) = symbols(terms, roots, LARGE.min(self.work));
        self.work -= size.min(self.work);
        let funs = funs?;
        if self.infinite && !funs.is_empty() {
            return None;
        }
        let (mut choices, mut count) = (Vec::new(), 1);
        for &fun in &funs {
            let variable = self.known.get(&fun)?;
            let all = all_values(terms, fun, variable)?;
            count *= all.len();
            if count > COMBINATIONS || count * size > self.work {
                return None;
            }
            choices.push(all);
        }
        self.work -= (count * size).min(self.work);
        let (mut evaluator, mut env) = (Evaluator::new(terms), Assignment::new());
        for mut number in 0..count {
            let mut chosen = Vec::new();
            for (&fun, all) in funs.iter().zip(&choices) {
                chosen.push(all[number % all.len()].clone());
                number /= all.len();
                env.set(fun, chosen[chosen.len() - 1].clone());
            }
            if let Some(answer) = ask(&mut evaluator, &mut env) {
                let of = |(fun, value): (&FunId, Value)| {
                    let variable = &self.known[fun];
                    (variable.name.clone(), value, variable.ty.clone())
                };
                return Some((answer, funs.iter().zip(chosen).map(of).collect()));
            }
        }
        None
    }
}

/// The symbols in some terms, in order, unless there are more terms than a limit; and the number of terms that were met.
fn symbols(terms: &Terms, roots: &[TermId], limit: usize) -> (Option<Vec<FunId>>, usize) {
    let (mut todo, mut seen, mut found) = (roots.to_vec(), FxHashSet::default(), Vec::new());
    while let Some(term) = todo.pop() {
        if !seen.insert(term) {
            continue;
        }
        if seen.len() > limit {
            return (None, seen.len());
        }
        found.extend(terms.applied(term));
        todo.extend(terms.args(term));
    }
    found.sort_unstable();
    found.dedup();
    (Some(found), seen.len())
}

/// All values of a variable, if they are few.
fn all_values(terms: &Terms, fun: FunId, variable: &Variable) -> Option<Vec<Value>> {
    if let Some(domain) = &variable.domain {
        return domain.all();
    }
    match (&variable.ty, terms.sorts.width(terms.fun(fun).result)) {
        (Ty::Bool, _) => Some(vec![Value::Bool(false), Value::Bool(true)]),
        (_, Some(width)) if 1usize.checked_shl(width).is_some_and(|count| count <= COMBINATIONS) => {
            Some((0..1u32 << width).map(|value| Value::bits(width, UBig::from(value))).collect())
        }
        _ => None,
    }
}
