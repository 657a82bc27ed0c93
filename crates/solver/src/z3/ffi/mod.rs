//! The border to the C library. Everything unsafe of this crate is in this folder, and each function here is
//! safe to call with any argument; why that is so stands at its unsafe block.
//!
//! A [`Context`] owns all objects made in it: terms, sorts, declarations, one solver, one model, one fixed point.
//! Outside of this folder they are numbers ([`Ast`], [`Sort`], [`Decl`]) that are looked up in tables of the
//! context, so a number of another context gives a wrong object but never a dangling one. Objects are held (their
//! reference counts raised) while they are in the tables; the library checks the sorts of what it is given and
//! reports an error instead of building a wrong term.
#![expect(unsafe_code, reason = "calls into the C library")]

mod build;
mod gate;
mod horn;
mod look;
mod solve;
mod table;

use std::ffi::{CStr, CString};
use std::ptr;
use std::sync::{Arc, Once};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;
use z3_sys::{
    ErrorCode, Z3_ast, Z3_ast_vector_inc_ref, Z3_ast_vector_size, Z3_context, Z3_dec_ref, Z3_del_config,
    Z3_del_context, Z3_eval_smtlib2_string, Z3_fixedpoint, Z3_func_decl, Z3_get_error_code, Z3_get_error_msg,
    Z3_get_version, Z3_global_param_set, Z3_inc_ref, Z3_mk_config, Z3_mk_context_rc, Z3_mk_string_symbol,
    Z3_model, Z3_parse_smtlib2_string, Z3_set_error_handler, Z3_solver, Z3_sort, Z3_string, Z3_symbol,
    Z3_toggle_warning_messages,
};

use super::version::Z3Version;
use crate::error::SolverError;

pub(super) use build::{Constructors, Definition};
pub(super) use gate::{Gate, Handle, Outcome};
pub(super) use horn::Derivable;
pub(super) use look::{Shape, Table};
pub(super) use table::{Make, make_of};

/// The release of the library.
pub(super) fn version() -> Z3Version {
    let (mut major, mut minor, mut patch, mut revision) = (0, 0, 0, 0);
    // SAFETY: the four pointers are to live integers, and the function has been the same in all releases, so
    // it may be called before the release is known.
    unsafe { Z3_get_version(&mut major, &mut minor, &mut patch, &mut revision) };
    Z3Version { major, minor, patch }
}

/// Keeps the library from writing warnings to standard error, which belongs to the program.
pub(super) fn silence() {
    static SILENCED: Once = Once::new();
    // SAFETY: the switch is a global of the library, written once and before the first context exists.
    SILENCED.call_once(|| unsafe { Z3_toggle_warning_messages(false) });
}

/// A term of a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Ast(u32);

/// A sort of a context; equal numbers mean equal sorts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Sort(u32);

/// A function declaration of a context; equal numbers mean equal declarations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Decl(u32);

/// A point to which the table of terms can be taken back.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark(usize);

/// What building gives.
pub(super) type Built<T> = Result<T, SolverError>;

/// A context of its own, freed at the end, in which errors are kept for asking instead of ending the process.
pub(super) struct Context {
    raw: Z3_context,
    asts: Vec<Z3_ast>,
    sorts: Vec<Z3_sort>,
    decls: Vec<Z3_func_decl>,
    sort_numbers: FxHashMap<Z3_sort, u32>,
    decl_numbers: FxHashMap<Z3_func_decl, u32>,
    solver: Option<Z3_solver>,
    model: Option<Z3_model>,
    fixedpoint: Option<Z3_fixedpoint>,
    gate: Arc<Gate>,
}

// SAFETY: a context may be used by any thread, by one at a time. All pointers into it are in this struct and move
// with it; the gate guards the only call that other threads make.
unsafe impl Send for Context {}

