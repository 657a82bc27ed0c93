//! Horn clauses: what is read, what is refused, and that nothing is lost on the way to systems and back.
#![expect(clippy::print_stderr, reason = "tests report numbers")]

mod support;

use formats::{Model, Source, chc};
use rustc_hash::FxHashSet;
use smt::eval::{Assignment, Evaluator, Interpretation};
use smt::horn::HornProblem;
use smt::op::Op;
use smt::parse::Command;
use smt::scope::Scope;
use smt::script;
use smt::sexpr::Text;
use smt::sort::SortId;
use smt::term::{Fun, FunId, Role, TermId, Terms};
use smt::value::Value;
use std::collections::BTreeMap;
use support::explore::{Space, assignments, values, verdicts};
use support::random::{Maker, system};
use support::{complaints, files, read, systems, written};
use testkit::Rng;
use ts::passes::horn::{Clause, encode, linear};

const COUNTER: &str = "(set-logic HORN)
(declare-fun inv (Int Int) Bool)
(assert (forall ((x Int) (n Int)) (=> (and (= x 0) (> n 0)) (inv x n))))
(assert (forall ((x Int) (n Int) (y Int)) (=> (and (inv x n) (< x n) (= y (+ x 1))) (inv y n))))
(assert (forall ((x Int) (n Int)) (=> (and (inv x n) (> x n)) false)))
(check-sat)";

#[test]
fn one_predicate_is_a_system_without_places() {
    let mut terms = Terms::new();
    let system = systems("chc", &mut terms, COUNTER).remove(0);
    assert_eq!((system.states.len(), system.inputs.len(), system.init.len()), (2, 0, 2));
    let text = written("chc", &mut terms, vec![system]);
    assert_eq!(systems("chc", &mut Terms::new(), &text)[0].states.len(), 2);
}

/// The forms that generators use all mean the same clauses.
#[test]
fn many_forms() {
    let rest = "(declare-fun p (Int) Bool)(declare-fun ok () Bool)";
    let forms = [
        "(assert (p 0))(assert (forall ((x Int)) (=> (p x) (p (+ x 1)))))(assert (not (exists ((x Int)) (and (p x) (< x 0)))))",
        "(assert (forall ((x Int)) (or (p x) (not (= x 0)))))(assert (forall ((x Int)) (or (not (p x)) (p (+ x 1)))))
         (assert (forall ((x Int)) (=> (p x) (>= x 0))))",
        "(assert (and (forall ((x Int)) (=> (= x 0) (p x))) (forall ((x Int)) (=> (p x) (p (+ x 1))))))
         (assert (forall ((x Int)) (=> (p x) (=> (< x 0) ok))))(assert (=> ok false))",
        "(define-fun bad ((x Int)) Bool (and (p x) (< x 0)))(assert (ite true (p 0) false))
         (assert (forall ((x Int) (y Int)) (=> (and (= y (+ x 1)) (p x)) (and (p y) (or (p y) true)))))
         (assert (forall ((x Int)) (not (bad x))))",
        "(assert (= (p 0) true))(assert (forall ((y Int)) (=> (exists ((x Int)) (and (p x) (= y (+ x 1)))) (p y))))
         (assert (not (or false (exists ((x Int)) (and (p x) (< x 0))))))",
        "(declare-rel q (Int Int))(declare-var n Int)(declare-var m Int)(rule (p 0) base)(rule (=> (p n) (p (+ n 1))))
         (rule (forall ((n Int)) (=> (p n) (q n 0))))(query (and (q n m) (< n m)) :print-answer true)",
        "(declare-rel q (Int Int))(declare-var n Int)(rule (=> (and (p n) (< n 0)) (q n n)))(query q)",
    ];
    for form in forms {
        let mut terms = Terms::new();
        let text = format!("(set-logic HORN){rest}{form}(check-sat)");
        let system = systems("chc", &mut terms, &text).remove(0);
        assert_eq!(system.properties.len(), 1, "{form}");
    }
}

