//! Expressions as terms, by a machine with an explicit stack that follows names into definitions and arguments.

mod call;
mod mixed;
mod types;

use super::ast::{File, Kind, Node, Role, Tree};
use super::flatten::{Entity, Words, World};
use super::ops;
use super::types::{List, Ty, Val};
use super::words;
use diag::{Code, Diagnostic, Span, codes};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::op::Op;
use smt::term::{TermId, Terms};

/// Constants that are computed are not wider than this: they take memory, however short they are written.
const WIDE: u32 = 1 << 20;

/// Turns expressions of instances into terms.
pub(super) struct Elaborator<'a> {
    pub(super) file: &'a File,
    pub(super) words: Words<'a>,
    pub(super) terms: &'a mut Terms,
    pub(super) world: World,
    pub(super) errors: &'a mut Vec<Diagnostic>,
    /// Definitions that were looked at, by instance, body and whether they are about the next step.
    known: FxHashMap<(usize, Node, bool), Val>,
    busy: FxHashSet<(usize, Node, bool)>,
    /// How many bits symbolic constants have.
    pub(super) bits: u32,
}

/// Where an expression stands: its instance, and whether it is about the next step.
#[derive(Clone, Copy, Debug)]
struct At {
    instance: usize,
    next: bool,
}

enum Task {
    Visit(Node, At),
    Build(Node, At, usize),
    /// A name in the instance that was found.
    Member(Node, At),
    Store((usize, Node, bool)),
}

/// What a chain of unions is made of, in order.
fn united(tree: &Tree, root: Node) -> Vec<Node> {
    let (mut todo, mut found) = (vec![root], Vec::new());
    while let Some(node) = todo.pop() {
        match tree.kind(node) {
            Kind::Infix("union") => todo.extend(tree.children(node).iter().rev()),
            _ => found.push(node),
        }
    }
    found
}

