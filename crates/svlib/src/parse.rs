//! Reading scripts: one command at a time into a [`Builder`], which a session keeps alive.
//!
//! The kernel reports problems with its own codes; [`recode`] turns them into the rules of section 8 that they
//! break. A command with an error is left out, and reading goes on, so that one run reports everything.

use crate::syntax::{At, Command, CommandKind, ProcId, Script, StmtId};
use base::intern::SymbolId;
use diag::{Diagnostic, FileId, SourceMap, Span, codes};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::parse::Parser;
use smt::scope::{Binding, Scope};
use smt::sexpr::{Kind, NodeIdx, Reader, Text, Tree};
use smt::term::{FunId, Role, TermId, Terms, VarKind};

mod proc;
mod property;
mod recode;
mod stmt;
mod trace;

pub use recode::Context;

/// After so many errors the rest of a script is not looked at.
const MANY: usize = 100;

/// The commands that SV-LIB adds to SMT-LIB.
pub static COMMANDS: &[&str] = &[
    "annotate-tag",
    "declare-var",
    "define-proc",
    "define-procs-rec",
    "get-witness",
    "select-trace",
    "verify-call",
];

/// The SMT-LIB commands that SV-LIB takes over (figure 10).
static FROM_SMT_LIB: &[&str] = &[
    "assert",
    "declare-const",
    "declare-datatype",
    "declare-datatypes",
    "declare-fun",
    "declare-sort",
    "define-const",
    "define-fun",
    "define-fun-rec",
    "define-funs-rec",
    "define-sort",
    "get-assertions",
    "get-info",
    "get-option",
    "set-info",
    "set-logic",
    "set-option",
];

/// An `annotate-tag` that is kept: a procedure defined later may bring more statements with the tag.
struct Pending {
    command: usize,
    text: String,
    base: u32,
    tree: Tree,
}

/// A script under construction.
pub struct Builder {
    /// What names mean at the end of the script so far.
    pub scope: Scope,
    /// What was read so far.
    pub state: State,
}

/// What was read so far.
#[derive(Default)]
pub struct State {
    /// The script so far.
    pub script: Script,
    procs: FxHashMap<SymbolId, ProcId>,
    tags: FxHashMap<SymbolId, Vec<StmtId>>,
    pending: Vec<Pending>,
    /// The pending annotations of each tag.
    waiting: FxHashMap<SymbolId, Vec<usize>>,
    /// `at` terms whose tag must turn up by the end of the command.
    at_terms: Vec<(FunId, Span)>,
    structural_errors: usize,
    /// Procedures whose headers could not be read: their uses are not reported again.
    broken: FxHashSet<SymbolId>,
}

/// One command being read: the kernel's parser with the script around it.
pub(crate) struct Reading<'a, 'b> {
    parser: Parser<'a>,
    state: &'b mut State,
}

impl Builder {
    /// An empty script.
    #[must_use]
    pub fn new(terms: &mut Terms) -> Self {
        Self { scope: Scope::new(terms), state: State::default() }
    }

    /// Reads the command in `tree`. Returns true when it was added to the script.
    pub fn command(
        &mut self,
        terms: &mut Terms,
        text: Text<'_>,
        tree: &Tree,
        errors: &mut Vec<Diagnostic>,
    ) -> bool {
        self.command_at(terms, text, tree, 0, errors)
    }

    /// Reads the command at `node` of `tree`.
    pub fn command_at(
        &mut self,
        terms: &mut Terms,
        text: Text<'_>,
        tree: &Tree,
        node: NodeIdx,
        errors: &mut Vec<Diagnostic>,
    ) -> bool {
        let before = errors.len();
        reserved_symbols(text, tree, node, errors);
        let mut found = Vec::new();
        let parser = Parser::new(terms, &mut self.scope, text, tree, &mut found);
        let mut reading = Reading { parser, state: &mut self.state };
        let kinds = reading.command(node);
        self.scope.commit();
        errors.extend(found.into_iter().map(recode::structural));
        let structural = errors[before..].iter().filter(|e| e.is_error() && e.code.name() < "SV2").count();
        self.state.structural_errors += structural;
        let Some(kinds) = kinds else { return false };
        let at = At(tree.span(node));
        self.state.script.commands.extend(kinds.into_iter().map(|kind| Command { kind, at }));
        true
    }
}

impl State {
    /// True when a rule of section 8.1 was broken so far.
    #[must_use]
    pub fn has_structural_errors(&self) -> bool {
        self.structural_errors > 0
    }

    /// The statements that have a tag so far.
    #[must_use]
    pub fn tagged(&self, tag: SymbolId) -> &[StmtId] {
        self.tags.get(&tag).map_or(&[], Vec::as_slice)
    }
}

