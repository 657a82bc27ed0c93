//! Declaration specifiers: storage classes, types, qualifiers, attributes, in any order.

use super::{Attrs, P, Parser};
use crate::token::T;
use crate::types::{ATOMIC, CONST, FloatKind, IntKind, RESTRICT, Ty, TypeKind, VOLATILE};
use diag::{Diagnostic, Span, codes};

/// What specifiers say.
#[derive(Clone, Debug)]
pub(crate) struct Specs {
    pub(crate) ty: Ty,
    /// `typedef`, `extern`, `static`, `auto` or `register`.
    pub(crate) storage: Option<T>,
    pub(crate) is_thread: bool,
    pub(crate) is_inline: bool,
    /// `__auto_type`: the initialiser tells the type.
    pub(crate) is_auto: bool,
    /// A struct, union or enum was named, so that a declaration without a name is one all the same.
    pub(crate) has_tag: bool,
    pub(crate) attrs: Attrs,
    pub(crate) span: Span,
}

/// True for words that are a part of a type.
pub(crate) fn is_type_word(kind: T) -> bool {
    use T::*;
    matches!(
        kind,
        Void | CharKw
            | Short
            | Int
            | Long
            | Float
            | Double
            | Signed
            | Unsigned
            | Bool
            | Complex
            | Struct
            | Union
            | Enum
            | Const
            | Volatile
            | Restrict
            | Atomic
            | Typeof
            | Int128
            | UInt128
            | BuiltinVaList
            | Float16
            | Float32
            | Float64
            | Float128
            | Float32x
            | Float64x
            | Decimal32
            | Decimal64
            | Decimal128
            | Attribute
    )
}

/// True for storage classes and the like.
pub(crate) fn is_storage_word(kind: T) -> bool {
    use T::*;
    matches!(kind, Typedef | Extern | Static | Auto | Register | Inline | Noreturn | Thread | Alignas)
}

/// Words that make up an arithmetic type, counted.
#[derive(Default)]
struct Words {
    base: Option<T>,
    longs: u8,
    shorts: u8,
    signed: bool,
    unsigned: bool,
    complex: bool,
}

impl Words {
    fn any(&self) -> bool {
        let Words { base, longs, shorts, signed, unsigned, complex } = self;
        base.is_some() || *longs + *shorts > 0 || *signed || *unsigned || *complex
    }

    /// The type that the words make.
    fn kind(&self) -> Option<TypeKind> {
        use IntKind as I;
        let sign = |signed: IntKind| if self.unsigned { signed.to_unsigned() } else { signed };
        let has_sign = self.signed || self.unsigned;
        if self.signed && self.unsigned {
            return None;
        }
        let float = |kind: FloatKind, longs: u8| {
            (!has_sign && self.shorts == 0 && self.longs == longs).then_some(kind)
        };
        let float_kind = match self.base {
            Some(T::Float) => Some(float(FloatKind::Float, 0)),
            Some(T::Double) if self.longs == 1 => Some(float(FloatKind::LongDouble, 1)),
            Some(T::Double) => Some(float(FloatKind::Double, 0)),
            Some(T::Float16) => Some(float(FloatKind::Float16, 0)),
            Some(T::Float32) => Some(float(FloatKind::Float32, 0)),
            Some(T::Float64) => Some(float(FloatKind::Float64, 0)),
            Some(T::Float128) => Some(float(FloatKind::Float128, 0)),
            Some(T::Float32x) => Some(float(FloatKind::Float32x, 0)),
            Some(T::Float64x) => Some(float(FloatKind::Float64x, 0)),
            Some(T::Decimal32) => Some(float(FloatKind::Decimal32, 0)),
            Some(T::Decimal64) => Some(float(FloatKind::Decimal64, 0)),
            Some(T::Decimal128) => Some(float(FloatKind::Decimal128, 0)),
            None if self.complex && !has_sign && self.shorts + self.longs == 0 => {
                Some(Some(FloatKind::Double))
            }
            _ => None,
        };
        if let Some(kind) = float_kind {
            return kind
                .map(|kind| if self.complex { TypeKind::Complex(kind) } else { TypeKind::Float(kind) });
        }
        let int = match (self.base, self.longs, self.shorts) {
            (Some(T::Void), 0, 0) if !has_sign && !self.complex => return Some(TypeKind::Void),
            (Some(T::BuiltinVaList), 0, 0) if !has_sign && !self.complex => return Some(TypeKind::VaList),
            (Some(T::Bool), 0, 0) if !has_sign => I::Bool,
            (Some(T::CharKw), 0, 0) if self.signed => I::SChar,
            (Some(T::CharKw), 0, 0) if self.unsigned => I::UChar,
            (Some(T::CharKw), 0, 0) => I::Char,
            (Some(T::Int) | None, 0, 0) => sign(I::Int),
            (Some(T::Int) | None, 0, 1) => sign(I::Short),
            (Some(T::Int) | None, 1, 0) => sign(I::Long),
            (Some(T::Int) | None, 2, 0) => sign(I::LongLong),
            (Some(T::Int128), 0, 0) => sign(I::Int128),
            (Some(T::UInt128), 0, 0) if !has_sign => I::UInt128,
            _ => return None,
        };
        Some(if self.complex { TypeKind::ComplexInt(int) } else { TypeKind::Int(int) })
    }
}

