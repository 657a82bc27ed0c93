//! Many rounds of a loop at once.
//!
//! If a round adds the same numbers to the variables as the round before, it is computed once more with values `v + d * t`
//! in the place of numbers, for the rounds `t = 0, 1, 2, …` that follow. Sums stay of that form; a comparison tells for
//! how many rounds its outcome stays the same. If a round leads from `v + d * t` to `v + d * (t + 1)`, all these rounds
//! are as if they had been executed.

use super::fast::{Act, Fast};

/// Rounds of a loop after which it is looked at, at first and at most.
const SOON: u32 = 64;
const LATE: u32 = 1 << 20;
/// Operations of a round at most.
const LONGEST: usize = 2_000;

/// `value + change * t` in round `t`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Line {
    value: i128,
    change: i128,
}

impl Line {
    fn constant(value: i128) -> Line {
        Line { value, change: 0 }
    }

    fn minus(self, other: Line) -> Option<Line> {
        let (value, change) = (self.value.checked_sub(other.value)?, self.change.checked_sub(other.change)?);
        Some(Line { value, change })
    }

    fn plus(self, other: Line) -> Option<Line> {
        let (value, change) = (self.value.checked_add(other.value)?, self.change.checked_add(other.change)?);
        Some(Line { value, change })
    }

    fn times(self, factor: i128) -> Option<Line> {
        Some(Line { value: self.value.checked_mul(factor)?, change: self.change.checked_mul(factor)? })
    }

    fn at(self, round: u64) -> Option<i64> {
        let change = self.change.checked_mul(i128::from(round))?;
        i64::try_from(self.value.checked_add(change)?).ok()
    }

    /// In how many rounds the line is on the same side of zero, zero itself being above.
    fn same_sign(self) -> Option<i128> {
        match (self.value < 0, self.change) {
            (true, change) if change > 0 => Some((-self.value - 1) / change + 1),
            (false, change) if change < 0 => Some(self.value / change.checked_neg()? + 1),
            _ => None,
        }
    }

    /// In how many rounds it is zero, or not zero, as in the first one.
    fn same_zero(self) -> Option<i128> {
        match (self.value, self.change) {
            (_, 0) => None,
            (0, _) => Some(1),
            (value, change) => {
                let meets = value % change == 0 && (value < 0) != (change < 0);
                meets.then(|| (value / change).abs())
            }
        }
    }
}

/// When loops are looked at, and what was seen.
pub(super) struct Rounds {
    left: u32,
    wait: u32,
    /// A jump back, where it led, and the variables there.
    seen: Option<(usize, usize, Vec<i64>)>,
}

impl Rounds {
    pub(super) fn new() -> Rounds {
        Rounds { left: SOON, wait: SOON, seen: None }
    }

    /// After a jump back: takes more rounds at once if that is possible, and returns how many steps they have. At most
    /// `steps` are left.
    pub(super) fn jumped(
        &mut self,
        fast: &Fast,
        (jump, head): (usize, usize),
        steps: u64,
        regs: &mut [i64],
        missing: Option<&[bool]>,
    ) -> u64 {
        if self.left > 0 {
            self.left -= 1;
            return 0;
        }
        let variables = fast.variables.len();
        let Some((seen_jump, seen_head, before)) = self.seen.take() else {
            self.seen = Some((jump, head, regs[..variables].to_vec()));
            return 0;
        };
        let taken = (seen_jump == jump && seen_head == head)
            .then(|| round(fast, (jump, head), steps, regs, &before, missing))
            .flatten();
        self.wait = if taken.is_some() { SOON } else { (self.wait * 2).min(LATE) };
        self.left = self.wait;
        taken.unwrap_or(0)
    }
}

