//! What engines get in the place of a system: the same question without the variables that [are known](super::fixed) or
//! [decide nothing](super::cone), and the way back for what they find.

use super::cone::{Cone, cone};
use super::fixed::{Fixed, fixed};
use crate::certificate::{Certificate, Reduction};
use crate::system::System;
use crate::trace::Trace;
use smt::term::Terms;

/// A smaller system.
#[derive(Clone, Debug)]
pub struct Smaller {
    fixed: Option<Fixed>,
    cone: Option<Cone>,
}

/// A smaller system; nothing if there is none. Definitions have to be unfolded.
pub fn smaller(terms: &mut Terms, original: &System) -> Option<Smaller> {
    let fixed = fixed(terms, original);
    let cone = cone(terms, fixed.as_ref().map_or(original, |fixed| &fixed.system));
    (fixed.is_some() || cone.is_some()).then_some(Smaller { fixed, cone })
}

impl Smaller {
    /// The system.
    #[must_use]
    pub fn system<'a>(&'a self, original: &'a System) -> &'a System {
        let inner = self.cone.as_ref().map(|cone| &cone.system);
        inner.or(self.fixed.as_ref().map(|fixed| &fixed.system)).unwrap_or(original)
    }

    /// The certificate of the original system that one of this system is; nothing for one that is about another system that
    /// was made from this one.
    pub fn certificate(&self, terms: &mut Terms, certificate: Certificate) -> Option<Certificate> {
        let Certificate { reduction: Reduction::None, invariant, depth } = certificate else { return None };
        let invariant = match &self.fixed {
            Some(fixed) => fixed.invariant(terms, invariant),
            None => invariant,
        };
        Some(Certificate { reduction: Reduction::None, invariant, depth })
    }

    /// The execution of the original system that one of this system is, where [there is a way](Cone::trace).
    pub fn trace(&self, terms: &mut Terms, trace: &Trace) -> Option<Trace> {
        let trace = match &self.cone {
            Some(cone) => cone.trace(terms, trace)?,
            None => trace.clone(),
        };
        Some(self.fixed.as_ref().map_or_else(|| trace.clone(), |fixed| fixed.trace(terms, &trace)))
    }
}
