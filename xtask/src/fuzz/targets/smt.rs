//! SMT-LIB and VMT-LIB scripts: whatever is accepted is printed and read back to the same terms.

use base::id::Id;
use diag::SourceMap;
use smt::op::Op;
use smt::parse::{Command, Parser};
use smt::scope::{Mark, Scope};
use smt::sexpr::{Reader, Text, Tree};
use smt::sort::{SortId, Sorts};
use smt::term::{TermId, Terms};
use std::hash::{DefaultHasher, Hash, Hasher};

pub(super) fn run(input: &[u8]) -> Result<u64, String> {
    let text = String::from_utf8_lossy(input);
    let vmt = input.len().is_multiple_of(2);
    let errors = whole(&text, vmt)?;
    let kinds = by_command(&text, vmt)?;
    let mut hasher = DefaultHasher::new();
    (errors, kinds).hash(&mut hasher);
    Ok(hasher.finish())
}

fn scope_of(terms: &mut Terms, vmt: bool) -> Scope {
    if vmt { Scope::vmt(terms) } else { Scope::new(terms) }
}

/// Reads the script as a user does; the codes reported.
fn whole(text: &str, vmt: bool) -> Result<Vec<&'static str>, String> {
    let (mut sources, mut terms, mut errors) = (SourceMap::default(), Terms::new(), Vec::new());
    let file = sources.add("input", text.to_owned()).map_err(|e| e.to_string())?;
    let mut scope = scope_of(&mut terms, vmt);
    smt::script::read(
        &mut terms,
        &mut scope,
        Text::new(text, sources.base(file)),
        &mut errors,
        |_, _, _, _| {},
    );
    for error in &errors {
        if error.span.start > error.span.end || error.span.end as usize > text.len() {
            return Err(format!("{} has no place in the text", error.code));
        }
        if diag::render::text(&sources, error).len() > 8000 {
            return Err(format!("{} is too long", error.code));
        }
    }
    let mut codes: Vec<&'static str> = errors.iter().map(|error| error.code.name()).collect();
    codes.sort_unstable();
    codes.dedup();
    Ok(codes)
}

/// Reads the script command by command and checks the law on each; which kinds of commands and operators there were.
fn by_command(text: &str, vmt: bool) -> Result<(u64, Vec<u16>), String> {
    let mut terms = Terms::new();
    let mut scope = scope_of(&mut terms, vmt);
    let source = Text::new(text, 0);
    let (mut reader, mut tree, mut errors) = (Reader::new(source), Tree::new(), Vec::new());
    let (mut kinds, mut ops, mut levels) = (0u64, Vec::new(), Vec::<Mark>::new());
    while errors.len() < 100 && reader.read(&mut tree, &mut errors) {
        let Some(head) = tree.head(0).filter(|&head| tree.is_symbol(head)) else { continue };
        let word = source.atom(&tree, head);
        if !Parser::is_command(word) {
            continue;
        }
        let command = Parser::new(&mut terms, &mut scope, source, &tree, &mut errors).command(0, word);
        let Some(command) = command else {
            // What follows from an earlier problem is not reported again.
            if errors.is_empty() {
                return Err(format!("`{word}` was dropped without a word"));
            }
            continue;
        };
        kinds |= 1 << (smt::parse::command::NAMES.iter().position(|&name| name == word).unwrap_or(63) as u64);
        match command {
            Command::Push(_) => levels.push(scope.mark()),
            Command::Pop(_) => {
                if let Some(mark) = levels.pop() {
                    scope.restore(mark);
                }
            }
            _ => {}
        }
        for root in roots(&mut terms, &command) {
            law(&mut terms, &mut scope, root)?;
            ops.extend(
                smt::subst::postorder(&terms, root).iter().take(1000).map(|&term| terms.op(term) as u16),
            );
            ops.sort_unstable();
            ops.dedup();
        }
    }
    // All of them together would make nearly every input look new.
    ops.drain(..ops.len().saturating_sub(2));
    Ok((kinds, ops))
}

/// The terms of a command; the body of a definition is closed by a `lambda`.
fn roots(terms: &mut Terms, command: &Command) -> Vec<TermId> {
    let funs = match command {
        Command::Assert(term) => return vec![*term],
        Command::Solver(_, terms) => return terms.clone(),
        Command::DefineFun(fun) => vec![*fun],
        Command::DefineFunsRec(funs) => funs.clone(),
        _ => return Vec::new(),
    };
    let mut roots = Vec::new();
    for fun in funs {
        let Some((params, body)) = terms.definition(fun) else { continue };
        let params = params.to_vec();
        roots.extend(if params.is_empty() { Some(body) } else { terms.bind(Op::Lambda, &params, body).ok() });
    }
    roots
}

fn law(terms: &mut Terms, scope: &mut Scope, root: TermId) -> Result<(), String> {
    // A sort can be so large that no memory holds its text.
    if has_huge_sort(&terms.sorts) {
        return Ok(());
    }
    let printed = smt::print::term_text(terms, root);
    let source = Text::new(&printed, 0);
    let (mut tree, mut errors) = (Tree::new(), Vec::new());
    Reader::new(source).read(&mut tree, &mut errors);
    if !errors.is_empty() {
        return Err(format!("printed text cannot be read: {printed}"));
    }
    let again = Parser::new(terms, scope, source, &tree, &mut errors).term(0);
    match errors.first() {
        Some(error) => Err(format!("printed text has an error: {}: {printed}", error.message)),
        None if again != root => {
            Err(format!("printed as {printed}, read again as {}", smt::print::term_text(terms, again)))
        }
        None => Ok(()),
    }
}

fn has_huge_sort(sorts: &Sorts) -> bool {
    let mut sizes: Vec<u64> = Vec::with_capacity(sorts.len());
    for index in 0..sorts.len() {
        let parts = smt::sort::children(sorts.get(SortId::from_index(index)));
        sizes.push(parts.iter().fold(1, |size: u64, part| size.saturating_add(sizes[part.index()])));
    }
    sizes.iter().any(|&size| size > 10_000)
}
