//! A script of any size that looks like a real one: a transition system as model checkers write it, one
//! definition per node of a shared graph over bit-vectors, integers, reals and arrays, and now and then a large
//! assertion with nested `let`s and a quantifier. Equal seeds and sizes give equal text.

use std::fmt::Write;

use testkit::Rng;

/// The sorts of definitions, with the weight of each in ten.
const SORTS: &[(Sort, usize)] =
    &[(Sort::Bool, 4), (Sort::Word, 3), (Sort::Int, 1), (Sort::Real, 1), (Sort::Array, 1)];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Bool,
    Word,
    Int,
    Real,
    Array,
}

impl Sort {
    fn text(self) -> &'static str {
        match self {
            Sort::Bool => "Bool",
            Sort::Word => "(_ BitVec 32)",
            Sort::Int => "Int",
            Sort::Real => "Real",
            Sort::Array => "(Array Int (_ BitVec 32))",
        }
    }
}

/// A script under way.
struct Script {
    text: String,
    rng: Rng,
    /// The names of each sort: state variables first, then definitions.
    names: [Vec<u32>; 5],
    count: u32,
}

/// A script of at least `size` bytes, and not much more.
pub(super) fn script(size: usize, seed: u64) -> String {
    let text = String::with_capacity(size + 65_536);
    let mut script = Script { text, rng: Rng::new(seed), names: Default::default(), count: 0 };
    script.text.push_str("(set-logic ALL)\n(set-info :source |generated|)\n");
    for (sort, _) in SORTS {
        for _ in 0..20 {
            script.state_variable(*sort);
        }
    }
    while script.text.len() < size {
        for _ in 0..2_000 {
            script.definition();
        }
        for (sort, _) in SORTS {
            script.state_variable(*sort);
        }
        script.assertion();
    }
    script.text
}

impl Script {
    fn put(&mut self, piece: &str) {
        self.text.push_str(piece);
    }

    fn number(&mut self, prefix: &str, number: u32) {
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{prefix}{number}");
    }

    fn state_variable(&mut self, sort: Sort) {
        let number = self.count;
        self.count += 1;
        let _ = writeln!(self.text, "(declare-fun state.{number} () {})", sort.text());
        let _ = writeln!(self.text, "(declare-fun state.{number}.next () {})", sort.text());
        let _ = writeln!(
            self.text,
            "(define-fun .def_{number} () {} (! state.{number} :next state.{number}.next))",
            sort.text()
        );
        self.names[sort as usize].push(number);
    }

    /// A name of the sort, mostly a recent one.
    fn operand(&mut self, sort: Sort) {
        let names = &self.names[sort as usize];
        let back = if self.rng.one_in(8) {
            self.rng.below(names.len())
        } else {
            self.rng.below(names.len().min(50))
        };
        let number = names[names.len() - 1 - back];
        self.number(".def_", number);
    }

    fn apply(&mut self, op: &str, sorts: &[Sort]) {
        self.put("(");
        self.put(op);
        for &sort in sorts {
            self.put(" ");
            if sort == Sort::Bool && self.rng.one_in(3) {
                self.put("(not ");
                self.operand(sort);
                self.put(")");
            } else {
                self.operand(sort);
            }
        }
        self.put(")");
    }

    fn definition(&mut self) {
        let mut pick = self.rng.below(SORTS.iter().map(|row| row.1).sum());
        let mut rows = SORTS.iter();
        let sort = loop {
            match rows.next() {
                Some((sort, weight)) if pick < *weight => break *sort,
                Some((_, weight)) => pick -= weight,
                None => break Sort::Bool,
            }
        };
        let number = self.count;
        self.count += 1;
        self.number("(define-fun .def_", number);
        self.put(" () ");
        self.put(sort.text());
        self.put(" ");
        self.body(sort);
        self.put(")\n");
        self.names[sort as usize].push(number);
    }

    fn body(&mut self, sort: Sort) {
        use Sort::{Array, Bool, Int, Real, Word};
        let forms: &[(&str, &[Sort])] = match sort {
            Bool => &[
                ("and", &[Bool, Bool]),
                ("and", &[Bool, Bool]),
                ("or", &[Bool, Bool, Bool]),
                ("=", &[Word, Word]),
                ("bvult", &[Word, Word]),
                ("bvsle", &[Word, Word]),
                ("<=", &[Int, Int]),
                ("<", &[Real, Real]),
                ("ite", &[Bool, Bool, Bool]),
            ],
            Word => &[
                ("bvadd", &[Word, Word]),
                ("bvand", &[Word, Word]),
                ("bvxor", &[Word, Word]),
                ("ite", &[Bool, Word, Word]),
                ("select", &[Array, Int]),
                ("bvshl", &[Word, Word]),
            ],
            Int => &[("+", &[Int, Int, Int]), ("-", &[Int, Int]), ("ite", &[Bool, Int, Int])],
            Real => &[("+", &[Real, Real]), ("*", &[Real, Real]), ("ite", &[Bool, Real, Real])],
            Array => &[("store", &[Array, Int, Word]), ("ite", &[Bool, Array, Array])],
        };
        let literal = self.rng.next_u64();
        match (sort, self.rng.below(6)) {
            (Word, 0) => {
                self.put("(concat ((_ extract 15 0) ");
                self.operand(Word);
                let _ = write!(self.text, ") #x{:04x})", literal as u16);
            }
            (Word, 1) => {
                self.put("(bvadd ");
                self.operand(Word);
                let _ = write!(self.text, " #x{:08x})", literal as u32 % 4096);
            }
            (Int, 0) => {
                self.put("(+ ");
                self.operand(Int);
                let _ = write!(self.text, " {})", literal % 1000);
            }
            (Real, 0) => {
                self.put("(* ");
                self.operand(Real);
                let _ = write!(self.text, " {}.{})", literal % 100, literal % 7);
            }
            _ => {
                let (op, sorts) = *self.rng.choose(forms);
                self.apply(op, sorts);
            }
        }
    }

    /// A conjunction below a few dozen `let`s, and a quantifier.
    fn assertion(&mut self) {
        let lets = self.rng.between(10, 40);
        self.put("(assert ");
        for i in 0..lets {
            let _ = write!(self.text, "(let ((?b{i} ");
            self.body(Sort::Bool);
            let _ = write!(self.text, ") (?w{i} ");
            self.body(Sort::Word);
            self.put(")) ");
        }
        self.put("(and");
        for i in 0..lets {
            let _ = write!(
                self.text,
                " ?b{i} (=> (bvult ?w{i} ?w{}) (not ?b{}))",
                (i * 7) % lets,
                (i * 3) % lets
            );
        }
        self.put(" (forall ((i Int) (j Int)) (=> (< i j) (= (select ");
        self.operand(Sort::Array);
        self.put(" i) (select ");
        self.operand(Sort::Array);
        self.put(" (+ j 1))))))");
        for _ in 0..lets {
            self.put(")");
        }
        self.put(")\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_have_the_asked_size_and_are_right() {
        let text = script(300_000, 1);
        assert!((300_000..500_000).contains(&text.len()));
        assert_eq!(text, script(300_000, 1));
        let (mut terms, mut errors) = (smt::term::Terms::new(), Vec::new());
        let mut scope = smt::scope::Scope::new(&mut terms);
        smt::script::read(
            &mut terms,
            &mut scope,
            smt::sexpr::Text::new(&text, 0),
            &mut errors,
            |_, _, _, _| {},
        );
        assert_eq!(errors, []);
    }
}
