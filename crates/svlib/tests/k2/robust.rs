//! Bad and extreme input: an answer, in time and memory that the input explains, and never a panic.

use super::{findings, read_errors, translated, try_translate};
use testkit::Rng;
use testkit::mutate;

const SAMPLE: &str = r##"
(type t (map (ubv 4) (enum a b)))
(globals (var g t) (! (var |x\|y| real) :k v) (var "str" (fp 5 10)))
(init (assume (lt |x\|y| (const 1.5e2 real))))
(entry main)
(define d (mapget g (const #xf (ubv 4))))
(function main ((var n int)) (return (var r int)) (locals (var u (sbv 8)))
  (seq
    (label top)
    (condjump (eq d (const a (enum b a))) (label end))
    (jump (label top) (label end))
    (assign u (cast (sbv 8) (div n (const 3 int))))
    (assign n (ite (isnan "str") (cast int u) (const -7 int)))
    (call main n r)
    (call (const other (fun (int) (int))) r n)
    (! (label end) :error oops :line 12)
    (havoc g)))
"##;

#[test]
fn the_sample_is_good() {
    assert!(translated(SAMPLE).script.ends_with("(verify-call start (n))\n"));
}

#[test]
fn truncated_anywhere() {
    for end in (0..SAMPLE.len()).filter(|&end| SAMPLE.is_char_boundary(end)) {
        let text = &SAMPLE[..end];
        if let Err(errors) = try_translate(text) {
            assert!(!errors.is_empty());
            findings(text, &errors);
        } else {
            assert_eq!(text.trim_end(), SAMPLE.trim_end());
        }
    }
}

#[test]
fn mutated() {
    let mut rng = Rng::new(2);
    let tokens =
        ["(seq ", "(label ", "(! ", ":error", "(const ", "(cast ", "|", "\"", "#x", "(fun ", "(map ", "1e9"];
    for _ in 0..3000 {
        let bytes = mutate(SAMPLE.as_bytes(), &mut rng, &tokens);
        let text = String::from_utf8_lossy(&bytes);
        match try_translate(&text) {
            Ok(translation) => assert_eq!(read_errors(&translation.script), [""; 0], "{text}"),
            Err(errors) => {
                assert!(!errors.is_empty());
                findings(&text, &errors);
            }
        }
    }
}

#[test]
fn deep_nesting() {
    const DEEP: usize = 100_000;
    let wrap =
        |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(DEEP), close.repeat(DEEP));
    let program = |body: &str| {
        format!("(entry main) (globals (var b bool) (var i int)) (function main () (return) (locals) {body})")
    };
    translated(&program(&wrap("(seq ", "(assume b)", ")")));
    translated(&program(&wrap("(! ", "(assume b)", " :k v)")));
    translated(&program(&format!("(assume {})", wrap("(not ", "b", ")"))));
    translated(&program(&format!("(assume {})", wrap("(! ", "b", " :k v)"))));
    translated(&program(&format!("(assign i {})", wrap("(div ", "i", " i)"))));
    let errors = try_translate(&program(&format!("(assume (const 0 {}))", wrap("(map int ", "int", ")"))));
    assert_eq!(errors.expect_err("too large")[0].message, "a type with more than 1000 parts");
    assert!(try_translate(&wrap("(", "", ")")).is_err());
    assert!(try_translate(&"(".repeat(DEEP)).is_err());
}

#[test]
fn nothing_small_becomes_large() {
    // Types that use the one before twice, constants with large exponents, wide bit-vectors.
    let types: String = (1..60).map(|i| format!("(type t{i} (map t{} t{}))", i - 1, i - 1)).collect();
    let text = format!("(type t0 int) {types} (entry main) (function main () (return) (locals) (seq))");
    let errors = try_translate(&text).expect_err("too large");
    assert_eq!(errors[0].message, "a type with more than 1000 parts");

    let defines: String = (1..200).map(|i| format!("(define d{i} (add d{} d{}))", i - 1, i - 1)).collect();
    let text = format!(
        "(globals (var x int)) (define d0 x) {defines} (entry main)
         (function main () (return) (locals) (assign x d199))"
    );
    assert!(translated(&text).script.len() < 20_000);

    let constants: String = (0..2000).map(|i| format!("(assign r (const {i}e4999 real))")).collect();
    let text =
        format!("(globals (var r real)) (entry main) (function main () (return) (locals) (seq {constants}))");
    let errors = try_translate(&text).expect_err("too large");
    assert_eq!(errors[0].message, "the constants of this program are too large to be written out");

    let constants = "(assign v (cast (ubv 65536) (const true bool)))".repeat(2000);
    let text = format!(
        "(globals (var v (ubv 65536))) (entry main) (function main () (return) (locals) (seq {constants}))"
    );
    assert!(try_translate(&text).is_err());
}

#[test]
fn many_statements_in_linear_time() {
    let body: String = (0..50_000)
        .map(|i| {
            format!("(label l{i}) (assign x (add x (const {i} int))) (condjump (lt x y) (label l{i}))\n")
        })
        .collect();
    let text = format!(
        "(globals (var x int) (var y int)) (entry main) (function main () (return) (locals) (seq {body}))"
    );
    assert_eq!(translated(&text).script.matches("(goto l").count(), 50_000);
}
