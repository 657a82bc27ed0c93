//! `cfront types`: do the types of integer expressions agree with the system's compiler?
//!
//! Beside every statement of a program one assertion is put for each integer expression in it: that its type, as the
//! compiler sees it through `__typeof__`, is the one that the front end gave it. The compiler then reads the program; each
//! assertion that fails is a disagreement. The sizes, alignments and members' places of structs and unions are asserted too.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::process::ExitCode;

use base::id::Id;
use base::intern::SymbolId;
use cfront::DataModel;
use cfront::ast::{EntityKind, ExprId, ExprKind, StmtId, StmtKind, Storage, Unit};
use diag::Span;

use super::source::{self, Task};
use crate::registry::{Command, Error};

pub(crate) const COMMAND: Command =
    Command { name: "types", about: "Compares types and layouts with the system's C compiler.", run };

/// Longer expressions are compared in their parts only.
const LONGEST: usize = 4000;

fn run(arguments: &[String]) -> Result<ExitCode, Error> {
    let (mut wanted, mut only) = (200, String::new());
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let value = words.next().cloned().unwrap_or_default();
        match word.as_str() {
            "--files" => wanted = value.parse().map_err(|_| Error::Usage("--files NUMBER".into()))?,
            "--only" => only = value,
            _ => return Err(Error::Usage("cfront types [--files N] [--only TEXT]".into())),
        }
    }
    let Some(corpus) = testkit::corpus_or_skip("types of the corpus' C programs") else {
        return Ok(ExitCode::SUCCESS);
    };
    let tasks = source::tasks(&corpus, &only)?;
    let step = (tasks.len() / wanted.max(1)).max(1);
    let (mut files, mut compared, mut wrong) = (0, 0, 0);
    let mut out = io::stdout().lock();
    for task in tasks.iter().step_by(step) {
        if files == wanted {
            break;
        }
        let Some(result) = compare(task)? else { continue };
        files += 1;
        compared += result.compared;
        wrong += result.disagreements.len();
        for line in &result.disagreements {
            writeln!(out, "{}: {line}", task.name)?;
        }
    }
    writeln!(
        out,
        "{files} files, {compared} types of integer expressions and facts about layouts compared, {wrong} disagreements"
    )?;
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

struct Compared {
    compared: usize,
    disagreements: Vec<String>,
}

/// What the compiler says about a program with assertions; none if it refuses the program without them.
fn compare(task: &Task) -> Result<Option<Compared>, Error> {
    let Ok(text) = source::preprocessed(task) else { return Ok(None) };
    let mut unit = cfront::parse(&text, 0, task.model);
    if unit.is_bad() || !compile(task.model, &text)?.is_empty() {
        return Ok(None);
    }
    let is_bound = bound(&unit);
    let mut weaver =
        Weaver { text: &text, checks: Vec::new(), edits: Vec::new(), is_bound, is_listed: BTreeSet::new() };
    weaver.weave(&mut unit);
    let woven = weaver.woven();
    let mut disagreements = Vec::new();
    for line in compile(task.model, &woven)? {
        // The message of an assertion is its number.
        let number = line.split("static assertion failed: \"").nth(1).and_then(|rest| rest.split('"').next());
        match number.and_then(|number| weaver.checks.get(number.parse::<usize>().ok()?)) {
            Some(check) => disagreements.push(check.clone()),
            None => disagreements.push(format!("the comparison itself: {line}")),
        }
    }
    Ok(Some(Compared { compared: weaver.checks.len(), disagreements }))
}

/// The compiler's errors.
fn compile(model: DataModel, text: &[u8]) -> Result<Vec<String>, Error> {
    let path = std::env::temp_dir().join(format!("svarog-types-{}.i", std::process::id()));
    std::fs::write(&path, text).map_err(|e| Error::Io("write a temporary file".into(), e))?;
    let width = if model == DataModel::Ilp32 { "-m32" } else { "-m64" };
    let output = std::process::Command::new("cc")
        .args(["-fsyntax-only", "-std=gnu17", "-w", "-fmax-errors=0", width])
        .arg(&path)
        .output()
        .map_err(|e| Error::Io("run cc".into(), e));
    let _ = std::fs::remove_file(&path);
    let said = String::from_utf8_lossy(&output?.stderr).into_owned();
    Ok(said.lines().filter(|line| line.contains("error:")).map(str::to_owned).collect())
}

