//! The clauses of the solver, one after the other in one block of memory.

use ts::aig::Lit;

/// Where a clause begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Clause(u32);

impl Clause {
    /// No clause.
    pub(super) const NONE: Clause = Clause(u32::MAX);
}

/// The words before the literals: how many there are, what is said of the clause, how often it was of use.
const HEADER: usize = 3;
const LEARNT: u32 = 1;
const DELETED: u32 = 2;
/// The level count of a learnt clause is kept above the flags.
const SHIFT: u32 = 2;

#[derive(Default)]
pub(super) struct Clauses {
    words: Vec<u32>,
    /// How many words belong to clauses that are deleted.
    wasted: usize,
}

impl Clauses {
    pub(super) fn add(&mut self, lits: &[Lit], learnt: Option<u32>) -> Clause {
        let clause = Clause(self.words.len() as u32);
        let flags = learnt.map_or(0, |levels| LEARNT | levels << SHIFT);
        self.words.extend([lits.len() as u32, flags, 0]);
        self.words.extend(lits.iter().map(|lit| lit.code()));
        clause
    }

    pub(super) fn len(&self, clause: Clause) -> usize {
        self.words[clause.0 as usize] as usize
    }

    /// A literal by its position.
    pub(super) fn lit(&self, clause: Clause, position: usize) -> Lit {
        coded(self.words[clause.0 as usize + HEADER + position])
    }

    pub(super) fn lits(&self, clause: Clause) -> impl Iterator<Item = Lit> {
        let start = clause.0 as usize + HEADER;
        self.words[start..start + self.len(clause)].iter().map(|&code| coded(code))
    }

    pub(super) fn swap(&mut self, clause: Clause, a: usize, b: usize) {
        let start = clause.0 as usize + HEADER;
        self.words.swap(start + a, start + b);
    }

    /// How many levels of decisions a learnt clause spoke about.
    pub(super) fn levels(&self, clause: Clause) -> u32 {
        self.words[clause.0 as usize + 1] >> SHIFT
    }

    pub(super) fn is_learnt(&self, clause: Clause) -> bool {
        self.words[clause.0 as usize + 1] & LEARNT != 0
    }

    pub(super) fn is_deleted(&self, clause: Clause) -> bool {
        self.words[clause.0 as usize + 1] & DELETED != 0
    }

    /// When the clause was of use last, by the number of conflicts.
    pub(super) fn used(&self, clause: Clause) -> u32 {
        self.words[clause.0 as usize + 2]
    }

    pub(super) fn set_used(&mut self, clause: Clause, when: u32) {
        self.words[clause.0 as usize + 2] = when;
    }

    pub(super) fn delete(&mut self, clause: Clause) {
        if !self.is_deleted(clause) {
            self.words[clause.0 as usize + 1] |= DELETED;
            self.wasted += HEADER + self.len(clause);
        }
    }

    /// True when most of the memory is of no use.
    pub(super) fn is_wasteful(&self) -> bool {
        self.wasted > self.words.len() / 2 && self.wasted > 1 << 16
    }

    /// Leaves out deleted clauses. Until [`Moved`] is dropped, it tells where the others are now.
    pub(super) fn collect(&mut self) -> Moved {
        let mut old = std::mem::take(&mut self.words);
        self.wasted = 0;
        self.words.reserve(old.len() / 2);
        let mut at = 0;
        while at < old.len() {
            let next = at + HEADER + old[at] as usize;
            if old[at + 1] & DELETED == 0 {
                let moved = self.words.len() as u32;
                self.words.extend_from_slice(&old[at..next]);
                old[at + 2] = moved;
            }
            at = next;
        }
        Moved(old)
    }
}

/// Where clauses went.
pub(super) struct Moved(Vec<u32>);

impl Moved {
    /// The place of a clause, if it is still there.
    pub(super) fn of(&self, clause: Clause) -> Option<Clause> {
        let at = clause.0 as usize;
        (self.0[at + 1] & DELETED == 0).then(|| Clause(self.0[at + 2]))
    }
}

fn coded(code: u32) -> Lit {
    Lit::new(code >> 1, code & 1 == 1)
}
