//! Every source file opens with a `//!` comment that says why it exists.
//!
//! The first line and not only somewhere: it is what a reader sees, and what search results show.

use super::repo::Repo;
use super::report::Report;

pub(super) fn check(repo: &Repo, report: &mut Report) {
    for file in repo.with_ending(&["rs"]) {
        let first = file.text.lines().next().unwrap_or_default();
        let sentence = first.strip_prefix("//!").map(str::trim);
        if sentence.is_none_or(str::is_empty) {
            report.error(
                &file.path,
                1,
                "the first line is not a `//!` comment that says why the file exists",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_without_a_module_comment_are_found() {
        let repo = Repo::fake(&[
            ("a.rs", "//! Says why.\n"),
            ("b.rs", "use x;\n//! Late.\n"),
            ("c.rs", ""),
            ("d.rs", "//!\n"),
            ("e.md", "no source\n"),
        ]);
        let mut report = Report::default();
        check(&repo, &mut report);
        let places: Vec<String> = report.lines().iter().map(|line| line[..5].to_owned()).collect();
        assert_eq!(places, ["b.rs:", "c.rs:", "d.rs:"]);
    }
}
