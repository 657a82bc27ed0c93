//! What loops count up to, or nothing where it is negative: so often such a loop is run. Sums over several loops are linear in
//! these numbers, and have a case for each sign without them.

use super::textual::sides;
use super::{Columns, Context};
use dashu_int::IBig;
use rustc_hash::FxHashSet;
use smt::linear::Linear;
use smt::op::Op;
use smt::sort::SortId;
use smt::subst::functions;
use smt::term::{FunId, TermId, Terms};

/// Limits at most.
const MANY: usize = 6;

/// The limits that something is compared with, as `(ite (<= 0 limit) limit 0)`, if they are negative in some states of the site and
/// positive in others.
pub(crate) fn limits(terms: &mut Terms, context: &Context<'_>, number: usize) -> Vec<TermId> {
    let (site, states) = (&context.sites[number], &context.states[number]);
    let changing: FxHashSet<FunId> =
        context.sites.iter().flat_map(|site| site.changing.iter().copied()).collect();
    let changes =
        |terms: &Terms, term: TermId| functions(terms, term).iter().any(|fun| changing.contains(fun));
    let (mut found, zero) = (Vec::new(), terms.int(0));
    for &atom in &context.text.atoms {
        let Some((left, right)) = sides(terms, atom) else { continue };
        let Some(sum) = Linear::difference(terms, left, right) else { continue };
        let counters: Vec<TermId> = sum.terms().filter(|&term| changes(terms, term)).collect();
        let &[counter] = &counters[..] else { continue };
        let Some(limit) = sum.solved_for(counter) else { continue };
        let limit = limit.to_term(terms);
        if terms.sort(limit) != SortId::INT || !site.can_say(terms, limit) {
            continue;
        }
        let values = Columns::new(terms, vec![limit], states).values.remove(0);
        if !values.iter().any(|value| *value < IBig::ZERO) || !values.iter().any(|value| *value > IBig::ZERO)
        {
            continue;
        }
        let Ok(fits) = terms.app(Op::Le, &[zero, limit]) else { continue };
        let Ok(runs) = terms.app(Op::Ite, &[fits, limit, zero]) else { continue };
        if !found.contains(&runs) {
            found.push(runs);
        }
    }
    found.truncate(MANY);
    found
}
