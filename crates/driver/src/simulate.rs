//! `simulate-call`: one concrete execution of a call, told as a response.

use smt::print::{symbol_text, term_text};
use smt::term::Terms;
use svlib::interp::{End, Task, run_random};

use crate::job::Job;
use crate::task::{limits, read_task};

/// How many seeds are tried for an execution that no assumption cuts off.
const TRIES: u32 = 1000;

/// Executes the query of the job. What the program leaves open is decided by the seed. The outputs with their values, or
/// a word for the end with a sentence about it.
pub(crate) fn once(job: &Job) -> Result<String, String> {
    let mut terms = Terms::new();
    let builder = read_task(&mut terms, &job.script)?;
    let script = &builder.state.script;
    let command = script.commands.len().checked_sub(1).ok_or("the task is empty")?;
    let task = Task::new(&mut terms, script, command).map_err(|error| error.to_string())?;
    let (outcome, _) = run_random(&task, &terms, job.seed, TRIES, &limits(job.assume_entry_requires));
    let word = match &outcome.end {
        End::Finished(values) => {
            let mut outputs = Vec::new();
            for (variable, value) in values {
                let value = value.to_term(&mut terms);
                outputs.push(format!(
                    "({} {})",
                    symbol_text(terms.fun_name(*variable)),
                    term_text(&terms, value)
                ));
            }
            return Ok(format!("({})", outputs.join(" ")));
        }
        End::Violated(_) => "violated",
        End::Blocked(_) | End::NoModel(_) => "blocked",
        End::StepLimit | End::DepthLimit => "endless",
        _ => "failed",
    };
    let sentence = outcome.end.message(&terms, &task).replace('"', "\"\"");
    Ok(format!("({word} \"{sentence}\")"))
}
