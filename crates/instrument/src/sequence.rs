//! The sequentialization operator: Algorithm 1 of "TransVer: A Modular Program-Transformation Framework for Reduction to
//! Reachability" (Beyer, Jankola, Lingsch-Rosenfeld, Xia, Zheng), with its names. What the paper leaves open is decided so:
//!
//! - *An edge that gets operations loses its plain copy.* At a location where a state matches, the paper goes on with the
//!   automaton's next state at the same location; when that one does not match, line 11 adds all edges of the location again,
//!   also those that have got operations. Here line 11 leaves these out: otherwise every check could be passed by.
//! - *Transitions on a cycle move on.* After `q → p` the paper stays at the location, so that `p` can add operations to the
//!   same place. On a cycle of the automaton, a self loop for example, it would come back to a finished pair and stop: the
//!   rest of the program would not be looked at. Such a transition goes to the end of its edge instead.
//! - *Several operations at one edge* stand in the order of the automata, states and transitions of the file, one after
//!   the other, not as alternatives.
//! - *Calls.* A call goes to the beginning of the callee in the current state, and from its end in the states there to behind
//!   every call of it in that state. A call through a pointer, and a call of a function that the program does not define, goes to
//!   every function whose name is used for more than calls. Automata for a loop or a function stay in the function.
//! - *Functions that run at the end of a scope* (the attribute `cleanup`) are taken for called where their variable is declared.
//! - *States without transitions* are not followed: nothing changes there any more.
//!
//! Each pair of location and state is looked at once, so the time is linear in the size of the program for each automaton, and
//! automata that look at one loop or function and then stop are cheap.

use crate::ia::ast::{Annotation, Automaton, Pattern, Side, Spec, StateId};
use crate::initialize::{Instance, initialize_automata};
use crate::matching::{Match, find};
use crate::program::{Place, Program};
use base::id::Id;
use cfront::cfa::{EdgeId, LocId, Op};
use rustc_hash::{FxHashMap, FxHashSet};

/// An operation of an automaton at an edge.
#[derive(Clone, PartialEq, Debug)]
pub struct Placed {
    /// The index of the function.
    pub function: usize,
    /// The edge.
    pub edge: EdgeId,
    /// `X`
    pub side: Side,
    /// The index of the automaton's instance.
    pub instance: usize,
    /// The index of its transition.
    pub transition: usize,
    /// What is captured.
    pub found: Match,
}

/// What is on an edge of the new automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NewOp {
    /// What is on an edge of the program.
    Original(EdgeId),
    /// An operation, by its index in [`Sequenced::placed`].
    Inserted(usize),
}

/// The program after sequentialization.
#[derive(Clone, Debug)]
pub struct Sequenced {
    /// The automata's instances.
    pub instances: Vec<Instance>,
    /// What is added, by function and edge, in the order in which it is executed.
    pub placed: Vec<Placed>,
}

/// A pair of the waitlist: `(l, qⁱ)`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Pair {
    place: Place,
    instance: usize,
    state: StateId,
    /// The state in which the function was entered: calls in other states do not come back here.
    entered: StateId,
}

/// The sequentialization operator ⊗.
#[must_use]
pub fn sequentialize(program: &mut Program<'_>, spec: &Spec) -> Sequenced {
    let instances = initialize_automata(program, spec); // line 1
    let mut run = Run { program, spec, instances: &instances, new: Vec::new(), flow: Flow::default() }; // line 2
    run.flow.returns = spec.automata.iter().map(on_cycles).collect();
    let mut finished: FxHashSet<Pair> = FxHashSet::default(); // line 3
    let mut waitlist: Vec<Pair> = Vec::new();
    for (instance, Instance { automaton, starts, .. }) in instances.iter().enumerate().rev() {
        let state = spec.automata[*automaton].initial;
        waitlist.extend(starts.iter().rev().map(|&place| Pair { place, instance, state, entered: state }));
    }
    while let Some(pair) = waitlist.pop() {
        if !finished.insert(pair) {
            continue; // lines 6 to 8
        }
        let successors = run.succ_ia(pair);
        run.succ(pair, &successors, &mut waitlist); // line 9
        run.new_edges(successors); // lines 10 to 14; edges without operations stay as they are
    }
    let mut placed = run.new;
    placed.sort_by_cached_key(|placed| {
        let from = spec.automata[instances[placed.instance].automaton].transitions[placed.transition].from;
        (placed.function, placed.edge, placed.side, placed.instance, from, placed.transition)
    });
    placed.dedup();
    Sequenced { instances, placed }
}

