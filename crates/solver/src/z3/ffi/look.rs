//! Looking at terms that the library made: models, invariants, derivations.

use z3_sys::*;

use super::{Ast, Built, Context, Decl, Sort, text};

/// What a term is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::z3) enum Shape {
    /// A number or bit-vector, as decimal text: an integer or a quotient.
    Number(String),
    /// An application.
    App(DeclKind, Decl, Vec<Ast>),
    /// The bound variable of that number, counted from the innermost.
    Var(u32),
    /// A binder: which one, its variables' sorts, its body.
    Binder(smt::op::Op, Vec<Sort>, Ast),
    /// Anything else: an irrational number, for example.
    Other,
}

/// A function of a model as a table: rows, and the value elsewhere.
#[derive(Debug, Clone)]
pub(in crate::z3) struct Table {
    /// Arguments and value.
    pub(in crate::z3) rows: Vec<(Vec<Ast>, Ast)>,
    /// The value elsewhere, a term over the arguments as bound variables.
    pub(in crate::z3) rest: Ast,
}

impl Context {
    /// A number for a term that equal terms share while they are held.
    pub(in crate::z3) fn identity(&self, ast: Ast) -> u32 {
        // SAFETY: the term belongs to this context.
        unsafe { Z3_get_ast_id(self.raw, self.ast(ast)) }
    }

    pub(in crate::z3) fn sort_of(&mut self, ast: Ast) -> Built<Sort> {
        // SAFETY: the term belongs to this context.
        let sort = unsafe { Z3_get_sort(self.raw, self.ast(ast)) };
        self.keep_sort(sort)
    }

    /// The width of a bit-vector sort.
    pub(in crate::z3) fn sort_width(&self, sort: Sort) -> Option<u32> {
        let sort = self.sort(sort);
        // SAFETY: the sort belongs to this context, and the width is asked of bit-vectors only.
        unsafe {
            let is_bits = Z3_get_sort_kind(self.raw, sort) == SortKind::Bv;
            is_bits.then(|| Z3_get_bv_sort_size(self.raw, sort))
        }
    }

    /// What a term is; parts that it holds are entered into the table.
    pub(in crate::z3) fn shape(&mut self, ast: Ast) -> Built<Shape> {
        let (raw, term) = (self.raw, self.ast(ast));
        // SAFETY: the term belongs to this context; each function is called for the kind it is made for.
        unsafe {
            match Z3_get_ast_kind(raw, term) {
                AstKind::Numeral if Z3_is_algebraic_number(raw, term) => Ok(Shape::Other),
                AstKind::Numeral if !self.is_number(ast) => self.app_shape(term),
                AstKind::Numeral => Ok(Shape::Number(text(Z3_get_numeral_string(raw, term)))),
                AstKind::App if Z3_is_algebraic_number(raw, term) => Ok(Shape::Other),
                AstKind::App => self.app_shape(term),
                AstKind::Var => Ok(Shape::Var(Z3_get_index_value(raw, term))),
                AstKind::Quantifier => self.binder_shape(term),
                _ => Ok(Shape::Other),
            }
        }
    }

    /// # Safety
    /// The term is an application of this context.
    unsafe fn app_shape(&mut self, term: Z3_ast) -> Built<Shape> {
        let (raw, app) = (self.raw, term.cast());
        // SAFETY: promised by the caller; the positions are below the number of arguments.
        unsafe {
            let decl = Z3_get_app_decl(raw, app);
            let kind = decl.map(|decl| Z3_get_decl_kind(raw, decl));
            let decl = self.keep_decl(decl)?;
            let mut args = Vec::new();
            for i in 0..Z3_get_app_num_args(raw, app) {
                let arg = Z3_get_app_arg(raw, app, i);
                args.push(self.keep(arg)?);
            }
            Ok(kind.map_or(Shape::Other, |kind| Shape::App(kind, decl, args)))
        }
    }

    /// # Safety
    /// The term is a quantifier of this context.
    unsafe fn binder_shape(&mut self, term: Z3_ast) -> Built<Shape> {
        use smt::op::Op;
        let raw = self.raw;
        // SAFETY: promised by the caller; the positions are below the number of variables.
        unsafe {
            let op = match (Z3_is_lambda(raw, term), Z3_is_quantifier_forall(raw, term)) {
                (true, _) => Op::Lambda,
                (_, true) => Op::Forall,
                _ => Op::Exists,
            };
            let mut sorts = Vec::new();
            for i in 0..Z3_get_quantifier_num_bound(raw, term) {
                let sort = Z3_get_quantifier_bound_sort(raw, term, i);
                sorts.push(self.keep_sort(sort)?);
            }
            let body = Z3_get_quantifier_body(raw, term);
            let body = self.keep(body)?;
            Ok(Shape::Binder(op, sorts, body))
        }
    }

    fn kind_of(&self, ast: Ast) -> Option<SortKind> {
        // SAFETY: the term belongs to this context.
        unsafe { Z3_get_sort(self.raw, self.ast(ast)).map(|sort| Z3_get_sort_kind(self.raw, sort)) }
    }

    /// Numerals of other sorts, floats and rounding modes, are applications.
    fn is_number(&self, ast: Ast) -> bool {
        matches!(self.kind_of(ast), Some(SortKind::Int | SortKind::Real | SortKind::Bv))
    }

