//! Weakest preconditions: a second reading of what annotations have to satisfy, which shares nothing with the one of the
//! checker but the flat code and what statements modify.
//!
//! A procedure is walked backwards, one formula for each instruction: what has to hold there so that nothing goes wrong
//! from there on. A `while` or label is a place where every way is cut: whoever comes to it shows its invariant, and
//! whoever goes on from it knows no more than that. Calls are their contracts. The procedure is right if its `:requires`
//! implies the formula of the first instruction.

use super::Broken;
use rustc_hash::FxHashMap;
use smt::op::Op as O;
use smt::parse::Command as Smt;
use smt::sort::SortId;
use smt::subst::{functions, replace};
use smt::term::{FunId, Role, TermId, Terms};
use solver::{CheckResult, Limits};
use std::time::Duration;
use svlib::code::{Code, Op, Pc, compile};
use svlib::interp::{calls, modified};
use svlib::syntax::{CommandKind, ProcId, PropertyKind, Script, StmtId, StmtKind};

type Map = FxHashMap<TermId, TermId>;

/// Shows that the annotations of a script are enough; an error says why that is not shown.
pub(super) fn hold(broken: &mut Broken, command: usize, time: Duration) -> Result<(), String> {
    let Broken { terms, script, .. } = broken;
    let Some(CommandKind::Call(_, entry, args)) = script.commands.get(command).map(|c| &c.kind) else {
        return Err("there is no query".into());
    };
    let axioms: Vec<TermId> = script.commands[..command]
        .iter()
        .filter_map(|command| match command.kind {
            CommandKind::Smt(Smt::Assert(term)) => Some(term),
            _ => None,
        })
        .collect();
    let mut goals = Vec::new();
    let inputs: Vec<TermId> =
        script.procs[*entry].inputs.iter().map(|&input| terms.constant_term(input)).collect();
    let map: Map = inputs.into_iter().zip(args.iter().copied()).collect();
    for requires in of(script, script.procs[*entry].body, command, PropertyKind::Requires) {
        goals.push((Vec::new(), replace(terms, requires, &map)));
    }
    for proc in calls::reachable(script, &[*entry]) {
        let body = script.procs[proc].body;
        let known = of(script, body, command, PropertyKind::Requires);
        goals.push((known, Backwards { terms: &mut *terms, script, command }.procedure(proc)?));
    }
    for (known, goal) in goals {
        let mut solver = solver::open("z3").map_err(|error| error.to_string())?;
        let refuted = terms.not(goal);
        let asked = solver.limits(Limits::time(time));
        let formulas = axioms.iter().chain(&known).chain([&refuted]);
        formulas
            .fold(asked, |asked, &formula| asked.and_then(|()| solver.assert(terms, formula)))
            .map_err(|error| error.to_string())?;
        match solver.check(terms, &[]).map_err(|error| error.to_string())? {
            CheckResult::Unsat => {}
            CheckResult::Sat => return Err("weakest preconditions refute it".into()),
            CheckResult::Unknown(reason) => return Err(format!("weakest preconditions: {reason}")),
        }
    }
    Ok(())
}

/// The terms of the properties of a kind.
fn of(script: &Script, stmt: Option<StmtId>, command: usize, kind: PropertyKind) -> Vec<TermId> {
    let properties = stmt.into_iter().flat_map(|stmt| script.properties_at(stmt, command));
    properties.filter(|property| property.kind == kind).flat_map(|property| property.terms.clone()).collect()
}

struct Backwards<'a> {
    terms: &'a mut Terms,
    script: &'a Script,
    command: usize,
}

/// A ranking function of a loop, and its values at the last visit.
type Rank = Vec<(TermId, TermId)>;

