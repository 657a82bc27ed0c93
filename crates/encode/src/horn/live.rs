//! Which variables matter at an instruction: those that are read later before they are written, by the code or by an
//! annotation. Unknown predicates are about these only, and the fewer there are, the easier they are to find.

use program::{Layout, Note, Procedure, Program};
use smt::subst::functions;
use smt::term::{FunId, Role, TermId, Terms, VarKind};
use svlib::code::{Op, Pc};
use svlib::syntax::{ProcId, PropertyKind, StmtId};

/// A set of positions of a layout.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Slots(Vec<u64>);

impl Slots {
    fn none(count: usize) -> Slots {
        Slots(vec![0; count.div_ceil(64)])
    }

    fn insert(&mut self, slot: usize) {
        self.0[slot / 64] |= 1 << (slot % 64);
    }

    fn remove(&mut self, slot: usize) -> bool {
        let was = self.contains(slot);
        self.0[slot / 64] &= !(1 << (slot % 64));
        was
    }

    fn contains(&self, slot: usize) -> bool {
        self.0[slot / 64] >> (slot % 64) & 1 == 1
    }

    fn add(&mut self, other: &Slots) {
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }
}

/// The live variables of a procedure, by instruction.
pub(super) struct Live<'a, 's> {
    terms: &'a Terms,
    program: &'a Program<'s>,
    proc: &'a Procedure,
    layout: &'a Layout,
    /// Live before each instruction.
    before: Vec<Slots>,
}

impl<'a, 's> Live<'a, 's> {
    pub(super) fn of(
        terms: &'a Terms,
        program: &'a Program<'s>,
        proc: &'a Procedure,
        layout: &'a Layout,
    ) -> Self {
        let count = proc.code.instrs.len();
        let before = vec![Slots::none(layout.variables.len()); count];
        let mut live = Live { terms, program, proc, layout, before };
        let mut earlier: Vec<Vec<Pc>> = vec![Vec::new(); count];
        for pc in 0..count {
            for next in live.next(pc) {
                earlier[next].push(pc);
            }
        }
        let mut waits = vec![true; count];
        let mut todo: Vec<Pc> = (0..count).collect();
        while let Some(pc) = todo.pop() {
            waits[pc] = false;
            let new = live.transfer(pc, true);
            if new != live.before[pc] {
                live.before[pc] = new;
                for &from in &earlier[pc] {
                    if !std::mem::replace(&mut waits[from], true) {
                        todo.push(from);
                    }
                }
            }
        }
        live
    }

    /// The variables that matter where control is about to execute an instruction, after what is asked of it on the
    /// way there (its ranking functions have been compared).
    pub(super) fn at(&self, pc: Pc) -> Vec<FunId> {
        let slots = self.transfer(pc, false);
        let variables = self.layout.variables.iter().enumerate();
        variables.filter(|(slot, _)| slots.contains(*slot)).map(|(_, &variable)| variable).collect()
    }

    /// The instructions after one, and behind a statement whose contract may stand for it.
    fn next(&self, pc: Pc) -> Vec<Pc> {
        let instr = &self.proc.code.instrs[pc];
        let mut next = self.proc.code.successors(pc);
        if instr.op == Op::Begin && self.program.notes(instr.stmt).has(PropertyKind::Ensures) {
            let ends = |&pc: &Pc| {
                self.proc.code.instrs[pc].op == Op::End && self.proc.code.instrs[pc].stmt == instr.stmt
            };
            next.extend((pc..self.proc.code.instrs.len()).find(ends).map(|end| end + 1));
        }
        next
    }

