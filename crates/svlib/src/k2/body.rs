//! The bodies of functions: nested statements become one list of simple ones.
//!
//! A sequence inside a sequence is only a matter of writing, since every jump leads to a label of the same
//! function; so the list is flat, and a body of any depth is read without recursion.

use super::Cx;
use super::expr::{Attribute, Callee};
use super::program::{FunIdx, Program, VarIdx};
use super::tree::NodeIdx;
use super::types::{Ty, TyId};
use diag::{Diagnostic, Span, codes};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::term::TermId;

/// Index of a label of a function.
pub(super) type LabelIdx = usize;

/// A property that an annotation of a label states.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Property {
    /// The label is never reached.
    Error,
    /// Every infinite execution reaches it again and again.
    Live,
    /// No execution reaches it infinitely often.
    NotLive,
}

impl Property {
    /// The property with that keyword, colon aside.
    pub(super) fn find(keyword: &str) -> Option<Property> {
        Some(match keyword {
            "error" => Property::Error,
            "live" => Property::Live,
            "notlive" => Property::NotLive,
            _ => return None,
        })
    }
}

/// A simple statement.
pub(super) enum Stmt {
    Assign(VarIdx, TermId),
    Assume(TermId),
    Havoc(Vec<VarIdx>),
    Call(FunIdx, Vec<TermId>, Vec<VarIdx>),
    Label(LabelIdx),
    Jump(Vec<LabelIdx>),
    CondJump(TermId, LabelIdx),
}

/// A label.
pub(super) struct Label {
    pub(super) name: String,
    /// Where it stands; none for one that is only jumped to.
    at: Option<Span>,
    /// Its properties with their names.
    pub(super) properties: Vec<(Property, String, Span)>,
}

/// The body of a function.
#[derive(Default)]
pub(super) struct Body {
    pub(super) stmts: Vec<(Stmt, Span)>,
    pub(super) labels: Vec<Label>,
    /// All variables that it sets, global ones included.
    pub(super) assigned: FxHashSet<VarIdx>,
    /// The functions that it calls, in order of their calls.
    pub(super) callees: Vec<FunIdx>,
    by_name: FxHashMap<String, LabelIdx>,
    /// Jumps, to be checked when all labels are known.
    jumps: Vec<(LabelIdx, Span)>,
}

/// Reads the bodies of all functions. Problems are reported to `cx`.
pub(super) fn read_all(cx: &mut Cx<'_>, program: &Program) -> Vec<Body> {
    let mut bodies = Vec::with_capacity(program.functions.len());
    for function in 0..program.functions.len() {
        if cx.enough() {
            break;
        }
        let mut reader = Reader { cx, program, function, body: Body::default() };
        reader.read(program.functions[function].body);
        bodies.push(reader.body);
    }
    check_live(cx, &bodies);
    bodies
}

/// Several labels with one `:live` property: whether all or any of them must recur is not documented.
fn check_live(cx: &mut Cx<'_>, bodies: &[Body]) {
    let mut seen: FxHashMap<&str, Span> = FxHashMap::default();
    let labels = bodies.iter().flat_map(|body| &body.labels);
    for (property, name, span) in labels.flat_map(|label| &label.properties) {
        if *property != Property::Live {
            continue;
        }
        if let Some(&first) = seen.get(&name[..]) {
            let message = format!("a second label with the property `:live {name}`");
            let diagnostic = Diagnostic::new(codes::K2002, *span, message);
            cx.report(diagnostic.note_at(first, "the first one is here"));
        } else {
            seen.insert(name, *span);
        }
    }
}

struct Reader<'c, 'a> {
    cx: &'c mut Cx<'a>,
    program: &'c Program,
    function: FunIdx,
    body: Body,
}

impl Reader<'_, '_> {
    fn read(&mut self, body: NodeIdx) {
        let mut todo = vec![body];
        while let Some(node) = todo.pop() {
            if self.cx.enough() {
                return;
            }
            // A statement with an error is left out; the others are still looked at.
            let _ = self.statement(node, &mut todo);
        }
        for &(label, span) in &self.body.jumps {
            if self.body.labels[label].at.is_some() {
                continue;
            }
            let name = &self.body.labels[label].name;
            let here = self.body.labels.iter().filter(|label| label.at.is_some()).take(1000);
            let help = diag::closest(name, here.map(|label| &label.name[..]));
            let message = format!("there is no label `{name}` in this function");
            let help = help.map(|name| format!("did you mean `{name}`?"));
            self.cx.report(Diagnostic::new(codes::K2003, span, message).help_opt(help));
        }
    }

