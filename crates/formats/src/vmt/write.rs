//! Systems as VMT-LIB.
//!
//! What formulas share is written once, as a definition of its own, so a file is as large as the graph of its terms. The
//! core language has no constants that stay the same (a constant without a next version is an input) and no axioms. An axiom
//! is an assertion all the same, because a condition on the first step would say the same of executions and less of steps: an
//! invariant that needs the axiom would not be inductive. What an assertion speaks of has one meaning; any other rigid
//! constant becomes a state variable that is never changed. `ts::passes::core` makes systems without axioms.

use super::names::{Names, clean, spelled};
use crate::WriteError;
use base::id::{IdMap, IdSet};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::print::{
    write_declarations, write_head, write_leaf, write_number, write_sort, write_symbol, write_term,
};
use smt::sort::SortId;
use smt::subst::{is_closed, postorder, postorder_of, replace};
use smt::term::{Fun, FunId, Role, TermId, Terms};
use ts::{PropertyKind, State, System};

/// A system as a VMT-LIB file.
///
/// # Errors
/// When the system uses what VMT-LIB has no words for.
pub fn system_text(terms: &mut Terms, system: &System) -> Result<String, WriteError> {
    let system = spelled(terms, system)?;
    let names = Names::of(terms, &system)?;
    let mut writer = Writer::new(terms, names);
    writer.system(&system);
    Ok(writer.out)
}

/// A formula with what it is in the system.
struct Root {
    term: TermId,
    /// The name of its definition and the annotation as it is written; nothing for an assertion.
    note: Option<(String, String)>,
}

impl Root {
    fn noted(term: TermId, name: String, key: &str) -> Root {
        Root { term, note: Some((name, key.to_owned())) }
    }
}

struct Writer<'a> {
    terms: &'a mut Terms,
    names: Names,
    out: String,
    /// How often a term is referred to.
    counts: IdMap<TermId, u32>,
    /// The number in the name of a shared term, or 0.
    numbers: IdMap<TermId, u32>,
    /// The beginning of the names of shared terms.
    prefix: String,
    sorts: FxHashMap<SortId, String>,
    /// Memory for what is left of a term, empty in between.
    todo: Vec<Piece>,
}

enum Piece {
    Term(TermId),
    Close,
}

