//! The loops of flat code, for structured programs and for any use of `goto`.
//!
//! A loop is a strongly connected part of the code with a head; what is strongly connected without the head are the
//! loops inside it. So every cycle goes through the head of exactly one innermost loop, leaving a loop and coming
//! back means passing the head of a loop around it, and no assumption about the shape of the program is made: an
//! irreducible part has several entries, one of which becomes the head.

use crate::code::{Code, Op, Pc};
use crate::syntax::{Script, StmtId, StmtKind};

/// A loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// Every cycle of the loop that is in no inner loop goes through it.
    pub head: Pc,
    /// The instructions of the loop, sorted, inner loops included.
    pub nodes: Vec<Pc>,
    /// The innermost loop around it; its number is smaller.
    pub parent: Option<usize>,
}

impl Loop {
    /// True when the instruction is part of the loop.
    #[must_use]
    pub fn contains(&self, pc: Pc) -> bool {
        self.nodes.binary_search(&pc).is_ok()
    }
}

/// The loops of a procedure.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Loops {
    /// All loops; a loop comes after those around it.
    pub loops: Vec<Loop>,
    /// For each instruction the innermost loop that contains it.
    pub innermost: Vec<Option<usize>>,
    /// For each instruction whether control can come to it (and whether it was to be looked at).
    pub reachable: Vec<bool>,
}

impl Loops {
    /// The loop with that head.
    #[must_use]
    pub fn headed(&self, pc: Pc) -> Option<usize> {
        self.innermost.get(pc).copied().flatten().filter(|&number| self.loops[number].head == pc)
    }

    /// The loops that contain an instruction, innermost first.
    pub fn around(&self, pc: Pc) -> impl Iterator<Item = usize> + '_ {
        let first = self.innermost.get(pc).copied().flatten();
        std::iter::successors(first, |&number| self.loops[number].parent)
    }
}

/// The loops of code. Where there is a choice of heads, one that `wanted` says is taken: an instruction at which
/// there is an invariant, say. A wanted instruction inside a loop becomes its head even if the loop is not entered
/// there, unless it belongs to a loop further inside.
#[must_use]
pub fn loops(code: &Code, wanted: &dyn Fn(Pc) -> bool) -> Loops {
    loops_among(code, 0, &|_| true, wanted)
}

/// The loops of the code that is reached from an instruction, left to those instructions that `kept` says.
#[must_use]
pub fn loops_among(code: &Code, start: Pc, kept: &dyn Fn(Pc) -> bool, wanted: &dyn Fn(Pc) -> bool) -> Loops {
    let mut nodes = reachable(code, start, &|_| true);
    for (pc, reached) in nodes.iter_mut().enumerate() {
        *reached &= kept(pc);
    }
    let natural = decompose(code, start, &nodes, &|part, entries| {
        let candidates = if entries.is_empty() { part } else { entries };
        let tagged = |pc: &&Pc| code.instrs[**pc].op == Op::Visit;
        candidates.iter().find(tagged).or(candidates.first()).copied()
    });
    if !natural.loops.iter().any(|l| !wanted(l.head) && l.nodes.iter().any(|&pc| wanted(pc))) {
        return natural;
    }
    decompose(code, start, &nodes, &|part, entries| {
        let own = |pc: Pc| natural.innermost[pc].is_some_and(|n| natural.loops[n].nodes.len() >= part.len());
        let entry = entries.iter().copied().find(|&pc| wanted(pc));
        let inside = part.iter().copied().find(|&pc| wanted(pc) && own(pc));
        let usual = part.iter().copied().find(|&pc| natural.headed(pc).is_some() && own(pc));
        entry.or(inside).or(usual).or(entries.first().copied()).or(part.first().copied())
    })
}

/// Selects a head from the nodes of a part and its entries, both sorted.
type Choose<'a> = &'a dyn Fn(&[Pc], &[Pc]) -> Option<Pc>;

