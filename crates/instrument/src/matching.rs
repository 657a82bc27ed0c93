//! `match(ρ, op)` and `vars(ρ, op)`: whether a transition matches an edge, and what it captures.

use crate::ia::ast::{Automaton, CastTo, Condition, Kind, Pat, PatId, Pattern, Subject, Transition};
use crate::program::Program;
use cfront::ast::{BinaryOp, EntityId, ExprId, ExprKind, InitKind, UnaryOp, Unit};
use cfront::cfa::{EdgeId, Op};
use cfront::types::{ArrayLen, Ty, TypeKind};

/// Something that a pattern has captured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Captured {
    /// The value of an expression.
    Expr(ExprId),
    /// A variable that is initialised.
    Variable(EntityId),
}

/// A match of a transition with an edge.
#[derive(Clone, PartialEq, Debug)]
pub struct Match {
    /// What is captured, by the transition's numbers.
    pub captures: Vec<Captured>,
    /// The expression that the edge is about, if the pattern is about one.
    pub expr: Option<ExprId>,
    /// For a call through a pointer: the pointer, and the function that it must be for the match to be one.
    pub guard: Option<(ExprId, String)>,
}

/// Matches a transition with an edge.
pub(crate) fn find(
    program: &mut Program<'_>,
    automaton: &Automaton,
    transition: &Transition,
    (function, edge): (usize, EdgeId),
) -> Option<Match> {
    let op = program.cfas[function].edges[edge].op;
    let found = transition.patterns.iter().find_map(|pattern| {
        // Most patterns do not match most edges, which their operators tell.
        if !is_possible(program.unit, automaton, *pattern, op) {
            return None;
        }
        let mut matcher =
            Matcher { program, automaton, captures: vec![None; transition.captures.len()], guard: None };
        let expr = matcher.pattern(*pattern, function, edge)?;
        let captures: Option<Vec<Captured>> = matcher.captures.into_iter().collect();
        Some(Match { captures: captures?, expr, guard: matcher.guard })
    })?;
    transition.conditions.iter().all(|condition| holds(program, condition, &found)).then_some(found)
}

/// Whether the operators of a pattern and an edge are the same.
fn is_possible(unit: &Unit, automaton: &Automaton, pattern: Pattern, op: Op) -> bool {
    let Pattern::Expr(root) = pattern else { return true };
    let pat = &automaton.pats[root];
    let expr = match op {
        Op::Eval(expr) | Op::Call(expr) | Op::Place(expr) | Op::Assume(expr, _) => expr,
        Op::Init(..) => return matches!(pat, Pat::Assign(..)),
        _ => return false,
    };
    match (pat, unit.exprs[expr].kind) {
        (Pat::Unary(op, _), ExprKind::Unary(found, _)) => *op == found,
        (Pat::Binary(op, ..), ExprKind::Binary(found, ..))
        | (Pat::CompoundAssign(op, ..), ExprKind::CompoundAssign(found, ..)) => *op == found,
        (Pat::Assign(..), ExprKind::Assign(..))
        | (Pat::Call(..), ExprKind::Call(..))
        | (Pat::Index(..), ExprKind::Index(..))
        | (Pat::Arrow(..), ExprKind::Arrow(..))
        | (Pat::Cast(..), ExprKind::Cast(_)) => true,
        _ => false,
    }
}

struct Matcher<'a, 'b> {
    program: &'a Program<'b>,
    automaton: &'a Automaton,
    captures: Vec<Option<Captured>>,
    guard: Option<(ExprId, String)>,
}

impl Matcher<'_, '_> {
    fn pattern(&mut self, pattern: Pattern, function: usize, edge: EdgeId) -> Option<Option<ExprId>> {
        let op = self.program.cfas[function].edges[edge].op;
        match pattern {
            Pattern::True => Some(None),
            Pattern::Cond(truth) => (self.program.decided(function, edge)? == truth).then_some(None),
            Pattern::Return => matches!(op, Op::Return(_) | Op::FallOff).then_some(None),
            Pattern::End => self.program.is_end(function, edge).then_some(None),
            Pattern::Expr(root) => self.root(root, op).then_some(()).map(|()| match op {
                Op::Eval(expr) | Op::Call(expr) | Op::Place(expr) | Op::Assume(expr, _) => Some(expr),
                _ => None,
            }),
        }
    }

