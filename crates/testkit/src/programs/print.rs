//! Programs as SV-LIB text.

use super::syntax::{Arg, Decl, Draw, Kind, Op, Proc, Program, Property, Sort, Stmt, Term, Var};
use std::fmt;

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bool => write!(f, "Bool"),
            Sort::Int => write!(f, "Int"),
            Sort::Bits(width) => write!(f, "(_ BitVec {width})"),
            Sort::Ints => write!(f, "(Array Int Int)"),
            Sort::Table(index, element) => write!(f, "(Array (_ BitVec {index}) (_ BitVec {element}))"),
        }
    }
}

fn name(op: Op) -> String {
    let name = match op {
        Op::Not => "not",
        Op::And => "and",
        Op::Or => "or",
        Op::Implies => "=>",
        Op::Xor => "xor",
        Op::Eq => "=",
        Op::Distinct => "distinct",
        Op::Ite => "ite",
        Op::Le => "<=",
        Op::Lt => "<",
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::Mod => "mod",
        Op::BvNot => "bvnot",
        Op::BvNeg => "bvneg",
        Op::BvAnd => "bvand",
        Op::BvOr => "bvor",
        Op::BvXor => "bvxor",
        Op::BvAdd => "bvadd",
        Op::BvSub => "bvsub",
        Op::BvMul => "bvmul",
        Op::BvUdiv => "bvudiv",
        Op::BvUrem => "bvurem",
        Op::BvShl => "bvshl",
        Op::BvLshr => "bvlshr",
        Op::BvUlt => "bvult",
        Op::BvUle => "bvule",
        Op::BvSlt => "bvslt",
        Op::BvSle => "bvsle",
        Op::Select => "select",
        Op::Store => "store",
        Op::Const(sort) => return format!("(as const {sort})"),
    };
    name.to_owned()
}

/// A program and the procedure whose variables are meant.
#[derive(Clone, Copy)]
pub(super) struct Names<'p> {
    pub(super) program: &'p Program,
    pub(super) proc: usize,
}

impl Names<'_> {
    fn var(self, var: Var) -> String {
        self.program.decl(self.proc, var).name.clone()
    }

    pub(super) fn term(self, term: &Term) -> String {
        match term {
            Term::Var(var) => self.var(*var),
            Term::At(var, tag) => format!("(at {} t{tag})", self.var(*var)),
            Term::Bool(value) => value.to_string(),
            Term::Int(value) if *value < 0 => format!("(- {})", -value),
            Term::Int(value) => value.to_string(),
            Term::Bits(width, value) => format!("#b{value:0width$b}", width = *width as usize),
            Term::App(op, args) => format!("({} {})", name(*op), self.terms(args)),
        }
    }

    fn terms(self, terms: &[Term]) -> String {
        join(terms.iter().map(|term| self.term(term)))
    }

    pub(super) fn property(self, property: &Property) -> String {
        match property {
            Property::CheckTrue(term) => format!(":check-true {}", self.term(term)),
            Property::Requires(term) => format!(":requires {}", self.term(term)),
            Property::Ensures(term) => format!(":ensures {}", self.term(term)),
            Property::Invariant(term) => format!(":invariant {}", self.term(term)),
            Property::Decreases(terms) => match terms.as_slice() {
                [term] => format!(":decreases {}", self.term(term)),
                _ => format!(":decreases-lex ({})", self.terms(terms)),
            },
            Property::Recurring => ":recurring".into(),
            Property::NotRecurring => ":not-recurring".into(),
        }
    }

    fn stmt(self, stmt: &Stmt, indent: usize) -> String {
        let Some(tag) = stmt.tag else { return self.kind(&stmt.kind, indent) };
        let mut text = format!("(! {} :tag t{tag}", self.kind(&stmt.kind, indent));
        if !self.program.annotates {
            for property in &stmt.properties {
                text.push(' ');
                text.push_str(&self.property(property));
            }
        }
        text.push(')');
        text
    }

    fn inner(self, stmt: &Stmt, indent: usize) -> String {
        format!("\n{:indent$}{}", "", self.stmt(stmt, indent))
    }

    fn inners(self, stmts: &[Stmt], indent: usize) -> String {
        stmts.iter().map(|stmt| self.inner(stmt, indent)).collect()
    }

    fn kind(self, kind: &Kind, indent: usize) -> String {
        let deeper = indent + 2;
        match kind {
            Kind::Assume(term) => format!("(assume {})", self.term(term)),
            Kind::Assign(pairs) => {
                let pair = |(var, term): &(Var, Term)| format!("({} {})", self.var(*var), self.term(term));
                format!("(assign {})", join(pairs.iter().map(pair)))
            }
            Kind::Sequence(list) => format!("(sequence{})", self.inners(list, deeper)),
            Kind::Choice(list) => format!("(choice{})", self.inners(list, deeper)),
            Kind::Call(callee, args, results) => {
                let results = join(results.iter().map(|var| self.var(*var)));
                format!("(call {} ({}) ({results}))", self.program.procs[*callee].name, self.terms(args))
            }
            Kind::Return => "(return)".into(),
            Kind::Label(label) => format!("(label l{label})"),
            Kind::Goto(label) => format!("(goto l{label})"),
            Kind::If(condition, then, otherwise) => {
                let otherwise = otherwise.as_ref().map_or(String::new(), |s| self.inner(s, deeper));
                format!("(if {}{}{otherwise})", self.term(condition), self.inner(then, deeper))
            }
            Kind::While(condition, body) => {
                format!("(while {}{})", self.term(condition), self.inner(body, deeper))
            }
            Kind::Break => "(break)".into(),
            Kind::Continue => "(continue)".into(),
            Kind::Draw(draw) => self.draw(draw),
        }
    }

    fn draw(self, draw: &Draw) -> String {
        let mut parts = Vec::new();
        if !draw.fresh {
            parts.push(format!("(havoc {})", join(draw.vars.iter().map(|var| self.var(*var)))));
        }
        for &var in &draw.vars {
            if self.program.decl(self.proc, var).sort == Sort::Int {
                parts.push(format!("(assume {})", within(&self.var(var), draw.low, draw.high)));
            }
        }
        match parts.as_slice() {
            [only] => only.clone(),
            _ => format!("(sequence {})", parts.join(" ")).replace("(sequence )", "(sequence)"),
        }
    }

    fn header(self, proc: &Proc) -> String {
        format!(
            "{} ({}) ({}) ({})",
            proc.name,
            decls(&proc.inputs),
            decls(&proc.outputs),
            decls(&proc.locals)
        )
    }
}

