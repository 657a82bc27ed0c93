//! Small random programs with random annotations. Values stay small, so that many of the annotations are true.

use testkit::Rng;

/// A program, and annotations that may be added to it.
pub(crate) struct Case {
    pub(crate) program: String,
    pub(crate) query: &'static str,
    pub(crate) candidates: Vec<Candidate>,
}

/// An annotation.
#[derive(Clone)]
pub(crate) struct Candidate {
    pub(crate) text: String,
    /// It is the task's, not a witness'.
    pub(crate) of_task: bool,
}

/// What is written while one procedure is made.
struct Proc<'r> {
    rng: &'r mut Rng,
    /// Its variables that can be assigned.
    variables: Vec<&'static str>,
    /// Its variables that can be read.
    readable: Vec<&'static str>,
    /// The procedures that can be called, each with the number of its inputs; all have one output.
    callees: Vec<(&'static str, usize)>,
    /// The first letter of its tags and labels.
    letter: char,
    tags: usize,
    labels: usize,
    loops: usize,
    candidates: Vec<Candidate>,
    /// How much of what is annotated is annotated by the task, of four.
    task_part: usize,
}

const KINDS: &[&str] = &[":check-true", ":invariant", ":requires", ":ensures"];

/// A random case.
pub(crate) fn case(seed: u64) -> Case {
    let mut rng = Rng::new(seed);
    let (mut program, mut candidates) =
        (String::from("(declare-var g Int)\n(declare-var h Int)\n"), Vec::new());
    let recursive = rng.one_in(2);
    let task_part = rng.below(5);
    let callees = if recursive { vec![("f", 1), ("q", 0)] } else { vec![("q", 0)] };
    let empty = |callees, letter| (callees, letter);
    let parts = [
        ("q", vec![], vec!["x"], empty(vec![], 'q')),
        ("f", vec!["n"], vec!["x", "y"], empty(callees, 'f')),
        ("p", vec!["n"], vec!["x", "y"], empty(vec![("f", 1), ("q", 0)], 'p')),
    ];
    for (name, inputs, locals, (callees, letter)) in parts {
        let mut variables = vec!["g", "h", "r"];
        variables.extend(&locals);
        let mut readable = variables.clone();
        readable.extend(&inputs);
        let mut proc = Proc {
            rng: &mut rng,
            variables,
            readable,
            callees,
            letter,
            tags: 1,
            labels: 0,
            loops: 0,
            candidates: Vec::new(),
            task_part,
        };
        let body = proc.body(name == "p");
        let sorted =
            |names: &[&str]| names.iter().map(|n| format!("({n} Int)")).collect::<Vec<_>>().join(" ");
        let header = format!("({}) ((r Int)) ({})", sorted(&inputs), sorted(&locals));
        let definition = match name {
            "f" if recursive => format!("(define-procs-rec (f {header}) ({body}))\n"),
            _ => format!("(define-proc {name} {header} {body})\n"),
        };
        candidates.append(&mut proc.candidates);
        program.push_str(&definition);
    }
    program.push_str("(declare-const c Int)\n(assert (<= 0 c 2))\n");
    for i in (1..candidates.len()).rev() {
        candidates.swap(i, rng.below(i + 1));
    }
    Case { program, query: "(verify-call p (c))", candidates }
}

