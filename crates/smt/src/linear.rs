//! Sums of multiples of terms, over the integers and the reals.

use crate::op::Op;
use crate::sort::SortId;
use crate::subst::constants;
use crate::term::{Const, TermId, Terms};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use rustc_hash::FxHashMap;

/// A sum may have so many parts before those of the same term are put together; one that is shared many times has more.
const MOST_PARTS: usize = 10_000;

/// A sum of multiples of terms that are no sums, and a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear {
    sort: SortId,
    number: RBig,
    /// The terms in the order in which they come, with their factors, which are not zero.
    parts: Vec<(TermId, RBig)>,
}

impl Linear {
    /// A term as a sum; nothing if it is no number, or is too large a sum.
    #[must_use]
    pub fn of(terms: &Terms, term: TermId) -> Option<Linear> {
        Linear::sum(terms, &[(term, RBig::ONE)])
    }

    /// The difference of two terms of one sort, which is zero where they are equal.
    #[must_use]
    pub fn difference(terms: &Terms, left: TermId, right: TermId) -> Option<Linear> {
        Linear::sum(terms, &[(left, RBig::ONE), (right, -RBig::ONE)])
    }

    fn sum(terms: &Terms, of: &[(TermId, RBig)]) -> Option<Linear> {
        let sort = terms.sort(of.first()?.0);
        if sort != SortId::INT && sort != SortId::REAL {
            return None;
        }
        let mut todo: Vec<(TermId, RBig)> = of.iter().rev().cloned().collect();
        let (mut found, mut places) =
            (Linear { sort, number: RBig::ZERO, parts: vec![] }, FxHashMap::default());
        for _ in 0..MOST_PARTS {
            let Some((term, factor)) = todo.pop() else {
                found.parts.retain(|part| part.1 != RBig::ZERO);
                return Some(found);
            };
            if let Some(number) = number(terms, term) {
                found.number += factor * number;
                continue;
            }
            let args = terms.args(term);
            match terms.op(term) {
                Op::Add => todo.extend(args.iter().rev().map(|&arg| (arg, factor.clone()))),
                Op::Neg => todo.push((args[0], -factor)),
                Op::Sub => {
                    todo.extend(args[1..].iter().rev().map(|&arg| (arg, -factor.clone())));
                    todo.push((args[0], factor));
                }
                _ => match multiple(terms, term) {
                    Some((part, by)) => todo.push((part, factor * by)),
                    None => {
                        let place = *places.entry(term).or_insert(found.parts.len());
                        match found.parts.get_mut(place) {
                            Some(part) => part.1 += factor,
                            None => found.parts.push((term, factor)),
                        }
                    }
                },
            }
        }
        None
    }

    /// What one of the terms of a sum that is zero is. Over the integers this is a sum only if the term's factor is one or
    /// minus one. Whether the other terms speak of it is not looked at.
    #[must_use]
    pub fn solved_for(&self, term: TermId) -> Option<Linear> {
        let factor = &self.parts.iter().find(|part| part.0 == term)?.1;
        if self.sort == SortId::INT && *factor != RBig::ONE && *factor != -RBig::ONE {
            return None;
        }
        let by = -factor.clone();
        let others = self.parts.iter().filter(|part| part.0 != term);
        let parts: Vec<(TermId, RBig)> = others.map(|(part, factor)| (*part, factor / &by)).collect();
        let solved = Linear { sort: self.sort, number: &self.number / &by, parts };
        solved.is_whole().then_some(solved)
    }

    /// The terms of the sum.
    pub fn terms(&self) -> impl Iterator<Item = TermId> + '_ {
        self.parts.iter().map(|part| part.0)
    }

    /// False for a sum of integers with a fraction in it.
    fn is_whole(&self) -> bool {
        let mut numbers = self.parts.iter().map(|part| &part.1).chain([&self.number]);
        self.sort == SortId::REAL || numbers.all(|number| *number.denominator() == UBig::ONE)
    }

    /// The sum as a term.
    pub fn to_term(&self, terms: &mut Terms) -> TermId {
        let mut parts = Vec::with_capacity(self.parts.len() + 1);
        for (part, factor) in &self.parts {
            let factor = (*factor != RBig::ONE).then(|| self.literal(terms, factor));
            parts.push(match factor {
                Some(factor) => terms.app(Op::Mul, &[factor, *part]).unwrap_or(*part),
                None => *part,
            });
        }
        if self.number != RBig::ZERO || parts.is_empty() {
            let number = self.literal(terms, &self.number);
            parts.push(number);
        }
        match parts[..] {
            [only] => only,
            // All parts have one sort, that of numbers.
            _ => terms.app(Op::Add, &parts).unwrap_or(parts[0]),
        }
    }

    fn literal(&self, terms: &mut Terms, number: &RBig) -> TermId {
        match self.sort {
            SortId::INT => terms.int(number.numerator().clone()),
            _ => terms.real(number),
        }
    }
}

