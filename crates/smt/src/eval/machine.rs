//! The machine: a stack of frames for what is still to do, a stack of values for what is done.
//!
//! Every frame that starts a term ends up pushing exactly one value. A frame that waits for values is pushed
//! before the frames that provide them.

use super::notes::{LAMBDA, OPEN, SHARED};
use super::operator::{Call, Fault};
use super::pull::Pull;
use super::scope::Scopes;
use super::{Env, EvalError, Evaluator, MAX_BITS, MAX_CALLS, MAX_INSTANCES, Meaning};
use crate::op::Op;
use crate::sort::{Sort, SortId};
use crate::term::{Const, FunId, Role, TermId};
use crate::value::{Finite, Value, combination, named_element, product};
use std::sync::Arc;

/// The memory of the machine.
#[derive(Default)]
pub(super) struct Stack {
    pub(super) frames: Vec<Frame>,
    pub(super) values: Vec<Value>,
    pub(super) scopes: Scopes,
}

impl Stack {
    pub(super) fn clear(&mut self) {
        self.frames.clear();
        self.values.clear();
        self.scopes.clear();
    }

    pub(super) fn pop(&mut self, term: TermId) -> Result<Value, EvalError> {
        self.values.pop().ok_or(EvalError::Sort(term))
    }

    fn pop_bool(&mut self, term: TermId) -> Result<bool, EvalError> {
        self.pop(term)?.as_bool().ok_or(EvalError::Sort(term))
    }
}

/// Something to do.
pub(super) enum Frame {
    /// Evaluate a term.
    Start(TermId),
    /// Apply the head of a term to its arguments, which are the last values.
    Apply(TermId),
    /// Go on with `and`, `or`, `=>` after the argument before this one.
    Logic(TermId, usize),
    /// Choose a branch of an `ite`.
    Branch(TermId),
    /// Remember the last value for a term.
    Keep(TermId),
    /// Close the innermost scope.
    Exit,
    /// Go on with a binder after an instance.
    Instances(Box<Instances>),
    /// Go on with reading an array without evaluating all of it.
    Pull(Box<Pull>),
}

/// A binder whose body is evaluated for all values of its variables.
pub(super) struct Instances {
    term: TermId,
    domains: Vec<Arc<Finite>>,
    count: u64,
    done: u64,
    /// Where the values of the instances begin; only a lambda keeps them.
    base: usize,
}

impl<'a> Evaluator<'a> {
    /// Values of terms. What they have in common is evaluated once.
    pub(super) fn run(
        &mut self,
        roots: &[TermId],
        env: &mut dyn Env,
        mut found: impl FnMut(Value),
    ) -> Result<(), EvalError> {
        self.stack.clear();
        for &root in roots {
            self.notes.look(self.terms, root, roots.len() > 1);
        }
        self.stack.scopes.open_call(std::iter::empty());
        for &root in roots {
            found(self.one(root, env)?);
        }
        Ok(())
    }

    fn one(&mut self, root: TermId, env: &mut dyn Env) -> Result<Value, EvalError> {
        self.stack.frames.push(Frame::Start(root));
        while let Some(frame) = self.stack.frames.pop() {
            match frame {
                Frame::Start(term) => self.start(term)?,
                Frame::Apply(term) => self.apply(term, env)?,
                Frame::Logic(term, next) => self.logic(term, next)?,
                Frame::Branch(term) => self.branch(term)?,
                Frame::Keep(term) => self.keep(term),
                Frame::Exit => self.stack.scopes.close(),
                Frame::Instances(instances) => self.instance_done(instances)?,
                Frame::Pull(pull) => self.pull_on(*pull)?,
            }
        }
        self.stack.pop(root)
    }

    pub(super) fn spend(&mut self) -> Result<(), EvalError> {
        self.left = self.left.checked_sub(1).ok_or(EvalError::Fuel)?;
        Ok(())
    }

    /// Begins a term: pushes its value, or frames that will.
    fn start(&mut self, term: TermId) -> Result<(), EvalError> {
        self.spend()?;
        let op = self.terms.op(term);
        let leaf = match op {
            Op::Const => Some(self.literal(term)?),
            Op::Var => Some(self.variable(term)?),
            Op::Error => return Err(EvalError::Sort(term)),
            _ => None,
        };
        if let Some(value) = leaf {
            self.stack.values.push(value);
            return Ok(());
        }
        if let Some(place) = self.place(term) {
            if let Some(value) = self.stack.scopes.remembered(place, term) {
                self.stack.values.push(value.clone());
                return Ok(());
            }
            self.stack.frames.push(Frame::Keep(term));
        }
        let args = self.terms.args(term);
        let frames = &mut self.stack.frames;
        match (op, args) {
            (Op::And | Op::Or | Op::Implies, [first, ..]) => {
                frames.extend([Frame::Logic(term, 1), Frame::Start(*first)]);
            }
            (Op::Ite, [condition, _, _]) => frames.extend([Frame::Branch(term), Frame::Start(*condition)]),
            (Op::Forall | Op::Exists | Op::Lambda, _) => self.start_binder(term)?,
            (Op::Select, [array, index]) if self.notes.of(*array) & LAMBDA != 0 => {
                frames.extend([Frame::Pull(Box::new(Pull::index(*array))), Frame::Start(*index)]);
            }
            _ => self.start_args(Frame::Apply(term), term),
        }
        Ok(())
    }

