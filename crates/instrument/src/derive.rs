//! From the sequentialized automata to a [`Plan`]: operations with types and names filled in.

use crate::ia::ast::{
    Attribute, Automaton, Pat, PatId, Pattern, Per, Side, Spec, Subject, TextPiece, Transition,
};
use crate::limits;
use crate::matching::{Match, array_len, converted_type, operation_type, plain};
use crate::plan::{At, Captured, Insertion, Operation, OperationId, Param, Piece, Plan};
use crate::program::Program;
use crate::sequence::{Placed, Sequenced};
use crate::state::States;
use cfront::ast::FunctionId;
use cfront::types::Ty;
use diag::{Diagnostic, codes};
use rustc_hash::{FxHashMap, FxHashSet};

/// Functions whose calls are violations in the program's own terms.
const ERRORS: [&str; 3] = ["__VERIFIER_assert", "__VERIFIER_error", "reach_error"];

/// Functions of the conventions that texts may call.
const NEEDS: [&str; 2] = ["__VERIFIER_nondet_bool", "reach_error"];

/// The plan of a program that was sequentialized with a specification.
#[must_use]
pub fn derive(program: &mut Program<'_>, spec: &Spec, sequenced: &Sequenced) -> Plan {
    let globals = global_names(program, spec);
    let mut deriver = Deriver {
        program,
        spec,
        sequenced,
        globals,
        locals: FxHashMap::default(),
        known: FxHashMap::default(),
        names: FxHashMap::default(),
        states: States::default(),
        ended: FxHashMap::default(),
        plan: Plan::default(),
    };
    deriver.declarations();
    for placed in &sequenced.placed {
        deriver.insertion(placed);
    }
    deriver.finish()
}

/// Names that mean the same wherever a text stands: those of the specification's C text and of the file scope.
fn global_names(program: &Program<'_>, spec: &Spec) -> FxHashSet<String> {
    let unit = &program.unit;
    let own = unit.entities.iter().filter(|entity| entity.scope.is_none());
    let mut out: FxHashSet<String> = own.map(|entity| unit.name(entity.name).to_owned()).collect();
    for text in &spec.c {
        let words = cfront::words(text, 0);
        out.extend(words.tokens.iter().map(|token| text[range(token.span)].to_owned()));
    }
    out.extend(NEEDS.map(str::to_owned));
    out
}

fn range(span: diag::Span) -> std::ops::Range<usize> {
    span.start as usize..span.end as usize
}

/// What makes an operation different from the others: its transition and its text with types.
type Key = (usize, usize, Vec<Piece>, Vec<Param>, Option<Ty>);

pub(crate) struct Deriver<'a, 'b> {
    pub(crate) program: &'a mut Program<'b>,
    pub(crate) spec: &'a Spec,
    pub(crate) sequenced: &'a Sequenced,
    globals: FxHashSet<String>,
    /// Names that are local to a function.
    locals: FxHashMap<usize, FxHashSet<String>>,
    known: FxHashMap<Key, OperationId>,
    names: FxHashMap<String, usize>,
    pub(crate) states: States,
    /// Operations at the end of the program that handlers run before, and the functions that do them.
    pub(crate) ended: FxHashMap<OperationId, String>,
    pub(crate) plan: Plan,
}

impl Deriver<'_, '_> {
    /// Declares the variables of automata for the whole program, and the C text of the specification.
    fn declarations(&mut self) {
        self.plan.globals.extend(self.spec.c.iter().cloned());
        for automaton in &self.spec.automata {
            if automaton.per == Per::Program {
                let declared = automaton.vars.iter().map(|var| {
                    format!("static {}{}{};", var.before, var_name(automaton, None, &var.name), var.after)
                });
                self.plan.globals.extend(declared);
            }
        }
    }

    fn automaton(&self, placed: &Placed) -> (&Automaton, &Transition) {
        let spec = self.spec;
        let automaton = &spec.automata[self.sequenced.instances[placed.instance].automaton];
        (automaton, &automaton.transitions[placed.transition])
    }

