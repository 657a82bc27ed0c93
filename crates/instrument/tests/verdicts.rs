//! Programs that violate specifications and programs that do not: woven, compiled and executed with many choices. The error
//! function is reached for exactly those that do.

use cfront::DataModel;
use instrument::weave::{Program, strip, weave};
use instrument::{ia, plan, specs};
use std::path::Path;
use std::process::{Command, Stdio};

/// Choices come from the environment; the error function ends the program with a status of its own, as do two seconds.
const DRIVER: &str = "\
void *malloc(unsigned long); char *getenv(const char *); int atoi(const char *); void _exit(int); unsigned alarm(unsigned);
static unsigned long state;
__attribute__((constructor)) static void start(void) { state = atoi(getenv(\"SEED\")) * 0x9E3779B97F4A7C15ul; alarm(2); }
_Bool __VERIFIER_nondet_bool(void) { state = state * 6364136223846793005ul + 1442695040888963407ul; return state >> 60 & 1; }
void reach_error(void) { _exit(42); }
";

const HEAD: &str = "\
void *malloc(unsigned long); void *calloc(unsigned long, unsigned long); void *realloc(void *, unsigned long);
void free(void *); char *strdup(const char *); int posix_memalign(void **, unsigned long, unsigned long);
void *aligned_alloc(unsigned long, unsigned long); void exit(int); void _exit(int); void abort(void);
int atexit(void (*)(void)); int pthread_mutex_lock(void *); int pthread_mutex_unlock(void *);
char *strndup(const char *, unsigned long); char *realpath(const char *, char *); char *getcwd(char *, unsigned long);
typedef struct file FILE; FILE *tmpfile(void); int fputs(const char *, FILE *); void rewind(FILE *); int fclose(FILE *);
long getline(char **, unsigned long *, FILE *); FILE *open_memstream(char **, unsigned long *);
struct dirent; int scandir(const char *, struct dirent ***, int (*)(const struct dirent *),
  int (*)(const struct dirent **, const struct dirent **)); int memcmp(const void *, const void *, unsigned long);
";

/// Whether some execution reaches the error function.
fn violates(folder: &Path, spec: &str, program: &str) -> bool {
    let text = format!("{HEAD}{program}\n");
    let read = ia::parse(specs::named(spec).expect("it ships").text, 0);
    let mut unit = cfront::parse(text.as_bytes(), 0, DataModel::Lp64);
    assert!(!unit.is_bad(), "{program}: {:?}", unit.findings);
    let cfas = cfront::cfa::automata(&unit);
    let plan = plan(&mut unit, &cfas, &read.spec);
    assert!(plan.findings.is_empty(), "{program}: {:?}", plan.findings);
    let program = Program { unit: &mut unit, text: text.as_bytes(), base: 0, original: None, cfas: &cfas };
    let woven = weave(program, &plan).unwrap_or_else(|problems| panic!("{text}: {problems:?}"));
    assert_eq!(strip(&woven.text).as_deref(), Ok(text.as_bytes()));
    let (source, binary) = (folder.join("woven.c"), folder.join("woven"));
    std::fs::write(&source, &woven.text).expect("a scratch file");
    let driver = folder.join("driver.c");
    std::fs::write(&driver, DRIVER).expect("a scratch file");
    let output = Command::new("cc")
        .args(["-w", "-std=gnu17", "-o"])
        .args([&binary, &source, &driver])
        .output()
        .expect("a compiler");
    let shown = String::from_utf8_lossy(&woven.text);
    assert!(output.status.success(), "{shown}\n{}", String::from_utf8_lossy(&output.stderr));
    (1..=40).any(|seed| {
        let mut command = Command::new(&binary);
        command.env("SEED", seed.to_string()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().expect("the program runs").code() == Some(42)
    })
}

fn check(spec: &str, wrong: &[&str], right: &[&str]) {
    if Command::new("cc").arg("--version").output().is_err() {
        return testkit::skip("executions of woven programs", "there is no `cc`");
    }
    let folder = std::env::temp_dir().join(format!("svarog-verdicts-{spec}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    for program in wrong {
        assert!(violates(&folder, spec, program), "{spec}: no violation found in {program}");
    }
    for program in right {
        assert!(!violates(&folder, spec, program), "{spec}: a violation found in {program}");
    }
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn termination() {
    check(
        "termination",
        &[
            "int main(void) { while (1) ; }",
            "int main(void) { int x = 0; for (;;) x = !x; }",
            "int main(void) { int x = 5; do { x = x > 3 ? x - 1 : 5; } while (x); }",
            "int main(void) { int x = 3; l: if (x) goto l; return 0; }",
            "int main(void) { int a[3] = { 1, 1, 1 }; int i = 0; while (a[i]) i = (i + 1) % 3; }",
            "struct s { int a; struct { char b; }; } g = { 1 }; int main(void) { while (g.a) { g.b ^= 1; } }",
            "int f(int n) { return f(n); } int main(void) { return f(1); }",
            "int g; int b(int); int a(int n) { g = !g; return b(n); } int b(int n) { return a(n); } int main(void) { a(2); }",
            "int main(void) { int x = 1, *p = &x; while (*p) *p = 3 - *p; }",
            "int main(void) { int *p = __builtin_alloca(sizeof(int)); *p = 1; while (*p) *p = 3 - *p; }",
            "int main(void) { int *p = malloc(8); if (!p) return 0; p[0] = p[1] = 1; while (p[0]) p[1] = -p[1]; }",
            "int main(void) { double d = 0; while (d == d) d = -d; }",
            "void f(void) { static int s; for (;;) s = !s; } int main(void) { f(); }",
            "int main(void) { for (int i = 0; i < 3; i++) { int j = 0; while (j < 3) { j++; i = 0; if (j == 2) j = 0; } } }",
        ],
        &[
            "int main(void) { for (int i = 0; i < 10; i++) ; }",
            "int main(void) { int i = 0; while (i < 10) { int j = 0; while (j < 3) j++; i++; } }",
            "int f(int n) { int k = 0; while (k < 2) k++; return k; } int main(void) { for (int i = 0; i < 5; i++) f(1); }",
            "int g; int f(int n) { while (g > 0) g--; return n; } int main(void) { for (int i = 0; i < 5; i++) { g = 2; f(1); } }",
            "int f(int n) { return n ? f(n - 1) : 0; } int main(void) { for (int i = 0; i < 4; i++) f(3); }",
            "int g = 5; int f(int n) { if (g-- > 0) f(n); return 0; } int main(void) { f(1); g = 5; f(1); }",
            "int a[4]; int main(void) { int i = 0; while (i < 4) { a[i]++; if (a[i] == 3) i++; } }",
            "int main(void) { int x = 9, *p = &x; while (*p) --*p; }",
            "struct s { int a[2]; } g[2]; int main(void) { while (g[1].a[1] < 5) g[1].a[1]++; }",
            "void f(void) { static int s; while (s < 5) s++; } int main(void) { f(); f(); }",
            "int main(void) { int *p = __builtin_alloca(sizeof(int)); *p = 5; while (*p) --*p; }",
            "union u { int i; char c[8]; } g; int main(void) { while (g.c[6] < 5) g.c[6]++; }",
            "int main(void) { float f = 1; while (f < 100) f *= 2; }",
            "int main(void) { int i = 0; l: i++; if (i < 7) goto l; }",
            "int main(void) { int x = 5; void f(void) { x--; } while (x > 0) f(); }",
            // What runs at the end of a scope.
            "int g = 9; void f(int *p) { g--; } int main(void) { while (g) { __attribute__((cleanup(f))) int x; } }",
            // Bytes between members.
            "struct s { char c; int i; } g; int main(void) { char *p = (char *)&g; while (p[1] < 5) p[1]++; }",
            "extern void __VERIFIER_error(void); int main(void) { while (1) __VERIFIER_error(); }",
        ],
    );
}

/// Programs that end, and about which a copy of the state says nothing: it has to be said that they are not covered.
#[test]
fn termination_is_not_covered() {
    let programs = [
        // A block of an activation that has ended, or of an outer one.
        "int *g; void f(void) { while (g && *g > 0) --*g; if (!g) { g = malloc(4); if (g) *g = 9; } } int main(void) { f(); f(); }",
        "int *g; void f(int n) { while (g && *g > 0) --*g; if (n) { g = __builtin_alloca(4); *g = 9; f(n - 1); } } int main(void) { f(3); }",
        // Jumps that the control flow does not show.
        "void *b[5]; int n; int f(int x) { if (n++ < 5) __builtin_longjmp(b, 1); return x ? f(x - 1) : 0; }
           int main(void) { __builtin_setjmp(b); f(2); }",
        "struct t { long a[40]; } b; int _setjmp(struct t *); void longjmp(struct t *, int); volatile int n;
           int main(void) { int x = 0; _setjmp(&b); while (x < 3) x++; x = 0; if (n++ < 5) longjmp(&b, 1); }",
        "struct u { long a[200]; } a, b; int getcontext(struct u *); int swapcontext(struct u *, const struct u *);
           int main(void) { int n = 0; getcontext(&a); while (n < 3) n++; swapcontext(&b, &a); }",
        // Signals.
        "volatile int done; void h(int s) { done = 1; } void (*signal(int, void (*)(int)))(int); unsigned alarm(unsigned);
           int main(void) { signal(14, h); alarm(1); while (!done) ; }",
        "unsigned alarm(unsigned); int main(void) { alarm(1); while (1) ; }",
        // A function inside another one.
        "int main(void) { int x = 5; void f(void) { while (x > 0) x--; } f(); }",
        // Vectors are not copied.
        "typedef int v4 __attribute__((vector_size(16))); int main(void) { v4 v = {0}; while (v[2] < 5) v[2]++; }",
        // What a library remembers.
        "char s[] = \"a b\"; char *strtok(char *, const char *); int main(void) { strtok(s, \" \"); while (strtok(0, \" \")) ; }",
    ];
    for program in programs {
        let text = format!("{HEAD}{program}\n");
        let read = ia::parse(specs::named("termination").expect("it ships").text, 0);
        let mut unit = cfront::parse(text.as_bytes(), 0, DataModel::Lp64);
        assert!(!unit.is_bad(), "{program}: {:?}", unit.findings);
        let cfas = cfront::cfa::automata(&unit);
        let plan = plan(&mut unit, &cfas, &read.spec);
        let is_said = plan.findings.iter().any(|finding| finding.message.contains("does not look at this"));
        assert!(is_said, "{program}: {:?}", plan.findings);
    }
}

#[test]
fn memory_cleanup() {
    check(
        "memory-cleanup",
        &[
            "int main(void) { malloc(1); }",
            "int main(void) { void *p = calloc(1, 2); return 0; }",
            "int main(void) { void *p = malloc(1); p = realloc(p, 5); }",
            "int main(void) { void *p = realloc((void *)0, 5); }",
            "int main(void) { char *p = strdup(\"x\"); exit(0); }",
            "int main(void) { void *p; posix_memalign(&p, 16, 32); _exit(1); }",
            "int main(void) { void *p = aligned_alloc(16, 32); abort(); }",
            "void f(void *p) { exit(1); } int main(void) { f(malloc(1)); }",
            "void *(*get)(unsigned long) = malloc; int main(void) { get(3); }",
            "int main(void) { void *p = malloc(1), *q = malloc(2); free(p); if (q) return 1; }",
            "void *p; void h(void) { } int main(void) { p = malloc(1); atexit(h); }",
            "int main(void) { char *p = strndup(\"xy\", 1), *q = realpath(\"/\", 0); free(p); }",
            "int main(void) { char *p = getcwd(0, 0); }",
            "int main(void) { FILE *f = tmpfile(); char *l = 0; unsigned long n = 0; getline(&l, &n, f); fclose(f); }",
            "int main(void) { char *p = 0; unsigned long n; FILE *f = open_memstream(&p, &n); fputs(\"x\", f); fclose(f); }",
            "int main(void) { struct dirent **l; int n = scandir(\"/\", &l, 0, 0); if (n >= 0) free(l); }",
            "extern void __VERIFIER_error(); int main(void) { void *p = malloc(1); if (p) __VERIFIER_error(); free(p); }",
            "void f(void **p) { } int main(void) { __attribute__((cleanup(f))) void *p = malloc(1); }",
            "void *own(int n) { return malloc(n); } int main(void) { void *p = own(3); }",
        ],
        &[
            "int main(void) { free(malloc(1)); }",
            "int main(void) { void *p = malloc(1); p = realloc(p, 500); free(p); return 0; }",
            "int main(void) { void *p = malloc(1); p = realloc(p, 0); }",
            "int main(void) { void *p = malloc(1), *q = realloc(p, -1ul >> 1); free(q ? q : p); }",
            "int main(void) { void *p = __builtin_alloca(5); }",
            "int main(void) { void *p; if (!posix_memalign(&p, 16, 32)) free(p); exit(0); }",
            "void (*put)(void *) = free; int main(void) { put(malloc(3)); }",
            "void *p; void h(void) { free(p); } int main(void) { p = malloc(1); atexit(h); }",
            "void *p; void h(void) { free(p); } int main(void) { atexit(h); p = malloc(1); exit(1); }",
            "int main(void) { for (int i = 0; i < 9; i++) { void *p = malloc(i); free(p); } }",
            "int main(void) { int x = malloc == 0; return x; }",
            "int main(void) { char *p = strndup(\"xy\", 1), *q = realpath(\"/\", 0); free(p); free(q); }",
            "char b[5000]; int main(void) { char *q = realpath(\"/\", b), *p = getcwd(b, sizeof b); }",
            "int main(void) { FILE *f = tmpfile(); char *l = 0; unsigned long n = 0; fputs(\"a\\nb\\n\", f); rewind(f);
               while (getline(&l, &n, f) > 0) ; free(l); fclose(f); }",
            "int main(void) { char *p = 0; unsigned long n; FILE *f = open_memstream(&p, &n); fputs(\"x\", f); fclose(f); free(p); }",
            "int main(void) { struct dirent **l; int n = scandir(\"/\", &l, 0, 0), i; if (n < 0) return 1;
               for (i = 0; i < n; i++) free(l[i]); free(l); }",
            "extern void __VERIFIER_error(); int main(void) { void *p = malloc(1); free(p); if (p) __VERIFIER_error(); }",
            "void f(void **p) { free(*p); } int main(void) { __attribute__((cleanup(f))) void *p = malloc(1); return 0; }",
            // Functions of the program's own that have names of the library's.
            "static char arena[99]; void *calloc(unsigned long n, unsigned long m) { return arena; } int main(void) { calloc(1, 2); }",
            "long getdelim(char **line, int n, int d, int f) { static char s[9]; *line = s; return 1; }
               int main(void) { char *l = 0; getdelim(&l, 1, 2, 3); }",
            "static char arena[9]; char *strdup(const char *s) { return arena; } char *(*copy)(const char *) = strdup;
               int main(void) { copy(\"x\"); }",
        ],
    );
}

#[test]
fn valid_free() {
    check(
        "valid-free",
        &[
            "int main(void) { void *p = malloc(1); free(p); free(p); }",
            "int main(void) { int x; free(&x); }",
            "int main(void) { char *p = malloc(5); free(p + 1); }",
            "int main(void) { void *p = malloc(1); free(p); p = realloc(p, 3); }",
            "int main(void) { void *p = malloc(1), *q = realloc(p, 100000); free(q); if (p != q) free(p); }",
            "char b[5000]; int main(void) { char *q = realpath(\"/\", b); free(q); }",
            "int main(void) { char *p = 0; unsigned long n; FILE *f = open_memstream(&p, &n); fputs(\"x\", f); fclose(f); free(p); free(p); }",
            "void f(void **p) { free(*p); } int main(void) { __attribute__((cleanup(f))) void *p = malloc(1); free(p); }",
        ],
        &[
            "int main(void) { free(malloc(1)); free((void *)0); }",
            "int main(void) { void *p = malloc(1); p = realloc(p, 5); free(p); }",
            "int main(void) { void *p = malloc(1), *q = realloc(p, -1ul >> 1); free(q ? q : p); }",
            "int main(void) { for (int i = 0; i < 9; i++) { void *p = malloc(9); free(p); } }",
            "int main(void) { char *p = strndup(\"xy\", 1), *q = realpath(\"/\", 0), *r = getcwd(0, 0); free(p); free(q); free(r); }",
            "int main(void) { FILE *f = tmpfile(); char *l = malloc(1); unsigned long n = 1; fputs(\"abcdefghijklmnopqrs\\nb\\n\", f);
               rewind(f); while (getline(&l, &n, f) > 0) ; free(l); fclose(f); }",
            "int main(void) { char *p = 0; unsigned long n; FILE *f = open_memstream(&p, &n); fputs(\"x\", f); fclose(f); free(p); }",
            "int main(void) { struct dirent **l; int n = scandir(\"/\", &l, 0, 0), i; if (n < 0) return 1;
               for (i = 0; i < n; i++) free(l[i]); free(l); }",
            "int x; void cfree(void *p) { } int main(void) { cfree(&x); }",
        ],
    );
}

#[test]
fn no_overflow() {
    check(
        "no-overflow",
        &[
            "int main(void) { int x = 2147483647; return x + 1; }",
            "int main(void) { int x = -2147483647; x -= 2; }",
            "int main(void) { unsigned short s = 65535; return s * s; }",
            "int main(void) { int x = -2147483647 - 1; return x / -1; }",
            "int main(void) { int x = -2147483647 - 1; return -x; }",
            "int main(void) { long x = 9223372036854775807; x++; }",
            "int main(void) { int x = 1; return x << 31; }",
            "int main(void) { int a[2] = { 0, 2147483647 }, i = 0; a[++i]++; }",
            "int main(void) { int x = 65536; return 0 || x * x; }",
            "struct s { long f; }; int main(void) { struct s s = { -9223372036854775807 }, *p = &s; p->f -= 2; }",
            "struct s { unsigned u : 31; } s; int main(void) { s.u = 2147483647; return s.u + 1; }",
            "struct s { unsigned u : 31; } s; int main(void) { s.u = 2147483647; s.u += 1; }",
            "struct s { unsigned u : 31; } s; int main(void) { s.u = 2147483647; return (s.u++) * 2; }",
            "struct s { unsigned long u : 20; } s; int main(void) { s.u = 1048575; s.u *= 1048575; }",
        ],
        &[
            "int main(void) { char c = 127; c++; short s = 32767; s += 1; ++s; }",
            "int main(void) { unsigned x = -1; x++; x * x; return 0; }",
            "int main(void) { int x = 2147483647; x += 1.5; return x > 2147483648; }",
            "int main(void) { int x = 2147483647; return 0 && x + 1; }",
            "int main(void) { int x = 7; return x % 2; }",
            "struct s { int b : 3; }; int main(void) { struct s s = { 3 }; s.b++; }",
            "struct s { unsigned u : 3; } s; int main(void) { s.u -= 5; s.u = 0; return s.u - 5 + -s.u; }",
            "struct s { unsigned u : 31, v : 32; } s; int main(void) { s.u--; s.u++; s.v = s.v - 1; s.v += 2; s.v <<= 31; }",
            "struct s { unsigned u : 3; } s, *p = &s; int main(void) { return p->u++ - 5 < 0 && (s.u = 1) - 2 < 0 ? 0 : 2147483647 + p->u; }",
            "int main(void) { long x = 2147483647; x++; return sizeof(x + x); }",
            "int main(void) { int x = 2147483647; return (int)((unsigned)x + 1u); }",
        ],
    );
}

#[test]
fn the_others() {
    check(
        "division-by-zero",
        &["int z; int main(void) { return 1 / z; }", "int z; int main(void) { int x = 3; x %= z; }"],
        &["double z; int z1 = 2; int main(void) { double d = 1 / z; return 4 / z1 && z1 % 3; }"],
    );
    check(
        "array-bounds",
        &[
            "int a[3], i = 3; int main(void) { return a[i]; }",
            "int a[3], i = -1; int main(void) { a[i] = 1; }",
            "int a[2][3]; unsigned long i = 3; int main(void) { return a[1][i]; }",
            "int a[2][3], i = 2; int main(void) { return a[i][0]; }",
            "struct s { int n; int t[3]; } v; int i = 3; int main(void) { return v.t[i]; }",
            "struct s { int t[3]; int n; } v, *p = &v; int i = 3; int main(void) { p->t[i] = 1; }",
            "struct s { int n; int t[3]; } v[2]; int i = 3; int main(void) { return v[1].t[i]; }",
            "struct s { struct { int k[2]; } in; int n; } v, *p = &v; int i = 2; int main(void) { p->in.k[i]++; }",
            "struct s { int m[2][4]; int n; } v, *p = &v; int i = 4; int main(void) { return p->m[1][i]; }",
            "union u { int s[2]; int l[9]; } v; int i = 2; int main(void) { return v.s[i]; }",
            "int i = 4; int main(void) { return \"abc\"[i]; }",
        ],
        &[
            "int a[3]; int main(void) { int s = 0; for (int *p = a; p != &a[3]; p++) s += *p; return s + a[2]; }",
            "struct s { int n; int t[1]; }; int main(void) { struct s *p = malloc(64); if (p) p->t[3] = 1; free(p); }",
            "struct s { int n; struct { int k; int t[1]; } in; }; int main(void) { struct s *p = malloc(64); if (p) p->in.t[3] = 1; free(p); }",
            "struct s { int n; int t[3]; } v; int main(void) { int s = 0; for (int i = 0; i < 3; i++) s += v.t[i]; return s + \"abc\"[3]; }",
        ],
    );
    let locks = "int pthread_mutex_lock(void *m) { return 0; } int pthread_mutex_unlock(void *m) { return 0; } int m, n;";
    check(
        "lock-unlock",
        &[
            &format!("{locks} int main(void) {{ pthread_mutex_lock(&m); pthread_mutex_lock(&m); }}"),
            &format!("{locks} int main(void) {{ pthread_mutex_unlock(&m); }}"),
            &format!("{locks} int main(void) {{ pthread_mutex_lock(&m); }}"),
        ],
        &[&format!(
            "{locks} int main(void) {{ pthread_mutex_lock(&m); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m); }}"
        )],
    );
    check(
        "unreach-call",
        &[
            "void reach_error(void); int main(void) { reach_error(); }",
            "void __VERIFIER_error(void) { } int main(void) { __VERIFIER_error(); }",
        ],
        &["void reach_error(void); int main(void) { return 0; reach_error(); }"],
    );
}