fn within(name: &str, low: i64, high: i64) -> String {
    let low = if low < 0 { format!("(- {})", -low) } else { low.to_string() };
    format!("(and (<= {low} {name}) (< {name} {high}))")
}

fn join(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<_>>().join(" ")
}

fn decls(decls: &[Decl]) -> String {
    join(decls.iter().map(|decl| format!("({} {})", decl.name, decl.sort)))
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "(set-info :format-version \"1.0\")\n(set-option :produce-witnesses true)\n(set-logic ALL)"
        )?;
        for global in &self.globals {
            writeln!(f, "(declare-var {} {})", global.name, global.sort)?;
        }
        let mut number = 0;
        while number < self.procs.len() {
            number = self.procedures(f, number)?;
        }
        if self.annotates {
            self.annotations(f)?;
        }
        self.query(f)
    }
}

impl Program {
    /// Prints the procedures of one group; the number of the next one.
    fn procedures(&self, f: &mut fmt::Formatter<'_>, first: usize) -> Result<usize, fmt::Error> {
        let names = |proc| Names { program: self, proc };
        let procs = &self.procs;
        let Some(group) = procs[first].group else {
            let header = names(first).header(&procs[first]);
            writeln!(f, "(define-proc {header}{})", names(first).inner(&procs[first].body, 2))?;
            return Ok(first + 1);
        };
        let end = procs[first..].iter().position(|proc| proc.group != Some(group));
        let members = first..end.map_or(procs.len(), |end| first + end);
        let headers = join(members.clone().map(|proc| format!("({})", names(proc).header(&procs[proc]))));
        let body = |proc: usize| format!("\n  ({})", names(proc).stmt(&procs[proc].body, 2));
        let bodies: String = members.clone().map(body).collect();
        writeln!(f, "(define-procs-rec {headers}{bodies})")?;
        Ok(members.end)
    }

    fn annotations(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = Vec::new();
        self.walk(&mut |proc, stmt| {
            let names = Names { program: self, proc };
            for property in &stmt.properties {
                let tag = stmt.tag.expect("a statement with a property has a tag");
                lines.push(format!("(annotate-tag t{tag} {})", names.property(property)));
            }
        });
        lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }

    fn query(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut args = Vec::new();
        let main = self.procs.len() - 1;
        for (number, arg) in self.args.iter().enumerate() {
            match arg {
                Arg::Literal(term) => args.push(Names { program: self, proc: main }.term(term)),
                Arg::Constant(sort, low, high) => {
                    writeln!(f, "(declare-const k{number} {sort})")?;
                    if *sort == Sort::Int {
                        writeln!(f, "(assert {})", within(&format!("k{number}"), *low, *high))?;
                    }
                    args.push(format!("k{number}"));
                }
            }
        }
        writeln!(f, "(verify-call {} ({}))", self.procs[main].name, args.join(" "))
    }
}
