//! Building sorts, declarations and terms.

use std::ptr;

use z3_sys::*;

use super::{Ast, Built, Context, Decl, Make, Sort, c_string};
use crate::error::SolverError;

/// The functions of one datatype.
#[derive(Debug, Clone)]
pub(in crate::z3) struct Constructors {
    /// For each constructor: itself, its tester, its selectors.
    pub(in crate::z3) rows: Vec<(Decl, Decl, Vec<Decl>)>,
}

/// A datatype to be defined: its name, and its constructors with their fields.
pub(in crate::z3) type Definition = (String, Vec<(String, Vec<(String, Sort)>)>);

macro_rules! simple_sorts {
    ($($name:ident $function:ident;)*) => {$(
        pub(in crate::z3) fn $name(&mut self) -> Built<Sort> {
            // SAFETY: the context is alive and there are no other arguments.
            let sort = unsafe { $function(self.raw) };
            self.keep_sort(sort)
        }
    )*};
}

impl Context {
    simple_sorts! {
        bool_sort Z3_mk_bool_sort;
        int_sort Z3_mk_int_sort;
        real_sort Z3_mk_real_sort;
        rounding_sort Z3_mk_fpa_rounding_mode_sort;
    }

    pub(in crate::z3) fn bit_vec_sort(&mut self, width: u32) -> Built<Sort> {
        // SAFETY: the context is alive; a width of zero is an error that the library reports.
        let sort = unsafe { Z3_mk_bv_sort(self.raw, width) };
        self.keep_sort(sort)
    }

    pub(in crate::z3) fn float_sort(&mut self, eb: u32, sb: u32) -> Built<Sort> {
        // SAFETY: the context is alive; formats that do not exist are reported by the library.
        let sort = unsafe { Z3_mk_fpa_sort(self.raw, eb, sb) };
        self.keep_sort(sort)
    }

    pub(in crate::z3) fn array_sort(&mut self, index: Sort, element: Sort) -> Built<Sort> {
        // SAFETY: both sorts are held by this context.
        let sort = unsafe { Z3_mk_array_sort(self.raw, self.sort(index), self.sort(element)) };
        self.keep_sort(sort)
    }

    pub(in crate::z3) fn uninterpreted_sort(&mut self, name: &str) -> Built<Sort> {
        let name = self.symbol(name)?;
        // SAFETY: the symbol belongs to this context.
        let sort = unsafe { Z3_mk_uninterpreted_sort(self.raw, name) };
        self.keep_sort(sort)
    }

    /// A datatype by name, before it is defined.
    pub(in crate::z3) fn forward_sort(&mut self, name: &str) -> Built<Sort> {
        let name = self.symbol(name)?;
        // SAFETY: the symbol belongs to this context; there are no parameters, so the pointer is not read.
        let sort = unsafe { Z3_mk_datatype_sort(self.raw, name, 0, ptr::null()) };
        self.keep_sort(sort)
    }

    /// Defines datatypes together; fields may have any of their forward sorts.
    pub(in crate::z3) fn define_datatypes(&mut self, datatypes: &[Definition]) -> Built<Vec<Constructors>> {
        let (mut all, mut lists, mut names) = (Vec::new(), Vec::new(), Vec::new());
        for (name, constructors) in datatypes {
            names.push(self.symbol(name)?);
            let mut made = Vec::new();
            for (name, fields) in constructors {
                made.push(self.raw_constructor(name, fields)?);
            }
            // SAFETY: the constructors were just made by this context.
            let list = unsafe { Z3_mk_constructor_list(self.raw, made.len() as u32, made.as_ptr()) };
            lists.push(list.ok_or_else(|| self.refused())?);
            all.push(made);
        }
        let Some(&first) = names.first() else { return Ok(Vec::new()) };
        // Overwritten by the library; any non-null pointer will do before that.
        let mut sorts: Vec<Z3_sort> = vec![first.cast(); names.len()];
        // SAFETY: the three arrays have the given length; the library writes the sorts and reads the rest.
        unsafe {
            Z3_mk_datatypes(
                self.raw,
                names.len() as u32,
                names.as_ptr(),
                sorts.as_mut_ptr(),
                lists.as_mut_ptr(),
            );
        }
        self.checked()?;
        let mut result = Vec::new();
        for (made, (_, constructors)) in all.into_iter().zip(datatypes) {
            let mut rows = Vec::new();
            for (constructor, (_, fields)) in made.into_iter().zip(constructors) {
                rows.push(self.query_constructor(constructor, fields.len())?);
            }
            result.push(Constructors { rows });
        }
        for list in lists {
            // SAFETY: made above and used for the last time.
            unsafe { Z3_del_constructor_list(self.raw, list) };
        }
        Ok(result)
    }

