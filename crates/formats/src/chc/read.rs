//! Scripts as clauses.

use super::clausify::{Clausifier, NotHorn, strangers};
use crate::Source;
use crate::text::utf8;
use diag::{Code, Diagnostic, Span, codes};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::horn::HornProblem;
use smt::op::Op;
use smt::parse::Command;
use smt::print::symbol_text;
use smt::scope::Scope;
use smt::script;
use smt::sexpr::Text;
use smt::sort::SortId;
use smt::subst::{Unfolding, functions, replace};
use smt::term::{FunId, Role, TermId, Terms};

/// What a script says, before it is looked at as clauses.
#[derive(Default)]
struct Script {
    predicates: Vec<FunId>,
    /// What `declare-var` declared.
    variables: FxHashSet<FunId>,
    assertions: Vec<(TermId, Span)>,
    asked: bool,
    errors: Vec<Diagnostic>,
}

/// Reads clauses, in which predicates occur as atoms of the body and as the head only.
pub fn read_clauses(
    terms: &mut Terms,
    source: Source<'_>,
    errors: &mut Vec<Diagnostic>,
) -> Option<HornProblem> {
    let before = errors.len();
    let text = utf8(source, errors)?;
    let (mut scope, mut script) = (Scope::horn(terms), Script::default());
    let text = Text::new(text, source.base);
    script::read(terms, &mut scope, text, errors, |terms, command, _, span| {
        script.command(terms, command, span);
    });
    errors.append(&mut script.errors);
    if errors[before..].iter().any(Diagnostic::is_error) {
        return None;
    }
    script.clauses(terms, errors)
}

impl Script {
    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.errors.push(Diagnostic::new(code, span, message));
    }

    fn command(&mut self, terms: &mut Terms, command: Command, span: Span) {
        match command {
            Command::SetLogic(logic) if terms.names.text(logic) != "HORN" => {
                let logic = symbol_text(terms.names.text(logic));
                self.error(codes::CHC003, span, format!("the logic is `{logic}`, not `HORN`"));
            }
            Command::DeclareFun(fun) if terms.fun(fun).result == SortId::BOOL => self.predicates.push(fun),
            Command::DeclareHeap(..) => {
                self.error(
                    codes::CHC003,
                    span,
                    "`declare-heap` is not supported: heaps have no meaning here",
                );
            }
            Command::DeclareVar(fun) => {
                self.variables.insert(fun);
            }
            Command::Query(_) if self.asked => {
                self.error(codes::CHC003, span, "another query: a script asks one question");
            }
            Command::Rule(formula) if !self.asked => {
                let formula = self.closed(terms, formula);
                self.assertions.push((formula, span));
            }
            Command::Query(formula) => {
                let goal = terms.not(formula);
                let goal = self.closed(terms, goal);
                self.assertions.push((goal, span));
                self.asked = true;
            }
            Command::Assert(_) | Command::Rule(_) if self.asked => {
                self.error(codes::CHC003, span, "an assertion after the question: a script asks one");
            }
            Command::Assert(formula) => self.assertions.push((formula, span)),
            Command::Push(_) | Command::Pop(_) => {
                self.error(
                    codes::CHC003,
                    span,
                    "`push` and `pop` are not supported: a script asks one question",
                );
            }
            Command::Solver(name @ ("check-sat-assuming" | "reset" | "reset-assertions"), _) => {
                self.error(
                    codes::CHC003,
                    span,
                    format!("`{name}` is not supported: a script asks one question"),
                );
            }
            Command::Solver("check-sat", _) => self.asked = true,
            _ => {}
        }
    }

    /// The formula for all values of the variables that were declared.
    fn closed(&self, terms: &mut Terms, formula: TermId) -> TermId {
        let used: Vec<FunId> =
            functions(terms, formula).into_iter().filter(|fun| self.variables.contains(fun)).collect();
        let (mut map, mut vars) = (FxHashMap::default(), Vec::new());
        for fun in used {
            let name = terms.fun_name(fun).to_owned();
            let var = crate::names::new_var(terms, &name, terms.fun(fun).result);
            map.insert(terms.constant_term(fun), var);
            vars.push(var);
        }
        if vars.is_empty() {
            return formula;
        }
        let body = replace(terms, formula, &map);
        terms.bind(Op::Forall, &vars, body).unwrap_or(formula)
    }

    /// The clauses of all assertions.
    fn clauses(self, terms: &mut Terms, errors: &mut Vec<Diagnostic>) -> Option<HornProblem> {
        let predicates: FxHashSet<FunId> = self.predicates.iter().copied().collect();
        let mut clausifier = Clausifier::new(&predicates);
        let (before, mut clauses) = (errors.len(), Vec::new());
        let mut unfolding = Unfolding::default();
        for (formula, span) in self.assertions {
            let formula = unfolding.apply(terms, formula);
            for fun in strangers(terms, &predicates, formula) {
                errors.push(stranger(terms, fun, span));
            }
            match clausifier.clauses(terms, formula) {
                Err(reason) => {
                    let is_limit = matches!(reason, NotHorn::TooMany(_));
                    let code = if is_limit { codes::CHC006 } else { codes::CHC001 };
                    errors.push(Diagnostic::new(code, span, not_horn(terms, reason)));
                }
                Ok(found) => {
                    for clause in found {
                        match clause.term(terms) {
                            Ok(clause) => clauses.push(clause),
                            Err(error) => {
                                let message = error.message(terms, "the clause", &[]);
                                errors.push(Diagnostic::new(codes::CHC001, span, message));
                            }
                        }
                    }
                }
            }
            if errors.len() > before + script::MANY {
                break;
            }
        }
        (errors.len() == before).then_some(HornProblem { predicates: self.predicates, clauses })
    }
}

fn stranger(terms: &Terms, fun: FunId, span: Span) -> Diagnostic {
    let name = symbol_text(terms.fun_name(fun));
    let kind = if terms.fun(fun).params.is_empty() { "constant" } else { "function" };
    let message = format!("the {kind} `{name}` is neither a predicate nor defined");
    let finding = Diagnostic::new(codes::CHC002, span, message);
    if matches!(terms.fun(fun).role, Role::Free) && kind == "constant" {
        return finding.help("bind it in the clause if it stands for any value, or make it an argument");
    }
    finding
}

fn not_horn(terms: &Terms, reason: NotHorn) -> String {
    let name = |fun: FunId| symbol_text(terms.fun_name(fun));
    match reason {
        NotHorn::TwoHeads(a, b) => {
            format!("not a Horn clause: both `{}` and `{}` occur without negation", name(a), name(b))
        }
        NotHorn::Quantified(fun) => {
            format!("not a Horn clause: `{}` stands below a quantifier that cannot be moved out", name(fun))
        }
        NotHorn::Inside(fun) => format!("not a Horn clause: `{}` stands inside of another term", name(fun)),
        NotHorn::TooMany(size) => {
            format!(
                "a formula of {size} terms that becomes more than 10000 Horn clauses beyond that is not supported"
            )
        }
    }
}
