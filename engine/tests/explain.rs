//! `Host::explain`: why each rule did what it did, and that deciding is not changed by asking.
#![expect(clippy::expect_used, clippy::panic, reason = "what fails here fails the test")]

use oar_engine::decide::{RuleExplanation, TraceOutcome};
use oar_engine::{Host, Loader, Session, Source, ToolCall};

const CAPABILITY: &str = r#"
oar_capability_version: "1.0"
host: acme
anchors:
  core: {tool.pre_invoke: call.before, model.output: model.output}
  unsupported: [tool.handler, tool.post_invoke, agent.post_turn, agent.finalize, model.input,
                model.tool_result]
profiles: [tool]
activity_window: 3
detectors: ["detector://error"]
expression_nodes_max: 256
supports_transform: false"#;

/// Rules in short: each line is an id and what follows.
fn rules(lines: &str) -> String {
    let rule = |line: &str| {
        let (id, rest) = line.trim().split_once(' ').expect("an id");
        let anchor = if rest.contains("anchor") { "" } else { "anchor: tool.pre_invoke, " };
        let effect = if rest.contains("effect") { "" } else { "effect: warn, " };
        let kind = if rest.contains("kind") { "" } else { "kind: policy, " };
        format!(
            "{{oar: '1.0', id: {id}, {kind}{anchor}{effect}requires: {{profiles: [tool]}}, {rest}}}\n"
        )
    };
    lines.lines().filter(|line| !line.trim().is_empty()).map(rule).collect::<Vec<_>>().join("---\n")
}

/// What is told of each rule at a call of `shell`, and the trace of the decision.
fn told(lines: &str, say: impl Fn(&RuleExplanation<'_>) -> String) -> (Vec<String>, Vec<String>) {
    let loader = Loader::new(Source::yaml("capability.yaml", CAPABILITY))
        .rules(Source::yaml("rules.yaml", rules(lines)));
    let loaded = loader.load().unwrap_or_else(|error| panic!("{error}")).rules;
    let texts = loader.texts();
    let arguments = serde_json::Map::from_iter([("command".into(), "rm -rf /".into())]);
    let mut occurrence = loaded.occurrence("call.before").expect("declared");
    occurrence.tool_call(ToolCall::new("shell", &arguments)).recent_activity(["x", "a", "b", "c"]);
    let (mut said, mut trace) = (Vec::new(), Vec::new());
    let host = Host::new();
    host.explain(&mut Session::new("s"), &occurrence, &texts, |outcome, rules| {
        said = rules.iter().map(&say).collect();
        trace = outcome.trace().map(|entry| entry.to_string()).collect();
    });
    let plain = Host::new();
    let mut session = Session::new("s");
    let plain = plain.decide(&mut session, &occurrence);
    assert_eq!(trace, plain.trace().map(|entry| entry.to_string()).collect::<Vec<_>>());
    (said, trace)
}

fn end(rule: &RuleExplanation<'_>) -> String {
    format!("{} {:?}", rule.rule.id(), rule.end)
}

#[test]
fn every_rule_has_an_end() {
    let (ends, _) = told(
        "A when: tool == 'shell', overrides: [B]
         B when: 'true'
         C effect: block
         D when: 'true'
         E selector: {tool: [read]}
         F enforcement: off
         G anchor: model.output
         H kind: schema, when: 'false'",
        end,
    );
    assert_eq!(
        ends,
        [
            "H Traced(Passed)",
            "A Traced(Fired)",
            "B Suppressed { by: \"A\" }",
            "C Traced(Fired)",
            "D NotReached { after: \"C\" }",
            "E NotSelected",
            "F Off",
            "G OtherAnchor",
        ]
    );
}

#[test]
fn the_order_shows_who_was_moved() {
    let (places, _) = told(
        "B when: 'true'
         Z overrides: [B]",
        |rule| format!("{} {:?} {:?}", rule.rule.id(), rule.places, rule.overrides),
    );
    assert_eq!(places, ["Z Some((0, 1)) [\"B\"]", "B Some((1, 0)) []"]);
}

#[test]
fn selectors_flows_and_failures_are_told() {
    let (said, trace) = told(
        "A selector: {tool: [read, write]}
         B 'flow': [a, c]
         C 'flow': [b, a, c]
         D when: tool_arg_int('command') / 0 == 1, on_error: fail_open
         E kind: detector, detector: {ref: 'detector://error'}, on_error: B, when: 'true'",
        |rule| {
            let clauses = rule.selector.iter();
            let clauses: Vec<String> = clauses
                .map(|c| format!("{} {:?} {}", c.fact, c.wanted, c.value.clone().unwrap()))
                .collect();
            let flow = rule.flow.as_ref().map(|flow| format!("{:?} {:?}", flow.steps, flow.window));
            let failure = rule.failure.map(ToString::to_string);
            let condition = rule.condition.is_some();
            format!(
                "{} {clauses:?} {flow:?} {failure:?} {} {condition}",
                rule.rule.id(),
                rule.on_error
            )
        },
    );
    assert_eq!(
        said,
        [
            r#"B [] Some("[(\"a\", Some(0)), (\"c\", Some(2))] [\"a\", \"b\", \"c\"]") None fail_closed false"#,
            r#"C [] Some("[(\"b\", Some(1)), (\"a\", None), (\"c\", None)] [\"a\", \"b\", \"c\"]") None fail_closed false"#,
            r#"D [] None Some("division by zero") fail_open true"#,
            r#"E [] None Some("`detector://error` failed: the reserved detector `detector://error` always fails") B false"#,
            r#"A ["tool [\"read\", \"write\"] \"shell\""] None None fail_closed false"#,
        ]
    );
    assert_eq!(trace, ["B:fired", "C:passed", "D:errored", "E:errored"]);
}

#[test]
fn conditions_come_to_what_the_trace_says() {
    let (said, trace) = told(
        r#"A when: "tool == 'shell' && contains(tool_arg_string('command'), 'rm')"
         B when: "fire_count > 0 || fire_count_of('A') > 0", on_fire: [increment_counter]
         C when: tool == 'x'"#,
        |rule| {
            let condition = rule.condition.as_ref().expect("evaluated");
            format!("{} {:?} {}", rule.rule.id(), condition.explanation.result(), condition.text)
        },
    );
    assert_eq!(
        said,
        [
            "A Ok(true) tool == 'shell' && contains(tool_arg_string('command'), 'rm')",
            "B Ok(false) fire_count > 0 || fire_count_of('A') > 0",
            "C Ok(false) tool == 'x'",
        ]
    );
    assert_eq!(trace, ["A:fired", "B:passed", "C:passed"]);
    assert_eq!(TraceOutcome::Fired.name(), "fired");
}
