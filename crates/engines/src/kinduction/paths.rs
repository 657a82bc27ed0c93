//! Horn clauses as ways: each clause is taken apart where ways meet, so that what is left is a conjunction of conditions
//! and a target whose arguments are terms over the state at the beginning and over what is decided on the way.

use super::Claims;
use crate::houdini::groups::conjuncts;
use encode::horn::{Encoding, Meaning};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::subst::{constants, replace};
use smt::term::{Fun, FunId, Role, TermId, Terms};
use svlib::syntax::PropertyKind;

/// More ways than this are not looked at.
const MOST: usize = 1000;
/// More cases than this a summary does not have.
const MOST_CASES: usize = 8;

/// Where a way leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    /// To an unknown predicate, by number, with arguments.
    Unknown(usize, Vec<TermId>),
    /// To something that has to hold.
    Formula(TermId),
}

/// A way from one cut point to the next, in terms of the parameters of the predicate where it begins.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// The predicate where it begins, by number; none where executions begin.
    pub(crate) from: Option<usize>,
    /// The conditions under which it is taken.
    pub(crate) guard: Vec<TermId>,
    /// Where it leads.
    pub(crate) target: Target,
    /// What is decided on the way: constants of our own.
    pub(crate) open: FxHashSet<TermId>,
}

/// A clause that is being taken apart.
#[derive(Clone)]
struct Case {
    todo: Vec<TermId>,
    guard: Vec<TermId>,
    map: FxHashMap<TermId, TermId>,
}

/// A clause with constants in the place of its variables.
struct Opened {
    body: Vec<TermId>,
    goal: TermId,
    /// The constants.
    own: FxHashSet<TermId>,
}

/// Takes clauses apart.
pub(crate) struct Paths<'a> {
    encoding: &'a Encoding,
    /// What is assumed where a promise is used, by number of the predicate.
    claims: &'a Claims,
    numbers: FxHashMap<FunId, usize>,
    fresh: usize,
}

