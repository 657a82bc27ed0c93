//! Programs as trees. Everything is public and plain: generators build it, shrinkers cut it, judges read it.

use std::collections::BTreeSet;

/// The sort of a variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Sort {
    /// `Bool`.
    Bool,
    /// `Int`.
    Int,
    /// A bit-vector of that width.
    Bits(u32),
    /// `(Array Int Int)`.
    Ints,
    /// An array of bit-vectors: width of the indices, width of the elements.
    Table(u32, u32),
}

/// A variable as its procedure sees it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Var {
    /// The global variable of that number.
    Global(usize),
    /// An input, output or local of the procedure, counted in this order.
    Local(usize),
}

/// A tag; each is on one statement only.
pub type Tag = usize;

/// A function of SMT-LIB.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "named like the functions")]
pub enum Op {
    Not,
    And,
    Or,
    Implies,
    Xor,
    Eq,
    Distinct,
    Ite,
    Le,
    Lt,
    Add,
    Sub,
    Mul,
    Mod,
    BvNot,
    BvNeg,
    BvAnd,
    BvOr,
    BvXor,
    BvAdd,
    BvSub,
    BvMul,
    BvUdiv,
    BvUrem,
    BvShl,
    BvLshr,
    BvUlt,
    BvUle,
    BvSlt,
    BvSle,
    Select,
    Store,
    /// The constant array of a sort.
    Const(Sort),
}

/// A term.
#[derive(Clone, PartialEq, Debug)]
pub enum Term {
    /// The value of a variable.
    Var(Var),
    /// `(at x t)`.
    At(Var, Tag),
    /// A truth value.
    Bool(bool),
    /// A number.
    Int(i64),
    /// A bit-vector: width and value.
    Bits(u32, u64),
    /// A function applied.
    App(Op, Vec<Term>),
}

/// An application.
pub fn app(op: Op, args: impl Into<Vec<Term>>) -> Term {
    Term::App(op, args.into())
}

impl Term {
    /// Calls `f` with each `at` term.
    pub fn look_back(&self, f: &mut impl FnMut(Var, Tag)) {
        match self {
            Term::At(var, tag) => f(*var, *tag),
            Term::App(_, args) => args.iter().for_each(|arg| arg.look_back(f)),
            _ => {}
        }
    }

    /// True when an array occurs in it as a value.
    pub fn has_arrays(&self) -> bool {
        match self {
            Term::App(Op::Select | Op::Store | Op::Const(_), _) => true,
            Term::App(_, args) => args.iter().any(Term::has_arrays),
            _ => false,
        }
    }
}

/// A property of a statement.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "named like the attributes")]
pub enum Property {
    CheckTrue(Term),
    Requires(Term),
    Ensures(Term),
    Invariant(Term),
    /// `:decreases`, or `:decreases-lex` if there are several terms.
    Decreases(Vec<Term>),
    Recurring,
    NotRecurring,
}

/// A statement with its tag and properties.
#[derive(Clone, PartialEq, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: Kind,
    /// Its own tag.
    pub tag: Option<Tag>,
    /// Its properties; a statement that has some has a tag.
    pub properties: Vec<Property>,
}

/// What a statement does.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "named like the statements")]
pub enum Kind {
    Assume(Term),
    Assign(Vec<(Var, Term)>),
    Sequence(Vec<Stmt>),
    /// The number of the procedure, arguments, receivers of the results.
    Call(usize, Vec<Term>, Vec<Var>),
    Return,
    Label(usize),
    Goto(usize),
    If(Term, Box<Stmt>, Option<Box<Stmt>>),
    While(Term, Box<Stmt>),
    Break,
    Continue,
    Choice(Vec<Stmt>),
    /// Gives variables arbitrary values of their domains: a `havoc`, then an `assume` that cuts numbers to
    /// `low..high`. Arrays are never drawn.
    Draw(Draw),
}

/// See [`Kind::Draw`].
#[derive(Clone, PartialEq, Debug)]
pub struct Draw {
    /// The variables.
    pub vars: Vec<Var>,
    /// The least number.
    pub low: i64,
    /// All numbers are below it.
    pub high: i64,
    /// The variables are arbitrary already, so that no `havoc` is needed.
    pub fresh: bool,
}

impl Stmt {
    /// A statement without tag.
    pub fn of(kind: Kind) -> Stmt {
        Stmt { kind, tag: None, properties: Vec::new() }
    }

