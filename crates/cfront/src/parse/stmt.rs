//! Statements, with an explicit stack of what waits for a part.

use super::{Attrs, P, Parser};
use crate::ast::{Asm, ExprId, For, Label, LabelId, List, Stmt, StmtId, StmtKind};
use crate::token::{T, Token};
use diag::{Span, codes};

/// A statement that waits for its next part.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pending {
    /// A block: where its statements begin in `Parser::done`, and its local labels.
    Block {
        start: Span,
        first: usize,
        labels: usize,
    },
    If {
        start: Span,
        cond: ExprId,
    },
    Else {
        start: Span,
        cond: ExprId,
        then: StmtId,
    },
    While {
        start: Span,
        cond: ExprId,
    },
    Do {
        start: Span,
    },
    For {
        start: Span,
        init: Option<StmtId>,
        cond: Option<ExprId>,
        step: Option<ExprId>,
    },
    Switch {
        start: Span,
        cond: ExprId,
    },
    Case {
        start: Span,
        low: ExprId,
        high: Option<ExprId>,
    },
    Default {
        start: Span,
    },
    Label {
        start: Span,
        label: LabelId,
    },
}

/// What was read of a statement.
enum Begun {
    /// All of it.
    Whole(StmtId),
    /// It waits for a part.
    Pending,
}

