//! What the checks found, and how it is printed.

use std::fmt;

/// Findings and remarks of all checks that ran.
#[derive(Default)]
pub(super) struct Report {
    check: &'static str,
    findings: Vec<Finding>,
    notes: Vec<String>,
}

struct Finding {
    check: &'static str,
    is_error: bool,
    path: String,
    line: usize,
    message: String,
}

impl Report {
    /// What is reported from now on comes from the check of this name.
    pub(super) fn begin(&mut self, check: &'static str) {
        self.check = check;
    }

    /// A broken rule. Lines count from 1; a finding about the whole file is at line 1.
    pub(super) fn error(&mut self, path: &str, line: usize, message: impl Into<String>) {
        self.add(true, path, line, message.into());
    }

    /// Something to look at that does not fail the run.
    pub(super) fn warning(&mut self, path: &str, line: usize, message: impl Into<String>) {
        self.add(false, path, line, message.into());
    }

    /// A line of statistics.
    pub(super) fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// Whether the run fails.
    pub(super) fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.is_error)
    }

    /// The counts in words.
    pub(super) fn summary(&self) -> String {
        let errors = self.findings.iter().filter(|finding| finding.is_error).count();
        format!("{errors} errors, {} warnings", self.findings.len() - errors)
    }

    fn add(&mut self, is_error: bool, path: &str, line: usize, message: String) {
        self.findings.push(Finding { check: self.check, is_error, path: path.to_owned(), line, message });
    }

    /// The findings as `path:line: message`, for tests.
    #[cfg(test)]
    pub(super) fn lines(&self) -> Vec<String> {
        let line = |finding: &Finding| format!("{}:{}: {}", finding.path, finding.line, finding.message);
        self.findings.iter().map(line).collect()
    }

    /// The remarks, for tests.
    #[cfg(test)]
    pub(super) fn notes(&self) -> &[String] {
        &self.notes
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for note in &self.notes {
            writeln!(f, "{note}")?;
        }
        for Finding { check, is_error, path, line, message } in &self.findings {
            let severity = if *is_error { "error" } else { "warning" };
            writeln!(f, "{path}:{line}: {severity}: {message} [{check}]")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_errors_fail_and_all_are_printed() {
        let mut report = Report::default();
        report.begin("demo");
        report.warning("a.rs", 3, "hm");
        report.note("n");
        assert!(!report.has_errors());
        report.error("b.rs", 1, "bad");
        assert!(report.has_errors());
        assert_eq!(report.to_string(), "n\na.rs:3: warning: hm [demo]\nb.rs:1: error: bad [demo]\n");
        assert_eq!(report.summary(), "1 errors, 1 warnings");
    }
}
