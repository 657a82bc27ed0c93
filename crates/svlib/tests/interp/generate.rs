//! Random scripts with every kind of statement and property, well-formed by construction.

use std::fmt::Write;
use testkit::Rng;

/// A script under construction, and the names that its procedure may use.
struct Generator {
    rng: Rng,
    out: String,
    /// The number of tags so far.
    tags: usize,
    /// The procedure being written.
    proc: usize,
    recursive: bool,
    /// Labels of the procedure: all of them, and how many are placed.
    labels: usize,
    placed: usize,
    loops: usize,
}

/// The script of a seed.
pub(crate) fn script(seed: u64) -> String {
    let rng = Rng::new(seed);
    let mut g = Generator {
        rng,
        out: String::new(),
        tags: 0,
        proc: 0,
        recursive: false,
        labels: 0,
        placed: 0,
        loops: 0,
    };
    g.out.push_str(
        "(set-logic ALL)\n(declare-var g0 Int)\n(declare-var gb Bool)\n(declare-var ga (Array Int Int))\n\
         (declare-const c0 Int)\n(declare-const c1 Int)\n(declare-fun f (Int) Int)\n(assert (<= c0 c1))\n",
    );
    for proc in 0..3 {
        g.procedure(proc);
    }
    if g.rng.bool() {
        g.annotate();
    }
    g.out.push_str("(verify-call p2 (c0 (< c0 (f c1))))\n");
    g.out
}

const INPUTS: &str = "((a Int) (b Bool)) ((r Int) (t Bool)) ((i Int) (j Int) (v (_ BitVec 4)))";

impl Generator {
    fn write(&mut self, text: impl AsRef<str>) {
        self.out.push_str(text.as_ref());
    }

    fn procedure(&mut self, proc: usize) {
        (self.proc, self.placed, self.loops) = (proc, 0, 0);
        self.labels = self.rng.below(3);
        self.recursive = proc == 1;
        let _ = if self.recursive {
            write!(self.out, "(define-procs-rec (p{proc} {INPUTS}) (")
        } else {
            write!(self.out, "(define-proc p{proc} {INPUTS} ")
        };
        self.write("(! (sequence (assign (r 0) (i a) (j 0)) ");
        for _ in 0..self.rng.between(2, 7) {
            self.stmt(3);
        }
        while self.placed < self.labels {
            self.label();
        }
        let _ = write!(self.out, ") :tag p{proc}");
        if self.rng.one_in(3) {
            let term = self.property();
            let _ = write!(self.out, " :ensures {term}");
        }
        if self.recursive && self.rng.bool() {
            self.write(" :decreases a");
        }
        self.write(if self.recursive { ")))\n" } else { "))\n" });
    }

    fn annotate(&mut self) {
        let proc = self.rng.below(3);
        self.proc = proc;
        let kind = *self.rng.choose(&[":requires", ":ensures", ":check-true", ":invariant"]);
        let term = self.property();
        let _ = writeln!(self.out, "(annotate-tag p{proc} {kind} {term})");
    }

    fn label(&mut self) {
        let (label, tag) = (self.placed, self.tags);
        self.placed += 1;
        self.tags += 1;
        let _ = if self.rng.bool() {
            let term = self.property();
            write!(self.out, "(! (label l{label}) :tag t{tag} :check-true {term}) ")
        } else {
            write!(self.out, "(label l{label}) ")
        };
    }

    fn stmt(&mut self, depth: usize) {
        if !self.rng.one_in(4) {
            self.plain(depth);
            return;
        }
        self.write("(! ");
        let is_loop = self.plain(depth);
        let tag = self.tags;
        self.tags += 1;
        let _ = write!(self.out, " :tag t{tag}");
        let kinds: &[&str] = if is_loop {
            &[":check-true", ":invariant", ":decreases"]
        } else {
            &[":check-true", ":requires", ":ensures"]
        };
        if self.rng.one_in(3) {
            let kind = *self.rng.choose(kinds);
            let term = if kind == ":decreases" { self.int(2) } else { self.property() };
            let _ = write!(self.out, " {kind} {term}");
        }
        self.write(") ");
    }

