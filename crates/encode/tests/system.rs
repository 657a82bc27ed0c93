//! Programs as systems and systems as programs: the verdict stays the same, and there is a way back.

#[path = "../../formats/tests/support/explore.rs"]
#[allow(dead_code, reason = "other tests use more of it")]
mod explore;
#[path = "../../formats/tests/support/random.rs"]
#[allow(dead_code, reason = "other tests use more of it")]
mod random;

use encode::one_loop::one_loop;
use encode::system::{Encoded, Unsupported, encode};
use smt::eval::{Assignment, Evaluator};
use smt::print::term_text;
use smt::sexpr::Text;
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;
use std::collections::{BTreeMap, BTreeSet};
use svlib::parse::{Builder, read_file};
use svlib::syntax::Script;
use testkit::Rng;
use ts::passes::functional::next_values;
use ts::{PropertyKind, System};

fn script(terms: &mut Terms, text: &str) -> Script {
    let (mut builder, mut findings) = (Builder::new(terms), Vec::new());
    read_file(&mut builder, terms, Text::new(text, 0), &mut findings);
    let errors: Vec<_> = findings.iter().filter(|f| f.is_error()).collect();
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    builder.state.script
}

fn encoded(terms: &mut Terms, text: &str) -> Result<Encoded, Unsupported> {
    let script = script(terms, text);
    let made = encode(terms, &script)?;
    let flaws = ts::verify(terms, &made.system);
    assert!(flaws.is_empty(), "{}\n{text}", flaws[0].message(terms));
    Ok(made)
}

/// Whether each property holds, by looking at every reachable state of a system whose steps are functions of states and
/// inputs. Rigid symbols are like states that stay.
fn verdicts(terms: &mut Terms, system: &System) -> Vec<bool> {
    let nexts = next_values(terms, system);
    assert_eq!(nexts.values.len(), system.states.len(), "a function");
    let states: Vec<FunId> = nexts
        .values
        .iter()
        .map(|value| system.states[value.0].now)
        .chain(system.rigid.iter().copied())
        .collect();
    let mut evaluator = Evaluator::new(terms);
    let mut all = |formulas: &[TermId], env: &mut Assignment| {
        formulas.iter().all(|&formula| evaluator.holds(formula, env).expect("can be evaluated"))
    };
    let key = |env: &Assignment| -> Vec<Value> {
        states.iter().map(|&state| env.get(state).expect("set").clone()).collect()
    };
    let inputs = explore::assignments(terms, &system.inputs);
    let mut todo: Vec<Vec<Value>> = Vec::new();
    for mut first in explore::assignments(terms, &states) {
        if all(&system.init, &mut first) && all(&system.axioms, &mut first) {
            todo.push(key(&first));
        }
    }
    // Steps: from where, to where, and the live properties that they violate.
    let mut found = vec![true; system.properties.len()];
    type Steps = Vec<(Vec<Value>, Vec<usize>)>;
    let mut steps: BTreeMap<Vec<Value>, Steps> = BTreeMap::new();
    while let Some(state) = todo.pop() {
        if steps.contains_key(&state) {
            continue;
        }
        let mut out = Vec::new();
        for input in &inputs {
            let mut env = input.clone();
            states.iter().zip(&state).for_each(|(&fun, value)| drop(env.set(fun, value.clone())));
            if !all(&system.invar, &mut env) {
                continue;
            }
            let mut violated = Vec::new();
            for (i, property) in system.properties.iter().enumerate() {
                if !all(property.formulas(), &mut env) {
                    match property.kind {
                        PropertyKind::Invariant(_) => found[i] = false,
                        _ => violated.push(i),
                    }
                }
            }
            if all(&nexts.rest, &mut env) {
                let mut evaluator = Evaluator::new(terms);
                let value = |&(_, value): &(usize, TermId)| evaluator.eval(value, &mut env).expect("a value");
                let mut next: Vec<Value> = nexts.values.iter().map(value).collect();
                next.extend(state[next.len()..].iter().cloned());
                todo.push(next.clone());
                out.push((next, violated));
            }
        }
        out.sort();
        out.dedup();
        steps.insert(state, out);
    }
    for (from, out) in &steps {
        for (to, violated) in out.iter().filter(|(_, violated)| !violated.is_empty()) {
            let (mut todo, mut seen) = (vec![to], BTreeSet::new());
            while let Some(state) = todo.pop() {
                if seen.insert(state) {
                    todo.extend(steps[state].iter().map(|step| &step.0));
                }
            }
            if seen.contains(from) {
                violated.iter().for_each(|&i| found[i] = false);
            }
        }
    }
    found
}