    fn transfer(&self, pc: Pc, ranks: bool) -> Slots {
        let mut live = Slots::none(self.layout.variables.len());
        for next in self.next(pc) {
            live.add(&self.before[next]);
        }
        let instr = &self.proc.code.instrs[pc];
        match &instr.op {
            Op::Begin => {
                self.notes(&mut live, instr.stmt, PropertyKind::Ensures);
                self.visited(&mut live, instr.stmt);
                self.notes(&mut live, instr.stmt, PropertyKind::Requires);
            }
            Op::Visit => {
                self.notes(&mut live, instr.stmt, PropertyKind::CheckTrue);
                self.notes(&mut live, instr.stmt, PropertyKind::Invariant);
                self.visited(&mut live, instr.stmt);
                if ranks {
                    self.ranks(&mut live, instr.stmt);
                }
            }
            Op::End => self.notes(&mut live, instr.stmt, PropertyKind::Ensures),
            Op::Assume(term) | Op::Branch(term, _) => self.read(&mut live, *term),
            Op::Assign(pairs) => {
                let read: Vec<TermId> =
                    pairs.iter().filter(|pair| self.kill(&mut live, pair.0)).map(|pair| pair.1).collect();
                for term in read {
                    self.read(&mut live, term);
                }
            }
            Op::Havoc(variables) => {
                for &variable in variables {
                    self.kill(&mut live, variable);
                }
            }
            Op::Call(callee, args, results) => self.call(&mut live, *callee, args, results),
            Op::Jump(_) | Op::Choice(_) | Op::Return => {}
        }
        live
    }

    fn kill(&self, live: &mut Slots, variable: FunId) -> bool {
        self.layout.slot(variable).is_some_and(|slot| live.remove(slot))
    }

    fn needs(&self, live: &mut Slots, variable: FunId) {
        if let Some(slot) = self.layout.slot(variable) {
            live.insert(slot);
        }
    }

    fn read(&self, live: &mut Slots, term: TermId) {
        for fun in functions(self.terms, term) {
            self.needs(live, fun);
        }
    }

    fn notes(&self, live: &mut Slots, stmt: StmtId, kind: PropertyKind) {
        for &term in self.program.notes(stmt).of(kind).flat_map(|note| &note.terms) {
            self.read(live, term);
        }
    }

    /// Snapshots are taken: instead of them the variables themselves are live.
    fn visited(&self, live: &mut Slots, stmt: StmtId) {
        let taken: Vec<FunId> =
            self.layout.taken_at(stmt).filter(|&(slot, _)| live.remove(slot)).map(|taken| taken.1).collect();
        for variable in taken {
            self.needs(live, variable);
        }
    }

    /// Ranking functions are compared with what they were at the last visit of a statement.
    fn ranks(&self, live: &mut Slots, stmt: StmtId) {
        for &term in self.program.notes(stmt).ranks().flat_map(|note: &Note| &note.terms) {
            self.read(live, term);
            for fun in functions(self.terms, term) {
                if let Some(snapshot) = self.layout.snapshot_of(stmt, fun) {
                    self.needs(live, snapshot);
                }
            }
        }
    }

    fn is_global(&self, variable: FunId) -> bool {
        matches!(self.terms.fun(variable).role, Role::Variable(VarKind::Global, _))
    }

    fn call(&self, live: &mut Slots, callee: ProcId, args: &[TermId], results: &[FunId]) {
        for &result in results {
            self.kill(live, result);
        }
        if let Some(callee) = self.program.proc(callee) {
            for &global in &callee.modifies {
                self.kill(live, global);
            }
            let notes = self.program.notes(callee.body);
            for note in &notes.0 {
                let afterwards = note.kind == PropertyKind::Ensures;
                for fun in note.terms.iter().flat_map(|&term| functions(self.terms, term)) {
                    match self.terms.fun(fun).role {
                        Role::At(variable, _) if self.is_global(variable) => self.needs(live, variable),
                        // What the call changes is read after the change.
                        Role::Variable(..) if afterwards && callee.modifies.contains(&fun) => {}
                        Role::Variable(VarKind::Global, _) => self.needs(live, fun),
                        _ => {}
                    }
                }
            }
            if callee.recursive && callee.component == self.proc.component {
                for &term in self.program.notes(self.proc.body).ranks().flat_map(|note| &note.terms) {
                    for fun in functions(self.terms, term) {
                        if let Some(snapshot) = self.layout.snapshot_of(self.proc.body, fun) {
                            self.needs(live, snapshot);
                        }
                    }
                }
            }
        }
        for &arg in args {
            self.read(live, arg);
        }
    }
}
