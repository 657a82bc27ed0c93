//! Samples of cells: states, each at some indices.

use dashu_int::IBig;
use rustc_hash::FxHashMap;
use smt::eval::{Assignment, Evaluator};
use smt::subst::replace;
use smt::term::{TermId, Terms};
use smt::value::Value;

/// Indices at which formulas are tried.
const PLACES: std::ops::RangeInclusive<i32> = -1..=12;
/// States in which they are tried.
const MANY_STATES: usize = 50;
/// The effort of one evaluation.
const FUEL: u64 = 5_000;

/// Some states with some indices, each pair a row.
pub(crate) struct Rows {
    states: Vec<Assignment>,
    index: TermId,
    places: Vec<TermId>,
}

impl Rows {
    /// Rows of some of the states, for a bound variable.
    pub(crate) fn new(terms: &mut Terms, states: &[Assignment], index: TermId) -> Rows {
        let count = states.len().min(MANY_STATES);
        let states = (0..count).map(|i| states[i * states.len() / count].clone()).collect();
        let places = PLACES.map(|place| terms.int(place)).collect();
        Rows { states, index, places }
    }

    /// A formula or term at each row.
    fn eval(&mut self, terms: &mut Terms, term: TermId) -> Vec<Option<Value>> {
        let index = self.index;
        let here: Vec<TermId> = self
            .places
            .iter()
            .map(|&place| replace(terms, term, &FxHashMap::from_iter([(index, place)])))
            .collect();
        let mut evaluator = Evaluator::new(terms).with_fuel(FUEL);
        let mut found = Vec::with_capacity(self.states.len() * here.len());
        for state in &mut self.states {
            found.extend(here.iter().map(|&term| evaluator.eval(term, state).ok()));
        }
        found
    }

    /// The rows in which a formula is true, or may be.
    pub(crate) fn possible(&mut self, terms: &mut Terms, formula: TermId) -> Set {
        let values = self.eval(terms, formula);
        Set::of(values.into_iter().map(|value| !matches!(value, Some(Value::Bool(false)))))
    }

    /// The rows in which a formula is true.
    pub(crate) fn certain(&mut self, terms: &mut Terms, formula: TermId) -> Set {
        let values = self.eval(terms, formula);
        Set::of(values.into_iter().map(|value| matches!(value, Some(Value::Bool(true)))))
    }

    /// The rows whose index is between two terms; strictly or not, for each of them.
    pub(crate) fn between(&self, low: &Bound, high: &Bound, strict: (bool, bool)) -> Set {
        let places = || PLACES.map(IBig::from);
        let inside = |place: &IBig, state: usize| match (&low.values[state], &high.values[state]) {
            (Some(from), Some(to)) => {
                let after = if strict.0 { from < place } else { from <= place };
                after && if strict.1 { place < to } else { place <= to }
            }
            _ => false,
        };
        Set::of(
            (0..self.states.len())
                .flat_map(|state| places().map(move |place| (place, state)))
                .map(|(place, state)| inside(&place, state)),
        )
    }

    /// A term without the index as a bound of it.
    pub(crate) fn bound(&mut self, terms: &Terms, term: TermId) -> Bound {
        let mut evaluator = Evaluator::new(terms).with_fuel(FUEL);
        let mut value = |state: &mut Assignment| match evaluator.eval(term, state) {
            Ok(Value::Int(value)) => Some(value),
            _ => None,
        };
        let values = self.states.iter_mut().map(&mut value).collect();
        Bound { term, values }
    }

    /// The integer that a term is in each row.
    pub(crate) fn numbers(&mut self, terms: &mut Terms, term: TermId) -> Vec<Option<IBig>> {
        let number = |value| match value {
            Some(Value::Int(value)) => Some(value),
            _ => None,
        };
        self.eval(terms, term).into_iter().map(number).collect()
    }
}

/// A term that bounds the index, with its values in the states.
pub(crate) struct Bound {
    /// The term.
    pub(crate) term: TermId,
    values: Vec<Option<IBig>>,
}

/// A set of rows.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Set(Vec<u64>);

impl Set {
    fn of(rows: impl Iterator<Item = bool>) -> Set {
        let mut words = Vec::new();
        for (i, is_in) in rows.enumerate() {
            if i % 64 == 0 {
                words.push(0);
            }
            words[i / 64] |= u64::from(is_in) << (i % 64);
        }
        Set(words)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    pub(crate) fn is_within(&self, other: &Set) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & !b == 0)
    }

    pub(crate) fn and(&self, other: &Set) -> Set {
        Set(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    pub(crate) fn contains(&self, row: usize) -> bool {
        self.0.get(row / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }
}
