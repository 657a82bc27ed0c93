//! Section 8.3 (a) and (b): variables that may be read, or returned, without ever having been given a value.
//!
//! A forward analysis on the flat code: which variables may still be without a value at each instruction. Paths
//! are not examined for feasibility, so `(if c (assign (x 1)))` followed by a read under the same condition is
//! reported; an initial assignment makes the intention plain.

use crate::code::{Code, Op, Pc, compile};
use crate::parse::State;
use crate::syntax::ProcId;
use diag::{Diagnostic, codes};
use rustc_hash::FxHashSet;
use smt::term::{FunId, TermId, Terms};

/// Reports SV301 once per variable and SV302 once per output.
pub(super) fn uninitialised(terms: &Terms, state: &State) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for proc in state.script.procs.ids() {
        if let Some(code) = compile(&state.script, proc) {
            Analysis::new(terms, state, proc, &code).report(&mut found);
        }
    }
    found
}

struct Analysis<'a> {
    terms: &'a Terms,
    state: &'a State,
    proc: ProcId,
    code: &'a Code,
    /// Locals and outputs: the positions in the sets below.
    variables: Vec<FunId>,
    /// Variables that may be without a value before each instruction; none where control never comes.
    before: Vec<Option<Vec<u64>>>,
}

impl<'a> Analysis<'a> {
    fn new(terms: &'a Terms, state: &'a State, proc: ProcId, code: &'a Code) -> Self {
        let info = &state.script.procs[proc];
        let variables: Vec<FunId> = info.outputs.iter().chain(&info.locals).copied().collect();
        let mut analysis =
            Self { terms, state, proc, code, variables, before: vec![None; code.instrs.len()] };
        analysis.solve();
        analysis
    }

    fn solve(&mut self) {
        if self.variables.is_empty() {
            return;
        }
        self.before[0] = Some(vec![u64::MAX; self.variables.len().div_ceil(64)]);
        let mut todo: Vec<Pc> = vec![0];
        while let Some(pc) = todo.pop() {
            let Some(mut set) = self.before[pc].clone() else { continue };
            for variable in self.written(pc) {
                if let Some(i) = self.variables.iter().position(|&v| v == variable) {
                    set[i / 64] &= !(1 << (i % 64));
                }
            }
            for next in self.code.successors(pc) {
                let grown = match &mut self.before[next] {
                    Some(old) => {
                        let grows = old.iter().zip(&set).any(|(o, s)| s & !o != 0);
                        old.iter_mut().zip(&set).for_each(|(o, s)| *o |= s);
                        grows
                    }
                    slot => {
                        *slot = Some(set.clone());
                        true
                    }
                };
                if grown {
                    todo.push(next);
                }
            }
        }
    }

    fn written(&self, pc: Pc) -> Vec<FunId> {
        match &self.code.instrs[pc].op {
            Op::Assign(pairs) => pairs.iter().map(|p| p.0).collect(),
            Op::Havoc(variables) | Op::Call(_, _, variables) => variables.clone(),
            _ => Vec::new(),
        }
    }

    fn read(&self, pc: Pc) -> Vec<FunId> {
        let terms: Vec<TermId> = match &self.code.instrs[pc].op {
            Op::Assign(pairs) => pairs.iter().map(|p| p.1).collect(),
            Op::Assume(term) | Op::Branch(term, _) => vec![*term],
            Op::Call(_, args, _) => args.clone(),
            _ => Vec::new(),
        };
        let constants = terms.into_iter().flat_map(|t| smt::subst::constants(self.terms, t));
        constants.filter_map(|t| self.terms.applied(t)).collect()
    }

    fn may_be_unset(&self, pc: Pc, variable: FunId) -> bool {
        let position = self.variables.iter().position(|&v| v == variable);
        match (position, &self.before[pc]) {
            (Some(i), Some(set)) => set[i / 64] & (1 << (i % 64)) != 0,
            _ => false,
        }
    }

    fn report(&self, found: &mut Vec<Diagnostic>) {
        let info = &self.state.script.procs[self.proc];
        let mut reported = FxHashSet::default();
        for pc in 0..self.code.instrs.len() {
            for variable in self.read(pc) {
                if self.may_be_unset(pc, variable) && reported.insert(variable) {
                    let stmt = self.code.instrs[pc].stmt;
                    let name = self.terms.fun_name(variable);
                    let message = format!("`{name}` may be read here before it has a value");
                    found.push(
                        Diagnostic::new(codes::SV301, self.state.script.stmts[stmt].at.0, message)
                            .help("assign or havoc it first; as it stands its value is arbitrary"),
                    );
                }
            }
        }
        let end = self.code.instrs.len() - 1;
        for &output in info.outputs.iter().filter(|&&o| self.may_be_unset(end, o)) {
            if reported.contains(&output) {
                continue;
            }
            let message = format!(
                "the output `{}` may have no value when the procedure returns",
                self.terms.fun_name(output)
            );
            found.push(Diagnostic::new(codes::SV302, info.at.0, message));
        }
    }
}
