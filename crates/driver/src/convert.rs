//! `convert`: from one language to another.

use crate::format::Format;
use crate::input::{Input, Loaded, Program};
use crate::reshape::Reshape;
use diag::{Diagnostic, SourceMap};
use formats::{Model, WriteError};
use smt::sexpr::Text;
use smt::term::Terms;
use svlib::syntax::{CommandKind, PropertyKind, Script};

/// Why nothing was written.
pub enum ConvertError {
    /// The input has errors.
    Bad(Box<SourceMap>, Vec<Diagnostic>),
    /// There is no way from the one format to the other.
    NoWay(String),
}

/// The input in the format `to`.
///
/// # Errors
/// When the input has errors or the target cannot express it.
pub fn convert(
    input: Input,
    to: Format,
    reshape: Reshape,
    options: &formats::Options,
) -> Result<Vec<u8>, ConvertError> {
    let from = input.format;
    let mut loaded = Loaded::read_task(vec![input]);
    if loaded.is_bad() {
        return Err(ConvertError::Bad(Box::new(loaded.sources), loaded.findings));
    }
    if let Program::Model(model) = &mut loaded.program {
        reshape.model(&mut loaded.terms, model, options.int_width)?;
    }
    match (&loaded.program, to.of_task(&[])) {
        (Program::Model(model), Format::System(to)) => written(to, &mut loaded.terms, model, options),
        (Program::Script(builder), Format::SvLib) => {
            reshape.refuse()?;
            laid_out(svlib::print::script_text(&loaded.terms, &builder.state.script))
        }
        (Program::Script(builder), _) if to == Format::SmtLib || to.info().name == "chc" => {
            reshape.refuse()?;
            let script = &builder.state.script;
            laid_out(horn_clauses(&mut loaded.terms, script).map_err(ConvertError::NoWay)?)
        }
        (Program::Script(builder), Format::System(to)) => {
            let made = encode::system::encode(&mut loaded.terms, &builder.state.script)
                .map_err(|why| ConvertError::NoWay(why.to_string()))?;
            let mut model = Model::Systems(vec![made.system]);
            reshape.model(&mut loaded.terms, &mut model, options.int_width)?;
            written(to, &mut loaded.terms, &model, options)
        }
        (Program::Model(model), Format::SvLib) => {
            let system = formats::only_system(model, "program").map_err(no_way)?;
            let system = formats::vmt::spelled(&mut loaded.terms, system).map_err(no_way)?;
            let made = encode::one_loop::one_loop(&mut loaded.terms, &system)
                .map_err(|why| ConvertError::NoWay(why.to_string()))?;
            laid_out(made.text)
        }
        _ => {
            let (from, to) = (from.info().name, to.info().name);
            Err(ConvertError::NoWay(format!("this build converts no {from} to {to}")))
        }
    }
}

/// A model in a language of systems.
fn written(
    to: &formats::Format,
    terms: &mut Terms,
    model: &Model,
    options: &formats::Options,
) -> Result<Vec<u8>, ConvertError> {
    (to.write)(terms, model, options).map_err(no_way)
}

fn no_way(error: WriteError) -> ConvertError {
    let help = error.help.map(|help| format!(" ({help})")).unwrap_or_default();
    ConvertError::NoWay(format!("{}{help}", error.message))
}

/// A text that a printer wrote, in canonical layout.
fn laid_out(text: String) -> Result<Vec<u8>, ConvertError> {
    svlib::fmt::format(Text::new(&text, 0)).map(String::into_bytes).map_err(|errors| {
        // The printer wrote it, so this would be a mistake of ours; it is reported rather than hidden.
        let mut sources = SourceMap::default();
        let _ = sources.add("<printed>", text.clone());
        ConvertError::Bad(Box::new(sources), errors)
    })
}

/// The only query of a script as Horn clauses that have a solution if and only if its answer is `correct`.
fn horn_clauses(terms: &mut Terms, script: &Script) -> Result<String, String> {
    let is_query = |&i: &usize| matches!(script.commands[i].kind, CommandKind::Call(..));
    let queries: Vec<usize> = (0..script.commands.len()).filter(is_query).collect();
    let [query] = queries[..] else {
        return Err(format!("Horn clauses are about one verify-call, the script has {}", queries.len()));
    };
    if let Some(CommandKind::SelectTrace(_)) = query.checked_sub(1).map(|i| &script.commands[i].kind) {
        return Err("Horn clauses cannot express a selected trace".into());
    }
    let program = program::Program::new(script, query, &[], false).map_err(|error| error.to_string())?;
    let is_live = |kind: PropertyKind| matches!(kind, PropertyKind::Recurring | PropertyKind::NotRecurring);
    let mut notes = program.annotated().into_iter().flat_map(|stmt| &program.notes(stmt).0);
    if let Some(note) = notes.find(|note| is_live(note.kind)) {
        return Err(format!("Horn clauses cannot express {}", note.kind.keyword()));
    }
    let encoding = encode::horn::encode(terms, &program).map_err(|error| error.to_string())?;
    match encoding.coarse.first() {
        Some(reason) => Err(reason.clone()),
        None => Ok(encoding.text(terms, script)),
    }
}