    fn malformed(&mut self, node: NodeIdx, shape: &str) -> Option<()> {
        self.cx.error(codes::K2001, node, format!("expected `{shape}`"));
        None
    }

    /// Reads one statement, or puts the parts of a sequence on `todo`.
    fn statement(&mut self, node: NodeIdx, todo: &mut Vec<NodeIdx>) -> Option<()> {
        let (inner, attributes) = self.cx.annotated(node)?;
        let head = self.cx.src.head(inner);
        if head != Some("label") {
            self.cx.refuse_properties(&attributes, "a statement");
        }
        let parts = if self.cx.src.is_list(inner) { self.cx.src.children(inner) } else { Vec::new() };
        match (head, &parts[..]) {
            (Some("seq"), [_, parts @ ..]) => todo.extend(parts.iter().rev()),
            (Some("label"), &[_, name]) if self.cx.src.is_symbol(name) => {
                self.label(inner, name, &attributes)?
            }
            (Some("label"), _) => return self.malformed(inner, "(label NAME)"),
            (Some("assign"), &[_, target, value]) => self.assign(inner, target, value)?,
            (Some("assign"), _) => return self.malformed(inner, "(assign VARIABLE VALUE)"),
            (Some("assume"), &[_, condition]) => {
                let term = self.cx.condition(self.program, Some(self.function), condition)?;
                self.push(Stmt::Assume(term), inner);
            }
            (Some("assume"), _) => return self.malformed(inner, "(assume CONDITION)"),
            (Some("havoc"), &[_, target]) => {
                let var = self.target(target)?;
                self.push(Stmt::Havoc(vec![var]), inner);
            }
            (Some("havoc"), _) => return self.malformed(inner, "(havoc VARIABLE)"),
            (Some("jump"), [_, targets @ ..]) if !targets.is_empty() => {
                let targets =
                    targets.iter().map(|&target| self.jump_target(target)).collect::<Option<Vec<_>>>()?;
                self.push(Stmt::Jump(targets), inner);
            }
            (Some("jump"), _) => return self.malformed(inner, "(jump (label NAME) …)"),
            (Some("condjump"), &[_, condition, target]) => {
                let target = self.jump_target(target);
                let term = self.cx.condition(self.program, Some(self.function), condition)?;
                self.push(Stmt::CondJump(term, target?), inner);
            }
            (Some("condjump"), _) => return self.malformed(inner, "(condjump CONDITION (label NAME))"),
            (Some("call"), [_, callee, operands @ ..]) => self.call(inner, *callee, operands)?,
            (Some("call"), _) => return self.malformed(inner, "(call FUNCTION ARGUMENT … RESULT …)"),
            (Some(word), _) => {
                let message = format!("there is no statement `({word} …)`");
                self.cx.error(codes::K2001, inner, message);
            }
            (None, _) => self.cx.error(codes::K2001, inner, "expected a statement"),
        }
        Some(())
    }

    fn push(&mut self, stmt: Stmt, node: NodeIdx) {
        self.body.stmts.push((stmt, self.cx.src.span(node)));
    }

    fn target(&mut self, node: NodeIdx) -> Option<VarIdx> {
        let var = self.cx.target(self.program, self.function, node)?;
        self.body.assigned.insert(var);
        Some(var)
    }

    fn assign(&mut self, node: NodeIdx, target: NodeIdx, value: NodeIdx) -> Option<()> {
        let target = self.target(target);
        let value = self.cx.eval(self.program, Some(self.function), value)?;
        let target = target?;
        let wanted = self.program.vars[target].ty;
        if value.ty != wanted {
            let (wanted, found) = (self.cx.types.text(wanted), self.cx.types.text(value.ty));
            let message = format!("a value of type `{found}` is assigned to a variable of type `{wanted}`");
            self.cx.error(codes::K2004, node, message);
            return None;
        }
        self.push(Stmt::Assign(target, value.term), node);
        Some(())
    }

    fn label_index(&mut self, name: &str) -> LabelIdx {
        if let Some(&index) = self.body.by_name.get(name) {
            return index;
        }
        let index = self.body.labels.len();
        self.body.labels.push(Label { name: name.into(), at: None, properties: Vec::new() });
        self.body.by_name.insert(name.into(), index);
        index
    }

