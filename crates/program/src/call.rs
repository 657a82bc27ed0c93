//! Calls are replaced by the contract of their procedure.

use crate::merge::{Fresh, State};
use crate::notes::{Note, Origin};
use crate::program::{Procedure, Program};
use crate::vc::{Conditions, Obligation, Place};
use crate::walk::{Walk, substitute, usable};
use base::intern::SymbolId;
use rustc_hash::FxHashMap;
use smt::subst::constants;
use smt::term::{FunId, Role, TermId, Terms};
use std::rc::Rc;
use svlib::code::Pc;
use svlib::syntax::{ProcId, PropertyKind};

impl Walk<'_, '_> {
    pub(crate) fn call(
        &mut self,
        pc: Pc,
        callee: ProcId,
        args: &[TermId],
        results: &[FunId],
        state: &mut State,
    ) {
        let Some(callee) = self.program.proc(callee) else {
            return self.open("a procedure that is called is not there");
        };
        let args: Vec<TermId> = args.iter().map(|&arg| self.eval(state, arg)).collect();
        let mut call = Call::new(self.terms, self.program, callee, args);
        for &global in &self.program.globals {
            if let Some(slot) = self.layout.slot(global) {
                call.before.insert(global, state.env[slot]);
            }
        }
        let place = Place { proc: self.proc.id, pc: Some(pc), stmt: callee.body, back: false };
        self.call_requires(place, &call, state);
        self.call_ranks(place, callee, &call, state);
        let script = self.program.script;
        for &global in &callee.modifies {
            if let Some(slot) = self.layout.slot(global) {
                let value = self.new_value(slot);
                state.set(slot, value);
            }
        }
        for &output in &script.procs[callee.id].outputs {
            let (name, sort) = (self.terms.fun_name(output).to_string(), self.terms.fun(output).result);
            let value = self.fresh.constant(self.terms, &name, sort);
            call.after.insert(output, value);
        }
        for &global in &self.program.globals {
            if let Some(slot) = self.layout.slot(global) {
                call.after.insert(global, state.env[slot]);
            }
        }
        let kind = PropertyKind::Ensures;
        let program = self.program;
        let rooted = self.roots.contains_key(&(self.proc.id, pc));
        let modified = || program.modified(callee, callee.body);
        for note in usable(self.terms, program.notes(callee.body), kind, &[kind], &modified) {
            for &term in &note.terms {
                let promise = call.term_after(self.terms, self.fresh, term);
                if rooted {
                    Rc::make_mut(&mut self.assumed).push(promise);
                } else {
                    state.assume(self.terms, promise);
                }
            }
        }
        for (&result, output) in results.iter().zip(&script.procs[callee.id].outputs) {
            self.assign(state, result, call.after[output]);
        }
    }

    fn call_requires(&mut self, place: Place, call: &Call, state: &mut State) {
        let program = self.program;
        for note in program.notes(place.stmt).of(PropertyKind::Requires) {
            for &term in &note.terms {
                let goal = call.term_before(self.terms, self.fresh, term);
                self.oblige(place, Some(note), state, goal);
                if !self.roots.contains_key(&(self.proc.id, place.pc.unwrap_or(0))) {
                    state.assume(self.terms, goal);
                }
            }
        }
    }
}

/// What the symbols of a called procedure are before and after the call.
pub(crate) struct Call {
    /// The tags whose last visit is the call, when it is over.
    tags: Vec<SymbolId>,
    before: FxHashMap<FunId, TermId>,
    after: FxHashMap<FunId, TermId>,
}

impl Call {
    pub(crate) fn new(
        terms: &mut Terms,
        program: &Program<'_>,
        callee: &Procedure,
        args: Vec<TermId>,
    ) -> Call {
        let tags = program.script.stmts[callee.body].tags.iter().map(|t| t.0);
        let tags = tags.filter(|&tag| program.is_beginning(callee, callee.body, tag)).collect();
        let mut before = FxHashMap::default();
        for (&input, arg) in program.script.procs[callee.id].inputs.iter().zip(args) {
            let sort = terms.fun(input).result;
            before.insert(input, terms.coerce(arg, sort).unwrap_or(arg));
        }
        let after = before.clone();
        Call { tags, before, after }
    }

    pub(crate) fn term_before(&self, terms: &mut Terms, fresh: &mut Fresh, term: TermId) -> TermId {
        substitute(terms, fresh, term, &|fun| self.before.get(&fun).copied())
    }

    fn term_after(&self, terms: &mut Terms, fresh: &mut Fresh, term: TermId) -> TermId {
        let mut values = self.after.clone();
        for constant in constants(terms, term) {
            let Some(fun) = terms.applied(constant) else { continue };
            if let Role::At(variable, tag) = terms.fun(fun).role
                && self.tags.contains(&tag)
                && let Some(&value) = self.before.get(&variable)
            {
                values.insert(fun, value);
            }
        }
        substitute(terms, fresh, term, &|fun| values.get(&fun).copied())
    }
}

/// The query itself: its arguments satisfy what the entry requires.
pub(crate) fn query(terms: &mut Terms, program: &Program<'_>, found: &mut Conditions, fresh: &mut Fresh) {
    let entry = &program.entry;
    let Some(proc) = program.proc(entry.proc) else { return };
    let mut call = Call::new(terms, program, proc, entry.args.clone());
    for &global in &program.globals {
        let (name, sort) = (terms.fun_name(global).to_string(), terms.fun(global).result);
        call.before.insert(global, fresh.constant(terms, &name, sort));
    }
    let place = Place { proc: proc.id, pc: None, stmt: proc.body, back: false };
    let assumes = |note: &Note| entry.assumed && note.origin == Origin::Task;
    let (mut assumed, mut goals) = (Vec::new(), Vec::new());
    for note in program.notes(proc.body).of(PropertyKind::Requires) {
        for &term in &note.terms {
            let formula = call.term_before(terms, fresh, term);
            if assumes(note) { assumed.push(formula) } else { goals.push((note.clone(), formula)) }
        }
    }
    let assumed = Rc::new(assumed);
    for (note, goal) in goals {
        let (note, assumed) = (Some(note), assumed.clone());
        found.obligations.push(Obligation { place, note, assumed, guard: TermId::TRUE, goal });
    }
}
