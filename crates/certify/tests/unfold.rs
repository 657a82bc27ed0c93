//! Clauses in which predicates were put in place: they are refuted when those of the file are, and evidence about them becomes
//! evidence that the checker accepts.

mod support;

use base::budget::Budget;
use certify::{Judged, check_derivation, check_model};
use rustc_hash::FxHashMap;
use smt::eval::{Assignment, Evaluator};
use smt::horn::HornProblem;
use smt::op::Op;
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;
use support::problem;
use testkit::Rng;
use ts::passes::horn::{Application, Clause, Deduction, Ground, Meaning, Where, linear, unfold};

/// Clauses about words of one bit. `p0` comes back to itself, the others rest on those before them, mostly.
fn random(rng: &mut Rng) -> String {
    let count = rng.between(2, 5);
    let arity: Vec<usize> = (0..count).map(|_| rng.between(1, 3)).collect();
    let mut text = String::new();
    for (i, &arity) in arity.iter().enumerate() {
        let sorts = vec!["(_ BitVec 1)"; arity].join(" ");
        text.push_str(&format!("(declare-fun p{i} ({sorts}) Bool)\n"));
    }
    let term = |rng: &mut Rng| match rng.below(8) {
        0 => format!("#b{}", rng.below(2)),
        1 => format!("(bvadd {} #b1)", ["a", "b", "c", "d"][rng.below(4)]),
        n => ["a", "b", "c", "d"][n % 4].to_string(),
    };
    let atom = |rng: &mut Rng, which: usize| {
        let args: Vec<String> = (0..arity[which]).map(|_| term(rng)).collect();
        format!("(p{which} {})", args.join(" "))
    };
    let mut clause = |rng: &mut Rng, atoms: &[usize], head: Option<usize>| {
        let mut body: Vec<String> = atoms.iter().map(|&which| atom(rng, which)).collect();
        for _ in 0..rng.between(1, 3) {
            let (left, right) = (term(rng), term(rng));
            body.push(format!("({} {left} {right})", ["=", "distinct", "bvult", "="][rng.below(4)]));
        }
        let head = head.map_or("false".to_string(), |head| atom(rng, head));
        let sorts = ["a", "b", "c", "d"].map(|name| format!("({name} (_ BitVec 1))")).join(" ");
        text.push_str(&format!("(assert (forall ({sorts}) (=> (and {}) {head})))\n", body.join(" ")));
    };
    for which in 1..count {
        for _ in 0..rng.between(1, 3) {
            let below = which.min(count - 1);
            let atoms: Vec<usize> =
                (0..rng.below(3)).map(|_| 1 + rng.below(below)).filter(|&i| i < which).collect();
            clause(rng, &atoms, Some(which));
        }
    }
    clause(rng, &[], Some(0));
    for _ in 0..rng.between(1, 3) {
        let mut atoms = vec![0];
        atoms.extend((0..rng.below(3)).map(|_| rng.below(count)));
        clause(rng, &atoms, Some(0));
    }
    let goal: Vec<usize> = (0..rng.between(1, 3)).map(|_| rng.below(count)).collect();
    clause(rng, &goal, None);
    text
}

type Facts = FxHashMap<(FunId, Vec<Value>), usize>;

