//! The functional form has the same executions: compared one by one on small random systems, and its invariants go back.

use dashu_int::UBig;
use smt::eval::{Assignment, Evaluator};
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;
use std::collections::BTreeSet;
use testkit::Rng;
use ts::passes::functional::{Initial, functional};
use ts::{Property, PropertyKind, System, Trace};

/// Random terms over some constants of two sorts.
struct Random<'a> {
    terms: &'a mut Terms,
    rng: &'a mut Rng,
}

impl Random<'_> {
    fn pick(&mut self, from: &[FunId], sort: SortId) -> Option<TermId> {
        let fitting: Vec<FunId> =
            from.iter().copied().filter(|&fun| self.terms.fun(fun).result == sort).collect();
        (!fitting.is_empty()).then(|| {
            let fun = fitting[self.rng.below(fitting.len())];
            self.terms.constant_term(fun)
        })
    }

    fn bits(&mut self, from: &[FunId], depth: usize) -> TermId {
        let sort = self.terms.sorts.bit_vec(2);
        let leaf = self.pick(from, sort).filter(|_| self.rng.below(4) > 0);
        if depth == 0 || self.rng.below(3) == 0 {
            return leaf.unwrap_or_else(|| self.terms.bits(2, UBig::from(self.rng.below(4))));
        }
        let op = [Op::BvAdd, Op::BvAnd, Op::BvXor, Op::BvSub][self.rng.below(4)];
        let args = [self.bits(from, depth - 1), self.bits(from, depth - 1)];
        self.terms.app(op, &args).expect("well-sorted")
    }

    fn truth(&mut self, from: &[FunId], depth: usize) -> TermId {
        if depth > 0 && self.rng.below(2) == 0 {
            let op = [Op::And, Op::Or, Op::Xor, Op::Implies][self.rng.below(4)];
            let args = [self.truth(from, depth - 1), self.truth(from, depth - 1)];
            return self.terms.app(op, &args).expect("well-sorted");
        }
        if let Some(leaf) = self.pick(from, SortId::BOOL).filter(|_| self.rng.below(2) == 0) {
            return if self.rng.below(2) == 0 { leaf } else { self.terms.not(leaf) };
        }
        let op = [Op::Eq, Op::BvUlt, Op::BvSle][self.rng.below(3)];
        let args = [self.bits(from, 1), self.bits(from, 1)];
        self.terms.app(op, &args).expect("well-sorted")
    }

    fn equation(&mut self, of: FunId, from: &[FunId]) -> TermId {
        let left = self.terms.constant_term(of);
        let right = match self.terms.fun(of).result {
            SortId::BOOL => self.truth(from, 1),
            _ => self.bits(from, 2),
        };
        let sides = if self.rng.below(2) == 0 { [left, right] } else { [right, left] };
        self.terms.app(Op::Eq, &sides).expect("well-sorted")
    }
}

fn random_system(terms: &mut Terms, rng: &mut Rng) -> System {
    let mut system = System::default();
    let two = terms.sorts.bit_vec(2);
    for (name, sort) in [("x", two), ("q", SortId::BOOL), ("p", SortId::BOOL)] {
        system.add_state(terms, name, sort);
    }
    system.add_input(terms, "i", SortId::BOOL);
    if rng.below(2) == 0 {
        system.add_rigid(terms, "r", SortId::BOOL);
    }
    let now: Vec<FunId> = system.states.iter().map(|state| state.now).chain(system.rigid.clone()).collect();
    let step: Vec<FunId> = now.iter().copied().chain(system.inputs.clone()).collect();
    let both: Vec<FunId> = step.iter().copied().chain(system.states.iter().map(|state| state.next)).collect();
    let mut random = Random { terms, rng };
    for state in system.states.clone() {
        match random.rng.below(4) {
            0 => system.init.push(random.equation(state.now, &now)),
            1 => system.init.push(random.equation(state.now, &[])),
            _ => {}
        }
        match random.rng.below(5) {
            0 => system.trans.push(random.equation(state.next, &both)),
            1 | 2 => system.trans.push(random.equation(state.next, &step)),
            _ => {}
        }
    }
    if random.rng.below(2) == 0 {
        system.init.push(random.truth(&now, 2));
    }
    if random.rng.below(2) == 0 {
        system.trans.push(random.truth(&both, 2));
    }
    if random.rng.below(3) == 0 {
        system.invar.push(random.truth(&step, 1));
    }
    let formula = random.truth(&step, 1);
    system.properties.push(Property { index: 0, name: None, kind: PropertyKind::Invariant(formula) });
    assert!(ts::verify(terms, &system).is_empty());
    system
}

