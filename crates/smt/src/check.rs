//! Ranks: which arguments an operator takes and what sort the result has, from the rules of [`crate::op`].

use crate::op::{Assoc, Base, Op, Rule};
use crate::sort::{Sort, SortId};
use crate::term::{TermId, Terms};

mod theories;

pub(crate) use theories::float_sort;
use theories::positive;

/// Why an operator cannot be applied.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RankError {
    /// The wrong number of arguments.
    Count {
        /// At least so many.
        min: usize,
        /// At most so many, if there is a limit.
        max: Option<usize>,
        /// There were.
        found: usize,
    },
    /// An argument should have another sort.
    Sort {
        /// Which argument, from 0.
        index: usize,
        /// The sort it should have.
        expected: SortId,
    },
    /// An argument should have a sort of another kind.
    Kind {
        /// Which argument, from 0.
        index: usize,
        /// What it should be, such as "a bit-vector".
        expected: &'static str,
    },
    /// The wrong number of indices.
    Indices {
        /// So many are needed.
        expected: usize,
        /// There were.
        found: usize,
    },
    /// An index is out of its range.
    Range(String),
    /// The sort given with `as` does not fit.
    Result {
        /// The sort that was given.
        found: SortId,
    },
}

impl RankError {
    /// The error as a phrase, with sorts printed.
    #[must_use]
    pub fn message(&self, terms: &Terms, name: &str, args: &[TermId]) -> String {
        let shown = |sort| crate::print::sort_text(terms, sort);
        let sort_of = |i: &usize| args.get(*i).map(|&a| shown(terms.sort(a))).unwrap_or_default();
        match self {
            RankError::Count { min, max, found } => {
                let wanted = match max {
                    Some(max) if max == min => format!("{min}"),
                    Some(max) => format!("{min} to {max}"),
                    None => format!("at least {min}"),
                };
                let noun = if wanted == "1" || wanted == "at least 1" { "argument" } else { "arguments" };
                format!("`{name}` takes {wanted} {noun}, not {found}")
            }
            RankError::Sort { index, expected } => format!(
                "argument {} of `{name}` has sort {}, expected {}",
                index + 1,
                sort_of(index),
                shown(*expected)
            ),
            RankError::Kind { index, expected } => {
                format!("argument {} of `{name}` has sort {}, expected {expected}", index + 1, sort_of(index))
            }
            RankError::Indices { expected: 0, .. } => format!("`{name}` takes no indices"),
            RankError::Indices { expected, found } => {
                format!(
                    "`{name}` takes {expected} {}, not {found}",
                    if *expected == 1 { "index" } else { "indices" }
                )
            }
            RankError::Range(message) => message.clone(),
            RankError::Result { found } => format!("`{name}` cannot have sort {}", shown(*found)),
        }
    }
}

/// Applies an operator; the only way from outside this crate to a node of a theory.
pub(crate) fn apply(
    terms: &mut Terms,
    op: Op,
    indices: &[u32],
    args: &[TermId],
) -> Result<TermId, RankError> {
    let info = op.info();
    let wanted = info.rule.indices();
    if indices.len() != wanted {
        return Err(RankError::Indices { expected: wanted, found: indices.len() });
    }
    if args.contains(&TermId::ERROR) {
        return Ok(TermId::ERROR);
    }
    let mut call = Call { terms, op, assoc: info.assoc, args };
    call.check(info.rule, indices)
}

/// Applies what an operator's name means: unary and binary minus share one. There may be more indices than are wanted.
pub(crate) fn apply_named(
    terms: &mut Terms,
    op: Op,
    indices: [u32; 2],
    args: &[TermId],
) -> Result<TermId, RankError> {
    let op = match (op, args.len()) {
        (Op::Neg | Op::Sub, 1) => Op::Neg,
        (Op::Neg | Op::Sub, _) => Op::Sub,
        _ => op,
    };
    apply(terms, op, &indices[..op.info().rule.indices()], args)
}

