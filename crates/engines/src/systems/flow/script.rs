//! A graph of locations as a program of labels and jumps.

use super::control::Control;
use super::edges::{self, Edge, MAIN, Variables, Way};
use base::id::Id;
use rustc_hash::FxHashSet;
use smt::subst::constants;
use smt::term::{FunId, TermId, Terms};
use svlib::syntax::{
    At, Command, CommandKind, Proc, ProcId, Property, PropertyKind, Script, Stmt, StmtId, StmtKind,
};
use ts::System;

/// The program, and where it came from.
pub(super) struct Flow {
    pub(super) control: Control,
    pub(super) variables: Variables,
    /// The edges from each location.
    pub(super) edges: Vec<Vec<Edge>>,
    /// What holds at each location, with inputs too, and what is claimed.
    pub(super) invar: Vec<Vec<TermId>>,
    /// What holds when an execution begins there.
    pub(super) begin: Vec<Vec<TermId>>,
    pub(super) claims: Vec<TermId>,
    pub(super) script: Script,
    /// The labels of the locations.
    pub(super) labels: Vec<StmtId>,
    remember: bool,
}

impl Flow {
    /// The program of a system that asks whether a formula holds in every step. Unless it may be remembered which variables
    /// a loop leaves alone, everything is assigned everywhere.
    pub(super) fn new(
        terms: &mut Terms,
        system: &System,
        claim: TermId,
        control: Control,
        remember: bool,
    ) -> Flow {
        let variables = Variables::new(terms, system, &control);
        let count = control.locations.len();
        let (mut edges, mut invar, mut claims) = (Vec::new(), Vec::new(), Vec::new());
        for from in 0..count {
            let steps = control.steps[from].clone();
            let between = |to| edges::edges(terms, system, &control, &variables, from, to);
            edges.push(steps.into_iter().flat_map(between).collect());
            invar.push(variables.at(terms, &control, from, &system.invar));
            claims.push(variables.at(terms, &control, from, &[claim])[0]);
        }
        let first = [&system.axioms[..], &system.init].concat();
        let begin = (0..control.entries).map(|entry| variables.at(terms, &control, entry, &first)).collect();
        let (script, labels) = (Script::default(), Vec::new());
        let mut flow = Flow { control, variables, edges, invar, begin, claims, script, labels, remember };
        flow.write(terms);
        flow
    }

    fn write(&mut self, terms: &mut Terms) {
        let mut body = vec![self.entries(terms)];
        let mut labels = vec![None; self.control.locations.len()];
        for location in self.order() {
            labels[location] = Some(self.location(terms, location, &mut body));
        }
        self.labels = labels.into_iter().flatten().collect();
        let body = self.sequence(body);
        let name = terms.names.intern(MAIN);
        let Variables { data, later, inputs, rigid, .. } = &self.variables;
        let locals = [&data[..], later, inputs, rigid].concat();
        let main =
            Proc { name, inputs: vec![], outputs: vec![], locals, body: Some(body), at: At::default() };
        let main = self.script.procs.push(main);
        let call = CommandKind::Call("verify-call".into(), main, Vec::new());
        for kind in [CommandKind::DefineProc(main), call] {
            self.script.commands.push(Command { kind, at: At::default() });
        }
    }

    /// The locations, each as soon as it may be reached, and what follows a location close to it.
    fn order(&self) -> Vec<usize> {
        let (mut seen, mut order) = (vec![false; self.edges.len()], Vec::new());
        let mut todo: Vec<(usize, usize)> = (0..self.control.entries).rev().map(|entry| (entry, 0)).collect();
        // Backwards by when a location is left for good: whoever leads to another one without a way back comes before it.
        while let Some((location, next)) = todo.pop() {
            if next == 0 && std::mem::replace(&mut seen[location], true) {
                continue;
            }
            match self.edges[location].get(next) {
                Some(edge) => {
                    todo.push((location, next + 1));
                    if !seen[edge.to] {
                        todo.push((edge.to, 0));
                    }
                }
                None => order.push(location),
            }
        }
        order.extend((0..self.edges.len()).filter(|&location| !seen[location]));
        order.reverse();
        order
    }

    fn entries(&mut self, terms: &mut Terms) -> StmtId {
        let mut ways = Vec::new();
        for entry in 0..self.control.entries {
            let data = self.variables.data.clone();
            let wanted = data.iter().map(|&variable| terms.constant_term(variable)).collect();
            for Way { guard, set } in edges::ways(terms, self.begin[entry].clone(), &wanted) {
                let mut list = vec![self.assume(terms, &guard)];
                let value = |&variable: &FunId| Some((variable, *set.get(&terms.constant_term(variable))?));
                let assigned: Vec<(FunId, TermId)> = data.iter().filter_map(value).collect();
                if !assigned.is_empty() {
                    list.push(self.statement(StmtKind::Assign(assigned)));
                }
                list.push(self.goto(terms, entry));
                ways.push(self.sequence(list));
            }
        }
        if ways.is_empty() {
            return self.assume(terms, &[TermId::FALSE]);
        }
        self.choice(ways)
    }

