//! Control-flow automata: their shape, and that executing them is executing the program.

use cfront::ast::{BinaryOp, EntityId, ExprId, ExprKind, InitKind, StmtKind, UnaryOp, Unit};
use cfront::cfa::{Cfa, ExitKind, LocId, Op, automata};
use cfront::{DataModel, parse};
use std::collections::BTreeMap;

fn read(text: &str) -> (Unit, Vec<Cfa>) {
    let unit = parse(text.as_bytes(), 0, DataModel::Lp64);
    assert!(!unit.is_bad(), "{text}: {:?}", unit.findings);
    let all = automata(&unit);
    for cfa in &all {
        assert_eq!(cfa.verify(), [""; 0], "{text}");
    }
    (unit, all)
}

#[test]
fn automata_of_everything_are_well_formed() {
    let (unit, all) = read(include_str!("data/everything.c"));
    assert_eq!(all.len(), unit.functions.len());
    assert!(all.iter().map(|cfa| cfa.heads.len()).sum::<usize>() >= 3);
}

/// The kinds of loops of a function, as words.
fn heads(body: &str) -> Vec<String> {
    let (unit, all) = read(&format!("int x, y; void f(void) {{ {body} }}"));
    let word = |stmt| match unit.stmts[stmt].kind {
        StmtKind::While(..) => "while",
        StmtKind::Do(..) => "do",
        StmtKind::For(_) => "for",
        _ => "other",
    };
    all[0]
        .heads
        .iter()
        .map(|head| {
            let kind = head.stmt.map_or("goto", word);
            if head.is_irreducible { format!("{kind} entered beside its head") } else { kind.to_owned() }
        })
        .collect()
}

#[test]
fn every_loop_has_a_head() {
    assert_eq!(heads("x = 1;"), [""; 0]);
    assert_eq!(heads("while (x) y++;"), ["while"]);
    assert_eq!(heads("for (;;) x++;"), ["for"]);
    assert_eq!(heads("do x++; while (x && y);"), ["do"]);
    assert_eq!(heads("l: if (x) goto l;"), ["goto"]);
    assert_eq!(heads("for (;;);"), ["for"]);
    assert_eq!(heads("while (x) for (y = 0; y < 3; y++) ;").len(), 2);
    assert_eq!(heads("do x++; while (0);"), [""; 0]);
    assert_eq!(heads("goto in; while (x) { y++; in: x--; }"), ["goto"]);
    let beside = heads("if (y) goto in; while (x) { y++; in: x--; }");
    assert!(beside.len() == 1 && beside[0].ends_with("entered beside its head"), "{beside:?}");
    assert_eq!(heads("if (x) goto b; a: y++; b: x--; if (y) goto a;"), ["goto entered beside its head"]);
    assert_eq!(heads("while (x) { while (y) { if (x) break; } continue; }").len(), 2);
}

#[test]
fn all_ends_are_found() {
    let (unit, all) = read(
        "void exit(int); void _exit(int); void abort(void); _Noreturn void stop(void); void exit2(int);
         int main(int c) { if (c == 1) exit(0); if (c == 2) _exit(1); if (c == 3) abort(); if (c == 4) stop();
           if (c == 5) return 3; if (c == 6) exit2(1); }",
    );
    let words: Vec<&str> = all[0]
        .exits
        .iter()
        .map(|exit| match exit.kind {
            ExitKind::Return(_) => "return",
            ExitKind::FallOff => "end",
            ExitKind::Exit(_) => "exit",
            ExitKind::QuickExit(_) => "quick",
            ExitKind::Abort(_) => "abort",
            ExitKind::NoReturn(_) => "noreturn",
        })
        .collect();
    assert_eq!(words, ["exit", "quick", "abort", "noreturn", "return", "end"]);
    assert!(all[0].is_main);
    assert_eq!(unit.functions.len(), 1);
}

#[test]
fn what_is_not_shown_is_named() {
    let (_, all) = read(
        "typedef long jmp_buf[8]; int setjmp(jmp_buf); void longjmp(jmp_buf, int); jmp_buf b; void done(int *);
         int f(void) { int x __attribute__((cleanup(done))) = 1; return x; }
         int g(void) { if (setjmp(b)) return 1; longjmp(b, 1); } int h(void) { return 0; }",
    );
    let words: Vec<Vec<&str>> =
        all.iter().map(|cfa| cfa.unsupported.iter().map(|(what, _)| *what).collect()).collect();
    let jumps = "jumps between functions";
    assert_eq!(words, [vec!["the attribute `cleanup`"], vec![jumps, jumps], vec![]]);
}

#[test]
fn deep_and_long_programs_have_automata() {
    let deep = 100_000;
    for (open, middle, close) in [
        ("x = (", "1", ");"),
        ("if (x) { ", "", "}"),
        ("while (x) { ", "", "}"),
        ("if (x) ; else ", ";", ""),
        ("x++; ", "", ""),
        ("switch (x) { case 1: ", ";", "}"),
    ] {
        let close =
            if open.starts_with("x = (") { format!("{};", ")".repeat(deep)) } else { close.repeat(deep) };
        let open =
            if open.starts_with("x = (") { format!("x = {}", "-(".repeat(deep)) } else { open.repeat(deep) };
        read(&format!("int x; void f(void) {{ {open}{middle}{close} }}"));
    }
}

