//! Cursor: `permission` for what may run, `{}` for nothing to say.
//!
//! An empty answer counts as a failure where the hook is fail-closed, so that there is always an
//! object. `preToolUse` covers the three older events before a call; they are read as well.

use oar_engine::document::source::{Node, Object};

use crate::json::{self, Members, Out};
use crate::{Adapter, Agent, Answer, Call, Event, Fault, Stage, ToolKind, Verdict};

use super::{content, directory, transformed, transformed_text, unpacked, user};

/// The adapter of Cursor.
#[derive(Clone, Copy, Debug)]
pub struct Cursor;

fn read_call(event: &str, object: &Object) -> Result<Call, Fault> {
    let agent = Agent::Cursor;
    let own = |name: &str, kind: ToolKind| Call {
        name: name.to_owned(),
        kind,
        arguments: object.clone(),
        mcp: None,
    };
    match event {
        "beforeShellExecution" => {
            object.text("command")?;
            return Ok(own("Shell", ToolKind::Shell));
        }
        "beforeReadFile" => {
            object.text("file_path")?;
            return Ok(own("Read", ToolKind::Read));
        }
        _ => {}
    }
    let name = object.text("tool_name")?;
    let input = object.get("tool_input").ok_or_else(|| Fault::member("tool_input", "an object"))?;
    let input = unpacked(input, "tool_input")?;
    let bare = name.strip_prefix("MCP:");
    let mcp = match (bare, event) {
        (Some(tool), _) => Some((String::new(), tool.to_owned())),
        (None, "beforeMCPExecution") => Some((String::new(), name.to_owned())),
        _ => None,
    };
    Ok(super::call(agent, name, &input, mcp))
}

impl Adapter for Cursor {
    fn agent(&self) -> Agent {
        Agent::Cursor
    }

    fn capability(&self) -> &'static str {
        concat!(include_str!("cursor.yaml"), include_str!("facts.yaml"))
    }

    fn first_event(&self) -> &'static str {
        "preToolUse"
    }

    fn stage(&self, event: &str) -> Stage {
        match event {
            "preToolUse" | "beforeShellExecution" | "beforeMCPExecution" | "beforeReadFile" => {
                Stage::BeforeTool
            }
            "postToolUse" => Stage::AfterToolSeen,
            "stop" => Stage::Stop,
            "subagentStop" => Stage::SubagentStop,
            "beforeSubmitPrompt" => Stage::Prompt,
            _ => Stage::Other,
        }
    }

    fn delivers_transform(&self, core_anchor: &str) -> bool {
        core_anchor == "tool.pre_invoke"
    }

    fn read(&self, bytes: &[u8]) -> Result<Event, Fault> {
        let object = json::event(bytes)?;
        let name = object.text("hook_event_name")?;
        let stage = self.stage(name);
        let mut event = Event::new(Agent::Cursor, name, stage);
        let session = match object.text_or_empty("session_id")? {
            "" => object.text("conversation_id")?,
            session => session,
        };
        session.clone_into(&mut event.session);
        event.roots = object.texts("workspace_roots")?.into_iter().map(Into::into).collect();
        event.cwd = directory(object.text_or_empty("cwd")?);
        object.text_or_empty("subagent_type")?.clone_into(&mut event.subagent);
        event.principal = match object.text_or_empty("user_email")? {
            "" => user(),
            email => email.to_owned(),
        };
        if matches!(stage, Stage::BeforeTool | Stage::AfterToolSeen) {
            event.call = Some(read_call(name, &object)?);
        }
        event.held = object
            .get("loop_count")
            .and_then(Node::as_number)
            .is_some_and(|count| count.as_u64() != Some(0));
        event.content = match (stage, name) {
            (Stage::BeforeTool, "preToolUse") => content(&object, "tool_input"),
            (Stage::BeforeTool, "beforeShellExecution") => content(&object, "command"),
            (Stage::BeforeTool, "beforeReadFile") => content(&object, "content"),
            (Stage::BeforeTool, _) => content(&object, "tool_input"),
            (Stage::AfterToolSeen, _) => content(&object, "tool_output"),
            (Stage::SubagentStop, _) => content(&object, "summary"),
            (Stage::Prompt, _) => content(&object, "prompt"),
            _ => None,
        };
        Ok(event)
    }

    fn answer(&self, event: &Event, verdict: &Verdict) -> Answer {
        let warning = verdict.warning();
        let out = match (&verdict.block, event.stage) {
            (Some(reason), Stage::BeforeTool) => {
                let out =
                    Out::object().with("permission", "deny").with("user_message", reason.as_str());
                match &*event.name {
                    "beforeReadFile" => out,
                    _ => out.with("agent_message", reason.as_str()),
                }
            }
            (Some(reason), Stage::Prompt) => {
                Out::object().with("continue", false).with("user_message", reason.as_str())
            }
            (Some(reason), Stage::Stop | Stage::SubagentStop) if !event.held => {
                Out::object().with("followup_message", reason.as_str())
            }
            (Some(reason), Stage::AfterToolSeen) => withheld(event, reason),
            (Some(_), _) => Out::object(),
            (None, Stage::BeforeTool) if event.name == "preToolUse" => {
                let changed = transformed(event, verdict);
                let nudge = verdict.nudge();
                let allowed = (changed.is_some() || nudge.is_some()).then_some("allow");
                Out::object()
                    .maybe("permission", allowed)
                    .maybe("updated_input", changed)
                    .maybe("additional_context", nudge)
                    .maybe("user_message", warning)
            }
            (None, Stage::AfterToolSeen) => {
                Out::object().maybe("additional_context", verdict.nudge())
            }
            (None, Stage::Stop | Stage::SubagentStop) if !event.held => {
                Out::object().maybe("followup_message", verdict.nudge())
            }
            (None, _) => Out::object(),
        };
        Answer { stdout: out.text(), ..Answer::default() }
    }
}

/// Of what came back, only that of an MCP server can be replaced.
fn withheld(event: &Event, reason: &str) -> Out {
    let is_mcp = event.call.as_ref().is_some_and(|call| call.kind == ToolKind::Mcp);
    match is_mcp {
        true => Out::object().with("updated_mcp_tool_output", reason),
        false => Out::object().with("additional_context", transformed_text(&[reason.to_owned()])),
    }
}
