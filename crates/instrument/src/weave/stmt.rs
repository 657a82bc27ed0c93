//! Texts around statements and in them: braces where there are none, loops whose condition becomes a statement.
//!
//! `while (c) s` with a text at its head, or one for the end of the loop that a `break` must not pass, becomes
//! `while (1) { head if (!(c)) { end break; } s }`. `continue` leads to the head as before. In a `for` the condition moves
//! into the body.

use super::context::Parent;
use super::edit::Part;
use super::sort::Places;
use super::{Said, Weaver};
use base::id::Id;
use cfront::ast::{ExprId, ExprKind, FunctionId, StmtId, StmtKind};
use cfront::types::{Ty, TypeKind};
use diag::Span;

/// Where texts at the beginning of a branch or body stand.
#[derive(Clone, Copy)]
enum Start {
    /// Behind its brace.
    Brace(Span),
    /// Before it, in a brace of their own.
    Before(Span),
}

impl Weaver<'_> {
    /// The beginning of a branch or body; opens a brace if there is none.
    fn start(&mut self, body: StmtId) -> Start {
        let span = self.stmt_span(body);
        if matches!(self.unit.stmts[body].kind, StmtKind::Block(_)) {
            return Start::Brace(self.brace(body));
        }
        self.edits.open(span, "{ ".into(), None);
        Start::Before(span)
    }

    /// Closes the brace that was opened at the beginning.
    fn finish(&mut self, body: StmtId) {
        if !matches!(self.unit.stmts[body].kind, StmtKind::Block(_)) {
            self.edits.close(self.unit.stmts[body].span, " }".into(), None);
        }
    }

    fn say_parts(&mut self, start: Start, parts: Vec<Part>, from: Option<Span>) {
        match start {
            Start::Brace(brace) => self.edits.close_parts(brace, parts, from),
            Start::Before(body) => self.edits.open_parts(body, parts, from),
        }
    }

    fn say_all<'p>(&mut self, start: Start, texts: impl IntoIterator<Item = &'p Said>) {
        for (text, from) in texts {
            let text = match start {
                Start::Brace(_) => format!(" {text}"),
                Start::Before(_) => format!("{text} "),
            };
            self.say_parts(start, vec![Part::Text(text)], *from);
        }
    }

    /// True when more than one statement can stand at a statement's place.
    fn is_in_list(&self, mut stmt: StmtId) -> bool {
        while let Parent::Labelled(up) = self.context.stmt_parent[stmt] {
            stmt = up;
        }
        matches!(self.context.stmt_parent[stmt], Parent::Block(_))
    }

    /// A loop's condition and body.
    fn loop_parts(&self, stmt: StmtId) -> Option<(Option<ExprId>, StmtId)> {
        match self.unit.stmts[stmt].kind {
            StmtKind::While(cond, body) | StmtKind::Do(body, cond) => Some((Some(cond), body)),
            StmtKind::For(index) => {
                let parts = self.unit.fors[index as usize];
                Some((parts.cond, parts.body))
            }
            _ => None,
        }
    }

    /// The condition of a loop that has to become a statement.
    fn split_cond(&self, stmt: StmtId, places: &Places) -> Option<ExprId> {
        let (cond, _) = self.loop_parts(stmt)?;
        let cond = cond.filter(|&cond| self.unit.int_value(cond).is_none_or(|value| value == 0))?;
        let is_do = matches!(self.unit.stmts[stmt].kind, StmtKind::Do(..));
        let skips_end = !places.no.is_empty()
            && (self.needs_scope(stmt, &places.no) || self.context.has_break[stmt.index()]);
        (!is_do && (!places.head.is_empty() || skips_end)).then_some(cond)
    }

    /// True when texts name a variable that a `for` declares, which is gone behind it.
    fn needs_scope(&self, stmt: StmtId, texts: &[Said]) -> bool {
        let StmtKind::For(index) = self.unit.stmts[stmt].kind else { return false };
        let Some(init) = self.unit.fors[index as usize].init else { return false };
        let StmtKind::Decl(list) = self.unit.stmts[init].kind else { return false };
        let entities = self.unit.decl_list(list).iter().filter_map(|&decl| self.unit.decls[decl].entity);
        let names: Vec<&str> =
            entities.map(|entity| self.unit.name(self.unit.entities[entity].name)).collect();
        let is_part = |c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$';
        texts.iter().any(|(text, _)| text.split(is_part).any(|word| names.contains(&word)))
    }

    /// What goes behind a statement: for a loop that only its condition ends, what belongs to that.
    fn afters<'p>(&self, stmt: StmtId, places: &'p Places) -> Vec<&'p Said> {
        let is_loop = self.loop_parts(stmt).is_some();
        let at_end =
            is_loop && !self.context.has_break[stmt.index()] && self.split_cond(stmt, places).is_none();
        let ends: &[Said] = if at_end { &places.no } else { &[] };
        ends.iter().chain(&places.after).collect()
    }

    fn open_all<'p>(&mut self, part: Span, texts: impl IntoIterator<Item = &'p Said>) {
        for (text, from) in texts {
            self.edits.open(part, format!("{text} "), *from);
        }
    }

    fn close_all<'p>(&mut self, part: Span, texts: impl IntoIterator<Item = &'p Said>) {
        for (text, from) in texts {
            self.edits.close(part, format!(" {text}"), *from);
        }
    }

    pub(super) fn begin_stmt(&mut self, function: FunctionId, stmt: StmtId, places: &Places) {
        let span = self.stmt_span(stmt);
        let has_after = !self.afters(stmt, places).is_empty();
        if (has_after || !places.before.is_empty()) && !self.is_in_list(stmt) {
            self.edits.open(span, "{ ".into(), None);
        }
        self.open_all(span, &places.before);
        if !places.init.is_empty() {
            self.begin_init(stmt, &places.init);
        }
        if !places.returning.is_empty() {
            self.returning(function, stmt, &places.returning);
        }
        if let StmtKind::If(_, then, other) = self.unit.stmts[stmt].kind {
            if !places.yes.is_empty() || other.is_none() && !places.no.is_empty() {
                let start = self.start(then);
                self.say_all(start, &places.yes);
            }
            if let Some(other) = other.filter(|_| !places.no.is_empty()) {
                let start = self.start(other);
                self.say_all(start, &places.no);
            }
        } else if let Some((_, body)) = self.loop_parts(stmt) {
            self.begin_loop(stmt, body, places);
        }
    }

    /// `for (T x = e; c; s) b` becomes `{ T x = e; texts for (; c; s) b }`.
    fn begin_init(&mut self, stmt: StmtId, texts: &[Said]) {
        let StmtKind::For(index) = self.unit.stmts[stmt].kind else { return };
        let Some(init) = self.unit.fors[index as usize].init else { return };
        let (span, init) = (self.stmt_span(stmt), self.stmt_span(init));
        let Some(open) = self.token_before(init.start) else { return };
        self.edits.replace(Span::new(span.start, open.span.end), "{ ".into(), None);
        self.close_all(init, texts);
        self.edits.close(init, " for (;".into(), None);
    }

    fn begin_loop(&mut self, stmt: StmtId, body: StmtId, places: &Places) {
        let Some(cond) = self.split_cond(stmt, places) else {
            if !places.yes.is_empty() || !places.head.is_empty() {
                let start = self.start(body);
                self.say_all(start, places.head.iter().chain(&places.yes));
            }
            return;
        };
        let cond = self.expr_span(cond);
        let start = if let StmtKind::While(..) = self.unit.stmts[stmt].kind {
            let span = self.stmt_span(stmt);
            let body = self.stmt_span(body);
            let parens = (self.token_before(cond.start), self.token_before(body.start));
            let (Some(open), Some(close)) = parens else { return };
            self.edits.replace(Span::new(span.start, open.span.end), "while (1) { ".into(), None);
            self.open_all(cond, &places.head);
            self.edits.open(cond, "if (!(".into(), None);
            self.edits.replace(close.span, ")) {".into(), None);
            Start::Before(body)
        } else {
            self.edits.take(cond, String::new());
            let start = self.start(body);
            self.say_all(start, &places.head);
            let parts = vec![Part::Text(" if (!(".into()), Part::Moved(cond), Part::Text(")) { ".into())];
            self.say_parts(start, parts, None);
            start
        };
        self.say_all(start, &places.no);
        self.say_parts(start, vec![Part::Text(" break; } ".into())], None);
        self.say_all(start, &places.yes);
    }

    pub(super) fn end_stmt(&mut self, _function: FunctionId, stmt: StmtId, places: &Places) {
        let span = self.stmt_span(stmt);
        if let StmtKind::If(_, then, other) = self.unit.stmts[stmt].kind {
            if !places.yes.is_empty() || other.is_none() && !places.no.is_empty() {
                self.finish(then);
            }
            if !places.no.is_empty() {
                match other {
                    Some(other) => self.finish(other),
                    None => {
                        let then = self.stmt_span(then);
                        self.edits.close(then, " else {".into(), None);
                        self.close_all(then, &places.no);
                        self.edits.close(then, " }".into(), None);
                    }
                }
            }
        } else if let Some((cond, body)) = self.loop_parts(stmt) {
            let is_split = self.split_cond(stmt, places).is_some();
            let is_while = matches!(self.unit.stmts[stmt].kind, StmtKind::While(..));
            if is_split && is_while {
                self.edits.close(self.unit.stmts[body].span, " }".into(), None);
            } else if is_split || !places.yes.is_empty() || !places.head.is_empty() {
                self.finish(body);
            }
            if !is_split
                && !places.no.is_empty()
                && self.context.has_break[stmt.index()]
                && let Some(cond) = cond
            {
                // A `do` whose end a `break` passes: nothing but a statement in the condition is right.
                let cond = self.expr_span(cond);
                self.edits.open(cond, "(".into(), None);
                self.edits.close(cond, ") || ({".into(), None);
                self.close_all(cond, &places.no);
                self.edits.close(cond, " 0; })".into(), None);
            }
        }
        if !places.init.is_empty() {
            self.edits.close(span, " }".into(), None);
        }
        let afters = self.afters(stmt, places);
        let is_braced = (!afters.is_empty() || !places.before.is_empty()) && !self.is_in_list(stmt);
        self.close_all(span, afters);
        if is_braced {
            self.edits.close(span, " }".into(), None);
        }
    }

    /// Texts between the value of a `return` and the end of the function.
    fn returning(&mut self, function: FunctionId, stmt: StmtId, texts: &[Said]) {
        let span = self.stmt_span(stmt);
        let StmtKind::Return(value) = self.unit.stmts[stmt].kind else { return };
        let is_plain = value.is_none_or(|value| {
            self.unit.int_value(value).is_some()
                || matches!(
                    self.unit.exprs[self.unit.peeled(value)].kind,
                    ExprKind::Name(_) | ExprKind::Constant
                )
        });
        if is_plain {
            self.edits.open(span, "{ ".into(), None);
            self.open_all(span, texts);
            self.edits.close(span, " }".into(), None);
            return;
        }
        let Some(first) = self.token_from(span.start) else { return };
        let last = Span::new(span.end - 1, span.end);
        let entity = self.unit.functions[function].entity;
        let result = match self.unit.types.kind(self.unit.entities[entity].ty) {
            TypeKind::Function(id) => self.unit.types.signature(id).result,
            _ => Ty::INT,
        };
        let name = if self.unit.types.kind(result) == TypeKind::Void {
            None
        } else {
            let Some(fresh) = self.scratch(function, result.bare()) else {
                let problem = "the type of what is returned has no name outside of the function";
                self.problems.push(diag::Diagnostic::new(diag::codes::W001, span, problem));
                return;
            };
            Some(fresh)
        };
        let start = name.as_ref().map_or_else(|| "{ (".to_owned(), |name| format!("{{ {name} = ("));
        self.edits.replace(first.span, start, None);
        self.edits.replace(last, ");".into(), None);
        self.close_all(span, texts);
        let end = name.map_or_else(|| " return; }".to_owned(), |name| format!(" return {name}; }}"));
        self.edits.close(span, end, None);
    }
}
