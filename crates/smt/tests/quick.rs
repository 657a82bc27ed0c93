//! Usual commands are read from characters to terms in one go, all others by way of a tree. Both must come to the same:
//! a comment behind the first word makes any command an unusual one.

mod common;

use common::Kernel;
use smt::print::term_text;
use testkit::Rng;

/// Everything that reading a text comes to: commands, the terms of the store in order, what is wrong.
fn read(text: &str, vmt: bool) -> (Vec<String>, Vec<String>) {
    let mut kernel = if vmt { Kernel::vmt() } else { Kernel::new() };
    let (commands, errors) = kernel.read(text);
    let found = commands.iter().map(|command| format!("{command:?}"));
    let terms = commands.iter().filter_map(|command| match command {
        smt::parse::Command::DefineFun(fun) => {
            Some(term_text(&kernel.terms, kernel.terms.definition(*fun)?.1))
        }
        _ => None,
    });
    // A wrong command may leave other terms behind, if it is not even looked at.
    let count = errors.is_empty().then(|| kernel.terms.len().to_string());
    let found: Vec<String> = found.chain(terms).chain(count).collect();
    (found, errors.iter().map(|error| format!("{} {}", error.code, error.message)).collect())
}

fn same_either_way(lines: &[String]) {
    let slow: Vec<String> = lines
        .iter()
        .map(|line| {
            line.replacen("define-fun ", "define-fun ;\n ", 1).replacen("declare-fun ", "declare-fun ;\n ", 1)
        })
        .collect();
    for vmt in [false, true] {
        let (quick, slow) = (read(&lines.join("\n"), vmt), read(&slow.join("\n"), vmt));
        assert_eq!(quick, slow, "{}", lines.join("\n"));
    }
}

const START: &[&str] = &[
    "(declare-fun a () Bool)",
    "(declare-fun |b c| () Bool)",
    "(declare-fun x () Int)",
    "(declare-fun r () Real)",
    "(declare-fun v () (_ BitVec 8))",
    "(declare-fun w () ( _  BitVec 8 ))",
    "(declare-fun f (Int) Bool)",
    "(define-fun g ((y Int)) Int (+ y x))",
    "(define-fun one () Int 1)",
    "(declare-fun m () (Array Int Int))",
    "(define-sort Byte () (_ BitVec 8))",
    "(declare-fun z () Byte)",
];

/// What a command ends in: some of it right, some of it wrong in one way.
const RESTS: &[&str] = &[
    "() Bool (and a |b c|))",
    "() Bool (and a |a|))",
    "() Bool (|and| a a))",
    "() Bool (not a ))",
    "()Bool(not(and a a)))",
    "() Bool true)",
    "() Bool (true))",
    "() Bool (_ bv1 1))",
    "() (_ BitVec 8) (bvadd v (_ bv255 8)))",
    "() (_ BitVec 8) (bvadd v (_ bv256 8)))",
    "() (_ BitVec 8) (bvadd v (|_| bv1 8)))",
    "() (_ BitVec 8) (bvadd v (_ |bv1| 8)))",
    "() (_ BitVec 0) v)",
    "() (_ BitVec 4) ((_ extract 3 0) v))",
    "() (_ BitVec 4) ((_ extract 0 3) v))",
    "() (_ BitVec 4) ((_ extract 3) v))",
    "() (_ BitVec 4) (( _ extract 3 0 ) v))",
    "() (_ BitVec 4) ((_ nothing 3 0) v))",
    "() Bool ((_ is x) v))",
    "() Byte v)",
    "() Byte #x0f)",
    "() Real x)",
    "() Real (+ x r))",
    "() Real (+ 1 r))",
    "() Int (- x))",
    "() Int (- x 1 one))",
    "() Int -1)",
    "() Int 007)",
    "() Int 123456789012345678901234567890)",
    "() Int 1.5)",
    "() Int (g 1))",
    "() Int (g))",
    "() Int (g g))",
    "() Int one)",
    "() Bool (f x))",
    "() Bool (f r))",
    "() Bool (f \"x\"))",
    "() Bool f)",
    "() Int (select m 1))",
    "() Int (m 1))",
    "() Bool (! a :next a))",
    "() Bool (let ((a true)) a))",
    "() Bool (forall ((a Bool)) a))",
    "() Bool (old a))",
    "() Bool (= x unknown))",
    "() Bool (= x r v))",
    "() Bool (= x x) x)",
    "() Bool (and))",
    "() Bool ())",
    "() Bool)",
    "() Bool",
    "() Int)",
    "() Nothing)",
    "() (Array Int Bool))",
    "(Int) Int)",
    "( ) Int)",
    "() Bool (and a ; a comment\n a))",
    "() Bool (and a é))",
    "() Bool (and a a\"s\"))",
    "() Bool (G a))",
    "() Bool (X (and a a)))",
];

#[test]
fn usual_commands_are_read_like_all_others() {
    for rest in RESTS {
        for word in ["define-fun", "declare-fun"] {
            for name in ["n", "|n n|", "a", "and", "-", "X", "is-x", "1", ":n", "let"] {
                let mut lines: Vec<String> = START.iter().map(ToString::to_string).collect();
                lines.push(format!("({word} {name} {rest}"));
                lines.push("(define-fun last () Bool (not a))".into());
                same_either_way(&lines);
            }
        }
    }
}

#[test]
fn random_commands_are_read_like_all_others() {
    const WORDS: &[&str] = &[
        "(", ")", "(", ")", "and", "a", "|b c|", "x", "v", "=", "bvadd", "_", "bv1", "8", "extract", "0",
        "n0", "n1", "n2", "+", "f", "true", "not", "ite", "Bool", "()", "Int", "-", "to_real", "r", "!",
        ":next", "let", "m", "select",
    ];
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let mut lines: Vec<String> = START.iter().map(ToString::to_string).collect();
        for number in 0..6 {
            let mut line = match rng.below(3) {
                0 => format!("(declare-fun n{number} () Bool"),
                1 => format!("(define-fun n{number} () Bool (and a "),
                _ => format!("(define-fun n{number} () Int (+ x "),
            };
            for _ in 0..rng.below(9) {
                let part: &&str = rng.choose(WORDS);
                line.push_str(part);
                let part: &&str = rng.choose(&[" ", " ", "  ", "", "\n", "\t"]);
                line.push_str(part);
            }
            let part: &&str = rng.choose(&["))", ")", ")))"]);
            line.push_str(part);
            lines.push(line);
        }
        same_either_way(&lines);
    }
}
