//! Random formulas. A model must satisfy the formula under our own evaluator; where the solver says that there is
//! none, trying all values of the constants must find none either.
#![expect(clippy::print_stderr, reason = "tests report numbers")]

mod support;

use smt::eval::{Assignment, Evaluator};
use smt::op::Op;
use smt::sort::{Sort, SortId};
use smt::term::{Fun, FunId, Role, TermId, Terms};
use smt::value::Value;
use solver::z3::Z3;
use solver::{CheckResult, Limits, Model, Solver, UnsatCore};
use std::time::Duration;
use support::{Verdict, recheck};
use testkit::Rng;

/// Formulas of one run of the tests.
const ROUNDS: u64 = 2_000;

/// Combinations of values that are tried.
const TRIES: u64 = 1 << 15;

struct Gen {
    terms: Terms,
    rng: Rng,
    constants: Vec<(FunId, TermId)>,
}

impl Gen {
    /// Constants of small sorts: Bool, two widths of bit-vectors, arrays between them, and Int.
    fn new(seed: u64) -> Gen {
        let mut terms = Terms::new();
        let (two, three) = (terms.sorts.bit_vec(2), terms.sorts.bit_vec(3));
        let bits = terms.sorts.array(two, SortId::BOOL);
        let array = terms.sorts.array(SortId::INT, SortId::INT);
        let sorts = [
            ("p", SortId::BOOL),
            ("q", SortId::BOOL),
            ("a", two),
            ("b", two),
            ("c", three),
            ("m", bits),
            ("x", SortId::INT),
            ("y", SortId::INT),
            ("n", array),
        ];
        let mut constants = Vec::new();
        for (name, result) in sorts {
            let name = terms.names.intern(name);
            let fun = terms.declare(Fun { name, params: Box::new([]), result, role: Role::Free });
            constants.push((fun, terms.constant_term(fun)));
        }
        Gen { terms, rng: Rng::new(seed), constants }
    }

    fn leaf(&mut self, sort: SortId) -> TermId {
        let fitting: Vec<TermId> =
            self.constants.iter().map(|c| c.1).filter(|&term| self.terms.sort(term) == sort).collect();
        if !fitting.is_empty() && self.rng.below(3) > 0 {
            return *self.rng.choose(&fitting);
        }
        let number = self.rng.below(8);
        match *self.terms.sorts.get(sort) {
            Sort::Bool => self.terms.bool(number.is_multiple_of(2)),
            Sort::BitVec(width) => self.terms.bits(width, number.into()),
            Sort::Int => self.terms.int(number as i64 - 3),
            Sort::Array(_, element) => {
                let value = self.leaf(element);
                self.terms.const_array(sort, value).expect("an array")
            }
            _ => unreachable!("no other sorts are made"),
        }
    }

    fn term(&mut self, sort: SortId, depth: usize) -> TermId {
        if depth == 0 || self.rng.below(8) == 0 {
            return self.leaf(sort);
        }
        if self.rng.below(6) == 0 {
            let condition = self.term(SortId::BOOL, depth - 1);
            let (a, b) = (self.term(sort, depth - 1), self.term(sort, depth - 1));
            return self.terms.app(Op::Ite, &[condition, a, b]).expect("well-sorted");
        }
        match *self.terms.sorts.get(sort) {
            Sort::Bool => self.formula(depth),
            Sort::BitVec(width) => self.bits(sort, width, depth),
            Sort::Int => self.int(depth),
            Sort::Array(index, element) => {
                let (array, at) = (self.term(sort, depth - 1), self.term(index, depth - 1));
                let value = self.term(element, depth - 1);
                self.terms.app(Op::Store, &[array, at, value]).expect("well-sorted")
            }
            _ => unreachable!("no other sorts are made"),
        }
    }

    fn apply(&mut self, op: Op, indices: &[u32], sorts: &[SortId], depth: usize) -> TermId {
        let args: Vec<TermId> = sorts.iter().map(|&sort| self.term(sort, depth - 1)).collect();
        self.terms.app_indexed(op, indices, &args).expect("well-sorted")
    }

