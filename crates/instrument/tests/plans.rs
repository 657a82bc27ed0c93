//! What is inserted where.

use cfront::DataModel;
use cfront::cfa::automata;
use instrument::plan::{At, Piece, Plan};
use instrument::{ia, plan, specs};

/// The plan for a program, one line per insertion: the place's text, and the operation with captures as they are written.
fn lines(spec: &str, program: &str) -> (Vec<String>, Plan) {
    let read = ia::parse(spec, 0);
    assert!(read.findings.is_empty(), "{:?}", read.findings);
    let mut unit = cfront::parse(program.as_bytes(), 0, DataModel::Lp64);
    assert!(!unit.is_bad(), "{:?}", unit.findings);
    let cfas = automata(&unit);
    let plan = plan(&mut unit, &cfas, &read.spec);
    let text = |span: diag::Span| &program[span.start as usize..span.end as usize];
    let lines = plan.insertions.iter().map(|insertion| {
        let at = match insertion.at {
            At::Entry => "entry".to_owned(),
            At::Head(at) => format!("at {at:?}"),
            At::Edge(edge, when) => format!("{when:?} {edge:?}"),
        };
        let body: String = insertion
            .text
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => text.clone(),
                Piece::Result => "RESULT".to_owned(),
                Piece::Capture(expr) => format!("<{}>", text(unit.exprs[*expr].span)),
            })
            .collect();
        format!("{at}: {body}")
    });
    (lines.collect(), plan)
}

#[test]
fn overflow() {
    let spec = specs::named("no-overflow").unwrap().text;
    let (lines, plan) = lines(
        spec,
        "int main(void) { int x = 1; char c = 2; unsigned u = 3; long l = x + 1L; x = x + c * 2; c++; x++; u++; u = u + 1; if (x - 1 > 0 && x / 2) return x << 3; return -x; }",
    );
    for line in &lines {
        println!("{line}");
    }
    println!("{plan:?}");
}

#[test]
fn show() {
    for (spec, program) in [
        (
            "example",
            "int main(void) { unsigned int x = 0; int y = 1; while (x < 127) { x = x + y; y = y + 1; } }",
        ),
        (
            "termination",
            "struct s { int a; struct { char b; float f; }; int *p; } g; int h; int k(int n) { h++; return n ? k(n - 1) : 0; } int main(void) { int a[3] = {1}; double d = 0; while (a[0]) { a[1]++; g.a++; d += 1; } l: if (g.a) goto l; for (int i = 0; i < 3; i++) k(i); }",
        ),
        (
            "termination",
            "void *malloc(unsigned long); int main(void) { int *a = malloc(4); while (*a) { *a = 1; } }",
        ),
        (
            "memory-cleanup",
            "void *malloc(unsigned long); void free(void*); void exit(int); int atexit(void(*)(void)); void f(void) { exit(1); } int main(void) { int *p = malloc(3); void *(*m)(unsigned long) = malloc; void *q = m(3); free(p); f(); atexit(f); if (p == q) __builtin_abort(); return 0; }",
        ),
        (
            "array-bounds",
            "int main(void) { int a[3]; int i = 0; a[i] = 1; int *p = &a[3]; return a[1] + p[1]; }",
        ),
        ("valid-free", "void *malloc(unsigned long); void free(void*); int main(void) { free(malloc(3)); }"),
    ] {
        let (lines, plan) = lines(specs::named(spec).unwrap().text, program);
        println!("--- {spec}");
        for line in &lines {
            println!("{line}");
        }
        println!("{:#?} {:#?} {:#?}", plan.globals, plan.locals, plan.findings);
    }
}
