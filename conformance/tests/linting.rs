//! What the lint finds in a corpus, and what it lets pass.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "this is test code"
)]

mod common;

use common::{capability, corpus, fixture};
use oar_conformance::fixture::{Manifest, ManifestEntry};
use oar_conformance::in_process::InProcess;
use oar_conformance::lint::lint;
use serde_json::{Value, json};

fn findings(fixtures: &[Value]) -> Vec<String> {
    let found = lint(&corpus(fixtures), None, &mut InProcess);
    found.iter().map(ToString::to_string).collect()
}

fn with(change: impl FnOnce(&mut Value)) -> Value {
    let mut value = fixture("a", json!({"decision": "block"}));
    change(&mut value);
    value
}

#[test]
fn a_sound_fixture_has_no_finding() {
    assert_eq!(findings(&[with(|_| {})]), [""; 0]);
}

#[test]
fn clauses_must_exist_and_be_in_force() {
    let fixture =
        with(|f| f["covers"] = json!(["OAR-EVAL-4", "OAR-EVAL-99", "OAR-CONF-27", "OAR-EVAL-4"]));
    assert_eq!(
        findings(&[fixture]),
        [
            "a: OAR-CONF-17: there is no clause `OAR-EVAL-99`",
            "a: OAR-CONF-17: `OAR-CONF-27` is retired",
            "a: OAR-CONF-17: `OAR-EVAL-4` is covered twice"
        ]
    );
}

#[test]
fn an_expected_error_is_one_token() {
    let rejected = |error: &str| {
        with(|f| {
            f["rules"][0]["effect"] = json!("deny");
            f["expected"] = json!({"error": error});
        })
    };
    for token in ["effect", "OAR-DOC-11", "list<map>", "n/RULE"] {
        assert_eq!(findings(&[rejected(token)]), [""; 0], "{token}");
    }
    for phrase in ["no effect", "`", "a\n"] {
        let finding = format!("a: OAR-CONF-30: the expected error `{phrase}` is no single token");
        assert_eq!(findings(&[rejected(phrase)]), [finding]);
    }
    assert_eq!(
        findings(&[rejected("OAR-DOC-")]),
        ["a: OAR-CONF-30: the expected error `OAR-DOC-` is no clause"]
    );
}

#[test]
fn a_fixture_asserts_something() {
    assert_eq!(findings(&[with(|f| f["expected"] = json!({}))]), ["a: empty: it asserts nothing"]);
    let of_occurrence = with(|f| {
        f["expected"] = json!({});
        f["input"] = json!({"capability": capability(), "occurrences": [
            {"anchor": "tool.pre_invoke", "expected": {"decision": "block"}}
        ]});
    });
    assert_eq!(findings(&[of_occurrence]), [""; 0]);
}

#[test]
fn counters_are_neither_supplied_nor_out_of_reach() {
    let counting = |occurrences: usize, expected: Value| {
        with(|f| {
            f["rules"][0]["effect"] = json!("warn");
            f["rules"][0]["namespace"] = json!("n");
            f["rules"][0]["on_fire"] = json!(["increment_counter", "increment_counter"]);
            let moment = json!({"anchor": "tool.pre_invoke"});
            f["input"] =
                json!({"capability": capability(), "occurrences": vec![moment; occurrences]});
            f["expected"] = json!({"counters": expected});
        })
    };
    assert_eq!(findings(&[counting(2, json!({"n/A": {"fire_count": 4}}))]), [""; 0]);
    assert_eq!(
        findings(&[counting(1, json!({"n/A": {"fire_count": 4, "breaker_count": 1}}))]),
        [
            "a: OAR-CONF-32: `n/A` cannot come to a `fire_count` of 4: 2 at most",
            "a: OAR-CONF-32: `n/A` cannot come to a `breaker_count` of 1: 0 at most"
        ]
    );
    assert_eq!(
        findings(&[counting(1, json!({"A": {"fire_count": 1}}))]),
        ["a: OAR-CONF-32: `A` cannot come to a `fire_count` of 1: 0 at most"]
    );
    for name in ["fire_count", "breaker_count", "fire_count_of", "breaker_count_of", "anchor"] {
        let supplied = with(|f| f["input"]["facts"] = json!({(name): 1}));
        let finding = format!("a: OAR-CONF-32: it supplies `{name}`, which is the engine's own");
        assert_eq!(findings(&[supplied]), [finding]);
    }
}