    fn formula(&mut self, depth: usize) -> TermId {
        const CORE: &[Op] = &[Op::And, Op::Or, Op::Xor, Op::Implies, Op::Eq, Op::Distinct];
        const COMPARE: &[Op] = &[Op::Le, Op::Lt, Op::Ge, Op::Gt, Op::Eq, Op::Distinct];
        const BITS: &[Op] = &[
            Op::BvUlt,
            Op::BvUle,
            Op::BvUgt,
            Op::BvUge,
            Op::BvSlt,
            Op::BvSle,
            Op::BvSgt,
            Op::BvSge,
            Op::BvUaddO,
            Op::BvSaddO,
            Op::BvUsubO,
            Op::BvSsubO,
            Op::BvUmulO,
            Op::BvSmulO,
            Op::BvSdivO,
            Op::Eq,
            Op::Distinct,
        ];
        let (int, bool) = (SortId::INT, SortId::BOOL);
        let some = self.constants[self.rng.below(self.constants.len())].1;
        let any = self.terms.sort(some);
        let width = self.some_bits();
        match self.rng.below(9) {
            0 => self.apply(Op::Not, &[], &[bool], depth),
            1 | 2 => {
                let op = *self.rng.choose(CORE);
                // Three different Booleans do not exist, but chains of equalities do.
                let n = if op == Op::Distinct { 2 } else { 2 + self.rng.below(2) };
                self.apply(op, &[], &[bool; 3][..n], depth)
            }
            3 => {
                let op = *self.rng.choose(COMPARE);
                let n = 2 + self.rng.below(2);
                self.apply(op, &[], &[int; 3][..n], depth)
            }
            4 | 5 => {
                let op = *self.rng.choose(BITS);
                self.apply(op, &[], &[width; 2], depth)
            }
            6 => self.apply(Op::Eq, &[], &[any; 2], depth),
            7 => {
                let array = self.terms.sort(self.constants[5].1);
                let index = self.terms.sort(self.constants[2].1);
                self.apply(Op::Select, &[], &[array, index], depth)
            }
            _ => {
                if self.rng.below(2) == 0 {
                    self.apply(Op::Divisible, &[2], &[int], depth)
                } else {
                    self.apply(Op::BvNegO, &[], &[width], depth)
                }
            }
        }
    }

    fn some_bits(&mut self) -> SortId {
        let width = 2 + self.rng.below(2) as u32;
        self.terms.sorts.bit_vec(width)
    }

    fn bits(&mut self, sort: SortId, width: u32, depth: usize) -> TermId {
        const BINARY: &[Op] = &[
            Op::BvAnd,
            Op::BvOr,
            Op::BvXor,
            Op::BvNand,
            Op::BvNor,
            Op::BvXnor,
            Op::BvAdd,
            Op::BvSub,
            Op::BvMul,
            Op::BvUdiv,
            Op::BvUrem,
            Op::BvSdiv,
            Op::BvSrem,
            Op::BvSmod,
            Op::BvShl,
            Op::BvLshr,
            Op::BvAshr,
        ];
        let other = self.terms.sorts.bit_vec(if width == 2 { 3 } else { 2 });
        match self.rng.below(8) {
            0 => self.apply(Op::BvNot, &[], &[sort], depth),
            1 => self.apply(Op::BvNeg, &[], &[sort], depth),
            2 => self.apply(Op::RotateLeft, &[1], &[sort], depth),
            3 if width == 2 => self.apply(Op::Extract, &[2, 1], &[other], depth),
            3 => self.apply(
                if depth.is_multiple_of(2) { Op::ZeroExtend } else { Op::SignExtend },
                &[1],
                &[other],
                depth,
            ),
            4 => self.apply(Op::IntToBv, &[width], &[SortId::INT], depth),
            5 if width == 3 => {
                let bit = self.apply(Op::BvComp, &[], &[sort, sort], depth);
                let rest = self.term(other, depth - 1);
                self.terms.app(Op::Concat, &[bit, rest]).expect("well-sorted")
            }
            _ => {
                let op = *self.rng.choose(BINARY);
                self.apply(op, &[], &[sort; 2], depth)
            }
        }
    }

    fn int(&mut self, depth: usize) -> TermId {
        let int = SortId::INT;
        let width = self.some_bits();
        let number = self.rng.below(5) as i64 + 1;
        match self.rng.below(9) {
            0 => self.apply(Op::Neg, &[], &[int], depth),
            1 => self.apply(Op::Abs, &[], &[int], depth),
            2 | 3 => self.apply(Op::Add, &[], &[int; 2], depth),
            4 => self.apply(Op::Sub, &[], &[int; 2], depth),
            5 => {
                let (a, b) = (self.term(int, depth - 1), self.terms.int(number));
                let op = *self.rng.choose(&[Op::IntDiv, Op::Mod, Op::Mul]);
                self.terms.app(op, &[a, b]).expect("well-sorted")
            }
            6 => self.apply(Op::UbvToInt, &[], &[width], depth),
            7 => self.apply(Op::SbvToInt, &[], &[width], depth),
            _ => {
                let array = self.terms.sort(self.constants[8].1);
                self.apply(Op::Select, &[], &[array, int], depth)
            }
        }
    }

