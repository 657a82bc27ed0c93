//! Evidence about systems as text, between the workers that find it and those that judge it.
//!
//! `(certificate (reduction none) (depth 0) (invariant φ))`, where the reduction is `none`, `lasso` or `(count n)`, or
//! `(trace (rigid (c v) …) (step (x v) …) … (back n))`, where only a trace with a loop has `back`.

use smt::eval::Assignment;
use smt::parse::Parser;
use smt::print::{symbol_text, term_text};
use smt::scope::{Binding, Scope};
use smt::sexpr::{NodeIdx, Reader, Text, Tree};
use smt::sort::SortId;
use smt::term::{FunId, Role, TermId, Terms};
use smt::value::Value;
use std::fmt::Write;
use ts::passes::count::count;
use ts::passes::lasso::lasso;
use ts::{Certificate, Property, Reduction, System, Trace};

/// What shows something about a property.
#[derive(Clone, Debug)]
pub(crate) enum Evidence {
    Certificate(Certificate),
    Trace(Trace),
}

/// Evidence as text.
pub(crate) fn text(terms: &mut Terms, evidence: &Evidence) -> String {
    match evidence {
        Evidence::Certificate(Certificate { reduction, depth, invariant }) => {
            let reduction = match reduction {
                Reduction::None => "none".to_owned(),
                Reduction::Lasso => "lasso".to_owned(),
                Reduction::Count(bound) => format!("(count {bound})"),
            };
            let invariant = term_text(terms, *invariant);
            format!("(certificate (reduction {reduction}) (depth {depth}) (invariant {invariant}))")
        }
        Evidence::Trace(trace) => {
            let mut text = String::from("(trace\n (rigid");
            values(terms, &trace.rigid, &mut text);
            for step in &trace.steps {
                text.push_str(")\n (step");
                values(terms, step, &mut text);
            }
            text.push(')');
            if let Some(back) = trace.back {
                let _ = write!(text, "\n (back {back})");
            }
            text + ")"
        }
    }
}

fn values(terms: &mut Terms, values: &Assignment, text: &mut String) {
    for fun in values.funs() {
        if let Some(value) = values.get(fun) {
            let term = value.to_term(terms);
            let _ = write!(text, " ({} {})", symbol_text(terms.fun_name(fun)), term_text(terms, term));
        }
    }
}

/// Reads evidence about a property of a system.
///
/// # Errors
/// What is not understood.
pub(crate) fn read(
    terms: &mut Terms,
    system: &System,
    property: &Property,
    text: &str,
) -> Result<Evidence, String> {
    let source = Text::new(text, 0);
    let (mut tree, mut errors) = (Tree::new(), Vec::new());
    if !Reader::new(source).read(&mut tree, &mut errors) || !errors.is_empty() {
        return Err("the evidence is no S-expression".into());
    }
    let mut reading = Reading { terms, text: source, tree: &tree };
    match tree.head(0).and_then(|head| source.symbol(&tree, head)) {
        Some("certificate") => reading.certificate(system, property).map(Evidence::Certificate),
        Some("trace") => reading.trace(system).map(Evidence::Trace),
        _ => Err("expected a certificate or a trace".into()),
    }
}

struct Reading<'a> {
    terms: &'a mut Terms,
    text: Text<'a>,
    tree: &'a Tree,
}

