//! The solver against all assignments of small formulas.

use super::Sat;
use base::budget::Budget;
use testkit::Rng;
use ts::aig::{Aig, Lit};

const VARIABLES: u32 = 8;

fn lits(random: &mut Rng, most: usize) -> Vec<Lit> {
    let len = 1 + random.below(most);
    (0..len).map(|_| Lit::new(1 + random.below(VARIABLES as usize) as u32, random.below(2) == 1)).collect()
}

fn holds(assignment: u32, lit: Lit) -> bool {
    (assignment >> (lit.node() - 1) & 1 == 1) != lit.is_negated()
}

fn is_sat(clauses: &[Vec<Lit>], assumptions: &[Lit]) -> bool {
    (0..1 << VARIABLES).any(|assignment: u32| {
        let holds = |lit: &Lit| holds(assignment, *lit);
        assumptions.iter().all(holds) && clauses.iter().all(|clause| clause.iter().any(holds))
    })
}

/// Clauses come and go, some for one question only; every answer, model and core is as it should be.
#[test]
fn answers_are_those_of_all_assignments() {
    let domain: Vec<u32> = (1..=VARIABLES).collect();
    let mut answers = [0, 0];
    for seed in 0..400 {
        let mut random = Rng::new(seed);
        let mut aig = Aig::new();
        for _ in 0..VARIABLES {
            aig.input();
        }
        let mut sat = Sat::new(&aig, &vec![true; aig.nodes().len()], &Budget::unlimited());
        let mut clauses: Vec<Vec<Lit>> = Vec::new();
        for _ in 0..40 {
            let clause = lits(&mut random, 4);
            sat.clause(&clause);
            clauses.push(clause);
            let assumptions = lits(&mut random, 4);
            let once = (random.below(2) == 1).then(|| lits(&mut random, 4));
            let all: Vec<Vec<Lit>> = clauses.iter().cloned().chain(once.clone()).collect();
            let answer = sat.is_sat(&assumptions, once.as_deref(), &domain).expect("no limit");
            assert_eq!(answer, is_sat(&all, &assumptions), "seed {seed}");
            answers[usize::from(answer)] += 1;
            if answer {
                assert!(assumptions.iter().all(|&lit| sat.holds(lit)));
                assert!(all.iter().all(|clause| clause.iter().any(|&lit| sat.holds(lit))), "seed {seed}");
            } else {
                let core: Vec<Lit> = assumptions.iter().copied().filter(|&lit| sat.needs(lit)).collect();
                assert!(!is_sat(&all, &core), "seed {seed}");
            }
        }
    }
    assert!(answers.iter().all(|&count| count > 1000), "{answers:?}");
}

/// Pigeons and holes: many conflicts, restarts and reductions.
#[test]
fn eight_pigeons_do_not_fit() {
    let (pigeons, holes) = (8, 7);
    let mut aig = Aig::new();
    let at: Vec<Vec<Lit>> = (0..pigeons).map(|_| (0..holes).map(|_| aig.input()).collect()).collect();
    let mut sat = Sat::new(&aig, &vec![true; aig.nodes().len()], &Budget::unlimited());
    let switch = sat.fresh();
    for (pigeon, places) in at.iter().enumerate() {
        sat.clause(places);
        for other in &at[..pigeon] {
            for hole in 0..holes {
                sat.clause(&[!switch, !places[hole], !other[hole]]);
            }
        }
    }
    let domain: Vec<u32> = (0..aig.nodes().len() as u32).collect();
    assert!(!sat.is_sat(&[switch], None, &domain).expect("no limit"));
    assert!(sat.needs(switch));
    assert!(sat.is_sat(&[], None, &domain).expect("no limit"));
    assert!(!sat.is_sat(&[], Some(&[switch]), &domain).expect("no limit"));
    assert!(sat.is_sat(&[], None, &domain).expect("no limit"), "what was for one question is gone");
}

/// A gate outside of the domain has no value, and what it says is not looked at.
#[test]
fn a_question_is_about_its_domain() {
    let mut aig = Aig::new();
    let (a, b, c) = (aig.input(), aig.input(), aig.input());
    let (left, right) = (aig.and(a, b), aig.and(b, c));
    let mut sat = Sat::new(&aig, &vec![true; aig.nodes().len()], &Budget::unlimited());
    assert!(sat.is_sat(&[left], None, &[a.node(), b.node()]).expect("no limit"));
    assert!(sat.holds(a) && sat.holds(b));
    assert!(!sat.holds(right) && !sat.holds(!right));
    assert!(!sat.is_sat(&[left, !a], None, &[b.node()]).expect("no limit"));
}

/// A clause that was taken back is not there any more.
#[test]
fn clauses_can_be_taken_back() {
    let mut aig = Aig::new();
    let (a, b) = (aig.input(), aig.input());
    let mut sat = Sat::new(&aig, &vec![true; aig.nodes().len()], &Budget::unlimited());
    let handle = sat.removable(&[a, b]).expect("two literals");
    assert!(!sat.is_sat(&[!a, !b], None, &[]).expect("no limit"));
    sat.remove(handle);
    assert!(sat.is_sat(&[!a, !b], None, &[]).expect("no limit"));
}
