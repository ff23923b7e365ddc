//! The commands as a person runs them: what they print, and how they end.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "this is test code"
)]

mod common;

use std::io::Write;
use std::process::{Command, Output, Stdio};

use common::{Scratch, fixture};
use serde_json::{Value, json};

fn program(arguments: &[&str], directory: &Scratch) -> Output {
    Command::new(env!("CARGO_BIN_EXE_oar-conformance"))
        .args(arguments)
        .current_dir(directory.path())
        .output()
        .unwrap()
}

/// The exit code and standard output.
fn ran(arguments: &[&str], directory: &Scratch) -> (i32, String) {
    let output = program(arguments, directory);
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

fn code(arguments: &[&str], directory: &Scratch) -> i32 {
    ran(arguments, directory).0
}

/// `passes` and `fails`, by themselves in a folder of each name.
fn scratch() -> Scratch {
    let directory = Scratch::new();
    for (id, decision) in [("passes", "block"), ("fails", "warn")] {
        std::fs::create_dir(directory.path().join(id)).unwrap();
        directory.write(&format!("{id}/{id}.json"), fixture(id, json!({"decision": decision})));
    }
    directory
}

#[test]
fn a_run_ends_by_what_it_found() {
    let directory = scratch();
    assert_eq!(code(&["run", "passes"], &directory), 0);
    assert_eq!(code(&["run", "passes", "fails"], &directory), 1);
    assert_eq!(code(&["run"], &directory), 2);
    assert_eq!(code(&["run", "passes", "--nonsense"], &directory), 2);
    assert_eq!(code(&["run", "passes", "--timeout", "0"], &directory), 2);
    assert_eq!(code(&["run", "passes", "--json", "--tap"], &directory), 2);
    let gone = program(&["run", "nowhere"], &directory);
    assert_eq!(gone.status.code(), Some(3));
    assert!(String::from_utf8(gone.stderr).unwrap().starts_with("oar-conformance: nowhere: "));
    let none = program(&["run", "passes", "--filter", "nothing-*"], &directory);
    assert_eq!(none.status.code(), Some(3), "a run of nothing is no success");
    assert_eq!(
        String::from_utf8(none.stderr).unwrap(),
        "oar-conformance: no fixture was selected\n"
    );
}

#[test]
fn the_last_lines_are_the_claim_and_the_counts() {
    let directory = scratch();
    let (_, out) = ran(&["run", "passes"], &directory);
    let last: Vec<&str> = out.lines().skip(1).collect();
    assert_eq!(last, ["this run supports a claim of conformance", "1 passed, 0 failed, 0 skipped"]);
    let (_, out) = ran(&["run", "passes", "fails", "-v"], &directory);
    assert!(out.starts_with("PASS    passes\nFAIL    fails\n        about fails\n"), "{out}");
    assert!(out.ends_with("no claim of conformance: 1 failed\n1 passed, 1 failed, 0 skipped\n"));
}

#[test]
fn an_invalid_fixture_fails_the_run_and_is_named_with_its_place() {
    let directory = scratch();
    directory.write("passes/bad.json", "{\n  \"id\": \"bad\",\n  \"verdict\": 1\n}");
    let (code, out) = ran(&["run", "passes"], &directory);
    assert_eq!(code, 1);
    let bad = std::path::Path::new("passes").join("bad.json").display().to_string();
    assert!(
        out.contains(&format!(
            "INVALID bad\n        {bad}:3:3: OAR-CONF-17: the fixture has the unknown member `verdict` (/verdict)\n"
        )),
        "{out}"
    );
}

#[test]
fn our_adapter_as_an_external_engine_says_the_same() {
    let directory = scratch();
    let adapter = format!("'{}' adapter", env!("CARGO_BIN_EXE_oar-conformance"));
    let outcomes = |arguments: &[&str]| -> Value {
        let (_, out) = ran(arguments, &directory);
        let mut report: Value = serde_json::from_str(&out).unwrap();
        for fixture in report["fixtures"].as_array_mut().unwrap() {
            fixture.as_object_mut().unwrap().remove("seconds");
        }
        report["fixtures"].take()
    };
    let direct = outcomes(&["run", "passes", "fails", "--json"]);
    let wired =
        outcomes(&["run", "passes", "fails", "--json", "--engine", &adapter, "--jobs", "2"]);
    assert_eq!(direct, wired);
    assert_eq!(direct[1]["differences"][0]["wanted"], "warn");
    let (code, out) = ran(&["diff", "passes", "fails", "--engine", &adapter], &directory);
    assert_eq!((code, out.as_str()), (0, "2 alike, 0 different, 0 skipped\n"));
}

#[test]
fn two_engines_that_disagree_are_shown_side_by_side() {
    let directory = scratch();
    let fakes = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fakes");
    let none = format!("python3 '{fakes}/none.py'");
    let (code, out) = ran(&["diff", "passes", "--engine", &none], &directory);
    assert_eq!(code, 1);
    assert!(
        out.starts_with(
            "DIFFER  passes\n        decision\n          - \"block\"\n          + \"none\"\n"
        ),
        "{out}"
    );
    assert!(out.ends_with("0 alike, 1 different, 0 skipped\n"), "{out}");
    let three = ["diff", "passes", "--engine", "a", "--engine", "b", "--engine", "c"];
    assert_eq!(self::code(&three, &directory), 3);
}

#[test]
fn generated_fixtures_can_be_compared_and_are_always_the_same() {
    let directory = Scratch::new();
    let make =
        ["generate", "--seed", "5", "--count", "20", "--family", "rules", "--family", "copy"];
    let (_, lines) = ran(&make, &directory);
    assert_eq!(lines.lines().count(), 40);
    assert_eq!(ran(&make, &directory).1, lines);
    directory.write("generated.jsonl", lines);
    let adapter = format!("'{}' adapter", env!("CARGO_BIN_EXE_oar-conformance"));
    let (code, out) = ran(&["diff", "generated.jsonl", "--engine", &adapter], &directory);
    assert_eq!((code, out.as_str()), (0, "40 alike, 0 different, 0 skipped\n"));
    assert_eq!(self::code(&["generate", "--family", "novels"], &directory), 2);
}

#[test]
fn reports_are_written_beside_what_is_printed() {
    let directory = scratch();
    let arguments = [
        "run",
        "fails",
        "--tap",
        "--junit",
        "r.xml",
        "--html",
        "r.html",
        "--write-known-failures",
        "known.txt",
    ];
    let (code, out) = ran(&arguments, &directory);
    assert_eq!(code, 1);
    assert!(out.starts_with("TAP version 14\n1..1\nnot ok 1 - fails\n"), "{out}");
    let text = |name: &str| std::fs::read_to_string(directory.path().join(name)).unwrap();
    assert!(text("r.xml").starts_with("<?xml"));
    assert!(text("r.html").contains("OAR-EVAL-4"));
    assert!(text("known.txt").ends_with("\nfails  # failed\n"));
    assert_eq!(self::code(&["run", "fails", "--known-failures", "known.txt"], &directory), 0);
    assert_eq!(self::code(&["run", "passes", "--known-failures", "known.txt"], &directory), 1);
}

#[test]
fn a_manifest_is_written_checked_and_run() {
    let directory = scratch();
    assert_eq!(code(&["manifest", "passes", "--check"], &directory), 3, "there is none yet");
    assert_eq!(code(&["manifest", "passes"], &directory), 0);
    assert_eq!(code(&["manifest", "passes", "--check"], &directory), 0);
    assert_eq!(code(&["run", "passes/manifest.json"], &directory), 0);
    assert_eq!(code(&["lint", "passes"], &directory), 0);
    directory.write("passes/more.json", fixture("more", json!({"decision": "block"})));
    let (code, out) = ran(&["manifest", "passes", "--check"], &directory);
    assert_eq!((code, out.as_str()), (1, "`more` is not listed\n"));
    let (code, out) = ran(&["lint", "passes"], &directory);
    assert_eq!(code, 1);
    assert!(out.ends_with("2 fixtures, 2 findings\n"), "{out}");
}

#[test]
fn fixtures_are_listed_and_copied() {
    let directory = scratch();
    let (_, out) = ran(&["list", "passes", "fails"], &directory);
    assert_eq!(out, "passes  [OAR-EVAL-4]  about passes\nfails  [OAR-EVAL-4]  about fails\n");
    let (_, out) = ran(&["list", "passes", "--json"], &directory);
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["baseline"], json!(true));
    for (filter, count) in [
        ("--area=eval", 2),
        ("--area=EXPR", 0),
        ("--clause=OAR-EVAL-4", 2),
        ("--filter=p*", 1),
        ("--baseline", 2),
    ] {
        let (_, out) = ran(&["list", "passes", "fails", filter], &directory);
        assert_eq!(out.lines().count(), count, "{filter}");
    }
    let (code, out) =
        ran(&["copy", "passes", "fails", "--filter", "p*", "--to", "mine"], &directory);
    assert_eq!((code, out.as_str()), (0, "1 fixtures in mine\n"));
    assert_eq!(self::code(&["run", "mine/manifest.json"], &directory), 0);
}

#[test]
fn coverage_fails_on_what_is_uncovered() {
    let directory = scratch();
    assert_eq!(code(&["coverage", "passes"], &directory), 3, "there is no exempt.json");
    directory.write("exempt.json", "[]");
    let (code, out) = ran(&["coverage", "passes"], &directory);
    assert_eq!(code, 1);
    assert!(out.contains("uncovered OAR-EVAL-5"), "{out}");
    let (_, json) = ran(&["coverage", "passes", "--json"], &directory);
    assert_eq!(serde_json::from_str::<Value>(&json).unwrap()["complete"], json!(false));
}

#[test]
fn the_adapter_answers_before_its_input_ends() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_oar-conformance"))
        .arg("adapter")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = std::io::BufReader::new(child.stdout.take().unwrap());
    for id in ["a", "b"] {
        writeln!(stdin, "{}", fixture(id, json!({}))).unwrap();
        let mut line = String::new();
        std::io::BufRead::read_line(&mut stdout, &mut line).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap()["id"], id);
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}
