//! Annotations: `:tag`, properties and other attributes of statements, and `annotate-tag`.

use super::{Context, Pending, Reading};
use crate::syntax::{
    At, CommandKind, PROPERTIES, ProcId, Property, PropertyKind, StmtId, TagAnnotation, TagProperty,
};
use base::id::Id;
use base::intern::SymbolId;
use diag::{Diagnostic, codes};
use smt::sexpr::{Kind, NodeIdx, Text};
use smt::sort::SortId;
use smt::term::TermId;

/// A keyword with its value.
type Pair = (NodeIdx, Option<NodeIdx>);

impl Reading<'_, '_> {
    /// The keyword-value pairs among sibling nodes.
    fn pairs(&mut self, nodes: &[NodeIdx]) -> Option<Vec<Pair>> {
        let (mut pairs, mut i) = (Vec::new(), 0);
        while i < nodes.len() {
            if self.parser.tree.kind(nodes[i]) != Kind::Keyword {
                self.parser.expected("a keyword", nodes[i]);
                return None;
            }
            let value = nodes.get(i + 1).copied().filter(|&v| self.parser.tree.kind(v) != Kind::Keyword);
            pairs.push((nodes[i], value));
            i += 1 + usize::from(value.is_some());
        }
        Some(pairs)
    }

    /// The attributes of `(! s …)` become part of `s`.
    pub(super) fn attributes(&mut self, stmt: StmtId, node: NodeIdx) {
        let nodes: Vec<NodeIdx> = self.parser.tree.children(node).skip(2).collect();
        if nodes.is_empty() {
            return self.parser.error(codes::SMT010, node, "expected (! statement :keyword …)");
        }
        let Some(pairs) = self.pairs(&nodes) else { return };
        for (key, value) in pairs {
            let keyword = self.parser.text.atom(self.parser.tree, key);
            match keyword {
                ":tag" => {
                    let Some(value) = value else {
                        self.parser.expected("a tag after `:tag`", key);
                        continue;
                    };
                    let Some(tag) = self.parser.symbol(value, "a tag") else { continue };
                    self.state.script.stmts[stmt].tags.push((tag, At(self.parser.tree.span(value))));
                    self.state.tags.entry(tag).or_default().push(stmt);
                }
                _ => match self.property_kind(key) {
                    Some(kind) => {
                        let start = self.parser.errors.len();
                        let property = self.property(kind, key, value);
                        self.recode_from(start, Context::Inline(kind));
                        self.state.script.stmts[stmt].properties.extend(property);
                    }
                    None => self.other_attribute(stmt, key, value),
                },
            }
        }
    }

    fn other_attribute(&mut self, stmt: StmtId, key: NodeIdx, value: Option<NodeIdx>) {
        let keyword = self.parser.text.atom(self.parser.tree, key);
        let text = value.map(|v| self.parser.text.slice(self.parser.tree.span(v)).to_string());
        if keyword != ":named" {
            self.unknown_attribute(key);
        }
        self.state.script.stmts[stmt].attributes.push((keyword.to_string(), text.unwrap_or_default()));
    }

    fn unknown_attribute(&mut self, key: NodeIdx) {
        let keyword = self.parser.text.atom(self.parser.tree, key);
        let known = PROPERTIES.iter().map(|p| p.0).chain([":tag", ":named"]);
        let help = diag::closest(keyword, known).map(|name| format!("did you mean `{name}`?"));
        let message = format!(
            "`{}` is no property of SV-LIB and is not checked",
            self.parser.describe(key).trim_matches('`')
        );
        let error = Diagnostic::new(codes::SV321, self.parser.tree.span(key), message);
        self.parser.errors.push(error.help_opt(help));
    }

    /// The property that a keyword names, if it is one.
    fn property_kind(&mut self, key: NodeIdx) -> Option<PropertyKind> {
        let keyword = self.parser.text.atom(self.parser.tree, key);
        let (_, kind) = PROPERTIES.iter().find(|(name, _)| *name == keyword)?;
        if keyword != kind.keyword() {
            let message = format!("`{keyword}` is the older spelling of `{}`", kind.keyword());
            let span = self.parser.tree.span(key);
            self.parser.errors.push(Diagnostic::new(codes::SV312, span, message).edit(span, kind.keyword()));
        }
        Some(*kind)
    }

