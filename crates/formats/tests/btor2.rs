//! BTOR2: every operator against its definition, errors with their places, and the way to text and back.

mod common;

use common::{
    corpus_files, errors, random_run, random_value, read, read_bytes, same, shown, survives, symbol, written,
};
use dashu_int::ops::BitTest;
use dashu_int::{IBig, UBig};
use smt::eval::{Assignment, Evaluator};
use smt::term::Terms;
use smt::value::Value;
use testkit::Rng;
use ts::PropertyKind;

/// Operators on two bit-vectors of one width, as the format's paper defines them, on plain numbers.
fn expected(name: &str, width: u32, a: &UBig, b: &UBig) -> UBig {
    let w = width as usize;
    let modulus = IBig::ONE << w;
    let signed = |x: &UBig| {
        let x_int = IBig::from(x.clone());
        if x.bit(w - 1) { x_int - &modulus } else { x_int }
    };
    let wrap = |x: IBig| {
        let rest = x % &modulus;
        let rest = if rest < IBig::ZERO { rest + &modulus } else { rest };
        UBig::try_from(rest).expect("not negative")
    };
    let (ia, ib) = (IBig::from(a.clone()), IBig::from(b.clone()));
    let (sa, sb) = (signed(a), signed(b));
    let truth = |value: bool| UBig::from(value);
    let outside = |x: IBig| truth(signed(&wrap(x.clone())) != x);
    let ones = UBig::ones(w);
    let bits = |f: &dyn Fn(bool, bool) -> bool| {
        (0..w).fold(UBig::ZERO, |all, i| if f(a.bit(i), b.bit(i)) { all | (UBig::ONE << i) } else { all })
    };
    let by = usize::try_from(b.clone()).unwrap_or(usize::MAX);
    // Truncating division of numbers with a sign, and what the format says about zero.
    let (quotient, rest) = match sb == IBig::ZERO {
        true => (if sa < IBig::ZERO { IBig::ONE } else { IBig::NEG_ONE }, sa.clone()),
        false => (&sa / &sb, &sa % &sb),
    };
    match name {
        "add" => wrap(ia + ib),
        "sub" => wrap(ia - ib),
        "mul" => wrap(ia * ib),
        "and" => bits(&|x, y| x && y),
        "nand" => bits(&|x, y| !(x && y)),
        "or" => bits(&|x, y| x || y),
        "nor" => bits(&|x, y| !(x || y)),
        "xor" => bits(&|x, y| x != y),
        "xnor" => bits(&|x, y| x == y),
        "udiv" => {
            if b.is_zero() {
                ones
            } else {
                a / b
            }
        }
        "urem" => {
            if b.is_zero() {
                a.clone()
            } else {
                a % b
            }
        }
        "sdiv" => wrap(quotient),
        "srem" => wrap(rest),
        "smod" => {
            let differ = rest != IBig::ZERO && sb != IBig::ZERO && (rest < IBig::ZERO) != (sb < IBig::ZERO);
            wrap(if differ { rest + sb } else { rest })
        }
        "sll" => {
            if by >= w {
                UBig::ZERO
            } else {
                wrap(ia << by)
            }
        }
        "srl" => {
            if by >= w {
                UBig::ZERO
            } else {
                a >> by
            }
        }
        "sra" => wrap(sa >> by.min(w)),
        "rol" | "ror" => {
            let by = usize::try_from(b % UBig::from(w)).expect("small");
            let from = |i: usize| if name == "rol" { (i + w - by) % w } else { (i + by) % w };
            (0..w).fold(UBig::ZERO, |all, i| if a.bit(from(i)) { all | (UBig::ONE << i) } else { all })
        }
        "eq" | "iff" => truth(a == b),
        "neq" => truth(a != b),
        "implies" => truth(a <= b),
        "ugt" => truth(a > b),
        "ugte" => truth(a >= b),
        "ult" => truth(a < b),
        "ulte" => truth(a <= b),
        "sgt" => truth(sa > sb),
        "sgte" => truth(sa >= sb),
        "slt" => truth(sa < sb),
        "slte" => truth(sa <= sb),
        "saddo" => outside(sa + sb),
        "ssubo" => outside(sa - sb),
        "smulo" => outside(sa * sb),
        "sdivo" => truth(sb == IBig::NEG_ONE && a == &(UBig::ONE << (w - 1))),
        "uaddo" => truth((a + b).bit_len() > w),
        "usubo" => truth(a < b),
        "umulo" => truth((a * b).bit_len() > w),
        "not" => ones ^ a,
        "neg" => wrap(-ia),
        "inc" => wrap(ia + 1),
        "dec" => wrap(ia - 1),
        "redand" => truth(*a == ones),
        "redor" => truth(!a.is_zero()),
        "redxor" => truth(a.count_ones() % 2 == 1),
        _ => panic!("{name}"),
    }
}

