//! Drivers: definitions with which a fuzzer or a symbolic executor runs an instrumented program.
//!
//! Values that the program asks for (`__VERIFIER_nondet_*`) are taken from the input, byte by byte; when it is used up, or
//! when an assumption does not hold, the run ends and is no finding. A call of the error function is what the tool reports
//! as a crash; the program's own `abort` and failed assertions are not. libFuzzer runs all inputs in one process, so
//! variables get their first values again before each run: those outside of functions by name, and those inside, which
//! have no name there, as a section of the program in which they are together.

use crate::derive::ENDING;
use crate::plan::{Piece, Plan};
use crate::weave::is_lasting;
use cfront::ast::{EntityId, EntityKind, Storage, Unit};
use cfront::types::{CONST, TypeKind};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Who runs the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Harness {
    /// AFL and AFL++: the input is standard input.
    Afl,
    /// KLEE: values are symbolic.
    Klee,
    /// libFuzzer: the input is the argument of a function.
    LibFuzzer,
}

/// Their names.
pub const HARNESSES: &[(&str, Harness)] = &[
    // tidy: sorted
    ("afl", Harness::Afl),
    ("klee", Harness::Klee),
    ("libfuzzer", Harness::LibFuzzer),
    // tidy: end
];

/// Functions that give values, and the types of these.
const NONDET: &[(&str, &str)] = &[
    // tidy: sorted
    ("__VERIFIER_nondet_bool", "_Bool"),
    ("__VERIFIER_nondet_char", "char"),
    ("__VERIFIER_nondet_double", "double"),
    ("__VERIFIER_nondet_float", "float"),
    ("__VERIFIER_nondet_int", "int"),
    ("__VERIFIER_nondet_long", "long"),
    ("__VERIFIER_nondet_longlong", "long long"),
    ("__VERIFIER_nondet_pointer", "void *"),
    ("__VERIFIER_nondet_short", "short"),
    ("__VERIFIER_nondet_size_t", "__SIZE_TYPE__"),
    ("__VERIFIER_nondet_u32", "unsigned int"),
    ("__VERIFIER_nondet_uchar", "unsigned char"),
    ("__VERIFIER_nondet_uint", "unsigned int"),
    ("__VERIFIER_nondet_ulong", "unsigned long"),
    ("__VERIFIER_nondet_ulonglong", "unsigned long long"),
    ("__VERIFIER_nondet_unsigned", "unsigned int"),
    ("__VERIFIER_nondet_ushort", "unsigned short"),
    // tidy: end
];

/// Functions with which the program ends a run without a finding.
const ENDS: &[&str] = &["__assert_fail", "abort"];

/// Adds a driver to a plan. `woven` is the program with the plan woven in, whose variables a run may change.
pub fn add(plan: &mut Plan, woven: &Unit, harness: Harness) {
    let functions = |is_defined: bool| -> BTreeSet<&str> {
        let all = woven.entities.iter().filter(|entity| matches!(entity.kind, EntityKind::Function(_)));
        all.filter(|entity| entity.definition.is_some() == is_defined)
            .map(|entity| woven.name(entity.name))
            .collect()
    };
    let (defined, declared) = (functions(true), functions(false));
    let mut lines = vec![input(harness).to_owned()];
    let is_open = |name: &str| declared.contains(name) && !defined.contains(name);
    for (name, ty) in NONDET.iter().filter(|(name, _)| is_open(name) || mentions(plan, name)) {
        let symbolic =
            if harness == Harness::Klee { format!(", \"{}\"", &name[18..]) } else { String::new() };
        let narrow = if *ty == "_Bool" { " & 1" } else { "" };
        let raw = if *ty == "_Bool" { "unsigned char" } else { ty };
        lines.push(format!(
            "{ty} {name}(void) {{ {raw} value; __svarog_input(&value, sizeof value{symbolic}); return value{narrow}; }}"
        ));
    }
    if is_open("__VERIFIER_assume") {
        lines.push("void __VERIFIER_assume(int holds) { if (!holds) __svarog_stop(); }".into());
    }
    lines.push("void reach_error(void) { __svarog_error(); }".into());
    if is_open(ENDING) && plan.bodies.is_empty() {
        plan.bodies.push((ENDING.to_owned(), ""));
    }
    for (_, body) in &mut plan.bodies {
        *body = "__svarog_stop();";
    }
    for name in ENDS.iter().filter(|name| is_open(name)) {
        plan.renamed.push(((*name).to_owned(), format!("__svarog_end_{name}")));
        // Whatever its parameters are, nobody looks at them.
        lines.push(match *name {
            "abort" => "void __svarog_end_abort(void) { __svarog_stop(); }".to_owned(),
            _ => "void __svarog_end___assert_fail(const char *a, const char *b, unsigned int c, const char *d) \
                  { __svarog_stop(); }"
                .to_owned(),
        });
    }
    if harness == Harness::LibFuzzer {
        if is_open("exit") {
            plan.renamed.push(("exit".into(), "__svarog_end_exit".into()));
            lines.push("void __svarog_end_exit(int status) { __svarog_stop(); }".into());
        }
        plan.renamed.push(("main".into(), "__svarog_main".into()));
        let has_lasting = woven.entities.iter().any(|entity| is_lasting(woven, entity));
        if has_lasting {
            plan.statics = Some(TOGETHER);
            for (_, text) in &mut plan.locals {
                if let Some(rest) = text.strip_prefix("static ") {
                    *text = format!("static {TOGETHER} {rest}");
                }
            }
        }
        lines.push(fuzz_target(woven, has_lasting));
    }
    plan.tail.extend(lines);
}

