//! `svarog worker`: does one job for another svarog, which speaks to it through its standard streams.
//!
//! It ends with whoever started it: when that process dies, standard input ends, and the worker ends its whole process
//! group, the solvers that it started included.

use crate::io::{self, Error};
use crate::processes::peak_of;
use crate::status::Status;
use driver::job::{Incoming, Job, Message};
use driver::wire::{Decoder, Frame};
use driver::{Budget, Port, work};
use rustix::process::{Resource, Rlimit, Signal, getpgrp, getpid, kill_process_group, setrlimit};
use std::io::Read;
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver};

/// Do one job for another svarog
#[derive(clap::Args)]
pub(crate) struct Args {}

/// Solvers recurse on the depth of terms, so they get a large stack.
const STACK: usize = 512 << 20;

/// Standard streams as a port.
struct Streams {
    news: Mutex<Receiver<String>>,
}

impl Port for Streams {
    fn say(&self, message: &Message) {
        let is_remark = matches!(message, Message::Fact(_) | Message::Note(_) | Message::Peak(_));
        let peak = peak_of(std::process::id()).filter(|_| !is_remark).map(|kib| Message::Peak(kib).frame());
        let frames: String = peak.into_iter().chain([message.frame()]).map(|frame| frame.encode()).collect();
        // If nobody listens any more, standard input ends, too.
        let _ = io::print(&frames);
    }

    fn news(&self) -> Vec<String> {
        self.news.lock().map(|news| news.try_iter().collect()).unwrap_or_default()
    }
}

pub(crate) fn run(_: &Args) -> Result<Status, Error> {
    // A worker that rests does not notice the end of its input, so the system ends it.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    driver::keep_solvers_in_group();
    driver::notice_rests();
    let mut frames = Frames { decoder: Decoder::default(), stdin: std::io::stdin() };
    let mut incoming = Incoming::default();
    let job = loop {
        let frame = frames.next().ok_or_else(|| Error::Usage("the job is not complete".into()))?;
        if let Some(job) = incoming.take(frame).map_err(Error::Usage)? {
            break job;
        }
    };
    limit(&job);
    let (tell, news) = mpsc::channel();
    let listen = move || {
        while let Some(frame) = frames.next() {
            let _ = tell.send(frame.text);
        }
        end_group();
    };
    let failed = |error| Error::Read("standard input".into(), error);
    std::thread::Builder::new().name("input".into()).spawn(listen).map_err(failed)?;
    let port = Streams { news: Mutex::new(news) };
    let stack = job.memory.map_or(STACK, |mib| STACK.min((mib << 20) as usize / 4));
    let do_it = move || work(&job, &Budget::of(job.timeout), &port);
    let thread = std::thread::Builder::new().name("work".into()).stack_size(stack).spawn(do_it);
    let done = thread.map_err(failed)?.join();
    Ok(if done.is_ok() { Status::Fine } else { Status::Unknown })
}

/// Takes no more memory than allowed, and leaves no image of it behind when it crashes.
fn limit(job: &Job) {
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    if let Some(bytes) = job.memory.and_then(|mib| mib.checked_mul(1 << 20)) {
        let _ = setrlimit(Resource::As, Rlimit { current: Some(bytes), maximum: Some(bytes) });
    }
}

/// Frames from standard input.
struct Frames {
    decoder: Decoder,
    stdin: std::io::Stdin,
}

impl Frames {
    fn next(&mut self) -> Option<Frame> {
        let mut buffer = [0; 1 << 13];
        loop {
            if let Some(frame) = self.decoder.next_frame().ok()? {
                return Some(frame);
            }
            match self.stdin.read(&mut buffer) {
                Ok(0) => return None,
                Ok(count) => self.decoder.push(&buffer[..count]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return None,
            }
        }
    }
}

#[expect(clippy::exit, reason = "nobody waits for this process any more, and its threads may be anywhere")]
fn end_group() -> ! {
    if getpgrp() == getpid() {
        let _ = kill_process_group(getpid(), Signal::KILL);
    }
    std::process::exit(i32::from(Status::Unknown.code()))
}
