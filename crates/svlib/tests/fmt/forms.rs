//! What each form looks like: pairs of an input and its layout. All laws are checked on them, too.

use super::{check_laws, format};
use testkit::Rng;

/// A term of forty columns. Written `W40` below, so that what has to be broken is easy to see.
const W40: &str = "(+ aaaaaaaaa bbbbbbbbb ccccccccc dddddd)";

/// `input` becomes `expected`, which begins after its first line break.
fn check(input: &str, expected: &str) {
    let (input, expected) = (input.replace("W40", W40), expected.replace("W40", W40));
    let expected = expected.strip_prefix('\n').unwrap_or(&expected);
    let found = format(&input);
    assert!(found == expected, "expected:\n{expected}\nfound:\n{found}");
    check_laws(&input, &input, &mut Rng::new(3));
}

#[test]
fn procedures() {
    check(
        "(define-proc add ((x0 Int) (y0 Int)) ((x Int)) ((y Int)) (! (sequence (assign (x x0) (y y0)) (! (while
         (< 0 y) (assign (x (+ x 1)) (y (- y 1)))) :tag loop)) :tag add))",
        r"
(define-proc add
  ((x0 Int) (y0 Int))
  ((x Int))
  ((y Int))
  (! (sequence
       (assign (x x0) (y y0))
       (! (while (< 0 y)
            (assign (x (+ x 1)) (y (- y 1))))
         :tag loop))
    :tag add))
",
    );
    check(
        "(define-procs-rec (f ((n Int)) () ()) (g () () ()) ((call g () ())) ((! (call f (1) ()) :tag g)))",
        r"
(define-procs-rec
  (f ((n Int)) () ())
  (g () () ())
  ((call g () ()))
  ((! (call f (1) ()) :tag g)))
",
    );
    check(
        "(define-proc p () () ((first-variable (Array Int Int)) (second-variable (Array Int Int))
         (third-variable (Array Int Int)) (last Int)) (sequence))",
        r"
(define-proc p
  ()
  ()
  ((first-variable (Array Int Int))
   (second-variable (Array Int Int))
   (third-variable (Array Int Int))
   (last Int))
  (sequence))
",
    );
    check(
        "(function f () (return (var x (sbv 8))) (locals (var y (sbv 8)) (var z (sbv 8))) (seq (assign y z) (label l)))",
        r"
(function f
  ()
  (return (var x (sbv 8)))
  (locals
    (var y (sbv 8))
    (var z (sbv 8)))
  (seq
    (assign y z)
    (label l)))
",
    );
}

#[test]
fn statements() {
    check(
        "(sequence) (sequence (return)) (choice (sequence (break) (return)) (return))",
        r"
(sequence)
(sequence (return))
(choice
  (sequence
    (break)
    (return))
  (return))
",
    );
    check(
        "(if (< x 0) (goto done)) (if c (return) (break)) (while true (continue))",
        r"
(if (< x 0) (goto done))
(if c
  (return)
  (break))
(while true
  (continue))
",
    );
    check(
        "(if (and W40 W40 W40) (return)) (while (and W40 W40) (break))",
        r"
(if
  (and
    W40
    W40
    W40)
  (return))
(while (and W40 W40)
  (break))
",
    );
    check(
        "(assign (x W40) (y W40)) (assign (x W40) (y (f W40 W40)) (z 1))",
        r"
(assign (x W40) (y W40))
(assign
  (x W40)
  (y (f W40 W40))
  (z 1))
",
    );
    check(
        "(assign (a-name-so-long (f W40 W40))) (call f (W40 W40 W40) (x y)) (assume (= W40 (f W40 W40)))",
        r"
(assign
  (a-name-so-long
    (f W40 W40)))
(call f
  (W40
   W40
   W40)
  (x y))
(assume
  (= W40
    (f W40 W40)))
",
    );
}

