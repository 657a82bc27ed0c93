//! Sessions: the queries of inputs that were read as a whole, and a dialogue whose commands arrive one by one.

use crate::input::{Loaded, Program};
use crate::systems::{Origin, answer_model};
use crate::verify::{Portfolio, VerifyOptions};
use crate::workers::Workers;
use diag::{Diagnostic, SourceMap, Span, codes};
use smt::sexpr::{Reader, Splitter, Text, Tree};
use smt::term::Terms;
use svlib::parse::Builder;
use svlib::session::{Answer, Response, Session, SessionOptions, Verdict};

/// Where a script wants what is said: `stdout`, `stderr` or a file. A file is named only if the user allows it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Channels {
    /// For responses.
    pub regular: Option<String>,
    /// For everything else.
    pub diagnostic: Option<String>,
}

impl Channels {
    fn of(session: &Session) -> Channels {
        let channel = |key| session.channel(key).map(String::from);
        Channels {
            regular: channel(":regular-output-channel"),
            diagnostic: channel(":diagnostic-output-channel"),
        }
    }
}

/// What is said in a session.
pub enum Said {
    /// The response to a command.
    Response(Response),
    /// What was noticed while reading it.
    Findings(Vec<Diagnostic>),
}

/// Something that is said, with its circumstances.
pub struct Speech<'a> {
    /// What.
    pub said: Said,
    /// The texts so far, for messages.
    pub sources: &'a SourceMap,
    /// Where the command is that it is about.
    pub at: Span,
    /// Where it should go.
    pub channels: Channels,
    /// The number of the property that it is about, where a task has several.
    pub property: Option<u64>,
}

