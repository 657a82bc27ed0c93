//! The format of counterexamples that comes with BTOR2.
//!
//! States and inputs are named by their positions among their kind. Written is what the system does not determine: initial
//! values of states without `init`, values of states without `next` in every step, and inputs. What is not given is zero.

use crate::witness::{About, Counterexample, close, property_name};
use crate::{Source, WriteError};
use dashu_int::UBig;
use diag::{Code, Diagnostic, Span, codes};
use rustc_hash::FxHashMap;
use smt::print::{symbol_text, write_padded};
use smt::sort::{Sort, SortId};
use smt::term::{FunId, Terms};
use smt::value::Value;
use std::fmt::Write as _;
use std::sync::Arc;
use ts::passes::functional::{Functional, Initial, functional};
use ts::simulate::Simulator;
use ts::{PropertyKind, System, Trace};

/// Arrays whose elements differ from zero at more places than this are not listed.
const MANY: u64 = 1 << 12;

/// Writes a counterexample.
pub(crate) fn write(
    terms: &mut Terms,
    system: &System,
    found: &Counterexample,
) -> Result<Vec<u8>, WriteError> {
    let form = functional(terms, system, Initial::Terms);
    is_functional(system, &form)?;
    let mut out = format!("sat\n{}\n", property_name(system, found.property)?);
    for (number, step) in found.trace.steps.iter().enumerate() {
        let mut lines = String::new();
        for (position, register) in form.registers.iter().enumerate().take(system.states.len()) {
            let open = if number == 0 { register.init } else { register.next };
            if open.is_none()
                && let Some(value) = step.get(register.state)
            {
                assignment(&mut lines, terms, position, register.state, value, &format!("#{number}"))?;
            }
        }
        // Writing to a string does not fail.
        if number == 0 || !lines.is_empty() {
            let _ = write!(out, "#{number}\n{lines}");
        }
        let _ = writeln!(out, "@{number}");
        for (position, &input) in system.inputs.iter().enumerate() {
            if let Some(value) = step.get(input) {
                assignment(&mut out, terms, position, input, value, &format!("@{number}"))?;
            }
        }
    }
    out.push_str(".\n");
    Ok(out.into_bytes())
}

/// Steps that are chosen by a relation have values that no witness speaks of.
fn is_functional(system: &System, form: &Functional) -> Result<(), WriteError> {
    if form.inputs.len() == system.inputs.len() && form.rigid.is_empty() && system.rigid.is_empty() {
        return Ok(());
    }
    Err(WriteError {
        message: "the steps of the system are no functions of states and inputs".to_owned(),
        help: Some("write the system as BTOR2 and read it again: there they are".to_owned()),
    })
}

fn assignment(
    out: &mut String,
    terms: &Terms,
    position: usize,
    fun: FunId,
    value: &Value,
    step: &str,
) -> Result<(), WriteError> {
    let name = super::write::symbol(terms.fun_name(fun));
    let mut line = |place: &str, value: &str| {
        let _ = writeln!(out, "{position} {place}{value} {name}{step}");
    };
    if let Some(bits) = bits(value) {
        line("", &bits);
        return Ok(());
    }
    let Value::Array(array) = value else {
        let message = format!("the value of `{}` is no bit-vector", symbol_text(terms.fun_name(fun)));
        return Err(WriteError::new(message));
    };
    let index = match *terms.sorts.get(array.sort()) {
        Sort::Array(index, _) => terms.sorts.width(index).unwrap_or(1),
        _ => 1,
    };
    let places: Vec<(Value, &Value)> = if is_zero(array.default()) {
        array.entries().map(|(place, held)| (place.clone(), held)).collect()
    } else if index < 63 && 1 << index <= MANY {
        let all = (0..1u64 << index).map(|number| index_value(terms, array.sort(), index, number));
        all.map(|place| (place.clone(), array.select(&place))).collect()
    } else {
        let name = symbol_text(terms.fun_name(fun));
        return Err(WriteError::new(format!("the array `{name}` has too many elements that are not zero")));
    };
    for (place, held) in places {
        match (bits(&place), bits(held)) {
            (Some(place), Some(held)) => line(&format!("[{place}] "), &held),
            _ => return Err(WriteError::new("an array of arrays has no place in a witness of BTOR2")),
        }
    }
    Ok(())
}

fn index_value(terms: &Terms, sort: SortId, width: u32, number: u64) -> Value {
    match *terms.sorts.get(sort) {
        Sort::Array(SortId::BOOL, _) => Value::Bool(number == 1),
        _ => Value::bits(width, number),
    }
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Bool(value) => !value,
        Value::BitVec { value, .. } => value.is_zero(),
        _ => false,
    }
}

