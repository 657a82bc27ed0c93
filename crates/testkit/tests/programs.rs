//! The judge of random programs, on programs whose verdict is known by hand.

use std::collections::BTreeMap;
use testkit::programs::syntax::{
    Arg, Decl, Draw, Kind, Op, Proc, Program, Property, Sort, Stmt, Tag, Term, Var, app,
};
use testkit::programs::{Judgement, Limits, generate, judge, smaller};

const X: Var = Var::Local(0);

fn x() -> Term {
    Term::Var(X)
}

fn set(term: Term) -> Stmt {
    Stmt::of(Kind::Assign(vec![(X, term)]))
}

fn seq(list: impl Into<Vec<Stmt>>) -> Stmt {
    Stmt::of(Kind::Sequence(list.into()))
}

fn tagged(stmt: Stmt, tag: Tag, properties: impl Into<Vec<Property>>) -> Stmt {
    Stmt { tag: Some(tag), properties: properties.into(), ..stmt }
}

fn repeat(condition: Term, body: Stmt) -> Stmt {
    Stmt::of(Kind::While(condition, Box::new(body)))
}

fn less(a: Term, b: Term) -> Term {
    app(Op::Lt, [a, b])
}

fn plus(a: Term, b: i64) -> Term {
    app(Op::Add, [a, Term::Int(b)])
}

fn proc(name: &str, inputs: &[&str], locals: &[&str], body: Stmt, group: Option<usize>) -> Proc {
    let decls = |names: &[&str]| -> Vec<Decl> {
        names.iter().map(|name| Decl { name: (*name).into(), sort: Sort::Int }).collect()
    };
    Proc { name: name.into(), inputs: decls(inputs), outputs: Vec::new(), locals: decls(locals), body, group }
}

fn program(procs: Vec<Proc>, args: Vec<Arg>) -> Program {
    Program { globals: Vec::new(), procs, args, annotates: false }
}

/// A program of one procedure with the local `x`.
fn main(body: impl Into<Vec<Stmt>>) -> Program {
    program(vec![proc("main", &[], &["x"], tagged(seq(body), 1, []), None)], Vec::new())
}

fn fine(program: &Program) {
    assert_eq!(judge(program, Limits::default()), Judgement::Fine, "{program}");
}

fn violated(program: &Program, what: &str) {
    assert_eq!(judge(program, Limits::default()), Judgement::Violated(what.into()), "{program}");
}

fn check(tag: Tag, term: Term) -> Stmt {
    tagged(seq([]), tag, [Property::CheckTrue(term)])
}

#[test]
fn a_check_on_a_loop_is_judged_at_each_visit() {
    let count = |bound| {
        let head = repeat(less(x(), Term::Int(3)), set(plus(x(), 1)));
        main([set(Term::Int(0)), tagged(head, 2, [Property::CheckTrue(less(x(), Term::Int(bound)))])])
    };
    fine(&count(4));
    violated(&count(3), ":check-true of t2");
}

#[test]
fn drawn_values_are_all_tried_and_no_others() {
    let draw = |low| {
        let draw = Draw { vars: vec![X], low, high: 3, fresh: false };
        main([Stmt::of(Kind::Draw(draw)), check(2, app(Op::Le, [Term::Int(0), x()]))])
    };
    fine(&draw(0));
    violated(&draw(-1), ":check-true of t2");
}

#[test]
fn endless_loops_are_found_and_what_is_behind_them_is_not_reached() {
    let endless = |property| {
        let head = tagged(repeat(Term::Bool(true), seq([])), 2, [property]);
        main([head, check(3, Term::Bool(false))])
    };
    violated(&endless(Property::NotRecurring), ":not-recurring of t2");
    fine(&endless(Property::Recurring));
    // The inner loop avoids the outer head for ever.
    let inner = tagged(repeat(Term::Bool(true), seq([])), 3, []);
    let nested = main([tagged(repeat(Term::Bool(true), inner), 2, [Property::Recurring])]);
    violated(&nested, ":recurring of t2");
}

#[test]
fn ranking_functions_have_to_decrease_from_where_they_are_not_negative() {
    let down = |rank: Vec<Term>| {
        let head = repeat(less(Term::Int(0), x()), set(plus(x(), -2)));
        main([set(Term::Int(5)), tagged(head, 2, [Property::Decreases(rank)])])
    };
    fine(&down(vec![x()]));
    violated(&down(vec![plus(x(), -4)]), ":decreases of t2");
    fine(&down(vec![Term::Int(7), x()]));
    violated(&down(vec![app(Op::Sub, [Term::Int(9), x()]), x()]), ":decreases of t2");
}

/// `down(n)` calls itself with `n + step` under a condition.
fn recursion(condition: Term, step: i64, properties: Vec<Property>) -> Program {
    let call = Stmt::of(Kind::Call(0, vec![plus(x(), step)], Vec::new()));
    let body = tagged(Stmt::of(Kind::If(condition, Box::new(call), None)), 1, properties);
    let start = Stmt::of(Kind::Call(0, vec![Term::Int(3)], Vec::new()));
    let main = proc("main", &[], &[], tagged(seq([start, check(3, Term::Bool(false))]), 2, []), None);
    program(vec![proc("down", &["n"], &[], body, Some(0)), main], Vec::new())
}

#[test]
fn recursion_without_end_is_decided() {
    let positive = less(Term::Int(0), x());
    violated(&recursion(positive.clone(), -1, Vec::new()), ":check-true of t3");
    fine(&recursion(Term::Bool(true), 0, Vec::new()));
    violated(&recursion(Term::Bool(true), 0, vec![Property::NotRecurring]), ":not-recurring of t1");
    fine(&recursion(Term::Bool(true), 0, vec![Property::Recurring]));
    violated(&recursion(Term::Bool(true), 0, vec![Property::Decreases(vec![x()])]), ":decreases of t1");
    violated(&recursion(positive, -1, vec![Property::Decreases(vec![x()])]), ":check-true of t3");
    assert_eq!(judge(&recursion(Term::Bool(true), 1, Vec::new()), Limits::default()), Judgement::TooBig);
}

#[test]
fn at_terms_mean_the_last_visit() {
    let look = |term| {
        let head = repeat(less(x(), Term::Int(3)), seq([set(plus(x(), 1)), check(3, term)]));
        main([set(Term::Int(0)), tagged(head, 2, [])])
    };
    fine(&look(app(Op::Eq, [x(), plus(Term::At(X, 2), 1)])));
    violated(&look(app(Op::Eq, [Term::At(X, 2), Term::Int(0)])), ":check-true of t3");
}

#[test]
fn equal_seeds_give_equal_programs_and_every_feature_occurs() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..300 {
        let program = generate(seed);
        assert_eq!(program, generate(seed));
        for feature in program.features() {
            *counts.entry(feature).or_default() += 1;
        }
    }
    assert_eq!(counts.len(), 17, "{counts:?}");
    assert!(counts.values().all(|&count| count >= 15), "{counts:?}");
}

#[test]
fn programs_shrink_to_what_matters() {
    let is_wrong = |program: &Program| matches!(judge(program, Limits::default()), Judgement::Violated(_));
    let mut program =
        generate((0..).find(|&seed| is_wrong(&generate(seed))).expect("there are such programs"));
    let before = program.to_string().len();
    while let Some(next) = smaller(&program).into_iter().find(is_wrong) {
        program = next;
    }
    assert!(program.to_string().len() < before / 2, "{program}");
}
