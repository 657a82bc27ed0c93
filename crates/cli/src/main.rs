//! svarog.
fn main() {}
