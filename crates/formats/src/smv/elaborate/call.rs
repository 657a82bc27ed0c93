//! Conversions and functions.

use super::super::ast::Node;
use super::super::flatten::Entity;
use super::super::ops;
use super::super::types::{Ty, Val};
use super::super::words;
use super::{At, Elaborator, WIDE};
use smt::op::Op;
use smt::term::TermId;

impl Elaborator<'_> {
    /// Conversions and functions.
    pub(super) fn call(&mut self, node: Node, at: At, mut args: Vec<Val>) -> Result<Val, String> {
        let name = self.words.of(self.file.tree.span(node));
        if let Some(&Entity::Function(function)) = self.world.instances[at.instance].names.get(name) {
            return self.apply(function, args);
        }
        let name = self.words.keyword(self.file.tree.span(node));
        let count = args.len();
        let word = |args: &mut Vec<Val>| match ops::one(args.remove(0))? {
            (term, Ty::Word(signed, width)) => Ok((term, signed, width)),
            (_, ty) => Err(format!("`{name}` is not for {}", ty.text())),
        };
        match (name, count) {
            ("next", 1) => Ok(args.remove(0)),
            ("READ" | "read", 2) => {
                let index = args.remove(1);
                self.read(args.remove(0), index)
            }
            ("WRITE" | "write", 3) => {
                let (array, ty) = ops::one(args.remove(0))?;
                let Ty::Array(parts) = &ty else { return Err(format!("{} has no elements", ty.text())) };
                let index = self.fit(args.remove(0), &parts.0)?;
                let value = self.fit(args.remove(0), &parts.1)?;
                Ok(Val::Term(words::app(self.terms, Op::Store, &[array, index, value])?, ty))
            }
            ("CONSTARRAY", 2) => {
                let Val::Type(ty) = args.remove(0) else { return Err("expected a type".into()) };
                let Ty::Array(parts) = &ty else { return Err("expected an array's type".into()) };
                let value = self.fit(args.remove(0), &parts.1)?;
                let sort = ty.sort(self.terms, self.bits);
                let made =
                    self.terms.const_array(sort, value).map_err(|_| "the value does not fit".to_string())?;
                Ok(Val::Term(made, ty))
            }
            ("typeof", 1) => ops::one(args.remove(0)).map(|(_, ty)| Val::Type(ty)),
            ("signed" | "unsigned", 1) => {
                let (term, _, width) = word(&mut args)?;
                Ok(Val::Term(term, Ty::Word(name == "signed", width)))
            }
            ("extend", 2) => {
                let by = ops::small(self.terms, &args[1])?;
                words::extend(self.terms, word(&mut args)?, by)
            }
            ("resize", 2) => {
                let width = ops::small(self.terms, &args[1])?;
                words::resize(self.terms, word(&mut args)?, width)
            }
            ("sizeof", 1) => {
                let (.., width) = word(&mut args)?;
                Ok(Val::Term(self.terms.int(width), Ty::Int))
            }
            ("toint", 1) => {
                let (term, ty) = ops::one(args.remove(0))?;
                words::to_int(self.terms, term, &ty)
            }
            ("bool", 1) => {
                let (term, ty) = ops::one(args.remove(0))?;
                words::to_bool(self.terms, term, &ty)
            }
            ("word1", 1) => {
                let term = ops::boolean(self.terms, args.remove(0))?;
                words::word1(self.terms, term)
            }
            ("swconst" | "uwconst", 2) => {
                let (value, width) =
                    (ops::constant(self.terms, &args[0])?, ops::small(self.terms, &args[1])?);
                if width == 0 || width > WIDE {
                    return Err(format!("a word has one bit at least, and a constant {WIDE} at most"));
                }
                let modulus = dashu_int::IBig::ONE << width as usize;
                let value = ((value % &modulus) + &modulus) % modulus;
                let bits =
                    dashu_int::UBig::try_from(value).map_err(|_| "the number is negative".to_string())?;
                Ok(Val::Term(self.terms.bits(width, bits), Ty::Word(name == "swconst", width)))
            }
            ("count", _) => {
                let mut sum = self.terms.int(0);
                for value in args {
                    let value = ops::boolean(self.terms, value)?;
                    let (one, zero) = (self.terms.int(1), self.terms.int(0));
                    let value = words::app(self.terms, Op::Ite, &[value, one, zero])?;
                    sum = words::app(self.terms, Op::Add, &[sum, value])?;
                }
                Ok(Val::Term(sum, Ty::Int))
            }
            ("floor", 1) => match ops::one(args.remove(0))? {
                (term, Ty::Real) => Ok(Val::Term(words::app(self.terms, Op::ToInt, &[term])?, Ty::Int)),
                (term, Ty::Int) => Ok(Val::Term(term, Ty::Int)),
                (_, ty) => Err(format!("`floor` is not for {}", ty.text())),
            },
            ("abs", 1) => {
                let zero = self.terms.int(0);
                let value = args.remove(0);
                let test = ops::infix(self.terms, ">=", value.clone(), Val::Term(zero, Ty::Int))?;
                let minus = ops::prefix(self.terms, "-", value.clone())?;
                ops::case(self.terms, vec![test, value, Val::bool(TermId::TRUE), minus])
            }
            ("min" | "max", 2) => {
                let (b, a) = (args.remove(1), args.remove(0));
                let test =
                    ops::infix(self.terms, if name == "min" { "<=" } else { ">=" }, a.clone(), b.clone())?;
                ops::case(self.terms, vec![test, a, Val::bool(TermId::TRUE), b])
            }
            _ => {
                let name = self.words.of(self.file.tree.span(node));
                Err(format!("there is no function `{name}` of {count} arguments here"))
            }
        }
    }

    fn apply(&mut self, function: usize, args: Vec<Val>) -> Result<Val, String> {
        let Some((fun, params, result)) = self.world.functions[function].made.clone() else {
            return Err("a type cannot depend on a function".into());
        };
        if params.len() != args.len() {
            return Err(format!("the function takes {} arguments, not {}", params.len(), args.len()));
        }
        let mut fitted = Vec::new();
        for (arg, param) in args.into_iter().zip(&params) {
            fitted.push(self.fit(arg, param)?);
        }
        let made = self.terms.call(fun, &fitted).map_err(|_| "the arguments do not fit".to_string())?;
        Ok(Val::Term(made, result))
    }
}
