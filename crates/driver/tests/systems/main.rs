//! Engines for transition systems, each on the same systems, with the checker as the judge.

use base::budget::Budget;
use certify::{Judged, check_certificate, check_system_trace};
use engines::systems::{SystemFound, SystemProblem};
use smt::parse::Command;
use smt::scope::Scope;
use smt::sexpr::Text;
use smt::term::{FunId, Terms};
use std::time::Duration;
use ts::{Certificate, Property, PropertyKind, Reduction, State, System};

mod arrays;
mod random;
mod rank;
mod recurrence;

/// A system from a script: `x` with `x.next` is a state variable, other constants are inputs; `init`, `trans`, `invar` and
/// `prop` are definitions.
fn system(terms: &mut Terms, text: &str) -> System {
    let system = parsed(terms, text);
    assert_eq!(ts::verify(terms, &system), []);
    system
}

/// One that may be none.
fn parsed(terms: &mut Terms, text: &str) -> System {
    let (mut scope, mut errors, mut system) = (Scope::new(terms), Vec::new(), System::default());
    let mut declared: Vec<FunId> = Vec::new();
    smt::script::read(
        terms,
        &mut scope,
        Text::new(text, 0),
        &mut errors,
        |terms, command, _, _| match command {
            Command::DeclareFun(fun) => declared.push(fun),
            Command::DefineFun(fun) => {
                let body = terms.definition(fun).expect("a definition").1;
                match terms.fun_name(fun) {
                    "init" => system.init.push(body),
                    "live" => system.properties.push(Property {
                        index: 0,
                        name: None,
                        kind: PropertyKind::Live(vec![body]),
                    }),
                    name if name.starts_with("trans") => system.trans.push(body),
                    "invar" => system.invar.push(body),
                    name if name.starts_with("hint") => system.hints.push(body),
                    _ => system.properties.push(Property {
                        index: 0,
                        name: None,
                        kind: PropertyKind::Invariant(body),
                    }),
                }
            }
            _ => {}
        },
    );
    assert!(errors.is_empty(), "{errors:?}");
    let named = |terms: &Terms, name: &str| declared.iter().copied().find(|&fun| terms.fun_name(fun) == name);
    for &fun in &declared {
        let name = terms.fun_name(fun).to_owned();
        match named(terms, &format!("{name}.next")) {
            Some(next) => system.states.push(State { now: fun, next }),
            None if name.ends_with(".next") => {}
            None if !terms.fun(fun).params.is_empty() => system.rigid.push(fun),
            None => system.inputs.push(fun),
        }
    }
    system
}

/// What an engine says: holds, is violated, or nothing. Evidence that is none is a failure of the test.
fn ask(engine: &str, text: &str) -> Result<bool, String> {
    let mut terms = Terms::new();
    let system = system(&mut terms, text);
    let property = &system.properties[0];
    let budget = Budget::of(Duration::from_secs(60));
    let problem = SystemProblem { system: &system, property, seed: 0, budget, solver: "z3" };
    let info = engines::systems::find(engine).expect("an engine");
    match (info.run)(&mut terms, &problem) {
        SystemFound::Nothing(reason) => Err(reason),
        SystemFound::Proof(certificate) => {
            let mut solver = solver::open("z3").expect("a solver");
            let budget = Budget::unlimited();
            let judged = check_certificate(&mut terms, &system, property, certificate, &mut *solver, &budget);
            assert_eq!(judged, Judged::Confirmed, "{engine}: {text}");
            Ok(true)
        }
        SystemFound::Violation(trace) => {
            let judged = check_system_trace(&terms, &system, property, &trace);
            assert_eq!(judged, Judged::Confirmed, "{engine}: {text}");
            Ok(false)
        }
    }
}

const COUNTER: &str = "(declare-const x Int)(declare-const x.next Int)(declare-const b Bool)
(define-fun init () Bool (= x 1))
(define-fun trans () Bool (= x.next (ite b (+ x 1) x)))";

