//! Linear functions with small coefficients, and lexicographic combinations of them, by counterexample-guided search.
//!
//! A component of the combination either decreases from a non-negative value or stays equal, in every round that the
//! components before it leave. Rounds in which it decreases are done with. The sum of the coefficients' absolute values
//! is bounded, and the bound grows: a function that depends on little is more likely to be the right one, and easier to
//! read.

use super::rounds::{Group, Round};
use super::{Asker, Failure, Rank};
use dashu_int::IBig;
use program::{descends, same};
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{Fun, FunId, Role, TermId, Terms};
use smt::value::Value;
use solver::CheckResult;

/// So many components at most.
const COMPONENTS: usize = 4;
/// Bounds of the sum of absolute values of coefficients, and of the constant. A large constant early on would be fitted
/// to the samples instead of finding the right variables.
const WEIGHTS: [(i32, i32); 8] =
    [(1, 1), (2, 1), (3, 2), (1, 1_000), (2, 1_000), (3, 1_000), (6, 10_000), (40, 100_000)];
/// So many guesses with each bound.
const GUESSES: usize = 25;

/// The features before and after a round, as numbers.
struct Sample {
    from: usize,
    old: Vec<IBig>,
    to: usize,
    new: Vec<IBig>,
}

/// A linear function of each member: its constant, then the coefficients of the features.
type Linear = Vec<Vec<IBig>>;

/// Ranking functions for the members of a group.
pub(crate) fn synthesise(terms: &mut Terms, group: &Group, asker: &mut Asker) -> Result<Vec<Rank>, Failure> {
    let mut search = Search { group, asker, left: Vec::new(), samples: Vec::new() };
    search.left = group.rounds.iter().map(|round| round.when.clone()).collect();
    let mut components: Vec<Linear> = Vec::new();
    while search.sample(terms)? {
        if components.len() == COMPONENTS {
            return Err(Failure::Nothing("no combination of few linear functions decreases".into()));
        }
        let Some(component) = search.component(terms)? else {
            let what = format!("no linear function decreases (component {})", components.len() + 1);
            return Err(Failure::Nothing(what));
        };
        search.settle(terms, &component);
        components.push(component);
    }
    if components.is_empty() {
        // No round at all: anything decreases.
        components.push(group.members.iter().map(|member| zeros(member.features.len())).collect());
    }
    let mut ranks = Vec::new();
    for (number, member) in group.members.iter().enumerate() {
        let sums = components.iter().map(|component| sum(terms, &component[number], &member.features));
        ranks.push(Rank { stmt: member.stmt, terms: sums.collect() });
    }
    Ok(ranks)
}

fn zeros(features: usize) -> Vec<IBig> {
    vec![IBig::ZERO; features + 1]
}

struct Search<'a> {
    group: &'a Group,
    asker: &'a mut Asker,
    /// For each round when it happens and is not done with.
    left: Vec<Vec<TermId>>,
    samples: Vec<Sample>,
}

