//! AIGER: errors with their places, both forms there and back, and words as bits.

mod common;

use common::{corpus_files, errors, read, read_bytes, survives, written};
use smt::eval::Evaluator;
use smt::term::Terms;
use testkit::Rng;
use ts::aig::{Aig, word};
use ts::passes::bitblast::{Blasted, bitblast};
use ts::passes::functional::{Functional, Initial, functional};
use ts::simulate::Simulator;
use ts::{PropertyKind, System};

/// A file with everything: all kinds of resets, gates out of order, properties of both kinds, names, a comment.
const ALL: &str = "\
aag 9 2 4 1 2 1 1 1 1
2
4
6 18
8 9 1
10 11 10
12 16 0
18
17
5
2
6
9
13
18 16 3
16 8 10
i0 request
l0 state one
l2 state one
o0 shown
b0 bad
j0 again
f0 fair
c
anything
";

#[test]
fn what_a_file_means() {
    let mut terms = Terms::new();
    let system = read("aag", &mut terms, ALL);
    assert_eq!((system.inputs.len(), system.states.len(), system.outputs.len()), (2, 4, 1));
    assert_eq!((system.init.len(), system.trans.len(), system.invar.len()), (3, 4, 1));
    let names: Vec<&str> = system.states.iter().map(|state| terms.fun_name(state.now)).collect();
    assert_eq!(names, ["state one", "l1", "state one.1", "l3"]);
    let [bad, live] = &system.properties[..] else { panic!("two properties") };
    assert_eq!((bad.name.as_deref(), live.name.as_deref()), (Some("bad"), Some("again")));
    let text = |term| smt::print::term_text(&terms, term);
    assert_eq!(text(bad.formulas()[0]), "(and l1 |state one.1|)");
    let PropertyKind::Live(formulas) = &live.kind else { panic!("live") };
    let formulas: Vec<String> = formulas.iter().map(|&term| text(term)).collect();
    assert_eq!(formulas, ["(not |state one|)", "l1", "l3"]);
    assert_eq!(text(system.invar[0]), "(not i1)");
}

/// In old files outputs are bad states; in new ones they are only shown.
#[test]
fn outputs_of_old_files_are_properties() {
    let mut terms = Terms::new();
    let old = read("aag", &mut terms, "aag 1 0 1 1 0\n2 3\n3\no0 wrong\n");
    assert_eq!((old.properties.len(), old.outputs.len()), (1, 0));
    assert_eq!(old.properties[0].name.as_deref(), Some("wrong"));
    let new = read("aag", &mut terms, "aag 1 0 1 1 0 0\n2 3\n3\n");
    assert_eq!((new.properties.len(), new.outputs.len()), (0, 1));
    // Written without properties it must not get some.
    let again = written("aag", &mut terms, &new).expect("bits");
    let again = read_bytes("aag", &mut terms, &again).expect("what we wrote");
    assert_eq!((again.properties.len(), again.outputs.len()), (0, 1));
}

