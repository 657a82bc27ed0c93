//! Plain SMT-LIB scripts (and VMT-LIB, which is one), command by command.

use crate::parse::rules::RULES;
use crate::parse::{Command, Noticed, Parser, Quick, Stack, Usual};
use crate::scope::{Mark, Scope};
use crate::sexpr::{Reader, Text, Tree};
use crate::term::Terms;
use diag::{Diagnostic, Span, codes};

/// After so many problems the rest of a script is not looked at.
pub const MANY: usize = 100;

/// So many bytes are a usual command.
const USUAL: usize = 56;

/// A command with what belongs to it, as [`read_items`] hands it over.
pub struct Item<'a> {
    /// The command.
    pub command: Command,
    /// What was noticed in it.
    pub noticed: &'a Noticed,
    /// What was read: the nodes that annotations speak of lie here.
    pub tree: &'a Tree,
    /// What names mean after the command.
    pub scope: &'a Scope,
}

/// Reads all commands of `text` and hands each one, with what was noticed in it, to `each`. Problems go to
/// `errors`; a command with a problem is left out.
pub fn read(
    terms: &mut Terms,
    scope: &mut Scope,
    text: Text<'_>,
    errors: &mut Vec<Diagnostic>,
    mut each: impl FnMut(&mut Terms, Command, &Noticed, Span),
) {
    read_items(terms, scope, text, errors, |terms, item| {
        each(terms, item.command, item.noticed, item.tree.span(0));
    });
}

