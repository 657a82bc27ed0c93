//! S-expressions: a lexer and a reader that keeps one command at a time as a flat tree of spans.
//!
//! A [`Tree`] stores its nodes in preorder; every node knows where its next sibling begins. So the reader needs
//! no recursion, walking needs no pointers, the buffer is reused from command to command, and a file is as
//! large in memory as its largest command. Spans point into a [`diag::SourceMap`].

use diag::{Diagnostic, Span, codes};

mod lexer;
mod splitter;

pub use lexer::{Lexer, Token, is_simple_symbol};
pub(crate) use lexer::{is_space, is_symbol, word_end};
pub use splitter::Splitter;

/// What a node of a [`Tree`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A parenthesised list.
    List,
    /// A symbol without bars; [`Tree::symbol`] gives its text.
    Symbol,
    /// A symbol between bars.
    Quoted,
    /// A keyword with its colon.
    Keyword,
    /// A numeral.
    Numeral,
    /// A decimal.
    Decimal,
    /// `#x…`.
    Hex,
    /// `#b…`.
    Binary,
    /// A string literal with its quotes.
    String,
    /// A token that was reported; whoever meets it is silent about it.
    Error,
}

/// A node of a [`Tree`].
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Where it is in the sources.
    pub span: Span,
    /// The index of the node after this one and all that is in it.
    next: u32,
    /// What it is.
    pub kind: Kind,
}

/// Index of a node in its tree.
pub type NodeIdx = u32;

/// One or more S-expressions in preorder, with the text they were read from.
#[derive(Clone, Default, Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    open: Vec<u32>,
}

impl Tree {
    /// An empty tree.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets all nodes and keeps the memory.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.open.clear();
    }

    /// The number of nodes.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// True when there is no node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// What the node is.
    #[must_use]
    #[inline]
    pub fn kind(&self, node: NodeIdx) -> Kind {
        self.nodes[node as usize].kind
    }

    /// Where the node is.
    #[must_use]
    #[inline]
    pub fn span(&self, node: NodeIdx) -> Span {
        self.nodes[node as usize].span
    }

    /// The index right after the node and all that is in it.
    #[must_use]
    #[inline]
    pub fn next(&self, node: NodeIdx) -> NodeIdx {
        self.nodes[node as usize].next
    }

    /// True for a list.
    #[must_use]
    #[inline]
    pub fn is_list(&self, node: NodeIdx) -> bool {
        self.kind(node) == Kind::List
    }

    /// True for a symbol, with or without bars.
    #[must_use]
    #[inline]
    pub fn is_symbol(&self, node: NodeIdx) -> bool {
        matches!(self.kind(node), Kind::Symbol | Kind::Quoted)
    }

    /// The direct children of a list; nothing for an atom.
    #[must_use]
    pub fn children(&self, node: NodeIdx) -> Children<'_> {
        Children { tree: self, next: node + 1, end: self.next(node) }
    }

    /// The nodes from `first` up to, not including, `end`, that are siblings.
    #[must_use]
    pub fn siblings(&self, first: NodeIdx, end: NodeIdx) -> Children<'_> {
        Children { tree: self, next: first, end }
    }

    /// The first child of a non-empty list.
    #[must_use]
    #[inline]
    pub fn head(&self, node: NodeIdx) -> Option<NodeIdx> {
        (self.is_list(node) && self.next(node) > node + 1).then_some(node + 1)
    }

    #[inline]
    fn push(&mut self, kind: Kind, span: Span) {
        let next = self.nodes.len() as u32 + 1;
        self.nodes.push(Node { span, next, kind });
        if kind == Kind::List {
            self.open.push(next - 1);
        }
    }

    /// Closes the innermost open list; false when there is none.
    #[inline]
    fn close(&mut self, end: u32) -> bool {
        let Some(list) = self.open.pop() else { return false };
        let next = self.nodes.len() as u32;
        let node = &mut self.nodes[list as usize];
        node.span.end = end;
        node.next = next;
        true
    }
}

/// Iterator over sibling nodes.
#[derive(Clone)]
pub struct Children<'a> {
    tree: &'a Tree,
    next: NodeIdx,
    end: NodeIdx,
}

impl Iterator for Children<'_> {
    type Item = NodeIdx;

    fn next(&mut self) -> Option<NodeIdx> {
        if self.next >= self.end {
            return None;
        }
        let node = self.next;
        self.next = self.tree.next(node);
        Some(node)
    }
}

/// Text with the address of its first byte, so that spans lead back to characters.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    pub(crate) text: &'a str,
    pub(crate) base: u32,
}

impl<'a> Text<'a> {
    /// `text` begins at the address `base` of the source map.
    #[must_use]
    pub fn new(text: &'a str, base: u32) -> Self {
        Self { text, base }
    }

    /// The characters under a span.
    #[must_use]
    #[inline]
    pub fn slice(&self, span: Span) -> &'a str {
        &self.text[(span.start - self.base) as usize..(span.end - self.base) as usize]
    }

    /// The text of an atom: a symbol without its bars, everything else as it stands.
    #[must_use]
    #[inline]
    pub fn atom(&self, tree: &Tree, node: NodeIdx) -> &'a str {
        let text = self.slice(tree.span(node));
        match tree.kind(node) {
            Kind::Quoted => &text[1..text.len() - 1],
            _ => text,
        }
    }

    /// The text of a symbol without its bars; none for anything else.
    #[must_use]
    #[inline]
    pub fn symbol(&self, tree: &Tree, node: NodeIdx) -> Option<&'a str> {
        tree.is_symbol(node).then(|| self.atom(tree, node))
    }

    /// The content of a string literal, with doubled quotes made single.
    #[must_use]
    pub fn string(&self, tree: &Tree, node: NodeIdx) -> Option<String> {
        if tree.kind(node) != Kind::String {
            return None;
        }
        let text = self.slice(tree.span(node));
        Some(text[1..text.len() - 1].replace("\"\"", "\""))
    }
}

