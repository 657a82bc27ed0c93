//! Section 8.3 (c) and (d): the lines at the top that say what the script is and whether it wants witnesses.

use crate::parse::State;
use crate::syntax::CommandKind;
use diag::{Diagnostic, codes};
use smt::parse::Command;
use smt::term::Terms;

/// Reports a missing format version (SV303) and a missing word on witnesses (SV304).
pub(super) fn missing_header(_: &Terms, state: &State) -> Vec<Diagnostic> {
    let Some(first) = state.script.commands.first() else { return Vec::new() };
    let place = first.at.0;
    let says = |wanted: &dyn Fn(&str) -> bool| {
        state.script.commands.iter().any(|command| match &command.kind {
            CommandKind::Smt(Command::SetInfo(key, _) | Command::SetOption(key, _)) => wanted(key),
            _ => false,
        })
    };
    let mut found = Vec::new();
    if !says(&|key| key == ":format-version") {
        let line = "(set-info :format-version \"1.0\")";
        found.push(
            Diagnostic::new(codes::SV303, place, "the script does not say which version of SV-LIB it is in")
                .help(format!("add {line}"))
                .edit(place.before(), format!("{line}\n")),
        );
    }
    if !says(&|key| key.starts_with(":produce-") && key.ends_with("witnesses")) {
        let line = "(set-option :produce-witnesses true)";
        found.push(
            Diagnostic::new(codes::SV304, place, "the script neither asks for witnesses nor declines them")
                .help(format!("add {line}, or the same with false"))
                .edit(place.before(), format!("{line}\n")),
        );
    }
    found
}
