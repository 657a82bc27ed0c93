//! S-expressions as JSON.

use super::super::read::primes_inside;
use super::is_ambiguous;
use crate::WriteError;
use smt::sexpr::{Kind, NodeIdx, Reader, Text, Tree};

/// S-expressions as JSON.
pub(in super::super) fn from_sexpr(text: &str) -> Result<String, WriteError> {
    let text = primes_inside(text);
    let text = Text::new(&text, 0);
    let (mut reader, mut tree, mut errors) = (Reader::new(text), Tree::new(), Vec::new());
    let mut commands = Vec::new();
    while reader.read(&mut tree, &mut errors) {
        commands.push(Printer { text, tree: &tree }.command()?);
    }
    // What was not understood would be missing.
    match errors.first() {
        Some(error) => Err(WriteError::new(format!("the commands have no form in JSON: {}", error.message))),
        None => Ok(format!("[\n{}\n]\n", commands.join(",\n"))),
    }
}

struct Printer<'a> {
    text: Text<'a>,
    tree: &'a Tree,
}

/// What is left to print.
enum Out {
    Text(String),
    Term(NodeIdx),
    Sort(NodeIdx),
}

/// A string of JSON.
fn quoted(word: &str) -> String {
    let mut out = String::from("\"");
    for letter in word.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            letter if letter < ' ' => out.push_str(&format!("\\u{:04x}", letter as u32)),
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}

