//! Reads a specification. An error ends the item that it is in; reading goes on with the next one.

use super::ast::{
    Annotation, Automaton, Choice, Pat, PatId, Per, Side, Spec, State, StateId, Transition, Var,
};
use base::id::{Id, IdVec};
use cfront::Words;
use cfront::token::{T, Token};
use diag::{Code, Diagnostic, Span, closest, codes};

/// A specification as far as it could be read, and what is wrong with it.
#[derive(Clone, Debug)]
pub struct Read {
    /// The specification.
    pub spec: Spec,
    /// What was noticed, by place.
    pub findings: Vec<Diagnostic>,
}

/// What could not be read was reported.
pub(super) struct Bail;

pub(super) type P<X> = Result<X, Bail>;

/// A transition's target is a name until all states are known.
pub(super) struct Goal {
    pub(super) name: String,
    pub(super) span: Span,
}

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    base: u32,
    pub(super) words: Words,
    pub(super) at: usize,
    pub(super) findings: Vec<Diagnostic>,
    pub(super) options: Vec<Choice>,
    pub(super) pats: IdVec<PatId, Pat>,
    /// Names of what the current transition captures.
    pub(super) captures: Vec<String>,
    /// Variables of the current automaton.
    pub(super) vars: Vec<Var>,
    pub(super) side: Side,
}

/// Reads a specification whose first byte has the address `base`.
#[must_use]
pub fn parse(text: &str, base: u32) -> Read {
    let mut words = cfront::words(text, base);
    let findings = std::mem::take(&mut words.findings);
    let mut parser = Parser {
        text,
        base,
        words,
        at: 0,
        findings,
        options: Vec::new(),
        pats: IdVec::new(),
        captures: Vec::new(),
        vars: Vec::new(),
        side: Side::Before,
    };
    let mut spec = Spec::default();
    while parser.kind() != T::Eof {
        let start = parser.at;
        if parser.item(&mut spec).is_err() {
            parser.recover(start, true);
        }
    }
    spec.options = parser.options.clone();
    if spec.automata.is_empty() && parser.findings.is_empty() {
        let _ = parser.fail::<()>(codes::I004, parser.span(), "there is no automaton");
    }
    parser.findings.sort_by_key(|finding| finding.span);
    Read { spec, findings: parser.findings }
}

