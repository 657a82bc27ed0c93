//! Small programs with many violations, run on many values: the compiler's sanitizer reports exactly where the error function
//! is reached.

use cfront::DataModel;
use instrument::weave::{Program, weave};
use instrument::{ia, plan, specs};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use testkit::Folder;

/// The values are the arguments; the error function ends the program with a status of its own.
const HEAD: &str = "int atoi(const char *); void _exit(int);\n";
const ERROR: &str = "void _exit(int); void reach_error(void) { _exit(42); }\n";

const BOUNDS: &str = "\
struct in { int a[3]; int end; };
struct out { struct in many[2]; int m[2][4]; int n; int last[2]; };
struct out v, w[2]; union { int few[2]; int all[8]; } u; static int t[5]; char c[4];
int at(int k, int i, int j, struct out *p, int (*q)[5]) {
  switch (k) {
  case 0: return t[i];
  case 1: return p->m[i][j];
  case 2: return v.many[i].a[j];
  case 3: return p->many[i].a[j] + p->n;
  case 4: return w[i].m[1][j];
  case 5: return v.last[i];
  case 6: return (*q)[i];
  case 7: return u.few[i] + u.all[j];
  case 8: return c[(unsigned char)i];
  case 9: return i[t];
  case 10: return \"abc\"[j];
  case 11: return i < 5 && i >= 0 ? t[i] : 0;
  case 12: { int *r = &t[i]; return r == t; }
  case 13: return w[1].many[i].a[1]++;
  default: t[i] += 2; return t[j] ? v.m[1][j] : 1;
  }
}
int main(int count, char **words) {
  int k = atoi(words[1]), i = atoi(words[2]), j = atoi(words[3]);
  at(k, i, j, &v, &t);
  return 0;
}
";

const DIVISIONS: &str = "\
int by(int k, int i, int j) {
  unsigned u = j; long l = i; signed char c = j; struct { int f : 3; } b = { j };
  switch (k) {
  case 0: return i / j;
  case 1: return i % j;
  case 2: return l / (i - j);
  case 3: return u % (unsigned)i;
  case 4: l /= j; return l;
  case 5: u %= i; return u;
  case 6: return i && 7 / i;
  case 7: return j ? i / j : 0;
  case 8: return 5 / c + 3 / (c - 1);
  case 9: return 4 / b.f;
  case 10: return 1.0 / j > 2;
  case 11: c /= i; return c;
  case 12: for (int r = 2; r != j; r--) l += 9 / r; return l;
  default: return (l % 3) / (j / 2);
  }
}
int main(int count, char **words) {
  int k = atoi(words[1]), i = atoi(words[2]), j = atoi(words[3]);
  if (k == 12 && (j > 2 || j < -3)) return 0;
  by(k, i, j);
  return 0;
}
";

fn compile(folder: &Folder, name: &str, text: &[u8], options: &[&str]) -> Option<PathBuf> {
    let (source, binary) = (folder.write(&format!("{name}.c"), text), folder.0.join(name));
    let mut command = Command::new("cc");
    command.args(["-w", "-std=gnu17", "-O0"]).args(options).arg("-o").arg(&binary).arg(&source);
    command.stderr(Stdio::null()).status().is_ok_and(|status| status.success()).then_some(binary)
}

fn compare(spec: &str, sanitizer: &str, report: &str, program: &str, kinds: i32) {
    let folder = Folder::new(&format!("sanitizers-{spec}"));
    let text = format!("{HEAD}{program}");
    let options = [&*format!("-fsanitize={sanitizer}")];
    let Some(judged) = compile(&folder, "judged", text.as_bytes(), &options) else {
        return testkit::skip(&format!("{spec} against a sanitizer"), "the compiler has none");
    };
    let read = ia::parse(specs::named(spec).expect("it ships").text, 0);
    let mut unit = cfront::parse(text.as_bytes(), 0, DataModel::Lp64);
    assert!(!unit.is_bad(), "{:?}", unit.findings);
    let cfas = cfront::cfa::automata(&unit);
    let plan = plan(&mut unit, &cfas, &read.spec);
    let input = Program { unit: &mut unit, text: text.as_bytes(), base: 0, original: None, cfas: &cfas };
    let mut woven = weave(input, &plan).expect("every operation has a place").text;
    woven.extend_from_slice(ERROR.as_bytes());
    let own = compile(&folder, "own", &woven, &[]).expect("the output is a program");
    let (mut reached, mut other) = (0, 0);
    for kind in 0..kinds {
        for i in -2..6 {
            for j in -1..5 {
                let words = [kind, i, j].map(|number| number.to_string());
                let said = Command::new(&judged).args(&words).output().expect("it runs").stderr;
                let is_reported = String::from_utf8_lossy(&said).contains(report);
                let status = Command::new(&own).args(&words).status().expect("it runs");
                assert_eq!(status.code() == Some(42), is_reported, "{spec} {words:?}");
                if is_reported {
                    reached += 1;
                } else {
                    other += 1;
                }
            }
        }
    }
    assert!(reached > 100 && other > 100, "{reached} {other}");
}

#[test]
fn array_bounds() {
    compare("array-bounds", "bounds", "out of bounds", BOUNDS, 15);
}

#[test]
fn division_by_zero() {
    compare("division-by-zero", "integer-divide-by-zero", "division by zero", DIVISIONS, 14);
}
