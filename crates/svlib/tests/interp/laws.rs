//! Laws: a recorded execution, and the trace printed from it, end where the execution ended.

use super::support::{World, read};
use super::{examples, generate};
use smt::term::TermId;
use svlib::interp::{End, Execution, Judgement, Options, Outcome, Random, Replay, Taken, Task, run};
use svlib::print::command_text;
use svlib::syntax::{At, CommandKind, Property, PropertyKind, TagAnnotation, TagProperty, Violation};
use testkit::Rng;

const OPTIONS: Options = Options {
    steps: 3_000,
    depth: 200,
    fuel: 1_000_000,
    entry_requires: svlib::interp::EntryRequires::Check,
};

/// Everything about an outcome that must not change.
fn facts(world: &mut World, outcome: &Outcome) -> String {
    let globals = world.values(&outcome.state.globals);
    let frame = outcome.state.frame.as_ref().map(|(_, values)| world.values(values)).unwrap_or_default();
    let end = world.end(&outcome.end);
    format!(
        "{end}; {:?}; {} steps; depth {};{globals};{frame}",
        outcome.end.stmt(),
        outcome.steps,
        outcome.state.depth
    )
}

/// The claim that the check of a falsehood at the entry's body is violated: a trace must claim something.
fn any_claim(world: &World, call: usize) -> Option<Violation> {
    let CommandKind::Call(_, proc, _) = &world.script.commands[call].kind else { return None };
    let body = world.script.procs[*proc].body?;
    let tag = world.script.stmts[body].tags.first()?.0;
    let kind = PropertyKind::CheckTrue;
    let property = Property { kind, terms: vec![TermId::FALSE], at: At::default() };
    let properties = vec![TagProperty { kind, text: "false".into(), meanings: vec![(body, property)] }];
    Some(Violation::Annotation(TagAnnotation { tag, properties, attributes: Vec::new() }))
}

/// Runs a call at random and checks the laws. Returns the end.
fn check(text: &str, call: usize, seed: u64) -> End {
    let mut world = read(text);
    let outcome = world.run_call(call, &mut Random::new(seed), &OPTIONS);
    let expected = facts(&mut world, &outcome);
    if let End::NoModel(_) = outcome.end {
        return outcome.end;
    }
    let mut replay = Replay::of_execution(&world.terms, &outcome.execution);
    let repeated = world.run_call(call, &mut replay, &OPTIONS);
    assert_eq!(facts(&mut world, &repeated), expected, "seed {seed}\n{text}");
    assert_eq!(repeated.execution.steps, outcome.execution.steps);

    let task = Task::new(&mut world.terms, &world.script, call).expect("a call");
    let trace = outcome.trace(&mut world.terms, &task);
    let claimed = trace.is_some();
    let trace = match (trace, any_claim(&world, call)) {
        (Some(trace), _) => trace,
        (None, Some(claim)) => outcome.execution.to_trace(&mut world.terms, claim),
        (None, None) => return outcome.end,
    };
    let printed = command_text(&world.terms, &world.script, &CommandKind::SelectTrace(Box::new(trace)));
    let at = world.script.commands[call].at.0.start as usize;
    let with_trace = format!("{}{printed}\n{}", &text[..at], &text[at..]);
    let mut again = read(&with_trace);
    let mut replay = Replay::of_trace(&again.terms, &again.trace());
    if !claimed {
        replay = replay.to_first_violation();
    }
    let repeated = again.run_call(call + 1, &mut replay, &OPTIONS);
    assert_eq!(facts(&mut again, &repeated), expected, "seed {seed}\n{with_trace}");
    if claimed {
        assert_eq!(replay.judge(&repeated), Judgement::Confirmed);
    }
    outcome.end
}

#[test]
fn executions_of_random_scripts_replay() {
    let mut ends = [0; 5];
    for seed in 0..400 {
        let text = generate::script(seed);
        let call = *read(&text).calls().last().expect("a call");
        for run in 0..3 {
            let kind = match check(&text, call, seed * 100 + run) {
                End::Finished(_) => 0,
                End::Violated(_) => 1,
                End::Blocked(_) => 2,
                End::StepLimit | End::DepthLimit => 3,
                End::NoModel(_) => 4,
                other => panic!("seed {seed}: {other:?}\n{text}"),
            };
            ends[kind] += 1;
        }
    }
    assert!(
        ends[..4].iter().all(|&count| count > 10),
        "finished, violated, blocked, cut, no model: {ends:?}"
    );
    assert_eq!(ends[4], 0, "finished, violated, blocked, cut, no model: {ends:?}");
}

#[test]
fn executions_of_the_examples_replay() {
    for (name, text) in examples::all() {
        for call in read(&text).calls() {
            for seed in 0..8 {
                let end = check(&text, call, seed);
                assert!(!matches!(end, End::Error(..) | End::InvalidStep(_)), "{name}: {end:?}");
            }
        }
    }
}

/// Steps changed at random: nothing breaks, and what could be followed is recorded so that it can be followed again.
#[test]
fn damaged_traces_end_somewhere() {
    let mut invalid = 0;
    for seed in 0..150 {
        let text = generate::script(seed);
        let mut world = read(&text);
        let call = *world.calls().last().expect("a call");
        let task = Task::new(&mut world.terms, &world.script, call).expect("a call");
        let outcome = run(&task, &world.terms, &mut Random::new(seed), &OPTIONS);
        let mut rng = Rng::new(seed);
        for _ in 0..5 {
            let mut execution = outcome.execution.clone();
            damage(&mut execution, &mut rng, &world);
            let followed =
                run(&task, &world.terms, &mut Replay::of_execution(&world.terms, &execution), &OPTIONS);
            if let End::InvalidStep(_) = followed.end {
                invalid += 1;
                continue;
            }
            let mut replay = Replay::of_execution(&world.terms, &followed.execution);
            let again = run(&task, &world.terms, &mut replay, &OPTIONS);
            assert_eq!(format!("{:?}", again.end), format!("{:?}", followed.end), "seed {seed}\n{text}");
        }
    }
    assert!((100..700).contains(&invalid), "{invalid}");
}

fn damage(execution: &mut Execution, rng: &mut Rng, world: &World) {
    let steps = &mut execution.steps;
    let at = rng.below(steps.len());
    match rng.below(5) {
        0 => drop(steps.remove(at)),
        1 => steps.insert(at, Taken::Choice(rng.below(4) as u32)),
        2 => steps.truncate(at),
        3 => {
            let other = rng.below(steps.len());
            steps.swap(at, other);
        }
        _ => {
            let stmt = *rng.choose(&world.script.stmts.ids().collect::<Vec<_>>());
            let Some((tag, _)) = world.script.stmts[stmt].tags.first() else { return };
            let proc = &world.script.procs[world.script.stmts[stmt].proc];
            let values = vec![(proc.outputs[0], smt::value::Value::int(rng.below(9) as i64))];
            steps.insert(at, Taken::Leap(*tag, values));
        }
    }
}
