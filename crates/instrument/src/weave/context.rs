//! What surrounds what: the parents of expressions and statements.

use base::id::{Id, IdMap};
use cfront::ast::{
    BinaryOp, DeclId, EntityId, ExprId, ExprKind, FunctionId, StmtId, StmtKind, UnaryOp, Unit,
};
use cfront::types::{Ty, VOLATILE};

/// What a statement is a part of.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Parent {
    /// Nothing: the body of a function.
    Function(FunctionId),
    /// A list in braces.
    Block(StmtId),
    /// The only statement at its place: a branch, the body of a loop.
    Only(StmtId),
    /// What follows a label.
    Labelled(StmtId),
    /// The block of a statement expression.
    Expr(ExprId),
    /// The first part of a `for`.
    ForInit(StmtId),
    /// None is known.
    Unknown,
}

/// What a whole expression is in its statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// The statement is the expression.
    Stmt,
    /// The condition of `if`, `while`, `do`, `for`.
    Cond,
    /// The last part of a `for`.
    Step,
    /// What a `switch` looks at, or a computed jump.
    Value,
    /// What is returned.
    Return,
    /// A part of the initialiser of a declaration.
    Init(DeclId),
    /// An operand of assembly.
    Asm,
}

/// The surroundings of everything in a unit.
pub(super) struct Context {
    pub(super) stmt_parent: IdMap<StmtId, Parent>,
    /// The parent of an expression that is a part of another.
    pub(super) expr_parent: IdMap<ExprId, Option<ExprId>>,
    /// The statement and role of whole expressions.
    roots: IdMap<ExprId, Option<(StmtId, Role)>>,
    /// The whole expression that an expression is a part of.
    root_of: Vec<ExprId>,
    /// The statements that declarations are in.
    pub(super) decl_stmt: IdMap<DeclId, Option<StmtId>>,
    /// The declarations of local variables.
    pub(super) decl_of: IdMap<EntityId, Option<DeclId>>,
    /// Expressions that have no effect, by id.
    pure: Vec<bool>,
    /// Loops that a `break` ends, by statement.
    pub(super) has_break: Vec<bool>,
}

impl Context {
    pub(super) fn new(unit: &Unit) -> Context {
        let mut context = Context {
            stmt_parent: IdMap::new(Parent::Unknown),
            expr_parent: IdMap::new(None),
            roots: IdMap::new(None),
            decl_stmt: IdMap::new(None),
            decl_of: IdMap::new(None),
            root_of: unit.exprs.ids().collect(),
            pure: Vec::with_capacity(unit.exprs.len()),
            has_break: vec![false; unit.stmts.len()],
        };
        let mut parts = Vec::new();
        for expr in unit.exprs.ids() {
            parts.clear();
            unit.operands(expr, &mut parts);
            let mut is_pure = is_pure_node(unit, expr);
            for &part in &parts {
                context.expr_parent.set(part, Some(expr));
                is_pure &= context.pure[part.index()];
            }
            context.pure.push(is_pure);
            if let ExprKind::Statement(block) = unit.exprs[expr].kind {
                context.stmt_parent.set(block, Parent::Expr(expr));
            }
        }
        for (id, function) in unit.functions.iter_enumerated() {
            context.stmt_parent.set(function.body, Parent::Function(id));
        }
        for stmt in unit.stmts.ids() {
            context.stmt(unit, stmt);
        }
        // Parts are made before what they are parts of.
        for expr in unit.exprs.ids().rev() {
            if let Some(parent) = context.expr_parent[expr] {
                context.root_of[expr.index()] = context.root_of[parent.index()];
            }
        }
        context.breaks(unit);
        context
    }

