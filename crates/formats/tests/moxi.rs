//! MoXI: queries mean what the definition says, and systems survive being written.
#![expect(clippy::print_stderr, reason = "tests report numbers")]

mod support;

use diag::Diagnostic;
use formats::moxi::{Answer, Answered, Responses, write_response};
use formats::{Model, Source};
use smt::term::Terms;
use support::explore::{counterexample, verdicts};
use support::{complaints, files, read, systems, written};
use testkit::Rng;
use ts::System;

fn judged(text: &str) -> Vec<Vec<Option<usize>>> {
    let mut terms = Terms::new();
    let systems = systems("moxi", &mut terms, text);
    systems.iter().map(|system| verdicts(&terms, system)).collect()
}

const DELAY: &str =
    "(define-system Delay :input ((i Bool)) :output ((o Bool)) :init (= o false) :trans (= o' i))
(define-system Two :input ((in Bool)) :output ((out Bool)) :local ((t Bool))
  :subsys (A (Delay in t)) :subsys (B (Delay t out)))";

#[test]
fn subsystems() {
    let text = format!(
        "{DELAY}(check-system Two :input ((x Bool)) :output ((y Bool))
           :reachable (late y) :reachable (echo (and x y)) :query (a (late)) :query (b (echo)) :query (c (late echo)))"
    );
    assert_eq!(judged(&text), [[Some(2), Some(2), Some(2)]]);
}

