//! From the sequentialized automata to a [`Plan`]: texts with captures, names and types filled in.

use crate::draft::{Draft, Drafted, Writer};
use crate::ia::ast::{Attribute, Automaton, Pattern, Per, Side, Spec, Subject, TextPiece, Transition};
use crate::initialize::Instance;
use crate::limits;
use crate::matching::{Captured, Match, array_len, converted_type, operation_type};
use crate::plan::{At, Insertion, Piece, Plan, When};
use crate::program::Program;
use crate::sequence::{Placed, Sequenced};
use crate::state::States;
use cfront::ast::FunctionId;
use cfront::cfa::{CLEANUP, ExitKind};
use cfront::types::Ty;
use diag::{Diagnostic, codes};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Functions whose calls are violations in the program's own terms.
const ERRORS: [&str; 3] = ["__VERIFIER_assert", "__VERIFIER_error", "reach_error"];

/// The one of them after which the program does not go on.
pub(crate) const ENDING: &str = "__VERIFIER_error";

/// The plan of a program that was sequentialized with a specification.
#[must_use]
pub fn derive(program: &mut Program<'_>, spec: &Spec, sequenced: &Sequenced) -> Plan {
    let globals = global_names(program, spec);
    let mut locals: FxHashMap<FunctionId, FxHashSet<String>> = FxHashMap::default();
    for entity in &program.unit.entities {
        if let Some(function) = entity.scope {
            locals.entry(function).or_default().insert(program.unit.name(entity.name).to_owned());
        }
    }
    // What runs when a variable of `main` ends runs behind its `return`.
    let has_cleanups = program.unit.entities.iter().any(|entity| entity.flags.cleanup.is_some());
    let has_handlers = has_cleanups || program.external_call(&["atexit", "on_exit"]).is_some();
    let mut deriver = Deriver {
        program,
        spec,
        sequenced,
        globals,
        locals,
        states: States::default(),
        handlers: Vec::new(),
        has_handlers,
        declared: FxHashSet::default(),
        drafts: FxHashMap::default(),
        plan: Plan::default(),
    };
    deriver.plan.globals.clone_from(&spec.c);
    for placed in &sequenced.placed {
        deriver.insertion(placed);
    }
    deriver.finish()
}

/// Names that mean the same wherever a text stands: those of the specification's C text and of the file scope.
fn global_names(program: &Program<'_>, spec: &Spec) -> FxHashSet<String> {
    let unit = &program.unit;
    let own = unit.entities.iter().filter(|entity| entity.scope.is_none());
    let mut out: FxHashSet<String> = own.map(|entity| unit.name(entity.name).to_owned()).collect();
    for text in &spec.c {
        let words = cfront::words(text, 0);
        let word = |span: diag::Span| text.get(span.start as usize..span.end as usize).unwrap_or_default();
        out.extend(words.tokens.iter().map(|token| word(token.span).to_owned()));
    }
    out
}

pub(crate) struct Deriver<'a, 'b> {
    pub(crate) program: &'a mut Program<'b>,
    pub(crate) spec: &'a Spec,
    pub(crate) sequenced: &'a Sequenced,
    globals: FxHashSet<String>,
    /// Names that are local to a function.
    locals: FxHashMap<FunctionId, FxHashSet<String>>,
    pub(crate) states: States,
    /// Texts that run when the program ends, after its own handlers.
    handlers: Vec<String>,
    has_handlers: bool,
    /// Instances whose variables are declared.
    declared: FxHashSet<usize>,
    /// Texts of operations, by instance, transition and the type of the operator.
    drafts: FxHashMap<(usize, usize, Ty), Rc<Drafted>>,
    pub(crate) plan: Plan,
}

