//! The examples of the pages about codes: each has its finding, and its repair has none.

use cfront::{DataModel, parse};
use diag::codes::CODES;

/// The code blocks of a page.
fn blocks(page: &str) -> Vec<String> {
    let parts: Vec<&str> = page.split("```").collect();
    parts.iter().skip(1).step_by(2).map(|part| part.trim_start_matches("c\n").to_owned()).collect()
}

#[test]
fn examples_have_their_finding_and_repairs_have_none() {
    let mut seen = 0;
    for info in CODES.iter().filter(|info| {
        let name = info.code.name();
        name.len() == 4 && name.starts_with('C')
    }) {
        let [bad, good] = &blocks(info.page)[..] else { panic!("{}: two blocks", info.code) };
        let unit = parse(bad.as_bytes(), 0, DataModel::Lp64);
        assert!(unit.findings.iter().any(|f| f.code == info.code), "{}: {:?}", info.code, unit.findings);
        let unit = parse(good.as_bytes(), 0, DataModel::Lp64);
        assert!(unit.findings.is_empty(), "{}: {:?}", info.code, unit.findings);
        seen += 1;
    }
    assert!(seen >= 15, "only {seen} codes of C");
}
