//! `declare-heap`, the theory of heaps that Horn-clause tools exchange.
//!
//! It is read into what the kernel has: a sort for heaps, one for the result of an allocation, the datatypes of
//! the objects, and uninterpreted functions `heap.*`. Addresses are integers, because the files use numerals for
//! them. That is enough to check sorts; it is no semantics, and nothing here claims one.

use super::{Command, Parser};
use crate::scope::{Binding, SortBinding};
use crate::sexpr::NodeIdx;
use crate::sort::{Sort, SortId};
use crate::term::{Fun, Role};

impl Parser<'_> {
    /// `(declare-heap Heap Addr Range Object default ((sort arity) …) (constructors …))`.
    pub(super) fn declare_heap(&mut self, node: NodeIdx) -> Option<Command> {
        let shape = "(declare-heap Heap Address Range Object default ((sort arity) …) ((constructors) …))";
        let arguments = self.arguments(node, 7, 7, shape)?;
        let mut names = Vec::new();
        for &name in &arguments[..4] {
            names.push(self.symbol(name, "a sort's name")?);
        }
        for i in [0, 1, 2] {
            if self.is_taken_sort(arguments[i], names[i]) {
                return None;
            }
        }
        let heap_decl = self.terms.sorts.declare(names[0], 0);
        let heap = self.terms.sorts.mk(Sort::Declared(heap_decl, Box::new([])));
        self.scope.bind_sort(names[0], SortBinding::Decl(heap_decl));
        self.scope.bind_sort(names[1], SortBinding::Sort(SortId::INT));
        let range = self.terms.sorts.declare(names[2], 0);
        self.scope.bind_sort(names[2], SortBinding::Decl(range));
        let Some(Command::DeclareDatatypes(decls)) = self.datatype_group(node, arguments[5], arguments[6])
        else {
            return None;
        };
        let object = self.sort(arguments[3]);
        self.term_of_sort(arguments[4], object, "the default object");
        let pair_name = format!("AllocRes{}", self.terms.names.text(names[0]));
        let pair_name = self.terms.names.intern(&pair_name);
        let pair_decl = self.terms.sorts.declare(pair_name, 0);
        let pair = self.terms.sorts.mk(Sort::Declared(pair_decl, Box::new([])));
        self.scope.bind_sort(pair_name, SortBinding::Decl(pair_decl));
        let address = SortId::INT;
        let functions: [(&str, &[SortId], SortId); 9] = [
            ("heap.empty", &[], heap),
            ("heap.null", &[], address),
            ("heap.alloc", &[heap, object], pair),
            ("heap.heapAddrPair_1", &[pair], heap),
            ("heap.heapAddrPair_2", &[pair], address),
            ("heap.read", &[heap, address], object),
            ("heap.write", &[heap, address, object], heap),
            ("heap.valid", &[heap, address], SortId::BOOL),
            ("heap.size", &[heap], SortId::INT),
        ];
        for (name, params, result) in functions {
            let name = self.terms.names.intern(name);
            let fun = self.terms.declare(Fun { name, params: params.into(), result, role: Role::Free });
            self.scope.bind(name, Binding::Fun(fun), self.tree.span(node));
        }
        Some(Command::DeclareHeap(heap_decl, decls))
    }
}
