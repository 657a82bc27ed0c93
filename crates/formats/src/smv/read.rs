//! From a file to a system.

mod assign;

use super::assign::Assignments;
use super::ast::{Base, Domain, Kind, Node, Role, Section, TypeText};
use super::ctl::{Branching, linear_time};
use super::elaborate::Elaborator;
use super::flatten::{Words, flatten};
use super::inherit::inherit;
use super::ops;
use super::parse::parse;
use super::process::{Turns, running};
use super::types::{DEEP, List, MANY, Ty, Val};
use super::values::{Values, Variables};
use crate::text::utf8;
use crate::{Model, Source};
use dashu_int::IBig;
use diag::{Diagnostic, Span, codes};
use rustc_hash::FxHashSet;
use smt::check::RankError;
use smt::op::Op;
use smt::subst::functions;
use smt::term::{Fun, FunId, TermId, Terms};

use std::sync::Arc;
use ts::{Property, PropertyKind, System};

/// After so many problems the rest is not looked at.
const ENOUGH: usize = 50;

/// Reads a model.
pub fn read(terms: &mut Terms, source: Source<'_>, errors: &mut Vec<Diagnostic>) -> Option<Model> {
    let text = utf8(source, errors)?;
    let (mut file, mut problems) = parse(text, source.base);
    inherit(&mut file, Words { text, base: source.base }, &mut problems);
    if !problems.is_empty() {
        errors.extend(problems);
        return None;
    }
    let before = errors.len();
    let words = Words { text, base: source.base };
    let world = flatten(&file, words, errors)?;
    let elaborator = Elaborator::new(&file, words, terms, world, errors);
    let (nexts, inputs) = (FxHashSet::default(), FxHashSet::default());
    let (system, fair, temporal) = (System::default(), Vec::new(), Vec::new());
    let (branching, always, unfair, turns) = (None, Vec::new(), None, Turns::default());
    let compassion = false;
    let (assignments, variables) = (Assignments::default(), Variables::default());
    let reader = Reader {
        elaborator,
        system,
        fair,
        temporal,
        branching,
        always,
        unfair,
        turns,
        compassion,
        nexts,
        inputs,
        assignments,
        variables,
    };
    let system = reader.system();
    if errors.len() > before {
        return None;
    }
    system.map(|system| Model::Systems(vec![system]))
}

struct Reader<'a> {
    elaborator: Elaborator<'a>,
    system: System,
    /// What holds on the executions that temporal specifications are about.
    fair: Vec<TermId>,
    /// The positions of temporal specifications among the properties.
    temporal: Vec<usize>,
    /// Which expressions are about branching time; made when it is needed.
    branching: Option<Branching>,
    /// The positions of specifications about branching time that are invariants where all executions are fair.
    always: Vec<usize>,
    /// Where a specification about branching time is.
    unfair: Option<Span>,
    turns: Turns,
    /// True when a fairness constraint is one that specifications about branching time cannot have.
    compassion: bool,
    nexts: FxHashSet<FunId>,
    inputs: FxHashSet<FunId>,
    assignments: Assignments,
    variables: Variables,
}

