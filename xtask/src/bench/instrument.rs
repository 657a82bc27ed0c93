//! `bench instrument`: how fast C programs are instrumented, on the largest of the corpus and on generated ones that grow.
//!
//! The peer is the compiler reading the same file (`gcc -fsyntax-only`), in the same run.

use std::io::{self, Write};
use std::process::{Command as Process, ExitCode, Stdio};
use std::time::{Duration, Instant};

use cfront::DataModel;
use driver::{CSource, SpecSource};

use crate::cfront::source;
use crate::clock::Clock;
use crate::registry::{Command, Error};

pub(crate) const COMMAND: Command =
    Command { name: "instrument", about: "C programs against the compiler's reading of them.", run };

/// How many of the largest programs are measured.
const LARGEST: usize = 6;

/// A program with about as many lines as asked for.
type Generate = fn(usize) -> String;

/// Programs that grow.
const SHAPES: &[(&str, Generate)] = &[
    // tidy: sorted
    ("functions", functions),
    ("nested loops", nested),
    // tidy: end
];

fn run(arguments: &[String]) -> Result<ExitCode, Error> {
    let spec = arguments.first().map_or("no-overflow", String::as_str);
    let Some(spec) = driver::SPECS.iter().find(|known| known.name == spec) else {
        return Err(Error::Usage("bench instrument [SPECIFICATION]".into()));
    };
    let mut out = io::stdout().lock();
    if let Some(corpus) = testkit::corpus_or_skip("the largest C programs of the corpus") {
        let mut tasks = source::tasks(&corpus, "large/")?;
        tasks.sort_by_key(|task| {
            std::cmp::Reverse(std::fs::metadata(&task.path).map_or(0, |file| file.len()))
        });
        tasks.dedup_by(|a, b| a.name == b.name);
        for task in tasks.iter().take(LARGEST) {
            let Ok(text) = source::preprocessed(task) else { continue };
            let name = task.name.rsplit('/').next().unwrap_or_default();
            measure(&mut out, &name.chars().take(40).collect::<String>(), text, task.model, spec)?;
        }
    }
    for (shape, generate) in SHAPES {
        for lines in [12_500, 25_000, 40_000, 50_000, 100_000] {
            let name = format!("{shape}, {lines} lines");
            measure(&mut out, &name, generate(lines).into_bytes(), DataModel::Lp64, spec)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn measure(
    out: &mut impl Write,
    name: &str,
    text: Vec<u8>,
    model: DataModel,
    spec: &driver::Shipped,
) -> Result<(), Error> {
    let lines = text.iter().filter(|&&byte| byte == b'\n').count();
    let size = text.len() as f64 / 1e6;
    let peer = compiler(&text, model)?;
    let source = CSource { name: name.to_owned(), text, preprocessed: None, model };
    let given = SpecSource { name: spec.name.into(), text: spec.text.into(), options: Vec::new() };
    let mut best = (Duration::MAX, Duration::MAX);
    let mut grown = 0.0;
    for _ in 0..3 {
        let (start, clock) = (Instant::now(), Clock::start());
        let Ok(done) = driver::instrument(&source, &given, None) else {
            writeln!(out, "{name:<42}cannot be instrumented")?;
            return Ok(());
        };
        best = (best.0.min(start.elapsed()), best.1.min(clock.elapsed()));
        grown = done.text.len() as f64 / 1e6;
    }
    let (ours, processor, theirs) = (best.0.as_secs_f64(), best.1.as_secs_f64(), peer.as_secs_f64());
    writeln!(
        out,
        "{name:<42}{lines:>7} lines {size:>6.2} MB to {grown:>6.2} MB  {ours:>7.3} s, {processor:>7.3} s of a processor, {:>6.1} MB/s  gcc {theirs:>6.3} s  ratio {:>5.2}",
        size / processor,
        theirs / ours
    )?;
    Ok(())
}

/// The time in which the compiler reads a text.
fn compiler(text: &[u8], model: DataModel) -> Result<Duration, Error> {
    let file = std::env::temp_dir().join(format!("svarog-bench-{}.c", std::process::id()));
    std::fs::write(&file, text).map_err(|e| Error::Io("write a program".into(), e))?;
    let width = if model == DataModel::Ilp32 { "-m32" } else { "-m64" };
    let mut best = Duration::MAX;
    for _ in 0..3 {
        let start = Instant::now();
        let mut command = Process::new("gcc");
        command.args(["-fsyntax-only", "-w", "-std=gnu17", width]).arg(&file).stderr(Stdio::null());
        command.status().map_err(|e| Error::Io("run gcc".into(), e))?;
        best = best.min(start.elapsed());
    }
    // What is left in a folder for temporary files is no harm.
    let _ = std::fs::remove_file(&file);
    Ok(best)
}

/// A program with about as many lines as asked for, in functions of 50.
fn functions(lines: usize) -> String {
    let mut text = String::from("extern int __VERIFIER_nondet_int(void);\nstatic int total;\n");
    for function in 0..lines / 50 {
        text.push_str(&format!("static int f{function}(int n, int *p)\n{{\n    int a = n, b = 1, i;\n"));
        text.push_str("    for (i = 0; i < n + 3; i++) {\n");
        for line in 0..42 {
            match line % 6 {
                0 => text.push_str(&format!("        a = a * {line} + b - i;\n")),
                1 => text.push_str("        if (a > b && a - b > 3) b += a;\n"),
                2 => text.push_str("        else b -= 1;\n"),
                3 => text.push_str("        p[i & 7]++;\n"),
                4 => text.push_str("        while (b > 1000) b /= 2;\n"),
                _ => text.push_str("        total += a % 7 ? b : -b;\n"),
            }
        }
        text.push_str("    }\n    return a + b;\n}\n");
    }
    text.push_str("int main(void)\n{\n    int p[8] = {0};\n");
    for function in 0..lines / 50 {
        text.push_str(&format!("    f{function}(__VERIFIER_nondet_int(), p);\n"));
    }
    text.push_str("    return 0;\n}\n");
    text
}

/// A program of one function with one loop, in which all others are, and which calls a chain of functions.
fn nested(lines: usize) -> String {
    let mut text = String::from("extern int __VERIFIER_nondet_int(void);\nstatic int t0;\n");
    text.push_str("static void f0(void) { t0++; }\n");
    let count = lines / 5;
    for function in 1..count {
        text.push_str(&format!("static void f{function}(void) {{ f{}(); }}\n", function - 1));
    }
    text.push_str("int main(void)\n{\n    int a = 0, i = 0;\n    while (t0 < 100) {\n");
    for inner in 0..count {
        text.push_str("        while (i < 10) {\n            i++;\n");
        text.push_str(&format!("            f{inner}();\n        }}\n"));
    }
    text.push_str("    }\n    return a;\n}\n");
    text
}
