//! From a plan to text: the instrumentation operator.
//!
//! An operation beside an edge goes to one of two places. If it speaks of nothing but what it captures and of variables of
//! automata, the expression is rewritten in place to a call of a generated function (`a + b` to `__svarog_add_int(a, b)`),
//! which keeps evaluation as it was: once, in conditions, behind short circuits, in every part of a loop. If it speaks of
//! variables in scope, it stands before or after its statement, in braces where there were none. What has neither place is
//! reported (W001), never left out.
//!
//! Edits know only the part of the syntax that they belong to (`edit`), so nothing here recurses or writes an expression
//! again.

mod call;
mod conditions;
mod context;
mod decls;
mod edit;
mod expr;
mod heads;
mod helper;
mod inplace;
mod lvalue;
mod marks;
mod operands;
mod prelude;
mod sort;
mod statics;
mod stmt;
mod types;

pub use edit::{MapPiece, PieceKind};
pub use marks::{StripError, strip};
pub use prelude::KNOWN;
pub(crate) use statics::is_lasting;

use crate::plan::{Insertion, Piece, Plan};
use base::id::Id;
use cfront::ast::{ExprId, FunctionId, StmtId, Unit};
use cfront::cfa::Cfa;
use cfront::token::{T, Token};
use cfront::types::Ty;
use context::Context;
use diag::{Diagnostic, Span, codes};
use edit::Edits;
use helper::Helpers;
use std::collections::BTreeMap;
use types::TypeTexts;

/// An instrumented program.
#[derive(Clone, PartialEq, Debug)]
pub struct Woven {
    /// The text.
    pub text: Vec<u8>,
    /// Where each new piece came from, in the order of the output.
    pub pieces: Vec<MapPiece>,
}

/// What is woven into.
pub struct Program<'a> {
    /// The program, parsed.
    pub unit: &'a mut Unit,
    /// Its text.
    pub text: &'a [u8],
    /// The address of the text's first byte.
    pub base: u32,
    /// What a preprocessor made the text of: stripping gives this back.
    pub original: Option<&'a [u8]>,
    /// Its automata, in the order of its functions.
    pub cfas: &'a [Cfa],
}

/// Weaves a plan into a program.
///
/// # Errors
/// Findings about operations that have no place in the text.
pub fn weave(program: Program<'_>, plan: &Plan) -> Result<Woven, Vec<Diagnostic>> {
    let Program { unit, text, base, original, cfas } = program;
    let context = Context::new(unit);
    let types = TypeTexts::new(unit);
    let helpers = Helpers::new(unit);
    let mut weaver = Weaver {
        unit,
        text,
        base,
        plan,
        context,
        types,
        helpers,
        edits: Edits::default(),
        locals: BTreeMap::new(),
        entries: BTreeMap::new(),
        problems: Vec::new(),
        scratch: 0,
    };
    for (name, declaration) in plan.locals.iter().map(|(function, text)| (*function, text.clone())) {
        weaver.locals.entry(name).or_default().push(declaration);
    }
    weaver.prelude();
    let mut by_function: BTreeMap<FunctionId, Vec<&Insertion>> = BTreeMap::new();
    for insertion in &plan.insertions {
        by_function.entry(insertion.function).or_default().push(insertion);
    }
    for (function, insertions) in by_function {
        if let Some(cfa) = cfas.get(function.index()) {
            weaver.function(cfa, &insertions);
        }
    }
    weaver.begin_functions();
    weaver.statics();
    weaver.renames();
    let Weaver { edits, mut problems, .. } = weaver;
    if problems.is_empty() {
        let (text, pieces) = edits.render(text, base, original);
        Ok(Woven { text, pieces })
    } else {
        problems.sort_by_key(|problem| (problem.span.start, problem.span.end));
        problems.dedup_by(|a, b| (a.span, &a.message) == (b.span, &b.message));
        Err(problems)
    }
}

/// Text with the transition that it is from.
type Said = (String, Option<Span>);

struct Weaver<'a> {
    unit: &'a mut Unit,
    text: &'a [u8],
    base: u32,
    plan: &'a Plan,
    context: Context,
    types: TypeTexts,
    helpers: Helpers,
    edits: Edits,
    /// Declarations at the beginning of functions.
    locals: BTreeMap<FunctionId, Vec<String>>,
    /// Statements at the beginning of functions.
    entries: BTreeMap<FunctionId, Vec<Said>>,
    problems: Vec<Diagnostic>,
    /// How many variables were made up.
    scratch: usize,
}

