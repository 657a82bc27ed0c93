//! Marked lists are in order, so that a table has one place for a new row and merges do not collide.
//!
//! A list begins after a line that ends with the comment `tidy: sorted` and ends before one with `tidy: end`
//! (`//`, `#`, `;` or `<!--` comments). Its entries are the lines as far indented as the first one, compared
//! byte by byte; blank lines, comments, attributes and closing brackets do not count. Deeper lines belong
//! to the entry above them and count only where that is nothing but an opening bracket.

use super::repo::{File, Repo};
use super::report::Report;

const BEGIN: &str = "tidy: sorted";
const END: &str = "tidy: end";

pub(super) fn check(repo: &Repo, report: &mut Report) {
    for file in &repo.files {
        check_file(file, report);
    }
}

/// A list: the line where it began, how far it is indented, and its entries with their lines.
struct List {
    begin: usize,
    indentation: Option<usize>,
    entries: Vec<(usize, String)>,
}

fn check_file(file: &File, report: &mut Report) {
    let mut open: Option<List> = None;
    for (number, line) in file.lines() {
        if has_marker(line, BEGIN) {
            let list = List { begin: number, indentation: None, entries: Vec::new() };
            if let Some(before) = open.replace(list) {
                report.error(&file.path, before.begin, "the sorted list has no end before the next one");
            }
        } else if has_marker(line, END) {
            match open.take() {
                Some(list) => list.check(file, report),
                None => report.error(&file.path, number, "the end of a sorted list that has not begun"),
            }
        } else if let Some(list) = &mut open {
            list.add(number, line);
        }
    }
    if let Some(list) = open {
        report.error(&file.path, list.begin, "the sorted list has no end");
    }
}

impl List {
    fn add(&mut self, number: usize, line: &str) {
        const NOT_ENTRIES: &[&str] = &["//", "#", ";", "<!--", ")", "]", "}"];
        let entry = line.trim();
        if entry.is_empty() || NOT_ENTRIES.iter().any(|start| entry.starts_with(start)) {
            return;
        }
        let indentation = line.len() - line.trim_start().len();
        if *self.indentation.get_or_insert(indentation) == indentation {
            self.entries.push((number, entry.to_owned()));
        } else if let Some((_, last)) = self.entries.last_mut()
            && !last.contains(char::is_alphanumeric)
        {
            last.push_str(entry);
        }
    }

    fn check(&self, file: &File, report: &mut Report) {
        for ((_, left), (number, right)) in self.entries.iter().zip(self.entries.iter().skip(1)) {
            if right < left {
                report.error(&file.path, *number, format!("not sorted: `{right}` belongs before `{left}`"));
            } else if right == left {
                report.error(&file.path, *number, format!("twice in a sorted list: `{right}`"));
            }
        }
    }
}

/// Whether the line ends with a comment that is exactly the marker.
fn has_marker(line: &str, marker: &str) -> bool {
    let line = line.trim_end().trim_end_matches("-->").trim_end();
    let Some(before) = line.strip_suffix(marker) else { return false };
    ["//", "#", ";", "<!--"].iter().any(|leader| before.trim_end().ends_with(leader))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(text: &str) -> Vec<String> {
        let mut report = Report::default();
        check(&Repo::fake(&[("f", text)]), &mut report);
        report.lines()
    }

    #[test]
    fn disorder_and_duplicates_are_found() {
        let list = |entries: &str| format!("z\n// {BEGIN}\n{entries}// {END}\na\n");
        assert_eq!(findings(&list("a\nc\nb\n")), ["f:5: not sorted: `b` belongs before `c`"]);
        assert_eq!(findings(&list("aa\naa\n")), ["f:4: twice in a sorted list: `aa`"]);
        assert_eq!(findings(&list("a\n\n// zzz\n#[attr]\nb\n")), [""; 0]);
    }

    #[test]
    fn entries_of_several_lines_are_compared_by_their_first() {
        let list = |last: &str| {
            format!("x: &[ // {BEGIN}\n    A {{\n        z: 1,\n    }},\n    {last},\n# {END}\n")
        };
        assert_eq!(findings(&list("B")), [""; 0]);
        assert_eq!(findings(&list("0")).len(), 1);
        let list = |name: &str| format!("# {BEGIN}\n(a, 1)\n(\n    {name},\n    0,\n)\n(c, 1)\n# {END}\n");
        assert_eq!(findings(&list("b")), [""; 0]);
        assert_eq!(findings(&list("d")), ["f:7: not sorted: `(c, 1)` belongs before `(d,`"]);
    }

    #[test]
    fn lists_must_be_closed() {
        assert_eq!(findings(&format!("<!-- {BEGIN} -->\na\n")), ["f:1: the sorted list has no end"]);
        assert_eq!(findings(&format!("; {END}\n")), ["f:1: the end of a sorted list that has not begun"]);
        let twice = format!("# {BEGIN}\n# {BEGIN}\n# {END}\n");
        assert_eq!(findings(&twice), ["f:1: the sorted list has no end before the next one"]);
    }

    #[test]
    fn speaking_of_the_marker_is_not_using_it() {
        assert_eq!(findings(&format!("//! A line with `{BEGIN}` begins it.\n// see {BEGIN}\n")), [""; 0]);
    }
}
