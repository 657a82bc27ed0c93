//! C programs from files: those with directives go through the system's preprocessor, `cc -E`.

use crate::io::{self, Error};
use driver::{CSource, DataModel, Format};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Reads a C program, or standard input for `-`. Files with the ending `.i` are read as they are.
pub(crate) fn read(name: &str, from: Option<Format>, model: DataModel) -> Result<CSource, Error> {
    let input = io::read(name, from)?;
    let is_done = name.ends_with(".i") || !driver::needs_preprocessor(&input.bytes);
    let preprocessed = if is_done { None } else { Some(preprocess(name, &input.bytes, model)?) };
    Ok(CSource { name: input.name, text: input.bytes, preprocessed, model })
}

fn preprocess(name: &str, text: &[u8], model: DataModel) -> Result<Vec<u8>, Error> {
    let failed = |error| Error::Read(format!("{name} through `cc -E`"), error);
    let output = run(name, text, model, &[]).map_err(failed)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    if model == DataModel::Ilp32 {
        // Without the 32-bit headers of the system those for 64 bits serve, which are the same files.
        let headers = Headers::new().map_err(failed)?;
        let again = run(name, text, model, &headers.options()).map_err(failed)?;
        if again.status.success() {
            return Ok(again.stdout);
        }
    }
    Err(Error::Preprocessor(name.into(), String::from_utf8_lossy(&output.stderr).trim_end().into()))
}

fn run(name: &str, text: &[u8], model: DataModel, more: &[String]) -> std::io::Result<Output> {
    let width = if model == DataModel::Ilp32 { "-m32" } else { "-m64" };
    let mut command = Command::new("cc");
    command.args(["-E", "-std=gnu17", "-x", "c", width]).args(more);
    if name != "-" {
        return command.arg(name).stdin(Stdio::null()).output();
    }
    command.arg("-").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let stdin = child.stdin.take();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // A preprocessor that does not want more has its reasons, which it tells.
            let _ = stdin.map(|mut stdin| stdin.write_all(text));
        });
        child.wait_with_output()
    })
}

/// A folder with the list of stubs that 32-bit headers ask for, removed at the end.
struct Headers {
    folder: PathBuf,
    system: String,
}

impl Headers {
    fn new() -> std::io::Result<Headers> {
        let folder = std::env::temp_dir().join(format!("svarog-headers-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("gnu"))?;
        std::fs::write(folder.join("gnu/stubs-32.h"), "")?;
        let output = Command::new("cc").arg("-print-multiarch").output()?;
        let arch = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let system = Path::new("/usr/include").join(arch).display().to_string();
        Ok(Headers { folder, system })
    }

    fn options(&self) -> Vec<String> {
        vec![format!("-idirafter{}", self.folder.display()), format!("-idirafter{}", self.system)]
    }
}

impl Drop for Headers {
    fn drop(&mut self) {
        // What is left in a folder for temporary files is no harm.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
