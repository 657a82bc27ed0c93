//! From systems back to linear clauses: invariants are solutions, counterexamples are derivations.

use super::linear::{Kind, Linear};
use super::{Application, Meaning, new_var};
use crate::trace::{Fault, Judge, Trace};
use rustc_hash::FxHashMap;
use smt::check::RankError;
use smt::eval::Evaluator;
use smt::op::Op;
use smt::simplify::simplify;
use smt::subst::replace;
use smt::term::{TermId, Terms};
use smt::value::Value;

impl Linear {
    /// The solution that an inductive invariant of the system is.
    ///
    /// # Errors
    /// When the invariant is not Boolean.
    pub fn solution(&self, terms: &mut Terms, invariant: TermId) -> Result<Vec<Meaning>, RankError> {
        let mut found = Vec::new();
        for place in &self.places {
            let (mut map, mut any) = (FxHashMap::default(), Vec::new());
            for (i, bit) in self.bits.iter().enumerate() {
                let bit = terms.constant_term(bit.now);
                map.insert(bit, terms.bool(place.code >> i & 1 == 1));
            }
            let (mut params, sorts) = (Vec::new(), terms.fun(place.predicate).params.clone());
            for (&slot, &sort) in place.slots.iter().zip(&sorts) {
                let Some(slot) = slot else {
                    params.push(new_var(terms, "any", sort));
                    continue;
                };
                let var = self.param(terms, slot);
                map.insert(terms.constant_term(self.slots[slot].now), var);
                params.push(var);
            }
            for (slot, idle) in self.idle.iter().enumerate() {
                let now = terms.constant_term(self.slots[slot].now);
                if map.contains_key(&now) {
                    continue;
                }
                let image = idle.unwrap_or_else(|| self.param(terms, slot));
                if idle.is_none() {
                    any.push(image);
                }
                map.insert(now, image);
            }
            let body = replace(terms, invariant, &map);
            let mut body = simplify(terms, body);
            if !any.is_empty() {
                body = terms.bind(Op::Forall, &any, body)?;
            }
            found.push(Meaning { predicate: place.predicate, params, body });
        }
        Ok(found)
    }

    fn param(&self, terms: &mut Terms, slot: usize) -> TermId {
        let fun = self.slots[slot].now;
        let (name, sort) = (terms.fun_name(fun).to_owned(), terms.fun(fun).result);
        new_var(terms, &name, sort)
    }

    /// The derivation of `false` that a counterexample is: a fact, clauses with one atom each, a goal.
    ///
    /// # Errors
    /// When the trace is none of the system.
    pub fn derivation(&self, terms: &mut Terms, trace: &Trace) -> Result<Vec<Application>, Fault> {
        let last = trace.steps.len().checked_sub(1).ok_or(Fault::Empty)?;
        let mut found = Vec::new();
        let mut judge = Judge::new(trace, terms, &self.system);
        if self.rules.iter().any(|rule| rule.kind == Kind::Init) {
            found.push(self.apply(&mut judge, Kind::Init, 0)?);
        }
        for step in 0..last {
            found.push(self.apply(&mut judge, Kind::Step, step)?);
        }
        found.push(self.apply(&mut judge, Kind::Goal, last)?);
        self.carry(terms, &mut found);
        Ok(found)
    }

    /// Gives arguments that do not matter the values that the clause before gave them.
    fn carry(&self, terms: &mut Terms, applications: &mut [Application]) {
        let mut carried: FxHashMap<usize, Value> = FxHashMap::default();
        for Application { clause, values } in applications {
            let rule = &self.rules[*clause];
            for (place, variable) in &rule.taken {
                if let Some(value) = carried.get(place) {
                    values[*variable] = value.clone();
                }
            }
            let map: FxHashMap<TermId, TermId> = rule
                .vars
                .iter()
                .zip(values.iter())
                .map(|(&var, value)| (var, value.to_term(terms)))
                .collect();
            let given: Vec<(usize, TermId)> =
                rule.given.iter().map(|&(place, arg)| (place, replace(terms, arg, &map))).collect();
            let mut evaluator = Evaluator::new(terms);
            let value = |(place, arg)| Some((place, evaluator.eval(arg, &mut ()).ok()?));
            carried = given.into_iter().filter_map(value).collect();
        }
    }

    /// A clause of that kind that applies in a step.
    fn apply(&self, judge: &mut Judge<'_>, kind: Kind, step: usize) -> Result<Application, Fault> {
        for (clause, rule) in self.rules.iter().enumerate().filter(|(_, rule)| rule.kind == kind) {
            if judge.holds(step, rule.guard)? {
                let values =
                    rule.values.iter().map(|&term| judge.value(step, term)).collect::<Result<_, _>>()?;
                return Ok(Application { clause, values });
            }
        }
        Err(Fault::Holds)
    }
}
