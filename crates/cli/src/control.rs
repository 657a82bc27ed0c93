//! Answers in time, whatever happens: signals, and a watchdog that speaks when nobody else does.
//!
//! While a query is open, a SIGTERM or SIGINT makes the supervisor answer `unknown`; if it does not do so within a
//! moment, or does not keep the deadline of the query, the watchdog answers in its place and ends the program.

use crate::io;
use crate::status::Status;
use signal_hook::consts::{SIGINT, SIGPIPE, SIGTERM};
use signal_hook::iterator::Signals;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long the watchdog waits for the supervisor after a deadline or a signal.
const PATIENCE: Duration = Duration::from_millis(600);

/// Ends the program because whoever read its output has gone away: quietly, and by the signal that ends any program then.
/// A status would claim something about the part of the output that nobody has read.
pub(crate) fn nobody_reads() -> ExitCode {
    let _ = signal_hook::low_level::emulate_default_handler(SIGPIPE);
    // What a shell says of a program that the signal has ended.
    ExitCode::from(128 + SIGPIPE as u8)
}

/// What the program is doing.
#[derive(Default)]
struct State {
    /// A query waits for its answer.
    is_open: bool,
    /// When it has to be answered at the latest.
    latest: Option<Instant>,
}

/// The state of the program that signals and watchdog look at.
pub(crate) struct Control {
    state: Mutex<State>,
    changed: Condvar,
    stopped: AtomicBool,
    /// What is printed when there is nothing else to say.
    last_words: String,
    progress: Progress,
}

/// A line on a terminal that says what is going on, and goes away.
#[derive(Default)]
struct Progress {
    is_shown: AtomicBool,
}

impl Progress {
    fn show(&self, text: &str) {
        self.is_shown.store(true, Ordering::SeqCst);
        let _ = io::append("stderr", &format!("\r\x1b[K{text}"));
    }

    fn clear(&self) {
        if self.is_shown.swap(false, Ordering::SeqCst) {
            let _ = io::append("stderr", "\r\x1b[K");
        }
    }
}

impl Control {
    /// Begins to listen for signals; `wake` is called when one arrives during a query.
    pub(crate) fn install(last_words: String, wake: impl Fn() + Send + 'static) -> Arc<Control> {
        let control = Arc::new(Control {
            state: Mutex::default(),
            changed: Condvar::new(),
            stopped: AtomicBool::new(false),
            last_words,
            progress: Progress::default(),
        });
        let (listener, watchdog) = (Arc::clone(&control), Arc::clone(&control));
        // Without signals and without a watchdog the program still works.
        if let Ok(signals) = Signals::new([SIGTERM, SIGINT]) {
            let _ = std::thread::Builder::new()
                .name("signals".into())
                .spawn(move || listener.listen(signals, &wake));
        }
        let _ = std::thread::Builder::new().name("watchdog".into()).spawn(move || watchdog.watch());
        control
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A query waits for its answer, until then if that is known.
    pub(crate) fn open(&self, until: Option<Instant>) {
        let mut state = self.lock();
        state.is_open = true;
        state.latest = until.map(|until| until + PATIENCE);
        self.changed.notify_all();
    }

    /// Shows what is going on, on a terminal.
    pub(crate) fn show(&self, text: &str) {
        self.progress.show(text);
    }

    /// Nothing is going on any more, or something else is to be said.
    pub(crate) fn clear(&self) {
        self.progress.clear();
    }

    /// Says the answer, and the query is no longer open.
    pub(crate) fn answer<T>(&self, say: impl FnOnce() -> T) -> T {
        let mut state = self.lock();
        let result = say();
        *state = State::default();
        result
    }

    /// True after a signal that should end the program.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// Says that the program should end, as a signal does.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
    }

    fn listen(&self, mut signals: Signals, wake: &dyn Fn()) {
        for signal in signals.forever() {
            let mut state = self.lock();
            if !state.is_open {
                // Nobody waits for an answer: the signal does what it does to any program.
                let _ = signal_hook::low_level::emulate_default_handler(signal);
                continue;
            }
            self.stopped.store(true, Ordering::SeqCst);
            let soon = Instant::now() + PATIENCE;
            state.latest = Some(state.latest.map_or(soon, |latest| latest.min(soon)));
            self.changed.notify_all();
            drop(state);
            wake();
        }
    }

    fn watch(&self) {
        let mut state = self.lock();
        loop {
            let now = Instant::now();
            state = match state.latest {
                Some(latest) if state.is_open && latest <= now => self.give_up(),
                Some(latest) => {
                    let left = latest.saturating_duration_since(now).max(Duration::from_millis(1));
                    self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    fn give_up(&self) -> ! {
        self.progress.clear();
        io::complain("the query is not answered in time");
        let _ = io::print(&self.last_words);
        std::process::exit(i32::from(Status::Unknown.code()))
    }
}
