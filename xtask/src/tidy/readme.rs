//! Commands shown in the documents exist: the first thing a newcomer types must not be an error.
//!
//! Looked at are the code blocks of [`DOCUMENTS`], there every line that begins with `cargo`, `svarog` or the
//! path of a script. Checked are subcommands, packages named with `-p`, and relative paths of inputs. That
//! the commands also work is the business of the tests; this check is for the ones too slow to run.

use super::repo::{File, Repo};
use super::report::Report;

const DOCUMENTS: &[&str] = &["CONTRIBUTING.md", "README.md"];

/// The commands of cargo itself that the documents may use.
const CARGO_COMMANDS: &[&str] =
    &["add", "bench", "build", "check", "clippy", "doc", "fmt", "install", "run", "test", "tree"];

/// Where the command line defines its subcommands, each in a file of its name.
const CLI_SOURCES: &str = "crates/cli/src/";

/// Where the alias `cargo xtask` is defined.
const CARGO_CONFIG: &str = ".cargo/config.toml";

pub(super) fn check(repo: &Repo, report: &mut Report) {
    for document in DOCUMENTS {
        let Some(file) = repo.file(document) else {
            report.error(document, 1, "the document is missing");
            continue;
        };
        for (number, line) in code_lines(file) {
            for command in line.split(['|', ';']).flat_map(|part| part.split("&&")) {
                for problem in problems(repo, command) {
                    report.error(document, number, problem);
                }
            }
        }
    }
}

/// The lines of fenced and of indented code blocks, without prompts and comments.
fn code_lines(file: &File) -> Vec<(usize, &str)> {
    let mut in_fence = false;
    let mut lines = Vec::new();
    for (number, line) in file.lines() {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
        } else if in_fence || line.starts_with("    ") {
            let line = line.trim().trim_start_matches("$ ");
            let line = line.split_once(" #").map_or(line, |(command, _)| command);
            lines.push((number, line));
        }
    }
    lines
}

/// What is wrong with one command line; nothing, if it is of a program not known here.
fn problems(repo: &Repo, command: &str) -> Vec<String> {
    // Settings of the environment stand before the command.
    let mut words = command.split_whitespace().skip_while(|word| word.contains('='));
    let program = words.next().unwrap_or_default();
    let arguments: Vec<&str> = words.collect();
    let mut problems = match program {
        "cargo" => cargo_problems(repo, &arguments),
        "svarog" => svarog_problems(repo, &arguments),
        script if is_path(script) && !repo.exists(script.trim_start_matches("./")) => {
            return vec![format!("there is no {script}")];
        }
        script if is_path(script) => Vec::new(),
        _ => return Vec::new(),
    };
    for pair in [""].iter().chain(&arguments).zip(&arguments) {
        // What is written need not be there yet.
        if is_path(pair.1)
            && !["-o", "--output", ">", "--witness", "--report"].contains(pair.0)
            && !repo.exists(pair.1)
        {
            problems.push(format!("there is no {}", pair.1));
        }
    }
    problems
}

fn cargo_problems(repo: &Repo, arguments: &[&str]) -> Vec<String> {
    let Some((name, rest)) = arguments.split_first() else { return Vec::new() };
    let split = rest.iter().position(|word| *word == "--").unwrap_or(rest.len());
    let (options, inner) = rest.split_at(split);
    let inner = inner.get(1..).unwrap_or_default();
    let packages: Vec<&str> = options
        .iter()
        .zip(options.iter().skip(1))
        .filter(|(option, _)| ["-p", "--package"].contains(option))
        .map(|(_, package)| *package)
        .collect();
    let is_missing =
        |package: &&&str| !is_placeholder(package) && !repo.crates.iter().any(|c| c.name == **package);
    let missing = packages.iter().filter(is_missing);
    let mut problems: Vec<String> =
        missing.map(|package| format!("there is no package `{package}`")).collect();
    match *name {
        "xtask" => {
            let has_alias =
                |file: &File| file.text.lines().any(|line| line.trim_start().starts_with("xtask ="));
            if !repo.file(CARGO_CONFIG).is_some_and(has_alias) {
                problems.push(format!("`cargo xtask` has no alias in {CARGO_CONFIG}"));
            }
            problems.extend(xtask_problem(rest));
        }
        "run" if packages == ["xtask"] => problems.extend(xtask_problem(inner)),
        "run" if packages.is_empty() || packages == ["cli"] => problems.extend(svarog_problems(repo, inner)),
        _ if CARGO_COMMANDS.contains(name) => {}
        _ => problems.push(format!("`cargo {name}` is no known command")),
    }
    problems
}

