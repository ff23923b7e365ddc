//! Copilot CLI: two spellings of the same event, by how its name is written in the configuration.
//!
//! A warning has no way to the person and goes to the log alone; so does a nudge before a call.

use oar_engine::document::source::{Node, Object};

use crate::json::{self, Members, Out};
use crate::{Adapter, Agent, Answer, Event, Fault, Stage, Verdict};

use super::{content, directory, transformed, transformed_text, unpacked, user};

/// The adapter of Copilot CLI.
#[derive(Clone, Copy, Debug)]
pub struct Copilot;

/// A member in whichever spelling is there.
fn either<'o>(object: &'o Object, camel: &str, snake: &str) -> Option<&'o Node> {
    object.get(camel).or_else(|| object.get(snake))
}

fn text(object: &Object, camel: &str, snake: &str) -> String {
    either(object, camel, snake).and_then(Node::as_str).unwrap_or_default().to_owned()
}

/// The camel-case spelling does not tell the event: its members do.
fn event_of(object: &Object) -> &'static str {
    let has = |camel: &str, snake: &str| either(object, camel, snake).is_some();
    if has("toolResult", "tool_result") {
        "postToolUse"
    } else if has("toolName", "tool_name") {
        if has("error", "error") { "postToolUseFailure" } else { "preToolUse" }
    } else if has("agentName", "agent_name") || has("agentId", "agent_id") {
        "subagentStop"
    } else if has("stopReason", "stop_reason") {
        "agentStop"
    } else if has("prompt", "prompt") {
        "userPromptSubmitted"
    } else {
        "sessionStart"
    }
}

impl Adapter for Copilot {
    fn agent(&self) -> Agent {
        Agent::Copilot
    }

    fn capability(&self) -> &'static str {
        concat!(include_str!("copilot.yaml"), include_str!("facts.yaml"))
    }

    fn first_event(&self) -> &'static str {
        "preToolUse"
    }

    fn stage(&self, event: &str) -> Stage {
        match event {
            "preToolUse" | "PreToolUse" => Stage::BeforeTool,
            "postToolUse" | "PostToolUse" => Stage::AfterTool,
            "agentStop" | "Stop" => Stage::Stop,
            "subagentStop" | "SubagentStop" => Stage::SubagentStop,
            "permissionRequest" | "PermissionRequest" => Stage::Permission,
            _ => Stage::Other,
        }
    }

    fn delivers_transform(&self, core_anchor: &str) -> bool {
        matches!(
            core_anchor,
            "tool.pre_invoke" | "tool.post_invoke" | "model.tool_result" | "agent.finalize"
        )
    }

    fn read(&self, bytes: &[u8]) -> Result<Event, Fault> {
        let object = json::event(bytes)?;
        let named = object.text_or_empty("hook_event_name")?;
        let name = if named.is_empty() { event_of(&object) } else { named };
        let stage = self.stage(name);
        let mut event = Event::new(Agent::Copilot, name, stage);
        event.alternative = !named.is_empty();
        event.session = text(&object, "sessionId", "session_id");
        if event.session.is_empty() {
            return Err(Fault::member("sessionId", "a text"));
        }
        event.cwd = directory(object.text_or_empty("cwd")?);
        event.subagent = text(&object, "agentType", "agent_type");
        event.principal = user();
        event.held = object.flag("stop_hook_active")?;
        if matches!(stage, Stage::BeforeTool | Stage::AfterTool | Stage::Permission) {
            let tool = either(&object, "toolName", "tool_name").and_then(Node::as_str);
            let tool = tool.ok_or_else(|| Fault::member("toolName", "a text"))?;
            let input = either(&object, "toolArgs", "tool_input").or(object.get("toolInput"));
            let input = input.ok_or_else(|| Fault::member("toolArgs", "an object"))?;
            let input = unpacked(input, "toolArgs")?;
            if stage != Stage::AfterTool {
                let node = Node::new(
                    oar_expr::Span::new(0, 0),
                    oar_engine::document::source::Value::Object(input.clone()),
                );
                event.content = Some(crate::Content::of(node));
            }
            event.call = Some(super::call(Agent::Copilot, tool, &input, None));
        }
        match stage {
            Stage::AfterTool => {
                let result = either(&object, "toolResult", "tool_result");
                let result = result.and_then(Node::as_object);
                let result = result.ok_or_else(|| Fault::member("toolResult", "an object"))?;
                event.content = ["textResultForLlm", "text_result_for_llm"]
                    .iter()
                    .find_map(|name| content(result, name));
            }
            Stage::SubagentStop => {
                event.content = ["response", "last_assistant_message"]
                    .iter()
                    .find_map(|name| content(&object, name));
            }
            _ => {}
        }
        Ok(event)
    }

    fn answer(&self, event: &Event, verdict: &Verdict) -> Answer {
        let result = |text: String, kind: &str| {
            let result = Out::object().with("resultType", kind).with("textResultForLlm", text);
            Out::object().with("modifiedResult", result)
        };
        let changed = verdict.content.as_deref();
        let out = match (&verdict.block, event.stage) {
            (Some(reason), Stage::BeforeTool) => Out::object()
                .with("permissionDecision", "deny")
                .with("permissionDecisionReason", reason.as_str()),
            (Some(reason), Stage::AfterTool) => result(reason.clone(), "success"),
            (Some(reason), Stage::Permission) => {
                Out::object().with("behavior", "deny").with("message", reason.as_str())
            }
            (Some(reason), Stage::Stop | Stage::SubagentStop) if !event.held => {
                Out::object().with("decision", "block").with("reason", reason.as_str())
            }
            (Some(_), _) => Out::object(),
            (None, Stage::BeforeTool) => {
                Out::object().maybe("modifiedArgs", transformed(event, verdict))
            }
            (None, Stage::AfterTool) => {
                let out = match changed {
                    Some(parts) => result(transformed_text(parts), "success"),
                    None => Out::object(),
                };
                out.maybe("additionalContext", verdict.nudge())
            }
            (None, Stage::SubagentStop) => {
                Out::object().maybe("modifiedResponse", changed.map(transformed_text))
            }
            (None, _) => Out::object(),
        };
        Answer::json(out)
    }
}
