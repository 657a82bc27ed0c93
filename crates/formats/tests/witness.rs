//! Counterexamples in the formats of BTOR2 and AIGER.

mod common;

use common::{random_value, read, written};
use diag::{SourceMap, render};
use formats::Source;
use formats::witness::{Counterexample, WitnessFormat};
use smt::eval::Evaluator;
use smt::term::{FunId, Terms};
use testkit::Rng;
use ts::passes::functional::{Initial, functional};
use ts::simulate::Simulator;
use ts::trace::Fault;
use ts::{PropertyKind, System, Trace};

fn parse(language: &str, terms: &mut Terms, system: &System, text: &str) -> Result<Counterexample, String> {
    let mut found = Vec::new();
    let format = WitnessFormat::of(language).expect("a format");
    let read = (format.read)(terms, system, Source { bytes: text.as_bytes(), base: 0 }, &mut found);
    let mut map = SourceMap::default();
    map.add("x", text.to_owned()).expect("small");
    read.ok_or_else(|| found.iter().map(|problem| render::text(&map, problem)).collect())
}

/// A counter that goes up when its input says so; its state after reset, a mode, is open, and so is the mode's future.
const COUNTER: &str = "\
1 sort bitvec 1
2 sort bitvec 3
3 input 1 up
4 zero 2
5 state 2 count
6 init 2 5 4
7 state 1 mode
8 state 2 step
9 next 2 8 8
10 and 1 3 7
11 add 2 5 8
12 ite 2 10 11 5
13 next 2 5 12
14 constd 2 6
15 eq 1 5 14
16 bad 15
17 justice 1 10
";

const COUNTER_WITNESS: &str = "\
sat
b0
#0
1 1 mode#0
2 011 step#0
@0
0 1 up@0
#1
1 1 mode#1
@1
0 1 up@1
#2
1 0 mode#2
@2
0 0 up@2
.
";

#[test]
fn a_counterexample_of_btor2() {
    let mut terms = Terms::new();
    let system = read("btor2", &mut terms, COUNTER);
    let found = parse("btor2", &mut terms, &system, COUNTER_WITNESS).expect("a witness");
    assert_eq!(found.property, 0);
    assert_eq!(found.trace.check(&terms, &system, &system.properties[0]), Ok(()));
    let format = WitnessFormat::of("btor2").expect("a format");
    let again = (format.write)(&mut terms, &system, &found).expect("expressible");
    assert_eq!(String::from_utf8(again).expect("text"), COUNTER_WITNESS);
    // One step less is an execution and no counterexample.
    let shorter = COUNTER_WITNESS.replace("#2\n1 0 mode#2\n@2\n0 0 up@2\n", "");
    let found = parse("btor2", &mut terms, &system, &shorter).expect("a witness");
    assert_eq!(found.trace.check(&terms, &system, &system.properties[0]), Err(Fault::Holds));
}

#[test]
fn a_loop_of_btor2() {
    let mut terms = Terms::new();
    let system = read("btor2", &mut terms, COUNTER);
    // With a step of four the counter is back after two steps.
    let text = "sat\nj0\n#0\n1 1\n2 100\n@0\n0 1\n#1\n1 1\n@1\n0 1\n.\n";
    let found = parse("btor2", &mut terms, &system, text).expect("a witness");
    assert_eq!((found.property, found.trace.back, found.trace.steps.len()), (1, Some(0), 2));
    assert_eq!(found.trace.check(&terms, &system, &system.properties[1]), Ok(()));
    let format = WitnessFormat::of("btor2").expect("a format");
    let again = (format.write)(&mut terms, &system, &found).expect("expressible");
    let again =
        parse("btor2", &mut terms, &system, &String::from_utf8(again).expect("text")).expect("a witness");
    assert_eq!(again.trace.check(&terms, &system, &system.properties[1]), Ok(()));
    // Without the second step nothing comes back.
    let short = "sat\nj0\n#0\n1 1\n2 100\n@0\n0 1\n.\n";
    let error = parse("btor2", &mut terms, &system, short).expect_err("no loop");
    assert!(error.contains("error[WIT002]: the steps do not come back to an earlier state"), "{error}");
}

