//! Terms as lines of BTOR2. Each term is written once; a negation is a minus before a line number and costs nothing.

use super::tags::keyword;
use base::id::IdMap;
use dashu_int::UBig;
use dashu_int::ops::BitTest;
use rustc_hash::FxHashMap;
use smt::op::{Op, Theory};
use smt::print::{sort_text, symbol_text, write_number};
use smt::sort::{Sort, SortId};
use smt::term::{Const, FunId, TermId, Terms};

/// What the format does not have.
pub(super) struct Refused {
    pub(super) what: String,
    pub(super) help: Option<String>,
}

type Expressed<T> = Result<T, Refused>;

fn refuse<T>(what: impl Into<String>) -> Expressed<T> {
    Err(Refused { what: what.into(), help: None })
}

fn refuse_int<T>(what: impl Into<String>) -> Expressed<T> {
    Err(Refused { what: what.into(), help: Some(crate::INT_WIDTH.into()) })
}

/// The lines so far.
pub(super) struct Express<'t> {
    pub(super) terms: &'t mut Terms,
    pub(super) out: String,
    last: i64,
    sorts: FxHashMap<SortId, i64>,
    /// The numbers of values by their terms, 0 for none.
    values: IdMap<TermId, i64>,
    /// Memory for the arguments of a term and their numbers, empty in between.
    memory: (Vec<TermId>, Vec<i64>),
    zero: TermId,
    one: TermId,
}

