//! Programs that misbehave: they hang, die, talk nonsense, or leave children behind. The answer is unknown or an
//! error, it comes in time, and nothing stays.
#![cfg(unix)]

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use smt::term::{TermId, Terms};
use solver::process::{Process, Profile, known};
use solver::{CheckResult, Interrupt, Limits, Model, Reason, Solver, SolverError, StateError, UnsatCore};

/// A shell script as a solver.
fn shell(script: &str) -> Process {
    let mut profile = known("z3-process").expect("a known program").profile();
    profile.name = "shell".to_owned();
    profile.program = "/bin/sh".to_owned();
    profile.args = vec!["-c".to_owned(), script.to_owned()];
    Process::new(profile).expect("there is a shell")
}

fn check(solver: &mut Process) -> Result<CheckResult, SolverError> {
    let terms = Terms::new();
    solver.assert(&terms, TermId::TRUE)?;
    solver.check(&terms, &[TermId::FALSE])
}

#[test]
fn a_program_that_hangs() {
    let mut solver = shell("sleep 100");
    solver.limits(Limits::time(Duration::from_millis(200))).unwrap();
    let start = Instant::now();
    assert_eq!(check(&mut solver), Ok(CheckResult::Unknown(Reason::Timeout)));
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
}

#[test]
fn a_program_that_does_not_read() {
    let mut solver = shell("sleep 100");
    solver.limits(Limits::time(Duration::from_millis(200))).unwrap();
    let mut terms = Terms::new();
    // More than a pipe holds.
    for number in 0..5_000u32 {
        let (one, two) = (terms.int(number), terms.int(number + 1));
        let formula = terms.app(smt::op::Op::Lt, &[one, two]).unwrap();
        solver.assert(&terms, formula).unwrap();
    }
    let start = Instant::now();
    assert_eq!(solver.check(&terms, &[]), Ok(CheckResult::Unknown(Reason::Timeout)));
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
}

#[test]
fn a_program_that_ends() {
    for script in ["exit 3", "read x; exit 0", "kill -9 $$"] {
        let answer = check(&mut shell(script));
        assert!(matches!(answer, Ok(CheckResult::Unknown(Reason::Died(_)))), "{script}: {answer:?}");
    }
}

#[test]
fn a_program_that_talks_nonsense() {
    for script in
        ["echo hello; sleep 10", "echo '(a b'; echo ')'; sleep 10", "printf '\\377\\376\\n'; sleep 10"]
    {
        let answer = check(&mut shell(script));
        assert!(matches!(answer, Err(SolverError::Unreadable { .. })), "{script}: {answer:?}");
    }
    let answer = check(&mut shell("echo '(error \"no such thing\")'; sleep 10"));
    assert_eq!(answer, Err(SolverError::Refused { message: "no such thing".to_owned() }));
}

#[test]
fn a_model_that_is_none() {
    let mut solver = shell("echo sat; echo '(()) '; sleep 10");
    assert_eq!(check(&mut solver), Ok(CheckResult::Sat));
    let mut terms = Terms::new();
    assert_eq!(solver.value(&mut terms, TermId::TRUE), Ok(None));
    assert_eq!(solver.unsat_core(), Err(SolverError::State(StateError::NoCore)));
}

#[test]
fn a_core_of_an_honest_shell() {
    let mut solver = shell("echo unsupported; echo success; echo unsat; echo '(assume!!1)'; sleep 10");
    assert_eq!(check(&mut solver), Ok(CheckResult::Unsat));
    assert_eq!(solver.unsat_core(), Ok(vec![TermId::FALSE]));
}

#[test]
fn interrupts_reach_a_waiting_program() {
    let mut solver = shell("sleep 100");
    let handle = solver.interrupter();
    let other = thread::spawn(move || {
        thread::sleep(Duration::from_millis(100));
        handle.interrupt();
    });
    let start = Instant::now();
    assert_eq!(check(&mut solver), Ok(CheckResult::Unknown(Reason::Interrupted)));
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    other.join().unwrap();
}

/// The children of the program are in its group and end with it.
#[test]
fn children_are_killed() {
    let marker = format!("31{}", std::process::id());
    let mut solver = shell(&format!("sleep {marker} & sleep {marker}; wait"));
    solver.limits(Limits::time(Duration::from_millis(300))).unwrap();
    assert_eq!(check(&mut solver), Ok(CheckResult::Unknown(Reason::Timeout)));
    drop(solver);
    let start = Instant::now();
    while sleepers(&marker) > 0 {
        assert!(start.elapsed() < Duration::from_secs(4), "a child is left");
        thread::sleep(Duration::from_millis(20));
    }
}

/// The processes `sleep MARKER` that are not dead yet.
fn sleepers(marker: &str) -> usize {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let is_sleeper = |process: &fs::DirEntry| {
        let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
        let state = fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        line.starts_with(b"sleep\0")
            && String::from_utf8_lossy(&line).contains(marker)
            && !state.contains(") Z ")
    };
    processes.filter(is_sleeper).count()
}

#[test]
fn a_missing_program() {
    let profile = Profile::from_command("/no/such/program --smt2").expect("a program and an argument");
    assert_eq!(profile.args, ["--smt2"]);
    let error = Process::new(profile).err().expect("not there");
    assert_eq!(error.to_string(), "`/no/such/program` is not installed");
    assert_eq!(Profile::from_command("  "), None);
    let z3 = Profile::from_command("/opt/z3").expect("a program");
    assert_eq!((z3.name.as_str(), z3.args.join(" ").as_str()), ("z3-process", "-in -smt2"));
}
