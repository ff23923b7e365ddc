//! One line of a log: what was observed, and what was decided then.
//!
//! A record is read leniently: it may be of another version, for another rule set, with members
//! of its own. Only what an occurrence needs must be as it should.

use std::borrow::Cow;

use oar_agent_hooks::HOST;
use oar_engine::audit::{AuditRecord, Detected};
use oar_engine::document::source::{Node, Value};
use oar_engine::{Host, RuleSet};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Map;

use crate::hooked;

/// The session of occurrences that name none.
const NO_SESSION: &str = "session";
/// The detector that reports what an occurrence of `oar eval` says.
const FIXTURE: &str = "detector://fixture";
/// How agents call the end of a session.
const ENDS: [&str; 3] = ["SessionEnd", "sessionEnd", "session_end"];

/// What a line is, as far as it must be known to hand it to whoever decides it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'l> {
    /// An occurrence of this session, and whether it says what the reserved detector reports,
    /// as those of `oar eval` may.
    Occurrence(Cow<'l, str>, bool),
    /// This session has ended.
    End(Cow<'l, str>),
    /// A record of something that is no moment of the host.
    Other,
    Faulty(String),
}

/// The members that say so.
#[derive(Deserialize)]
struct Head<'l> {
    #[serde(borrow, default)]
    session: Option<Cow<'l, str>>,
    #[serde(borrow, default)]
    end_session: Option<Cow<'l, str>>,
    #[serde(borrow, default)]
    anchor: Option<Cow<'l, str>>,
    #[serde(borrow, default)]
    event: Option<Cow<'l, str>>,
    #[serde(default)]
    detector_facts: Option<IgnoredAny>,
}

/// Looks at a line.
pub(super) fn look(text: &[u8]) -> Line<'_> {
    let head: Head<'_> = match parse(text) {
        // The members of an array would be taken for those of an object, in their order.
        Ok(_) if text.trim_ascii_start().starts_with(b"[") => {
            return Line::Faulty("it is no record: an object is wanted".to_owned());
        }
        Ok(head) => head,
        Err(fault) => return Line::Faulty(fault),
    };
    if let Some(session) = head.end_session {
        return Line::End(session);
    }
    let session = head.session.unwrap_or(Cow::Borrowed(NO_SESSION));
    match (head.anchor, head.event) {
        (Some(_), _) => Line::Occurrence(session, head.detector_facts.is_some()),
        (None, Some(event)) if ENDS.contains(&&*event) => Line::End(session),
        (None, _) => Line::Other,
    }
}

/// Reads JSON, or says what is wrong with it: where, and which member, but not what it holds.
fn parse<'l, T: Deserialize<'l>>(text: &'l [u8]) -> Result<T, String> {
    let error = match serde_json::from_slice(text) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let column = error.column();
    let told = error.to_string();
    let told = told.split(" at line ").next().unwrap_or_default();
    if !error.is_data() {
        return Err(format!("it is no JSON: {told} in column {column}"));
    }
    if told.starts_with("duplicate field") {
        return Err(format!("it is no record: {told} in column {column}"));
    }
    let again =
        serde_path_to_error::deserialize::<_, T>(&mut serde_json::Deserializer::from_slice(text));
    Err(match again.err().map(|error| error.path().to_string()).as_deref() {
        None | Some(".") => "it is no record: an object is wanted".to_owned(),
        Some(path) => format!("`{path}` is of another kind than a record has there"),
    })
}

/// A line that can be replayed.
#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    pub(super) line: u64,
    /// Milliseconds since 1970, where the record tells the time.
    pub(super) time: Option<i64>,
    /// What was recorded; its session has a name.
    pub(super) own: AuditRecord,
}

/// What an occurrence of `oar eval` has beside a record's members.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Asked {
    detector_facts: Map<String, serde_json::Value>,
}

impl Record {
    /// Reads an occurrence; `reports` is whether it says what the reserved detector reports.
    ///
    /// # Errors
    /// When one of its members is not as it should be.
    pub(super) fn read(line: u64, text: &[u8], reports: bool) -> Result<Self, String> {
        let mut own: AuditRecord = parse(text)?;
        if reports {
            let asked: Asked = parse(text)?;
            own.detected.push(Detected {
                detector: FIXTURE.to_owned(),
                facts: asked.detector_facts,
                failed: false,
            });
        }
        if own.session.is_empty() {
            NO_SESSION.clone_into(&mut own.session);
        }
        Ok(Self { line, time: super::time::read(&own.time), own })
    }

    /// The tool that was called.
    pub(super) fn tool(&self) -> Option<&str> {
        self.own.tool_call.as_ref()?.name.as_deref()
    }

    /// Whether a decision was recorded, and not an occurrence alone.
    pub(super) fn is_decided(&self) -> bool {
        !self.own.decision.is_empty()
    }

    /// The host that decides it, where `host` alone does not: providers and detectors say what
    /// they said. Of a coding agent's call that was recorded whole, what nobody asked for then is
    /// observed now.
    pub(super) fn host(&self, host: &Host, rules: &RuleSet) -> Option<Host> {
        let own = &self.own;
        if rules.capability().host() == HOST {
            let text = |name: &str| own.facts.get(name).and_then(serde_json::Value::as_str);
            let call = own.tool_call.as_ref().and_then(|call| {
                let arguments = serde_json::Value::Object(call.arguments.clone()?);
                match Node::from_json(&arguments).into_value() {
                    Value::Object(arguments) => Some((call.name.as_deref()?, arguments)),
                    _ => None,
                }
            });
            return Some(own.host(&hooked::observing(host, text, call)));
        }
        let recalls = !own.provided.is_empty() || !own.detected.is_empty();
        recalls.then(|| own.host(host))
    }
}
