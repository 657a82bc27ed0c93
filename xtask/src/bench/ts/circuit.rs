//! Circuits for tools that know no latch without a first value.

use ts::aig::{Aig, Lit, Node};

/// An equal circuit in which every latch has a first value, and which has a latch.
///
/// A latch that begins with any value becomes one that begins with zero, an input, and the choice between them: the input in
/// the first step, which a latch of its own tells, and the latch afterwards.
pub(in crate::bench) fn with_resets(aig: &Aig) -> Aig {
    let mut made = Aig::new();
    let mut map: Vec<Lit> = Vec::with_capacity(aig.nodes().len());
    let mut latches = Vec::new();
    let late = made.latch(Some(false));
    made.set_next(late, Lit::TRUE);
    let of = |map: &[Lit], lit: Lit| map[lit.node() as usize].negated_if(lit.is_negated());
    for node in aig.nodes() {
        let lit = match *node {
            Node::False => Lit::FALSE,
            Node::Input(_) => made.input(),
            Node::Latch(position) => {
                let reset = aig.latches()[position as usize].reset;
                let latch = made.latch(Some(reset.unwrap_or(false)));
                latches.push(latch);
                match reset {
                    Some(_) => latch,
                    None => {
                        let first = made.input();
                        made.ite(late, latch, first)
                    }
                }
            }
            Node::And(a, b) => {
                let (a, b) = (of(&map, a), of(&map, b));
                made.and(a, b)
            }
        };
        map.push(lit);
    }
    for (latch, old) in latches.into_iter().zip(aig.latches()) {
        made.set_next(latch, of(&map, old.next));
    }
    made.outputs = aig.outputs.iter().map(|&lit| of(&map, lit)).collect();
    made.bads = aig.bads.iter().map(|&lit| of(&map, lit)).collect();
    made.constraints = aig.constraints.iter().map(|&lit| of(&map, lit)).collect();
    made.fairness = aig.fairness.iter().map(|&lit| of(&map, lit)).collect();
    made.justice = aig.justice.iter().map(|list| list.iter().map(|&lit| of(&map, lit)).collect()).collect();
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use ts::aig::word;

    /// The bad literal in each step.
    fn bad(aig: &Aig, first: &[bool], inputs: &[Vec<bool>]) -> Vec<bool> {
        let words = |bits: &[bool]| bits.iter().map(|&bit| u64::from(bit)).collect::<Vec<u64>>();
        let steps = aig.run(first, inputs);
        let value = |latches: &[bool], inputs: &[bool]| {
            word(&aig.eval(&words(latches), &words(inputs)), aig.bads[0]) & 1 == 1
        };
        steps.iter().map(|step| value(&step.latches, &step.inputs)).collect()
    }

    #[test]
    fn the_first_value_is_an_input() {
        // A latch with any first value that is flipped by the input, and one with the value 1 that follows it.
        let mut aig = Aig::new();
        let (flip, any, follow) = (aig.input(), aig.latch(None), aig.latch(Some(true)));
        let next = aig.xor(flip, any);
        aig.set_next(any, next);
        aig.set_next(follow, !any);
        let both = aig.and(any, follow);
        aig.bads.push(both);
        let made = with_resets(&aig);
        assert!(made.latches().iter().all(|latch| latch.reset.is_some()));
        for case in 0..16u32 {
            let bit = |i: u32| case >> i & 1 == 1;
            let flips: Vec<Vec<bool>> = (0..3).map(|i| vec![bit(i)]).collect();
            // In the other circuit the second input counts in the first step only.
            let inputs: Vec<Vec<bool>> =
                (0..3).map(|i| vec![bit(i), if i == 0 { bit(3) } else { bit(i) }]).collect();
            assert_eq!(bad(&aig, &[bit(3), false], &flips), bad(&made, &[], &inputs), "{case}");
        }
    }

    #[test]
    fn there_is_a_latch() {
        let mut aig = Aig::new();
        let input = aig.input();
        aig.bads.push(!input);
        let made = with_resets(&aig);
        assert_eq!((made.latches().len(), made.inputs().len()), (1, 1));
        assert_eq!(bad(&made, &[], &[vec![true], vec![false]]), [false, true]);
    }
}
