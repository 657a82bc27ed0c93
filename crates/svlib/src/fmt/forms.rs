//! The table of forms: how a list is broken into lines, by the symbol it begins with.
//!
//! This is the one place that knows a command, a statement or an operator by name; [`super::print`] only carries
//! out what a row says. A list whose head has no row is a [`TERM`], or a [`COMMAND`] at the top of the file.

use rustc_hash::FxHashMap;

/// What an argument of a form is, when it is a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Arg {
    /// A term, statement or sort: its first element is a head.
    Plain,
    /// Elements without a head, each on a line of its own when they do not fit on one.
    List,
    /// Elements without a head, as many on a line as fit.
    Fill,
}

/// How lists with a certain head are laid out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    heads: &'static [&'static str],
    /// So many arguments stay on the line of the head as long as they fit there.
    pub(super) keep: u32,
    /// The last of them stays even when it is broken into lines itself.
    pub(super) hug: bool,
    /// With more arguments than that, the form is broken although it might fit on a line. A keyword and its
    /// value are one argument.
    pub(super) most: u32,
    /// The argument after the kept ones is not indented when it is the same form again.
    pub(super) chain: bool,
    /// What the arguments are; those beyond the end are plain.
    args: &'static [Arg],
}

impl Form {
    const fn new(heads: &'static [&'static str], keep: u32) -> Self {
        Form { heads, keep, hug: false, most: u32::MAX, chain: false, args: &[] }
    }

    const fn hug(self) -> Self {
        Form { hug: true, ..self }
    }

    const fn chain(self) -> Self {
        Form { chain: true, ..self }
    }

    const fn most(self, most: u32) -> Self {
        Form { most, ..self }
    }

    const fn args(self, args: &'static [Arg]) -> Self {
        Form { args, ..self }
    }

    /// What the argument at a position is; the head has position 0.
    pub(super) fn arg(&self, position: u32) -> Arg {
        let index = (position as usize).wrapping_sub(1);
        self.args.get(index).copied().unwrap_or(Arg::Plain)
    }
}

/// Number of a row in [`FORMS`].
pub(super) type FormId = u8;

/// The row of terms and of everything else without a row of its own.
pub(super) const TERM: FormId = 0;
/// The row of commands that have none of their own.
pub(super) const COMMAND: FormId = 1;

use Arg::{Fill, List, Plain};

/// The rows. The first two have no heads and are found by their numbers.
const FORMS: &[Form] = &[
    Form::new(&[], 0),
    Form::new(&[], 1),
    // Programs. Statements that hold others always have those on lines of their own.
    Form::new(&["define-proc"], 1).most(1).args(&[Plain, List, List, List]),
    Form::new(&["define-procs-rec", "globals", "locals"], 0).most(1),
    Form::new(&["sequence", "seq", "choice"], 0).most(1),
    Form::new(&["while"], 1).most(1),
    Form::new(&["if"], 1).most(2),
    Form::new(&["assign"], 0),
    Form::new(&["call"], 1).args(&[Plain, List, List]),
    Form::new(&["verify-call"], 1).args(&[Plain, List]),
    Form::new(&["function"], 1).most(1).args(&[Plain, List]),
    // Annotations, and what is made like them: a name, then attributes.
    Form::new(&["!"], 1).hug(),
    Form::new(&["annotate-tag"], 1).most(2),
    Form::new(&["incorrect-annotation", "using-annotation", "define-system", "check-system"], 1),
    // Traces.
    Form::new(&["select-trace", "model", "steps"], 0).most(1),
    Form::new(&["init-proc-vars", "leap", "entry-proc"], 1),
    // Definitions and declarations.
    Form::new(&["define-fun", "define-fun-rec"], 3).args(&[Plain, Fill]),
    Form::new(&["define-funs-rec"], 0).args(&[List, List]),
    Form::new(&["define-const"], 2),
    Form::new(&["define-sort"], 2).args(&[Plain, Fill]),
    Form::new(&["declare-fun", "declare-rel"], 2).args(&[Plain, Fill]),
    Form::new(&["declare-const", "declare-var", "declare-sort"], 2),
    Form::new(&["declare-datatype"], 1).args(&[Plain, List]),
    Form::new(&["declare-datatypes"], 0).args(&[List, List]),
    // Commands whose argument belongs beside them, however long it is.
    Form::new(&["set-info", "set-option", "set-logic", "echo", "error"], 1),
    Form::new(&["get-value", "check-sat-assuming"], 0).args(&[List]),
    // Terms.
    Form::new(&["let"], 1).hug().chain().args(&[List]),
    Form::new(&["forall", "exists", "lambda"], 1).hug().args(&[Fill]),
    Form::new(&["par"], 1).args(&[Fill]),
    Form::new(&["match"], 1).args(&[Plain, List]),
    Form::new(&["ite"], 1),
    Form::new(&["=>", "=", "<", "<=", ">", ">=", "distinct", "select", "store"], 1),
];

/// The row of that number.
pub(super) fn form(id: FormId) -> &'static Form {
    &FORMS[id as usize]
}

/// The rows by head.
pub(super) struct Forms {
    by_head: FxHashMap<&'static str, FormId>,
}

impl Forms {
    pub(super) fn new() -> Self {
        let rows = FORMS.iter().zip(0..);
        Forms { by_head: rows.flat_map(|(row, id)| row.heads.iter().map(move |&head| (head, id))).collect() }
    }

    /// The row of a head.
    pub(super) fn find(&self, head: &str) -> FormId {
        // Longer than every head in the table; such names are frequent and need no hashing.
        if head.len() > 24 { TERM } else { self.by_head.get(head).copied().unwrap_or(TERM) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_head_is_found_once() {
        let heads: Vec<&str> = FORMS.iter().flat_map(|row| row.heads.iter().copied()).collect();
        let forms = Forms::new();
        assert_eq!(forms.by_head.len(), heads.len(), "a head stands in two rows");
        for head in heads {
            assert!(form(forms.find(head)).heads.contains(&head), "{head} is too long to be found");
        }
        assert!(FORMS.len() <= usize::from(FormId::MAX));
    }
}