#[test]
fn what_is_not_linear_stays_clauses() {
    let text = "(set-logic HORN)(declare-fun p (Int) Bool)(assert (p 1))
        (assert (forall ((x Int) (y Int)) (=> (and (p x) (p y)) (p (+ x y)))))
        (assert (forall ((x Int)) (=> (p x) (> x 0))))";
    let mut terms = Terms::new();
    let Ok(Model::Horn(problem)) = read("chc", &mut terms, text) else { panic!("clauses") };
    let again = chc::write_clauses(&mut terms, &problem).unwrap();
    let Ok(Model::Horn(second)) = read("chc", &mut terms, std::str::from_utf8(&again).unwrap()) else {
        panic!("clauses")
    };
    assert_eq!(problem.clauses.len(), second.clauses.len());
}

/// A solution may choose what is left open, so an execution of a system would refute nothing.
#[test]
fn what_is_left_open_is_no_system() {
    let open = [
        "(assert (forall ((x Int) (y Int)) (=> (= y 0) (p (div x y)))))",
        "(assert (forall ((x Int) (y Int)) (=> (= y 0) (p (mod x y)))))",
        "(assert (forall ((x Real)) (=> (= (/ x 0.0) 1.0) (p 0))))",
        "(declare-sort S 0)(assert (forall ((a S) (b S)) (=> (distinct a b) (p 0))))",
        "(declare-datatype L ((nil) (cons (head Int) (tail L))))(assert (p (head nil)))",
    ];
    let known = [
        "(assert (forall ((x Int)) (=> (= x (- 7)) (p (div (mod x 3) (- 2))))))",
        "(declare-datatype P ((pair (one Int) (two Int))))(assert (forall ((x P)) (p (one x))))",
        "(declare-datatype L ((nil) (cons (head Int) (tail L))))(assert (forall ((x L)) (=> ((_ is nil) x) (p 0))))",
    ];
    for (text, system) in open.iter().map(|t| (t, false)).chain(known.iter().map(|t| (t, true))) {
        let goal = "(assert (forall ((x Int)) (=> (p x) (< x 0))))(check-sat)";
        let text = format!("(set-logic HORN)(declare-fun p (Int) Bool){text}{goal}");
        let model = read("chc", &mut Terms::new(), &text).expect("it is read");
        assert_eq!(matches!(model, Model::Systems(_)), system, "{text}");
    }
}

#[test]
fn refused() {
    let horn = |text: &str| complaints("chc", &format!("(set-logic HORN)(declare-fun p (Int) Bool){text}"));
    assert_eq!(
        horn("(assert (forall ((x Int)) (or (p x) (p (+ x 1)))))"),
        [
            "CHC001 `(assert (forall ((x Int)) (or ` not a Horn clause: both `p` and `p` occur without negation"
        ]
    );
    assert!(
        horn("(assert (forall ((y Int)) (=> (forall ((x Int)) (p x)) (p y))))")[0].contains("quantifier")
    );
    assert!(
        horn("(declare-fun f (Bool) Int)(assert (> (f (p 0)) 1))")
            .iter()
            .any(|c| c.contains("inside of another"))
    );
    assert!(
        horn("(declare-fun n () Int)(assert (p n))")[0]
            .starts_with("CHC002 `(assert (p n))` the constant `n`")
    );
    assert!(horn("(push 1)(assert (p 1))")[0].starts_with("CHC003 `(push 1)`"));
    assert!(horn("(check-sat)(assert (p 1))")[0].starts_with("CHC003 `(assert (p 1))`"));
    assert!(horn("(query p)(query (p 1))")[0].starts_with("CHC003 `(query (p 1))` another query"));
    assert!(horn("(query p)(rule (p 1))")[0].starts_with("CHC003 `(rule (p 1))`"));
    assert!(horn("(query p :engine)")[0].contains("a keyword and its value"));
    assert!(complaints("vmt", "(declare-rel p (Int))")[0].contains("unknown command"));
    assert!(complaints("chc", "(set-logic QF_LIA)")[0].starts_with("CHC003 `(set-logic QF_LIA)`"));
    assert!(complaints("chc", "(assert (p 1)")[0].starts_with("SMT"));
    let deep = format!(
        "(set-logic HORN)(declare-fun p () Bool)(assert {}p{})",
        "(not ".repeat(200_000),
        ")".repeat(200_000)
    );
    assert!(read("chc", &mut Terms::new(), &deep).is_ok());
}