/// Executes functions about `int`s by their automata. Every value of an expression is the one that the last edge about it
/// gave it, so an operand that was not evaluated before its operator has none, and the test fails.
struct Machine<'a> {
    unit: &'a Unit,
    all: &'a [Cfa],
    globals: BTreeMap<EntityId, i64>,
}

struct Frame {
    locals: BTreeMap<EntityId, i64>,
    values: BTreeMap<ExprId, i64>,
}

impl Machine<'_> {
    fn call(&mut self, name: &str, arguments: &[i64]) -> i64 {
        let unit = self.unit;
        let is_it = |cfa: &&Cfa| unit.name(unit.entities[unit.functions[cfa.function].entity].name) == name;
        let cfa = self.all.iter().find(is_it).expect("a function");
        let params = unit.functions[cfa.function].params.iter().copied();
        let mut frame =
            Frame { locals: params.zip(arguments.iter().copied()).collect(), values: BTreeMap::new() };
        let mut at = cfa.entry;
        for _ in 0..100_000 {
            let (next, result) = self.step(cfa, at, &mut frame);
            if let Some(result) = result {
                return result;
            }
            at = next;
        }
        panic!("{name} does not end")
    }

    /// The edge that is taken, and the result if the function ends.
    fn step(&mut self, cfa: &Cfa, at: LocId, frame: &mut Frame) -> (LocId, Option<i64>) {
        for &edge in cfa.leaving(at) {
            let edge = cfa.edges[edge];
            let holds = match edge.op {
                Op::Assume(expr, wanted) => (self.condition(frame, expr) != 0) == wanted,
                Op::Case(expr, low, high) => (low..=high).contains(&i128::from(self.get(frame, expr))),
                Op::Default(expr) => {
                    let value = i128::from(self.get(frame, expr));
                    !cfa.leaving(at).iter().any(|&other| match cfa.edges[other].op {
                        Op::Case(_, low, high) => (low..=high).contains(&value),
                        _ => false,
                    })
                }
                op => {
                    let result = self.execute(frame, op);
                    return (edge.to, result);
                }
            };
            if holds {
                return (edge.to, None);
            }
        }
        panic!("no edge can be taken")
    }

    fn execute(&mut self, frame: &mut Frame, op: Op) -> Option<i64> {
        match op {
            Op::Skip | Op::Declare(_) => {}
            Op::Init(decl, init) => {
                let InitKind::Expr(expr) = self.unit.inits[init].kind else { panic!("braces") };
                let value = self.get(frame, expr);
                let entity = self.unit.decls[decl].entity.expect("a variable");
                frame.locals.insert(entity, value);
            }
            Op::Choose(expr, part) => {
                let value = self.get(frame, part);
                frame.values.insert(expr, value);
            }
            Op::Truth(expr, truth) => drop(frame.values.insert(expr, i64::from(truth))),
            Op::Eval(expr) => {
                let value = self.apply(frame, expr);
                frame.values.insert(expr, value);
            }
            Op::Call(expr) => {
                let ExprKind::Call(callee, list) = self.unit.expr(expr).kind else { panic!("a call") };
                let ExprKind::Name(entity) = self.unit.expr(callee).kind else { panic!("a name") };
                let arguments: Vec<i64> =
                    self.unit.args(list).iter().map(|&arg| self.get(frame, arg)).collect();
                let value = self.call(self.unit.name(self.unit.entities[entity].name), &arguments);
                frame.values.insert(expr, value);
            }
            Op::Return(stmt) => {
                let StmtKind::Return(value) = self.unit.stmts[stmt].kind else { panic!("a return") };
                return Some(value.map_or(0, |value| self.get(frame, value)));
            }
            Op::FallOff => return Some(0),
            other => panic!("{other:?}"),
        }
        None
    }

    fn condition(&self, frame: &Frame, expr: ExprId) -> i64 {
        match self.unit.expr(expr).kind {
            ExprKind::Binary(op, ..) if op.is_comparison() => self.compute(frame, expr),
            _ => self.get(frame, expr),
        }
    }

    fn variable(&self, expr: ExprId) -> EntityId {
        match self.unit.expr(self.unit.peeled(expr)).kind {
            ExprKind::Name(entity) => entity,
            other => panic!("{other:?}"),
        }
    }

    fn load(&self, frame: &Frame, entity: EntityId) -> i64 {
        frame.locals.get(&entity).or_else(|| self.globals.get(&entity)).copied().unwrap_or(0)
    }

    fn store(&mut self, frame: &mut Frame, entity: EntityId, value: i64) {
        match frame.locals.get_mut(&entity) {
            Some(place) => *place = value,
            None => drop(self.globals.insert(entity, value)),
        }
    }

    /// The value of an expression that was evaluated.
    fn get(&self, frame: &Frame, expr: ExprId) -> i64 {
        let expr = self.unit.peeled(expr);
        match self.unit.expr(expr).kind {
            ExprKind::Constant => self.unit.int_value(expr).expect("an integer") as i64,
            ExprKind::Name(entity) => self.load(frame, entity),
            ExprKind::Binary(BinaryOp::Comma, _, last) => self.get(frame, last),
            ExprKind::Statement(block) => {
                let StmtKind::Block(list) = self.unit.stmts[block].kind else { panic!("a block") };
                let last = self.unit.block(list).last().expect("a statement");
                let StmtKind::Expr(last) = self.unit.stmts[*last].kind else { panic!("an expression") };
                self.get(frame, last)
            }
            _ => *frame.values.get(&expr).expect("operands are evaluated before their operator"),
        }
    }

    fn compute(&self, frame: &Frame, expr: ExprId) -> i64 {
        use BinaryOp::*;
        let (op, left, right) = match self.unit.expr(expr).kind {
            ExprKind::Binary(op, left, right) | ExprKind::CompoundAssign(op, left, right) => {
                (op, left, right)
            }
            other => panic!("{other:?}"),
        };
        let (a, b) = (self.get(frame, left), self.get(frame, right));
        match op {
            Mul => a * b,
            Div => a / b,
            Rem => a % b,
            Add => a + b,
            Sub => a - b,
            Shl => a << b,
            Shr => a >> b,
            BitAnd => a & b,
            BitXor => a ^ b,
            BitOr => a | b,
            Lt => i64::from(a < b),
            Gt => i64::from(a > b),
            Le => i64::from(a <= b),
            Ge => i64::from(a >= b),
            Eq => i64::from(a == b),
            Ne => i64::from(a != b),
            other => panic!("{other:?}"),
        }
    }

    fn apply(&mut self, frame: &mut Frame, expr: ExprId) -> i64 {
        match self.unit.expr(expr).kind {
            ExprKind::Assign(target, value) => {
                let value = self.get(frame, value);
                self.store(frame, self.variable(target), value);
                value
            }
            ExprKind::CompoundAssign(_, target, _) => {
                let value = self.compute(frame, expr);
                self.store(frame, self.variable(target), value);
                value
            }
            ExprKind::Unary(op, target) => {
                let value = self.get(frame, target);
                let (new, result) = match op {
                    UnaryOp::Neg => return -value,
                    UnaryOp::Plus => return value,
                    UnaryOp::BitNot => return !value,
                    UnaryOp::Not => return i64::from(value == 0),
                    UnaryOp::PreInc => (value + 1, value + 1),
                    UnaryOp::PreDec => (value - 1, value - 1),
                    UnaryOp::PostInc => (value + 1, value),
                    UnaryOp::PostDec => (value - 1, value),
                    other => panic!("{other:?}"),
                };
                self.store(frame, self.variable(target), new);
                result
            }
            ExprKind::Cast(inner) => i64::from(self.get(frame, inner) as i32),
            _ => self.compute(frame, expr),
        }
    }
}

