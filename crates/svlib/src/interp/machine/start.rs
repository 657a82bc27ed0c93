//! From the model to the first frame.

use super::{EntryRequires, Flow, Machine, given, stop};
use crate::interp::outcome::{End, Judged, Unchecked};
use smt::term::FunId;

impl Machine<'_, '_> {
    /// Finds a model that satisfies the assertions, initial values of globals, and calls the entry.
    pub(super) fn start(&mut self) -> Flow {
        let task = self.ctx.task;
        self.state.model = self.oracle.model(self.ctx).map_err(|refusal| self.refused(refusal))?;
        loop {
            self.satisfy_asserts()?;
            self.enter_entry()?;
            if self.options.entry_requires == EntryRequires::Check || self.entry_requires_hold() {
                return Ok(());
            }
            // What cannot be repaired blocks when the entry's body begins.
            let mut symbols: Vec<FunId> =
                task.args.iter().flat_map(|&arg| smt::subst::functions(self.ctx.terms, arg)).collect();
            symbols.retain(|symbol| task.symbols.contains(symbol));
            if !self.oracle.repair(self.ctx, &mut self.state.model, &symbols) {
                return Ok(());
            }
        }
    }

    fn satisfy_asserts(&mut self) -> Flow {
        let task = self.ctx.task;
        loop {
            let mut violated = None;
            for assert in &task.asserts {
                match self.truth(assert.term) {
                    Ok(true) => {}
                    Ok(false) => {
                        violated = Some(assert);
                        break;
                    }
                    Err(error) => self.not_checked(Unchecked { what: Judged::Assert(assert.command), error }),
                }
            }
            let Some(assert) = violated else { return Ok(()) };
            if !self.oracle.repair(self.ctx, &mut self.state.model, &assert.symbols) {
                return stop(End::NoModel(assert.command));
            }
        }
    }

    fn enter_entry(&mut self) -> Flow {
        let task = self.ctx.task;
        self.state.reset(task.looks_back.len());
        self.execution.steps.clear();
        let globals =
            self.oracle.globals(self.ctx, &task.globals).map_err(|refusal| self.refused(refusal))?;
        self.execution.globals = given(&task.globals, &globals);
        self.state.globals = globals;
        let mut inputs = Vec::with_capacity(task.args.len());
        for &arg in task.args {
            inputs.push(Some(self.value(arg).or_else(|error| stop(End::Error(None, error)))?));
        }
        let Some(body) = task.script.procs[task.entry].body else { return Ok(()) };
        self.enter(body, task.entry, inputs)
    }

    /// False only when one of them is known to be false.
    fn entry_requires_hold(&mut self) -> bool {
        let task = self.ctx.task;
        let point = task.script.procs[task.entry].body.and_then(|body| task.point(body));
        let requires = point.map_or(&[][..], |point| &point.requires);
        requires.iter().all(|&number| {
            let terms = &task.property(number).property.terms;
            terms.iter().all(|&term| self.truth(term) != Ok(false))
        })
    }
}
