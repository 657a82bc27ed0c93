//! Plain SMT-LIB scripts (and VMT-LIB, which is one), command by command.

use crate::parse::{Command, Noticed, Parser, Stack};
use crate::scope::{Mark, Scope};
use crate::sexpr::{Reader, Text, Tree};
use crate::term::Terms;
use diag::{Diagnostic, Span, codes};

/// After so many problems the rest of a script is not looked at.
pub const MANY: usize = 100;

/// Reads all commands of `text` and hands each one, with what was noticed in it, to `each`. Problems go to
/// `errors`; a command with a problem is left out.
pub fn read(
    terms: &mut Terms,
    scope: &mut Scope,
    text: Text<'_>,
    errors: &mut Vec<Diagnostic>,
    mut each: impl FnMut(&mut Terms, Command, Noticed, Span),
) {
    let (mut reader, mut tree) = (Reader::new(text), Tree::new());
    let (mut levels, mut stack) = (Levels::default(), Stack::default());
    while errors.len() < MANY && reader.read(&mut tree, errors) {
        let mut parser = Parser::with_stack(terms, scope, text, &tree, errors, std::mem::take(&mut stack));
        let Some(head) = tree.head(0).filter(|&head| tree.is_symbol(head)) else {
            parser.expected("a command", 0);
            continue;
        };
        let word = text.atom(&tree, head);
        if !Parser::is_command(word) {
            parser.unknown_command(head, &[]);
            continue;
        }
        let command = parser.command(0, word);
        let noticed;
        (noticed, stack) = parser.end();
        let Some(command) = command else { continue };
        if let Err(message) = levels.follow(terms, scope, &command) {
            errors.push(Diagnostic::new(codes::SMT010, tree.span(0), message));
            continue;
        }
        each(terms, command, noticed, tree.span(0));
        if word == "exit" {
            break;
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
        if self.open.is_empty() {
            scope.commit();
        }
        Ok(())
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
        if self.open.is_empty() {
            scope.commit();
        }
        Ok(())
    }
}
