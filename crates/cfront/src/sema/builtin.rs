//! Functions that GNU C knows without a declaration.
//!
//! Each row gives a signature as letters: the result, then the parameters. `v` void, `b` _Bool, `i` int, `u` unsigned,
//! `l` long, `L` unsigned long, `x` long long, `X` unsigned long long, `h` unsigned short, `q` uint64_t, `z` size_t, `Z` its signed
//! counterpart, `c` char, `f` float, `d` double, `D` long double, `Q` _Float128, `p` void *, `P` const void *,
//! `s` char *, `S` const char *, `.` more arguments follow. `?` instead of parameters takes everything; as a
//! result, `*` is what the first argument points to.

use super::fold;
use crate::ast::{EntityId, ExprKind, List, Value};
use crate::parse::Parser;
use crate::types::{CONST, FloatKind, IntKind, Signature, Ty};
use diag::Span;

/// Functions of the C library that need no declaration; with `__builtin_` before the name too.
const LIBRARY: &[(&str, &str)] = &[
    // tidy: sorted
    ("_Exit", "vi"),
    ("_exit", "vi"),
    ("abort", "v"),
    ("abs", "ii"),
    ("acos", "dd"),
    ("alloca", "pz"),
    ("asin", "dd"),
    ("atan", "dd"),
    ("atan2", "ddd"),
    ("bcmp", "iPPz"),
    ("bzero", "vpz"),
    ("calloc", "pzz"),
    ("ceil", "dd"),
    ("ceilf", "ff"),
    ("copysign", "ddd"),
    ("cos", "dd"),
    ("cosh", "dd"),
    ("exit", "vi"),
    ("exp", "dd"),
    ("expf", "ff"),
    ("fabs", "dd"),
    ("fabsf", "ff"),
    ("fabsl", "DD"),
    ("ffs", "ii"),
    ("ffsl", "il"),
    ("ffsll", "ix"),
    ("floor", "dd"),
    ("floorf", "ff"),
    ("fma", "dddd"),
    ("fmax", "ddd"),
    ("fmin", "ddd"),
    ("fmod", "ddd"),
    ("fmodf", "fff"),
    ("fprintf", "ipS."),
    ("fputc", "iip"),
    ("fputs", "iSp"),
    ("free", "vp"),
    ("fwrite", "zPzzp"),
    ("hypot", "ddd"),
    ("imaxabs", "ll"),
    ("index", "sSi"),
    ("isalnum", "ii"),
    ("isalpha", "ii"),
    ("isblank", "ii"),
    ("iscntrl", "ii"),
    ("isdigit", "ii"),
    ("isgraph", "ii"),
    ("islower", "ii"),
    ("isprint", "ii"),
    ("ispunct", "ii"),
    ("isspace", "ii"),
    ("isupper", "ii"),
    ("isxdigit", "ii"),
    ("labs", "ll"),
    ("ldexp", "ddi"),
    ("llabs", "xx"),
    ("llrint", "xd"),
    ("llround", "xd"),
    ("log", "dd"),
    ("log10", "dd"),
    ("log2", "dd"),
    ("logf", "ff"),
    ("lrint", "ld"),
    ("lround", "ld"),
    ("malloc", "pz"),
    ("memchr", "pPiz"),
    ("memcmp", "iPPz"),
    ("memcpy", "ppPz"),
    ("memmove", "ppPz"),
    ("mempcpy", "ppPz"),
    ("memset", "ppiz"),
    ("nearbyint", "dd"),
    ("pow", "ddd"),
    ("powf", "fff"),
    ("printf", "iS."),
    ("putchar", "ii"),
    ("puts", "iS"),
    ("realloc", "ppz"),
    ("remainder", "ddd"),
    ("rindex", "sSi"),
    ("rint", "dd"),
    ("round", "dd"),
    ("roundf", "ff"),
    ("scanf", "iS."),
    ("sin", "dd"),
    ("sinh", "dd"),
    ("snprintf", "iszS."),
    ("sprintf", "isS."),
    ("sqrt", "dd"),
    ("sqrtf", "ff"),
    ("sscanf", "iSS."),
    ("stpcpy", "ssS"),
    ("strcasecmp", "iSS"),
    ("strcat", "ssS"),
    ("strchr", "sSi"),
    ("strcmp", "iSS"),
    ("strcpy", "ssS"),
    ("strcspn", "zSS"),
    ("strdup", "sS"),
    ("strlen", "zS"),
    ("strncasecmp", "iSSz"),
    ("strncat", "ssSz"),
    ("strncmp", "iSSz"),
    ("strncpy", "ssSz"),
    ("strndup", "sSz"),
    ("strpbrk", "sSS"),
    ("strrchr", "sSi"),
    ("strspn", "zSS"),
    ("strstr", "sSS"),
    ("tan", "dd"),
    ("tanh", "dd"),
    ("tolower", "ii"),
    ("toupper", "ii"),
    ("trunc", "dd"),
    // tidy: end
];

