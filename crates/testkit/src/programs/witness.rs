//! Correctness witnesses for a program: random ones, and the strongest one there is.

use super::eval::{Value, to_term};
use super::explore::{EXIT, Graph, Limits};
use super::flat::Instr;
use super::print::Names;
use super::syntax::{Kind, Op, Program, Property, Sort, Tag, Term, Var, app};
use crate::Rng;
use std::collections::{BTreeMap, BTreeSet};

/// So many states are spelled out in one annotation at most.
const MANY: usize = 40;

/// Annotations of loops, labels and procedures at random, half of them trivial or mere bounds, so that they are
/// inductive often.
pub fn random_witness(program: &Program, seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let mut lines = Vec::new();
    program.walk(&mut |proc, stmt| {
        let Some(tag) = stmt.tag else { return };
        let is_head = matches!(stmt.kind, Kind::While(..) | Kind::Label(_));
        let is_body = program.procs[proc].body.tag == Some(tag);
        let mut add = |property: Property| {
            let text = Names { program, proc }.property(&property);
            lines.push(format!("(annotate-tag t{tag} {text})"));
        };
        if is_head && !rng.one_in(6) {
            for _ in 0..rng.between(1, 2) {
                add(Property::Invariant(fact(program, proc, &mut rng)));
            }
        }
        if is_head && rng.one_in(3) {
            add(Property::Decreases(vec![number(program, proc, &mut rng)]));
        }
        if is_body && rng.one_in(3) {
            add(Property::Requires(fact(program, proc, &mut rng)));
        }
        if is_body && rng.bool() {
            add(Property::Ensures(fact(program, proc, &mut rng)));
        }
        if is_body && program.procs[proc].group.is_some() && rng.bool() {
            add(Property::Decreases(vec![number(program, proc, &mut rng)]));
        }
    });
    group(&lines)
}

fn group(lines: &[String]) -> String {
    format!("((set-info :producer \"testkit\")\n{})\n", lines.join("\n"))
}

fn variables(program: &Program, proc: usize) -> Vec<(Var, Sort)> {
    let locals = program.procs[proc].variables().enumerate().map(|(i, decl)| (Var::Local(i), decl.sort));
    locals.chain(program.globals.iter().enumerate().map(|(i, decl)| (Var::Global(i), decl.sort))).collect()
}

fn fact(program: &Program, proc: usize, rng: &mut Rng) -> Term {
    let vars = variables(program, proc);
    if vars.is_empty() || rng.one_in(4) {
        return Term::Bool(!rng.one_in(8));
    }
    let mut atom = || {
        let (var, sort) = *rng.choose(&vars);
        let peers: Vec<Var> = vars.iter().filter(|v| v.1 == sort).map(|v| v.0).collect();
        let peer = Term::Var(*rng.choose(&peers));
        let literal = rng.between(0, 4) as i64;
        match sort {
            Sort::Int => match rng.below(5) {
                0 => app(Op::Le, [Term::Int(0), Term::Var(var)]),
                1 | 2 => app(Op::Le, [Term::Var(var), Term::Int(literal)]),
                3 => app(Op::Le, [Term::Var(var), peer]),
                _ => app(Op::Eq, [Term::Var(var), Term::Int(literal)]),
            },
            Sort::Bits(width) if rng.bool() => {
                let bound = Term::Bits(width, rng.below(1 << width) as u64);
                app(Op::BvUle, [Term::Var(var), bound])
            }
            Sort::Bool if rng.bool() => Term::Var(var),
            _ => app(Op::Eq, [Term::Var(var), peer]),
        }
    };
    let first = atom();
    let second = atom();
    match rng.below(4) {
        0 => app(Op::Or, [first, second]),
        1 => app(Op::And, [first, second]),
        _ => first,
    }
}

fn number(program: &Program, proc: usize, rng: &mut Rng) -> Term {
    let vars = variables(program, proc);
    let numbers: Vec<Var> = vars.iter().filter(|v| v.1 == Sort::Int).map(|v| v.0).collect();
    if numbers.is_empty() {
        return Term::Int(0);
    }
    let var = Term::Var(*rng.choose(&numbers));
    if rng.bool() { var } else { app(Op::Sub, [Term::Int(rng.between(2, 6) as i64), var]) }
}

