//! The program under test as a child process.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::registry::Error;

/// So much longer than its own limit the program may take.
const GRACE: Duration = Duration::from_secs(10);

/// What the program said.
pub(super) struct Said {
    /// The exit status; none if it was ended by a signal, or by us because it did not end.
    pub(super) status: Option<i32>,
    pub(super) output: String,
    pub(super) errors: String,
}

/// The program and a folder for its files, which goes away with it.
pub(super) struct Child {
    binary: PathBuf,
    timeout: u64,
    folder: PathBuf,
}

impl Child {
    /// The binary, or the one beside this program.
    pub(super) fn new(binary: Option<PathBuf>, timeout: u64) -> Result<Child, Error> {
        let beside = || Some(std::env::current_exe().ok()?.with_file_name("svarog"));
        let binary = binary.or_else(beside).filter(|path| path.exists());
        let missing =
            || Error::Usage("no program to test: build it (`cargo build`) or name it by --binary".into());
        let binary = binary.ok_or_else(missing)?;
        let folder = std::env::temp_dir().join(format!("svarog-random-{}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|e| Error::Io(format!("make {}", folder.display()), e))?;
        Ok(Child { binary, timeout, folder })
    }

    /// Verifies a task; the options are for this time only.
    pub(super) fn verify(&self, task: &str, options: &[&str]) -> Result<Said, Error> {
        let task = self.write("task.svlib", task)?;
        let timeout = self.timeout.to_string();
        let arguments: Vec<&str> = ["verify", "--timeout", &timeout].iter().chain(options).copied().collect();
        self.run(&arguments, &[&task])
    }

    pub(super) fn validate(&self, task: &str, witness: &str) -> Result<Said, Error> {
        let task = self.write("task.svlib", task)?;
        let witness = self.write("task.witness.svlib", witness)?;
        self.run(&["validate"], &[&task, &witness])
    }

    fn write(&self, name: &str, text: &str) -> Result<PathBuf, Error> {
        let path = self.folder.join(name);
        fs::write(&path, text).map_err(|e| Error::Io(format!("write {}", path.display()), e))?;
        Ok(path)
    }

    fn run(&self, arguments: &[&str], files: &[&Path]) -> Result<Said, Error> {
        let failed = |e| Error::Io(format!("run {}", self.binary.display()), e);
        // Files instead of pipes: nothing to read while it runs, and no output is too long.
        let (out, err) = (self.folder.join("out"), self.folder.join("err"));
        let mut child = Command::new(&self.binary)
            .args(arguments)
            .args(files)
            .stdin(Stdio::null())
            .stdout(File::create(&out).map_err(failed)?)
            .stderr(File::create(&err).map_err(failed)?)
            .spawn()
            .map_err(failed)?;
        let deadline = Instant::now() + Duration::from_secs(self.timeout) + GRACE;
        let status = loop {
            if let Some(status) = child.try_wait().map_err(failed)? {
                break status.code();
            }
            if Instant::now() > deadline {
                child.kill().map_err(failed)?;
                child.wait().map_err(failed)?;
                break None;
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let text = |path: &Path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(Said { status, output: text(&out).map_err(failed)?, errors: text(&err).map_err(failed)? })
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // A folder in the system's place for temporary files may stay if need be.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Said {
    /// The word that is the whole output, if it is one of these with the right exit status.
    pub(super) fn word(&self, words: &[(&'static str, i32)]) -> Option<&'static str> {
        let fits =
            |(word, status): &&(&str, i32)| self.output.trim_end() == *word && self.status == Some(*status);
        words.iter().find(fits).map(|pair| pair.0)
    }

    /// What is wrong with an answer that is none.
    pub(super) fn no_answer(&self) -> String {
        let status = self.status.map_or("a signal, or no end".into(), |status| format!("status {status}"));
        format!("no answer but {status}: {}{}", self.output, self.errors)
    }
}
