//! Bad input gets an error with a place and exit status 2: never a panic, a stack overflow or a partial file.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use testkit::Rng;

const FORMATS: [&str; 11] =
    ["aag", "aig", "btor2", "chc", "k2", "moxi", "moxi-json", "smtlib", "smv", "svlib", "vmt"];

/// Runs svarog on standard input, in a small address space if asked for.
fn svarog(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_svarog"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("svarog starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // The program may stop reading; that is its right.
            let _ = stdin.write_all(input);
        });
        child.wait_with_output().expect("svarog ends")
    })
}

/// All output as text.
fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The input is refused with a place.
#[track_caller]
fn refused(args: &[&str], input: &[u8]) {
    let output = svarog(args, input);
    let text = text(&output);
    let shown: String = text.chars().take(600).collect();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {shown}");
    let place = text.lines().any(|line| line.starts_with("<stdin>:") && line.contains(": error["));
    assert!(place, "{args:?} gives no place: {shown}");
    assert!(text.len() < 200_000, "{args:?} prints {} bytes", text.len());
}

/// The input is refused or accepted, but properly.
#[track_caller]
fn survived(args: &[&str], input: &[u8]) {
    let output = svarog(args, input);
    let code = output.status.code();
    let shown: String = text(&output).chars().take(600).collect();
    assert!(matches!(code, Some(0..=3)), "{args:?} ends with {:?}: {shown}", output.status);
    assert!(!shown.contains("panicked"), "{args:?}: {shown}");
}

#[test]
fn a_million_nested_parentheses() {
    let n = 1_000_000;
    let inputs = [
        format!("{}{}", "(".repeat(n), ")".repeat(n)),
        "(".repeat(n),
        ")".repeat(100),
        format!("(assert {}true{})", "(not ".repeat(n), ")".repeat(n - 1)),
        format!("(assert {}1{})", "(not ".repeat(n), ")".repeat(n)),
        format!("(define-proc p () () () {}(assume 1){})", "(sequence ".repeat(n), ")".repeat(n)),
        format!("(declare-const x {}Int{})", "(Array Int ".repeat(n), ")".repeat(n + 1)),
    ];
    for format in FORMATS {
        for input in &inputs {
            refused(&["lint", "-", "--from", format], input.as_bytes());
        }
    }
    for input in &inputs {
        survived(&["fmt", "-"], input.as_bytes());
        refused(&["verify", "-"], input.as_bytes());
        refused(&["run", "-"], input.as_bytes());
    }
}

#[test]
fn long_tokens_and_lines() {
    let n = 20_000_000;
    let symbol = "a".repeat(n);
    for format in FORMATS {
        refused(&["lint", "-", "--from", format], symbol.as_bytes());
        refused(&["lint", "-", "--from", format], format!("({symbol})").as_bytes());
        refused(&["lint", "-", "--from", format], format!("(assert {symbol})").as_bytes());
        refused(&["lint", "-", "--from", format], format!("(assert |{symbol})").as_bytes());
        refused(&["lint", "-", "--from", format], format!("(assert \"{symbol})").as_bytes());
    }
}

#[test]
fn invalid_utf8() {
    for format in FORMATS {
        refused(&["lint", "-", "--from", format], b"(set-logic LIA)\n; caf\xe9\n(exit)");
        refused(&["lint", "-", "--from", format], b"\xff\xfe(\x00");
    }
    let output = svarog(&["lint", "-"], b"(set-logic LIA)\n  ; caf\xe9\n");
    assert!(text(&output).starts_with("<stdin>:2:8: error[SMT001]"), "{}", text(&output));
    refused(&["fmt", "-"], b"(a \xc3)");
}

fn sample() -> Vec<u8> {
    let path: PathBuf = testkit::workspace_root().join("examples/paper/fig7a.svlib");
    std::fs::read(path).expect("the example")
}

#[test]
fn truncated_everywhere() {
    let sample = sample();
    for end in 0..sample.len() {
        survived(&["lint", "-"], &sample[..end]);
    }
}

#[test]
fn random_bytes() {
    let mut rng = Rng::new(7);
    for round in 0..60 {
        let bytes = rng.bytes(1 + round * 20);
        for format in FORMATS {
            survived(&["lint", "-", "--from", format], &bytes);
        }
        survived(&["fmt", "-"], &bytes);
        let mutant = testkit::mutate(&sample(), &mut rng, &["(", ")", ":tag", "(!", "|"]);
        survived(&["run", "-", "--steps", "1000"], &mutant);
        survived(&["convert", "-"], &mutant);
    }
}

#[test]
fn nothing_is_written_when_the_input_is_bad() {
    let dir = std::env::temp_dir().join(format!("svarog-bad-input-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a folder");
    let (input, output) = (dir.join("in.svlib"), dir.join("out.svlib"));
    std::fs::write(&input, "(set-logic LIA").expect("a file");
    let ran = |args: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_svarog")).args(args).output().expect("svarog runs").status.code()
    };
    let (input_name, output_name) = (input.to_str().expect("a name"), output.to_str().expect("a name"));
    assert_eq!(ran(&["convert", input_name, "-o", output_name]), Some(2));
    assert_eq!(ran(&["fmt", input_name]), Some(2));
    assert_eq!(ran(&["lint", "--fix", input_name]), Some(2));
    let left: Vec<_> =
        std::fs::read_dir(&dir).expect("the folder").map(|e| e.expect("an entry").file_name()).collect();
    assert_eq!(left, ["in.svlib"]);
    assert_eq!(std::fs::read_to_string(&input).expect("the file"), "(set-logic LIA");
    std::fs::remove_dir_all(&dir).expect("cleaned up");
}

/// Whoever reads the output may stop before its end. That ends the program as it ends others, and says nothing about the rest.
#[test]
fn a_reader_that_goes_away() {
    let invariant = |index: usize| {
        let holds = if index == 0 { "(>= x 0)" } else { "(< x 3)" };
        format!("(define-fun p{index} () Bool (! {holds} :invar-property {index}))\n")
    };
    let mut task = "(declare-fun x () Int)(declare-fun y () Int)(define-fun .x () Int (! x :next y))\n\
         (define-fun i () Bool (! (= x 0) :init true))(define-fun t () Bool (! (= y (+ x 1)) :trans true))\n"
        .to_owned();
    task.extend((0..4).map(invariant));
    let file = std::env::temp_dir().join(format!("svarog-pipe-{}.vmt", std::process::id()));
    std::fs::write(&file, &task).expect("a file");
    let name = file.to_str().expect("a name");
    for args in
        [&["verify", name][..], &["convert", "--to", "vmt", name], &["lint", "--json", name], &["--help"]]
    {
        let mut child = Command::new(env!("CARGO_BIN_EXE_svarog"))
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("svarog starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("svarog ends");
        let ended = std::os::unix::process::ExitStatusExt::signal(&output.status);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((ended, &*said), (Some(13), ""), "{args:?}: {:?}", output.status);
    }
    std::fs::remove_file(&file).expect("the file is there");
}
