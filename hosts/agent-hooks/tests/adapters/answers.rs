//! What each agent is answered, for each effect: held in `tests/snapshots/answers.txt`.
//!
//! `BLESS=1 cargo test -p oar-agent-hooks` writes it anew.

use std::fmt::Write as _;

use oar_agent_hooks::{Agent, Verdict};
use serde_json::{Value as Json, json};

use crate::{decide, guard, read, rule, shell};

fn copy(text: &str) -> Json {
    json!({"copy": {"what": text, "instead": "Do it otherwise."}})
}

/// Effect, the rule that has it, and the event.
fn cases(agent: Agent) -> Vec<(&'static str, Option<Json>, Json)> {
    let before = || shell(agent, "echo \"é\"", None);
    let after = || shell(agent, "env", Some("TOKEN=x1\né"));
    let redact = json!({"transform": {"action": "redact", "target": "content"},
        "requires": {"facts": ["tool"]}});
    let post = if agent == Agent::Cursor { "after_tool_seen" } else { "tool.post_invoke" };
    let mut cases = vec![
        ("before: none", None, before()),
        (
            "before: block",
            Some(rule("B", "tool.pre_invoke", "block", copy("It is blocked."))),
            before(),
        ),
        ("before: nudge", Some(rule("N", "tool.pre_invoke", "nudge", copy("Mind it."))), before()),
        ("before: warn", Some(rule("W", "tool.pre_invoke", "warn", copy("Look here."))), before()),
        (
            "before: transform",
            Some(rule("T", "tool.pre_invoke", "transform", redact.clone())),
            before(),
        ),
        ("after: none", None, after()),
        ("after: block", Some(rule("B", post, "block", copy("It is blocked."))), after()),
        ("after: nudge", Some(rule("N", post, "nudge", copy("Mind it."))), after()),
        ("after: warn", Some(rule("W", post, "warn", copy("Look here."))), after()),
    ];
    if agent.adapter().delivers_transform("model.tool_result") {
        let rule = rule("T", "model.tool_result", "transform", redact);
        cases.push(("after: transform", Some(rule), after()));
    }
    cases
}

