//! Derivations of `false` from clauses as text (`docs/chc-evidence.md`): `unsat`, and one `(deduction …)` for each clause that
//! is applied.

use crate::Source;
use crate::text::utf8;
use diag::{Diagnostic, Span, codes};
use rustc_hash::FxHashSet;
use smt::horn::HornProblem;
use smt::parse::Parser;
use smt::print::write_term;
use smt::scope::Scope;
use smt::sexpr::{NodeIdx, Reader, Text, Tree};
use smt::sort::SortId;
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;
use ts::passes::horn::{Application, Clause, Deduction};

/// Writes a derivation.
#[must_use]
pub fn write_derivation(terms: &mut Terms, derivation: &[Deduction]) -> String {
    let mut out = String::from("unsat\n");
    for (at, deduction) in derivation.iter().enumerate() {
        out.push_str(&format!("(deduction {at} :clause {} :values (", deduction.applied.clause));
        for (i, value) in deduction.applied.values.iter().enumerate() {
            out.push_str(if i == 0 { "" } else { " " });
            let value = value.to_term(terms);
            write_term(&mut out, terms, value);
        }
        let premises: Vec<String> = deduction.premises.iter().map(ToString::to_string).collect();
        out.push_str(&format!(") :premises ({}))\n", premises.join(" ")));
    }
    out
}

/// Reads a derivation from the clauses of a problem. Whether it is one is for a checker to say.
pub fn read_derivation(
    terms: &mut Terms,
    problem: &HornProblem,
    source: Source<'_>,
    errors: &mut Vec<Diagnostic>,
) -> Option<Vec<Deduction>> {
    let before = errors.len();
    let text = utf8(source, errors)?;
    let predicates: FxHashSet<FunId> = problem.predicates.iter().copied().collect();
    let clauses: Vec<Vec<SortId>> = problem
        .clauses
        .iter()
        .map(|&clause| {
            let vars = Clause::of(terms, &predicates, clause).map(|clause| clause.vars).unwrap_or_default();
            vars.iter().map(|&var| terms.sort(var)).collect()
        })
        .collect();
    let mut scope = Scope::after(terms);
    let rest = text.trim_start();
    let rest = rest.strip_prefix("unsat").unwrap_or(rest);
    let base = source.base + (text.len() - rest.len()) as u32;
    let text = Text::new(rest, base);
    let (mut reader, mut tree, mut found) = (Reader::new(text), Tree::new(), Vec::new());
    while errors.len() < before + smt::script::MANY && reader.read(&mut tree, errors) {
        let mut parser = Parser::new(terms, &mut scope, text, &tree, errors);
        found.extend(deduction(&mut parser, &clauses, found.len()));
    }
    if found.is_empty() && errors.len() == before {
        let whole = Span::new(source.base, source.base + source.bytes.len() as u32);
        errors.push(Diagnostic::new(codes::CHC005, whole, "expected a derivation: (deduction …)"));
    }
    (errors.len() == before).then_some(found)
}

/// `(deduction N :clause C :values (v …) :premises (n …))`.
fn deduction(parser: &mut Parser<'_>, clauses: &[Vec<SortId>], expected: usize) -> Option<Deduction> {
    let nodes: Vec<NodeIdx> = parser.tree.children(0).collect();
    let atom = |parser: &Parser<'_>, node: NodeIdx| parser.text.atom(parser.tree, node).to_owned();
    let shape = [(0, "deduction"), (2, ":clause"), (4, ":values"), (6, ":premises")];
    let fits = nodes.len() == 8 && shape.iter().all(|&(at, word)| atom(parser, nodes[at]) == word);
    if !fits || atom(parser, nodes[1]).parse() != Ok(expected) {
        parser.expected(&format!("(deduction {expected} :clause … :values (…) :premises (…))"), 0);
        return None;
    }
    let clause: usize =
        atom(parser, nodes[3]).parse().ok().filter(|&clause| clause < clauses.len()).or_else(|| {
            parser.error(codes::CHC005, nodes[3], "there is no clause of this number");
            None
        })?;
    let given: Vec<NodeIdx> = parser.tree.children(nodes[5]).collect();
    if given.len() != clauses[clause].len() {
        let message = format!("clause {clause} has {} variables", clauses[clause].len());
        parser.error(codes::CHC005, nodes[5], message);
        return None;
    }
    let mut values = Vec::new();
    for (&node, &sort) in given.iter().zip(&clauses[clause]) {
        let term: TermId = parser.term_of_sort(node, sort, "the value");
        let Some(value) = Value::from_term(parser.terms, term) else {
            parser.error(codes::CHC005, node, "this is no value");
            return None;
        };
        values.push(value);
    }
    let mut premises = Vec::new();
    for node in parser.tree.children(nodes[7]) {
        let Ok(premise) = atom(parser, node).parse() else {
            parser.expected("the number of a deduction", node);
            return None;
        };
        premises.push(premise);
    }
    Some(Deduction { applied: Application { clause, values }, premises })
}