/// For each query whether all its properties hold. There are no LTL properties.
fn answers(text: &str) -> Vec<bool> {
    let mut terms = Terms::new();
    let made = encoded(&mut terms, text).expect("a system");
    let verdicts = verdicts(&mut terms, &made.system);
    let mut found: Vec<(usize, bool)> = Vec::new();
    for (&query, holds) in made.queries.iter().zip(verdicts) {
        match found.last_mut().filter(|last| last.0 == query) {
            Some(last) => last.1 &= holds,
            None => found.push((query, holds)),
        }
    }
    found.into_iter().map(|answer| answer.1).collect()
}

fn program(body: &str) -> String {
    format!(
        "(set-logic ALL)(define-proc main () () ((x (_ BitVec 3)) (b Bool)) (! (sequence {body}) :tag main))
(verify-call main ())"
    )
}

#[test]
fn checks_are_judged_on_the_way() {
    let check = |formula: &str| {
        program(&format!(
            "(assign (x #b000)) (while (bvult x #b101) (assign (x (bvadd x #b001))))
             (! (sequence) :tag end :check-true {formula}) (assume false)"
        ))
    };
    assert_eq!(answers(&check("(= x #b101)")), [true]);
    assert_eq!(answers(&check("(= x #b100)")), [false], "what is assumed later does not matter");
}

#[test]
fn what_is_drawn_and_chosen_is_free() {
    let text = |check: &str| {
        program(&format!(
            "(choice (assign (x #b001)) (sequence (havoc x) (assume (bvult x #b011))) (assign (x #b010)))
             (! (sequence) :tag end :check-true {check})"
        ))
    };
    assert_eq!(answers(&text("(bvult x #b011)")), [true]);
    assert_eq!(answers(&text("(bvult x #b010)")), [false]);
    assert_eq!(answers(&text("(distinct x #b000)")), [false]);
}

