//! What is a fixture, and what is refused with which words.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "this is test code"
)]

mod common;

use common::{Scratch, capability, fixture, json_of, parse, parse_text, sound};
use oar_conformance::fixture::{Corpus, Entry, ReadAs, to_line};
use serde_json::{Value, json};

/// The complaints about `fixture`, each with what it underlines. The published schema must refuse
/// what is complained about and accept the rest, as far as a schema can.
fn complaints(fixture: &Value) -> Vec<String> {
    let found = told(fixture);
    let beyond_a_schema = |complaint: &String| complaint.starts_with("OAR-CONF-34");
    let is_refused = !found.iter().all(beyond_a_schema);
    assert_eq!(schema().is_valid(fixture), !is_refused, "{found:?} {fixture}");
    found
}

fn schema() -> jsonschema::Validator {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../schema/fixture.schema.json");
    let schema = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
}

fn told(fixture: &Value) -> Vec<String> {
    match parse(fixture) {
        Entry::Fixture(_) => Vec::new(),
        Entry::Invalid(invalid) => invalid
            .problems
            .iter()
            .map(|problem| {
                let location = problem.location().unwrap();
                assert!(!location.file.slice(location.span).is_empty(), "{problem}");
                format!("{problem} @ {}", location.pointer)
            })
            .collect(),
    }
}

fn with(change: impl FnOnce(&mut Value)) -> Value {
    let mut value = fixture("a", json!({"decision": "block"}));
    change(&mut value);
    value
}

#[test]
fn everything_that_the_standard_defines_is_read() {
    let mut full = fixture("a", json!({}));
    full["input"] = json!({
        "capability": capability(), "session_id": "s", "config": [{"oar_config": "1.0"}],
        "occurrences": [
            {"anchor": "x", "facts": {"f": 1}, "detector_facts": {"g": []},
             "recent_activity": ["read"], "content": "c",
             "tool_call": {"name": "t", "arguments": {}},
             "expected": {"decision": "none", "content": "c"}},
            {"anchor": "y", "content": "d"}
        ]
    });
    full["expected"] = json!({
        "decision": "warn", "code": "A", "rule": "A", "applied": ["A:fired"], "on_fire": [],
        "transforms": [{"action": "redact", "target": "content"}],
        "skipped_transforms": [{"rule": "A", "start": 0, "end": 1, "reason": "overlap"}],
        "advisories": [{"code": "A", "rule": "A", "copy": {"what": "w"}}, {}],
        "counters": {"A#x": {"fire_count": 1, "breaker_count": 0}, "B": {}},
        "events": [{"rule": "A", "anchor": "x", "effect": "warn"}],
        "content": "d", "copy": {"title": "t", "instead": "i"}
    });
    assert_eq!(complaints(&full), [""; 0]);
    let fixture = sound(&full);
    assert_eq!(fixture.expected.to_json(), full["expected"]);
    assert_eq!(fixture.expected_of.len(), 2);
    assert!(fixture.expected_of[1].is_none());
    let moment = &fixture.question.occurrences[0];
    assert_eq!(moment.tool_call.as_ref().unwrap().name, "t");
    assert_eq!(moment.recent_activity.as_deref(), Some(["read".to_owned()].as_slice()));
    assert_eq!(fixture.question.session_id.as_deref(), Some("s"));
}

