//! What an agent did, one a line of JSON.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use oar_agent_hooks::{Decided, Event, TABLE_VERSION};
use serde_json::{Value as Json, json};

/// An event, without a decision.
pub(super) fn event(event: &Event, redact: bool) -> Json {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let mut line = json!({
        "time_ms": u64::try_from(time).unwrap_or(u64::MAX),
        "agent": event.agent.name(),
        "event": event.name,
        "session": event.session_key(),
        "subagent": event.subagent,
        "permission_mode": event.permission_mode,
        "tables": TABLE_VERSION,
    });
    let mut add = |name: &str, value: Json| {
        if let Some(line) = line.as_object_mut() {
            line.insert(name.to_owned(), value);
        }
    };
    if let Some(call) = &event.call {
        let mut told = json!({"name": call.name, "kind": call.kind.name()});
        if !redact && let Some(told) = told.as_object_mut() {
            let arguments = call.arguments.iter();
            let arguments = arguments.map(|own| (own.name.to_string(), own.node.to_json()));
            told.insert("arguments".to_owned(), Json::Object(arguments.collect()));
        }
        add("tool_call", told);
    }
    match &event.content {
        Some(content) if redact => {
            add("content_length", json!(content.text().chars().count()));
        }
        Some(content) => add("content", json!(content.text())),
        None => {}
    }
    if !redact {
        add("cwd", json!(event.base()));
    }
    line
}

/// A moment of an event, with its decision.
pub(super) fn decided(event: &Event, decided: &Decided<'_>, redact: bool) -> Json {
    let mut line = self::event(event, redact);
    let outcome = decided.outcome;
    let trace: Vec<String> = outcome.trace().map(|entry| entry.to_string()).collect();
    if let Some(line) = line.as_object_mut() {
        line.insert("anchor".to_owned(), json!(decided.moment.local()));
        line.insert("decision".to_owned(), json!(outcome.decision().name()));
        line.insert("rule".to_owned(), json!(outcome.rule()));
        line.insert("applied".to_owned(), json!(trace));
    }
    line
}

/// Adds a line to a file, in one write.
pub(super) fn append(path: &Path, line: &Json) -> Result<(), String> {
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()))
        .map_err(|error| format!("the record `{}` cannot be written: {error}", path.display()))
}
