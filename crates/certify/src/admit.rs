//! What a witness may consist of. Its commands are put before the query, so some of them would change the question
//! instead of answering it: an `assert` leaves out executions, an annotation is one more property to violate.

use smt::parse::Command as Smt;
use svlib::syntax::{CommandKind, Script};

/// What a witness is, going by its commands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Admitted {
    /// A violation witness: the numbers of its traces.
    Violation(Vec<usize>),
    /// A correctness witness.
    Proof,
    /// No witness at all: why.
    Refused(String),
    /// Perhaps a witness, but it uses something that is not judged here.
    Open(String),
}

/// Looks at the commands of a witness, which have these numbers in the script.
#[must_use]
pub fn admit(script: &Script, added: &[usize]) -> Admitted {
    let commands = || added.iter().filter_map(|&i| Some((i, &script.commands.get(i)?.kind)));
    let is_trace = |kind: &CommandKind| matches!(kind, CommandKind::SelectTrace(_));
    let traces: Vec<usize> = commands().filter(|(_, kind)| is_trace(kind)).map(|(i, _)| i).collect();
    let mut open = None;
    for (_, kind) in commands() {
        match kind {
            CommandKind::SelectTrace(_) => {}
            CommandKind::AnnotateTag(_) if traces.is_empty() => {}
            CommandKind::AnnotateTag(_) => {
                return refused("a violation witness must not add annotations to the task");
            }
            CommandKind::Smt(command) => match smt_command(command) {
                Kept::Yes => {}
                Kept::Open(reason) => open = open.or(Some(reason)),
                Kept::No(reason) => return refused(reason),
            },
            CommandKind::DeclareVar(_) | CommandKind::DefineProc(_) | CommandKind::DefineProcsRec(_) => {
                return refused("a witness must not change the program");
            }
            CommandKind::Call(..) | CommandKind::GetWitness => {
                return refused("a witness consists of definitions and evidence only");
            }
        }
    }
    match open {
        Some(reason) => Admitted::Open(reason.into()),
        None if traces.is_empty() => Admitted::Proof,
        None => Admitted::Violation(traces),
    }
}

fn refused(reason: &str) -> Admitted {
    Admitted::Refused(reason.into())
}

enum Kept {
    Yes,
    No(&'static str),
    Open(&'static str),
}

/// Declarations and explicit definitions are conservative: they say nothing about what was there before.
fn smt_command(command: &Smt) -> Kept {
    match command {
        Smt::Assert(_) => Kept::No("a witness must not assert anything: that leaves out executions"),
        Smt::DefineFunsRec(_) => Kept::Open("a recursive definition in a witness might be contradictory"),
        Smt::SetLogic(_)
        | Smt::SetInfo(..)
        | Smt::SetOption(..)
        | Smt::DeclareSort(_)
        | Smt::DefineSort(..)
        | Smt::DeclareDatatypes(_)
        | Smt::DeclareHeap(..)
        | Smt::DeclareFun(_)
        | Smt::DefineFun(_) => Kept::Yes,
        Smt::GetAssertions
        | Smt::GetInfo(_)
        | Smt::GetOption(_)
        | Smt::Push(_)
        | Smt::Pop(_)
        | Smt::DeclareVar(_)
        | Smt::Rule(_)
        | Smt::Query(_)
        | Smt::Solver(..) => Kept::No("a witness consists of definitions and evidence only"),
    }
}
