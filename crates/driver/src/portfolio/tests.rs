//! The supervisor with workers whose words are prepared.

use super::*;

/// Workers that say what the test has prepared for them, in the order in which jobs are started.
#[derive(Default)]
struct Actors {
    /// For each duty, what the workers with it say.
    lines: Vec<(&'static str, Vec<Message>)>,
    /// Events to come.
    events: VecDeque<Event>,
    /// What was done, in words.
    log: Vec<String>,
    started: WorkerId,
}

impl Workers for Actors {
    fn begin(&mut self, _: Instant) {}

    fn start(&mut self, job: &Job) -> Result<WorkerId, String> {
        let duty = match &job.duty {
            Duty::Search(engine) => engine.clone(),
            Duty::Replay => "replay".into(),
            Duty::Simulate => "simulate".into(),
            Duty::Check(claim, witness) => format!("check {} {witness}", claim.map_or("?", Claim::word)),
        };
        let whole = matches!(job.duty, Duty::Search(_)) && !job.preprocess;
        let whole = if whole { " on the whole" } else { "" };
        self.log.push(format!("start {duty}{whole}, {} hints", job.hints.len()));
        self.started += 1;
        let at = self.lines.iter().position(|(name, _)| *name == duty).ok_or("no such program")?;
        for message in self.lines.remove(at).1 {
            self.events.push_back(Event::Message(self.started, message));
        }
        self.events.push_back(Event::Ended(self.started, "exit status 0".into()));
        Ok(self.started)
    }

    fn tell(&mut self, worker: WorkerId, fact: &str) {
        self.log.push(format!("tell {worker} {fact}"));
    }

    fn pause(&mut self, _: WorkerId, _: bool) {}

    fn kill(&mut self, _: WorkerId) {}

