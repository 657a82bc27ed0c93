//! Damaging a valid input in the ways that find reader bugs.
//!
//! Random bytes die in the first line of a lexer. A valid file with a few wounds gets much further: a lost
//! parenthesis, a keyword in a place where it has no business, half of a file twice, ten thousand brackets.
//! Each way is one small function in the table [`EDITS`].

use crate::Rng;

/// One way to damage the input in place. The tokens are words of the language, as the caller gave them.
type Edit = fn(&mut Vec<u8>, &mut Rng, &[&str]);

/// Every edit is equally likely; a frequent one would be listed twice.
const EDITS: &[Edit] = &[
    flip_bit,
    set_byte,
    insert_bytes,
    delete_slice,
    duplicate_slice,
    splice_slice,
    insert_token,
    replace_word,
    truncate,
    nest,
];

/// A mutation makes its input at most this much longer than twice as long, so that a fuzzer that feeds
/// results back does not end up with gigabytes.
const MAX_GROWTH: usize = 64 * 1024;

/// Bytes that mean something to the lexers of most languages here; flipped into an input they go further
/// than arbitrary ones. 0x80 and 0xff are never the start of valid UTF-8.
const TELLING_BYTES: &[u8] = b"()[]{}|\"'\\;:!#-_+*/<>=.,@$^~? \t\r\n\x000129azAZ\x7f\x80\xff";

/// A damaged copy of `bytes`: between one and eight edits, mostly few.
///
/// `corpus_tokens` are words of the input's language, which get inserted now and then; the slice may be
/// empty. The result depends only on the three arguments and is at most `2 * bytes.len()` + 64 KiB long.
pub fn mutate(bytes: &[u8], rng: &mut Rng, corpus_tokens: &[&str]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    // Each further edit half as likely: deep branches need an otherwise intact input.
    for _ in 0..8 {
        rng.choose(EDITS)(&mut out, rng, corpus_tokens);
        if rng.bool() {
            break;
        }
    }
    out.truncate(bytes.len().saturating_mul(2).saturating_add(MAX_GROWTH));
    out
}

#[expect(clippy::ptr_arg, reason = "every edit has the same type")]
fn flip_bit(out: &mut Vec<u8>, rng: &mut Rng, _: &[&str]) {
    if !out.is_empty() {
        let at = rng.below(out.len());
        out[at] ^= 1 << rng.below(8);
    }
}

#[expect(clippy::ptr_arg, reason = "every edit has the same type")]
fn set_byte(out: &mut Vec<u8>, rng: &mut Rng, _: &[&str]) {
    if !out.is_empty() {
        let at = rng.below(out.len());
        out[at] = *rng.choose(TELLING_BYTES);
    }
}

fn insert_bytes(out: &mut Vec<u8>, rng: &mut Rng, _: &[&str]) {
    let at = rng.below(out.len() + 1);
    let len = rng.between(1, 8);
    let bytes = if rng.bool() { rng.bytes(len) } else { vec![*rng.choose(TELLING_BYTES); len] };
    out.splice(at..at, bytes);
}

fn delete_slice(out: &mut Vec<u8>, rng: &mut Rng, _: &[&str]) {
    let (from, to) = slice(out, rng);
    out.drain(from..to);
}

fn duplicate_slice(out: &mut Vec<u8>, rng: &mut Rng, _: &[&str]) {
    let (from, to) = slice(out, rng);
    let copy = out[from..to].to_vec();
    let at = if rng.bool() { to } else { rng.below(out.len() + 1) };
    out.splice(at..at, copy);
}

/// Overwrites one slice by another of the same input.
fn splice_slice(out: &mut Vec<u8>, rng: &mut Rng, _: &[&str]) {
    let (from, to) = slice(out, rng);
    let copy = out[from..to].to_vec();
    let (from, to) = slice(out, rng);
    out.splice(from..to, copy);
}

fn insert_token(out: &mut Vec<u8>, rng: &mut Rng, tokens: &[&str]) {
    if tokens.is_empty() {
        return;
    }
    let token = *rng.choose(tokens);
    // Half of the time as a word of its own; glued to its neighbour it makes new, odd words.
    let token = if rng.bool() { format!(" {token} ") } else { token.to_owned() };
    let at = rng.below(out.len() + 1);
    out.splice(at..at, token.into_bytes());
}