    fn raw_constructor(&mut self, name: &str, fields: &[(String, Sort)]) -> Built<Z3_constructor> {
        let (own, tester) = (self.symbol(name)?, self.symbol(&format!("is!{name}"))?);
        let mut names = Vec::new();
        for (name, _) in fields {
            names.push(self.symbol(name)?);
        }
        let sorts: Vec<Option<Z3_sort>> = fields.iter().map(|&(_, sort)| Some(self.sort(sort))).collect();
        let mut references = vec![0; fields.len()];
        // SAFETY: names, sorts and references have the given length; all belong to this context.
        let constructor = unsafe {
            Z3_mk_constructor(
                self.raw,
                own,
                tester,
                fields.len() as u32,
                names.as_ptr(),
                sorts.as_ptr(),
                references.as_mut_ptr(),
            )
        };
        constructor.ok_or_else(|| self.refused())
    }

    fn query_constructor(
        &mut self,
        constructor: Z3_constructor,
        fields: usize,
    ) -> Built<(Decl, Decl, Vec<Decl>)> {
        let mut own: Option<Z3_func_decl> = None;
        let mut tester: Option<Z3_func_decl> = None;
        let mut accessors: Vec<Option<Z3_func_decl>> = vec![None; fields];
        // SAFETY: the constructor was made by this context and its datatype defined. An optional pointer has the
        // layout of a pointer, and there are as many places for selectors as fields. It is deleted once.
        unsafe {
            Z3_query_constructor(
                self.raw,
                constructor,
                fields as u32,
                (&raw mut own).cast(),
                (&raw mut tester).cast(),
                accessors.as_mut_ptr().cast(),
            );
            Z3_del_constructor(self.raw, constructor);
        }
        let (own, tester) = (self.keep_decl(own)?, self.keep_decl(tester)?);
        let accessors = accessors.into_iter().map(|decl| self.keep_decl(decl)).collect::<Built<_>>()?;
        Ok((own, tester, accessors))
    }

    /// Declares a function; a recursive one gets its body later.
    pub(in crate::z3) fn declare(
        &mut self,
        name: &str,
        params: &[Sort],
        result: Sort,
        recursive: bool,
    ) -> Built<Decl> {
        let name = self.symbol(name)?;
        let params: Vec<Z3_sort> = params.iter().map(|&sort| self.sort(sort)).collect();
        let function = if recursive { Z3_mk_rec_func_decl } else { Z3_mk_func_decl };
        // SAFETY: symbol and sorts belong to this context, and there are as many sorts as is said.
        let decl =
            unsafe { function(self.raw, name, params.len() as u32, params.as_ptr(), self.sort(result)) };
        self.keep_decl(decl)
    }

    /// Gives a recursive function its body; the parameters are constants in it.
    pub(in crate::z3) fn define(&mut self, decl: Decl, params: &[Ast], body: Ast) -> Built<()> {
        let mut params = self.raw_asts(params);
        // SAFETY: all terms belong to this context; there are as many parameters as is said.
        unsafe {
            Z3_add_rec_def(
                self.raw,
                self.decl(decl),
                params.len() as u32,
                params.as_mut_ptr(),
                self.ast(body),
            );
        }
        self.checked()
    }

    pub(in crate::z3) fn apply(&mut self, decl: Decl, args: &[Ast]) -> Built<Ast> {
        let args = self.raw_asts(args);
        // SAFETY: declaration and arguments belong to this context; number and sorts are checked by the library.
        let ast = unsafe { Z3_mk_app(self.raw, self.decl(decl), args.len() as u32, args.as_ptr()) };
        self.keep(ast)
    }