impl<'a> Paths<'a> {
    pub(crate) fn new(encoding: &'a Encoding, claims: &'a Claims) -> Paths<'a> {
        let unknowns = encoding.unknowns.iter().enumerate();
        let numbers = unknowns.map(|(number, unknown)| (unknown.predicate, number)).collect();
        Paths { encoding, claims, numbers, fresh: 0 }
    }

    /// All ways; none when there are too many.
    pub(crate) fn steps(&mut self, terms: &mut Terms) -> Option<Vec<Step>> {
        let mut found = Vec::new();
        for i in 0..self.encoding.problem.clauses.len() {
            let opened = self.open(terms, self.encoding.problem.clauses[i]);
            found.extend(self.split(terms, &opened)?);
            if found.len() > MOST {
                return None;
            }
        }
        Some(found)
    }

    fn constant(&mut self, terms: &mut Terms, sort: smt::sort::SortId) -> TermId {
        let name = terms.names.intern(&format!("#k.{}", self.fresh));
        self.fresh += 1;
        let fun = terms.declare(Fun { name, params: Box::new([]), result: sort, role: Role::Free });
        terms.constant_term(fun)
    }

    fn open(&mut self, terms: &mut Terms, clause: TermId) -> Opened {
        let (mut matrix, mut map) = (clause, FxHashMap::default());
        while terms.op(matrix) == Op::Forall {
            let args = terms.args(matrix).to_vec();
            for &var in &args[..args.len() - 1] {
                let constant = self.constant(terms, terms.sort(var));
                map.insert(var, constant);
            }
            matrix = args[args.len() - 1];
        }
        let matrix = replace(terms, matrix, &map);
        let (body, goal) = match (terms.op(matrix), terms.args(matrix)) {
            (Op::Implies, &[body, goal]) => (conjuncts(terms, body), goal),
            _ => (Vec::new(), matrix),
        };
        Opened { body, goal, own: map.into_values().collect() }
    }

    /// The number of the predicate that a term applies.
    fn unknown(&self, terms: &Terms, term: TermId) -> Option<usize> {
        terms.applied(term).and_then(|fun| self.numbers.get(&fun)).copied()
    }

    fn is_promise(&self, number: usize) -> bool {
        let meaning = self.encoding.unknowns[number].meaning;
        matches!(meaning, Meaning::Annotation(_, PropertyKind::Ensures))
    }

    /// The ways of a clause.
    fn split(&self, terms: &mut Terms, opened: &Opened) -> Option<Vec<Step>> {
        let begins = |&&term: &&TermId| self.unknown(terms, term).is_some_and(|n| !self.is_promise(n));
        let from: Option<TermId> = opened.body.iter().find(begins).copied();
        let kept: FxHashSet<TermId> = from.iter().flat_map(|&from| terms.args(from)).copied().collect();
        let eliminable = |term: &TermId| opened.own.contains(term) && !kept.contains(term);
        let (mut meanings, mut todo) = (FxHashMap::default(), Vec::new());
        for &formula in &opened.body {
            match (terms.op(formula), terms.args(formula)) {
                // Where ways meet, a Boolean constant stands for them.
                (Op::Implies, &[way, meaning]) if eliminable(&way) => drop(meanings.insert(way, meaning)),
                _ => todo.push(formula),
            }
        }
        let (mut open, mut found) =
            (vec![Case { todo, guard: Vec::new(), map: FxHashMap::default() }], Vec::new());
        while let Some(mut case) = open.pop() {
            let Some(formula) = case.todo.pop() else {
                found.extend(self.finish(terms, opened, from, case));
                continue;
            };
            let meaning = meanings.get(&formula).copied();
            let formula = replace(terms, formula, &case.map);
            match terms.op(formula) {
                Op::True => {}
                Op::False => continue,
                Op::And => case.todo.extend(terms.args(formula)),
                _ if meaning.is_some_and(|meaning| terms.op(meaning) == Op::Or) => {
                    for &way in meaning.iter().flat_map(|&meaning| terms.args(meaning)).collect::<Vec<_>>() {
                        let mut other = case.clone();
                        other.todo.push(way);
                        open.push(other);
                    }
                    if open.len() + found.len() > MOST {
                        return None;
                    }
                    continue;
                }
                _ if meaning.is_some() => case.todo.extend(meaning),
                _ => match self.unknown(terms, formula) {
                    Some(number) if self.is_promise(number) => {
                        let args = terms.args(formula).to_vec();
                        for &claim in &self.claims[number] {
                            case.todo.push(self.instance(terms, number, &args, claim));
                        }
                    }
                    Some(_) => {}
                    None => learn(terms, &mut case, formula, &eliminable),
                },
            }
            open.push(case);
        }
        Some(found)
    }

    /// What is claimed of a predicate, said of arguments.
    fn instance(&self, terms: &mut Terms, number: usize, args: &[TermId], claim: TermId) -> TermId {
        instance(terms, &self.encoding.unknowns[number].params, args, claim)
    }

    /// The way of a case in which nothing is left to do.
    fn finish(&self, terms: &mut Terms, opened: &Opened, from: Option<TermId>, case: Case) -> Option<Step> {
        let Case { mut guard, mut map, .. } = case;
        let number = from.and_then(|from| self.unknown(terms, from));
        let mut named = FxHashMap::default();
        if let (Some(from), Some(number)) = (from, number) {
            let args = terms.args(from).to_vec();
            for (&arg, &param) in args.iter().zip(&self.encoding.unknowns[number].params) {
                let param = terms.constant_term(param);
                if opened.own.contains(&arg) && !named.contains_key(&arg) {
                    named.insert(arg, param);
                } else {
                    guard.extend(terms.app(Op::Eq, &[param, arg]).ok());
                }
            }
        }
        for value in map.values_mut() {
            *value = replace(terms, *value, &named);
        }
        map.extend(&named);
        let mut conditions: Vec<TermId> = Vec::new();
        for formula in guard {
            let formula = replace(terms, formula, &map);
            match terms.op(formula) {
                Op::True => {}
                Op::False => return None,
                _ if conditions.contains(&formula) => {}
                _ => conditions.push(formula),
            }
        }
        let goal = replace(terms, opened.goal, &map);
        let target = match self.unknown(terms, goal) {
            Some(number) => Target::Unknown(number, terms.args(goal).to_vec()),
            None => Target::Formula(goal),
        };
        let all = conditions.iter().chain([&goal]).flat_map(|&term| constants(terms, term));
        let open = all.filter(|constant| opened.own.contains(constant)).collect();
        Some(Step { from: number, guard: conditions, target, open })
    }
}

