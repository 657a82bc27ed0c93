//! What happens in a round: from the head of a loop to its next visit, or from the entry of a procedure to a recursive
//! call.
//!
//! An unknown function of the features takes the place of each missing ranking function. The conditions of the program
//! then say when it has to decrease and what its arguments are before and after.

use super::{Failure, annotate, features::features};
use program::{Need, Program, Roots, Why, conditions};
use smt::op::Op;
use smt::sort::SortId;
use smt::term::{Fun, FunId, Role, TermId, Terms};
use svlib::syntax::{PropertyKind, StmtId};

/// A place that needs a ranking function.
pub(crate) struct Member {
    pub(crate) stmt: StmtId,
    /// Integer terms over the variables there.
    pub(crate) features: Vec<TermId>,
    unknown: FunId,
}

/// A round, or several that the same formula describes.
pub(crate) struct Round {
    /// When it happens.
    pub(crate) when: Vec<TermId>,
    /// The member whose function has to decrease, and its features before.
    pub(crate) from: usize,
    pub(crate) old: Vec<TermId>,
    /// The member that it decreases to, and its features after.
    pub(crate) to: usize,
    pub(crate) new: Vec<TermId>,
}

/// Places whose ranking functions are compared with each other: a loop, or procedures that call each other.
pub(crate) struct Group {
    pub(crate) members: Vec<Member>,
    pub(crate) rounds: Vec<Round>,
}

/// The groups of what needs ranking functions, inner loops first.
pub(crate) fn groups(
    terms: &mut Terms,
    program: &Program<'_>,
    needs: &[Need],
) -> Result<Vec<Group>, Failure> {
    let mut program = program.clone();
    let mut groups: Vec<(Option<u32>, Group)> = Vec::new();
    for (number, need) in needs.iter().enumerate() {
        let Some(proc) = program.proc(need.proc) else { continue };
        let component = (need.why == Why::Recursion).then_some(proc.component);
        let features = features(terms, &program, need);
        let params = vec![SortId::INT; features.len()].into_boxed_slice();
        let name = terms.names.intern(&format!("#rank.{number}"));
        let unknown = terms.declare(Fun { name, params, result: SortId::INT, role: Role::Free });
        let Ok(term) = terms.call(unknown, &features) else {
            return Err(Failure::Nothing("there is nothing to measure".into()));
        };
        annotate(&mut program, need.stmt, PropertyKind::Decreases, vec![term]);
        let member = Member { stmt: need.stmt, features, unknown };
        match groups.iter_mut().find(|(of, _)| component.is_some() && *of == component) {
            Some((_, group)) => group.members.push(member),
            None => groups.push((component, Group { members: vec![member], rounds: Vec::new() })),
        }
    }
    let found = conditions(terms, &program, &Roots::default());
    if let Some(reason) = found.open.first() {
        return Err(Failure::Nothing(reason.clone()));
    }
    for obligation in &found.obligations {
        let Some((new, old)) = descent(terms, obligation.goal) else { continue };
        let mut when = found.axioms.clone();
        when.extend(found.hypotheses(terms, obligation));
        let place = |term: TermId| {
            let unknown = terms.applied(term)?;
            groups.iter().enumerate().find_map(|(g, (_, group))| {
                Some((g, group.members.iter().position(|member| member.unknown == unknown)?))
            })
        };
        let (Some((group, from)), Some((_, to))) = (place(old), place(new)) else { continue };
        let (old, new) = (terms.args(old).to_vec(), terms.args(new).to_vec());
        groups[group].1.rounds.push(Round { when, from, old, to, new });
    }
    Ok(groups.into_iter().map(|(_, group)| group).collect())
}

/// The two sides of a condition that says that something decreases: the new one and the old one.
fn descent(terms: &Terms, goal: TermId) -> Option<(TermId, TermId)> {
    let [_, less] = terms.args(goal) else { return None };
    let [new, old] = terms.args(*less) else { return None };
    (terms.op(goal) == Op::And && terms.op(*less) == Op::Lt).then_some((*new, *old))
}
