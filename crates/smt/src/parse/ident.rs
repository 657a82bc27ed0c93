//! Names, literals and the heads of applications: plain, indexed, qualified.

use super::Parser;
use crate::check::RankError;
use crate::op::{OPS, Op, Rule, Theory};
use crate::print::sort_text;
use crate::scope::{Binding, Generic};
use crate::sexpr::{Kind, NodeIdx};
use crate::sort::{Sort, SortId};
use crate::term::{Fun, FunId, Role, TermId};
use base::intern::SymbolId;
use dashu_int::UBig;
use dashu_int::ops::BitTest;
use dashu_ratio::RBig;
use diag::{Code, Diagnostic, codes};
use rustc_hash::FxHashMap;

/// What is applied.
#[derive(Clone, Copy, Debug)]
pub(super) enum Head {
    /// Something that was reported already.
    Error,
    /// An operator with its indices (as many as its rule says).
    Op(Op, [u32; 2]),
    /// The same with the sort that the result should have.
    OpAs(Op, [u32; 2], SortId),
    /// A declared function; the symbol finds an operator of the same name when the arguments do not fit.
    Fun(FunId),
    /// A constructor or selector of a parametric datatype, perhaps with its result's sort.
    Generic(Generic, Option<SortId>),
    /// `(as const S)`.
    ConstArray(SortId),
    /// A tester of the constructor of that name.
    Tester(SymbolId),
    /// A finished term, applied to arguments only if it is an array or map.
    Term(TermId),
}