impl<'a> Writer<'a> {
    fn new(terms: &'a mut Terms, names: Names) -> Writer<'a> {
        Writer {
            terms,
            names,
            out: String::new(),
            counts: IdMap::new(0),
            numbers: IdMap::new(0),
            prefix: String::new(),
            sorts: FxHashMap::default(),
            todo: Vec::new(),
        }
    }

    fn system(&mut self, system: &System) {
        if let Some(logic) = &system.logic {
            self.out.push_str("(set-logic ");
            write_symbol(&mut self.out, logic);
            self.out.push_str(")\n");
        }
        let asserted: FxHashSet<FunId> = postorder_of(self.terms, system.axioms.iter().copied())
            .into_iter()
            .filter_map(|term| self.terms.applied(term))
            .collect();
        let stays = |fun: &FunId| !self.terms.fun(*fun).params.is_empty() || asserted.contains(fun);
        let (rigid, constants): (Vec<FunId>, Vec<FunId>) = system.rigid.iter().partition(|&fun| stays(fun));
        let (mut states, mut kept) = (system.states.clone(), Vec::new());
        for now in constants {
            let next = self.next_version(now);
            let both = [self.terms.constant_term(next), self.terms.constant_term(now)];
            kept.extend(self.terms.app(Op::Eq, &both));
            states.push(State { now, next });
        }
        let roots = self.roots(system, &kept);
        let order = postorder_of(self.terms, roots.iter().map(|root| root.term));
        self.declare_sorts(&states, &system.inputs, &rigid, &order);
        for state in &states {
            self.state(*state);
        }
        for &fun in system.inputs.iter().chain(&rigid) {
            self.declare(fun);
        }
        self.prefix = self.names.prefix(self.terms);
        self.definitions(&order, &roots);
        for root in &roots {
            self.root(root);
        }
    }

    /// A symbol for the next version of a constant that has none.
    fn next_version(&mut self, now: FunId) -> FunId {
        let name = self.names.fresh(self.terms, &format!("{}.next", self.terms.fun_name(now)));
        let (name, result) = (self.terms.names.intern(&name), self.terms.fun(now).result);
        self.terms.declare(Fun { name, params: Box::new([]), result, role: Role::Free })
    }

    fn root(&mut self, root: &Root) {
        let Some((name, key)) = &root.note else {
            self.out.push_str("(assert ");
            self.term(root.term, true);
            self.out.push_str(")\n");
            return;
        };
        self.out.push_str("(define-fun ");
        write_symbol(&mut self.out, name);
        self.out.push_str(" () Bool (! ");
        self.term(root.term, true);
        self.out.push(' ');
        self.out.push_str(key);
        self.out.push_str("))\n");
    }

    /// All formulas with their annotations; conjunctions are several formulas.
    fn roots(&mut self, system: &System, kept: &[TermId]) -> Vec<Root> {
        let mut roots: Vec<Root> = system.axioms.iter().map(|&term| Root { term, note: None }).collect();
        let trans: Vec<TermId> = system.trans.iter().chain(kept).copied().collect();
        let groups = [(".init", ":init true", system.init.clone()), (".trans", ":trans true", trans)];
        for (wish, key, mut formulas) in groups {
            if formulas.is_empty() {
                formulas.push(TermId::TRUE);
            }
            for term in formulas {
                roots.push(Root::noted(term, self.names.fresh(self.terms, wish), key));
            }
        }
        for &term in &system.invar {
            roots.push(Root::noted(term, self.names.fresh(self.terms, ".invar"), ":invar true"));
        }
        for property in &system.properties {
            let key = match property.kind {
                PropertyKind::Invariant(_) => "invar",
                PropertyKind::Live(_) => "live",
                PropertyKind::Ltl(_) => "ltl",
            };
            let key = format!(":{key}-property {}", property.index);
            let wish = clean(property.name.as_deref().unwrap_or(".property"));
            for &term in property.formulas() {
                roots.push(Root::noted(term, self.names.fresh(self.terms, &wish), &key));
            }
        }
        for &term in &system.hints {
            roots.push(Root::noted(term, self.names.fresh(self.terms, ".hint"), ":predicate true"));
        }
        roots
    }

    fn declare_sorts(&mut self, states: &[State], inputs: &[FunId], rigid: &[FunId], order: &[TermId]) {
        let terms = &*self.terms;
        let mut sorts: Vec<SortId> = Vec::new();
        let symbols = states.iter().map(|state| &state.now).chain(inputs).chain(rigid);
        for &fun in symbols {
            sorts.extend_from_slice(&terms.fun(fun).params);
            sorts.push(terms.fun(fun).result);
        }
        let mut seen = IdSet::new();
        sorts.extend(order.iter().map(|&term| terms.sort(term)).filter(|&sort| seen.insert(sort)));
        write_declarations(&mut self.out, terms, &sorts);
    }

    fn state(&mut self, state: State) {
        self.declare(state.now);
        self.declare(state.next);
        let carrier = self.names.fresh(self.terms, &format!(".{}", self.terms.fun_name(state.now)));
        self.out.push_str("(define-fun ");
        write_symbol(&mut self.out, &carrier);
        self.out.push_str(" () ");
        self.sort(self.terms.fun(state.now).result);
        self.out.push_str(" (! ");
        write_symbol(&mut self.out, self.terms.fun_name(state.now));
        self.out.push_str(" :next ");
        write_symbol(&mut self.out, self.terms.fun_name(state.next));
        self.out.push_str("))\n");
    }

    fn declare(&mut self, fun: FunId) {
        self.out.push_str("(declare-fun ");
        write_symbol(&mut self.out, self.terms.fun_name(fun));
        self.out.push_str(" (");
        let declared = self.terms.fun(fun).clone();
        for (i, &param) in declared.params.iter().enumerate() {
            self.out.push_str(if i == 0 { "" } else { " " });
            self.sort(param);
        }
        self.out.push_str(") ");
        self.sort(declared.result);
        self.out.push_str(")\n");
    }

    fn sort(&mut self, sort: SortId) {
        let text = self.sorts.entry(sort).or_insert_with(|| {
            let mut text = String::new();
            write_sort(&mut text, self.terms, sort);
            text
        });
        self.out.push_str(text);
    }

    /// A definition for everything that is referred to twice, what it is made of before it.
    fn definitions(&mut self, order: &[TermId], roots: &[Root]) {
        for &term in order {
            for &arg in self.terms.args(term) {
                *self.counts.entry(arg) += 1;
            }
        }
        for root in roots {
            *self.counts.entry(root.term) += 1;
        }
        let mut number = 0;
        for &term in order {
            if self.counts[term] < 2 || self.terms.args(term).is_empty() {
                continue;
            }
            if self.terms.has_vars(term) && !(self.terms.op(term).is_binder() && is_closed(self.terms, term))
            {
                continue;
            }
            number += 1;
            self.out.push_str("(define-fun ");
            self.shared(number);
            self.out.push_str(" () ");
            self.sort(self.terms.sort(term));
            self.out.push(' ');
            self.term(term, false);
            self.out.push_str(")\n");
            self.numbers.set(term, number);
        }
    }

    /// A term, in which shared ones are written as their names.
    fn term(&mut self, root: TermId, by_name: bool) {
        if self.numbers[root] > 0 && by_name {
            return self.shared(self.numbers[root]);
        }
        let mut todo = std::mem::take(&mut self.todo);
        self.open(root, &mut todo);
        while let Some(piece) = todo.pop() {
            match piece {
                Piece::Close => self.out.push(')'),
                Piece::Term(term) => {
                    self.out.push(' ');
                    match self.numbers[term] {
                        0 => self.open(term, &mut todo),
                        number => self.shared(number),
                    }
                }
            }
        }
        self.todo = todo;
    }

    /// The name of a shared term.
    fn shared(&mut self, number: u32) {
        self.out.push_str(&self.prefix);
        write_number(&mut self.out, u64::from(number));
    }

    /// Writes the head of a term and leaves its arguments to do.
    fn open(&mut self, term: TermId, todo: &mut Vec<Piece>) {
        if self.terms.has_vars(term) {
            return self.bound(term);
        }
        let args = self.terms.args(term);
        if args.is_empty() {
            return write_leaf(&mut self.out, self.terms, term);
        }
        self.out.push('(');
        write_head(&mut self.out, self.terms, term);
        todo.push(Piece::Close);
        todo.extend(args.iter().rev().map(|&arg| Piece::Term(arg)));
    }

    /// Writes a term with bound variables; shared terms in it that have none are constants for the kernel's printer.
    fn bound(&mut self, term: TermId) {
        let mut map = FxHashMap::default();
        for part in postorder(self.terms, term).into_iter().filter(|&part| part != term) {
            let number = self.numbers[part];
            if number > 0 {
                let name = format!("{}{number}", self.prefix);
                let name = self.terms.names.intern(&name);
                let sort = self.terms.sort(part);
                let role = Role::Free;
                let fun = self.terms.declare(Fun { name, params: Box::new([]), result: sort, role });
                map.insert(part, self.terms.constant_term(fun));
            }
        }
        let term = if map.is_empty() { term } else { replace(self.terms, term, &map) };
        write_term(&mut self.out, self.terms, term);
    }
}
