//! The fields of `svarog verify --json`, some of which differ from run to run, so no golden file can hold them.

use serde_json::Value;
use std::process::Command;

fn verify(args: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_svarog"));
    command.current_dir(testkit::workspace_root()).args(["verify", "--json", "--timeout", "300"]).args(args);
    let output = command.output().expect("svarog runs");
    let text = String::from_utf8(output.stdout).expect("text");
    serde_json::from_str(text.lines().next().expect("an answer")).expect("JSON")
}

#[test]
fn a_verdict_says_what_it_rests_on() {
    let answer = verify(&["--engine", "random", "examples/paper/fig5a.svlib"]);
    for (field, expected) in
        [("verdict", "incorrect"), ("engine", "random"), ("solver", "z3"), ("checker", "confirmed")]
    {
        assert_eq!(answer[field], expected, "{field}");
    }
    assert_eq!((&answer["certified"], &answer["reason"]), (&Value::Bool(true), &Value::Null));
    for phase in ["random", "check", "total"] {
        assert!(answer["seconds"][phase].as_f64().is_some_and(|seconds| seconds > 0.0), "{phase}");
    }
    assert!(answer["witness"].as_str().is_some_and(|witness| witness.contains("select-trace")));
    assert_eq!((&answer["place"]["line"], &answer["reused"]), (&Value::from(26), &Value::Bool(false)));
    assert!(answer["place"]["file"].as_str().is_some_and(|file| file.ends_with("fig5a.svlib")));
    assert_eq!(answer["witness_file"], Value::Null);
    assert!(!cfg!(target_os = "linux") || answer["peak_kib"].as_u64().is_some_and(|kib| kib > 0));
}

#[test]
fn an_unknown_answer_says_why() {
    let answer = verify(&["--engine", "given", "examples/paper/fig3a.svlib"]);
    assert_eq!((&answer["verdict"], &answer["certified"]), (&"unknown".into(), &Value::Bool(false)));
    assert_eq!((&answer["engine"], &answer["witness"]), (&Value::Null, &Value::Null));
    assert!(answer["reason"].as_str().is_some_and(|reason| reason.starts_with("given: ")));
}
