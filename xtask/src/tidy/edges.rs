//! Crates import only what the table allows, so that the layers of `ARCHITECTURE.md` stay layers.
//!
//! Without the check a convenient import makes, say, the checker of evidence depend on the engines it is to
//! judge, and nobody notices. Changing the table is a decision about the architecture, not a repair.

use super::repo::{Crate, Dependency, Kind, Repo};
use super::report::Report;

/// Open to every crate, so in no row of the tables.
const OPEN: &str = "base";

/// For tests only: every crate may have it as a dev-dependency, only `xtask` as a normal one.
const FOR_TESTS: &str = "testkit";

/// The automation: imports what it likes, is imported by nobody.
const AUTOMATION: &str = "xtask";

/// The complete list of inner crates that each crate may import, `base` left out.
const ALLOWED: &[(&str, &[&str])] = &[
    // tidy: sorted
    ("base", &[]),
    ("certify", &["diag", "program", "smt", "solver", "svlib", "ts"]),
    ("cfront", &["diag", "smt", "svlib"]),
    ("cli", &["diag", "driver", "report"]),
    ("diag", &[]),
    (
        "driver",
        &[
            "certify",
            "cfront",
            "diag",
            "encode",
            "engines",
            "formats",
            "instrument",
            "program",
            "smt",
            "solver",
            "svlib",
            "ts",
        ],
    ),
    ("encode", &["program", "smt", "solver", "svlib", "ts"]),
    ("engines", &["encode", "program", "smt", "solver", "svlib", "ts"]),
    ("formats", &["diag", "smt", "ts"]),
    ("instrument", &["cfront", "diag"]),
    ("program", &["diag", "smt", "svlib"]),
    ("report", &["diag", "program", "svlib", "ts"]),
    ("smt", &["diag"]),
    ("solver", &["smt", "z3-provision"]),
    ("svlib", &["diag", "smt"]),
    ("ts", &["smt"]),
    ("z3-provision", &[]),
    // tidy: end
];

/// What build scripts may use besides.
const ALLOWED_IN_BUILD: &[(&str, &[&str])] = &[
    // tidy: sorted
    ("cli", &["z3-provision"]),
    ("solver", &["z3-provision"]),
    // tidy: end
];

pub(super) fn check(repo: &Repo, report: &mut Report) {
    for package in &repo.crates {
        let name = package.name.as_str();
        let folder = package.manifest.trim_end_matches("/Cargo.toml").rsplit('/').next();
        if folder != Some(name) {
            report.error(&package.manifest, 1, format!("the crate `{name}` is not in a folder of its name"));
        }
        let is_listed = ALLOWED.iter().any(|row| row.0 == name);
        if !is_listed && ![FOR_TESTS, AUTOMATION].contains(&name) {
            report.error(
                &package.manifest,
                1,
                format!("the crate `{name}` has no row in the table of edges"),
            );
            continue;
        }
        for dependency in &package.dependencies {
            if let Err(why) = judge(package, dependency) {
                let line = line_of(repo, package, dependency);
                report.error(
                    &package.manifest,
                    line,
                    format!("`{name}` must not import `{}`: {why}", dependency.name),
                );
            }
        }
    }
}

/// Whether the edge is allowed, and if not, why.
fn judge(package: &Crate, dependency: &Dependency) -> Result<(), &'static str> {
    let (from, to) = (package.name.as_str(), dependency.name.as_str());
    let allowed = |table: &[(&str, &[&str])]| table.iter().any(|row| row.0 == from && row.1.contains(&to));
    if to == AUTOMATION {
        return Err("nothing imports the automation");
    }
    if from == AUTOMATION || to == OPEN {
        return Ok(());
    }
    if to == FOR_TESTS && dependency.kind != Kind::Dev {
        return Err("it serves tests, so only as a dev-dependency");
    }
    if from == FOR_TESTS || to == FOR_TESTS {
        return Ok(());
    }
    match dependency.kind {
        Kind::Build if !allowed(ALLOWED_IN_BUILD) => Err("not in the table of edges for build scripts"),
        Kind::Normal | Kind::Dev if !allowed(ALLOWED) => Err("not in the table of edges"),
        _ => Ok(()),
    }
}

