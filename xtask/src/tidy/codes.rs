//! Every diagnostic code is in the table, has a page for `svarog explain`, and its tests; and nothing else
//! claims to be a code.
//!
//! The table is the `codes!` list of `crates/diag/src/codes.rs`, one line `CODE Severity` for each. The page is
//! `docs/codes/CODE.md` and begins with `# CODE: title`. The codes of the SV-LIB lints have a folder of golden
//! tests, `tests/lint/CODE`, in which `bad*` shows the finding and `ok*` its absence.

use std::collections::BTreeMap;

use super::repo::Repo;
use super::report::Report;

const TABLE: &str = "crates/diag/src/codes.rs";
const PAGES: &str = "docs/codes/";
const TESTS: &str = "tests/lint/";

/// Codes that begin with this need tests of their own.
const LINT_PREFIX: &str = "SV";

pub(super) fn check(repo: &Repo, report: &mut Report) {
    let Some(table) = repo.file(TABLE) else {
        report.error(TABLE, 1, "the table of diagnostic codes is missing");
        return;
    };
    let codes = table_codes(&table.text);
    if codes.is_empty() {
        report.error(TABLE, 1, "no line `CODE Severity` between `codes! {` and `}`");
    }
    for (code, line) in &codes {
        let page = format!("{PAGES}{code}.md");
        match repo.file(&page) {
            None => report.error(TABLE, *line, format!("{code} has no page {page}")),
            Some(file) if !file.text.starts_with(&format!("# {code}: ")) => {
                report.error(&page, 1, format!("the first line is not `# {code}: TITLE`"));
            }
            Some(_) => {}
        }
        if code.starts_with(LINT_PREFIX) {
            for name in ["bad", "ok"] {
                let tests = format!("{TESTS}{code}/{name}");
                if !repo.files.iter().any(|file| file.path.starts_with(&tests)) {
                    report.error(TABLE, *line, format!("{code} has no test {tests}*"));
                }
            }
        }
    }
    for page in repo.files.iter().filter_map(|file| file.path.strip_prefix(PAGES)) {
        let code = page.trim_end_matches(".md");
        if !codes.contains_key(code) && is_code(code) {
            report.error(&format!("{PAGES}{page}"), 1, format!("{code} is not in {TABLE}"));
        }
    }
    let mut reported = "";
    for path in repo.files.iter().filter_map(|file| file.path.strip_prefix(TESTS)) {
        let Some((folder, _)) = path.split_once('/') else { continue };
        if is_code(folder) && !codes.contains_key(folder) && folder != reported {
            report.error(&format!("{TESTS}{path}"), 1, format!("{folder} is not in {TABLE}"));
            reported = folder;
        }
    }
}

/// The codes of the table with their lines.
fn table_codes(text: &str) -> BTreeMap<&str, usize> {
    let list = (1..).zip(text.lines()).skip_while(|(_, line)| !line.starts_with("codes! {"));
    let rows = list.take_while(|(_, line)| !line.starts_with('}'));
    rows.filter_map(|(number, line)| line.split_whitespace().next().map(|word| (word, number)))
        .filter(|(word, _)| is_code(word))
        .collect()
}

/// Whether the word looks like a code: capitals, then digits, at least three of them at the end.
fn is_code(word: &str) -> bool {
    let digits = word.bytes().rev().take_while(u8::is_ascii_digit).count();
    word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        && digits >= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(table: &str, others: &[(&str, &str)]) -> Vec<String> {
        let table = format!("macro_rules! codes {{}}\n\ncodes! {{\n{table}}}\n");
        let mut files = vec![(TABLE, table.as_str())];
        files.extend(others);
        let mut report = Report::default();
        check(&Repo::fake(&files), &mut report);
        report.lines()
    }

    #[test]
    fn complete_codes_pass() {
        let table = "    // a remark\n    K2001 Error\n    SV101 Warning\n";
        let files = [
            ("docs/codes/K2001.md", "# K2001: a\n"),
            ("docs/codes/SV101.md", "# SV101: b\n"),
            ("docs/codes/README.md", "# Codes\n"),
            ("tests/lint/SV101/bad2.svlib", ""),
            ("tests/lint/SV101/ok.svlib", ""),
            ("tests/lint/json/a.svlib", ""),
        ];
        assert_eq!(findings(table, &files), [""; 0]);
    }

    #[test]
    fn missing_pages_tests_and_titles_are_found() {
        let table = "    SMT001 Error\n    SV101 Error\n    SV102 Error\n";
        let files = [
            ("docs/codes/SMT001.md", "# SMT002: a\n"),
            ("docs/codes/SV101.md", "# SV101: b\n"),
            ("tests/lint/SV101/ok.svlib", ""),
            ("tests/lint/SV102/bad.svlib", ""),
            ("tests/lint/SV102/ok.svlib", ""),
        ];
        assert_eq!(
            findings(table, &files),
            [
                "docs/codes/SMT001.md:1: the first line is not `# SMT001: TITLE`",
                "crates/diag/src/codes.rs:5: SV101 has no test tests/lint/SV101/bad*",
                "crates/diag/src/codes.rs:6: SV102 has no page docs/codes/SV102.md",
            ]
        );
    }

    #[test]
    fn pages_and_tests_of_unknown_codes_are_found() {
        let files = [
            ("docs/codes/SMT001.md", "# SMT001: a\n"),
            ("docs/codes/SMT009.md", "# SMT009: a\n"),
            ("tests/lint/SV999/a.svlib", ""),
            ("tests/lint/SV999/b.svlib", ""),
        ];
        assert_eq!(
            findings("    SMT001 Error\n", &files),
            [
                "docs/codes/SMT009.md:1: SMT009 is not in crates/diag/src/codes.rs",
                "tests/lint/SV999/a.svlib:1: SV999 is not in crates/diag/src/codes.rs",
            ]
        );
    }

    #[test]
    fn an_empty_or_missing_table_is_found() {
        assert_eq!(findings("", &[]).len(), 1);
        let mut report = Report::default();
        check(&Repo::fake(&[]), &mut report);
        assert_eq!(report.lines().len(), 1);
    }
}
