//! Models: asserts, uninterpreted functions, and traces that define them.

use super::support::{at_random, read};
use smt::value::Value;
use svlib::interp::{End, Inputs, Options, Random, Replay, Task, arbitrary_call};
use svlib::print::command_text;
use svlib::syntax::CommandKind;

#[test]
fn models_satisfy_asserts() {
    let text =
        "(declare-const a Int) (declare-const b Int) (declare-const c (_ BitVec 16)) (declare-const r Real)
      (assert (and (< 1000 a) (< a 1003))) (assert (= b (* 2 a))) (assert (= c #x1234)) (assert (< 0.0 r 1.0))
      (define-proc p ((a Int) (b Int) (c (_ BitVec 16)) (r Real)) () ()
        (! (sequence) :tag p :check-true (and (< 1000 a 1003) (= c #x1234) (< 0.0 r 1.0))))
      (verify-call p (a 0 c r))";
    // Equations between large numbers are beyond a random search.
    let ends = at_random(text, 10);
    assert!(ends.iter().all(|end| end == "returned" || end.starts_with("no model")), "{ends:?}");
    let easier = text.replace("(assert (= b (* 2 a)))", "(assert (= b a))");
    assert_eq!(at_random(&easier, 10), ["returned"]);
}

#[test]
fn no_model() {
    let text =
        "(declare-const a Int) (assert (< a a)) (define-proc p () () () (sequence)) (verify-call p ())";
    assert_eq!(at_random(text, 2), ["no model for 1"]);
    let text = "(assert false) (define-proc p () () () (sequence)) (verify-call p ())";
    assert_eq!(at_random(text, 1), ["no model for 0"]);
}

#[test]
fn uninterpreted_functions_are_functions() {
    let text = "(declare-fun f (Int Bool) Int) (declare-const c Int) (assert (= (f c true) 3))
      (define-proc p ((n Int)) ((r Int)) ((i Int) (s Int))
        (sequence (assign (i 0) (s 0))
          (while (< i 5) (assign (s (+ s (f i (= i c)))) (i (+ i 1))))
          (assign (r s) (i 0))
          (while (< i 5) (assign (s (- s (f i (= i c)))) (i (+ i 1))))
          (! (sequence) :tag end :check-true (= s 0))))
      (verify-call p (c))";
    let ends = at_random(text, 30);
    assert!(ends.iter().all(|end| end.starts_with("returned")), "{ends:?}");
    assert!(ends.len() > 3);
}

#[test]
fn definitions_are_evaluated() {
    let text = "(define-fun double ((x Int)) Int (* 2 x))
      (define-fun-rec sum ((n Int)) Int (ite (<= n 0) 0 (+ n (sum (- n 1)))))
      (declare-const c Int) (define-fun shifted ((x Int)) Int (+ x c)) (assert (= (shifted 1) 4))
      (define-proc p () ((r Int)) () (assign (r (+ (double 5) (sum 100) (shifted 0))))) (verify-call p ())";
    assert_eq!(at_random(text, 5), ["returned (r 5063)"]);
}

/// The trace of an execution with tables, floats, datatypes and arrays in its model is read back and replays.
#[test]
fn models_survive_printing() {
    let text = "(declare-datatype T ((leaf) (node (left T) (value (_ BitVec 4)) (right T))))
      (declare-fun f (Int T) Bool) (declare-fun g ((Array Int Bool)) Real) (declare-const t T)
      (declare-const x0 (_ FloatingPoint 5 11)) (declare-const m RoundingMode) (declare-const w (_ BitVec 200))
      (declare-var a (Array Int Bool))
      (define-proc p () ((r Real)) ((i Int) (b Bool))
        (! (sequence (assign (i 0) (r 0.0))
          (while (< i 4) (sequence
            (assign (b (f i t)))
            (if b (assign (r (+ r (g a)))) (assign (a (store a i b))))
            (assign (i (+ i 1)))))) :tag p :ensures (< r 1.0)))
      (verify-call p ())";
    let mut world = read(text);
    let call = world.calls()[0];
    let mut printed_traces = 0;
    for seed in 0..40 {
        let outcome = world.run(&mut Random::new(seed), &Options::default());
        let task = Task::new(&mut world.terms, &world.script, call).expect("a call");
        let Some(trace) = outcome.trace(&mut world.terms, &task) else { continue };
        printed_traces += 1;
        let printed = command_text(&world.terms, &world.script, &CommandKind::SelectTrace(Box::new(trace)));
        let mut again = read(&text.replace("(verify-call", &format!("{printed}\n(verify-call")));
        let mut replay = Replay::of_trace(&again.terms, &again.trace());
        let repeated = again.run(&mut replay, &Options::default());
        assert_eq!(again.end(&repeated.end), world.end(&outcome.end), "{printed}");
        assert_eq!(repeated.steps, outcome.steps);
    }
    assert!(printed_traces > 10, "{printed_traces}");
}

#[test]
fn any_procedure_can_be_called() {
    let mut world = read(
        "(declare-const n Int) (define-proc p ((n Int) (b Bool)) ((r Int)) () (assign (r (ite b n 0))))",
    );
    let proc = world.script.procs.ids().next().expect("a procedure");
    let call = arbitrary_call(&mut world.terms, &mut world.script, proc);
    let text = svlib::print::script_text(&world.terms, &world.script);
    assert!(
        text.ends_with("(declare-const n.1 Int)\n(declare-const b Bool)\n(verify-call p (n.1 b))\n"),
        "{text}"
    );
    let outcome = world.run_call(call, &mut Random::new(1), &Options::default());
    assert!(matches!(outcome.end, End::Finished(_)));
}

#[test]
fn inputs_are_read_as_the_sort_that_is_needed() {
    let text = "(declare-const r Real) (declare-const v (_ BitVec 4)) (declare-const b Bool)
      (define-proc p ((r Real) (v (_ BitVec 4)) (b Bool)) ((q Real) (w (_ BitVec 4)) (c Bool)) ()
        (assign (q r) (w v) (c b)))
      (verify-call p (r v b))";
    let end = |values: &[Value]| {
        let mut world = read(text);
        let outcome = world.run(&mut Inputs::new(values.to_vec()), &Options::default());
        world.end(&outcome.end)
    };
    let yes = Value::Bool(true);
    assert_eq!(end(&[Value::int(-2), Value::int(15), yes.clone()]), "returned (q (- 2.0)) (w #xf) (c true)");
    assert!(end(&[Value::int(-2), Value::int(16), yes.clone()]).starts_with("BadInput(1"));
    assert!(end(&[Value::int(-2), Value::int(-1), yes.clone()]).starts_with("BadInput(1"));
    assert!(end(&[yes.clone(), Value::int(1), yes]).starts_with("BadInput(0"));
    assert!(end(&[Value::int(-2), Value::bits(4, 3u8)]).starts_with("BadInput(2"));
}
