//! What is refused: malformed programs, unknown names, wrong types, and what cannot be translated.

use super::{findings, try_translate};

fn refused(program: &str) -> Vec<String> {
    match try_translate(program) {
        Ok(translation) => panic!("accepted:\n{program}\n{}", translation.script),
        Err(errors) => findings(program, &errors),
    }
}

/// A program with some declarations and `statement` as its body.
fn program(statement: &str) -> String {
    format!(
        "(type colour (enum red green)) (entry main)
         (globals (var b bool) (var i int) (var r real) (var x (sbv 8)) (var u (ubv 8)) (var f (fp 8 23))
           (var m (map int bool)) (var paint colour) (var n (sym node)))
         (function sum ((var p int) (var q int)) (return (var s int)) (locals) (assign s (add p q)))
         (function two () (return (var s int) (var t int)) (locals) (havoc s))
         (function main () (return) (locals) {statement})"
    )
}

fn check(rows: &[(&str, &str)]) {
    for (statement, expected) in rows {
        assert_eq!(refused(&program(statement)), [*expected], "{statement}");
    }
}

#[test]
fn text() {
    for (text, expected) in [
        ("(entry main", "K2001 this list is not closed at the end of the input @ ("),
        ("((entry main", "K2001 2 lists are not closed at the end of the input @ ("),
        ("(entry main))", "K2001 this `)` closes nothing @ )"),
        ("(entry |main)", "K2001 this symbol is not closed before the end of the input @ |"),
        ("(entry \"a\\\"", "K2001 this symbol is not closed before the end of the input @ \""),
        ("(entry #q)", "K2001 expected digits after `#x` or `#b` @ #q"),
        ("(entry #b12)", "K2001 expected digits after `#x` or `#b` @ #b12"),
        ("(entry {)", "K2001 the character `{` cannot begin a symbol @ {"),
        ("(entry :)", "K2001 a `:` without the keyword's name @ :"),
    ] {
        assert!(refused(text).contains(&expected.to_string()), "{text}: {:?}", refused(text));
    }
}

#[test]
fn declarations() {
    let main = "(function main () (return) (locals) (assume true))";
    for (declarations, expected) in [
        ("", "K2001 the program has no `(entry NAME)` @ "),
        ("(entry)", "K2001 expected `(entry NAME)` @ (entry)"),
        ("(entry mian)", "K2003 there is no function `mian` @ mian"),
        ("(entry g) (globals (var g int))", "K2003 there is no function `g` @ g"),
        ("(entry main) (entry main)", "K2001 a second `entry` @ (entry main)"),
        ("(entry main) (globals (var g))", "K2001 expected `(var NAME TYPE)` @ (var g)"),
        ("(entry main) (globals g)", "K2001 expected `(var NAME TYPE)` @ g"),
        ("(entry main) (globals (var g int) (var g int))", "K2001 `g` is declared twice @ g"),
        (
            "(entry main) (globals (var f int)) (function f () (return) (locals) (seq))",
            "K2001 `f` is declared twice @ f",
        ),
        ("(entry main) (globals (var g void))", "K2004 a variable of type `void` @ (var g void)"),
        (
            "(entry main) (globals (var g (fun () ())))",
            "K2002 a variable that holds a function @ (var g (fun () ()))",
        ),
        (
            "(entry main) (function f () (return) (locals))",
            "K2001 expected `(function NAME (PARAM …) (return RESULT …) (locals VAR …) BODY)` @ (function f () (return) (locals))",
        ),
        (
            "(entry main) (function f ((var x int)) (return) (locals (var x int)) (seq))",
            "K2001 `x` is declared twice @ x",
        ),
        ("(entry main) (init g)", "K2003 there is no variable `g` @ g"),
        (
            "(entry main) (init (const 1 int))",
            "K2004 a condition is of type `bool`, this one of `int` @ (const 1 int)",
        ),
        ("(entry main) (init)", "K2001 expected `(init CONSTRAINT)` @ (init)"),
        ("(entry main) (type t)", "K2001 expected `(type NAME TYPE)` @ (type t)"),
        ("(entry main) (type t int) (type t int)", "K2001 the type `t` is defined twice @ t"),
        ("(entry main) (define d)", "K2001 expected `(define NAME EXPRESSION)` @ (define d)"),
        ("(entry main) (define d (seq))", "K2002 a `define` of a statement @ (seq)"),
        ("(entry main) (assert true)", "K2001 there is no declaration `(assert …)` @ (assert true)"),
        ("(entry main) here", "K2001 expected a declaration @ here"),
        ("(entry main) (! (entry main) :k v)", "K2001 expected a function @ (entry main)"),
    ] {
        assert_eq!(refused(&format!("{declarations} {main}")), [expected], "{declarations}");
    }
}

