//! Horn clauses as rules and queries, as fixed-point engines take them: `declare-rel`, `declare-var`, `rule`, `query`.

use super::{Command, Parser};
use crate::scope::Binding;
use crate::sexpr::{Kind, NodeIdx};
use crate::sort::SortId;
use crate::term::{Fun, Role, TermId};

/// The commands that are known where rules are read.
pub(crate) const RULES: &[&str] = &["declare-rel", "declare-var", "query", "rule"];

impl Parser<'_> {
    /// Reads one of these commands.
    pub(super) fn rule_command(&mut self, node: NodeIdx, word: &str) -> Option<Command> {
        match word {
            "declare-rel" => {
                let [place, sorts] = self.exactly(node, "(declare-rel name (sorts))")?;
                let name = self.symbol(place, "a name")?;
                if !self.tree.is_list(sorts) {
                    self.expected("a list of sorts", sorts);
                    return None;
                }
                let params: Vec<SortId> = self.tree.children(sorts).map(|sort| self.sort(sort)).collect();
                let bad = params.contains(&SortId::ERROR);
                let fun = Fun { name, params: params.into(), result: SortId::BOOL, role: Role::Free };
                let id = self.declare(place, fun)?;
                (!bad).then_some(Command::DeclareFun(id))
            }
            "declare-var" => {
                let [place, sort] = self.exactly(node, "(declare-var name sort)")?;
                let name = self.symbol(place, "a name")?;
                let result = self.sort(sort);
                let id =
                    self.declare(place, Fun { name, params: Box::default(), result, role: Role::Free })?;
                (result != SortId::ERROR).then_some(Command::DeclareVar(id))
            }
            "rule" => {
                let arguments = self.arguments(node, 1, 2, "(rule formula name?)")?;
                if let Some(&name) = arguments.get(1) {
                    self.symbol(name, "the name of the rule")?;
                }
                let formula = self.term_of_sort(arguments[0], SortId::BOOL, "the rule");
                (formula != TermId::ERROR).then_some(Command::Rule(formula))
            }
            _ => {
                let shape = "(query formula), with keywords and values behind it";
                let arguments = self.arguments(node, 1, usize::MAX, shape)?;
                for pair in arguments[1..].chunks(2) {
                    if self.tree.kind(pair[0]) != Kind::Keyword || pair.len() < 2 {
                        self.expected("a keyword and its value", pair[0]);
                        return None;
                    }
                }
                let formula = self.queried(arguments[0]);
                (formula != TermId::ERROR).then_some(Command::Query(formula))
            }
        }
    }

    /// A formula, or a relation about which is asked whether it holds of anything.
    fn queried(&mut self, node: NodeIdx) -> TermId {
        let symbol = self.text.symbol(self.tree, node).and_then(|name| self.terms.names.find(name));
        let Some(Binding::Fun(fun)) = symbol.map(|name| self.scope.get(name)) else {
            return self.term_of_sort(node, SortId::BOOL, "the query");
        };
        let params = self.terms.fun(fun).params.clone();
        if params.is_empty() || self.terms.fun(fun).result != SortId::BOOL {
            return self.term_of_sort(node, SortId::BOOL, "the query");
        }
        let vars: Vec<TermId> = params
            .iter()
            .enumerate()
            .map(|(at, &sort)| {
                let name = self.terms.names.intern(&format!("x!{at}"));
                self.terms.var(name, sort)
            })
            .collect();
        let made = self.terms.call(fun, &vars);
        made.and_then(|atom| self.terms.bind(crate::op::Op::Exists, &vars, atom)).unwrap_or(TermId::ERROR)
    }
}
