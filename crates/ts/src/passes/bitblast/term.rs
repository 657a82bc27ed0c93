//! Terms as words. Each term is built once; nothing recurses.

use super::circuit::{self as c, Shift, Word};
use super::{MAX_NODES, Unsupported, array, bit_count};
use crate::aig::{Aig, Lit};
use dashu_int::ops::BitTest;
use rustc_hash::FxHashMap;
use smt::op::Op;
use smt::term::{Const, FunId, TermId, Terms};

type Built<T> = Result<T, Unsupported>;

/// A circuit under construction.
pub(super) struct Blaster<'a> {
    terms: &'a Terms,
    pub(super) aig: Aig,
    variables: FxHashMap<FunId, Word>,
    words: FxHashMap<TermId, Word>,
}

impl<'a> Blaster<'a> {
    pub(super) fn new(terms: &'a Terms) -> Blaster<'a> {
        Blaster { terms, aig: Aig::new(), variables: FxHashMap::default(), words: FxHashMap::default() }
    }

    /// Gives a variable its bits.
    pub(super) fn define(&mut self, fun: FunId, bits: &[Lit]) {
        self.variables.insert(fun, bits.to_vec());
    }

    /// A formula's literal.
    pub(super) fn truth(&mut self, formula: TermId) -> Built<Lit> {
        Ok(self.term(formula)?[0])
    }

    /// A term's word.
    pub(super) fn term(&mut self, root: TermId) -> Built<Word> {
        let terms = self.terms;
        let mut todo = vec![(root, false)];
        while let Some((term, ready)) = todo.pop() {
            if self.words.contains_key(&term) {
                continue;
            }
            let args = terms.args(term);
            if !ready && terms.op(term).is_binder() {
                return Err(Unsupported::Op(terms.op(term)));
            }
            if !ready && !args.is_empty() {
                todo.push((term, true));
                todo.extend(args.iter().map(|&arg| (arg, false)));
                continue;
            }
            let words: Vec<&[Lit]> = args.iter().map(|arg| &*self.words[arg]).collect();
            let word = match terms.applied(term) {
                Some(fun) => self.variables.get(&fun).cloned().ok_or(Unsupported::Function(fun))?,
                None => build(&mut self.aig, terms, term, &words)?,
            };
            if self.aig.nodes().len() > MAX_NODES {
                return Err(Unsupported::Size);
            }
            self.words.insert(term, word);
        }
        Ok(self.words[&root].clone())
    }
}

/// The word of a term, from those of its arguments.
fn build(aig: &mut Aig, terms: &Terms, term: TermId, args: &[&[Lit]]) -> Built<Word> {
    let op = terms.op(term);
    let width = bit_count(terms, terms.sort(term))?;
    let index = terms.node(term).payload as usize;
    let one = |lit: Lit| Ok(vec![lit]);
    let bits = |args: &[&[Lit]]| args.iter().map(|word| word[0]).collect::<Word>();
    match op {
        Op::True => one(Lit::TRUE),
        Op::False => one(Lit::FALSE),
        Op::Const => match terms.literal(term) {
            Some(Const::Bits(_, value)) => Ok((0..width).map(|i| Lit::constant(value.bit(i))).collect()),
            _ => Err(Unsupported::Sort(terms.sort(term))),
        },
        Op::Not | Op::BvNot => Ok(c::not(args[0])),
        Op::And => one(aig.all(&bits(args))),
        Op::Or => one(aig.any(&bits(args))),
        Op::Xor => one(bits(args).into_iter().fold(Lit::FALSE, |all, bit| aig.xor(all, bit))),
        Op::Implies => {
            let mut bits = bits(args);
            let last = bits.len() - 1;
            bits[..last].iter_mut().for_each(|bit| *bit = !*bit);
            one(aig.any(&bits))
        }
        Op::Eq => {
            let pairs: Word = args.windows(2).map(|pair| c::equal(aig, pair[0], pair[1])).collect();
            one(aig.all(&pairs))
        }
        Op::Distinct => {
            let mut all = Vec::new();
            for (i, first) in args.iter().enumerate() {
                all.extend(args[i + 1..].iter().map(|second| !c::equal(aig, first, second)));
            }
            one(aig.all(&all))
        }
        Op::Ite => Ok(c::ite(aig, args[0][0], args[1], args[2])),
        Op::Select => Ok(array::select(aig, args[0], args[1])),
        Op::Store => Ok(array::store(aig, args[0], args[1], args[2])),
        Op::ConstArray => Ok(args[0].repeat(width / args[0].len())),
        // The first argument is the highest part.
        Op::Concat => Ok(args.iter().rev().copied().flatten().copied().collect()),
        Op::Extract => Ok(args[0][index..index + width].to_vec()),
        Op::ZeroExtend | Op::SignExtend => Ok(c::extended(args[0], width, op == Op::SignExtend)),
        Op::RotateLeft | Op::RotateRight => {
            let mut word = args[0].to_vec();
            let by = index % width;
            if op == Op::RotateLeft {
                word.rotate_right(by)
            } else {
                word.rotate_left(by)
            }
            Ok(word)
        }
        Op::Repeat => Ok(args[0].repeat(index)),
        _ => match args {
            [a] => unary(aig, op, a),
            [a, b] => binary(aig, op, a, b),
            [first, rest @ ..] if !rest.is_empty() => {
                let mut all = first.to_vec();
                for next in rest {
                    all = binary(aig, op, &all, next)?;
                }
                Ok(all)
            }
            _ => Err(Unsupported::Op(op)),
        },
    }
}

fn unary(aig: &mut Aig, op: Op, a: &[Lit]) -> Built<Word> {
    Ok(match op {
        Op::BvNeg => c::neg(aig, a),
        Op::BvRedAnd => vec![aig.all(a)],
        Op::BvRedOr => vec![aig.any(a)],
        Op::BvNegO => vec![c::is_least(aig, a)],
        _ => return Err(Unsupported::Op(op)),
    })
}

fn binary(aig: &mut Aig, op: Op, a: &[Lit], b: &[Lit]) -> Built<Word> {
    Ok(match op {
        Op::BvAnd => c::zip(aig, a, b, Aig::and),
        Op::BvOr => c::zip(aig, a, b, Aig::or),
        Op::BvXor => c::zip(aig, a, b, Aig::xor),
        Op::BvNand => c::not(&c::zip(aig, a, b, Aig::and)),
        Op::BvNor => c::not(&c::zip(aig, a, b, Aig::or)),
        Op::BvXnor => c::not(&c::zip(aig, a, b, Aig::xor)),
        Op::BvAdd => c::add(aig, a, b, Lit::FALSE).0,
        Op::BvSub => c::sub(aig, a, b),
        Op::BvMul | Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem | Op::BvSmod => {
            room(aig, a.len())?;
            match op {
                Op::BvMul => c::mul(aig, a, b),
                Op::BvUdiv => c::divide(aig, a, b).0,
                Op::BvUrem => c::divide(aig, a, b).1,
                Op::BvSdiv => c::sdiv(aig, a, b),
                Op::BvSrem => c::srem(aig, a, b),
                _ => c::smod(aig, a, b),
            }
        }
        Op::BvShl => c::shift(aig, a, b, Shift::Left),
        Op::BvLshr => c::shift(aig, a, b, Shift::Right(Lit::FALSE)),
        Op::BvAshr => c::shift(aig, a, b, Shift::Right(a[a.len() - 1])),
        _ => vec![predicate(aig, op, a, b)?],
    })
}

fn predicate(aig: &mut Aig, op: Op, a: &[Lit], b: &[Lit]) -> Built<Lit> {
    Ok(match op {
        Op::BvComp => c::equal(aig, a, b),
        Op::BvUlt | Op::BvUsubO => c::ult(aig, a, b),
        Op::BvUgt => c::ult(aig, b, a),
        Op::BvUle => !c::ult(aig, b, a),
        Op::BvUge => !c::ult(aig, a, b),
        Op::BvSlt => c::slt(aig, a, b),
        Op::BvSgt => c::slt(aig, b, a),
        Op::BvSle => !c::slt(aig, b, a),
        Op::BvSge => !c::slt(aig, a, b),
        Op::BvUaddO => c::add(aig, a, b, Lit::FALSE).1,
        Op::BvSaddO => c::sum_overflows(aig, a, b, false),
        Op::BvSsubO => c::sum_overflows(aig, a, b, true),
        Op::BvUmulO | Op::BvSmulO => {
            room(aig, 2 * a.len())?;
            c::product_overflows(aig, a, b, op == Op::BvSmulO)
        }
        Op::BvSdivO => {
            // The least number divided by minus one.
            let (least, minus_one) = (c::is_least(aig, a), aig.all(b));
            aig.and(least, minus_one)
        }
        _ => return Err(Unsupported::Op(op)),
    })
}

/// Products and quotients are quadratic: they must have room before they are begun.
fn room(aig: &Aig, width: usize) -> Built<()> {
    let gates = width.saturating_mul(width).saturating_mul(8);
    if aig.nodes().len().saturating_add(gates) > MAX_NODES { Err(Unsupported::Size) } else { Ok(()) }
}