impl Proc<'_> {
    fn body(&mut self, is_entry: bool) -> String {
        let mut stmts = Vec::new();
        if is_entry {
            stmts.push("(assume (and (<= 0 g 2) (<= 0 h 2)))".to_string());
        }
        if !self.rng.one_in(4) {
            let pairs: Vec<String> = self.variables[2..].iter().map(|v| format!("({v} 0)")).collect();
            stmts.push(format!("(assign {})", pairs.join(" ")));
        }
        for _ in 0..self.rng.between(1, 4) {
            stmts.push(self.stmt(3));
        }
        // Something that is called has more to say.
        if let Some(&(name, inputs)) = self.callees.first().filter(|_| is_entry) {
            let arg = if inputs == 1 { self.small() } else { String::new() };
            let at = self.rng.below(stmts.len() + 1);
            stmts.insert(at, format!("(call {name} ({arg}) ({}))", self.rng.choose(&self.variables)));
        }
        let text = format!("(sequence {})", stmts.join(" "));
        let tag = format!("{}0", self.letter);
        self.candidates(&tag, &[":requires", ":ensures", ":ensures", ":ensures", ":decreases"], 2);
        // Every label that was promised is there.
        let labels: Vec<String> = (0..self.labels).map(|i| format!("(label {}l{i})", self.letter)).collect();
        let placed: Vec<&String> = labels.iter().filter(|label| !text.contains(label.as_str())).collect();
        let rest: Vec<String> = placed.into_iter().cloned().collect();
        let text = format!("(sequence {text} {})", rest.join(" "));
        format!("(! {text} :tag {tag})")
    }

    /// Perhaps an annotation for a tag.
    fn candidates(&mut self, tag: &str, kinds: &[&str], one_in: usize) {
        for kind in kinds {
            if !self.rng.one_in(one_in) {
                continue;
            }
            let property = match *kind {
                ":decreases" => format!(":decreases {}", self.term(1)),
                ":not-recurring" | ":recurring" => (*kind).to_string(),
                // What stays the same, or is said to, since its own tag was visited.
                ":ensures" if self.rng.one_in(3) => {
                    let v = *self.rng.choose(&self.readable);
                    format!(":ensures (= {v} (at {v} {tag}))")
                }
                _ => format!("{kind} {}", self.formula()),
            };
            let of_task = self.rng.below(4) < self.task_part;
            self.candidates.push(Candidate { text: format!("(annotate-tag {tag} {property})\n"), of_task });
        }
    }

    fn stmt(&mut self, depth: usize) -> String {
        let text = self.plain(depth);
        if !self.rng.one_in(2) {
            return text;
        }
        let tag = match self.rng.below(6) {
            0 => format!("{}{}", self.letter, self.rng.below(self.tags)),
            _ => format!("{}{}", self.letter, self.tags),
        };
        self.tags += 1;
        let head = text.starts_with("(while") || text.starts_with("(label");
        self.candidates(&tag, KINDS, 2);
        self.candidates(&tag, &[":check-true", ":ensures"], 2);
        if head {
            self.candidates(&tag, &[":invariant", ":invariant", ":decreases", ":not-recurring"], 2);
        }
        self.candidates(&tag, &[":recurring"], 30);
        format!("(! {text} :tag {tag})")
    }

    fn plain(&mut self, depth: usize) -> String {
        let kinds = if depth == 0 { 7 } else { 14 };
        match self.rng.below(kinds) {
            0 | 1 => {
                let v = *self.rng.choose(&self.variables);
                format!("(assign ({v} {}))", self.small())
            }
            2 => {
                let (v, w) = (self.variables[self.rng.below(2)], self.variables[self.rng.between(2, 3)]);
                format!("(assign ({v} {}) ({w} {}))", self.small(), self.small())
            }
            3 => {
                let v = *self.rng.choose(&self.variables);
                format!("(sequence (havoc {v}) (assume (<= 0 {v} 2)))")
            }
            4 if !self.callees.is_empty() => {
                let (name, inputs) = *self.rng.choose(&self.callees);
                let arg = if inputs == 1 { self.small() } else { String::new() };
                format!("(call {name} ({arg}) ({}))", self.rng.choose(&self.variables))
            }
            4 | 5 => {
                let label = self.label();
                format!("(if {} (goto {label}))", self.condition())
            }
            6 => match self.rng.below(6) {
                0 if self.loops > 0 => format!("(if {} (break))", self.condition()),
                1 if self.loops > 0 => format!("(if {} (continue))", self.condition()),
                2 => format!("(if {} (return))", self.condition()),
                3 => format!("(assume {})", self.condition()),
                _ => "(sequence)".to_string(),
            },
            7 => format!("(if {} {} {})", self.condition(), self.stmt(depth - 1), self.stmt(depth - 1)),
            8 => format!("(choice {} {})", self.stmt(depth - 1), self.stmt(depth - 1)),
            9 | 10 => {
                self.loops += 1;
                let text = if self.rng.one_in(2) {
                    let v = *self.rng.choose(&self.variables);
                    format!("(while (< 0 {v}) (sequence (assign ({v} (- {v} 1))) {}))", self.stmt(depth - 1))
                } else {
                    format!("(while {} {})", self.condition(), self.stmt(depth - 1))
                };
                self.loops -= 1;
                text
            }
            11 => self.new_label(),
            _ => format!(
                "(sequence {} {} {})",
                self.stmt(depth - 1),
                self.stmt(depth - 1),
                self.stmt(depth - 1)
            ),
        }
    }

    /// A label that is there or will be.
    fn label(&mut self) -> String {
        if self.labels == 0 || self.rng.one_in(3) {
            self.labels += 1;
            return format!("{}l{}", self.letter, self.labels - 1);
        }
        format!("{}l{}", self.letter, self.rng.below(self.labels))
    }

    fn new_label(&mut self) -> String {
        self.labels += 1;
        format!("(label {}l{})", self.letter, self.labels - 1)
    }

    fn small(&mut self) -> String {
        match self.rng.below(4) {
            0 => self.rng.below(3).to_string(),
            1 => (*self.rng.choose(&self.readable)).to_string(),
            _ => format!("(mod (+ {} {}) 3)", self.rng.choose(&self.readable), self.rng.between(1, 2)),
        }
    }

    fn condition(&mut self) -> String {
        let (v, w) = (*self.rng.choose(&self.readable), *self.rng.choose(&self.readable));
        match self.rng.below(4) {
            0 => format!("(< {v} {w})"),
            1 => format!("(= {v} {})", self.rng.below(3)),
            2 => format!("(< {v} {})", self.rng.between(1, 2)),
            _ => format!("(distinct {v} {w})"),
        }
    }

    /// A variable, perhaps at an earlier visit, or a number.
    fn term(&mut self, looks_back: usize) -> String {
        let v = *self.rng.choose(&self.readable);
        match self.rng.below(6) {
            0 => self.rng.below(3).to_string(),
            1 | 2 if looks_back == 0 => {
                let tag = if self.rng.bool() { 0 } else { self.rng.below(self.tags) };
                format!("(at {v} {}{tag})", self.letter)
            }
            _ => v.to_string(),
        }
    }

    fn formula(&mut self) -> String {
        match self.rng.below(10) {
            0 | 1 => format!("(= {} {})", self.term(0), self.term(0)),
            2 => format!("(= {} {})", self.rng.choose(&self.variables), self.rng.below(3)),
            3 => format!("(<= {} {})", self.term(0), self.term(0)),
            4 => format!("(< {} {})", self.term(0), self.term(0)),
            5 | 6 => format!("(<= 0 {} 2)", self.term(0)),
            7 => format!("(= {} (mod (+ {} 1) 3))", self.term(0), self.term(0)),
            8 => format!("(or {} {})", self.formula(), self.formula()),
            _ => format!("(and {} {})", self.formula(), self.formula()),
        }
    }
}
