//! Golden files under `tests/`: each states its command and has its expected output beside it.

use testkit::Golden;

fn check(area: &str) {
    Golden::new(env!("CARGO_BIN_EXE_svarog"), testkit::workspace_root().join("tests").join(area)).check();
}

#[test]
fn c() {
    check("c");
}

#[test]
fn cli() {
    check("cli");
}

#[test]
fn convert() {
    check("convert");
}

#[test]
fn instrument() {
    check("instrument");
}

#[test]
fn lint() {
    check("lint");
}

#[test]
fn run() {
    check("run");
}

#[test]
fn smt() {
    check("smt");
}

#[test]
fn systems() {
    check("systems");
}

#[test]
fn verify() {
    check("verify");
}
