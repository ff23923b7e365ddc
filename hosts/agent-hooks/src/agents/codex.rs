//! Codex CLI: as Claude Code, but with nothing in an answer that its schemas do not have.
//!
//! An answer with one unknown member, a deny without a reason, or an `updatedInput` without
//! `allow` counts for nothing, and the call runs. What the model reads in the place of a result
//! is the reason of `decision: block`.

use crate::answer::joined;
use crate::json::{self, Members, Out};
use crate::{Adapter, Agent, Answer, Event, Fault, Stage, Verdict};

use super::{common, content, double_underscored, transformed, transformed_text};

/// The adapter of Codex CLI.
#[derive(Clone, Copy, Debug)]
pub struct Codex;

impl Adapter for Codex {
    fn agent(&self) -> Agent {
        Agent::Codex
    }

    fn capability(&self) -> &'static str {
        concat!(include_str!("codex.yaml"), include_str!("facts.yaml"))
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
        let mut event = common(Agent::Codex, &object, stage)?;
        if matches!(stage, Stage::BeforeTool | Stage::AfterTool | Stage::Permission) {
            let name = object.text("tool_name")?;
            let input = object.object("tool_input")?;
            event.call = Some(super::call(Agent::Codex, name, input, double_underscored(name)));
        }
        event.content = match stage {
            Stage::BeforeTool | Stage::Permission => content(&object, "tool_input"),
            Stage::AfterTool => content(&object, "tool_response"),
            Stage::Stop | Stage::SubagentStop => content(&object, "last_assistant_message"),
            Stage::Prompt => content(&object, "prompt"),
            _ => None,
        };
        Ok(event)
    }

    fn answer(&self, event: &Event, verdict: &Verdict) -> Answer {
        let specific = || Out::object().with("hookEventName", event.name.as_str());
        let mut own = Out::object();
        let mut out = Out::object();
        let mut told = verdict.warnings.clone();
        let block = |reason: &str| Out::object().with("decision", "block").with("reason", reason);
        match (&verdict.block, event.stage) {
            (Some(reason), Stage::BeforeTool) => {
                own = specific()
                    .with("permissionDecision", "deny")
                    .with("permissionDecisionReason", reason.as_str());
            }
            (Some(reason), Stage::Permission) => {
                let decision =
                    Out::object().with("behavior", "deny").with("message", reason.as_str());
                own = specific().with("decision", decision);
            }
            (Some(reason), Stage::AfterTool | Stage::Prompt) => out = block(reason),
            // It has no guard of its own against an agent that is held again and again.
            (Some(reason), Stage::Stop | Stage::SubagentStop) if !event.held => out = block(reason),
            // Nothing can be decided there, and some of these events take no answer.
            (_, Stage::Other) => told.clear(),
            (Some(reason), _) => told.push(reason.clone()),
            (None, Stage::BeforeTool) => {
                let changed = transformed(event, verdict);
                let nudge = verdict.nudge();
                if changed.is_some() || nudge.is_some() {
                    let allowed = changed.is_some().then_some("allow");
                    own = specific()
                        .maybe("permissionDecision", allowed)
                        .maybe("updatedInput", changed)
                        .maybe("additionalContext", nudge);
                }
            }
            (None, Stage::AfterTool | Stage::Prompt | Stage::SessionStart) => {
                if let Some(parts) = verdict.content.as_deref() {
                    out = block(&transformed_text(parts));
                }
                own = match verdict.nudge() {
                    Some(nudge) => specific().with("additionalContext", nudge),
                    None => own,
                };
            }
            (None, _) => told.extend(verdict.nudges.iter().cloned()),
        }
        if !own.is_empty() {
            out = out.with("hookSpecificOutput", own);
        }
        Answer::json(out.maybe("systemMessage", joined(&told)))
    }
}