impl Reading<'_> {
    /// The parts of a list after its head: each a word and the rest.
    fn parts(&self, list: NodeIdx) -> Vec<(String, Vec<NodeIdx>)> {
        let lists = self.tree.children(list).skip(1);
        let part = |node: NodeIdx| {
            let word = self.tree.head(node).and_then(|head| self.text.symbol(self.tree, head))?;
            Some((word.to_owned(), self.tree.children(node).skip(1).collect()))
        };
        lists.filter_map(part).collect()
    }

    fn number(&self, node: NodeIdx) -> Result<usize, String> {
        self.text.atom(self.tree, node).parse().map_err(|_| "expected a number".to_owned())
    }

    /// A scope with the symbols of a system.
    fn scope(&mut self, system: &System) -> Scope {
        let mut scope = Scope::new(self.terms);
        let states = system.states.iter().map(|state| state.now);
        let mut funs: Vec<FunId> = states.chain(system.inputs.iter().chain(&system.rigid).copied()).collect();
        // Constructors and the like are known by their use.
        for formula in system.formulas() {
            funs.extend(smt::subst::functions(self.terms, formula));
        }
        for fun in funs.into_iter().filter(|&fun| !matches!(self.terms.fun(fun).role, Role::Defined(..))) {
            scope.bind_inner(self.terms.fun(fun).name, Binding::Fun(fun));
        }
        scope
    }

    fn term(&mut self, scope: &mut Scope, node: NodeIdx, sort: SortId) -> Result<TermId, String> {
        let mut errors = Vec::new();
        let mut parser = Parser::new(self.terms, scope, self.text, self.tree, &mut errors);
        let term = parser.term_of_sort(node, sort, "evidence");
        match errors.first() {
            Some(error) => Err(error.message.clone()),
            None => Ok(term),
        }
    }

    fn certificate(&mut self, system: &System, property: &Property) -> Result<Certificate, String> {
        let (mut reduction, mut depth, mut invariant) = (None, 0, None);
        for (word, rest) in self.parts(0) {
            match (word.as_str(), rest.as_slice()) {
                ("reduction", [node]) => reduction = Some(self.reduction(*node)?),
                ("depth", [node]) => depth = self.number(*node)?,
                ("invariant", [node]) => invariant = Some(*node),
                _ => return Err(format!("`{word}` is no part of a certificate")),
            }
        }
        let (Some(reduction), Some(invariant)) = (reduction, invariant) else {
            return Err("a certificate has a reduction and an invariant".into());
        };
        let reduced = match reduction {
            Reduction::None => system.clone(),
            Reduction::Lasso => lasso(self.terms, system, property)?.system,
            Reduction::Count(bound) => count(self.terms, system, property, bound)?,
        };
        let mut scope = self.scope(&reduced);
        let invariant = self.term(&mut scope, invariant, SortId::BOOL)?;
        Ok(Certificate { reduction, depth, invariant })
    }

    fn reduction(&self, node: NodeIdx) -> Result<Reduction, String> {
        match self.text.symbol(self.tree, node) {
            Some("none") => return Ok(Reduction::None),
            Some("lasso") => return Ok(Reduction::Lasso),
            _ => {}
        }
        let children: Vec<NodeIdx> = self.tree.children(node).collect();
        match children.as_slice() {
            [word, bound] if self.text.symbol(self.tree, *word) == Some("count") => {
                self.number(*bound).map(Reduction::Count)
            }
            _ => Err("expected a reduction".into()),
        }
    }

    fn trace(&mut self, system: &System) -> Result<Trace, String> {
        let (mut scope, mut trace) = (self.scope(system), Trace::default());
        for (word, rest) in self.parts(0) {
            match (word.as_str(), rest.as_slice()) {
                ("rigid", values) => trace.rigid = self.values(&mut scope, values)?,
                ("step", values) => trace.steps.push(self.values(&mut scope, values)?),
                ("back", [node]) => trace.back = Some(self.number(*node)?),
                _ => return Err(format!("`{word}` is no part of a trace")),
            }
        }
        Ok(trace)
    }

    fn values(&mut self, scope: &mut Scope, pairs: &[NodeIdx]) -> Result<Assignment, String> {
        let mut found = Assignment::new();
        for &pair in pairs {
            let [name, value] = self.tree.children(pair).collect::<Vec<_>>()[..] else {
                return Err("expected a name and a value".into());
            };
            let name = self.text.symbol(self.tree, name).ok_or("expected a name")?;
            let symbol = self.terms.names.intern(name);
            let Binding::Fun(fun) = scope.get(symbol) else {
                return Err(format!("`{name}` is no symbol of the system"));
            };
            let term = self.term(scope, value, self.terms.fun(fun).result)?;
            let value = Value::from_term(self.terms, term).ok_or("expected a value")?;
            found.set(fun, value);
        }
        Ok(found)
    }
}