/// Functions that are known by their reserved names only.
const RESERVED: &[(&str, &str)] = &[
    // tidy: sorted
    ("__atomic_add_fetch", "*?"),
    ("__atomic_always_lock_free", "b?"),
    ("__atomic_and_fetch", "*?"),
    ("__atomic_clear", "v?"),
    ("__atomic_compare_exchange", "b?"),
    ("__atomic_compare_exchange_n", "b?"),
    ("__atomic_exchange", "v?"),
    ("__atomic_exchange_n", "*?"),
    ("__atomic_fetch_add", "*?"),
    ("__atomic_fetch_and", "*?"),
    ("__atomic_fetch_nand", "*?"),
    ("__atomic_fetch_or", "*?"),
    ("__atomic_fetch_sub", "*?"),
    ("__atomic_fetch_xor", "*?"),
    ("__atomic_is_lock_free", "b?"),
    ("__atomic_load", "v?"),
    ("__atomic_load_n", "*?"),
    ("__atomic_nand_fetch", "*?"),
    ("__atomic_or_fetch", "*?"),
    ("__atomic_signal_fence", "vi"),
    ("__atomic_store", "v?"),
    ("__atomic_store_n", "v?"),
    ("__atomic_sub_fetch", "*?"),
    ("__atomic_test_and_set", "b?"),
    ("__atomic_thread_fence", "vi"),
    ("__atomic_xor_fetch", "*?"),
    ("__builtin___memcpy_chk", "ppPzz"),
    ("__builtin___memmove_chk", "ppPzz"),
    ("__builtin___memset_chk", "ppizz"),
    ("__builtin___snprintf_chk", "iszizS."),
    ("__builtin___sprintf_chk", "isizS."),
    ("__builtin___strcat_chk", "ssSz"),
    ("__builtin___strcpy_chk", "ssSz"),
    ("__builtin___strncat_chk", "ssSzz"),
    ("__builtin___strncpy_chk", "ssSzz"),
    ("__builtin_add_overflow", "b?"),
    ("__builtin_add_overflow_p", "b?"),
    ("__builtin_alloca_with_align", "pzz"),
    ("__builtin_assume_aligned", "p?"),
    ("__builtin_bswap16", "hh"),
    ("__builtin_bswap32", "uu"),
    ("__builtin_bswap64", "qq"),
    ("__builtin_classify_type", "i?"),
    ("__builtin_clz", "iu"),
    ("__builtin_clzl", "iL"),
    ("__builtin_clzll", "iX"),
    ("__builtin_constant_p", "i?"),
    ("__builtin_ctz", "iu"),
    ("__builtin_ctzl", "iL"),
    ("__builtin_ctzll", "iX"),
    ("__builtin_dynamic_object_size", "zPi"),
    ("__builtin_expect", "lll"),
    ("__builtin_expect_with_probability", "llld"),
    ("__builtin_extract_return_addr", "pp"),
    ("__builtin_fpclassify", "i?"),
    ("__builtin_frame_address", "pu"),
    ("__builtin_huge_val", "d"),
    ("__builtin_huge_valf", "f"),
    ("__builtin_huge_valf128", "Q"),
    ("__builtin_huge_vall", "D"),
    ("__builtin_inf", "d"),
    ("__builtin_inff", "f"),
    ("__builtin_infl", "D"),
    ("__builtin_infq", "Q"),
    ("__builtin_isfinite", "i?"),
    ("__builtin_isgreater", "i?"),
    ("__builtin_isgreaterequal", "i?"),
    ("__builtin_isinf", "i?"),
    ("__builtin_isinf_sign", "i?"),
    ("__builtin_isless", "i?"),
    ("__builtin_islessequal", "i?"),
    ("__builtin_islessgreater", "i?"),
    ("__builtin_isnan", "i?"),
    ("__builtin_isnormal", "i?"),
    ("__builtin_isunordered", "i?"),
    ("__builtin_mul_overflow", "b?"),
    ("__builtin_mul_overflow_p", "b?"),
    ("__builtin_nan", "dS"),
    ("__builtin_nanf", "fS"),
    ("__builtin_nanl", "DS"),
    ("__builtin_nans", "dS"),
    ("__builtin_nansf", "fS"),
    ("__builtin_object_size", "zPi"),
    ("__builtin_parity", "iu"),
    ("__builtin_parityl", "iL"),
    ("__builtin_parityll", "iX"),
    ("__builtin_popcount", "iu"),
    ("__builtin_popcountl", "iL"),
    ("__builtin_popcountll", "iX"),
    ("__builtin_prefetch", "v?"),
    ("__builtin_return_address", "pu"),
    ("__builtin_sadd_overflow", "biip"),
    ("__builtin_saddl_overflow", "bllp"),
    ("__builtin_saddll_overflow", "bxxp"),
    ("__builtin_signbit", "i?"),
    ("__builtin_signbitf", "if"),
    ("__builtin_signbitf128", "iQ"),
    ("__builtin_signbitl", "iD"),
    ("__builtin_smul_overflow", "biip"),
    ("__builtin_smull_overflow", "bllp"),
    ("__builtin_smulll_overflow", "bxxp"),
    ("__builtin_ssub_overflow", "biip"),
    ("__builtin_ssubl_overflow", "bllp"),
    ("__builtin_ssubll_overflow", "bxxp"),
    ("__builtin_stack_restore", "vp"),
    ("__builtin_stack_save", "p"),
    ("__builtin_sub_overflow", "b?"),
    ("__builtin_sub_overflow_p", "b?"),
    ("__builtin_trap", "v"),
    ("__builtin_uadd_overflow", "buup"),
    ("__builtin_uaddl_overflow", "bLLp"),
    ("__builtin_uaddll_overflow", "bXXp"),
    ("__builtin_umul_overflow", "buup"),
    ("__builtin_umull_overflow", "bLLp"),
    ("__builtin_umulll_overflow", "bXXp"),
    ("__builtin_unreachable", "v"),
    ("__builtin_usub_overflow", "buup"),
    ("__builtin_usubl_overflow", "bLLp"),
    ("__builtin_usubll_overflow", "bXXp"),
    ("__builtin_va_arg_pack", "i"),
    ("__builtin_va_arg_pack_len", "i"),
    ("__builtin_va_copy", "v?"),
    ("__builtin_va_end", "v?"),
    ("__builtin_va_start", "v?"),
    ("__sync_add_and_fetch", "*?"),
    ("__sync_and_and_fetch", "*?"),
    ("__sync_bool_compare_and_swap", "b?"),
    ("__sync_fetch_and_add", "*?"),
    ("__sync_fetch_and_and", "*?"),
    ("__sync_fetch_and_nand", "*?"),
    ("__sync_fetch_and_or", "*?"),
    ("__sync_fetch_and_sub", "*?"),
    ("__sync_fetch_and_xor", "*?"),
    ("__sync_lock_release", "v?"),
    ("__sync_lock_test_and_set", "*?"),
    ("__sync_nand_and_fetch", "*?"),
    ("__sync_or_and_fetch", "*?"),
    ("__sync_sub_and_fetch", "*?"),
    ("__sync_synchronize", "v"),
    ("__sync_val_compare_and_swap", "*?"),
    ("__sync_xor_and_fetch", "*?"),
    // tidy: end
];

