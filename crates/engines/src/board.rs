//! What engines tell each other while they run. Each runs for itself, perhaps in a process of its own; a board
//! carries facts between them, as text, so whoever reads a fact gets it in terms of its own.

use base::budget::Budget;
use smt::term::{TermId, Terms};
use std::time::Duration;
use svlib::syntax::{PropertyKind, StmtId};

/// A claim about the program: a property that holds at a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// The statement; it has a tag, or the fact cannot be told.
    pub stmt: StmtId,
    /// What is claimed there, mostly an invariant.
    pub kind: PropertyKind,
    /// The term or terms of the property.
    pub terms: Vec<TermId>,
}

/// Where facts are published and read.
pub trait Board {
    /// Tells the others. Facts about statements without a tag are dropped.
    fn publish(&self, terms: &mut Terms, fact: &Fact);

    /// What was published by others since the last call. Hints: who uses one proves it.
    fn news(&self, terms: &mut Terms) -> Vec<Fact>;
}

/// The board of an engine that runs alone.
pub struct Lonely;

impl Board for Lonely {
    fn publish(&self, _: &mut Terms, _: &Fact) {}

    fn news(&self, _: &mut Terms) -> Vec<Fact> {
        Vec::new()
    }
}

/// Waits until others have published something, for so long at most.
pub(crate) fn wait(terms: &mut Terms, board: &dyn Board, patience: &Budget) -> Vec<Fact> {
    while !patience.is_over() {
        let news = board.news(terms);
        if !news.is_empty() {
            return news;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Vec::new()
}