/// All combinations of values of some constants.
fn combinations(terms: &Terms, funs: &[FunId]) -> Vec<Vec<(FunId, Value)>> {
    let mut all = vec![Vec::new()];
    for &fun in funs {
        let values: Vec<Value> = match terms.fun(fun).result {
            SortId::BOOL => vec![Value::Bool(false), Value::Bool(true)],
            _ => (0..4u8).map(|value| Value::bits(2, value)).collect(),
        };
        all = all
            .into_iter()
            .flat_map(|row: Vec<(FunId, Value)>| {
                values.iter().map(move |value| row.iter().cloned().chain([(fun, value.clone())]).collect())
            })
            .collect();
    }
    all
}

/// True when trying all values of all variables would take long.
fn is_large(terms: &Terms, system: &System) -> bool {
    let variables = system.states.iter().map(|state| state.now).chain(system.inputs.clone());
    let bits: u32 = variables.map(|fun| terms.sorts.width(terms.fun(fun).result).unwrap_or(1)).sum();
    bits > 7
}

fn assignment(row: &[(FunId, Value)]) -> Assignment {
    let mut found = Assignment::new();
    for (fun, value) in row {
        found.set(*fun, value.clone());
    }
    found
}

type Row = Vec<String>;

/// The executions of three steps, each as the values of `shown` in each step, together with whether the last step satisfies
/// the property.
fn executions(terms: &Terms, system: &System, shown: &[FunId]) -> BTreeSet<(Vec<Row>, bool)> {
    let mut evaluator = Evaluator::new(terms);
    let PropertyKind::Invariant(property) = system.properties[0].kind else { panic!("an invariant") };
    let variables: Vec<FunId> =
        system.states.iter().map(|state| state.now).chain(system.inputs.clone()).collect();
    let mut found = BTreeSet::new();
    for rigid in combinations(terms, &system.rigid) {
        let rows = combinations(terms, &variables);
        let steps: Vec<Vec<(FunId, Value)>> = rows
            .into_iter()
            .map(|row| row.into_iter().chain(rigid.clone()).collect::<Vec<_>>())
            .filter(|row| {
                let mut values = assignment(row);
                system.invar.iter().all(|&formula| evaluator.holds(formula, &mut values).expect("a truth"))
            })
            .collect();
        let mut paths: BTreeSet<(Vec<Row>, usize)> = BTreeSet::new();
        let row =
            |values: &Assignment| shown.iter().map(|fun| format!("{:?}", values.get(*fun))).collect::<Row>();
        for (i, step) in steps.iter().enumerate() {
            let mut values = assignment(step);
            if system.init.iter().all(|&formula| evaluator.holds(formula, &mut values).expect("a truth")) {
                paths.insert((vec![row(&values)], i));
            }
        }
        let mut edges: Vec<Vec<usize>> = Vec::new();
        for step in &steps {
            let mut row = Vec::new();
            for (j, next) in steps.iter().enumerate() {
                let mut values = assignment(step);
                let after = assignment(next);
                for state in &system.states {
                    values.set(state.next, after.get(state.now).expect("a value").clone());
                }
                if system.trans.iter().all(|&formula| evaluator.holds(formula, &mut values).expect("a truth"))
                {
                    row.push(j);
                }
            }
            edges.push(row);
        }
        for _ in 0..3 {
            let mut longer = BTreeSet::new();
            for (path, end) in paths {
                let mut values = assignment(&steps[end]);
                found.insert((path.clone(), evaluator.holds(property, &mut values).expect("a truth")));
                for &next in &edges[end] {
                    let mut path = path.clone();
                    path.push(row(&assignment(&steps[next])));
                    longer.insert((path, next));
                }
            }
            paths = longer;
        }
    }
    found
}