    fn root(&mut self, root: PatId, op: Op) -> bool {
        let unit: &Unit = self.program.unit;
        match op {
            Op::Eval(expr) | Op::Call(expr) => self.operator(root, expr),
            Op::Place(expr) => {
                matches!(self.automaton.pats[root], Pat::Index(..)) && self.operator(root, expr)
            }
            // A comparison is computed on this edge; anything else was computed before.
            Op::Assume(expr, _) => match unit.exprs[expr].kind {
                ExprKind::Binary(op, ..) if op.is_comparison() => self.operator(root, expr),
                _ => false,
            },
            Op::Init(decl, init) => {
                let (Pat::Assign(target, value), InitKind::Expr(expr)) =
                    (&self.automaton.pats[root], unit.inits[init].kind)
                else {
                    return false;
                };
                let whole = unit.decls[decl].init == Some(init);
                let Some(entity) = unit.decls[decl].entity.filter(|_| whole) else { return false };
                match &self.automaton.pats[*target] {
                    Pat::Any => {}
                    Pat::Capture(index) => self.captures[*index] = Some(Captured::Variable(entity)),
                    Pat::Name(name) if unit.name(unit.entities[entity].name) == name => {}
                    _ => return false,
                }
                self.node(*value, expr)
            }
            _ => false,
        }
    }

    /// Patterns are nested to a limited depth, and so is this.
    fn node(&mut self, pat: PatId, expr: ExprId) -> bool {
        let automaton = self.automaton;
        let unit: &Unit = self.program.unit;
        if let Pat::Capture(index) = automaton.pats[pat] {
            self.captures[index] = Some(Captured::Expr(expr));
            return true;
        }
        let mut expr = unit.peeled(expr);
        // Conversions that are written are no more part of a pattern than those that are not, unless it names them.
        let is_named = matches!(automaton.pats[pat], Pat::Cast(..));
        while let ExprKind::Cast(inner) = unit.exprs[expr].kind
            && !is_named
        {
            expr = unit.peeled(inner);
        }
        self.operator(pat, expr)
    }

    /// Matches an operator, a constant or a name: what is at the root of an edge is not looked for inside of it.
    fn operator(&mut self, pat: PatId, expr: ExprId) -> bool {
        let automaton = self.automaton;
        let unit: &Unit = self.program.unit;
        match (&automaton.pats[pat], unit.exprs[expr].kind) {
            (Pat::Any, _) => true,
            (Pat::Number(number), _) => unit.int_value(expr) == Some(*number),
            (Pat::Name(name), ExprKind::Name(entity)) => unit.name(unit.entities[entity].name) == name,
            (Pat::Unary(op, operand), ExprKind::Unary(found, inner)) if *op == found => {
                self.node(*operand, inner)
            }
            (Pat::Binary(op, a, b), ExprKind::Binary(found, left, right)) if *op == found => {
                self.node(*a, left) && self.node(*b, right)
            }
            (Pat::Assign(a, b), ExprKind::Assign(left, right)) => self.node(*a, left) && self.node(*b, right),
            (Pat::CompoundAssign(op, a, b), ExprKind::CompoundAssign(found, left, right)) if *op == found => {
                self.node(*a, left) && self.node(*b, right)
            }
            (Pat::Index(a, b), ExprKind::Index(left, right)) => {
                // `i[a]` is `a[i]`.
                let is_swapped = unit.types.int_kind(unit.exprs[left].ty).is_some();
                let (array, index) = if is_swapped { (right, left) } else { (left, right) };
                self.node(*a, array) && self.node(*b, index)
            }
            (Pat::Member(a, name), ExprKind::Member(base, field))
            | (Pat::Arrow(a, name), ExprKind::Arrow(base, field)) => {
                let found = unit.types.fields[field].name;
                found.is_some_and(|found| unit.name(found) == name) && self.node(*a, base)
            }
            (Pat::Cast(to, a), ExprKind::Cast(inner)) => {
                self.is_cast_to(to, unit.exprs[expr].ty) && self.node(*a, inner)
            }
            (Pat::Call(callee, arguments, is_open), ExprKind::Call(found, list)) => {
                let given = unit.args(list);
                let fits =
                    if *is_open { given.len() >= arguments.len() } else { given.len() == arguments.len() };
                fits && self.callee(*callee, found)
                    && arguments.iter().zip(given).all(|(pat, argument)| self.node(*pat, *argument))
            }
            _ => false,
        }
    }