#[test]
fn disjunctive_bodies_do_not_explode() {
    let part = |i: usize| format!("(or (p {i}) (p (- {i})))");
    let body: Vec<String> = (0..40).map(part).collect();
    let text =
        format!("(set-logic HORN)(declare-fun p (Int) Bool)(assert (=> (and {}) false))", body.join(" "));
    assert!(complaints("chc", &text)[0].contains("more than 10000"));
}

/// What does not grow is read however long it is; what grows too much is not supported.
#[test]
fn only_growth_is_limited() {
    let horn = |text: &str| format!("(set-logic HORN)(declare-fun p (Int) Bool){text}");
    let facts: Vec<String> = (0..12_000).map(|i| format!("(p {i})")).collect();
    let nested = |facts: &[String]| facts.iter().map(|fact| format!("(and {fact} ")).collect::<String>();
    let (text, end) = (nested(&facts), ")".repeat(facts.len()));
    for formula in [format!("(and {})", facts.join(" ")), format!("{text}true{end}")] {
        let text = horn(&format!("(assert {formula})"));
        let mut errors = Vec::new();
        let source = Source { bytes: text.as_bytes(), base: 0 };
        let problem = chc::read_clauses(&mut Terms::new(), source, &mut errors).unwrap();
        assert_eq!(problem.clauses.len(), 12_000);
    }
    // Each clause has all constraints that are around it.
    let layers: String = (0..12_000).map(|i| format!("(=> (> x {i}) (and (p {i}) ")).collect();
    let text = format!("(assert (forall ((x Int)) {layers}true{}))", "))".repeat(12_000));
    let found = complaints("chc", &horn(&text));
    assert!(found[0].starts_with("CHC006 `(assert"), "{found:?}");
}

/// The text of clauses that were read from a text.
fn clauses_of(text: &str) -> Vec<String> {
    let mut terms = Terms::new();
    let text = format!("(set-logic HORN)(declare-fun p (Int) Bool){text}");
    let mut errors = Vec::new();
    let source = Source { bytes: text.as_bytes(), base: 0 };
    let problem = chc::read_clauses(&mut terms, source, &mut errors).unwrap();
    problem.clauses.iter().map(|&clause| smt::print::term_text(&terms, clause)).collect()
}

#[test]
fn variables_of_a_clause_have_different_names() {
    let cases = [
        ("(forall ((y Bool)) (forall ((y Int)) (p y)))", "(forall ((y Bool) (y.1 Int)) (=> true (p y.1)))"),
        ("(forall ((y Int)) (forall ((y Int)) (p y)))", "(forall ((y Int) (y.1 Int)) (=> true (p y.1)))"),
        ("(forall ((y Int)) (not (exists ((y Int)) (forall ((y Int)) (p y)))))", ""),
    ];
    for (formula, clause) in cases {
        let text = format!("(assert {formula})");
        if clause.is_empty() {
            assert!(complaints("chc", &format!("(declare-fun p (Int) Bool){text}"))[0].starts_with("CHC001"));
        } else {
            assert_eq!(clauses_of(&text), [clause]);
        }
    }
}

/// Parts without predicates have no quantifiers that the clause can bind.
#[test]
fn constraints_are_opened() {
    let cases = [
        (
            "(forall ((x Int)) (=> (and (> x 3) (< x 5)) false))",
            "(forall ((x Int)) (=> (not (=> (and (> x 3) (< x 5)) false)) false))",
        ),
        (
            "(forall ((x Int)) (=> (and (p x) (or (< x 0) (exists ((x Int)) (> x 9)))) false))",
            "(forall ((x Int) (x.1 Int)) (=> (and (p x) (or (< x 0) (> x.1 9))) false))",
        ),
        // What holds for all values in a body stays.
        (
            "(forall ((x Int)) (=> (forall ((z Int)) (> z x)) (p x)))",
            "(forall ((x Int)) (=> (forall ((z Int)) (> z x)) (p x)))",
        ),
        (
            "(forall ((x Int)) (=> (= (> x 0) (exists ((z Int)) (> z x))) (p x)))",
            "(forall ((x Int)) (=> (= (> x 0) (exists ((z Int)) (> z x))) (p x)))",
        ),
    ];
    for (formula, clause) in cases {
        assert_eq!(clauses_of(&format!("(assert {formula})")), [clause]);
    }
}