#[test]
fn executions_are_the_same() {
    let mut rng = Rng::new(11);
    let mut kinds = [0; 3];
    for _ in 0..80 {
        let mut terms = Terms::new();
        let system = random_system(&mut terms, &mut rng);
        let initial = if rng.below(2) == 0 { Initial::Terms } else { Initial::Literals };
        let made = functional(&mut terms, &system, initial);
        let again = made.to_system(&mut terms, &system);
        assert!(ts::verify(&terms, &again).is_empty());
        if is_large(&terms, &again) {
            kinds[2] += 1;
            continue;
        }
        kinds[usize::from(again.states.len() > system.states.len())] += 1;
        let shown: Vec<FunId> =
            system.states.iter().map(|state| state.now).chain(system.rigid.clone()).collect();
        let (before, after) = (executions(&terms, &system, &shown), executions(&terms, &again, &shown));
        assert!(before == after, "{system:?}\n{again:?}");
    }
    assert!(kinds[0] > 5 && kinds[1] > 5, "{kinds:?}");
}

/// `x` counts up to three and stops there: the last step has no successor and still counts.
#[test]
fn a_step_without_successor_is_a_step() {
    let mut terms = Terms::new();
    let mut system = System::default();
    let two = terms.sorts.bit_vec(2);
    let x = system.add_state(&mut terms, "x", two);
    let (now, next) = (terms.constant_term(x.now), terms.constant_term(x.next));
    let (zero, three) = (terms.bits(2, UBig::ZERO), terms.bits(2, UBig::from(3u8)));
    system.init.push(terms.app(Op::Eq, &[now, zero]).expect("sorts"));
    system.trans.push(terms.app(Op::BvUgt, &[next, now]).expect("sorts"));
    let reached = terms.app(Op::Eq, &[now, three]).expect("sorts");
    let kind = PropertyKind::Invariant(terms.not(reached));
    system.properties.push(Property { index: 0, name: None, kind });
    let made = functional(&mut terms, &system, Initial::Literals);
    assert_eq!((made.registers.len(), made.inputs.len(), made.constraints.len()), (2, 1, 1));
    let functional_system = made.to_system(&mut terms, &system);
    let mut trace = Trace::default();
    for (x_value, input) in [(0u8, 1u8), (1, 3), (3, 0)] {
        let mut step = Assignment::new();
        step.set(x.now, Value::bits(2, x_value));
        step.set(made.inputs[0], Value::bits(2, input));
        step.set(made.registers[1].state, Value::Bool(true));
        trace.steps.push(step);
    }
    assert_eq!(trace.check(&terms, &functional_system, &functional_system.properties[0]), Ok(()));
    let back = made.trace(&mut terms, &system, &trace);
    assert_eq!(back.check(&terms, &system, &system.properties[0]), Ok(()));
}

/// The reachable states of the form, as an invariant, are one of the system after the way back.
#[test]
fn invariants_go_back() {
    let mut rng = Rng::new(5);
    let mut with_first = 0;
    for _ in 0..40 {
        let mut terms = Terms::new();
        let mut system = random_system(&mut terms, &mut rng);
        system.rigid.clear();
        if !ts::verify(&terms, &system).is_empty() {
            continue;
        }
        let made = functional(&mut terms, &system, Initial::Literals);
        let again = made.to_system(&mut terms, &system);
        if is_large(&terms, &again) {
            continue;
        }
        with_first += usize::from(again.states.len() > system.states.len());
        let invariant = reachable(&mut terms, &again);
        let back = made.invariant(&mut terms, invariant);
        assert!(is_inductive(&terms, &system, back), "{system:?}");
    }
    assert!(with_first > 3);
}

