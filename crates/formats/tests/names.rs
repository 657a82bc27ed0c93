//! Whatever symbols and properties are called, what is written is read again.

use formats::{Format, Model, Options, Source};
use smt::op::{ALIASES, OPS, Op};
use smt::sort::SortId;
use smt::term::{Fun, FunId, Role, TermId, Terms};
use ts::{Property, PropertyKind, System};

/// Names that are hard to write, each for a reason of its own.
fn nasty() -> Vec<String> {
    let operators = OPS.iter().map(|info| info.name).chain(ALIASES.iter().map(|row| row.0));
    let words = [
        "",
        " ",
        "a b",
        "a|b",
        "|",
        "\\",
        "a\\b",
        "a\"b",
        "\"",
        "'",
        "a'",
        "a'b",
        ";",
        "(",
        ")",
        "a\nb",
        "\u{7f}",
        "\u{85}",
        "\u{2028}",
        "é",
        "名前",
        "5",
        "-5",
        "0x",
        "#b01",
        "#x",
        "#",
        "f'1/2",
        ":key",
        ":",
        "!",
        "!=",
        "_",
        "as",
        "at",
        "old",
        "let",
        "match",
        "par",
        "forall",
        "exists",
        "lambda",
        "TRUE",
        "FALSE",
        "true",
        "self",
        "running",
        "next",
        "init",
        "case",
        "esac",
        "main",
        "VAR",
        "MODULE",
        "X",
        "U",
        "word1",
        "sizeof",
        "bool",
        "Bool",
        "Int",
        "is",
        "char",
        "const",
        "bv5",
        "def0",
        "def1",
        "def_1",
        ".def_1",
        "..def_1",
        ".def_",
        ".x",
        ".init",
        ".trans",
        ".invar",
        ".property",
        ".hint",
        "x",
        "x.next",
        "x.1",
        "x.next.1",
        "q0",
        "bad0",
        "fair0_0",
        "stop",
        "state",
        "input",
        "define-fun",
        "check-system",
        "a.b",
        "a[1]",
        "a-b",
        "--",
        "//",
        "held",
    ];
    let mut all: Vec<String> = operators.chain(words).map(str::to_owned).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn constant(terms: &mut Terms, name: &str) -> FunId {
    let name = terms.names.intern(name);
    terms.declare(Fun { name, params: Box::new([]), result: SortId::BOOL, role: Role::Free })
}

/// A formula about all symbols with shared terms in it.
fn with(terms: &mut Terms, system: &mut System, all: &[FunId]) -> TermId {
    let mut made = TermId::FALSE;
    for &fun in all {
        let term = terms.constant_term(fun);
        let either = terms.or(&[term, made]);
        made = terms.app(Op::Xor, &[either, made]).unwrap_or(TermId::ERROR);
    }
    system.trans.push(terms.not(made));
    made
}

/// A state variable, an input, a rigid symbol and properties of these names.
fn system(terms: &mut Terms, names: &[&str], live: bool) -> System {
    let mut system = System::default();
    let (mut used, mut all) = (Vec::new(), Vec::new());
    for (at, name) in names.iter().enumerate() {
        let fun = constant(terms, name);
        if used.contains(&fun) {
            continue;
        }
        used.push(fun);
        all.push(fun);
        match at % 3 {
            0 => {
                let next = constant(terms, &format!("{name}.next"));
                if used.contains(&next) {
                    system.inputs.push(fun);
                } else {
                    used.push(next);
                    all.push(next);
                    system.states.push(ts::State { now: fun, next });
                }
            }
            1 => system.inputs.push(fun),
            _ => system.rigid.push(fun),
        }
    }
    let nows: Vec<FunId> =
        all.iter().copied().filter(|fun| !system.states.iter().any(|s| s.next == *fun)).collect();
    with(terms, &mut system, &all);
    let plain = with(terms, &mut system, &nows);
    for (index, name) in names.iter().enumerate() {
        let kind = match live && index % 2 == 1 {
            false => PropertyKind::Invariant(plain),
            true => PropertyKind::Live(vec![plain, terms.not(plain)]),
        };
        system.properties.push(Property { index: index as u64, name: Some((*name).to_owned()), kind });
    }
    assert_eq!(ts::verify(terms, &system), []);
    system
}

/// Writes and reads again, as often as it may.
fn again(format: &str, terms: &mut Terms, system: System) -> System {
    let format = Format::named(format).unwrap();
    let mut model = Model::Systems(vec![system]);
    for _ in 0..2 {
        let bytes =
            (format.write)(terms, &model, &Options::default()).unwrap_or_else(|error| panic!("{error}"));
        let mut errors = Vec::new();
        let read = (format.read)(terms, Source { bytes: &bytes, base: 0 }, &mut errors);
        let place = |span: diag::Span| {
            String::from_utf8_lossy(&bytes[span.start as usize..span.end as usize]).into_owned()
        };
        let texts: Vec<String> =
            errors.iter().map(|e| format!("{}@{}: {}", e.code, place(e.span), e.message)).collect();
        model = read.unwrap_or_else(|| panic!("{texts:?}\n{}", String::from_utf8_lossy(&bytes)));
    }
    let Model::Systems(mut systems) = model else { panic!("no systems") };
    assert_eq!(systems.len(), 1);
    systems.remove(0)
}

fn laws(format: &str, same_kinds: bool) {
    let nasty = nasty();
    let alone: Vec<Vec<&str>> = nasty.iter().map(|name| vec![name.as_str(), "x", name.as_str()]).collect();
    let together: Vec<&str> = nasty.iter().map(String::as_str).collect();
    for names in alone.iter().chain([&together]) {
        let mut terms = Terms::new();
        let system = system(&mut terms, names, format != "chc");
        let read = again(format, &mut terms, system.clone());
        assert_eq!(ts::verify(&terms, &read), [], "{names:?}");
        // Horn clauses ask one question.
        let count = if format == "chc" { 1 } else { names.len() };
        assert_eq!(read.properties.len(), count, "{names:?}");
        if same_kinds {
            let symbols = |s: &System| s.states.len() + s.inputs.len() + s.rigid.len();
            assert_eq!(symbols(&read), symbols(&system), "{names:?}");
        }
    }
}

#[test]
fn in_vmt() {
    laws("vmt", true);
}

#[test]
fn in_moxi() {
    laws("moxi", false);
}

#[test]
fn in_moxi_as_json() {
    laws("moxi-json", false);
}

#[test]
fn in_smv() {
    laws("smv", true);
}

#[test]
fn in_btor2() {
    laws("btor2", false);
}

#[test]
fn in_aiger() {
    laws("aag", false);
    laws("aig", false);
}

#[test]
fn in_horn_clauses() {
    laws("chc", false);
}
