//! What the tests of all languages share.
#![allow(dead_code, reason = "each test file uses a part of it")]

use dashu_int::UBig;
use diag::{Diagnostic, SourceMap, render};
use formats::{Format, Model, Options, Source};
use smt::print::term_text;
use smt::sort::{Sort, SortId};
use smt::term::{FunId, Terms};
use smt::value::Value;
use testkit::Rng;
use ts::passes::functional::{Functional, Initial, functional};
use ts::simulate::Simulator;
use ts::{System, Trace};

/// What reading some bytes gives.
pub(crate) fn read_bytes(format: &str, terms: &mut Terms, bytes: &[u8]) -> Result<System, Vec<Diagnostic>> {
    let mut found = Vec::new();
    let format = Format::named(format).expect("a language");
    let model = (format.read)(terms, Source { bytes, base: 0 }, &mut found);
    match model {
        Some(Model::Systems(mut systems)) => {
            assert_eq!(systems.len(), 1);
            let system = systems.remove(0);
            let flaws = ts::verify(terms, &system);
            assert!(flaws.is_empty(), "{}", flaws[0].message(terms));
            Ok(system)
        }
        Some(Model::Horn(_)) => panic!("clauses"),
        None => {
            assert!(found.iter().any(Diagnostic::is_error), "nothing read and no error");
            Err(found)
        }
    }
}

/// A text that must be readable.
pub(crate) fn read(format: &str, terms: &mut Terms, text: &str) -> System {
    read_bytes(format, terms, text.as_bytes()).unwrap_or_else(|found| panic!("{text}\n{}", found[0].message))
}

/// The errors of a text, as they are shown.
pub(crate) fn errors(format: &str, text: &str) -> String {
    let found = read_bytes(format, &mut Terms::new(), text.as_bytes()).expect_err("an error");
    let mut map = SourceMap::default();
    map.add("x", text.to_owned()).expect("small");
    found.iter().map(|problem| render::text(&map, problem)).collect()
}

/// The bytes that a system is written as.
pub(crate) fn written(format: &str, terms: &mut Terms, system: &System) -> Result<Vec<u8>, String> {
    let model = Model::Systems(vec![system.clone()]);
    let format = Format::named(format).expect("a language");
    (format.write)(terms, &model, &Options::default()).map_err(|error| match error.help {
        Some(help) => format!("{} ({help})", error.message),
        None => error.message,
    })
}

/// Everything that a system says, as text, to compare systems of different stores.
pub(crate) fn shown(terms: &Terms, system: &System) -> String {
    let mut out = String::new();
    for (kind, list) in [
        ("states", system.states.iter().map(|state| state.now).collect::<Vec<_>>()),
        ("inputs", system.inputs.clone()),
        ("rigid", system.rigid.clone()),
    ] {
        out += &format!("{kind}:");
        for fun in list {
            let sort = smt::print::sort_text(terms, terms.fun(fun).result);
            out += &format!(" {}:{sort}", terms.fun_name(fun));
        }
        out += "\n";
    }
    // The order of conjuncts means nothing.
    for conjuncts in [&system.axioms, &system.init, &system.trans, &system.invar] {
        let mut texts: Vec<String> = conjuncts.iter().map(|&formula| term_text(terms, formula)).collect();
        texts.sort();
        out += &texts.join("\n");
        out += "\n";
    }
    let claims = system.properties.iter().flat_map(|property| property.formulas().to_vec());
    for formula in claims.chain(system.outputs.iter().map(|output| output.term)) {
        out += &term_text(terms, formula);
        out += "\n";
    }
    for property in &system.properties {
        out += &format!("{} {:?} {}\n", property.index, property.name, property.formulas().len());
    }
    for output in &system.outputs {
        out += &format!("{}\n", output.name);
    }
    out
}

/// A random value, also one of the special ones.
pub(crate) fn random_value(terms: &mut Terms, rng: &mut Rng, sort: SortId) -> Option<Value> {
    match *terms.sorts.get(sort) {
        Sort::Bool => Some(Value::Bool(rng.below(2) == 1)),
        Sort::BitVec(width) => {
            let mut value = UBig::ZERO;
            match rng.below(6) {
                0 => {}
                1 => value = UBig::ones(width as usize),
                2 => value = UBig::ONE << (width as usize - 1),
                3 => value = UBig::from(rng.below(4)),
                _ => {
                    for _ in 0..width.div_ceil(64) {
                        value = (value << 64) | UBig::from(rng.next_u64());
                    }
                }
            }
            Some(Value::bits(width, value))
        }
        Sort::Array(index, element) => {
            let default = random_value(terms, rng, element)?;
            let mut array = Value::const_array(terms, sort, default)?;
            for _ in 0..4 {
                let (place, value) = (random_value(terms, rng, index)?, random_value(terms, rng, element)?);
                if let Value::Array(array) = &mut array {
                    std::sync::Arc::make_mut(array).store(place, value);
                }
            }
            Some(array)
        }
        _ => None,
    }
}

/// A random execution; constraints are not looked at.
pub(crate) fn random_run(terms: &mut Terms, system: &System, steps: usize, seed: u64) -> (Functional, Trace) {
    let made = functional(terms, system, Initial::Terms);
    let simulator = Simulator::new(terms, &made);
    let mut rng = Rng::new(seed);
    let trace = simulator.run(terms, steps, |terms, fun, _| {
        let sort = terms.fun(fun).result;
        random_value(terms, &mut rng, sort)
    });
    (made, trace.unwrap_or_else(|error| panic!("{}", error.message(terms))))
}

/// The constant of that name.
pub(crate) fn symbol(system: &System, terms: &Terms, name: &str) -> FunId {
    let mut all = system.states.iter().map(|state| state.now).chain(system.inputs.iter().copied());
    all.find(|&fun| terms.fun_name(fun) == name).unwrap_or_else(|| panic!("no {name}"))
}

/// Compares line by line, so that a difference can be read.
pub(crate) fn same(before: &str, after: &str, place: &str) {
    for (left, right) in before.lines().zip(after.lines()) {
        let from = left.bytes().zip(right.bytes()).take_while(|(a, b)| a == b).count().saturating_sub(60);
        let cut = |text: &str| text.chars().skip(from).take(200).collect::<String>();
        assert!(left == right, "{place}\n{}\n{}", cut(left), cut(right));
    }
    assert_eq!(before.lines().count(), after.lines().count(), "{place}");
}

/// The files of the corpus below a folder with one of some endings, in order.
pub(crate) fn corpus_files(folder: &str, endings: &[&str]) -> Vec<std::path::PathBuf> {
    let Some(corpus) = testkit::corpus_or_skip(folder) else { return Vec::new() };
    let (mut files, mut folders) = (Vec::new(), vec![corpus.join(folder)]);
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            if path.is_dir() {
                folders.push(path);
            } else if endings.contains(&ending) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Whatever damaged input still is: what was read is written and read again, and once more.
pub(crate) fn survives(format: &str, targets: &[&str], bytes: &[u8]) {
    let mut terms = Terms::new();
    let Ok(system) = read_bytes(format, &mut terms, bytes) else { return };
    for target in targets {
        let Ok(once) = written(target, &mut terms, &system) else { continue };
        let mut others = Terms::new();
        let again = read_bytes(target, &mut others, &once).expect("what we wrote");
        let twice = written(target, &mut others, &again).expect("what we read");
        read_bytes(target, &mut Terms::new(), &twice).expect("what we wrote again");
    }
}