    fn wait(&mut self, _: Instant) -> Event {
        self.events.pop_front().unwrap_or(Event::Interrupted)
    }
}

const QUICK: Contender = Contender { name: "quick", rank: 0, share: 1 };
const FIRST: Contender = Contender { name: "first", rank: 1, share: 1 };
const SECOND: Contender = Contender { name: "second", rank: 2, share: 1 };

fn job() -> Job {
    crate::VerifyOptions::default().job(Duty::Replay, "(verify-call p ())".into())
}

/// The ending in words, and what was done.
fn run(engines: &[Contender], lines: Vec<(&'static str, Vec<Message>)>) -> (String, Vec<String>, Report) {
    run_after(engines, lines, None, Duration::ZERO)
}

/// The same with a witness of an earlier query, and time for making witnesses smaller.
fn run_after(
    engines: &[Contender],
    lines: Vec<(&'static str, Vec<Message>)>,
    earlier: Option<&str>,
    minimise: Duration,
) -> (String, Vec<String>, Report) {
    let mut actors = Actors { lines, ..Actors::default() };
    let job = Job { minimise, ..job() };
    let mut search = Search::new(&mut actors, job, 2, Instant::now() + Duration::from_secs(1000));
    let ending = match search.run(engines, earlier) {
        Ending::Certified { claim, witness, smaller, notes } => {
            let smaller = smaller.map(|text| format!(" as {text}")).unwrap_or_default();
            format!("{} {witness}{smaller} {notes:?}", claim.word())
        }
        Ending::Unknown(reason) => format!("unknown: {reason}"),
    };
    let report = search.report;
    (ending, actors.log, report)
}

fn found(claim: Claim, witness: &str) -> Message {
    Message::Found(claim, witness.into())
}

#[test]
fn evidence_counts_after_the_checker_confirmed_it() {
    let (ending, log, report) = run(
        &[FIRST],
        vec![
            ("first", vec![Message::Note("n".into()), found(Claim::Correct, "(w)")]),
            ("check correct (w)", vec![Message::Judged(Validation::Confirmed)]),
        ],
    );
    assert_eq!(ending, "correct (w) [\"n\"]");
    assert_eq!(log, ["start first, 0 hints", "start check correct (w), 0 hints"]);
    assert_eq!((report.engine.as_deref(), report.checker.as_deref()), (Some("first"), Some("confirmed")));
}

#[test]
fn the_others_go_on_when_evidence_is_rejected() {
    let (ending, ..) = run(
        &[FIRST, SECOND],
        vec![
            ("first", vec![found(Claim::Correct, "(wrong)")]),
            ("check correct (wrong)", vec![Message::Judged(Validation::Rejected("it is wrong".into()))]),
            ("second", vec![found(Claim::Incorrect, "(right)")]),
            ("check incorrect (right)", vec![Message::Judged(Validation::Confirmed)]),
        ],
    );
    assert_eq!(ending, "incorrect (right) []");
    let (ending, ..) = run(
        &[SECOND, FIRST],
        vec![
            ("first", vec![found(Claim::Correct, "(wrong)")]),
            ("check correct (wrong)", vec![Message::Judged(Validation::Unknown("hard".into()))]),
            ("second", vec![]),
        ],
    );
    let first = "first: the checker cannot judge its evidence: hard";
    let second = "second: its worker ended without an answer: exit status 0";
    assert_eq!(ending, format!("unknown: {second}; {first}"), "reasons come in the order of the table");
}

#[test]
fn a_checker_that_says_nothing_confirms_nothing() {
    for said in [vec![], vec![found(Claim::Correct, "(w)")], vec![Message::Nothing("x".into())]] {
        let lines = vec![("first", vec![found(Claim::Correct, "(w)")]), ("check correct (w)", said)];
        assert!(run(&[FIRST], lines).0.starts_with("unknown: first: its worker "));
    }
    // A worker that was asked to search cannot judge.
    let (ending, ..) = run(&[FIRST], vec![("first", vec![Message::Judged(Validation::Confirmed)])]);
    assert!(ending.starts_with("unknown: "), "{ending}");
}

#[test]
fn quick_engines_come_first_and_last() {
    let (ending, log, _) = run(
        &[FIRST, QUICK],
        vec![
            ("quick", vec![Message::Nothing("too early".into())]),
            ("first", vec![Message::Nothing("no idea".into())]),
            ("quick", vec![Message::Nothing("too late".into())]),
        ],
    );
    assert_eq!(log, ["start quick, 0 hints", "start first, 0 hints", "start quick, 0 hints"]);
    assert_eq!(ending, "unknown: first: no idea; quick: too late");
}

#[test]
fn facts_are_shared() {
    let (_, log, _) = run(
        &[FIRST, SECOND],
        vec![
            ("first", vec![Message::Fact("(f)".into()), Message::Fact("(f)".into())]),
            ("second", vec![Message::Fact("(g)".into())]),
        ],
    );
    // The first has ended when the second speaks.
    assert_eq!(log, ["start first, 0 hints", "start second, 0 hints", "tell 2 (f)"]);
}

#[test]
fn an_interrupted_search_is_unknown() {
    let (ending, ..) = run(&[FIRST], vec![("first", vec![Message::Note("n".into())])]);
    assert!(ending.starts_with("unknown: first: its worker ended"), "{ending}");
    let mut actors = Actors::default();
    actors.lines.push(("first", vec![]));
    actors.events.push_back(Event::Interrupted);
    let mut search = Search::new(&mut actors, job(), 1, Instant::now() + Duration::from_secs(1000));
    assert!(matches!(search.run(&[FIRST], None), Ending::Unknown(reason) if reason == "interrupted"));
}

#[test]
fn a_smaller_witness_comes_after_the_judgement() {
    let confirmed = Message::Judged(Validation::Confirmed);
    let after = |said: Vec<Message>| {
        let said = [confirmed.clone()].into_iter().chain(said).collect();
        let lines = vec![
            ("first", vec![found(Claim::Correct, "(w)")]),
            ("check correct (w)", said),
            ("second", vec![]),
        ];
        run_after(&[FIRST, SECOND], lines, None, Duration::from_secs(1)).0
    };
    assert_eq!(after(vec![Message::Smaller("()".into())]), "correct (w) as () []");
    // Whatever goes wrong there, the verdict stands.
    assert_eq!(after(vec![]), "correct (w) []");
    assert_eq!(after(vec![Message::Judged(Validation::Rejected("no".into()))]), "correct (w) []");
    // Without a judgement it is worth nothing.
    let lines = vec![
        ("first", vec![found(Claim::Correct, "(w)")]),
        ("check correct (w)", vec![Message::Smaller("()".into())]),
    ];
    let (ending, ..) = run_after(&[FIRST], lines, None, Duration::from_secs(1));
    assert!(ending.starts_with("unknown: first: its worker answers"), "{ending}");
}

#[test]
fn evidence_of_an_earlier_query_is_tried() {
    let lines = |judged| {
        vec![
            ("check correct (e)", vec![Message::Judged(judged)]),
            ("first", vec![Message::Nothing("x".into())]),
        ]
    };
    let run = |judged| run_after(&[FIRST], lines(judged), Some("(e)"), Duration::ZERO);
    let (ending, _, report) = run(Validation::Confirmed);
    assert_eq!((ending.as_str(), report.engine.as_deref()), ("correct (e) []", Some("earlier")));
    // If it does not fit, that is no reason for anything.
    assert_eq!(run(Validation::Rejected("other".into())).0, "unknown: first: x");
}

#[test]
fn a_check_takes_the_place_of_an_engine() {
    let lines = vec![
        ("first", vec![found(Claim::Correct, "(w)")]),
        ("check correct (w)", vec![Message::Judged(Validation::Confirmed)]),
        ("second", vec![]),
    ];
    let mut actors = Actors { lines, ..Actors::default() };
    let mut search = Search::new(&mut actors, job(), 1, Instant::now() + Duration::from_secs(1000));
    assert!(matches!(search.run(&[FIRST, SECOND], None), Ending::Certified { .. }));
    assert_eq!(actors.log, ["start first, 0 hints", "start check correct (w), 0 hints"]);
}

#[test]
fn a_program_that_is_too_small_is_too_small_for_all() {
    let (ending, log, _) = run(
        &[FIRST, SECOND],
        vec![
            ("first", vec![Message::Reduced, Message::TooSmall, Message::Nothing("no".into())]),
            ("second", vec![Message::Reduced, found(Claim::Incorrect, "(of no use)")]),
            ("second", vec![found(Claim::Correct, "(right)")]),
            ("check correct (right)", vec![Message::Judged(Validation::Confirmed)]),
        ],
    );
    assert_eq!(ending, "correct (right) []");
    let started = ["start first, 0 hints", "start second, 0 hints", "start second on the whole, 0 hints"];
    assert_eq!(log[..3], started);
}

#[test]
fn an_engine_begins_again_when_evidence_does_not_come_back() {
    let wrong = "((annotate-tag a :invariant true))";
    let (ending, log, _) = run(
        &[FIRST],
        vec![
            ("first", vec![Message::Reduced, found(Claim::Correct, wrong)]),
            (
                "check correct ((annotate-tag a :invariant true))",
                vec![Message::Judged(Validation::Rejected("no".into()))],
            ),
            ("first", vec![found(Claim::Correct, "(right)")]),
            ("check correct (right)", vec![Message::Judged(Validation::Confirmed)]),
        ],
    );
    assert_eq!(ending, "correct (right) []");
    assert!(log.iter().any(|line| line == "start first on the whole, 0 hints"), "{log:?}");
}