#[test]
fn unknown_members_are_refused_at_every_level() {
    let cases = [
        (
            with(|f| f["x-note"] = json!(1)),
            "OAR-CONF-17: the fixture has the unknown member `x-note` @ /x-note",
        ),
        (
            with(|f| f["input"]["fact"] = json!({})),
            "OAR-CONF-18: `input` has the unknown member `fact` @ /input/fact",
        ),
        (
            with(|f| f["expected"]["outcome"] = json!("block")),
            "OAR-CONF-22: `expected` has the unknown member `outcome` @ /expected/outcome",
        ),
        (
            with(|f| f["input"]["tool_call"] = json!({"name": "t", "arguments": {}, "id": 1})),
            "OAR-CONF-40: `tool_call` has the unknown member `id` @ /input/tool_call/id",
        ),
        (
            with(|f| {
                f["input"] =
                    json!({"capability": {}, "occurrences": [{"anchor": "x", "session_id": "s"}]});
            }),
            "OAR-CONF-31: occurrence 0 has the unknown member `session_id` @ /input/occurrences/0/session_id",
        ),
        (
            with(|f| f["expected"] = json!({"advisories": [{"id": "A"}]})),
            "OAR-CONF-22: item 0 has the unknown member `id` @ /expected/advisories/0/id",
        ),
        (
            with(|f| f["expected"] = json!({"copy": {"whatever": "A"}})),
            "OAR-CONF-22: `copy` has the unknown member `whatever` @ /expected/copy/whatever",
        ),
        (
            with(|f| f["expected"] = json!({"counters": {"A": {"count": 1}}})),
            "OAR-CONF-22: `A` has the unknown member `count` @ /expected/counters/A/count",
        ),
        (
            with(|f| {
                f["input"] = json!({"capability": {}, "occurrences": [
                    {"anchor": "x", "expected": {"error": "A"}}
                ]});
            }),
            "OAR-CONF-22: `expected` has the unknown member `error` @ /input/occurrences/0/expected/error",
        ),
    ];
    for (fixture, complaint) in cases {
        assert_eq!(complaints(&fixture), [complaint]);
    }
}

