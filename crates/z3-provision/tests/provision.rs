//! Where the library comes from and what cargo is told, without network: what is downloaded is tested by every
//! first build.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use z3_provision::{EXPLICIT_DIR, Error, Origin, Role, Settings, instructions_for, locate, platforms};

const TAG: &str = "manylinux_2_27_x86_64";

/// An empty folder of the test's own.
fn folder(test: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).expect("the folder can be created");
    dir
}

/// Settings in which every place is inside `dir` and there is no Python.
fn settings(dir: &Path) -> Settings {
    let out_dir = dir.join("target/debug/build/package-1/out");
    fs::create_dir_all(&out_dir).expect("the folder can be created");
    Settings {
        explicit_dir: None,
        cache_root: Some(dir.join("cache")),
        out_dir,
        os: "linux".to_owned(),
        arch: "x86_64".to_owned(),
        env: "gnu".to_owned(),
        pythons: vec![dir.join("no-python").into()],
        attempts: 3,
        pause: Duration::ZERO,
    }
}

fn fake_python(name: &str) -> Vec<std::ffi::OsString> {
    vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake").join(name).into()]
}

fn put_library(dir: &Path, names: &[&str]) {
    fs::create_dir_all(dir).expect("the folder can be created");
    for name in names {
        fs::write(dir.join(name), "library").expect("the file can be written");
    }
}

fn fill_cache(settings: &Settings) -> PathBuf {
    let root = settings.cache_root.as_ref().expect("a cache");
    let dir = root.join("svarog/z3-5.4.0").join(TAG);
    put_library(&dir, &["libz3.so", "libz3.so.5.4"]);
    dir
}

#[test]
fn the_table_is_sorted_and_its_digests_are_digests() {
    assert!(platforms().is_sorted_by_key(|p| (p.os, p.arch)));
    for platform in platforms() {
        let hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
        assert!(platform.sha256.len() == 64 && platform.sha256.chars().all(hex), "{platform:?}");
    }
}

#[test]
fn the_given_folder_wins_over_the_cache() {
    for (inside, test) in [("", "explicit"), ("lib", "explicit-lib"), ("bin", "explicit-bin")] {
        let dir = folder(test);
        let mut settings = settings(&dir);
        fill_cache(&settings);
        put_library(&dir.join("given").join(inside), &["libz3.so"]);
        settings.explicit_dir = Some(dir.join("given"));
        let library = locate(&settings).expect("a library");
        assert_eq!(library.origin, Origin::Explicit);
        assert_eq!(library.dir, fs::canonicalize(dir.join("given").join(inside)).expect("it exists"));
        let text = instructions_for(Role::Library, &settings);
        assert!(!text.contains("cargo::error"), "{text}");
        // The loader's name is there although the given folder has only the linker's.
        assert!(settings.out_dir.join("libz3.so.5.4").is_file());
    }
}

#[test]
fn a_given_folder_without_the_library_is_an_error() {
    let dir = folder("explicit-empty");
    let mut settings = settings(&dir);
    fill_cache(&settings);
    put_library(&dir.join("given"), &["libz3.a", "libz3.so.old", "libz3java.so", "z3.h"]);
    settings.explicit_dir = Some(dir.join("given"));
    assert!(matches!(locate(&settings), Err(Error::NoLibraryInExplicitDir { .. })));
}

#[test]
fn a_filled_cache_needs_no_python() {
    let dir = folder("cache");
    let settings = settings(&dir);
    let cached = fill_cache(&settings);
    let library = locate(&settings).expect("a library");
    assert_eq!((library.origin, library.dir), (Origin::Cache, cached));
}

#[test]
fn the_library_role_links_from_the_build_folder() {
    let dir = folder("role-library");
    let settings = settings(&dir);
    let cached = fill_cache(&settings);
    let text = instructions_for(Role::Library, &settings);
    let expected = format!(
        "cargo::rerun-if-env-changed={EXPLICIT_DIR}\n\
         cargo::rerun-if-env-changed=XDG_CACHE_HOME\n\
         cargo::rerun-if-env-changed=HOME\n\
         cargo::rerun-if-changed={cached}/libz3.so\n\
         cargo::rustc-link-search=native={out}\n\
         cargo::rustc-link-arg=-Xlinker\n\
         cargo::rustc-link-arg=-rpath\n\
         cargo::rustc-link-arg=-Xlinker\n\
         cargo::rustc-link-arg=$ORIGIN\n\
         cargo::rustc-link-arg=-Xlinker\n\
         cargo::rustc-link-arg=-rpath\n\
         cargo::rustc-link-arg=-Xlinker\n\
         cargo::rustc-link-arg={cached}\n",
        cached = cached.display(),
        out = settings.out_dir.display(),
    );
    assert_eq!(text, expected);
    assert!(settings.out_dir.join("libz3.so").is_file() && settings.out_dir.join("libz3.so.5.4").is_file());
    // Again over what is there, and nothing temporary is left.
    assert_eq!(instructions_for(Role::Library, &settings), expected);
    assert_eq!(fs::read_dir(&settings.out_dir).expect("it exists").count(), 2);
}