impl Deriver<'_, '_> {
    fn insertion(&mut self, placed: &Placed) {
        let (spec, sequenced) = (self.spec, self.sequenced);
        let instance = &sequenced.instances[placed.instance];
        let automaton = &spec.automata[instance.automaton];
        let transition = &automaton.transitions[placed.transition];
        if transition.text.is_empty() || (uses_state(automaton) && !self.is_covered(placed.instance)) {
            return;
        }
        self.declare(placed.instance);
        let draft = self.draft(placed, instance, transition);
        let mut reads_locals = draft.is_local;
        let mut text = Vec::with_capacity(draft.pieces.len());
        if let Some((callee, name)) = &placed.found.guard {
            let behind = format!(" == (void *){name}) {{ ");
            text.extend([
                Piece::Text("if ((void *)".into()),
                Piece::Capture(*callee),
                Piece::Text(behind.into()),
            ]);
            reads_locals |= self.is_local(placed.function, name);
        }
        for piece in &draft.pieces {
            text.push(match piece {
                Draft::Text(text) => Piece::Text(Rc::clone(text)),
                Draft::Result => Piece::Result,
                Draft::Capture(index) => match placed.found.captures[*index] {
                    Captured::Expr(expr) => Piece::Capture(expr),
                    Captured::Variable(entity) => {
                        reads_locals = true;
                        let unit = &self.program.unit;
                        Piece::Text(unit.name(unit.entities[entity].name).into())
                    }
                },
            });
        }
        if placed.found.guard.is_some() {
            text.push(Piece::Text(" }".into()));
        }
        if transition.patterns == [Pattern::End] && self.is_handled(placed, &text, reads_locals) {
            return;
        }
        let at = self.at(placed, transition);
        let function = self.program.cfas[placed.function].function;
        let insertion = Insertion { function, at, text, reads_locals, from: transition.span };
        // A location may have several edges.
        let is_location = matches!(at, At::Entry | At::Head(_));
        if !(is_location && self.plan.insertions.iter().rev().take(8).any(|other| *other == insertion)) {
            self.plan.insertions.push(insertion);
        }
    }

    fn at(&self, placed: &Placed, transition: &Transition) -> At {
        let cfa = &self.program.cfas[placed.function];
        let from = cfa.edges[placed.edge].from;
        let is_everywhere = transition.side == Side::Before && transition.patterns == [Pattern::True];
        let is_head = cfa.head(from).is_some();
        match transition.side {
            _ if is_everywhere && is_head => At::Head(from),
            _ if is_everywhere && from == cfa.entry => At::Entry,
            Side::Before => At::Edge(placed.edge, When::Before),
            Side::After => At::Edge(placed.edge, When::After),
        }
    }

    /// Declares the variables of an automaton's instance when it is used first.
    fn declare(&mut self, index: usize) {
        if !self.declared.insert(index) {
            return;
        }
        let (spec, sequenced) = (self.spec, self.sequenced);
        let instance = &sequenced.instances[index];
        let automaton = &spec.automata[instance.automaton];
        for var in &automaton.vars {
            let text = format!("{}{}{};", var.before, var_name(automaton, instance, &var.name), var.after);
            match instance.starts.first().filter(|_| var.is_local) {
                Some(place) => self.plan.locals.push((self.program.cfas[place.function].function, text)),
                None => self.plan.globals.push(format!("static {text}")),
            }
        }
    }

    /// The text of an operation without what is captured; once for all places where it is the same.
    fn draft(&mut self, placed: &Placed, instance: &Instance, transition: &Transition) -> Rc<Drafted> {
        let key = self.is_shared(transition).then(|| {
            let unit = &mut *self.program.unit;
            let op = placed.found.expr.map_or(Ty::ERROR, |expr| operation_type(unit, expr));
            (placed.instance, placed.transition, op)
        });
        if let Some(known) = key.and_then(|key| self.drafts.get(&key)) {
            return Rc::clone(known);
        }
        let mut writer = Writer::default();
        let arrays = transition.text.contains(&TextPiece::SameState);
        if let Some(prefix) = self.states.comparison(placed.instance).filter(|_| arrays) {
            writer.text(&prefix);
        }
        for piece in &transition.text {
            self.piece(placed, instance, piece, &mut writer);
        }
        let drafted = Rc::new(writer.finish());
        if let Some(key) = key {
            self.drafts.insert(key, Rc::clone(&drafted));
        }
        drafted
    }

    /// True when the text of an operation depends on the operator's type only.
    fn is_shared(&self, transition: &Transition) -> bool {
        transition.text.iter().all(|piece| match piece {
            TextPiece::Text(_) | TextPiece::Var(_) | TextPiece::Capture(_) | TextPiece::Result => true,
            TextPiece::Name(name) => is_known(name),
            TextPiece::Attribute(subject, _) => *subject == Subject::Op,
            TextPiece::SaveState | TextPiece::SameState => false,
        })
    }