    /// True when a type is the one that a pattern names.
    fn is_cast_to(&self, to: &CastTo, mut ty: Ty) -> bool {
        let unit: &Unit = self.program.unit;
        for _ in 0..to.pointers {
            match unit.types.kind(ty) {
                TypeKind::Pointer(inner) => ty = inner,
                _ => return false,
            }
        }
        match to.is_name {
            true => self.program.typedefs.get(&to.base).is_some_and(|known| known.bare() == ty.bare()),
            false => unit.types.text(&unit.names, ty.bare()) == to.base,
        }
    }

    fn callee(&mut self, pat: PatId, callee: ExprId) -> bool {
        let automaton = self.automaton;
        let Pat::Name(name) = &automaton.pats[pat] else { return self.node(pat, callee) };
        let program = self.program;
        if program.called(callee).is_some() {
            return program.called_name(callee) == Some(name.as_str());
        }
        // A call through a pointer is one of the function if the pointer is the function's address.
        let unit: &Unit = program.unit;
        let is_possible =
            program.addressed.iter().any(|entity| unit.name(unit.entities[*entity].name) == name);
        if is_possible {
            self.guard = Some((callee, name.clone()));
        }
        is_possible
    }
}

/// The type in which the operator of an expression computes; for what computes nothing, the type of its value. Pointers
/// are moved in their own type, and subtracted and compared in none.
pub(crate) fn operation_type(unit: &mut Unit, expr: ExprId) -> Ty {
    if let Some(ty) = unit.operation_type(expr) {
        return ty;
    }
    let value = unit.value_type(expr);
    let is_operator = matches!(
        unit.exprs[expr].kind,
        ExprKind::Binary(..) | ExprKind::CompoundAssign(..) | ExprKind::Unary(UnaryOp::Not, _)
    );
    if is_operator && unit.types.pointee(value).is_none() { Ty::ERROR } else { value }
}

fn holds(program: &mut Program<'_>, condition: &Condition, found: &Match) -> bool {
    let expr = match condition.subject {
        Subject::Op => found.expr,
        Subject::Capture(index) => match found.captures[index] {
            Captured::Expr(expr) => Some(expr),
            Captured::Variable(_) => None,
        },
    };
    let ty = match condition.subject {
        Subject::Op => match expr {
            Some(expr) => operation_type(program.unit, expr),
            None => return false,
        },
        Subject::Capture(index) => captured_type(program.unit, found.captures[index]),
    };
    if condition.kind == Kind::External {
        return is_external(program, expr, found) != condition.is_negated;
    }
    let types = &program.unit.types;
    let is_signed = types.int_kind(ty).map(|kind| !kind.is_unsigned());
    let is_it = match condition.kind {
        Kind::Access => expr.is_some_and(|expr| !program.not_accessed.contains(&expr)),
        Kind::Array => expr.is_some_and(|expr| array_len(program.unit, expr).is_some()),
        Kind::Constant => expr.is_some_and(|expr| program.unit.value(expr).is_some()),
        Kind::External => false,
        Kind::Floating => matches!(types.kind(ty), TypeKind::Float(_)),
        Kind::Integer => is_signed.is_some(),
        Kind::Narrow => is_narrow(program.unit, expr, ty, found),
        Kind::Pointer => {
            matches!(types.kind(ty), TypeKind::Pointer(_) | TypeKind::Array(..) | TypeKind::Function(_))
        }
        Kind::Signed => is_signed == Some(true),
        Kind::Unsigned => is_signed == Some(false),
    };
    is_it != condition.is_negated
}

/// True for a function that the program does not define, and for a call of one.
fn is_external(program: &Program<'_>, expr: Option<ExprId>, found: &Match) -> bool {
    let unit: &Unit = program.unit;
    let Some(expr) = expr else { return false };
    if let Some((_, name)) = &found.guard {
        let is_it = |entity: &&EntityId| unit.name(unit.entities[**entity].name) == name;
        return program.addressed.iter().find(is_it).is_some_and(|&entity| program.is_undefined(entity));
    }
    let called = match unit.exprs[unit.peeled(expr)].kind {
        ExprKind::Call(callee, _) => callee,
        _ => expr,
    };
    program.called(called).is_some_and(|entity| program.is_undefined(entity))
}

/// The type of what is captured, as it is declared.
fn captured_type(unit: &Unit, captured: Captured) -> Ty {
    match captured {
        Captured::Expr(expr) => unit.exprs[expr].ty,
        Captured::Variable(entity) => unit.entities[entity].ty,
    }
}

