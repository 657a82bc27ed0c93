//! The one table of diagnostic codes: name, severity, page.
//!
//! A new code is one line here and one page `docs/codes/CODE.md`, whose first line is the title.

use crate::Severity;

/// A stable diagnostic code, such as `SV107`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Code(&'static str);

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct CodeInfo {
    /// The code.
    pub code: Code,
    /// The severity that its findings have.
    pub severity: Severity,
    /// What `svarog explain` prints, in Markdown.
    pub page: &'static str,
}

impl CodeInfo {
    /// The title: the page's first line without its mark and code.
    #[must_use]
    pub fn title(&self) -> &'static str {
        let line = self.page.lines().next().unwrap_or_default();
        line.split_once(": ").map_or(line, |(_, title)| title)
    }
}

impl Code {
    /// The code's text.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0
    }

    /// The code of that name, in capitals or not.
    #[must_use]
    pub fn find(name: &str) -> Option<Code> {
        CODES.iter().map(|info| info.code).find(|code| code.0.eq_ignore_ascii_case(name))
    }

    /// Its row in the table.
    #[must_use]
    pub fn info(self) -> &'static CodeInfo {
        // Codes are only made by the table's macro, so the search always ends at a row.
        &CODES[CODES.partition_point(|info| info.code.0 < self.0)]
    }

    /// The severity that its findings have.
    #[must_use]
    pub fn severity(self) -> Severity {
        self.info().severity
    }

    /// True when a finding is no mistake of the input's: it says what this program cannot do with it.
    #[must_use]
    pub fn is_limit(self) -> bool {
        LIMITS.contains(&self)
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

macro_rules! codes {
    ($($name:ident $severity:ident)*) => {
        $(
            #[doc = concat!("Described in `docs/codes/", stringify!($name), ".md`.")]
            pub const $name: Code = Code(stringify!($name));
        )*
        /// All codes, sorted by name.
        pub static CODES: &[CodeInfo] = &[$(CodeInfo {
            code: $name,
            severity: Severity::$severity,
            page: include_str!(concat!("../../../docs/codes/", stringify!($name), ".md")),
        }),*];
    };
}

codes! {
    // tidy: sorted
    AIG001 Error
    AIG002 Error
    AIG003 Error
    AIG004 Error
    BTOR001 Error
    BTOR002 Error
    BTOR003 Error
    BTOR004 Error
    BTOR005 Error
    BTOR006 Error
    C001 Error
    C002 Error
    C003 Error
    C004 Error
    C005 Error
    C006 Error
    C007 Error
    C008 Error
    C009 Error
    C010 Error
    C011 Error
    C012 Error
    C013 Error
    C101 Warning
    C102 Warning
    CHC001 Error
    CHC002 Error
    CHC003 Error
    CHC004 Error
    CHC005 Error
    CHC006 Error
    I001 Error
    I002 Error
    I003 Error
    I004 Error
    I005 Error
    I101 Warning
    I102 Warning
    K2001 Error
    K2002 Error
    K2003 Error
    K2004 Error
    MOXI001 Error
    MOXI002 Error
    MOXI003 Error
    MOXI004 Error
    MOXI005 Error
    SMT001 Error
    SMT002 Error
    SMT003 Error
    SMT004 Error
    SMT005 Error
    SMT010 Error
    SMT011 Error
    SMT012 Error
    SMT013 Error
    SMT014 Error
    SMT015 Error
    SMT016 Error
    SMT017 Error
    SMT018 Error
    SMT019 Error
    SMT020 Error
    SMT021 Error
    SMT022 Error
    SMT023 Error
    SMT024 Warning
    SMV001 Error
    SMV002 Error
    SMV003 Error
    SMV004 Error
    SMV005 Error
    SV101 Error
    SV102 Error
    SV103 Error
    SV104 Error
    SV105 Error
    SV106 Error
    SV107 Error
    SV108 Error
    SV109 Error
    SV110 Error
    SV111 Error
    SV112 Error
    SV201 Error
    SV202 Error
    SV203 Error
    SV204 Error
    SV205 Error
    SV206 Error
    SV207 Error
    SV208 Error
    SV209 Error
    SV210 Error
    SV301 Warning
    SV302 Warning
    SV303 Warning
    SV304 Warning
    SV311 Warning
    SV312 Warning
    SV313 Warning
    SV314 Warning
    SV315 Warning
    SV316 Warning
    SV317 Error
    SV318 Error
    SV319 Error
    SV320 Error
    SV321 Warning
    VMT001 Warning
    VMT002 Warning
    VMT003 Error
    VMT004 Error
    VMT005 Error
    VMT006 Error
    VMT007 Error
    VMT008 Error
    VMT009 Error
    VMT010 Error
    VMT011 Error
    W001 Error
    W002 Error
    WIT001 Error
    WIT002 Error
    // tidy: end
}

/// The codes of what is right and not supported.
const LIMITS: &[Code] = &[
    // tidy: sorted
    CHC003, CHC006, K2002, SMT022, SMV003,
    // tidy: end
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_sorted_and_pages_are_titled() {
        assert!(CODES.windows(2).all(|w| w[0].code.0 < w[1].code.0));
        for info in CODES {
            assert!(info.page.starts_with(&format!("# {}: ", info.code)), "{}", info.code);
            assert_eq!(info.code.info().code, info.code);
            assert_eq!(Code::find(&info.code.0.to_lowercase()), Some(info.code));
        }
    }
}