    fn insertion(&mut self, placed: &Placed) {
        let spec = self.spec;
        let instance = &self.sequenced.instances[placed.instance];
        let automaton = &spec.automata[instance.automaton];
        let transition = &automaton.transitions[placed.transition];
        if !self.covers(placed, transition) {
            return;
        }
        let mut writer =
            Writer { pieces: Vec::new(), used: Vec::new(), reads_result: false, is_local: false };
        if let Some((_, name)) = &placed.found.guard {
            writer.text("if (");
            writer.used.push(None);
            writer.pieces.push(Piece::Capture(0));
            writer.text(&format!(" == (void *){name}) {{ "));
        }
        for index in 0..transition.captures.len() {
            if transition.text.contains(&TextPiece::Capture(index)) {
                writer.used.push(Some(index));
            }
        }
        for piece in &transition.text {
            self.piece(placed, piece, &mut writer);
        }
        if placed.found.guard.is_some() {
            writer.text(" }");
        }
        let operation = self.operation(placed, writer);
        let is_everywhere = transition.side == Side::Before && transition.patterns == [Pattern::True];
        let cfa = &self.program.cfas[placed.function];
        let at = match transition.side {
            Side::Before if is_everywhere => At::Location(cfa.edges[placed.edge].from),
            Side::Before => At::Before(placed.edge),
            Side::After => At::After(placed.edge),
        };
        let captures = self.captures(placed, operation);
        let insertion = Insertion { function: cfa.function, at, operation, captures };
        self.place(placed, insertion);
    }

    /// Adds an insertion unless it is there already: a location has several edges, and a comparison has two.
    fn place(&mut self, placed: &Placed, insertion: Insertion) {
        if self.is_handler(placed, &insertion) {
            return;
        }
        let is_same = |other: &&Insertion| {
            let is_one_place = match (other.at, insertion.at) {
                (At::Before(a), At::Before(b)) => {
                    let edges = &self.program.cfas[placed.function].edges;
                    placed.found.expr.is_some() && edges[a].from == edges[b].from
                }
                (a, b) => a == b,
            };
            other.function == insertion.function && is_one_place
        };
        let twin = |other: &Insertion| {
            other.operation == insertion.operation && other.captures == insertion.captures
        };
        let mut near = self.plan.insertions.iter().rev().take(64).filter(is_same);
        if !near.any(twin) {
            self.plan.insertions.push(insertion);
        }
    }

    fn captures(&self, placed: &Placed, operation: OperationId) -> Vec<Captured> {
        let (_, transition) = self.automaton(placed);
        let captured = |param: &Param| {
            let index = transition.captures.iter().position(|name| *name == param.name);
            match (index, &placed.found.guard) {
                (Some(index), _) => Some(placed.found.captures[index]),
                (None, Some((callee, _))) => Some(Captured::Expr(*callee)),
                (None, None) => None,
            }
        };
        self.plan.operations[operation].params.iter().filter_map(captured).collect()
    }

    fn piece(&mut self, placed: &Placed, piece: &TextPiece, writer: &mut Writer) {
        let spec = self.spec;
        let instance = &self.sequenced.instances[placed.instance];
        let automaton = &spec.automata[instance.automaton];
        match piece {
            TextPiece::Text(text) => writer.text(text),
            TextPiece::Name(name) => {
                writer.is_local |= self.is_local(placed.function, name);
                writer.text(name);
            }
            TextPiece::Var(index) => {
                let number = (automaton.per != Per::Program).then_some(instance.number);
                writer.is_local |= automaton.vars[*index].is_local;
                writer.text(&var_name(automaton, number, &automaton.vars[*index].name));
            }
            TextPiece::Capture(index) => {
                let position = writer.used.iter().position(|used| *used == Some(*index));
                writer.pieces.extend(position.map(Piece::Capture));
            }
            TextPiece::Result => {
                writer.reads_result = true;
                writer.pieces.push(Piece::Result);
            }
            TextPiece::Attribute(subject, attribute) => {
                let text = self.attribute(&placed.found, *subject, *attribute);
                writer.text(&text);
            }
            TextPiece::SaveState | TextPiece::SameState => {
                let number = instance.number;
                let (save, same) = self.state_texts(placed.instance, automaton, number);
                writer.is_local |= automaton.per != Per::Program;
                writer.text(if *piece == TextPiece::SaveState { &save } else { &same });
            }
        }
    }