impl Context {
    /// A fresh context, unless the library is out of memory.
    pub(super) fn new() -> Option<Context> {
        // SAFETY: the configuration is deleted once, after its only use. The handler set to null means that
        // an error is recorded in the context and the call returns.
        let raw = unsafe {
            let config = Z3_mk_config()?;
            let context = Z3_mk_context_rc(config);
            Z3_del_config(config);
            let context = context?;
            Z3_set_error_handler(context, None);
            context
        };
        Some(Context {
            raw,
            asts: Vec::new(),
            sorts: Vec::new(),
            decls: Vec::new(),
            sort_numbers: FxHashMap::default(),
            decl_numbers: FxHashMap::default(),
            solver: None,
            model: None,
            fixedpoint: None,
            gate: Gate::new(raw),
        })
    }

    /// What other threads may do with the context.
    pub(super) fn gate(&self) -> &Arc<Gate> {
        &self.gate
    }

    /// Reads a whole SMT-LIB script; the number of its assertions, or the library's complaint.
    pub(super) fn count_assertions(&self, script: &CStr) -> Result<usize, String> {
        let none = ptr::null();
        // SAFETY: the context is alive, the script ends with a NUL, and the lists of further sorts and
        // functions have length zero, so their pointers are not read.
        let parsed = unsafe {
            Z3_parse_smtlib2_string(
                self.raw,
                script.as_ptr(),
                0,
                none,
                ptr::null(),
                0,
                ptr::null(),
                ptr::null(),
            )
        };
        if let Some(message) = self.error() {
            return Err(message);
        }
        let Some(assertions) = parsed else { return Err("no result".to_owned()) };
        // SAFETY: the vector belongs to this context. It is held and never given back, so it lives as long as
        // the context, and is freed with it.
        let count = unsafe {
            Z3_ast_vector_inc_ref(self.raw, assertions);
            Z3_ast_vector_size(self.raw, assertions)
        };
        Ok(count as usize)
    }

    /// Executes a whole SMT-LIB script; what it prints, complaints included.
    pub(super) fn execute(&self, script: &CStr) -> Result<String, String> {
        // SAFETY: the context is alive and the script ends with a NUL; the output belongs to the context and is
        // copied before the next call.
        let output = unsafe { text(Z3_eval_smtlib2_string(self.raw, script.as_ptr())) };
        // What is wrong with a command is in the output, and an error in the context as well.
        match self.error() {
            Some(message) if output.is_empty() => Err(message),
            _ => Ok(output),
        }
    }

    /// The error that the last call left in the context.
    fn error(&self) -> Option<String> {
        // SAFETY: the context is alive; the message is a C string that the context owns until the next call,
        // and it is copied before that.
        unsafe {
            let code = Z3_get_error_code(self.raw);
            if code == ErrorCode::Ok {
                return None;
            }
            let message = Z3_get_error_msg(self.raw, code);
            if message.is_null() {
                return Some(format!("{code:?}"));
            }
            Some(text(message))
        }
    }

    /// The error of the last call as a result.
    fn checked(&self) -> Built<()> {
        match self.error() {
            Some(message) => Err(SolverError::Refused { message }),
            None => Ok(()),
        }
    }

    fn refused(&self) -> SolverError {
        SolverError::Refused { message: self.error().unwrap_or_else(|| "no result".to_owned()) }
    }

    /// Holds a term that the library returned.
    fn keep(&mut self, ast: Option<Z3_ast>) -> Built<Ast> {
        let ast = ast.ok_or_else(|| self.refused())?;
        // SAFETY: the library just returned the term for this context.
        unsafe { Z3_inc_ref(self.raw, ast) };
        self.asts.push(ast);
        Ok(Ast(self.asts.len() as u32 - 1))
    }

    fn keep_sort(&mut self, sort: Option<Z3_sort>) -> Built<Sort> {
        let sort = sort.ok_or_else(|| self.refused())?;
        let new = self.sorts.len() as u32;
        let number = *self.sort_numbers.entry(sort).or_insert(new);
        if number == new {
            // SAFETY: a sort is a term for the library, and this one was just returned for this context.
            unsafe { Z3_inc_ref(self.raw, sort.cast()) };
            self.sorts.push(sort);
        }
        Ok(Sort(number))
    }

