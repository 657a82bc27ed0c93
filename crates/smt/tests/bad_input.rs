//! Input that nobody should write: extremely deep, extremely long, cut off, damaged, random. Whatever it is, the
//! reader comes back with terms or with diagnostics that have a place; it never panics, never recurses (the deep
//! cases run on a small stack), and it stays linear (a case that were not would take hours, not seconds).

mod common;

use common::Kernel;
use diag::{Diagnostic, SourceMap};
use smt::sexpr::{Reader, Splitter, Text, Tree};
use testkit::{Rng, mutate};

/// Runs on a stack that no recursion over deep input survives.
fn on_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread =
        std::thread::Builder::new().stack_size(256 * 1024).spawn(work).expect("threads can be started");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

/// Reads a script and checks what every report must have: a code, a place inside the text, and a message that
/// can be rendered.
fn read(text: &str) -> Vec<Diagnostic> {
    let (_, errors) = Kernel::new().read(text);
    let mut sources = SourceMap::default();
    sources.add("input", text.to_string()).expect("test inputs are small");
    for error in &errors {
        assert!(error.span.start <= error.span.end && error.span.end as usize <= text.len());
        assert!(diag::render::text(&sources, error).len() < 4000);
    }
    errors
}

fn codes(errors: &[Diagnostic]) -> Vec<&'static str> {
    errors.iter().map(|error| error.code.name()).collect()
}

const DEEP: usize = 1_000_000;

/// What is rarer is not nested as deeply, for the sake of the time that tests take.
const LESS_DEEP: usize = 100_000;

