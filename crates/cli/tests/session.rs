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