    fn stmt(&mut self, unit: &Unit, stmt: StmtId) {
        let mut only = |inner: StmtId| self.stmt_parent.set(inner, Parent::Only(stmt));
        match unit.stmts[stmt].kind {
            StmtKind::If(cond, then, other) => {
                only(then);
                other.map(&mut only);
                self.roots.set(cond, Some((stmt, Role::Cond)));
            }
            StmtKind::While(cond, body) | StmtKind::Do(body, cond) => {
                only(body);
                self.roots.set(cond, Some((stmt, Role::Cond)));
            }
            StmtKind::For(index) => {
                let parts = unit.fors[index as usize];
                only(parts.body);
                if let Some(init) = parts.init {
                    self.stmt_parent.set(init, Parent::ForInit(stmt));
                }
                if let Some(cond) = parts.cond {
                    self.roots.set(cond, Some((stmt, Role::Cond)));
                }
                if let Some(step) = parts.step {
                    self.roots.set(step, Some((stmt, Role::Step)));
                }
            }
            StmtKind::Switch(value, body) => {
                only(body);
                self.roots.set(value, Some((stmt, Role::Value)));
            }
            StmtKind::Case(_, _, inner) | StmtKind::Default(inner) | StmtKind::Label(_, inner) => {
                self.stmt_parent.set(inner, Parent::Labelled(stmt));
            }
            StmtKind::Block(list) => {
                for &inner in unit.block(list) {
                    self.stmt_parent.set(inner, Parent::Block(stmt));
                }
            }
            StmtKind::Expr(expr) => drop(self.roots.set(expr, Some((stmt, Role::Stmt)))),
            StmtKind::GotoComputed(expr) => drop(self.roots.set(expr, Some((stmt, Role::Value)))),
            StmtKind::Return(Some(expr)) => drop(self.roots.set(expr, Some((stmt, Role::Return)))),
            StmtKind::Asm(index) => {
                let asm = &unit.asms[index as usize];
                for &operand in asm.inputs.iter().chain(&asm.outputs) {
                    self.roots.set(operand, Some((stmt, Role::Asm)));
                }
            }
            StmtKind::Decl(list) => {
                for &decl in unit.decl_list(list) {
                    self.decl_stmt.set(decl, Some(stmt));
                    if let Some(entity) = unit.decls[decl].entity {
                        self.decl_of.set(entity, Some(decl));
                    }
                    let mut exprs = Vec::new();
                    if let Some(init) = unit.decls[decl].init {
                        unit.init_exprs(init, &mut exprs);
                    }
                    for expr in exprs {
                        self.roots.set(expr, Some((stmt, Role::Init(decl))));
                    }
                }
            }
            _ => {}
        }
    }

    /// Finds the loops that a `break` ends.
    fn breaks(&mut self, unit: &Unit) {
        let mut target: IdMap<StmtId, Option<StmtId>> = IdMap::new(None);
        for stmt in unit.stmts.ids().rev() {
            let own = match self.stmt_parent[stmt] {
                Parent::Only(up) if is_breakable(unit.stmts[up].kind) => Some(up),
                Parent::Only(up) | Parent::Labelled(up) | Parent::Block(up) => target[up],
                Parent::Expr(expr) => self.root(expr).and_then(|(_, up, _)| target[up]),
                _ => None,
            };
            target.set(stmt, own);
            if unit.stmts[stmt].kind == StmtKind::Break
                && let Some(target) = own
            {
                self.has_break[target.index()] = true;
            }
        }
    }

    /// True when evaluating an expression, or finding its place, has no effect, and it may be done again.
    pub(super) fn is_pure(&self, expr: ExprId) -> bool {
        self.pure[expr.index()]
    }

    /// The whole expression that an expression is in, with its statement and role.
    pub(super) fn root(&self, expr: ExprId) -> Option<(ExprId, StmtId, Role)> {
        let root = self.root_of[expr.index()];
        self.roots[root].map(|(stmt, role)| (root, stmt, role))
    }

    /// True when nobody looks at the value of an expression.
    pub(super) fn is_unused(&self, unit: &Unit, mut expr: ExprId) -> bool {
        loop {
            let Some(parent) = self.expr_parent[expr] else {
                // The value of a statement expression is that of its last statement.
                return match self.roots[expr] {
                    Some((stmt, Role::Stmt)) => match self.stmt_parent[stmt] {
                        Parent::Block(block) => !matches!(self.stmt_parent[block], Parent::Expr(_)),
                        Parent::Labelled(_) => false,
                        _ => true,
                    },
                    Some((_, Role::Step)) => true,
                    _ => false,
                };
            };
            match unit.exprs[parent].kind {
                ExprKind::Paren(_) | ExprKind::Unary(UnaryOp::Extension, _) => {}
                ExprKind::Cast(_) => return unit.exprs[parent].ty == Ty::VOID,
                ExprKind::Binary(BinaryOp::Comma, left, _) if left == expr => return true,
                ExprKind::Binary(BinaryOp::Comma, ..) => {}
                _ => return false,
            }
            expr = parent;
        }
    }
}

fn is_breakable(kind: StmtKind) -> bool {
    matches!(kind, StmtKind::While(..) | StmtKind::Do(..) | StmtKind::For(_) | StmtKind::Switch(..))
}

/// True when the outermost operator has no effect.
pub(super) fn is_pure_node(unit: &Unit, expr: ExprId) -> bool {
    let node = &unit.exprs[expr];
    let has_effect = matches!(
        node.kind,
        ExprKind::Error
            | ExprKind::Assign(..)
            | ExprKind::CompoundAssign(..)
            | ExprKind::Call(..)
            | ExprKind::VaArg(_)
            | ExprKind::Statement(_)
            | ExprKind::CompoundLiteral(_)
            | ExprKind::Unary(UnaryOp::PreInc | UnaryOp::PreDec | UnaryOp::PostInc | UnaryOp::PostDec, _)
    );
    !has_effect && node.ty.quals() & VOLATILE == 0
}
