//! Programs of others that get the same tasks, with nothing of ours around them but a clock.

pub(super) mod abc;
pub(super) mod z3;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::registry::Error;

/// A program on the path.
fn find(name: &str) -> Option<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join(&name)).find(|file| file.is_file())
}

fn last_line(text: &str) -> String {
    text.trim_end().lines().next_back().unwrap_or_default().to_owned()
}

/// What a program said, and how it ended.
struct Said {
    output: String,
    errors: String,
    good: bool,
    /// It was ended because its time was over.
    late: bool,
    seconds: f64,
}

/// Runs a program that says little, and ends it when its time is over.
fn wait(mut command: Command, limit: Duration) -> Result<Said, Error> {
    let name = format!("run {}", Path::new(command.get_program()).display());
    let begin = Instant::now();
    let mut child: Child = command.spawn().map_err(|e| Error::Io(name, e))?;
    let failed = |e| Error::Io("wait for a program".into(), e);
    let (good, late) = loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            break (status.success(), false);
        }
        if begin.elapsed() > limit {
            child.kill().map_err(failed)?;
            child.wait().map_err(failed)?;
            break (false, true);
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let seconds = begin.elapsed().as_secs_f64();
    Ok(Said { output: text(child.stdout.take()), errors: text(child.stderr.take()), good, late, seconds })
}

fn text(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    // What cannot be read is no answer.
    let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}
