//! Workers that crash, hang, lie or are killed cost an attempt, never the answer: it is `unknown`, in time.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Correct, and random executions never get to an end.
const ENDLESS: &str = "(set-logic LIA)
(define-proc p () ((r Int)) ()
  (! (sequence (assign (r 0)) (! (while true (assign (r (+ r 1)))) :tag loop :check-true (<= 0 r))) :tag proc))
(verify-call p ())";

/// Longer than anything here should take, on any machine.
const LONG: Duration = Duration::from_secs(60);

/// A folder that is removed at the end of a test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("svarog-workers-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        fs::write(path.join("task.svlib"), ENDLESS).expect("a file");
        Folder(path)
    }

    fn task(&self) -> PathBuf {
        self.0.join("task.svlib")
    }

    /// A program that does what the shell commands say.
    fn program(&self, commands: &str) -> PathBuf {
        let path = self.0.join("worker");
        // Written by another process: a file that this one has open for writing cannot be executed by a child.
        let script = format!("cat > '{0}' && chmod +x '{0}'", path.display());
        let mut writer =
            Command::new("sh").args(["-c", &script]).stdin(Stdio::piped()).spawn().expect("a shell");
        let mut stdin = writer.stdin.take().expect("a pipe");
        stdin.write_all(format!("#!/bin/sh\n{commands}\n").as_bytes()).expect("a script");
        drop(stdin);
        assert!(writer.wait().expect("written").success());
        assert!(fs::metadata(&path).expect("a file").permissions().mode() & 0o100 != 0);
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn svarog(args: &[&str], files: &[&Path], worker: Option<&Path>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_svarog"));
    command.args(args).args(files);
    if let Some(worker) = worker {
        command.arg("--worker-program").arg(worker);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The output of a command that has to end within a minute.
fn finish(mut child: Child) -> Output {
    let begin = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        assert!(begin.elapsed() < LONG, "svarog does not end");
        sleep(Duration::from_millis(5));
    }
    child.wait_with_output().expect("output")
}

fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// What `verify` says when the worker is this script.
#[track_caller]
fn unknown_because(name: &str, worker: &str, reason: &str) {
    let folder = Folder::new(name);
    let worker = folder.program(worker);
    let child = svarog(&["verify", "--timeout", "2", "--engine", "random"], &[&folder.task()], Some(&worker));
    let output = finish({ child }.spawn().expect("svarog"));
    let (stdout, stderr) = texts(&output);
    assert_eq!((stdout.as_str(), output.status.code()), ("unknown\n", Some(3)), "{stderr}");
    assert!(stderr.contains(reason), "{stderr}");
}

#[test]
fn a_worker_that_crashes() {
    unknown_because("segv", "kill -SEGV $$", "killed by SIGSEGV");
    unknown_because(
        "abort",
        "echo 'memory allocation failed' >&2; kill -ABRT $$",
        "memory allocation failed",
    );
    unknown_because("status", "exit 7", "exit status 7");
    unknown_because("silent", "exit 0", "exit status 0");
}

#[test]
fn a_worker_that_hangs() {
    unknown_because("hang", "exec sleep 1000", "the time is over");
    unknown_because("deaf", "exec <&-; trap '' TERM; while true; do sleep 1; done", "the time is over");
    unknown_because("closed", "exec >&-; sleep 1000", "without an answer");
}

#[test]
fn a_worker_that_prints_rubbish() {
    unknown_because("rubbish", "echo hello world", "not understood");
    unknown_because("flood", "exec yes", "not understood");
    unknown_because("unknown-word", "printf 'bogus 0\\n\\n'; sleep 1000", "nobody understands");
    unknown_because("half", "printf 'correct 100\\n('", "exit status 0");
}

/// Nobody but a checker can make a verdict stand.
#[test]
fn a_worker_that_lies() {
    unknown_because("lies", "printf 'correct 2\\n()\\n'; sleep 1000", "that nobody asked");
    unknown_because("judges", "printf 'confirmed 0\\n\\n'; sleep 1000", "that nobody asked");
}

#[test]
fn no_worker_at_all() {
    let folder = Folder::new("none");
    let missing = folder.0.join("missing");
    let output = svarog(&["verify"], &[&folder.task()], Some(&missing)).output().expect("svarog");
    let (stdout, stderr) = texts(&output);
    assert_eq!((stdout.as_str(), output.status.code()), ("unknown\n", Some(3)), "{stderr}");
    assert!(stderr.contains("does not start"), "{stderr}");
}

#[test]
fn a_checker_that_crashes() {
    let folder = Folder::new("checker");
    let worker = folder.program("kill -SEGV $$");
    let witness = folder.0.join("witness.svlib");
    fs::write(&witness, "()").expect("a file");
    let output = svarog(&["validate"], &[&folder.task(), &witness], Some(&worker)).output().expect("svarog");
    let (stdout, stderr) = texts(&output);
    assert_eq!((stdout.as_str(), output.status.code()), ("unknown\n", Some(3)), "{stderr}");
    assert!(stderr.contains("killed by SIGSEGV"), "{stderr}");
}

/// The children of a process, once it has some.
fn children(of: u32) -> Vec<u32> {
    let begin = Instant::now();
    loop {
        let text = fs::read_to_string(format!("/proc/{of}/task/{of}/children")).unwrap_or_default();
        let children: Vec<u32> = text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect();
        if !children.is_empty() {
            return children;
        }
        assert!(begin.elapsed() < LONG, "no worker is started");
        sleep(Duration::from_millis(5));
    }
}

fn kill(signal: &str, process: u32) {
    let status = Command::new("kill").args([signal, &process.to_string()]).status().expect("kill");
    assert!(status.success());
}

fn is_running(process: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    !status.is_empty() && !status.contains(") Z ")
}

#[track_caller]
fn is_gone(processes: &[u32]) {
    let begin = Instant::now();
    while processes.iter().any(|&process| is_running(process)) {
        assert!(begin.elapsed() < LONG, "a worker outlives its supervisor");
        sleep(Duration::from_millis(5));
    }
}

fn start(folder: &Folder, timeout: &str) -> (Child, Vec<u32>) {
    let args = ["verify", "--timeout", timeout, "--engine", "random"];
    let child = svarog(&args, &[&folder.task()], None).spawn().expect("svarog");
    let workers = children(child.id());
    (child, workers)
}

#[test]
fn a_signal_is_answered() {
    for signal in ["-TERM", "-INT"] {
        let folder = Folder::new(&format!("signal{signal}"));
        let (child, workers) = start(&folder, "1000");
        kill(signal, child.id());
        let output = finish(child);
        let (stdout, stderr) = texts(&output);
        assert_eq!((stdout.as_str(), output.status.code()), ("unknown\n", Some(3)), "{stderr}");
        assert!(stderr.contains("interrupted"), "{stderr}");
        is_gone(&workers);
    }
}

#[test]
fn a_worker_that_is_killed() {
    let folder = Folder::new("killed");
    let (child, workers) = start(&folder, "1000");
    kill("-KILL", workers[0]);
    let output = finish(child);
    let (stdout, stderr) = texts(&output);
    assert_eq!((stdout.as_str(), output.status.code()), ("unknown\n", Some(3)), "{stderr}");
    assert!(stderr.contains("killed by SIGKILL"), "{stderr}");
}

#[test]
fn workers_end_with_their_supervisor() {
    let folder = Folder::new("supervisor");
    let (mut child, workers) = start(&folder, "1000");
    child.kill().expect("a child");
    child.wait().expect("a child");
    is_gone(&workers);
}

/// In a session the answer comes, and then the session ends although its input goes on.
#[test]
fn a_signal_in_a_session() {
    let mut command = svarog(&["verify", "-", "--engine", "random"], &[], None);
    let mut child = command.stdin(Stdio::piped()).spawn().expect("svarog");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(ENDLESS.as_bytes()).expect("svarog listens");
    stdin.flush().expect("svarog listens");
    children(child.id());
    kill("-TERM", child.id());
    let mut said = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut said).expect("text");
    assert_eq!(said, "unknown\n");
    assert_eq!(finish(child).status.code(), Some(3));
    drop(stdin);
}

/// What one engine publishes reaches another one while it runs: `random` tells a fact when it comes the second time, which
/// its seed says; `given` waits for it and repeats it.
#[test]
fn facts_travel_between_processes() {
    let folder = Folder::new("facts");
    let worker = folder.program(
        "while read -r key length; do
           case $key in
             seed) read -r seed ;;
             search) read -r engine
               case $engine$seed in
                 random0) printf 'nothing 0\\n\\n'; exit 0 ;;
                 random*) printf 'fact 4\\n(ab)\\nnothing 0\\n\\n'; exit 0 ;;
               esac ;;
             hint) read -r fact; printf 'nothing %d\\nheard %s\\n' $((6 + ${#fact})) \"$fact\"; exit 0 ;;
           esac
         done",
    );
    let args = ["verify", "--timeout", "50", "--jobs", "2", "--engine", "given,random"];
    let child = svarog(&args, &[&folder.task()], Some(&worker)).spawn().expect("svarog");
    let (_, stderr) = texts(&finish(child));
    assert!(stderr.contains("given: heard (ab)"), "{stderr}");
}
