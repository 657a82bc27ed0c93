//! From words to bits: a system in functional form over Booleans, bit-vectors and small arrays as an and-inverter graph.
//!
//! Every value is a list of literals, the lowest bit first; an array is its elements one after the other. The circuits are
//! the textbook ones, linear for sums and comparisons, quadratic for products and quotients; the graph merges equal gates.
//!
//! A variable that begins and goes on with any value is made of inputs. One that only goes on with any value is made of
//! latches whose next values are inputs of their own.
//!
//! Back: [`Blasted::trace`] makes values of bits, [`Blasted::formula`] makes formulas of literals, from which engines build
//! invariants; both lead to the functional form, whose own way back leads to the system.

mod array;
mod circuit;
mod question;
mod term;

use super::functional::{Functional, Register, is_literal};
use crate::aig::{Aig, Lit, Node, Step};
use crate::system::PropertyKind;
use crate::trace::Trace;
use dashu_int::UBig;
use dashu_int::ops::BitTest;
pub use question::Question;
use smt::eval::Assignment;
use smt::op::{Op, Theory};
use smt::print::{sort_text, symbol_text};
use smt::sort::{Sort, SortId};
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;
use std::sync::Arc;
use term::Blaster;

/// The largest number of bits of one value.
pub const MAX_BITS: usize = 1 << 17;

/// The largest number of nodes of a circuit.
pub const MAX_NODES: usize = 1 << 26;

/// Why a system has no circuit.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Unsupported {
    /// A sort whose values are no bits.
    Sort(SortId),
    /// A sort whose values are too many bits.
    Large(SortId),
    /// An operator.
    Op(Op),
    /// A function without a definition.
    Function(FunId),
    /// An LTL formula.
    Temporal,
    /// The circuit would have more than [`MAX_NODES`] nodes.
    Size,
}

impl Unsupported {
    /// The reason as a phrase.
    #[must_use]
    pub fn message(&self, terms: &Terms) -> String {
        match self {
            Unsupported::Sort(sort) => format!("the sort {}", sort_text(terms, *sort)),
            Unsupported::Large(sort) => {
                format!("a value of more than 2^17 bits, of sort {}", sort_text(terms, *sort))
            }
            Unsupported::Op(op) => format!("`{}`", op.name()),
            Unsupported::Function(fun) => {
                format!("the uninterpreted function `{}`", symbol_text(terms.fun_name(*fun)))
            }
            Unsupported::Temporal => "an LTL formula".to_owned(),
            Unsupported::Size => "a circuit of more than 2^26 gates".to_owned(),
        }
    }
}

/// What cannot be made of bits, and where it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// What it is.
    pub what: Unsupported,
    /// The place in the system, as a phrase.
    pub place: String,
}

impl Refusal {
    /// The refusal as a phrase.
    #[must_use]
    pub fn message(&self, terms: &Terms) -> String {
        format!("{} in {}", self.what.message(terms), self.place)
    }

    /// True when bit-vectors in the place of integers would help.
    #[must_use]
    pub fn is_about_integers(&self) -> bool {
        match self.what {
            Unsupported::Sort(sort) => sort == SortId::INT,
            Unsupported::Op(op) => op.info().theory == Theory::Arith,
            _ => false,
        }
    }
}

/// A variable as bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The variable.
    pub fun: FunId,
    /// Its sort.
    pub sort: SortId,
    /// Its bits: inputs or latches.
    pub bits: Vec<Lit>,
}

/// What a property is in a circuit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// A bad literal, by its position.
    Bad(usize),
    /// A justice property, by its position.
    Justice(usize),
}

/// A circuit, and what its bits mean.
#[derive(Clone, Debug)]
pub struct Blasted {
    /// The circuit.
    pub aig: Aig,
    /// The variables: registers in their order, then inputs in theirs.
    pub variables: Vec<Variable>,
    /// The properties, in their order.
    pub claims: Vec<Claim>,
    /// For each node the variable and the position among its bits.
    owners: Vec<Option<(u32, u32)>>,
}

/// The circuit of a system in functional form.
///
/// # Errors
/// What cannot be made of bits.
pub fn bitblast(terms: &Terms, system: &Functional) -> Result<Blasted, Refusal> {
    let name = |fun: FunId| symbol_text(terms.fun_name(fun));
    if let Some(&fun) = system.rigid.first() {
        return Err(Refusal { what: Unsupported::Function(fun), place: "the system".to_owned() });
    }
    let mut blaster = Blaster::new(terms);
    let mut variables = Vec::new();
    for register in &system.registers {
        let bits = latches(&mut blaster, terms, register)
            .map_err(|what| Refusal { what, place: format!("`{}`", name(register.state)) })?;
        variables.push(Variable { fun: register.state, sort: terms.fun(register.state).result, bits });
    }
    for &fun in &system.inputs {
        let sort = terms.fun(fun).result;
        let count = bit_count(terms, sort)
            .map_err(|what| Refusal { what, place: format!("the input `{}`", name(fun)) })?;
        variables.push(Variable { fun, sort, bits: (0..count).map(|_| blaster.aig.input()).collect() });
    }
    for variable in &variables {
        blaster.define(variable.fun, &variable.bits);
    }
    for (register, variable) in system.registers.iter().zip(&variables) {
        let next = match (register.init, register.next) {
            (None, None) => continue,
            (_, Some(next)) => blaster.term(next).map_err(|what| Refusal {
                what,
                place: format!("the next value of `{}`", name(register.state)),
            })?,
            (_, None) => variable.bits.iter().map(|_| blaster.aig.input()).collect(),
        };
        for (&latch, &next) in variable.bits.iter().zip(&next) {
            blaster.aig.set_next(latch, next);
        }
    }
    let claims = claims(&mut blaster, system)?;
    Ok(Blasted::new(blaster.aig, variables, claims))
}