#[test]
fn each_rule_for_fixtures_has_its_complaint() {
    let without = |member: &'static str| {
        with(|f| {
            f.as_object_mut().unwrap().remove(member).unwrap();
        })
    };
    let cases = [
        (
            with(|f| f["id"] = json!("A_b")),
            "OAR-CONF-17: `A_b` is no fixture identifier: lower-case words and digits, joined by `-` @ /id",
        ),
        (
            with(|f| f["id"] = json!("a--b")),
            "OAR-CONF-17: `a--b` is no fixture identifier: lower-case words and digits, joined by `-` @ /id",
        ),
        (without("id"), "OAR-CONF-17: the fixture has no `id` @ "),
        (without("covers"), "OAR-CONF-17: the fixture has no `covers` @ "),
        (without("rules"), "OAR-CONF-17: the fixture has no `rules` @ "),
        (without("input"), "OAR-CONF-17: the fixture has no `input` @ "),
        (without("expected"), "OAR-CONF-17: the fixture has no `expected` @ "),
        (with(|f| f["covers"] = json!([])), "OAR-CONF-17: `covers` is empty @ /covers"),
        (
            with(|f| f["covers"] = json!(["EVAL-4"])),
            "OAR-CONF-17: `EVAL-4` is no clause identifier @ /covers/0",
        ),
        (with(|f| f["rules"] = json!([])), "OAR-CONF-17: `rules` is empty @ /rules"),
        (
            with(|f| f["rules"] = json!({})),
            "OAR-CONF-17: `rules` is an object, not a list @ /rules",
        ),
        (with(|f| f["title"] = json!(null)), "OAR-CONF-17: `title` is null, not a string @ /title"),
        (
            with(|f| f["input"] = json!({"anchor": "x"})),
            "OAR-CONF-19: `input` has no `capability` @ /input",
        ),
        (
            with(|f| f["input"] = json!({"capability": {}})),
            "OAR-CONF-18: `input` has neither `anchor` nor `occurrences` @ /input",
        ),
        (
            with(|f| f["input"]["occurrences"] = json!([{"anchor": "x"}])),
            "OAR-CONF-18: `anchor` and `occurrences` stand in one `input` @ /input/anchor",
        ),
        (
            with(|f| {
                f["input"] =
                    json!({"capability": {}, "content": "c", "occurrences": [{"anchor": "x"}]});
            }),
            "OAR-CONF-18: `content` and `occurrences` stand in one `input` @ /input/content",
        ),
        (
            with(|f| f["input"] = json!({"capability": {}, "occurrences": []})),
            "OAR-CONF-31: `occurrences` is empty @ /input/occurrences",
        ),
        (
            with(|f| f["input"] = json!({"capability": {}, "occurrences": [{"facts": {}}]})),
            "OAR-CONF-31: occurrence 0 has no `anchor` @ /input/occurrences/0",
        ),
        (
            with(|f| f["input"]["facts"] = json!([])),
            "OAR-CONF-18: `facts` is an array, not an object @ /input/facts",
        ),
        (
            with(|f| f["input"]["config"] = json!({})),
            "OAR-CONF-18: `config` is an object, not a list @ /input/config",
        ),
        (
            with(|f| f["input"]["tool_call"] = json!({"name": "t"})),
            "OAR-CONF-40: `tool_call` has no `arguments` @ /input/tool_call",
        ),
        (
            with(|f| f["input"]["tool_call"] = json!({"name": "", "arguments": {}})),
            "OAR-CONF-40: the `name` of `tool_call` is empty @ /input/tool_call/name",
        ),
        (
            with(|f| f["expected"] = json!({"content": "c"})),
            "OAR-CONF-34: fixture `a` asserts `content` and supplies none @ /expected",
        ),
        (
            with(|f| {
                f["input"] = json!({"capability": {}, "occurrences": [
                    {"anchor": "x", "expected": {"content": "c"}}, {"anchor": "x"}
                ]});
            }),
            "OAR-CONF-34: fixture `a` asserts the `content` of occurrence 0 and supplies none @ /input/occurrences/0",
        ),
        (
            with(|f| f["expected"] = json!({"decision": "allow"})),
            "OAR-CONF-21: `allow` is none of `block`, `transform`, `nudge`, `warn`, `none` @ /expected/decision",
        ),
        (
            with(|f| f["expected"] = json!({"error": "x", "decision": "block"})),
            "OAR-CONF-21: `error` and `decision` cannot both be met: what is rejected reports nothing @ /expected",
        ),
        (
            with(
                |f| f["expected"] = json!({"skipped_transforms": [{"rule": "A", "start": -1, "end": 1, "reason": "overlap"}]}),
            ),
            "OAR-CONF-22: `start` is no integer from 0 up @ /expected/skipped_transforms/0/start",
        ),
        (
            with(|f| f["expected"] = json!({"events": [{"rule": "A", "anchor": "x"}]})),
            "OAR-CONF-22: item 0 has no `effect` @ /expected/events/0",
        ),
        (
            with(|f| f["expected"] = json!({"code": null})),
            "OAR-CONF-22: `code` is null, not a string @ /expected/code",
        ),
    ];
    for (fixture, complaint) in cases {
        assert_eq!(complaints(&fixture), [complaint]);
    }
}

