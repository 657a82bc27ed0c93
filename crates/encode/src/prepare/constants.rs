//! Variables replaced by the values that they are known to have.
//!
//! Forwards through the code of each procedure. A procedure knows nothing when it begins, a call forgets what the callee
//! may write, and the head of a loop forgets what the loop writes. So what is used of a value inside a loop or after a
//! call is what a proof of the program knows there without an annotation, too. Ways that a known condition closes are
//! not followed, and what is only there is dead code for [`super::needed`]. Assumptions and conditions teach nothing:
//! with a value from there nothing would need them any more, and they might be left out.
//!
//! Only statements change; properties stay as they are.

use super::frames::{Frame, Frames};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::simplify::{Simplifier, is_value};
use smt::subst::functions;
use smt::term::{FunId, Role, TermId, Terms};
use std::collections::BTreeSet;
use svlib::code::{Code, Op, Pc, compile};
use svlib::syntax::{ProcId, Script, StmtId, StmtKind};

/// The effort for one procedure: instructions that are visited, and values that are copied or compared. Where the code
/// of a procedure needs more, it stays as it is.
const MOST_EFFORT: usize = 60_000_000;

/// Values of variables.
type Known = FxHashMap<FunId, TermId>;

/// Puts values into the statements of these procedures. `cells` says of which array a variable is a cell: a loop or a
/// call that writes one cell forgets all, for the array is one variable of the program.
pub(super) fn propagate(
    terms: &mut Terms,
    script: &mut Script,
    procs: &[ProcId],
    cells: &FxHashMap<FunId, (FunId, TermId)>,
) {
    let frames = Frames::new(terms, script, procs, cells);
    let mut changes = Vec::new();
    for &proc in procs {
        let Some(code) = compile(script, proc) else { continue };
        let loops = frames.loops(&code);
        let Some(found) = Search::new(terms, &code, &frames, &loops).run() else { continue };
        let Search { reached, new, .. } = found;
        let kept = frames.kept(terms, &code, proc, &loops, &reached, &new);
        for (pc, values) in new.into_iter().enumerate().filter(|(pc, _)| !kept.contains(pc)) {
            changes.extend(values.map(|values| (code.instrs[pc].stmt, values)));
        }
    }
    for (stmt, values) in changes {
        change(script, stmt, &values);
    }
}

/// Gives a statement other terms, as many as it has.
fn change(script: &mut Script, stmt: StmtId, values: &[TermId]) {
    match (&mut script.stmts[stmt].kind, values) {
        (StmtKind::Assume(term) | StmtKind::If(term, ..) | StmtKind::While(term, _), &[value]) => {
            *term = value;
        }
        (StmtKind::Assign(pairs), _) => {
            pairs.iter_mut().zip(values).for_each(|(pair, &value)| pair.1 = value);
        }
        (StmtKind::Call(_, args, _), _) => args.copy_from_slice(values),
        _ => {}
    }
}

struct Search<'a> {
    terms: &'a mut Terms,
    code: &'a Code,
    frames: &'a Frames<'a>,
    loops: &'a FxHashMap<Pc, Frame>,
    /// Where ways meet: what all that came there so far know.
    meets: Vec<bool>,
    states: FxHashMap<Pc, Known>,
    todo: BTreeSet<Pc>,
    effort: usize,
    /// The instructions that control can come to.
    reached: Vec<bool>,
    /// The terms of instructions that have other ones now.
    new: Vec<Option<Vec<TermId>>>,
}

impl<'a> Search<'a> {
    fn new(
        terms: &'a mut Terms,
        code: &'a Code,
        frames: &'a Frames<'a>,
        loops: &'a FxHashMap<Pc, Frame>,
    ) -> Self {
        let count = code.instrs.len();
        let mut before = vec![0_usize; count];
        for pc in 0..count {
            code.successors(pc).into_iter().for_each(|next| before[next] += 1);
        }
        Search {
            terms,
            code,
            frames,
            loops,
            meets: (0..count).map(|pc| before[pc] != 1 || loops.contains_key(&pc)).collect(),
            states: FxHashMap::default(),
            todo: BTreeSet::new(),
            effort: 0,
            reached: vec![false; count],
            new: vec![None; count],
        }
    }

    /// Goes on until nothing more is forgotten; none when that is too much work.
    fn run(mut self) -> Option<Self> {
        self.meets[0] = true;
        self.meet(0, Known::default());
        // In the order of the code most places are reached once.
        while let Some(pc) = self.todo.pop_first() {
            let state = self.states.get(&pc).cloned().unwrap_or_default();
            self.effort += state.len();
            self.walk(pc, state);
            if self.effort > MOST_EFFORT {
                return None;
            }
        }
        Some(self)
    }

