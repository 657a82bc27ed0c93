//! Disjunctions for all values of constants, without a quantifier where an equation says which value matters.

use rustc_hash::{FxHashMap, FxHashSet};
use smt::linear::solutions;
use smt::op::Op;
use smt::simplify::{Simplifier, simplify};
use smt::sort::SortId;
use smt::subst::{constants, replace};
use smt::term::{TermId, Terms};

/// That one of the parts holds, whatever the values of the chosen constants.
pub(super) fn for_all(terms: &mut Terms, chosen: &FxHashSet<TermId>, parts: &[TermId]) -> TermId {
    let mut formula = terms.or(parts);
    formula = simplify(terms, formula);
    // Only where the constant has the one value of an equation is anything demanded.
    while let Some((constant, value)) = fixed(terms, chosen, formula) {
        let map = [(constant, value)].into_iter().collect();
        formula = Simplifier::with(map).apply(terms, formula);
    }
    formula = escaped(terms, chosen, formula);
    quantified(terms, chosen, formula)
}

/// The formula without disjuncts that some value of a chosen constant makes false, whatever the others are: a test of what
/// comes from outside is like a choice.
fn escaped(terms: &mut Terms, chosen: &FxHashSet<TermId>, formula: TermId) -> TermId {
    let mut parts = match terms.op(formula) {
        Op::Or => terms.args(formula).to_vec(),
        _ => vec![formula],
    };
    let mut used: Vec<Vec<TermId>> = parts.iter().map(|&part| constants(terms, part)).collect();
    loop {
        let candidates = used.iter().flatten().filter(|constant| chosen.contains(constant));
        let Some(constant) = candidates.copied().find(|&constant| {
            let about = (0..parts.len()).filter(|&at| used[at].contains(&constant));
            let tests: Option<Vec<Test>> = about.map(|at| test(terms, constant, parts[at])).collect();
            tests.is_some_and(|tests| some_value_fails(terms, constant, &tests))
        }) else {
            break;
        };
        let keep: Vec<bool> = used.iter().map(|used| !used.contains(&constant)).collect();
        let mut kept = keep.iter();
        parts.retain(|_| *kept.next().unwrap_or(&true));
        let mut kept = keep.iter();
        used.retain(|_| *kept.next().unwrap_or(&true));
    }
    terms.or(&parts)
}

/// What a formula says about a constant, compared with something else.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Test {
    Equal,
    AtMost,
    AtLeast,
}

/// A formula as a comparison of a constant with something that it has no part in.
fn test(terms: &Terms, constant: TermId, formula: TermId) -> Option<Test> {
    let (atom, holds) = match terms.op(formula) {
        Op::Not => (terms.args(formula)[0], false),
        _ => (formula, true),
    };
    let &[left, right] = terms.args(atom) else { return None };
    let other = if left == constant { right } else { left };
    if (left != constant && right != constant) || constants(terms, other).contains(&constant) {
        return None;
    }
    match terms.op(atom) {
        Op::Eq => holds.then_some(Test::Equal),
        Op::Le | Op::Lt => Some(if (left == constant) == holds { Test::AtMost } else { Test::AtLeast }),
        Op::Ge | Op::Gt => Some(if (left == constant) == holds { Test::AtLeast } else { Test::AtMost }),
        _ => None,
    }
}

/// True when a constant has a value with which none of the tests holds.
fn some_value_fails(terms: &Terms, constant: TermId, tests: &[Test]) -> bool {
    let sort = terms.sort(constant);
    if sort == SortId::INT || sort == SortId::REAL {
        return !(tests.contains(&Test::AtMost) && tests.contains(&Test::AtLeast));
    }
    let width = terms.sorts.width(sort);
    let values = width.map_or(0, |width| 1usize.checked_shl(width).unwrap_or(usize::MAX));
    tests.iter().all(|&test| test == Test::Equal) && tests.len() < values
}

/// A chosen constant that an equation fixes outside of which the formula is true, and its value.
fn fixed(terms: &mut Terms, chosen: &FxHashSet<TermId>, formula: TermId) -> Option<(TermId, TermId)> {
    let mut todo = vec![formula];
    while let Some(part) = todo.pop() {
        match (terms.op(part), terms.args(part)) {
            (Op::Or, args) => todo.extend(args),
            (Op::Not, &[negated]) => {
                if let Some(found) =
                    conjuncts(terms, negated).into_iter().find_map(|e| solved(terms, chosen, e))
                {
                    return Some(found);
                }
            }
            _ if chosen.contains(&part) => return Some((part, TermId::FALSE)),
            _ => {}
        }
    }
    None
}

