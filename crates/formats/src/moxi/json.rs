//! The JSON form of MoXI, as S-expressions and back.
//!
//! JSON is read into a flat list of nodes and turned into the text of commands, which is then read like any other; the places
//! of problems are found by how far the text was when a value was met. Nothing recurses.

mod parse;
mod print;

pub(super) use print::from_sexpr;

use diag::{Diagnostic, Span, codes};
use parse::{Document, Fault, Json, parse};
use smt::sexpr::is_simple_symbol;

/// The commands of a file, and where they come from.
pub(super) struct Commands {
    pub(super) text: String,
    /// How long the text was when the value at an offset of the file began.
    places: Vec<(u32, u32)>,
}

impl Commands {
    /// A problem at the place in the file that it is about.
    pub(super) fn placed(&self, mut finding: Diagnostic, base: u32) -> Diagnostic {
        let at = self.places.partition_point(|place| place.0 <= finding.span.start);
        let from = base + at.checked_sub(1).map_or(0, |at| self.places[at].1);
        finding.span = Span::new(from, from + 1);
        finding.notes.iter_mut().for_each(|note| note.span = None);
        finding.fix.clear();
        finding
    }
}

/// The commands that a file in JSON stands for.
pub(super) fn to_sexpr(text: &str, base: u32, errors: &mut Vec<Diagnostic>) -> Option<Commands> {
    let problem = |at: usize, message: &str| {
        let at = base + at.min(text.len()) as u32;
        let end = (at + 1).min(base + text.len() as u32);
        Diagnostic::new(codes::MOXI005, Span::new(at, end), message)
    };
    let document = match parse(text) {
        Ok(document) => document,
        Err((at, message)) => {
            errors.push(problem(at, message));
            return None;
        }
    };
    match commands(&document) {
        Ok(commands) => Some(commands),
        Err((at, message)) => {
            errors.push(problem(at as usize, message));
            None
        }
    }
}

