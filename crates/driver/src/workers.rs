//! Who does the jobs. The supervisor only starts, hears and ends workers; the command line runs them as processes,
//! [`Threads`] in this one.

use crate::job::{Job, Message};
use crate::work::{Port, work};
use base::budget::Budget;
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Instant;

/// A worker. Numbers are never used twice.
pub type WorkerId = u64;

/// What happens while jobs are done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A worker says something.
    Message(WorkerId, Message),
    /// A worker is no more, and how it ended.
    Ended(WorkerId, String),
    /// The time is over.
    Late,
    /// Somebody wants the program to end.
    Interrupted,
}

/// Runs jobs.
pub trait Workers {
    /// A query begins; it has to be answered by then. Whoever must answer in time can prepare for it.
    fn begin(&mut self, until: Instant);

    /// Starts a worker.
    ///
    /// # Errors
    /// When it cannot be started: why.
    fn start(&mut self, job: &Job) -> Result<WorkerId, String>;

    /// Hands a fact to a worker.
    fn tell(&mut self, worker: WorkerId, fact: &str);

    /// Lets a worker rest, or go on.
    fn pause(&mut self, worker: WorkerId, rest: bool);

    /// Ends a worker and everything that it started. Nothing is heard of it any more.
    fn kill(&mut self, worker: WorkerId);

    /// Waits for something to happen.
    fn wait(&mut self, until: Instant) -> Event;

    /// The most memory that a worker used since the query began, in KiB, if that can be told.
    fn peak_kib(&self) -> Option<u64> {
        None
    }

    /// True after the wish to end was heard: nothing more should be begun.
    fn interrupted(&self) -> bool {
        false
    }
}

/// Workers that are threads: for tests and for programs that bring their own isolation. A thread cannot be ended from
/// outside, so a worker that does not look at its budget goes on in the background.
pub struct Threads {
    alive: Vec<(WorkerId, Budget, Sender<String>)>,
    started: WorkerId,
    events: Receiver<Event>,
    speak: Sender<Event>,
}

impl Default for Threads {
    fn default() -> Self {
        let (speak, events) = mpsc::channel();
        Threads { alive: Vec::new(), started: 0, events, speak }
    }
}

/// The port of a thread.
struct Channel {
    worker: WorkerId,
    speak: Sender<Event>,
    news: Mutex<Receiver<String>>,
}

impl Port for Channel {
    fn say(&self, message: &Message) {
        // Nobody listens any more when the supervisor has its answer.
        let _ = self.speak.send(Event::Message(self.worker, message.clone()));
    }

    fn news(&self) -> Vec<String> {
        self.news.lock().map(|news| news.try_iter().collect()).unwrap_or_default()
    }
}

impl Workers for Threads {
    fn begin(&mut self, _: Instant) {}

    fn start(&mut self, job: &Job) -> Result<WorkerId, String> {
        self.started += 1;
        let worker = self.started;
        let budget = Budget::of(job.timeout);
        let (tell, news) = mpsc::channel();
        let port = Channel { worker, speak: self.speak.clone(), news: Mutex::new(news) };
        let (job, shared) = (job.clone(), budget.clone());
        let run = move || {
            let speak = port.speak.clone();
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&job, &shared, &port)));
            let how = if done.is_ok() { "it is done" } else { "it panicked" };
            let _ = speak.send(Event::Ended(worker, how.into()));
        };
        let thread = std::thread::Builder::new().name("worker".into()).spawn(run);
        thread.map_err(|error| error.to_string())?;
        self.alive.push((worker, budget, tell));
        Ok(worker)
    }

    fn tell(&mut self, worker: WorkerId, fact: &str) {
        if let Some((_, _, tell)) = self.alive.iter().find(|(id, ..)| *id == worker) {
            let _ = tell.send(fact.into());
        }
    }

    fn pause(&mut self, _: WorkerId, _: bool) {}

    fn kill(&mut self, worker: WorkerId) {
        if let Some(at) = self.alive.iter().position(|(id, ..)| *id == worker) {
            self.alive.swap_remove(at).1.cancel();
        }
    }

    fn wait(&mut self, until: Instant) -> Event {
        loop {
            let event = match self.events.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(event) => event,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Event::Late,
            };
            let (Event::Message(worker, _) | Event::Ended(worker, _)) = &event else { return event };
            if self.alive.iter().any(|(id, ..)| id == worker) {
                return event;
            }
        }
    }
}
