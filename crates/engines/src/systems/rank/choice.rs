//! Which components decrease between pairs of states.

use smt::value::Value;

/// What a component does between two states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    /// It decreases as a ranking function has to.
    Less,
    /// It does not increase.
    NotMore,
    /// It increases, or nobody knows.
    More,
}

/// What each candidate does between two states.
#[derive(Clone, Default, Debug)]
pub(super) struct Pair(Vec<Change>);

impl Pair {
    /// The next candidate has these values.
    pub(super) fn add(&mut self, before: Option<Value>, now: Option<Value>) {
        self.0.push(match (before, now) {
            (Some(before), Some(now)) => change(&before, &now),
            _ => Change::More,
        });
    }
}

/// As [`ts::passes::rank`] compares them.
fn change(before: &Value, now: &Value) -> Change {
    let (less, not_more) = match (before, now) {
        (Value::Int(before), Value::Int(now)) => (now < before && *before >= 0.into(), now <= before),
        (Value::Real(before), Value::Real(now)) => {
            let one = dashu_ratio::RBig::ONE;
            (now + one <= *before && *before >= dashu_ratio::RBig::ZERO, now <= before)
        }
        (Value::BitVec { value: before, .. }, Value::BitVec { value: now, .. }) => {
            (now < before, now <= before)
        }
        _ => (false, false),
    };
    match (less, not_more) {
        (true, _) => Change::Less,
        (_, true) => Change::NotMore,
        _ => Change::More,
    }
}

/// Components that decrease lexicographically between all pairs; the first one is none that is to be avoided.
pub(super) fn choose(pairs: &[Pair], count: usize, avoided: &[usize]) -> Option<Vec<usize>> {
    let mut left: Vec<&Pair> = pairs.iter().collect();
    let mut chosen: Vec<usize> = Vec::new();
    while !left.is_empty() {
        let gains = |&at: &usize| left.iter().filter(|pair| pair.0[at] == Change::Less).count();
        let suits = |at: &usize| {
            let is_avoided = chosen.is_empty() && avoided.contains(at);
            !is_avoided && left.iter().all(|pair| pair.0[*at] != Change::More)
        };
        // The first of those that gain most.
        let best = (0..count).filter(suits).rev().max_by_key(gains).filter(|at| gains(at) > 0)?;
        left.retain(|pair| pair.0[best] != Change::Less);
        chosen.push(best);
    }
    Some(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(values: &[(i32, i32)]) -> Pair {
        let mut pair = Pair::default();
        values.iter().for_each(|&(a, b)| pair.add(Some(Value::int(a)), Some(Value::int(b))));
        pair
    }

    #[test]
    fn components_are_chosen_lexicographically() {
        // The first candidate increases once, the second decreases or stays, the third decreases where the second stays.
        let pairs = [pair(&[(1, 0), (5, 4), (0, 9)]), pair(&[(1, 2), (4, 4), (9, 8)])];
        assert_eq!(choose(&pairs, 3, &[]), Some(vec![1, 2]));
        assert_eq!(choose(&pairs[..1], 3, &[]), Some(vec![0]));
        assert_eq!(choose(&pairs[..1], 3, &[0]), Some(vec![1]));
        assert_eq!(choose(&pairs, 3, &[1]), None);
        assert_eq!(choose(&[], 3, &[]), Some(vec![]));
    }

    #[test]
    fn what_decreases_below_zero_is_no_component() {
        assert_eq!(choose(&[pair(&[(-1, -2)])], 1, &[]), None);
        assert_eq!(choose(&[pair(&[(0, -2)])], 1, &[]), Some(vec![0]));
        let bits = |value: u32| Some(Value::bits(8, value));
        let mut pair = Pair::default();
        pair.add(bits(200), bits(100));
        pair.add(bits(100), bits(200));
        pair.add(None, bits(0));
        assert_eq!(choose(&[pair.clone()], 3, &[]), Some(vec![0]));
        assert_eq!(choose(&[pair], 3, &[0]), None);
    }
}
