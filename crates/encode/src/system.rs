//! Programs as transition systems with a program counter.
//!
//! Calls are put in place ([`flat`]), which is possible without recursion. Every cycle of the code is cut at a place; one step
//! of the system leads from a place to the next one, whatever lies between ([`blocks`]): what is drawn and chosen on the way
//! are inputs of the step, so the step is a function of them. Without recursion a procedure is active at most once, so its
//! variables are state variables whoever calls it.
//!
//! A check that fails on the way is seen in the step itself: the property speaks of the step's inputs, and whether the way
//! goes on behind the check does not matter. So all checks of a query are one invariant property, exact and without a place
//! for errors. `:not-recurring` is a live property (from some step on it is not visited), `:recurring` one of LTL. Infinite
//! executions of the program and of the system are the same, because a step cannot be endless and an execution that ends
//! has no successor.
//!
//! The way back ([`Encoded::invariants`], [`Encoded::execution`]): an invariant of the system says at each place something about
//! the program's variables, and a trace decides everything that the program leaves open.

mod back;
mod blocks;
mod flat;
mod live;
mod properties;

pub use back::{At, NoExecution, Visit};

use base::intern::SymbolId;
use blocks::{Blocks, Decided, Inputs, both};
use flat::Flat;
use program::{Program, ProgramError};
use properties::Claims;
use rustc_hash::FxHashSet;
use smt::op::Op;
use smt::sort::SortId;
use smt::subst::postorder_of;
use smt::term::{Fun, FunId, Role, TermId, Terms};
use std::fmt;
use svlib::syntax::{CommandKind, ProcId, Script, StmtId};
use ts::{Property, State, System};

/// So many instructions there may be when calls are put in place.
const MOST: usize = 200_000;

/// Why there is no system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unsupported {
    /// The script has no query.
    NoQuery,
    /// A trace is selected for a query.
    SelectedTrace,
    /// A query cannot be read as a program.
    Program(ProgramError),
    /// A procedure that calls itself.
    Recursion(String),
    /// Putting calls in place makes the program too large.
    Large,
    /// An annotation that replaces what it stands at by what it says.
    Modular(&'static str),
    /// An `at` term whose tag is not in one procedure with the property.
    LooksBack(String),
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsupported::NoQuery => f.write_str("the script has no verify-call"),
            Unsupported::SelectedTrace => f.write_str("a transition system cannot express a selected trace"),
            Unsupported::Program(error) => error.fmt(f),
            Unsupported::Recursion(name) => {
                write!(f, "a transition system cannot express the recursive procedure {name}")
            }
            Unsupported::Large => {
                write!(f, "with calls put in place there are more than {MOST} instructions")
            }
            Unsupported::Modular(keyword) => write!(
                f,
                "a transition system cannot express {keyword} where it replaces a loop or a call by what it says (Horn \
                 clauses can, `--to chc`)"
            ),
            Unsupported::LooksBack(tag) => {
                write!(f, "a transition system cannot express `at` with the tag {tag} of another procedure")
            }
        }
    }
}

impl std::error::Error for Unsupported {}

/// A place of the program counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The query, by its command.
    pub command: usize,
    /// The statement at which the program is; it is the one whose code comes next.
    pub stmt: StmtId,
    node: usize,
    /// The position of its query.
    query: usize,
}

/// A program as a system.
#[derive(Clone, Debug)]
pub struct Encoded {
    /// The system. For each query in order: an invariant property if it has checks, a live one if it has `:not-recurring`,
    /// one of LTL if it has `:recurring`.
    pub system: System,
    /// For each property the command of its query.
    pub queries: Vec<usize>,
    /// The places; the number of a place is told by the bits, the lowest one first.
    pub places: Vec<Place>,
    /// The program counter.
    pub bits: Vec<State>,
    /// Program variables (and `at` terms) with the state variables that they are; those that matter at no place have none.
    pub variables: Vec<(FunId, State)>,
    /// The code of each query, and what decides on the ways from each place.
    code: Vec<Code>,
    decided: Vec<Decided>,
}

/// The code of a query.
#[derive(Clone, Debug)]
struct Code {
    flat: Flat,
    entry: ProcId,
    globals: Vec<FunId>,
    /// The variables of the entry that have arbitrary values at first.
    open: Vec<FunId>,
}

/// All queries of a script as one system: each execution is one of one query.
///
/// # Errors
/// When the script says something that a system cannot.
pub fn encode(terms: &mut Terms, script: &Script) -> Result<Encoded, Unsupported> {
    let is_query = |&i: &usize| matches!(script.commands[i].kind, CommandKind::Call(..));
    let commands: Vec<usize> = (0..script.commands.len()).filter(is_query).collect();
    let mut builder = Builder::new(terms);
    let mut queries = Vec::new();
    for &command in &commands {
        if let Some(CommandKind::SelectTrace(_)) = command.checked_sub(1).map(|i| &script.commands[i].kind) {
            return Err(Unsupported::SelectedTrace);
        }
        let program = Program::new(script, command, &[], false).map_err(Unsupported::Program)?;
        let claims = Claims::of(builder.terms, &program)?;
        queries.push(Query { flat: Flat::of(builder.terms, &program, &claims)?, claims, program });
    }
    if queries.is_empty() {
        return Err(Unsupported::NoQuery);
    }
    for query in &queries {
        builder.declare(query);
    }
    builder.bits(queries.iter().map(|query| query.flat.cuts.len()).sum());
    builder.system.logic = logic(script).map(|name| builder.terms.names.text(name).to_owned());
    let mut first = Vec::new();
    for (number, query) in queries.iter().enumerate() {
        first.push(builder.query(number, query));
    }
    builder.finish(&queries, first)
}

