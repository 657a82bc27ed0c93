//! Whole programs: declarations, functions, statements, properties, names.

use super::{script, translated, under};

#[test]
fn jumps_become_gotos() {
    let program = "
(type cint (sbv 32))
(entry main)
(globals (var total cint))
(function step ((var x cint)) (return (var ret cint)) (locals)
  (seq
    (jump (label up) (label down))
    (label up)
    (assume (op gt total (const 0 cint)))
    (assign ret (op sub x (const 1 cint)))
    (jump (label end))
    (label down)
    (seq (seq (assume (not (gt total (const 0 cint))))) (assign total (const 0 cint)))
    (condjump (eq x total) (label up))
    (havoc ret)
    (label end)))
(function main () (return) (locals (var y cint))
  (call step (const 23 cint) y))
";
    let expected = "\
(declare-var total (_ BitVec 32))

(define-proc
  step
  ((x (_ BitVec 32)))
  ((ret (_ BitVec 32)))
  ()
  (! (sequence
       (choice (goto up) (goto down))
       (! (label up) :tag step.up)
       (assume (bvsgt total #x00000000))
       (assign (ret (bvsub x #x00000001)))
       (goto end)
       (! (label down) :tag step.down)
       (assume (not (bvsgt total #x00000000)))
       (assign (total #x00000000))
       (if (= x total) (goto up))
       (havoc ret)
       (! (label end) :tag step.end))
    :tag proc-step))

(define-proc
  main
  ()
  ()
  ((y (_ BitVec 32)))
  (! (sequence
       (call step (#x00000017) (y)))
    :tag proc-main))

(verify-call main ())
";
    assert_eq!(script(program), expected);
}

#[test]
fn initial_states_are_assumed_before_the_entry() {
    let program = "
(globals (var g int))
(init (ge g (const 0 int)))
(function main ((var n int) (var ok bool)) (return (var r int)) (locals) (assign r (add g n)))
(entry main)
";
    let expected = "\
(declare-var g Int)

(define-proc
  main
  ((n Int) (ok Bool))
  ((r Int))
  ()
  (! (sequence
       (assign (r (+ g n))))
    :tag proc-main))

(define-proc
  start
  ((n Int) (ok Bool))
  ()
  ((r Int))
  (! (sequence
       (assume (>= g 0))
       (call main (n ok) (r)))
    :tag proc-start))

(declare-const n Int)
(declare-const ok Bool)
(verify-call start (n ok))
";
    assert_eq!(script(program), expected);
    let assumed = program.replace("(init (ge g (const 0 int)))", "(init (assume (ge g (const 0 int))))");
    assert_eq!(script(&assumed), expected);
}

#[test]
fn properties_are_attached_to_labels() {
    let program = "
(entry main)
(function main () (return) (locals)
  (seq
    (! (label a) :error unreachable :line 7)
    (! (! (label b) :live again) :notlive never)
    (! (label c) :error unreachable)
    (! (label d) :error again)
    (jump (label a))))
";
    let expected = "\
(define-proc
  main
  ()
  ()
  ()
  (! (sequence
       (! (label a) :tag main.a :tag unreachable)
       (! (label b) :tag main.b :tag never :tag again)
       (! (label c) :tag main.c :tag unreachable)
       (! (label d) :tag main.d :tag again~1)
       (goto a))
    :tag proc-main))

(annotate-tag unreachable :check-true false)
(annotate-tag never :not-recurring)
(annotate-tag again :recurring)
(annotate-tag again~1 :check-true false)

(verify-call main ())
";
    assert_eq!(script(program), expected);
}

#[test]
fn callees_come_first_and_recursion_together() {
    let program = "
(entry main)
(function main () (return) (locals (var b bool)) (call (const even (fun (int) (bool))) (const 4 int) b))
(function even ((var n int)) (return (var r bool)) (locals)
  (seq (condjump (eq n (const 0 int)) (label zero)) (call odd (sub n (const 1 int)) r) (jump (label end))
       (label zero) (assign r true) (label end)))
(function odd ((var n int)) (return (var r bool)) (locals) (seq (call even n r) (assign r (not r))))
(function down ((var n int)) (return) (locals) (call down (sub n (const 1 int))))
";
    let expected = "\
(define-procs-rec
  (even
   ((n Int))
   ((r Bool))
   ())
  (odd
   ((n Int))
   ((r Bool))
   ())
  ((! (sequence
        (if (= n 0) (goto zero))
        (call odd ((- n 1)) (r))
        (goto end)
        (! (label zero) :tag even.zero)
        (assign (r true))
        (! (label end) :tag even.end))
     :tag proc-even))
  ((! (sequence
        (call even (n) (r))
        (assign (r (not r))))
     :tag proc-odd)))

(define-proc
  main
  ()
  ()
  ((b Bool))
  (! (sequence
       (call even (4) (b)))
    :tag proc-main))

(define-procs-rec
  (down
   ((n Int))
   ()
   ())
  ((! (sequence
        (call down ((- n 1)) ()))
     :tag proc-down)))

(verify-call main ())
";
    assert_eq!(script(program), expected);
}

#[test]
fn parameters_that_are_set_get_a_copy() {
    let program = "
(entry main)
(function main ((var a int) (var b int) (var c int)) (return) (locals (var d int))
  (seq (assign a b) (havoc c) (assign d c)))
";
    let expected = "\
(define-proc
  main
  ((a~1 Int) (b Int) (c~1 Int))
  ()
  ((a Int) (c Int) (d Int))
  (! (sequence
       (assign (a a~1) (c c~1))
       (assign (a b))
       (havoc c)
       (assign (d c)))
    :tag proc-main))

(declare-const a Int)
(declare-const b Int)
(declare-const c Int)
(verify-call main (a b c))
";
    assert_eq!(script(program), expected);
}

#[test]
fn functions_without_a_body_give_anything() {
    let program = "
(entry main)
(globals (var g int))
(function main () (return) (locals (var x int) (var y bool))
  (seq
    (call (const nondet (fun () (int))) x)
    (call (const both (fun (int bool) (int bool))) g y x y)
    (call (const log (fun (int) ())) x)))
";
    let script = script(program);
    assert!(script.contains("(havoc x)\n       (havoc x y)\n       (assume true))"), "{script}");
}

#[test]
fn definitions_mean_global_variables() {
    let program = "
(entry main)
(globals (var x int))
(define next (add x (const 1 int)))
(define twice (add next next))
(define f (const other (fun (int) ())))
(define g main)
(function main () (return) (locals (var x int))
  (seq (assign x twice) (call f next) (call g)))
";
    let expected = "\
(declare-var x Int)

(define-procs-rec
  (main
   ()
   ()
   ((x~1 Int)))
  ((! (sequence
        (assign (x~1 (let ((?1 (+ x 1))) (+ ?1 ?1))))
        (assume true)
        (call main () ()))
     :tag proc-main)))

(verify-call main ())
";
    assert_eq!(script(program), expected);
}

#[test]
fn types_become_sorts() {
    let program = "
(entry main)
(type index (ubv 4))
(type colour (enum red green))
(globals
  (var a (map index colour)) (var same (enum green red)) (var other (enum red blue))
  (var n (sym node)) (var k (sym node)) (var f (fp 5 10)) (var s (map int (map bool real))))
(function main () (return) (locals) (assume (eq n k)))
";
    let expected = "
(declare-datatype colour ((green) (red)))

(declare-datatype enum ((blue) (red~1)))

(declare-sort node 0)

(declare-var a (Array (_ BitVec 4) colour))
(declare-var same colour)
(declare-var other enum)
(declare-var n node)
(declare-var k node)
(declare-var f (_ FloatingPoint 5 11))
(declare-var s (Array Int (Array Bool Real)))
";
    let script = translated(program).script;
    assert!(script.contains(expected), "{script}");
}

#[test]
fn names_are_changed_as_little_as_possible() {
    let program = r#"
(entry |f\|g|)
(globals (var |#x| int) (var |_#x| int) (var select int) (var 1a int) (var "s t" int) (var |let| int) (var é int))
(function |f\|g| () (return) (locals (var 1a int) (var || int))
  (seq
    (assign |#x| |_#x|) (assign select 1a) (assign |1a| "s t") (assign |let| ||) (assign é 1a)
    (label |#l|) (label 2) (label |a b|) (jump (label |#l|))))
"#;
    let expected = "\
(declare-var |_#x| Int)
(declare-var |_#x~1| Int)
(declare-var select~1 Int)
(declare-var |1a| Int)
(declare-var |\"s t\"| Int)
(declare-var let~1 Int)
(declare-var |é| Int)

(define-proc
  f_g
  ()
  ()
  ((|1a~1| Int) (_~1 Int))
  (! (sequence
       (assign (|_#x| |_#x~1|))
       (assign (select~1 |1a~1|))
       (assign (|1a~1| |\"s t\"|))
       (assign (let~1 _~1))
       (assign (|é| |1a~1|))
       (! (label |_#l|) :tag |f_g.#l|)
       (! (label |2|) :tag f_g.2)
       (! (label |a b|) :tag |f_g.a b|)
       (goto |_#l|))
    :tag proc-f_g))

(verify-call f_g ())
";
    assert_eq!(script(program), expected);
}

#[test]
fn the_script_leads_back_to_the_program() {
    let program = "
(entry main)
(globals (var g (sbv 8)))
(init true)
(function f () (return) (locals) (! (label e) :error bad))
(function main ((var p (sbv 8))) (return) (locals)
  (seq (assign g p) (seq (call f))))
";
    let translation = translated(program);
    assert!(translation.map.windows(2).all(|pair| pair[0].0 <= pair[1].0));
    let origin = |part: &str| {
        let offset = translation.script.find(part).expect("the part is in the script");
        translation.origin(offset as u32).map(|span| under(program, span))
    };
    assert_eq!(origin("(set-logic"), None);
    assert_eq!(origin("(declare-var g"), Some("(var g (sbv 8))"));
    assert_eq!(origin("(assign (g p))"), Some("(assign g p)"));
    assert_eq!(origin("(call f"), Some("(call f)"));
    assert_eq!(origin("(! (label e)"), Some("(label e)"));
    assert_eq!(origin("(annotate-tag bad"), Some(":error"));
    assert_eq!(origin("(assume true)"), Some("(init true)"));
    assert_eq!(origin("(call main"), Some("(entry main)"));
    assert_eq!(origin("(declare-const p"), Some("(var p (sbv 8))"));
    assert_eq!(origin("(verify-call"), Some("(entry main)"));
    assert!(origin("f\n  ()").is_some_and(|text| text.starts_with("(function f ()")));
}

#[test]
fn declarations_in_any_order_and_annotated() {
    let program = "
; a comment
(! (function main () (return) (locals (! (var x small) :line 3)) (assign (var x (ubv 2)) y)) :file f.c :line 1)
(globals (! (var y small) :pos (3 . 4)))
(entry main) ; the last line has no line break
(type small (ubv 2))";
    let script = script(program);
    assert!(script.contains("(declare-var y (_ BitVec 2))"), "{script}");
    assert!(script.contains("(assign (x y))"), "{script}");
}
