//! Copies of the state of a program, as far as it can change while a function is active.
//!
//! If everything that may have changed since is at some place as it was there before, the execution can go on as it did, and
//! come back again: it need not end. So a copy holds the variables that may have changed between two visits, and those
//! that cannot have changed are the same anyway. Variables out of scope at the place have no value that counts there. The copies
//! are of numbers and pointers: records are taken apart, so bytes between members do not matter; where a program may look at
//! single bytes, records with such bytes are copied as bytes. What cannot be copied makes the automaton's instance one that is *not covered*: it is left out, and a finding says so.

use crate::derive::Deriver;
use crate::effects::{AllEffects, Cycles, is_automatic};
use crate::ia::ast::Per;
use crate::initialize::Instance;
use crate::leaves::{Leaf, declaration, equality, indices, leaves_of, over, value};
use crate::pointees::{Blocks, Pointee};
use crate::program::Program;
use crate::scopes::{Spot, scopes};
use base::intern::SymbolId;
use cfront::ast::{EntityId, FunctionId, StmtKind, Unit};
use cfront::types::{CONST, Ty};
use diag::{Diagnostic, Span, codes};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;
use std::rc::Rc;

/// Larger copies are not put on the stack.
const LARGE: u64 = 4096;

/// What has to be copied at a place.
struct Parts {
    variables: Vec<EntityId>,
    blocks: Vec<Pointee>,
    /// True when copies must outlast the activation.
    is_lasting: bool,
}

/// The texts of an instance's copies.
#[derive(Clone, Default)]
struct Copies {
    save: String,
    same: String,
    /// What has to be done before `same` can be read.
    comparison: Option<String>,
}

/// What is known about copies.
#[derive(Default)]
pub(crate) struct States {
    effects: Option<(AllEffects, Blocks)>,
    cycles: FxHashMap<usize, Cycles>,
    scopes: FxHashMap<usize, FxHashMap<Spot, Vec<EntityId>>>,
    copies: FxHashMap<usize, Option<Copies>>,
    /// How many index variables each function has.
    indices: FxHashMap<usize, usize>,
}

impl States {
    fn of(&self, instance: usize) -> Copies {
        self.copies.get(&instance).cloned().flatten().unwrap_or_default()
    }

    /// Statements that must stand before `same`.
    pub(crate) fn comparison(&self, instance: usize) -> Option<String> {
        self.of(instance).comparison
    }

    /// Makes the copies; without the last semicolon.
    pub(crate) fn save(&self, instance: usize) -> String {
        self.of(instance).save
    }

    /// True when everything is as it was copied.
    pub(crate) fn same(&self, instance: usize) -> String {
        self.of(instance).same
    }
}

impl Deriver<'_, '_> {
    /// Makes the copies of an instance, or reports why there are none.
    pub(crate) fn is_covered(&mut self, index: usize) -> bool {
        if let Some(known) = self.states.copies.get(&index) {
            return known.is_some();
        }
        if self.states.effects.is_none() {
            let effects = AllEffects::new(self.program);
            let blocks = Blocks::new(self.program, &effects);
            self.states.effects = Some((effects, blocks));
        }
        let instance = &self.sequenced.instances[index];
        let automaton = &self.spec.automata[instance.automaton];
        let copies = self.parts(instance, &automaton.per).and_then(|parts| self.copy(instance, &parts));
        if let Err(reason) = &copies {
            let message =
                format!("not covered: `{}` does not look at this, because {reason}", automaton.name);
            let span = place_of(self.program, instance);
            self.plan.findings.push(Diagnostic::new(codes::I101, span, message));
        }
        let copies = copies.ok();
        let is_covered = copies.is_some();
        self.states.copies.insert(index, copies);
        is_covered
    }

