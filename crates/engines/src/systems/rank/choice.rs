//! Which components decrease between pairs of states.
//!
//! A real number has to decrease by one at least. One that decreases by less does so as a multiple, and what multiple that is the pairs
//! tell. There are few multiples, so a number that decreases by ever less is given up.

use dashu_ratio::RBig;
use smt::value::Value;
use std::cmp::Reverse;

/// What a component does between two states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    /// It decreases as a ranking function has to, if it is doubled so many times.
    Less(u32),
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

/// A real number is doubled so many times at most.
const DOUBLED: u32 = 20;

/// As [`ts::passes::rank`] compares them.
fn change(before: &Value, now: &Value) -> Change {
    let plainly = |less: bool| less.then_some(0);
    let (less, not_more) = match (before, now) {
        (Value::Int(before), Value::Int(now)) => {
            (plainly(now < before && *before >= 0.into()), now <= before)
        }
        (Value::Real(before), Value::Real(now)) => {
            (doubled(before, now).filter(|_| *before >= RBig::ZERO), now <= before)
        }
        (Value::BitVec { value: before, .. }, Value::BitVec { value: now, .. }) => {
            (plainly(now < before), now <= before)
        }
        _ => (None, false),
    };
    match (less, not_more) {
        (Some(times), _) => Change::Less(times),
        (_, true) => Change::NotMore,
        _ => Change::More,
    }
}

/// How many times numbers have to be doubled to be apart by one.
fn doubled(before: &RBig, now: &RBig) -> Option<u32> {
    let mut apart = before - now;
    (0..=DOUBLED).find(|_| {
        let is_enough = apart >= RBig::ONE;
        apart = &apart + &apart;
        is_enough
    })
}

/// A candidate as a component, and how many times it is doubled.
pub(super) type Chosen = (usize, u32);

/// Components that decrease lexicographically between all pairs; the first one is none that is to be avoided.
pub(super) fn choose(pairs: &[Pair], count: usize, avoided: &[usize]) -> Option<Vec<Chosen>> {
    let mut left: Vec<&Pair> = pairs.iter().collect();
    let mut chosen: Vec<Chosen> = Vec::new();
    while !left.is_empty() {
        let times = |pair: &&Pair, at: usize| match pair.0[at] {
            Change::Less(times) => Some(times),
            Change::NotMore | Change::More => None,
        };
        let gains = |&at: &usize| left.iter().filter(|pair| times(pair, at).is_some()).count();
        let most = |at: usize| left.iter().filter_map(|pair| times(pair, at)).max().unwrap_or(0);
        let suits = |at: &usize| {
            let is_avoided = chosen.is_empty() && avoided.contains(at);
            !is_avoided && left.iter().all(|pair| pair.0[*at] != Change::More)
        };
        // The first of those that gain most, and are doubled least.
        let value = |at: &usize| (gains(at), Reverse(most(*at)));
        let best = (0..count).filter(suits).rev().max_by_key(value).filter(|at| gains(at) > 0)?;
        chosen.push((best, most(best)));
        left.retain(|pair| times(pair, best).is_none());
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
        assert_eq!(choose(&pairs, 3, &[]), Some(vec![(1, 0), (2, 0)]));
        assert_eq!(choose(&pairs[..1], 3, &[]), Some(vec![(0, 0)]));
        assert_eq!(choose(&pairs[..1], 3, &[0]), Some(vec![(1, 0)]));
        assert_eq!(choose(&pairs, 3, &[1]), None);
        assert_eq!(choose(&[], 3, &[]), Some(vec![]));
    }

    #[test]
    fn what_decreases_below_zero_is_no_component() {
        assert_eq!(choose(&[pair(&[(-1, -2)])], 1, &[]), None);
        assert_eq!(choose(&[pair(&[(0, -2)])], 1, &[]), Some(vec![(0, 0)]));
        let bits = |value: u32| Some(Value::bits(8, value));
        let mut pair = Pair::default();
        pair.add(bits(200), bits(100));
        pair.add(bits(100), bits(200));
        pair.add(None, bits(0));
        assert_eq!(choose(&[pair.clone()], 3, &[]), Some(vec![(0, 0)]));
        assert_eq!(choose(&[pair], 3, &[0]), None);
    }

    #[test]
    fn real_numbers_are_doubled_until_they_decrease_by_one() {
        let real = |numerator: i32, denominator: u32| {
            Some(Value::Real(RBig::from_parts(numerator.into(), denominator.into())))
        };
        let pair = |values: &[(Option<Value>, Option<Value>)]| {
            let mut pair = Pair::default();
            values.iter().cloned().for_each(|(before, now)| pair.add(before, now));
            pair
        };
        // The first number decreases by 3/10, and the second one by less and less.
        let pairs = [
            pair(&[(real(6, 10), real(3, 10)), (real(1, 2), real(1, 4))]),
            pair(&[(real(3, 10), real(0, 1)), (real(1, 4), real(1, 8))]),
        ];
        assert_eq!(choose(&pairs, 2, &[]), Some(vec![(0, 2)]));
        assert_eq!(choose(&pairs, 2, &[0]), Some(vec![(1, 3)]));
        let tiny = pair(&[(real(1, 1 << 30), real(0, 1))]);
        assert_eq!(choose(&[tiny], 1, &[]), None);
    }
}