/// Reads files as one script, in the order given. The builder and all findings of reading.
pub fn read(terms: &mut Terms, sources: &SourceMap, files: &[FileId]) -> (Builder, Vec<Diagnostic>) {
    let (mut builder, mut errors) = (Builder::new(terms), Vec::new());
    for &file in files {
        read_file(&mut builder, terms, Text::new(sources.text(file), sources.base(file)), &mut errors);
    }
    (builder, errors)
}

/// Reads the commands of one file into the builder.
pub fn read_file(builder: &mut Builder, terms: &mut Terms, text: Text<'_>, errors: &mut Vec<Diagnostic>) {
    let (mut reader, mut tree) = (Reader::new(text), Tree::new());
    let (mut seen, mut many) = (0, 0);
    loop {
        let mut lexical = Vec::new();
        let more = reader.read(&mut tree, &mut lexical);
        errors.extend(lexical.into_iter().map(recode::structural));
        // Warnings do not count: nothing of a script that is used may be left out.
        many += errors[seen..].iter().filter(|e| e.is_error()).count();
        seen = errors.len();
        if !more || many >= MANY {
            return;
        }
        builder.command(terms, text, &tree, errors);
    }
}

/// Rule 8.1 (d): symbols that begin with `#` belong to the verifier. Only a quoted symbol can begin so.
fn reserved_symbols(text: Text<'_>, tree: &Tree, node: NodeIdx, errors: &mut Vec<Diagnostic>) {
    for i in node..tree.next(node) {
        if tree.kind(i) == Kind::Quoted && text.atom(tree, i).starts_with('#') {
            let shown: String = text.slice(tree.span(i)).chars().take(60).collect();
            let message = format!("the symbol {shown} begins with `#`, which is reserved for verifiers");
            errors.push(Diagnostic::new(codes::SV104, tree.span(i), message));
        }
    }
}

impl Reading<'_, '_> {
    fn command(&mut self, node: NodeIdx) -> Option<Vec<CommandKind>> {
        let tree = self.parser.tree;
        let Some(head) = tree.head(node).filter(|&h| tree.is_symbol(h)) else {
            self.parser.expected("a command", node);
            return None;
        };
        let word = self.parser.text.atom(tree, head);
        let kind = match word {
            "declare-var" => self.declare_var(node),
            "define-proc" => self.define_proc(node),
            "define-procs-rec" => self.define_procs_rec(node),
            "annotate-tag" => self.annotate_tag(node),
            "select-trace" => self.select_trace(node),
            "get-witness" => {
                self.parser.arguments(node, 0, 0, "(get-witness)")?;
                Some(CommandKind::GetWitness)
            }
            "get-proof" | "get-counterexample" => {
                let error =
                    Diagnostic::new(codes::SV317, tree.span(head), format!("`{word}` is a command of K3"));
                self.parser.errors.push(error.help("SV-LIB has `get-witness` for it"));
                None
            }
            _ if word.ends_with("-call") => self.call_command(node, word),
            _ if FROM_SMT_LIB.contains(&word) => return self.smt_command(node, word),
            _ if Parser::is_command(word) => {
                let message = format!("`{word}` is a command of SMT-LIB, but not of SV-LIB");
                self.parser.error(codes::SV101, head, message);
                None
            }
            _ => {
                self.parser.unknown_command(head, COMMANDS);
                None
            }
        };
        kind.map(|kind| vec![kind])
    }

    /// A command of SMT-LIB. Terms named inside it become definitions before it.
    fn smt_command(&mut self, node: NodeIdx, word: &str) -> Option<Vec<CommandKind>> {
        use smt::parse::Command as Smt;
        let command = self.parser.command(node, word)?;
        match &command {
            Smt::SetOption(key, value) => self.output_option(node, key, value),
            Smt::Assert(term) => {
                if let Some((fun, by)) = variable_behind(self.parser.terms, *term) {
                    let name = |fun| self.parser.terms.fun_name(fun);
                    let how = by.map(|by| format!(", as the definition of `{}` does", name(by)));
                    let (name, how) = (name(fun), how.unwrap_or_default());
                    let message =
                        format!("an assertion must not speak of the program variable `{name}`{how}");
                    let error = Diagnostic::new(codes::SV318, self.parser.tree.span(node), message);
                    self.parser
                        .errors
                        .push(error.help("use an `assume` statement at the beginning of the entry"));
                    return None;
                }
            }
            _ => {}
        }
        let mut kinds: Vec<CommandKind> =
            self.parser.noticed.named.iter().map(|&fun| CommandKind::Smt(Smt::DefineFun(fun))).collect();
        kinds.push(CommandKind::Smt(command));
        Some(kinds)
    }