impl Weaver<'_> {
    fn function(&mut self, cfa: &Cfa, insertions: &[&Insertion]) {
        let sorted = self.sort(cfa, insertions);
        // Texts of one part at one place stand in the order in which they are made: from the outside in where parts begin,
        // from the inside out where they end. Statements have larger ids than what they are made of.
        for (&stmt, places) in sorted.stmts.iter().rev() {
            self.begin_stmt(cfa.function, stmt, places);
        }
        self.begin_in_place(&sorted);
        for (&expr, site) in &sorted.sites {
            self.site(cfa.function, expr, site);
        }
        self.say_operands(&sorted);
        self.end_in_place(&sorted);
        for (&stmt, places) in &sorted.stmts {
            self.end_stmt(cfa.function, stmt, places);
        }
        let body = self.unit.stmts[self.unit.functions[cfa.function].body].span;
        for (text, from) in sorted.falls_off {
            self.edits.open(Span::new(body.end - 1, body.end), format!("{text} "), from);
        }
        if !sorted.entry.is_empty() {
            self.entries.insert(cfa.function, sorted.entry);
        }
    }

    /// Declarations and statements at the beginning of functions.
    fn begin_functions(&mut self) {
        let functions: Vec<FunctionId> = self.locals.keys().chain(self.entries.keys()).copied().collect();
        let functions: std::collections::BTreeSet<FunctionId> = functions.into_iter().collect();
        for function in functions {
            let brace = self.brace(self.unit.functions[function].body);
            let locals = self.locals.remove(&function).unwrap_or_default();
            if !locals.is_empty() {
                self.edits.close(brace, format!(" {}", locals.join(" ")), None);
            }
            for (text, from) in self.entries.remove(&function).unwrap_or_default() {
                self.edits.close(brace, format!(" {text}"), from);
            }
        }
    }

    /// A variable of the function that nobody else uses, unless its type has no name.
    fn scratch(&mut self, function: FunctionId, ty: Ty) -> Option<String> {
        let name = self.helpers.fresh(&format!("__svarog_t{}", self.scratch));
        let text = self.types.declaration(self.unit, ty, &name)?;
        self.scratch += 1;
        self.locals.entry(function).or_default().push(format!("{text};"));
        Some(name)
    }

    /// The type in which a value is passed or kept: a bit-field is promoted, since the type that it is declared with may be
    /// unsigned when that which it is promoted to is not.
    fn passed_type(&mut self, expr: ExprId) -> Ty {
        match self.unit.narrow_value(expr) {
            Some(_) => self.unit.promoted(expr),
            None => self.unit.value_type(expr),
        }
    }

    fn refuse(&mut self, at: Span, insertion: &Insertion, why: &str) {
        let message = format!("an operation of the specification cannot stand here: {why}");
        let mut problem = Diagnostic::new(codes::W001, at, message);
        if insertion.from != Span::default() {
            problem = problem.note_at(insertion.from, "the operation is this one");
        }
        self.problems.push(problem);
    }

    /// The beginning of a block: its brace and declarations of labels, which nothing may precede.
    fn brace(&self, block: StmtId) -> Span {
        let start = self.stmt_span(block).start;
        let mut brace = Span::new(start, start + 1);
        let first = self.unit.tokens.partition_point(|token| token.span.start <= start);
        let mut is_label = false;
        for token in &self.unit.tokens[first..] {
            is_label |= token.kind == T::Label;
            if !is_label {
                break;
            }
            if token.kind == T::Semi {
                brace.end = token.span.end;
                is_label = false;
            }
        }
        brace
    }

    /// The first token that does not begin before an address.
    fn token_from(&self, address: u32) -> Option<Token> {
        let index = self.unit.tokens.partition_point(|token| token.span.start < address);
        self.unit.tokens.get(index).copied()
    }

    /// The last token that ends at an address or before.
    fn token_before(&self, address: u32) -> Option<Token> {
        let index = self.unit.tokens.partition_point(|token| token.span.end <= address);
        index.checked_sub(1).and_then(|index| self.unit.tokens.get(index)).copied()
    }

    /// The tokens of a range with blanks between: text that can stand anywhere.
    fn tokens_text(&self, span: Span) -> Option<String> {
        let tokens = &self.unit.tokens;
        let first = tokens.partition_point(|token| token.span.start < span.start);
        let mut out = String::new();
        for token in tokens[first..].iter().take_while(|token| token.span.end <= span.end) {
            let (start, end) =
                ((token.span.start - self.base) as usize, (token.span.end - self.base) as usize);
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(std::str::from_utf8(self.text.get(start..end)?).ok()?);
        }
        Some(out)
    }

    /// An operation's text where captured expressions stand for themselves, which is possible if they have no effect.
    fn plain_text(&self, insertion: &Insertion, result: Option<&str>) -> Option<String> {
        let mut out = String::new();
        for piece in &insertion.text {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Result => out.push_str(result?),
                &Piece::Capture(expr) => {
                    if !self.context.is_pure(expr) {
                        return None;
                    }
                    out.push('(');
                    out.push_str(&self.tokens_text(self.unit.exprs[expr].span)?);
                    out.push(')');
                }
            }
        }
        Some(out)
    }

    fn expr_span(&self, expr: ExprId) -> Span {
        self.unit.exprs[expr].span
    }

    fn stmt_span(&self, stmt: StmtId) -> Span {
        self.unit.stmts[stmt].span
    }
}