/// A random formula over variables that hide each other.
fn formula(rng: &mut Rng, scope: &[(&str, bool)], depth: usize) -> String {
    let part = |rng: &mut Rng| formula(rng, scope, depth - 1);
    if depth == 0 || rng.one_in(6) {
        let Some(&(name, is_bool)) = (!scope.is_empty()).then(|| rng.choose(scope)) else {
            return (*rng.choose(&["true", "false", "(p true)"])).to_owned();
        };
        // The innermost variable of this name.
        let is_bool = scope.iter().rev().find(|var| var.0 == name).map_or(is_bool, |var| var.1);
        let truth = if is_bool { name.to_owned() } else { format!("(= {name} #b{:02b})", rng.below(4)) };
        return if rng.one_in(3) { format!("(p {truth})") } else { truth };
    }
    match rng.below(8) {
        0 => format!("(not {})", part(rng)),
        1 => format!("(and {} {})", part(rng), part(rng)),
        2 => format!("(or {} {})", part(rng), part(rng)),
        3 => format!("(=> {} {})", part(rng), part(rng)),
        4 => format!("(ite {} {} {})", part(rng), part(rng), part(rng)),
        5 => format!("(= {} {})", part(rng), part(rng)),
        _ => {
            let (name, is_bool) = (*rng.choose(&["x", "y"]), rng.bool());
            let mut inner = scope.to_vec();
            inner.push((name, is_bool));
            let body = formula(rng, &inner, depth - 1);
            let sort = if is_bool { "Bool" } else { "(_ BitVec 2)" };
            format!("({} (({name} {sort})) {body})", rng.choose(&["forall", "exists"]))
        }
    }
}

/// A formula and its clauses are true for the same predicates, also when the clauses are written and read again.
#[test]
fn clauses_mean_what_the_formula_does() {
    let (mut judged, mut quantified) = (0, 0);
    for seed in 0..3_000 {
        let text = formula(&mut Rng::new(seed), &[], 5);
        let text = format!("(set-logic HORN)(declare-fun p (Bool) Bool)(assert {text})(check-sat)");
        let mut terms = Terms::new();
        let (mut scope, mut asserted, mut errors) = (Scope::horn(&mut terms), TermId::TRUE, Vec::new());
        script::read(&mut terms, &mut scope, Text::new(&text, 0), &mut errors, |_, command, _, _| {
            if let Command::Assert(formula) = command {
                asserted = formula;
            }
        });
        let problem = |terms: &mut Terms, text: &str| {
            let source = Source { bytes: text.as_bytes(), base: 0 };
            chc::read_clauses(terms, source, &mut Vec::new())
        };
        let Some(read) = problem(&mut terms, &text) else { continue };
        let again = String::from_utf8(chc::write_clauses(&mut terms, &read).unwrap()).unwrap();
        let again = problem(&mut terms, &again).unwrap_or_else(|| panic!("{text}\n{again}"));
        judged += 1;
        quantified += usize::from(text.contains("forall") || text.contains("exists"));
        for table in 0..4 {
            let rows = [false, true].map(|at| {
                let value = table >> usize::from(at) & 1 == 1;
                (vec![Value::Bool(at)].into_boxed_slice(), Value::Bool(value))
            });
            let mut model = Assignment::new();
            let rows: BTreeMap<_, _> = rows.into_iter().collect();
            model.interpret(read.predicates[0], Interpretation::Table(rows, None));
            let holds = |formula: TermId, model: &mut Assignment| {
                Evaluator::new(&terms).eval(formula, model).unwrap() == Value::Bool(true)
            };
            let whole = holds(asserted, &mut model);
            let parts = read.clauses.iter().all(|&clause| holds(clause, &mut model));
            assert_eq!(whole, parts, "seed {seed}, table {table}: {text}");
            let mut satisfied = false;
            // What else is written, a predicate for several goals, may be chosen.
            for fail in [false, true] {
                for &other in again.predicates.iter().skip(1) {
                    model.interpret(other, Interpretation::Value(Value::Bool(fail)));
                }
                satisfied |= again.clauses.iter().all(|&clause| holds(clause, &mut model));
            }
            assert_eq!(whole, satisfied, "seed {seed}, table {table}, written: {text}");
        }
    }
    assert!(judged > 500 && quantified > 200, "{judged} formulas, {quantified} with quantifiers");
}

