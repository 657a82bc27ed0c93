//! Finite systems for the tests of passes: random ones, and an exhaustive search for counterexamples of live properties in
//! which only Boolean variables occur.

use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::sort::SortId;
use smt::subst::postorder_of;
use smt::term::{FunId, TermId, Terms};
use std::collections::VecDeque;
use testkit::Rng;
use ts::{State, System};

/// A random system over a few Boolean variables and inputs. Its transition relation is often partial.
pub(crate) fn random_system(terms: &mut Terms, rng: &mut Rng) -> System {
    let mut system = System::default();
    for i in 0..1 + rng.below(2) {
        system.add_state(terms, &format!("s{i}"), SortId::BOOL);
    }
    for i in 0..rng.below(2) {
        system.add_input(terms, &format!("i{i}"), SortId::BOOL);
    }
    let now: Vec<FunId> = system.states.iter().map(|state| state.now).collect();
    let step: Vec<FunId> = now.iter().chain(&system.inputs).copied().collect();
    let both: Vec<FunId> = step.iter().copied().chain(system.states.iter().map(|state| state.next)).collect();
    if rng.below(2) == 0 {
        system.init.push(random_formula(terms, rng, &now, 2));
    }
    for _ in 0..1 + rng.below(2) {
        system.trans.push(random_formula(terms, rng, &both, 3));
    }
    if rng.below(4) == 0 {
        system.invar.push(random_formula(terms, rng, &step, 2));
    }
    system
}

/// A random Boolean formula.
pub(crate) fn random_formula(terms: &mut Terms, rng: &mut Rng, symbols: &[FunId], depth: usize) -> TermId {
    if depth == 0 || rng.below(5) == 0 {
        let atom = terms.constant_term(*rng.choose(symbols));
        return if rng.below(2) == 0 { atom } else { terms.not(atom) };
    }
    let args =
        [random_formula(terms, rng, symbols, depth - 1), random_formula(terms, rng, symbols, depth - 1)];
    let op = *rng.choose(&[Op::And, Op::Or, Op::Or, Op::Xor, Op::Eq, Op::Implies]);
    terms.app(op, &args).expect("Boolean")
}

/// Boolean terms as gates, evaluated in order.
pub(crate) struct Circuit {
    gates: Vec<(Op, Vec<usize>, Option<usize>)>,
    places: FxHashMap<TermId, usize>,
}

impl Circuit {
    /// The gates of some terms over symbols, which are known by their positions.
    pub(crate) fn new(terms: &Terms, roots: &[TermId], symbols: &[FunId]) -> Circuit {
        let positions: FxHashMap<FunId, usize> =
            symbols.iter().enumerate().map(|(i, &fun)| (fun, i)).collect();
        let (mut gates, mut places) = (Vec::new(), FxHashMap::default());
        for term in postorder_of(terms, roots.iter().copied()) {
            let args = terms.args(term).iter().map(|arg| places[arg]).collect();
            places.insert(term, gates.len());
            gates.push((terms.op(term), args, terms.applied(term).map(|fun| positions[&fun])));
        }
        Circuit { gates, places }
    }

    /// The values of all gates.
    pub(crate) fn run(&self, bits: u64, values: &mut Vec<bool>) {
        values.clear();
        for (op, args, symbol) in &self.gates {
            let mut inputs = args.iter().map(|&arg| values[arg]);
            let value = match op {
                Op::App => bits >> symbol.expect("a symbol") & 1 == 1,
                Op::True => true,
                Op::False => false,
                Op::Not => !inputs.next().expect("an argument"),
                Op::And => inputs.all(|value| value),
                Op::Or => inputs.any(|value| value),
                Op::Xor => inputs.fold(false, |a, b| a ^ b),
                Op::Implies => !values[args[0]] || values[args[1]],
                Op::Eq => values[args[0]] == values[args[1]],
                Op::Ite => values[args[if values[args[0]] { 1 } else { 2 }]],
                _ => panic!("{op:?} is not Boolean"),
            };
            values.push(value);
        }
    }

