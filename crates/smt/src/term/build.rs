//! Building terms from code: literals, applications of operators and functions, binders.
//!
//! Every function here returns a well-sorted term or says why it cannot.

use super::{Const, Fun, FunId, Role, TermId, Terms};
use crate::check::{self, RankError};
use crate::op::Op;
use crate::sort::{Sort, SortId};
use base::id::Id;
use base::intern::SymbolId;
use dashu_int::ops::BitTest;
use dashu_int::{IBig, Sign, UBig};
use dashu_ratio::RBig;

impl Terms {
    /// `true` or `false`.
    #[must_use]
    pub fn bool(&self, value: bool) -> TermId {
        if value { TermId::TRUE } else { TermId::FALSE }
    }

    fn literal_term(&mut self, value: Const, sort: SortId) -> TermId {
        let id = self.intern_const(value);
        self.raw(Op::Const, id.index() as u32, sort, &[])
    }

    /// A numeral.
    pub fn nat(&mut self, value: UBig) -> TermId {
        self.literal_term(Const::Nat(value), SortId::INT)
    }

    /// An integer: a numeral, or the negation of one.
    pub fn int(&mut self, value: impl Into<IBig>) -> TermId {
        let (sign, magnitude) = value.into().into_parts();
        let term = self.nat(magnitude);
        if sign == Sign::Negative { self.raw(Op::Neg, 0, SortId::INT, &[term]) } else { term }
    }

    /// A rational as a decimal where it has one, otherwise as a quotient, negated if need be.
    pub fn real(&mut self, value: &RBig) -> TermId {
        let (numerator, denominator) = value.clone().into_parts();
        let (sign, magnitude) = numerator.into_parts();
        let term = if has_decimal(&denominator) {
            self.literal_term(Const::Decimal(RBig::from_parts(magnitude.into(), denominator)), SortId::REAL)
        } else {
            let top = self.literal_term(Const::Decimal(RBig::from(magnitude)), SortId::REAL);
            let bottom = self.literal_term(Const::Decimal(RBig::from(denominator)), SortId::REAL);
            self.raw(Op::Div, 0, SortId::REAL, &[top, bottom])
        };
        if sign == Sign::Negative { self.raw(Op::Neg, 0, SortId::REAL, &[term]) } else { term }
    }

    /// A bit-vector literal; bits above the width are dropped.
    pub fn bits(&mut self, width: u32, value: UBig) -> TermId {
        let sort = self.sorts.bit_vec(width);
        let value = if value.bit_len() > width as usize {
            let modulus = UBig::ONE << width as usize;
            value % modulus
        } else {
            value
        };
        self.literal_term(Const::Bits(width, value), sort)
    }

    /// A string literal.
    pub fn str(&mut self, value: &str) -> TermId {
        self.literal_term(Const::Str(value.into()), SortId::STRING)
    }

    /// A bound variable.
    pub fn var(&mut self, name: SymbolId, sort: SortId) -> TermId {
        self.raw(Op::Var, name.index() as u32, sort, &[])
    }

    /// Applies an operator without indices.
    ///
    /// # Errors
    /// When number or sorts of the arguments do not fit.
    pub fn app(&mut self, op: Op, args: &[TermId]) -> Result<TermId, RankError> {
        self.app_indexed(op, &[], args)
    }

    /// Applies an operator with its indices. Integers are made real where a real is wanted.
    ///
    /// # Errors
    /// When indices, number or sorts of the arguments do not fit.
    pub fn app_indexed(&mut self, op: Op, indices: &[u32], args: &[TermId]) -> Result<TermId, RankError> {
        check::apply(self, op, indices, args)
    }

    /// Applies a declared function. Integers are made real where a real is wanted.
    ///
    /// # Errors
    /// When number or sorts of the arguments do not fit.
    pub fn call(&mut self, fun: FunId, args: &[TermId]) -> Result<TermId, RankError> {
        let params = &self.funs[fun].params;
        if params.is_empty() && args.is_empty() {
            return Ok(self.constant_term(fun));
        }
        let result = self.funs[fun].result;
        if params.len() != args.len() {
            return Err(RankError::Count { min: params.len(), max: Some(params.len()), found: args.len() });
        }
        if params.iter().zip(args).all(|(&param, &arg)| self.nodes[arg].sort == param) {
            return Ok(self.raw(Op::App, fun.index() as u32, result, args));
        }
        let params = params.clone();
        let mut fitted = Vec::with_capacity(args.len());
        for (i, (&param, &arg)) in params.iter().zip(args).enumerate() {
            fitted.push(self.coerce(arg, param).ok_or(RankError::Sort { index: i, expected: param })?);
        }
        Ok(self.raw(Op::App, fun.index() as u32, result, &fitted))
    }

    /// `term` as a term of the sort `wanted`: itself, or made real from an integer.
    pub fn coerce(&mut self, term: TermId, wanted: SortId) -> Option<TermId> {
        let sort = self.sort(term);
        if sort == wanted || sort == SortId::ERROR || wanted == SortId::ERROR {
            return Some(term);
        }
        if sort != SortId::INT || wanted != SortId::REAL {
            return None;
        }
        Some(self.to_real(term))
    }

    /// An integer term as a real one; literals become decimals.
    pub fn to_real(&mut self, term: TermId) -> TermId {
        if let Some(Const::Nat(value)) = self.literal(term) {
            let value = RBig::from(value.clone());
            return self.literal_term(Const::Decimal(value), SortId::REAL);
        }
        if self.op(term) == Op::Neg
            && let Some(Const::Nat(value)) = self.literal(self.args(term)[0])
        {
            let value = RBig::from(value.clone());
            let positive = self.literal_term(Const::Decimal(value), SortId::REAL);
            return self.raw(Op::Neg, 0, SortId::REAL, &[positive]);
        }
        self.raw(Op::ToReal, 0, SortId::REAL, &[term])
    }

