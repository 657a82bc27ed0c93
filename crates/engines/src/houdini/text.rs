//! What the text of a program offers: the formulas it tests and demands, its numbers, what it computes.

use super::groups::conjuncts;
use super::indices::{Indices, indices};
use dashu_int::IBig;
use program::Program;
use rustc_hash::FxHashSet;
use smt::op::Op as SmtOp;
use smt::sort::SortId;
use smt::subst::{postorder, unfold};
use smt::term::{Const, TermId, Terms};
use smt::value::Value;
use std::collections::BTreeSet;
use svlib::code::Op;

/// Formulas and terms of a program, each once, in the order of the text.
#[derive(Default)]
pub(crate) struct Text {
    /// Formulas without connectives, from conditions, assumptions and properties.
    pub(crate) atoms: Vec<TermId>,
    /// Whole conditions and properties.
    pub(crate) formulas: Vec<TermId>,
    /// Properties that the task demands.
    pub(crate) demanded: Vec<TermId>,
    /// Integers, sorted.
    pub(crate) numbers: Vec<IBig>,
    /// The numbers that variables are increased and decreased by, and divided by, without signs.
    pub(crate) steps: Vec<IBig>,
    /// Integer terms that are more than sums: products, quotients, elements of arrays.
    pub(crate) compounds: Vec<TermId>,
    /// Stores into arrays: the array, the index, the element.
    pub(crate) stores: Vec<(TermId, TermId, TermId)>,
    /// Literals of bit-vectors.
    pub(crate) bits: Vec<TermId>,
    /// Positions in arrays.
    pub(crate) indices: Indices,
    /// Assigned terms.
    pub(crate) assigned: Vec<TermId>,
}

/// Collects the text of a program.
pub(crate) fn text(terms: &mut Terms, program: &Program<'_>) -> Text {
    let mut reader =
        Reader { terms, text: Text::default(), seen: FxHashSet::default(), numbers: BTreeSet::new() };
    for proc in &program.procs {
        for instr in &proc.code.instrs {
            match &instr.op {
                Op::Assume(term) | Op::Branch(term, _) => reader.formula(*term),
                Op::Assign(pairs) => pairs.iter().for_each(|pair| reader.assigned(pair.1)),
                Op::Call(_, args, _) => args.iter().for_each(|&arg| reader.assigned(arg)),
                _ => {}
            }
        }
    }
    for stmt in program.annotated() {
        for note in &program.notes(stmt).0 {
            for &term in &note.terms {
                if note.kind.is_boolean() {
                    reader.text.demanded.push(term);
                    reader.formula(term);
                } else {
                    reader.inner(term);
                }
            }
        }
    }
    for axiom in &program.axioms {
        reader.inner(*axiom);
    }
    let mut text = reader.finish();
    text.indices = indices(terms, program, &text.atoms);
    text
}

struct Reader<'a> {
    terms: &'a mut Terms,
    text: Text,
    seen: FxHashSet<TermId>,
    numbers: BTreeSet<IBig>,
}

impl Reader<'_> {
    fn formula(&mut self, formula: TermId) {
        let formula = unfold(self.terms, formula);
        self.inner(formula);
        for part in conjuncts(self.terms, formula) {
            if !self.text.formulas.contains(&part) {
                self.text.formulas.push(part);
            }
        }
        for atom in atoms(self.terms, formula) {
            if !self.text.atoms.contains(&atom) {
                self.text.atoms.push(atom);
            }
        }
    }

    fn assigned(&mut self, term: TermId) {
        let term = unfold(self.terms, term);
        if !self.text.assigned.contains(&term) {
            self.text.assigned.push(term);
        }
        if self.terms.sort(term) == SortId::BOOL {
            self.formula(term);
        }
        self.inner(term);
    }

    /// Numbers, compounds and stores below a term. What is below a binder is not looked at.
    fn inner(&mut self, term: TermId) {
        for term in postorder(self.terms, term) {
            if self.terms.has_vars(term) || !self.seen.insert(term) {
                continue;
            }
            let args = self.terms.args(term).to_vec();
            match self.terms.op(term) {
                SmtOp::Const => self.literal(term),
                SmtOp::Neg if matches!(self.terms.literal(args[0]), Some(Const::Nat(_))) => {
                    if let Some(Value::Int(value)) = Value::from_term(self.terms, term) {
                        self.numbers.insert(value);
                    }
                }
                SmtOp::Add | SmtOp::Sub | SmtOp::Mod | SmtOp::IntDiv => {
                    let numbers: Vec<IBig> = args.iter().filter_map(|&arg| number(self.terms, arg)).collect();
                    self.text.steps.extend(numbers);
                    if matches!(self.terms.op(term), SmtOp::Mod | SmtOp::IntDiv) {
                        self.text.compounds.push(term);
                    }
                }
                SmtOp::Mul | SmtOp::Select | SmtOp::Ite if self.terms.sort(term) == SortId::INT => {
                    let constants = args.iter().filter(|&&arg| number(self.terms, arg).is_some()).count();
                    if self.terms.op(term) != SmtOp::Mul || constants + 1 < args.len() {
                        self.text.compounds.push(term);
                    }
                }
                SmtOp::Store => {
                    if let [array, index, element] = args[..] {
                        self.text.stores.push((array, index, element));
                    }
                }
                _ => {}
            }
        }
    }

    fn literal(&mut self, term: TermId) {
        match self.terms.literal(term) {
            Some(Const::Nat(value)) => drop(self.numbers.insert(IBig::from(value.clone()))),
            Some(Const::Bits(..)) => self.text.bits.push(term),
            _ => {}
        }
    }

    fn finish(mut self) -> Text {
        self.text.numbers = self.numbers.into_iter().collect();
        self.text.steps.sort();
        self.text.steps.dedup();
        self.text
    }
}

/// The integer that a term is.
pub(crate) fn number(terms: &Terms, term: TermId) -> Option<IBig> {
    match terms.op(term) {
        SmtOp::Const => match terms.literal(term) {
            Some(Const::Nat(value)) => Some(IBig::from(value.clone())),
            _ => None,
        },
        SmtOp::Neg => match terms.literal(terms.args(term)[0]) {
            Some(Const::Nat(value)) => Some(-IBig::from(value.clone())),
            _ => None,
        },
        _ => None,
    }
}

/// The largest parts of a formula that are no connectives.
pub(crate) fn atoms(terms: &Terms, formula: TermId) -> Vec<TermId> {
    let (mut found, mut todo) = (Vec::new(), vec![formula]);
    while let Some(term) = todo.pop() {
        let args = terms.args(term);
        match terms.op(term) {
            SmtOp::And | SmtOp::Or | SmtOp::Not | SmtOp::Implies | SmtOp::Xor => {
                todo.extend(args.iter().rev());
            }
            SmtOp::Ite | SmtOp::Eq | SmtOp::Distinct if terms.sort(args[1]) == SortId::BOOL => {
                todo.extend(args.iter().rev());
            }
            SmtOp::True | SmtOp::False => {}
            _ if !found.contains(&term) => found.push(term),
            _ => {}
        }
    }
    found
}
