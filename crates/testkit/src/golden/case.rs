//! Finding the tests below a folder, and reading their run lines.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::{Problem, expected_path};

/// How comments begin in the languages of the tests.
const COMMENT_LEADERS: &[&str] = &[";", "//", "#", "--"];

/// Run lines are searched in this many bytes from the beginning; test inputs may be large.
const HEAD_BYTES: u64 = 64 * 1024;

/// One test: a file, the commands it states, and where their expected output is.
pub(super) struct Case {
    pub(super) path: PathBuf,
    pub(super) folder: PathBuf,
    pub(super) expected: PathBuf,
    /// The run lines without `run:`, at least one.
    pub(super) commands: Vec<String>,
}

/// A run line after splitting and substitution.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) arguments: Vec<String>,
    pub(super) stdin: Option<PathBuf>,
}

/// The tests below `root` in the order of their paths, and what is wrong with the tree itself.
pub(super) fn discover(root: &Path) -> (Vec<Case>, Vec<(PathBuf, Problem)>) {
    let mut problems = Vec::new();
    let mut cases = Vec::new();
    let mut expected = Vec::new();
    for path in files_below(root, &mut problems) {
        if path.extension().is_some_and(|ending| ending == "expected") {
            expected.push(path);
            continue;
        }
        match read_head(&path) {
            Ok(head) => {
                let commands = run_lines(&head);
                if !commands.is_empty() {
                    cases.push(new_case(path, commands));
                }
            }
            Err(error) => problems.push((path, Problem::Io("read the test".to_owned(), error))),
        }
    }
    cases.sort_by(|left, right| left.path.cmp(&right.path));
    let is_orphan = |path: &PathBuf| !cases.iter().any(|case| case.expected == *path);
    problems.extend(expected.into_iter().filter(is_orphan).map(|path| (path, Problem::Orphan)));
    (cases, problems)
}

fn new_case(path: PathBuf, commands: Vec<String>) -> Case {
    let folder = path.parent().unwrap_or(Path::new(".")).to_owned();
    Case { expected: expected_path(&path), path, folder, commands }
}

fn files_below(root: &Path, problems: &mut Vec<(PathBuf, Problem)>) -> Vec<PathBuf> {
    // Absolute, because commands run in the folder of their test.
    let mut folders = vec![root.canonicalize().unwrap_or_else(|_| root.to_owned())];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        match std::fs::read_dir(&folder).and_then(Iterator::collect::<io::Result<Vec<_>>>) {
            Ok(entries) => {
                for path in entries.iter().map(std::fs::DirEntry::path) {
                    if path.is_dir() { folders.push(path) } else { files.push(path) }
                }
            }
            Err(error) => problems.push((folder, Problem::Io("read the folder".to_owned(), error))),
        }
    }
    files
}

fn read_head(path: &Path) -> io::Result<String> {
    let mut head = Vec::new();
    File::open(path)?.take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok(String::from_utf8_lossy(&head).into_owned())
}

/// The run lines of the comments before the first line that is neither a comment nor blank.
fn run_lines(head: &str) -> Vec<String> {
    let mut commands = Vec::new();
    for line in head.lines().map(str::trim) {
        let Some(leader) = COMMENT_LEADERS.iter().find(|leader| line.starts_with(**leader)) else {
            if line.is_empty() {
                continue;
            }
            break;
        };
        let comment = line.trim_start_matches(leader).trim_start();
        if let Some(command) = comment.strip_prefix("run:") {
            commands.push(command.trim().to_owned());
        }
    }
    commands
}

/// Splits a run line into words, checks that it begins with `program`, and puts in the path of the test.
pub(super) fn parse_command(line: &str, program: &str, test: &Path) -> Result<Command, String> {
    let mut words = split_words(line)?.into_iter();
    match words.next() {
        Some(first) if first == program => {}
        _ => return Err(format!("`{line}` does not begin with `{program}`")),
    }
    let mut command = Command { arguments: Vec::new(), stdin: None };
    while let Some(word) = words.next() {
        if word == "<" {
            let file = words.next().ok_or_else(|| format!("`{line}` has no file after `<`"))?;
            command.stdin = Some(PathBuf::from(substitute(&file, test)));
        } else {
            command.arguments.push(substitute(&word, test));
        }
    }
    Ok(command)
}

fn substitute(word: &str, test: &Path) -> String {
    let mut out = String::new();
    let mut rest = word;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let value = match rest.as_bytes().get(1) {
            Some(b's') => test.display().to_string(),
            Some(b'd') => test.parent().unwrap_or(test).display().to_string(),
            Some(b'%') => "%".to_owned(),
            _ => {
                out.push('%');
                rest = &rest[1..];
                continue;
            }
        };
        out.push_str(&value);
        rest = &rest[2..];
    }
    out + rest
}

/// Splits as a shell does, as far as tests need it: blanks separate, single and double quotes group, a
/// backslash outside of single quotes makes the next character plain. Nothing is expanded.
fn split_words(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => match chars.next() {
                Some(next) => word.get_or_insert_default().push(next),
                None => return Err(format!("`{line}` ends with a backslash")),
            },
            (None, _) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(format!("`{line}` has a quote that is not closed"));
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_lines_are_read_from_the_leading_comments_only() {
        let head = ";; about\n\n; run: svarog lint %s\n// run: svarog fmt %s\n(x)\n; run: no\n";
        assert_eq!(run_lines(head), ["svarog lint %s", "svarog fmt %s"]);
        assert_eq!(run_lines("-- run: a\n# run:b\n"), ["a", "b"]);
        assert!(run_lines("(set-logic ALL)\n; run: late\n").is_empty());
        assert!(run_lines("").is_empty());
    }

    #[test]
    fn words_are_split_as_in_a_shell() {
        let words = |line| split_words(line).unwrap();
        assert_eq!(words(" a  b\tc "), ["a", "b", "c"]);
        assert_eq!(words(r#"a 'b "c' "d 'e" '' f\ g "h\"i""#), ["a", "b \"c", "d 'e", "", "f g", "h\"i"]);
        assert_eq!(words("--x='a b'"), ["--x=a b"]);
        assert!(split_words("a 'b").is_err());
        assert!(split_words("a \\").is_err());
    }

    #[test]
    fn commands_name_the_program_and_the_test() {
        let test = Path::new("t/area/x.svlib");
        let command = parse_command("svarog lint %s -I %d/inc 100%% %q < %s", "svarog", test).unwrap();
        assert_eq!(command.arguments, ["lint", "t/area/x.svlib", "-I", "t/area/inc", "100%", "%q"]);
        assert_eq!(command.stdin, Some(test.to_owned()));
        assert!(parse_command("z3 %s", "svarog", test).unwrap_err().contains("does not begin"));
        assert!(parse_command("", "svarog", test).is_err());
        assert!(parse_command("svarog <", "svarog", test).unwrap_err().contains("no file after"));
    }
}
