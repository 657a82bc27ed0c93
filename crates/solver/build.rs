//! Links the pinned libz3; where it comes from is decided in `z3-provision`.

fn main() {
    print!("{}", z3_provision::instructions(z3_provision::Role::Library));
}
