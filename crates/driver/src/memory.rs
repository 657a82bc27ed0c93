//! What earlier queries of a session are good for: the same question has the same answer, and annotations that proved one
//! query are hints for the next.

use smt::sexpr::{Reader, Text, Tree};
use std::time::Duration;
use svlib::session::{Answer, Verdict};

/// Hints that are kept; the newest are the best.
const MOST_HINTS: usize = 1_000;

/// The answers of a session so far.
#[derive(Default)]
pub(crate) struct Memory {
    answers: Vec<Known>,
    /// Annotations, as `annotate-tag` commands. Claims: whoever uses one proves it.
    hints: Vec<String>,
    /// The witness of the last query that was correct, if it says something.
    proof: Option<String>,
}

struct Known {
    /// The whole question as text.
    question: String,
    /// True when time was spent on making its witness small.
    minimised: bool,
    answer: Answer,
}

impl Memory {
    /// The answer to a question that was asked before in the same words, with a witness that is good enough.
    pub(crate) fn recall(&self, question: &str, minimised: bool) -> Option<Answer> {
        let known = |known: &&Known| known.question == question && (known.minimised || !minimised);
        let mut answer = self.answers.iter().find(known)?.answer.clone();
        answer.report.reused = true;
        answer.report.phases.clear();
        answer.report.total = Duration::ZERO;
        answer.report.peak_kib = None;
        Some(answer)
    }

    /// Keeps an answer that the checker confirmed; others may be better next time. `proof` is the witness as its engine
    /// found it, with everything that could be useful later.
    pub(crate) fn keep(&mut self, question: String, minimised: bool, answer: &Answer, proof: &str) {
        if answer.verdict == Verdict::Correct {
            let found = commands(proof, |word| word == "annotate-tag");
            if !found.is_empty() {
                self.proof = Some(proof.into());
            }
            self.learn(found);
        }
        if matches!(answer.verdict, Verdict::Correct | Verdict::Incorrect) {
            self.answers.push(Known { question, minimised, answer: answer.clone() });
        }
    }

    /// Keeps annotations that somebody found.
    pub(crate) fn learn(&mut self, found: Vec<String>) {
        for hint in found {
            if !self.hints.contains(&hint) {
                self.hints.push(hint);
            }
        }
        let surplus = self.hints.len().saturating_sub(MOST_HINTS);
        self.hints.drain(..surplus);
    }

    /// Annotations of earlier queries.
    pub(crate) fn hints(&self) -> &[String] {
        &self.hints
    }

    /// A witness that proved an earlier query.
    pub(crate) fn proof(&self) -> Option<&str> {
        self.proof.as_deref()
    }
}

/// The commands of a witness with the words that are wanted, as text.
pub(crate) fn commands(witness: &str, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let text = Text::new(witness, 0);
    let (mut reader, mut tree, mut errors) = (Reader::new(text), Tree::new(), Vec::new());
    let mut found = Vec::new();
    while reader.read(&mut tree, &mut errors) {
        if !tree.is_list(0) {
            continue;
        }
        for command in tree.children(0) {
            let word = tree.head(command).and_then(|head| text.symbol(&tree, head));
            if word.is_some_and(&wanted) {
                found.push(text.slice(tree.span(command)).to_string());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITNESS: &str = "((set-info :producer \"x\") (annotate-tag a :invariant (< 0 b)))";

    fn answer(verdict: Verdict) -> Answer {
        Answer { witness: Some("()".into()), ..Answer::without(verdict) }
    }

    #[test]
    fn the_same_words_have_the_same_answer() {
        let mut memory = Memory::default();
        memory.keep("q".into(), false, &answer(Verdict::Correct), WITNESS);
        assert!(memory.recall("q", false).is_some_and(|a| a.report.reused && a.verdict == Verdict::Correct));
        assert_eq!(memory.recall("q", true), None, "its witness is not minimised");
        assert_eq!(memory.recall("q ", false), None);
        memory.keep("q".into(), true, &answer(Verdict::Correct), WITNESS);
        assert!(memory.recall("q", true).is_some());
        memory.keep("u".into(), true, &answer(Verdict::Unknown("no time".into())), "");
        assert_eq!(memory.recall("u", true), None, "there may be an answer next time");
    }

    #[test]
    fn annotations_are_hints() {
        let mut memory = Memory::default();
        memory.keep("i".into(), true, &answer(Verdict::Incorrect), WITNESS);
        assert_eq!((memory.hints().len(), memory.proof()), (0, None));
        memory.keep("c".into(), true, &answer(Verdict::Correct), "()");
        assert_eq!(memory.proof(), None, "it says nothing");
        memory.keep("d".into(), true, &answer(Verdict::Correct), WITNESS);
        assert_eq!(memory.hints(), ["(annotate-tag a :invariant (< 0 b))"]);
        assert_eq!(memory.proof(), Some(WITNESS));
        memory.learn((0..2 * MOST_HINTS).map(|i| i.to_string()).collect());
        assert_eq!(memory.hints().len(), MOST_HINTS);
    }
}
