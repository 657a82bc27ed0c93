//! The law of LTL monitors: on random finite systems the verdict about the live property is the one that a direct reading
//! of the formula on infinite words gives.
//!
//! `FORMULAS` says how many; a thorough run is `FORMULAS = 20_000` with `cargo test --release -p ts --test passes`.

use crate::finite::{Circuit, Graph, Lasso, random_formula, random_system, split};
use rustc_hash::FxHashMap;
use smt::eval::Assignment;
use smt::op::{Op, Theory};
use smt::print::term_text;
use smt::sort::SortId;
use smt::subst::postorder;
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;
use testkit::Rng;
use ts::passes::core::core;
use ts::passes::ltl::{Unsupported, ltl};
use ts::trace::Fault;
use ts::{Property, PropertyKind, System, Trace};

/// How many formulas are tried.
const FORMULAS: u64 = 2_000;
/// Executions with so many different steps are enumerated.
const LENGTH: usize = 6;
/// At most so many executions are enumerated for a formula.
const MANY: usize = 3000;
/// One in so many of them is judged as a trace, too.
const TRACES: usize = 100;
/// Products with more variables than this are left out.
const WIDE: usize = 13;

/// A random formula with at most `operators` temporal operators.
fn random_ltl(
    terms: &mut Terms,
    rng: &mut Rng,
    symbols: &[FunId],
    depth: usize,
    operators: &mut usize,
) -> TermId {
    if depth == 0 || (*operators == 0 && rng.one_in(2)) {
        let depth = rng.below(2);
        return random_formula(terms, rng, symbols, depth);
    }
    let mut arg =
        |terms: &mut Terms, operators: &mut usize| random_ltl(terms, rng, symbols, depth - 1, operators);
    let (one, two) = (arg(terms, operators), arg(terms, operators));
    if *operators == 0 || rng.one_in(3) {
        let op = *rng.choose(&[Op::And, Op::Or, Op::Implies, Op::Eq, Op::Xor]);
        return terms.app(op, &[one, two]).expect("Boolean");
    }
    *operators -= 1;
    let unary = [
        Op::LtlNext,
        Op::LtlFinally,
        Op::LtlGlobally,
        Op::LtlYesterday,
        Op::LtlWeakYesterday,
        Op::LtlOnce,
        Op::LtlHistorically,
    ];
    let binary = [Op::LtlUntil, Op::LtlRelease, Op::LtlWeakUntil, Op::LtlSince];
    match rng.one_in(2) {
        true => terms.app(*rng.choose(&unary), &[one]).expect("Boolean"),
        false => terms.app(*rng.choose(&binary), &[one, two]).expect("Boolean"),
    }
}

/// What a formula says about an infinite word, straight from the definition of each operator.
///
/// After the loop was gone through once more for each past operator, everything repeats. So positions up to `end` are
/// enough, and those after it are as those before it.
struct Word<'a> {
    terms: &'a Terms,
    circuit: &'a Circuit,
    /// The bits of each step.
    steps: &'a [u64],
    back: usize,
    end: usize,
    known: FxHashMap<(TermId, usize), bool>,
}

