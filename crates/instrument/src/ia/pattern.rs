//! Patterns: expressions of C in which `$x` stands for any operand. They are small, so there is a limit on their nesting.

use super::ast::{Pat, PatId, Pattern};
use super::parse::{P, Parser};
use base::id::Id;
use cfront::ast::{BinaryOp, UnaryOp};
use cfront::token::T;
use diag::codes;

/// How deep patterns may be nested.
const MAX_DEPTH: u32 = 32;

/// How tightly binary operators bind.
fn binary(kind: T) -> Option<(BinaryOp, u8)> {
    use BinaryOp::*;
    Some(match kind {
        T::Star => (Mul, 10),
        T::Slash => (Div, 10),
        T::Percent => (Rem, 10),
        T::Plus => (Add, 9),
        T::Minus => (Sub, 9),
        T::Shl => (Shl, 8),
        T::Shr => (Shr, 8),
        T::Lt => (Lt, 7),
        T::Gt => (Gt, 7),
        T::Le => (Le, 7),
        T::Ge => (Ge, 7),
        T::EqEq => (Eq, 6),
        T::Ne => (Ne, 6),
        T::Amp => (BitAnd, 5),
        T::Caret => (BitXor, 4),
        T::Pipe => (BitOr, 3),
        _ => return None,
    })
}

fn compound(kind: T) -> Option<BinaryOp> {
    use BinaryOp::*;
    Some(match kind {
        T::StarAssign => Mul,
        T::SlashAssign => Div,
        T::PercentAssign => Rem,
        T::PlusAssign => Add,
        T::MinusAssign => Sub,
        T::ShlAssign => Shl,
        T::ShrAssign => Shr,
        T::AmpAssign => BitAnd,
        T::CaretAssign => BitXor,
        T::PipeAssign => BitOr,
        _ => return None,
    })
}

fn prefix(kind: T) -> Option<UnaryOp> {
    use UnaryOp::*;
    Some(match kind {
        T::Plus => Plus,
        T::Minus => Neg,
        T::Tilde => BitNot,
        T::Bang => Not,
        T::Amp => AddressOf,
        T::Star => Deref,
        T::PlusPlus => PreInc,
        T::MinusMinus => PreDec,
        _ => return None,
    })
}

