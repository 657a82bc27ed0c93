//! Exit codes, as documented in the README.

use diag::Diagnostic;
use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// Nothing wrong: 0.
    Fine,
    /// A property is violated, or something is to be done: 1.
    Violated,
    /// Bad input or usage: 2.
    Bad,
    /// Unknown or unsupported: 3.
    Unknown,
}

impl Status {
    /// The number.
    pub(crate) fn code(self) -> u8 {
        match self {
            Status::Fine => 0,
            Status::Violated => 1,
            Status::Bad => 2,
            Status::Unknown => 3,
        }
    }

    /// Of input that cannot be used: it is bad, unless all that is reported is what is not supported.
    pub(crate) fn of_refused(findings: &[Diagnostic]) -> Status {
        let mut errors = findings.iter().filter(|finding| finding.is_error()).peekable();
        let is_limit = errors.peek().is_some() && errors.all(|finding| finding.code.is_limit());
        if is_limit { Status::Unknown } else { Status::Bad }
    }

    /// The worse of two, in the order of precedence for several queries: 2, 1, 3, 0.
    pub(crate) fn and(self, other: Status) -> Status {
        let rank = |status| match status {
            Status::Bad => 3,
            Status::Violated => 2,
            Status::Unknown => 1,
            Status::Fine => 0,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status.code())
    }
}

#[cfg(test)]
mod tests {
    use super::Status::{Bad, Fine, Unknown, Violated};

    #[test]
    fn precedence() {
        assert_eq!(Fine.and(Unknown), Unknown);
        assert_eq!(Unknown.and(Violated), Violated);
        assert_eq!(Violated.and(Bad), Bad);
        assert_eq!(Bad.and(Fine), Bad);
    }
}
