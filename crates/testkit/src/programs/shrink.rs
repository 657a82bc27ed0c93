//! Smaller programs, for making a finding small.

use super::syntax::{Kind, Program, Stmt};

/// The programs that are one cut smaller: a statement deleted or replaced by a part of it, or a property less.
pub fn smaller(program: &Program) -> Vec<Program> {
    let mut found = Vec::new();
    let mut count = 0;
    program.walk(&mut |_, _| count += 1);
    for target in 0..count {
        for cut in 0.. {
            let mut copy = program.clone();
            let mut number = 0;
            let cuts: Vec<bool> =
                copy.procs.iter_mut().map(|proc| at(&mut proc.body, &mut number, target, cut)).collect();
            if !cuts.contains(&true) {
                break;
            }
            found.push(copy);
        }
    }
    found.retain(|smaller| smaller != program && labels_are_there(smaller));
    found
}

/// Makes the cut of that number at the target; false if there is none.
fn at(stmt: &mut Stmt, number: &mut usize, target: usize, cut: usize) -> bool {
    *number += 1;
    if *number - 1 == target {
        return apply(stmt, cut);
    }
    match &mut stmt.kind {
        Kind::Sequence(list) | Kind::Choice(list) => {
            list.iter_mut().any(|child| at(child, number, target, cut))
        }
        Kind::If(_, then, otherwise) => {
            at(then, number, target, cut)
                || otherwise.as_mut().is_some_and(|child| at(child, number, target, cut))
        }
        Kind::While(_, body) => at(body, number, target, cut),
        _ => false,
    }
}

fn apply(stmt: &mut Stmt, cut: usize) -> bool {
    let properties = stmt.properties.len();
    if cut < properties {
        stmt.properties.remove(cut);
        return true;
    }
    let cut = cut - properties;
    match &mut stmt.kind {
        Kind::Sequence(list) => {
            if cut < list.len() {
                list.remove(cut);
                return true;
            }
            false
        }
        Kind::Choice(list) if cut < list.len() && list.len() > 1 => {
            list.remove(cut);
            true
        }
        Kind::If(_, then, otherwise) => match cut {
            0 => {
                let then = (**then).clone();
                *stmt = then;
                true
            }
            1 => {
                let other = otherwise.take();
                *stmt = other.map_or(Stmt::of(Kind::Sequence(Vec::new())), |other| *other);
                true
            }
            2 if otherwise.is_some() => {
                *otherwise = None;
                true
            }
            _ => false,
        },
        Kind::Assign(pairs) if pairs.len() > 1 && cut < pairs.len() => {
            pairs.remove(cut);
            true
        }
        _ => false,
    }
}

fn labels_are_there(program: &Program) -> bool {
    program.procs.iter().all(|proc| {
        let (mut labels, mut gotos) = (Vec::new(), Vec::new());
        proc.body.walk(&mut |stmt| match stmt.kind {
            Kind::Label(label) => labels.push(label),
            Kind::Goto(label) => gotos.push(label),
            _ => {}
        });
        gotos.iter().all(|label| labels.contains(label))
    })
}
