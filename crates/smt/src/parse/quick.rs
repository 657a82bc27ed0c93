//! The commands that most of a large file is made of, from characters to terms in one go: constants that are declared,
//! and constants that are defined by applications of what is known to what is known.
//!
//! Whatever is not as usual is left to the [`super::Parser`], which reads the command from its beginning, reports what
//! is wrong, and would have made the same terms in the same order as far as this one came.

use super::Command;
use crate::check;
use crate::op::{Op, Rule, WORDS};
use crate::scope::{Binding, Scope};
use crate::sexpr::{Text, is_space, is_symbol, word_end};
use crate::sort::SortId;
use crate::term::{Fun, FunId, Role, TermId, Terms};
use base::id::{Id, IdMap};
use base::intern::SymbolId;
use dashu_int::UBig;
use diag::Span;

/// The memory of the reader of usual commands.
pub(crate) struct Quick<'a> {
    frames: Vec<Frame>,
    values: Vec<TermId>,
    /// Names that were found to be symbols without bars.
    plain: IdMap<SymbolId, bool>,
    /// The last sort as it was written, for as long as there are usual commands only.
    sort: Option<(&'a [u8], SortId)>,
}

impl Default for Quick<'_> {
    fn default() -> Self {
        Quick { frames: Vec::new(), values: Vec::new(), plain: IdMap::new(false), sort: None }
    }
}

/// An application that waits for arguments; the values from `base` on are there.
struct Frame {
    head: Head,
    base: u32,
}

#[derive(Clone, Copy)]
enum Head {
    Op(Op, [u32; 2]),
    Fun(FunId),
}

/// What an opening parenthesis began.
enum Begun {
    Head(Head),
    /// A literal, which is complete.
    Value(TermId),
}

/// A usual command, and where it lies.
pub(crate) struct Usual {
    pub(crate) command: Command,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

const DECLARE: &[u8] = b"(declare-fun ";
const DEFINE: &[u8] = b"(define-fun ";

impl<'a> Quick<'a> {
    /// Another command may have changed what sorts mean.
    pub(crate) fn forget(&mut self) {
        self.sort = None;
    }

    /// The command that is next in a text from `at` on, if it is a usual one.
    pub(crate) fn command(
        &mut self,
        terms: &mut Terms,
        scope: &mut Scope,
        Text { text, base }: Text<'a>,
        at: usize,
    ) -> Option<Usual> {
        let mut cursor = Cursor { text, bytes: text.as_bytes(), at };
        cursor.blanks();
        let start = cursor.at;
        let rest = &cursor.bytes[start..];
        let defines = rest.starts_with(DEFINE);
        if !defines && !rest.starts_with(DECLARE) {
            return None;
        }
        cursor.at += if defines { DEFINE.len() } else { DECLARE.len() };
        let place = cursor.blanks();
        let name = self.symbol(terms, &mut cursor)?;
        let place = Span::new(base + place as u32, base + cursor.at as u32);
        if scope.get(name) != Binding::None {
            return None;
        }
        cursor.blanks();
        cursor.take(b'(')?;
        cursor.take(b')')?;
        let result = self.sort(terms, scope, &mut cursor)?;
        let role = match defines {
            true => {
                let body = self.term(terms, scope, &mut cursor)?;
                if terms.sort(body) != result {
                    return None;
                }
                Role::Defined(Box::default(), body)
            }
            false => Role::Free,
        };
        cursor.blanks();
        cursor.take(b')')?;
        let id = terms.declare(Fun { name, params: Box::default(), result, role });
        scope.bind(name, Binding::Fun(id), place);
        let command = if defines { Command::DefineFun(id) } else { Command::DeclareFun(id) };
        Some(Usual { command, start, end: cursor.at })
    }