/// For each transition, whether the automaton can come back to where it begins.
fn on_cycles(automaton: &Automaton) -> Vec<bool> {
    let reaches = |from: StateId, goal: StateId| {
        let mut seen = vec![false; automaton.states.len()];
        let mut todo = vec![from];
        while let Some(state) = todo.pop() {
            if state == goal {
                return true;
            }
            if !std::mem::replace(&mut seen[state.index()], true) {
                todo.extend(automaton.transitions.iter().filter(|t| t.from == state).map(|t| t.to));
            }
        }
        false
    };
    automaton.transitions.iter().map(|transition| reaches(transition.to, transition.from)).collect()
}

/// A function that an automaton's instance enters in a state. Functions of which nothing is known are one: `None`.
type Callee = (usize, Option<usize>, StateId);

/// Who calls whom in which state, as far as it is known.
#[derive(Default)]
struct Flow {
    /// For each automaton and transition, whether it is on a cycle.
    returns: Vec<Vec<bool>>,
    /// Where calls go on, and in which state the caller was entered.
    sites: FxHashMap<Callee, Vec<(Place, StateId)>>,
    /// In which states functions end.
    ends: FxHashMap<Callee, Vec<StateId>>,
    /// In which states functions of which nothing is known were called.
    unknown: FxHashSet<(usize, StateId)>,
}

struct Run<'a, 'b> {
    program: &'a mut Program<'b>,
    spec: &'a Spec,
    instances: &'a [Instance],
    new: Vec<Placed>,
    flow: Flow,
}

impl Run<'_, '_> {
    fn automaton(&self, pair: Pair) -> usize {
        self.instances[pair.instance].automaton
    }

    /// `α(q)(l)`
    fn annotation(&self, pair: Pair) -> bool {
        let state = &self.spec.automata[self.automaton(pair)].states[pair.state.index()];
        let Place { function, at } = pair.place;
        let cfa = &self.program.cfas[function];
        match state.annotation {
            Annotation::True => true,
            Annotation::False => false,
            Annotation::LoopHead => self.program.is_loop_head(pair.place),
            Annotation::Init => self.instances[pair.instance].starts.contains(&pair.place),
            Annotation::FunctionHead => at == cfa.entry,
            Annotation::Exit => {
                cfa.leaving(at).iter().any(|&edge| self.program.exit(function, edge).is_some())
            }
        }
    }

    /// The matches of transitions from the state with edges from the location: `succ_IA`, and `SO` with it. None if the
    /// annotation does not hold.
    fn succ_ia(&mut self, pair: Pair) -> Vec<Placed> {
        let mut out = Vec::new();
        if !self.annotation(pair) {
            return out;
        }
        let spec = self.spec;
        let automaton = &spec.automata[self.automaton(pair)];
        let Place { function, at } = pair.place;
        let cfas = self.program.cfas;
        for (index, transition) in automaton.transitions.iter().enumerate() {
            let is_chosen = |&(option, is_on): &(usize, bool)| spec.options[option].is_on == is_on;
            if transition.from != pair.state || !transition.options.iter().all(is_chosen) {
                continue;
            }
            let mut edges = std::borrow::Cow::Borrowed(cfas[function].leaving(at));
            if transition.patterns.iter().any(|pattern| matches!(pattern, Pattern::Cond(_))) {
                // The condition of a loop may be decided some edges behind its head.
                let all = edges.to_mut();
                all.extend(self.program.decisions(pair.place).iter().map(|decision| decision.edge));
                all.sort_unstable();
                all.dedup();
            }
            for &edge in edges.iter() {
                if let Some(found) = find(self.program, automaton, transition, (function, edge)) {
                    let (instance, side) = (pair.instance, transition.side);
                    out.push(Placed { function, edge, side, instance, transition: index, found });
                }
            }
        }
        out
    }

    /// The pairs that follow: the location's successors in the same state unless a transition matches.
    fn succ(&mut self, pair: Pair, matches: &[Placed], waitlist: &mut Vec<Pair>) {
        let spec = self.spec;
        let automaton = self.automaton(pair);
        let mut moving: Vec<(EdgeId, StateId)> = Vec::new();
        for placed in matches {
            let transition = &spec.automata[automaton].transitions[placed.transition];
            match self.flow.returns[automaton][placed.transition] {
                true => moving.push((placed.edge, transition.to)),
                false => self.add(Pair { state: transition.to, ..pair }, waitlist),
            }
        }
        if !matches.is_empty() && moving.is_empty() {
            return;
        }
        for &edge in self.program.cfas[pair.place.function].leaving(pair.place.at) {
            if !moving.iter().any(|(other, _)| *other == edge) {
                moving.push((edge, pair.state));
            }
        }
        for (edge, state) in moving {
            self.follow(Pair { state, ..pair }, edge, waitlist);
        }
    }

