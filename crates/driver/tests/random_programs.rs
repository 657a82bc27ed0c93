//! Random programs are read without errors, and the interpreter and the exhaustive judge, which share no code, agree
//! about them.

use diag::SourceMap;
use driver::{Format, Input, Loaded, Program};
use smt::term::Terms;
use std::collections::BTreeMap;
use svlib::interp::{End, Options, Random, Replay, Task, run};
use svlib::syntax::CommandKind;
use svlib::witness::read_validation_task;
use testkit::programs::{Judgement, Limits, generate, judge, random_witness};

fn read(text: String) -> Loaded {
    Loaded::read(vec![Input { name: "random.svlib".into(), bytes: text.into_bytes(), format: Format::SvLib }])
}

#[test]
fn programs_are_read_without_errors() {
    for seed in 0..2_000 {
        let text = generate(seed).to_string();
        let loaded = read(text.clone());
        let errors: Vec<&str> =
            loaded.findings.iter().filter(|f| f.is_error()).map(|f| f.message.as_str()).collect();
        assert_eq!(errors, [""; 0], "seed {seed}\n{text}");
    }
}

#[test]
fn random_witnesses_fit_their_programs() {
    for seed in 0..300 {
        let program = generate(seed);
        let witness = random_witness(&program, seed);
        let mut sources = SourceMap::default();
        let task = sources.add("program", program.to_string()).expect("a short text");
        let added = sources.add("witness", witness.clone()).expect("a short text");
        let (_, findings) = read_validation_task(&mut Terms::new(), &sources, &[task], added);
        if let Some(error) = findings.iter().find(|finding| finding.is_error()) {
            panic!("seed {seed}: {}\n{program}\n{witness}", error.message);
        }
    }
}

/// What a random execution violates, the judge finds; and the programs are of all kinds.
#[test]
fn the_interpreter_and_the_judge_agree() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..300 {
        let program = generate(seed);
        let judgement = judge(&program, Limits { nodes: 20_000 });
        let word = match &judgement {
            Judgement::Violated(_) => "violated",
            Judgement::Fine => "fine",
            Judgement::TooBig => "too big",
        };
        *counts.entry(word).or_default() += 1;
        if judgement != Judgement::Fine {
            continue;
        }
        let mut loaded = read(program.to_string());
        let Program::Script(builder) = &loaded.program else { panic!("a script") };
        let script = &builder.state.script;
        let is_query = |c: &svlib::syntax::Command| matches!(c.kind, CommandKind::Call(..));
        let query = script.commands.iter().position(is_query).expect("a query");
        let task = Task::new(&mut loaded.terms, script, query).expect("a task");
        let options = Options { steps: 2_000, depth: 200, ..Options::default() };
        for run_seed in 0..60 {
            let outcome = run(&task, &loaded.terms, &mut Random::new(run_seed), &options);
            assert!(outcome.unchecked.is_empty() && outcome.unspecified.is_none(), "seed {seed}\n{program}");
            match outcome.end {
                End::Violated(violation) => panic!("seed {seed}: {violation:?}\n{program}"),
                End::Error(..) | End::BadSymbol(_) => panic!("seed {seed}: {:?}\n{program}", outcome.end),
                _ => {}
            }
        }
    }
    assert!(counts["violated"] > 60 && counts["fine"] > 60, "{counts:?}");
}

/// What the engines say about a property of a system: with the checker's word for it. A violation comes with its trace.
fn holds(
    terms: &mut Terms,
    system: &ts::System,
    property: &ts::Property,
) -> Option<Result<(), Box<ts::Trace>>> {
    use engines::systems::{SystemFound, SystemProblem};
    let mut alone = ts::System { properties: vec![property.clone()], ..system.clone() };
    alone = ts::passes::ltl::ltl(terms, &alone).expect("a monitor").system;
    let property = alone.properties[0].clone();
    for engine in ["bmc", "kinduction", "ic3ia", "live"] {
        let Some(info) = engines::systems::find(engine) else { continue };
        // Bounded model checking does not end by itself where nothing is wrong.
        let time = if engine == "bmc" { 800 } else { 3_000 };
        let budget = base::budget::Budget::of(std::time::Duration::from_millis(time));
        let problem = SystemProblem { system: &alone, property: &property, seed: 0, budget, solver: "z3" };
        match (info.run)(terms, &problem) {
            SystemFound::Nothing(_) => {}
            SystemFound::Proof(certificate) => {
                let mut solver = solver::open("z3").expect("a solver");
                let budget = base::budget::Budget::of(std::time::Duration::from_secs(5));
                let judged =
                    certify::check_certificate(terms, &alone, &property, certificate, &mut *solver, &budget);
                return (judged == certify::Judged::Confirmed).then_some(Ok(()));
            }
            SystemFound::Violation(trace) => {
                let judged = certify::check_system_trace(terms, &alone, &property, &trace);
                return (judged == certify::Judged::Confirmed).then_some(Err(trace));
            }
        }
    }
    None
}

/// As transition systems programs have the verdict that the judge gives them, and a violation goes back to the program.
#[test]
fn programs_are_systems() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..30 {
        let program = generate(seed);
        let judgement = judge(&program, Limits { nodes: 20_000 });
        if judgement == Judgement::TooBig {
            continue;
        }
        let mut loaded = read(program.to_string());
        let Program::Script(builder) = &loaded.program else { panic!("a script") };
        let Ok(made) = encode::system::encode(&mut loaded.terms, &builder.state.script) else {
            *counts.entry("refused").or_default() += 1;
            continue;
        };
        let flaws = ts::verify(&loaded.terms, &made.system);
        assert!(flaws.is_empty(), "seed {seed}: {}\n{program}", flaws[0].message(&loaded.terms));
        let mut verdicts = Vec::new();
        for property in &made.system.properties {
            let found = holds(&mut loaded.terms, &made.system, property);
            if let (Some(Err(trace)), ts::PropertyKind::Invariant(_)) = (&found, &property.kind) {
                let script = &builder.state.script;
                let execution = made.execution(&mut loaded.terms, trace);
                let execution = execution.unwrap_or_else(|why| panic!("seed {seed}: {why:?}\n{program}"));
                let query = script.commands.iter().position(|c| matches!(c.kind, CommandKind::Call(..)));
                let task = Task::new(&mut loaded.terms, script, query.expect("a query")).expect("a task");
                let mut replay = Replay::of_execution(&loaded.terms, &execution);
                let outcome = run(&task, &loaded.terms, &mut replay, &Options::default());
                assert!(
                    matches!(outcome.end, End::Violated(_)),
                    "seed {seed}: {}\n{:?}\n{program}",
                    outcome.end.message(&loaded.terms, &task),
                    execution.steps
                );
                *counts.entry("replayed").or_default() += 1;
            }
            verdicts.push(found.map(|found| found.is_ok()));
        }
        let found = match () {
            () if verdicts.contains(&Some(false)) => Judgement::Violated(String::new()),
            () if verdicts.iter().all(|verdict| *verdict == Some(true)) => Judgement::Fine,
            () => {
                *counts.entry("open").or_default() += 1;
                continue;
            }
        };
        let expected = match judgement {
            Judgement::Violated(_) => Judgement::Violated(String::new()),
            other => other,
        };
        assert_eq!(found, expected, "seed {seed}\n{program}");
        *counts.entry(if found == Judgement::Fine { "fine" } else { "violated" }).or_default() += 1;
    }
    assert!(counts["replayed"] > 5 && counts["violated"] > 5 && counts["fine"] > 0, "{counts:?}");
}
