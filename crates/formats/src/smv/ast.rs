//! What a file says, with places.

use diag::Span;

/// The position of an expression in [`Tree`].
pub(super) type Node = u32;

/// An operator or construct.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A name.
    Name,
    /// A literal.
    Literal,
    /// `a.b`; the span is that of `b`.
    Dot,
    /// `a[i]`.
    Index,
    /// `a[h:l]`.
    Bits,
    /// `f(…)`, with the name as the first child.
    Call,
    /// A type as an argument, by its position.
    Type(u32),
    /// `case … esac`: conditions and values in turn.
    Case,
    /// `{…}`.
    Set,
    /// `[…]`, an array of definitions.
    List,
    /// `a ? b : c`.
    Choice,
    /// An operator before its operand.
    Prefix(&'static str),
    /// A temporal operator about the steps from one number to another: operand and the two numbers.
    Within(&'static str),
    /// An operator between two operands.
    Infix(&'static str),
}

/// A node.
#[derive(Clone, Debug)]
struct Item {
    kind: Kind,
    span: Span,
    first: u32,
    count: u32,
}

/// All expressions of a file.
#[derive(Clone, Default, Debug)]
pub(super) struct Tree {
    items: Vec<Item>,
    children: Vec<Node>,
}

impl Tree {
    pub(super) fn add(&mut self, kind: Kind, span: Span, children: &[Node]) -> Node {
        let (first, count) = (self.children.len() as u32, children.len() as u32);
        self.children.extend(children);
        self.items.push(Item { kind, span, first, count });
        self.items.len() as Node - 1
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> Node {
        self.items.len() as Node
    }

    pub(super) fn kind(&self, node: Node) -> Kind {
        self.items[node as usize].kind
    }

    pub(super) fn span(&self, node: Node) -> Span {
        self.items[node as usize].span
    }

    pub(super) fn children(&self, node: Node) -> &[Node] {
        let item = &self.items[node as usize];
        &self.children[item.first as usize..(item.first + item.count) as usize]
    }

    /// A place that shows the node: its first token.
    pub(super) fn place(&self, mut node: Node) -> Span {
        loop {
            match (self.kind(node), self.children(node)) {
                (
                    Kind::Infix(_) | Kind::Choice | Kind::Dot | Kind::Index | Kind::Bits | Kind::Call,
                    [first, ..],
                ) => {
                    node = *first;
                }
                _ => return self.span(node),
            }
        }
    }
}

/// A type as it is written. Arrays are lists of what comes before the element's type.
#[derive(Clone, Debug)]
pub(super) struct TypeText {
    /// From the outermost array inwards.
    pub(super) arrays: Vec<Domain>,
    pub(super) base: Base,
    pub(super) span: Span,
}

/// The index of an array.
#[derive(Clone, Debug)]
pub(super) enum Domain {
    Range(Node, Node),
    Word(Node),
    Integer,
}

/// A type that is no array.
#[derive(Clone, Debug)]
pub(super) enum Base {
    Boolean,
    Integer,
    Real,
    Clock,
    /// Signed or not, and the width.
    Word(bool, Node),
    Range(Node, Node),
    Enumeration(Vec<Node>),
    /// An instance of a module: name, arguments, and whether it is a process.
    Module(Span, Vec<Node>, bool),
}

/// What kind of variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    State,
    Input,
    Frozen,
}

/// What is assigned.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum When {
    Init,
    Next,
    Always,
}

/// A section's content.
#[derive(Clone, Debug)]
pub(super) enum Section {
    Var(Role, Span, TypeText),
    Define(Span, Node),
    Function(Span, Vec<TypeText>, TypeText),
    Constants(Vec<Node>),
    /// All that another module says.
    Inherit(Span),
    Init(Node),
    Invar(Node),
    Trans(Node),
    Assign(When, Node, Node),
    Justice(Node),
    Compassion(Node, Node),
    /// Name, if it has one, and formula.
    InvarSpec(Option<Span>, Node),
    LtlSpec(Option<Span>, Node),
    CtlSpec(Option<Span>, Node),
}

/// A module.
#[derive(Clone, Debug)]
pub(super) struct Module {
    pub(super) name: Span,
    pub(super) params: Vec<Span>,
    pub(super) items: Vec<Section>,
}

/// A file.
#[derive(Clone, Default, Debug)]
pub(super) struct File {
    pub(super) tree: Tree,
    pub(super) types: Vec<TypeText>,
    pub(super) modules: Vec<Module>,
}