impl Parser<'_> {
    /// A pattern with an operator, a call, an element, a conversion or a dereference at its root: an edge is one of these.
    pub(super) fn expr_pattern(&mut self) -> P<PatId> {
        let span = self.span();
        let root = self.assignment(0)?;
        match self.pats[root] {
            Pat::Any | Pat::Capture(_) | Pat::Number(_) | Pat::Name(_) | Pat::Member(..) => {
                self.fail(codes::I005, span, "this pattern has no operator: no edge has only an operand")
            }
            _ => Ok(root),
        }
    }

    fn assignment(&mut self, depth: u32) -> P<PatId> {
        if depth > MAX_DEPTH {
            let span = self.span();
            return self.fail(
                codes::I001,
                span,
                format!("patterns are nested at most {MAX_DEPTH} levels deep"),
            );
        }
        let left = self.operators(0, depth)?;
        if self.eat(T::Assign) {
            let right = self.assignment(depth + 1)?;
            return Ok(self.pats.push(Pat::Assign(left, right)));
        }
        if let Some(op) = compound(self.kind()) {
            self.next();
            let right = self.assignment(depth + 1)?;
            return Ok(self.pats.push(Pat::CompoundAssign(op, left, right)));
        }
        Ok(left)
    }

    fn operators(&mut self, least: u8, depth: u32) -> P<PatId> {
        let mut left = self.unary(depth + 1)?;
        while let Some((op, level)) = binary(self.kind()).filter(|(_, level)| *level > least) {
            self.next();
            let right = self.operators(level, depth + 1)?;
            left = self.pats.push(Pat::Binary(op, left, right));
        }
        Ok(left)
    }

    fn unary(&mut self, depth: u32) -> P<PatId> {
        if depth > 2 * MAX_DEPTH {
            let span = self.span();
            return self.fail(
                codes::I001,
                span,
                format!("patterns are nested at most {MAX_DEPTH} levels deep"),
            );
        }
        match prefix(self.kind()) {
            Some(op) => {
                self.next();
                let operand = self.unary(depth + 1)?;
                Ok(self.pats.push(Pat::Unary(op, operand)))
            }
            None if self.kind() == T::LParen => match self.cast()? {
                Some(to) => {
                    let operand = self.unary(depth + 1)?;
                    Ok(self.pats.push(Pat::Cast(to, operand)))
                }
                None => self.postfix(depth),
            },
            None => self.postfix(depth),
        }
    }

    fn postfix(&mut self, depth: u32) -> P<PatId> {
        let mut pat = self.primary(depth)?;
        loop {
            pat = match self.kind() {
                T::PlusPlus => self.after(Pat::Unary(UnaryOp::PostInc, pat)),
                T::MinusMinus => self.after(Pat::Unary(UnaryOp::PostDec, pat)),
                T::LBracket => {
                    self.next();
                    let index = self.assignment(depth + 1)?;
                    self.expect(T::RBracket)?;
                    self.pats.push(Pat::Index(pat, index))
                }
                T::LParen => self.call(pat, depth)?,
                T::Dot | T::Arrow => {
                    let is_arrow = self.next().kind == T::Arrow;
                    let (name, _) = self.name("the name of a member")?;
                    self.pats.push(if is_arrow { Pat::Arrow(pat, name) } else { Pat::Member(pat, name) })
                }
                _ => return Ok(pat),
            };
        }
    }

    fn after(&mut self, pat: Pat) -> PatId {
        self.next();
        self.pats.push(pat)
    }

    fn call(&mut self, callee: PatId, depth: u32) -> P<PatId> {
        self.next();
        let mut arguments = Vec::new();
        let mut is_open = false;
        while !self.eat(T::RParen) {
            if !arguments.is_empty() {
                self.expect(T::Comma)?;
            }
            if self.eat(T::Ellipsis) {
                is_open = true;
                self.expect(T::RParen)?;
                break;
            }
            arguments.push(self.assignment(depth + 1)?);
        }
        Ok(self.pats.push(Pat::Call(callee, arguments, is_open)))
    }

    fn primary(&mut self, depth: u32) -> P<PatId> {
        let (span, word) = (self.span(), self.word().to_owned());
        let pat = match self.kind() {
            T::LParen => {
                self.next();
                let inner = self.assignment(depth + 1)?;
                self.expect(T::RParen)?;
                return Ok(inner);
            }
            T::Number => match word.parse() {
                Ok(number) => Pat::Number(number),
                Err(_) => return self.expected("a decimal number"),
            },
            T::Ident => match word.strip_prefix('$') {
                Some("_") => Pat::Any,
                Some("result" | "op" | "") => {
                    return self.fail(codes::I003, span, format!("`{word}` has a meaning of its own"));
                }
                Some(name) if self.captures.iter().any(|other| other == name) => {
                    return self.fail(codes::I003, span, format!("`{word}` is captured twice"));
                }
                Some(name) => {
                    self.captures.push(name.to_owned());
                    Pat::Capture(self.captures.len() - 1)
                }
                None => Pat::Name(word),
            },
            _ => return self.expected("a pattern"),
        };
        self.next();
        Ok(self.pats.push(pat))
    }

    /// Gives captures of an alternative the numbers that they have in the first pattern.
    pub(super) fn renumber(&mut self, pattern: Pattern, first: &[String]) {
        let Pattern::Expr(root) = pattern else { return };
        let own = self.captures.clone();
        // The nodes of a pattern are made together, and its root last.
        let mut left = own.len();
        for index in (0..=root.index()).rev() {
            if left == 0 {
                break;
            }
            if let Pat::Capture(number) = &mut self.pats[PatId::from_index(index)] {
                let name = &own[*number];
                *number = first.iter().position(|other| other == name).unwrap_or(*number);
                left -= 1;
            }
        }
    }
}