fn find(table: &'static [(&str, &str)], name: &str) -> Option<&'static str> {
    table.binary_search_by(|row| row.0.cmp(name)).ok().map(|index| table[index].1)
}

/// The signature of a function that needs no declaration. Library functions without a prefix need a call.
pub(super) fn signature(name: &str, is_call: bool) -> Option<&'static str> {
    if let Some(code) = find(RESERVED, name) {
        return Some(code);
    }
    match name.strip_prefix("__builtin_") {
        Some(plain) => find(LIBRARY, plain),
        None if is_call => find(LIBRARY, name),
        None => None,
    }
}

/// True for functions that do not return.
pub(super) fn is_noreturn(name: &str) -> bool {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    matches!(name, "abort" | "exit" | "_exit" | "_Exit" | "trap" | "unreachable")
}

impl Parser<'_> {
    fn code_type(&mut self, letter: u8) -> Ty {
        let pointer = |p: &mut Self, to| p.unit.types.pointer(to);
        let size = self.unit.types.model.size_kind();
        match letter {
            b'v' => Ty::VOID,
            b'b' => Ty::int(IntKind::Bool),
            b'c' => Ty::CHAR,
            b'h' => Ty::int(IntKind::UShort),
            b'u' => Ty::int(IntKind::UInt),
            b'l' => Ty::int(IntKind::Long),
            b'L' => Ty::int(IntKind::ULong),
            b'x' => Ty::int(IntKind::LongLong),
            b'X' => Ty::int(IntKind::ULongLong),
            b'z' => Ty::int(size),
            b'q' if size == IntKind::ULong => Ty::int(IntKind::ULong),
            b'q' => Ty::int(IntKind::ULongLong),
            b'Z' => Ty::int(size.to_signed()),
            b'f' => Ty::float(FloatKind::Float),
            b'd' => Ty::float(FloatKind::Double),
            b'D' => Ty::float(FloatKind::LongDouble),
            b'Q' => Ty::float(FloatKind::Float128),
            b'p' => pointer(self, Ty::VOID),
            b'P' => pointer(self, Ty::VOID.with(CONST)),
            b's' => pointer(self, Ty::CHAR),
            b'S' => pointer(self, Ty::CHAR.with(CONST)),
            _ => Ty::INT,
        }
    }

    /// The function type that letters stand for.
    pub(super) fn builtin_type(&mut self, code: &str) -> Ty {
        let bytes = code.as_bytes();
        let (result, params) = bytes.split_first().unwrap_or((&b'i', &[]));
        let result = self.code_type(*result);
        let is_old = params == b"?";
        let is_variadic = params.ends_with(b".");
        let letters = params.iter().filter(|letter| !matches!(letter, b'?' | b'.'));
        let params = letters.map(|&letter| self.code_type(letter)).collect();
        self.unit.types.function(Signature { result, params, is_variadic, is_old })
    }

    /// A call of a function whose result depends on its arguments.
    pub(super) fn builtin_call(
        &mut self,
        entity: EntityId,
        kind: ExprKind,
        list: List,
        result: Ty,
        span: Span,
    ) -> crate::ast::ExprId {
        let name = self.name_text(self.unit.entities[entity].name).to_owned();
        let first = self.unit.args(list).first().copied();
        let value = match (name.as_str(), first) {
            ("__builtin_expect" | "__builtin_expect_with_probability", Some(first)) => {
                self.converted_value(first, result)
            }
            ("__builtin_constant_p", Some(first)) => {
                let is_string = matches!(self.unit.exprs[self.unit.peeled(first)].kind, ExprKind::String(_));
                Some(Value::Int(i128::from(is_string || self.unit.value(first).is_some())))
            }
            _ => None,
        };
        let code = signature(&name, true).unwrap_or_default();
        let ty = match (code.as_bytes().first(), first) {
            (Some(b'*'), Some(first)) => {
                let pointer = self.value_type(first);
                let to = self.unit.types.pointee(pointer).map(Ty::bare).unwrap_or(Ty::INT);
                self.unit.types.unaligned(to)
            }
            _ => result,
        };
        let value = value.and_then(|value| fold::convert(&self.unit.types, value, ty, ty));
        self.make(kind, ty, span, value)
    }
}