#[test]
fn what_no_report_can_hold_is_refused() {
    let cases = [
        (json!({"error": ""}), "OAR-CONF-30: `error` is empty @ /expected/error"),
        (
            json!({"applied": ["A"]}),
            "OAR-CONF-21: `A` is no entry of a trace @ /expected/applied/0",
        ),
        (
            json!({"applied": ["A:ok"]}),
            "OAR-CONF-21: `A:ok` is no entry of a trace @ /expected/applied/0",
        ),
        (
            json!({"applied": ["a:fired"]}),
            "OAR-CONF-21: `a:fired` is no entry of a trace @ /expected/applied/0",
        ),
        (
            json!({"applied": ["n./A:fired"]}),
            "OAR-CONF-21: `n./A:fired` is no entry of a trace @ /expected/applied/0",
        ),
        (
            json!({"on_fire": ["increment"]}),
            "OAR-CONF-21: `increment` is none of `increment_counter`, `reset_counter`, `publish_event`, \
             `increment_breaker`, `reset_breaker` @ /expected/on_fire/0",
        ),
        (
            json!({"transforms": [{"action": "remove", "target": "content"}]}),
            "OAR-CONF-21: `remove` is none of `redact`, `replace`, `annotate` @ /expected/transforms/0/action",
        ),
        (
            json!({"skipped_transforms": [{"rule": "A", "start": 0, "end": 1, "reason": "late"}]}),
            "OAR-CONF-21: `late` is none of `overlap` @ /expected/skipped_transforms/0/reason",
        ),
        (
            json!({"events": [{"rule": "A", "anchor": "x", "effect": "none"}]}),
            "OAR-CONF-21: `none` is none of `block`, `transform`, `nudge`, `warn`, `allow` @ /expected/events/0/effect",
        ),
        (
            json!({"counters": {"n/a": {}}}),
            "OAR-CONF-33: `n/a` is no key of a counter @ /expected/counters/n~1a",
        ),
        (
            json!({"counters": {"#x": {}}}),
            "OAR-CONF-33: `#x` is no key of a counter @ /expected/counters/#x",
        ),
    ];
    for (expected, complaint) in cases {
        assert_eq!(complaints(&with(|f| f["expected"] = expected)), [complaint]);
    }
    for expected in [
        json!({"applied": ["a-1.b2/A_1:monitored_errored", "A:fired"]}),
        json!({"counters": {"n/A#": {}, "A#x#y:z": {}, "B": {}}}),
    ] {
        assert_eq!(complaints(&with(|f| f["expected"] = expected)), [""; 0]);
    }
}

#[test]
fn all_complaints_come_at_once() {
    let broken = with(|f| {
        f["covers"] = json!([]);
        f["input"]["capabilty"] = json!({});
        f["expected"]["code"] = json!(1);
    });
    assert_eq!(complaints(&broken).len(), 3);
}

#[test]
fn the_line_for_an_engine_keeps_every_number_and_no_expectation() {
    let text = r#"{"id": "a", "rules": [{"expected": 1}], "expected": {"x": 1},
        "input": {"capability": {"expected": [1e400, -0.0, 5.0]}, "occurrences": [
            {"anchor": "x", "expected": {"y": 2}, "facts": {"expected": 9223372036854775808}},
            {"expected": {"z": 3}, "anchor": "\ud83d\ude00\n\"\\"}, {"anchor": ""}]}}"#;
    let Entry::Fixture(fixture) = parse_text(text, ReadAs::Question) else { panic!("sound") };
    let line = concat!(
        r#"{"id":"a","rules":[{"expected":1}],"#,
        r#""input":{"capability":{"expected":[1e400,-0.0,5.0]},"occurrences":["#,
        r#"{"anchor":"x","facts":{"expected":9223372036854775808}},"#,
        "{\"anchor\":\"\u{1f600}\\n\\\"\\\\\"},",
        r#"{"anchor":""}]}}"#
    );
    assert_eq!(to_line(&fixture.question), line);
}

#[test]
fn baseline_is_what_claims_nothing() {
    let claims =
        |change: fn(&mut Value)| sound(&with(|f| change(&mut f["input"]["capability"]))).baseline;
    assert!(claims(|_| {}));
    assert!(claims(
        |c| c["detectors"] = json!(["detector://noop", "detector://fixture", "detector://error"])
    ));
    assert!(claims(|c| c["host_facts"] = json!([])));
    assert!(claims(|c| c["anchors"]["host"] = json!(["gateway.x"])));
    assert!(!claims(|c| c["detectors"] = json!(["detector://own"])));
    assert!(!claims(|c| c["profiles"] = json!(["tool"])));
    assert!(!claims(|c| c["host_facts"] = json!([{"name": "h.f", "type": "int"}])));
    assert!(!claims(|c| c["activity_window"] = json!(1)));
    assert!(!claims(|c| c["supports_transform"] = json!(true)));
}

