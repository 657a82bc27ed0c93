//! Sorts the operations of a function by the part of the syntax where they will stand.

use super::context::{Parent, Role, is_pure_node};
use super::inplace::InPlace;
use super::{Said, Weaver};
use crate::plan::{At, Insertion, Piece, When};
use cfront::ast::{BinaryOp, DeclId, ExprId, ExprKind, FunctionId, InitKind, StmtId, StmtKind, UnaryOp};
use cfront::cfa::{Cfa, EdgeId, LocId, Op};
use diag::Span;
use std::collections::BTreeMap;

/// Operations at an expression, which is rewritten in place.
#[derive(Default)]
pub(super) struct Site<'a> {
    /// Before its operator is applied.
    pub(super) before: Vec<&'a Insertion>,
    /// After.
    pub(super) after: Vec<&'a Insertion>,
    /// When it is a condition that holds.
    pub(super) yes: Vec<&'a Insertion>,
    /// When it is a condition that does not hold.
    pub(super) no: Vec<&'a Insertion>,
}

/// Texts around a statement and in it.
#[derive(Default)]
pub(super) struct Places {
    pub(super) before: Vec<Said>,
    pub(super) after: Vec<Said>,
    /// At the head of the loop, each time before its condition.
    pub(super) head: Vec<Said>,
    /// When the condition holds: at the beginning of the body or branch.
    pub(super) yes: Vec<Said>,
    /// When the condition does not hold: in the other branch, or behind the loop.
    pub(super) no: Vec<Said>,
    /// Between the value of a `return` and the end of the function.
    pub(super) returning: Vec<Said>,
}

/// The operations of a function by place.
#[derive(Default)]
pub(super) struct Sorted<'a> {
    pub(super) sites: BTreeMap<ExprId, Site<'a>>,
    pub(super) stmts: BTreeMap<StmtId, Places>,
    pub(super) entry: Vec<Said>,
    pub(super) falls_off: Vec<Said>,
    /// Operations inside expressions, which are statements there.
    pub(super) in_place: BTreeMap<ExprId, InPlace>,
    /// Captured values that are kept in variables, and their names.
    pub(super) kept: BTreeMap<ExprId, String>,
    /// Operations beside conditions, with the condition and its truth value.
    pub(super) conditions: Vec<(&'a Insertion, ExprId, bool)>,
}

impl Sorted<'_> {
    pub(super) fn stmt(&mut self, stmt: StmtId) -> &mut Places {
        self.stmts.entry(stmt).or_default()
    }
}

