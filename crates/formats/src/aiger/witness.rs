//! The format of counterexamples that comes with AIGER: a line of bits for the latches at first, and one for the inputs of
//! each step.

use crate::witness::{About, Counterexample, close, property_name};
use crate::{Source, WriteError};
use diag::{Code, Diagnostic, Span, codes};
use smt::term::{FunId, Terms};
use ts::passes::bitblast::{Blasted, bitblast};
use ts::passes::functional::{Functional, Initial, functional};
use ts::{PropertyKind, System};

/// The circuit that a file of the system is, or what it is not.
fn circuit(terms: &mut Terms, system: &System) -> Result<(Functional, Blasted), String> {
    let form = functional(terms, system, Initial::Literals);
    if form.inputs.len() > system.inputs.len() {
        return Err("the steps of the system are no functions of states and inputs".to_owned());
    }
    let blasted = bitblast(terms, &form).map_err(|refusal| refusal.message(terms))?;
    Ok((form, blasted))
}

/// Writes a counterexample.
pub(crate) fn write(
    terms: &mut Terms,
    system: &System,
    found: &Counterexample,
) -> Result<Vec<u8>, WriteError> {
    let (_, blasted) = circuit(terms, system).map_err(WriteError::new)?;
    let mut trace = found.trace.clone();
    // Rigid constants are latches.
    for step in &mut trace.steps {
        for &rigid in &system.rigid {
            if let Some(value) = found.trace.rigid.get(rigid) {
                step.set(rigid, value.clone());
            }
        }
    }
    let steps = blasted.steps(terms, &trace);
    let Some(first) = steps.first() else { return Err(WriteError::new("the trace has no step")) };
    let line = |bits: &mut dyn Iterator<Item = bool>| {
        bits.map(|bit| if bit { '1' } else { '0' }).chain(['\n']).collect::<String>()
    };
    let mut out = format!("1\n{}\n", property_name(system, found.property)?);
    let latches = blasted.aig.latches().iter().zip(&first.latches);
    out += &line(&mut latches.map(|(latch, &bit)| latch.reset.unwrap_or(bit)));
    for step in &steps {
        out += &line(&mut step.inputs.iter().copied());
    }
    out += ".\n";
    Ok(out.into_bytes())
}

/// Reads a counterexample.
pub(crate) fn read(
    terms: &mut Terms,
    system: &System,
    source: Source<'_>,
    found: &mut Vec<Diagnostic>,
) -> Option<Counterexample> {
    let mut reader = Reader { system, at: Span::default() };
    let result = circuit(terms, system)
        .or_else(|message| reader.fail(codes::WIT002, message))
        .and_then(|(form, blasted)| reader.counterexample(terms, &form, &blasted, source));
    match result {
        Ok(counterexample) => Some(counterexample),
        Err(problem) => {
            found.push(*problem);
            None
        }
    }
}

type Parsed<T> = Result<T, Box<Diagnostic>>;

struct Reader<'a> {
    system: &'a System,
    /// The line that is read.
    at: Span,
}

impl Reader<'_> {
    fn fail<T>(&self, code: Code, message: impl Into<String>) -> Parsed<T> {
        Err(Box::new(Diagnostic::new(code, self.at, message)))
    }

    fn counterexample(
        &mut self,
        terms: &mut Terms,
        form: &Functional,
        blasted: &Blasted,
        source: Source<'_>,
    ) -> Parsed<Counterexample> {
        let aig = &blasted.aig;
        let (mut start, mut number, mut about) = (0, 0, About::default());
        let (mut first, mut inputs, mut over) = (None, Vec::new(), false);
        let lines = source.bytes.strip_suffix(b"\n").unwrap_or(source.bytes);
        for bytes in lines.split(|&byte| byte == b'\n') {
            let base = source.base + start as u32;
            start += bytes.len() + 1;
            self.at = Span::new(base, base + bytes.len() as u32);
            let text = String::from_utf8_lossy(bytes);
            let text = text.trim_end();
            if text.starts_with('c') || (number == 0 && text.is_empty()) {
                continue;
            }
            number += 1;
            match number {
                1 if text == "1" => {}
                1 if matches!(text, "0" | "2") => {
                    return self.fail(codes::WIT001, "the witness says that there is no counterexample");
                }
                1 => return self.fail(codes::WIT001, format!("expected `1`, found `{text}`")),
                2 => self.properties(&mut about, text)?,
                _ if text == "." => {
                    over = true;
                    break;
                }
                _ if first.is_none() && text.starts_with(['b', 'j']) => self.properties(&mut about, text)?,
                _ if first.is_none() => {
                    first = Some(self.bits(text, aig.latches().len(), "latch")?);
                    let resets = aig.latches().iter().map(|latch| latch.reset);
                    let differs = |(bit, reset)| match bit {
                        '0' => reset == Some(true),
                        '1' => reset == Some(false),
                        _ => false,
                    };
                    if let Some(latch) = text.chars().zip(resets).position(differs) {
                        let message = format!("the file says that latch {latch} is another bit at first");
                        return self.fail(codes::WIT002, message);
                    }
                }
                _ => inputs.push(self.bits(text, aig.inputs().len(), "input")?),
            }
        }
        let (Some((property, others)), Some(first), true) = (about.finish(), first, over) else {
            let end = source.base + source.bytes.len() as u32;
            self.at = Span::new(end, end);
            return self.fail(codes::WIT001, "expected `.`, found the end of the file");
        };
        if inputs.is_empty() {
            return self.fail(codes::WIT001, "expected the inputs of a step, found `.`");
        }
        let live = matches!(self.system.properties[property].kind, PropertyKind::Live(_));
        if live {
            // The step after the last one shows where the loop goes.
            inputs.push(vec![false; aig.inputs().len()]);
        }
        let mut trace = blasted.trace(terms, &aig.run(&first, &inputs), None);
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
        Ok(Counterexample { property, others, trace: form.trace(terms, self.system, &trace) })
    }

    fn properties(&self, about: &mut About, text: &str) -> Parsed<()> {
        about.line(self.system, text).or_else(|(code, message)| self.fail(code, message))
    }

    /// Bits; one that is `x` may be anything and is zero.
    fn bits(&self, text: &str, count: usize, kind: &str) -> Parsed<Vec<bool>> {
        if !text.bytes().all(|byte| matches!(byte, b'0' | b'1' | b'x')) {
            return self.fail(codes::WIT001, format!("expected a bit for each {kind}, found `{text}`"));
        }
        if text.len() != count {
            return self.fail(
                codes::WIT002,
                format!("expected {count} bits, one for each {kind}, found {}", text.len()),
            );
        }
        Ok(text.bytes().map(|byte| byte == b'1').collect())
    }
}