    /// The bits of a float value as decimal text; the second is true for the one that is no number.
    pub(in crate::z3) fn float_bits(&mut self, ast: Ast) -> Built<Option<(String, bool)>> {
        let (raw, term) = (self.raw, self.ast(ast));
        // SAFETY: the term belongs to this context; the questions are asked of float terms only, and of the
        // result of the conversion only when it is there.
        unsafe {
            if self.kind_of(ast) != Some(SortKind::FloatingPoint) {
                return Ok(None);
            }
            if Z3_fpa_is_numeral(raw, term) && Z3_fpa_is_numeral_nan(raw, term) {
                return Ok(Some((String::new(), true)));
            }
            let bits = Z3_mk_fpa_to_ieee_bv(raw, term);
            let bits = self.keep(bits)?;
            let simple = Z3_simplify(raw, self.ast(bits));
            let simple = self.keep(simple)?;
            match self.shape(simple)? {
                Shape::Number(digits) => Ok(Some((digits, false))),
                _ => Ok(None),
            }
        }
    }

    /// The name of a declaration.
    pub(in crate::z3) fn decl_name(&self, decl: Decl) -> String {
        // SAFETY: the declaration belongs to this context; only names that are strings are asked for.
        unsafe {
            match Z3_get_decl_name(self.raw, self.decl(decl)) {
                Some(symbol) => text(Z3_get_symbol_string(self.raw, symbol)),
                None => String::new(),
            }
        }
    }

    /// An integer among the indices of a declaration, as in `(_ extract 7 0)`.
    pub(in crate::z3) fn decl_index(&self, decl: Decl, position: u32) -> Option<u32> {
        let (raw, decl) = (self.raw, self.decl(decl));
        // SAFETY: the declaration belongs to this context; position and kind are checked before asking.
        unsafe {
            if position >= Z3_get_decl_num_parameters(raw, decl)
                || Z3_get_decl_parameter_kind(raw, decl, position) != ParameterKind::Int
            {
                return None;
            }
            u32::try_from(Z3_get_decl_int_parameter(raw, decl, position)).ok()
        }
    }

    /// The value of a term in the current model, with a choice made where the model is silent.
    pub(in crate::z3) fn eval(&mut self, ast: Ast) -> Built<Option<Ast>> {
        let Some(model) = self.model else { return Ok(None) };
        let mut value: Option<Z3_ast> = None;
        // SAFETY: model and term belong to this context; an optional pointer has the layout of a pointer.
        let found = unsafe { Z3_model_eval(self.raw, model, self.ast(ast), true, (&raw mut value).cast()) };
        if found { self.keep(value).map(Some) } else { Ok(None) }
    }

    /// A truth value.
    pub(in crate::z3) fn truth(&mut self, value: bool) -> Built<Ast> {
        // SAFETY: the context is alive.
        let term = unsafe { if value { Z3_mk_true(self.raw) } else { Z3_mk_false(self.raw) } };
        self.keep(term)
    }

    /// A term with a value in the place of its bound variable 0, simplified; in the current model, if there is one.
    pub(in crate::z3) fn instance(&mut self, body: Ast, value: Ast) -> Built<Ast> {
        let values = [self.ast(value)];
        // SAFETY: both terms belong to this context, and there is one value; what is not bound stays as it is.
        let term = unsafe { Z3_substitute_vars(self.raw, self.ast(body), 1, values.as_ptr()) };
        let term = self.keep(term)?;
        if let Some(value) = self.eval(term)? {
            return Ok(value);
        }
        // SAFETY: the term belongs to this context.
        let simple = unsafe { Z3_simplify(self.raw, self.ast(term)) };
        self.keep(simple)
    }

    /// A function of the current model, if it says something about it.
    pub(in crate::z3) fn function(&mut self, decl: Decl) -> Built<Option<Table>> {
        let (raw, Some(model)) = (self.raw, self.model) else { return Ok(None) };
        let function = self.decl(decl);
        // SAFETY: model and declaration belong to this context. The interpretation and its entries are held while
        // they are used; positions are below the numbers the library tells.
        unsafe {
            if Z3_get_arity(raw, function) == 0 || !Z3_model_has_interp(raw, model, function) {
                return Ok(None);
            }
            let Some(interp) = Z3_model_get_func_interp(raw, model, function) else { return Ok(None) };
            Z3_func_interp_inc_ref(raw, interp);
            let table = self.table(interp);
            Z3_func_interp_dec_ref(raw, interp);
            table.map(Some)
        }
    }

    /// # Safety
    /// The interpretation belongs to this context and is held.
    unsafe fn table(&mut self, interp: Z3_func_interp) -> Built<Table> {
        let (raw, mut rows) = (self.raw, Vec::new());
        // SAFETY: promised by the caller.
        unsafe {
            for i in 0..Z3_func_interp_get_num_entries(raw, interp) {
                let Some(entry) = Z3_func_interp_get_entry(raw, interp, i) else {
                    return Err(self.refused());
                };
                Z3_func_entry_inc_ref(raw, entry);
                let mut args = Vec::new();
                for j in 0..Z3_func_entry_get_num_args(raw, entry) {
                    let arg = Z3_func_entry_get_arg(raw, entry, j);
                    args.push(self.keep(arg));
                }
                let value = Z3_func_entry_get_value(raw, entry);
                let value = self.keep(value);
                Z3_func_entry_dec_ref(raw, entry);
                rows.push((args.into_iter().collect::<Built<_>>()?, value?));
            }
            let rest = Z3_func_interp_get_else(raw, interp);
            let rest = self.keep(rest)?;
            Ok(Table { rows, rest })
        }
    }

    /// The function that an array of a model is made from.
    pub(in crate::z3) fn array_function(&mut self, ast: Ast) -> Built<Option<Decl>> {
        let (raw, term) = (self.raw, self.ast(ast));
        // SAFETY: the term belongs to this context, and the function is asked for only when there is one.
        unsafe {
            if !Z3_is_as_array(raw, term) {
                return Ok(None);
            }
            let decl = Z3_get_as_array_func_decl(raw, term);
            self.keep_decl(decl).map(Some)
        }
    }
}
