//! Modules and their sections.

use super::ast::{Base, Domain, File, Module, Node, Role, Section, TypeText, When};
use super::lex::{Lexer, Token};
use diag::{Diagnostic, Span, codes};

/// Words that begin a section.
const SECTIONS: &[&str] = &[
    "ASSIGN",
    "COMPASSION",
    "COMPUTE",
    "CONSTANTS",
    "CTLSPEC",
    "DEFINE",
    "FAIRNESS",
    "FROZENVAR",
    "FUN",
    "INIT",
    "INVAR",
    "INVARSPEC",
    "ISA",
    "IVAR",
    "JUSTICE",
    "LTLSPEC",
    "MIRROR",
    "MODULE",
    "PARSYNTH",
    "PRED",
    "PSLSPEC",
    "SPEC",
    "TRANS",
    "URGENT",
    "VAR",
];

/// True for a word that begins a section.
pub(super) fn is_section(word: &str) -> bool {
    SECTIONS.contains(&word)
}

/// After so many problems the rest is not looked at.
const MANY: usize = 50;

/// Reads a file.
pub(super) struct Parser<'a> {
    text: &'a str,
    base: u32,
    lexer: Lexer<'a>,
    pub(super) token: Token,
    pub(super) span: Span,
    pub(super) file: File,
    pub(super) errors: Vec<Diagnostic>,
    /// Set inside of temporal specifications.
    pub(super) temporal: bool,
    /// Set inside of specifications about branching time.
    pub(super) branching: bool,
}

/// The file that a text is, and what is wrong with it.
pub(super) fn parse(text: &str, base: u32) -> (File, Vec<Diagnostic>) {
    let mut errors = Vec::new();
    let mut lexer = Lexer::new(text, base);
    let (token, span) = lexer.next(&mut errors);
    let (file, temporal, branching) = (File::default(), false, false);
    let mut parser = Parser { text, base, lexer, token, span, file, errors, temporal, branching };
    parser.modules();
    (parser.file, parser.errors)
}

impl<'a> Parser<'a> {
    pub(super) fn advance(&mut self) {
        (self.token, self.span) = self.lexer.next(&mut self.errors);
    }

    /// The token after this one.
    pub(super) fn peek(&self) -> Token {
        self.lexer.clone().next(&mut Vec::new()).0
    }

