//! Compiles programs with a library of stubs and runs them on random values.

use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use cfront::DataModel;

use crate::registry::Error;

/// An error function of the program itself was called.
pub(crate) const OWN_ERROR: i32 = 202;

/// Looks for memory that is read before it is written.
pub(crate) const MEMORY: &str = "-fsanitize=memory";

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    pub(crate) seed: u64,
    /// The exit status, or a signal as a negative number.
    pub(crate) status: i32,
    /// A hash of what was printed.
    pub(crate) hash: String,
    /// Kinds of reports, a letter each.
    pub(crate) flags: String,
}

impl Run {
    /// True when the error function was called.
    pub(crate) fn is_reached(&self) -> bool {
        self.flags.contains('R')
    }

    /// True when the run was ended from outside.
    pub(crate) fn is_cut(&self) -> bool {
        // SIGPROF, SIGALRM, SIGXFSZ, SIGKILL.
        matches!(self.status, -27 | -14 | -25 | -9)
    }

    /// True when one of these reports was made.
    pub(crate) fn has(&self, letters: &str) -> bool {
        self.flags.chars().any(|flag| letters.contains(flag))
    }
}

/// How programs are run.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) seed: u64,
    pub(crate) count: u64,
    /// How many choices of inserted text are tried one after the other; random ones for zero.
    pub(crate) choices: u64,
    /// Go on after the error function.
    pub(crate) goes_on: bool,
    /// Milliseconds of processor time for a run.
    pub(crate) milliseconds: u64,
    /// What memory is filled with before the program runs.
    pub(crate) fill: u8,
    /// After how many runs that are ended from outside it is enough.
    pub(crate) slow: u64,
    /// One call of the error function is enough.
    pub(crate) once: bool,
    /// A sanitizer gives freed memory out again at once, as other allocators do.
    pub(crate) reuses: bool,
}

impl Limits {
    /// A number of runs with random choices.
    pub(crate) fn of(count: u64, milliseconds: u64) -> Limits {
        Limits {
            seed: 1,
            count,
            choices: 0,
            goes_on: false,
            milliseconds,
            fill: 0,
            slow: 20,
            once: false,
            reuses: false,
        }
    }
}

/// Who compiles a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Compiler {
    Gcc,
    Clang,
}

impl Compiler {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Compiler::Gcc => "gcc",
            Compiler::Clang => "clang",
        }
    }
}

/// A folder for programs, and what is compiled into all of them.
pub(crate) struct Bench {
    folder: PathBuf,
    has_32_bits: bool,
}

impl Bench {
    pub(crate) fn new() -> Result<Bench, Error> {
        let folder = std::env::temp_dir().join(format!("svarog-instrument-{}", std::process::id()));
        let failed = |error| Error::Io(format!("make {}", folder.display()), error);
        std::fs::create_dir_all(&folder).map_err(failed)?;
        std::fs::write(folder.join("stub.c"), include_str!("stub.c")).map_err(failed)?;
        std::fs::write(folder.join("empty.c"), "int main(void) { return 0; }").map_err(failed)?;
        let mut bench = Bench { folder, has_32_bits: true };
        bench.has_32_bits = bench.compiles(Compiler::Gcc, "empty.c", "empty", &["-m32"]);
        Ok(bench)
    }

    /// The model in which a program can be run here.
    pub(crate) fn model(&self, model: DataModel) -> DataModel {
        if self.has_32_bits { model } else { DataModel::Lp64 }
    }

    /// Runs a compiler on files of the folder; false when it refuses.
    fn compiles(&self, compiler: Compiler, source: &str, output: &str, options: &[&str]) -> bool {
        let mut command = Command::new(compiler.name());
        command.current_dir(&self.folder).args(["-std=gnu17", "-w"]).args(options);
        command.args([source, "-o", output]).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }

