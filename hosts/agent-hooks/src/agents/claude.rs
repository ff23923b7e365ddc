//! Claude Code: JSON on standard output, exit code 0.
//!
//! Never `permissionDecision: allow`, which would skip the person's prompt. A result is
//! withheld by `updatedToolOutput` in the tool's own shape: `decision: block` alone would only
//! add a reason to it.

use crate::json::{self, Members, Out};
use crate::{Adapter, Agent, Answer, Event, Fault, Stage, Verdict};

use super::{common, content, double_underscored, transformed};

/// The adapter of Claude Code.
#[derive(Clone, Copy, Debug)]
pub struct Claude;

impl Adapter for Claude {
    fn agent(&self) -> Agent {
        Agent::Claude
    }

    fn capability(&self) -> &'static str {
        concat!(include_str!("claude.yaml"), include_str!("facts.yaml"))
    }

    fn first_event(&self) -> &'static str {
        "PreToolUse"
    }

    fn stage(&self, event: &str) -> Stage {
        match event {
            "PreToolUse" => Stage::BeforeTool,
            "PostToolUse" => Stage::AfterTool,
            "Stop" => Stage::Stop,
            "SubagentStop" => Stage::SubagentStop,
            "UserPromptSubmit" => Stage::Prompt,
            "PermissionRequest" => Stage::Permission,
            "ConfigChange" => Stage::ConfigChange,
            "SessionStart" => Stage::SessionStart,
            _ => Stage::Other,
        }
    }

    fn delivers_transform(&self, core_anchor: &str) -> bool {
        matches!(core_anchor, "tool.pre_invoke" | "tool.post_invoke" | "model.tool_result")
    }

    fn read(&self, bytes: &[u8]) -> Result<Event, Fault> {
        let object = json::event(bytes)?;
        let stage = self.stage(object.text("hook_event_name")?);
        let mut event = common(Agent::Claude, &object, stage)?;
        if matches!(stage, Stage::BeforeTool | Stage::AfterTool | Stage::Permission) {
            let name = object.text("tool_name")?;
            let input = object.object("tool_input")?;
            let server = object.get("mcp_server").and_then(|node| node.as_object());
            let mcp = match server {
                Some(server) => {
                    let tool = double_underscored(name).map(|(_, tool)| tool);
                    Some((server.text("name")?.to_owned(), tool.unwrap_or_default()))
                }
                None => double_underscored(name),
            };
            event.call = Some(super::call(Agent::Claude, name, input, mcp));
        }
        event.content = match stage {
            Stage::BeforeTool | Stage::Permission => content(&object, "tool_input"),
            Stage::AfterTool => content(&object, "tool_response"),
            Stage::Stop | Stage::SubagentStop => content(&object, "last_assistant_message"),
            Stage::Prompt => content(&object, "prompt"),
            Stage::ConfigChange | Stage::SessionStart | Stage::AfterToolSeen | Stage::Other => None,
        };
        Ok(event)
    }

    fn answer(&self, event: &Event, verdict: &Verdict) -> Answer {
        let held = event.held && matches!(event.stage, Stage::Stop | Stage::SubagentStop);
        let specific = || Out::object().with("hookEventName", event.name.as_str());
        let mut own = Out::object();
        let mut out = Out::object();
        let mut warnings = verdict.warning();
        match (&verdict.block, event.stage) {
            (Some(reason), Stage::BeforeTool) => {
                own = specific()
                    .with("permissionDecision", "deny")
                    .with("permissionDecisionReason", reason.as_str());
            }
            (Some(reason), Stage::AfterTool) => {
                out = out.with("decision", "block").with("reason", reason.as_str());
                match &event.content {
                    Some(content) => {
                        own = specific()
                            .with("updatedToolOutput", Out::Raw(content.withheld(reason)));
                    }
                    // Without the result there is nothing to put in its place: the agent stops.
                    None => {
                        out = out.with("continue", false).with("stopReason", reason.as_str());
                    }
                }
            }
            (Some(reason), Stage::Prompt) => {
                out = out.with("decision", "block").with("reason", reason.as_str());
                own = specific().with("suppressOriginalPrompt", true);
            }
            (Some(reason), Stage::Permission) => {
                let decision =
                    Out::object().with("behavior", "deny").with("message", reason.as_str());
                own = specific().with("decision", decision);
            }
            // Held once already: an agent that is held again and again never ends its turn.
            (Some(reason), Stage::Stop | Stage::SubagentStop) if held => {
                warnings.get_or_insert_with(|| reason.clone());
            }
            (Some(reason), Stage::Stop | Stage::SubagentStop | Stage::ConfigChange) => {
                out = out.with("decision", "block").with("reason", reason.as_str());
            }
            // Nothing can be decided there.
            (Some(reason), Stage::SessionStart | Stage::AfterToolSeen | Stage::Other) => {
                warnings.get_or_insert_with(|| reason.clone());
            }
            (None, stage) => {
                let changed = transformed(event, verdict);
                let name = match stage {
                    Stage::AfterTool => "updatedToolOutput",
                    _ => "updatedInput",
                };
                let told = verdict.nudge().filter(|_| !held);
                if changed.is_some() || told.is_some() {
                    own = specific().maybe(name, changed).maybe("additionalContext", told);
                }
            }
        }
        if !own.is_empty() {
            out = out.with("hookSpecificOutput", own);
        }
        Answer::json(out.maybe("systemMessage", warnings))
    }
}