/// The bits of a flat value.
fn bits(value: &Value) -> Option<String> {
    match value {
        Value::Bool(value) => Some(u8::from(*value).to_string()),
        Value::BitVec { width, value } => {
            let mut text = String::new();
            write_padded(&mut text, &value.in_radix(2).to_string(), *width as usize);
            Some(text)
        }
        _ => None,
    }
}

/// Reads a counterexample.
pub(crate) fn read(
    terms: &mut Terms,
    system: &System,
    source: Source<'_>,
    found: &mut Vec<Diagnostic>,
) -> Option<Counterexample> {
    let mut reader = Reader {
        terms,
        system,
        values: FxHashMap::default(),
        told: Vec::new(),
        about: About::default(),
        steps: 0,
        at: Span::default(),
    };
    match reader.lines(source).and_then(|()| reader.counterexample()) {
        Ok(counterexample) => Some(counterexample),
        Err(problem) => {
            found.push(*problem);
            None
        }
    }
}

type Parsed<T> = Result<T, Box<Diagnostic>>;

struct Reader<'a> {
    terms: &'a mut Terms,
    system: &'a System,
    /// What is given, by variable and step.
    values: FxHashMap<(FunId, usize), Value>,
    /// The same as it was told, which the execution has to agree with.
    told: Vec<Told>,
    about: About,
    /// The number of steps begun.
    steps: usize,
    /// The line that is read.
    at: Span,
}

/// A line that gives a value.
struct Told {
    fun: FunId,
    step: usize,
    /// The place in an array.
    place: Option<Value>,
    /// Bits, some of which may be left open.
    bits: String,
    at: Span,
}

/// The part that lines belong to.
#[derive(Clone, Copy)]
enum Part {
    States(usize),
    Inputs(usize),
}

