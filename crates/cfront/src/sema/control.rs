//! Rules about jumps: loops, switches, labels, returns.

use super::fold;
use crate::ast::ExprId;
use crate::parse::Parser;
use crate::token::{T, Token};
use crate::types::{IntKind, Ty};
use diag::{Diagnostic, Span, codes};

/// A switch that is open.
pub(crate) struct Switch {
    /// The promoted type of what is looked at.
    kind: IntKind,
    /// The values of cases, and where they are.
    cases: Vec<(i128, i128, Span)>,
    default: Option<Span>,
}

impl Parser<'_> {
    pub(crate) fn enter_loop(&mut self) {
        if let Some(context) = self.functions.last_mut() {
            context.loops += 1;
            context.breakable += 1;
        }
    }

    pub(crate) fn leave_loop(&mut self) {
        if let Some(context) = self.functions.last_mut() {
            context.loops = context.loops.saturating_sub(1);
            context.breakable = context.breakable.saturating_sub(1);
        }
    }

    pub(crate) fn enter_switch(&mut self, expr: ExprId) {
        let ty = self.promoted(expr);
        let kind = self.unit.types.int_kind(ty);
        if kind.is_none() && !self.unit.types.is_error(ty) {
            let span = self.unit.exprs[expr].span;
            let message = format!("a switch needs an integer, not {}", self.shown(ty));
            self.error(codes::C006, span, message);
        }
        let kind = kind.unwrap_or(IntKind::Int);
        if let Some(context) = self.functions.last_mut() {
            context.breakable += 1;
            context.switches.push(Switch { kind, cases: Vec::new(), default: None });
        }
    }

    pub(crate) fn leave_switch(&mut self) {
        let Some(context) = self.functions.last_mut() else { return };
        context.breakable = context.breakable.saturating_sub(1);
        let Some(mut switch) = context.switches.pop() else { return };
        switch.cases.sort_by_key(|&(low, high, span)| (low, high, span.start));
        let twice: Vec<(Span, Span)> = switch
            .cases
            .windows(2)
            .filter(|pair| pair[1].0 <= pair[0].1)
            .map(|pair| (pair[1].2, pair[0].2))
            .collect();
        for (span, before) in twice {
            let finding = Diagnostic::new(codes::C012, span, "a second case for the same value");
            self.report(finding.note_at(before, "the first one is here"));
        }
    }

    pub(crate) fn case_label(&mut self, low: ExprId, high: Option<ExprId>, span: Span) {
        let first = self.require_int(low);
        let last = match high {
            Some(high) => self.require_int(high),
            None => first,
        };
        let Some(switch) = self.functions.last_mut().and_then(|context| context.switches.last_mut()) else {
            return self.error(codes::C012, span, "a case outside of a switch");
        };
        if let (Some(first), Some(last)) = (first, last) {
            let wrap = |value| fold::wrap(&self.unit.types, value, switch.kind);
            let (first, last) = (wrap(first), wrap(last));
            // An empty range has no values.
            if first <= last {
                switch.cases.push((first, last, span));
            }
        }
    }

    pub(crate) fn default_label(&mut self, span: Span) {
        let switch = self.functions.last_mut().and_then(|context| context.switches.last_mut());
        match switch.map(|switch| switch.default.replace(span)) {
            None => self.error(codes::C012, span, "a default case outside of a switch"),
            Some(Some(_)) => self.error(codes::C012, span, "a second default case"),
            Some(None) => {}
        }
    }

    pub(crate) fn check_jump(&mut self, token: Token) {
        let count = self.functions.last().map_or(0, |context| match token.kind {
            T::Break => context.breakable,
            _ => context.loops,
        });
        if count == 0 {
            let message = format!("`{}` outside of a loop", token.kind.text());
            self.error(codes::C012, token.span, message);
        }
    }

    pub(crate) fn check_return(&mut self, value: Option<ExprId>) {
        let Some(result) = self.functions.last().map(|context| context.result) else { return };
        if let Some(value) = value
            && result.bare() != Ty::VOID
        {
            self.require_assignable(result, value);
        }
    }
}