impl Parser<'_> {
    pub(super) fn token(&self) -> Token {
        self.words.tokens[self.at]
    }

    pub(super) fn kind(&self) -> T {
        self.token().kind
    }

    pub(super) fn span(&self) -> Span {
        self.token().span
    }

    pub(super) fn next(&mut self) -> Token {
        let token = self.token();
        self.at += usize::from(token.kind != T::Eof);
        token
    }

    /// The text at a place of the file.
    pub(super) fn slice(&self, span: Span) -> &str {
        let range = (span.start - self.base) as usize..(span.end - self.base) as usize;
        self.text.get(range).unwrap_or_default()
    }

    /// The current token as it is written.
    pub(super) fn word(&self) -> &str {
        self.slice(self.span())
    }

    pub(super) fn fail<X>(&mut self, code: Code, span: Span, message: impl Into<String>) -> P<X> {
        self.findings.push(Diagnostic::new(code, span, message));
        Err(Bail)
    }

    pub(super) fn expected<X>(&mut self, what: &str) -> P<X> {
        let found = match self.kind() {
            T::Eof => "the end of the file".to_owned(),
            _ => format!("`{}`", self.word()),
        };
        let span = self.span();
        self.fail(codes::I001, span, format!("expected {what}, found {found}"))
    }

    pub(super) fn eat(&mut self, kind: T) -> bool {
        let is_it = self.kind() == kind;
        if is_it {
            self.next();
        }
        is_it
    }

    pub(super) fn expect(&mut self, kind: T) -> P<()> {
        if self.eat(kind) { Ok(()) } else { self.expected(&format!("`{}`", kind.text())) }
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let is_it = self.word() == word;
        self.at += usize::from(is_it);
        is_it
    }

    /// A name; words that C reserves are names here, too.
    pub(super) fn name(&mut self, what: &str) -> P<(String, Span)> {
        let (span, word) = (self.span(), self.word().to_owned());
        let is_name = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !is_name || matches!(self.kind(), T::Str | T::Char) {
            return self.expected(what);
        }
        self.at += 1;
        Ok((word, span))
    }

    fn string(&mut self) -> P<String> {
        if self.kind() != T::Str {
            return self.expected("a string");
        }
        let token = self.next();
        Ok(self.slice(token.span).trim_matches('"').to_owned())
    }

    /// Goes on behind the item that begins here and has an error: behind its semicolon or, if that ends an item, its braces.
    fn recover(&mut self, start: usize, ends_with_braces: bool) {
        self.at = start;
        let mut depth = 0usize;
        loop {
            match self.kind() {
                T::Eof => return,
                T::LBrace => depth += 1,
                T::RBrace if depth == 0 && !ends_with_braces => return,
                T::RBrace => depth = depth.saturating_sub(1),
                _ => {}
            }
            let kind = self.next().kind;
            if depth == 0 && (kind == T::Semi || kind == T::RBrace && ends_with_braces) {
                return;
            }
        }
    }

    fn item(&mut self, spec: &mut Spec) -> P<()> {
        let (word, span) = self.name("`summary`, `option`, `keep`, `c` or `automaton`")?;
        match word.as_str() {
            "summary" => {
                spec.summary = self.string()?;
                self.expect(T::Semi)
            }
            "option" => {
                let (name, span) = self.name("the name of an option")?;
                self.expect(T::Assign)?;
                let is_on = self.switch()?;
                let summary = self.string()?;
                if self.options.iter().any(|option| option.name == name) {
                    return self.fail(codes::I003, span, format!("the option `{name}` is there already"));
                }
                self.options.push(Choice { name, is_on, summary });
                self.expect(T::Semi)
            }
            "keep" => {
                if !self.eat_word("errors") {
                    return self.expected("`errors`");
                }
                spec.keeps_errors = true;
                self.expect(T::Semi)
            }
            "c" => {
                let text = self.block()?;
                spec.c.push(self.slice(text).trim().to_owned());
                Ok(())
            }
            "automaton" => {
                let automaton = self.automaton()?;
                if spec.automata.iter().any(|other| other.name == automaton.name) {
                    let message = format!("the automaton `{}` is there already", automaton.name);
                    return self.fail(codes::I003, span, message);
                }
                spec.automata.push(automaton);
                Ok(())
            }
            _ => {
                self.at -= 1;
                self.expected("`summary`, `option`, `keep`, `c` or `automaton`")
            }
        }
    }

    fn switch(&mut self) -> P<bool> {
        match () {
            () if self.eat_word("on") => Ok(true),
            () if self.eat_word("off") => Ok(false),
            () => self.expected("`on` or `off`"),
        }
    }

    /// The text between braces.
    pub(super) fn block(&mut self) -> P<Span> {
        let start = self.span();
        self.expect(T::LBrace)?;
        let mut depth = 1;
        loop {
            let token = self.next();
            match token.kind {
                T::Eof => return self.fail(codes::I001, start, "this brace is never closed"),
                T::LBrace => depth += 1,
                T::RBrace => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(Span::new(start.end, token.span.start));
            }
        }
    }

    fn automaton(&mut self) -> P<Automaton> {
        let (name, span) = self.name("the automaton's name")?;
        self.pats = IdVec::new();
        self.vars = Vec::new();
        self.captures = Vec::new();
        let per = if self.eat_word("per") { self.per()? } else { Per::Program };
        self.expect(T::LBrace)?;
        let mut states = Vec::new();
        let mut initial = Vec::new();
        let mut transitions = Vec::new();
        while !self.eat(T::RBrace) {
            let is_local = self.eat_word("local");
            if is_local && matches!(per, Per::Program) {
                return self.fail(
                    codes::I005,
                    self.words.tokens[self.at - 1].span,
                    "the program is no function: variables are not local",
                );
            }
            if self.eat_word("var") {
                self.var(is_local)?;
                continue;
            }
            let is_initial = self.eat_word("initial");
            if !self.eat_word("state") {
                return self.expected("`var`, `state` or `initial state`");
            }
            let (name, span) = self.name("the state's name")?;
            let annotation = if self.eat(T::Colon) { self.annotation()? } else { Annotation::True };
            if states.iter().any(|state: &State| state.name == name) {
                return self.fail(codes::I003, span, format!("the state `{name}` is there already"));
            }
            let id = StateId::from_index(states.len());
            states.push(State { name, annotation });
            initial.extend(is_initial.then_some(id));
            self.expect(T::LBrace)?;
            while !self.eat(T::RBrace) {
                let start = self.at;
                match self.transition(id) {
                    Ok(transition) => transitions.push(transition),
                    Err(Bail) if self.kind() == T::Eof => return Err(Bail),
                    Err(Bail) => self.recover(start, false),
                }
            }
        }
        let [initial] = initial[..] else {
            let message = format!("`{name}` has {} initial states, not one", initial.len());
            return self.fail(codes::I004, span, message);
        };
        let transitions = self.resolved(transitions, &states)?;
        let (vars, pats) = (std::mem::take(&mut self.vars), std::mem::take(&mut self.pats));
        Ok(Automaton { name, per, vars, states, initial, transitions, pats })
    }

    fn resolved(
        &mut self,
        transitions: Vec<(Transition, Option<Goal>)>,
        states: &[State],
    ) -> P<Vec<Transition>> {
        let mut out = Vec::new();
        for (mut transition, goal) in transitions {
            if let Some(goal) = goal {
                let Some(index) = states.iter().position(|state| state.name == goal.name) else {
                    let names = states.iter().map(|state| state.name.as_str());
                    return self.unknown("state", &goal.name, goal.span, names);
                };
                transition.to = StateId::from_index(index);
            }
            out.push(transition);
        }
        Ok(out)
    }

    /// An error about a name that does not exist.
    pub(super) fn unknown<'n, X>(
        &mut self,
        what: &str,
        name: &str,
        span: Span,
        known: impl IntoIterator<Item = &'n str>,
    ) -> P<X> {
        let help = closest(name, known).map(|known| format!("did you mean `{known}`?"));
        let message = format!("there is no {what} `{name}`");
        self.findings.push(Diagnostic::new(codes::I002, span, message).help_opt(help));
        Err(Bail)
    }

    fn per(&mut self) -> P<Per> {
        let (word, span) = self.name("what there is one automaton for")?;
        match word.as_str() {
            "program" => Ok(Per::Program),
            "loop" => Ok(Per::Loop),
            "function" => Ok(Per::Function),
            "recursion" => Ok(Per::Recursion),
            "call" => {
                let pat = self.expr_pattern()?;
                if !matches!(self.pats[pat], Pat::Call(..)) {
                    return self.fail(codes::I005, span, "this pattern is no call");
                }
                Ok(Per::Call(pat, self.captures.len()))
            }
            _ => {
                let known = ["program", "loop", "function", "recursion", "call"];
                self.unknown("kind of place", &word, span, known)
            }
        }
    }

    fn annotation(&mut self) -> P<Annotation> {
        const ALL: [(&str, Annotation); 6] = [
            ("true", Annotation::True),
            ("false", Annotation::False),
            ("loop_head", Annotation::LoopHead),
            ("init", Annotation::Init),
            ("function_head", Annotation::FunctionHead),
            ("exit", Annotation::Exit),
        ];
        let (word, span) = self.name("a location predicate")?;
        match ALL.iter().find(|(name, _)| *name == word) {
            Some((_, annotation)) => Ok(*annotation),
            None => self.unknown("location predicate", &word, span, ALL.map(|(name, _)| name)),
        }
    }

    /// `var int x[3] = { 0 };`: the name is the last one before brackets or the initialiser.
    fn var(&mut self, is_local: bool) -> P<()> {
        let start = self.span();
        let mut name: Option<Span> = None;
        while matches!(self.kind(), T::Star)
            || self.word().starts_with(|c: char| c.is_alphabetic() || c == '_')
        {
            let token = self.next();
            name = (token.kind == T::Ident).then_some(token.span).or(name);
        }
        let Some(name) = name.filter(|name| name.start > start.start) else {
            return self.expected("the declaration of a variable");
        };
        let mut depth = 0i32;
        while depth > 0 || self.kind() != T::Semi {
            match self.next().kind {
                T::Eof => return self.expected("`;`"),
                T::LBrace | T::LParen | T::LBracket => depth += 1,
                T::RBrace | T::RParen | T::RBracket => depth -= 1,
                _ => {}
            }
        }
        let end = self.next().span;
        let var = Var {
            name: self.slice(name).to_owned(),
            before: self.slice(Span::new(start.start, name.start)).to_owned(),
            after: self.slice(Span::new(name.end, end.start)).trim_end().to_owned(),
            is_local,
        };
        if self.vars.iter().any(|other| other.name == var.name) {
            return self.fail(codes::I003, name, format!("the variable `{}` is there already", var.name));
        }
        self.vars.push(var);
        Ok(())
    }

    /// The tokens in a block of text.
    pub(super) fn tokens_in(&self, block: Span) -> Vec<Token> {
        let tokens = &self.words.tokens;
        let start = tokens.partition_point(|token| token.span.start < block.start);
        let end = tokens.partition_point(|token| token.span.start < block.end);
        tokens[start..end].to_vec()
    }
}