/// Responds to all commands of inputs that were read without errors; `each` hears every response as it comes.
pub fn answer_all(
    loaded: &mut Loaded,
    options: VerifyOptions,
    session: SessionOptions,
    workers: impl Workers,
    mut each: impl FnMut(Speech<'_>),
) {
    let sources = &loaded.sources;
    match &loaded.program {
        Program::Script(builder) => {
            let script = &builder.state.script;
            let (mut session, mut verifier) = (Session::new(session), Portfolio::new(options, workers));
            for index in 0..script.commands.len() {
                if let Some(response) = session.respond(&mut loaded.terms, script, index, &mut verifier) {
                    let (said, at) = (Said::Response(response), script.commands[index].at.0);
                    each(Speech { said, sources, at, channels: Channels::of(&session), property: None });
                }
                if verifier.workers.interrupted() {
                    return;
                }
            }
        }
        Program::Model(model) => {
            let at = loaded.files.first().map_or(0, |&file| sources.base(file));
            let (mut workers, terms) = (workers, &mut loaded.terms);
            let text = loaded.files.first().map(|&file| sources.text(file)).unwrap_or_default();
            let origin = Origin { language: loaded.language, text };
            answer_model(&mut workers, &options, terms, model, origin, |property, answer| {
                let said = Said::Response(Response::Answer(Box::new(answer)));
                each(Speech {
                    said,
                    sources,
                    at: Span::new(at, at),
                    channels: Channels::default(),
                    property,
                });
            });
        }
        Program::Checked => {
            for &file in &loaded.files {
                let verdict = Verdict::Unsupported("the input is no task".into());
                let said = Said::Response(Response::Answer(Box::new(Answer::without(verdict))));
                let at = Span::new(sources.base(file), sources.base(file));
                each(Speech { said, sources, at, channels: Channels::default(), property: None });
            }
        }
    }
}

/// A session whose text arrives in pieces of any size.
pub struct Dialogue<W> {
    /// The text so far, for messages.
    pub sources: SourceMap,
    terms: Terms,
    builder: Builder,
    session: Session,
    verifier: Portfolio<W>,
    splitter: Splitter,
    /// The bytes of the command that is not complete yet.
    waiting: Vec<u8>,
    /// The address of its first byte.
    base: u32,
}

impl<W: Workers> Dialogue<W> {
    /// A dialogue at its beginning. `name` is what messages call the input.
    #[must_use]
    pub fn new(name: &str, options: VerifyOptions, session: SessionOptions, workers: W) -> Self {
        let mut sources = SourceMap::default();
        // An empty text always fits.
        let _ = sources.add(name, String::new());
        let mut terms = Terms::new();
        let builder = Builder::new(&mut terms);
        Self {
            sources,
            terms,
            builder,
            session: Session::new(session),
            verifier: Portfolio::new(options, workers),
            splitter: Splitter::default(),
            waiting: Vec::new(),
            base: 0,
        }
    }

    /// Takes more text; `each` hears the responses to the commands that it completes, as they come.
    pub fn push(&mut self, piece: &[u8], mut each: impl FnMut(Speech<'_>)) {
        let mut rest = piece;
        while let Some(length) = self.splitter.push(rest).filter(|_| !self.is_over()) {
            self.waiting.extend_from_slice(&rest[..length]);
            rest = &rest[length..];
            self.complete(&mut each);
        }
        self.waiting.extend_from_slice(rest);
    }

    /// The input is over: what is left is read, complete or not.
    pub fn end(&mut self, mut each: impl FnMut(Speech<'_>)) {
        self.complete(&mut each);
    }

    fn complete(&mut self, each: &mut impl FnMut(Speech<'_>)) {
        let text = match String::from_utf8(std::mem::take(&mut self.waiting)) {
            Ok(text) => text,
            Err(error) => {
                let at = self.base + error.utf8_error().valid_up_to() as u32;
                let lossy = String::from_utf8_lossy(error.as_bytes()).into_owned();
                let finding =
                    Diagnostic::new(codes::SMT001, Span::new(at, at), "the byte here is not valid UTF-8");
                self.advance(&lossy);
                return self.report(vec![finding], each);
            }
        };
        let base = self.base;
        if !self.advance(&text) {
            let finding = Diagnostic::new(codes::SMT005, Span::default(), "the session is longer than 4 GiB");
            return self.report(vec![finding], each);
        }
        let source = Text::new(&text, base);
        let (mut reader, mut tree, mut findings) = (Reader::new(source), Tree::new(), Vec::new());
        while reader.read(&mut tree, &mut findings) {
            let before = self.builder.state.script.commands.len();
            self.builder.command(&mut self.terms, source, &tree, &mut findings);
            self.report(std::mem::take(&mut findings), each);
            for index in before..self.builder.state.script.commands.len() {
                let script = &self.builder.state.script;
                let response = self.session.respond(&mut self.terms, script, index, &mut self.verifier);
                if let Some(response) = response {
                    let at = self.builder.state.script.commands[index].at.0;
                    self.say(Said::Response(response), at, each);
                }
                if self.is_over() {
                    return;
                }
            }
        }
        self.report(findings, each);
    }

    /// True when nothing more is answered, because somebody wants the program to end.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.verifier.workers.interrupted()
    }

    fn advance(&mut self, text: &str) -> bool {
        let fits = self.sources.append(text).is_ok();
        if fits {
            self.base += text.len() as u32;
        }
        fits
    }

    fn say(&self, said: Said, at: Span, each: &mut impl FnMut(Speech<'_>)) {
        let channels = Channels::of(&self.session);
        each(Speech { said, sources: &self.sources, at, channels, property: None });
    }

    /// Errors are a response; warnings are remarks.
    fn report(&self, findings: Vec<Diagnostic>, each: &mut impl FnMut(Speech<'_>)) {
        let error = findings.iter().find(|f| f.is_error()).map(|error| {
            let place = self.sources.locate(error.span.start);
            Response::Error(format!("{}:{}: {}", place.line, place.column, error.message))
        });
        let at = findings.first().map(|finding| finding.span).unwrap_or_default();
        if !findings.is_empty() {
            self.say(Said::Findings(findings), at, each);
        }
        if let Some(error) = error {
            self.say(Said::Response(error), at, each);
        }
    }
}
