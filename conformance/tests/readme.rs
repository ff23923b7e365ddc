//! What the README shows is what there is: its examples run, and say what it says they do.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "this is test code"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(name: &str) -> String {
    std::fs::read_to_string(here().join(name)).unwrap()
}

fn run(arguments: &[&str]) -> String {
    let root: PathBuf = here().parent().unwrap().to_owned();
    let output = Command::new(env!("CARGO_BIN_EXE_oar-conformance"))
        .arg("run")
        .args(arguments)
        .current_dir(root)
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_adapters_are_shown_as_they_are() {
    let readme = text("README.md");
    for (name, language) in [("examples/adapter.py", "python"), ("examples/adapter.mjs", "js")] {
        let shown = format!("```{language}\n{}```\n", text(name));
        assert!(readme.contains(&shown), "README.md shows another {name}");
    }
}

#[test]
fn the_adapters_pass_what_they_know_and_skip_the_rest() {
    for command in
        ["python3 conformance/examples/adapter.py", "node conformance/examples/adapter.mjs"]
    {
        let report = run(&["conformance/corpus", "--json", "--engine", command]);
        let report: Value = serde_json::from_str(&report).unwrap();
        let counts = &report["counts"];
        for kind in ["failed", "crashed", "timed_out", "protocol_error", "invalid"] {
            assert_eq!(counts[kind], 0, "{command}: {kind}");
        }
        assert!(counts["passed"].as_u64().unwrap() >= 10, "{command}: {counts}");
        assert!(counts["skipped"].as_u64().unwrap() >= 100, "{command}: {counts}");
        assert_eq!(report["claim"]["supported"], false, "a toy conforms to nothing");
    }
}

#[test]
fn the_report_is_shown_as_it_is() {
    let fixtures = ["doc-effect-deny-rejected", "doc-id-of-one-letter-loads"]
        .map(|id| format!("conformance/corpus/{id}.json"));
    let engine = "python3 conformance/tests/fakes/none.py";
    let report = run(&[&fixtures[0], &fixtures[1], "--engine", engine]);
    let readme = text("README.md");
    let shown = readme.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    assert!(report.starts_with(shown), "README.md shows another report than\n{report}");
}

/// The first command of the project's README, but for the time that it took.
#[test]
fn the_first_command_prints_what_is_shown() {
    let readme = text("../README.md");
    let shown = readme.split("-- run conformance/corpus\n").nth(1).unwrap();
    let shown = shown.split("$ ").next().unwrap();
    let timeless = |text: &str| -> Vec<String> {
        let line = |line: &str| match line.split_once(" in ") {
            Some((before, after)) => {
                format!("{before} in {}", after.split_once(' ').map_or("", |(_, rest)| rest))
            }
            None => line.to_owned(),
        };
        text.lines().map(line).collect()
    };
    assert_eq!(timeless(&run(&["conformance/corpus"])), timeless(shown));
}
