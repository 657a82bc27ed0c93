//! Operations beside conditions: at the beginning of branches if they are on all ways there, or else at the conditions.

use super::Weaver;
use super::context::Role;
use super::sort::Sorted;
use crate::plan::Insertion;
use cfront::ast::{BinaryOp, ExprId, ExprKind, StmtId, UnaryOp, Unit};
use std::collections::BTreeMap;

impl Weaver<'_> {
    /// Puts what is beside conditions at the beginning of branches, if it is on all ways there, or else to the conditions
    /// themselves.
    pub(super) fn conditions<'i>(&mut self, sorted: &mut Sorted<'i>) {
        let mut by_root: BTreeMap<ExprId, Vec<(&'i Insertion, ExprId, bool)>> = BTreeMap::new();
        for entry in std::mem::take(&mut sorted.conditions) {
            let root = self.context.root(entry.1).map_or(entry.1, |root| root.0);
            by_root.entry(root).or_default().push(entry);
        }
        for (root, mut rest) in by_root {
            let root = self.context.root(root);
            while let Some(&(insertion, ..)) = rest.first() {
                let is_same = |&(other, ..): &(&Insertion, ExprId, bool)| {
                    (&other.text, other.from, other.reads_locals)
                        == (&insertion.text, insertion.from, insertion.reads_locals)
                };
                let (group, others) = rest.into_iter().partition(is_same);
                rest = others;
                self.condition(root, group, sorted);
            }
        }
    }

    fn condition<'i>(
        &mut self,
        root: Option<(ExprId, StmtId, Role)>,
        mut group: Vec<(&'i Insertion, ExprId, bool)>,
        sorted: &mut Sorted<'i>,
    ) {
        let Some(&(insertion, ..)) = group.first() else { return };
        if let Some((root, stmt, Role::Cond)) = root
            && let Ok(said) = self.plain(insertion)
        {
            for truth in [true, false] {
                let ways = ways(self.unit, root, truth);
                let is_way = |&(_, expr, value): &(&Insertion, ExprId, bool)| ways.contains(&(expr, value));
                let found = group.iter().filter(|entry| is_way(entry)).count();
                // A way that cannot be taken has no edge; those that have one are all needed.
                let possible =
                    ways.iter().filter(|&&(expr, value)| is_possible(self.unit, expr, value)).count();
                if found > 0 && found >= possible {
                    group.retain(|entry| !is_way(entry));
                    let places = sorted.stmt(stmt);
                    if truth { &mut places.yes } else { &mut places.no }.push(said.clone());
                }
            }
        }
        for (insertion, expr, truth) in group {
            if insertion.reads_locals {
                if let Err(why) = self.in_condition(expr, truth, insertion, sorted) {
                    let span = self.expr_span(expr);
                    self.refuse(span, insertion, why);
                }
                continue;
            }
            let site = sorted.sites.entry(expr).or_default();
            if truth { &mut site.yes } else { &mut site.no }.push(insertion);
        }
    }
}

/// True unless the condition is constant with another truth value.
fn is_possible(unit: &Unit, expr: ExprId, value: bool) -> bool {
    use cfront::ast::Value;
    match unit.value(expr) {
        Some(Value::Int(known)) => (known != 0) == value,
        Some(Value::Float(known)) => (known != 0.0) == value,
        _ => true,
    }
}

/// The parts of a condition, with truth values, with which the whole condition has a truth value.
fn ways(unit: &Unit, cond: ExprId, truth: bool) -> Vec<(ExprId, bool)> {
    // For each part: whether its being true, and its being false, decides the whole as wanted.
    let mut out = Vec::new();
    let mut todo = vec![(cond, truth, !truth)];
    while let Some((expr, yes, no)) = todo.pop() {
        let expr = unit.peeled(expr);
        match unit.exprs[expr].kind {
            ExprKind::Unary(UnaryOp::Not, inner) => todo.push((inner, no, yes)),
            ExprKind::Binary(BinaryOp::And, left, right) => {
                todo.extend([(left, false, no), (right, yes, no)]);
            }
            ExprKind::Binary(BinaryOp::Or, left, right) => {
                todo.extend([(left, yes, false), (right, yes, no)]);
            }
            ExprKind::Binary(BinaryOp::Comma, _, right) => todo.push((right, yes, no)),
            _ => {
                out.extend(yes.then_some((expr, true)));
                out.extend(no.then_some((expr, false)));
            }
        }
    }
    out
}