    /// A statement without annotation; true for a loop.
    fn plain(&mut self, depth: usize) -> bool {
        match self.rng.below(if depth == 0 { 9 } else { 15 }) {
            0 => {
                let term = self.bool(1);
                let _ = write!(self.out, "(assume (or {term} (< i 3)))");
            }
            1 | 2 => {
                let (i, r) = (self.int(2), self.int(2));
                let _ = write!(self.out, "(assign (i {i}) (r {r}))");
            }
            3 => {
                let (t, g, at, to) = (self.bool(2), self.int(1), self.int(1), self.int(1));
                let _ =
                    write!(self.out, "(assign (t {t}) (g0 {g}) (ga (store ga {at} {to})) (v (bvadd v #x3)))");
            }
            4 => {
                let what = *self.rng.choose(&["i", "j t", "g0", "v r", "ga", "gb i"]);
                let _ = write!(self.out, "(havoc {what})");
            }
            5 if self.proc > 0 => self.call(),
            6 if self.labels > 0 => {
                let (term, label) = (self.bool(1), self.rng.below(self.labels));
                let _ = write!(self.out, "(if {term} (goto l{label}))");
            }
            7 if self.loops > 0 => {
                let (term, what) = (self.bool(1), *self.rng.choose(&["break", "continue", "return"]));
                let _ = write!(self.out, "(if {term} ({what}))");
            }
            9 | 10 => {
                let bound = self.int(0);
                let _ = write!(self.out, "(while (< j {bound}) (sequence (assign (j (+ j 1))) ");
                self.loops += 1;
                self.stmt(depth - 1);
                self.loops -= 1;
                self.write("))");
                return true;
            }
            11 => {
                let term = self.bool(2);
                let _ = write!(self.out, "(if {term} ");
                self.stmt(depth - 1);
                if self.rng.bool() {
                    self.stmt(depth - 1);
                }
                self.write(")");
            }
            12 => {
                self.write("(choice ");
                for _ in 0..self.rng.between(1, 3) {
                    self.stmt(depth - 1);
                }
                self.write(")");
            }
            13 | 14 => {
                self.write("(sequence ");
                for _ in 0..self.rng.below(4) {
                    self.stmt(depth - 1);
                    if self.placed < self.labels && self.rng.one_in(3) {
                        self.label();
                    }
                }
                self.write(")");
            }
            _ => self.write("(sequence)"),
        }
        false
    }

    fn call(&mut self) {
        let (term, flag) = (self.int(1), self.bool(1));
        let results = *self.rng.choose(&["(i t)", "(r gb)", "(g0 t)"]);
        if self.recursive && self.rng.bool() {
            let proc = self.proc;
            let _ = write!(self.out, "(if (< 0 a 9) (call p{proc} ((- a 1) {flag}) {results}))");
        } else {
            let callee = self.rng.below(self.proc);
            let _ = write!(self.out, "(call p{callee} ({term} {flag}) {results})");
        }
    }

    fn int(&mut self, depth: usize) -> String {
        if depth == 0 {
            let atoms = ["a", "i", "j", "r", "g0", "c0", "c1", "0", "1", "2", "7"];
            return (*self.rng.choose(&atoms)).to_string();
        }
        let (x, y) = (self.int(depth - 1), self.int(depth - 1));
        match self.rng.below(8) {
            0 | 1 => format!("(+ {x} {y})"),
            2 => format!("(- {x} {y})"),
            3 => format!("(select ga {x})"),
            4 => format!("(f {x})"),
            5 => format!("(mod {x} 3)"),
            6 => format!("(ite {} {x} {y})", self.bool(0)),
            _ => "(ubv_to_int v)".to_string(),
        }
    }

    fn bool(&mut self, depth: usize) -> String {
        if depth == 0 {
            return (*self.rng.choose(&["b", "t", "gb", "true", "(< i a)", "(bvult v #x8)"])).to_string();
        }
        let (x, y) = (self.int(depth - 1), self.int(depth - 1));
        match self.rng.below(4) {
            0 => format!("(< {x} {y})"),
            1 => format!("(= {x} {y})"),
            2 => format!("(and {} {})", self.bool(depth - 1), self.bool(depth - 1)),
            _ => format!("(not {})", self.bool(depth - 1)),
        }
    }

    /// A formula that mostly holds, perhaps one that looks back.
    fn property(&mut self) -> String {
        let proc = self.proc;
        match self.rng.below(4) {
            0 => format!("(or (<= (at g0 p{proc}) g0) {})", self.bool(1)),
            1 => format!("(< (+ {} (- 20)) {})", self.int(1), self.int(1)),
            2 => format!("(=> {} {})", self.bool(1), self.bool(0)),
            _ => "(distinct i 5)".to_string(),
        }
    }
}
