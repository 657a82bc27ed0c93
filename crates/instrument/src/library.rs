//! What is known of functions that programs call and do not define, as far as copies of the state depend on it.

/// Functions that change nothing that pointers given to them lead to, although their type does not say so.
pub(crate) const HARMLESS: [&str; 9] =
    ["abort", "exit", "fprintf", "free", "fputs", "printf", "printk", "puts", "__assert_fail"];

/// Functions after whose calls the state changes without the control flow showing it, and why.
pub(crate) const ELSEWHERE: [(&[&str], &str); 3] = [
    (&["clone", "pthread_create", "thrd_create"], "other threads change the state too"),
    (
        &[
            "getcontext",
            "longjmp",
            "makecontext",
            "setcontext",
            "setjmp",
            "siglongjmp",
            "sigsetjmp",
            "swapcontext",
        ],
        "there are jumps between functions",
    ),
    (
        &[
            "alarm",
            "bsd_signal",
            "setitimer",
            "sigaction",
            "signal",
            "sigset",
            "sigvec",
            "ssignal",
            "sysv_signal",
            "timer_create",
            "ualarm",
        ],
        "signals may change the state or end the program at any time",
    ),
];

/// Functions that go on where they were when they were called before.
pub(crate) const REMEMBERING: [&str; 13] = [
    "getgrent",
    "gethostent",
    "getmntent",
    "getopt",
    "getopt_long",
    "getopt_long_only",
    "getprotoent",
    "getpwent",
    "getservent",
    "getspent",
    "readdir",
    "readdir64",
    "strtok",
];

/// Functions that read bytes of whatever they are given.
pub(crate) const READING: [&str; 7] = ["bcmp", "bcopy", "memchr", "memcmp", "memcpy", "memmove", "mempcpy"];
