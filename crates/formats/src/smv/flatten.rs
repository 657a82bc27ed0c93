//! Instances of modules, and what names mean in them.

use super::ast::{Base, File, Kind, Node, Role, Section, TypeText};
use super::types::{Ty, Val};
use dashu_int::{IBig, UBig};
use diag::{Diagnostic, Span, codes};
use rustc_hash::FxHashMap;
use smt::term::{FunId, TermId};
use smt::value::Value;

/// More instances than this are too many; so are deeper ones, which come from modules that contain themselves.
const MANY: usize = 100_000;
const DEEP: usize = 200;

/// What a name means in an instance.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entity {
    Var(usize),
    Define(Node),
    /// An argument: an expression of another instance.
    Param(Node, usize),
    Instance(usize),
    Function(usize),
}

/// An instance of a module.
#[derive(Debug)]
pub(super) struct Instance {
    pub(super) module: usize,
    pub(super) prefix: String,
    /// The process that it belongs to; the first one is that of the main module.
    pub(super) process: usize,
    depth: usize,
    pub(super) names: FxHashMap<String, Entity>,
}

/// A variable. Its value is there when its type is known.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) instance: usize,
    pub(super) ty: TypeText,
    pub(super) now: Option<Val>,
    pub(super) next: Option<Val>,
}

/// A function without a definition.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) instance: usize,
    pub(super) params: Vec<TypeText>,
    pub(super) result: TypeText,
    pub(super) made: Option<(FunId, Vec<Ty>, Ty)>,
}

/// All instances of a file.
#[derive(Default, Debug)]
pub(super) struct World {
    pub(super) instances: Vec<Instance>,
    pub(super) variables: Vec<Variable>,
    pub(super) functions: Vec<Function>,
    /// Symbolic constants, numbered.
    pub(super) symbols: FxHashMap<String, usize>,
    /// Numbers that stand beside symbolic constants in an enumeration are such constants there.
    pub(super) numerals: FxHashMap<IBig, usize>,
    /// How many processes there are beside that of the main module.
    pub(super) processes: usize,
    /// What says that a process takes its step; nothing before the variables are there, and without processes.
    pub(super) running: Vec<TermId>,
}

impl World {
    /// True when processes take turns.
    pub(super) fn is_concurrent(&self) -> bool {
        self.processes > 0
    }

    /// A value of a type, as it is written.
    pub(super) fn value_text(&self, value: &Value, ty: &Ty) -> String {
        match value {
            Value::Bool(value) => if *value { "TRUE" } else { "FALSE" }.into(),
            Value::Int(number) => number.to_string(),
            Value::BitVec { width, value } if *ty == Ty::Symbol => {
                let name = self.symbols.iter().find(|(_, index)| UBig::from(**index) == *value);
                name.map_or_else(|| format!("0ud{width}_{value}"), |(name, _)| name.clone())
            }
            Value::BitVec { width, value } => format!("0ud{width}_{value}"),
            _ => "…".into(),
        }
    }
}

/// A name without quotes.
pub(super) fn bare(text: &str) -> &str {
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text)
}

/// A text and where it begins.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    pub(super) text: &'a str,
    pub(super) base: u32,
}

impl<'a> Words<'a> {
    pub(super) fn of(self, span: Span) -> &'a str {
        bare(self.raw(span))
    }

    /// The word that is there; nothing between quotes, where no word means anything by itself.
    pub(super) fn keyword(self, span: Span) -> &'a str {
        let raw = self.raw(span);
        if raw.starts_with('"') { "" } else { raw }
    }

    fn raw(self, span: Span) -> &'a str {
        &self.text[(span.start - self.base) as usize..(span.end - self.base) as usize]
    }
}

/// Puts all modules in place, from `main` on.
pub(super) fn flatten(file: &File, words: Words<'_>, errors: &mut Vec<Diagnostic>) -> Option<World> {
    let mut modules: FxHashMap<&str, usize> = FxHashMap::default();
    for (at, module) in file.modules.iter().enumerate() {
        if modules.insert(words.of(module.name), at).is_some() {
            let message = format!("the module `{}` is there twice", words.of(module.name));
            errors.push(Diagnostic::new(codes::SMV002, module.name, message));
        }
    }
    let Some(&main) = modules.get("main").or(if modules.len() == 1 { modules.values().next() } else { None })
    else {
        let span = Span::new(words.base, words.base);
        errors.push(Diagnostic::new(codes::SMV002, span, "there is no module `main`"));
        return None;
    };
    let mut world = World::default();
    collect_symbols(file, words, &mut world);
    world.instances.push(Instance {
        module: main,
        prefix: String::new(),
        process: 0,
        depth: 0,
        names: FxHashMap::default(),
    });
    if !file.modules[main].params.is_empty() {
        errors.push(Diagnostic::new(
            codes::SMV002,
            file.modules[main].name,
            "the main module has parameters",
        ));
        return None;
    }
    let mut at = 0;
    while at < world.instances.len() {
        let builder = Builder { file, words, modules: &modules };
        builder.instance(&mut world, at, errors)?;
        at += 1;
    }
    Some(world)
}

/// True for an enumeration of symbolic constants and numbers.
pub(super) fn is_mixed(file: &File, items: &[Node]) -> bool {
    let is_name = |node: &Node| matches!(file.tree.kind(*node), Kind::Name | Kind::Dot);
    let is_number = |node: &Node| file.tree.kind(*node) == Kind::Literal;
    items.iter().any(is_name)
        && items.iter().any(is_number)
        && items.iter().all(|item| is_name(item) || is_number(item))
}

