//! The state of a program, as far as it can change while a function is active.

use crate::derive::Deriver;

#[derive(Default)]
pub(crate) struct States {}

impl States {
    pub(crate) fn comparison(&self, _instance: usize) -> Option<String> {
        None
    }

    pub(crate) fn save(&self, _instance: usize) -> String {
        String::new()
    }

    pub(crate) fn same(&self, _instance: usize) -> String {
        "1".to_owned()
    }
}

impl Deriver<'_, '_> {
    pub(crate) fn is_covered(&mut self, _instance: usize) -> bool {
        true
    }
}