/// The logic that the script names.
fn logic(script: &Script) -> Option<SymbolId> {
    script.commands.iter().find_map(|command| match &command.kind {
        CommandKind::Smt(smt::parse::Command::SetLogic(name)) => Some(*name),
        _ => None,
    })
}

/// A query on its way to the system.
struct Query<'s> {
    program: Program<'s>,
    claims: Claims,
    flat: Flat,
}

impl Query<'_> {
    fn code(&self) -> Code {
        let entry = self.program.entry.proc;
        let proc = &self.program.script.procs[entry];
        let open = proc.outputs.iter().chain(&proc.locals).copied().collect();
        Code { flat: self.flat.clone(), entry, globals: self.program.globals.clone(), open }
    }
}

/// A system that is made.
struct Builder<'t> {
    terms: &'t mut Terms,
    system: System,
    queries: Vec<usize>,
    places: Vec<Place>,
    bits: Vec<State>,
    variables: Vec<(FunId, State)>,
    taken: FxHashSet<SymbolId>,
    inputs: Inputs,
    decided: Vec<Decided>,
    /// When a way from a place to a place is taken, the number of the later place, and the values that change.
    moves: Vec<(TermId, usize, blocks::Values)>,
}

impl<'t> Builder<'t> {
    fn new(terms: &'t mut Terms) -> Self {
        let free = terms.funs().filter(|&fun| terms.fun(fun).role == Role::Free);
        let taken = free.map(|fun| terms.fun(fun).name).collect();
        Builder {
            terms,
            system: System::default(),
            queries: Vec::new(),
            places: Vec::new(),
            bits: Vec::new(),
            variables: Vec::new(),
            taken,
            inputs: Inputs::default(),
            decided: Vec::new(),
            moves: Vec::new(),
        }
    }

    /// State variables for what a query assigns or reads.
    fn declare(&mut self, query: &Query<'_>) {
        for variable in query.flat.variables(&query.program, &query.claims) {
            if self.variables.iter().any(|&(known, _)| known == variable) {
                continue;
            }
            let Fun { name, result, .. } = *self.terms.fun(variable);
            // The program's own name, unless two variables have it.
            let now = match self.taken.insert(name) && !matches!(self.terms.fun(variable).role, Role::At(..))
            {
                true => self.terms.declare(Fun { name, params: Box::new([]), result, role: Role::Free }),
                false => {
                    let wish = self.terms.names.text(name).to_owned();
                    self.terms.fresh(&wish, result)
                }
            };
            let next = self.terms.fresh(&format!("{}.next", self.terms.fun_name(now).to_owned()), result);
            let state = State { now, next };
            self.system.states.push(state);
            self.variables.push((variable, state));
        }
    }

    fn bits(&mut self, places: usize) {
        while 1usize << self.bits.len() < places {
            let bit = self.system.add_state(self.terms, &format!("pc{}", self.bits.len()), SortId::BOOL);
            self.bits.push(bit);
        }
    }

    /// That the program is at a place.
    fn at(&mut self, place: usize) -> TermId {
        let bits: Vec<TermId> = self
            .bits
            .iter()
            .enumerate()
            .map(|(i, bit)| {
                let bit = self.terms.constant_term(bit.now);
                if place >> i & 1 == 1 { bit } else { self.terms.not(bit) }
            })
            .collect();
        self.terms.and(&bits)
    }

    /// The steps and properties of a query, and what holds when it begins.
    fn query(&mut self, number: usize, query: &Query<'_>) -> TermId {
        let base = self.places.len();
        for &node in &query.flat.cuts {
            let stmt = query.flat.nodes[node].stmt;
            let (command, query) = (query.program.command, number);
            self.places.push(Place { command, stmt, node, query });
        }
        let (mut bad, mut seen, mut again) =
            (Vec::new(), Vec::new(), vec![Vec::new(); query.claims.recurring.len()]);
        let states = self.variables.clone();
        let blocks = Blocks::new(&states, &query.flat);
        for place in 0..query.flat.cuts.len() {
            let here = self.at(base + place);
            let block = blocks.walk(self.terms, &mut self.inputs, place);
            self.decided.push(block.decided);
            for (list, found) in [(&mut bad, block.bad), (&mut seen, block.not_recurring)] {
                list.extend(found.into_iter().map(|guard| both(self.terms, here, guard)));
            }
            for (list, found) in again.iter_mut().zip(block.recurring) {
                list.extend(found.into_iter().map(|guard| both(self.terms, here, guard)));
            }
            for (to, guard, values) in block.ends {
                let taken = both(self.terms, here, guard);
                self.moves.push((taken, base + to, values));
            }
        }
        self.claim(query, &bad, &seen, &again);
        self.begin(query, base)
    }

