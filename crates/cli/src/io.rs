//! The only place that reads and writes files and standard streams.

use diag::{Diagnostic, SourceMap};
use driver::{Format, Input};
use std::fmt;
use std::io::{self, Read, Write};
use std::path::Path;

/// Something that went wrong outside the inputs' content.
#[derive(Debug)]
pub(crate) enum Error {
    /// Reading a file.
    Read(String, io::Error),
    /// Writing a file or standard output.
    Write(String, io::Error),
    /// The format of a file is not told by its name.
    Format(String),
    /// The preprocessor refused a file: its name, and what it said.
    Preprocessor(String, String),
    /// Arguments that do not fit together.
    Usage(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Read(name, error) => write!(f, "cannot read {name}: {error}"),
            Error::Write(name, error) => write!(f, "cannot write {name}: {error}"),
            Error::Format(name) => {
                let known: Vec<&str> = driver::formats().iter().map(|info| info.name).collect();
                write!(f, "the format of {name} is not known; give it with --from ({})", known.join(", "))
            }
            Error::Preprocessor(name, said) => write!(f, "cannot preprocess {name}:\n{said}"),
            Error::Usage(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {}

impl Error {
    /// True when whoever read our output has gone away, which is no error of ours.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Error::Write(_, error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// Reads a file, or standard input for `-`.
pub(crate) fn read(name: &str, from: Option<Format>) -> Result<Input, Error> {
    let format = from.or_else(|| Format::of_path(name));
    let format =
        format.or((name == "-").then_some(Format::SvLib)).ok_or_else(|| Error::Format(name.into()))?;
    let mut bytes = Vec::new();
    if name == "-" {
        io::stdin().lock().read_to_end(&mut bytes).map_err(|e| Error::Read("standard input".into(), e))?;
        return Ok(Input { name: "<stdin>".into(), bytes, format });
    }
    bytes = std::fs::read(name).map_err(|e| Error::Read(name.into(), e))?;
    Ok(Input { name: name.into(), bytes, format })
}

/// Hands over standard input in pieces as they arrive, as long as more is wanted.
pub(crate) fn read_pieces(mut each: impl FnMut(&[u8]) -> bool) -> Result<(), Error> {
    let mut buffer = [0; 1 << 16];
    loop {
        match io::stdin().lock().read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(length) if each(&buffer[..length]) => {}
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Error::Read("standard input".into(), error)),
        }
    }
}

/// Reads all files.
pub(crate) fn read_all(names: &[String], from: Option<Format>) -> Result<Vec<Input>, Error> {
    names.iter().map(|name| read(name, from)).collect()
}

/// Writes a result to standard output.
pub(crate) fn print(content: impl AsRef<[u8]>) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    out.write_all(content.as_ref())
        .and_then(|()| out.flush())
        .map_err(|e| Error::Write("standard output".into(), e))
}

/// Adds text to a channel: `stdout`, `stderr`, or a file, which is created if it is not there.
pub(crate) fn append(channel: &str, text: &str) -> Result<(), Error> {
    match channel {
        "stdout" => print(text),
        "stderr" => {
            let _ = io::stderr().lock().write_all(text.as_bytes());
            Ok(())
        }
        file => {
            let opened = std::fs::OpenOptions::new().create(true).append(true).open(file);
            let written = opened.and_then(|mut file| file.write_all(text.as_bytes()));
            written.map_err(|e| Error::Write(file.into(), e))
        }
    }
}

/// Writes a line to standard error; nobody is left to hear if that fails.
pub(crate) fn complain(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Findings as text.
pub(crate) fn findings_text(sources: &SourceMap, findings: &[Diagnostic]) -> String {
    findings.iter().map(|f| diag::render::text(sources, f)).collect()
}

/// Writes findings to standard error.
pub(crate) fn complain_about(sources: &SourceMap, findings: &[Diagnostic]) {
    let _ = io::stderr().lock().write_all(findings_text(sources, findings).as_bytes());
}

/// Writes a whole file or none of it: a neighbour first, then a rename. `-` is standard output. What is there and no file, such as a
/// device or a pipe, is written to and stays what it is.
pub(crate) fn write(name: &str, content: impl AsRef<[u8]>) -> Result<(), Error> {
    let content = content.as_ref();
    if name == "-" {
        return print(content);
    }
    let failed = |e| Error::Write(name.into(), e);
    // The file behind a link is replaced, not the link.
    let path = std::fs::canonicalize(name).unwrap_or_else(|_| Path::new(name).to_path_buf());
    let old = std::fs::metadata(&path).ok();
    if old.as_ref().is_some_and(|old| !old.is_file() && !old.is_dir()) {
        return std::fs::write(&path, content).map_err(failed);
    }
    let mut neighbour = path.clone().into_os_string();
    neighbour.push(format!(".{}.tmp", std::process::id()));
    let result = std::fs::write(&neighbour, content).and_then(|()| {
        if let Some(old) = old {
            std::fs::set_permissions(&neighbour, old.permissions())?;
        }
        std::fs::rename(&neighbour, &path)
    });
    if result.is_err() {
        let _ = std::fs::remove_file(&neighbour);
    }
    result.map_err(failed)
}
