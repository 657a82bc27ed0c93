//! Specifications of C programs: they are answered with places in the text, and what has no errors can be woven into a
//! program or is refused, and can be stripped again.

use cfront::DataModel;
use instrument::weave::{Program, strip, weave};
use std::hash::{DefaultHasher, Hash, Hasher};

const PROGRAM: &str = "void *malloc(unsigned long); void free(void *); int g(int); struct s { int a[3]; char c; } s; void (*p)(void *) = free;
int f(int n, long l) { int a[4] = { 1 }; for (int i = 0; i < n && g(i); i++) { a[i % 4] += n * i; if (l << 2) break; }
  do n--; while (n > -3); l: s.c++; if (s.a[n] / 2) goto l; void *q = malloc(n + 1u); p(q); return n ? f(n - 1, -l) : 0; }
int main(void) { return f(g(3), 2) == 1; }
";

pub(super) fn run(bytes: &[u8]) -> Result<u64, String> {
    let text = String::from_utf8_lossy(bytes);
    let read = instrument::ia::parse(&text, 3);
    let end = 3 + text.len() as u32;
    let mut mark = DefaultHasher::new();
    for finding in &read.findings {
        if finding.span.start < 3 || finding.span.end > end || finding.span.start > finding.span.end {
            return Err(format!("a place outside of the text: {finding:?}"));
        }
        (finding.code.name(), finding.message.len() % 16).hash(&mut mark);
    }
    if read.findings.is_empty() {
        let mut unit = cfront::parse(PROGRAM.as_bytes(), 0, DataModel::Lp64);
        let cfas = cfront::cfa::automata(&unit);
        let plan = instrument::plan(&mut unit, &cfas, &read.spec);
        (plan.insertions.len().min(40), plan.locals.len().min(10), plan.findings.len()).hash(&mut mark);
        let program =
            Program { unit: &mut unit, text: PROGRAM.as_bytes(), base: 0, original: None, cfas: &cfas };
        if let Ok(woven) = weave(program, &plan)
            && strip(&woven.text).as_deref() != Ok(PROGRAM.as_bytes())
        {
            return Err("stripping does not give back the program".to_owned());
        }
    }
    Ok(mark.finish())
}