/// Finds loops from the outside in; `choose` selects the heads.
fn decompose(code: &Code, start: Pc, nodes: &[bool], choose: Choose<'_>) -> Loops {
    let count = code.instrs.len();
    let mut found = Loops { loops: Vec::new(), innermost: vec![None; count], reachable: nodes.to_vec() };
    let mut before: Vec<Vec<Pc>> = vec![Vec::new(); count];
    for pc in (0..count).filter(|&pc| found.reachable[pc]) {
        for next in code.successors(pc) {
            before[next].push(pc);
        }
    }
    // The part that an instruction belongs to while its part is searched.
    let mut part = vec![usize::MAX; count];
    let all: Vec<Pc> = (0..count).filter(|&pc| found.reachable[pc]).collect();
    let mut todo = vec![(all, None)];
    let (mut stamp, mut marks) = (0, Marks::of(code));
    while let Some((nodes, parent)) = todo.pop() {
        stamp += 1;
        for &pc in &nodes {
            part[pc] = stamp;
        }
        for mut component in components(code, &mut marks, &nodes, &|pc| part[pc] == stamp) {
            component.sort_unstable();
            let inside = |pc: Pc| component.binary_search(&pc).is_ok();
            let is_entry = |pc: Pc| pc == start || before[pc].iter().any(|&from| !inside(from));
            let entries: Vec<Pc> = component.iter().copied().filter(|&pc| is_entry(pc)).collect();
            let Some(head) = choose(&component, &entries) else { continue };
            let number = found.loops.len();
            for &pc in &component {
                found.innermost[pc] = Some(number);
            }
            let rest = component.iter().copied().filter(|&pc| pc != head).collect();
            found.loops.push(Loop { head, nodes: component, parent });
            todo.push((rest, Some(number)));
        }
    }
    found
}

/// For each instruction whether control can come to it from the entry by instructions for which `kept` is true.
#[must_use]
pub fn reachable_within(code: &Code, kept: &dyn Fn(Pc) -> bool) -> Vec<bool> {
    reachable(code, 0, kept)
}

fn reachable(code: &Code, start: Pc, kept: &dyn Fn(Pc) -> bool) -> Vec<bool> {
    let (mut reached, mut todo) = (vec![false; code.instrs.len()], vec![start]);
    while let Some(pc) = todo.pop() {
        if pc < reached.len() && kept(pc) && !std::mem::replace(&mut reached[pc], true) {
            todo.extend(code.successors(pc));
        }
    }
    reached
}

const NEW: usize = usize::MAX;

/// What the search for components knows of each instruction; made once and used for every part.
struct Marks {
    number: Vec<usize>,
    least: Vec<usize>,
    open: Vec<bool>,
}

impl Marks {
    fn of(code: &Code) -> Marks {
        let count = code.instrs.len();
        Marks { number: vec![NEW; count], least: vec![NEW; count], open: vec![false; count] }
    }
}