    /// The value of a root.
    pub(crate) fn value(&self, values: &[bool], term: TermId) -> bool {
        values[self.places[&term]]
    }
}

/// A step between two states: the inputs of the first, the second, and which formulas are violated.
#[derive(Clone, Copy)]
struct Edge {
    inputs: u64,
    to: u64,
    violated: u64,
}

/// A counterexample: states and inputs of the steps, and where the loop begins.
pub(crate) type Lasso = (Vec<(u64, u64)>, usize);

/// The steps of a system as a graph. The state variables from `functional` on follow equations, so that what they become is
/// computed and not searched.
pub(crate) struct Graph {
    edges: FxHashMap<u64, Vec<Edge>>,
    initial: Vec<u64>,
}

impl Graph {
    /// Everything that can be reached, with the formulas whose violation matters.
    pub(crate) fn new(terms: &Terms, system: &System, functional: usize, formulas: &[TermId]) -> Graph {
        let (states, inputs) = (system.states.len(), system.inputs.len());
        let mut symbols: Vec<FunId> = system.states.iter().map(|state| state.now).collect();
        symbols.extend(&system.inputs);
        symbols.extend(system.states.iter().map(|state| state.next));
        let (values, relation) = split(terms, system, functional);
        let roots: Vec<TermId> = values
            .iter()
            .chain(&relation)
            .chain(&system.init)
            .chain(&system.invar)
            .chain(formulas)
            .copied()
            .collect();
        let circuit = Circuit::new(terms, &roots, &symbols);
        let (mut gates, mut edges) = (Vec::new(), FxHashMap::default());
        let mut initial = Vec::new();
        for state in 0..1u64 << states {
            circuit.run(state, &mut gates);
            if system.init.iter().all(|&formula| circuit.value(&gates, formula)) {
                initial.push(state);
            }
        }
        let mut todo = initial.clone();
        while let Some(state) = todo.pop() {
            if edges.contains_key(&state) {
                continue;
            }
            let mut found = Vec::new();
            for input in 0..1u64 << inputs {
                for next in 0..1u64 << functional {
                    circuit.run(state | input << states | next << (states + inputs), &mut gates);
                    let holds = |formula: &TermId| circuit.value(&gates, *formula);
                    if !relation.iter().chain(&system.invar).all(holds) {
                        continue;
                    }
                    let bits = values
                        .iter()
                        .enumerate()
                        .map(|(i, value)| u64::from(holds(value)) << (functional + i));
                    let violated =
                        formulas.iter().enumerate().map(|(i, formula)| u64::from(!holds(formula)) << i);
                    let to = next | bits.sum::<u64>();
                    found.push(Edge { inputs: input, to, violated: violated.sum() });
                    todo.push(to);
                }
            }
            edges.insert(state, found);
        }
        Graph { edges, initial }
    }

    /// An execution that violates all of `count` formulas again and again.
    pub(crate) fn lasso(&self, count: usize) -> Option<Lasso> {
        let all = (1u64 << count) - 1;
        let component = self.components();
        let mut labels: FxHashMap<usize, u64> = FxHashMap::default();
        let mut states: Vec<&u64> = self.edges.keys().collect();
        states.sort();
        for state in &states {
            for edge in self.edges[*state].iter().filter(|edge| component[*state] == component[&edge.to]) {
                *labels.entry(component[*state]).or_default() |= edge.violated;
            }
        }
        let fair = |state: &u64| labels.get(&component[state]) == Some(&all);
        let (mut steps, start) = self.path(&self.initial, |_| true, |_, edge| fair(&edge.to), fair)?;
        // Round the component until every formula was violated, then home.
        let (home, back, mut missing, mut at) = (component[&start], steps.len(), all, start);
        let inside = |edge: &Edge| component[&edge.to] == home;
        while missing != 0 {
            let (more, next) = self.path(&[at], inside, |_, edge| edge.violated & missing != 0, |_| false)?;
            for &(state, inputs) in &more {
                // The edge taken is one with these inputs; several lead on with equal labels only if inputs are equal.
                let edge = self.edges[&state].iter().find(|edge| edge.inputs == inputs)?;
                missing &= !edge.violated;
            }
            steps.extend(more);
            at = next;
        }
        if at != start || steps.len() == back {
            let (more, _) = self.path(&[at], inside, |_, edge| edge.to == start, |_| false)?;
            steps.extend(more);
        }
        Some((steps, back))
    }

