//! What an agent did, as audit records in one chain.
//!
//! Each record has every fact that could be observed, whether or not a rule asked for it, so that
//! other rules can be replayed over it.

use std::path::Path;
use std::time::SystemTime;

use oar_agent_hooks::{Decided, Event, Guard, TABLE_VERSION};
use oar_engine::Host;
use oar_engine::audit::{AuditRecord, Redaction, rfc3339};
use oar_engine::sink::{Fsync, JsonLines, JsonLinesOptions};
use serde::Serialize;
use serde_json::{Map, Value as Json};

/// A log that the hooks of all sessions share.
pub(super) struct Recorder {
    sink: JsonLines,
    redacts: bool,
}

/// A record, and what tells whose hook made it.
#[derive(Serialize)]
struct Hooked<'r> {
    agent: &'static str,
    event: &'r str,
    /// The version of the tables that say which tool is of which kind.
    tables: &'static str,
    #[serde(flatten)]
    record: Map<String, Json>,
}

impl Recorder {
    /// Opens a log, or begins one.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub(super) fn open(path: &Path, redacts: bool) -> Result<Self, String> {
        // A hook must be quick; what a power cut takes with it is told in the docs.
        let options = JsonLinesOptions::new().shared().fsync(Fsync::Never);
        let sink = JsonLines::with(path, options).map_err(|error| unwritten(path, &error))?;
        Ok(Self { sink, redacts })
    }

    /// Keeps one moment and what was decided.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn decided(&self, event: &Event, decided: &Decided<'_>) -> Result<(), String> {
        self.append(event, members(&self.record(event, decided)))
    }

    /// Keeps an event without deciding it: each moment that it is, or the event alone where it is
    /// none.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn event(&self, event: &Event) -> Result<(), String> {
        let loaded = oar_agent_hooks::load(event.agent, Vec::new(), Vec::new())
            .map_err(|refused| refused.to_string())?;
        let mut records = Vec::new();
        let _undecided = Guard::new(loaded.rules, Host::new()).decide_and(event, |decided| {
            let mut record = members(&self.record(event, decided));
            // No rules have looked at it.
            for name in ["rule_set", "configuration", "decision", "rule", "applied"] {
                record.remove(name);
            }
            records.push(record);
        });
        if records.is_empty() {
            let alone = [("time", rfc3339(SystemTime::now())), ("session", event.session_key())];
            let alone = alone.map(|(name, text)| (name.to_owned(), Json::String(text)));
            records.push(Map::from_iter(alone));
        }
        records.into_iter().try_for_each(|record| self.append(event, record))
    }

    fn record(&self, event: &Event, decided: &Decided<'_>) -> AuditRecord {
        let redaction =
            if self.redacts { Redaction::all().keep_tools() } else { Redaction::none() };
        let (session, now) = (event.session_key(), SystemTime::now());
        let mut record = AuditRecord::new(decided.outcome, &session, now, &redaction);
        if !self.redacts {
            for (name, value) in decided.observations() {
                let said = record.provided.iter().any(|own| own.name == name);
                if !said {
                    record.facts.entry(name).or_insert_with(|| value.to_json());
                }
            }
        }
        record
    }

    fn append(&self, event: &Event, record: Map<String, Json>) -> Result<(), String> {
        let (agent, tables) = (event.agent.name(), TABLE_VERSION);
        let line = Hooked { agent, event: &event.name, tables, record };
        self.sink.append(&[line]).map_err(|error| format!("the record was not written: {error}"))
    }
}

fn members(record: &AuditRecord) -> Map<String, Json> {
    match serde_json::to_value(record) {
        Ok(Json::Object(members)) => members,
        // It is a struct of strings, lists and maps.
        _ => Map::new(),
    }
}

fn unwritten(path: &Path, error: &impl std::fmt::Display) -> String {
    format!("the record `{}` cannot be written: {error}", path.display())
}