/// All facts with the places of their deductions, which end with one of `false` if there is any.
fn derive(terms: &mut Terms, problem: &HornProblem) -> (Facts, Vec<Deduction>, bool) {
    let predicates = problem.predicates.iter().copied().collect();
    let clauses: Vec<Clause> = problem
        .clauses
        .iter()
        .map(|&clause| Clause::of(terms, &predicates, clause).expect("a clause"))
        .collect();
    let ground: Vec<Ground> = clauses.iter().map(|clause| Ground::of(terms, clause)).collect();
    let (mut facts, mut deductions) = (Facts::default(), Vec::new());
    loop {
        let before = deductions.len();
        for (clause, ground) in ground.iter().enumerate() {
            let mut evaluator = Evaluator::new(terms);
            for number in 0..1u32 << ground.vars.len() {
                let value = |i: usize| Value::bits(1, number >> i & 1);
                let values: Vec<Value> = (0..ground.vars.len()).map(value).collect();
                let mut env = Assignment::new();
                for (&var, value) in ground.vars.iter().zip(&values) {
                    env.set(var, value.clone());
                }
                if !ground.constraints.iter().all(|&c| evaluator.holds(c, &mut env).expect("a truth value")) {
                    continue;
                }
                let mut fact = |atom: TermId| {
                    let args =
                        terms.args(atom).iter().map(|&arg| evaluator.eval(arg, &mut env).expect("a value"));
                    (terms.applied(atom).expect("an atom"), args.collect::<Vec<_>>())
                };
                let premises: Option<Vec<usize>> =
                    ground.atoms.iter().map(|&atom| facts.get(&fact(atom)).copied()).collect();
                let head = ground.head.map(&mut fact);
                let Some(premises) = premises else { continue };
                if head.as_ref().is_some_and(|head| facts.contains_key(head)) {
                    continue;
                }
                deductions.push(Deduction { applied: Application { clause, values }, premises });
                match head {
                    Some(head) => drop(facts.insert(head, deductions.len() - 1)),
                    None => return (facts, deductions, true),
                }
            }
        }
        if deductions.len() == before {
            return (facts, deductions, false);
        }
    }
}

/// The solution that says of each predicate which facts it has.
fn exact(terms: &mut Terms, problem: &HornProblem, facts: &Facts) -> Vec<Meaning> {
    let mut found = Vec::new();
    for &predicate in &problem.predicates {
        let sorts = terms.fun(predicate).params.clone();
        let params: Vec<TermId> = sorts
            .iter()
            .enumerate()
            .map(|(i, &sort)| {
                let name = terms.names.intern(&format!("param.{i}"));
                terms.var(name, sort)
            })
            .collect();
        let mut cubes = Vec::new();
        for ((_, args), _) in facts.iter().filter(|((fun, _), _)| *fun == predicate) {
            let equal = |(&param, value): (&TermId, &Value)| {
                let value = value.to_term(terms);
                terms.app(Op::Eq, &[param, value]).expect("one sort")
            };
            let equal: Vec<TermId> = params.iter().zip(args).map(equal).collect();
            cubes.push(terms.and(&equal));
        }
        found.push(Meaning { predicate, params, body: terms.or(&cubes) });
    }
    found
}

/// All values of more variables than this are too many to try.
const MANY: usize = 12;

fn variables(terms: &Terms, clause: TermId) -> usize {
    if terms.op(clause) == Op::Forall { terms.args(clause).len() - 1 } else { 0 }
}

#[test]
fn evidence_comes_back() {
    comes_back(Where::Beside);
}

#[test]
fn evidence_comes_back_from_everywhere() {
    comes_back(Where::Everywhere);
}

fn comes_back(place: Where) {
    let (mut refuted, mut solved, mut smaller) = (0, 0, 0);
    for seed in 0..400 {
        let mut terms = Terms::new();
        let text = random(&mut Rng::new(seed));
        let problem = problem(&mut terms, &text);
        let Some(unfolded) = unfold(&mut terms, &problem, place) else { continue };
        if place == Where::Beside {
            assert!(linear(&mut terms, &unfolded.problem).is_ok(), "seed {seed}: {text}");
        }
        if unfolded.problem.clauses.iter().any(|&clause| variables(&terms, clause) > MANY) {
            continue;
        }
        smaller += usize::from(unfolded.problem.predicates.len() < problem.predicates.len());
        let (_, _, is_refuted) = derive(&mut terms, &problem);
        let (facts, deductions, again) = derive(&mut terms, &unfolded.problem);
        assert_eq!(is_refuted, again, "seed {seed}: {text}");
        if is_refuted {
            refuted += 1;
            let derivation = unfolded.derivation(&mut terms, &deductions).expect("values");
            let judged = check_derivation(&mut terms, &problem, &derivation);
            assert_eq!(judged, Judged::Confirmed, "seed {seed}: {text}");
        } else {
            solved += 1;
            let solution = exact(&mut terms, &unfolded.problem, &facts);
            let solution = unfolded.solution(&mut terms, solution).expect("formulas");
            let mut solver = solver::open("z3").expect("a solver");
            let judged = check_model(&mut terms, &problem, &solution, &mut *solver, &Budget::unlimited());
            assert_eq!(judged, Judged::Confirmed, "seed {seed}: {text}");
        }
    }
    assert!(
        refuted > 20 && solved > 20 && smaller > 20,
        "{refuted} refuted, {solved} solved, {smaller} smaller"
    );
}

