//! Events through their adapters, to the decision and back.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here fails the test"
)]

mod answers;
mod facts;
mod load;
mod shared;

use oar_agent_hooks::{Agent, Answer, Event, Guard, Verdict};
use oar_engine::{Host, Source};
use serde_json::{Value as Json, json};

/// A rule with defaults.
pub(crate) fn rule(id: &str, anchor: &str, effect: &str, more: Json) -> Json {
    let mut rule = json!({"oar": "1.0", "id": id, "kind": "policy", "anchor": anchor,
        "effect": effect});
    if let (Some(rule), Json::Object(more)) = (rule.as_object_mut(), more) {
        rule.extend(more);
    }
    rule
}

pub(crate) fn guard(agent: Agent, rules: &[Json]) -> Guard {
    let source = Source::value("rules", Json::Array(rules.to_vec()));
    match oar_agent_hooks::load(agent, vec![source], Vec::new()) {
        Ok(loaded) => Guard::new(loaded.rules, Host::new()),
        Err(refused) => panic!("{agent}: {refused}"),
    }
}

pub(crate) fn read(agent: Agent, event: &Json) -> Event {
    match agent.adapter().read(event.to_string().as_bytes()) {
        Ok(event) => event,
        Err(fault) => panic!("{agent}: {fault}: {event}"),
    }
}

pub(crate) fn decide(agent: Agent, rules: &[Json], event: &Json) -> (Event, Verdict, Answer) {
    let event = read(agent, event);
    let verdict = guard(agent, rules).decide(&event);
    let answer = agent.adapter().answer(&event, &verdict);
    (event, verdict, answer)
}

/// An event before, or after, a call of the agent's shell tool.
pub(crate) fn shell(agent: Agent, line: &str, output: Option<&str>) -> Json {
    let claude = |before: &str, after: &str, response: Option<Json>| {
        let tool = if agent == Agent::Gemini { "run_shell_command" } else { "Bash" };
        let mut event = json!({"session_id": "s", "cwd": "/w", "transcript_path": null,
            "hook_event_name": before, "tool_name": tool, "tool_input": {"command": line},
            "model": "m", "permission_mode": "default", "tool_use_id": "t", "turn_id": "u",
            "timestamp": "2026-01-01T00:00:00Z"});
        if let Some(response) = response {
            event["hook_event_name"] = json!(after);
            event["tool_response"] = response;
        }
        event
    };
    match agent {
        Agent::Claude => claude(
            "PreToolUse",
            "PostToolUse",
            output.map(|text| json!({"stdout": text, "stderr": "", "interrupted": false})),
        ),
        Agent::Codex => claude("PreToolUse", "PostToolUse", output.map(|text| json!(text))),
        Agent::Gemini => claude(
            "BeforeTool",
            "AfterTool",
            output.map(|text| json!({"llmContent": text, "returnDisplay": text})),
        ),
        Agent::Copilot => {
            let mut event = json!({"sessionId": "s", "timestamp": 1, "cwd": "/w",
                "toolName": "bash", "toolArgs": {"command": line}});
            if let Some(text) = output {
                event["toolResult"] = json!({"resultType": "success", "textResultForLlm": text});
            }
            event
        }
        Agent::Cursor => {
            let mut event = json!({"conversation_id": "s", "session_id": "s",
                "hook_event_name": "preToolUse", "workspace_roots": ["/w"], "cwd": "/w",
                "tool_name": "Shell", "tool_input": {"command": line}});
            if let Some(text) = output {
                event["hook_event_name"] = json!("postToolUse");
                event["tool_output"] = json!(json!({"output": text, "exitCode": 0}).to_string());
            }
            event
        }
        Agent::Cline => {
            let mut event = json!({"clineVersion": "3", "hookName": "tool_call", "taskId": "s",
                "workspaceRoots": ["/w"], "userId": "u",
                "tool_call": {"id": "c", "name": "execute_command", "input": {"command": line}}});
            if let Some(text) = output {
                event["hookName"] = json!("tool_result");
                event["tool_result"] = event["tool_call"].take();
                event["tool_result"]["output"] = json!(text);
            }
            event
        }
        Agent::OpenCode => match output {
            None => json!({"directory": "/w", "hook": "tool.execute.before",
                "input": {"tool": "bash", "sessionID": "s", "callID": "c"},
                "output": {"args": {"command": line}}}),
            Some(text) => json!({"directory": "/w", "hook": "tool.execute.after",
                "input": {"tool": "bash", "sessionID": "s", "callID": "c", "args": {"command": line}},
                "output": {"title": line, "output": text, "metadata": {"output": text}}}),
        },
    }
}