impl Parser<'_> {
    /// Specifiers of a declaration, or of a type name.
    pub(crate) fn specifiers(&mut self) -> P<Specs> {
        let start = self.span();
        let mut specs = Specs {
            ty: Ty::INT,
            storage: None,
            is_thread: false,
            is_inline: false,
            is_auto: false,
            has_tag: false,
            attrs: Attrs::default(),
            span: start,
        };
        let mut words = Words::default();
        let mut quals = 0;
        let mut whole: Option<Ty> = None;
        loop {
            let token = self.token();
            match token.kind {
                T::Ident if whole.is_none() && !words.any() && !specs.is_auto => {
                    let Some(ty) = self.typedef(token) else { break };
                    whole = Some(ty);
                    self.next();
                }
                T::Const | T::Volatile | T::Restrict => quals |= self.qualifier(),
                T::Atomic if self.ahead(1) == T::LParen => {
                    self.next();
                    self.next();
                    let ty = self.nested(|p| p.type_name())?;
                    self.expect(T::RParen)?;
                    whole = Some(ty.with(ATOMIC));
                }
                T::Atomic => quals |= self.qualifier(),
                T::Typedef | T::Extern | T::Static | T::Auto | T::Register => {
                    self.next();
                    if specs.storage.is_some_and(|old| old != token.kind) {
                        self.error(codes::C002, token.span, "a second storage class");
                    }
                    specs.storage = Some(token.kind);
                }
                T::Inline => {
                    self.next();
                    specs.is_inline = true;
                }
                T::Noreturn => {
                    self.next();
                    specs.attrs.is_noreturn = true;
                }
                T::Thread => {
                    self.next();
                    specs.is_thread = true;
                }
                T::AutoType => {
                    self.next();
                    specs.is_auto = true;
                }
                T::Extension => {
                    self.next();
                }
                T::Alignas => self.alignas(&mut specs.attrs)?,
                T::Attribute => self.attributes(&mut specs.attrs)?,
                T::Struct | T::Union if whole.is_none() && !words.any() => {
                    specs.has_tag = true;
                    whole = Some(self.nested(|p| p.record())?);
                }
                T::Enum if whole.is_none() && !words.any() => {
                    specs.has_tag = true;
                    whole = Some(self.nested(|p| p.enumeration())?);
                }
                T::Typeof if whole.is_none() && !words.any() => whole = Some(self.nested(|p| p.type_of())?),
                kind if is_type_word(kind) && whole.is_none() => self.word(&mut words)?,
                kind if is_type_word(kind) => return Err(self.unexpected("a declarator")),
                _ => break,
            }
        }
        specs.ty = match whole {
            Some(ty) => ty,
            None if words.any() => match words.kind() {
                Some(kind) => self.unit.types.make(kind),
                None => {
                    let span = self.since(start);
                    self.error(codes::C006, span, "these words make no type together");
                    Ty::ERROR
                }
            },
            None => {
                if !specs.is_auto {
                    let finding = Diagnostic::new(codes::C102, self.span().before(), "no type is given");
                    self.report(finding.help("write `int`, which is what C takes it for"));
                }
                Ty::INT
            }
        };
        specs.ty = self.unit.types.qualify(specs.ty, quals);
        specs.span =
            if self.at > 0 && self.last_span().end >= start.start { self.since(start) } else { start };
        Ok(specs)
    }

    fn qualifier(&mut self) -> u32 {
        match self.next().kind {
            T::Const => CONST,
            T::Volatile => VOLATILE,
            T::Restrict => RESTRICT,
            _ => ATOMIC,
        }
    }

    /// Qualifiers and attributes after `*` or inside `[]`.
    pub(crate) fn qualifiers(&mut self, attrs: &mut Attrs) -> P<u32> {
        let mut quals = 0;
        loop {
            match self.kind() {
                T::Const | T::Volatile | T::Restrict | T::Atomic => quals |= self.qualifier(),
                T::Attribute => self.attributes(attrs)?,
                _ => return Ok(quals),
            }
        }
    }

    fn word(&mut self, words: &mut Words) -> P<()> {
        match self.kind() {
            T::Long if words.longs < 2 => words.longs += 1,
            T::Short if words.shorts < 1 => words.shorts += 1,
            T::Signed => words.signed = true,
            T::Unsigned => words.unsigned = true,
            T::Complex => words.complex = true,
            kind if words.base.is_none() && kind != T::Long && kind != T::Short => words.base = Some(kind),
            _ => return Err(self.unexpected("a declarator")),
        }
        self.next();
        Ok(())
    }

    /// `typeof(expression or type)`
    fn type_of(&mut self) -> P<Ty> {
        self.next();
        self.expect(T::LParen)?;
        let ty = if self.starts_type(0) {
            self.type_name()?
        } else {
            let expr = self.expression()?;
            self.unit.exprs[expr].ty
        };
        self.expect(T::RParen)?;
        Ok(ty)
    }

    /// A type without a declared name.
    pub(crate) fn type_name(&mut self) -> P<Ty> {
        let specs = self.specifiers()?;
        let base = self.attributed(specs.ty, &specs.attrs);
        if self.kind() == T::RParen || self.kind() == T::Comma {
            return Ok(base);
        }
        let mut declared = self.declarator(base, true)?;
        self.attributes(&mut declared.attrs)?;
        Ok(self.attributed(declared.ty, &declared.attrs))
    }
}