/// Computes a round with lines, and takes as many as are alike.
fn round(
    fast: &Fast,
    (jump, head): (usize, usize),
    steps: u64,
    regs: &mut [i64],
    before: &[i64],
    missing: Option<&[bool]>,
) -> Option<u64> {
    let variables = before.len();
    let line = |(&now, &before): (&i64, &i64)| {
        let change = i128::from(now) - i128::from(before);
        Some(Line { value: i128::from(now), change })
    };
    let mut lines: Vec<Option<Line>> = regs.iter().zip(before).map(line).collect();
    // Registers of intermediate values are unknown until they are written.
    lines.extend(fast.registers[variables..].iter().map(|&value| Some(Line::constant(i128::from(value)))));
    for op in fast.ops.iter().filter(|op| op.into as usize >= variables) {
        lines[op.into as usize] = None;
    }
    let first: Vec<Option<Line>> = lines[..variables].to_vec();
    let (mut at, mut per_round, mut alike) = (head, 0, None::<i128>);
    for _ in 0..LONGEST {
        let op = &fast.ops[at];
        per_round += u64::from(op.begins.is_some());
        if missing.is_some_and(|missing| missing[op.into as usize]) {
            return None;
        }
        let (a, b) = (lines[op.a as usize], lines[op.b as usize]);
        match op.act {
            Act::Skip => {}
            Act::Jump if op.to as usize == head => {
                if at != jump {
                    return None;
                }
                let next = |line: &Option<Line>| line.and_then(|l| l.plus(Line::constant(l.change)));
                if !first
                    .iter()
                    .zip(&lines)
                    .all(|(line, now)| next(line).is_some_and(|next| Some(next) == *now))
                {
                    return None;
                }
                return take(&first, regs, alike, steps / per_round.max(1)).map(|rounds| rounds * per_round);
            }
            Act::Jump => {
                at = op.to as usize;
                continue;
            }
            // A condition has to be the same in all rounds.
            Act::Unless | Act::Assume if a?.change != 0 => return None,
            Act::Unless => {
                if a? == Line::constant(0) {
                    at = op.to as usize;
                    continue;
                }
            }
            Act::Assume if a? == Line::constant(0) => return None,
            Act::Assume => {}
            Act::Stop => return None,
            act => {
                let (result, rounds) = compute(act, a?, b)?;
                alike = match (alike, rounds) {
                    (Some(known), Some(rounds)) => Some(known.min(rounds)),
                    (known, rounds) => known.or(rounds),
                };
                lines[op.into as usize] = Some(result);
            }
        }
        at += 1;
    }
    None
}

/// The result of an operation, and in how many rounds it is of this form, if not in all.
fn compute(act: Act, a: Line, b: Option<Line>) -> Option<(Line, Option<i128>)> {
    let truth = |holds: bool, rounds: Option<i128>| (Line::constant(i128::from(holds)), rounds);
    let one = Line::constant(1);
    Some(match act {
        Act::Move => (a, None),
        Act::Neg => (a.times(-1)?, None),
        Act::Add => (a.plus(b?)?, None),
        Act::Sub => (a.minus(b?)?, None),
        Act::Mul if b?.change == 0 => (a.times(b?.value)?, None),
        Act::Mul if a.change == 0 => (b?.times(a.value)?, None),
        Act::Lt | Act::Le => {
            let difference = a.minus(b?)?;
            let difference = if act == Act::Le { difference.minus(one)? } else { difference };
            truth(difference.value < 0, difference.same_sign())
        }
        Act::Eq | Act::Ne => {
            let difference = a.minus(b?)?;
            truth((difference.value == 0) == (act == Act::Eq), difference.same_zero())
        }
        // All that is left needs numbers that stay the same.
        _ if a.change != 0 || b.is_some_and(|b| b.change != 0) => return None,
        Act::Not => (one.minus(a)?, None),
        Act::And => (Line::constant(a.value & b?.value), None),
        Act::Or => (Line::constant(a.value | b?.value), None),
        Act::Div => (Line::constant(a.value.checked_div_euclid(b?.value)?), None),
        Act::Mod => (Line::constant(a.value.checked_rem_euclid(b?.value)?), None),
        _ => return None,
    })
}

/// Sets the variables to what they are after as many rounds as are alike and allowed.
fn take(lines: &[Option<Line>], regs: &mut [i64], alike: Option<i128>, most: u64) -> Option<u64> {
    let rounds = match alike {
        Some(alike) => most.min(u64::try_from(alike).unwrap_or(u64::MAX)),
        None => most,
    };
    let after: Option<Vec<i64>> = lines.iter().map(|line| line.and_then(|line| line.at(rounds))).collect();
    regs[..lines.len()].copy_from_slice(&after?);
    (rounds > 0).then_some(rounds)
}