    fn attribute(&mut self, found: &Match, subject: Subject, attribute: Attribute) -> String {
        let unit = &mut *self.program.unit;
        let ty = match subject {
            Subject::Op => found.expr.map_or(Ty::ERROR, |expr| operation_type(unit, expr)),
            Subject::Capture(index) => match (attribute, found.captures[index]) {
                // What the program says of it, not what it becomes when it is used.
                (Attribute::Size, Captured::Expr(expr)) => unit.exprs[expr].ty,
                (Attribute::Len, Captured::Expr(expr)) => {
                    return array_len(unit, expr).map_or_else(|| "0".to_owned(), |len| format!("{len}UL"));
                }
                (_, captured) => converted_type(unit, found, captured),
            },
        };
        limits::text(unit, ty, attribute)
    }

    fn is_local(&mut self, function: usize, name: &str) -> bool {
        if name.starts_with("__builtin_") {
            return false;
        }
        let unit = &self.program.unit;
        let id = self.program.cfas[function].function;
        let locals = self.locals.entry(function).or_insert_with(|| {
            let own = unit.entities.iter().filter(|entity| entity.scope == Some(id));
            own.map(|entity| unit.name(entity.name).to_owned()).collect()
        });
        locals.contains(name) || !self.globals.contains(name)
    }

    /// The operation of this text and these types.
    fn operation(&mut self, placed: &Placed, writer: Writer) -> OperationId {
        let spec = self.spec;
        let automaton_index = self.sequenced.instances[placed.instance].automaton;
        let transition = &spec.automata[automaton_index].transitions[placed.transition];
        let unit = &mut *self.program.unit;
        let mut params = Vec::new();
        for used in &writer.used {
            params.push(match used {
                Some(index) => Param {
                    name: transition.captures[*index].clone(),
                    ty: converted_type(unit, &placed.found, placed.found.captures[*index]),
                },
                None => Param { name: "__callee".to_owned(), ty: unit.types.pointer(Ty::VOID) },
            });
        }
        let result = placed.found.expr.filter(|_| writer.reads_result).map(|expr| {
            let ty = unit.value_type(expr);
            plain(unit, ty)
        });
        let key = (automaton_index, placed.transition, writer.pieces, params, result);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let name = self.operation_name(placed, &key.3);
        let id = self.plan.operations.push(Operation {
            name,
            text: key.2.clone(),
            params: key.3.clone(),
            result,
            reads_locals: writer.is_local,
            from: transition.span,
        });
        self.known.insert(key, id);
        id
    }

    /// A word for an operation: what it looks for, and the type.
    fn operation_name(&mut self, placed: &Placed, params: &[Param]) -> String {
        let (automaton, transition) = self.automaton(placed);
        let mut word = match transition.patterns[0] {
            Pattern::Expr(root) => pat_word(automaton, root),
            _ => automaton.name.clone(),
        };
        let unit = &self.program.unit;
        if let Some(param) = params.first().filter(|param| unit.types.int_kind(param.ty).is_some()) {
            let ty = unit.types.text(&unit.names, param.ty);
            word = format!("{word}_{}", ty.trim_start_matches('_').replace(' ', "_"));
        }
        let count = self.names.entry(word.clone()).or_default();
        *count += 1;
        if *count == 1 { word } else { format!("{word}_{count}") }
    }

    /// True when a pattern's operation can be there; otherwise that is reported.
    fn covers(&mut self, placed: &Placed, transition: &Transition) -> bool {
        let reads = |piece: &TextPiece| matches!(piece, TextPiece::SaveState | TextPiece::SameState);
        if transition.text.is_empty() {
            return false;
        }
        let automaton = &self.spec.automata[self.sequenced.instances[placed.instance].automaton];
        let uses_state = automaton.transitions.iter().any(|transition| transition.text.iter().any(reads));
        !uses_state || self.is_covered(placed.instance)
    }