#[test]
fn what_comes_back_through_several_atoms_stays() {
    let mut terms = Terms::new();
    let text = "(declare-fun p (Int) Bool) (declare-fun q (Int) Bool)
        (assert (forall ((n Int)) (=> (= n 1) (p n))))
        (assert (forall ((n Int) (m Int)) (=> (and (p n) (p m)) (p (+ n m)))))
        (assert (forall ((n Int)) (=> (and (p n) (< n 1)) false)))";
    let problem = problem(&mut terms, text);
    assert!(unfold(&mut terms, &problem, Where::Beside).is_none());
}

/// Each predicate stands twice in the next one: there are too many ways to put them all in place.
#[test]
fn growth_has_a_limit() {
    let mut text = String::from("(declare-fun p0 (Int) Bool) (assert (p0 0)) (assert (p0 1))");
    for i in 1..40 {
        let below = i - 1;
        text.push_str(&format!(
            "(declare-fun p{i} (Int) Bool)
             (assert (forall ((n Int) (m Int)) (=> (and (p{below} n) (p{below} m)) (p{i} (+ n m)))))"
        ));
    }
    text.push_str("(assert (forall ((n Int)) (=> (and (p39 n) (p0 n)) false)))");
    let mut terms = Terms::new();
    let problem = problem(&mut terms, &text);
    assert!(unfold(&mut terms, &problem, Where::Beside).is_none());
    // As far as it goes.
    let unfolded = unfold(&mut terms, &problem, Where::Everywhere).expect("the first ones have few ways");
    let left = unfolded.problem.predicates.len();
    assert!((30..40).contains(&left), "{left}");
}

/// A value that only an equation names has no variable of its own in the solution.
#[test]
fn meanings_have_no_variables_that_equations_name() {
    let mut terms = Terms::new();
    let text = "(declare-fun twice (Int Int) Bool) (declare-fun inv (Int) Bool)
        (assert (forall ((x Int) (y Int) (z Int)) (=> (and (= y (+ x 1)) (= z (* 2 y))) (twice x z))))
        (assert (inv 0))
        (assert (forall ((x Int) (y Int)) (=> (and (inv x) (twice x y)) (inv y))))
        (assert (forall ((x Int) (y Int)) (=> (and (inv x) (twice x y) (< y 0)) false)))";
    let problem = problem(&mut terms, text);
    let unfolded = unfold(&mut terms, &problem, Where::Beside).expect("linear clauses");
    let [inv] = unfolded.problem.predicates[..] else { panic!("one predicate is left") };
    let name = terms.names.intern("x");
    let x = terms.var(name, smt::sort::SortId::INT);
    let zero = terms.int(0);
    let body = terms.app(Op::Ge, &[x, zero]).expect("a formula");
    let solution = unfolded.solution(&mut terms, vec![Meaning { predicate: inv, params: vec![x], body }]);
    let solution = solution.expect("formulas");
    assert!(
        solution
            .iter()
            .all(|meaning| !smt::print::term_text(&terms, meaning.body).to_string().contains("exists"))
    );
    let mut solver = solver::open("z3").expect("a solver");
    let judged = check_model(&mut terms, &problem, &solution, &mut *solver, &Budget::unlimited());
    assert_eq!(judged, Judged::Confirmed);
}
