//! Where the binary finds libz3 (see `z3-provision`), and the commit that `--version` shows.

use std::process::Command;

fn main() {
    print!("{}", z3_provision::instructions(z3_provision::Role::Binary));
    let commit = Command::new("git")
        .args(["rev-parse", "--short=12", "HEAD"])
        .output()
        .ok()
        .filter(|output| output.status.success())
        .and_then(|output| String::from_utf8(output.stdout).ok());
    println!("cargo::rustc-env=SVAROG_COMMIT={}", commit.as_deref().unwrap_or("unknown").trim());
    println!("cargo::rerun-if-changed=../../.git/HEAD");
    println!("cargo::rerun-if-changed=../../.git/refs/heads");
    println!("cargo::rerun-if-changed=build.rs");
}
