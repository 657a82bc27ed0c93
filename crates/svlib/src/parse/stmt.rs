//! Statements, by a machine with an explicit stack.

use super::Reading;
use crate::syntax::{At, ProcId, Stmt, StmtId, StmtKind};
use base::intern::SymbolId;
use diag::{Diagnostic, codes};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::scope::Relational;
use smt::sexpr::NodeIdx;
use smt::sort::SortId;
use smt::term::{FunId, TermId};

/// A statement whose parts are being read.
enum Frame {
    /// `sequence` and `choice`: the parts still to read are the siblings from `next` to `end`.
    List {
        node: NodeIdx,
        choice: bool,
        next: NodeIdx,
        end: NodeIdx,
        done: Vec<StmtId>,
    },
    If {
        node: NodeIdx,
        condition: TermId,
        rest: Option<NodeIdx>,
        done: Vec<StmtId>,
    },
    While {
        node: NodeIdx,
        condition: TermId,
    },
    /// `(! s …)` with `s` under way.
    Annotated {
        node: NodeIdx,
    },
}

/// What holds for the body of one procedure.
struct Body {
    proc: ProcId,
    old_tag: Option<SymbolId>,
    /// How many loops are open.
    loops: usize,
    labels: FxHashMap<SymbolId, At>,
    gotos: Vec<(SymbolId, NodeIdx)>,
    /// The statement finished last.
    last: Option<StmtId>,
}

/// The words that begin a statement.
static STATEMENTS: &[&str] = &[
    "!", "assign", "assume", "break", "call", "choice", "continue", "goto", "havoc", "if", "label", "return",
    "sequence", "while",
];

impl Reading<'_, '_> {
    /// Reads the body of a procedure. After an error the statement is an empty sequence.
    pub(super) fn statement(&mut self, proc: ProcId, node: NodeIdx, old_tag: Option<SymbolId>) -> StmtId {
        let mut body =
            Body { proc, old_tag, loops: 0, labels: FxHashMap::default(), gotos: Vec::new(), last: None };
        let (mut frames, mut next) = (Vec::new(), Some(node));
        loop {
            next = match (next, frames.is_empty()) {
                (Some(node), _) => self.start(&mut body, node, &mut frames),
                (None, false) => frames.pop().and_then(|frame| self.resume(&mut body, frame, &mut frames)),
                (None, true) => break,
            };
        }
        for (label, node) in std::mem::take(&mut body.gotos) {
            if !body.labels.contains_key(&label) {
                self.missing_label(&body, label, node);
            }
        }
        match body.last {
            Some(stmt) => stmt,
            None => self.finish(&mut body, node, StmtKind::Sequence(Vec::new())),
        }
    }

    fn missing_label(&mut self, body: &Body, label: SymbolId, node: NodeIdx) {
        let names = &self.parser.terms.names;
        let (text, known) = (names.text(label), body.labels.keys().map(|&l| names.text(l)));
        let help = diag::closest(text, known).map(|name| format!("did you mean `{name}`?"));
        let message = format!("the procedure has no label `{text}`");
        let error = Diagnostic::new(codes::SV108, self.parser.tree.span(node), message);
        self.parser.errors.push(error.help_opt(help));
    }

    /// Adds a finished statement.
    fn finish(&mut self, body: &mut Body, node: NodeIdx, kind: StmtKind) -> StmtId {
        let at = At(self.parser.tree.span(node));
        let stmt = Stmt {
            kind,
            tags: Vec::new(),
            properties: Vec::new(),
            attributes: Vec::new(),
            at,
            whole: at,
            proc: body.proc,
        };
        let id = self.state.script.stmts.push(stmt);
        body.last = Some(id);
        id
    }

    /// Begins a statement: finishes it, or leaves a frame and perhaps says which part to begin next.
    fn start(&mut self, body: &mut Body, node: NodeIdx, frames: &mut Vec<Frame>) -> Option<NodeIdx> {
        let tree = self.parser.tree;
        let word = tree.head(node).and_then(|head| self.parser.text.symbol(tree, head)).unwrap_or_default();
        let kind = match word {
            "sequence" | "choice" => {
                self.start_list(body, node, word == "choice", frames);
                return None;
            }
            "if" => return self.start_if(body, node, frames),
            "while" => return self.start_while(body, node, frames),
            "!" => match tree.children(node).nth(1) {
                Some(inner) => {
                    frames.push(Frame::Annotated { node });
                    return Some(inner);
                }
                None => {
                    self.parser.error(codes::SMT010, node, "expected (! statement :keyword …)");
                    None
                }
            },
            "assume" => self.assume(node),
            "assign" => self.assign(node),
            "call" => self.call(node),
            "havoc" => self.havoc(node),
            "label" | "goto" => self.jump(body, node, word == "label"),
            "return" | "break" | "continue" => self.leave(body, node, word),
            _ => {
                self.unknown_statement(node, word);
                None
            }
        };
        self.finish(body, node, kind.unwrap_or(StmtKind::Sequence(Vec::new())));
        None
    }

