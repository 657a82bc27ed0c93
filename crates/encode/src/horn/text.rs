//! Clauses as a file that solvers of Horn clauses read.

use super::Encoding;
use smt::parse::Command as Smt;
use smt::print::{term_text, write_sort, write_symbol};
use smt::term::Terms;
use std::fmt::Write;
use svlib::syntax::{CommandKind, Script};

impl Encoding {
    /// The clauses as an SMT-LIB script of the logic `HORN`. The answer `sat` means that the program is correct,
    /// `unsat` that it is not, provided that the encoding is not coarse.
    #[must_use]
    pub fn text(&self, terms: &Terms, script: &Script) -> String {
        let mut out = String::from("(set-logic HORN)\n");
        for command in &script.commands {
            if let CommandKind::Smt(Smt::DeclareSort(_) | Smt::DeclareDatatypes(_)) = &command.kind {
                out.push_str(&svlib::print::command_text(terms, script, &command.kind));
                out.push('\n');
            }
        }
        for &predicate in &self.problem.predicates {
            out.push_str("(declare-fun ");
            write_symbol(&mut out, terms.fun_name(predicate));
            out.push_str(" (");
            for (i, &sort) in terms.fun(predicate).params.iter().enumerate() {
                if i > 0 {
                    out.push(' ');
                }
                write_sort(&mut out, terms, sort);
            }
            out.push_str(") Bool)\n");
        }
        for &clause in &self.problem.clauses {
            // Writing to a string does not fail.
            let _ = writeln!(out, "(assert {})", term_text(terms, clause));
        }
        out.push_str("(check-sat)\n");
        out
    }
}
