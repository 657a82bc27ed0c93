//! A program at the other end of two pipes. Threads write and read, so that nothing blocks for longer than it
//! may; the program and its children form a process group, which is killed when the pipe is dropped.

use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use base::clock::{self, Awake};
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process_group, prlimit};
use smt::sexpr::Splitter;

use super::profile::{Profile, find_program};
use crate::error::SolverError;

/// How often a waiting thread looks whether it shall stop.
const PAUSE: Duration = Duration::from_millis(10);

/// Whether programs stay in the group of this process.
static STAY: AtomicBool = AtomicBool::new(false);

/// From now on the programs that are started belong to the process group of this process, so that whoever ends the
/// group ends them too. Otherwise each gets a group of its own.
pub fn stay_in_group() {
    STAY.store(true, Ordering::SeqCst);
}

/// The program.
pub(super) struct Pipe {
    child: Child,
    leads_group: bool,
    input: Option<Sender<String>>,
    answers: Receiver<String>,
}

/// What came of waiting for an answer.
pub(super) enum Received {
    /// An S-expression.
    Answer(String),
    /// The time is over.
    Late,
    /// Somebody wants to stop.
    Stopped,
    /// The program ended; its exit status in words.
    Ended(String),
}

impl Pipe {
    /// Starts the program.
    pub(super) fn start(profile: &Profile) -> Result<Pipe, SolverError> {
        let program = find_program(&profile.program)?;
        let leads_group = !STAY.load(Ordering::SeqCst);
        let mut command = Command::new(program);
        command.args(&profile.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        if leads_group {
            command.process_group(0);
        }
        let mut child =
            command.spawn().map_err(|error| SolverError::Refused { message: error.to_string() })?;
        let (input, commands) = mpsc::channel::<String>();
        let (output, answers) = mpsc::channel::<String>();
        if let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) {
            let write = move || {
                for text in commands {
                    if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                        break;
                    }
                }
            };
            let spawn = |name: &str| thread::Builder::new().name(name.to_owned());
            let started = spawn("solver input")
                .spawn(write)
                .and_then(|_| spawn("solver output").spawn(move || split(stdout, &output)));
            if let Err(error) = started {
                let _ = child.kill();
                return Err(SolverError::Refused { message: error.to_string() });
            }
        }
        Ok(Pipe { child, leads_group, input: Some(input), answers })
    }

    /// Limits the memory of the program, in megabytes. Where that is not possible nothing happens.
    pub(super) fn limit_memory(&self, megabytes: Option<u32>) {
        let bytes = megabytes.map(|megabytes| u64::from(megabytes) << 20);
        if let Some(pid) = Pid::from_raw(self.child.id().cast_signed()) {
            let _ = prlimit(Some(pid), Resource::As, Rlimit { current: bytes, maximum: None });
        }
    }

    /// Sends commands; a program that has ended is noticed when its answer is awaited.
    pub(super) fn send(&mut self, text: String) {
        if let Some(input) = &self.input {
            let _ = input.send(text);
        }
    }

    /// Waits for the next answer.
    pub(super) fn receive(&mut self, deadline: Option<Awake>, stop: &dyn Fn() -> bool) -> Received {
        loop {
            if stop() {
                return Received::Stopped;
            }
            let left = deadline.map_or(PAUSE, |deadline| deadline.since(clock::now()));
            match self.answers.recv_timeout(left.min(PAUSE)) {
                Ok(answer) => return Received::Answer(answer),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Received::Late,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let status = self.child.try_wait().ok().flatten();
                    return Received::Ended(status.map_or_else(|| "no status".to_owned(), |s| s.to_string()));
                }
            }
        }
    }
}

/// Cuts what the program says into S-expressions.
fn split(mut from: impl Read, to: &Sender<String>) {
    let (mut splitter, mut current, mut buffer) = (Splitter::default(), Vec::new(), vec![0; 1 << 16]);
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        let mut rest = &buffer[..count];
        while let Some(length) = splitter.push(rest) {
            current.extend_from_slice(&rest[..length]);
            rest = &rest[length..];
            let text = String::from_utf8_lossy(&current).trim().to_owned();
            current.clear();
            if !text.is_empty() && to.send(text).is_err() {
                return;
            }
        }
        current.extend_from_slice(rest);
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        self.input = None;
        if self.leads_group
            && let Some(pid) = Pid::from_raw(self.child.id().cast_signed())
        {
            let _ = kill_process_group(pid, Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
