//! The line difference shown for a failed test.
//!
//! A longest common subsequence by dynamic programming: outputs of tests are short, and a quadratic table of
//! them is small. Two outputs too long for it are shown as one block removed and one added.

/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;

/// Longer differences are cut: the reader needs the first one, not a flooded terminal.
const MAX_LINES: usize = 200;

/// The largest table that is computed.
const MAX_CELLS: usize = 4_000_000;

/// One line of the difference: both have it, only the expected text, or only the actual one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line<'a> {
    Same(&'a str),
    Removed(&'a str),
    Added(&'a str),
}

/// What to change in `expected` to get `actual`: lines with `-` and `+`, some unchanged ones around, `...`
/// where more unchanged ones were left out.
pub(super) fn diff(expected: &str, actual: &str) -> String {
    let lines = compare(&split(expected), &split(actual));
    let is_change = |line: &Line<'_>| !matches!(line, Line::Same(_));
    let mut out = String::new();
    let mut printed = 0;
    let mut gap = false;
    for (at, line) in lines.iter().enumerate() {
        let near = &lines[at.saturating_sub(CONTEXT)..lines.len().min(at + CONTEXT + 1)];
        if !near.iter().any(is_change) {
            gap = true;
            continue;
        }
        if std::mem::take(&mut gap) {
            out.push_str("  ...\n");
        }
        if printed == MAX_LINES {
            out.push_str("  ... and more\n");
            break;
        }
        printed += 1;
        let (sign, text) = match line {
            Line::Same(text) => (' ', text),
            Line::Removed(text) => ('-', text),
            Line::Added(text) => ('+', text),
        };
        out.push_str(&format!("{sign} {text}\n"));
    }
    out
}

/// Lines without their newline; a carriage return or a missing last newline stays visible as a difference.
fn split(text: &str) -> Vec<&str> {
    text.split('\n').collect()
}

fn compare<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let prefix = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[prefix..], &new[prefix..]);
    let suffix = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let old_middle = &old_rest[..old_rest.len() - suffix];
    let new_middle = &new_rest[..new_rest.len() - suffix];

    let mut lines: Vec<Line<'a>> = old[..prefix].iter().copied().map(Line::Same).collect();
    if old_middle.len().saturating_mul(new_middle.len()) <= MAX_CELLS {
        compare_middle(old_middle, new_middle, &mut lines);
    } else {
        lines.extend(old_middle.iter().copied().map(Line::Removed));
        lines.extend(new_middle.iter().copied().map(Line::Added));
    }
    lines.extend(old_rest[old_rest.len() - suffix..].iter().copied().map(Line::Same));
    lines
}

fn compare_middle<'a>(old: &[&'a str], new: &[&'a str], lines: &mut Vec<Line<'a>>) {
    // common[i * width + j] is the length of the longest common subsequence of old[i..] and new[j..].
    let width = new.len() + 1;
    let mut common = vec![0_u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i * width + j] = if old[i] == new[j] {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            lines.push(Line::Same(old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len()
            || (i < old.len() && common[(i + 1) * width + j] >= common[i * width + j + 1])
        {
            lines.push(Line::Removed(old[i]));
            i += 1;
        } else {
            lines.push(Line::Added(new[j]));
            j += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_have_signs_and_context() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\nx\ny\nz\n";
        let new = "1\n2\n3\n4\n5\n6\n7\n8\n9\nx\nY\nz\nw\n";
        assert_eq!(diff(old, new), "  ...\n  8\n  9\n  x\n- y\n+ Y\n  z\n+ w\n  \n");
    }

    #[test]
    fn a_missing_last_newline_is_a_difference() {
        assert_eq!(diff("a\n", "a"), "  a\n- \n");
    }

    #[test]
    fn long_differences_are_cut_and_huge_ones_do_not_need_the_table() {
        let old: String = (0..3_000).map(|n| format!("old {n}\n")).collect();
        let new: String = (0..3_000).map(|n| format!("new {n}\n")).collect();
        let text = diff(&old, &new);
        assert!(text.ends_with("... and more\n"));
        assert_eq!(text.lines().count(), MAX_LINES + 1);
    }

    /// Removing what is marked removed gives the new text, and the other way round.
    #[test]
    fn the_difference_explains_both_texts() {
        let mut rng = crate::Rng::new(3);
        for _ in 0..200 {
            let mut text =
                || -> Vec<&str> { (0..rng.below(12)).map(|_| *rng.choose(&["a", "b", "c"])).collect() };
            let (old, new) = (text(), text());
            let lines = compare(&old, &new);
            let side = |other: fn(&Line<'_>) -> bool| -> Vec<&str> {
                let kept = lines.iter().filter(|line| !other(line));
                kept.map(|(Line::Same(text) | Line::Removed(text) | Line::Added(text))| *text).collect()
            };
            assert_eq!(side(|line| matches!(line, Line::Added(_))), old);
            assert_eq!(side(|line| matches!(line, Line::Removed(_))), new);
        }
    }
}
