//! The syntax of a translation unit: arenas of expressions, statements and declarations, with types and constant values.
//!
//! Children are made before their parents, so an expression's id is larger than those of its operands, and a walk over
//! ids in order is a walk from the leaves to the root. Implicit conversions are not nodes: [`Unit::value_type`] and
//! [`Unit::operation_type`] tell them.

use crate::lines::LineMap;
use crate::token::Token;
use crate::types::{FieldId, Ty, Types};
use base::id::IdVec;
use base::intern::{Interner, SymbolId};
use diag::{Diagnostic, Span};

base::define_id!(
    /// An expression.
    pub struct ExprId;
);
base::define_id!(
    /// A statement.
    pub struct StmtId;
);
base::define_id!(
    /// Something that has a name: variable, function, typedef, enumeration constant.
    pub struct EntityId;
);
base::define_id!(
    /// One declaration of an entity.
    pub struct DeclId;
);
base::define_id!(
    /// An initialiser.
    pub struct InitId;
);
base::define_id!(
    /// A function definition.
    pub struct FunctionId;
);
base::define_id!(
    /// A label of a function.
    pub struct LabelId;
);

/// A range of one of the lists in [`Unit`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct List {
    /// The first.
    pub start: u32,
    /// How many.
    pub len: u32,
}

impl List {
    pub(crate) fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "each is the operator of its name")]
pub enum UnaryOp {
    Plus,
    Neg,
    BitNot,
    Not,
    AddressOf,
    Deref,
    PreInc,
    PreDec,
    PostInc,
    PostDec,
    Real,
    Imag,
    /// `__extension__`, which means nothing.
    Extension,
}

/// Operators with two operands, those of compound assignments too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "each is the operator of its name")]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Or,
    Comma,
}

impl BinaryOp {
    /// The operator as it is written.
    #[must_use]
    pub fn text(self) -> &'static str {
        use BinaryOp::*;
        match self {
            Mul => "*",
            Div => "/",
            Rem => "%",
            Add => "+",
            Sub => "-",
            Shl => "<<",
            Shr => ">>",
            Lt => "<",
            Gt => ">",
            Le => "<=",
            Ge => ">=",
            Eq => "==",
            Ne => "!=",
            BitAnd => "&",
            BitXor => "^",
            BitOr => "|",
            And => "&&",
            Or => "||",
            Comma => ",",
        }
    }

    /// True for `< > <= >= == !=`.
    #[must_use]
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Lt | Gt | Le | Ge | Eq | Ne)
    }
}

/// What an expression is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ExprKind {
    /// What could not be read.
    Error,
    /// An integer, floating or character constant; its value is the expression's.
    Constant,
    /// String literals, put together: an index into [`Unit::strings`].
    String(u32),
    /// A variable, parameter, function or enumeration constant.
    Name(EntityId),
    /// `__func__` and the like.
    FunctionName,
    /// An expression in parentheses.
    Paren(ExprId),
    /// One operand.
    Unary(UnaryOp, ExprId),
    /// Two operands.
    Binary(BinaryOp, ExprId, ExprId),
    /// `a = b`
    Assign(ExprId, ExprId),
    /// `a op= b`
    CompoundAssign(BinaryOp, ExprId, ExprId),
    /// `c ? a : b`; without `a` it is GNU's `c ?: b`.
    Conditional(ExprId, Option<Operand>, ExprId),
    /// A call with its arguments, a range of [`Unit::lists`].
    Call(ExprId, List),
    /// `a[i]`
    Index(ExprId, ExprId),
    /// `s.f`; members of anonymous members are members of members.
    Member(ExprId, FieldId),
    /// `p->f`
    Arrow(ExprId, FieldId),
    /// A conversion to the expression's type.
    Cast(ExprId),
    /// `(T){…}`
    CompoundLiteral(InitId),
    /// `sizeof e`
    SizeofExpr(ExprId),
    /// `sizeof(T)`
    SizeofType(Ty),
    /// `_Alignof` of an expression or type; the value is known.
    Alignof,
    /// `__builtin_offsetof`; the value is known unless an index is variable.
    Offsetof(Ty),
    /// `__builtin_types_compatible_p`; the value is known.
    TypesCompatible,
    /// `_Generic` or `__builtin_choose_expr`: what was chosen.
    Chosen(ExprId),
    /// `va_arg(e, T)`, where the type is the expression's.
    VaArg(ExprId),
    /// `({ … })`: the block, whose last expression is the value.
    Statement(StmtId),
    /// `&&label`
    LabelAddress(LabelId),
}

/// An expression that may be missing, in four bytes.
pub type Operand = ExprId;

/// The value of a constant expression.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    /// An integer, or an address that is a number.
    Int(i128),
    /// A floating number, in double precision at most.
    Float(f64),
    /// A place in memory whose address is a number: `*(T *)8`.
    Place(i128),
}

