//! Names for scripts: the old one where possible, else the old one with a number.

use rustc_hash::FxHashSet;
use smt::op::{ALIASES, OPS};

/// Names in use. Operators and words with a meaning in commands or in solvers are in use from the beginning.
pub(super) struct Names {
    used: FxHashSet<String>,
}

/// Words beyond the operator table that some solver gives a meaning of its own.
const WORDS: &[&str] = &[
    "Array",
    "Bool",
    "Float128",
    "Float16",
    "Float32",
    "Float64",
    "Int",
    "List",
    "Real",
    "RegLan",
    "RoundingMode",
    "Seq",
    "Set",
    "Bag",
    "String",
    "Tuple",
    "as",
    "const",
    "is",
    "insert",
    "nil",
    "old",
    "at",
    "pair",
    "first",
    "second",
    "tuple",
    "unit",
    "map",
    "array-ext",
    "if",
    "iff",
    "implies",
    "rem",
    "mod0",
    "div0",
    "pi",
    "exp",
    "sin",
    "cos",
    "tan",
    "sqrt",
    "root-obj",
    "iand",
    "pow2",
    "int2bv",
    "bv2nat",
    "bv2int",
    "member",
    "union",
    "update",
];

impl Names {
    pub(super) fn new() -> Names {
        let operators = OPS.iter().map(|info| info.name).chain(ALIASES.iter().map(|alias| alias.0));
        Names { used: operators.chain(WORDS.iter().copied()).map(str::to_owned).collect() }
    }

    /// A name that nothing else has.
    pub(super) fn fresh(&mut self, wanted: &str) -> String {
        let mut base: String =
            wanted.chars().map(|c| if matches!(c, '|' | '\\' | '\0') { '_' } else { c }).collect();
        // Solvers keep names of the first kind for themselves, the dialogue those of the second.
        if base.is_empty() || base.starts_with(['@', '.']) || base.starts_with("assume!!") {
            base.insert(0, '_');
        }
        let mut name = base.clone();
        for n in 1.. {
            if self.used.insert(name.clone()) {
                break;
            }
            name = format!("{base}!{n}");
        }
        name
    }
}
