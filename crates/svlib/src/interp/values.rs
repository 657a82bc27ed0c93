//! Random values of any sort, mostly small ones and ones near the literals of the program: those are where programs
//! go wrong.
//!
//! What is needed from the store of terms is looked up when a [`Pool`] is made; drawing only reads the pool.

use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::sort::{Sort, SortId, children};
use smt::term::{TermId, Terms};
use smt::value::Value;
use smt::value::ieee::{Float, Format, Rounding};
use std::sync::Arc;

/// So many values made of literals are kept for each sort.
const MANY_HINTS: usize = 64;

/// So many values are put together to one, at most; then defaults are taken.
const MANY_PARTS: u32 = 24;

/// A random number generator with a fixed sequence (splitmix64): equal seeds give equal executions.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The sequence of that seed.
    #[must_use]
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, or zero.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }

    /// A number from `low` to `high`.
    fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as usize) as i64
    }

    pub(super) fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }
}

/// How values of a sort are made.
enum Kind {
    /// One of the hints.
    Hints,
    Bool,
    Int,
    Bits(u32),
    Float(Format),
    Rounding,
    Abstract,
    /// Index and element sort.
    Array(SortId, SortId),
    /// The sorts of the fields of each constructor.
    Data(Vec<Vec<SortId>>),
}

struct Shape {
    kind: Kind,
    /// Values worth trying; for an array its possible defaults.
    hints: Vec<Value>,
    default: Value,
}

/// What is known about the sorts of a task.
#[derive(Default)]
pub struct Pool {
    shapes: FxHashMap<SortId, Shape>,
}

impl Pool {
    /// A pool for these sorts, with hints from the literals of these terms.
    pub fn new(terms: &mut Terms, sorts: &[SortId], texts: &[TermId]) -> Pool {
        let mut pool = Pool::default();
        let (mut todo, mut order) = (sorts.to_vec(), Vec::new());
        while let Some(sort) = todo.pop() {
            if !pool.shapes.contains_key(&sort)
                && let Some(shape) = shape(terms, sort)
            {
                todo.extend(children(terms.sorts.get(sort)));
                if let Kind::Data(constructors) = &shape.kind {
                    todo.extend(constructors.iter().flatten());
                }
                pool.shapes.insert(sort, shape);
                order.push(sort);
            }
        }
        pool.add_literals(terms, texts);
        pool.add_arrays(terms, &order);
        pool
    }

    /// Literals and their neighbours.
    fn add_literals(&mut self, terms: &mut Terms, texts: &[TermId]) {
        let mut literals: Vec<TermId> = Vec::new();
        let mut seen = FxHashSet::default();
        for &text in texts {
            if seen.insert(text) {
                literals.extend(
                    smt::subst::postorder(terms, text).into_iter().filter(|&t| terms.op(t) == Op::Const),
                );
            }
        }
        literals.sort_unstable();
        literals.dedup();
        for literal in literals {
            let sort = terms.sort(literal);
            let near = near(terms, literal);
            let Some(shape) = self.shapes.get_mut(&sort) else { continue };
            if shape.hints.len() < MANY_HINTS {
                shape.hints.extend(near.into_iter().filter_map(|t| Value::from_term(terms, t)));
            }
        }
    }

    /// Constant arrays with some values of the element sort. The seed is arbitrary, but always the same.
    fn add_arrays(&mut self, terms: &mut Terms, order: &[SortId]) {
        let mut rng = Rng::new(1);
        for &sort in order.iter().rev() {
            let Some(Shape { kind: Kind::Array(_, element), .. }) = self.shapes.get(&sort) else { continue };
            let elements: Vec<Value> = (0..4).filter_map(|_| self.draw(&mut rng, *element)).collect();
            let arrays = elements.into_iter().filter_map(|value| Value::const_array(terms, sort, value));
            let arrays: Vec<Value> = arrays.collect();
            if let Some(shape) = self.shapes.get_mut(&sort) {
                shape.hints.extend(arrays);
            }
        }
    }

    /// A value of the sort; none for sorts without values here.
    pub fn draw(&self, rng: &mut Rng, sort: SortId) -> Option<Value> {
        self.part(rng, sort, &mut { MANY_PARTS })
    }

    /// A value within a value. Every level spends of `left`, which bounds the depth of the calls.
    fn part(&self, rng: &mut Rng, sort: SortId, left: &mut u32) -> Option<Value> {
        let shape = self.shapes.get(&sort)?;
        if *left == 0 {
            return Some(shape.default.clone());
        }
        *left -= 1;
        if !matches!(shape.kind, Kind::Array(..)) && rng.below(4) == 0 && !shape.hints.is_empty() {
            return rng.pick(&shape.hints).cloned();
        }
        Some(match &shape.kind {
            Kind::Hints => rng.pick(&shape.hints)?.clone(),
            Kind::Bool => Value::Bool(rng.below(2) == 0),
            Kind::Int => int(rng),
            Kind::Bits(width) => bits(rng, *width, *width),
            Kind::Float(format) => float(rng, *format),
            Kind::Rounding => {
                use Rounding::{Rna, Rne, Rtn, Rtp, Rtz};
                Value::Rounding(*rng.pick(&[Rne, Rna, Rtp, Rtn, Rtz])?)
            }
            Kind::Abstract => Value::Abstract { sort, index: rng.below(4) as u64 },
            Kind::Array(index, element) => {
                let Value::Array(array) = rng.pick(&shape.hints)? else { return None };
                let mut array = array.clone();
                for _ in 0..rng.below(4) {
                    let (index, value) = (self.part(rng, *index, left)?, self.part(rng, *element, left)?);
                    Arc::make_mut(&mut array).store(index, value);
                }
                Value::Array(array)
            }
            Kind::Data(constructors) => {
                let position = rng.below(constructors.len());
                let fields: Option<Vec<Value>> =
                    constructors.get(position)?.iter().map(|&field| self.part(rng, field, left)).collect();
                Value::data(sort, position as u32, fields?)
            }
        })
    }
}

