//! Workers as processes of this very program: each leads a process group, so that it and the solvers that it starts end
//! together, and each is ended when it is no longer needed. All that is known of a worker is what it writes.

use crate::control::Control;
use driver::job::{Job, Message};
use driver::wire::{Decoder, Frame};
use driver::{Event, WorkerId, Workers};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::io::{IsTerminal, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a process that has closed its output, or was killed, may take to end.
const PATIENCE: Duration = Duration::from_millis(200);
/// What takes longer is shown on a terminal, and how often that is refreshed.
const SHORT: Duration = Duration::from_secs(1);
/// How much of what a worker complains about is kept.
const COMPLAINT: usize = 4096;

/// What threads tell the supervisor.
enum Note {
    Said(WorkerId, Frame),
    /// The output of a worker ended, or is not understood.
    Closed(WorkerId, Option<String>),
    Stop,
}

/// A running worker.
struct Process {
    worker: WorkerId,
    /// What it does, in a word.
    what: String,
    child: Child,
    /// Frames for its standard input, which stays open as long as it may run.
    input: Sender<String>,
    complaint: Arc<Mutex<Vec<u8>>>,
    /// Hangs up when all complaints were heard.
    complained: Receiver<()>,
}

/// Workers that are processes.
pub(crate) struct Processes {
    program: Option<String>,
    control: Arc<Control>,
    alive: Vec<Process>,
    started: WorkerId,
    notes: Receiver<Note>,
    speak: Sender<Note>,
    peak_kib: Option<u64>,
    /// When the query began, if its progress is shown.
    shown_since: Option<Instant>,
}

impl Processes {
    /// No workers yet. `last_words` is what is printed if a query cannot be answered otherwise. `program` is run as a
    /// worker instead of this program, if given.
    pub(crate) fn new(last_words: String, program: Option<String>) -> Processes {
        let (speak, notes) = mpsc::channel();
        let wake = Mutex::new(speak.clone());
        let control = Control::install(last_words, move || {
            let _ = wake.lock().unwrap_or_else(PoisonError::into_inner).send(Note::Stop);
        });
        Processes {
            program,
            control,
            alive: Vec::new(),
            started: 0,
            notes,
            speak,
            peak_kib: None,
            shown_since: None,
        }
    }

    /// What signals and the watchdog look at.
    pub(crate) fn control(&self) -> Arc<Control> {
        Arc::clone(&self.control)
    }

    fn command(&self) -> std::io::Result<Command> {
        if let Some(program) = &self.program {
            return Ok(Command::new(program));
        }
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("worker");
        Ok(command)
    }

    fn spawn(&mut self, job: &Job) -> std::io::Result<WorkerId> {
        let mut child = self
            .command()?
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        self.started += 1;
        let worker = self.started;
        let (input, frames) = mpsc::channel();
        let complaint = Arc::new(Mutex::new(Vec::new()));
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (complaining, complained) = mpsc::channel();
        let what = job.duty.word().into();
        let process = Process { worker, what, child, input, complaint: Arc::clone(&complaint), complained };
        for frame in job.frames() {
            let _ = process.input.send(frame.encode());
        }
        self.alive.push(process);
        if let (Some(stdin), Some(stdout), Some(stderr)) = pipes {
            let speak = self.speak.clone();
            let name = |name: &str| thread::Builder::new().name(name.into());
            name("worker input").spawn(move || feed(stdin, &frames))?;
            name("worker errors").spawn(move || listen_to_complaints(stderr, &complaint, complaining))?;
            name("worker output").spawn(move || hear(stdout, worker, &speak))?;
        }
        Ok(worker)
    }

    /// Says on a terminal what is being done, when it takes long.
    fn show_progress(&self) {
        let Some(since) = self.shown_since.map(|since| since.elapsed()).filter(|time| *time >= SHORT) else {
            return;
        };
        let doing: Vec<&str> = self.alive.iter().map(|process| process.what.as_str()).collect();
        self.control.show(&format!("{} s: {}", since.as_secs(), doing.join(", ")));
    }

    fn position(&self, worker: WorkerId) -> Option<usize> {
        self.alive.iter().position(|process| process.worker == worker)
    }

    /// Waits a moment for the end of a worker, ends what is left of it, and says how it ended.
    fn bury(&mut self, at: usize) -> String {
        let mut process = self.alive.swap_remove(at);
        self.peak_kib = self.peak_kib.max(peak_of(process.child.id()));
        wait_for_end(&process.child, PATIENCE);
        let status = process.end();
        // The pipe is still being read when the process is gone; nobody of its group can write any more.
        let _ = process.complained.recv_timeout(PATIENCE);
        let complaint = process.complaint.lock().unwrap_or_else(PoisonError::into_inner);
        let complaint = String::from_utf8_lossy(&complaint);
        let status = status.map_or_else(|| "it does not end".into(), words);
        match told(&complaint) {
            Some(line) => format!("{status} ({})", line.trim().chars().take(200).collect::<String>()),
            None => status,
        }
    }
}

/// How the linked solver begins when it notices a mistake of its own. What follows are lines of its source text.
const OWN_MISTAKES: [&str; 3] = ["ASSERTION VIOLATION", "UNEXPECTED CODE WAS REACHED", "Failed to verify:"];

/// What there is to read when memory is refused: to Rust, to C++, and to C++ that was called from Rust. (A SAT solver throws
/// nothing else, and z3 keeps its exceptions.)
const REFUSED_MEMORY: [&str; 3] =
    ["memory allocation of ", "std::bad_alloc", "Rust cannot catch foreign exceptions"];

/// The line among a worker's complaints that says most to a user.
fn told(complaint: &str) -> Option<&str> {
    if REFUSED_MEMORY.iter().any(|words| complaint.contains(words)) {
        return Some("out of memory; --memory allows a worker more");
    }
    if complaint.lines().any(|line| OWN_MISTAKES.iter().any(|words| line.starts_with(words))) {
        return Some("the solver noticed a mistake of its own");
    }
    // The hint that follows a panic's message says nothing about it.
    let panic = complaint.lines().find(|line| line.contains("panicked"));
    panic.or_else(|| complaint.lines().rev().find(|line| !line.trim().is_empty()))
}

impl Process {
    /// Ends the process and its group.
    fn end(&mut self) -> Option<ExitStatus> {
        // The child was not waited for, so its number cannot belong to another group.
        if let Some(pid) = pid(&self.child) {
            let _ = kill_process_group(pid, Signal::KILL);
        }
        let _ = self.child.kill();
        wait_for_end(&self.child, PATIENCE);
        self.child.try_wait().ok().flatten()
    }
}

fn pid(child: &Child) -> Option<Pid> {
    Pid::from_raw(child.id().cast_signed())
}

/// Waits until a child has ended, but leaves its status.
fn wait_for_end(child: &Child, patience: Duration) {
    let Some(pid) = pid(child) else { return };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let until = Instant::now() + patience;
    let mut pause = Duration::from_micros(50);
    while let Ok(None) = waitid(WaitId::Pid(pid), options) {
        if Instant::now() >= until {
            return;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

fn words(status: ExitStatus) -> String {
    match status.signal() {
        Some(signal) => match signal_hook::low_level::signal_name(signal) {
            Some(name) => format!("killed by {name}"),
            None => format!("killed by signal {signal}"),
        },
        None => format!("exit status {}", status.code().unwrap_or_default()),
    }
}

/// The most memory a process has used so far, where the system tells.
pub(crate) fn peak_of(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

fn feed(mut stdin: ChildStdin, frames: &Receiver<String>) {
    for text in frames {
        if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

/// Keeps what a worker complains about, and `complaining` until that is all.
fn listen_to_complaints(mut stderr: impl Read, complaint: &Mutex<Vec<u8>>, complaining: Sender<()>) {
    let mut buffer = [0; 1024];
    while let Ok(count @ 1..) = stderr.read(&mut buffer) {
        let mut kept = complaint.lock().unwrap_or_else(PoisonError::into_inner);
        let room = COMPLAINT.saturating_sub(kept.len());
        kept.extend_from_slice(&buffer[..count.min(room)]);
    }
    drop(complaining);
}

fn hear(mut stdout: impl Read, worker: WorkerId, speak: &Sender<Note>) {
    let (mut decoder, mut buffer) = (Decoder::default(), vec![0; 1 << 16]);
    let problem = 'heard: {
        while let Ok(count @ 1..) = stdout.read(&mut buffer) {
            decoder.push(&buffer[..count]);
            loop {
                match decoder.next_frame() {
                    Ok(Some(frame)) => drop(speak.send(Note::Said(worker, frame))),
                    Ok(None) => break,
                    Err(garbled) => break 'heard Some(garbled.to_string()),
                }
            }
        }
        None
    };
    let _ = speak.send(Note::Closed(worker, problem));
}

impl Workers for Processes {
    fn begin(&mut self, until: Instant) {
        self.peak_kib = None;
        self.shown_since = std::io::stderr().is_terminal().then(Instant::now);
        self.control.open(Some(until));
    }

    fn start(&mut self, job: &Job) -> Result<WorkerId, String> {
        self.spawn(job).map_err(|error| error.to_string())
    }

    fn tell(&mut self, worker: WorkerId, fact: &str) {
        if let Some(at) = self.position(worker) {
            let _ = self.alive[at].input.send(Frame::new("hint", fact).encode());
        }
    }

    fn pause(&mut self, worker: WorkerId, rest: bool) {
        if let Some(pid) = self.position(worker).and_then(|at| pid(&self.alive[at].child)) {
            let _ = kill_process_group(pid, if rest { Signal::STOP } else { Signal::CONT });
        }
    }

    fn kill(&mut self, worker: WorkerId) {
        if let Some(at) = self.position(worker) {
            let mut process = self.alive.swap_remove(at);
            self.peak_kib = self.peak_kib.max(peak_of(process.child.id()));
            process.end();
        }
    }

    fn wait(&mut self, until: Instant) -> Event {
        loop {
            if self.control.is_stopped() {
                return Event::Interrupted;
            }
            let left = until.saturating_duration_since(Instant::now());
            let pause = if self.shown_since.is_some() { left.min(SHORT) } else { left };
            let note = match self.notes.recv_timeout(pause) {
                Ok(note) => note,
                Err(RecvTimeoutError::Timeout) if pause < left => {
                    self.show_progress();
                    continue;
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Event::Late,
            };
            let (worker, problem) = match note {
                Note::Stop => return Event::Interrupted,
                Note::Said(worker, frame) => {
                    let key = frame.key.clone();
                    match Message::of_frame(frame) {
                        Some(Message::Peak(kib)) => {
                            self.peak_kib = self.peak_kib.max(Some(kib));
                            continue;
                        }
                        Some(message) if self.position(worker).is_some() => {
                            return Event::Message(worker, message);
                        }
                        Some(_) => continue,
                        None => (worker, Some(format!("it says `{key}`, which nobody understands"))),
                    }
                }
                Note::Closed(worker, problem) => (worker, problem),
            };
            let Some(at) = self.position(worker) else { continue };
            let how = self.bury(at);
            return Event::Ended(worker, problem.unwrap_or(how));
        }
    }

    fn peak_kib(&self) -> Option<u64> {
        self.peak_kib
    }

    fn interrupted(&self) -> bool {
        self.control.is_stopped()
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        for mut process in std::mem::take(&mut self.alive) {
            process.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::told;

    #[test]
    fn of_complaints_the_telling_line_is_shown() {
        assert_eq!(told(""), None);
        assert_eq!(told("one\ntwo\n\n"), Some("two"));
        assert_eq!(
            told("thread 'main' panicked at x:\nwhy\nnote: hint\n"),
            Some("thread 'main' panicked at x:")
        );
        for own in ["ASSERTION VIOLATION\nFile: a.cpp\nLine: 3\n", "warning\nFailed to verify: x\n"] {
            assert_eq!(told(own), Some("the solver noticed a mistake of its own"));
        }
        for refused in [
            "memory allocation of 64 bytes failed\n",
            "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n",
            "fatal runtime error: Rust cannot catch foreign exceptions, aborting\n",
        ] {
            assert_eq!(told(refused), Some("out of memory; --memory allows a worker more"));
        }
    }
}
