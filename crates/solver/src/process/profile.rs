//! Solver programs as data: how each is started, what it is told first, and what it cannot do.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::SolverError;

/// A solver program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// The name by which users select it and by which messages speak of it.
    pub name: String,
    /// The program, a name to be looked up or a path.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Options set before everything else, keyword and value.
    pub options: Vec<(String, String)>,
    /// The logic, when the program wants one.
    pub logic: Option<String>,
    /// Whether it says which assumptions were needed; otherwise all of them count.
    pub cores: bool,
}

/// A row of the table of known programs.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    /// The name by which users select it.
    pub name: &'static str,
    /// One line for lists and help texts.
    pub summary: &'static str,
    /// The name of the program.
    pub program: &'static str,
    /// Arguments for a dialogue in SMT-LIB.
    pub args: &'static [&'static str],
    /// Options beyond the common ones.
    pub options: &'static [(&'static str, &'static str)],
    /// The logic, when the program wants one.
    pub logic: Option<&'static str>,
    /// Whether it answers `get-unsat-assumptions`.
    pub cores: bool,
    /// Arguments that make it tell its version.
    pub version: &'static [&'static str],
}

/// Options that every profile sets.
const COMMON: &[(&str, &str)] = &[(":print-success", "false"), (":produce-models", "true")];
const CORES: (&str, &str) = (":produce-unsat-assumptions", "true");

/// The known programs, sorted by name.
pub static KNOWN: &[Known] = &[
    Known {
        name: "bitwuzla",
        summary: "Bitwuzla, for bit-vectors, floating-point numbers and arrays",
        program: "bitwuzla",
        args: &["--lang", "smt2"],
        options: &[],
        logic: None,
        cores: true,
        version: &["--version"],
    },
    Known {
        name: "cvc4",
        summary: "CVC4, the predecessor of cvc5",
        program: "cvc4",
        args: &["--incremental", "--lang=smt2.6", "--quiet"],
        options: &[],
        logic: Some("ALL"),
        cores: true,
        version: &["--version"],
    },
    Known {
        name: "cvc5",
        summary: "cvc5, for all theories",
        program: "cvc5",
        // Constant arrays are said to be experimental; 1.0 takes them anyway.
        args: &["--incremental", "--lang=smt2", "--quiet", "--arrays-exp"],
        options: &[],
        logic: Some("ALL"),
        cores: true,
        version: &["--version"],
    },
    Known {
        name: "mathsat",
        summary: "MathSAT 5, for linear arithmetic, bit-vectors and arrays",
        program: "mathsat",
        args: &[],
        options: &[],
        logic: None,
        cores: true,
        version: &["-version"],
    },
    Known {
        name: "opensmt",
        summary: "OpenSMT, for linear arithmetic, arrays and functions",
        program: "opensmt",
        args: &["-p"],
        options: &[],
        logic: Some("QF_AUFLIRA"),
        cores: false,
        version: &["--version"],
    },
    Known {
        name: "smtinterpol",
        summary: "SMTInterpol, for linear arithmetic, arrays and functions",
        program: "smtinterpol",
        args: &["-q"],
        options: &[],
        logic: Some("ALL"),
        cores: true,
        version: &["-version"],
    },
    Known {
        name: "yices",
        summary: "Yices 2, for linear arithmetic, bit-vectors, arrays and functions",
        program: "yices-smt2",
        args: &["--incremental", "--interactive", "--smt2-model-format"],
        options: &[],
        logic: Some("ALL"),
        cores: true,
        version: &["--version"],
    },
    Known {
        name: "z3-process",
        summary: "Z3 as a program of its own",
        program: "z3",
        args: &["-in", "-smt2"],
        options: &[],
        logic: None,
        cores: true,
        version: &["--version"],
    },
];

impl Known {
    /// The profile of a known program.
    #[must_use]
    pub fn profile(&self) -> Profile {
        let cores = if self.cores { &[CORES][..] } else { &[] };
        let options = COMMON.iter().chain(cores).chain(self.options);
        Profile {
            name: self.name.to_owned(),
            program: self.program.to_owned(),
            args: self.args.iter().map(|&arg| arg.to_owned()).collect(),
            options: options.map(|&(key, value)| (key.to_owned(), value.to_owned())).collect(),
            logic: self.logic.map(str::to_owned),
            cores: self.cores,
        }
    }

    /// The version of the program that is installed.
    ///
    /// # Errors
    /// When there is none, or it does not tell.
    pub fn version(&self) -> Result<String, SolverError> {
        let program = find_program(self.program)?;
        let output = Command::new(program)
            .args(self.version)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| SolverError::Refused { message: error.to_string() })?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
        let found = text.split([' ', '\n', ',', '(', ')', '-']).find(number);
        found
            .or(text.lines().next())
            .map(str::to_owned)
            .filter(|version| !version.is_empty())
            .ok_or_else(|| SolverError::Unreadable { command: self.version.join(" "), answer: String::new() })
    }
}

/// The known program of a name.
#[must_use]
pub fn known(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.name == name)
}

impl Profile {
    /// The profile of `program argument …`, as users write it. A program whose name is that of a known one gets
    /// its options; an unknown one gets the common options.
    #[must_use]
    pub fn from_command(command: &str) -> Option<Profile> {
        let mut words = command.split_whitespace().map(str::to_owned);
        let program = words.next()?;
        let args: Vec<String> = words.collect();
        let stem = Path::new(&program).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let known = KNOWN.iter().find(|known| known.name == stem || known.program == stem);
        let mut profile = match known {
            Some(known) => known.profile(),
            None => Profile {
                name: stem.to_owned(),
                program: String::new(),
                args: Vec::new(),
                options: COMMON.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect(),
                logic: None,
                cores: false,
            },
        };
        profile.program = program;
        if !args.is_empty() || known.is_none() {
            profile.args = args;
        }
        Some(profile)
    }
}

/// Where a program is: a path as it is, a name by the directories of `PATH`.
///
/// # Errors
/// When it is nowhere.
pub fn find_program(program: &str) -> Result<PathBuf, SolverError> {
    let missing = || SolverError::NotInstalled { program: program.to_owned() };
    if program.contains('/') {
        let path = PathBuf::from(program);
        return if path.is_file() { Ok(path) } else { Err(missing()) };
    }
    let path = env::var_os("PATH").ok_or_else(missing)?;
    env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file()).ok_or_else(missing)
}