    fn keep_decl(&mut self, decl: Option<Z3_func_decl>) -> Built<Decl> {
        let decl = decl.ok_or_else(|| self.refused())?;
        let new = self.decls.len() as u32;
        let number = *self.decl_numbers.entry(decl).or_insert(new);
        if number == new {
            // SAFETY: a declaration is a term for the library, and this one was just returned for this context.
            unsafe { Z3_inc_ref(self.raw, decl.cast()) };
            self.decls.push(decl);
        }
        Ok(Decl(number))
    }

    fn ast(&self, ast: Ast) -> Z3_ast {
        self.asts[ast.0 as usize]
    }

    fn raw_asts(&self, asts: &[Ast]) -> Vec<Z3_ast> {
        asts.iter().map(|&ast| self.ast(ast)).collect()
    }

    fn sort(&self, sort: Sort) -> Z3_sort {
        self.sorts[sort.0 as usize]
    }

    fn decl(&self, decl: Decl) -> Z3_func_decl {
        self.decls[decl.0 as usize]
    }

    /// The current end of the table of terms.
    pub(super) fn mark(&self) -> Mark {
        Mark(self.asts.len())
    }

    /// Lets go of the terms since a point; their numbers mean nothing from now on.
    pub(super) fn release(&mut self, mark: Mark) {
        while self.asts.len() > mark.0 {
            if let Some(ast) = self.asts.pop() {
                // SAFETY: the table held the term once.
                unsafe { Z3_dec_ref(self.raw, ast) };
            }
        }
    }

    fn symbol(&self, name: &str) -> Built<Z3_symbol> {
        let name = c_string(name);
        // SAFETY: the name ends with a NUL and is copied by the library.
        let symbol = unsafe { Z3_mk_string_symbol(self.raw, name.as_ptr()) };
        symbol.ok_or_else(|| self.refused())
    }
}

/// Switches that the library knows for the whole process only. While this lives they have other values than the usual ones.
pub(super) struct Switched {
    usual: Vec<(CString, CString)>,
    /// One at a time.
    _turn: MutexGuard<'static, ()>,
}

static SWITCHED: Mutex<()> = Mutex::new(());

impl Switched {
    /// Changes switches.
    pub(super) fn to(switches: &[(&str, bool)]) -> Switched {
        let turn = SWITCHED.lock().unwrap_or_else(PoisonError::into_inner);
        let value = |value: bool| c_string(&value.to_string());
        for &(name, new) in switches {
            set_global(&c_string(name), &value(new));
        }
        let usual = switches.iter().map(|&(name, new)| (c_string(name), value(!new))).collect();
        Switched { usual, _turn: turn }
    }
}

fn set_global(name: &CStr, value: &CStr) {
    // SAFETY: both strings end with zero and live during the call, which copies them; the library guards its parameters.
    unsafe { Z3_global_param_set(name.as_ptr(), value.as_ptr()) };
}

impl Drop for Switched {
    fn drop(&mut self) {
        self.usual.iter().for_each(|(name, value)| set_global(name, value));
    }
}

/// A name without the byte that ends C strings.
fn c_string(name: &str) -> CString {
    CString::new(name.replace('\0', "?")).unwrap_or_default()
}

/// Copies a string of the library.
///
/// # Safety
/// The pointer is null or to a string that ends with a NUL.
unsafe fn text(string: Z3_string) -> String {
    if string.is_null() {
        return String::new();
    }
    // SAFETY: promised by the caller.
    unsafe { CStr::from_ptr(string) }.to_string_lossy().trim_end().to_owned()
}

impl Drop for Context {
    fn drop(&mut self) {
        self.gate.close();
        self.drop_tools();
        // Letting go of everything first is much faster than leaving it to the library.
        self.release(Mark(0));
        let decls = self.decls.drain(..).map(|decl| decl.cast());
        for held in decls.chain(self.sorts.drain(..).map(|sort| sort.cast())) {
            // SAFETY: the tables held each sort and declaration once.
            unsafe { Z3_dec_ref(self.raw, held) };
        }
        // SAFETY: the context was made by `new`, nothing of it is held, and no other thread reaches it.
        unsafe { Z3_del_context(self.raw) };
    }
}
