//! The types of K2 and the sorts they become.
//!
//! Types are interned, so equal types have equal ids. Signed and unsigned bit-vectors share a sort; which
//! operator is meant is decided by the type, which is why a term is carried around with it ([`super::Typed`]).
//! Enumerations and symbolic types become declarations of the script when they are first met.

use super::Cx;
use super::tree::NodeIdx;
use diag::{Span, codes};
use rustc_hash::FxHashMap;
use smt::print::symbol_text;
use smt::sort::{Constructor, Datatype, Sort, SortId};
use smt::value::ieee::Format;

/// A bit-vector can be so wide; wider ones make constants that nobody can read or handle.
pub(super) const MAX_WIDTH: u32 = 1 << 16;

/// A type can have so many parts. Definitions that use each other twice make types whose text is exponential.
const MAX_SIZE: u32 = 1000;

/// Index of a type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct TyId(u32);

impl TyId {
    pub(super) const VOID: TyId = TyId(0);
    pub(super) const BOOL: TyId = TyId(1);
    pub(super) const INT: TyId = TyId(2);
    pub(super) const REAL: TyId = TyId(3);
}

/// A type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Ty {
    Void,
    Bool,
    Int,
    Real,
    /// Signed or not, and the width.
    Bv(bool, u32),
    /// Bits of the exponent and bits of the mantissa without the implicit one.
    Fp(u32, u32),
    Map(TyId, TyId),
    Sym(Box<str>),
    /// The values, sorted: their order has no meaning.
    Enum(Box<[Box<str>]>),
    /// Arguments and results.
    Fun(Box<[TyId]>, Box<[TyId]>),
}

struct Row {
    ty: Ty,
    sort: SortId,
    /// The number of types in it, itself included.
    size: u32,
}

/// The table of types.
pub(super) struct Types {
    all: Vec<Row>,
    table: FxHashMap<Ty, TyId>,
    /// What `(type NAME …)` defines.
    named: FxHashMap<String, TyId>,
    /// What the next enumeration is called.
    hint: Option<String>,
    /// The declarations of sorts that the script needs, with their places in the program.
    pub(super) declarations: Vec<(String, Span)>,
}

impl Default for Types {
    fn default() -> Self {
        let mut types = Self {
            all: Vec::new(),
            table: FxHashMap::default(),
            named: FxHashMap::default(),
            hint: None,
            declarations: Vec::new(),
        };
        types.add(Ty::Void, SortId::ERROR);
        types.add(Ty::Bool, SortId::BOOL);
        types.add(Ty::Int, SortId::INT);
        types.add(Ty::Real, SortId::REAL);
        types
    }
}

impl Types {
    fn add(&mut self, ty: Ty, sort: SortId) -> TyId {
        let id = TyId(self.all.len() as u32);
        let parts: Vec<TyId> = match &ty {
            Ty::Map(index, element) => vec![*index, *element],
            Ty::Fun(args, results) => args.iter().chain(results).copied().collect(),
            _ => Vec::new(),
        };
        let size = parts.iter().fold(1u32, |sum, part| sum.saturating_add(self.row(*part).size));
        self.all.push(Row { ty: ty.clone(), sort, size });
        self.table.insert(ty, id);
        id
    }

    fn row(&self, id: TyId) -> &Row {
        &self.all[id.0 as usize]
    }

    pub(super) fn get(&self, id: TyId) -> &Ty {
        &self.row(id).ty
    }

    /// The sort of the values; that of errors for types without values in SV-LIB.
    pub(super) fn sort(&self, id: TyId) -> SortId {
        self.row(id).sort
    }

    pub(super) fn function(&mut self, args: Vec<TyId>, results: Vec<TyId>) -> TyId {
        let ty = Ty::Fun(args.into(), results.into());
        self.table.get(&ty).copied().unwrap_or_else(|| self.add(ty, SortId::ERROR))
    }

    /// A type as K2 writes it, cut off where it gets long.
    pub(super) fn text(&self, id: TyId) -> String {
        const LONG: usize = 80;
        let mut out = String::new();
        let mut todo = vec![Piece::Ty(id)];
        while let Some(piece) = todo.pop() {
            if out.len() > LONG {
                out.push('…');
                return out;
            }
            let ty = match piece {
                Piece::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Piece::Ty(id) => self.get(id),
            };
            match ty {
                Ty::Void => out.push_str("void"),
                Ty::Bool => out.push_str("bool"),
                Ty::Int => out.push_str("int"),
                Ty::Real => out.push_str("real"),
                Ty::Bv(signed, width) => {
                    out.push_str(&format!("({}bv {width})", if *signed { 's' } else { 'u' }));
                }
                Ty::Fp(exponent, mantissa) => out.push_str(&format!("(fp {exponent} {mantissa})")),
                Ty::Sym(name) => out.push_str(&format!("(sym {})", symbol_text(name))),
                Ty::Enum(values) => {
                    out.push_str("(enum");
                    for value in values.iter().take(LONG) {
                        out.push_str(&format!(" {}", symbol_text(value)));
                    }
                    out.push(')');
                }
                Ty::Map(index, element) => {
                    out.push_str("(map ");
                    todo.extend([Piece::Text(")"), Piece::Ty(*element), Piece::Text(" "), Piece::Ty(*index)]);
                }
                Ty::Fun(args, results) => {
                    out.push_str("(fun (");
                    todo.push(Piece::Text("))"));
                    list(&mut todo, results);
                    todo.push(Piece::Text(") ("));
                    list(&mut todo, args);
                }
            }
        }
        out
    }
}

