//! The formatter: the laws that hold for every input, and in `forms` what each form looks like.
//!
//! The laws: no token is lost, added or changed; a comment stays at the end of a line or on one of its own;
//! formatting twice is formatting once; the result does not depend on how the input was laid out, apart from empty
//! lines and comments; and whatever the reader refuses is refused with the reader's words.

use smt::sexpr::{Lexer, Reader, Text, Token, Tree};
use std::path::{Path, PathBuf};
use testkit::{Rng, corpus_or_skip, mutate, workspace_root};

#[path = "fmt/forms.rs"]
mod forms;

fn format(text: &str) -> String {
    svlib::fmt::format(Text::new(text, 0)).unwrap_or_else(|errors| panic!("{errors:?} in\n{text}"))
}

/// A token's text, comments without what a formatter may cut off, and the line breaks before it.
fn tokens(text: &str) -> Vec<(String, usize)> {
    let (source, mut end) = (Text::new(text, 0), 0);
    let tokens = Lexer::new(source).map(|token| {
        let span = match token.unwrap() {
            Token::Open(at) | Token::Close(at) => diag::Span::new(at, at + 1),
            Token::Atom(_, span) | Token::Comment(span) => span,
        };
        let breaks = text[end as usize..span.start as usize].matches('\n').count();
        end = span.end;
        let words = source.slice(span);
        (if words.starts_with(';') { words.trim_end() } else { words }.to_string(), breaks)
    });
    tokens.collect()
}

fn is_comment(token: &str) -> bool {
    token.starts_with(';')
}

/// The same tokens with other white space; empty lines and the places of comments stay.
fn respaced(text: &str, rng: &mut Rng) -> String {
    let mut out = String::new();
    let mut after_comment = false;
    for (at, (token, breaks)) in tokens(text).into_iter().enumerate() {
        let fixed = is_comment(&token) || breaks > 1;
        let breaks = match breaks {
            _ if fixed => breaks,
            _ if after_comment => 1,
            _ => rng.below(2),
        };
        let blank = |rng: &mut Rng| *rng.choose(&["", " ", "  ", "\t", "\r"]);
        for _ in 0..breaks {
            out.push_str(blank(rng));
            out.push('\n');
        }
        // At least one space after a word, none after the break that ends a comment is needed.
        out.push_str(if at > 0 && breaks == 0 { " " } else { "" });
        out.push_str(blank(rng));
        out.push_str(&token);
        after_comment = is_comment(&token);
    }
    out
}

/// Checks all laws for one input, which may be wrong. True when it could be formatted.
fn check_laws(text: &str, name: &str, rng: &mut Rng) -> bool {
    let source = Text::new(text, 7);
    let once = match svlib::fmt::format(source) {
        Ok(once) => once,
        Err(errors) => {
            let (mut reader, mut tree, mut expected) = (Reader::new(source), Tree::new(), Vec::new());
            while reader.read(&mut tree, &mut expected) {}
            assert!(!errors.is_empty() && errors == expected, "{name}: the reader's errors are others");
            return false;
        }
    };
    let (before, after) = (tokens(text), tokens(&once));
    assert_eq!(before.len(), after.len(), "{name}: the number of tokens changed");
    for (index, (old, new)) in before.iter().zip(&after).enumerate() {
        assert_eq!(old.0, new.0, "{name}: token {index} changed");
        let moved = is_comment(&old.0) && index > 0 && (old.1 == 0) != (new.1 == 0);
        assert!(!moved, "{name}: the comment {} left its line", old.0);
        let gap = if index == 0 { 0 } else { old.1.min(2) };
        assert!(new.1 <= gap.max(1), "{name}: an empty line before {} is new", old.0);
    }
    assert!(
        once.is_empty() || once.ends_with('\n') && !once.ends_with("\n\n"),
        "{name}: the end of the file"
    );
    assert!(once == format(&once), "{name}: formatting again changes it:\n{once}");
    let other = respaced(text, rng);
    assert!(once == format(&other), "{name}: the layout of the input matters:\n{other}\n{once}");
    true
}

