//! Automata as graphs for Graphviz.

use super::{Cfa, ExitKind, Op, automata};
use crate::ast::{ExprId, Unit};
use base::id::Id;
use diag::Span;
use std::fmt::Write;

/// Longer texts on edges are cut.
const LONGEST: usize = 60;

/// All automata of a program as one graph, a cluster for each function. `text` is what was parsed, from the address `base` on.
#[must_use]
pub fn dot(unit: &Unit, text: &[u8], base: u32) -> String {
    let printer = Printer { unit, text, base };
    let mut out = String::from("digraph program {\n  node [shape=circle, label=\"\", width=0.2];\n");
    for cfa in automata(unit) {
        printer.cluster(&mut out, &cfa);
    }
    out.push_str("}\n");
    out
}

struct Printer<'a> {
    unit: &'a Unit,
    text: &'a [u8],
    base: u32,
}

impl Printer<'_> {
    fn cluster(&self, out: &mut String, cfa: &Cfa) {
        let unit = self.unit;
        let name = unit.name(unit.entities[unit.functions[cfa.function].entity].name);
        let prefix = format!("f{}_", cfa.function.index());
        let _ =
            writeln!(out, "  subgraph cluster_{} {{\n    label=\"{}\";", cfa.function.index(), escaped(name));
        for (what, span) in &cfa.unsupported {
            let _ = writeln!(
                out,
                "    {prefix}note{} [shape=note, label=\"not drawn: {}: {}\"];",
                span.start,
                escaped(what),
                escaped(&self.span(*span))
            );
        }
        for at in 0..cfa.locations {
            let mut more = format!("label=\"{at}\"");
            if at == cfa.entry.index() {
                more.push_str(", shape=box");
            }
            if let Ok(index) = cfa.heads.binary_search_by_key(&at, |head| head.at.index()) {
                let note = if cfa.heads[index].is_irreducible { ", color=red" } else { "" };
                let _ = write!(more, ", shape=doublecircle{note}");
            }
            if at == cfa.exit.index() {
                more.push_str(", shape=doubleoctagon");
            }
            let _ = writeln!(out, "    {prefix}{at} [{more}];");
        }
        for (id, edge) in cfa.edges.iter_enumerated() {
            let mut label = self.op(edge.op);
            if let Ok(index) = cfa.exits.binary_search_by_key(&id, |exit| exit.edge) {
                label.push_str(self.exit(cfa.exits[index].kind));
            }
            let style = if edge.op.is_assumption() { ", style=dashed" } else { "" };
            let (from, to) = (edge.from.index(), edge.to.index());
            let _ =
                writeln!(out, "    {prefix}{from} -> {prefix}{to} [label=\"{}\"{style}];", escaped(&label));
        }
        out.push_str("  }\n");
    }

    fn exit(&self, kind: ExitKind) -> &'static str {
        match kind {
            ExitKind::Return(_) | ExitKind::FallOff => "",
            ExitKind::Exit(_) => " [exit]",
            ExitKind::QuickExit(_) => " [quick exit]",
            ExitKind::Abort(_) => " [abort]",
            ExitKind::NoReturn(_) => " [does not return]",
        }
    }

    fn op(&self, op: Op) -> String {
        let unit = self.unit;
        let name = |entity| unit.name(unit.entities[entity as crate::ast::EntityId].name).to_owned();
        match op {
            Op::Skip => String::new(),
            Op::Eval(expr) | Op::Call(expr) => self.expr(expr),
            Op::Place(expr) => format!("&{}", self.expr(expr)),
            Op::Choose(expr, part) => format!("{} := {}", self.expr(expr), self.expr(part)),
            Op::Truth(expr, truth) => format!("{} := {}", self.expr(expr), u8::from(truth)),
            Op::Assume(expr, true) => format!("[{}]", self.expr(expr)),
            Op::Assume(expr, false) => format!("[!({})]", self.expr(expr)),
            Op::Case(expr, low, high) if low == high => format!("[{} == {low}]", self.expr(expr)),
            Op::Case(expr, low, high) => format!("[{low} <= {} <= {high}]", self.expr(expr)),
            Op::Default(expr) => format!("[{} otherwise]", self.expr(expr)),
            Op::Label(expr, label) => {
                format!("[{} == &&{}]", self.expr(expr), unit.name(unit.labels[label].name))
            }
            Op::Declare(entity) => {
                let entity = &unit.entities[entity];
                format!("{};", unit.types.declaration(&unit.names, entity.ty, unit.name(entity.name)))
            }
            Op::Zero(decl) => {
                unit.decls[decl].entity.map_or_else(String::new, |id| format!("{} := 0", name(id)))
            }
            Op::Init(decl, init) => {
                let variable = unit.decls[decl].entity.map_or_else(String::new, name);
                format!("{variable} := {}", self.span(unit.inits[init].span))
            }
            Op::Asm(stmt) | Op::Return(stmt) => self.span(unit.stmts[stmt].span),
            Op::FallOff => "end of the function".into(),
        }
    }

    fn expr(&self, expr: ExprId) -> String {
        self.span(self.unit.exprs[expr].span)
    }

    /// The text at a place, on one line.
    fn span(&self, span: Span) -> String {
        let range = (span.start - self.base) as usize..(span.end - self.base) as usize;
        let bytes = self.text.get(range).unwrap_or(&[]);
        let bytes = &bytes[..bytes.len().min(4 * LONGEST)];
        let text = String::from_utf8_lossy(bytes);
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match line.char_indices().nth(LONGEST) {
            Some((at, _)) => format!("{}…", &line[..at]),
            None => line,
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