    /// A literal by its text: an integer, a quotient, or a bit-vector as a decimal number.
    pub(in crate::z3) fn numeral(&mut self, text: &str, sort: Sort) -> Built<Ast> {
        let text = c_string(text);
        // SAFETY: the text ends with a NUL and the sort belongs to this context.
        let ast = unsafe { Z3_mk_numeral(self.raw, text.as_ptr(), self.sort(sort)) };
        self.keep(ast)
    }

    /// A float without digits.
    pub(in crate::z3) fn special_float(&mut self, op: smt::op::Op, sort: Sort) -> Built<Ast> {
        use smt::op::Op;
        let (raw, sort) = (self.raw, self.sort(sort));
        // SAFETY: the sort belongs to this context; that it is one of floats is checked by the library.
        let ast = unsafe {
            match op {
                Op::PlusInf => Z3_mk_fpa_inf(raw, sort, false),
                Op::MinusInf => Z3_mk_fpa_inf(raw, sort, true),
                Op::PlusZero => Z3_mk_fpa_zero(raw, sort, false),
                Op::MinusZero => Z3_mk_fpa_zero(raw, sort, true),
                _ => Z3_mk_fpa_nan(raw, sort),
            }
        };
        self.keep(ast)
    }

    /// `to_fp` and its relatives; which one is told by the sort of the argument.
    pub(in crate::z3) fn float_from(&mut self, args: &[Ast], unsigned: bool, sort: Sort) -> Built<Ast> {
        let (raw, target) = (self.raw, self.sort(sort));
        let args = self.raw_asts(args);
        // SAFETY: all objects belong to this context; the library checks their sorts.
        let ast = unsafe {
            match args[..] {
                [bits] => Z3_mk_fpa_to_fp_bv(raw, bits, target),
                [mode, number] => {
                    let kind = Z3_get_sort(raw, number).map(|sort| Z3_get_sort_kind(raw, sort));
                    match kind {
                        Some(SortKind::FloatingPoint) => Z3_mk_fpa_to_fp_float(raw, mode, number, target),
                        Some(SortKind::Bv) if unsigned => Z3_mk_fpa_to_fp_unsigned(raw, mode, number, target),
                        Some(SortKind::Bv) => Z3_mk_fpa_to_fp_signed(raw, mode, number, target),
                        _ => Z3_mk_fpa_to_fp_real(raw, mode, number, target),
                    }
                }
                _ => None,
            }
        };
        self.keep(ast)
    }

    /// `fp.to_ubv`, `fp.to_sbv`.
    pub(in crate::z3) fn float_to_bits(
        &mut self,
        mode: Ast,
        float: Ast,
        width: u32,
        signed: bool,
    ) -> Built<Ast> {
        let function = if signed { Z3_mk_fpa_to_sbv } else { Z3_mk_fpa_to_ubv };
        // SAFETY: both terms belong to this context; the library checks their sorts.
        let ast = unsafe { function(self.raw, self.ast(mode), self.ast(float), width) };
        self.keep(ast)
    }

    pub(in crate::z3) fn extract(&mut self, high: u32, low: u32, bits: Ast) -> Built<Ast> {
        // SAFETY: the term belongs to this context; the library checks sort and range.
        let ast = unsafe { Z3_mk_extract(self.raw, high, low, self.ast(bits)) };
        self.keep(ast)
    }

    pub(in crate::z3) fn bits_to_int(&mut self, bits: Ast, signed: bool) -> Built<Ast> {
        // SAFETY: the term belongs to this context; the library checks its sort.
        let ast = unsafe { Z3_mk_bv2int(self.raw, self.ast(bits), signed) };
        self.keep(ast)
    }

    pub(in crate::z3) fn int_to_bits(&mut self, width: u32, number: Ast) -> Built<Ast> {
        // SAFETY: the term belongs to this context; the library checks its sort.
        let ast = unsafe { Z3_mk_int2bv(self.raw, width, self.ast(number)) };
        self.keep(ast)
    }

    pub(in crate::z3) fn const_array(&mut self, index: Sort, value: Ast) -> Built<Ast> {
        // SAFETY: sort and term belong to this context.
        let ast = unsafe { Z3_mk_const_array(self.raw, self.sort(index), self.ast(value)) };
        self.keep(ast)
    }