    /// Reads a property's terms in the present scope.
    fn property(&mut self, kind: PropertyKind, key: NodeIdx, value: Option<NodeIdx>) -> Option<Property> {
        use PropertyKind::{DecreasesLex, NotRecurring, Recurring};
        let at = At(self.parser.tree.span(key));
        let nodes: Vec<NodeIdx> = match (kind, value) {
            (Recurring | NotRecurring, None) => Vec::new(),
            (Recurring | NotRecurring, Some(value)) => {
                self.parser.error(codes::SMT010, value, format!("`{}` takes no term", kind.keyword()));
                return None;
            }
            (_, None) => {
                self.parser.error(codes::SMT010, key, format!("`{}` needs a term", kind.keyword()));
                return None;
            }
            (DecreasesLex, Some(value)) => {
                let list: Vec<NodeIdx> = self.parser.tree.children(value).collect();
                if !self.parser.tree.is_list(value) || list.is_empty() {
                    self.parser.expected("a list of terms", value);
                    return None;
                }
                list
            }
            (_, Some(value)) => vec![value],
        };
        let sort = if kind.is_boolean() { SortId::BOOL } else { SortId::INT };
        self.parser.noticed = smt::parse::Noticed::default();
        let what = format!("the term of `{}`", kind.keyword());
        let terms: Vec<TermId> =
            nodes.into_iter().map(|n| self.parser.term_of_sort(n, sort, &what)).collect();
        let noticed = std::mem::take(&mut self.parser.noticed);
        for span in noticed.old {
            let error = Diagnostic::new(codes::SV315, span, "`old` is not in SV-LIB 1.0");
            self.parser
                .errors
                .push(error.help("write (at variable tag) with the tag of the procedure's body"));
        }
        self.state.at_terms.extend(noticed.at);
        (!terms.contains(&TermId::ERROR)).then_some(Property { kind, terms, at })
    }

    pub(super) fn annotate_tag(&mut self, node: NodeIdx) -> Option<CommandKind> {
        let parts = self.parser.arguments(node, 2, usize::MAX, "(annotate-tag tag :keyword …)")?;
        let annotation = self.tag_annotation(node, &parts)?;
        self.resolve_at();
        let span = self.parser.tree.span(node);
        let mut errors = Vec::new();
        let (text, mut tree) = (self.parser.text.slice(span).to_string(), smt::sexpr::Tree::new());
        smt::sexpr::Reader::new(Text::new(&text, span.start)).read(&mut tree, &mut errors);
        let command = self.state.script.commands.len();
        self.state.waiting.entry(annotation.tag).or_default().push(self.state.pending.len());
        self.state.pending.push(Pending { command, text, base: span.start, tree });
        Some(CommandKind::AnnotateTag(annotation))
    }

    /// `tag :keyword value …` at every statement that has the tag so far.
    pub(super) fn tag_annotation(&mut self, node: NodeIdx, parts: &[NodeIdx]) -> Option<TagAnnotation> {
        let tag = self.parser.symbol(parts[0], "a tag")?;
        if parts.len() < 2 {
            self.parser.error(codes::SMT010, node, "expected a tag and at least one property");
            return None;
        }
        let targets = self.state.tagged(tag).to_vec();
        let (mut properties, mut attributes) = (Vec::new(), Vec::new());
        for (key, value) in self.pairs(&parts[1..])? {
            let text = value
                .map(|v| self.parser.text.slice(self.parser.tree.span(v)).to_string())
                .unwrap_or_default();
            let Some(kind) = self.property_kind(key) else {
                self.unknown_attribute(key);
                attributes.push((self.parser.text.atom(self.parser.tree, key).to_string(), text));
                continue;
            };
            let mut property = TagProperty { kind, text, meanings: Vec::new() };
            self.meanings(&mut property, key, value, &targets, self.parser.tree.span(node).start);
            properties.push(property);
        }
        Some(TagAnnotation { tag, properties, attributes })
    }

    /// Reads a property at each target. A problem at all of them is reported once; a variable that exists at some
    /// of them only is rule 8.2 (b).
    fn meanings(
        &mut self,
        property: &mut TagProperty,
        key: NodeIdx,
        value: Option<NodeIdx>,
        targets: &[StmtId],
        command_start: u32,
    ) {
        let mut found: Vec<(Diagnostic, Vec<StmtId>)> = Vec::new();
        for &target in targets {
            let start = self.parser.errors.len();
            let meaning = self.in_scope_of(target, |reading| reading.property(property.kind, key, value));
            self.recode_from(start, Context::Tag(property.kind));
            let undeclared = meaning.as_ref().and_then(|m| self.declared_later(m, key, command_start));
            self.parser.errors.extend(undeclared.clone());
            for error in self.parser.errors.drain(start..) {
                match found.iter_mut().find(|(old, _)| *old == error) {
                    Some((_, at)) => at.push(target),
                    None => found.push((error, vec![target])),
                }
            }
            if undeclared.is_none() {
                property.meanings.extend(meaning.map(|meaning| (target, meaning)));
            }
        }
        if !property.meanings.is_empty() {
            // The meaning says it all; how it was written must not make equal scripts different.
            property.text.clear();
        }
        for (mut error, at) in found {
            if at.len() < targets.len() && error.code == codes::SV207 {
                error.code = codes::SV202;
                error = error
                    .note_at(self.state.script.stmts[at[0]].at.0, "it is not in scope at this statement");
            }
            self.parser.errors.push(error);
        }
    }

