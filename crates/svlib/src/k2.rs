//! K2, the language of Kratos2, as an input: a K2 program becomes an SV-LIB script.
//!
//! K2 is an imperative language of typed variables, functions and jumps, written in S-expressions; it tells
//! signed from unsigned bit-vectors and has a few types that SMT-LIB has not. The translation is text to text,
//! so that a K2 program can be looked at as the SV-LIB script it is taken for: [`tree`] reads the
//! S-expressions, [`program`] finds the declarations, [`expr`] and [`body`] check expressions and statements
//! and turn them into terms of the SMT kernel, [`emit`] writes the script. What has no counterpart, or no
//! documented meaning, is refused by name and place and never left out. `docs/k2.md` lists every construct.
//!
//! Nothing here recurses on the depth of its input.

mod body;
mod cast;
mod constant;
mod emit;
mod expr;
mod names;
mod operator;
mod program;
mod tree;
mod types;

use diag::{Code, Diagnostic, Span};
use smt::op::Op;
use smt::sexpr::Text;
use smt::term::{TermId, Terms};

/// After so many problems the rest of a program is not looked at.
const MANY: usize = 100;

/// An SV-LIB script made from a K2 program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Translation {
    /// The script.
    pub script: String,
    /// Which part of the program a part of the script comes from: the offset in the script where the part
    /// begins, and its place in the K2 text. Sorted by offset.
    pub map: Vec<(u32, Span)>,
}

impl Translation {
    /// The place in the K2 text that the character at an offset of the script was made for. The lines that
    /// every script begins with were made for none.
    #[must_use]
    pub fn origin(&self, offset: u32) -> Option<Span> {
        let after = self.map.partition_point(|&(start, _)| start <= offset);
        self.map[..after].last().map(|&(_, span)| span)
    }
}

/// Translates a K2 program.
///
/// # Errors
/// What is wrong with the program or not supported, sorted by place.
pub fn translate(text: Text<'_>) -> Result<Translation, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let source = tree::Source::read(text, &mut errors);
    if errors.is_empty() {
        let mut cx = Cx::new(source);
        let program = program::read(&mut cx);
        let bodies = body::read_all(&mut cx, &program);
        if cx.errors.is_empty()
            && let Some(start) = &program.start
        {
            return Ok(emit::script(&mut cx, &program, &bodies, start));
        }
        errors = cx.errors;
    }
    errors.sort_by_key(|error| error.span.start);
    errors.truncate(MANY);
    Err(errors)
}

/// A term of the SMT kernel with its K2 type, which says more than the sort does.
#[derive(Clone, Copy, Debug)]
struct Typed {
    term: TermId,
    ty: types::TyId,
}

/// What all parts of the translation work on.
struct Cx<'a> {
    src: tree::Source<'a>,
    terms: Terms,
    types: types::Types,
    names: names::Names,
    errors: Vec<Diagnostic>,
    /// How many more characters constants may have than their text in the program; see [`Cx::charge`].
    allowance: usize,
}

impl<'a> Cx<'a> {
    fn new(src: tree::Source<'a>) -> Self {
        let mut terms = Terms::new();
        let names = names::Names::new(&mut terms);
        let allowance = (1 << 20) + 16 * src.text_len();
        Self { src, terms, types: types::Types::default(), names, errors: Vec::new(), allowance }
    }

    fn error(&mut self, code: Code, node: u32, message: impl Into<String>) {
        let span = self.src.span(node);
        self.report(Diagnostic::new(code, span, message));
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.errors.len() < MANY {
            self.errors.push(diagnostic);
        }
    }

    /// True when so much is wrong that looking further is pointless.
    fn enough(&self) -> bool {
        self.errors.len() >= MANY
    }

    /// Applies an operator of the kernel. The K2 types were checked before, so the kernel agrees; if it does
    /// not, the program is refused instead of translated wrongly.
    fn app(&mut self, node: u32, op: Op, args: &[TermId]) -> TermId {
        self.app_indexed(node, op, &[], args)
    }

    fn app_indexed(&mut self, node: u32, op: Op, indices: &[u32], args: &[TermId]) -> TermId {
        match self.terms.app_indexed(op, indices, args) {
            Ok(term) => term,
            Err(_) => {
                self.error(diag::codes::K2004, node, format!("`{}` does not fit its operands", op.name()));
                TermId::ERROR
            }
        }
    }

    /// Accounts for a constant whose SV-LIB form is longer than its K2 form, as in `1e4000`: the script must
    /// stay in proportion to the program. False when the allowance is used up, which is reported.
    fn charge(&mut self, node: u32, characters: usize) -> bool {
        let enough = self.allowance >= characters;
        if enough {
            self.allowance -= characters;
        } else {
            let message = "the constants of this program are too large to be written out";
            self.error(diag::codes::K2002, node, message);
        }
        enough
    }
}
