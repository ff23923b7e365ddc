//! Every path of [OAR-FIRE-9] in the middle of an occurrence: what cannot be read or applied
//! makes its rule errored, `on_error` decides, and nothing is half applied.

use std::time::Duration;

use oar_engine::testing::{Fault, FaultyStore, Operation};
use oar_engine::{Host, Loader, RuleSet, Session, Source, ToolCall};
use serde_json::{Value as Json, json};

use crate::contract::{key, read};

fn capability(window: u64) -> Source {
    Source::value(
        "capability",
        json!({"oar_capability_version": "1.0", "host": "acme",
            "anchors": {"core": {"tool.pre_invoke": "tool.pre_invoke"},
                "unsupported": ["tool.handler", "tool.post_invoke", "agent.post_turn",
                    "agent.finalize", "model.input", "model.output", "model.tool_result"]},
            "profiles": ["tool"], "activity_window": window, "detectors": [],
            "expression_nodes_max": 256, "supports_transform": false}),
    )
}

pub(crate) fn rules(rules: Json) -> RuleSet {
    Loader::new(capability(4)).rules(Source::value("rules", rules)).load().unwrap().rules
}

pub(crate) fn rule(id: &str, more: Json) -> Json {
    let mut rule = json!({"oar": "1.0", "namespace": "t", "id": id, "kind": "policy",
        "anchor": "tool.pre_invoke", "effect": "warn", "requires": {"profiles": ["tool"]}});
    if let (Some(rule), Json::Object(more)) = (rule.as_object_mut(), more) {
        rule.extend(more);
    }
    rule
}

pub(crate) fn decide(
    host: &Host,
    rules: &RuleSet,
    session: &mut Session,
    tool: &str,
) -> (String, Vec<String>) {
    let arguments = serde_json::Map::new();
    let mut occurrence = rules.occurrence("tool.pre_invoke").unwrap();
    occurrence.tool_call(ToolCall::new(tool, &arguments));
    let outcome = host.decide(session, &occurrence);
    let trace = outcome.trace().map(|entry| entry.to_string()).collect();
    (outcome.decision().name().to_owned(), trace)
}

const FAULTS: [Fault; 3] = [Fault::Fails, Fault::Late(Duration::from_millis(5)), Fault::Panics];

/// Three rules act; the second cannot. What the first did stays, and the third acts only where
/// `on_error` lets the occurrence go on.
#[test]
fn an_action_that_cannot_be_applied_in_the_middle_of_an_occurrence() {
    let on_fire = json!(["increment_counter", "publish_event", "increment_breaker"]);
    for operation in [Operation::Apply, Operation::Publish] {
        for fault in FAULTS {
            for (on_error, decision, third) in
                [("fail_open", "warn", 1), ("fail_closed", "block", 0)]
            {
                let rules = rules(json!([
                    rule("A", json!({"on_fire": on_fire})),
                    rule("B", json!({"on_fire": on_fire, "on_error": on_error})),
                    rule("C", json!({"on_fire": on_fire})),
                ]));
                let store = FaultyStore::new();
                store.at(operation, 2, fault);
                let host = Host::new().store(store.clone()).events(store.clone());
                let (decided, trace) = decide(&host, &rules, &mut Session::new("s"), "write");
                let told = format!("{operation:?} {fault:?} {on_error}");
                assert_eq!(decided, decision, "{told}");
                assert_eq!(trace[..2], ["t/A:fired", "t/B:errored"], "{told}");
                assert_eq!(trace.len(), 2 + third, "{told}");
                let counters =
                    ["t/A", "t/B", "t/C"].map(|id| read(store.memory(), "s", key(id, None)));
                let third = third as i64;
                assert_eq!(counters, [(1, 1), (0, 0), (third, third)], "{told}");
                let published: &[&str] = if third == 1 { &["t/A", "t/C"] } else { &["t/A"] };
                assert_eq!(store.published(), published, "{told}");
            }
        }
    }
}

/// A snapshot that cannot be read fails the rules that consume a counter, and no others.
#[test]
fn a_snapshot_that_cannot_be_read() {
    for fault in FAULTS {
        for (on_error, decision, trace) in [
            ("fail_open", "warn", &["t/A:fired", "t/B:errored", "t/C:fired"][..]),
            ("fail_closed", "block", &["t/A:fired", "t/B:errored"]),
        ] {
            let rules = rules(json!([
                rule("A", json!({})),
                rule(
                    "B",
                    json!({"when": "fire_count >= 0", "on_error": on_error,
                    "on_fire": ["increment_counter"]})
                ),
                rule("C", json!({})),
            ]));
            let store = FaultyStore::new();
            store.always(Operation::Read, fault);
            let host = Host::new().store(store.clone());
            let found = decide(&host, &rules, &mut Session::new("s"), "write");
            assert_eq!(
                (found.0.as_str(), found.1.as_slice()),
                (decision, &trace.iter().map(|entry| (*entry).to_owned()).collect::<Vec<_>>()[..])
            );
            assert_eq!(store.asked(Operation::Read), 1, "it is read once an occurrence");
            assert_eq!(store.asked(Operation::Apply), 0);
            store.heal();
            let healed = decide(&host, &rules, &mut Session::new("s"), "write");
            assert_eq!(healed.1, ["t/A:fired", "t/B:fired", "t/C:fired"]);
        }
    }
}

/// Activity that cannot be read fails the rules with a flow, and no others.
#[test]
fn activity_that_cannot_be_read() {
    let rules = rules(json!([
        rule("A", json!({})),
        rule("B", json!({"flow": ["read"], "effect": "block", "on_error": "fail_closed"})),
    ]));
    for fault in FAULTS {
        let store = FaultyStore::new();
        let host = Host::new().store(store.clone());
        let mut session = Session::new("s");
        assert_eq!(decide(&host, &rules, &mut session, "write").1, ["t/A:fired", "t/B:passed"]);
        store.always(Operation::Recent, fault);
        let (decision, trace) = decide(&host, &rules, &mut session, "write");
        assert_eq!((decision.as_str(), trace[1].as_str()), ("block", "t/B:errored"));
    }
}

/// A step that the store refuses is not lost: it counts in this session at once, and in the
/// store as soon as that can be written.
#[test]
fn a_step_that_cannot_be_appended() {
    let rules = rules(json!([rule(
        "B",
        json!({"flow": ["read"], "effect": "block",
        "on_error": "fail_open", "selector": {"tool": ["send"]}})
    )]));
    let store = FaultyStore::new();
    let host = Host::new().store(store.clone());
    let (mut session, mut elsewhere) = (Session::new("s"), Session::new("s"));
    store.always(Operation::Admit, Fault::Panics);
    decide(&host, &rules, &mut session, "read");
    assert_eq!(session.unrecorded_steps().collect::<Vec<_>>(), ["read"]);
    assert_eq!(decide(&host, &rules, &mut session, "send").0, "block");
    assert_eq!(decide(&host, &rules, &mut elsewhere, "other").0, "none");
    store.heal();
    decide(&host, &rules, &mut session, "list");
    assert_eq!(session.unrecorded_steps().len(), 0);
    assert_eq!(decide(&host, &rules, &mut elsewhere, "send").0, "block");
}