#[test]
fn arrays_have_their_elements() {
    let text = "1 sort bitvec 2\n2 sort array 1 1\n3 state 2 m\n4 next 2 3 3\n5 input 1 where\n6 read 1 3 5\n\
                7 constd 1 3\n8 sort bitvec 1\n9 eq 8 6 7\n10 bad 9\n";
    let mut terms = Terms::new();
    let system = read("btor2", &mut terms, text);
    let witness = "sat\nb0\n#0\n0 [10] 11 m#0\n@0\n0 10 where@0\n.\n";
    let found = parse("btor2", &mut terms, &system, witness).expect("a witness");
    assert_eq!(found.trace.check(&terms, &system, &system.properties[0]), Ok(()));
    let format = WitnessFormat::of("btor2").expect("a format");
    let again = (format.write)(&mut terms, &system, &found).expect("expressible");
    assert_eq!(String::from_utf8(again).expect("text"), witness);
}

#[test]
fn values_may_have_very_many_bits() {
    let text = "1 sort bitvec 1\n2 sort bitvec 70000\n3 input 2 x\n4 redor 1 3\n5 bad 4\n";
    let mut terms = Terms::new();
    let system = read("btor2", &mut terms, text);
    let witness = format!("sat\nb0\n#0\n@0\n0 {:0>60000}{} x@0\n.\n", "1", "01".repeat(5_000));
    let found = parse("btor2", &mut terms, &system, &witness).expect("a witness");
    assert_eq!(found.trace.check(&terms, &system, &system.properties[0]), Ok(()));
    let format = WitnessFormat::of("btor2").expect("a format");
    let again = (format.write)(&mut terms, &system, &found).expect("expressible");
    assert_eq!(String::from_utf8(again).expect("text"), witness);
}

#[test]
fn bad_witnesses_of_btor2_are_refused() {
    let mut terms = Terms::new();
    let system = read("btor2", &mut terms, COUNTER);
    for (text, wanted) in [
        ("", "x:1:1: error[WIT001]: expected `.`, found the end of the file"),
        ("unsat\n", "x:1:1: error[WIT001]: expected `sat`, found `unsat`"),
        ("sat\nc0\n", "x:2:1: error[WIT001]: expected a property such as `b0` or `j0`, found `c0`"),
        ("sat\nb1\n", "x:2:1: error[WIT002]: the system has no property `b1`"),
        ("sat\nb0\n.\n", "x:3:1: error[WIT001]: expected a step, found `.`"),
        ("sat\nb0\n@1\n", "x:3:1: error[WIT001]: expected step 0, found 1"),
        ("sat\nb0\n0 1\n", "x:3:1: error[WIT001]: expected `#0` or `@0` before values"),
        ("sat\nb0\n@0\n0 x1\n", "x:4:1: error[WIT002]: expected 1 bits, found 2"),
        ("sat\nb0\n@0\n0 2\n", "x:4:1: error[WIT001]: expected bits, found `2`"),
        ("sat\nb0\n@0\n1 1\n", "x:4:1: error[WIT002]: the system has no input 1"),
        ("sat\nb0\n#0\n3 1\n", "x:4:1: error[WIT002]: the system has no state 3"),
        ("sat\nb0\n#0\n0 [1] 1\n", "x:4:1: error[WIT002]: state 0 is no array"),
        ("sat\nb0\n@0\n0 1\n@0\n", "x:5:1: error[WIT001]: expected step 1, found 0"),
    ] {
        let error = parse("btor2", &mut terms, &system, text).expect_err("an error");
        assert!(error.starts_with(wanted), "{text}\nfound  {error}\nwanted {wanted}");
    }
}

const TOGGLE: &str = "aag 4 1 2 0 1 1 0 1\n2\n4 5\n6 2 6\n8\n1\n4\n8 6 4\n";

#[test]
fn a_counterexample_of_aiger() {
    let mut terms = Terms::new();
    let system = read("aag", &mut terms, TOGGLE);
    let text = "1\nb0\n00\n1\n0\n.\n";
    let found = parse("aag", &mut terms, &system, text).expect("a witness");
    assert_eq!(found.trace.check(&terms, &system, &system.properties[0]), Ok(()));
    let format = WitnessFormat::of("aig").expect("a format");
    let again = (format.write)(&mut terms, &system, &found).expect("expressible");
    assert_eq!(String::from_utf8(again).expect("text"), text);
    let found =
        parse("aag", &mut terms, &system, "c comment\n1\nj0\n0x\n0\n0\nc end\n.\n").expect("a witness");
    assert_eq!((found.property, found.trace.back), (1, Some(0)));
    assert_eq!(found.trace.check(&terms, &system, &system.properties[1]), Ok(()));
}

