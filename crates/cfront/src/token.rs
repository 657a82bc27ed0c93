//! Kinds of tokens, and the one table of keywords with all their spellings.

use base::intern::SymbolId;
use diag::Span;

macro_rules! kinds {
    ($($(#[$meta:meta])* $name:ident $text:literal)*; $($kw:ident $($spelling:literal)+;)*) => {
        /// What a token is. Keywords with several spellings have one kind.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        #[expect(missing_docs, reason = "each kind is the token of its name")]
        pub enum T { $($(#[$meta])* $name,)* $($kw,)* }

        impl T {
            /// The token as a message shows it.
            #[must_use]
            pub fn text(self) -> &'static str {
                match self {
                    $(T::$name => $text,)*
                    $(T::$kw => [$($spelling),+][0],)*
                }
            }
        }

        /// Every spelling of every keyword.
        pub(crate) const KEYWORDS: &[(&str, T)] = &[$($(($spelling, T::$kw),)+)*];
    };
}

kinds! {
    Eof "the end of the input"
    Ident "a name"
    Number "a number"
    Char "a character constant"
    Str "a string"
    LParen "(" RParen ")" LBracket "[" RBracket "]" LBrace "{" RBrace "}"
    Dot "." Arrow "->" PlusPlus "++" MinusMinus "--"
    Amp "&" Star "*" Plus "+" Minus "-" Tilde "~" Bang "!"
    Slash "/" Percent "%" Shl "<<" Shr ">>" Lt "<" Gt ">" Le "<=" Ge ">=" EqEq "==" Ne "!="
    Caret "^" Pipe "|" AmpAmp "&&" PipePipe "||"
    Question "?" Colon ":" Semi ";" Ellipsis "..."
    Assign "=" StarAssign "*=" SlashAssign "/=" PercentAssign "%=" PlusAssign "+=" MinusAssign "-="
    ShlAssign "<<=" ShrAssign ">>=" AmpAssign "&=" CaretAssign "^=" PipeAssign "|=" Comma ",";

    Alignas "_Alignas";
    Alignof "_Alignof";
    AlignofGnu "__alignof__" "__alignof";
    Asm "asm" "__asm__" "__asm";
    Atomic "_Atomic";
    Attribute "__attribute__" "__attribute";
    Auto "auto";
    AutoType "__auto_type";
    Bool "_Bool";
    Break "break";
    BuiltinChoose "__builtin_choose_expr";
    BuiltinOffsetof "__builtin_offsetof";
    BuiltinTypesCompatible "__builtin_types_compatible_p";
    BuiltinVaArg "__builtin_va_arg";
    BuiltinVaList "__builtin_va_list" "__gnuc_va_list_tag_list";
    Case "case";
    CharKw "char";
    Complex "_Complex" "__complex__" "__complex";
    Const "const" "__const" "__const__";
    Continue "continue";
    Decimal32 "_Decimal32";
    Decimal64 "_Decimal64";
    Decimal128 "_Decimal128";
    Default "default";
    Do "do";
    Double "double";
    Else "else";
    Enum "enum";
    Extension "__extension__";
    Extern "extern";
    Float "float";
    Float16 "_Float16";
    Float32 "_Float32";
    Float32x "_Float32x";
    Float64 "_Float64";
    Float64x "_Float64x";
    Float128 "_Float128" "__float128";
    For "for";
    FuncName "__func__" "__FUNCTION__" "__PRETTY_FUNCTION__";
    Generic "_Generic";
    Goto "goto";
    If "if";
    Imag "__imag__" "__imag";
    Inline "inline" "__inline" "__inline__";
    Int "int";
    Int128 "__int128" "__int128_t";
    UInt128 "__uint128_t";
    Label "__label__";
    Long "long";
    Noreturn "_Noreturn";
    Real "__real__" "__real";
    Register "register";
    Restrict "restrict" "__restrict" "__restrict__";
    Return "return";
    Short "short";
    Signed "signed" "__signed" "__signed__";
    Sizeof "sizeof";
    Static "static";
    StaticAssert "_Static_assert";
    Struct "struct";
    Switch "switch";
    Thread "_Thread_local" "__thread";
    Typedef "typedef";
    Typeof "typeof" "__typeof__" "__typeof";
    Union "union";
    Unsigned "unsigned";
    Void "void";
    Volatile "volatile" "__volatile" "__volatile__";
    While "while";
}

/// A token: its kind, its place, and for names their text.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// The kind.
    pub kind: T,
    /// The place.
    pub span: Span,
    /// The name; keywords have theirs too. Meaningless for other kinds.
    pub name: SymbolId,
}

const _: () = assert!(size_of::<Token>() == 16);
