//! No tabs and no blanks at the end of a line in sources, documents and manifests.
//!
//! Editors disagree about both, and each disagreement is a line in somebody's diff.

use super::repo::Repo;
use super::report::Report;

pub(super) fn check(repo: &Repo, report: &mut Report) {
    for file in repo.with_ending(&["md", "rs", "toml"]) {
        // Not `lines`, which hides a carriage return.
        for (number, line) in (1..).zip(file.text.split('\n')) {
            if line.contains('\t') {
                report.error(&file.path, number, "a tab");
            }
            if line.trim_end() != line {
                report.error(&file.path, number, "whitespace at the end of the line");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_and_blanks_are_found() {
        let repo = Repo::fake(&[
            ("a.rs", "fine\n\tx\n"),
            ("b.md", "x \ny\r\n"),
            ("c.toml", "a = 1\n"),
            ("d.expected", "x \t\n"),
        ]);
        let mut report = Report::default();
        check(&repo, &mut report);
        let blank = "whitespace at the end of the line";
        assert_eq!(
            report.lines(),
            ["a.rs:2: a tab", &format!("b.md:1: {blank}"), &format!("b.md:2: {blank}")]
        );
    }
}
