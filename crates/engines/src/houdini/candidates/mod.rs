//! Where candidates come from, from cheap to rich.

mod arrays;
mod bits;
mod bounds;
mod cases;
mod cells;
mod equalities;
mod guarded;
mod limits;
mod modular;
mod offsets;
mod orders;
mod rows;
mod textual;

pub(crate) use textual::sides;

use super::fixpoint::Candidate;
use super::sites::Site;
use super::text::Text;
use dashu_int::IBig;
use rustc_hash::FxHashSet;
use smt::eval::{Assignment, Evaluator};
use smt::sort::SortId;
use smt::subst::functions;
use smt::term::{TermId, Terms};
use smt::value::Value;
use svlib::syntax::PropertyKind;

/// The kinds of candidates, in the order in which they are tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// Formulas of the text, and linear equalities of the samples.
    Textual,
    /// Bounds of variables, sums and differences; remainders; bit-vectors.
    Bounds,
    /// What the text says about a cell, and linear relations, for all cells of a range.
    Cells,
    /// Equalities and remainders under a condition of the text, and alternatives. They come before polynomials: two
    /// phases are one polynomial, which is hard for a solver.
    Phases,
    /// Polynomial equalities of the samples.
    Polynomials,
    /// Bounds of what is the same number at another place.
    Offsets,
    /// Pairs of cells: order, arrays of arrays.
    Orders,
    /// Comparisons of all cells of a range, relations under a condition.
    Arrays,
    /// Bounds under a condition of the text.
    Guarded,
    /// Equalities and remainders in one case of several, and under two conditions.
    Cases,
    /// All that was tried before: what did not hold alone may hold with what came later.
    Again,
}

impl Source {
    /// All of them.
    pub(crate) const ALL: [Source; 11] = [
        Source::Textual,
        Source::Bounds,
        Source::Cells,
        Source::Phases,
        Source::Polynomials,
        Source::Offsets,
        Source::Orders,
        Source::Arrays,
        Source::Guarded,
        Source::Cases,
        Source::Again,
    ];
}

/// What candidates are made of.
pub(crate) struct Context<'a> {
    /// The sites.
    pub(crate) sites: &'a [Site],
    /// The text.
    pub(crate) text: &'a Text,
    /// States at each site.
    pub(crate) states: &'a [Vec<Assignment>],
    /// What was found to hold.
    pub(crate) proved: &'a FxHashSet<Candidate>,
}

/// Candidates at a site at most, of one source.
const MANY: usize = 1_500;
/// States by which a formula is judged before it is a candidate.
const MANY_STATES: usize = 60;

/// Collects the candidates of one site.
pub(crate) struct Collector<'a> {
    number: usize,
    site: &'a Site,
    states: &'a [Assignment],
    proved: &'a FxHashSet<Candidate>,
    seen: FxHashSet<TermId>,
    found: Vec<Candidate>,
}

impl Collector<'_> {
    /// A formula that holds in all states.
    fn sure(&mut self, formula: TermId) {
        let candidate = Candidate { site: self.number, formula };
        let trivial = matches!(formula, TermId::TRUE | TermId::ERROR);
        if !trivial && self.found.len() < MANY && self.seen.insert(formula) {
            self.found.push(candidate);
        }
    }

    /// True when the formula is known to hold.
    fn is_proved(&self, formula: TermId) -> bool {
        self.proved.contains(&Candidate { site: self.number, formula })
    }

    /// True when a term is about something that changes. All else is known without an annotation.
    fn changes(&self, terms: &Terms, term: TermId) -> bool {
        self.site.kind != PropertyKind::Invariant
            || functions(terms, term).iter().any(|fun| self.site.changing.contains(fun))
    }

    /// A formula that is taken if it holds in all states in which it has a value.
    fn maybe(&mut self, terms: &Terms, formula: TermId) {
        let count = self.states.len().min(MANY_STATES);
        let mut evaluator = Evaluator::new(terms).with_fuel(10_000);
        let mut is_false = |i: usize| {
            let mut state = self.states[i * self.states.len() / count].clone();
            matches!(evaluator.holds(formula, &mut state), Ok(false))
        };
        if self.found.len() < MANY && !(0..count).any(&mut is_false) {
            self.sure(formula);
        }
    }
}

