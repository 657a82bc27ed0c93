//! Golden files under `tests/`: each states its command and has its expected output beside it.

use std::path::Path;
use testkit::Golden;

fn check(area: &str) {
    Golden::new(Path::new(env!("CARGO_BIN_EXE_svarog")), &testkit::workspace_root().join("tests").join(area)).check();
}

#[test]
fn lint() {
    check("lint");
}
