//! Running one command with a limit on time and output, so that no test can hang or fill the memory.
//!
//! The child leads its own process group and the whole group is killed at the end of its time. A process
//! that outlives its parent would otherwise keep the output pipes open, and the test would wait for it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::{Problem, case::Command};

/// More output than this on one stream is a failure.
const MAX_OUTPUT: usize = 16 * 1024 * 1024;

/// The exit status of a Rust program that panicked.
const PANIC_STATUS: i32 = 101;

/// What a command that ended in time left behind.
pub(super) struct Output {
    pub(super) status: Status,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
}

/// How a command ended.
pub(super) struct Status(ExitStatus);

/// Why there is no output to compare.
pub(super) enum Error {
    Io(String, io::Error),
    Timeout(Duration),
    TooMuchOutput,
}

impl Status {
    /// The exit status as it is written in expected files.
    pub(super) fn text(&self) -> String {
        match self.0.code() {
            Some(code) => code.to_string(),
            None => self.0.to_string(),
        }
    }

    /// The description of a crash, if it was one: no test may expect a panic or a signal.
    pub(super) fn crash(&self) -> Option<String> {
        match self.0.code() {
            Some(PANIC_STATUS) => Some(format!("panic, status {PANIC_STATUS}")),
            Some(_) => None,
            None => Some(self.text()),
        }
    }
}

impl Error {
    pub(super) fn into_problem(self, command: &str) -> Problem {
        match self {
            Error::Io(what, error) => Problem::Io(what, error),
            Error::Timeout(limit) => Problem::Timeout(command.to_owned(), limit),
            Error::TooMuchOutput => Problem::TooMuchOutput(command.to_owned(), MAX_OUTPUT),
        }
    }
}

/// Runs the command in `folder` and waits for it, at most `timeout` long.
pub(super) fn run(
    binary: &Path,
    command: &Command,
    folder: &Path,
    timeout: Duration,
) -> Result<Output, Error> {
    let deadline = Instant::now() + timeout;
    let mut child = spawn(binary, command, folder)?;
    let pipes = (child.stdout.take().map(read_in_background), child.stderr.take().map(read_in_background));
    let result = collect(&mut child, pipes, deadline, timeout);
    if result.is_err() {
        kill(&mut child);
    }
    result
}

fn spawn(binary: &Path, command: &Command, folder: &Path) -> Result<Child, Error> {
    let stdin = match &command.stdin {
        Some(path) => File::open(path)
            .map(Stdio::from)
            .map_err(|error| Error::Io(format!("read {}", path.display()), error))?,
        None => Stdio::null(),
    };
    let mut process = std::process::Command::new(binary);
    process.args(&command.arguments).current_dir(folder).stdin(stdin);
    process.stdout(Stdio::piped()).stderr(Stdio::piped());
    // What a developer has set for the terminal must not change what a test sees.
    process.env("NO_COLOR", "1").env("RUST_BACKTRACE", "0");
    for name in ["BLESS", "CLICOLOR_FORCE", "FORCE_COLOR", "RUST_LOG"] {
        process.env_remove(name);
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut process, 0);
    process.spawn().map_err(|error| Error::Io(format!("start {}", binary.display()), error))
}

type Pipe = Option<Receiver<io::Result<Vec<u8>>>>;

fn read_in_background(pipe: impl Read + Send + 'static) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let result = pipe.take(MAX_OUTPUT as u64 + 1).read_to_end(&mut bytes);
        // The receiver is gone if the other stream failed first.
        let _ = sender.send(result.map(|_| bytes));
    });
    receiver
}

fn collect(
    child: &mut Child,
    pipes: (Pipe, Pipe),
    deadline: Instant,
    timeout: Duration,
) -> Result<Output, Error> {
    let stdout = receive(pipes.0, deadline, timeout)?;
    let stderr = receive(pipes.1, deadline, timeout)?;
    // Both streams are closed, so the end is near; a program that closes them and stays is caught too.
    let mut pause = Duration::from_micros(100);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(Output { status: Status(status), stdout, stderr }),
            Ok(None) if Instant::now() >= deadline => return Err(Error::Timeout(timeout)),
            Ok(None) => std::thread::sleep(pause),
            Err(error) => return Err(Error::Io("wait for the command".to_owned(), error)),
        }
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

fn receive(pipe: Pipe, deadline: Instant, timeout: Duration) -> Result<Vec<u8>, Error> {
    let Some(pipe) = pipe else { return Ok(Vec::new()) };
    match pipe.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        Ok(Ok(bytes)) if bytes.len() > MAX_OUTPUT => Err(Error::TooMuchOutput),
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) => Err(Error::Io("read the output".to_owned(), error)),
        Err(RecvTimeoutError::Timeout) => Err(Error::Timeout(timeout)),
        Err(RecvTimeoutError::Disconnected) => {
            Err(Error::Io("read the output".to_owned(), io::ErrorKind::BrokenPipe.into()))
        }
    }
}

/// Ends the child and everything it started. The child has not been waited for, so its number cannot yet
/// belong to another process.
fn kill(child: &mut Child) {
    #[cfg(unix)]
    {
        // The standard library has no call for a group, and the shell's own `kill` is on every machine.
        let script = format!("kill -s KILL -- -{}", child.id());
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &script]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let _ = shell.status();
    }
    // Fails only if the group is already gone.
    let _ = child.kill();
    let _ = child.wait();
}
