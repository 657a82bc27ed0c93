//! Expressions, by precedence, with an explicit stack.

use super::ast::{Kind, Node};
use super::lex::Token;
use super::parse::Parser;
use diag::Span;

/// How strongly an operator between operands binds; larger is stronger. True: it groups to the right.
fn infix(mark: &str) -> Option<(&'static str, u8, bool)> {
    const TABLE: &[(&str, u8, bool)] = &[
        ("->", 1, true),
        ("<->", 2, false),
        ("?", 3, true),
        ("|", 4, false),
        ("xor", 4, false),
        ("xnor", 4, false),
        ("&", 5, false),
        ("U", 6, false),
        ("V", 6, false),
        ("R", 6, false),
        ("S", 6, false),
        ("T", 6, false),
        ("=", 8, false),
        ("!=", 8, false),
        ("<", 8, false),
        (">", 8, false),
        ("<=", 8, false),
        (">=", 8, false),
        ("in", 9, false),
        ("union", 10, false),
        ("..", 11, false),
        ("<<", 12, false),
        (">>", 12, false),
        ("+", 13, false),
        ("-", 13, false),
        ("*", 14, false),
        ("/", 14, false),
        ("mod", 14, false),
        ("::", 16, false),
    ];
    TABLE.iter().find(|row| row.0 == mark).copied()
}

/// How strongly an operator before its operand binds.
fn prefix(mark: &str) -> Option<(&'static str, u8)> {
    const TABLE: &[(&str, u8)] = &[
        ("X", 7),
        ("G", 7),
        ("F", 7),
        ("Y", 7),
        ("Z", 7),
        ("H", 7),
        ("O", 7),
        ("AG", 7),
        ("AF", 7),
        ("AX", 7),
        ("EG", 7),
        ("EF", 7),
        ("EX", 7),
        ("A", 7),
        ("E", 7),
        ("-", 15),
        ("!", 17),
    ];
    TABLE.iter().find(|row| row.0 == mark).copied()
}