#[test]
fn annotations() {
    check(
        "(sequence (! (label l) :tag t) (! (assume W40) :tag t :check-true (= W40 0)) (! (if c (return) (break))
         :tag u))",
        r"
(sequence
  (! (label l) :tag t)
  (! (assume W40)
    :tag t
    :check-true (= W40 0))
  (! (if c
       (return)
       (break))
    :tag u))
",
    );
    check(
        "(annotate-tag l :not-recurring) (annotate-tag l :ensures (= x 1) :not-recurring :decreases-lex (x y))",
        r"
(annotate-tag l :not-recurring)
(annotate-tag l
  :ensures (= x 1)
  :not-recurring
  :decreases-lex (x y))
",
    );
    check(
        "(annotate-tag a-loop :invariant (f W40 W40)) (annotate-tag l :invariant (and (<= 0 W40) (<= 0 W40) c))",
        r"
(annotate-tag a-loop
  :invariant (f W40 W40))
(annotate-tag l
  :invariant
    (and
      (<= 0 W40)
      (<= 0 W40)
      c))
",
    );
}

#[test]
fn witnesses() {
    check(
        "correct ((select-trace (model (define-fun x () Int 1) (define-fun y () Int 1)) (init-global-vars)
         (entry-proc add) (steps (init-proc-vars add (x 1)) (havoc (y 2)) (choice 0) (leap l (x 3)))
         (incorrect-annotation add :ensures (= x 1)) (using-annotation l :invariant true))
         (set-info :producer p))",
        r"
correct
((select-trace
   (model
     (define-fun x () Int 1)
     (define-fun y () Int 1))
   (init-global-vars)
   (entry-proc add)
   (steps
     (init-proc-vars add (x 1))
     (havoc (y 2))
     (choice 0)
     (leap l (x 3)))
   (incorrect-annotation add :ensures (= x 1))
   (using-annotation l :invariant true))
 (set-info :producer p))
",
    );
}

#[test]
fn definitions() {
    check(
        "(define-fun f ((x Int) (y Int)) Int (f x W40 W40)) (define-fun t () Bool (! (f W40 W40 W40) :trans true))",
        r"
(define-fun f ((x Int) (y Int)) Int
  (f x W40 W40))
(define-fun t () Bool
  (! (f
       W40
       W40
       W40)
    :trans true))
",
    );
    check(
        "(declare-datatype T ((first-constructor (its-selector Int)) (second-constructor (its-selector Int))
         (last-constructor (sel T))))",
        r"
(declare-datatype T
  ((first-constructor (its-selector Int))
   (second-constructor (its-selector Int))
   (last-constructor (sel T))))
",
    );
    let times = |what: &str, n: usize| vec![what; n].join(" ");
    check(
        &format!(
            "(declare-fun inv ({}) Bool) (assert (forall ({}) c))",
            times("Int", 30),
            times("(x Int)", 20)
        ),
        &format!(
            r"
(declare-fun inv
  ({}
   {})
  Bool)
(assert
  (forall ({}
           {})
    c))
",
            times("Int", 24),
            times("Int", 6),
            times("(x Int)", 11),
            times("(x Int)", 9)
        ),
    );
}

#[test]
fn terms() {
    check("(assert (let ((a 1) (b 2)) (+ a b)))", "(assert (let ((a 1) (b 2)) (+ a b)))\n");
    check(
        "(assert (let ((a W40) (b W40) (d 1)) (let ((c (f W40 W40 W40))) (=> (= a W40) (= W40 (f b c))))))",
        r"
(assert
  (let ((a W40)
        (b W40)
        (d 1))
  (let ((c
          (f
            W40
            W40
            W40)))
    (=> (= a W40)
      (= W40 (f b c))))))
",
    );
    check(
        "(assert (ite (= W40 0) (f W40 W40) (match x ((nil W40) ((cons h t) (f W40 t))))))",
        r"
(assert
  (ite (= W40 0)
    (f W40 W40)
    (match x
      ((nil W40)
       ((cons h t) (f W40 t))))))
",
    );
    check(
        "(assert (= next-value ((_ extract 7 0) (f W40 W40)))) (assert (exists ((x Int)) (and W40 W40)))",
        r"
(assert
  (= next-value
    ((_ extract 7 0)
     (f W40 W40))))
(assert
  (exists ((x Int))
    (and W40 W40)))
",
    );
}