/// The strongly connected components with a cycle, by Tarjan's search with a list in place of the call stack.
fn components(code: &Code, marks: &mut Marks, nodes: &[Pc], inside: &dyn Fn(Pc) -> bool) -> Vec<Vec<Pc>> {
    let Marks { number, least, open } = marks;
    for &pc in nodes {
        (number[pc], least[pc]) = (NEW, NEW);
    }
    let (mut stack, mut found, mut next) = (Vec::new(), Vec::new(), 0);
    for &root in nodes {
        if number[root] != NEW {
            continue;
        }
        let mut path: Vec<(Pc, Vec<Pc>)> = Vec::new();
        let mut enter = Some(root);
        loop {
            if let Some(pc) = enter.take() {
                (number[pc], least[pc], open[pc]) = (next, next, true);
                next += 1;
                stack.push(pc);
                path.push((pc, code.successors(pc).into_iter().filter(|&pc| inside(pc)).collect()));
            }
            let Some((pc, rest)) = path.last_mut() else { break };
            let pc = *pc;
            if let Some(to) = rest.pop() {
                if number[to] == NEW {
                    enter = Some(to);
                } else if open[to] {
                    least[pc] = least[pc].min(number[to]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                least[*parent] = least[*parent].min(least[pc]);
            }
            if least[pc] == number[pc] {
                let first = stack.iter().rposition(|&other| other == pc).unwrap_or(0);
                let component = stack.split_off(first);
                for &member in &component {
                    open[member] = false;
                }
                if component.len() > 1 || code.successors(pc).contains(&pc) {
                    found.push(component);
                }
            }
        }
    }
    found
}

/// The instruction that visits a statement, if its code has one.
#[must_use]
pub fn visit_of(code: &Code, stmt: StmtId) -> Option<Pc> {
    code.instrs.iter().position(|i| i.stmt == stmt && i.op == Op::Visit)
}

/// The statement whose invariant describes the visits of an instruction: a `while` or a label.
#[must_use]
pub fn head_stmt(script: &Script, code: &Code, pc: Pc) -> Option<StmtId> {
    let instr = code.instrs.get(pc).filter(|instr| instr.op == Op::Visit)?;
    matches!(script.stmts[instr.stmt].kind, StmtKind::While(..) | StmtKind::Label(_)).then_some(instr.stmt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::compile;
    use crate::parse::{Builder, read_file};
    use smt::sexpr::Text;
    use smt::term::Terms;

    fn code_of(body: &str) -> (Script, Code) {
        let text = format!("(define-proc p () () ((x Int) (y Int)) (! {body} :tag p))");
        let mut terms = Terms::new();
        let (mut builder, mut findings) = (Builder::new(&mut terms), Vec::new());
        read_file(&mut builder, &mut terms, Text::new(&text, 0), &mut findings);
        assert!(!findings.iter().any(diag::Diagnostic::is_error), "{findings:?}");
        let script = builder.state.script;
        let code = script.procs.ids().next().and_then(|proc| compile(&script, proc));
        (script, code.unwrap_or_else(|| Code { instrs: Vec::new(), labels: Default::default() }))
    }

    /// Removing all heads leaves no cycle.
    fn all_cut(code: &Code, loops: &Loops) -> bool {
        let heads: Vec<Pc> = loops.loops.iter().map(|l| l.head).collect();
        let nodes: Vec<Pc> = (0..code.instrs.len()).filter(|pc| !heads.contains(pc)).collect();
        components(code, &mut Marks::of(code), &nodes, &|pc| !heads.contains(&pc)).is_empty()
    }

    #[test]
    fn nested_whiles_are_nested_loops() {
        let (script, code) =
            code_of("(! (while (< x 3) (! (while (< y 3) (assign (y (+ y 1)))) :tag b)) :tag a)");
        let found = loops(&code, &|_| false);
        assert_eq!(found.loops.len(), 2);
        assert_eq!(found.loops[1].parent, Some(0));
        assert!(found.loops.iter().all(|l| head_stmt(&script, &code, l.head).is_some()));
        assert!(found.loops[1].nodes.len() < found.loops[0].nodes.len());
        assert!(all_cut(&code, &found));
    }

    #[test]
    fn irreducible_loops_are_cut() {
        let body = "(sequence (if (< x 0) (goto l)) (! (label k) :tag k) (assign (x 1)) (! (label l) :tag l) (assign (y 2)) (goto k))";
        let (_, code) = code_of(body);
        let found = loops(&code, &|_| false);
        assert_eq!(found.loops.len(), 1);
        assert!(all_cut(&code, &found));
        for pc in 0..code.instrs.len() {
            let found = loops(&code, &|other| other == pc);
            assert!(all_cut(&code, &found));
            assert!(found.loops.iter().all(|l| !l.contains(pc) || l.head == pc));
        }
    }

    #[test]
    fn a_wanted_label_inside_becomes_the_head() {
        let (_, code) = code_of("(while true (sequence (assign (x 1)) (! (label l) :tag l) (assign (y 2))))");
        let label = code.instrs.iter().position(|i| i.op == Op::Visit && i.stmt != code.instrs[0].stmt);
        let found = loops(&code, &|pc| Some(pc) == label);
        assert_eq!(found.loops.iter().map(|l| Some(l.head)).collect::<Vec<_>>(), [label]);
    }
}
