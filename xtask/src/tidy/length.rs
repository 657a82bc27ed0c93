//! No source file is too long to read, and the distribution of lengths is printed.
//!
//! The targets are a median under 200 lines and 95 of 100 files under 600; the limit is there because a
//! file of thousands of lines is never split again once people have got used to it.

use super::repo::{File, Repo};
use super::report::Report;

/// Longer files get a warning.
const LONG: usize = 600;

/// Longer files fail.
const TOO_LONG: usize = 1000;

/// The number of files that are named in the report.
const NAMED: usize = 5;

pub(super) fn check(repo: &Repo, report: &mut Report) {
    let mut files: Vec<(usize, &File)> =
        repo.with_ending(&["rs"]).map(|file| (file.text.lines().count(), file)).collect();
    files.sort_by_key(|(length, _)| *length);
    let Some((longest, _)) = files.last() else { return };
    let rank = |percent: usize| files[(files.len() * percent).div_ceil(100).max(1) - 1].0;
    let (median, p95) = (rank(50), rank(95));
    report.note(format!(
        "lines of {} source files: median {median}, p95 {p95}, longest {longest}",
        files.len()
    ));
    for (length, file) in files.iter().rev().take(NAMED) {
        report.note(format!("  {length:5}  {}", file.path));
    }
    for (length, file) in files.iter().rev() {
        if *length > TOO_LONG {
            report.error(&file.path, 1, format!("{length} lines, more than {TOO_LONG}: split it"));
        } else if *length > LONG {
            report.warning(&file.path, 1, format!("{length} lines, more than {LONG}: think of a split"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_are_found_and_statistics_printed() {
        let lines = |count: usize| "x\n".repeat(count);
        let (short, fits, long, too_long) = (lines(10), lines(600), lines(601), lines(1001));
        let repo = Repo::fake(&[("a.rs", &short), ("b.rs", &fits), ("c.rs", &long), ("d.rs", &too_long)]);
        let mut report = Report::default();
        check(&repo, &mut report);
        assert!(report.has_errors());
        assert_eq!(
            report.lines(),
            [
                "d.rs:1: 1001 lines, more than 1000: split it",
                "c.rs:1: 601 lines, more than 600: think of a split"
            ]
        );
        assert_eq!(report.notes()[0], "lines of 4 source files: median 600, p95 1001, longest 1001");
        assert_eq!(report.notes().len(), 5);
    }

    #[test]
    fn a_long_file_alone_does_not_fail_and_no_files_are_no_panic() {
        let mut report = Report::default();
        check(&Repo::fake(&[]), &mut report);
        check(&Repo::fake(&[("a.rs", &"x\n".repeat(1000))]), &mut report);
        assert!(!report.has_errors());
        assert_eq!(report.lines().len(), 1);
    }
}
