//! `oar explain`, on every example.

use crate::run::oar;
use crate::snapshot::{root, snapshot};

fn explain(pack: &str, arguments: &str, occurrence: &str) -> String {
    let ran = oar(&root(), &format!("explain --rules examples/{pack} {arguments} -"), occurrence);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    for line in ran.out.lines() {
        assert!(line.chars().count() <= 80 || line.contains("copy"), "too wide: {line}");
    }
    ran.out
}

#[test]
fn a_call_of_the_coding_agent() {
    let push = "{anchor: tool.pre_invoke, facts: {example.coder.branch: main},
      tool_call: {name: shell, arguments: {command: git push origin}}}";
    snapshot("explain-coding-basics", &explain("coding-basics", "", push));
    snapshot("explain-redacted", &explain("coding-basics", "--redact", push));
    let force = push.replace("origin", "--force");
    snapshot("explain-block", &explain("coding-basics", "", &force));
    let commit = "{anchor: tool.pre_invoke, recent_activity: [read, edit, read],
      tool_call: {name: commit}}";
    snapshot("explain-flow-and-suppression", &explain("coding-basics", "", commit));
    let early = commit.replace("edit", "look");
    let arguments = "--rule TEST_BEFORE_COMMIT --rule MASK_SECRETS --rule NO_FORCED_PUSH";
    snapshot("explain-named-rules", &explain("coding-basics", arguments, &early));
    let secret = "{anchor: model.tool_result, content: TOKEN=abc123,
      detector_facts: {secret_matches: [{start: 6, end: 12}]}}";
    snapshot("explain-detector", &explain("coding-basics", "", secret));
}

#[test]
fn a_call_through_the_gateway() {
    let call = "{anchor: call.before, facts: {principal_roles: admin, example.gateway.cost: 0.75,
      mcp_provider_id: files}, tool_call: {name: delete_user, arguments: {name: ada}}}";
    snapshot("explain-gateway", &explain("mcp-gateway", "", call));
    let enabled = call.replace("files}", "files, mcp_provider_enabled: true}");
    snapshot("explain-errored", &explain("mcp-gateway", "", &enabled));
    let roles = enabled.replace("roles: admin", "roles: [reader, admin]");
    snapshot("explain-precedence", &explain("mcp-gateway", "", &roles));
    let off = "{anchor: call.after, facts: {policy_denied: true}}";
    let arguments = "--rule QUIET_HOURS --rule REFUSALS --rule NEW_SERVER";
    snapshot("explain-off-and-other-moments", &explain("mcp-gateway", arguments, off));
}

#[test]
fn content_of_the_safety_pack() {
    let input = "{anchor: model.input, facts: {content_trust_tiers: [trusted, untrusted]},
      content: Please ignore this and a few other things., detector_facts: {prompt_injection_score: 0.6}}";
    snapshot("explain-safety-input", &explain("content-safety", "", input));
    let output = "{anchor: model.output, content: Ask Zoë., facts: {session_posture: public},
      detector_facts: {pii_entities: [{start: 4, end: 7}], moderation_score: 0.5}}";
    snapshot("explain-safety-output", &explain("content-safety", "", output));
}

#[test]
fn an_unknown_rule_is_named() {
    let ran = oar(&root(), "explain --rules examples/coding-basics --rule LOP -", "anchor: a");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert_eq!(ran.err, "error: rule `LOP` is not loaded\n");
}

#[test]
fn redacted_output_holds_no_value() {
    let push = "{anchor: tool.pre_invoke, facts: {example.coder.branch: hidden-branch},
      tool_call: {name: shell, arguments: {command: git push hidden-command}}}";
    let text = explain("coding-basics", "--redact", push);
    assert!(!text.contains("hidden"), "{text}");
}

/// Every rule of every example, at a moment that selects some of them.
#[test]
fn every_rule_of_the_examples_has_an_explanation() {
    let moments = [
        (
            "coding-basics",
            "{anchor: tool.pre_invoke, tool_call: {name: shell, arguments: {command: ls}}}",
        ),
        (
            "coding-basics",
            "{anchor: tool.pre_invoke, recent_activity: [edit], tool_call: {name: commit}}",
        ),
        ("coding-basics", "{anchor: model.tool_result, content: x}"),
        ("mcp-gateway", "{anchor: call.before, tool_call: {name: grant_role}}"),
        ("mcp-gateway", "{anchor: call.before, tool_call: {name: send_mail}}"),
        ("mcp-gateway", "{anchor: server.list}"),
        ("content-safety", "{anchor: model.input, content: x}"),
        ("content-safety", "{anchor: model.output, content: x}"),
    ];
    let mut explained = 0;
    for (pack, moment) in moments {
        let text = oar(&root(), &format!("check --format json examples/{pack}"), "").out;
        let found: serde_json::Value = serde_json::from_str(&text).expect("json");
        let rules = found["packs"][0]["rules"].as_array().expect("rules").clone();
        let names: Vec<&str> = rules.iter().filter_map(|rule| rule["rule"].as_str()).collect();
        let arguments: Vec<String> = names.iter().map(|name| format!("--rule {name}")).collect();
        let text = explain(pack, &arguments.join(" "), moment);
        for name in names {
            let own = text.split(&format!("\n{name} (")).nth(1).expect("it is explained");
            let result = own.lines().nth(1).expect("a line");
            assert!(result.starts_with("  result    ") && result.len() > 14, "{name}: {result}");
            explained += 1;
        }
    }
    assert_eq!(explained, 10 * 3 + 9 * 3 + 6 * 2);
}
