//! Every operator that the solver has means what the evaluator says: random ground applications, computed twice.
#![expect(clippy::print_stderr, reason = "tests report numbers")]

mod support;

use dashu_int::UBig;
use dashu_ratio::RBig;
use smt::eval::Evaluator;
use smt::op::{Base, OPS, Op, OpInfo, Rule, Theory};
use smt::sort::{Sort, SortId};
use smt::term::{TermId, Terms};
use smt::value::{Value, ieee};
use solver::z3::Z3;
use solver::{CheckResult, Model, Solver};
use testkit::Rng;

/// Applications of each operator.
const ROUNDS: usize = 40;

struct Gen {
    terms: Terms,
    rng: Rng,
}

impl Gen {
    fn value(&mut self, sort: SortId) -> Value {
        let small = self.rng.below(17) as i64 - 8;
        match *self.terms.sorts.get(sort) {
            Sort::Bool => Value::Bool(small > 0),
            Sort::Int => Value::int(small),
            Sort::Real => Value::Real(RBig::from_parts(small.into(), UBig::from(1 + self.rng.below(6)))),
            Sort::BitVec(width) => Value::bits(width, self.rng.next_u64()),
            Sort::Float(eb, sb) => {
                let format = ieee::Format::new(eb, sb).expect("a format");
                Value::Float(ieee::Float::from_bits(format, &UBig::from(self.rng.next_u64())))
            }
            Sort::RoundingMode => Value::Rounding(*self.rng.choose(&ieee::Rounding::ALL)),
            Sort::Array(_, element) => {
                let element = self.value(element);
                Value::const_array(&mut self.terms, sort, element).expect("an array")
            }
            _ => unreachable!("no other sorts are asked for"),
        }
    }

    fn literal(&mut self, sort: SortId) -> TermId {
        let value = self.value(sort);
        value.to_term(&mut self.terms)
    }

    /// Indices and argument sorts for an operator.
    fn shape(&mut self, info: &OpInfo) -> (Vec<u32>, Vec<SortId>) {
        let sorts = &mut self.terms.sorts;
        let [bit, two, four, eight, ten] = [1, 2, 4, 8, 10].map(|width| sorts.bit_vec(width));
        let (small, half) = (sorts.mk(Sort::Float(3, 5)), sorts.mk(Sort::Float(5, 11)));
        let array = sorts.array(two, four);
        let five = sorts.bit_vec(5);
        let number = *self.rng.choose(&[SortId::INT, SortId::REAL]);
        let any = *self.rng.choose(&[SortId::INT, SortId::BOOL, four, small, SortId::REAL, array]);
        let mode = SortId::ROUNDING_MODE;
        match info.rule {
            Rule::Fixed(params, _) => (vec![], params.iter().map(|&base| base_sort(base)).collect()),
            Rule::Same(base) => (vec![], vec![base_sort(base); 3]),
            Rule::Equal => (vec![], vec![any; if any == SortId::BOOL { 2 } else { 3 }]),
            Rule::Ite => (vec![], vec![SortId::BOOL, any, any]),
            Rule::Arith if matches!(info.op, Op::Neg | Op::Abs) => (vec![], vec![number]),
            Rule::Arith | Rule::ArithCompare => (vec![], vec![number; 3]),
            Rule::Bv(n) | Rule::BvPredicate(n) => (vec![], vec![four; n.into()]),
            Rule::BvComp => (vec![], vec![four; if info.op == Op::BvComp { 2 } else { 1 }]),
            Rule::Concat => (vec![], vec![four, two, eight]),
            Rule::Extract => (vec![6, 2], vec![eight]),
            Rule::Extend | Rule::Rotate | Rule::Repeat => (vec![3], vec![four]),
            Rule::BvToInt => (vec![], vec![four]),
            Rule::IntToBv => (vec![4], vec![SortId::INT]),
            Rule::Divisible => (vec![3], vec![SortId::INT]),
            Rule::Select => (vec![], vec![array, two]),
            Rule::Store => (vec![], vec![array, two, four]),
            Rule::Fp => (vec![], vec![bit, five, ten]),
            Rule::FpConst => (vec![5, 11], vec![]),
            Rule::Float(rounded, n) => {
                let mut sorts = if rounded { vec![mode] } else { vec![] };
                sorts.extend(vec![small; n.into()]);
                (vec![], sorts)
            }
            Rule::FloatPredicate(n) => (vec![], vec![small; n.into()]),
            Rule::ToFpBits => (vec![3, 5], vec![eight]),
            Rule::ToFpRounded if info.op == Op::ToFpUnsigned => (vec![3, 5], vec![mode, eight]),
            Rule::ToFpRounded => (vec![3, 5], vec![mode, *self.rng.choose(&[half, SortId::REAL, eight])]),
            Rule::FloatToBv => (vec![5], vec![mode, small]),
            Rule::FloatToReal | Rule::FloatToBits => (vec![], vec![small]),
            _ => unreachable!("no rule of these theories"),
        }
    }
}

fn base_sort(base: Base) -> SortId {
    match base {
        Base::Bool => SortId::BOOL,
        Base::Int => SortId::INT,
        Base::Real => SortId::REAL,
        Base::Rm => SortId::ROUNDING_MODE,
        Base::Str | Base::Re => unreachable!("no strings here"),
    }
}

#[test]
fn operators_mean_the_same() {
    let theories = [Theory::Core, Theory::Arith, Theory::BitVec, Theory::Array, Theory::Float];
    let mut generator = Gen { terms: Terms::new(), rng: Rng::new(7) };
    let mut solver = Z3::new().expect("the library fits");
    // The value may come from the evaluator itself, so that no other value is possible is asked as well.
    let mut prover = Z3::new().expect("the library fits");
    assert_eq!(solver.check(&generator.terms, &[]), Ok(CheckResult::Sat));
    let (mut operators, mut same, mut open) = (0, 0, 0);
    for info in OPS.iter().filter(|info| theories.contains(&info.theory) && info.op != Op::ConstArray) {
        operators += 1;
        for _ in 0..ROUNDS {
            let (indices, sorts) = generator.shape(info);
            let args: Vec<TermId> = sorts.iter().map(|&sort| generator.literal(sort)).collect();
            let term = generator.terms.app_indexed(info.op, &indices, &args);
            let term = term.unwrap_or_else(|error| panic!("{}: {error:?}", info.name));
            let text = smt::print::term_text(&generator.terms, term);
            let found =
                solver.value(&mut generator.terms, term).unwrap_or_else(|error| panic!("{text}: {error}"));
            let mut evaluator = Evaluator::new(&generator.terms);
            let expected = evaluator.eval(term, &mut ()).unwrap_or_else(|error| panic!("{text}: {error}"));
            if evaluator.unspecified().is_some() {
                open += 1;
                continue;
            }
            assert_eq!(found.as_ref(), Some(&expected), "{text}");
            let expected = expected.to_term(&mut generator.terms);
            let wrong = generator.terms.app(Op::Distinct, &[term, expected]).expect("one sort");
            assert_eq!(prover.check(&generator.terms, &[wrong]), Ok(CheckResult::Unsat), "{text}");
            same += 1;
        }
    }
    eprintln!("{operators} operators: {same} applications agree, {open} are left open by the standard");
    assert!(operators > 100 && open * 10 < same);
}