fn check_deep(before: &str, text: String, after: &str, expected: &[&'static str]) {
    let cut = format!("{before}{}", &text[..text.len() / 2]);
    let text = format!("{before}{text}{after}");
    let expected = expected.to_vec();
    on_small_stack(move || {
        assert_eq!(codes(&read(&text)), expected, "{}…", &text[..60]);
        assert_eq!(codes(&read(&cut)).last(), Some(&"SMT004"), "{}…", &cut[..60]);
    });
}

/// `(assert …)` of `open` so many times, a middle, `close` as many times; and the same cut off in the middle.
fn deep_term(depth: usize, open: &str, middle: &str, close: &str, expected: &[&'static str]) {
    let text = format!("{}{middle}{}", open.repeat(depth), close.repeat(depth));
    let before = "(declare-const b Bool) (declare-const x Int) (declare-datatype D ((c (s Bool)))) (assert ";
    check_deep(before, text, ")", expected);
}

#[test]
fn a_million_parentheses() {
    let text = format!("{}{}", "(".repeat(DEEP), ")".repeat(DEEP));
    check_deep("", text, "", &["SMT010"]);
}

#[test]
fn a_million_negations() {
    deep_term(DEEP, "(not ", "b", ")", &[]);
}

#[test]
fn a_million_lets() {
    deep_term(DEEP, "(let ((b (not b))) ", "b", ")", &[]);
}

#[test]
fn very_deep_lets_inside_bindings() {
    deep_term(LESS_DEEP, "(let ((b ", "b", ")) b)", &[]);
}

#[test]
fn a_million_quantifiers() {
    deep_term(DEEP, "(forall ((x Int)) ", "(= x 1)", ")", &[]);
}

#[test]
fn very_deep_captured_variables() {
    deep_term(LESS_DEEP, "(let ((y x)) (exists ((x Int)) ", "(= x y)", "))", &[]);
}

#[test]
fn a_million_annotations() {
    deep_term(DEEP, "(! ", "b", " :a 1)", &[]);
}

#[test]
fn very_deep_matches() {
    deep_term(LESS_DEEP, "(match (c b) (((c b) ", "b", ")))", &[]);
}

#[test]
fn very_deep_matches_inside_scrutinees() {
    deep_term(LESS_DEEP, "(match (c ", "b", ") (((c b) b)))", &[]);
}

#[test]
fn very_deep_qualifications() {
    deep_term(LESS_DEEP, "(as ", "b", " Bool)", &["SMT010"]);
    deep_term(LESS_DEEP, "((as ", "b", " Bool) b)", &["SMT010"]);
}

#[test]
fn very_deep_heads() {
    deep_term(LESS_DEEP, "(", "b", " b)", &["SMT010"]);
}

#[test]
fn very_deep_errors() {
    deep_term(LESS_DEEP, "(not 5 ", "b", ")", &["SMT014"]);
}

#[test]
fn a_million_sorts() {
    let text = format!("{}Int{}", "(Array Int ".repeat(DEEP), ")".repeat(DEEP));
    check_deep("(declare-const a ", text, ")", &[]);
    let text = format!("{}Int{}", "(Seq ".repeat(DEEP), ")".repeat(DEEP));
    check_deep("(define-fun f ((a ", text, ")) Bool (= a 1))", &["SMT015"]);
}

#[test]
fn very_deep_parts_of_other_commands() {
    let text = format!("{}Int{}", "(par (T) ".repeat(LESS_DEEP), ")".repeat(LESS_DEEP));
    check_deep("(declare-datatype D ", text, ")", &["SMT010"]);
    let text = format!("{}x{}", "(".repeat(LESS_DEEP), ")".repeat(LESS_DEEP));
    check_deep("(set-info :x ", text, ")", &[]);
}

#[test]
fn sorts_that_double() {
    let mut text = String::from("(define-sort S0 () Int)\n");
    for i in 0..1000 {
        text.push_str(&format!("(define-sort S{} () (Array S{i} S{i}))\n", i + 1));
    }
    text.push_str("(declare-const a S1000) (declare-const b S999) (assert (= b (select a b)))");
    text.push_str("(declare-datatype L (par (T) ((nil) (cons (hd (Array T T)) (tl (L T))))))");
    text.push_str("(declare-const l (L S999)) (assert (= l (cons a l)))");
    assert_eq!(codes(&read(&text)), [""; 0]);
}

/// Widths and levels are numbers, not memory.
#[test]
fn large_numbers_cost_nothing() {
    let wide = "(assert (= (_ bv1 4294967295) ((_ zero_extend 4294967294) #b1)))";
    assert_eq!(codes(&read(wide)), [""; 0]);
    assert_eq!(codes(&read(&"(push 4294967295)\n".repeat(1000))), [""; 0]);
    assert_eq!(codes(&read("(declare-sort S 4294967295) (declare-const s S)")), ["SMT014"]);
    let digits = "7".repeat(2_000_000);
    assert_eq!(codes(&read(&format!("(assert (= {digits} {digits}.5 {digits}))"))), ["SMT017"; 3]);
    assert_eq!(codes(&read(&format!("(assert (= (_ bv{digits} 8) #x{digits} #x00))"))), ["SMT017"]);
    assert_eq!(codes(&read(&format!("(assert (= -{digits} 1))"))), ["SMT012"]);
}

#[test]
fn long_tokens() {
    let long = "x".repeat(20_000_000);
    assert_eq!(codes(&read(&format!("(assert {long})"))), ["SMT012"]);
    assert_eq!(codes(&read(&format!("(declare-const |{long}| Bool) (assert {long})"))), [""; 0]);
    assert_eq!(codes(&read(&format!("(declare-const c Bool) ; {long}\n(assert \"{long}\")"))), ["SMT015"]);
    assert_eq!(codes(&read(&format!("(assert (= 1 |{long}"))), ["SMT003", "SMT004"]);
}

const SAMPLE: &str = r#"; a sample with every kind of token
(set-info :source |two
lines|)
(set-option :note "a ""quoted"" word")
(declare-datatypes ((Tree 1)) ((par (X) ((leaf) (node (left (Tree X)) (val X) (right (Tree X)))))))
(declare-fun |f g| (Int (Array Int Real)) (_ BitVec 8))
(define-fun-rec depth ((t (Tree Int))) Int
  (match t ((leaf 0) ((node l v r) (let ((a (depth l)) (b (depth r))) (+ 1 (ite (> a b) a b)))))))
(assert (! (forall ((x Int) (a (Array Int Real))) (! (bvult (|f g| x a) #xF0) :pattern ((|f g| x a)))) :named n))
(push 1)
(assert (= ((_ extract 3 0) (bvadd #b00000001 (_ bv5 8))) #x6 ((as const (Array Int Real)) 1.5)))
(pop 1) (check-sat-assuming (n)) (exit)
"#;

#[test]
fn every_prefix_of_a_sample() {
    let whole = read(SAMPLE);
    assert_eq!(codes(&whole), ["SMT015"]);
    for end in 0..SAMPLE.len() {
        let errors = read(&SAMPLE[..end]);
        // An unfinished command is the only new problem.
        let open = errors.iter().filter(|e| ["SMT003", "SMT004"].contains(&e.code.name())).count();
        let other = errors.len() - open;
        assert!(open <= 2 && other <= 1, "{:?}", codes(&errors));
        let inside = Splitter::default().clone();
        let (mut splitter, mut rest) = (inside, &SAMPLE.as_bytes()[..end]);
        while let Some(length) = splitter.push(rest) {
            rest = &rest[length..];
        }
        assert_eq!(splitter.inside(), open > 0, "at {end}: {:?}", &SAMPLE[end.saturating_sub(20)..end]);
    }
}

#[test]
fn every_byte_of_a_sample_damaged() {
    for at in 0..SAMPLE.len() {
        for byte in [b'(', b')', b'|', b'"', b';', b'#', b'0', b' ', 0, 0xff] {
            let mut bytes = SAMPLE.as_bytes().to_vec();
            bytes[at] = byte;
            read_bytes(bytes);
        }
    }
}

/// Reads bytes as a file is read.
fn read_bytes(bytes: Vec<u8>) {
    let mut sources = SourceMap::default();
    match sources.add_bytes("input", bytes) {
        Ok(file) => {
            read(sources.text(file));
        }
        Err(error) => {
            assert_eq!(error.code.name(), "SMT001");
            assert!(diag::render::text(&sources, &error).contains("error[SMT001]"));
        }
    }
}

#[test]
fn random_bytes_and_mutations() {
    let mut rng = Rng::new(2026);
    for _ in 0..300 {
        let length = rng.below(2000);
        read_bytes(rng.bytes(length));
        // Printable characters get further than arbitrary bytes.
        let bytes: Vec<u8> = (0..length).map(|_| *rng.choose(b"()() |\";#:x1.'!_ \n")).collect();
        read_bytes(bytes);
        let tokens = ["(", ")", "let", "forall", "_", "as", "!", "match", "assert", "|x|", "Int"];
        read_bytes(mutate(SAMPLE.as_bytes(), &mut rng, &tokens));
    }
}

/// The number of nodes is bounded by the number of bytes, whatever the bytes are.
#[test]
fn trees_are_no_larger_than_their_text() {
    let mut rng = Rng::new(7);
    for _ in 0..200 {
        let length = rng.below(500);
        let text: String = (0..length).map(|_| char::from(*rng.choose(b"()|\";# a1:\\"))).collect();
        let (mut reader, mut tree, mut errors) = (Reader::new(Text::new(&text, 0)), Tree::new(), Vec::new());
        let mut nodes = 0;
        while reader.read(&mut tree, &mut errors) {
            nodes += tree.len();
            let span = tree.span(0);
            assert!(span.start < span.end);
        }
        assert!(nodes as usize <= text.len());
    }
}