/// What is left to write of a type.
enum Piece {
    Ty(TyId),
    Text(&'static str),
}

fn list(todo: &mut Vec<Piece>, types: &[TyId]) {
    for (i, &ty) in types.iter().enumerate().rev() {
        todo.push(Piece::Ty(ty));
        if i > 0 {
            todo.push(Piece::Text(" "));
        }
    }
}

/// What is left to do while a type is read.
enum Step {
    Read(NodeIdx),
    /// The two types read last make a map type.
    Map,
    /// So many arguments and so many results were read last.
    Fun(usize, usize),
}

impl Cx<'_> {
    /// Reads a type; none after an error, which is reported.
    pub(super) fn read_type(&mut self, node: NodeIdx) -> Option<TyId> {
        let (mut todo, mut done) = (vec![Step::Read(node)], Vec::new());
        while let Some(step) = todo.pop() {
            match step {
                Step::Read(node) => self.type_step(node, &mut todo, &mut done)?,
                Step::Map => {
                    let (element, index) = (done.pop()?, done.pop()?);
                    done.push(self.map_type(node, index, element)?);
                }
                Step::Fun(args, results) => {
                    let results = done.split_off(done.len() - results);
                    let args = done.split_off(done.len() - args);
                    done.push(self.types.function(args, results));
                }
            }
        }
        let ty = done.pop()?;
        if self.types.row(ty).size > MAX_SIZE {
            self.error(codes::K2002, node, format!("a type with more than {MAX_SIZE} parts"));
            return None;
        }
        Some(ty)
    }

    fn type_step(&mut self, node: NodeIdx, todo: &mut Vec<Step>, done: &mut Vec<TyId>) -> Option<()> {
        if !self.src.is_list(node) {
            done.push(self.type_name(node)?);
            return Some(());
        }
        let parts = self.src.children(node);
        let head = self.src.head(node);
        match (head, parts.len()) {
            (Some("sbv"), 2) => done.push(self.bit_vector(true, parts[1])?),
            (Some("ubv"), 2) => done.push(self.bit_vector(false, parts[1])?),
            (Some("bv"), 3) => {
                let signed = self.number(parts[2])? != 0;
                done.push(self.bit_vector(signed, parts[1])?);
            }
            (Some("fp"), 3) => done.push(self.float(node, parts[1], parts[2])?),
            (Some("map"), 3) => todo.extend([Step::Map, Step::Read(parts[2]), Step::Read(parts[1])]),
            (Some("sym"), 2) if self.src.is_symbol(parts[1]) => done.push(self.symbolic(node, parts[1])),
            (Some("enum"), 2..) => done.push(self.enumeration(node, &parts[1..])?),
            (Some("fun"), 3) if self.src.is_list(parts[1]) && self.src.is_list(parts[2]) => {
                let (args, results) = (self.src.children(parts[1]), self.src.children(parts[2]));
                todo.push(Step::Fun(args.len(), results.len()));
                todo.extend(results.into_iter().rev().map(Step::Read));
                todo.extend(args.into_iter().rev().map(Step::Read));
            }
            (Some("sbv" | "ubv" | "bv" | "fp" | "map" | "sym" | "enum" | "fun"), _) => {
                self.error(codes::K2001, node, format!("malformed type `{}`", head.unwrap_or_default()));
                return None;
            }
            (word, _) => {
                let message = match word {
                    Some(word) => format!("there is no type `({word} …)`"),
                    None => "expected a type".into(),
                };
                self.error(codes::K2001, node, message);
                return None;
            }
        }
        Some(())
    }

    fn type_name(&mut self, node: NodeIdx) -> Option<TyId> {
        match self.src.word(node) {
            Some("bool") => return Some(TyId::BOOL),
            Some("int") => return Some(TyId::INT),
            Some("real") => return Some(TyId::REAL),
            Some("void") => return Some(TyId::VOID),
            _ => {}
        }
        if !self.src.is_symbol(node) {
            self.error(codes::K2001, node, "expected a type");
            return None;
        }
        let name = self.src.name(node);
        let found = self.types.named.get(&*name).copied();
        if found.is_none() {
            self.error(codes::K2003, node, format!("there is no type `{name}`"));
        }
        found
    }