    fn width(model: DataModel) -> &'static str {
        if model == DataModel::Ilp32 { "-m32" } else { "-m64" }
    }

    /// The first error of the compiler about a text, none if it is accepted.
    pub(crate) fn syntax_error(&self, text: &[u8], model: DataModel) -> Result<Option<String>, Error> {
        let file = self.folder.join("syntax.c");
        std::fs::write(&file, text).map_err(|e| Error::Io("write a program".into(), e))?;
        let mut command = Command::new("gcc");
        command.args(["-fsyntax-only", "-std=gnu17", "-w", Bench::width(model)]).arg(&file);
        let output = command.output().map_err(|e| Error::Io("run gcc".into(), e))?;
        if output.status.success() {
            return Ok(None);
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        Ok(Some(said.lines().find(|line| line.contains("error")).unwrap_or("refused").to_owned()))
    }

    /// True when a function that has a value returns without one: what it returns is whatever is in a register.
    pub(crate) fn lacks_values(&self, text: &[u8]) -> bool {
        let file = self.folder.join("values.c");
        let mut command = Command::new("gcc");
        command.args(["-fsyntax-only", "-std=gnu17", "-Wreturn-type"]).arg(&file);
        let is_written = std::fs::write(&file, text).is_ok();
        let said = command.output().map(|output| String::from_utf8_lossy(&output.stderr).into_owned());
        is_written && said.is_ok_and(|said| said.contains("with no value, in function returning non-void"))
    }

    /// Compiles a program with the stubs. False when it cannot be linked, because it needs something else.
    pub(crate) fn compile(&self, name: &str, text: &[u8], model: DataModel) -> bool {
        self.compile_with(Compiler::Gcc, &[], name, text, model)
    }

    /// Compiles a program with the stubs, by a compiler with options, such as sanitizers.
    pub(crate) fn compile_with(
        &self,
        compiler: Compiler,
        more: &[&str],
        name: &str,
        text: &[u8],
        model: DataModel,
    ) -> bool {
        let width = Bench::width(model);
        // The stubs are ours: what is looked for is not in them.
        let stub = format!("stub-{}.o", model.name());
        let options = [width, "-O1", "-c"];
        if !self.folder.join(&stub).exists() && !self.compiles(Compiler::Gcc, "stub.c", &stub, &options) {
            return false;
        }
        if std::fs::write(self.folder.join(format!("{name}.c")), text).is_err() {
            return false;
        }
        // Overflows wrap, so that both programs go on alike after one; only where they are looked for that would hide them,
        // and there the sanitizer itself makes them wrap.
        let is_looked_for = more.iter().any(|option| option.contains("signed"));
        let mut options =
            vec![if is_looked_for { "-O0" } else { "-fwrapv" }, "-fno-builtin", "-pthread", width];
        options.extend_from_slice(more);
        // Headers that were read for gcc name functions that free what others allocate, which clang does not know.
        options.extend((compiler == Compiler::Clang).then_some("-D__malloc__(...)=__malloc__"));
        // What the stubs do with memory that was not written is to be seen.
        let is_memory = more.contains(&MEMORY);
        options.extend([if is_memory { "stub.c" } else { stub.as_str() }, "-lm"]);
        self.compiles(compiler, &format!("{name}.c"), name, &options)
    }

    /// Runs a compiled program, in a folder with nothing in it.
    pub(crate) fn run(&self, name: &str, limits: Limits) -> Vec<Run> {
        let place = self.folder.join("place");
        // A folder that is not there is as empty as one that is.
        let _ = std::fs::remove_dir_all(&place);
        if std::fs::create_dir(&place).is_err() {
            return Vec::new();
        }
        let mut command = Command::new(self.folder.join(name));
        // What a program prints may have its name in it.
        command.arg0("program");
        command.current_dir(place).stdin(Stdio::null()).stderr(Stdio::null()).env_clear();
        // Where none is set, the library copies the name of the time zone again and again.
        command.env("TZ", "UTC0");
        command.env("RUN_OUT", self.folder.join("run.out"));
        command.env("RUN_ERR", self.folder.join("run.err"));
        command.env("RUN_SEED", limits.seed.to_string()).env("RUN_COUNT", limits.count.to_string());
        command.env("RUN_CHOICES", limits.choices.to_string());
        command.env("RUN_ON", if limits.goes_on { "1" } else { "0" });
        command.env("RUN_MS", limits.milliseconds.to_string());
        command.env("RUN_FILL", limits.fill.to_string());
        command.env("RUN_SLOW", limits.slow.to_string());
        command.env("RUN_ONCE", if limits.once { "1" } else { "0" });
        command.env("LSAN_OPTIONS", "use_globals=0:use_stacks=0:use_registers=0:use_tls=0:exitcode=0");
        let reuse =
            if limits.reuses { ":quarantine_size_mb=0:thread_local_quarantine_size_kb=0" } else { "" };
        command.env("ASAN_OPTIONS", format!("detect_leaks=1:allocator_may_return_null=1{reuse}"));
        let Ok(output) = command.output() else { return Vec::new() };
        String::from_utf8_lossy(&output.stdout).lines().filter_map(read).collect()
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        // What is left in a folder for temporary files is no harm.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn read(line: &str) -> Option<Run> {
    let words: Vec<&str> = line.split(' ').collect();
    let &[seed, _, status, hash, flags] = &words[..] else { return None };
    let (seed, status) = (seed.parse().ok()?, status.parse().ok()?);
    Some(Run { seed, status, hash: hash.to_owned(), flags: flags.to_owned() })
}
