//! Evidence about systems and clauses in the language of the task: `verify` writes it, `validate` confirms it, and rejects it
//! when it is spoiled. Where they are installed, the tools that come with a language judge it too.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

/// A folder that is removed at the end of a test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("svarog-evidence-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        fs::write(&path, text).expect("a file");
        path.to_str().expect("text").to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn svarog(args: &[&str]) -> (String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_svarog")).args(args).output().expect("svarog runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    (text(&output.stdout), text(&output.stderr))
}

const COUNTER: &str = "1 sort bitvec 3
2 sort bitvec 1
3 input 2 up
4 state 1 x
5 zero 1
6 init 1 4 5
7 const 1 010
8 add 1 4 7
9 ite 1 3 8 4
10 next 1 4 9
";

const CLAUSES: &str = "(set-logic HORN)
(declare-fun p (Int Int) Bool)
(declare-fun q (Int) Bool)
(assert (forall ((n Int)) (=> (= n 0) (p n n))))
(assert (forall ((n Int) (m Int)) (=> (and (p n m) (< n 5)) (p (+ n 1) (+ m 2)))))
(assert (forall ((n Int) (m Int)) (=> (and (p n m) (>= n 5)) (q m))))
";

const FIB: &str = "(set-logic HORN)
(declare-fun fib (Int Int) Bool)
(assert (forall ((n Int)) (=> (<= n 1) (fib n 1))))
(assert (forall ((n Int) (a Int) (b Int)) (=> (and (> n 1) (fib (- n 1) a) (fib (- n 2) b)) (fib n (+ a b)))))
";