#[test]
fn endless_executions_are_the_same() {
    let text = |guard: &str| {
        program(&format!(
            "(assign (x #b000) (b false))
             (while true (sequence (assign (x (bvadd x #b001)))
                (if {guard} (! (sequence) :tag rare :not-recurring))
                (if (= x #b000) (assign (b true)))))"
        ))
    };
    assert_eq!(answers(&text("(= x #b011)")), [false]);
    assert_eq!(answers(&text("(not b)")), [true]);
}

#[test]
fn calls_are_put_in_place() {
    let text = "(set-logic ALL)(declare-var g (_ BitVec 2))
(define-proc inc ((by (_ BitVec 2))) ((r (_ BitVec 2))) () (! (sequence (assign (g (bvadd g by)) (r g))) :tag inc))
(define-proc twice () ((r (_ BitVec 2))) ()
  (! (sequence (assign (g #b00)) (call inc (#b01) (r)) (call inc (#b10) (r))
       (! (sequence) :tag end :check-true (and (= g #b11) (= r #b01)))) :tag twice))
(verify-call twice ())
(verify-call inc (#b01))
(annotate-tag end :check-true (= r #b00))
(verify-call twice ())";
    assert_eq!(answers(text), [true, true, false]);
}

#[test]
fn at_terms_look_back() {
    let text = |check: &str| {
        program(&format!(
            "(assign (x #b000)) (! (while (bvult x #b011) (assign (x (bvadd x #b001)))) :tag loop)
             (assign (x #b111)) (! (sequence) :tag end :check-true {check})"
        ))
    };
    assert_eq!(answers(&text("(= (at x loop) #b011)")), [true]);
    assert_eq!(answers(&text("(= (at x loop) #b111)")), [false]);
}

#[test]
fn the_contract_of_the_entry_is_checked() {
    let text = |requires: &str, ensures: &str| {
        format!(
            "(set-logic ALL)(define-proc half ((n (_ BitVec 3))) ((h (_ BitVec 3))) ()
  (! (sequence (if (= n #b000) (sequence (assign (h n)) (return))) (assign (h (bvlshr n #b001))))
    :tag half :requires {requires} :ensures {ensures}))
(declare-const k (_ BitVec 3))(assert (bvult k #b100))
(verify-call half (k))"
        )
    };
    let answers = |text: &str| answers(text)[0];
    assert!(answers(&text("(bvult n #b100)", "(bvult h #b010)")));
    assert!(!answers(&text("(bvult n #b011)", "(bvult h #b010)")));
    assert!(!answers(&text("(bvult n #b100)", "(bvult h #b001)")));
}

#[test]
fn what_a_system_cannot_say_is_named() {
    let refused = |text: &str| encoded(&mut Terms::new(), text).expect_err("is refused").to_string();
    let loops = program("(! (while b (assign (b false))) :tag loop :invariant true)");
    assert!(refused(&loops).contains(":invariant"));
    let recursive =
        "(set-logic ALL)(define-procs-rec ((f () () ())) ((! (call f () ()) :tag f)))(verify-call f ())";
    assert!(refused(recursive).contains("the recursive procedure f"));
    let called = "(set-logic ALL)(define-proc f () () () (! (sequence) :tag f :ensures true))
(define-proc g () () () (! (call f () ()) :tag g))(verify-call g ())";
    assert!(refused(called).contains(":ensures"));
    assert_eq!(refused("(set-logic ALL)"), "the script has no verify-call");
}

/// Inlining is exponential at worst, which must not be tried.
#[test]
fn programs_that_grow_too_much_are_refused() {
    let mut text = String::from("(set-logic ALL)(define-proc p0 () () () (! (sequence) :tag p0))\n");
    for i in 1..40 {
        let call = format!("(call p{} () ())", i - 1);
        text += &format!("(define-proc p{i} () () () (! (sequence {call} {call}) :tag p{i}))\n");
    }
    text += "(verify-call p39 ())";
    assert_eq!(encoded(&mut Terms::new(), &text).expect_err("too large"), Unsupported::Large);
}

#[test]
fn an_invariant_says_something_at_each_place() {
    let mut terms = Terms::new();
    let text =
        program("(assign (x #b000)) (! (while (bvult x #b011) (assign (x (bvadd x #b001)))) :tag loop)");
    let made = encoded(&mut terms, &text).expect("a system");
    let [pc] = made.bits[..] else { panic!("two places") };
    let x = made.variables.iter().find(|v| terms.fun_name(v.0) == "x").expect("x").1;
    let (pc, x) = (terms.constant_term(pc.now), terms.constant_term(x.now));
    let four = terms.bits(3, 4u32.into());
    let small = terms.app(smt::op::Op::BvUlt, &[x, four]).expect("well-sorted");
    let invariant = terms.app(smt::op::Op::Implies, &[pc, small]).expect("well-sorted");
    let said: Vec<String> =
        made.invariants(&mut terms, invariant).iter().map(|at| term_text(&terms, at.formula)).collect();
    assert_eq!(said, ["(=> false (bvult x #b100))", "(=> true (bvult x #b100))"]);
}

/// A system, as a program, as a system again: every property keeps its verdict. With small sorts all states are looked at.
#[test]
fn systems_go_round() {
    let mut kinds = [0; 4];
    for seed in 0..120 {
        let (mut terms, mut rng) = (Terms::new(), Rng::new(seed));
        let system = random::system(&mut terms, &mut rng, true);
        let expected: Vec<bool> = explore::verdicts(&terms, &system).iter().map(Option::is_none).collect();
        for (property, &holds) in system.properties.iter().zip(&expected) {
            let live = matches!(property.kind, PropertyKind::Live(_));
            kinds[usize::from(live) * 2 + usize::from(holds)] += 1;
        }
        let text = one_loop(&mut terms, &system).expect("a program").text;
        assert_eq!(answers(&text), expected, "seed {seed}\n{text}");
    }
    assert!(kinds.iter().all(|&count| count > 10), "all kinds of verdicts: {kinds:?}");
}
