//! The golden runner against a stand-in for the program: a shell, so that each test file is itself the
//! script that decides what is printed, how it ends, and whether it ends at all.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use testkit::{Failure, Golden, Problem, Summary};

/// A folder that is removed again with everything in it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("golden-{name}"));
        let _ = fs::remove_dir_all(&path);
        for (file, text) in files {
            let file = path.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        Folder(path.canonicalize().unwrap())
    }

    fn golden(&self) -> Golden {
        Golden {
            program: "fake".to_owned(),
            timeout: Duration::from_secs(20),
            bless: false,
            ..Golden::new("/bin/sh", &self.0)
        }
    }

    fn failure(&self) -> Failure {
        self.golden().run().expect_err("the test should fail")
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.0.join(file)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn blessing_writes_the_neighbour_and_then_the_test_passes() {
    let script = "# run: fake %s %d/b\necho \"out $1\"; echo problem in $0 >&2; exit 3\n";
    let folder = Folder::new("bless", &[("deep/er/a.sh", script), ("readme.txt", "no test\n")]);
    let bless = Golden { bless: true, ..folder.golden() };
    assert_eq!(bless.run().unwrap(), Summary { passed: 0, blessed: 1 });
    let expected = "status: 3\n--- stdout\nout $DIR/b\n--- stderr\nproblem in $DIR/a.sh\n";
    assert_eq!(folder.read("deep/er/a.sh.expected"), expected);
    assert_eq!(bless.run().unwrap(), Summary { passed: 1, blessed: 0 });
    assert_eq!(folder.golden().run().unwrap(), Summary { passed: 1, blessed: 0 });
}

#[test]
fn several_commands_get_a_block_each_and_standard_input_is_given() {
    let script = "# run: fake %s 'a b'\n# run: fake -s < %s\nprintf '%s' \"$1\"\n";
    let folder = Folder::new("several", &[("a.sh", script)]);
    Golden { bless: true, ..folder.golden() }.check();
    let expected = "=== fake %s 'a b'\nstatus: 0\n--- stdout\na b\n\\ no newline at the end\n--- stderr\n\
                    === fake -s < %s\nstatus: 0\n--- stdout\n--- stderr\n";
    assert_eq!(folder.read("a.sh.expected"), expected);
}

#[test]
fn a_difference_is_shown_with_the_way_to_bless() {
    let expected = "status: 0\n--- stdout\none\ntwo\n--- stderr\n";
    let files = [("a.sh", "# run: fake %s\necho one\necho 2\n"), ("a.sh.expected", expected)];
    let folder = Folder::new("differs", &files);
    let message = folder.failure().to_string();
    assert!(message.starts_with("golden tests run: 1, problems: 1\n"), "{message}");
    assert!(message.contains("  one\n- two\n+ 2\n  --- stderr\n"), "{message}");
    assert!(message.contains("BLESS=1"), "{message}");
    assert_eq!(folder.read("a.sh.expected"), expected);
}

#[test]
#[should_panic(expected = "has no .expected neighbour")]
fn a_missing_neighbour_fails() {
    Folder::new("missing", &[("a.sh", "# run: fake %s\n")]).golden().check();
}

#[test]
fn neighbours_without_a_test_and_folders_without_tests_fail() {
    let folder = Folder::new("orphan", &[("a.sh", "# rum: fake %s\n"), ("a.sh.expected", "")]);
    assert!(matches!(folder.failure().problems[..], [(_, Problem::Orphan)]));
    let folder = Folder::new("empty", &[("a.sh", "echo\n")]);
    assert!(matches!(folder.failure().problems[..], [(_, Problem::NoTests)]));
    let mut golden = folder.golden();
    golden.root.push("no-such-folder");
    assert!(matches!(golden.run().unwrap_err().problems[..], [(_, Problem::Io(..))]));
}

#[test]
fn wrong_programs_and_missing_binaries_fail() {
    let folder = Folder::new("program", &[("a.sh", "# run: other %s\n")]);
    assert!(matches!(folder.failure().problems[..], [(_, Problem::RunLine(_))]));
    let folder = Folder::new("binary", &[("a.sh", "# run: fake %s\n")]);
    let golden = Golden { binary: folder.0.join("nothing"), ..folder.golden() };
    assert!(matches!(golden.run().unwrap_err().problems[..], [(_, Problem::Io(..))]));
}

#[test]
fn a_hang_is_killed_with_everything_it_started() {
    let script = "# run: fake %s\nsleep 987 & echo $! > pid; wait\n";
    let folder = Folder::new("hang", &[("a.sh", script)]);
    let golden = Golden { timeout: Duration::from_millis(300), bless: true, ..folder.golden() };
    let start = Instant::now();
    let failure = golden.run().unwrap_err();
    assert!(matches!(failure.problems[..], [(_, Problem::Timeout(..))]), "{failure}");
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    assert!(!folder.0.join("a.sh.expected").exists());
    let gone = || {
        let pid = folder.read("pid");
        let state = Command::new("ps").args(["-o", "stat=", "-p", pid.trim()]).output();
        // A killed orphan may stay a zombie until the machine's first process collects it.
        state.map_or(true, |out| out.stdout.is_empty() || out.stdout.starts_with(b"Z"))
    };
    assert!((0..100).any(|_| gone() || {
        std::thread::sleep(Duration::from_millis(20));
        false
    }));
}

#[test]
fn crashes_fail_even_when_blessing() {
    let scripts =
        [("panic.sh", "# run: fake %s\nexit 101\n"), ("signal.sh", "# run: fake %s\nkill -s SEGV $$\n")];
    let folder = Folder::new("crash", &scripts);
    let failure = Golden { bless: true, ..folder.golden() }.run().unwrap_err();
    assert!(matches!(failure.problems[..], [(_, Problem::Crash(..)), (_, Problem::Crash(..))]), "{failure}");
    assert!(!failure.to_string().contains("BLESS"));
}

#[test]
fn endless_output_fails_early() {
    let folder = Folder::new("endless", &[("a.sh", "# run: fake %s\nyes\n")]);
    let failure = folder.failure();
    assert!(matches!(failure.problems[..], [(_, Problem::TooMuchOutput(..))]), "{failure}");
}

#[test]
fn many_tests_are_reported_in_the_order_of_their_paths() {
    let names: Vec<String> = (0..20).map(|n| format!("{:02}.sh", n * 7 % 20)).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "# run: fake %s\n")).collect();
    let folder = Folder::new("order", &files);
    let failure = folder.failure();
    assert_eq!(failure.problems.len(), 20);
    assert!(failure.problems.is_sorted_by(|left, right| left.0 < right.0));
}
