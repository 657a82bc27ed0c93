//! The law of liveness to safety: on random finite systems an invariant is violated if and only if an exhaustive search
//! finds an execution that violates the live property, or the LTL formula, in whose place it stands.

use crate::finite::{Graph, random_formula, random_system};
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{FunId, TermId, Terms};
use testkit::Rng;
use ts::passes::safety::{Unsupported, safety};
use ts::{Property, PropertyKind};

fn property(index: u64, kind: PropertyKind) -> Property {
    Property { index, name: None, kind }
}

#[test]
fn invariants_have_the_truth_of_live_properties() {
    let (mut violated, count) = (0, 1_500);
    for seed in 0..count {
        let (mut terms, mut rng) = (Terms::new(), Rng::new(seed));
        let mut system = random_system(&mut terms, &mut rng);
        let step: Vec<FunId> =
            system.states.iter().map(|state| state.now).chain(system.inputs.iter().copied()).collect();
        let formulas: Vec<TermId> =
            (0..1 + rng.below(2)).map(|_| random_formula(&mut terms, &mut rng, &step, 2)).collect();
        let states = system.states.len();
        let expected = Graph::new(&terms, &system, states, &formulas).lasso(formulas.len()).is_some();
        let kept = property(3, PropertyKind::Invariant(formulas[0]));
        system.properties = vec![kept.clone(), property(7, PropertyKind::Live(formulas))];
        let made = safety(&mut terms, &system).expect("there are finitely many states").system;
        assert_eq!(ts::verify(&terms, &made), []);
        assert_eq!((&made.properties[0], made.properties[1].index), (&kept, 7));
        let PropertyKind::Invariant(formula) = made.properties[1].kind else { panic!("no invariant") };
        let found = Graph::new(&terms, &made, states, &[formula]).is_violated();
        assert_eq!(found, expected, "seed {seed}: {system:?}");
        violated += u64::from(found);
    }
    assert!(violated * 5 > count && violated * 5 < 4 * count, "{violated} of {count} are violated");
}

#[test]
fn all_properties_become_invariants_each_by_itself() {
    // A bit that changes in every step: it is up again and again, so both properties that deny it are violated.
    let mut terms = Terms::new();
    let mut system = ts::System::default();
    let bit = system.add_state(&mut terms, "bit", SortId::BOOL);
    let (now, next) = (terms.constant_term(bit.now), terms.constant_term(bit.next));
    let (down, other) = (terms.not(now), terms.not(next));
    system.init.push(down);
    system.trans.push(terms.app(Op::Eq, &[now, other]).expect("Boolean"));
    let finally = terms.app(Op::LtlFinally, &[now]).expect("Boolean");
    let globally = terms.app(Op::LtlGlobally, &[down]).expect("Boolean");
    let kinds = [PropertyKind::Live(vec![down]), PropertyKind::Ltl(finally), PropertyKind::Ltl(globally)];
    system.properties = kinds.into_iter().zip(0..).map(|(kind, index)| property(index, kind)).collect();
    let single: Vec<bool> = (0..3)
        .map(|index| {
            let alone = ts::System { properties: vec![system.properties[index].clone()], ..system.clone() };
            let made = safety(&mut terms, &alone).expect("there are finitely many states").system;
            let PropertyKind::Invariant(formula) = made.properties[0].kind else { panic!("no invariant") };
            Graph::new(&terms, &made, 1, &[formula]).is_violated()
        })
        .collect();
    assert_eq!(single, [true, false, true]);
    let made = safety(&mut terms, &system).expect("there are finitely many states").system;
    let indices: Vec<u64> = made.properties.iter().map(|property| property.index).collect();
    assert_eq!((indices, ts::verify(&terms, &made)), (vec![0, 1, 2], vec![]));
    assert!(made.properties.iter().all(|property| matches!(property.kind, PropertyKind::Invariant(_))));
}

#[test]
fn infinitely_many_states_are_refused() {
    let mut terms = Terms::new();
    let mut system = ts::System::default();
    let number = system.add_state(&mut terms, "n", SortId::INT);
    system.properties.push(property(4, PropertyKind::Live(vec![TermId::FALSE])));
    let refused = safety(&mut terms, &system).expect_err("numbers need not repeat");
    assert_eq!(refused, Unsupported::Infinite(4, number.now));
    assert!(refused.message(&terms).contains("`n` of sort Int"), "{}", refused.message(&terms));
    system.properties[0].kind = PropertyKind::Invariant(TermId::FALSE);
    assert!(safety(&mut terms, &system).is_ok(), "invariants stay what they are");
}