#[test]
fn words_stay_as_they_are() {
    check(
        "(set-info :source |a\r\n  b |)\r\n(echo \"x\"\"\n y \")\r\n(f |x| 007 1.50 #xaF)",
        "(set-info :source |a\r\n  b |)\n(echo \"x\"\"\n y \")\n(f |x| 007 1.50 #xaF)\n",
    );
    // Nothing is gained by a line break before a word that is too long for any line.
    let long = "x".repeat(120);
    let commands =
        format!("(set-option :name \"{long}\")\n(echo \"{long}\")\n(define-fun {long}\n  ()\n  Bool\n  c)\n");
    check(&commands, &commands);
}

#[test]
fn comments_at_the_ends_of_lines_and_on_their_own() {
    check(
        "; first\r\n(a)(b) ; b\n(c 1)    ; c  \n\n\n; own\n; two\n(d) ; last",
        r"
; first
(a)
(b)   ; b
(c 1) ; c

; own
; two
(d) ; last
",
    );
    check(
        "(define-proc p ; name\n((x Int)(y Int)) ; in\n((z Int)) ; out\n; locals\n() ; none\n(return))",
        r"
(define-proc p ; name
  ((x Int) (y Int)) ; in
  ((z Int))         ; out
  ; locals
  () ; none
  (return))
",
    );
}

#[test]
fn comments_in_awkward_places() {
    check(
        "(while ; head\n (< 0 y) ; condition\n ; own\n (break) ; end\n ) ; after",
        r"
(while ; head
  (< 0 y) ; condition
  ; own
  (break) ; end
) ; after
",
    );
    check(
        "(define-fun f ; name\n () Int ; sort\n 1\n ; before the end\n)",
        r"
(define-fun f ; name
  ()
  Int ; sort
  1
  ; before the end
)
",
    );
    check(
        "( ; a\nf x) (\n; b\nf x) ( ; c\n) (\n; d\n)",
        r"
( ; a
  f x)
(
  ; b
  f x)
( ; c
)
(
  ; d
)
",
    );
    // Between a keyword and its value, and after a keyword that has none.
    check(
        "(annotate-tag t :invariant ; why\n x :not-recurring ; flag\n ; own\n :decreases\n ; value\n y)",
        r"
(annotate-tag t
  :invariant ; why
    x
  :not-recurring ; flag
  ; own
  :decreases
    ; value
    y)
",
    );
    // A comment swallows nothing, and a semicolon in a word begins none.
    check("(f ;(\n|a;b| \";\" ;)\n)", "(f ;(\n  |a;b| \";\" ;)\n)\n");
    check(
        "(f (let ((a 1)) ; one\n; next\n(let ((b 2)) ; two\n(f a b))))",
        r"
(f
  (let ((a 1)) ; one
  ; next
  (let ((b 2)) ; two
    (f a b))))
",
    );
}

#[test]
fn empty_lines() {
    check("\n\n(a)\n\n\n\n(b)\n(c)\n\n", "(a)\n\n(b)\n(c)\n");
    check(
        "(sequence\n\n(a)\n(b)\n\n\n; c\n\n(d)\n\n)",
        r"
(sequence
  (a)
  (b)

  ; c

  (d))
",
    );
    // None where everything fits on a line, or where a line is only begun because the one before is full.
    check("(and a\n\nb)", "(and a b)\n");
    let (a, b) = ("a".repeat(60), "b".repeat(60));
    check(&format!("(and {a}\n\n{b}\n\nc)"), &format!("(and {a}\n  {b} c)\n"));
}
