//! The one table of platforms for which a prebuilt library is pinned: which wheel, which digest, which file
//! names. A new Z3 release or a new platform is an edit of this file and nothing else.

/// The Z3 release the bindings are told about and the wheels contain.
pub const Z3_VERSION: &str = "5.4.0";

/// The pip requirement that names the wheel.
pub(crate) const REQUIREMENT: &str = "z3-solver==5.4.0.0";

/// One platform with a pinned wheel.
#[derive(Debug)]
pub struct Platform {
    /// `CARGO_CFG_TARGET_OS` of the platform.
    pub os: &'static str,
    /// `CARGO_CFG_TARGET_ARCH` of the platform.
    pub arch: &'static str,
    /// `CARGO_CFG_TARGET_ENV` of the platform; the wheels for Linux are built against glibc.
    pub env: &'static str,
    /// The platform tag of the wheel, as pip spells it; also the folder name inside the cache.
    pub tag: &'static str,
    /// SHA-256 of the wheel, lower-case hexadecimal.
    pub sha256: &'static str,
    /// How the system names libraries.
    pub naming: &'static Naming,
}

/// How a system names shared libraries and relative search paths.
#[derive(Debug)]
pub struct Naming {
    /// The name the linker looks for when told `-lz3`.
    pub link_name: &'static str,
    /// The name the pinned library carries inside, which the loader looks for at run time.
    pub load_name: &'static str,
    /// "The folder of the binary itself" in the loader's language.
    pub beside_binary: &'static str,
}

static LINUX: Naming = Naming { link_name: "libz3.so", load_name: "libz3.so.5.4", beside_binary: "$ORIGIN" };

static MACOS: Naming =
    Naming { link_name: "libz3.dylib", load_name: "libz3.dylib", beside_binary: "@loader_path" };

static PLATFORMS: &[Platform] = &[
    Platform {
        os: "linux",
        arch: "aarch64",
        env: "gnu",
        tag: "manylinux_2_38_aarch64",
        sha256: "fffb36861d4da1f9584d0fd4a80dbf247fdfbebb04b5c31a90b460b14c86cab0",
        naming: &LINUX,
    },
    Platform {
        os: "linux",
        arch: "x86_64",
        env: "gnu",
        tag: "manylinux_2_27_x86_64",
        sha256: "0549ffad554178a59480ba41b5279cfbb27053ed5a2da269ae1a48214d5db34b",
        naming: &LINUX,
    },
    Platform {
        os: "macos",
        arch: "aarch64",
        env: "",
        tag: "macosx_13_0_arm64",
        sha256: "a1b36f0dd038c030d88711474c93b95e863c30a22e9def53ad5965c6092c92a7",
        naming: &MACOS,
    },
    Platform {
        os: "macos",
        arch: "x86_64",
        env: "",
        tag: "macosx_13_0_x86_64",
        sha256: "407522390c4d11696b10d43c76d22d4e60b7f11d75d9defe6f064e073edd904f",
        naming: &MACOS,
    },
];

/// All platforms with a pinned wheel, sorted by system and processor.
pub fn platforms() -> &'static [Platform] {
    PLATFORMS
}

/// The row for a target, if there is one.
pub(crate) fn platform(os: &str, arch: &str, env: &str) -> Option<&'static Platform> {
    PLATFORMS.iter().find(|p| p.os == os && p.arch == arch && p.env == env)
}

/// The naming of a system, also for processors without a pinned wheel: a library given by hand still works
/// there.
pub(crate) fn naming(os: &str) -> Option<&'static Naming> {
    match os {
        "linux" => Some(&LINUX),
        "macos" => Some(&MACOS),
        _ => None,
    }
}