    fn claim(&mut self, query: &Query<'_>, bad: &[TermId], seen: &[TermId], again: &[Vec<TermId>]) {
        let mut properties = Vec::new();
        if query.claims.checks {
            let bad = self.terms.or(bad);
            properties.push(("check-true", ts::PropertyKind::Invariant(self.terms.not(bad))));
        }
        if query.claims.not_recurring {
            let seen = self.terms.or(seen);
            properties.push(("not-recurring", ts::PropertyKind::Live(vec![self.terms.not(seen)])));
        }
        let mut always = Vec::new();
        for visits in again {
            let visited = self.terms.or(visits);
            // Operators of LTL take and give Boolean terms.
            let later = self.terms.app(Op::LtlFinally, &[visited]);
            always.extend(later.and_then(|later| self.terms.app(Op::LtlGlobally, &[later])));
        }
        if !always.is_empty() {
            properties.push(("recurring", ts::PropertyKind::Ltl(self.terms.and(&always))));
        }
        if properties.is_empty() {
            // Nothing is asked, so everything is fine.
            properties.push(("check-true", ts::PropertyKind::Invariant(TermId::TRUE)));
        }
        for (name, kind) in properties {
            let index = self.system.properties.len() as u64;
            self.system.properties.push(Property { index, name: Some(name.into()), kind });
            self.queries.push(query.program.command);
        }
    }

    /// The first step of a query: its entry, and what is known of arguments.
    fn begin(&mut self, query: &Query<'_>, base: usize) -> TermId {
        let mut known = vec![self.at(base)];
        let entry = &query.program.entry;
        for (&input, &arg) in query.program.script.procs[entry.proc].inputs.iter().zip(&entry.args) {
            let Some(&(_, state)) = self.variables.iter().find(|(variable, _)| *variable == input) else {
                continue;
            };
            let now = self.terms.constant_term(state.now);
            known.extend(self.terms.app(Op::Eq, &[now, arg]));
        }
        self.terms.and(&known)
    }

    fn finish(mut self, queries: &[Query<'_>], first: Vec<TermId>) -> Result<Encoded, Unsupported> {
        // What is asserted later is not known of an earlier query.
        match queries {
            [query] => self.system.axioms.clone_from(&query.program.axioms),
            _ => {
                let begins = first.iter().zip(queries).map(|(&begin, query)| {
                    let known: Vec<TermId> = query.program.axioms.iter().copied().chain([begin]).collect();
                    self.terms.and(&known)
                });
                let begins: Vec<TermId> = begins.collect();
                let begin = self.terms.or(&begins);
                self.system.init.push(begin);
            }
        }
        if let ([_], [begin]) = (queries, first.as_slice()) {
            self.system.init.push(*begin);
        }
        self.system.inputs.append(&mut self.inputs.list);
        self.steps();
        self.system.unfold(self.terms);
        self.rigid();
        let code = queries.iter().map(|query| query.code()).collect();
        let Builder { system, queries, places, bits, variables, decided, .. } = self;
        Ok(Encoded { system, queries, places, bits, variables, code, decided })
    }

    /// Some way is taken, and each variable has the value that it gives it.
    fn steps(&mut self) {
        let taken: Vec<TermId> = self.moves.iter().map(|(taken, ..)| *taken).collect();
        let some = self.terms.or(&taken);
        self.system.trans.push(some);
        for bit in 0..self.bits.len() {
            let ways: Vec<TermId> =
                self.moves.iter().filter(|(_, to, _)| to >> bit & 1 == 1).map(|(taken, ..)| *taken).collect();
            let value = self.terms.or(&ways);
            self.follows(self.bits[bit], value);
        }
        for i in 0..self.variables.len() {
            let (variable, state) = self.variables[i];
            let mut value = self.terms.constant_term(state.now);
            for (taken, _, values) in self.moves.iter().rev() {
                if let Some(&new) = values.get(&variable) {
                    // Both have the variable's sort.
                    value = self.terms.app(Op::Ite, &[*taken, new, value]).unwrap_or(value);
                }
            }
            self.follows(state, value);
        }
    }

    fn follows(&mut self, state: State, value: TermId) {
        let next = self.terms.constant_term(state.next);
        self.system.trans.extend(self.terms.app(Op::Eq, &[next, value]));
    }

    /// Symbols that the script declares have one meaning throughout.
    fn rigid(&mut self) {
        let mut known: FxHashSet<FunId> =
            self.system.states.iter().flat_map(|state| [state.now, state.next]).collect();
        known.extend(&self.system.inputs);
        for term in postorder_of(self.terms, self.system.formulas()) {
            if let Some(fun) = self.terms.applied(term)
                && self.terms.fun(fun).role == Role::Free
                && known.insert(fun)
            {
                self.system.rigid.push(fun);
            }
        }
    }
}