    /// Rule 8.2 (d): function symbols of an annotation are declared before it, even where it waits for its tag.
    fn declared_later(
        &mut self,
        property: &Property,
        key: NodeIdx,
        command_start: u32,
    ) -> Option<Diagnostic> {
        for &term in &property.terms {
            for fun in smt::subst::functions(self.parser.terms, term) {
                let name = self.parser.terms.fun(fun).name;
                let variable = matches!(self.parser.terms.fun(fun).role, smt::term::Role::Variable(..));
                let declared = self.parser.scope.declared_at(name).filter(|at| at.start > command_start);
                if let Some(at) = declared.filter(|_| !variable) {
                    let message =
                        format!("`{}` is declared after the annotation", self.parser.terms.names.text(name));
                    let error = Diagnostic::new(codes::SV204, self.parser.tree.span(key), message);
                    return Some(error.note_at(at, "it is declared here"));
                }
            }
        }
        None
    }

    /// Runs `read` with the variables of a statement's procedure in scope.
    pub(super) fn in_scope_of<T>(&mut self, stmt: StmtId, read: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.parser.scope.mark();
        let proc = self.state.script.stmts[stmt].proc;
        self.enter_proc(proc);
        let result = read(self);
        self.parser.scope.relational = None;
        self.parser.scope.restore(mark);
        result
    }

    /// Annotations that came before this procedure reach its tags too.
    pub(super) fn annotate_new(&mut self, proc: ProcId, first: StmtId) {
        // The statements of the procedure are the newest ones.
        let new = (first.index()..self.state.script.stmts.len()).map(StmtId::from_index);
        let mut tagged: Vec<(SymbolId, StmtId)> = new
            .filter(|&s| self.state.script.stmts[s].proc == proc)
            .flat_map(|s| self.state.script.stmts[s].tags.iter().map(move |tag| (tag.0, s)))
            .filter(|(tag, _)| self.state.waiting.contains_key(tag))
            .collect();
        tagged.sort_unstable();
        tagged.dedup();
        let pending = std::mem::take(&mut self.state.pending);
        for of_tag in tagged.chunk_by(|a, b| a.0 == b.0) {
            let targets: Vec<StmtId> = of_tag.iter().map(|t| t.1).collect();
            for number in self.state.waiting[&of_tag[0].0].clone() {
                self.annotate_waiting(&pending[number], &targets);
            }
        }
        self.state.pending = pending;
    }

    fn annotate_waiting(&mut self, waiting: &Pending, targets: &[StmtId]) {
        let text = Text::new(&waiting.text, waiting.base);
        let mut errors = Vec::new();
        let mut properties = match &mut self.state.script.commands[waiting.command].kind {
            CommandKind::AnnotateTag(annotation) => std::mem::take(&mut annotation.properties),
            _ => return,
        };
        let parser =
            smt::parse::Parser::new(self.parser.terms, self.parser.scope, text, &waiting.tree, &mut errors);
        let mut reading = Reading { parser, state: self.state };
        let nodes: Vec<NodeIdx> = waiting.tree.children(0).skip(2).collect();
        let pairs: Vec<Pair> = reading.pairs(&nodes).unwrap_or_default();
        let known = pairs.into_iter().filter(|&(key, _)| {
            let keyword = text.atom(&waiting.tree, key);
            PROPERTIES.iter().any(|(name, _)| *name == keyword)
        });
        for ((key, value), property) in known.collect::<Vec<_>>().into_iter().zip(&mut properties) {
            reading.meanings(property, key, value, targets, waiting.base);
        }
        if let CommandKind::AnnotateTag(annotation) = &mut self.state.script.commands[waiting.command].kind {
            annotation.properties = properties;
        }
        self.parser.errors.extend(errors);
    }

    /// The tag at a node must be known, unless the file stands alone.
    pub(super) fn known_tag(&mut self, node: NodeIdx) -> Option<SymbolId> {
        let tag = self.parser.symbol(node, "a tag")?;
        if self.state.tagged(tag).is_empty() {
            let what = self.parser.describe(node);
            self.parser.error(codes::SV319, node, format!("no statement has the tag {what}"));
            return None;
        }
        Some(tag)
    }
}
