//! From text to a system, line by line. A line with an error is reported and its number remembered, so that what depends
//! on it is not reported again.

use super::build::Build;
use super::line::{Line, Parsed, shown};
use super::operate::literal;
use super::tags::{TAGS, Tag, tag};
use crate::names::Names;
use crate::{Model, Source};
use dashu_int::UBig;
use diag::{Diagnostic, Span, closest, codes};
use rustc_hash::FxHashSet;
use smt::check::RankError;
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{TermId, Terms};
use ts::{Output, Property, PropertyKind, System};

/// Reads a file.
pub(crate) fn read(terms: &mut Terms, source: Source<'_>, found: &mut Vec<Diagnostic>) -> Option<Model> {
    let before = found.len();
    let mut reader = Reader {
        build: Build::new(terms),
        system: System::default(),
        entries: Vec::new(),
        used: Vec::new(),
        states: Vec::new(),
        fair: Vec::new(),
        names: Names::default(),
    };
    let mut start = 0;
    while start < source.bytes.len() {
        let rest = &source.bytes[start..];
        let length = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        let text = rest[..length].strip_suffix(b"\r").unwrap_or(&rest[..length]);
        if let Err(problem) = reader.line(Line::new(text, source.base + start as u32)) {
            found.push(*problem);
        }
        start += length + 1;
    }
    if found[before..].iter().any(Diagnostic::is_error) || reader.has_errors() {
        return None;
    }
    Some(Model::Systems(vec![reader.finish()]))
}

/// What a line stands for.
#[derive(Clone, Copy)]
enum Entry {
    Sort(SortId),
    Value(Operand),
    /// A line that says something about values and is none.
    Statement,
    /// Reported.
    Error,
}

#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub(super) term: TermId,
    /// Its position, if it is a state.
    state: Option<u32>,
    /// True when it depends on an input.
    pub(super) input: bool,
    constant: bool,
}

/// What was said about a state.
#[derive(Default)]
struct StateLines {
    init: Option<Span>,
    next: Option<Span>,
}

pub(super) struct Reader<'t> {
    pub(super) build: Build<'t>,
    system: System,
    /// By number, in rising order.
    entries: Vec<(u64, Entry)>,
    /// By the position of an entry: whether another line uses it.
    used: Vec<bool>,
    states: Vec<StateLines>,
    fair: Vec<TermId>,
    names: Names,
}

/// What a line of values came to.
struct Made {
    term: TermId,
    state: Option<u32>,
    constant: bool,
}

impl From<TermId> for Made {
    fn from(term: TermId) -> Made {
        Made { term, state: None, constant: false }
    }
}

/// A failure that was reported at another line.
pub(super) fn silent<T>() -> Parsed<T> {
    Err(Box::new(Diagnostic::new(codes::BTOR003, Span::default(), "")))
}

