//! Which of the formulas that were found hold, and whether they are a proof.

use super::back::Back;
use super::{Claims, Failure};
use crate::houdini::fixpoint::{Candidate, Fixpoint};
use crate::houdini::sites::Site;
use crate::{Fact, Problem, annotation};
use encode::horn::{Encoding, Meaning};
use program::Program;
use smt::term::{TermId, Terms};
use svlib::syntax::CommandKind;

/// What came of it.
pub(crate) enum Judged {
    /// A proof.
    Proof(Vec<CommandKind>),
    /// None; these claims, with the numbers of their predicates, do not hold.
    Dead(Vec<(usize, TermId)>),
}

/// Formulas as candidates, each with the number of the predicate that it is about.
#[derive(Default)]
struct Candidates {
    sites: Vec<Site>,
    all: Vec<Candidate>,
    numbers: Vec<usize>,
}

impl Candidates {
    fn add(&mut self, program: &Program<'_>, encoding: &Encoding, claims: &Claims) {
        for (number, (unknown, claims)) in encoding.unknowns.iter().zip(claims).enumerate() {
            // What nobody can say is no candidate; then what rests on it does not hold.
            let Meaning::Annotation(stmt, kind) = unknown.meaning else { continue };
            if claims.is_empty() || program.own_tag(stmt).is_none() {
                continue;
            }
            let here = self.sites.iter().position(|site| site.stmt == stmt && site.kind == kind);
            let site = here.unwrap_or_else(|| {
                self.sites.push(Site::bare(stmt, kind));
                self.sites.len() - 1
            });
            for &formula in claims {
                self.all.push(Candidate { site, formula });
                self.numbers.push(number);
            }
        }
    }
}

/// Keeps what holds of claims, lemmas, and what lemmas say without their conditions.
pub(crate) fn judge(
    terms: &mut Terms,
    problem: &Problem<'_>,
    encoding: &Encoding,
    program: &mut Program<'_>,
    back: &Back<'_>,
) -> Result<Judged, Failure> {
    let mut candidates = Candidates::default();
    candidates.add(program, encoding, &back.claims);
    let claims = candidates.all.len();
    candidates.add(program, encoding, &back.lemmas);
    candidates.add(program, encoding, &back.conclusions(terms));
    let Candidates { sites, all, numbers } = candidates;
    let solver = solver::open(problem.solver)?;
    let mut fixpoint = Fixpoint::new(terms, program, &sites, &all, solver, &problem.budget)?;
    fixpoint.run(terms)?;
    if fixpoint.failing(terms)?.is_empty() {
        fixpoint.minimise(terms);
        return Ok(Judged::Proof(evidence(terms, problem, &sites, &all, &fixpoint.alive)));
    }
    for (candidate, _) in all.iter().zip(&fixpoint.alive).skip(claims).filter(|pair| *pair.1) {
        let Site { stmt, kind, .. } = sites[candidate.site];
        problem.board.publish(terms, &Fact { stmt, kind, terms: vec![candidate.formula] });
    }
    let is_dead = |&number: &usize| !fixpoint.alive[number];
    Ok(Judged::Dead((0..claims).filter(is_dead).map(|i| (numbers[i], all[i].formula)).collect()))
}

/// The annotations that state the candidates that are left.
fn evidence(
    terms: &mut Terms,
    problem: &Problem<'_>,
    sites: &[Site],
    all: &[Candidate],
    alive: &[bool],
) -> Vec<CommandKind> {
    let mut formulas: Claims = vec![Vec::new(); sites.len()];
    for (candidate, _) in all.iter().zip(alive).filter(|pair| *pair.1) {
        formulas[candidate.site].push(candidate.formula);
    }
    let mut commands = Vec::new();
    for (site, formulas) in sites.iter().zip(formulas).filter(|pair| !pair.1.is_empty()) {
        let all = terms.and(&formulas);
        commands.extend(annotation(problem.script, site.stmt, site.kind, vec![all]));
    }
    commands
}