    fn unknown_statement(&mut self, node: NodeIdx, word: &str) {
        let found = self.parser.describe(node);
        let help =
            diag::closest(word, STATEMENTS.iter().copied()).map(|name| format!("did you mean `{name}`?"));
        let error = Diagnostic::new(
            codes::SMT010,
            self.parser.tree.span(node),
            format!("expected a statement, found {found}"),
        );
        self.parser.errors.push(error.help_opt(help));
    }

    /// Goes on with a frame whose last part is finished.
    fn resume(&mut self, body: &mut Body, frame: Frame, frames: &mut Vec<Frame>) -> Option<NodeIdx> {
        match frame {
            Frame::List { node, choice, next, end, mut done } => {
                done.extend(body.last.take());
                if next < end {
                    frames.push(Frame::List { node, choice, next: self.parser.tree.next(next), end, done });
                    return Some(next);
                }
                let kind = if choice { StmtKind::Choice(done) } else { StmtKind::Sequence(done) };
                self.finish(body, node, kind);
            }
            Frame::If { node, condition, rest, mut done } => {
                done.extend(body.last.take());
                if let Some(rest) = rest {
                    frames.push(Frame::If { node, condition, rest: None, done });
                    return Some(rest);
                }
                self.finish(body, node, StmtKind::If(condition, done[0], done.get(1).copied()));
            }
            Frame::While { node, condition } => {
                body.loops -= 1;
                if let Some(inner) = body.last.take() {
                    self.finish(body, node, StmtKind::While(condition, inner));
                }
            }
            Frame::Annotated { node } => {
                if let Some(stmt) = body.last {
                    self.parser.scope.relational = Some(Relational { old_tag: body.old_tag });
                    self.attributes(stmt, node);
                    self.parser.scope.relational = None;
                    self.state.script.stmts[stmt].whole = At(self.parser.tree.span(node));
                }
            }
        }
        None
    }

    fn start_list(&mut self, body: &mut Body, node: NodeIdx, choice: bool, frames: &mut Vec<Frame>) {
        let tree = self.parser.tree;
        let (mut next, mut end) = (tree.next(node + 1), tree.next(node));
        let parts: Vec<NodeIdx> = tree.siblings(next, end).take(2).collect();
        if choice {
            // Some tools put the alternatives into a list of their own: then the only part begins with a list.
            if let [only] = parts[..]
                && tree.head(only).is_some_and(|head| tree.is_list(head))
            {
                let error = Diagnostic::new(
                    codes::SV313,
                    tree.span(only),
                    "the alternatives stand in a list of their own",
                );
                self.parser.errors.push(error.help("write (choice statement …)"));
                (next, end) = (only + 1, tree.next(only));
            }
            if next == end {
                self.parser.error(
                    codes::SMT010,
                    node,
                    "expected (choice statement …) with at least one statement",
                );
            }
        }
        body.last = None;
        frames.push(Frame::List { node, choice, next, end, done: Vec::new() });
    }

    /// A condition: rule 8.1 (e).
    fn condition(&mut self, node: NodeIdx, what: &str) -> TermId {
        let term = self.parser.term(node);
        let sort = self.parser.terms.sort(term);
        if sort != SortId::BOOL && sort != SortId::ERROR {
            let found = smt::print::sort_text(self.parser.terms, sort);
            self.parser.error(
                codes::SV105,
                node,
                format!("the condition of `{what}` has sort {found}, expected Bool"),
            );
            return TermId::ERROR;
        }
        term
    }

    fn start_if(&mut self, body: &mut Body, node: NodeIdx, frames: &mut Vec<Frame>) -> Option<NodeIdx> {
        let Some(parts) = self.parser.arguments(node, 2, 3, "(if condition statement statement?)") else {
            self.finish(body, node, StmtKind::Sequence(Vec::new()));
            return None;
        };
        let condition = self.condition(parts[0], "if");
        body.last = None;
        frames.push(Frame::If { node, condition, rest: parts.get(2).copied(), done: Vec::new() });
        Some(parts[1])
    }

    fn start_while(&mut self, body: &mut Body, node: NodeIdx, frames: &mut Vec<Frame>) -> Option<NodeIdx> {
        let Some(parts) = self.parser.arguments(node, 2, 2, "(while condition statement)") else {
            self.finish(body, node, StmtKind::Sequence(Vec::new()));
            return None;
        };
        let condition = self.condition(parts[0], "while");
        body.loops += 1;
        frames.push(Frame::While { node, condition });
        Some(parts[1])
    }

    fn assume(&mut self, node: NodeIdx) -> Option<StmtKind> {
        let [condition] = self.parser.arguments(node, 1, 1, "(assume condition)")?[..] else { return None };
        let term = self.condition(condition, "assume");
        (term != TermId::ERROR).then_some(StmtKind::Assume(term))
    }

