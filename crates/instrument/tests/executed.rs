//! What operations print when programs are executed with them: they stand at the places that patterns mean, inside expressions
//! too, and see the values of that moment.

use base::id::Id as _;
use cfront::DataModel;
use instrument::weave::{Program, strip, weave};
use std::process::Command;
use testkit::Folder;

const LIBRARY: &str = "extern int printf(const char *, ...);\nextern void *malloc(unsigned long);\n\
    int next(int by) { static int last; return last += by; }\n\
    int grow(int *at) { return (*at)++; }\n";

/// A program with a transition woven in.
fn woven(transition: &str, program: &str) -> Result<String, String> {
    let spec = format!("automaton a {{ initial state q : true {{ {transition}; }} }}");
    let text = format!("{LIBRARY}{program}");
    let mut unit = cfront::parse(text.as_bytes(), 0, DataModel::Lp64);
    assert!(!unit.is_bad(), "{:?}", unit.findings);
    let read = instrument::ia::parse(&spec, 1_000_000);
    assert!(read.findings.is_empty(), "{:?}", read.findings);
    let cfas = cfront::cfa::automata(&unit);
    let plan = instrument::plan(&mut unit, &cfas, &read.spec);
    let input = Program { unit: &mut unit, text: text.as_bytes(), base: 0, original: None, cfas: &cfas };
    let done = weave(input, &plan).map_err(|problems| problems[0].message.clone())?;
    assert_eq!(strip(&done.text).as_deref(), Ok(text.as_bytes()));
    Ok(String::from_utf8(done.text).expect("text"))
}

