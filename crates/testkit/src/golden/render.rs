//! What a test's output looks like in its `.expected` neighbour.
//!
//! ```text
//! status: 2
//! --- stdout
//! --- stderr
//! $DIR/x.svlib:1:1: error...
//! ```
//!
//! A test with several commands has one such block for each, headed by `=== ` and the run line.

use std::path::Path;

use super::process::Output;

/// Stands for the folder of the test, whose real name differs from machine to machine.
const FOLDER: &str = "$DIR";

/// The text that is compared with the expected one.
pub(super) fn render(blocks: &[(&str, Output)], folder: &Path) -> String {
    let folder = folder.display().to_string();
    let mut out = String::new();
    for (command, output) in blocks {
        if blocks.len() > 1 {
            out.push_str(&format!("=== {command}\n"));
        }
        out.push_str(&format!("status: {}\n", output.status.text()));
        for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            out.push_str(&format!("--- {name}\n"));
            out.push_str(&hide_folder(&text(bytes), &folder));
            if !bytes.is_empty() && !bytes.ends_with(b"\n") {
                out.push_str("\n\\ no newline at the end\n");
            }
        }
    }
    out
}

/// Bytes as text; what is not UTF-8 becomes `\xNN`, so that no byte is lost from the comparison.
pub(super) fn text(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        for byte in chunk.invalid() {
            out.push_str(&format!("\\x{byte:02x}"));
        }
    }
    out
}

/// Writes `$DIR` for the folder, but not inside of the name of a longer path that begins the same.
fn hide_folder(text: &str, folder: &str) -> String {
    let mut parts = text.split(folder);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let goes_on = part.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
        out.push_str(if goes_on { folder } else { FOLDER });
        out.push_str(part);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_hidden_only_as_a_whole_path() {
        assert_eq!(hide_folder("a /x/lint/f b /x/lint.", "/x/lint"), "a $DIR/f b $DIR.");
        assert_eq!(hide_folder("/x/lint2/f /x/lint-a", "/x/lint"), "/x/lint2/f /x/lint-a");
    }

    #[test]
    fn invalid_text_stays_visible() {
        assert_eq!(text(b"a\xffb\xc3\xa9"), "a\\xffb\u{e9}");
    }
}
