//! A smaller system has the truth of the system, and what is found about it goes back: on random systems with variables that
//! never change, that follow each other and that decide nothing, each searched exhaustively.

use crate::finite::{Circuit, random_formula};
use rustc_hash::FxHashMap;
use smt::eval::Assignment;
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;
use testkit::Rng;
use ts::passes::smaller::smaller;
use ts::{Certificate, Property, PropertyKind, System, Trace};

/// Most next values are functions, some are those of another variable, some variables are related or free.
fn random_system(terms: &mut Terms, rng: &mut Rng) -> System {
    let mut system = System::default();
    for i in 0..5 {
        system.add_state(terms, &format!("s{i}"), SortId::BOOL);
    }
    for i in 0..2 {
        system.add_input(terms, &format!("i{i}"), SortId::BOOL);
    }
    let now: Vec<FunId> = system.states.iter().map(|state| state.now).collect();
    let step: Vec<FunId> = now.iter().chain(&system.inputs).copied().collect();
    let mut last = TermId::TRUE;
    for (i, state) in system.states.clone().into_iter().enumerate() {
        let (symbol, next) = (terms.constant_term(state.now), terms.constant_term(state.next));
        match rng.below(6) {
            0 => {}
            1 if i > 0 => {
                let other = random_formula(terms, rng, &now[..i], 1);
                system.init.push(terms.app(Op::Eq, &[symbol, other]).expect("Boolean"));
            }
            2 => system.init.push(symbol),
            _ => system.init.push(terms.not(symbol)),
        }
        let value = match rng.below(8) {
            0 => continue,
            1 => symbol,
            2 | 3 => last,
            4 => terms.and(&[symbol, last]),
            _ => random_formula(terms, rng, &step, 2),
        };
        last = value;
        system.trans.push(terms.app(Op::Eq, &[next, value]).expect("Boolean"));
    }
    let both: Vec<FunId> = step.iter().copied().chain(system.states.iter().map(|state| state.next)).collect();
    for (list, symbols) in [(&mut system.trans, &both), (&mut system.invar, &step), (&mut system.init, &now)]
    {
        if rng.below(6) == 0 {
            list.push(random_formula(terms, rng, symbols, 1));
        }
    }
    let kind = PropertyKind::Invariant(random_formula(terms, rng, &step[..6], 2));
    system.properties.push(Property { index: 0, name: None, kind });
    system
}

/// A system over Booleans, with states and inputs as numbers.
struct Search<'a> {
    system: &'a System,
    circuit: Circuit,
    values: Vec<bool>,
}