/// A system, written as clauses and read again, has counterexamples of the same lengths.
#[test]
fn systems_survive() {
    let mut bad = 0;
    for seed in 0..300 {
        let mut terms = Terms::new();
        let system = system(&mut terms, &mut Rng::new(seed), false);
        let shortest = verdicts(&terms, &system).into_iter().flatten().min();
        bad += usize::from(shortest.is_some());
        let text = written("chc", &mut terms, vec![system]);
        let mut terms = Terms::new();
        let again = systems("chc", &mut terms, &text).remove(0);
        let found = verdicts(&terms, &again)[0];
        // Several goals go through one more predicate.
        let steps = usize::from(text.contains("fail"));
        assert_eq!(found, shortest.map(|depth| depth + steps), "seed {seed}\n{text}");
    }
    assert!(bad > 50, "{bad} of 300 systems have a counterexample");
}

/// Random linear clauses over small sorts.
fn clauses(terms: &mut Terms, rng: &mut Rng) -> HornProblem {
    let two = terms.sorts.bit_vec(2);
    let mut predicates = Vec::new();
    for i in 0..rng.between(1, 3) {
        let params: Vec<SortId> =
            (0..rng.below(3)).map(|_| if rng.bool() { two } else { SortId::BOOL }).collect();
        let name = terms.names.intern(&format!("p{i}"));
        predicates.push(terms.declare(Fun {
            name,
            params: params.into(),
            result: SortId::BOOL,
            role: Role::Free,
        }));
    }
    let vars: Vec<TermId> = ["a", "b", "c", "d"]
        .iter()
        .enumerate()
        .map(|(i, name)| {
            let name = terms.names.intern(name);
            terms.var(name, if i % 2 == 0 { two } else { SortId::BOOL })
        })
        .collect();
    let mut maker = Maker { terms, rng };
    let mut problem = HornProblem { predicates: predicates.clone(), clauses: Vec::new() };
    for i in 0..maker.rng.between(3, 7) {
        let atom = |maker: &mut Maker<'_>| {
            let predicate = *maker.rng.choose(&predicates);
            let params = maker.terms.fun(predicate).params.clone();
            let depth = maker.rng.below(2);
            let args: Vec<TermId> = params.iter().map(|&sort| maker.term(&vars, sort, depth)).collect();
            maker.terms.call(predicate, &args).unwrap()
        };
        let atoms = if i == 0 || maker.rng.one_in(5) { Vec::new() } else { vec![atom(&mut maker)] };
        let head = if i > 0 && maker.rng.one_in(4) { None } else { Some(atom(&mut maker)) };
        let mut constraints = vec![maker.term(&vars, SortId::BOOL, 2)];
        if maker.rng.bool() {
            let sort = maker.terms.sort(vars[2]);
            let value = maker.term(&vars[..2], sort, 1);
            constraints.push(maker.terms.app(Op::Eq, &[vars[2], value]).unwrap());
        }
        let clause = Clause { vars: vars.clone(), atoms, constraints, head };
        problem.clauses.push(clause.term(maker.terms).unwrap());
    }
    problem
}

type Facts = BTreeMap<(FunId, Box<[Value]>), usize>;

