//! Plain SMT-LIB scripts (and VMT-LIB, which is one), command by command.

use crate::parse::{Command, Noticed, Parser};
use crate::scope::{Mark, Scope};
use crate::sexpr::{Reader, Text, Tree};
use crate::term::Terms;
use diag::{Diagnostic, Span};

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
    let mut levels: Vec<Mark> = Vec::new();
    while errors.len() < MANY && reader.read(&mut tree, errors) {
        let mut parser = Parser::new(terms, scope, text, &tree, errors);
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
        let noticed = std::mem::take(&mut parser.noticed);
        let Some(command) = command else { continue };
        match command {
            Command::Push(n) => levels.extend(std::iter::repeat_n(scope.mark(), n.min(1 << 20) as usize)),
            Command::Pop(n) => {
                let keep = levels.len().saturating_sub(n as usize);
                if let Some(&mark) = levels.get(keep) {
                    scope.restore(mark);
                    levels.truncate(keep);
                }
            }
            _ if levels.is_empty() => scope.commit(),
            _ => {}
        }
        each(terms, command, noticed, tree.span(0));
        if word == "exit" {
            break;
        }
    }
}