#[test]
fn host_anchors_and_host_facts_need_to_be_the_subject_and_declared() {
    let hosted = |covers: &str| {
        with(|f| {
            f["covers"] = json!([covers]);
            let capability = &mut f["input"]["capability"];
            capability["host_facts"] = json!([{"name": "oar.testhost.calm", "type": "bool"}]);
            capability["anchors"]["host"] = json!(["gateway.render"]);
            f["rules"][0]["requires"] = json!({"facts": ["oar.testhost.calm"]});
            f["rules"][0]["when"] = json!("!oar.testhost.calm");
            f["rules"][0]["anchor"] = json!("gateway.render");
            f["input"]["anchor"] = json!("gateway.render");
        })
    };
    assert_eq!(findings(&[hosted("OAR-PROF-5")]), [""; 0]);
    assert_eq!(
        findings(&[hosted("OAR-EVAL-4")]),
        [
            "a: OAR-CONF-23: it declares anchors of the host, and covers no clause about them",
            "a: OAR-CONF-23: it declares facts of the host, and covers no clause about them"
        ]
    );
    let undeclared = with(|f| f["rules"][0]["anchor"] = json!("gateway.render"));
    assert_eq!(
        findings(&[undeclared]),
        ["a: OAR-CONF-23: the anchor `gateway.render` is neither core nor declared"]
    );
}

#[test]
fn a_host_that_spells_an_anchor_its_own_way_is_asked_so() {
    let mapped = |core: &str, anchor: &str| {
        with(|f| {
            let anchors = &mut f["input"]["capability"]["anchors"];
            anchors["core"] = json!({"tool.pre_invoke": "tool.pre_invoke"});
            anchors["core"][core] = json!("gateway.call");
            let unsupported = anchors["unsupported"].as_array_mut().unwrap();
            unsupported.retain(|name| name != core);
            f["rules"][0]["anchor"] = json!(core);
            f["input"]["anchor"] = json!(anchor);
        })
    };
    assert_eq!(findings(&[mapped("tool.pre_invoke", "gateway.call")]), [""; 0]);
    assert_eq!(
        findings(&[mapped("model.output", "tool.pre_invoke")]),
        ["a: OAR-CONF-29: no occurrence is at an anchor that the host spells its own way"]
    );
}

#[test]
fn a_declaration_without_influence_is_reported() {
    let claims = with(|f| {
        let capability = &mut f["input"]["capability"];
        capability["profiles"] = json!(["tool", "session"]);
        capability["detectors"] = json!(["detector://noop"]);
        capability["activity_window"] = json!(4);
        capability["expression_nodes_max"] = json!(300);
        capability["supports_transform"] = json!(true);
        f["rules"][0]["requires"] = json!({"profiles": ["tool"]});
    });
    assert_eq!(
        findings(&[claims]),
        [
            "a: OAR-CONF-36: the profile `session` makes no difference",
            "a: OAR-CONF-36: the detector `detector://noop` makes no difference",
            "a: OAR-CONF-36: `activity_window` makes no difference",
            "a: OAR-CONF-36: `expression_nodes_max` makes no difference",
            "a: OAR-CONF-36: `supports_transform` makes no difference"
        ]
    );
}

#[test]
fn two_fixtures_that_ask_and_expect_the_same_are_one() {
    let named = |id: &str, decision: &str| fixture(id, json!({"decision": decision}));
    assert_eq!(
        findings(&[named("a", "block"), named("b", "block"), named("c", "none")]),
        ["b: duplicate: it asks and expects the same as `a`"]
    );
}

#[test]
fn what_is_no_fixture_is_a_finding() {
    assert_eq!(
        findings(&[with(|f| f["expected"]["verdict"] = json!(1))]),
        ["a: OAR-CONF-22: `expected` has the unknown member `verdict`"]
    );
}

#[test]
fn a_manifest_says_what_the_fixtures_say() {
    let entry = |id: &str, baseline: bool| ManifestEntry {
        id: id.to_owned(),
        file: format!("{id}.json"),
        title: Some(format!("about {id}")),
        covers: vec!["OAR-EVAL-4".to_owned()],
        baseline,
    };
    let sound = ["a", "b"].map(|id| fixture(id, json!({"decision": "block"})));
    let check = |entries: Vec<ManifestEntry>| -> Vec<String> {
        let manifest = Manifest { entries };
        oar_conformance::manifest::differences(&manifest, &corpus(&sound))
    };
    assert_eq!(check(vec![entry("a", true), entry("b", true)]), [""; 0]);
    let mut renamed = entry("a", false);
    renamed.file = "x.json".to_owned();
    renamed.title = None;
    renamed.covers.clear();
    assert_eq!(
        check(vec![renamed, entry("c", true), entry("c", true)]),
        [
            "`a` is listed under the file `x.json`",
            "`a` is listed with another title",
            "`a` is listed with other clauses",
            "`a` is listed with `baseline` false, and it is true",
            "`b` is not listed",
            "`c` is listed and does not exist",
            "`c` is listed and does not exist",
            "`c` is listed twice"
        ]
    );
}