/// All facts, with the length of their shortest derivations; and that of `false`.
fn derive(terms: &mut Terms, problem: &HornProblem) -> (Facts, Option<usize>) {
    let set: FxHashSet<FunId> = problem.predicates.iter().copied().collect();
    let parts: Vec<Clause> =
        problem.clauses.iter().map(|&clause| Clause::of(terms, &set, clause).unwrap()).collect();
    let parts: Vec<(Clause, Vec<FunId>)> =
        parts.into_iter().map(|clause| with_constants(terms, clause)).collect();
    let (mut facts, mut refuted) = (Facts::new(), None);
    let mut evaluator = Evaluator::new(terms);
    for round in 1..100 {
        let old = facts.clone();
        for (clause, vars) in &parts {
            for mut env in assignments(terms, vars) {
                let mut fact = |atom: TermId| {
                    let value = |&arg| evaluator.eval(arg, &mut env).unwrap();
                    let args: Vec<Value> = terms.args(atom).iter().map(value).collect();
                    (terms.applied(atom).unwrap(), args.into_boxed_slice())
                };
                let known = clause.atoms.iter().all(|&atom| old.contains_key(&fact(atom)));
                let head = clause.head.map(fact);
                if !known || !clause.constraints.iter().all(|&c| evaluator.holds(c, &mut env).unwrap()) {
                    continue;
                }
                match head {
                    Some(head) => {
                        facts.entry(head).or_insert(round);
                    }
                    None => refuted = refuted.or(Some(round)),
                }
            }
        }
        if facts == old {
            break;
        }
    }
    (facts, refuted)
}

/// A clause over constants in the place of its variables.
fn with_constants(terms: &mut Terms, clause: Clause) -> (Clause, Vec<FunId>) {
    let funs: Vec<FunId> = clause.vars.iter().map(|&var| terms.fresh("c", terms.sort(var))).collect();
    let map = clause.vars.iter().copied().zip(funs.iter().map(|&fun| terms.constant_term(fun))).collect();
    let mut put = |term: TermId| smt::subst::replace(terms, term, &map);
    let clause = Clause {
        vars: Vec::new(),
        atoms: clause.atoms.into_iter().map(&mut put).collect(),
        constraints: clause.constraints.into_iter().map(&mut put).collect(),
        head: clause.head.map(&mut put),
    };
    (clause, funs)
}

fn bindings(terms: &Terms, vars: &[TermId]) -> Vec<BTreeMap<TermId, Value>> {
    let mut found = vec![BTreeMap::new()];
    for &var in vars {
        let all = values(terms, terms.sort(var));
        let with = |old: &BTreeMap<TermId, Value>, value: &Value| {
            let mut new = old.clone();
            new.insert(var, value.clone());
            new
        };
        found = found
            .iter()
            .flat_map(|old| all.iter().map(|value| with(old, value)).collect::<Vec<_>>())
            .collect();
    }
    found
}

/// The system of linear clauses reaches exactly what can be derived; the exact set of its states, as an invariant, is a
/// solution.
#[test]
fn linear_clauses_are_systems() {
    let (mut refuted, mut solved) = (0, 0);
    for seed in 0..60 {
        let mut terms = Terms::new();
        let problem = clauses(&mut terms, &mut Rng::new(seed));
        let (facts, refutation) = derive(&mut terms, &problem);
        let made = linear(&mut terms, &problem).unwrap();
        assert_eq!(ts::verify(&terms, &made.system), []);
        let found = verdicts(&terms, &made.system)[0];
        assert_eq!(found.is_some(), refutation.is_some(), "seed {seed}");
        match found {
            Some(_) => refuted += 1,
            None => {
                solved += 1;
                let invariant = reachable(&mut terms, &made.system);
                let solution = made.solution(&mut terms, invariant).unwrap();
                check_solution(&terms, &facts, &solution, seed);
                solution_survives(&mut terms, &problem, &solution);
            }
        }
    }
    assert!(refuted > 10 && solved > 10, "{refuted} refuted, {solved} solved");
}