/// The candidates of a source.
pub(crate) fn candidates(terms: &mut Terms, context: &Context<'_>, source: Source) -> Vec<Candidate> {
    let mut all = Vec::new();
    for (number, site) in context.sites.iter().enumerate() {
        let (states, proved) = (&context.states[number], context.proved);
        let mut out =
            Collector { number, site, states, proved, seen: FxHashSet::default(), found: Vec::new() };
        match source {
            Source::Textual => {
                textual::formulas(terms, context, &mut out);
                equalities::linear(terms, context, &mut out);
            }
            Source::Bounds => {
                equalities::with_limits(terms, context, &mut out);
                bounds::bounds(terms, context, &mut out);
                modular::remainders(terms, context, &mut out);
                bits::bits(terms, context, &mut out);
            }
            Source::Offsets => offsets::offsets(terms, context, &mut out),
            Source::Polynomials => equalities::polynomial(terms, context, &mut out),
            Source::Cells => arrays::cells(terms, context, &mut out),
            Source::Arrays => arrays::more_cells(terms, context, &mut out),
            Source::Phases => guarded::phases(terms, context, &mut out),
            Source::Orders => orders::orders(terms, context, &mut out),
            Source::Guarded => guarded::bounds_of_phases(terms, context, &mut out),
            Source::Cases => cases::cases(terms, context, &mut out),
            // They are known to who asks.
            Source::Again => {}
        }
        out.found.retain(|candidate| {
            let anyway = functions(terms, candidate.formula).iter().all(|fun| !site.changing.contains(fun));
            candidate.formula == TermId::FALSE || site.kind != PropertyKind::Invariant || !anyway
        });
        all.append(&mut out.found);
    }
    all
}

/// Integer terms with their values in states.
pub(crate) struct Columns {
    /// The terms.
    pub(crate) features: Vec<TermId>,
    /// For each term its values, in the same states for all.
    pub(crate) values: Vec<Vec<IBig>>,
    /// The numbers of these states.
    pub(crate) rows: Vec<usize>,
}

impl Columns {
    /// The values of terms in the states in which all of them have one.
    pub(crate) fn new(terms: &Terms, features: Vec<TermId>, states: &[Assignment]) -> Columns {
        let mut evaluator = Evaluator::new(terms).with_fuel(10_000);
        let (mut values, mut rows) = (vec![Vec::new(); features.len()], Vec::new());
        for (number, state) in states.iter().enumerate() {
            let mut state = state.clone();
            let row: Option<Vec<IBig>> = features
                .iter()
                .map(|&feature| match evaluator.eval(feature, &mut state) {
                    Ok(Value::Int(value)) => Some(value),
                    _ => None,
                })
                .collect();
            let Some(row) = row else { continue };
            rows.push(number);
            for (column, value) in values.iter_mut().zip(row) {
                column.push(value);
            }
        }
        Columns { features, values, rows }
    }
}

/// The integer variables of a site.
pub(crate) fn variables(terms: &mut Terms, site: &Site, sort: SortId) -> Vec<TermId> {
    let of_sort: Vec<_> =
        site.variables.iter().copied().filter(|&variable| terms.fun(variable).result == sort).collect();
    of_sort.into_iter().map(|variable| terms.constant_term(variable)).collect()
}

/// What integer variables were at the entry of the procedure, where it is not what they are in all states.
pub(crate) fn entry_values(terms: &mut Terms, site: &Site, states: &[Assignment]) -> Vec<TermId> {
    let mut found = Vec::new();
    for &(symbol, variable) in &site.before {
        let differs = |state: &Assignment| state.get(symbol) != state.get(variable);
        if terms.fun(symbol).result == SortId::INT && states.iter().any(differs) {
            found.push(terms.constant_term(symbol));
        }
    }
    found
}

/// Compound integer terms of the text that mean something at a site.
pub(crate) fn compounds(terms: &Terms, context: &Context<'_>, site: &Site) -> Vec<TermId> {
    let known = |&&term: &&TermId| terms.sort(term) == SortId::INT && site.can_say(terms, term);
    context.text.compounds.iter().filter(known).copied().take(8).collect()
}