#[test]
fn counters() {
    for engine in ["kinduction", "ic3ia"] {
        assert_eq!(ask(engine, &format!("{COUNTER}(define-fun prop () Bool (> x 0))")), Ok(true));
    }
    for engine in ["bmc", "kinduction", "ic3ia"] {
        assert_eq!(
            ask(engine, &format!("{COUNTER}(define-fun prop () Bool (< x 5))")),
            Ok(false),
            "{engine}"
        );
        assert_eq!(
            ask(engine, &format!("{COUNTER}(define-fun prop () Bool (> x 1))")),
            Ok(false),
            "{engine}"
        );
    }
}

/// Neither the property nor any depth is inductive; a relation between the variables is needed.
#[test]
fn a_relation_is_found() {
    let text =
        "(declare-const x Int)(declare-const x.next Int)(declare-const y Int)(declare-const y.next Int)
(define-fun init () Bool (and (= x 0) (= y 0)))
(define-fun trans () Bool (and (= x.next (+ x 1)) (= y.next (+ y 2))))
(define-fun prop () Bool (=> (= x 10) (<= y 25)))";
    assert_eq!(ask("ic3ia", text), Ok(true));
}

/// A bad state without a successor is bad, and so is a bad first one.
#[test]
fn dead_ends() {
    let text = "(declare-const x Int)(declare-const x.next Int)
(define-fun init () Bool (= x 0))
(define-fun trans () Bool (and (< x 2) (= x.next (+ x 1))))";
    for engine in ["bmc", "kinduction", "ic3ia"] {
        assert_eq!(ask(engine, &format!("{text}(define-fun prop () Bool (< x 2))")), Ok(false), "{engine}");
        assert_eq!(
            ask(engine, &format!("{text}(define-fun prop () Bool (distinct x 0))")),
            Ok(false),
            "{engine}"
        );
    }
    assert_eq!(ask("ic3ia", &format!("{text}(define-fun prop () Bool (< x 3))")), Ok(true));
}

/// Inputs in properties are those of the step, and what holds in every step holds in the last one too.
#[test]
fn inputs_and_constraints() {
    let text = "(declare-const x Int)(declare-const x.next Int)(declare-const y Int)
(define-fun init () Bool (= x 0))
(define-fun trans () Bool (= x.next (+ x y)))
(define-fun invar () Bool (and (<= 0 y) (<= x 3)))";
    for engine in ["kinduction", "ic3ia"] {
        assert_eq!(
            ask(engine, &format!("{text}(define-fun prop () Bool (<= 0 (+ x y)))")),
            Ok(true),
            "{engine}"
        );
        assert_eq!(
            ask(engine, &format!("{text}(define-fun prop () Bool (< (+ x y) 9))")),
            Ok(false),
            "{engine}"
        );
        assert_eq!(ask(engine, &format!("{text}(define-fun prop () Bool (< x 4))")), Ok(true), "{engine}");
    }
}

