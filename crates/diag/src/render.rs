//! Diagnostics as text for people, JSON for scripts, and SARIF 2.1.0 for code-scanning services.

mod json;
mod sarif;
mod text;

pub use json::json;
pub use sarif::sarif;
pub use text::text;