    /// Options by which a script would make the tool write a file.
    fn output_option(&mut self, node: NodeIdx, key: &str, value: &str) {
        let file = value.trim_matches('"');
        if key.ends_with("-output-channel") && !matches!(file, "stdout" | "stderr") {
            let message = format!("the script asks for output to be written to the file {value}");
            let error = Diagnostic::new(codes::SV316, self.parser.tree.span(node), message);
            self.parser.errors.push(error.help("this is refused unless --allow-file-output is given"));
        }
    }

    fn declare_var(&mut self, node: NodeIdx) -> Option<CommandKind> {
        let arguments = self.parser.arguments(node, 2, 2, "(declare-var name sort)")?;
        let name = self.parser.symbol(arguments[0], "a variable's name")?;
        let sort = self.parser.sort(arguments[1]);
        if matches!(self.parser.scope.get(name), Binding::Fun(_) | Binding::Generic(_)) {
            self.declared_twice(arguments[0], name);
            return None;
        }
        let fun = self.variable(name, sort, VarKind::Global, None);
        self.parser.scope.bind(name, Binding::Fun(fun), self.parser.tree.span(arguments[0]));
        (sort != smt::sort::SortId::ERROR).then_some(CommandKind::DeclareVar(fun))
    }

    fn declared_twice(&mut self, node: NodeIdx, name: SymbolId) {
        let what = self.parser.describe(node);
        let mut error =
            Diagnostic::new(codes::SV102, self.parser.tree.span(node), format!("{what} is declared already"));
        if let Some(span) = self.parser.scope.declared_at(name) {
            error = error.note_at(span, "the first declaration is here");
        }
        self.parser.errors.push(error);
    }

    fn variable(
        &mut self,
        name: SymbolId,
        sort: smt::sort::SortId,
        kind: VarKind,
        proc: Option<SymbolId>,
    ) -> FunId {
        let role = Role::Variable(kind, proc);
        self.parser.terms.declare(smt::term::Fun { name, params: Box::new([]), result: sort, role })
    }

    /// `(verify-call p (t …))` and the like.
    fn call_command(&mut self, node: NodeIdx, word: &str) -> Option<CommandKind> {
        let arguments = self.parser.arguments(node, 2, 2, &format!("({word} procedure (term …))"))?;
        let proc = self.find_proc(arguments[0])?;
        let args = self.call_args(proc, arguments[0], arguments[1])?;
        Some(CommandKind::Call(word.to_string(), proc, args))
    }

    /// The procedure named at a node, or a report.
    fn find_proc(&mut self, node: NodeIdx) -> Option<ProcId> {
        let name = self.parser.symbol(node, "a procedure's name")?;
        if let Some(&proc) = self.state.procs.get(&name) {
            return Some(proc);
        }
        if self.state.broken.contains(&name) {
            return None;
        }
        let text = self.parser.terms.names.text(name).to_string();
        let known = self.state.procs.keys().map(|&n| self.parser.terms.names.text(n));
        let help = diag::closest(&text, known).map(|name| format!("did you mean `{name}`?"));
        let message = format!("the procedure `{text}` is not defined before this use");
        let error = Diagnostic::new(codes::SV103, self.parser.tree.span(node), message);
        self.parser.errors.push(error.help_opt(help));
        None
    }

    /// The arguments of a call, checked against the procedure's inputs.
    fn call_args(&mut self, proc: ProcId, name: NodeIdx, list: NodeIdx) -> Option<Vec<TermId>> {
        if !self.parser.tree.is_list(list) {
            self.parser.expected("a list of arguments", list);
            return None;
        }
        let nodes: Vec<NodeIdx> = self.parser.tree.children(list).collect();
        let inputs = self.state.script.procs[proc].inputs.clone();
        if nodes.len() != inputs.len() {
            let what = self.parser.describe(name);
            let message = format!("{what} takes {} arguments, not {}", inputs.len(), nodes.len());
            self.parser.error(codes::SV111, list, message);
            return None;
        }
        let mut args = Vec::new();
        for (node, input) in nodes.into_iter().zip(inputs) {
            let sort = self.parser.terms.fun(input).result;
            args.push(self.parser.term_of_sort(node, sort, "the argument"));
        }
        (!args.contains(&TermId::ERROR)).then_some(args)
    }
}

/// A program variable that a term speaks of, and the function in whose definition it stands if it does so indirectly.
fn variable_behind(terms: &Terms, term: TermId) -> Option<(FunId, Option<FunId>)> {
    let (mut todo, mut seen) = (vec![(term, None)], FxHashSet::default());
    while let Some((term, by)) = todo.pop() {
        for fun in smt::subst::functions(terms, term) {
            if let Role::Variable(..) = terms.fun(fun).role {
                return Some((fun, by));
            }
            if seen.insert(fun) {
                todo.extend(terms.definition(fun).map(|(_, body)| (body, Some(fun))));
            }
        }
    }
    None
}
