//! Our engine behind the adapter protocol: every line is answered, in order, and by the engine.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "this is test code"
)]

mod common;

use common::{corpus, fixture, json_of};
use oar_conformance::adapter::{message, serve};
use oar_conformance::fixture::{Question, to_line};
use oar_conformance::in_process::{InProcess, about};
use oar_conformance::runner::{Answer, Engine, Phase};
use serde_json::{Value, json};

fn answers(engine: &mut dyn Engine, lines: &str) -> Vec<Value> {
    let mut out = Vec::new();
    serve(engine, &about(), lines.as_bytes(), &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_line_has_its_answer_in_order() {
    let mut refused = fixture("b", json!({"error": "effect"}));
    refused["rules"][0]["effect"] = json!("deny");
    let mut unknown = fixture("c", json!({}));
    unknown["input"]["capability"]["profiles"] = json!(["telepathy"]);
    let lines = [
        fixture("a", json!({"anything": "is not looked at"})).to_string(),
        String::new(),
        "{".to_owned(),
        refused.to_string(),
        json!({"id": "d", "rules": []}).to_string(),
        unknown.to_string(),
    ];
    let answers = answers(&mut InProcess, &lines.join("\n"));
    assert_eq!(answers.len(), 5);
    assert_eq!(answers[0]["id"], "a");
    assert_eq!(answers[0]["report"]["decision"], "block");
    assert_eq!(answers[0]["report"], answers[0]["occurrences"][0]);
    assert_eq!((&answers[1]["id"], &answers[1]["phase"]), (&Value::Null, &json!("input")));
    assert_eq!((&answers[2]["id"], &answers[2]["phase"]), (&json!("b"), &json!("rules")));
    assert!(answers[2]["error"].as_str().unwrap().contains("effect"));
    assert_eq!((&answers[3]["id"], &answers[3]["phase"]), (&json!("d"), &json!("input")));
    assert_eq!(answers[4], json!({"id": "c", "skipped": "the profile `telepathy` is not known"}));
}

#[test]
fn a_detector_that_is_not_ours_is_skipped_where_a_rule_names_it() {
    let mut idle = fixture("idle", json!({}));
    idle["input"]["capability"]["detectors"] = json!(["detector://sonar"]);
    let mut asked = idle.clone();
    asked["id"] = json!("asked");
    asked["rules"][0]["kind"] = json!("detector");
    asked["rules"][0]["detector"] = json!({"ref": "detector://sonar"});
    let lines = [idle.to_string(), asked.to_string()];
    let answers = answers(&mut InProcess, &lines.join("\n"));
    assert_eq!(answers[0]["report"]["decision"], "block", "{}", answers[0]);
    let reason = "there is no detector `detector://sonar`";
    assert_eq!(answers[1], json!({"id": "asked", "skipped": reason}));
}

#[test]
fn the_handshake_is_answered_and_may_be_left_out() {
    let answers = answers(&mut InProcess, &message::hello());
    let welcome = message::read_welcome(&answers[0].to_string()).unwrap();
    assert_eq!(welcome, about());
    assert!(welcome.profiles.unwrap().contains(&"content-provenance".to_owned()));
}

/// Tells what it is asked, to see that nothing else makes up an answer.
struct Echo;

impl Engine for Echo {
    fn run(&mut self, question: &Question) -> Answer {
        Answer::Skipped { reason: to_line(question) }
    }
}

#[test]
fn every_answer_comes_from_the_engine() {
    // What would be refused, and what would be decided: neither is judged on the way.
    let mut broken = fixture("a", json!({"error": "effect"}));
    broken["rules"] = json!([{"effect": "deny"}, "no document", 7]);
    let sound = fixture("b", json!({"decision": "block"}));
    for mut fixture in [broken, sound] {
        let told = answers(&mut Echo, &fixture.to_string());
        fixture.as_object_mut().unwrap().remove("expected");
        let asked: Value = serde_json::from_str(told[0]["skipped"].as_str().unwrap()).unwrap();
        assert_eq!(asked, fixture);
    }
}

#[test]
fn an_answer_is_read_back_as_it_was_written() {
    let report = json!({"decision": "none"});
    let answers = [
        Answer::Report { report: report.clone(), occurrences: vec![report.clone(), report] },
        Answer::Rejected { error: "a\nb".to_owned(), phase: Phase::Config },
        Answer::Skipped { reason: "r".to_owned() },
    ];
    for answer in answers {
        assert_eq!(message::read(&message::line("x", &answer), "x", 2), Ok(answer));
    }
}

#[test]
fn what_is_no_answer_is_told() {
    let cases = [
        ("[]", "the line is no JSON object: []"),
        ("{}", "the answer has no `id`: {}"),
        (r#"{"id": 7}"#, r#"the answer has no `id`: {"id": 7}"#),
        (r#"{"id": "y", "skipped": "r"}"#, "the answer is to `y`, not to `x`"),
        (r#"{"id": "x"}"#, r#"the answer has none of `report`, `error`, `skipped`: {"id": "x"}"#),
        (
            r#"{"id": "x", "error": "e", "skipped": "r"}"#,
            "the answer has `error` and `skipped` at once",
        ),
        (r#"{"id": "x", "report": []}"#, "`report` is no object"),
        (r#"{"id": "x", "report": {}}"#, "`occurrences` is missing, and the fixture has 2"),
        (
            r#"{"id": "x", "report": {}, "occurrences": [{}]}"#,
            "`occurrences` has 1 members instead of 2",
        ),
        (
            r#"{"id": "x", "report": {}, "occurrences": [{}, 1]}"#,
            "`occurrences` has a member that is no object, at 1",
        ),
        (r#"{"id": "x", "error": "e", "phase": "later"}"#, "`later` is no phase"),
        (r#"{"id": "x", "error": ["e"]}"#, "`error` is no string"),
        (r#"{"id": "x", "skipped": true}"#, "`skipped` is no string"),
    ];
    for (line, told) in cases {
        assert_eq!(message::read(line, "x", 2), Err(told.to_owned()));
    }
    let one = message::read(r#"{"id": "x", "report": {"decision": "none"}}"#, "x", 1).unwrap();
    assert_eq!(message::read(&message::line("x", &one), "x", 1), Ok(one));
    let unphased = message::read(r#"{"id": "x", "error": "e"}"#, "x", 1);
    assert_eq!(unphased, Ok(Answer::Rejected { error: "e".to_owned(), phase: Phase::Rules }));
}

#[test]
fn the_messages_fit_their_schema() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../schema/adapter.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let part = |name: &str| {
        let mut schema = schema.clone();
        let top = schema.as_object_mut().unwrap();
        top.remove("anyOf");
        top.insert("$ref".to_owned(), json!(format!("#/$defs/{name}")));
        jsonschema::draft202012::new(&schema).unwrap()
    };
    let (request, answer) = (part("request"), part("answer"));
    let errors = |schema: &jsonschema::Validator, message: &Value| -> Vec<String> {
        schema
            .iter_errors(message)
            .map(|error| format!("{error} at {}", error.instance_path()))
            .collect()
    };
    let parsed = |line: String| json_of(&line);
    assert_eq!(errors(&request, &parsed(message::hello())), [""; 0]);
    assert_eq!(errors(&answer, &parsed(message::welcome(&about()))), [""; 0]);
    assert_eq!(errors(&answer, &parsed(message::refusal(None, "e"))), [""; 0]);
    assert!(!errors(&answer, &json!({"id": "x"})).is_empty());
    // Every line of our own corpus and every answer of our engine to it.
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let corpus = oar_conformance::fixture::Corpus::read(&[directory]).unwrap();
    for fixture in corpus.fixtures() {
        let line = parsed(to_line(&fixture.question));
        assert_eq!(errors(&request, &line), [""; 0], "{line}");
        let said = parsed(message::line(fixture.id(), &InProcess.run(&fixture.question)));
        assert_eq!(errors(&answer, &said), [""; 0], "{said}");
    }
    assert!(corpus.fixtures().count() > 0);
}

#[test]
fn in_process_and_over_the_wire_the_reports_are_equal() {
    let fixtures = [fixture("a", json!({})), fixture("b", json!({}))];
    let corpus = corpus(&fixtures);
    for fixture in corpus.fixtures() {
        let direct = InProcess.run(&fixture.question);
        let wired = answers(&mut InProcess, &to_line(&fixture.question));
        let wired = message::read(&wired[0].to_string(), fixture.id(), 1).unwrap();
        assert_eq!(direct, wired);
    }
}
