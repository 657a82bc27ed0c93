//! An oracle that draws from a seed.

use super::machine::{Options, run};
use super::oracle::{Context, Model, Oracle, Refusal, Values};
use super::outcome::{End, Outcome};
use super::task::Task;
use super::values::Rng;
use crate::syntax::ProcId;
use smt::eval::Interpretation;
use smt::term::{FunId, Terms};
use smt::value::Value;

/// So many models are tried.
const MANY_MODELS: u32 = 2_000;

/// Draws everything at random: small values mostly, and values near the literals of the program.
#[derive(Clone, Debug)]
pub struct Random {
    rng: Rng,
    /// How many times a model may still be repaired.
    left: u32,
}

impl Random {
    /// The oracle of that seed; equal seeds give equal executions.
    #[must_use]
    pub fn new(seed: u64) -> Random {
        Random { rng: Rng::new(seed), left: MANY_MODELS }
    }

    fn draw(&mut self, ctx: Context<'_>, fun: FunId) -> Option<Value> {
        ctx.task.pool.draw(&mut self.rng, ctx.sort(fun))
    }

    fn draw_all(&mut self, ctx: Context<'_>, variables: &[FunId]) -> Values {
        variables.iter().map(|&variable| self.draw(ctx, variable)).collect()
    }

    /// A new interpretation of a symbol, sometimes that of another one: equality is often asked for.
    fn redraw(&mut self, ctx: Context<'_>, model: &mut Model, symbol: FunId) {
        if !ctx.terms.fun(symbol).params.is_empty() {
            // The table is filled again as it is read.
            model.remove(&symbol);
            return;
        }
        let mut value = self.draw(ctx, symbol);
        if self.rng.below(4) == 0
            && let Some(&other) = self.rng.pick(&ctx.task.symbols)
            && ctx.sort(other) == ctx.sort(symbol)
            && let Some(Interpretation::Value(same)) = model.get(&other)
        {
            value = Some(same.clone());
        }
        if let Some(value) = value {
            model.insert(symbol, Interpretation::Value(value));
        }
    }
}

impl Oracle for Random {
    fn watches(&self) -> bool {
        false
    }

    fn model(&mut self, ctx: Context<'_>) -> Result<Model, Refusal> {
        let mut model = Model::default();
        for &symbol in &ctx.task.symbols {
            self.redraw(ctx, &mut model, symbol);
        }
        Ok(model)
    }

    fn repair(&mut self, ctx: Context<'_>, model: &mut Model, symbols: &[FunId]) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        // Changing one symbol keeps what other assertions have got already; changing all leaves a dead end.
        if self.rng.below(8) == 0 {
            for &symbol in symbols {
                self.redraw(ctx, model, symbol);
            }
        } else if let Some(&symbol) = self.rng.pick(symbols) {
            self.redraw(ctx, model, symbol);
        }
        true
    }

    fn application(&mut self, ctx: Context<'_>, fun: FunId) -> Option<Value> {
        self.draw(ctx, fun)
    }

    fn globals(&mut self, ctx: Context<'_>, variables: &[FunId]) -> Result<Values, Refusal> {
        Ok(self.draw_all(ctx, variables))
    }

    fn call(&mut self, ctx: Context<'_>, _: ProcId, variables: &[FunId]) -> Result<Values, Refusal> {
        Ok(self.draw_all(ctx, variables))
    }

    fn havoc(&mut self, ctx: Context<'_>, variables: &[FunId]) -> Result<Values, Refusal> {
        Ok(self.draw_all(ctx, variables))
    }

    fn looks_ahead(&self) -> bool {
        true
    }

    fn choice(&mut self, _: Context<'_>, alternatives: usize) -> Result<usize, Refusal> {
        Ok(self.rng.below(alternatives))
    }
}

/// Executes a call with the seeds from `seed` on until an execution is not cut off by an assumption, `tries` times at
/// most. Returns the last outcome and its seed.
#[must_use]
pub fn run_random<'t>(
    task: &'t Task<'t>,
    terms: &'t Terms,
    seed: u64,
    tries: u32,
    options: &Options,
) -> (Outcome, u64) {
    let mut seed = seed;
    for _ in 1..tries {
        let outcome = run(task, terms, &mut Random::new(seed), options);
        if !matches!(outcome.end, End::Blocked(_) | End::NoModel(_)) {
            return (outcome, seed);
        }
        seed = seed.wrapping_add(1);
    }
    (run(task, terms, &mut Random::new(seed), options), seed)
}
