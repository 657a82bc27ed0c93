//! The embedded library is there, is the pinned release, solves, and reports errors instead of ending the
//! process.

use std::ffi::CString;
use std::thread;

use solver::z3::peer::{execute_smtlib2_text, parse_smtlib2_text};
use solver::z3::{self, Z3Version};
use solver::{SolverError, SolverKind};

fn parse(text: &str) -> Result<usize, SolverError> {
    let script = CString::new(text).expect("no NUL in the text");
    parse_smtlib2_text(&script).map(|parsed| parsed.assertions())
}

#[test]
fn registry_shows_the_release_of_the_library() {
    let info = solver::find("z3").expect("the embedded solver is registered");
    assert_eq!(info.kind, SolverKind::Embedded);
    if cfg!(feature = "vendored-z3") {
        assert!(z3::ready().expect("a supported release") >= Z3Version::OLDEST);
    } else {
        assert_eq!((info.version)().as_deref(), Ok("5.4.0"));
    }
}

#[test]
fn solves() {
    assert_eq!(z3::smoke(), Ok(()));
}

#[test]
fn solves_in_several_threads() {
    let threads: Vec<_> = (0..4).map(|_| thread::spawn(z3::smoke)).collect();
    for thread in threads {
        assert_eq!(thread.join().expect("no panic"), Ok(()));
    }
}

#[test]
fn reads_scripts() {
    assert_eq!(parse(""), Ok(0));
    let script = "(set-logic QF_LIA)(declare-const x Int)(assert (> x 0))(assert (< x 0))(check-sat)(exit)";
    assert_eq!(parse(script), Ok(2));
    let vmt =
        "(declare-fun x () Int)(declare-fun y () Int)(define-fun n () Int (! x :next y))(assert (= n 0))";
    assert_eq!(parse(vmt), Ok(1));
}

#[test]
fn executes_scripts() {
    let execute = |text: &str| execute_smtlib2_text(&CString::new(text).expect("no NUL in the text"));
    let counts = "(set-logic HORN)(declare-fun p (Int) Bool)(assert (p 0))
        (assert (forall ((x Int)) (=> (and (p x) (< x 5)) (p (+ x 1)))))";
    let ask = |bound: u32| {
        execute(&format!("{counts}(assert (forall ((x Int)) (=> (p x) (<= x {bound}))))(check-sat)"))
    };
    assert_eq!((ask(5), ask(4)), (Ok("sat".into()), Ok("unsat".into())));
    assert!(execute("(assert (> x 0))").is_ok_and(|said| said.contains("unknown constant x")));
    assert_eq!(execute(""), Ok(String::new()));
}

#[test]
fn errors_in_a_script_are_reported() {
    for (script, part) in [
        ("(assert", "line 1 column 8"),
        ("(assert (> x 0))", "unknown constant x"),
        ("(declare-const x Int)\n(assert (and x true))", "line 2"),
        (")", "line 1"),
        ("(assert |", "unexpected end of quoted symbol"),
        ("\u{1}\u{2}", "line 1"),
    ] {
        match parse(script) {
            Err(SolverError::Refused { message }) => {
                assert!(message.contains(part), "{script:?} gave {message:?}");
            }
            other => panic!("{script:?} gave {other:?}"),
        }
    }
    assert_eq!(z3::smoke(), Ok(()), "the library still works");
}

#[test]
fn error_texts() {
    let found = Z3Version { major: 4, minor: 8, patch: 12 };
    let text = SolverError::UnsupportedZ3 { found }.to_string();
    assert_eq!(text, "the Z3 library is release 4.8.12; only 5.3 to 5.4 are supported");
    let error = SolverError::WrongAnswer { question: "x > 0", expected: "sat", found: "unknown".to_owned() };
    assert_eq!(error.to_string(), "the solver answered unknown instead of sat to: x > 0");
    let error = SolverError::Refused { message: "line 1".to_owned() };
    assert_eq!(error.to_string(), "the solver refused the script: line 1");
}
