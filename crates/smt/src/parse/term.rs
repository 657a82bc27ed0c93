//! Terms, by a machine with an explicit stack: one frame per open construct, one value per finished subterm.
//!
//! `let` and `match` are put in place, so the result is a graph without names. That can catch a variable:
//! in `(let ((y x)) (forall ((x Int)) (= x y)))` the outer `x` moves under a binder of `x`. The machine notices
//! when a name that some binder hides is about to be used below it, and reads the whole term once more with
//! all such binders renamed. It is rare and costs at most one more pass.

use super::ident::Head;
use super::{Annotation, Parser};
use crate::op::Op;
use crate::scope::{Binding, Mark};
use crate::sexpr::{Kind, NodeIdx};
use crate::sort::SortId;
use crate::term::{Fun, FunId, Role, TermId};
use base::intern::SymbolId;
use diag::{Diagnostic, codes};
use rustc_hash::{FxHashMap, FxHashSet};

/// The machine's memory, kept between terms.
#[derive(Default)]
pub(super) struct Stack {
    frames: Vec<Frame>,
    values: Vec<TermId>,
    /// What active binders hide from view, while some `let` is active.
    hidden: Vec<TermId>,
    /// How many `let`s are active.
    lets: usize,
    /// Terms looked through for hidden ones.
    looked: FxHashMap<TermId, bool>,
    /// True in the second pass.
    rename: bool,
    caught: bool,
}

/// An open construct.
enum Frame {
    /// A function or operator that waits for arguments.
    Apply { node: NodeIdx, head: Head, next: NodeIdx, base: usize },
    /// `let` before its body.
    Let { node: NodeIdx, next: NodeIdx, base: usize },
    /// `let` with its body under way.
    LetBody { mark: Mark },
    /// A quantifier or `lambda` with its body under way.
    Bind { node: NodeIdx, op: Op, vars: Vec<TermId>, mark: Mark, hidden: usize },
    /// `(! t …)` with `t` under way.
    Annotated { node: NodeIdx },
    /// `match` before its cases.
    Match { node: NodeIdx },
    /// `match` with a case under way.
    MatchCase { node: NodeIdx, case: NodeIdx, scrutinee: TermId, mark: Mark, done: Vec<(Option<u32>, TermId)> },
    /// `(old t)` with `t` under way.
    Old { node: NodeIdx },
    /// Patterns of a quantifier are read after its body, inside its scope.
    Patterns { quantifier: usize, next: NodeIdx, end: NodeIdx, base: usize },
}