/// The conjuncts of a formula.
fn conjuncts(terms: &Terms, formula: TermId) -> Vec<TermId> {
    let (mut found, mut todo) = (Vec::new(), vec![formula]);
    while let Some(part) = todo.pop() {
        match terms.op(part) {
            Op::And => todo.extend(terms.args(part)),
            _ => found.push(part),
        }
    }
    found
}

/// What a formula that holds says a chosen constant is.
fn solved(terms: &mut Terms, chosen: &FxHashSet<TermId>, formula: TermId) -> Option<(TermId, TermId)> {
    if chosen.contains(&formula) {
        return Some((formula, TermId::TRUE));
    }
    solutions(terms, formula, |constant| chosen.contains(constant)).into_iter().next()
}

fn quantified(terms: &mut Terms, chosen: &FxHashSet<TermId>, formula: TermId) -> TermId {
    let mut left = constants(terms, formula);
    left.retain(|constant| chosen.contains(constant));
    if left.is_empty() {
        return formula;
    }
    let (mut map, mut vars) = (FxHashMap::default(), Vec::new());
    for constant in left {
        let sort = terms.sort(constant);
        let name = terms.fresh("any", sort);
        let var = terms.var(terms.fun(name).name, sort);
        map.insert(constant, var);
        vars.push(var);
    }
    let body = replace(terms, formula, &map);
    // The body is a formula, and the names are new.
    terms.bind(Op::Forall, &vars, body).unwrap_or(TermId::TRUE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use smt::print::term_text;
    use smt::sexpr::Text;

    /// What is demanded where `i`, `j`, `r` and `b` may be anything.
    fn demanded(formula: &str) -> String {
        let declarations = "(declare-const x Int) (declare-const i Int) (declare-const j Int) (declare-const r Real) \
                            (declare-const b (_ BitVec 1)) (declare-const c (_ BitVec 1))";
        let (mut terms, mut errors, mut found) = (Terms::new(), Vec::new(), Vec::new());
        let mut scope = smt::scope::Scope::new(&mut terms);
        let text = format!("{declarations} (assert {formula})");
        let text = Text::new(&text, 0);
        smt::script::read(&mut terms, &mut scope, text, &mut errors, |_, command, _, _| {
            if let smt::parse::Command::Assert(term) = command {
                found.push(term);
            }
        });
        assert!(errors.is_empty(), "{errors:?}");
        let chosen = ["i", "j", "r", "b"].iter().map(|name| {
            let is_named =
                |term: &TermId| terms.applied(*term).is_some_and(|fun| terms.fun_name(fun) == *name);
            constants(&terms, found[0]).into_iter().find(is_named)
        });
        let chosen: FxHashSet<TermId> = chosen.flatten().collect();
        let made = for_all(&mut terms, &chosen, &[found[0]]);
        term_text(&terms, made).to_string()
    }

    #[test]
    fn what_some_value_fails_is_not_demanded() {
        assert_eq!(demanded("(or (= i 0) (<= x 3))"), "(<= x 3)");
        assert_eq!(demanded("(or (= i 0) (= i x) (not (<= 2 i)) (<= x 3))"), "(<= x 3)");
        assert_eq!(demanded("(or (< r 1.0) (>= x 3))"), "(>= x 3)");
        assert_eq!(demanded("(or (= i j) (>= x 3))"), "(>= x 3)");
        assert_eq!(demanded("(or (= b c) (>= x 3))"), "(>= x 3)");
        assert_eq!(demanded("(= i 0)"), "false");
    }

    #[test]
    fn what_every_value_may_satisfy_stays() {
        for formula in [
            "(or (<= i x) (<= 3 i))",
            "(or (= b #b0) (= b #b1) (<= x 3))",
            "(or (= i (+ i x)) (<= x 3))",
            "(or (and (= i 0) (<= x 2)) (and (<= 1 i) (<= x 3)))",
        ] {
            assert!(demanded(formula).starts_with("(forall"), "{formula}");
        }
    }
}