/// What is not shown by any number of steps alone is shown by two together with a hint that needs two as well and speaks of an
/// input; hints that do not hold are no harm.
#[test]
fn hints_help() {
    let word =
        |name: &str| format!("(declare-const {name} (_ BitVec 8))(declare-const {name}.next (_ BitVec 8))");
    let text = format!(
        "{}{}{}(declare-const i Bool)
(define-fun init () Bool (and (= x #x00) (= y #x00) (= z #x00)))
(define-fun transx () Bool (= x.next (bvadd z #x02)))
(define-fun transy () Bool (= y.next (bvadd y #x02)))
(define-fun transz () Bool (= z.next x.next))
(define-fun prop () Bool (distinct y #x07))",
        word("x"),
        word("y"),
        word("z")
    );
    let hints = "(define-fun hint1 () Bool (= x (ite i y z)))(define-fun hint2 () Bool (= x #x00))
(define-fun hint3 () Bool (= ((_ extract 0 0) (bvadd x z y)) #b1))(define-fun hint4 () Bool (= ((_ extract 0 0) x) #b0))";
    assert_eq!(ask("kinduction-bits", &format!("{text}{hints}")), Ok(true));
    let with = |invariant: &str, depth: usize| judge(&text, invariant, depth);
    assert_eq!(with("(= ((_ extract 0 0) y) #b0)", 0), Judged::Confirmed);
    assert_eq!(with("(= ((_ extract 0 0) y) #b0)", 3), Judged::Confirmed);
    // Whatever the input is: what holds for one of its values only is rejected, however it is asked.
    let both = "(and (= ((_ extract 0 0) y) #b0) (= ((_ extract 0 0) (ite i y (bvadd z z))) #b0))";
    assert_eq!(with(both, 0), Judged::Confirmed);
    for depth in 0..3 {
        let judged = with("(and i (= ((_ extract 0 0) y) #b0))", depth);
        assert!(matches!(judged, Judged::Rejected(_)), "{judged:?}");
        let judged = with("(= y #x00)", depth);
        assert!(matches!(judged, Judged::Rejected(_)), "{judged:?}");
    }
}

/// What the checker says of a certificate.
fn judge(text: &str, invariant: &str, depth: usize) -> Judged {
    let mut terms = Terms::new();
    let system = system(&mut terms, &format!("{text}(define-fun hint () Bool {invariant})"));
    let certificate = Certificate { reduction: Reduction::None, invariant: system.hints[0], depth };
    let mut solver = solver::open("z3").expect("a solver");
    let (property, budget) = (&system.properties[0], Budget::unlimited());
    check_certificate(&mut terms, &system, property, certificate, &mut *solver, &budget)
}

/// Twelve steps in a row are never good where every tenth is bad: the steps after them show nothing then, and the first ones have to.
#[test]
fn first_steps_are_looked_at_one_by_one() {
    let text = |bad: &str, invar: &str| {
        format!(
            "(declare-const x (_ BitVec 8))(declare-const x.next (_ BitVec 8))
(define-fun init () Bool (= x #x00))
(define-fun trans () Bool (= x.next (ite (bvult x #x09) (bvadd x #x01) #x00)))
(define-fun invar () Bool {invar})
(define-fun prop () Bool (not (= x {bad})))"
        )
    };
    assert_eq!(judge(&text("#x0a", "true"), "true", 12), Judged::Confirmed);
    for bad in ["#x00", "#x03", "#x04", "#x05", "#x09"] {
        let judged = judge(&text(bad, "true"), "true", 12);
        assert!(matches!(judged, Judged::Rejected(_)), "{bad}: {judged:?}");
        // A bad step that no other one follows is bad all the same.
        let judged = judge(&text(bad, &format!("(bvule x {bad})")), "true", 12);
        assert!(matches!(judged, Judged::Rejected(_)), "{bad}: {judged:?}");
    }
    // The step before the bad one is the last.
    assert_eq!(judge(&text("#x09", "(bvule x #x08)"), "true", 12), Judged::Confirmed);
}

/// Two tokens move over five places, one at a time; a flag says that a step was none of the game, and then nothing counts. Whether
/// both are at the end depends on who may move.
#[test]
fn states_one_by_one() {
    let text = |allowed: &str| {
        format!(
            "(declare-const f Bool)(declare-const g Bool)
(declare-const x (_ BitVec 3))(declare-const x.next (_ BitVec 3))
(declare-const y (_ BitVec 3))(declare-const y.next (_ BitVec 3))
(declare-const wrong Bool)(declare-const wrong.next Bool)
(define-fun init () Bool (and (= x #b000) (= y #b000) (not wrong)))
(define-fun trans () Bool (and
  (= wrong.next (or wrong (= f g) (and f (= x #b100)) (and g (= y #b100)) (not {allowed})))
  (= x.next (ite f (bvadd x #b001) x))
  (= y.next (ite g (bvadd y #b001) y))))
(define-fun prop () Bool (or wrong (not (and (= x #b100) (= y #b100)))))"
        )
    };
    assert_eq!(ask("explicit-bits", &text("true")), Ok(false));
    assert_eq!(ask("explicit-bits", &text("(or (distinct x y) (= x #b000) g)")), Ok(false));
    assert_eq!(ask("explicit-bits", &text("(=> g (not (= x #b100)))")), Ok(false));
    let never = "(and (=> g (not (= x #b100))) (=> f (not (= y #b100))))";
    assert_eq!(ask("explicit-bits", &text(never)), Ok(true));
    // What is bad depends on an input that leads nowhere.
    let input = text("true").replace("(or wrong (not", "(or wrong f (not g) (not");
    assert_eq!(ask("explicit-bits", &input), Ok(false));
}

/// Something goes from 0 on by some ways, and the system guesses it from its end on, which is 5: the state before is an input, and a
/// flag says whether all guesses were right.
#[test]
fn states_from_behind() {
    let text = |way: &str, other: &str| {
        format!(
            "(declare-const f Bool)(declare-const g (_ BitVec 3))
(declare-const x (_ BitVec 3))(declare-const x.next (_ BitVec 3))
(declare-const begun Bool)(declare-const begun.next Bool)
(declare-const fits Bool)(declare-const fits.next Bool)
(define-fun init () Bool (and (= x #b000) (not begun) (not fits)))
(define-fun trans () Bool (and begun.next (= x.next g)
  (= fits.next (ite begun (and fits (= x (bvadd g (ite f {way} {other})))) (= g #b101)))))
(define-fun prop () Bool (not (and fits (= x #b000))))"
        )
    };
    assert_eq!(ask("explicit-back", &text("#b001", "#b110")), Ok(false));
    assert_eq!(ask("explicit-back", &text("#b110", "#b011")), Ok(false));
    assert_eq!(ask("explicit-back", &text("#b010", "#b100")), Ok(true));
    // Not every guess is remembered.
    let free = text("#b010", "#b100").replace("(= x.next g)", "(= x.next (ite f g #b010))");
    assert_eq!(ask("explicit-back", &free), Err("steps do not tell the state before them".into()));
}

/// Only a state that is not reached leads to the bad one, and it is several good steps away; where every way ends in the bad
/// state, induction says nothing about the first steps.
#[test]
fn induction_on_circuits() {
    let text = |trans: &str, prop: &str| {
        format!(
            "(declare-const x (_ BitVec 4))(declare-const x.next (_ BitVec 4))
(define-fun init () Bool (= x #x0))
(define-fun trans () Bool (= x.next {trans}))
(define-fun prop () Bool (not (= x {prop})))"
        )
    };
    let cycle = text("(ite (= x #x5) #x0 (ite (= x #xf) #xf (bvadd x #x1)))", "#xf");
    assert_eq!(ask("kinduction-bits", &cycle), Ok(true));
    let end = text("(ite (bvult x #x3) (bvadd x #x1) #x3)", "#x3");
    assert_eq!(ask("kinduction-bits", &end), Ok(false));
}

/// Data goes through a queue of words; its last one is compared with what was put in.
#[test]
fn words_that_are_moved_about() {
    let text = "(declare-const d (_ BitVec 32))(declare-const push Bool)
(declare-const a (_ BitVec 32))(declare-const a.next (_ BitVec 32))
(declare-const b (_ BitVec 32))(declare-const b.next (_ BitVec 32))
(define-fun init () Bool (and (= a #x00000000) (= b #x00000000)))
(define-fun trans () Bool (and (= a.next (ite push d a)) (= b.next (ite push a b))))
(define-fun prop () Bool (=> (not (= a #x00000000)) (not (= a b))))";
    assert_eq!(ask("bmc-narrow", text), Ok(false));
    let small = text.replace("32", "4").replace("#x00000000", "#x0");
    assert_eq!(ask("bmc-narrow", &small), Err("no input is a word".into()));
}

/// Two numbers have to come from outside, one after the other, that nobody guesses who does not read them.
#[test]
fn words_that_are_secrets() {
    let text = "(declare-const d (_ BitVec 32))(declare-const open Bool)(declare-const open.next Bool)
(declare-const wide Bool)(declare-const wide.next Bool)
(define-fun init () Bool (and (not open) (not wide)))
(define-fun trans () Bool (and (= open.next (= d #xdeadbeef)) (= wide.next (and open (= d #x0badc0de)))))
(define-fun prop () Bool (not wide))";
    assert_eq!(ask("bmc-narrow", text), Ok(false));
    assert_eq!(ask("random-bits", text), Ok(false));
}

/// One design multiplies words at once and the other one after they were stored where they are needed: the products are equal because
/// the operands are, and nobody has to know what a product is, except where its lowest bit is asked for.
#[test]
fn products_of_equal_words() {
    let text = "(declare-const a (_ BitVec 32))(declare-const b (_ BitVec 32))(declare-const go Bool)
(declare-const x (_ BitVec 32))(declare-const x.next (_ BitVec 32))
(declare-const y (_ BitVec 32))(declare-const y.next (_ BitVec 32))
(declare-const u (_ BitVec 32))(declare-const u.next (_ BitVec 32))
(declare-const v (_ BitVec 32))(declare-const v.next (_ BitVec 32))
(declare-const p (_ BitVec 32))(declare-const p.next (_ BitVec 32))
(declare-const q (_ BitVec 32))(declare-const q.next (_ BitVec 32))
(declare-const was Bool)(declare-const was.next Bool)(declare-const done Bool)(declare-const done.next Bool)
(define-fun init () Bool (and (not was) (not done) (= p #x00000000) (= q #x00000000)))
(define-fun trans () Bool (and (= x.next a) (= y.next b) (= u.next (ite go b u)) (= v.next (ite go a v))
  (= p.next (bvmul x y)) (= q.next (bvmul u v)) (= was.next go) (= done.next was)))
(define-fun prop () Bool (=> done (= p q)))";
    assert_eq!(ask("kinduction-products", text), Ok(true));
    assert_eq!(ask("pdr-products", text), Ok(true));
    let odd = text.replace("(= p q)", "(= ((_ extract 0 0) p) ((_ extract 0 0) (bvand x.old y.old)))");
    let odd = odd.replace(
        "(define-fun init",
        "(declare-const x.old (_ BitVec 32))(declare-const x.old.next (_ BitVec 32))
(declare-const y.old (_ BitVec 32))(declare-const y.old.next (_ BitVec 32))(define-fun init",
    );
    let odd = odd.replace("(= x.next a)", "(= x.old.next x) (= y.old.next y) (= x.next a)");
    assert_eq!(ask("pdr-products", &odd), Err("other products violate the property".into()));
    assert_eq!(ask("pdr", &odd), Ok(true));
    assert_eq!(
        ask("pdr-products", &format!("{COUNTER}(define-fun prop () Bool (> x 0))")),
        Err("there are no products of words in its steps, or too many".into())
    );
}

/// A queue is full after many steps in which something is put in and nothing taken out, and a word is lost then; it shows when that
/// word should be the next one. Inputs that no queue allows are excluded, and so is beginning anew later on.
#[test]
fn queues_that_are_full() {
    let text = "(declare-const push Bool)(declare-const pop Bool)(declare-const reset Bool)(declare-const mark Bool)
(declare-const begun Bool)(declare-const begun.next Bool)
(declare-const n (_ BitVec 6))(declare-const n.next (_ BitVec 6))
(declare-const lost Bool)(declare-const lost.next Bool)
(declare-const m (_ BitVec 6))(declare-const m.next (_ BitVec 6))
(define-fun init () Bool (and (not begun) (= n #b000000) (= m #b000000) (not lost)))
(define-fun trans () Bool (and begun.next
  (= n.next (ite reset #b000000 (ite (and push (bvult n #b101000) (not pop)) (bvadd n #b000001) (ite (and pop (not (and push (bvult n #b101000)))) (bvsub n #b000001) n))))
  (= lost.next (and (not reset) (or lost (and push mark (not (bvult n #b101000))))))
  (= m.next (ite reset #b000000 (ite (and lost pop) (bvadd m #b000001) m)))))
(define-fun invar () Bool (and (= reset (not begun)) (=> pop (not (= n #b000000)))))
(define-fun prop () Bool (bvult m #b010100))";
    assert_eq!(ask("random-bits", text), Ok(false));
    // Nothing is remembered.
    let inputs = "(declare-const a Bool)(define-fun init () Bool true)(define-fun prop () Bool a)";
    assert_eq!(ask("random-bits", inputs), Ok(false));
}

/// An execution that no further step continues, because of a constraint, is one all the same.
#[test]
fn executions_that_end() {
    let text = "(declare-const x (_ BitVec 4))(declare-const x.next (_ BitVec 4))
(define-fun init () Bool (= x #x0))
(define-fun trans () Bool (= x.next (bvadd x #x1)))
(define-fun invar () Bool (bvult x #x6))
(define-fun prop () Bool (not (= x #x5)))";
    for engine in ["bmc", "bmc-bits", "pdr"] {
        assert_eq!(ask(engine, text), Ok(false), "{engine}");
    }
}

/// Infinitely many states: violations repeat a state, proofs count.
#[test]
fn live_properties_of_numbers() {
    let text = "(declare-const x Int)(declare-const x.next Int)(declare-const y Int)
(define-fun init () Bool (= x 0))
(define-fun trans () Bool (and (<= x x.next) (<= x.next 3)))";
    assert_eq!(ask("lasso", &format!("{text}(define-fun live () Bool (= x 1))")), Ok(false));
    let text = "(declare-const x Int)(declare-const x.next Int)
(define-fun init () Bool (and (<= 0 x) (<= x 2)))
(define-fun trans () Bool (= x.next (ite (< x 3) (+ x 1) x)))";
    assert_eq!(ask("liveness", &format!("{text}(define-fun live () Bool (= x 3))")), Ok(true));
}

/// Two loops, one after the other: where an execution is, is told by two Booleans, and what the first loop leaves behind is
/// needed after the second one, which does not change it.
const LOOPS: &str =
    "(declare-const p Bool)(declare-const p.next Bool)(declare-const q Bool)(declare-const q.next Bool)
(declare-const n Int)(declare-const n.next Int)(declare-const i Int)(declare-const i.next Int)
(declare-const j Int)(declare-const j.next Int)
(define-fun init () Bool (and (not p) (not q) (= i 0) (= j 0)))
(define-fun trans () Bool (and (= n.next n)
  (or (and (not p) (not q) (< i n) (= (- i.next i) 2) (= j.next j) (not p.next) (not q.next))
      (and (not p) (not q) (>= i n) (= i.next i) (= j.next 0) p.next (not q.next))
      (and p (not q) (< j n) (= i.next i) (= (+ j 1) j.next) p.next (not q.next))
      (and p (not q) (>= j n) (= i.next i) (= j.next j) p.next q.next)
      (and p q (= i.next i) (= j.next j) p.next q.next))))";

#[test]
fn loops_of_systems() {
    for engine in ["flow-houdini", "flow-spacer"] {
        let holds = format!("{LOOPS}(define-fun prop () Bool (=> p (and (>= i n) (>= j 0))))");
        assert_eq!(ask(engine, &holds), Ok(true), "{engine}");
        let violated = format!("{LOOPS}(define-fun prop () Bool (=> q (<= i n)))");
        assert!(ask(engine, &violated).is_err(), "{engine}");
    }
}