/// What a program with a transition woven in prints.
fn printed(name: &str, transition: &str, program: &str) -> String {
    let text = woven(transition, program).unwrap_or_else(|why| panic!("{name}: {why}"));
    let folder = Folder::new(&format!("executed-{name}"));
    let (file, binary) = (folder.write("x.c", text.as_bytes()), folder.0.join("x"));
    let compiled = Command::new("cc").args(["-std=gnu17", "-w", "-o"]).arg(&binary).arg(&file).output();
    let compiled = compiled.expect("a compiler");
    assert!(compiled.status.success(), "{}\n{text}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&binary).output().expect("it runs");
    String::from_utf8(output.stdout).expect("text")
}

fn check(name: &str, transition: &str, program: &str, expected: &str) {
    if Command::new("cc").arg("--version").output().is_err() {
        return testkit::skip(name, "no C compiler");
    }
    assert_eq!(printed(name, transition, program), expected, "{name}");
}

#[test]
fn under_conditions() {
    let before = "on next($_) before { printf(\"<%d>\", n); }";
    let program =
        "int main(void) { int n; for (n = 0; n < 3; n++) if (n && next(2) > n) printf(\"%d\", n); }";
    check("and", before, program, "<1>1<2>2");
    let program =
        "int main(void) { int n; for (n = 0; n < 3; n++) if (n == 1 || next(2) > 2) printf(\"%d\", n); }";
    check("or", before, program, "<0>1<2>2");
    let program = "int main(void) { int n; for (n = 0; n < 3; n++) printf(\"%d\", n > 1 ? next(5) : -n); }";
    check("conditional", before, program, "0-1<2>5");
}

#[test]
fn in_parts_of_loops() {
    let before = "on next($_) before { printf(\"<%d>\", n); }";
    let program = "int main(void) { int n = 7; for (int i = 0; i < 3; i = next(1)) printf(\"%d\", i); }";
    check("step", before, program, "0<7>1<7>2<7>");
    let program = "int main(void) { int n = 0; do n++; while (next(1) < 3); printf(\"%d\", n); }";
    check("do", before, program, "<1><2><3>3");
    let program = "int main(void) { int n = 0; while (n < 9 && next(1) < 3) n++; printf(\"%d\", n); }";
    check("while", before, program, "<0><1><2>2");
}

#[test]
fn after_expressions() {
    let after = "on next($b) after { printf(\"<%d %d %d>\", n, $b, $result); }";
    let program = "int main(void) { int n = 1; n = n + next(n + 1) * next(4); printf(\"%d\", n); }";
    check("after", after, program, "<1 2 2><1 4 6>13");
    let program = "int main(void) { int n = 3, k = next(n++) + n; printf(\"%d\", k); }";
    check("initialiser", after, program, "<4 3 3>7");
    let after = "on next($_) after { printf(\"<%d>\", n); }";
    let program = "int main(void) { int n = 5; n > 4 && (next(1), next(2)); (void)next(3); }";
    check("unused", after, program, "<5><5><5>");
    let program = "void put(int); int f(int n) { return n ? put(1), 2 : 3; }";
    woven("on put($b) after { int now = n; }", program).expect("a call without a value has a place");
}

#[test]
fn captured_values_are_those_of_their_moment() {
    // The value that is assigned is not computed again from the variable that has changed.
    let after = "on $a = $b after { printf(\"<%d %d %d>\", n, $a, $b); }";
    let program =
        "int main(void) { int n = 1, x = 4; x = x + n; x = grow(&n) * 2; printf(\"%d %d\", x, n); }";
    check("assigned", after, program, "<1 1 1><1 4 4><1 5 5><2 2 2>2 2");
    let after = "on grow($p) after { printf(\"<%d %d>\", n, *(int *)$p); }";
    let program = "int main(void) { int n = 1; int *p = &n; grow(p++); printf(\"%d\", n); }";
    check("pointer", after, program, "<2 2>2");
}

#[test]
fn places() {
    let before = "on $a[$i] before { printf(\"<%d %d>\", $i, n); }";
    let program = "int main(void) { int n = 1, a[3] = {5, 6, 7}; n && (a[n] = 3); n > 1 ? a[0] : a[2]++; 1[a]--; return a[1]; }";
    check("element", before, program, "<1 1><2 1><1 1><1 1>");
}

#[test]
fn captured_sequences() {
    let after = "on $a[$i] after { printf(\"<%d %d>\", $i, n); }";
    let program = "int main(void) { int n = 0, a[3] = {5, 6, 7}; printf(\"%d\", a[n++, n]); }";
    check("comma", after, program, "<1 1>6");
}

#[test]
fn sizes_of_allocations() {
    let after = "on $p = malloc($n) after { printf(\"<%d>\", (int)$n); }";
    let program =
        "int main(void) { int k = 3; char *p; p = malloc(k++); printf(\"%d\", k); p = k ? malloc(k) : 0; }";
    check("assigned-size", after, program, "<3>4");
    let program = "int main(void) { int k = 3; char *p = malloc(k + 1); k = 0; char *q = malloc(next(2)); }";
    check("initial-size", after, program, "<4><2>");
    let before = "on $p = malloc($n) before { printf(\"<%d %d>\", (int)$n, k); }";
    let program = "int main(void) { int k = 3; char *p; p = malloc(k++); printf(\"%d\", p != 0); }";
    check("before-size", before, program, "<3 4>1");
}

#[test]
fn between_operands_and_operator() {
    let before = "on $a + $b before { printf(\"<%d %d %d>\", $a, $b, n); }";
    let program = "int main(void) { int n = 1; n && printf(\"%d\", next(n++) + next(2)); printf(\"%d\", n + next(1)); }";
    check("sum", before, program, "<1 3 2>4<2 4 2>6");
    let before = "on -$a before { printf(\"<%d %d>\", $a, n); }";
    check("minus", before, "int main(void) { int n = 1; printf(\"%d\", n && -grow(&n)); }", "<1 2>1");
    let before = "on next($a) before { printf(\"<%d %d>\", $a, n); }";
    check("nested", before, "int main(void) { int n = 1; printf(\"%d\", next(next(n++))); }", "<1 2><1 2>2");
    let before = "on sum($a, $b) before { printf(\"<%d %d %d>\", $a, $b, n); }";
    let program = "int sum(int a, int b) { return a + b; } int main(void) { int n = 1; printf(\"%d\", 2 * sum(n++, grow(&n))); }";
    check("call", before, program, "<1 2 3>6");
    let before = "on $a[$i] before { printf(\"<%d %d>\", $i, n); }";
    check(
        "index",
        before,
        "int main(void) { int n = 0, a[3] = {0}; a[n++] = 3; printf(\"%d\", *a); }",
        "<0 1>3",
    );
    let after = "on $a + $b after { printf(\"<%d>\", $result + n); }";
    check("both", after, "int main(void) { int n = 1; n = next(1) + next(2); }", "<5>");
}

#[test]
fn beside_declarations() {
    let after = "on $p = malloc($n) after { printf(\"<%d %d>\", (int)$n, k + ($p != 0)); }";
    let program =
        "int main(void) { int k = 3; for (char *p = malloc(k++), *q = 0; k < 6; k++) printf(\"%d\", k); }";
    check("head", after, program, "<3 5>45");
    let program = "int main(void) { int k = 3; if (k) for (char *p = malloc(2); k < 5; k++) ; else k = 0; printf(\"%d\", k); }";
    check("branch", after, program, "<2 4>5");
    let program = "int main(void) { int k = 3; char *p = malloc(k++), *q = malloc(k++); printf(\"%d\", k); }";
    check("next", after, program, "<3 5><4 6>5");
    let before = "on $x = next($a) before { printf(\"<%d>\", k); }";
    let program = "int main(void) { int k = 3, x = next(k++), y = next(k++); printf(\"%d\", k); }";
    check("before", before, program, "<4><5>5");
    // The variable of a loop is gone behind it.
    let end = "on !cond after { printf(\"<%d>\", i); }";
    let program = "int main(void) { for (int i = 0; i < 3; i++) { if (i == 1) continue; } }";
    check("gone", end, program, "<3>");
}

#[test]
fn members() {
    let program = "struct s { int f, g; struct s *to; }; int main(void) {\n\
        struct s a = {1, 2}, b = {3, 4, &a}, *p = &b;\n\
        a.f = 5; a.g = 6; p->f = 7; p->to->f = 8; b.to->g = p->g; return a.g; }";
    check("member", "on $s.f = $x before { printf(\"<%d>\", $x); }", program, "<5>");
    check("arrow", "on $p->f = $x before { printf(\"<%d>\", $x); }", program, "<7><8>");
    check("chain", "on $p->to->f = $x before { printf(\"<%d>\", $x); }", program, "<8>");
    check("read", "on $p->g after { printf(\"<%d>\", $result); }", program, "<4>");
    check("through", "on $p->to after { printf(\"<%d>\", $p == $result); }", program, "<0>");
}

#[test]
fn casts() {
    let program = "typedef unsigned long size; typedef struct node { int v; } node; int main(void) {\n\
        int n = 300; char c = (char)n; unsigned u = (unsigned)n; size s = (size)(n + 1); node *p = (node *)&n;\n\
        next((int)s); next(s); return (int)(char)n; }";
    check("int", "on (int)$x after { printf(\"<%d>\", $result); }", program, "<301><44>");
    check("char", "on (char)$x before { printf(\"<%d>\", $x); }", program, "<300><300>");
    check("same type", "on (unsigned int)$x before { printf(\"<%d>\", $x); }", program, "<300>");
    check("name", "on (size)$x before { printf(\"<%d>\", $x); }", program, "<301>");
    check("record", "on (struct node *)$x before { printf(\"<%d>\", $x != 0); }", program, "<1>");
    check("named record", "on (node *)$x before { printf(\"<%d>\", $x != 0); }", program, "<1>");
    check("argument", "on next((int)$x) before { printf(\"<%d>\", (int)$x); }", program, "<301>");
    check(
        "parentheses",
        "on ($x) + (n) before { printf(\"<%d>\", $x); }",
        "int main(void) { int n = 1; return 2 + n; }",
        "<2>",
    );
}

const EVERYTHING: &str = include_str!("data/everything.c");

/// Something that reads a variable of the function, beside everything that a program with all kinds of statements computes.
fn marks(when: instrument::plan::When) -> instrument::plan::Plan {
    let unit = cfront::parse(EVERYTHING.as_bytes(), 0, DataModel::Lp64);
    let mut plan = instrument::plan::Plan::default();
    for cfa in &cfront::cfa::automata(&unit) {
        plan.locals.push((cfa.function, "long __svarog_marks = 0;".into()));
        for (edge, data) in cfa.edges.iter_enumerated() {
            if !matches!(data.op, cfront::cfa::Op::Call(_) | cfront::cfa::Op::Eval(_)) {
                continue;
            }
            let text = format!("__svarog_marks += {};", edge.index());
            plan.insertions.push(instrument::plan::Insertion {
                function: cfa.function,
                at: instrument::plan::At::Edge(edge, when),
                text: vec![instrument::plan::Piece::Text(text.into())],
                reads_locals: true,
                from: diag::Span::default(),
            });
        }
    }
    plan
}

fn marked(plan: &instrument::plan::Plan) -> Result<Vec<u8>, Vec<diag::Diagnostic>> {
    let mut unit = cfront::parse(EVERYTHING.as_bytes(), 0, DataModel::Lp64);
    let cfas = cfront::cfa::automata(&unit);
    let text = EVERYTHING.as_bytes();
    weave(Program { unit: &mut unit, text, base: 0, original: None, cfas: &cfas }, plan).map(|done| done.text)
}

/// The program does with marks what it does without.
fn runs_as_before(name: &str, woven: &[u8]) {
    let folder = Folder::new(&format!("executed-{name}"));
    let run = |name: &str, text: &[u8]| {
        let (file, binary) = (folder.write(&format!("{name}.c"), text), folder.0.join(name));
        let compiled =
            Command::new("cc").args(["-std=gnu17", "-w", "-fwrapv", "-o"]).arg(&binary).arg(&file).output();
        let compiled = compiled.expect("a compiler");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        let output = Command::new(&binary).output().expect("it runs");
        (output.status.code(), output.stdout)
    };
    assert_eq!(run("before", EVERYTHING.as_bytes()), run("after", woven));
}

#[test]
fn everything_marked_behind() {
    let plan = marks(instrument::plan::When::After);
    assert!(plan.insertions.len() > 100);
    runs_as_before("behind", &marked(&plan).expect("every value has a place behind it"));
}

#[test]
fn everything_marked_before() {
    let mut plan = marks(instrument::plan::When::Before);
    let all = plan.insertions.len();
    // What changes a place with effects has none before it.
    plan.insertions.retain(|insertion| {
        let one =
            instrument::plan::Plan { insertions: vec![insertion.clone()], ..plan_without(&plan.locals) };
        marked(&one).is_ok()
    });
    assert!(plan.insertions.len() * 10 > all * 9, "{} of {all}", plan.insertions.len());
    runs_as_before("ahead", &marked(&plan).expect("they have places together, too"));
}

fn plan_without(locals: &[(cfront::ast::FunctionId, String)]) -> instrument::plan::Plan {
    instrument::plan::Plan { locals: locals.to_vec(), ..instrument::plan::Plan::default() }
}
