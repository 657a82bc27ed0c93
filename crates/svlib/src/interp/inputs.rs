//! An oracle that reads from a list.

use super::oracle::{Context, Model, Oracle, Refusal, Values};
use super::replay::fit;
use crate::syntax::ProcId;
use smt::eval::Interpretation;
use smt::sort::{Sort, SortId};
use smt::term::{FunId, Terms};
use smt::value::Value;

/// Takes values from a list in the order in which an execution asks for them: declared constants, global variables,
/// then variables of `havoc` and numbers of alternatives as they come. Outputs and locals are left arbitrary: a
/// program that reads them before it assigns them is mostly wrong, and a list should not have to speak of them.
#[derive(Clone, Debug)]
pub struct Inputs {
    values: Vec<Value>,
    next: usize,
}

impl Inputs {
    /// An oracle with these values.
    #[must_use]
    pub fn new(values: Vec<Value>) -> Inputs {
        Inputs { values, next: 0 }
    }

    fn take(&mut self, terms: &Terms, sort: SortId) -> Result<Value, Refusal> {
        let refusal = Refusal::Input(self.next, sort);
        let value = self
            .values
            .get(self.next)
            .and_then(|value| read_as(terms, value.clone(), sort))
            .ok_or(refusal)?;
        self.next += 1;
        Ok(value)
    }

    fn take_all(&mut self, ctx: Context<'_>, variables: &[FunId]) -> Result<Values, Refusal> {
        variables.iter().map(|&variable| self.take(ctx.terms, ctx.sort(variable)).map(Some)).collect()
    }
}

/// The value with that sort. A number may be given for a real number or, if it fits, for a bit-vector.
fn read_as(terms: &Terms, value: Value, sort: SortId) -> Option<Value> {
    match (&value, terms.sorts.get(sort)) {
        (Value::Int(number), Sort::BitVec(width)) => {
            let value = Value::BitVec { width: *width, value: number.clone().try_into().ok()? };
            let Value::BitVec { value: bits, .. } = &value else { return None };
            (Value::bits(*width, bits.clone()) == value).then_some(value)
        }
        _ => fit(terms, value, sort),
    }
}

impl Oracle for Inputs {
    fn watches(&self) -> bool {
        false
    }

    fn model(&mut self, ctx: Context<'_>) -> Result<Model, Refusal> {
        let constants = ctx.task.symbols.iter().filter(|&&symbol| ctx.terms.fun(symbol).params.is_empty());
        constants
            .map(|&symbol| Ok((symbol, Interpretation::Value(self.take(ctx.terms, ctx.sort(symbol))?))))
            .collect()
    }

    fn globals(&mut self, ctx: Context<'_>, variables: &[FunId]) -> Result<Values, Refusal> {
        self.take_all(ctx, variables)
    }

    fn call(&mut self, _: Context<'_>, _: ProcId, variables: &[FunId]) -> Result<Values, Refusal> {
        Ok(vec![None; variables.len()])
    }

    fn havoc(&mut self, ctx: Context<'_>, variables: &[FunId]) -> Result<Values, Refusal> {
        self.take_all(ctx, variables)
    }

    fn choice(&mut self, ctx: Context<'_>, alternatives: usize) -> Result<usize, Refusal> {
        let index = self.next;
        let value = self.take(ctx.terms, SortId::INT)?;
        let number = value.as_int().and_then(|number| usize::try_from(number.clone()).ok());
        number.filter(|&number| number < alternatives).ok_or(Refusal::Input(index, SortId::INT))
    }
}
