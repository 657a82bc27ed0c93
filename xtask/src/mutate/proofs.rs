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

#[cfg(test)]
mod tests {
    use super::*;

    const TASK: &str = "(declare-const n Int)
        (define-proc add ((a Int)) ((b Int)) () (! (assign (b (+ a 2))) :tag add))
        (define-proc p ((k Int)) () ((i Int) (s Int)) (sequence (assign (i k) (s 0))
          (! (while (< 0 i) (sequence (call add (s) (s)) (assign (i (- i 1))))) :tag head :not-recurring)
          (! (assume true) :tag end :check-true (<= 0 s))))
        (verify-call p (n))";
    const TIME: Duration = Duration::from_secs(60);

    fn by_conditions(witness: &str) -> Result<(), String> {
        let mut broken = Broken::read(TASK.into(), witness.into()).expect("a witness");
        let command = broken.command;
        conditions::hold(&mut broken, command, TIME)
    }

    #[test]
    fn both_proofs_accept_what_is_right_and_nothing_else() {
        let contract = "(annotate-tag add :ensures (= b (+ (at a add) 2)))";
        let witness = |invariant: &str, rank: &str| {
            format!("({contract} (annotate-tag head :invariant {invariant} :decreases {rank}))")
        };
        for (right, invariant, rank) in [
            (true, "(<= 0 s)", "i"),
            (true, "(and (<= 0 s) (= 0 (mod s 2)))", "(+ i 1)"),
            (false, "(<= s 0)", "i"),
            (false, "(<= (- 1) s)", "i"),
            (false, "true", "i"),
            (false, "(<= 0 s)", "(- i)"),
            (false, "(<= 0 s)", "s"),
        ] {
            let text = witness(invariant, rank);
            assert_eq!(by_conditions(&text).is_ok(), right, "{text}");
            let broken = Broken::read(TASK.into(), text.clone()).expect("a witness");
            assert_eq!(reason(broken, TIME).is_ok(), right, "{text}");
        }
        let weaker =
            "((annotate-tag add :ensures (<= (at a add) b)) (annotate-tag head :invariant (<= 0 s)))";
        assert_eq!(by_conditions(weaker), Ok(()));
        let nothing = "((annotate-tag head :invariant (<= 0 s)))";
        assert!(by_conditions(nothing).is_err(), "nothing is known about the call");
    }

    #[test]
    fn terms_are_compared_in_all_states() {
        let mut terms = Terms::new();
        let (one, two) = (terms.int(1), terms.int(2));
        let x = terms.fresh("x", smt::sort::SortId::INT);
        let x = terms.constant_term(x);
        let less = terms.app(Op::Lt, &[x, two]).expect("integers");
        let at_most = terms.app(Op::Le, &[x, one]).expect("integers");
        let other = terms.app(Op::Le, &[x, two]).expect("integers");
        assert!(same(&mut terms, less, at_most, TIME));
        assert!(!same(&mut terms, less, other, TIME));
    }
}