impl Weaver<'_> {
    pub(super) fn sort<'i>(&mut self, cfa: &Cfa, insertions: &[&'i Insertion]) -> Sorted<'i> {
        let mut sorted = Sorted::default();
        for &insertion in insertions {
            let result = match insertion.at {
                At::Entry => self.plain(insertion).map(|said| sorted.entry.push(said)),
                At::Head(at) => self.head(cfa, at, insertion, &mut sorted),
                At::Edge(edge, when) => self.edge(cfa, edge, when, insertion, &mut sorted),
            };
            if let Err(why) = result {
                let span = self.place_of(cfa, insertion);
                self.refuse(span, insertion, why);
            }
        }
        self.conditions(&mut sorted);
        sorted
    }

    /// The place to name when an operation is refused.
    fn place_of(&self, cfa: &Cfa, insertion: &Insertion) -> Span {
        let edge = match insertion.at {
            At::Entry => None,
            At::Head(at) => cfa.leaving(at).first().copied(),
            At::Edge(edge, _) => Some(edge),
        };
        let function = self.unit.functions[cfa.function].head;
        match edge.and_then(|edge| cfa.edges.get(edge)).map(|edge| edge.op) {
            Some(Op::Eval(e) | Op::Place(e) | Op::Call(e) | Op::Choose(e, _) | Op::Truth(e, _))
            | Some(Op::Assume(e, _) | Op::Case(e, ..) | Op::Default(e) | Op::Label(e, _)) => {
                self.expr_span(e)
            }
            Some(Op::Asm(stmt) | Op::Return(stmt)) => self.stmt_span(stmt),
            Some(Op::Init(decl, _) | Op::Zero(decl)) => self.unit.decls[decl].span,
            Some(Op::Declare(entity)) => self.unit.entities[entity].span,
            Some(Op::Skip | Op::FallOff) | None => function,
        }
    }

    pub(super) fn plain(&self, insertion: &Insertion) -> Result<Said, &'static str> {
        let text = self.plain_text(insertion, None).ok_or("what it captures has effects")?;
        Ok((text, Some(insertion.from)))
    }

    fn edge<'i>(
        &mut self,
        cfa: &Cfa,
        edge: EdgeId,
        when: When,
        insertion: &'i Insertion,
        sorted: &mut Sorted<'i>,
    ) -> Result<(), &'static str> {
        match cfa.edges[edge].op {
            Op::Eval(expr) | Op::Place(expr) | Op::Call(expr) => {
                if insertion.reads_locals || !self.is_about_operands(expr, when, insertion) {
                    return match self.beside(cfa.function, expr, when, insertion, sorted) {
                        // What comes after a place would need its value.
                        Err(why) if matches!(cfa.edges[edge].op, Op::Place(_)) && when == When::After => {
                            Err(why)
                        }
                        Err(_) => self.in_place(cfa.function, expr, when, insertion, sorted),
                        Ok(()) => Ok(()),
                    };
                }
                let site = sorted.sites.entry(expr).or_default();
                match when {
                    When::Before => site.before.push(insertion),
                    When::After => site.after.push(insertion),
                }
                Ok(())
            }
            Op::Assume(expr, truth) => {
                sorted.conditions.push((insertion, expr, truth));
                Ok(())
            }
            Op::Declare(entity) => {
                let decl = self.context.decl_of[entity].ok_or("its declaration was not found")?;
                self.beside_decl(cfa.function, decl, when, insertion, sorted)
            }
            Op::Zero(decl) | Op::Init(decl, _) => {
                self.beside_decl(cfa.function, decl, when, insertion, sorted)
            }
            Op::Asm(stmt) => {
                let said = self.plain(insertion)?;
                match when {
                    When::Before => sorted.stmt(stmt).before.push(said),
                    When::After => sorted.stmt(stmt).after.push(said),
                }
                Ok(())
            }
            Op::Return(stmt) if when == When::Before => {
                let said = self.plain(insertion)?;
                sorted.stmt(stmt).returning.push(said);
                Ok(())
            }
            Op::FallOff if when == When::Before => {
                let said = self.plain(insertion)?;
                sorted.falls_off.push(said);
                Ok(())
            }
            Op::Return(_) | Op::FallOff => Err("nothing comes after the end of a function"),
            Op::Choose(..) | Op::Truth(..) => Err("a value that two ways lead to has no place of its own"),
            Op::Case(..) | Op::Default(_) | Op::Label(..) => Err("a jump has no place of its own"),
            Op::Skip => Err("nothing happens here"),
        }
    }

    /// Beside a declaration: before or after the whole statement, if the others in it have no effect.
    fn beside_decl(
        &mut self,
        function: FunctionId,
        decl: DeclId,
        when: When,
        insertion: &Insertion,
        sorted: &mut Sorted<'_>,
    ) -> Result<(), &'static str> {
        let stmt = self.context.decl_stmt[decl].ok_or("it is not in a function")?;
        let StmtKind::Decl(list) = self.unit.stmts[stmt].kind else { return Err("it is no statement") };
        if !matches!(self.context.stmt_parent[stmt], Parent::Block(_)) {
            return Err("the declaration is a part of a loop");
        }
        let decls = self.unit.decl_list(list);
        let at = decls.iter().position(|&other| other == decl).unwrap_or(0);
        let between = match when {
            When::Before => &decls[..=at],
            When::After => &decls[at + 1..],
        };
        for &other in between {
            let mut exprs = Vec::new();
            if let Some(init) = self.unit.decls[other].init {
                self.unit.init_exprs(init, &mut exprs);
            }
            if !exprs.iter().all(|&expr| self.context.is_pure(expr)) {
                return Err("something else in the declaration has effects");
            }
        }
        let init = self.unit.decls[decl].init.map(|init| self.unit.inits[init].kind);
        match (when, init) {
            (When::Before, _) => {
                let said = self.plain(insertion)?;
                sorted.stmt(stmt).before.push(said);
            }
            (When::After, Some(InitKind::Expr(value))) => {
                let text = self.text_behind(function, value, insertion, sorted)?;
                sorted.stmt(stmt).after.push((text, Some(insertion.from)));
            }
            (When::After, _) => {
                let said = self.plain(insertion)?;
                sorted.stmt(stmt).after.push(said);
            }
        }
        Ok(())
    }

    /// Beside the statement of an expression, if that makes no difference.
    fn beside(
        &mut self,
        function: FunctionId,
        expr: ExprId,
        when: When,
        insertion: &Insertion,
        sorted: &mut Sorted<'_>,
    ) -> Result<(), &'static str> {
        let (root, stmt, role) = self.context.root(expr).ok_or("it is in no statement")?;
        if when == When::After {
            if self.unit.peeled(root) != expr {
                return Err("more happens in the expression after it, and it speaks of variables in scope");
            }
            if role != Role::Stmt || matches!(self.context.stmt_parent[stmt], Parent::ForInit(_)) {
                return Err("its value is used before a statement could follow");
            }
            if self.gives_value(stmt) {
                return Err("its value is that of a statement expression");
            }
            let text = self.text_behind(function, expr, insertion, sorted)?;
            sorted.stmt(stmt).after.push((text, Some(insertion.from)));
            return Ok(());
        }
        let mut above = Vec::new();
        let mut at = expr;
        while let Some(parent) = self.context.expr_parent[at] {
            if matches!(
                self.unit.exprs[parent].kind,
                ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..) | ExprKind::Conditional(..)
            ) {
                return Err("it is evaluated under a condition, and speaks of variables in scope");
            }
            above.push(parent);
            at = parent;
        }
        above.sort_unstable();
        let is_first = |&part: &ExprId| {
            part == expr || above.binary_search(&part).is_ok() || is_pure_node(self.unit, part)
        };
        if !self.unit.parts(root).iter().all(is_first) {
            return Err("something else in the expression has effects, and it speaks of variables in scope");
        }
        let said = self.plain(insertion)?;
        self.before_stmt(stmt, role, said, sorted)
    }

    /// An operation's text behind the statement that an expression is.
    fn text_behind(
        &mut self,
        function: FunctionId,
        expr: ExprId,
        insertion: &Insertion,
        sorted: &mut Sorted<'_>,
    ) -> Result<String, &'static str> {
        let result = self.result_text(expr);
        let mut out = String::new();
        for piece in &insertion.text {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Result => out.push_str(result.as_deref().ok_or("its value has no name")?),
                &Piece::Capture(capture) => out.push_str(&self.kept(function, expr, capture, sorted)?),
            }
        }
        Ok(out)
    }

    /// True when an operation captures nothing but operands that a generated function gets.
    fn is_about_operands(&self, expr: ExprId, when: When, insertion: &Insertion) -> bool {
        let mut known = Vec::new();
        match (self.unit.exprs[expr].kind, when) {
            (ExprKind::Assign(_, value), When::Before) => known.push(value),
            (ExprKind::Assign(target, _), When::After) => known.push(target),
            // What is overwritten is known before only, and of places the value is all that a function gets.
            (
                ExprKind::CompoundAssign(..)
                | ExprKind::Index(..)
                | ExprKind::Arrow(..)
                | ExprKind::Cast(_)
                | ExprKind::Unary(
                    UnaryOp::Deref | UnaryOp::PreInc | UnaryOp::PreDec | UnaryOp::PostInc | UnaryOp::PostDec,
                    _,
                ),
                When::After,
            ) => {}
            _ => self.unit.operands(expr, &mut known),
        }
        insertion.text.iter().all(|piece| match piece {
            &Piece::Capture(capture) => {
                let capture = self.unit.peeled(capture);
                self.unit.int_value(capture).is_some()
                    || known.iter().any(|&known| self.unit.peeled(known) == capture)
            }
            _ => true,
        })
    }

    /// True for the last statement of a statement expression.
    fn gives_value(&self, mut stmt: StmtId) -> bool {
        while let Parent::Labelled(up) = self.context.stmt_parent[stmt] {
            stmt = up;
        }
        let Parent::Block(block) = self.context.stmt_parent[stmt] else { return false };
        let StmtKind::Block(list) = self.unit.stmts[block].kind else { return false };
        matches!(self.context.stmt_parent[block], Parent::Expr(_))
            && self.unit.block(list).last() == Some(&stmt)
    }

    /// Before everything of a statement.
    fn before_stmt(
        &mut self,
        stmt: StmtId,
        role: Role,
        said: Said,
        sorted: &mut Sorted<'_>,
    ) -> Result<(), &'static str> {
        let is_loop =
            matches!(self.unit.stmts[stmt].kind, StmtKind::While(..) | StmtKind::Do(..) | StmtKind::For(_));
        match role {
            Role::Step => return Err("it is in the last part of a `for`, and speaks of variables in scope"),
            Role::Cond if is_loop => {
                if matches!(self.unit.stmts[stmt].kind, StmtKind::Do(..)) {
                    return Err("it is in the condition of a `do`, and speaks of variables in scope");
                }
                sorted.stmt(stmt).head.push(said);
            }
            _ => {
                let stmt = match self.context.stmt_parent[stmt] {
                    Parent::ForInit(outer) => outer,
                    _ => stmt,
                };
                sorted.stmt(stmt).before.push(said);
            }
        }
        Ok(())
    }

    /// What has the value of an assignment after it.
    fn result_text(&self, expr: ExprId) -> Option<String> {
        match self.unit.exprs[expr].kind {
            ExprKind::Assign(target, _) | ExprKind::CompoundAssign(_, target, _)
                if self.context.is_pure(target) =>
            {
                let text = self.tokens_text(self.expr_span(target))?;
                Some(format!("({text})"))
            }
            _ => None,
        }
    }

    /// At the head of a loop. The location is the point right before what leaves it, whatever statements have their
    /// beginning there, so the first edge that leaves it tells where in the text it is.
    fn head<'i>(
        &mut self,
        cfa: &Cfa,
        at: LocId,
        insertion: &'i Insertion,
        sorted: &mut Sorted<'i>,
    ) -> Result<(), &'static str> {
        let said = self.plain(insertion)?;
        let first = cfa.leaving(at).first().ok_or("nothing leaves the head of the loop")?;
        let expr = match cfa.edges[*first].op {
            Op::Eval(expr) | Op::Place(expr) | Op::Call(expr) | Op::Assume(expr, _) => expr,
            Op::Case(expr, ..) | Op::Default(expr) | Op::Label(expr, _) => expr,
            Op::Choose(..) | Op::Truth(..) => return Err("the loop begins inside an expression"),
            Op::Declare(entity) => {
                let decl = self.context.decl_of[entity].ok_or("its declaration was not found")?;
                return self.head_decl(decl, said, sorted);
            }
            Op::Zero(decl) | Op::Init(decl, _) => return self.head_decl(decl, said, sorted),
            Op::Asm(stmt) | Op::Return(stmt) => {
                sorted.stmt(stmt).before.push(said);
                return Ok(());
            }
            Op::FallOff => return Err("the loop begins at the end of a function"),
            Op::Skip => return self.head_of_nothing(cfa, at, said, sorted),
        };
        let (_, stmt, role) = self.context.root(expr).ok_or("the loop begins in no statement")?;
        let body = match self.unit.stmts[stmt].kind {
            StmtKind::Do(body, _) if role == Role::Cond => Some(body),
            StmtKind::For(index) if role == Role::Step => Some(self.unit.fors[index as usize].body),
            _ => None,
        };
        let Some(body) = body else { return self.before_stmt(stmt, role, said, sorted) };
        // The body does nothing, so that its beginning is the same location.
        if self.is_empty(body) {
            sorted.stmt(stmt).yes.push(said);
            return Ok(());
        }
        Err("the loop begins in a condition that other ways lead to")
    }

    fn head_decl(&mut self, decl: DeclId, said: Said, sorted: &mut Sorted<'_>) -> Result<(), &'static str> {
        let stmt = self.context.decl_stmt[decl].ok_or("the loop begins outside of a function")?;
        self.before_stmt(stmt, Role::Stmt, said, sorted)
    }

    /// A loop in which nothing happens: the statement, or a jump to itself.
    fn head_of_nothing(
        &mut self,
        cfa: &Cfa,
        at: LocId,
        said: Said,
        sorted: &mut Sorted<'_>,
    ) -> Result<(), &'static str> {
        if let Some(stmt) = cfa.head(at).and_then(|head| head.stmt) {
            sorted.stmt(stmt).yes.push(said);
            return Ok(());
        }
        // Every label of a cycle of jumps is this location, if there is one such cycle only.
        let labels = self.unit.functions[cfa.function].labels.clone();
        let mut found = false;
        for label in labels {
            let Some(mut target) = self.unit.labels[label].target else { continue };
            while let StmtKind::Label(_, inner) = self.unit.stmts[target].kind {
                target = inner;
            }
            if matches!(self.unit.stmts[target].kind, StmtKind::Goto(_) | StmtKind::Empty) {
                found = true;
                let places = sorted.stmt(target);
                if !places.before.contains(&said) {
                    places.before.push(said.clone());
                }
            }
        }
        if found { Ok(()) } else { Err("the loop has no place in the text") }
    }

    /// True when nothing happens in a statement.
    fn is_empty(&self, stmt: StmtId) -> bool {
        let mut todo = vec![stmt];
        while let Some(stmt) = todo.pop() {
            match self.unit.stmts[stmt].kind {
                StmtKind::Empty | StmtKind::Continue => {}
                StmtKind::Block(list) => todo.extend(self.unit.block(list)),
                StmtKind::Label(_, inner) => todo.push(inner),
                _ => return false,
            }
        }
        true
    }
}
