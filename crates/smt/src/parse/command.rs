//! SMT-LIB commands.

use super::Parser;
use crate::scope::{Binding, SortBinding};
use crate::sexpr::{Kind, NodeIdx};
use crate::sort::{Sort, SortDeclId, SortId};
use crate::term::{Fun, FunId, Role, TermId};
use base::intern::SymbolId;
use diag::{Diagnostic, codes};

/// A checked SMT-LIB command. Attribute values stay text: their meaning is the reader's business.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// `set-logic`.
    SetLogic(SymbolId),
    /// `set-info`: keyword and value as written, or an empty value.
    SetInfo(String, String),
    /// `set-option`: keyword and value as written.
    SetOption(String, String),
    /// `declare-sort`.
    DeclareSort(SortDeclId),
    /// `define-sort`: name, parameters, body.
    DefineSort(SymbolId, Vec<SymbolId>, SortId),
    /// `declare-datatype`, `declare-datatypes`.
    DeclareDatatypes(Vec<SortDeclId>),
    /// `declare-heap`: the heap's sort and the datatypes of its objects.
    DeclareHeap(SortDeclId, Vec<SortDeclId>),
    /// `declare-fun`, `declare-const`.
    DeclareFun(FunId),
    /// `define-fun`, `define-const`.
    DefineFun(FunId),
    /// `define-fun-rec`, `define-funs-rec`.
    DefineFunsRec(Vec<FunId>),
    /// `assert`.
    Assert(TermId),
    /// `declare-var`: any value, in each rule another one.
    DeclareVar(FunId),
    /// `rule`: a formula that holds, whatever the variables are.
    Rule(TermId),
    /// `query`: whether a formula follows for some values of the variables.
    Query(TermId),
    /// `get-assertions`.
    GetAssertions,
    /// `get-info`.
    GetInfo(String),
    /// `get-option`.
    GetOption(String),
    /// `push n`.
    Push(u32),
    /// `pop n`.
    Pop(u32),
    /// A command that asks a solver something or ends the script: its name and, if it has them, terms.
    Solver(&'static str, Vec<TermId>),
}

/// A signature that was read: name, its place, formal parameters, result.
struct Signature {
    name: SymbolId,
    place: NodeIdx,
    params: NodeIdx,
    sorts: Box<[SortId]>,
    result: SortId,
}

/// Commands without arguments that only a solver answers.
const SOLVER: &[&str] = &[
    "check-sat",
    "exit",
    "get-assignment",
    "get-model",
    "get-proof",
    "get-unsat-assumptions",
    "get-unsat-core",
    "reset",
    "reset-assertions",
];