impl Reader<'_> {
    fn has_errors(&self) -> bool {
        self.entries.iter().any(|(_, entry)| matches!(entry, Entry::Error))
    }

    /// Properties share the fairness conditions, wherever they stand. Truth values that no line uses are hints: files that are
    /// made from a design with many assertions have the conditions of all of them and claim one.
    fn finish(mut self) -> System {
        self.hints();
        for property in &mut self.system.properties {
            if let PropertyKind::Live(formulas) = &mut property.kind {
                formulas.extend(&self.fair);
            }
        }
        self.system
    }

    fn hints(&mut self) {
        let mut seen = FxHashSet::default();
        for at in 0..self.entries.len() {
            let Entry::Value(operand) = self.entries[at].1 else { continue };
            let is_variable = self.build.terms.applied(operand.term).is_some();
            if is_variable || operand.constant || self.used[at] || self.build.width(operand.term) != 1 {
                continue;
            }
            if let Ok(truth) = self.build.truth(operand.term)
                && seen.insert(truth)
            {
                self.system.hints.push(truth);
            }
        }
    }

    fn line(&mut self, mut line: Line<'_>) -> Parsed<()> {
        if line.is_blank()? {
            return Ok(());
        }
        let id = line.id("a line number")?;
        if let Some(&(last, _)) = self.entries.last()
            && id <= last
        {
            let known = self.find(id).is_some();
            let message = if known { "is already used" } else { "is smaller than the one before" };
            return line.fail(codes::BTOR003, format!("the line number {id} {message}"));
        }
        let entry = match self.statement(&mut line) {
            Ok(entry) => entry,
            Err(problem) => {
                self.push(id, Entry::Error);
                // What follows from an error that was reported has no place.
                return if problem.message.is_empty() { Ok(()) } else { Err(problem) };
            }
        };
        self.push(id, entry);
        Ok(())
    }

    fn push(&mut self, id: u64, entry: Entry) {
        self.entries.push((id, entry));
        self.used.push(false);
    }

    fn find(&self, id: u64) -> Option<Entry> {
        self.place(id).map(|place| self.entries[place].1)
    }

    fn place(&self, id: u64) -> Option<usize> {
        // Most files number their lines without gaps.
        let guess = (id as usize).wrapping_sub(1);
        match self.entries.get(guess) {
            Some(&(found, _)) if found == id => Some(guess),
            _ => self.entries.binary_search_by_key(&id, |entry| entry.0).ok(),
        }
    }

    fn sort(&self, line: &mut Line<'_>) -> Parsed<SortId> {
        let id = line.id("the number of a sort")?;
        match self.find(id) {
            Some(Entry::Sort(sort)) => Ok(sort),
            Some(Entry::Error) => silent(),
            Some(_) => line.fail(codes::BTOR003, format!("line {id} is no sort")),
            None => line.fail(codes::BTOR003, format!("the sort {id} is not defined before")),
        }
    }

    /// A value; negated when its number is.
    pub(super) fn operand(&mut self, line: &mut Line<'_>, expected: &str) -> Parsed<Operand> {
        let (negated, id) = line.operand(expected)?;
        let place = self.place(id);
        if let Some(place) = place {
            self.used[place] = true;
        }
        let operand = match place.map(|place| self.entries[place].1) {
            Some(Entry::Value(operand)) => operand,
            Some(Entry::Error) => return silent(),
            Some(_) => return line.fail(codes::BTOR003, format!("line {id} is no value")),
            None => {
                return line.fail(codes::BTOR003, format!("the value {id} is not defined before"));
            }
        };
        if !negated {
            return Ok(operand);
        }
        if self.build.width(operand.term) == 0 {
            return line.fail(codes::BTOR004, format!("line {id} is an array, which cannot be negated"));
        }
        let term = self.build.not(operand.term).and_then(|term| self.build.plain(term));
        let term = term.or_else(|error| self.rank(line, &error))?;
        Ok(Operand { term, state: None, ..operand })
    }

    pub(super) fn rank<T>(&self, line: &Line<'_>, error: &RankError) -> Parsed<T> {
        line.fail(codes::BTOR004, error.message(self.build.terms, "the operator", &[]))
    }

    /// A sort as a phrase. Arrays of arrays may be huge, so they are not spelled out.
    pub(super) fn text(&self, sort: SortId) -> String {
        let width = |sort| self.build.terms.sorts.width(sort);
        match (width(sort), self.build.array(sort)) {
            (Some(1), _) => "one bit".to_owned(),
            (Some(width), _) => format!("{width} bits"),
            (_, Some((index, element))) => match (width(index), width(element)) {
                (Some(index), Some(element)) => format!("array from {index} to {element} bits"),
                _ => "array of arrays".to_owned(),
            },
            _ => "unknown".to_owned(),
        }
    }

    /// A value of a given sort.
    pub(super) fn typed(&mut self, line: &mut Line<'_>, expected: &str, sort: SortId) -> Parsed<Operand> {
        let operand = self.operand(line, expected)?;
        let found = self.build.sort(operand.term);
        if found != sort {
            let message =
                format!("expected {expected} of sort {}, found {}", self.text(sort), self.text(found));
            return line.fail(codes::BTOR004, message);
        }
        Ok(operand)
    }

    /// A bit-vector of any width.
    pub(super) fn vector(&mut self, line: &mut Line<'_>, expected: &str) -> Parsed<Operand> {
        let operand = self.operand(line, expected)?;
        if self.build.width(operand.term) == 0 {
            return line
                .fail(codes::BTOR004, format!("expected {expected} that is a bit-vector, found an array"));
        }
        Ok(operand)
    }

    /// A truth value.
    fn truth(&mut self, line: &mut Line<'_>, expected: &str) -> Parsed<TermId> {
        let bit = self.build.terms.sorts.bit_vec(1);
        let operand = self.typed(line, expected, bit)?;
        self.build.truth(operand.term).or_else(|error| self.rank(line, &error))
    }

    fn statement(&mut self, line: &mut Line<'_>) -> Parsed<Entry> {
        let word = line.keyword("a keyword")?;
        let Some(tag) = tag(word) else {
            let place = line.last();
            let word = shown(word);
            let near =
                closest(&word, TAGS.iter().map(|row| row.0)).map(|near| format!("did you mean `{near}`?"));
            let problem = Diagnostic::new(codes::BTOR002, place, format!("`{word}` is no keyword of BTOR2"));
            return Err(Box::new(problem.help_opt(near)));
        };
        match tag {
            Tag::Sort => self.sort_line(line),
            Tag::Init | Tag::Next => self.state_line(line, tag),
            Tag::Bad | Tag::Constraint | Tag::Fair | Tag::Output | Tag::Justice => self.claim(line, tag),
            _ => self.value(line, tag),
        }
    }

    fn sort_line(&mut self, line: &mut Line<'_>) -> Parsed<Entry> {
        let sort = match line.keyword("`bitvec` or `array`")? {
            b"bitvec" => match line.count("the number of bits")? {
                0 => return line.fail(codes::BTOR005, "a bit-vector has at least one bit"),
                width => self.build.terms.sorts.bit_vec(width),
            },
            b"array" => {
                let index = self.sort(line)?;
                let element = self.sort(line)?;
                self.build.terms.sorts.array(index, element)
            }
            word => {
                let message = format!("expected `bitvec` or `array`, found `{}`", shown(word));
                return line.fail(codes::BTOR002, message);
            }
        };
        line.symbol()?;
        Ok(Entry::Sort(sort))
    }

    fn state_line(&mut self, line: &mut Line<'_>, tag: Tag) -> Parsed<Entry> {
        let sort = self.sort(line)?;
        let state = self.typed(line, "a state", sort)?;
        let place = line.last();
        let Some(position) = state.state else {
            return line.fail(codes::BTOR006, "expected a state, found another value");
        };
        let said = &self.states[position as usize];
        if let Some(first) = if tag == Tag::Init { said.init } else { said.next } {
            let message = if tag == Tag::Init { "is initialised twice" } else { "has two next values" };
            let problem = Diagnostic::new(codes::BTOR006, place, format!("the state {message}"));
            return Err(Box::new(problem.note_at(first, "the first time")));
        }
        let value = if tag == Tag::Init { self.initial(line, sort)? } else { self.successor(line, sort)? };
        line.symbol()?;
        let variable = self.system.states[position as usize];
        let (fun, said) = (if tag == Tag::Init { variable.now } else { variable.next }, &mut self.states);
        let slot = &mut said[position as usize];
        *if tag == Tag::Init { &mut slot.init } else { &mut slot.next } = Some(place);
        let left = self.build.terms.constant_term(fun);
        let equal = self.build.terms.app(Op::Eq, &[left, value]).or_else(|error| self.rank(line, &error))?;
        if tag == Tag::Init { &mut self.system.init } else { &mut self.system.trans }.push(equal);
        Ok(Entry::Statement)
    }

    fn successor(&mut self, line: &mut Line<'_>, sort: SortId) -> Parsed<TermId> {
        let value = self.typed(line, "the next value", sort)?;
        self.build.bits(value.term).or_else(|error| self.rank(line, &error))
    }

    /// An initial value; an array may get a constant that all its elements are.
    fn initial(&mut self, line: &mut Line<'_>, sort: SortId) -> Parsed<TermId> {
        let value = self.operand(line, "the initial value")?;
        let found = self.build.sort(value.term);
        let element = self.build.array(sort).map(|array| array.1);
        if value.input {
            let problem = "an initial value must not depend on inputs";
            let problem = Diagnostic::new(codes::BTOR006, line.last(), problem);
            return Err(Box::new(problem.help("use a state without `init` in the place of the input")));
        }
        let built = if found == sort {
            self.build.bits(value.term)
        } else if element == Some(found) && value.constant {
            self.build.constant_array(sort, value.term)
        } else if element == Some(found) {
            return line
                .fail(codes::BTOR006, "all elements of an array can be initialised by a constant only");
        } else {
            let (sort, found) = (self.text(sort), self.text(found));
            return line
                .fail(codes::BTOR004, format!("expected an initial value of sort {sort}, found {found}"));
        };
        built.or_else(|error| self.rank(line, &error))
    }

    fn claim(&mut self, line: &mut Line<'_>, tag: Tag) -> Parsed<Entry> {
        if tag == Tag::Output {
            let value = self.vector(line, "a value")?;
            let position = self.system.outputs.len();
            let name = line.symbol()?.map_or_else(|| format!("output{position}"), shown);
            self.system.outputs.push(Output { name, term: value.term });
            return Ok(Entry::Statement);
        }
        let count = if tag == Tag::Justice { line.count("the number of conditions")? } else { 1 };
        if count == 0 {
            return line.fail(codes::BTOR005, "a justice property has at least one condition");
        }
        let mut formulas = Vec::new();
        for _ in 0..count {
            formulas.push(self.truth(line, "a condition")?);
        }
        let name = line.symbol()?.map(shown);
        let index = self.system.properties.len() as u64;
        if tag == Tag::Constraint {
            self.system.invar.extend(formulas);
            return Ok(Entry::Statement);
        }
        let mut negated: Vec<TermId> =
            formulas.into_iter().map(|formula| self.build.terms.not(formula)).collect();
        let kind = match tag {
            Tag::Fair => {
                self.fair.append(&mut negated);
                return Ok(Entry::Statement);
            }
            Tag::Justice => PropertyKind::Live(negated),
            _ => PropertyKind::Invariant(negated[0]),
        };
        self.system.properties.push(Property { index, name, kind });
        Ok(Entry::Statement)
    }

    fn value(&mut self, line: &mut Line<'_>, tag: Tag) -> Parsed<Entry> {
        let keyword = line.last();
        let sort = self.sort(line)?;
        let mut input = tag == Tag::Input;
        let made = match tag {
            Tag::Input | Tag::State => self.variable(line, tag, sort)?,
            Tag::Const(_) | Tag::Zero | Tag::One | Tag::Ones => {
                Made { constant: true, ..self.constant(line, tag, sort)?.into() }
            }
            _ => self.operation(line, tag, sort, &mut input)?.into(),
        };
        let found = self.build.sort(made.term);
        if found != sort {
            let message = format!("this line's value has sort {}, not {}", self.text(found), self.text(sort));
            return Err(Box::new(Diagnostic::new(codes::BTOR004, keyword, message)));
        }
        if !matches!(tag, Tag::Input | Tag::State) {
            line.symbol()?;
        }
        let Made { term, state, constant } = made;
        let term = self.build.plain(term).or_else(|error| self.rank(line, &error))?;
        Ok(Entry::Value(Operand { term, state, input, constant }))
    }

    fn variable(&mut self, line: &mut Line<'_>, tag: Tag, sort: SortId) -> Parsed<Made> {
        let symbol = line.symbol()?.map(shown);
        let (kind, position) = match tag {
            Tag::Input => ("input", self.system.inputs.len()),
            _ => ("state", self.system.states.len()),
        };
        let name = self.names.unique(symbol.unwrap_or_else(|| format!("{kind}{position}")));
        let terms = &mut *self.build.terms;
        if tag == Tag::Input {
            let input = self.system.add_input(terms, &name, sort);
            return Ok(terms.constant_term(input).into());
        }
        let state = self.system.add_state(terms, &name, sort);
        self.states.push(StateLines::default());
        let term = terms.constant_term(state.now);
        Ok(Made { term, state: Some(position as u32), constant: false })
    }

    fn constant(&mut self, line: &mut Line<'_>, tag: Tag, sort: SortId) -> Parsed<TermId> {
        let Some(width) = self.build.terms.sorts.width(sort) else {
            return line.fail(codes::BTOR004, "a constant is a bit-vector, this sort is an array");
        };
        let value = match tag {
            Tag::Const(digits) => literal(line, digits, width)?,
            Tag::Zero => UBig::ZERO,
            Tag::One => UBig::ONE,
            _ if width as usize > smt::eval::MAX_BITS => {
                return line.fail(codes::BTOR005, "a constant of so many ones is not supported");
            }
            _ => UBig::ones(width as usize),
        };
        Ok(self.build.terms.bits(width, value))
    }
}
