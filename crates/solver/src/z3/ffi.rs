//! The border to the C library: what the safe `z3` crate does not offer. Each function here is safe to call
//! with any argument; why that is so stands at its unsafe block.
#![expect(unsafe_code, reason = "calls into the C library")]

use std::ffi::CStr;
use std::ptr;
use std::sync::Once;

use z3_sys::{
    ErrorCode, Z3_ast_vector_inc_ref, Z3_ast_vector_size, Z3_context, Z3_del_config, Z3_del_context,
    Z3_get_error_code, Z3_get_error_msg, Z3_get_version, Z3_mk_config, Z3_mk_context_rc,
    Z3_parse_smtlib2_string, Z3_set_error_handler, Z3_toggle_warning_messages,
};

use super::version::Z3Version;

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

/// A context of its own, freed at the end, in which errors are kept for asking instead of ending the process.
pub(super) struct Context(Z3_context);

impl Context {
    /// A fresh context, unless the library is out of memory.
    pub(super) fn new() -> Option<Context> {
        // SAFETY: the configuration is deleted once, after its only use. The handler set to null means that
        // an error is recorded in the context and the call returns.
        unsafe {
            let config = Z3_mk_config()?;
            let context = Z3_mk_context_rc(config);
            Z3_del_config(config);
            let context = context?;
            Z3_set_error_handler(context, None);
            Some(Context(context))
        }
    }

    /// Reads a whole SMT-LIB script; the number of its assertions, or the library's complaint.
    pub(super) fn count_assertions(&self, script: &CStr) -> Result<usize, String> {
        let none = ptr::null();
        // SAFETY: the context is alive, the script ends with a NUL, and the lists of further sorts and
        // functions have length zero, so their pointers are not read.
        let parsed = unsafe {
            Z3_parse_smtlib2_string(
                self.0,
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
            Z3_ast_vector_inc_ref(self.0, assertions);
            Z3_ast_vector_size(self.0, assertions)
        };
        Ok(count as usize)
    }

    /// The error that the last call left in the context.
    fn error(&self) -> Option<String> {
        // SAFETY: the context is alive; the message is a C string that the context owns until the next call,
        // and it is copied before that.
        unsafe {
            let code = Z3_get_error_code(self.0);
            if code == ErrorCode::Ok {
                return None;
            }
            let message = Z3_get_error_msg(self.0, code);
            if message.is_null() {
                return Some(format!("{code:?}"));
            }
            Some(CStr::from_ptr(message).to_string_lossy().trim_end().to_owned())
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the context was made by `new` and nothing that belongs to it is left.
        unsafe { Z3_del_context(self.0) };
    }
}
