//! Which arrays are used at known indices only.
//!
//! An array may be read at a literal index, written at one, assigned, passed on, chosen from two, and made anew; then each
//! of its cells can be a variable. Arrays that are assigned to each other have the same cells. Anything else that is done
//! with an array as a whole (comparing two, quantifying over indices, giving it to a function) keeps all that it may be
//! equal to as they are.

use super::properties;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::eval::Evaluator;
use smt::op::Op;
use smt::print::term_text;
use smt::sort::Sort;
use smt::subst::postorder;
use smt::term::{Fun, FunId, Role, TermId, Terms};
use smt::value::Value;
use std::collections::{BTreeMap, BTreeSet};
use svlib::syntax::{CommandKind, ProcId, Script, StmtKind};

/// An array with more cells stays as it is.
const MOST_CELLS: usize = 64;
/// The effort for the value of an index.
const FUEL: u64 = 1_000;

/// Arrays that are taken apart.
#[derive(Debug)]
pub(super) struct Arrays {
    /// The cells of each array: index and variable.
    pub(super) parts: BTreeMap<FunId, Vec<(TermId, FunId)>>,
}

impl Arrays {
    /// The array variable of a term, also in the past.
    pub(super) fn variable(&self, terms: &Terms, term: TermId) -> Option<FunId> {
        variable(terms, term).filter(|array| self.parts.contains_key(array))
    }
}

/// The program variable that a term is, perhaps at a tag.
fn variable(terms: &Terms, term: TermId) -> Option<FunId> {
    let fun = terms.applied(term)?;
    match terms.fun(fun).role {
        Role::Variable(..) => Some(fun),
        Role::At(variable, _) => Some(variable),
        _ => None,
    }
}

/// The value of an index that is known, in one spelling for each value.
pub(super) fn index_of(terms: &mut Terms, index: TermId) -> Option<TermId> {
    let mut evaluator = Evaluator::new(terms).with_fuel(FUEL);
    let value = evaluator.eval(index, &mut ()).ok()?;
    // What division by zero gives is for the model to say.
    if evaluator.unspecified().is_some() {
        return None;
    }
    match value {
        Value::Int(_) | Value::BitVec { .. } | Value::Bool(_) => Some(value.to_term(terms)),
        _ => None,
    }
}

/// Looks for arrays that can be taken apart in these procedures; none when there is none.
pub(super) fn find(terms: &mut Terms, script: &Script, procs: &[ProcId]) -> Option<Arrays> {
    let mut search = Search::new(terms, script, procs);
    if search.number.is_empty() {
        return None;
    }
    search.statements(terms, script, procs);
    for (_, property) in properties(script, procs) {
        property.terms.iter().for_each(|&term| search.value(terms, term));
    }
    for command in &script.commands {
        if let CommandKind::Call(_, proc, args) = &command.kind {
            search.passed(terms, &script.procs[*proc].inputs, args);
        }
    }
    search.result(terms)
}

/// Arrays with one number flow into each other.
struct Search {
    number: FxHashMap<FunId, usize>,
    arrays: Vec<FunId>,
    leader: Vec<usize>,
    /// What cannot be taken apart, and the indices, by leader at the end.
    whole: Vec<bool>,
    indices: Vec<BTreeSet<TermId>>,
    /// For the terms that were looked at already: an array whose value a term has, but for some cells. If it may be that
    /// of several, they are united.
    flows: FxHashMap<TermId, Option<usize>>,
}

impl Search {
    fn new(terms: &Terms, script: &Script, procs: &[ProcId]) -> Self {
        let globals = script.commands.iter().filter_map(|command| match command.kind {
            CommandKind::DeclareVar(variable) => Some(variable),
            _ => None,
        });
        let own = procs.iter().flat_map(|&proc| {
            let proc = &script.procs[proc];
            proc.inputs.iter().chain(&proc.outputs).chain(&proc.locals).copied()
        });
        let is_array = |fun: &FunId| matches!(terms.sorts.get(terms.fun(*fun).result), Sort::Array(..));
        let mut arrays: Vec<FunId> = globals.chain(own).filter(is_array).collect();
        arrays.sort_unstable();
        arrays.dedup();
        let count = arrays.len();
        Search {
            number: arrays.iter().enumerate().map(|(number, &array)| (array, number)).collect(),
            arrays,
            leader: (0..count).collect(),
            whole: vec![false; count],
            indices: vec![BTreeSet::new(); count],
            flows: FxHashMap::default(),
        }
    }

    fn find(&mut self, mut number: usize) -> usize {
        while self.leader[number] != number {
            self.leader[number] = self.leader[self.leader[number]];
            number = self.leader[number];
        }
        number
    }

