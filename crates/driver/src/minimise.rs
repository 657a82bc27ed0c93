//! Witnesses with what they do not need left out.
//!
//! Parts of a confirmed witness are taken away, many at a time at first, and the checker says whether the rest still shows
//! what it claims. The parts of a correctness witness are the conjuncts of its annotations, and ranking functions; those
//! of a trace are the values that it gives to variables (section 7.2 lets a trace omit those that are not read; the model
//! and the steps stay complete). What is left is printed, and judged once more as text, like any witness.

use base::budget::Budget;
use certify::{Judged, check_proof, is_self_contained};
use smt::op::Op;
use smt::term::{TermId, Terms};
use std::ops::Range;
use svlib::interp::Options;
use svlib::syntax::{CommandKind, Script, Step, TagAnnotation, TagProperty, Trace};
use svlib::witness::Claim;

use crate::job::Job;
use crate::task::{check, long_limits, read_witness, witness_text};
use crate::validate::Validation;

/// A witness with more parts, or more bytes, is left as it is.
const MOST_PARTS: usize = 2_000;
const MOST_BYTES: usize = 1 << 20;

/// A smaller witness that the checker confirmed; none when nothing can be left out in time.
pub(crate) fn smaller(job: &Job, witness: &str, budget: &Budget) -> Option<String> {
    if witness.len() > MOST_BYTES {
        return None;
    }
    let mut terms = Terms::new();
    let read = read_witness(&mut terms, &job.script, witness).ok()?;
    let command = read.parts[0].command;
    let added = read.parts[0].added.clone()?;
    let mut attempt = Attempt {
        job,
        options: long_limits(job.assume_entry_requires),
        command,
        added,
        script: read.builder.state.script,
        // Half of the time is for the judgement at the end.
        budget: budget.part(budget.remaining()? / 2),
    };
    let own = |number: usize| attempt.script.commands[number].kind.clone();
    let traces: Vec<usize> =
        attempt.added.clone().filter(|&n| matches!(own(n), CommandKind::SelectTrace(_))).collect();
    let claim = if traces.is_empty() { Claim::Correct } else { Claim::Incorrect };
    let is_smaller = match &traces[..] {
        [] => attempt.annotations(&mut terms),
        traces => {
            let mut changed = false;
            for &number in traces {
                changed |= attempt.trace(&mut terms, number);
            }
            changed
        }
    };
    if !is_smaller {
        return None;
    }
    let is_left = |kind: &CommandKind| match kind {
        CommandKind::AnnotateTag(annotation) => {
            !annotation.properties.is_empty() || !annotation.attributes.is_empty()
        }
        // The header has its own way into the witness.
        CommandKind::Smt(smt::parse::Command::SetInfo(..)) => false,
        _ => true,
    };
    let commands = attempt.script.commands[attempt.added.clone()].iter().map(|c| c.kind.clone());
    let commands: Vec<CommandKind> = commands.filter(is_left).collect();
    let text = witness_text(&terms, &attempt.script, &job.header, &commands);
    (check(job, Some(claim), &text, budget) == Validation::Confirmed).then_some(text)
}

struct Attempt<'a> {
    job: &'a Job,
    options: Options,
    command: usize,
    added: Range<usize>,
    script: Script,
    budget: Budget,
}

impl Attempt<'_> {
    /// Takes conjuncts and properties away from the annotations. True when something is gone.
    fn annotations(&mut self, terms: &mut Terms) -> bool {
        let mut whole: Vec<(usize, TagAnnotation)> = Vec::new();
        for number in self.added.clone() {
            if let CommandKind::AnnotateTag(annotation) = &self.script.commands[number].kind {
                whole.push((number, annotation.clone()));
            }
        }
        let properties = whole.iter().flat_map(|(_, annotation)| &annotation.properties);
        let parts: usize = properties.map(|property| parts(terms, property)).sum();
        if parts == 0 || parts > MOST_PARTS {
            return false;
        }
        let added: Vec<usize> = self.added.clone().collect();
        let put = |script: &mut Script, terms: &mut Terms, kept: &[bool]| {
            let mut from = 0;
            for (number, annotation) in &whole {
                let annotation = restricted(terms, annotation, kept, &mut from);
                script.commands[*number].kind = CommandKind::AnnotateTag(annotation);
            }
        };
        let kept = fewest(parts, &self.budget, |kept| {
            put(&mut self.script, terms, kept);
            // A solver that was interrupted need not be as good as new.
            let Ok(mut solver) = solver::open(&self.job.solver) else { return false };
            let time = self.budget.remaining().unwrap_or_default() / 2;
            let budget = self.budget.part(time);
            let judged =
                check_proof(terms, &self.script, self.command, &added, &self.options, &mut *solver, &budget);
            judged == Judged::Confirmed
        });
        put(&mut self.script, terms, &kept);
        kept.contains(&false)
    }

    /// Takes values away from a trace that its execution does not read. True when something is gone.
    fn trace(&mut self, terms: &mut Terms, number: usize) -> bool {
        let CommandKind::SelectTrace(trace) = &self.script.commands[number].kind else { return false };
        let trace = trace.clone();
        let lists = trace.steps.iter().map(|step| values(step).map_or(0, Vec::len));
        let parts = trace.globals.len() + lists.sum::<usize>();
        let given = is_self_contained(terms, &self.script, self.command, &trace, &self.options);
        if parts == 0 || parts > MOST_PARTS || !given {
            return false;
        }
        let kept = fewest(parts, &self.budget, |kept| {
            let smaller = without(&trace, kept);
            is_self_contained(terms, &self.script, self.command, &smaller, &self.options)
        });
        self.script.commands[number].kind = CommandKind::SelectTrace(Box::new(without(&trace, &kept)));
        kept.contains(&false)
    }
}

