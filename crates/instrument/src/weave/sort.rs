//! Sorts the operations of a function by the part of the syntax where they will stand.

use super::context::{Parent, Role, is_pure_node};
use super::inplace::InPlace;
use super::operands::Operands;
use super::{Said, Weaver};
use crate::plan::{At, Insertion, Piece, When};
use cfront::ast::{BinaryOp, ExprId, ExprKind, FunctionId, StmtId, StmtKind, UnaryOp};
use cfront::cfa::{Cfa, EdgeId, Op};
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
    /// Behind the declaration in the head of a `for`.
    pub(super) init: Vec<Said>,
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
    /// Operators whose operands are statements before them.
    pub(super) operands: BTreeMap<ExprId, Operands>,
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
                self.beside_decl(cfa.function, (decl, false), when, insertion, sorted)
            }
            Op::Zero(decl) => self.beside_decl(cfa.function, (decl, false), when, insertion, sorted),
            Op::Init(decl, _) => self.beside_decl(cfa.function, (decl, true), when, insertion, sorted),
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
    pub(super) fn text_behind(
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
    pub(super) fn before_stmt(
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
}
