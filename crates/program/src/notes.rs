//! Annotations at statements, and who wrote them.

use diag::Span;
use smt::term::TermId;
use svlib::syntax::PropertyKind;

/// Who wrote an annotation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The task: it has to be initial, inductive and sufficient as it is.
    Task,
    /// A witness, or an engine that tries something.
    Added,
}

/// An annotation at a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// Which property.
    pub kind: PropertyKind,
    /// Its terms.
    pub terms: Vec<TermId>,
    /// Who wrote it.
    pub origin: Origin,
    /// Where.
    pub at: Span,
}

/// The annotations of a statement.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Notes(pub Vec<Note>);

impl Notes {
    /// Those of one kind.
    pub fn of(&self, kind: PropertyKind) -> impl Iterator<Item = &Note> {
        self.0.iter().filter(move |note| note.kind == kind)
    }

    /// True when there is one of that kind.
    #[must_use]
    pub fn has(&self, kind: PropertyKind) -> bool {
        self.of(kind).next().is_some()
    }

    /// True when the task itself has one of that kind.
    #[must_use]
    pub fn task_has(&self, kind: PropertyKind) -> bool {
        self.of(kind).any(|note| note.origin == Origin::Task)
    }

    /// Ranking functions, simple and lexicographic.
    pub fn ranks(&self) -> impl Iterator<Item = &Note> {
        let is_rank = |kind| matches!(kind, PropertyKind::Decreases | PropertyKind::DecreasesLex);
        self.0.iter().filter(move |note| is_rank(note.kind))
    }

    /// True when they speak of the rounds of a loop: an invariant or a ranking function.
    #[must_use]
    pub fn describes_rounds(&self) -> bool {
        self.has(PropertyKind::Invariant) || self.ranks().next().is_some()
    }

    /// True when one of them says that control is never at the statement, which has to be shown like all that they say.
    #[must_use]
    pub fn exclude_visits(&self) -> bool {
        self.of(PropertyKind::CheckTrue).any(|note| note.terms.contains(&TermId::FALSE))
    }

    /// True when the statement is abstracted by a contract.
    #[must_use]
    pub fn has_contract(&self) -> bool {
        self.has(PropertyKind::Requires) || self.has(PropertyKind::Ensures)
    }
}
