//! From bytes to checked programs.

use crate::format::Format;
use diag::{Diagnostic, FileId, SourceMap, Span, codes};
use formats::{Shape, Source};
use smt::scope::Scope;
use smt::sexpr::Text;
use smt::term::Terms;
use svlib::parse::Builder;

/// One input: a name for messages, its bytes, its format.
#[derive(Clone, Debug)]
pub struct Input {
    /// The name, as the user gave it.
    pub name: String,
    /// The content.
    pub bytes: Vec<u8>,
    /// The language.
    pub format: Format,
}

/// Inputs that were read.
pub struct Loaded {
    /// The texts.
    pub sources: SourceMap,
    /// The files, in the order given; translated ones point to the translation.
    pub files: Vec<FileId>,
    /// The terms.
    pub terms: Terms,
    /// The script, when there is one.
    pub program: Program,
    /// The language of a transition system or of clauses.
    pub language: Option<&'static formats::Format>,
    /// Everything noticed, sorted by place.
    pub findings: Vec<Diagnostic>,
}

/// What the inputs are together.
pub enum Program {
    /// An SV-LIB script, perhaps translated from another language.
    Script(Box<Builder>),
    /// Transition systems or Horn clauses.
    Model(formats::Model),
    /// Something that is only checked.
    Checked,
}

impl Loaded {
    /// Reads inputs as one script (SV-LIB, K2), or each by itself (the others).
    #[must_use]
    pub fn read(inputs: Vec<Input>) -> Loaded {
        let mut loaded = Loaded {
            sources: SourceMap::default(),
            files: Vec::new(),
            terms: Terms::new(),
            program: Program::Checked,
            language: None,
            findings: Vec::new(),
        };
        for input in inputs {
            loaded.add(input);
        }
        loaded.findings.sort_by_key(|f| (f.span.start, f.span.end, f.code));
        loaded
    }

    /// The same for inputs that are to be verified: then SMT-LIB scripts are Horn clauses.
    #[must_use]
    pub fn read_task(mut inputs: Vec<Input>) -> Loaded {
        inputs.iter_mut().for_each(|input| input.format = input.format.of_task(&input.bytes));
        Loaded::read(inputs)
    }

    fn add(&mut self, input: Input) {
        if let Format::System(format) = input.format
            && format.shape == Shape::Bytes
        {
            return self.add_binary(input, format);
        }
        if input.format == Format::C {
            return self.add_c(input);
        }
        let file = match self.sources.add_bytes(input.name, input.bytes) {
            Ok(file) => file,
            Err(error) => return self.findings.push(*error),
        };
        match input.format {
            Format::SvLib => self.add_script(file),
            Format::K2 => self.add_k2(file),
            Format::SmtLib => self.check(file),
            Format::System(format) => self.add_model(file, None, format),
            Format::C | Format::Dot => {
                let at = self.sources.base(file);
                let message = format!("{} is written, not read", input.format.info().name);
                self.findings.push(Diagnostic::new(codes::SMT005, Span::new(at, at), message));
            }
        }
    }

    /// A C program is checked; its text was preprocessed, or needs no preprocessor.
    fn add_c(&mut self, input: Input) {
        match self.sources.add_binary(input.name, &input.bytes) {
            Ok(file) => {
                // Commands about C have it preprocessed first; to others such a program is no task, right or wrong.
                if !cfront::needs_preprocessor(&input.bytes) {
                    let unit =
                        cfront::parse(&input.bytes, self.sources.base(file), cfront::DataModel::default());
                    self.findings.extend(unit.findings);
                }
                self.files.push(file);
            }
            Err(error) => {
                self.findings.push(Diagnostic::new(codes::SMT005, Span::default(), error.to_string()));
            }
        }
    }

    /// A model whose bytes need not be text.
    fn add_binary(&mut self, input: Input, format: &'static formats::Format) {
        match self.sources.add_binary(input.name, &input.bytes) {
            Ok(file) => self.add_model(file, Some(&input.bytes), format),
            Err(error) => {
                self.findings.push(Diagnostic::new(codes::SMT005, Span::default(), error.to_string()));
            }
        }
    }

    /// A model is a task of its own. Its bytes are given if they may differ from the text that is shown.
    fn add_model(&mut self, file: FileId, bytes: Option<&[u8]>, format: &'static formats::Format) {
        if !matches!(self.program, Program::Checked) {
            let message = "a transition system is a task of its own, and there is another input";
            let at = self.sources.base(file);
            self.findings.push(Diagnostic::new(codes::SMT005, Span::new(at, at), message));
            return;
        }
        let bytes = bytes.unwrap_or(self.sources.text(file).as_bytes());
        let source = Source { bytes, base: self.sources.base(file) };
        if let Some(model) = (format.read)(&mut self.terms, source, &mut self.findings) {
            self.program = Program::Model(model);
            self.language = Some(format);
        }
        self.files.push(file);
    }

    fn add_script(&mut self, file: FileId) {
        if !matches!(self.program, Program::Script(_)) {
            self.program = Program::Script(Box::new(Builder::new(&mut self.terms)));
        }
        let Program::Script(builder) = &mut self.program else { return };
        let text = Text::new(self.sources.text(file), self.sources.base(file));
        svlib::witness::read_any(builder, &mut self.terms, text, &mut self.findings);
        self.files.push(file);
    }

    /// K2 becomes SV-LIB text, which is then read like any other.
    fn add_k2(&mut self, file: FileId) {
        let text = Text::new(self.sources.text(file), self.sources.base(file));
        let translation = match svlib::k2::translate(text) {
            Ok(translation) => translation,
            Err(findings) => return self.findings.extend(findings),
        };
        let name = format!("{} (as SV-LIB)", self.sources.name(file));
        match self.sources.add(name, translation.script) {
            Ok(file) => self.add_script(file),
            Err(error) => {
                self.findings.push(Diagnostic::new(codes::SMT005, Span::default(), error.to_string()));
            }
        }
    }

    fn check(&mut self, file: FileId) {
        let mut scope = Scope::new(&mut self.terms);
        let text = Text::new(self.sources.text(file), self.sources.base(file));
        smt::script::read(&mut self.terms, &mut scope, text, &mut self.findings, |_, _, _, _| {});
        self.files.push(file);
    }

    /// True for transition systems and Horn clauses.
    #[must_use]
    pub fn is_model(&self) -> bool {
        matches!(self.program, Program::Model(_))
    }

    /// True when the inputs cannot be used: a finding is an error that is not about missing tags only.
    #[must_use]
    pub fn is_bad(&self) -> bool {
        self.findings.iter().any(|f| f.is_error() && !is_about_tags(f))
    }

    /// Why the inputs cannot be used although nothing in them is wrong: all that is reported is what is not supported.
    #[must_use]
    pub fn unsupported(&self) -> Option<String> {
        let mut errors = self.findings.iter().filter(|f| f.is_error() && !is_about_tags(f));
        let first = errors.next().filter(|f| f.code.is_limit())?;
        errors.all(|f| f.code.is_limit()).then(|| first.message.clone())
    }
}

/// Rules 8.2 (i) and (j) concern witnesses only; without them the script can still be run and verified.
pub(crate) fn is_about_tags(finding: &Diagnostic) -> bool {
    matches!(finding.code, codes::SV209 | codes::SV210)
}
