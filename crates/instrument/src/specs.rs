//! The specifications that ship with the program.

/// A specification in the binary.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// Its name: that of its file.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

macro_rules! shipped {
    ($($name:literal)*) => {
        &[$(Shipped { name: $name, text: include_str!(concat!("../specs/", $name, ".ia")) },)*]
    };
}

/// All of them by name.
pub const SPECS: &[Shipped] = shipped! {
    // tidy: sorted
    "array-bounds"
    "division-by-zero"
    "example"
    "lock-unlock"
    "memory-cleanup"
    "no-overflow"
    "termination"
    "unreach-call"
    "valid-free"
    // tidy: end
};

/// The specification of that name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Shipped> {
    SPECS.iter().find(|spec| spec.name == name)
}
