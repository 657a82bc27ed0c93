//! The loop: choose an input, damage it, execute, keep what is new.

use std::collections::BTreeSet;
use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use testkit::{Rng, mutate};

use super::shrink;
use super::targets::Target;
use crate::registry::Error;

/// No execution may take longer.
const SLOW: Duration = Duration::from_secs(20);

/// Small enough that a recursion over a few thousand levels is noticed.
const STACK: usize = 512 * 1024;

/// Inputs that are damaged further are no longer than this, so that executions stay fast.
const LONG: usize = 12 * 1024;

/// So many inputs are kept besides the seeds.
const MANY: usize = 5000;

/// How a hunt ended.
pub(super) enum Outcome {
    /// The time is over.
    Clean,
    /// Something is wrong with an input.
    Finding {
        /// What.
        message: String,
        /// The input, made as small as could be.
        input: Vec<u8>,
    },
}

/// What a hunt did.
pub(super) struct Report {
    pub(super) outcome: Outcome,
    pub(super) executions: u64,
    /// How many inputs are damaged further at the end.
    pub(super) kept: usize,
    /// The length of the longest input.
    pub(super) largest: usize,
}

/// What the watcher sees of the worker.
struct Shared {
    executions: AtomicU64,
    done: AtomicBool,
    current: Mutex<(Instant, Vec<u8>)>,
}

/// Executes one input: the mark of what it showed, or what is wrong.
pub(super) fn execute(target: &Target, input: &[u8]) -> Result<u64, String> {
    match panic::catch_unwind(AssertUnwindSafe(|| (target.run)(input))) {
        Ok(result) => result,
        Err(payload) => {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("a panic");
            Err(format!("panic: {text}"))
        }
    }
}

/// Hunts for `time`, from `seeds`; the input under way is kept in the file `current`.
pub(super) fn run(
    target: &Target,
    seeds: Vec<Vec<u8>>,
    seed: u64,
    time: Duration,
    current: Option<PathBuf>,
) -> Result<Report, Error> {
    let shared = Shared {
        executions: AtomicU64::new(0),
        done: AtomicBool::new(false),
        current: Mutex::new((Instant::now(), Vec::new())),
    };
    // Panics are reported as findings, not one by one on the way.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let result = thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(STACK);
        let worker = worker
            .spawn_scoped(scope, || {
                let report = work(target, seeds, seed, time, current.as_deref(), &shared);
                shared.done.store(true, Ordering::SeqCst);
                report
            })
            .map_err(|e| Error::Io("start a thread".into(), e))?;
        while !shared.done.load(Ordering::SeqCst) && !worker.is_finished() {
            thread::sleep(Duration::from_millis(50));
            let guard = shared.current.lock().unwrap_or_else(PoisonError::into_inner);
            if guard.0.elapsed() > SLOW && !shared.done.load(Ordering::SeqCst) {
                give_up(target, &guard.1, current.as_deref());
            }
        }
        worker.join().map_err(|_| Error::Tool(target.name.into(), "the worker ended by itself".into()))
    });
    panic::set_hook(hook);
    result
}

/// An execution that does not end cannot be stopped, only reported.
#[expect(clippy::exit, reason = "the thread with the endless execution cannot be ended in any other way")]
fn give_up(target: &Target, input: &[u8], current: Option<&Path>) {
    use std::io::Write;
    let place = match current {
        Some(file) if fs::write(file, input).is_ok() => file.display().to_string(),
        _ => format!("{:?}", String::from_utf8_lossy(&input[..input.len().min(4096)])),
    };
    let message = format!("FINDING in {}: an execution takes longer than {SLOW:?}: {place}\n", target.name);
    let _ = std::io::stdout().write_all(message.as_bytes());
    std::process::exit(1);
}

fn work(
    target: &Target,
    seeds: Vec<Vec<u8>>,
    seed: u64,
    time: Duration,
    current: Option<&Path>,
    shared: &Shared,
) -> Report {
    let (begin, mut pool, mut seen) = (Instant::now(), seeds, BTreeSet::new());
    let mut rng = Rng::new(seed);
    let mut largest = 0;
    let first = pool.len();
    while begin.elapsed() < time {
        let index = shared.executions.fetch_add(1, Ordering::Relaxed);
        // Every seed once as it is, then damaged ones, the newer the likelier.
        let mut input = match pool.get(index as usize).filter(|_| index < first as u64) {
            Some(seed) => seed.clone(),
            None => {
                let back = if rng.bool() { rng.below(pool.len()) } else { rng.below(pool.len().min(200)) };
                mutate(&pool[pool.len() - 1 - back], &mut rng, target.tokens)
            }
        };
        largest = largest.max(input.len());
        if let Some(file) = current {
            // Without the file there is only less to look at after a crash.
            let _ = fs::write(file, &input);
        }
        {
            let mut guard = shared.current.lock().unwrap_or_else(PoisonError::into_inner);
            *guard = (Instant::now(), input.clone());
        }
        match execute(target, &input) {
            Ok(mark) => {
                if seen.insert(mark) && input.len() <= LONG && index >= first as u64 {
                    if pool.len() >= first + MANY {
                        let old = first + rng.below(MANY);
                        pool.swap_remove(old);
                    }
                    pool.push(std::mem::take(&mut input));
                }
            }
            Err(message) => {
                let still = |smaller: &[u8]| execute(target, smaller).is_err();
                let deadline = Instant::now() + Duration::from_secs(10);
                let input = shrink::shrink(input, still, deadline, || {
                    let mut guard = shared.current.lock().unwrap_or_else(PoisonError::into_inner);
                    guard.0 = Instant::now();
                });
                let message = execute(target, &input).err().unwrap_or(message);
                let outcome = Outcome::Finding { message, input };
                let executions = shared.executions.load(Ordering::Relaxed);
                return Report { outcome, executions, kept: pool.len(), largest };
            }
        }
    }
    let executions = shared.executions.load(Ordering::Relaxed);
    Report { outcome: Outcome::Clean, executions, kept: pool.len(), largest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_law_and_a_panic_are_found() {
        fn law(input: &[u8]) -> Result<u64, String> {
            if input.contains(&b'\x7f') { Err("a law".into()) } else { Ok(0) }
        }
        fn panics(input: &[u8]) -> Result<u64, String> {
            assert!(input.len() < 10, "too long");
            Ok(0)
        }
        type Case = (fn(&[u8]) -> Result<u64, String>, &'static str, &'static [u8]);
        let cases: [Case; 2] = [(law, "a law", b"\x7f"), (panics, "panic: too long", b"xxxxxxxxxx")];
        for (run, expected, smallest) in cases {
            let target = Target { name: "test", run, endings: &[], seeds: &[], tokens: &["\x7f"] };
            let report = super::run(&target, vec![vec![b'x'; 8]], 1, Duration::from_secs(20), None);
            let Ok(Report { outcome: Outcome::Finding { message, input }, .. }) = report else {
                panic!("nothing was found")
            };
            assert_eq!((message.as_str(), input.len()), (expected, smallest.len()));
        }
    }
}
