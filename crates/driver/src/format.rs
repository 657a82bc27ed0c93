//! The formats that are read and written: one row each.

/// A language of tasks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// The intermediate language of Kratos2.
    K2,
    /// Plain SMT-LIB 2.7, constrained Horn clauses included.
    SmtLib,
    /// SV-LIB 1.0, witnesses included.
    SvLib,
    /// VMT-LIB.
    Vmt,
}

/// A row of the registry.
#[derive(Clone, Copy, Debug)]
pub struct FormatInfo {
    /// The format.
    pub format: Format,
    /// Its name on the command line.
    pub name: &'static str,
    /// File endings without the dot.
    pub endings: &'static [&'static str],
    /// What it is.
    pub summary: &'static str,
    /// True when programs can be written in it.
    pub writes: bool,
}

/// All formats.
pub static FORMATS: &[FormatInfo] = &[
    FormatInfo {
        format: Format::K2,
        name: "k2",
        endings: &["k2"],
        summary: "K2, the intermediate language of Kratos2",
        writes: false,
    },
    FormatInfo {
        format: Format::SmtLib,
        name: "smtlib",
        endings: &["smt2", "smt"],
        summary: "SMT-LIB 2.7 scripts and constrained Horn clauses (checked, formatted, written from programs)",
        writes: true,
    },
    FormatInfo {
        format: Format::SvLib,
        name: "svlib",
        endings: &["svlib"],
        summary: "SV-LIB 1.0 scripts and witnesses",
        writes: true,
    },
    FormatInfo {
        format: Format::Vmt,
        name: "vmt",
        endings: &["vmt", "vmt2"],
        summary: "VMT-LIB transition systems (checked and formatted)",
        writes: false,
    },
];

impl Format {
    /// The format of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Format> {
        FORMATS.iter().find(|info| info.name == name).map(|info| info.format)
    }

    /// The format that a file's ending tells.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Format> {
        let (_, ending) = path.rsplit_once('.')?;
        FORMATS.iter().find(|info| info.endings.contains(&ending)).map(|info| info.format)
    }

    /// The format's row.
    #[must_use]
    pub fn info(self) -> &'static FormatInfo {
        FORMATS.iter().find(|info| info.format == self).unwrap_or(&FORMATS[0])
    }
}