impl Parser<'_> {
    /// A block, the position being at its brace.
    pub(crate) fn block(&mut self) -> P<StmtId> {
        let bottom = self.pending.len();
        let done = self.done.len();
        let result = self.run_block(bottom);
        self.pending.truncate(bottom);
        self.done.truncate(done);
        result
    }

    fn run_block(&mut self, bottom: usize) -> P<StmtId> {
        self.open_block()?;
        loop {
            let scope = self.scopes.ordinary.depth();
            let mut whole = match self.begin() {
                Ok(Begun::Pending) => continue,
                Ok(Begun::Whole(stmt)) => stmt,
                Err(bail) => {
                    if self.kind() == T::Eof {
                        return Err(bail);
                    }
                    let start = self.span();
                    while self.scopes.ordinary.depth() > scope {
                        self.scopes.leave();
                    }
                    self.skip_broken();
                    self.stmt(StmtKind::Error, start)
                }
            };
            loop {
                if self.pending.len() == bottom {
                    return Ok(whole);
                }
                match self.attach(whole) {
                    Some(stmt) => whole = stmt,
                    None => break,
                }
            }
        }
    }

    pub(crate) fn stmt(&mut self, kind: StmtKind, start: Span) -> StmtId {
        let span = self.since(start);
        self.unit.stmts.push(Stmt { kind, span })
    }

    fn open_block(&mut self) -> P<()> {
        let start = self.expect(T::LBrace)?.span;
        let labels = self.functions.last().map_or(0, |context| context.local_labels.len());
        self.pending.push(Pending::Block { start, first: self.done.len(), labels });
        self.scopes.enter();
        Ok(())
    }

    /// Gives a statement to what waits for it: the statement that it completes, or none if more is needed.
    fn attach(&mut self, stmt: StmtId) -> Option<StmtId> {
        let top = *self.pending.last()?;
        let (kind, start) = match top {
            Pending::Block { .. } => {
                self.done.push(stmt);
                return None;
            }
            Pending::If { start, cond } if self.kind() == T::Else => {
                self.next();
                self.pending.pop();
                self.pending.push(Pending::Else { start, cond, then: stmt });
                return None;
            }
            Pending::If { start, cond } => (StmtKind::If(cond, stmt, None), start),
            Pending::Else { start, cond, then } => (StmtKind::If(cond, then, Some(stmt)), start),
            Pending::While { start, cond } => {
                self.leave_loop();
                (StmtKind::While(cond, stmt), start)
            }
            Pending::Do { start } => {
                self.leave_loop();
                match self.do_tail() {
                    Ok(cond) => (StmtKind::Do(stmt, cond), start),
                    Err(_) => {
                        self.skip_broken();
                        (StmtKind::Error, start)
                    }
                }
            }
            Pending::For { start, init, cond, step } => {
                self.leave_loop();
                self.scopes.leave();
                self.unit.fors.push(For { init, cond, step, body: stmt });
                (StmtKind::For(self.unit.fors.len() as u32 - 1), start)
            }
            Pending::Switch { start, cond } => {
                self.leave_switch();
                (StmtKind::Switch(cond, stmt), start)
            }
            Pending::Case { start, low, high } => (StmtKind::Case(low, high, stmt), start),
            Pending::Default { start } => (StmtKind::Default(stmt), start),
            Pending::Label { start, label } => {
                let labelled = self.stmt(StmtKind::Label(label, stmt), start);
                self.unit.labels[label].target = Some(labelled);
                self.pending.pop();
                return Some(labelled);
            }
        };
        self.pending.pop();
        Some(self.stmt(kind, start))
    }

    /// `while (c);` after the body of `do`.
    fn do_tail(&mut self) -> P<ExprId> {
        self.expect(T::While)?;
        let cond = self.condition()?;
        self.expect(T::Semi)?;
        Ok(cond)
    }

    fn close_block(&mut self) -> StmtId {
        let Some(Pending::Block { start, first, labels }) = self.pending.pop() else {
            return self.stmt(StmtKind::Error, self.span());
        };
        let list = List { start: self.unit.stmt_lists.len() as u32, len: (self.done.len() - first) as u32 };
        self.unit.stmt_lists.extend(self.done.drain(first..));
        self.scopes.leave();
        if let Some(context) = self.functions.last_mut() {
            context.local_labels.truncate(labels);
        }
        self.stmt(StmtKind::Block(list), start)
    }

    /// Reads a whole statement, or the beginning of one that has parts.
    fn begin(&mut self) -> P<Begun> {
        let token = self.token();
        let start = token.span;
        match token.kind {
            T::RBrace => {
                if matches!(self.pending.last(), Some(Pending::Block { .. })) {
                    self.next();
                    return Ok(Begun::Whole(self.close_block()));
                }
                // A label at the end of a block, or a body that is missing.
                if matches!(
                    self.pending.last(),
                    Some(Pending::Label { .. } | Pending::Case { .. } | Pending::Default { .. })
                ) {
                    return Ok(Begun::Whole(self.stmt(StmtKind::Empty, self.last_span().after())));
                }
                self.unexpected("a statement");
                return Ok(Begun::Whole(self.stmt(StmtKind::Error, start)));
            }
            T::LBrace => {
                self.open_block()?;
                return Ok(Begun::Pending);
            }
            T::Ident if self.ahead(1) == T::Colon => return self.labelled(token),
            T::If | T::While | T::Switch => return self.with_condition(token),
            T::Do => {
                self.next();
                self.enter_loop();
                self.pending.push(Pending::Do { start });
                return Ok(Begun::Pending);
            }
            T::For => return self.for_head(start),
            T::Case => return self.case(start),
            T::Default => {
                self.next();
                self.expect(T::Colon)?;
                self.default_label(start);
                self.pending.push(Pending::Default { start });
                return Ok(Begun::Pending);
            }
            _ => {}
        }
        self.simple(token).map(Begun::Whole)
    }

    fn labelled(&mut self, token: Token) -> P<Begun> {
        self.next();
        self.next();
        self.attributes(&mut Attrs::default())?;
        let label = self.label_defined(token);
        self.pending.push(Pending::Label { start: token.span, label });
        Ok(Begun::Pending)
    }

    fn condition(&mut self) -> P<ExprId> {
        self.expect(T::LParen)?;
        let cond = self.expression()?;
        self.expect(T::RParen)?;
        self.require_scalar(cond);
        Ok(cond)
    }

    fn with_condition(&mut self, token: Token) -> P<Begun> {
        let start = self.next().span;
        if token.kind == T::Switch {
            self.expect(T::LParen)?;
            let cond = self.expression()?;
            self.expect(T::RParen)?;
            self.enter_switch(cond);
            self.pending.push(Pending::Switch { start, cond });
            return Ok(Begun::Pending);
        }
        let cond = self.condition()?;
        if token.kind == T::While {
            self.enter_loop();
            self.pending.push(Pending::While { start, cond });
        } else {
            self.pending.push(Pending::If { start, cond });
        }
        Ok(Begun::Pending)
    }

    fn for_head(&mut self, start: Span) -> P<Begun> {
        self.next();
        self.expect(T::LParen)?;
        self.scopes.enter();
        let at = self.span();
        let init = if self.accept(T::Semi) {
            None
        } else if self.starts_declaration() {
            Some(self.declaration_statement(at)?)
        } else {
            let expr = self.expression()?;
            let stmt = self.stmt(StmtKind::Expr(expr), at);
            self.expect(T::Semi)?;
            Some(stmt)
        };
        let cond = if self.kind() == T::Semi { None } else { Some(self.expression()?) };
        self.expect(T::Semi)?;
        cond.into_iter().for_each(|cond| self.require_scalar(cond));
        let step = if self.kind() == T::RParen { None } else { Some(self.expression()?) };
        self.expect(T::RParen)?;
        self.enter_loop();
        self.pending.push(Pending::For { start, init, cond, step });
        Ok(Begun::Pending)
    }

    fn case(&mut self, start: Span) -> P<Begun> {
        self.next();
        let low = self.conditional()?;
        let high = if self.accept(T::Ellipsis) { Some(self.conditional()?) } else { None };
        self.expect(T::Colon)?;
        self.case_label(low, high, start);
        self.pending.push(Pending::Case { start, low, high });
        Ok(Begun::Pending)
    }

    /// A statement without parts that are statements.
    fn simple(&mut self, token: Token) -> P<StmtId> {
        let start = token.span;
        let kind = match token.kind {
            T::Semi => {
                self.next();
                StmtKind::Empty
            }
            T::Goto => self.goto()?,
            T::Break | T::Continue => {
                self.next();
                self.expect(T::Semi)?;
                self.check_jump(token);
                if token.kind == T::Break { StmtKind::Break } else { StmtKind::Continue }
            }
            T::Return => {
                self.next();
                let value = if self.kind() == T::Semi { None } else { Some(self.expression()?) };
                self.expect(T::Semi)?;
                self.check_return(value);
                StmtKind::Return(value)
            }
            T::Asm => self.asm_statement()?,
            T::Label => {
                self.local_labels()?;
                StmtKind::Empty
            }
            T::Attribute if self.is_attribute_statement() => {
                self.attributes(&mut Attrs::default())?;
                self.expect(T::Semi)?;
                StmtKind::Empty
            }
            _ if self.starts_declaration() => return self.declaration_statement(start),
            _ => {
                let expr = self.expression()?;
                self.expect(T::Semi)?;
                StmtKind::Expr(expr)
            }
        };
        Ok(self.stmt(kind, start))
    }

    /// True when attributes stand alone: `__attribute__((fallthrough));`
    fn is_attribute_statement(&self) -> bool {
        let mut depth = 0u32;
        let mut ahead = 1;
        loop {
            match self.ahead(ahead) {
                T::LParen => depth += 1,
                T::RParen => depth = depth.saturating_sub(1),
                T::Semi if depth == 0 => return true,
                T::Attribute => {}
                T::Eof => return false,
                _ if depth == 0 => return false,
                _ => {}
            }
            ahead += 1;
        }
    }

    fn declaration_statement(&mut self, start: Span) -> P<StmtId> {
        let mut decls = Vec::new();
        let function = self.declaration(&mut decls)?;
        if let Some(function) = function {
            return Ok(self.stmt(StmtKind::Function(function), start));
        }
        let list = List { start: self.unit.decl_lists.len() as u32, len: decls.len() as u32 };
        self.unit.decl_lists.extend(decls);
        Ok(self.stmt(StmtKind::Decl(list), start))
    }

    fn goto(&mut self) -> P<StmtKind> {
        self.next();
        if self.accept(T::Star) {
            let target = self.expression()?;
            self.expect(T::Semi)?;
            return Ok(StmtKind::GotoComputed(target));
        }
        let name = self.expect(T::Ident)?;
        self.expect(T::Semi)?;
        Ok(StmtKind::Goto(self.label_used(name)))
    }

    /// `__label__ a, b;`
    fn local_labels(&mut self) -> P<()> {
        self.next();
        loop {
            let name = self.expect(T::Ident)?;
            let label = self.unit.labels.push(Label { name: name.name, span: name.span, target: None });
            if let Some(context) = self.functions.last_mut() {
                context.labels.push(label);
                context.local_labels.push((name.name, label));
            }
            if !self.accept(T::Comma) {
                break;
            }
        }
        self.expect(T::Semi)?;
        Ok(())
    }

    /// The label of a name in this function.
    pub(crate) fn label_used(&mut self, name: Token) -> LabelId {
        let fresh = Label { name: name.name, span: name.span, target: None };
        let Some(context) = self.functions.last_mut() else {
            self.error(codes::C012, name.span, "a label outside of a function");
            return self.unit.labels.push(fresh);
        };
        if let Some(&(_, label)) = context.local_labels.iter().rev().find(|(other, _)| *other == name.name) {
            return label;
        }
        if let Some(&label) = context.named_labels.get(&name.name) {
            return label;
        }
        let label = self.unit.labels.push(fresh);
        context.named_labels.insert(name.name, label);
        context.labels.push(label);
        label
    }

    fn label_defined(&mut self, name: Token) -> LabelId {
        let label = self.label_used(name);
        if self.unit.labels[label].target.is_some() || self.defined_labels.contains(&label) {
            let message = format!("a second label `{}`", self.name_text(name.name));
            self.error(codes::C012, name.span, message);
        }
        self.defined_labels.insert(label);
        self.unit.labels[label].span = name.span;
        label
    }

    /// `asm volatile goto ("…" : outputs : inputs : clobbers : labels);`
    fn asm_statement(&mut self) -> P<StmtKind> {
        self.next();
        while matches!(self.kind(), T::Volatile | T::Goto | T::Inline) {
            self.next();
        }
        self.expect(T::LParen)?;
        if self.kind() != T::Str {
            return Err(self.unexpected("a string"));
        }
        self.string();
        let mut asm = Asm { outputs: Vec::new(), inputs: Vec::new(), labels: Vec::new() };
        for section in 0..4 {
            if !self.accept(T::Colon) {
                break;
            }
            match section {
                0 => asm.outputs = self.asm_operands()?,
                1 => asm.inputs = self.asm_operands()?,
                2 => {
                    while self.kind() == T::Str || self.kind() == T::Comma {
                        self.next();
                    }
                }
                _ => {
                    while self.kind() == T::Ident {
                        let name = self.next();
                        asm.labels.push(self.label_used(name));
                        self.accept(T::Comma);
                    }
                }
            }
        }
        self.expect(T::RParen)?;
        self.expect(T::Semi)?;
        self.unit.asms.push(asm);
        Ok(StmtKind::Asm(self.unit.asms.len() as u32 - 1))
    }

    fn asm_operands(&mut self) -> P<Vec<ExprId>> {
        let mut operands = Vec::new();
        while matches!(self.kind(), T::LBracket | T::Str) {
            if self.accept(T::LBracket) {
                self.expect(T::Ident)?;
                self.expect(T::RBracket)?;
            }
            self.string();
            self.expect(T::LParen)?;
            operands.push(self.expression()?);
            self.expect(T::RParen)?;
            if !self.accept(T::Comma) {
                break;
            }
        }
        Ok(operands)
    }
}
