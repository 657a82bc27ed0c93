//! Horn clauses: found predicates satisfy the clauses, derivations lead to the contradiction.

mod support;

use std::time::{Duration, Instant};

use smt::op::Op;
use smt::sort::SortId;
use smt::subst;
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;
use solver::z3::{Setting, Spacer, Z3};
use solver::{CheckResult, Horn, HornProblem, HornResult, Limits, Reason, Solution, Solver};
use support::{assertions, fun};

fn problem(terms: &mut Terms, text: &str, predicates: &[&str]) -> HornProblem {
    let clauses = assertions(terms, text);
    HornProblem { predicates: predicates.iter().map(|name| fun(terms, name)).collect(), clauses }
}

/// A clause with the predicates replaced by what was found.
fn instantiate(terms: &mut Terms, clause: TermId, found: &[Solution]) -> TermId {
    let (mut map, mut vars, mut clause) = (rustc_hash::FxHashMap::default(), Vec::new(), clause);
    while terms.op(clause) == Op::Forall {
        let args = terms.args(clause);
        vars.extend_from_slice(&args[..args.len() - 1]);
        clause = args[args.len() - 1];
    }
    for term in subst::postorder(terms, clause) {
        let Some(solution) = terms.applied(term).and_then(|fun| found.iter().find(|s| s.predicate == fun))
        else {
            continue;
        };
        let args = terms.args(term).to_vec();
        let inner = solution.params.iter().copied().zip(args).collect();
        let body = subst::replace(terms, solution.body, &inner);
        map.insert(term, body);
    }
    let clause = subst::replace(terms, clause, &map);
    if vars.is_empty() { clause } else { terms.bind(Op::Forall, &vars, clause).expect("a formula") }
}

fn satisfied(terms: &mut Terms, problem: &HornProblem, found: &[Solution]) {
    for &clause in &problem.clauses {
        let clause = instantiate(terms, clause, found);
        let mut z3 = Z3::new().unwrap();
        let negated = terms.not(clause);
        z3.assert(terms, negated).unwrap();
        assert_eq!(z3.check(terms, &[]), Ok(CheckResult::Unsat), "{}", smt::print::term_text(terms, clause));
    }
}

const COUNTER: &str = "(declare-fun inv (Int Int) Bool)
    (assert (forall ((x Int) (n Int)) (=> (and (= x 0) (>= n 0)) (inv x n))))
    (assert (forall ((x Int) (n Int)) (=> (and (inv x n) (< x n)) (inv (+ x 1) n))))";