    /// A term without binders, annotations and the like.
    fn term(&mut self, terms: &mut Terms, scope: &Scope, cursor: &mut Cursor<'_>) -> Option<TermId> {
        self.frames.clear();
        self.values.clear();
        loop {
            cursor.blanks();
            let value = match *cursor.bytes.get(cursor.at)? {
                b'(' => {
                    cursor.at += 1;
                    match self.head(terms, scope, cursor)? {
                        Begun::Value(value) => value,
                        Begun::Head(head) => {
                            self.frames.push(Frame { head, base: self.values.len() as u32 });
                            continue;
                        }
                    }
                }
                b')' => {
                    cursor.at += 1;
                    let Frame { head, base } = self.frames.pop()?;
                    let args = &self.values[base as usize..];
                    let value = applied(terms, head, args)?;
                    self.values.truncate(base as usize);
                    value
                }
                b'0'..=b'9' => {
                    let value = cursor.numeral()?;
                    terms.nat(UBig::from(value))
                }
                _ => {
                    let symbol = self.symbol(terms, cursor)?;
                    constant(terms, scope, symbol)?
                }
            };
            if self.frames.is_empty() {
                return Some(value);
            }
            self.values.push(value);
        }
    }

    /// The head of an application, behind the parenthesis.
    fn head(&mut self, terms: &mut Terms, scope: &Scope, cursor: &mut Cursor<'_>) -> Option<Begun> {
        if cursor.take(b'(').is_some() {
            cursor.blanks();
            return if cursor.word() == "_" { self.indexed(terms, scope, cursor) } else { None };
        }
        cursor.blanks();
        let symbol = self.symbol(terms, cursor)?;
        match WORDS.get(symbol.index()) {
            Some(&"_") => return literal(terms, cursor).map(Begun::Value),
            Some(_) => return None,
            None => {}
        }
        Some(Begun::Head(match scope.get(symbol) {
            Binding::Op(op) if op.info().rule != Rule::Special => Head::Op(op, [0; 2]),
            Binding::Fun(fun) => Head::Fun(fun),
            _ => return None,
        }))
    }

    /// The rest of `(_ name index …)` as a head.
    fn indexed(&mut self, terms: &mut Terms, scope: &Scope, cursor: &mut Cursor<'_>) -> Option<Begun> {
        cursor.blanks();
        let symbol = self.symbol(terms, cursor)?;
        let Binding::Op(op) = scope.get(symbol) else { return None };
        let (mut indices, mut count) = ([0; 2], 0);
        loop {
            cursor.blanks();
            if cursor.take(b')').is_some() {
                break;
            }
            *indices.get_mut(count)? = u32::try_from(cursor.numeral()?).ok()?;
            count += 1;
        }
        let rule = op.info().rule;
        let fits = rule != Rule::Special && rule != Rule::Char && count > 0 && rule.indices() == count;
        fits.then_some(Begun::Head(Head::Op(op, indices)))
    }

    /// The symbol that is next, if it has no bars.
    #[inline]
    fn symbol(&mut self, terms: &mut Terms, cursor: &mut Cursor<'_>) -> Option<SymbolId> {
        let word = cursor.word();
        if word.starts_with('|') {
            return self.quoted(terms, cursor, word);
        }
        let mut is_new = false;
        let symbol = terms.names.intern_if(word, || {
            is_new = true;
            is_symbol(word.as_bytes())
        })?;
        if !self.plain[symbol] {
            // The same characters may be a name only between bars.
            if !is_new && !is_symbol(word.as_bytes()) {
                return None;
            }
            self.plain.set(symbol, true);
        }
        Some(symbol)
    }

    /// A symbol between bars. Whatever is between them, the word that begins with the first one is the beginning of it.
    #[inline(never)]
    fn quoted(&mut self, terms: &mut Terms, cursor: &mut Cursor<'_>, word: &str) -> Option<SymbolId> {
        let start = cursor.at - word.len() + 1;
        let length = cursor.bytes[start..].iter().position(|byte| matches!(byte, b'|' | b'\\'))?;
        let end = start + length;
        let ends =
            cursor.bytes.get(end + 1).is_some_and(|&byte| is_space(byte) || matches!(byte, b'(' | b')'));
        if cursor.bytes[end] != b'|' || !ends {
            return None;
        }
        cursor.at = end + 1;
        let symbol = terms.names.intern(&cursor.text[start..end]);
        // `|_|` is another thing than `_`, and the like.
        (symbol.index() >= WORDS.len()).then_some(symbol)
    }

