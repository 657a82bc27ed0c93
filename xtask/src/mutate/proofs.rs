//! Why a changed correctness witness is evidence all the same.
//!
//! The validator proves conditions, one for each way from annotation to annotation. Here the annotations of the witness
//! become annotations of the task, and the program is executed symbolically: an execution may begin a loop in any
//! state that its annotations allow, and must not violate anything. If all such executions were looked at, the annotations
//! are inductive and strong enough. The two share neither the formulas nor the way to them. A loop without an invariant
//! gets one that says nothing, because that is what the validator takes it for. What cannot be executed, such as
//! quantifiers, is left to weakest preconditions ([`conditions`]).

use super::{Broken, conditions};
use base::budget::Budget;
use engines::{Found, Lonely, Problem, UNROLLED};
use smt::op::Op;
use smt::term::{TermId, Terms};
use solver::{CheckResult, Limits};
use std::time::Duration;
use svlib::interp::Options;
use svlib::syntax::{
    At, Command, CommandKind, Property, PropertyKind, StmtId, StmtKind, TagAnnotation, TagProperty,
};

/// True when the terms of two annotations have the same value in every state.
pub(super) fn mean_the_same(
    terms: &mut Terms,
    old: &TagAnnotation,
    new: &TagAnnotation,
    time: Duration,
) -> bool {
    if old.properties.len() != new.properties.len() {
        return false;
    }
    let of = |annotation: &TagAnnotation| -> Vec<TermId> {
        let meanings = annotation.properties.iter().filter_map(|p| p.meanings.first());
        meanings.flat_map(|(_, property)| property.terms.clone()).collect()
    };
    let (old, new) = (of(old), of(new));
    old.len() == new.len() && old.iter().zip(&new).all(|(&old, &new)| same(terms, old, new, time))
}

fn same(terms: &mut Terms, old: TermId, new: TermId, time: Duration) -> bool {
    if old == new {
        return true;
    }
    let (Ok(differ), Ok(mut solver)) = (terms.app(Op::Distinct, &[old, new]), solver::open("z3")) else {
        return false;
    };
    let asked = solver.limits(Limits::time(time)).and_then(|()| solver.assert(terms, differ));
    asked.is_ok() && solver.check(terms, &[]) == Ok(CheckResult::Unsat)
}

/// Why the annotations of a witness show what they claim.
pub(super) fn reason(mut broken: Broken, time: Duration) -> Result<&'static str, String> {
    let silent: Vec<StmtId> = silent_loops(&broken);
    let mut own = Vec::new();
    for (number, stmt) in silent.into_iter().enumerate() {
        let tag = broken.terms.names.intern(&format!("silent-loop-{number}"));
        broken.script.stmts[stmt].tags.push((tag, At::default()));
        let kind = PropertyKind::Invariant;
        let property = Property { kind, terms: vec![TermId::TRUE], at: At::default() };
        let property = TagProperty { kind, text: "true".into(), meanings: vec![(stmt, property)] };
        let annotation = TagAnnotation { tag, properties: vec![property], attributes: Vec::new() };
        own.push(Command { kind: CommandKind::AnnotateTag(annotation), at: At::default() });
    }
    let command = broken.command + own.len();
    broken.script.commands.splice(broken.command..broken.command, own);
    let problem = Problem {
        script: &broken.script,
        command,
        options: Options::default(),
        seed: 0,
        budget: Budget::of(time),
        solver: "z3",
        board: &Lonely,
    };
    let engine = engines::find("bmc").ok_or("there is no symbolic execution")?;
    match (engine.run)(&mut broken.terms, &problem) {
        Found::Nothing(reason) if reason == UNROLLED => Ok("symbolic execution proves it again"),
        Found::Nothing(_) => {
            conditions::hold(&mut broken, command, time).map(|()| "weakest preconditions prove it again")
        }
        Found::Violation(_) => Err("symbolic execution refutes it".into()),
        Found::Proof(_) => Err("symbolic execution proves nothing".into()),
    }
}

/// Loops without an invariant.
fn silent_loops(broken: &Broken) -> Vec<StmtId> {
    let script = &broken.script;
    let is_loop =
        |stmt: &StmtId| matches!(script.stmts[*stmt].kind, StmtKind::While(..) | StmtKind::Label(_));
    let is_silent = |stmt: &StmtId| {
        let mut properties = script.properties_at(*stmt, broken.command);
        !properties.any(|property| property.kind == PropertyKind::Invariant)
    };
    script.stmts.ids().filter(is_loop).filter(is_silent).collect()
}
