//! Properties: what is judged before, at and after an annotated statement.

use super::{EntryRequires, Flow, Happening, Machine, stop};
use crate::code::Pc;
use crate::interp::leap::Abstraction;
use crate::interp::oracle::Leap;
use crate::interp::outcome::{End, InvalidStep, Judged, Reason, Unchecked, Violated, Violation};
use crate::interp::properties::{Point, Rank};
use crate::interp::record::Taken;
use crate::interp::task::Slot;
use crate::syntax::StmtId;
use smt::value::Value;

/// After so many visits where the annotations that a lasso uses do not hold, its stem is given up.
const MANY_VISITS: u64 = 10_000;

impl Machine<'_, '_> {
    pub(super) fn begin(&mut self, stmt: StmtId) -> Flow {
        let Some(point) = self.ctx.task.point(stmt) else { return Ok(()) };
        // A statement that was left by a jump is entered anew.
        let here = (self.state.frames.len(), stmt);
        self.hypothetical.retain(|known| *known != here);
        let violated = self.judge(&point.requires);
        let entry = point.is_body && self.state.frames.len() == 1;
        if entry && !violated.is_empty() && self.options.entry_requires == EntryRequires::Assume {
            return stop(End::Blocked(stmt));
        }
        self.violate(stmt, violated)
    }

    pub(super) fn end(&mut self, stmt: StmtId) -> Flow {
        let Some(point) = self.ctx.task.point(stmt) else { return Ok(()) };
        let violated = self.judge(&point.ensures);
        self.violate(stmt, violated)?;
        if self.hypothetical.contains(&(self.state.frames.len(), stmt)) {
            return stop(End::Abstracted(stmt));
        }
        Ok(())
    }

    pub(super) fn visit(&mut self, stmt: StmtId) -> Flow {
        let task = self.ctx.task;
        let Some(point) = task.point(stmt) else { return Ok(()) };
        let leap = self.oracle.leap(self.ctx, stmt).map_err(|refusal| self.refused(refusal))?;
        let leapt = leap.is_some();
        if let Some(leap) = leap {
            self.leap(stmt, point, leap)?;
        } else {
            self.observe(stmt, || Happening::Visit);
            self.save(&point.saves);
        }
        let mut violated = self.judge(&point.visit);
        let from = self.state.frames.last().map_or(Pc::MAX, |frame| frame.from);
        for rank in &point.ranks {
            // A jump stands for any number of rounds, so it is not compared with the visit before.
            let back = rank.back.contains(from) && !leapt;
            if !self.descends(rank, back) {
                violated.push(rank.property);
            }
        }
        // Control comes to the body for the first time from its first instruction.
        if point.is_body && from == 0 {
            self.measure(&mut violated, leapt);
        }
        self.violate(stmt, violated)?;
        self.stem(stmt)
    }

    /// The numbers of the properties that are false.
    fn judge(&mut self, numbers: &[usize]) -> Vec<usize> {
        let mut violated = Vec::new();
        for &number in numbers {
            let known = self.ctx.task.property(number);
            for &term in &known.property.terms {
                match self.truth(term) {
                    Ok(true) => {}
                    Ok(false) => violated.push(number),
                    Err(error) => {
                        let what = Judged::Property(known.stmt, known.property.clone());
                        self.not_checked(Unchecked { what, error });
                    }
                }
            }
        }
        violated
    }

    pub(super) fn not_checked(&mut self, unchecked: Unchecked) {
        if self.unchecked.iter().all(|old| old.what != unchecked.what) {
            self.unchecked.push(unchecked);
        }
    }

    /// Ends the execution if the oracle wants it to end with this violation.
    fn violate(&mut self, stmt: StmtId, numbers: Vec<usize>) -> Flow {
        if numbers.is_empty() {
            return Ok(());
        }
        let violated = |number| {
            let known = self.ctx.task.property(number);
            Violated { property: known.property.clone(), source: known.source }
        };
        let violation = Violation { stmt, properties: numbers.into_iter().map(violated).collect() };
        self.observe(stmt, || Happening::Violated(violation.clone()));
        if self.oracle.stops(self.ctx, &violation) {
            return stop(End::Violated(violation));
        }
        if !self.passed.contains(&violation) {
            self.passed.push(violation);
        }
        Ok(())
    }

    /// Goes on in another state that the annotations of the statement allow. The visit happens in that state.
    fn leap(&mut self, stmt: StmtId, point: &Point, leap: Leap) -> Flow {
        let Leap { index, tag, values } = leap;
        match self.ctx.task.abstraction(stmt) {
            Some(Abstraction::Invariant) => {}
            // A contract speaks of the statement from its beginning, not of the rounds of a loop.
            Some(Abstraction::Contract) if self.just_begun() => {
                self.hypothetical.push((self.state.frames.len(), stmt));
            }
            _ => return stop(End::InvalidStep(InvalidStep { index, reason: Reason::Unabstracted })),
        }
        for (variable, value) in &values {
            self.set(*variable, Some(value.clone()));
        }
        self.observe(stmt, || Happening::Leap(tag, values.clone()));
        self.suppose(&point.requires, index)?;
        self.save(&point.saves);
        let is_invariant = |number: &usize| self.ctx.task.is_invariant(*number);
        let invariants: Vec<usize> = point.visit.iter().copied().filter(is_invariant).collect();
        self.suppose(&invariants, index)?;
        self.execution.steps.push(Taken::Leap(tag, values));
        Ok(())
    }