/// How values of a sort are made, and the first hints.
fn shape(terms: &mut Terms, sort: SortId) -> Option<Shape> {
    let default = Value::default_of(terms, sort)?;
    let mut hints = Vec::new();
    let kind = match *terms.sorts.get(sort) {
        Sort::Bool => Kind::Bool,
        Sort::Int => Kind::Int,
        Sort::Real => {
            hints = fractions(terms);
            Kind::Hints
        }
        Sort::String => {
            hints.extend(["", "a", "b", "ab", "0"].map(|text| Value::Str(text.into())));
            Kind::Hints
        }
        Sort::RoundingMode => Kind::Rounding,
        Sort::BitVec(width) => {
            hints = extremes(terms, sort);
            Kind::Bits(width)
        }
        Sort::Float(eb, sb) => {
            let format = Format::new(eb, sb)?;
            hints = special(format);
            Kind::Float(format)
        }
        Sort::Array(index, element) | Sort::Map(index, element) => {
            hints.push(default.clone());
            Kind::Array(index, element)
        }
        Sort::Declared(..) => {
            match terms.sorts.datatype(sort).map(|(datatype, _)| datatype.constructors.len()) {
                None => Kind::Abstract,
                Some(count) => {
                    let fields = |i| {
                        terms.fields(sort, i as u32).map(|(_, fields)| fields.iter().map(|f| f.1).collect())
                    };
                    Kind::Data((0..count).map(fields).collect::<Option<Vec<Vec<SortId>>>>()?)
                }
            }
        }
        _ => return None,
    };
    Some(Shape { kind, hints, default })
}

fn int(rng: &mut Rng) -> Value {
    match rng.below(10) {
        0..=5 => Value::int(rng.between(-3, 8)),
        6 | 7 => Value::int(rng.between(-100, 100)),
        8 => {
            let power = 1i128 << rng.between(4, 70);
            let sign = if rng.below(2) == 0 { 1 } else { -1 };
            Value::int(sign * power + i128::from(rng.between(-1, 1)))
        }
        _ => Value::int(rng.next() as i64),
    }
}

/// A bit-vector in whose lowest `random` bits anything may be; beyond 128 bits there are zeros.
fn bits(rng: &mut Rng, width: u32, random: u32) -> Value {
    let any = u128::from(rng.next()) << 64 | u128::from(rng.next());
    let kept = random.min(128);
    Value::bits(width, if rng.below(2) == 0 { any & 7 } else { any >> (128 - kept) })
}

fn float(rng: &mut Rng, format: Format) -> Value {
    match bits(rng, format.width(), format.width()) {
        Value::BitVec { value, .. } => Value::Float(Float::from_bits(format, &value)),
        other => other,
    }
}

/// The numbers around a literal, as terms.
fn near(terms: &mut Terms, literal: TermId) -> Vec<TermId> {
    let mut found = vec![literal];
    match *terms.sorts.get(terms.sort(literal)) {
        Sort::Int | Sort::Real => {
            let one = terms.int(1);
            for op in [Op::Add, Op::Sub] {
                found.extend(terms.app(op, &[literal, one]));
            }
            found.extend(terms.app(Op::Neg, &[literal]));
        }
        Sort::BitVec(_) => {
            for op in [Op::BvNot, Op::BvNeg] {
                found.extend(terms.app(op, &[literal]));
            }
        }
        _ => {}
    }
    found
}

/// Small fractions.
fn fractions(terms: &mut Terms) -> Vec<Value> {
    let mut found = Vec::new();
    for top in -8i64..=8 {
        for bottom in 1i64..=4 {
            let (top, bottom) = (terms.int(top), terms.int(bottom));
            let (top, bottom) = (terms.to_real(top), terms.to_real(bottom));
            let quotient = terms.app(Op::Div, &[top, bottom]).ok();
            found.extend(quotient.and_then(|term| Value::from_term(terms, term)));
        }
    }
    found
}

/// Zero, all ones, the least and the greatest signed number.
fn extremes(terms: &mut Terms, sort: SortId) -> Vec<Value> {
    let Some(zero) = Value::default_of(terms, sort).map(|value| value.to_term(terms)) else {
        return Vec::new();
    };
    let mut found = vec![zero];
    if let Ok(ones) = terms.app(Op::BvNot, &[zero])
        && let Ok(one) = terms.app(Op::BvNeg, &[ones])
        && let Ok(greatest) = terms.app(Op::BvLshr, &[ones, one])
        && let Ok(least) = terms.app(Op::BvNot, &[greatest])
    {
        found.extend([ones, greatest, least]);
    }
    found.into_iter().filter_map(|term| Value::from_term(terms, term)).collect()
}

fn special(format: Format) -> Vec<Value> {
    use smt::value::ieee::Sign::{Negative, Positive};
    let mut found = vec![Float::nan(format)];
    for sign in [Positive, Negative] {
        found.extend([
            Float::zero(format, sign),
            Float::infinity(format, sign),
            Float::max_finite(format, sign),
        ]);
        found.push(Float::min_subnormal(format, sign));
    }
    found.push(Float::from_int(format, Rounding::Rne, &1.into()));
    found.into_iter().map(Value::Float).collect()
}
