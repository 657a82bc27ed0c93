//! Bit-vectors in the place of integers, for languages that have only those.
//!
//! This changes the system: sums and products wrap around at the chosen width, and a division by zero has the value that it
//! has for bit-vectors. Who asks for it says that his numbers stay in the range, or that he means machine integers. A literal
//! that does not fit into the width with a sign is refused.
//!
//! Back: [`Narrowed::trace`] makes numbers of bit-vectors. They are an execution of the system if nothing wrapped around, which
//! [`Trace::check`] tells. An invariant says nothing about the system.

use crate::system::{State, System};
use crate::trace::Trace;
use dashu_int::{IBig, UBig};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::check::RankError;
use smt::eval::Assignment;
use smt::op::{Op, Theory};
use smt::sort::{Sort, SortId};
use smt::subst::rebuild;
use smt::term::{Const, Fun, FunId, TermId, Terms};
use smt::value::Value;

/// What cannot become bit-vectors.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum NotNarrow {
    /// A literal that does not fit.
    Literal(UBig),
    /// An operator.
    Op(Op),
    /// A symbol whose sort has integers inside of something else than arrays.
    Symbol(FunId),
}

impl NotNarrow {
    /// The reason as a phrase.
    #[must_use]
    pub fn message(&self, terms: &Terms, width: u32) -> String {
        match self {
            NotNarrow::Literal(value) => {
                format!("the number {value} does not fit into {width} bits with a sign")
            }
            NotNarrow::Op(op) => {
                format!("`{}` has no meaning for bit-vectors in the place of integers", op.name())
            }
            NotNarrow::Symbol(fun) => {
                format!(
                    "the sort of `{}` cannot have bit-vectors in the place of integers",
                    terms.fun_name(*fun)
                )
            }
        }
    }
}

/// A system without integers, and whose symbols its own stand for.
#[derive(Clone, Debug)]
pub struct Narrowed {
    /// The system.
    pub system: System,
    /// New symbols with the old ones.
    symbols: Vec<(FunId, FunId)>,
}

/// The system with bit-vectors of `width` bits in the place of integers. Symbols without integers stay what they are.
///
/// # Errors
/// What has no counterpart.
pub fn int_width(terms: &mut Terms, system: &System, width: u32) -> Result<Narrowed, NotNarrow> {
    let taken = system.states.iter().flat_map(|state| [state.now, state.next]);
    let taken = taken.chain(system.inputs.iter().chain(&system.rigid).copied()).collect();
    let mut pass =
        Pass { terms, width: width.max(1), taken, symbols: FxHashMap::default(), done: FxHashMap::default() };
    let mut made = system.clone();
    for state in &mut made.states {
        *state = State { now: pass.symbol(state.now)?, next: pass.symbol(state.next)? };
    }
    for fun in made.inputs.iter_mut().chain(&mut made.rigid) {
        *fun = pass.symbol(*fun)?;
    }
    for formula in made.formulas_mut() {
        *formula = pass.term(*formula)?;
    }
    let mut symbols: Vec<(FunId, FunId)> = pass.symbols.into_iter().map(|(old, new)| (new, old)).collect();
    symbols.sort_unstable();
    Ok(Narrowed { system: made, symbols })
}

impl Narrowed {
    /// The values as integers again.
    pub fn trace(&self, terms: &mut Terms, system: &System, trace: &Trace) -> Trace {
        let old: FxHashMap<FunId, FunId> = self.symbols.iter().copied().collect();
        let mut found = Trace { back: trace.back, ..Trace::default() };
        found.rigid = widened(terms, &old, &trace.rigid);
        found.steps = trace.steps.iter().map(|step| widened(terms, &old, step)).collect();
        debug_assert!(self.system.states.len() == system.states.len());
        found
    }
}

fn widened(terms: &mut Terms, old: &FxHashMap<FunId, FunId>, values: &Assignment) -> Assignment {
    let mut found = Assignment::new();
    for fun in values.funs() {
        let Some(value) = values.get(fun) else { continue };
        let Some(&old) = old.get(&fun) else { continue };
        let sort = terms.fun(old).result;
        if let Some(value) = wide(terms, value, sort) {
            found.set(old, value);
        }
    }
    found
}

/// A value as one of a sort that has integers where its own has bit-vectors.
fn wide(terms: &mut Terms, value: &Value, sort: SortId) -> Option<Value> {
    match (value, terms.sorts.get(sort).clone()) {
        (Value::BitVec { width, value }, Sort::Int) => {
            let number = IBig::from(value.clone());
            let half = IBig::ONE << (*width as usize - 1);
            Some(Value::Int(if number >= half { number - (half << 1) } else { number }))
        }
        (Value::Array(array), Sort::Array(index, element)) if array.sort() != sort => {
            // Elements are flat: arrays of arrays of integers are refused.
            let default = wide(terms, array.default(), element)?;
            let mut made = Value::const_array(terms, sort, default)?;
            for (place, held) in array.entries() {
                let (place, held) = (wide(terms, place, index)?, wide(terms, held, element)?);
                if let Value::Array(made) = &mut made {
                    std::sync::Arc::make_mut(made).store(place, held);
                }
            }
            Some(made)
        }
        _ => Some(value.clone()),
    }
}

