//! Random programs from a seed.
//!
//! Every program is well-formed, with tags where section 8.2 asks for them, and keeps its numbers small: what is
//! assigned to a number is reduced by `mod` mostly, what is drawn is cut to a small range by an `assume` right away,
//! and every output, local and global variable gets a value at the beginning of its procedure (of the called one
//! for globals). So a few thousand states are usually all there are. The shapes are those that tools get wrong: loops
//! in loops, jumps into and out of them, irreducible loops, recursion, results that overwrite globals.

mod procs;
mod props;
mod stmts;
mod terms;

use super::syntax::{Arg, Decl, Op, Program, Sort, Stmt, Tag, Term, Var, app};
use crate::Rng;

/// What kinds of properties a program gets; all get `:check-true` unless there are others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Wishes {
    invariants: bool,
    contracts: bool,
    decreases: bool,
    liveness: bool,
    /// Labels may be inside loops, so that jumps lead into them.
    wild_labels: bool,
}

/// The program of a seed.
pub fn generate(seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let invariants = rng.one_in(4);
    let contracts = rng.one_in(5);
    let decreases = rng.one_in(5);
    let liveness = rng.one_in(3);
    let wild_labels = !decreases && !invariants && rng.one_in(3);
    let wishes = Wishes { invariants, contracts, decreases, liveness, wild_labels };
    let width = rng.between(2, 4) as u32;
    let domain = rng.between(2, 4) as i64;
    let program =
        Program { globals: Vec::new(), procs: Vec::new(), args: Vec::new(), annotates: rng.one_in(4) };
    let mut generator = Generator { rng, program, wishes, width, domain, tags: 0, checks: 0 };
    generator.program();
    generator.program
}

struct Generator {
    rng: Rng,
    program: Program,
    wishes: Wishes,
    /// The width of all bit-vectors, except indices.
    width: u32,
    /// Numbers are mostly below it.
    domain: i64,
    tags: usize,
    /// How many properties there are to judge.
    checks: usize,
}

/// The procedure that is being made.
#[derive(Clone, Debug)]
struct Place {
    proc: usize,
    /// Variables that have values, with whether they may be assigned.
    vars: Vec<(Var, Sort, bool)>,
    /// The procedures that may be called.
    callees: Vec<usize>,
    body_tag: Tag,
    is_main: bool,
    labels: usize,
    placed: usize,
    /// So many loops are around.
    loops: usize,
    /// So many statements may still be made.
    left: usize,
    /// The tag of the innermost loop around that cannot be entered by a jump.
    around: Option<Tag>,
}

impl Place {
    fn of_sort(&self, sort: Sort, assignable: bool) -> Vec<Var> {
        let fits = |&&(_, s, can): &&(Var, Sort, bool)| s == sort && (can || !assignable);
        self.vars.iter().filter(fits).map(|v| v.0).collect()
    }
}

impl Generator {
    fn tag(&mut self) -> Tag {
        self.tags += 1;
        self.tags
    }

    fn tagged(&mut self, stmt: Stmt) -> Stmt {
        let tag = stmt.tag.or_else(|| Some(self.tag()));
        Stmt { tag, ..stmt }
    }

    /// A sort; arrays rarely.
    fn sort(&mut self) -> Sort {
        match self.rng.below(12) {
            0..=5 => Sort::Int,
            6 | 7 => Sort::Bool,
            8 | 9 => Sort::Bits(self.width),
            10 => Sort::Ints,
            _ => Sort::Table(2, self.width),
        }
    }

    fn decls(&mut self, prefix: &str, least: usize, most: usize, arrays: bool) -> Vec<Decl> {
        let count = self.rng.between(least, most);
        let mut decls = Vec::new();
        for number in 0..count {
            let mut sort = self.sort();
            while !arrays && matches!(sort, Sort::Ints | Sort::Table(..)) {
                sort = self.sort();
            }
            decls.push(Decl { name: format!("{prefix}{number}"), sort });
        }
        decls
    }

    fn program(&mut self) {
        self.program.globals = self.decls("g", 0, 2, true);
        let count = *self.rng.choose(&[1, 1, 2, 2, 3]);
        self.procedures(count);
        let inputs = self.program.procs[count - 1].inputs.clone();
        for input in inputs {
            let arg = match (self.rng.one_in(3), input.sort) {
                (false, sort) => Arg::Constant(sort, 0, self.domain),
                (true, Sort::Int) => Arg::Literal(Term::Int(self.rng.between(0, 3) as i64)),
                (true, Sort::Bool) => Arg::Literal(Term::Bool(self.rng.bool())),
                (true, _) => Arg::Literal(Term::Bits(self.width, self.rng.below(1 << self.width) as u64)),
            };
            self.program.args.push(arg);
        }
    }
}

/// `(and (<= low x) (< x high))`.
fn within(var: Var, low: i64, high: i64) -> Term {
    let least = app(Op::Le, [Term::Int(low), Term::Var(var)]);
    app(Op::And, [least, app(Op::Lt, [Term::Var(var), Term::Int(high)])])
}
