//! Expressions, by operator precedence with an explicit stack.
//!
//! The stack holds what waits for its next operand. Frames that were opened by a bracket are closed by its partner only;
//! the others are reduced as soon as an operator binds less tightly than they do.

use super::{P, Parser};
use crate::ast::{BinaryOp, ExprId, UnaryOp};
use crate::token::T;
use crate::types::Ty;
use diag::Span;

/// What waits for an operand.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Frame {
    /// The bottom of one expression.
    Base,
    Unary(UnaryOp, Span),
    Sizeof(Span),
    Alignof(Span, bool),
    Cast(Ty, Span),
    Binary(BinaryOp, ExprId),
    Assign(ExprId),
    CompoundAssign(BinaryOp, ExprId),
    /// `c ? …`, which a colon closes.
    Then(ExprId),
    /// `c ? a : …`
    Else(ExprId, Option<ExprId>),
    Paren(Span),
    Index(ExprId),
    /// A call, and where its arguments begin in `Parser::arguments`.
    Call(ExprId, usize),
}

const COMMA: u8 = 1;
const ASSIGN: u8 = 2;
const CONDITIONAL: u8 = 3;
const UNARY: u8 = 14;

/// How tightly a binary operator binds.
fn binary(kind: T) -> Option<(u8, BinaryOp)> {
    use BinaryOp::*;
    Some(match kind {
        T::PipePipe => (4, Or),
        T::AmpAmp => (5, And),
        T::Pipe => (6, BitOr),
        T::Caret => (7, BitXor),
        T::Amp => (8, BitAnd),
        T::EqEq => (9, Eq),
        T::Ne => (9, Ne),
        T::Lt => (10, Lt),
        T::Gt => (10, Gt),
        T::Le => (10, Le),
        T::Ge => (10, Ge),
        T::Shl => (11, Shl),
        T::Shr => (11, Shr),
        T::Plus => (12, Add),
        T::Minus => (12, Sub),
        T::Star => (13, Mul),
        T::Slash => (13, Div),
        T::Percent => (13, Rem),
        _ => return None,
    })
}

