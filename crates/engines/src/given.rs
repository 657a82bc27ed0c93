//! The annotations that the task has already: enough for programs without loops, and for those that come annotated. There
//! is nothing to search for, so all the work is the checker's.

use crate::{EngineInfo, Found, Problem};
use smt::term::Terms;

pub(crate) const INFO: EngineInfo = EngineInfo {
    name: "given",
    shows: "correct",
    summary: "the annotations of the task itself",
    rank: 1,
    run: nothing_to_add,
};

fn nothing_to_add(_: &mut Terms, _: &Problem<'_>) -> Found {
    Found::Proof(Vec::new())
}