/// The strongest safety witness: exactly the reachable states at every loop head and label, and exactly what each
/// procedure does. None if there are too many.
pub fn exact_witness(program: &Program, limits: Limits) -> Option<String> {
    let graph = Graph::explore(program, limits);
    let mut heads: BTreeMap<Tag, BTreeSet<Vec<Value>>> = BTreeMap::new();
    let main = program.procs.len() - 1;
    for node in &graph.nodes {
        let context = &graph.contexts[node.context];
        if node.pc == EXIT {
            continue;
        }
        let code = &graph.code[context.proc];
        if let Instr::Visit(visit) = &code.instrs[node.pc] {
            let count = program.procs[context.proc].variables().count();
            let mut seen = node.values[..count].to_vec();
            seen.extend_from_slice(&node.values[code.size..]);
            if context.proc != main {
                seen.extend_from_slice(&graph.nodes[context.entry].values[code.size..]);
            }
            heads.entry(visit.tag).or_default().insert(seen);
        }
    }
    let mut lines = Vec::new();
    let mut fits = true;
    program.walk(&mut |proc, stmt| {
        if !matches!(stmt.kind, Kind::While(..) | Kind::Label(_)) {
            return;
        }
        let Some(tag) = stmt.tag else { return };
        let mut columns: Vec<(Term, Sort)> =
            variables(program, proc).into_iter().map(|(var, sort)| (Term::Var(var), sort)).collect();
        if proc != main {
            columns.extend(entry_globals(program, proc));
        }
        let rows = heads.remove(&tag).unwrap_or_default();
        fits &= rows.len() <= MANY;
        let property = Property::Invariant(one_of(&columns, &rows));
        lines.push(format!("(annotate-tag t{tag} {})", Names { program, proc }.property(&property)));
    });
    for proc in 0..main {
        fits &= contract(program, &graph, proc, &mut lines);
    }
    (graph.complete && fits).then(|| group(&lines))
}

/// The globals at the entry, as the body's tag sees them.
fn entry_globals(program: &Program, proc: usize) -> Vec<(Term, Sort)> {
    let tag = program.procs[proc].body.tag.unwrap_or_default();
    let globals = program.globals.iter().enumerate();
    globals.map(|(i, decl)| (Term::At(Var::Global(i), tag), decl.sort)).collect()
}

fn contract(program: &Program, graph: &Graph, proc: usize, lines: &mut Vec<String>) -> bool {
    let text = &program.procs[proc];
    let (ins, outs) = (text.inputs.len(), text.outputs.len());
    let (mut before, mut after) = (BTreeSet::new(), BTreeSet::new());
    for context in graph.contexts.iter().filter(|context| context.proc == proc) {
        let entry = &graph.nodes[context.entry].values;
        let inputs = &entry[..ins];
        let globals = &entry[graph.code[proc].size..];
        before.insert([inputs, globals].concat());
        for exit in &context.exits {
            after.insert([inputs, globals, &*graph.nodes[*exit].values].concat());
        }
    }
    let vars = variables(program, proc);
    let column = |(var, sort): &(Var, Sort)| (Term::Var(*var), *sort);
    let inputs: Vec<(Term, Sort)> = vars[..ins].iter().map(column).collect();
    let outputs: Vec<(Term, Sort)> = vars[ins..ins + outs].iter().map(column).collect();
    let globals: Vec<(Term, Sort)> = vars[vars.len() - program.globals.len()..].iter().map(column).collect();
    let tag = text.body.tag.unwrap_or_default();
    let names = Names { program, proc };
    let requires = Property::Requires(one_of(&[inputs.clone(), globals.clone()].concat(), &before));
    let columns = [inputs, entry_globals(program, proc), outputs, globals].concat();
    let ensures = Property::Ensures(one_of(&columns, &after));
    lines.push(format!("(annotate-tag t{tag} {} {})", names.property(&requires), names.property(&ensures)));
    before.len() <= MANY && after.len() <= MANY
}

/// The columns have the values of one of the rows.
fn one_of(columns: &[(Term, Sort)], rows: &BTreeSet<Vec<Value>>) -> Term {
    let cell = |((term, sort), value): (&(Term, Sort), &Value)| {
        (*value != Value::Open).then(|| app(Op::Eq, [term.clone(), to_term(value, *sort)]))
    };
    let row = |row: &Vec<Value>| join(Op::And, columns.iter().zip(row).filter_map(cell).collect());
    join(Op::Or, rows.iter().map(row).collect())
}

fn join(op: Op, mut parts: Vec<Term>) -> Term {
    match parts.len() {
        0 => Term::Bool(op == Op::And),
        1 => parts.remove(0),
        _ => app(op, parts),
    }
}