    pub(super) fn text_of(&self, span: Span) -> &'a str {
        &self.text[(span.start - self.base) as usize..(span.end - self.base) as usize]
    }

    /// The text of the token.
    pub(super) fn word(&self) -> &'a str {
        self.text_of(self.span)
    }

    pub(super) fn expected(&mut self, what: &str) {
        let found: String = self.word().chars().take(40).collect();
        let found = if found.is_empty() { "the end of the file".to_owned() } else { format!("`{found}`") };
        self.errors.push(Diagnostic::new(
            codes::SMV001,
            self.span,
            format!("expected {what}, found {found}"),
        ));
    }

    pub(super) fn unsupported(&mut self, what: &str) {
        self.errors.push(Diagnostic::new(codes::SMV003, self.span, format!("{what} is not supported")));
    }

    /// Takes a mark, or reports that it is not there.
    pub(super) fn take(&mut self, mark: &'static str) -> Option<()> {
        if self.token != Token::Mark(mark) {
            self.expected(&format!("`{mark}`"));
            return None;
        }
        self.advance();
        Some(())
    }

    fn take_if(&mut self, mark: &'static str) -> bool {
        let found = self.token == Token::Mark(mark);
        if found {
            self.advance();
        }
        found
    }

    fn is_word(&self, word: &str) -> bool {
        self.token == Token::Word && self.word() == word
    }

    /// A name, which may have dots in it.
    fn name(&mut self) -> Option<Span> {
        if !matches!(self.token, Token::Word | Token::Quoted) || is_section(self.word()) {
            self.expected("a name");
            return None;
        }
        let mut span = self.span;
        self.advance();
        while self.token == Token::Mark(".") {
            self.advance();
            span = Span::new(span.start, self.span.end);
            if !matches!(self.token, Token::Word | Token::Quoted | Token::Literal) {
                self.expected("a name");
                return None;
            }
            self.advance();
        }
        Some(span)
    }

    fn modules(&mut self) {
        while self.token != Token::End && self.errors.len() < MANY {
            if self.token == Token::Mark("@") {
                self.unsupported("a statement about the whole file, like `@TIME_DOMAIN`,");
                return;
            }
            if !self.is_word("MODULE") {
                self.expected("`MODULE`");
                self.recover(true);
                continue;
            }
            self.advance();
            if self.module().is_none() {
                self.recover(true);
            }
        }
    }

    /// Goes to the next section, or the next module.
    fn recover(&mut self, module: bool) {
        while self.token != Token::End {
            if self.token == Token::Word && is_section(self.word()) && (!module || self.word() == "MODULE") {
                return;
            }
            self.advance();
        }
    }

    fn module(&mut self) -> Option<()> {
        let name = self.name()?;
        let mut params = Vec::new();
        if self.take_if("(") && !self.take_if(")") {
            loop {
                params.push(self.name()?);
                if !self.take_if(",") {
                    break;
                }
            }
            self.take(")")?;
        }
        self.file.modules.push(Module { name, params, items: Vec::new() });
        while self.token != Token::End && !self.is_word("MODULE") && self.errors.len() < MANY {
            if self.section().is_none() {
                (self.temporal, self.branching) = (false, false);
                // Go on after the word at which the problem is, unless that is a section of its own.
                self.recover(false);
            }
        }
        Some(())
    }

    fn push(&mut self, section: Section) {
        if let Some(module) = self.file.modules.last_mut() {
            module.items.push(section);
        }
    }

    /// True while something other than a section comes.
    fn goes_on(&self) -> bool {
        match self.token {
            Token::Word => !is_section(self.word()),
            Token::Quoted => true,
            Token::End => false,
            Token::Mark(_) | Token::Literal => true,
        }
    }

    fn section(&mut self) -> Option<()> {
        let word = if self.token == Token::Word { self.word() } else { "" };
        match word {
            "VAR" | "IVAR" | "FROZENVAR" => {
                self.advance();
                let role = match word {
                    "VAR" => Role::State,
                    "IVAR" => Role::Input,
                    _ => Role::Frozen,
                };
                while self.goes_on() {
                    let name = self.name()?;
                    self.take(":")?;
                    let sort = self.type_text()?;
                    self.semicolon()?;
                    self.push(Section::Var(role, name, sort));
                }
            }
            "DEFINE" => {
                self.advance();
                while self.goes_on() {
                    let name = self.name()?;
                    self.take(":=")?;
                    let body = self.expression()?;
                    self.semicolon()?;
                    self.push(Section::Define(name, body));
                }
            }
            "FUN" => {
                self.advance();
                while self.goes_on() {
                    self.function()?;
                }
            }
            "CONSTANTS" => {
                self.advance();
                let mut names = Vec::new();
                loop {
                    names.push(self.expression()?);
                    if !self.take_if(",") {
                        break;
                    }
                }
                self.semicolon()?;
                self.push(Section::Constants(names));
            }
            "ISA" => {
                self.advance();
                let name = self.name()?;
                self.take_if(";");
                self.push(Section::Inherit(name));
            }
            "ASSIGN" => {
                self.advance();
                while self.goes_on() {
                    self.assignment()?;
                }
            }
            "INIT" | "INVAR" | "TRANS" | "JUSTICE" | "FAIRNESS" => {
                self.advance();
                let formula = self.expression()?;
                self.take_if(";");
                self.push(match word {
                    "INIT" => Section::Init(formula),
                    "INVAR" => Section::Invar(formula),
                    "TRANS" => Section::Trans(formula),
                    _ => Section::Justice(formula),
                });
            }
            "COMPASSION" => {
                self.advance();
                self.take("(")?;
                let first = self.expression()?;
                self.take(",")?;
                let second = self.expression()?;
                self.take(")")?;
                self.take_if(";");
                self.push(Section::Compassion(first, second));
            }
            "INVARSPEC" | "LTLSPEC" | "CTLSPEC" | "SPEC" => self.specification(word)?,
            "" => {
                self.expected("a section");
                self.advance();
                return None;
            }
            word if is_section(word) => {
                self.unsupported(&format!("`{word}`"));
                self.advance();
                return None;
            }
            _ => {
                self.expected("a section");
                self.advance();
                return None;
            }
        }
        Some(())
    }

    /// The end of an item; the last one of a section may do without a semicolon.
    fn semicolon(&mut self) -> Option<()> {
        if self.take_if(";") || !self.goes_on() { Some(()) } else { self.take(";") }
    }

    fn specification(&mut self, word: &str) -> Option<()> {
        self.advance();
        let mut name = None;
        if self.is_word("NAME") {
            self.advance();
            name = Some(self.name()?);
            self.take(":=")?;
        }
        self.temporal = word == "LTLSPEC";
        self.branching = matches!(word, "CTLSPEC" | "SPEC");
        let formula = self.expression();
        (self.temporal, self.branching) = (false, false);
        let formula = formula?;
        self.take_if(";");
        self.push(match word {
            "INVARSPEC" => Section::InvarSpec(name, formula),
            "LTLSPEC" => Section::LtlSpec(name, formula),
            _ => Section::CtlSpec(name, formula),
        });
        Some(())
    }

    /// `init(x) := …;`, `next(x) := …;`, `x := …;`.
    fn assignment(&mut self) -> Option<()> {
        let when = match (self.token, self.word(), self.peek()) {
            (Token::Word, "init", Token::Mark("(")) => When::Init,
            (Token::Word, "next", Token::Mark("(")) => When::Next,
            _ => When::Always,
        };
        if when != When::Always {
            self.advance();
            self.take("(")?;
        }
        let target = self.expression()?;
        if when != When::Always {
            self.take(")")?;
        }
        self.take(":=")?;
        let value = self.expression()?;
        self.semicolon()?;
        self.push(Section::Assign(when, target, value));
        Some(())
    }

    /// `f : T * T -> T;`.
    fn function(&mut self) -> Option<()> {
        let name = self.name()?;
        self.take(":")?;
        let mut params = vec![self.type_text()?];
        while self.take_if("*") {
            params.push(self.type_text()?);
        }
        let result = if self.take_if("->") { self.type_text()? } else { params.pop()? };
        self.semicolon()?;
        self.push(Section::Function(name, params, result));
        Some(())
    }

    /// A type.
    pub(super) fn type_text(&mut self) -> Option<TypeText> {
        let (span, mut arrays) = (self.span, Vec::new());
        while self.is_word("array") {
            self.advance();
            let signed = self.is_word("signed") || self.is_word("unsigned");
            if signed {
                self.advance();
            }
            if self.is_word("integer") {
                self.advance();
                arrays.push(Domain::Integer);
            } else if self.is_word("word") {
                self.advance();
                arrays.push(Domain::Word(self.width()?));
            } else {
                let (low, high) = self.range()?;
                arrays.push(Domain::Range(low, high));
            }
            if !self.is_word("of") {
                self.expected("`of`");
                return None;
            }
            self.advance();
        }
        let base = self.base_type()?;
        Some(TypeText { arrays, base, span })
    }

    fn width(&mut self) -> Option<Node> {
        self.take("[")?;
        let width = self.expression()?;
        self.take("]")?;
        Some(width)
    }

    fn range(&mut self) -> Option<(Node, Node)> {
        let whole = self.expression()?;
        match (self.file.tree.kind(whole), self.file.tree.children(whole)) {
            (super::ast::Kind::Infix(".."), &[low, high]) => Some((low, high)),
            _ => {
                self.expected("a type");
                None
            }
        }
    }

    fn base_type(&mut self) -> Option<Base> {
        let word = if self.token == Token::Word { self.word() } else { "" };
        match word {
            "boolean" => self.advance(),
            "integer" => self.advance(),
            "real" => self.advance(),
            "clock" => self.advance(),
            "process" => {
                let span = self.span;
                self.advance();
                let Base::Module(name, args, _) = self.other_type()? else {
                    let message = "a process is an instance of a module";
                    self.errors.push(Diagnostic::new(codes::SMV001, span, message));
                    return None;
                };
                return Some(Base::Module(name, args, true));
            }
            "signed" | "unsigned" | "word" => {
                self.advance();
                if word != "word" {
                    if !self.is_word("word") {
                        self.expected("`word`");
                        return None;
                    }
                    self.advance();
                }
                return Some(Base::Word(word == "signed", self.width()?));
            }
            _ => return self.other_type(),
        }
        Some(match word {
            "boolean" => Base::Boolean,
            "integer" => Base::Integer,
            "real" => Base::Real,
            _ => Base::Clock,
        })
    }

    /// A range, an enumeration, or an instance of a module.
    fn other_type(&mut self) -> Option<Base> {
        let whole = self.expression()?;
        let tree = &self.file.tree;
        match (tree.kind(whole), tree.children(whole)) {
            (super::ast::Kind::Infix(".."), &[low, high]) => Some(Base::Range(low, high)),
            (super::ast::Kind::Set, items) => Some(Base::Enumeration(items.to_vec())),
            (super::ast::Kind::Name, _) => Some(Base::Module(tree.span(whole), Vec::new(), false)),
            (super::ast::Kind::Call, [name, args @ ..]) => {
                Some(Base::Module(tree.span(*name), args.to_vec(), false))
            }
            _ => {
                self.expected("a type");
                None
            }
        }
    }
}
