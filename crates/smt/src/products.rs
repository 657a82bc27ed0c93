//! Products and quotients of words as values of which little is known.
//!
//! That two multipliers with the same operands have the same result is a question about thousands of gates, and what a proof needs
//! is mostly no more than that. So each product becomes a constant, and what is known of it are facts that all products satisfy:
//! equal operands have equal results, and zero and one are what they are. What holds then holds of the products.

use crate::op::Op;
use crate::subst::{postorder_of, replace};
use crate::term::{FunId, TermId, Terms};
use rustc_hash::FxHashMap;

/// More products than this are left as they are: facts are about pairs of them.
const MANY: usize = 40;
/// Products of fewer bits are small circuits.
const SMALL: u32 = 6;

/// Formulas without products.
#[derive(Clone, Debug, Default)]
pub struct Products {
    /// The formulas, in their order.
    pub formulas: Vec<TermId>,
    /// What is known of the constants in the place of products.
    pub facts: Vec<TermId>,
    /// These constants.
    pub values: Vec<FunId>,
}

/// Puts constants in the place of products; none where there are no products, very many, or some in the scope of a quantifier.
#[must_use]
pub fn products(terms: &mut Terms, formulas: &[TermId]) -> Option<Products> {
    let order = postorder_of(terms, formulas.iter().copied());
    let found: Vec<TermId> = order.iter().copied().filter(|&term| is_product(terms, term)).collect();
    if found.is_empty() || found.len() > MANY || order.iter().any(|&term| terms.op(term).is_binder()) {
        return None;
    }
    let (mut made, mut map) = (Products::default(), FxHashMap::default());
    let mut known: Vec<Product> = Vec::with_capacity(found.len());
    for term in found {
        // In an operand, products have been replaced before.
        let args: Vec<TermId> = terms.args(term).to_vec();
        let args = args.into_iter().map(|arg| replace(terms, arg, &map)).collect();
        let fun = terms.fresh("product", terms.sort(term));
        let product = Product { op: terms.op(term), args, value: terms.constant_term(fun) };
        product.alone(terms, &mut made.facts);
        known.iter().for_each(|other| product.beside(terms, other, &mut made.facts));
        map.insert(term, product.value);
        made.values.push(fun);
        known.push(product);
    }
    made.formulas = formulas.iter().map(|&formula| replace(terms, formula, &map)).collect();
    Some(made)
}

/// True for a product of two words that are no literals.
fn is_product(terms: &Terms, term: TermId) -> bool {
    let ops = [Op::BvMul, Op::BvUdiv, Op::BvUrem, Op::BvSdiv, Op::BvSrem, Op::BvSmod];
    let open = terms.args(term).iter().filter(|&&arg| terms.literal(arg).is_none());
    ops.contains(&terms.op(term))
        && open.count() > 1
        && terms.sorts.width(terms.sort(term)).is_some_and(|width| width >= SMALL)
}

struct Product {
    op: Op,
    args: Vec<TermId>,
    value: TermId,
}

impl Product {
    /// What is known without another one: zero and one.
    fn alone(&self, terms: &mut Terms, facts: &mut Vec<TermId>) {
        let Some(width) = terms.sorts.width(terms.sort(self.value)).filter(|_| self.op == Op::BvMul) else {
            return;
        };
        let (zero, one) = (terms.bits(width, 0u8.into()), terms.bits(width, 1u8.into()));
        for &arg in &self.args {
            facts.extend(implication(terms, &[(arg, zero)], (self.value, zero)));
        }
        if let [left, right] = self.args[..] {
            facts.extend(implication(terms, &[(left, one)], (self.value, right)));
            facts.extend(implication(terms, &[(right, one)], (self.value, left)));
        }
    }

    /// Equal operands have equal results, in whichever order they are multiplied.
    fn beside(&self, terms: &mut Terms, other: &Product, facts: &mut Vec<TermId>) {
        let is_alike = self.op == other.op && self.args.len() == other.args.len();
        if !is_alike || terms.sort(self.value) != terms.sort(other.value) {
            return;
        }
        let same: Vec<(TermId, TermId)> = self.args.iter().copied().zip(other.args.iter().copied()).collect();
        facts.extend(implication(terms, &same, (self.value, other.value)));
        if let ([left, right], [first, second], Op::BvMul) = (&self.args[..], &other.args[..], self.op) {
            facts.extend(implication(
                terms,
                &[(*left, *second), (*right, *first)],
                (self.value, other.value),
            ));
        }
    }
}

/// That a pair is equal if all of some pairs are.
fn implication(terms: &mut Terms, if_: &[(TermId, TermId)], then: (TermId, TermId)) -> Option<TermId> {
    let mut equal = |(left, right): (TermId, TermId)| terms.app(Op::Eq, &[left, right]).ok();
    let equations: Vec<TermId> = if_.iter().map(|&pair| equal(pair)).collect::<Option<_>>()?;
    let then = equal(then)?;
    let both = terms.and(&equations);
    terms.app(Op::Implies, &[both, then]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Assignment, Evaluator};
    use crate::term::{Fun, Role};
    use crate::value::Value;

    /// With the products themselves as values, the facts hold and the formulas are what they were.
    #[test]
    fn facts_are_true_of_products() {
        let mut terms = Terms::new();
        let sort = terms.sorts.bit_vec(8);
        let [x, y, z] = ["x", "y", "z"].map(|name| {
            let name = terms.names.intern(name);
            terms.declare(Fun { name, params: Box::new([]), result: sort, role: Role::Free })
        });
        let [a, b, c] = [x, y, z].map(|fun| terms.constant_term(fun));
        let mut app = |op, args: &[TermId]| terms.app(op, args).expect("words");
        let (square, inner) = (app(Op::BvMul, &[a, b]), app(Op::BvMul, &[b, a]));
        let outer = app(Op::BvMul, &[inner, c]);
        let quotient = app(Op::BvUdiv, &[outer, c]);
        let rest = app(Op::BvUrem, &[square, c]);
        let triple = app(Op::BvMul, &[a, b, c]);
        let formulas = [app(Op::BvUlt, &[quotient, rest]), app(Op::Eq, &[outer, triple])];
        let made = products(&mut terms, &formulas).expect("products");
        assert_eq!(made.values.len(), 6);
        let order = postorder_of(&terms, formulas);
        let originals: Vec<TermId> = order.into_iter().filter(|&term| is_product(&terms, term)).collect();
        let mut evaluator = Evaluator::new(&terms);
        for case in 0..4096_u32 {
            let word =
                |shift: u32| Value::bits(8, [0_u32, 1, 2, 3, 7, 16, 127, 255][(case >> shift) as usize % 8]);
            let mut env = Assignment::new();
            [x, y, z].into_iter().zip([0, 3, 6]).for_each(|(fun, shift)| drop(env.set(fun, word(shift))));
            for (&fun, &original) in made.values.iter().zip(&originals) {
                let value = evaluator.eval(original, &mut env).expect("a value");
                env.set(fun, value);
            }
            for &fact in &made.facts {
                assert_eq!(evaluator.holds(fact, &mut env), Ok(true), "case {case}");
            }
            for (&formula, &other) in formulas.iter().zip(&made.formulas) {
                assert_eq!(evaluator.holds(formula, &mut env), evaluator.holds(other, &mut env));
            }
        }
        assert!(products(&mut terms, &[made.formulas[0]]).is_none());
    }
}
