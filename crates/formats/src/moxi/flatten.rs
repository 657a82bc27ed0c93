//! Systems with their subsystems put in place.

use super::read::{Template, Var};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::parse::Parser;
use smt::scope::Binding;
use smt::sort::SortId;
use smt::subst::replace;
use smt::term::{Fun, FunId, Role, TermId, Terms};
use ts::State;

/// More instances than this are too many, and deeper ones too deep: their names would be endless.
const MANY: usize = 100_000;
const DEEP: usize = 500;

/// A system without subsystems.
#[derive(Default)]
pub(super) struct Flat {
    pub(super) states: Vec<State>,
    pub(super) init: Vec<TermId>,
    pub(super) trans: Vec<TermId>,
    pub(super) inv: Vec<TermId>,
    /// The constants of the definition, as those of the system.
    pub(super) top: FxHashMap<TermId, TermId>,
}

struct Instance<'a> {
    template: &'a Template,
    prefix: String,
    depth: usize,
    /// Inputs and outputs.
    actual: Vec<State>,
}

impl Flat {
    /// Puts all subsystems of a system in place; nothing if they are too many.
    pub(super) fn of(parser: &mut Parser<'_>, templates: &[Template], top: &Template) -> Option<Flat> {
        let mut names = Names { used: FxHashSet::default() };
        let mut flat = Flat::default();
        let outside = top.counts[0] + top.counts[1];
        let actual: Vec<State> = top.vars[..outside].iter().map(|var| names.state(parser, "", var)).collect();
        flat.states.extend(&actual);
        let mut todo = vec![Instance { template: top, prefix: String::new(), depth: 0, actual }];
        let mut count = 0;
        while let Some(instance) = todo.pop() {
            count += 1;
            if count > MANY || instance.depth > DEEP {
                return None;
            }
            let Instance { template, prefix, depth, mut actual } = instance;
            for var in &template.vars[actual.len()..] {
                let state = names.state(parser, &prefix, var);
                flat.states.push(state);
                actual.push(state);
            }
            let map = images(parser.terms, &template.vars, &actual);
            let put = |terms: &mut Terms, from: &[TermId], to: &mut Vec<TermId>| {
                to.extend(from.iter().map(|&formula| replace(terms, formula, &map)));
            };
            put(parser.terms, &template.init, &mut flat.init);
            put(parser.terms, &template.trans, &mut flat.trans);
            put(parser.terms, &template.inv, &mut flat.inv);
            for (name, system, at) in template.parts.iter().rev() {
                let template = &templates[*system];
                let prefix = format!("{prefix}{}.", parser.terms.names.text(*name));
                let actual = at.iter().map(|&at| actual[at]).collect();
                todo.push(Instance { template, prefix, depth: depth + 1, actual });
            }
            if count == 1 {
                flat.top = map;
            }
        }
        Some(flat)
    }
}

fn images(terms: &mut Terms, vars: &[Var], states: &[State]) -> FxHashMap<TermId, TermId> {
    let mut map = FxHashMap::default();
    for (var, state) in vars.iter().zip(states) {
        map.insert(terms.constant_term(var.now), terms.constant_term(state.now));
        map.insert(terms.constant_term(var.next), terms.constant_term(state.next));
    }
    map
}

/// Names of a system's variables: those of the file where nothing else has them.
struct Names {
    used: FxHashSet<FunId>,
}

impl Names {
    fn state(&mut self, parser: &mut Parser<'_>, prefix: &str, var: &Var) -> State {
        let name = format!("{prefix}{}", parser.terms.names.text(var.name));
        let now = self.symbol(parser, &name, var.sort);
        let name = format!("{}.next", parser.terms.fun_name(now));
        let next = self.symbol(parser, &name, var.sort);
        State { now, next }
    }

    fn symbol(&mut self, parser: &mut Parser<'_>, wish: &str, result: SortId) -> FunId {
        let name = parser.terms.names.intern(wish);
        if parser.scope.get(name) == Binding::None {
            let fun = Fun { name, params: Box::new([]), result, role: Role::Free };
            let fun = parser.terms.declare(fun);
            if self.used.insert(fun) {
                return fun;
            }
        }
        let fun = parser.terms.fresh(wish, result);
        self.used.insert(fun);
        fun
    }
}
