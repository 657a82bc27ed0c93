//! What a program says, read back: values and models in the store of the caller, by the names of the script.

use rustc_hash::FxHashMap;
use smt::eval::{Assignment, Interpretation};
use smt::parse::Parser;
use smt::scope::{Binding, Generic, Scope, SortBinding};
use smt::sexpr::{NodeIdx, Reader, Text, Tree};
use smt::sort::{Sort, SortDeclId, SortId};
use smt::term::{FunId, TermId, Terms};
use smt::value::Value;

use crate::script::Script;

/// An answer as a tree. None when it is no S-expression.
pub(super) fn tree(text: &str) -> Option<Tree> {
    let (mut tree, mut errors) = (Tree::new(), Vec::new());
    let read = Reader::new(Text::new(text, 0)).read(&mut tree, &mut errors);
    (read && errors.is_empty()).then_some(tree)
}

/// Reads answers.
pub(super) struct Answers<'a> {
    terms: &'a mut Terms,
    scope: Scope,
    symbols: FxHashMap<String, FunId>,
}

impl<'a> Answers<'a> {
    pub(super) fn new(terms: &'a mut Terms, script: &Script) -> Self {
        let mut scope = Scope::new(terms);
        for &(theirs, ours) in script.sort_decls() {
            let name = script.own().names.text(script.own().sorts.decl(ours).name).to_owned();
            let symbol = terms.names.intern(&name);
            scope.bind_sort(symbol, SortBinding::Decl(theirs));
            bind_constructors(terms, &mut scope, script, theirs, ours);
        }
        let mut symbols = FxHashMap::default();
        for (fun, name) in script.symbols() {
            let symbol = terms.names.intern(name);
            scope.bind_inner(symbol, Binding::Fun(*fun));
            symbols.insert(name.clone(), *fun);
        }
        Answers { terms, scope, symbols }
    }

    /// Elements of uninterpreted sorts have names that say their sort: `S!val!0`, `@S_0` or `(as @const_0 S)`. Alone,
    /// `@const_0` has the sort that is expected.
    fn bind_elements(&mut self, text: &str, script: &Script, expected: Option<SortId>) {
        let mut names: FxHashMap<&str, SortId> = FxHashMap::default();
        for &(theirs, ours) in script.sort_decls() {
            let decl = self.terms.sorts.decl(theirs);
            if decl.arity == 0 && decl.datatype.is_none() {
                let sort = self.terms.sorts.mk(Sort::Declared(theirs, Box::new([])));
                names.insert(script.own().names.text(script.own().sorts.decl(ours).name), sort);
            }
        }
        let is_element = |sort: &SortId| names.values().any(|own| own == sort);
        let expected = expected.filter(is_element);
        let mut words =
            text.split(['(', ')', ' ', '\n', '\t', '|']).filter(|word| !word.is_empty()).peekable();
        while let Some(word) = words.next() {
            let parts = word.rsplit_once("!val!").or_else(|| word.strip_prefix('@')?.rsplit_once('_'));
            let Some((name, index)) = parts else { continue };
            let next = words.peek().and_then(|next| names.get(next));
            let sort = names.get(name).or_else(|| next.filter(|_| name == "const")).copied();
            let sort = sort.or(expected.filter(|_| name == "const"));
            let (Some(sort), Ok(index)) = (sort, index.parse()) else { continue };
            let term = Value::Abstract { sort, index }.to_term(self.terms);
            if let Some(fun) = self.terms.applied(term) {
                let symbol = self.terms.names.intern(word);
                self.scope.bind_inner(symbol, Binding::Fun(fun));
            }
        }
    }

    /// The value in `((term value))`.
    pub(super) fn value(&mut self, text: &str, script: &Script, sort: SortId) -> Option<Value> {
        let tree = tree(text)?;
        let pair = tree.children(0).next()?;
        let value = tree.children(pair).nth(1)?;
        self.bind_elements(text, script, Some(sort));
        let term = self.term(text, &tree, value, sort)?;
        Value::from_term(self.terms, term)
    }