impl Parser<'_> {
    pub(super) fn parse_term(&mut self, node: NodeIdx) -> TermId {
        let mark = self.scope.mark();
        let (errors, annotations, named) =
            (self.errors.len(), self.noticed.annotations.len(), self.noticed.named.len());
        let (at, old) = (self.noticed.at.len(), self.noticed.old.len());
        let term = self.run(node);
        if !std::mem::take(&mut self.stack.caught) {
            return term;
        }
        self.scope.restore(mark);
        self.errors.truncate(errors);
        self.noticed.annotations.truncate(annotations);
        self.noticed.named.truncate(named);
        self.noticed.at.truncate(at);
        self.noticed.old.truncate(old);
        self.stack.rename = true;
        let term = self.run(node);
        self.stack.rename = false;
        self.stack.caught = false;
        term
    }

    fn run(&mut self, node: NodeIdx) -> TermId {
        self.stack.frames.clear();
        self.stack.values.clear();
        self.stack.hidden.clear();
        self.stack.looked.clear();
        self.stack.lets = 0;
        self.start(node);
        while let Some(frame) = self.stack.frames.pop() {
            self.resume(frame);
        }
        self.stack.values.pop().unwrap_or(TermId::ERROR)
    }

    fn push(&mut self, term: TermId) {
        self.stack.values.push(term);
    }

    fn pop(&mut self) -> TermId {
        self.stack.values.pop().unwrap_or(TermId::ERROR)
    }

    /// Begins a term: pushes its value, or a frame that will.
    fn start(&mut self, node: NodeIdx) {
        match self.tree.kind(node) {
            Kind::Symbol | Kind::Quoted => {
                let term = self.name(node);
                self.push(term);
            }
            Kind::List => self.start_list(node),
            _ => {
                let term = self.literal(node);
                self.push(term);
            }
        }
    }

    fn start_list(&mut self, node: NodeIdx) {
        let Some(head) = self.tree.head(node) else {
            self.expected("a term", node);
            return self.push(TermId::ERROR);
        };
        let reserved = if self.tree.kind(head) == Kind::Symbol { self.text.atom(self.tree, head) } else { "" };
        match reserved {
            "let" => self.start_let(node, head),
            "forall" => self.start_binder(node, head, Op::Forall),
            "exists" => self.start_binder(node, head, Op::Exists),
            "lambda" => self.start_binder(node, head, Op::Lambda),
            "!" => match self.tree.children(node).nth(1) {
                Some(body) => {
                    self.stack.frames.push(Frame::Annotated { node });
                    self.start(body);
                }
                None => self.bad(node, "(! term :keyword …)"),
            },
            "match" if self.is_free_name("match") => match self.tree.children(node).nth(1) {
                Some(scrutinee) if self.tree.children(node).count() == 3 => {
                    self.stack.frames.push(Frame::Match { node });
                    self.start(scrutinee);
                }
                _ => self.bad(node, "(match term ((pattern term) …))"),
            },
            "_" | "as" => {
                let head = self.head(node, node);
                self.apply(node, head, self.stack.values.len());
            }
            "at" if self.scope.relational.is_some() && self.is_free_name("at") => {
                let term = self.at_term(node);
                self.push(term);
            }
            "old" if self.scope.relational.is_some() && self.is_free_name("old") => {
                let body: Vec<NodeIdx> = self.tree.children(node).skip(1).collect();
                let [body] = body[..] else { return self.bad(node, "(old term)") };
                self.stack.frames.push(Frame::Old { node });
                self.start(body);
            }
            _ => {
                let head_read = self.head(head, node);
                let base = self.stack.values.len();
                let next = self.tree.next(head);
                if next == self.tree.next(node) {
                    let what = self.describe(head);
                    self.error(codes::SMT010, node, format!("{what} stands alone in parentheses"));
                    return self.push(TermId::ERROR);
                }
                self.stack.frames.push(Frame::Apply { node, head: head_read, next, base });
            }
        }
    }

    fn bad(&mut self, node: NodeIdx, shape: &str) {
        self.error(codes::SMT010, node, format!("expected {shape}"));
        self.push(TermId::ERROR);
    }

    fn is_free_name(&mut self, name: &str) -> bool {
        let name = self.terms.names.intern(name);
        self.scope.get(name) == Binding::None
    }

    /// Goes on with a frame whose last child is finished.
    fn resume(&mut self, frame: Frame) {
        match frame {
            Frame::Apply { node, head, next, base } => {
                if next < self.tree.next(node) {
                    let after = self.tree.next(next);
                    self.stack.frames.push(Frame::Apply { node, head, next: after, base });
                    self.start(next);
                } else {
                    self.apply(node, head, base);
                }
            }
            Frame::Let { node, next, base } => self.resume_let(node, next, base),
            Frame::LetBody { mark } => {
                self.stack.lets -= 1;
                self.scope.restore(mark);
            }
            Frame::Bind { node, op, vars, mark, hidden } => self.finish_binder(node, op, &vars, mark, hidden),
            Frame::Annotated { node } => self.annotate(node),
            Frame::Match { node } => self.start_match(node),
            Frame::MatchCase { node, case, scrutinee, mark, mut done } => {
                self.scope.restore(mark);
                let value = self.pop();
                if let Some(last) = done.last_mut() {
                    last.1 = value;
                }
                self.next_case(node, self.tree.next(case), scrutinee, done);
            }
            Frame::Old { node } => self.finish_old(node),
            Frame::Patterns { quantifier, next, end, base } => self.resume_patterns(quantifier, next, end, base),
        }
    }

    /// Applies a head to the values from `base` on and pushes the result.
    fn apply(&mut self, node: NodeIdx, head: Head, base: usize) {
        let args = self.stack.values.split_off(base);
        let term = self.apply_head(node, head, &args);
        self.push(term);
    }

    // ---- let

    fn start_let(&mut self, node: NodeIdx, head: NodeIdx) {
        let parts: Vec<NodeIdx> = self.tree.children(node).skip(1).collect();
        let [bindings, _] = parts[..] else { return self.bad(node, "(let ((name term) …) term)") };
        if !self.tree.is_list(bindings) || self.tree.head(bindings).is_none() {
            return self.bad(head, "a non-empty list of bindings after `let`");
        }
        let base = self.stack.values.len();
        self.stack.frames.push(Frame::Let { node, next: bindings + 1, base });
    }

    fn resume_let(&mut self, node: NodeIdx, next: NodeIdx, base: usize) {
        let bindings = self.tree.next(node + 1);
        if next < self.tree.next(bindings) {
            self.stack.frames.push(Frame::Let { node, next: self.tree.next(next), base });
            let parts: Vec<NodeIdx> = self.tree.children(next).collect();
            match parts[..] {
                [name, value] if self.tree.is_symbol(name) => self.start(value),
                _ => self.bad(next, "(name term)"),
            }
            return;
        }
        let mark = self.scope.mark();
        let mut seen = FxHashSet::default();
        for (i, binding) in self.tree.children(bindings).enumerate() {
            let value = self.stack.values[base + i];
            let Some(name) = self.tree.head(binding).filter(|&n| self.tree.is_symbol(n)) else { continue };
            let symbol = self.terms.names.intern(self.text.atom(self.tree, name));
            if !seen.insert(symbol) {
                let what = self.describe(name);
                self.error(codes::SMT019, name, format!("{what} is bound twice in one `let`"));
            }
            self.scope.bind_inner(symbol, Binding::Local(value));
        }
        self.stack.values.truncate(base);
        self.stack.lets += 1;
        self.stack.frames.push(Frame::LetBody { mark });
        self.start(self.tree.next(bindings));
    }

    // ---- quantifiers and lambda

    /// The variables `((x S) …)` of a binder or of formal parameters, brought into scope.
    pub(super) fn sorted_vars(&mut self, list: NodeIdx) -> Option<Vec<TermId>> {
        if !self.tree.is_list(list) {
            self.expected("a list of (name sort)", list);
            return None;
        }
        let (mut vars, mut seen) = (Vec::new(), FxHashSet::default());
        let mut named = Vec::new();
        for item in self.tree.children(list) {
            let parts: Vec<NodeIdx> = self.tree.children(item).collect();
            let [name, sort] = parts[..] else {
                self.expected("(name sort)", item);
                return None;
            };
            let symbol = self.symbol(name, "a variable's name")?;
            let sort = self.sort(sort);
            if !seen.insert(symbol) {
                let what = self.describe(name);
                self.error(codes::SMT019, name, format!("{what} is bound twice here"));
            }
            named.push((symbol, sort));
        }
        for (symbol, sort) in named {
            let written = self.hide(symbol);
            let var = self.terms.var(written, sort);
            self.scope.bind_inner(symbol, Binding::Bound(var));
            if written != symbol {
                // So that the next renamed variable gets another name.
                self.scope.bind_inner(written, Binding::Bound(var));
            }
            vars.push(if sort == SortId::ERROR { TermId::ERROR } else { var });
        }
        Some(vars)
    }

    /// A binder is about to hide `symbol`. Remembers what it hides, or gives the name to use instead.
    fn hide(&mut self, symbol: SymbolId) -> SymbolId {
        let hidden = match self.scope.get(symbol) {
            Binding::Bound(var) => var,
            Binding::Fun(fun) if self.terms.fun(fun).params.is_empty() => self.terms.constant_term(fun),
            _ => return symbol,
        };
        if self.stack.lets == 0 {
            return symbol;
        }
        if !self.stack.rename {
            self.stack.hidden.push(hidden);
            self.stack.looked.clear();
            return symbol;
        }
        let text = self.terms.names.text(symbol).to_string();
        let mut n = 1;
        loop {
            let fresh = self.terms.names.intern(&format!("{text}!{n}"));
            if self.scope.get(fresh) == Binding::None {
                return fresh;
            }
            n += 1;
        }
    }

    /// Called for each use of a name bound by `let`: would its value come under a binder that hides part of it?
    pub(super) fn watch(&mut self, value: TermId) {
        if self.stack.hidden.is_empty() || self.stack.caught {
            return;
        }
        let mut todo = vec![value];
        while let Some(term) = todo.pop() {
            if self.stack.looked.insert(term, true).is_some() {
                continue;
            }
            if self.stack.hidden.contains(&term) {
                self.stack.caught = true;
                return;
            }
            todo.extend_from_slice(self.terms.args(term));
        }
    }

    fn start_binder(&mut self, node: NodeIdx, head: NodeIdx, op: Op) {
        let parts: Vec<NodeIdx> = self.tree.children(node).skip(1).collect();
        let [list, body] = parts[..] else {
            return self.bad(node, &format!("({} ((name sort) …) term)", op.name()));
        };
        let (mark, hidden) = (self.scope.mark(), self.stack.hidden.len());
        if self.tree.is_list(list) && self.tree.head(list).is_none() {
            return self.bad(head, "at least one variable");
        }
        let Some(vars) = self.sorted_vars(list) else { return self.push(TermId::ERROR) };
        self.stack.frames.push(Frame::Bind { node, op, vars, mark, hidden });
        self.start(body);
    }

    fn finish_binder(&mut self, node: NodeIdx, op: Op, vars: &[TermId], mark: Mark, hidden: usize) {
        self.scope.restore(mark);
        self.stack.hidden.truncate(hidden);
        let body = self.pop();
        let term = if body == TermId::ERROR || vars.contains(&TermId::ERROR) {
            TermId::ERROR
        } else {
            match self.terms.bind(op, vars, body) {
                Ok(term) => term,
                Err(_) => {
                    let found = crate::print::sort_text(self.terms, self.terms.sort(body));
                    let message = format!("the body of `{}` has sort {found}, expected Bool", op.name());
                    self.error(codes::SMT015, node, message);
                    TermId::ERROR
                }
            }
        };
        self.push(term);
    }

    // ---- annotations

    fn annotate(&mut self, node: NodeIdx) {
        let attributes: Vec<NodeIdx> = self.tree.children(node).skip(2).collect();
        if attributes.is_empty() {
            self.error(codes::SMT010, node, "expected (! term :keyword …)");
        }
        let term = self.stack.values.last().copied().unwrap_or(TermId::ERROR);
        let mut i = 0;
        while i < attributes.len() {
            let key = attributes[i];
            if self.tree.kind(key) != Kind::Keyword {
                self.expected("a keyword", key);
                return;
            }
            let value = attributes.get(i + 1).copied().filter(|&v| self.tree.kind(v) != Kind::Keyword);
            i += 1 + usize::from(value.is_some());
            self.noticed.annotations.push(Annotation { term, key, value });
            match (self.text.atom(self.tree, key), value) {
                (":named", value) => self.name_term(key, value, term),
                (":next", Some(value)) if self.scope.next_declares => self.declare_next(value, term),
                (":pattern", Some(value)) if self.tree.is_list(value) => self.start_patterns(value),
                _ => {}
            }
        }
    }

    /// `:named n` is a definition of `n` that stays when the term is over.
    fn name_term(&mut self, key: NodeIdx, value: Option<NodeIdx>, term: TermId) {
        let Some(value) = value else { return self.expected("a name after `:named`", key) };
        let Some(name) = self.symbol(value, "a name after `:named`") else { return };
        if term == TermId::ERROR {
            return;
        }
        if self.stack.frames.iter().any(|f| matches!(f, Frame::Bind { .. } | Frame::LetBody { .. }))
            && !crate::subst::free_vars(self.terms, term).is_empty()
        {
            return self.error(codes::SMT010, value, "a named term must not contain bound variables");
        }
        if self.is_taken(value, name) {
            return;
        }
        let result = self.terms.sort(term);
        let role = Role::Defined(Box::new([]), term);
        let fun = self.terms.declare(Fun { name, params: Box::new([]), result, role });
        self.scope.bind_persistent(name, fun, self.tree.span(value));
        self.noticed.named.push(fun);
    }

    fn declare_next(&mut self, value: NodeIdx, term: TermId) {
        let Some(text) = self.text.symbol(self.tree, value) else { return };
        let name = self.terms.names.intern(text);
        if self.scope.get(name) != Binding::None || term == TermId::ERROR {
            return;
        }
        let result = self.terms.sort(term);
        let fun = self.terms.declare(Fun { name, params: Box::new([]), result, role: Role::Free });
        self.scope.bind_persistent(name, fun, self.tree.span(value));
        self.noticed.named.push(fun);
    }

    // ---- patterns: read while the quantifier's variables are in scope, then kept with the quantifier

    fn start_patterns(&mut self, list: NodeIdx) {
        // Only directly under a quantifier do patterns mean anything.
        let Some(Frame::Bind { .. }) = self.stack.frames.last() else { return };
        let (base, first) = (self.stack.values.len(), list + 1);
        let quantifier = self.stack.frames.len() - 1;
        self.stack.frames.push(Frame::Patterns { quantifier, next: first, end: self.tree.next(list), base });
    }

    fn resume_patterns(&mut self, quantifier: usize, next: NodeIdx, end: NodeIdx, base: usize) {
        if next < end {
            self.stack.frames.push(Frame::Patterns { quantifier, next: self.tree.next(next), end, base });
            return self.start(next);
        }
        // The hints were checked like any term; solvers choose their own triggers, so they are not stored.
        self.stack.values.truncate(base);
    }

    // ---- match

    fn start_match(&mut self, node: NodeIdx) {
        let scrutinee = self.pop();
        let cases = self.tree.next(self.tree.next(node + 1));
        if scrutinee == TermId::ERROR {
            return self.push(TermId::ERROR);
        }
        if self.terms.sorts.datatype(self.terms.sort(scrutinee)).is_none() {
            let found = crate::print::sort_text(self.terms, self.terms.sort(scrutinee));
            self.error(codes::SMT020, node, format!("`match` needs a term of a datatype, not of sort {found}"));
            return self.push(TermId::ERROR);
        }
        if self.tree.head(cases).is_none() {
            self.error(codes::SMT020, cases, "`match` needs at least one case");
            return self.push(TermId::ERROR);
        }
        self.next_case(node, cases + 1, scrutinee, Vec::new());
    }

    fn next_case(&mut self, node: NodeIdx, case: NodeIdx, scrutinee: TermId, mut done: Vec<(Option<u32>, TermId)>) {
        if case >= self.tree.next(node) {
            return self.finish_match(node, scrutinee, done);
        }
        let parts: Vec<NodeIdx> = self.tree.children(case).collect();
        let [pattern, body] = parts[..] else { return self.bad(case, "(pattern term)") };
        let mark = self.scope.mark();
        let Some(constructor) = self.pattern(pattern, scrutinee) else {
            self.scope.restore(mark);
            return self.push(TermId::ERROR);
        };
        done.push((constructor, TermId::ERROR));
        self.stack.frames.push(Frame::MatchCase { node, case, scrutinee, mark, done });
        self.start(body);
    }

    /// Brings a pattern's variables into scope. The constructor's position, or none for a variable.
    fn pattern(&mut self, pattern: NodeIdx, scrutinee: TermId) -> Option<Option<u32>> {
        let sort = self.terms.sort(scrutinee);
        let (head, vars): (NodeIdx, Vec<NodeIdx>) = match self.tree.head(pattern) {
            Some(head) => (head, self.tree.children(pattern).skip(1).collect()),
            None => (pattern, Vec::new()),
        };
        let name = self.symbol(head, "a constructor or variable")?;
        let index =
            self.terms.sorts.datatype(sort).and_then(|(d, _)| d.constructors.iter().position(|c| c.name == name));
        let Some(index) = index else {
            if head == pattern {
                if self.terms.names.text(name) != "_" {
                    self.scope.bind_inner(name, Binding::Local(scrutinee));
                }
                return Some(None);
            }
            let (what, sort) = (self.describe(head), crate::print::sort_text(self.terms, sort));
            self.error(codes::SMT020, head, format!("{what} is no constructor of {sort}"));
            return None;
        };
        let (_, fields) = self.terms.fields(sort, index as u32)?;
        if fields.len() != vars.len() {
            let message = format!("the constructor has {} fields, the pattern {}", fields.len(), vars.len());
            self.error(codes::SMT020, pattern, message);
            return None;
        }
        for (i, &var) in vars.iter().enumerate() {
            let name = self.symbol(var, "a variable")?;
            let selector = self.terms.selector(sort, index as u32, i as u32)?;
            let value = self.terms.call(selector, &[scrutinee]).ok()?;
            if self.terms.names.text(name) != "_" {
                self.scope.bind_inner(name, Binding::Local(value));
            }
        }
        Some(Some(index as u32))
    }

    /// Cases become a chain of `ite` over testers; the last needed case is the final `else`.
    fn finish_match(&mut self, node: NodeIdx, scrutinee: TermId, done: Vec<(Option<u32>, TermId)>) {
        if done.iter().any(|(_, body)| *body == TermId::ERROR) {
            return self.push(TermId::ERROR);
        }
        let sort = self.terms.sort(scrutinee);
        let total = self.terms.sorts.datatype(sort).map_or(0, |(d, _)| d.constructors.len());
        let (mut used, mut seen) = (Vec::new(), FxHashSet::default());
        for (constructor, body) in done {
            match constructor {
                None => {
                    used.push((None, body));
                    seen.extend(0..total as u32);
                    break;
                }
                Some(c) if seen.insert(c) => used.push((Some(c), body)),
                Some(_) => {}
            }
        }
        if seen.len() < total {
            self.error(codes::SMT020, node, "`match` does not cover all constructors");
            return self.push(TermId::ERROR);
        }
        let Some((_, mut term)) = used.pop() else { return self.push(TermId::ERROR) };
        for (constructor, body) in used.into_iter().rev() {
            let test = constructor.and_then(|c| self.terms.tester(sort, c));
            let test = test.and_then(|t| self.terms.call(t, &[scrutinee]).ok()).unwrap_or(TermId::TRUE);
            term = match self.terms.app(Op::Ite, &[test, body, term]) {
                Ok(term) => term,
                Err(_) => {
                    self.error(codes::SMT015, node, "the cases of `match` have different sorts");
                    TermId::ERROR
                }
            };
        }
        self.push(term);
    }

    // ---- at and old

    fn at_term(&mut self, node: NodeIdx) -> TermId {
        let parts: Vec<NodeIdx> = self.tree.children(node).skip(1).collect();
        let [var, tag] = parts[..] else {
            self.error(codes::SMT010, node, "expected (at variable tag)");
            return TermId::ERROR;
        };
        let (Some(name), Some(tag)) = (self.symbol(var, "a variable"), self.symbol(tag, "a tag")) else {
            return TermId::ERROR;
        };
        let Binding::Fun(fun) = self.scope.get(name) else {
            let what = self.describe(var);
            self.error(codes::SV208, var, format!("`at` needs a program variable, and {what} is none"));
            return TermId::ERROR;
        };
        if !matches!(self.terms.fun(fun).role, Role::Variable(..)) {
            let what = self.describe(var);
            self.error(codes::SV208, var, format!("`at` needs a program variable, and {what} is none"));
            return TermId::ERROR;
        }
        let at = self.at_fun(fun, tag);
        self.noticed.at.push((at, self.tree.span(node)));
        self.terms.constant_term(at)
    }

    fn at_fun(&mut self, var: FunId, tag: SymbolId) -> FunId {
        let Fun { name, result, .. } = *self.terms.fun(var);
        self.terms.declare(Fun { name, params: Box::new([]), result, role: Role::At(var, tag) })
    }

    /// `(old t)` is `t` with every program variable taken at the procedure's tag.
    fn finish_old(&mut self, node: NodeIdx) {
        self.noticed.old.push(self.tree.span(node));
        let body = self.pop();
        let Some(tag) = self.scope.relational.and_then(|r| r.old_tag) else {
            self.error(codes::SV208, node, "`old` needs a tag on the procedure's body");
            return self.push(TermId::ERROR);
        };
        let mut replace = FxHashMap::default();
        for term in crate::subst::constants(self.terms, body) {
            let Some(fun) = self.terms.applied(term) else { continue };
            if matches!(self.terms.fun(fun).role, Role::Variable(..)) {
                let at = self.at_fun(fun, tag);
                self.noticed.at.push((at, self.tree.span(node)));
                let at = self.terms.constant_term(at);
                replace.insert(term, at);
            }
        }
        let term = crate::subst::replace(self.terms, body, &replace);
        self.push(term);
    }

    /// Reports a name that is declared already; true if it is.
    pub(super) fn is_taken(&mut self, node: NodeIdx, name: SymbolId) -> bool {
        let taken = match self.scope.get(name) {
            Binding::None | Binding::Local(_) | Binding::Bound(_) => false,
            // Real files declare functions that have the name of an operator of a theory they do not use.
            Binding::Op(op) => op.info().theory == crate::op::Theory::Core,
            Binding::Fun(_) | Binding::Generic(_) => true,
        };
        if taken {
            let what = self.describe(node);
            let mut error = Diagnostic::new(codes::SMT016, self.tree.span(node), format!("{what} is declared already"));
            if let Some(span) = self.scope.declared_at(name) {
                error = error.note_at(span, "the first declaration is here");
            }
            self.errors.push(error);
        }
        taken
    }
}