impl Parser<'_> {
    /// A name that stands alone as a term.
    pub(super) fn name(&mut self, node: NodeIdx) -> TermId {
        let text = self.text.atom(self.tree, node);
        let symbol = self.terms.names.intern(text);
        match self.scope.get(symbol) {
            Binding::Local(term, depth) => {
                self.watch(term, depth);
                term
            }
            Binding::Bound(var) => var,
            Binding::Fun(fun) => match self.terms.used_constant(fun) {
                Some(term) => term,
                None => self.apply_head(node, Head::Fun(fun), &[]),
            },
            _ => {
                let head = self.head(node, node);
                self.apply_head(node, head, &[])
            }
        }
    }

    /// What is applied: the head of an application, or a whole term that is an identifier.
    pub(super) fn head(&mut self, head: NodeIdx, whole: NodeIdx) -> Head {
        if self.tree.is_symbol(head) {
            let symbol = self.terms.names.intern(self.text.atom(self.tree, head));
            return self.plain_head(head, whole, symbol);
        }
        let parts: Vec<NodeIdx> = self.tree.children(head).collect();
        let word = parts.first().filter(|&&p| self.tree.kind(p) == Kind::Symbol);
        match word.map(|&p| self.text.atom(self.tree, p)) {
            Some("_") if parts.len() >= 3 => self.indexed_head(head, &parts[1..]),
            Some("as") if parts.len() == 3 => {
                let alone = if head == whole { codes::SMT012 } else { codes::SMT023 };
                self.qualified_head(head, parts[1], parts[2], alone)
            }
            _ => {
                self.expected("a function symbol", head);
                Head::Error
            }
        }
    }

    /// A plain symbol as head; `whole` is the same node when it stands alone.
    pub(super) fn plain_head(&mut self, head: NodeIdx, whole: NodeIdx, symbol: SymbolId) -> Head {
        match self.scope.get(symbol) {
            Binding::Op(op) => Head::Op(op, [0; 2]),
            Binding::Fun(fun) => Head::Fun(fun),
            Binding::Generic(generic) => Head::Generic(generic, None),
            Binding::Local(term, depth) => {
                self.watch(term, depth);
                Head::Term(term)
            }
            Binding::Bound(var) => Head::Term(var),
            Binding::None => {
                let text = self.text.atom(self.tree, head);
                if let Some(name) = text.strip_prefix("is-").filter(|_| head != whole) {
                    return Head::Tester(self.terms.names.intern(name));
                }
                if head == whole
                    && let Some(term) = self.signed_literal(text)
                {
                    return Head::Term(term);
                }
                let code = if head == whole { codes::SMT012 } else { codes::SMT023 };
                self.unknown(code, head, text);
                Head::Error
            }
        }
    }

    fn unknown(&mut self, code: Code, node: NodeIdx, text: &str) {
        let shown = shown(text);
        let what = if code == codes::SMT012 { "symbol" } else { "function" };
        if self.is_full() {
            return;
        }
        let help = self.scope.similar(self.terms, text).map(|s| format!("did you mean `{s}`?"));
        let error = Diagnostic::new(code, self.tree.span(node), format!("unknown {what} `{shown}`"));
        self.report(error.help_opt(help));
    }

    /// `-5` and `-1.5` are symbols by the standard; where no such symbol is declared they are read as numbers.
    fn signed_literal(&mut self, text: &str) -> Option<TermId> {
        let digits = text.strip_prefix('-')?;
        let term = if digits.bytes().all(|b| b.is_ascii_digit()) {
            self.terms.nat(natural(digits)?)
        } else {
            let value = decimal(digits)?;
            self.terms.real(&value)
        };
        self.terms.app(Op::Neg, &[term]).ok()
    }

    fn indexed_head(&mut self, node: NodeIdx, parts: &[NodeIdx]) -> Head {
        let Some(text) = self.text.symbol(self.tree, parts[0]) else {
            self.expected("a symbol after `_`", parts[0]);
            return Head::Error;
        };
        if matches!(text, "is" | "tester")
            && parts.len() == 2
            && !matches!(self.tree.kind(parts[1]), Kind::Numeral)
        {
            return self.tester_head(parts[1]);
        }
        if text == "char" && parts.len() == 2 {
            return self.char_head(parts[1]);
        }
        if let Some(digits) =
            text.strip_prefix("bv").filter(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))
            && parts.len() == 2
        {
            let Some(width) = self.small_numeral(parts[1]) else { return Head::Error };
            let Some(value) = natural(digits) else {
                self.too_long(parts[0]);
                return Head::Error;
            };
            if width == 0 || value.bit_len() > width as usize {
                self.error(codes::SMT017, node, format!("`{}` does not fit into {width} bits", shown(text)));
                return Head::Error;
            }
            return Head::Term(self.terms.bits(width, value));
        }
        let mut indices = [0; 2];
        for (i, &part) in parts[1..].iter().enumerate() {
            let Some(index) = self.small_numeral(part) else { return Head::Error };
            if let Some(slot) = indices.get_mut(i) {
                *slot = index;
            }
        }
        let count = parts.len() - 1;
        let symbol = self.terms.names.intern(text);
        let Binding::Op(op) = self.scope.get(symbol) else {
            self.unknown(codes::SMT023, parts[0], text);
            return Head::Error;
        };
        if op.info().rule.indices() != count {
            let error = RankError::Indices { expected: op.info().rule.indices(), found: count };
            let message = error.message(self.terms, &shown(text), &[]);
            self.error(codes::SMT017, node, message);
            return Head::Error;
        }
        Head::Op(op, indices)
    }

    /// `(_ is C)`, where old files write `(_ is (C (S …) T))` with the constructor's rank.
    fn tester_head(&mut self, node: NodeIdx) -> Head {
        let name = self.tree.head(node).unwrap_or(node);
        self.symbol(name, "a constructor").map_or(Head::Error, Head::Tester)
    }

    fn char_head(&mut self, node: NodeIdx) -> Head {
        let digits = self.text.atom(self.tree, node).strip_prefix("#x").unwrap_or_default();
        match u32::from_str_radix(digits, 16) {
            Ok(code) if code <= 0x2ffff => Head::Op(Op::Char, [code, 0]),
            _ => {
                self.error(codes::SMT017, node, "expected a character code from #x0 to #x2FFFF");
                Head::Error
            }
        }
    }

    /// `(as name sort)`; `code` is for a name that nobody knows.
    fn qualified_head(&mut self, node: NodeIdx, name: NodeIdx, sort: NodeIdx, code: Code) -> Head {
        let sort = self.sort(sort);
        if sort == SortId::ERROR {
            return Head::Error;
        }
        let Some(text) = self.text.symbol(self.tree, name) else {
            return self.qualified_indexed(node, name, sort);
        };
        let symbol = self.terms.names.intern(text);
        match self.scope.get(symbol) {
            Binding::Op(Op::ConstArray) => Head::ConstArray(sort),
            Binding::Op(Op::SeqEmpty) if matches!(self.terms.sorts.get(sort), Sort::Seq(_)) => {
                Head::Term(self.terms.raw(Op::SeqEmpty, 0, sort, &[]))
            }
            Binding::Generic(generic) => Head::Generic(generic, Some(sort)),
            Binding::Fun(fun) if self.terms.fun(fun).result == sort => Head::Fun(fun),
            Binding::Op(op) => Head::OpAs(op, [0; 2], sort),
            Binding::Local(term, depth) if self.terms.sort(term) == sort => {
                self.watch(term, depth);
                Head::Term(term)
            }
            Binding::Bound(var) if self.terms.sort(var) == sort => Head::Term(var),
            // `(as @S!0 S)`: an element of an uninterpreted sort, as models name them.
            Binding::None if text.starts_with('@') && self.terms.sorts.is_uninterpreted(sort) => {
                let fun = Fun { name: symbol, params: Box::new([]), result: sort, role: Role::Free };
                let fun = self.terms.declare(fun);
                if crate::value::named_element(self.terms, fun).is_some() {
                    return Head::Fun(fun);
                }
                self.unknown(code, name, text);
                Head::Error
            }
            Binding::None => {
                self.unknown(code, name, text);
                Head::Error
            }
            _ => self.other_sort(node, name, sort),
        }
    }

    /// `(as (_ name index …) sort)`.
    fn qualified_indexed(&mut self, node: NodeIdx, name: NodeIdx, sort: SortId) -> Head {
        let parts: Vec<NodeIdx> = self.tree.children(name).collect();
        let word = parts.first().map(|&word| self.text.atom(self.tree, word));
        if word != Some("_") || parts.len() < 3 {
            self.expected("a symbol or an indexed one after `as`", name);
            return Head::Error;
        }
        match self.indexed_head(name, &parts[1..]) {
            Head::Op(op, indices) => Head::OpAs(op, indices, sort),
            Head::Term(term) if self.terms.sort(term) != sort => self.other_sort(node, name, sort),
            head => head,
        }
    }

    fn other_sort(&mut self, node: NodeIdx, name: NodeIdx, sort: SortId) -> Head {
        let (what, sort) = (self.describe(name), sort_text(self.terms, sort));
        self.error(codes::SMT015, node, format!("{what} does not have sort {sort}"));
        Head::Error
    }

    /// Applies a head; reports what does not fit.
    pub(super) fn apply_head(&mut self, node: NodeIdx, head: Head, args: &[TermId]) -> TermId {
        let result = match head {
            Head::Error => return TermId::ERROR,
            _ if args.contains(&TermId::ERROR) => return TermId::ERROR,
            Head::Op(op, _) if op.info().rule == Rule::Special => return self.undetermined(node, op.name()),
            Head::Op(op, indices) => self.apply_op(op, indices, args),
            Head::OpAs(op, indices, sort) => match self.apply_op(op, indices, args) {
                Ok(term) if self.terms.sort(term) != sort => Err(RankError::Result { found: sort }),
                result => result,
            },
            Head::Fun(fun) => self.apply_fun(fun, args),
            Head::Generic(generic, sort) => return self.apply_generic(node, generic, sort, args),
            Head::ConstArray(sort) => match args {
                [value] => self.terms.const_array(sort, *value),
                _ => Err(RankError::Count { min: 1, max: Some(1), found: args.len() }),
            },
            Head::Tester(name) => return self.apply_tester(node, name, args),
            Head::Term(term) => self.apply_term(term, args),
        };
        match result {
            // A function whose sort was reported already.
            Ok(term) if self.terms.sort(term) == SortId::ERROR => TermId::ERROR,
            Ok(term) => term,
            Err(error) => {
                self.rank_error(node, &error, args);
                TermId::ERROR
            }
        }
    }

    fn apply_op(&mut self, op: Op, indices: [u32; 2], args: &[TermId]) -> Result<TermId, RankError> {
        // Unary and binary minus share a name.
        let op = if matches!(op, Op::Neg | Op::Sub) {
            if args.len() == 1 { Op::Neg } else { Op::Sub }
        } else {
            op
        };
        let indices = &indices[..op.info().rule.indices()];
        self.terms.app_indexed(op, indices, args)
    }

    /// A user's function may have the name of an operator of another theory; the arguments decide.
    fn apply_fun(&mut self, fun: FunId, args: &[TermId]) -> Result<TermId, RankError> {
        let error = match self.terms.call(fun, args) {
            Ok(term) => return Ok(term),
            Err(error) => error,
        };
        let name = self.terms.fun_name(fun);
        let same_name = |info: &&crate::op::OpInfo| info.name == name && info.theory != Theory::Kernel;
        let op = OPS.iter().find(same_name).map(|info| info.op);
        match op.map(|op| self.apply_op(op, [0; 2], args)) {
            Some(Ok(term)) => Ok(term),
            _ => Err(error),
        }
    }

    /// `(a i)` for an array or map `a` is selection.
    fn apply_term(&mut self, term: TermId, args: &[TermId]) -> Result<TermId, RankError> {
        let mut result = term;
        for &arg in args {
            result = self.terms.app(Op::Select, &[result, arg])?;
        }
        Ok(result)
    }

    fn apply_generic(
        &mut self,
        node: NodeIdx,
        generic: Generic,
        sort: Option<SortId>,
        args: &[TermId],
    ) -> TermId {
        let found = match (sort, generic.field) {
            (Some(sort), 0) => Some(sort),
            (_, 0) => self.infer_constructor(generic, args),
            _ => args.first().map(|&arg| self.terms.sort(arg)),
        };
        let of_datatype = |p: &Self, sort: SortId| matches!(p.terms.sorts.get(sort), Sort::Declared(d, _) if *d == generic.datatype);
        let Some(sort) = found.filter(|&sort| of_datatype(self, sort)) else {
            let name = shown(self.text.atom(self.tree, self.tree.head(node).unwrap_or(node)));
            return self.undetermined(node, &name);
        };
        let fun = match generic.field {
            0 => self.terms.constructor(sort, generic.constructor.into()),
            field => self.terms.selector(sort, generic.constructor.into(), u32::from(field) - 1),
        };
        match fun.map(|fun| self.terms.call(fun, args)) {
            Some(Ok(term)) => term,
            Some(Err(error)) => {
                self.rank_error(node, &error, args);
                TermId::ERROR
            }
            None => TermId::ERROR,
        }
    }

    fn undetermined(&mut self, node: NodeIdx, name: &str) -> TermId {
        let message = format!("the sort of `{name}` is not determined here");
        let error = Diagnostic::new(codes::SMT018, self.tree.span(node), message);
        self.report(error.help(format!("write (as {name} sort)")));
        TermId::ERROR
    }

    /// The sort of a constructor's result, when its arguments mention all parameters.
    fn infer_constructor(&mut self, generic: Generic, args: &[TermId]) -> Option<SortId> {
        let datatype = self.terms.sorts.decl(generic.datatype).datatype.clone()?;
        let constructor = datatype.constructors.get(generic.constructor as usize)?;
        let mut found = FxHashMap::default();
        for (&(_, pattern), &arg) in constructor.fields.iter().zip(args) {
            self.terms.sorts.unify(pattern, self.terms.sort(arg), &mut found);
        }
        let args: Option<Box<[SortId]>> = datatype.params.iter().map(|p| found.get(p).copied()).collect();
        Some(self.terms.sorts.mk(Sort::Declared(generic.datatype, args?)))
    }

    fn apply_tester(&mut self, node: NodeIdx, name: SymbolId, args: &[TermId]) -> TermId {
        let text = self.terms.names.text(name).to_string();
        let [arg] = *args else {
            let error = RankError::Count { min: 1, max: Some(1), found: args.len() };
            self.rank_error(node, &error, args);
            return TermId::ERROR;
        };
        let sort = self.terms.sort(arg);
        let position = self
            .terms
            .sorts
            .datatype(sort)
            .and_then(|(d, _)| d.constructors.iter().position(|c| c.name == name));
        let Some(position) = position else {
            let sort = sort_text(self.terms, sort);
            self.error(codes::SMT012, node, format!("{sort} has no constructor `{}`", shown(&text)));
            return TermId::ERROR;
        };
        let tester = self.terms.tester(sort, position as u32);
        tester.and_then(|t| self.terms.call(t, &[arg]).ok()).unwrap_or(TermId::ERROR)
    }

    fn rank_error(&mut self, node: NodeIdx, error: &RankError, args: &[TermId]) {
        let head = self.tree.head(node).unwrap_or(node);
        let name = shown(self.text.slice(self.tree.span(head)));
        let message = error.message(self.terms, &name, args);
        let (code, place) = match error {
            RankError::Count { .. } => (codes::SMT014, node),
            RankError::Sort { index, .. } | RankError::Kind { index, .. } => {
                (codes::SMT015, self.tree.children(node).nth(index + 1).unwrap_or(node))
            }
            RankError::Indices { .. } | RankError::Range(_) => (codes::SMT017, node),
            RankError::Result { .. } => (codes::SMT015, node),
        };
        self.error(code, place, message);
    }

    /// A literal of any theory.
    pub(super) fn literal(&mut self, node: NodeIdx) -> TermId {
        let text = self.text.atom(self.tree, node);
        match self.tree.kind(node) {
            Kind::Numeral => match natural(text) {
                Some(value) => self.terms.nat(value),
                None => self.too_long(node),
            },
            Kind::Decimal => match decimal(text) {
                Some(value) => self.terms.real(&value),
                None => self.too_long(node),
            },
            Kind::Hex | Kind::Binary => self.bits_literal(node, &text[2..]),
            Kind::String => {
                let value = self.text.string(self.tree, node).unwrap_or_default();
                self.terms.str(&value)
            }
            _ => {
                self.expected("a term", node);
                TermId::ERROR
            }
        }
    }

    fn too_long(&mut self, node: NodeIdx) -> TermId {
        self.error(codes::SMT017, node, format!("a number may have at most {MAX_DIGITS} digits"));
        TermId::ERROR
    }

    fn bits_literal(&mut self, node: NodeIdx, digits: &str) -> TermId {
        let (radix, per_digit) = if self.tree.kind(node) == Kind::Hex { (16, 4) } else { (2, 1) };
        let width = digits.len() as u64 * per_digit;
        match (u32::try_from(width), UBig::from_str_radix(digits, radix)) {
            (Ok(width), Ok(value)) => self.terms.bits(width, value),
            _ => {
                self.error(codes::SMT017, node, "the bit-vector literal is too long");
                TermId::ERROR
            }
        }
    }
}

/// A name in a message: not more than a line of it.
fn shown(text: &str) -> String {
    const LONG: usize = 60;
    match text.char_indices().nth(LONG) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// Changing the base of a number takes more than linear time, so there is a limit, far above what anyone uses.
const MAX_DIGITS: usize = 1_000_000;

/// A numeral's value, unless it has too many digits.
pub(crate) fn natural(digits: &str) -> Option<UBig> {
    match digits.parse::<u64>() {
        Ok(value) => Some(UBig::from(value)),
        Err(_) if digits.len() > MAX_DIGITS => None,
        Err(_) => UBig::from_str_radix(digits, 10).ok(),
    }
}

/// A decimal's value, unless it has too many digits.
pub(crate) fn decimal(text: &str) -> Option<RBig> {
    let (whole, fraction) = text.split_once('.')?;
    let digits = natural(&format!("{whole}{fraction}"))?;
    let scale = UBig::from(10u8).pow(fraction.len());
    Some(RBig::from_parts(digits.into(), scale))
}
