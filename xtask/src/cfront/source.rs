//! The C programs of the corpus, preprocessed where they need it.

use std::path::{Path, PathBuf};
use std::process::Command;

use cfront::DataModel;

use crate::registry::Error;

/// A row of the index.
pub(crate) struct Task {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// Where it is from, without version and path.
    pub(crate) source: String,
    pub(crate) model: DataModel,
    /// The property, and what is known about it.
    pub(crate) property: String,
    pub(crate) verdict: String,
    /// How the verdict was found out: options of a verifier.
    pub(crate) note: String,
}

/// The rows of the index, each file once, whose names contain `only`.
pub(crate) fn tasks(corpus: &Path, only: &str) -> Result<Vec<Task>, Error> {
    let folder = corpus.join("c");
    let path = folder.join("index.tsv");
    let text =
        std::fs::read_to_string(&path).map_err(|e| Error::Io(format!("read {}", path.display()), e))?;
    let row = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let name = (*columns.first()?).to_owned();
        let source = columns.get(1)?.split(['@', ':']).next()?.to_owned();
        // A model with a question mark is a guess of the index, which serves here as well.
        let model = DataModel::named(columns.get(5)?.trim_end_matches('?')).unwrap_or_default();
        let (property, verdict) = ((*columns.get(2)?).to_owned(), (*columns.get(3)?).to_owned());
        let note = columns.get(9).copied().unwrap_or_default().to_owned();
        Some(Task { path: folder.join(&name), name, source, model, property, verdict, note })
    };
    Ok(text.lines().skip(1).filter_map(row).filter(|task| task.name.contains(only)).collect())
}

/// The text that the front end reads.
pub(crate) fn preprocessed(task: &Task) -> Result<Vec<u8>, String> {
    let bytes = std::fs::read(&task.path).map_err(|error| error.to_string())?;
    if !cfront::needs_preprocessor(&bytes) {
        return Ok(bytes);
    }
    let output = preprocessor(task, &[]).output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let first = String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or_default().to_owned();
    if task.model == DataModel::Lp64 {
        return Err(first);
    }
    // Without the 32-bit headers of the system those for 64 bits serve, which are the same files.
    let headers = headers_for_32_bits().map_err(|error| error.to_string())?;
    let output = preprocessor(task, &headers).output().map_err(|error| error.to_string())?;
    if output.status.success() { Ok(output.stdout) } else { Err(first) }
}

fn preprocessor(task: &Task, more: &[String]) -> Command {
    let mut command = Command::new("cc");
    let width = if task.model == DataModel::Ilp32 { "-m32" } else { "-m64" };
    command.args(["-E", "-std=gnu17", width]).args(more).arg(&task.path);
    command
}

/// Options that make up for missing 32-bit headers: the system's own, and an empty list of stubs.
fn headers_for_32_bits() -> std::io::Result<Vec<String>> {
    let folder = std::env::temp_dir().join(format!("svarog-headers-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("gnu"))?;
    std::fs::write(folder.join("gnu/stubs-32.h"), "")?;
    let output = Command::new("cc").arg("-print-multiarch").output()?;
    let arch = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok(vec![format!("-idirafter{}", folder.display()), format!("-idirafter/usr/include/{arch}")])
}
