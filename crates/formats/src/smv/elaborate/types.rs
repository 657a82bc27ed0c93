//! Types, and the numbers that are written in them.

use super::super::ast::{Base, Domain, Kind, Node, TypeText};
use super::super::flatten::is_mixed;
use super::super::ops;
use super::super::types::{DEEP, Ty};
use super::Elaborator;
use diag::{Span, codes};
use std::sync::Arc;

impl Elaborator<'_> {
    /// The number that an expression in a type is.
    pub(in crate::smv) fn number(&mut self, node: Node, instance: usize) -> Option<dashu_int::IBig> {
        let value = self.value(node, instance, false)?;
        let made = ops::constant(self.terms, &value);
        self.checked(node, made)
    }

    pub(in crate::smv) fn width(&mut self, node: Node, instance: usize) -> Option<u32> {
        let value = self.value(node, instance, false)?;
        let made = ops::small(self.terms, &value).and_then(|width| match width {
            0 => Err("a word has one bit at least".into()),
            width => Ok(width),
        });
        self.checked(node, made)
    }

    /// A type of terms: no instance, no array over a range. Ranges and enumerations are their types without bounds.
    pub(in crate::smv) fn plain_type(&mut self, ty: &TypeText, instance: usize) -> Option<Ty> {
        let mut made = self.base_type(&ty.base, ty.span, instance)?;
        if ty.arrays.len() > DEEP {
            self.report(codes::SMV003, ty.span, "an array of so many arrays is not supported");
            return None;
        }
        for domain in ty.arrays.iter().rev() {
            let index = match domain {
                Domain::Integer => Ty::Int,
                Domain::Word(width) => Ty::Word(false, self.width(*width, instance)?),
                Domain::Range(..) => {
                    self.report(codes::SMV003, ty.span, "an array over a range is not supported here");
                    return None;
                }
            };
            made = Ty::Array(Arc::new((index, made)));
        }
        Some(made)
    }

    pub(in crate::smv) fn is_truth_value(&self, item: Node) -> bool {
        let (tree, words) = (&self.file.tree, self.words);
        matches!(tree.kind(item), Kind::Name) && matches!(words.keyword(tree.span(item)), "TRUE" | "FALSE")
    }

    pub(in crate::smv) fn base_type(&mut self, base: &Base, span: Span, instance: usize) -> Option<Ty> {
        Some(match base {
            Base::Boolean => Ty::Bool,
            Base::Integer | Base::Range(..) => Ty::Int,
            Base::Real => Ty::Real,
            Base::Word(signed, width) => Ty::Word(*signed, self.width(*width, instance)?),
            Base::Enumeration(items) if items.iter().all(|&item| self.is_truth_value(item)) => Ty::Bool,
            Base::Enumeration(items) if is_mixed(self.file, items) => Ty::Symbol,
            Base::Enumeration(items) => {
                let kinds: Vec<bool> = items
                    .iter()
                    .map(|&item| matches!(self.file.tree.kind(item), Kind::Name | Kind::Dot))
                    .collect();
                match (kinds.contains(&true), kinds.contains(&false)) {
                    (true, true) => {
                        self.report(
                            codes::SMV003,
                            span,
                            "names and something else than numbers in one enumeration are not supported",
                        );
                        return None;
                    }
                    (true, false) => Ty::Symbol,
                    _ => Ty::Int,
                }
            }
            Base::Clock => {
                self.report(codes::SMV003, span, "the type `clock` is not supported");
                return None;
            }
            Base::Module(..) => {
                self.report(codes::SMV002, span, "a module is no type of values");
                return None;
            }
        })
    }
}
