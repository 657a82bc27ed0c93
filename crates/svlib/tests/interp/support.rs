//! What the tests have in common: scripts from text, and ends as short texts.

use smt::print::{symbol_text, term_text};
use smt::sexpr::Text;
use smt::term::{FunId, Terms};
use smt::value::Value;
use svlib::interp::{End, Inputs, Options, Oracle, Outcome, Random, Replay, Task, run};
use svlib::parse::{Builder, read_file};
use svlib::syntax::{CommandKind, Script, Trace};

/// A script with its terms.
pub(crate) struct World {
    pub(crate) terms: Terms,
    pub(crate) script: Script,
}

/// Reads a script that has no error.
pub(crate) fn read(text: &str) -> World {
    let mut terms = Terms::new();
    let mut builder = Builder::new(&mut terms);
    let mut errors = Vec::new();
    read_file(&mut builder, &mut terms, Text::new(text, 0), &mut errors);
    errors.retain(|error| error.is_error());
    assert!(errors.is_empty(), "{errors:#?}\n{text}");
    World { terms, script: builder.state.script }
}

impl World {
    /// The numbers of the calls among the commands.
    pub(crate) fn calls(&self) -> Vec<usize> {
        let is_call = |i: &usize| matches!(self.script.commands[*i].kind, CommandKind::Call(..));
        (0..self.script.commands.len()).filter(is_call).collect()
    }

    /// Runs the last call.
    pub(crate) fn run(&mut self, oracle: &mut dyn Oracle, options: &Options) -> Outcome {
        let call = *self.calls().last().expect("a call");
        self.run_call(call, oracle, options)
    }

    pub(crate) fn run_call(&mut self, call: usize, oracle: &mut dyn Oracle, options: &Options) -> Outcome {
        let task = Task::new(&mut self.terms, &self.script, call).expect("a call");
        run(&task, &self.terms, oracle, options)
    }

    /// The last trace that is selected.
    pub(crate) fn trace(&self) -> Trace {
        let traces = self.script.commands.iter().rev().find_map(|c| match &c.kind {
            CommandKind::SelectTrace(trace) => Some((**trace).clone()),
            _ => None,
        });
        traces.expect("a trace")
    }

    pub(crate) fn value(&mut self, value: &Value) -> String {
        let term = value.to_term(&mut self.terms);
        term_text(&self.terms, term)
    }

    pub(crate) fn values(&mut self, values: &[(FunId, Value)]) -> String {
        let texts = values.iter().map(|(fun, value)| {
            let value = self.value(value);
            format!(" ({} {value})", symbol_text(self.terms.fun_name(*fun)))
        });
        texts.collect()
    }

    /// An end as a short text.
    pub(crate) fn end(&mut self, end: &End) -> String {
        match end {
            End::Finished(outputs) => format!("returned{}", self.values(outputs)),
            End::Violated(violation) => {
                let tag = self.script.stmts[violation.stmt].tags.first();
                let tag = tag.map_or("untagged", |(tag, _)| self.terms.names.text(*tag));
                let kinds: Vec<&str> =
                    violation.properties.iter().map(|v| v.property.kind.keyword()).collect();
                format!("violated {tag} {}", kinds.join(" "))
            }
            End::Blocked(_) => "blocked".into(),
            End::Abstracted(stmt) => {
                let tag = self.script.stmts[*stmt].tags.first();
                format!("abstracted {}", tag.map_or("untagged", |(tag, _)| self.terms.names.text(*tag)))
            }
            End::LassoStem(_, holds) => format!("stem {holds}"),
            End::NoModel(command) => format!("no model for {command}"),
            End::InvalidStep(step) => format!("invalid step {} {:?}", step.index, step.reason),
            other => format!("{other:?}"),
        }
    }
}

/// Runs the last call of a script with numbers as inputs.
pub(crate) fn with_inputs(text: &str, inputs: &[i64]) -> String {
    let mut world = read(text);
    let values = inputs.iter().map(|&n| Value::int(n)).collect();
    let outcome = world.run(&mut Inputs::new(values), &Options::default());
    world.end(&outcome.end)
}

/// Follows the last trace of a script.
pub(crate) fn replayed(text: &str) -> String {
    let mut world = read(text);
    let mut replay = Replay::of_trace(&world.terms, &world.trace());
    let outcome = world.run(&mut replay, &Options::default());
    format!("{}, {:?}", world.end(&outcome.end), replay.judge(&outcome))
}

/// How the last call of a script ends for some seeds, each end once.
pub(crate) fn at_random(text: &str, seeds: u64) -> Vec<String> {
    let mut world = read(text);
    let mut ends = Vec::new();
    for seed in 0..seeds {
        let outcome = world.run(&mut Random::new(seed), &Options { steps: 10_000, ..Options::default() });
        ends.push(world.end(&outcome.end));
    }
    ends.sort();
    ends.dedup();
    ends
}
