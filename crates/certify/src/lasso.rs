//! Lassos (SV-LIB 1.0, sect. 7.4): the trace led to a statement in a state that satisfies the annotations which the
//! witness uses there; now the ways from the statement back to it are looked at.
//!
//! The lasso closes if all ways from any state that satisfies the annotations come back to the statement in such a
//! state. What no way changes keeps the value that it has at the end of the stem, and constants the value of the
//! model. If not all ways come back, the lasso closes all the same if from each such state some way does: whoever
//! decides what the program leaves open can go round for ever. And if the annotations describe a single state, it is enough
//! that the execution comes back to it.
//!
//! The annotations of the task itself are not used for any of this.

use crate::repeat;
use crate::replay::{Judged, Rejection};
use base::budget::Budget;
use program::{Cycles, Demand, Head, Note, Origin, Program, Ways, What, decided, ways, with_definitions};
use rustc_hash::FxHashMap;
use smt::eval::Interpretation;
use smt::op::{Op, Theory};
use smt::print::{symbol_text, term_text};
use smt::subst::{functions, postorder, replace};
use smt::term::{Role, TermId, Terms};
use solver::{CheckResult, FullSolver, Limits, SolverError};
use svlib::interp::{Options, Outcome, Task};
use svlib::syntax::{PropertyKind, StmtId, Trace, Violation};

/// Loops on the way are followed for so many rounds.
const ROUNDS: usize = 12;

/// The end of a stem.
pub(crate) struct Stem<'a> {
    pub(crate) task: &'a Task<'a>,
    pub(crate) trace: &'a Trace,
    pub(crate) outcome: &'a Outcome,
    pub(crate) options: &'a Options,
    /// The statement where it ends.
    pub(crate) head: StmtId,
}

/// What became of a question.
enum Answer {
    Yes,
    /// No, and why not.
    No(String),
    Open(String),
}

/// Judges whether the lasso of a stem closes and violates what the trace claims.
pub(crate) fn judge(
    terms: &mut Terms,
    stem: &Stem<'_>,
    solver: &mut dyn FullSolver,
    budget: &Budget,
) -> Judged {
    let mut program = match Program::new(stem.task.script, stem.task.command, &[], false) {
        Ok(program) => program,
        Err(error) => return Judged::Open(error.to_string()),
    };
    let avoid = match claimed(&program, stem) {
        Ok(avoid) => avoid,
        Err(judged) => return judged,
    };
    program.forget_task();
    let mut holds = Vec::new();
    for property in stem.trace.using.iter().flat_map(|used| &used.properties) {
        for (stmt, meaning) in &property.meanings {
            if *stmt == stem.head {
                if property.kind.is_boolean() && property.kind != PropertyKind::Ensures {
                    holds.extend(&meaning.terms);
                }
            } else {
                let (kind, terms, at) = (meaning.kind, meaning.terms.clone(), meaning.at.0);
                program.annotate(*stmt, Note { kind, terms, origin: Origin::Added, at });
            }
        }
    }
    let head = Head { stmt: stem.head, holds: &holds, avoid: &avoid };
    let mut question = Question { terms, stem, program: &program, solver, budget };
    question.answer(&head).unwrap_or_else(|error| Judged::Open(error.to_string()))
}

/// The statements that the lasso has to avoid, if it can violate what the trace claims.
fn claimed(program: &Program<'_>, stem: &Stem<'_>) -> Result<Vec<StmtId>, Judged> {
    let rejected = |reason: &str| Err(Judged::Rejected(Rejection::OtherEnd(reason.into())));
    let Violation::Annotation(annotation) = &stem.trace.violation else {
        return rejected("the trace is no lasso");
    };
    let [property] = &annotation.properties[..] else {
        return Err(Judged::Open("a lasso violates one property, the trace claims several".into()));
    };
    let script = program.script;
    match property.kind {
        PropertyKind::NotRecurring => {
            if !program.notes(stem.head).has(PropertyKind::NotRecurring) {
                return rejected("the task does not say :not-recurring of the statement");
            }
            Ok(Vec::new())
        }
        PropertyKind::Recurring => {
            let demanded: Vec<StmtId> = script
                .tagged(annotation.tag)
                .filter(|&stmt| program.notes(stmt).has(PropertyKind::Recurring))
                .collect();
            if demanded.is_empty() {
                return rejected("the task does not say :recurring of the tag");
            }
            // Statements that share a tag may count as the same place, so none of them may be visited.
            let tags: Vec<_> = demanded.iter().flat_map(|&s| &script.stmts[s].tags).map(|t| t.0).collect();
            let avoid: Vec<StmtId> = tags.into_iter().flat_map(|tag| script.tagged(tag)).collect();
            if avoid.contains(&stem.head) {
                return rejected("the head of the lasso is visited in every round, and it has the tag");
            }
            Ok(avoid)
        }
        _ => rejected("the trace is no lasso"),
    }
}