fn line_of(repo: &Repo, package: &Crate, dependency: &Dependency) -> usize {
    let section = match dependency.kind {
        Kind::Normal => "[dependencies",
        Kind::Build => "[build-dependencies",
        Kind::Dev => "[dev-dependencies",
    };
    let Some(manifest) = repo.file(&package.manifest) else { return 1 };
    let names_it = |line: &str| {
        let rest = line.strip_prefix(dependency.name.as_str());
        rest.is_some_and(|rest| rest.starts_with([' ', '.', '=']))
    };
    let mut lines = manifest.lines().skip_while(|(_, line)| !line.starts_with(section));
    lines.find(|(_, line)| names_it(line)).map_or(1, |(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Findings for one crate with one edge.
    fn findings(from: &str, to: &str, kind: Kind) -> Vec<String> {
        let folder = if from == AUTOMATION { from.to_owned() } else { format!("crates/{from}") };
        let manifest = format!("{folder}/Cargo.toml");
        let text = format!("[package]\n[dependencies]\n{to}-x = 1\n{to}.workspace = true\n");
        let mut repo = Repo::fake(&[(&manifest, &text)]);
        let dependencies = vec![Dependency { name: to.to_owned(), kind }];
        repo.crates = vec![Crate { name: from.to_owned(), manifest, dependencies }];
        let mut report = Report::default();
        check(&repo, &mut report);
        report.lines()
    }

    #[test]
    fn forbidden_edges_are_found_at_their_line() {
        let expected =
            "crates/certify/Cargo.toml:4: `certify` must not import `engines`: not in the table of edges";
        assert_eq!(findings("certify", "engines", Kind::Normal), [expected]);
        assert_eq!(findings("diag", "smt", Kind::Normal).len(), 1);
        assert_eq!(findings("diag", "smt", Kind::Dev).len(), 1);
        assert_eq!(findings("smt", "z3-provision", Kind::Build).len(), 1);
        assert_eq!(findings("cli", "z3-provision", Kind::Normal).len(), 1);
        assert_eq!(findings("smt", "testkit", Kind::Normal).len(), 1);
        assert_eq!(findings("smt", "testkit", Kind::Build).len(), 1);
        assert_eq!(findings("testkit", "xtask", Kind::Normal).len(), 1);
        assert_eq!(findings("newcomer", "smt", Kind::Normal).len(), 1);
    }

    #[test]
    fn allowed_edges_pass() {
        for (from, to, kind) in [
            ("smt", "diag", Kind::Normal),
            ("diag", "base", Kind::Normal),
            ("smt", "testkit", Kind::Dev),
            ("solver", "z3-provision", Kind::Normal),
            ("cli", "z3-provision", Kind::Build),
            ("xtask", "testkit", Kind::Normal),
            ("xtask", "engines", Kind::Normal),
            ("testkit", "smt", Kind::Normal),
        ] {
            assert_eq!(findings(from, to, kind), [""; 0], "{from} -> {to}");
        }
    }

    #[test]
    fn a_crate_in_a_folder_of_another_name_is_found() {
        let mut repo = Repo::fake(&[]);
        let manifest = "crates/other/Cargo.toml".to_owned();
        repo.crates = vec![Crate { name: "smt".to_owned(), manifest, dependencies: Vec::new() }];
        let mut report = Report::default();
        check(&repo, &mut report);
        assert_eq!(
            report.lines(),
            ["crates/other/Cargo.toml:1: the crate `smt` is not in a folder of its name"]
        );
    }

    /// The table has no row that names a crate without a row of its own, and no cycles.
    #[test]
    fn the_table_is_closed_and_layered() {
        let mut placed: Vec<&str> = Vec::new();
        while placed.len() < ALLOWED.len() {
            let is_ready = |row: &&(&str, &[&str])| {
                !placed.contains(&row.0) && row.1.iter().all(|name| placed.contains(name))
            };
            let next = ALLOWED.iter().find(is_ready).map(|row| row.0);
            placed.push(next.expect("a cycle, or a name without a row"));
        }
    }
}