#[test]
fn a_loop_is_safe() {
    let mut terms = Terms::new();
    let text = format!("{COUNTER}(assert (forall ((x Int) (n Int)) (=> (and (inv x n) (>= x n)) (= x n))))");
    let problem = problem(&mut terms, &text, &["inv"]);
    match Spacer::new().solve(&mut terms, &problem, Limits::default()).unwrap() {
        HornResult::Sat(found) => satisfied(&mut terms, &problem, &found),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_loop_is_unsafe_and_says_how() {
    let mut terms = Terms::new();
    let text = format!("{COUNTER}(assert (forall ((x Int) (n Int)) (=> (and (inv x n) (= x 3)) false)))");
    let problem = problem(&mut terms, &text, &["inv"]);
    let inv: FunId = problem.predicates[0];
    match Spacer::new().solve(&mut terms, &problem, Limits::default()).unwrap() {
        HornResult::Unsat(facts) => {
            let last = facts.last().expect("a derivation");
            assert_eq!(last.predicate, None);
            let steps: Vec<Value> = facts
                .iter()
                .filter(|fact| fact.predicate == Some(inv))
                .map(|fact| fact.args[0].clone().expect("a value"))
                .collect();
            assert_eq!(steps, [0, 1, 2, 3].map(Value::int));
            for (i, fact) in facts.iter().enumerate() {
                assert!(fact.premises.iter().all(|&premise| premise < i));
            }
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn several_predicates_of_several_sorts() {
    let mut terms = Terms::new();
    let text =
        "(declare-fun p ((_ BitVec 8)) Bool)(declare-fun q ((Array Int Int) Int) Bool)(declare-fun r () Bool)
        (assert (forall ((x (_ BitVec 8))) (=> (bvult x #x10) (p x))))
        (assert (forall ((x (_ BitVec 8))) (=> (p x) (p (bvand x #x0f)))))
        (assert (forall ((a (Array Int Int))) (=> (= (select a 0) 1) r (q a 0))))
        (assert (forall ((a (Array Int Int)) (i Int)) (=> (q a i) (q (store a (+ i 1) 1) (+ i 1)))))
        (assert (=> true r))
        (assert (forall ((x (_ BitVec 8))) (=> (p x) (bvule x #x0f))))
        (assert (forall ((a (Array Int Int)) (i Int)) (=> (q a i) (= (select a i) 1))))";
    let problem = problem(&mut terms, text, &["p", "q", "r"]);
    match Spacer::new().solve(&mut terms, &problem, Limits::time(Duration::from_secs(20))).unwrap() {
        HornResult::Sat(found) => satisfied(&mut terms, &problem, &found),
        other => panic!("{other:?}"),
    }
}

/// What is found may speak of parts of a datatype of which the clauses do not.
#[test]
fn solutions_speak_of_all_parts_of_datatypes() {
    let mut terms = Terms::new();
    let text = "(declare-datatypes ((P 0)) (((pair (one Bool) (two Bool)))))(declare-fun p (P) Bool)
        (assert (p (pair true false)))
        (assert (forall ((x P) (y P)) (=> (and (p x) (p y)) (p (ite (= x (pair false true)) x y)))))
        (assert (forall ((x P) (y P)) (=> (and (p x) (p y)) (distinct x (pair false false)))))";
    let problem = problem(&mut terms, text, &["p"]);
    match Spacer::new().solve(&mut terms, &problem, Limits::time(Duration::from_secs(20))).unwrap() {
        HornResult::Sat(found) => satisfied(&mut terms, &problem, &found),
        other => panic!("{other:?}"),
    }
}

#[test]
fn limits_hold() {
    let mut terms = Terms::new();
    let text = "(declare-fun p (Int Int Int) Bool)
        (assert (forall ((x Int) (y Int) (z Int)) (=> (and (= x 1) (= y 1) (= z 0)) (p x y z))))
        (assert (forall ((x Int) (y Int) (z Int)) (=> (p x y z) (p (* x y) (+ (* y y) z) (+ z 1)))))
        (assert (forall ((x Int) (y Int) (z Int)) (=> (p x y z) (distinct (* x x x) (+ (* y y y) (* 7 z) 3)))))";
    let problem = problem(&mut terms, text, &["p"]);
    let start = Instant::now();
    let answer = Spacer::new().solve(&mut terms, &problem, Limits::time(Duration::from_millis(500))).unwrap();
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    assert!(matches!(answer, HornResult::Unknown(_)), "{answer:?}");
    let mut spacer = Spacer::new();
    spacer.interrupter().interrupt();
    let answer = spacer.solve(&mut terms, &problem, Limits::default()).unwrap();
    assert!(matches!(answer, HornResult::Unknown(Reason::Interrupted)), "{answer:?}");
}

#[test]
fn other_parameters_give_other_solutions_of_the_same_clauses() {
    for settings in [
        [Setting::Switch("spacer.global", true), Setting::Number("spacer.random_seed", 7)],
        [Setting::Switch("spacer.gpdr", true), Setting::Switch("spacer.q3.use_qgen", true)],
    ] {
        let mut terms = Terms::new();
        let text =
            format!("{COUNTER}(assert (forall ((x Int) (n Int)) (=> (and (inv x n) (>= x n)) (= x n))))");
        let problem = problem(&mut terms, &text, &["inv"]);
        match Spacer::with(&settings).solve(&mut terms, &problem, Limits::default()).unwrap() {
            HornResult::Sat(found) => satisfied(&mut terms, &problem, &found),
            other => panic!("{other:?}"),
        }
    }
    let mut terms = Terms::new();
    let problem = problem(&mut terms, COUNTER, &["inv"]);
    let mut spacer = Spacer::with(&[Setting::Switch("spacer.no_such_parameter", true)]);
    assert!(spacer.solve(&mut terms, &problem, Limits::default()).is_err());
}

/// A switch of the whole process has its usual value again when there is an answer: an array is what it is after its own element
/// was written to it.
#[test]
fn switches_within_are_put_back() {
    let mut terms = Terms::new();
    let text = "(declare-fun p ((Array Int Int) Int) Bool)
        (assert (forall ((a (Array Int Int)) (i Int)) (=> (= (select a i) 0) (p a i))))
        (assert (forall ((a (Array Int Int)) (i Int)) (=> (p a i) (p (store a (+ i 1) 1) i))))
        (assert (forall ((a (Array Int Int)) (i Int)) (=> (and (p a i) (distinct (select a i) 0)) false)))";
    let problem = problem(&mut terms, text, &["p"]);
    let settings = [Setting::Within("smt.array.extensional", false)];
    match Spacer::with(&settings).solve(&mut terms, &problem, Limits::default()).unwrap() {
        HornResult::Sat(found) => satisfied(&mut terms, &problem, &found),
        other => panic!("{other:?}"),
    }
    let sort = terms.sorts.array(SortId::INT, SortId::INT);
    let [a, i] = [sort, SortId::INT].map(|sort| {
        let fun = terms.fresh("c", sort);
        terms.constant_term(fun)
    });
    let element = terms.app(Op::Select, &[a, i]).unwrap();
    let same = terms.app(Op::Store, &[a, i, element]).unwrap();
    let other = terms.app(Op::Distinct, &[a, same]).unwrap();
    let mut solver = Z3::new().unwrap();
    solver.assert(&terms, other).unwrap();
    assert!(solver.check(&terms, &[]).unwrap().is_unsat());
}

#[test]
fn clauses_must_be_horn() {
    let mut terms = Terms::new();
    let text = "(declare-fun p (Int) Bool)(assert (forall ((x Int)) (or (p x) (p (+ x 1)))))";
    let problem = problem(&mut terms, text, &["p"]);
    assert!(Spacer::new().solve(&mut terms, &problem, Limits::default()).is_err());
    assert_eq!(terms.op(problem.clauses[0]), Op::Forall);
}
