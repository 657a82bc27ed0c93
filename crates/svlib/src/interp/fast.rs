//! Stretches of code over integers that fit a machine word, for loops that go round millions of times.
//!
//! The instructions of a procedure are prepared as operations on registers: one for each variable, constant and
//! intermediate value. A stretch ends before the first instruction that needs anything else: a property, a decision, a
//! call, a value that does not fit. Then the general machine goes on from exactly the state that it would have reached.

use super::rounds::Rounds;
use super::task::{Slot, Task};
use crate::code::{Code, Op, Pc};
use rustc_hash::FxHashMap;
use smt::op::Op as SmtOp;
use smt::sort::SortId;
use smt::subst::postorder;
use smt::term::{Const, FunId, Role, TermId, Terms};
use smt::value::Value;

type Reg = u32;

/// What an operation does with its registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Act {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Neg,
    Eq,
    Ne,
    Lt,
    Le,
    Not,
    And,
    Or,
    Move,
    /// Goes on at `to` if the first register is 0.
    Unless,
    /// Goes on at `to`.
    Jump,
    /// Ends the stretch if the first register is 0.
    Assume,
    /// Ends the stretch.
    Stop,
    /// Does nothing.
    Skip,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Micro {
    pub(super) act: Act,
    pub(super) a: Reg,
    pub(super) b: Reg,
    pub(super) into: Reg,
    /// Where a jump leads, as a position among the operations.
    pub(super) to: u32,
    /// The instruction, if this is its first operation.
    pub(super) begins: Option<u32>,
}

/// Prepared code of a procedure.
#[derive(Default)]
pub(super) struct Fast {
    pub(super) ops: Vec<Micro>,
    /// Where the operations of each instruction begin.
    start: Vec<u32>,
    /// The variables, which have the first registers: whether they are read, and whether they are Boolean.
    pub(super) variables: Vec<(Slot, bool, bool)>,
    /// What the registers hold at first; those of variables are set when a stretch begins.
    pub(super) registers: Vec<i64>,
}

/// The state at the end of a stretch.
pub(super) struct Stretch {
    /// The next instruction, and the one before.
    pub(super) pc: Pc,
    pub(super) from: Pc,
    pub(super) steps: u64,
    /// The values of variables.
    pub(super) values: Vec<(Slot, Value)>,
}

impl Fast {
    /// Prepares a procedure; none when nothing in it can be run fast.
    pub(super) fn prepare(terms: &Terms, task: &Task<'_>, code: &Code) -> Option<Fast> {
        let mut builder = Builder {
            terms,
            task,
            fast: Fast::default(),
            of_variable: FxHashMap::default(),
            of_literal: FxHashMap::default(),
            nowhere: 0,
        };
        builder.variables(code);
        builder.nowhere = builder.register(0);
        for (pc, instr) in code.instrs.iter().enumerate() {
            let first = builder.fast.ops.len();
            builder.fast.start.push(first as u32);
            let quiet = task.point(instr.stmt).is_none_or(super::properties::Point::is_quiet);
            if builder.instr(&instr.op, quiet).is_none() {
                builder.fast.ops.truncate(first);
                builder.push(Act::Stop, 0, 0, 0, 0);
            }
            builder.fast.ops[first].begins = Some(pc as u32);
        }
        let mut fast = builder.fast;
        let has_loop = code.instrs.iter().enumerate().any(|(pc, i)| matches!(i.op, Op::Jump(to) if to <= pc));
        for op in fast.ops.iter_mut().filter(|op| matches!(op.act, Act::Unless | Act::Jump)) {
            op.to = fast.start[op.to as usize];
        }
        has_loop.then_some(fast)
    }

    /// Runs from an instruction as far as possible, with at most so many steps.
    pub(super) fn run(
        &self,
        pc: Pc,
        steps: u64,
        value: &mut dyn FnMut(Slot) -> Option<Value>,
    ) -> Option<Stretch> {
        self.run_with(pc, steps, Some(Rounds::new()), value)
    }

