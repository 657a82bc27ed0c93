//! The gate between a context and other threads. The library allows one call from another thread, the
//! interrupt, and only while the context lives; the gate keeps track of that, and of the time of work: a process may rest.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use base::clock::{self, Awake};
use z3_sys::{Z3_context, Z3_interrupt, Z3_solver, Z3_solver_interrupt};

use crate::api::Stop;

/// An interrupt can come before the library listens, so it is repeated until the call returns.
const AGAIN: Duration = Duration::from_millis(20);

/// The library's own limit for something that may take so long, in milliseconds. It counts the time on the wall, so it must be
/// far away: it is there in case that nobody interrupts.
pub(super) fn far(time: Option<Duration>) -> u32 {
    const FAR: Duration = Duration::from_secs(3600);
    let time = time.and_then(|time| time.checked_add(FAR));
    time.map_or(u32::MAX, |time| u32::try_from(time.as_millis()).unwrap_or(u32::MAX))
}

/// Guards a context.
pub(in crate::z3) struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// The context while it lives.
    context: Option<Shared>,
    /// A call that can be interrupted is running.
    running: bool,
    /// Somebody wants it to stop.
    requested: bool,
    /// When the running call must end.
    deadline: Option<Awake>,
    /// The deadline passed during the last call.
    late: bool,
    /// The thread that looks at the clock exists.
    watched: bool,
    /// When that thread looks again; none while it sleeps until it is woken.
    next_look: Option<Awake>,
}

/// The context, and its solver once it has one.
struct Shared(Z3_context, Option<Z3_solver>);

// SAFETY: other threads use the pointers for the interrupt only, under the lock, while the context lives.
unsafe impl Send for Shared {}

/// How a call ended, as far as the gate knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::z3) enum Outcome {
    /// By itself.
    Done,
    /// Its time was over.
    Late,
    /// Somebody stopped it.
    Stopped,
}

impl Gate {
    pub(super) fn new(context: Z3_context) -> Arc<Gate> {
        let state = State {
            context: Some(Shared(context, None)),
            running: false,
            requested: false,
            deadline: None,
            late: false,
            watched: false,
            next_look: None,
        };
        Arc::new(Gate { state: Mutex::new(state), changed: Condvar::new() })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Announces a call that may be interrupted; false when it must not be made.
    pub(in crate::z3) fn enter(self: &Arc<Self>, time: Option<Duration>) -> bool {
        let mut state = self.lock();
        if state.requested {
            return false;
        }
        state.running = true;
        state.late = false;
        state.deadline = time.and_then(|time| clock::now().after(time));
        if let Some(deadline) = state.deadline {
            self.watch(&mut state);
            // Checks are short and deadlines far away: mostly the thread looks early enough by itself.
            if state.next_look.is_none_or(|next| next > deadline) {
                self.changed.notify_all();
            }
        }
        true
    }

    /// The call is over.
    pub(in crate::z3) fn leave(&self) -> Outcome {
        let mut state = self.lock();
        state.running = false;
        state.deadline = None;
        match (state.requested, state.late) {
            (true, _) => Outcome::Stopped,
            (false, true) => Outcome::Late,
            (false, false) => Outcome::Done,
        }
    }

    /// The context has a solver now, which lives as long as the context.
    pub(super) fn set_solver(&self, solver: Z3_solver) {
        if let Some(shared) = &mut self.lock().context {
            shared.1 = Some(solver);
        }
    }

    /// The context is about to be freed.
    pub(super) fn close(&self) {
        self.lock().context = None;
        self.changed.notify_all();
    }

    /// Starts the thread that looks at the clock. If there can be none, the library's own timeout remains.
    fn watch(self: &Arc<Self>, state: &mut State) {
        if !state.watched {
            let gate = Arc::clone(self);
            let name = "solver watchdog".to_owned();
            state.watched = thread::Builder::new().name(name).spawn(move || gate.guard()).is_ok();
        }
    }

    fn guard(&self) {
        let mut state = self.lock();
        while state.context.is_some() {
            let now = clock::now();
            let left = match state.deadline {
                _ if !state.running => None,
                _ if state.requested => Some(Duration::ZERO),
                Some(deadline) => Some(deadline.since(now)),
                None => None,
            };
            let pause = left.map(|left| if left.is_zero() { AGAIN } else { left });
            state.next_look = pause.and_then(|pause| now.after(pause));
            state = match left {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(left) => {
                    if left.is_zero() {
                        state.late |= !state.requested;
                        interrupt(&state);
                    }
                    self.changed
                        .wait_timeout(state, pause.unwrap_or(AGAIN))
                        .unwrap_or_else(PoisonError::into_inner)
                        .0
                }
            };
        }
    }
}

fn interrupt(state: &State) {
    if let (true, Some(context)) = (state.running, &state.context) {
        // SAFETY: context and solver live while they are in the state, whose lock is held; these are the calls that
        // the library allows from other threads. The one for the solver has no effect after the check ended,
        // while the one for the context would make the next call fail; it serves the fixed point engine, whose
        // context is used once.
        unsafe {
            match context.1 {
                Some(solver) => Z3_solver_interrupt(context.0, solver),
                None => Z3_interrupt(context.0),
            }
        }
    }
}

/// The handle that other threads get. The thread at the clock repeats the interrupt.
pub(in crate::z3) struct Handle(pub(in crate::z3) Arc<Gate>);

impl Stop for Handle {
    fn stop(&self) {
        let mut state = self.0.lock();
        state.requested = true;
        interrupt(&state);
        self.0.watch(&mut state);
        self.0.changed.notify_all();
    }

    fn resume(&self) {
        self.0.lock().requested = false;
    }
}
