//! What a file says, before it is looked at as a whole: annotated terms with their places, symbols in the order of their
//! declarations, assertions.

use diag::{Code, Diagnostic, Span, codes};
use rustc_hash::FxHashSet;
use smt::parse::{Annotation, Command};
use smt::scope::{Binding, Scope};
use smt::script::{Item, read_items};
use smt::sexpr::{Kind, NodeIdx, Text, Tree};
use smt::term::{Fun, FunId, Role, TermId, Terms};

/// What an annotation says about its term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Mark {
    /// `:next`: the symbol of the next version.
    Next(FunId),
    /// `:init`.
    Init,
    /// `:trans`.
    Trans,
    /// `:invar`.
    Invar,
    /// `:invar-property` with its number.
    Invariant(u64),
    /// `:live-property` with its number.
    Live(u64),
    /// `:ltl-property` with its number.
    Ltl(u64),
    /// `:action`: a formula for some of the steps.
    Action,
    /// `:axiom`.
    Axiom,
    /// `:global`: a symbol with one meaning.
    Global,
    /// `:definition` of a symbol by the formula.
    Definition(FunId),
    /// `:predicate`: a formula that may be of use, and that means nothing.
    Predicate,
}

/// An annotated term.
#[derive(Clone, Debug)]
pub(super) struct Note {
    pub(super) mark: Mark,
    pub(super) term: TermId,
    /// The keyword.
    pub(super) span: Span,
    /// The definition whose body the annotated term is.
    pub(super) carrier: Option<FunId>,
}

/// All that matters in a file.
#[derive(Default)]
pub(super) struct Found {
    pub(super) logic: Option<String>,
    pub(super) notes: Vec<Note>,
    /// Declared symbols in order, with their places.
    pub(super) declared: Vec<(FunId, Span)>,
    pub(super) asserted: Vec<(TermId, Span)>,
    /// Keys and values of `set-info`, with the places of the commands.
    pub(super) info: Vec<(String, String, Span)>,
}

/// Annotations that say nothing about executions: hints to solvers, names.
const HINTS: &[&str] = &[
    // tidy: sorted
    ":named",
    ":no-pattern",
    ":pattern",
    ":qid",
    ":skolemid",
    ":sort",
    ":weight",
    // tidy: end
];

/// Annotations with a meaning.
const KEYS: &[&str] = &[
    // tidy: sorted
    ":action",
    ":axiom",
    ":definition",
    ":global",
    ":init",
    ":invar",
    ":invar-property",
    ":live-property",
    ":ltl-property",
    ":next",
    ":predicate",
    ":trans",
    // tidy: end
];

pub(super) fn collect(terms: &mut Terms, text: Text<'_>, errors: &mut Vec<Diagnostic>) -> Found {
    let mut collector =
        Collector { text, found: Found::default(), errors: Vec::new(), seen: FxHashSet::default() };
    let mut scope = Scope::vmt(terms);
    read_items(terms, &mut scope, text, errors, |terms, item| collector.item(terms, &item));
    errors.append(&mut collector.errors);
    collector.found
}

struct Collector<'a> {
    text: Text<'a>,
    found: Found,
    errors: Vec<Diagnostic>,
    /// What was noted already: generators repeat annotations wherever a shared term occurs.
    seen: FxHashSet<(TermId, Mark)>,
}