/// The bits of a register.
fn latches(blaster: &mut Blaster<'_>, terms: &Terms, register: &Register) -> Result<Vec<Lit>, Unsupported> {
    let count = bit_count(terms, terms.fun(register.state).result)?;
    let reset = match register.init {
        Some(value) if is_literal(terms, value) => Some(blaster.term(value)?),
        // The functional form is asked for with literals; another value would be lost.
        Some(value) => return Err(Unsupported::Op(terms.op(value))),
        None => None,
    };
    let free = register.init.is_none() && register.next.is_none();
    let bit = |i: usize| match &reset {
        _ if free => blaster.aig.input(),
        Some(reset) => blaster.aig.latch(Some(reset[i] == Lit::TRUE)),
        None => blaster.aig.latch(None),
    };
    Ok((0..count).map(bit).collect())
}

fn claims(blaster: &mut Blaster<'_>, system: &Functional) -> Result<Vec<Claim>, Refusal> {
    for &constraint in &system.constraints {
        let lit = blaster.truth(constraint);
        let lit = lit.map_err(|what| Refusal { what, place: "a formula for all steps".to_owned() })?;
        blaster.aig.constraints.push(lit);
    }
    for output in &system.outputs {
        let bits = blaster.term(output.term);
        let bits = bits.map_err(|what| Refusal { what, place: format!("the output `{}`", output.name) })?;
        blaster.aig.outputs.extend(bits);
    }
    let mut claims = Vec::new();
    for property in &system.properties {
        let place = |what| Refusal { what, place: format!("property {}", property.index) };
        let mut lits = Vec::new();
        for &formula in property.formulas() {
            if matches!(property.kind, PropertyKind::Ltl(_)) {
                return Err(place(Unsupported::Temporal));
            }
            lits.push(!blaster.truth(formula).map_err(place)?);
        }
        if let PropertyKind::Live(_) = property.kind {
            claims.push(Claim::Justice(blaster.aig.justice.len()));
            blaster.aig.justice.push(lits);
        } else {
            claims.push(Claim::Bad(blaster.aig.bads.len()));
            blaster.aig.bads.extend(lits);
        }
    }
    Ok(claims)
}

/// The number of bits that values of a sort are made of.
///
/// # Errors
/// When they are none, or too many.
pub fn bit_count(terms: &Terms, sort: SortId) -> Result<usize, Unsupported> {
    let flat = |sort| match *terms.sorts.get(sort) {
        Sort::Bool => Ok(1),
        Sort::BitVec(width) => Ok(width as usize),
        _ => Err(Unsupported::Sort(sort)),
    };
    let count = match *terms.sorts.get(sort) {
        Sort::Array(index, element) => {
            let (index, element) = match (flat(index), flat(element)) {
                (Ok(index), Ok(element)) => (index, element),
                _ => return Err(Unsupported::Sort(sort)),
            };
            if index < 20 { element.checked_shl(index as u32) } else { None }
        }
        _ => Some(flat(sort)?),
    };
    count.filter(|&count| count <= MAX_BITS).ok_or(Unsupported::Large(sort))
}

/// The way back.
impl Blasted {
    fn new(aig: Aig, variables: Vec<Variable>, claims: Vec<Claim>) -> Blasted {
        let mut owners = vec![None; aig.nodes().len()];
        for (position, variable) in variables.iter().enumerate() {
            for (bit, lit) in variable.bits.iter().enumerate() {
                owners[lit.node() as usize] = Some((position as u32, bit as u32));
            }
        }
        Blasted { aig, variables, claims, owners }
    }

    /// The variable, by its position, and the bit that an input or a latch is; none for what is only the next value of a
    /// variable that goes on with any.
    #[must_use]
    pub fn owner(&self, lit: Lit) -> Option<(usize, usize)> {
        let (variable, bit) = self.owners[lit.node() as usize]?;
        Some((variable as usize, bit as usize))
    }

    fn bit(&self, step: &Step, lit: Lit) -> bool {
        let value = match self.aig.nodes()[lit.node() as usize] {
            Node::Input(position) => step.inputs.get(position as usize),
            Node::Latch(position) => step.latches.get(position as usize),
            _ => None,
        };
        value.copied().unwrap_or(false) != lit.is_negated()
    }