    /// A binder over constants, which become its variables.
    pub(in crate::z3) fn bind(&mut self, op: smt::op::Op, vars: &[Ast], body: Ast) -> Built<Ast> {
        use smt::op::Op;
        let raw = self.raw;
        let vars: Vec<Z3_app> = vars.iter().map(|&var| self.ast(var).cast()).collect();
        let (n, at, body) = (vars.len() as u32, vars.as_ptr(), self.ast(body));
        // SAFETY: variables and body belong to this context. That the variables are constants is checked by the
        // library. There are no patterns, so their pointer is not read.
        let ast = unsafe {
            match op {
                Op::Forall => Z3_mk_forall_const(raw, 0, n, at, 0, ptr::null(), body),
                Op::Exists => Z3_mk_exists_const(raw, 0, n, at, 0, ptr::null(), body),
                _ => Z3_mk_lambda_const(raw, n, at, body),
            }
        };
        self.keep(ast)
    }

    /// `body` with constants replaced.
    pub(in crate::z3) fn substitute(&mut self, body: Ast, from: &[Ast], to: &[Ast]) -> Built<Ast> {
        if from.len() != to.len() {
            return Err(SolverError::Refused { message: "the numbers of arguments differ".to_owned() });
        }
        let (from, to) = (self.raw_asts(from), self.raw_asts(to));
        // SAFETY: all terms belong to this context and both lists have the given length.
        let ast =
            unsafe { Z3_substitute(self.raw, self.ast(body), from.len() as u32, from.as_ptr(), to.as_ptr()) };
        self.keep(ast)
    }

    /// Applies a function of the table to as many arguments as it takes. `index` is for those that have one.
    pub(in crate::z3) fn make(&mut self, make: Make, index: u32, args: &[Ast]) -> Built<Ast> {
        if let Some(ends) = self.ends(make, args) {
            let safe = self.make(Make::Many(Z3_mk_and), 0, &ends?)?;
            return self.make(Make::One(Z3_mk_not), 0, &[safe]);
        }
        let raw = self.raw;
        let args = self.raw_asts(args);
        // SAFETY: the table holds functions of the library that work as their type says; all terms belong to
        // this context and the library checks their sorts.
        let ast = unsafe {
            match (make, &args[..]) {
                (Make::Zero(f), []) => f(raw),
                (Make::One(f), &[a]) => f(raw, a),
                (Make::Two(f), &[a, b]) => f(raw, a, b),
                (Make::Three(f), &[a, b, c]) => f(raw, a, b, c),
                (Make::Four(f), &[a, b, c, d]) => f(raw, a, b, c, d),
                (Make::Many(f), args) => f(raw, args.len() as u32, args.as_ptr()),
                (Make::Index(f), &[a]) => f(raw, index, a),
                _ => return Err(SolverError::Refused { message: "wrong number of arguments".to_owned() }),
            }
        };
        self.keep(ast)
    }

    /// For operators that are the negation of "no overflow": what must hold at each end of the range.
    fn ends(&mut self, make: Make, args: &[Ast]) -> Option<Built<Vec<Ast>>> {
        let (raw, args) = (self.raw, self.raw_asts(args));
        // SAFETY: as for `make`.
        let first = unsafe {
            match (make, &args[..]) {
                (Make::Safe1(f), &[a]) => f(raw, a),
                (Make::Safe2(f) | Make::SafeLower(f, _), &[a, b]) => f(raw, a, b),
                (Make::SafeSigned(f, signed), &[a, b]) => f(raw, a, b, signed),
                (Make::SafeUpper(f, _), &[a, b]) => f(raw, a, b, true),
                _ => return None,
            }
        };
        let mut ends = vec![self.keep(first)];
        // SAFETY: as for `make`.
        let second = unsafe {
            match (make, &args[..]) {
                (Make::SafeUpper(_, g), &[a, b]) => Some(g(raw, a, b)),
                (Make::SafeLower(_, g), &[a, b]) => Some(g(raw, a, b, true)),
                _ => None,
            }
        };
        if let Some(second) = second {
            ends.push(self.keep(second));
        }
        Some(ends.into_iter().collect())
    }
}
