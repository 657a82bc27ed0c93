//! What a worker is asked to do, and what it says. Both travel as text, so that a worker can be another process:
//! solvers crash and run away, and that must cost one attempt, not the answer.

use crate::validate::Validation;
use crate::wire::Frame;
use std::time::Duration;
use svlib::witness::Claim;

/// The kinds of work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Duty {
    /// Look for evidence with this engine.
    Search(String),
    /// Look at the trace that is selected right before the query.
    Replay,
    /// Judge a witness; the claim, where it is known.
    Check(Option<Claim>, String),
    /// Execute the query once.
    Simulate,
}

impl Duty {
    /// What is done, in a word.
    #[must_use]
    pub fn word(&self) -> &str {
        match self {
            Duty::Search(engine) => engine,
            Duty::Replay => "replay",
            Duty::Check(..) => "check",
            Duty::Simulate => "simulate",
        }
    }
}

/// A piece of work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    /// What to do.
    pub duty: Duty,
    /// The script up to its query, which is the last command.
    pub script: String,
    /// For a transition system, which the script then is, in VMT-LIB: the number of the property.
    pub property: Option<u64>,
    /// True for Horn clauses, which the script then is.
    pub horn: bool,
    /// The commands that a witness begins with.
    pub header: String,
    /// What other engines found, as `annotate-tag` commands.
    pub hints: Vec<String>,
    /// The time there is.
    pub timeout: Duration,
    /// The memory there is, in MiB.
    pub memory: Option<u64>,
    /// The seed of random decisions.
    pub seed: u64,
    /// True to assume the entry's `:requires` instead of checking it.
    pub assume_entry_requires: bool,
    /// The solver as users write it.
    pub solver: String,
    /// The time for making a confirmed witness smaller.
    pub minimise: Duration,
    /// True to make the program or system smaller before an engine looks at it.
    pub preprocess: bool,
}

impl Job {
    /// The frames to send; the last one says that the job is complete.
    #[must_use]
    pub fn frames(&self) -> Vec<Frame> {
        let mut frames = vec![
            Frame::new("script", self.script.clone()),
            Frame::new("header", self.header.clone()),
            Frame::new("timeout-ms", self.timeout.as_millis().to_string()),
            Frame::new("seed", self.seed.to_string()),
            Frame::new("assume-entry-requires", self.assume_entry_requires.to_string()),
            Frame::new("solver", self.solver.clone()),
            Frame::new("minimise-ms", self.minimise.as_millis().to_string()),
            Frame::new("preprocess", self.preprocess.to_string()),
        ];
        frames.extend(self.property.map(|index| Frame::new("property", index.to_string())));
        frames.extend(self.horn.then(|| Frame::new("horn", "")));
        frames.extend(self.memory.map(|mib| Frame::new("memory-mib", mib.to_string())));
        frames.extend(self.hints.iter().map(|hint| Frame::new("hint", hint.clone())));
        match &self.duty {
            Duty::Search(engine) => frames.push(Frame::new("search", engine.clone())),
            Duty::Replay => frames.push(Frame::new("replay", "")),
            Duty::Simulate => frames.push(Frame::new("simulate", "")),
            Duty::Check(claim, witness) => {
                frames.extend(claim.map(|claim| Frame::new("claim", claim.word())));
                frames.push(Frame::new("check", witness.clone()));
            }
        }
        frames
    }
}

/// A job that is being received.
pub struct Incoming {
    job: Job,
    claim: Option<Claim>,
}

impl Default for Incoming {
    fn default() -> Self {
        let job = Job {
            duty: Duty::Replay,
            script: String::new(),
            property: None,
            horn: false,
            header: String::new(),
            hints: Vec::new(),
            timeout: Duration::ZERO,
            memory: None,
            seed: 0,
            assume_entry_requires: false,
            solver: "z3".into(),
            minimise: Duration::ZERO,
            preprocess: false,
        };
        Incoming { job, claim: None }
    }
}

impl Incoming {
    /// Takes a frame; the job when it was the last one.
    ///
    /// # Errors
    /// When the frame does not belong here.
    pub fn take(&mut self, frame: Frame) -> Result<Option<Job>, String> {
        let number = |text: &str| text.parse::<u64>().map_err(|_| format!("`{text}` is no number"));
        match frame.key.as_str() {
            "script" => self.job.script = frame.text,
            "property" => self.job.property = Some(number(&frame.text)?),
            "horn" => self.job.horn = true,
            "header" => self.job.header = frame.text,
            "timeout-ms" => self.job.timeout = Duration::from_millis(number(&frame.text)?),
            "minimise-ms" => self.job.minimise = Duration::from_millis(number(&frame.text)?),
            "memory-mib" => self.job.memory = Some(number(&frame.text)?),
            "seed" => self.job.seed = number(&frame.text)?,
            "assume-entry-requires" => self.job.assume_entry_requires = frame.text == "true",
            "solver" => self.job.solver = frame.text,
            "preprocess" => self.job.preprocess = frame.text == "true",
            "hint" => self.job.hints.push(frame.text),
            "claim" => self.claim = Claim::named(&frame.text),
            "search" => return Ok(Some(self.complete(Duty::Search(frame.text)))),
            "replay" => return Ok(Some(self.complete(Duty::Replay))),
            "simulate" => return Ok(Some(self.complete(Duty::Simulate))),
            "check" => {
                let duty = Duty::Check(self.claim, frame.text);
                return Ok(Some(self.complete(duty)));
            }
            other => return Err(format!("`{other}` is no part of a job")),
        }
        Ok(None)
    }

