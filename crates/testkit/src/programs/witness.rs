//! Correctness witnesses for a program: random ones, and the strongest one there is.

use super::eval::{Value, to_term};
use super::explore::{Context, EXIT, Edge, Graph, Limits};
use super::flat::Instr;
use super::print::Names;
use super::syntax::{Kind, Op, Program, Property, Sort, Tag, Term, Var, app};
use crate::Rng;
use std::collections::BTreeMap;

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
    if rng.one_in(4) {
        return Term::Int(0);
    }
    let var = Term::Var(*rng.choose(&numbers));
    if rng.bool() { var } else { app(Op::Sub, [Term::Int(rng.between(2, 6) as i64), var]) }
}

/// The strongest safety witness: exactly the reachable states at every loop head and label, and exactly what each
/// procedure does. None if there are too many. If a property is violated, it is about the states that are found until
/// then.
///
/// Heads that no execution visits for ever get the number of visits to come as their ranking function, recursive
/// procedures the depth of the recursion to come.
///
/// A variation says less here and there, which leaves it inductive often, and has some ranking functions at random.
pub fn exact_witness(program: &Program, limits: Limits, variation: Option<u64>) -> Option<String> {
    let graph = Graph::explore(program, limits);
    let rng = variation.map(Rng::new);
    let mut exact = Exact { program, graph: &graph, rng, lines: Vec::new(), fits: true };
    let mut seen = exact.seen();
    program.walk(&mut |proc, stmt| {
        if let (Some(tag), Kind::While(..) | Kind::Label(_)) = (stmt.tag, &stmt.kind) {
            exact.head(proc, tag, seen.remove(&tag).unwrap_or_default());
        }
    });
    for proc in 0..program.procs.len() - 1 {
        exact.contract(proc);
    }
    let Exact { lines, fits, .. } = exact;
    (graph.complete && fits).then(|| group(&lines))
}

/// A term and its sort; in each state it has one value.
type Column = (Term, Sort);

/// States as values of columns, each with the greatest rank that it has, if all have one.
type Rows = BTreeMap<Vec<Value>, Option<usize>>;

fn insert(rows: &mut Rows, row: Vec<Value>, rank: Option<usize>) {
    rows.entry(row).and_modify(|known| *known = known.zip(rank).map(|(a, b)| a.max(b))).or_insert(rank);
}

struct Exact<'p> {
    program: &'p Program,
    graph: &'p Graph,
    /// For variations.
    rng: Option<Rng>,
    lines: Vec<String>,
    /// No annotation is too long.
    fits: bool,
}