    /// The step with this number is not possible if one of the properties is false. One that cannot be evaluated
    /// leaves open whether it is.
    fn suppose(&mut self, numbers: &[usize], index: usize) -> Flow {
        for &number in numbers {
            let known = self.ctx.task.property(number);
            for &term in &known.property.terms {
                match self.truth(term) {
                    Ok(true) => {}
                    Ok(false) => {
                        let reason = Reason::State(Box::new(known.property.clone()));
                        return stop(End::InvalidStep(InvalidStep { index, reason }));
                    }
                    Err(error) => {
                        let what = Judged::Leap(known.stmt, known.property.clone());
                        self.not_checked(Unchecked { what, error });
                    }
                }
            }
        }
        Ok(())
    }

    /// True when control comes to this visit from the `begin` of the statement, which is right before it.
    fn just_begun(&self) -> bool {
        self.state.frames.last().is_some_and(|frame| frame.from.checked_add(1) == Some(frame.pc))
    }

    /// Remembers what variables are at this visit.
    fn save(&mut self, numbers: &[u32]) {
        let task = self.ctx.task;
        for &number in numbers {
            let number = number as usize;
            let variable = task.looks_back[number].0;
            let slot = task.slot(variable);
            let value = self.state.place(slot).and_then(|place| place.clone());
            let value = value.or_else(|| task.default(self.ctx.sort(variable)).cloned());
            if let Slot::Global(_) = slot {
                self.state.anywhere[number].clone_from(&value);
            }
            let proc = self.state.frames.last().map(|frame| frame.proc);
            let layout = proc.and_then(|proc| task.layout(proc));
            if let Some(offset) = layout.and_then(|layout| layout.at[number])
                && let Some(place) = self.state.local(offset)
            {
                *place = value;
            }
        }
    }

    // ---- ranking functions

    /// The values of a ranking function; none when they cannot be computed.
    fn rank(&mut self, rank: &Rank) -> Option<Vec<Value>> {
        let known = self.ctx.task.property(rank.property);
        let mut values = Vec::with_capacity(known.property.terms.len());
        for &term in &known.property.terms {
            match self.value(term) {
                Ok(value) => values.push(value),
                Err(error) => {
                    let what = Judged::Property(known.stmt, known.property.clone());
                    self.not_checked(Unchecked { what, error });
                    return None;
                }
            }
        }
        Some(values)
    }

    /// Keeps the values of a ranking function, and returns the old ones.
    fn keep(&mut self, rank: &Rank, values: Option<&[Value]>) -> Option<Vec<Value>> {
        let count = self.ctx.task.property(rank.property).property.terms.len() as u32;
        let mut old = Vec::with_capacity(count as usize);
        for i in 0..count {
            let new = values.and_then(|values| values.get(i as usize).cloned());
            old.push(std::mem::replace(self.state.local(rank.offset + i)?, new));
        }
        old.into_iter().collect()
    }

    /// False when a ranking function did not decrease since the visit before.
    fn descends(&mut self, rank: &Rank, back: bool) -> bool {
        let new = self.rank(rank);
        let old = self.keep(rank, new.as_deref());
        match (old, new) {
            (Some(old), Some(new)) if back => decreases(&old, &new),
            _ => true,
        }
    }

    /// The frame whose ranking function a call from the innermost frame has to go below.
    pub(super) fn measured_by(&self, component: u32) -> Option<usize> {
        let caller = self.state.frames.last()?;
        let layout = self.ctx.task.layout(caller.proc)?;
        if layout.component != component {
            return None;
        }
        if layout.measures.is_empty() { caller.measured } else { Some(self.state.frames.len() - 1) }
    }

    /// At the entry of a procedure: compares its ranking functions with those of the recursive caller. A leap stands
    /// for any number of calls, so there is no caller to compare with.
    fn measure(&mut self, violated: &mut Vec<usize>, leapt: bool) {
        let task = self.ctx.task;
        let Some(frame) = self.state.frames.last() else { return };
        let (proc, measured) = (frame.proc, frame.measured);
        let Some(layout) = task.layout(proc) else { return };
        for (i, rank) in layout.measures.iter().enumerate() {
            let new = self.rank(rank);
            self.keep(rank, new.as_deref());
            let old = measured.filter(|_| !leapt).and_then(|caller| self.measure_of(caller, i));
            if let (Some(old), Some(new)) = (old, new)
                && !decreases(&old, &new)
            {
                violated.push(rank.property);
            }
        }
    }

    /// The values of a ranking function at the entry of an open call.
    fn measure_of(&self, frame: usize, number: usize) -> Option<Vec<Value>> {
        let frame = self.state.frames.get(frame)?;
        let rank = self.ctx.task.layout(frame.proc)?.measures.get(number)?;
        let count = self.ctx.task.property(rank.property).property.terms.len();
        let first = frame.base + rank.offset as usize;
        self.state.values.get(first..first + count)?.iter().cloned().collect()
    }

    // ---- lassos

    fn stem(&mut self, stmt: StmtId) -> Flow {
        let Some(formulas) = self.oracle.stem(self.ctx, stmt) else { return Ok(()) };
        let mut holds = true;
        for term in formulas {
            match self.truth(term) {
                Ok(truth) => holds &= truth,
                Err(error) => self.not_checked(Unchecked { what: Judged::Stem(stmt, term), error }),
            }
        }
        self.missed_stems += 1;
        if holds || self.missed_stems > MANY_VISITS { stop(End::LassoStem(stmt, holds)) } else { Ok(()) }
    }
}

/// Some entries at the front are equal, the next one decreases and was not negative.
fn decreases(old: &[Value], new: &[Value]) -> bool {
    let zero = Value::int(0);
    match old.iter().zip(new).find(|(old, new)| old != new) {
        Some((old, new)) => old.as_int() > new.as_int() && old.as_int() >= zero.as_int(),
        None => false,
    }
}