/// Reads top-level S-expressions one after the other.
pub struct Reader<'a> {
    lexer: Lexer<'a>,
    /// Lexical problems so far.
    problems: usize,
}

/// After so many lexical problems the rest of a text is not looked at: it is no SMT-LIB.
const MANY: usize = 100;

impl<'a> Reader<'a> {
    /// A reader of the whole text.
    #[must_use]
    pub fn new(text: Text<'a>) -> Self {
        Self { lexer: Lexer::new(text), problems: 0 }
    }

    /// Reads the next top-level S-expression into `tree`, which is cleared first. Lexical problems go to
    /// `errors`. False when the input has ended. A list left open at the end is reported and dropped.
    pub fn read(&mut self, tree: &mut Tree, errors: &mut Vec<Diagnostic>) -> bool {
        tree.clear();
        loop {
            if self.problems >= MANY {
                tree.clear();
                return false;
            }
            if self.lexer.plain(tree) {
                return true;
            }
            let token = match self.lexer.token() {
                None => return self.end(tree, errors),
                Some(Err(error)) => {
                    // Its command is still read so that it can report more. A malformed token keeps its place among
                    // the others, a stray character has none.
                    errors.push(*error);
                    self.problems += 1;
                    match self.lexer.malformed() {
                        Some(span) => Token::Atom(Kind::Error, span),
                        None => continue,
                    }
                }
                Some(Ok(token)) => token,
            };
            match token {
                Token::Comment(_) => continue,
                Token::Open(at) => tree.push(Kind::List, Span::new(at, at + 1)),
                Token::Close(at) => {
                    if !tree.close(at + 1) {
                        let span = Span::new(at, at + 1);
                        errors.push(Diagnostic::new(codes::SMT004, span, "this `)` closes nothing"));
                        self.problems += 1;
                        continue;
                    }
                }
                Token::Atom(kind, span) => tree.push(kind, span),
            }
            if tree.open.is_empty() {
                return true;
            }
        }
    }

    fn end(&self, tree: &mut Tree, errors: &mut Vec<Diagnostic>) -> bool {
        if let Some(&list) = tree.open.last() {
            let first = tree.span(tree.open[0]);
            let span = tree.span(list);
            let count = tree.open.len();
            let what = if count == 1 { "this list is".to_string() } else { format!("{count} lists are") };
            let mut error =
                Diagnostic::new(codes::SMT004, span, format!("{what} not closed at the end of the input"));
            if first != span {
                error = error.note_at(first, "the outermost one begins here");
            }
            errors.push(error.help("add the missing `)`"));
            tree.clear();
        }
        false
    }

    /// The address up to which the text has been read.
    #[must_use]
    pub fn position(&self) -> u32 {
        self.lexer.position()
    }

    /// The rest of the text is read by somebody else up to `end`, who found an expression that begins at `start`: it is left
    /// in `tree`, without what is in it.
    #[inline]
    pub(crate) fn skip(&mut self, tree: &mut Tree, start: usize, end: usize) {
        let base = self.lexer.position() - self.lexer.at() as u32;
        tree.clear();
        tree.push(Kind::List, Span::new(base + start as u32, base + start as u32));
        tree.close(base + end as u32);
        self.lexer.go_to(end);
    }

    /// Where the text has been read up to.
    #[inline]
    pub(crate) fn at(&self) -> usize {
        self.lexer.at()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> (Vec<String>, Vec<String>) {
        let source = Text::new(text, 0);
        let (mut reader, mut tree, mut errors) = (Reader::new(source), Tree::new(), Vec::new());
        let mut out = Vec::new();
        while reader.read(&mut tree, &mut errors) {
            out.push(source.slice(tree.span(0)).to_string());
        }
        (out, errors.into_iter().map(|e| format!("{}@{}", e.code, e.span.start)).collect())
    }

    #[test]
    fn commands_and_atoms() {
        let (items, errors) = shape("(a |b c| \"x\"\"y\" 12 1.5 #xaF #b01 :k) ; c\n z (b)");
        assert_eq!(items, ["(a |b c| \"x\"\"y\" 12 1.5 #xaF #b01 :k)", "z", "(b)"]);
        assert!(errors.is_empty());
    }

    #[test]
    fn problems_have_places() {
        assert_eq!(shape("(a) ) (b").1, ["SMT004@4", "SMT004@6"]);
        assert_eq!(shape("(a \"b").1, ["SMT003@3", "SMT004@0"]);
        assert_eq!(shape("(a [ b)").1, ["SMT002@3"]);
    }

    #[test]
    fn depth_is_not_recursion() {
        let deep = format!("{}{}", "(".repeat(1_000_000), ")".repeat(1_000_000));
        assert!(shape(&deep).1.is_empty());
        assert_eq!(shape(&deep[..1_500_000]).1, ["SMT004@499999"]);
    }

    #[test]
    fn nodes_are_small() {
        assert_eq!(size_of::<Node>(), 16);
    }
}