impl Reader<'_> {
    fn fail<T>(&self, code: Code, message: impl Into<String>) -> Parsed<T> {
        Err(Box::new(Diagnostic::new(code, self.at, message)))
    }

    fn lines(&mut self, source: Source<'_>) -> Parsed<()> {
        let (mut start, mut number, mut part) = (0, 0, None);
        for bytes in source.bytes.split(|&byte| byte == b'\n') {
            let base = source.base + start as u32;
            start += bytes.len() + 1;
            self.at = Span::new(base, base + bytes.len() as u32);
            let text = String::from_utf8_lossy(bytes);
            let text = text.split(';').next().unwrap_or_default().trim();
            if text.is_empty() {
                continue;
            }
            match number {
                0 if text == "sat" => {}
                0 => return self.fail(codes::WIT001, format!("expected `sat`, found `{text}`")),
                1 => self.properties(text)?,
                _ if text == "." => {
                    return if self.steps > 0 {
                        Ok(())
                    } else {
                        self.fail(codes::WIT001, "expected a step, found `.`")
                    };
                }
                _ if part.is_none() && text.starts_with(['b', 'j']) => self.properties(text)?,
                _ if text.starts_with(['#', '@']) => part = Some(self.part(text)?),
                _ => self.assignment(part, text)?,
            }
            number += 1;
        }
        self.fail(codes::WIT001, "expected `.`, found the end of the file")
    }

    fn properties(&mut self, text: &str) -> Parsed<()> {
        self.about.line(self.system, text).or_else(|(code, message)| self.fail(code, message))
    }

    fn part(&mut self, text: &str) -> Parsed<Part> {
        let Ok(number) = text[1..].parse::<usize>() else {
            return self.fail(codes::WIT001, format!("expected the number of a step, found `{text}`"));
        };
        let states = text.starts_with('#');
        // A part for states comes before the one for inputs, and may be left out.
        let expected = self.steps;
        if number != expected {
            return self.fail(codes::WIT001, format!("expected step {expected}, found {number}"));
        }
        if states {
            return Ok(Part::States(number));
        }
        self.steps += 1;
        Ok(Part::Inputs(number))
    }

    fn assignment(&mut self, part: Option<Part>, text: &str) -> Parsed<()> {
        let system = self.system;
        let mut words = text.split_whitespace();
        let position = words.next().and_then(|word| word.parse::<usize>().ok());
        let Some(position) = position else {
            return self.fail(codes::WIT001, format!("expected a position, `#`, `@` or `.`, found `{text}`"));
        };
        let (fun, step, kind) = match part {
            None => return self.fail(codes::WIT001, "expected `#0` or `@0` before values"),
            Some(Part::States(step)) => (system.states.get(position).map(|state| state.now), step, "state"),
            Some(Part::Inputs(step)) => (system.inputs.get(position).copied(), step, "input"),
        };
        let Some(fun) = fun else {
            return self.fail(codes::WIT002, format!("the system has no {kind} {position}"));
        };
        let sort = self.terms.fun(fun).result;
        let word = words.next().unwrap_or_default();
        let place = word.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let array = match *self.terms.sorts.get(sort) {
            Sort::Array(index, element) => Some((index, element)),
            _ => None,
        };
        let mut told = Told { fun, step, place: None, bits: word.to_owned(), at: self.at };
        let value = match (place, array) {
            (None, None) => self.value(word, sort)?,
            (Some(place), Some((index, element))) => {
                let place = self.value(place, index)?;
                told.bits = words.next().unwrap_or_default().to_owned();
                let held = self.value(&told.bits, element)?;
                told.place = Some(place.clone());
                self.stored(fun, step, sort, place, held)?
            }
            (None, Some(_)) => {
                return self.fail(codes::WIT002, format!("{kind} {position} is an array and needs an index"));
            }
            (Some(_), None) => return self.fail(codes::WIT002, format!("{kind} {position} is no array")),
        };
        self.values.insert((fun, step), value);
        self.told.push(told);
        Ok(())
    }

    /// What is known of an array so far, with one more element.
    fn stored(&mut self, fun: FunId, step: usize, sort: SortId, place: Value, held: Value) -> Parsed<Value> {
        let known = self.values.remove(&(fun, step)).or_else(|| Value::default_of(self.terms, sort));
        let Some(mut value) = known else {
            return self.fail(codes::WIT002, "an array of this sort has no values");
        };
        if let Value::Array(array) = &mut value {
            Arc::make_mut(array).store(place, held);
        }
        Ok(value)
    }

    /// Bits; one that is `x` may be anything and is zero.
    fn value(&self, text: &str, sort: SortId) -> Parsed<Value> {
        let width = match *self.terms.sorts.get(sort) {
            Sort::Bool => 1,
            Sort::BitVec(width) => width,
            _ => return self.fail(codes::WIT002, "values of this sort have no place in a witness of BTOR2"),
        };
        if text.is_empty() || !text.bytes().all(|byte| matches!(byte, b'0' | b'1' | b'x')) {
            return self.fail(codes::WIT001, format!("expected bits, found `{text}`"));
        }
        if text.len() != width as usize {
            return self.fail(codes::WIT002, format!("expected {width} bits, found {}", text.len()));
        }
        let number = UBig::from_str_radix(&text.replace('x', "0"), 2).unwrap_or_default();
        Ok(if sort == SortId::BOOL { Value::Bool(!number.is_zero()) } else { Value::bits(width, number) })
    }

    /// Runs the system with what is given.
    fn counterexample(&mut self) -> Parsed<Counterexample> {
        let about = std::mem::take(&mut self.about).finish();
        let Some((property, others)) = about else {
            return self.fail(codes::WIT001, "there is no property");
        };
        let form = functional(self.terms, self.system, Initial::Terms);
        is_functional(self.system, &form).or_else(|error| self.fail(codes::WIT002, error.message))?;
        let live = matches!(self.system.properties[property].kind, PropertyKind::Live(_));
        let simulator = Simulator::new(self.terms, &form);
        let count = self.steps + usize::from(live);
        let run = simulator.run(self.terms, count, |_, fun, step| self.values.get(&(fun, step)).cloned());
        let mut trace = match run {
            Ok(trace) => trace,
            Err(error) => return self.fail(codes::WIT002, error.message(self.terms)),
        };
        self.agrees(&trace)?;
        if live {
            let determined: Vec<FunId> = form
                .registers
                .iter()
                .filter(|register| register.next.is_some())
                .map(|register| register.state)
                .collect();
            trace = match close(trace, &determined) {
                Some(trace) => trace,
                None => return self.fail(codes::WIT002, "the steps do not come back to an earlier state"),
            };
        }
        Ok(Counterexample { property, others, trace: form.trace(self.terms, self.system, &trace) })
    }

    /// What is told is what happens: also of states that the system determines, and of what is told twice.
    fn agrees(&mut self, trace: &Trace) -> Parsed<()> {
        for told in &self.told {
            let value = trace.steps.get(told.step).and_then(|step| step.get(told.fun));
            let found = match (value, &told.place) {
                (Some(Value::Array(array)), Some(place)) => bits(array.select(place)),
                (Some(value), _) => bits(value),
                (None, _) => None,
            };
            let found = found.unwrap_or_default();
            let differs = |(told, found): (u8, u8)| told != b'x' && told != found;
            if found.len() != told.bits.len() || told.bits.bytes().zip(found.bytes()).any(differs) {
                let name = self.terms.fun_name(told.fun);
                let message = match found.is_empty() {
                    true => format!("there is no step {} in which `{name}` has a value", told.step),
                    false => format!("`{name}` is {found} in step {}, not {}", told.step, told.bits),
                };
                return Err(Box::new(Diagnostic::new(codes::WIT002, told.at, message)));
            }
        }
        Ok(())
    }
}
