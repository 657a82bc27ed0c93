//! What sanitizers say about a program of the corpus, asked once per program: several properties look at the same runs.

use std::collections::BTreeMap;

use cfront::DataModel;

use super::program::Source;
use super::runs::{Bench, Compiler, Limits, MEMORY, Run};

/// Sanitizers that are compiled together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Sanitizers {
    /// Overflows, divisions, shifts, indices.
    Undefined,
    /// Memory that is freed wrongly or never; what pointers still lead to counts.
    Address,
}

impl Sanitizers {
    fn option(self) -> &'static str {
        match self {
            Sanitizers::Undefined => "-fsanitize=signed-integer-overflow,integer-divide-by-zero,shift,bounds",
            Sanitizers::Address => "-fsanitize=address",
        }
    }

    /// Looking for leaks takes longer than most programs.
    fn milliseconds(self) -> u64 {
        if self == Sanitizers::Address { 500 } else { 200 }
    }
}

/// One program, and what was said about it so far.
pub(crate) struct Judge<'a> {
    bench: &'a Bench,
    source: &'a Source,
    seeds: u64,
    /// Its runs by seed, unless the compiler refuses it.
    first: BTreeMap<Sanitizers, Option<BTreeMap<u64, Run>>>,
    /// Whether the second compiler accepts it.
    second: BTreeMap<Sanitizers, bool>,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(bench: &'a Bench, source: &'a Source, seeds: u64) -> Judge<'a> {
        Judge { bench, source, seeds, first: BTreeMap::new(), second: BTreeMap::new() }
    }

    /// The runs of the program as it is, with sanitizers of gcc. None if it cannot be compiled.
    pub(crate) fn runs(&mut self, sanitizers: Sanitizers) -> Option<&BTreeMap<u64, Run>> {
        let Judge { bench, source, seeds, first, .. } = self;
        let ask = || {
            let (text, model) = (&source.text, source.model);
            let is_compiled =
                bench.compile_with(Compiler::Gcc, &[sanitizers.option()], "judged", text, model);
            let limits = Limits { slow: 8, ..Limits::of(*seeds, sanitizers.milliseconds()) };
            let runs = is_compiled.then(|| bench.run("judged", limits))?;
            Some(runs.into_iter().map(|run| (run.seed, run)).collect())
        };
        first.entry(sanitizers).or_insert_with(ask).as_ref()
    }

    /// One run with sanitizers of clang, which takes its time. Memory is given out again at once: what a program does may
    /// depend on that.
    pub(crate) fn second(&mut self, sanitizers: Sanitizers, seed: u64) -> Option<Run> {
        let Judge { bench, source, second, .. } = self;
        let name = format!("second-{sanitizers:?}");
        let compile = || {
            let (text, model) = (&source.text, source.model);
            bench.compile_with(Compiler::Clang, &[sanitizers.option()], &name, text, model)
        };
        let limits = Limits { seed, reuses: true, ..Limits::of(1, 5000) };
        second.entry(sanitizers).or_insert_with(compile).then(|| bench.run(&name, limits).pop())?
    }

    /// True when a sanitizer finds that a run has no meaning: something undefined happens in it, of whatever kind.
    pub(crate) fn is_undefined(&self, seed: u64) -> bool {
        let model = self.source.model;
        // The sanitizer that knows what was written is there for 64 bits only.
        let judges = [
            (Compiler::Gcc, "-fsanitize=undefined,address", model),
            (Compiler::Clang, "-fsanitize=undefined,address", model),
            (Compiler::Clang, MEMORY, DataModel::Lp64),
        ];
        let limits = Limits { seed, ..Limits::of(1, 2000) };
        self.bench.lacks_values(&self.source.text)
            || judges.into_iter().any(|(compiler, option, model)| {
                self.bench.compile_with(compiler, &[option], "judged", &self.source.text, model)
                    && self.bench.run("judged", limits).iter().any(|run| run.has("omszbfanu"))
            })
    }
}
