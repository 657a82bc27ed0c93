//! Statements to locations and edges, with an explicit stack of what is left to do.

use super::{Cfa, Edge, EdgeId, Exit, ExitKind, LocId, Op};
use crate::ast::{
    DeclId, EntityKind, ExprId, ExprKind, FunctionId, InitId, InitKind, LabelId, StmtId, StmtKind, Storage,
    Unit,
};
use crate::types::{ArrayLen, Ty, TypeKind};
use base::id::{Id, IdVec};
use diag::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// Something that is left to do. Code is added at the current location.
#[derive(Clone, Copy, Debug)]
pub(super) enum Task {
    Stmt(StmtId),
    /// Evaluates an expression.
    Value(ExprId),
    /// Evaluates what a place depends on, without access to it.
    Place(ExprId),
    /// Evaluates a condition and goes on at one of two locations.
    Branch(ExprId, LocId, LocId),
    /// Goes on at one of two locations; the condition is evaluated.
    Test(ExprId, LocId, LocId),
    /// Adds an edge to a new location.
    Emit(Op),
    /// Adds an edge to a location, where nothing goes on yet.
    EmitTo(Op, LocId),
    /// Goes on at a location.
    At(LocId),
    /// Leads to a location.
    Goto(LocId),
    /// A call whose operands are evaluated.
    Call(ExprId),
    /// A switch whose value is evaluated.
    Dispatch(StmtId),
    /// Ends the innermost loop or switch.
    Close,
    Return(StmtId),
    /// A computed jump whose target is evaluated.
    Labels(ExprId),
    /// Assembly whose operands are evaluated.
    Asm(StmtId),
}

/// A loop or switch that is open.
pub(super) struct Context {
    on_break: LocId,
    on_continue: Option<LocId>,
    switch: Option<Switch>,
}

struct Switch {
    at: LocId,
    value: ExprId,
    default: Option<LocId>,
}

pub(super) struct Builder<'a> {
    pub(super) unit: &'a Unit,
    addressed: &'a FxHashSet<LabelId>,
    function: FunctionId,
    pub(super) current: LocId,
    pub(super) locations: usize,
    pub(super) edges: IdVec<EdgeId, Edge>,
    pub(super) tasks: Vec<Task>,
    contexts: Vec<Context>,
    pub(super) labels: FxHashMap<LabelId, LocId>,
    pub(super) exits: Vec<Exit>,
    /// Locations where loop statements begin.
    pub(super) loops: Vec<(LocId, StmtId)>,
    exit: LocId,
    pub(super) unsupported: Vec<(&'static str, Span)>,
}

/// Labels whose address is taken somewhere.
pub(super) fn addressed_labels(unit: &Unit) -> FxHashSet<LabelId> {
    let label = |kind| match kind {
        ExprKind::LabelAddress(label) => Some(label),
        _ => None,
    };
    unit.exprs.iter().filter_map(|expr| label(expr.kind)).collect()
}

pub(super) fn build(unit: &Unit, function: FunctionId, addressed: &FxHashSet<LabelId>) -> Cfa {
    let mut builder = Builder {
        unit,
        addressed,
        function,
        current: LocId::from_index(0),
        locations: 2,
        edges: IdVec::new(),
        tasks: Vec::new(),
        contexts: Vec::new(),
        labels: FxHashMap::default(),
        exits: Vec::new(),
        loops: Vec::new(),
        exit: LocId::from_index(1),
        unsupported: Vec::new(),
    };
    builder.tasks.push(Task::Stmt(unit.functions[function].body));
    while let Some(task) = builder.tasks.pop() {
        builder.step(task);
    }
    let edge = builder.edge(Op::FallOff, builder.exit);
    builder.exits.push(Exit { edge, kind: ExitKind::FallOff });
    let entity = &unit.entities[unit.functions[function].entity];
    let is_main = unit.name(entity.name) == "main" && entity.scope.is_none();
    super::loops::finish(builder, function, is_main)
}