    /// Evaluates the arguments of a term from left to right, then goes on with `frame`.
    pub(super) fn start_args(&mut self, frame: Frame, term: TermId) {
        self.stack.frames.push(frame);
        self.stack.frames.extend(self.terms.args(term).iter().rev().map(|&arg| Frame::Start(arg)));
    }

    /// Where the value of a term is remembered, if it is.
    fn place(&self, term: TermId) -> Option<usize> {
        let marks = self.notes.of(term);
        self.stack.scopes.place(marks & SHARED != 0, marks & OPEN != 0)
    }

    fn keep(&mut self, term: TermId) {
        if let (Some(place), Some(value)) = (self.place(term), self.stack.values.last()) {
            self.stack.scopes.remember(place, term, value.clone());
        }
    }

    fn variable(&self, term: TermId) -> Result<Value, EvalError> {
        self.stack.scopes.variable(term).cloned().ok_or(EvalError::Unbound(term))
    }

    fn literal(&self, term: TermId) -> Result<Value, EvalError> {
        match self.terms.literal(term) {
            Some(Const::Nat(value)) => Ok(Value::Int(value.clone().into())),
            Some(Const::Decimal(value)) => Ok(Value::Real(value.clone())),
            Some(Const::Bits(width, _)) if *width as usize > MAX_BITS => Err(EvalError::TooWide(term)),
            Some(Const::Bits(width, value)) => Ok(Value::BitVec { width: *width, value: value.clone() }),
            Some(Const::Str(text)) => Ok(Value::Str((&**text).into())),
            _ => Err(EvalError::Sort(term)),
        }
    }

    fn logic(&mut self, term: TermId, next: usize) -> Result<(), EvalError> {
        let args = self.terms.args(term);
        let last = self.stack.pop_bool(term)?;
        let (ends, result) = match self.terms.op(term) {
            Op::And => (!last, last),
            Op::Or => (last, last),
            _ => (!last, true),
        };
        match args.get(next) {
            Some(&arg) if !ends => {
                self.stack.frames.extend([Frame::Logic(term, next + 1), Frame::Start(arg)])
            }
            Some(_) => self.stack.values.push(Value::Bool(result)),
            None => self.stack.values.push(Value::Bool(last)),
        }
        Ok(())
    }

    fn branch(&mut self, term: TermId) -> Result<(), EvalError> {
        let condition = self.stack.pop_bool(term)?;
        let chosen = self.terms.args(term)[if condition { 1 } else { 2 }];
        self.stack.frames.push(Frame::Start(chosen));
        Ok(())
    }

    fn apply(&mut self, term: TermId, env: &mut dyn Env) -> Result<(), EvalError> {
        let node = self.terms.node(term);
        let base = self.stack.values.len() - self.terms.args(term).len();
        if let Some(fun) = self.terms.applied(term) {
            return self.apply_fun(term, fun, base, env);
        }
        let mut call = Call {
            op: node.op,
            index: node.payload,
            sort: node.sort,
            shape: self.terms.sorts.get(node.sort),
            catalog: &mut self.catalog,
            open: false,
        };
        let answer = call.apply(&mut self.stack.values[base..]);
        if call.open {
            self.unspecified.get_or_insert(term);
        }
        let value = answer.map_err(|fault| match fault {
            Fault::Sort => EvalError::Sort(term),
            Fault::TooWide => EvalError::TooWide(term),
            Fault::Unsupported => EvalError::Unsupported(node.op),
            Fault::NoValue(sort) => EvalError::NoValue(sort),
        })?;
        self.replace_args(base, value);
        Ok(())
    }

    fn replace_args(&mut self, base: usize, value: Value) {
        self.stack.values.truncate(base);
        self.stack.values.push(value);
    }

    fn apply_fun(
        &mut self,
        term: TermId,
        fun: FunId,
        base: usize,
        env: &mut dyn Env,
    ) -> Result<(), EvalError> {
        let sort = self.terms.sort(term);
        match (&self.terms.fun(fun).role, &self.stack.values[base..]) {
            (Role::Constructor(position), _) => {
                let fields: Arc<[Value]> = self.stack.values.drain(base..).collect();
                self.stack.values.push(Value::data(sort, *position, fields));
            }
            (Role::Tester(position), [Value::Data(data)]) => {
                let is = data.constructor() == *position;
                self.replace_args(base, Value::Bool(is));
            }
            (Role::Selector(position, field), [Value::Data(data)]) => {
                let value = data.fields().get(*field as usize).filter(|_| data.constructor() == *position);
                let value = match value {
                    Some(value) => value.clone(),
                    None => self.open_selection(term, sort)?,
                };
                self.replace_args(base, value);
            }
            (Role::Tester(_) | Role::Selector(..), _) => return Err(EvalError::Sort(term)),
            _ => return self.call(term, fun, base, env),
        }
        Ok(())
    }

