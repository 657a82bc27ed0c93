//! `ISA`: a module says all that another one says, too.

use super::ast::{File, Section};
use super::flatten::Words;
use diag::{Diagnostic, codes};
use rustc_hash::FxHashMap;

/// No module says more than so much after taking over what others say.
const MANY: usize = 1_000_000;

/// Puts what modules take over from others into them.
pub(super) fn inherit(file: &mut File, words: Words<'_>, errors: &mut Vec<Diagnostic>) {
    let taken = |section: &Section| matches!(section, Section::Inherit(_));
    if !file.modules.iter().any(|module| module.items.iter().any(taken)) {
        return;
    }
    let names: FxHashMap<&str, usize> =
        file.modules.iter().enumerate().map(|(at, module)| (words.of(module.name), at)).collect();
    let mut done = Vec::new();
    for (at, module) in file.modules.iter().enumerate() {
        let (mut items, mut steps) = (Vec::new(), 0);
        // Modules that are gone through, and where: the innermost one is the last.
        let mut open = vec![(at, module.items.iter())];
        while let Some((_, rest)) = open.last_mut() {
            let Some(section) = rest.next() else {
                open.pop();
                continue;
            };
            let Section::Inherit(span) = section else {
                items.push(section.clone());
                continue;
            };
            let message = match names.get(words.of(*span)) {
                None => format!("there is no module `{}`", words.of(*span)),
                Some(&other) if open.iter().any(|step| step.0 == other) => {
                    "the module takes itself over".into()
                }
                Some(&other) if !file.modules[other].params.is_empty() => {
                    "a module with parameters cannot be taken over".into()
                }
                Some(_) if items.len() > MANY || steps > MANY => "the module takes over too much".into(),
                Some(&other) => {
                    steps += 1;
                    open.push((other, file.modules[other].items.iter()));
                    continue;
                }
            };
            errors.push(Diagnostic::new(codes::SMV002, *span, message));
            return;
        }
        done.push(items);
    }
    for (module, items) in file.modules.iter_mut().zip(done) {
        module.items = items;
    }
}