#[test]
fn types() {
    for (ty, expected) in [
        ("(sbv)", "K2001 malformed type `sbv` @ (sbv)"),
        ("(sbv x)", "K2001 expected a number @ x"),
        ("(ubv 0)", "K2001 a bit-vector has at least one bit @ 0"),
        ("(ubv 99999999999)", "K2002 bit-vectors wider than 65536 bits @ 99999999999"),
        ("(fp 1 1)", "K2002 floating-point numbers with 1 exponent and 1 mantissa bits @ (fp 1 1)"),
        ("(map int)", "K2001 malformed type `map` @ (map int)"),
        (
            "(map int (fun () ()))",
            "K2002 a map of `(fun () ())`, which has no values in SV-LIB @ (map int (fun () ()))",
        ),
        ("(enum)", "K2001 malformed type `enum` @ (enum)"),
        ("(enum a a)", "K2001 the value `a` occurs twice @ (enum a a)"),
        ("(enum a (b))", "K2001 expected a value's name @ (b)"),
        ("(array int)", "K2001 there is no type `(array …)` @ (array int)"),
        ("()", "K2001 expected a type @ ()"),
        ("integer", "K2003 there is no type `integer` @ integer"),
        (":k", "K2001 expected a type @ :k"),
    ] {
        let text =
            format!("(entry main) (globals (var g {ty})) (function main () (return) (locals) (havoc g))");
        assert_eq!(refused(&text), [expected], "{ty}");
    }
}

#[test]
fn statements() {
    check(&[
        ("here", "K2001 expected a statement @ here"),
        ("()", "K2001 expected a statement @ ()"),
        ("(assert b)", "K2001 there is no statement `(assert …)` @ (assert b)"),
        ("(assign i)", "K2001 expected `(assign VARIABLE VALUE)` @ (assign i)"),
        ("(assume)", "K2001 expected `(assume CONDITION)` @ (assume)"),
        ("(havoc i r)", "K2001 expected `(havoc VARIABLE)` @ (havoc i r)"),
        ("(jump)", "K2001 expected `(jump (label NAME) …)` @ (jump)"),
        ("(jump here)", "K2001 expected `(label NAME)` @ here"),
        ("(condjump b)", "K2001 expected `(condjump CONDITION (label NAME))` @ (condjump b)"),
        ("(label)", "K2001 expected `(label NAME)` @ (label)"),
        ("(seq (label a) (label a))", "K2001 the label `a` stands twice in this function @ (label a)"),
        ("(! )", "K2001 expected `(! SOMETHING :KEY VALUE …)` @ (! )"),
        ("(! (seq) :a)", "K2001 expected a keyword and its value @ :a"),
        ("(! (seq) a b)", "K2001 expected a keyword and its value @ a"),
        ("(assign (mapget m i) b)", "K2001 expected a variable @ (mapget m i)"),
        ("(assign j i)", "K2003 there is no variable `j` @ j"),
        ("(assign sum i)", "K2004 `sum` is no variable @ sum"),
        ("(jump (label there))", "K2003 there is no label `there` in this function @ (label there)"),
        ("(assume i)", "K2004 a condition is of type `bool`, this one of `int` @ i"),
        (
            "(assign x u)",
            "K2004 a value of type `(ubv 8)` is assigned to a variable of type `(sbv 8)` @ (assign x u)",
        ),
    ]);
}