    /// What a selector gives for another constructor.
    fn open_selection(&mut self, term: TermId, sort: SortId) -> Result<Value, EvalError> {
        self.unspecified.get_or_insert(term);
        self.catalog.default_of(sort).ok_or(EvalError::NoValue(sort))
    }

    fn call(&mut self, term: TermId, fun: FunId, base: usize, env: &mut dyn Env) -> Result<(), EvalError> {
        if let Some((params, body)) = self.terms.definition(fun) {
            self.enter(term, params, body)?;
            self.stack.frames.push(Frame::Start(body));
            return Ok(());
        }
        let meaning = env.meaning(fun, &self.stack.values[base..]);
        match meaning.or_else(|| named_element(self.terms, fun).map(Meaning::Value)) {
            Some(Meaning::Value(value)) if value.has_sort(&self.terms.sorts, self.terms.fun(fun).result) => {
                self.replace_args(base, value);
                Ok(())
            }
            Some(Meaning::Value(_)) => Err(EvalError::Sort(term)),
            Some(Meaning::Body(params, body)) if self.terms.sort(body) == self.terms.fun(fun).result => {
                self.enter(term, &params, body)?;
                self.stack.frames.push(Frame::Start(body));
                Ok(())
            }
            Some(Meaning::Body(..)) => Err(EvalError::Sort(term)),
            None => Err(EvalError::Missing(fun)),
        }
    }

    /// Opens the scope of a function's body; the arguments are the last values.
    pub(super) fn enter(&mut self, term: TermId, params: &[TermId], body: TermId) -> Result<(), EvalError> {
        let base = self.stack.values.len() - self.terms.args(term).len();
        if params.len() != self.stack.values.len() - base {
            return Err(EvalError::Sort(term));
        }
        if self.stack.scopes.len() > MAX_CALLS {
            return Err(EvalError::Fuel);
        }
        self.notes.look(self.terms, body, false);
        self.stack.scopes.open_call(params.iter().copied().zip(self.stack.values.drain(base..)));
        self.stack.frames.push(Frame::Exit);
        Ok(())
    }

    fn start_binder(&mut self, term: TermId) -> Result<(), EvalError> {
        let refused = match self.terms.op(term) {
            Op::Lambda => EvalError::Lambda(term),
            _ => EvalError::Quantifier(term),
        };
        let args = self.terms.args(term);
        let mut domains = Vec::new();
        for &var in &args[..args.len() - 1] {
            let sort = self.terms.sort(var);
            let domain = self.catalog.finite(sort).map_err(|bad| EvalError::NoValue(bad.0))?;
            domains.push(domain.ok_or(refused)?);
        }
        let count = product(&domains).filter(|&count| count <= MAX_INSTANCES).ok_or(refused)?;
        let base = self.stack.values.len();
        self.next_instance(Box::new(Instances { term, domains, count, done: 0, base }))
    }

    fn next_instance(&mut self, instances: Box<Instances>) -> Result<(), EvalError> {
        let term = instances.term;
        if instances.done == instances.count {
            let value = match self.terms.op(term) {
                Op::Lambda => self.tabulate(&instances)?,
                op => Value::Bool(op == Op::Forall),
            };
            self.replace_args(instances.base, value);
            return Ok(());
        }
        let args = self.terms.args(term);
        let values = combination(&instances.domains, instances.done);
        self.stack.scopes.open_instance(args.iter().copied().zip(values));
        self.stack.frames.extend([Frame::Instances(instances), Frame::Start(args[args.len() - 1])]);
        Ok(())
    }

    fn instance_done(&mut self, mut instances: Box<Instances>) -> Result<(), EvalError> {
        self.stack.scopes.close();
        instances.done += 1;
        let op = self.terms.op(instances.term);
        if op != Op::Lambda {
            let holds = self.stack.pop_bool(instances.term)?;
            if holds == (op == Op::Exists) {
                self.stack.values.push(Value::Bool(holds));
                return Ok(());
            }
        }
        self.next_instance(instances)
    }

    /// The array whose values are those of all instances.
    fn tabulate(&mut self, instances: &Instances) -> Result<Value, EvalError> {
        // A lambda over several variables is an array of arrays.
        let mut sorts = vec![self.terms.sort(instances.term)];
        for _ in 1..instances.domains.len() {
            let Sort::Array(_, element) = *self.terms.sorts.get(sorts[sorts.len() - 1]) else {
                return Err(EvalError::Sort(instances.term));
            };
            sorts.push(element);
        }
        let mut values = self.stack.values.split_off(instances.base);
        for (&sort, domain) in sorts.iter().zip(&instances.domains).rev() {
            let rows = values.chunks(domain.count() as usize);
            let arrays: Result<Vec<Value>, _> = rows.map(|row| self.catalog.array_of(sort, row)).collect();
            values = arrays.map_err(|bad| EvalError::NoValue(bad.0))?;
        }
        values.pop().ok_or(EvalError::Sort(instances.term))
    }
}