    /// All values of a small sort; integers and arrays of them are tried in a small range.
    fn values(&mut self, sort: SortId) -> Vec<Value> {
        match *self.terms.sorts.get(sort) {
            Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Sort::BitVec(width) => (0u32..1 << width).map(|bits| Value::bits(width, bits)).collect(),
            Sort::Int => (-3..=3).map(Value::int).collect(),
            Sort::Array(index, element) => {
                let indices = self.values(index);
                let elements = self.values(element);
                let default =
                    Value::const_array(&mut self.terms, sort, elements[0].clone()).expect("an array");
                let mut all = vec![default];
                for index in indices.iter().take(4) {
                    for array in all.clone() {
                        for element in elements.iter().skip(1).take(2) {
                            let Value::Array(mut array) = array.clone() else { continue };
                            std::sync::Arc::make_mut(&mut array).store(index.clone(), element.clone());
                            all.push(Value::Array(array));
                        }
                    }
                }
                all
            }
            _ => unreachable!("no other sorts are made"),
        }
    }

    /// Looks for a model among small values; complete when the formula has no integers. The second says how
    /// many combinations were tried.
    fn search(&mut self, formula: TermId) -> (Option<Assignment>, u64) {
        let used = smt::subst::functions(&self.terms, formula);
        let domains: Vec<(FunId, Vec<Value>)> =
            used.iter().map(|&fun| (fun, self.values(self.terms.fun(fun).result))).collect();
        let total = domains.iter().map(|(_, values)| values.len() as u64).product::<u64>();
        let mut evaluator = Evaluator::new(&self.terms);
        let tries = total.min(TRIES);
        for i in 0..tries {
            // When not everything can be tried, what is tried is spread over everything.
            let mut rest = if total > tries { self.rng.next_u64() % total } else { i };
            let mut model = Assignment::new();
            for (fun, values) in &domains {
                model.set(*fun, values[(rest % values.len() as u64) as usize].clone());
                rest /= values.len() as u64;
            }
            if evaluator.holds(formula, &mut model).expect("ground and small")
                && evaluator.unspecified().is_none()
            {
                return (Some(model), i + 1);
            }
        }
        (None, tries)
    }
}

#[derive(Default, Debug)]
struct Counts {
    sat: u64,
    unsat: u64,
    unknown: u64,
    open: u64,
    tried: u64,
}

fn one(seed: u64, counts: &mut Counts) {
    let mut generator = Gen::new(seed);
    let depth = 2 + generator.rng.below(3);
    let formula = generator.term(SortId::BOOL, depth);
    let text = || format!("seed {seed}: {}", smt::print::term_text(&generator.terms, formula));
    let mut z3 = Z3::new().expect("the library fits");
    z3.limits(Limits::time(Duration::from_secs(5))).expect("limits");
    match z3.check(&generator.terms, &[formula]).unwrap_or_else(|error| panic!("{}: {error}", text())) {
        CheckResult::Sat => {
            let model = z3.model(&mut generator.terms).expect("a model");
            match recheck(&generator.terms, &model, formula) {
                Verdict::Holds => counts.sat += 1,
                Verdict::Open => counts.open += 1,
                Verdict::Fails => {
                    panic!("seed {seed}: {} {model:?}", smt::print::term_text(&generator.terms, formula))
                }
            }
            let value = z3.value(&mut generator.terms, formula).expect("a value");
            assert_eq!(value, Some(Value::Bool(true)));
        }
        CheckResult::Unsat => {
            assert!(z3.unsat_core().expect("a core").len() <= 1);
            let (found, tried) = generator.search(formula);
            counts.tried += tried;
            counts.unsat += 1;
            let text = smt::print::term_text(&generator.terms, formula);
            assert!(found.is_none(), "seed {seed}: {text} has the model {found:?}");
        }
        CheckResult::Unknown(_) => counts.unknown += 1,
    }
}

#[test]
fn models_hold_and_refutations_are_right() {
    let mut counts = Counts::default();
    for seed in 0..ROUNDS {
        one(seed, &mut counts);
    }
    eprintln!("{ROUNDS} formulas: {counts:?}");
    assert!(counts.sat > ROUNDS / 2 && counts.unsat > ROUNDS / 20, "{counts:?}");
    assert!(counts.unknown < ROUNDS / 100, "{counts:?}");
}