/// Puts a token in the place of a word of the input, which keeps the structure around it intact.
fn replace_word(out: &mut Vec<u8>, rng: &mut Rng, tokens: &[&str]) {
    if tokens.is_empty() || out.is_empty() {
        return;
    }
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.:".contains(byte);
    let at = rng.below(out.len());
    let Some(from) = out[at..].iter().position(is_word).map(|skip| at + skip) else { return };
    let to = out[from..].iter().position(|byte| !is_word(byte)).map_or(out.len(), |len| from + len);
    out.splice(from..to, rng.choose(tokens).bytes());
}

fn truncate(out: &mut Vec<u8>, rng: &mut Rng, _: &[&str]) {
    let len = rng.below(out.len() + 1);
    out.truncate(len);
}

/// Wraps a slice in brackets, mostly a few deep, sometimes deep enough to break a recursive reader; one side
/// may be missing.
fn nest(out: &mut Vec<u8>, rng: &mut Rng, tokens: &[&str]) {
    const PAIRS: &[(&str, &str)] = &[("(", ")"), ("{", "}"), ("[", "]")];
    let depth = if rng.one_in(4) { rng.between(1_000, 20_000) } else { rng.between(1, 20) };
    let (open, close) = *rng.choose(PAIRS);
    let open = if open == "(" && !tokens.is_empty() && rng.bool() {
        format!("({} ", rng.choose(tokens))
    } else {
        open.to_owned()
    };
    let (from, to) = slice(out, rng);
    if !rng.one_in(4) {
        out.splice(to..to, close.repeat(depth).into_bytes());
    }
    if !rng.one_in(4) {
        out.splice(from..from, open.repeat(depth).into_bytes());
    }
}

/// The bounds of a random slice, short ones preferred: most constructs of a language are short.
fn slice(out: &[u8], rng: &mut Rng) -> (usize, usize) {
    let from = rng.below(out.len() + 1);
    let rest = out.len() - from;
    let len = if rng.one_in(8) { rng.between(0, rest) } else { rng.between(0, rest.min(64)) };
    (from, from + len)
}

#[cfg(test)]
mod tests {
    use super::*;

    const INPUT: &[u8] = b"(define-fun f ((x Int)) Int (+ x 1)) ; a comment\n(assert (= (f 1) 2))\n";
    const TOKENS: &[&str] = &["declare-var", ":invariant", "(_ bv5 32)"];

    #[test]
    fn equal_seeds_give_equal_results_and_most_differ_from_the_input() {
        let mut changed = 0;
        for seed in 0..500 {
            let once = mutate(INPUT, &mut Rng::new(seed), TOKENS);
            assert_eq!(once, mutate(INPUT, &mut Rng::new(seed), TOKENS));
            changed += usize::from(once != INPUT);
        }
        assert!(changed > 450, "only {changed} of 500 mutations changed anything");
    }

    #[test]
    fn feeding_results_back_neither_panics_nor_grows_without_bound() {
        let mut rng = Rng::new(7);
        let mut current = Vec::new();
        for _ in 0..2_000 {
            let next = mutate(&current, &mut rng, TOKENS);
            assert!(next.len() <= 2 * current.len() + MAX_GROWTH);
            current = if next.len() > 100_000 { INPUT.to_vec() } else { next };
        }
    }

    #[test]
    fn every_edit_survives_an_empty_input_and_no_tokens() {
        for edit in EDITS {
            for seed in 0..50 {
                let mut out = Vec::new();
                edit(&mut out, &mut Rng::new(seed), &[]);
                let mut out = INPUT.to_vec();
                edit(&mut out, &mut Rng::new(seed), &[]);
            }
        }
    }

    /// What the module promises is really among the results.
    #[test]
    fn results_contain_tokens_deep_nesting_truncations_and_invalid_text() {
        let results: Vec<Vec<u8>> = (0..2_000).map(|s| mutate(INPUT, &mut Rng::new(s), TOKENS)).collect();
        let any = |found: &dyn Fn(&[u8]) -> bool| results.iter().any(|bytes| found(bytes));
        let brackets = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b'(').count();
        assert!(any(&|bytes| String::from_utf8_lossy(bytes).contains(":invariant")));
        assert!(any(&|bytes| brackets(bytes) > 1_000));
        assert!(any(&|bytes| bytes.len() < INPUT.len() && INPUT.starts_with(bytes)));
        assert!(any(&|bytes| std::str::from_utf8(bytes).is_err()));
        assert!(any(&|bytes| bytes.len() > INPUT.len() && bytes.starts_with(INPUT)));
    }
}
