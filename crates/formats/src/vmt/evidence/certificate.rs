//! Certificates: the system with the invariant as one more property.

use super::Info;
use crate::vmt::names::writable;
use crate::vmt::{build, collect, system_text};
use crate::{Source, WriteError};
use diag::{Diagnostic, Span, codes};
use smt::sexpr::Text;
use smt::term::Terms;
use std::fmt::Write;
use ts::passes::rank::components;
use ts::{Certificate, Property, PropertyKind, Reduction, System};

/// A certificate that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certified {
    /// The number of the property that it shows.
    pub property: u64,
    /// The certificate.
    pub certificate: Certificate,
    /// The system that the text contains, without the invariant. Whoever checks the certificate compares it with the system
    /// in question, or takes only the certificate from here.
    pub system: System,
}

/// A certificate for a property. `system` is the one that the certificate is about: for a certificate with a reduction, the
/// system that the reduction makes.
///
/// # Errors
/// When the system has no form in VMT-LIB, or no property of that number.
pub fn write_certificate(
    terms: &mut Terms,
    system: &System,
    property: u64,
    certificate: &Certificate,
) -> Result<String, WriteError> {
    writable(terms, system)?;
    if system.property(property).is_none() {
        return Err(WriteError::new(format!("the system has no property {property}")));
    }
    let used = system.properties.iter().map(|property| property.index);
    let Some(index) = used.max().unwrap_or(0).checked_add(1) else {
        return Err(WriteError::new("there is no number left for the invariant"));
    };
    let mut copy = system.clone();
    copy.outputs.clear();
    // The hints of a system with a ranking function say what it is.
    if !matches!(certificate.reduction, Reduction::Rank(_)) {
        copy.hints.clear();
    }
    let kind = PropertyKind::Invariant(certificate.invariant);
    copy.properties.push(Property { index, name: None, kind });
    let mut out = String::from("(set-info :vmt-evidence certificate)\n");
    let _ = writeln!(out, "(set-info :vmt-property {property})");
    let _ = writeln!(out, "(set-info :vmt-invariant {index})");
    if certificate.depth > 0 {
        let _ = writeln!(out, "(set-info :vmt-depth {})", certificate.depth);
    }
    match &certificate.reduction {
        Reduction::None => {}
        Reduction::Lasso => out.push_str("(set-info :vmt-reduction lasso)\n"),
        Reduction::Count(bound) => {
            let _ = writeln!(out, "(set-info :vmt-reduction count)\n(set-info :vmt-bound {bound})");
        }
        Reduction::Rank(_) => out.push_str("(set-info :vmt-reduction rank)\n"),
    }
    out.push_str(&system_text(terms, &copy)?);
    Ok(out)
}

/// Reads a certificate; nothing after an error was reported.
pub fn read_certificate(
    terms: &mut Terms,
    source: Source<'_>,
    errors: &mut Vec<Diagnostic>,
) -> Option<Certified> {
    let text = crate::vmt::text(source, errors)?;
    let before = errors.len();
    let found = collect::collect(terms, Text::new(text, source.base), errors);
    let entries = found.info.clone();
    if errors[before..].iter().any(Diagnostic::is_error) {
        return None;
    }
    let mut system = build::build(terms, found, errors)?;
    let before = errors.len();
    let whole = Span::new(source.base, source.base);
    let mut info = Info { entries: &entries, whole, errors };
    info.expect("certificate");
    let property = info.needed(":vmt-property");
    let index = info.needed(":vmt-invariant");
    let depth = info.number(":vmt-depth").unwrap_or(0);
    let bound = info.number(":vmt-bound");
    let reduction = match info.find(":vmt-reduction") {
        None => Some(Reduction::None),
        Some(("lasso", _)) => Some(Reduction::Lasso),
        Some(("count", _)) if bound.is_some() => Some(Reduction::Count(bound.unwrap_or(0) as usize)),
        Some(("rank", span)) => {
            let found = components(terms, &system).map(Reduction::Rank);
            if found.is_none() {
                info.error(span, "a `:predicate` of a ranking function is no equation".to_owned());
            }
            found
        }
        Some((other, span)) => {
            info.error(span, format!("the reduction `{other}` is not known, or it lacks `:vmt-bound`"));
            None
        }
    };
    let (property, index) = (property?, index?);
    let invariant = take(&mut system, index);
    if invariant.is_none() {
        errors.push(Diagnostic::new(
            codes::VMT011,
            whole,
            format!("there is no invariant property {index}, which `:vmt-invariant` names"),
        ));
    }
    if errors[before..].iter().any(Diagnostic::is_error) {
        return None;
    }
    let certificate = Certificate { reduction: reduction?, invariant: invariant?, depth: depth as usize };
    Some(Certified { property, certificate, system })
}

/// Takes the invariant out of the system.
fn take(system: &mut System, index: u64) -> Option<smt::term::TermId> {
    let position = system.properties.iter().position(|property| property.index == index)?;
    let PropertyKind::Invariant(formula) = system.properties[position].kind else { return None };
    system.properties.remove(position);
    Some(formula)
}