    fn add(&self, pair: Pair, waitlist: &mut Vec<Pair>) {
        let automaton = &self.spec.automata[self.automaton(pair)];
        if automaton.transitions.iter().any(|transition| transition.from == pair.state) {
            waitlist.push(pair);
        }
    }

    /// Follows an edge in a state: to its end, into the function that it calls, out of the function that it ends.
    fn follow(&mut self, pair: Pair, edge: EdgeId, waitlist: &mut Vec<Pair>) {
        let function = pair.place.function;
        let cfa = &self.program.cfas[function];
        let data = cfa.edges[edge];
        let behind = Place { function, at: data.to };
        let here = |place| Pair { place, ..pair };
        if data.to == cfa.exit {
            self.ended(pair, Some(function), waitlist);
            let entity = self.program.unit.functions[cfa.function].entity;
            if self.program.addressed.contains(&entity) {
                self.ended(pair, None, waitlist);
            }
        }
        let definition = match data.op {
            Op::Call(call) => Some(self.program.definition(call)),
            Op::Declare(entity) => self.program.cleanup(entity),
            _ => None,
        };
        let Some(definition) = definition.filter(|_| self.instances[pair.instance].is_whole) else {
            return self.add(here(behind), waitlist);
        };
        let callee = definition.map(|id| id.index());
        match callee {
            Some(callee) => {
                let place = Place { function: callee, at: self.program.cfas[callee].entry };
                self.add(Pair { entered: pair.state, ..here(place) }, waitlist);
            }
            None => {
                // It may return without having called anything.
                self.add(here(behind), waitlist);
                self.enter_addressed(pair, waitlist);
            }
        }
        let key = (pair.instance, callee, pair.state);
        self.flow.sites.entry(key).or_default().push((behind, pair.entered));
        for state in self.flow.ends.get(&key).cloned().unwrap_or_default() {
            self.add(Pair { state, ..here(behind) }, waitlist);
        }
    }

    fn enter_addressed(&mut self, pair: Pair, waitlist: &mut Vec<Pair>) {
        if !self.flow.unknown.insert((pair.instance, pair.state)) {
            return;
        }
        let unit = &self.program.unit;
        for (function, cfa) in self.program.cfas.iter().enumerate() {
            if self.program.addressed.contains(&unit.functions[cfa.function].entity) {
                let place = Place { function, at: cfa.entry };
                self.add(Pair { place, entered: pair.state, ..pair }, waitlist);
            }
        }
    }

    /// A function ends in a state: every call of it goes on.
    fn ended(&mut self, pair: Pair, callee: Option<usize>, waitlist: &mut Vec<Pair>) {
        let key = (pair.instance, callee, pair.entered);
        let states = self.flow.ends.entry(key).or_default();
        if states.contains(&pair.state) {
            return;
        }
        states.push(pair.state);
        for &(place, entered) in self.flow.sites.get(&key).map_or(&[][..], Vec::as_slice) {
            self.add(Pair { place, entered, ..pair }, waitlist);
        }
    }

    /// The operations go to their edges; between an operation and what is on the edge there will be a new location.
    fn new_edges(&mut self, matches: Vec<Placed>) {
        self.new.extend(matches);
    }
}

impl Sequenced {
    /// A function of the new program, as locations and edges: `(L', l0, G')`. Locations beyond those of the function are new.
    #[must_use]
    pub fn automaton(&self, program: &Program<'_>, function: usize) -> Vec<(LocId, NewOp, LocId)> {
        let cfa = &program.cfas[function];
        let mut locations = cfa.locations;
        let mut out = Vec::new();
        let start = self.placed.partition_point(|placed| placed.function < function);
        let mut next = start;
        for (edge, data) in cfa.edges.iter_enumerated() {
            let mut chain = Vec::new();
            while self
                .placed
                .get(next)
                .is_some_and(|placed| (placed.function, placed.edge) == (function, edge))
            {
                chain.push(next);
                next += 1;
            }
            let split = chain.partition_point(|&index| self.placed[index].side == Side::Before);
            let ops = chain[..split].iter().map(|&index| NewOp::Inserted(index));
            let after = chain[split..].iter().map(|&index| NewOp::Inserted(index));
            let ops: Vec<NewOp> = ops.chain([NewOp::Original(edge)]).chain(after).collect();
            let mut from = data.from;
            for (position, op) in ops.iter().enumerate() {
                let to = if position + 1 == ops.len() {
                    data.to
                } else {
                    locations += 1;
                    LocId::from_index(locations - 1)
                };
                out.push((from, *op, to));
                from = to;
            }
        }
        out
    }
}
