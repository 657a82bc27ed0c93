//! The sections of a file, and the graph that they describe.

use super::cursor::{Cursor, Parsed, Placed};
use diag::{Diagnostic, Span, codes};
use rustc_hash::FxHashMap;
use ts::aig::{Aig, Lit};

/// Inputs of the binary form take no bytes, so a small file could ask for too many.
const MAX_INPUTS: u32 = 1 << 22;

/// So many problems of one file are told.
const MANY: usize = 20;

/// What a file says.
pub(super) struct File {
    pub(super) aig: Aig,
    /// True when the header has the numbers of version 1.9, so that outputs are no properties.
    pub(super) new: bool,
    /// Names by the letter of the section and the position.
    pub(super) names: FxHashMap<(u8, u32), String>,
}

#[derive(Clone, Copy, Default)]
struct Header {
    binary: bool,
    new: bool,
    max: u32,
    inputs: u32,
    latches: u32,
    outputs: u32,
    gates: u32,
    bads: u32,
    constraints: u32,
    justice: u32,
    fairness: u32,
}

struct RawLatch {
    now: Placed,
    next: Placed,
    reset: Option<Placed>,
}

/// The sections before anything is checked.
#[derive(Default)]
struct Raw {
    header: Header,
    inputs: Vec<Placed>,
    latches: Vec<RawLatch>,
    outputs: Vec<Placed>,
    bads: Vec<Placed>,
    constraints: Vec<Placed>,
    justice: Vec<Vec<Placed>>,
    fairness: Vec<Placed>,
    gates: Vec<[Placed; 3]>,
    names: FxHashMap<(u8, u32), String>,
}

/// Reads all sections.
pub(super) fn parse(bytes: &[u8], base: u32) -> Result<File, Vec<Diagnostic>> {
    let mut cursor = Cursor::new(bytes, base);
    let raw = sections(&mut cursor).map_err(|problem| vec![*problem])?;
    Resolver::new(base).resolve(raw)
}

fn header(cursor: &mut Cursor<'_>) -> Parsed<Header> {
    let word = [cursor.accept(b'a'), cursor.accept(b'a'), cursor.accept(b'i'), cursor.accept(b'g')];
    let binary = match word {
        [true, false, true, true] => true,
        [true, true, false, true] => false,
        _ => {
            return cursor.fail(
                codes::AIG001,
                0,
                cursor.at().max(1),
                "expected `aag` or `aig`, the first word of the file",
            );
        }
    };
    let mut numbers = [0; 9];
    let mut count = 0;
    while count < 5 || (count < 9 && !cursor.is_end()) {
        cursor.blank("the next number of the header")?;
        numbers[count] = cursor.number("a number of the header")?.code;
        count += 1;
    }
    let end = cursor.at();
    cursor.end()?;
    let [max, inputs, latches, outputs, gates, bads, constraints, justice, fairness] = numbers;
    let defined = u64::from(inputs) + u64::from(latches) + u64::from(gates);
    if max > u32::MAX / 2 - 1 || inputs > MAX_INPUTS {
        return cursor.fail(codes::AIG001, 0, end, "a circuit of so many variables is not supported");
    }
    if defined > u64::from(max) || (binary && defined != u64::from(max)) {
        let than = if binary { "not equal to" } else { "smaller than" };
        let message = format!(
            "the maximal variable, {max}, is {than} the number of inputs, latches and gates, {defined}"
        );
        return cursor.fail(codes::AIG001, 0, end, message);
    }
    let new = count > 5;
    Ok(Header { binary, new, max, inputs, latches, outputs, gates, bads, constraints, justice, fairness })
}

fn list(cursor: &mut Cursor<'_>, count: u32, what: &str) -> Parsed<Vec<Placed>> {
    let mut found = Vec::new();
    for _ in 0..count {
        found.push(cursor.number(what)?);
        cursor.end()?;
    }
    Ok(found)
}

