//! Types and values of expressions. Each case is an expression in the scope of `CONTEXT`, with the type that GNU C gives it.

use cfront::ast::{ExprKind, StmtKind, Unit};
use cfront::{DataModel, parse};

const CONTEXT: &str = "
struct s { int a; unsigned b : 5; unsigned c : 32; long long d : 40; _Bool e : 1; char f[3]; struct s *next; };
union u { int i; float f; };
enum e { A, B = 7, C }; enum neg { N = -1 }; enum big { BIG = 0x1ffffffff, SMALL = 1 };
typedef unsigned char byte; typedef int (*fn)(long, char *);
extern struct s s, *p; extern union u u; extern enum e e; extern enum neg neg; extern byte b; extern fn f;
extern char c; extern signed char sc; extern short h; extern unsigned short uh; extern int i; extern unsigned n;
extern long l; extern unsigned long ul; extern long long ll; extern unsigned long long ull;
extern float fl; extern double d; extern long double ld; extern int a[10], m[3][4]; extern const int ci;
extern const char *str; extern void *v; extern _Bool t; extern __int128 w; extern int k();
";

fn unit(model: DataModel, expr: &str) -> Unit {
    let unit = parse(format!("{CONTEXT}void test(void) {{ {expr}; }}").as_bytes(), 0, model);
    assert!(!unit.is_bad(), "{expr}: {:?}", unit.findings);
    unit
}

/// The last statement's expression: its type as text, and its value.
fn typed(model: DataModel, text: &str) -> (String, Option<i128>) {
    let mut unit = unit(model, text);
    let Some(function) = unit.functions.iter().next() else { panic!("no function") };
    let StmtKind::Block(list) = unit.stmts[function.body].kind else { panic!("no body") };
    let StmtKind::Expr(expr) = unit.stmts[unit.block(list)[0]].kind else { panic!("no expression") };
    let ty = match unit.expr(expr).kind {
        // Places keep their own type; what is asked for is the value's.
        ExprKind::Name(_) => unit.value_type(expr),
        _ => unit.expr(expr).ty,
    };
    (unit.types.text(&unit.names, ty), unit.int_value(expr))
}

fn check(cases: &[(&str, &str, &str)]) {
    for (expr, lp64, ilp32) in cases {
        assert_eq!(typed(DataModel::Lp64, expr).0, *lp64, "{expr} in LP64");
        assert_eq!(typed(DataModel::Ilp32, expr).0, *ilp32, "{expr} in ILP32");
    }
}

#[test]
fn arithmetic() {
    check(&[
        ("c + sc", "int", "int"),
        ("uh * uh", "int", "int"),
        ("h << l", "int", "int"),
        ("n << ll", "unsigned int", "unsigned int"),
        ("i + n", "unsigned int", "unsigned int"),
        ("l + n", "long", "unsigned long"),
        ("ll + ul", "unsigned long long", "long long"),
        ("l * ull", "unsigned long long", "unsigned long long"),
        ("w + ull", "__int128", "__int128"),
        ("-t", "int", "int"),
        ("~b", "int", "int"),
        ("+c", "int", "int"),
        ("!d", "int", "int"),
        ("i < l", "int", "int"),
        ("fl + i", "float", "float"),
        ("fl * d", "double", "double"),
        ("d + ld", "long double", "long double"),
        ("l / fl", "float", "float"),
        ("i && v", "int", "int"),
        ("(i, c)", "char", "char"),
        ("c += l", "char", "char"),
        ("h++", "short", "short"),
        ("b = 300", "unsigned char", "unsigned char"),
    ]);
}

#[test]
fn members_and_bit_fields() {
    check(&[
        ("s.b + 0", "int", "int"),
        ("s.c + 0", "unsigned int", "unsigned int"),
        ("s.d + 0", "long long", "long long"),
        ("-s.e", "int", "int"),
        ("s.b", "unsigned int", "unsigned int"),
        ("p->next->a", "int", "int"),
        ("p->f", "char [3]", "char [3]"),
        ("&s.a", "int *", "int *"),
        ("u.f", "float", "float"),
        ("&p->next->f", "char (*)[3]", "char (*)[3]"),
    ]);
}

#[test]
fn enumerations() {
    check(&[
        ("A", "int", "int"),
        ("e + 0", "unsigned int", "unsigned int"),
        ("neg + 0", "int", "int"),
        ("SMALL", "int", "int"),
        ("BIG + 0", "unsigned long", "unsigned long long"),
    ]);
}

