//! Leaves out candidates that follow from others at the same site: what is left says the same with fewer words, so it
//! holds as well, and later questions are smaller.

use super::fixpoint::{Candidate, Fixpoint, Stopped, true_in};
use super::ground;
use smt::term::{TermId, Terms};
use std::time::Duration;

/// The time of one question. Where the solver does not know, candidates stay.
const PATIENCE: Duration = Duration::from_millis(500);

impl Fixpoint {
    /// Drops what follows from other candidates. Earlier and shorter ones are preferred.
    pub(crate) fn prune(&mut self, terms: &mut Terms, candidates: &[Candidate]) -> Result<(), Stopped> {
        let sites = candidates.iter().map(|candidate| candidate.site).max().map_or(0, |most| most + 1);
        for site in 0..sites {
            let here = |&number: &usize| self.alive[number] && candidates[number].site == site;
            let rest: Vec<usize> = (0..candidates.len()).filter(here).collect();
            if rest.len() < 2 {
                continue;
            }
            let quantified = |&number: &usize| terms.has_vars(candidates[number].formula);
            let (quantified, plain): (Vec<usize>, Vec<usize>) = rest.iter().partition(|n| quantified(n));
            let mut kept = self.generators(terms, candidates, plain)?;
            self.cells(terms, candidates, &quantified, &mut kept)?;
            for number in rest {
                self.alive[number] = kept.contains(&number);
            }
        }
        Ok(())
    }

    /// Adds those of the candidates about all cells that do not follow from the others.
    fn cells(
        &mut self,
        terms: &mut Terms,
        candidates: &[Candidate],
        quantified: &[usize],
        kept: &mut Vec<usize>,
    ) -> Result<(), Stopped> {
        let mut others = quantified.to_vec();
        for &number in quantified.iter().rev() {
            let goal = ground::goal(terms, candidates[number].formula);
            let known = others.iter().filter(|&&other| other != number).chain(kept.iter());
            let known: Vec<TermId> = known.map(|&other| candidates[other].formula).collect();
            let instances = ground::instances(terms, &known, &[goal]);
            let negated = terms.not(goal);
            self.time(PATIENCE)?;
            self.solver.push()?;
            for formula in instances.into_iter().chain([negated]) {
                self.solver.assert(terms, formula)?;
            }
            let answer = self.solver.check(terms, &[])?;
            self.solver.pop()?;
            if answer.is_unsat() {
                others.retain(|&other| other != number);
            }
        }
        kept.extend(others);
        Ok(())
    }

    /// Some of the candidates from which the others follow.
    fn generators(
        &mut self,
        terms: &mut Terms,
        candidates: &[Candidate],
        mut rest: Vec<usize>,
    ) -> Result<Vec<usize>, Stopped> {
        let mut kept = Vec::new();
        self.solver.push()?;
        while !rest.is_empty() {
            self.time(PATIENCE)?;
            self.solver.push()?;
            let formulas: Vec<TermId> = rest.iter().map(|&number| candidates[number].formula).collect();
            let all = terms.and(&formulas);
            let negated = terms.not(all);
            self.solver.assert(terms, negated)?;
            let answer = self.solver.check(terms, &[])?;
            let mut holding = vec![true; rest.len()];
            if answer.is_sat() {
                let model = self.solver.model(terms)?;
                holding = true_in(terms, model, &formulas);
            }
            self.solver.pop()?;
            if answer.is_unsat() {
                break;
            }
            // If the model does not say which one is false, the first is taken: too many is no mistake.
            let first = holding.iter().position(|holds| !holds).unwrap_or(0);
            self.solver.assert(terms, formulas[first])?;
            kept.push(rest.remove(first));
        }
        self.solver.pop()?;
        Ok(kept)
    }
}