fn sections(cursor: &mut Cursor<'_>) -> Parsed<Raw> {
    let header = header(cursor)?;
    let mut raw = Raw { header, ..Raw::default() };
    if header.binary {
        raw.inputs =
            (1..=header.inputs).map(|variable| Placed { code: 2 * variable, at: 0, length: 0 }).collect();
    } else {
        raw.inputs = list(cursor, header.inputs, "the literal of an input")?;
    }
    for position in 0..header.latches {
        let now = if header.binary {
            Placed { code: 2 * (header.inputs + 1 + position), at: cursor.at() as u32, length: 0 }
        } else {
            let now = cursor.number("the literal of a latch")?;
            cursor.blank("the next value of the latch")?;
            now
        };
        let next = cursor.number("the next value of a latch")?;
        let reset =
            if cursor.accept(b' ') { Some(cursor.number("the reset value of a latch")?) } else { None };
        cursor.end()?;
        raw.latches.push(RawLatch { now, next, reset });
    }
    raw.outputs = list(cursor, header.outputs, "the literal of an output")?;
    raw.bads = list(cursor, header.bads, "the literal of a bad state")?;
    raw.constraints = list(cursor, header.constraints, "the literal of a constraint")?;
    let sizes = list(cursor, header.justice, "the number of conditions of a justice property")?;
    for size in sizes {
        raw.justice.push(list(cursor, size.code, "the literal of a justice condition")?);
    }
    raw.fairness = list(cursor, header.fairness, "the literal of a fairness condition")?;
    gates(cursor, &mut raw)?;
    symbols(cursor, &mut raw)?;
    Ok(raw)
}

fn gates(cursor: &mut Cursor<'_>, raw: &mut Raw) -> Parsed<()> {
    for position in 0..raw.header.gates {
        if !raw.header.binary {
            let left = cursor.number("the literal of a gate")?;
            cursor.blank("the first operand of the gate")?;
            let first = cursor.number("the first operand of a gate")?;
            cursor.blank("the second operand of the gate")?;
            let second = cursor.number("the second operand of a gate")?;
            cursor.end()?;
            raw.gates.push([left, first, second]);
            continue;
        }
        let at = cursor.at();
        let left = 2 * (raw.header.inputs + raw.header.latches + 1 + position);
        let (down, more) = (cursor.difference()?, cursor.difference()?);
        let first = left.checked_sub(down).filter(|_| down > 0);
        let Some((first, second)) = first.and_then(|first| Some((first, first.checked_sub(more)?))) else {
            let message = format!("gate {position} reads a literal that is not smaller than its own");
            return cursor.fail(codes::AIG002, at, cursor.at(), message);
        };
        let placed = |code| Placed { code, at: at as u32, length: (cursor.at() - at) as u32 };
        raw.gates.push([left, first, second].map(placed));
    }
    Ok(())
}

/// The symbol table, up to the comment.
fn symbols(cursor: &mut Cursor<'_>, raw: &mut Raw) -> Parsed<()> {
    let counts = &raw.header;
    let counts = [
        (b'i', counts.inputs),
        (b'l', counts.latches),
        (b'o', counts.outputs),
        (b'b', counts.bads),
        (b'c', counts.constraints),
        (b'j', counts.justice),
        (b'f', counts.fairness),
    ];
    while let Some(letter) = cursor.peek() {
        let start = cursor.at();
        cursor.accept(letter);
        if letter == b'c' && cursor.is_end() {
            return Ok(());
        }
        let Some(&(_, count)) = counts.iter().find(|row| row.0 == letter) else {
            let message =
                "expected a symbol, the comment that begins with a line `c`, or the end of the file";
            return cursor.fail(codes::AIG001, start, start + 1, message);
        };
        let position = cursor.number("a position")?;
        if position.code >= count {
            let message = format!("`{}{}` is named and does not exist", letter as char, position.code);
            return cursor.fail(codes::AIG004, start, cursor.at(), message);
        }
        let end = cursor.at();
        cursor.blank("the name")?;
        let name = String::from_utf8_lossy(cursor.rest()).into_owned();
        cursor.end()?;
        if raw.names.insert((letter, position.code), name).is_some() {
            let message = format!("`{}{}` is named twice", letter as char, position.code);
            return cursor.fail(codes::AIG004, start, end, message);
        }
    }
    Ok(())
}

/// What a variable is, and its literal in the graph once it has one.
#[derive(Clone, Copy)]
enum Definition {
    Done(Lit),
    Gate(u32),
    /// A gate whose operands are being resolved.
    Open(u32),
}

struct Resolver {
    base: u32,
    problems: Vec<Diagnostic>,
    definitions: FxHashMap<u32, Definition>,
}

impl Resolver {
    fn new(base: u32) -> Resolver {
        Resolver { base, problems: Vec::new(), definitions: FxHashMap::default() }
    }

    fn report(&mut self, code: diag::Code, placed: Placed, message: String) {
        let start = self.base + placed.at;
        if self.problems.len() < MANY {
            self.problems.push(Diagnostic::new(code, Span::new(start, start + placed.length), message));
        }
    }

