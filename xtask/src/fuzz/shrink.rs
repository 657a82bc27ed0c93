//! Making the input of a finding small: cut out pieces, large ones first, as long as the finding stays.

use std::time::Instant;

/// The shortest input found for which `still` holds, before the deadline. `step` is called before each attempt.
pub(super) fn shrink(
    mut input: Vec<u8>,
    still: impl Fn(&[u8]) -> bool,
    deadline: Instant,
    step: impl Fn(),
) -> Vec<u8> {
    let mut length = input.len().div_ceil(2);
    while length > 0 && Instant::now() < deadline {
        let (mut at, before) = (0, input.len());
        while at < input.len() && Instant::now() < deadline {
            step();
            let mut smaller = input.clone();
            smaller.drain(at..(at + length).min(input.len()));
            if still(&smaller) {
                input = smaller;
            } else {
                at += length;
            }
        }
        // Another round of single bytes while it helps.
        if length > 1 || input.len() == before {
            length /= 2;
        }
    }
    input
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn what_matters_is_left() {
        let input = b"something (a) with ((b)) in it [c]".to_vec();
        let deadline = Instant::now() + Duration::from_secs(60);
        let small = shrink(input, |text| text.contains(&b'b') && text.contains(&b'['), deadline, || {});
        assert_eq!(small, b"b[");
    }
}