impl Reader<'_> {
    fn system(mut self) -> Option<System> {
        for at in 0..self.elaborator.world.functions.len() {
            self.function(at)?;
        }
        for at in 0..self.elaborator.world.variables.len() {
            self.variable(at)?;
        }
        if self.elaborator.world.is_concurrent() {
            let processes = self.elaborator.world.processes;
            match running(self.elaborator.terms, &mut self.system, processes) {
                Ok(running) => self.elaborator.world.running = running,
                Err(error) => self.broken(&error),
            }
        }
        self.nexts = self.system.states.iter().map(|state| state.next).collect();
        self.inputs = self.system.inputs.iter().copied().collect();
        for instance in 0..self.elaborator.world.instances.len() {
            let module = self.elaborator.world.instances[instance].module;
            let file = self.elaborator.file;
            for section in &file.modules[module].items {
                if self.elaborator.errors.len() > ENOUGH {
                    return None;
                }
                // What is wrong was reported; the other sections are looked at all the same.
                let _ = self.section(section, instance);
            }
        }
        if !self.elaborator.world.is_concurrent() {
            self.elaborator.errors.extend(self.assignments.cycles(self.elaborator.terms));
        }
        let terms = &mut *self.elaborator.terms;
        match std::mem::take(&mut self.turns).formulas(terms, &self.elaborator.world.running) {
            Ok(formulas) => self.system.trans.extend(formulas),
            Err(error) => self.broken(&error),
        }
        self.fairness();
        Some(self.system)
    }

    fn function(&mut self, at: usize) -> Option<()> {
        let function = self.elaborator.world.functions[at].clone();
        let mut params = Vec::new();
        for param in &function.params {
            params.push(self.elaborator.plain_type(param, function.instance)?);
        }
        let result = self.elaborator.plain_type(&function.result, function.instance)?;
        let bits = self.elaborator.bits;
        let terms = &mut *self.elaborator.terms;
        let name = terms.unused_name(&function.name);
        let name = terms.names.intern(&name);
        let sorts: Vec<_> = params.iter().map(|param| param.sort(terms, bits)).collect();
        let result_sort = result.sort(terms, bits);
        let fun = Fun { name, params: sorts.into(), result: result_sort, role: smt::term::Role::Free };
        let fun = terms.declare(fun);
        self.system.rigid.push(fun);
        self.variables.unbounded();
        self.elaborator.world.functions[at].made = Some((fun, params, result));
        Some(())
    }

    /// Declares a variable, or all variables of an array over a range.
    fn variable(&mut self, at: usize) -> Option<()> {
        let variable = self.elaborator.world.variables[at].clone();
        // Outer arrays over ranges are as many variables; the rest is one type.
        let ranges =
            variable.ty.arrays.iter().take_while(|domain| matches!(domain, Domain::Range(..))).count();
        let inner = TypeText { arrays: variable.ty.arrays[ranges..].to_vec(), ..variable.ty.clone() };
        let ty = self.elaborator.plain_type(&inner, variable.instance)?;
        if !inner.arrays.is_empty() && matches!(inner.base, Base::Range(..) | Base::Enumeration(_)) {
            let message = "an array of a range or enumeration is not supported";
            self.elaborator.report(codes::SMV003, inner.span, message);
            return None;
        }
        let mut names = vec![variable.name.clone()];
        let mut shape = Vec::new();
        for domain in &variable.ty.arrays[..ranges] {
            let Domain::Range(low, high) = domain else { continue };
            let low = self.elaborator.number(*low, variable.instance)?;
            let high = self.elaborator.number(*high, variable.instance)?;
            let count = usize::try_from(&high - &low + IBig::ONE).unwrap_or(0);
            if count == 0 || ranges > DEEP || names.len().saturating_mul(count) > MANY {
                let message = "the array has no or too many elements, or is too deep";
                self.elaborator.report(codes::SMV003, inner.span, message);
                return None;
            }
            names = names
                .iter()
                .flat_map(|name| (0..count).map(|i| format!("{name}[{}]", &low + i)).collect::<Vec<_>>())
                .collect();
            shape.push((low, count));
        }
        let (mut now, mut next) = (Vec::new(), Vec::new());
        for name in names {
            let (first, second) = self.scalar(&name, variable.role, &ty, &inner, variable.instance)?;
            now.push(first);
            next.push(second);
        }
        let slot = &mut self.elaborator.world.variables[at];
        slot.now = shaped(now, &shape);
        slot.next = shaped(next, &shape);
        Some(())
    }

    /// A variable with one value: that value now and next.
    fn scalar(
        &mut self,
        name: &str,
        role: Role,
        ty: &Ty,
        text: &TypeText,
        instance: usize,
    ) -> Option<(Val, Val)> {
        let bits = self.elaborator.bits;
        let terms = &mut *self.elaborator.terms;
        let sort = ty.sort(terms, bits);
        let (now, next) = match role {
            Role::Input => {
                let input = self.system.add_input(terms, name, sort);
                (input, input)
            }
            _ => {
                let state = self.system.add_state(terms, name, sort);
                (state.now, state.next)
            }
        };
        let symbols = [now, next];
        let (now, next) = (terms.constant_term(now), terms.constant_term(next));
        self.assignments.declare(now, next, role);
        if role == Role::Frozen
            && let Ok(same) = terms.app(Op::Eq, &[next, now])
        {
            self.system.trans.push(same);
        }
        let value = Val::Term(now, ty.clone());
        let domain = match &text.base {
            Base::Range(low, high) => {
                let low = self.elaborator.number(*low, instance)?;
                let high = self.elaborator.number(*high, instance)?;
                if low > high {
                    let message = format!("the range from {low} to {high} is empty");
                    self.elaborator.report(codes::SMV002, text.span, message);
                    return None;
                }
                Some(Val::Range(low, high))
            }
            Base::Enumeration(items) => {
                let mut all = Vec::new();
                for &item in items {
                    all.push(self.element(item, ty, instance)?);
                }
                // With as many constants as values there is nothing to say.
                let different: FxHashSet<TermId> = all.iter().filter_map(term_of).collect();
                let every = *ty == Ty::Symbol && different.len() == 1 << bits;
                (!every).then(|| ops::union(all))
            }
            _ => None,
        };
        let values =
            domain.as_ref().and_then(|domain| Values::of(self.elaborator.terms, domain)).map(Arc::new);
        for (fun, text) in symbols.into_iter().zip([name.to_owned(), format!("next({name})")]).rev() {
            self.variables.declare(fun, text, ty.clone(), values.clone());
        }
        if let Some(domain) = domain {
            let made = ops::member(self.elaborator.terms, value.clone(), domain);
            let made =
                made.map_err(|message| self.elaborator.report(codes::SMV002, text.span, message)).ok()?;
            self.system.invar.push(made);
        }
        Some((value, Val::Term(next, ty.clone())))
    }

    /// An element of an enumeration: a symbolic constant (which a number among them is, too) even if a variable has its name.
    fn element(&mut self, item: Node, ty: &Ty, instance: usize) -> Option<Val> {
        let tree = &self.elaborator.file.tree;
        if matches!(tree.kind(item), Kind::Name | Kind::Dot) && !self.elaborator.is_truth_value(item)
            || *ty == Ty::Symbol
        {
            let span = Span::new(tree.place(item).start, tree.span(item).end);
            if let Some(&index) = self.elaborator.world.symbols.get(self.elaborator.words.of(span)) {
                return Some(Val::Term(self.elaborator.symbol(index), Ty::Symbol));
            }
        }
        self.elaborator.value(item, instance, false)
    }

    fn section(&mut self, section: &Section, instance: usize) -> Option<()> {
        match section {
            Section::Var(..) | Section::Constants(_) | Section::Function(..) | Section::Inherit(_) => {}
            // Definitions that nobody uses are looked at too, so that mistakes in them are found.
            Section::Define(_, body) => {
                self.elaborator.value(*body, instance, false)?;
            }
            Section::Init(node) => {
                let formula = self.elaborator.formula(*node, instance)?;
                self.place(formula, *node, "INIT", false, false)?;
                self.system.init.push(formula);
            }
            Section::Invar(node) => {
                let formula = self.elaborator.formula(*node, instance)?;
                self.place(formula, *node, "INVAR", true, false)?;
                self.system.invar.push(formula);
            }
            Section::Trans(node) => {
                let formula = self.elaborator.formula(*node, instance)?;
                self.place(formula, *node, "TRANS", true, true)?;
                self.system.trans.push(formula);
            }
            Section::Assign(when, target, value) => self.assign(*when, *target, *value, instance)?,
            Section::Justice(node) => {
                let formula = self.elaborator.formula(*node, instance)?;
                self.place(formula, *node, "JUSTICE", true, false)?;
                let again = self.again(formula);
                self.fair.push(again);
            }
            Section::Compassion(first, second) => {
                let (a, b) =
                    (self.elaborator.formula(*first, instance)?, self.elaborator.formula(*second, instance)?);
                self.place(a, *first, "COMPASSION", true, false)?;
                self.place(b, *second, "COMPASSION", true, false)?;
                let (a, b) = (self.again(a), self.again(b));
                let not = self.elaborator.terms.not(a);
                let formula = self.elaborator.terms.or(&[not, b]);
                self.fair.push(formula);
                self.compassion = true;
            }
            Section::InvarSpec(name, node) => {
                let formula = self.elaborator.formula(*node, instance)?;
                let used = functions(self.elaborator.terms, formula);
                let formula = if used.iter().any(|fun| self.nexts.contains(fun)) {
                    self.held(formula)
                } else {
                    formula
                };
                self.property(*name, PropertyKind::Invariant(formula));
            }
            Section::LtlSpec(name, node) => {
                let formula = self.elaborator.formula(*node, instance)?;
                self.place(formula, *node, "LTLSPEC", true, false)?;
                self.temporal.push(self.system.properties.len());
                self.property(*name, PropertyKind::Ltl(formula));
            }
            Section::CtlSpec(name, node) => self.branching(*name, *node, instance)?,
        }
        Some(())
    }

    /// `AG p` is an invariant, and other formulas are about linear time if they can be.
    fn branching(&mut self, name: Option<Span>, node: Node, instance: usize) -> Option<()> {
        let tree = &self.elaborator.file.tree;
        let branching = self.branching.get_or_insert_with(|| Branching::of(tree));
        self.unfair.get_or_insert(tree.span(node));
        let always = match (tree.kind(node), tree.children(node)) {
            (Kind::Prefix("AG"), &[body]) if branching.is_state(body) => Some(body),
            _ => None,
        };
        let formula = match always {
            Some(body) => self.elaborator.formula(body, instance)?,
            None => linear_time(&mut self.elaborator, branching, node, instance)?,
        };
        self.place(formula, node, "SPEC", true, false)?;
        // Only now it is certain that there is such a property.
        let at = self.system.properties.len();
        if always.is_some() {
            self.always.push(at);
            self.property(name, PropertyKind::Invariant(formula));
        } else {
            self.temporal.push(at);
            self.property(name, PropertyKind::Ltl(formula));
        }
        Some(())
    }

    fn property(&mut self, name: Option<Span>, kind: PropertyKind) {
        let index = self.system.properties.len() as u64;
        let name = name.map(|span| self.elaborator.words.of(span).to_owned());
        self.system.properties.push(Property { index, name, kind });
    }

    /// Reports what a formula must not speak of.
    fn place(&mut self, formula: TermId, node: Node, what: &str, inputs: bool, next: bool) -> Option<()> {
        if inputs && next {
            return Some(());
        }
        let used: FxHashSet<FunId> = functions(self.elaborator.terms, formula).into_iter().collect();
        let span = self.elaborator.file.tree.place(node);
        if !next && used.iter().any(|fun| self.nexts.contains(fun)) {
            self.elaborator.report(codes::SMV003, span, format!("`next` in {what} is not supported"));
            return None;
        }
        if !inputs && used.iter().any(|fun| self.inputs.contains(fun)) {
            self.elaborator.report(codes::SMV002, span, format!("an input cannot occur in {what}"));
            return None;
        }
        Some(())
    }

    /// What says that a formula about two steps held in the step before.
    fn held(&mut self, formula: TermId) -> TermId {
        let terms = &mut *self.elaborator.terms;
        let state = self.system.add_state(terms, "held", smt::sort::SortId::BOOL);
        let (now, next) = (terms.constant_term(state.now), terms.constant_term(state.next));
        self.system.init.push(now);
        if let Ok(equal) = terms.app(Op::Eq, &[next, formula]) {
            self.system.trans.push(equal);
        }
        now
    }

    /// A formula that holds again and again.
    fn again(&mut self, formula: TermId) -> TermId {
        let terms = &mut *self.elaborator.terms;
        let finally = terms.app(Op::LtlFinally, &[formula]);
        finally.and_then(|finally| terms.app(Op::LtlGlobally, &[finally])).unwrap_or(TermId::TRUE)
    }

    /// Temporal specifications are about fair executions.
    fn fairness(&mut self) {
        if self.fair.is_empty() {
            return;
        }
        if let Some(span) = self.unfair.filter(|_| self.compassion) {
            let message = "a specification about branching time together with COMPASSION is not supported";
            self.elaborator.report(codes::SMV003, span, message);
        }
        let terms = &mut *self.elaborator.terms;
        let all = terms.and(&self.fair);
        let not = terms.not(all);
        for &at in self.temporal.iter().chain(&self.always) {
            let kind = &mut self.system.properties[at].kind;
            let formula = match *kind {
                PropertyKind::Invariant(formula) => terms.app(Op::LtlGlobally, &[formula]).unwrap_or(formula),
                PropertyKind::Ltl(formula) => formula,
                _ => continue,
            };
            *kind = PropertyKind::Ltl(terms.or(&[not, formula]));
        }
    }

    fn broken(&mut self, error: &RankError) {
        let message = error.message(self.elaborator.terms, "processes", &[]);
        self.elaborator.report(codes::SMV002, Span::default(), message);
    }
}

fn term_of(value: &Val) -> Option<TermId> {
    if let Val::Term(term, _) = value { Some(*term) } else { None }
}

/// Values in the shape of nested arrays, the outermost first.
fn shaped(values: Vec<Val>, shape: &[(IBig, usize)]) -> Option<Val> {
    let mut values = values;
    for (low, count) in shape.iter().rev() {
        let list = |chunk: &[Val]| List::new(low.clone(), chunk.to_vec()).map(Val::List);
        values = values.chunks(*count).map(list).collect::<Option<_>>()?;
    }
    values.pop()
}