impl Collector<'_> {
    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        if self.errors.len() < smt::script::MANY {
            self.errors.push(Diagnostic::new(code, span, message));
        }
    }

    fn item(&mut self, terms: &mut Terms, item: &Item<'_>) {
        let span = item.tree.span(0);
        let mut carrier = None;
        match &item.command {
            Command::SetLogic(name) => self.found.logic = Some(terms.names.text(*name).to_owned()),
            Command::DeclareFun(fun) => self.found.declared.push((*fun, span)),
            Command::DefineFun(fun) => carrier = terms.definition(*fun).map(|(_, body)| (*fun, body)),
            Command::Assert(TermId::TRUE) => {}
            Command::Assert(formula) => self.found.asserted.push((*formula, span)),
            Command::SetInfo(key, value) => self.found.info.push((key.clone(), value.clone(), span)),
            Command::SetOption(..)
            | Command::DeclareSort(_)
            | Command::DefineSort(..)
            | Command::DeclareDatatypes(_)
            | Command::Solver("exit", _) => {}
            _ => {
                let head = item.tree.head(0).map_or(span, |head| item.tree.span(head));
                let message = format!("`{}` is no command of VMT-LIB", self.text.slice(head));
                self.error(codes::VMT008, head, message);
            }
        }
        for note in &item.noticed.annotations {
            let name = carrier.filter(|(_, body)| *body == note.term).map(|(fun, _)| fun);
            self.note(terms, item, note, name);
        }
    }

    fn note(&mut self, terms: &mut Terms, item: &Item<'_>, note: &Annotation, carrier: Option<FunId>) {
        let (tree, span) = (item.tree, item.tree.span(note.key));
        let key = self.text.slice(span);
        if HINTS.contains(&key) || note.term == TermId::ERROR {
            return;
        }
        let Some(mark) = self.mark(terms, item, key, note) else { return };
        let place = match mark {
            // Without a value, the place of the keyword; with one, that of both.
            Mark::Next(_) => note.value.map_or(span, |value| Span::new(span.start, tree.span(value).end)),
            _ => span,
        };
        if self.seen.insert((note.term, mark)) {
            self.found.notes.push(Note { mark, term: note.term, span: place, carrier });
        }
    }

    fn mark(&mut self, terms: &mut Terms, item: &Item<'_>, key: &str, note: &Annotation) -> Option<Mark> {
        let tree = item.tree;
        Some(match key {
            ":init" => Mark::Init,
            ":trans" => Mark::Trans,
            ":invar" => Mark::Invar,
            ":axiom" => Mark::Axiom,
            ":global" => Mark::Global,
            ":action" => Mark::Action,
            ":predicate" => Mark::Predicate,
            ":next" => Mark::Next(self.symbol(terms, item, note, key)?),
            ":definition" => Mark::Definition(self.symbol(terms, item, note, key)?),
            ":invar-property" => Mark::Invariant(self.index(tree, note, key)?),
            ":live-property" => Mark::Live(self.index(tree, note, key)?),
            ":ltl-property" => Mark::Ltl(self.index(tree, note, key)?),
            _ => {
                let help = diag::closest(key, KEYS.iter().chain(HINTS).copied());
                let error = Diagnostic::new(
                    codes::VMT007,
                    tree.span(note.key),
                    format!("the annotation `{key}` is not known, and it could mean anything"),
                );
                let help = help.map(|name| format!("did you mean `{name}`?"));
                self.errors.extend((self.errors.len() < smt::script::MANY).then(|| error.help_opt(help)));
                return None;
            }
        })
    }

    /// The symbol that is the value of an annotation.
    fn symbol(&mut self, terms: &mut Terms, item: &Item<'_>, note: &Annotation, key: &str) -> Option<FunId> {
        let tree = item.tree;
        let name = note.value.and_then(|value| self.text.symbol(tree, value));
        let Some((value, name)) = note.value.zip(name) else {
            self.value_error(tree, note, &format!("`{key}` needs the name of a symbol"));
            return None;
        };
        match terms.names.find(name).map(|name| item.scope.get(name)) {
            Some(Binding::Fun(fun)) => Some(fun),
            // A name that is declared nowhere, as many are; formulas that use it mean the operator.
            Some(Binding::Op(_)) if key == ":next" => {
                let (name, result) = (terms.names.intern(name), terms.sort(note.term));
                Some(terms.declare(Fun { name, params: Box::new([]), result, role: Role::Free }))
            }
            _ => {
                let message = format!("`{key}` names `{name}`, which is no declared symbol");
                self.error(codes::VMT003, tree.span(value), message);
                None
            }
        }
    }

    /// The number of a property.
    fn index(&mut self, tree: &Tree, note: &Annotation, key: &str) -> Option<u64> {
        let numeral = |value: &NodeIdx| tree.kind(*value) == Kind::Numeral;
        let Some(value) = note.value.filter(numeral) else {
            self.value_error(tree, note, &format!("`{key}` needs the number of the property"));
            return None;
        };
        let index = self.text.atom(tree, value).parse().ok();
        if index.is_none() {
            self.error(
                codes::VMT003,
                tree.span(value),
                format!("the number is too large; the limit is {}", u64::MAX),
            );
        }
        index
    }

    fn value_error(&mut self, tree: &Tree, note: &Annotation, message: &str) {
        let place = tree.span(note.value.unwrap_or(note.key));
        self.error(codes::VMT003, place, message);
    }
}
