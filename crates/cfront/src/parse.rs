//! The parser. C cannot be parsed without knowing what names stand for, and sizes of arrays need types and values, so
//! parsing, resolving names and typing are one walk: the grammar is here, the rules of the language are in `sema`.
//!
//! Expressions and statements, which programs nest as deeply as they like, are parsed with explicit stacks. What nests in
//! other ways (declarators, members, braces of initialisers, statement expressions, type names) is parsed by
//! recursion with a limit, [`MAX_NESTING`].
//!
//! A syntax error ends the statement or declaration that it is in; parsing goes on after it.

mod attr;
mod declarator;
mod expr;
mod init;
mod primary;
mod record;
mod specs;
mod stmt;
mod top;

pub(crate) use attr::Attrs;
pub(crate) use declarator::{Declared, Param};
pub(crate) use specs::Specs;

use crate::ast::{EntityId, EntityKind, FunctionId, LabelId, Unit};
use crate::lex::lex;
use crate::lines::Packs;
use crate::model::DataModel;
use crate::scope::Scopes;
use crate::token::{T, Token};
use crate::types::{Ty, Types};
use base::id::IdVec;
use base::intern::SymbolId;
use diag::{Code, Diagnostic, Span, codes};
use rustc_hash::{FxHashMap, FxHashSet};

/// How deep declarators, members, braces of initialisers, statement expressions and type names may be nested.
pub const MAX_NESTING: u32 = 100;

/// More findings than this are not kept: nobody reads them.
const MAX_FINDINGS: usize = 200;

/// What is read with an error leads to this; the error was reported.
pub(crate) struct Bail;

pub(crate) type P<T> = Result<T, Bail>;

/// What the parser knows about the function that it is in.
pub(crate) struct FunctionContext {
    pub(crate) function: FunctionId,
    pub(crate) result: Ty,
    /// All labels.
    pub(crate) labels: Vec<LabelId>,
    /// Labels of the whole function.
    pub(crate) named_labels: FxHashMap<SymbolId, LabelId>,
    /// Labels of blocks: `__label__`.
    pub(crate) local_labels: Vec<(SymbolId, LabelId)>,
    /// How many loops are open, and how many loops and switches.
    pub(crate) loops: u32,
    pub(crate) breakable: u32,
    /// Switches that are open.
    pub(crate) switches: Vec<crate::sema::Switch>,
}

pub(crate) struct Parser<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) base: u32,
    pub(crate) at: usize,
    pub(crate) unit: Unit,
    pub(crate) scopes: Scopes,
    pub(crate) packs: Packs,
    /// Entities with linkage, wherever they are declared.
    pub(crate) linked: FxHashMap<SymbolId, EntityId>,
    pub(crate) functions: Vec<FunctionContext>,
    depth: u32,
    last_error: usize,
    pub(crate) frames: Vec<expr::Frame>,
    /// For each bracket that is open, how loosely operators inside may bind.
    open: Vec<u8>,
    pub(crate) arguments: Vec<crate::ast::ExprId>,
    /// Statements that wait for a part, and finished ones of blocks that are open.
    pending: Vec<stmt::Pending>,
    done: Vec<crate::ast::StmtId>,
    defined_labels: FxHashSet<LabelId>,
}

/// Parses and types a translation unit. The first byte of the text has the address `base`.
///
/// The result is as complete as the text allows; [`Unit::findings`] says what is wrong with it.
#[must_use]
pub fn parse(text: &[u8], base: u32, model: DataModel) -> Unit {
    let lexed = lex(text, base);
    let symbols = lexed.names.len();
    let unit = Unit {
        items: Vec::new(),
        exprs: IdVec::new(),
        lists: Vec::new(),
        values: Vec::new(),
        strings: Vec::new(),
        stmts: IdVec::new(),
        stmt_lists: Vec::new(),
        fors: Vec::new(),
        asms: Vec::new(),
        decls: IdVec::new(),
        decl_lists: Vec::new(),
        entities: IdVec::new(),
        inits: IdVec::new(),
        init_items: Vec::new(),
        functions: IdVec::new(),
        labels: IdVec::new(),
        types: Types::new(model),
        names: lexed.names,
        lines: lexed.lines,
        tokens: lexed.tokens,
        findings: lexed.findings,
    };
    let mut parser = Parser {
        text,
        base,
        at: 0,
        unit,
        scopes: Scopes::new(symbols),
        packs: lexed.packs,
        linked: FxHashMap::default(),
        functions: Vec::new(),
        depth: 0,
        last_error: usize::MAX,
        frames: Vec::new(),
        open: Vec::new(),
        arguments: Vec::new(),
        pending: Vec::new(),
        done: Vec::new(),
        defined_labels: FxHashSet::default(),
    };
    parser.translation_unit();
    parser.unit.findings.sort_by_key(|f| (f.span.start, f.span.end, f.code));
    parser.unit
}

