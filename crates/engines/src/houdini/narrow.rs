//! An oracle for samples: integers from a narrow range, and often one that was drawn before. Programs begin with
//! assumptions such as `k = n and i = 0`, which values from everywhere hardly ever satisfy.

use smt::sort::SortId;
use smt::term::FunId;
use smt::value::Value;
use svlib::interp::{Context, Model, Oracle, Random, Refusal, Values};
use svlib::syntax::ProcId;

/// Draws from a seed. Some executions draw like [`Random`].
pub(crate) struct Narrow {
    random: Random,
    state: u64,
    /// The range of integers; none to leave everything as it is.
    range: Option<(i64, i64)>,
    drawn: Vec<Value>,
    /// Numbers that mean something.
    numbers: Vec<i64>,
}

/// The ranges, one after the other.
const RANGES: [Option<(i64, i64)>; 8] =
    [None, Some((0, 4)), Some((-5, 6)), Some((-2, 9)), None, Some((0, 30)), Some((-1, 2)), Some((1, 12))];

/// Numbers below this are reached by counting.
const COUNTABLE: i64 = 400;

impl Narrow {
    /// The oracle of a seed, for execution number `run`.
    pub(crate) fn new(seed: u64, run: u64) -> Narrow {
        let range = RANGES[(run % RANGES.len() as u64) as usize];
        let (random, state) = (Random::new(seed), seed ^ 0x5851_f42d_4c95_7f2d);
        Narrow { random, state, range, drawn: Vec::new(), numbers: Vec::new() }
    }

    /// Draws some of these numbers too, or what is next to them, as far as loops can count to them.
    pub(crate) fn with(mut self, numbers: &[i64]) -> Narrow {
        self.numbers = numbers.iter().copied().filter(|number| number.abs() < COUNTABLE).collect();
        self
    }

    fn below(&mut self, bound: u64) -> u64 {
        // The generator of Knuth's MMIX; its upper bits are good enough for samples.
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % bound
    }

    /// Replaces integers by ones of the range.
    fn narrowed(&mut self, ctx: Context<'_>, variables: &[FunId], mut values: Values) -> Values {
        let Some((low, high)) = self.range else { return values };
        for (&variable, value) in variables.iter().zip(&mut values) {
            if ctx.sort(variable) != SortId::INT {
                continue;
            }
            let kind = self.below(8);
            let new = if kind < 2 && !self.drawn.is_empty() {
                let which = self.below(self.drawn.len() as u64) as usize;
                self.drawn[which].clone()
            } else if kind == 2 && !self.numbers.is_empty() {
                let which = self.below(self.numbers.len() as u64) as usize;
                let number = self.numbers[which] + self.below(3) as i64 - 1;
                // Loops that count up to a number plus what is drawn are not run at all if that is low enough.
                Value::int(if self.below(3) == 0 { -number } else { number })
            } else {
                Value::int(low + self.below((high - low + 1) as u64) as i64)
            };
            self.drawn.push(new.clone());
            *value = Some(new);
        }
        values
    }
}

impl Oracle for Narrow {
    fn model(&mut self, ctx: Context<'_>) -> Result<Model, Refusal> {
        self.random.model(ctx)
    }

    fn repair(&mut self, ctx: Context<'_>, model: &mut Model, symbols: &[FunId]) -> bool {
        self.random.repair(ctx, model, symbols)
    }

    fn application(&mut self, ctx: Context<'_>, fun: FunId) -> Option<Value> {
        self.random.application(ctx, fun)
    }

    fn globals(&mut self, ctx: Context<'_>, variables: &[FunId]) -> Result<Values, Refusal> {
        let values = self.random.globals(ctx, variables)?;
        Ok(self.narrowed(ctx, variables, values))
    }

    fn call(&mut self, ctx: Context<'_>, proc: ProcId, variables: &[FunId]) -> Result<Values, Refusal> {
        let values = self.random.call(ctx, proc, variables)?;
        Ok(self.narrowed(ctx, variables, values))
    }

    fn havoc(&mut self, ctx: Context<'_>, variables: &[FunId]) -> Result<Values, Refusal> {
        let values = self.random.havoc(ctx, variables)?;
        Ok(self.narrowed(ctx, variables, values))
    }

    fn looks_ahead(&self) -> bool {
        true
    }

    fn choice(&mut self, ctx: Context<'_>, alternatives: usize) -> Result<usize, Refusal> {
        self.random.choice(ctx, alternatives)
    }
}
