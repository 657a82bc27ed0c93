//! The declarations of a program: types, global variables, functions, definitions, entry and initial states.
//!
//! Declarations may stand in any order, except that types and definitions use only what is defined above
//! them. Bodies of functions are left to [`super::body`].

use super::expr::Callee;
use super::names::NameSet;
use super::tree::NodeIdx;
use super::types::{Ty, TyId};
use super::{Cx, Typed};
use base::intern::SymbolId;
use diag::{Diagnostic, Span, codes};
use rustc_hash::FxHashMap;
use smt::term::{Fun, FunId, Role, TermId, VarKind};

/// Index of a variable.
pub(super) type VarIdx = usize;

/// Index of a function.
pub(super) type FunIdx = usize;

/// A variable, global or of a function.
pub(super) struct Var {
    pub(super) ty: TyId,
    /// The program variable of SV-LIB.
    pub(super) fun: FunId,
    pub(super) term: TermId,
    pub(super) span: Span,
}

/// A function.
pub(super) struct Function {
    /// Its name in the program.
    pub(super) name: String,
    /// The name of its procedure.
    pub(super) given: String,
    pub(super) span: Span,
    pub(super) params: Vec<VarIdx>,
    pub(super) results: Vec<VarIdx>,
    pub(super) locals: Vec<VarIdx>,
    pub(super) body: NodeIdx,
    pub(super) ty: TyId,
    /// Its variables by name; none for one whose declaration is wrong.
    scope: FxHashMap<String, Option<VarIdx>>,
    /// The names of its procedure's variables.
    pub(super) own: NameSet,
}

/// What a name means in the whole program.
#[derive(Clone, Copy)]
pub(super) enum Binding {
    Var(VarIdx),
    Function(FunIdx),
    /// A definition.
    Value(Typed),
    /// A definition of a function.
    Callee(Callee),
    /// A wrong declaration, which is reported already.
    Wrong,
}

/// Where the program begins.
pub(super) struct Start {
    pub(super) entry: FunIdx,
    pub(super) span: Span,
    /// The constraint on the global variables.
    pub(super) init: Option<(TermId, Span)>,
}

/// A program without the bodies of its functions.
#[derive(Default)]
pub(super) struct Program {
    pub(super) vars: Vec<Var>,
    pub(super) globals: Vec<VarIdx>,
    pub(super) functions: Vec<Function>,
    bindings: FxHashMap<String, Binding>,
    /// None after an error.
    pub(super) start: Option<Start>,
}

impl Program {
    /// What a name means in a function or, without one, in the whole program.
    pub(super) fn find(&self, function: Option<FunIdx>, name: &str) -> Option<Binding> {
        let own = function.and_then(|function| self.functions[function].scope.get(name));
        match own {
            Some(Some(var)) => Some(Binding::Var(*var)),
            Some(None) => Some(Binding::Wrong),
            None => self.bindings.get(name).copied(),
        }
    }

    /// A name that exists and looks like `wanted`.
    pub(super) fn similar(&self, function: Option<FunIdx>, wanted: &str) -> Option<String> {
        const MANY: usize = 1000;
        let own = function.map(|function| &self.functions[function].scope);
        if self.bindings.len() + own.map_or(0, FxHashMap::len) > MANY {
            return None;
        }
        let names = self.bindings.keys().chain(own.into_iter().flat_map(FxHashMap::keys));
        diag::closest(wanted, names.map(String::as_str)).map(|name| format!("did you mean `{name}`?"))
    }
}

/// The forms of a file by what they declare.
#[derive(Default)]
struct Forms {
    types: Vec<NodeIdx>,
    globals: Option<NodeIdx>,
    defines: Vec<NodeIdx>,
    functions: Vec<NodeIdx>,
    entry: Option<NodeIdx>,
    init: Option<NodeIdx>,
}

/// Reads all declarations. Problems are reported to `cx`.
pub(super) fn read(cx: &mut Cx<'_>) -> Program {
    let mut program = Program::default();
    let forms = sort_forms(cx);
    for &node in &forms.types {
        match cx.src.children(node)[..] {
            [_, name, ty] if cx.src.is_symbol(name) => cx.define_type(name, ty),
            _ => cx.error(codes::K2001, node, "expected `(type NAME TYPE)`"),
        }
    }
    if let Some(node) = forms.globals {
        read_globals(cx, &mut program, node);
    }
    let mut headers = Vec::new();
    for &node in &forms.functions {
        headers.extend(read_header(cx, &mut program, node));
    }
    for (function, parts) in headers {
        read_variables(cx, &mut program, function, parts);
    }
    for &node in &forms.defines {
        read_define(cx, &mut program, node);
    }
    read_start(cx, &mut program, &forms);
    program
}