    fn piece(&mut self, placed: &Placed, instance: &Instance, piece: &TextPiece, writer: &mut Writer) {
        let automaton = &self.spec.automata[instance.automaton];
        match piece {
            TextPiece::Text(text) => writer.text(text),
            TextPiece::Name(name) => {
                writer.is_local |= self.is_local(placed.function, name);
                writer.text(name);
            }
            TextPiece::Var(index) => {
                let var = &automaton.vars[*index];
                writer.is_local |= var.is_local;
                writer.text(&var_name(automaton, instance, &var.name));
            }
            TextPiece::Capture(index) => writer.piece(Draft::Capture(*index)),
            TextPiece::Result => writer.piece(Draft::Result),
            TextPiece::Attribute(subject, attribute) => {
                let text = self.attribute(&placed.found, *subject, *attribute);
                writer.text(&text);
            }
            TextPiece::SaveState | TextPiece::SameState => {
                writer.is_local = true;
                let text = match piece {
                    TextPiece::SaveState => self.states.save(placed.instance),
                    _ => self.states.same(placed.instance),
                };
                writer.text(&text);
            }
        }
    }

    fn attribute(&mut self, found: &Match, subject: Subject, attribute: Attribute) -> String {
        let unit = &mut *self.program.unit;
        let ty = match subject {
            Subject::Op => found.expr.map_or(Ty::ERROR, |expr| operation_type(unit, expr)),
            Subject::Capture(index) => match (attribute, found.captures[index]) {
                // What the program says of it, not what it becomes when it is used.
                (Attribute::Size, Captured::Expr(expr)) => unit.exprs[expr].ty,
                (Attribute::Len, Captured::Expr(expr)) => {
                    return array_len(unit, expr).map_or_else(|| "0".to_owned(), |len| format!("{len}UL"));
                }
                (_, captured) => converted_type(unit, found, captured),
            },
        };
        limits::text(unit, ty, attribute)
    }

    /// True when a name means something in the function, or nobody knows what it means.
    fn is_local(&self, function: usize, name: &str) -> bool {
        if is_known(name) {
            return false;
        }
        let is_own =
            self.locals.get(&self.program.cfas[function].function).is_some_and(|own| own.contains(name));
        is_own || !self.globals.contains(name)
    }