    fn term(&mut self, text: &str, tree: &Tree, node: NodeIdx, sort: SortId) -> Option<TermId> {
        let mut errors = Vec::new();
        let mut parser = Parser::new(self.terms, &mut self.scope, Text::new(text, 0), tree, &mut errors);
        let term = parser.term_of_sort(node, sort, "the value");
        (errors.is_empty() && term != TermId::ERROR).then_some(term)
    }

    /// The model in `((define-fun f ((x S) …) T body) …)`, perhaps with `model` before it.
    pub(super) fn model(&mut self, text: &str, script: &Script) -> Option<Assignment> {
        let tree = tree(text)?;
        if !tree.is_list(0) {
            return None;
        }
        self.bind_elements(text, script, None);
        let mut model = Assignment::new();
        for entry in tree.children(0).filter(|&entry| tree.is_list(entry)) {
            let parts: Vec<NodeIdx> = tree.children(entry).collect();
            let [head, name, params, _, body] = parts[..] else { continue };
            let source = Text::new(text, 0);
            if source.symbol(&tree, head) != Some("define-fun") {
                continue;
            }
            let fun = source.symbol(&tree, name).and_then(|name| self.symbols.get(name)).copied();
            if let Some((fun, meaning)) =
                fun.and_then(|f| Some((f, self.meaning(text, &tree, f, params, body)?)))
            {
                model.interpret(fun, meaning);
            }
        }
        Some(model)
    }

    fn meaning(
        &mut self,
        text: &str,
        tree: &Tree,
        fun: FunId,
        params: NodeIdx,
        body: NodeIdx,
    ) -> Option<Interpretation> {
        let result = self.terms.fun(fun).result;
        if self.terms.fun(fun).params.is_empty() {
            let term = self.term(text, tree, body, result)?;
            return Value::from_term(self.terms, term).map(Interpretation::Value);
        }
        let mark = self.scope.mark();
        let mut errors = Vec::new();
        let mut parser = Parser::new(self.terms, &mut self.scope, Text::new(text, 0), tree, &mut errors);
        let formals = parser.formals(params);
        let body = formals.and_then(|formals| Some((formals, self.term(text, tree, body, result)?)));
        self.scope.restore(mark);
        let fits = |formals: &[TermId], terms: &Terms| {
            formals.iter().map(|&formal| terms.sort(formal)).eq(terms.fun(fun).params.iter().copied())
        };
        let (formals, body) = body.filter(|(formals, _)| fits(formals, self.terms))?;
        Some(Interpretation::Body(formals.into(), body))
    }
}

/// Binds constructors and selectors by the names of the script.
fn bind_constructors(
    terms: &mut Terms,
    scope: &mut Scope,
    script: &Script,
    theirs: SortDeclId,
    ours: SortDeclId,
) {
    let own = script.own();
    let Some(datatype) = own.sorts.decl(ours).datatype.clone() else { return };
    let sort =
        (own.sorts.decl(ours).arity == 0).then(|| terms.sorts.mk(Sort::Declared(theirs, Box::new([]))));
    for (i, constructor) in (0u16..).zip(&datatype.constructors) {
        let names = [constructor.name].into_iter().chain(constructor.fields.iter().map(|field| field.0));
        for (field, name) in (0u16..).zip(names) {
            let fun = match (sort, field) {
                (Some(sort), 0) => terms.constructor(sort, i.into()),
                (Some(sort), field) => terms.selector(sort, i.into(), u32::from(field) - 1),
                (None, _) => None,
            };
            let binding = match fun {
                Some(fun) => Binding::Fun(fun),
                None => Binding::Generic(Generic { datatype: theirs, constructor: i, field }),
            };
            let symbol = terms.names.intern(own.names.text(name));
            scope.bind_inner(symbol, binding);
        }
    }
}