impl<'a> Search<'a> {
    fn new(terms: &Terms, system: &'a System, more: &[TermId]) -> Search<'a> {
        let mut symbols: Vec<FunId> = system.states.iter().map(|state| state.now).collect();
        symbols.extend(&system.inputs);
        symbols.extend(system.states.iter().map(|state| state.next));
        let roots: Vec<TermId> = system.formulas().chain(more.iter().copied()).collect();
        Search { system, circuit: Circuit::new(terms, &roots, &symbols), values: Vec::new() }
    }

    fn holds(&mut self, bits: u64, formulas: &[TermId]) -> bool {
        self.circuit.run(bits, &mut self.values);
        formulas.iter().all(|&formula| self.circuit.value(&self.values, formula))
    }

    /// The reachable states with a step that leads there, and the bad step if there is one.
    fn explore(&mut self) -> (FxHashMap<u64, Option<u64>>, Option<u64>) {
        let (states, inputs) = (self.system.states.len(), self.system.inputs.len());
        let mut from: FxHashMap<u64, Option<u64>> = FxHashMap::default();
        let firsts: Vec<u64> =
            (0..1u64 << states).filter(|&state| self.holds(state, &self.system.init)).collect();
        from.extend(firsts.iter().map(|&state| (state, None)));
        let (mut todo, mut bad) = (firsts, None);
        while let Some(state) = todo.pop() {
            for step in (0..1u64 << inputs).map(|input| state | input << states) {
                if !self.holds(step, &self.system.invar) {
                    continue;
                }
                if !self.holds(step, self.system.properties[0].formulas()) {
                    bad = Some(step);
                }
                for next in 0..1u64 << states {
                    let pair = step | next << (states + inputs);
                    if self.holds(pair, &self.system.trans) && !from.contains_key(&next) {
                        from.insert(next, Some(step));
                        todo.push(next);
                    }
                }
            }
        }
        (from, bad)
    }
}

/// The execution up to a bad step.
fn trace(system: &System, from: &FxHashMap<u64, Option<u64>>, bad: u64) -> Trace {
    let states = system.states.len();
    let mut steps = vec![bad];
    while let Some(&Some(before)) = from.get(&(steps[steps.len() - 1] & ((1 << states) - 1))) {
        steps.push(before);
    }
    let symbols: Vec<FunId> =
        system.states.iter().map(|state| state.now).chain(system.inputs.iter().copied()).collect();
    let values = |bits: &u64| {
        let mut values = Assignment::new();
        for (i, &fun) in symbols.iter().enumerate() {
            values.set(fun, Value::Bool(bits >> i & 1 == 1));
        }
        values
    };
    Trace { steps: steps.iter().rev().map(values).collect(), ..Trace::default() }
}

/// The formula of some states.
fn formula(terms: &mut Terms, system: &System, states: impl Iterator<Item = u64>) -> TermId {
    let mut cases = Vec::new();
    for bits in states {
        let mut lits = Vec::new();
        for (i, state) in system.states.iter().enumerate() {
            let symbol = terms.constant_term(state.now);
            lits.push(if bits >> i & 1 == 1 { symbol } else { terms.not(symbol) });
        }
        cases.push(terms.and(&lits));
    }
    terms.or(&cases)
}

/// True when the formula holds at first, is kept by every step, and implies the property.
fn is_inductive(terms: &Terms, system: &System, invariant: TermId) -> bool {
    let mut search = Search::new(terms, system, &[invariant]);
    let (states, inputs) = (system.states.len(), system.inputs.len());
    (0..1u64 << (states + inputs)).all(|step| {
        let state = step & ((1 << states) - 1);
        let known = search.holds(step, &system.invar);
        let starts = !known || !search.holds(state, &system.init) || search.holds(state, &[invariant]);
        if !known || !search.holds(state, &[invariant]) {
            return starts;
        }
        let keeps = (0..1u64 << states).all(|next| {
            !search.holds(step | next << (states + inputs), &system.trans)
                // The invariant is asked of the next step only if that is one.
                || (0..1u64 << inputs).all(|input| !search.holds(next | input << states, &system.invar))
                || search.holds(next, &[invariant])
        });
        starts && keeps && search.holds(step, system.properties[0].formulas())
    })
}

#[test]
fn verdicts_stay_and_evidence_goes_back() {
    let (mut verdicts, mut less) = ([0, 0], 0);
    for seed in 0..3000 {
        let (mut terms, mut rng) = (Terms::new(), Rng::new(seed));
        let system = random_system(&mut terms, &mut rng);
        assert_eq!(ts::verify(&terms, &system), []);
        let Some(made) = smaller(&mut terms, &system) else { continue };
        let small = made.system(&system).clone();
        assert_eq!(ts::verify(&terms, &small), [], "seed {seed}");
        assert!(small.states.len() < system.states.len(), "seed {seed}");
        less += system.states.len() - small.states.len();
        let truth = Search::new(&terms, &system, &[]).explore().1.is_none();
        let (from, bad) = Search::new(&terms, &small, &[]).explore();
        assert_eq!(bad.is_none(), truth, "seed {seed}: {system:?}");
        verdicts[usize::from(truth)] += 1;
        if let Some(bad) = bad {
            let found = trace(&small, &from, bad);
            let back = made.trace(&mut terms, &found).expect("a way back");
            assert_eq!(back.check(&terms, &system, &system.properties[0]), Ok(()), "seed {seed}");
            continue;
        }
        let mut states: Vec<u64> = from.into_keys().collect();
        states.sort_unstable();
        let invariant = formula(&mut terms, &small, states.into_iter());
        let back = made.certificate(&mut terms, Certificate::inductive(invariant)).expect("a way back");
        assert!(is_inductive(&terms, &system, back.invariant), "seed {seed}: {system:?}");
    }
    assert!(verdicts[0] > 300 && verdicts[1] > 300 && less > 2000, "{verdicts:?} {less}");
}

/// A system over integers from its VMT-like parts: sorts, first and next values.
fn counters(terms: &mut Terms, values: &[(&str, i32, &str)]) -> System {
    let mut system = System::default();
    for (name, _, _) in values {
        system.add_state(terms, name, SortId::INT);
    }
    let find = |name: &str| values.iter().position(|value| value.0 == name);
    for (i, (_, first, next)) in values.iter().enumerate() {
        let (state, first) = (system.states[i], terms.int(*first));
        let now = terms.constant_term(state.now);
        system.init.push(terms.app(Op::Eq, &[now, first]).expect("integers"));
        let sum: Vec<TermId> = next
            .split('+')
            .map(|word| match find(word) {
                Some(other) => terms.constant_term(system.states[other].now),
                None => terms.int(word.parse::<i32>().expect("a number")),
            })
            .collect();
        let sum = if sum.len() == 1 { sum[0] } else { terms.app(Op::Add, &sum).expect("integers") };
        let after = terms.constant_term(state.next);
        system.trans.push(terms.app(Op::Eq, &[after, sum]).expect("integers"));
    }
    let (first, ten) = (terms.constant_term(system.states[0].now), terms.int(10));
    let formula = terms.app(Op::Le, &[first, ten]).expect("integers");
    system.properties.push(Property { index: 0, name: None, kind: PropertyKind::Invariant(formula) });
    system
}

#[test]
fn known_variables_are_left_out() {
    let left = |values: &[(&str, i32, &str)]| {
        let mut terms = Terms::new();
        let system = counters(&mut terms, values);
        let made = smaller(&mut terms, &system);
        let system = made.as_ref().map_or(&system, |made| made.system(&system));
        system.states.iter().map(|state| terms.fun_name(state.now).to_owned()).collect::<Vec<_>>().join(" ")
    };
    // A constant through another one, and one that is none because what it follows is none.
    assert_eq!(left(&[("x", 0, "x+c+d"), ("c", 1, "c"), ("d", 2, "c+1"), ("e", 0, "x")]), "x");
    assert_eq!(left(&[("x", 0, "x+c"), ("c", 1, "d"), ("d", 1, "e"), ("e", 1, "e+1")]), "x c d e");
    // Two counters that run together, and two that do not.
    assert_eq!(left(&[("x", 0, "y+1"), ("y", 0, "x+1")]), "x");
    assert_eq!(left(&[("x", 0, "y+1"), ("y", 1, "x+1")]), "x y");
    // What the property does not depend on.
    assert_eq!(left(&[("x", 0, "x+1"), ("y", 0, "x+y")]), "x");
}

#[test]
fn a_long_chain_is_looked_at_once_for_each_link_at_most() {
    let names: Vec<String> = (0..400).map(|i| format!("v{i}")).collect();
    let values: Vec<(&str, i32, &str)> =
        (0..400).map(|i| (&*names[i], 7, if i < 399 { &*names[i + 1] } else { "v399+1" })).collect();
    let mut terms = Terms::new();
    let system = counters(&mut terms, &values);
    // None of them is a constant, and no two are always equal.
    assert!(smaller(&mut terms, &system).is_none());
}