/// An expression.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type; for places in memory with qualifiers, and arrays are arrays.
    pub ty: Ty,
    /// Where it is.
    pub span: Span,
    /// One more than the index of its value in [`Unit::values`]; zero if it is not constant.
    pub(crate) value: u32,
}

const _: () = assert!(size_of::<Expr>() <= 36);

/// What a statement is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum StmtKind {
    /// What could not be read.
    Error,
    /// `;`
    Empty,
    /// An expression.
    Expr(ExprId),
    /// Declarations, a range of [`Unit::decl_lists`].
    Decl(List),
    /// `{ … }`: a range of [`Unit::stmt_lists`].
    Block(List),
    /// `if (c) a else b`
    If(ExprId, StmtId, Option<StmtId>),
    /// `while (c) s`
    While(ExprId, StmtId),
    /// `do s while (c);`
    Do(StmtId, ExprId),
    /// An index into [`Unit::fors`].
    For(u32),
    /// `switch (e) s`
    Switch(ExprId, StmtId),
    /// `case a:` or `case a ... b:`, with the values as the switch sees them.
    Case(ExprId, Option<ExprId>, StmtId),
    /// `default:`
    Default(StmtId),
    /// `name: s`
    Label(LabelId, StmtId),
    /// `goto name;`
    Goto(LabelId),
    /// `goto *e;`
    GotoComputed(ExprId),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return e;`
    Return(Option<ExprId>),
    /// An index into [`Unit::asms`].
    Asm(u32),
    /// A nested function of GNU C.
    Function(FunctionId),
}

/// A statement.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it is.
    pub span: Span,
}

/// `for (init; cond; step) body`
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct For {
    /// A declaration or expression.
    pub init: Option<StmtId>,
    /// The condition.
    pub cond: Option<ExprId>,
    /// What happens after each round.
    pub step: Option<ExprId>,
    /// The body.
    pub body: StmtId,
}

/// Assembly: the operands are expressions, the rest is its text.
#[derive(Clone, PartialEq, Debug)]
pub struct Asm {
    /// Operands that are written.
    pub outputs: Vec<ExprId>,
    /// Operands that are read.
    pub inputs: Vec<ExprId>,
    /// Labels that `asm goto` may jump to.
    pub labels: Vec<LabelId>,
}

/// How an entity is stored or linked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// A local variable.
    Automatic,
    /// `static`, inside a function or outside.
    Static,
    /// Outside of functions without `static`, or `extern`.
    External,
}

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum EntityKind {
    /// A variable.
    Variable(Storage),
    /// A parameter of a function.
    Parameter,
    /// A function.
    Function(Storage),
    /// A name for a type.
    Typedef,
    /// An enumeration constant with its value.
    Constant(i128),
}

/// What attributes say about an entity.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct EntityFlags {
    /// Calls do not return.
    pub is_noreturn: bool,
    /// The function that is called at the end of the scope.
    pub cleanup: Option<SymbolId>,
    /// Runs before `main`.
    pub is_constructor: bool,
    /// Runs after `main`.
    pub is_destructor: bool,
    /// Each thread has its own.
    pub is_thread_local: bool,
    /// It was never declared: a call declares it.
    pub is_implicit: bool,
    /// The compiler knows it without a declaration.
    pub is_builtin: bool,
}

/// Something that has a name.
#[derive(Clone, Debug)]
pub struct Entity {
    /// The name.
    pub name: SymbolId,
    /// What it is.
    pub kind: EntityKind,
    /// Its type: the composite of all declarations.
    pub ty: Ty,
    /// Where it is named first.
    pub span: Span,
    /// What attributes say.
    pub flags: EntityFlags,
    /// The function definition, if there is one.
    pub definition: Option<FunctionId>,
    /// The declaration with an initialiser, if there is one.
    pub initialised: Option<DeclId>,
    /// The function that it is local to, if any.
    pub scope: Option<FunctionId>,
}

/// One declaration of an entity.
#[derive(Clone, Debug)]
pub struct Decl {
    /// What is declared; nothing for a declaration that only has a tag.
    pub entity: Option<EntityId>,
    /// From the declarator to the end of the initialiser.
    pub span: Span,
    /// The specifiers before it, which neighbours may share.
    pub specifiers: Span,
    /// The initialiser.
    pub init: Option<InitId>,
}

/// An initialiser.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum InitKind {
    /// An expression.
    Expr(ExprId),
    /// Items in braces: a range of [`Unit::init_items`].
    Braces(List),
}

/// An initialiser with its place.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Init {
    /// What it is.
    pub kind: InitKind,
    /// Where it is.
    pub span: Span,
}

/// An item in braces, and the part of the object that it is for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct InitItem {
    /// The value.
    pub init: InitId,
    /// The type of the part.
    pub ty: Ty,
    /// Its place in bits from the beginning of what the braces are for.
    pub offset: u64,
    /// The member, if it is one.
    pub field: Option<FieldId>,
    /// For GNU's `[a ... b] =`: how many parts get the value, each following the one before.
    pub repeat: u64,
    /// True when there is no such part; GNU C ignores the item.
    pub is_excess: bool,
}

/// A function definition.
#[derive(Clone, Debug)]
pub struct Function {
    /// The function.
    pub entity: EntityId,
    /// Its parameters.
    pub params: Vec<EntityId>,
    /// The body.
    pub body: StmtId,
    /// From the specifiers to the closing brace.
    pub span: Span,
    /// From the specifiers to the body, the body not included.
    pub head: Span,
    /// Labels.
    pub labels: Vec<LabelId>,
}

/// A label of a function.
#[derive(Clone, Debug)]
pub struct Label {
    /// The name.
    pub name: SymbolId,
    /// Where it is defined, or else used first.
    pub span: Span,
    /// The statement that it is before.
    pub target: Option<StmtId>,
}

/// A part of a translation unit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Item {
    /// A declaration.
    Decl(DeclId),
    /// A function definition.
    Function(FunctionId),
    /// Assembly outside of functions.
    Asm(Span),
}

/// Characters of a string literal, without the zero at the end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StringLiteral {
    /// The code units.
    pub units: Vec<u32>,
}

/// A translation unit, parsed and typed.
pub struct Unit {
    /// Its parts in order.
    pub items: Vec<Item>,
    /// Expressions.
    pub exprs: IdVec<ExprId, Expr>,
    /// Arguments of calls.
    pub lists: Vec<ExprId>,
    /// Values of constant expressions.
    pub values: Vec<Value>,
    /// String literals.
    pub strings: Vec<StringLiteral>,
    /// Statements.
    pub stmts: IdVec<StmtId, Stmt>,
    /// Statements of blocks.
    pub stmt_lists: Vec<StmtId>,
    /// `for` statements.
    pub fors: Vec<For>,
    /// Assembly statements.
    pub asms: Vec<Asm>,
    /// Declarations.
    pub decls: IdVec<DeclId, Decl>,
    /// Declarations of declaration statements.
    pub decl_lists: Vec<DeclId>,
    /// Everything that has a name.
    pub entities: IdVec<EntityId, Entity>,
    /// Initialisers.
    pub inits: IdVec<InitId, Init>,
    /// Items of initialisers in braces.
    pub init_items: Vec<InitItem>,
    /// Function definitions.
    pub functions: IdVec<FunctionId, Function>,
    /// Labels.
    pub labels: IdVec<LabelId, Label>,
    /// Types.
    pub types: Types,
    /// Names.
    pub names: Interner,
    /// Where the text came from.
    pub lines: LineMap,
    /// The tokens.
    pub tokens: Vec<Token>,
    /// What was noticed, by place.
    pub findings: Vec<Diagnostic>,
}

impl Unit {
    /// An expression.
    #[must_use]
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id]
    }

    /// The arguments of a call.
    #[must_use]
    pub fn args(&self, list: List) -> &[ExprId] {
        &self.lists[list.range()]
    }

    /// The statements of a block.
    #[must_use]
    pub fn block(&self, list: List) -> &[StmtId] {
        &self.stmt_lists[list.range()]
    }

    /// The declarations of a declaration statement.
    #[must_use]
    pub fn decl_list(&self, list: List) -> &[DeclId] {
        &self.decl_lists[list.range()]
    }

    /// The items of an initialiser in braces.
    #[must_use]
    pub fn items_of(&self, list: List) -> &[InitItem] {
        &self.init_items[list.range()]
    }

    /// The value of a constant expression.
    #[must_use]
    pub fn value(&self, id: ExprId) -> Option<Value> {
        self.exprs[id].value.checked_sub(1).map(|index| self.values[index as usize])
    }

    /// The value of a constant expression of integer type.
    #[must_use]
    pub fn int_value(&self, id: ExprId) -> Option<i128> {
        match self.value(id) {
            Some(Value::Int(value)) => Some(value),
            _ => None,
        }
    }

    /// The text of a name.
    #[must_use]
    pub fn name(&self, name: SymbolId) -> &str {
        self.names.text(name)
    }

    /// The expression inside parentheses and the like, which mean nothing.
    #[must_use]
    pub fn peeled(&self, mut id: ExprId) -> ExprId {
        while let ExprKind::Paren(inner)
        | ExprKind::Chosen(inner)
        | ExprKind::Unary(UnaryOp::Extension, inner) = self.exprs[id].kind
        {
            id = inner;
        }
        id
    }

    /// True for a variable, or a member of one.
    #[must_use]
    pub fn is_named(&self, mut id: ExprId) -> bool {
        loop {
            id = self.peeled(id);
            match self.exprs[id].kind {
                ExprKind::Name(_) => return true,
                ExprKind::Member(base, _) => id = base,
                _ => return false,
            }
        }
    }

    /// True when the unit cannot be used.
    #[must_use]
    pub fn is_bad(&self) -> bool {
        self.findings.iter().any(Diagnostic::is_error)
    }
}