impl<'a> Elaborator<'a> {
    pub(super) fn new(
        file: &'a File,
        words: Words<'a>,
        terms: &'a mut Terms,
        world: World,
        errors: &'a mut Vec<Diagnostic>,
    ) -> Elaborator<'a> {
        let bits = world.symbols.len().max(2).next_power_of_two().trailing_zeros();
        let (known, busy) = (FxHashMap::default(), FxHashSet::default());
        Elaborator { file, words, terms, world, errors, known, busy, bits }
    }

    pub(super) fn report(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.errors.push(Diagnostic::new(code, span, message));
    }

    /// A result, or nothing after its report.
    pub(super) fn checked<T>(&mut self, node: Node, made: Result<T, String>) -> Option<T> {
        made.map_err(|message| self.report(codes::SMV002, self.file.tree.span(node), message)).ok()
    }

    /// The value of an expression in an instance; nothing after a report.
    pub(super) fn value(&mut self, root: Node, instance: usize, next: bool) -> Option<Val> {
        let mut todo = vec![Task::Visit(root, At { instance, next })];
        let mut values: Vec<Val> = Vec::new();
        let done = loop {
            let Some(task) = todo.pop() else { break values.pop() };
            let fine = match task {
                Task::Visit(node, at) => self.visit(node, at, &mut todo, &mut values),
                Task::Build(node, at, count) => {
                    let args = values.split_off(values.len() - count);
                    let made = match self.file.tree.kind(node) {
                        Kind::List => self.list(node, args),
                        _ => {
                            let made = self.build(node, at, args);
                            self.checked(node, made)
                        }
                    };
                    made.map(|value| values.push(value))
                }
                Task::Member(node, at) => match values.pop() {
                    Some(Val::Instance(instance)) => {
                        let at = At { instance, ..at };
                        let text = self.words.of(self.file.tree.span(node));
                        self.name(node, text, at, &mut todo, &mut values)
                    }
                    other => {
                        let what = other.map_or("nothing".into(), |value| value.text());
                        let span = self.file.tree.span(node);
                        self.report(codes::SMV002, span, format!("{what} has no parts with names"));
                        None
                    }
                },
                Task::Store(key) => {
                    self.busy.remove(&key);
                    values.last().cloned().map(|value| {
                        self.known.insert(key, value);
                    })
                }
            };
            if fine.is_none() {
                break None;
            }
        };
        if done.is_none() {
            self.busy.clear();
        }
        done
    }

    /// A Boolean value of an expression.
    pub(super) fn formula(&mut self, root: Node, instance: usize) -> Option<TermId> {
        let value = self.value(root, instance, false)?;
        let made = ops::boolean(self.terms, value);
        self.checked(root, made)
    }

    fn visit(&mut self, node: Node, at: At, todo: &mut Vec<Task>, values: &mut Vec<Val>) -> Option<()> {
        let (tree, span) = (&self.file.tree, self.file.tree.span(node));
        match tree.kind(node) {
            Kind::Literal => {
                let made = super::constant::literal(self.terms, self.words.of(span));
                values.push(self.checked(node, made)?);
            }
            Kind::Name => {
                let text = self.words.of(span);
                return self.name(node, text, at, todo, values);
            }
            Kind::Dot => {
                // A name may have been declared with its dots.
                let whole = self.words.of(Span::new(tree.place(node).start, span.end));
                let declared = self.world.instances[at.instance].names.contains_key(whole);
                if declared || self.world.symbols.contains_key(whole) {
                    return self.name(node, whole, at, todo, values);
                }
                todo.push(Task::Member(node, at));
                todo.push(Task::Visit(tree.children(node)[0], at));
            }
            Kind::Type(index) => {
                let ty = self.file.types[index as usize].clone();
                let ty = self.plain_type(&ty, at.instance)?;
                values.push(Val::Type(ty));
            }
            Kind::Call => {
                let (name, args) = tree.children(node).split_first()?;
                let inner = match self.words.keyword(tree.span(*name)) {
                    "next" if at.next => {
                        self.report(codes::SMV002, span, "`next` inside of `next`");
                        return None;
                    }
                    "next" => At { next: true, ..at },
                    _ => at,
                };
                todo.push(Task::Build(node, at, args.len()));
                todo.extend(args.iter().rev().map(|&arg| Task::Visit(arg, inner)));
            }
            // A chain of unions is one set, or each of them would copy what the ones before it made.
            Kind::Infix("union") => {
                let parts = united(tree, node);
                todo.push(Task::Build(node, at, parts.len()));
                todo.extend(parts.into_iter().rev().map(|part| Task::Visit(part, at)));
            }
            _ => {
                let children = tree.children(node);
                todo.push(Task::Build(node, at, children.len()));
                todo.extend(children.iter().rev().map(|&child| Task::Visit(child, at)));
            }
        }
        Some(())
    }

    /// What a name means.
    fn name(
        &mut self,
        node: Node,
        text: &str,
        at: At,
        todo: &mut Vec<Task>,
        values: &mut Vec<Val>,
    ) -> Option<()> {
        let span = self.file.tree.span(node);
        let word = !self.words.keyword(span).is_empty();
        match text {
            "TRUE" if word => values.push(Val::bool(TermId::TRUE)),
            "FALSE" if word => values.push(Val::bool(TermId::FALSE)),
            "running" if word && self.world.is_concurrent() => {
                let process = self.world.instances[at.instance].process;
                let term = self.world.running.get(process).copied();
                let what = "`running` is not known where types are read";
                values.push(Val::bool(self.checked(node, term.ok_or_else(|| what.to_owned()))?));
            }
            "self" if word => values.push(Val::Instance(at.instance)),
            _ => match self.world.instances[at.instance].names.get(text).copied() {
                Some(Entity::Var(var)) => values.push(self.variable(var, at.next, span)?),
                Some(Entity::Instance(instance)) => values.push(Val::Instance(instance)),
                Some(Entity::Param(arg, instance)) => todo.push(Task::Visit(arg, At { instance, ..at })),
                Some(Entity::Define(body)) => {
                    let key = (at.instance, body, at.next);
                    if let Some(known) = self.known.get(&key) {
                        values.push(known.clone());
                    } else if self.busy.insert(key) {
                        todo.push(Task::Store(key));
                        todo.push(Task::Visit(body, at));
                    } else {
                        self.report(codes::SMV002, span, format!("`{text}` is defined by itself"));
                        return None;
                    }
                }
                Some(Entity::Function(_)) => {
                    self.report(codes::SMV002, span, format!("the function `{text}` needs arguments"));
                    return None;
                }
                None => match self.world.symbols.get(text) {
                    Some(&index) => values.push(Val::Term(self.symbol(index), Ty::Symbol)),
                    None => {
                        let help = text
                            .contains('-')
                            .then(|| "a minus between letters is a part of a name".to_owned());
                        let finding =
                            Diagnostic::new(codes::SMV002, span, format!("`{text}` is not declared"));
                        self.errors.push(finding.help_opt(help));
                        return None;
                    }
                },
            },
        }
        Some(())
    }

    pub(super) fn symbol(&mut self, index: usize) -> TermId {
        self.terms.bits(self.bits, (index as u64).into())
    }

    fn variable(&mut self, var: usize, next: bool, span: Span) -> Option<Val> {
        let variable = &self.world.variables[var];
        if next && variable.role == Role::Input {
            let message = format!("the input `{}` has no next value", variable.name);
            self.report(codes::SMV002, span, message);
            return None;
        }
        let value = if next { &variable.next } else { &variable.now };
        let value = value.clone();
        if value.is_none() {
            self.report(codes::SMV002, span, "a type cannot depend on a variable");
        }
        value
    }

    fn build(&mut self, node: Node, at: At, mut args: Vec<Val>) -> Result<Val, String> {
        self.mix(self.file.tree.kind(node), &mut args);
        match self.file.tree.kind(node) {
            Kind::Prefix(mark) => match args.pop() {
                Some(value) => ops::prefix(self.terms, mark, value),
                None => Err("an operand is missing".into()),
            },
            Kind::Within(mark) => match <[Val; 3]>::try_from(args) {
                Ok([body, from, to]) => ops::within(self.terms, mark, body, &from, &to),
                Err(_) => Err("an operand is missing".into()),
            },
            Kind::Infix("union") | Kind::Set => Ok(ops::union(args)),
            Kind::Infix(mark) => match <[Val; 2]>::try_from(args) {
                Ok([a, b]) => ops::infix(self.terms, mark, a, b),
                Err(_) => Err("an operand is missing".into()),
            },
            Kind::Choice => {
                args.insert(2, Val::bool(TermId::TRUE));
                ops::case(self.terms, args)
            }
            Kind::Case => ops::case(self.terms, args),
            Kind::Index => self.index(args),
            Kind::Bits => {
                let (word, ty) = ops::one(args.remove(0))?;
                let (high, low) = (ops::small(self.terms, &args[0])?, ops::small(self.terms, &args[1])?);
                match ty {
                    Ty::Word(_, width) => words::bits(self.terms, (word, width), high, low),
                    ty => Err(format!("{} has no bits", ty.text())),
                }
            }
            Kind::Call => self.call(node, at, args),
            _ => Err("this is no expression".into()),
        }
    }

    /// `[a, b]`: an array over a range from 0 on.
    fn list(&mut self, node: Node, items: Vec<Val>) -> Option<Val> {
        let made = List::new(dashu_int::IBig::ZERO, items);
        if made.is_none() {
            self.report(
                codes::SMV003,
                self.file.tree.span(node),
                "the array is too deep or has too many elements",
            );
        }
        made.map(Val::List)
    }

    /// `a[i]`: an array over words or integers, or one of several variables.
    fn index(&mut self, args: Vec<Val>) -> Result<Val, String> {
        let Ok([base, index]) = <[Val; 2]>::try_from(args) else { return Err("an index is missing".into()) };
        let (low, items) = match base {
            Val::List(list) => (list.low, list.items),
            other => return self.read(other, index),
        };
        if let Ok(number) = ops::constant(self.terms, &index) {
            let position = usize::try_from(number - low).ok().filter(|&at| at < items.len());
            return position
                .map(|at| items[at].clone())
                .ok_or_else(|| "the index is not in the array".into());
        }
        // The last element is taken when no other is: the index is in the array, as the language asks for it.
        let (mut parts, count) = (Vec::new(), items.len());
        for (at, item) in items.iter().enumerate() {
            let number = self.terms.int(&low + at);
            let same = match index.clone() {
                value @ Val::Term(_, Ty::Word(..)) => {
                    let (term, ty) = ops::one(value)?;
                    words::to_int(self.terms, term, &ty)?
                }
                value => value,
            };
            let test = ops::infix(self.terms, "=", same, Val::Term(number, Ty::Int))?;
            parts.push(if at + 1 == count { Val::bool(TermId::TRUE) } else { test });
            parts.push(item.clone());
        }
        ops::case(self.terms, parts)
    }

    fn read(&mut self, array: Val, index: Val) -> Result<Val, String> {
        if matches!(array, Val::List(..)) {
            return self.index(vec![array, index]);
        }
        let (array, ty) = ops::one(array)?;
        let Ty::Array(parts) = ty else { return Err(format!("{} has no elements", ty.text())) };
        let index = self.fit(index, &parts.0)?;
        Ok(Val::Term(words::app(self.terms, Op::Select, &[array, index])?, parts.1.clone()))
    }

    /// A value as one of a type.
    fn fit(&mut self, value: Val, ty: &Ty) -> Result<TermId, String> {
        let (term, found) = ops::one(value)?;
        match (&found, ty) {
            _ if found == *ty => Ok(term),
            (Ty::Int, Ty::Real) => words::app(self.terms, Op::ToReal, &[term]),
            _ => Err(format!("expected {}, found {}", ty.text(), found.text())),
        }
    }
}