    /// True when a step violates one of the formulas.
    pub(crate) fn is_violated(&self) -> bool {
        self.edges.values().flatten().any(|edge| edge.violated != 0)
    }

    /// A shortest way to an edge or state that is wanted: its steps, and the state after them.
    fn path(
        &self,
        from: &[u64],
        allowed: impl Fn(&Edge) -> bool,
        wanted: impl Fn(u64, &Edge) -> bool,
        already: impl Fn(&u64) -> bool,
    ) -> Option<(Vec<(u64, u64)>, u64)> {
        if let Some(&state) = from.iter().find(|&state| already(state)) {
            return Some((Vec::new(), state));
        }
        let mut came: FxHashMap<u64, (u64, u64)> = FxHashMap::default();
        let mut seen: FxHashSet<u64> = from.iter().copied().collect();
        let mut queue: VecDeque<u64> = from.iter().copied().collect();
        while let Some(state) = queue.pop_front() {
            for edge in self.edges[&state].iter().filter(|edge| allowed(edge)) {
                if wanted(state, edge) {
                    let (mut steps, mut at) = (vec![(state, edge.inputs)], state);
                    while let Some(&(before, inputs)) = came.get(&at) {
                        steps.push((before, inputs));
                        at = before;
                    }
                    steps.reverse();
                    return Some((steps, edge.to));
                }
                if seen.insert(edge.to) {
                    came.insert(edge.to, (state, edge.inputs));
                    queue.push_back(edge.to);
                }
            }
        }
        None
    }

    /// The strongly connected component of each state, by forward and backward reachability: small graphs only.
    fn components(&self) -> FxHashMap<u64, usize> {
        let mut backward: FxHashMap<u64, Vec<u64>> = FxHashMap::default();
        for (&state, edges) in &self.edges {
            for edge in edges {
                backward.entry(edge.to).or_default().push(state);
            }
        }
        let mut order = Vec::new();
        let mut seen = FxHashSet::default();
        let mut states: Vec<u64> = self.edges.keys().copied().collect();
        states.sort_unstable();
        for state in states {
            let mut todo = vec![(state, false)];
            while let Some((state, done)) = todo.pop() {
                if done {
                    order.push(state);
                } else if seen.insert(state) {
                    todo.push((state, true));
                    todo.extend(self.edges[&state].iter().map(|edge| (edge.to, false)));
                }
            }
        }
        let mut component = FxHashMap::default();
        for (number, &root) in order.iter().rev().enumerate() {
            let mut todo = vec![root];
            while let Some(state) = todo.pop() {
                if let std::collections::hash_map::Entry::Vacant(entry) = component.entry(state) {
                    entry.insert(number);
                    todo.extend(backward.get(&state).into_iter().flatten());
                }
            }
        }
        component
    }
}

/// The values of the variables from `functional` on, and the rest of the relation. A conjunct that is neither panics: passes
/// that observe a system must not restrict it.
pub(crate) fn split(terms: &Terms, system: &System, functional: usize) -> (Vec<TermId>, Vec<TermId>) {
    let mut relation = system.trans.clone();
    let value = |state: &State| {
        let is_equation = |&formula: &TermId| {
            terms.op(formula) == Op::Eq && terms.applied(terms.args(formula)[0]) == Some(state.next)
        };
        let at = relation.iter().position(is_equation).expect("an equation for each new variable");
        let equation = relation.remove(at);
        terms.args(equation)[1]
    };
    let values = system.states[functional..].iter().map(value).collect();
    (values, relation)
}
