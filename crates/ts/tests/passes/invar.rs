//! Folding `invar` into the rest keeps the truth of invariant properties, in the last step of an execution too.

use crate::finite::{Circuit, random_formula, random_system};
use rustc_hash::FxHashSet;
use smt::subst::functions;
use smt::term::{FunId, TermId, Terms};
use testkit::Rng;
use ts::passes::invar::without_invar;
use ts::{Property, PropertyKind, System};

/// True when some execution violates the first property.
fn violated(terms: &Terms, system: &System) -> bool {
    let PropertyKind::Invariant(property) = system.properties[0].kind else { panic!("not an invariant") };
    let mut symbols: Vec<FunId> = system.states.iter().map(|state| state.now).collect();
    symbols.extend(&system.inputs);
    let (states, width) = (system.states.len(), symbols.len());
    symbols.extend(system.states.iter().map(|state| state.next));
    let roots: Vec<TermId> = system.formulas().collect();
    let circuit = Circuit::new(terms, &roots, &symbols);
    let mut values = Vec::new();
    let mut holds = |bits: u64, formulas: &[TermId]| {
        circuit.run(bits, &mut values);
        formulas.iter().all(|&formula| circuit.value(&values, formula))
    };
    let (mut seen, mut todo) = (FxHashSet::default(), Vec::new());
    for state in 0..1u64 << states {
        if holds(state, &system.init) && seen.insert(state) {
            todo.push(state);
        }
    }
    while let Some(state) = todo.pop() {
        for inputs in 0..1u64 << system.inputs.len() {
            let step = state | inputs << states;
            if !holds(step, &system.invar) {
                continue;
            }
            if !holds(step, &[property]) {
                return true;
            }
            for next in 0..1u64 << states {
                if holds(step | next << width, &system.trans) && seen.insert(next) {
                    todo.push(next);
                }
            }
        }
    }
    false
}

#[test]
fn invariants_keep_their_truth() {
    let (mut both, mut with_inputs) = ([0, 0], 0);
    for seed in 0..2000 {
        let (mut terms, mut rng) = (Terms::new(), Rng::new(seed));
        let mut system = random_system(&mut terms, &mut rng);
        let mut step: Vec<FunId> = system.states.iter().map(|state| state.now).collect();
        step.extend(&system.inputs);
        system.invar.push(random_formula(&mut terms, &mut rng, &step, 2));
        let kind = PropertyKind::Invariant(random_formula(&mut terms, &mut rng, &step, 2));
        system.properties.push(Property { index: 0, name: None, kind });
        let folded = without_invar(&mut terms, &system);
        assert_eq!(ts::verify(&terms, &folded), []);
        assert!(folded.invar.is_empty());
        let truth = violated(&terms, &system);
        assert_eq!(violated(&terms, &folded), truth, "seed {seed}: {system:?}");
        both[usize::from(truth)] += 1;
        let speaks =
            |formula: &TermId| functions(&terms, *formula).iter().any(|fun| system.inputs.contains(fun));
        with_inputs += u32::from(system.invar.iter().any(speaks));
    }
    assert!(both[0] > 200 && both[1] > 200 && with_inputs > 200, "{both:?} {with_inputs}");
}