    fn define(&mut self, header: &Header, left: Placed, definition: Definition) {
        let message = match left.code {
            0 | 1 => format!("{} is a constant and cannot be defined", left.code),
            code if code & 1 == 1 => format!("{code} is a negated literal and cannot be defined"),
            code if code / 2 > header.max => {
                format!("{code} is larger than the maximal literal, {}", 2 * header.max + 1)
            }
            code => match self.definitions.insert(code / 2, definition) {
                None => return,
                Some(_) => format!("{code} is defined twice"),
            },
        };
        self.report(codes::AIG002, left, message);
    }

    /// The literal of a variable that is an input, a latch or a gate with known operands.
    fn literal(&mut self, header: &Header, placed: Placed) -> Lit {
        let code = placed.code;
        let lit = match self.definitions.get(&(code / 2)) {
            _ if code < 2 => Lit::FALSE,
            Some(Definition::Done(lit)) => *lit,
            _ if code / 2 > header.max => {
                let message = format!("{code} is larger than the maximal literal, {}", 2 * header.max + 1);
                self.report(codes::AIG002, placed, message);
                Lit::FALSE
            }
            _ => {
                self.report(codes::AIG002, placed, format!("{code} is no input, latch or gate"));
                Lit::FALSE
            }
        };
        lit.negated_if(code & 1 == 1)
    }

    fn resolve(mut self, raw: Raw) -> Result<File, Vec<Diagnostic>> {
        let header = raw.header;
        let mut aig = Aig::new();
        for &input in &raw.inputs {
            let lit = aig.input();
            self.define(&header, input, Definition::Done(lit));
        }
        for latch in &raw.latches {
            let reset = match latch.reset {
                None => Some(false),
                Some(reset) if reset.code < 2 => Some(reset.code == 1),
                Some(reset) if reset.code == latch.now.code => None,
                Some(reset) => {
                    let message = format!(
                        "a reset is 0, 1 or the latch itself, {}, not {}",
                        latch.now.code, reset.code
                    );
                    self.report(codes::AIG002, reset, message);
                    None
                }
            };
            let lit = aig.latch(reset);
            self.define(&header, latch.now, Definition::Done(lit));
        }
        for (position, gate) in raw.gates.iter().enumerate() {
            self.define(&header, gate[0], Definition::Gate(position as u32));
        }
        for gate in &raw.gates {
            self.gate(&mut aig, &header, &raw.gates, gate[0]);
        }
        for latch in &raw.latches {
            let next = self.literal(&header, latch.next);
            if let Some(Definition::Done(now)) = self.definitions.get(&(latch.now.code / 2)) {
                aig.set_next(*now, next);
            }
        }
        let mut all =
            |list: &[Placed]| list.iter().map(|&lit| self.literal(&header, lit)).collect::<Vec<Lit>>();
        aig.outputs = all(&raw.outputs);
        aig.bads = all(&raw.bads);
        aig.constraints = all(&raw.constraints);
        aig.justice = raw.justice.iter().map(|list| all(list)).collect();
        aig.fairness = all(&raw.fairness);
        if self.problems.is_empty() {
            Ok(File { aig, new: header.new, names: raw.names })
        } else {
            Err(self.problems)
        }
    }

    /// Builds a gate after what it reads. In the binary form that is there already.
    fn gate(&mut self, aig: &mut Aig, header: &Header, gates: &[[Placed; 3]], root: Placed) {
        let mut todo = vec![root];
        while let Some(&placed) = todo.last() {
            let variable = placed.code / 2;
            match self.definitions.get(&variable) {
                Some(&Definition::Gate(position)) => {
                    self.definitions.insert(variable, Definition::Open(position));
                    for operand in &gates[position as usize][1..] {
                        match self.definitions.get(&(operand.code / 2)) {
                            Some(Definition::Gate(_)) => todo.push(*operand),
                            Some(Definition::Open(_)) => {
                                let message = format!("gate {} depends on itself", operand.code & !1);
                                self.report(codes::AIG003, *operand, message);
                                self.definitions.insert(operand.code / 2, Definition::Done(Lit::FALSE));
                            }
                            _ => {}
                        }
                    }
                }
                Some(&Definition::Open(position)) => {
                    let [_, first, second] = gates[position as usize];
                    let (first, second) = (self.literal(header, first), self.literal(header, second));
                    let lit = aig.and(first, second);
                    self.definitions.insert(variable, Definition::Done(lit));
                    todo.pop();
                }
                _ => {
                    todo.pop();
                }
            }
        }
    }
}
