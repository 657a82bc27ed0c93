//! Formulas about one moment as a circuit without latches, for questions to a SAT solver.

use super::term::Blaster;
use super::{Refusal, Unsupported, Variable, bit_count, value};
use crate::aig::{Aig, Lit, word};
use rustc_hash::FxHashSet;
use smt::eval::Assignment;
use smt::op::Op;
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;

/// Terms as bits of a circuit whose inputs are the bits of the constants in them.
#[derive(Clone, Debug)]
pub struct Question {
    /// The circuit.
    pub aig: Aig,
    /// The constants.
    pub variables: Vec<Variable>,
    /// The bits of each term.
    pub words: Vec<Vec<Lit>>,
}

impl Question {
    /// The circuit of some terms.
    ///
    /// # Errors
    /// What cannot be made of bits.
    pub fn of(terms: &Terms, roots: &[TermId]) -> Result<Question, Refusal> {
        Question::about(terms, roots, |_| false)
    }

    /// The circuit of some terms, of which some are facts, by their positions: formulas that hold. Where a fact says what a constant
    /// is that was not spoken of before, the constant is that, and the fact is true.
    ///
    /// Such a fact says nothing about what comes before it: whatever values other constants have, there is one for this.
    ///
    /// # Errors
    /// What cannot be made of bits.
    pub fn about(
        terms: &Terms,
        roots: &[TermId],
        is_fact: impl Fn(usize) -> bool,
    ) -> Result<Question, Refusal> {
        let refused = |what: Unsupported| Refusal { what, place: "a question".to_owned() };
        let mut making = Making {
            terms,
            blaster: Blaster::new(terms),
            variables: Vec::new(),
            seen: FxHashSet::default(),
            spoken: FxHashSet::default(),
        };
        let mut words = Vec::with_capacity(roots.len());
        for (at, &root) in roots.iter().enumerate() {
            let word = if is_fact(at) { making.fact(root) } else { making.term(root) };
            words.push(word.map_err(refused)?);
        }
        Ok(Question { aig: making.blaster.aig, variables: making.variables, words })
    }

    /// The values of the constants in one of 64 cases, given the bits of all nodes.
    pub fn assignment(&self, terms: &mut Terms, nodes: &[u64], case: u32) -> Option<Assignment> {
        let mut assignment = Assignment::new();
        for variable in &self.variables {
            assignment.set(variable.fun, held(terms, variable.sort, &variable.bits, nodes, case)?);
        }
        Some(assignment)
    }

    /// The value of a term, by its position, in one of 64 cases.
    pub fn value(
        &self,
        terms: &mut Terms,
        root: TermId,
        at: usize,
        nodes: &[u64],
        case: u32,
    ) -> Option<Value> {
        held(terms, terms.sort(root), &self.words[at], nodes, case)
    }
}

/// A question as far as it is made.
struct Making<'a> {
    terms: &'a Terms,
    blaster: Blaster<'a>,
    variables: Vec<Variable>,
    seen: FxHashSet<TermId>,
    /// The constants that have bits.
    spoken: FxHashSet<FunId>,
}

impl Making<'_> {
    fn term(&mut self, term: TermId) -> Result<Vec<Lit>, Unsupported> {
        self.mention(term)?;
        self.blaster.term(term)
    }

    /// A formula that holds.
    fn fact(&mut self, root: TermId) -> Result<Vec<Lit>, Unsupported> {
        let (mut parts, mut todo) = (Vec::new(), vec![root]);
        while let Some(part) = todo.pop() {
            if self.terms.op(part) == Op::And {
                todo.extend(self.terms.args(part).iter().rev());
            } else if !self.defines(part)? {
                parts.extend(self.term(part)?);
            }
        }
        Ok(vec![self.blaster.aig.all(&parts)])
    }

    /// Makes a constant what a formula says that it is; false if it says no such thing.
    fn defines(&mut self, formula: TermId) -> Result<bool, Unsupported> {
        let sides = match (self.terms.op(formula), self.terms.args(formula)) {
            (Op::Eq, &[a, b]) => vec![(a, b), (b, a)],
            (Op::Not, &[a]) => vec![(a, TermId::FALSE)],
            _ => vec![(formula, TermId::TRUE)],
        };
        for (name, value) in sides {
            let Some(fun) = self.terms.applied(name).filter(|fun| self.is_new(*fun)) else { continue };
            let word = self.term(value)?;
            // Unless it is said by itself.
            if self.is_new(fun) {
                self.spoken.insert(fun);
                self.blaster.define(fun, &word);
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_new(&self, fun: FunId) -> bool {
        !self.spoken.contains(&fun) && self.terms.fun(fun).params.is_empty()
    }

    /// Gives the constants of a term their bits.
    fn mention(&mut self, term: TermId) -> Result<(), Unsupported> {
        let mut todo = vec![term];
        while let Some(term) = todo.pop() {
            if !self.seen.insert(term) {
                continue;
            }
            todo.extend(self.terms.args(term));
            let Some(fun) = self.terms.applied(term) else { continue };
            if !self.spoken.insert(fun) {
                continue;
            }
            let declared = self.terms.fun(fun);
            if !declared.params.is_empty() {
                return Err(Unsupported::Function(fun));
            }
            let count = bit_count(self.terms, declared.result)?;
            let bits: Vec<Lit> = (0..count).map(|_| self.blaster.aig.input()).collect();
            self.blaster.define(fun, &bits);
            self.variables.push(Variable { fun, sort: declared.result, bits });
        }
        Ok(())
    }
}

fn held(terms: &mut Terms, sort: smt::sort::SortId, bits: &[Lit], nodes: &[u64], case: u32) -> Option<Value> {
    let bits: Vec<bool> = bits.iter().map(|&lit| word(nodes, lit) >> case & 1 == 1).collect();
    value(terms, sort, &bits)
}
