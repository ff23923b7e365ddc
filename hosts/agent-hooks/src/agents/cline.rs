//! Cline: `cancel` and `errorMessage`, `{}` for nothing to say.
//!
//! A failed hook of any sort lets the tool run, so that everything depends on the answer.

use oar_engine::document::source::{Node, Object};

use crate::json::{self, Members, Out};
use crate::{Adapter, Agent, Answer, Event, Fault, Stage, Verdict};

use super::{content, transformed, user};

/// The adapter of Cline.
#[derive(Clone, Copy, Debug)]
pub struct Cline;

/// The call in the older and the newer spelling of an event.
fn parts<'o>(object: &'o Object, newer: &str, older: &str) -> Result<(&'o str, &'o Object), Fault> {
    if let Some(call) = object.get(newer).and_then(Node::as_object) {
        return Ok((call.text("name")?, call.object("input")?));
    }
    let call = object.object(older)?;
    Ok((call.text("toolName")?, call.object("parameters")?))
}

impl Adapter for Cline {
    fn agent(&self) -> Agent {
        Agent::Cline
    }

    fn capability(&self) -> &'static str {
        concat!(include_str!("cline.yaml"), include_str!("facts.yaml"))
    }

    fn first_event(&self) -> &'static str {
        "PreToolUse"
    }

    fn stage(&self, event: &str) -> Stage {
        match event {
            "tool_call" | "PreToolUse" => Stage::BeforeTool,
            "tool_result" | "PostToolUse" => Stage::AfterTool,
            "prompt_submit" | "UserPromptSubmit" => Stage::Prompt,
            _ => Stage::Other,
        }
    }

    fn delivers_transform(&self, core_anchor: &str) -> bool {
        core_anchor == "tool.pre_invoke"
    }

    fn read(&self, bytes: &[u8]) -> Result<Event, Fault> {
        let object = json::event(bytes)?;
        let name = object.text("hookName")?;
        let stage = self.stage(name);
        let mut event = Event::new(Agent::Cline, name, stage);
        object.text("taskId")?.clone_into(&mut event.session);
        event.roots = object.texts("workspaceRoots")?.into_iter().map(Into::into).collect();
        if !object.text_or_empty("parent_agent_id")?.is_empty() {
            object.text_or_empty("agent_id")?.clone_into(&mut event.subagent);
        }
        event.principal = match object.text_or_empty("userId")? {
            "" => user(),
            id => id.to_owned(),
        };
        match stage {
            Stage::BeforeTool => {
                let (tool, input) = parts(&object, "tool_call", "preToolUse")?;
                event.call = Some(super::call(Agent::Cline, tool, input, None));
                event.content = match object.get("tool_call").and_then(Node::as_object) {
                    Some(call) => content(call, "input"),
                    None => content(object.object("preToolUse")?, "parameters"),
                };
            }
            Stage::AfterTool => {
                let (tool, input) = parts(&object, "tool_result", "postToolUse")?;
                event.call = Some(super::call(Agent::Cline, tool, input, None));
                event.content = match object.get("tool_result").and_then(Node::as_object) {
                    Some(result) => content(result, "output"),
                    None => content(object.object("postToolUse")?, "result"),
                };
            }
            Stage::Prompt => {
                event.content = content(object.object("userPromptSubmit")?, "prompt");
            }
            _ => {}
        }
        Ok(event)
    }

    fn answer(&self, event: &Event, verdict: &Verdict) -> Answer {
        let out = match (&verdict.block, event.stage) {
            (Some(_), Stage::Other) => Out::object(),
            (Some(reason), _) => {
                Out::object().with("cancel", true).with("errorMessage", reason.as_str())
            }
            (None, Stage::BeforeTool) => {
                let changed = transformed(event, verdict);
                Out::object()
                    .maybe("overrideInput", changed)
                    .maybe("contextModification", verdict.nudge())
            }
            (None, _) => Out::object().maybe("contextModification", verdict.nudge()),
        };
        Answer { stdout: out.text(), ..Answer::default() }
    }
}
