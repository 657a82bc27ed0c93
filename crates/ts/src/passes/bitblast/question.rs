//! Formulas about one moment as a circuit without latches, for questions to a SAT solver.

use super::term::Blaster;
use super::{Refusal, Unsupported, Variable, bit_count, value};
use crate::aig::{Aig, Lit, word};
use smt::eval::Assignment;
use smt::subst::postorder_of;
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
        let refused = |what: Unsupported| Refusal { what, place: "a question".to_owned() };
        let mut blaster = Blaster::new(terms);
        let mut variables: Vec<Variable> = Vec::new();
        let used: Vec<FunId> = {
            let mut seen = rustc_hash::FxHashSet::default();
            let applied = postorder_of(terms, roots.iter().copied());
            applied
                .into_iter()
                .filter_map(|term| terms.applied(term))
                .filter(|fun| seen.insert(*fun))
                .collect()
        };
        for fun in used {
            let declared = terms.fun(fun);
            if !declared.params.is_empty() {
                return Err(refused(Unsupported::Function(fun)));
            }
            let count = bit_count(terms, declared.result).map_err(refused)?;
            let bits: Vec<Lit> = (0..count).map(|_| blaster.aig.input()).collect();
            blaster.define(fun, &bits);
            variables.push(Variable { fun, sort: declared.result, bits });
        }
        let words =
            roots.iter().map(|&root| blaster.term(root)).collect::<Result<_, _>>().map_err(refused)?;
        Ok(Question { aig: blaster.aig, variables, words })
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

fn held(terms: &mut Terms, sort: smt::sort::SortId, bits: &[Lit], nodes: &[u64], case: u32) -> Option<Value> {
    let bits: Vec<bool> = bits.iter().map(|&lit| word(nodes, lit) >> case & 1 == 1).collect();
    value(terms, sort, &bits)
}