/// The reachable states as a formula.
fn reachable(terms: &mut Terms, system: &ts::System) -> TermId {
    let funs: Vec<FunId> = system.states.iter().map(|state| state.now).collect();
    let steps = Space::new(terms, system).occurring();
    let mut cubes = Vec::new();
    for state in steps {
        let literals: Vec<TermId> = funs
            .iter()
            .map(|&fun| {
                let value = state.get(fun).unwrap().to_term(terms);
                let fun = terms.constant_term(fun);
                terms.app(Op::Eq, &[fun, value]).unwrap()
            })
            .collect();
        cubes.push(terms.and(&literals));
    }
    terms.or(&cubes)
}

/// The solution says what can be derived, but of arguments that do not matter nothing: it does not speak of them.
fn check_solution(terms: &Terms, facts: &Facts, solution: &[ts::passes::horn::Meaning], seed: u64) {
    for meaning in solution {
        let mut env = Assignment::new();
        env.interpret(meaning.predicate, Interpretation::Body(meaning.params.clone().into(), meaning.body));
        let spoken = smt::subst::free_vars(terms, meaning.body);
        let kept = |args: &[Value]| -> Vec<Value> {
            let args = args.iter().zip(&meaning.params);
            args.filter(|(_, param)| spoken.contains(param)).map(|(value, _)| value.clone()).collect()
        };
        let of_predicate = facts.keys().filter(|(predicate, _)| *predicate == meaning.predicate);
        let derived: Vec<Vec<Value>> = of_predicate.map(|(_, args)| kept(args)).collect();
        for vars in bindings(terms, &meaning.params) {
            let args: Vec<Value> = meaning.params.iter().map(|param| vars[param].clone()).collect();
            let mut copy = terms.clone();
            let map = vars.iter().map(|(&var, value)| (var, value.to_term(&mut copy))).collect();
            let body = smt::subst::replace(&mut copy, meaning.body, &map);
            let holds = Evaluator::new(&copy).holds(body, &mut ()).unwrap();
            assert_eq!(holds, derived.contains(&kept(&args)), "seed {seed}");
        }
    }
}

fn solution_survives(terms: &mut Terms, problem: &HornProblem, solution: &[ts::passes::horn::Meaning]) {
    let text = chc::write_model(terms, solution);
    let mut errors = Vec::new();
    let source = Source { bytes: text.as_bytes(), base: 0 };
    let again = chc::read_model(terms, &problem.predicates, source, &mut errors).unwrap();
    for (a, b) in solution.iter().zip(&again) {
        assert_eq!((a.predicate, &a.params, a.body), (b.predicate, &b.params, b.body));
    }
}

