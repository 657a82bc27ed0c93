//! VMT-LIB: what real files contain, what must be refused and where, and that written files are read to the same system.

use formats::{Format, Model, Options, Source, vmt};
use smt::op::Op;
use smt::print::term_text;
use smt::sort::SortId;
use smt::subst::postorder_of;
use smt::term::{Fun, FunId, Role, TermId, Terms};
use std::path::{Path, PathBuf};
use ts::{PropertyKind, System};

/// The system of a text, or its errors as `CODE@text: message`.
fn read(terms: &mut Terms, text: &str) -> Result<System, Vec<String>> {
    let mut errors = Vec::new();
    let model = vmt::read(terms, Source { bytes: text.as_bytes(), base: 0 }, &mut errors);
    let Some(Model::Systems(mut systems)) = model else {
        let place = |span: diag::Span| &text[span.start as usize..span.end as usize];
        return Err(errors.iter().map(|e| format!("{}@{}: {}", e.code, place(e.span), e.message)).collect());
    };
    assert_eq!(ts::verify(terms, &systems[0]), []);
    Ok(systems.remove(0))
}

fn good(text: &str) -> (Terms, System) {
    let mut terms = Terms::new();
    let system = read(&mut terms, text).unwrap_or_else(|errors| panic!("{errors:?}"));
    (terms, system)
}

fn bad(text: &str) -> Vec<String> {
    read(&mut Terms::new(), text).expect_err("the text was read")
}

fn texts(terms: &Terms, formulas: &[TermId]) -> Vec<String> {
    formulas.iter().map(|&formula| term_text(terms, formula)).collect()
}

fn names(terms: &Terms, funs: &[FunId]) -> Vec<String> {
    funs.iter().map(|&fun| terms.fun_name(fun).to_owned()).collect()
}

fn written(terms: &mut Terms, system: &System) -> String {
    vmt::system_text(terms, system).unwrap_or_else(|error| panic!("{error}"))
}

