//! Horn clauses for Spacer. Clauses whose head has no predicate are goals: they derive a predicate of their own,
//! and the question is whether that can be derived.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;
use smt::op::Op;
use smt::sort::SortId;
use smt::subst;
use smt::term::{Fun, FunId, Role, TermId, Terms};
use z3_sys::DeclKind;

use super::ffi::{Ast, Built, Context, Derivable, Handle, Shape, Switched};
use super::translate::Translator;
use super::values::{Reader, formals};
use super::{back, ready};
use crate::api::{Fact, Horn, HornProblem, HornResult, Interrupter, Limits, Reason, Solution, Stop};
use crate::error::SolverError;

/// Transformations that would take the predicates apart for which answers are wanted.
const SWITCHES: &[(&str, bool)] =
    &[("xform.slice", false), ("xform.inline_linear", false), ("xform.inline_eager", false)];

/// A parameter of the engine, by the name that Z3 gives it, and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// A switch.
    Switch(&'static str, bool),
    /// A number.
    Number(&'static str, u32),
    /// A switch of the solver within, which the library has for the whole process: until the answer is there, others who ask at the
    /// same time feel it, too. So it must be one without which only answers are lost, as with axioms that are left out.
    Within(&'static str, bool),
}

/// Z3's engine for Horn clauses. Each question is put to a fresh context.
#[derive(Default)]
pub struct Spacer {
    link: Arc<Link>,
    settings: Vec<Setting>,
}

/// What the handles of a [`Spacer`] know: whether it shall stop, and the context it works in.
#[derive(Default)]
struct Link(Mutex<(bool, Option<Handle>)>);

impl Link {
    fn lock(&self) -> MutexGuard<'_, (bool, Option<Handle>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stop for Link {
    fn stop(&self) {
        let mut link = self.lock();
        link.0 = true;
        if let Some(handle) = &link.1 {
            handle.stop();
        }
    }

    fn resume(&self) {
        self.lock().0 = false;
    }
}

impl Spacer {
    /// An engine.
    #[must_use]
    pub fn new() -> Spacer {
        Spacer::default()
    }

    /// An engine with other parameters than the usual ones: some find what others do not.
    #[must_use]
    pub fn with(settings: &[Setting]) -> Spacer {
        Spacer { settings: settings.to_vec(), ..Spacer::default() }
    }

    /// A handle for other threads.
    #[must_use]
    pub fn interrupter(&self) -> Interrupter {
        Interrupter(self.link.clone())
    }

    /// Lets handles reach the context; false when they said stop already.
    fn started(&self, context: &Context) -> bool {
        let mut link = self.link.lock();
        link.1 = Some(Handle(context.gate().clone()));
        !link.0
    }
}

impl Horn for Spacer {
    fn solve(
        &mut self,
        terms: &mut Terms,
        problem: &HornProblem,
        limits: Limits,
    ) -> Result<HornResult, SolverError> {
        ready()?;
        let mut context =
            Context::new().ok_or_else(|| SolverError::Refused { message: "out of memory".to_owned() })?;
        if !self.started(&context) {
            return Ok(HornResult::Unknown(Reason::Interrupted));
        }
        let mut translator = Translator::default();
        let (mut switches, mut numbers) = (SWITCHES.to_vec(), Vec::new());
        let mut within = Vec::new();
        for setting in &self.settings {
            match *setting {
                Setting::Switch(name, value) => switches.push((name, value)),
                Setting::Number(name, value) => numbers.push((name, value)),
                Setting::Within(name, value) => within.push((name, value)),
            }
        }
        let _switched = (!within.is_empty()).then(|| Switched::to(&within));
        context.horn_setup(&switches, &numbers, limits)?;
        let goal = goal(terms, &problem.predicates);
        for &predicate in problem.predicates.iter().chain([&goal]) {
            let decl = translator.function(&mut context, terms, predicate)?;
            context.register(decl)?;
        }
        for &clause in &problem.clauses {
            let rule = rule(terms, &problem.predicates, goal, clause)?;
            let rule = translator.term(&mut context, terms, rule)?;
            context.add_rule(rule)?;
        }
        let decl = translator.function(&mut context, terms, goal)?;
        match context.derive(decl, limits)? {
            Derivable::Unknown(reason) => Ok(HornResult::Unknown(reason)),
            Derivable::Yes => {
                let facts = derivation(&mut context, &translator, terms, goal).unwrap_or_default();
                Ok(HornResult::Unsat(facts))
            }
            Derivable::No => solutions(&mut context, &mut translator, terms, problem),
        }
    }
}

/// The predicate that goals derive.
fn goal(terms: &mut Terms, predicates: &[FunId]) -> FunId {
    let mut name = "goal!".to_owned();
    loop {
        let symbol = terms.names.intern(&name);
        let fun = Fun { name: symbol, params: Box::new([]), result: SortId::BOOL, role: Role::Free };
        let fun = terms.declare(fun);
        if !predicates.contains(&fun) {
            return fun;
        }
        name.push('!');
    }
}

/// A clause as a rule with a predicate in its head.
fn rule(terms: &mut Terms, predicates: &[FunId], goal: FunId, clause: TermId) -> Result<TermId, SolverError> {
    let mut binders = Vec::new();
    let mut matrix = clause;
    while terms.op(matrix) == Op::Forall {
        let args = terms.args(matrix);
        binders.push(args[..args.len() - 1].to_vec());
        matrix = args[args.len() - 1];
    }
    let (mut body, mut head) = (Vec::new(), matrix);
    while terms.op(head) == Op::Implies {
        let args = terms.args(head);
        body.extend_from_slice(&args[..args.len() - 1]);
        head = args[args.len() - 1];
    }
    let is_predicate = |terms: &Terms, term| terms.applied(term).is_some_and(|fun| predicates.contains(&fun));
    if !is_predicate(terms, head) {
        let used = subst::postorder(terms, head);
        let negative = terms.op(head) == Op::Not;
        if !negative && used.iter().any(|&term| is_predicate(terms, term)) {
            return Err(SolverError::Unsupported { what: "a clause that is not a Horn clause".to_owned() });
        }
        body.push(terms.not(head));
        head = terms.constant_term(goal);
    }
    let body = terms.and(&body);
    let mut rule = if body == TermId::TRUE { head } else { built(terms.app(Op::Implies, &[body, head]))? };
    for vars in binders.iter().rev() {
        rule = built(terms.bind(Op::Forall, vars, rule))?;
    }
    Ok(rule)
}

fn built<E: std::fmt::Debug>(result: Result<TermId, E>) -> Result<TermId, SolverError> {
    result.map_err(|error| SolverError::Refused { message: format!("{error:?}") })
}

/// The predicates that Spacer found.
fn solutions(
    context: &mut Context,
    translator: &mut Translator,
    terms: &mut Terms,
    problem: &HornProblem,
) -> Result<HornResult, SolverError> {
    let mut found = Vec::new();
    translator.datatypes(context, terms)?;
    for &predicate in &problem.predicates {
        let decl = translator.function(context, terms, predicate)?;
        let cover = context.cover(decl)?;
        let sorts = terms.fun(predicate).params.clone();
        let params = formals(terms, &sorts);
        let Some(body) = back::term(context, translator, terms, cover, &params)? else {
            let name = terms.fun_name(predicate);
            let words = format!("the interpretation of {name} cannot be written down");
            return Ok(HornResult::Unknown(Reason::Incomplete(words)));
        };
        found.push(Solution { predicate, params, body });
    }
    Ok(HornResult::Sat(found))
}

/// The facts of a derivation: each resolution step of the proof is one, its premises come before it.
fn derivation(
    context: &mut Context,
    translator: &Translator,
    terms: &mut Terms,
    goal: FunId,
) -> Built<Vec<Fact>> {
    let root = context.derivation()?;
    let mut facts: Vec<Fact> = Vec::new();
    // The position of the fact that a proof step ends with, if it is about a predicate.
    let mut done: FxHashMap<u32, Option<usize>> = FxHashMap::default();
    let mut todo = vec![(root, false)];
    while let Some((step, ready)) = todo.pop() {
        let id = context.identity(step);
        if done.contains_key(&id) {
            continue;
        }
        let Shape::App(kind, _, args) = context.shape(step)? else {
            done.insert(id, None);
            continue;
        };
        let (premises, conclusion) = match (is_proof(kind), args.split_last()) {
            (true, Some((&last, premises))) => (premises.to_vec(), last),
            _ => (Vec::new(), step),
        };
        if !ready && !premises.is_empty() {
            todo.push((step, true));
            todo.extend(premises.iter().map(|&premise| (premise, false)));
            continue;
        }
        let premises =
            premises.iter().filter_map(|&p| done.get(&context.identity(p)).copied().flatten()).collect();
        let fact = fact(context, translator, terms, goal, conclusion)?;
        let at = fact.map(|(predicate, args)| {
            facts.push(Fact { predicate, args, premises });
            facts.len() - 1
        });
        done.insert(id, at);
    }
    Ok(facts)
}

fn is_proof(kind: DeclKind) -> bool {
    matches!(kind, DeclKind::PrHyperResolve | DeclKind::PrAsserted | DeclKind::PrModusPonens)
}

type Ground = (Option<FunId>, Vec<Option<smt::value::Value>>);

fn fact(
    context: &mut Context,
    translator: &Translator,
    terms: &mut Terms,
    goal: FunId,
    conclusion: Ast,
) -> Built<Option<Ground>> {
    let (kind, decl, args) = match context.shape(conclusion)? {
        Shape::App(kind, decl, args) => (kind, decl, args),
        _ => return Ok(None),
    };
    if kind == DeclKind::False {
        return Ok(Some((None, Vec::new())));
    }
    let Some(&fun) = translator.back.get(&decl) else { return Ok(None) };
    if fun == goal {
        return Ok(Some((None, Vec::new())));
    }
    let sorts = terms.fun(fun).params.clone();
    let mut values = Vec::new();
    for (&arg, &sort) in args.iter().zip(&sorts) {
        values.push(Reader::new(context, translator, terms).value(arg, sort)?);
    }
    Ok(Some((Some(fun), values)))
}