struct Pass<'t> {
    terms: &'t mut Terms,
    width: u32,
    /// The system's symbols.
    taken: FxHashSet<FunId>,
    symbols: FxHashMap<FunId, FunId>,
    done: FxHashMap<TermId, TermId>,
}

type Narrow<T> = Result<T, NotNarrow>;

impl Pass<'_> {
    fn flat(&mut self, sort: SortId) -> SortId {
        if sort == SortId::INT { self.terms.sorts.bit_vec(self.width) } else { sort }
    }

    /// The sort without integers; those of arrays of arrays stay, and are refused where they are met.
    fn sort(&mut self, sort: SortId) -> SortId {
        match *self.terms.sorts.get(sort) {
            Sort::Array(index, element) => {
                let (index, element) = (self.flat(index), self.flat(element));
                self.terms.sorts.array(index, element)
            }
            _ => self.flat(sort),
        }
    }

    fn symbol(&mut self, fun: FunId) -> Narrow<FunId> {
        if let Some(&new) = self.symbols.get(&fun) {
            return Ok(new);
        }
        let Fun { params, result, role, .. } = self.terms.fun(fun).clone();
        let new_params: Box<[SortId]> = params.iter().map(|&param| self.sort(param)).collect();
        let new_result = self.sort(result);
        if smt::print::sort_text(self.terms, new_result).contains("Int") {
            return Err(NotNarrow::Symbol(fun));
        }
        let new = if (&new_params, new_result) == (&params, result) {
            fun
        } else {
            // The name stays what it was: a function is its name and its rank.
            let (name, constant) = (self.terms.fun(fun).name, new_params.is_empty());
            let new = self.terms.declare(Fun { name, params: new_params, result: new_result, role });
            if constant && self.taken.contains(&new) {
                // Unless the system has that one too.
                let name = self.terms.fun_name(fun).to_owned();
                self.terms.fresh(&name, new_result)
            } else {
                new
            }
        };
        self.symbols.insert(fun, new);
        Ok(new)
    }

    fn term(&mut self, root: TermId) -> Narrow<TermId> {
        let mut todo = vec![(root, false)];
        while let Some((term, ready)) = todo.pop() {
            if self.done.contains_key(&term) {
                continue;
            }
            let op = self.terms.op(term);
            if !ready && !self.terms.args(term).is_empty() {
                if op.is_binder() {
                    return Err(NotNarrow::Op(op));
                }
                todo.push((term, true));
                // The literal below a minus may be one larger than one without.
                let literal = op == Op::Neg && self.terms.op(self.terms.args(term)[0]) == Op::Const;
                if !literal {
                    todo.extend(self.terms.args(term).iter().map(|&arg| (arg, false)));
                }
                continue;
            }
            let new = self.build(term, op)?;
            self.done.insert(term, new);
        }
        Ok(self.done[&root])
    }

    fn build(&mut self, term: TermId, op: Op) -> Narrow<TermId> {
        let old = self.terms.args(term).to_vec();
        let args: Vec<TermId> = old.iter().filter_map(|arg| self.done.get(arg).copied()).collect();
        let applied = match op {
            Op::Const => return self.literal(term),
            Op::App => {
                let Some(fun) = self.terms.applied(term) else { return Err(NotNarrow::Op(op)) };
                let fun = self.symbol(fun)?;
                self.terms.call(fun, &args)
            }
            Op::Neg if args.is_empty() => return self.negative(old[0]),
            Op::ConstArray => {
                let sort = self.sort(self.terms.sort(term));
                self.terms.const_array(sort, args[0])
            }
            Op::UbvToInt | Op::SbvToInt => self.resized(args[0], self.width, op == Op::SbvToInt),
            Op::IntToBv => {
                let width = self.terms.sorts.width(self.terms.sort(term)).unwrap_or(1);
                self.resized(args[0], width, true)
            }
            _ if op.info().theory == Theory::Arith => self.arith(term, op, &args)?,
            Op::Eq | Op::Distinct | Op::Ite | Op::Select | Op::Store => self.terms.app(op, &args),
            _ if old.iter().zip(&args).any(|(&a, &b)| self.terms.sort(a) != self.terms.sort(b)) => {
                return Err(NotNarrow::Op(op));
            }
            _ => Ok(rebuild(self.terms, term, &args)),
        };
        applied.map_err(|_| NotNarrow::Op(op))
    }

    fn literal(&mut self, term: TermId) -> Narrow<TermId> {
        let Some(Const::Nat(value)) = self.terms.literal(term) else { return Ok(term) };
        let value = value.clone();
        if value >= UBig::ONE << (self.width as usize - 1) {
            return Err(NotNarrow::Literal(value));
        }
        Ok(self.terms.bits(self.width, value))
    }

    fn negative(&mut self, literal: TermId) -> Narrow<TermId> {
        let Some(Const::Nat(value)) = self.terms.literal(literal) else { return Err(NotNarrow::Op(Op::Neg)) };
        let value = value.clone();
        if value > UBig::ONE << (self.width as usize - 1) {
            return Err(NotNarrow::Literal(value));
        }
        let modulus = UBig::ONE << self.width as usize;
        Ok(self.terms.bits(self.width, modulus - value))
    }

    /// A bit-vector of another width, with a sign or without; higher bits are cut off.
    fn resized(&mut self, term: TermId, width: u32, signed: bool) -> Result<TermId, RankError> {
        let old = self.terms.sorts.width(self.terms.sort(term)).unwrap_or(1);
        match width.cmp(&old) {
            std::cmp::Ordering::Equal => Ok(term),
            std::cmp::Ordering::Less => self.terms.app_indexed(Op::Extract, &[width - 1, 0], &[term]),
            std::cmp::Ordering::Greater => {
                let op = if signed { Op::SignExtend } else { Op::ZeroExtend };
                self.terms.app_indexed(op, &[width - old], &[term])
            }
        }
    }

    fn arith(&mut self, term: TermId, op: Op, args: &[TermId]) -> Narrow<Result<TermId, RankError>> {
        if self.terms.args(term).iter().any(|&arg| self.terms.sort(arg) == SortId::REAL)
            || self.terms.sort(term) == SortId::REAL
        {
            return Err(NotNarrow::Op(op));
        }
        Ok(match op {
            Op::Neg => self.terms.app(Op::BvNeg, args),
            Op::Add => self.terms.app(Op::BvAdd, args),
            Op::Mul => self.terms.app(Op::BvMul, args),
            Op::Sub => self.fold(args, |pass, a, b| pass.terms.app(Op::BvSub, &[a, b])),
            Op::IntDiv => self.fold(args, Self::quotient),
            Op::Mod => self.remainder(args[0], args[1]),
            Op::Abs => self.magnitude(args[0]),
            Op::Le => self.chain(Op::BvSle, args),
            Op::Lt => self.chain(Op::BvSlt, args),
            Op::Ge => self.chain(Op::BvSge, args),
            Op::Gt => self.chain(Op::BvSgt, args),
            _ => return Err(NotNarrow::Op(op)),
        })
    }

    fn fold(
        &mut self,
        args: &[TermId],
        step: impl Fn(&mut Self, TermId, TermId) -> Result<TermId, RankError>,
    ) -> Result<TermId, RankError> {
        let mut all = args[0];
        for &next in &args[1..] {
            all = step(self, all, next)?;
        }
        Ok(all)
    }

    fn chain(&mut self, op: Op, args: &[TermId]) -> Result<TermId, RankError> {
        let pairs: Result<Vec<TermId>, RankError> =
            args.windows(2).map(|pair| self.terms.app(op, pair)).collect();
        let pairs = pairs?;
        Ok(self.terms.and(&pairs))
    }

    fn is_negative(&mut self, a: TermId) -> Result<TermId, RankError> {
        let zero = self.terms.bits(self.width, UBig::ZERO);
        self.terms.app(Op::BvSlt, &[a, zero])
    }

    fn magnitude(&mut self, a: TermId) -> Result<TermId, RankError> {
        let (negative, opposite) = (self.is_negative(a)?, self.terms.app(Op::BvNeg, &[a])?);
        self.terms.app(Op::Ite, &[negative, opposite, a])
    }

    /// The remainder of integers is never negative.
    fn remainder(&mut self, a: TermId, b: TermId) -> Result<TermId, RankError> {
        let rest = self.terms.app(Op::BvSrem, &[a, b])?;
        let (negative, magnitude) = (self.is_negative(rest)?, self.magnitude(b)?);
        let moved = self.terms.app(Op::BvAdd, &[rest, magnitude])?;
        self.terms.app(Op::Ite, &[negative, moved, rest])
    }

    /// The quotient that goes with that remainder: one below or above the truncated one when the remainder was moved.
    fn quotient(&mut self, a: TermId, b: TermId) -> Result<TermId, RankError> {
        let (quotient, rest) = (self.terms.app(Op::BvSdiv, &[a, b])?, self.terms.app(Op::BvSrem, &[a, b])?);
        let (moved, divisor) = (self.is_negative(rest)?, self.is_negative(b)?);
        let one = self.terms.bits(self.width, UBig::ONE);
        let (up, down) =
            (self.terms.app(Op::BvAdd, &[quotient, one])?, self.terms.app(Op::BvSub, &[quotient, one])?);
        let other = self.terms.app(Op::Ite, &[divisor, up, down])?;
        self.terms.app(Op::Ite, &[moved, other, quotient])
    }
}
