//! The way back: a variable of the procedure is the state variable or input of its name. An invariant at the loop is one of
//! the system, and an execution of the procedure is one of the system, a step for each round.

use super::{LOOP, OneLoop};
use rustc_hash::FxHashMap;
use smt::eval::Assignment;
use smt::subst::{constants, replace};
use smt::term::{FunId, Role, TermId, Terms};
use std::ops::Range;
use svlib::interp::{End, Happening, Mirror, Options, Replay, Still, Task, run_observed};
use svlib::syntax::{self, CommandKind, PropertyKind, Script, StmtId};
use ts::Trace;

impl OneLoop {
    /// The formula of the system that one over the variables of the procedure is, in the query for the property at a position.
    pub fn invariant(&self, terms: &mut Terms, position: usize, annotation: TermId) -> TermId {
        let named = self.named(terms);
        let mut map = FxHashMap::default();
        for constant in constants(terms, annotation) {
            let Some(fun) = terms.applied(constant) else { continue };
            let Role::Variable(..) = terms.fun(fun).role else { continue };
            if let Some(&state) = named.get(terms.fun_name(fun)) {
                map.insert(constant, terms.constant_term(state));
            } else if let Some(bit) = self.selects.iter().position(|name| name == terms.fun_name(fun)) {
                map.insert(constant, terms.bool(position >> bit & 1 == 1));
            }
        }
        replace(terms, annotation, &map)
    }

    /// What commands of a witness say about the loop, as a formula of the system; nothing if they say nothing.
    pub fn annotated(
        &self,
        terms: &mut Terms,
        script: &Script,
        position: usize,
        commands: Range<usize>,
    ) -> Option<TermId> {
        let mut found = Vec::new();
        for command in &script.commands[commands] {
            let CommandKind::AnnotateTag(annotation) = &command.kind else { continue };
            for property in annotation.properties.iter().filter(|p| p.kind == PropertyKind::Invariant) {
                let here = property.meanings.iter().filter(|(stmt, _)| is_loop(terms, script, *stmt));
                found.extend(here.flat_map(|(_, meaning)| meaning.terms.iter().copied()));
            }
        }
        if found.is_empty() {
            return None;
        }
        let formula = terms.and(&found);
        Some(self.invariant(terms, position, formula))
    }

    /// The execution of the system that a trace of the procedure is, which the command with a number calls.
    ///
    /// # Errors
    /// Why it is none, as a phrase.
    pub fn trace(
        &self,
        terms: &mut Terms,
        script: &Script,
        command: usize,
        trace: &syntax::Trace,
    ) -> Result<Trace, String> {
        let task = Task::new(terms, script, command).map_err(|error| error.to_string())?;
        let mut replay = Replay::of_trace(terms, trace);
        let (mut mirror, mut stills, mut leaps) = (Mirror::new(script), Vec::new(), false);
        let terms = &*terms;
        let outcome = run_observed(&task, terms, &mut replay, &Options::default(), &mut |event| {
            mirror.follow(event);
            leaps |= matches!(event.what, Happening::Leap(..));
            // The condition is looked at before each round, when the inputs are still those of the round before.
            if matches!(event.what, Happening::Test(_)) && is_loop(terms, script, event.stmt) {
                stills.push(mirror.still());
            }
        });
        if leaps {
            return Err("the trace leaps over steps of the system".into());
        }
        let End::Violated(_) = outcome.end else { return Err(outcome.end.message(terms, &task)) };
        if stills.is_empty() {
            return Err("the trace does not come to the loop".into());
        }
        stills.push(mirror.still());
        let mut made = Trace::default();
        for (fun, meaning) in &outcome.execution.model {
            if self.system.rigid.contains(fun) {
                made.rigid.interpret(*fun, meaning.clone());
            }
        }
        let named = self.named(terms);
        for (at, before) in stills.windows(2).enumerate() {
            let mut values = Assignment::new();
            self.read(terms, &named, &before[0], &mut values, true);
            self.read(terms, &named, &stills[at + 1], &mut values, false);
            made.steps.push(values);
        }
        Ok(made)
    }

    /// Takes the values of state variables, or else of inputs.
    fn read(
        &self,
        terms: &Terms,
        named: &FxHashMap<String, FunId>,
        still: &Still,
        into: &mut Assignment,
        states: bool,
    ) {
        for (&variable, value) in &still.own {
            let (Some(&fun), Some(value)) = (named.get(terms.fun_name(variable)), value) else { continue };
            if self.system.inputs.contains(&fun) != states {
                into.set(fun, value.clone());
            }
        }
    }

    /// State variables and inputs by name.
    fn named(&self, terms: &Terms) -> FxHashMap<String, FunId> {
        let states = self.system.states.iter().map(|state| state.now);
        let symbols = states.chain(self.system.inputs.iter().copied());
        symbols.map(|fun| (terms.fun_name(fun).to_owned(), fun)).collect()
    }
}

/// True for the loop of the procedure.
fn is_loop(terms: &Terms, script: &Script, stmt: StmtId) -> bool {
    script.stmts[stmt].tags.iter().any(|(tag, _)| terms.names.text(*tag) == LOOP)
}