    fn finish(mut self) -> Plan {
        self.instance_variables();
        let unit = &self.program.unit;
        if !self.spec.keeps_errors {
            let has = |name: &&str| {
                unit.names.find(name).is_some_and(|symbol| {
                    unit.entities.iter().any(|entity| entity.name == symbol && entity.scope.is_none())
                })
            };
            let renamed = ERRORS.into_iter().filter(has);
            self.plan.renamed = renamed
                .map(|name| (name.to_owned(), format!("__svarog_program_{}", name.trim_start_matches('_'))))
                .collect();
        }
        let says = |text: &str, name: &str| text.contains(name);
        let in_text = |piece: &Piece, name: &str| matches!(piece, Piece::Text(text) if says(text, name));
        let plan = &self.plan;
        let needed = |name: &&str| {
            let mut pieces = plan.operations.iter().flat_map(|operation| operation.text.iter());
            pieces.any(|piece| in_text(piece, name)) || plan.globals.iter().any(|text| says(text, name))
        };
        self.plan.needs = NEEDS.into_iter().filter(needed).collect();
        for cfa in self.program.cfas {
            for (what, span) in &cfa.unsupported {
                let message = format!("not covered: {what}");
                self.plan.findings.push(Diagnostic::new(codes::I102, *span, message));
            }
        }
        self.plan.insertions.sort_by_key(|insertion| insertion.function);
        self.plan
    }

    /// Declares the variables of automata for parts of the program.
    fn instance_variables(&mut self) {
        let spec = self.spec;
        let mut used: Vec<usize> = self.sequenced.placed.iter().map(|placed| placed.instance).collect();
        used.sort_unstable();
        used.dedup();
        for index in used {
            let instance = &self.sequenced.instances[index];
            let automaton = &spec.automata[instance.automaton];
            if automaton.per == Per::Program {
                continue;
            }
            let Some(place) = instance.starts.first() else { continue };
            let function: FunctionId = self.program.cfas[place.function].function;
            for var in &automaton.vars {
                let name = var_name(automaton, Some(instance.number), &var.name);
                let text = format!("{}{name}{};", var.before, var.after);
                match var.is_local {
                    true => self.plan.locals.push((function, text)),
                    false => self.plan.globals.push(format!("static {text}")),
                }
            }
        }
    }
}

/// The name of an automaton's variable in the program.
pub(crate) fn var_name(automaton: &Automaton, number: Option<usize>, name: &str) -> String {
    match number {
        Some(number) => format!("__svarog_{}_{name}_{number}", automaton.name),
        None => format!("__svarog_{}_{name}", automaton.name),
    }
}

fn pat_word(automaton: &Automaton, root: PatId) -> String {
    use cfront::ast::{BinaryOp as B, UnaryOp as U};
    let binary = |op: B| match op {
        B::Mul => "mul",
        B::Div => "div",
        B::Rem => "rem",
        B::Add => "add",
        B::Sub => "sub",
        B::Shl => "shl",
        B::Shr => "shr",
        _ => "operator",
    };
    match &automaton.pats[root] {
        Pat::Binary(op, ..) => binary(*op).to_owned(),
        Pat::CompoundAssign(op, ..) => format!("{}_assign", binary(*op)),
        Pat::Unary(U::Neg, _) => "neg".to_owned(),
        Pat::Unary(U::PreInc | U::PostInc, _) => "inc".to_owned(),
        Pat::Unary(U::PreDec | U::PostDec, _) => "dec".to_owned(),
        Pat::Call(callee, ..) => match &automaton.pats[*callee] {
            Pat::Name(name) => name.clone(),
            _ => "call".to_owned(),
        },
        Pat::Index(..) => "index".to_owned(),
        Pat::Assign(..) => "assign".to_owned(),
        _ => "operator".to_owned(),
    }
}

/// The text of an operation while it is made.
struct Writer {
    pieces: Vec<Piece>,
    /// The transition's captures that it reads; none for the pointer of a guard.
    used: Vec<Option<usize>>,
    reads_result: bool,
    is_local: bool,
}

impl Writer {
    fn text(&mut self, more: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Text(text)) => text.push_str(more),
            _ => self.pieces.push(Piece::Text(more.to_owned())),
        }
    }
}
