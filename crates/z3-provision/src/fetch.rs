//! Gets the pinned wheel with pip, checks it, and puts the library into its final folder in one step, so that
//! concurrent builds and interrupted ones never leave half a library behind.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{self, Command, Output};
use std::thread;

use crate::error::Error;
use crate::place;
use crate::platform::{Platform, REQUIREMENT};
use crate::settings::Settings;

const UNPACK: &str = include_str!("unpack.py");

/// The exit status with which `unpack.py` reports a digest that is not the pinned one.
const DIGEST_DIFFERS: i32 = 3;

/// Makes `dir` hold the library of `platform`, downloading it unless another build was faster.
pub(crate) fn fetch(settings: &Settings, platform: &'static Platform, dir: &Path) -> Result<(), Error> {
    let parent = dir.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(|e| Error::io("create the folder", parent, e))?;
    // Not being able to lock (some network file systems) costs a second download and nothing else.
    let lock = File::create(parent.join(".lock")).ok().filter(|file| file.lock().is_ok());
    if place::is_complete(dir, platform.naming) {
        return Ok(());
    }
    let scratch = Scratch::create(parent, platform.tag)?;
    let wheel = download(settings, platform, &scratch.0)?;
    let library = scratch.0.join("library");
    fs::create_dir(&library).map_err(|e| Error::io("create the folder", &library, e))?;
    unpack(&wheel, platform, &library.join(platform.naming.load_name))?;
    place::add_link_name(&library, platform.naming)?;
    publish(&library, dir, platform)?;
    drop(lock);
    Ok(())
}

/// A wheel and the interpreter that downloaded it, which also unpacks it.
struct Wheel<'a> {
    python: &'a OsStr,
    path: PathBuf,
}

fn download<'a>(settings: &'a Settings, platform: &'static Platform, dir: &Path) -> Result<Wheel<'a>, Error> {
    let python = find_python(settings)?;
    let mut pause = settings.pause;
    let mut attempt = 1;
    loop {
        let mut command = pip_download(python, platform, dir);
        let output = command.output().map_err(|e| Error::io("start", Path::new(python), e))?;
        if output.status.success() {
            return Ok(Wheel { python, path: the_wheel_in(dir)? });
        }
        if attempt >= settings.attempts {
            return Err(Error::Download { command: shown(&command), output: last_lines(&output) });
        }
        thread::sleep(pause);
        pause *= 2;
        attempt += 1;
    }
}

/// pip's own settings (mirror, certificates, proxies, local wheel folders) stay in force.
fn pip_download(python: &OsStr, platform: &Platform, dir: &Path) -> Command {
    let mut command = Command::new(python);
    command.args([
        "-m",
        "pip",
        "download",
        "--no-input",
        "--disable-pip-version-check",
        "--progress-bar=off",
    ]);
    command.args(["--no-deps", "--only-binary=:all:", "--platform", platform.tag, "--dest"]);
    command.arg(dir).arg(REQUIREMENT);
    command
}

fn find_python(settings: &Settings) -> Result<&OsStr, Error> {
    let is_python3 = |python: &&OsStr| {
        let check = "import sys; sys.exit(sys.version_info < (3, 6))";
        Command::new(python).args(["-c", check]).output().is_ok_and(|output| output.status.success())
    };
    settings.pythons.iter().map(|python| python.as_os_str()).find(is_python3).ok_or_else(|| Error::NoPython {
        tried: settings.pythons.iter().map(|p| p.to_string_lossy()).collect::<Vec<_>>().join(", "),
    })
}

fn the_wheel_in(dir: &Path) -> Result<PathBuf, Error> {
    let entries = fs::read_dir(dir).map_err(|e| Error::io("read the folder", dir, e))?;
    entries
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .ok_or_else(|| Error::NoWheel { dir: dir.to_owned() })
}

fn unpack(wheel: &Wheel<'_>, platform: &'static Platform, destination: &Path) -> Result<(), Error> {
    let member = format!("z3/lib/{}", platform.naming.load_name);
    let mut command = Command::new(wheel.python);
    // -I keeps a stray module of the user's from replacing the ones of the standard library.
    command.args(["-I", "-c", UNPACK]).arg(&wheel.path).args([platform.sha256, &member]).arg(destination);
    let output = command.output().map_err(|e| Error::io("start", Path::new(wheel.python), e))?;
    match output.status.code() {
        Some(0) => Ok(()),
        Some(DIGEST_DIFFERS) => Err(Error::WrongDigest {
            expected: platform.sha256,
            found: String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        }),
        _ => Err(Error::Unpack { output: last_lines(&output) }),
    }
}

/// Renames the finished folder to its final name. Losing the race against another build is success.
fn publish(library: &Path, dir: &Path, platform: &Platform) -> Result<(), Error> {
    if dir.exists() && !place::is_complete(dir, platform.naming) {
        fs::remove_dir_all(dir).map_err(|e| Error::io("remove the incomplete folder", dir, e))?;
    }
    match fs::rename(library, dir) {
        Ok(()) => Ok(()),
        Err(_) if place::is_complete(dir, platform.naming) => Ok(()),
        Err(e) => Err(Error::io("create the folder", dir, e)),
    }
}

/// A folder of this process, next to the final one so that renaming stays within one file system.
struct Scratch(PathBuf);

impl Scratch {
    fn create(parent: &Path, tag: &str) -> Result<Scratch, Error> {
        let path = parent.join(format!(".{tag}-{}", process::id()));
        // A leftover of a killed build that had the same process id.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).map_err(|e| Error::io("create the folder", &path, e))?;
        Ok(Scratch(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// The end of what a program wrote: the reason is there, and build output stays readable.
fn last_lines(output: &Output) -> String {
    const KEPT: usize = 8;
    let stderr = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = stderr.lines().filter(|line| !line.trim().is_empty()).collect();
    if lines.is_empty() {
        return format!("({}, no message)", output.status);
    }
    lines[lines.len().saturating_sub(KEPT)..].join("\n")
}
