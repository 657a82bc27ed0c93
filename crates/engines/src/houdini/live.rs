//! Which variables of a procedure matter at an instruction: those that may be read before they are written again. No
//! invariant needs the others.

use program::{Procedure, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::subst::functions;
use smt::term::{FunId, TermId, Terms};
use svlib::code::{Op, Pc};

/// The variables that matter, by instruction.
pub(super) struct Live {
    numbers: FxHashMap<FunId, usize>,
    /// A bit for each variable.
    at: Vec<Vec<u64>>,
}

impl Live {
    /// Of the variables of a procedure; globals always matter.
    pub(super) fn of(terms: &Terms, program: &Program<'_>, proc: &Procedure) -> Live {
        let own = program.own_variables(proc.id);
        let numbers: FxHashMap<FunId, usize> = own.into_iter().enumerate().map(|(n, v)| (v, n)).collect();
        let words = numbers.len().div_ceil(64);
        let instrs = &proc.code.instrs;
        let mut live = Live { numbers, at: vec![vec![0; words]; instrs.len()] };
        let (reads, writes): (Vec<Vec<u64>>, Vec<Vec<u64>>) =
            (0..instrs.len()).map(|pc| live.accesses(terms, program, proc, pc, words)).unzip();
        let mut before: Vec<Vec<Pc>> = vec![Vec::new(); instrs.len()];
        for pc in 0..instrs.len() {
            proc.code.successors(pc).into_iter().for_each(|next| before[next].push(pc));
        }
        let mut todo: Vec<Pc> = (0..instrs.len()).collect();
        while let Some(pc) = todo.pop() {
            let mut now = vec![0; words];
            for next in proc.code.successors(pc) {
                now.iter_mut().zip(&live.at[next]).for_each(|(now, next)| *now |= next);
            }
            for (word, now) in now.iter_mut().enumerate() {
                *now = *now & !writes[pc][word] | reads[pc][word];
            }
            if now != live.at[pc] {
                live.at[pc] = now;
                todo.extend(&before[pc]);
            }
        }
        live
    }

    /// False when the variable is written before it is read, whatever comes after the instruction.
    pub(super) fn matters(&self, variable: FunId, pc: Pc) -> bool {
        self.numbers.get(&variable).is_none_or(|number| self.at[pc][number / 64] >> (number % 64) & 1 == 1)
    }

    /// What an instruction reads, and what it writes.
    fn accesses(
        &self,
        terms: &Terms,
        program: &Program<'_>,
        proc: &Procedure,
        pc: Pc,
        words: usize,
    ) -> (Vec<u64>, Vec<u64>) {
        let instr = &proc.code.instrs[pc];
        let (mut read, mut written): (Vec<TermId>, Vec<FunId>) = (Vec::new(), Vec::new());
        let mut variables: FxHashSet<FunId> = FxHashSet::default();
        match &instr.op {
            Op::Assume(term) | Op::Branch(term, _) => read.push(*term),
            Op::Assign(pairs) => {
                read.extend(pairs.iter().map(|pair| pair.1));
                written.extend(pairs.iter().map(|pair| pair.0));
            }
            Op::Havoc(havocked) => written.extend(havocked),
            Op::Call(_, args, results) => {
                read.extend(args);
                written.extend(results);
            }
            Op::Return => variables.extend(&program.script.procs[proc.id].outputs),
            Op::Begin | Op::Visit | Op::End => {
                read.extend(program.notes(instr.stmt).0.iter().flat_map(|note| note.terms.iter().copied()));
            }
            Op::Jump(_) | Op::Choice(_) => {}
        }
        variables.extend(read.into_iter().flat_map(|term| functions(terms, term)));
        (self.bits(variables, words), self.bits(written, words))
    }

    fn bits(&self, variables: impl IntoIterator<Item = FunId>, words: usize) -> Vec<u64> {
        let mut bits = vec![0; words];
        for number in variables.into_iter().filter_map(|variable| self.numbers.get(&variable)) {
            bits[number / 64] |= 1 << (number % 64);
        }
        bits
    }
}