/// The same for whoever looks at annotations, too: their keys and values are nodes of the command's tree.
pub fn read_items(
    terms: &mut Terms,
    scope: &mut Scope,
    text: Text<'_>,
    errors: &mut Vec<Diagnostic>,
    mut each: impl FnMut(&mut Terms, Item<'_>),
) {
    let (mut reader, mut tree) = (Reader::new(text), Tree::new());
    let (mut levels, mut stack, mut waiting) = (Levels::default(), None, Waiting::default());
    let (mut quick, nothing) = (Quick::default(), Noticed::default());
    terms.reserve((text.text.len() / USUAL).min(1 << 20));
    while errors.len() < MANY {
        if let Some(Usual { command, start, end }) = quick.command(terms, scope, text, reader.at()) {
            waiting.give_up(errors);
            levels.settle(scope);
            reader.skip(&mut tree, start, end);
            each(terms, Item { command, noticed: &nothing, tree: &tree, scope });
            continue;
        }
        quick.forget();
        if !reader.read(&mut tree, errors) {
            break;
        }
        let word = tree.head(0).and_then(|head| text.symbol(&tree, head)).unwrap_or_default();
        let datatypes = word.starts_with("declare-datatype");
        if !datatypes {
            waiting.give_up(errors);
        }
        let (before, mark) = (errors.len(), scope.mark());
        let Some((command, noticed)) = one(terms, scope, text, &tree, errors, &mut stack) else {
            if datatypes
                && waiting.has_room()
                && errors[before..].iter().all(|error| error.code == codes::SMT013)
            {
                scope.restore(mark);
                waiting.commands.push((tree.clone(), errors.split_off(before)));
            }
            continue;
        };
        if let Err(message) = levels.follow(terms, scope, &command) {
            errors.push(Diagnostic::new(codes::SMT010, tree.span(0), message));
            continue;
        }
        each(terms, Item { command, noticed: &noticed, tree: &tree, scope });
        if datatypes {
            waiting.retry(terms, scope, text, errors, &mut each);
        }
        if word == "exit" {
            break;
        }
    }
    waiting.give_up(errors);
}

/// The command in `tree`, or none after a report.
fn one(
    terms: &mut Terms,
    scope: &mut Scope,
    text: Text<'_>,
    tree: &Tree,
    errors: &mut Vec<Diagnostic>,
    stack: &mut Option<Box<Stack>>,
) -> Option<(Command, Noticed)> {
    let rules = scope.rules;
    let mut parser = Parser::with_stack(terms, scope, text, tree, errors, stack.take().unwrap_or_default());
    let Some(head) = tree.head(0).filter(|&head| tree.is_symbol(head)) else {
        parser.expected("a command", 0);
        return None;
    };
    let word = text.atom(tree, head);
    let known: &[&'static str] = if rules { RULES } else { &[] };
    if !Parser::is_command(word) && !known.contains(&word) {
        parser.unknown_command(head, known);
        return None;
    }
    let command = parser.command(0, word);
    let (noticed, memory) = parser.end();
    *stack = Some(memory);
    command.map(|command| (command, noticed))
}

/// Declarations of datatypes that use sorts declared only after them. That is against the standard, but generators
/// write a run of such declarations in any order; each is read when what it needs is there.
#[derive(Default)]
struct Waiting {
    /// The declaration, and what was wrong with it.
    commands: Vec<(Tree, Vec<Diagnostic>)>,
}

impl Waiting {
    /// All are tried again after each success, so there are not too many.
    fn has_room(&self) -> bool {
        self.commands.len() < 1000
    }

    /// Nothing that could help comes any more.
    fn give_up(&mut self, errors: &mut Vec<Diagnostic>) {
        if !self.commands.is_empty() {
            errors.extend(self.commands.drain(..).flat_map(|(_, errors)| errors));
        }
    }

    fn retry(
        &mut self,
        terms: &mut Terms,
        scope: &mut Scope,
        text: Text<'_>,
        errors: &mut Vec<Diagnostic>,
        each: &mut impl FnMut(&mut Terms, Item<'_>),
    ) {
        loop {
            let count = self.commands.len();
            for (tree, reasons) in std::mem::take(&mut self.commands) {
                let (mark, mut found) = (scope.mark(), Vec::new());
                match one(terms, scope, text, &tree, &mut found, &mut None) {
                    Some((command, noticed)) => {
                        let place = reasons.first().map_or(tree.span(0), |reason| reason.span);
                        let sort: String = text.slice(place).chars().take(60).collect();
                        let message = format!("the sort `{sort}` is used before it is declared");
                        errors.push(Diagnostic::new(codes::SMT024, place, message));
                        each(terms, Item { command, noticed: &noticed, tree: &tree, scope });
                    }
                    None => {
                        scope.restore(mark);
                        self.commands.push((tree, reasons));
                    }
                }
            }
            if self.commands.is_empty() || self.commands.len() == count {
                return;
            }
        }
    }
}

/// The levels of `push` and `pop`.
#[derive(Default)]
struct Levels {
    /// Where levels begin, and how many begin there.
    open: Vec<(Mark, u32)>,
    /// Set by `:global-declarations`: what is declared stays.
    global: bool,
}

impl Levels {
    /// Does what a command means for the names in scope.
    fn follow(&mut self, terms: &mut Terms, scope: &mut Scope, command: &Command) -> Result<(), String> {
        match command {
            Command::Push(n) if *n > 0 => {
                scope.settle();
                self.open.push((scope.mark(), *n));
            }
            Command::Pop(n) => return self.pop(scope, *n),
            Command::SetOption(key, value) if key == ":global-declarations" => self.global = value == "true",
            Command::Solver("reset", _) => {
                *self = Levels::default();
                scope.reset(terms);
            }
            Command::Solver("reset-assertions", _) => {
                self.open.clear();
                if !self.global {
                    scope.reset(terms);
                }
            }
            _ => {}
        }
        self.settle(scope);
        Ok(())
    }

    /// Between two commands. What no `pop` takes back is kept.
    #[inline]
    fn settle(&self, scope: &mut Scope) {
        if self.open.is_empty() {
            scope.commit();
        }
    }

    fn pop(&mut self, scope: &mut Scope, n: u32) -> Result<(), String> {
        let open: u64 = self.open.iter().map(|level| u64::from(level.1)).sum();
        if open < u64::from(n) {
            return Err(format!("cannot pop {n} of {open} levels"));
        }
        scope.settle();
        let mut rest = n;
        while rest > 0
            && let Some((mark, count)) = self.open.pop()
        {
            if !self.global {
                scope.restore(mark);
            }
            if count > rest {
                self.open.push((mark, count - rest));
            }
            rest = rest.saturating_sub(count);
        }
        self.settle(scope);
        Ok(())
    }
}