struct Question<'q, 's> {
    terms: &'q mut Terms,
    stem: &'q Stem<'q>,
    program: &'q Program<'s>,
    solver: &'q mut dyn FullSolver,
    budget: &'q Budget,
}

impl Question<'_, '_> {
    fn answer(&mut self, head: &Head<'_>) -> Result<Judged, SolverError> {
        let Some(all) = ways(self.terms, self.program, head, Cycles::Abstracted) else {
            return Ok(Judged::Open("the statement is never visited".into()));
        };
        let start = self.start(&all);
        let (mut no, mut open) = (None, None);
        match self.all_come_back(&all, &start)? {
            Answer::Yes => return Ok(Judged::Confirmed),
            Answer::No(reason) => no = Some(reason),
            Answer::Open(reason) => open = Some(reason),
        }
        match self.some_comes_back(head)? {
            Answer::Yes => return Ok(Judged::Confirmed),
            Answer::No(_) => {}
            Answer::Open(reason) => open = open.or(Some(reason)),
        }
        if self.is_single(&all, &start)? && repeat::repeats(self.terms, self.stem, head.avoid) {
            return Ok(Judged::Confirmed);
        }
        Ok(match (no, open) {
            (Some(reason), None) => Judged::Rejected(Rejection::Condition(reason)),
            (Some(no), Some(open)) => Judged::Open(format!("{no}; {open}")),
            (None, open) => Judged::Open(open.unwrap_or_default()),
        })
    }

    /// What is known where the ways begin.
    fn start(&mut self, ways: &Ways) -> Vec<TermId> {
        let mut known = ways.start.clone();
        let state = &self.stem.outcome.state;
        let frame = state.frame.iter().flat_map(|frame| &frame.1);
        let at_end: FxHashMap<_, _> =
            state.globals.iter().chain(frame).map(|(fun, value)| (*fun, value)).collect();
        for &(variable, constant, kept) in &ways.values {
            if let Some(&value) = at_end.get(&variable)
                && kept
            {
                let value = value.to_term(self.terms);
                known.extend(self.terms.app(Op::Eq, &[constant, value]));
            }
        }
        for (fun, meaning) in &self.stem.outcome.execution.model {
            let value = match meaning {
                Interpretation::Value(value) => value.to_term(self.terms),
                Interpretation::Body(params, body) if params.is_empty() => *body,
                _ => continue,
            };
            let constant = self.terms.constant_term(*fun);
            known.extend(self.terms.app(Op::Eq, &[constant, value]));
        }
        known.extend(&self.program.axioms);
        known
    }

    fn ask(&mut self, formulas: &[TermId]) -> Result<CheckResult, SolverError> {
        if let Some(time) = self.budget.remaining() {
            self.solver.limits(Limits::time(time))?;
        }
        self.solver.push()?;
        for &formula in formulas.iter().filter(|&&formula| formula != TermId::TRUE) {
            self.solver.assert(self.terms, formula)?;
        }
        self.solver.check(self.terms, &[])
    }

    fn all_come_back(&mut self, ways: &Ways, start: &[TermId]) -> Result<Answer, SolverError> {
        let mut open = ways.open.first().cloned();
        for demand in &ways.demands {
            if self.budget.is_over() {
                return Ok(Answer::Open("the time is over".into()));
            }
            let mut known = start.to_vec();
            known.push(demand.guard);
            let mut question = with_definitions(self.terms, &ways.definitions, known, demand.goal);
            question.push(self.terms.not(demand.goal));
            let answer = self.ask(&question)?;
            let reason = self.describe(ways, demand, &answer);
            self.solver.pop()?;
            match answer {
                CheckResult::Unsat => {}
                CheckResult::Sat => return Ok(Answer::No(reason)),
                CheckResult::Unknown(_) => open = open.or(Some(reason)),
            }
        }
        if ways.back.is_none() {
            return Ok(Answer::No("no way leads back to the statement".into()));
        }
        Ok(open.map_or(Answer::Yes, Answer::Open))
    }

    /// From each state that the annotations allow some way comes back.
    fn some_comes_back(&mut self, head: &Head<'_>) -> Result<Answer, SolverError> {
        let looks_back = |terms: &Terms, term: TermId| {
            functions(terms, term).into_iter().any(|fun| matches!(terms.fun(fun).role, Role::At(..)))
        };
        if head.holds.iter().any(|&term| looks_back(self.terms, term)) {
            return Ok(Answer::Open("not all ways come back, and the annotations look back".into()));
        }
        let found = ways(self.terms, self.program, head, Cycles::Unrolled(ROUNDS));
        let Some((found, (guard, again))) = found.and_then(|mut found| {
            let back = found.back.take()?;
            Some((found, back))
        }) else {
            return Ok(Answer::No(String::new()));
        };
        let mut way = vec![guard];
        way.extend(again);
        let way = with_definitions(self.terms, &found.definitions, way, TermId::TRUE);
        let start = self.start(&found);
        let mut formulas = start.clone();
        formulas.extend(&way);
        if formulas.iter().all(|&formula| is_plain(self.terms, formula)) && self.is_single(&found, &start)? {
            let answer = self.ask(&formulas)?;
            self.solver.pop()?;
            if answer == CheckResult::Sat {
                return Ok(Answer::Yes);
            }
        }
        let never = self.never(&found, &way);
        let mut question = start;
        question.push(never);
        let answer = self.ask(&question)?;
        self.solver.pop()?;
        Ok(match answer {
            CheckResult::Unsat => Answer::Yes,
            CheckResult::Sat if found.open.is_empty() => Answer::No(String::new()),
            CheckResult::Sat => Answer::Open(found.open[0].clone()),
            CheckResult::Unknown(reason) => {
                Answer::Open(format!("whether some way comes back the solver does not know ({reason})"))
            }
        })
    }

