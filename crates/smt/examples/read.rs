//! scratch
use smt::{scope::Scope, sexpr::Text, term::Terms};
fn main() {
    let (mut ok, mut bad) = (0, 0);
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap();
        let Ok(text) = String::from_utf8(bytes) else { println!("{path}: utf8"); continue };
        let mut sources = diag::SourceMap::default();
        let file = sources.add(path.clone(), text).unwrap();
        let mut terms = Terms::new();
        let mut scope = Scope::new(&mut terms);
        if path.ends_with(".vmt") { scope = Scope::vmt(&mut terms); }
        let mut errors = Vec::new();
        let t = std::time::Instant::now();
        let mut n = 0;
        let mut roots = Vec::new();
        smt::script::read(&mut terms, &mut scope, Text::new(sources.text(file), 0), &mut errors, |_, c, _, _| { n += 1; if let smt::parse::Command::Assert(t) = c { roots.push(t) } if let smt::parse::Command::DefineFun(f) = c { let _ = f; } });
        if std::env::var("TIME").is_ok() { println!("{path} {} MB {:?} terms {}", sources.text(file).len() / 1000000, t.elapsed(), terms.len()); }
        for &r in &roots {
            let s = smt::print::term_text(&terms, r);
            let mut tree = smt::sexpr::Tree::new();
            let text = Text::new(&s, 0);
            let mut errs = Vec::new();
            smt::sexpr::Reader::new(text).read(&mut tree, &mut errs);
            let back = smt::parse::Parser::new(&mut terms, &mut scope, text, &tree, &mut errs).term(0);
            if back != r { println!("{path}: ROUNDTRIP {} {:?}", &s[..s.len().min(3000)], errs.iter().map(|e| &e.message).collect::<Vec<_>>()); break; }
        }
        if errors.is_empty() { ok += 1 } else { bad += 1; print!("{}", diag::render::text(&sources, &errors[0])); }
    }
    println!("ok {ok} bad {bad}");
}