impl Exact<'_> {
    /// The states at each tag: variables, globals, and globals at the entry of called procedures.
    fn seen(&self) -> BTreeMap<Tag, Rows> {
        let (graph, program) = (self.graph, self.program);
        let mut seen: BTreeMap<Tag, Rows> = BTreeMap::new();
        let mut ranks: BTreeMap<Tag, Option<Vec<usize>>> = BTreeMap::new();
        for (number, node) in graph.nodes.iter().enumerate().filter(|(_, node)| node.pc != EXIT) {
            let context = &graph.contexts[node.context];
            let code = &graph.code[context.proc];
            let Instr::Visit(visit) = &code.instrs[node.pc] else { continue };
            let count = program.procs[context.proc].variables().count();
            let mut row = [&node.values[..count], &node.values[code.size..]].concat();
            if context.proc + 1 != program.procs.len() {
                row.extend_from_slice(&graph.nodes[context.entry].values[code.size..]);
            }
            let ranks = ranks.entry(visit.tag).or_insert_with(|| visits_to_come(graph, visit.tag));
            insert(seen.entry(visit.tag).or_default(), row, ranks.as_ref().map(|ranks| ranks[number]));
        }
        seen
    }

    fn head(&mut self, proc: usize, tag: Tag, rows: Rows) {
        let mut columns: Vec<Column> =
            variables(self.program, proc).into_iter().map(|(var, sort)| (Term::Var(var), sort)).collect();
        if proc + 1 != self.program.procs.len() {
            columns.extend(self.entry_globals(proc));
        }
        let states = self.one_of(&columns, &rows);
        self.add(proc, tag, &Property::Invariant(states));
        self.rank(proc, tag, &columns, &rows);
    }

    fn add(&mut self, proc: usize, tag: Tag, property: &Property) {
        let text = Names { program: self.program, proc }.property(property);
        self.lines.push(format!("(annotate-tag t{tag} {text})"));
    }

    /// The ranks of the rows as a ranking function; in a variation something else often.
    fn rank(&mut self, proc: usize, tag: Tag, columns: &[Column], rows: &Rows) {
        let guess = match &mut self.rng {
            Some(rng) => match rng.below(3) {
                0 => return,
                1 => Some(number(self.program, proc, rng)),
                _ => None,
            },
            None => None,
        };
        let mut ranking = Term::Int(0);
        for (row, rank) in rows {
            let Some(rank) = rank else { return };
            ranking = app(Op::Ite, [equal(columns, row), Term::Int(*rank as i64), ranking]);
        }
        self.add(proc, tag, &Property::Decreases(vec![guess.unwrap_or(ranking)]));
    }

    fn contract(&mut self, proc: usize) {
        let (text, graph) = (&self.program.procs[proc], self.graph);
        let (ins, outs) = (text.inputs.len(), text.outputs.len());
        let (mut before, mut after) = (Rows::new(), Rows::new());
        let depths = depth_to_come(self.program, graph);
        let of_proc = |context: &&(usize, &Context)| context.1.proc == proc;
        for (number, context) in graph.contexts.iter().enumerate().filter(|c| of_proc(&c)) {
            let entry = &graph.nodes[context.entry].values;
            let start = [&entry[..ins], &entry[graph.code[proc].size..]].concat();
            for exit in &context.exits {
                insert(&mut after, [&start, &*graph.nodes[*exit].values].concat(), None);
            }
            insert(&mut before, start, depths.as_ref().map(|depths| depths[number]));
        }
        let vars = variables(self.program, proc);
        let column = |(var, sort): &(Var, Sort)| (Term::Var(*var), *sort);
        let inputs: Vec<Column> = vars[..ins].iter().map(column).collect();
        let outputs: Vec<Column> = vars[ins..ins + outs].iter().map(column).collect();
        let globals: Vec<Column> =
            vars[vars.len() - self.program.globals.len()..].iter().map(column).collect();
        let tag = text.body.tag.unwrap_or_default();
        let at_entry = [inputs.clone(), globals.clone()].concat();
        let requires = self.one_of(&at_entry, &before);
        let columns = [inputs, self.entry_globals(proc), outputs, globals].concat();
        let ensures = self.one_of(&columns, &after);
        self.add(proc, tag, &Property::Requires(requires));
        self.add(proc, tag, &Property::Ensures(ensures));
        if self.program.procs[proc].group.is_some() {
            self.rank(proc, tag, &at_entry, &before);
        }
    }

    /// The globals at the entry, as the body's tag sees them.
    fn entry_globals(&self, proc: usize) -> Vec<Column> {
        let tag = self.program.procs[proc].body.tag.unwrap_or_default();
        let globals = self.program.globals.iter().enumerate();
        globals.map(|(i, decl)| (Term::At(Var::Global(i), tag), decl.sort)).collect()
    }

    /// The columns have the values of one of the rows. A variation leaves columns out.
    fn one_of(&mut self, columns: &[Column], rows: &Rows) -> Term {
        self.fits &= rows.len() <= MANY;
        let mut kept = vec![true; columns.len()];
        if let Some(rng) = &mut self.rng
            && rng.one_in(3)
        {
            kept.fill_with(|| !rng.one_in(4));
        }
        let row = |row: &Vec<Value>| {
            let kept = columns.iter().zip(row).zip(&kept).filter(|(_, kept)| **kept).map(|(cell, _)| cell);
            let (columns, values): (Vec<Column>, Vec<Value>) =
                kept.map(|(c, v)| (c.clone(), v.clone())).unzip();
            equal(&columns, &values)
        };
        join(Op::Or, rows.keys().map(row).collect())
    }
}

/// The columns have the values of the row; open ones may be anything.
fn equal(columns: &[Column], row: &[Value]) -> Term {
    let known = columns.iter().zip(row).filter(|(_, value)| **value != Value::Open);
    let cell = |(column, value): (&Column, &Value)| app(Op::Eq, [column.0.clone(), to_term(value, column.1)]);
    join(Op::And, known.map(cell).collect())
}

/// How many visits of the tag can come after each node in the same call; none if there is no bound.
fn visits_to_come(graph: &Graph, tag: Tag) -> Option<Vec<usize>> {
    let edge = |edge: &Edge| match *edge {
        Edge::Step(from, to) | Edge::Over(from, _, to) => {
            Some((from, to, usize::from(graph.visits(to, tag))))
        }
        Edge::Call(..) => None,
    };
    longest(graph.nodes.len(), &graph.edges.iter().filter_map(edge).collect::<Vec<_>>())
}

/// How deep the recursion can still go in each context; none if there is no bound.
fn depth_to_come(program: &Program, graph: &Graph) -> Option<Vec<usize>> {
    let group = |context: usize| program.procs[graph.contexts[context].proc].group;
    let edge = |edge: &Edge| match *edge {
        Edge::Call(from, to) => {
            let (from, to) = (graph.nodes[from].context, graph.nodes[to].context);
            (group(from).is_some() && group(from) == group(to)).then_some((from, to, 1))
        }
        _ => None,
    };
    longest(graph.contexts.len(), &graph.edges.iter().filter_map(edge).collect::<Vec<_>>())
}

/// The weight of the heaviest way from each node; none if it has no bound, or takes long to find.
fn longest(count: usize, edges: &[(usize, usize, usize)]) -> Option<Vec<usize>> {
    let mut weights = vec![0; count];
    for _ in 0..300 {
        let mut changed = false;
        for &(from, to, weight) in edges.iter().rev() {
            if weights[from] < weights[to] + weight {
                weights[from] = weights[to] + weight;
                changed = true;
            }
        }
        if !changed {
            return Some(weights);
        }
    }
    None
}

fn join(op: Op, mut parts: Vec<Term>) -> Term {
    match parts.len() {
        0 => Term::Bool(op == Op::And),
        1 => parts.remove(0),
        _ => app(op, parts),
    }
}