    /// The same, one round of a loop after the other unless there is somebody who takes more.
    fn run_with(
        &self,
        pc: Pc,
        steps: u64,
        mut rounds: Option<Rounds>,
        value: &mut dyn FnMut(Slot) -> Option<Value>,
    ) -> Option<Stretch> {
        if self.ops.get(*self.start.get(pc)? as usize)?.act == Act::Stop {
            return None;
        }
        let mut regs = self.registers.clone();
        let mut missing = vec![false; regs.len()];
        for (i, &(slot, read, _)) in self.variables.iter().enumerate() {
            match value(slot).as_ref().and_then(word) {
                Some(word) => regs[i] = word,
                None if read => return None,
                None => missing[i] = true,
            }
        }
        let any_missing = missing.contains(&true);
        let (mut at, mut taken, mut here, mut from) = (self.start[pc] as usize, 0, pc, Pc::MAX);
        loop {
            let op = &self.ops[at];
            if let Some(begins) = op.begins {
                if taken > 0 {
                    from = here;
                }
                here = begins as usize;
                if taken >= steps {
                    break;
                }
                taken += 1;
            }
            if any_missing && missing[op.into as usize] {
                taken -= 1;
                break;
            }
            let (a, b) = (regs[op.a as usize], regs[op.b as usize]);
            let result = match op.act {
                Act::Add => a.checked_add(b),
                Act::Sub => a.checked_sub(b),
                Act::Mul => a.checked_mul(b),
                Act::Div => a.checked_div_euclid(b),
                Act::Mod => a.checked_rem_euclid(b),
                Act::Neg => a.checked_neg(),
                Act::Eq => Some(i64::from(a == b)),
                Act::Ne => Some(i64::from(a != b)),
                Act::Lt => Some(i64::from(a < b)),
                Act::Le => Some(i64::from(a <= b)),
                Act::Not => Some(1 - a),
                Act::And => Some(a & b),
                Act::Or => Some(a | b),
                Act::Move => Some(a),
                Act::Skip => {
                    at += 1;
                    continue;
                }
                Act::Jump => {
                    let (jump, to) = (at, op.to as usize);
                    if let Some(rounds) = &mut rounds
                        && to <= jump
                    {
                        let missing = any_missing.then_some(&missing[..]);
                        taken += rounds.jumped(self, (jump, to), steps - taken, &mut regs, missing);
                    }
                    at = to;
                    continue;
                }
                Act::Unless => {
                    at = if a == 0 { op.to as usize } else { at + 1 };
                    continue;
                }
                Act::Assume if a != 0 => {
                    at += 1;
                    continue;
                }
                Act::Assume | Act::Stop => None,
            };
            // What does not fit is left to the general machine, from the beginning of the instruction: variables
            // change only in the last operations of one, which cannot fail.
            let Some(result) = result else {
                taken -= 1;
                break;
            };
            regs[op.into as usize] = result;
            at += 1;
        }
        if taken == 0 {
            return None;
        }
        let values = self.variables.iter().enumerate().filter(|(i, _)| !missing[*i]);
        let values = values.map(|(i, &(slot, _, boolean))| {
            (slot, if boolean { Value::from(regs[i] != 0) } else { Value::int(regs[i]) })
        });
        Some(Stretch { pc: here, from, steps: taken, values: values.collect() })
    }
}

fn word(value: &Value) -> Option<i64> {
    match value.as_bool() {
        Some(truth) => Some(i64::from(truth)),
        None => i64::try_from(value.as_int()?).ok(),
    }
}

struct Builder<'b, 's> {
    terms: &'b Terms,
    task: &'b Task<'s>,
    fast: Fast,
    /// The registers of variables.
    of_variable: FxHashMap<FunId, Reg>,
    /// The registers of literals.
    of_literal: FxHashMap<TermId, Reg>,
    /// A register that no variable has, for operations that write nothing.
    nowhere: Reg,
}

impl Builder<'_, '_> {
    /// Gives registers to all variables that are whole numbers or Boolean.
    fn variables(&mut self, code: &Code) {
        let mut read = Vec::new();
        let mut written = Vec::new();
        for instr in &code.instrs {
            read.extend(super::properties::terms_of(instr));
            if let Op::Assign(pairs) = &instr.op {
                written.extend(pairs.iter().map(|pair| pair.0));
            }
        }
        let mut reads: Vec<FunId> =
            read.into_iter().flat_map(|term| smt::subst::functions(self.terms, term)).collect();
        reads.sort_unstable();
        reads.dedup();
        let mut all = reads.clone();
        all.extend(written);
        all.sort_unstable();
        all.dedup();
        for fun in all {
            let (slot, sort) = (self.task.slot(fun), self.terms.fun(fun).result);
            let is_variable = matches!(self.terms.fun(fun).role, Role::Variable(..));
            let is_placed = matches!(slot, Slot::Global(_) | Slot::Local(_));
            if is_variable && is_placed && matches!(sort, SortId::INT | SortId::BOOL) {
                let register = self.register(0);
                self.of_variable.insert(fun, register);
                let is_read = reads.binary_search(&fun).is_ok();
                self.fast.variables.push((slot, is_read, sort == SortId::BOOL));
            }
        }
    }

    fn register(&mut self, value: i64) -> Reg {
        self.fast.registers.push(value);
        self.fast.registers.len() as Reg - 1
    }