/// Expressions with statements inside, whose labels would be defined twice, and those that GNU C allows in the body of an
/// inline function only.
fn bound(unit: &Unit) -> Vec<bool> {
    let mut bound = vec![false; unit.exprs.len()];
    let mut operands = Vec::new();
    // Operands come before what they are operands of.
    for (id, expr) in unit.exprs.iter_enumerated() {
        unit.operands(id, &mut operands);
        bound[id.index()] = operands.drain(..).any(|operand| bound[operand.index()])
            || match expr.kind {
                ExprKind::Statement(_) => true,
                ExprKind::Name(entity) => {
                    unit.name(unit.entities[entity].name).starts_with("__builtin_va_arg_pack")
                }
                _ => false,
            };
    }
    bound
}

struct Weaver<'a> {
    text: &'a [u8],
    /// What each assertion says, for messages.
    checks: Vec<String>,
    /// Text to be put at places; those at one place in this order.
    edits: Vec<(u32, String)>,
    /// Expressions that mean something at their own place only.
    is_bound: Vec<bool>,
    /// Statements that stand directly in a block, so that declarations may stand beside them.
    is_listed: BTreeSet<StmtId>,
}

impl Weaver<'_> {
    fn weave(&mut self, unit: &mut Unit) {
        let ids: Vec<StmtId> = unit.stmts.ids().collect();
        let mut heads = BTreeSet::new();
        for &id in &ids {
            match unit.stmts[id].kind {
                StmtKind::Block(list) => self.is_listed.extend(unit.block(list)),
                StmtKind::For(index) => heads.extend(unit.fors[index as usize].init),
                _ => {}
            }
        }
        for id in ids {
            if !heads.contains(&id) {
                self.statement(unit, id);
            }
        }
        let records = self.records(unit);
        self.edits.push((self.text.len() as u32, records));
    }

    /// Assertions about the sizes of records with tags, and the places of their members, at the end of the program.
    fn records(&mut self, unit: &Unit) -> String {
        let mut tags: BTreeMap<SymbolId, usize> = BTreeMap::new();
        for tag in unit.types.records.iter().filter_map(|record| record.tag) {
            *tags.entry(tag).or_default() += 1;
        }
        let bodies: Vec<Span> = unit.functions.iter().map(|function| function.span).collect();
        let is_inside = |span: Span| {
            let index = bodies.partition_point(|body| body.start <= span.start);
            index > 0 && span.end <= bodies[index - 1].end
        };
        let mut all = String::from("\n");
        for record in unit.types.records.iter().filter(|record| record.is_complete) {
            // A tag that is defined once, outside of functions and parameters, means the same at the end.
            let Some(tag) = record.tag.filter(|tag| tags[tag] == 1) else { continue };
            if is_inside(record.span) {
                continue;
            }
            let name = format!("{} {}", if record.is_union { "union" } else { "struct" }, unit.name(tag));
            self.equal(&mut all, &format!("sizeof({name})"), record.layout.size);
            self.equal(&mut all, &format!("_Alignof({name})"), u64::from(record.layout.align));
            for &id in &record.fields {
                let field = &unit.types.fields[id];
                if let (Some(member), None) = (field.name, field.width) {
                    let place = format!("__builtin_offsetof({name}, {})", unit.name(member));
                    self.equal(&mut all, &place, field.offset / 8);
                }
            }
        }
        all
    }

    fn equal(&mut self, all: &mut String, expr: &str, value: u64) {
        let number = self.checks.len();
        self.checks.push(format!("{expr} is not {value}"));
        all.push_str(&format!("_Static_assert({expr} == {value}, \"{number}\");"));
    }

    fn statement(&mut self, unit: &mut Unit, id: StmtId) {
        let cfront::ast::Stmt { kind, span } = unit.stmts[id];
        let mut roots = Vec::new();
        match kind {
            StmtKind::Expr(expr) | StmtKind::GotoComputed(expr) | StmtKind::Return(Some(expr)) => {
                roots.push(expr)
            }
            StmtKind::If(cond, ..) | StmtKind::While(cond, _) | StmtKind::Do(_, cond) => roots.push(cond),
            StmtKind::Switch(expr, _) => roots.push(expr),
            StmtKind::For(index) => return self.for_statement(unit, index),
            StmtKind::Decl(list) => {
                // What is declared is in scope after the declaration only.
                if self.is_listed.contains(&id) {
                    self.decl_roots(unit, list, &mut roots);
                    let checks = self.assertions(unit, &roots);
                    self.edits.push((span.end, checks));
                }
                return;
            }
            _ => return,
        }
        let checks = self.assertions(unit, &roots);
        self.before(id, span, checks);
    }

    fn decl_roots(&self, unit: &Unit, list: cfront::ast::List, roots: &mut Vec<ExprId>) {
        for &decl in unit.decl_list(list) {
            unit.decls[decl].init.into_iter().for_each(|init| unit.init_exprs(init, roots));
        }
    }

    fn before(&mut self, id: StmtId, span: Span, checks: String) {
        if checks.is_empty() {
            return;
        }
        if self.is_listed.contains(&id) {
            self.edits.push((span.start, checks));
        } else {
            self.edits.push((span.start, format!("{{ {checks}")));
            self.edits.push((span.end, "}".into()));
        }
    }

    /// What the head of a loop declares is in scope in its body.
    fn for_statement(&mut self, unit: &mut Unit, index: u32) {
        let parts = unit.fors[index as usize];
        let mut roots: Vec<ExprId> = parts.cond.into_iter().chain(parts.step).collect();
        match parts.init.map(|init| unit.stmts[init].kind) {
            Some(StmtKind::Expr(expr)) => roots.push(expr),
            Some(StmtKind::Decl(list)) => self.decl_roots(unit, list, &mut roots),
            _ => {}
        }
        let checks = self.assertions(unit, &roots);
        let body = unit.stmts[parts.body].span;
        self.edits.push((body.start, format!("{{ {checks}")));
        self.edits.push((body.end, "}".into()));
    }

    /// One assertion for each integer expression in the roots.
    fn assertions(&mut self, unit: &mut Unit, roots: &[ExprId]) -> String {
        let mut all = String::new();
        for &root in roots {
            for part in unit.parts(root) {
                if let Some(check) = self.assertion(unit, part) {
                    all.push_str(&check);
                }
            }
        }
        all
    }

    fn assertion(&mut self, unit: &mut Unit, expr: ExprId) -> Option<String> {
        let cfront::ast::Expr { kind, ty, span, .. } = *unit.expr(expr);
        unit.types.int_kind(ty)?;
        let text = self.text.get(span.start as usize..span.end as usize)?;
        let text = std::str::from_utf8(text).ok()?;
        if text.len() > LONGEST || self.is_bound[expr.index()] {
            return None;
        }
        // A function that is called before its declaration has another type before the call than after it.
        if let ExprKind::Name(entity) = kind
            && matches!(unit.entities[entity].kind, EntityKind::Function(Storage::External))
        {
            return None;
        }
        let is_enum = !matches!(unit.types.kind(ty), cfront::types::TypeKind::Int(_));
        let (plus, kind) = if is_enum || unit.narrow_value(expr).is_some() {
            ("+", unit.promoted_kind(expr)?)
        } else {
            ("", unit.types.int_kind(ty)?)
        };
        let number = self.checks.len();
        let shown: String = text.chars().take(80).collect();
        let line = self.text[..span.start as usize].iter().filter(|&&byte| byte == b'\n').count() + 1;
        self.checks.push(format!("line {line}: `{shown}` is not {}", kind.text()));
        Some(format!(
            "_Static_assert(__builtin_types_compatible_p(__typeof__({plus}({text})), {}), \"{number}\");",
            kind.text()
        ))
    }

    /// The program with its assertions.
    fn woven(&mut self) -> Vec<u8> {
        // Stable: what closes at a place was pushed after what opened before it.
        self.edits.sort_by_key(|edit| edit.0);
        let mut out = Vec::with_capacity(self.text.len() * 4);
        let mut at = 0;
        for (place, insert) in &self.edits {
            let place = *place as usize;
            out.extend_from_slice(&self.text[at..place]);
            out.extend_from_slice(insert.as_bytes());
            at = place;
        }
        out.extend_from_slice(&self.text[at..]);
        out
    }
}
