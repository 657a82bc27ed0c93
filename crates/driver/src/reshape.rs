//! Properties of a model as a target, or the user, wants them.

use crate::convert::ConvertError;
use formats::Model;
use smt::term::Terms;
use ts::System;
use ts::passes::core::core;
use ts::passes::int_width::int_width;
use ts::passes::safety::safety;

/// What is to become of properties before they are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reshape {
    /// Only the property with this number stays.
    pub property: Option<u64>,
    /// LTL and live properties with several formulas become live ones with one formula, and what holds in every step becomes
    /// part of the first state and of steps.
    pub core: bool,
    /// Every property becomes an invariant.
    pub safety: bool,
}

impl Reshape {
    fn is_nothing(self) -> bool {
        self == Reshape::default()
    }

    /// The model with its properties changed. Invariants of all properties need finitely many states, so they need the width
    /// of integers, if there is one.
    pub(crate) fn model(
        self,
        terms: &mut Terms,
        model: &mut Model,
        int_width: Option<u32>,
    ) -> Result<(), ConvertError> {
        if self.is_nothing() {
            return Ok(());
        }
        let Model::Systems(systems) = model else {
            let message =
                "Horn clauses that are no transition system have no properties to choose or to change";
            return Err(ConvertError::NoWay(message.into()));
        };
        if let Some(index) = self.property {
            let found = systems.iter_mut().any(|system| {
                system.properties.retain(|property| property.index == index);
                !system.properties.is_empty()
            });
            if !found {
                return Err(ConvertError::NoWay(format!("the task has no property {index}")));
            }
            systems.retain(|system| !system.properties.is_empty());
        }
        for system in systems {
            *system = self.system(terms, system, int_width)?;
        }
        Ok(())
    }

    /// Scripts have queries, not properties with numbers.
    pub(crate) fn refuse(self) -> Result<(), ConvertError> {
        let message = "a program has queries; properties of transition systems can be chosen and changed";
        if self.is_nothing() { Ok(()) } else { Err(ConvertError::NoWay(message.into())) }
    }

    fn system(self, terms: &mut Terms, system: &System, width: Option<u32>) -> Result<System, ConvertError> {
        let mut made = system.clone();
        if let Some(width) = width.filter(|_| self.safety) {
            made = match int_width(terms, &made, width) {
                Ok(narrowed) => narrowed.system,
                Err(why) => return Err(ConvertError::NoWay(why.message(terms, width))),
            };
        }
        if self.safety {
            made = match safety(terms, &made) {
                Ok(extended) => extended.system,
                Err(why) => return Err(ConvertError::NoWay(why.message(terms))),
            };
        }
        if self.core {
            made = core(terms, &made).map_err(|why| ConvertError::NoWay(why.to_string()))?.system;
        }
        Ok(made)
    }
}
