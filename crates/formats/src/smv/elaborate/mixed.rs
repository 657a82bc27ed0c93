//! Numbers among symbolic constants: in the language of such an enumeration they are symbolic constants, too.

use super::super::ast::Kind;
use super::super::ops;
use super::super::types::{Ty, Val};
use super::Elaborator;
use smt::eval::Evaluator;
use smt::term::TermId;
use smt::value::Value;

impl Elaborator<'_> {
    /// Makes numbers symbolic constants where they are compared, chosen or united with such.
    pub(super) fn mix(&mut self, kind: Kind, args: &mut [Val]) {
        if self.world.numerals.is_empty() {
            return;
        }
        // Every other part of a case is a condition, and so is the first part of a choice.
        let (first, step) = match kind {
            Kind::Infix("=" | "!=" | "in" | "union") | Kind::Set => (0, 1),
            Kind::Choice => (1, 1),
            Kind::Case => (1, 2),
            _ => return,
        };
        if args.iter().skip(first).step_by(step).any(is_symbolic) {
            for arg in args.iter_mut().skip(first).step_by(step) {
                *arg = self.symbolic(arg);
            }
        }
    }

    /// Two values, of which one is assigned to the other.
    pub(in crate::smv) fn mixed(&mut self, mut args: [Val; 2]) -> [Val; 2] {
        self.mix(Kind::Infix("in"), &mut args);
        args
    }

    fn symbolic(&mut self, value: &Val) -> Val {
        match value {
            Val::Term(term, Ty::Int) => {
                let (numerals, bits) = (&self.world.numerals, self.bits);
                let made = ops::choices(self.terms, *term, |terms, leaf| {
                    let Ok(Value::Int(number)) = Evaluator::new(terms).eval(leaf, &mut ()) else {
                        return None;
                    };
                    numerals.get(&number).map(|&index| terms.bits(bits, (index as u64).into()))
                });
                made.map_or_else(|| value.clone(), |term| Val::Term(term, Ty::Symbol))
            }
            Val::Range(low, high) => {
                let inside =
                    self.world.numerals.iter().filter(|(number, _)| *number >= low && *number <= high);
                let mut indices: Vec<usize> = inside.map(|(_, &index)| index).collect();
                indices.sort_unstable();
                let found = indices
                    .into_iter()
                    .map(|index| (TermId::TRUE, Val::Term(self.symbol(index), Ty::Symbol)));
                Val::Any(found.collect())
            }
            // A union has no union in it.
            Val::Any(items) => {
                let items = items.iter().map(|(guard, item)| match item {
                    Val::Any(_) => (*guard, item.clone()),
                    item => (*guard, self.symbolic(item)),
                });
                Val::Any(items.collect())
            }
            other => other.clone(),
        }
    }
}

fn is_symbolic(value: &Val) -> bool {
    let is_one = |value: &Val| matches!(value, Val::Term(_, Ty::Symbol));
    match value {
        Val::Any(items) => items.iter().any(|(_, item)| is_one(item)),
        value => is_one(value),
    }
}
