//! Specifications that are refused, with the place and the reason.

use instrument::ia::ast::Per;
use instrument::{ia, specs};

/// The findings of a text, one line each: code, the text at the place, the message, the advice.
fn findings(text: &str) -> Vec<String> {
    let line = |finding: &diag::Diagnostic| {
        let at = &text[finding.span.start as usize..finding.span.end as usize];
        let help = finding.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
        format!("{} `{at}`: {}{help}", finding.code.name(), finding.message)
    };
    ia::parse(text, 0).findings.iter().map(line).collect()
}

/// The one finding about a transition.
fn transition(text: &str) -> String {
    let found = findings(&format!(
        "automaton a {{ var int v = 0; initial state q : true {{ {text} }} state p {{ }} }}"
    ));
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    found.into_iter().next().unwrap_or_default()
}

#[test]
fn what_ships_is_well_formed() {
    for shipped in specs::SPECS {
        let read = ia::parse(shipped.text, 0);
        assert!(read.findings.is_empty(), "{}: {:?}", shipped.name, read.findings);
        assert!(!read.spec.summary.is_empty(), "{}", shipped.name);
        assert!(specs::named(shipped.name).is_some());
    }
    assert!(specs::named("nothing").is_none());
}

#[test]
fn syntax_errors_have_a_place() {
    let cases = [
        (
            "sumary \"x\";",
            "I001 `sumary`: expected `summary`, `option`, `keep`, `c` or `automaton`, found `sumary`",
        ),
        ("summary 3;", "I001 `3`: expected a string, found `3`"),
        ("keep calm;", "I001 `calm`: expected `errors`, found `calm`"),
        ("option o = maybe \"x\";", "I001 `maybe`: expected `on` or `off`, found `maybe`"),
        ("c { int x;", "I001 `{`: this brace is never closed"),
        (
            "automaton a { initial state q { } ",
            "I001 ``: expected `var`, `state` or `initial state`, found the end of the file",
        ),
        ("", "I004 ``: there is no automaton"),
        ("automaton a { state q { } }", "I004 `a`: `a` has 0 initial states, not one"),
        (
            "automaton a { initial state q { } initial state p { } }",
            "I004 `a`: `a` has 2 initial states, not one",
        ),
        ("automaton a { initial state q { } state q { } }", "I003 `q`: the state `q` is there already"),
        ("automaton a { var int x; var int x; }", "I003 `x`: the variable `x` is there already"),
        ("automaton a { var; }", "I001 `;`: expected the declaration of a variable, found `;`"),
        (
            "automaton a { local var int x; }",
            "I005 `local`: the program is no function: variables are not local",
        ),
        ("automaton a per lop { }", "I002 `lop`: there is no kind of place `lop` (did you mean `loop`?)"),
        ("automaton a per call $x + $y { }", "I005 `call`: this pattern is no call"),
        (
            "automaton a { initial state q : loophead { } }",
            "I002 `loophead`: there is no location predicate `loophead` (did you mean `loop_head`?)",
        ),
        ("option o = on \"x\"; option o = on \"y\";", "I003 `o`: the option `o` is there already"),
    ];
    for (text, expected) in cases {
        let found = findings(text);
        assert_eq!(found.first().map(String::as_str), Some(expected), "{text}: {found:?}");
    }
}

#[test]
fn transitions_are_checked() {
    let cases = [
        ("on $a + $b before { f($c); };", "I002 `$c`: there is no capture `c`"),
        (
            "on $a + $b before { f($a.mix); };",
            "I002 `mix`: there is no attribute `mix` (did you mean `max`?)",
        ),
        (
            "on $a + $b where $a is sined before { };",
            "I002 `sined`: there is no kind `sined` (did you mean `signed`?)",
        ),
        ("on $a + $b where $d is signed before { };", "I002 `$d`: there is no capture `d`"),
        ("on $a + $a before { };", "I003 `$a`: `$a` is captured twice"),
        ("on $result + $a before { };", "I003 `$result`: `$result` has a meaning of its own"),
        ("on $a before { };", "I005 `$a`: this pattern has no operator: no edge has only an operand"),
        ("on f($a) before { v = $result; };", "I005 `$result`: the result is not known before the operation"),
        (
            "on $a + $b or $a++ before { };",
            "I005 `$a`: this pattern does not capture what the first one does",
        ),
        ("on $a + $b before { } -> r;", "I002 `r`: there is no state `r`"),
        ("on $a + $b { };", "I001 `{`: expected `before` or `after`, found `{`"),
        ("on $a + before { };", "I001 `{`: expected `before` or `after`, found `{`"),
        ("when fast on true before { };", "I002 `fast`: there is no option `fast`"),
        ("on true before { f(; };", "I001 ` f(; `: a parenthesis of this operation is never closed"),
        ("on true before { f()); };", "I001 `)`: this parenthesis was never opened"),
        ("on true before { v = assert(1) + 1; };", "I001 `)`: an assertion is a statement: `;` is missing"),
        ("on true before { }", "I001 `}`: expected `;`, found `}`"),
    ];
    for (text, expected) in cases {
        assert_eq!(transition(text), expected, "{text}");
    }
}

#[test]
fn one_error_does_not_hide_the_next() {
    let found = findings(
        "summary 3; automaton a { initial state q { on $a before { f(; }; on $b + $c before { f($d); } -> q; } } keep calm;",
    );
    let codes: Vec<&str> = found.iter().map(|line| &line[..4]).collect();
    assert_eq!(codes, ["I001", "I005", "I002", "I001"], "{found:?}");
}

#[test]
fn deep_texts_are_refused_or_read() {
    let deep = 100_000;
    let nested = format!(
        "automaton a {{ initial state q {{ on {}$x + 1{} before {{ }}; }} }}",
        "(".repeat(deep),
        ")".repeat(deep)
    );
    assert!(findings(&nested)[0].contains("nested at most"));
    let minus = format!("automaton a {{ initial state q {{ on {}$x before {{ }}; }} }}", "- ".repeat(deep));
    assert!(findings(&minus)[0].contains("nested at most"));
    let braces =
        format!("c {{ {}{} }} automaton a {{ initial state q {{ }} }}", "{".repeat(deep), "}".repeat(deep));
    assert_eq!(findings(&braces), [""; 0]);
}

#[test]
fn the_tuple_is_read() {
    let text = "automaton a per call malloc($n) {
        var unsigned long *p[2] = { 0, 0 };
        local var int x;
        initial state q : init { on $a[$i] before { p[0] = 0; } -> r; }
        state r : exit { on end before { assert(x); }; }
    }";
    let read = ia::parse(text, 0);
    assert!(read.findings.is_empty(), "{:?}", read.findings);
    let automaton = &read.spec.automata[0];
    assert!(matches!(automaton.per, Per::Call(..)));
    assert_eq!(
        (automaton.vars[0].before.as_str(), automaton.vars[0].name.as_str()),
        ("unsigned long *", "p")
    );
    assert_eq!(automaton.vars[0].after, "[2] = { 0, 0 }");
    assert!(automaton.vars[1].is_local && !automaton.vars[0].is_local);
    assert_eq!(automaton.transitions.len(), 2);
    assert_ne!(automaton.transitions[0].from, automaton.transitions[0].to);
    assert_eq!(automaton.transitions[1].from, automaton.transitions[1].to);
}