impl Parser<'_> {
    /// Reads an SMT-LIB command. `None` when it has errors, or is no SMT-LIB command, which
    /// [`Parser::unknown_command`] reports.
    pub fn command(&mut self, node: NodeIdx, word: &str) -> Option<Command> {
        self.noticed = super::Noticed::default();
        let before = self.errors.len();
        let command = self.any_command(node, word);
        // Some problems leave a term that could be used; the command is left out all the same.
        command.filter(|_| !self.errors[before..].iter().any(Diagnostic::is_error))
    }

    fn any_command(&mut self, node: NodeIdx, word: &str) -> Option<Command> {
        match word {
            "define-fun" | "define-const" => self.define_fun(node, word == "define-const"),
            "declare-fun" | "declare-const" => self.declare_fun(node, word == "declare-const"),
            "assert" => {
                let [formula] = self.exactly(node, "(assert formula)")?;
                let term = self.term_of_sort(formula, SortId::BOOL, "the asserted term");
                (term != TermId::ERROR).then_some(Command::Assert(term))
            }
            "set-logic" => {
                let [name] = self.exactly(node, "(set-logic name)")?;
                self.symbol(name, "the name of a logic").map(Command::SetLogic)
            }
            "set-info" => self.attribute(node, 0).map(|(key, value)| Command::SetInfo(key, value)),
            "set-option" => self.attribute(node, 1).map(|(key, value)| Command::SetOption(key, value)),
            "get-info" | "get-option" => {
                let [_] = self.exactly(node, &format!("({word} :keyword)"))?;
                let (key, _) = self.attribute(node, 0)?;
                Some(if word == "get-info" { Command::GetInfo(key) } else { Command::GetOption(key) })
            }
            "declare-sort" => self.declare_sort(node),
            "define-sort" => self.define_sort(node),
            "declare-datatype" => self.declare_datatype(node),
            "declare-datatypes" => self.declare_datatypes(node),
            "declare-heap" => self.declare_heap(node),
            "define-fun-rec" => self.define_fun_rec(node),
            "define-funs-rec" => self.define_funs_rec(node),
            "get-assertions" => {
                let [] = self.exactly(node, "(get-assertions)")?;
                Some(Command::GetAssertions)
            }
            "push" | "pop" => {
                let arguments = self.arguments(node, 0, 1, "(push n) or (pop n)")?;
                let levels = arguments.first().map_or(Some(1), |&n| self.small_numeral(n))?;
                Some(if word == "push" { Command::Push(levels) } else { Command::Pop(levels) })
            }
            "check-sat-assuming" | "get-value" => self.solver_terms(node, word == "get-value"),
            "echo" => {
                let [text] = self.exactly(node, "(echo string)")?;
                if self.tree.kind(text) != Kind::String {
                    self.expected("a string", text);
                    return None;
                }
                Some(Command::Solver("echo", Vec::new()))
            }
            _ if super::rules::RULES.contains(&word) => self.rule_command(node, word),
            _ => {
                let name = SOLVER.iter().find(|&&name| name == word)?;
                let [] = self.exactly(node, &format!("({name})"))?;
                Some(Command::Solver(name, Vec::new()))
            }
        }
    }

    /// True for the names that [`Parser::command`] reads.
    #[must_use]
    pub fn is_command(word: &str) -> bool {
        // Nearly all commands of a large file are these.
        matches!(word, "define-fun" | "declare-fun" | "assert") || NAMES.binary_search(&word).is_ok()
    }

    /// Reports a command that nobody knows, with the closest name among `known` and the SMT-LIB ones.
    pub fn unknown_command(&mut self, head: NodeIdx, known: &[&'static str]) {
        let text = self.text.atom(self.tree, head);
        let shown: String = text.chars().take(60).collect();
        let names = NAMES.iter().chain(known).copied();
        let help = match text {
            "define-system" | "check-system" => Some("this is a command of MoXI".to_string()),
            _ => diag::closest(text, names).map(|name| format!("did you mean `{name}`?")),
        };
        let error =
            Diagnostic::new(codes::SMT011, self.tree.span(head), format!("unknown command `{shown}`"));
        self.report(error.help_opt(help));
    }

    /// `(command :key value?)`.
    fn attribute(&mut self, node: NodeIdx, min_values: usize) -> Option<(String, String)> {
        let arguments = self.arguments(node, 1 + min_values, 2, "a keyword and its value")?;
        if self.tree.kind(arguments[0]) != Kind::Keyword {
            self.expected("a keyword", arguments[0]);
            return None;
        }
        let key = self.text.atom(self.tree, arguments[0]).to_string();
        let value = arguments.get(1).map(|&v| self.text.slice(self.tree.span(v)).to_string());
        Some((key, value.unwrap_or_default()))
    }

    fn declare_sort(&mut self, node: NodeIdx) -> Option<Command> {
        let arguments = self.arguments(node, 1, 2, "(declare-sort name arity)")?;
        let name = self.symbol(arguments[0], "a sort's name")?;
        let arity = arguments.get(1).map_or(Some(0), |&n| self.small_numeral(n))?;
        if self.is_taken_sort(arguments[0], name) {
            return None;
        }
        let decl = self.terms.sorts.declare(name, arity);
        self.scope.bind_sort(name, SortBinding::Decl(decl));
        Some(Command::DeclareSort(decl))
    }

    fn define_sort(&mut self, node: NodeIdx) -> Option<Command> {
        let [place, parameters, body] = self.exactly(node, "(define-sort name (parameters) sort)")?;
        let name = self.symbol(place, "a sort's name")?;
        if self.is_taken_sort(place, name) {
            return None;
        }
        let mut params = Vec::new();
        for param in self.tree.children(parameters) {
            params.push(self.symbol(param, "a sort parameter")?);
        }
        let mark = self.scope.mark();
        for &param in &params {
            let sort = self.terms.sorts.mk(Sort::Param(param));
            self.scope.bind_sort(param, SortBinding::Sort(sort));
        }
        let body = self.sort(body);
        self.scope.restore(mark);
        if body == SortId::ERROR {
            return None;
        }
        self.scope.bind_sort(name, SortBinding::Alias(params.clone(), body));
        Some(Command::DefineSort(name, params, body))
    }

    /// Declares a symbol, or reports that it was declared before. What an annotation has named already is the same symbol if
    /// it is the same kind of symbol.
    pub(super) fn declare(&mut self, place: NodeIdx, fun: Fun) -> Option<FunId> {
        let name = fun.name;
        let is_implied = self.scope.implied(name).is_some_and(|named| *self.terms.fun(named) == fun);
        if !is_implied && self.is_taken(place, name) {
            return None;
        }
        let id = self.terms.declare(fun);
        self.scope.bind(name, Binding::Fun(id), self.tree.span(place));
        Some(id)
    }

    fn declare_fun(&mut self, node: NodeIdx, constant: bool) -> Option<Command> {
        let (place, sorts, result) = if constant {
            let [place, result] = self.exactly(node, "(declare-const name sort)")?;
            (place, None, result)
        } else {
            let [place, sorts, result] = self.exactly(node, "(declare-fun name (sorts) sort)")?;
            (place, Some(sorts), result)
        };
        let name = self.symbol(place, "a name")?;
        let mut params = Vec::new();
        if let Some(sorts) = sorts {
            if !self.tree.is_list(sorts) {
                self.expected("a list of sorts", sorts);
                return None;
            }
            for sort in self.tree.children(sorts) {
                params.push(self.sort(sort));
            }
        }
        let result = self.sort(result);
        let bad = result == SortId::ERROR || params.contains(&SortId::ERROR);
        // A symbol with an unknown sort is declared all the same, so that its uses are not reported again.
        let fun = Fun { name, params: params.into(), result, role: Role::Free };
        let id = self.declare(place, fun)?;
        (!bad).then_some(Command::DeclareFun(id))
    }

    fn define_fun(&mut self, node: NodeIdx, constant: bool) -> Option<Command> {
        let (place, params, result, body) = if constant {
            let [place, result, body] = self.exactly(node, "(define-const name sort term)")?;
            (place, None, result, body)
        } else {
            let [place, params, result, body] =
                self.exactly(node, "(define-fun name ((name sort) …) sort term)")?;
            (place, Some(params), result, body)
        };
        let name = self.symbol(place, "a name")?;
        let mark = self.scope.mark();
        let params = params.map_or(Some(Vec::new()), |params| self.sorted_vars(params))?;
        let mut result = self.sort(result);
        let body = match result {
            SortId::ERROR => TermId::ERROR,
            _ if self.scope.next_declares && params.is_empty() => self.carrier_body(body, &mut result),
            _ => self.term_of_sort(body, result, "the body"),
        };
        self.scope.restore(mark);
        let sorts: Box<[SortId]> = params.iter().map(|&p| self.terms.sort(p)).collect();
        if body == TermId::ERROR || params.contains(&TermId::ERROR) {
            // Declared without a body, so that its uses are not reported again.
            self.declare(place, Fun { name, params: sorts, result, role: Role::Free });
            return None;
        }
        let fun = Fun { name, params: sorts, result, role: Role::Defined(params.into(), body) };
        if self.scope.next_declares && !self.noticed.annotations.is_empty() && self.is_defined(name) {
            let what = self.describe(place);
            self.error(codes::VMT002, place, format!("{what} carries an annotation here and another before"));
            return Some(Command::DefineFun(self.terms.declare(fun)));
        }
        self.declare(place, fun).map(Command::DefineFun)
    }

    fn is_defined(&self, name: SymbolId) -> bool {
        matches!(self.scope.get(name), Binding::Fun(fun) if self.terms.definition(fun).is_some())
    }

    /// A body in VMT-LIB. A definition without parameters is another name for its body, and the body's sort counts where
    /// the stated one does not fit; where the body is annotated with `:next`, even where an integer could be made real.
    fn carrier_body(&mut self, node: NodeIdx, result: &mut SortId) -> TermId {
        let term = self.term(node);
        let carries = |p: &Self| {
            let next = |a: &super::Annotation| a.term == term && p.text.atom(p.tree, a.key) == ":next";
            p.noticed.annotations.iter().any(next)
        };
        let found = self.terms.sort(term);
        let fits = self.terms.coerce(term, *result).is_some();
        if found != *result && term != TermId::ERROR && (!fits || carries(self)) {
            let (found_text, stated) =
                (crate::print::sort_text(self.terms, found), crate::print::sort_text(self.terms, *result));
            let message = format!("this has sort {found_text}, its definition says {stated}");
            self.error(codes::VMT001, node, message);
            *result = found;
        }
        self.fit(node, term, *result, "the body")
    }

    fn signature(&mut self, place: NodeIdx, params: NodeIdx, result: NodeIdx) -> Option<Signature> {
        let name = self.symbol(place, "a name")?;
        let mark = self.scope.mark();
        let vars = self.sorted_vars(params);
        self.scope.restore(mark);
        let sorts: Box<[SortId]> = vars?.iter().map(|&v| self.terms.sort(v)).collect();
        let result = self.sort(result);
        let bad = result == SortId::ERROR || sorts.contains(&SortId::ERROR);
        (!bad && !self.is_taken(place, name)).then_some(Signature { name, place, params, sorts, result })
    }

    fn define_fun_rec(&mut self, node: NodeIdx) -> Option<Command> {
        let [place, params, result, body] =
            self.exactly(node, "(define-fun-rec name ((name sort) …) sort term)")?;
        let signature = self.signature(place, params, result)?;
        self.recursive(&[signature], &[body])
    }

    fn define_funs_rec(&mut self, node: NodeIdx) -> Option<Command> {
        let shape = "(define-funs-rec ((name ((name sort) …) sort) …) (term …))";
        let [names, bodies] = self.exactly(node, shape)?;
        let mut signatures = Vec::new();
        for header in self.tree.children(names) {
            let parts: Vec<NodeIdx> = self.tree.children(header).collect();
            let [name, params, result] = parts[..] else {
                self.expected("(name ((name sort) …) sort)", header);
                return None;
            };
            signatures.push(self.signature(name, params, result)?);
        }
        let bodies: Vec<NodeIdx> = self.tree.children(bodies).collect();
        if bodies.len() != signatures.len() {
            let message =
                format!("there are {} names of functions and {} bodies", signatures.len(), bodies.len());
            self.error(codes::SMT010, node, message);
            return None;
        }
        self.recursive(&signatures, &bodies)
    }

    /// Recursive functions are interned by name, rank and bodies: versions are tried until one is new or equal.
    fn recursive(&mut self, signatures: &[Signature], bodies: &[NodeIdx]) -> Option<Command> {
        for version in 0.. {
            let mark = self.scope.mark();
            let mut funs = Vec::new();
            for Signature { name, place, sorts, result, .. } in signatures {
                let fun = Fun {
                    name: *name,
                    params: sorts.clone(),
                    result: *result,
                    role: Role::Recursive(version),
                };
                funs.push(self.declare(*place, fun)?);
            }
            let mut definitions = Vec::new();
            for (signature, &body) in signatures.iter().zip(bodies) {
                let inner = self.scope.mark();
                let params = self.sorted_vars(signature.params)?;
                let body = self.term_of_sort(body, signature.result, "the body");
                self.scope.restore(inner);
                definitions.push((params.into_boxed_slice(), body));
            }
            if definitions.iter().any(|d| d.1 == TermId::ERROR) {
                return None;
            }
            let same = |(&fun, (params, body)): (&FunId, &(Box<[TermId]>, TermId))| {
                self.terms.recursive_definition(fun).is_none_or(|old| old == (&**params, *body))
            };
            if !funs.iter().zip(&definitions).all(same) {
                self.scope.restore(mark);
                continue;
            }
            for (&fun, (params, body)) in funs.iter().zip(definitions) {
                self.terms.define_recursive(fun, params, body);
            }
            return Some(Command::DefineFunsRec(funs));
        }
        None
    }

    fn solver_terms(&mut self, node: NodeIdx, values: bool) -> Option<Command> {
        let name = if values { "get-value" } else { "check-sat-assuming" };
        let [list] = self.exactly(node, &format!("({name} (term …))"))?;
        if !self.tree.is_list(list) {
            self.expected("a list of terms", list);
            return None;
        }
        let mut terms = Vec::new();
        for item in self.tree.children(list) {
            terms.push(if values {
                self.term(item)
            } else {
                self.term_of_sort(item, SortId::BOOL, "the assumption")
            });
        }
        (!terms.contains(&TermId::ERROR)).then_some(Command::Solver(name, terms))
    }
}

/// The names of all SMT-LIB commands that are read.
pub static NAMES: &[&str] = &[
    // tidy: sorted
    "assert",
    "check-sat",
    "check-sat-assuming",
    "declare-const",
    "declare-datatype",
    "declare-datatypes",
    "declare-fun",
    "declare-heap",
    "declare-sort",
    "define-const",
    "define-fun",
    "define-fun-rec",
    "define-funs-rec",
    "define-sort",
    "echo",
    "exit",
    "get-assertions",
    "get-assignment",
    "get-info",
    "get-model",
    "get-option",
    "get-proof",
    "get-unsat-assumptions",
    "get-unsat-core",
    "get-value",
    "pop",
    "push",
    "reset",
    "reset-assertions",
    "set-info",
    "set-logic",
    "set-option",
    // tidy: end
];

#[cfg(test)]
mod tests {
    #[test]
    fn names_can_be_searched() {
        assert!(super::NAMES.is_sorted());
    }
}
