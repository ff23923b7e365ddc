//! One line of a log: what was observed, and what was decided then.
//!
//! A record is read leniently: it is what a machine wrote, perhaps for another rule set, with
//! members of its own. Only what an occurrence needs must be as it should.

use oar_engine::audit::{AuditRecord, Detected};
use oar_engine::observe::{Occurrence, SupplyError};
use oar_engine::{Host, RuleSet, ToolCall};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// A line that can be replayed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    pub(super) line: u64,
    /// Milliseconds since 1970, where the record tells the time.
    pub(super) time: Option<i64>,
    pub(super) anchor: String,
    pub(super) session: String,
    facts: Map<String, Value>,
    /// What providers and detectors said then, and nothing else.
    answers: AuditRecord,
    content: Option<String>,
    call: Option<(String, Map<String, Value>)>,
    activity: Option<Vec<String>>,
    /// What was decided then.
    pub(super) decided: Option<Decided>,
    /// The digest of what decided it.
    pub(super) rule_set: Option<String>,
}

/// A decision of old.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decided {
    pub(super) decision: String,
    pub(super) rule: Option<String>,
    pub(super) applied: Option<Vec<String>>,
}

/// What a line is.
#[derive(Debug)]
pub(crate) enum Line {
    Occurrence(Box<Record>),
    /// A session has ended.
    End(String),
    /// A record of something that is no moment of the host.
    Other,
    Faulty(String),
}

/// The session of occurrences that name none.
const NO_SESSION: &str = "session";

/// Reads a line.
pub(crate) fn read(line: u64, text: &[u8]) -> Line {
    let value: Value = match serde_json::from_slice(text) {
        Ok(value) => value,
        Err(error) => return Line::Faulty(told(&error)),
    };
    let Value::Object(mut members) = value else {
        return Line::Faulty("a record is an object".to_owned());
    };
    let mut text = |name: &str| match members.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{name}` is no string")),
    };
    let mut fields = || -> Result<_, String> {
        let session = text("session")?.unwrap_or_else(|| NO_SESSION.to_owned());
        let ended = text("end_session")?;
        Ok((session, ended, text("anchor")?, text("event")?, text("content")?))
    };
    let (session, ended, anchor, event, content) = match fields() {
        Ok(fields) => fields,
        Err(fault) => return Line::Faulty(fault),
    };
    if let Some(session) = ended {
        return Line::End(session);
    }
    let Some(anchor) = anchor else {
        return match event.as_deref() {
            Some("SessionEnd" | "sessionEnd" | "session_end") => Line::End(session),
            _ => Line::Other,
        };
    };
    let mut record = Record { line, anchor, session, content, ..Record::default() };
    match record.rest(members) {
        Ok(()) => Line::Occurrence(Box::new(record)),
        Err(fault) => Line::Faulty(fault),
    }
}

/// A member that is a list, where it is there.
fn list<T: DeserializeOwned>(name: &str, value: Option<Value>) -> Result<Vec<T>, String> {
    let list = value.map(serde_json::from_value).transpose();
    Ok(list.map_err(|_| format!("`{name}` is no such list as records have"))?.unwrap_or_default())
}

/// What the parser says, without the line, which is always the first.
fn told(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or_default();
    format!("it is no JSON: {text} in column {}", error.column())
}

impl Record {
    fn rest(&mut self, mut members: Map<String, Value>) -> Result<(), String> {
        let object = |name: &str, value: Option<Value>| match value {
            None | Some(Value::Null) => Ok(Map::new()),
            Some(Value::Object(object)) => Ok(object),
            Some(_) => Err(format!("`{name}` is no object")),
        };
        self.facts = object("facts", members.remove("facts"))?;
        let reported = object("detector_facts", members.remove("detector_facts"))?;
        self.answers.provided = list("provided", members.remove("provided"))?;
        self.answers.detected = list("detected", members.remove("detected"))?;
        // As records were written once, and as occurrences are.
        if !reported.is_empty() {
            let detector = "detector://fixture".to_owned();
            self.answers.detected.push(Detected { detector, facts: reported, failed: false });
        }
        let mut call = object("tool_call", members.remove("tool_call"))?;
        if let Some(Value::String(name)) = call.remove("name") {
            let arguments = object("tool_call.arguments", call.remove("arguments"))?;
            self.call = Some((name, arguments));
        }
        if let Some(Value::Array(steps)) = members.remove("recent_activity") {
            let steps = steps.into_iter().filter_map(|step| match step {
                Value::String(step) => Some(step),
                _ => None,
            });
            self.activity = Some(steps.collect());
        }
        self.time = match (members.remove("time"), members.remove("time_ms")) {
            (Some(Value::String(text)), _) => super::time::read(&text),
            (Some(value), _) | (None, Some(value)) => value.as_i64(),
            (None, None) => None,
        };
        let mut text = |name| match members.remove(name) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        self.rule_set = text("rule_set");
        let rule = text("rule");
        if let Some(decision) = text("decision") {
            let applied = members.remove("applied").and_then(|applied| match applied {
                Value::Array(entries) => entries
                    .into_iter()
                    .map(|entry| entry.as_str().map(str::to_owned))
                    .collect::<Option<Vec<String>>>(),
                _ => None,
            });
            self.decided = Some(Decided { decision, rule, applied });
        }
        Ok(())
    }

    /// The tool that was called.
    pub(super) fn tool(&self) -> Option<&str> {
        self.call.as_ref().map(|(name, _)| name.as_str())
    }

    /// The occurrence for `rules`, and how many facts they do not know.
    ///
    /// # Errors
    /// When a fact is the engine's own.
    pub(super) fn occurrence<'a>(
        &'a self,
        rules: &'a RuleSet,
    ) -> Result<(Occurrence<'a>, u64), SupplyError> {
        let mut occurrence = Occurrence::anywhere(rules, &self.anchor);
        let mut unknown = 0;
        for (name, value) in &self.facts {
            // A fact that no rule can name changes no decision.
            if rules.environment().slot(name).is_none() {
                unknown += 1;
                continue;
            }
            occurrence.fact(name, value)?;
        }
        if let Some(content) = &self.content {
            occurrence.content(content);
        }
        if let Some((name, arguments)) = &self.call {
            occurrence.tool_call(ToolCall::new(name, arguments));
        }
        if let Some(steps) = &self.activity {
            occurrence.recent_activity(steps.iter().map(String::as_str));
        }
        Ok((occurrence, unknown))
    }

    /// `host` with what providers and detectors said then, where the record has it.
    pub(super) fn host(&self, host: &Host) -> Option<Host> {
        let AuditRecord { provided, detected, .. } = &self.answers;
        let said = !provided.is_empty() || !detected.is_empty();
        said.then(|| self.answers.host(host))
    }
}
