//! A session answers each command when it is complete, not when the input ends.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

#[test]
fn answers_come_as_commands_do() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_svarog"))
        .args(["verify", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("svarog starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    // The next line is read before more is said: a program that waits for the end of its input would hang here.
    let mut ask = |pieces: &[&str]| {
        for piece in pieces {
            stdin.write_all(piece.as_bytes()).and_then(|()| stdin.flush()).expect("svarog listens");
        }
        lines.next().expect("an answer").expect("text")
    };
    assert_eq!(ask(&["(set-option :print-success true)"]), "success");
    assert_eq!(ask(&["(declare-", "const k I", "nt)"]), "success");
    let body = "(! (sequence (assign (r n)) (! (sequence) :tag end :check-true (< r 5))) :tag proc)";
    assert_eq!(ask(&["(define-proc p ((n Int)) ((r Int)) () ", body, " ; a comment with )\n)"]), "success");
    assert_eq!(ask(&["(verify-call p (9))"]), "incorrect");
    assert_eq!(ask(&["(get-option :print-success)"]), "true");
    assert_eq!(
        ask(&["(verify-call q ())"]),
        "(error \"2:61: the procedure `q` is not defined before this use\")"
    );
    assert_eq!(ask(&["(get-info :name)"]), "(:name \"Svarog\")");
    drop(stdin);
    assert_eq!(child.wait().expect("svarog ends").code(), Some(2));
}

/// What a script says about channels holds only if the user allows it.
#[test]
fn channels_are_files_if_that_is_allowed() {
    let folder = std::env::temp_dir().join(format!("svarog-channels-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = |name: &str| folder.join(name).display().to_string();
    let script = format!(
        "(set-option :print-success true)
         (set-option :diagnostic-output-channel \"{}\")
         (set-option :regular-output-channel \"{}\")
         (set-logic LIA)
         (define-proc p () () () (! (sequence) :tag p :check-true false))
         (verify-call q ())
         (verify-call p ())
         (set-option :regular-output-channel \"stdout\")
         (verify-call p ())",
        file("diagnostic"),
        file("regular"),
    );
    std::fs::write(folder.join("regular"), "before\n").expect("a file");
    let run = |args: &[&str]| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_svarog"))
            .args(["verify", "-", "--engine", "random"])
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("svarog starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(script.as_bytes()).expect("svarog listens");
        drop(stdin);
        let output = child.wait_with_output().expect("output");
        String::from_utf8(output.stdout).expect("text")
    };
    let refused = run(&[]);
    assert_eq!(refused.matches("may not write to the file").count(), 2, "{refused}");
    assert!(!folder.join("diagnostic").exists());
    assert_eq!(run(&["--allow-file-output"]), "success\nsuccess\nsuccess\nincorrect\n");
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a file");
    let said = text("regular");
    assert!(said.starts_with("before\nsuccess\nsuccess\nsuccess\n(error"), "added at the end: {said}");
    assert!(said.ends_with("\nincorrect\n"), "{said}");
    assert!(text("diagnostic").contains("the procedure `q` is not defined"));
    std::fs::remove_dir_all(folder).expect("a folder");
}

/// The annotations that prove a call prove the same query, and are tried for the next one.
#[test]
fn what_proves_a_call_is_remembered() {
    let script = "(set-logic LIA)
        (define-proc count ((n Int)) ((i Int)) ()
          (! (sequence (assign (i 0))
               (! (while (< i n) (assign (i (+ i 1)))) :tag loop)
               (! (sequence) :tag end :check-true (or (= i n) (< n 0)))) :tag count))
        (declare-const k Int)
        (invariants-call count (k))
        (verify-call count (k))
        (verify-call count ((+ k 1)))";
    let mut child = Command::new(env!("CARGO_BIN_EXE_svarog"))
        .args(["verify", "-", "--engine", "spacer", "--stats", "--timeout", "300"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("svarog starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(script.as_bytes()).expect("svarog listens");
    drop(stdin);
    let output = child.wait_with_output().expect("output");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    let (said, remarks) = (text(output.stdout), text(output.stderr));
    assert!(said.starts_with("((annotate-tag loop :invariant "), "{said}");
    assert!(said.ends_with("\ncorrect\ncorrect\n"), "{said}");
    assert_eq!(remarks.matches("correct (answered before)").count(), 1, "{remarks}");
    assert!(remarks.contains("<stdin>:9:9: correct\n"), "{remarks}");
}