/// Writes and reads again.
fn again(terms: &mut Terms, system: &System) -> System {
    let text = written(terms, system);
    read(terms, &text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

const EXAMPLE: &str = "
(declare-const x Int)
(declare-const x.next Int)
(define-fun sv.x () Int (! x :next x.next))
(declare-const b Bool)
(define-fun init () Bool (! (= x 1) :init))
(define-fun trans () Bool (! (= x.next (ite b (+ x 1) x)) :trans))
(define-fun p1 () Bool (! (> x 0) :invar-property 1))
(define-fun p2 () Bool (! (> x 10) :live-property 2))
";

#[test]
fn a_small_file() {
    let (mut terms, system) = good(EXAMPLE);
    let states: Vec<FunId> = system.states.iter().flat_map(|state| [state.now, state.next]).collect();
    assert_eq!(names(&terms, &states), ["x", "x.next"]);
    assert_eq!(names(&terms, &system.inputs), ["b"]);
    assert_eq!(texts(&terms, &system.init), ["(= x 1)"]);
    assert_eq!(texts(&terms, &system.trans), ["(= x.next (ite b (+ x 1) x))"]);
    let properties: Vec<_> = system.properties.iter().map(|p| (p.index, p.name.as_deref())).collect();
    assert_eq!(properties, [(1, Some("p1")), (2, Some("p2"))]);
    assert!(matches!(system.properties[1].kind, PropertyKind::Live(_)));
    assert_eq!(again(&mut terms, &system), system);
}

#[test]
fn what_real_files_contain() {
    // A next version that nobody declares, annotations on shared terms, several conditions, junk values, numbers out of
    // order, bars, hints, definitions with parameters, and no logic.
    let (mut terms, system) = good(
        "(set-info :source |a generator|)
         (declare-fun .s.1 () Int) (declare-fun .s.1.next () Int)
         (define-fun .def_1 () Int (! .s.1 :next |.s.1.next|))
         (declare-fun y () Real)
         (define-fun .def_2 () Real (! y :next y+))
         (define-fun twice ((a Int)) Int (* 2 a))
         (define-fun i () Bool (! (= .def_1 0) :init h))
         (define-fun j () Bool (! (= y 0.0) :init (whatever 1)))
         (define-fun t () Bool (! (= |.s.1.next| (twice (! .def_1 :next .s.1.next))) :trans true))
         (define-fun u () Bool (! (= y+ (+ y (to_real .def_1))) :trans))
         (define-fun hint () Bool (! (< y 3.0) :predicate true))
         (define-fun q () Bool (! (>= y 0.0) :invar-property 7))
         (define-fun p () Bool (! (>= .def_1 0) :invar-property 3))
         (assert true)",
    );
    assert_eq!(system.states.len(), 2);
    assert_eq!(texts(&terms, &system.init), ["(= .s.1 0)", "(= y 0.0)"]);
    assert_eq!(texts(&terms, &system.trans), ["(= .s.1.next (* 2 .s.1))", "(= y+ (+ y (to_real .s.1)))"]);
    assert_eq!(system.properties.iter().map(|p| p.index).collect::<Vec<_>>(), [7, 3]);
    assert_eq!(texts(&terms, &system.hints), ["(< y 3.0)"]);
    assert_eq!(again(&mut terms, &system), system);
}

#[test]
fn a_hint_is_never_an_error() {
    let (terms, system) = good(
        "(declare-fun x () Int) (declare-fun x.next () Int) (define-fun .x () Int (! x :next x.next))
         (define-fun a () Bool (! (> x.next 0) :predicate true))
         (define-fun b () Int (! (+ x 1) :predicate true))
         (define-fun c ((y Int)) Bool (! (< x y) :predicate true))
         (define-fun d () Bool (! (< x 9) :predicate))
         (define-fun p () Bool (! (>= x 0) :invar-property 0))",
    );
    assert_eq!(texts(&terms, &system.hints), ["(< x 9)"]);
}

#[test]
fn a_next_version_may_be_declared_later() {
    let variable = "(declare-fun x () Int) (define-fun .x () Int (! x :next y))";
    let rest = "(define-fun t () Bool (! (= y (+ x 1)) :trans true))
         (define-fun p () Bool (! (>= x 0) :invar-property 0))";
    let (terms, system) = good(&format!("{variable} (declare-fun y () Int) {rest}"));
    assert_eq!((names(&terms, &system.inputs).len(), system.states.len()), (0, 1));
    assert_eq!(texts(&terms, &system.trans), ["(= y (+ x 1))"]);
    // The same without the way that is taken for usual commands, and behind a use.
    let (terms, system) = good(&format!("{variable} {rest} (declare-const y Int)"));
    assert_eq!((names(&terms, &system.inputs).len(), system.states.len()), (0, 1));
    for other in ["(declare-fun y () Real)", "(declare-fun y (Int) Int)", "(define-fun y () Int 1)"] {
        let errors = bad(&format!("{variable} {other} {rest}"));
        assert_eq!(errors, ["SMT016@y: `y` is declared already"]);
    }
    let errors = bad(&format!("{variable} (declare-fun y () Int) (declare-fun y () Int) {rest}"));
    assert_eq!(errors, ["SMT016@y: `y` is declared already"]);
}

#[test]
fn a_next_version_may_be_spelled_like_an_operator() {
    let (mut terms, system) = good(
        "(declare-fun x () Int) (define-fun .x () Int (! x :next +))
         (define-fun p () Bool (! (= (+ x 1) 1) :invar-property 0))",
    );
    assert_eq!(again(&mut terms, &system).states.len(), 1);
}

#[test]
fn the_extended_language() {
    let (mut terms, system) = good(
        "(declare-fun a () Bool) (define-fun .a () Bool (! a :next a.next))
         (declare-fun i () Bool)
         (define-fun c () Bool (! (or a i) :invar true))
         (define-fun l1 () Bool (! a :live-property 4))
         (define-fun l2 () Bool (! (not i) :live-property 4))
         (define-fun f () Bool (! (ltl.G (=> i (ltl.F (ltl.S a (ltl.V i a))))) :ltl-property 9))",
    );
    assert_eq!(system.invar.len(), 1);
    assert!(matches!(&system.properties[0].kind, PropertyKind::Live(formulas) if formulas.len() == 2));
    let formulas = system.properties[1].formulas().to_vec();
    assert_eq!(texts(&terms, &formulas), ["(ltl.G (=> i (ltl.F (ltl.S a (ltl.R i a)))))"]);
    assert_eq!(again(&mut terms, &system), system);
}

#[test]
fn next_versions_in_temporal_properties_become_inputs() {
    let (terms, system) = good(
        "(declare-fun a () Bool) (declare-fun a.next () Bool) (define-fun .a () Bool (! a :next a.next))
         (define-fun f () Bool (! (ltl.G (ltl.F (ltl.U a (and a.next (not a))))) :ltl-property 0))",
    );
    assert_eq!(texts(&terms, &system.trans), ["(= .step (and a.next (not a)))"]);
    assert_eq!(texts(&terms, system.properties[0].formulas()), ["(ltl.G (ltl.F (ltl.U a .step)))"]);
}

#[test]
fn inputs_of_initial_conditions_become_variables() {
    let text = "(declare-fun x () Int) (define-fun .x () Int (! x :next x.next)) (declare-fun n () Int)
         (declare-fun m () Int) (define-fun i () Bool (! (= x n) :init true))
         (define-fun t () Bool (! (= x.next m) :trans true))";
    let (mut terms, system) = good(text);
    let states: Vec<FunId> = system.states.iter().map(|state| state.now).collect();
    assert_eq!(names(&terms, &states), ["x", "n"]);
    assert_eq!(names(&terms, &system.inputs), ["m"]);
    assert_eq!(read(&mut terms, text).as_ref(), Ok(&system), "the same again in the same store");
}

#[test]
fn protocols_with_functions_and_actions() {
    let (mut terms, system) = good(
        "(declare-sort node 0) (define-fun .node ((S node)) node (! S :sort 2))
         (declare-fun __has (node) Bool) (declare-fun has (node) Bool)
         (define-fun .has ((V node)) Bool (! (__has V) :next has))
         (declare-fun __some () Bool) (declare-fun some () Bool) (define-fun .some () Bool (! __some :next some))
         (declare-fun first () node) (define-fun .first () node (! first :global true))
         (declare-fun le (node node) Bool) (define-fun .le ((V node) (W node)) Bool (! (le V W) :global true))
         (define-fun .ax () Bool (! (forall ((X node)) (le first X)) :axiom true))
         (define-fun .d () Bool (! (= __some (exists ((X node)) (__has X))) :definition __some))
         (define-fun .e () Bool (! (= some (exists ((X node)) (has X))) :definition some))
         (define-fun .i () Bool (! (forall ((X node)) (= (__has X) (= X first))) :init true))
         (define-fun .go () Bool (! (exists ((Y node)) (forall ((X node)) (= (has X) (= X Y)))) :action go))
         (define-fun .no () Bool (! (= first first) :action no))
         (define-fun .p () Bool (! (forall ((X node)) (=> (__has X) __some)) :invar-property 0))",
    );
    assert_eq!(system.rigid.len(), 2);
    assert_eq!(texts(&terms, &system.axioms), ["(forall ((X node)) (le first X))"]);
    assert_eq!(texts(&terms, &system.init), ["(forall ((X node)) (= (select __has X) (= X first)))"]);
    assert_eq!(texts(&terms, &system.invar), ["(= __some (exists ((X node)) (select __has X)))"]);
    // The first action keeps nothing: `has` it determines, `some` has a definition. The second keeps `has`.
    assert_eq!(
        texts(&terms, &system.trans),
        [
            "(= some (exists ((X node)) (select has X)))",
            "(let ((?1 (= has __has))) (or (exists ((Y node)) (forall ((X node)) (= (select has X) (= X Y)))) \
             (and (= first first) ?1) (and ?1 (= some __some))))",
        ]
    );
    // The axiom is written as an assertion, so what it speaks of stays rigid.
    let written = again(&mut terms, &system);
    assert_eq!((&written.rigid, &written.axioms), (&system.rigid, &system.axioms));
    assert_eq!((written.states.len(), written.init.len()), (2, 1));
    assert_eq!(again(&mut terms, &written), written);
    // In the core language there is none: a state variable that stays, and a condition on the first step and on all steps,
    // beside the initial condition and the definition of `__some`.
    let core = ts::passes::core::core(&mut terms, &system).expect("no temporal formulas").system;
    let core = again(&mut terms, &core);
    assert_eq!((core.states.len(), core.axioms.len(), core.init.len()), (3, 0, 3));
    assert!(core.init.iter().any(|axiom| core.trans.contains(axiom)));
    assert_eq!(again(&mut terms, &core), core);
}

#[test]
fn assertions_are_about_what_never_changes() {
    let (terms, system) = good(
        "(declare-sort s 0) (declare-fun zero () s) (declare-fun le (s s) Bool) (declare-fun go () Bool)
         (define-fun .go () Bool (! go :action 0))
         (assert (forall ((x s)) (le zero x)))
         (define-fun p () Bool (! (le zero zero) :invar-property 0))",
    );
    assert_eq!(texts(&terms, &system.axioms), ["(forall ((x s)) (le zero x))"]);
    assert_eq!(names(&terms, &system.rigid), ["zero", "le"]);
    assert_eq!(names(&terms, &system.inputs), ["go"]);
}

/// What comes after two declarations, and the beginning of the first report.
const MALFORMED: &[(&str, &str)] = &[
    (
        "(define-fun a () Int (! x :next n)) (define-fun b () Int (! y :next n))",
        "VMT005@:next n: `n` is the next version of both `x` and `y`",
    ),
    (
        "(define-fun a () Int (! x :next n)) (define-fun b () Int (! x :next y))",
        "VMT005@:next y: `x` has two next versions, `n` and `y`",
    ),
    (
        "(define-fun a () Int (! x :next n)) (define-fun b () Int (! n :next y))",
        "VMT005@:next n: `n` is a next version and has one itself",
    ),
    (
        "(define-fun a () Int (! x :next n)) (define-fun b () Int (! x :global true))",
        "VMT005@:global: `x` is global and changes from step to step",
    ),
    (
        "(define-fun a () Int (! (+ x 1) :next n))",
        "VMT004@:next n: `:next` belongs to a declared symbol, and this is another term",
    ),
    (
        "(define-fun a () Int (! (+ x 1) :global true))",
        "VMT004@:global: `:global` belongs to a declared symbol, and this is another term",
    ),
    (
        "(declare-fun r () Real) (define-fun a () Int (! x :next r))",
        "VMT004@:next r: `r` cannot be the next version of `x`: their sorts differ",
    ),
    ("(define-fun a () Int (! x :init true))", "VMT004@:init: the annotated term is not Boolean"),
    (
        "(define-fun a ((z Int)) Bool (! (= x z) :trans true))",
        "VMT004@:trans: the annotated formula speaks of parameters or bound variables",
    ),
    ("(define-fun a () Int (! x :next))", "VMT003@:next: `:next` needs the name of a symbol"),
    (
        "(define-fun a () Bool (! true :invar-property p))",
        "VMT003@p: `:invar-property` needs the number of the property",
    ),
    (
        "(define-fun a () Bool (! true :live-property 18446744073709551616))",
        "VMT003@18446744073709551616: the number is too large; the limit is 18446744073709551615",
    ),
    (
        "(define-fun a () Bool (! true :definition q))",
        "VMT003@q: `:definition` names `q`, which is no declared symbol",
    ),
    (
        "(define-fun a () Bool (! (= x 0) :invar-property 1)) (define-fun b () Bool (! (= x 1) :invar-property 1))",
        "VMT006@:invar-property: another property has the number 1",
    ),
    (
        "(define-fun a () Bool (! (= x 0) :invar-property 1)) (define-fun b () Bool (! (= x 0) :live-property 1))",
        "VMT006@:live-property: another property has the number 1",
    ),
    (
        "(define-fun a () Bool (! true :reachable true))",
        "VMT007@:reachable: the annotation `:reachable` is not known, and it could mean anything",
    ),
    ("(check-sat)", "VMT008@check-sat: `check-sat` is no command of VMT-LIB"),
    (
        "(define-fun-rec f ((z Int)) Int (f z))",
        "VMT008@define-fun-rec: `define-fun-rec` is no command of VMT-LIB",
    ),
    (
        "(define-fun a () Int (! x :next n)) (define-fun i () Bool (! (= n 0) :init true))",
        "VMT009@:init: the next version `n` must not occur in an initial condition",
    ),
    (
        "(define-fun a () Int (! x :next n)) (define-fun i () Bool (! (= n 0) :invar-property 0))",
        "VMT009@:invar-property: the next version `n` must not occur in an invariant property",
    ),
    (
        "(define-fun a () Int (! x :next n)) (define-fun i () Bool (! (= n 0) :invar true))",
        "VMT009@:invar: the next version `n` must not occur in an invariant constraint",
    ),
    (
        "(define-fun i () Bool (! (ltl.F (= x 0)) :trans true))",
        "VMT009@:trans: the temporal operator `ltl.F` must not occur in a transition relation",
    ),
    (
        "(define-fun i () Bool (! (= x 0) :axiom true))",
        "VMT009@:axiom: the input `x` must not occur in an axiom",
    ),
    (
        "(define-fun a () Int (! x :next n)) (assert (= x 0))",
        "VMT009@(assert (= x 0)): the state variable `x` must not occur in an assertion",
    ),
    (
        "(define-fun a () Bool (! (= x 0) :trans true)) (define-fun b () Bool (! (= x 1) :action go))",
        "VMT010@:trans: the file gives both a transition relation and actions",
    ),
    ("(define-fun a () Bool", "SMT004@("),
];

#[test]
fn malformed_files_are_refused_at_the_place() {
    for (text, expected) in MALFORMED {
        let found =
            bad(&format!("(declare-fun x () Int) (declare-fun y () Int) (declare-fun n () Int)\n{text}"));
        assert!(found[0].starts_with(expected), "{text}: {found:?}");
    }
    assert_eq!(bad("(define-fun a () Bool (! true :foo 1 :bar 2))").len(), 2);
    // The kernel has cases for the first two codes, and evidence for the last.
    let tested = |code: &str| MALFORMED.iter().any(|(_, report)| report.starts_with(code));
    let elsewhere = ["VMT001", "VMT002", "VMT011"];
    let codes = diag::codes::CODES.iter().map(|info| info.code.name());
    let ours = codes.filter(|code| code.starts_with("VMT") && !elsewhere.contains(code));
    assert_eq!(ours.filter(|code| !tested(code)).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn names_that_cannot_be_written_are_changed() {
    let mut terms = Terms::new();
    let mut system = System::default();
    for name in ["and", "a|b", "select", "plain", "two words"] {
        let name = terms.names.intern(name);
        let input = Fun { name, params: Box::new([]), result: SortId::BOOL, role: Role::Free };
        let input = terms.declare(input);
        system.inputs.push(input);
        system.invar.push(terms.constant_term(input));
    }
    let again = again(&mut terms, &system);
    assert_eq!(names(&terms, &again.inputs), ["and.1", "a_b", "select.1", "plain", "two words"]);
    assert_eq!(again.invar.len(), 5);
}

#[test]
fn shared_terms_are_written_once() {
    let mut terms = Terms::new();
    let mut system = System::default();
    let input = system.add_input(&mut terms, "i", SortId::BOOL);
    let mut term = terms.constant_term(input);
    for _ in 0..2000 {
        term = terms.app(Op::Xor, &[term, term]).expect("Boolean");
    }
    // Under a binder as well.
    let name = terms.names.intern("v");
    let var = terms.var(name, SortId::BOOL);
    let body = terms.app(Op::Xor, &[var, term]).expect("Boolean");
    let bound = terms.bind(Op::Exists, &[var], body).expect("Boolean");
    system.invar = vec![term, bound];
    let text = written(&mut terms, &system);
    assert!(text.len() < 150_000, "{} bytes", text.len());
    assert_eq!(read(&mut terms, &text), Ok(system));
}

#[test]
fn depth_is_not_recursion() {
    let deep = format!("{}a{}", "(not ".repeat(200_000), ")".repeat(200_000));
    let text = format!("(declare-fun a () Bool) (define-fun p () Bool (! {deep} :invar-property 0))");
    let (mut terms, system) = good(&text);
    assert_eq!(again(&mut terms, &system), system);
}

#[test]
fn datatypes_and_sorts_are_declared() {
    let (mut terms, system) = good(
        "(declare-sort E 0) (declare-datatypes ((L 1)) ((par (T) ((nil) (cons (head T) (tail (L T)))))))
         (declare-fun x () (L E)) (define-fun .x () (L E) (! x :next y)) (declare-fun f (E) Bool)
         (define-fun p () Bool (! (or ((_ is nil) x) (f (head x)) (= y y)) :trans true))
         (define-fun q () Bool (! (exists ((e E)) (= x (cons e (as nil (L E))))) :invar-property 0))",
    );
    assert_eq!(again(&mut terms, &system), system);
}

#[test]
fn the_registry_knows_the_language() {
    let format = Format::of_path("a/b.vmt").expect("a row");
    let mut terms = Terms::new();
    let source = Source { bytes: EXAMPLE.as_bytes(), base: 0 };
    let model = (format.read)(&mut terms, source, &mut Vec::new()).expect("readable");
    let text = (format.write)(&mut terms, &model, &Options::default()).expect("expressible");
    assert!(String::from_utf8_lossy(&text).contains(":live-property 2"));
    assert!((format.write)(&mut terms, &Model::Systems(Vec::new()), &Options::default()).is_err());
}

/// Files of the corpus that are no VMT-LIB, and the code of the first error.
const REFUSED: &[(&str, &str)] =
    &[("FibonacciSequence_unreach.smt2", "SMT011"), ("bvlist_merkle_proof.vmt", "SMT013")];

#[test]
fn the_corpus_is_read_and_written() {
    let Some(corpus) = testkit::corpus_or_skip("VMT-LIB files of the corpus") else { return };
    for path in files(&corpus.join("ts/vmt")) {
        let bytes = std::fs::read(&path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut terms = Terms::new();
        let expected = REFUSED.iter().find(|(file, _)| *file == name);
        match (read(&mut terms, &text), expected) {
            (Ok(system), None) => check_again(&mut terms, &system, &path),
            (Err(errors), Some((_, code))) => assert!(errors[0].starts_with(code), "{name}: {errors:?}"),
            (result, _) => panic!("{}: {:?}", path.display(), result.err()),
        }
    }
}

/// What is written is read to the same system, where the core language has all that is in it.
fn check_again(terms: &mut Terms, system: &System, path: &Path) {
    let core = again(terms, system);
    let renamed = system.states.iter().any(|state| terms.fun_name(state.next) == "+");
    let asserted = postorder_of(terms, system.axioms.iter().copied());
    let stays = |&fun: &FunId| {
        !terms.fun(fun).params.is_empty() || asserted.iter().any(|&term| terms.applied(term) == Some(fun))
    };
    if system.rigid.iter().all(stays) && !renamed {
        let mut core = core.clone();
        // One name for several properties cannot be kept.
        core.properties.iter_mut().zip(&system.properties).for_each(|(a, b)| a.name.clone_from(&b.name));
        assert_eq!(&core, system, "{}", path.display());
    }
    assert_eq!(again(terms, &core), core, "{}", path.display());
}

fn files(root: &Path) -> Vec<PathBuf> {
    let (mut files, mut todo) = (Vec::new(), vec![root.to_owned()]);
    while let Some(path) = todo.pop() {
        match std::fs::read_dir(&path) {
            Ok(entries) => todo.extend(entries.flatten().map(|entry| entry.path())),
            Err(_) => files.push(path),
        }
    }
    files.sort();
    files
}
