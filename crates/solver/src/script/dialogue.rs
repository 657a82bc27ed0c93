//! A dialogue as text: levels, formulas, and assumptions, which are any formulas here and only constants in
//! SMT-LIB, so each gets a name.

use rustc_hash::FxHashMap;
use smt::term::{TermId, Terms};

use super::Script;
use crate::error::SolverError;

/// Commands of a dialogue.
pub(crate) struct Dialogue {
    pub(crate) script: Script,
    /// Commands not yet sent.
    pub(crate) unsent: String,
    /// Names of assumptions, by level.
    named: Vec<FxHashMap<TermId, String>>,
    count: u32,
}

impl Dialogue {
    pub(crate) fn new() -> Dialogue {
        Dialogue { script: Script::new(), unsent: String::new(), named: vec![FxHashMap::default()], count: 0 }
    }

    pub(crate) fn push(&mut self) {
        self.unsent.push_str("(push 1)\n");
        self.script.push();
        self.named.push(FxHashMap::default());
    }

    /// Closes a level. True when a recursive definition is forgotten.
    pub(crate) fn pop(&mut self) -> bool {
        self.unsent.push_str("(pop 1)\n");
        self.named.pop();
        self.script.pop()
    }

    pub(crate) fn assert(&mut self, terms: &Terms, formula: TermId) -> Result<(), SolverError> {
        let text = self.script.term(&mut self.unsent, terms, formula)?;
        self.unsent.push_str(&format!("(assert {text})\n"));
        Ok(())
    }

    /// The name of an assumption.
    pub(crate) fn name(&mut self, terms: &Terms, assumption: TermId) -> Result<String, SolverError> {
        if let Some(name) = self.named.iter().find_map(|level| level.get(&assumption)) {
            return Ok(name.clone());
        }
        let text = self.script.term(&mut self.unsent, terms, assumption)?;
        self.count += 1;
        let name = format!("assume!!{}", self.count);
        self.unsent.push_str(&format!("(declare-fun {name} () Bool)\n(assert (=> {name} {text}))\n"));
        if let Some(level) = self.named.last_mut() {
            level.insert(assumption, name.clone());
        }
        Ok(name)
    }
}

/// The question about named assumptions.
pub(crate) fn question(named: &[(TermId, String)]) -> String {
    if named.is_empty() {
        return "(check-sat)".to_owned();
    }
    let names: Vec<&str> = named.iter().map(|(_, name)| name.as_str()).collect();
    format!("(check-sat-assuming ({}))", names.join(" "))
}