    fn assign(&mut self, node: NodeIdx) -> Option<StmtKind> {
        let pairs = self.parser.arguments(node, 1, usize::MAX, "(assign (variable term) …)")?;
        let (mut assigned, mut bad) = (Vec::new(), false);
        for &pair in &pairs {
            let parts: Vec<NodeIdx> = self.parser.tree.children(pair).collect();
            let [name, value] = parts[..] else {
                self.parser.expected("(variable term)", pair);
                bad = true;
                continue;
            };
            let Some(variable) = self.assignable(name) else {
                self.parser.term(value);
                bad = true;
                continue;
            };
            let value = self.parser.term_of_sort(value, self.sort_of(variable), "the assigned term");
            bad |= value == TermId::ERROR;
            assigned.push((variable, value));
        }
        let names: Vec<NodeIdx> = pairs.iter().filter_map(|&p| self.parser.tree.head(p)).collect();
        self.distinct(&names, assigned.iter().map(|a| a.0));
        (!bad).then_some(StmtKind::Assign(assigned))
    }

    /// Variables that are assigned at once must be different ones.
    fn distinct(&mut self, nodes: &[NodeIdx], variables: impl Iterator<Item = FunId>) {
        let mut seen = FxHashSet::default();
        for (&node, variable) in nodes.iter().zip(variables) {
            if !seen.insert(variable) {
                let what = self.parser.describe(node);
                self.parser.error(codes::SV320, node, format!("{what} is assigned twice by one statement"));
            }
        }
    }

    fn call(&mut self, node: NodeIdx) -> Option<StmtKind> {
        let parts = self.parser.arguments(node, 3, 3, "(call procedure (term …) (variable …))")?;
        let proc = self.find_proc(parts[0])?;
        let args = self.call_args(proc, parts[0], parts[1]);
        if !self.parser.tree.is_list(parts[2]) {
            self.parser.expected("a list of variables", parts[2]);
            return None;
        }
        let nodes: Vec<NodeIdx> = self.parser.tree.children(parts[2]).collect();
        let outputs = self.state.script.procs[proc].outputs.clone();
        if nodes.len() != outputs.len() {
            let what = self.parser.describe(parts[0]);
            let message = format!("{what} has {} results, not {}", outputs.len(), nodes.len());
            self.parser.error(codes::SV111, parts[2], message);
            return None;
        }
        let mut results = Vec::new();
        for (&node, &output) in nodes.iter().zip(&outputs) {
            let variable = self.assignable(node)?;
            let (wanted, found) = (self.sort_of(output), self.sort_of(variable));
            if wanted != found && wanted != SortId::ERROR && found != SortId::ERROR {
                let (wanted, found) = (
                    smt::print::sort_text(self.parser.terms, wanted),
                    smt::print::sort_text(self.parser.terms, found),
                );
                let message = format!("the result has sort {wanted}, the variable {found}");
                self.parser.error(codes::SMT015, node, message);
            }
            results.push(variable);
        }
        self.distinct(&nodes, results.iter().copied());
        Some(StmtKind::Call(proc, args?, results))
    }

    fn havoc(&mut self, node: NodeIdx) -> Option<StmtKind> {
        let nodes = self.parser.arguments(node, 1, usize::MAX, "(havoc variable …)")?;
        let mut variables = Vec::new();
        for &node in &nodes {
            variables.extend(self.assignable(node));
        }
        self.distinct(&nodes, variables.iter().copied());
        (variables.len() == nodes.len()).then_some(StmtKind::Havoc(variables))
    }

    fn jump(&mut self, body: &mut Body, node: NodeIdx, label: bool) -> Option<StmtKind> {
        let shape = if label { "(label name)" } else { "(goto label)" };
        let [name] = self.parser.arguments(node, 1, 1, shape)?[..] else { return None };
        let symbol = self.parser.symbol(name, "a label")?;
        if !label {
            body.gotos.push((symbol, name));
            return Some(StmtKind::Goto(symbol));
        }
        let at = At(self.parser.tree.span(name));
        if let Some(first) = body.labels.insert(symbol, at) {
            let what = self.parser.describe(name);
            let error = Diagnostic::new(
                codes::SV107,
                at.0,
                format!("the label {what} stands twice in one procedure"),
            );
            self.parser.errors.push(error.note_at(first.0, "the first one is here"));
        }
        Some(StmtKind::Label(symbol))
    }

    fn leave(&mut self, body: &mut Body, node: NodeIdx, word: &str) -> Option<StmtKind> {
        self.parser.arguments(node, 0, 0, &format!("({word})"))?;
        if word == "return" {
            return Some(StmtKind::Return);
        }
        if body.loops == 0 {
            self.parser.error(codes::SMT010, node, format!("`{word}` stands outside any loop"));
            return None;
        }
        Some(if word == "break" { StmtKind::Break } else { StmtKind::Continue })
    }
}