/// Functions whose results for some arguments were computed by a C compiler's program.
const PROGRAM: &str = "
int trace;
int note(int x) { trace = trace * 10 + x; return x; }
int order(int x) { trace = 0; int r = note(1) + note(2) * note(3) - (note(4), note(5)); return trace * 100 + r; }
int lazy(int x) { trace = 0; int r = (x && note(1)) || (note(2) && !note(3)); return trace * 10 + r; }
int choose(int x) { trace = 0; int r = x > 2 ? note(7) : x ?: note(8); return trace * 10 + r; }
int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }
int sums(int n) { int s = 0; for (int i = 0, j = n; i < j; i++, j--) { if (i == 2) continue; s += i * j; if (s > 50) break; } return s; }
int weekday(int x) { switch (x) { int skipped; case 1: x = 10; case 2: x += 5; break; case 3 ... 5: return 77; default: x = -x; } return x; }
int duff(int n) { int c = 0, k = (n + 3) / 4; switch (n % 4) { case 0: do { c++; case 3: c++; case 2: c++; case 1: c++; } while (--k > 0); } return c; }
int jumps(int n) { int c = 0; goto middle; top: c += 10; middle: c++; if (c < n) goto top; return c; }
int nested(int n) { int r = ({ int t = n; while (t > 9) t = t / 10; t * 2; }) + 1; do { r++; if (r % 2) continue; r += 2; } while (r < 20); return r; }
int bits(int n) { int c = 0; while (n) { c += n & 1; n >>= 1; } return c << 2 | !c; }
int logic(int n) { int v = (n > 1 && n < 5) + (n == 0 || n == 7) * 2; return -v + ~n + +n - (n-- - --n); }
";

#[test]
fn executing_automata_is_executing_the_program() {
    let (unit, all) = read(PROGRAM);
    let expected: &str = include_str!("data/executions.txt");
    let mut seen = 0;
    for line in expected.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, argument, result] = words[..] else { panic!("{line}") };
        let mut machine = Machine { unit: &unit, all: &all, globals: BTreeMap::new() };
        let argument: i64 = argument.parse().expect("a number");
        assert_eq!(machine.call(name, &[argument]).to_string(), result, "{name}({argument})");
        seen += 1;
    }
    assert_eq!(seen, 110);
}
