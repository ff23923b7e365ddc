//! Gemini CLI: `decision` and `reason` at the top, the rest in `hookSpecificOutput`.
//!
//! What the model reads in the place of a result is the reason of a deny, as a tool error. There
//! is no way to tell the model something before a call, so that a nudge there is shown to the
//! person.

use oar_engine::document::source::Node;

use crate::answer::joined;
use crate::json::{self, Members, Out};
use crate::{Adapter, Agent, Answer, Event, Fault, Stage, Verdict};

use super::{common, content, transformed, transformed_text};

/// The adapter of Gemini CLI.
#[derive(Clone, Copy, Debug)]
pub struct Gemini;

impl Adapter for Gemini {
    fn agent(&self) -> Agent {
        Agent::Gemini
    }

    fn capability(&self) -> &'static str {
        concat!(include_str!("gemini.yaml"), include_str!("facts.yaml"))
    }

    fn first_event(&self) -> &'static str {
        "BeforeTool"
    }

    fn stage(&self, event: &str) -> Stage {
        match event {
            "BeforeTool" => Stage::BeforeTool,
            "AfterTool" => Stage::AfterTool,
            "AfterAgent" => Stage::Stop,
            "BeforeAgent" => Stage::Prompt,
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
        let mut event = common(Agent::Gemini, &object, stage)?;
        if matches!(stage, Stage::BeforeTool | Stage::AfterTool) {
            let name = object.text("tool_name")?;
            let input = object.object("tool_input")?;
            let context = object.get("mcp_context").and_then(Node::as_object);
            let mcp = match context {
                Some(context) => Some((
                    context.text("server_name")?.to_owned(),
                    context.text_or_empty("tool_name")?.to_owned(),
                )),
                None => None,
            };
            event.call = Some(super::call(Agent::Gemini, name, input, mcp));
        }
        event.content = match stage {
            Stage::BeforeTool => content(&object, "tool_input"),
            // `returnDisplay` is what the person saw; the model reads the other.
            Stage::AfterTool => content(object.object("tool_response")?, "llmContent"),
            Stage::Stop => content(&object, "prompt_response"),
            Stage::Prompt => content(&object, "prompt"),
            _ => None,
        };
        Ok(event)
    }

    fn answer(&self, event: &Event, verdict: &Verdict) -> Answer {
        let specific = || Out::object().with("hookEventName", event.name.as_str());
        let mut out = Out::object();
        let mut told = verdict.warnings.clone();
        let deny = |reason: &str| Out::object().with("decision", "deny").with("reason", reason);
        match (&verdict.block, event.stage) {
            (Some(reason), Stage::BeforeTool | Stage::AfterTool | Stage::Prompt) => {
                out = deny(reason);
            }
            // A deny here makes the agent try again, without a bound of its own.
            (Some(reason), Stage::Stop) if !event.held => out = deny(reason),
            (Some(reason), _) => told.push(reason.clone()),
            (None, Stage::BeforeTool) => {
                let changed = transformed(event, verdict);
                if let Some(changed) = changed {
                    let own = specific().with("tool_input", changed);
                    out = out.with("decision", "allow").with("hookSpecificOutput", own);
                }
                told.extend(verdict.nudges.iter().cloned());
            }
            (None, Stage::AfterTool | Stage::Prompt | Stage::SessionStart) => {
                if let Some(parts) = verdict.content.as_deref() {
                    out = deny(&transformed_text(parts));
                }
                if let Some(nudge) = verdict.nudge() {
                    let own = specific().with("additionalContext", nudge);
                    out = out.with("hookSpecificOutput", own);
                }
            }
            (None, _) => told.extend(verdict.nudges.iter().cloned()),
        }
        Answer::json(out.maybe("systemMessage", joined(&told)))
    }
}