impl Word<'_> {
    fn period(&self) -> usize {
        self.steps.len() - self.back
    }

    fn holds(&mut self, formula: TermId, at: usize) -> bool {
        let at = if at < self.end { at } else { self.end - self.period() + (at - self.end) % self.period() };
        if let Some(&value) = self.known.get(&(formula, at)) {
            return value;
        }
        let args = self.terms.args(formula).to_vec();
        let far = at + self.end + 1;
        let value = match (self.terms.op(formula), args.as_slice()) {
            (Op::LtlNext, &[a]) => self.holds(a, at + 1),
            (Op::LtlFinally, &[a]) => (at..far).any(|i| self.holds(a, i)),
            (Op::LtlGlobally, &[a]) => (at..far).all(|i| self.holds(a, i)),
            (Op::LtlUntil, &[a, b]) => self.until(a, b, at, far),
            (Op::LtlWeakUntil, &[a, b]) => self.until(a, b, at, far) || (at..far).all(|i| self.holds(a, i)),
            (Op::LtlRelease, &[a, b]) => {
                // Everything up to and including the first `a`.
                let first = (at..far).find(|&i| self.holds(a, i)).unwrap_or(far);
                (at..=first).all(|i| self.holds(b, i))
            }
            (Op::LtlYesterday, &[a]) => at > 0 && self.holds(a, at - 1),
            (Op::LtlWeakYesterday, &[a]) => at == 0 || self.holds(a, at - 1),
            (Op::LtlOnce, &[a]) => (0..=at).any(|i| self.holds(a, i)),
            (Op::LtlHistorically, &[a]) => (0..=at).all(|i| self.holds(a, i)),
            (Op::LtlSince, &[a, b]) => {
                (0..=at).any(|i| self.holds(b, i) && (i + 1..=at).all(|j| self.holds(a, j)))
            }
            (Op::Not, &[a]) => !self.holds(a, at),
            (Op::And, args) => args.iter().all(|&a| self.holds(a, at)),
            (Op::Or, args) => args.iter().any(|&a| self.holds(a, at)),
            (Op::Implies, &[a, b]) => !self.holds(a, at) || self.holds(b, at),
            (Op::Eq, &[a, b]) => self.holds(a, at) == self.holds(b, at),
            (Op::Xor, &[a, b]) => self.holds(a, at) != self.holds(b, at),
            _ => {
                let step =
                    if at < self.steps.len() { at } else { self.back + (at - self.back) % self.period() };
                let mut values = Vec::new();
                self.circuit.run(self.steps[step], &mut values);
                self.circuit.value(&values, formula)
            }
        };
        self.known.insert((formula, at), value);
        value
    }

    fn until(&mut self, a: TermId, b: TermId, at: usize, far: usize) -> bool {
        (at..far).any(|i| self.holds(b, i) && (at..i).all(|j| self.holds(a, j)))
    }
}

/// A system and a formula about it.
struct Case {
    terms: Terms,
    system: System,
    formula: TermId,
}

impl Case {
    fn random(seed: u64) -> Case {
        let (mut terms, mut rng) = (Terms::new(), Rng::new(seed));
        let mut system = random_system(&mut terms, &mut rng);
        let symbols = step_symbols(&system);
        let mut operators = 1 + rng.below(4);
        let formula = random_ltl(&mut terms, &mut rng, &symbols, 4, &mut operators);
        let kind = PropertyKind::Ltl(formula);
        system.properties.push(Property { index: 5, name: None, kind });
        Case { terms, system, formula }
    }

    /// The symbols of a step as gates.
    fn circuit(&self) -> Circuit {
        let formulas: Vec<TermId> = postorder(&self.terms, self.formula)
            .into_iter()
            .filter(|&term| !self.is_temporal(term))
            .collect();
        Circuit::new(&self.terms, &formulas, &step_symbols(&self.system))
    }

    fn is_temporal(&self, root: TermId) -> bool {
        postorder(&self.terms, root).into_iter().any(|term| self.terms.op(term).info().theory == Theory::Ltl)
    }

    /// That the formula is violated by the infinite word.
    fn violated(&self, circuit: &Circuit, steps: &[u64], back: usize) -> bool {
        let past = postorder(&self.terms, self.formula).into_iter().filter(|&term| {
            use Op::{LtlHistorically, LtlOnce, LtlSince, LtlWeakYesterday, LtlYesterday};
            matches!(
                self.terms.op(term),
                LtlYesterday | LtlWeakYesterday | LtlOnce | LtlHistorically | LtlSince
            )
        });
        let end = steps.len() + (past.count() + 1) * (steps.len() - back);
        let mut word = Word { terms: &self.terms, circuit, steps, back, end, known: FxHashMap::default() };
        !word.holds(self.formula, 0)
    }

    /// All executions with a loop up to a length; true when one violates the formula.
    fn enumerate(&self, circuit: &Circuit) -> bool {
        let steps = Steps::new(&self.terms, &self.system);
        let mut left = MANY;
        let mut todo: Vec<Vec<u64>> = steps.initial.iter().map(|&step| vec![step]).collect();
        while let Some(path) = todo.pop() {
            for &next in &steps.after[&path[path.len() - 1]] {
                for back in (0..path.len()).filter(|&back| path[back] == next) {
                    left = left.saturating_sub(1);
                    if left == 0 {
                        return false;
                    }
                    let violated = self.violated(circuit, &path, back);
                    if left.is_multiple_of(TRACES) {
                        self.check_trace(&path, back, violated);
                    }
                    if violated {
                        return true;
                    }
                }
                if path.len() < LENGTH {
                    let mut longer = path.clone();
                    longer.push(next);
                    todo.push(longer);
                }
            }
        }
        false
    }