impl<'t> Express<'t> {
    pub(super) fn new(terms: &'t mut Terms) -> Express<'t> {
        let (zero, one) = (terms.bits(1, UBig::ZERO), terms.bits(1, UBig::ONE));
        let (sorts, values, memory) = (FxHashMap::default(), IdMap::new(0), Default::default());
        Express { terms, out: String::new(), last: 0, sorts, values, memory, zero, one }
    }

    /// Adds a line and returns its number.
    pub(super) fn line(&mut self, text: &str) -> i64 {
        self.last += 1;
        write_number(&mut self.out, self.last as u64);
        self.out.extend([" ", text, "\n"]);
        self.last
    }

    /// A line with a sort and operands.
    fn node(&mut self, keyword: &str, sort: i64, operands: &[i64]) -> i64 {
        self.last += 1;
        write_number(&mut self.out, self.last as u64);
        self.out.push(' ');
        self.out.push_str(keyword);
        for &operand in std::iter::once(&sort).chain(operands) {
            self.out.push_str(if operand < 0 { " -" } else { " " });
            write_number(&mut self.out, operand.unsigned_abs());
        }
        self.out.push('\n');
        self.last
    }

    fn bit(&mut self) -> i64 {
        self.vector(1)
    }

    fn vector(&mut self, width: u32) -> i64 {
        let sort = self.terms.sorts.bit_vec(width);
        if let Some(&id) = self.sorts.get(&sort) {
            return id;
        }
        let id = self.line(&format!("sort bitvec {width}"));
        self.sorts.insert(sort, id);
        id
    }

    /// The number of a sort's line.
    pub(super) fn sort(&mut self, sort: SortId) -> Expressed<i64> {
        if let Some(&id) = self.sorts.get(&sort) {
            return Ok(id);
        }
        match *self.terms.sorts.get(sort) {
            Sort::Bool => Ok(self.bit()),
            Sort::BitVec(width) => Ok(self.vector(width)),
            Sort::Array(index, element) => {
                let flat = |sort| match *self.terms.sorts.get(sort) {
                    Sort::Bool => Some(1),
                    Sort::BitVec(width) => Some(width),
                    _ => None,
                };
                let (Some(index), Some(element)) = (flat(index), flat(element)) else {
                    return self.foreign(sort);
                };
                let (index, element) = (self.vector(index), self.vector(element));
                let id = self.line(&format!("sort array {index} {element}"));
                self.sorts.insert(sort, id);
                Ok(id)
            }
            _ => self.foreign(sort),
        }
    }

    fn foreign<T>(&self, sort: SortId) -> Expressed<T> {
        let text = sort_text(self.terms, sort);
        if text.contains("Int") {
            refuse_int(format!("the sort {text}"))
        } else {
            refuse(format!("the sort {text}"))
        }
    }

    /// Gives a variable its line.
    pub(super) fn define(&mut self, fun: FunId, id: i64) {
        let term = self.terms.constant_term(fun);
        self.values.set(term, id);
    }

    /// True when a term has its line.
    pub(super) fn knows(&self, term: TermId) -> bool {
        self.values[term] != 0
    }

    fn assignment(&mut self, keyword: &str, fun: FunId, value: i64) {
        let (term, sort) = (self.terms.constant_term(fun), self.terms.fun(fun).result);
        // Both were declared before.
        let (state, sort) = (self.values[term], self.sort(sort).ok());
        if let (1.., Some(sort)) = (state, sort) {
            self.node(keyword, sort, &[state, value]);
        }
    }

    pub(super) fn init(&mut self, fun: FunId, value: i64) {
        self.assignment("init", fun, value);
    }

    pub(super) fn next(&mut self, fun: FunId, value: i64) {
        self.assignment("next", fun, value);
    }

    /// An initial value: an array may be one literal everywhere.
    pub(super) fn initial(&mut self, value: TermId) -> Expressed<i64> {
        match self.terms.op(value) {
            Op::ConstArray if self.is_literal(self.terms.args(value)[0]) => {
                self.literal(self.terms.args(value)[0])
            }
            _ => self.term(value),
        }
    }

    fn is_literal(&self, value: TermId) -> bool {
        matches!(self.terms.op(value), Op::Const | Op::True | Op::False)
    }

    /// A literal in a line of its own: what initialises an array must be one.
    fn literal(&mut self, value: TermId) -> Expressed<i64> {
        match self.terms.op(value) {
            Op::True => self.term(self.one),
            Op::False => self.term(self.zero),
            _ => self.term(value),
        }
    }

    /// The value of a term.
    pub(super) fn term(&mut self, root: TermId) -> Expressed<i64> {
        let mut todo = vec![(root, false)];
        while let Some((term, ready)) = todo.pop() {
            if self.values[term] != 0 {
                continue;
            }
            if !ready && self.terms.op(term).is_binder() {
                return refuse(format!("`{}`", self.terms.op(term).name()));
            }
            if !ready && !self.terms.args(term).is_empty() && self.terms.op(term) != Op::ConstArray {
                todo.push((term, true));
                todo.extend(self.terms.args(term).iter().map(|&arg| (arg, false)));
                continue;
            }
            let id = self.value(term)?;
            self.values.set(term, id);
        }
        Ok(self.values[root])
    }

    /// A term whose arguments have their lines.
    fn value(&mut self, term: TermId) -> Expressed<i64> {
        let (mut args, mut ids) = std::mem::take(&mut self.memory);
        args.extend_from_slice(self.terms.args(term));
        ids.extend(args.iter().map(|&arg| self.values[arg]).filter(|&id| id != 0));
        let value = self.value_of(term, &args, &ids);
        args.clear();
        ids.clear();
        self.memory = (args, ids);
        value
    }

    fn value_of(&mut self, term: TermId, args: &[TermId], ids: &[i64]) -> Expressed<i64> {
        let op = self.terms.op(term);
        match op {
            Op::True | Op::False => {
                let one = self.term(self.one)?;
                Ok(if op == Op::True { one } else { -one })
            }
            Op::Const => self.constant(term),
            Op::App => self.unknown(term),
            Op::Not | Op::BvNot => Ok(-ids[0]),
            Op::And => Ok(self.chain("and", ids)),
            Op::Or => Ok(self.chain("or", ids)),
            Op::Xor => Ok(self.chain("xor", ids)),
            Op::Implies => Ok(self.implies(ids)),
            Op::Eq => self.equal(args, ids),
            Op::Distinct => self.distinct(args, ids),
            Op::Ite => self.ite(term, args, ids),
            Op::ConstArray => self.constant_array(term, args[0]),
            Op::BvComp => self.pair(args[0], ids[0], ids[1]),
            _ => match op.info().theory {
                Theory::BitVec | Theory::Array => self.operator(term, op, args, ids),
                Theory::Arith => refuse_int(format!("`{}`", op.name())),
                _ => refuse(format!("`{}`", op.name())),
            },
        }
    }

    fn unknown(&mut self, term: TermId) -> Expressed<i64> {
        let name = self.terms.applied(term).map(|fun| symbol_text(self.terms.fun_name(fun)));
        refuse(format!("the uninterpreted function `{}`", name.unwrap_or_default()))
    }

    fn constant(&mut self, term: TermId) -> Expressed<i64> {
        let (width, value) = match self.terms.literal(term) {
            Some(Const::Bits(width, value)) => (*width, value.clone()),
            Some(Const::Nat(_)) => return refuse_int("an integer"),
            _ => return refuse("a literal that is no bit-vector"),
        };
        let sort = self.vector(width);
        let ones = value.bit_len() == width as usize && value.trailing_ones() == Some(width as usize);
        Ok(match () {
            () if value.is_zero() => self.node("zero", sort, &[]),
            () if value == UBig::ONE => self.node("one", sort, &[]),
            () if ones => self.node("ones", sort, &[]),
            () if width > 64 => self.line(&format!("consth {sort} {}", value.in_radix(16))),
            () => self.line(&format!("const {sort} {:0>1$}", value.in_radix(2).to_string(), width as usize)),
        })
    }

    fn chain(&mut self, keyword: &str, ids: &[i64]) -> i64 {
        let bit = self.bit();
        self.fold(keyword, bit, ids)
    }

    fn fold(&mut self, keyword: &str, sort: i64, ids: &[i64]) -> i64 {
        let mut all = ids[0];
        for &id in &ids[1..] {
            all = self.node(keyword, sort, &[all, id]);
        }
        all
    }

    fn implies(&mut self, ids: &[i64]) -> i64 {
        let bit = self.bit();
        let (mut all, rest) = (ids[ids.len() - 1], &ids[..ids.len() - 1]);
        for &id in rest.iter().rev() {
            all = self.node("implies", bit, &[id, all]);
        }
        all
    }

    /// Equality of two values of one sort.
    fn pair(&mut self, arg: TermId, first: i64, second: i64) -> Expressed<i64> {
        let bit = self.bit();
        let keyword = if self.terms.sort(arg) == SortId::BOOL { "iff" } else { "eq" };
        Ok(self.node(keyword, bit, &[first, second]))
    }

    fn equal(&mut self, args: &[TermId], ids: &[i64]) -> Expressed<i64> {
        if let (&[first, second], &[a, b]) = (args, ids) {
            // What is equal to a single bit is that bit or its negation.
            return match () {
                () if second == self.one => Ok(a),
                () if second == self.zero => Ok(-a),
                () if first == self.one => Ok(b),
                () if first == self.zero => Ok(-b),
                () => self.pair(first, a, b),
            };
        }
        let mut all = Vec::new();
        for pair in ids.windows(2) {
            all.push(self.pair(args[0], pair[0], pair[1])?);
        }
        Ok(self.chain("and", &all))
    }

    fn distinct(&mut self, args: &[TermId], ids: &[i64]) -> Expressed<i64> {
        let mut all = Vec::new();
        for (i, &first) in ids.iter().enumerate() {
            for &second in &ids[i + 1..] {
                all.push(-self.pair(args[0], first, second)?);
            }
        }
        Ok(self.chain("and", &all))
    }

    fn ite(&mut self, term: TermId, args: &[TermId], ids: &[i64]) -> Expressed<i64> {
        if args[1] == self.one && args[2] == self.zero {
            return Ok(ids[0]);
        }
        if args[1] == self.zero && args[2] == self.one {
            return Ok(-ids[0]);
        }
        let sort = self.sort(self.terms.sort(term))?;
        Ok(self.node("ite", sort, ids))
    }

    /// A state that begins with a constant array and stays one.
    fn constant_array(&mut self, term: TermId, element: TermId) -> Expressed<i64> {
        if !self.is_literal(element) {
            return refuse("an array of one value that is no literal");
        }
        let sort = self.sort(self.terms.sort(term))?;
        let value = self.literal(element)?;
        let state = self.node("state", sort, &[]);
        self.node("init", sort, &[state, value]);
        self.node("next", sort, &[state, state]);
        Ok(state)
    }

    fn width(&self, term: TermId) -> u32 {
        self.terms.sorts.width(self.terms.sort(term)).unwrap_or(1)
    }

    fn number(&mut self, width: u32, value: u64) -> Expressed<i64> {
        let literal = self.terms.bits(width, UBig::from(value));
        self.term(literal)
    }

    fn operator(&mut self, term: TermId, op: Op, args: &[TermId], ids: &[i64]) -> Expressed<i64> {
        let index = self.terms.node(term).payload;
        let sort = match self.sort(self.terms.sort(term)) {
            Ok(sort) => sort,
            // `ubv_to_int` and the like.
            Err(refused) => return Err(Refused { what: format!("`{}`", op.name()), ..refused }),
        };
        match op {
            Op::Extract => {
                let high = index + self.width(term) - 1;
                Ok(self.line(&format!("slice {sort} {} {high} {index}", ids[0])))
            }
            Op::ZeroExtend | Op::SignExtend if index == 0 => Ok(ids[0]),
            Op::ZeroExtend | Op::SignExtend => {
                let word = keyword(op).unwrap_or_default();
                Ok(self.line(&format!("{word} {sort} {} {index}", ids[0])))
            }
            Op::RotateLeft | Op::RotateRight => {
                let width = self.width(term);
                let by = self.number(width, u64::from(index % width))?;
                Ok(self.node(if op == Op::RotateLeft { "rol" } else { "ror" }, sort, &[ids[0], by]))
            }
            Op::Repeat => Ok(self.repeat(ids[0], self.width(args[0]), index)),
            Op::BvNegO => {
                let width = self.width(args[0]);
                let least = self.terms.bits(width, UBig::ONE << (width as usize - 1));
                let least = self.term(least)?;
                self.pair(args[0], ids[0], least)
            }
            Op::Concat => Ok(self.concat(args, ids)),
            _ => match keyword(op) {
                Some(word) if ids.len() > 2 && op != Op::Store => Ok(self.fold(word, sort, ids)),
                Some(word) => Ok(self.node(word, sort, ids)),
                None => refuse(format!("`{}`", op.name())),
            },
        }
    }

    fn concat(&mut self, args: &[TermId], ids: &[i64]) -> i64 {
        let (mut all, mut width) = (ids[0], self.width(args[0]));
        for (&id, &arg) in ids[1..].iter().zip(&args[1..]) {
            width += self.width(arg);
            let sort = self.vector(width);
            all = self.node("concat", sort, &[all, id]);
        }
        all
    }

    /// So many copies side by side, by doubling.
    fn repeat(&mut self, id: i64, width: u32, copies: u32) -> i64 {
        let (mut all, mut all_width) = (None, 0);
        let (mut block, mut block_width, mut rest) = (id, width, copies);
        while rest > 0 {
            if rest & 1 == 1 {
                all_width += block_width;
                all = Some(match all {
                    None => block,
                    Some(others) => {
                        let sort = self.vector(all_width);
                        self.node("concat", sort, &[others, block])
                    }
                });
            }
            rest >>= 1;
            if rest > 0 {
                block_width *= 2;
                let sort = self.vector(block_width);
                block = self.node("concat", sort, &[block, block]);
            }
        }
        all.unwrap_or(id)
    }
}