    /// A location: inputs are chosen, the claim is asked, a step is made. Its label.
    fn location(&mut self, terms: &mut Terms, location: usize, body: &mut Vec<StmtId>) -> StmtId {
        let name = terms.names.intern(&label(location));
        let marked = self.statement(StmtKind::Label(name));
        self.script.stmts[marked].tags.push((name, At::default()));
        body.push(marked);
        if !self.remember && !self.variables.data.is_empty() {
            let data = self.variables.data.clone();
            let same = data.into_iter().map(|variable| (variable, terms.constant_term(variable))).collect();
            body.push(self.statement(StmtKind::Assign(same)));
        }
        let edges = std::mem::take(&mut self.edges[location]);
        let parts = edges.iter().flat_map(|edge| {
            edge.guard.iter().copied().chain(edge.assigned.iter().map(|assigned| assigned.1))
        });
        let parts: Vec<TermId> =
            parts.chain(self.invar[location].iter().copied()).chain([self.claims[location]]).collect();
        let chosen = self.used(terms, &parts);
        if !chosen.is_empty() {
            body.push(self.statement(StmtKind::Havoc(chosen)));
        }
        let known = self.invar[location].clone();
        if known.iter().any(|&formula| formula != TermId::TRUE) {
            body.push(self.assume(terms, &known));
        }
        if self.claims[location] != TermId::TRUE {
            body.push(self.check(terms, location));
        }
        let ways = edges.iter().map(|edge| self.step(terms, edge)).collect();
        self.edges[location] = edges;
        body.push(self.choice(ways));
        marked
    }

    /// The inputs that terms speak of.
    fn used(&self, terms: &mut Terms, parts: &[TermId]) -> Vec<FunId> {
        let used: FxHashSet<TermId> = parts.iter().flat_map(|&part| constants(terms, part)).collect();
        let inputs = self.variables.inputs.iter().copied();
        inputs.filter(|&input| used.contains(&terms.constant_term(input))).collect()
    }

    fn check(&mut self, terms: &mut Terms, location: usize) -> StmtId {
        let check = self.sequence(Vec::new());
        let tag = terms.names.intern(&format!("check.{location}"));
        let stmt = &mut self.script.stmts[check];
        stmt.tags.push((tag, At::default()));
        let claim = vec![self.claims[location]];
        stmt.properties.push(Property { kind: PropertyKind::CheckTrue, terms: claim, at: At::default() });
        check
    }

    fn step(&mut self, terms: &mut Terms, edge: &Edge) -> StmtId {
        let mut list = Vec::new();
        if !edge.chosen.is_empty() {
            list.push(self.statement(StmtKind::Havoc(edge.chosen.clone())));
        }
        if !edge.guard.is_empty() {
            list.push(self.assume(terms, &edge.guard));
        }
        if !edge.assigned.is_empty() {
            list.push(self.statement(StmtKind::Assign(edge.assigned.clone())));
        }
        if !edge.lost.is_empty() {
            list.push(self.statement(StmtKind::Havoc(edge.lost.clone())));
        }
        list.push(self.goto(terms, edge.to));
        self.sequence(list)
    }

    fn goto(&mut self, terms: &mut Terms, location: usize) -> StmtId {
        let name = terms.names.intern(&label(location));
        self.statement(StmtKind::Goto(name))
    }

    fn assume(&mut self, terms: &mut Terms, formulas: &[TermId]) -> StmtId {
        let all = terms.and(formulas);
        self.statement(StmtKind::Assume(all))
    }

    fn sequence(&mut self, list: Vec<StmtId>) -> StmtId {
        self.statement(StmtKind::Sequence(list))
    }

    /// One of the ways; no way when there is none.
    fn choice(&mut self, ways: Vec<StmtId>) -> StmtId {
        match ways.len() {
            0 => self.statement(StmtKind::Assume(TermId::FALSE)),
            1 => ways[0],
            _ => self.statement(StmtKind::Choice(ways)),
        }
    }

    fn statement(&mut self, kind: StmtKind) -> StmtId {
        let (tags, properties, attributes) = (Vec::new(), Vec::new(), Vec::new());
        let proc = ProcId::from_index(0);
        let (at, whole) = (At::default(), At::default());
        self.script.stmts.push(Stmt { kind, tags, properties, attributes, at, whole, proc })
    }
}

fn label(location: usize) -> String {
    format!("at.{location}")
}
