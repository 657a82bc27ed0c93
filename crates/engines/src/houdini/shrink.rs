//! A smaller copy of a program: its large numbers are replaced by small ones that have the same order, so that executions
//! get through loops of a million rounds and see what holds behind them. What is found there is only a guess: the
//! numbers are put back, and then it is a candidate like any other.

use dashu_int::ops::Gcd;
use dashu_int::{IBig, UBig};
use rustc_hash::FxHashMap;
use smt::eval::{Assignment, Evaluator};
use smt::op::Op;
use smt::parse::Command as Smt;
use smt::sort::SortId;
use smt::subst::{functions, postorder, replace};
use smt::term::{Const, TermId, Terms};
use smt::value::Value;
use std::collections::{BTreeMap, BTreeSet};
use svlib::syntax::{CommandKind, Property, Script, StmtKind};

/// Numbers above this are large.
const LARGE: u32 = 60;
/// The copies of large numbers are not larger than this.
const MOST: u32 = 320;
/// Copies begin here, so that they are not taken for numbers that mean something else.
const FIRST: u32 = 8;
/// Numbers so near to a copy are put back together with it.
const NEAR: u32 = 2;

/// The effort for a value.
const FUEL: u64 = 1_000;

/// Large numbers with their copies; when all are multiples of one, that one with its copy.
type Copies = (BTreeMap<UBig, u32>, Option<(UBig, u32)>);

/// The way to the smaller copy and back.
pub(crate) struct Shrunk {
    /// The copy.
    pub(crate) script: Script,
    /// Large numbers and their copies.
    numbers: BTreeMap<UBig, u32>,
    /// When all large numbers are multiples of one: it, and its copy.
    unit: Option<(UBig, u32)>,
}

/// The smaller copy of a script, if there are large numbers in it and there is one.
pub(crate) fn shrink(terms: &mut Terms, script: &Script) -> Option<Shrunk> {
    let mut script = script.clone();
    rewrite(&mut script, &mut |term| computed(terms, term));
    let mut found = BTreeSet::new();
    rewrite(&mut script, &mut |term| {
        found.extend(literals(terms, term).into_iter().map(|(_, value)| value));
        term
    });
    let large: Vec<UBig> = found.iter().filter(|value| **value > UBig::from(LARGE)).cloned().collect();
    if large.is_empty() {
        return None;
    }
    let (numbers, unit) = proportional(&large, &found).or_else(|| ordered(&large, &found))?;
    rewrite(&mut script, &mut |term| {
        let mut map = FxHashMap::default();
        for (literal, value) in literals(terms, term) {
            if let Some(&copy) = numbers.get(&value) {
                map.insert(literal, terms.int(copy));
            }
        }
        replace(terms, term, &map)
    });
    Some(Shrunk { script, numbers, unit })
}

/// A term with what can be computed in it replaced by its value: `(div 4000000000 4)` is one large number, not two.
fn computed(terms: &mut Terms, term: TermId) -> TermId {
    let mut map = FxHashMap::default();
    for part in postorder(terms, term) {
        let constant = functions(terms, part).is_empty() && !terms.has_vars(part);
        if !constant || terms.sort(part) != SortId::INT || matches!(terms.op(part), Op::Const | Op::Neg) {
            continue;
        }
        let value = Evaluator::new(terms).with_fuel(FUEL).eval(part, &mut Assignment::new());
        if let Ok(value @ Value::Int(_)) = value {
            map.insert(part, value.to_term(terms));
        }
    }
    replace(terms, term, &map)
}