/// What an equation says some constants are: each alone, by the others.
pub fn solutions(
    terms: &mut Terms,
    equation: TermId,
    wanted: impl Fn(&TermId) -> bool,
) -> Vec<(TermId, TermId)> {
    let (Op::Eq, &[left, right]) = (terms.op(equation), terms.args(equation)) else { return Vec::new() };
    let sides = [(left, right), (right, left)].into_iter().filter(|side| wanted(&side.0));
    let mut found: Vec<(TermId, TermId)> = sides.collect();
    if let Some(zero) = Linear::difference(terms, left, right).filter(|_| found.is_empty()) {
        for constant in zero.terms().filter(wanted).collect::<Vec<_>>() {
            found.extend(zero.solved_for(constant).map(|value| (constant, value.to_term(terms))));
        }
    }
    found.retain(|&(constant, value)| !constants(terms, value).contains(&constant));
    found
}

/// A number as it is written: a literal, its negation, a quotient of such.
#[must_use]
pub fn number(terms: &Terms, term: TermId) -> Option<RBig> {
    let literal = |term: TermId| match terms.literal(term)? {
        Const::Nat(value) => Some(RBig::from(IBig::from(value.clone()))),
        Const::Decimal(value) => Some(value.clone()),
        _ => None,
    };
    let signed = |term: TermId| match terms.op(term) {
        Op::Neg => literal(terms.args(term)[0]).map(|value| -value),
        Op::ToReal => literal(terms.args(term)[0]),
        _ => literal(term),
    };
    let quotient = |term: TermId| match (terms.op(term), terms.args(term)) {
        (Op::Div, &[top, bottom]) => {
            let bottom = signed(bottom).filter(|bottom| *bottom != RBig::ZERO)?;
            Some(signed(top)? / bottom)
        }
        _ => signed(term),
    };
    match terms.op(term) {
        Op::Neg => quotient(terms.args(term)[0]).map(|value| -value),
        _ => quotient(term),
    }
}

/// A product of numbers and one other term, or a quotient by a number.
fn multiple(terms: &Terms, term: TermId) -> Option<(TermId, RBig)> {
    let args = terms.args(term);
    match terms.op(term) {
        Op::Mul => {
            let mut factor = RBig::ONE;
            let mut other = None;
            for &arg in args {
                match number(terms, arg) {
                    Some(number) => factor *= number,
                    None if other.is_none() => other = Some(arg),
                    None => return None,
                }
            }
            Some((other?, factor))
        }
        Op::Div if args.len() == 2 => {
            let by = number(terms, args[1]).filter(|by| *by != RBig::ZERO)?;
            Some((args[0], RBig::ONE / by))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(terms: &mut Terms, name: &str, sort: SortId) -> TermId {
        let fun = terms.fresh(name, sort);
        terms.constant_term(fun)
    }

    #[test]
    fn an_equation_is_solved_for_a_term() {
        let mut terms = Terms::new();
        let [x, y] = ["x", "y"].map(|name| variable(&mut terms, name, SortId::INT));
        let (minus, two) = (terms.int(-1), terms.int(2));
        let product = terms.app(Op::Mul, &[minus, y]).unwrap();
        let left = terms.app(Op::Add, &[x, product]).unwrap();
        let twice = terms.app(Op::Mul, &[two, left]).unwrap();
        let zero = Linear::difference(&terms, left, minus).unwrap();
        let one = terms.int(1);
        let next = terms.app(Op::Add, &[x, one]).unwrap();
        assert_eq!(zero.solved_for(y).unwrap().to_term(&mut terms), next);
        let zero = Linear::difference(&terms, twice, minus).unwrap();
        assert_eq!(zero.solved_for(y), None, "half of an integer need not be one");
        assert_eq!(zero.solved_for(twice), None);
        let none = Linear::difference(&terms, x, x).unwrap();
        assert_eq!(none.terms().count(), 0);
        assert_eq!(none.to_term(&mut terms), terms.int(0));
    }

    #[test]
    fn reals_are_divided() {
        let mut terms = Terms::new();
        let x = variable(&mut terms, "x", SortId::REAL);
        let three = terms.real(&RBig::from(3));
        let third = terms.app(Op::Div, &[x, three]).unwrap();
        let sum = Linear::difference(&terms, third, three).unwrap();
        assert_eq!(sum.solved_for(x).unwrap().to_term(&mut terms), terms.real(&RBig::from(9)));
    }
}
