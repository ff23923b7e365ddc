//! The engine as a host uses it, through the public API alone.

#![expect(clippy::expect_used, reason = "a test may stop where its host is not set up")]

use oar_engine::{Decision, Host, Loader, RuleSet, Session, Source, ToolCall};
use serde_json::json;

const CAPABILITY: &str = r#"
oar_capability_version: "1.0"
host: acme
anchors:
  core: {tool.pre_invoke: before_tool, model.output: after_model}
  unsupported:
    [tool.handler, tool.post_invoke, agent.post_turn, agent.finalize, model.input, model.tool_result]
profiles: [tool]
activity_window: 2
detectors: []
expression_nodes_max: 256
supports_transform: true
"#;

const RULES: &str = r#"
oar: "1.0"
id: NO_DELETE
kind: policy
anchor: tool.pre_invoke
requires: {profiles: [tool]}
selector: {tool: [delete]}
effect: block
---
oar: "1.0"
id: WRITE_AFTER_READ
kind: policy
anchor: tool.pre_invoke
flow: [read]
requires: {profiles: [tool]}
selector: {tool: [write]}
effect: nudge
---
oar: "1.0"
id: HIDE
kind: policy
anchor: model.output
effect: transform
transform: {action: replace, target: content, replacement: hidden}
"#;

fn rules() -> RuleSet {
    let loader = Loader::new(Source::yaml("capability.yaml", CAPABILITY));
    loader.rules(Source::yaml("rules.yaml", RULES)).load().expect("the documents are sound").rules
}

/// A host in miniature ([OAR-PROF-10]): the tool runs when, and only when, nothing blocks.
fn call(
    rules: &RuleSet,
    host: &Host,
    session: &mut Session,
    tool: &str,
    ran: &mut Vec<String>,
) -> Decision {
    let arguments = json!({});
    let mut occurrence = rules.occurrence("before_tool").expect("a declared anchor");
    occurrence.tool_call(ToolCall::new(tool, arguments.as_object().expect("an object")));
    let decision = host.decide(session, &occurrence).decision();
    if decision != Decision::Block {
        ran.push(tool.to_owned());
    }
    decision
}

#[test]
fn a_host_runs_the_tool_only_when_nothing_blocks() {
    let (rules, host, mut session, mut ran) = (rules(), Host::new(), Session::new("s"), Vec::new());
    let mut call = |tool| call(&rules, &host, &mut session, tool, &mut ran);
    assert_eq!(call("write"), Decision::None);
    assert_eq!(call("delete"), Decision::Block);
    assert_eq!(call("read"), Decision::None);
    assert_eq!(call("write"), Decision::Nudge, "a read has come before");
    assert_eq!(call("other"), Decision::None);
    assert_eq!(call("write"), Decision::None, "the window of two holds write and other");
    assert_eq!(ran, ["write", "read", "write", "other", "write"]);
    assert_eq!(session.recent_activity().collect::<Vec<_>>(), ["other", "write"]);
}

/// A session that is continued may bring more steps than the window of this host holds.
#[test]
fn of_restored_steps_the_most_recent_count() {
    let (rules, host, mut ran) = (rules(), Host::new(), Vec::new());
    for (steps, decision) in
        [(["read", "a", "b"], Decision::None), (["a", "read", "b"], Decision::Nudge)]
    {
        let mut session = Session::new("s");
        session.restore_activity(steps);
        assert_eq!(call(&rules, &host, &mut session, "write", &mut ran), decision, "{steps:?}");
        assert_eq!(session.recent_activity().collect::<Vec<_>>(), ["b", "write"]);
    }
}

#[test]
fn a_transform_delivers_the_changed_content() {
    let (rules, host, mut session) = (rules(), Host::new(), Session::new("s"));
    let mut occurrence = rules.occurrence("after_model").expect("a declared anchor");
    occurrence.content("a secret");
    let outcome = host.decide(&mut session, &occurrence);
    assert_eq!((outcome.decision(), outcome.content()), (Decision::Transform, Some("hidden")));
}

#[test]
fn handles_belong_to_their_rule_set() {
    let (one, other) = (rules(), rules());
    let fact = one.fact("tool").expect("declared");
    let mut occurrence = other.occurrence("before_tool").expect("a declared anchor");
    assert!(occurrence.set(fact, "read").is_err());
    assert!(occurrence.set(other.fact("tool").expect("declared"), "read").is_ok());
    assert!(other.anchor("tool.pre_invoke").is_err(), "the local name counts");
}

/// The engine's own facts cannot be supplied ([OAR-CONF-32]).
#[test]
fn counters_and_the_anchor_cannot_be_supplied() {
    let rules = rules();
    let mut occurrence = rules.occurrence("before_tool").expect("a declared anchor");
    for name in ["anchor", "fire_count", "breaker_count", "fire_count_of", "breaker_count_of"] {
        let error = occurrence.fact(name, 1).expect_err("the engine's own");
        assert_eq!(
            error.to_string(),
            format!("`{name}` is observed by the engine and cannot be supplied")
        );
    }
}

/// A capability document may list a detector that nobody registered ([OAR-OPS-12]).
#[test]
fn detectors_that_nobody_registered_are_told_at_the_start() {
    use oar_engine::load::CapabilityBuilder;
    use oar_engine::observe::NoopDetector;
    let rule = |id: &str, detector: &str, enforcement: &str| {
        format!(
            r#"{{"oar": "1.0", "id": "{id}", "kind": "detector", "anchor": "model.output",
            "effect": "warn", "detector": {{"ref": "detector://{detector}"}}, "enforcement": "{enforcement}"}}"#
        )
    };
    let rules = [
        rule("A", "two", "enforce"),
        rule("B", "one", "monitor"),
        rule("C", "two", "enforce"),
        rule("D", "off", "off"),
        rule("E", "noop", "enforce"),
    ];
    let capability = ["two", "one", "off", "noop", "unused"].into_iter().fold(
        CapabilityBuilder::new("acme").core_anchor("model.output", "output"),
        |capability, name| capability.detector(format!("detector://{name}")),
    );
    let loader = Loader::new(capability.source());
    let loader = loader.rules(Source::json("rules.json", format!("[{}]", rules.join(","))));
    let rules = loader.load().expect("it loads").rules;
    assert_eq!(rules.detectors(), ["detector://noop", "detector://one", "detector://two"]);
    let host = Host::new();
    assert_eq!(host.unregistered(&rules), ["detector://one", "detector://two"]);
    let host =
        host.detector("detector://one", NoopDetector).detector("detector://two", NoopDetector);
    assert_eq!(host.unregistered(&rules), [""; 0]);
}
