//! Clauses about some values: constants in the place of variables, so that solvers and evaluation can be asked for them.

use super::Clause;
use rustc_hash::FxHashMap;
use smt::subst::replace;
use smt::term::{FunId, TermId, Terms};

/// A clause with constants in the place of its variables.
#[derive(Clone, Debug)]
pub struct Ground {
    /// The constants, in the order of the variables, with names like theirs.
    pub vars: Vec<FunId>,
    /// Applications of predicates.
    pub atoms: Vec<TermId>,
    /// Formulas without predicates.
    pub constraints: Vec<TermId>,
    /// An application of a predicate.
    pub head: Option<TermId>,
}

impl Ground {
    /// The clause with new constants.
    pub fn of(terms: &mut Terms, clause: &Clause) -> Ground {
        let (mut map, mut vars) = (FxHashMap::default(), Vec::new());
        for &var in &clause.vars {
            let name = terms.variable(var).map_or("x", |name| terms.names.text(name)).to_owned();
            let fun = terms.fresh(&name, terms.sort(var));
            vars.push(fun);
            map.insert(var, terms.constant_term(fun));
        }
        let mut put = |term: &TermId| replace(terms, *term, &map);
        Ground {
            vars,
            atoms: clause.atoms.iter().map(&mut put).collect(),
            constraints: clause.constraints.iter().map(&mut put).collect(),
            head: clause.head.as_ref().map(&mut put),
        }
    }
}
