//! As long as nothing wraps around, bit-vectors are as good as integers.

use smt::eval::{Assignment, Evaluator};
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{TermId, Terms};
use smt::value::Value;
use testkit::Rng;
use ts::passes::int_width::{NotNarrow, int_width};
use ts::{Output, System, Trace};

/// All operators of integers on two inputs.
fn outputs(terms: &mut Terms, a: TermId, b: TermId) -> Vec<TermId> {
    let mut found = Vec::new();
    for op in
        [Op::Add, Op::Sub, Op::Mul, Op::IntDiv, Op::Mod, Op::Le, Op::Lt, Op::Ge, Op::Gt, Op::Eq, Op::Distinct]
    {
        found.push(terms.app(op, &[a, b]).expect("sorts"));
        if !matches!(op, Op::Mod | Op::IntDiv) {
            found.push(terms.app(op, &[a, b, a]).expect("sorts"));
        }
    }
    for op in [Op::Neg, Op::Abs] {
        found.push(terms.app(op, &[a]).expect("sorts"));
    }
    let (minus, seven) = (terms.int(-8), terms.int(7));
    found.push(terms.app(Op::Mul, &[a, minus]).expect("sorts"));
    found.push(terms.app(Op::IntDiv, &[seven, b]).expect("sorts"));
    let less = terms.app(Op::Lt, &[a, b]).expect("sorts");
    found.push(terms.app(Op::Ite, &[less, a, seven]).expect("sorts"));
    let bits = terms.app_indexed(Op::IntToBv, &[5], &[a]).expect("sorts");
    found.push(bits);
    found.push(terms.app(Op::UbvToInt, &[bits]).expect("sorts"));
    found.push(terms.app(Op::SbvToInt, &[bits]).expect("sorts"));
    found
}

#[test]
fn small_numbers_are_the_same() {
    let mut terms = Terms::new();
    let mut system = System::default();
    let funs = ["a", "b"].map(|name| system.add_input(&mut terms, name, SortId::INT));
    let [a, b] = funs.map(|fun| terms.constant_term(fun));
    let shown = outputs(&mut terms, a, b);
    let integers = terms.sorts.array(SortId::INT, SortId::INT);
    let m = system.add_input(&mut terms, "m", integers);
    let array = terms.constant_term(m);
    let stored = terms.app(Op::Store, &[array, a, b]).expect("sorts");
    let read = terms.app(Op::Select, &[stored, b]).expect("sorts");
    let constant = terms.const_array(integers, a).expect("sorts");
    let other = terms.app(Op::Select, &[constant, b]).expect("sorts");
    system.outputs =
        shown.into_iter().chain([read, other]).map(|term| Output { name: String::new(), term }).collect();
    let made = int_width(&mut terms, &system, 16).expect("bit-vectors");
    assert!(ts::verify(&terms, &made.system).is_empty());
    let names = |list: &[smt::term::FunId]| {
        list.iter().map(|&fun| terms.fun_name(fun).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&system.inputs), names(&made.system.inputs));
    let mut rng = Rng::new(6);
    for _ in 0..300 {
        let mut narrow = Assignment::new();
        for &fun in &made.system.inputs[..2] {
            let number = rng.between(0, 14) as i64 - 7;
            narrow.set(fun, Value::bits(16, (number & 0xffff) as u64));
        }
        let sort = terms.fun(made.system.inputs[2]).result;
        narrow.set(
            made.system.inputs[2],
            Value::const_array(&mut terms, sort, Value::bits(16, 0xfffeu64)).expect("array"),
        );
        let trace = Trace { steps: vec![narrow.clone()], ..Trace::default() };
        let mut wide = made.trace(&mut terms, &system, &trace).steps.remove(0);
        if wide.get(funs[1]) == Some(&Value::int(0)) {
            continue;
        }
        let mut evaluator = Evaluator::new(&terms);
        for (old, new) in system.outputs.iter().zip(&made.system.outputs) {
            let (x, y) = (evaluator.eval(old.term, &mut wide), evaluator.eval(new.term, &mut narrow));
            let same = match (x.expect("a value"), y.expect("a value")) {
                (Value::Int(x), Value::BitVec { value, .. }) => {
                    let number = i64::from(u16::try_from(value).expect("16 bits") as i16);
                    x == number.into()
                }
                (x, y) => x == y,
            };
            assert!(same, "{}", smt::print::term_text(&terms, old.term));
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut terms = Terms::new();
    let x = {
        let fun = terms.fresh("x", SortId::INT);
        terms.constant_term(fun)
    };
    let fun = terms.applied(x).expect("a symbol");
    let show = |terms: &mut Terms, term: TermId| {
        let outputs = vec![Output { name: String::new(), term }];
        int_width(terms, &System { inputs: vec![fun], outputs, ..System::default() }, 4).map(|_| ())
    };
    for (number, fits) in [(7, true), (8, false), (-8, true), (-9, false)] {
        let literal = terms.int(number);
        let term = terms.app(Op::Add, &[x, literal]).expect("sorts");
        assert_eq!(show(&mut terms, term).is_ok(), fits, "{number}");
    }
    let real = terms.to_real(x);
    assert_eq!(show(&mut terms, real), Err(NotNarrow::Op(Op::ToReal)));
}
