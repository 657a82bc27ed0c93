//! No file names a place on somebody's machine: it would be wrong on every other one.
//!
//! A line that needs one all the same, such as the list below, carries the marker and thereby says so.

use super::repo::Repo;
use super::report::Report;

/// How such paths begin.
const FORBIDDEN: &[&str] = &["/home/", "/root/", "/tmp/", "/work/"]; // tidy: allow-path

/// A line with this is not looked at.
const MARKER: &str = "tidy: allow-path";

pub(super) fn check(repo: &Repo, report: &mut Report) {
    for file in &repo.files {
        for (number, line) in file.lines().filter(|(_, line)| !line.contains(MARKER)) {
            if let Some(path) = FORBIDDEN.iter().find(|path| names_absolute(line, path)) {
                report.error(&file.path, number, format!("names the machine path `{path}`"));
            }
        }
    }
}

/// Whether the line has the path where an absolute path can begin, and not inside of a longer one.
fn names_absolute(line: &str, path: &str) -> bool {
    let goes_on = |before: &str| before.ends_with(|c: char| c.is_alphanumeric() || "._-~}$*".contains(c));
    line.match_indices(path).any(|(at, _)| !goes_on(&line[..at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_paths_are_found_unless_marked() {
        let path = FORBIDDEN[2];
        let bad = format!("fine\nsee {path}x\n");
        let marked = format!("\"{path}\" // {MARKER}\n");
        let inner = format!("docs{path}x and ..{path}x and ${{HOME}}{path}x\n");
        let repo = Repo::fake(&[("a.md", &bad), ("b.rs", &marked), ("c.sh", &inner)]);
        let mut report = Report::default();
        check(&repo, &mut report);
        assert_eq!(report.lines(), [format!("a.md:2: names the machine path `{path}`")]);
    }
}