    fn complete(&mut self, duty: Duty) -> Job {
        let job = std::mem::take(self).job;
        Job { duty, ..job }
    }
}

/// What a worker says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Message {
    /// A fact for other engines, as an `annotate-tag` command.
    Fact(String),
    /// A remark for people, about the evidence that follows.
    Note(String),
    /// The most memory it used, in KiB.
    Peak(u64),
    /// What it looks at is a smaller program.
    Reduced,
    /// The smaller program can do something that the program cannot: it is of no use.
    TooSmall,
    /// Evidence: what it shows and the witness.
    Found(Claim, String),
    /// No evidence, and why.
    Nothing(String),
    /// The judgement about a witness.
    Judged(Validation),
    /// After a judgement, if that was asked for: the witness with what it does not need left out, and judged again.
    Smaller(String),
    /// How an execution ended, in the words of a response.
    Ran(String),
}

impl Message {
    /// The frame to send.
    #[must_use]
    pub fn frame(&self) -> Frame {
        match self {
            Message::Fact(text) => Frame::new("fact", text.clone()),
            Message::Note(text) => Frame::new("note", text.clone()),
            Message::Peak(kib) => Frame::new("peak-kib", kib.to_string()),
            Message::Reduced => Frame::new("reduced", ""),
            Message::TooSmall => Frame::new("too-small", ""),
            Message::Found(claim, witness) => Frame::new(claim.word(), witness.clone()),
            Message::Nothing(reason) => Frame::new("nothing", reason.clone()),
            Message::Judged(Validation::Confirmed) => Frame::new("confirmed", ""),
            Message::Judged(Validation::Rejected(reason)) => Frame::new("rejected", reason.clone()),
            Message::Judged(Validation::Unknown(reason)) => Frame::new("open", reason.clone()),
            Message::Smaller(witness) => Frame::new("smaller", witness.clone()),
            Message::Ran(text) => Frame::new("ran", text.clone()),
        }
    }

    /// The message in a frame, if it is one.
    #[must_use]
    pub fn of_frame(frame: Frame) -> Option<Message> {
        let text = frame.text;
        Some(match frame.key.as_str() {
            "fact" => Message::Fact(text),
            "note" => Message::Note(text),
            "peak-kib" => Message::Peak(text.parse().ok()?),
            "reduced" => Message::Reduced,
            "too-small" => Message::TooSmall,
            "nothing" => Message::Nothing(text),
            "confirmed" => Message::Judged(Validation::Confirmed),
            "rejected" => Message::Judged(Validation::Rejected(text)),
            "open" => Message::Judged(Validation::Unknown(text)),
            "smaller" => Message::Smaller(text),
            "ran" => Message::Ran(text),
            word => Message::Found(Claim::named(word)?, text),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_travel() {
        for duty in [
            Duty::Search("random".into()),
            Duty::Replay,
            Duty::Simulate,
            Duty::Check(None, "()".into()),
            Duty::Check(Some(Claim::Correct), "((set-info :x 1))".into()),
        ] {
            let job = Job {
                duty,
                script: "(verify-call p ())".into(),
                property: Some(3),
                horn: true,
                header: "(set-info :producer \"x\")".into(),
                hints: vec!["(annotate-tag a :invariant true)".into()],
                timeout: Duration::from_millis(1234),
                memory: Some(77),
                seed: 5,
                assume_entry_requires: true,
                solver: "my solver --flag".into(),
                minimise: Duration::from_millis(42),
                preprocess: true,
            };
            let mut incoming = Incoming::default();
            let mut received = None;
            for frame in job.frames() {
                assert_eq!(received, None, "only the last frame completes a job");
                received = incoming.take(frame).expect("a part of a job");
            }
            assert_eq!(received, Some(job));
        }
        assert!(Incoming::default().take(Frame::new("fact", "")).is_err());
        assert!(Incoming::default().take(Frame::new("seed", "x")).is_err());
    }

    #[test]
    fn messages_travel() {
        for message in [
            Message::Fact("f".into()),
            Message::Note("n".into()),
            Message::Peak(9),
            Message::Reduced,
            Message::TooSmall,
            Message::Found(Claim::Correct, "()".into()),
            Message::Found(Claim::Incorrect, "()".into()),
            Message::Nothing("r".into()),
            Message::Judged(Validation::Confirmed),
            Message::Judged(Validation::Rejected("r".into())),
            Message::Judged(Validation::Unknown("r".into())),
            Message::Smaller("()".into()),
            Message::Ran("((r 3))".into()),
        ] {
            assert_eq!(Message::of_frame(message.frame()), Some(message));
        }
        assert_eq!(Message::of_frame(Frame::new("rubbish", "")), None);
    }
}