const SAME: &[&str] = &[
    "add", "and", "mul", "nand", "nor", "or", "rol", "ror", "sdiv", "sll", "smod", "sra", "srem", "srl",
    "sub", "udiv", "urem", "xnor", "xor",
];
const TESTS: &[&str] = &[
    "eq", "neq", "saddo", "sdivo", "sgt", "sgte", "slt", "slte", "smulo", "ssubo", "uaddo", "ugt", "ugte",
    "ult", "ulte", "umulo", "usubo",
];
const UNARY: &[&str] = &["dec", "inc", "neg", "not"];
const REDUCTIONS: &[&str] = &["redand", "redor", "redxor"];

/// A file with all operators of a width as outputs; a minus before an operand is tried too.
fn all_operators(width: u32) -> (String, Vec<(&'static str, bool)>) {
    let mut text = format!("1 sort bitvec {width}\n2 sort bitvec 1\n3 input 1 a\n4 input 1 b\n");
    let (mut id, mut list) = (5, Vec::new());
    let single: &[&str] = if width == 1 { &["iff", "implies"] } else { &[] };
    let binary = SAME.iter().map(|name| (name, 1)).chain(TESTS.iter().chain(single).map(|name| (name, 2)));
    for (&name, sort) in binary {
        for minus in ["", "-"] {
            text += &format!("{id} {name} {sort} {minus}3 4\n{} output {id} {name}\n", id + 1);
            list.push((name, !minus.is_empty()));
            id += 2;
        }
    }
    for (&name, sort) in UNARY.iter().map(|name| (name, 1)).chain(REDUCTIONS.iter().map(|name| (name, 2))) {
        for minus in ["", "-"] {
            text += &format!("{id} {name} {sort} {minus}3\n{} output {id} {name}\n", id + 1);
            list.push((name, !minus.is_empty()));
            id += 2;
        }
    }
    (text, list)
}

fn number(value: &Value) -> UBig {
    match value {
        Value::Bool(value) => UBig::from(*value),
        Value::BitVec { value, .. } => value.clone(),
        _ => panic!("no bits"),
    }
}

#[test]
fn operators_compute_what_the_format_says() {
    for width in [1, 2, 3, 4, 7, 8, 33, 64, 65, 130] {
        let (text, list) = all_operators(width);
        for text in [text.clone(), rewritten(&text)] {
            let mut terms = Terms::new();
            let system = read("btor2", &mut terms, &text);
            assert_eq!(system.outputs.len(), list.len());
            let (a, b) = (symbol(&system, &terms, "a"), symbol(&system, &terms, "b"));
            let sort = terms.fun(a).result;
            let mut rng = Rng::new(u64::from(width));
            for _ in 0..40 {
                let mut values = Assignment::new();
                let (x, y) =
                    (random_value(&mut terms, &mut rng, sort), random_value(&mut terms, &mut rng, sort));
                let (x, y) = (x.expect("bits"), y.expect("bits"));
                values.set(a, x.clone());
                values.set(b, y.clone());
                let mut evaluator = Evaluator::new(&terms);
                for (output, (name, negated)) in system.outputs.iter().zip(&list) {
                    let found = evaluator.eval(output.term, &mut values).expect("a value");
                    let first = if *negated { UBig::ones(width as usize) ^ number(&x) } else { number(&x) };
                    let wanted = expected(name, width, &first, &number(&y));
                    assert_eq!(number(&found), wanted, "{name} {negated} {width} {first} {}", number(&y));
                }
            }
        }
    }
}

/// A file written again by us.
fn rewritten(text: &str) -> String {
    let mut terms = Terms::new();
    let system = read("btor2", &mut terms, text);
    String::from_utf8(written("btor2", &mut terms, &system).expect("expressible")).expect("text")
}

/// Reading what was written gives the same system: same names, same formulas.
fn round_trip(text: &str) {
    let mut terms = Terms::new();
    let system = read("btor2", &mut terms, text);
    let before = shown(&terms, &system);
    let again = written("btor2", &mut terms, &system).expect("expressible");
    let mut terms = Terms::new();
    let system = read("btor2", &mut terms, std::str::from_utf8(&again).expect("text"));
    same(&before, &shown(&terms, &system), "a text of this test");
}

#[test]
fn the_way_to_text_and_back() {
    for width in [1, 3, 8] {
        round_trip(&all_operators(width).0);
    }
    round_trip(MIXED);
    round_trip(ARRAYS);
    // An operator that changes widths.
    round_trip(
        "1 sort bitvec 3\n2 sort bitvec 5\n3 sort bitvec 8\n4 input 1\n5 input 2 with;semicolon\n6 concat 3 4 -5\n\
         7 slice 1 6 4 2\n8 uext 3 4 5\n9 sext 3 -4 5\n10 uext 1 4 0 alias ; comment\n11 output 6\n12 output 7\n\
         13 output 8\n14 output 9\n15 output -10\n",
    );
    // Constants of all kinds.
    round_trip(
        "1 sort bitvec 4\n2 const 1 0101\n3 constd 1 -8\n4 consth 1 f\n5 zero 1\n6 one 1\n7 ones 1\n8 constd 1 13\n\
         9 output 2\n10 output 3\n11 output 4\n12 output 5\n13 output 6\n14 output 7\n15 output 8\n\
         16 sort bitvec 70\n17 consth 16 123456789abcdef01\n18 output 17\n",
    );
}

const MIXED: &str = "\
; a counter with everything
1 sort bitvec 1
2 sort bitvec 4
3 input 1 up
4 zero 2
5 state 2 count
6 init 2 5 4
7 inc 2 5
8 ite 2 3 7 5
9 next 2 5 8
10 state 1 frozen ; without next
11 state 1 free
12 next 1 11 -3
13 constd 2 10
14 eq 1 5 13
15 bad 14 reached
16 implies 1 10 3
17 constraint 16
18 fair 3
19 justice 2 14 -11 again
20 output 8 shown
21 state 2 copy
22 init 2 21 5
23 next 2 21 -5
24 bad -3
";

const ARRAYS: &str = "\
1 sort bitvec 1
2 sort bitvec 3
3 sort array 2 1
4 zero 1
5 state 3 flags
6 init 3 5 4
7 input 2 at
8 read 1 5 7
9 write 3 5 7 -8
10 next 3 5 9
11 state 3 other
12 eq 1 5 11
13 input 1 which
14 ite 3 13 5 11
15 next 3 11 14
16 neq 1 11 14
17 bad 12
18 constraint -16
";

#[test]
fn what_a_file_means() {
    let mut terms = Terms::new();
    let system = read("btor2", &mut terms, MIXED);
    assert_eq!(system.states.len(), 4);
    assert_eq!((system.init.len(), system.trans.len(), system.invar.len()), (2, 3, 1));
    let [bad, live, last] = &system.properties[..] else { panic!("three properties") };
    assert_eq!((bad.index, bad.name.as_deref()), (0, Some("reached")));
    assert_eq!((live.index, live.name.as_deref()), (1, Some("again")));
    assert_eq!(last.index, 2);
    // Two conditions and the fairness one.
    assert!(matches!(&live.kind, PropertyKind::Live(formulas) if formulas.len() == 3));
    let (_, trace) = random_run(&mut terms, &system, 20, 7);
    for formula in system.trans.iter().chain(&system.init) {
        assert!(trace.steps.len() == 20 && terms.sort(*formula) == smt::sort::SortId::BOOL);
    }
    let mut plain = system.clone();
    plain.invar.clear();
    assert_eq!(trace.is_execution(&terms, &plain), Ok(()));
    let count = symbol(&system, &terms, "count");
    assert_eq!(trace.steps[0].get(count).map(number), Some(UBig::ZERO));
}

#[test]
fn truth_values_that_nothing_uses_are_hints() {
    let mut terms = Terms::new();
    let text = "1 sort bitvec 1\n2 sort bitvec 4\n3 state 2 x\n4 input 1 i\n5 zero 2\n6 eq 1 3 5\n7 and 1 6 4\n\
                8 add 2 3 3\n9 one 1\n10 redor 1 3\n11 bad 10\n12 xor 1 7 -4\n13 state 1\n";
    let system = read("btor2", &mut terms, text);
    // Line 8 is no truth value, 7 and 10 are used, and 4, 9 and 13 are no formulas.
    assert_eq!(system.hints.len(), 1);
    let hint = smt::print::term_text(&terms, system.hints[0]);
    assert!(hint.contains("xor"), "{hint}");
}

#[test]
fn errors_have_their_places() {
    for (text, wanted) in [
        ("1 aa 1", "x:1:3: error[BTOR002]: `aa` is no keyword of BTOR2"),
        (
            "1 sort bitvec 32\n2 zero 1\n3 add 1 2",
            "x:3:10: error[BTOR001]: expected a second operand, found the end of the line",
        ),
        (
            "1 sort bitvec 32\n2 zero 1\n3 add 1 2nospace",
            "x:3:9: error[BTOR001]: expected a first operand, found `2nospace`",
        ),
        (
            "1 sort bitvec 1\n2 sort bitvec 2\n3 sort bitvec 3\n4 zero 1\n5 ones 2\n6 and 3 4 5",
            "x:6:9: error[BTOR004]: expected a first operand of sort 3 bits, found one bit",
        ),
        (
            "1 sort bitvec 32\n2 zero 1\n3 and 1 2 2 ",
            "x:3:13: error[BTOR001]: expected a symbol or the end of the line after the blank",
        ),
        ("1 sort bitvec 1\n2 and 1 3", "x:2:9: error[BTOR003]: the value 3 is not defined before"),
        ("1 sort bitvec 8\n2 array 1", "x:2:3: error[BTOR002]: `array` is no keyword of BTOR2"),
        ("1 ", "x:1:3: error[BTOR001]: expected a keyword, found the end of the line"),
        ("1", "x:1:2: error[BTOR001]: expected a keyword, found the end of the line"),
        (
            "1 sort bitvec 1\n2 input 1 sym bol",
            "x:2:14: error[BTOR001]: expected the end of the line after the symbol",
        ),
        ("0 sort bitvec 1", "x:1:1: error[BTOR003]: line numbers begin with 1"),
        ("1 0", "x:1:3: error[BTOR001]: expected a keyword, found `0`"),
        ("10000000000000", "x:1:1: error[BTOR005]: 10000000000000 is too large, the limit is 1099511627776"),
        (
            "1 sort bitvec 2147483648",
            "x:1:15: error[BTOR005]: 2147483648 is too large, the limit is 2147483647",
        ),
        ("a", "x:1:1: error[BTOR001]: expected a line number, found `a`"),
        ("1 and a", "x:1:7: error[BTOR001]: expected the number of a sort, found `a`"),
        ("1 and 1 1", "x:1:7: error[BTOR003]: the sort 1 is not defined before"),
        (
            "1 sort bitvec 1\n2 sort array 1",
            "x:2:15: error[BTOR001]: expected the number of a sort, found the end of the line",
        ),
        ("1 sort bitvec 0", "x:1:15: error[BTOR005]: a bit-vector has at least one bit"),
        ("1 sort float 3", "x:1:8: error[BTOR002]: expected `bitvec` or `array`, found `float`"),
        ("\t", "x:1:1: error[BTOR001]: expected a line number, found a tab"),
        (
            "4 sort bitvec 32\n7 sort bitvec 1\n5 zero 4",
            "x:3:1: error[BTOR003]: the line number 5 is smaller than the one before",
        ),
        ("4 sort bitvec 32\n4 zero 4", "x:2:1: error[BTOR003]: the line number 4 is already used"),
        (
            "1 sort bitvec 1\n2 zero 1 1 1",
            "x:2:11: error[BTOR001]: expected the end of the line after the symbol",
        ),
        ("1 sort bitvec 3\n2 const 1 01", "x:2:11: error[BTOR005]: expected 3 binary digits, found 2"),
        ("1 sort bitvec 3\n2 const 1 012", "x:2:11: error[BTOR001]: expected a binary number, found `012`"),
        ("1 sort bitvec 3\n2 constd 1 8", "x:2:12: error[BTOR005]: `8` does not fit into 3 bits"),
        ("1 sort bitvec 3\n2 constd 1 -5", "x:2:12: error[BTOR005]: `-5` does not fit into 3 bits"),
        ("1 sort bitvec 3\n2 consth 1 8", "x:2:12: error[BTOR005]: `8` does not fit into 3 bits"),
        ("1 sort bitvec 3\n2 constd 1 +1", "x:2:12: error[BTOR001]: expected a decimal number, found `+1`"),
        (
            "1 sort bitvec 3\n2 input 1\n3 slice 1 2 3 0",
            "x:3:13: error[BTOR005]: there is no bit 3 in a value of 3 bits",
        ),
        (
            "1 sort bitvec 3\n2 input 1\n3 slice 1 2 1 2",
            "x:3:15: error[BTOR005]: the lowest bit, 2, is above the highest, 1",
        ),
        (
            "1 sort bitvec 3\n2 input 1\n3 slice 1 2 1 0",
            "x:3:3: error[BTOR004]: this line's value has sort 2 bits, not 3 bits",
        ),
        (
            "1 sort bitvec 3\n2 input 1\n3 init 1 2 2",
            "x:3:10: error[BTOR006]: expected a state, found another value",
        ),
        (
            "1 sort bitvec 3\n2 input 1\n3 state 1\n4 init 1 3 2",
            "x:4:12: error[BTOR006]: an initial value must not depend on inputs",
        ),
        (
            "1 sort bitvec 3\n2 state 1\n3 next 1 2 2\n4 next 1 2 2",
            "x:4:10: error[BTOR006]: the state has two next values",
        ),
        (
            "1 sort bitvec 3\n2 sort array 1 1\n3 state 2\n4 state 1\n5 init 2 3 4",
            "x:5:12: error[BTOR006]: all elements of an array can be initialised by a constant only",
        ),
        (
            "1 sort bitvec 3\n2 sort array 1 1\n3 state 2\n4 eq 1 3 -3",
            "x:4:10: error[BTOR004]: line 3 is an array, which cannot be negated",
        ),
        (
            "1 sort bitvec 3\n2 sort array 1 1\n3 state 2\n4 not 2 3",
            "x:4:9: error[BTOR004]: expected bit-vectors, found an array",
        ),
        (
            "1 sort bitvec 3\n2 sort array 1 1\n3 zero 2",
            "x:3:8: error[BTOR004]: a constant is a bit-vector, this sort is an array",
        ),
        (
            "1 sort bitvec 3\n2 input 1\n3 bad 2",
            "x:3:7: error[BTOR004]: expected a condition of sort one bit, found 3 bits",
        ),
        ("1 sort bitvec 1\n2 input 1\n3 bad 2\n4 not 1 3", "x:4:9: error[BTOR003]: line 3 is no value"),
        ("1 sort bitvec 1\n2 input 1\n3 not 2 2", "x:3:7: error[BTOR003]: line 2 is no sort"),
        (
            "1 sort bitvec 1\n2 justice 0",
            "x:2:11: error[BTOR005]: a justice property has at least one condition",
        ),
        ("1 sort bitvec 1\n2  input 1", "x:2:3: error[BTOR001]: expected a keyword, found a second blank"),
    ] {
        let found = errors("btor2", text);
        assert!(found.starts_with(wanted), "{text}\nfound  {found}\nwanted {wanted}");
    }
}

#[test]
fn an_error_is_reported_once() {
    let text = "1 sort bitvec 4\n2 inptu 1 a\n3 not 1 2\n4 add 1 3 3\n5 add 1 2 6\n6 zero 9\n";
    let found = errors("btor2", text);
    assert_eq!(found.matches("error[").count(), 2, "{found}");
    assert!(found.contains("did you mean `input`?") && found.contains("x:6:8: error[BTOR003]"), "{found}");
}

/// Long files and deep terms take time in proportion and no stack.
#[test]
fn size_and_depth_are_no_problem() {
    let mut text = String::from("1 sort bitvec 8\n2 input 1\n");
    for id in 3..100_000 {
        text += &format!("{id} add 1 {} 2\n", id - 1);
    }
    text += "100000 state 1\n100001 next 1 100000 99999\n";
    for id in 0..20_000 {
        text += &format!("{} state 1 same\n", 100_002 + id);
    }
    let mut terms = Terms::new();
    let system = read("btor2", &mut terms, &text);
    assert_eq!(system.states.len(), 20_001);
    assert!(written("btor2", &mut terms, &system).is_ok());
    // Sorts of arrays of arrays, and widths, that would be huge when spelled out.
    let mut text = String::from("1 sort bitvec 2147483646\n");
    for id in 2..200 {
        text += &format!("{id} sort array {} {}\n", id - 1, id - 1);
    }
    text += "200 state 199\n201 state 1\n202 redxor 1 201\n203 eq 1 200 200\n";
    let found = errors("btor2", &text);
    assert!(found.contains("BTOR004"), "{found}");
}

#[test]
fn random_changes_never_break_the_reader() {
    let mut rng = Rng::new(4);
    for text in [MIXED, ARRAYS] {
        for _ in 0..2000 {
            let bytes = testkit::mutate(text.as_bytes(), &mut rng, &["-3", "state", "init"]);
            survives("btor2", &["btor2", "aig"], &bytes);
        }
    }
}

#[test]
fn the_corpus_is_read_and_written() {
    let files = corpus_files("ts/btor2", &["btor", "btor2", "in"]);
    let mut read_count = 0;
    for path in files {
        let bytes = std::fs::read(&path).expect("a file");
        let mut terms = Terms::new();
        let result = read_bytes("btor2", &mut terms, &bytes);
        // The reference's own examples say by a neighbour what it answered to each.
        let refused = path.with_extension("out").exists();
        match result {
            Err(found) => assert!(refused, "{}: {}", path.display(), found[0].message),
            Ok(system) => {
                assert!(!refused, "{}", path.display());
                read_count += 1;
                let before = shown(&terms, &system);
                let again = written("btor2", &mut terms, &system).expect("expressible");
                let mut terms = Terms::new();
                let second = read_bytes("btor2", &mut terms, &again).expect("what we wrote");
                same(&before, &shown(&terms, &second), &path.display().to_string());
            }
        }
    }
    assert!(read_count == 0 || read_count >= 100, "{read_count}");
}
