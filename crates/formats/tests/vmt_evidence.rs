//! Evidence about VMT-LIB systems: what is printed is read back as it was, and what is no evidence is refused.

use formats::vmt::evidence::{Certified, read_certificate, read_trace, write_certificate, write_trace};
use formats::{Model, Source, vmt};
use smt::eval::{Assignment, Evaluator, Interpretation};
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;
use std::collections::BTreeMap;
use testkit::Rng;
use ts::{Certificate, PropertyKind, Reduction, System, Trace};

const SYSTEM: &str = "
(declare-sort E 0)
(declare-datatypes ((C 0) (L 0)) (((red) (green)) ((nil) (cons (head Int) (tail L)))))
(declare-fun x () Int) (define-fun .x () Int (! x :next x.next))
(declare-fun |a b| () (Array Int (_ BitVec 8)))
(define-fun .ab () (Array Int (_ BitVec 8)) (! |a b| :next |a b'|))
(declare-fun c () C) (define-fun .c () C (! c :next c.next))
(declare-fun l () L) (define-fun .l () L (! l :next l.next))
(declare-fun e () E)
(declare-fun r () Real)
(declare-fun f (Int E) Int)
(declare-fun k () Int) (define-fun .k () Int (! k :global true))
(define-fun i () Bool (! (= x 0) :init true))
(define-fun t () Bool (! (= x.next (+ x 1)) :trans true))
(define-fun p () Bool (! (< x k) :invar-property 3))
(define-fun q () Bool (! (< x 5) :live-property 9))
";

fn source(text: &str) -> Source<'_> {
    Source { bytes: text.as_bytes(), base: 0 }
}

fn system(terms: &mut Terms) -> System {
    let mut errors = Vec::new();
    match vmt::read(terms, source(SYSTEM), &mut errors) {
        Some(Model::Systems(mut systems)) => systems.remove(0),
        _ => panic!("{errors:?}"),
    }
}

fn fun(terms: &Terms, system: &System, name: &str) -> FunId {
    let states = system.states.iter().map(|state| state.now);
    let mut all = states.chain(system.inputs.iter().copied()).chain(system.rigid.iter().copied());
    all.find(|&fun| terms.fun_name(fun) == name).expect("a symbol of the system")
}

/// The value of a term, in which `?` stands for random digits.
fn value_of(terms: &mut Terms, rng: &mut Rng, text: &str) -> Value {
    let (mut errors, mut found) = (Vec::new(), None);
    let mut scope = smt::scope::Scope::new(terms);
    let declarations = "(declare-sort E 0)
        (declare-datatypes ((C 0) (L 0)) (((red) (green)) ((nil) (cons (head Int) (tail L)))))";
    let text = text.replace('?', &rng.below(1000).to_string());
    let text = format!("{declarations}(assert (= {text} {text}))");
    let characters = smt::sexpr::Text::new(&text, 0);
    smt::script::read(terms, &mut scope, characters, &mut errors, |terms, command, _, _| {
        if let smt::parse::Command::Assert(formula) = command {
            found = Value::from_term(terms, terms.args(formula)[0]);
        }
    });
    found.unwrap_or_else(|| panic!("{text}: {errors:?}"))
}

fn random_step(terms: &mut Terms, rng: &mut Rng, system: &System) -> Assignment {
    let values = [
        ("x", "(- ?)"),
        ("a b", "(store (store ((as const (Array Int (_ BitVec 8))) #x0f) ? #b00000001) (- 3) #xff)"),
        ("c", if rng.bool() { "red" } else { "green" }),
        ("l", if rng.bool() { "nil" } else { "(cons ? (cons (- ?) nil))" }),
        ("e", "(as @E!? E)"),
        ("r", "(- (/ ?.5 3.0))"),
    ];
    let mut step = Assignment::new();
    for (name, text) in values {
        // A trace need not say everything.
        if !rng.one_in(8) {
            let value = value_of(terms, rng, text);
            step.set(fun(terms, system, name), value);
        }
    }
    step
}

#[test]
fn traces_are_read_as_they_were_printed() {
    let mut terms = Terms::new();
    let system = system(&mut terms);
    for seed in 0..50 {
        let mut rng = Rng::new(seed);
        let mut trace = Trace::default();
        for _ in 0..1 + rng.below(4) {
            trace.steps.push(random_step(&mut terms, &mut rng, &system));
        }
        trace.back = Some(rng.below(trace.steps.len())).filter(|_| rng.bool());
        let (f, k) = (fun(&terms, &system, "f"), fun(&terms, &system, "k"));
        trace.rigid.set(k, value_of(&mut terms, &mut rng, "?"));
        let mut table: BTreeMap<Box<[Value]>, Value> = BTreeMap::new();
        for _ in 0..rng.below(3) {
            let args = ["?", "(as @E!? E)"].map(|text| value_of(&mut terms, &mut rng, text));
            table.insert(args.into(), value_of(&mut terms, &mut rng, "?"));
        }
        let rest = value_of(&mut terms, &mut rng, "(- ?)");
        trace.rigid.interpret(f, Interpretation::Table(table.clone(), Some(rest.clone())));

        let text = write_trace(&mut terms, &system, 3, &trace).expect("names are good");
        let mut errors = Vec::new();
        let read = read_trace(&mut terms, &system, source(&text), &mut errors);
        let (property, again) = read.unwrap_or_else(|| panic!("{errors:?}\n{text}"));
        assert_eq!((property, again.back, again.steps.len()), (3, trace.back, trace.steps.len()));
        for (a, b) in again.steps.iter().zip(&trace.steps) {
            assert_eq!(a.funs(), b.funs());
            assert!(a.funs().iter().all(|&fun| a.get(fun) == b.get(fun)), "{text}");
        }
        assert_eq!(again.rigid.get(k), trace.rigid.get(k));
        check_function(&mut terms, f, &mut again.rigid.clone(), &table, &rest);
        assert_eq!(write_trace(&mut terms, &system, 3, &again).expect("names are good"), text);
    }
}

/// That a function has the values of a table.
fn check_function(
    terms: &mut Terms,
    fun: FunId,
    read: &mut Assignment,
    table: &BTreeMap<Box<[Value]>, Value>,
    rest: &Value,
) {
    let mut rng = Rng::new(1);
    let other: Box<[Value]> = ["(- 1)", "(as @E!1 E)"].map(|text| value_of(terms, &mut rng, text)).into();
    for (args, value) in table.iter().chain([(&other, rest)]) {
        let args: Vec<TermId> = args.iter().map(|arg| arg.to_term(terms)).collect();
        let call = terms.call(fun, &args).expect("arguments of the right sorts");
        assert_eq!(Evaluator::new(terms).eval(call, read).as_ref(), Ok(value));
    }
}

#[test]
fn certificates_are_read_as_they_were_printed() {
    let mut terms = Terms::new();
    let system = system(&mut terms);
    // A file has no rigid constants: they are variables that keep their values.
    let text = vmt::system_text(&mut terms, &system).expect("expressible");
    let Some(Model::Systems(core)) = vmt::read(&mut terms, source(&text), &mut Vec::new()) else {
        panic!("not read: {text}")
    };
    assert_eq!(vmt::system_text(&mut terms, &system).expect("expressible"), text);
    let PropertyKind::Invariant(invariant) = system.properties[0].kind else { panic!("an invariant") };
    for (reduction, depth) in
        [(Reduction::None, 0), (Reduction::None, 4), (Reduction::Lasso, 0), (Reduction::Count(7), 1)]
    {
        let certificate = Certificate { reduction, invariant, depth };
        let text = write_certificate(&mut terms, &system, 3, &certificate).expect("expressible");
        let mut errors = Vec::new();
        let read = read_certificate(&mut terms, source(&text), &mut errors);
        let expected = Certified { property: 3, certificate, system: core[0].clone() };
        assert_eq!(read.as_ref(), Some(&expected), "{errors:?}\n{text}");
        // It is a VMT-LIB file as well.
        let Some(Model::Systems(systems)) = vmt::read(&mut terms, source(&text), &mut errors) else {
            panic!("{errors:?}")
        };
        assert_eq!(systems[0].properties.len(), 3);
    }
    let certificate = Certificate::inductive(invariant);
    assert!(write_certificate(&mut terms, &system, 4, &certificate).is_err());
}

const ROUND: &str = "(set-info :vmt-evidence trace)
(set-info :vmt-property 9)
(declare-sort E 0)
(declare-datatypes ((C 0)) (((red) (green))))
(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))
(rigid)
(step 0
  (define-fun x () Int 0))
