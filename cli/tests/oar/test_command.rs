//! `oar test`.

use std::time::{Duration, Instant};

use crate::run::{Directory, oar};
use crate::snapshot::{root, snapshot};

const RULES: &str = r#"
oar: "1.0"
id: A
kind: policy
anchor: tool.pre_invoke
effect: block
requires: {profiles: [tool]}
when: tool == "a" || tool == "b" && size(tool_args) > 1
copy: {what: "no {{ tool }}"}
---
oar: "1.0"
id: B
kind: policy
anchor: model.output
effect: warn
"#;

const CASES: &str = r#"oar_test: "1.0"
cases:
  - name: a is stopped
    anchor: tool.pre_invoke
    tool_call: {name: a}
    expect: {decision: block, copy: {what: no a}}
  - name: c is not
    anchor: tool.pre_invoke
    tool_call: {name: c}
    expect: none
"#;

fn pack(cases: &str) -> Directory {
    Directory::with(&[
        ("capability.yaml", crate::check::CAPABILITY),
        ("rules.yaml", RULES),
        ("tests/a.test.yaml", cases),
    ])
}

#[test]
fn the_examples_pass_their_tests() {
    let ran = oar(&root(), "test examples --threshold 98", "");
    assert_eq!(ran.code, 0, "{}", ran.out);
    assert!(ran.out.contains("ok: 108 cases passed\n"), "{}", ran.out);
    let ran = oar(&root(), "check examples", "");
    assert_eq!(ran.code, 0, "{}", ran.out);
}

#[test]
fn passing_cases_are_listed_and_counted() {
    let ran = pack(CASES).oar("test");
    assert_eq!(
        ran.out,
        "tests/a.test.yaml\n  ok   a is stopped\n  ok   c is not\nok: 2 cases passed\n"
    );
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let ran = pack(CASES).oar("test --filter stopped");
    assert!(ran.out.ends_with("ok: 1 case passed\n"), "{}", ran.out);
}

#[test]
fn a_failing_case_shows_what_was_wanted_and_what_was_got() {
    let cases = CASES.replace("no a}}", "not a}, applied: ['A:passed']}");
    let ran = pack(&cases).oar("test");
    snapshot("test-failing", &ran.out);
    assert_eq!(ran.code, 1);
}

#[test]
fn coverage_tells_what_is_left_out_and_a_threshold_fails() {
    let ran = pack(CASES).oar("test --coverage");
    snapshot("test-coverage", &ran.out);
    assert_eq!(ran.code, 0);
    let ran = pack(CASES).oar("test --threshold 70");
    assert!(ran.out.ends_with("below the threshold of 70%\n"), "{}", ran.out);
    assert_eq!(ran.code, 1);
}

#[test]
fn cases_are_read_strictly() {
    let cases = r#"oar_test: "1.0"
case: []
cases:
  - name: one
    anchor: tool.pre_invok
    expected: block
  - anchor: tool.pre_invoke
    expect: {decision: stop, tools: []}
  - name: three
    anchor: tool.pre_invoke
  - name: four
    occurrences: []
    anchor: tool.pre_invoke
    expect: none
  - name: five
    anchor: tool.pre_invoke
    expect: {}
"#;
    let ran = pack(&cases.replace("case: []\n", "")).oar("test");
    snapshot("test-bad-cases", &ran.out);
    assert_eq!(ran.code, 1);
    let ran = pack(cases).oar("test");
    assert!(ran.out.contains("error[test]: `case` is no member of a file of cases"), "{}", ran.out);
    let ran = pack("oar_test: 1.0\ncases: []\n").oar("test");
    assert!(ran.out.contains("= help: write `oar_test: \"1.0\"`, in quotes"), "{}", ran.out);
}

#[test]
fn nothing_to_run_is_no_success() {
    let directory = Directory::with(&[("capability.yaml", crate::check::CAPABILITY)]);
    let ran = directory.oar("test");
    assert_eq!((ran.code, ran.err.as_str()), (2, "error: no `*.test.yaml` in `.`\n"));
    let ran = pack(CASES).oar("test --filter nothing");
    assert_eq!((ran.code, ran.err.as_str()), (2, "error: no case to run\n"));
    assert_eq!(directory.oar("test nowhere").code, 3);
}

#[test]
fn junit_holds_every_case() {
    let directory = pack(&CASES.replace("no a}}", "not <a>}}"));
    let ran = directory.oar("test --junit out.xml");
    assert_eq!(ran.code, 1);
    let xml = directory.read("out.xml");
    assert!(xml.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "), "{xml}");
    assert!(xml.contains("tests=\"2\" failures=\"1\" errors=\"0\""), "{xml}");
    assert!(xml.contains("name=\"c is not\""), "{xml}");
    assert!(xml.contains("not &lt;a&gt;"), "{xml}");
}

#[test]
fn watching_runs_again_when_a_file_changes() {
    let directory = pack(CASES);
    let out = directory.path().join("out.txt");
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_oar"))
        .args(["test", "--watch"])
        .current_dir(directory.path())
        .stdout(std::fs::File::create(&out).expect("a file"))
        .spawn()
        .expect("oar starts");
    let begun = Instant::now();
    let wait_for = |text: &str, times: usize| {
        while begun.elapsed() < Duration::from_secs(30) {
            let found = std::fs::read_to_string(&out).unwrap_or_default();
            if found.matches(text).count() >= times {
                return true;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        false
    };
    let first = wait_for("waiting for a change", 1);
    directory.write("rules.yaml", &RULES.replace("tool == \"a\" ||", "tool == \"x\" ||"));
    let second = wait_for("waiting for a change", 2);
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let found = std::fs::read_to_string(&out).expect("a file");
    assert!(first && second, "{found}");
    assert!(found.contains("ok: 2 cases passed") && found.contains("bad: 1 case passed, 1 failed"));
}
