//! A checked SV-LIB script: commands, procedures, statements, properties, traces.
//!
//! Terms are ids in a [`smt::term::Terms`] store, and program variables are functions of it with the role
//! [`smt::term::Role::Variable`], so the same script read twice into one store is equal: `==` ignores places.

use base::id::IdVec;
use base::intern::SymbolId;
use diag::Span;
use smt::term::{FunId, TermId};

base::define_id!(
    /// A procedure of a [`Script`].
    pub struct ProcId;
);
base::define_id!(
    /// A statement of a [`Script`].
    pub struct StmtId;
);

/// A place in the sources. All places are equal, so that comparing scripts compares what they say.
#[derive(Clone, Copy, Debug, Default)]
pub struct At(pub Span);

impl PartialEq for At {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for At {}

/// A script.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Script {
    /// The commands in order.
    pub commands: Vec<Command>,
    /// All procedures, in order of definition.
    pub procs: IdVec<ProcId, Proc>,
    /// All statements; a statement comes after those inside it.
    pub stmts: IdVec<StmtId, Stmt>,
}

/// A command with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command {
    /// What it says.
    pub kind: CommandKind,
    /// Where it is.
    pub at: At,
}

/// What a command says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CommandKind {
    /// A command of SMT-LIB.
    Smt(smt::parse::Command),
    /// `declare-var`.
    DeclareVar(FunId),
    /// `define-proc`.
    DefineProc(ProcId),
    /// `define-procs-rec`.
    DefineProcsRec(Vec<ProcId>),
    /// `annotate-tag`.
    AnnotateTag(TagAnnotation),
    /// `select-trace`.
    SelectTrace(Box<Trace>),
    /// `verify-call`, or another `…-call` of a tool: its name, the procedure and the arguments.
    Call(String, ProcId, Vec<TermId>),
    /// `get-witness`.
    GetWitness,
}

/// A tag with properties: of `annotate-tag`, `incorrect-annotation` or `using-annotation`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TagAnnotation {
    /// The tag.
    pub tag: SymbolId,
    /// The properties in order.
    pub properties: Vec<TagProperty>,
    /// Other attributes as written; they say nothing about correctness.
    pub attributes: Vec<(String, String)>,
}

/// A property as written for a tag, and what it means at each statement that has the tag.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TagProperty {
    /// Which property.
    pub kind: PropertyKind,
    /// Its term or terms as written, for tags that no statement has.
    pub text: String,
    /// The meaning at each tagged statement, in the order the statements were defined.
    pub meanings: Vec<(StmtId, Property)>,
}

/// The properties of section 6.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PropertyKind {
    /// `:check-true`.
    CheckTrue,
    /// `:recurring`.
    Recurring,
    /// `:not-recurring`.
    NotRecurring,
    /// `:requires`.
    Requires,
    /// `:ensures`.
    Ensures,
    /// `:invariant`.
    Invariant,
    /// `:decreases`.
    Decreases,
    /// `:decreases-lex`.
    DecreasesLex,
}

/// The keywords of properties, with the older spellings that are read too.
pub static PROPERTIES: &[(&str, PropertyKind)] = &[
    (":check-true", PropertyKind::CheckTrue),
    (":recurring", PropertyKind::Recurring),
    (":not-recurring", PropertyKind::NotRecurring),
    (":requires", PropertyKind::Requires),
    (":ensures", PropertyKind::Ensures),
    (":invariant", PropertyKind::Invariant),
    (":decreases", PropertyKind::Decreases),
    (":decreases-lex", PropertyKind::DecreasesLex),
    (":live", PropertyKind::Recurring),
    (":not-live", PropertyKind::NotRecurring),
];

impl PropertyKind {
    /// The keyword that names it.
    #[must_use]
    pub fn keyword(self) -> &'static str {
        PROPERTIES.iter().find(|(_, kind)| *kind == self).map_or("", |(keyword, _)| keyword)
    }

    /// True for the properties that have a Boolean term.
    #[must_use]
    pub fn is_boolean(self) -> bool {
        use PropertyKind::{CheckTrue, Ensures, Invariant, Requires};
        matches!(self, CheckTrue | Requires | Ensures | Invariant)
    }
}

/// A property at a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// Which property.
    pub kind: PropertyKind,
    /// Its term or terms; none for `:recurring` and `:not-recurring`.
    pub terms: Vec<TermId>,
    /// Where it is written.
    pub at: At,
}

