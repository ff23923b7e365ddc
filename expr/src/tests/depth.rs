//! Depth costs heap, never the machine's stack: everything here runs on 256 KiB of it.

use std::time::{Duration, Instant};

use super::{World, limits, load, refuse, run};
use crate::{Limits, compile};

/// Runs `test` on a thread with a small stack, also when it drops what it made.
fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(256 * 1024).spawn(test).unwrap();
    thread.join().unwrap();
}

fn nested(open: &str, inner: &str, close: &str, depth: usize) -> String {
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn deep_conditions_load_and_evaluate() {
    const DEPTH: usize = 20_000;
    let cases = [
        (nested("(", "true", ")", 100_000), true),
        (nested("(", "ok", ")", 100_000), true),
        (nested("!(", "ok", ")", DEPTH), true),
        (nested("(ok && ", "ok", ")", DEPTH), true),
        (nested("(denied || ", "ok", ")", DEPTH), true),
        (nested("", "ok", " && ok", DEPTH), true),
        (nested("", "denied", " || denied", DEPTH), false),
        (nested("(", "denied", " || denied) && ok", DEPTH), false),
        (nested("ok ? ", "ok", " : denied", DEPTH), true),
        (nested("denied ? ok : ", "ok", "", DEPTH), true),
        (nested("(", "ok", ") ? ok : denied", DEPTH), true),
        (format!("{} == 20007", nested("(1 + ", "n", ")", DEPTH)), true),
        (format!("{} == 7", nested("-(", "n", ")", DEPTH)), true),
        (format!("n{} == 20007", " + 1".repeat(DEPTH)), true),
        (format!("{} == 1.5", nested("(y - ", "x", ")", DEPTH)), false),
        (format!("size({}) == 80000", nested("(tool + ", "\"\"", ")", DEPTH)), true),
        (format!("size({}) == 80000", nested("(", "\"\"", " + tool)", DEPTH)), true),
        (format!("size({}) == 20000", nested("(\"a\" + ", "\"\"", ")", DEPTH)), true),
        (format!("{} == \"\"", nested("arg_string(", "\"\"", ")", DEPTH)), true),
        (format!("\"a\" in {}", nested("(ok ? ", "tags", " : [tool])", DEPTH)), true),
        (format!("tool in [{}]", vec!["tool"; DEPTH].join(", ")), true),
        (format!("tool in [{}]", vec!["\"x\""; DEPTH].join(", ")), false),
        (nested("[tool, ", "\"x\"", "][0] == \"read\"", 1), true),
    ];
    on_a_small_stack(move || {
        for (source, expected) in cases {
            let program = load(&source);
            assert_eq!(run(&program, &World::default()), Ok(expected), "{}", &source[..20]);
        }
    });
}

#[test]
fn long_nonsense_is_a_diagnostic_in_linear_time() {
    let time = |pattern: &str, bytes: usize| {
        let source = pattern.repeat(bytes / pattern.len());
        let start = Instant::now();
        let errors = refuse(&source);
        assert!(!errors.is_empty());
        start.elapsed()
    };
    let patterns = [
        "(",
        "[",
        "!(",
        "-(",
        "a[",
        "a(",
        "true?",
        "true?true:",
        "ok||",
        "1+",
        "\"a\"+",
        "(a,",
        ")",
        "a.",
        "a",
        "1",
        ".",
        "\"",
        "\\",
        "\u{e9}",
        "f(1,",
        "[[[",
        "tags[0]",
        "!",
        "/",
        "n<n&&",
        "0.",
    ];
    on_a_small_stack(move || {
        let large = ["(", "[", "!(", "a[", "true?", "ok||"];
        for pattern in patterns {
            let whole = time(pattern, if large.contains(&pattern) { 1 << 20 } else { 1 << 17 });
            // The bound is far above linear time in a debug build and far below quadratic time.
            assert!(whole < Duration::from_secs(20), "{pattern}: {whole:?}");
        }
    });
}

#[test]
fn many_type_errors_stay_cheap() {
    on_a_small_stack(|| {
        let source = vec!["ghost == tool"; 20_000].join(" && ");
        let start = Instant::now();
        let limits = Limits { errors: 10, ..limits() };
        let errors = compile(&source, &super::Declared, &limits).unwrap_err();
        assert_eq!(errors.len(), 10);
        assert!(start.elapsed() < Duration::from_secs(20));
    });
}
