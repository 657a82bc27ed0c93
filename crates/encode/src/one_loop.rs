//! Transition systems as programs of one loop.
//!
//! State variables are local variables of one procedure. A round of its loop is a step: inputs are drawn, what holds in
//! every step is assumed, properties are looked at, and the variables get their next values. An invariant property is a
//! `:check-true`; a live one says that the statement that is run where its formula fails does not recur. LTL becomes live
//! properties with a monitor first, and several formulas of a live property become one.
//!
//! Each property is one query, in the order of the system. If there are several, the procedure is told by Boolean arguments
//! which one is meant, so that there is one loop all the same and each property keeps its own verdict.
//!
//! Where `trans` is a function, next values are assigned in parallel; otherwise they are drawn and `trans` is assumed.

mod back;

use rustc_hash::FxHashSet;
use smt::print::{symbol_text, write_declarations, write_sort, write_term};
use smt::subst::{postorder, postorder_of};
use smt::term::{FunId, Role, TermId, Terms};
use std::fmt::{self, Write};
use ts::passes::degeneralise::degeneralise;
use ts::passes::functional::{Initial, first_values, next_values};
use ts::passes::ltl::ltl;
use ts::{PropertyKind, System};

/// The tag of the loop.
pub const LOOP: &str = "step";

/// The name of the procedure.
const PROC: &str = "system";

/// A system as a program.
#[derive(Clone, Debug)]
pub struct OneLoop {
    /// The script, one command per line.
    pub text: String,
    /// The system that it is of: with monitors, and with one formula for each live property.
    pub system: System,
    /// The names of the arguments that say which property is meant.
    selects: Vec<String>,
}

/// Why there is no program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unsupported {
    /// There is no monitor for a property.
    Monitor(ts::passes::ltl::Unsupported),
    /// A function with a recursive definition.
    Recursive(String),
    /// The system has no property, so there is no query.
    NoProperty,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsupported::Monitor(why) => why.fmt(f),
            Unsupported::Recursive(name) => {
                write!(f, "the recursive function {name} is not written as a part of a program")
            }
            Unsupported::NoProperty => f.write_str("a system without a property is no query"),
        }
    }
}

impl std::error::Error for Unsupported {}

/// A system as a program.
///
/// # Errors
/// When the system says something that a program cannot.
pub fn one_loop(terms: &mut Terms, original: &System) -> Result<OneLoop, Unsupported> {
    if original.properties.is_empty() {
        return Err(Unsupported::NoProperty);
    }
    let system = ltl(terms, original).map_err(Unsupported::Monitor)?.system;
    let mut system = degeneralise(terms, &system).system;
    system.unfold(terms);
    let used = postorder_of(terms, system.formulas());
    let mut used = used.into_iter().filter_map(|term| terms.applied(term));
    if let Some(fun) = used.find(|&fun| matches!(terms.fun(fun).role, Role::Recursive(_))) {
        return Err(Unsupported::Recursive(terms.fun_name(fun).into()));
    }
    let steps = Steps::of(terms, &system);
    let mut writer = Writer { terms, system: &system, out: String::new() };
    writer.head();
    writer.procedure(&steps);
    writer.queries();
    let (selects, text) = (writer.selects(), writer.out);
    Ok(OneLoop { text, system, selects })
}

/// What the first step and the others do.
#[derive(Default)]
struct Steps {
    /// Initial values, in order, and what else holds at first.
    first: Vec<(usize, TermId)>,
    assumed: Vec<TermId>,
    /// Next values, and what else holds of them.
    next: Vec<(usize, TermId)>,
    required: Vec<TermId>,
    /// The variables whose next values are drawn, and those that keep no relation to the next step.
    drawn: Vec<usize>,
    free: Vec<usize>,
}

