//! Expressions: names, constants, conversions, operations, annotations.

use super::operator::{KOp, OPERATORS};
use super::program::{Binding, FunIdx, Program, VarIdx};
use super::tree::{Kind, NodeIdx};
use super::types::{Ty, TyId};
use super::{Cx, Typed};
use diag::{Diagnostic, codes};
use smt::term::TermId;

/// The words that begin a statement.
const STATEMENTS: &[&str] = &["assign", "assume", "call", "condjump", "havoc", "jump", "label", "seq"];

/// The words that begin an expression, besides the operators.
const FORMS: &[&str] = &["bitcast", "cast", "const", "op", "typecast", "var"];

/// A function that is called.
#[derive(Clone, Copy)]
pub(super) enum Callee {
    Defined(FunIdx),
    /// One without a body, of this type.
    Undefined(TyId),
}

/// The key and the value of an annotation.
pub(super) type Attribute = (NodeIdx, NodeIdx);

/// What is left to do while an expression is read.
enum Step {
    Read(NodeIdx),
    /// The operands were read last.
    Operate(NodeIdx, KOp, usize),
    /// The operand was read last; true for a `bitcast`.
    Cast(NodeIdx, TyId, bool),
}

impl Cx<'_> {
    /// Undoes annotations: `(! (! X :a b) :c d)` is `X` with two. None after an error, which is reported.
    pub(super) fn annotated(&mut self, mut node: NodeIdx) -> Option<(NodeIdx, Vec<Attribute>)> {
        let mut attributes = Vec::new();
        while self.src.head(node) == Some("!") {
            let parts = self.src.children(node);
            let Some((&inner, pairs)) = parts[1..].split_first() else {
                self.error(codes::K2001, node, "expected `(! SOMETHING :KEY VALUE …)`");
                return None;
            };
            for pair in pairs.chunks(2) {
                match *pair {
                    [key, value]
                        if self.src.kind(key) == Kind::Keyword && self.src.kind(value) != Kind::Keyword =>
                    {
                        attributes.push((key, value));
                    }
                    [key, ..] => {
                        self.error(codes::K2001, key, "expected a keyword and its value");
                        return None;
                    }
                    [] => {}
                }
            }
            node = inner;
        }
        Some((node, attributes))
    }

    /// Properties belong to labels. On anything else their meaning is open, so they are not passed over.
    pub(super) fn refuse_properties(&mut self, attributes: &[Attribute], on: &str) {
        for &(key, _) in attributes {
            let name = self.src.name(key);
            if super::body::Property::find(&name).is_some() {
                self.error(codes::K2002, key, format!("the property `:{name}` on {on} that is no label"));
            }
        }
    }

    /// True when the node begins like a statement.
    pub(super) fn is_statement(&self, node: NodeIdx) -> bool {
        self.src.head(node).is_some_and(|word| STATEMENTS.contains(&word))
    }

    /// A Boolean expression; none after an error, which is reported.
    pub(super) fn condition(
        &mut self,
        program: &Program,
        function: Option<FunIdx>,
        node: NodeIdx,
    ) -> Option<TermId> {
        let value = self.eval(program, function, node)?;
        if value.ty != TyId::BOOL {
            let message =
                format!("a condition is of type `bool`, this one of `{}`", self.types.text(value.ty));
            self.error(codes::K2004, node, message);
            return None;
        }
        Some(value.term)
    }

    /// Reads an expression of a function or, without one, over the global variables. None after an error,
    /// which is reported.
    pub(super) fn eval(
        &mut self,
        program: &Program,
        function: Option<FunIdx>,
        node: NodeIdx,
    ) -> Option<Typed> {
        let (mut todo, mut done) = (vec![Step::Read(node)], Vec::new());
        while let Some(step) = todo.pop() {
            let value = match step {
                Step::Read(node) if self.src.is_list(node) => {
                    self.read_list(program, function, node, &mut todo)?
                }
                Step::Read(node) => Some(self.named(program, function, node)?),
                Step::Operate(node, op, count) => {
                    let args = done.split_off(done.len() - count);
                    Some(self.operate(node, op, &args)?)
                }
                Step::Cast(node, ty, false) => Some(self.cast(node, done.pop()?, ty)?),
                Step::Cast(node, ty, true) => Some(self.bitcast(node, done.pop()?, ty)?),
            };
            done.extend(value);
        }
        done.pop()
    }

    fn unknown(&mut self, program: &Program, function: Option<FunIdx>, node: NodeIdx, what: &str) {
        let name = self.src.name(node);
        let help = program.similar(function, &name);
        let message = format!("there is no {what} `{name}`");
        self.report(Diagnostic::new(codes::K2003, self.src.span(node), message).help_opt(help));
    }

    /// A name on its own.
    fn named(&mut self, program: &Program, function: Option<FunIdx>, node: NodeIdx) -> Option<Typed> {
        if !self.src.is_symbol(node) {
            self.error(codes::K2001, node, "expected an expression");
            return None;
        }
        let name = self.src.name(node);
        match program.find(function, &name) {
            Some(Binding::Var(var)) => Some(Typed { term: program.vars[var].term, ty: program.vars[var].ty }),
            Some(Binding::Value(value)) => Some(value),
            Some(Binding::Wrong) => None,
            Some(Binding::Function(_) | Binding::Callee(_)) => {
                self.error(codes::K2002, node, format!("the function `{name}` as a value"));
                None
            }
            None if name == "true" => Some(Typed { term: TermId::TRUE, ty: TyId::BOOL }),
            None if name == "false" => Some(Typed { term: TermId::FALSE, ty: TyId::BOOL }),
            None => {
                self.unknown(program, function, node, "variable");
                None
            }
        }
    }

    /// A list: its value, or none when the parts that it needs were put on `todo`. None outside after an error.
    fn read_list(
        &mut self,
        program: &Program,
        function: Option<FunIdx>,
        node: NodeIdx,
        todo: &mut Vec<Step>,
    ) -> Option<Option<Typed>> {
        let parts = self.src.children(node);
        match (self.src.head(node), &parts[..]) {
            (Some("!"), _) => {
                let (inner, attributes) = self.annotated(node)?;
                self.refuse_properties(&attributes, "an expression");
                todo.push(Step::Read(inner));
                Some(None)
            }
            (Some("var"), &[_, name, ty]) if self.src.is_symbol(name) => {
                let ty = self.read_type(ty)?;
                let value = self.named(program, function, name)?;
                if value.ty != ty {
                    let (found, name) = (self.types.text(value.ty), self.src.name(name));
                    self.error(codes::K2004, node, format!("`{name}` was declared with the type `{found}`"));
                    return None;
                }
                Some(Some(value))
            }
            (Some("const"), &[_, value, ty]) => {
                let ty = self.read_type(ty)?;
                let term = self.constant(value, ty)?;
                Some(Some(Typed { term, ty }))
            }
            (Some(word @ ("cast" | "bitcast")), &[_, ty, value]) => {
                let ty = self.read_type(ty)?;
                todo.extend([Step::Cast(node, ty, word == "bitcast"), Step::Read(value)]);
                Some(None)
            }
            (Some("typecast"), &[_, ty, value, mode]) => {
                let bits = match self.src.word(mode) {
                    Some("0") => false,
                    Some("1") => true,
                    _ => {
                        self.error(codes::K2001, mode, "expected 0 for a `cast` or 1 for a `bitcast`");
                        return None;
                    }
                };
                let ty = self.read_type(ty)?;
                todo.extend([Step::Cast(node, ty, bits), Step::Read(value)]);
                Some(None)
            }
            (Some("op"), [_, name, args @ ..]) => self.operation(node, *name, args, todo),
            (Some(word), _) if FORMS.contains(&word) => {
                self.error(codes::K2001, node, format!("malformed expression `{word}`"));
                None
            }
            (_, [name, args @ ..]) => self.operation(node, *name, args, todo),
            (_, []) => {
                self.error(codes::K2001, node, "expected an expression");
                None
            }
        }
    }

    fn operation(
        &mut self,
        node: NodeIdx,
        name: NodeIdx,
        args: &[NodeIdx],
        todo: &mut Vec<Step>,
    ) -> Option<Option<Typed>> {
        let text = if self.src.is_symbol(name) { self.src.name(name) } else { "".into() };
        let Some((op, count)) = KOp::find(&text) else {
            let span = self.src.span(name);
            let diagnostic = if self.is_statement(node) {
                Diagnostic::new(
                    codes::K2001,
                    span,
                    format!("the statement `{text}` where an expression is expected"),
                )
            } else if text.is_empty() {
                Diagnostic::new(codes::K2001, span, "expected an operator")
            } else {
                let known = OPERATORS.iter().map(|row| row.0).chain(FORMS.iter().copied());
                let help = diag::closest(&text, known).map(|name| format!("did you mean `{name}`?"));
                Diagnostic::new(codes::K2001, span, format!("there is no operator `{text}`")).help_opt(help)
            };
            self.report(diagnostic);
            return None;
        };
        if args.len() != count {
            let plural = if count == 1 { "operand" } else { "operands" };
            let message = format!("`{text}` has {count} {plural}, here are {}", args.len());
            self.error(codes::K2001, node, message);
            return None;
        }
        todo.push(Step::Operate(node, op, count));
        todo.extend(args.iter().rev().map(|&arg| Step::Read(arg)));
        Some(None)
    }

    /// The variable that a statement sets; none after an error, which is reported.
    pub(super) fn target(&mut self, program: &Program, function: FunIdx, node: NodeIdx) -> Option<VarIdx> {
        let (mut inner, attributes) = self.annotated(node)?;
        self.refuse_properties(&attributes, "a variable");
        if self.src.head(inner) == Some("var") {
            // Checks that it is declared so.
            self.eval(program, Some(function), inner)?;
            inner += 2;
        }
        if !self.src.is_symbol(inner) {
            self.error(codes::K2001, inner, "expected a variable");
            return None;
        }
        let name = self.src.name(inner);
        match program.find(Some(function), &name) {
            Some(Binding::Var(var)) => Some(var),
            Some(Binding::Wrong) => None,
            Some(_) => {
                self.error(codes::K2004, inner, format!("`{name}` is no variable"));
                None
            }
            None => {
                self.unknown(program, Some(function), inner, "variable");
                None
            }
        }
    }

    /// True when the node names a function: `(const f (fun …))`, or the name of one.
    pub(super) fn is_function(&self, program: &Program, node: NodeIdx) -> bool {
        if self.src.head(node) == Some("const") {
            return self.src.children(node).get(2).is_some_and(|&ty| self.src.head(ty) == Some("fun"));
        }
        let binding = self.src.is_symbol(node).then(|| program.find(None, &self.src.name(node))).flatten();
        matches!(binding, Some(Binding::Function(_) | Binding::Callee(_)))
    }

    /// The function that a call names; none after an error, which is reported.
    pub(super) fn callee(
        &mut self,
        program: &Program,
        function: Option<FunIdx>,
        node: NodeIdx,
    ) -> Option<Callee> {
        let (inner, attributes) = self.annotated(node)?;
        self.refuse_properties(&attributes, "a function");
        let parts = if self.src.is_list(inner) { self.src.children(inner) } else { Vec::new() };
        if let (Some("const"), &[_, name, ty]) = (self.src.head(inner), &parts[..])
            && self.src.is_symbol(name)
        {
            return self.function_constant(program, name, ty);
        }
        if !self.src.is_symbol(inner) {
            self.error(codes::K2002, inner, "a call of a function that is not named");
            return None;
        }
        let name = self.src.name(inner);
        match program.find(function, &name) {
            Some(Binding::Function(index)) => Some(Callee::Defined(index)),
            Some(Binding::Callee(callee)) => Some(callee),
            Some(Binding::Wrong) => None,
            Some(Binding::Var(_) | Binding::Value(_)) => {
                self.error(codes::K2004, inner, format!("`{name}` is no function"));
                None
            }
            None => {
                self.unknown(program, function, inner, "function");
                None
            }
        }
    }

    fn function_constant(&mut self, program: &Program, name: NodeIdx, ty: NodeIdx) -> Option<Callee> {
        let (ty, at) = (self.read_type(ty)?, ty);
        let text = self.src.name(name);
        if !matches!(self.types.get(ty), Ty::Fun(..)) {
            let message =
                format!("`{text}` is called, but its type `{}` is none of a function", self.types.text(ty));
            self.error(codes::K2004, at, message);
            return None;
        }
        let Some(Binding::Function(index)) = program.find(None, &text) else {
            return Some(Callee::Undefined(ty));
        };
        let defined = &program.functions[index];
        if defined.ty != ty {
            let message = format!("`{text}` is defined with the type `{}`", self.types.text(defined.ty));
            let diagnostic = Diagnostic::new(codes::K2004, self.src.span(at), message);
            self.report(diagnostic.note_at(defined.span, "here"));
            return None;
        }
        Some(Callee::Defined(index))
    }
}