    fn number(&mut self, node: NodeIdx) -> Option<u32> {
        let text = if self.src.is_symbol(node) { self.src.name(node) } else { "".into() };
        if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
            self.error(codes::K2001, node, "expected a number");
            return None;
        }
        Some(text.parse().unwrap_or(u32::MAX))
    }

    fn intern(&mut self, ty: Ty, sort: Sort) -> TyId {
        if let Some(&id) = self.types.table.get(&ty) {
            return id;
        }
        let sort = self.terms.sorts.mk(sort);
        self.types.add(ty, sort)
    }

    fn bit_vector(&mut self, signed: bool, width: NodeIdx) -> Option<TyId> {
        let bits = self.number(width)?;
        if bits == 0 {
            self.error(codes::K2001, width, "a bit-vector has at least one bit");
            return None;
        }
        if bits > MAX_WIDTH {
            self.error(codes::K2002, width, format!("bit-vectors wider than {MAX_WIDTH} bits"));
            return None;
        }
        Some(self.intern(Ty::Bv(signed, bits), Sort::BitVec(bits)))
    }

    fn float(&mut self, node: NodeIdx, exponent: NodeIdx, mantissa: NodeIdx) -> Option<TyId> {
        let (exponent, mantissa) = (self.number(exponent)?, self.number(mantissa)?);
        let significand = mantissa.saturating_add(1);
        if significand > MAX_WIDTH || Format::new(exponent, significand).is_none() {
            let what =
                format!("floating-point numbers with {exponent} exponent and {mantissa} mantissa bits");
            self.error(codes::K2002, node, what);
            return None;
        }
        Some(self.intern(Ty::Fp(exponent, mantissa), Sort::Float(exponent, significand)))
    }

    fn map_type(&mut self, node: NodeIdx, index: TyId, element: TyId) -> Option<TyId> {
        for part in [index, element] {
            if matches!(self.types.get(part), Ty::Void | Ty::Fun(..)) {
                let message = format!("a map of `{}`, which has no values in SV-LIB", self.types.text(part));
                self.error(codes::K2002, node, message);
                return None;
            }
        }
        let sort = Sort::Array(self.types.sort(index), self.types.sort(element));
        Some(self.intern(Ty::Map(index, element), sort))
    }

    fn symbolic(&mut self, node: NodeIdx, name: NodeIdx) -> TyId {
        let name = self.src.name(name);
        let ty = Ty::Sym(name.clone().into());
        if let Some(&id) = self.types.table.get(&ty) {
            return id;
        }
        let given = self.names.global(&self.terms, &name);
        let symbol = self.terms.names.intern(&given);
        let sort = Sort::Declared(self.terms.sorts.declare(symbol, 0), Box::new([]));
        let text = format!("(declare-sort {} 0)", symbol_text(&given));
        self.types.declarations.push((text, self.src.span(node)));
        self.intern(ty, sort)
    }

    fn enumeration(&mut self, node: NodeIdx, values: &[NodeIdx]) -> Option<TyId> {
        if let Some(&bad) = values.iter().find(|&&value| !self.src.is_symbol(value)) {
            self.error(codes::K2001, bad, "expected a value's name");
            return None;
        }
        let mut names: Vec<Box<str>> = values.iter().map(|&value| self.src.name(value).into()).collect();
        names.sort();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            let message = format!("the value `{}` occurs twice", twice[0]);
            self.error(codes::K2001, node, message);
            return None;
        }
        let ty = Ty::Enum(names.clone().into());
        if let Some(&id) = self.types.table.get(&ty) {
            return Some(id);
        }
        let hint = self.types.hint.take();
        let given = self.names.global(&self.terms, hint.as_deref().unwrap_or("enum"));
        let mut text = format!("(declare-datatype {} (", symbol_text(&given));
        let symbol = self.terms.names.intern(&given);
        let decl = self.terms.sorts.declare_datatype(symbol, 0, 0);
        let mut constructors = Vec::with_capacity(names.len());
        for (i, value) in names.iter().enumerate() {
            let given = self.names.global(&self.terms, value);
            text.push_str(&format!("{}({})", if i == 0 { "" } else { " " }, symbol_text(&given)));
            constructors.push(Constructor { name: self.terms.names.intern(&given), fields: Vec::new() });
        }
        text.push_str("))");
        self.terms.sorts.define_datatype(decl, Datatype { params: Vec::new(), constructors });
        self.types.declarations.push((text, self.src.span(node)));
        Some(self.intern(ty, Sort::Declared(decl, Box::new([]))))
    }

    /// `(type NAME TYPE)`.
    pub(super) fn define_type(&mut self, name: NodeIdx, node: NodeIdx) {
        let text = self.src.name(name).into_owned();
        if self.types.named.contains_key(&text) {
            return self.error(codes::K2001, name, format!("the type `{text}` is defined twice"));
        }
        self.types.hint = Some(text.clone());
        let ty = self.read_type(node);
        self.types.hint = None;
        if let Some(ty) = ty {
            self.types.named.insert(text, ty);
        }
    }
}
