//! Which reports meet which assertions ([OAR-CONF-21], [OAR-CONF-37], [OAR-CONF-39]).
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "this is test code"
)]

mod common;

use common::{capability, fixture, sound};
use oar_conformance::compare::{compare, differing_members};
use oar_conformance::runner::{Answer, Phase};
use serde_json::{Value, json};

/// Where a report with `got` differs from `wanted`, as `place: wanted / got`.
fn differences(wanted: Value, got: Value) -> Vec<String> {
    let mut fixture = fixture("a", wanted);
    fixture["input"]["content"] = json!("c");
    let fixture = sound(&fixture);
    let answer = Answer::Report { report: got.clone(), occurrences: vec![got] };
    told(&compare(&fixture, &answer))
}

fn told(differences: &[oar_conformance::compare::Difference]) -> Vec<String> {
    differences
        .iter()
        .map(|d| {
            let got = d.got.as_ref().map_or("nothing".to_owned(), Value::to_string);
            format!("{}: {} / {got}", d.place(), d.wanted)
        })
        .collect()
}

#[test]
fn only_what_is_asserted_is_compared() {
    assert_eq!(differences(json!({}), json!({"decision": "block"})), [""; 0]);
    let report = json!({"decision": "block", "code": "A"});
    assert_eq!(differences(json!({"decision": "block"}), report.clone()), [""; 0]);
    assert_eq!(
        differences(json!({"decision": "warn", "code": "A", "rule": "n/A"}), report),
        [r#"decision: "warn" / "block""#, r#"rule: "n/A" / nothing"#]
    );
}

#[test]
fn lists_are_compared_by_length_and_order() {
    let wanted = || json!({"applied": ["A:fired", "B:passed"], "on_fire": []});
    let got = json!({"applied": ["A:fired", "B:passed"], "on_fire": []});
    assert_eq!(differences(wanted(), got), [""; 0]);
    let got = json!({"applied": ["B:passed", "A:fired"], "on_fire": []});
    assert_eq!(
        differences(wanted(), got),
        [r#"applied: ["A:fired","B:passed"] / ["B:passed","A:fired"]"#]
    );
    let got = json!({"applied": ["A:fired", "B:passed", "C:passed"]});
    assert_eq!(
        differences(wanted(), got),
        [
            r#"applied: ["A:fired","B:passed"] / ["A:fired","B:passed","C:passed"]"#,
            "on_fire: [] / nothing"
        ]
    );
}

#[test]
fn an_asserted_zero_matches_an_absent_counter() {
    let wanted = |counters: Value| json!({"counters": counters});
    let report =
        json!({"counters": {"A": {"fire_count": 2, "breaker_count": 1}, "B": {"fire_count": 1}}});
    let same = [
        json!({"A": {"fire_count": 2}}),
        json!({"A": {"fire_count": 2, "breaker_count": 1}}),
        json!({"B": {"breaker_count": 0}}),
        json!({"C": {"fire_count": 0, "breaker_count": 0}}),
    ];
    for counters in same {
        assert_eq!(differences(wanted(counters), report.clone()), [""; 0]);
    }
    assert_eq!(
        differences(
            wanted(json!({"A": {"fire_count": 0}, "C": {"fire_count": 1}})),
            report.clone()
        ),
        [r#"counters["A"].fire_count: 0 / 2"#, r#"counters["C"].fire_count: 1 / nothing"#]
    );
    assert_eq!(differences(wanted(json!({"A": {"fire_count": 0}})), json!({})), [""; 0]);
}

#[test]
fn the_empty_counters_and_the_empty_copy_assert_that_there_are_none() {
    let wanted = || json!({"counters": {}, "copy": {}});
    assert_eq!(differences(wanted(), json!({})), [""; 0]);
    let zeroes = json!({"counters": {"A": {"fire_count": 0}}, "copy": {}});
    assert_eq!(differences(wanted(), zeroes), [""; 0]);
    assert_eq!(differences(wanted(), json!({"counters": {}, "copy": null})), [""; 0]);
    let some = json!({"counters": {"A": {"fire_count": 1}}, "copy": {"what": ""}});
    assert_eq!(
        differences(wanted(), some),
        [r#"counters: {} / {"A":{"fire_count":1}}"#, r#"copy: {} / {"what":""}"#]
    );
}

#[test]
fn copy_is_compared_member_by_member() {
    let report = json!({"copy": {"what": "w", "fix": ""}});
    assert_eq!(differences(json!({"copy": {"what": "w"}}), report.clone()), [""; 0]);
    assert_eq!(
        differences(json!({"copy": {"what": "W", "fix": "", "why": ""}}), report),
        [r#"copy.what: "W" / "w""#, r#"copy.why: "" / nothing"#]
    );
    assert_eq!(
        differences(json!({"copy": {"what": "w"}}), json!({})),
        [r#"copy.what: "w" / nothing"#]
    );
}

#[test]
fn advisories_are_compared_by_length_order_and_asserted_members() {
    let report = json!({"advisories": [
        {"code": "A", "rule": "n/A", "copy": {"what": "a"}},
        {"code": "B", "rule": "n/B", "copy": {}}
    ]});
    let same = [
        json!([{"code": "A"}, {"rule": "n/B"}]),
        json!([{}, {"copy": {}}]),
        json!([{"copy": {"what": "a"}}, {}]),
    ];
    for advisories in same {
        assert_eq!(differences(json!({"advisories": advisories}), report.clone()), [""; 0]);
    }
    assert_eq!(
        differences(
            json!({"advisories": [{"code": "B"}, {"copy": {"what": "b"}}]}),
            report.clone()
        ),
        [r#"advisories[0].code: "B" / "A""#, r#"advisories[1].copy.what: "b" / nothing"#]
    );
    let short = differences(json!({"advisories": [{"code": "A"}]}), report.clone());
    assert_eq!(short.len(), 1, "{short:?}");
    assert_eq!(differences(json!({"advisories": []}), report).len(), 1);
}

#[test]
fn transforms_are_compared_as_their_rules_state_them() {
    let wanted = || json!({"transforms": [{"action": "redact", "target": "content"}]});
    let got = |item: Value| json!({"transforms": [item]});
    let bare = json!({"action": "redact", "target": "content", "rule": "A", "replacement": null});
    assert_eq!(differences(wanted(), got(bare)), [""; 0]);
    let filled = json!({"action": "redact", "target": "content", "replacement": "[REDACTED]"});
    assert_eq!(differences(wanted(), got(filled)).len(), 1);
    assert_eq!(differences(wanted(), json!({"transforms": []})).len(), 1);
}

#[test]
fn skipped_transforms_and_events_are_compared_by_every_member() {
    let entry = |end: u64| json!({"rule": "A", "start": 0, "end": end, "reason": "overlap"});
    let wanted = json!({"skipped_transforms": [entry(3)]});
    assert_eq!(differences(wanted.clone(), wanted.clone()), [""; 0]);
    assert_eq!(differences(wanted, json!({"skipped_transforms": [entry(4)]})).len(), 1);
    let event = json!({"rule": "A", "anchor": "x", "effect": "warn"});
    let wanted = json!({"events": [event]});
    let more = json!({"events": [{"rule": "A", "anchor": "x", "effect": "warn", "time": 1}]});
    assert_eq!(differences(wanted.clone(), more), [""; 0]);
    let other = json!({"events": [{"rule": "A", "anchor": "y", "effect": "warn"}]});
    assert_eq!(differences(wanted, other).len(), 1);
}

#[test]
fn content_is_compared_by_code_points() {
    let composed = json!({"content": "\u{e9}"});
    assert_eq!(differences(composed.clone(), composed.clone()), [""; 0]);
    assert_eq!(differences(composed, json!({"content": "e\u{301}"})).len(), 1);
}

fn rejected(wanted: Value, error: &str, phase: Phase) -> Vec<String> {
    let fixture = sound(&fixture("a", wanted));
    told(&compare(&fixture, &Answer::Rejected { error: error.to_owned(), phase }))
}

#[test]
fn a_rejection_must_hold_the_token_and_come_at_load() {
    let wanted = || json!({"error": "OAR-DOC-9"});
    for phase in [Phase::Capability, Phase::Rules, Phase::Config] {
        assert_eq!(rejected(wanted(), "x\nOAR-DOC-9: twice", phase), [""; 0]);
    }
    for phase in [Phase::Evaluate, Phase::Input] {
        assert_eq!(rejected(wanted(), "OAR-DOC-9: twice", phase).len(), 1);
    }
    assert_eq!(
        rejected(wanted(), "OAR-DOC-8", Phase::Rules),
        [r#"error: "OAR-DOC-9" / "OAR-DOC-8\n(refused in phase `rules`)""#]
    );
}

#[test]
fn what_ran_should_not_have_been_rejected_and_the_reverse() {
    assert_eq!(
        differences(json!({"error": "x"}), json!({"decision": "block", "rule": "n/A"})),
        [r#"error: "x" / "the rules loaded and the occurrences were decided: block by n/A""#]
    );
    assert_eq!(
        rejected(json!({"decision": "none"}), "no", Phase::Rules),
        [r#"error: null / "no\n(refused in phase `rules`)""#]
    );
    // Even when nothing else is asserted.
    assert_eq!(rejected(json!({}), "no", Phase::Rules).len(), 1);
}

#[test]
fn each_occurrence_is_held_against_its_own_assertions() {
    let mut fixture = fixture("a", json!({"counters": {"A": {"fire_count": 2}}}));
    fixture["input"] = json!({"capability": capability(), "occurrences": [
        {"anchor": "tool.pre_invoke", "expected": {"counters": {"A": {"fire_count": 1}}}},
        {"anchor": "tool.pre_invoke"},
        {"anchor": "tool.pre_invoke", "expected": {"decision": "block", "counters": {}}}
    ]});
    let fixture = sound(&fixture);
    let occurrence =
        |count: u64| json!({"decision": "warn", "counters": {"A": {"fire_count": count}}});
    let answer = Answer::Report {
        report: occurrence(2),
        occurrences: vec![occurrence(1), occurrence(2), json!({"decision": "block"})],
    };
    assert_eq!(told(&compare(&fixture, &answer)), [""; 0]);
    let answer = Answer::Report {
        report: occurrence(2),
        occurrences: vec![occurrence(0), occurrence(2), occurrence(2)],
    };
    assert_eq!(
        told(&compare(&fixture, &answer)),
        [
            r#"occurrence 0: counters["A"].fire_count: 1 / 0"#,
            r#"occurrence 2: decision: "block" / "warn""#,
            r#"occurrence 2: counters: {} / {"A":{"fire_count":2}}"#
        ]
    );
}

#[test]
fn two_reports_are_alike_whatever_zero_and_nothing_are_written_as() {
    let a =
        json!({"decision": "none", "code": null, "counters": {"A": {"fire_count": 0}}, "copy": {}});
    let b = json!({"decision": "none", "counters": {}});
    assert_eq!(differing_members(&a, &b), [""; 0]);
    let c = json!({"decision": "warn", "counters": {"A": {"fire_count": 1}}});
    assert_eq!(differing_members(&a, &c), ["decision", "counters"]);
}