    /// The statements inside, one level down.
    pub fn children(&self) -> Vec<&Stmt> {
        match &self.kind {
            Kind::Sequence(list) | Kind::Choice(list) => list.iter().collect(),
            Kind::If(_, then, otherwise) => {
                std::iter::once(&**then).chain(otherwise.iter().map(|s| &**s)).collect()
            }
            Kind::While(_, body) => vec![body],
            _ => Vec::new(),
        }
    }

    /// Calls `f` with the statement and all inside it.
    pub fn walk<'s>(&'s self, f: &mut impl FnMut(&'s Stmt)) {
        f(self);
        for child in self.children() {
            child.walk(f);
        }
    }
}

/// A declared variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Decl {
    /// Its name.
    pub name: String,
    /// Its sort.
    pub sort: Sort,
}

/// A procedure.
#[derive(Clone, PartialEq, Debug)]
pub struct Proc {
    /// Its name.
    pub name: String,
    /// Inputs.
    pub inputs: Vec<Decl>,
    /// Outputs.
    pub outputs: Vec<Decl>,
    /// Locals.
    pub locals: Vec<Decl>,
    /// The body; always tagged.
    pub body: Stmt,
    /// Procedures of one group stand side by side and may call each other; none if it is not recursive.
    pub group: Option<usize>,
}

impl Proc {
    /// Inputs, outputs, locals.
    pub fn variables(&self) -> impl Iterator<Item = &Decl> {
        self.inputs.iter().chain(&self.outputs).chain(&self.locals)
    }
}

/// An argument of the `verify-call`.
#[derive(Clone, PartialEq, Debug)]
pub enum Arg {
    /// A literal.
    Literal(Term),
    /// A declared constant; numbers are asserted to be in `low..high`.
    Constant(Sort, i64, i64),
}

/// A program with its query, which calls the last procedure.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// Global variables.
    pub globals: Vec<Decl>,
    /// Procedures in order of definition; at least one.
    pub procs: Vec<Proc>,
    /// Arguments of the query.
    pub args: Vec<Arg>,
    /// Properties are printed as `annotate-tag` commands instead of at their statements.
    pub annotates: bool,
}

impl Program {
    /// The variable's declaration.
    pub fn decl(&self, proc: usize, var: Var) -> &Decl {
        match var {
            Var::Global(number) => &self.globals[number],
            Var::Local(number) => {
                self.procs[proc].variables().nth(number).expect("locals are numbered by declaration")
            }
        }
    }

    /// Calls `f` with each statement and the number of its procedure.
    pub fn walk<'s>(&'s self, f: &mut impl FnMut(usize, &'s Stmt)) {
        for (number, proc) in self.procs.iter().enumerate() {
            proc.body.walk(&mut |stmt| f(number, stmt));
        }
    }

    /// True when annotations stand for parts of the program, so that it may be incorrect though every execution is
    /// fine (decision 3).
    pub fn is_modular(&self) -> bool {
        let mut found = false;
        self.walk(&mut |_, stmt| {
            found |= stmt.properties.iter().any(|property| {
                matches!(property, Property::Invariant(_) | Property::Requires(_) | Property::Ensures(_))
            });
        });
        found
    }

    /// Words for what occurs in the program, for statistics.
    pub fn features(&self) -> BTreeSet<&'static str> {
        let mut found = BTreeSet::new();
        for decl in self.globals.iter().chain(self.procs.iter().flat_map(Proc::variables)) {
            found.insert(match decl.sort {
                Sort::Bool => "bool",
                Sort::Int => "int",
                Sort::Bits(_) => "bits",
                Sort::Ints | Sort::Table(..) => "array",
            });
        }
        if self.procs.iter().any(|proc| proc.group.is_some()) {
            found.insert("recursion");
        }
        self.walk(&mut |_, stmt| {
            found.extend(word(&stmt.kind));
            found.extend(stmt.properties.iter().map(|property| match property {
                Property::CheckTrue(_) => ":check-true",
                Property::Requires(_) => ":requires",
                Property::Ensures(_) => ":ensures",
                Property::Invariant(_) => ":invariant",
                Property::Decreases(_) => ":decreases",
                Property::Recurring => ":recurring",
                Property::NotRecurring => ":not-recurring",
            }));
        });
        found
    }
}

fn word(kind: &Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::Call(..) => "call",
        Kind::Goto(_) => "goto",
        Kind::While(..) => "while",
        Kind::Choice(_) => "choice",
        Kind::Draw(draw) if !draw.fresh => "havoc",
        _ => return None,
    })
}