/// All files below a folder with one of the endings, in the order of their names.
fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let (mut folders, mut found) = (vec![folder.to_path_buf()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending)) {
                found.push(entry);
            }
        }
    }
    found.sort();
    found
}

/// Checks the laws for the files, and for damaged copies of each.
fn check_files(files: &[PathBuf], copies: usize) {
    const WORDS: &[&str] = &[
        "; c\n",
        "\n\n",
        "(",
        ")",
        ":k",
        "(let ((a b))",
        "(! x :tag",
        "while",
        "sequence",
        "|a\nb|",
        "\"c\r\nd\"",
        "()",
    ];
    let (mut rng, mut formatted) = (Rng::new(1), 0);
    for file in files {
        let text = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
        let name = file.display().to_string();
        formatted += usize::from(check_laws(&text, &name, &mut rng));
        for copy in 0..copies {
            // Damage to a megabyte teaches nothing that damage to its beginning does not.
            let damaged = mutate(&text.as_bytes()[..text.len().min(20_000)], &mut rng, WORDS);
            check_laws(&String::from_utf8_lossy(&damaged), &format!("{name}, damaged copy {copy}"), &mut rng);
        }
    }
    assert!(
        formatted * 10 >= files.len() * 9,
        "only {formatted} of {} files could be formatted",
        files.len()
    );
}

#[test]
fn laws_on_own_files() {
    let root = workspace_root();
    let mut own = files(&root.join("examples"), &["svlib"]);
    own.extend(files(&root.join("tests"), &["svlib", "smt2", "vmt", "k2"]));
    assert!(own.len() > 20);
    check_files(&own, 20);
}

#[test]
fn laws_on_the_corpus() {
    let Some(corpus) = corpus_or_skip("formatter laws on the corpus") else { return };
    check_files(&files(&corpus.join("svlib"), &["svlib", "k2"]), 10);
    check_files(&files(&corpus.join("ts/vmt"), &["vmt", "smt2"]), 2);
    check_files(&files(&corpus.join("ts/chc"), &["smt2", "horn"]), 2);
}

#[test]
fn own_examples_fit_on_their_lines() {
    for file in files(&workspace_root().join("examples"), &["svlib"]) {
        let text = format(&std::fs::read_to_string(&file).unwrap());
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{}", file.display());
    }
}

#[test]
fn depth_and_length_cost_only_their_size() {
    const N: usize = 200_000;
    let nested = |open: &str, middle: &str, close: &str| open.repeat(N) + middle + &close.repeat(N);
    let inputs = [
        "(".repeat(1_000_000) + &")".repeat(1_000_000),
        nested("(and x ", "y", ")"),
        nested("(! ", "x", " :tag t)"),
        nested("(let ((a b)) ", "a", ")"),
        nested("(f ; c\n", "", ")"),
        format!("(let ((a b)) {} (let ((c d)) e))", "; c\n".repeat(N)),
        format!("(a {} {} b)", ":k ".repeat(N), "; c\n".repeat(N)),
        format!("({})", "x ".repeat(N)),
        "; c\n".repeat(N),
        "(a) ; c\n".repeat(N),
    ];
    for text in inputs {
        let once = format(&text);
        assert!(once.len() < 20 * text.len());
        assert!(once == format(&once));
    }
}

#[test]
fn what_cannot_be_read_is_not_formatted() {
    for (text, place) in [("(a))", 3), ("(a (b)", 0), ("(a \"b)", 3), ("(a [)", 3)] {
        let errors = svlib::fmt::format(Text::new(text, 0)).unwrap_err();
        assert_eq!(errors[0].span.start, place, "{text}");
    }
}

#[test]
fn nothing_stays_nothing() {
    assert_eq!(format(""), "");
    assert_eq!(format(" \r\n\n"), "");
}