/// What waits for an operand or for its end.
#[derive(Clone, Debug)]
enum Open {
    Prefix(&'static str, u8, Span),
    /// `F [2, 5]`.
    Within(&'static str, u8, Span, [Node; 2]),
    Infix(&'static str, u8, Span, Node),
    /// `a ? b :`, waiting for the last part.
    Else(Span, Node, Node),
    /// `(`.
    Group,
    /// `A [` or `E [`.
    Paths(&'static str, Span),
    /// `{` with elements so far.
    Set(Span, Vec<Node>),
    /// `[` with elements so far.
    List(Span, Vec<Node>),
    /// `f(` with arguments so far.
    Call(Node, Vec<Node>),
    /// `case` with parts so far.
    Case(Span, Vec<Node>),
    /// `a[`, and `a[h:`.
    Index(Node, Option<Node>),
    /// `a ?`.
    Then(Span, Node),
}

impl Parser<'_> {
    /// An expression; nothing after a report.
    pub(super) fn expression(&mut self) -> Option<Node> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            // An operand.
            let Some(mut operand) = self.operand(&mut open)? else { continue };
            // What comes after operands.
            loop {
                match self.after(&mut open, operand)? {
                    After::Operand(node) => operand = node,
                    After::More => break,
                    After::End(node) => return Some(node),
                }
            }
        }
    }

    /// Reads an operand, or what opens one (then nothing is returned).
    fn operand(&mut self, open: &mut Vec<Open>) -> Option<Option<Node>> {
        let span = self.span;
        match self.token {
            Token::Literal => {
                self.advance();
                Some(Some(self.file.tree.add(Kind::Literal, span, &[])))
            }
            Token::Quoted => {
                self.advance();
                Some(Some(self.file.tree.add(Kind::Name, span, &[])))
            }
            Token::Mark(")") if matches!(open.last(), Some(Open::Call(_, items)) if items.is_empty()) => {
                let Some(Open::Call(name, _)) = open.pop() else { return None };
                self.advance();
                let span = self.file.tree.span(name);
                Some(Some(self.file.tree.add(Kind::Call, span, &[name])))
            }
            Token::Mark("(") => {
                self.advance();
                open.push(Open::Group);
                Some(None)
            }
            Token::Mark("{") => {
                self.advance();
                open.push(Open::Set(span, Vec::new()));
                Some(None)
            }
            Token::Mark("[") => {
                self.advance();
                open.push(Open::List(span, Vec::new()));
                Some(None)
            }
            Token::Mark(mark @ ("-" | "!")) => {
                self.advance();
                let (mark, strength) = prefix(mark)?;
                open.push(Open::Prefix(mark, strength, span));
                Some(None)
            }
            Token::Word => self.word_operand(open, span),
            _ => {
                self.expected("an expression");
                None
            }
        }
    }

    fn word_operand(&mut self, open: &mut Vec<Open>, span: Span) -> Option<Option<Node>> {
        let word = self.word();
        match word {
            "case" => {
                self.advance();
                open.push(Open::Case(span, Vec::new()));
                return Some(None);
            }
            "boolean" | "integer" | "real" | "word" | "signed" | "unsigned" | "array"
                if self.is_type_argument(open) =>
            {
                let made = self.type_text()?;
                self.file.types.push(made);
                let kind = Kind::Type(self.file.types.len() as u32 - 1);
                return Some(Some(self.file.tree.add(kind, span, &[])));
            }
            _ => {}
        }
        if super::parse::is_section(word) || matches!(word, "esac" | "of") {
            self.expected("an expression");
            return None;
        }
        if self.branching && matches!(word, "ABF" | "ABG" | "EBF" | "EBG") && self.peek() == Token::Literal {
            self.unsupported(&format!("`{word}`, about a number of steps,"));
            return None;
        }
        self.advance();
        if self.branching
            && self.token == Token::Mark("[")
            && let Some((mark, _)) = prefix(word).filter(|_| matches!(word, "A" | "E"))
        {
            self.advance();
            open.push(Open::Paths(mark, span));
            return Some(None);
        }
        if self.temporal
            && self.token == Token::Mark("[")
            && let Some((mark, strength)) = prefix(word).filter(|_| matches!(word, "F" | "G" | "O" | "H"))
        {
            let steps = self.steps()?;
            open.push(Open::Within(mark, strength, span, steps));
            return Some(None);
        }
        let temporal =
            prefix(word).filter(|_| (self.temporal && !matches!(word, "A" | "E")) || word.len() == 2);
        if let Some((mark, strength)) = temporal
            && !matches!(self.token, Token::Mark(":" | ";" | ")" | "," | "=" | ":=" | "." | "[" | "&" | "|"))
        {
            open.push(Open::Prefix(mark, strength, span));
            return Some(None);
        }
        Some(Some(self.file.tree.add(Kind::Name, span, &[])))
    }

    /// `[2, 5]`.
    fn steps(&mut self) -> Option<[Node; 2]> {
        self.advance();
        let mut steps = [0; 2];
        for (step, end) in steps.iter_mut().zip([",", "]"]) {
            if self.token != Token::Literal {
                self.expected("a number of steps");
                return None;
            }
            *step = self.file.tree.add(Kind::Literal, self.span, &[]);
            self.advance();
            self.take(end)?;
        }
        Some(steps)
    }

    /// A type is an argument of `CONSTARRAY` and `typeof` only; `signed(…)` is a conversion.
    fn is_type_argument(&self, open: &[Open]) -> bool {
        let Some(Open::Call(name, _)) = open.last() else { return false };
        let name = self.text_of(self.file.tree.span(*name));
        matches!(name, "CONSTARRAY" | "typeof")
            && !(matches!(self.word(), "signed" | "unsigned") && self.peek() == Token::Mark("("))
    }

    fn after(&mut self, open: &mut Vec<Open>, operand: Node) -> Option<After> {
        let span = self.span;
        match self.token {
            Token::Mark(".") => {
                self.advance();
                let name = self.span;
                if !matches!(self.token, Token::Word | Token::Quoted | Token::Literal) {
                    self.expected("a name");
                    return None;
                }
                self.advance();
                return Some(After::Operand(self.file.tree.add(Kind::Dot, name, &[operand])));
            }
            Token::Mark("[") => {
                self.advance();
                open.push(Open::Index(operand, None));
                return Some(After::More);
            }
            Token::Mark("(") if matches!(self.file.tree.kind(operand), Kind::Name) => {
                self.advance();
                open.push(Open::Call(operand, Vec::new()));
                return Some(After::More);
            }
            _ => {}
        }
        if self.branching && self.token == Token::Word && self.word() == "BU" {
            self.unsupported("`BU`, about a number of steps,");
            return None;
        }
        let mark = match self.token {
            Token::Mark(mark) => mark,
            Token::Word if matches!(self.word(), "xor" | "xnor" | "mod" | "union" | "in") => self.word(),
            Token::Word if self.temporal && matches!(self.word(), "U" | "V" | "R" | "S" | "T") => self.word(),
            Token::Word if self.branching && self.word() == "U" => "U",
            _ => "",
        };
        if let Some((mark, strength, right)) = infix(mark) {
            // Between the brackets of a formula about branching time it joins all of both sides.
            let strength = if self.branching && mark == "U" { 0 } else { strength };
            let operand = self.reduce(open, operand, strength, right);
            self.advance();
            open.push(match mark {
                "?" => Open::Then(span, operand),
                _ => Open::Infix(mark, strength, span, operand),
            });
            return Some(After::More);
        }
        let operand = self.reduce(open, operand, 0, false);
        self.close(open, operand)
    }

    /// Finishes operators that bind stronger than the one to come.
    fn reduce(&mut self, open: &mut Vec<Open>, mut operand: Node, strength: u8, right: bool) -> Node {
        loop {
            let ends = match open.last() {
                Some(Open::Prefix(_, own, _) | Open::Within(_, own, ..)) => *own >= strength,
                Some(Open::Infix(_, own, ..)) => *own > strength || (*own == strength && !right),
                Some(Open::Else(..)) => 3 > strength,
                _ => false,
            };
            if !ends {
                return operand;
            }
            operand = match open.pop() {
                Some(Open::Prefix(mark, _, span)) => self.file.tree.add(Kind::Prefix(mark), span, &[operand]),
                Some(Open::Within(mark, _, span, [from, to])) => {
                    self.file.tree.add(Kind::Within(mark), span, &[operand, from, to])
                }
                Some(Open::Infix(mark, _, span, left)) => {
                    self.file.tree.add(Kind::Infix(mark), span, &[left, operand])
                }
                Some(Open::Else(span, test, then)) => {
                    self.file.tree.add(Kind::Choice, span, &[test, then, operand])
                }
                _ => operand,
            };
        }
    }

    /// What the next token means for the innermost construct that is open.
    fn close(&mut self, open: &mut Vec<Open>, operand: Node) -> Option<After> {
        let token = self.token;
        match (open.pop(), token) {
            (None, _) => Some(After::End(operand)),
            (Some(Open::Group), Token::Mark(")")) => {
                self.advance();
                Some(After::Operand(operand))
            }
            (Some(Open::Then(span, test)), Token::Mark(":")) => {
                self.advance();
                open.push(Open::Else(span, test, operand));
                Some(After::More)
            }
            (Some(Open::Set(span, mut items)), Token::Mark(mark @ ("," | "}"))) => {
                self.advance();
                items.push(operand);
                self.next_item(open, mark == "}", Kind::Set, span, items, Open::Set)
            }
            (Some(Open::List(span, mut items)), Token::Mark(mark @ ("," | "]"))) => {
                self.advance();
                items.push(operand);
                self.next_item(open, mark == "]", Kind::List, span, items, Open::List)
            }
            (Some(Open::Paths(mark, span)), Token::Mark("]")) => {
                self.advance();
                Some(After::Operand(self.file.tree.add(Kind::Prefix(mark), span, &[operand])))
            }
            (Some(Open::Call(name, mut items)), Token::Mark(mark @ ("," | ")"))) => {
                self.advance();
                items.push(operand);
                if mark == "," {
                    open.push(Open::Call(name, items));
                    return Some(After::More);
                }
                let span = self.file.tree.span(name);
                items.insert(0, name);
                Some(After::Operand(self.file.tree.add(Kind::Call, span, &items)))
            }
            (Some(Open::Index(base, None)), Token::Mark(mark @ ("]" | ":"))) => {
                self.advance();
                if mark == ":" {
                    open.push(Open::Index(base, Some(operand)));
                    return Some(After::More);
                }
                let span = self.file.tree.span(base);
                Some(After::Operand(self.file.tree.add(Kind::Index, span, &[base, operand])))
            }
            (Some(Open::Index(base, Some(high))), Token::Mark("]")) => {
                self.advance();
                let span = self.file.tree.span(base);
                Some(After::Operand(self.file.tree.add(Kind::Bits, span, &[base, high, operand])))
            }
            (Some(Open::Case(span, items)), Token::Mark(mark @ (":" | ";"))) => {
                self.case(open, operand, span, items, mark)
            }
            (Some(inner), _) => {
                self.expected(match inner {
                    Open::Group | Open::Call(..) => "`)`",
                    Open::Set(..) => "`,` or `}`",
                    Open::List(..) => "`,` or `]`",
                    Open::Index(..) | Open::Paths(..) => "`]`",
                    Open::Case(..) => "`:` or `;`",
                    _ => "`:`",
                });
                None
            }
        }
    }

    fn next_item(
        &mut self,
        open: &mut Vec<Open>,
        ends: bool,
        kind: Kind,
        span: Span,
        items: Vec<Node>,
        again: fn(Span, Vec<Node>) -> Open,
    ) -> Option<After> {
        if ends {
            return Some(After::Operand(self.file.tree.add(kind, span, &items)));
        }
        open.push(again(span, items));
        Some(After::More)
    }

    /// A condition or value of `case` is over.
    fn case(
        &mut self,
        open: &mut Vec<Open>,
        operand: Node,
        span: Span,
        mut items: Vec<Node>,
        mark: &str,
    ) -> Option<After> {
        let condition = items.len().is_multiple_of(2);
        if condition != (mark == ":") {
            self.expected(if condition { "`:`" } else { "`;`" });
            return None;
        }
        self.advance();
        items.push(operand);
        if !condition && self.token == Token::Word && self.word() == "esac" {
            self.advance();
            return Some(After::Operand(self.file.tree.add(Kind::Case, span, &items)));
        }
        open.push(Open::Case(span, items));
        Some(After::More)
    }
}

/// What follows an operand.
enum After {
    /// It was a part of this operand.
    Operand(Node),
    /// Another operand comes.
    More,
    /// The expression is over.
    End(Node),
}