    /// What a trace says about the formula is what the definition says.
    fn check_trace(&self, path: &[u64], back: usize, violated: bool) {
        let states = self.system.states.len();
        let steps = path.iter().map(|&step| (step, step >> states)).collect();
        let result =
            trace(&self.system, &(steps, back)).check(&self.terms, &self.system, &self.system.properties[0]);
        assert_eq!(result, if violated { Ok(()) } else { Err(Fault::Holds) });
    }

    /// The counterexample of the live property that takes the formula's place in `system`, if there is one.
    fn search(&self, terms: &Terms, system: &System) -> Option<Option<Lasso>> {
        if system.states.len() + system.inputs.len() > WIDE {
            return None;
        }
        let PropertyKind::Live(formulas) = &system.properties[0].kind else { panic!("not a live property") };
        let graph = Graph::new(terms, system, self.system.states.len(), formulas);
        Some(graph.lasso(formulas.len()))
    }
}

fn step_symbols(system: &System) -> Vec<FunId> {
    system.states.iter().map(|state| state.now).chain(system.inputs.iter().copied()).collect()
}

/// The steps of a system, its states together with inputs.
struct Steps {
    initial: Vec<u64>,
    after: FxHashMap<u64, Vec<u64>>,
}

impl Steps {
    fn new(terms: &Terms, system: &System) -> Steps {
        let mut symbols = step_symbols(system);
        let (width, states) = (symbols.len(), system.states.len());
        symbols.extend(system.states.iter().map(|state| state.next));
        let roots: Vec<TermId> =
            system.init.iter().chain(&system.trans).chain(&system.invar).copied().collect();
        let circuit = Circuit::new(terms, &roots, &symbols);
        let mut values = Vec::new();
        let mut holds = |bits: u64, formulas: &[TermId]| {
            circuit.run(bits, &mut values);
            formulas.iter().all(|&formula| circuit.value(&values, formula))
        };
        let all: Vec<u64> = (0..1u64 << width).filter(|&step| holds(step, &system.invar)).collect();
        let initial = all.iter().copied().filter(|&step| holds(step, &system.init)).collect();
        let mut after = FxHashMap::default();
        for &step in &all {
            let state = |other: u64| other & ((1 << states) - 1);
            let next =
                all.iter().copied().filter(|&other| holds(step | state(other) << width, &system.trans));
            after.insert(step, next.collect());
        }
        Steps { initial, after }
    }
}

/// A counterexample as a trace of the system that was searched.
fn trace(system: &System, lasso: &Lasso) -> Trace {
    let (steps, back) = lasso;
    let values = |&(state, inputs): &(u64, u64)| {
        let mut assignment = Assignment::new();
        for (i, variable) in system.states.iter().enumerate() {
            assignment.set(variable.now, Value::Bool(state >> i & 1 == 1));
        }
        for (i, &input) in system.inputs.iter().enumerate() {
            assignment.set(input, Value::Bool(inputs >> i & 1 == 1));
        }
        assignment
    };
    Trace { steps: steps.iter().map(values).collect(), back: Some(*back), ..Trace::default() }
}

/// The steps of a counterexample in the original system.
fn projected(case: &Case, lasso: &Lasso) -> Vec<u64> {
    let (states, inputs) = (case.system.states.len(), case.system.inputs.len());
    let low = |bits: u64, count: usize| bits & ((1 << count) - 1);
    lasso.0.iter().map(|&(state, input)| low(state, states) | low(input, inputs) << states).collect()
}

#[test]
fn monitors_agree_with_the_definition() {
    let (mut tried, mut violated, mut seed) = (0, 0, 0);
    while tried < FORMULAS {
        seed += 1;
        let mut case = Case::random(seed);
        let extended = ltl(&mut case.terms, &case.system).expect("no bound variables");
        assert_eq!(ts::verify(&case.terms, &extended.system), []);
        let Some(found) = case.search(&case.terms, &extended.system) else { continue };
        tried += 1;
        let circuit = case.circuit();
        let text = || format!("seed {seed}: {}\n{:?}", term_text(&case.terms, case.formula), case.system);
        match &found {
            None => assert!(!case.enumerate(&circuit), "a counterexample was missed: {}", text()),
            Some(lasso) => {
                violated += 1;
                assert!(
                    case.violated(&circuit, &projected(&case, lasso), lasso.1),
                    "no counterexample: {}",
                    text()
                );
                let trace = trace(&extended.system, lasso);
                assert_eq!(
                    trace.check(&case.terms, &extended.system, &extended.system.properties[0]),
                    Ok(())
                );
                let trace = extended.trace(&trace);
                assert_eq!(trace.check(&case.terms, &case.system, &case.system.properties[0]), Ok(()));
            }
        }
        let core = core(&mut case.terms, &case.system).expect("no bound variables");
        assert_eq!((core.system.invar.len(), core.system.properties[0].formulas().len()), (0, 1));
        if let Some(again) = case.search(&case.terms, &core.system) {
            assert_eq!(again.is_some(), found.is_some(), "the core system differs: seed {seed}");
        }
    }
    // Both verdicts are common, or the law says nothing.
    assert!(violated * 5 > tried && violated * 5 < 4 * tried, "{violated} of {tried} are violated");
}