    /// A way comes to where ways meet.
    fn meet(&mut self, pc: Pc, mut state: Known) {
        self.effort += state.len();
        if let Some(frame) = self.loops.get(&pc) {
            state.retain(|&variable, _| !self.frames.forgets(&frame.written, variable));
        }
        let is_less = match self.states.get_mut(&pc) {
            Some(old) => {
                let before = old.len();
                old.retain(|variable, value| state.get(variable) == Some(value));
                old.len() < before
            }
            None => {
                self.states.insert(pc, state);
                true
            }
        };
        if is_less {
            self.todo.insert(pc);
        }
    }

    /// Follows all ways from an instruction to where ways meet.
    fn walk(&mut self, pc: Pc, state: Known) {
        let mut open = vec![(pc, state)];
        while let Some((pc, mut state)) = open.pop() {
            self.effort += 1;
            self.reached[pc] = true;
            let mut next = self.step(pc, &mut state);
            let last = next.pop();
            for to in next {
                self.effort += state.len();
                self.go(&mut open, to, state.clone());
            }
            if let Some(to) = last {
                self.go(&mut open, to, state);
            }
        }
    }

    fn go(&mut self, open: &mut Vec<(Pc, Known)>, to: Pc, state: Known) {
        if self.meets[to] {
            self.meet(to, state);
        } else {
            open.push((to, state));
        }
    }

    /// What is known after an instruction, and the instructions that may come next.
    fn step(&mut self, pc: Pc, state: &mut Known) -> Vec<Pc> {
        let code = self.code;
        match &code.instrs[pc].op {
            Op::Assume(term) => {
                let assumed = self.simpler(pc, &[*term], state);
                if assumed == [TermId::FALSE] {
                    return Vec::new();
                }
            }
            Op::Branch(term, target) => match self.simpler(pc, &[*term], state)[0] {
                TermId::TRUE => return vec![pc + 1],
                TermId::FALSE => return vec![*target],
                _ => {}
            },
            Op::Assign(pairs) => {
                let old: Vec<TermId> = pairs.iter().map(|pair| pair.1).collect();
                let values = self.simpler(pc, &old, state);
                for (&(variable, _), value) in pairs.iter().zip(values) {
                    let fits = self.terms.fun(variable).result == self.terms.sort(value);
                    match fits && is_value(self.terms, value) {
                        true => state.insert(variable, value),
                        false => state.remove(&variable),
                    };
                }
            }
            Op::Havoc(variables) => forget(state, variables),
            Op::Call(callee, args, results) => {
                self.simpler(pc, args, state);
                forget(state, results);
                self.effort += state.len();
                state.retain(|&variable, _| !self.frames.forgets(self.frames.of_call(*callee), variable));
            }
            _ => {}
        }
        code.successors(pc)
    }

    /// The terms of an instruction with what is known put in.
    fn simpler(&mut self, pc: Pc, old: &[TermId], state: &Known) -> Vec<TermId> {
        let new: Vec<TermId> = old.iter().map(|&term| simpler(self.terms, term, state)).collect();
        self.new[pc] = (new != old).then(|| new.clone());
        new
    }
}

fn forget(state: &mut Known, variables: &[FunId]) {
    for variable in variables {
        state.remove(variable);
    }
}

/// A term with values put in; terms about variables of which nothing is known stay as they are.
fn simpler(terms: &mut Terms, term: TermId, state: &Known) -> TermId {
    let (mut map, mut is_about_variables) = (FxHashMap::default(), false);
    for fun in functions(terms, term) {
        is_about_variables |= matches!(terms.fun(fun).role, Role::Variable(..) | Role::At(..));
        if let Some(&value) = state.get(&fun) {
            map.insert(terms.constant_term(fun), value);
        }
    }
    match map.is_empty() && is_about_variables {
        true => term,
        false => Simplifier::with(map).apply(terms, term),
    }
}

/// The terms of an instruction.
pub(super) fn terms_in(op: &Op) -> Vec<TermId> {
    match op {
        Op::Assume(term) | Op::Branch(term, _) => vec![*term],
        Op::Assign(pairs) => pairs.iter().map(|pair| pair.1).collect(),
        Op::Call(_, args, _) => args.clone(),
        _ => Vec::new(),
    }
}

/// The variables of some terms.
pub(super) fn variables_in(terms: &Terms, of: &[TermId]) -> FxHashSet<FunId> {
    of.iter().flat_map(|&term| super::variables_of(terms, term)).collect()
}