fn mentions(plan: &Plan, name: &str) -> bool {
    let texts = plan.insertions.iter().flat_map(|insertion| &insertion.text);
    let in_text = |piece: &Piece| matches!(piece, Piece::Text(text) if text.contains(name));
    texts.clone().any(in_text) || plan.globals.iter().any(|text| text.contains(name))
}

/// How values come in, and how runs end.
fn input(harness: Harness) -> &'static str {
    match harness {
        Harness::Afl => {
            "static void __svarog_stop(void) { _exit(0); }\n\
             static void __svarog_error(void) { __builtin_trap(); }\n\
             static void __svarog_input(void *at, unsigned long size) { if (read(0, at, size) != (long)size) __svarog_stop(); }"
        }
        Harness::Klee => {
            "extern void klee_make_symbolic(void *, __SIZE_TYPE__, const char *);\n\
             extern void klee_silent_exit(int);\n\
             extern void klee_report_error(const char *, int, const char *, const char *);\n\
             static void __svarog_stop(void) { klee_silent_exit(0); }\n\
             static void __svarog_error(void) { klee_report_error(\"svarog\", 0, \"reach_error was called\", \"svarog.err\"); }\n\
             static void __svarog_input(void *at, unsigned long size, const char *name) { klee_make_symbolic(at, size, name); }"
        }
        Harness::LibFuzzer => {
            "static const unsigned char *__svarog_data;\n\
             static unsigned long __svarog_left;\n\
             static void *__svarog_back[5];\n\
             static void __svarog_stop(void) { __builtin_longjmp(__svarog_back, 1); }\n\
             static void __svarog_error(void) { __builtin_trap(); }\n\
             static void __svarog_input(void *at, unsigned long size) {\n\
               if (__svarog_left < size) __svarog_stop();\n\
               __builtin_memcpy(at, __svarog_data, size);\n\
               __svarog_data += size;\n\
               __svarog_left -= size;\n\
             }"
        }
    }
}

/// What puts variables into one section. The linker tells where a section begins and ends if its name is one of C.
const TOGETHER: &str = "__attribute__((section(\"svarog_statics\")))";

/// The function that libFuzzer calls.
fn fuzz_target(woven: &Unit, has_lasting: bool) -> String {
    let mut saves = String::new();
    let mut copies = (String::new(), String::new());
    if has_lasting {
        saves.push_str(
            "extern char __start_svarog_statics[], __stop_svarog_statics[];\nstatic void *__svarog_statics;\n\
             static unsigned long __svarog_size(void) { return __stop_svarog_statics - __start_svarog_statics; }\n",
        );
        copies.0.push_str(
            " __svarog_statics = __builtin_malloc(__svarog_size());\
             \x20if (!__svarog_statics) __builtin_trap();\
             \x20__builtin_memcpy(__svarog_statics, __start_svarog_statics, __svarog_size());",
        );
        copies.1.push_str(" __builtin_memcpy(__start_svarog_statics, __svarog_statics, __svarog_size());");
    }
    // What is only declared is somebody else's.
    let defined: FxHashSet<EntityId> = woven
        .decls
        .iter()
        .filter(|decl| !is_extern(woven, decl.specifiers))
        .filter_map(|decl| decl.entity)
        .collect();
    let variables = woven.entities.iter_enumerated().filter(|(_, entity)| {
        matches!(entity.kind, EntityKind::Variable(Storage::External | Storage::Static))
            && entity.scope.is_none()
            && woven.types.element_quals(entity.ty) & CONST == 0
    });
    for (number, (id, entity)) in variables.enumerate() {
        let name = woven.name(entity.name);
        // An array without a length has no size here.
        let has_size = !matches!(woven.types.kind(entity.ty), TypeKind::Array(_, len) if !matches!(len, cfront::types::ArrayLen::Known(_)));
        if !defined.contains(&id) || !has_size {
            continue;
        }
        saves.push_str(&format!("static char __svarog_saved_{number}[sizeof {name}];\n"));
        copies.0.push_str(&format!(
            " __builtin_memcpy(__svarog_saved_{number}, (void *)&{name}, sizeof {name});"
        ));
        copies.1.push_str(&format!(
            " __builtin_memcpy((void *)&{name}, __svarog_saved_{number}, sizeof {name});"
        ));
    }
    let main =
        woven.entities.iter().find(|entity| woven.name(entity.name) == "main" && entity.definition.is_some());
    let has_params = main
        .and_then(|main| main.definition)
        .is_some_and(|function| !woven.functions[function].params.is_empty());
    let call = if has_params {
        "char *arguments[2] = {\"program\", 0}; __svarog_main(1, arguments);"
    } else {
        "__svarog_main();"
    };
    let (save, restore) = copies;
    format!(
        "{saves}int LLVMFuzzerTestOneInput(const unsigned char *data, unsigned long size) {{\n\
         \x20 static int is_saved;\n\
         \x20 if (!is_saved) {{ is_saved = 1;{save} }}\n\
         \x20 else {{{restore} }}\n\
         \x20 __svarog_data = data;\n\
         \x20 __svarog_left = size;\n\
         \x20 if (!__builtin_setjmp(__svarog_back)) {{ {call} }}\n\
         \x20 return 0;\n\
         }}"
    )
}

fn is_extern(unit: &Unit, specifiers: diag::Span) -> bool {
    let first = unit.tokens.partition_point(|token| token.span.start < specifiers.start);
    let inside = unit.tokens[first..].iter().take_while(|token| token.span.end <= specifiers.end);
    inside.into_iter().any(|token| token.kind == cfront::token::T::Extern)
}