/// A procedure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proc {
    /// Its name.
    pub name: SymbolId,
    /// Input parameters.
    pub inputs: Vec<FunId>,
    /// Output parameters.
    pub outputs: Vec<FunId>,
    /// Local variables.
    pub locals: Vec<FunId>,
    /// Its body; none only while a group of recursive procedures is being read.
    pub body: Option<StmtId>,
    /// Where its name is.
    pub at: At,
}

/// A statement with its annotations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Tags, with their places.
    pub tags: Vec<(SymbolId, At)>,
    /// Properties written at the statement.
    pub properties: Vec<Property>,
    /// Other attributes as written, such as `:named x`.
    pub attributes: Vec<(String, String)>,
    /// Where the statement is, without its annotations.
    pub at: At,
    /// Where the statement is, with its annotations.
    pub whole: At,
    /// The procedure it belongs to.
    pub proc: ProcId,
}

/// What a statement does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StmtKind {
    /// `(assume t)`.
    Assume(TermId),
    /// `(assign (x t) …)`.
    Assign(Vec<(FunId, TermId)>),
    /// `(sequence s …)`.
    Sequence(Vec<StmtId>),
    /// `(call p (t …) (x …))`.
    Call(ProcId, Vec<TermId>, Vec<FunId>),
    /// `(return)`.
    Return,
    /// `(label l)`.
    Label(SymbolId),
    /// `(goto l)`.
    Goto(SymbolId),
    /// `(if t s s?)`.
    If(TermId, StmtId, Option<StmtId>),
    /// `(while t s)`.
    While(TermId, StmtId),
    /// `(break)`.
    Break,
    /// `(continue)`.
    Continue,
    /// `(havoc x …)`.
    Havoc(Vec<FunId>),
    /// `(choice s …)`.
    Choice(Vec<StmtId>),
}

/// A trace of section 7.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// Interpretations of constants and functions.
    pub model: Vec<ModelEntry>,
    /// Initial values of global variables.
    pub globals: Vec<(FunId, TermId)>,
    /// The procedure that is called first.
    pub entry: ProcId,
    /// How nondeterminism is resolved.
    pub steps: Vec<Step>,
    /// What goes wrong at the end.
    pub violation: Violation,
    /// Annotations that describe the infinite part of a lasso.
    pub using: Vec<TagAnnotation>,
}

/// A definition of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelEntry {
    /// The declared symbol.
    pub fun: FunId,
    /// Formal parameters (bound variables).
    pub params: Vec<TermId>,
    /// The value.
    pub body: TermId,
}

/// Values for variables by name. Which variable a name means depends on where the execution is.
pub type Values = Vec<(SymbolId, TermId)>;

/// A step of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// `init-proc-vars`.
    InitProcVars(ProcId, Values),
    /// `havoc`.
    Havoc(Values),
    /// `choice`.
    Choice(u32),
    /// `leap`.
    Leap(SymbolId, Values),
}

/// How a trace ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Violation {
    /// `incorrect-annotation`.
    Annotation(TagAnnotation),
    /// `invalid-step`.
    InvalidStep(Step),
}

impl Script {
    /// The statements that have a tag, in the order they were defined.
    pub fn tagged(&self, tag: SymbolId) -> impl Iterator<Item = StmtId> + '_ {
        self.stmts.iter_enumerated().filter(move |(_, s)| s.tags.iter().any(|t| t.0 == tag)).map(|(id, _)| id)
    }

    /// The procedure of that name.
    #[must_use]
    pub fn proc_named(&self, name: SymbolId) -> Option<ProcId> {
        self.procs.iter_enumerated().find(|(_, p)| p.name == name).map(|(id, _)| id)
    }

    /// The properties of a statement that hold for commands before `command`: its own and those of its tags.
    pub fn properties_at(&self, stmt: StmtId, command: usize) -> impl Iterator<Item = &Property> {
        let annotated =
            self.commands[..command.min(self.commands.len())].iter().filter_map(|c| match &c.kind {
                CommandKind::AnnotateTag(annotation) => Some(annotation),
                _ => None,
            });
        let of_tags = annotated.flat_map(|annotation| &annotation.properties).flat_map(move |p| {
            p.meanings.iter().filter(move |(s, _)| *s == stmt).map(|(_, property)| property)
        });
        self.stmts[stmt].properties.iter().chain(of_tags)
    }

    /// The statements directly inside a statement.
    #[must_use]
    pub fn children(&self, stmt: StmtId) -> Vec<StmtId> {
        match &self.stmts[stmt].kind {
            StmtKind::Sequence(list) | StmtKind::Choice(list) => list.clone(),
            StmtKind::If(_, then, otherwise) => std::iter::once(*then).chain(*otherwise).collect(),
            StmtKind::While(_, body) => vec![*body],
            _ => Vec::new(),
        }
    }
}
