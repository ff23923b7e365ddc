//! One file for each agent, with its capability document beside it.
//!
//! The shapes are those of the versions that `docs/agent-hooks.md` lists. A member that has to
//! be there and is not makes an event unreadable, which the caller answers with a deny; a member
//! that nobody here knows is left alone.

pub mod claude;
pub mod cline;
pub mod codex;
pub mod copilot;
pub mod cursor;
pub mod gemini;
pub mod opencode;

use std::path::PathBuf;

use oar_engine::document::source::{Node, Object, Value};

use crate::json::{self, Members, Out};
use crate::{Agent, Call, Content, Event, Fault, ToolKind, Verdict};

/// The user of this process, where an agent does not tell for whom it acts.
fn user() -> String {
    ["USER", "LOGNAME", "USERNAME"]
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|name| !name.is_empty())
        .unwrap_or_default()
}

/// The members that Claude Code, Codex and Gemini have in common.
fn common(agent: Agent, object: &Object, stage: crate::Stage) -> Result<Event, Fault> {
    let mut event = Event::new(agent, object.text("hook_event_name")?, stage);
    object.text("session_id")?.clone_into(&mut event.session);
    event.cwd = directory(object.text_or_empty("cwd")?);
    object.text_or_empty("permission_mode")?.clone_into(&mut event.permission_mode);
    let subagent = match object.text_or_empty("agent_type")? {
        "" => object.text_or_empty("agent_id")?,
        name => name,
    };
    subagent.clone_into(&mut event.subagent);
    event.principal = user();
    event.held = object.flag("stop_hook_active")?;
    Ok(event)
}

fn directory(text: &str) -> Option<PathBuf> {
    (!text.is_empty()).then(|| PathBuf::from(text))
}

/// A call of a tool whose arguments are an object.
fn call(agent: Agent, name: &str, arguments: &Object, mcp: Option<(String, String)>) -> Call {
    let kind = match &mcp {
        Some(_) => ToolKind::Mcp,
        None => ToolKind::of(agent, name),
    };
    Call { name: name.to_owned(), kind, arguments: arguments.clone(), mcp }
}

/// `mcp__server__tool`
fn double_underscored(name: &str) -> Option<(String, String)> {
    let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
    Some((server.to_owned(), tool.to_owned()))
}

/// The text of a member, whatever it is; nothing where it is missing or null.
fn content(object: &Object, name: &str) -> Option<Content> {
    let node = object.get(name).filter(|node| !node.is_null())?;
    Some(Content::of(node.clone()))
}

/// A value that some agents write as JSON in a string.
fn unpacked(node: &Node, name: &str) -> Result<Object, Fault> {
    let wanted = || Fault::member(name, "an object");
    match &node.value {
        Value::Object(object) => Ok(object.clone()),
        Value::String(text) => {
            json::parse(text.as_str().as_bytes()).ok().and_then(json::object).ok_or_else(wanted)
        }
        _ => Err(wanted()),
    }
}

/// The text of an event's content after a transform; never empty, since an answer without a text
/// counts for nothing where the text is the reason of a block, and the original is delivered.
fn transformed_text(parts: &[String]) -> String {
    let text = parts.concat();
    if text.trim().is_empty() { "[oar] nothing is left of this result".to_owned() } else { text }
}

/// The value of an event's content after a transform, if there was one.
fn transformed(event: &Event, verdict: &Verdict) -> Option<Out> {
    let (content, parts) = event.content.as_ref().zip(verdict.content.as_deref())?;
    Some(Out::Raw(content.with_parts(parts)))
}
