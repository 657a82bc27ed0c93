//! ABC's `pdr` on the circuit of a task.
//!
//! ABC takes every output for a property, does not read every symbol table, and begins with zeros where a latch may begin with
//! anything. So it gets the bad states and constraints alone, without names, and a latch of the last kind is
//! [made of others](circuit::with_resets).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use formats::{Format, Model, Source};
use smt::term::Terms;
use ts::aig::Aig;
use ts::passes::bitblast::bitblast;
use ts::passes::functional::{Initial, functional};

use super::{find, last_line, wait};
use crate::bench::contest::Answer;
use crate::bench::measure::MEASURE;
use crate::bench::ts::circuit;
use crate::registry::Error;
use crate::verify::index::Task;

/// The names that the program has in distributions.
const NAMES: &[&str] = &["berkeley-abc", "abc"];

/// ABC, and how it is started.
pub(in crate::bench) struct Abc<'a> {
    program: PathBuf,
    ours: PathBuf,
    folder: &'a Path,
    seconds: u64,
}

impl<'a> Abc<'a> {
    /// ABC, if it is on this machine.
    pub(in crate::bench) fn new(folder: &'a Path, seconds: u64) -> Result<Option<Abc<'a>>, Error> {
        let ours = std::env::current_exe().map_err(|e| Error::Io("find this program".into(), e))?;
        let program = NAMES.iter().find_map(|name| find(name));
        Ok(program.map(|program| Abc { program, ours, folder, seconds }))
    }

    /// Who the peer is.
    pub(in crate::bench) fn name(&self) -> String {
        format!("abc is {}", self.program.display())
    }

    /// What ABC says about the circuit of a task.
    pub(in crate::bench) fn solve(&self, task: &Task) -> Result<Answer, Error> {
        let made = self.folder.join("circuit.aig");
        let limit = Duration::from_secs(self.seconds);
        // A process of its own, because a circuit can be too large to wait for.
        let mut convert = Command::new(&self.ours);
        convert.args(["bench", "ts", MEASURE]).arg(&task.path).arg(&made);
        let converted = wait(piped(convert), limit)?;
        if !converted.good {
            let reason = if converted.late { "converting takes too long" } else { &converted.errors };
            return Ok(Answer::new("no circuit", 0.0, last_line(reason)));
        }
        let mut command = Command::new(&self.program);
        let script = format!("read {}; fold; pdr -T {}", made.display(), self.seconds);
        command.args(["-c", &script]);
        let said = wait(piped(command), limit)?;
        let detail = if said.late { "the time is over".into() } else { last_line(&said.output) };
        Ok(Answer::new(verdict(&said.output), said.seconds, detail))
    }
}

fn piped(mut command: Command) -> Command {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The verdict in what ABC prints.
fn verdict(output: &str) -> &'static str {
    let says = |words: &str| output.lines().any(|line| line.contains(words));
    if says("was asserted in frame") {
        "incorrect"
    } else if says("Property proved.") {
        "correct"
    } else {
        "unknown"
    }
}

/// The child: writes the circuit of a system.
pub(in crate::bench) fn child(from: &str, made: &str) -> Result<ExitCode, Error> {
    let bytes = fs::read(from).map_err(|e| Error::Io(format!("read {from}"), e))?;
    let aig = circuit_of(from, &bytes).map_err(|reason| Error::Tool("a circuit".into(), reason))?;
    fs::write(made, formats::circuit_bytes(&aig)).map_err(|e| Error::Io(format!("write {made}"), e))?;
    Ok(ExitCode::SUCCESS)
}

/// The circuit of the one system in a file, in ABC's terms.
fn circuit_of(name: &str, bytes: &[u8]) -> Result<Aig, String> {
    let format = Format::of_path(name).ok_or("no language has this ending")?;
    let mut terms = Terms::new();
    let model = (format.read)(&mut terms, Source { bytes, base: 0 }, &mut Vec::new());
    let mut system = match model.ok_or("it cannot be read")? {
        Model::Systems(mut systems) if systems.len() == 1 => systems.remove(0),
        _ => return Err("it is not one system".into()),
    };
    system.outputs.clear();
    let form = functional(&mut terms, &system, Initial::Literals);
    let aig = bitblast(&terms, &form).map_err(|refusal| refusal.message(&terms))?.aig;
    if !aig.justice.is_empty() {
        return Err("it has a live property".into());
    }
    Ok(circuit::with_resets(&aig))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_found_among_other_lines() {
        let asserted =
            "ABC command line: \"x\".\n\nOutput 0 of miter \"a\" was asserted in frame 2.  Time = 0.02 sec\n";
        let proved =
            "Verification of invariant with 2 clauses was successful.\nProperty proved.  Time = 0.02 sec\n";
        assert_eq!(verdict(asserted), "incorrect");
        assert_eq!(verdict(proved), "correct");
        assert_eq!(verdict("Property UNDECIDED.  Time = 2.00 sec\n"), "unknown");
    }

    #[test]
    fn what_has_no_circuit_has_a_reason() {
        let system = |sort: &str, kind: &str| {
            format!(
                "(declare-fun x () {sort})(declare-fun y () {sort})(define-fun s () {sort} (! x :next y))
                 (define-fun p () Bool (! (= x x) {kind} 0))"
            )
        };
        let reason = |text: &str| circuit_of("x.vmt", text.as_bytes()).map(|aig| aig.bads.len());
        assert_eq!(reason(&system("Bool", ":invar-property")), Ok(1));
        assert!(reason(&system("Int", ":invar-property")).is_err_and(|said| said.contains("Int")));
        assert!(reason(&system("Bool", ":live-property")).is_err_and(|said| said.contains("live")));
        assert!(reason("(").is_err());
    }
}
