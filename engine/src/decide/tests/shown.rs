//! What an outcome and a host show of themselves: decisions and names, no facts and no content.

use serde_json::json;

use super::{rule, rules};
use crate::decide::{Decision, Host, TraceOutcome};
use crate::document::rule::CopyMember;
use crate::state::Session;

#[test]
fn debug_output_shows_no_facts_and_no_content() {
    let set = rules(vec![rule(
        "A",
        json!({"requires": {"profiles": ["tool"]}, "when": "tool == 'secret-tool'"}),
    )]);
    let host = Host::new();
    let mut occurrence = set.occurrence("tool.pre_invoke").unwrap();
    occurrence.fact("tool", "secret-tool").unwrap();
    let outcome = host.decide(&mut Session::new("s"), &occurrence);
    let shown = format!("{outcome:?}");
    assert!(shown.starts_with("Outcome {") && shown.contains("t/A:fired"), "{shown}");
    assert!(!shown.contains("secret-tool"), "{shown}");
    let shown = format!("{host:?}");
    assert!(shown.starts_with("Host {") && shown.contains("detectors"), "{shown}");
}

#[test]
fn rendered_copy_is_read_by_member() {
    let set = rules(vec![
        rule("A", json!({"copy": {"what": "said", "fix": ""}})),
        rule("B", json!({"anchor": "model.input"})),
    ]);
    let host = Host::new();
    let occurrence = set.occurrence("tool.pre_invoke").unwrap();
    let copy = host.decide(&mut Session::new("s"), &occurrence).copy();
    assert_eq!(copy.get(CopyMember::What), Some("said"));
    assert_eq!(copy.get(CopyMember::Fix), Some(""));
    assert_eq!(copy.get(CopyMember::Why), None);
    assert!(!copy.is_empty());
    assert_eq!(copy.iter().count(), 2);
    let occurrence = set.occurrence("model.input").unwrap();
    assert!(host.decide(&mut Session::new("s"), &occurrence).copy().is_empty());
}

#[test]
fn outcomes_and_decisions_are_named_as_reports_spell_them() {
    for (outcome, name) in [
        (TraceOutcome::Fired, "fired"),
        (TraceOutcome::Passed, "passed"),
        (TraceOutcome::Errored, "errored"),
        (TraceOutcome::Suppressed, "suppressed"),
        (TraceOutcome::MonitoredFired, "monitored_fired"),
        (TraceOutcome::MonitoredPassed, "monitored_passed"),
        (TraceOutcome::MonitoredErrored, "monitored_errored"),
    ] {
        assert_eq!((outcome.name(), &*outcome.to_string()), (name, name));
    }
    for (decision, name) in [
        (Decision::None, "none"),
        (Decision::Warn, "warn"),
        (Decision::Nudge, "nudge"),
        (Decision::Transform, "transform"),
        (Decision::Block, "block"),
    ] {
        assert_eq!((decision.name(), &*decision.to_string()), (name, name));
    }
}

#[test]
fn the_enforced_rules_that_fired_are_told_in_order() {
    let set = rules(vec![
        rule("B", json!({})),
        rule("A", json!({})),
        rule("C", json!({"when": "false"})),
        rule("M", json!({"enforcement": "monitor"})),
    ]);
    let host = Host::new();
    let occurrence = set.occurrence("tool.pre_invoke").unwrap();
    let mut session = Session::new("s");
    let outcome = host.decide(&mut session, &occurrence);
    assert_eq!(outcome.fired().collect::<Vec<_>>(), ["t/A", "t/B"]);
}
