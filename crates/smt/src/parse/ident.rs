//! Names and the heads of applications: plain, indexed, qualified.

use super::Parser;
use super::literal::natural;
use super::term::Frame;
use crate::check::RankError;
use crate::op::Op;
use crate::print::sort_text;
use crate::scope::{Binding, Generic};
use crate::sexpr::{Kind, NodeIdx};
use crate::sort::{Sort, SortId};
use crate::term::{Fun, FunId, Role, TermId};
use base::intern::SymbolId;
use dashu_int::ops::BitTest;
use diag::{Code, Diagnostic, codes};

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
            Binding::Fun(fun) => match self.terms.used_constant(fun).or_else(|| self.abbreviated(fun)) {
                Some(term) => term,
                None => self.apply_head(node, Head::Fun(fun), &[]),
            },
            _ => {
                let head = self.head(node, node);
                self.apply_head(node, head, &[])
            }
        }
    }

    /// What a name stands for in VMT-LIB, where definitions are unfolded in any case. Under a binder that is left to
    /// [`crate::subst::Unfolding`], which sees to it that the binder catches nothing, and an annotation speaks of the
    /// name itself.
    fn abbreviated(&self, fun: FunId) -> Option<TermId> {
        let stands_alone = || matches!(self.stack.frames.last(), Some(Frame::Annotated { .. }));
        if !self.scope.next_declares || !self.stack.vars.is_empty() || stands_alone() {
            return None;
        }
        self.terms.abbreviated(fun)
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

    pub(super) fn unknown(&mut self, code: Code, node: NodeIdx, text: &str) {
        let shown = shown(text);
        let what = if code == codes::SMT012 { "symbol" } else { "function" };
        if self.is_full() {
            return;
        }
        let help = self.scope.similar(self.terms, text).map(|s| format!("did you mean `{s}`?"));
        let error = Diagnostic::new(code, self.tree.span(node), format!("unknown {what} `{shown}`"));
        self.report(error.help_opt(help));
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
}

/// A name in a message: not more than a line of it.
pub(super) fn shown(text: &str) -> String {
    const LONG: usize = 60;
    match text.char_indices().nth(LONG) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}
