//! From the graph to a system over truth values.

use super::parse::{File, parse};
use crate::names::Names;
use crate::{Model, Source};
use diag::Diagnostic;
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{TermId, Terms};
use ts::aig::{Lit, Node};
use ts::{Output, Property, PropertyKind, System};

/// Reads a file, text or binary.
pub(crate) fn read(terms: &mut Terms, source: Source<'_>, found: &mut Vec<Diagnostic>) -> Option<Model> {
    match parse(source.bytes, source.base) {
        Ok(file) => Some(Model::Systems(vec![system(terms, &file)])),
        Err(problems) => {
            found.extend(problems);
            None
        }
    }
}

/// Terms of the nodes.
struct Values<'t> {
    terms: &'t mut Terms,
    nodes: Vec<TermId>,
}

impl Values<'_> {
    fn get(&mut self, lit: Lit) -> TermId {
        let term = self.nodes[lit.node() as usize];
        if lit.is_negated() { self.terms.not(term) } else { term }
    }

    fn all(&mut self, lits: &[Lit]) -> Vec<TermId> {
        lits.iter().map(|&lit| self.get(lit)).collect()
    }

    /// Everything but what claims to be false or true is an equation.
    fn equation(&mut self, symbol: TermId, value: TermId) -> TermId {
        self.terms.app(Op::Eq, &[symbol, value]).unwrap_or(TermId::TRUE)
    }
}

fn system(terms: &mut Terms, file: &File) -> System {
    let aig = &file.aig;
    let mut system = System::default();
    let mut names = Names::default();
    let name = |letter: u8, position: usize| file.names.get(&(letter, position as u32)).cloned();
    let wish = |letter: u8, position: usize| {
        name(letter, position).unwrap_or_else(|| format!("{}{position}", letter as char))
    };
    for position in 0..aig.inputs().len() {
        system.add_input(terms, &names.unique(wish(b'i', position)), SortId::BOOL);
    }
    for position in 0..aig.latches().len() {
        system.add_state(terms, &names.unique(wish(b'l', position)), SortId::BOOL);
    }
    let mut values = Values { terms, nodes: Vec::with_capacity(aig.nodes().len()) };
    for node in aig.nodes() {
        let term = match *node {
            Node::False => TermId::FALSE,
            Node::Input(position) => values.terms.constant_term(system.inputs[position as usize]),
            Node::Latch(position) => values.terms.constant_term(system.states[position as usize].now),
            Node::And(a, b) => {
                let operands = [values.get(a), values.get(b)];
                values.terms.and(&operands)
            }
        };
        values.nodes.push(term);
    }
    for (latch, state) in aig.latches().iter().zip(system.states.clone()) {
        let (now, next) = (values.terms.constant_term(state.now), values.terms.constant_term(state.next));
        if let Some(reset) = latch.reset {
            let reset = values.terms.bool(reset);
            system.init.push(values.equation(now, reset));
        }
        let after = values.get(latch.next);
        system.trans.push(values.equation(next, after));
    }
    system.invar = values.all(&aig.constraints);
    claims(&mut values, &mut system, file, &name);
    system
}

fn claims(
    values: &mut Values<'_>,
    system: &mut System,
    file: &File,
    name: &dyn Fn(u8, usize) -> Option<String>,
) {
    let aig = &file.aig;
    let mut add = |kind, name| {
        let index = system.properties.len() as u64;
        system.properties.push(Property { index, name, kind });
    };
    let (letter, bads) = if file.new { (b'b', &aig.bads) } else { (b'o', &aig.outputs) };
    for (position, &bad) in bads.iter().enumerate() {
        add(PropertyKind::Invariant(values.get(!bad)), name(letter, position));
    }
    for (position, conditions) in aig.justice.iter().enumerate() {
        let negated: Vec<Lit> = conditions.iter().chain(&aig.fairness).map(|&lit| !lit).collect();
        // Without any condition every infinite execution is a counterexample.
        let formulas = if negated.is_empty() { vec![TermId::FALSE] } else { values.all(&negated) };
        add(PropertyKind::Live(formulas), name(b'j', position));
    }
    if file.new {
        for (position, &output) in aig.outputs.iter().enumerate() {
            let name = name(b'o', position).unwrap_or_else(|| format!("o{position}"));
            system.outputs.push(Output { name, term: values.get(output) });
        }
    }
}
