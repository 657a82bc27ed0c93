//! Formulas that solvers made, in a form that people read: `(not (>= (+ x (* (- 1) y)) 1))` is `(<= x y)`, and two
//! inequalities that meet are an equality. Only integer inequalities are rewritten, and only into equivalent ones.

use rustc_hash::FxHashMap;
use smt::op::Op;
use smt::sort::SortId;
use smt::subst::{postorder, replace};
use smt::term::{Const, TermId, Terms};

/// A sum of integer terms with factors; those with factor zero are left out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Sum {
    parts: Vec<(TermId, i128)>,
    constant: i128,
}

impl Sum {
    /// Adds a term with a factor; none when numbers become too large.
    fn add(&mut self, term: TermId, factor: i128) -> Option<()> {
        match self.parts.iter().position(|part| part.0 == term) {
            Some(i) => {
                self.parts[i].1 = self.parts[i].1.checked_add(factor)?;
                if self.parts[i].1 == 0 {
                    self.parts.remove(i);
                }
            }
            None => self.parts.push((term, factor)),
        }
        Some(())
    }

    /// The sum that a term means, with a factor.
    fn take(&mut self, terms: &Terms, term: TermId, factor: i128) -> Option<()> {
        let mut todo = vec![(term, factor)];
        while let Some((term, factor)) = todo.pop() {
            let args = terms.args(term);
            match terms.op(term) {
                Op::Add => todo.extend(args.iter().rev().map(|&arg| (arg, factor))),
                Op::Sub => {
                    todo.extend(args[1..].iter().rev().map(|&arg| (arg, -factor)));
                    todo.push((args[0], factor));
                }
                Op::Neg => todo.push((args[0], -factor)),
                Op::Mul if args.len() == 2 && number(terms, args[0]).is_some() => {
                    todo.push((args[1], factor.checked_mul(number(terms, args[0])?)?));
                }
                _ => match number(terms, term) {
                    Some(value) => self.constant = self.constant.checked_add(factor.checked_mul(value)?)?,
                    None => self.add(term, factor)?,
                },
            }
        }
        Some(())
    }

    /// Largest numbers that are rewritten, so that no sum of a few of them overflows.
    fn is_small(&self) -> bool {
        let small = |number: i128| number.unsigned_abs() < 1 << 100;
        small(self.constant) && self.parts.iter().all(|part| small(part.1))
    }

    fn negated(&self) -> Sum {
        let parts = self.parts.iter().map(|part| (part.0, -part.1)).collect();
        Sum { parts, constant: -self.constant }
    }

    fn same(&self, other: &Sum) -> bool {
        self.constant == other.constant
            && self.parts.len() == other.parts.len()
            && self.parts.iter().all(|part| other.parts.contains(part))
    }

    /// `left op right` for this sum compared with 0: no negative factors, and the number on the side where it is
    /// positive.
    fn compare(&self, terms: &mut Terms, op: Op) -> Option<TermId> {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for &(term, factor) in &self.parts {
            let side = if factor < 0 { &mut right } else { &mut left };
            side.push(match factor.abs() {
                1 => term,
                factor => {
                    let factor = terms.int(factor);
                    terms.app(Op::Mul, &[factor, term]).ok()?
                }
            });
        }
        // `x - y + 1 <= 0` is `x < y`.
        let strict = op == Op::Le && self.constant == 1 && !left.is_empty() && !right.is_empty();
        let op = if strict { Op::Lt } else { op };
        if !strict && self.constant != 0 {
            let number = terms.int(self.constant.abs());
            match self.constant > 0 {
                true if right.is_empty() => right.push(terms.int(-self.constant)),
                true => left.push(number),
                false if left.is_empty() => left.push(terms.int(self.constant)),
                false => right.push(number),
            }
        }
        let (left, right) = (sum(terms, &left)?, sum(terms, &right)?);
        terms.app(op, &[left, right]).ok()
    }
}

fn sum(terms: &mut Terms, parts: &[TermId]) -> Option<TermId> {
    match parts {
        [] => Some(terms.int(0)),
        [one] => Some(*one),
        _ => terms.app(Op::Add, parts).ok(),
    }
}

/// A literal, perhaps negated.
fn number(terms: &Terms, term: TermId) -> Option<i128> {
    match terms.op(term) {
        Op::Neg => number_literal(terms, terms.args(term)[0]).map(|value| -value),
        _ => number_literal(terms, term),
    }
}

fn number_literal(terms: &Terms, term: TermId) -> Option<i128> {
    match terms.literal(term)? {
        Const::Nat(value) => i128::try_from(value).ok(),
        _ => None,
    }
}

