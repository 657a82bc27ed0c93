//! `svarog instrument` on files: what is written, what is given back, what is left behind.

use std::path::Path;
use std::process::{Command, Output};
use testkit::Folder;

fn svarog(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_svarog"));
    command.current_dir(folder).arg("instrument").args(arguments).output().expect("it runs")
}

#[test]
fn stripping_gives_back_the_file_before_the_preprocessor() {
    let folder = Folder::new("cli-strip");
    let text = b"#include <limits.h>\r\n#define HALF(x) ((x) / y)\r\nint f(int x, int y) { return HALF(x) + INT_MAX; } // \xff";
    folder.write("program.c", text);
    let done = svarog(&folder.0, &["program.c", "--spec", "no-overflow", "-o", "out.c", "--map", "map.json"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(svarog(&folder.0, &["--strip", "out.c"]).stdout, text);
    let map: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.0.join("map.json")).expect("a map")).expect("JSON");
    let pieces = map["pieces"].as_array().expect("pieces");
    let output = std::fs::read(folder.0.join("out.c")).expect("an output");
    let at =
        |piece: &serde_json::Value, index: usize| piece["output"][index].as_u64().expect("a number") as usize;
    let replaced: Vec<&serde_json::Value> =
        pieces.iter().filter(|piece| piece["kind"] == "replaced").collect();
    assert_eq!(replaced.len(), 2);
    for piece in replaced {
        assert_eq!(&output[at(piece, 0)..at(piece, 1)], b", ");
        assert_eq!((&piece["file"], &piece["line"]), (&"program.c".into(), &3.into()));
        assert!(piece["transition"]["line"].as_u64().is_some_and(|line| line > 5));
    }
    // A property file chooses the same specification.
    folder.write("no-overflow.prp", b"CHECK( init(main()), LTL(G ! overflow) )\n");
    let same = svarog(&folder.0, &["program.c", "--property", "no-overflow.prp"]);
    assert_eq!(same.stdout, output);
    assert_eq!(svarog(&folder.0, &["--strip", "program.c"]).status.code(), Some(2));
}

#[test]
fn nothing_is_left_behind_on_errors() {
    let folder = Folder::new("cli-errors");
    folder.write("bad.c", b"int f( { }");
    folder.write("good.c", b"int f(int n) { return -n; }");
    folder.write("bad.ia", b"automaton {");
    for arguments in [
        ["bad.c", "--spec", "no-overflow", "-o", "out.c"],
        ["good.c", "--spec", "bad.ia", "-o", "out.c"],
        ["good.c", "--spec", "missing", "-o", "out.c"],
        ["good.c", "--spec", "missing.ia", "-o", "out.c"],
    ] {
        let done = svarog(&folder.0, &arguments);
        assert_eq!(done.status.code(), Some(2), "{arguments:?}");
        assert!(!done.stderr.is_empty() && done.stdout.is_empty());
    }
    assert_eq!(std::fs::read_dir(&folder.0).expect("a folder").count(), 3);
}

#[cfg(unix)]
#[test]
fn pipes_stay_pipes() {
    use std::os::unix::fs::FileTypeExt;
    let folder = Folder::new("cli-pipe");
    folder.write("good.c", b"int f(int n) { return -n; }");
    let pipe = folder.0.join("pipe");
    if !Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
        return testkit::skip("output to a pipe", "there is no `mkfifo`");
    }
    let from = pipe.clone();
    let reader = std::thread::spawn(move || std::fs::read(from).expect("what was written"));
    let done = svarog(&folder.0, &["good.c", "--spec", "no-overflow", "-o", "pipe"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(std::fs::metadata(&pipe).expect("it is there").file_type().is_fifo());
    assert_eq!(
        reader.join().expect("it reads"),
        svarog(&folder.0, &["good.c", "--spec", "no-overflow"]).stdout
    );
}
