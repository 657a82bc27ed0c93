//! Terms of the program prepared for being evaluated in many symbolic states.

use super::fold;
use rustc_hash::FxHashMap;
use smt::op::Op;
use smt::subst::{postorder, replace};
use smt::term::{FunId, TermId, Terms};

/// What a variable is that nothing gave a meaning: an `at` term of a tag that was not visited, say. A term that
/// depends on one has none either.
pub(super) const UNKNOWN: TermId = TermId::ERROR;

/// A node of a prepared term; arguments are positions of earlier nodes.
enum Node {
    /// A term without program variables.
    Fixed(TermId),
    /// A program variable: its position in the state.
    Variable(usize),
    /// A variable that has no position.
    Nowhere,
    /// An operator.
    Apply(TermId, Vec<u32>),
}

/// A prepared term.
pub(super) struct Compiled {
    nodes: Vec<Node>,
    /// Terms with binders are substituted as a whole.
    bound: Option<Bound>,
}

/// A term with binders, and its variables with their positions.
struct Bound {
    term: TermId,
    symbols: Vec<(TermId, Option<usize>)>,
}

impl Compiled {
    /// Prepares a term; `slot` says where the value of a symbol is, if it is a program variable.
    pub(super) fn new(terms: &mut Terms, term: TermId, slot: &dyn Fn(&Terms, FunId) -> Place) -> Compiled {
        let order = postorder(terms, term);
        if order.iter().any(|&part| terms.op(part).is_binder()) {
            let symbols = order.iter().filter_map(|&part| {
                let fun = terms.applied(part).filter(|_| terms.args(part).is_empty())?;
                match slot(terms, fun) {
                    Place::NoVariable => None,
                    Place::At(slot) => Some((part, Some(slot))),
                    Place::Nowhere => Some((part, None)),
                }
            });
            let bound = Bound { term, symbols: symbols.collect() };
            return Compiled { nodes: Vec::new(), bound: Some(bound) };
        }
        let mut numbers: FxHashMap<TermId, u32> = FxHashMap::default();
        let mut nodes = Vec::with_capacity(order.len());
        for part in order {
            let args: Vec<u32> = terms.args(part).iter().map(|arg| numbers[arg]).collect();
            let place = match terms.applied(part) {
                Some(fun) if args.is_empty() => slot(terms, fun),
                _ => Place::NoVariable,
            };
            let node = match place {
                Place::At(slot) => Node::Variable(slot),
                Place::Nowhere => Node::Nowhere,
                Place::NoVariable if args.is_empty() => Node::Fixed(definition(terms, part)),
                Place::NoVariable => apply(terms, &nodes, part, args),
            };
            numbers.insert(part, nodes.len() as u32);
            nodes.push(node);
        }
        Compiled { nodes, bound: None }
    }

    /// The term with the values of variables in their places; [`UNKNOWN`] if one of those is.
    pub(super) fn eval(&self, terms: &mut Terms, env: &[TermId]) -> TermId {
        if let Some(Bound { term, symbols }) = &self.bound {
            let mut map = FxHashMap::default();
            for &(symbol, slot) in symbols {
                match slot.map(|slot| env[slot]) {
                    Some(value) if value != UNKNOWN => drop(map.insert(symbol, value)),
                    _ => return UNKNOWN,
                }
            }
            return replace(terms, *term, &map);
        }
        let mut values: Vec<TermId> = Vec::with_capacity(self.nodes.len());
        let mut args: Vec<TermId> = Vec::new();
        for node in &self.nodes {
            let value = match node {
                Node::Fixed(term) => *term,
                Node::Variable(slot) => env[*slot],
                Node::Nowhere => UNKNOWN,
                Node::Apply(term, numbers) => {
                    args.clear();
                    args.extend(numbers.iter().map(|&number| values[number as usize]));
                    if args.contains(&UNKNOWN) { UNKNOWN } else { fold::apply(terms, *term, &args) }
                }
            };
            values.push(value);
        }
        values.last().copied().unwrap_or(UNKNOWN)
    }
}

/// Where the value of a symbol is.
pub(super) enum Place {
    /// It is no program variable.
    NoVariable,
    /// At this position of the state.
    At(usize),
    /// Nowhere, though it is a variable.
    Nowhere,
}

/// An operator; one whose arguments are fixed is applied now.
fn apply(terms: &mut Terms, nodes: &[Node], term: TermId, args: Vec<u32>) -> Node {
    let fixed = args.iter().map(|&number| match nodes[number as usize] {
        Node::Fixed(term) => Some(term),
        _ => None,
    });
    match fixed.collect::<Option<Vec<TermId>>>() {
        Some(fixed) => Node::Fixed(fold::apply(terms, term, &fixed)),
        None => Node::Apply(term, args),
    }
}

/// The body of a constant that is defined by one, so that literals behind names are seen.
fn definition(terms: &Terms, term: TermId) -> TermId {
    let body = terms.applied(term).and_then(|fun| terms.definition(fun)).map(|(_, body)| body);
    body.filter(|&body| fold::is_value(terms, body)).unwrap_or(term)
}

/// True when the interpreter can tell whether a property holds: it has no quantifier over many values.
pub(super) fn is_evaluable(terms: &Terms, term: TermId) -> bool {
    let (mut todo, mut seen) = (vec![term], rustc_hash::FxHashSet::default());
    while let Some(term) = todo.pop() {
        for part in postorder(terms, term) {
            if let Some(fun) = terms.applied(part)
                && seen.insert(fun)
                && let Some((_, body)) = terms.definition(fun)
            {
                todo.push(body);
            }
            if matches!(terms.op(part), Op::Forall | Op::Exists) && !is_finite(terms, part) {
                return false;
            }
        }
    }
    true
}

fn is_finite(terms: &Terms, binder: TermId) -> bool {
    let args = terms.args(binder);
    args[..args.len() - 1].iter().all(|&variable| {
        let sort = terms.sort(variable);
        sort == smt::sort::SortId::BOOL || terms.sorts.width(sort).is_some_and(|width| width <= 8)
    })
}