impl Search<'_> {
    /// Makes sure that there is a sample of what is left; false when nothing is left.
    fn sample(&mut self, terms: &mut Terms) -> Result<bool, Failure> {
        if !self.samples.is_empty() {
            return Ok(true);
        }
        let mut any = false;
        for number in 0..self.left.len() {
            let Some(left) = self.refute(terms, number, TermId::TRUE)? else {
                return Err(Failure::Nothing("the solver does not know whether a round is possible".into()));
            };
            any |= left;
        }
        Ok(any)
    }

    /// Looks for an instance of a round in which a formula holds as well; it becomes a sample. None when the solver does
    /// not know whether there is one.
    fn refute(&mut self, terms: &mut Terms, number: usize, formula: TermId) -> Result<Option<bool>, Failure> {
        let round = &self.group.rounds[number];
        let mut question = self.left[number].clone();
        question.push(formula);
        let wanted: Vec<TermId> = round.old.iter().chain(&round.new).copied().collect();
        match self.asker.ask(terms, &question, &wanted)? {
            (CheckResult::Unsat, _) => Ok(Some(false)),
            (CheckResult::Sat, values) => {
                let Some(values) = values.iter().map(number_of).collect::<Option<Vec<IBig>>>() else {
                    return Err(Failure::Nothing("a model of a round has no numbers".into()));
                };
                let (old, new) = values.split_at(round.old.len());
                let (old, new) = (old.to_vec(), new.to_vec());
                self.samples.push(Sample { from: round.from, old, to: round.to, new });
                Ok(Some(true))
            }
            (CheckResult::Unknown(_), _) => Ok(None),
        }
    }

    /// A function that never increases, and decreases in all samples, or in one at least.
    fn component(&mut self, terms: &mut Terms) -> Result<Option<Linear>, Failure> {
        for strict in [true, false] {
            if let Some(found) = self.direct(terms, strict)? {
                return Ok(Some(found));
            }
            for weight in WEIGHTS {
                if let Some(found) = self.guided(terms, weight, strict)? {
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }

    /// Single features: easy questions, and often right.
    fn direct(&mut self, terms: &mut Terms, strict: bool) -> Result<Option<Linear>, Failure> {
        let most = self.group.members.iter().map(|member| member.features.len()).max().unwrap_or(0);
        for i in 0..most {
            let unit = |features: usize| {
                let mut unit = zeros(features);
                if let Some(coefficient) = unit.get_mut(i + 1) {
                    *coefficient = IBig::ONE;
                }
                unit
            };
            let guess: Linear = self.group.members.iter().map(|member| unit(member.features.len())).collect();
            let progress = self.samples.iter().any(|sample| {
                value(&guess[sample.from], &sample.old) != value(&guess[sample.to], &sample.new)
            });
            if progress && self.verify(terms, &guess, strict)? == Some(true) {
                return Ok(Some(guess));
            }
        }
        Ok(None)
    }

    /// Whether the guess is right for all rounds; none when the solver does not know.
    fn verify(&mut self, terms: &mut Terms, guess: &Linear, strict: bool) -> Result<Option<bool>, Failure> {
        let mut refuted = false;
        for number in 0..self.left.len() {
            let fine = self.fine(terms, guess, number, strict);
            let not_fine = terms.not(fine);
            match self.refute(terms, number, not_fine)? {
                Some(found) => refuted |= found,
                None => return Ok(None),
            }
        }
        Ok(Some(!refuted))
    }

    fn guided(
        &mut self,
        terms: &mut Terms,
        weight: (i32, i32),
        strict: bool,
    ) -> Result<Option<Linear>, Failure> {
        for _ in 0..GUESSES {
            let Some(guess) = self.guess(terms, weight, strict)? else { return Ok(None) };
            match self.verify(terms, &guess, strict)? {
                Some(true) => return Ok(Some(guess)),
                Some(false) => {}
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// The round decreases, or, where that is enough, stays equal.
    fn fine(&self, terms: &mut Terms, guess: &Linear, number: usize, strict: bool) -> TermId {
        let (old, new) = self.sides(terms, guess, &self.group.rounds[number]);
        let decreases = descends(terms, &[old], &[new]);
        if strict {
            return decreases;
        }
        let equal = same(terms, old, new);
        apply(terms, Op::Or, &[decreases, equal])
    }

    fn sides(&self, terms: &mut Terms, guess: &Linear, round: &Round) -> (TermId, TermId) {
        (sum(terms, &guess[round.from], &round.old), sum(terms, &guess[round.to], &round.new))
    }

    /// Rounds in which the function decreases are done with.
    fn settle(&mut self, terms: &mut Terms, component: &Linear) {
        for number in 0..self.left.len() {
            let (old, new) = self.sides(terms, component, &self.group.rounds[number]);
            let equal = same(terms, old, new);
            self.left[number].push(equal);
        }
        self.samples.retain(|sample| {
            value(&component[sample.from], &sample.old) == value(&component[sample.to], &sample.new)
        });
    }

    /// Coefficients that are right for all samples; none when there are none of that weight.
    fn guess(
        &mut self,
        terms: &mut Terms,
        weight: (i32, i32),
        strict: bool,
    ) -> Result<Option<Linear>, Failure> {
        let mut unknowns: Vec<Vec<TermId>> = Vec::new();
        let (mut question, mut wanted) = (Vec::new(), Vec::new());
        for (m, member) in self.group.members.iter().enumerate() {
            let (mut own, mut weights) = (Vec::new(), Vec::new());
            for i in 0..=member.features.len() {
                let coefficient = unknown(terms, &format!("#c.{m}.{i}"));
                own.push(coefficient);
                wanted.push(coefficient);
                if i == 0 {
                    let (most, least) = (terms.int(weight.1), terms.int(-weight.1));
                    question.push(apply(terms, Op::Le, &[least, coefficient, most]));
                    continue;
                }
                let (size, zero) = (unknown(terms, &format!("#a.{m}.{i}")), terms.int(0));
                let negated = apply(terms, Op::Sub, &[zero, coefficient]);
                question.push(apply(terms, Op::Le, &[coefficient, size]));
                question.push(apply(terms, Op::Le, &[negated, size]));
                weights.push(size);
            }
            let (limit, zero) = (terms.int(weight.0), terms.int(0));
            let total = add(terms, weights, zero);
            question.push(apply(terms, Op::Le, &[total, limit]));
            unknowns.push(own);
        }
        let mut strictly = Vec::new();
        for sample in &self.samples {
            let old = dot(terms, &unknowns[sample.from], &sample.old);
            let new = dot(terms, &unknowns[sample.to], &sample.new);
            let zero = terms.int(0);
            let bounded = apply(terms, Op::Ge, &[old, zero]);
            let less = apply(terms, Op::Lt, &[new, old]);
            let decreases = terms.and(&[bounded, less]);
            let equal = apply(terms, Op::Eq, &[new, old]);
            strictly.push(decreases);
            question.push(if strict { decreases } else { apply(terms, Op::Or, &[decreases, equal]) });
        }
        if !strict {
            question.push(match strictly[..] {
                [one] => one,
                _ => apply(terms, Op::Or, &strictly),
            });
        }
        let (answer, values) = self.asker.ask(terms, &question, &wanted)?;
        if answer != CheckResult::Sat {
            return Ok(None);
        }
        let Some(values) = values.iter().map(number_of).collect::<Option<Vec<IBig>>>() else {
            return Ok(None);
        };
        let mut values = values.into_iter();
        Ok(Some(unknowns.iter().map(|own| values.by_ref().take(own.len()).collect()).collect()))
    }
}

fn number_of(value: &Option<Value>) -> Option<IBig> {
    value.as_ref()?.as_int().cloned()
}

fn unknown(terms: &mut Terms, name: &str) -> TermId {
    let name = terms.names.intern(name);
    let fun: FunId = terms.declare(Fun { name, params: Box::new([]), result: SortId::INT, role: Role::Free });
    terms.constant_term(fun)
}

/// An operator on integers; the sorts fit.
fn apply(terms: &mut Terms, op: Op, args: &[TermId]) -> TermId {
    terms.app(op, args).unwrap_or(TermId::FALSE)
}

fn add(terms: &mut Terms, mut summands: Vec<TermId>, zero: TermId) -> TermId {
    match summands.len() {
        0 => zero,
        1 => summands.remove(0),
        _ => apply(terms, Op::Add, &summands),
    }
}

/// The sum of unknown coefficients times numbers.
fn dot(terms: &mut Terms, coefficients: &[TermId], numbers: &[IBig]) -> TermId {
    let mut summands = vec![coefficients[0]];
    for (&coefficient, number) in coefficients[1..].iter().zip(numbers) {
        if *number != IBig::ZERO {
            let number = terms.int(number.clone());
            summands.push(apply(terms, Op::Mul, &[number, coefficient]));
        }
    }
    let zero = terms.int(0);
    add(terms, summands, zero)
}

fn value(coefficients: &[IBig], numbers: &[IBig]) -> IBig {
    let products = coefficients[1..].iter().zip(numbers).map(|(c, n)| c * n);
    products.fold(coefficients[0].clone(), |sum, product| sum + product)
}

/// The sum as one would write it: `(- b a)` rather than `(+ (* 1 b) (* (- 1) a))`.
pub(crate) fn sum(terms: &mut Terms, coefficients: &[IBig], features: &[TermId]) -> TermId {
    let (mut plus, mut minus) = (Vec::new(), Vec::new());
    for (coefficient, &feature) in coefficients[1..].iter().zip(features) {
        if *coefficient == IBig::ZERO {
            continue;
        }
        let (negative, size) = (*coefficient < IBig::ZERO, magnitude(coefficient));
        let summand = if size == IBig::ONE {
            feature
        } else {
            let size = terms.int(size);
            apply(terms, Op::Mul, &[size, feature])
        };
        if negative { minus.push(summand) } else { plus.push(summand) }
    }
    let constant = &coefficients[0];
    if *constant > IBig::ZERO || plus.is_empty() {
        plus.push(terms.int(constant.clone()));
    } else if *constant < IBig::ZERO {
        minus.push(terms.int(magnitude(constant)));
    }
    let zero = terms.int(0);
    let positive = add(terms, plus, zero);
    if minus.is_empty() {
        return positive;
    }
    let mut args = vec![positive];
    args.extend(minus);
    apply(terms, Op::Sub, &args)
}

fn magnitude(number: &IBig) -> IBig {
    if *number < IBig::ZERO { -number.clone() } else { number.clone() }
}