#[test]
fn calls() {
    check(&[
        ("(call)", "K2001 expected `(call FUNCTION ARGUMENT … RESULT …)` @ (call)"),
        ("(call som i i i)", "K2003 there is no function `som` @ som"),
        ("(call i)", "K2004 `i` is no function @ i"),
        ("(call (mapget m i))", "K2002 a call of a function that is not named @ (mapget m i)"),
        (
            "(call sum i i)",
            "K2004 the function takes 2 arguments and gives 1 results, here are 2 operands @ (call sum i i)",
        ),
        ("(call sum i r i)", "K2004 the function has `int` here, this is of type `real` @ r"),
        ("(call sum i i x)", "K2004 the function has `int` here, this is of type `(sbv 8)` @ x"),
        ("(call sum i i (add i i))", "K2001 expected a variable @ (add i i)"),
        ("(call two i i)", "K2002 a variable that receives two results of one call @ i"),
        (
            "(call (const sum (fun (int) (int))) i i)",
            "K2004 `sum` is defined with the type `(fun (int int) (int))` @ (fun (int) (int))",
        ),
        (
            "(call (const sum int) i i)",
            "K2004 `sum` is called, but its type `int` is none of a function @ int",
        ),
    ]);
}

#[test]
fn expressions() {
    check(&[
        ("(assume (nand b b))", "K2001 there is no operator `nand` @ nand"),
        ("(assume (not b b))", "K2001 `not` has 1 operand, here are 2 @ (not b b)"),
        ("(assume (assume b))", "K2001 the statement `assume` where an expression is expected @ assume"),
        ("(assume ())", "K2001 expected an expression @ ()"),
        ("(assume :b)", "K2001 expected an expression @ :b"),
        ("(assume (() b))", "K2001 expected an operator @ ()"),
        ("(assume (cast bool))", "K2001 malformed expression `cast` @ (cast bool)"),
        ("(assume (typecast bool i 2))", "K2001 expected 0 for a `cast` or 1 for a `bitcast` @ 2"),
        ("(assume c)", "K2003 there is no variable `c` @ c"),
        ("(assume (var b int))", "K2004 `b` was declared with the type `bool` @ (var b int)"),
        ("(assume sum)", "K2002 the function `sum` as a value @ sum"),
        ("(assume (const sum (fun (int int) (int))))", "K2002 the function `sum` as a value @ sum"),
        ("(assign i (add i r))", "K2004 `add` does not take operands of type `int` and `real` @ (add i r)"),
        (
            "(assign x (add x u))",
            "K2004 `add` does not take operands of type `(sbv 8)` and `(ubv 8)` @ (add x u)",
        ),
        (
            "(assign i (bitand i i))",
            "K2004 `bitand` does not take operands of type `int` and `int` @ (bitand i i)",
        ),
        ("(assume (isnan r))", "K2004 `isnan` does not take an operand of type `real` @ (isnan r)"),
        ("(assume (lt b b))", "K2004 `lt` does not take operands of type `bool` and `bool` @ (lt b b)"),
        ("(assume (and b i))", "K2004 `and` does not take operands of type `bool` and `int` @ (and b i)"),
        ("(assume (eq x u))", "K2004 `eq` does not take operands of type `(sbv 8)` and `(ubv 8)` @ (eq x u)"),
        (
            "(assume (mapget m r))",
            "K2004 `mapget` does not take operands of type `(map int bool)` and `real` @ (mapget m r)",
        ),
        (
            "(assume (mapget i i))",
            "K2004 `mapget` does not take operands of type `int` and `int` @ (mapget i i)",
        ),
        (
            "(assign i (ite i i i))",
            "K2004 `ite` does not take operands of type `int` and `int` and `int` @ (ite i i i)",
        ),
        ("(assign i (floor x))", "K2004 `floor` does not take an operand of type `(sbv 8)` @ (floor x)"),
        ("(assign i (floor f))", "K2002 `floor` of a floating-point number @ (floor f)"),
        ("(assign f (rem f f))", "K2002 `rem` of operands of type `(fp 8 23)` @ (rem f f)"),
        (
            "(assign i (cast int paint))",
            "K2004 there is no `cast` from `(enum green red)` to `int` @ (cast int paint)",
        ),
        (
            "(assign i (bitcast int x))",
            "K2004 there is no `bitcast` from `(sbv 8)` to `int` @ (bitcast int x)",
        ),
        (
            "(assign x (bitcast (sbv 8) f))",
            "K2002 `bitcast` from `(fp 8 23)` to `(sbv 8)`, of another size @ (bitcast (sbv 8) f)",
        ),
    ]);
}