    fn union(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            self.leader[b] = a;
        }
    }

    fn statements(&mut self, terms: &mut Terms, script: &Script, procs: &[ProcId]) {
        let reached: FxHashSet<ProcId> = procs.iter().copied().collect();
        for stmt in script.stmts.iter().filter(|stmt| reached.contains(&stmt.proc)) {
            match &stmt.kind {
                StmtKind::Assume(term) | StmtKind::If(term, ..) | StmtKind::While(term, _) => {
                    self.value(terms, *term);
                }
                StmtKind::Assign(pairs) => {
                    pairs.iter().for_each(|&(target, term)| self.assigned(terms, target, term));
                }
                StmtKind::Call(proc, args, results) => {
                    self.passed(terms, &script.procs[*proc].inputs, args);
                    for (result, output) in results.iter().zip(&script.procs[*proc].outputs) {
                        if let (Some(&a), Some(&b)) = (self.number.get(result), self.number.get(output)) {
                            self.union(a, b);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn passed(&mut self, terms: &mut Terms, inputs: &[FunId], args: &[TermId]) {
        inputs.iter().zip(args).for_each(|(&input, &arg)| self.assigned(terms, input, arg));
    }

    /// A variable gets the value of a term.
    fn assigned(&mut self, terms: &mut Terms, target: FunId, term: TermId) {
        self.inside(terms, term);
        if let (Some(&target), Some(source)) = (self.number.get(&target), self.flow(term)) {
            self.union(target, source);
        }
    }

    /// A term that is used as a whole.
    fn value(&mut self, terms: &mut Terms, term: TermId) {
        self.inside(terms, term);
        self.keep(term);
    }

    fn flow(&self, term: TermId) -> Option<usize> {
        self.flows.get(&term).copied().flatten()
    }

    /// All arrays whose value the term may have stay as they are.
    fn keep(&mut self, term: TermId) {
        if let Some(number) = self.flow(term) {
            self.whole[number] = true;
        }
    }

    /// What is done with arrays inside a term.
    fn inside(&mut self, terms: &mut Terms, root: TermId) {
        if self.flows.contains_key(&root) {
            return;
        }
        for term in postorder(terms, root) {
            if !self.flows.contains_key(&term) {
                let flow = self.look(terms, term);
                self.flows.insert(term, flow);
            }
        }
    }

    /// Looks at a term whose arguments were looked at.
    fn look(&mut self, terms: &mut Terms, term: TermId) -> Option<usize> {
        let args = terms.args(term).to_vec();
        let op = terms.op(term);
        match op {
            Op::Select | Op::Store => {
                args[1..].iter().for_each(|&arg| self.keep(arg));
                let array = self.flow(args[0])?;
                match index_of(terms, args[1]) {
                    Some(index) => drop(self.indices[array].insert(index)),
                    None => self.whole[array] = true,
                }
                (op == Op::Store).then_some(array)
            }
            Op::Ite => {
                self.keep(args[0]);
                let (one, other) = (self.flow(args[1]), self.flow(args[2]));
                if let (Some(one), Some(other)) = (one, other) {
                    self.union(one, other);
                }
                one.or(other)
            }
            _ => {
                args.iter().for_each(|&arg| self.keep(arg));
                variable(terms, term).and_then(|array| self.number.get(&array).copied())
            }
        }
    }

    fn result(mut self, terms: &mut Terms) -> Option<Arrays> {
        let count = self.arrays.len();
        let (mut whole, mut indices) = (vec![false; count], vec![BTreeSet::new(); count]);
        for number in 0..count {
            let leader = self.find(number);
            whole[leader] |= self.whole[number];
            indices[leader].append(&mut self.indices[number]);
        }
        let mut parts = BTreeMap::new();
        for number in 0..count {
            let leader = self.find(number);
            if whole[leader] || indices[leader].len() > MOST_CELLS {
                continue;
            }
            let array = self.arrays[number];
            let cells = indices[leader].iter().map(|&index| (index, cell(terms, array, index))).collect();
            parts.insert(array, cells);
        }
        (!parts.is_empty()).then_some(Arrays { parts })
    }
}

/// A new variable for a cell of an array, with a name that nothing has.
fn cell(terms: &mut Terms, array: FunId, index: TermId) -> FunId {
    let role = terms.fun(array).role.clone();
    let Sort::Array(_, result) = *terms.sorts.get(terms.fun(array).result) else { return array };
    let wish = format!("{}[{}]", terms.fun_name(array), term_text(terms, index));
    let mut text = wish.clone();
    let mut number = 0;
    while terms.names.find(&text).is_some() {
        number += 1;
        text = format!("{wish}.{number}");
    }
    let name = terms.names.intern(&text);
    terms.declare(Fun { name, params: Box::new([]), result, role })
}
