//! Random systems: what engines and executions say of them, against trying everything.

use super::{ask, system};
use base::budget::Budget;
use engines::systems::execute::{Ended, Open, Settings, execute};
use smt::term::{TermId, Terms};
use testkit::Rng;

/// A random system over two small bit-vectors, a Boolean and an input.
pub(super) fn random(rng: &mut Rng) -> String {
    let number = |rng: &mut Rng| format!("#b{:02b}", rng.below(4));
    let value = |rng: &mut Rng| match rng.below(6) {
        0 => "x".to_owned(),
        1 => "y".to_owned(),
        2 => format!("(bvadd x {})", number(rng)),
        3 => "(bvadd y x)".to_owned(),
        4 => "i".to_owned(),
        _ => number(rng),
    };
    let atom = |rng: &mut Rng| match rng.below(4) {
        0 => "b".to_owned(),
        1 => format!("(= x {})", number(rng)),
        2 => format!("(bvult y {})", number(rng)),
        _ => "(bvule x y)".to_owned(),
    };
    let formula = |rng: &mut Rng| match rng.below(3) {
        0 => format!("(or {} {})", atom(rng), atom(rng)),
        1 => format!("(and {} (not {}))", atom(rng), atom(rng)),
        _ => atom(rng),
    };
    let mut text = "(declare-const x (_ BitVec 2))(declare-const x.next (_ BitVec 2))(declare-const y (_ BitVec 2))
(declare-const y.next (_ BitVec 2))(declare-const b Bool)(declare-const b.next Bool)(declare-const i (_ BitVec 2))\n"
        .to_owned();
    text += &format!("(define-fun init () Bool (and (= x {}) {}))\n", number(rng), formula(rng));
    let steps = [
        format!("(= x.next (ite {} {} {}))", atom(rng), value(rng), value(rng)),
        format!("(= y.next {})", value(rng)),
        format!("(= b.next {})", formula(rng)),
        format!("(or {} {})", formula(rng), formula(rng)),
    ];
    let left_out = rng.below(8);
    for (at, step) in steps.iter().enumerate().filter(|(at, _)| *at != left_out) {
        text += &format!("(define-fun trans{at} () Bool {step})\n");
    }
    if rng.one_in(3) {
        text += &format!("(define-fun invar () Bool (or (= i {}) {}))\n", number(rng), formula(rng));
    }
    for at in 0..rng.below(4) {
        text += &format!("(define-fun hint{at} () Bool (or (= i {}) {}))\n", number(rng), formula(rng));
        text += &format!("(define-fun hint{at}b () Bool {})\n", formula(rng));
    }
    text + &format!("(define-fun prop () Bool (or {} {}))\n", formula(rng), formula(rng))
}

/// The states and steps of a small system, by trying everything.
pub(super) struct Graph {
    /// The states that are reached.
    reached: Vec<u32>,
    /// Whether there is an input with which the state violates the property.
    bad: Vec<bool>,
    /// From, to, and whether the property can be violated on the way.
    steps: Vec<(u32, u32, bool)>,
}

pub(super) fn graph(text: &str) -> Graph {
    use smt::eval::{Assignment, Evaluator};
    use smt::value::Value;
    let mut terms = Terms::new();
    let system = system(&mut terms, text);
    let property = system.properties[0].formulas()[0];
    let state = |number: u32, next: bool, values: &mut Assignment| {
        for (at, state) in system.states.iter().enumerate() {
            let part = number >> (2 * at);
            let value = if at == 2 { Value::Bool(part & 1 == 1) } else { Value::bits(2, part & 3) };
            values.set(if next { state.next } else { state.now }, value);
        }
    };
    let mut evaluator = Evaluator::new(&terms);
    let mut all = |formulas: &[TermId], values: &mut Assignment| {
        formulas.iter().all(|&formula| evaluator.holds(formula, values).expect("a value"))
    };
    let with_input = |number: u32, input: u32| {
        let mut values = Assignment::new();
        state(number, false, &mut values);
        for &fun in &system.inputs {
            values.set(fun, Value::bits(2, input));
        }
        values
    };
    let possible: Vec<bool> =
        (0..32).map(|s| (0..4).any(|input| all(&system.invar, &mut with_input(s, input)))).collect();
    let initial = |s: &u32| possible[*s as usize];
    let mut reached: Vec<u32> = (0..32).filter(initial).collect();
    reached.retain(|&s| all(&system.init, &mut with_input(s, 0)));
    let (mut bad, mut steps, mut at) = (vec![false; 32], Vec::new(), 0);
    while at < reached.len() {
        let from = reached[at];
        at += 1;
        for input in 0..4 {
            let mut values = with_input(from, input);
            if !all(&system.invar, &mut values) {
                continue;
            }
            let violated = !all(&[property], &mut values);
            bad[from as usize] |= violated;
            for to in (0..32).filter(|&to| possible[to as usize]) {
                state(to, true, &mut values);
                if all(&system.trans, &mut values) {
                    steps.push((from, to, violated));
                    if !reached.contains(&to) {
                        reached.push(to);
                    }
                }
            }
        }
    }
    Graph { reached, bad, steps }
}

