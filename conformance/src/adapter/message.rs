//! The lines that a runner and an adapter exchange.
//!
//! A line is one JSON object. The adapter writes what [`line()`] makes of an [`Answer`]; the
//! runner reads it back with [`read`]. `schema/adapter.schema.json` is the published form.

use oar_engine::document::source::Node;
use serde_json::{Map, Value, json};

use crate::runner::{About, Answer, Phase};

/// The version of the protocol that the handshake exchanges.
pub const PROTOCOL: u64 = 1;

/// The version of the standard that the runner and its fixtures are for.
const OAR: &str = "1.0";

/// The one member of a handshake line and of its answer.
const START: &str = "start";

/// The answer to the fixture `id` as one line, without the line break.
#[must_use]
pub fn line(id: &str, answer: &Answer) -> String {
    match answer {
        Answer::Report { report, occurrences } => {
            json!({"id": id, "report": report, "occurrences": occurrences})
        }
        Answer::Rejected { error, phase } => {
            json!({"id": id, "error": error, "phase": phase.name()})
        }
        Answer::Skipped { reason } => json!({"id": id, "skipped": reason}),
        Answer::Crashed { detail } | Answer::ProtocolError { detail } => {
            json!({"id": id, "error": detail, "phase": Phase::Evaluate.name()})
        }
        Answer::TimedOut { limit } => {
            json!({"id": id, "error": format!("no answer within {limit:?}"), "phase": "evaluate"})
        }
    }
    .to_string()
}

/// The answer to a line that is no fixture; `id` is its identifier as far as there is one.
#[must_use]
pub fn refusal(id: Option<&str>, error: &str) -> String {
    json!({"id": id, "error": error, "phase": Phase::Input.name()}).to_string()
}

/// The answer that `line` is to the fixture `id`, which has `occurrences` occurrences.
///
/// # Errors
/// When it is no answer to that fixture; the text says what is wrong with it.
pub fn read(line: &str, id: &str, occurrences: usize) -> Result<Answer, String> {
    let value: Value = serde_json::from_str(line)
        .map_err(|error| format!("the line is not JSON ({error}): {}", excerpt(line)))?;
    let Value::Object(mut answer) = value else {
        return Err(format!("the line is no JSON object: {}", excerpt(line)));
    };
    match answer.get("id") {
        Some(Value::String(found)) if found == id => {}
        Some(Value::String(found)) => {
            return Err(format!("the answer is to `{}`, not to `{id}`", excerpt(found)));
        }
        _ => return Err(format!("the answer has no `id`: {}", excerpt(line))),
    }
    let kinds: Vec<_> = ["report", "error", "skipped"]
        .into_iter()
        .filter(|kind| answer.contains_key(*kind))
        .collect();
    match kinds.as_slice() {
        ["report"] => report(&mut answer, occurrences),
        ["error"] => rejection(&answer),
        ["skipped"] => match answer.get("skipped") {
            Some(Value::String(reason)) => Ok(Answer::Skipped { reason: reason.clone() }),
            _ => Err("`skipped` is no string".to_owned()),
        },
        [] => {
            Err(format!("the answer has none of `report`, `error`, `skipped`: {}", excerpt(line)))
        }
        several => Err(format!("the answer has `{}` at once", several.join("` and `"))),
    }
}

fn report(answer: &mut Map<String, Value>, count: usize) -> Result<Answer, String> {
    let report = answer.remove("report").unwrap_or_default();
    if !report.is_object() {
        return Err("`report` is no object".to_owned());
    }
    let occurrences = match answer.remove("occurrences") {
        // One occurrence is the report itself; its counters span the same.
        None if count == 1 => vec![report.clone()],
        None => return Err(format!("`occurrences` is missing, and the fixture has {count}")),
        Some(Value::Array(items)) if items.len() == count => items,
        Some(Value::Array(items)) => {
            return Err(format!("`occurrences` has {} members instead of {count}", items.len()));
        }
        Some(_) => return Err("`occurrences` is no array".to_owned()),
    };
    if let Some(place) = occurrences.iter().position(|item| !item.is_object()) {
        return Err(format!("`occurrences` has a member that is no object, at {place}"));
    }
    Ok(Answer::Report { report, occurrences })
}

fn rejection(answer: &Map<String, Value>) -> Result<Answer, String> {
    let Some(Value::String(error)) = answer.get("error") else {
        return Err("`error` is no string".to_owned());
    };
    let phase = match answer.get("phase") {
        None => Phase::Rules,
        Some(Value::String(name)) => {
            Phase::named(name).ok_or_else(|| format!("`{}` is no phase", excerpt(name)))?
        }
        Some(_) => return Err("`phase` is no string".to_owned()),
    };
    Ok(Answer::Rejected { error: error.clone(), phase })
}

/// The handshake that a runner sends before the first fixture.
#[must_use]
pub fn hello() -> String {
    let runner = json!({"name": "oar-conformance", "version": env!("CARGO_PKG_VERSION")});
    json!({(START): {"protocol": PROTOCOL, "oar": OAR, "runner": runner}}).to_string()
}

/// Whether `line` is the handshake of a runner.
#[must_use]
pub fn is_hello(line: &Node) -> bool {
    line.get(START).is_some() && line.get("id").is_none()
}

/// The answer of an adapter to [`hello`].
#[must_use]
pub fn welcome(about: &About) -> String {
    let mut start = Map::new();
    start.insert("protocol".to_owned(), json!(PROTOCOL));
    start.insert("oar".to_owned(), json!(OAR));
    start.insert("engine".to_owned(), json!({"name": about.name, "version": about.version}));
    if let Some(profiles) = &about.profiles {
        start.insert("profiles".to_owned(), json!(profiles));
    }
    if !about.limits.is_empty() {
        start.insert("limits".to_owned(), Value::Object(about.limits.clone()));
    }
    json!({(START): start}).to_string()
}

/// What an engine says of itself in `line`, its answer to the handshake; `None` when it does
/// not know the handshake.
#[must_use]
pub fn read_welcome(line: &str) -> Option<About> {
    let value: Value = serde_json::from_str(line).ok()?;
    let start = value.get(START)?;
    (start.get("protocol")?.as_u64()? == PROTOCOL).then_some(())?;
    let text = |member: &str| -> Option<String> {
        Some(start.get("engine")?.get(member)?.as_str()?.to_owned())
    };
    let profiles = start
        .get("profiles")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>());
    Some(About {
        name: text("name")?,
        version: text("version").unwrap_or_default(),
        profiles,
        limits: start.get("limits").and_then(Value::as_object).cloned().unwrap_or_default(),
    })
}

/// The start of `text`, short enough for a message, on one line.
pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 120;
    let mut short: String =
        text.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push('…');
    }
    short
}
