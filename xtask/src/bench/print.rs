//! Printing terms: the time must grow with the graph, whatever its shape.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

use smt::op::Op;
use smt::sort::SortId;
use smt::term::{TermId, Terms};
use testkit::Rng;

use crate::registry::{Command, Error};

pub(super) const COMMAND: Command =
    Command { name: "print", about: "Prints large shared terms of several shapes.", run };

/// Builds a term with about so many nodes.
type Shape = fn(&mut Terms, usize) -> TermId;

const SHAPES: &[(&str, Shape)] = &[
    ("chain, all shared", chain),
    ("random graph", random),
    ("graph under one binder", under_binder),
    ("nested binders", nested),
];

fn run(arguments: &[String]) -> Result<ExitCode, Error> {
    if let Some(argument) = arguments.first() {
        return Err(Error::Usage(format!("no option `{argument}`")));
    }
    let mut out = io::stdout();
    writeln!(out, "{:<26}{:>12}{:>12}{:>12}{:>14}", "shape", "nodes", "text MB", "ms", "ns per node")?;
    for (name, shape) in SHAPES {
        for nodes in [10_000, 100_000, 1_000_000] {
            let mut terms = Terms::new();
            let term = shape(&mut terms, nodes);
            let begin = Instant::now();
            let text = smt::print::term_text(&terms, term);
            let time = begin.elapsed();
            let (megabytes, milliseconds) = (text.len() as f64 / 1e6, time.as_secs_f64() * 1e3);
            let each = time.as_nanos() as f64 / nodes as f64;
            writeln!(out, "{name:<26}{nodes:>12}{megabytes:>12.2}{milliseconds:>12.1}{each:>14.0}")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn variable(terms: &mut Terms, name: &str, sort: SortId) -> TermId {
    let name = terms.names.intern(name);
    terms.var(name, sort)
}

/// Applications whose arguments fit; the shapes below only make such.
fn app(terms: &mut Terms, op: Op, args: &[TermId]) -> TermId {
    terms.app(op, args).unwrap_or(TermId::ERROR)
}

fn chain(terms: &mut Terms, nodes: usize) -> TermId {
    let mut term = terms.int(1);
    for _ in 0..nodes {
        term = app(terms, Op::Add, &[term, term]);
    }
    app(terms, Op::Eq, &[term, term])
}

fn graph(terms: &mut Terms, nodes: usize, leaf: TermId) -> TermId {
    let mut rng = Rng::new(1);
    let mut all = vec![leaf, terms.int(1)];
    while all.len() < nodes {
        let recent = all.len().min(1000);
        let (a, b) = (all[all.len() - 1 - rng.below(recent)], all[all.len() - 1 - rng.below(recent)]);
        let op = *rng.choose(&[Op::Add, Op::Mul, Op::Sub]);
        all.push(app(terms, op, &[a, b]));
    }
    let half = all.len() / 2;
    let sum = app(terms, Op::Add, &all[half..]);
    app(terms, Op::Eq, &[sum, leaf])
}

fn random(terms: &mut Terms, nodes: usize) -> TermId {
    let leaf = terms.int(7);
    graph(terms, nodes, leaf)
}

fn under_binder(terms: &mut Terms, nodes: usize) -> TermId {
    let var = variable(terms, "x", SortId::INT);
    let body = graph(terms, nodes, var);
    terms.bind(Op::Forall, &[var], body).unwrap_or(TermId::ERROR)
}

fn nested(terms: &mut Terms, nodes: usize) -> TermId {
    let mut term = TermId::TRUE;
    for i in 0..nodes / 4 {
        let var = variable(terms, &format!("x{}", i % 100), SortId::INT);
        let one = terms.int(1);
        let sum = app(terms, Op::Add, &[var, one]);
        let less = app(terms, Op::Lt, &[sum, var]);
        let body = app(terms, Op::And, &[less, term]);
        term = terms.bind(Op::Exists, &[var], body).unwrap_or(TermId::ERROR);
    }
    term
}