impl Builder<'_> {
    pub(super) fn fresh(&mut self) -> LocId {
        self.locations += 1;
        LocId::from_index(self.locations - 1)
    }

    pub(super) fn edge(&mut self, op: Op, to: LocId) -> EdgeId {
        self.edges.push(Edge { from: self.current, to, op })
    }

    pub(super) fn emit(&mut self, op: Op) -> EdgeId {
        let to = self.fresh();
        let edge = self.edge(op, to);
        self.current = to;
        edge
    }

    /// What follows is reached by a label only.
    pub(super) fn cut(&mut self) {
        self.current = self.fresh();
    }

    /// Adds tasks that are to be done in this order.
    pub(super) fn plan<const N: usize>(&mut self, tasks: [Task; N]) {
        self.tasks.extend(tasks.into_iter().rev());
    }

    fn step(&mut self, task: Task) {
        match task {
            Task::Stmt(stmt) => self.stmt(stmt),
            Task::Value(expr) => self.value(expr),
            Task::Place(expr) => self.place(expr),
            Task::Branch(expr, yes, no) => self.branch(expr, yes, no),
            Task::Test(expr, yes, no) => self.test(expr, yes, no),
            Task::Emit(op) => drop(self.emit(op)),
            Task::EmitTo(op, to) => {
                self.edge(op, to);
                self.cut();
            }
            Task::At(at) => self.current = at,
            Task::Goto(to) => {
                self.edge(Op::Skip, to);
                self.cut();
            }
            Task::Call(expr) => self.call(expr),
            Task::Dispatch(stmt) => self.dispatch(stmt),
            Task::Close => self.close(),
            Task::Return(stmt) => {
                let edge = self.edge(Op::Return(stmt), self.exit);
                self.exits.push(Exit { edge, kind: ExitKind::Return(stmt) });
                self.cut();
            }
            Task::Labels(expr) => self.computed(expr),
            Task::Asm(stmt) => self.asm(stmt),
        }
    }

    fn label(&mut self, label: LabelId) -> LocId {
        if let Some(&at) = self.labels.get(&label) {
            return at;
        }
        let at = self.fresh();
        self.labels.insert(label, at);
        at
    }

    fn stmt(&mut self, stmt: StmtId) {
        use Task as T;
        match self.unit.stmts[stmt].kind {
            StmtKind::Error | StmtKind::Empty | StmtKind::Function(_) => {}
            StmtKind::Expr(expr) => self.tasks.push(T::Value(expr)),
            StmtKind::Decl(list) => {
                let unit = self.unit;
                for &decl in unit.decl_list(list).iter().rev() {
                    self.declaration(decl);
                }
            }
            StmtKind::Block(list) => {
                let unit = self.unit;
                self.tasks.extend(unit.block(list).iter().rev().map(|&stmt| T::Stmt(stmt)));
            }
            StmtKind::If(cond, yes, no) => {
                let (then, other, join) = (self.fresh(), self.fresh(), self.fresh());
                self.plan([T::Goto(join), T::At(join)]);
                self.tasks.extend(no.map(T::Stmt));
                self.plan([
                    T::Branch(cond, then, other),
                    T::At(then),
                    T::Stmt(yes),
                    T::Goto(join),
                    T::At(other),
                ]);
            }
            StmtKind::While(cond, body) => self.while_loop(stmt, cond, body),
            StmtKind::Do(body, cond) => self.do_loop(stmt, body, cond),
            StmtKind::For(index) => self.for_loop(stmt, index),
            StmtKind::Switch(value, _) => self.plan([T::Value(value), T::Dispatch(stmt)]),
            StmtKind::Case(low, high, inner) => {
                let low = self.unit.int_value(low).unwrap_or(0);
                let high = high.map_or(low, |high| self.unit.int_value(high).unwrap_or(low));
                let at = self.fresh();
                self.case(low, high, at);
                self.plan([T::Goto(at), T::At(at), T::Stmt(inner)]);
            }
            StmtKind::Default(inner) => {
                let at = self.fresh();
                if let Some(switch) =
                    self.contexts.iter_mut().rev().find_map(|context| context.switch.as_mut())
                {
                    switch.default = Some(at);
                }
                self.plan([T::Goto(at), T::At(at), T::Stmt(inner)]);
            }
            StmtKind::Label(label, inner) => {
                let at = self.label(label);
                self.plan([T::Goto(at), T::At(at), T::Stmt(inner)]);
            }
            StmtKind::Goto(label) => {
                let at = self.label(label);
                self.tasks.push(T::Goto(at));
            }
            StmtKind::GotoComputed(target) => self.plan([T::Value(target), T::Labels(target)]),
            StmtKind::Break => {
                let target = self.contexts.last().map(|context| context.on_break);
                self.tasks.extend(target.map(T::Goto));
            }
            StmtKind::Continue => {
                let target = self.contexts.iter().rev().find_map(|context| context.on_continue);
                self.tasks.extend(target.map(T::Goto));
            }
            StmtKind::Return(value) => {
                self.tasks.push(T::Return(stmt));
                self.tasks.extend(value.map(T::Value));
            }
            StmtKind::Asm(index) => {
                let unit = self.unit;
                let asm = &unit.asms[index as usize];
                self.tasks.push(T::Asm(stmt));
                self.tasks.extend(asm.inputs.iter().rev().map(|&input| T::Value(input)));
                self.tasks.extend(asm.outputs.iter().rev().map(|&output| T::Place(output)));
            }
        }
    }

    fn open(&mut self, on_break: LocId, on_continue: Option<LocId>) {
        self.contexts.push(Context { on_break, on_continue, switch: None });
    }

    fn while_loop(&mut self, stmt: StmtId, cond: ExprId, body: StmtId) {
        use Task as T;
        let (head, inside, after) = (self.fresh(), self.fresh(), self.fresh());
        self.loops.push((head, stmt));
        self.edge(Op::Skip, head);
        self.current = head;
        self.open(after, Some(head));
        self.plan([
            T::Branch(cond, inside, after),
            T::At(inside),
            T::Stmt(body),
            T::Goto(head),
            T::Close,
            T::At(after),
        ]);
    }

    fn do_loop(&mut self, stmt: StmtId, body: StmtId, cond: ExprId) {
        use Task as T;
        let (head, test, after) = (self.fresh(), self.fresh(), self.fresh());
        self.loops.push((head, stmt));
        self.edge(Op::Skip, head);
        self.current = head;
        self.open(after, Some(test));
        self.plan([
            T::Stmt(body),
            T::Goto(test),
            T::Close,
            T::At(test),
            T::Branch(cond, head, after),
            T::At(after),
        ]);
    }

    fn for_loop(&mut self, stmt: StmtId, index: u32) {
        use Task as T;
        let parts = self.unit.fors[index as usize];
        let (head, inside, next, after) = (self.fresh(), self.fresh(), self.fresh(), self.fresh());
        self.loops.push((head, stmt));
        self.open(after, Some(next));
        self.plan([T::Goto(head), T::Close, T::At(after)]);
        self.tasks.extend(parts.step.map(T::Value));
        self.plan([T::At(inside), T::Stmt(parts.body), T::Goto(next), T::At(next)]);
        self.tasks.push(match parts.cond {
            Some(cond) => T::Branch(cond, inside, after),
            None => T::Goto(inside),
        });
        self.plan([T::Goto(head), T::At(head)]);
        self.tasks.extend(parts.init.map(T::Stmt));
    }

    /// Begins a switch: its cases add their edges here as they are found.
    fn dispatch(&mut self, stmt: StmtId) {
        let StmtKind::Switch(value, body) = self.unit.stmts[stmt].kind else { return };
        let after = self.fresh();
        let at = self.current;
        self.open(after, None);
        if let Some(context) = self.contexts.last_mut() {
            context.switch = Some(Switch { at, value, default: None });
        }
        // Statements before the first case are reached by jumps only.
        self.cut();
        self.plan([Task::Stmt(body), Task::Goto(after), Task::Close, Task::At(after)]);
    }

    fn case(&mut self, low: i128, high: i128, to: LocId) {
        let switch = self.contexts.iter().rev().find_map(|context| context.switch.as_ref());
        let Some(&Switch { at, value, .. }) = switch else { return };
        self.edges.push(Edge { from: at, to, op: Op::Case(value, low, high) });
    }

    /// Ends a loop or switch; a switch without a default case goes on behind it.
    fn close(&mut self) {
        let Some(context) = self.contexts.pop() else { return };
        if let Some(Switch { at, value, default }) = context.switch {
            let to = default.unwrap_or(context.on_break);
            self.edges.push(Edge { from: at, to, op: Op::Default(value) });
        }
    }

    /// `goto *e`: to every label of the function whose address is taken.
    fn computed(&mut self, expr: ExprId) {
        let unit = self.unit;
        for &label in
            unit.functions[self.function].labels.iter().filter(|label| self.addressed.contains(label))
        {
            let at = self.label(label);
            self.edge(Op::Label(expr, label), at);
        }
        self.cut();
    }

    /// Assembly goes on behind it, or at one of the labels that it names.
    fn asm(&mut self, stmt: StmtId) {
        let unit = self.unit;
        let StmtKind::Asm(index) = unit.stmts[stmt].kind else { return };
        for &label in &unit.asms[index as usize].labels {
            let at = self.label(label);
            self.edge(Op::Asm(stmt), at);
        }
        self.emit(Op::Asm(stmt));
    }

    /// Plans a declaration: sizes, the variable itself, its initialiser.
    fn declaration(&mut self, decl: DeclId) {
        let unit = self.unit;
        let Some(entity) = unit.decls[decl].entity else { return };
        let ty = unit.entities[entity].ty;
        if unit.entities[entity].kind == EntityKind::Variable(Storage::Automatic) {
            if let Some(init) = unit.decls[decl].init {
                self.init(decl, init);
            }
            self.tasks.push(Task::Emit(Op::Declare(entity)));
            if unit.entities[entity].flags.cleanup.is_some() {
                self.unsupported.push((super::CLEANUP, unit.decls[decl].span));
            }
        }
        self.sizes(ty);
    }

    /// Plans the evaluation of variable lengths.
    fn sizes(&mut self, mut ty: Ty) {
        loop {
            match self.unit.types.kind(ty) {
                TypeKind::Array(of, len) => {
                    if let ArrayLen::Variable(size) = len {
                        self.tasks.push(Task::Value(size));
                    }
                    ty = of;
                }
                TypeKind::Pointer(to) => ty = to,
                _ => return,
            }
        }
    }

    fn init(&mut self, decl: DeclId, init: InitId) {
        let unit = self.unit;
        let mut leaves = Vec::new();
        let mut todo = vec![init];
        while let Some(init) = todo.pop() {
            match unit.inits[init].kind {
                InitKind::Expr(expr) => leaves.push((init, expr)),
                InitKind::Braces(list) => todo.extend(unit.items_of(list).iter().rev().map(|item| item.init)),
            }
        }
        for &(init, expr) in leaves.iter().rev() {
            self.plan([Task::Value(expr), Task::Emit(Op::Init(decl, init))]);
        }
        if matches!(unit.inits[init].kind, InitKind::Braces(_)) {
            self.tasks.push(Task::Emit(Op::Zero(decl)));
        }
    }
}