#[test]
fn a_directory_a_manifest_and_a_file_name_fixtures() {
    let directory = Scratch::new();
    for id in ["b", "a", "c"] {
        directory.write(&format!("{id}.json"), fixture(id, json!({})));
    }
    directory.write("notes.md", "no fixture");
    let manifest = directory.write(
        "manifest.json",
        json!({"fixtures": [{"id": "c", "file": "c.json"}, {"id": "x", "file": "x.json"}]}),
    );
    let ids = |paths: &[std::path::PathBuf]| -> Vec<String> {
        let corpus = Corpus::read(paths).unwrap();
        corpus.entries.iter().map(|entry| entry.id().to_owned()).collect()
    };
    let file = directory.path().join("a.json");
    assert_eq!(ids(&[directory.path().to_owned()]), ["a", "b", "c"]);
    assert_eq!(ids(std::slice::from_ref(&manifest)), ["c", "x"]);
    assert_eq!(ids(&[file.clone(), directory.path().to_owned()]), ["a", "b", "c"]);
    let corpus = Corpus::read(&[manifest]).unwrap();
    assert!(corpus.entries[1].fixture().is_none(), "a listed file that is missing is no fixture");
}

#[test]
fn a_corpus_refuses_wrong_names_repeated_names_and_what_is_no_json() {
    let directory = Scratch::new();
    directory.write("one.json", fixture("two", json!({})));
    directory.write("two.json", fixture("two", json!({})));
    directory.write("three.json", "{\"id\": \"three\", \"id\": \"three\"}");
    let corpus = Corpus::read(&[directory.path().to_owned()]).unwrap();
    let problem = |at: usize| match &corpus.entries[at] {
        Entry::Invalid(invalid) => invalid.problems[0].to_string(),
        Entry::Fixture(fixture) => panic!("{} is a fixture", fixture.id()),
    };
    assert_eq!(problem(0), "OAR-CONF-17: `id` is `two`, and the file is named `one`");
    assert_eq!(problem(1), "OAR-DOC-1: member `id` is given twice");
    let one = directory.path().join("one.json").display().to_string();
    assert_eq!(problem(2), format!("OAR-CONF-17: the identifier `two` is already that of {one}"));
}

#[test]
fn an_empty_directory_and_a_missing_path_are_errors() {
    let directory = Scratch::new();
    let empty = Corpus::read(&[directory.path().to_owned()]).unwrap_err();
    assert_eq!(empty.message, "there is no fixture in it");
    assert!(Corpus::read(&[directory.path().join("gone")]).is_err());
}

#[test]
fn questions_need_no_expectation_and_may_share_a_file() {
    let directory = Scratch::new();
    let bare = |id: &str| {
        let mut bare = fixture(id, json!({}));
        for member in ["title", "covers", "expected"] {
            bare.as_object_mut().unwrap().remove(member);
        }
        bare
    };
    let array = directory.write("many.json", json!([bare("a"), bare("b")]));
    let lines = directory.write("more.jsonl", format!("{}\n\n{}\n", bare("c"), bare("d")));
    let corpus = Corpus::read_questions(&[array, lines]).unwrap();
    let ids: Vec<_> = corpus.fixtures().map(|fixture| fixture.id()).collect();
    assert_eq!(ids, ["a", "b", "c", "d"]);
}

#[test]
fn every_fixture_of_our_corpus_fits_the_published_schema() {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let corpus = Corpus::read(&[directory]).unwrap();
    let schema = schema();
    for entry in &corpus.entries {
        let text = std::fs::read_to_string(entry.file()).unwrap();
        let errors: Vec<String> =
            schema.iter_errors(&json_of(&text)).map(|error| error.to_string()).collect();
        assert_eq!(errors, [""; 0], "{}", entry.file());
    }
}