impl Steps {
    fn of(terms: &mut Terms, system: &System) -> Steps {
        let mut steps = Steps::default();
        let first = first_values(terms, system, Initial::Terms);
        (steps.first, steps.assumed) = (first.values, first.rest);
        if repeats(terms, steps.first.iter().map(|value| value.1)) {
            (steps.first, steps.assumed) = (Vec::new(), system.init.clone());
        }
        let next = next_values(terms, system);
        (steps.next, steps.required) = (next.values, next.rest);
        if repeats(terms, steps.next.iter().map(|value| value.1)) {
            (steps.next, steps.required) = (Vec::new(), system.trans.clone());
        }
        let said = steps.next.iter().map(|value| value.1).chain(steps.required.iter().copied());
        let used: FxHashSet<FunId> =
            postorder_of(terms, said).into_iter().filter_map(|term| terms.applied(term)).collect();
        let given: FxHashSet<usize> = steps.next.iter().map(|value| value.0).collect();
        for (i, state) in system.states.iter().enumerate().filter(|(i, _)| !given.contains(i)) {
            if used.contains(&state.next) { steps.drawn.push(i) } else { steps.free.push(i) }
        }
        steps
    }
}

/// True when terms share so much that writing each of them by itself is much more than writing them together.
fn repeats(terms: &Terms, roots: impl Iterator<Item = TermId> + Clone) -> bool {
    let together = postorder_of(terms, roots.clone()).len();
    let mut sum = 0;
    for root in roots {
        sum += postorder(terms, root).len();
        if sum > 4 * together + 1_000 {
            return true;
        }
    }
    false
}

struct Writer<'a> {
    terms: &'a mut Terms,
    system: &'a System,
    out: String,
}