    /// The execution of the functional form that an execution of the circuit stands for.
    pub fn trace(&self, terms: &mut Terms, steps: &[Step], back: Option<usize>) -> Trace {
        let mut trace = Trace { back, ..Trace::default() };
        for step in steps {
            let mut values = Assignment::new();
            for variable in &self.variables {
                let bits: Vec<bool> = variable.bits.iter().map(|&lit| self.bit(step, lit)).collect();
                if let Some(value) = value(terms, variable.sort, &bits) {
                    values.set(variable.fun, value);
                }
            }
            trace.steps.push(values);
        }
        trace
    }

    /// The steps of the circuit that an execution of the functional form is, as far as its values are known; the others are
    /// zero. Inputs that are next values get them from the following step.
    #[must_use]
    pub fn steps(&self, terms: &Terms, trace: &Trace) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        for values in &trace.steps {
            let mut step = Step {
                latches: vec![false; self.aig.latches().len()],
                inputs: vec![false; self.aig.inputs().len()],
            };
            for variable in &self.variables {
                let Some(value) = values.get(variable.fun) else { continue };
                for (lit, bit) in variable.bits.iter().zip(bits(terms, variable.sort, value)) {
                    match self.aig.nodes()[lit.node() as usize] {
                        Node::Input(position) => step.inputs[position as usize] = bit,
                        Node::Latch(position) => step.latches[position as usize] = bit,
                        _ => {}
                    }
                }
            }
            steps.push(step);
        }
        for at in 0..steps.len() {
            let after = if at + 1 < steps.len() { Some(at + 1) } else { trace.back };
            let Some(after) = after.filter(|&after| after < steps.len()) else { continue };
            for (position, latch) in self.aig.latches().iter().enumerate() {
                if let (Node::Input(input), None) =
                    (self.aig.nodes()[latch.next.node() as usize], self.owner(latch.next))
                {
                    steps[at].inputs[input as usize] = steps[after].latches[position];
                }
            }
        }
        steps
    }

    /// An input or latch as a formula: which bit of which variable is set. None for gates and for inputs that are no
    /// variable's.
    pub fn formula(&self, terms: &mut Terms, lit: Lit) -> Option<TermId> {
        if lit.is_constant() {
            return Some(terms.bool(lit == Lit::TRUE));
        }
        let (position, mut bit) = self.owner(lit)?;
        let variable = &self.variables[position];
        let mut term = terms.constant_term(variable.fun);
        if let Sort::Array(index, element) = *terms.sorts.get(variable.sort) {
            let width = terms.sorts.width(element).unwrap_or(1) as usize;
            let place = Value::to_term(&from_number(terms, index, bit / width), terms);
            term = terms.app(Op::Select, &[term, place]).ok()?;
            bit %= width;
        }
        if terms.sort(term) != SortId::BOOL {
            let one = terms.bits(1, UBig::ONE);
            if terms.sorts.width(terms.sort(term)) != Some(1) {
                term = terms.app_indexed(Op::Extract, &[bit as u32, bit as u32], &[term]).ok()?;
            }
            term = terms.app(Op::Eq, &[term, one]).ok()?;
        }
        Some(if lit.is_negated() { terms.not(term) } else { term })
    }
}

/// The number as a value of an index sort.
fn from_number(terms: &Terms, sort: SortId, number: usize) -> Value {
    match terms.sorts.width(sort) {
        Some(width) => Value::bits(width, UBig::from(number)),
        None => Value::Bool(number == 1),
    }
}

/// The value that bits are.
fn value(terms: &mut Terms, sort: SortId, bits: &[bool]) -> Option<Value> {
    match *terms.sorts.get(sort) {
        Sort::Bool => Some(Value::Bool(bits[0])),
        Sort::BitVec(width) => {
            let mut number = UBig::ZERO;
            for (i, _) in bits.iter().enumerate().filter(|(_, bit)| **bit) {
                number.set_bit(i);
            }
            Some(Value::BitVec { width, value: number })
        }
        Sort::Array(index, element) => {
            let width = terms.sorts.width(element).unwrap_or(1) as usize;
            let first = value(terms, element, &bits[..width])?;
            let mut array = Value::const_array(terms, sort, first)?;
            for (i, part) in bits.chunks(width).enumerate() {
                let (place, held) = (from_number(terms, index, i), value(terms, element, part)?);
                if let Value::Array(array) = &mut array {
                    Arc::make_mut(array).store(place, held);
                }
            }
            Some(array)
        }
        _ => None,
    }
}

/// The bits of a value.
fn bits(terms: &Terms, sort: SortId, value: &Value) -> Vec<bool> {
    match value {
        Value::Bool(value) => vec![*value],
        Value::BitVec { width, value } => (0..*width as usize).map(|i| value.bit(i)).collect(),
        Value::Array(array) => {
            let Sort::Array(index, element) = *terms.sorts.get(sort) else { return Vec::new() };
            let width = terms.sorts.width(index).unwrap_or(1);
            let elements = (0..1usize << width.min(20)).map(|i| array.select(&from_number(terms, index, i)));
            elements.flat_map(|held| bits(terms, element, held)).collect()
        }
        _ => Vec::new(),
    }
}