    /// A sort of one word, or that of bit-vectors.
    fn sort(&mut self, terms: &mut Terms, scope: &Scope, cursor: &mut Cursor<'a>) -> Option<SortId> {
        cursor.blanks();
        let start = cursor.at;
        if let Some((text, sort)) = self.sort
            && let Some([next, ..]) = cursor.bytes[start..].strip_prefix(text)
            && ends_word(*next)
        {
            cursor.at += text.len();
            return Some(sort);
        }
        let sort = match cursor.take(b'(') {
            Some(()) => bit_vec(terms, cursor)?,
            None => {
                let symbol = self.symbol(terms, cursor)?;
                scope.plain_sort(symbol)?
            }
        };
        self.sort = Some((&cursor.bytes[start..cursor.at], sort));
        Some(sort)
    }
}

/// The rest of `(_ BitVec N)`.
fn bit_vec(terms: &mut Terms, cursor: &mut Cursor<'_>) -> Option<SortId> {
    for word in ["_", "BitVec"] {
        cursor.blanks();
        if cursor.word() != word {
            return None;
        }
    }
    cursor.blanks();
    let width = u32::try_from(cursor.numeral()?).ok().filter(|&width| width > 0)?;
    cursor.blanks();
    cursor.take(b')')?;
    Some(terms.sorts.bit_vec(width))
}

/// The rest of `(_ bvN W)`.
fn literal(terms: &mut Terms, cursor: &mut Cursor<'_>) -> Option<TermId> {
    cursor.blanks();
    let value = short(cursor.word().strip_prefix("bv")?)?;
    cursor.blanks();
    let width = u32::try_from(cursor.numeral()?).ok().filter(|&width| width > 0)?;
    cursor.blanks();
    cursor.take(b')')?;
    let fits = width >= u64::BITS || value >> width == 0;
    fits.then(|| terms.bits(width, UBig::from(value)))
}

/// What a symbol alone means.
#[inline]
fn constant(terms: &mut Terms, scope: &Scope, symbol: SymbolId) -> Option<TermId> {
    let fun = match scope.get(symbol) {
        Binding::Fun(fun) => fun,
        Binding::Op(Op::True) => return Some(TermId::TRUE),
        Binding::Op(Op::False) => return Some(TermId::FALSE),
        _ => return None,
    };
    if let Some(term) = terms.used_constant(fun) {
        return Some(term);
    }
    if scope.next_declares
        && let Some(body) = terms.abbreviated(fun)
    {
        return Some(body);
    }
    let usable = terms.fun(fun).params.is_empty() && terms.fun(fun).result != SortId::ERROR;
    usable.then(|| terms.constant_term(fun))
}

#[inline]
fn applied(terms: &mut Terms, head: Head, args: &[TermId]) -> Option<TermId> {
    if args.is_empty() {
        return None;
    }
    let term = match head {
        Head::Op(op, indices) => check::apply_named(terms, op, indices, args),
        Head::Fun(fun) => terms.call(fun, args),
    };
    term.ok().filter(|&term| terms.sort(term) != SortId::ERROR)
}

fn ends_word(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b'(' | b')')
}

/// A number that fits into 64 bits for certain.
fn short(digits: &str) -> Option<u64> {
    const SHORT: usize = 18;
    if digits.is_empty() || digits.len() > SHORT {
        return None;
    }
    let mut value = 0;
    for byte in digits.bytes() {
        if !byte.is_ascii_digit() {
            return None;
        }
        value = value * 10 + u64::from(byte - b'0');
    }
    Some(value)
}

/// A place in a text.
struct Cursor<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Goes to the next byte that is no blank, and says where it is.
    #[inline]
    fn blanks(&mut self) -> usize {
        while self.bytes.get(self.at).is_some_and(|&byte| is_space(byte)) {
            self.at += 1;
        }
        self.at
    }

    #[inline]
    fn take(&mut self, byte: u8) -> Option<()> {
        (self.bytes.get(self.at) == Some(&byte)).then(|| self.at += 1)
    }

    /// What is next up to a blank or a parenthesis, whatever it is.
    #[inline]
    fn word(&mut self) -> &'a str {
        let start = self.at;
        self.at = word_end(self.bytes, start);
        &self.text[start..self.at]
    }

    #[inline]
    fn numeral(&mut self) -> Option<u64> {
        short(self.word())
    }
}
