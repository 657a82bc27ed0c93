//! Attributes, `asm` names of declarations, and alignment specifiers.
//!
//! Attributes that change types, layout or control flow are understood; all others are read over, since they are advice
//! to a compiler.

use super::{P, Parser};
use crate::token::T;
use crate::types::{FloatKind, IntKind, Ty, TypeKind};
use base::intern::SymbolId;

/// What attributes say.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Attrs {
    pub(crate) is_packed: bool,
    /// Zero when there is none.
    pub(crate) align: u32,
    pub(crate) mode: Option<Mode>,
    /// Bytes of a vector; zero when there is none.
    pub(crate) vector: u32,
    pub(crate) is_noreturn: bool,
    /// The function that `cleanup` names.
    pub(crate) cleanup: Option<SymbolId>,
    pub(crate) is_constructor: bool,
    pub(crate) is_destructor: bool,
    pub(crate) is_transparent: bool,
}

/// A machine mode: the size of a type.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mode {
    Bits(u32),
    Word,
    Float(FloatKind),
}

/// The largest alignment that is believed.
const MAX_ALIGN: i128 = 1 << 28;

impl Parser<'_> {
    /// Attributes, as many as there are.
    pub(crate) fn attributes(&mut self, attrs: &mut Attrs) -> P<()> {
        while self.kind() == T::Attribute {
            self.next();
            self.expect(T::LParen)?;
            self.expect(T::LParen)?;
            while self.kind() != T::RParen {
                if !self.accept(T::Comma) {
                    self.attribute(attrs)?;
                }
            }
            self.next();
            self.expect(T::RParen)?;
        }
        Ok(())
    }

    /// Attributes and `asm("name")`, in any order, as they follow declarators.
    pub(crate) fn trailing(&mut self, attrs: &mut Attrs) -> P<()> {
        loop {
            match self.kind() {
                T::Attribute => self.attributes(attrs)?,
                T::Asm => {
                    self.next();
                    self.skip_parens()?;
                }
                _ => return Ok(()),
            }
        }
    }

    fn attribute(&mut self, attrs: &mut Attrs) -> P<()> {
        let token = self.next();
        if token.kind == T::Eof || matches!(token.kind, T::LParen | T::Semi | T::LBrace | T::RBrace) {
            self.at -= usize::from(token.kind != T::Eof);
            return Err(self.unexpected("an attribute"));
        }
        let word = String::from_utf8_lossy(self.slice(token.span)).into_owned();
        let word = word.strip_prefix("__").and_then(|word| word.strip_suffix("__")).unwrap_or(&word);
        match word {
            "packed" => attrs.is_packed = true,
            "noreturn" => attrs.is_noreturn = true,
            "cleanup" if self.kind() == T::LParen => {
                let name = self.unit.tokens.get(self.at + 1).copied();
                attrs.cleanup = name.filter(|name| name.kind == T::Ident).map(|name| name.name);
            }
            "constructor" => attrs.is_constructor = true,
            "destructor" => attrs.is_destructor = true,
            "transparent_union" => attrs.is_transparent = true,
            "aligned" if self.kind() == T::LParen => return self.align_argument(attrs),
            "aligned" => attrs.align = 16,
            "vector_size" if self.kind() == T::LParen => {
                attrs.vector = self.constant_argument()?.clamp(0, 1 << 20) as u32;
                return Ok(());
            }
            "mode" if self.kind() == T::LParen => {
                self.next();
                let mode = self.next();
                attrs.mode = mode_named(&String::from_utf8_lossy(self.slice(mode.span)));
                self.expect(T::RParen)?;
                return Ok(());
            }
            _ => {}
        }
        if self.kind() == T::LParen { self.skip_parens() } else { Ok(()) }
    }

    fn constant_argument(&mut self) -> P<i128> {
        self.expect(T::LParen)?;
        let expr = self.nested(|p| p.conditional())?;
        self.expect(T::RParen)?;
        Ok(self.require_int(expr).unwrap_or(0))
    }

    fn align_argument(&mut self, attrs: &mut Attrs) -> P<()> {
        let value = self.constant_argument()?;
        if value > 0 && value <= MAX_ALIGN && value & (value - 1) == 0 {
            attrs.align = attrs.align.max(value as u32);
        }
        Ok(())
    }

    /// `_Alignas(type or constant)`
    pub(crate) fn alignas(&mut self, attrs: &mut Attrs) -> P<()> {
        self.next();
        if self.kind() == T::LParen && self.starts_type(1) {
            self.next();
            let ty = self.type_name()?;
            self.expect(T::RParen)?;
            attrs.align = attrs.align.max(self.unit.types.layout(ty).map_or(0, |layout| layout.align));
            return Ok(());
        }
        self.align_argument(attrs)
    }

    /// The type that attributes make of a type.
    pub(crate) fn attributed(&mut self, ty: Ty, attrs: &Attrs) -> Ty {
        let mut result = ty;
        if let Some(mode) = attrs.mode {
            result = self.in_mode(result, mode);
        }
        if attrs.vector != 0 {
            let element = self.unit.types.unaligned(result.bare());
            let is_number = matches!(
                self.unit.types.kind(element),
                TypeKind::Int(_) | TypeKind::Float(_) | TypeKind::Enum(_)
            );
            if let (true, Some(layout)) = (is_number, self.unit.types.layout(element)) {
                let count = (u64::from(attrs.vector) / layout.size.max(1)) as u32;
                result = self.unit.types.make(TypeKind::Vector(element, count)).with(ty.quals());
            }
        }
        result
    }

    fn in_mode(&mut self, ty: Ty, mode: Mode) -> Ty {
        let model = self.unit.types.model;
        let bits = match mode {
            Mode::Float(kind) => return Ty::float(kind).with(ty.quals()),
            Mode::Word => model.word() as u32 * 8,
            Mode::Bits(bits) => bits,
        };
        let Some(kind) = self.unit.types.int_kind(ty) else { return ty };
        let signed = match bits {
            8 => IntKind::SChar,
            16 => IntKind::Short,
            32 => IntKind::Int,
            64 if model.bits(IntKind::Long) == 64 => IntKind::Long,
            64 => IntKind::LongLong,
            _ => IntKind::Int128,
        };
        let kind = if kind.is_unsigned() { signed.to_unsigned() } else { signed };
        Ty::int(kind).with(ty.quals())
    }
}

fn mode_named(word: &str) -> Option<Mode> {
    let word = word.strip_prefix("__").and_then(|word| word.strip_suffix("__")).unwrap_or(word);
    Some(match word {
        "QI" | "byte" => Mode::Bits(8),
        "HI" => Mode::Bits(16),
        "SI" => Mode::Bits(32),
        "DI" => Mode::Bits(64),
        "TI" => Mode::Bits(128),
        "word" | "pointer" | "unwind_word" | "libgcc_cmp_return" | "libgcc_shift_count" => Mode::Word,
        "SF" => Mode::Float(FloatKind::Float),
        "DF" => Mode::Float(FloatKind::Double),
        "XF" => Mode::Float(FloatKind::LongDouble),
        "TF" => Mode::Float(FloatKind::Float128),
        _ => return None,
    })
}