(recurrent (and (>= x 0) (= (f x (as @E!1 E)) k)))
(round 0
  (define-fun r () Real (to_real x)))
(round 1
  (define-fun x () Int (+ x 1))
  (define-fun |a b| () (Array Int (_ BitVec 8)) (store |a b| x #x00))
  (define-fun c () C (ite (= c red) green red))
  (define-fun e () E (as @E!1 E))
  (define-fun r () Real 0.5))
(round 2
  (define-fun x () Int (+ x (* 2 k)))
  (define-fun l () L (cons x l)))
";

/// Inside of a definition each variable is what it is in the first step of the round, also the one that is defined.
#[test]
fn rounds_are_read_as_they_were_printed() {
    let (mut terms, mut errors) = (Terms::new(), Vec::new());
    let system = system(&mut terms);
    let read = read_trace(&mut terms, &system, source(ROUND), &mut errors);
    let (property, trace) = read.unwrap_or_else(|| panic!("{errors:?}"));
    let text = write_trace(&mut terms, &system, property, &trace).expect("names are good");
    let again = read_trace(&mut terms, &system, source(&text), &mut errors).expect("a trace").1;
    assert_eq!(again.recurrence, trace.recurrence);
    let recurrence = trace.recurrence.expect("a recurrent set");
    let given = |step: usize, name: &str| recurrence.round[step].get(&fun(&terms, &system, name)).copied();
    let text_of = |step: usize, name: &str| given(step, name).map(|term| smt::print::term_text(&terms, term));
    assert_eq!(recurrence.round.len(), 3);
    assert_eq!(text_of(1, "x").as_deref(), Some("(+ x 1)"));
    assert_eq!(text_of(2, "l").as_deref(), Some("(cons x l)"));
    assert_eq!(text_of(2, "c"), None);
    let from = |text: &str| text.split_once("(rigid)").expect("symbols without a value").1.to_owned();
    assert_eq!(from(&text), from(ROUND));
}

#[test]
fn what_is_no_round_is_refused() {
    let set = "(recurrent (> x 0))";
    let cases = [
        ("SET", "VMT011@(recurrent (> x 0)): a recurrent set needs a round"),
        ("(round 0) (round 1)", "VMT011@(round 1): a round needs a recurrent set"),
        ("SET (round 0)", "a round has at least two steps"),
        ("SET SET (round 0) (round 1)", "there is a recurrent set already"),
        ("SET (round 0) (round 2)", "VMT011@2: this should be the number 1 of the step in the round"),
        ("SET (round 0) (round 1) (set-info :vmt-loop 0)", "a loop repeats a state, and a recurrent set is"),
        ("(recurrent x) (round 0) (round 1)", "SMT015@x"),
        ("(recurrent) (round 0) (round 1)", "(recurrent formula)"),
        ("(recurrent (= r 0.0)) (round 0) (round 1)", "SMT012@r"),
        ("(recurrent (= x.next 0)) (round 0) (round 1)", "SMT012@x.next"),
        ("SET (round 0) (round 1 x)", "VMT011@x: expected (define-fun …)"),
        ("SET (round 0) (round 1 (define-fun y () Int 0))", "no state variable or input `y`"),
        ("SET (round 0) (round 1 (define-fun k () Int 0))", "no state variable or input `k`"),
        ("SET (round 0) (round 1 (define-fun x.next () Int 0))", "no state variable or input `x.next`"),
        ("SET (round 0) (round 1 (define-fun x () Real 0.0))", "`x` has another sort in the system"),
        ("SET (round 0) (round 1 (define-fun x ((y Int)) Int y))", "`x` has another sort in the system"),
        ("SET (round 0) (round 1 (define-fun x () Int true))", "SMT015@true"),
        (
            "SET (round 0) (round 1 (define-fun r () Real 1.0))",
            "inputs of the last step are those of the next",
        ),
        ("SET (round 0 (define-fun x () Int 1)) (round 1)", "`x` is given there"),
        ("SET (round 0 (define-fun r () Real r)) (round 1)", "SMT012@r"),
        ("SET (round 0) (round 1 (define-fun x () Int x.next))", "SMT012@x.next"),
        (
            "SET (round 0) (round 1 (define-fun x () Int 0) (define-fun x () Int 1))",
            "VMT011@(define-fun x () Int 1): `x` is given twice",
        ),
    ];
    for (text, expected) in cases {
        let text = format!("{GOOD} (step 0) {}", text.replace("SET", set));
        let (mut terms, mut errors) = (Terms::new(), Vec::new());
        let system = system(&mut terms);
        assert!(read_trace(&mut terms, &system, source(&text), &mut errors).is_none(), "{text}");
        let place = |span: diag::Span| &text[span.start as usize..span.end as usize];
        let found: Vec<String> =
            errors.iter().map(|e| format!("{}@{}: {}", e.code, place(e.span), e.message)).collect();
        assert!(found[0].contains(expected), "{text}: {found:?}");
    }
}

const GOOD: &str = "(set-info :vmt-evidence trace) (set-info :vmt-property 3)";

#[test]
fn what_is_no_trace_is_refused() {
    let cases = [
        ("(set-info :vmt-property 3)", "VMT011@: `(set-info :vmt-evidence …)` is missing"),
        ("(set-info :vmt-evidence trace)", "VMT011@: `(set-info :vmt-property …)` is missing"),
        (
            "(set-info :vmt-evidence certificate) (set-info :vmt-property 3)",
            "expected a trace, found `certificate`",
        ),
        ("(set-info :vmt-evidence trace) (set-info :vmt-property x)", "`:vmt-property` needs a number"),
        ("GOOD (set-info :vmt-property 4)", "`:vmt-property` is given twice"),
        ("GOOD (step 1)", "VMT011@1: this should be the number 0 of the step"),
        ("GOOD (step 0) (set-info :vmt-loop 1)", "the loop begins at step 1, and there are 1 steps"),
        ("GOOD (step 0 (define-fun y () Int 0))", "the system has no state variable or input `y`"),
        ("GOOD (step 0 (define-fun x.next () Int 0))", "the system has no state variable or input `x.next`"),
        ("GOOD (rigid (define-fun x () Int 0))", "the system has no symbol that never changes `x`"),
        ("GOOD (step 0 (define-fun x () Real 0.0))", "`x` has another sort in the system"),
        ("GOOD (step 0 (define-fun x () Int y))", "SMT012@y"),
        ("GOOD (step 0 (define-fun x () Int 0) (define-fun x () Int 1))", "SMT016@x"),
        ("GOOD (step 0 x)", "VMT011@x: expected (define-fun …)"),
        ("GOOD (check-sat)", "VMT011@check-sat: this has no meaning in a trace"),
        ("GOOD (step 0", "SMT004@("),
    ];
    for (text, expected) in cases {
        let text = text.replace("GOOD", GOOD);
        let (mut terms, mut errors) = (Terms::new(), Vec::new());
        let system = system(&mut terms);
        assert!(read_trace(&mut terms, &system, source(&text), &mut errors).is_none(), "{text}");
        let place = |span: diag::Span| &text[span.start as usize..span.end as usize];
        let found: Vec<String> =
            errors.iter().map(|e| format!("{}@{}: {}", e.code, place(e.span), e.message)).collect();
        assert!(found[0].contains(expected), "{text}: {found:?}");
    }
}

#[test]
fn what_is_no_certificate_is_refused() {
    let start = "(set-info :vmt-evidence certificate) (set-info :vmt-property 0)";
    let property = "(define-fun p () Bool (! true :invar-property 1))";
    let cases = [
        (property.to_owned(), "`(set-info :vmt-evidence …)` is missing"),
        (format!("{start} {property}"), "`(set-info :vmt-invariant …)` is missing"),
        (format!("{start} (set-info :vmt-invariant 2) {property}"), "there is no invariant property 2"),
        (
            format!("{start} (set-info :vmt-invariant 1) (set-info :vmt-reduction magic) {property}"),
            "the reduction `magic` is not known",
        ),
        (
            format!("{start} (set-info :vmt-invariant 1) (set-info :vmt-reduction count) {property}"),
            "it lacks `:vmt-bound`",
        ),
        (format!("{start} (set-info :vmt-invariant 1) (check-sat)"), "`check-sat` is no command of VMT-LIB"),
    ];
    for (text, expected) in cases {
        let mut errors = Vec::new();
        assert_eq!(read_certificate(&mut Terms::new(), source(&text), &mut errors), None, "{text}");
        assert!(errors[0].message.contains(expected), "{text}: {errors:?}");
    }
}

/// The components of a ranking function are sides of equations among the hints.
#[test]
fn ranking_functions_are_read_as_they_were_printed() {
    let mut terms = Terms::new();
    let text = |hint: &str| {
        format!(
            "(declare-fun x () Int)(declare-fun x.next () Int)(define-fun .x () Int (! x :next x.next))
(declare-fun r () Int)(declare-fun r.next () Int)(define-fun .r () Int (! r :next r.next))
(define-fun i () Bool (! (= x 0) :init true))(define-fun t () Bool (! (= r.next x) :trans true))
(define-fun p () Bool (! (> r x) :invar-property 0))(define-fun h () Bool (! {hint} :predicate true))"
        )
    };
    let read = |terms: &mut Terms, text: &str| {
        let Some(Model::Systems(systems)) = vmt::read(terms, source(text), &mut Vec::new()) else {
            panic!("not read: {text}")
        };
        systems[0].clone()
    };
    let system = read(&mut terms, &text("(= r (- x 3))"));
    let components = ts::passes::rank::components(&terms, &system).expect("an equation");
    let PropertyKind::Invariant(invariant) = system.properties[0].kind else { panic!("an invariant") };
    let certificate = Certificate { reduction: Reduction::Rank(components), invariant, depth: 0 };
    let text_of =
        |terms: &mut Terms, system| write_certificate(terms, system, 0, &certificate).expect("expressible");
    let printed = text_of(&mut terms, &system);
    let again = read_certificate(&mut terms, source(&printed), &mut Vec::new()).expect("readable");
    assert_eq!(again, Certified { property: 0, certificate: certificate.clone(), system: system.clone() });
    let other = read(&mut terms, &text("(> r (- x 3))"));
    let (printed, mut errors) = (text_of(&mut terms, &other), Vec::new());
    assert_eq!(read_certificate(&mut terms, source(&printed), &mut errors), None);
    assert!(errors[0].message.contains("no equation"), "{errors:?}");
}