    fn label(&mut self, node: NodeIdx, name: NodeIdx, attributes: &[Attribute]) -> Option<()> {
        let span = self.cx.src.span(node);
        let index = self.label_index(&self.cx.src.name(name));
        if let Some(first) = self.body.labels[index].at {
            let message =
                format!("the label `{}` stands twice in this function", self.body.labels[index].name);
            let diagnostic = Diagnostic::new(codes::K2001, span, message);
            self.cx.report(diagnostic.note_at(first, "the first one is here"));
            return None;
        }
        self.body.labels[index].at = Some(span);
        for &(key, value) in attributes {
            let Some(property) = Property::find(&self.cx.src.name(key)) else { continue };
            if !self.cx.src.is_symbol(value) {
                self.cx.error(codes::K2001, value, "expected the property's name");
                continue;
            }
            let name = self.cx.src.name(value).into_owned();
            let span = self.cx.src.span(key);
            self.body.labels[index].properties.push((property, name, span));
        }
        self.push(Stmt::Label(index), node);
        Some(())
    }

    fn jump_target(&mut self, node: NodeIdx) -> Option<LabelIdx> {
        let (inner, attributes) = self.cx.annotated(node)?;
        self.cx.refuse_properties(&attributes, "the target of a jump");
        let parts =
            if self.cx.src.head(inner) == Some("label") { self.cx.src.children(inner) } else { Vec::new() };
        match parts[..] {
            [_, name] if self.cx.src.is_symbol(name) => {
                let index = self.label_index(&self.cx.src.name(name));
                self.body.jumps.push((index, self.cx.src.span(inner)));
                Some(index)
            }
            _ => {
                self.cx.error(codes::K2001, inner, "expected `(label NAME)`");
                None
            }
        }
    }

    /// `(call FUNCTION ARGUMENT… RESULT…)`: the function's type says where the results begin.
    fn call(&mut self, node: NodeIdx, callee: NodeIdx, operands: &[NodeIdx]) -> Option<()> {
        let callee = self.cx.callee(self.program, Some(self.function), callee)?;
        let ty = match callee {
            Callee::Defined(function) => self.program.functions[function].ty,
            Callee::Undefined(ty) => ty,
        };
        let Ty::Fun(params, results) = self.cx.types.get(ty).clone() else { return None };
        if operands.len() != params.len() + results.len() {
            let message = format!(
                "the function takes {} arguments and gives {} results, here are {} operands",
                params.len(),
                results.len(),
                operands.len()
            );
            self.cx.error(codes::K2004, node, message);
            return None;
        }
        let (args, rets) = operands.split_at(params.len());
        let (mut terms, mut vars) = (Vec::with_capacity(args.len()), Vec::with_capacity(rets.len()));
        for (&arg, &wanted) in args.iter().zip(&params) {
            let value = self.cx.eval(self.program, Some(self.function), arg)?;
            self.same_type(arg, value.ty, wanted)?;
            terms.push(value.term);
        }
        let mut seen = FxHashSet::default();
        for (&ret, &wanted) in rets.iter().zip(&results) {
            let var = self.target(ret)?;
            self.same_type(ret, self.program.vars[var].ty, wanted)?;
            if !seen.insert(var) {
                self.cx.error(codes::K2002, ret, "a variable that receives two results of one call");
                return None;
            }
            vars.push(var);
        }
        let stmt = match callee {
            Callee::Defined(function) => {
                self.body.callees.push(function);
                Stmt::Call(function, terms, vars)
            }
            // What such a function gives is arbitrary, and it changes nothing else.
            Callee::Undefined(_) if vars.is_empty() => Stmt::Assume(TermId::TRUE),
            Callee::Undefined(_) => Stmt::Havoc(vars),
        };
        self.push(stmt, node);
        Some(())
    }

    fn same_type(&mut self, node: NodeIdx, found: TyId, wanted: TyId) -> Option<()> {
        if found == wanted {
            return Some(());
        }
        let (wanted, found) = (self.cx.types.text(wanted), self.cx.types.text(found));
        self.cx.error(
            codes::K2004,
            node,
            format!("the function has `{wanted}` here, this is of type `{found}`"),
        );
        None
    }
}
