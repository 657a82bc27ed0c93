//! IC3 with implicit abstraction: states are what is known of them by predicates. An abstract way to a bad state is either an
//! execution or shows which predicates are missing. The abstraction is never computed: every question speaks of concrete
//! states and of which predicates hold in them.

mod abstraction;
mod refine;

use super::ic3::{self, Cube, Space};
use super::session::Stopped;
use super::{Hints, Kind, SystemEngineInfo, SystemFound, SystemProblem};
use abstraction::Abstraction;
use smt::term::{TermId, Terms};
use ts::{Certificate, PropertyKind};

pub(super) const INFO: SystemEngineInfo = SystemEngineInfo {
    name: "ic3ia",
    shows: "correct, incorrect",
    summary: "finds inductive invariants over predicates, which are refined by spurious counterexamples",
    rank: 1,
    least: Kind::Words,
    share: 1,
    hints: Hints::None,
    run,
};

fn run(terms: &mut Terms, problem: &SystemProblem<'_>) -> SystemFound {
    search(terms, problem).unwrap_or_else(SystemFound::from)
}

fn search(terms: &mut Terms, problem: &SystemProblem<'_>) -> Result<SystemFound, Stopped> {
    let PropertyKind::Invariant(property) = problem.property.kind else {
        return Err(Stopped("it is for invariant properties".into()));
    };
    let abstraction = Abstraction::new(terms, problem, property)?;
    ic3::search(Predicates { terms, problem, property, abstraction })
}

/// States of which the truth of predicates is known.
struct Predicates<'p, 'a> {
    terms: &'p mut Terms,
    problem: &'p SystemProblem<'a>,
    property: TermId,
    abstraction: Abstraction<'p>,
}

impl Space for Predicates<'_, '_> {
    type Found = SystemFound;

    fn reach(&mut self, level: usize) -> Result<(), Stopped> {
        self.abstraction.reach(self.terms, level);
        Ok(())
    }

    fn bad(&mut self, level: usize) -> Result<Option<Cube>, Stopped> {
        self.abstraction.bad(self.terms, level)
    }

    fn apart(&mut self, cube: &Cube) -> Result<Option<Cube>, Stopped> {
        self.abstraction.apart(self.terms, cube)
    }

    fn before(&mut self, cube: &Cube, level: usize) -> Result<Result<Cube, Cube>, Stopped> {
        self.abstraction.before(self.terms, cube, level)
    }

    fn keeps(&mut self, cube: &Cube, level: usize) -> Result<bool, Stopped> {
        self.abstraction.keeps(self.terms, cube, level)
    }

    fn exclude(&mut self, cube: &Cube, level: usize) -> Result<(), Stopped> {
        self.abstraction.exclude(self.terms, cube, level)
    }

    fn refine(&mut self, way: &[Cube]) -> Result<Option<SystemFound>, Stopped> {
        refine::refine(self.terms, self.problem, self.property, &mut self.abstraction, way)
    }

    fn proof(&mut self, cubes: &[Cube]) -> Result<SystemFound, Stopped> {
        let invariant = self.abstraction.invariant(self.terms, cubes);
        Ok(SystemFound::Proof(Certificate::inductive(invariant)))
    }
}
