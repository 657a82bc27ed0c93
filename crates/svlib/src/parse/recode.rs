//! From the kernel's codes to the rules of section 8 that a problem breaks.

use crate::syntax::PropertyKind;
use diag::{Code, Diagnostic, codes};

/// Where a term stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Context {
    /// In a property written at a statement.
    Inline(PropertyKind),
    /// In a property of `annotate-tag` and its kin.
    Tag(PropertyKind),
}

/// A problem in commands and statements: section 8.1.
pub(super) fn structural(mut error: Diagnostic) -> Diagnostic {
    let code = match error.code {
        codes::SMT001 | codes::SMT002 | codes::SMT003 | codes::SMT004 | codes::SMT005 => codes::SV101,
        codes::SMT010 | codes::SMT011 => codes::SV101,
        codes::SMT023 => codes::SV103,
        codes::SMT012 => codes::SV109,
        codes::SMT014 | codes::SMT015 => codes::SV110,
        code if code.name().starts_with("SMT") => codes::SV102,
        code => code,
    };
    error.code = code;
    error
}

/// A problem in a property: section 8.2.
pub(super) fn annotation(mut error: Diagnostic, context: Context) -> Diagnostic {
    let (kind, inline) = match context {
        Context::Inline(kind) => (kind, true),
        Context::Tag(kind) => (kind, false),
    };
    let sort_rule: Code = if kind.is_boolean() { codes::SV205 } else { codes::SV206 };
    error.code = match error.code {
        codes::SMT023 if inline => codes::SV203,
        codes::SMT023 => codes::SV204,
        codes::SMT012 => codes::SV207,
        codes::SMT010 => codes::SV101,
        code if code.name().starts_with("SMT") => sort_rule,
        code => code,
    };
    error
}