impl Writer<'_> {
    fn name(&self, fun: FunId) -> String {
        symbol_text(self.terms.fun_name(fun))
    }

    fn sort(&self, fun: FunId) -> String {
        let mut text = String::new();
        write_sort(&mut text, self.terms, self.terms.fun(fun).result);
        text
    }

    fn term(&mut self, term: TermId) {
        write_term(&mut self.out, self.terms, term);
    }

    // Writing to a string does not fail.
    fn head(&mut self) {
        let logic = self.system.logic.as_deref().unwrap_or("ALL");
        let _ = writeln!(
            self.out,
            "(set-info :format-version \"1.0\")\n(set-option :produce-witnesses true)\n(set-logic {})",
            symbol_text(logic)
        );
        let system = self.system;
        let symbols = system.states.iter().map(|state| state.now).chain(system.inputs.iter().copied());
        let mut sorts: Vec<_> = symbols.map(|fun| self.terms.fun(fun).result).collect();
        for &fun in &system.rigid {
            sorts.extend(self.terms.fun(fun).params.iter().copied().chain([self.terms.fun(fun).result]));
        }
        let used = postorder_of(self.terms, system.formulas());
        sorts.extend(used.into_iter().map(|term| self.terms.sort(term)));
        write_declarations(&mut self.out, self.terms, &sorts);
        for &fun in &system.rigid {
            let _ = write!(self.out, "(declare-fun {} (", self.name(fun));
            for (i, &param) in self.terms.fun(fun).params.iter().enumerate() {
                self.out.push_str(if i == 0 { "" } else { " " });
                write_sort(&mut self.out, self.terms, param);
            }
            let _ = writeln!(self.out, ") {})", self.sort(fun));
        }
        for &axiom in &system.axioms {
            self.out.push_str("(assert ");
            self.term(axiom);
            self.out.push_str(")\n");
        }
    }

    /// `(word x …)`, unless there is no x.
    fn list(&mut self, word: &str, funs: &[FunId]) {
        if !funs.is_empty() {
            let names: Vec<String> = funs.iter().map(|&fun| self.name(fun)).collect();
            let _ = write!(self.out, " ({word} {})", names.join(" "));
        }
    }

    fn assume(&mut self, conjuncts: &[TermId]) {
        if !conjuncts.is_empty() {
            let term = self.terms.and(conjuncts);
            self.out.push_str(" (assume ");
            self.term(term);
            self.out.push(')');
        }
    }

    fn procedure(&mut self, steps: &Steps) {
        let system = self.system;
        let states: Vec<FunId> = system.states.iter().map(|state| state.now).collect();
        let nexts: Vec<FunId> = steps.drawn.iter().map(|&i| system.states[i].next).collect();
        let _ = write!(self.out, "(define-proc {PROC} (");
        for select in self.selects() {
            let _ = write!(self.out, "({select} Bool)");
        }
        self.out.push_str(") () (");
        for &fun in states.iter().chain(&system.inputs).chain(&nexts) {
            let _ = write!(self.out, "({} {})", self.name(fun), self.sort(fun));
        }
        self.out.push_str(") (! (sequence");
        let assigned: FxHashSet<usize> = steps.first.iter().map(|value| value.0).collect();
        let open: Vec<FunId> =
            (0..states.len()).filter(|i| !assigned.contains(i)).map(|i| states[i]).collect();
        self.list("havoc", &open);
        for &(variable, value) in &steps.first {
            let _ = write!(self.out, " (assign ({} ", self.name(states[variable]));
            self.term(value);
            self.out.push_str("))");
        }
        self.assume(&steps.assumed);
        self.out.push_str(" (! (while true (sequence");
        self.list("havoc", &system.inputs);
        self.assume(&system.invar);
        self.properties();
        self.list("havoc", &nexts);
        self.assume(&steps.required);
        self.next(steps, &states);
        let free: Vec<FunId> = steps.free.iter().map(|&i| states[i]).collect();
        self.list("havoc", &free);
        let _ = writeln!(self.out, ")) :tag {LOOP})) :tag proc-{PROC}))");
    }

    /// The assignment of next values, all at once.
    fn next(&mut self, steps: &Steps, states: &[FunId]) {
        if steps.next.is_empty() && steps.drawn.is_empty() {
            return;
        }
        self.out.push_str(" (assign");
        for &(variable, value) in &steps.next {
            let _ = write!(self.out, " ({} ", self.name(states[variable]));
            self.term(value);
            self.out.push(')');
        }
        for &variable in &steps.drawn {
            let (now, next) = (self.name(states[variable]), self.name(self.system.states[variable].next));
            let _ = write!(self.out, " ({now} {next})");
        }
        self.out.push(')');
    }

    /// The names of the arguments that say which property is meant.
    fn selects(&self) -> Vec<String> {
        let count = self.system.properties.len();
        let bits = (0..usize::BITS).find(|&bits| 1usize << bits >= count).unwrap_or_default();
        let free = |name: &String| self.terms.names.find(name).is_none();
        let prefix = (0..).map(|i| "select".to_owned() + &".".repeat(i));
        let mut prefix = prefix.filter(|prefix| (0..bits).all(|bit| free(&format!("{prefix}{bit}"))));
        let prefix = prefix.next().unwrap_or_default();
        (0..bits).map(|bit| format!("{prefix}{bit}")).collect()
    }

    /// That the property at a position is meant.
    fn selected(&self, position: usize) -> String {
        let selects = self.selects();
        let bits = selects.iter().enumerate().map(|(i, name)| match position >> i & 1 {
            1 => name.clone(),
            _ => format!("(not {name})"),
        });
        let bits: Vec<String> = bits.collect();
        match bits.as_slice() {
            [one] => one.clone(),
            _ => format!("(and {})", bits.join(" ")),
        }
    }

    fn properties(&mut self) {
        let system = self.system;
        let several = system.properties.len() > 1;
        for (position, property) in system.properties.iter().enumerate() {
            let selected = if several { self.selected(position) } else { String::new() };
            match &property.kind {
                PropertyKind::Invariant(formula) => {
                    let _ = write!(self.out, " (! (sequence) :tag property-{} :check-true ", property.index);
                    let _ = if several { write!(self.out, "(=> {selected} ") } else { Ok(()) };
                    self.term(*formula);
                    self.out.push_str(if several { "))" } else { ")" });
                }
                PropertyKind::Live(formulas) => {
                    let formula = self.terms.and(formulas);
                    let fails = self.terms.not(formula);
                    self.out.push_str(" (if ");
                    let _ = if several { write!(self.out, "(and {selected} ") } else { Ok(()) };
                    self.term(fails);
                    self.out.push_str(if several { ")" } else { "" });
                    let _ =
                        write!(self.out, " (! (sequence) :tag property-{} :not-recurring))", property.index);
                }
                // They became live ones.
                PropertyKind::Ltl(_) => {}
            }
        }
    }

    fn queries(&mut self) {
        let bits = self.selects().len();
        for position in 0..self.system.properties.len() {
            let values: Vec<&str> =
                (0..bits).map(|bit| if position >> bit & 1 == 1 { "true" } else { "false" }).collect();
            let _ = writeln!(self.out, "(verify-call {PROC} ({}))", values.join(" "));
        }
    }
}