    /// What counts at an instance's place.
    fn parts(&mut self, instance: &Instance, per: &Per) -> Result<Parts, String> {
        let Some(place) = instance.starts.first() else { return Err("it has no place".into()) };
        let cfa = &self.program.cfas[place.function];
        let unit: &Unit = self.program.unit;
        let Some((all, blocks)) = &self.states.effects else {
            return Err("nothing is known of its effects".into());
        };
        let effects = match per {
            Per::Loop => {
                let cycles = self.states.cycles.entry(place.function).or_insert_with(|| Cycles::new(cfa));
                all.around(self.program, cfa, cycles, place.at)
            }
            _ => Rc::new(all.function(self.program, place.function)),
        };
        if let Some(why) = all.elsewhere {
            return Err(why.into());
        }
        if let Some(name) = effects.remembers {
            return Err(format!("`{name}` goes on where it was when it was called before"));
        }
        if effects.has_asm {
            return Err("assembly may change anything".into());
        }
        if effects.writes_memory && (all.has_unnamed || all.below[place.function]) {
            return Err("memory that only pointers lead to may change".into());
        }
        let blocks = if effects.writes_memory { blocks.at(self.program, all, *place)? } else { Vec::new() };
        let scope = match per {
            Per::Loop => {
                let scopes =
                    self.states.scopes.entry(place.function).or_insert_with(|| scopes(unit, cfa.function));
                let spot = match cfa.head(place.at).and_then(|head| head.stmt) {
                    Some(stmt) => Some(Spot::Loop(stmt)),
                    None => cfa.label(place.at).map(Spot::Label),
                };
                match spot.and_then(|spot| scopes.get(&spot)) {
                    Some(scope) => Scope::new(unit, scope),
                    None => return Err("its variables in scope are not known".into()),
                }
            }
            Per::Function | Per::Recursion => Scope::new(unit, &unit.functions[cfa.function].params),
            Per::Program | Per::Call(..) => return Err("copies are for loops and functions".into()),
        };
        let mut variables: Vec<EntityId> = effects.written.iter().copied().collect();
        if effects.writes_memory {
            variables.extend(&all.addressed);
        }
        if *per == Per::Recursion {
            variables.extend(&unit.functions[cfa.function].params);
        }
        variables.sort_unstable();
        variables.dedup();
        let is_lasting = *per == Per::Recursion;
        let mut out = Vec::new();
        for entity in variables {
            let data = &unit.entities[entity];
            // Automatic variables that are not in scope have ended, or are another function's, which were looked at above.
            if is_automatic(unit, entity) && !scope.entities.contains(&entity) {
                let is_foreign = data.scope != Some(cfa.function) && effects.written.contains(&entity);
                if is_foreign {
                    let name = unit.name(data.name);
                    return Err(format!("`{name}`, a variable of another function, may change"));
                }
                continue;
            }
            if unit.types.element_quals(data.ty) & CONST != 0 && !is_lasting {
                continue;
            }
            visible(unit, &scope, cfa.function, entity)?;
            out.push(entity);
        }
        for block in &blocks {
            visible(unit, &scope, cfa.function, block.holder)?;
        }
        Ok(Parts { variables: out, blocks, is_lasting })
    }

    fn copy(&mut self, instance: &Instance, parts: &Parts) -> Result<Copies, String> {
        let Some(place) = instance.starts.first() else { return Err("it has no place".into()) };
        let automaton = &self.spec.automata[instance.automaton];
        let stem = format!("__svarog_{}_{}", automaton.name, instance.number);
        let mut leaves: Vec<(Leaf, String)> = Vec::new();
        let mut size = 0;
        for (root, name, bytes) in self.roots(parts)? {
            let found = leaves_of(self.program.unit, root);
            let found = found.map_err(|why| format!("`{name}` cannot be copied: {why}"))?;
            size += bytes;
            for (number, leaf) in found.into_iter().enumerate() {
                let more = if number == 0 { String::new() } else { format!("_{number}") };
                leaves.push((leaf, format!("{stem}_{name}{more}")));
            }
        }
        let is_lasting = parts.is_lasting;
        let is_recursive =
            self.states.effects.as_ref().is_some_and(|(all, _)| all.is_recursive[place.function]);
        let is_static = size > LARGE;
        if is_static && is_recursive && !is_lasting {
            return Err("its state is too large to be copied in each activation".into());
        }
        let function = self.program.cfas[place.function].function;
        let depth = leaves.iter().map(|(leaf, _)| leaf.dims.len()).max().unwrap_or(0);
        let known = self.states.indices.entry(place.function).or_default();
        for index in *known..depth {
            self.plan.locals.push((function, format!("unsigned long __svarog_i{index};")));
        }
        *known = depth.max(*known);
        let unit: &Unit = self.program.unit;
        for (leaf, copy) in &leaves {
            let text = declaration(unit, leaf, copy);
            match is_lasting {
                true => self.plan.globals.push(format!("static {text}")),
                false if is_static => self.plan.locals.push((function, format!("static {text}"))),
                false => self.plan.locals.push((function, text)),
            }
        }
        let copies = texts(unit, &stem, &leaves);
        if copies.comparison.is_some() {
            self.plan.locals.push((function, format!("int {stem}_same = 0;")));
        }
        Ok(copies)
    }
}

