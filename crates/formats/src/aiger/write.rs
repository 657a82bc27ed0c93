//! From a system to a file: bits first, then numbers in the order of the format, and names for what has one.

use crate::{Model, Options, WriteError};
use smt::sort::Sort;
use smt::term::Terms;
use std::fmt::Write as _;
use ts::System;
use ts::aig::{Aig, Lit, Node};
use ts::passes::bitblast::{Blasted, Claim, bitblast};
use ts::passes::functional::{Initial, functional};

/// Writes the text form.
pub(crate) fn write_text(terms: &mut Terms, model: &Model, options: &Options) -> Result<Vec<u8>, WriteError> {
    write(terms, model, options, false)
}

/// Writes the binary form.
pub(crate) fn write_binary(
    terms: &mut Terms,
    model: &Model,
    options: &Options,
) -> Result<Vec<u8>, WriteError> {
    write(terms, model, options, true)
}

fn write(terms: &mut Terms, model: &Model, options: &Options, binary: bool) -> Result<Vec<u8>, WriteError> {
    let system = crate::narrowed(terms, crate::only_system(model, "file of AIGER")?, options)?;
    let system = crate::monitored(terms, system)?;
    let form = functional(terms, &system, Initial::Literals);
    let blasted = bitblast(terms, &form).map_err(|refusal| WriteError {
        message: format!("{}, which AIGER cannot express", refusal.message(terms)),
        help: refusal.is_about_integers().then(|| crate::INT_WIDTH.to_owned()),
    })?;
    let mut out = circuit(&blasted.aig, binary);
    out.extend(symbols(terms, &system, &blasted).into_bytes());
    Ok(out)
}

/// The literals of a file: inputs, latches and gates are numbered in this order, gates that nobody reads are left out.
struct Numbers {
    codes: Vec<u32>,
    gates: Vec<(u32, Lit, Lit)>,
}

impl Numbers {
    fn new(aig: &Aig) -> Numbers {
        let needed = aig.cone(aig.roots());
        let mut codes = vec![0; aig.nodes().len()];
        let mut last = 0;
        let mut number = || {
            last += 2;
            last
        };
        for lit in aig.inputs().iter().chain(aig.latches().iter().map(|latch| &latch.now)) {
            codes[lit.node() as usize] = number();
        }
        let mut gates = Vec::new();
        for (position, node) in aig.nodes().iter().enumerate() {
            if let (Node::And(a, b), true) = (node, needed[position]) {
                codes[position] = number();
                gates.push((codes[position], *a, *b));
            }
        }
        Numbers { codes, gates }
    }

    fn code(&self, lit: Lit) -> u32 {
        self.codes[lit.node() as usize] | u32::from(lit.is_negated())
    }
}

/// A circuit alone in the binary form, without names.
#[must_use]
pub fn circuit_bytes(aig: &Aig) -> Vec<u8> {
    circuit(aig, true)
}

fn circuit(aig: &Aig, binary: bool) -> Vec<u8> {
    let numbers = Numbers::new(aig);
    let (inputs, latches, gates) = (aig.inputs().len(), aig.latches().len(), numbers.gates.len());
    let mut out = String::new();
    // Writing to a string does not fail.
    let word = if binary { "aig" } else { "aag" };
    let _ =
        write!(out, "{word} {} {inputs} {latches} {} {gates}", inputs + latches + gates, aig.outputs.len());
    let counts = [aig.bads.len(), aig.constraints.len(), aig.justice.len(), aig.fairness.len()];
    // The first of them is always there: a header of five numbers would make properties of outputs.
    let shown = counts.iter().rposition(|&count| count > 0).map_or(1, |last| last + 1);
    for count in &counts[..shown] {
        let _ = write!(out, " {count}");
    }
    out.push('\n');
    if !binary {
        for &input in aig.inputs() {
            let _ = writeln!(out, "{}", numbers.code(input));
        }
    }
    for latch in aig.latches() {
        if !binary {
            let _ = write!(out, "{} ", numbers.code(latch.now));
        }
        let _ = write!(out, "{}", numbers.code(latch.next));
        let _ = match latch.reset {
            Some(false) => writeln!(out),
            Some(true) => writeln!(out, " 1"),
            None => writeln!(out, " {}", numbers.code(latch.now)),
        };
    }
    for &lit in aig.outputs.iter().chain(&aig.bads).chain(&aig.constraints) {
        let _ = writeln!(out, "{}", numbers.code(lit));
    }
    for conditions in &aig.justice {
        let _ = writeln!(out, "{}", conditions.len());
    }
    for &lit in aig.justice.iter().flatten().chain(&aig.fairness) {
        let _ = writeln!(out, "{}", numbers.code(lit));
    }
    let mut bytes = out.into_bytes();
    for &(code, a, b) in &numbers.gates {
        let (a, b) = (numbers.code(a), numbers.code(b));
        let (first, second) = (a.max(b), a.min(b));
        if binary {
            difference(&mut bytes, code - first);
            difference(&mut bytes, first - second);
        } else {
            bytes.extend(format!("{code} {first} {second}\n").into_bytes());
        }
    }
    bytes
}

/// Seven bits in each byte, the lowest first.
fn difference(out: &mut Vec<u8>, mut value: u32) {
    while value > 0x7f {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn symbols(terms: &Terms, system: &System, blasted: &Blasted) -> String {
    let mut out = String::new();
    for (position, &input) in blasted.aig.inputs().iter().enumerate() {
        if let Some(name) = bit_name(terms, blasted, input) {
            let _ = writeln!(out, "i{position} {name}");
        }
    }
    for (position, latch) in blasted.aig.latches().iter().enumerate() {
        if let Some(name) = bit_name(terms, blasted, latch.now) {
            let _ = writeln!(out, "l{position} {name}");
        }
    }
    let mut position = 0;
    for output in &system.outputs {
        let width = terms.sorts.width(terms.sort(output.term));
        for bit in 0..width.unwrap_or(1) {
            let place = if width.is_some_and(|width| width > 1) { format!("[{bit}]") } else { String::new() };
            let _ = writeln!(out, "o{position} {}{place}", line(&output.name));
            position += 1;
        }
    }
    for (letter, wanted) in [('b', false), ('j', true)] {
        for (property, claim) in system.properties.iter().zip(&blasted.claims) {
            let (position, justice) = match claim {
                Claim::Bad(position) => (position, false),
                Claim::Justice(position) => (position, true),
            };
            if let Some(name) = property.name.as_ref().filter(|_| justice == wanted) {
                let _ = writeln!(out, "{letter}{position} {}", line(name));
            }
        }
    }
    out
}

/// The name of a bit: that of its variable, with the position if there are several.
fn bit_name(terms: &Terms, blasted: &Blasted, lit: Lit) -> Option<String> {
    let (position, bit) = blasted.owner(lit)?;
    let variable = &blasted.variables[position];
    let name = line(terms.fun_name(variable.fun));
    Some(match *terms.sorts.get(variable.sort) {
        Sort::Array(_, element) => {
            let width = terms.sorts.width(element).unwrap_or(1) as usize;
            format!("{name}[{}][{}]", bit / width, bit % width)
        }
        _ if variable.bits.len() > 1 => format!("{name}[{bit}]"),
        _ => name,
    })
}

/// A name in one line.
fn line(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { '_' } else { c }).collect()
}