#[test]
fn errors_have_their_places() {
    for (text, wanted) in [
        ("", "x:1:1: error[AIG001]: expected `aag` or `aig`, the first word of the file"),
        ("abc", "x:1:1: error[AIG001]: expected `aag` or `aig`, the first word of the file"),
        (
            "aag 1 1 0 1\n",
            "x:1:12: error[AIG001]: expected a blank before the next number of the header, found the end of the line",
        ),
        ("aag 1 1 0 x 0\n", "x:1:11: error[AIG001]: expected a number of the header, found `x`"),
        (
            "aag 1 1 1 0 0\n",
            "x:1:1: error[AIG001]: the maximal variable, 1, is smaller than the number of inputs, latches and gates, 2",
        ),
        (
            "aig 3 1 1 0 0\n",
            "x:1:1: error[AIG001]: the maximal variable, 3, is not equal to the number of inputs, latches and gates, 2",
        ),
        ("aag 99999999999 1 0 0 0\n", "x:1:5: error[AIG001]: a number of the header is too large"),
        (
            "aig 4294967290 4294967290 0 0 0\n",
            "x:1:1: error[AIG001]: a circuit of so many variables is not supported",
        ),
        (
            "aag 1 1 0 1 0\n2\n",
            "x:3:1: error[AIG001]: expected the literal of an output, found the end of the file",
        ),
        ("aag 1 1 0 0 0\n2 3\n", "x:2:2: error[AIG001]: expected the end of the line, found a blank"),
        (
            "aag 1 0 1 0 0\n2\n",
            "x:2:2: error[AIG001]: expected a blank before the next value of the latch, found the end of the line",
        ),
        ("aag 1 1 0 0 0\n3\n", "x:2:1: error[AIG002]: 3 is a negated literal and cannot be defined"),
        ("aag 1 1 0 0 0\n0\n", "x:2:1: error[AIG002]: 0 is a constant and cannot be defined"),
        ("aag 1 1 0 0 0\n4\n", "x:2:1: error[AIG002]: 4 is larger than the maximal literal, 3"),
        ("aag 2 2 0 0 0\n2\n2\n", "x:3:1: error[AIG002]: 2 is defined twice"),
        ("aag 2 1 0 1 0\n2\n4\n", "x:3:1: error[AIG002]: 4 is no input, latch or gate"),
        ("aag 2 1 0 1 0\n2\n7\n", "x:3:1: error[AIG002]: 7 is larger than the maximal literal, 5"),
        ("aag 2 1 1 0 0\n2\n4 2 3\n", "x:3:5: error[AIG002]: a reset is 0, 1 or the latch itself, 4, not 3"),
        ("aag 3 1 0 1 2\n2\n4\n4 2 6\n6 2 4\n", "x:5:5: error[AIG003]: gate 4 depends on itself"),
        ("aag 2 1 0 0 1\n2\n4 2 5\n", "x:3:5: error[AIG003]: gate 4 depends on itself"),
        ("aag 1 1 0 0 0\n2\ni1 x\n", "x:3:1: error[AIG004]: `i1` is named and does not exist"),
        ("aag 1 1 0 0 0\n2\ni0 x\ni0 y\n", "x:4:1: error[AIG004]: `i0` is named twice"),
        (
            "aag 1 1 0 0 0\n2\nx0 x\n",
            "x:3:1: error[AIG001]: expected a symbol, the comment that begins with a line `c`, or the end of the file",
        ),
        ("aag 1 1 0 0 0\n2\ni0x\n", "x:3:3: error[AIG001]: expected a blank before the name, found `x`"),
        ("aig 1 0 0 0 1\n", "x:2:1: error[AIG001]: expected a gate in binary, found the end of the file"),
        (
            "aig 1 0 0 0 1\n\u{5}\u{0}",
            "x:2:1: error[AIG002]: gate 0 reads a literal that is not smaller than its own",
        ),
        (
            "aig 1 0 0 0 1\n\u{0}\u{0}",
            "x:2:1: error[AIG002]: gate 0 reads a literal that is not smaller than its own",
        ),
    ] {
        let found = errors("aag", text);
        assert!(found.starts_with(wanted), "{text}\nfound  {found}\nwanted {wanted}");
    }
    let found = read_bytes("aig", &mut Terms::new(), b"aig 1 0 0 0 1\n\xff\xff\xff\xff\xff\x01\x00")
        .expect_err("too large");
    assert_eq!(found[0].message, "a difference of literals is too large");
}

#[test]
fn random_changes_never_break_the_reader() {
    let mut terms = Terms::new();
    let system = read("aag", &mut terms, ALL);
    let binary = written("aig", &mut terms, &system).expect("bits");
    let mut rng = Rng::new(8);
    for bytes in [ALL.as_bytes(), &binary] {
        for _ in 0..3000 {
            let bytes = testkit::mutate(bytes, &mut rng, &["18 4 2\n", "j0 x\n", "aig"]);
            survives("aig", &["aag", "aig", "btor2"], &bytes);
        }
    }
}

/// The circuit of a system.
fn circuit(terms: &mut Terms, system: &System) -> Aig {
    let form = functional(terms, system, Initial::Literals);
    bitblast(terms, &form).expect("bits").aig
}

/// What a system says besides its gates.
fn names(terms: &Terms, system: &System) -> String {
    let variables = system.states.iter().map(|state| state.now).chain(system.inputs.iter().copied());
    let variables: Vec<&str> = variables.map(|fun| terms.fun_name(fun)).collect();
    let claims: Vec<_> = system.properties.iter().map(|p| (&p.name, p.index, p.formulas().len())).collect();
    let outputs: Vec<&str> = system.outputs.iter().map(|output| output.name.as_str()).collect();
    format!("{variables:?} {claims:?} {outputs:?} {}", system.init.len())
}

/// Both forms give the same system again: same names, as many gates, and 64 random runs at once that are equal.
fn round_trip(bytes: &[u8], place: &str) {
    let mut terms = Terms::new();
    let system =
        read_bytes("aig", &mut terms, bytes).unwrap_or_else(|found| panic!("{place}: {}", found[0].message));
    let first = circuit(&mut terms, &system);
    for format in ["aag", "aig"] {
        let again = written(format, &mut terms, &system).expect("bits");
        let mut others = Terms::new();
        let second = read_bytes("aig", &mut others, &again).expect("what we wrote");
        assert_eq!(names(&terms, &system), names(&others, &second), "{place}");
        let second = circuit(&mut others, &second);
        assert_eq!(first.gates(), second.gates(), "{place}");
        let resets = |aig: &Aig| aig.latches().iter().map(|latch| latch.reset).collect::<Vec<_>>();
        assert_eq!(resets(&first), resets(&second), "{place}");
        let mut rng = Rng::new(bytes.len() as u64);
        let mut latches: Vec<u64> = first.latches().iter().map(|_| rng.next_u64()).collect();
        for step in 0..100 {
            let inputs: Vec<u64> = first.inputs().iter().map(|_| rng.next_u64()).collect();
            let (x, y) = (first.eval(&latches, &inputs), second.eval(&latches, &inputs));
            for (a, b) in first.roots().zip(second.roots()) {
                assert_eq!(word(&x, a), word(&y, b), "{place}: step {step}");
            }
            latches = first.latches().iter().map(|latch| word(&x, latch.next)).collect();
        }
    }
}