#[test]
fn constants() {
    check(&[
        ("(assign i (const one int))", "K2004 `one` is no value of type `int` @ one"),
        ("(assign i (const 1.5 int))", "K2004 `1.5` is no value of type `int` @ 1.5"),
        ("(assign x (const 256 (sbv 8)))", "K2004 `256` is no value of type `(sbv 8)` @ 256"),
        ("(assign x (const -129 (sbv 8)))", "K2004 `-129` is no value of type `(sbv 8)` @ -129"),
        ("(assign u (const #x100 (ubv 8)))", "K2004 `#x100` is no value of type `(ubv 8)` @ #x100"),
        ("(assign b (const 1 bool))", "K2004 `1` is no value of type `bool` @ 1"),
        ("(assign r (const 1/0 real))", "K2004 `1/0` is no value of type `real` @ 1/0"),
        ("(assign paint (const blue colour))", "K2004 `blue` is no value of type `(enum green red)` @ blue"),
        (
            "(assign n (const n0 (sym node)))",
            "K2002 the constant `n0` of a symbolic type, whose relation to others is open @ n0",
        ),
        ("(assign i (const () int))", "K2004 a list is no value of type `int` @ ()"),
        ("(assign m (const 0 (map int bool)))", "K2004 `0` is no value of type `(map int bool)` @ 0"),
        (
            "(assign m (const ((1 . true)) (map int bool)))",
            "K2002 a map constant without a value for all other keys, `(() . VALUE)` @ ((1 . true))",
        ),
        ("(assign m (const ((1 true)) (map int bool)))", "K2001 expected `(KEY . VALUE)` @ (1 true)"),
        (
            "(assign m (const ((1 , true)) (map int bool)))",
            "K2001 the character `,` cannot begin a symbol @ ,",
        ),
        ("(assign m (const ((1 : true)) (map int bool)))", "K2001 a `:` without the keyword's name @ :"),
        ("(assign m (const ((1 _ true)) (map int bool)))", "K2001 expected `.` between key and value @ _"),
        (
            "(assign m (const (((1) . true)) (map int bool)))",
            "K2001 expected a key, or `()` for all other keys @ (1)",
        ),
    ]);
}

#[test]
fn properties_off_labels() {
    check(&[
        ("(! (seq) :error e)", "K2002 the property `:error` on a statement that is no label @ :error"),
        ("(assume (! b :live e))", "K2002 the property `:live` on an expression that is no label @ :live"),
        (
            "(seq (label a) (jump (! (label a) :notlive e)))",
            "K2002 the property `:notlive` on the target of a jump that is no label @ :notlive",
        ),
        ("(! (label a) :error (e))", "K2001 expected the property's name @ (e)"),
        (
            "(seq (! (label a) :live e) (! (label b) :live e))",
            "K2002 a second label with the property `:live e` @ :live",
        ),
    ]);
}

#[test]
fn all_problems_are_reported_in_order() {
    let text = program("(seq (assign i b) (assume c) (jump (label l)) (call som))");
    assert_eq!(
        refused(&text),
        [
            "K2004 a value of type `bool` is assigned to a variable of type `int` @ (assign i b)",
            "K2003 there is no variable `c` @ c",
            "K2003 there is no label `l` in this function @ (label l)",
            "K2003 there is no function `som` @ som",
        ]
    );
    let many = format!("(seq {})", "(assume c)".repeat(1000));
    assert_eq!(refused(&program(&many)).len(), 100);
}

#[test]
fn advice() {
    let errors = try_translate(&program("(call som i i i)")).expect_err("there is no `som`");
    assert_eq!(errors[0].help.as_deref(), Some("did you mean `sum`?"));
    let errors = try_translate(&program("(assign i (ad i i))")).expect_err("there is no `ad`");
    assert_eq!(errors[0].help.as_deref(), Some("did you mean `add`?"));
    let errors = try_translate(&program("(seq (label end) (jump (label ned)))")).expect_err("no such label");
    assert_eq!(errors[0].help.as_deref(), Some("did you mean `end`?"));
}