/// A state without successor is not reached, by definition.
#[test]
fn deadlocks() {
    let text = "(define-system S :local ((x (_ BitVec 2))) :init (= x #b00)
          :trans (and (= x' (bvadd x #b01)) (not (= x #b10))))
        (check-system S :local ((x (_ BitVec 2)))
          :reachable (one (= x #b01)) :reachable (two (= x #b10)) :reachable (step (= x' #b10)) :reachable (any true)
          :query (a (one)) :query (b (two)) :query (c (step)) :query (d ()) :query (e (any one)))";
    // The conditions are remembered, so they are seen a step later.
    assert_eq!(judged(text), [[Some(2), None, Some(2), Some(1), Some(2)]]);
}

#[test]
fn assumptions_and_current_states() {
    let text = format!(
        "{DELAY}(check-system Delay :input ((i Bool)) :output ((o Bool))
           :assumption (low (not i)) :assumption (once (not (and i i'))) :reachable (r o) :reachable (rr (and i o)) :current (c o)
           :query (a (low r)) :query (b (r)) :query (d (once rr)) :query (e (c r)) :query (f (c low r)))"
    );
    assert_eq!(judged(&text), [[None], [Some(1)], [None], [Some(1)], [Some(1)]]);
}

#[test]
fn fairness() {
    let text = "(define-system S :input ((i Bool)) :local ((x Bool) (y Bool))
          :init (and (not x) (not y)) :trans (and (= x' (ite i (not x) x)) (= y' (or y i))))
        (check-system S :input ((i Bool)) :local ((x Bool) (y Bool))
          :fairness (turn (not (= x x'))) :fairness (low (not y)) :fairness (rest (not i)) :reachable (r y)
          :assumption (never (not i))
          :query (a (turn rest)) :query (b (turn low)) :query (c (low r)) :query (d (rest r)) :query (e (never turn)))";
    assert_eq!(judged(text), [vec![Some(0), None, None, Some(0)], vec![None]]);
}

#[test]
fn enumerations_and_rigid_symbols() {
    let text = "(set-logic ALL)(declare-enum-sort Light (red green))(declare-const first Light)
        (define-fun flip ((l Light)) Light (ite (= l red) green red))
        (define-system S :output ((|the light| Light)) :init (= |the light| first) :trans (!= |the light|' |the light|))
        (check-system S :output ((l Light)) :reachable (r (= l (flip first))) :query (q (r)))";
    let mut terms = Terms::new();
    let system = systems("moxi", &mut terms, text).remove(0);
    // Nothing shows that there is always another light, so the condition is remembered.
    assert_eq!((system.states.len(), system.rigid.len(), system.logic.as_deref()), (2, 1, Some("ALL")));
    let again = written("moxi", &mut terms, vec![system]);
    assert_eq!(systems("moxi", &mut Terms::new(), &again).len(), 1);
}

#[test]
fn refused() {
    let bad = |text: &str| complaints("moxi", text).remove(0);
    assert_eq!(bad("(assert true)"), "MOXI001 `assert` `assert` has no place in a MoXI file");
    assert!(bad("(define-sistem S)").starts_with("SMT011"));
    assert!(
        bad("(define-system S :local ((x Bool)) :initial x)")
            .starts_with("MOXI002 `:initial` unknown attribute")
    );
    assert!(bad("(define-system S :local ((x Bool)) :init x')").starts_with("SMT012 `x'`"));
    assert!(bad("(define-system S :local ((x Bool) (x Int)))").contains("two variables are called `x`"));
    assert!(
        bad("(define-system S :local ((x Bool)) :subsys (A (T x)))").starts_with("MOXI002 `T` no system `T`")
    );
    assert!(
        bad(&format!("{DELAY}(define-system X :local ((a Bool)) :subsys (A (Delay a)))"))
            .contains("has 2 inputs")
    );
    assert!(
        bad(&format!(
            "{DELAY}(define-system X :local ((a Bool)) :subsys (A (Delay a a)) :subsys (A (Delay a a)))"
        ))
        .contains("the instance `A` is there already")
    );
    assert!(bad(&format!("{DELAY}(check-system Delay :input ((i Int)))")).contains("does not fit"));
    assert!(
        bad(&format!("{DELAY}(check-system Delay :query (q (r)))")).starts_with("MOXI002 `r` no condition")
    );
    assert!(bad(&format!("{DELAY}(check-system Delay :query (q ()) :query (q ()))")).contains("two queries"));
    assert!(bad(&format!("{DELAY}(check-system Delay :input)")).contains("no value"));
    let shared = "(declare-const c Bool)(define-system S :local ((x Bool)))(check-system S :local ((x Bool))
        :reachable (r (= x c)) :queries ((a (r)) (b (r))))";
    assert!(bad(shared).starts_with("MOXI003"));
    let mut deep = String::from("(define-system S0 :local ((x Bool)))");
    for i in 1..40 {
        let part = format!("(S{})", i - 1);
        deep.push_str(&format!("(define-system S{i} :subsys (A {part}) :subsys (B {part}))"));
    }
    assert!(bad(&format!("{deep}(check-system S39)")).contains("more than 100000"));
    let mut deep = String::from("(define-system S0 :local ((x Bool)))");
    for i in 1..2000 {
        deep.push_str(&format!("(define-system S{i} :subsys (A (S{})))", i - 1));
    }
    assert!(bad(&format!("{deep}(check-system S1999)")).contains("nested too deep"));
}

/// A system, written and read again, has the same verdicts.
#[test]
fn systems_survive() {
    let (mut bad, mut stuck) = (0, 0);
    for seed in 0..200 {
        let mut terms = Terms::new();
        let system = support::random::system(&mut terms, &mut Rng::new(seed), true);
        let before = verdicts(&terms, &system);
        stuck += usize::from(!ts::always_continues(&terms, &system));
        let text = written("moxi", &mut terms, vec![system]);
        let mut terms = Terms::new();
        let again = systems("moxi", &mut terms, &text).remove(0);
        let after = verdicts(&terms, &again);
        let plain = |found: &[Option<usize>]| -> Vec<bool> { found.iter().map(Option::is_some).collect() };
        assert_eq!(plain(&before), plain(&after), "seed {seed}\n{text}");
        bad += before.iter().flatten().count();
    }
    assert!(bad > 50 && stuck > 20 && stuck < 180, "{bad} violated, {stuck} may get stuck");
}

/// The JSON form says the same as the other one.
#[test]
fn json() {
    for seed in 0..60 {
        let mut terms = Terms::new();
        let mut system = support::random::system(&mut terms, &mut Rng::new(seed), true);
        if seed % 3 == 0 {
            // A name that is written with bars.
            let sort = smt::sort::SortId::BOOL;
            let odd = system.add_state(&mut terms, "the \"odd\" one", sort);
            let (now, next) = (terms.constant_term(odd.now), terms.constant_term(odd.next));
            system.trans.push(terms.or(&[now, next]));
        }
        let before: Vec<bool> = verdicts(&terms, &system).iter().map(Option::is_some).collect();
        let text = written("moxi-json", &mut terms, vec![system]);
        let mut terms = Terms::new();
        let again = systems("moxi-json", &mut terms, &text).remove(0);
        let after: Vec<bool> = verdicts(&terms, &again).iter().map(Option::is_some).collect();
        assert_eq!(before, after, "seed {seed}\n{text}");
    }
    let bad = |text: &str| complaints("moxi-json", text).remove(0);
    assert!(bad("[{]").starts_with("MOXI005 `]` expected a string"));
    assert!(bad("[").starts_with("MOXI005"));
    assert!(bad("[{\"command\": \"set-logic\"}]").starts_with("MOXI005 `{` a key of the command is missing"));
    let wrong = "[{\"command\": \"define-system\", \"symbol\": \"S\", \"init\": {\"identifier\": \"x\"}}]";
    assert_eq!(bad(wrong), "SMT012 `\"` unknown symbol `x`");
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(bad(&deep).starts_with("MOXI005"));
    let Some(corpus) = testkit::corpus_or_skip("MoXI files in JSON") else { return };
    for path in files(&corpus.join("ts/moxi"), &["json"]) {
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(systems("moxi-json", &mut Terms::new(), &text).len(), 1);
    }
}

/// The answers of responses to the queries of a system.
fn read_response(
    terms: &mut Terms,
    system: &System,
    source: Source<'_>,
    errors: &mut Vec<Diagnostic>,
) -> Option<Vec<(String, Answer)>> {
    let read = Responses::read(terms, source, errors)?;
    let mut answer =
        |about: &Answered| Some((about.query.clone(), read.answer(terms, system, about, errors)?));
    read.answered().iter().map(&mut answer).collect()
}

#[test]
fn responses() {
    let text = format!(
        "{DELAY}(check-system Two :input ((x Bool)) :output ((y Bool)) :reachable (late y) :query (a (late)))"
    );
    let mut terms = Terms::new();
    let system = systems("moxi", &mut terms, &text).remove(0);
    let trace = counterexample(&terms, &system, &system.properties[0]).unwrap();
    let mut lasso = trace.clone();
    lasso.back = Some(1);
    let parts: Vec<_> = system.states.iter().map(|state| terms.constant_term(state.now)).collect();
    let invariant = terms.or(&parts);
    let answers = vec![
        ("a".to_owned(), Answer::Sat(trace)),
        ("b c".to_owned(), Answer::Sat(lasso)),
        ("d".to_owned(), Answer::Unsat(None)),
        ("e".to_owned(), Answer::Unknown),
        ("f".to_owned(), Answer::Unsat(Some(invariant))),
    ];
    let text = write_response(&mut terms, "Two", &system, &answers);
    let mut errors = Vec::new();
    let source = Source { bytes: text.as_bytes(), base: 0 };
    let again = read_response(&mut terms, &system, source, &mut errors).expect(&text);
    assert_eq!(again.len(), 5);
    let (Answer::Sat(first), Answer::Sat(second)) = (&again[0].1, &again[1].1) else { panic!("two traces") };
    assert_eq!(first.check(&terms, &system, &system.properties[0]), Ok(()));
    assert_eq!((second.back, second.steps.len(), again[1].0.as_str()), (Some(1), 3, "b c"));
    assert!(matches!((&again[2].1, &again[3].1), (Answer::Unsat(None), Answer::Unknown)));
    assert!(matches!(again[4].1, Answer::Unsat(Some(formula)) if formula == invariant));
    for (query, code) in [
        ("sat :trace t)", "MOXI004"),
        ("unsat :certificate c)", "MOXI004"),
        ("unsat :certificate c) :certificate (c :k 1)", "MOXI004"),
        ("unsat :certificate c) :certificate (c :inv true :k 2)", "MOXI004"),
        ("unsat :certificate c) :certificate (c :inv nothing :k 1)", "SMT012"),
    ] {
        let text = format!("(check-system-response Two :query (a :result {query})");
        let (source, mut errors) = (Source { bytes: text.as_bytes(), base: 0 }, Vec::new());
        assert!(read_response(&mut terms, &system, source, &mut errors).is_none());
        assert_eq!(errors[0].code.name(), code, "{text}");
    }
}

/// Files of the corpus that are refused although no test of theirs says so: primes in `:inv`, a missing definition, a sort
/// parameter that nobody declares, a Boolean `bvcomp`.
const REFUSED: &[&str] = &[
    "_6countern.moxi",
    "IncrementOnlyChangeX.moxi",
    "LossyIntChannelX.moxi",
    "bv.moxi",
    "BadCommand.moxi",
    "ThreeBitCounterBadFun.moxi",
];

#[test]
fn corpus() {
    let Some(corpus) = testkit::corpus_or_skip("MoXI files of the corpus") else { return };
    let (mut good, mut refused) = (0, 0);
    for path in files(&corpus.join("ts/moxi"), &["moxi"]) {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let mut terms = Terms::new();
        match read("moxi", &mut terms, &text) {
            Ok(Model::Systems(all)) => {
                good += 1;
                let again = written("moxi", &mut terms, all.clone());
                assert_eq!(systems("moxi", &mut Terms::new(), &again).len(), all.len(), "{name}");
            }
            Ok(Model::Horn(_)) => panic!("{name}"),
            Err(errors) => {
                refused += 1;
                assert!(name.ends_with("X.moxi") || REFUSED.contains(&name), "{name}: {:?}", errors[0]);
            }
        }
    }
    eprintln!("MoXI: {good} files read, {refused} refused");
    assert!(good > 80);
}