    fn push(&mut self, act: Act, a: Reg, b: Reg, into: Reg, to: Pc) {
        self.fast.ops.push(Micro { act, a, b, into, to: to as u32, begins: None });
    }

    /// Prepares an instruction; none when it needs the general machine.
    fn instr(&mut self, op: &Op, quiet: bool) -> Option<()> {
        let none = self.nowhere;
        match op {
            Op::Begin | Op::Visit | Op::End if quiet => self.push(Act::Skip, none, none, none, 0),
            Op::Jump(target) => self.push(Act::Jump, none, none, none, *target),
            Op::Branch(condition, target) => {
                let condition = self.term(*condition)?;
                self.push(Act::Unless, condition, none, none, *target);
            }
            Op::Assume(condition) => {
                let condition = self.term(*condition)?;
                self.push(Act::Assume, condition, none, none, 0);
            }
            Op::Assign(pairs) => {
                let mut moves = Vec::new();
                for &(variable, term) in pairs {
                    let to = *self.of_variable.get(&variable)?;
                    moves.push((self.term(term)?, to));
                }
                // The values are complete before the first variable changes; a variable that is copied to another one
                // may itself be assigned, so copies of variables go through registers of their own.
                if pairs.len() > 1 {
                    for (from, _) in &mut moves {
                        let copy = self.register(0);
                        self.push(Act::Move, *from, none, copy, 0);
                        *from = copy;
                    }
                }
                for (from, to) in moves {
                    self.push(Act::Move, from, none, to, 0);
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// The register that holds a term after the operations that compute it.
    fn term(&mut self, root: TermId) -> Option<Reg> {
        let mut done: FxHashMap<TermId, Reg> = FxHashMap::default();
        for term in postorder(self.terms, root) {
            let variable = self.terms.applied(term).filter(|_| self.terms.args(term).is_empty());
            let register = match variable {
                Some(variable) => *self.of_variable.get(&variable)?,
                None => self.compute(term, &done)?,
            };
            done.insert(term, register);
        }
        done.get(&root).copied()
    }

    fn compute(&mut self, term: TermId, done: &FxHashMap<TermId, Reg>) -> Option<Reg> {
        let args: Vec<Reg> =
            self.terms.args(term).iter().map(|arg| done.get(arg).copied()).collect::<Option<_>>()?;
        let plain = |sort| matches!(sort, SortId::INT | SortId::BOOL);
        if !plain(self.terms.sort(term)) || !self.terms.args(term).iter().all(|&a| plain(self.terms.sort(a)))
        {
            return None;
        }
        let literal = match (self.terms.op(term), self.terms.literal(term)) {
            (SmtOp::True, _) => Some(1),
            (SmtOp::False, _) => Some(0),
            (_, Some(Const::Nat(number))) => Some(i64::try_from(number).ok()?),
            _ => None,
        };
        if let Some(value) = literal {
            if let Some(&register) = self.of_literal.get(&term) {
                return Some(register);
            }
            let register = self.register(value);
            self.of_literal.insert(term, register);
            return Some(register);
        }
        let (act, swap) = match self.terms.op(term) {
            SmtOp::Add => (Act::Add, false),
            SmtOp::Sub => (Act::Sub, false),
            SmtOp::Mul => (Act::Mul, false),
            SmtOp::And => (Act::And, false),
            SmtOp::Or => (Act::Or, false),
            SmtOp::IntDiv if args.len() == 2 => (Act::Div, false),
            SmtOp::Mod => (Act::Mod, false),
            SmtOp::Neg => (Act::Neg, false),
            SmtOp::Not => (Act::Not, false),
            SmtOp::Eq if args.len() == 2 => (Act::Eq, false),
            SmtOp::Distinct if args.len() == 2 => (Act::Ne, false),
            SmtOp::Lt if args.len() == 2 => (Act::Lt, false),
            SmtOp::Le if args.len() == 2 => (Act::Le, false),
            SmtOp::Gt if args.len() == 2 => (Act::Lt, true),
            SmtOp::Ge if args.len() == 2 => (Act::Le, true),
            _ => return None,
        };
        let mut result = *args.first()?;
        if let (true, &[a, b]) = (swap, &args[..]) {
            let into = self.register(0);
            self.push(act, b, a, into, 0);
            return Some(into);
        }
        if args.len() == 1 {
            let into = self.register(0);
            self.push(act, result, result, into, 0);
            return Some(into);
        }
        for &arg in &args[1..] {
            let into = self.register(0);
            self.push(act, result, arg, into, 0);
            result = into;
        }
        Some(result)
    }
}