/// A formula about parameters, said of arguments.
pub(super) fn instance(terms: &mut Terms, params: &[FunId], args: &[TermId], formula: TermId) -> TermId {
    let mut map = FxHashMap::default();
    for (&param, &arg) in params.iter().zip(args) {
        map.insert(terms.constant_term(param), arg);
    }
    replace(terms, formula, &map)
}

/// Takes a condition into a case; one that says what a constant is puts it in its place.
fn learn(terms: &mut Terms, case: &mut Case, formula: TermId, eliminable: &dyn Fn(&TermId) -> bool) {
    let (constant, value) = match (terms.op(formula), terms.args(formula)) {
        (Op::Not, &[inner]) if eliminable(&inner) => (inner, TermId::FALSE),
        (Op::Eq, &[left, right]) if eliminable(&left) => (left, right),
        (Op::Eq, &[left, right]) if eliminable(&right) => (right, left),
        _ if eliminable(&formula) => (formula, TermId::TRUE),
        _ => return case.guard.push(formula),
    };
    if terms.sort(constant) != terms.sort(value) || constants(terms, value).contains(&constant) {
        return case.guard.push(formula);
    }
    let new: FxHashMap<TermId, TermId> = [(constant, value)].into_iter().collect();
    for old in case.map.values_mut() {
        *old = replace(terms, *old, &new);
    }
    case.map.insert(constant, value);
}

/// For each predicate that is the promise of a procedure without loops and calls: what the procedure does, over its
/// parameters. What is decided inside is left out, so it may be less than everything.
pub(crate) fn summaries(terms: &mut Terms, encoding: &Encoding) -> Claims {
    let none = vec![Vec::new(); encoding.unknowns.len()];
    let mut paths = Paths::new(encoding, &none);
    let mut cases: Vec<Option<Vec<TermId>>> = vec![Some(Vec::new()); encoding.unknowns.len()];
    for &clause in &encoding.problem.clauses {
        let opened = paths.open(terms, clause);
        let Some(number) = paths.unknown(terms, opened.goal).filter(|&n| paths.is_promise(n)) else {
            continue;
        };
        let begins = |meaning| matches!(meaning, Meaning::Annotation(_, PropertyKind::Requires));
        let used = opened.body.iter().filter_map(|&term| paths.unknown(terms, term));
        let simple = used.into_iter().all(|other| begins(encoding.unknowns[other].meaning));
        let steps = if simple { paths.split(terms, &opened) } else { None };
        let Some(steps) = steps else {
            cases[number] = None;
            continue;
        };
        for step in steps {
            let case = summary(terms, encoding, &opened, step);
            if let Some(cases) = &mut cases[number] {
                cases.push(case);
            }
        }
    }
    let mut found = none.clone();
    for (claims, cases) in found.iter_mut().zip(cases) {
        match cases.as_deref() {
            None | Some([]) => {}
            Some([one]) => *claims = conjuncts(terms, *one),
            Some(several) if several.len() <= MOST_CASES && !several.contains(&TermId::TRUE) => {
                claims.extend(terms.app(Op::Or, several).ok());
            }
            Some(_) => {}
        }
    }
    found
}

/// One way through a procedure as a formula over the parameters of its promise.
fn summary(terms: &mut Terms, encoding: &Encoding, opened: &Opened, step: Step) -> TermId {
    let Target::Unknown(number, args) = step.target else { return TermId::TRUE };
    let mut map = FxHashMap::default();
    let mut conditions = step.guard;
    // The way is said in terms of the precondition's parameters, which are parameters of the promise: as they were.
    let mut pending = Vec::new();
    for (&arg, &param) in args.iter().zip(&encoding.unknowns[number].params) {
        let param = terms.constant_term(param);
        let is_name = terms.args(arg).is_empty() && terms.applied(arg).is_some();
        if is_name && !map.contains_key(&arg) {
            map.insert(arg, param);
        } else {
            pending.push((param, arg));
        }
    }
    let mut formulas = Vec::new();
    for (param, arg) in pending {
        let arg = replace(terms, arg, &map);
        formulas.extend(terms.app(Op::Eq, &[param, arg]).ok());
    }
    for condition in &mut conditions {
        formulas.push(replace(terms, *condition, &map));
    }
    let own = |terms: &Terms, formula| constants(terms, formula).iter().any(|c| opened.own.contains(c));
    formulas.retain(|&formula| !own(terms, formula));
    terms.and(&formulas)
}