#[test]
fn pointers_and_calls() {
    check(&[
        ("a + 1", "int *", "int *"),
        ("m[1]", "int [4]", "int [4]"),
        ("*m", "int [4]", "int [4]"),
        ("&a", "int (*)[10]", "int (*)[10]"),
        ("&a[2] - a", "long", "int"),
        ("f(1, 0)", "int", "int"),
        ("(*f)(1, 0)", "int", "int"),
        ("k(1, 2.0, v)", "int", "int"),
        ("i ? a : 0", "int *", "int *"),
        ("i ? v : a", "void *", "void *"),
        ("i ? str : v", "const void *", "const void *"),
        ("i ?: l", "long", "long"),
        ("*str", "const char", "const char"),
        ("sizeof i", "unsigned long", "unsigned int"),
        ("(char)i", "char", "char"),
        ("(const int)i", "int", "int"),
        ("({ int q = 1; q + 1L; })", "long", "long"),
        ("(struct s){ .a = 1 }.a", "int", "int"),
        ("_Generic(c, char: l, default: i)", "long", "long"),
        ("__builtin_expect(i, 1)", "long", "long"),
        ("&&here; here: ;", "void *", "void *"),
        ("__func__", "const char [5]", "const char [5]"),
        ("L\"ab\"", "int [3]", "long [3]"),
        ("malloc(1)", "void *", "void *"),
        ("strlen(str)", "unsigned long", "unsigned int"),
    ]);
}

#[test]
fn literals() {
    check(&[
        ("2147483647", "int", "int"),
        ("2147483648", "long", "long long"),
        ("0x80000000", "unsigned int", "unsigned int"),
        ("0xffffffffff", "long", "long long"),
        ("4294967296u", "unsigned long", "unsigned long long"),
        ("1lu", "unsigned long", "unsigned long"),
        ("1LLU", "unsigned long long", "unsigned long long"),
        ("0x8000000000000000", "unsigned long", "unsigned long long"),
        ("16045481047391994112", "__int128", "unsigned long long"),
        ("'a'", "int", "int"),
        ("L'a'", "int", "long"),
        ("u'a'", "unsigned short", "unsigned short"),
        ("1.5", "double", "double"),
        ("1.5f", "float", "float"),
        ("1e3L", "long double", "long double"),
        ("0x1.8p3", "double", "double"),
        ("1.0if", "_Complex float", "_Complex float"),
        ("\"abc\"", "char [4]", "char [4]"),
        ("\"a\" \"b\\x41\"", "char [4]", "char [4]"),
        ("u8\"\\u00e4\"", "char [3]", "char [3]"),
    ]);
}

#[test]
fn values() {
    let cases: &[(&str, i128, i128)] = &[
        ("'\\xff'", -1, -1),
        ("'ab'", 0x6162, 0x6162),
        ("07 + 0b11 + 0x10", 26, 26),
        ("-1 / 2 + -7 % 3", -1, -1),
        ("-1 > 0u", 1, 1),
        ("(unsigned char)300", 44, 44),
        ("(signed char)200", -56, -56),
        ("-1 >> 1", -1, -1),
        ("~0u >> 28", 15, 15),
        ("1 ? 2 : 1 / 0", 2, 2),
        ("0 && 1 / 0", 0, 0),
        ("(int)3.99 + (int)-0x1.8p1", 0, 0),
        ("2147483647 + 1", -2147483648, -2147483648),
        ("sizeof(struct s)", 40, 28),
        ("sizeof(m) / sizeof(m[0])", 3, 3),
        ("sizeof(long)", 8, 4),
        ("sizeof(long double)", 16, 12),
        ("_Alignof(long long)", 8, 4),
        ("__alignof__(long long)", 8, 8),
        ("__builtin_offsetof(struct s, f[2])", 24, 20),
        ("(unsigned long)&((struct s *)0)->next", 32, 24),
        ("(char *)&((struct s *)16)->f[1] - (char *)16", 23, 19),
        ("(int *)8 + 2 == (int *)16", 1, 1),
        ("__builtin_constant_p(3) + __builtin_constant_p(i)", 1, 1),
        ("__builtin_types_compatible_p(int, const int)", 1, 1),
        ("__builtin_types_compatible_p(long, long long)", 0, 0),
        ("__builtin_choose_expr(1, 5, v)", 5, 5),
        ("C", 8, 8),
        ("sizeof \"abc\" + sizeof(char[2][3])", 10, 10),
    ];
    for &(expr, lp64, ilp32) in cases {
        assert_eq!(typed(DataModel::Lp64, expr).1, Some(lp64), "{expr} in LP64");
        assert_eq!(typed(DataModel::Ilp32, expr).1, Some(ilp32), "{expr} in ILP32");
    }
}
