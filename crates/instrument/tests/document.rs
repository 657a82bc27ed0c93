//! The examples of `docs/automata.md`: each specification, woven into the program after it, gives the text after that.

use cfront::DataModel;
use instrument::ia;
use instrument::weave::{Program, strip, weave};

const PAGE: &str = include_str!("../../../docs/automata.md");

/// The text without comments, as words.
fn words(text: &str) -> Vec<String> {
    let mut text = text.to_owned();
    while let Some(start) = text.find("/*") {
        let end = text[start..].find("*/").map_or(text.len(), |end| start + end + 2);
        text.replace_range(start..end, " ");
    }
    // Blanks between words and signs are those of two texts that were put together.
    let spaced: String = text
        .chars()
        .flat_map(|c| if c.is_alphanumeric() || c == '_' { vec![c] } else { vec![' ', c, ' '] })
        .collect();
    spaced.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn examples_are_what_they_say() {
    let mut blocks: Vec<(&str, &str)> = Vec::new();
    for (index, part) in PAGE.split("```").enumerate() {
        if index % 2 == 1 {
            blocks.extend(part.split_once('\n'));
        }
    }
    let mut count = 0;
    for window in blocks.windows(3) {
        let [("ia", spec), ("c", program), ("text", expected)] = window else { continue };
        let read = ia::parse(spec, 0);
        assert!(read.findings.is_empty(), "{spec}: {:?}", read.findings);
        let mut unit = cfront::parse(program.as_bytes(), 0, DataModel::Lp64);
        assert!(!unit.is_bad(), "{program}");
        let cfas = cfront::cfa::automata(&unit);
        let plan = instrument::plan(&mut unit, &cfas, &read.spec);
        let source =
            Program { unit: &mut unit, text: program.as_bytes(), base: 0, original: None, cfas: &cfas };
        let woven = weave(source, &plan).unwrap_or_else(|problems| panic!("{program}: {problems:?}"));
        assert_eq!(strip(&woven.text).as_deref(), Ok(program.as_bytes()));
        let text = String::from_utf8_lossy(&woven.text);
        assert_eq!(words(&text), words(expected), "{text}");
        count += 1;
    }
    assert_eq!(count, 4);
}