impl Graph {
    fn violates_invariant(&self) -> bool {
        self.reached.iter().any(|&state| self.bad[state as usize])
    }

    /// Whether some loop violates the property somewhere.
    pub(super) fn violates_live(&self) -> bool {
        self.steps.iter().any(|&(from, to, violated)| violated && self.leads(to, from))
    }

    fn leads(&self, from: u32, to: u32) -> bool {
        let (mut known, mut at) = (vec![from], 0);
        while at < known.len() {
            let here = known[at];
            for &(_, next, _) in self.steps.iter().filter(|step| step.0 == here) {
                if !known.contains(&next) {
                    known.push(next);
                }
            }
            at += 1;
        }
        known.contains(&to)
    }
}

/// What the engines say about random systems.
fn agree(count: usize, seed: u64, word: &str, engines: &[&str], violated: impl Fn(&Graph) -> bool) {
    let mut rng = Rng::new(seed);
    for _ in 0..count {
        let text = random(&mut rng).replace("(define-fun prop", &format!("(define-fun {word}"));
        let bad = violated(&graph(&text));
        // Some engines show violations only, or not every proof.
        for (at, engine) in engines.iter().enumerate().filter(|(at, _)| bad || *at == 0) {
            match ask(engine, &text) {
                Ok(holds) => assert_eq!(holds, !bad, "{engine}: {text}"),
                Err(reason) => panic!("{at}: {engine}: {reason}: {text}"),
            }
        }
    }
}

#[test]
fn invariants_of_random_systems() {
    agree(60, 7, "prop", &["ic3ia", "bmc", "kinduction", "pdr"], Graph::violates_invariant);
}

#[test]
fn circuits_of_random_systems() {
    agree(200, 9, "prop", &["pdr", "bmc-bits", "random-bits"], Graph::violates_invariant);
    agree(200, 10, "prop", &["explicit-bits"], Graph::violates_invariant);
}

#[test]
fn live_properties_of_random_systems() {
    agree(25, 8, "live", &["liveness", "lasso"], Graph::violates_live);
}

/// Not every system that satisfies its property is proved by way of a program, but no other one is, and most are.
#[test]
fn random_systems_as_programs() {
    let mut rng = Rng::new(11);
    let (mut proved, mut all) = (0, 0);
    for _ in 0..60 {
        let text = random(&mut rng);
        let bad = graph(&text).violates_invariant();
        let found = ["flow-houdini", "flow-kinduction", "flow-spacer"].map(|engine| ask(engine, &text));
        assert!(!found.contains(&Ok(false)), "{text}");
        assert!(!bad || !found.contains(&Ok(true)), "{text}");
        all += usize::from(!bad);
        proved += usize::from(found.contains(&Ok(true)));
    }
    assert!(all > 10 && proved * 10 >= all * 9, "{proved} of {all}");
}

/// Drawn executions are executions, a violation is one, and where one is told to be stuck some state has no successor.
#[test]
fn random_executions() {
    let mut rng = Rng::new(23);
    let (mut violated, mut stuck, mut done) = (0, 0, 0);
    for seed in 0..150 {
        let text = random(&mut rng);
        let (graph, mut terms) = (graph(&text), Terms::new());
        let system = system(&mut terms, &text);
        let open = Open::of(&mut terms, &system);
        let settings = Settings { seed, given: None, steps: 6, solver: "z3", budget: Budget::unlimited() };
        let (trace, ended) = execute(&mut terms, &system, &open, &settings).expect("it runs");
        if let Ended::NoStart(_) = ended {
            assert!(graph.reached.is_empty(), "{text}");
            continue;
        }
        assert_eq!(trace.is_execution(&terms, &system), Ok(()), "{text}");
        match ended {
            Ended::Violated(index) => {
                let property = system.property(index).expect("there");
                assert_eq!(trace.check(&terms, &system, property), Ok(()), "{text}");
                assert!(graph.violates_invariant(), "{text}");
                violated += 1;
            }
            Ended::Stuck(_) => {
                let goes_on = |state: &u32| graph.steps.iter().any(|step| step.0 == *state);
                assert!(!graph.reached.iter().all(goes_on), "{text}");
                stuck += 1;
            }
            _ => {
                assert_eq!(trace.steps.len(), 6);
                done += 1;
            }
        }
    }
    assert!(violated > 10 && stuck > 0 && done > 10, "{violated} violated, {stuck} stuck, {done} done");
}