    /// Handlers of the program run after `return` from `main` and after `exit`. What has to be done at the end is a handler
    /// then, too: the one that is registered first runs last.
    fn is_handled(&mut self, placed: &Placed, pieces: &[Piece], reads_locals: bool) -> bool {
        let kind = self.program.exit(placed.function, placed.edge);
        let runs = matches!(kind, Some(ExitKind::Return(_) | ExitKind::FallOff | ExitKind::Exit(_)));
        if !self.has_handlers || !runs {
            return false;
        }
        let mut text = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(more) => text.push_str(more),
                Piece::Capture(_) | Piece::Result => return false,
            }
        }
        if reads_locals {
            return false;
        }
        if !self.handlers.contains(&text) {
            self.handlers.push(text);
        }
        true
    }

    /// Registers the handlers before anything else in `main`.
    fn register_handlers(&mut self) {
        let Some(main) = self.program.cfas.iter().find(|cfa| cfa.is_main) else { return };
        let from = self.spec.automata.first().and_then(|automaton| automaton.transitions.first());
        let from = from.map_or_else(diag::Span::default, |transition| transition.span);
        for (number, text) in self.handlers.iter().enumerate() {
            let name = format!("__svarog_end_{number}");
            self.plan.globals.push(format!("static void {name}(void) {{ {text} }}"));
            let text = vec![Piece::Text(format!("atexit({name});").into())];
            let function = main.function;
            let insertion = Insertion { function, at: At::Entry, text, reads_locals: false, from };
            self.plan.insertions.insert(0, insertion);
        }
    }

    fn finish(mut self) -> Plan {
        self.register_handlers();
        let unit = &self.program.unit;
        if !self.spec.keeps_errors {
            let globals = unit.entities.iter().filter(|entity| entity.scope.is_none());
            let names: FxHashSet<&str> = globals.map(|entity| unit.name(entity.name)).collect();
            let renamed = ERRORS.into_iter().filter(|name| names.contains(name));
            let new = |name: &str| format!("__svarog_program_{}", name.trim_start_matches('_'));
            self.plan.renamed = renamed.map(|name| (name.to_owned(), new(name))).collect();
            // Who defines the function that ends the program does not know its new name.
            if self.plan.renamed.iter().any(|(old, _)| old == ENDING) {
                self.plan.bodies.push((ENDING.to_owned(), "__builtin_abort();"));
            }
        }
        self.uncovered_ends();
        // Where states do not change, it does not matter when what runs at the end of a scope does so.
        let is_plain = |automaton: &Automaton| {
            automaton.states.len() == 1 || !matches!(automaton.per, Per::Program | Per::Call(..))
        };
        let knows_cleanups = self.spec.automata.iter().all(is_plain);
        for cfa in self.program.cfas {
            let findings = cfa
                .unsupported
                .iter()
                .filter(|(what, _)| !(knows_cleanups && *what == CLEANUP))
                .map(|(what, span)| Diagnostic::new(codes::I102, *span, format!("not covered: {what}")));
            self.plan.findings.extend(findings);
        }
        self.plan.insertions.sort_by_key(|insertion| insertion.function);
        self.plan.findings.sort_by_key(|finding| finding.span);
        self.plan
    }

    /// Ends of the program that a specification about them does not see.
    fn uncovered_ends(&mut self) {
        let transitions = self.spec.automata.iter().flat_map(|automaton| automaton.transitions.iter());
        if !transitions.into_iter().any(|transition| transition.patterns.contains(&Pattern::End)) {
            return;
        }
        let program = &*self.program;
        let unit: &cfront::ast::Unit = program.unit;
        let mut found: Vec<(diag::Span, &str)> = Vec::new();
        for entity in unit.entities.iter().filter(|entity| entity.flags.is_destructor) {
            found.push((entity.span, "this function runs after the end that is looked at"));
        }
        let call = |names: &[&str]| program.external_call(names).map(|call| unit.exprs[call].span);
        let late = call(&["at_quick_exit"]);
        found.extend(late.map(|span| (span, "handlers of `quick_exit` run after the end that is looked at")));
        let thread = call(&["pthread_create", "thrd_create"]);
        found.extend(thread.map(|span| (span, "a thread may go on when another one ends the program")));
        let main = program.cfas.iter().find(|cfa| cfa.is_main);
        match (main, program.cfas.first()) {
            (Some(main), _) => {
                let again = program.calls().find(|&call| program.definition(call) == Some(main.function));
                let span = again.map(|call| unit.exprs[call].span);
                found.extend(
                    span.map(|span| (span, "a call of `main` does not end the program when it returns")),
                );
            }
            (None, Some(first)) => {
                let span = unit.entities[unit.functions[first.function].entity].span;
                found.push((span, "there is no `main`, so nothing is known of the end of the program"));
            }
            (None, None) => {}
        }
        let findings = found
            .into_iter()
            .map(|(span, what)| Diagnostic::new(codes::I101, span, format!("not covered: {what}")));
        self.plan.findings.extend(findings);
    }
}

/// True when an automaton copies the state of the program.
fn uses_state(automaton: &Automaton) -> bool {
    let is_state = |piece: &TextPiece| matches!(piece, TextPiece::SaveState | TextPiece::SameState);
    automaton.transitions.iter().any(|transition| transition.text.iter().any(is_state))
}

/// The name of an automaton's variable in the program.
pub(crate) fn var_name(automaton: &Automaton, instance: &Instance, name: &str) -> String {
    match automaton.per {
        Per::Program => format!("__svarog_{}_{name}", automaton.name),
        _ => format!("__svarog_{}_{name}_{}", automaton.name, instance.number),
    }
}

/// True for functions that mean the same everywhere.
fn is_known(name: &str) -> bool {
    name.starts_with("__builtin_") || name.starts_with("__VERIFIER_") || name == "reach_error"
}