impl Deriver<'_, '_> {
    /// What copies are made of: variables and blocks, their names and sizes.
    fn roots(&self, parts: &Parts) -> Result<Vec<(Leaf, String, u64)>, String> {
        let unit: &Unit = self.program.unit;
        let size = |ty| unit.types.layout(ty).map_or(0, |layout| layout.size);
        let Some((all, _)) = &self.states.effects else {
            return Err("nothing is known of its effects".into());
        };
        let reads_bytes = all.reads_bytes;
        let mut out = Vec::new();
        for &entity in &parts.variables {
            let (name, ty) = (unit.name(unit.entities[entity].name).to_owned(), unit.entities[entity].ty);
            let is_raw = reads_bytes && all.addressed.contains(&entity);
            let leaf = Leaf { path: name.clone(), ty, dims: Vec::new(), guard: None, is_raw };
            out.push((leaf, name, size(ty)));
        }
        for block in &parts.blocks {
            let name = unit.name(unit.entities[block.holder].name).to_owned();
            let to = unit.types.pointee(unit.entities[block.holder].ty).unwrap_or(Ty::VOID);
            let each = size(to);
            if each == 0 || block.bytes % each != 0 {
                return Err(format!("the block of `{name}` is no array of what it points to"));
            }
            let guard = block.may_be_null.then(|| name.clone());
            let (path, dims) = match block.bytes / each {
                1 => (format!("(*{name})"), Vec::new()),
                len => (format!("{name}[__svarog_i0]"), vec![len]),
            };
            let leaf = Leaf { path, ty: to, dims, guard, is_raw: reads_bytes };
            out.push((leaf, format!("at_{name}"), block.bytes));
        }
        Ok(out)
    }
}

/// The texts that make copies and compare with them.
fn texts(unit: &Unit, stem: &str, leaves: &[(Leaf, String)]) -> Copies {
    let mut save = Vec::new();
    let mut same = Vec::new();
    let mut loops = String::new();
    for (leaf, copy) in leaves {
        let (value, copy) = (value(unit, leaf), format!("{copy}{}", indices(leaf)));
        let equal = equality(unit, leaf.ty, &value, &copy);
        if leaf.dims.is_empty() {
            save.push(format!("{copy} = {value}"));
            same.push(equal);
        } else {
            let over = over(leaf);
            save.push(format!("{over}{copy} = {value}"));
            let _ = write!(loops, " {over}if (!({equal})) {stem}_same = 0;");
        }
    }
    let scalars = if same.is_empty() { "1".to_owned() } else { same.join(" && ") };
    let save = save.join("; ");
    if loops.is_empty() {
        return Copies { save, same: format!("({scalars})"), comparison: None };
    }
    Copies {
        save,
        same: format!("{stem}_same"),
        comparison: Some(format!("{stem}_same = {scalars};{loops} ")),
    }
}

/// The local variables that are in scope at a place.
struct Scope {
    entities: FxHashSet<EntityId>,
    /// What names mean there.
    named: FxHashMap<SymbolId, EntityId>,
}

impl Scope {
    /// A scope of variables, outer ones first.
    fn new(unit: &Unit, entities: &[EntityId]) -> Scope {
        let named = entities.iter().map(|&entity| (unit.entities[entity].name, entity)).collect();
        Scope { entities: entities.iter().copied().collect(), named }
    }
}

/// Whether a variable can be named where a scope is.
fn visible(unit: &Unit, scope: &Scope, function: FunctionId, entity: EntityId) -> Result<(), String> {
    let data = &unit.entities[entity];
    let name = unit.name(data.name);
    match scope.named.get(&data.name) {
        Some(other) if *other == entity => Ok(()),
        // A declaration with `extern` is one of the same variable.
        Some(_) => Err(format!("`{name}` is hidden by another variable there")),
        None if data.scope.is_some() => Err(format!("`{name}` may change and is not in scope there")),
        None if data.span.start > unit.functions[function].span.start => {
            Err(format!("`{name}` is declared behind it"))
        }
        None => Ok(()),
    }
}

/// The place of an instance for findings: the word that begins the loop, or the function.
fn place_of(program: &Program<'_>, instance: &Instance) -> Span {
    let Some(place) = instance.starts.first() else { return Span::default() };
    let unit: &Unit = program.unit;
    let cfa = &program.cfas[place.function];
    if let Some(stmt) = cfa.head(place.at).and_then(|head| head.stmt) {
        let start = unit.stmts[stmt].span.start;
        let length = match unit.stmts[stmt].kind {
            StmtKind::While(..) => 5,
            StmtKind::For(_) => 3,
            _ => 2,
        };
        return Span::new(start, start + length);
    }
    match cfa.label(place.at) {
        Some(label) => unit.labels[label].span,
        None => unit.entities[unit.functions[cfa.function].entity].span,
    }
}