impl Backwards<'_> {
    fn of(&self, stmt: StmtId, kind: PropertyKind) -> Vec<TermId> {
        of(self.script, Some(stmt), self.command, kind)
    }

    fn procedure(&mut self, proc: ProcId) -> Result<TermId, String> {
        let code = compile(self.script, proc).ok_or("a procedure has no body")?;
        if let Some(body) = self.script.procs[proc].body
            && !self.ranks(body)?.is_empty()
        {
            return Err("weakest preconditions do not rank recursions".into());
        }
        let mut ranks: FxHashMap<Pc, Vec<Rank>> = FxHashMap::default();
        for (pc, instr) in code.instrs.iter().enumerate() {
            if instr.op == Op::Visit {
                ranks.insert(pc, self.ranks(instr.stmt)?);
            }
        }
        let mut needed = vec![TermId::TRUE; code.instrs.len()];
        for pc in (0..code.instrs.len()).rev() {
            needed[pc] = self.instruction(&code, pc, &needed, &ranks)?;
        }
        Ok(needed[0])
    }

    fn ranks(&mut self, stmt: StmtId) -> Result<Vec<Rank>, String> {
        let mut found = Vec::new();
        for property in self.script.properties_at(stmt, self.command) {
            if let PropertyKind::Decreases | PropertyKind::DecreasesLex = property.kind {
                if property.terms.iter().any(|&term| self.terms.sort(term) != SortId::INT) {
                    return Err("weakest preconditions rank by integers only".into());
                }
                let before = property
                    .terms
                    .iter()
                    .map(|_| self.terms.fresh("rank-before", SortId::INT))
                    .collect::<Vec<_>>();
                let before = before.into_iter().map(|fun| self.terms.constant_term(fun));
                found.push(property.terms.iter().copied().zip(before).collect());
            }
        }
        Ok(found)
    }

    fn app(&mut self, op: O, args: &[TermId]) -> Result<TermId, String> {
        self.terms.app(op, args).map_err(|error| format!("{error:?}"))
    }

    fn implies(&mut self, condition: TermId, formula: TermId) -> Result<TermId, String> {
        self.app(O::Implies, &[condition, formula])
    }

    /// What is needed where control goes on at `to` from `from`.
    fn on(
        &mut self,
        code: &Code,
        from: Pc,
        to: Pc,
        needed: &[TermId],
        ranks: &FxHashMap<Pc, Vec<Rank>>,
    ) -> Result<TermId, String> {
        if to > from {
            return Ok(needed[to]);
        }
        let Some(ranks) = ranks.get(&to) else { return Err("a way back leads to no tag".into()) };
        let mut goals = self.of(code.instrs[to].stmt, PropertyKind::Invariant);
        for rank in ranks {
            goals.push(self.descends(rank)?);
        }
        Ok(self.terms.and(&goals))
    }

    /// Some value is less than before, from one that is not negative, and those in front of it are the same.
    fn descends(&mut self, rank: &Rank) -> Result<TermId, String> {
        let (mut ways, mut same, zero) = (Vec::new(), Vec::new(), self.terms.int(0));
        for &(now, before) in rank {
            let (less, bounded) = (self.app(O::Lt, &[now, before])?, self.app(O::Le, &[zero, before])?);
            let mut way = same.clone();
            way.extend([less, bounded]);
            ways.push(self.terms.and(&way));
            same.push(self.app(O::Eq, &[now, before])?);
        }
        Ok(self.terms.or(&ways))
    }

    fn instruction(
        &mut self,
        code: &Code,
        pc: Pc,
        needed: &[TermId],
        ranks: &FxHashMap<Pc, Vec<Rank>>,
    ) -> Result<TermId, String> {
        let stmt = code.instrs[pc].stmt;
        let next = needed.get(pc + 1).copied().unwrap_or(TermId::TRUE);
        let is_body = self.script.procs[self.script.stmts[stmt].proc].body == Some(stmt);
        Ok(match &code.instrs[pc].op {
            Op::Return => TermId::TRUE,
            // Whoever calls the procedure shows what it requires.
            Op::Begin if is_body => next,
            Op::Begin => self.and(PropertyKind::Requires, stmt, next),
            Op::End => self.and(PropertyKind::Ensures, stmt, next),
            Op::Visit => self.visit(stmt, next, &ranks[&pc])?,
            Op::Assume(term) => self.implies(*term, next)?,
            Op::Assign(pairs) => {
                let map = pairs.iter().map(|&(target, value)| (self.terms.constant_term(target), value));
                let map: Map = map.collect();
                replace(self.terms, next, &map)
            }
            Op::Havoc(variables) => {
                let map = self.new_values(variables.iter().copied());
                replace(self.terms, next, &map)
            }
            Op::Jump(to) => self.on(code, pc, *to, needed, ranks)?,
            Op::Branch(condition, to) => {
                let other = self.on(code, pc, *to, needed, ranks)?;
                let fails = self.terms.not(*condition);
                let ways = [self.implies(*condition, next)?, self.implies(fails, other)?];
                self.terms.and(&ways)
            }
            Op::Choice(targets) => {
                let ways: Result<Vec<TermId>, String> =
                    targets.iter().map(|&to| self.on(code, pc, to, needed, ranks)).collect();
                self.terms.and(&ways?)
            }
            Op::Call(callee, args, results) => self.call(*callee, args, results, next)?,
        })
    }

    fn and(&mut self, kind: PropertyKind, stmt: StmtId, next: TermId) -> TermId {
        let mut all = self.of(stmt, kind);
        all.push(next);
        self.terms.and(&all)
    }

    /// Fresh values for variables.
    fn new_values(&mut self, variables: impl Iterator<Item = FunId>) -> Map {
        let mut map = Map::default();
        for variable in variables {
            let (name, sort) = (self.terms.fun_name(variable).to_string(), self.terms.fun(variable).result);
            let value = self.terms.fresh(&name, sort);
            let (variable, value) = (self.terms.constant_term(variable), self.terms.constant_term(value));
            map.insert(variable, value);
        }
        map
    }

    fn visit(&mut self, stmt: StmtId, next: TermId, ranks: &[Rank]) -> Result<TermId, String> {
        // The tags are visited now.
        let mut goal = self.and(PropertyKind::CheckTrue, stmt, next);
        let mut map: Map = ranks.iter().flatten().map(|&(now, before)| (before, now)).collect();
        for fun in functions(self.terms, goal) {
            if let Role::At(variable, tag) = self.terms.fun(fun).role
                && self.script.stmts[stmt].tags.iter().any(|own| own.0 == tag)
            {
                let (looked, now) = (self.terms.constant_term(fun), self.terms.constant_term(variable));
                map.insert(looked, now);
            }
        }
        goal = replace(self.terms, goal, &map);
        if !matches!(self.script.stmts[stmt].kind, StmtKind::While(..) | StmtKind::Label(_)) {
            return Ok(self.and(PropertyKind::Invariant, stmt, goal));
        }
        let invariants = self.of(stmt, PropertyKind::Invariant);
        let holds = self.terms.and(&invariants);
        let round = self.implies(holds, goal)?;
        let map = self.new_values(modified(self.script, stmt).into_iter());
        let round = replace(self.terms, round, &map);
        Ok(self.terms.and(&[holds, round]))
    }

    fn call(
        &mut self,
        callee: ProcId,
        args: &[TermId],
        results: &[FunId],
        next: TermId,
    ) -> Result<TermId, String> {
        let proc = &self.script.procs[callee];
        let body = proc.body.ok_or("a procedure has no body")?;
        let inputs = proc.inputs.iter().map(|&input| self.terms.constant_term(input));
        let inputs: Map = inputs.zip(args.iter().copied()).collect();
        let is_global = |variable: &FunId| matches!(self.terms.fun(*variable).role, Role::Variable(_, None));
        let changed: Vec<FunId> = modified(self.script, body).into_iter().filter(is_global).collect();
        let globals = self.new_values(changed.into_iter());
        let outputs = self.new_values(proc.outputs.iter().copied());
        let mut after = globals.clone();
        for (&result, &output) in results.iter().zip(&proc.outputs) {
            let (result, output) = (self.terms.constant_term(result), self.terms.constant_term(output));
            after.insert(result, outputs[&output]);
        }
        let next = replace(self.terms, next, &after);
        let promised = self.of(body, PropertyKind::Ensures);
        let promised = self.terms.and(&promised);
        let mut map: Map = inputs.clone();
        map.extend(globals.into_iter().chain(outputs));
        for fun in functions(self.terms, promised) {
            if let Role::At(variable, tag) = self.terms.fun(fun).role {
                if !self.script.stmts[body].tags.iter().any(|own| own.0 == tag) {
                    return Err("weakest preconditions: a contract looks back into the procedure".into());
                }
                let (looked, before) = (self.terms.constant_term(fun), self.terms.constant_term(variable));
                map.insert(looked, inputs.get(&before).copied().unwrap_or(before));
            }
        }
        let promised = replace(self.terms, promised, &map);
        let mut all = Vec::new();
        for requires in self.of(body, PropertyKind::Requires) {
            all.push(replace(self.terms, requires, &inputs));
        }
        all.push(self.implies(promised, next)?);
        Ok(self.terms.and(&all))
    }
}
