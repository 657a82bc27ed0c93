//! Releases of Z3 and which of them the bindings fit.

use std::fmt;

/// A release of Z3, as the library itself tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Z3Version {
    /// The first number.
    pub major: u32,
    /// The second number.
    pub minor: u32,
    /// The third number.
    pub patch: u32,
}

impl Z3Version {
    /// The first release with the numbering of operators that the bindings were generated from.
    pub const OLDEST: Z3Version = Z3Version { major: 5, minor: 3, patch: 0 };

    /// The last release whose numbering was compared with the bindings; its later patches count as well.
    pub const NEWEST: Z3Version = Z3Version { major: 5, minor: 4, patch: 0 };

    /// Whether the bindings fit this release.
    pub fn is_supported(self) -> bool {
        let release = |v: Z3Version| (v.major, v.minor);
        self >= Z3Version::OLDEST && release(self) <= release(Z3Version::NEWEST)
    }
}

impl fmt::Display for Z3Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_releases_with_the_known_numbering_are_supported() {
        let supported = |major, minor, patch| Z3Version { major, minor, patch }.is_supported();
        assert!(supported(5, 3, 0) && supported(5, 3, 2) && supported(5, 4, 0) && supported(5, 4, 7));
        assert!(!supported(4, 8, 12) && !supported(5, 2, 9) && !supported(5, 5, 0) && !supported(6, 0, 0));
    }
}
