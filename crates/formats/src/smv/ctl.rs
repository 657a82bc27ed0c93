//! Formulas about branching time that say the same in linear time.
//!
//! These are formulas about all paths in which a choice between two temporal parts is made by what holds in a state: then
//! one path is enough to show that the formula is false, and the formula without its quantifiers says the same.

use super::ast::{Kind, Node, Tree};
use super::elaborate::Elaborator;
use diag::codes;
use smt::op::Op;
use smt::term::TermId;

/// Which expressions of a file have a quantifier over paths in them.
pub(super) struct Branching(Vec<bool>);

impl Branching {
    pub(super) fn of(tree: &Tree) -> Branching {
        let mut found: Vec<bool> = Vec::new();
        // Operands come before what is made of them.
        for node in 0..tree.len() {
            let own =
                matches!(tree.kind(node), Kind::Prefix("AG" | "AF" | "AX" | "EG" | "EF" | "EX" | "A" | "E"));
            found.push(own || tree.children(node).iter().any(|&child| found[child as usize]));
        }
        Branching(found)
    }

    /// True for an expression about one state.
    pub(super) fn is_state(&self, node: Node) -> bool {
        !self.0[node as usize]
    }
}

enum Task {
    /// The formula, or its negation.
    Visit(Node, bool),
    Build(Op, usize),
    Not,
}

/// The formula about linear time; nothing after a report.
pub(super) fn linear_time(
    elaborator: &mut Elaborator<'_>,
    branching: &Branching,
    root: Node,
    instance: usize,
) -> Option<TermId> {
    let mut todo = vec![Task::Visit(root, true)];
    let mut values: Vec<TermId> = Vec::new();
    while let Some(task) = todo.pop() {
        match task {
            Task::Visit(node, positive) if branching.is_state(node) => {
                let formula = elaborator.formula(node, instance)?;
                values.push(if positive { formula } else { elaborator.terms.not(formula) });
            }
            Task::Visit(node, positive) => {
                let visitor = Visitor { elaborator: &mut *elaborator, branching, instance };
                if visitor.parts(node, positive, &mut todo)?.is_none() {
                    let span = elaborator.file.tree.span(node);
                    let message =
                        "this CTL formula is not supported: no formula about single paths says the same";
                    elaborator.report(codes::SMV003, span, message);
                    return None;
                }
            }
            Task::Not => {
                let value = values.pop()?;
                values.push(elaborator.terms.not(value));
            }
            Task::Build(op, count) => {
                let args = values.split_off(values.len() - count);
                let made = elaborator.terms.app(op, &args).map_err(|_| "the operands do not fit".to_owned());
                values.push(elaborator.checked(root, made)?);
            }
        }
    }
    values.pop()
}

struct Visitor<'e, 'a> {
    elaborator: &'e mut Elaborator<'a>,
    branching: &'e Branching,
    instance: usize,
}

impl Visitor<'_, '_> {
    /// Pushes what the formula is made of. The inner `None`: it is not one of these formulas.
    fn parts(mut self, node: Node, positive: bool, todo: &mut Vec<Task>) -> Option<Option<()>> {
        let tree = &self.elaborator.file.tree;
        let is_state = |node: &Node| self.branching.is_state(*node);
        match (tree.kind(node), tree.children(node), positive) {
            (Kind::Prefix("!"), &[inner], _) => todo.push(Task::Visit(inner, !positive)),
            (Kind::Prefix("AG"), &[inner], true) | (Kind::Prefix("EF"), &[inner], false) => {
                todo.extend([Task::Build(Op::LtlGlobally, 1), Task::Visit(inner, positive)]);
            }
            (Kind::Prefix("AX"), &[inner], true) | (Kind::Prefix("EX"), &[inner], false) => {
                todo.extend([Task::Build(Op::LtlNext, 1), Task::Visit(inner, positive)]);
            }
            (Kind::Prefix("AF"), [inner], true) | (Kind::Prefix("EG"), [inner], false) if is_state(inner) => {
                todo.extend([Task::Build(Op::LtlFinally, 1), Task::Visit(*inner, positive)]);
            }
            (Kind::Prefix("A" | "E"), &[inner], _) => {
                let (Kind::Infix("U"), &[left, right]) = (tree.kind(inner), tree.children(inner)) else {
                    return Some(None);
                };
                let all = tree.kind(node) == Kind::Prefix("A");
                let simple = is_state(&left) && is_state(&right);
                if all != positive || !(simple || (all && is_state(&left) && self.takes_over(left, right)?)) {
                    return Some(None);
                }
                todo.extend((!all).then_some(Task::Not));
                todo.extend([
                    Task::Build(Op::LtlUntil, 2),
                    Task::Visit(right, true),
                    Task::Visit(left, true),
                ]);
            }
            (Kind::Infix(mark @ ("&" | "|" | "->")), &[left, right], _) => {
                let (left_positive, is_choice) = (positive != (mark == "->"), positive != (mark == "&"));
                if is_choice && !is_state(&left) && !is_state(&right) {
                    return Some(None);
                }
                let op = if is_choice { Op::Or } else { Op::And };
                todo.extend([
                    Task::Build(op, 2),
                    Task::Visit(right, positive),
                    Task::Visit(left, left_positive),
                ]);
            }
            _ => return Some(None),
        }
        Some(Some(()))
    }

    /// True when a part of a conjunction is the negation of a formula about a state.
    fn takes_over(&mut self, left: Node, right: Node) -> Option<bool> {
        let formula = self.elaborator.formula(left, self.instance)?;
        let not = self.elaborator.terms.not(formula);
        let mut todo = vec![right];
        while let Some(node) = todo.pop() {
            if self.branching.is_state(node) {
                if self.elaborator.formula(node, self.instance)? == not {
                    return Some(true);
                }
            } else if self.elaborator.file.tree.kind(node) == Kind::Infix("&") {
                todo.extend(self.elaborator.file.tree.children(node));
            }
        }
        Some(false)
    }
}