/// Symbolic constants are those of all enumerations, and of `CONSTANTS`.
fn collect_symbols(file: &File, words: Words<'_>, world: &mut World) {
    let enumerations =
        file.modules.iter().flat_map(|module| &module.items).filter_map(|section| match section {
            Section::Var(_, _, TypeText { base: Base::Enumeration(items), .. }) => Some(items),
            _ => None,
        });
    for items in enumerations.filter(|items| is_mixed(file, items)) {
        for &node in items.iter().filter(|&&node| file.tree.kind(node) == Kind::Literal) {
            let text = words.of(file.tree.span(node));
            let next = world.symbols.len();
            if let Ok(number) = text.parse::<IBig>() {
                let index = *world.symbols.entry(text.to_owned()).or_insert(next);
                world.numerals.insert(number, index);
            }
        }
    }
    let mut add = |node: &Node| {
        if matches!(file.tree.kind(*node), Kind::Name | Kind::Dot) {
            let first = file.tree.place(*node);
            let span = Span::new(first.start, file.tree.span(*node).end);
            let next = world.symbols.len();
            if !matches!(words.keyword(span), "TRUE" | "FALSE") {
                world.symbols.entry(words.of(span).to_owned()).or_insert(next);
            }
        }
    };
    for section in file.modules.iter().flat_map(|module| &module.items) {
        match section {
            Section::Constants(items) => items.iter().for_each(&mut add),
            Section::Var(_, _, TypeText { base: Base::Enumeration(items), .. }) => {
                items.iter().for_each(&mut add)
            }
            Section::Function(_, params, result) => {
                for ty in params.iter().chain([result]) {
                    if let Base::Enumeration(items) = &ty.base {
                        items.iter().for_each(&mut add);
                    }
                }
            }
            _ => {}
        }
    }
}

struct Builder<'a> {
    file: &'a File,
    words: Words<'a>,
    modules: &'a FxHashMap<&'a str, usize>,
}

impl Builder<'_> {
    /// Gives the names of an instance their meaning, and makes the instances in it.
    fn instance(&self, world: &mut World, at: usize, errors: &mut Vec<Diagnostic>) -> Option<()> {
        let module = &self.file.modules[world.instances[at].module];
        for section in &module.items {
            let (span, entity) = match section {
                Section::Var(_, span, TypeText { arrays, base: Base::Module(name, args, process), .. }) => {
                    if !arrays.is_empty() {
                        let message = "an array of modules is not supported";
                        errors.push(Diagnostic::new(codes::SMV003, *span, message));
                        return None;
                    }
                    let inner = self.inner(world, at, (*span, *name), args, errors)?;
                    if *process {
                        world.processes += 1;
                        world.instances[inner].process = world.processes;
                    }
                    (*span, Entity::Instance(inner))
                }
                Section::Var(role, span, ty) => {
                    let name = format!("{}{}", world.instances[at].prefix, self.words.of(*span));
                    let role = *role;
                    let ty = ty.clone();
                    world.variables.push(Variable { name, role, instance: at, ty, now: None, next: None });
                    (*span, Entity::Var(world.variables.len() - 1))
                }
                Section::Define(span, body) => (*span, Entity::Define(*body)),
                Section::Function(span, params, result) => {
                    let name = format!("{}{}", world.instances[at].prefix, self.words.of(*span));
                    let (params, result) = (params.clone(), result.clone());
                    world.functions.push(Function { name, instance: at, params, result, made: None });
                    (*span, Entity::Function(world.functions.len() - 1))
                }
                _ => continue,
            };
            let name = self.words.of(span);
            if world.instances[at].names.insert(name.to_owned(), entity).is_some() {
                let message = format!("`{name}` is declared twice in its module");
                errors.push(Diagnostic::new(codes::SMV002, span, message));
            }
        }
        Some(())
    }

    /// Makes an instance inside of another.
    fn inner(
        &self,
        world: &mut World,
        outer: usize,
        (span, module): (Span, Span),
        args: &[Node],
        errors: &mut Vec<Diagnostic>,
    ) -> Option<usize> {
        let Some(&target) = self.modules.get(self.words.of(module)) else {
            let message = format!("there is no module or type `{}`", self.words.of(module));
            errors.push(Diagnostic::new(codes::SMV002, module, message));
            return None;
        };
        let params = &self.file.modules[target].params;
        if params.len() != args.len() {
            let message = format!("the module takes {} arguments, not {}", params.len(), args.len());
            errors.push(Diagnostic::new(codes::SMV002, module, message));
            return None;
        }
        let depth = world.instances[outer].depth + 1;
        if world.instances.len() >= MANY || depth > DEEP {
            errors.push(Diagnostic::new(codes::SMV002, module, "there are too many instances of modules"));
            return None;
        }
        let prefix = format!("{}{}.", world.instances[outer].prefix, self.words.of(span));
        let params = params.iter().zip(args);
        let names = params.map(|(param, &arg)| (self.words.of(*param).to_owned(), Entity::Param(arg, outer)));
        let names = names.collect();
        let process = world.instances[outer].process;
        world.instances.push(Instance { module: target, prefix, process, depth, names });
        Some(world.instances.len() - 1)
    }
}