/// One application under check.
struct Call<'a> {
    terms: &'a mut Terms,
    op: Op,
    assoc: Assoc,
    args: &'a [TermId],
}

type Checked = Result<TermId, RankError>;

impl Call<'_> {
    fn sort(&self, index: usize) -> SortId {
        self.terms.sort(self.args[index])
    }

    fn count(&self, min: usize, max: Option<usize>) -> Result<(), RankError> {
        let found = self.args.len();
        if found < min || max.is_some_and(|max| found > max) {
            return Err(RankError::Count { min, max, found });
        }
        Ok(())
    }

    /// `n` arguments, or more when the operator is associative or chainable.
    fn count_assoc(&self, n: usize) -> Result<(), RankError> {
        self.count(n, if self.assoc == Assoc::None { Some(n) } else { None })
    }

    /// All arguments from `from` on have the sort `expected`; integers may become reals.
    fn all(&mut self, from: usize, expected: SortId) -> Result<Option<Vec<TermId>>, RankError> {
        if (from..self.args.len()).all(|i| self.sort(i) == expected) {
            return Ok(None);
        }
        let mut fitted = self.args.to_vec();
        for (i, slot) in fitted.iter_mut().enumerate().skip(from) {
            *slot = self.terms.coerce(*slot, expected).ok_or(RankError::Sort { index: i, expected })?;
        }
        Ok(Some(fitted))
    }

    fn build(&mut self, payload: u32, sort: SortId, fitted: Option<Vec<TermId>>) -> Checked {
        Ok(match fitted {
            Some(args) => self.terms.raw(self.op, payload, sort, &args),
            None => self.terms.raw(self.op, payload, sort, self.args),
        })
    }

    fn width(&self, index: usize) -> Result<u32, RankError> {
        let width = self.terms.sorts.width(self.sort(index));
        width.ok_or(RankError::Kind { index, expected: "a bit-vector" })
    }

    fn float(&self, index: usize) -> Result<(u32, u32), RankError> {
        match *self.terms.sorts.get(self.sort(index)) {
            Sort::Float(eb, sb) => Ok((eb, sb)),
            _ => Err(RankError::Kind { index, expected: "a floating-point number" }),
        }
    }

    fn seq(&self, index: usize) -> Result<SortId, RankError> {
        match *self.terms.sorts.get(self.sort(index)) {
            Sort::Seq(element) => Ok(element),
            _ => Err(RankError::Kind { index, expected: "a sequence" }),
        }
    }

    fn exact(&self, index: usize, expected: SortId) -> Result<(), RankError> {
        if self.sort(index) == expected { Ok(()) } else { Err(RankError::Sort { index, expected }) }
    }

    fn check(&mut self, rule: Rule, indices: &[u32]) -> Checked {
        match rule {
            Rule::Special => Err(RankError::Range(format!("`{}` is not applied by name", self.op.name()))),
            Rule::Fixed(params, result) => self.fixed(params, result),
            Rule::Same(base) => {
                // One argument is not in the standard, but generators write it and every solver reads it.
                self.count(1, None)?;
                let sort = base_sort(base);
                let fitted = self.all(0, sort)?;
                self.build(0, sort, fitted)
            }
            Rule::Equal => {
                self.count(2, None)?;
                let sort = self.common(0)?;
                let fitted = self.all(0, sort)?;
                self.build(0, SortId::BOOL, fitted)
            }
            Rule::Ite => self.ite(),
            Rule::Arith => self.arith(false),
            Rule::ArithCompare => self.arith(true),
            Rule::Select | Rule::Store => self.array(),
            Rule::DataSize => {
                self.count(1, Some(1))?;
                if self.terms.sorts.datatype(self.sort(0)).is_none() {
                    return Err(RankError::Kind { index: 0, expected: "a value of a datatype" });
                }
                self.build(0, SortId::INT, None)
            }
            Rule::Divisible => {
                self.count(1, Some(1))?;
                self.exact(0, SortId::INT)?;
                positive(indices[0], "the divisor")?;
                self.build(indices[0], SortId::BOOL, None)
            }
            Rule::Bv(_)
            | Rule::BvPredicate(_)
            | Rule::BvComp
            | Rule::Concat
            | Rule::Extract
            | Rule::Extend
            | Rule::Rotate
            | Rule::Repeat
            | Rule::BvToInt
            | Rule::IntToBv => self.bit_vec(rule, indices),
            Rule::Fp
            | Rule::FpConst
            | Rule::Float(..)
            | Rule::FloatPredicate(_)
            | Rule::ToFpBits
            | Rule::ToFpRounded
            | Rule::FloatToBv
            | Rule::FloatToReal
            | Rule::FloatToBits => self.floats(rule, indices),
            _ => self.strings(rule, indices),
        }
    }

    fn fixed(&mut self, params: &[Base], result: Base) -> Checked {
        // Real files convert what has the wanted sort already; solvers read it as no conversion at all.
        let same = match self.op {
            Op::ToReal => SortId::REAL,
            Op::ToInt => SortId::INT,
            _ => SortId::ERROR,
        };
        if let [arg] = *self.args
            && self.terms.sort(arg) == same
        {
            return Ok(arg);
        }
        if self.assoc == Assoc::None {
            self.count(params.len(), Some(params.len()))?;
        } else {
            self.count(params.len(), None)?;
        }
        let mut fitted = None;
        for i in 0..self.args.len() {
            let expected = base_sort(params[i.min(params.len() - 1)]);
            if self.sort(i) != expected {
                let arg = self.args[i];
                let new = self.terms.coerce(arg, expected).ok_or(RankError::Sort { index: i, expected })?;
                fitted.get_or_insert_with(|| self.args.to_vec())[i] = new;
            }
        }
        self.build(0, base_sort(result), fitted)
    }

    /// The sort that all arguments from `from` on have or can be given.
    fn common(&self, from: usize) -> Result<SortId, RankError> {
        let first = self.sort(from);
        let real = first == SortId::INT && (from..self.args.len()).any(|i| self.sort(i) == SortId::REAL);
        Ok(if real { SortId::REAL } else { first })
    }

    fn ite(&mut self) -> Checked {
        self.count(3, Some(3))?;
        self.exact(0, SortId::BOOL)?;
        let sort = self.common(1)?;
        let fitted = self.all(1, sort)?;
        self.build(0, sort, fitted)
    }

    fn arith(&mut self, compare: bool) -> Checked {
        let single = matches!(self.op, Op::Neg | Op::Abs);
        self.count(if compare || self.op == Op::Sub { 2 } else { 1 }, single.then_some(1))?;
        let sort = self.common(0)?;
        if !self.terms.sorts.is_arith(sort) {
            return Err(RankError::Kind { index: 0, expected: "Int or Real" });
        }
        let fitted = self.all(0, sort)?;
        self.build(0, if compare { SortId::BOOL } else { sort }, fitted)
    }

    fn array(&mut self) -> Checked {
        let n = if self.op == Op::Select { 2 } else { 3 };
        self.count(n, Some(n))?;
        let (Sort::Array(index, element) | Sort::Map(index, element)) = *self.terms.sorts.get(self.sort(0))
        else {
            return Err(RankError::Kind { index: 0, expected: "an array" });
        };
        let array = self.sort(0);
        let mut fitted = [self.args[0]; 3];
        for (i, expected) in [(1, index), (2, element)].into_iter().take(n - 1) {
            let arg = self.args[i];
            fitted[i] = self.terms.coerce(arg, expected).ok_or(RankError::Sort { index: i, expected })?;
        }
        let sort = if self.op == Op::Select { element } else { array };
        Ok(self.terms.raw(self.op, 0, sort, &fitted[..n]))
    }
}

fn base_sort(base: Base) -> SortId {
    match base {
        Base::Bool => SortId::BOOL,
        Base::Int => SortId::INT,
        Base::Real => SortId::REAL,
        Base::Rm => SortId::ROUNDING_MODE,
        Base::Str => SortId::STRING,
        Base::Re => SortId::REG_LAN,
    }
}
