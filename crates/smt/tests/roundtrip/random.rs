//! Random well-sorted terms with as many clashes of names as possible, in two spellings: as generated, and with
//! every `let` written out and every bound variable called by a name of its own. Both must be read to the same
//! term up to the names of bound variables, and both must survive printing.

use crate::common::Kernel;
use crate::table::{ROWS, SORTS, fill};
use smt::op::Op;
use smt::term::{TermId, Terms};
use std::hash::{DefaultHasher, Hash, Hasher};
use testkit::Rng;

/// A generated term.
enum Term {
    Row(&'static str, Vec<Term>),
    Name(String),
    Bind(&'static str, Vec<(String, char)>, Box<Term>),
    Let(Vec<(String, Term)>, Box<Term>),
}

/// Names that binders and `let`s use besides the constants of the table: free ones, functions, operators.
const NAMES: &[&str] =
    &["p", "q", "double", "first", "head", "nil", "red", "+", "-", "and", "select", "to_real", "?1", "x!1"];

struct Generator {
    rng: Rng,
    /// The names bound here, innermost last.
    bound: Vec<(String, char)>,
}

impl Generator {
    /// Any term of a sort.
    fn term(&mut self, sort: char, depth: usize) -> Term {
        if depth > 0 && self.rng.one_in(5) {
            return self.let_term(sort, depth);
        }
        if depth > 0 && sort == 'B' && self.rng.one_in(4) {
            return self.quantifier(depth);
        }
        let usable =
            |row: &&(char, &str)| row.0 == sort && self.usable(row.1) && (depth > 0 || !row.1.contains('$'));
        let rows: Vec<&'static str> = ROWS.iter().filter(usable).map(|row| row.1).collect();
        if rows.is_empty() || self.rng.one_in(4) {
            return Term::Name(self.rng.choose(&self.names_of(sort)).clone());
        }
        let row = *self.rng.choose(&rows);
        let mut holes = Vec::new();
        fill(row, |letter| {
            holes.push(letter);
            String::new()
        });
        Term::Row(row, holes.into_iter().map(|letter| self.term(letter, depth - 1)).collect())
    }

    fn let_term(&mut self, sort: char, depth: usize) -> Term {
        let mut bindings: Vec<(String, char, Term)> = Vec::new();
        for _ in 0..self.rng.between(1, 3) {
            let (name, of) = self.fresh_pair(|name| bindings.iter().any(|b| b.0 == name));
            let value = self.term(of, depth - 1);
            bindings.push((name, of, value));
        }
        let before = self.bound.len();
        self.bound.extend(bindings.iter().map(|b| (b.0.clone(), b.1)));
        let body = self.term(sort, depth - 1);
        self.bound.truncate(before);
        Term::Let(bindings.into_iter().map(|(name, _, value)| (name, value)).collect(), Box::new(body))
    }

    fn quantifier(&mut self, depth: usize) -> Term {
        let op = if self.rng.bool() { "forall" } else { "exists" };
        let mut vars: Vec<(String, char)> = Vec::new();
        for _ in 0..self.rng.between(1, 2) {
            vars.push(self.fresh_pair(|name| vars.iter().any(|v| v.0 == name)));
        }
        let before = self.bound.len();
        self.bound.extend(vars.iter().cloned());
        let body = self.term('B', depth - 1);
        self.bound.truncate(before);
        Term::Bind(op, vars, Box::new(body))
    }

    /// A name to bind, likely one that means something already, and a sort for it.
    fn fresh_pair(&mut self, taken: impl Fn(&str) -> bool) -> (String, char) {
        const COMMON: &[char] = &['B', 'I', 'I', 'R', 'V', 'L', 'P'];
        loop {
            let sort = *self.rng.choose(COMMON);
            let name = match self.rng.below(3) {
                0 => (*self.rng.choose(NAMES)).to_string(),
                1 => format!("x{}", self.rng.choose(COMMON)),
                _ => self.bound.last().map_or("p".to_string(), |b| b.0.clone()),
            };
            if !taken(&name) {
                return (name, sort);
            }
        }
    }

    /// The names that stand for a term of the sort here.
    fn names_of(&self, sort: char) -> Vec<String> {
        let meaning = |name: &str| self.bound.iter().rev().find(|b| b.0 == name).map(|b| b.1);
        let constants = ["x", "y", "z"].iter().map(|name| format!("{name}{sort}"));
        let mut names: Vec<String> = constants.filter(|name| meaning(name).is_none()).collect();
        names.extend(self.bound.iter().map(|b| b.0.clone()).filter(|name| meaning(name) == Some(sort)));
        names
    }

    /// False when a word of the row is bound to something else here.
    fn usable(&self, row: &str) -> bool {
        let mut words = row.split(|c: char| c.is_whitespace() || "()".contains(c));
        !words.any(|word| self.bound.iter().any(|b| b.0 == word))
    }
}

fn sort_text(letter: char) -> &'static str {
    SORTS.iter().find(|s| s.0 == letter).map_or("?", |s| s.1)
}

/// The term as it was generated.
fn written(term: &Term) -> String {
    match term {
        Term::Name(name) => name.clone(),
        Term::Row(row, parts) => {
            let mut parts = parts.iter();
            fill(row, |_| parts.next().map(written).unwrap_or_default())
        }
        Term::Bind(op, vars, body) => {
            let vars: Vec<String> =
                vars.iter().map(|(name, sort)| format!("({name} {})", sort_text(*sort))).collect();
            format!("({op} ({}) {})", vars.join(" "), written(body))
        }
        Term::Let(bindings, body) => {
            let bindings: Vec<String> =
                bindings.iter().map(|(name, value)| format!("({name} {})", written(value))).collect();
            format!("(let ({}) {})", bindings.join(" "), written(body))
        }
    }
}

/// The term without `let`, each variable with a name of its own.
fn plain(term: &Term, meaning: &mut Vec<(String, String)>, count: &mut usize) -> String {
    match term {
        Term::Name(name) => {
            let found = meaning.iter().rev().find(|m| m.0 == *name);
            found.map_or_else(|| name.clone(), |m| m.1.clone())
        }
        Term::Row(row, parts) => {
            let mut parts = parts.iter();
            fill(row, |_| parts.next().map(|part| plain(part, meaning, count)).unwrap_or_default())
        }
        Term::Bind(op, vars, body) => {
            let (before, mut list) = (meaning.len(), Vec::new());
            for (name, sort) in vars {
                *count += 1;
                list.push(format!("(own-{count} {})", sort_text(*sort)));
                meaning.push((name.clone(), format!("own-{count}")));
            }
            let body = plain(body, meaning, count);
            meaning.truncate(before);
            format!("({op} ({}) {body})", list.join(" "))
        }
        Term::Let(bindings, body) => {
            let before = meaning.len();
            let values: Vec<String> =
                bindings.iter().map(|(_, value)| plain(value, meaning, count)).collect();
            meaning.extend(bindings.iter().map(|b| b.0.clone()).zip(values));
            let body = plain(body, meaning, count);
            meaning.truncate(before);
            body
        }
    }
}

/// A fingerprint in which the names of bound variables do not count.
fn fingerprint(terms: &Terms, term: TermId, bound: &mut Vec<TermId>) -> u64 {
    let (node, args, mut hasher) = (terms.node(term), terms.args(term), DefaultHasher::new());
    (node.op as u16, node.sort).hash(&mut hasher);
    if node.op == Op::Var {
        let at = bound.iter().rposition(|&var| var == term).expect("all variables are bound");
        (bound.len() - at).hash(&mut hasher);
    } else if node.op.is_binder() {
        let (vars, body) = args.split_at(args.len() - 1);
        vars.iter().for_each(|&var| terms.sort(var).hash(&mut hasher));
        bound.extend_from_slice(vars);
        fingerprint(terms, body[0], bound).hash(&mut hasher);
        bound.truncate(bound.len() - vars.len());
    } else {
        node.payload.hash(&mut hasher);
        for &arg in args {
            fingerprint(terms, arg, bound).hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// The same up to the names of bound variables.
fn same(kernel: &Kernel, one: TermId, two: TermId) -> bool {
    fingerprint(&kernel.terms, one, &mut Vec::new()) == fingerprint(&kernel.terms, two, &mut Vec::new())
}

/// Replacing constants in a term is what `let` does to their names; the result survives printing.
pub(crate) fn check_replace(kernel: &mut Kernel, seed: u64) {
    let mut generator = Generator { rng: Rng::new(seed), bound: Vec::new() };
    let depth = generator.rng.between(2, 5);
    let (mut map, mut bindings) = (rustc_hash::FxHashMap::default(), Vec::new());
    for letter in ['I', 'B', 'L'] {
        if generator.rng.bool() {
            continue;
        }
        let value = not_a_literal(letter, &written(&generator.term(letter, 2)));
        let constant = kernel.good(&format!("x{letter}"));
        let value_term = kernel.good(&format!("(= {value} x{letter})"));
        map.insert(constant, kernel.terms.args(value_term)[0]);
        bindings.push(format!("(x{letter} {value})"));
    }
    let body = written(&generator.term('B', depth));
    let term = kernel.good(&body);
    let found = smt::subst::replace(&mut kernel.terms, term, &map);
    let text = if bindings.is_empty() { body } else { format!("(let ({}) {body})", bindings.join(" ")) };
    let expected = kernel.good(&text);
    let printed = kernel.law(found);
    assert!(same(kernel, found, expected), "seed {seed}\n{text}\nbecame\n{printed}");
}

/// Unfolding a definition is what `let` does to its parameters; the result survives printing.
pub(crate) fn check_unfold(kernel: &mut Kernel, seed: u64) {
    let mut generator = Generator { rng: Rng::new(seed), bound: Vec::new() };
    // The parameters have names that binders of the use and of the body like as well.
    generator.bound = vec![("p".into(), 'I'), ("xI".into(), 'B')];
    let body = written(&generator.term('B', 4));
    generator.bound = vec![("q".into(), 'I'), ("zI".into(), 'I'), ("head".into(), 'B')];
    let one = not_a_literal('I', &written(&generator.term('I', 2)));
    let two = written(&generator.term('B', 2));
    let name = format!("unfolded-{seed}");
    kernel.script(&format!("(define-fun {name} ((p Int) (xI Bool)) Bool {body})"));
    let binder = "(exists ((q Int) (zI Int) (head Bool))";
    let term = kernel.good(&format!("{binder} ({name} {one} {two}))"));
    let text = format!("{binder} (let ((p {one}) (xI {two})) {body}))");
    // The definition of `text` is read where `head` and `zI` mean something else than in the body.
    if ["head", "zI"].iter().any(|word| mentions(&body, word)) {
        let found = smt::subst::unfold(&mut kernel.terms, term);
        kernel.law(found);
        return;
    }
    let expected = kernel.good(&text);
    let (found, expected) =
        (smt::subst::unfold(&mut kernel.terms, term), smt::subst::unfold(&mut kernel.terms, expected));
    let printed = kernel.law(found);
    assert!(same(kernel, found, expected), "seed {seed}\n{text}\nbecame\n{printed}");
}

/// Literals become reals where a real is wanted when they are read, but not when they are replaced.
fn not_a_literal(letter: char, text: &str) -> String {
    if letter == 'I' { format!("(abs {text})") } else { text.to_string() }
}

fn mentions(text: &str, word: &str) -> bool {
    text.split(|c: char| c.is_whitespace() || "()".contains(c)).any(|other| other == word)
}

/// Generates the term of a seed and checks both laws.
pub(crate) fn check(kernel: &mut Kernel, seed: u64) {
    let mut generator = Generator { rng: Rng::new(seed), bound: Vec::new() };
    let depth = generator.rng.between(2, 6);
    let term = generator.term('B', depth);
    let (text, flat) = (written(&term), plain(&term, &mut Vec::new(), &mut 0));
    let (one, two) = (kernel.good(&text), kernel.good(&flat));
    let printed = kernel.law(one);
    kernel.law(two);
    assert!(same(kernel, one, two), "seed {seed}\n{text}\nis read as\n{printed}\nbut means\n{flat}");
}
