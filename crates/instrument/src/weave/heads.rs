//! Operations at the heads of loops.

use super::context::Role;
use super::sort::Sorted;
use super::{Said, Weaver};
use crate::plan::Insertion;
use cfront::ast::{DeclId, StmtId, StmtKind};
use cfront::cfa::{Cfa, LocId, Op};

impl Weaver<'_> {
    /// At the head of a loop. The location is the point right before what leaves it, whatever statements have their
    /// beginning there, so the first edge that leaves it tells where in the text it is.
    pub(super) fn head<'i>(
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
