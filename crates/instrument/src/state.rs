//! The state of a program, as far as it can change while a function is active.

use crate::derive::Deriver;
use crate::ia::ast::Automaton;
use crate::plan::Insertion;
use crate::sequence::Placed;

#[derive(Default)]
pub(crate) struct States {}

impl Deriver<'_, '_> {
    pub(crate) fn is_covered(&mut self, _instance: usize) -> bool {
        true
    }

    pub(crate) fn state_texts(
        &mut self,
        _instance: usize,
        _automaton: &Automaton,
        _number: usize,
    ) -> (String, String) {
        (String::new(), "1".to_owned())
    }

    pub(crate) fn is_handler(&mut self, _placed: &Placed, _insertion: &Insertion) -> bool {
        false
    }
}
