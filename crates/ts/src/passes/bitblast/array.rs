//! Small arrays: all their elements, one after the other.

use super::circuit::{Word, ite};
use crate::aig::{Aig, Lit};

/// The element at an index: a tree of choices, one level for each bit of the index.
pub(super) fn select(aig: &mut Aig, array: &[Lit], index: &[Lit]) -> Word {
    let mut level = array.to_vec();
    for &bit in index {
        let width = array.len() >> index.len();
        let pairs: Vec<Word> =
            level.chunks(2 * width).map(|pair| ite(aig, bit, &pair[width..], &pair[..width])).collect();
        level = pairs.concat();
    }
    level
}

/// The array with another element at an index.
pub(super) fn store(aig: &mut Aig, array: &[Lit], index: &[Lit], element: &[Lit]) -> Word {
    let places = decode(aig, index);
    let parts = array.chunks(element.len()).zip(places);
    let mut all = Vec::with_capacity(array.len());
    for (part, here) in parts {
        all.extend(ite(aig, here, element, part));
    }
    all
}

/// For each number whether the index is that number.
fn decode(aig: &mut Aig, index: &[Lit]) -> Word {
    let mut places = vec![Lit::TRUE];
    for &bit in index.iter().rev() {
        places = places
            .iter()
            .flat_map(|&place| [(place, !bit), (place, bit)])
            .map(|(a, b)| aig.and(a, b))
            .collect();
    }
    places
}
