//! The pages of findings about specifications: the example has the finding, the repair has not.

use cfront::DataModel;
use diag::codes::CODES;
use instrument::{ia, specs};

/// The blocks of a page in a language.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let open = format!("```{language}\n");
    page.split(&open).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

/// The codes that a text has: of a specification, or of a program with the specification of termination.
fn found(language: &str, text: &str) -> Vec<&'static str> {
    let findings = match language {
        "ia" => ia::parse(text, 0).findings,
        _ => {
            let mut unit = cfront::parse(text.as_bytes(), 0, DataModel::Lp64);
            assert!(!unit.is_bad(), "{:?}", unit.findings);
            let cfas = cfront::cfa::automata(&unit);
            let spec = ia::parse(specs::named("termination").expect("it ships").text, 0).spec;
            instrument::plan(&mut unit, &cfas, &spec).findings
        }
    };
    findings.iter().map(|finding| finding.code.name()).collect()
}

#[test]
fn examples_have_what_repairs_have_not() {
    let mut count = 0;
    for info in CODES.iter().filter(|info| info.code.name().starts_with('I')) {
        let name = info.code.name();
        let language = if name.starts_with("I0") { "ia" } else { "c" };
        let blocks = blocks(info.page, language);
        let [example, repair] = blocks[..] else { panic!("{name} has {} blocks", blocks.len()) };
        assert!(found(language, example).contains(&name), "{name}: {:?}", found(language, example));
        assert_eq!(found(language, repair), [""; 0], "{name}");
        count += 1;
    }
    assert_eq!(count, 7);
}