#[test]
fn both_forms_there_and_back() {
    round_trip(ALL.as_bytes(), "a text of this test");
    // A chain of gates that is as long as the file, in the wrong order.
    let count = 50_000;
    let mut text = format!("aag {} 1 0 0 {count} 1\n2\n{}\n", count + 1, 2 * (count + 1));
    for gate in (0..count).rev() {
        text += &format!("{} {} 2\n", 4 + 2 * gate, 3 + 2 * gate);
    }
    round_trip(text.as_bytes(), "a long chain");
}

#[test]
fn the_corpus_is_read_and_written() {
    for path in corpus_files("ts/aiger", &["aag", "aig"]) {
        round_trip(&std::fs::read(&path).expect("a file"), &path.display().to_string());
    }
}

/// Runs a circuit and the system that it is the circuit of, with the same inputs: all values, all bad states and constraints
/// are equal, and so they are in the circuit that is read from the file.
fn runs_alike(terms: &mut Terms, system: &System, form: &Functional, blasted: &Blasted, place: &str) {
    let steps = 100;
    let file = written("aig", terms, system).expect("bits");
    let mut others = Terms::new();
    let from_file = read_bytes("aig", &mut others, &file).expect("what we wrote");
    let second = circuit(&mut others, &from_file);

    let mut rng = Rng::new(steps as u64);
    let aig = &blasted.aig;
    let first: Vec<bool> = aig.latches().iter().map(|_| rng.below(2) == 1).collect();
    let inputs: Vec<Vec<bool>> =
        (0..steps).map(|_| aig.inputs().iter().map(|_| rng.below(3) == 1).collect()).collect();
    let run = aig.run(&first, &inputs);
    assert!(second.run(&first, &inputs) == run, "{place}: another run of the file");

    let trace = blasted.trace(terms, &run, None);
    let simulator = Simulator::new(terms, form);
    let found = simulator.run(terms, steps, |_, fun, step| trace.steps[step].get(fun).cloned());
    let found = found.unwrap_or_else(|error| panic!("{place}: {}", error.message(terms)));
    let mut evaluator = Evaluator::new(terms);
    for (step, (values, wanted)) in found.steps.iter().zip(&trace.steps).enumerate() {
        for &fun in simulator.variables() {
            assert!(values.get(fun) == wanted.get(fun), "{place}: {} in step {step}", terms.fun_name(fun));
        }
        if step % 16 != 0 {
            continue;
        }
        let words = |bits: &[bool]| bits.iter().map(|&bit| u64::from(bit)).collect::<Vec<_>>();
        let (latches, inputs) = (words(&run[step].latches), words(&run[step].inputs));
        let (nodes, again) = (aig.eval(&latches, &inputs), second.eval(&latches, &inputs));
        let mut values = values.clone();
        let invariants = form.properties.iter().filter(|p| matches!(p.kind, PropertyKind::Invariant(_)));
        for (position, property) in invariants.enumerate() {
            let held = evaluator.holds(property.formulas()[0], &mut values).expect("a truth");
            assert_eq!(
                word(&nodes, aig.bads[position]) & 1 == 0,
                held,
                "{place}: property {}",
                property.index
            );
            assert_eq!(
                word(&again, second.bads[position]) & 1 == 0,
                held,
                "{place}: property {}",
                property.index
            );
        }
        for (position, &constraint) in form.constraints.iter().enumerate() {
            let held = evaluator.holds(constraint, &mut values).expect("a truth");
            assert_eq!(word(&nodes, aig.constraints[position]) & 1 == 1, held, "{place}: a constraint");
            assert_eq!(word(&again, second.constraints[position]) & 1 == 1, held, "{place}: a constraint");
        }
    }
}

#[test]
fn words_and_bits_run_alike() {
    let (mut alike, mut large) = (0, 0);
    for path in corpus_files("ts/btor2", &["btor", "btor2"]) {
        let bytes = std::fs::read(&path).expect("a file");
        let mut terms = Terms::new();
        let system = read_bytes("btor2", &mut terms, &bytes).expect("a good file");
        let form = functional(&mut terms, &system, Initial::Literals);
        match bitblast(&terms, &form) {
            // Circuits of memories take minutes.
            Ok(blasted) if blasted.aig.gates() < 30_000 => {
                runs_alike(&mut terms, &system, &form, &blasted, &path.display().to_string());
                alike += 1;
            }
            _ => large += 1,
        }
    }
    assert!(alike >= large, "{alike} {large}");
}

#[test]
fn what_bits_cannot_express_is_named() {
    let mut terms = Terms::new();
    let system = read("btor2", &mut terms, "1 sort bitvec 32\n2 sort array 1 1\n3 state 2 memory\n");
    let error = written("aig", &mut terms, &system).expect_err("large");
    assert_eq!(
        error,
        "a value of more than 2^17 bits, of sort (Array (_ BitVec 32) (_ BitVec 32)) in `memory`, which AIGER cannot express"
    );
}