#[test]
fn the_answers_are_what_they_were() {
    let mut text = String::new();
    for agent in Agent::ALL {
        writeln!(text, "# {}", agent.title()).unwrap();
        for (name, rule, event) in cases(agent) {
            let rules: Vec<Json> = rule.into_iter().collect();
            let (_, _, answer) = decide(agent, &rules, &event);
            assert_eq!((answer.exit, &*answer.stderr), (0, ""), "{agent} {name}");
            writeln!(text, "{name}\n    {}", answer.stdout).unwrap();
        }
        for event in [Some(agent.adapter().first_event()), None] {
            let answer = agent.adapter().deny(event, "the rules do not load");
            assert_eq!((answer.exit, &*answer.stderr), (0, ""), "{agent} {event:?}");
            writeln!(text, "failed at {event:?}\n    {}", answer.stdout).unwrap();
        }
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshots/answers.txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::create_dir_all(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshots")).unwrap();
        std::fs::write(path, &text).unwrap();
    }
    let wanted = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(text, wanted, "BLESS=1 writes {path} anew");
}

/// What is blocked before a call, or withheld after it, is nowhere in the answer, and a reason
/// is always there.
#[test]
fn a_block_withholds_and_has_a_reason() {
    for agent in Agent::ALL {
        let (_, verdict, answer) = decide(
            agent,
            &[rule("B", "tool.pre_invoke", "block", json!({}))],
            &shell(agent, "ls", None),
        );
        let reason = "[oar B] This rule does not let it happen.";
        assert_eq!(verdict.block.as_deref(), Some(reason), "{agent}");
        assert!(answer.stdout.contains(reason), "{agent}: {}", answer.stdout);
        if agent == Agent::Cursor {
            continue;
        }
        let rules = [
            rule("B", "model.tool_result", "block", json!({"copy": {"what": "Withheld."}})),
            rule("N", "tool.post_invoke", "nudge", json!({"copy": {"what": "Not said."}})),
        ];
        let (_, _, answer) = decide(agent, &rules, &shell(agent, "env", Some("TOKEN=x1")));
        assert!(!answer.stdout.contains("x1"), "{agent}: {}", answer.stdout);
        assert!(!answer.stdout.contains("Not said"), "{agent}: {}", answer.stdout);
        assert!(answer.stdout.contains("[oar B] Withheld."), "{agent}: {}", answer.stdout);
    }
}

/// The end of a call and the delivery of its result are one moment: the second is decided over
/// what the first left, and there is one answer.
#[test]
fn two_anchors_of_one_moment_are_answered_once() {
    let spans = json!({"kind": "detector", "detector": {"ref": "detector://token-shapes"},
        "requires": {"profiles": ["secrets"]}, "transform": {"action": "redact",
        "target": "secret_matches", "replacement": "[token]"}});
    let replace = json!({"transform": {"action": "annotate", "target": "content",
        "replacement": " (end)"}});
    let rules = [
        rule("MASK", "tool.post_invoke", "transform", spans),
        rule("TAIL", "model.tool_result", "transform", replace),
        rule(
            "TOLD",
            "model.tool_result",
            "nudge",
            json!({"requires": {"profiles": ["content"]},
            "when": "content_length > 0", "copy": {"what": "{{ content_length }} characters."}}),
        ),
    ];
    let token = format!("ghp_{}", "a1".repeat(18));
    for agent in [Agent::Claude, Agent::Codex, Agent::Gemini, Agent::Copilot, Agent::OpenCode] {
        let (_, _, answer) =
            decide(agent, &rules, &shell(agent, "env", Some(&format!("é {token}!"))));
        assert!(!answer.stdout.contains(&token), "{agent}: {}", answer.stdout);
        assert!(answer.stdout.contains("é [token]! (end)"), "{agent}: {}", answer.stdout);
    }
}

#[test]
fn an_end_of_a_turn_is_held_once() {
    let rules =
        [rule("CHECK", "agent.post_turn", "block", json!({"copy": {"what": "Run the tests."}}))];
    for agent in [Agent::Claude, Agent::Codex, Agent::Gemini, Agent::Copilot, Agent::Cursor] {
        let event = |held: bool| match agent {
            Agent::Copilot => json!({"sessionId": "s", "cwd": "/w", "stopReason": "end_turn",
                "stop_hook_active": held}),
            Agent::Cursor => json!({"session_id": "s", "hook_event_name": "stop",
                "loop_count": u8::from(held), "status": "completed"}),
            _ => json!({"session_id": "s", "cwd": "/w", "stop_hook_active": held,
                "hook_event_name": if agent == Agent::Gemini { "AfterAgent" } else { "Stop" },
                "prompt_response": "Done.", "last_assistant_message": "Done."}),
        };
        let guard = guard(agent, &rules);
        let told = |held: bool| -> Json {
            let event = read(agent, &event(held));
            let answer = agent.adapter().answer(&event, &guard.decide(&event));
            match &*answer.stdout {
                "" => json!({}),
                text => serde_json::from_str(text).unwrap(),
            }
        };
        let holds = |answer: &Json| {
            answer.get("decision").is_some() || answer.get("followup_message").is_some()
        };
        assert!(holds(&told(false)), "{agent}");
        assert!(!holds(&told(true)), "{agent}: {}", told(true));
        // Neither is it held when it is not known whether it was.
        let name = if agent == Agent::Copilot {
            "agentStop"
        } else if agent == Agent::Cursor {
            "stop"
        } else if agent == Agent::Gemini {
            "AfterAgent"
        } else {
            "Stop"
        };
        let unread = agent.adapter().deny(Some(name), "broken").stdout;
        let unread: Json = serde_json::from_str(&unread).unwrap_or(json!({}));
        assert!(!holds(&unread), "{agent}: {unread}");
    }
}

/// An answer of a transform keeps what it does not change as it was written.
#[test]
fn a_transform_keeps_order_numbers_and_shape() {
    let mask = json!({"kind": "detector", "detector": {"ref": "detector://token-shapes"},
        "requires": {"profiles": ["secrets"]},
        "transform": {"action": "redact", "target": "secret_matches", "replacement": "*"}});
    let token = format!("npm_{}", "a1".repeat(18));
    let event = format!(
        r#"{{"session_id":"s","cwd":"/w","hook_event_name":"PostToolUse","tool_name":"Read","tool_input":{{}},
        "tool_response":{{"z":1.50,"type":"text","a":{{"n":12345678901234567890,"content":"x {token}\u2028","b":[true,null,"{token}"]}},"e":""}}}}"#
    );
    let event = Agent::Claude.adapter().read(event.as_bytes()).unwrap();
    let verdict =
        guard(Agent::Claude, &[rule("M", "tool.post_invoke", "transform", mask)]).decide(&event);
    let answer = Agent::Claude.adapter().answer(&event, &verdict).stdout;
    let wanted = r#""updatedToolOutput":{"z":1.50,"type":"text","a":{"n":12345678901234567890,"content":"x *\u2028","b":[true,null,"*"]},"e":""}"#;
    assert!(answer.contains(wanted), "{answer}");
}

#[test]
fn a_picture_that_is_withheld_is_none() {
    let data = "iVBORw0KGgo".repeat(40);
    let event = json!({"session_id": "s", "cwd": "/w", "hook_event_name": "PostToolUse",
        "tool_name": "Read", "tool_input": {"file_path": "a.png"},
        "tool_response": {"type": "image", "file": {"base64": data, "type": "image/png"}}});
    let block = rule("B", "tool.post_invoke", "block", json!({}));
    let (event, _, answer) = decide(Agent::Claude, &[block], &event);
    assert_eq!(event.content.unwrap().text(), "");
    assert!(!answer.stdout.contains(&data) && answer.stdout.contains("image/png"));
}

#[test]
fn a_verdict_that_was_refused_has_a_reason() {
    for reason in ["", "  ", "x"] {
        let block = Verdict::refused(reason).block.unwrap();
        assert!(block.len() > "[oar] ".len(), "{block}");
    }
}

/// A block whose reason is empty counts for nothing, and the original would be delivered.
#[test]
fn a_transform_that_leaves_nothing_leaves_a_word() {
    let empty = json!({"transform": {"action": "replace", "target": "content", "replacement": ""}});
    for agent in [Agent::Codex, Agent::Gemini, Agent::Copilot, Agent::OpenCode] {
        let rules = [rule("T", "model.tool_result", "transform", empty.clone())];
        let (_, _, answer) = decide(agent, &rules, &shell(agent, "env", Some("TOKEN=x1")));
        assert!(answer.stdout.contains("nothing is left"), "{agent}: {}", answer.stdout);
        assert!(!answer.stdout.contains("x1"), "{agent}: {}", answer.stdout);
    }
}