/// The parts that are needed, of so many, where all together `work`: larger pieces are taken away first, then smaller
/// ones, then single ones until none is superfluous or the time is over.
fn fewest(count: usize, budget: &Budget, mut works: impl FnMut(&[bool]) -> bool) -> Vec<bool> {
    let mut kept = vec![true; count];
    let mut size = count;
    loop {
        let left: Vec<usize> = (0..count).filter(|&part| kept[part]).collect();
        let mut changed = false;
        for piece in left.chunks(size.max(1)) {
            if budget.is_over() {
                return kept;
            }
            let mut fewer = kept.clone();
            piece.iter().for_each(|&part| fewer[part] = false);
            if works(&fewer) {
                kept = fewer;
                changed = true;
            }
        }
        if size <= 1 && !changed {
            return kept;
        }
        size = size.div_ceil(2).min(size - usize::from(size > 1));
    }
}

/// Of how many parts a property consists.
fn parts(terms: &Terms, property: &TagProperty) -> usize {
    let mut numbers = property.meanings.iter().map(|(_, meaning)| match meaning.terms[..] {
        [term] if meaning.kind.is_boolean() => conjuncts(terms, term).len(),
        _ => 1,
    });
    match numbers.next() {
        // Statements with one tag can have different variables; the shape of the term is the same.
        Some(first) if numbers.all(|number| number == first) => first.max(1),
        _ => 1,
    }
}

/// The annotation with the parts that are kept; `from` is the number of its first part.
fn restricted(
    terms: &mut Terms,
    annotation: &TagAnnotation,
    kept: &[bool],
    from: &mut usize,
) -> TagAnnotation {
    let mut left = Vec::new();
    for property in &annotation.properties {
        let count = parts(terms, property);
        let kept = &kept[*from..*from + count];
        *from += count;
        if kept.iter().all(|&kept| !kept) {
            continue;
        }
        let mut property = property.clone();
        if kept.contains(&false) {
            for (_, meaning) in &mut property.meanings {
                let [term] = meaning.terms[..] else { continue };
                let some = conjuncts(terms, term).into_iter().zip(kept).filter(|(_, kept)| **kept);
                let some: Vec<TermId> = some.map(|(conjunct, _)| conjunct).collect();
                meaning.terms = vec![terms.and(&some)];
            }
        }
        left.push(property);
    }
    TagAnnotation { properties: left, ..annotation.clone() }
}

fn conjuncts(terms: &Terms, formula: TermId) -> Vec<TermId> {
    let (mut found, mut todo) = (Vec::new(), vec![formula]);
    while let Some(term) = todo.pop() {
        match terms.op(term) {
            Op::And => todo.extend(terms.args(term).iter().rev()),
            _ => found.push(term),
        }
    }
    found
}

/// The values of a step that may be omitted. A leap has to give all of them.
fn values(step: &Step) -> Option<&svlib::syntax::Values> {
    match step {
        Step::InitProcVars(_, values) | Step::Havoc(values) => Some(values),
        Step::Choice(_) | Step::Leap(..) => None,
    }
}

fn without(trace: &Trace, kept: &[bool]) -> Trace {
    let mut trace = trace.clone();
    let mut kept = kept.iter().copied();
    let mut is_kept = || kept.next().unwrap_or(true);
    trace.globals.retain(|_| is_kept());
    for step in &mut trace.steps {
        if let Step::InitProcVars(_, values) | Step::Havoc(values) = step {
            values.retain(|_| is_kept());
        }
    }
    trace
}

#[cfg(test)]
mod tests {
    use super::fewest;
    use base::budget::Budget;

    #[test]
    fn what_is_needed_stays() {
        let sets: [&[usize]; 6] = [&[], &[0], &[9], &[3, 4], &[0, 5, 9], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]];
        for needed in sets {
            let kept = fewest(10, &Budget::unlimited(), |kept| needed.iter().all(|&part| kept[part]));
            let kept: Vec<usize> = (0..10).filter(|&part| kept[part]).collect();
            assert_eq!(kept, needed);
        }
    }

    #[test]
    fn without_time_all_stays() {
        let budget = Budget::unlimited();
        budget.cancel();
        assert!(!fewest(3, &budget, |_| true).contains(&false));
    }
}