    /// Whatever is decided, the way is not taken.
    fn never(&mut self, ways: &Ways, way: &[TermId]) -> TermId {
        let (mut map, mut bound) = (FxHashMap::default(), Vec::new());
        for (number, constant) in decided(self.terms, ways, way).into_iter().enumerate() {
            let name = self.terms.names.intern(&format!("#decided{number}"));
            let variable = self.terms.var(name, self.terms.sort(constant));
            map.insert(constant, variable);
            bound.push(variable);
        }
        let taken = self.terms.and(way);
        let taken = replace(self.terms, taken, &map);
        let never = self.terms.not(taken);
        match bound.is_empty() {
            true => never,
            // A negation is Boolean.
            false => self.terms.bind(Op::Forall, &bound, never).unwrap_or(TermId::TRUE),
        }
    }

    /// True when only one state, that at the end of the stem, satisfies the annotations.
    fn is_single(&mut self, ways: &Ways, start: &[TermId]) -> Result<bool, SolverError> {
        let state = &self.stem.outcome.state;
        let frame = state.frame.iter().flat_map(|frame| &frame.1);
        let at_end: FxHashMap<_, _> =
            state.globals.iter().chain(frame).map(|(fun, value)| (*fun, value)).collect();
        let mut same = Vec::new();
        for &(variable, constant, _) in &ways.values {
            if !matches!(self.terms.fun(variable).role, Role::Variable(..)) {
                continue;
            }
            let Some(&value) = at_end.get(&variable) else { return Ok(false) };
            let value = value.to_term(self.terms);
            same.extend(self.terms.app(Op::Eq, &[constant, value]));
        }
        let same = self.terms.and(&same);
        let mut question = start.to_vec();
        question.push(self.terms.not(same));
        let answer = self.ask(&question)?;
        self.solver.pop()?;
        Ok(answer == CheckResult::Unsat)
    }

    /// Which way does not come back, and from where.
    fn describe(&mut self, ways: &Ways, demand: &Demand, answer: &CheckResult) -> String {
        let tag = self.program.script.stmts[demand.stmt].tags.first();
        let tag = tag.map_or_else(
            || "a statement".into(),
            |tag| format!("`{}`", symbol_text(self.terms.names.text(tag.0))),
        );
        let mut text = match demand.what {
            What::Stays => "the lasso does not close: a way ends".to_string(),
            What::Passes => "the lasso does not close: an assumption cuts a way off".into(),
            What::Avoids => format!("the lasso does not avoid {tag}"),
            What::Invariant => format!("an invariant on the lasso does not hold at {tag}"),
            What::Decreases => format!("the ranking function of {tag} does not decrease"),
            What::Again => {
                format!("the lasso does not close: the annotations of {tag} do not hold after a round")
            }
        };
        if let CheckResult::Unknown(reason) = answer {
            return format!("{text}? The solver does not know ({reason})");
        }
        if !answer.is_sat() {
            return text;
        }
        let mut values = Vec::new();
        for &(variable, constant, _) in ways.values.iter().take(8) {
            if let Ok(Some(value)) = self.solver.value(self.terms, constant) {
                let (name, value) = (symbol_text(self.terms.fun_name(variable)), value.to_term(self.terms));
                values.push(format!("{name} = {}", term_text(self.terms, value)));
            }
        }
        if !values.is_empty() {
            text.push_str(&format!(", for example from {}", values.join(", ")));
        }
        text
    }
}

/// True when a formula means the same in every model: no function, and no operator whose value is left open
/// somewhere.
fn is_plain(terms: &Terms, formula: TermId) -> bool {
    postorder(terms, formula).into_iter().all(|term| match terms.op(term) {
        Op::Const | Op::True | Op::False | Op::Not | Op::And | Op::Or | Op::Implies | Op::Xor => true,
        Op::Eq | Op::Distinct | Op::Ite | Op::Add | Op::Sub | Op::Neg | Op::Mul => true,
        Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::ToReal | Op::Select | Op::Store => true,
        Op::App => terms.args(term).is_empty(),
        op => op.info().theory == Theory::BitVec,
    })
}