    /// The array of sort `sort` that holds `value` everywhere.
    ///
    /// # Errors
    /// When `sort` is no array sort or its elements have another sort.
    pub fn const_array(&mut self, sort: SortId, value: TermId) -> Result<TermId, RankError> {
        let Sort::Array(_, element) = *self.sorts.get(sort) else {
            return Err(RankError::Result { found: sort });
        };
        let value = self.coerce(value, element).ok_or(RankError::Sort { index: 0, expected: element })?;
        Ok(self.raw(Op::ConstArray, 0, sort, &[value]))
    }

    /// A quantifier or lambda over bound variables. The caller keeps the rule of the module's comment.
    ///
    /// # Errors
    /// When the body of a quantifier is not Boolean.
    pub fn bind(&mut self, op: Op, vars: &[TermId], body: TermId) -> Result<TermId, RankError> {
        let mut sort = self.sort(body);
        if op == Op::Lambda {
            for &var in vars.iter().rev() {
                let domain = self.sort(var);
                sort = self.sorts.mk(Sort::Array(domain, sort));
            }
        } else if sort != SortId::BOOL && sort != SortId::ERROR {
            return Err(RankError::Sort { index: vars.len(), expected: SortId::BOOL });
        }
        let mut args = vars.to_vec();
        args.push(body);
        Ok(self.raw(op, 0, sort, &args))
    }

    /// The function behind a constructor of a datatype sort.
    pub fn constructor(&mut self, sort: SortId, index: u32) -> Option<FunId> {
        let (name, fields) = self.fields(sort, index)?;
        let params = fields.iter().map(|f| f.1).collect();
        Some(self.declare(super::Fun { name, params, result: sort, role: Role::Constructor(index) }))
    }

    /// The function behind a selector of a datatype sort.
    pub fn selector(&mut self, sort: SortId, constructor: u32, field: u32) -> Option<FunId> {
        let (_, fields) = self.fields(sort, constructor)?;
        let &(name, result) = fields.get(field as usize)?;
        let role = Role::Selector(constructor, field);
        Some(self.declare(super::Fun { name, params: Box::new([sort]), result, role }))
    }

    /// The function behind a tester of a datatype sort.
    pub fn tester(&mut self, sort: SortId, index: u32) -> Option<FunId> {
        let (name, _) = self.fields(sort, index)?;
        let role = Role::Tester(index);
        Some(self.declare(super::Fun { name, params: Box::new([sort]), result: SortId::BOOL, role }))
    }

    /// Name and fields of a constructor, with the sort's arguments put in.
    #[must_use]
    pub fn fields(&mut self, sort: SortId, index: u32) -> Option<(SymbolId, Vec<(SymbolId, SortId)>)> {
        let (datatype, args) = self.sorts.datatype(sort)?;
        let (params, args) = (datatype.params.clone(), args.to_vec());
        let constructor = datatype.constructors.get(index as usize)?.clone();
        let fields = constructor
            .fields
            .into_iter()
            .map(|(name, field)| (name, self.sorts.instantiate(field, &params, &args)))
            .collect();
        Some((constructor.name, fields))
    }

    /// A new constant with that name, or one close to it if the name was ever used.
    pub fn fresh(&mut self, wish: &str, result: SortId) -> FunId {
        let text = self.unused_name(wish);
        let name = self.names.intern(&text);
        self.declare(Fun { name, params: Box::new([]), result, role: Role::Free })
    }

    /// The first of `wish`, `wish.1`, `wish.2` and so on that is no name in this store.
    pub fn unused_name(&mut self, wish: &str) -> String {
        let Some(taken) = self.names.find(wish) else { return wish.to_owned() };
        // Names stay taken, so there is no need to begin at 1 again.
        let number = self.numbers.entry(taken).or_default();
        loop {
            let text = format!("{wish}.{}", *number + 1);
            if self.names.find(&text).is_none() {
                return text;
            }
            *number += 1;
        }
    }

    /// Disjunction, with the obvious simplifications for none and one.
    pub fn or(&mut self, args: &[TermId]) -> TermId {
        match args {
            [] => TermId::FALSE,
            [one] => *one,
            _ => self.raw(Op::Or, 0, SortId::BOOL, args),
        }
    }

    /// Conjunction, with the obvious simplifications for none and one.
    pub fn and(&mut self, args: &[TermId]) -> TermId {
        match args {
            [] => TermId::TRUE,
            [one] => *one,
            _ => self.raw(Op::And, 0, SortId::BOOL, args),
        }
    }

    /// Negation of a Boolean term.
    pub fn not(&mut self, term: TermId) -> TermId {
        match self.op(term) {
            Op::True => TermId::FALSE,
            Op::False => TermId::TRUE,
            Op::Not => self.args(term)[0],
            _ => self.raw(Op::Not, 0, SortId::BOOL, &[term]),
        }
    }
}

/// True when a fraction with this denominator (in lowest terms) has a finite decimal form.
fn has_decimal(denominator: &UBig) -> bool {
    let mut rest = denominator.clone();
    rest >>= rest.trailing_zeros().unwrap_or(0);
    let five = UBig::from(5u8);
    while &rest % &five == UBig::ZERO {
        rest /= &five;
    }
    rest == UBig::ONE
}
