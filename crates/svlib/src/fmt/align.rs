//! Comments at the ends of neighbouring lines begin in the same column, the way people write them.
//!
//! Neighbours are lines without a gap between them that begin in the same column. They stay ragged when the column
//! would be too far to the right for one of them.

/// The code of no line in a group is longer than that of another by more than this.
const SPREAD: u32 = 40;

/// The group of comments that ends in the line being written.
#[derive(Default)]
pub(super) struct Aligner {
    /// For each line where its code ends, as an offset in the text and as a column.
    ends: Vec<(usize, u32)>,
    /// The column that the lines begin at.
    indent: u32,
    /// The line being written has a comment.
    commented: bool,
}

impl Aligner {
    /// A comment follows the code of a line, which ends at a column. Writes the space between them.
    pub(super) fn comment(&mut self, out: &mut String, column: u32, indent: u32) {
        if indent != self.indent {
            self.flush(out);
            self.indent = indent;
        }
        self.ends.push((out.len(), column));
        self.commented = true;
        out.push(' ');
    }

    /// The line is complete; `gap` says that an empty one follows.
    pub(super) fn line_end(&mut self, out: &mut String, gap: bool) {
        if gap || !self.commented {
            self.flush(out);
        }
        self.commented = false;
    }

    /// Ends the group and moves its comments to where they belong.
    pub(super) fn flush(&mut self, out: &mut String) {
        let columns = || self.ends.iter().map(|end| end.1);
        let (least, most) = (columns().min().unwrap_or(0), columns().max().unwrap_or(0));
        if most > least && most - least <= SPREAD {
            let first = self.ends[0].0;
            let lines = out.split_off(first);
            let nexts = self.ends.iter().skip(1).map(|end| end.0 - first).chain([lines.len()]);
            let mut from = 0;
            for (&(_, column), next) in self.ends.iter().zip(nexts) {
                out.extend(std::iter::repeat_n(' ', (most - column) as usize));
                out.push_str(&lines[from..next]);
                from = next;
            }
        }
        self.ends.clear();
    }
}