const MOXI: &str = "(set-logic QF_LIA)
(define-system counter :input ((up Bool)) :output ((n Int)) :init (= n 0) :trans (= n' (ite up (+ n 1) n)))
";

/// A task, its verdict, the beginning of its evidence, and how the evidence is spoiled.
struct Case {
    name: &'static str,
    task: String,
    verdict: &'static str,
    begins: &'static str,
    spoil: (&'static str, &'static str),
}

fn cases() -> Vec<Case> {
    let case = |name, task: String, verdict, begins, spoil| Case { name, task, verdict, begins, spoil };
    let bad = |value: &str| format!("{COUNTER}11 const 1 {value}\n12 eq 2 4 11\n13 bad 12\n");
    let goal = |condition: &str| {
        format!("{CLAUSES}(assert (forall ((n Int)) (=> (and (q n) {condition}) false)))\n(check-sat)\n")
    };
    let fib = |condition: &str| {
        format!(
            "{FIB}(assert (forall ((n Int) (a Int)) (=> (and (fib n a) {condition}) false)))\n(check-sat)\n"
        )
    };
    let check = |condition: &str| {
        format!(
            "{MOXI}(check-system counter :input ((up Bool)) :output ((n Int)) :reachable (r {condition}) :query (q (r)))"
        )
    };
    vec![
        case("bad.btor2", bad("100"), "incorrect", "sat\nb0\n", ("0 1 up@0", "0 0 up@0")),
        case("good.btor2", bad("011"), "correct", "1 sort", ("bad ", "bad -")),
        case(
            "live.btor2",
            format!("{COUNTER}11 eq 2 4 5\n12 justice 1 11\n"),
            "incorrect",
            "sat\nj0\n",
            ("sat\nj0", "sat\nj1"),
        ),
        case("sat.smt2", goal("(> n 10)"), "correct", "sat\n", ("define-fun q", "define-fun r")),
        case("unsat.smt2", goal("(= n 10)"), "incorrect", "unsat\n", (":values (0)", ":values (1)")),
        case("fib.smt2", fib("(< a 1)"), "correct", "sat\n", (" 0)", " (- 1))")),
        case("fib-unsat.smt2", fib("(= a 3)"), "incorrect", "unsat\n", (":premises (3)", ":premises (2)")),
        case("bad.moxi", check("(= n 3)"), "incorrect", "(check-system-response", ("(n 1)", "(n 2)")),
        case("good.moxi", check("(< n 0)"), "correct", "(check-system-response", (">= n 0", ">= n 1")),
    ]
}

/// What these show can be said in every language; what several steps show cannot.
const ENGINES: &str = "bmc,bmc-bits,lasso,pdr,short,spacer";

/// True when the evidence is confirmed.
fn is_confirmed(task: &str, witness: &str) -> bool {
    let (out, _) = svarog(&["validate", "--timeout", "100", task, witness]);
    assert!(!out.is_empty());
    out.lines().all(|line| line == "confirmed")
}

#[test]
fn evidence_is_in_the_language_of_the_task() {
    let folder = Folder::new("own");
    for Case { name, task, verdict, begins, spoil } in cases() {
        let (task, witness) = (folder.file(name, &task), folder.file("witness", ""));
        let (out, err) =
            svarog(&["verify", "--timeout", "100", "--engine", ENGINES, "--witness", &witness, &task]);
        assert_eq!(out, verdict, "{name}: {err}");
        let text = fs::read_to_string(&witness).expect("a witness");
        assert!(text.starts_with(begins), "{name}: {err}\n{text}");
        assert!(is_confirmed(&task, &witness), "{name}\n{text}");
        if text.contains(spoil.0) {
            let spoiled = folder.file("spoiled", &text.replace(spoil.0, spoil.1));
            assert!(!is_confirmed(&task, &spoiled), "{name}: {spoil:?}\n{text}");
        }
    }
}

/// A number that grows never has a value twice; with another set or another step nothing is shown.
#[test]
fn evidence_that_repeats_no_state() {
    let folder = Folder::new("recurrence");
    let text =
        "(declare-fun x () Int)\n(declare-fun x.next () Int)\n(define-fun sv.x () Int (! x :next x.next))
(define-fun init () Bool (! (= x 0) :init))\n(define-fun trans () Bool (! (= x.next (+ x 1)) :trans))
(define-fun p () Bool (! (< x 0) :live-property 0))\n";
    let (task, witness) = (folder.file("up.vmt", text), folder.file("witness", ""));
    let (out, err) = svarog(&["verify", "--timeout", "100", "--witness", &witness, &task]);
    assert_eq!(out, "incorrect", "{err}");
    let text = fs::read_to_string(&witness).expect("a witness");
    assert!(is_confirmed(&task, &witness), "{text}");
    for spoil in [("(+ x 1)", "(+ x 2)"), ("(recurrent ", "(recurrent (= x 0)) ; ")] {
        assert!(text.contains(spoil.0), "{text}");
        let spoiled = folder.file("spoiled", &text.replace(spoil.0, spoil.1));
        assert!(!is_confirmed(&task, &spoiled), "{spoil:?}\n{text}");
    }
}

/// Circuits in both forms of AIGER; the certificate of a binary one is text.
#[test]
fn evidence_about_circuits() {
    let folder = Folder::new("circuits");
    for (value, verdict, begins) in [("100", "incorrect", "1\nb0\n"), ("011", "correct", "aag ")] {
        let text = format!("{COUNTER}11 const 1 {value}\n12 eq 2 4 11\n13 bad 12\n");
        let words = folder.file("words.btor2", &text);
        for ending in ["aag", "aig"] {
            let (task, witness) = (folder.file(&format!("bits.{ending}"), ""), folder.file("witness", ""));
            let (_, err) = svarog(&["convert", &words, "-o", &task]);
            assert_eq!(err, "");
            let (out, err) =
                svarog(&["verify", "--timeout", "100", "--engine", ENGINES, "--witness", &witness, &task]);
            assert_eq!((out.as_str(), err.as_str()), (verdict, ""));
            let text = fs::read_to_string(&witness).expect("a witness");
            assert!(text.starts_with(begins), "{text}");
            assert!(is_confirmed(&task, &witness), "{text}");
        }
    }
}

/// A relation, a constraint on inputs and two properties, which the program's argument tells apart.
const SUM: &str = "(declare-fun x () Int)
(declare-fun x.next () Int)
(define-fun sv.x () Int (! x :next x.next))
(declare-fun y () Int)
(declare-fun y.next () Int)
(define-fun sv.y () Int (! y :next y.next))
(declare-fun up () Int)
(define-fun init () Bool (! (and (= x 0) (= y 0)) :init))
(define-fun trans () Bool (! (and (= x.next (+ x up)) (>= y.next y)) :trans))
(define-fun range () Bool (! (and (<= 0 up) (< up 5)) :invar))
(define-fun positive () Bool (! (>= x 0) :invar-property 4))
(define-fun small () Bool (! (< x 7) :invar-property 2))
";

const SUM_WITNESS: &str = "((annotate-tag step :invariant (=> (not select0) (>= x 0))))
((select-trace (model) (init-global-vars) (entry-proc system)
  (steps (init-proc-vars system (x 6) (y 0) (up 0) (y.next 0))
    (havoc (up 4)) (havoc (y.next 3)) (havoc (up 3)) (havoc (y.next 3)) (havoc (up 0)))
  (incorrect-annotation property-2 :check-true (=> select0 (< x 7)))))
";

#[test]
fn evidence_about_the_program_of_a_system() {
    let folder = Folder::new("program");
    let (task, program) = (folder.file("sum.vmt", SUM), folder.file("sum.svlib", ""));
    let witness = folder.file("witness.svlib", SUM_WITNESS);
    assert_eq!(svarog(&["convert", &task, "-o", &program]).1, "");
    for system in [&program, &task] {
        assert_eq!(svarog(&["validate", system, &witness]).0, "confirmed\nconfirmed", "{system}");
    }
    for (good, spoiled, first, second) in [
        (">= x 0", ">= x 1", "rejected", "confirmed"),
        ("(havoc (up 3))", "(havoc (up 2))", "confirmed", "rejected"),
        ("(havoc (up 4))", "(havoc (up 5))", "confirmed", "rejected"),
        (
            "(havoc (y.next 3)) (havoc (up 3))",
            "(havoc (y.next (- 1))) (havoc (up 3))",
            "confirmed",
            "rejected",
        ),
    ] {
        let witness = folder.file("spoiled.svlib", &SUM_WITNESS.replacen(good, spoiled, 1));
        let (out, err) = svarog(&["validate", &task, &witness]);
        assert_eq!(out, format!("{first}\n{second}"), "{spoiled}: {err}");
    }
    let found = folder.file("found.svlib", "");
    assert_eq!(
        svarog(&["verify", "--timeout", "100", "--witness", &found, &program]).0,
        "correct\nincorrect"
    );
    assert!(is_confirmed(&task, &found));
    let (out, err) =
        svarog(&["validate", &task, &folder.file("strange.svlib", "((annotate-tag step :invariant z))")]);
    assert!(out.starts_with("rejected") && !err.is_empty(), "{out} {err}");
}

/// What `validate` says of evidence, line by line.
#[track_caller]
fn judged(task: &str, witness: &str, words: &str) {
    let (out, err) = svarog(&["validate", "--timeout", "100", task, witness]);
    assert_eq!(out.replace('\n', " "), words, "{}: {err}", fs::read_to_string(witness).expect("a witness"));
}

/// Two checks whose queries have the same name; the first holds, the second is violated.
const CHECKS: &str = "(define-system A :output ((o Bool)) :init o :trans (= o' o))
(define-system B :output ((o Bool)) :init (not o) :trans (= o' o))
(check-system A :output ((o Bool)) :reachable (r (not o)) :reachable (s o) :query (q (r)) :query (p (s)))
(check-system B :output ((o Bool)) :reachable (r (not o)) :query (q (r)))
(check-system B :output ((o Bool)) :reachable (r o) :query (q (r)))
";

/// Each answer is judged, about the query of the system that the response names; where a system is asked twice under one name,
/// the order tells which answer is which.
#[test]
fn responses_say_what_they_are_about() {
    let folder = Folder::new("responses");
    let (task, witness) = (folder.file("checks.moxi", CHECKS), folder.file("witness", ""));
    let (out, err) = svarog(&["verify", "--timeout", "100", "--witness", &witness, &task]);
    assert_eq!(out.replace('\n', " "), "0 correct 1 incorrect 2 incorrect 3 correct", "{err}");
    judged(&task, &witness, "confirmed confirmed confirmed confirmed");
    let kept = |name: &str, by: &str| {
        format!(
            "(check-system-response {name} :query (q :result unsat :certificate c) :certificate (c :inv {by} :k 1))"
        )
    };
    let (yes, no) = (kept("B", "(not o)"), kept("A", "o"));
    let reached = "(check-system-response B :query (q :result sat :trace t) :trace (t :prefix l) :trail (l (0 (o false))))";
    for (text, words) in [
        (format!("{no} {reached} {yes}"), "confirmed confirmed confirmed"),
        (format!("{no}\n  {yes} {reached}\n"), "confirmed rejected rejected"),
        (kept("B", "o"), "rejected"),
        (kept("C", "o"), "rejected"),
        (
            "(check-system-response A :query (q :result unsat :certificate c) :query (p :result unsat :certificate d)
              :certificate (c :inv o :k 1) :certificate (d :inv false :k 1))"
                .into(),
            "confirmed rejected",
        ),
        ("(check-system-response A :query (q :result unsat) :query (z :result unsat))".into(), "unknown rejected"),
        ("(check-system-response A)".into(), "rejected"),
    ] {
        judged(&task, &folder.file("text", &text), words);
    }
}

/// Variables of subsystems are not seen from outside, and what is remembered of a step is seen one step later.
#[test]
fn values_that_are_not_told_are_looked_for() {
    let folder = Folder::new("untold");
    let text = "(define-system Delay :input ((i Bool)) :output ((o Bool)) :local ((s Bool)) :inv (= s i) :init (not o) :trans (= o' s))
(define-system Two :input ((i Bool)) :output ((o Bool)) :local ((t Bool)) :subsys (A (Delay i t)) :subsys (B (Delay t o)))
(check-system Two :input ((i Bool)) :output ((o Bool)) :local ((t Bool)) :reachable (r (and o (not i))) :query (q (r)))
";
    let task = folder.file("two.moxi", text);
    for (second, words) in [("true", "confirmed"), ("false", "rejected")] {
        let response = format!(
            "(check-system-response Two :query (q :result sat :trace t) :trace (t :prefix l)
            :trail (l (0 (i true) (o false) (t false)) (1 (i false) (o false) (t {second})) (2 (i false) (o true) (t false))))"
        );
        judged(&task, &folder.file("response", &response), words);
    }
}

/// A lasso against an LTL formula need not speak of the monitor.
#[test]
fn lassos_of_the_system_itself() {
    let folder = Folder::new("plain");
    let text = "(declare-fun x () Bool)\n(declare-fun x.next () Bool)\n(define-fun .x () Bool (! x :next x.next))
(define-fun t () Bool (! (= x.next (not x)) :trans true))\n(define-fun p () Bool (! (ltl.G x) :ltl-property 1))\n";
    let task = folder.file("toggle.vmt", text);
    for (second, words) in [("true", "confirmed"), ("false", "rejected")] {
        let trace = format!(
            "(set-info :vmt-evidence trace)\n(set-info :vmt-property 1)\n(set-info :vmt-loop 0)
(step 0 (define-fun x () Bool false))\n(step 1 (define-fun x () Bool {second}))\n"
        );
        judged(&task, &folder.file("trace", &trace), words);
    }
}

/// Names that SMT-LIB cannot spell, or has meanings for, stay what they are in the language of the task.
#[test]
fn names_of_other_languages() {
    let folder = Folder::new("names");
    let text =
        "1 sort bitvec 1\n2 state 1 $0\\foo[0:0]\n3 zero 1\n4 init 1 2 3\n5 state 1 bvadd\n6 init 1 5 3
7 next 1 5 5\n8 input 1 a|b\n9 or 1 5 2\n10 GOES 1 9 8\n11 next 1 2 10\n12 bad 2\n";
    for (operator, verdict, begins) in [("or", "incorrect", "sat\nb0\n"), ("and", "correct", "1 sort")] {
        let task = folder.file("names.btor2", &text.replace("GOES", operator));
        let witness = folder.file("witness", "");
        let (out, err) = svarog(&["verify", "--timeout", "100", "--witness", &witness, &task]);
        assert_eq!((out.as_str(), err.as_str()), (verdict, ""));
        let found = fs::read_to_string(&witness).expect("a witness");
        assert!(found.starts_with(begins), "{found}");
        assert!(found.contains(if operator == "or" { "a|b@0" } else { "$0\\foo[0:0]" }), "{found}");
        judged(&task, &witness, "confirmed");
    }
}

/// Comments, steps after the bad one, and several properties at once.
#[test]
fn witnesses_of_other_tools() {
    let folder = Folder::new("tools");
    let text = format!("{COUNTER}11 const 1 100\n12 eq 2 4 11\n13 bad 12\n14 bad -12\n");
    let task = folder.file("task.btor2", &text);
    let steps = "#0\n@0\n0 1 up@0\n@1\n0 1 up@1\n@2\n@3\n.\n";
    for (text, words) in [
        (format!("; log\nsat\nb0\n{steps}; done\n"), "confirmed"),
        (format!("sat\nb0 b1\n{steps}\n; again\nsat\nb1\n#0\n@0\n.\n"), "confirmed confirmed confirmed"),
        (format!("sat\nb0\nb1\n{}", steps.replace("0 1 up@1", "0 0 up@1")), "rejected confirmed"),
        (format!("sat\nb0 b2\n{steps}"), "rejected"),
        (format!("sat\nb0\n{}", steps.replace("#0\n", "#0\n0 0xx x#0\n")), "confirmed"),
        (format!("sat\nb0\n{}", steps.replace("#0\n", "#0\n0 001 x#0\n")), "rejected"),
        (format!("sat\nb0\n{}", steps.replace("@1\n", "#1\n0 100 x#1\n@1\n")), "rejected"),
        (format!("sat\nb0\n{}", steps.replace("@0\n0", "@0\n0 0 up@0\n0")), "rejected"),
    ] {
        judged(&task, &folder.file("witness", &text), words);
    }
    let task = folder.file("toggle.aag", "aag 1 0 1 0 0 1\n2 3\n2\n");
    for (text, words) in [("1\nb0\n0\n\n\n\n.\n", "confirmed"), ("1\nb0\n1\n\n\n.\n", "rejected")] {
        judged(&task, &folder.file("witness", &format!("c by hand\n{text}c end\n")), words);
    }
}

/// What a program says, or nothing when it is not installed, which is said.
#[expect(clippy::print_stderr, reason = "whoever reads the output of a test should know what was left out")]
fn referee(program: &str, args: &[&str]) -> Option<Output> {
    match Command::new(program).args(args).output() {
        Ok(output) => Some(output),
        Err(_) => {
            eprintln!("skipped: {program} is not installed");
            None
        }
    }
}

#[test]
fn the_tools_of_the_languages_agree() {
    let folder = Folder::new("referees");
    let text = format!("{COUNTER}11 const 1 100\n12 eq 2 4 11\n13 bad 12\n");
    let (task, witness) = (folder.file("task.btor2", &text), folder.file("witness", ""));
    svarog(&["verify", "--timeout", "100", "--witness", &witness, &task]);
    let again = folder.file("again.btor2", "");
    svarog(&["convert", &task, "-o", &again]);
    if let Some(output) = referee("catbtor", &[&again]) {
        assert!(output.status.success(), "catbtor: {}", String::from_utf8_lossy(&output.stderr));
    }
    if let Some(output) = referee("btorsim", &["-c", &task, &witness]) {
        assert!(output.status.success(), "btorsim: {}", String::from_utf8_lossy(&output.stderr));
    }
    let circuit = folder.file("task.aig", "");
    svarog(&["convert", &task, "-o", &circuit]);
    svarog(&["verify", "--timeout", "100", "--witness", &witness, &circuit]);
    if let Some(output) = referee("aigsim", &["-c", "-w", &circuit, &witness]) {
        assert!(output.status.success(), "aigsim: {}", String::from_utf8_lossy(&output.stderr));
    }
    let clauses = folder.file("task.smt2", "");
    svarog(&["convert", &task, "--to", "chc", "-o", &clauses]);
    if let Some(output) = referee("z3", &[&clauses]) {
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "unsat", "z3");
    }
}