#[test]
fn the_binary_role_puts_the_library_beside_the_binary() {
    let dir = folder("role-binary");
    let settings = settings(&dir);
    fill_cache(&settings);
    let text = instructions_for(Role::Binary, &settings);
    assert!(!text.contains("link-search") && text.contains("rustc-link-arg=$ORIGIN\n"), "{text}");
    assert!(dir.join("target/debug/libz3.so.5.4").is_file());
}

#[test]
fn an_unknown_layout_of_the_build_folder_is_left_alone() {
    let dir = folder("role-binary-layout");
    let mut settings = settings(&dir);
    fill_cache(&settings);
    settings.out_dir = dir.join("somewhere/else/out");
    let text = instructions_for(Role::Binary, &settings);
    assert!(text.contains("rustc-link-arg=$ORIGIN\n") && !dir.join("libz3.so").exists(), "{text}");
}

#[test]
fn without_python_the_build_stops_and_names_the_ways() {
    let dir = folder("no-python");
    let settings = settings(&dir);
    let text = instructions_for(Role::Library, &settings);
    for part in ["no Python 3", "SVAROG_Z3_DIR", "PIP_INDEX_URL", TAG, "vendored-z3"] {
        assert!(text.contains(part), "{part} is missing in:\n{text}");
    }
    let stops =
        |text: &str| text.lines().all(|l| l.starts_with("cargo::error=") || l.starts_with("cargo::rerun"));
    assert!(stops(&text), "{text}");
    let short = instructions_for(Role::Binary, &settings);
    assert!(stops(&short) && short.matches("cargo::error=").count() == 2, "{short}");
}

#[test]
fn a_failing_download_is_repeated_and_then_told() {
    let dir = folder("offline");
    let mut settings = settings(&dir);
    settings.pythons = fake_python("python-offline");
    let Err(Error::Download { command, output }) = locate(&settings) else { panic!("no download error") };
    assert!(command.contains("-m pip download") && command.ends_with("z3-solver==5.4.0.0"), "{command}");
    assert_eq!(output, "ERROR: No matching distribution found");
    let attempts = fs::read_to_string(dir.join("cache/svarog/z3-5.4.0/attempts")).expect("attempts");
    assert_eq!(attempts.lines().count(), 3);
}

#[test]
fn a_wheel_with_another_digest_is_not_used() {
    let dir = folder("wrong-wheel");
    let mut settings = settings(&dir);
    settings.pythons = fake_python("python-wrong-wheel");
    let Err(Error::WrongDigest { expected, found }) = locate(&settings) else { panic!("no digest error") };
    assert!(platforms().iter().any(|p| p.sha256 == expected));
    assert_eq!(found.len(), 64);
    let left: Vec<_> = fs::read_dir(dir.join("cache/svarog/z3-5.4.0"))
        .expect("our folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(left, [".lock"], "nothing but the lock is left");
}

#[test]
fn without_a_cache_the_build_folder_is_used() {
    let dir = folder("no-cache");
    let mut settings = settings(&dir);
    fs::write(dir.join("file"), "").expect("the file can be written");
    settings.cache_root = Some(dir.join("file/cache"));
    put_library(&settings.out_dir.join("svarog/z3-5.4.0").join(TAG), &["libz3.so", "libz3.so.5.4"]);
    let text = instructions_for(Role::Library, &settings);
    assert!(text.contains("cargo::warning=no user cache") && !text.contains("cargo::error"), "{text}");
}

#[test]
fn targets_without_a_wheel_are_refused_unless_a_folder_is_given() {
    let dir = folder("targets");
    let mut settings = settings(&dir);
    settings.env = "musl".to_owned();
    let error = locate(&settings).expect_err("no wheel for musl");
    assert_eq!(error.to_string(), "there is no prebuilt library for the target x86_64-linux-musl");
    put_library(&dir.join("given"), &["libz3.so"]);
    settings.explicit_dir = Some(dir.join("given"));
    assert!(locate(&settings).is_ok());
    settings.os = "windows".to_owned();
    assert!(matches!(locate(&settings), Err(Error::UnsupportedTarget { .. })));
}
