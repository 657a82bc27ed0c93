//! `initialize_automata`: which automata there are for a program, and where they begin.

use crate::ia::ast::{Per, Side, Spec, StateId, Transition};
use crate::matching::find;
use crate::program::{Place, Program};
use base::id::Id;
use cfront::cfa::Op;
use diag::Span;

/// A concrete automaton: one of the specification's for one place of the program.
#[derive(Clone, PartialEq, Debug)]
pub struct Instance {
    /// The index of the automaton.
    pub automaton: usize,
    /// Where it begins: one location, or those where executions begin.
    pub starts: Vec<Place>,
    /// True when it follows calls: it is about the program, not about a part of a function.
    pub is_whole: bool,
    /// Its number among those of the same automaton.
    pub number: usize,
}

/// All automata of a specification for a program.
pub(crate) fn initialize_automata(program: &mut Program<'_>, spec: &Spec) -> Vec<Instance> {
    let mut out = Vec::new();
    for (index, automaton) in spec.automata.iter().enumerate() {
        let starts: Vec<Vec<Place>> = match automaton.per {
            Per::Program => vec![program.starts()],
            Per::Function => entries(program).into_iter().map(|place| vec![place]).collect(),
            Per::Recursion => {
                let recursive = crate::calls::recursive(&crate::calls::graph(program));
                entries(program)
                    .into_iter()
                    .filter(|place| recursive[place.function])
                    .map(|place| vec![place])
                    .collect()
            }
            Per::Loop => loops(program),
            Per::Call(pattern, captured) => {
                let transition = Transition {
                    from: StateId::from_index(0),
                    patterns: vec![crate::ia::ast::Pattern::Expr(pattern)],
                    conditions: Vec::new(),
                    options: Vec::new(),
                    text: Vec::new(),
                    side: Side::Before,
                    to: StateId::from_index(0),
                    captures: vec![String::new(); captured],
                    span: Span::new(0, 0),
                };
                calls(program, spec, index, &transition)
            }
        };
        let is_whole = matches!(automaton.per, Per::Program | Per::Call(..));
        let instance = |(number, starts)| Instance { automaton: index, starts, is_whole, number };
        out.extend(starts.into_iter().enumerate().map(instance));
    }
    out
}

fn entries(program: &Program<'_>) -> Vec<Place> {
    program.cfas.iter().enumerate().map(|(function, cfa)| Place { function, at: cfa.entry }).collect()
}

fn loops(program: &Program<'_>) -> Vec<Vec<Place>> {
    let heads = |(function, cfa): (usize, &cfront::cfa::Cfa)| {
        cfa.heads.iter().map(move |head| vec![Place { function, at: head.at }]).collect::<Vec<_>>()
    };
    program.cfas.iter().enumerate().flat_map(heads).collect()
}

fn calls(program: &mut Program<'_>, spec: &Spec, index: usize, transition: &Transition) -> Vec<Vec<Place>> {
    let mut out = Vec::new();
    let cfas = program.cfas;
    for (function, cfa) in cfas.iter().enumerate() {
        for (edge, data) in cfa.edges.iter_enumerated() {
            if matches!(data.op, Op::Call(_))
                && find(program, &spec.automata[index], transition, (function, edge)).is_some()
            {
                out.push(vec![Place { function, at: data.from }]);
            }
        }
    }
    out
}