/// A trace of the system is a derivation, and one of the clauses of a system is a trace.
#[test]
fn derivations_and_traces() {
    let text = "(set-logic HORN)(declare-fun p ((_ BitVec 3)) Bool)(declare-fun q ((_ BitVec 3) Bool) Bool)
        (assert (forall ((x (_ BitVec 3)) (y (_ BitVec 3))) (=> (bvult (bvmul x y) x) (p x))))
        (assert (forall ((x (_ BitVec 3))) (=> (p x) (q (bvadd x #b001) true))))
        (assert (forall ((x (_ BitVec 3)) (b Bool)) (=> (q x b) (q (bvadd x #b010) (not b)))))
        (assert (forall ((x (_ BitVec 3))) (=> (and (q x false) (= x #b000)) false)))";
    let mut terms = Terms::new();
    let mut errors = Vec::new();
    let source = Source { bytes: text.as_bytes(), base: 0 };
    let problem = chc::read_clauses(&mut terms, source, &mut errors).unwrap();
    let made = linear(&mut terms, &problem).unwrap();
    let trace = support::explore::counterexample(&terms, &made.system, &made.system.properties[0]).unwrap();
    assert_eq!(trace.check(&terms, &made.system, &made.system.properties[0]), Ok(()));
    let derivation = made.derivation(&mut terms, &trace).unwrap();
    let used: Vec<usize> = derivation.iter().map(|application| application.clause).collect();
    assert_eq!((used.first(), used[1], used.last()), (Some(&0), 1, Some(&3)));

    let encoded = encode(&mut terms, &made.system, &[0]).unwrap();
    let second = linear(&mut terms, &encoded.problem).unwrap();
    let found =
        support::explore::counterexample(&terms, &second.system, &second.system.properties[0]).unwrap();
    let back = encoded.trace(&second.derivation(&mut terms, &found).unwrap());
    assert_eq!(back.check(&terms, &made.system, &made.system.properties[0]), Ok(()));
}

#[test]
fn solutions_are_complete() {
    let mut terms = Terms::new();
    let text = "(set-logic HORN)(declare-fun p (Int) Bool)(declare-fun q (Int) Bool)";
    let mut errors = Vec::new();
    let source = Source { bytes: text.as_bytes(), base: 0 };
    let problem = chc::read_clauses(&mut terms, source, &mut errors).unwrap();
    let mut answer = |text: &str| {
        let mut errors = Vec::new();
        let source = Source { bytes: text.as_bytes(), base: 0 };
        chc::read_model(&mut terms, &problem.predicates, source, &mut errors)
            .map(|found| found.len())
            .ok_or(errors)
    };
    let (p, q) = ("(define-fun p ((x Int)) Bool (> x 0))", "(define-fun q ((x!0 Int)) Bool true)");
    assert_eq!(answer(&format!("sat\n({p}\n{q})")), Ok(2));
    assert_eq!(answer(&format!("sat (model {q} {p})")), Ok(2));
    assert_eq!(answer(&format!("{p}{q}")), Ok(2));
    let errors = answer(&format!("sat\n({p})")).unwrap_err();
    assert_eq!((errors[0].code.name(), &*errors[0].message), ("CHC004", "the predicate `q` is not defined"));
}

/// Live properties cannot be written.
#[test]
fn only_invariants_are_written() {
    let mut terms = Terms::new();
    let mut system = system(&mut terms, &mut Rng::new(7), false);
    system.properties[0].kind = ts::PropertyKind::Live(vec![TermId::TRUE]);
    let error =
        chc::write(&mut terms, &Model::Systems(vec![system]), &formats::Options::default()).unwrap_err();
    assert!(error.message.starts_with("property 0 is about infinite executions"));
}

/// Files of the corpus that are refused, and why.
const REFUSED: &[(&str, &str)] = &[
    ("bubble-quans2b.smt2", "CHC001"),
    ("bubble-quans3.smt2", "SMT014"),
    ("illformed.smt2", "CHC003"),
    ("array-exception.smt2", "CHC001"),
    ("heaps.smt2", "CHC001"),
];

#[test]
fn corpus() {
    let Some(corpus) = testkit::corpus_or_skip("Horn clauses of the corpus") else { return };
    let (mut linear, mut other, mut refused) = (0, 0, 0);
    for path in files(&corpus.join("ts/chc"), &["smt2"]) {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut terms = Terms::new();
        match read("chc", &mut terms, &text) {
            Ok(model) => {
                *if matches!(model, Model::Systems(_)) { &mut linear } else { &mut other } += 1;
                let again = chc::write(&mut terms, &model, &formats::Options::default()).unwrap();
                let again = read("chc", &mut Terms::new(), std::str::from_utf8(&again).unwrap());
                let again = again.unwrap_or_else(|errors| panic!("{}: {errors:?}", path.display()));
                let same = matches!(model, Model::Systems(_)) == matches!(again, Model::Systems(_));
                assert!(same, "{}", path.display());
            }
            Err(errors) => {
                refused += 1;
                let name = path.file_name().unwrap().to_str().unwrap();
                let known = REFUSED.iter().any(|&(file, code)| file == name && errors[0].code.name() == code);
                assert!(known || errors[0].message.contains("declare-heap"), "{name}: {:?}", errors[0]);
            }
        }
    }
    eprintln!("Horn clauses: {linear} linear, {other} not, {refused} refused");
    assert!(linear > 300 && refused < 20);
}
