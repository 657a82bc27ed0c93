//! Transitions: what they look for, under which conditions, on which side, and where they lead.

use super::ast::{Condition, KINDS, Pattern, Side, StateId, Subject, Transition};
use super::parse::{Goal, P, Parser};
use cfront::token::T;
use diag::{Span, codes};

impl Parser<'_> {
    /// `[when OPTION] on PATTERN [where …] before|after { … } [-> STATE;]`
    pub(super) fn transition(&mut self, from: StateId) -> P<(Transition, Option<Goal>)> {
        let start = self.span();
        self.captures = Vec::new();
        let mut options = Vec::new();
        if self.eat_word("when") {
            options.push(self.option_use()?);
        }
        if !self.eat_word("on") {
            return self.expected("`on`");
        }
        let mut patterns = vec![self.pattern()?];
        let captured = self.captures.clone();
        while self.eat_word("or") {
            self.captures = Vec::new();
            let (span, pattern) = (self.span(), self.pattern()?);
            let (mut one, mut other) = (self.captures.clone(), captured.clone());
            one.sort();
            other.sort();
            if one != other {
                return self.fail(codes::I005, span, "this pattern does not capture what the first one does");
            }
            self.renumber(pattern, &captured);
            patterns.push(pattern);
        }
        self.captures = captured;
        let conditions = if self.eat_word("where") { self.conditions()? } else { Vec::new() };
        self.side = match () {
            () if self.eat_word("before") => Side::Before,
            () if self.eat_word("after") => Side::After,
            () => return self.expected("`before` or `after`"),
        };
        let head = self.span();
        let block = self.block()?;
        let text = self.operation(block)?;
        let goal = if self.eat(T::Arrow) {
            let (name, span) = self.name("a state")?;
            Some(Goal { name, span })
        } else {
            None
        };
        self.expect(T::Semi)?;
        let transition = Transition {
            from,
            patterns,
            conditions,
            options,
            text,
            side: self.side,
            to: from,
            captures: std::mem::take(&mut self.captures),
            span: Span::new(start.start, head.start),
        };
        Ok((transition, goal))
    }

    fn option_use(&mut self) -> P<(usize, bool)> {
        let is_on = !self.eat_word("not");
        let (name, span) = self.name("an option")?;
        match self.options.iter().position(|option| option.name == name) {
            Some(index) => Ok((index, is_on)),
            None => {
                let names: Vec<String> = self.options.iter().map(|option| option.name.clone()).collect();
                self.unknown("option", &name, span, names.iter().map(String::as_str))
            }
        }
    }

    fn pattern(&mut self) -> P<Pattern> {
        match () {
            () if self.eat_word("true") => Ok(Pattern::True),
            () if self.eat_word("cond") => Ok(Pattern::Cond(true)),
            () if self.eat_word("return") => Ok(Pattern::Return),
            () if self.eat_word("end") => Ok(Pattern::End),
            () => {
                let is_negated = self.kind() == T::Bang;
                let next = self.words.tokens.get(self.at + 1).map(|token| token.span);
                if is_negated && next.is_some_and(|span| self.slice(span) == "cond") {
                    self.at += 2;
                    return Ok(Pattern::Cond(false));
                }
                self.expr_pattern().map(Pattern::Expr)
            }
        }
    }

    fn conditions(&mut self) -> P<Vec<Condition>> {
        let mut out = Vec::new();
        loop {
            let subject = match self.eat_word("op") {
                true => Subject::Op,
                false => Subject::Capture(self.capture_use()?),
            };
            if !self.eat_word("is") {
                return self.expected("`is`");
            }
            let is_negated = self.eat_word("not");
            let (word, span) = self.name("a kind")?;
            let Some((_, kind)) = KINDS.iter().find(|(name, _)| *name == word) else {
                return self.unknown("kind", &word, span, KINDS.iter().map(|(name, _)| *name));
            };
            out.push(Condition { subject, is_negated, kind: *kind });
            if !self.eat_word("and") {
                return Ok(out);
            }
        }
    }

    /// The index of a capture that is named here.
    pub(super) fn capture_use(&mut self) -> P<usize> {
        let (span, word) = (self.span(), self.word().to_owned());
        let Some(name) = word.strip_prefix('$') else { return self.expected("`op` or what is captured") };
        self.at += 1;
        match self.captures.iter().position(|capture| capture == name) {
            Some(index) => Ok(index),
            None => {
                let names = self.captures.clone();
                self.unknown("capture", name, span, names.iter().map(String::as_str))
            }
        }
    }
}