/// The sum that is at most 0 exactly if the formula, an inequality of two integers or the negation of one, holds. None
/// when no variable is in it.
fn at_most_zero(terms: &Terms, formula: TermId) -> Option<Sum> {
    let (atom, holds) = match terms.op(formula) {
        Op::Not => (terms.args(formula)[0], false),
        _ => (formula, true),
    };
    let [left, right] = *terms.args(atom) else { return None };
    if terms.sort(left) != SortId::INT || terms.sort(right) != SortId::INT {
        return None;
    }
    let (left, right, strict) = match (terms.op(atom), holds) {
        (Op::Le, true) | (Op::Gt, false) => (left, right, false),
        (Op::Lt, true) | (Op::Ge, false) => (left, right, true),
        (Op::Ge, true) | (Op::Lt, false) => (right, left, false),
        (Op::Gt, true) | (Op::Le, false) => (right, left, true),
        _ => return None,
    };
    let mut sum = Sum { parts: Vec::new(), constant: i128::from(strict) };
    sum.take(terms, left, 1)?;
    sum.take(terms, right, -1)?;
    (sum.is_small() && !sum.parts.is_empty()).then_some(sum)
}

/// The conjuncts of a formula, each more readable, equal ones once.
pub(crate) fn readable(terms: &mut Terms, formulas: &[TermId]) -> Vec<TermId> {
    let mut found: Vec<TermId> = Vec::new();
    let sums: Vec<Option<Sum>> = formulas.iter().map(|&formula| at_most_zero(terms, formula)).collect();
    for (i, &formula) in formulas.iter().enumerate() {
        let meets = |other: &Option<Sum>| match (&sums[i], other) {
            (Some(sum), Some(other)) => sum.same(&other.negated()),
            _ => false,
        };
        let new = match (&sums[i], sums.iter().position(meets)) {
            (Some(_), Some(earlier)) if earlier < i => continue,
            (Some(sum), Some(_)) => sum.compare(terms, Op::Eq),
            _ => None,
        };
        let new = new.unwrap_or_else(|| inside(terms, formula));
        if new != TermId::TRUE && !found.contains(&new) {
            found.push(new);
        }
    }
    found
}

/// A formula with the inequalities inside it rewritten.
fn inside(terms: &mut Terms, formula: TermId) -> TermId {
    let mut map = FxHashMap::default();
    for term in postorder(terms, formula) {
        if let Some(sum) = at_most_zero(terms, term)
            && let Some(new) = sum.compare(terms, Op::Le)
        {
            map.insert(term, new);
        }
    }
    replace(terms, formula, &map)
}

#[cfg(test)]
mod tests {
    use super::*;
    use smt::parse::Command;
    use smt::print::term_text;
    use smt::scope::Scope;
    use smt::sexpr::Text;

    fn rewritten(formulas: &[&str]) -> Vec<String> {
        let mut terms = Terms::new();
        let (mut scope, mut errors, mut found) = (Scope::new(&mut terms), Vec::new(), Vec::new());
        let asserts: String = formulas.iter().map(|formula| format!("(assert {formula})")).collect();
        let text = format!(
            "(declare-const x Int)(declare-const y Int)(declare-const r Real)(declare-const b Bool){asserts}"
        );
        let text = Text::new(&text, 0);
        smt::script::read(&mut terms, &mut scope, text, &mut errors, |_, command, _, _| {
            if let Command::Assert(term) = command {
                found.push(term);
            }
        });
        assert!(errors.is_empty(), "{errors:?}");
        let found = readable(&mut terms, &found);
        found.into_iter().map(|formula| term_text(&terms, formula)).collect()
    }

    #[test]
    fn inequalities_are_turned() {
        for (from, to) in [
            ("(not (>= (+ x (* (- 1) y)) 1))", "(<= x y)"),
            ("(not (<= (+ x (* (- 1) y)) (- 1)))", "(<= y x)"),
            ("(not (>= x 7))", "(<= x 6)"),
            ("(>= x 7)", "(<= 7 x)"),
            ("(< x y)", "(< x y)"),
            ("(<= (+ x (* (- 2) y)) (- 4))", "(<= (+ x 4) (* 2 y))"),
            ("(<= (- x y) 4)", "(<= x (+ y 4))"),
            ("(<= (+ x 3) (+ 1 x x))", "(<= 2 x)"),
            ("(<= x (- 3))", "(<= x (- 3))"),
            ("(<= (- 3) x)", "(<= (- 3) x)"),
            ("(or b (not (>= x 1)))", "(or b (<= x 0))"),
            ("(not (>= (* x y) 1))", "(<= (* x y) 0)"),
            ("(not (>= (mod x 2) 1))", "(<= (mod x 2) 0)"),
        ] {
            assert_eq!(rewritten(&[from]), [to]);
        }
    }

    #[test]
    fn what_meets_is_equal() {
        assert_eq!(rewritten(&["(<= x y)", "b", "(not (>= (+ y (* (- 1) x)) 1))"]), ["(= x y)", "b"]);
        assert_eq!(rewritten(&["(<= x 3)", "(>= x 3)"]), ["(= x 3)"]);
        assert_eq!(rewritten(&["(<= x 3)", "(>= x 2)"]), ["(<= x 3)", "(<= 2 x)"]);
    }

    #[test]
    fn others_stay() {
        let large = "(<= x 99999999999999999999999999999999999999999999)";
        for formula in ["(<= r 1.0)", "(not (<= r 1.0))", "(< 0 x 5)", "b", large, "(= x y)", "(<= 1 2)"] {
            assert_eq!(rewritten(&[formula]), [formula]);
        }
    }
}