/// Copies in the same proportion: the large numbers are small multiples of one number.
fn proportional(large: &[UBig], all: &BTreeSet<UBig>) -> Option<Copies> {
    let unit = large.iter().cloned().reduce(|a, b| a.gcd(b))?;
    let factors: Option<Vec<u32>> = large.iter().map(|value| u32::try_from(value / &unit).ok()).collect();
    let (factors, least) = (factors?, u32::try_from(&large[0] / &unit).ok()?);
    // Remainders by four are kept: parity decides in many loops.
    let rest = u32::try_from(&unit % UBig::from(4u8)).ok()?;
    let first = FIRST.div_ceil(least);
    let fits = |copy: u32| factors.iter().all(|factor| factor.checked_mul(copy).is_some_and(|c| c <= MOST));
    // A number that stays and is next to a copy would be taken for it.
    let near = |copy: u32| (copy - copy.min(NEAR)..=copy + NEAR).any(|n| all.contains(&UBig::from(n)));
    let apart = |copy: u32| !factors.iter().any(|factor| near(factor * copy));
    let all = (first..=MOST).filter(|&copy| copy % 4 == rest && fits(copy));
    let all: Vec<u32> = all.collect();
    let copy = all.iter().find(|&&copy| apart(copy)).or(all.first()).copied()?;
    let numbers = large.iter().cloned().zip(factors.into_iter().map(|factor| factor * copy)).collect();
    Some((numbers, Some((unit, copy))))
}

/// Copies in the same order, with the same remainders by four and the same small distances.
fn ordered(large: &[UBig], all: &BTreeSet<UBig>) -> Option<Copies> {
    let (mut numbers, mut next) = (BTreeMap::new(), FIRST);
    let mut before: Option<(&UBig, u32)> = None;
    for value in large {
        let distance = before.and_then(|(number, _)| u32::try_from(value - number).ok());
        let rest = u32::try_from(value % UBig::from(4u8)).ok()?;
        let near = before.zip(distance).filter(|(_, distance)| *distance < 6);
        let free = |copy: &u32| {
            copy % 4 == rest && !(copy - 1..=copy + 1).any(|near| all.contains(&UBig::from(near)))
        };
        let copy = match near {
            Some(((_, copy), distance)) => copy + distance,
            None => (next..).find(free)?,
        };
        if copy > MOST {
            return None;
        }
        numbers.insert(value.clone(), copy);
        (before, next) = (Some((value, copy)), copy + 9);
    }
    Some((numbers, None))
}

impl Shrunk {
    /// A formula about the copy as one about the program.
    pub(crate) fn enlarge(&self, terms: &mut Terms, formula: TermId) -> TermId {
        let mut map = FxHashMap::default();
        for (literal, value) in literals(terms, formula) {
            if let Some(value) = u32::try_from(value).ok().and_then(|value| self.original(value)) {
                map.insert(literal, terms.int(value));
            }
        }
        if map.is_empty() {
            return formula;
        }
        for atom in postorder(terms, formula) {
            if let Some(kept) = remainder(terms, atom, &map) {
                map.insert(atom, kept);
            }
        }
        replace(terms, formula, &map)
    }

    /// The number that a number of the copy stands for; none for itself.
    fn original(&self, value: u32) -> Option<IBig> {
        let distance = |copy: u32| value.abs_diff(copy);
        let (number, &copy) = self.numbers.iter().min_by_key(|(_, copy)| distance(**copy))?;
        if distance(copy) <= NEAR {
            return Some(IBig::from(number.clone()) + IBig::from(value) - IBig::from(copy));
        }
        let (unit, copy) = self.unit.as_ref()?;
        let times = (value + copy / 2) / copy;
        let near = times > 0 && value.abs_diff(times * copy) <= NEAR && value + NEAR >= *copy;
        let large = || IBig::from(unit * UBig::from(times)) + IBig::from(value) - IBig::from(times * copy);
        near.then(large)
    }
}

/// `(= (mod term modulus) rest)` with numbers put back in the term only: the others are no copies.
fn remainder(terms: &mut Terms, atom: TermId, map: &FxHashMap<TermId, TermId>) -> Option<TermId> {
    let [rest_of, rest] = *terms.args(atom) else { return None };
    if terms.op(atom) != Op::Eq || terms.op(rest_of) != Op::Mod {
        return None;
    }
    let [term, modulus] = *terms.args(rest_of) else { return None };
    let term = replace(terms, term, map);
    let rest_of = terms.app(Op::Mod, &[term, modulus]).ok()?;
    terms.app(Op::Eq, &[rest_of, rest]).ok()
}