#[test]
fn monitors_observe_and_do_not_restrict() {
    for seed in 0..50 {
        let mut case = Case::random(seed);
        // Two properties have two monitors, also if one is the negation of the other.
        let kind = PropertyKind::Ltl(case.terms.not(case.formula));
        case.system.properties.push(Property { index: 2, name: None, kind });
        let extended = ltl(&mut case.terms, &case.system).expect("no bound variables").system;
        assert_eq!(extended.properties.iter().map(|property| property.index).collect::<Vec<_>>(), [5, 2]);
        let (_, relation) = split(&case.terms, &extended, case.system.states.len());
        assert_eq!(relation, case.system.trans);
        assert_eq!(extended.invar, case.system.invar);
        let added: Vec<FunId> =
            extended.states[case.system.states.len()..].iter().map(|state| state.now).collect();
        for &literal in &extended.init[case.system.init.len()..] {
            let funs = smt::subst::functions(&case.terms, literal);
            assert!(funs.len() == 1 && added.contains(&funs[0]), "{}", term_text(&case.terms, literal));
        }
    }
}

#[test]
fn formulas_that_hold_from_some_step_on_need_no_guesses() {
    let mut terms = Terms::new();
    let mut system = System::default();
    let state = system.add_state(&mut terms, "a", SortId::BOOL);
    let a = terms.constant_term(state.now);
    let always = |terms: &mut Terms, formula| {
        let globally = terms.app(Op::LtlGlobally, &[formula]).expect("Boolean");
        terms.app(Op::LtlFinally, &[globally]).expect("Boolean")
    };
    let one = always(&mut terms, a);
    let before = terms.app(Op::LtlYesterday, &[a]).expect("Boolean");
    let other = always(&mut terms, before);
    let kind = PropertyKind::Ltl(terms.or(&[one, other]));
    system.properties.push(Property { index: 0, name: None, kind });
    let extended = ltl(&mut terms, &system).expect("no bound variables").system;
    let PropertyKind::Live(formulas) = &extended.properties[0].kind else { panic!("not a live property") };
    assert_eq!((formulas[0], formulas.len(), extended.inputs.len(), extended.states.len()), (a, 2, 0, 2));
}

#[test]
fn operators_that_speak_of_bound_variables_are_refused() {
    let mut terms = Terms::new();
    let mut system = System::default();
    let name = terms.names.intern("v");
    let var = terms.var(name, SortId::BOOL);
    let finally = terms.app(Op::LtlFinally, &[var]).expect("Boolean");
    let kind = PropertyKind::Ltl(terms.bind(Op::Forall, &[var], finally).expect("Boolean"));
    system.properties.push(Property { index: 0, name: None, kind });
    assert_eq!(ltl(&mut terms, &system).err(), Some(Unsupported::Bound(finally)));
    // Others may stand under a quantifier, whose variable gives way to the names of a monitor.
    let state = system.add_state(&mut terms, "a", SortId::BOOL);
    let a = terms.constant_term(state.now);
    let name = terms.names.intern("past");
    let var = terms.var(name, SortId::BOOL);
    let once = terms.app(Op::LtlYesterday, &[a]).expect("Boolean");
    let body = terms.app(Op::Xor, &[var, once]).expect("Boolean");
    let bound = terms.bind(Op::Exists, &[var], body).expect("Boolean");
    system.properties[0].kind = PropertyKind::Ltl(bound);
    let extended = ltl(&mut terms, &system).expect("closed operators").system;
    assert_eq!(ts::verify(&terms, &extended), []);
}