fn conjunction(terms: &mut Terms, row: &[(FunId, Value)]) -> TermId {
    let mut all = Vec::new();
    for (fun, value) in row {
        let (symbol, value) = (terms.constant_term(*fun), value.to_term(terms));
        all.push(terms.app(Op::Eq, &[symbol, value]).expect("sorts"));
    }
    terms.and(&all)
}

fn reachable(terms: &mut Terms, system: &System) -> TermId {
    let states: Vec<FunId> = system.states.iter().map(|state| state.now).collect();
    let all = combinations(terms, &states);
    let inputs = combinations(terms, &system.inputs);
    let mut known = vec![false; all.len()];
    let mut evaluator = Evaluator::new(terms);
    let mut holds = |formulas: &[TermId], values: &mut Assignment| {
        formulas.iter().all(|&formula| evaluator.holds(formula, values).expect("a truth"))
    };
    let allowed: Vec<Vec<&Vec<(FunId, Value)>>> = all
        .iter()
        .map(|row| {
            let good = |input: &&Vec<(FunId, Value)>| {
                holds(&system.invar, &mut assignment(&[row.clone(), input.to_vec()].concat()))
            };
            inputs.iter().filter(good).collect()
        })
        .collect();
    let mut todo = Vec::new();
    for (i, row) in all.iter().enumerate() {
        if !allowed[i].is_empty() && holds(&system.init, &mut assignment(row)) {
            known[i] = true;
            todo.push(i);
        }
    }
    while let Some(i) = todo.pop() {
        for input in &allowed[i] {
            for (j, row) in all.iter().enumerate() {
                if known[j] || allowed[j].is_empty() {
                    continue;
                }
                let mut values = assignment(&[all[i].clone(), input.to_vec()].concat());
                for (state, (_, value)) in system.states.iter().zip(row) {
                    values.set(state.next, value.clone());
                }
                if holds(&system.trans, &mut values) {
                    known[j] = true;
                    todo.push(j);
                }
            }
        }
    }
    let rows: Vec<TermId> =
        all.iter().zip(&known).filter(|(_, known)| **known).map(|(row, _)| conjunction(terms, row)).collect();
    terms.or(&rows)
}

fn is_inductive(terms: &Terms, system: &System, invariant: TermId) -> bool {
    let states: Vec<FunId> = system.states.iter().map(|state| state.now).collect();
    let all = combinations(terms, &states);
    let inputs = combinations(terms, &system.inputs);
    let mut evaluator = Evaluator::new(terms);
    let mut holds = |formulas: &[TermId], values: &mut Assignment| {
        formulas.iter().all(|&formula| evaluator.holds(formula, values).expect("a truth"))
    };
    for row in &all {
        for input in &inputs {
            let both = [row.clone(), input.clone()].concat();
            if !holds(&system.invar, &mut assignment(&both)) {
                continue;
            }
            let inside = holds(&[invariant], &mut assignment(row));
            if !inside && holds(&system.init, &mut assignment(row)) {
                return false;
            }
            for after in all.iter().filter(|_| inside) {
                let mut values = assignment(&both);
                for (state, (_, value)) in system.states.iter().zip(after) {
                    values.set(state.next, value.clone());
                }
                let can = inputs.iter().any(|input| {
                    holds(&system.invar, &mut assignment(&[after.clone(), input.clone()].concat()))
                });
                if can && holds(&system.trans, &mut values) && !holds(&[invariant], &mut assignment(after)) {
                    return false;
                }
            }
        }
    }
    true
}