fn xtask_problem(arguments: &[&str]) -> Option<String> {
    let name = arguments.first().filter(|name| !is_placeholder(name))?;
    let exists = crate::COMMANDS.iter().any(|command| command.name == *name);
    (!exists).then(|| format!("`cargo xtask` has no command `{name}`"))
}

fn svarog_problems(repo: &Repo, arguments: &[&str]) -> Vec<String> {
    let Some(name) = arguments.first() else { return Vec::new() };
    if name.starts_with('-') || *name == "help" || is_placeholder(name) {
        return Vec::new();
    }
    let is_source = |file: &File| {
        let inner = file.path.strip_prefix(CLI_SOURCES).unwrap_or_default();
        inner.split('/').any(|part| part.trim_end_matches(".rs") == *name)
    };
    if repo.files.iter().any(is_source) {
        return Vec::new();
    }
    vec![format!("`svarog` has no command `{name}`: no file of that name in {CLI_SOURCES}")]
}

/// Whether the word is a relative path that can be looked up.
fn is_path(word: &str) -> bool {
    let has_letters = word.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '.');
    has_letters
        && word.contains('/')
        && !word.contains("..")
        && !word.contains(['$', '*', '<', ':', '~'])
        && !word.split(['/', '.']).any(is_placeholder)
}

/// Whether the word stands for something the reader puts in, such as `FILE`.
fn is_placeholder(word: &str) -> bool {
    word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::repo::Crate;

    fn findings(readme: &str) -> Vec<String> {
        let mut repo = Repo::fake(&[
            ("README.md", readme),
            ("CONTRIBUTING.md", ""),
            (".cargo/config.toml", "[alias]\nxtask = \"run\"\n"),
            (".ci/run", ""),
            ("crates/cli/src/commands/lint.rs", ""),
            ("examples/add.svlib", ""),
        ]);
        let named =
            |name: &str| Crate { name: name.to_owned(), manifest: String::new(), dependencies: Vec::new() };
        repo.crates = vec![named("cli"), named("xtask")];
        let mut report = Report::default();
        check(&repo, &mut report);
        report.lines()
    }

    #[test]
    fn commands_that_exist_pass() {
        let readme = "```console\n$ svarog lint examples/add.svlib -o out/x.json\nadd.svlib: fine\n```\n\n    \
                      cargo run --release -- lint examples/add.svlib   # runs a/b\n    BLESS=1 cargo test -p cli\n    \
                      cargo xtask tidy && .ci/run\n    cargo install --path crates/cli\n    \
                      svarog --version | cat\n    svarog lint tests/AREA/FILE.svlib\n\nsvarog nonsense\n";
        assert_eq!(findings(readme), [""; 0]);
    }

    #[test]
    fn commands_that_do_not_exist_are_found() {
        let finding = |command: &str| findings(&format!("```sh\n{command}\n```\n"));
        assert_eq!(finding("cargo xtask nope"), ["README.md:2: `cargo xtask` has no command `nope`"]);
        assert_eq!(finding("cargo run -p xtask -- nope").len(), 1);
        assert_eq!(finding("cargo frobnicate"), ["README.md:2: `cargo frobnicate` is no known command"]);
        assert_eq!(finding("cargo test -p nope"), ["README.md:2: there is no package `nope`"]);
        assert_eq!(
            finding("svarog lint examples/gone.svlib"),
            ["README.md:2: there is no examples/gone.svlib"]
        );
        assert_eq!(finding("true | svarog nope").len(), 1);
        assert_eq!(finding("cargo run --release -- nope").len(), 1);
        assert_eq!(finding("./scripts/gone"), ["README.md:2: there is no ./scripts/gone"]);
    }

    #[test]
    fn missing_documents_and_a_missing_alias_are_found() {
        let repo = Repo::fake(&[("README.md", "    cargo xtask tidy\n")]);
        let mut report = Report::default();
        check(&repo, &mut report);
        assert_eq!(
            report.lines(),
            [
                "CONTRIBUTING.md:1: the document is missing",
                "README.md:1: `cargo xtask` has no alias in .cargo/config.toml"
            ]
        );
    }
}
