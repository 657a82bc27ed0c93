//! Writes everything that a solver is told and asked as a script that other solvers can replay.

use std::io::{self, Write};

use smt::eval::Assignment;
use smt::term::{TermId, Terms};
use smt::value::Value;

use crate::api::{CheckResult, Interrupt, Interrupter, Limits, Model, Solver, UnsatCore};
use crate::error::SolverError;
use crate::script::{Dialogue, question};

/// A solver with a recorder. Writing never disturbs solving: the first error is kept for the end.
pub struct Recorded<S, W: Write> {
    inner: S,
    to: W,
    dialogue: Dialogue,
    error: Option<io::Error>,
}

impl<S, W: Write> Recorded<S, W> {
    /// Records what `inner` is told from now on.
    pub fn new(inner: S, to: W) -> Self {
        let mut dialogue = Dialogue::new();
        dialogue.unsent.push_str("(set-logic ALL)\n");
        Recorded { inner, to, dialogue, error: None }
    }

    /// The solver and where the script went.
    ///
    /// # Errors
    /// When the script could not be written.
    pub fn finish(mut self) -> io::Result<(S, W)> {
        self.write();
        match self.error {
            Some(error) => Err(error),
            None => self.to.flush().map(|()| (self.inner, self.to)),
        }
    }

    fn write(&mut self) {
        let text = std::mem::take(&mut self.dialogue.unsent);
        if self.error.is_none() {
            self.error = self.to.write_all(text.as_bytes()).err();
        }
    }

    /// A term that cannot be written leaves a comment; the script is then weaker than what was asked.
    fn note(&mut self, error: &SolverError) {
        self.dialogue.unsent.push_str(&format!("; left out: {error}\n"));
    }
}

impl<S: Solver, W: Write> Solver for Recorded<S, W> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn assert(&mut self, terms: &Terms, formula: TermId) -> Result<(), SolverError> {
        self.inner.assert(terms, formula)?;
        if let Err(error) = self.dialogue.assert(terms, formula) {
            self.note(&error);
        }
        self.write();
        Ok(())
    }

    fn push(&mut self) -> Result<(), SolverError> {
        self.inner.push()?;
        self.dialogue.push();
        Ok(())
    }

    fn pop(&mut self) -> Result<(), SolverError> {
        self.inner.pop()?;
        self.dialogue.pop();
        Ok(())
    }

    fn check(&mut self, terms: &Terms, assumptions: &[TermId]) -> Result<CheckResult, SolverError> {
        let mut named = Vec::new();
        for &assumption in assumptions {
            match self.dialogue.name(terms, assumption) {
                Ok(name) => named.push((assumption, name)),
                Err(error) => self.note(&error),
            }
        }
        // Written before the question is put, so that a crash leaves the script that led to it.
        self.dialogue.unsent.push_str(&question(&named));
        self.write();
        let answer = self.inner.check(terms, assumptions);
        let words = answer.as_ref().map_or_else(ToString::to_string, ToString::to_string);
        self.dialogue.unsent.push_str(&format!(" ; {}\n", words.replace('\n', " ")));
        self.write();
        answer
    }

    fn limits(&mut self, limits: Limits) -> Result<(), SolverError> {
        self.inner.limits(limits)
    }
}

impl<S: Model, W: Write> Model for Recorded<S, W> {
    fn value(&mut self, terms: &mut Terms, term: TermId) -> Result<Option<Value>, SolverError> {
        self.inner.value(terms, term)
    }

    fn model(&mut self, terms: &mut Terms) -> Result<Assignment, SolverError> {
        self.inner.model(terms)
    }
}

impl<S: UnsatCore, W: Write> UnsatCore for Recorded<S, W> {
    fn unsat_core(&mut self) -> Result<Vec<TermId>, SolverError> {
        self.inner.unsat_core()
    }
}

impl<S: Interrupt, W: Write> Interrupt for Recorded<S, W> {
    fn interrupter(&self) -> Interrupter {
        self.inner.interrupter()
    }
}
