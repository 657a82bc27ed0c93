//! The formats that are read and written: one row each. Languages of transition systems have
//! theirs in [`formats::FORMATS`].

/// A language of tasks.
#[derive(Clone, Copy, Debug)]
pub enum Format {
    /// C as GNU C has it, preprocessed or not.
    C,
    /// Graphs for Graphviz.
    Dot,
    /// The intermediate language of Kratos2.
    K2,
    /// Plain SMT-LIB 2.7, constrained Horn clauses included.
    SmtLib,
    /// SV-LIB 1.0, witnesses included.
    SvLib,
    /// A language of transition systems.
    System(&'static formats::Format),
}

impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        self.info().name == other.info().name
    }
}

impl Eq for Format {}

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
    /// True when tasks can be read in it.
    pub reads: bool,
    /// True when tasks can be written in it.
    pub writes: bool,
}

/// The formats that are no languages of transition systems.
static PROGRAMS: [FormatInfo; 5] = [
    FormatInfo {
        format: Format::C,
        name: "c",
        endings: &["c", "i"],
        summary: "C programs, checked and drawn",
        reads: true,
        writes: false,
    },
    FormatInfo {
        format: Format::Dot,
        name: "dot",
        endings: &["dot", "gv"],
        summary: "control-flow automata of C programs as graphs",
        reads: false,
        writes: true,
    },
    FormatInfo {
        format: Format::K2,
        name: "k2",
        endings: &["k2"],
        summary: "K2, the intermediate language of Kratos2",
        reads: true,
        writes: false,
    },
    FormatInfo {
        format: Format::SmtLib,
        name: "smtlib",
        endings: &["smt2", "smt"],
        summary: "SMT-LIB 2.7 scripts and constrained Horn clauses",
        reads: true,
        writes: true,
    },
    FormatInfo {
        format: Format::SvLib,
        name: "svlib",
        endings: &["svlib"],
        summary: "SV-LIB 1.0 scripts and witnesses",
        reads: true,
        writes: true,
    },
];

/// All formats, by name.
#[must_use]
pub fn registry() -> Vec<FormatInfo> {
    let systems = formats::FORMATS.iter().map(|format| Format::System(format).info());
    let mut all: Vec<FormatInfo> = PROGRAMS.into_iter().chain(systems).collect();
    all.sort_by_key(|info| info.name);
    all
}

impl Format {
    /// The format of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Format> {
        registry().iter().find(|info| info.name == name).map(|info| info.format)
    }

    /// The format that a file's ending tells.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Format> {
        let (_, ending) = path.rsplit_once('.')?;
        registry().iter().find(|info| info.endings.contains(&ending)).map(|info| info.format)
    }

    /// The format's row.
    #[must_use]
    pub fn info(self) -> FormatInfo {
        match self {
            Format::C => PROGRAMS[0],
            Format::Dot => PROGRAMS[1],
            Format::K2 => PROGRAMS[2],
            Format::SmtLib => PROGRAMS[3],
            Format::SvLib => PROGRAMS[4],
            Format::System(&formats::Format { name, endings, summary, .. }) => {
                FormatInfo { format: self, name, endings, summary, reads: true, writes: true }
            }
        }
    }

    /// True when its files are S-expressions, whose layout means nothing.
    #[must_use]
    pub fn is_lists(self) -> bool {
        match self {
            Format::System(format) => format.shape == formats::Shape::Lists,
            other => !matches!(other, Format::C | Format::Dot),
        }
    }

    /// What it is as a language of tasks. Systems in SMT-LIB's clothes have its ending: they are told by what only they say;
    /// everything else can be Horn clauses only.
    #[must_use]
    pub fn of_task(self, bytes: &[u8]) -> Format {
        if self != Format::SmtLib {
            return self;
        }
        let says = |words: &[u8]| bytes.windows(words.len()).any(|window| window == words);
        let name = match () {
            () if says(b"(define-system") || says(b"(check-system") => "moxi",
            () if says(b":next ") && says(b":init") => "vmt",
            () => "chc",
        };
        formats::Format::named(name).map_or(self, Format::System)
    }
}
