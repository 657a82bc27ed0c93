//! Engines for transition systems: one file or folder each, one row in [`SYSTEM_ENGINES`].

mod bmc;
mod cells;
mod circuit;
pub mod complete;
pub mod execute;
mod flow;
mod ic3;
mod ic3ia;
mod kinduction;
mod live;
mod rank;
mod recurrence;
mod session;
mod spacer;

use base::budget::Budget;
use rustc_hash::FxHashSet;
use smt::op::Op;
use smt::sort::SortId;
use smt::subst::postorder_of;
use smt::term::{TermId, Terms};
use ts::passes::bitblast::bit_count;
use ts::passes::functional::next_values;
use ts::{Certificate, Property, System, Trace};

/// A question: does the system satisfy the property?
pub struct SystemProblem<'a> {
    /// The system.
    pub system: &'a System,
    /// One of its properties.
    pub property: &'a Property,
    /// The seed of random decisions.
    pub seed: u64,
    /// When to stop.
    pub budget: Budget,
    /// The solver as users write it, for `solver::open`.
    pub solver: &'a str,
}

/// What an engine found.
#[derive(Debug)]
pub enum SystemFound {
    /// The property holds, and why.
    Proof(Certificate),
    /// An execution that violates it.
    Violation(Box<Trace>),
    /// Nothing, and why.
    Nothing(String),
}

/// A row of the registry.
#[derive(Clone, Copy)]
pub struct SystemEngineInfo {
    /// Its name.
    pub name: &'static str,
    /// What it can show: `incorrect`, or `correct` as well.
    pub shows: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// When it is started: the smaller, the earlier.
    pub rank: u8,
    /// The least kind of systems for which it takes part unless it is asked for.
    pub least: Kind,
    /// How much of the time it gets when engines take turns, compared with the others.
    pub share: u32,
    /// The hints that it gets.
    pub hints: Hints,
    /// Runs it.
    pub run: fn(&mut Terms, &SystemProblem<'_>) -> SystemFound,
}

/// All engines, sorted by name.
pub static SYSTEM_ENGINES: &[SystemEngineInfo] = &[
    // tidy: sorted
    bmc::INFO,
    cells::INFO,
    circuit::bmc::INFO,
    circuit::bmc::NARROW,
    circuit::explicit::BACK,
    circuit::explicit::BITS,
    circuit::kinduction::BITS,
    circuit::kinduction::HINTS,
    circuit::pdr::INFO,
    circuit::products::KINDUCTION,
    circuit::products::PDR,
    circuit::walk::INFO,
    flow::CELLS,
    flow::HOUDINI,
    flow::KINDUCTION,
    flow::SPACER,
    ic3ia::INFO,
    kinduction::INFO,
    live::LASSO,
    live::LIVENESS,
    rank::INFO,
    recurrence::INFO,
    spacer::INFO,
    // tidy: end
];

/// The hints that an engine looks at. With more of them a system is larger.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hints {
    /// It looks at none.
    None,
    /// Those about what the property depends on.
    Near,
    /// All, with everything that they speak of; without hints the engine does not take part.
    All,
}

/// What a system is about: where a smaller thing is all that there is, engines for it do the same faster.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Truth values.
    Bits,
    /// Words, and small memories of them, that are compared, added and taken apart.
    Words,
    /// Anything.
    Other,
}

/// A memory of so many bits is as good as words.
const FEW: usize = 1 << 13;

impl Kind {
    /// The kind of a system with an invariant property.
    #[must_use]
    pub fn of(terms: &Terms, system: &System) -> Kind {
        let symbols = system.states.iter().map(|state| state.now).chain(system.inputs.iter().copied());
        let kinds = symbols.chain(system.rigid.iter().copied()).map(|fun| match terms.fun(fun).result {
            _ if !terms.fun(fun).params.is_empty() => Kind::Other,
            SortId::BOOL => Kind::Bits,
            sort if bit_count(terms, sort).is_ok_and(|bits| bits <= FEW) => Kind::Words,
            _ => Kind::Other,
        });
        // What is nothing but constants is easy for everybody.
        let kind = kinds.max().unwrap_or(Kind::Other);
        let products = [Op::BvMul, Op::BvUdiv, Op::BvUrem, Op::BvSdiv, Op::BvSrem, Op::BvSmod];
        let has_product = |term: TermId| products.contains(&terms.op(term));
        // Numbers may also be only on the way from one truth value to another.
        let mut sorts = FxHashSet::default();
        let mut is_other = |term: TermId| {
            let sort = terms.sort(term);
            (sorts.insert(sort) && bit_count(terms, sort).is_err())
                || (kind == Kind::Words && has_product(term))
        };
        match kind {
            Kind::Other => kind,
            _ if postorder_of(terms, system.formulas()).into_iter().any(&mut is_other) => Kind::Other,
            kind => kind,
        }
    }
}

/// Engines for circuits get so much less of the time where a system is a program.
const LESS: u32 = 2;

/// How much of the time an engine gets for a system, compared with the others.
///
/// Circuits give each variable its next value, and what is for circuits is the best that there is for them. Programs tell their
/// steps as alternatives; over words they are circuits, too, but guesses about their loops are often better.
#[must_use]
pub fn share(info: &SystemEngineInfo, is_program: bool) -> u32 {
    if is_program && info.least == Kind::Bits { info.share.div_ceil(LESS) } else { info.share }
}

/// True for a system that tells its steps, but not as next values of most of its variables.
pub fn is_program(terms: &mut Terms, system: &System) -> bool {
    let found = next_values(terms, system);
    !found.rest.is_empty() && found.values.len() * 2 < system.states.len()
}

/// The engine of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static SystemEngineInfo> {
    SYSTEM_ENGINES.iter().find(|info| info.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two truth values: `p` changes places with `q`, or both stay.
    #[test]
    fn programs_tell_alternatives() {
        let (mut terms, mut system) = (Terms::new(), System::default());
        let [p, q] = ["p", "q"].map(|name| system.add_state(&mut terms, name, SortId::BOOL));
        let mut equal = |a, b| {
            let sides = [terms.constant_term(a), terms.constant_term(b)];
            terms.app(Op::Eq, &sides).expect("truth values")
        };
        let swap = [equal(p.next, q.now), equal(q.next, p.now)];
        let stay = [equal(p.next, p.now), equal(q.next, q.now)];
        system.trans = swap.to_vec();
        assert!(!is_program(&mut terms, &system));
        let cases = [terms.and(&swap), terms.and(&stay)];
        system.trans = vec![terms.or(&cases)];
        assert!(is_program(&mut terms, &system));
        assert!(share(&circuit::pdr::INFO, false) > share(&circuit::pdr::INFO, true));
        assert_eq!(share(&flow::SPACER, false), share(&flow::SPACER, true));
    }
}