impl Printer<'_> {
    /// The text of a word; a prime after bars belongs to it. A symbol has its bars only where something else would be read
    /// without them.
    fn word(&self, node: NodeIdx) -> String {
        match self.text.symbol(self.tree, node) {
            Some(name) if is_ambiguous(name) => quoted(&format!("|{name}|")),
            Some(name) => quoted(name),
            None => quoted(self.text.atom(self.tree, node)),
        }
    }

    fn children(&self, node: NodeIdx) -> Vec<NodeIdx> {
        self.tree.children(node).collect()
    }

    fn command(&self) -> Result<String, WriteError> {
        let parts = self.children(0);
        let name = self.text.atom(self.tree, parts[0]);
        let mut out = format!("  {{\"command\": {}", quoted(name));
        match (name, &parts[1..]) {
            ("set-logic", [logic]) => out.push_str(&format!(", \"logic\": {}", self.word(*logic))),
            ("declare-sort", [symbol, arity]) => {
                out.push_str(&format!(
                    ", \"symbol\": {}, \"arity\": {}",
                    self.word(*symbol),
                    self.text.atom(self.tree, *arity)
                ));
            }
            ("declare-fun", [symbol, inputs, output]) => {
                out.push_str(&format!(", \"symbol\": {}, \"inputs\": [", self.word(*symbol)));
                for (i, input) in self.children(*inputs).into_iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { ", " });
                    self.write(&mut out, vec![Out::Sort(input)])?;
                }
                out.push_str("], \"output\": ");
                self.write(&mut out, vec![Out::Sort(*output)])?;
            }
            ("declare-datatypes", [names, bodies]) => return self.enumeration(*names, *bodies),
            ("define-system" | "check-system", [symbol, attributes @ ..]) => {
                out.push_str(&format!(", \"symbol\": {}", self.word(*symbol)));
                self.attributes(&mut out, attributes)?;
            }
            _ => return Err(WriteError::new(format!("the command `{name}` has no form in JSON"))),
        }
        out.push('}');
        Ok(out)
    }

    /// A datatype without fields is an enumeration; others have no form in JSON.
    fn enumeration(&self, names: NodeIdx, bodies: NodeIdx) -> Result<String, WriteError> {
        let refusal = || WriteError::new("datatypes with fields have no form in JSON");
        let mut found = Vec::new();
        for (name, body) in self.children(names).into_iter().zip(self.children(bodies)) {
            let name = *self.children(name).first().ok_or_else(refusal)?;
            let mut values = Vec::new();
            for constructor in self.children(body) {
                match self.children(constructor)[..] {
                    [symbol] => values.push(self.word(symbol)),
                    _ => return Err(refusal()),
                }
            }
            let (name, values) = (self.word(name), values.join(", "));
            found.push(format!(
                "  {{\"command\": \"declare-enum-sort\", \"symbol\": {name}, \"values\": [{values}]}}"
            ));
        }
        Ok(found.join(",\n"))
    }

    fn attributes(&self, out: &mut String, attributes: &[NodeIdx]) -> Result<(), WriteError> {
        // Attributes of one kind are one list.
        let mut lists: Vec<(&str, Vec<String>)> = Vec::new();
        for pair in attributes.chunks_exact(2) {
            let key = self.text.atom(self.tree, pair[0]).trim_start_matches(':');
            let mut made = String::new();
            match key {
                "input" | "output" | "local" => {
                    for var in self.children(pair[1]) {
                        let [name, sort] = self.children(var)[..] else { continue };
                        made.push_str(if made.is_empty() { "" } else { ", " });
                        made.push_str(&format!("{{\"symbol\": {}, \"sort\": ", self.word(name)));
                        self.write(&mut made, vec![Out::Sort(sort)])?;
                        made.push('}');
                    }
                }
                "init" | "trans" | "inv" => {
                    out.push_str(&format!(", \"{key}\": "));
                    self.write(out, vec![Out::Term(pair[1])])?;
                    continue;
                }
                _ => {
                    let [name, body] = self.children(pair[1])[..] else { continue };
                    made.push_str(&format!("{{\"symbol\": {}, ", self.word(name)));
                    if key == "query" {
                        let names: Vec<String> =
                            self.children(body).into_iter().map(|name| self.word(name)).collect();
                        made.push_str(&format!("\"formulas\": [{}]", names.join(", ")));
                    } else {
                        made.push_str("\"formula\": ");
                        self.write(&mut made, vec![Out::Term(body)])?;
                    }
                    made.push('}');
                }
            }
            match lists.iter_mut().find(|list| list.0 == key) {
                Some(list) => list.1.push(made),
                None => lists.push((key, vec![made])),
            }
        }
        for (key, items) in lists {
            out.push_str(&format!(", \"{key}\": [{}]", items.join(", ")));
        }
        Ok(())
    }

    fn write(&self, out: &mut String, mut todo: Vec<Out>) -> Result<(), WriteError> {
        let text = |text: &str| Out::Text(text.to_owned());
        while let Some(piece) = todo.pop() {
            match piece {
                Out::Text(text) => out.push_str(&text),
                Out::Term(node) | Out::Sort(node) if !self.tree.is_list(node) => {
                    out.push_str(&format!("{{\"identifier\": {}}}", self.word(node)));
                }
                Out::Term(node) | Out::Sort(node) => {
                    let parts = self.children(node);
                    let sort = matches!(piece, Out::Sort(_));
                    let Some(&head) = parts.first() else { continue };
                    let mut next = vec![text("{\"identifier\": ")];
                    let word = self.text.atom(self.tree, head);
                    if self.tree.kind(head) == Kind::Symbol && matches!(word, "_" | "as") {
                        // The whole is an identifier.
                        self.identifier(node, &mut next);
                        next.push(text("}"));
                    } else if self.tree.kind(head) == Kind::Symbol && word == "let" {
                        next.push(text("{\"symbol\": \"let\", \"binders\": ["));
                        for (i, binding) in self.children(parts[1]).into_iter().enumerate() {
                            let [name, value] = self.children(binding)[..] else { continue };
                            let comma = if i == 0 { "" } else { ", " };
                            next.push(Out::Text(format!(
                                "{comma}{{\"symbol\": {}, \"term\": ",
                                self.word(name)
                            )));
                            next.extend([Out::Term(value), text("}")]);
                        }
                        next.extend([text("]}, \"args\": ["), Out::Term(parts[2]), text("]}")]);
                    } else if self.tree.kind(head) == Kind::Symbol
                        && matches!(word, "forall" | "exists" | "lambda")
                    {
                        return Err(WriteError::new(format!("`{word}` has no form in JSON")));
                    } else {
                        self.identifier(head, &mut next);
                        next.push(text(if sort { ", \"parameters\": [" } else { ", \"args\": [" }));
                        for (i, &arg) in parts[1..].iter().enumerate() {
                            if i > 0 {
                                next.push(text(", "));
                            }
                            next.push(if sort { Out::Sort(arg) } else { Out::Term(arg) });
                        }
                        next.push(text("]}"));
                    }
                    todo.extend(next.into_iter().rev());
                }
            }
        }
        Ok(())
    }

    /// A symbol, `(_ symbol index …)` or `(as symbol sort)`.
    fn identifier(&self, node: NodeIdx, next: &mut Vec<Out>) {
        let parts = self.children(node);
        match parts[..] {
            [word, symbol, sort] if self.text.atom(self.tree, word) == "as" => {
                let symbol = self.word(symbol);
                next.push(Out::Text(format!("{{\"qualifier\": \"as\", \"symbol\": {symbol}, \"sort\": ")));
                next.extend([Out::Sort(sort), Out::Text("}".into())]);
            }
            [_, symbol, ref indices @ ..] => {
                let indices: Vec<&str> =
                    indices.iter().map(|&index| self.text.atom(self.tree, index)).collect();
                let symbol = self.word(symbol);
                next.push(Out::Text(format!(
                    "{{\"symbol\": {symbol}, \"indices\": [{}]}}",
                    indices.join(", ")
                )));
            }
            _ => next.push(Out::Text(self.word(node))),
        }
    }
}