fn is_narrow(unit: &mut Unit, expr: Option<ExprId>, ty: Ty, found: &Match) -> bool {
    let Some(op) = found.expr else { return false };
    let op = operation_type(unit, op);
    let (Some(kind), Some(op)) = (unit.types.int_kind(ty), unit.types.int_kind(op)) else { return false };
    let field = expr.and_then(|expr| unit.narrow_value(expr));
    let width = field.and_then(|field| unit.types.fields[field].width);
    width.unwrap_or_else(|| unit.types.model.bits(kind)) < unit.types.model.bits(op)
}

/// The number of elements of an array, unless it may stand for a longer one.
pub(crate) fn array_len(unit: &Unit, expr: ExprId) -> Option<u64> {
    let expr = unit.peeled(expr);
    let TypeKind::Array(_, ArrayLen::Known(len)) = unit.types.kind(unit.exprs[expr].ty) else { return None };
    (len > 0 && !may_be_longer(unit, expr)).then_some(len)
}

/// True when an array is at the end of what a pointer leads to: there may be more memory than the type says, and programs use
/// the last member of a record so.
fn may_be_longer(unit: &Unit, mut expr: ExprId) -> bool {
    let mut is_member = false;
    loop {
        expr = unit.peeled(expr);
        let (ExprKind::Member(_, field) | ExprKind::Arrow(_, field)) = unit.exprs[expr].kind else {
            return match unit.exprs[expr].kind {
                ExprKind::FunctionName => true,
                // A pointer to an array leads to one of that length.
                _ if !is_member => false,
                ExprKind::Unary(UnaryOp::Deref, _) => true,
                // An element of an array has a neighbour, or is where the array ends.
                ExprKind::Index(a, b) => {
                    let is_array = |e| matches!(unit.types.kind(unit.exprs[e].ty), TypeKind::Array(..));
                    !is_array(a) && !is_array(b)
                }
                _ => false,
            };
        };
        let record = &unit.types.records[unit.types.fields[field].record];
        if !record.is_union && record.fields.last() != Some(&field) {
            return false;
        }
        is_member = true;
        match unit.exprs[expr].kind {
            ExprKind::Member(base, _) => expr = base,
            _ => return true,
        }
    }
}

/// The type to which what is captured is converted where the operator uses it.
pub(crate) fn converted_type(unit: &mut Unit, found: &Match, captured: Captured) -> Ty {
    let ty = match (captured, found.expr) {
        (Captured::Variable(entity), _) => unit.entities[entity].ty,
        (Captured::Expr(operand), Some(root)) => operand_type(unit, root, operand),
        (Captured::Expr(operand), None) => unit.value_type(operand),
    };
    plain(unit, ty)
}

/// Without names of the program: pointers are `void *`, enumerations are integers.
pub(crate) fn plain(unit: &mut Unit, ty: Ty) -> Ty {
    match unit.types.kind(ty) {
        TypeKind::Pointer(_) | TypeKind::Array(..) | TypeKind::Function(_) => unit.types.pointer(Ty::VOID),
        TypeKind::Enum(id) => Ty::int(unit.types.enums[id].kind),
        _ => ty.bare(),
    }
}

fn operand_type(unit: &mut Unit, root: ExprId, operand: ExprId) -> Ty {
    use BinaryOp as B;
    use UnaryOp as U;
    match unit.exprs[root].kind {
        ExprKind::Binary(B::Shl | B::Shr, ..) | ExprKind::CompoundAssign(B::Shl | B::Shr, ..) => {
            unit.promoted(operand)
        }
        ExprKind::Binary(_, a, b) | ExprKind::CompoundAssign(_, a, b) if operand == a || operand == b => {
            match unit.operation_type(root) {
                Some(ty) => ty,
                None => unit.promoted(operand),
            }
        }
        ExprKind::Unary(
            U::Neg | U::Plus | U::BitNot | U::PreInc | U::PreDec | U::PostInc | U::PostDec,
            inner,
        ) if inner == operand => operation_type(unit, root),
        ExprKind::Assign(target, value) if operand == value => unit.value_type(target),
        ExprKind::Index(..) => unit.promoted(operand),
        ExprKind::Call(callee, list) => {
            let position = unit.args(list).iter().position(|argument| *argument == operand);
            let ty = unit.exprs[callee].ty;
            let param = unit.types.callee(ty).and_then(|signature| signature.params.get(position?).copied());
            match param {
                Some(param) => param,
                None => unit.promoted(operand),
            }
        }
        _ => unit.value_type(operand),
    }
}