/// What is left to write.
enum Piece {
    Text(&'static str),
    /// A symbol or literal.
    Word(usize),
    /// A term or sort.
    Term(usize),
    /// An identifier: a word, or one with indices, a sort or bindings.
    Head(usize),
    /// `(symbol sort)` or `(symbol term)`, by the key of the second part.
    Pair(usize, &'static str),
    /// A query or an instance of a subsystem.
    Names(usize, &'static str),
}

/// The commands of a document.
fn commands(document: &Document) -> Result<Commands, Fault> {
    // Containers come before what is in them, so the first value is the whole.
    let Some((Json::List(list), _)) = document.values.first() else {
        return Err((0, "expected a list of commands"));
    };
    let mut writer = Writer { document, text: String::new(), places: Vec::new() };
    for &command in list {
        writer.command(command)?;
        writer.text.push('\n');
    }
    Ok(Commands { text: writer.text, places: writer.places })
}

struct Writer<'a> {
    document: &'a Document,
    text: String,
    places: Vec<(u32, u32)>,
}

impl Writer<'_> {
    fn command(&mut self, command: usize) -> Result<(), Fault> {
        let document = self.document;
        let name = document.word(document.need(command, "command", "a command has the key `command`")?)?;
        self.text.push('(');
        self.text.push_str(name);
        let field = |key: &'static str| document.need(command, key, "a key of the command is missing");
        let mut pieces = vec![Piece::Text(" ")];
        match name {
            "define-system" | "check-system" => {
                pieces.push(Piece::Word(field("symbol")?));
                self.attributes(command, &mut pieces)?;
            }
            "set-logic" => pieces.push(Piece::Word(field("logic").or_else(|_| field("symbol"))?)),
            "declare-enum-sort" => {
                pieces.extend([Piece::Word(field("symbol")?), Piece::Text(" (")]);
                for &value in document.items(Some(field("values")?)) {
                    pieces.extend([Piece::Word(value), Piece::Text(" ")]);
                }
                pieces.push(Piece::Text(")"));
            }
            "declare-sort" => {
                pieces.extend([Piece::Word(field("symbol")?), Piece::Text(" "), Piece::Word(field("arity")?)])
            }
            "declare-const" => {
                pieces.extend([Piece::Word(field("symbol")?), Piece::Text(" "), Piece::Term(field("sort")?)])
            }
            "declare-fun" | "define-fun" => {
                pieces.extend([Piece::Word(field("symbol")?), Piece::Text(" (")]);
                for &input in document.items(document.field(command, "inputs")) {
                    let define = name == "define-fun";
                    pieces.push(if define { Piece::Pair(input, "sort") } else { Piece::Term(input) });
                    pieces.push(Piece::Text(" "));
                }
                pieces.extend([Piece::Text(") "), Piece::Term(field("output")?)]);
                if name == "define-fun" {
                    pieces.extend([Piece::Text(" "), Piece::Term(field("body")?)]);
                }
            }
            _ => return Err((document.values[command].1, "this command is not known in JSON")),
        }
        pieces.push(Piece::Text(")"));
        self.write(pieces)
    }

    fn attributes(&self, command: usize, pieces: &mut Vec<Piece>) -> Result<(), Fault> {
        let document = self.document;
        for (key, text) in [("input", " :input ("), ("output", " :output ("), ("local", " :local (")] {
            let Some(list) = document.field(command, key) else { continue };
            pieces.push(Piece::Text(text));
            for &var in document.items(Some(list)) {
                pieces.extend([Piece::Pair(var, "sort"), Piece::Text(" ")]);
            }
            pieces.push(Piece::Text(")"));
        }
        for (key, text) in [("init", " :init "), ("trans", " :trans "), ("inv", " :inv ")] {
            if let Some(formula) = document.field(command, key) {
                pieces.extend([Piece::Text(text), Piece::Term(formula)]);
            }
        }
        for &part in document.items(document.field(command, "subsys")) {
            pieces.extend([Piece::Text(" :subsys "), Piece::Names(part, "target")]);
        }
        let conditions = [
            ("assumption", " :assumption "),
            ("fairness", " :fairness "),
            ("reachable", " :reachable "),
            ("current", " :current "),
        ];
        for (key, text) in conditions {
            for &condition in document.items(document.field(command, key)) {
                pieces.extend([Piece::Text(text), Piece::Pair(condition, "formula")]);
            }
        }
        for &query in document.items(document.field(command, "query")) {
            pieces.extend([Piece::Text(" :query "), Piece::Names(query, "formulas")]);
        }
        for &list in document.items(document.field(command, "queries")) {
            pieces.push(Piece::Text(" :queries ("));
            for &query in document.items(Some(list)) {
                pieces.push(Piece::Names(query, "formulas"));
            }
            pieces.push(Piece::Text(")"));
        }
        Ok(())
    }

    /// Writes pieces, and what they stand for.
    fn write(&mut self, mut todo: Vec<Piece>) -> Result<(), Fault> {
        let document = self.document;
        todo.reverse();
        while let Some(piece) = todo.pop() {
            let mut next = Vec::new();
            match piece {
                Piece::Text(text) => self.text.push_str(text),
                Piece::Word(value) => {
                    self.places.push((self.text.len() as u32, document.values[value].1));
                    self.text.push_str(&symbol(document.word(value)?));
                }
                Piece::Pair(value, second) => {
                    let first = document.need(value, "symbol", "the key `symbol` is missing")?;
                    let second = document.need(value, second, "a sort or formula is missing")?;
                    next.extend([
                        Piece::Text("("),
                        Piece::Word(first),
                        Piece::Text(" "),
                        Piece::Term(second),
                        Piece::Text(")"),
                    ]);
                }
                Piece::Names(value, key) => {
                    let first = document.need(value, "symbol", "the key `symbol` is missing")?;
                    next.extend([Piece::Text("("), Piece::Word(first), Piece::Text(" (")]);
                    let mut list = document.field(value, key);
                    if key == "target" {
                        let target = document.need(value, key, "the key `target` is missing")?;
                        next.push(Piece::Word(document.need(
                            target,
                            "symbol",
                            "the key `symbol` is missing",
                        )?));
                        list = document.field(target, "arguments");
                    }
                    for &name in document.items(list) {
                        next.extend([Piece::Text(" "), Piece::Word(name)]);
                    }
                    next.push(Piece::Text("))"));
                }
                Piece::Head(value) => self.head(value, &mut next)?,
                Piece::Term(value) => {
                    let head = document.need(value, "identifier", "the key `identifier` is missing")?;
                    let args = document.field(value, "args").or(document.field(value, "parameters"));
                    let args = document.items(args);
                    if args.is_empty() {
                        next.push(Piece::Head(head));
                    } else {
                        next.extend([Piece::Text("("), Piece::Head(head)]);
                        for &arg in args {
                            next.extend([Piece::Text(" "), Piece::Term(arg)]);
                        }
                        next.push(Piece::Text(")"));
                    }
                }
            }
            todo.extend(next.into_iter().rev());
        }
        Ok(())
    }

    fn head(&self, value: usize, next: &mut Vec<Piece>) -> Result<(), Fault> {
        let document = self.document;
        if let Json::Word(_) = document.values[value].0 {
            next.push(Piece::Word(value));
            return Ok(());
        }
        if let Some(binders) = document.field(value, "binders") {
            next.push(Piece::Text("let ("));
            for &binder in document.items(Some(binders)) {
                let second = if document.field(binder, "term").is_some() { "term" } else { "sort" };
                next.push(Piece::Pair(binder, second));
            }
            next.push(Piece::Text(")"));
            return Ok(());
        }
        let symbol = document.need(value, "symbol", "an identifier has the key `symbol`")?;
        if let Some(sort) = document.field(value, "sort") {
            next.extend([
                Piece::Text("(as "),
                Piece::Word(symbol),
                Piece::Text(" "),
                Piece::Term(sort),
                Piece::Text(")"),
            ]);
            return Ok(());
        }
        next.extend([Piece::Text("(_ "), Piece::Word(symbol)]);
        for &index in document.items(document.field(value, "indices")) {
            next.extend([Piece::Text(" "), Piece::Word(index)]);
        }
        next.push(Piece::Text(")"));
        Ok(())
    }
}

/// A word as a symbol or literal.
fn symbol(word: &str) -> String {
    let name = word.strip_suffix('\'').unwrap_or(word);
    let reserved = smt::op::RESERVED.contains(&word) && !is_head(word);
    if is_literal(word) || (is_simple_symbol(name) && !reserved) {
        word.to_owned()
    } else {
        format!("|{word}|")
    }
}

/// True for a symbol that would be read as something else without bars.
fn is_ambiguous(name: &str) -> bool {
    is_literal(name) || is_head(name)
}

/// True for what is taken over as it stands.
fn is_literal(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit() || "#\"|(".contains(c))
}

/// True for words that begin a construct.
fn is_head(word: &str) -> bool {
    matches!(word, "let" | "forall" | "exists")
}