#[test]
fn bad_witnesses_of_aiger_are_refused() {
    let mut terms = Terms::new();
    let system = read("aag", &mut terms, TOGGLE);
    for (text, wanted) in [
        ("0\nb0\n.\n", "x:1:1: error[WIT001]: the witness says that there is no counterexample"),
        ("sat\n", "x:1:1: error[WIT001]: expected `1`, found `sat`"),
        ("1\nb1\n", "x:2:1: error[WIT002]: the system has no property `b1`"),
        ("1\nb0\n0\n", "x:3:1: error[WIT002]: expected 2 bits, one for each latch, found 1"),
        ("1\nb0\n00\n2\n", "x:4:1: error[WIT001]: expected a bit for each input, found `2`"),
        ("1\nb0\n00\n.\n", "x:4:1: error[WIT001]: expected the inputs of a step, found `.`"),
        ("1\nb0\n00\n1\n", "x:5:1: error[WIT001]: expected `.`, found the end of the file"),
    ] {
        let error = parse("aag", &mut terms, &system, text).expect_err("an error");
        assert!(error.starts_with(wanted), "{text}\nfound  {error}\nwanted {wanted}");
    }
}

/// Random executions of small systems, written and read in both formats, are the same executions. The AIGER witness is read
/// for the system in the file that was written, as another tool would.
#[test]
fn random_executions_there_and_back() {
    let mut rng = Rng::new(2);
    let with_arrays = "1 sort bitvec 2\n2 sort array 1 1\n3 zero 1\n4 state 2 m\n5 init 2 4 3\n6 input 1 at\n7 input 1 value\n\
                       8 write 2 4 6 7\n9 next 2 4 8\n10 state 2 other\n11 next 2 10 4\n12 sort bitvec 1\n13 eq 12 4 10\n14 bad 13\n";
    for text in [COUNTER, with_arrays] {
        for _ in 0..30 {
            let mut terms = Terms::new();
            let system = read("btor2", &mut terms, text);
            let form = functional(&mut terms, &system, Initial::Terms);
            let simulator = Simulator::new(&mut terms, &form);
            let run = simulator.run(&mut terms, 6, |terms, fun, _| {
                let sort = terms.fun(fun).result;
                random_value(terms, &mut rng, sort)
            });
            let trace = form.trace(&mut terms, &system, &run.expect("values"));
            let found = Counterexample { property: 0, others: Vec::new(), trace };
            for language in ["btor2", "aig"] {
                let format = WitnessFormat::of(language).expect("a format");
                let text = (format.write)(&mut terms, &system, &found).expect("expressible");
                let text = String::from_utf8(text).expect("text");
                let again = parse(language, &mut terms, &system, &text).expect("a witness");
                assert!(is_same(&system, &found.trace, &again.trace), "{language}\n{text}");
                if language == "aig" {
                    reads_in_the_file(&mut terms, &system, &found.trace, &text);
                }
            }
        }
    }
}

fn is_same(system: &System, a: &Trace, b: &Trace) -> bool {
    let variables: Vec<FunId> =
        system.states.iter().map(|state| state.now).chain(system.inputs.iter().copied()).collect();
    a.steps.len() == b.steps.len()
        && a.steps.iter().zip(&b.steps).all(|(a, b)| variables.iter().all(|&fun| a.get(fun) == b.get(fun)))
}

fn reads_in_the_file(terms: &mut Terms, system: &System, trace: &Trace, witness: &str) {
    let file = written("aig", terms, system).expect("bits");
    let mut others = Terms::new();
    let bits = common::read_bytes("aig", &mut others, &file).expect("what we wrote");
    let mut again = parse("aig", &mut others, &bits, witness).expect("a witness").trace;
    assert_eq!(again.is_execution(&others, &bits), Ok(()));
    let (PropertyKind::Invariant(words), PropertyKind::Invariant(bits)) =
        (&system.properties[0].kind, &bits.properties[0].kind)
    else {
        panic!("invariants");
    };
    for (step, other) in trace.steps.iter().zip(&mut again.steps) {
        let held = Evaluator::new(terms).holds(*words, &mut step.clone());
        assert_eq!(held, Evaluator::new(&others).holds(*bits, other));
    }
}