fn precedence(op: BinaryOp) -> u8 {
    use BinaryOp::*;
    match op {
        Comma => COMMA,
        Or => 4,
        And => 5,
        BitOr => 6,
        BitXor => 7,
        BitAnd => 8,
        Eq | Ne => 9,
        Lt | Gt | Le | Ge => 10,
        Shl | Shr => 11,
        Add | Sub => 12,
        Mul | Div | Rem => 13,
    }
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

/// What follows an operand.
enum Step {
    /// Another operand is needed.
    Operand,
    /// The operand got larger.
    Grown(ExprId),
    /// The expression ends here, with this operand.
    End(ExprId),
}

impl Parser<'_> {
    /// An expression with commas.
    pub(crate) fn expression(&mut self) -> P<ExprId> {
        self.parse_expression(COMMA)
    }

    /// An expression without commas.
    pub(crate) fn assignment(&mut self) -> P<ExprId> {
        self.parse_expression(ASSIGN)
    }

    /// An expression without commas and assignments, as constants are.
    pub(crate) fn conditional(&mut self) -> P<ExprId> {
        self.parse_expression(CONDITIONAL)
    }

    fn parse_expression(&mut self, level: u8) -> P<ExprId> {
        let bottom = self.frames.len();
        let arguments = self.arguments.len();
        self.frames.push(Frame::Base);
        let open = self.open.len();
        self.open.push(level);
        let result = self.run_expression();
        self.frames.truncate(bottom);
        self.open.truncate(open);
        self.arguments.truncate(arguments);
        result
    }

    fn run_expression(&mut self) -> P<ExprId> {
        loop {
            let Some(mut operand) = self.operand()? else { continue };
            loop {
                match self.after(operand)? {
                    Step::Grown(expr) => operand = expr,
                    Step::Operand => break,
                    Step::End(operand) => {
                        let expr = self.reduce(operand, 0);
                        return match self.frames.last() {
                            Some(Frame::Base) => Ok(expr),
                            Some(Frame::Then(_)) => Err(self.unexpected("`:`")),
                            Some(Frame::Index(_)) => Err(self.unexpected("`]`")),
                            _ => Err(self.unexpected("`)`")),
                        };
                    }
                }
            }
        }
    }

    fn unary_operator(kind: T) -> Option<UnaryOp> {
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
            T::Real => Real,
            T::Imag => Imag,
            T::Extension => Extension,
            _ => return None,
        })
    }

    /// One operand, or none when what was read waits for one.
    fn operand(&mut self) -> P<Option<ExprId>> {
        let token = self.token();
        if let Some(op) = Self::unary_operator(token.kind) {
            self.next();
            self.frames.push(Frame::Unary(op, token.span));
            return Ok(None);
        }
        match token.kind {
            T::LParen => self.parenthesis(),
            T::Sizeof | T::Alignof | T::AlignofGnu => self.sizeof(),
            _ => self.primary().map(Some),
        }
    }

    /// A cast, a compound literal, a statement expression or just parentheses.
    fn parenthesis(&mut self) -> P<Option<ExprId>> {
        let start = self.next().span;
        if self.kind() == T::LBrace {
            return self.nested(|p| p.statement_expression(start)).map(Some);
        }
        if !self.starts_type(0) {
            self.frames.push(Frame::Paren(start));
            self.open.push(COMMA);
            return Ok(None);
        }
        let ty = self.nested(|p| p.type_name())?;
        self.expect(T::RParen)?;
        if self.kind() == T::LBrace {
            return self.compound_literal(ty, start).map(Some);
        }
        self.frames.push(Frame::Cast(ty, start));
        Ok(None)
    }

    fn sizeof(&mut self) -> P<Option<ExprId>> {
        let token = self.next();
        let is_size = token.kind == T::Sizeof;
        if self.kind() == T::LParen && self.starts_type(1) {
            let open = self.next().span;
            let ty = self.nested(|p| p.type_name())?;
            self.expect(T::RParen)?;
            if self.kind() != T::LBrace {
                let span = self.since(token.span);
                return Ok(Some(match is_size {
                    true => self.size_of_type(ty, span),
                    false => self.align_of_type(ty, span, token.kind == T::AlignofGnu),
                }));
            }
            // The operand is a compound literal, perhaps with something after it.
            self.push_sizeof(token.kind, token.span);
            return self.compound_literal(ty, open).map(Some);
        }
        self.push_sizeof(token.kind, token.span);
        Ok(None)
    }

    fn push_sizeof(&mut self, kind: T, span: Span) {
        self.frames.push(match kind {
            T::Sizeof => Frame::Sizeof(span),
            _ => Frame::Alignof(span, kind == T::AlignofGnu),
        });
    }

    /// What follows an operand decides what becomes of it.
    fn after(&mut self, operand: ExprId) -> P<Step> {
        let token = self.token();
        match token.kind {
            T::LBracket => {
                self.next();
                self.frames.push(Frame::Index(operand));
                self.open.push(COMMA);
                Ok(Step::Operand)
            }
            T::LParen => {
                self.next();
                if self.kind() == T::RParen {
                    self.next();
                    return Ok(Step::Grown(self.call(operand, self.arguments.len())));
                }
                self.frames.push(Frame::Call(operand, self.arguments.len()));
                self.open.push(ASSIGN);
                Ok(Step::Operand)
            }
            T::Dot | T::Arrow => {
                self.next();
                let name = self.expect(T::Ident)?;
                Ok(Step::Grown(self.member_access(operand, token.kind == T::Arrow, name)))
            }
            T::PlusPlus | T::MinusMinus => {
                self.next();
                let op = if token.kind == T::PlusPlus { UnaryOp::PostInc } else { UnaryOp::PostDec };
                let span = self.unit.exprs[operand].span.to(token.span);
                Ok(Step::Grown(self.unary(op, operand, span)))
            }
            _ => self.operator(operand),
        }
    }

    fn operator(&mut self, operand: ExprId) -> P<Step> {
        let token = self.token();
        if let Some((strength, op)) = binary(token.kind) {
            let left = self.reduce(operand, strength);
            self.next();
            self.frames.push(Frame::Binary(op, left));
            return Ok(Step::Operand);
        }
        // Inside of brackets everything is allowed that the brackets allow.
        let allowed = |p: &Self, strength: u8| p.open.last().is_none_or(|&level| level <= strength);
        match token.kind {
            T::Question => {
                let condition = self.reduce(operand, CONDITIONAL + 1);
                self.next();
                if self.accept(T::Colon) {
                    self.frames.push(Frame::Else(condition, None));
                } else {
                    self.frames.push(Frame::Then(condition));
                    self.open.push(COMMA);
                }
                Ok(Step::Operand)
            }
            T::Assign if allowed(self, ASSIGN) => {
                let target = self.reduce(operand, CONDITIONAL);
                self.next();
                self.frames.push(Frame::Assign(target));
                Ok(Step::Operand)
            }
            kind if compound(kind).is_some() && allowed(self, ASSIGN) => {
                let target = self.reduce(operand, CONDITIONAL);
                self.next();
                self.frames.extend(compound(kind).map(|op| Frame::CompoundAssign(op, target)));
                Ok(Step::Operand)
            }
            T::Comma if allowed(self, COMMA) => {
                let left = self.reduce(operand, COMMA);
                self.next();
                self.frames.push(Frame::Binary(BinaryOp::Comma, left));
                Ok(Step::Operand)
            }
            T::Comma | T::Colon | T::RParen | T::RBracket => self.close(operand),
            _ => Ok(Step::End(operand)),
        }
    }

    /// A token that closes what was opened, if its partner is on the stack.
    fn close(&mut self, operand: ExprId) -> P<Step> {
        let token = self.token();
        let inner = self.reduce(operand, 0);
        let step = match (self.frames.last().copied(), token.kind) {
            (Some(Frame::Paren(start)), T::RParen) => {
                self.next();
                Step::Grown(self.paren(inner, start.to(token.span)))
            }
            (Some(Frame::Index(array)), T::RBracket) => {
                self.next();
                Step::Grown(self.index(array, inner, token.span))
            }
            (Some(Frame::Call(callee, first)), T::RParen) => {
                self.next();
                self.arguments.push(inner);
                Step::Grown(self.call(callee, first))
            }
            (Some(Frame::Call(..)), T::Comma) => {
                self.next();
                self.arguments.push(inner);
                return Ok(Step::Operand);
            }
            (Some(Frame::Then(condition)), T::Colon) => {
                self.next();
                self.frames.pop();
                self.open.pop();
                self.frames.push(Frame::Else(condition, Some(inner)));
                return Ok(Step::Operand);
            }
            _ => return Ok(Step::End(inner)),
        };
        self.frames.pop();
        self.open.pop();
        Ok(step)
    }

    /// Reduces frames that bind at least as tightly as `strength`; zero reduces up to the last bracket.
    fn reduce(&mut self, mut operand: ExprId, strength: u8) -> ExprId {
        while let Some(&frame) = self.frames.last() {
            let binds = match frame {
                Frame::Unary(..) | Frame::Sizeof(_) | Frame::Alignof(..) | Frame::Cast(..) => UNARY,
                Frame::Binary(op, _) => precedence(op),
                Frame::Assign(_) | Frame::CompoundAssign(..) => ASSIGN,
                Frame::Else(..) => CONDITIONAL,
                _ => break,
            };
            if binds < strength {
                break;
            }
            self.frames.pop();
            operand = self.reduced(frame, operand);
        }
        operand
    }

    fn reduced(&mut self, frame: Frame, operand: ExprId) -> ExprId {
        let end = self.unit.exprs[operand].span;
        match frame {
            Frame::Unary(op, start) => self.unary(op, operand, start.to(end)),
            Frame::Sizeof(start) => self.size_of_expr(operand, start.to(end)),
            Frame::Alignof(start, is_gnu) => self.align_of_expr(operand, start.to(end), is_gnu),
            Frame::Cast(ty, start) => self.cast(ty, operand, start.to(end)),
            Frame::Binary(op, left) => self.binary(op, left, operand),
            Frame::Assign(target) => self.assign(target, operand),
            Frame::CompoundAssign(op, target) => self.compound_assign(op, target, operand),
            Frame::Else(condition, then) => self.choice(condition, then, operand),
            Frame::Base | Frame::Then(_) | Frame::Paren(_) | Frame::Index(_) | Frame::Call(..) => operand,
        }
    }
}