fn sort_forms(cx: &mut Cx<'_>) -> Forms {
    let mut forms = Forms::default();
    for root in cx.src.roots() {
        if cx.enough() {
            break;
        }
        match cx.src.head(root) {
            Some("type") => forms.types.push(root),
            Some("define") => forms.defines.push(root),
            Some("function") => forms.functions.push(root),
            Some("!") => {
                let Some((inner, attributes)) = cx.annotated(root) else { continue };
                cx.refuse_properties(&attributes, "a declaration");
                match cx.src.head(inner) {
                    Some("function") => forms.functions.push(inner),
                    _ => cx.error(codes::K2001, inner, "expected a function"),
                }
            }
            Some(word @ ("globals" | "entry" | "init")) => {
                let slot = match word {
                    "globals" => &mut forms.globals,
                    "entry" => &mut forms.entry,
                    _ => &mut forms.init,
                };
                match *slot {
                    None => *slot = Some(root),
                    Some(first) => twice(cx, root, first, format!("a second `{word}`")),
                }
            }
            Some(word) => {
                let message = format!("there is no declaration `({word} …)`");
                cx.error(codes::K2001, root, message);
            }
            None => cx.error(codes::K2001, root, "expected a declaration"),
        }
    }
    forms
}

fn twice(cx: &mut Cx<'_>, node: NodeIdx, first: NodeIdx, message: String) {
    let (span, first) = (cx.src.span(node), cx.src.span(first));
    cx.report(Diagnostic::new(codes::K2001, span, message).note_at(first, "the first one is here"));
}

/// Name and type of `(var NAME TYPE)`, which may be annotated. None inside for a type that is wrong.
fn read_var(cx: &mut Cx<'_>, node: NodeIdx) -> Option<(NodeIdx, Option<TyId>)> {
    let (inner, attributes) = cx.annotated(node)?;
    cx.refuse_properties(&attributes, "a variable");
    let parts = if cx.src.head(inner) == Some("var") { cx.src.children(inner) } else { Vec::new() };
    let &[_, name, ty] = &parts[..] else {
        cx.error(codes::K2001, inner, "expected `(var NAME TYPE)`");
        return None;
    };
    if !cx.src.is_symbol(name) {
        cx.error(codes::K2001, name, "expected a variable's name");
        return None;
    }
    let read = cx.read_type(ty);
    let refused = match read.map(|ty| cx.types.get(ty)) {
        Some(Ty::Void) => Some((codes::K2004, "a variable of type `void`")),
        Some(Ty::Fun(..)) => Some((codes::K2002, "a variable that holds a function")),
        _ => None,
    };
    if let Some((code, message)) = refused {
        cx.error(code, node, message);
        return Some((name, None));
    }
    Some((name, read))
}

fn declare(
    cx: &mut Cx<'_>,
    program: &mut Program,
    given: &str,
    ty: TyId,
    role: Role,
    node: NodeIdx,
) -> VarIdx {
    let name = cx.terms.names.intern(given);
    let result = cx.types.sort(ty);
    let fun = cx.terms.declare(Fun { name, params: Box::new([]), result, role });
    let term = cx.terms.constant_term(fun);
    program.vars.push(Var { ty, fun, term, span: cx.src.span(node) });
    program.vars.len() - 1
}

fn read_globals(cx: &mut Cx<'_>, program: &mut Program, node: NodeIdx) {
    for var in cx.src.children(node).into_iter().skip(1) {
        if cx.enough() {
            return;
        }
        let Some((name, ty)) = read_var(cx, var) else { continue };
        let text = cx.src.name(name).into_owned();
        if program.bindings.contains_key(&text) {
            cx.error(codes::K2001, name, format!("`{text}` is declared twice"));
            continue;
        }
        let binding = match ty {
            Some(ty) => {
                let given = cx.names.global(&cx.terms, &text);
                let role = Role::Variable(VarKind::Global, None);
                let index = declare(cx, program, &given, ty, role, var);
                program.globals.push(index);
                Binding::Var(index)
            }
            None => Binding::Wrong,
        };
        program.bindings.insert(text, binding);
    }
}

/// The lists of parameters, results and locals of a function.
type Lists = [Vec<NodeIdx>; 3];

/// `(function NAME (PARAM…) (return RESULT…) (locals VAR…) BODY)` up to the variables.
fn read_header(cx: &mut Cx<'_>, program: &mut Program, node: NodeIdx) -> Option<(FunIdx, Lists)> {
    let parts = cx.src.children(node);
    let shaped = parts.len() == 6
        && cx.src.is_symbol(parts[1])
        && cx.src.is_list(parts[2])
        && cx.src.head(parts[3]) == Some("return")
        && cx.src.head(parts[4]) == Some("locals");
    if !shaped {
        let message = "expected `(function NAME (PARAM …) (return RESULT …) (locals VAR …) BODY)`";
        cx.error(codes::K2001, node, message);
        return None;
    }
    let name = cx.src.name(parts[1]).into_owned();
    if program.bindings.contains_key(&name) {
        cx.error(codes::K2001, parts[1], format!("`{name}` is declared twice"));
        return None;
    }
    let given = cx.names.global(&cx.terms, &name);
    let index = program.functions.len();
    program.bindings.insert(name.clone(), Binding::Function(index));
    program.functions.push(Function {
        name,
        given,
        span: cx.src.span(node),
        params: Vec::new(),
        results: Vec::new(),
        locals: Vec::new(),
        body: parts[5],
        ty: TyId::VOID,
        scope: FxHashMap::default(),
        own: NameSet::default(),
    });
    let rest = |list| cx.src.children(list).into_iter().skip(1).collect();
    Some((index, [cx.src.children(parts[2]), rest(parts[3]), rest(parts[4])]))
}