impl Parser<'_> {
    pub(crate) fn token(&self) -> Token {
        self.unit.tokens[self.at]
    }

    pub(crate) fn kind(&self) -> T {
        self.unit.tokens[self.at].kind
    }

    pub(crate) fn ahead(&self, n: usize) -> T {
        self.unit.tokens.get(self.at + n).map_or(T::Eof, |token| token.kind)
    }

    pub(crate) fn span(&self) -> Span {
        self.unit.tokens[self.at].span
    }

    /// The place of the token before the current one.
    pub(crate) fn last_span(&self) -> Span {
        self.unit.tokens[self.at.saturating_sub(1)].span
    }

    /// From a place to the end of the token before the current one.
    pub(crate) fn since(&self, start: Span) -> Span {
        start.to(self.last_span())
    }

    /// Takes a token; the end of the input stays.
    pub(crate) fn next(&mut self) -> Token {
        let token = self.unit.tokens[self.at];
        if token.kind != T::Eof {
            self.at += 1;
        }
        token
    }

    pub(crate) fn accept(&mut self, kind: T) -> bool {
        let found = self.kind() == kind;
        if found {
            self.next();
        }
        found
    }

    pub(crate) fn expect(&mut self, kind: T) -> P<Token> {
        if self.kind() == kind {
            Ok(self.next())
        } else {
            Err(self.unexpected(&format!("`{}`", kind.text())))
        }
    }

    pub(crate) fn slice(&self, span: Span) -> &[u8] {
        let (start, end) = ((span.start - self.base) as usize, (span.end - self.base) as usize);
        self.text.get(start..end).unwrap_or(&[])
    }

    /// Reports that something else was expected at the current token.
    pub(crate) fn unexpected(&mut self, what: &str) -> Bail {
        // After an error, another one at the same place says nothing new.
        if self.last_error != self.at {
            self.last_error = self.at;
            let token = self.token();
            let found = match token.kind {
                T::Eof => T::Eof.text().to_owned(),
                _ => format!("`{}`", String::from_utf8_lossy(self.slice(token.span))),
            };
            // What is missing is missing after the last token, which may be lines before this one.
            self.error(codes::C002, token.span, format!("expected {what}, found {found}"));
        }
        Bail
    }

    pub(crate) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::new(code, span, message));
    }

    pub(crate) fn report(&mut self, finding: Diagnostic) {
        if self.unit.findings.len() < MAX_FINDINGS {
            self.unit.findings.push(finding);
        } else if finding.is_error() && !self.unit.is_bad() {
            // Warnings do not hide that there is an error.
            self.unit.findings.pop();
            self.unit.findings.push(finding);
        }
    }

    /// Goes one level deeper, unless that is too deep.
    pub(crate) fn nested<R>(&mut self, body: impl FnOnce(&mut Self) -> P<R>) -> P<R> {
        if self.depth >= MAX_NESTING {
            if self.last_error != self.at {
                self.last_error = self.at;
                let message = format!("nested more than {MAX_NESTING} levels deep");
                self.error(codes::C004, self.span(), message);
            }
            return Err(Bail);
        }
        self.depth += 1;
        let result = body(self);
        self.depth -= 1;
        result
    }

    /// The typedef that a name stands for.
    pub(crate) fn typedef(&self, token: Token) -> Option<Ty> {
        if token.kind != T::Ident {
            return None;
        }
        let entity = &self.unit.entities[self.scopes.ordinary.get(token.name)?];
        (entity.kind == EntityKind::Typedef).then_some(entity.ty)
    }

    /// True when the token at a distance begins a type name.
    pub(crate) fn starts_type(&self, mut ahead: usize) -> bool {
        while self.ahead(ahead) == T::Extension {
            ahead += 1;
        }
        let Some(&token) = self.unit.tokens.get(self.at + ahead) else { return false };
        match token.kind {
            T::Ident => self.typedef(token).is_some(),
            kind => specs::is_type_word(kind),
        }
    }

    /// True when the current token begins a declaration.
    pub(crate) fn starts_declaration(&self) -> bool {
        let mut ahead = 0;
        while self.ahead(ahead) == T::Extension {
            ahead += 1;
        }
        let Some(&token) = self.unit.tokens.get(self.at + ahead) else { return false };
        match token.kind {
            T::Ident => self.typedef(token).is_some() && self.ahead(ahead + 1) != T::Colon,
            T::StaticAssert | T::AutoType => true,
            kind => specs::is_type_word(kind) || specs::is_storage_word(kind),
        }
    }

    /// Skips to the end of a broken statement or declaration: after a semicolon, or before a brace that closes.
    pub(crate) fn skip_broken(&mut self) {
        let mut depth = 0u32;
        loop {
            match self.kind() {
                T::Eof => return,
                T::Semi if depth == 0 => {
                    self.next();
                    return;
                }
                T::LBrace => depth += 1,
                T::RBrace if depth == 0 => return,
                T::RBrace => {
                    depth -= 1;
                    if depth == 0 {
                        self.next();
                        self.accept(T::Semi);
                        return;
                    }
                }
                _ => {}
            }
            self.next();
        }
    }

    /// Skips a group in parentheses, the current token being the one that opens it.
    pub(crate) fn skip_parens(&mut self) -> P<()> {
        self.expect(T::LParen)?;
        let mut depth = 1u32;
        while depth > 0 {
            match self.kind() {
                T::LParen => depth += 1,
                T::RParen => depth -= 1,
                T::Eof => return Err(self.unexpected("`)`")),
                _ => {}
            }
            self.next();
        }
        Ok(())
    }

    /// A type as messages show it.
    pub(crate) fn shown(&self, ty: Ty) -> String {
        format!("`{}`", self.unit.types.text(&self.unit.names, ty))
    }

    pub(crate) fn name_text(&self, name: SymbolId) -> &str {
        self.unit.names.text(name)
    }
}