/// The numerals of a term.
fn literals(terms: &Terms, term: TermId) -> Vec<(TermId, UBig)> {
    let numeral = |term: TermId| match terms.literal(term) {
        Some(Const::Nat(value)) => Some((term, value.clone())),
        _ => None,
    };
    postorder(terms, term).into_iter().filter(|&t| terms.op(t) == Op::Const).filter_map(numeral).collect()
}

/// Replaces all terms of a script.
fn rewrite(script: &mut Script, change: &mut dyn FnMut(TermId) -> TermId) {
    for id in script.stmts.ids().collect::<Vec<_>>() {
        let stmt = &mut script.stmts[id];
        match &mut stmt.kind {
            StmtKind::Assume(term) | StmtKind::If(term, ..) | StmtKind::While(term, _) => {
                *term = change(*term)
            }
            StmtKind::Assign(pairs) => pairs.iter_mut().for_each(|pair| pair.1 = change(pair.1)),
            StmtKind::Call(_, args, _) => args.iter_mut().for_each(|arg| *arg = change(*arg)),
            _ => {}
        }
        for property in &mut stmt.properties {
            rewrite_property(property, change);
        }
    }
    for command in &mut script.commands {
        match &mut command.kind {
            CommandKind::Smt(Smt::Assert(term)) => *term = change(*term),
            CommandKind::Call(_, _, args) => args.iter_mut().for_each(|arg| *arg = change(*arg)),
            CommandKind::AnnotateTag(annotation) => {
                let meanings = annotation.properties.iter_mut().flat_map(|p| &mut p.meanings);
                meanings.for_each(|(_, property)| rewrite_property(property, change));
            }
            _ => {}
        }
    }
}

fn rewrite_property(property: &mut Property, change: &mut dyn FnMut(TermId) -> TermId) {
    property.terms.iter_mut().for_each(|term| *term = change(*term));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(values: &[u64]) -> Vec<UBig> {
        values.iter().map(|&value| UBig::from(value)).collect()
    }

    #[test]
    fn proportions_and_parity_are_kept() {
        let (copies, unit) =
            proportional(&numbers(&[50_000, 1_000_000]), &BTreeSet::new()).expect("they are multiples");
        assert_eq!(copies.into_values().collect::<Vec<_>>(), [8, 160]);
        assert_eq!(unit, Some((UBig::from(50_000u32), 8)));
        assert_eq!(proportional(&numbers(&[1000, 268_435_455]), &BTreeSet::new()), None);
    }

    #[test]
    fn copies_are_not_next_to_numbers_that_stay() {
        let all = numbers(&[7, 500, 1000]);
        let (copies, _) =
            proportional(&all[1..], &all.iter().cloned().collect()).expect("they are multiples");
        assert_eq!(copies.into_values().collect::<Vec<_>>(), [12, 24]);
    }

    #[test]
    fn order_and_small_distances_are_kept() {
        let large = numbers(&[100, 101, 268_435_455]);
        let (copies, _) = ordered(&large, &large.iter().cloned().collect()).expect("there is room");
        let copies: Vec<u32> = copies.into_values().collect();
        assert!(copies[1] == copies[0] + 1 && copies[2] > copies[1] && copies[2] % 4 == 3);
    }

    #[test]
    fn constants_are_computed_first() {
        let mut terms = Terms::new();
        let (large, four) = (terms.int(4_000_000_000u32), terms.int(4));
        let quotient = terms.app(Op::IntDiv, &[large, four]).expect("integers");
        assert_eq!(computed(&mut terms, quotient), terms.int(1_000_000_000));
        let zero = terms.int(0);
        let undefined = terms.app(Op::IntDiv, &[large, zero]).expect("integers");
        let _ = computed(&mut terms, undefined);
    }

    #[test]
    fn numbers_come_back() {
        let (copies, unit) =
            proportional(&numbers(&[50_000, 1_000_000]), &BTreeSet::new()).expect("they are multiples");
        let shrunk = Shrunk { script: Script::default(), numbers: copies, unit };
        assert_eq!(shrunk.original(161), Some(IBig::from(1_000_001)));
        assert_eq!(shrunk.original(16), Some(IBig::from(100_000)));
        assert_eq!(shrunk.original(4), None);
    }
}