fn read_variables(cx: &mut Cx<'_>, program: &mut Program, function: FunIdx, lists: Lists) {
    let procedure: SymbolId = cx.terms.names.intern(&program.functions[function].given);
    let kinds = [VarKind::Input, VarKind::Output, VarKind::Local];
    let mut types = [Vec::new(), Vec::new(), Vec::new()];
    for ((nodes, kind), types) in lists.into_iter().zip(kinds).zip(&mut types) {
        for node in nodes {
            if cx.enough() {
                return;
            }
            let Some((name, ty)) = read_var(cx, node) else { continue };
            let text = cx.src.name(name).into_owned();
            if program.functions[function].scope.contains_key(&text) {
                cx.error(codes::K2001, name, format!("`{text}` is declared twice"));
                continue;
            }
            let index = ty.map(|ty| {
                let given = cx.names.local(&cx.terms, &mut program.functions[function].own, &text);
                let role = Role::Variable(kind, Some(procedure));
                declare(cx, program, &given, ty, role, node)
            });
            let owner = &mut program.functions[function];
            match kind {
                VarKind::Input => owner.params.extend(index),
                VarKind::Output => owner.results.extend(index),
                _ => owner.locals.extend(index),
            }
            owner.scope.insert(text, index);
            types.extend(ty);
        }
    }
    let [params, results, _] = types;
    program.functions[function].ty = cx.types.function(params, results);
}

/// `(define NAME EXPR)`: a name for a value over global variables, or for a function.
fn read_define(cx: &mut Cx<'_>, program: &mut Program, node: NodeIdx) {
    let parts = cx.src.children(node);
    let &[_, name, value] = &parts[..] else {
        return cx.error(codes::K2001, node, "expected `(define NAME EXPRESSION)`");
    };
    if !cx.src.is_symbol(name) {
        return cx.error(codes::K2001, name, "expected a name");
    }
    let text = cx.src.name(name).into_owned();
    if program.bindings.contains_key(&text) {
        return cx.error(codes::K2001, name, format!("`{text}` is declared twice"));
    }
    let binding = if cx.is_statement(value) {
        cx.error(codes::K2002, value, "a `define` of a statement");
        None
    } else if cx.is_function(program, value) {
        cx.callee(program, None, value).map(Binding::Callee)
    } else {
        cx.eval(program, None, value).map(Binding::Value)
    };
    program.bindings.insert(text, binding.unwrap_or(Binding::Wrong));
}

fn read_start(cx: &mut Cx<'_>, program: &mut Program, forms: &Forms) {
    let init = forms.init.map(|node| read_init(cx, program, node));
    let Some(node) = forms.entry else {
        let end = cx.src.end();
        let missing = Diagnostic::new(codes::K2001, end, "the program has no `(entry NAME)`");
        return cx.report(missing.help("name the function where it begins"));
    };
    let parts = cx.src.children(node);
    let &[_, name] = &parts[..] else {
        return cx.error(codes::K2001, node, "expected `(entry NAME)`");
    };
    if !cx.src.is_symbol(name) {
        return cx.error(codes::K2001, name, "expected a function's name");
    }
    let text = cx.src.name(name).into_owned();
    let Some(Binding::Function(entry)) = program.find(None, &text) else {
        let help = program.similar(None, &text);
        let message = format!("there is no function `{text}`");
        return cx.report(Diagnostic::new(codes::K2003, cx.src.span(name), message).help_opt(help));
    };
    let span = cx.src.span(node);
    program.start = match init {
        None => Some(Start { entry, span, init: None }),
        Some(Some(init)) => Some(Start { entry, span, init: Some(init) }),
        Some(None) => None,
    };
}

/// `(init EXPR)` or `(init (assume EXPR))`.
fn read_init(cx: &mut Cx<'_>, program: &Program, node: NodeIdx) -> Option<(TermId, Span)> {
    let parts = cx.src.children(node);
    let &[_, mut value] = &parts[..] else {
        cx.error(codes::K2001, node, "expected `(init CONSTRAINT)`");
        return None;
    };
    if cx.src.head(value) == Some("assume") {
        let parts = cx.src.children(value);
        let &[_, inner] = &parts[..] else {
            cx.error(codes::K2001, value, "expected `(assume CONDITION)`");
            return None;
        };
        value = inner;
    }
    let term = cx.condition(program, None, value)?;
    Some((term, cx.src.span(node)))
}
