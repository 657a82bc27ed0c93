//! What the tests of the kernel share: a store with a scope that reads scripts and terms, and the law that
//! printing and reading a term gives the same term.

#![allow(dead_code, reason = "each test binary uses its own part of this module")]

use diag::{Diagnostic, SourceMap};
use smt::op::Op;
use smt::parse::{Command, Parser};
use smt::print::term_text;
use smt::scope::Scope;
use smt::sexpr::{Reader, Text, Tree};
use smt::term::{TermId, Terms};

/// A store with a scope.
pub(crate) struct Kernel {
    pub(crate) terms: Terms,
    pub(crate) scope: Scope,
}

impl Kernel {
    /// The scope of SMT-LIB.
    pub(crate) fn new() -> Self {
        let mut terms = Terms::new();
        let scope = Scope::new(&mut terms);
        Self { terms, scope }
    }

    /// The scope of VMT-LIB, which has everything of SMT-LIB and the temporal operators.
    pub(crate) fn vmt() -> Self {
        let mut terms = Terms::new();
        let scope = Scope::vmt(&mut terms);
        Self { terms, scope }
    }

    /// A script that must be right.
    pub(crate) fn script(&mut self, text: &str) -> Vec<Command> {
        let (commands, errors) = self.read(text);
        assert!(errors.is_empty(), "{}", shown(text, &errors).join("\n"));
        commands
    }

    /// A script, with all that is wrong with it.
    pub(crate) fn read(&mut self, text: &str) -> (Vec<Command>, Vec<Diagnostic>) {
        let (mut commands, mut errors) = (Vec::new(), Vec::new());
        let text = Text::new(text, 0);
        smt::script::read(&mut self.terms, &mut self.scope, text, &mut errors, |_, command, _, _| {
            commands.push(command);
        });
        (commands, errors)
    }

    /// A term, with all that is wrong with it.
    pub(crate) fn term(&mut self, text: &str) -> Result<TermId, Vec<Diagnostic>> {
        let (mut tree, mut errors) = (Tree::new(), Vec::new());
        let source = Text::new(text, 0);
        if !Reader::new(source).read(&mut tree, &mut errors) || !errors.is_empty() {
            return Err(errors);
        }
        let term = Parser::new(&mut self.terms, &mut self.scope, source, &tree, &mut errors).term(0);
        if errors.is_empty() { Ok(term) } else { Err(errors) }
    }

    /// A term that must be right.
    pub(crate) fn good(&mut self, text: &str) -> TermId {
        self.term(text).unwrap_or_else(|errors| panic!("{text}\n{}", shown(text, &errors).join("\n")))
    }

    /// The law: what is printed is read back to the same term. Gives the printed text.
    pub(crate) fn law(&mut self, term: TermId) -> String {
        let printed = term_text(&self.terms, term);
        let again = self.good(&printed);
        assert_eq!(again, term, "printed as {printed}\nread again as {}", term_text(&self.terms, again));
        printed
    }

    /// The law for every term of a command. The body of a definition is closed by a `lambda` first.
    pub(crate) fn command_law(&mut self, command: &Command) {
        let mut roots = Vec::new();
        match command {
            Command::Assert(term) => roots.push(*term),
            Command::Solver(_, terms) => roots.extend_from_slice(terms),
            Command::DefineFun(fun) => roots.extend(self.closed(*fun)),
            Command::DefineFunsRec(funs) => roots.extend(funs.iter().filter_map(|&fun| self.closed(fun))),
            _ => {}
        }
        for root in roots {
            self.law(root);
        }
    }

    fn closed(&mut self, fun: smt::term::FunId) -> Option<TermId> {
        let (params, body) = self.terms.definition(fun)?;
        let params = params.to_vec();
        if params.is_empty() { Some(body) } else { self.terms.bind(Op::Lambda, &params, body).ok() }
    }
}

/// Diagnostics as `line:column CODE message`, with their help if they have one.
pub(crate) fn shown(text: &str, errors: &[Diagnostic]) -> Vec<String> {
    let mut sources = SourceMap::default();
    sources.add("input", text.to_string()).expect("test inputs are small");
    let one = |error: &Diagnostic| {
        let place = sources.locate(error.span.start);
        let help = error.help.as_ref().map(|help| format!(" [{help}]")).unwrap_or_default();
        format!("{}:{} {} {}{help}", place.line, place.column, error.code, error.message)
    };
    errors.iter().map(one).collect()
}
