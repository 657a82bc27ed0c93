//! The commands that `docs/instrument.md` gives for fuzzers are run as they stand there, and find what they say.

use std::path::Path;
use std::process::{Command, Output};
use testkit::Folder;

/// A folder with the examples in it, and with the program on the path.
struct Place(Folder);

impl Place {
    fn new(name: &str) -> Place {
        let folder = Folder::new(&format!("fuzzers-{name}"));
        std::fs::create_dir_all(folder.0.join("examples")).expect("a folder for examples");
        for example in ["average.c", "halves.c"] {
            let from = testkit::workspace_root().join("examples").join(example);
            std::fs::copy(from, folder.0.join("examples").join(example)).expect("an example");
        }
        Place(folder)
    }

    /// Runs a line of a shell with the program of this build on its path.
    fn run(&self, line: &str) -> Output {
        let own = Path::new(env!("CARGO_BIN_EXE_svarog")).parent().expect("a folder").to_owned();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&path)));
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(&self.0.0).env("PATH", path.expect("a path"));
        // Settings of the system that make AFL faster, and its screen, are not looked at.
        for name in
            ["AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES", "AFL_NO_AFFINITY", "AFL_NO_UI", "AFL_SKIP_CPUFREQ"]
        {
            command.env(name, "1");
        }
        command.output().expect("a shell")
    }
}

/// The lines of the document's block of commands in which a word is, without remarks.
fn documented(word: &str) -> Vec<String> {
    let path = testkit::workspace_root().join("docs/instrument.md");
    let text = std::fs::read_to_string(path).expect("the document");
    let blocks = text.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("```"));
    let block = blocks.map(|(block, _)| block).find(|block| block.contains(word)).expect("a block");
    block.lines().map(|line| line.split(" #").next().unwrap_or_default().trim().to_owned()).collect()
}

fn has(program: &str) -> bool {
    Command::new("sh")
        .args(["-c", &format!("command -v {program}")])
        .output()
        .is_ok_and(|output| output.status.success())
}

/// Runs all commands of a block but the last, which have to succeed, and gives back what the last does.
fn last_of(place: &Place, word: &str) -> Output {
    let lines = documented(word);
    let (last, first) = lines.split_last().expect("commands");
    for line in first {
        let output = place.run(line);
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }
    place.run(last)
}

fn files(folder: &Path, start: &str) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let name = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    entries.flatten().map(name).filter(|name| name.starts_with(start)).collect()
}

#[test]
fn afl_finds_the_overflow() {
    if !has("afl-fuzz") || !has("afl-cc") {
        return testkit::skip("AFL++ on the example with an overflow", "no afl-fuzz");
    }
    let place = Place::new("afl");
    let output = last_of(&place, "afl-fuzz");
    let found = files(&place.0.0.join("found/default/crashes"), "id");
    assert!(!found.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn libfuzzer_finds_the_loop_that_does_not_end() {
    let place = Place::new("libfuzzer");
    if !has("clang") || !place.run("echo 'int LLVMFuzzerTestOneInput(void *d, unsigned long n) { return 0; }' > t.c; clang -fsanitize=fuzzer t.c -o t").status.success() {
        return testkit::skip("libFuzzer on the example that does not end", "no clang with libFuzzer");
    }
    let output = last_of(&place, "-fsanitize=fuzzer");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    // A trap, not a timeout.
    assert!(said.contains("deadly signal"), "{said}");
    assert!(!files(&place.0.0, "crash-").is_empty(), "{said}");
}

#[test]
fn libfuzzer_begins_each_run_with_first_values() {
    let place = Place::new("statics");
    let program = "extern int __VERIFIER_nondet_int(void);\n\
                   static int next(int by) {\n\
                     static const int limit = 3; static int calls, *last = 0, table[2] = {1, 2};\n\
                     calls++; last = &calls; table[by & 1] += *last;\n\
                     return calls > limit ? 2147483647 : table[0];\n\
                   }\n\
                   int main(void) { int n = __VERIFIER_nondet_int(); return n < 0 || n > 9 ? 0 : next(n) + 1; }\n";
    place.0.write("next.c", program.as_bytes());
    let lines = "svarog instrument next.c --spec no-overflow --harness libfuzzer -o out.c && clang -fsanitize=fuzzer out.c -o out";
    if !has("clang") || !place.run(lines).status.success() {
        return testkit::skip("libFuzzer on a program with static variables", "no clang with libFuzzer");
    }
    let output = place.run("./out -runs=20000");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
